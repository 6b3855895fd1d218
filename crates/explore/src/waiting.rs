//! Loops that wait for what other threads write, in every search.
//!
//! A round of a loop *has no net effect* if at its end everything that others can see, and
//! everything of the thread's own that is still live, is as at its beginning. It is *pure* if no
//! state in between differs either, for others: it reads, stores what is there already, fails to
//! take a lock or to exchange a word. Which rounds are pure the machine says (`machine/step.rs`,
//! `Situation::Await`).
//!
//! **Rule.** A pure round is executed like everything else: its operations are events, with every
//! interference between any two of them, and their faults and races count. When it has ended the
//! thread goes no further in this execution (`Machine::block_in_loop`). The others do.
//!
//! **Why nothing is lost.** Let E be a shortest execution that fails. Suppose a thread t completes
//! a pure round in E and goes on. Take the events of that round out of E. What is left is an
//! execution: others find every value as before, for the round changed none; t begins its next
//! round with the live registers and the memory with which it began the one that was taken out;
//! whoever waits for a lock, a signal or an end finds them as before. It fails as E does, and is
//! shorter. So in E no thread goes on after a pure round, and E is an execution under the rule.
//! (Kokologiannakis, Ren, Vafeiadis, FMCAD'21, take failed rounds out of execution graphs by the
//! same argument; theirs are found by a static analysis and may not store; ours are found when they
//! are executed.) A *race* is between two accesses, and one may be in the round that is to be taken
//! out: `machine::race` says which rounds are pure then, and after which of them a thread goes on.
//!
//! **For each search.** Whether t is stopped follows from what t itself did and found: equivalent
//! executions agree, and no event of another thread stops t or lets it go on. So the rule turns the
//! program into another one, in which t ends there, and whatever is right for all programs (naive,
//! dpor, source, optimal with its revisits, observers, commuting operations, peeking into critical
//! sections) is right for that one. In particular the events of the last round are there to be
//! reversed or revisited by what others write later: `while (!(a && b))` leaves with an `a` that is
//! old if `b` is read later (`torn_two_flags.c`). Summaries keep why the round was pure among
//! their conditions (`dpor/waiting.rs`).
//!
//! **Livelocks.** If in the end every thread that is left is stopped so or blocked, each of the
//! former is let go round once more, alone. If all come back to where they are, without a decision,
//! no schedule changes anything any more: that is a deadlock. Otherwise one of them looked too
//! early, and an execution in which it looks later says what becomes of it. That it would leave the
//! loop is a condition of summaries (`prune_looked_too_early.c`). With observers the last look sees
//! what is left in memory, so that the order of writes there matters (`livelock_stale_store.c`).
//!
//! Not covered: rounds that change something and change it back (a lock taken and released). They
//! are no pure rounds: others may see the state in between. See `states`.

use ir::debug::LocId;
use machine::{Cutoff, Enabled, End, Fault, FaultAt, Machine, Property};
use machine::{Question, Status, ThreadId};

use smt::TermId;

use crate::driver::{Flow, Policy, Round, drive};
use crate::replies::Only;
use crate::walk::Walk;

/// More steps of a round than this, and nothing is said about it.
const LONGEST_ROUND: u32 = 10_000;

/// What becomes of threads that were stopped in loops, where nobody else can go on.
pub enum Stuck {
    /// The execution ends like this: a livelock, or the process is over.
    Ends(End),
    /// One would leave its loop. Under which conditions on the state it would, if that can be said
    /// and a history is kept.
    Leaves(Option<Vec<TermId>>),
    /// It cannot be said what the thread there would do.
    Unclear(LocId),
    /// Others can go on, or nobody was stopped in a loop.
    No,
}

/// How a thread goes on alone.
enum Alone {
    /// Round and round, here.
    Round(LocId),
    Leaves(Option<Vec<TermId>>),
    Unclear(LocId),
}

/// How a thread comes to the end of its next round.
enum Next {
    /// It changes nothing.
    Pure,
    /// Another way than before.
    Leaves,
    /// It changes something on its way, which depends on more than that way.
    Changes,
    Unclear,
}

impl Walk<'_> {
    /// At the end of an execution in which nobody can go on: the deadlock, if every thread that was
    /// stopped in a loop would go round for ever.
    pub fn livelock(&mut self) -> Stuck {
        let machine = &self.machine;
        if machine
            .thread_ids()
            .any(|t| machine.status(t) == Status::Exited)
        {
            return Stuck::Ends(End::Normal);
        }
        let is_left = |t: &ThreadId| !machine.status(*t).is_over();
        let left: Vec<ThreadId> = machine.thread_ids().filter(is_left).collect();
        let in_loop = |t: &ThreadId| machine.is_blocked_in_loop(*t);
        let waiting: Vec<ThreadId> = left.iter().copied().filter(in_loop).collect();
        let can_go_on = |t: &ThreadId| {
            let mut enabled = machine.enabled().iter();
            enabled.any(|e| e.thread == *t && !e.spurious)
        };
        let is_stuck = |t: &ThreadId| !can_go_on(t) && !machine.is_stopped(*t);
        if waiting.is_empty() || !left.iter().all(is_stuck) {
            return Stuck::No;
        }
        let mut first = None;
        for &thread in &waiting {
            match self.alone(thread) {
                Alone::Round(loc) => first = first.or(Some((thread, loc))),
                Alone::Leaves(conditions) => return Stuck::Leaves(conditions),
                Alone::Unclear(loc) => return Stuck::Unclear(loc),
            }
        }
        let (thread, loc) = first.expect("one waits");
        let fault = Fault::Deadlock;
        Stuck::Ends(End::Fault(FaultAt { fault, thread, loc }))
    }

    /// Whether a thread that is stopped in a loop makes another pure round if nobody else does
    /// anything: in that loop or, if it looked too early, in a later one. All is undone.
    fn alone(&mut self, thread: ThreadId) -> Alone {
        let mark = self.machine.mark();
        let footprint = self.machine.footprint_so_far();
        let from = self.machine.position();
        self.machine.unblock_in_loop(thread);
        let alone = match self.next_round(thread) {
            Next::Pure => Alone::Round(self.machine.user_loc(thread)),
            Next::Leaves if self.machine.keeps_history() => {
                Alone::Leaves(self.machine.conditions_of_wait(thread, from))
            }
            Next::Leaves | Next::Changes => Alone::Leaves(None),
            Next::Unclear => Alone::Unclear(self.machine.user_loc(thread)),
        };
        self.machine.discard(mark);
        self.machine.set_footprint(footprint);
        // Who can go on is known after a look around.
        self.machine.advance();
        alone
    }

    fn next_round(&mut self, thread: ThreadId) -> Next {
        let mut next = NextRound {
            thread,
            before: 0,
            rounds: 0,
            left: LONGEST_ROUND,
            walk: self,
        };
        next.before = next.effects();
        drive(&mut next)
    }

    /// What an execution in which nobody can go on ends in, for a search without summaries.
    pub fn end_of_stuck(&mut self) -> End {
        match self.livelock() {
            Stuck::Ends(end) => end,
            Stuck::Unclear(loc) => self.leave_open(loc),
            Stuck::Leaves(_) | Stuck::No => End::Discarded,
        }
    }

    /// Nothing is claimed of a program in which a thread may go round for ever.
    pub fn leave_open(&mut self, loc: LocId) -> End {
        if self.options.properties.contains(Property::Deadlock) {
            self.cut_off(Cutoff::LoopBound, loc);
        }
        End::Discarded
    }
}

/// Lets one thread go on alone up to the end of its next round.
///
/// At the end of a livelock, a thread has found all questions of its last round answered by the
/// path; so if a question can be answered in several ways, this is none. The first round that ends
/// may have begun long ago, if it is one of an outer loop; the second one has not.
struct NextRound<'w, 'a> {
    walk: &'w mut Walk<'a>,
    thread: ThreadId,
    /// What it had done when the round began.
    before: u32,
    rounds: u32,
    left: u32,
}

impl NextRound<'_, '_> {
    fn effects(&self) -> u32 {
        self.walk.machine.thread(self.thread).hot.activity.effects
    }

    fn is_own(&self) -> bool {
        self.walk.machine.current_thread() == self.thread
    }

    /// Where the thread waits or asks: whether it did more than go round a loop. Another execution
    /// says what becomes of that, unless nothing that is checked depends on what it changes: then
    /// there is none, and it goes on here.
    fn has_changed_something(&mut self) -> bool {
        let effects = self.effects();
        if !self.is_own() || effects == self.before {
            return false;
        }
        (self.before, self.rounds) = (effects, 0);
        !self.walk.machine.mode().slices
    }

    fn go_on(&mut self) -> Flow<Next> {
        self.left -= 1;
        match self.left {
            0 => Flow::Break(Next::Unclear),
            _ => Flow::Continue(()),
        }
    }
}

impl Policy for NextRound<'_, '_> {
    type Stop = Next;

    fn machine(&mut self) -> &mut Machine {
        &mut self.walk.machine
    }

    fn schedule(&mut self) -> Flow<Next> {
        let choice = Enabled {
            thread: self.thread,
            spurious: false,
        };
        if !self.walk.machine.enabled().contains(&choice) {
            return Flow::Break(Next::Leaves);
        }
        self.walk.machine.schedule(choice);
        self.go_on()
    }

    fn ask(&mut self, question: Question) -> Flow<Next> {
        if self.has_changed_something() {
            return Flow::Break(Next::Changes);
        }
        match self.walk.only_reply(question) {
            Only::Answer(answer) => self.walk.machine.answer(answer),
            Only::Several => return Flow::Break(Next::Changes),
            Only::Unclear => return Flow::Break(Next::Unclear),
        }
        self.go_on()
    }

    fn join(&mut self) -> Flow<Next> {
        Flow::Break(Next::Leaves)
    }

    fn wait(&mut self, _: Round) -> Flow<Next> {
        if self.has_changed_something() {
            return Flow::Break(Next::Changes);
        }
        if !self.is_own() {
            return Flow::Break(Next::Unclear);
        }
        if self.rounds == 1 {
            return Flow::Break(Next::Pure);
        }
        self.rounds += 1;
        self.walk.machine.spin_on();
        self.go_on()
    }

    fn spin(&mut self) -> Flow<Next> {
        Flow::Break(Next::Unclear)
    }

    fn end(&mut self, _: End) -> Flow<Next> {
        Flow::Break(Next::Leaves)
    }
}
