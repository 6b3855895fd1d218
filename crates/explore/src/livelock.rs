//! Whether threads that can go on only go round loops, to no effect, whatever the schedule: for a
//! machine that follows one, with concrete inputs.
//!
//! A thread goes round to no effect if, alone, it comes to the end of a pure round (`waiting`), or
//! back to where it stands with everything as it was. If all rounds are pure, nothing ever changes:
//! that is a livelock. If some change things in between, others may see it and get out: then all
//! states that can be reached are visited, and it is one only if no execution ends in them.

use machine::{Answer, Enabled, End, Fault, FaultAt, Fingerprints, Machine, Mark};
use machine::{Question, Status, ThreadId};
use rustc_hash::FxHashSet;

use crate::decision::Decision;
use crate::driver::{self, Flow, Policy, drive};

/// More steps of a round, or more states, and it is taken for no livelock.
const LONGEST_ROUND: u32 = 10_000;
const MOST_STATES: usize = 50_000;

/// Where a machine stands at which a schedule ends: the deadlock, if no thread makes progress.
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

/// The first thread that can go on, and does not only go round a loop to no effect.
pub(crate) fn who_goes_on(machine: &mut Machine) -> Option<Enabled> {
    let recorder = machine.suspend_recording();
    let enabled = machine.enabled().to_vec();
    let mut own = enabled.into_iter().filter(|e| !e.spurious);
    let goes_on = own.find(|e| matches!(round_of(machine, e.thread), Round::Other));
    machine.resume_recording(recorder);
    goes_on
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
    let mut up_to_a_round = UpToARound {
        machine,
        thread,
        taken,
        left: LONGEST_ROUND,
    };
    up_to_a_round.schedule().is_continue() && drive(&mut up_to_a_round)
}

/// Lets one thread go on alone up to the end of a pure round; whether it comes to one.
struct UpToARound<'m> {
    machine: &'m mut Machine,
    thread: ThreadId,
    taken: &'m mut Vec<Decision>,
    left: u32,
}

impl Policy for UpToARound<'_> {
    type Stop = bool;

    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn schedule(&mut self) -> Flow<bool> {
        if self.left == 0 || !schedule_alone(self.machine, self.thread) {
            return Flow::Break(false);
        }
        self.left -= 1;
        self.taken.push(Decision::Run(self.thread));
        Flow::Continue(())
    }

    fn wait(&mut self, _: driver::Round) -> Flow<bool> {
        self.machine.yield_spinning();
        self.taken.push(Decision::Yield);
        Flow::Break(true)
    }

    fn ask(&mut self, _: Question) -> Flow<bool> {
        Flow::Break(false)
    }

    fn join(&mut self) -> Flow<bool> {
        Flow::Break(false)
    }

    fn spin(&mut self) -> Flow<bool> {
        Flow::Break(false)
    }

    fn end(&mut self, _: End) -> Flow<bool> {
        Flow::Break(false)
    }
}

/// Lets the thread do its next step, if it can.
fn schedule_alone(machine: &mut Machine, thread: ThreadId) -> bool {
    let choice = Enabled {
        thread,
        spurious: false,
    };
    let can_go_on = machine.enabled().contains(&choice);
    if can_go_on {
        machine.schedule(choice);
    }
    can_go_on
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
    let mut fingerprints = Fingerprints::new(machine);
    let mut round = OneRound {
        effects: machine.thread(thread).hot.activity.effects,
        start: place(machine, thread),
        before: machine.fingerprint(&mut fingerprints),
        fingerprints,
        rounds: 0,
        pure_rounds: 0,
        left: LONGEST_ROUND,
        machine,
        thread,
    };
    match round.step() {
        Flow::Continue(()) => drive(&mut round),
        Flow::Break(round) => round,
    }
}

type Place = (usize, Option<(ir::FuncId, u32)>);

fn place(machine: &Machine, thread: ThreadId) -> Place {
    let frames = &machine.thread(thread).frames;
    (frames.len(), frames.last().map(|f| (f.function, f.pc)))
}

/// Lets one thread go round a loop alone.
struct OneRound<'m> {
    machine: &'m mut Machine,
    thread: ThreadId,
    /// Of the thread, when it began.
    effects: u32,
    start: Place,
    /// The state, when it was last at the start. The first round may leave traces that the next
    /// ones do not, such as which memory was accessed.
    before: Option<u128>,
    fingerprints: Fingerprints,
    rounds: u32,
    pure_rounds: u32,
    left: u32,
}

impl OneRound<'_> {
    fn step(&mut self) -> Flow<Round> {
        if self.left == 0 || !schedule_alone(self.machine, self.thread) {
            return Flow::Break(Round::Other);
        }
        self.left -= 1;
        Flow::Continue(())
    }
}

impl Policy for OneRound<'_> {
    type Stop = Round;

    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn schedule(&mut self) -> Flow<Round> {
        if place(self.machine, self.thread) == self.start {
            let now = self.machine.fingerprint(&mut self.fingerprints);
            if now.is_some() && now == self.before {
                return Flow::Break(Round::Restores);
            }
            self.rounds += 1;
            if self.rounds == 2 {
                return Flow::Break(Round::Other);
            }
            self.before = now;
        }
        self.step()
    }

    fn wait(&mut self, _: driver::Round) -> Flow<Round> {
        if self.machine.thread(self.thread).hot.activity.effects != self.effects {
            // What it did before it began to wait is more than going round a loop.
            return Flow::Break(Round::Other);
        }
        // The first one may have begun long ago, or be of a loop that is left for another one.
        if self.pure_rounds == 1 {
            return Flow::Break(Round::Pure(self.machine.user_loc(self.thread)));
        }
        self.pure_rounds += 1;
        self.machine.spin_on();
        Flow::Continue(())
    }

    fn ask(&mut self, _: Question) -> Flow<Round> {
        Flow::Break(Round::Other)
    }

    fn join(&mut self) -> Flow<Round> {
        Flow::Break(Round::Other)
    }

    fn spin(&mut self) -> Flow<Round> {
        Flow::Break(Round::Other)
    }

    fn end(&mut self, _: End) -> Flow<Round> {
        Flow::Break(Round::Other)
    }
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
    drive(&mut Closure {
        fingerprints: Fingerprints::new(machine),
        known: FxHashSet::default(),
        open: Vec::new(),
        machine,
    })
}

/// Visits all states that can be reached; whether no execution ends in them.
struct Closure<'m> {
    machine: &'m mut Machine,
    fingerprints: Fingerprints,
    known: FxHashSet<u128>,
    open: Vec<(Mark, Left)>,
}

impl Closure<'_> {
    /// At a state from which this is left to try.
    fn try_all(&mut self, left: Left) -> Flow<bool> {
        if self.known.len() > MOST_STATES {
            return Flow::Break(false);
        }
        self.open.push((self.machine.mark(), left));
        while let Some((mark, left)) = self.open.last_mut() {
            self.machine.undo(mark);
            match left {
                Left::Threads(threads) => {
                    if let Some(choice) = threads.pop() {
                        self.machine.schedule(choice);
                        return Flow::Continue(());
                    }
                }
                Left::Choices(choices) => {
                    if let Some(choice) = choices.next() {
                        self.machine.answer(Answer::Number(u128::from(choice)));
                        return Flow::Continue(());
                    }
                }
            }
            let (mark, _) = self.open.pop().expect("a state");
            self.machine.discard(mark);
        }
        Flow::Break(true)
    }
}

impl Policy for Closure<'_> {
    type Stop = bool;

    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn schedule(&mut self) -> Flow<bool> {
        let threads = match self.machine.fingerprint(&mut self.fingerprints) {
            Some(state) if self.known.insert(state) => self.machine.enabled().to_vec(),
            Some(_) => Vec::new(),
            None => return Flow::Break(false),
        };
        self.try_all(Left::Threads(threads))
    }

    fn ask(&mut self, question: Question) -> Flow<bool> {
        match question {
            Question::Choice(count) => self.try_all(Left::Choices(0..count)),
            _ => Flow::Break(false),
        }
    }

    fn wait(&mut self, round: driver::Round) -> Flow<bool> {
        match round.events {
            // It never comes to anything that would be a state.
            0 => self.machine.block_in_loop(),
            _ => self.machine.spin_on(),
        }
        Flow::Continue(())
    }

    fn spin(&mut self) -> Flow<bool> {
        Flow::Break(false)
    }

    fn end(&mut self, end: End) -> Flow<bool> {
        match end {
            End::Fault(at) if at.fault == Fault::Deadlock => {
                self.try_all(Left::Threads(Vec::new()))
            }
            _ => Flow::Break(false),
        }
    }
}
