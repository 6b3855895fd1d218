//! Members that get a part of the main search's time.
//!
//! Each has a thread of its own, but only one runs at any moment: memory and solver are theirs
//! alone, and two cores are no faster than one. The first that decides is asked no further; one
//! that gives something up is out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

use explore::{Monitor, Outcome, Stopped, TraceStatistics};
use smt::SolverStats;

use crate::Internal;
use crate::engine::{Answer, Engine, Task};

/// What a member gets of the time.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// Right after the head start of the main search, before anything else.
    pub first: Duration,
    /// One part in so many of what the main search had.
    pub part: u32,
}

impl Share {
    pub const fn one_in(part: u32) -> Share {
        let first = Duration::ZERO;
        Share { first, part }
    }

    /// Likewise, and this much at first.
    pub const fn and_at_first(self, first: Duration) -> Share {
        Share { first, ..self }
    }
}

/// The first turns come soon after one another: a member that is much better needs few.
const FIRST_PERIOD: Duration = Duration::from_millis(100);
const LONGEST_PERIOD: Duration = Duration::from_secs(4);

pub(super) struct Turns<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    task: &'env Task<'env>,
    /// Before their first turn.
    due: Vec<(Box<dyn Engine>, Share)>,
    members: Vec<Member>,
    /// Of the main search, between two turns of the members.
    period: Duration,
    /// What the main search has had when the next turn comes.
    next: Duration,
}

struct Member {
    name: &'static str,
    share: Share,
    go: Sender<Duration>,
    back: Receiver<Message>,
    /// It took so much longer than its turns so far: not everything can be left at any moment.
    owes: Duration,
}

enum Message {
    /// Its time is over. So far it is, if it can say.
    Paused(Option<(TraceStatistics, SolverStats)>),
    Ended(Box<Result<Answer, Internal>>),
}

impl<'scope, 'env> Turns<'scope, 'env> {
    pub fn new(
        scope: &'scope Scope<'scope, 'env>,
        task: &'env Task<'env>,
        members: Vec<(Box<dyn Engine>, Share)>,
    ) -> Turns<'scope, 'env> {
        Turns {
            scope,
            task,
            due: members,
            members: Vec::new(),
            period: FIRST_PERIOD,
            next: Duration::ZERO,
        }
    }

    /// Lets the members run if it is their turn, now that the main search has had so long. The
    /// answer of the one that has decided, if one has.
    pub fn take(
        &mut self,
        had: Duration,
        monitor: &mut dyn Monitor,
    ) -> Option<Result<Answer, Internal>> {
        if had < self.next {
            return None;
        }
        let period = self.period;
        let decided = self.let_all(monitor, |share| period / share.part);
        self.period = (2 * self.period).min(LONGEST_PERIOD);
        self.next = had + self.period;
        decided
    }

    /// From now on this one has its turns, too.
    pub fn add(&mut self, engine: Box<dyn Engine>, share: Share) {
        self.due.push((engine, share));
    }

    /// The turn that some get before all others. The answer of the one that has decided, if one
    /// has.
    pub fn take_first(&mut self, monitor: &mut dyn Monitor) -> Option<Result<Answer, Internal>> {
        self.let_all(monitor, |share| share.first)
    }

    /// Lets each member run for so long.
    fn let_all(
        &mut self,
        monitor: &mut dyn Monitor,
        time: impl Fn(Share) -> Duration,
    ) -> Option<Result<Answer, Internal>> {
        for (engine, share) in std::mem::take(&mut self.due) {
            self.members.push(self.begin(engine, share));
        }
        let mut decided = None;
        self.members.retain_mut(|member| {
            if decided.is_some() {
                return true;
            }
            match member.take_turn(time(member.share)) {
                Message::Paused(so_far) => {
                    if let Some((trace, solver)) = so_far {
                        monitor.beside(trace, solver);
                    }
                    true
                }
                Message::Ended(ended) => {
                    decided = match *ended {
                        Ok(answer) if answer.is_refuted || !answer.is_decisive() => None,
                        ended => Some(ended),
                    };
                    false
                }
            }
        });
        decided
    }

    fn begin(&self, engine: Box<dyn Engine>, share: Share) -> Member {
        let (go, may_go) = channel();
        let (tell, back) = channel();
        let (name, task) = (engine.name(), self.task);
        self.scope.spawn(move || {
            let Ok(time) = may_go.recv() else {
                return;
            };
            let mut turn = Turn {
                until: Instant::now() + time,
                may_go,
                tell,
                halt: &task.halt,
            };
            let ended = engine.run(task, &mut turn);
            // Nobody listens if the main search has ended.
            let _ = turn.tell.send(Message::Ended(Box::new(ended)));
        });
        Member {
            name,
            share,
            go,
            back,
            owes: Duration::ZERO,
        }
    }
}

impl Member {
    /// Runs for so long, without what it owes.
    fn take_turn(&mut self, time: Duration) -> Message {
        let Some(left) = time.checked_sub(self.owes).filter(|left| !left.is_zero()) else {
            self.owes -= time;
            return Message::Paused(None);
        };
        let start = Instant::now();
        let message = self.run(left);
        self.owes = start.elapsed().saturating_sub(left);
        message
    }

    fn run(&self, time: Duration) -> Message {
        let told = self.go.send(time).map_err(|_| ());
        let answer = told.and_then(|()| self.back.recv().map_err(|_| ()));
        answer.unwrap_or_else(|()| Message::Ended(Box::new(Err(Internal::MemberDied(self.name)))))
    }
}

/// The monitor of a member: waits when its time is over.
struct Turn<'a> {
    until: Instant,
    may_go: Receiver<Duration>,
    tell: Sender<Message>,
    halt: &'a AtomicBool,
}

impl Monitor for Turn<'_> {
    fn tick(&mut self, outcome: &Outcome, _depth: usize) -> Option<Stopped> {
        if self.halt.load(Ordering::Relaxed) {
            return Some(Stopped::Interrupted);
        }
        if Instant::now() < self.until {
            return None;
        }
        let so_far = outcome.trace.map(|trace| (trace, outcome.solver));
        let told = self.tell.send(Message::Paused(so_far)).map_err(|_| ());
        let time = told.and_then(|()| self.may_go.recv().map_err(|_| ()));
        match time {
            Ok(time) => {
                self.until = Instant::now() + time;
                None
            }
            // The main search has ended.
            Err(()) => Some(Stopped::Interrupted),
        }
    }
}
