//! References within and into the tables of debug information.

use super::{Place, Report, Rule};
use crate::debug::{DebugType, LocId, TypeId, VarId};
use crate::module::Module;

pub fn check(module: &Module, report: &mut Report) {
    report.place = Place::Debug;
    let debug = &module.debug;
    if debug.locs.get(LocId(0)).is_none_or(|loc| loc.is_known()) {
        report.add(Rule::UnknownLoc);
    }
    for loc in &debug.locs {
        if loc.is_known() && debug.files.get(loc.file).is_none() {
            report.add(Rule::NoFile(loc.file));
        }
    }
    for ty in &debug.types {
        match ty {
            DebugType::Pointer { to: Some(to) } => check_type(module, *to, report),
            DebugType::Array { element, .. } => check_type(module, *element, report),
            DebugType::Record { members, .. } => {
                for member in members {
                    check_type(module, member.ty, report);
                }
            }
            DebugType::Base { .. }
            | DebugType::Pointer { to: None }
            | DebugType::Enum { .. }
            | DebugType::Opaque { .. } => {}
        }
    }
    for var in &debug.vars {
        if let Some(ty) = var.ty {
            check_type(module, ty, report);
        }
        check_loc(module, var.loc, report);
    }
}

pub fn check_loc(module: &Module, loc: LocId, report: &mut Report) {
    // Entry 0 is checked once for all.
    if loc != LocId(0) && module.debug.locs.get(loc).is_none() {
        report.add(Rule::NoLoc(loc));
    }
}

pub fn check_type(module: &Module, ty: TypeId, report: &mut Report) {
    if module.debug.types.get(ty).is_none() {
        report.add(Rule::NoType(ty));
    }
}

pub fn check_var(module: &Module, var: VarId, report: &mut Report) {
    if module.debug.vars.get(var).is_none() {
        report.add(Rule::NoVar(var));
    }
}
