//! Every interleaving of visible operations, every feasible branch, depth-first (P1, Algorithm 1).
//!
//! Nodes are kept on a stack with the machine's mark; going back is undoing the trail, never re-execution. A node whose last
//! alternative is taken is dropped at once, so depth counts only decisions that are still open.

use std::sync::Arc;

use machine::{Answer, Cutoff, Enabled, End, Mark, Program, Property, Question, Situation};
use smallvec::SmallVec;
use smt::TermId;

use crate::decision::Decision;
use crate::feasibility::Feasible;
use crate::outcome::{Monitor, Outcome};
use crate::walk::{Known, Options, Seen, Walk};

/// Searches until nothing is left, a fault is found (unless all are asked for), or it is told to stop.
pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, String> {
    let mut known = Known::default();
    search_within(program, options, Bound::None, &mut known, monitor).map(|within| within.outcome)
}

/// Which schedules are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// All.
    None,
    /// Those with at most so many preemptions (see `preemptions`).
    Preemptions(u32),
    /// One, with as few switches as may be (see `agreed`).
    One,
}

/// What a search within a bound found.
pub(crate) struct Within {
    pub outcome: Outcome,
    /// Something was left out because of the bound.
    pub cut: bool,
    /// In every execution every thread came to its end.
    pub all_ended: bool,
}

pub(crate) fn search_within(
    program: &Arc<Program>,
    options: &Options,
    bound: Bound,
    known: &mut Known,
    monitor: &mut dyn Monitor,
) -> Result<Within, String> {
    loop {
        let mut walk = Walk::start(program, options, monitor, known)?;
        walk.machine.start()?;
        let mut search = Search {
            walk,
            nodes: Vec::new(),
            decisions: Vec::new(),
            aftermath: false,
            bound,
            cut: false,
            all_ended: true,
        };
        let finished = search.run();
        if finished == Finished::Done {
            return Ok(Within {
                cut: search.cut,
                all_ended: search.all_ended,
                outcome: search.walk.finish(),
            });
        }
        known.learn(&search.walk.machine);
        search.walk.monitor.restart();
    }
}

/// So often a thread that spins goes on if the others have nothing to do with it: its loop may just be long.
const PATIENT_SPINS: u32 = 6;

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
    walk: Walk<'a>,
    nodes: Vec<Node>,
    decisions: Vec<Decision>,
    /// The current path goes on after a fault: nothing on it counts but what memory proves to be shared.
    aftermath: bool,
    bound: Bound,
    /// The bound left something out.
    cut: bool,
    all_ended: bool,
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
            let situation = match self.walk.machine.advance() {
                Situation::Schedule => {
                    self.schedule();
                    continue;
                }
                other => other.clone(),
            };
            match situation {
                Situation::Schedule => unreachable!("handled above"),
                Situation::Await { .. } => unreachable!("not every event is a decision"),
                Situation::Spin => match self.walk.look_ahead() {
                    Seen::Sharing => return Finished::SharingGrew,
                    Seen::Nothing if self.walk.machine.spins() < PATIENT_SPINS => {
                        self.walk.machine.spin_on()
                    }
                    Seen::Nothing | Seen::Fault => {
                        self.decisions.push(Decision::Yield);
                        self.walk.machine.yield_spinning();
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
            self.walk.outcome.stopped = Some(self.walk.monitor.stop_reason());
            return Next::Stop(Finished::Done);
        }
        if self.walk.machine.sharing_grew {
            // The decisions were made with too few scheduling points: even a fault must be found anew.
            return Next::Stop(Finished::SharingGrew);
        }
        self.all_ended &= end == End::Normal && self.walk.machine.all_have_ended();
        if self.bound == Bound::One && !self.all_ended {
            return Next::Stop(Finished::Done);
        }
        let fault = match &end {
            End::Fault(at) => Some(at.fault.property()),
            _ => None,
        };
        if !self.aftermath
            && let Some(stopped) =
                self.walk
                    .end(end, &mut || self.decisions.clone(), self.nodes.len())
        {
            self.walk.outcome.stopped = Some(stopped);
            return Next::Stop(Finished::Done);
        }
        match fault {
            Some(Property::Deadlock) | None if self.walk.machine.survive_standstill() => {
                self.schedule();
                Next::GoOn
            }
            Some(Property::Deadlock) | None => Next::Back,
            // A verdict needs no more; only the count of all executions and final states does.
            Some(_) if self.walk.options.all && self.walk.machine.survive_fault() => {
                self.aftermath = true;
                Next::GoOn
            }
            Some(_) => Next::Back,
        }
    }

    // ----- decisions -----

    fn schedule(&mut self) {
        let mut enabled: SmallVec<[Enabled; 4]> = SmallVec::from_slice(self.walk.machine.enabled());
        self.prefer_current(&mut enabled);
        let all = enabled.len();
        match self.bound {
            Bound::None => {}
            Bound::Preemptions(most) => {
                if self.walk.machine.preemptions >= most {
                    enabled.retain(|e| !self.walk.machine.is_preemption(*e));
                }
            }
            Bound::One => enabled.truncate(1),
        }
        self.cut |= enabled.len() < all;
        let first = enabled[0];
        if enabled.len() > 1 {
            self.open(Alternatives::Schedule { enabled, next: 1 });
        }
        self.take(first);
    }

    /// The thread that ran last comes first: schedules with few switches are tried, and shown, before others.
    fn prefer_current(&self, enabled: &mut [Enabled]) {
        let current = self.walk.machine.current_thread();
        if self.walk.machine.is_spinning(current) {
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
        self.walk.machine.schedule(choice);
    }

    fn open(&mut self, alternatives: Alternatives) {
        let mark = self.walk.machine.mark();
        self.nodes.push(Node {
            mark,
            aftermath: self.aftermath,
            decisions: self.decisions.len(),
            alternatives,
        });
        self.walk.outcome.deepest = self.walk.outcome.deepest.max(self.nodes.len());
    }

    /// Answers a question of the machine; `false`: this path cannot go on.
    fn answer(&mut self, question: Question) -> bool {
        match question {
            Question::Branch(condition) => self.branch(condition),
            Question::Assume(condition) => match self.walk.check(&[condition]) {
                Feasible::Yes(_) => {
                    self.walk.machine.assume(condition);
                    self.walk.machine.answer(Answer::Truth(true));
                    true
                }
                Feasible::No => {
                    self.walk.outcome.runs.blocked += 1;
                    false
                }
                Feasible::Unknown => self.walk.give_up(),
            },
            Question::Example(term) => match self.walk.check(&[]) {
                Feasible::Yes(model) => {
                    let value = self.walk.machine.terms.eval(term, &model);
                    self.walk.machine.answer(Answer::Number(value));
                    true
                }
                Feasible::No => unreachable!("the path condition can be satisfied"),
                Feasible::Unknown => self.walk.give_up(),
            },
            Question::Value(term) => match self.walk.check(&[]) {
                Feasible::Yes(model) => {
                    let value = self.walk.machine.terms.eval(term, &model);
                    let equal = self.walk.equals(term, value);
                    let different = self.walk.machine.terms.not(equal);
                    match self.walk.check(&[different]) {
                        Feasible::No => {}
                        // Whatever else is possible comes later; if the solver cannot tell, asking again will.
                        Feasible::Yes(_) | Feasible::Unknown => {
                            self.open(Alternatives::Value {
                                term,
                                excluded: vec![different],
                            });
                            self.walk.machine.assume(equal);
                        }
                    }
                    self.walk.machine.answer(Answer::Number(value));
                    true
                }
                Feasible::No => unreachable!("the path condition can be satisfied"),
                Feasible::Unknown => self.walk.give_up(),
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
        self.walk.machine.answer(Answer::Number(u128::from(choice)));
    }

    fn branch(&mut self, condition: TermId) -> bool {
        let negated = self.walk.machine.terms.not(condition);
        let holds = self.walk.check(&[condition]);
        let fails = match holds {
            // The path is feasible, so one side is.
            Feasible::No => None,
            _ => Some(self.walk.check(&[negated])),
        };
        match (holds, fails) {
            (Feasible::Yes(_), Some(Feasible::Yes(_))) => {
                self.open(Alternatives::Branch { condition });
                self.walk.machine.assume(condition);
                self.walk.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::Yes(_), Some(Feasible::No)) => {
                self.walk.outcome.runs.infeasible += 1;
                self.walk.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::No, _) => {
                self.walk.outcome.runs.infeasible += 1;
                self.walk.machine.answer(Answer::Truth(false));
                true
            }
            // One side is undecided: follow the other, and remember that something was left out.
            (Feasible::Yes(_), _) => {
                self.walk.give_up();
                self.walk.machine.assume(condition);
                self.walk.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::Unknown, Some(Feasible::Yes(_))) => {
                self.walk.give_up();
                self.walk.machine.assume(negated);
                self.walk.machine.answer(Answer::Truth(false));
                true
            }
            (Feasible::Unknown, _) => self.walk.give_up(),
        }
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
                    let negated = self.walk.machine.terms.not(*condition);
                    self.back_to(node, true);
                    self.walk.machine.assume(negated);
                    self.walk.machine.answer(Answer::Truth(false));
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
            self.walk.machine.discard(node.mark);
        } else {
            self.walk.machine.undo(&node.mark);
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
        self.walk.machine.undo(&mark);
        match self.walk.check(&excluded) {
            Feasible::Yes(model) => {
                let value = self.walk.machine.terms.eval(term, &model);
                let equal = self.walk.equals(term, value);
                excluded.push(self.walk.machine.terms.not(equal));
                self.nodes.push(Node {
                    mark,
                    aftermath,
                    decisions,
                    alternatives: Alternatives::Value { term, excluded },
                });
                self.walk.machine.assume(equal);
                self.walk.machine.answer(Answer::Number(value));
                true
            }
            Feasible::No => {
                self.walk.machine.discard(mark);
                false
            }
            Feasible::Unknown => {
                self.walk.give_up();
                self.walk.machine.discard(mark);
                false
            }
        }
    }
}
