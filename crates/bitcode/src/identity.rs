//! A number that tells one program from another.

use ir::binary::Binary;
use ir::{Inst, Module};

/// Of what the program does: names of files, places and variables do not count, so a witness
/// survives a moved file or a new comment.
pub fn hash(module: &Module) -> u64 {
    let mut told = Vec::new();
    module.pointer_bits.write(&mut told);
    module.constructors.write(&mut told);
    module.destructors.write(&mut told);
    for global in &module.globals {
        global.name.write(&mut told);
        global.size.write(&mut told);
        global.constant.write(&mut told);
        global.thread_local.write(&mut told);
        global.init.write(&mut told);
    }
    for function in &module.functions {
        function.name.write(&mut told);
        function.params.write(&mut told);
        function.results.write(&mut told);
        function.variadic.write(&mut told);
        function.body.is_some().write(&mut told);
        let Some(body) = &function.body else {
            continue;
        };
        body.values.len().write(&mut told);
        for value in &body.values {
            value.ty.write(&mut told);
            value.constant.write(&mut told);
        }
        body.blocks.len().write(&mut told);
        for block in &body.blocks {
            block.params.write(&mut told);
            block.insts.len().write(&mut told);
            for inst in &block.insts {
                write_instruction(inst, &mut told);
            }
            block.terminator.write(&mut told);
        }
    }
    fnv(&told)
}

fn write_instruction(inst: &Inst, told: &mut Vec<u8>) {
    let mut op = inst.op.clone();
    match &mut op {
        ir::Op::PtrAdd { record, .. } => *record = None,
        ir::Op::Alloca { var, .. } => *var = None,
        _ => {}
    }
    op.write(told);
}

/// FNV-1a with 64 bits: no collision is to be feared from a handful of programs, and none is made
/// on purpose.
fn fnv(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    bytes.iter().fold(OFFSET, step)
}
