//! The validator: programs that keep every rule, and for each rule one that breaks it.

use ir::text::parse;
use ir::validate;

/// Prefixed with `pointer_bits 64` unless the text says otherwise, `text` breaks exactly these
/// rules.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let head = match text.contains("pointer_bits") {
        true => "",
        false => "pointer_bits 64\n",
    };
    let module = parse(&format!("{head}{text}")).unwrap_or_else(|error| panic!("{error}"));
    let found: Vec<String> = match validate(&module) {
        Ok(()) => Vec::new(),
        Err(violations) => violations.iter().map(|v| v.to_string()).collect(),
    };
    assert_eq!(found, expected);
}

/// The body of a function `f(i32 %0, i64 %1, ptr %2, f64 %3, i1 %4)` without results.
#[track_caller]
fn check_body(blocks: &str, expected: &[&str]) {
    let text = format!(
        "func @f(i32 %0, i64 %1, ptr %2, f64 %3, i1 %4) {{ {blocks} }}
         func @g() -> (i32, i32) {{ b0: ret i32 1, i32 2 }}
         func @h()
         global @tls size 0 align 1 thread_local
         global @plain size 0 align 1"
    );
    check(&text, expected);
}

/// One instruction in such a body.
#[track_caller]
fn check_inst(inst: &str, expected: &str) {
    let expected = format!("function `f` (f0), b0, instruction 0: {expected}");
    check_body(&format!("b0: {inst} ret"), &[&expected]);
}

#[track_caller]
fn check_terminator(terminator: &str, rest: &str, expected: &str) {
    let expected = format!("function `f` (f0), b0, terminator: {expected}");
    check_body(&format!("b0: {terminator} {rest}"), &[&expected]);
}

#[test]
fn valid_program() {
    check_body(
        "b0: %5: i32 = add %0, i32 1  %6: i1 = cmp ult %2, ptr null  %7: i64 = zext %2  %8: i64 = bits %3
             %9: ptr = select %4, %2, ptr null  %10: i1 = fcmp olt %3, %3  %11: f64 = fsqrt %3  %12: i32 = fptosi %3
             %13: ptr = ptradd %2 + 8 + %0 * 4  %14: f64 = load %2  store %3 to %2  %15: ptr = rmw xchg %2, %2
             %16: i64, %17: i1 = cmpxchg %2, %1, i64 7  %18: ptr = alloca 4 count %0 align 4  %19: ptr = tls_addr @tls
             %20: i32, %21: i32 = call @g()  %22: i32 = call @h(%0)  call %2()  intrinsic memset(%2, i8 0, %1)
             %23: f64 = undef  %24: f64 = fadd %14, %23  %25: i32 = trunc %1
             condbr %4, b1(%5), b2
         b1(%26: i32): switch %26 { 0: b2, 1: b1(%0), default: b3 }
         b2: indirectbr ptr @f:b2 to (b2, b3)
         b3: %27: i32 = invoke @h() to b4(%27) unwind b5(%5) catch [%2]
         b4(%28: i32): %29: i32 = add %27, %28 ret
         b5(%30: ptr, %31: i32, %32: i32): resume %30, %31",
        &[],
    );
}

#[test]
fn module() {
    check(
        "pointer_bits 16",
        &["module: pointers have 32 or 64 bits, not 16"],
    );
    check("constructors func#3", &["module: there is no function f3"]);
    check("destructors func#3", &["module: there is no function f3"]);
}

#[test]
fn debug_information() {
    check(
        "locations { }",
        &["debug information: location 0 must exist and be unknown (line 0)"],
    );
    check(
        "locations { file0 0:0 1:1 }",
        &["debug information: there is no file file0"],
    );
    check(
        "type0 = pointer type1",
        &["debug information: there is no type type1"],
    );
    check(
        "type0 = array type1 4",
        &["debug information: there is no type type1"],
    );
    check(
        "type0 = record \"s\" 4 { \"m\" 0 type1 }",
        &["debug information: there is no type type1"],
    );
    check(
        "var0 = \"x\" type0 at loc7",
        &[
            "debug information: there is no type type0",
            "debug information: there is no location loc7",
        ],
    );
    check(
        "func @f() at loc1",
        &["function `f` (f0): there is no location loc1"],
    );
    check(
        "global @x var0 size 1 align 1",
        &["global `x` (g0): there is no variable var0"],
    );
    check_inst("fence at loc1", "there is no location loc1");
    check_inst(
        "%5: ptr = alloca 4 align 4 var0",
        "there is no variable var0",
    );
    check_inst("%5: ptr = ptradd %2 record type0", "there is no type type0");
}

#[test]
fn globals() {
    check(
        "global @x size 4 align 1 = { zero 3 }",
        &["global `x` (g0): an initialiser of 3 bytes for a global of 4"],
    );
    check(
        "global @x size 8 align 1 = { zero 8 } relocations { 1: @x }",
        &["global `x` (g0): a relocation at byte 1 does not fit into an initialiser of 8 bytes"],
    );
    check(
        "global @x size 8 align 1 = { zero 8 } relocations { 18446744073709551615: @x }",
        &[
            "global `x` (g0): a relocation at byte 18446744073709551615 does not fit into an initialiser of 8 bytes",
        ],
    );
    check(
        "pointer_bits 32 global @x size 8 align 1 = { zero 8 } relocations { 4: @x }",
        &[],
    );
    check(
        "global @x size 8 align 1 = { zero 8 } relocations { 0: global#1 }",
        &["global `x` (g0): there is no global g1"],
    );
    check(
        "global @x size 8 align 1 = { zero 8 } relocations { 0: @f:b0 } func @f()",
        &["global `x` (g0): there is no block b0"],
    );
    check(
        "global @x size 8 align 1 thread_local = { zero 8 } relocations { 0: @x }",
        &["global `x` (g0): thread-local g0 has no address of its own; use `tls_addr`"],
    );
}

#[test]
fn value_table() {
    let at = |rule: &str| format!("function `f` (f0), %0: {rule}");
    let check_value = |entry: &str, rule: &str| {
        let text = format!("func @f() {{ values {{ %0 {entry} }} b0: ret }}");
        check(&text, &[&at(rule)]);
    };
    check_value("= i0 0", "integers have 1 to 128 bits, not 0");
    check_value("= i129 0", "integers have 1 to 128 bits, not 129");
    check_value("= i8 256", "the constant 0x100 does not fit into 8 bits");
    check_value(
        "= ptr 0x10000000000000000",
        "the constant 0x10000000000000000 does not fit into 64 bits",
    );
    check_value(
        "= f16 0x10000",
        "the constant 0x10000 does not fit into 16 bits",
    );
    check_value(
        "= i32 @f",
        "an address needs a pointer, or an integer of the same width, not i32",
    );
    check_value(
        "= f64 @f",
        "an address needs a pointer, or an integer of the same width, not f64",
    );
    check_value("= ptr func#1", "there is no function f1");
    check_value(": i32", "it is never assigned");
    check(
        "func @f() { values { %0 = i32 1 } b0: %0 = undef ret }",
        &[&at("it is a constant and cannot be assigned")],
    );
    check(
        "func @f() { values { %0: i32 } b0: %0 = undef %0 = undef ret }",
        &[&at("it is assigned 2 times")],
    );
    check(
        "func @f(i32 %0) { values { %1 = i32 1 } b0: ret }",
        &["function `f` (f0), %1: constants come first in the value table"],
    );
    check(
        "func @f(i0) -> (i200)",
        &[
            "function `f` (f0): integers have 1 to 128 bits, not 0",
            "function `f` (f0): integers have 1 to 128 bits, not 200",
        ],
    );
}

#[test]
fn entry_and_parameters() {
    check(
        "func @f() { }",
        &["function `f` (f0): a body needs an entry block"],
    );
    check(
        "func @f() { b0(%0: i32): ret }",
        &["function `f` (f0), b0: the entry block cannot have parameters"],
    );
    check(
        "func @f(i32) { b0: ret }",
        &["function `f` (f0): the body has 0 parameter values for 1 parameters"],
    );
    check(
        "func @f(i32) { params (%0: i64) b0: ret }",
        &["function `f` (f0): %0 has type i64, expected i32"],
    );
}

#[test]
fn operand_types() {
    check_inst(
        "%5: i32 = add %0, %1",
        "%0 and %1 must have the same type, not i32 and i64",
    );
    check_inst(
        "%5: i64 = add %0, %0",
        "%0 and %5 must have the same type, not i32 and i64",
    );
    check_inst(
        "%5: ptr = add %2, %2",
        "%2 has type ptr, expected an integer",
    );
    check_inst("%5: i32 = cmp eq %0, %0", "%5 has type i32, expected i1");
    check_inst(
        "%5: i1 = cmp eq %0, %1",
        "%0 and %1 must have the same type, not i32 and i64",
    );
    check_inst(
        "%5: i1 = cmp eq %3, %3",
        "%3 has type f64, expected an integer or a pointer",
    );
    check_inst(
        "%5: i32 = select %0, %0, %0",
        "%0 has type i32, expected i1",
    );
    check_inst(
        "%5: i32 = select %4, %0, %1",
        "%0 and %1 must have the same type, not i32 and i64",
    );
    check_inst(
        "%5: i32 = sext %1",
        "the cast from i64 to i32 goes the wrong way",
    );
    check_inst(
        "%5: i64 = trunc %0",
        "the cast from i32 to i64 goes the wrong way",
    );
    check_inst(
        "%5: f64 = bits %0",
        "the cast from i32 to f64 goes the wrong way",
    );
    check_inst(
        "%5: i64 = zext %3",
        "%3 has type f64, expected an integer or a pointer",
    );
    check_inst("%5: i32 = fadd %0, %0", "%0 has type i32, expected a float");
    check_inst("%5: i64 = sitofp %0", "%5 has type i64, expected a float");
    check_inst(
        "%5: ptr = ptradd %2 + %3 * 8",
        "%3 has type f64, expected an integer",
    );
    check_inst("%5: i32 = load %1", "%1 has type i64, expected a pointer");
    check_inst("store %0 to %1", "%1 has type i64, expected a pointer");
    check_inst(
        "%5: f64 = rmw add %2, %3",
        "%3 has type f64, expected an integer",
    );
    check_inst(
        "%5: i32, %6: i32 = cmpxchg %2, %0, %0",
        "%6 has type i32, expected i1",
    );
    check_inst(
        "%5: i64 = tls_addr @tls",
        "%5 has type i64, expected a pointer",
    );
    check_inst(
        "%5: ptr = tls_addr @plain",
        "`tls_addr` of g1, which is not thread-local",
    );
    check_inst("%5: i32 = add %0, %9", "there is no value %9");
}

#[test]
fn calls() {
    check_inst("%5: i32 = call @g()", "expected 2 result(s), found 1");
    check_inst("call %0()", "%0 has type i32, expected a pointer");
    check_inst("call func#9()", "there is no function f9");
    check_inst(
        "intrinsic memcpy(%2, %2)",
        "expected 3 argument(s), found 2",
    );
    check_inst("intrinsic stack_save()", "expected 1 result(s), found 0");
}

#[test]
fn terminators() {
    check_terminator("br b1", "", "there is no block b1");
    check_terminator(
        "br b1(%0)",
        "b1: ret",
        "b1 has 0 parameter(s) but is given 1 argument(s)",
    );
    check_terminator(
        "br b1(%0)",
        "b1(%5: i64): ret",
        "%0 has type i32, expected i64",
    );
    check_terminator(
        "condbr %0, b1, b1",
        "b1: ret",
        "%0 has type i32, expected i1",
    );
    check_terminator(
        "switch %3 { default: b1 }",
        "b1: ret",
        "%3 has type f64, expected an integer",
    );
    check_terminator(
        "switch %4 { 2: b1, default: b1 }",
        "b1: ret",
        "the case 2 does not fit into 1 bits",
    );
    check_terminator(
        "indirectbr %0 to ()",
        "",
        "%0 has type i32, expected a pointer",
    );
    check_terminator(
        "indirectbr %2 to (b1)",
        "b1(%5: i32): ret",
        "b1 has 1 parameter(s) but is given 0 argument(s)",
    );
    check_terminator("ret %0", "", "expected 0 result(s), found 1");
    check_terminator("resume %0, %0", "", "%0 has type i32, expected a pointer");
    check_terminator(
        "invoke @h() to b1 unwind b2",
        "b1: ret b2(%5: ptr): ret",
        "b2 is a landing pad and needs at least two parameters, not 1",
    );
    check_terminator(
        "invoke @h() to b1 unwind b2(%0)",
        "b1: ret b2(%5: ptr, %6: i32): ret",
        "b2 has 0 parameter(s) but is given 1 argument(s)",
    );
    check(
        "func @f(i32 %0) -> (i64) { b0: ret %0 }",
        &["function `f` (f0), b0, terminator: %0 has type i32, expected i64"],
    );
}

#[test]
fn dominance() {
    // Within a block, order counts.
    check_body(
        "b0: %5: i32 = add %6, %0 %6: i32 = add %0, %0 ret",
        &["function `f` (f0), b0, instruction 0: %6 is not assigned on every way here"],
    );
    check_body(
        "b0: %5: i32 = add %5, %0 ret",
        &["function `f` (f0), b0, instruction 0: %5 is not assigned on every way here"],
    );
    // One arm of a diamond does not dominate the join.
    check_body(
        "b0: condbr %4, b1, b2 b1: %5: i32 = undef br b3 b2: br b3 b3: store %5 to %2 ret",
        &["function `f` (f0), b3, instruction 0: %5 is not assigned on every way here"],
    );
    // The head of a loop dominates what follows, the body of the loop does not dominate the head.
    check_body(
        "b0: br b1 b1: %5: i32 = undef condbr %4, b2, b3 b2: %6: i32 = add %5, %5 br b1 b3: store %5 to %2 ret",
        &[],
    );
    check_body(
        "b0: br b1(%0) b1(%5: i32): condbr %4, b2, b3 b2: %6: i32 = add %5, %5 br b1(%6) b3: store %6 to %2 ret",
        &["function `f` (f0), b3, instruction 0: %6 is not assigned on every way here"],
    );
    // Blocks that cannot be reached are exempt, even past the last that can.
    check_body(
        "b0: ret b1: %5: i32 = add %6, %6 br b2 b2: %6: i32 = undef br b1",
        &[],
    );
    // What is assigned there is not usable elsewhere.
    check_body(
        "b0: store %5 to %2 ret b1: %5: i32 = undef br b0",
        &["function `f` (f0), b0, instruction 0: %5 is not assigned on every way here"],
    );
}

/// The results of an invoke are assigned on the edge to where the call returns.
#[test]
fn invoke_results_dominate_the_normal_way_only() {
    check_body(
        "b0: %5: i32 = invoke @h() to b1 unwind b2 b1: store %5 to %2 ret b2(%6: ptr, %7: i32): store %5 to %2 ret",
        &["function `f` (f0), b2, instruction 0: %5 is not assigned on every way here"],
    );
    check_body(
        "b0: %5: i32 = invoke @h() to b1 unwind b2(%5) b1: ret b2(%6: ptr, %7: i32, %8: i32): ret",
        &["function `f` (f0), b0, terminator: %5 is not assigned on every way here"],
    );
    // A normal block that the landing pad joins is not dominated by the edge, though by the
    // invoke's block.
    check_body(
        "b0: %5: i32 = invoke @h() to b1 unwind b2 b1: store %5 to %2 ret b2(%6: ptr, %7: i32): br b1",
        &["function `f` (f0), b1, instruction 0: %5 is not assigned on every way here"],
    );
}
