//! A state at which a thread is chosen: its backtrack set and its sleep set.

use machine::{Mark, Recorded, ThreadId};
use smallvec::SmallVec;

use super::trace::Step;
use crate::dependence::{Effect, Effects};
use crate::summaries::{Asleep, PointId};

pub type Threads = SmallVec<[ThreadId; 4]>;

pub struct Node {
    pub mark: Mark,
    pub point: PointId,
    /// Threads that can go on.
    pub enabled: Threads,
    /// The backtrack set (Flanagan and Godefroid, Fig. 3): threads that are tried, in this order.
    pub backtrack: Threads,
    /// How many of them have been tried.
    tried: usize,
    /// Some thread did go on.
    pub left: bool,
    /// The backtrack set is complete, whatever races there are: what other threads can begin is
    /// known already.
    is_complete: bool,
    /// That is so as long as these threads do no more than this in their next steps.
    expected: Asleep,
    pub sleep_set: Vec<Sleeper>,
    /// Threads that slept when the state was reached.
    came_asleep: Threads,
    /// What was accessed in steps that could not be done (atomic sections that cannot be passed).
    pub recorded: Vec<Recorded>,
    /// The effects of the step of the thread that is being tried, in all its outcomes so far.
    effects: Effects,
}

/// A thread whose next step has been explored from here, or from before here where all steps since
/// then are independent of it.
#[derive(Clone)]
pub struct Sleeper {
    pub thread: ThreadId,
    pub effects: Effects,
    /// The step would replace its cell, and another step has replaced the same cell since then. The
    /// sleeping step can be done after that one, but the execution is new only if a later step sees
    /// what it wrote.
    pub must_be_observed: bool,
}

impl Node {
    pub fn new(
        mark: Mark,
        enabled: Threads,
        first: ThreadId,
        sleep_set: Vec<Sleeper>,
        point: PointId,
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

    /// The backtrack set is these threads, as long as they do what is expected of them.
    pub fn for_rest(
        mark: Mark,
        enabled: Threads,
        expected: Asleep,
        sleep_set: Vec<Sleeper>,
        point: PointId,
    ) -> Node {
        let first = expected[0].0;
        let mut node = Node::new(mark, enabled, first, sleep_set, point);
        (expected.iter()).for_each(|(thread, _)| node.add_to_backtrack_set(*thread));
        node.is_complete = true;
        node.expected = expected;
        node
    }

    /// All outcomes of the thread's step were explored. If it did more than was expected, all
    /// threads are added to the backtrack set.
    pub fn compare_with_expected(&mut self, thread: ThreadId) {
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

    pub fn is_asleep(&self, thread: ThreadId) -> bool {
        let mut sleepers = self.sleep_set.iter();
        sleepers.any(|s| s.thread == thread && !s.must_be_observed)
    }

    pub fn came_asleep(&self, thread: ThreadId) -> bool {
        self.came_asleep.contains(&thread)
    }

    pub fn must_be_observed(&self, thread: ThreadId) -> bool {
        let mut sleepers = self.sleep_set.iter();
        sleepers.any(|s| s.thread == thread && s.must_be_observed)
    }

    pub fn add_to_backtrack_set(&mut self, thread: ThreadId) {
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

    /// If all of the backtrack set have been tried, adds another thread that is awake.
    pub fn add_another_to_backtrack_set(&mut self) {
        let mut awake = self.enabled.iter().filter(|t| !self.is_asleep(**t));
        if self.tried == self.backtrack.len()
            && let Some(&thread) = awake.find(|t| !self.backtrack.contains(t))
        {
            self.backtrack.push(thread);
        }
    }

    /// The next thread to be tried.
    pub fn next(&mut self) -> Option<ThreadId> {
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
    pub fn add_to_sleep_set(&mut self, thread: ThreadId) {
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

    /// The sleep set after the step.
    pub fn asleep_after(&self, step: &Step) -> Vec<Sleeper> {
        self.asleep_beside(step.thread, &step.effects)
    }

    /// The same after a step of this thread with these effects.
    pub fn asleep_beside(&self, thread: ThreadId, effects: &[Effect]) -> Vec<Sleeper> {
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
