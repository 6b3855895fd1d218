//! Programs linked with a library: who gets which function, and what becomes of names and types
//! that do not fit.

mod common;

use bitcode::{LoadError, Options, compile_library, load};
use ir::{Callee, Op};

/// Links a program in LLVM assembly with a library in LLVM assembly.
fn linked(program: &str, library: &str, roots: &[&str]) -> ir::Module {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program.ll");
    std::fs::write(&path, program).unwrap();
    let library = compile_library(library.as_bytes()).unwrap();
    let options = Options {
        libraries: vec![&library],
        library_roots: roots.to_vec(),
        ..Options::default()
    };
    let module = load(&[path], &options).unwrap().module;
    common::check(&module);
    module
}

fn function<'m>(module: &'m ir::Module, name: &str) -> &'m ir::Function {
    let id = module.function_named(name);
    &module.functions[id.unwrap_or_else(|| panic!("no {name} in\n{module}"))]
}

/// The functions that `caller` calls directly, in order.
fn callees<'m>(module: &'m ir::Module, caller: &str) -> Vec<&'m ir::Function> {
    let body = function(module, caller).body.as_ref().unwrap();
    let insts = body.blocks.iter().flat_map(|block| &block.insts);
    let callee = |inst: &ir::Inst| match &inst.op {
        Op::Call(call) => match call.callee {
            Callee::Direct(id) => Some(&module.functions[id]),
            Callee::Indirect(_) => None,
        },
        _ => None,
    };
    insts.filter_map(callee).collect()
}

const MAIN: &str = "define i32 @main() { call void @wanted()
     ret i32 0 }
     declare void @wanted()";

#[test]
fn a_definition_of_the_program_wins() {
    let library = "define void @wanted() { call void @inner()
        ret void }
        define void @inner() { ret void }";
    let module = linked(
        &format!("{MAIN}\n define void @inner() {{ ret void }}"),
        library,
        &[],
    );
    assert!(function(&module, "wanted").runtime);
    assert!(!callees(&module, "wanted")[0].runtime);
    assert!(callees(&linked(MAIN, library, &[]), "wanted")[0].runtime);
}

#[test]
fn an_alias_is_a_definition() {
    let module = linked(
        &format!(
            "{MAIN}\n define void @other() {{ ret void }}\n @inner = alias void (), ptr @other"
        ),
        "define void @wanted() { call void @inner()
         ret void }
         define void @inner() { ret void }",
        &[],
    );
    assert_eq!(callees(&module, "wanted")[0].name, "other");
}

#[test]
fn what_is_static_is_nobody_elses() {
    let module = linked(
        &format!(
            "{MAIN}\n define internal void @inner() {{ ret void }}
             define internal void @hidden() {{ ret void }}
             @counter = internal global i32 3
             define ptr @own() {{ call void @inner()
             call void @hidden()
             ret ptr @counter }}"
        ),
        "define void @wanted() { call void @inner()
         call void @hidden()
         store i32 1, ptr @counter
         ret void }
         define void @inner() { ret void }
         define internal void @hidden() { ret void }
         @counter = internal global i32 7",
        &[],
    );
    // The one that others may mean keeps its name.
    let named = |caller| callees(&module, caller).into_iter().map(|f| &f.name);
    assert!(named("wanted").eq(["inner", "hidden.1"]));
    assert!(named("own").eq(["inner.1", "hidden"]));
    assert!(callees(&module, "wanted").iter().all(|f| f.runtime));
    assert!(callees(&module, "own").iter().all(|f| !f.runtime));
    let value = |name| {
        let id = module.global_named(name).unwrap();
        module.globals[id].init.as_ref().unwrap().bytes[0]
    };
    assert_eq!((value("counter"), value("counter.1")), (3, 7));
}

#[test]
fn globals_bring_what_they_refer_to() {
    let module = linked(
        "@table = external global [2 x ptr]
         define i32 @main() { %p = load ptr, ptr @table
         ret i32 0 }",
        "@table = global [2 x ptr] [ptr @first, ptr @text]
         @text = private constant [3 x i8] c\"hi\\00\"
         @unneeded = global i32 1
         define void @first() { ret void }",
        &[],
    );
    let table = &module.globals[module.global_named("table").unwrap()];
    assert_eq!(table.init.as_ref().unwrap().relocations.len(), 2);
    assert!(module.global_named("text").is_some());
    assert!(function(&module, "first").body.is_some());
    assert!(module.global_named("unneeded").is_none());
}

#[test]
fn a_weak_declaration_is_satisfied() {
    let module = linked(
        "declare extern_weak void @wanted()
         define i32 @main() { call void @wanted()
         ret i32 0 }",
        "define void @wanted() { ret void }",
        &[],
    );
    assert!(!function(&module, "wanted").weak);
}

#[test]
fn prototypes_need_not_match() {
    // The program's calls have the results of the library's functions.
    let module = linked(
        "declare i32 @length(...)
         define i32 @main() { %r = call i32 (...) @length()
         ret i32 %r }",
        "define i64 @length(ptr %s) { ret i64 7 }",
        &[],
    );
    assert_eq!(function(&module, "length").results, [ir::Type::Int(64)]);
    // And the library's those of the program's, whether it returns more, less, or something else.
    for result in ["void", "i8", "i32", "i128", "ptr", "float"] {
        let value = match result {
            "void" => "void".to_owned(),
            "ptr" => "ptr null".to_owned(),
            "float" => "float 1.0".to_owned(),
            _ => format!("{result} 1"),
        };
        for expected in ["i32", "ptr", "double"] {
            let module = linked(
                &format!("{MAIN}\n define {result} @inner() {{ ret {value} }}"),
                &format!(
                    "declare {expected} @inner()
                     declare void @use({expected})
                     define void @wanted() {{ %r = call {expected} @inner()
                     call void @use({expected} %r)
                     ret void }}"
                ),
                &[],
            );
            assert_eq!(callees(&module, "wanted").len(), 2);
        }
    }
}

#[test]
fn roots_come_though_nobody_mentions_them() {
    let library = "define void @root() { call void @shim()
        ret void }
        declare void @shim()";
    let module = linked("define i32 @main() { ret i32 0 }", library, &["root"]);
    assert!(function(&module, "root").runtime);
    assert!(!function(&module, "shim").runtime && function(&module, "shim").body.is_none());
}

#[test]
fn the_library_is_that_for_the_size_of_pointers() {
    let wide = compile_library(b"define void @wanted() { ret void }").unwrap();
    let narrow = compile_library(
        b"target datalayout = \"e-p:32:32\"
          define void @wanted() { call void @narrow()
          ret void }
          define void @narrow() { ret void }",
    )
    .unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program.ll");
    std::fs::write(&path, format!("target datalayout = \"e-p:32:32\"\n{MAIN}")).unwrap();
    let options = Options {
        libraries: vec![&wide, &narrow],
        ..Options::default()
    };
    let module = load(&[path], &options).unwrap().module;
    assert!(function(&module, "narrow").runtime);
}

#[test]
fn a_library_has_no_aliases() {
    let error = compile_library(
        b"@a = alias void (), ptr @f
          define void @f() { ret void }",
    );
    assert!(matches!(error, Err(LoadError::BadBitcode { .. })));
}
