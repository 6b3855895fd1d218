//! Globals: the initialiser is as long as the global, and relocations lie within it.

use super::{Report, Rule, check_symbol, debug};
use crate::module::{Global, Init, Module};

pub fn check(module: &Module, global: &Global, report: &mut Report) {
    if let Some(var) = global.var {
        debug::check_var(module, var, report);
    }
    let Some(Init { bytes, relocations }) = &global.init else {
        return;
    };
    let bytes = bytes.len() as u64;
    if bytes != global.size {
        report.add(Rule::InitSize {
            init: bytes,
            size: global.size,
        });
    }
    for relocation in relocations {
        let offset = relocation.offset;
        let end = offset.checked_add(module.pointer_bytes());
        if end.is_none_or(|end| end > bytes) {
            report.add(Rule::RelocationRange { offset, bytes });
        }
        check_symbol(module, relocation.target, report);
    }
}
