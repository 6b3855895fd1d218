//! A state at which a thread is chosen: who is tried there, and who need not be.

use machine::{Mark, Recorded};
use smallvec::SmallVec;

use super::trace::Step;
use crate::dependence::{Effect, Effects};
use crate::summaries::Asleep;

pub type Threads = SmallVec<[u32; 4]>;

pub struct Node {
    pub mark: Mark,
    /// See `Summaries`.
    pub point: usize,
    /// Threads that can go on.
    pub enabled: Threads,
    /// Threads that are tried, in this order.
    pub backtrack: Threads,
    /// So many of them have been.
    tried: usize,
    /// Some thread did go on.
    pub left: bool,
    /// Nobody else need be tried, whatever races there are: that is known already.
    is_complete: bool,
    /// As long as these threads do no more than this in their next steps.
    expected: Asleep,
    pub sleep_set: Vec<Sleeper>,
    /// Threads that slept when the state was reached.
    came_asleep: Threads,
    /// What was accessed in steps that came to nothing.
    pub recorded: Vec<Recorded>,
    /// What the step of the thread that is being tried was seen to touch, with all its outcomes.
    effects: Effects,
}

/// A thread whose next step has been explored from here, or from before here where all steps since
/// then are independent of it.
#[derive(Clone)]
pub struct Sleeper {
    pub thread: u32,
    pub effects: Effects,
    /// Its cell has been replaced since then, as it would be by the step: who sees the one does not
    /// see the other. So it can be done, but nothing comes of it if nobody sees it.
    pub must_be_observed: bool,
}

impl Node {
    pub fn new(
        mark: Mark,
        enabled: Threads,
        first: u32,
        sleep_set: Vec<Sleeper>,
        point: usize,
    ) -> Node {
        let came_asleep = sleep_set.iter().filter(|s| !s.must_be_observed);
        Node {
            came_asleep: came_asleep.map(|s| s.thread).collect(),
            mark,
            point,
            enabled,
            backtrack: SmallVec::from_slice(&[first]),
            tried: 0,
            left: false,
            is_complete: false,
            expected: Asleep::new(),
            sleep_set,
            recorded: Vec::new(),
            effects: SmallVec::new(),
        }
    }

    /// Only these threads need be tried, if they do as expected.
    pub fn for_rest(
        mark: Mark,
        enabled: Threads,
        expected: Asleep,
        sleep_set: Vec<Sleeper>,
        point: usize,
    ) -> Node {
        let first = expected[0].0;
        let mut node = Node::new(mark, enabled, first, sleep_set, point);
        (expected.iter()).for_each(|(thread, _)| node.add_to_backtrack_set(*thread));
        node.is_complete = true;
        node.expected = expected;
        node
    }

    /// The thread's step was done in all ways that are possible. If that is not what was expected,
    /// everyone must be tried.
    pub fn compare_with_expected(&mut self, thread: u32) {
        let mut expected = self.expected.iter();
        let Some((_, expected)) = expected.find(|(other, _)| *other == thread) else {
            return;
        };
        let is_expected = |effect: &Effect| expected.contains(effect);
        if self.effects.is_empty() || !self.effects.iter().all(is_expected) {
            self.is_complete = false;
            self.add_all_to_backtrack_set();
        }
    }

    pub fn is_asleep(&self, thread: u32) -> bool {
        let mut sleepers = self.sleep_set.iter();
        sleepers.any(|s| s.thread == thread && !s.must_be_observed)
    }

    pub fn came_asleep(&self, thread: u32) -> bool {
        self.came_asleep.contains(&thread)
    }

    pub fn must_be_observed(&self, thread: u32) -> bool {
        let mut sleepers = self.sleep_set.iter();
        sleepers.any(|s| s.thread == thread && s.must_be_observed)
    }

    pub fn add_to_backtrack_set(&mut self, thread: u32) {
        if !self.is_complete && !self.backtrack.contains(&thread) {
            self.backtrack.push(thread);
        }
    }

    pub fn add_all_to_backtrack_set(&mut self) {
        for i in 0..self.enabled.len() {
            self.add_to_backtrack_set(self.enabled[i]);
        }
    }

    /// Whether the thread that is being tried was added because of a race.
    pub fn is_for_a_race(&self) -> bool {
        self.left && self.tried > 1
    }

    /// If everyone in question has been tried, takes someone else.
    pub fn add_another_to_backtrack_set(&mut self) {
        let mut awake = self.enabled.iter().filter(|t| !self.is_asleep(**t));
        if self.tried == self.backtrack.len()
            && let Some(&thread) = awake.find(|t| !self.backtrack.contains(t))
        {
            self.backtrack.push(thread);
        }
    }

    /// The next thread to be tried.
    pub fn next(&mut self) -> Option<u32> {
        while let Some(&thread) = self.backtrack.get(self.tried) {
            self.tried += 1;
            if !self.is_asleep(thread) {
                return Some(thread);
            }
        }
        None
    }

    /// The step was done.
    pub fn left_by(&mut self, step: &Step) {
        self.left = true;
        let nothing = [Effect::NONE];
        let effects = match step.effects.as_slice() {
            [] => &nothing,
            effects => effects,
        };
        for effect in effects {
            if !self.effects.contains(effect) {
                self.effects.push(*effect);
            }
        }
    }

    /// All that follows from the step has been explored.
    pub fn add_to_sleep_set(&mut self, thread: u32) {
        let effects = std::mem::take(&mut self.effects);
        if !effects.is_empty() {
            self.sleep_set.retain(|s| s.thread != thread);
            self.sleep_set.push(Sleeper {
                thread,
                effects,
                must_be_observed: false,
            });
        }
    }

    /// Who sleeps on after the step.
    pub fn asleep_after(&self, step: &Step) -> Vec<Sleeper> {
        self.asleep_beside(step.thread, &step.effects)
    }

    /// The same after a step of this thread with these effects.
    pub fn asleep_beside(&self, thread: u32, effects: &[Effect]) -> Vec<Sleeper> {
        let mut asleep = Vec::new();
        for sleeper in &self.sleep_set {
            let mut same_cell = sleeper.effects.iter().flat_map(|e| {
                let others = effects.iter().filter(|other| e.is_on_cell_of(**other));
                others.map(|other| (e.access, other.access))
            });
            if sleeper.thread != thread && same_cell.clone().all(|(a, b)| a.commutes_with(b)) {
                let replaced = same_cell.any(|(access, _)| access.replaces());
                asleep.push(Sleeper {
                    must_be_observed: sleeper.must_be_observed || replaced,
                    ..sleeper.clone()
                });
            }
        }
        asleep
    }
}
