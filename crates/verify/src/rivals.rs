//! Other searches that take turns with the main one.
//!
//! No search is the best for every program. The optimal reduction follows each trace once, but may
//! have to follow very many; one with summaries (P1) leaves out what cannot fail, and one with
//! observers takes the order of writes that nobody sees for the same. Once a search has lasted for
//! a while, these get a part of the time. Each has a thread of its own, but only one runs at any
//! moment: memory and solver are theirs alone, and two cores are no faster than one. The first that
//! comes to an end decides: what is `safe` or a bug for one is so for all. One that gives something
//! up is out.
//!
//! Invariant: a rival preserves every property that is asked for, see [`contestants`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

use explore::{Independence, Limits, Outcome, Reduction, Stopped};
use machine::{Program, Property};

use crate::Internal;
use crate::check::Options;
use crate::load::Loaded;
use crate::relevance::Dependence;
use crate::relevance::Subject;
use crate::strategy::{Strategy, explore_options};

/// A search that came to an end, and how it was made.
pub(crate) struct Decided {
    pub outcome: Outcome,
    pub subject: Subject,
    pub options: Options,
}

pub(crate) struct Rivals<'scope> {
    rivals: Vec<Rival>,
    /// Of the main search, between two turns of the rivals.
    period: Duration,
    next: Duration,
    /// What the main search is about.
    program: Arc<Program>,
    start: Box<dyn FnMut() -> Vec<Rival> + 'scope>,
}

struct Rival {
    share: u32,
    go: Sender<Duration>,
    back: Receiver<Message>,
}

enum Message {
    /// Its time is over.
    Paused,
    Ended(Box<Result<Decided, Internal>>),
}

/// The first turns come soon after one another: a rival that is much better needs few.
const FIRST_PERIOD: Duration = Duration::from_millis(100);
const LONGEST_PERIOD: Duration = Duration::from_secs(4);

/// What rivals get of what the main search had: summaries half, since where they prune they save
/// far more than that; observers an eighth.
const SHARE_OF_SUMMARIES: u32 = 2;
const SHARE_OF_OBSERVERS: u32 = 8;
/// States are few where they help, and then it is soon done.
const SHARE_OF_STATES: u32 = 2;

impl<'scope> Rivals<'scope> {
    /// They begin once the main search has taken so long.
    pub fn new<'env>(
        scope: &'scope Scope<'scope, 'env>,
        loaded: &'env Loaded,
        options: &'env Options,
        halt: &'env Arc<AtomicBool>,
        program: &Arc<Program>,
        begin: Duration,
    ) -> Rivals<'scope> {
        let start = move || {
            let contestants = contestants(options).into_iter();
            let begun = contestants.map(|one| Rival::start(scope, loaded, one, halt));
            begun.collect()
        };
        Rivals {
            rivals: Vec::new(),
            period: FIRST_PERIOD,
            next: begin,
            program: Arc::clone(program),
            start: Box::new(start),
        }
    }

    /// Lets them run if it is their turn, so long after the main search began. The one that is
    /// done, if one is.
    pub fn take_turn(&mut self, clock: Instant) -> Option<Result<Decided, Internal>> {
        let begin = clock.elapsed();
        if begin < self.next {
            return None;
        }
        let mut decided = None;
        if self.rivals.is_empty() {
            self.rivals = (self.start)();
        }
        let period = self.period;
        let main = &self.program;
        self.rivals.retain(|rival| {
            if decided.is_some() {
                return true;
            }
            match rival.run(period / rival.share) {
                Message::Paused => true,
                Message::Ended(ended) => {
                    decided = match *ended {
                        // What is wrong for one is wrong for all.
                        Ok(ended) if ended.subject.is_refuted() => {
                            main.premises.refute();
                            None
                        }
                        Ok(ended) if is_decisive(&ended.outcome) => Some(Ok(ended)),
                        Ok(_) => None,
                        Err(why) => Some(Err(why)),
                    };
                    false
                }
            }
        });
        if self.rivals.is_empty() {
            self.start = Box::new(Vec::new);
        }
        self.period = (2 * self.period).min(LONGEST_PERIOD);
        self.next = clock.elapsed() + self.period;
        decided
    }
}

pub(crate) fn is_decisive(outcome: &Outcome) -> bool {
    !outcome.found.is_empty() || outcome.is_complete()
}

/// How else a program can be searched with these options, and for which share of the time.
fn contestants(options: &Options) -> Vec<(Options, u32)> {
    // Both leave out what a race would be found by.
    if options.properties.contains(Property::Race) {
        return Vec::new();
    }
    let other = Options {
        strategy: Strategy::Exhaustive,
        reduction: Reduction::Source,
        ..options.clone()
    };
    let pruning = Options {
        summaries: Some(Limits::default()),
        ..other.clone()
    };
    let observing = Options {
        independence: Independence {
            observers: true,
            commute: true,
        },
        ..other
    };
    vec![
        (by_states(options), SHARE_OF_STATES),
        (pruning, SHARE_OF_SUMMARIES),
        (observing, SHARE_OF_OBSERVERS),
    ]
}

/// The search that explores no state twice, which comes to an end in loops that others do not
/// understand.
pub(crate) fn by_states(options: &Options) -> Options {
    Options {
        strategy: Strategy::Exhaustive,
        reduction: Reduction::None,
        independence: Independence::default(),
        dependence: Dependence::Conflict,
        peek: false,
        summaries: None,
        states: true,
        ..options.clone()
    }
}

impl Rival {
    fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        loaded: &'env Loaded,
        (options, share): (Options, u32),
        halt: &'env Arc<AtomicBool>,
    ) -> Rival {
        let (go, may_go) = channel();
        let (tell, back) = channel();
        scope.spawn(move || {
            let Ok(slice) = may_go.recv() else {
                return;
            };
            let mut turn = Turn {
                until: Instant::now() + slice,
                may_go,
                tell,
                halt,
            };
            let subject = Subject::of(loaded, &options);
            let search = explore_options(&subject, &options, halt);
            let outcome = explore::search(&subject.program, &search, &mut turn);
            let ended = outcome.map_err(Internal::from).map(|outcome| Decided {
                outcome,
                subject,
                options,
            });
            // Nobody listens if the main search has ended.
            let _ = turn.tell.send(Message::Ended(Box::new(ended)));
        });
        Rival { share, go, back }
    }

    fn run(&self, slice: Duration) -> Message {
        let told = self.go.send(slice).map_err(|_| ());
        let answer = told.and_then(|()| self.back.recv().map_err(|_| ()));
        answer.unwrap_or_else(|()| Message::Ended(Box::new(Err(Internal::MemberDied))))
    }
}

/// The monitor of a rival: waits when its time is over.
struct Turn<'a> {
    until: Instant,
    may_go: Receiver<Duration>,
    tell: Sender<Message>,
    halt: &'a AtomicBool,
}

impl explore::Monitor for Turn<'_> {
    fn tick(&mut self, _outcome: &Outcome, _depth: usize) -> Option<Stopped> {
        if self.halt.load(Ordering::Relaxed) {
            return Some(Stopped::Interrupted);
        }
        if Instant::now() < self.until {
            return None;
        }
        let told = self.tell.send(Message::Paused).map_err(|_| ());
        let slice = told.and_then(|()| self.may_go.recv().map_err(|_| ()));
        match slice {
            Ok(slice) => {
                self.until = Instant::now() + slice;
                None
            }
            // The main search has ended.
            Err(()) => Some(Stopped::Interrupted),
        }
    }
}
