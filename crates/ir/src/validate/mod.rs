//! Whether a module keeps the rules that the rest of Sleave relies on. Reports all that are broken,
//! in the order of the module.

mod body;
mod debug;
mod dominance;
mod global;
mod operation;
mod terminator;
mod violation;

pub use violation::{Place, Rule, Violation};

use crate::module::{Const, Function, Module, Symbol, Type};

/// Checks everything; on failure there is at least one violation.
pub fn validate(module: &Module) -> Result<(), Vec<Violation>> {
    let mut report = Report {
        place: Place::Module,
        violations: Vec::new(),
    };
    if !matches!(module.pointer_bits, 32 | 64) {
        report.add(Rule::PointerBits(module.pointer_bits));
    }
    for function in module.constructors.iter().chain(&module.destructors) {
        if module.functions.get(*function).is_none() {
            report.add(Rule::NoFunction(*function));
        }
    }
    debug::check(module, &mut report);
    for (id, g) in module.globals.enumerate() {
        report.place = Place::Global(id, g.name.as_str().into());
        global::check(module, g, &mut report);
    }
    for (id, function) in module.functions.enumerate() {
        report.place = Place::Function(id, function.name.as_str().into());
        check_signature(module, function, &mut report);
        if let Some(b) = &function.body {
            body::check(module, id, function, b, &mut report);
        }
    }
    match report.violations {
        violations if violations.is_empty() => Ok(()),
        violations => Err(violations),
    }
}

/// The violations so far, and where the next one belongs.
struct Report {
    place: Place,
    violations: Vec<Violation>,
}

impl Report {
    fn add(&mut self, rule: Rule) {
        self.violations.push(Violation {
            place: self.place.clone(),
            rule,
        });
    }
}

fn check_signature(module: &Module, function: &Function, report: &mut Report) {
    for ty in function.params.iter().chain(&function.results) {
        check_width(*ty, report);
    }
    if let Some(loc) = function.loc {
        debug::check_loc(module, loc, report);
    }
}

fn check_width(ty: Type, report: &mut Report) {
    if let Type::Int(width) = ty
        && !(1..=128).contains(&width)
    {
        report.add(Rule::Width(width));
    }
}

/// Checks that the symbol exists and has one address for all threads.
fn check_symbol(module: &Module, symbol: Symbol, report: &mut Report) {
    match symbol {
        Symbol::Global(id) => match module.globals.get(id) {
            None => report.add(Rule::NoGlobal(id)),
            Some(global) if global.thread_local => report.add(Rule::ThreadLocalAddress(id)),
            Some(_) => {}
        },
        Symbol::Function(id) => {
            if module.functions.get(id).is_none() {
                report.add(Rule::NoFunction(id));
            }
        }
        Symbol::Block(id, block) => match module.functions.get(id) {
            None => report.add(Rule::NoFunction(id)),
            Some(function) => {
                let blocks = function.body.as_ref().map(|body| &body.blocks);
                if blocks.is_none_or(|blocks| blocks.get(block).is_none()) {
                    report.add(Rule::NoBlock(block));
                }
            }
        },
    }
}

fn check_constant(module: &Module, ty: Type, constant: Const, report: &mut Report) {
    let width = ty.bits(module.pointer_bits);
    match constant {
        Const::Bits(bits) => {
            if width < 128 && bits >> width != 0 {
                report.add(Rule::ConstantRange { bits, width });
            }
        }
        Const::Address(symbol, _) => {
            check_symbol(module, symbol, report);
            if ty.is_float() || width != module.pointer_bits {
                report.add(Rule::AddressType(ty));
            }
        }
    }
}
