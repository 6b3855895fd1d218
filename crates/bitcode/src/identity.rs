//! A number that tells one program from another.

use ir::binary::append;
use ir::{Inst, Module};

/// Hashes what the program does. Names of files, places and variables do not count, so a witness
/// survives a moved file or a new comment.
pub fn hash(module: &Module) -> u64 {
    let mut told = Vec::new();
    append(&module.pointer_bits, &mut told);
    append(&module.constructors, &mut told);
    append(&module.destructors, &mut told);
    for global in &module.globals {
        append(&global.name, &mut told);
        append(&global.size, &mut told);
        append(&global.constant, &mut told);
        append(&global.thread_local, &mut told);
        append(&global.init, &mut told);
    }
    for function in &module.functions {
        append(&function.name, &mut told);
        append(&function.params, &mut told);
        append(&function.results, &mut told);
        append(&function.variadic, &mut told);
        append(&function.body.is_some(), &mut told);
        let Some(body) = &function.body else {
            continue;
        };
        append(&body.values.len(), &mut told);
        for value in &body.values {
            append(&value.ty, &mut told);
            append(&value.constant, &mut told);
        }
        append(&body.blocks.len(), &mut told);
        for block in &body.blocks {
            append(&block.params, &mut told);
            append(&block.insts.len(), &mut told);
            for inst in &block.insts {
                write_instruction(inst, &mut told);
            }
            append(&block.terminator, &mut told);
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
    append(&op, told);
}

/// FNV-1a with 64 bits. Collisions among a handful of programs are improbable, and nobody gains
/// from making one.
fn fnv(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    bytes.iter().fold(OFFSET, step)
}
