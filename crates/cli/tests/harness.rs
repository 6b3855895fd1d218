//! Libraries that are checked without a driver: the programs of `tests/programs/harness` and
//! `tests/programs/lazy`, and what is said of expressions that cannot be run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Each report is a snapshot beside the program.
#[test]
fn harnesses_give_the_reports_beside_them() {
    for program in programs("harness") {
        let expected = program.header("expect:");
        let witness = program.witness("harness");
        let own = [
            "--engine",
            "explore",
            "--witness",
            witness.to_str().unwrap(),
        ];
        let output = program.check(&own);
        let report = if expected == "safe" {
            assert_eq!(output.status.code(), Some(0), "{}", program.said(&output));
            output
        } else {
            assert_eq!(output.status.code(), Some(10), "{}", program.said(&output));
            let replayed = program.sleave(&["replay", witness.to_str().unwrap()]);
            assert_eq!(
                replayed.status.code(),
                Some(10),
                "{}",
                program.said(&replayed)
            );
            replayed
        };
        program.compare_report(&report);
    }
}

/// A bug that needs one shape of a structure and one schedule.
#[test]
fn lazily_initialised_structures() {
    for program in programs("lazy") {
        let expected = program.header("expect:");
        let kind = expected
            .strip_prefix("bug (")
            .and_then(|e| e.split(')').next());
        let kind = kind.expect("a kind of bug");
        let witness = program.witness("lazy");
        let output = program.check(&["--format=json", "--witness", witness.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(10), "{}", program.said(&output));
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["property"], kind, "{report}");
        let shapes = report["shapes"].as_array().expect("shapes");
        let first = shapes[0].as_str().expect("a text");
        let replayed = program.sleave(&["replay", witness.to_str().unwrap()]);
        assert_eq!(
            replayed.status.code(),
            Some(10),
            "{}",
            program.said(&replayed)
        );
        let text = String::from_utf8_lossy(&replayed.stdout).into_owned();
        assert!(text.contains(first), "{first} is not in\n{text}");
    }
}

/// A proof holds for what was made up, and says so.
#[test]
fn bounds_say_what_was_made_up() {
    let program = Program::new(root().join("harness/narrow.c"));
    for engine in ["portfolio", "explore", "trace"] {
        let output = program.check(&["--format=json", "--engine", engine]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["verdict"], "safe", "{engine}: {report}");
        let bounds = &report["bounds"];
        assert_eq!(bounds[0], "structures of depth at most 2", "{engine}");
        assert_eq!(bounds[1], "a text has at most 7 characters", "{engine}");
    }
}

/// A shape that is deeper than the depth is not made up.
#[test]
fn depth_bounds_structures() {
    let source = "struct node { struct node *next; };
        void look(struct node *n) { if (n && n->next && n->next->next && n->next->next != n &&
            n->next->next != n->next) __builtin_trap(); }";
    for (depth, code) in [("2", 0), ("3", 10)] {
        let output = check(source, "node.c", &["--run", "look(n)", "--depth", depth]);
        assert_eq!(
            output.status.code(),
            Some(code),
            "depth {depth}: {output:?}"
        );
    }
}

/// Lists of up to N nodes that end in null or in one of their nodes: each of them is made up, and
/// nothing else. Every one of them fails an assertion of its own.
#[test]
fn every_shape_is_made_up() {
    let mut source = "#include <assert.h>
        struct node { struct node *next; };
        void look(struct node *n) {
            struct node *seen[8];
            int length = 0, back = 0;
            while (n && !back && length < 8) {
                for (int i = 0; i < length; i++)
                    if (seen[i] == n)
                        back = i + 1;
                if (back)
                    break;
                seen[length++] = n;
                n = n->next;
            }\n"
    .to_owned();
    for length in 0..=4 {
        for back in 0..=length {
            source += &format!("if (length == {length} && back == {back}) assert(0);\n");
        }
    }
    source += "}";
    for (depth, expected) in [("0", 1), ("1", 3), ("2", 6), ("3", 10)] {
        let run = ["--run", "look(n)", "--depth", depth];
        let args = [&run[..], &["--all", "--engine=explore", "--format=json"]].concat();
        let output = check(&source, "node.c", &args);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let bugs = report["bugs"].as_array().expect("bugs");
        assert_eq!(bugs.len(), expected, "depth {depth}: {report}");
        // None is come to twice.
        assert_eq!(report["runs"]["complete"], expected, "depth {depth}");
    }
}

const QUEUE: &str = "struct queue { int size; };
    int size(struct queue *q) { return q ? q->size : 0; }";

#[test]
fn what_cannot_be_run_is_said() {
    for (args, code, expected) in [
        (
            &["--run", "siez(q)"][..],
            2,
            "sleave: --run 'siez(q)': no file declares `siez`",
        ),
        (
            &["--run", "r->size"],
            2,
            "the type of `r` does not follow from how it is used. Say it: --input 'TYPE r'",
        ),
        (&["--run", "size(q"], 2, "--run 'size(q':"),
        (
            &["--run", "size(q)", "--input", "q"],
            2,
            "--input \"q\" declares nothing",
        ),
        (&["--run", "size(q)", "--input", "struct stack *q"], 0, ""),
        (
            &["--run", "size(0)", "--input", "struct stack s"],
            2,
            "--input 'struct stack s':1:14: error: tentative definition has type 'struct stack'",
        ),
        (&["--before", "size(q)"], 1, "--run"),
        (&["--run", "size(q)", "--after", "assert(n == n)"], 0, ""),
    ] {
        let output = check(QUEUE, "queue.c", args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        assert!(said.contains(expected), "{args:?}: {said}");
    }
}

/// The expressions are compiled with the first file that declares what they name.
#[test]
fn the_file_that_declares_the_names_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "other.c",
        "int count; void other(void) { count++; }\nint main(void) { return 0; }",
    );
    write(
        "queue.c",
        &format!("{QUEUE}\nint main(void) {{ return size(0); }}"),
    );
    let output = Command::new(env!("CARGO_BIN_EXE_sleave"))
        .current_dir(folder.path())
        .args([
            "check",
            "other.c",
            "queue.c",
            "--no-witness",
            "--run",
            "size(q)",
        ])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// A witness is of the expressions too.
#[test]
fn a_witness_is_of_one_harness() {
    let program = Program::new(root().join("harness/queue_pop_empty.c"));
    let witness = program.witness("other");
    let output = program.check(&["--witness", witness.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(10), "{}", program.said(&output));
    let text = std::fs::read_to_string(&witness).expect("a witness");
    let other = text.replacen("\"pop(q)\"", "\"(pop)(q), pop(q)\"", 1);
    std::fs::write(&witness, other).expect("a witness");
    let replayed = program.sleave(&["replay", witness.to_str().unwrap()]);
    assert_eq!(
        replayed.status.code(),
        Some(1),
        "{}",
        program.said(&replayed)
    );
}

fn check(source: &str, name: &str, args: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(name), source).expect("a program");
    Command::new(env!("CARGO_BIN_EXE_sleave"))
        .current_dir(folder.path())
        .args(["check", name, "--no-witness"])
        .args(args)
        .output()
        .expect("it runs")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

fn programs(folder: &str) -> Vec<Program> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder of programs");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_source = |path: &PathBuf| path.extension().is_some_and(|e| e == "c" || e == "cpp");
    let mut paths: Vec<PathBuf> = paths.filter(is_source).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no programs in {folder}");
    paths.into_iter().map(Program::new).collect()
}

struct Program {
    path: PathBuf,
    text: String,
}

impl Program {
    fn new(path: PathBuf) -> Program {
        let text = std::fs::read_to_string(&path).expect("a program");
        Program { path, text }
    }

    /// What follows `// NAME` on one of the first lines.
    fn header(&self, name: &str) -> String {
        let mut lines = self.text.lines();
        let line = lines.find_map(|line| line.strip_prefix("// ")?.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{}: no {name}", self.path.display()))
            .trim()
            .to_owned()
    }

    fn witness(&self, test: &str) -> PathBuf {
        let name = self.path.file_stem().expect("a name").to_string_lossy();
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.{name}.witness.json"))
    }

    fn check(&self, more: &[&str]) -> Output {
        let options = words(&self.header("sleave:"));
        let mut halves = options.split(|word| word == "--");
        let own = halves.next().unwrap_or_default();
        let clang = halves.next().unwrap_or_default();
        let name = self.path.file_name().expect("a name").to_string_lossy();
        let mut args = vec!["check", &name];
        args.extend(own.iter().map(String::as_str));
        args.extend(more);
        if !more.contains(&"--witness") {
            args.push("--no-witness");
        }
        args.push("--");
        args.extend(clang.iter().map(String::as_str));
        self.sleave(&args)
    }

    /// In the program's folder.
    fn sleave(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_sleave"))
            .current_dir(self.path.parent().expect("a folder"))
            .args(args)
            .output()
            .expect("it runs")
    }

    fn said(&self, output: &Output) -> String {
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        format!(
            "{}: {}",
            self.path.display(),
            String::from_utf8_lossy(&text)
        )
    }

    /// How long a search took, and over how many runs, is no part of the snapshot.
    fn compare_report(&self, output: &Output) {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().filter(|line| !line.starts_with("Searched "));
        let report: String = lines.flat_map(|line| [line.trim_end(), "\n"]).collect();
        let snapshot = self.path.with_extension("report");
        if std::env::var_os("SLEAVE_BLESS").is_some() {
            std::fs::write(&snapshot, report).expect("a snapshot");
            return;
        }
        let known = std::fs::read_to_string(&snapshot).unwrap_or_default();
        assert_eq!(known, report, "{} (SLEAVE_BLESS=1?)", self.path.display());
    }
}

/// As a shell splits it: in single quotes everything stands for itself.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    for c in text.chars() {
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
