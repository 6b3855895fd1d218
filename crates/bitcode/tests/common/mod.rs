//! Compiles snippets and finds their functions in the result.
#![allow(dead_code)] // Not every test file uses everything.

use bitcode::{LoadError, Loaded, Options};
use ir::{Body, Module, Op};

/// `extension` decides the language.
pub fn try_load(code: &str, extension: &str, flags: &[&str]) -> Result<Loaded, LoadError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(format!("test.{extension}"));
    std::fs::write(&path, code).unwrap();
    let options = Options {
        clang_flags: flags.iter().map(|f| (*f).to_owned()).collect(),
        ..Options::default()
    };
    bitcode::load(&[path], &options)
}

/// Loads a program that must be valid and fully supported.
#[track_caller]
pub fn load(code: &str, extension: &str, flags: &[&str]) -> Module {
    let module = try_load(code, extension, flags).unwrap().module;
    check(&module);
    module
}

#[track_caller]
pub fn check(module: &Module) {
    if let Err(violations) = ir::validate(module) {
        panic!("{}\n{module}", violations[0]);
    }
    for function in &module.functions {
        for op in function.body.iter().flat_map(ops) {
            if let Op::Unsupported { what, .. } = op {
                panic!("{}: {what}", function.name);
            }
        }
    }
}

/// Loads C; `main` is added if there is none.
#[track_caller]
pub fn c(code: &str) -> Module {
    load(&with_main(code), "c", &[])
}

pub fn with_main(code: &str) -> String {
    if code.contains("main(") {
        code.to_owned()
    } else {
        format!("{code}\nint main(void) {{ return 0; }}\n")
    }
}

pub fn body<'m>(module: &'m Module, name: &str) -> &'m Body {
    let id = module
        .function_named(name)
        .unwrap_or_else(|| panic!("no function {name}"));
    module.functions[id].body.as_ref().unwrap()
}

pub fn ops(body: &Body) -> impl Iterator<Item = &Op> {
    body.blocks.iter().flat_map(|b| &b.insts).map(|i| &i.op)
}

pub fn count(module: &Module, function: &str, wanted: impl Fn(&Op) -> bool) -> usize {
    ops(body(module, function)).filter(|op| wanted(op)).count()
}

/// One function in textual form, without places, one instruction per line.
pub fn text(module: &Module, function: &str) -> String {
    let mut module = module.clone();
    for function in module.functions.iter_mut() {
        function.loc = None;
        for block in function.body.iter_mut().flat_map(|b| b.blocks.iter_mut()) {
            block.terminator_loc = Default::default();
            for inst in &mut block.insts {
                inst.loc = Default::default();
                match &mut inst.op {
                    Op::Alloca { var, .. } => *var = None,
                    Op::PtrAdd { record, .. } => *record = None,
                    _ => {}
                }
            }
        }
        for value in function.body.iter_mut().flat_map(|b| b.values.iter_mut()) {
            value.name = None;
        }
    }
    let all = module.to_string();
    let start = all.find(&format!("func @{function}(")).unwrap();
    let end = all[start..].find("\n}").unwrap();
    let mut lines: Vec<&str> = all[start..start + end].lines().collect();
    // The constants stand where they are used.
    if let Some(first) = lines.iter().position(|l| l.trim() == "values {") {
        let last = lines.iter().position(|l| l.trim() == "}").unwrap();
        lines.drain(first..=last);
    }
    lines[1..]
        .iter()
        .map(|l| l.trim())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The lines of `expected` stand in the function, in this order, whatever stands between them. `_`
/// stands for any value.
#[track_caller]
pub fn expect(module: &Module, function: &str, expected: &str) {
    let text = text(module, function);
    let mut lines = text.lines();
    for wanted in expected.lines().map(str::trim).filter(|l| !l.is_empty()) {
        assert!(
            lines.any(|line| matches(line, wanted)),
            "no `{wanted}` (in this order) in\n{text}"
        );
    }
}

fn matches(line: &str, wanted: &str) -> bool {
    let (mut line, mut wanted) = (words(line), words(wanted));
    loop {
        match (line.next(), wanted.next()) {
            (None, None) => return true,
            (Some(word), Some(pattern)) if word == pattern => {}
            (Some(word), Some("_")) if word.starts_with('%') => {}
            _ => return false,
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '(', ')', ':'])
        .filter(|w| !w.is_empty())
}
