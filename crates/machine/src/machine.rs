//! The machine: one mutable state, advanced decision by decision and taken back by the trail.
//!
//! Vocabulary of P1, section 3: a *transition* is one visible operation and the local operations after it, up to just before
//! the thread's next visible operation. The machine runs until something must be decided ([`Situation`]), is told, and goes
//! on. It knows no search, no reduction and no solver.
//!
//! Thread creation, exit and join are no visible operations: each commutes with everything that other threads can do at the
//! same time, so performing it at once loses no behaviour. `exit` ends the calling thread only and lets the others run on:
//! what they do could have happened before it, and a thread stuck afterwards is no deadlock.

mod backtrack;
mod question;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ir::{FuncId, Symbol};
use rustc_hash::FxHashMap;
use smt::{TermId, Terms};

use crate::code::{Program, function_size};
use crate::fault::{End, Fault, FaultAt, Question, Stop};
use crate::inputs::Inputs;
use crate::memory::{Allocation, ArenaId, Memory, ObjectKind};
use crate::record::Recorder;
use crate::sharing::{Records, SharedSet};
use crate::thread::{
    Changes, Clock, Frame, Guard, Stage, Status, Thread, ThreadId, ThreadState, Woken,
};
use crate::trail::{Trail, Undo};
use crate::value::Value;

#[derive(Clone, Debug)]
pub struct Config {
    /// Iterations that a loop may make; `None`: only loops with decisions in them are bounded, by `default_unwind`.
    pub unwind: Option<u32>,
    pub default_unwind: u32,
    pub spurious_wakeups: bool,
    /// `malloc` may return null.
    pub malloc_may_fail: bool,
    /// Arguments of `main` after the program's name.
    pub args: Vec<String>,
    pub max_frames: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            unwind: None,
            // Long enough for real loops over contended data, short enough for a spinning thread to be given up.
            default_unwind: 1000,
            spurious_wakeups: true,
            malloc_may_fail: false,
            args: Vec::new(),
            // What an 8 MiB stack holds of frames of ordinary size.
            max_frames: 60_000,
        }
    }
}

/// What must be decided next.
#[derive(Clone, Debug, PartialEq)]
pub enum Situation {
    /// Every thread stands before a visible operation, waits or has ended. `Machine::enabled` lists who can go on.
    Schedule,
    Ask(Question),
    End(End),
}

/// A thread that can be scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enabled {
    pub thread: ThreadId,
    /// It would wake from a condition wait without a signal.
    pub spurious: bool,
}

/// A point to return to.
pub struct Mark {
    trail: usize,
    depth: u32,
    path: usize,
    question: Option<Question>,
    answers: Vec<Answer>,
    current: ThreadId,
    granted: bool,
    exited: bool,
    unjoined: u32,
    visible_events: u64,
    changes: Changes,
    company: Company,
}

/// What is known of the threads beside the running one, whatever it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    /// Until it has ended they can do nothing: they wait for that, or have ended themselves.
    None,
    /// One of them can go on.
    Some,
    Unclear,
}

/// What an instruction was told before it is executed again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    Truth(bool),
    Number(u128),
}

pub struct Machine {
    pub program: Rc<Arc<Program>>,
    pub config: Config,
    pub terms: Terms,
    pub memory: Memory,
    pub trail: Trail,
    /// The path condition.
    pub path: Vec<TermId>,
    pub(crate) inputs: Inputs,
    pub(crate) threads: Vec<Option<Thread>>,
    /// Canonical names: parent and index of creation. Survives backtracking.
    names: Vec<(ThreadId, u32)>,
    ids: FxHashMap<(ThreadId, u32), ThreadId>,
    /// Of `main`.
    pub(crate) arguments: [Value; 3],
    /// What each function's registers start with.
    templates: Vec<Box<[Value]>>,

    /// The thread whose frames and registers are below while it runs.
    pub(crate) current: ThreadId,
    pub(crate) frames: Vec<Frame>,
    pub(crate) registers: Vec<Value>,

    pub(crate) answers: Vec<Answer>,
    pub(crate) answered: usize,
    pub(crate) situation: Situation,
    pub(crate) park: (Guard, bool),
    /// The current thread may perform a visible operation.
    pub(crate) granted: bool,
    /// The current instruction performs one.
    pub(crate) visible: bool,
    /// More than one thread is alive, or has ended unjoined: what it did is not ordered with what others do now.
    pub(crate) concurrent: bool,
    pub(crate) unjoined: u32,
    pub(crate) exited: bool,
    pub(crate) records: Records,
    /// The shared set grew: counts are void and the search must start over.
    pub sharing_grew: bool,
    /// Visible operations performed on the current path.
    pub visible_events: u64,
    pub(crate) changes: Changes,
    /// Filled when something must be scheduled.
    enabled: Vec<Enabled>,
    company: Company,
    /// Visible operations performed in all.
    pub total_events: u64,
    pub threads_seen: u32,
    pub recorder: Option<Box<Recorder>>,
    pub interrupt: Arc<AtomicBool>,
}

impl Machine {
    pub fn new(
        program: Arc<Program>,
        config: Config,
        shared: SharedSet,
        inputs: Inputs,
    ) -> Machine {
        let mut terms = Terms::new();
        let templates = program
            .functions
            .iter()
            .map(|f| {
                let mut template: Vec<Value> = f
                    .constants
                    .iter()
                    .map(|c| Value::of_bits(&mut terms, c.width, c.bits))
                    .collect();
                template.resize(f.slots as usize, Value::ZERO);
                template.into_boxed_slice()
            })
            .collect();
        let memory = Memory::new(program.module.pointer_bits, shared);
        let mut machine = Machine {
            program: Rc::new(program),
            config,
            terms,
            memory,
            trail: Trail::default(),
            path: Vec::new(),
            inputs,
            threads: Vec::new(),
            names: Vec::new(),
            ids: FxHashMap::default(),
            arguments: [Value::ZERO; 3],
            templates,
            current: ThreadId::MAIN,
            frames: Vec::new(),
            registers: Vec::new(),
            answers: Vec::new(),
            answered: 0,
            situation: Situation::Schedule,
            park: (Guard::Always, false),
            granted: false,
            visible: false,
            concurrent: false,
            unjoined: 0,
            exited: false,
            records: Records::default(),
            sharing_grew: false,
            visible_events: 0,
            changes: Changes::default(),
            enabled: Vec::new(),
            company: Company::Unclear,
            total_events: 0,
            threads_seen: 0,
            recorder: None,
            interrupt: Arc::new(AtomicBool::new(false)),
        };
        machine.load_statics();
        machine
    }

    /// Gives threads the ids they had when a witness was made.
    pub fn set_thread_names(&mut self, names: &[(ThreadId, u32)]) {
        self.names = names.to_vec();
        self.ids = names
            .iter()
            .enumerate()
            .skip(1)
            .map(|(i, name)| (*name, ThreadId::from(i)))
            .collect();
    }

    pub fn thread_names(&self) -> &[(ThreadId, u32)] {
        &self.names
    }

    /// Starts the program: `main` is the only thread, before its first instruction.
    pub fn start(&mut self) -> Result<(), String> {
        let entries = self
            .program
            .entries
            .ok_or("the program was loaded without Sleave's runtime")?;
        if self.names.is_empty() {
            self.names.push((ThreadId::MAIN, 0));
        }
        let (argc, argv) = self.make_arguments();
        // No environment.
        self.arguments = [argc, argv, 0].map(Value::concrete);
        let (entry, stage) = match entries.begin {
            Some(begin) => (begin, Stage::Begin),
            None => (entries.main, Stage::Body),
        };
        self.spawn(ThreadId::MAIN, entry, &self.arguments.clone(), Clock::new());
        self.threads[0].as_mut().expect("just born").state.stage = stage;
        Ok(())
    }

    fn load_statics(&mut self) {
        let program = Rc::clone(&self.program);
        let module = &program.module;
        for (id, function) in module.functions.enumerate() {
            self.allocate_static(
                function_size(function),
                1,
                ObjectKind::Function(id),
                true,
                true,
            );
        }
        for (id, global) in module.globals.enumerate() {
            let kind = ObjectKind::Global(id);
            let initialised = global.init.is_some();
            let base = self.allocate_static(
                global.size,
                global.align,
                kind,
                initialised,
                global.constant,
            );
            assert_eq!(
                base,
                program.layout.globals[id.index()],
                "layout and allocation agree"
            );
            if let Some(init) = &global.init {
                self.initialise(base, init);
            }
        }
        self.define_streams();
    }

    fn allocate_static(
        &mut self,
        size: u64,
        align: u64,
        kind: ObjectKind,
        initialised: bool,
        readonly: bool,
    ) -> u64 {
        let request = Allocation {
            arena: ArenaId::STATIC,
            size,
            align,
            kind,
            initialised,
            readonly,
        };
        self.memory
            .allocate(&mut self.trail, request)
            .expect("globals fit into the address space")
    }

    /// Fills an object with a global's initial contents.
    pub(crate) fn initialise(&mut self, base: u64, init: &ir::Init) {
        self.memory.write_bytes(&mut self.trail, base, &init.bytes);
        let bytes = self.pointer_bytes();
        for relocation in &init.relocations {
            let address = self
                .program
                .address_of(relocation.target)
                .wrapping_add_signed(relocation.addend);
            let word = address.to_le_bytes();
            self.memory
                .write_bytes(&mut self.trail, base + relocation.offset, &word[..bytes]);
        }
    }

    /// `stdin`, `stdout` and `stderr` point to something that is not null.
    fn define_streams(&mut self) {
        let program = Rc::clone(&self.program);
        for name in ["stdin", "stdout", "stderr"] {
            let Some(global) = program.module.global_named(name) else {
                continue;
            };
            if program.module.globals[global].init.is_none() {
                let stream =
                    self.allocate_static(8, 8, ObjectKind::Internal("stream"), true, false);
                let address = program.address_of(Symbol::Global(global));
                let bytes = self.pointer_bytes();
                self.memory
                    .write_bytes(&mut self.trail, address, &stream.to_le_bytes()[..bytes]);
            }
        }
    }

    fn make_arguments(&mut self) -> (u64, u64) {
        let mut words = vec!["program".to_string()];
        words.extend(self.config.args.iter().cloned());
        let bytes = self.pointer_bytes();
        let mut pointers = Vec::new();
        for word in &words {
            let text = [word.as_bytes(), &[0]].concat();
            let kind = ObjectKind::Internal("argument");
            let address = self.allocate_static(text.len() as u64, 1, kind, true, false);
            self.memory.write_bytes(&mut self.trail, address, &text);
            pointers.extend_from_slice(&address.to_le_bytes()[..bytes]);
        }
        pointers.extend_from_slice(&[0; 8][..bytes]);
        let kind = ObjectKind::Internal("argv");
        let argv = self.allocate_static(pointers.len() as u64, 8, kind, true, false);
        self.memory.write_bytes(&mut self.trail, argv, &pointers);
        (words.len() as u64, argv)
    }

    pub fn pointer_bits(&self) -> u32 {
        self.program.module.pointer_bits
    }

    pub fn pointer_bytes(&self) -> usize {
        self.program.module.pointer_bytes() as usize
    }

    // ----- threads -----

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
            spurious_at: None,
            woken: Woken::Signal,
            stage: Stage::Body,
        };
        let f = self.program.function(function);
        let template = &self.templates[function.index()];
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
            stack: self.memory.stack_mark(id.stack()),
            varargs: 0,
            leaked: false,
        };
        let thread = Thread {
            frames: vec![frame],
            registers,
            status: Status::Running,
            status_saved_at: depth,
            state,
        };
        while self.threads.len() <= id.index() {
            self.threads.push(None);
        }
        assert!(self.threads[id.index()].is_none(), "a thread is born once");
        self.threads[id.index()] = Some(thread);
        self.trail.push_if_deep(|| Undo::Born { thread: id });
        self.company = Company::Unclear;
        self.unjoined += 1;
        self.concurrent = self.unjoined > 1;
        self.threads_seen = self.threads_seen.max(self.threads.len() as u32);
    }

    /// The id of the next child of `parent`, which is now made.
    pub(crate) fn child_id(&mut self, parent: ThreadId) -> ThreadId {
        let index = self.state(parent).children;
        self.state_mut(parent).children += 1;
        self.id_of_child(parent, index)
    }

    pub(crate) fn id_of_child(&mut self, parent: ThreadId, index: u32) -> ThreadId {
        let name = (parent, index);
        if let Some(id) = self.ids.get(&name) {
            return *id;
        }
        let id = ThreadId::from(self.names.len());
        self.names.push(name);
        self.ids.insert(name, id);
        id
    }

    pub fn thread(&self, id: ThreadId) -> &Thread {
        self.threads[id.index()]
            .as_ref()
            .expect("a thread that exists")
    }

    pub fn thread_exists(&self, id: ThreadId) -> bool {
        self.threads.get(id.index()).is_some_and(Option::is_some)
    }

    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + '_ {
        (0..self.threads.len())
            .map(ThreadId::from)
            .filter(|t| self.thread_exists(*t))
    }

    pub fn current_thread(&self) -> ThreadId {
        self.current
    }

    pub fn state(&self, id: ThreadId) -> &ThreadState {
        &self.thread(id).state
    }

    /// Saves the thread's state first, if it was not saved at this depth.
    pub(crate) fn state_mut(&mut self, id: ThreadId) -> &mut ThreadState {
        let depth = self.trail.depth();
        let state = &mut self.threads[id.index()]
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

    pub fn status(&self, id: ThreadId) -> Status {
        self.thread(id).status
    }

    pub(crate) fn set_status(&mut self, id: ThreadId, status: Status) {
        let depth = self.trail.depth();
        let thread = self.threads[id.index()]
            .as_mut()
            .expect("a thread that exists");
        if thread.status_saved_at != depth {
            self.trail.push(Undo::Status {
                thread: id,
                saved_at: thread.status_saved_at,
                status: thread.status,
            });
            thread.status_saved_at = depth;
        }
        thread.status = status;
    }

    /// Saves the clock first.
    pub(crate) fn clock_mut(&mut self, id: ThreadId) -> &mut Clock {
        if self.trail.depth() > 0 {
            self.trail.push(Undo::Clock { thread: id });
            let clock = Clock::from_slice(&self.state(id).clock);
            self.trail.saved.clocks.push(clock);
        }
        &mut self.thread_mut(id).state.clock
    }

    /// All that `other` has done lies before what `thread` does from now on.
    pub(crate) fn meet(&mut self, thread: ThreadId, other: ThreadId) {
        let theirs = Clock::from_slice(&self.state(other).clock);
        let ours = self.clock_mut(thread);
        if ours.len() < theirs.len() {
            ours.resize(theirs.len(), 0);
        }
        for (mine, their) in ours.iter_mut().zip(&theirs) {
            *mine = (*mine).max(*their);
        }
    }

    pub(crate) fn set_joined(&mut self, thread: ThreadId) {
        self.trail.push_if_deep(|| Undo::Joined { thread });
        self.thread_mut(thread).state.joined = true;
    }

    pub(crate) fn set_result(&mut self, thread: ThreadId, result: Value) {
        let value = self.state(thread).result;
        if value != result {
            self.trail.push_if_deep(|| Undo::Result { thread, value });
            self.thread_mut(thread).state.result = result;
        }
    }

    /// Whether the guard of a parked operation holds.
    #[inline]
    pub(crate) fn guard_holds(&self, thread: ThreadId, guard: &Guard) -> bool {
        match guard {
            Guard::Always => true,
            Guard::Ended(other) => self.has_ended(*other),
            _ => self.rare_guard_holds(thread, guard),
        }
    }

    fn rare_guard_holds(&self, thread: ThreadId, guard: &Guard) -> bool {
        match *guard {
            Guard::Always => true,
            Guard::Zero(address) => self.word(address) == 0,
            Guard::Positive(address) => (self.word(address) as i32) > 0,
            Guard::RwLock { address, write } => self.rwlock_is_free(address, write),
            Guard::Barrier {
                address,
                generation,
            } => self.barrier_generation(address) != generation,
            Guard::Once(address) => self.word(address) != 1,
            Guard::Ended(other) => self.has_ended(other),
            Guard::Condition {
                mutex,
                signalled,
                timed,
                ..
            } => {
                if signalled {
                    self.mutex_is_free(mutex)
                } else {
                    timed
                }
            }
            Guard::Alone => self.thread_ids().all(|t| t == thread || self.has_ended(t)),
            Guard::Assumption => false,
        }
    }

    /// Whether a thread can be joined. One that exited the process never can; `main` can once it waits for the others.
    fn has_ended(&self, thread: ThreadId) -> bool {
        match self.status(thread) {
            Status::Ended => true,
            Status::Parked { guard, .. } => guard == Guard::Alone,
            Status::Running | Status::Exited => false,
        }
    }

    /// Threads that can be scheduled now, in the order of their ids. Spurious wake-ups come last.
    pub fn enabled(&self) -> &[Enabled] {
        &self.enabled
    }

    fn may_wake_spuriously(&self, thread: ThreadId, guard: &Guard) -> bool {
        let &Guard::Condition {
            mutex,
            signalled: false,
            ..
        } = guard
        else {
            return false;
        };
        let changed = match self.state(thread).spurious_at {
            Some(count) => self.changes.since(count, thread),
            None => true,
        };
        self.config.spurious_wakeups && changed && self.mutex_is_free(mutex)
    }

    // ----- driving -----

    /// Runs until something must be decided or the execution ends.
    pub fn advance(&mut self) -> &Situation {
        while matches!(self.situation, Situation::Schedule) {
            if let Some(thread) = self.runnable() {
                self.run(thread);
                continue;
            }
            match *self.enabled.as_slice() {
                // Nothing to decide.
                [only] if !only.spurious => self.schedule(only),
                [first, ..] if !first.spurious => break,
                // A state that only a spurious wake-up could leave is a deadlock.
                _ => self.situation = Situation::End(self.end_without_enabled()),
            }
        }
        &self.situation
    }

    /// A thread that is not at a scheduling point. If there is none: takes note of those that can be scheduled.
    fn runnable(&mut self) -> Option<ThreadId> {
        if let Some(Some(thread)) = self.threads.get(self.current.index())
            && thread.status == Status::Running
        {
            return Some(self.current);
        }
        self.company = Company::Unclear;
        self.enabled.clear();
        let mut free = 0;
        let mut all_wait_for_ends = true;
        let mut some_wait_for_conditions = false;
        for (i, thread) in self.threads.iter().enumerate() {
            let Some(Thread { status, .. }) = thread else {
                continue;
            };
            let thread = ThreadId::from(i);
            match status {
                Status::Ended | Status::Exited => {}
                Status::Running => return Some(thread),
                Status::Parked { guard, visible } if self.guard_holds(thread, guard) => {
                    if !visible {
                        return Some(thread);
                    }
                    free += u32::from(*guard == Guard::Always);
                    self.enabled.push(Enabled {
                        thread,
                        spurious: false,
                    });
                }
                Status::Parked { guard, .. } => {
                    all_wait_for_ends &= guard.waits_for_ends();
                    some_wait_for_conditions |= matches!(guard, Guard::Condition { .. });
                }
            }
        }
        if some_wait_for_conditions {
            self.add_spurious_wakeups();
        }
        if free > 1 {
            self.company = Company::Some;
        } else if all_wait_for_ends && self.enabled.len() == 1 {
            self.company = Company::None;
        }
        None
    }

    fn add_spurious_wakeups(&mut self) {
        for thread in (0..self.threads.len()).map(ThreadId::from) {
            if let Some(Some(t)) = self.threads.get(thread.index())
                && let Status::Parked { guard, .. } = &t.status
                && !self.enabled.iter().any(|e| e.thread == thread)
                && self.may_wake_spuriously(thread, guard)
            {
                self.enabled.push(Enabled {
                    thread,
                    spurious: true,
                });
            }
        }
    }

    /// Whether no thread but the running one can do anything.
    #[inline]
    pub(crate) fn is_alone(&mut self) -> bool {
        match self.company {
            Company::None => true,
            Company::Some => false,
            Company::Unclear => self.look_around(),
        }
    }

    fn look_around(&mut self) -> bool {
        let mut all_wait_for_ends = true;
        for (i, thread) in self.threads.iter().enumerate() {
            let Some(Thread { status, .. }) = thread else {
                continue;
            };
            let id = ThreadId::from(i);
            match status {
                _ if id == self.current => {}
                Status::Ended | Status::Exited => {}
                Status::Running => return false,
                Status::Parked { guard, .. } => {
                    if self.guard_holds(id, guard) || self.may_wake_spuriously(id, guard) {
                        return false;
                    }
                    all_wait_for_ends &= guard.waits_for_ends();
                }
            }
        }
        if all_wait_for_ends {
            self.company = Company::None;
        }
        true
    }

    /// After an end because no thread can go on: whether a spurious wake-up comes to the rescue. If so, the machine waits
    /// to be told which. Not only a deadlock is left so: a thread that exited the process or was stopped by an assumption
    /// did so as early as possible, and a wake-up may have come before.
    pub fn survive_standstill(&mut self) -> bool {
        // Nothing but spurious wake-ups is left. The end of a path in the middle of a transition is another matter.
        let is_standstill = self
            .threads
            .iter()
            .flatten()
            .all(|t| t.status != Status::Running);
        if !is_standstill || self.enabled.is_empty() {
            return false;
        }
        self.situation = Situation::Schedule;
        true
    }

    /// After a fault in the middle of a transition: the other threads could have gone on before it. Lets them, with the
    /// faulty thread stopped, so that what they access is known. `false`: there are none.
    pub fn survive_fault(&mut self) -> bool {
        if !self.concurrent {
            return false;
        }
        let thread = self.current;
        let stopped = Status::Parked {
            guard: Guard::Assumption,
            visible: false,
        };
        self.set_status(thread, stopped);
        self.answers.clear();
        self.granted = false;
        self.situation = Situation::Schedule;
        true
    }

    fn end_without_enabled(&self) -> End {
        if self.exited {
            return End::Normal;
        }
        let assumption = |t: &ThreadId| {
            matches!(
                self.status(*t),
                Status::Parked {
                    guard: Guard::Assumption,
                    ..
                }
            )
        };
        if self.thread_ids().any(|t| assumption(&t)) {
            return End::Discarded;
        }
        // The one to name first is in the middle of it, rather than waiting for others to end.
        let stuck = self
            .thread_ids()
            .filter(|&t| !self.status(t).is_over())
            .min_by_key(|&t| {
                matches!(
                    self.status(t),
                    Status::Parked {
                        guard: Guard::Ended(_) | Guard::Alone,
                        ..
                    }
                )
            });
        match stuck {
            Some(thread) => End::Fault(FaultAt {
                fault: Fault::Deadlock,
                thread,
                loc: self.user_loc(thread),
            }),
            None => End::Normal,
        }
    }

    /// Lets `thread` perform its visible operation.
    pub fn schedule(&mut self, choice: Enabled) {
        let thread = choice.thread;
        self.current = thread;
        self.granted = true;
        self.note_waking(thread, choice.spurious);
        self.set_status(thread, Status::Running);
        self.situation = Situation::Schedule;
    }

    /// Answers a question. For a branch, the caller adds the condition to the path if the answer was a decision.
    pub fn answer(&mut self, answer: Answer) {
        assert!(
            matches!(self.situation, Situation::Ask(_)),
            "a question was asked"
        );
        self.answers.push(answer);
        self.situation = Situation::Schedule;
    }

    pub fn assume(&mut self, condition: TermId) {
        self.path.push(condition);
    }

    fn run(&mut self, thread: ThreadId) {
        if thread != self.current {
            self.current = thread;
            self.granted = false;
        }
        let parked_private = matches!(self.status(thread), Status::Parked { .. });
        if parked_private {
            self.set_status(thread, Status::Running);
        }
        let t = self.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        std::mem::swap(&mut self.frames, &mut t.frames);
        std::mem::swap(&mut self.registers, &mut t.registers);
        let stop = self.interpret();
        let t = self.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        std::mem::swap(&mut self.frames, &mut t.frames);
        std::mem::swap(&mut self.registers, &mut t.registers);
        match stop {
            Stop::Park => {
                let (guard, visible) = self.park;
                self.answers.clear();
                self.granted = false;
                self.set_status(thread, Status::Parked { guard, visible });
            }
            Stop::Ask | Stop::End => {}
            Stop::Jumped => unreachable!("a jump does not leave the interpreter"),
            Stop::Return => self.end_thread(thread, Status::Ended),
            Stop::Exit => self.end_thread(thread, Status::Exited),
        }
        self.visible = false;
        self.answered = 0;
    }

    fn end_thread(&mut self, thread: ThreadId, status: Status) {
        self.set_status(thread, status);
        self.granted = false;
        self.record_end(thread);
    }
}
