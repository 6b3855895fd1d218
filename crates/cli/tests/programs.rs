//! Every program of `tests/programs` has the verdict that its folder and its comments say; every
//! bug's witness replays. (`modes.rs` has all the ways to search.) The conventions are in
//! `tests/programs/README.md`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

#[test]
fn safe_programs() {
    check_folder("safe", |program| {
        expect(program.check(&["--por=none"])?, 0, &[("verdict", "safe")])?;
        expect(
            program.check(&["--por=optimal"])?,
            0,
            &[("verdict", "safe")],
        )
    });
}

#[test]
fn bugs_are_found_where_they_are_and_replay() {
    check_folder("bug", |program| {
        let (kind, line) = program
            .marker("BUG")
            .ok_or("no line is marked with //~ BUG(kind)")?;
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let witness = folder.path().join("witness.json");
        let output = program.check(&["--witness", &witness.to_string_lossy()])?;
        let report = expect(output, 10, &[("verdict", "bug"), ("property", &kind)])?;
        let location = report["location"].as_str().unwrap_or_default().to_string();
        let here = location.split(':').nth(1) == Some(&line.to_string());
        if !(here || kind == "deadlock" && program.is_stuck_at(line)?) {
            return Err(format!("reported at {location}, marked at line {line}"));
        }
        let replayed = program.run(&["replay".as_ref(), witness.as_os_str()], &[])?;
        if replayed.status.code() != Some(10) {
            return Err(format!("the witness does not replay: {}", both(&replayed)));
        }
        program.compare_report(&replayed)?;
        // Whatever of many equivalent executions is followed, the bug is the same.
        let optimal = program.check(&["--por=optimal", "--engine=explore"])?;
        expect(optimal, 10, &[("verdict", "bug"), ("property", &kind)])?;
        Ok(report)
    });
}

#[test]
fn unknown_programs_say_why() {
    check_folder("unknown", |program| {
        let (reason, _) = program
            .marker("UNKNOWN")
            .ok_or("no line is marked with //~ UNKNOWN(reason)")?;
        let wanted = [("verdict", "unknown"), ("reason", reason.as_str())];
        program.compare_report(&program.check(&["--format=text"])?)?;
        expect(program.check(&[])?, 5, &wanted)
    });
}

#[test]
fn numbers_of_runs_are_exact() {
    check_folder("counts", |program| {
        let runs: u64 = program
            .header("runs:")
            .and_then(|text| text.parse().ok())
            .ok_or("no `// runs: N`")?;
        let output = program.check(&["--all", "--no-witness"])?;
        let report = parse(&output)?;
        match report["runs"]["complete"].as_u64() {
            Some(found) if found == runs => Ok(report),
            found => Err(format!("{found:?} runs instead of {runs}: {report}")),
        }
    });
}

/// `// traces: N`: so many executions are left when equivalent ones count once. The classic
/// algorithm follows some of them more than once.
#[test]
fn numbers_of_traces_are_exact() {
    check_folder("counts", |program| {
        let Some(traces) = program.header("traces:") else {
            return Ok(Value::Null);
        };
        let traces: u64 = traces.parse().map_err(|_| "no number of traces")?;
        for por in ["source", "optimal", "dpor"] {
            let report = parse(&program.check(&["--all", "--no-witness", "--por", por])?)?;
            match report["runs"]["complete"].as_u64() {
                Some(found) if found == traces || por == "dpor" && found > traces => {}
                found => return Err(format!("{por}: {found:?} instead of {traces}: {report}")),
            }
        }
        Ok(Value::Null)
    });
}

/// Larger programs, whose numbers of traces are in the literature or follow from what they do.
#[test]
fn numbers_of_traces_of_the_benchmarks() {
    for (name, n, traces) in [
        ("fib", 1, 11),
        ("fib", 2, 140),
        ("fib", 3, 1698),
        ("lastzero", 5, 64),
        ("readers", 7, 128),
        ("indexer", 11, 1),
        ("indexer", 12, 8),
        ("indexer", 13, 64),
        ("filesystem", 16, 8),
        ("filesystem", 20, 128),
        ("pthread_demo", 2, 6),
    ] {
        let program = Program::new(root().join(format!("../../benches/por/{name}.c")));
        for por in ["source", "dpor"] {
            let args = ["check", "--format=json", "--no-witness", "--all", "--por"];
            let mut args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
            args.extend([por.as_ref(), program.name()]);
            let output = program.run(&args, &[&format!("-DN={n}")]).expect("it runs");
            let report = parse(&output).expect("a report");
            assert_eq!(report["verdict"], "safe", "{name} {n}, {por}");
            let complete = report["runs"]["complete"].as_u64().expect("a number");
            let fits = complete == traces || por == "dpor" && complete > traces;
            assert!(fits, "{name} {n}, {por}: {complete} instead of {traces}");
        }
    }
}

#[test]
fn linked_programs() {
    for name in ["counter", "race"] {
        let folder = root().join("linked").join(name);
        let main = Program::new(folder.join("main.c"));
        let expected = main.header("expect:").expect("an expectation");
        let mut files: Vec<PathBuf> = sources(&folder);
        files.sort();
        let mut args = vec![
            "check".into(),
            "--format=json".into(),
            "--no-witness".into(),
        ];
        args.extend(files.iter().map(|f| f.as_os_str().to_owned()));
        let args: Vec<_> = args.iter().map(|a: &OsString| a.as_os_str()).collect();
        let output = sleave(&folder, &args, &[]).expect("it runs");
        let report = parse(&output).expect("a report");
        assert_eq!(report["verdict"], expected.as_str(), "{name}: {report}");
    }
}

#[test]
fn rejected_programs() {
    check_folder("rejected", |program| {
        let code: i32 = program
            .header("exit:")
            .and_then(|text| text.parse().ok())
            .ok_or("no `// exit: N`")?;
        let output = program.check(&[])?;
        if output.status.code() != Some(code)
            || !output.stdout.is_empty()
            || output.stderr.is_empty()
        {
            return Err(both(&output));
        }
        Ok(Value::Null)
    });
}

/// Checks every program of a folder on all cores and reports all that are wrong.
fn check_folder(folder: &str, check: impl Fn(&Program) -> Result<Value, String> + Sync) {
    let mut programs: Vec<Program> = sources(&root().join(folder))
        .into_iter()
        .map(Program::new)
        .collect();
    programs.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!programs.is_empty(), "no programs in {folder}");
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    let mut wrong = Vec::new();
                    while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(why) = check(program) {
                            wrong.push(format!("{}: {why}", program.path.display()));
                        }
                    }
                    wrong
                })
            })
            .collect();
        handles
            .into_iter()
            .flat_map(|h| h.join().expect("no panic"))
            .collect()
    });
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .expect("the folder of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|e| e == "c" || e == "cpp" || e == "i" || e == "ll")
        })
        .collect()
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

    /// Runs `sleave check` with the options of the program's first line.
    fn check(&self, more: &[&str]) -> Result<Output, String> {
        let options = self.header("sleave:").unwrap_or_default();
        let words: Vec<&str> = options.split_whitespace().collect();
        let mut halves = words.split(|word| *word == "--");
        let ours = halves.next().unwrap_or_default();
        let clang = halves.next().unwrap_or_default();
        let mut args: Vec<&OsStr> = vec!["check".as_ref()];
        if !more.iter().any(|m| m.contains("format")) {
            args.push("--format=json".as_ref());
        }
        args.extend(["--prune", "none"].map(OsStr::new));
        if !more.iter().any(|m| m.contains("--por")) {
            args.push("--por=none".as_ref());
        }
        args.extend(ours.iter().map(OsStr::new));
        args.extend(more.iter().map(OsStr::new));
        if !more.iter().any(|m| m.contains("witness")) {
            args.push("--no-witness".as_ref());
        }
        args.push(self.name());
        self.run(&args, clang)
    }

    /// Runs in the folder of the program, so that its name alone names it in reports.
    fn run(&self, args: &[&OsStr], clang: &[&str]) -> Result<Output, String> {
        let folder = self.path.parent().ok_or("a folder")?;
        sleave(folder, args, clang)
    }

    fn name(&self) -> &OsStr {
        self.path.file_name().expect("a name")
    }

    /// Compares a report with the snapshot beside the program, or makes it the snapshot. How long a
    /// search took, and over how many runs, is no part of it.
    fn compare_report(&self, output: &Output) -> Result<(), String> {
        let report: String = String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter(|line| !line.starts_with("Searched "))
            .flat_map(|line| [line.trim_end(), "\n"])
            .collect();
        let snapshot = self.path.with_extension("report");
        if std::env::var_os("SLEAVE_BLESS").is_some() {
            return std::fs::write(&snapshot, report).map_err(|e| e.to_string());
        }
        match std::fs::read_to_string(&snapshot) {
            Ok(known) if known == report => Ok(()),
            Ok(known) => Err(format!(
                "the report changed (SLEAVE_BLESS=1 makes it the new snapshot). It was:\n{known}\nIt is:\n{report}"
            )),
            Err(_) => Err("no snapshot of the report: SLEAVE_BLESS=1 makes one".to_string()),
        }
    }

    /// What follows `// NAME` on one of the first lines.
    fn header(&self, name: &str) -> Option<String> {
        self.text.lines().take(12).find_map(|line| {
            let comment = line.trim_start_matches([';', '/', ' ']);
            comment
                .strip_prefix(name)
                .map(|rest| rest.trim().to_string())
        })
    }

    /// `//~ NAME(what)` and its line.
    fn marker(&self, name: &str) -> Option<(String, usize)> {
        let opening = format!("~ {name}(");
        self.text.lines().enumerate().find_map(|(i, line)| {
            let rest = line.split_once(&opening)?.1;
            let end = rest.rfind(')')?;
            Some((rest[..end].to_string(), i + 1))
        })
    }

    /// Whether the text report names this line among those where a thread waits.
    fn is_stuck_at(&self, line: usize) -> Result<bool, String> {
        let output = self.run(
            &["check".as_ref(), "--no-witness".as_ref(), self.name()],
            &[],
        )?;
        let report = both(&output);
        let place = format!(":{line}");
        // Line 7 is not line 70.
        let mut after = report.split(&place).skip(1);
        Ok(after.any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit())))
    }
}

fn sleave(folder: &Path, args: &[&OsStr], clang: &[&str]) -> Result<Output, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sleave"));
    command.current_dir(folder).args(args);
    if !clang.is_empty() {
        command.arg("--").args(clang);
    }
    command.output().map_err(|e| e.to_string())
}

fn parse(output: &Output) -> Result<Value, String> {
    serde_json::from_slice(&output.stdout).map_err(|e| format!("{e}: {}", both(output)))
}

fn expect(output: Output, code: i32, fields: &[(&str, &str)]) -> Result<Value, String> {
    let report = parse(&output)?;
    let right = fields.iter().all(|(key, value)| report[*key] == *value);
    if output.status.code() != Some(code) || !right {
        return Err(format!("{report}"));
    }
    Ok(report)
}

fn both(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}
