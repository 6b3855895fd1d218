//! The table of functions without a body knows what the machine's shims know, and nothing else.
//!
//! The shims are found by name in `match` expressions, so their names are read from the source.

use std::collections::BTreeSet;
use std::path::Path;

use analysis::external;

#[test]
fn the_table_and_the_shims_have_the_same_names() {
    let table: BTreeSet<String> = external::names().map(str::to_string).collect();
    let shims = shim_names();
    assert!(shims.len() > 100, "the shims are still found this way");
    let missing: Vec<_> = shims.difference(&table).collect();
    assert!(missing.is_empty(), "not in the table: {missing:?}");
    let extra: Vec<_> = table.difference(&shims).collect();
    assert!(extra.is_empty(), "no shim: {extra:?}");
}

#[test]
fn names_that_override_bodies_are_the_same() {
    let verifier = include_str!("../../machine/src/shims/verifier.rs");
    for name in patterns(&function(verifier, "pub fn overriding")) {
        assert!(external::overriding(&name).is_some(), "{name}");
    }
    for name in patterns(&function(verifier, "pub fn find")) {
        assert!(external::overriding(&name).is_none(), "{name}");
    }
}

/// The names in the patterns of `find` and `overriding`.
fn shim_names() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../machine/src/shims");
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the folder of the shims") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(path).expect("a source file");
        for head in ["pub fn find", "pub fn overriding"] {
            names.extend(patterns(&function(&text, head)));
        }
        // The names of `setjmp` have a function of their own, with nothing else in it.
        let text = function(&text, "pub fn returns_twice");
        names.extend(text.split('"').skip(1).step_by(2).map(str::to_string));
    }
    names
}

/// The text of a function that stands at the left margin.
fn function(text: &str, head: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.starts_with(head));
    let lines: Vec<&str> = lines.take_while(|line| *line != "}").collect();
    lines.join("\n")
}

/// String literals that are patterns: what follows them is `|` or `=>`.
fn patterns(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split('"').collect();
    let literals = parts.iter().enumerate().filter(|(i, _)| i % 2 == 1);
    let patterns = literals.filter(|(i, _)| {
        let after = parts.get(i + 1).map_or("", |after| after.trim_start());
        after.starts_with('|') || after.starts_with("=>")
    });
    patterns.map(|(_, name)| (*name).to_string()).collect()
}
