//! The clean-up keeps every access to memory that another thread might see.

mod common;

use common::{c, count, expect, load};
use ir::{Intrinsic, Op};

fn loads(op: &Op) -> bool {
    matches!(op, Op::Load { .. })
}

fn copies(op: &Op) -> bool {
    matches!(
        op,
        Op::Intrinsic {
            op: Intrinsic::Memcpy,
            ..
        }
    )
}

#[test]
fn an_unused_load_of_a_global_stays() {
    let module = c("int g; void f(void) { int unused = g; (void)g; }");
    assert_eq!(count(&module, "f", loads), 2);
}

#[test]
fn repeated_loads_and_stores_stay() {
    let module = c("int g; int f(void) { g = 1; g = 2; return g + g; }");
    assert_eq!(count(&module, "f", loads), 2);
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Store { .. })), 2);
}

#[test]
fn a_copy_from_shared_memory_to_a_dead_local_stays() {
    let module = c(
        "struct s { int a, b; } g; void f(struct s *p) { struct s dead = *p; struct s used = g; g.b = used.a; }",
    );
    assert_eq!(count(&module, "f", copies), 2);
}

#[test]
fn a_copy_between_private_structs_vanishes() {
    let module = c(
        "struct s { int a, b; }; int f(int x) { struct s s = { x, 2 }; struct s t = s; return t.a + t.b; }",
    );
    assert_eq!(count(&module, "f", copies), 0);
    assert_eq!(count(&module, "f", loads), 0);
}

#[test]
fn a_choice_of_pointers_is_not_speculated() {
    let module = load(
        "@g = global i32 0
         define i32 @main(i1 %c) { %l = alloca i32
            store i32 1, ptr %l
            %p = select i1 %c, ptr %l, ptr @g
            %v = load i32, ptr %p
            ret i32 %v }",
        "ll",
        &[],
    );
    assert_eq!(count(&module, "main", loads), 1);
    expect(
        &module,
        "main",
        "_: ptr = select _, _, ptr @g\n_: i32 = load _",
    );
}

#[test]
fn escaped_locals_stay_in_memory() {
    let module = c("void use(int *); int f(void) { int x = 1; use(&x); x = 2; return x; }");
    assert_eq!(count(&module, "f", loads), 1);
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Store { .. })), 2);
}

#[test]
fn an_uninitialised_local_is_one_unknown_value() {
    let module = c("int f(void) { int x; return x == x; }");
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Undef { .. })), 1);
    expect(&module, "f", "_: i32 = undef\n_: i1 = cmp eq %0, %0");
}

#[test]
fn nothing_volatile_is_left_behind() {
    let module = c("int g; volatile int v; int f(void) { return g + v; }");
    expect(
        &module,
        "f",
        "_: i32 = load ptr @g\n_: i32 = load ptr @v volatile",
    );
}

#[test]
fn a_division_nobody_uses_may_still_fault() {
    let module = c("void f(int a, int b) { (void)(a / b); (void)(a + b); }");
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Bin { .. })), 1);
}

#[test]
fn volatile_locals_stay_in_memory() {
    let module = c("int f(void) { volatile int x; return x + x; }");
    assert_eq!(count(&module, "f", loads), 2);
    let inits = |op: &Op| matches!(op, Op::Store { .. } | Op::Undef { .. });
    assert_eq!(count(&module, "f", inits), 0);
}

#[test]
fn what_is_cleared_by_a_variable_length_stays_in_memory() {
    let module = c("#include <string.h>
        int f(int n) { char a[8]; memset(a, 0, n); return a[1]; }");
    assert_eq!(count(&module, "f", loads), 1);
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Undef { .. })), 0);
}
