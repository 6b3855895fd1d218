//! Proofs at the command line: `sleave check --engine trace --proof FILE` writes one for what is
//! safe, and `sleave check-proof FILE` accepts it, but nothing else.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Some of `tests/programs/safe`. Of the first ones the engine makes several formulas, one after
/// each run that shows more; of the last one nothing is contended.
const SAFE: [&str; 8] = [
    "alg_peterson.c",
    "alg_cas_loop.c",
    "sym_switch.c",
    "alg_ticket_lock.c",
    "barrier_phases.c",
    "cond_handshake.c",
    "race_rwlock.c",
    "c11_tss_anew.c",
];

/// Its proof is small, and has all kinds of lines.
const SMALL: &str = "alg_dekker_try.c";

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        Bench { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the command; exit code, standard output and standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_sleave"))
            .args(args)
            .current_dir(self.folder.path())
            .output()
            .expect("sleave runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        let code = output.status.code().expect("an exit code");
        (code, text(output.stdout), text(output.stderr))
    }

    /// Checks a program with a proof.
    fn prove(&self, program: &str, proof: &str) -> (i32, String, String) {
        let file = safe(program);
        let options = options_of(&file);
        let mut args = vec![
            "check",
            "--no-witness",
            "--engine",
            "trace",
            "--proof",
            proof,
        ];
        args.extend(options.iter().map(String::as_str));
        args.push(file.to_str().expect("a name"));
        self.run(&args)
    }

    /// The lines of the proof of a program.
    fn proof_of(&self, program: &str) -> Vec<String> {
        let (code, out, _) = self.prove(program, "a.proof");
        assert_eq!(code, 0, "{program}: {out}");
        let text = std::fs::read_to_string(self.path("a.proof")).expect("a proof");
        text.lines().map(str::to_string).collect()
    }

    /// What `check-proof` says of these lines.
    fn check(&self, lines: &[String]) -> (i32, String) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(self.path("changed.proof"), text).expect("it is written");
        let (code, out, err) = self.run(&["check-proof", "changed.proof"]);
        assert_eq!(err, "");
        (code, out)
    }

    /// It is refused, and why.
    #[track_caller]
    fn refused(&self, lines: &[String], why: &str) {
        let (code, out) = self.check(lines);
        assert!(out.starts_with("proof refused: line "), "{out}");
        assert!(out.contains(why), "{why}: {out}");
        assert_eq!(code, 5, "{out}");
    }
}

fn safe(program: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/safe");
    root.join(program)
}

fn options_of(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a program");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("// sleave:"));
    let words = line.unwrap_or_default().split_whitespace();
    words.map(str::to_string).collect()
}

/// The lines of a kind, with their numbers.
fn of_kind<'l>(lines: &'l [String], kind: &'l str) -> impl Iterator<Item = (usize, &'l String)> {
    let numbered = lines.iter().enumerate();
    numbered.filter(move |(_, line)| line.split(' ').next() == Some(kind))
}

/// With the number of lines that there are.
fn mended(mut lines: Vec<String>) -> Vec<String> {
    lines.pop();
    lines.push(format!("z {}", lines.len()));
    lines
}

#[test]
fn safe_programs_have_proofs_that_are_accepted() {
    let bench = Bench::new();
    let mut several = 0;
    for program in SAFE {
        let (code, out, err) = bench.prove(program, "a.proof");
        assert_eq!(code, 0, "{program}: {out}{err}");
        assert_eq!(
            err,
            "sleave: proved: check it with `sleave check-proof a.proof`\n"
        );
        several += u32::from(!out.contains("Searched 1 run "));
        let (code, out, err) = bench.run(&["check-proof", "a.proof"]);
        assert_eq!((code, err.as_str()), (0, ""), "{program}: {out}");
        assert!(out.starts_with("proof accepted: "), "{program}: {out}");
        // The answers that the verdict rests on are all in the proof of the last formula: no fault,
        // no open exit, no fault that was not asked for, no deadlock; where rounds with waits are left
        // out, nothing that looks like a deadlock, either.
        let text = std::fs::read_to_string(bench.path("a.proof")).expect("a proof");
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let count = |kind| of_kind(&lines, kind).count();
        let waits = usize::from(program.starts_with("cond_"));
        let races = count("u") - 4 - waits;
        assert_eq!(races > 0, program.starts_with("race_"), "{program}");
        assert_eq!(count("m"), 0, "{program}");
        assert_eq!(
            lines.last(),
            Some(&format!("z {}", lines.len() - 1)),
            "{program}"
        );
    }
    assert!(several > 2, "the engine makes several formulas");
}

#[test]
fn proofs_without_a_line_are_refused() {
    let bench = Bench::new();
    let lines = bench.proof_of(SMALL);
    assert_eq!(bench.check(&lines).0, 0);
    let without = |at: usize| {
        let mut lines = lines.clone();
        lines.remove(at);
        lines
    };
    bench.refused(&without(lines.len() - 1), "it ends without a last line");
    bench.refused(&lines[..lines.len() / 2], "it ends without a last line");
    for kind in ["n", "p", "e", "r", "w", "i", "t", "a", "d", "q", "u"] {
        let mut of_kind = of_kind(&lines, kind);
        let (first, _) = of_kind.next().unwrap_or_else(|| panic!("no line {kind}"));
        assert_eq!(bench.check(&without(first)).0, 5, "{}", lines[first]);
    }
    // What is lost is missed even if the number of lines is right.
    for (kind, why) in [
        ("n", "there is no event"),
        ("t", "there is no clause"),
        ("q", "an answer without a question"),
        ("u", "a question has no answer"),
    ] {
        let (first, _) = of_kind(&lines, kind).next().expect("such a line");
        bench.refused(&mended(without(first)), why);
    }
}

#[test]
fn proofs_with_another_literal_are_refused() {
    let bench = Bench::new();
    let lines = bench.proof_of(SMALL);
    let with = |at: usize, word: usize| {
        let mut lines = lines.clone();
        let mut words: Vec<String> = lines[at].split(' ').map(str::to_string).collect();
        let number: i64 = words[word].parse().expect("a literal");
        words[word] = (-number).to_string();
        lines[at] = words.join(" ");
        lines
    };
    // Each literal of a lemma is used by its walk.
    for (at, line) in of_kind(&lines, "t") {
        let literals = line.split(' ').skip(2).take_while(|word| *word != "0");
        for literal in 0..literals.count() {
            bench.refused(&with(at, 2 + literal), "leaves out a literal");
        }
    }
    // The clauses that answer questions.
    for (_, answer) in of_kind(&lines, "u") {
        let id = answer.split(' ').nth(1).expect("a number");
        let mut clauses = of_kind(&lines, "a");
        let (at, clause) = clauses
            .find(|(_, line)| line.split(' ').nth(1) == Some(id))
            .expect("the clause");
        if clause.split(' ').nth(2) != Some("0") {
            assert_eq!(bench.check(&with(at, 2)).0, 5, "{clause}");
        }
    }
    // And what is asked.
    for (at, line) in of_kind(&lines, "q") {
        assert_ne!(line, "q 0");
        assert_eq!(bench.check(&with(at, 1)).0, 5, "{line}");
    }
}

#[test]
fn proofs_with_another_walk_are_refused() {
    let bench = Bench::new();
    let mut walks = 0;
    for program in [SMALL, "alg_ticket_lock.c"] {
        let lines = bench.proof_of(program);
        for (at, line) in of_kind(&lines, "t") {
            walks += 1;
            let words: Vec<&str> = line.split(' ').collect();
            let end = words
                .iter()
                .position(|word| *word == "0")
                .expect("literals end");
            let (clause, walk) = words.split_at(end + 1);
            let with = |walk: &[&str]| {
                let mut lines = lines.clone();
                lines[at] = [clause, walk].concat().join(" ");
                lines
            };
            // Where the last step leads, another event, and no steps at all.
            let last = walk
                .iter()
                .rposition(|word| word.parse::<u32>().is_ok_and(|n| n > 0));
            let mut other = walk.to_vec();
            other[last.expect("an event")] = "4000000";
            assert_eq!(bench.check(&with(&other)).0, 5, "{line}");
            bench.refused(&with(&["0"]), "the walk has no steps");
            // One step of an order that always holds is not between these events.
            let steps = walk.iter().position(|word| *word == "P");
            if let Some(step) = steps {
                let mut turned = walk.to_vec();
                turned.swap(step + 1, step + 2);
                assert_eq!(bench.check(&with(&turned)).0, 5, "{line}");
            }
        }
    }
    assert!(walks > 10, "{walks} lemmas");
}

/// What is found to fail, or not decided, has no proof, whatever was in the file before.
#[test]
fn only_what_is_safe_has_a_proof() {
    let bench = Bench::new();
    bench.proof_of(SMALL);
    assert_eq!(bench.run(&["check-proof", "a.proof"]).0, 0);
    let program = "#include <assert.h>
#include <pthread.h>
int counter;
void *worker(void *unused) { int seen = counter; counter = seen + 1; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
}
";
    std::fs::write(bench.path("lost_update.c"), program).expect("a file");
    let line = ["check", "--no-witness", "--engine", "trace", "--proof"];
    let check = |rest: &[&str]| bench.run(&[&line, rest].concat());
    let (code, _, err) = check(&["a.proof", "lost_update.c"]);
    assert_eq!((code, err.as_str()), (10, ""));
    assert_eq!(bench.run(&["check-proof", "a.proof"]).0, 5);
}

#[test]
fn that_a_proof_cannot_be_written_is_said() {
    let bench = Bench::new();
    std::fs::write(bench.path("a.c"), "int main(void) { return 0; }\n").expect("a file");
    let check = |proof: &str, rest: &[&str]| {
        let line = ["check", "--no-witness", "--proof", proof, "a.c"];
        bench.run(&[&line, rest].concat())
    };
    let trace = ["--engine", "trace"];
    for (proof, why) in [
        ("nowhere/a.proof", "No such file or directory"),
        ("/dev/full", "No space left on device"),
    ] {
        let (code, out, err) = check(proof, &trace);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        let text = format!("sleave: the proof cannot be written to {proof}: {why}");
        assert!(err.starts_with(&text), "{err}");
    }
    let (code, _, err) = check("a.c", &trace);
    assert_eq!(code, 1);
    assert!(err.contains("a.c"), "{err}");
    let source = std::fs::read_to_string(bench.path("a.c")).expect("it is there");
    assert!(source.starts_with("int main"));
    // Only the trace engine writes proofs, and only of an order that is a graph.
    assert_eq!(check("a.proof", &[]).0, 1);
    assert_eq!(check("a.proof", &["--engine", "trace", "--clocks"]).0, 1);
}
