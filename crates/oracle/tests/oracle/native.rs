//! What a rendered program does when it is run must be something that the reference says it can do.
//!
//! This ties the C text to the syntax tree without any verifier. All threads run on one processor,
//! so memory is sequentially consistent.

use std::path::{Path, PathBuf};
use std::process::Command;

use oracle::*;

use crate::rendering::{clang, write_source};

/// Defines the verifier's functions: inputs come from the command line, a false assumption ends the
/// process.
const RUNTIME: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
static char **next_input;
int __VERIFIER_nondet_int(void) { return atoi(*next_input++); }
void __VERIFIER_assume(int condition) { if (!condition) _exit(3); }
static void report(void);
__attribute__((constructor)) static void start(int argc, char **argv) {
    unsigned long first_processor[16] = {1};
    syscall(SYS_sched_setaffinity, 0, sizeof first_processor, first_processor);
    next_input = argv + 1;
    atexit(report);
}
"#;

#[test]
fn runs_are_among_the_behaviours() {
    compare(Config::default(), "default");
}

/// Threads that start late, what `main` does besides, loops that are left.
#[test]
fn runs_of_everything_are_among_the_behaviours() {
    let config = Config {
        // Nobody says where these fail.
        other_checks: 0,
        ..Config::everything()
    };
    compare(config, "everything");
}

fn compare(mut config: Config, name: &str) {
    // What a real machine cannot do: stop all other threads.
    config.weights.atomic_section = 0;
    let programs = (0..).map(|seed| (seed, generate(&config, seed)));
    let programs = programs.filter_map(|(seed, program)| {
        let found = behaviours(&program, Semantics::default());
        (!found.deadlock).then_some((seed, program, found))
    });
    for (seed, program, found) in programs.take(25) {
        let executable = compile(&format!("{name}_{seed}"), &program);
        for inputs in program.input_assignments() {
            check_run(&executable, &inputs, &program, &found, seed);
        }
    }
}

fn check_run(executable: &Path, inputs: &[i32], program: &Program, found: &Behaviours, seed: u64) {
    let mut command = Command::new(executable);
    command.args(inputs.iter().map(i32::to_string));
    let output = command.output().expect("the program can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {
            let stdout = String::from_utf8(output.stdout).expect("numbers are printed");
            let values = stdout.split_whitespace();
            let end = Final {
                inputs: inputs.iter().copied().map(i64::from).collect(),
                values: values.map(|v| v.parse().expect("a number")).collect(),
            };
            let shown = end.show(program);
            assert!(found.finals.contains(&end), "seed {seed}: {shown}");
        }
        Some(3) => {}
        _ => {
            // The C library writes "program: file.c:line: function: Assertion ..".
            let line = stderr
                .split_once(".c:")
                .and_then(|(_, rest)| rest.split(':').next());
            let line = line.and_then(|line| line.parse().ok());
            let id = line.and_then(|line| render(program).assertion_at(line));
            let id = id.unwrap_or_else(|| panic!("seed {seed}: {stderr}"));
            assert!(
                found.failing_assertions().contains(&id),
                "seed {seed}: {id}"
            );
        }
    }
}

fn compile(name: &str, program: &Program) -> PathBuf {
    let observables = program.observables();
    let print = |o: &Observable| format!("    printf(\"%d \", {o});\n");
    let prints: String = observables.iter().map(print).collect();
    let source = format!(
        "{}{RUNTIME}static void report(void) {{\n{prints}}}\n",
        render(program).source
    );
    let path = write_source(&format!("native_{name}.c"), &source);
    let executable = path.with_extension("");
    let mut clang = clang();
    clang.arg(&path).arg("-o").arg(&executable).arg("-pthread");
    let output = clang.output().expect("clang can be started");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {messages}");
    executable
}
