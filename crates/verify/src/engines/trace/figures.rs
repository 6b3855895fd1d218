//! P3's own examples: Figure 1 with Table 1, and Figure 4. The programs say behind a statement, in a
//! comment, which line of the figure it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::explore::Silent;
use encode::{Encoding, EventIx, FaultKind, Graph, Model, Question, ThreadIx};
use ir::debug::LocId;
use machine::Property;

use super::{ALONE, Ended, Goal, Run};
use crate::Loaded;
use crate::engine::{Analysed, Task};
use crate::options::{EngineOptions, Options, Trace};

/// With a = 1 and b = 0. What the figure does not show of `complexA` is an assertion on what must
/// be if it is called.
const FIGURE_1: &str = "#include <assert.h>
#include <pthread.h>
static int y;
static void complexA(void)
{
    assert(y == 1);         /* A */
}
static void complexB(void)
{
    assert(0);
}
static void foo(int a)
{
    y = a + 1;              /* 1 */
    if (y < 2)              /* 2 */
        complexA();         /* 3 */
    else
        assert(y >= 2);     /* 5 */
}
static void bar(int b)
{
    if (b >= 0)             /* 6 */
        y = b + 1;          /* 7 */
    else
        complexB();         /* 9 */
}
static void *thread_1(void *arg)
{
    foo(1);
    return arg;
}
static void *thread_2(void *arg)
{
    bar(0);
    return arg;
}
int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread_1, NULL);
    pthread_create(&t2, NULL, thread_2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
";

/// Table 1: all interleavings of the first trace; whether each is one of the program; and whether
/// the assertion on line 5 fails in it.
const TABLE_1: [([u32; 5], bool, bool); 10] = [
    ([1, 2, 5, 6, 7], true, false),
    ([1, 2, 6, 5, 7], true, false),
    ([1, 2, 6, 7, 5], true, true),
    ([1, 6, 2, 5, 7], true, false),
    ([1, 6, 2, 7, 5], true, true),
    ([1, 6, 7, 2, 5], false, true),
    ([6, 1, 2, 5, 7], true, false),
    ([6, 1, 2, 7, 5], true, true),
    ([6, 1, 7, 2, 5], false, true),
    ([6, 7, 1, 2, 5], true, false),
];

/// No visible event: it only looks at a local variable.
const LOCAL_LINE: u32 = 6;

/// What comes after the local line in its thread.
const AFTER_LOCAL_LINE: u32 = 7;

#[test]
fn orders_of_the_first_trace_are_those_of_table_1() {
    Figure::of(FIGURE_1).with_run(|figure, run| {
        follow(run, &Model::default());
        // The first trace, but that the local line comes as soon as it can.
        assert_eq!(figure.executed(run, 0), ["6", "1", "2", "5", "7"]);

        let mut valid: BTreeSet<(Vec<u32>, bool)> = BTreeSet::new();
        let mut visible: BTreeSet<(Vec<u32>, bool)> = BTreeSet::new();
        for (order, is_valid, fails) in TABLE_1 {
            if is_valid {
                valid.insert((order.to_vec(), fails));
                let order = order.into_iter().filter(|line| *line != LOCAL_LINE);
                visible.insert((order.collect(), fails));
            }
        }
        assert_eq!((valid.len(), visible.len()), (8, 3));

        let found = figure.orders(run);
        assert_eq!(found, visible);
        // With the local line wherever its thread may come to it, they are the eight of the table.
        let with_local_line: BTreeSet<_> = found.iter().flat_map(with_local_line).collect();
        assert_eq!(with_local_line, valid);
    });
}

/// The orders in which the local line has any place before what comes after it in its thread.
fn with_local_line((order, fails): &(Vec<u32>, bool)) -> Vec<(Vec<u32>, bool)> {
    let last = order.iter().position(|line| *line == AFTER_LOCAL_LINE);
    let all = 0..=last.expect("its thread goes on");
    all.map(|at| {
        let mut order = order.clone();
        order.insert(at, LOCAL_LINE);
        (order, *fails)
    })
    .collect()
}

#[test]
fn the_failing_order_of_table_1_is_found_from_the_first_run() {
    Figure::of(FIGURE_1).with_run(|figure, run| {
        let Ended::Bug(found) = run.run() else {
            panic!("the assertion on line 5 fails");
        };
        assert_eq!(found.fault.fault.property(), Property::Assertion);
        assert_eq!(figure.line(found.fault.loc).as_deref(), Some("5"));
        // The second run is that of the model.
        assert_eq!(run.progress.logs.as_ref().map(Vec::len), Some(2));
        let mut order = figure.executed(run, 1);
        order.retain(|line| line != "6");
        assert_eq!(order, ["1", "2", "7", "5"]);
    });
}

/// What the table calls invalid are orders in which line 2 goes the other way.
#[test]
fn complex_a_is_entered_by_a_guided_run() {
    Figure::of(FIGURE_1).with_run(|figure, run| {
        follow(run, &Model::default());
        let graph = figure.unroll(run);
        let faults = |graph: &Graph| {
            let is_assertion = |kind| kind == FaultKind::Assertion;
            let faults = graph.faults.iter().filter(|f| is_assertion(f.kind));
            let lines = faults.filter_map(|f| figure.line(f.loc));
            lines.collect::<BTreeSet<String>>()
        };
        // The assertion of complexA was not seen.
        assert_eq!(faults(&graph), BTreeSet::from(["5".into()]));

        let mut encoding = run.encode(&graph).ok().expect("a formula");
        assert!(is_exit_open(run, &mut encoding), "psi");
        let model = encoding.model(&run.terms);
        for at in &model.exits {
            encoding.leave_out_exit(*at);
            let exit = &graph.exits[*at];
            assert_eq!(figure.line(exit.loc).as_deref(), Some("2"));
            run.known.visit(exit.thread, &exit.target);
        }
        assert!(!is_exit_open(run, &mut encoding), "there is one exit");
        follow(run, &model);
        let mut order = figure.executed(run, 1);
        order.retain(|line| line != "6");
        assert_eq!(order, ["1", "7", "2", "3", "A"]);

        let graph = figure.unroll(run);
        assert_eq!(faults(&graph), BTreeSet::from(["5".into(), "A".into()]));
        let mut encoding = run.encode(&graph).ok().expect("a formula");
        assert!(!is_exit_open(run, &mut encoding), "all is known");
    });
}

/// A run that ends well.
fn follow(run: &mut Run, model: &Model) {
    let ended = run.follow(model, Goal::default());
    assert!(ended.is_ok(), "the run ends well");
}

fn is_exit_open(run: &mut Run, encoding: &mut Encoding) -> bool {
    let answer = run.solve(encoding, Question::Exit);
    answer.ok().expect("an answer")
}

/// Figure 4 with a = 1, which makes three threads.
#[test]
fn line_11_of_figure_4_is_reached_by_guided_runs() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/p3/recursion.c");
    Figure::load(&file, &["-DTHREADS=3"]).with_run(|figure, run| {
        let Ended::Bug(found) = run.run() else {
            panic!("the assertion on line 11 fails");
        };
        assert_eq!(found.fault.fault.property(), Property::Assertion);
        assert_eq!(figure.line(found.fault.loc).as_deref(), Some("11"));
        let logs = run.progress.logs.as_ref().expect("they are kept");
        let runs: Vec<_> = (0..logs.len()).map(|at| figure.steps(run, at)).collect();
        for (number, steps) in (1..).zip(&runs) {
            let steps: Vec<String> = steps.iter().map(|(t, l)| format!("({t},{l})")).collect();
            eprintln!("run {number}: {}", steps.join(" "));
        }

        let first: Vec<(u32, &str)> = runs[0].iter().map(|(t, l)| (*t, l.as_str())).collect();
        let main = ["0", "1", "2", "3", "0", "1", "2", "5", "6"];
        let bar = ["13", "14", "15", "16"];
        let threads: [(u32, &[&str]); 4] = [(1, &main), (2, &bar), (3, &bar), (1, &["12", "12"])];
        let of_paper = threads
            .iter()
            .flat_map(|(t, lines)| lines.iter().map(|l| (*t, *l)));
        assert_eq!(
            first,
            of_paper.collect::<Vec<_>>(),
            "the paper's first trace"
        );

        // Each run shows two lines one after the other that no earlier one did. The last one comes
        // to line 11, after its thread has found 0 in `y`.
        let mut seen: BTreeSet<[String; 2]> = BTreeSet::new();
        assert!(runs.len() > 1, "the first run is on its own");
        for (number, steps) in (1..).zip(&runs) {
            let known = seen.len();
            for lines in by_thread(steps).values() {
                let pairs = lines.windows(2);
                seen.extend(pairs.map(|pair| [pair[0].to_string(), pair[1].to_string()]));
            }
            assert!(seen.len() > known, "run {number} shows nothing new");
        }
        let last = by_thread(runs.last().expect("there are runs"));
        assert!(last[&1].ends_with(&["5", "7", "10"]), "{:?}", last[&1]);
    });
}

/// What each thread does.
fn by_thread(steps: &[(u32, String)]) -> BTreeMap<u32, Vec<&str>> {
    let mut threads: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (thread, line) in steps {
        threads.entry(*thread).or_default().push(line);
    }
    threads
}

/// A program whose lines are those of a figure.
struct Figure {
    loaded: Loaded,
    /// By line of the program: that of the figure.
    lines: BTreeMap<u32, String>,
}

impl Figure {
    fn of(source: &str) -> Figure {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("figure.c");
        std::fs::write(&file, source).expect("the file is written");
        Figure::load(&file, &[])
    }

    fn load(file: &Path, flags: &[&str]) -> Figure {
        let source = std::fs::read_to_string(file).expect("a program");
        let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
        let files: [PathBuf; 1] = [file.to_path_buf()];
        let numbered = (1..).zip(source.lines());
        let lines = numbered.filter_map(|(number, text)| {
            let comment = text.strip_suffix(" */")?.rsplit_once("/* ")?.1;
            Some((number, comment.to_string()))
        });
        Figure {
            lines: lines.collect(),
            loaded: crate::load(&files, &flags).expect("a program that compiles"),
        }
    }

    /// Runs the engine, or its parts.
    fn with_run(&self, test: impl FnOnce(&Figure, &mut Run)) {
        let options = Options::with(EngineOptions::Trace(Trace::default()));
        let (never, analysed) = (Arc::default(), Analysed::new(&self.loaded));
        let task = Task::new(&self.loaded, &options, &never, &analysed);
        let trace = Trace::default();
        let mut monitor = Silent;
        let mut run = Run::new(&trace, ALONE, &task, &mut monitor);
        run.progress.logs = Some(Vec::new());
        test(self, &mut run);
    }

    /// The line of the figure.
    fn line(&self, loc: LocId) -> Option<String> {
        let line = self.loaded.program.module.debug.locs[loc].line;
        self.lines.get(&line).cloned()
    }

    fn unroll(&self, run: &mut Run) -> Graph {
        run.unroll().ok().expect("a graph")
    }

    /// The lines of the figure that a run executed, and by which thread: main is 1.
    fn steps(&self, run: &Run, at: usize) -> Vec<(u32, String)> {
        let logs = run.progress.logs.as_ref().expect("they are kept");
        let steps = logs[at].iter().filter_map(|(thread, line)| {
            let ThreadIx(number) = *thread;
            Some((number + 1, self.lines.get(line)?.clone()))
        });
        steps.collect()
    }

    fn executed(&self, run: &Run, at: usize) -> Vec<String> {
        let mut lines: Vec<_> = self.steps(run, at).into_iter().map(|step| step.1).collect();
        lines.dedup();
        lines
    }

    /// All orders along known edges, as lines; and whether the assertion fails.
    fn orders(&self, run: &mut Run) -> BTreeSet<(Vec<u32>, bool)> {
        let graph = self.unroll(run);
        let encoding = run.encode(&graph).ok().expect("a formula");
        let orders = encoding.orders(&Arc::default()).expect("nobody interrupts");
        let count = orders.len();
        let line_of = |event: &EventIx| {
            let line = self
                .line(graph.events[*event].loc)
                .expect("a line of the figure");
            line.parse().expect("a number")
        };
        let found: BTreeSet<(Vec<u32>, bool)> = (orders.iter())
            .map(|order| {
                (
                    order.events.iter().map(line_of).collect(),
                    !order.faults.is_empty(),
                )
            })
            .collect();
        assert_eq!(found.len(), count, "each order once");
        found
    }
}
