//! `sleave bench`: the papers' tables, and that ours are no larger.

use std::process::{Command, Output};

use serde_json::Value;

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sleave"))
        .arg("bench")
        .args(args)
        .output()
        .expect("sleave runs")
}

#[test]
fn without_a_table_lists_them() {
    let output = bench(&[]);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("p4 "), "{text}");
    assert_eq!(bench(&["nothing"]).status.code(), Some(1));
}

/// In every configuration the bugs are found and the others are safe. With the classic reduction and with all that there is, no more
/// runs are needed than in the paper.
#[test]
fn predicate_dependence() {
    let output = bench(&["p4", "--format=json"]);
    let table: Value = serde_json::from_slice(&output.stdout).expect("a table");
    let rows = table["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 9);
    for row in rows {
        let name = row["program"].as_str().expect("a name");
        let verdict = if name.ends_with("Bad") { "bug" } else { "safe" };
        let papers = row["paper"].as_array().expect("the paper's");
        let ours = row["sleave"].as_array().expect("ours");
        for (paper, ours) in papers.iter().zip(ours) {
            assert_eq!(ours["verdict"], verdict, "{name}: {ours}");
            assert!(
                ours["configuration"] == "Pred-DPOR"
                    || ours["runs"].as_u64() <= paper["runs"].as_u64(),
                "{name}: {ours}, in the paper {paper}"
            );
        }
    }
}
