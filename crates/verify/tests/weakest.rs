//! The weakest preconditions of P1's example (section 4), line by line, by the solver.

use std::sync::Arc;
use std::time::Duration;

use machine::{
    Answer, Machine, Mode, ObjectKind, Position, Probes, Program, Question, Setup, SharedSet,
    Situation,
};
use smt::{BinOp, CmpOp, TermId};

const PATH: &str = "#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int a, b, c, res;
static void *path(void *arg)
{
    if (a <= 0)
        res = res + 1;
    if (b <= 0)
        res = res + 2;
    if (c <= 0)
        res = res + 3;
    return arg;
}
int main(void)
{
    pthread_t thread;
    a = __VERIFIER_nondet_int();
    b = __VERIFIER_nondet_int();
    c = __VERIFIER_nondet_int();
    pthread_create(&thread, NULL, path, NULL);
    pthread_join(thread, NULL);
    return 0;
}
";

/// The lines of l0, ..., l5. l6 follows the last of them.
const LINES: std::ops::RangeInclusive<u32> = 6..=11;

/// Column 3: these are at most 0.
const REQUIRED: [&[&str]; 7] = [
    &["a", "b", "c"],
    &["b", "c"],
    &["b", "c"],
    &["c"],
    &["c"],
    &[],
    &[],
];

#[test]
fn table_of_section_4() {
    let mut path = Path::run();
    let end = path.locations[6];
    for (from, required) in REQUIRED.iter().enumerate() {
        let position = path.locations[from];
        let found = path.machine.weakest_precondition(position, end, &[]);
        let required = path.required(required);
        path.expect(found, required, from);
    }
}

/// The same with a condition in the end that the assignments change: `res <= 6`.
#[test]
fn what_is_assigned_is_substituted() {
    let mut path = Path::run();
    let end = path.locations[6];
    let at_the_end = path.result_is_at_most_6(0);
    let added = [6, 6, 5, 5, 3, 3, 0];
    for (from, (required, added)) in REQUIRED.iter().zip(added).enumerate() {
        let position = path.locations[from];
        let found = path
            .machine
            .weakest_precondition(position, end, &[at_the_end]);
        let required = path.required(required);
        let result = path.result_is_at_most_6(added);
        let required = path.machine.terms.and(required, result);
        path.expect(found, required, from);
    }
}

/// An execution in which all branches are taken, stopped where each location begins.
struct Path {
    machine: Machine,
    locations: Vec<Position>,
}

impl Path {
    fn run() -> Path {
        let program = load();
        let start = |shared| {
            let program = Arc::clone(&program);
            let mode = Mode {
                // Every access to what is said to be shared is a stop.
                observed: true,
                ..Mode::default()
            };
            let setup = Setup {
                mode,
                probes: Probes::default().with_history(Arc::default()),
                shared,
                ..Setup::default()
            };
            Machine::start(program, setup).expect("main")
        };
        let first = start(SharedSet::default());
        let mut shared = SharedSet::default();
        for name in ["a", "b", "c", "res"] {
            shared.insert_range(address(&first, name), 4);
        }
        let mut machine = start(shared);
        let mut locations = Vec::new();
        loop {
            match machine.advance().clone() {
                Situation::Schedule => {
                    let next = machine.enabled()[0];
                    let loc = machine.user_loc(next.thread);
                    let line = program.module.debug.locs[loc].line;
                    if LINES.clone().nth(locations.len()) == Some(line) {
                        locations.push(machine.position());
                    }
                    machine.schedule(next);
                }
                Situation::Ask(Question::Branch(condition)) => {
                    machine.assume(condition);
                    machine.answer(Answer::Truth(true));
                }
                Situation::Join => break,
                other => panic!("{other:?}"),
            }
        }
        locations.push(machine.position());
        assert_eq!(locations.len(), 7);
        Path { machine, locations }
    }

    fn cell(&mut self, name: &str) -> TermId {
        let address = address(&self.machine, name);
        self.machine.cell(address, 4)
    }

    /// These are at most 0.
    fn required(&mut self, names: &[&str]) -> TermId {
        let mut all = self.machine.terms.bool(true);
        for name in names {
            let cell = self.cell(name);
            let zero = self.machine.terms.constant(32, 0);
            let holds = self.machine.terms.cmp(CmpOp::Sle, cell, zero);
            all = self.machine.terms.and(all, holds);
        }
        all
    }

    /// `res + added <= 6`
    fn result_is_at_most_6(&mut self, added: u128) -> TermId {
        let result = self.cell("res");
        let terms = &mut self.machine.terms;
        let (added, six) = (terms.constant(32, added), terms.constant(32, 6));
        let sum = terms.bin(BinOp::Add, result, added);
        terms.cmp(CmpOp::Sle, sum, six)
    }

    /// Each of both implies the other.
    fn expect(&mut self, found: Option<Vec<TermId>>, required: TermId, location: usize) {
        let terms = &mut self.machine.terms;
        let found = terms.all(&found.expect("a weakest precondition"));
        for (one, other) in [(found, required), (required, found)] {
            let not_other = terms.not(other);
            let mut solver = smt::default_solver(Duration::from_secs(60));
            let answer = solver.check(terms, &[one, not_other]);
            let (found, required) = (terms.display(found), terms.display(required));
            assert!(answer.is_unsat(), "l{location}: {found}, not {required}");
        }
    }
}

fn load() -> Arc<Program> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("path.c");
    std::fs::write(&file, PATH).expect("the file is written");
    let loaded = verify::load(&[file], &[]).expect("a program that compiles");
    loaded.program
}

fn address(machine: &Machine, name: &str) -> u64 {
    let globals = &machine.program.module.globals;
    let is_it = |kind| matches!(kind, ObjectKind::Global(id) if globals[id].name == name);
    let mut objects = machine.state.memory.live_objects();
    let object = objects.find(|o| is_it(o.kind));
    object.expect("a global variable").base
}
