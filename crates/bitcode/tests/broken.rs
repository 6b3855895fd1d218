//! Files that LLVM's verifier lets pass, or does not live to see, although something is wrong with
//! them.

mod common;

use bitcode::{LoadError, Options, load, load_bitcode_bytes};

#[track_caller]
fn refused(assembly: &str) -> String {
    match load_bitcode_bytes(assembly.as_bytes()) {
        Err(LoadError::BadBitcode { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

/// Loads, if need be without its debug information: neither LLVM nor this crate takes the
/// description for what it is not.
#[track_caller]
fn loads(assembly: &str) -> ir::Module {
    let module = load_bitcode_bytes(assembly.as_bytes()).unwrap();
    common::check(&module);
    module
}

#[test]
fn pointers_have_four_or_eight_bytes() {
    for bits in [16, 71, 128] {
        let reason = refused(&format!(
            "target datalayout = \"e-p:{bits}:128\"\n@g = global ptr null"
        ));
        assert!(reason.contains(&format!("{bits} bits")), "{reason}");
    }
    assert_eq!(
        loads("target datalayout = \"e-p:32:32\"\n@g = global ptr null").pointer_bits,
        32
    );
}

#[test]
fn the_low_byte_comes_first() {
    let reason = refused("target datalayout = \"E-p:64:64\"\n@g = global i32 1");
    assert!(reason.contains("big-endian"), "{reason}");
}

#[test]
fn pointers_of_another_size_are_not_modelled() {
    let module = loads(
        "target datalayout = \"e-p:64:64-p1:32:32\"
         @g = global ptr addrspace(1) inttoptr (i32 -1 to ptr addrspace(1))
         @h = global ptr addrspace(2) inttoptr (i64 -1 to ptr addrspace(2))",
    );
    let init = |name| &module.globals[module.global_named(name).unwrap()].init;
    assert!(init("g").is_none());
    assert_eq!(init("h").as_ref().unwrap().bytes, [0xff; 8]);
}

#[test]
fn exceptions_of_the_standard_library_are_errors() {
    // A brace that does not close makes LLVM ask for a string of negative length.
    for constraints in ["={", "={ax}{", "{", "^", "=@", "@", "#", "=*{"] {
        let assembly = format!(
            "define void @f() {{ call void asm \"\", \"{constraints}\"()
               ret void }}"
        );
        // Some of these make LLVM read beyond the string; whether that faults is chance, and the
        // rehearsal's child bears it.
        refused(&assembly);
    }
}

/// A function with debug information; `wrong` follows it and may say what `!20` to `!29` are.
fn described(location_scope: &str, subprogram: &str, wrong: &str) -> String {
    format!(
        "%struct.s = type {{ i32 }}
         @g = global %struct.s zeroinitializer, !dbg !8
         define i32 @f(i32 %x) !dbg !5 {{
           %v = alloca i32
           store i32 %x, ptr %v
             #dbg_declare(ptr %v, !7, !DIExpression(), !6)
           %r = load i32, ptr %v, !dbg !6
           ret i32 %r, !dbg !6
         }}
         !llvm.module.flags = !{{!0}}
         !llvm.dbg.cu = !{{!1}}
         !0 = !{{i32 2, !\"Debug Info Version\", i32 3}}
         !1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug, globals: !{{!8}})
         !2 = !DIFile(filename: \"a.c\", directory: \"\")
         !3 = !DISubroutineType(types: !{{null, !4}})
         !4 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)
         !5 = distinct !DISubprogram(name: \"f\", file: !2, line: 1, type: !3, spFlags: DISPFlagDefinition, {subprogram})
         !6 = !DILocation(line: 2, column: 3, scope: {location_scope})
         !7 = !DILocalVariable(name: \"v\", scope: !5, file: !2, line: 2, type: !20)
         !8 = !DIGlobalVariableExpression(var: !9, expr: !DIExpression())
         !9 = distinct !DIGlobalVariable(name: \"g\", scope: !1, file: !2, line: 1, type: !20)
         {wrong}"
    )
}

const INT: &str = "!20 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)";

#[test]
fn sound_descriptions_are_kept() {
    let module = loads(&described("!5", "unit: !1", INT));
    assert!(module.debug.files.iter().any(|f| f == "a.c"));
    assert!(module.debug.vars.iter().any(|v| v.name == "g"));
}

#[test]
fn descriptions_of_the_wrong_kind_are_dropped() {
    let elements = [
        "!2",
        "!1",
        "null",
        "!{}",
        "!\"text\"",
        "i32 7",
        "!DILocation(line: 1, scope: !5)",
        "!DIExpression()",
    ];
    for kind in [
        "structure_type",
        "union_type",
        "array_type",
        "enumeration_type",
    ] {
        for element in elements {
            loads(&described(
                "!5",
                "unit: !1",
                &format!(
                    "!20 = !DICompositeType(tag: DW_TAG_{kind}, name: \"s\", file: !2, size: 32, elements: !{{{element}}})"
                ),
            ));
        }
    }
    for base in ["!2", "!1", "!{}", "!\"text\"", "!6", "!8", "!9"] {
        loads(&described(
            "!5",
            "unit: !1",
            &format!("!20 = !DIDerivedType(tag: DW_TAG_typedef, name: \"s\", baseType: {base})"),
        ));
    }
    for count in ["i128 -1", "i8 -1", "float 1.0", "ptr @g", "!2", "!{}"] {
        loads(&described(
            "!5",
            "unit: !1",
            &format!(
                "!20 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, elements: !{{!21}})
                 !21 = !DISubrange(count: !22)
                 !22 = !{{{count}}}"
            ),
        ));
    }
}

#[test]
fn files_are_files() {
    for file in ["!1", "!4", "!{}", "!6", "!5", "!8", "!0"] {
        for tag in [
            "DILexicalBlock(line: 1, ",
            "DILexicalBlockFile(discriminator: 0, ",
        ] {
            let wrong = format!("{INT}\n!21 = distinct !{tag}scope: !5, file: {file})");
            let module = loads(&described("!21", "unit: !1", &wrong));
            assert!(
                module.debug.files.iter().all(|f| f.len() < 10),
                "{:?}",
                module.debug.files
            );
        }
    }
}

#[test]
fn units_are_units() {
    for unit in ["!2", "!4", "!{}", "!6", "!5", "!8", "!0"] {
        loads(&described("!5", &format!("unit: {unit}"), INT));
    }
}

#[test]
fn circles_come_to_an_end() {
    loads(&described(
        "!5",
        "unit: !1",
        "!20 = distinct !DIDerivedType(tag: DW_TAG_typedef, name: \"t\", baseType: !20)",
    ));
    loads(&described(
        "!5",
        "unit: !1",
        "!20 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", scope: !20, size: 32, elements: !{!20})",
    ));
}

#[test]
fn a_program_is_tried_as_a_whole() {
    let directory = tempfile::tempdir().unwrap();
    let (main, other) = (
        directory.path().join("main.c"),
        directory.path().join("other.bc"),
    );
    std::fs::write(&main, "int main(void) { return 0; }").unwrap();
    std::fs::write(&other, b"BC\xc0\xde0123456789abcdef").unwrap();
    let error = load(&[main, other.clone()], &Options::default()).unwrap_err();
    assert!(
        matches!(&error, LoadError::BadBitcode { path, .. } if *path == other),
        "{error:?}"
    );
}

#[test]
fn several_threads_at_once() {
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    loads(&described("!5", "unit: !1", INT));
                    refused("define i32 @f() { ret i64 0 }");
                }
            });
        }
    });
}

#[test]
fn symbols_that_stand_for_themselves() {
    let assembly = "@alias = alias void (), ptr @indirect
        @indirect = ifunc void (), ptr @resolver
        define internal ptr @resolver() { ret ptr @alias }
        define void @f() { call void @alias()
          ret void }";
    let module = load_bitcode_bytes(assembly.as_bytes()).unwrap();
    ir::validate(&module).unwrap();
}

#[test]
fn types_larger_than_memory() {
    let module = loads(
        "@g = global { i64, ptr, [2305843009213693950 x i64] } { i64 1, ptr @g, [2305843009213693950 x i64] zeroinitializer }
         @h = global [3 x { i64, [1152921504606846975 x i64] }] [
           { i64, [1152921504606846975 x i64] } { i64 1, [1152921504606846975 x i64] zeroinitializer },
           { i64, [1152921504606846975 x i64] } { i64 2, [1152921504606846975 x i64] zeroinitializer },
           { i64, [1152921504606846975 x i64] } { i64 3, [1152921504606846975 x i64] zeroinitializer }]",
    );
    assert!(module.globals.iter().all(|global| global.init.is_none()));
}
