//! Files, flags and what can be wrong with them.

mod common;

use std::path::PathBuf;
use std::process::Command;

use bitcode::{LoadError, Options, compile_library, load, load_bitcode_bytes};
use common::{try_load, with_main};

/// Files of a temporary directory, by name and content.
fn files(list: &[(&str, &str)]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let directory = tempfile::tempdir().unwrap();
    let paths = list.iter().map(|(name, content)| {
        let path = directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    });
    let paths = paths.collect();
    (directory, paths)
}

#[test]
fn several_files_are_one_program() {
    let (_directory, paths) = files(&[
        (
            "a.c",
            "extern int shared; int f(int); int main(void) { return f(shared); }",
        ),
        (
            "b.cpp",
            "extern \"C\" { int shared = 3; int f(int x) { return x; } }",
        ),
        ("c.ll", "define void @unused() { ret void }"),
    ]);
    let loaded = load(&paths, &Options::default()).unwrap();
    common::check(&loaded.module);
    let f = loaded.module.function_named("f").unwrap();
    assert!(loaded.module.functions[f].body.is_some());
    let shared = loaded.module.global_named("shared").unwrap();
    assert!(loaded.module.globals[shared].init.is_some());
}

#[test]
fn preprocessed_files() {
    let code = "# 1 \"orig.c\"\n\nint main(void) {\n  undeclared();\n  return 0;\n}\n";
    let module = try_load(code, "i", &[]).unwrap().module;
    assert!(module.debug.files.iter().any(|f| f == "orig.c"));
}

#[test]
fn a_definition_twice_cannot_be_linked() {
    let (_directory, paths) = files(&[
        (
            "a.c",
            "int f(void) { return 1; } int main(void) { return f(); }",
        ),
        ("b.c", "int f(void) { return 2; }"),
    ]);
    let error = load(&paths, &Options::default()).unwrap_err();
    assert!(
        matches!(&error, LoadError::Link { reason, .. } if reason.contains("f")),
        "{error:?}"
    );
}

#[test]
fn compile_errors_are_clangs_own_words() {
    let error = try_load("int main(void) { return }", "c", &[]).unwrap_err();
    let LoadError::Compile { message } = &error else {
        panic!("{error:?}");
    };
    assert!(message.contains("error: expected expression"));
    assert_eq!(&error.to_string(), message);
}

#[test]
fn warnings_are_kept() {
    let loaded = try_load("int main(void) { undeclared(); return 0; }", "c", &[]).unwrap();
    assert!(loaded.warnings.contains("undeclared"));
}

#[test]
fn what_is_missing_is_said() {
    let error = try_load("int f(void) { return 0; }", "c", &[]).unwrap_err();
    assert_eq!(error, LoadError::NoMain);
    let error = load(&["/no/such/file.c".into()], &Options::default()).unwrap_err();
    assert!(matches!(error, LoadError::Read { .. }));
    let error = load(&["file.rs".into()], &Options::default()).unwrap_err();
    assert!(matches!(error, LoadError::UnknownKind { .. }));
    assert_eq!(
        load(&[], &Options::default()).unwrap_err(),
        LoadError::NoFiles
    );
}

#[test]
fn flags_come_last_and_programs_can_tell() {
    let code = "#ifndef __SLEAVE__\n#error\n#endif\n#ifdef NDEBUG\n#error\n#endif\nint main(void) { return K; }";
    let module = try_load(code, "c", &["-DK=42"]).unwrap().module;
    common::expect(&module, "main", "ret i32 42");
}

#[test]
fn garbage_is_an_error() {
    for bytes in [
        &b""[..],
        b"garbage",
        b"BC\xc0\xde",
        b"BC\xc0\xde0123456789abcdef",
        b"define i32 @f() { ret i32 %nothing }",
        b"define i32 @f() { ret i64 0 }",
        b"\xff\xfe\x00\x00",
    ] {
        let error = load_bitcode_bytes(bytes);
        if bytes.is_empty() {
            continue; // An empty file is an empty module of LLVM assembly.
        }
        assert!(
            matches!(error, Err(LoadError::BadBitcode { .. })),
            "{bytes:?}"
        );
    }
    assert!(load_bitcode_bytes(b"define i32 @f() { ret i32 0 }").is_ok());
}

#[test]
fn bitcode_files() {
    let (directory, paths) = files(&[("a.c", &with_main("int x; int f(void) { return x; }"))]);
    let output = directory.path().join("a.bc");
    let status = Command::new("clang-22")
        .args(["-O1", "-emit-llvm", "-c", "-o"])
        .arg(&output)
        .arg(&paths[0])
        .status();
    assert!(status.unwrap().success());
    let loaded = load(&[output], &Options::default()).unwrap();
    common::check(&loaded.module);
}

#[test]
fn the_hash_is_of_the_code() {
    let one = try_load("int x; int main(void) { return x + 1; }", "c", &[]).unwrap();
    let moved = try_load(
        "// A comment.\nint x;\nint main(void) {\n  return x + 1; }",
        "c",
        &[],
    )
    .unwrap();
    let other = try_load("int x; int main(void) { return x + 2; }", "c", &[]).unwrap();
    assert_eq!(one.hash, moved.hash);
    assert_ne!(one.hash, other.hash);
}

#[test]
fn the_library_gives_what_is_needed() {
    let runtime = b"define i64 @strlen(ptr %s) { %r = call i64 @helper(ptr %s)
          ret i64 %r }
        define i64 @helper(ptr %s) { ret i64 7 }
        define i32 @abs(i32 %x) { ret i32 %x }
        define i32 @wanted(i32 %x) { ret i32 %x }
        define void @unneeded() { ret void }";
    let (_directory, paths) = files(&[(
        "a.c",
        "unsigned long strlen(const char *); int abs(int x) { return x < 0 ? -x : x; } void missing(void);
         int main(int c, char **v) { missing(); return strlen(v[0]) + abs(c); }",
    )]);
    let library = compile_library(runtime).unwrap();
    let options = Options {
        libraries: vec![&library],
        library_roots: vec!["wanted"],
        clang_flags: vec!["-fno-builtin".to_owned()],
        ..Options::default()
    };
    let module = load(&paths, &options).unwrap().module;
    common::check(&module);
    let function = |name| module.function_named(name).map(|id| &module.functions[id]);
    assert!(function("strlen").unwrap().runtime && function("strlen").unwrap().body.is_some());
    assert!(function("helper").unwrap().runtime);
    assert!(!function("abs").unwrap().runtime && !function("main").unwrap().runtime);
    assert!(function("wanted").unwrap().runtime);
    assert!(function("unneeded").is_none());
    assert!(function("missing").unwrap().body.is_none());
}
