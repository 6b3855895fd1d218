//! The two units of a driver as text.

use std::fmt::Write;

use bitcode::Language;

use super::structure::{Part, Structure, What};
use super::{Declared, Harness};

pub const CHOOSE: &str = "__sleave_choose";
pub const SET_UP: &str = "__sleave_set_up";
/// Followed by a number.
pub const THREAD: &str = "__sleave_thread_";
/// Where the objects are, in their order; inputs that are no pointers included.
pub const OBJECTS: &str = "__sleave_objects";

const RUN: &str = "__sleave_run_";
const BEFORE: &str = "__sleave_before";
const AFTER: &str = "__sleave_after";

/// What places in an expression are called in messages.
pub fn label(flag: &str, text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!("{flag} '{text}'")
}

/// All expressions with their labels.
pub fn expressions(harness: &Harness) -> Vec<(String, &str)> {
    let lists = [
        ("--before", &harness.before),
        ("--run", &harness.run),
        ("--after", &harness.after),
    ];
    let mut all = Vec::new();
    for (flag, texts) in lists {
        all.extend(texts.iter().map(|text| (label(flag, text), text.as_str())));
    }
    all
}

fn line(label: &str) -> String {
    let quoted = label.replace('\\', "\\\\").replace('"', "\\\"");
    format!("#line 1 \"{quoted}\"")
}

/// The inputs as variables and the expressions as functions, to stand behind the included file.
pub fn first_unit(harness: &Harness, declared: &[Declared], language: Language) -> String {
    let mut out = String::from("#undef NDEBUG\n#include <assert.h>\n");
    let linkage = match language {
        Language::Cpp => "extern \"C\" ",
        _ => "",
    };
    for variable in declared {
        let _ = writeln!(out, "{}\n{};", line(&variable.label), variable.declaration);
    }
    let mut function = |name: String, flag: &str, texts: &[String]| {
        let _ = writeln!(out, "{linkage}void {name}(void) {{");
        for text in texts {
            let _ = writeln!(out, "{}\n{text}\n;", line(&label(flag, text)));
        }
        out.push_str("}\n");
    };
    function(BEFORE.to_owned(), "--before", &harness.before);
    for (i, text) in harness.run.iter().enumerate() {
        function(format!("{RUN}{i}"), "--run", std::slice::from_ref(text));
    }
    function(AFTER.to_owned(), "--after", &harness.after);
    out
}

/// Objects, threads and `main`.
pub fn second_unit(harness: &Harness, structure: &Structure, pointer_bytes: u64) -> String {
    let mut out = String::from(
        "typedef __SIZE_TYPE__ word;
void *calloc(word, word);
int pthread_create(word *, void *, void *(*)(void *), void *);
int pthread_join(word, void **);
void __VERIFIER_assume(int);
void __sleave_assume(int);
void __sleave_make_symbolic(void *, word, const char *);
",
    );
    let _ = writeln!(out, "void *{CHOOSE}(_Bool, void *, void *);");
    let objects = structure.objects.len();
    let _ = writeln!(out, "char *{OBJECTS}[{}];", objects + 1);
    let _ = writeln!(
        out,
        "static unsigned char choices[{}];",
        structure.slots.len() + 1
    );
    for object in &structure.objects {
        if let What::Input { symbol } = &object.what {
            let _ = writeln!(out, "extern char {symbol}[];");
        }
    }
    for symbol in structure.vtables() {
        let _ = writeln!(out, "extern char {symbol}[];");
    }
    set_up(&mut out, structure, pointer_bytes);
    let _ = writeln!(out, "void {BEFORE}(void); void {AFTER}(void);");
    for i in 0..harness.run.len() {
        let _ = writeln!(
            out,
            "void {RUN}{i}(void);\nstatic void *{THREAD}{i}(void *unused) {{ {RUN}{i}(); return 0; }}"
        );
    }
    out.push_str("int main(void) {\n");
    for i in 0..harness.run.len() {
        let _ = writeln!(out, "word t{i};");
    }
    let _ = writeln!(out, "{SET_UP}();");
    if !harness.before.is_empty() {
        let _ = writeln!(out, "{BEFORE}();");
    }
    for (i, text) in harness.run.iter().enumerate() {
        let _ = writeln!(
            out,
            "{}\npthread_create(&t{i}, 0, {THREAD}{i}, 0);",
            line(&label("--run", text))
        );
    }
    for (i, text) in harness.run.iter().enumerate() {
        let _ = writeln!(
            out,
            "{}\npthread_join(t{i}, 0);",
            line(&label("--run", text))
        );
    }
    if !harness.after.is_empty() {
        let _ = writeln!(out, "{AFTER}();");
    }
    out.push_str("return 0;\n}\n");
    out
}

fn set_up(out: &mut String, structure: &Structure, pointer_bytes: u64) {
    let _ = writeln!(out, "static void {SET_UP}(void) {{");
    for (i, object) in structure.objects.iter().enumerate() {
        let _ = match &object.what {
            What::Input { symbol } => writeln!(out, "char *o{i} = {symbol};"),
            // Failing is left to the program's own allocations.
            What::New => writeln!(
                out,
                "char *o{i} = calloc(1, {}); __VERIFIER_assume(o{i} != 0);",
                object.bytes
            ),
        };
        let _ = writeln!(out, "{OBJECTS}[{i}] = o{i};");
    }
    for (s, slot) in structure.slots.iter().enumerate() {
        let owner = slot.object;
        let _ = writeln!(
            out,
            "__sleave_make_symbolic(&choices[{s}], 1, {:?});\nunsigned char c{s} = choices[{s}];",
            slot.label
        );
        let mut address = "(void *)0".to_owned();
        for (t, target) in slot.targets.iter().enumerate().rev() {
            let object = target.object;
            let is_chosen = format!("c{s} == {}", t + 1);
            // What is there already is there only if the pointers on the way to it say so. As a
            // part of the choice this counts where the pointer is followed; an assumption would
            // make every question to the solver larger.
            let condition = match structure.objects[object].from {
                Some(_) if !target.is_new => format!("({is_chosen}) & u{object}"),
                _ => is_chosen,
            };
            let offset = target.offset;
            address = format!("{CHOOSE}({condition}, o{object} + {offset}, {address})");
        }
        let _ = writeln!(out, "*(void **)(o{owner} + {}) = {address};", slot.offset);
        for (t, target) in slot.targets.iter().enumerate().filter(|(_, t)| t.is_new) {
            let owner_is_there = match structure.objects[owner].from {
                Some(_) => format!("u{owner} & "),
                None => String::new(),
            };
            let _ = writeln!(
                out,
                "_Bool u{} = {owner_is_there}(c{s} == {});",
                target.object,
                t + 1
            );
        }
    }
    for (i, object) in structure.objects.iter().enumerate() {
        for part in &object.parts {
            let _ = match part {
                Part::Data {
                    offset,
                    bytes,
                    label,
                    most,
                    ..
                } => {
                    let _ = writeln!(
                        out,
                        "__sleave_make_symbolic(o{i} + {offset}, {bytes}, {label:?});"
                    );
                    match most {
                        Some(most) if *bytes == 4 => writeln!(
                            out,
                            "__sleave_assume(*(unsigned *)(o{i} + {offset}) <= {most}u);"
                        ),
                        Some(most) => writeln!(
                            out,
                            "__sleave_assume(*(unsigned char *)(o{i} + {offset}) <= {most});"
                        ),
                        None => Ok(()),
                    }
                }
                Part::Vtable { offset, symbol } => writeln!(
                    out,
                    "*(void **)(o{i} + {offset}) = {symbol} + {};",
                    2 * pointer_bytes
                ),
                // Objects are made of zero bytes.
                Part::Zero { .. } | Part::Slot(_) => Ok(()),
            };
        }
    }
    out.push_str("}\n");
}
