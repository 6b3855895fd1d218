//! What every search carries: the machine, the solver, what was found so far; and what happens at
//! the end of an execution.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ir::debug::LocId;
use machine::{
    Answer, Config, Cutoff, End, Fault, FaultAt, Inputs, Machine, Mode, Peeking, Probes, Program,
    Property, Question, Setup, SharedSet, Shown, Situation, ThreadId,
};
use smt::{CmpOp, InputId, Model, TermId};

use crate::decision::{Decision, Schedule};
use crate::dependence::Independence;
use crate::feasibility::{Feasibility, Feasible};
use crate::optimal::Workers;
use crate::outcome::{Found, Monitor, Outcome, Properties, Reduced, Site, Stopped};
use crate::sharing;
use crate::summaries::Limits;

#[derive(Clone, Debug)]
pub struct Options {
    pub machine: Config,
    pub reduction: Reduction,
    /// What the reduction takes to be independent.
    pub independence: Independence,
    pub properties: Properties,
    /// Go on after a fault.
    pub all: bool,
    /// Marked accesses are no scheduling points, marked jumps no questions (see
    /// `machine::Program::with_marks`).
    pub slices: bool,
    /// Critical sections are looked into, by searches that look at what steps touch.
    pub peek: bool,
    /// States are pruned from which nothing can fail, by searches that go depth first.
    pub summaries: Option<Limits>,
    /// No state is explored twice, by the search of all interleavings (see `states`).
    pub states: bool,
    /// The monitor is given the summaries when everything was searched. There are some at these
    /// jumps, too.
    pub explains: Option<Arc<Shown>>,
    /// Per query.
    pub solver_timeout: Duration,
    pub interrupt: Arc<AtomicBool>,
    /// Who searches. Only the optimal reduction can share its work.
    pub workers: Workers,
}

/// Which of many equivalent executions are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// All of them.
    None,
    /// Enough for every Mazurkiewicz trace: persistent sets, as the papers have it.
    Dpor,
    /// One per Mazurkiewicz trace, and some that are cut short: source sets and sleep sets.
    Source,
    /// One per Mazurkiewicz trace.
    #[default]
    Optimal,
}

impl Reduction {
    /// Whether the search works with this notion of independence. Observers need sleep sets, and
    /// the optimal search has the writes of a cell in one order.
    pub fn takes(self, independence: Independence) -> bool {
        match self {
            Reduction::Source => true,
            Reduction::Dpor => !independence.observers,
            Reduction::None | Reduction::Optimal => !independence.is_finer(),
        }
    }
}

/// Decisions for which others are watched while one thread spins.
const LOOK_AHEAD: u32 = 1000;

/// A question takes microseconds, or milliseconds where the solver is asked.
const QUESTIONS: u64 = 64;

/// What others do while one thread spins.
pub(crate) enum Seen {
    /// They use memory that was not known to be shared.
    Sharing,
    Fault,
    Nothing,
}

pub(crate) struct Walk<'a> {
    pub machine: Machine,
    pub feasibility: Feasibility,
    pub options: &'a Options,
    pub outcome: Outcome,
    pub monitor: &'a mut dyn Monitor,
    /// Events that were counted before and done again.
    pub repeated: u64,
    /// Events that belong to what was searched before.
    pub counted: u64,
    /// When other workers may join.
    pub joins_at: Option<Instant>,
    /// Questions of the machine, of which one in [`QUESTIONS`] is an occasion to tell how far the
    /// search is.
    questions: u64,
}

impl Options {
    /// The probes of a search that reduces: it looks into critical sections if it is asked to.
    pub(crate) fn probes(&self, known: &Peeking) -> Probes {
        match self.peek {
            true => Probes::default().with_peek(known.clone()),
            false => Probes::default(),
        }
    }
}

impl<'a> Walk<'a> {
    pub fn start(
        program: &Arc<Program>,
        options: &'a Options,
        monitor: &'a mut dyn Monitor,
        known: &Known,
        mode: Mode,
        probes: Probes,
    ) -> Result<Walk<'a>, String> {
        let setup = Setup {
            config: options.machine.clone(),
            mode: Mode {
                slices: options.slices,
                ..mode
            },
            probes: match options.properties.contains(Property::Race) {
                true => probes.with_races(),
                false => probes,
            },
            shared: known.shared.clone(),
            inputs: Inputs::Symbolic,
            names: known.names.clone(),
            interrupt: Arc::clone(&options.interrupt),
        };
        let machine = Machine::start(Arc::clone(program), setup).map_err(|e| e.to_string())?;
        Ok(Walk {
            feasibility: Feasibility::new(smt::interruptible_solver(
                options.solver_timeout,
                Arc::clone(&options.interrupt),
            )),
            machine,
            options,
            outcome: Outcome {
                restarts: known.restarts,
                ..Outcome::default()
            },
            monitor,
            repeated: 0,
            counted: 0,
            joins_at: None,
            questions: 0,
        })
    }

    /// What was found, when the search is over.
    pub fn finish(mut self) -> Outcome {
        self.note_threads();
        self.outcome.events = self.machine.total_events - self.repeated;
        self.outcome.shared = self.machine.state.memory.shared.clone();
        self.outcome.solver = self.feasibility.stats();
        self.outcome
    }

    /// How many threads there were, and where there would have been more.
    fn note_threads(&mut self) {
        self.outcome.threads = self.machine.threads_seen;
        if !self.machine.crowded.is_empty() {
            self.outcome.crowded.extend(&self.machine.crowded);
        }
    }

    pub fn equals(&mut self, term: TermId, value: u128) -> TermId {
        let width = self.machine.terms.width(term);
        let constant = self.machine.terms.constant(width, value);
        self.machine.terms.cmp(CmpOp::Eq, term, constant)
    }

    pub fn check(&mut self, conditions: &[TermId]) -> Feasible {
        self.feasibility.check(&mut self.machine, conditions)
    }

    /// Whether the conditions can hold together, whatever the current path.
    pub fn check_alone(&mut self, conditions: &[TermId]) -> Feasible {
        self.feasibility.check_alone(&mut self.machine, conditions)
    }

    /// The solver cannot decide: part of the tree stays unexplored.
    pub fn give_up(&mut self) -> bool {
        let loc = self.machine.user_loc(self.machine.current_thread());
        let is_interrupted = self.options.interrupt.load(Ordering::Relaxed);
        if is_interrupted {
            // The next tick stops the search, unless this was its last question.
            let reason = self.monitor.stop_reason();
            self.outcome.stopped.get_or_insert(reason);
        }
        let cutoff = match is_interrupted {
            true => Cutoff::Interrupted,
            false => Cutoff::Solver,
        };
        self.cut_off(cutoff, loc);
        false
    }

    pub fn cut_off(&mut self, cutoff: Cutoff, loc: LocId) {
        *self.outcome.cut_off.entry((cutoff, loc)).or_default() += 1;
    }

    // ----- ends -----

    /// Books the end of an execution; `Some`: the search is over.
    pub fn end(
        &mut self,
        end: End,
        decisions: &mut dyn FnMut() -> Vec<Decision>,
        depth: usize,
    ) -> Option<Stopped> {
        let failing = self.outcome.failing;
        let raced = self.book_races(decisions);
        if raced && !self.options.all {
            self.outcome.runs.complete += 1;
            self.outcome.failing += 1;
            return Some(Stopped::FirstBug);
        }
        match end {
            End::Normal => {
                self.outcome.runs.complete += 1;
                self.monitor.complete(&mut self.machine);
            }
            End::Discarded => self.outcome.runs.blocked += 1,
            End::Cutoff(cutoff, loc) => self.cut_off(cutoff, loc),
            End::Fault(fault) => {
                if let Some(stopped) = self.fault(fault, decisions) {
                    return Some(stopped);
                }
            }
        }
        if raced && self.outcome.failing == failing {
            self.outcome.failing += 1;
        }
        self.tick(depth)
    }

    /// Tells how far the search is; `Some`: it is over.
    pub fn tick(&mut self, depth: usize) -> Option<Stopped> {
        self.note_threads();
        self.outcome.events = self.machine.total_events - self.repeated - self.counted;
        self.monitor.tick(&self.outcome, depth)
    }

    /// The same, now and then, in the middle of an execution in which much is asked, or between two
    /// that differ much. That may take longer than anybody wants to wait.
    pub fn tick_at_question(&mut self, depth: usize) -> Option<Stopped> {
        self.questions += 1;
        let is_due = self.questions.is_multiple_of(QUESTIONS);
        is_due.then(|| self.tick(depth))?
    }

    pub fn fault(
        &mut self,
        fault: FaultAt,
        decisions: &mut dyn FnMut() -> Vec<Decision>,
    ) -> Option<Stopped> {
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
        let model = self.model()?;
        self.outcome.runs.complete += 1;
        self.outcome.failing += 1;
        self.keep(fault, &model, decisions);
        (!self.options.all).then_some(Stopped::FirstBug)
    }

    /// Books the races of the path that ends here. It went on after them, so that none hides
    /// another, and the decisions up to its end lead there as well. Whether there are any.
    fn book_races(&mut self, decisions: &mut dyn FnMut() -> Vec<Decision>) -> bool {
        let races = self.machine.races_found().to_vec();
        if races.is_empty() {
            return false;
        }
        for race in races {
            let fault = FaultAt {
                thread: race.second.thread,
                loc: race.second.loc,
                fault: Fault::Race(Box::new(race)),
            };
            if self.has_found(&fault) {
                continue;
            }
            let Some(model) = self.model() else {
                return false;
            };
            self.keep(fault, &model, decisions);
        }
        true
    }

    /// Inputs that lead along the current path; `None`: the solver cannot tell.
    fn model(&mut self) -> Option<Model> {
        match self.check(&[]) {
            Feasible::Yes(model) => Some(model),
            Feasible::No => unreachable!("the path condition can be satisfied"),
            Feasible::Unknown => {
                self.give_up();
                None
            }
        }
    }

    /// Remembers a fault that is not known yet, and how to get there.
    fn keep(
        &mut self,
        fault: FaultAt,
        model: &Model,
        decisions: &mut dyn FnMut() -> Vec<Decision>,
    ) {
        if !self.has_found(&fault) {
            let terms = &self.machine.terms;
            let is_input = |i: &InputId| !terms.input_name(*i).starts_with('@');
            let inputs = terms
                .inputs()
                .filter(is_input)
                .map(|i| (terms.input_name(i).to_string(), model.get(i).unwrap_or(0)))
                .collect();
            let schedule = self.schedule_of(decisions());
            // A livelock is found when the machine has gone back to its start (`states`): then it
            // has made no events, but every event on the way was a decision.
            let decided = schedule.decisions.len() as u64;
            self.outcome.found.push(Found {
                site: Site::of(&fault, &self.machine.program.module.debug),
                events: self.machine.visible_events().max(decided),
                reduced: self.reduced(),
                fault,
                inputs,
                schedule,
            });
        }
    }

    /// These decisions, with what is needed to follow them.
    pub fn schedule_of(&self, decisions: Vec<Decision>) -> Schedule {
        let names = self.machine.thread_names().iter();
        Schedule {
            observed: self.machine.mode().observed,
            observes_joins: self.machine.mode().observes_joins,
            observes_last: self.machine.mode().observes_last,
            decisions,
            visible: self.machine.state.memory.shared.clone(),
            threads: names.map(|(parent, index)| (parent.0, *index)).collect(),
        }
    }

    fn reduced(&self) -> Option<Reduced> {
        let options = self.options;
        (options.slices || options.peek).then(|| Reduced {
            peeking: self.machine.peeks().then(|| self.machine.peeked()),
            mutexes: self.machine.peeked_mutexes(),
        })
    }

    /// Whether a fault at the same site was found.
    pub fn has_found(&self, fault: &FaultAt) -> bool {
        let site = Site::of(fault, &self.machine.program.module.debug);
        self.outcome.found.iter().any(|f| f.site == site)
    }

    /// Some thread may spin on what another one, which has not come to it yet, will write. Lets the
    /// others run without it, on one path, to see whether that shows more memory to be shared. All
    /// is undone.
    pub fn look_ahead(&mut self) -> Seen {
        let mut seen = Seen::Nothing;
        let mark = self.machine.mark();
        let footprint = self.machine.footprint_so_far();
        let mut steps = LOOK_AHEAD;
        let was_impatient = self.machine.begin_look_ahead();
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
                Situation::Join => {
                    self.machine.join_on();
                    true
                }
                Situation::Spin | Situation::Await { .. } => self.machine.survive_fault(),
                Situation::End(end) => {
                    if matches!(end, End::Fault(_)) {
                        seen = Seen::Fault;
                    }
                    false
                }
            };
        }
        self.machine.end_look_ahead(was_impatient);
        self.machine.discard(mark);
        self.machine.set_footprint(footprint);
        if self.machine.sharing_grew {
            return Seen::Sharing;
        }
        seen
    }

    /// Takes one possible answer; `false`: there is none.
    pub fn answer_somehow(&mut self, question: Question) -> bool {
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
}

/// What a search that must start over has learnt.
#[derive(Default)]
pub(crate) struct Known {
    pub shared: SharedSet,
    pub names: Vec<(ThreadId, u32)>,
    pub peeking: Peeking,
    pub restarts: u32,
}

impl Known {
    /// So many are known.
    pub fn threads(&self) -> usize {
        self.names.len()
    }

    /// As `learn`, for searches to which more events do not mean more executions.
    pub fn learn_generously(&mut self, machine: &Machine) {
        let known = std::mem::take(&mut self.shared);
        self.learn(machine);
        for object in sharing::found_in_parts(machine, &known) {
            if object.has_many_parts_in(&known) {
                object.add_to(&mut self.shared);
            }
        }
    }

    pub fn learn(&mut self, machine: &Machine) {
        self.restarts += 1;
        self.names = machine.thread_names().to_vec();
        self.shared = machine.state.memory.shared.clone();
        self.peeking = machine.peeked();
    }
}
