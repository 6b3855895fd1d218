//! P1, Figure 2: summaries are what the paper says, by the solver.

use std::sync::Arc;
use std::time::Duration;

use explore::{Besides, Monitor, Outcome, Prune, Published, Search, Summarise};
use ir::ValueId;
use machine::{Guard, Location, Machine, ObjectKind, Program, StateSnapshot, Status, ThreadId};
use smt::{CmpOp, TermId};

use super::definitions::{body, unfold};
use super::{Lines, SourceLine};
use crate::engine::{Analysed, Task};
use crate::engines::explore::Explorer;
use crate::names::Names;
use crate::{Explore, Loaded, Options};

const FIGURE_2: &str = "#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int x;
static pthread_t t1, t2;
static void *writer(void *arg)
{
    x = 10;
    x = 20;
    return NULL;
}
static void *reader(void *arg)
{
    int a = x;
    int b = x;
    assert(a <= b);
    return NULL;
}
int main(void)
{
    x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x <= 10);
    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
";

/// Where both threads stand: the line, or nothing if the thread has ended.
type Node = [Option<u32>; 2];

const N5: Node = [Some(10), Some(16)];
const N7: Node = [None, Some(16)];
const N9: Node = [None, Some(17)];

#[test]
fn summaries_of_figure_2() {
    let summarise = Summarise::default;
    let naive = Search::Naive(Prune::Summaries(summarise()));
    let dpor = Search::Dpor {
        commute: false,
        peek: false,
        summaries: Some(summarise()),
    };
    let source = Search::Source {
        commute: false,
        peek: false,
        besides: Besides::Summaries(summarise()),
    };
    // Every interleaving stops only where threads meet, not at the jump of the assertion.
    for (search, asserts) in [(naive, 0), (dpor, 1), (source, 1)] {
        let mut figure = Figure::default();
        let loaded = load(FIGURE_2);
        let outcome = figure.search(&loaded, &search);
        assert_eq!((outcome.runs.complete, outcome.runs.pruned), (1, 4));
        assert_eq!(figure.checked, [asserts, 2, 1], "{search:?}: n9, n7, n5");
    }
}

fn load(source: &str) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("figure.c");
    std::fs::write(&file, source).expect("the file is written");
    crate::load(&[file], &[]).expect("a program that compiles")
}

/// Compares the summaries that a search leaves with those of the figure.
#[derive(Default)]
struct Figure {
    program: Option<Arc<Program>>,
    /// Control states at n9, n7 and n5: main may have joined the first thread or not.
    checked: [usize; 3],
}

impl Figure {
    fn search(&mut self, loaded: &Loaded, search: &Search) -> Outcome {
        let lines = [10, 16, 17].map(|line| SourceLine { file: None, line });
        let explore = Explore {
            explain: Some(Lines(lines.into())),
            ..Explore::of(search.clone())
        };
        let options = Options::with(explore.clone());
        let (never, analysed) = (Arc::default(), Analysed::new(loaded));
        let task = Task::new(loaded, &options, &never, &analysed);
        let (subject, search) = Explorer::new(explore).prepare(&task);
        self.program = Some(Arc::clone(&subject.program));
        explore::search(&subject.program, &search, self).expect("a search")
    }
}

impl Monitor for Figure {
    fn summaries(&mut self, machine: &mut Machine, published: Vec<Published>) {
        let program = self.program.clone().expect("a program");
        for state in super::by_state(&published) {
            let snapshot = &state[0].snapshot;
            let node = node(&program, snapshot);
            let Some(index) = [N9, N7, N5].iter().position(|n| *n == node) else {
                continue;
            };
            let known = any_of(&program, machine, &state);
            let expected = expected(&program, machine, snapshot, index);
            let handles = handles(&program, machine, snapshot, known);
            let (is_known, is_expected) = (
                machine.terms.display(known),
                machine.terms.display(expected),
            );
            let differ = format!("{node:?}: {is_known} is not {is_expected}");
            for (one, other) in [(known, expected), (expected, known)] {
                let not_other = machine.terms.not(other);
                let mut solver = smt::default_solver(Duration::from_secs(60));
                let answer = solver.check(&mut machine.terms, &[handles, one, not_other]);
                assert!(answer.is_unsat(), "{differ}");
            }
            self.checked[index] += 1;
        }
    }
}

fn node(program: &Program, snapshot: &StateSnapshot) -> Node {
    let names = Names::new(program);
    [1, 2].map(|thread| {
        let mut threads = snapshot.threads.iter();
        let stand = threads.find(|s| s.thread == ThreadId(thread))?;
        let place = names.file_and_line(stand.loc);
        place
            .filter(|_| !stand.status.is_over())
            .map(|place| place.1)
    })
}

/// What the summaries of a control state say of all executions from there: one of them holds.
fn any_of(program: &Program, machine: &mut Machine, state: &[&Published]) -> TermId {
    let mut any = machine.terms.bool(false);
    for summary in state.iter().filter(|s| s.asleep.is_empty()) {
        let mut all = machine.terms.bool(true);
        for condition in &summary.conditions {
            let condition = unfold(program, machine, &summary.snapshot, *condition);
            all = machine.terms.and(all, condition);
        }
        any = machine.terms.or(any, all);
    }
    any
}

/// `a <= b`, `a <= x`, `a <= 20 && a <= x`.
fn expected(
    program: &Program,
    machine: &mut Machine,
    snapshot: &StateSnapshot,
    index: usize,
) -> TermId {
    let a = local(program, machine, snapshot, "a");
    let x = global(program, machine, snapshot, "x");
    let twenty = machine.terms.constant(32, 20);
    let at_most = |machine: &mut Machine, bound| machine.terms.cmp(CmpOp::Sle, a, bound);
    match index {
        0 => {
            let b = local(program, machine, snapshot, "b");
            at_most(machine, b)
        }
        1 => at_most(machine, x),
        _ => {
            let (first, second) = (at_most(machine, twenty), at_most(machine, x));
            machine.terms.and(first, second)
        }
    }
}

/// The paper has no main that joins: `t1` and `t2` are what it was given when it made the threads,
/// and so is what it has read of them, the handle of the thread for which it waits.
fn handles(
    program: &Program,
    machine: &mut Machine,
    snapshot: &StateSnapshot,
    known: TermId,
) -> TermId {
    let handle = |thread: ThreadId| u128::from(thread.0) + 1;
    let mut are = vec![
        (
            global(program, machine, snapshot, "t1"),
            handle(ThreadId(1)),
        ),
        (
            global(program, machine, snapshot, "t2"),
            handle(ThreadId(2)),
        ),
    ];
    for input in machine.terms.support(known).to_vec() {
        if let Some(Location::Register {
            thread: ThreadId::MAIN,
            depth,
            slot,
            width: 64,
        }) = machine.location_of(input)
            && let Status::Parked {
                guard: Guard::Ended(awaited),
                ..
            } = snapshot.threads[0].status
        {
            let register = machine.register_term(ThreadId::MAIN, depth, slot, 64);
            are.push((register, handle(awaited)));
        }
    }
    let mut all = machine.terms.bool(true);
    for (term, handle) in are {
        let handle = machine.terms.constant(64, handle);
        let is_it = machine.terms.cmp(CmpOp::Eq, term, handle);
        all = machine.terms.and(all, is_it);
    }
    all
}

fn global(
    program: &Program,
    machine: &mut Machine,
    snapshot: &StateSnapshot,
    name: &str,
) -> TermId {
    let is_it = |kind| match kind {
        ObjectKind::Global(id) => program.module.globals[id].name == name,
        _ => false,
    };
    let object = snapshot.objects.iter().find(|o| is_it(o.kind));
    let object = object.expect("a global variable");
    machine.cell(object.base, object.size as u32)
}

/// Of the second thread.
fn local(program: &Program, machine: &mut Machine, snapshot: &StateSnapshot, name: &str) -> TermId {
    let thread = ThreadId(2);
    let stand = snapshot.threads.iter().find(|s| s.thread == thread);
    let depths = 0..stand.expect("the thread").frames.len() as u32;
    let mut found = depths.filter_map(|depth| {
        let body = body(program, snapshot, thread, depth)?;
        let mut values = body.values.enumerate();
        let (value, _) = values.find(|(_, v)| v.name.as_deref() == Some(name))?;
        Some((depth, value))
    });
    let (depth, ValueId(slot)) = found.next().expect("a local variable");
    machine.register_term(thread, depth, slot, 32)
}
