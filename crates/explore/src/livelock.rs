//! Whether threads that can go on only go round loops, to no effect, whatever the schedule: for a
//! machine that follows one, with concrete inputs.
//!
//! A thread goes round to no effect if, alone, it comes to the end of a pure round (`waiting`), or
//! back to where it stands with everything as it was. If all rounds are pure, nothing ever changes:
//! that is a livelock. If some change things in between, others may see it and get out: then all
//! states that can be reached are visited, and it is one only if no execution ends in them.

use machine::{Answer, Enabled, End, Fault, FaultAt, Fingerprints, Machine, Mark};
use machine::{Question, Situation, Status, ThreadId};
use rustc_hash::FxHashSet;

use crate::decision::Decision;

/// More steps of a round, or more states, and it is taken for no livelock.
const LONGEST_ROUND: u32 = 10_000;
const MOST_STATES: usize = 50_000;

/// Where a machine stands at which a schedule ends: the deadlock, if nobody gets anywhere.
pub(crate) fn all_wait(machine: &mut Machine) -> Option<End> {
    let has_exited = |t| machine.status(t) == Status::Exited;
    // Only a machine that observes steps notices that a thread waits: on another one this would go
    // round loops in vain.
    if !machine.mode().observed || machine.thread_ids().any(has_exited) {
        return None;
    }
    // What an assumption excludes does not count.
    if machine.thread_ids().any(|t| machine.is_stopped(t)) {
        return None;
    }
    // What follows is undone.
    let recorder = machine.suspend_recording();
    let end = end_of_waiting(machine);
    machine.resume_recording(recorder);
    end
}

fn end_of_waiting(machine: &mut Machine) -> Option<End> {
    let enabled: Vec<ThreadId> = machine.enabled().iter().map(|e| e.thread).collect();
    let first = *enabled.first()?;
    let mut loc = None;
    let mut changes = false;
    for thread in enabled {
        match round_of(machine, thread) {
            Round::Pure(at) => loc = loc.or(Some((thread, at))),
            Round::Restores => changes = true,
            Round::Other => return None,
        }
    }
    if changes && !is_closed(machine) {
        return None;
    }
    let (thread, loc) = loc.unwrap_or_else(|| (first, machine.user_loc(first)));
    let fault = Fault::Deadlock;
    Some(End::Fault(FaultAt { fault, thread, loc }))
}

/// At the end of a schedule: lets every thread that can go on do so alone, up to the end of a pure
/// round; whether one did. In the first round something may change that a search with a slice has
/// left out, and a thread that looked too early may leave its loop for the one in which it stays.
/// `taken` gets the steps.
pub(crate) fn settle(machine: &mut Machine, taken: &mut Vec<Decision>) -> bool {
    if !machine.mode().observed {
        return false;
    }
    let enabled: Vec<ThreadId> = machine.enabled().iter().map(|e| e.thread).collect();
    let mut went_on = false;
    for thread in enabled {
        let (mark, length) = (machine.mark(), taken.len());
        let events = machine.events().len();
        if goes_up_to_a_round(machine, thread, taken) {
            went_on = true;
        } else {
            machine.discard(mark);
            machine.forget_events_after(events);
            taken.truncate(length);
        }
        machine.advance();
    }
    went_on
}

fn goes_up_to_a_round(machine: &mut Machine, thread: ThreadId, taken: &mut Vec<Decision>) -> bool {
    let choice = Enabled {
        thread,
        spurious: false,
    };
    for _ in 0..LONGEST_ROUND {
        if !machine.enabled().contains(&choice) {
            return false;
        }
        machine.schedule(choice);
        taken.push(Decision::Run(thread.0));
        match machine.advance() {
            Situation::Schedule => {}
            Situation::Await { .. } => {
                machine.yield_spinning();
                taken.push(Decision::Yield);
                return true;
            }
            _ => return false,
        }
    }
    false
}

enum Round {
    /// It changes nothing, and ends there.
    Pure(ir::debug::LocId),
    /// It changes something, and changes it back.
    Restores,
    Other,
}

/// What a thread does alone. All is undone.
fn round_of(machine: &mut Machine, thread: ThreadId) -> Round {
    let mark = machine.mark();
    let round = go_round(machine, thread);
    machine.discard(mark);
    machine.advance();
    round
}

fn go_round(machine: &mut Machine, thread: ThreadId) -> Round {
    let place = |machine: &Machine| {
        let frames = &machine.thread(thread).frames;
        (frames.len(), frames.last().map(|f| (f.function, f.pc)))
    };
    let effects = machine.thread(thread).hot.activity.effects;
    let mut fingerprints = Fingerprints::new(machine);
    let start = place(machine);
    // The first round may leave traces that the next ones do not, such as which memory was
    // accessed.
    let mut before = machine.fingerprint(&mut fingerprints);
    let mut rounds = 0;
    let mut pure_rounds = 0;
    let choice = Enabled {
        thread,
        spurious: false,
    };
    for _ in 0..LONGEST_ROUND {
        if !machine.enabled().contains(&choice) {
            return Round::Other;
        }
        machine.schedule(choice);
        loop {
            match machine.advance().clone() {
                Situation::Schedule => break,
                // What it did before it began to wait is more than going round a loop.
                Situation::Await { .. }
                    if machine.thread(thread).hot.activity.effects != effects =>
                {
                    return Round::Other;
                }
                // The first one may have begun long ago, or be of a loop that is left for another
                // one.
                Situation::Await { .. } if pure_rounds == 1 => {
                    return Round::Pure(machine.user_loc(thread));
                }
                Situation::Await { .. } => {
                    pure_rounds += 1;
                    machine.spin_on();
                }
                _ => return Round::Other,
            }
        }
        if place(machine) == start {
            let now = machine.fingerprint(&mut fingerprints);
            if now.is_some() && now == before {
                return Round::Restores;
            }
            rounds += 1;
            if rounds == 2 {
                return Round::Other;
            }
            before = now;
        }
    }
    Round::Other
}

/// What is left to try in a state.
enum Left {
    Threads(Vec<Enabled>),
    Choices(std::ops::Range<u32>),
}

/// Whether no execution ends that goes on from here. All is undone.
fn is_closed(machine: &mut Machine) -> bool {
    let start = machine.mark();
    let is_closed = no_end_from(machine);
    machine.discard(start);
    machine.advance();
    is_closed
}

fn no_end_from(machine: &mut Machine) -> bool {
    let mut fingerprints = Fingerprints::new(machine);
    let mut known = FxHashSet::default();
    let mut open: Vec<(Mark, Left)> = Vec::new();
    loop {
        let left = match machine.advance().clone() {
            Situation::Schedule => match machine.fingerprint(&mut fingerprints) {
                Some(state) if known.insert(state) => Left::Threads(machine.enabled().to_vec()),
                Some(_) => Left::Threads(Vec::new()),
                None => return false,
            },
            Situation::Ask(Question::Choice(count)) => Left::Choices(0..count),
            Situation::Join => {
                machine.join_on();
                continue;
            }
            Situation::Await { events, .. } => {
                match events {
                    // It never comes to anything that would be a state.
                    0 => machine.block_in_loop(),
                    _ => machine.spin_on(),
                }
                continue;
            }
            Situation::End(End::Fault(at)) if at.fault == Fault::Deadlock => {
                Left::Threads(Vec::new())
            }
            Situation::Ask(_) | Situation::Spin | Situation::End(_) => return false,
        };
        if known.len() > MOST_STATES {
            return false;
        }
        open.push((machine.mark(), left));
        loop {
            let Some((mark, left)) = open.last_mut() else {
                return true;
            };
            machine.undo(mark);
            match left {
                Left::Threads(threads) => {
                    if let Some(choice) = threads.pop() {
                        machine.schedule(choice);
                        break;
                    }
                }
                Left::Choices(choices) => {
                    if let Some(choice) = choices.next() {
                        machine.answer(Answer::Number(u128::from(choice)));
                        break;
                    }
                }
            }
            let (mark, _) = open.pop().expect("a state");
            machine.discard(mark);
        }
    }
}
