//! Every interleaving of visible operations, every feasible branch, depth-first (P1, Algorithm 1).
//!
//! Nodes are kept on a stack with the machine's mark; going back is undoing the trail, never re-execution. A node whose last
//! alternative is taken is dropped at once, so depth counts only decisions that are still open.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ir::debug::LocId;
use machine::{
    Answer, Config, Cutoff, Enabled, End, FaultAt, Inputs, Machine, Mark, Program, Property,
    Question, SharedSet, Situation,
};
use smallvec::SmallVec;
use smt::{CmpOp, TermId};

use crate::decision::{Decision, Schedule};
use crate::feasibility::{Feasibility, Feasible};
use crate::outcome::{Found, Monitor, Outcome, Properties, Stopped};

#[derive(Clone, Debug)]
pub struct Options {
    pub machine: Config,
    pub properties: Properties,
    /// Go on after a fault.
    pub all: bool,
    /// Per query.
    pub solver_timeout: Duration,
    pub interrupt: Arc<AtomicBool>,
}

/// Searches until nothing is left, a fault is found (unless all are asked for), or it is told to stop.
pub fn search(
    program: &Arc<Program>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, String> {
    let mut shared = SharedSet::default();
    let mut names = Vec::new();
    let mut restarts = 0;
    loop {
        let inputs = Inputs::Symbolic;
        let mut machine =
            Machine::new(Arc::clone(program), options.machine.clone(), shared, inputs);
        machine.interrupt = Arc::clone(&options.interrupt);
        machine.set_thread_names(&names);
        machine.start()?;
        let mut search = Search {
            feasibility: Feasibility::new(smt::default_solver(options.solver_timeout)),
            machine,
            options,
            nodes: Vec::new(),
            decisions: Vec::new(),
            aftermath: false,
            outcome: Outcome {
                restarts,
                ..Outcome::default()
            },
            monitor,
        };
        let finished = search.run();
        let Search {
            mut outcome,
            machine,
            feasibility,
            ..
        } = search;
        if finished == Finished::SharingGrew {
            restarts += 1;
            names = machine.thread_names().to_vec();
            shared = machine.memory.shared.clone();
            monitor.restart();
            continue;
        }
        outcome.threads = machine.threads_seen;
        outcome.events = machine.total_events;
        outcome.shared = machine.memory.shared.clone();
        outcome.solver = feasibility.stats();
        return Ok(outcome);
    }
}

/// Decisions for which others are watched while one thread spins.
const LOOK_AHEAD: u32 = 1000;

/// So often a thread that spins goes on if the others have nothing to do with it: its loop may just be long.
const PATIENT_SPINS: u32 = 6;

/// What others do while one thread spins.
enum Seen {
    /// They use memory that was not known to be shared.
    Sharing,
    Fault,
    Nothing,
}

#[derive(PartialEq)]
enum Finished {
    Done,
    SharingGrew,
}

struct Node {
    mark: Mark,
    aftermath: bool,
    /// Length of the decision sequence before this node.
    decisions: usize,
    alternatives: Alternatives,
}

/// What is left to try at a node.
enum Alternatives {
    Schedule {
        enabled: SmallVec<[Enabled; 4]>,
        next: usize,
    },
    /// The condition was taken as true first.
    Branch {
        condition: TermId,
    },
    Choice {
        next: u32,
        count: u32,
    },
    /// Values tried so far are excluded.
    Value {
        term: TermId,
        excluded: Vec<TermId>,
    },
}

struct Search<'a> {
    machine: Machine,
    feasibility: Feasibility,
    options: &'a Options,
    nodes: Vec<Node>,
    decisions: Vec<Decision>,
    /// The current path goes on after a fault: nothing on it counts but what memory proves to be shared.
    aftermath: bool,
    outcome: Outcome,
    monitor: &'a mut dyn Monitor,
}

/// What follows the end of a path.
enum Next {
    /// The path goes on after all: see `Machine::survive_fault` and `survive_standstill`.
    GoOn,
    Back,
    Stop(Finished),
}

impl Search<'_> {
    fn run(&mut self) -> Finished {
        loop {
            let situation = match self.machine.advance() {
                Situation::Schedule => {
                    self.schedule();
                    continue;
                }
                other => other.clone(),
            };
            match situation {
                Situation::Schedule => unreachable!("handled above"),
                Situation::Spin => match self.look_ahead() {
                    Seen::Sharing => return Finished::SharingGrew,
                    Seen::Nothing if self.machine.spins() < PATIENT_SPINS => self.machine.spin_on(),
                    Seen::Nothing | Seen::Fault => {
                        self.decisions.push(Decision::Yield);
                        self.machine.yield_spinning();
                    }
                },
                Situation::Ask(question) => {
                    if !self.answer(question) && !self.backtrack() {
                        return Finished::Done;
                    }
                }
                Situation::End(end) => match self.end_of_path(end) {
                    Next::GoOn => {}
                    Next::Stop(finished) => return finished,
                    Next::Back => {
                        if !self.backtrack() {
                            return Finished::Done;
                        }
                    }
                },
            }
        }
    }

    fn end_of_path(&mut self, end: End) -> Next {
        if matches!(end, End::Cutoff(Cutoff::Interrupted, _)) {
            self.outcome.stopped = Some(self.monitor.stop_reason());
            return Next::Stop(Finished::Done);
        }
        if self.machine.sharing_grew {
            // The decisions were made with too few scheduling points: even a fault must be found anew.
            return Next::Stop(Finished::SharingGrew);
        }
        let fault = match &end {
            End::Fault(at) => Some(at.fault.property()),
            _ => None,
        };
        if !self.aftermath
            && let Some(stopped) = self.end(end)
        {
            self.outcome.stopped = Some(stopped);
            return Next::Stop(Finished::Done);
        }
        match fault {
            Some(Property::Deadlock) | None if self.machine.survive_standstill() => {
                self.schedule();
                Next::GoOn
            }
            Some(Property::Deadlock) | None => Next::Back,
            // A verdict needs no more; only the count of all executions and final states does.
            Some(_) if self.options.all && self.machine.survive_fault() => {
                self.aftermath = true;
                Next::GoOn
            }
            Some(_) => Next::Back,
        }
    }

    /// Some thread may spin on what another one, which has not come to it yet, will write. Lets the others run without it, on
    /// one path, to see whether that shows more memory to be shared. All is undone.
    fn look_ahead(&mut self) -> Seen {
        let mut seen = Seen::Nothing;
        let mark = self.machine.mark();
        let mut steps = LOOK_AHEAD;
        self.machine.is_impatient = true;
        let mut can_go_on = self.machine.survive_fault();
        while can_go_on && steps > 0 && !self.machine.sharing_grew {
            steps -= 1;
            can_go_on = match self.machine.advance().clone() {
                Situation::Schedule => {
                    let first = self.machine.enabled()[0];
                    self.machine.schedule(first);
                    true
                }
                Situation::Ask(question) => self.answer_somehow(question),
                Situation::Spin => self.machine.survive_fault(),
                Situation::End(end) => {
                    if matches!(end, End::Fault(_)) {
                        seen = Seen::Fault;
                    }
                    false
                }
            };
        }
        self.machine.is_impatient = false;
        self.machine.discard(mark);
        if self.machine.sharing_grew {
            return Seen::Sharing;
        }
        seen
    }

    /// Takes one possible answer; `false`: there is none.
    fn answer_somehow(&mut self, question: Question) -> bool {
        let answer = match question {
            Question::Branch(condition) => {
                let holds = matches!(self.check(&[condition]), Feasible::Yes(_));
                let negated = self.machine.terms.not(condition);
                self.machine.assume(if holds { condition } else { negated });
                Answer::Truth(holds)
            }
            Question::Assume(condition) => match self.check(&[condition]) {
                Feasible::Yes(_) => {
                    self.machine.assume(condition);
                    Answer::Truth(true)
                }
                Feasible::No | Feasible::Unknown => return false,
            },
            Question::Example(term) | Question::Value(term) => match self.check(&[]) {
                Feasible::Yes(model) => {
                    let value = self.machine.terms.eval(term, &model);
                    let equal = self.equals(term, value);
                    self.machine.assume(equal);
                    Answer::Number(value)
                }
                Feasible::No | Feasible::Unknown => return false,
            },
            Question::Choice(_) => Answer::Number(0),
        };
        self.machine.answer(answer);
        true
    }

    // ----- decisions -----

    fn schedule(&mut self) {
        let mut enabled: SmallVec<[Enabled; 4]> = SmallVec::from_slice(self.machine.enabled());
        self.prefer_current(&mut enabled);
        let first = enabled[0];
        if enabled.len() > 1 {
            self.open(Alternatives::Schedule { enabled, next: 1 });
        }
        self.take(first);
    }

    /// The thread that ran last comes first: schedules with few switches are tried, and shown, before others.
    fn prefer_current(&self, enabled: &mut [Enabled]) {
        let current = self.machine.current_thread();
        if self.machine.is_spinning(current) {
            enabled.sort_by_key(|e| e.thread == current);
            return;
        }
        if let Some(i) = enabled
            .iter()
            .position(|e| e.thread == current && !e.spurious)
        {
            enabled[..=i].rotate_right(1);
        }
    }

    fn take(&mut self, choice: Enabled) {
        let thread = choice.thread.0;
        self.decisions.push(if choice.spurious {
            Decision::Wake(thread)
        } else {
            Decision::Run(thread)
        });
        self.machine.schedule(choice);
    }

    fn open(&mut self, alternatives: Alternatives) {
        let mark = self.machine.mark();
        self.nodes.push(Node {
            mark,
            aftermath: self.aftermath,
            decisions: self.decisions.len(),
            alternatives,
        });
        self.outcome.deepest = self.outcome.deepest.max(self.nodes.len());
    }

    /// Answers a question of the machine; `false`: this path cannot go on.
    fn answer(&mut self, question: Question) -> bool {
        match question {
            Question::Branch(condition) => self.branch(condition),
            Question::Assume(condition) => match self.check(&[condition]) {
                Feasible::Yes(_) => {
                    self.machine.assume(condition);
                    self.machine.answer(Answer::Truth(true));
                    true
                }
                Feasible::No => {
                    self.outcome.runs.blocked += 1;
                    false
                }
                Feasible::Unknown => self.give_up(),
            },
            Question::Example(term) => match self.check(&[]) {
                Feasible::Yes(model) => {
                    let value = self.machine.terms.eval(term, &model);
                    self.machine.answer(Answer::Number(value));
                    true
                }
                Feasible::No => unreachable!("the path condition can be satisfied"),
                Feasible::Unknown => self.give_up(),
            },
            Question::Value(term) => match self.check(&[]) {
                Feasible::Yes(model) => {
                    let value = self.machine.terms.eval(term, &model);
                    let equal = self.equals(term, value);
                    let different = self.machine.terms.not(equal);
                    match self.check(&[different]) {
                        Feasible::No => {}
                        // Whatever else is possible comes later; if the solver cannot tell, asking again will.
                        Feasible::Yes(_) | Feasible::Unknown => {
                            self.open(Alternatives::Value {
                                term,
                                excluded: vec![different],
                            });
                            self.machine.assume(equal);
                        }
                    }
                    self.machine.answer(Answer::Number(value));
                    true
                }
                Feasible::No => unreachable!("the path condition can be satisfied"),
                Feasible::Unknown => self.give_up(),
            },
            Question::Choice(count) => {
                self.open(Alternatives::Choice { next: 1, count });
                self.choose(0);
                true
            }
        }
    }

    fn choose(&mut self, choice: u32) {
        self.decisions.push(Decision::Choose(choice));
        self.machine.answer(Answer::Number(u128::from(choice)));
    }

    fn branch(&mut self, condition: TermId) -> bool {
        let negated = self.machine.terms.not(condition);
        let holds = self.check(&[condition]);
        let fails = match holds {
            // The path is feasible, so one side is.
            Feasible::No => None,
            _ => Some(self.check(&[negated])),
        };
        match (holds, fails) {
            (Feasible::Yes(_), Some(Feasible::Yes(_))) => {
                self.open(Alternatives::Branch { condition });
                self.machine.assume(condition);
                self.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::Yes(_), Some(Feasible::No)) => {
                self.outcome.runs.infeasible += 1;
                self.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::No, _) => {
                self.outcome.runs.infeasible += 1;
                self.machine.answer(Answer::Truth(false));
                true
            }
            // One side is undecided: follow the other, and remember that something was left out.
            (Feasible::Yes(_), _) => {
                self.give_up();
                self.machine.assume(condition);
                self.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::Unknown, Some(Feasible::Yes(_))) => {
                self.give_up();
                self.machine.assume(negated);
                self.machine.answer(Answer::Truth(false));
                true
            }
            (Feasible::Unknown, _) => self.give_up(),
        }
    }

    fn equals(&mut self, term: TermId, value: u128) -> TermId {
        let width = self.machine.terms.width(term);
        let constant = self.machine.terms.constant(width, value);
        self.machine.terms.cmp(CmpOp::Eq, term, constant)
    }

    fn check(&mut self, conditions: &[TermId]) -> Feasible {
        self.feasibility.check(&mut self.machine, conditions)
    }

    /// The solver cannot decide: part of the tree stays unexplored.
    fn give_up(&mut self) -> bool {
        let loc = self.machine.user_loc(self.machine.current_thread());
        self.cut_off(Cutoff::Solver, loc);
        false
    }

    fn cut_off(&mut self, cutoff: Cutoff, loc: LocId) {
        *self.outcome.cut_off.entry((cutoff, loc)).or_default() += 1;
    }

    // ----- ends -----

    /// Books the end of an execution; `Some`: the search is over.
    fn end(&mut self, end: End) -> Option<Stopped> {
        match end {
            End::Normal => {
                self.outcome.runs.complete += 1;
                self.monitor.complete(&mut self.machine);
            }
            End::Discarded => self.outcome.runs.blocked += 1,
            End::Cutoff(cutoff, loc) => self.cut_off(cutoff, loc),
            End::Fault(fault) => {
                if let Some(stopped) = self.fault(fault) {
                    return Some(stopped);
                }
            }
        }
        let depth = self.nodes.len();
        self.outcome.threads = self.machine.threads_seen;
        self.outcome.events = self.machine.total_events;
        self.monitor.tick(&self.outcome, depth)
    }

    fn fault(&mut self, fault: FaultAt) -> Option<Stopped> {
        let property = fault.fault.property();
        if !self.options.properties.contains(property) {
            if property == Property::Deadlock {
                self.outcome.runs.complete += 1;
            } else {
                // Nothing is known of what comes after undefined behaviour.
                let what = property.name().to_string();
                self.cut_off(Cutoff::OtherFault(what), fault.loc);
            }
            return None;
        }
        let model = match self.check(&[]) {
            Feasible::Yes(model) => model,
            Feasible::No => unreachable!("the path condition can be satisfied"),
            Feasible::Unknown => {
                self.give_up();
                return None;
            }
        };
        self.outcome.runs.complete += 1;
        self.outcome.failing += 1;
        let known = self
            .outcome
            .found
            .iter()
            .any(|f| f.fault.loc == fault.loc && f.fault.fault.property() == property);
        if !known {
            let terms = &self.machine.terms;
            let inputs = terms
                .inputs()
                .map(|i| (terms.input_name(i).to_string(), model.get(i).unwrap_or(0)))
                .collect();
            self.outcome.found.push(Found {
                events: self.machine.visible_events,
                fault,
                inputs,
                schedule: Schedule {
                    decisions: self.decisions.clone(),
                    visible: self.machine.memory.shared.clone(),
                    threads: self
                        .machine
                        .thread_names()
                        .iter()
                        .map(|(parent, index)| (parent.0, *index))
                        .collect(),
                },
            });
        }
        (!self.options.all).then_some(Stopped::FirstBug)
    }

    // ----- going back -----

    /// Takes the next alternative of the deepest open node; `false`: none is left.
    fn backtrack(&mut self) -> bool {
        while let Some(mut node) = self.nodes.pop() {
            self.decisions.truncate(node.decisions);
            self.aftermath = node.aftermath;
            match &mut node.alternatives {
                Alternatives::Schedule { enabled, next } => {
                    let choice = enabled[*next];
                    *next += 1;
                    let last = *next == enabled.len();
                    self.back_to(node, last);
                    self.take(choice);
                    return true;
                }
                Alternatives::Branch { condition } => {
                    let negated = self.machine.terms.not(*condition);
                    self.back_to(node, true);
                    self.machine.assume(negated);
                    self.machine.answer(Answer::Truth(false));
                    return true;
                }
                Alternatives::Choice { next, count } => {
                    let choice = *next;
                    *next += 1;
                    let last = *next == *count;
                    self.back_to(node, last);
                    self.choose(choice);
                    return true;
                }
                Alternatives::Value { .. } => {
                    if self.next_value(node) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Undoes to the node; the last alternative needs it no more.
    fn back_to(&mut self, node: Node, last: bool) {
        if last {
            self.machine.discard(node.mark);
        } else {
            self.machine.undo(&node.mark);
            self.nodes.push(node);
        }
    }

    fn next_value(&mut self, node: Node) -> bool {
        let Node {
            mark,
            aftermath,
            decisions,
            alternatives,
        } = node;
        let Alternatives::Value { term, mut excluded } = alternatives else {
            unreachable!("a node of values");
        };
        self.machine.undo(&mark);
        match self.check(&excluded) {
            Feasible::Yes(model) => {
                let value = self.machine.terms.eval(term, &model);
                let equal = self.equals(term, value);
                excluded.push(self.machine.terms.not(equal));
                self.nodes.push(Node {
                    mark,
                    aftermath,
                    decisions,
                    alternatives: Alternatives::Value { term, excluded },
                });
                self.machine.assume(equal);
                self.machine.answer(Answer::Number(value));
                true
            }
            Feasible::No => {
                self.machine.discard(mark);
                false
            }
            Feasible::Unknown => {
                self.give_up();
                self.machine.discard(mark);
                false
            }
        }
    }
}
