//! Which objects the functions get that are found by way of them.

use super::check;

const CLASSES: &str = "
    global @a size 4 align 4 = { zero 4 }
    global @b size 4 align 4 = { zero 4 }
    global @first_table size 16 align 8 constant = { zero 16 } relocations { 8: @first }
    global @second_table size 16 align 8 constant = { zero 16 } relocations { 8: @second }
    global @x size 16 align 8 = { zero 16 } relocations { 0: @first_table, 8: @a }
    global @y size 16 align 8 = { zero 16 } relocations { 0: @second_table, 8: @b }
    global @z size 16 align 8 = { zero 16 } relocations { 0: @second, 8: @a }
    func @first(ptr %0 \"of_first\", ptr %1 \"other_of_first\") -> (ptr) { b0:
      %2: ptr = ptradd %0 + 8
      %3 \"in_first\": ptr = load %2
      ret %3 }
    func @second(ptr %0 \"of_second\", ptr %1 \"other_of_second\") -> (ptr) { b0:
      %2: ptr = ptradd %0 + 8
      %3 \"in_second\": ptr = load %2
      ret %3 }
";

#[test]
fn a_virtual_function_gets_objects_of_its_class() {
    let text = r#"func @main(i1 %0) { b0:
        %1 "object": ptr = select %0, ptr @x, ptr @y
        %2: ptr = load %1
        %3: ptr = ptradd %2 + 8
        %4 "function": ptr = load %3
        %5 "result": ptr = call %4(%1, ptr @a)
        ret }"#;
    check(
        &format!("{CLASSES}{text}"),
        &[
            ("object", "x y"),
            ("function", "first() second()"),
            ("of_first", "x"),
            ("of_second", "y"),
            ("other_of_first", "a"),
            ("other_of_second", "a"),
            ("in_first", "a"),
            ("in_second", "b"),
            ("result", "a b"),
        ],
    );
}

/// A result in memory is passed before the object.
#[test]
fn the_object_may_be_any_argument() {
    let text = r#"func @main(i1 %0) { b0:
        %1: ptr = select %0, ptr @x, ptr @y
        %2: ptr = load %1
        %3: ptr = ptradd %2 + 8
        %4: ptr = load %3
        %5: ptr = call %4(ptr @x, %1)
        ret }"#;
    check(
        &format!("{CLASSES}{text}"),
        &[
            ("of_first", "x"),
            ("of_second", "x"),
            ("other_of_first", "x"),
            ("other_of_second", "y"),
        ],
    );
}

#[test]
fn a_function_in_the_object_itself_gets_it_too() {
    let text = r#"func @main(i1 %0) { b0:
        store ptr @first to ptr @x
        %1: ptr = select %0, ptr @x, ptr @z
        %2: ptr = load %1
        %3: ptr = call %2(%1, ptr @a)
        ret }"#;
    check(
        &format!("{CLASSES}{text}"),
        &[("of_first", "x"), ("of_second", "z")],
    );
}

/// What is written later counts: the order of statements is nothing to this analysis.
#[test]
fn an_object_may_change_its_class() {
    let text = r#"func @main(i1 %0) { b0:
        %1: ptr = select %0, ptr @x, ptr @y
        %2: ptr = load %1
        %3: ptr = ptradd %2 + 8
        %4: ptr = load %3
        %5: ptr = call %4(%1, ptr @a)
        store ptr @second_table to ptr @x
        ret }"#;
    check(
        &format!("{CLASSES}{text}"),
        &[("of_first", "x"), ("of_second", "x y")],
    );
}

/// The object is loaded again for the call, and may be another one.
#[test]
fn a_function_of_another_object_gets_all() {
    let text = r#"global @p size 8 align 8 = { zero 8 }
        func @main(i1 %0) { b0:
        store ptr @x to ptr @p
        store ptr @y to ptr @p
        %1: ptr = load ptr @p
        %2: ptr = load %1
        %3: ptr = ptradd %2 + 8
        %4: ptr = load %3
        %5: ptr = load ptr @p
        %6: ptr = call %4(%5, ptr @a)
        ret }"#;
    check(
        &format!("{CLASSES}{text}"),
        &[("of_first", "x y"), ("of_second", "x y")],
    );
}

/// More objects than are told apart at one call: all functions get all.
#[test]
fn of_many_objects_none_is_lost() {
    let mut text = String::new();
    let mut calls = String::new();
    for i in 0..70 {
        let table = if i % 2 == 0 {
            "first_table"
        } else {
            "second_table"
        };
        text += &format!(
            "global @o{i} size 16 align 8 = {{ zero 16 }} relocations {{ 0: @{table} }}\n"
        );
        calls += &format!("call @use(ptr @o{i})\n");
    }
    text += r#"func @use(ptr %0 "object") { b0:
        %1: ptr = load %0
        %2: ptr = ptradd %1 + 8
        %3: ptr = load %2
        %4: ptr = call %3(%0, ptr @a)
        br b0 }"#;
    text += &format!("func @main() {{ b0:\n{calls} ret }}");
    let mut all: Vec<String> = (0..70).map(|i| format!("o{i}")).collect();
    all.sort();
    let all = all.join(" ");
    check(
        &format!("{CLASSES}{text}"),
        &[("object", &all), ("of_first", &all), ("of_second", &all)],
    );
}
