//! Why no thread can go on: the circle of threads that wait for each other, or the wait that nobody
//! is left to end.

use machine::{Event, EventKind, Guard, Machine, Status, ThreadId};

use crate::names::Names;
use crate::race::{Held, locks};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deadlock {
    pub cause: Cause,
    /// One sentence.
    pub message: String,
    /// Every thread that is stuck.
    pub waiting: Vec<Waiting>,
    /// The threads that wait for each other, by column, each for the next and the last for the
    /// first.
    pub circle: Vec<usize>,
}

/// What kind of deadlock it is, the most telling first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    Circle,
    /// The holder of a lock has ended.
    AbandonedLock,
    /// A thread waits on a condition that nobody will signal.
    LostWakeup,
    Semaphore,
    Barrier,
    /// A thread goes round a loop.
    #[default]
    Loop,
}

impl Cause {
    pub fn name(self) -> &'static str {
        match self {
            Cause::Circle => "circle",
            Cause::LostWakeup => "lost wake-up",
            Cause::Semaphore => "semaphore",
            Cause::Barrier => "barrier",
            Cause::AbandonedLock => "abandoned lock",
            Cause::Loop => "loop",
        }
    }
}

/// A thread that is stuck.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waiting {
    /// Column of the trace.
    pub thread: usize,
    pub file: String,
    pub line: u32,
    /// `waits for mutex b, held by T2`
    pub text: String,
    pub holds: Vec<Held>,
}

/// What is known of a stuck thread.
struct Stuck {
    thread: ThreadId,
    guard: Guard,
    /// What it waits for: `mutex b`.
    what: String,
    /// Threads that must do something first; none if anyone might.
    awaited: Vec<ThreadId>,
    waiting: Waiting,
}

impl Deadlock {
    pub fn new(machine: &Machine, names: &Names, events: &[Event]) -> Deadlock {
        let scene = Scene {
            machine,
            names,
            events,
        };
        let stuck: Vec<Stuck> = machine
            .unfinished()
            .into_iter()
            .filter_map(|thread| scene.stuck(thread))
            .collect();
        let circle = circle(&stuck);
        let (cause, message) = if circle.is_empty() {
            scene.dead_end(&stuck)
        } else {
            (Cause::Circle, scene.walk_round(&stuck, &circle))
        };
        Deadlock {
            cause,
            message,
            circle: circle.iter().map(|i| stuck[*i].thread.index()).collect(),
            waiting: stuck.into_iter().map(|s| s.waiting).collect(),
        }
    }
}

struct Scene<'a> {
    machine: &'a Machine,
    names: &'a Names<'a>,
    events: &'a [Event],
}

impl Scene<'_> {
    fn stuck(&self, thread: ThreadId) -> Option<Stuck> {
        let Status::Parked { guard, .. } = self.machine.status(thread) else {
            return None;
        };
        let awaited = self.awaited(thread, guard);
        let (file, line) = self
            .names
            .file_and_line(self.machine.user_loc(thread))
            .unwrap_or(("", 0));
        Some(Stuck {
            what: self.what(guard),
            waiting: Waiting {
                thread: thread.index(),
                file: file.to_string(),
                line,
                text: self.text(thread, guard, &awaited),
                holds: self.held(thread),
            },
            thread,
            guard,
            awaited,
        })
    }

    fn name(&self, address: u64) -> String {
        self.names.sync_object(self.machine, address)
    }

    /// A wait on a condition gives the mutex back, which the list of events does not show.
    fn held(&self, thread: ThreadId) -> Vec<Held> {
        let mut held = locks(self.machine, self.names, thread, self.events);
        held.retain(|lock| !lock.is_mutex || self.machine.lock_owner(lock.address) == Some(thread));
        held
    }

    fn awaited(&self, thread: ThreadId, guard: Guard) -> Vec<ThreadId> {
        let holders = |address: u64| -> Vec<ThreadId> {
            let holds = |t: &ThreadId| self.held(*t).iter().any(|lock| lock.address == address);
            self.machine.thread_ids().filter(holds).collect()
        };
        match guard {
            Guard::Zero(mutex)
            | Guard::Condition {
                mutex,
                signalled: true,
                ..
            } => self.machine.lock_owner(mutex).into_iter().collect(),
            Guard::RwLock { address, .. } => holders(address),
            Guard::Once(address) => self.runs_once(address).into_iter().collect(),
            Guard::Ended(other) => vec![other],
            Guard::Alone => {
                let unfinished = self.machine.unfinished().into_iter();
                unfinished.filter(|t| *t != thread).collect()
            }
            _ => vec![],
        }
    }

    /// Who is running a once routine.
    fn runs_once(&self, address: u64) -> Option<ThreadId> {
        self.on(address)
            .rev()
            .find_map(|(_, event, _, note)| (note == "runs the routine").then_some(event.thread))
    }

    /// Operations on a synchronisation object: index, event, operation, what it came to.
    fn on(
        &self,
        object: u64,
    ) -> impl DoubleEndedIterator<Item = (usize, &Event, &'static str, &str)> {
        let events = self.events.iter().enumerate();
        events.filter_map(move |(index, event)| match &event.kind {
            EventKind::Sync {
                operation,
                address,
                note,
            } if *address == object => Some((index, event, *operation, note.as_str())),
            _ => None,
        })
    }

    fn place(&self, event: &Event) -> String {
        match self.names.file_and_line(event.loc) {
            Some((file, line)) => format!("{}:{line}", short(file)),
            None => "an unknown place".to_string(),
        }
    }

    fn what(&self, guard: Guard) -> String {
        match guard {
            Guard::Zero(a) => format!("mutex {}", self.name(a)),
            Guard::Condition {
                mutex,
                signalled: true,
                ..
            } => format!("mutex {}", self.name(mutex)),
            Guard::RwLock { address, .. } => format!("read-write lock {}", self.name(address)),
            Guard::Once(a) => format!("the routine of {}", self.name(a)),
            Guard::Ended(t) => format!("the end of {}", self.names.thread(t)),
            Guard::Alone => "the end of the others".to_string(),
            _ => String::new(),
        }
    }

    fn text(&self, thread: ThreadId, guard: Guard, awaited: &[ThreadId]) -> String {
        let names: Vec<String> = awaited.iter().map(|t| self.who(*t, thread)).collect();
        let held_by = if names.is_empty() {
            String::new()
        } else {
            format!(", held by {}", names.join(" and "))
        };
        match guard {
            Guard::Zero(a) => format!("waits for mutex {}{held_by}", self.name(a)),
            Guard::Positive(a) => format!("waits for semaphore {}, which is 0", self.name(a)),
            Guard::RwLock { address, write } => {
                let how = if write { "write" } else { "read" };
                format!("waits to {how}-lock {}{held_by}", self.name(address))
            }
            Guard::Barrier { address, .. } => {
                let (arrived, all) = self.machine.barrier_arrivals(address);
                let name = self.name(address);
                format!("waits at barrier {name}, where {arrived} of {all} have arrived")
            }
            Guard::Once(a) => format!("waits for the routine of {}", self.name(a)),
            Guard::Ended(t) => format!("waits for {} to end", self.names.thread(t)),
            Guard::Condition {
                condition,
                signalled: false,
                ..
            } => format!("waits for a signal on {}", self.name(condition)),
            Guard::Condition { mutex, .. } => {
                let name = self.name(mutex);
                format!("was signalled and waits for mutex {name}{held_by}")
            }
            Guard::Alone => "waits for the other threads to end".to_string(),
            Guard::Await => "goes round a loop".to_string(),
            Guard::Assumption => "is stopped by an assumption".to_string(),
            Guard::Leaving { .. } => "begins to wait".to_string(),
            Guard::Always | Guard::Spin => {
                "goes round a loop, waiting for what nobody writes".to_string()
            }
        }
    }

    fn who(&self, thread: ThreadId, asked_by: ThreadId) -> String {
        let name = self.names.thread(thread);
        if thread == asked_by {
            format!("{name} itself")
        } else if self.machine.status(thread).is_over() {
            format!("{name}, which has ended")
        } else {
            name
        }
    }

    /// `T1 waits for mutex b (a.c:10), held by T2, which waits for mutex a (a.c:19), held by T1`
    fn walk_round(&self, stuck: &[Stuck], circle: &[usize]) -> String {
        let mut text = String::from("deadlock: ");
        for (i, &index) in circle.iter().enumerate() {
            let Stuck {
                thread,
                guard,
                what,
                waiting,
                ..
            } = &stuck[index];
            let place = format!("{}:{}", short(&waiting.file), waiting.line);
            let next = stuck[circle[(i + 1) % circle.len()]].thread;
            let subject = if i == 0 {
                self.names.thread(*thread)
            } else {
                "which".to_string()
            };
            text.push_str(&format!("{subject} waits for {what} ({place}), "));
            // A thread that is waited for to end has been named.
            if !matches!(guard, Guard::Ended(_)) {
                let verb = match guard {
                    Guard::Once(_) => "run by",
                    Guard::Alone => "among them",
                    _ => "held by",
                };
                text.push_str(&format!("{verb} {}, ", self.who(next, *thread)));
            }
        }
        text.trim_end_matches(", ").to_string()
    }

    /// There is no circle: some thread waits for what nobody is left to do.
    fn dead_end(&self, stuck: &[Stuck]) -> (Cause, String) {
        let ends = stuck.iter().filter_map(|s| self.dead_end_of(s));
        ends.min_by_key(|(cause, _)| *cause as u8)
            .unwrap_or((Cause::Loop, "deadlock: no thread can go on".to_string()))
    }

    fn dead_end_of(&self, stuck: &Stuck) -> Option<(Cause, String)> {
        let name = self.names.thread(stuck.thread);
        let place = format!("{}:{}", short(&stuck.waiting.file), stuck.waiting.line);
        Some(match stuck.guard {
            Guard::Condition {
                condition,
                signalled: false,
                ..
            } => (
                Cause::LostWakeup,
                format!(
                    "lost wake-up: {name} waits on condition {} at {place}; {}",
                    self.name(condition),
                    self.last_signal(stuck.thread, condition)
                ),
            ),
            Guard::Positive(address) => (
                Cause::Semaphore,
                format!(
                    "deadlock: {name} waits for semaphore {} at {place}, which is 0, and nobody is left to post it",
                    self.name(address)
                ),
            ),
            Guard::Barrier { address, .. } => {
                let (arrived, all) = self.machine.barrier_arrivals(address);
                (
                    Cause::Barrier,
                    format!(
                        "deadlock: only {arrived} of {all} threads arrive at barrier {}, and nobody else is left to",
                        self.name(address)
                    ),
                )
            }
            Guard::Zero(_) | Guard::RwLock { .. } | Guard::Condition { .. } => {
                let over = |t: &&ThreadId| self.machine.status(**t).is_over();
                let owner = stuck.awaited.iter().find(over)?;
                (
                    Cause::AbandonedLock,
                    format!(
                        "deadlock: {name} waits for {} at {place}, and {} has ended without unlocking it",
                        stuck.what,
                        self.names.thread(*owner)
                    ),
                )
            }
            Guard::Always | Guard::Spin => (
                Cause::Loop,
                format!(
                    "deadlock: {name} goes round a loop at {place}, waiting for what nobody writes"
                ),
            ),
            _ => return None,
        })
    }

    /// Why no signal came.
    fn last_signal(&self, thread: ThreadId, condition: u64) -> String {
        let is_signal = |operation: &str| !operation.ends_with("wait");
        let began = self
            .on(condition)
            .filter(|(_, event, operation, note)| {
                event.thread == thread && !is_signal(operation) && *note == "waits"
            })
            .map(|(index, ..)| index)
            .next_back();
        let signal = self
            .on(condition)
            .rfind(|(_, _, operation, _)| is_signal(operation));
        match signal {
            None => "it is never signalled".to_string(),
            Some((index, event, ..)) if began.is_none_or(|began| index < began) => format!(
                "the last signal of it was at {}, before the wait began",
                self.place(event)
            ),
            Some((_, event, _, note)) => {
                format!("the last signal of it, at {}, {note}", self.place(event))
            }
        }
    }
}

/// A shortest circle of threads that wait for each other, as indices; none if there is none.
fn circle(stuck: &[Stuck]) -> Vec<usize> {
    let next = |index: usize| {
        let awaited = &stuck[index].awaited;
        (0..stuck.len()).filter(move |other| awaited.contains(&stuck[*other].thread))
    };
    let mut shortest: Vec<usize> = vec![];
    for start in 0..stuck.len() {
        // Breadth first, with the way that led there.
        let mut ways = std::collections::VecDeque::from([vec![start]]);
        let mut seen = vec![false; stuck.len()];
        while let Some(way) = ways.pop_front() {
            let last = *way.last().expect("a way begins somewhere");
            if next(last).any(|other| other == start) {
                if shortest.is_empty() || way.len() < shortest.len() {
                    shortest = way;
                }
                break;
            }
            for other in next(last) {
                if !std::mem::replace(&mut seen[other], true) {
                    let mut longer = way.clone();
                    longer.push(other);
                    ways.push_back(longer);
                }
            }
        }
    }
    shortest
}

/// The name of a file without its folder, as reports have it.
pub(crate) fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}
