//! The tables of debug information. Files and locations come first in the text, since the rest
//! refers to them in words.

use super::{Names, comma_separated, put};
use crate::debug::{DebugType, FileId, Loc, Variable};
use crate::text::lexer::quoted;
use crate::text::mnemonic::Mnemonic;

/// Locations per line of text.
const LOCS_PER_LINE: usize = 16;

pub fn tables(out: &mut String, names: &Names<'_>) {
    let debug = &names.module.debug;
    if !debug.files.is_empty() {
        let files = debug.files.iter().map(|file| quoted(file));
        put!(out, "files {{ {} }}\n", comma_separated(files));
    }
    if debug.locs.as_slice() != [Loc::default()] {
        locations(out, debug.locs.as_slice());
    }
    for (id, ty) in debug.types.enumerate() {
        put!(out, "{id} = {}\n", debug_type(ty));
    }
    for (id, var) in debug.vars.enumerate() {
        put!(out, "{id} = {}\n", variable(names, var));
    }
}

/// Every entry as `line:column`, behind the file whenever it changes.
fn locations(out: &mut String, locs: &[Loc]) {
    out.push_str("locations {");
    let mut file: Option<FileId> = None;
    for (index, loc) in locs.iter().enumerate() {
        if index % LOCS_PER_LINE == 0 {
            out.push_str("\n ");
        }
        if file != Some(loc.file) {
            put!(out, " {}", loc.file);
            file = Some(loc.file);
        }
        put!(out, " {}:{}", loc.line, loc.column);
    }
    out.push_str("\n}\n");
}

fn debug_type(ty: &DebugType) -> String {
    match ty {
        DebugType::Base {
            name,
            bytes,
            encoding,
        } => format!("base {} {bytes} {}", quoted(name), encoding.mnemonic()),
        DebugType::Pointer { to: None } => "pointer void".to_owned(),
        DebugType::Pointer { to: Some(to) } => format!("pointer {to}"),
        DebugType::Record {
            name,
            bytes,
            members,
        } => {
            let members = members
                .iter()
                .map(|m| format!("{} {} {}", quoted(&m.name), m.offset, m.ty));
            let list = comma_separated(members);
            format!("record {} {bytes} {}", quoted(name), braced(&list))
        }
        DebugType::Array { element, count } => format!("array {element} {count}"),
        DebugType::Enum {
            name,
            bytes,
            variants,
        } => {
            let variants = variants
                .iter()
                .map(|(name, value)| format!("{} = {value}", quoted(name)));
            let list = comma_separated(variants);
            format!("enum {} {bytes} {}", quoted(name), braced(&list))
        }
        DebugType::Opaque { name } => format!("opaque {}", quoted(name)),
    }
}

fn braced(list: &str) -> String {
    match list {
        "" => "{ }".to_owned(),
        _ => format!("{{ {list} }}"),
    }
}

fn variable(names: &Names<'_>, var: &Variable) -> String {
    let ty = var.ty.map(|ty| format!(" {ty}")).unwrap_or_default();
    let loc = names.location_suffix(var.loc);
    format!("{}{ty}{loc}", quoted(&var.name))
}
