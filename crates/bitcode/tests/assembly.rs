//! x86 assembly idioms.

mod common;

use common::{c, count, expect, try_load, with_main};
use ir::{Op, Unsupported};

#[test]
fn compare_and_exchange() {
    let module = c(r#"
        int cas(volatile int *p, int o, int n) { int prev;
            __asm__ __volatile__("lock; cmpxchgl %1,%2" : "=a"(prev) : "r"(n), "m"(*p), "0"(o) : "memory"); return prev; }
        char success(volatile long *p, long o, long n) { char r;
            asm volatile("lock; cmpxchgq %3, %0; sete %1" : "+m"(*p), "=q"(r), "+a"(o) : "r"(n) : "memory", "cc"); return r; }
        _Bool flag(volatile int *p, int o, int n) { _Bool z;
            asm volatile("lock cmpxchg %3,%1" : "=@ccz"(z), "+m"(*p), "+a"(o) : "r"(n) : "memory"); return z; }"#);
    expect(
        &module,
        "cas",
        "%3: i32, %4: i1 = cmpxchg %0, %1, %2\nret %3",
    );
    expect(
        &module,
        "success",
        "%3: i64, %4: i1 = cmpxchg %0, %1, %2\n%5: i8 = zext %4\nret %5",
    );
    expect(
        &module,
        "flag",
        "%3: i32, %4: i1 = cmpxchg %0, %1, %2\n%5: i8 = zext %4",
    );
}

#[test]
fn exchange_and_add() {
    let module = c(r#"
        int xchg(volatile int *p, int v) { asm volatile("xchgl %0,%1" : "=r"(v), "+m"(*p) : "0"(v) : "memory"); return v; }
        int via(int *p, int v) { asm volatile("xchgl %0,(%1)" : "+r"(v) : "r"(p) : "memory"); return v; }
        int xadd(volatile int *p, int v) { asm volatile("lock; xaddl %0,%1" : "+r"(v), "+m"(*p) :: "memory"); return v; }"#);
    expect(&module, "xchg", "%2: i32 = rmw xchg %0, %1\nret %2");
    expect(&module, "via", "_: i32 = rmw xchg _, %1");
    expect(&module, "xadd", "%2: i32 = rmw add %0, %1\nret %2");
}

#[test]
fn locked_arithmetic_and_flags() {
    let module = c(r#"
        struct a { volatile int counter; };
        int dec_and_test(struct a *v) { unsigned char c;
            asm volatile("lock; decl %0; sete %1" : "=m"(v->counter), "=q"(c) : "m"(v->counter) : "memory"); return c != 0; }
        void add(int i, struct a *v) { asm volatile("lock addl %1,%0" : "+m"(v->counter) : "ir"(i)); }
        int test_and_set(int nr, volatile long *p) { int old;
            asm volatile("lock; btsl %2,%1\n\tsbbl %0,%0" : "=r"(old), "+m"(*p) : "Ir"(nr) : "memory"); return old; }"#);
    expect(
        &module,
        "dec_and_test",
        "%4: i32 = rmw sub %3, i32 1\n%5: i32 = sub %4, i32 1\n%6: i1 = cmp eq %5, i32 0",
    );
    expect(&module, "add", "_: i32 = rmw add _, %0");
    expect(
        &module,
        "test_and_set",
        "_: i32 = rmw or _, _\n_: i32 = sext _",
    );
}

#[test]
fn unlocked_arithmetic_is_not_atomic() {
    let module = c(r#"int g; void f(void) { asm volatile("incl %0" : "+m"(g)); }"#);
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Rmw { .. })), 0);
    expect(
        &module,
        "f",
        "_: i32 = load ptr @g volatile\n_: i32 = add _, i32 1\nstore _ to ptr @g volatile",
    );
}

#[test]
fn fences_pauses_and_barriers() {
    let module = c(
        r#"void f(void) { asm volatile("" ::: "memory"); asm volatile("mfence" ::: "memory");
            asm volatile("rep; nop"); asm volatile("pause"); asm volatile("lock; addl $0,0(%%rsp)" ::: "memory"); }
        int hide(int x) { asm volatile("" : "+r"(x)); return x; }"#,
    );
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Fence(_))), 2);
    assert_eq!(count(&module, "f", |_| true), 2);
    expect(&module, "hide", "ret %0");
}

#[test]
fn time_stamp_counter() {
    let module = c(
        r#"unsigned long f(void) { unsigned a, d; asm volatile("rdtsc" : "=a"(a), "=d"(d)); return ((unsigned long)d << 32) | a; }"#,
    );
    expect(&module, "f", "_: i64 = intrinsic read_cycle_counter()");
}

#[test]
fn anything_else_is_unsupported() {
    let code = r#"int f(void) { int a = 0; asm volatile("lock; incl %0; cpuid" : "+a"(a) :: "ebx", "ecx", "edx"); return a; }"#;
    let module = try_load(&with_main(code), "c", &[]).unwrap().module;
    ir::validate(&module).unwrap();
    let assembly = |op: &Op| matches!(op, Op::Unsupported { kind: Unsupported::Assembly, what } if what.contains("cpuid"));
    assert_eq!(count(&module, "f", assembly), 1);
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Undef { .. })), 1);
}
