//! Loops that wait, in every search: `tests/programs/waiting`. `// expect:` says the verdict. `// needs: states`: a round changes
//! something and changes it back, which only the default and `--prune states` understand; the others may say `unknown`.

use std::path::{Path, PathBuf};
use std::process::Command;

const MODES: [&str; 9] = [
    "",
    "--prune states",
    "--por dpor",
    "--por source",
    "--por optimal",
    "--por optimal --dependence predicate --peek",
    "--por source --commute --observers",
    "--por source --prune summaries",
    "--por source --dependence predicate",
];

#[test]
fn programs_that_wait() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/waiting");
    let entries = std::fs::read_dir(folder).expect("programs");
    let mut programs: Vec<PathBuf> = entries.map(|e| e.expect("a file").path()).collect();
    programs.sort();
    assert!(programs.len() > 15, "{programs:?}");
    let mut wrong = Vec::new();
    for program in &programs {
        let text = std::fs::read_to_string(program).expect("a program");
        let header = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let expected = header("// expect: ").expect("an expectation");
        let flags = header("// sleave: ").unwrap_or_default();
        let needs_states = header("// needs: states").is_some();
        for mode in MODES {
            let is_for_states = mode.is_empty() || mode == "--prune states";
            if needs_states && !is_for_states || flags.contains("race") && mode.contains("--prune")
            {
                continue;
            }
            if flags.contains("race") && mode.contains("--commute") {
                continue;
            }
            let output = Command::new(env!("CARGO_BIN_EXE_sleave"))
                .args(["check", "--no-witness", "--quiet", "--time-limit", "120"])
                .args(mode.split_whitespace())
                .args(flags.split_whitespace())
                .arg(program)
                .output()
                .expect("it runs");
            let said = String::from_utf8_lossy(&output.stdout);
            let said = said.lines().last().unwrap_or_default();
            // Which inputs lead to a state is not kept.
            let may_leave_open = mode == "--prune states" && text.contains("nondet");
            if may_leave_open && said == "verdict: unknown (loop bound)" {
                continue;
            }
            if said != format!("verdict: {expected}") {
                let name = program.file_name().expect("a name").to_string_lossy();
                wrong.push(format!("{name} {mode}: {said}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
