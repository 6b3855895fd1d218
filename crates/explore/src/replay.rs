//! Following a schedule on given inputs: no search, no reduction, no solver.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use machine::{
    Answer, Config, Enabled, End, Inputs, Machine, Mode, Probes, Program, Question, Setup,
    Situation, Status, ThreadId,
};

use crate::decision::{Decision, Schedule};
use crate::livelock::{all_wait, settle};
use crate::outcome::Found;

/// So often threads are let go round at the end of a schedule, until nothing changes any more.
const MOST_ROUNDS: u32 = 4;

/// Where following the schedule led.
pub enum Replay {
    /// The execution ended; the machine stands at its end, with every event recorded.
    Ended { end: End, machine: Box<Machine> },
    /// The program does not go that way.
    Diverged { step: usize, why: String },
}

/// Executes `program` on a fresh concrete machine, until somebody raises the flag.
pub fn replay(
    program: &Arc<Program>,
    config: &Config,
    schedule: &Schedule,
    inputs: &BTreeMap<String, u128>,
    interrupt: &Arc<AtomicBool>,
) -> Result<Replay, String> {
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
pub fn expand(program: &Arc<Program>, config: &Config, found: &Found) -> Result<Schedule, String> {
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
        Err((step, why)) => Err(format!("at step {step}, {why}")),
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
        names: schedule.thread_names(),
        ..Setup::default()
    }
}

fn start(program: &Arc<Program>, setup: Setup) -> Result<Machine, String> {
    Machine::start(Arc::clone(program), setup).map_err(|e| e.to_string())
}

/// Takes these decisions. Returns how it ended, or where it went another way, and why; `taken` are
/// the decisions taken, with those that a machine that follows a search has taken by itself.
fn follow(
    machine: &mut Machine,
    decisions: &[Decision],
    taken: &mut Vec<Decision>,
) -> Result<End, (usize, String)> {
    let mut decisions = decisions.iter().copied().peekable();
    let mut step = 0;
    // Threads that go no further in loops, as in the search: who else can go on is then the same.
    let mut blocked: Vec<(ThreadId, Status)> = Vec::new();
    let mut last = machine.current_thread();
    loop {
        let diverged = |why: String| Err((step, why));
        machine.advance();
        let went_on = machine.went_on().into_iter();
        taken.extend(went_on.map(|thread| Decision::Run(thread.0)));
        let situation = match machine.advance().clone() {
            // A spurious wake-up may end a standstill, if the schedule says so.
            Situation::End(_)
                if matches!(decisions.peek(), Some(Decision::Wake(_)))
                    && machine.survive_standstill() =>
            {
                Situation::Schedule
            }
            Situation::End(End::Discarded) if !blocked.is_empty() => {
                for (thread, status) in std::mem::take(&mut blocked) {
                    machine.unblock_parked(thread, status);
                }
                machine.advance().clone()
            }
            situation => situation,
        };
        match situation {
            Situation::End(end) => return Ok(end),
            Situation::Schedule => {
                if let Some(thread) = machine.held_up() {
                    let spurious = false;
                    machine.schedule(Enabled { thread, spurious });
                    taken.push(Decision::Run(thread.0));
                    continue;
                }
                let Some(decision) = decisions.next() else {
                    for (thread, status) in std::mem::take(&mut blocked) {
                        machine.unblock_parked(thread, status);
                    }
                    machine.advance();
                    machine.lift_loop_bound();
                    for _ in 0..MOST_ROUNDS {
                        let went_on = settle(machine, taken);
                        if let Some(end) = all_wait(machine) {
                            return Ok(end);
                        }
                        if !went_on {
                            break;
                        }
                    }
                    return diverged("the schedule ends before the execution".to_string());
                };
                let (thread, spurious) = match decision {
                    Decision::Run(thread) => (ThreadId(thread), false),
                    Decision::Wake(thread) => (ThreadId(thread), true),
                    // The round of a loop that changed nothing for a search with a slice has
                    // changed something.
                    Decision::Yield => {
                        blocked.push((last, machine.block_parked(last)));
                        continue;
                    }
                    Decision::Choose(_) => {
                        return diverged("a thread was to be scheduled".to_string());
                    }
                };
                if let Some(at) = blocked.iter().position(|(t, _)| *t == thread) {
                    let (thread, status) = blocked.swap_remove(at);
                    machine.unblock_parked(thread, status);
                    machine.advance();
                }
                last = thread;
                let choice = Enabled { thread, spurious };
                if !machine.enabled().contains(&choice) {
                    return diverged(format!("{thread} cannot run here"));
                }
                machine.give_turn_in_shadow(thread);
                machine.schedule(choice);
                taken.push(decision);
            }
            Situation::Join => machine.join_on(),
            // If the schedule does not let it go on, whether that is for good shows at the end. A
            // search may notice later that a thread waits: two values that are equal here may be
            // different terms there.
            Situation::Spin | Situation::Await { .. } => {
                match decisions.next_if_eq(&Decision::Yield) {
                    Some(decision) => {
                        let thread = machine.current_thread();
                        machine.yield_spinning();
                        taken.push(decision);
                        if matches!(situation, Situation::Await { .. }) {
                            blocked.push((thread, machine.block_parked(thread)));
                        }
                    }
                    // Nothing that it does is a step.
                    None if matches!(situation, Situation::Await { events: 0, .. }) => {
                        machine.yield_spinning();
                    }
                    None => {
                        machine.spin_on();
                        continue;
                    }
                }
            }
            Situation::Ask(Question::Choice(count)) => match decisions.next() {
                Some(Decision::Choose(choice)) if choice < count => {
                    machine.answer(Answer::Number(u128::from(choice)));
                    taken.push(Decision::Choose(choice));
                }
                _ => return diverged("a choice was to be made".to_string()),
            },
            Situation::Ask(question) => {
                return diverged(format!("a value is not known: {question:?}"));
            }
        }
        step += 1;
    }
}
