//! The machine: one mutable state, advanced decision by decision and taken back by the trail.
//!
//! Vocabulary of P1, section 3: a *transition* is one visible operation and the local operations
//! after it, up to just before the thread's next visible operation. The machine runs until
//! something must be decided ([`Situation`]), is told the decision, and goes on. It knows no
//! search, no reduction and no solver.
//!
//! A machine has four parts: the state of the program ([`State`], and `Now`), which
//! [`Machine::undo`] restores; the mode ([`Mode`]), which is fixed when the machine is made; the
//! probes ([`Probes`]), which watch the execution; and what survives backtracking, such as terms
//! and names of threads.
//!
//! Creation, exit and join of threads are no visible operations: each commutes with everything that
//! other threads can do at the same time, so that performing it at once loses no behaviour. `exit`
//! ends the calling thread only, and the other threads run on: what they do could have happened
//! before the exit, and a thread that is stuck afterwards is no deadlock.

mod backtrack;
mod probes;
mod question;
mod schedule;
mod setup;
mod state;
mod statics;
mod step_memo;
mod threads;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ir::debug::LocId;
use rustc_hash::FxHashMap;
use smt::{TermId, Terms};

pub use self::probes::Probes;
pub use self::setup::{Mode, Setup, StartError};
use self::state::{EnabledThreads, Now, Running};
pub use self::state::{Mark, State};
use self::step_memo::StepSoFar;
pub(crate) use self::step_memo::Unread;
use self::threads::ThreadNames;
use crate::code::{Function, Program};
use crate::fault::{Cutoff, End, Question, Stop};
use crate::inputs::Inputs;
use crate::memory::Memory;
use crate::race::RacePlaces;
use crate::thread::{Clock, Guard, Stage, Status, ThreadId};
use crate::trail::Trail;
use crate::value::Value;
use crate::weakest::Locations;

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Config {
    /// Iterations that a loop may make; `None`: only loops with decisions in them are bounded, by
    /// `default_unwind`.
    pub unwind: Option<u32>,
    pub default_unwind: u32,
    pub spurious_wakeups: bool,
    /// `malloc` may return null.
    pub malloc_may_fail: bool,
    /// Most threads that may be made on one path, `main` included; `None`: as many as have room.
    pub threads: Option<u32>,
    /// Arguments of `main` after the program's name.
    pub args: Vec<String>,
    pub surroundings: Surroundings,
    pub max_frames: u32,
    /// End at a data race between these places (see `race`).
    pub until_race: Option<RacePlaces>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            unwind: None,
            // Long enough for real loops over contended data, short enough for a spinning thread to
            // be given up.
            default_unwind: 1000,
            spurious_wakeups: true,
            malloc_may_fail: false,
            threads: None,
            args: Vec::new(),
            surroundings: Surroundings::default(),
            // What an 8 MiB stack holds of frames of ordinary size.
            max_frames: 60_000,
            until_race: None,
        }
    }
}

impl Config {
    /// `main` is called with any arguments.
    pub(crate) fn takes_any_args(&self) -> bool {
        self.surroundings.any_args && self.args.is_empty()
    }
}

/// What is known of the program's surroundings.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Surroundings {
    /// `main` is called with any arguments, unless some are given.
    pub any_args: bool,
    /// Variables of the environment; `None`: it is not set. The others may be set to anything.
    pub environment: Vec<(String, Option<String>)>,
    /// All other variables are not set.
    pub whole_environment: bool,
    /// What can be read from the standard input; `None`: anything.
    pub stdin: Option<Vec<u8>>,
    /// How many bytes of each text from the environment are inputs, and how many bytes can be read
    /// one by one from a stream.
    pub input_length: u32,
}

impl Default for Surroundings {
    fn default() -> Self {
        Surroundings {
            any_args: false,
            environment: Vec::new(),
            whole_environment: false,
            stdin: None,
            // Words like `verbose`. If something is decided at each byte of a text, the number of
            // paths has this exponent.
            input_length: 8,
        }
    }
}

/// What must be decided next.
#[derive(Clone, Debug, PartialEq)]
pub enum Situation {
    /// Every thread stands before a visible operation, waits or has ended. `Machine::enabled` lists
    /// the threads that can go on.
    Schedule,
    Ask(Question),
    /// A thread has done nothing visible for long, while others could go on. The machine goes on
    /// after `Machine::spin_on` or `Machine::yield_spinning`.
    Spin,
    /// A thread has finished a round of a loop that had no effect: it waits for what others write.
    /// If the round had no visible operations, the thread waits for ever, unless others write
    /// memory that is not known to be shared. Only where every event is a decision. The machine
    /// goes on after `Machine::spin_on` or `Machine::block_in_loop`.
    Await {
        events: u32,
        /// It made a store of what was there already.
        silent: bool,
    },
    /// A thread joins another that has ended. There is nothing to decide, but many executions come
    /// to this state, so that a search may prune here. Only while a history is kept. The machine
    /// goes on after `Machine::join_on`.
    Join,
    End(End),
}

/// A thread that can be scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enabled {
    pub thread: ThreadId,
    /// It would wake from a condition wait without a signal.
    pub spurious: bool,
}

/// The answer to a question, which the instruction uses when it is executed again.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Answer {
    Truth(bool),
    Number(u128),
}

/// A place in what a thread executes (see [`Machine::asked_at`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AskedAt {
    turns: u64,
    depth: u32,
    pc: u32,
    answered: u32,
}

/// Executes a program. See the head of this module.
pub struct Machine {
    pub program: Rc<Arc<Program>>,
    pub(crate) config: Config,
    pub(crate) mode: Mode,
    interrupt: Arc<AtomicBool>,
    pub(crate) statics: Statics,

    /// The large part of the program's state.
    pub state: State,
    /// The small part of the program's state.
    pub(crate) now: Now,
    pub(crate) running: Running,
    pub(crate) trail: Trail,
    pub(crate) probes: Probes,
    /// What the current step consists of so far.
    pub(crate) step: StepSoFar,
    pub(crate) situation: Situation,
    enabled: EnabledThreads,

    // What follows survives backtracking.
    pub terms: Terms,
    pub(crate) inputs: Inputs,
    /// What the bytes of texts were when these were made, by their addresses (see `text`).
    pub(crate) texts: FxHashMap<u64, Box<[TermId]>>,
    pub(crate) locations: Locations,
    names: ThreadNames,
    /// Accesses that were recorded with another stamp are recorded again (see
    /// `Machine::log_again`).
    pub(crate) stamp: u32,
    /// The shared set grew: counts are void and the search must start over.
    pub sharing_grew: bool,
    /// Visible operations performed in all.
    pub total_events: u64,
    pub threads_seen: u32,
    /// Where threads stopped, on any path, because they would have made one thread too many. What
    /// they would have done was never seen.
    pub crowded: BTreeSet<LocId>,
}

/// What is made of the program before it starts, and never changes after that.
pub(crate) struct Statics {
    /// What each function's registers start with.
    templates: Vec<Box<[Value]>>,
    /// Of `main`.
    pub arguments: [Value; 3],
    /// The value of `environ`; 0 if the program does not use it.
    pub environment: u64,
}

impl Statics {
    fn of(program: &Program, terms: &mut Terms) -> Statics {
        let template = |f: &Function| {
            let constants = f.registers.constants.iter();
            let constants = constants.map(|c| Value::of_bits(terms, c.width, c.bits));
            let mut template: Vec<Value> = constants.collect();
            template.resize(f.registers.slots as usize, Value::ZERO);
            template.into_boxed_slice()
        };
        Statics {
            templates: program.functions.iter().map(template).collect(),
            arguments: [Value::ZERO; 3],
            environment: 0,
        }
    }
}

impl Machine {
    /// Starts the program: `main` is the only thread, before its first instruction.
    pub fn start(program: Arc<Program>, setup: Setup) -> Result<Machine, StartError> {
        let entries = program.entries.ok_or(StartError::NoRuntime)?;
        let mut machine = Machine::with_statics(program, setup);
        if machine.mode.slices {
            machine.state.memory.note_uses();
            machine.make_globals_loose();
            machine.watch_agreement();
            machine.note_attention();
        }
        machine.statics.arguments = machine.make_arguments(entries.main);
        let (entry, stage) = match entries.begin {
            Some(begin) => (begin, Stage::Begin),
            None => (entries.main, Stage::Body),
        };
        let arguments = machine.statics.arguments;
        machine.spawn(ThreadId::MAIN, entry, &arguments, Clock::new());
        let main = machine.state.threads[0].as_mut().expect("just born");
        main.state.stage = stage;
        if machine.program.layout.overflows {
            machine.situation = Situation::End(End::Cutoff(Cutoff::ObjectTooLarge, LocId(0)));
        }
        machine.record_arguments();
        Ok(machine)
    }

    /// A machine without threads. Memory holds what there is before the start.
    fn with_statics(program: Arc<Program>, setup: Setup) -> Machine {
        let Setup {
            config,
            mode,
            mut probes,
            shared,
            inputs,
            names,
            interrupt,
        } = setup;
        let mut terms = Terms::new();
        let statics = Statics::of(&program, &mut terms);
        let mut memory = Memory::new(program.module.pointer_bits, shared);
        probes.attach(&program, &config, mode, &mut memory);
        let mut machine = Machine {
            program: Rc::new(program),
            config,
            mode,
            interrupt,
            statics,
            state: State::new(memory),
            now: Now::default(),
            running: Running::default(),
            trail: Trail::default(),
            probes,
            step: StepSoFar::default(),
            situation: Situation::Schedule,
            enabled: EnabledThreads::default(),
            terms,
            inputs,
            texts: FxHashMap::default(),
            locations: Locations::default(),
            names: ThreadNames::of(names),
            stamp: 0,
            sharing_grew: false,
            total_events: 0,
            threads_seen: 0,
            crowded: BTreeSet::new(),
        };
        machine.load_statics();
        machine
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Visible operations performed on the current path.
    pub fn visible_events(&self) -> u64 {
        self.now.visible_events
    }

    /// Switches away from a thread that could go on, on the current path.
    pub fn preemptions(&self) -> u32 {
        self.now.preemptions
    }

    pub fn pointer_bits(&self) -> u32 {
        self.program.module.pointer_bits
    }

    pub fn pointer_bytes(&self) -> usize {
        self.program.module.pointer_bytes() as usize
    }

    pub fn current_thread(&self) -> ThreadId {
        self.now.current
    }

    /// Runs until something must be decided or the execution ends.
    pub fn advance(&mut self) -> &Situation {
        while matches!(self.situation, Situation::Schedule) {
            if let Some(thread) = self.runnable() {
                if self.probes.history.is_some()
                    && !self.running.joining
                    && self.waits_for_an_end(thread)
                {
                    self.situation = Situation::Join;
                    break;
                }
                self.run(thread);
                continue;
            }
            match *self.enabled.list.as_slice() {
                // Nothing to decide.
                [only] if !only.spurious && !self.mode.observed => self.schedule(only),
                [first, ..] if !first.spurious => break,
                // A state that only a spurious wake-up could leave is a deadlock.
                _ => self.situation = Situation::End(self.end_without_enabled()),
            }
        }
        &self.situation
    }

    /// Answers a question. For a branch, the caller adds the condition to the path if the answer
    /// was a decision.
    pub fn answer(&mut self, answer: Answer) {
        assert!(
            matches!(self.situation, Situation::Ask(_)),
            "a question was asked"
        );
        self.trail.effects += 1;
        self.running.answers.push(answer);
        self.situation = Situation::Schedule;
    }

    pub fn assume(&mut self, condition: TermId) {
        self.state.path.push(condition);
    }

    fn run(&mut self, thread: ThreadId) {
        if thread != self.now.current {
            self.now.current = thread;
            self.now.granted = false;
        }
        if !matches!(self.status(thread), Status::Running) {
            if self.wait_again(thread) {
                return;
            }
            self.begin_step(thread);
        }
        self.note_attention();
        self.catch_up(thread);
        let t = self.state.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        std::mem::swap(&mut self.running.frames, &mut t.frames);
        std::mem::swap(&mut self.running.registers, &mut t.registers);
        (self.trail.effects, self.trail.silent) = (0, 0);
        let stop = self.interpret();
        let t = self.state.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        let activity = &mut t.hot.activity;
        activity.effects = activity.effects.wrapping_add(self.trail.effects);
        activity.silent = activity.silent.wrapping_add(self.trail.silent);
        std::mem::swap(&mut self.running.frames, &mut t.frames);
        std::mem::swap(&mut self.running.registers, &mut t.registers);
        match stop {
            Stop::Park => {
                let (guard, visible) = self.running.block_at;
                self.probes.footprint.forget_unfinished();
                self.running.answers.clear();
                self.now.granted = false;
                let stable_enabled_set = self.now.stable_enabled_set;
                self.set_status(thread, Status::Parked { guard, visible });
                if visible && matches!(guard, Guard::Always) {
                    // As before.
                    self.now.stable_enabled_set = stable_enabled_set;
                }
            }
            Stop::Ask | Stop::End => {}
            Stop::Again | Stop::Jumped => unreachable!("the interpreter goes on"),
            Stop::Return => {
                self.finish_instruction();
                self.end_thread(thread, Status::Ended);
            }
            Stop::Exit => self.end_thread(thread, Status::Exited),
        }
        self.remember(thread, stop);
        self.forget_stop();
        self.running.visible = false;
        self.running.answered = 0;
    }

    fn end_thread(&mut self, thread: ThreadId, status: Status) {
        if self.leave_no_section_open().is_err() {
            return;
        }
        self.set_status(thread, status);
        self.now.granted = false;
        self.record_end(thread);
    }
}
