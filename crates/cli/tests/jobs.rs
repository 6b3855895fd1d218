//! Several workers, jobs in other processes, checkpoints: whoever does the work, and however often
//! it is interrupted, counts and results are those of one worker who does it all at once.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sleave() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sleave"))
}

/// The report on a program, from workers who cut their work as often as they can.
fn report(program: &Path, jobs: u32, options: &[&str], clang: &[String]) -> Value {
    let output = sleave()
        .args(["check", "--format", "json", "--engine=explore", "--jobs"])
        .arg(jobs.to_string())
        .args(options)
        .arg(program)
        .arg("--")
        .args(clang)
        .env("SLEAVE_ALWAYS_CUT", "1")
        .output()
        .expect("sleave runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    serde_json::from_slice(&output.stdout).expect("a report")
}

/// Executions at whose end a thread has gone round its loop in vain, and another one lets it out,
/// are counted apart.
#[test]
fn several_workers_count_every_trace_once() {
    for (program, define, traces, waiting) in [
        ("tests/programs/traces/two_threads_add.c", "N=3", 141, 0),
        ("tests/programs/traces/writers.c", "N=6", 720, 0),
        ("tests/programs/traces/p4_figure7.c", "N=0", 3, 0),
        ("tests/programs/counts/p1_figure4.c", "N=0", 36, 0),
        ("benches/por/fib.c", "N=3", 1_698, 0),
        ("benches/por/sigma.c", "N=4", 384, 0),
        ("benches/por/readers.c", "N=9", 512, 0),
        ("benches/por/lastzero.c", "N=10", 3_328, 0),
        ("benches/por/indexer.c", "N=14", 512, 0),
        ("benches/por/dekker.c", "ROUNDS=2", 803, 828),
        ("benches/por/lamport.c", "ROUNDS=2", 1_906, 2_034),
    ] {
        let clang = [format!("-D{define}")];
        let program = root().join(program);
        let reports: Vec<Value> = [1, 2, 4]
            .map(|jobs| {
                report(
                    &program,
                    jobs,
                    &["--por", "optimal", "--all", "--no-witness"],
                    &clang,
                )
            })
            .into();
        for report in reports {
            assert_eq!(report["runs"]["complete"], traces, "{}", program.display());
            let blocked = &report["runs"]["blocked"];
            assert_eq!(*blocked, waiting, "{}", program.display());
        }
    }
}

/// The first bug is the same one, with the same witness, after as many executions.
#[test]
fn several_workers_find_the_same_first_bug() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in [
        "alg_bank_input",
        "alg_shared_symbolic_index",
        "alg_lost_update",
        "cond_lost_wakeup",
        "deadlock_philosophers_3",
        "deadlock_input_dependent",
    ] {
        let program = root().join(format!("tests/programs/bug/{name}.c"));
        let find = |jobs: u32| {
            let witness = folder.path().join(format!("{name}.{jobs}.json"));
            let path = witness.to_str().expect("a path");
            let report = report(&program, jobs, &["--witness", path], &[]);
            let witness = std::fs::read_to_string(&witness).expect("a witness");
            let events = report["events"].clone();
            (report["runs"].clone(), events, witness)
        };
        let alone = find(1);
        for jobs in [2, 4] {
            assert_eq!(find(jobs), alone, "{name}, {jobs} workers");
        }
    }
}

#[test]
fn a_flag_that_has_no_effect_says_so() {
    let program = root().join("tests/programs/traces/writers.c");
    for option in [&["--por", "none"][..], &["--random", "--runs", "3"]] {
        let output = sleave()
            .args(["check", "--jobs", "2"])
            .args(option)
            .arg(&program)
            .args(["--", "-DN=2"])
            .output()
            .expect("sleave runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("this search has one worker"), "{told}");
    }
}

/// Killed twice in the middle and taken up again, a search ends with the counts of one that is left
/// alone.
#[test]
fn a_killed_search_goes_on_where_it_was_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("saved.json");
    let program = root().join("benches/por/sigma.c");
    let check = |options: &[&str], jobs: &str| {
        let mut command = sleave();
        command
            .args(["check", "--all", "--format", "json", "--no-witness"])
            .args(["--jobs", jobs, "--checkpoint-every", "0.05"])
            .args(options)
            .arg(&program)
            .args(["--", "-DN=7"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    };
    let path = saved.to_str().expect("a path");
    let resume = ["--resume", path, "--checkpoint", path];
    let mut executions = Vec::new();
    for (options, jobs) in [(&["--checkpoint", path][..], "1"), (&resume, "2")] {
        let before = std::fs::read(&saved).unwrap_or_default();
        let mut search = check(options, jobs).spawn().expect("sleave runs");
        let deadline = Instant::now() + Duration::from_secs(60);
        // Until it is saved, more than once.
        let mut seen = before;
        for _ in 0..2 {
            loop {
                let now = std::fs::read(&saved).unwrap_or_default();
                if now != seen {
                    seen = now;
                    break;
                }
                assert!(Instant::now() < deadline, "it is not saved");
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        search.kill().expect("it is killed");
        search.wait().expect("it ends");
        let job: Value =
            serde_json::from_slice(&std::fs::read(&saved).expect("a job")).expect("a whole file");
        let parts = job["work"]["parts"].as_array().expect("parts");
        let done = parts
            .iter()
            .filter_map(|p| p["Done"]["runs"]["complete"].as_u64());
        executions.push(done.sum::<u64>());
    }
    assert!(
        executions[0] > 0 && executions[1] > executions[0],
        "{executions:?}"
    );
    assert!(executions[1] < 645_120, "{executions:?}");
    let output = check(&resume, "2").output().expect("sleave runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["verdict"], "safe");
    assert_eq!(report["runs"]["complete"], 645_120);
    assert_eq!(report["runs"]["blocked"], 0);

    // Nothing is left, and that is known.
    let output = check(&resume, "1").output().expect("sleave runs");
    let again: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(again["runs"], report["runs"]);
}

/// An interrupt ends a search where it can be taken up again.
#[test]
fn a_stopped_search_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("saved.json");
    let check = |options: &[&str]| {
        let mut command = sleave();
        command
            .args(["check", "--all", "--format", "json", "--no-witness"])
            .args(options)
            .arg("--checkpoint")
            .arg(&saved)
            .arg(root().join("benches/por/fib.c"))
            .args(["--", "-DN=5"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    };
    let search = check(&["--checkpoint-every", "0.01"]).spawn();
    let search = search.expect("sleave runs");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !saved.exists() {
        assert!(Instant::now() < deadline, "it is not saved");
        std::thread::sleep(Duration::from_millis(1));
    }
    let process = i32::try_from(search.id()).expect("a process id");
    assert_eq!(unsafe { libc::kill(process, libc::SIGTERM) }, 0);
    let output = search.wait_with_output().expect("it ends");
    let stopped: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(stopped["reason"], "interrupted");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("go on with --resume"), "{told}");
    let path = saved.to_str().expect("a path");
    let output = check(&["--resume", path]).output().expect("sleave runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["verdict"], "safe");
    assert_eq!(report["runs"]["complete"], 218_243);

    for (options, clang, why) in [
        (
            &["--all", "--unwind", "3"][..],
            "-DN=5",
            "other options: --unwind",
        ),
        (&[], "-DN=5", "other options: --all"),
        (&["--all"], "-DN=3", "another program"),
    ] {
        let output = sleave()
            .args(["check", "--resume", path])
            .args(options)
            .arg(root().join("benches/por/fib.c"))
            .args(["--", clang])
            .output()
            .expect("sleave runs");
        assert_eq!(output.status.code(), Some(1));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(why), "{told}");
    }
}

/// The driver in `examples` has every job done by a process of its own.
#[test]
fn jobs_of_other_processes_sum_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let bitcode = folder.path().join("fib.bc");
    let compiled = Command::new("clang-22")
        .args([
            "-c",
            "-emit-llvm",
            "-g",
            "-O0",
            "-Xclang",
            "-disable-O0-optnone",
        ])
        .args(["-DN=3", "-o"])
        .arg(&bitcode)
        .arg(root().join("benches/por/fib.c"))
        .status();
    assert!(compiled.expect("clang runs").success());
    let output = Command::new("python3")
        .arg(root().join("examples/ship_jobs.py"))
        .args(["--executions", "150", "--processes", "2", "--sleave"])
        .arg(env!("CARGO_BIN_EXE_sleave"))
        .arg(&bitcode)
        .current_dir(folder.path())
        .output()
        .expect("python runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1698 executions"), "{text}{told}");
    assert!(text.contains("safe"), "{text}");
    let jobs = text
        .split(" jobs")
        .next()
        .and_then(|t| t.rsplit(' ').next());
    let jobs: u32 = jobs.and_then(|n| n.parse().ok()).expect("a number of jobs");
    assert!(jobs >= 10, "{text}");
}

#[test]
fn files_that_are_no_jobs_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = root().join("tests/programs/traces/writers.c");
    let job = folder.path().join("job.json");
    let written = sleave()
        .args(["check", "--job"])
        .arg(&job)
        .arg(&program)
        .args(["--", "-DN=3"])
        .status();
    assert!(written.expect("sleave runs").success());
    let text = std::fs::read_to_string(&job).expect("a job");
    for (from, to, why) in [
        ("{\"format\":1", "{\"format\":9", "reads format 1"),
        ("\"floor\":0", "\"floor\":7", "impossible place"),
        ("\"work\"", "\"play\"", "missing field"),
        ("{", "", "not a job"),
    ] {
        std::fs::write(&job, text.replacen(from, to, 1)).expect("a file");
        let output = sleave()
            .arg("explore-job")
            .args([&job, &program])
            .args(["--", "-DN=3"])
            .output()
            .expect("sleave runs");
        assert_eq!(output.status.code(), Some(1), "{why}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(why), "{told}");
    }
}
