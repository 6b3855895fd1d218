//! Following a schedule on given inputs: no search, no reduction, no solver.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use machine::{
    Answer, Config, Enabled, End, Inputs, Machine, Mode, Probes, Program, Question, Setup, Status,
    ThreadId,
};

use crate::decision::{Decision, Schedule};
use crate::driver::{Flow, Policy, Round, drive};
use crate::error::Error;
use crate::livelock::{all_wait, settle};
use crate::outcome::Found;

/// How often threads in loops go round at the end of a schedule, until nothing changes any more.
const MOST_ROUNDS: u32 = 4;

/// Where following the schedule led.
pub enum Replay {
    /// The execution ended; the machine stands at its end, with every event recorded.
    Ended { end: End, machine: Box<Machine> },
    /// The program does not go that way.
    Diverged { step: usize, why: String },
}

/// Executes `program` on a fresh concrete machine, until the flag is raised.
pub fn replay(
    program: &Arc<Program>,
    config: &Config,
    schedule: &Schedule,
    inputs: &BTreeMap<String, u128>,
    interrupt: &Arc<AtomicBool>,
) -> Result<Replay, Error> {
    let setup = Setup {
        probes: Probes::default().with_recorder(),
        interrupt: Arc::clone(interrupt),
        ..setup(config, schedule, inputs)
    };
    let mut machine = start(program, setup)?;
    let mut taken = Vec::new();
    Ok(
        match follow(&mut machine, &schedule.decisions, &mut taken) {
            Ok(end) => {
                let machine = Box::new(machine);
                Replay::Ended { end, machine }
            }
            Err((step, why)) => Replay::Diverged { step, why },
        },
    )
}

/// How the execution ends, if the program goes that way.
pub(crate) fn end_of(
    program: &Arc<Program>,
    config: &Config,
    schedule: &Schedule,
    inputs: &BTreeMap<String, u128>,
) -> Option<End> {
    let mut machine = start(program, setup(config, schedule, inputs)).ok()?;
    follow(&mut machine, &schedule.decisions, &mut Vec::new()).ok()
}

/// The schedule of a fault with all its scheduling points, also those that the search left out.
/// `program` says which accesses are invisible.
pub fn expand(program: &Arc<Program>, config: &Config, found: &Found) -> Result<Schedule, Error> {
    let Some(reduced) = &found.reduced else {
        return Ok(found.schedule.clone());
    };
    let mut schedule = found.schedule.clone();
    schedule.visible.add(&reduced.mutexes);
    let visible = found.schedule.visible.clone();
    let setup = Setup {
        probes: Probes::default().with_shadow(visible, reduced.peeking.clone()),
        ..setup(config, &schedule, &found.inputs)
    };
    let mut machine = start(program, setup)?;
    schedule.decisions.clear();
    match follow(
        &mut machine,
        &found.schedule.decisions,
        &mut schedule.decisions,
    ) {
        Ok(_) => Ok(schedule),
        Err((step, why)) => Err(Error::Diverged { step, why }),
    }
}

/// What a machine needs to follow a schedule on concrete inputs.
fn setup(config: &Config, schedule: &Schedule, inputs: &BTreeMap<String, u128>) -> Setup {
    Setup {
        config: config.clone(),
        mode: Mode {
            knows_sharing: true,
            observed: schedule.observed,
            observes_joins: schedule.observes_joins,
            observes_last: schedule.observes_last,
            ..Mode::default()
        },
        shared: schedule.visible.clone(),
        inputs: Inputs::Concrete(inputs.clone()),
        names: schedule.threads.clone(),
        ..Setup::default()
    }
}

fn start(program: &Arc<Program>, setup: Setup) -> Result<Machine, Error> {
    Ok(Machine::start(Arc::clone(program), setup)?)
}

/// Takes these decisions. Returns how it ended, or where it went another way, and why; `taken` are
/// the decisions taken, and those that the machine took by itself while it followed a search that
/// leaves something out.
fn follow(
    machine: &mut Machine,
    decisions: &[Decision],
    taken: &mut Vec<Decision>,
) -> Result<End, (usize, String)> {
    drive(&mut Follow {
        last: machine.current_thread(),
        machine,
        decisions: decisions.iter().copied().peekable(),
        taken,
        step: 0,
        blocked: Vec::new(),
    })
}

struct Follow<'m, I: Iterator<Item = Decision>> {
    machine: &'m mut Machine,
    decisions: Peekable<I>,
    taken: &'m mut Vec<Decision>,
    step: usize,
    /// Threads that are blocked in loops, as in the search: the same others can go on then.
    blocked: Vec<(ThreadId, Status)>,
    /// The thread that ran last.
    last: ThreadId,
}

/// How the execution ended, or at which step it went another way, and why.
type Followed = Result<End, (usize, String)>;

impl<I: Iterator<Item = Decision>> Follow<'_, I> {
    /// A machine that follows a search has taken some decisions by itself.
    fn note_own_decisions(&mut self) {
        let went_on = self.machine.went_on().into_iter();
        self.taken.extend(went_on.map(Decision::Run));
    }

    fn next_step(&mut self) -> Flow<Followed> {
        self.step += 1;
        Flow::Continue(())
    }

    fn diverged(&self, why: String) -> Flow<Followed> {
        Flow::Break(Err((self.step, why)))
    }

    fn unblock_all(&mut self) {
        for (thread, status) in std::mem::take(&mut self.blocked) {
            self.machine.unblock_parked(thread, status);
        }
    }

    /// No decision is left: threads that can go on must wait in loops.
    fn at_the_end(&mut self) -> Flow<Followed> {
        self.unblock_all();
        self.machine.advance();
        self.machine.lift_loop_bound();
        for _ in 0..MOST_ROUNDS {
            let went_on = settle(self.machine, self.taken);
            if let Some(end) = all_wait(self.machine) {
                return Flow::Break(Ok(end));
            }
            if !went_on {
                break;
            }
        }
        self.diverged("the schedule ends before the execution".to_string())
    }

    fn run(&mut self, choice: Enabled) -> Flow<Followed> {
        let thread = choice.thread;
        if let Some(at) = self.blocked.iter().position(|(t, _)| *t == thread) {
            let (thread, status) = self.blocked.swap_remove(at);
            self.machine.unblock_parked(thread, status);
            self.machine.advance();
        }
        self.last = thread;
        if !self.machine.enabled().contains(&choice) {
            return self.diverged(format!("{thread} cannot run here"));
        }
        self.machine.give_turn_in_shadow(thread);
        self.machine.schedule(choice);
        self.taken.push(Decision::of(choice));
        self.next_step()
    }

    /// A thread waits or spins. If the schedule does not let it go on, whether that is for good
    /// shows at the end. A search may notice later that a thread waits: two values that are equal
    /// here may be different terms there.
    fn waits(&mut self, round: Option<Round>) -> Flow<Followed> {
        self.note_own_decisions();
        match self.decisions.next_if_eq(&Decision::Yield) {
            Some(decision) => {
                let thread = self.machine.current_thread();
                self.machine.yield_spinning();
                self.taken.push(decision);
                if round.is_some() {
                    let status = self.machine.block_parked(thread);
                    self.blocked.push((thread, status));
                }
                self.next_step()
            }
            // Nothing that it does is a step.
            None if round.is_some_and(|round| round.events == 0) => {
                self.machine.yield_spinning();
                self.next_step()
            }
            None => {
                self.machine.spin_on();
                Flow::Continue(())
            }
        }
    }
}

impl<I: Iterator<Item = Decision>> Policy for Follow<'_, I> {
    type Stop = Followed;

    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn schedule(&mut self) -> Flow<Followed> {
        self.note_own_decisions();
        if let Some(thread) = self.machine.held_up() {
            let spurious = false;
            self.machine.schedule(Enabled { thread, spurious });
            self.taken.push(Decision::Run(thread));
            return Flow::Continue(());
        }
        let enabled = |thread, spurious| Enabled { thread, spurious };
        match self.decisions.next() {
            Some(Decision::Run(thread)) => self.run(enabled(thread, false)),
            Some(Decision::Wake(thread)) => self.run(enabled(thread, true)),
            // The search, with a slice, saw this round change nothing. Without one, it does.
            Some(Decision::Yield) => {
                let status = self.machine.block_parked(self.last);
                self.blocked.push((self.last, status));
                Flow::Continue(())
            }
            Some(Decision::Choose(_)) => self.diverged("a thread was to be scheduled".to_string()),
            None => self.at_the_end(),
        }
    }

    fn ask(&mut self, question: Question) -> Flow<Followed> {
        self.note_own_decisions();
        let Question::Choice(count) = question else {
            return self.diverged(format!("a value is not known: {question:?}"));
        };
        match self.decisions.next() {
            Some(Decision::Choose(choice)) if choice < count => {
                self.machine.answer(Answer::Number(u128::from(choice)));
                self.taken.push(Decision::Choose(choice));
                self.next_step()
            }
            _ => self.diverged("a choice was to be made".to_string()),
        }
    }

    fn join(&mut self) -> Flow<Followed> {
        self.note_own_decisions();
        self.machine.join_on();
        self.next_step()
    }

    fn wait(&mut self, round: Round) -> Flow<Followed> {
        self.waits(Some(round))
    }

    fn spin(&mut self) -> Flow<Followed> {
        self.waits(None)
    }

    fn end(&mut self, end: End) -> Flow<Followed> {
        self.note_own_decisions();
        // A spurious wake-up may end a standstill, if the schedule says so.
        let wakes = matches!(self.decisions.peek(), Some(Decision::Wake(_)));
        if wakes && self.machine.survive_standstill() {
            return self.schedule();
        }
        if end == End::Discarded && !self.blocked.is_empty() {
            self.unblock_all();
            return Flow::Continue(());
        }
        Flow::Break(Ok(end))
    }
}
