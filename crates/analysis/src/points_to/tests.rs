//! Small programs in the textual IR, and where their pointers lead.

mod large;
mod receivers;

use ir::{Module, ValueId};

use super::{AccessKind, PointsTo};
use crate::node::{NodeId, Nodes};

struct Facts {
    module: Module,
    nodes: Nodes,
    points_to: PointsTo,
}

fn facts(text: &str) -> Facts {
    let text = format!("pointer_bits 64\n{text}");
    let module = ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    ir::validate(&module).expect("a valid module");
    let nodes = Nodes::of(&module);
    let points_to = PointsTo::of(&module, &nodes);
    Facts {
        module,
        nodes,
        points_to,
    }
}

impl Facts {
    /// Where the value with this name in the source may point, sorted.
    fn targets(&self, name: &str) -> String {
        let mut found = None;
        for (function, f) in self.module.functions.enumerate() {
            let body = f.body.as_ref();
            for (value, v) in body.iter().flat_map(|body| body.values.enumerate()) {
                if v.name.as_deref() == Some(name) {
                    found = Some((function, value));
                }
            }
        }
        let (function, value): (_, ValueId) = found.expect("a value of that name");
        let set = self.points_to.set_of(function, value);
        let mut names: Vec<String> = self
            .points_to
            .places(set)
            .iter()
            .map(|place| self.points_to.place_name(&self.module, &self.nodes, *place))
            .collect();
        names.sort();
        names.join(" ")
    }

    /// The nodes of a function.
    fn node(&self, function: &str, index: usize) -> NodeId {
        let function = self.module.function_named(function).expect("a function");
        let mut nodes = self.nodes.of_function(function);
        nodes.nth(index).expect("a node")
    }

    fn overlap(&self, function: &str, a: usize, b: usize) -> bool {
        let (a, b) = (self.node(function, a), self.node(function, b));
        let (a, b) = (self.points_to.accesses(a), self.points_to.accesses(b));
        a.iter()
            .any(|a| b.iter().any(|b| self.points_to.may_overlap(a, b)))
    }
}

/// Checks where named values of a program point.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let facts = facts(text);
    for (value, targets) in expected {
        assert_eq!(facts.targets(value), *targets, "{value}");
    }
}

const GLOBALS: &str = "
    global @a size 4 align 4 = { zero 4 }
    global @b size 4 align 4 = { zero 4 }
    global @p size 8 align 8 = { zero 8 }
    global @q size 8 align 8 = { zero 8 }
    global @pair size 16 align 8 = { zero 16 }
    global @table size 64 align 8 = { zero 64 }
";

#[test]
fn through_memory_and_back() {
    let text = r#"func @main() { b0:
        store ptr @a to ptr @p
        store ptr @b to ptr @q
        %0 "x": ptr = load ptr @p
        %1 "y": ptr = load ptr @q
        ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "a"), ("y", "b")]);
}

#[test]
fn fields_stay_apart() {
    let text = r#"func @main() { b0:
        store ptr @a to ptr @pair
        store ptr @b to ptr @pair[8]
        %0 "x": ptr = load ptr @pair
        %1 "y": ptr = load ptr @pair[8]
        ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "a"), ("y", "b")]);
}

#[test]
fn an_index_reaches_all_elements_but_keeps_the_field() {
    let text = r#"func @main(i32 %0) { b0:
        %1: i64 = sext %0
        %2 "at": ptr = ptradd ptr @table + 8 + %1 * 16
        store ptr @a to %2
        store ptr @b to ptr @table[16]
        %3 "field": ptr = load ptr @table[40]
        %4 "other": ptr = load ptr @table[32]
        %5 "element": ptr = load ptr @table[16]
        ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[
            ("at", "table+8%16"),
            ("field", "a"),
            ("other", ""),
            ("element", "b"),
        ],
    );
}

#[test]
fn an_unknown_offset_reaches_everything_in_the_object() {
    let text = r#"func @main(i64 %0) { b0:
        %1: ptr = ptradd ptr @table + %0 * 1
        store ptr @a to %1
        %2 "x": ptr = load ptr @table[24]
        %3 "y": ptr = load ptr @pair[8]
        ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "a"), ("y", "")]);
}

#[test]
fn a_loop_over_an_array_keeps_the_field() {
    let text = r#"func @main() { b0:
        br b1(ptr @table)
        b1(%0 "walk": ptr):
        %1 "field": ptr = ptradd %0 + 8
        store ptr @a to %1
        %2 "next": ptr = ptradd %0 + 16
        condbr i1 1, b1(%2), b2
        b2:
        %3 "x": ptr = load ptr @table[56]
        %4 "y": ptr = load ptr @table[48]
        ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[
            ("walk", "table+0%16"),
            ("field", "table+8%16"),
            ("x", "a"),
            ("y", ""),
        ],
    );
}

#[test]
fn a_loop_through_memory_ends() {
    let text = r#"func @main() { b0:
        %0: ptr = alloca 8 align 8
        %1 "heap": ptr = call @malloc(i64 1000000)
        store %1 to %0
        br b1
        b1:
        %2: ptr = load %0
        %3: ptr = ptradd %2 + 8
        store %3 to %0
        store ptr @a to %3
        br b1 }
        func @malloc(i64) -> (ptr)"#;
    check(&format!("{GLOBALS}{text}"), &[("heap", "heap(n1)")]);
}

#[test]
fn integers_carry_addresses() {
    let text = r#"func @main() { b0:
        %0: i64 = bits ptr @pair
        %1: i64 = add %0, i64 8
        %2 "sum": ptr = bits %1
        %3: i64 = or %0, i64 1
        %4 "tagged": ptr = bits %3
        %5: i64 = and %3, i64 -2
        %6 "clean": ptr = bits %5
        %7: i64 = and %0, i64 281474976710655
        %8 "masked": ptr = bits %7
        %9: i64 = bits ptr @a
        %10: i64 = xor %0, %9
        %11 "mixed": i64 = xor %10, %9
        %12: i32 = trunc %0
        %13 "part": i32 = lshr %12, i32 8
        ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[
            ("sum", "pair+8"),
            ("tagged", "pair+1"),
            ("clean", "pair"),
            ("masked", "pair"),
            ("mixed", "a+? pair+?"),
            ("part", "pair+?"),
        ],
    );
}

#[test]
fn the_difference_of_pointers_leads_from_one_to_the_other() {
    let text = r#"func @main() { b0:
        %0: i64 = bits ptr @a
        %1: i64 = bits ptr @b
        %2: i64 = sub %1, %0
        %3 "there": ptr = ptradd ptr @a + %2 * 1
        %4: i32 = trunc %2
        %5: i64 = sext %4
        %6 "near": ptr = ptradd ptr @a + %5 * 4
        ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("there", "a+? b+?"), ("near", "a+0%4")],
    );
}

#[test]
fn bytes_are_copied_one_by_one() {
    let text = r#"func @main() { b0:
        store ptr @a to ptr @p
        br b1(i64 0)
        b1(%0: i64):
        %1: ptr = ptradd ptr @p + %0 * 1
        %2: i8 = load %1
        %3: ptr = ptradd ptr @q + %0 * 1
        store %2 to %3
        %4: i64 = add %0, i64 1
        %5: i1 = cmp ult %4, i64 8
        condbr %5, b1(%4), b2
        b2:
        %6 "x": ptr = load ptr @q
        ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "a")]);
}

#[test]
fn memory_is_copied_with_its_layout() {
    let text = r#"func @main() { b0:
        store ptr @a to ptr @pair
        store ptr @b to ptr @pair[8]
        intrinsic memcpy(ptr @table[16], ptr @pair, i64 16)
        intrinsic memmove(ptr @table[48], ptr @pair[8], i64 8)
        %0 "first": ptr = load ptr @table[16]
        %1 "second": ptr = load ptr @table[24]
        %2 "third": ptr = load ptr @table[32]
        %3 "moved": ptr = load ptr @table[48]
        ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[
            ("first", "a"),
            ("second", "b"),
            ("third", ""),
            ("moved", "b"),
        ],
    );
}

#[test]
fn memory_is_copied_before_it_is_written() {
    let text = r#"func @main(i64 %0) { b0:
        intrinsic memcpy(ptr @table, ptr @pair, %0)
        %1 "x": ptr = load ptr @table[8]
        %2: ptr = ptradd ptr @pair + %0 * 8
        store ptr @b to %2
        store ptr @a to ptr @pair
        %3 "y": ptr = load ptr @table
        ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "b"), ("y", "a b")]);
}

#[test]
fn memory_that_is_moved_within_itself() {
    let text = r#"func @main(i64 %0) { b0:
        store ptr @a to ptr @table
        intrinsic memmove(ptr @table[8], ptr @table, i64 56)
        %1 "x": ptr = load ptr @table[56]
        ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "a")]);
}

#[test]
fn memory_that_is_not_aligned() {
    let text = r#"func @main(i64 %0) { b0:
        store ptr @a to ptr @table[3]
        intrinsic memcpy(ptr @pair[5], ptr @table[3], i64 8)
        %1 "x": ptr = load ptr @pair[5]
        ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "a")]);
}

#[test]
fn initialisers_hold_addresses() {
    let text = r#"global @names size 24 align 8 constant = { zero 24 } relocations { 0: @a, 8: @f, 16: @pair[8] }
        func @f() { b0: ret }
        func @main(i64 %0) { b0:
        %1 "x": ptr = load ptr @names
        %2 "y": ptr = load ptr @names[16]
        %3: ptr = ptradd ptr @names + %0 * 8
        %4 "z": ptr = load %3
        ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("x", "a"), ("y", "pair+8"), ("z", "a f() pair+8")],
    );
}

#[test]
fn function_pointers_are_resolved_on_the_way() {
    let text = r#"global @hook size 8 align 8 = { zero 8 }
        func @give() -> (ptr) { b0: ret ptr @a }
        func @take(ptr %0 "taken") -> (ptr) { b0:
          store ptr @give to ptr @hook
          ret %0 }
        func @main() { b0:
          store ptr @take to ptr @hook
          %0: ptr = load ptr @hook
          %1 "result": ptr = call %0(ptr @b)
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("taken", "b"), ("result", "a b")],
    );
}

#[test]
fn threads_take_an_argument_and_give_a_result() {
    let text = r#"func @pthread_create(ptr, ptr, ptr, ptr) -> (i32)
        func @pthread_join(i64, ptr) -> (i32)
        func @pthread_exit(ptr)
        func @run(ptr %0 "argument") -> (ptr) { b0:
          condbr i1 1, b1, b2
          b1: ret ptr @b
          b2: call @pthread_exit(ptr @q) unreachable }
        func @main() { b0:
          %0: ptr = alloca 8 align 8
          %1: i32 = call @pthread_create(%0, ptr null, ptr @run, ptr @a)
          %2: i32 = call @pthread_join(i64 2, ptr @p)
          %3 "result": ptr = load ptr @p
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("argument", "a"), ("result", "b q")],
    );
}

#[test]
fn variable_arguments_lie_in_memory() {
    let text = r#"func @f(i32 %0) variadic { b0:
          %1 "list": ptr = alloca 24 align 16
          intrinsic va_start(%1)
          %2: ptr = alloca 24 align 16
          intrinsic va_copy(%2, %1)
          %3: ptr = ptradd %2 + 8
          %4 "area": ptr = load %3
          %5 "argument": ptr = load %4
          ret }
        func @main() { b0:
          call @f(i32 2, ptr @a, ptr @b)
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("area", "f(...)"), ("argument", "a b")],
    );
}

#[test]
fn the_heap_is_named_by_its_calls() {
    let text = r#"func @malloc(i64) -> (ptr)
        func @realloc(ptr, i64) -> (ptr)
        func @posix_memalign(ptr, i64, i64) -> (i32)
        func @main() { b0:
          %0 "first": ptr = call @malloc(i64 16)
          store ptr @a to %0
          %1: ptr = ptradd %0 + 8
          store ptr @b to %1
          %2 "second": ptr = call @realloc(%0, i64 64)
          %3 "x": ptr = load %2
          %4: i32 = call @posix_memalign(ptr @p, i64 16, i64 32)
          %5 "third": ptr = load ptr @p
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[
            ("first", "heap(n0)"),
            ("second", "heap(n4)"),
            ("x", "a"),
            ("third", "heap(n6)"),
        ],
    );
}

#[test]
fn exceptions_reach_every_landing_pad() {
    let text = r#"func @__sleave_throw(ptr)
        func @thrower(ptr %0) { b0: store ptr @a to %0 call @__sleave_throw(%0) unreachable }
        func @main() { b0:
          %0 "box": ptr = alloca 32 align 16
          invoke @thrower(%0) to b1 unwind b2 cleanup
          b1: ret
          b2(%1 "exception": ptr, %2: i32):
          %3: ptr = ptradd %1 + 8
          %4 "seen": ptr = load %3
          resume %1, %2 }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("exception", "main::box"), ("seen", "a+?")],
    );
}

#[test]
fn thread_locals_are_one_object() {
    let text = r#"global @own size 8 align 8 thread_local = { zero 8 } relocations { 0: @a }
        func @main() { b0:
          %0 "own": ptr = tls_addr @own
          %1 "value": ptr = load %0
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("own", "own"), ("value", "a")],
    );
}

#[test]
fn labels_are_not_called() {
    let text = r#"func @f() { b0: br b1 b1: ret }
        func @main() { b0:
          %0 "label": ptr = ptradd ptr @f:b1
          call %0()
          store %0 to ptr @p
          %1: ptr = load ptr @p
          indirectbr %1 to (b1)
          b1: ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("label", "f()+2")]);
}

#[test]
fn read_modify_write_moves_addresses() {
    let text = r#"func @main() { b0:
          %0: ptr = rmw xchg ptr @p, ptr @a
          %1 "old": ptr, %2: i1 = cmpxchg ptr @p, ptr null, ptr @b
          %3: i64 = rmw add ptr @p, i64 8
          %4 "now": ptr = load ptr @p
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("old", "a+? b+?"), ("now", "a+? b+?")],
    );
}

#[test]
fn constants_are_not_written() {
    let text = r#"global @text size 8 align 8 constant = { zero 8 }
        func @main(i1 %0) { b0:
          %1: ptr = select %0, ptr @text, ptr @p
          store ptr @a to %1
          %2 "x": ptr = load ptr @text
          %3 "y": ptr = load ptr @p
          ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", ""), ("y", "a")]);
}

#[test]
fn an_unmodelled_function_does_anything_to_what_it_reaches() {
    let text = r#"func @mystery(ptr) -> (ptr)
        func @callback(ptr %0 "given") { b0: ret }
        func @main() { b0:
          store ptr @q to ptr @pair
          store ptr @callback to ptr @pair[8]
          %0 "result": ptr = call @mystery(ptr @pair)
          %1 "inner": ptr = load ptr @q
          %2 "safe": ptr = load ptr @p
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[
            ("given", "anything+? callback() pair q"),
            ("result", "anything+? callback() pair q"),
            ("inner", "anything+? callback() pair q"),
            ("safe", ""),
        ],
    );
}

#[test]
fn arguments_of_main() {
    let text = r#"func @main(i32 %0, ptr %1 "argv") -> (i32) { b0:
          %2 "word": ptr = load %1
          ret i32 0 }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("argv", "argv[]"), ("word", "argv[][]")],
    );
}

#[test]
fn a_weak_function_that_nobody_defines_is_null() {
    let text = r#"func @maybe() weak
        func @main() { b0:
          %0 "x": ptr = ptradd ptr @maybe
          ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "")]);
}

#[test]
fn results_of_several_values() {
    let text = r#"func @two() -> (ptr, ptr) { b0: ret ptr @a, ptr @b }
        func @main() { b0:
          %0 "x": ptr, %1 "y": ptr = call @two()
          ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "a"), ("y", "b")]);
}

#[test]
fn wrappers_of_the_allocator_name_objects_by_their_calls() {
    let text = r#"func @malloc(i64) -> (ptr)
        func @wrap(i64 %0) -> (ptr) { b0: %1: ptr = call @malloc(%0) ret %1 }
        func @outer() -> (ptr) { b0: %0 "inner": ptr = call @wrap(i64 8) ret %0 }
        func @main() { b0:
          %0 "x": ptr = call @wrap(i64 8)
          %1 "y": ptr = call @outer()
          %2 "z": ptr = call @outer()
          %3: ptr = ptradd ptr @wrap
          %4 "w": ptr = call %3(i64 8)
          store ptr @a to %0
          store ptr @b to %1
          %5 "from_x": ptr = load %0
          %6 "from_z": ptr = load %2
          %7 "from_w": ptr = load %4
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[
            ("x", "heap(n0 from n4)"),
            ("y", "heap(n0 from n2)"),
            ("z", "heap(n0 from n2)"),
            ("inner", "heap(n0 from n2) heap(n0 from n2)"),
            ("w", "heap(n0)"),
            ("from_x", "a"),
            ("from_z", ""),
            ("from_w", ""),
        ],
    );
}

#[test]
fn small_functions_do_not_mix_their_callers() {
    let text = r#"func @put(ptr %0 "where", ptr %1) { b0: store %1 to %0 ret }
        func @same(ptr %0) -> (ptr) { b0: ret %0 }
        func @main() { b0:
          call @put(ptr @p, ptr @a)
          call @put(ptr @q, ptr @b)
          %0 "x": ptr = load ptr @p
          %1: ptr = call @same(ptr @a)
          %2 "y": ptr = call @same(ptr @b)
          ret }"#;
    check(
        &format!("{GLOBALS}{text}"),
        &[("where", "p q"), ("x", "a"), ("y", "b")],
    );
}

#[test]
fn recursion_is_not_copied() {
    let text = r#"func @again(ptr %0) -> (ptr) { b0: %1: ptr = call @again(%0) ret %0 }
        func @main() { b0:
          %0: ptr = call @again(ptr @a)
          %1 "x": ptr = call @again(ptr @b)
          ret }"#;
    check(&format!("{GLOBALS}{text}"), &[("x", "a b")]);
}

/// Instructions 0 and 1 of `main` conflict, or not.
#[track_caller]
fn check_overlap(body: &str, expected: bool) {
    let facts = facts(&format!("{GLOBALS}func @main(i64 %0) {{ b0: {body} ret }}"));
    let count = facts
        .nodes
        .of_function(facts.module.function_named("main").expect("main"));
    let last = count.count() - 2;
    assert_eq!(facts.overlap("main", last - 1, last), expected, "{body}");
}

#[test]
fn overlaps_are_those_of_bytes() {
    check_overlap(
        "store i32 1 to ptr @pair store i32 1 to ptr @pair[4]",
        false,
    );
    check_overlap("store i64 1 to ptr @pair store i32 1 to ptr @pair[4]", true);
    check_overlap("store i32 1 to ptr @pair store i32 1 to ptr @table", false);
    check_overlap(
        "%1: ptr = ptradd ptr @table + 4 + %0 * 8 store i32 1 to %1 store i32 1 to ptr @table[12]",
        true,
    );
    check_overlap(
        "%1: ptr = ptradd ptr @table + 4 + %0 * 8 store i32 1 to %1 store i32 1 to ptr @table[8]",
        false,
    );
    check_overlap(
        "intrinsic memcpy(ptr @table, ptr @pair, i64 16) store i32 1 to ptr @pair[12]",
        true,
    );
    check_overlap(
        "intrinsic memset(ptr @table, i8 0, i64 16) store i32 1 to ptr @table[16]",
        false,
    );
    check_overlap(
        "intrinsic memset(ptr @table, i8 0, %0) store i32 1 to ptr @table[16]",
        true,
    );
}

#[test]
fn what_is_freed() {
    let text = "func @malloc(i64) -> (ptr) func @free(ptr)
        func @main() { b0:
        %0: ptr = call @malloc(i64 8)
        %1: ptr = call @malloc(i64 8)
        %2: ptr = ptradd %0
        call @free(%2)
        ret }";
    let facts = facts(text);
    let freed: Vec<String> = facts
        .points_to
        .objects()
        .ids()
        .filter(|object| facts.points_to.is_freed(*object))
        .map(|object| {
            facts
                .points_to
                .object_name(&facts.module, &facts.nodes, object)
        })
        .collect();
    assert_eq!(freed, ["heap(n0)"]);
}

#[test]
fn formats_write_only_where_they_say() {
    let text = r#"func @printf(ptr) -> (i32) variadic
        global @plain size 8 align 1 constant = { "%d 100%%" }
        global @stores size 6 align 1 constant = { "%s%lln" }
        global @n size 8 align 8 = { zero 8 }
        func @main() { b0:
        %0: i32 = call @printf(ptr @plain, ptr @n)
        %1: i32 = call @printf(ptr @stores, ptr @n)
        ret }"#;
    let facts = facts(text);
    let writes = |index| {
        let node = facts.node("main", index);
        let accesses = facts.points_to.accesses(node);
        accesses
            .iter()
            .any(|access| access.kind == AccessKind::Write)
    };
    assert!(!writes(0));
    assert!(writes(1));
}
