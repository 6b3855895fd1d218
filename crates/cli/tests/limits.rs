//! Limits hold, whatever the program makes Sleave do: a moment after `--time-limit`,
//! `--memory-limit` or a signal the process has ended, with a verdict. Programs are chosen so that
//! each phase is where the limit finds it: the compiler, loading, static analysis, one question to
//! the solver, executions without end, confirming and shortening.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The promise is one second; machines that run tests may be busy.
const SLACK: Duration = Duration::from_secs(5);

/// A process that still runs then is ended, and the test fails.
const NEVER: Duration = Duration::from_secs(90);

struct Folder(tempfile::TempDir);

struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
    took: Duration,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        Folder(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// A compiler that starts another process, says so, and never comes to its end.
    fn endless_clang(&self) -> String {
        let path = self.path().join("endless-clang");
        let script = "#!/bin/sh\nsleep 300 &\necho $! > child.pid\nwait\n";
        std::fs::write(&path, script).expect("a file");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, executable).expect("a script");
        path.display().to_string()
    }

    fn sleave(&self, line: &str, clang: Option<&str>) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sleave"));
        if let Some(clang) = clang {
            command.env("SLEAVE_CLANG", clang);
        }
        command
            .args(line.split_whitespace())
            .current_dir(self.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("sleave runs")
    }

    /// Runs to the end.
    fn run(&self, line: &str) -> Ended {
        let start = Instant::now();
        wait(self.sleave(line, None), start)
    }

    /// Runs until so long after the start, and is told to stop then.
    fn signalled(&self, line: &str, signal: i32, after: Duration) -> Ended {
        let child = self.sleave(line, None);
        std::thread::sleep(after);
        let start = Instant::now();
        tell(&child, signal);
        wait(child, start)
    }
}

fn tell(child: &Child, signal: i32) {
    let process = i32::try_from(child.id()).expect("a process id");
    assert_eq!(unsafe { libc::kill(process, signal) }, 0);
}

fn wait(mut child: Child, start: Instant) -> Ended {
    let (mut out, mut err) = (String::new(), String::new());
    let mut pipes = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let status = std::thread::scope(|scope| {
        scope.spawn(|| pipes.0.read_to_string(&mut out));
        scope.spawn(|| pipes.1.read_to_string(&mut err));
        loop {
            if let Some(status) = child.try_wait().expect("a child") {
                return status;
            }
            if start.elapsed() > NEVER {
                child.kill().expect("a child");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    assert_eq!(status.signal(), None, "ended by a signal: {out}{err}");
    Ended {
        code: status.code(),
        out,
        err,
        took: start.elapsed(),
    }
}

impl Ended {
    fn last_line(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }

    /// Nothing is known, for this reason, and that was said in time.
    fn is_unknown(&self, reason: &str, limit: Duration) {
        let Ended { out, err, took, .. } = self;
        assert_eq!(
            self.last_line(),
            format!("verdict: unknown ({reason})"),
            "{out}{err}"
        );
        assert_eq!(self.code, Some(5), "{out}{err}");
        assert!(*took < limit + SLACK, "{took:?}: {out}{err}");
    }

    fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "one object: {}", self.out);
        serde_json::from_str(&self.out).expect("an object")
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// No solver multiplies numbers of 64 bits backwards.
const PRODUCT: &str = "#include <assert.h>
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned __int128 a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
    unsigned __int128 c = (unsigned __int128)0x8a3f5d1b2c4e6f79ul << 64 | 0x1234567890abcdeful;
    if (a > 1 && b > 1) assert(a * b != c);
}
";

/// Loops that never end, in several ways; `HOW` says which.
const ENDLESS: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int __VERIFIER_nondet_int(void);
int shared; atomic_int done; int table[64];
struct pair { void *a, *b; }; struct { _Atomic(void *) a, b; } queue;
void *set(void *unused) { done = 1; return 0; }
void get(struct pair *p) { p->a = queue.a; p->b = queue.b; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    int seen = done;
#if HOW == 0
    unsigned n = 0;
    if (seen == 0) for (;;) n++;
#elif HOW == 1
    struct pair p;
    if (seen == 0) for (;;) { get(&p); if (p.a != p.b) break; }
#elif HOW == 2
    for (;;) { int in = __VERIFIER_nondet_int(); if (in > 0) shared += in; else table[in & 63]++; }
#elif HOW == 3
    for (;;) { if (__VERIFIER_nondet_int()) shared++; else done = !done; }
#elif HOW == 4
    for (;;) { shared += done + 1; assert(shared != -7); }
#elif HOW == 5
    for (int i = 0;; i++) { table[i & 63] = __VERIFIER_nondet_int(); if (table[(i + 7) & 63] == 3) done++; }
#endif
    pthread_join(t, 0);
    return seen;
}
";

/// Takes ever more memory, in one execution.
const HUNGRY: &str = "#include <stdlib.h>
#include <string.h>
int main(void) { for (;;) { char *p = malloc(1 << 20); memset(p, 1, 1 << 20); } }
";

/// More interleavings than anyone can try.
const HUGE: &str = "#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *unused) { for (int i = 0; i < 40; i++) x++; return 0; }
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    assert(x > 0);
}
";

const SAFE: &str = "int main(void) { return 0; }\n";

/// A driver with many operations in a table of function pointers, each of which changes a state
/// that all threads share.
fn driver(operations: usize) -> String {
    use std::fmt::Write;
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n\
         struct dev { pthread_mutex_t lock; struct dev *next; int (*op)(struct dev *, int); int regs[16]; char *buf; };\n\
         struct dev *devs; int total;\nint __VERIFIER_nondet_int(void);\n",
    );
    for i in 0..operations {
        let (previous, register) = (i.saturating_sub(1), i % 16);
        let call = match i % 3 {
            0 if i > 0 => format!("op{previous}(d->next ? d->next : d, v - 1)"),
            1 => "d->op(d, v - 1)".to_string(),
            _ => format!("d->regs[v & 15] + {i}"),
        };
        let _ = writeln!(
            text,
            "static int op{i}(struct dev *d, int v) {{\n    pthread_mutex_lock(&d->lock);\n    d->regs[{register}] += v;\n    \
             if (v > {i} && d->buf) memcpy(d->buf, &d->regs[{register}], 4);\n    pthread_mutex_unlock(&d->lock);\n    \
             if (v <= 0) return d->regs[{register}];\n    total += {call};\n    return total;\n}}"
        );
    }
    text.push_str("static int (*const ops[])(struct dev *, int) = {");
    for i in 0..operations {
        let _ = write!(text, "op{i}, ");
    }
    let _ = write!(
        text,
        "}};\nstatic void *user(void *a) {{\n    struct dev *d = a;\n    \
         for (int i = 0; i < 50; i++) {{ d->op = ops[(unsigned)__VERIFIER_nondet_int() % {operations}]; d->op(d, i); }}\n    \
         return 0;\n}}\n\
         int main(void) {{\n    pthread_t t[3];\n    for (int i = 0; i < 3; i++) {{\n        \
         struct dev *d = calloc(1, sizeof *d);\n        pthread_mutex_init(&d->lock, 0);\n        d->buf = malloc(64);\n        \
         d->op = ops[i];\n        d->next = devs;\n        devs = d;\n        pthread_create(&t[i], 0, user, d);\n    }}\n    \
         for (int i = 0; i < 3; i++) pthread_join(t[i], 0);\n    assert(total >= 0 || total < 0);\n}}\n"
    );
    text
}

#[test]
fn the_compiler_ends_with_the_limit() {
    let folder = Folder::new(&[("a.c", SAFE)]);
    let clang = folder.endless_clang();
    for line in [
        "check --time-limit 1 a.c",
        "check --time-limit 1 --quiet a.c",
    ] {
        let start = Instant::now();
        wait(folder.sleave(line, Some(&clang)), start).is_unknown("time limit", SECOND);
        let pid = std::fs::read_to_string(folder.path().join("child.pid")).expect("it was run");
        let pid: i32 = pid.trim().parse().expect("a process id");
        // What the compiler has started is gone too, or is about to be.
        let is_there = || unsafe { libc::kill(pid, 0) } == 0 && !is_dead(pid);
        let late = Instant::now() + SLACK;
        while is_there() && Instant::now() < late {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!is_there(), "the compiler still runs");
    }
    let start = Instant::now();
    let line = "check --time-limit 1 --format json a.c";
    let report = wait(folder.sleave(line, Some(&clang)), start).json();
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["reason"], "time limit");
}

/// Nobody may have asked yet how it ended.
fn is_dead(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_none_or(|rest| rest.trim_start().starts_with('Z'))
}

#[test]
fn every_command_heeds_signals_while_it_compiles() {
    let folder = Folder::new(&[("a.c", SAFE), ("huge.c", HUGE)]);
    let run = folder.run("check --job job.json huge.c");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let bug = "#include <assert.h>\nint main(void) { assert(0); }\n";
    std::fs::write(folder.path().join("bug.c"), bug).expect("a file");
    assert_eq!(folder.run("check bug.c").code, Some(10));
    let clang = folder.endless_clang();
    for (line, is_verdict) in [
        ("check a.c", true),
        ("replay bug.witness.json", true),
        ("lint a.c", false),
        ("analyze --show cfg a.c", false),
        ("explore-job job.json huge.c", false),
        ("bench p4", false),
    ] {
        for signal in [libc::SIGTERM, libc::SIGINT] {
            let child = folder.sleave(line, Some(&clang));
            std::thread::sleep(Duration::from_millis(700));
            let start = Instant::now();
            tell(&child, signal);
            let ended = wait(child, start);
            let Ended { out, err, took, .. } = &ended;
            assert_eq!(ended.code, Some(5), "{line}: {out}{err}");
            assert!(*took < SLACK, "{line}: {took:?}");
            if is_verdict {
                ended.is_unknown("interrupted", Duration::ZERO);
            }
        }
    }
}

#[test]
fn analysis_and_loading_end_with_the_limit() {
    let folder = Folder::new(&[("driver.c", &driver(600))]);
    for (limit, options) in [
        (0.2, ""),
        (1.0, ""),
        (2.5, "--engine=explore"),
        (2.5, "--por none"),
    ] {
        let run = folder.run(&format!("check --time-limit {limit} {options} driver.c"));
        run.is_unknown("time limit", Duration::from_secs_f64(limit));
    }
    for after in [300, 1200, 2500] {
        for line in ["check driver.c", "lint driver.c"] {
            let after = Duration::from_millis(after);
            let ended = folder.signalled(line, libc::SIGTERM, after);
            let is_done = line.starts_with("lint") && ended.code == Some(0);
            assert!(
                ended.code == Some(5) || is_done,
                "{line}: {}{}",
                ended.out,
                ended.err
            );
            assert!(ended.took < SLACK, "{line}: {:?}", ended.took);
        }
    }
}

#[test]
fn one_question_to_the_solver_ends_with_the_limit() {
    let folder = Folder::new(&[("product.c", PRODUCT)]);
    for options in [
        "",
        "--por none",
        "--por source --prune summaries",
        "--preemptions 1",
    ] {
        let run = folder.run(&format!("check --time-limit 1 {options} product.c"));
        run.is_unknown("time limit", SECOND);
    }
    let report = folder
        .run("check --time-limit 1 --format json product.c")
        .json();
    assert_eq!(report["reason"], "time limit");
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let ended = folder.signalled("check product.c", signal, 2 * SECOND);
        ended.is_unknown("interrupted", Duration::ZERO);
    }
}

#[test]
fn loops_without_end_are_left_at_the_limit() {
    let folder = Folder::new(&[("endless.c", ENDLESS)]);
    for how in 0..6 {
        for options in [
            "",
            "--engine=explore",
            "--por none",
            "--por source --prune summaries",
        ] {
            let line = format!(
                "check --time-limit 1.5 --memory-limit 1000 --unwind 0 {options} --format json endless.c -- -DHOW={how}"
            );
            let run = folder.run(&line);
            assert!(run.took < 2 * SECOND + SLACK, "{line}: {:?}", run.took);
            assert!(matches!(run.code, Some(0 | 5 | 10)), "{line}: {}", run.err);
            let used = run.json()["memory_mb"].as_u64().expect("a number");
            assert!(used < 1500, "{line}: {used} MB");
        }
        let line = format!("check --unwind 0 endless.c -- -DHOW={how}");
        let ended = folder.signalled(&line, libc::SIGTERM, Duration::from_millis(1500));
        assert!(ended.took < SLACK, "{line}: {:?}", ended.took);
        assert!(
            matches!(ended.code, Some(0 | 5 | 10)),
            "{line}: {}",
            ended.err
        );
    }
}

#[test]
fn memory_is_bounded_where_it_grows_fast() {
    let folder = Folder::new(&[("hungry.c", HUNGRY), ("huge.c", HUGE)]);
    let run = folder.run("check --unwind 0 --memory-limit 300 --time-limit 60 hungry.c");
    run.is_unknown("memory limit", 60 * SECOND);
    let run =
        folder.run("check --unwind 0 --memory-limit 300 --time-limit 60 --format json hungry.c");
    let report = run.json();
    assert_eq!(report["reason"], "memory limit");
    let used = report["memory_mb"].as_u64().expect("a number");
    assert!(used < 600, "{used} MB");
    // Already above it when it starts.
    folder
        .run("check --memory-limit 1 huge.c")
        .is_unknown("memory limit", SECOND);
}

/// A bug that takes long to replay, and longer to make short.
#[test]
fn a_bug_that_is_known_is_reported() {
    let slow = "#include <assert.h>
#include <pthread.h>
int x, y;
static void burn(void) { for (volatile int i = 0; i < 60000; i++) ; }
void *worker(void *unused) { for (int i = 0; i < 6; i++) { int seen = x; burn(); x = seen + 1; y++; } return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 12);
}
";
    let folder = Folder::new(&[("slow.c", slow)]);
    let whole = folder.run("check --witness whole.json slow.c");
    assert_eq!(whole.code, Some(10), "{}", whole.out);
    let mut found = 0;
    for tenths in 1..=20 {
        let limit = whole.took.mul_f64(f64::from(tenths) / 20.0);
        let run = folder.run(&format!(
            "check --time-limit {} slow.c",
            limit.as_secs_f64()
        ));
        assert!(run.took < limit + SLACK, "{:?} for {limit:?}", run.took);
        let witness = folder.path().join("slow.witness.json");
        match run.code {
            Some(10) => {
                found += 1;
                assert_eq!(run.last_line(), "verdict: bug (assertion)");
                let replayed = folder.run("replay slow.witness.json");
                assert_eq!(replayed.code, Some(10), "{}", replayed.out);
                std::fs::remove_file(witness).expect("a witness");
            }
            _ => {
                run.is_unknown("time limit", limit);
                assert!(!witness.exists());
            }
        }
    }
    // It takes more than half of the time to make it short.
    assert!(found > 0, "a bug that was found is lost when time is short");
    let names = std::fs::read_dir(folder.path()).expect("a folder");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    let left = names.filter(|name| name.to_string_lossy().contains("tmp"));
    assert_eq!(left.count(), 0, "a file was left half-written");
}

#[test]
fn signals_end_a_search_at_any_moment() {
    let folder = Folder::new(&[("huge.c", HUGE)]);
    // Not sooner: before its handler is there a signal does what it always does.
    for (index, after) in [400, 700, 1100, 1800].into_iter().enumerate() {
        for options in [
            "",
            "--por source --prune summaries",
            "--por none",
            "--random",
        ] {
            let signal = [libc::SIGTERM, libc::SIGINT][index % 2];
            let line = format!("check {options} huge.c");
            let ended = folder.signalled(&line, signal, Duration::from_millis(after));
            assert!(ended.took < SLACK, "{line}: {:?}", ended.took);
            assert_eq!(ended.code, Some(5), "{line}: {}{}", ended.out, ended.err);
        }
    }
}

/// Both a task of its own thread and a promise that another one keeps: more call paths lead to a
/// creation than are taken apart.
const ASYNC: &str = "#include <cassert>
#include <future>
#include <thread>

int main()
{
    auto five = std::async(std::launch::async, [] { return 5; });
    std::promise<int> promise;
    auto seven = promise.get_future();
    std::thread keeper([&] { promise.set_value(7); });
    assert(five.get() + seven.get() == 12);
    keeper.join();
}
";

/// A join stores its result where another thread reads, beside threads that count: long enough that
/// searches take turns.
const JOIN_RESULT: &str = "#include <assert.h>
#include <pthread.h>

static void *result;
static int counter;

static void *nothing(void *arg)
{
    return 0;
}

static void *join(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, &result);
    return 0;
}

static void *count(void *arg)
{
    for (int i = 0; i < 4; i++) {
        int seen = counter;
        counter = seen + 1;
    }
    return 0;
}

int main(void)
{
    pthread_t t, u, v, w;
    pthread_create(&t, 0, join, 0);
    pthread_create(&u, 0, count, 0);
    pthread_create(&v, 0, count, 0);
    pthread_create(&w, 0, count, 0);
    void *seen = result;
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    pthread_join(w, 0);
    assert(seen == 0);
    assert(counter > 0);
}
";

/// On these, no limit would have helped; they are decided.
/// The report has a row for each of 30,000 lines: more than a pipe holds.
#[test]
fn a_report_that_nobody_reads_ends_with_the_limit() {
    let long = "#include <assert.h>
#include <stdio.h>
int main(void) { for (int i = 0; i < 30000; i++) printf(\"%d and some more text\\n\", i); assert(0); }";
    let folder = Folder::new(&[("long.c", long)]);
    let separate = "check --no-witness --unwind 0 --time-limit 4 long.c";
    is_cut_short(folder.sleave(separate, None));
    // Messages go the same way as the report, and nobody reads them either.
    let together = format!("exec {} {separate} 2>&1", env!("CARGO_BIN_EXE_sleave"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &together]).current_dir(folder.path());
    is_cut_short(shell.stdout(Stdio::piped()).spawn().expect("a shell"));
}

fn is_cut_short(mut child: Child) {
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > NEVER {
            child.kill().expect("a child");
            panic!("it waits for a reader");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(start.elapsed() < Duration::from_secs(4) + SLACK);
    let mut out = Vec::new();
    let mut pipe = child.stdout.take().expect("a pipe");
    pipe.read_to_end(&mut out).expect("what was written");
    assert!(out.len() >= 1 << 16, "{} bytes", out.len());
}

#[test]
fn a_job_that_does_not_come_ends_with_the_limit() {
    let folder = Folder::new(&[("fine.c", "int main(void) { return 0; }")]);
    let fifo = folder.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
    assert!(made.success());
    let ended = folder.run("explore-job --time-limit 1 fifo fine.c");
    assert_eq!(ended.code, Some(5), "{}", ended.err);
    assert!(ended.took < Duration::from_secs(1) + SLACK);
    let ended = folder.signalled(
        "explore-job fifo fine.c",
        libc::SIGTERM,
        Duration::from_millis(300),
    );
    assert_eq!(ended.code, Some(5), "{}", ended.err);
    assert!(ended.took < SLACK);
}

#[test]
fn what_took_for_ever_is_decided() {
    let folder = Folder::new(&[("async.cpp", ASYNC), ("join.c", JOIN_RESULT)]);
    for line in [
        "check --memory-limit 1000 --time-limit 60 async.cpp",
        "check --memory-limit 1000 --time-limit 60 join.c",
        "check --memory-limit 1000 --time-limit 60 --por source --prune summaries join.c",
    ] {
        let run = folder.run(line);
        assert_eq!(
            run.last_line(),
            "verdict: safe",
            "{line}: {}{}",
            run.out,
            run.err
        );
    }
}
