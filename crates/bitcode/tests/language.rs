//! What C becomes.

mod common;

use common::{body, c, check, count, expect, load, try_load, with_main};
use ir::debug::DebugType;
use ir::{Callee, Const, Intrinsic, Op, Symbol, Terminator, Type};

#[test]
fn locals_become_values_and_phis_block_parameters() {
    let module = c("int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }");
    assert_eq!(count(&module, "sum", |op| matches!(op, Op::Load { .. })), 0);
    let loop_head = &body(&module, "sum").blocks[ir::BlockId(1)];
    assert_eq!(loop_head.params.len(), 2);
    let name = |v: ir::ValueId| body(&module, "sum").values[v].name.clone();
    let names: Vec<_> = loop_head.params.iter().map(|p| name(*p)).collect();
    assert!(names.contains(&Some("s".to_owned())) && names.contains(&Some("i".to_owned())));
}

#[test]
fn constants_come_first() {
    let module = c("int f(int a) { return a * 7 + 9; }");
    let constant = |v: &ir::Value| v.constant.is_some();
    let values = body(&module, "f").values.as_slice();
    assert!(
        values
            .iter()
            .skip_while(|v| constant(v))
            .all(|v| !constant(v))
    );
    assert!(values.iter().any(|v| v.constant == Some(Const::Bits(9))));
}

#[test]
fn switch() {
    let module = c(
        "int f(int a) { switch (a) { case 1: return 5; case -2: return 6; default: return 7; } }",
    );
    let Terminator::Switch { cases, .. } = &body(&module, "f").blocks[ir::BlockId(0)].terminator
    else {
        panic!("no switch");
    };
    let values: Vec<u128> = cases.iter().map(|(v, _)| *v).collect();
    assert_eq!(values, [1, 0xffff_fffe]);
}

#[test]
fn structs_are_taken_apart() {
    let module = c(
        "struct p { long a, b; }; struct p f(long x) { struct p r = {x, 2}; return r; }
                    long g(void) { struct p r = f(1); return r.b; }",
    );
    let id = module.function_named("f").unwrap();
    assert_eq!(module.functions[id].results, [Type::Int(64), Type::Int(64)]);
    expect(&module, "f", "ret %1, i64 2");
    assert_eq!(count(&module, "g", |op| matches!(op, Op::Load { .. })), 0);
}

#[test]
fn large_structs_are_copied_by_the_callee() {
    let module = c("struct big { int a[20]; }; int f(struct big b) { b.a[1] = 2; return b.a[0]; }");
    expect(
        &module,
        "f",
        "_: ptr = alloca 80 align 16\nintrinsic memcpy(_, _, i64 80)",
    );
}

#[test]
fn varargs() {
    let module = c("#include <stdarg.h>
        int f(int n, ...) { va_list l, m; va_start(l, n); va_copy(m, l); int r = va_arg(l, int); va_end(l); va_end(m); return r; }
        int g(void) { return f(1, 2, 3.0); }");
    assert!(module.functions[module.function_named("f").unwrap()].variadic);
    for wanted in [Intrinsic::VaStart, Intrinsic::VaCopy, Intrinsic::VaEnd] {
        assert!(
            count(
                &module,
                "f",
                |op| matches!(op, Op::Intrinsic { op, .. } if *op == wanted)
            ) > 0
        );
    }
    expect(
        &module,
        "g",
        "_: i32 = call @f(i32 1, i32 2, f64 0x4008000000000000)",
    );
}

#[test]
fn vectors_are_lanes() {
    let module = c("typedef int v4 __attribute__((vector_size(16)));
        v4 a, b; void f(void) { a = a + b; }
        int at(int i) { return a[i]; }
        v4 mix(v4 x, v4 y) { return __builtin_shufflevector(x, y, 0, 4, 1, 5); }
        v4 less(v4 x, v4 y) { return x < y; }
        int total(v4 x) { return __builtin_reduce_add(x); }");
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Load { .. })), 8);
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Bin { .. })), 4);
    expect(&module, "f", "_: ptr = ptradd ptr @a + 4\n_: i32 = load _");
    assert_eq!(
        count(&module, "at", |op| matches!(op, Op::Select { .. })),
        3
    );
    assert_eq!(count(&module, "less", |op| matches!(op, Op::Cmp { .. })), 4);
    assert_eq!(
        count(&module, "total", |op| matches!(op, Op::Bin { .. })),
        3
    );
}

#[test]
fn vector_bitcasts_join_and_split() {
    let module = c("typedef short v8 __attribute__((vector_size(16))); typedef long v2 __attribute__((vector_size(16)));
        v2 f(v8 x) { return (v2)x; } v8 g(v2 x) { return (v8)x; }");
    assert_eq!(
        module.functions[module.function_named("f").unwrap()]
            .results
            .len(),
        2
    );
    assert!(
        count(&module, "g", |op| matches!(
            op,
            Op::Cast {
                op: ir::Cast::Trunc,
                ..
            }
        )) >= 8
    );
}

#[test]
fn wide_constants_keep_all_bits() {
    let module = c("unsigned __int128 f(unsigned __int128 x) {
        return x ^ (((unsigned __int128)0x0123456789abcdefull << 64) | 0xfedcba9876543210ull); }");
    let wanted = Const::Bits(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210);
    assert!(
        body(&module, "f")
            .values
            .iter()
            .any(|v| v.constant == Some(wanted))
    );
}

#[test]
fn long_double() {
    let module = c("long double x = 1.0L; long double f(long double a) { return a + x * 2.0L; }");
    let global = module.global_named("x").unwrap();
    let bytes = &module.globals[global].init.as_ref().unwrap().bytes;
    assert_eq!(bytes[..10], [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
    assert_eq!(
        module.functions[module.function_named("f").unwrap()].params,
        [Type::F80]
    );
    let two = Const::Bits(0x4000_8000_0000_0000_0000);
    assert!(
        body(&module, "f")
            .values
            .iter()
            .any(|v| v.constant == Some(two))
    );
}

#[test]
fn bitfields() {
    let module = c("struct s { unsigned a : 3, b : 5; } s; void f(int v) { s.b = v; }");
    expect(
        &module,
        "f",
        "_: i8 = load ptr @s\n_: i8 = and _, i8 7\n_: i8 = or _, _\nstore _ to ptr @s",
    );
}

#[test]
fn old_c_is_accepted() {
    let module = c("int k(a, b) int a; char *b; { return a + *b; }
        implicit(x) { return x; }
        main() { int *p = 5; undeclared(p); return k(1, 2, 3); }");
    expect(
        &module,
        "main",
        "_: i32 = call @undeclared(ptr 0x5)\n_: i32 = call @k(i32 1, ptr 0x2, i32 3)",
    );
}

#[test]
fn calls_that_disagree_with_the_definition() {
    // As two files with different ideas about `f` would be linked.
    let module = load(
        "declare ptr @g()
         define void @f(i32 %a) { ret void }
         define i32 @main() { %r = call i32 @f()
            %p = call i32 @g()
            %s = add i32 %r, %p
            ret i32 %s }",
        "ll",
        &[],
    );
    expect(
        &module,
        "main",
        "call @f()\n_: ptr = call @g()\n_: i64 = bits _",
    );
}

#[test]
fn thirty_two_bits() {
    let module = load(
        &with_main("int *p; int x; long f(void) { return (long)p; } int *q = &x;"),
        "c",
        &["-m32"],
    );
    assert_eq!(module.pointer_bits, 32);
    let q = module.global_named("q").unwrap();
    assert_eq!(module.globals[q].size, 4);
    assert_eq!(
        module.globals[q].init.as_ref().unwrap().relocations.len(),
        1
    );
}

#[test]
fn thread_local_variables() {
    let module = c(
        "_Thread_local int t = 7; __thread int u[4]; int f(void) { return t + u[2]; }
        int *addr(void) { return &u[1]; }",
    );
    assert!(module.globals[module.global_named("t").unwrap()].thread_local);
    assert_eq!(
        count(&module, "f", |op| matches!(op, Op::TlsAddr { .. })),
        2
    );
    expect(
        &module,
        "addr",
        "_: ptr = tls_addr @u\n_: ptr = ptradd _ + 4\nret _",
    );
}

#[test]
fn constructors_and_destructors_by_priority() {
    let module = c("__attribute__((constructor)) void last(void) {}
        __attribute__((constructor(200))) void second(void) {}
        __attribute__((constructor(150))) void first(void) {}
        __attribute__((destructor(150))) void end(void) {}
        __attribute__((destructor(200))) void before_end(void) {}");
    let names = |ids: &[ir::FuncId]| -> Vec<String> {
        ids.iter()
            .map(|id| module.functions[*id].name.clone())
            .collect()
    };
    assert_eq!(names(&module.constructors), ["first", "second", "last"]);
    assert_eq!(names(&module.destructors), ["before_end", "end"]);
}

#[test]
fn globals_with_addresses() {
    let module = c("int a[4]; int f(void) { return 1; }
        struct { int *p; int (*f)(void); char *s; long d; } g = { &a[2], f, (char *)a + 1, (char *)&a[3] - (char *)&a[1] };
        extern int elsewhere; int *e = &elsewhere;");
    let init = module.globals[module.global_named("g").unwrap()]
        .init
        .as_ref()
        .unwrap();
    let a = Symbol::Global(module.global_named("a").unwrap());
    let f = Symbol::Function(module.function_named("f").unwrap());
    let found: Vec<_> = init
        .relocations
        .iter()
        .map(|r| (r.offset, r.target, r.addend))
        .collect();
    assert_eq!(found, [(0, a, 8), (8, f, 0), (16, a, 1)]);
    assert_eq!(init.bytes[24], 8);
    assert!(
        module.globals[module.global_named("elsewhere").unwrap()]
            .init
            .is_none()
    );
}

#[test]
fn computed_goto() {
    let module = c("int f(int n) { static void *t[] = { &&a, &&b }; int r = 0;
        goto *t[n & 1]; a: r++; if (r < 9) goto *t[r & 1]; b: return r; }");
    let blocks = &body(&module, "f").blocks;
    assert!(blocks.iter().any(
        |b| matches!(&b.terminator, Terminator::IndirectBr { targets, .. } if targets.len() == 2)
    ));
    let table = module
        .globals
        .iter()
        .find(|g| g.name.contains('t'))
        .unwrap();
    let target = table.init.as_ref().unwrap().relocations[0].target;
    assert!(matches!(target, Symbol::Block(..)));
}

#[test]
fn atomics() {
    let module = c("#include <stdatomic.h>
        atomic_int x; _Atomic(int *) p;
        int f(int e) { atomic_store_explicit(&x, 1, memory_order_relaxed); int v = atomic_load(&x);
            atomic_compare_exchange_weak(&x, &e, 2); atomic_fetch_sub(&x, 3); atomic_exchange(&x, 4);
            atomic_thread_fence(memory_order_acquire); atomic_signal_fence(memory_order_seq_cst);
            __sync_fetch_and_nand((int *)&x, 5); __atomic_fetch_add((unsigned char *)&x, 1, 0); return v; }
        int *g(int *q) { return atomic_exchange(&p, q); }");
    expect(
        &module,
        "f",
        "store i32 1 to ptr @x atomic relaxed\n_: i32 = load ptr @x atomic",
    );
    let weak = |op: &Op| matches!(op, Op::CmpXchg { weak: true, .. });
    assert_eq!(count(&module, "f", weak), 1);
    assert_eq!(count(&module, "f", |op| matches!(op, Op::Rmw { .. })), 4);
    assert_eq!(
        count(&module, "f", |op| matches!(
            op,
            Op::Fence(ir::MemoryOrder::Acquire)
        )),
        1
    );
    assert_eq!(count(&module, "g", |op| matches!(op, Op::Rmw { .. })), 1);
}

#[test]
fn intrinsics() {
    let module = c("#include <string.h>
        _Bool o(int a, int b, int *r) { return __builtin_smul_overflow(a, b, r); }
        int bits(unsigned x) { return __builtin_popcount(x) + __builtin_clz(x) + __builtin_ctz(x) + __builtin_bswap32(x) + __builtin_bitreverse32(x); }
        unsigned rot(unsigned x) { return __builtin_rotateleft32(x, 3); }
        void mem(char *a, char *b, int n) { memcpy(a, b, n); memmove(a, b, n); memset(a, 1, n); }
        unsigned long size(char *p) { return __builtin_object_size(p, 0) + __builtin_constant_p(p); }
        void vla(int n) { int a[n]; a[0] = 1; }
        long likely(long x) { return __builtin_expect(x, 1); }
        void stop(void) { __builtin_trap(); }
        double fl(double x) { return __builtin_fabs(x) + __builtin_copysign(x, -1.0); }
        int nan(double x) { return __builtin_isnan(x); }
        void *frame(void) { return __builtin_frame_address(0); }");
    expect(
        &module,
        "o",
        "_: i32, _: i1 = intrinsic smul_overflow(_, _)",
    );
    expect(
        &module,
        "mem",
        "intrinsic memcpy(_, _, _)\nintrinsic memmove(_, _, _)\nintrinsic memset(_, i8 1, _)",
    );
    expect(&module, "likely", "ret %0");
    expect(&module, "frame", "ret ptr null");
    for wanted in [
        Intrinsic::PopCount,
        Intrinsic::LeadingZeros,
        Intrinsic::TrailingZeros,
        Intrinsic::ByteSwap,
        Intrinsic::BitReverse,
    ] {
        assert_eq!(
            count(
                &module,
                "bits",
                |op| matches!(op, Op::Intrinsic { op, .. } if *op == wanted)
            ),
            1
        );
    }
    assert_eq!(
        count(&module, "vla", |op| matches!(
            op,
            Op::Alloca { count: Some(_), .. }
        )),
        1
    );
}

#[test]
fn indirect_calls_and_aliases() {
    let module = c(
        "int real(int x) { return x; } int other(int) __attribute__((alias(\"real\")));
        int (*fp)(int) = other; int f(void) { return fp(1) + other(2); }",
    );
    let real = module.function_named("real").unwrap();
    assert_eq!(
        count(
            &module,
            "f",
            |op| matches!(op, Op::Call(call) if call.callee == Callee::Direct(real))
        ),
        1
    );
    assert_eq!(
        count(
            &module,
            "f",
            |op| matches!(op, Op::Call(call) if matches!(call.callee, Callee::Indirect(_)))
        ),
        1
    );
    assert!(module.function_named("other").is_none());
}

#[test]
fn source_names_and_types() {
    let module = c("struct node { struct node *next; int items[3][2]; enum { RED, BLUE = 5 } colour; };
        typedef const struct node node_t; struct node queue[4]; node_t *first;
        int f(int i) { struct node local; int *p = &local.items[0][0]; *p = i; return queue[i].colour + local.items[1][1]; }");
    let debug = &module.debug;
    let global = |name| &module.globals[module.global_named(name).unwrap()];
    let ty = |var: ir::debug::VarId| debug.vars[var].ty.unwrap();
    let DebugType::Array { element, count: 4 } = debug.types[ty(global("queue").var.unwrap())]
    else {
        panic!("queue is an array of four");
    };
    let DebugType::Record {
        name,
        members,
        bytes,
    } = &debug.types[element]
    else {
        panic!("of structs");
    };
    assert_eq!((name.as_str(), *bytes), ("node", 40));
    assert_eq!(members[0].name, "next");
    assert_eq!(
        debug.types[members[0].ty],
        DebugType::Pointer { to: Some(element) }
    );
    let DebugType::Array {
        element: row,
        count: 3,
    } = debug.types[members[1].ty]
    else {
        panic!("items is an array of three");
    };
    assert!(matches!(
        debug.types[row],
        DebugType::Array { count: 2, .. }
    ));
    assert!(
        matches!(&debug.types[members[2].ty], DebugType::Enum { variants, .. } if variants[1] == ("BLUE".to_owned(), 5))
    );
    assert_eq!(
        debug.types[ty(global("first").var.unwrap())],
        DebugType::Pointer { to: Some(element) }
    );

    let local = common::ops(body(&module, "f")).find_map(|op| match op {
        Op::Alloca { var: Some(var), .. } => Some(debug.vars[*var].name.clone()),
        _ => None,
    });
    assert_eq!(local.as_deref(), Some("local"));
    let records = count(
        &module,
        "f",
        |op| matches!(op, Op::PtrAdd { record: Some(r), .. } if *r == element),
    );
    assert!(records >= 2);
}

#[test]
fn every_instruction_has_a_place() {
    let module = c("int x;\nint f(int a) {\n  x = a;\n  if (a)\n    x++;\n  return x;\n}\n");
    let debug = &module.debug;
    for block in &body(&module, "f").blocks {
        for inst in &block.insts {
            assert!(debug.locs[inst.loc].is_known(), "{inst:?}");
        }
        assert!(debug.locs[block.terminator_loc].is_known());
    }
    let store = body(&module, "f")
        .blocks
        .iter()
        .flat_map(|b| &b.insts)
        .find(|i| matches!(i.op, Op::Store { .. }));
    assert_eq!(debug.locs[store.unwrap().loc].line, 3);
}

#[test]
fn what_is_not_modelled_is_said_where_it_is_reached() {
    let module = try_load(
        "@b = global <8 x i1> zeroinitializer
         define i32 @main() { %v = load <8 x i1>, ptr @b
            %x = extractelement <8 x i1> %v, i32 0
            %r = zext i1 %x to i32
            ret i32 %r }",
        "ll",
        &[],
    );
    let module = module.unwrap().module;
    ir::validate(&module).unwrap();
    assert_eq!(
        count(&module, "main", |op| matches!(op, Op::Unsupported { .. })),
        1
    );
    let odd = try_load(
        "define i32 @main() { %x = add i200 1, 2\n ret i32 0 }",
        "ll",
        &[],
    );
    ir::validate(&odd.unwrap().module).unwrap();
}

#[test]
fn aggregates_in_memory_are_loaded_part_by_part() {
    let module = load(
        "%s = type { i8, i32, [2 x i16] }
         @g = global %s zeroinitializer
         define i32 @main() { %v = load %s, ptr @g
            %w = insertvalue %s %v, i32 7, 1
            store %s %w, ptr @g
            ret i32 0 }",
        "ll",
        &[],
    );
    check(&module);
    expect(
        &module,
        "main",
        "_: i8 = load ptr @g
        _: ptr = ptradd ptr @g + 10
        _: i16 = load _
        _: ptr = ptradd ptr @g + 4
        store i32 7 to _",
    );
}
