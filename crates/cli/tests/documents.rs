//! The documents are about the files that there are.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code map has a line for every file, and no line for one that is gone. Tests are left out.
#[test]
fn the_code_map_is_complete() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the document");
    let map = text.split_once("## Code map").expect("a code map").1;
    let mut wrong = Vec::new();
    for section in map.split("\n### `").skip(1) {
        let name = section.split('`').next().expect("a name");
        let folder = match name {
            "benchmarks" => root().join("benchmarks/src"),
            "base" | "ir" | "bitcode" | "smt" | "analysis" | "lint" | "machine" | "encode"
            | "explore" | "verify" | "proof" | "cli" | "oracle" => {
                root().join("crates").join(name).join("src")
            }
            _ => continue,
        };
        let mut found = Vec::new();
        sources(&folder, &mut found);
        let is_test = |file: &str| file.contains("test") || file == "main.rs";
        let relative = |path: &PathBuf| {
            let path = path.strip_prefix(&folder).expect("a file in it");
            path.to_str().expect("a name").to_string()
        };
        let files: Vec<String> = found.iter().map(relative).collect();
        let section = section.split("\n### ").next().expect("a section");
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let rows: Vec<&str> = rows.filter_map(|line| line.split('`').next()).collect();
        for file in files.iter().filter(|file| !is_test(file)) {
            if !rows.contains(&file.as_str()) {
                wrong.push(format!("{name}: {file} has no line"));
            }
        }
        for row in rows.iter().filter(|row| row.ends_with(".rs")) {
            if !files.iter().any(|file| file == row) {
                wrong.push(format!("{name}: {row} is gone"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
