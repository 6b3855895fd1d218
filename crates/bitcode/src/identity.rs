//! A number that tells one program from another.

use std::fmt::{self, Write};

use ir::{Const, Inst, Module};

/// Of what the program does: names of files, places and variables do not count, so a witness survives a moved file or a new comment.
pub fn hash(module: &Module) -> u64 {
    let mut hash = Fnv(FNV_OFFSET);
    // Writing into the hash never fails.
    let _ = write_module(&mut hash, module);
    hash.0
}

fn write_module(hash: &mut Fnv, module: &Module) -> fmt::Result {
    write!(
        hash,
        "{} {:?} {:?};",
        module.pointer_bits, module.constructors, module.destructors
    )?;
    for global in &module.globals {
        write!(
            hash,
            "{} {} {} {} {:?};",
            global.name, global.size, global.constant, global.thread_local, global.init
        )?;
    }
    for function in &module.functions {
        write!(
            hash,
            "{} {:?} {:?} {};",
            function.name, function.params, function.results, function.variadic
        )?;
        let Some(body) = &function.body else {
            continue;
        };
        for value in &body.values {
            match value.constant {
                Some(Const::Bits(bits)) => write!(hash, "{:?} {bits};", value.ty)?,
                constant => write!(hash, "{:?} {constant:?};", value.ty)?,
            }
        }
        for block in &body.blocks {
            write!(hash, "{:?}:", block.params)?;
            for inst in &block.insts {
                write_instruction(hash, inst)?;
            }
            write!(hash, "{:?}", block.terminator)?;
        }
    }
    Ok(())
}

fn write_instruction(hash: &mut Fnv, inst: &Inst) -> fmt::Result {
    let mut op = inst.op.clone();
    match &mut op {
        ir::Op::PtrAdd { record, .. } => *record = None,
        ir::Op::Alloca { var, .. } => *var = None,
        _ => {}
    }
    write!(hash, "{op:?};")
}

/// FNV-1a with 64 bits: no collision is to be feared from a handful of programs, and none is made on purpose.
struct Fnv(u64);

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        }
        Ok(())
    }
}
