//! What is done for large programs, on small ones: pools, hubs and exchanges.

use super::{Facts, facts};
use crate::node::Nodes;
use crate::points_to::{Limits, PointsTo};

/// Two kinds of records that one pointer leads to, and one that is alone.
const RECORDS: &str = r#"pointer_bits 64
    global @head size 8 align 8 = { zero 8 }
    func @malloc(i64) -> (ptr)
    func @main() { b0:
      %0 "a": ptr = call @malloc(i64 16)
      store %0 to ptr @head
      %1 "b": ptr = call @malloc(i64 16)
      store %1 to ptr @head
      %2 "c": ptr = call @malloc(i64 24)
      store %2 to ptr @head
      %3 "d": ptr = call @malloc(i64 24)
      store %3 to ptr @head
      %4 "e": ptr = call @malloc(i64 16)
      %5 "any": ptr = load ptr @head
      store %4 to %5
      %6 "next": ptr = load %5
      ret }"#;

fn within(limits: Limits) -> Facts {
    let module = ir::text::parse(RECORDS).unwrap_or_else(|error| panic!("{error}"));
    let nodes = Nodes::of(&module);
    let points_to = PointsTo::within(&module, &nodes, limits);
    Facts {
        module,
        nodes,
        points_to,
    }
}

#[test]
fn what_is_too_much_to_tell_apart_is_put_together_by_size() {
    let facts = within(Limits {
        work: usize::MAX,
        touched: 0,
    });
    let expected = [
        ("a", "heap(pool 0)"),
        ("b", "heap(pool 0)"),
        ("c", "heap(pool 1)"),
        ("d", "heap(pool 1)"),
        ("e", "heap(n8)"),
        ("any", "heap(pool 0) heap(pool 1)"),
        ("next", "heap(n8)"),
    ];
    for (name, targets) in expected {
        assert_eq!(facts.targets(name), targets, "{name}");
    }
    // The call says what it makes, whatever that is together with.
    let made = |index| facts.points_to.allocated(facts.node("main", index));
    assert_eq!(made(0), made(2));
    assert_eq!(made(0).len(), 1);
    assert_ne!(made(0), made(4));
}

#[test]
fn solving_that_is_given_up_begins_anew() {
    let facts = within(Limits {
        work: 0,
        touched: usize::MAX,
    });
    // Nothing was known of where pointers lead, so nothing is put together, and it is solved to the
    // end.
    for name in ["a", "b", "c", "d", "e", "any", "next"] {
        assert!(!facts.targets(name).is_empty(), "{name}");
    }
    assert_eq!(facts.targets("any").split(' ').count(), 4);
}

#[test]
fn many_functions_behind_one_pointer() {
    let count = 20;
    let functions = (0..count).map(|n| {
        format!(
            "global @g{n} size 8 align 8 = {{ zero 8 }}
             func @f{n}(ptr %0 \"p{n}\") -> (ptr) {{ b0: ret ptr @g{n} }}\n"
        )
    });
    let functions: String = functions.collect();
    let stores = (0..count).map(|n| format!("store ptr @f{n} to ptr @hook\n"));
    let stores: String = stores.collect();
    let facts = facts(&format!(
        "global @hook size 8 align 8 = {{ zero 8 }}
         global @x size 8 align 8 = {{ zero 8 }}
         global @y size 8 align 8 = {{ zero 8 }}
         {functions}
         func @main() {{ b0:
           {stores}
           %0: ptr = load ptr @hook
           %1 \"a\": ptr = call %0(ptr @x)
           %2: ptr = load ptr @hook
           %3 \"b\": ptr = call %2(ptr @y)
           ret }}"
    ));
    for n in 0..count {
        assert_eq!(facts.targets(&format!("p{n}")), "x y");
    }
    assert_eq!(facts.targets("a").split(' ').count(), count);
    assert_eq!(facts.targets("a"), facts.targets("b"));
    let main = facts.module.function_named("main").expect("main");
    let reached = facts.nodes.of_function(main);
    let reached = reached.map(|node| facts.points_to.callees(node).len());
    let reached: Vec<usize> = reached.filter(|count| *count > 0).collect();
    assert_eq!(reached, [count, count]);
}

#[test]
fn many_objects_behind_one_pointer_hold_what_is_stored_there() {
    let count = 100;
    let globals = (0..count).map(|n| format!("global @o{n} size 16 align 8 = {{ zero 16 }}\n"));
    let globals: String = globals.collect();
    let stores = (0..count).map(|n| format!("store ptr @o{n} to ptr @hook\n"));
    let stores: String = stores.collect();
    let facts = facts(&format!(
        "global @hook size 8 align 8 = {{ zero 8 }}
         global @x size 8 align 8 = {{ zero 8 }}
         global @y size 8 align 8 = {{ zero 8 }}
         {globals}
         func @main() {{ b0:
           {stores}
           %0 \"p\": ptr = load ptr @hook
           %1: ptr = ptradd %0 + 8
           store ptr @x to %0
           store ptr @y to %1
           %2 \"a\": ptr = load ptr @o7
           %3: ptr = load ptr @hook
           %4 \"b\": ptr = load %3
           %5: ptr = ptradd %3 + 8
           %6 \"c\": ptr = load %5
           ret }}"
    ));
    assert_eq!(facts.targets("p").split(' ').count(), count);
    for (name, expected) in [("a", "x"), ("b", "x"), ("c", "y")] {
        assert_eq!(facts.targets(name), expected, "{name}");
    }
}
