//! Following a schedule on given inputs: no search, no reduction, no solver.

use std::collections::BTreeMap;
use std::sync::Arc;

use machine::{
    Answer, Config, Enabled, End, Fault, FaultAt, Inputs, Machine, Program, Question, Recorder,
    Situation, Status, ThreadId,
};

use crate::decision::{Decision, Schedule};

/// Where following the schedule led.
pub enum Replay {
    /// The execution ended; the machine stands at its end, with every event recorded.
    Ended { end: End, machine: Box<Machine> },
    /// The program does not go that way.
    Diverged { step: usize, why: String },
}

/// Executes `program` on a fresh concrete machine.
pub fn replay(
    program: &Arc<Program>,
    config: &Config,
    schedule: &Schedule,
    inputs: &BTreeMap<String, u128>,
) -> Result<Replay, String> {
    let inputs = Inputs::Concrete(inputs.clone());
    let mut machine = Machine::new(
        Arc::clone(program),
        config.clone(),
        schedule.visible.clone(),
        inputs,
    );
    machine.recorder = Some(Box::new(Recorder::default()));
    machine.observed = schedule.observed;
    machine.observes_joins = schedule.observes_joins;
    machine.observes_last = schedule.observes_last;
    machine.set_thread_names(&schedule.thread_names());
    machine.start()?;
    let mut decisions = schedule.decisions.iter().copied().peekable();
    let mut step = 0;
    loop {
        let diverged = |why: String| Ok(Replay::Diverged { step, why });
        let situation = match machine.advance().clone() {
            // A spurious wake-up may end a standstill, if the schedule says so.
            Situation::End(_)
                if matches!(decisions.peek(), Some(Decision::Wake(_)))
                    && machine.survive_standstill() =>
            {
                Situation::Schedule
            }
            situation => situation,
        };
        match situation {
            Situation::End(end) => {
                let machine = Box::new(machine);
                return Ok(Replay::Ended { end, machine });
            }
            Situation::Schedule => {
                let (thread, spurious) = match decisions.next() {
                    Some(Decision::Run(thread)) => (ThreadId(thread), false),
                    Some(Decision::Wake(thread)) => (ThreadId(thread), true),
                    Some(Decision::Choose(_) | Decision::Yield) => {
                        return diverged("a thread was to be scheduled".to_string());
                    }
                    None => {
                        let Some(end) = all_wait(&mut machine) else {
                            return diverged("the schedule ends before the execution".to_string());
                        };
                        let machine = Box::new(machine);
                        return Ok(Replay::Ended { end, machine });
                    }
                };
                let choice = Enabled { thread, spurious };
                if !machine.enabled().contains(&choice) {
                    return diverged(format!("{thread} cannot run here"));
                }
                machine.schedule(choice);
            }
            // The schedule does not let it go on; whether that is for good shows at the end.
            Situation::Await { .. } => machine.yield_spinning(),
            Situation::Spin => {
                if decisions.next_if_eq(&Decision::Yield).is_none() {
                    machine.spin_on();
                    continue;
                }
                machine.yield_spinning();
            }
            Situation::Ask(Question::Choice(count)) => match decisions.next() {
                Some(Decision::Choose(choice)) if choice < count => {
                    machine.answer(Answer::Number(u128::from(choice)));
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

/// Whether every thread that can go on only goes round a loop, looking at what nobody will write.
fn all_wait(machine: &mut Machine) -> Option<End> {
    let has_exited = |t| machine.status(t) == Status::Exited;
    if machine.thread_ids().any(has_exited) {
        return None;
    }
    let enabled: Vec<ThreadId> = machine.enabled().iter().map(|e| e.thread).collect();
    let mut end = None;
    for thread in enabled {
        let mark = machine.mark();
        let effects = machine.thread(thread).activity.effects;
        let mut waits = false;
        while !waits && machine.enabled().iter().any(|e| e.thread == thread) {
            machine.schedule(Enabled {
                thread,
                spurious: false,
            });
            match machine.advance() {
                Situation::Schedule => {}
                Situation::Await { .. } => waits = true,
                _ => break,
            }
        }
        // What it would do before it waits is more than going round a loop.
        waits &= machine.thread(thread).activity.effects == effects;
        let loc = machine.user_loc(thread);
        machine.discard(mark);
        machine.advance();
        if !waits {
            return None;
        }
        end.get_or_insert(End::Fault(FaultAt {
            fault: Fault::Deadlock,
            thread,
            loc,
        }));
    }
    end
}
