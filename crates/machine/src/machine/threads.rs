//! Threads of the machine: making them, and what is kept of each. Everything that changes is saved
//! on the trail first.

use std::rc::Rc;

use ir::FuncId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Machine;
use super::state::OthersEnabled;
use crate::thread::{
    Activity, Clock, Frame, Guard, HotState, Stage, Status, Thread, ThreadId, ThreadState, Woken,
};
use crate::trail::Undo;
use crate::value::Value;

/// Canonical names of threads, by which a thread has the same id in every interleaving. They
/// survive backtracking.
pub(super) struct ThreadNames {
    /// By id: the parent, and how many children it had made before.
    pub list: Vec<(ThreadId, u32)>,
    pub by_name: FxHashMap<(ThreadId, u32), ThreadId>,
}

impl ThreadNames {
    /// With names that are known already.
    pub fn of(names: Vec<(ThreadId, u32)>) -> ThreadNames {
        let known = names.iter().enumerate().skip(1);
        let by_name = known.map(|(i, name)| (*name, ThreadId::from(i)));
        ThreadNames {
            by_name: by_name.collect(),
            list: match names.is_empty() {
                true => vec![(ThreadId::MAIN, 0)],
                false => names,
            },
        }
    }
}

impl Machine {
    /// The parent of every thread, and how many children it had made before.
    pub fn thread_names(&self) -> &[(ThreadId, u32)] {
        &self.names.list
    }

    /// Makes a thread that will run `function`.
    pub(crate) fn spawn(
        &mut self,
        id: ThreadId,
        function: FuncId,
        args: &[Value],
        mut clock: Clock,
    ) {
        if clock.len() <= id.index() {
            clock.resize(id.index() + 1, 0);
        }
        clock[id.index()] += 1;
        if self.program.function(function).absent {
            self.refute();
        }
        let depth = self.trail.depth();
        let state = ThreadState {
            saved_at: depth,
            clock,
            inputs: 0,
            children: 0,
            atomic: u32::from(self.program.function(function).atomic),
            result: Value::ZERO,
            detached: false,
            joined: false,
            errno: 0,
            tls: Rc::default(),
            section: None,
            elidable: 0,
            rounds: 0,
            spurious_at: None,
            changed: false,
            woken: Woken::Signal,
            stage: Stage::Body,
            idle: 0,
            spins: 0,
            jumps: 0,
            cleanups: SmallVec::new(),
        };
        let f = self.program.function(function);
        let template = &self.statics.templates[function.index()];
        let mut registers = template.to_vec();
        for (slot, value) in f.params.iter().zip(args) {
            registers[*slot as usize] = *value;
        }
        let frame = Frame {
            function,
            pc: 0,
            base: 0,
            progress: 0,
            carried: Value::ZERO,
            saved_at: depth,
            stack: self.state.memory.stack_mark(id.stack()),
            varargs: 0,
            leaked: false,
            place: None,
        };
        let status = if self.mode.observes_joins && id != ThreadId::MAIN {
            // Beginning is an event by itself, for which no turn is needed.
            Status::Parked {
                guard: Guard::Spin,
                visible: true,
            }
        } else {
            Status::Running
        };
        let thread = Thread {
            frames: vec![frame],
            registers,
            hot: HotState {
                status,
                activity: Activity::default(),
                saved_at: depth,
            },
            state,
        };
        while self.state.threads.len() <= id.index() {
            self.state.threads.push(None);
        }
        assert!(
            self.state.threads[id.index()].is_none(),
            "a thread is born once"
        );
        self.state.threads[id.index()] = Some(thread);
        self.trail.push_if_deep(|| Undo::Born { thread: id });
        self.now.others_enabled = OthersEnabled::Unclear;
        self.now.stable_enabled_set = 0;
        self.now.unjoined += 1;
        self.update_concurrent();
        self.threads_seen = self.threads_seen.max(self.state.threads.len() as u32);
    }

    /// Brings `concurrent` up to date after a thread was made or joined.
    #[inline]
    pub(crate) fn update_concurrent(&mut self) {
        self.now.concurrent = self.now.unjoined > 1;
        if self.mode.observes_last {
            self.now.concurrent |= self.state.threads.iter().skip(1).any(Option::is_some);
        }
    }

    /// Whether the thread would be one too many: there is no room for its memory, or the path has
    /// made as many as it may.
    pub(crate) fn is_crowded(&self, child: ThreadId) -> bool {
        let made = || self.state.threads.iter().flatten().count();
        child.0 >= self.state.memory.space.max_threads()
            || (self.config.threads).is_some_and(|most| made() >= most as usize)
    }

    /// The id of the next child of `parent`, which is now made.
    pub(crate) fn child_id(&mut self, parent: ThreadId) -> ThreadId {
        let index = self.thread_state(parent).children;
        self.thread_state_mut(parent).children += 1;
        self.id_of_child(parent, index)
    }

    pub(crate) fn id_of_child(&mut self, parent: ThreadId, index: u32) -> ThreadId {
        let name = (parent, index);
        if let Some(id) = self.names.by_name.get(&name) {
            return *id;
        }
        let id = ThreadId::from(self.names.list.len());
        self.names.list.push(name);
        self.names.by_name.insert(name, id);
        id
    }

    #[inline]
    pub fn thread(&self, id: ThreadId) -> &Thread {
        self.state.threads[id.index()]
            .as_ref()
            .expect("a thread that exists")
    }

    pub fn thread_exists(&self, id: ThreadId) -> bool {
        self.state
            .threads
            .get(id.index())
            .is_some_and(Option::is_some)
    }

    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + '_ {
        (0..self.state.threads.len())
            .map(ThreadId::from)
            .filter(|t| self.thread_exists(*t))
    }

    #[inline]
    pub fn thread_state(&self, id: ThreadId) -> &ThreadState {
        &self.thread(id).state
    }

    /// Saves the thread's state first, if it was not saved at this depth.
    pub(crate) fn thread_state_mut(&mut self, id: ThreadId) -> &mut ThreadState {
        self.trail.effects += 1;
        self.spinning_mut(id)
    }

    /// The same for what is no effect: how long a thread has been spinning.
    pub(crate) fn spinning_mut(&mut self, id: ThreadId) -> &mut ThreadState {
        let depth = self.trail.depth();
        let state = &mut self.state.threads[id.index()]
            .as_mut()
            .expect("a thread that exists")
            .state;
        if state.saved_at != depth {
            self.trail.push(Undo::Thread { thread: id });
            self.trail.saved.threads.push(state.clone());
            state.saved_at = depth;
        }
        state
    }

    #[inline]
    pub fn status(&self, id: ThreadId) -> Status {
        self.thread(id).hot.status
    }

    #[inline]
    pub(crate) fn set_status(&mut self, id: ThreadId, status: Status) {
        self.now.stable_enabled_set = 0;
        let thread = self.state.threads[id.index()]
            .as_mut()
            .expect("a thread that exists");
        self.trail.save_hot_state(id, &mut thread.hot);
        thread.hot.status = status;
    }

    /// Saves the clock first.
    pub(crate) fn clock_mut(&mut self, id: ThreadId) -> &mut Clock {
        if self.trail.depth() > 0 {
            self.trail.push(Undo::Clock { thread: id });
            let clock = Clock::from_slice(&self.thread_state(id).clock);
            self.trail.saved.clocks.push(clock);
        }
        &mut self.thread_mut(id).state.clock
    }

    /// All that `other` has done lies before what `thread` does from now on.
    pub(crate) fn meet(&mut self, thread: ThreadId, other: ThreadId) {
        let threads = [thread.index(), other.index()];
        let Ok([Some(met), Some(other)]) = self.state.threads.get_disjoint_mut(threads) else {
            unreachable!("two threads that exist");
        };
        let (ours, theirs) = (&mut met.state.clock, &other.state.clock);
        if ours.len() < theirs.len() {
            if self.trail.depth() > 0 {
                self.trail.push(Undo::Clock { thread });
                self.trail.saved.clocks.push(ours.clone());
            }
            ours.resize(theirs.len(), 0);
        }
        for (index, (mine, their)) in ours.iter_mut().zip(theirs).enumerate() {
            if *mine < *their {
                let (index, time) = (index as u32, *mine);
                self.trail.push_if_deep(|| Undo::Time {
                    thread,
                    index,
                    time,
                });
                *mine = *their;
            }
        }
    }

    /// A thread has been joined: it is over, and all it has done lies before what the other does
    /// from now on.
    pub(crate) fn join(&mut self, by: ThreadId, thread: ThreadId) {
        if self.knows_more(by, thread) {
            self.meet(by, thread);
        }
        let threads = [by.index(), thread.index()];
        let Ok([Some(other), Some(joined)]) = self.state.threads.get_disjoint_mut(threads) else {
            unreachable!("two threads that exist");
        };
        let (ours, theirs) = (&mut other.state.clock, &joined.state.clock);
        let index = thread.index();
        let time = std::mem::replace(&mut ours[index], theirs[index]);
        self.trail
            .push_if_deep(|| Undo::Joined { thread, by, time });
        joined.state.joined = true;
        self.now.unjoined -= 1;
        self.step.operations += 1;
        self.update_concurrent();
    }

    /// Whether `other` knows more than `thread` does, apart from what it has done itself.
    fn knows_more(&self, thread: ThreadId, other: ThreadId) -> bool {
        let (ours, theirs) = (
            &self.thread_state(thread).clock,
            &self.thread_state(other).clock,
        );
        let mut components = theirs.iter().enumerate();
        ours.len() < theirs.len()
            || components.any(|(i, time)| i != other.index() && *time > ours[i])
    }

    #[inline]
    pub(crate) fn set_result(&mut self, thread: ThreadId, result: Value) {
        let value = self.thread_state(thread).result;
        if value != result {
            self.trail.push_if_deep(|| Undo::Result { thread, value });
            self.thread_mut(thread).state.result = result;
        }
    }
}
