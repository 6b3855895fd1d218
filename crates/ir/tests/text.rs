//! The textual form, on samples written by hand.

use ir::text::{parse, print};
use ir::{BlockId, Const, FuncId, Symbol, Type, ValueId};

/// `input` prints as `expected`, and that reads back as the same module.
#[track_caller]
fn check(input: &str, expected: &str) {
    let module = parse(input).unwrap_or_else(|error| panic!("{error}\n{input}"));
    let printed = print(&module);
    assert_eq!(printed.trim_end(), expected.trim_end(), "{printed}");
    assert_eq!(parse(&printed).as_ref(), Ok(&module));
    assert_eq!(module.to_string(), printed);
}

/// `text` prints as it stands.
#[track_caller]
fn check_same(text: &str) {
    check(text, text);
}

#[track_caller]
fn check_error(input: &str, expected: &str) {
    let error = parse(input).expect_err("a parse error").to_string();
    assert_eq!(error, expected);
}

#[test]
fn empty_module() {
    check("", "pointer_bits 0\n");
    check("pointer_bits 64 // a comment", "pointer_bits 64\n");
}

#[test]
fn globals() {
    check_same(
        r#"pointer_bits 64
files { "a.c" }
locations {
  file0 0:0 3:1 3:9
}
type0 = base "int" 4 signed
var0 = "counter" type0 at "a.c":3:1
var1 = "untyped"

global @counter var0 size 4 align 4 = { hex "2a000000" }
global @extern size 8 align 8
global @message size 7 align 1 constant = { "he\"llo" hex "00" }
global @mine size 64 align 8 thread_local = { zero 64 }
global @table size 24 align 8 constant = { zero 24 } relocations { 0: @message[2], 8: @f, 16: @f:b1[-4] }
global @"odd name" size 0 align 1 = { }

constructors @f

destructors @f, @f

func @f() {
b0:
  br b1
b1:
  ret
}
"#,
    );
}

#[test]
fn debug_types() {
    check_same(
        r#"pointer_bits 32
type0 = base "unsigned char" 1 char
type1 = pointer type3
type2 = pointer void
type3 = record "node" 8 { "next" 0 type1, "x" 4 type0 }
type4 = record "empty" 0 { }
type5 = array type0 10
type6 = enum "e" 4 { "A" = 0, "B" = -1 }
type7 = opaque "void (int)"
"#,
    );
}

#[test]
fn every_instruction() {
    check_same(
        r#"pointer_bits 64
type0 = record "s" 8 { }
var0 = "v"

global @tls size 4 align 4 thread_local

func @callee(i32, ptr) -> (i32, i1) variadic runtime source "callee(int, char*)" at loc0

func @f(i32 %5 "n", ptr %6, f64 %7) -> (i32) {
  values {
    %0 = i32 1
    %1 = i32 -1
    %2 = f64 0x3ff0000000000000
    %3 = ptr null
    %4 = ptr @callee[8]
  }
b0:
  %8: i32 = add %5, i32 1
  %9: i32 = ashr %5, i32 -1
  %10: i1 = cmp slt %8, %9
  %11: i64 = sext %8
  %12 "sel": i32 = select %10, %8, %9
  %13: f64 = fadd %7, f64 0x3ff0000000000000
  %14: i1 = fcmp olt %7, %13
  %15: f64 = fsqrt %7
  %16: i32 = fptosi %7
  %17: ptr = ptradd %6 + -8 + %5 * 4 + %11 * -2 record type0
  %18: ptr = ptradd %6
  %19: i32 = load %6 atomic volatile
  store i32 1 to ptr null atomic
  store %19 to ptr @callee[8] volatile
  %20: i32 = rmw xchg %6, i32 1
  %21: i32, %22: i1 = cmpxchg %6, i32 1, %5 weak
  fence
  %23: ptr = alloca 4 align 4 var0
  %24: ptr = alloca 1 count %11 align 16
  %25: ptr = tls_addr @tls
  %26: i32, %27: i1 = call @callee(%5, %6)
  call %6()
  call ptr @callee[8](%5)
  %28: i32, %29: i1 = intrinsic sadd_overflow(%5, i32 1)
  intrinsic trap()
  %30: i32 = undef
  unsupported instruction "va_arg"
  unsupported assembly "lock; \\ \"nop\"\n"
  ret %8
}
"#,
    );
}

#[test]
fn every_terminator() {
    check_same(
        r#"pointer_bits 64

func @f(i1 %2, i32 %3, ptr %4) {
  values {
    %0 = i32 7
    %1 = ptr null
  }
b0:
  condbr %2, b1, b2(%3, i32 7)
b1:
  switch %3 { 0: b3, 4294967295: b2(i32 7, %3), default: b4 }
b2(%5: i32, %6 "x": i32):
  br b2(%6, %5)
b3:
  indirectbr %4 to (b1, b4)
b4:
  %7: i32 = invoke @f(%2, %3, %4) to b5(%7) unwind b6 cleanup catch [%4, ptr null] filter [%4] filter []
b5(%8: i32):
  invoke %4() to b7 unwind b6
b6(%9: ptr, %10: i32):
  resume %9, %10
b7:
  unreachable
}
"#,
    );
}

#[test]
fn locations_in_words() {
    check(
        r#"func @f() at "a.c":1:1 { b0: fence at "a.c":2:3 fence at "b.c":2:3 fence at "a.c":2:3 ret at loc9 }"#,
        r#"pointer_bits 0
files { "a.c", "b.c" }
locations {
  file0 0:0 1:1 2:3 file1 2:3
}

func @f() at "a.c":1:1 {
b0:
  fence at "a.c":2:3
  fence at "b.c":2:3
  fence at "a.c":2:3
  ret at loc9
}
"#,
    );
}

/// Literals that are not listed become constants of the table, which come first; the other values
/// move up.
#[test]
fn literals_need_not_be_listed() {
    check(
        "func @f(i32 %0) -> (i32) { b0: %1: i32 = add %0, i32 5  %2: i32 = mul %1, i32 5  %3: i32 = sub i32 -6, %2  ret %3 }",
        r#"pointer_bits 0

func @f(i32 %2) -> (i32) {
  values {
    %0 = i32 5
    %1 = i32 -6
  }
b0:
  %3: i32 = add %2, i32 5
  %4: i32 = mul %3, i32 5
  %5: i32 = sub i32 -6, %4
  ret %5
}
"#,
    );
    // Behind the constants that are listed.
    check(
        "func @f() -> (i32) { values { %0 \"five\" = i32 5 } b0: %1: i32 = add %0, i32 5 ret %1 }",
        r#"pointer_bits 0

func @f() -> (i32) {
  values {
    %0 "five" = i32 5
    %1 = i32 5
  }
b0:
  %2: i32 = add %0, i32 5
  ret %2
}
"#,
    );
}

/// A literal denotes the first equal constant only; the others are written as values.
#[test]
fn equal_constants_stay_apart() {
    let text = r#"pointer_bits 64

func @f() {
  values {
    %0 = i8 -128
    %1 = i8 -128
    %2 "named" = i8 -128
    %3 = i64 -128
  }
b0:
  ret i8 -128, %1, %2, i64 -128
}
"#;
    check_same(text);
    let body = parse(text).unwrap().functions[FuncId(0)]
        .body
        .clone()
        .unwrap();
    assert_eq!(body.values[ValueId(1)].constant, Some(Const::Bits(128)));
    assert_eq!(body.ty(ValueId(3)), Type::Int(64));
}

#[test]
fn shared_names_are_written_as_ids() {
    let text = r#"pointer_bits 64

global @x size 1 align 1
global @y size 1 align 1

func @x() {
  values {
    %0 = ptr global#0
    %1 = ptr func#0:b0[2]
    %2 = ptr @y
    %3 = ptr func#77
  }
b0:
  call func#0()
  ret
}
"#;
    check_same(text);
    let body = parse(text).unwrap().functions[FuncId(0)]
        .body
        .clone()
        .unwrap();
    let label = Symbol::Block(FuncId(0), BlockId(0));
    assert_eq!(
        body.values[ValueId(1)].constant,
        Some(Const::Address(label, 2))
    );
}

/// Values that are not assigned exactly once, and parameters that do not match, are written out all
/// the same.
#[test]
fn invalid_modules_are_printable() {
    check_same(
        r#"pointer_bits 64

func @f(i32) {
  values {
    %0: i32
    %1 "never": i32
    %2 = i0 300
    %3 = i255 0
    %4 = f16 @f
  }
  params (%0, %99)
b0(%0):
  %0 = undef
  ret i255 0
}
"#,
    );
}

#[test]
fn errors_say_where_and_what() {
    check_error("pointer_bits x", "1:14: expected a number, found `x`");
    check_error(
        "pointer_bits 4294967296",
        "1:14: expected a number from 0 to 4294967295, found 4294967296",
    );
    check_error(
        "func f()",
        "1:6: expected a name such as `@main`, found `f`",
    );
    check_error(
        "func @f() {\n b0:\n  ret @g\n}",
        "3:7: expected the block `b1`, or `}`, found `@g`",
    );
    check_error(
        "func @f() { b0: call @g() ret }",
        "1:22: no function or global is called `g`",
    );
    check_error(
        "global @g size 1 align 1 func @f() { b0: call @g() ret }",
        "1:47: expected a function, found `@g`",
    );
    check_error(
        "global @g size 1 align 1 func @g() { b0: call @g() ret }",
        "1:47: several functions or globals are called `g`; write func#N or global#N for the one meant",
    );
    check_error(
        "func @f() { b0: %0: i32 = fence ret }",
        "1:27: `fence` assigns 0 value(s), found 1",
    );
    check_error(
        "func @f() { b0: %1: i32 = undef ret }",
        "1:38: %0 is not declared: neither listed in `values` nor given a type where it is assigned",
    );
    check_error(
        "func @f() { b0: %0: i32 = undef %0: i32 = undef ret }",
        "1:33: %0 is declared twice",
    );
    check_error(
        "func @f() { b0: ret i8 -129 }",
        "1:24: expected a number from -128 to 255, found -129",
    );
    check_error(
        "global @g size 1 align 1 = { \"a",
        "1:30: the string does not end on its line",
    );
    check_error(
        "files { \"\\q\" }",
        "1:9: unknown escape in a string; expected \\\\, \\\", \\n, \\t or \\u{...}",
    );
    check_error(
        "pointer_bits 12ab",
        "1:14: `12ab` is not a number of at most 128 bits",
    );
    check_error("?", "1:1: `?` is not a character of this language");
    check_error(
        "type1 = opaque \"x\"",
        "1:1: expected `type0`, as the entries are numbered in order, found `type1`",
    );
    check_error(
        "func @f() { b0: %0: i32 = frobnicate ret }",
        "1:27: expected an instruction or a terminator, found `frobnicate`",
    );
}

/// A short text cannot make the parser allocate much.
#[test]
fn zero_fill_is_bounded() {
    let text =
        "global @a size 1 align 1 = { zero 9000000 }\nglobal @b size 1 align 1 = { zero 9000000 }";
    check_error(
        text,
        "2:35: more than 16777216 bytes of `zero` in one module; write the others out in hex",
    );
}

/// Beyond the limit zeros are written in hex, so that what is printed can be parsed.
#[test]
fn zeros_beyond_the_limit_survive() {
    let mut module =
        parse("global @a size 0 align 1 = { zero 16777216 }\nglobal @b size 0 align 1 = { }")
            .unwrap();
    let bytes = &mut module.globals[ir::GlobalId(1)].init.as_mut().unwrap().bytes;
    bytes.extend([0; 20]);
    let printed = print(&module);
    assert!(printed.contains(&format!("hex \"{}\"", "00".repeat(20))));
    assert!(parse(&printed) == Ok(module));
}
