//! One run on given inputs, whose schedule somebody else decides: the trace engine (P3, section
//! 4.1), which knows from a model what the threads should do in which order.
//!
//! The run follows its guide as long as that names threads that can go on, and then goes on by
//! itself. It is like any other execution: what it ends in is a fault of the program or not.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use machine::{
    Answer, Config, Cutoff, Enabled, End, Executed, Fault, FaultAt, Inputs, Machine, Mode,
    Position, Probes, Program, Property, Question, Setup, Status, ThreadId,
};

use crate::decision::{Decision, Schedule};
use crate::driver::{Flow, Policy, Round, drive};
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::livelock::{all_wait, settle, who_goes_on};
use crate::outcome::{Found, Properties, Site};

/// Says what to do next.
pub trait Guide {
    /// These instructions have been executed since it was asked last.
    fn executed(&mut self, machine: &Machine, instructions: &[Executed]);

    /// The thread that should run now; `None`: whichever.
    fn next(&mut self, machine: &Machine) -> Option<ThreadId>;

    /// One of so many things that the machine leaves open: whether a thread will wake without a
    /// signal, which waiter is signalled.
    fn choose(&mut self, machine: &Machine, count: u32) -> u32;

    /// No thread should be able to go on but round loops in which it waits for ever, once the guide
    /// names no more threads.
    fn expects_standstill(&self) -> bool;

    /// The run begins again: more memory is shared than was known.
    fn restart(&mut self);

    /// A run of more instructions is given up: they are kept until the guide was told of them.
    fn most_instructions(&self) -> usize {
        usize::MAX
    }

    /// The run is to stop, as if it were interrupted.
    fn is_over(&self) -> bool {
        false
    }
}

/// What came of a run.
pub struct Guided {
    pub end: End,
    /// If it ended in a fault that is asked for.
    pub found: Option<Found>,
    pub decisions: usize,
    /// It was given up because it was too long.
    pub is_too_long: bool,
}

/// How often threads in loops go round at a standstill, until nothing changes any more.
const MOST_ROUNDS: u32 = 4;
/// A run goes no further than this.
const MOST_DECISIONS: usize = 200_000;
/// So often a thread goes on without a decision to the contrary, before others get a turn.
const PATIENCE: u32 = 100;
/// So often a thread that spins goes on: its loop may just be long.
const PATIENT_SPINS: u32 = 6;
const MOST_STEPS_TO_STANDSTILL: u32 = 1000;
/// So often a run that need not end in a fault begins again.
const MOST_RESTARTS: u32 = 3;
/// So often all threads may wait without its being a livelock.
const MOST_STANDSTILLS: u32 = 100;

/// Runs the program on these inputs, which are numbers. `names` are the threads that the inputs are named after.
#[allow(clippy::too_many_arguments)]
pub fn guided(
    program: &Arc<Program>,
    config: &Config,
    properties: &Properties,
    facts: &mut SearchFacts,
    inputs: &Inputs,
    names: &[(ThreadId, u32)],
    guide: &mut dyn Guide,
    interrupt: &Arc<AtomicBool>,
) -> Result<Guided, Error> {
    let mut restarts = 0;
    loop {
        let probes = Probes::default()
            .with_history(Arc::default())
            .with_most_instructions(guide.most_instructions());
        let setup = Setup {
            config: config.clone(),
            // Then the machine notices threads that wait in loops.
            mode: Mode {
                observed: true,
                ..Mode::default()
            },
            probes: match properties.contains(Property::Race) {
                true => probes.with_races(),
                false => probes,
            },
            shared: facts.shared.clone(),
            inputs: inputs.clone(),
            names: names.to_vec(),
            interrupt: Arc::clone(interrupt),
        };
        let mut machine = Machine::start(Arc::clone(program), setup)?;
        let mut run = Run {
            machine: &mut machine,
            guide,
            decisions: Vec::new(),
            position: Position::default(),
            last: None,
            turns: 0,
            blocked: Vec::new(),
            all_blocked: 0,
            steps_to_standstill: 0,
            restarts: properties.contains(Property::Race) || restarts < MOST_RESTARTS,
        };
        let end = drive(&mut run);
        let decisions = run.decisions;
        let Some(end) = end else {
            facts.learn_generously(&machine);
            guide.restart();
            restarts += 1;
            continue;
        };
        let fault = fault_of(&machine, &end, properties);
        let count = decisions.len();
        let is_too_long = machine.is_history_full();
        let found = fault.map(|fault| {
            let schedule = Schedule {
                observed: machine.mode().observed,
                observes_joins: machine.mode().observes_joins,
                observes_last: machine.mode().observes_last,
                decisions,
                visible: machine.state.memory.shared.clone(),
                threads: machine.thread_names().to_vec(),
            };
            Found {
                site: Site::of(&fault, &machine.program.module.debug),
                reduced: None,
                events: machine
                    .visible_events()
                    .max(schedule.decisions.len() as u64),
                fault,
                inputs: machine.inputs().listed(),
                schedule,
            }
        });
        return Ok(Guided {
            end,
            found,
            decisions: count,
            is_too_long,
        });
    }
}

/// What is wrong with the run, of what is asked for.
fn fault_of(machine: &Machine, end: &End, properties: &Properties) -> Option<FaultAt> {
    if let Some(race) = machine.races_found().first() {
        return Some(FaultAt {
            thread: race.second.thread,
            loc: race.second.loc,
            fault: Fault::Race(Box::new(race.clone())),
        });
    }
    match end {
        End::Fault(at) if properties.contains(at.fault.property()) => Some(at.clone()),
        _ => None,
    }
}

struct Run<'r> {
    machine: &'r mut Machine,
    guide: &'r mut dyn Guide,
    decisions: Vec<Decision>,
    /// What the guide was told up to.
    position: Position,
    last: Option<ThreadId>,
    /// How often the last thread was chosen without being asked for.
    turns: u32,
    /// Threads that wait in loops until something changes.
    blocked: Vec<(ThreadId, Status)>,
    /// How often all threads that could go on waited.
    all_blocked: u32,
    /// Whether the run begins again when memory proves to be shared. It shows as much without, as
    /// long as it ends in no fault: then the places at which it can be interrupted must be known.
    restarts: bool,
    /// Steps since the guide has ended, if the run should come to a standstill there.
    steps_to_standstill: u32,
}

impl Run<'_> {
    fn tell(&mut self) {
        let executed = self.machine.executed_since(self.position);
        self.position = self.machine.position();
        self.guide.executed(self.machine, &executed);
    }

    /// The thread to run where the guide does not care.
    fn whichever(&mut self) -> Enabled {
        let enabled = self.machine.enabled();
        let fresh: Vec<Enabled> = (enabled.iter().copied())
            .filter(|e| !e.spurious && !self.machine.is_spinning(e.thread))
            .collect();
        let from = match fresh.as_slice() {
            [] => enabled.to_vec(),
            fresh => fresh.to_vec(),
        };
        let last = from.iter().find(|e| Some(e.thread) == self.last);
        if let Some(last) = last
            && self.turns < PATIENCE
        {
            return *last;
        }
        self.turns = 0;
        let after = from.iter().find(|e| Some(e.thread) > self.last);
        *after.unwrap_or(&from[0])
    }
}

impl Run<'_> {
    fn unblock(&mut self, at: usize) {
        let (thread, status) = self.blocked.swap_remove(at);
        self.machine.unblock_parked(thread, status);
        self.machine.advance();
    }

    /// Threads that wait look again. The end, if they wait for ever.
    fn look_again(&mut self) -> Option<End> {
        while !self.blocked.is_empty() {
            self.unblock(0);
        }
        self.machine.lift_loop_bound();
        for _ in 0..MOST_ROUNDS {
            let went_on = settle(self.machine, &mut self.decisions);
            if let Some(end) = all_wait(self.machine) {
                return Some(end);
            }
            if !went_on {
                break;
            }
        }
        None
    }

    fn take(&mut self, choice: Enabled) {
        self.last = Some(choice.thread);
        self.decisions.push(Decision::of(choice));
        self.machine.schedule(choice);
    }

    /// What is left to do are steps that the guide does not know of: threads go on to where they
    /// are stuck.
    fn come_to_standstill(&mut self) -> Flow<Option<End>> {
        self.steps_to_standstill += 1;
        if let Some(choice) = who_goes_on(self.machine) {
            self.take(choice);
            return Flow::Continue(());
        }
        self.steps_to_standstill = MOST_STEPS_TO_STANDSTILL;
        match self.look_again() {
            Some(_) if self.machine.sharing_grew => Flow::Break(None),
            Some(end) => Flow::Break(Some(end)),
            None if self.machine.sharing_grew && self.restarts => Flow::Break(None),
            None => Flow::Continue(()),
        }
    }

    fn interrupted(&self) -> End {
        let loc = self.machine.user_loc(self.machine.current_thread());
        End::Cutoff(Cutoff::Interrupted, loc)
    }

    fn bound(&self) -> End {
        let loc = self.machine.user_loc(self.machine.current_thread());
        End::Cutoff(Cutoff::LoopBound, loc)
    }
}

impl Policy for Run<'_> {
    /// How it ended; `None`: it must begin again.
    type Stop = Option<End>;

    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn schedule(&mut self) -> Flow<Self::Stop> {
        if self.machine.sharing_grew && self.restarts {
            return Flow::Break(None);
        }
        self.tell();
        if self.guide.is_over() {
            return Flow::Break(Some(self.interrupted()));
        }
        if self.decisions.len() >= MOST_DECISIONS {
            return Flow::Break(Some(self.bound()));
        }
        let wanted = self.guide.next(self.machine);
        if wanted.is_none()
            && self.guide.expects_standstill()
            && self.steps_to_standstill < MOST_STEPS_TO_STANDSTILL
        {
            return self.come_to_standstill();
        }
        let is_blocked = |(thread, _): &(ThreadId, Status)| Some(*thread) == wanted;
        if let Some(at) = self.blocked.iter().position(is_blocked) {
            self.unblock(at);
        }
        let enabled = self.machine.enabled();
        let wanted = wanted.and_then(|thread| {
            let own = enabled.iter().filter(|e| e.thread == thread);
            // A signal is better than waking for nothing.
            own.min_by_key(|e| e.spurious).copied()
        });
        let choice = match wanted {
            Some(wanted) => wanted,
            None => self.whichever(),
        };
        self.turns = match Some(choice.thread) == self.last {
            true => self.turns + 1,
            false => 0,
        };
        self.take(choice);
        Flow::Continue(())
    }

    fn ask(&mut self, question: Question) -> Flow<Self::Stop> {
        match question {
            Question::Choice(count) => {
                self.tell();
                let choice = self.guide.choose(self.machine, count).min(count - 1);
                self.decisions.push(Decision::Choose(choice));
                self.machine.answer(Answer::Number(u128::from(choice)));
                Flow::Continue(())
            }
            _ => {
                let loc = self.machine.user_loc(self.machine.current_thread());
                let what = Cutoff::SymbolicValue("value".to_string());
                Flow::Break(Some(End::Cutoff(what, loc)))
            }
        }
    }

    fn wait(&mut self, round: Round) -> Flow<Self::Stop> {
        let thread = self.machine.current_thread();
        self.machine.yield_spinning();
        if round.events > 0 {
            self.decisions.push(Decision::Yield);
        }
        let status = self.machine.block_parked(thread);
        self.blocked.push((thread, status));
        Flow::Continue(())
    }

    fn spin(&mut self) -> Flow<Self::Stop> {
        if self.machine.spins() < PATIENT_SPINS {
            self.machine.spin_on();
        } else {
            self.decisions.push(Decision::Yield);
            self.machine.yield_spinning();
        }
        Flow::Continue(())
    }

    fn end(&mut self, end: End) -> Flow<Self::Stop> {
        if self.machine.sharing_grew && (self.restarts || matches!(end, End::Fault(_))) {
            return Flow::Break(None);
        }
        self.tell();
        let goes_on = match &end {
            End::Fault(at) => at.fault == Fault::Deadlock,
            End::Normal | End::Discarded => true,
            End::Cutoff(..) => false,
        };
        // An atomic section that an assumption excludes never was: it is no standstill.
        let current = self.machine.current_thread();
        let in_section = self.machine.thread_state(current).atomic > 0;
        if matches!(end, End::Discarded) && in_section {
            return Flow::Break(Some(end));
        }
        if goes_on && !self.blocked.is_empty() {
            self.all_blocked += 1;
            return match self.look_again() {
                Some(_) if self.machine.sharing_grew => Flow::Break(None),
                Some(end) => Flow::Break(Some(end)),
                None if self.all_blocked > MOST_STANDSTILLS => Flow::Break(Some(self.bound())),
                None => Flow::Continue(()),
            };
        }
        // A wake-up without a signal may go on where nothing else does.
        let is_wanted = |run: &mut Self| run.guide.next(run.machine).is_some();
        if matches!(&end, End::Fault(at) if at.fault == Fault::Deadlock)
            && is_wanted(self)
            && self.machine.survive_standstill()
        {
            return self.schedule();
        }
        Flow::Break(Some(end))
    }
}
