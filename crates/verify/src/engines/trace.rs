//! The trace engine (P3): all interleavings of all executions so far, and all inputs, as one
//! formula.
//!
//! A run shows some edges of the program's threads. *phi* asks whether something can go wrong along
//! known edges; *psi*, whether a thread can take an edge that nobody has taken. A model of either is
//! followed by a run, which ends in a fault or shows more edges. If neither has a model, no
//! execution leaves what is known, and none fails: `safe`, for all inputs and without a bound.
//!
//! P3's psi leaves statements that were not executed open, and so may have models that are no
//! executions. Ours does not need to: before the *first* edge that nobody has taken, everything is
//! known. What cannot be encoded makes the engine step aside.

mod explain;
#[cfg(test)]
mod figures;
mod follow;
#[cfg(test)]
mod many_schedules;
mod progress;
mod turns;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ::explore::{Guided, Monitor, Phase, Properties, SearchFacts, Stopped, guided};
use encode::{
    Asked, Encoding, FaultKind, GivenInput, Graph, Knowledge, Model, Question, TestVector, unroll,
};
use machine::{Cutoff, End, Inputs, Property, ThreadId};
use smt::Terms;
use smt::order::OrderKind;

use self::follow::{Expects, Follow, Goal, Preference};
use self::progress::Progress;
use self::turns::{Paced, Turns, tick};
use crate::Internal;
use crate::board::Proved;
use crate::engine::{Answer, Candidate, Counts, Coverage, Engine, Task};
use crate::engines::static_proof::Obstacle;
use crate::explain::Why;
use crate::known::Doing;
use crate::options::{GivenInputs, InputName, Trace};
use crate::relevance::{Subject, Wanted};

pub(crate) const TRACE: &str = "trace";

/// What a check of one test vector says of its verdict.
pub const GIVEN_INPUTS: &str = "given inputs";

/// The solver is asked for so long at first before others get a turn.
const SLICE: Duration = Duration::from_millis(50);
const LONGEST_SLICE: Duration = Duration::from_secs(2);
/// If a fault is looked for longer than that, some other schedules are tried, once.
const HESITATION: Duration = Duration::from_millis(500);
/// So many open exits are looked for before the graph is unrolled again.
const EXITS_AT_ONCE: usize = 16;
/// So many events of each thread are looked at first, then four times as many, and so on.
const SHORTEST_BEGINNING: usize = 12;
/// What is asked of them may take so long.
const BEGINNING: Duration = Duration::from_secs(2);

pub(crate) struct TraceEngine {
    options: Trace,
    limits: Limits,
}

/// How large a program may become. Beyond that the engine steps aside.
#[derive(Clone, Copy)]
struct Limits {
    /// Instructions that a run may have. With what it shows, each takes some 150 bytes.
    instructions: usize,
    /// Instructions that may be unrolled.
    steps: u64,
    /// A term takes some 150 bytes.
    terms: usize,
    /// Writes that reads may read from take a kilobyte each, with what the solver learns of them.
    sources: usize,
}

const ALONE: Limits = Limits {
    instructions: 4_000_000,
    steps: 30_000_000,
    terms: 16_000_000,
    sources: 4_000_000,
};

/// So many clauses about races take no more room than what is said of a read and a write.
const CLAUSES: usize = 10;

/// Beside others: some hundred megabytes are soon used up.
const BESIDE_OTHERS: Limits = Limits {
    instructions: 500_000,
    steps: 4_000_000,
    terms: 2_000_000,
    sources: 200_000,
};

impl TraceEngine {
    pub fn new(options: Trace) -> TraceEngine {
        let limits = ALONE;
        TraceEngine { options, limits }
    }

    /// With less memory, for a program that another engine may be the right one for.
    pub fn beside_others(options: Trace) -> TraceEngine {
        let limits = BESIDE_OTHERS;
        TraceEngine { options, limits }
    }
}

impl Engine for TraceEngine {
    fn name(&self) -> &'static str {
        TRACE
    }

    fn run(&self, task: &Task, monitor: &mut dyn Monitor) -> Result<Answer, Internal> {
        monitor.phase(Phase::Trace);
        let mut run = Run::new(&self.options, self.limits, task, monitor);
        let ended = run.run();
        run.answer(ended)
    }
}

/// Why the engine is done.
enum Ended {
    /// Nothing goes wrong along known edges, and there are no others but those that were cut off.
    Proved,
    Bug(Box<::explore::Found>),
    Stopped(Stopped),
    Obstacle(Obstacle),
    Failed(Internal),
}

struct Run<'r, 't> {
    options: &'r Trace,
    limits: Limits,
    task: &'r Task<'t>,
    monitor: &'r mut dyn Monitor,
    known: Knowledge,
    facts: SearchFacts,
    terms: Terms,
    progress: Progress,
    cut_off: BTreeMap<(Cutoff, ir::debug::LocId), u64>,
    /// Whether some other schedules were tried.
    has_tried: bool,
    /// With what the properties depend on.
    subject: Option<Arc<Subject>>,
    /// Why the program is safe, if that is known and asked for.
    why: Option<Why>,
}

impl<'r, 't> Run<'r, 't> {
    fn new(
        options: &'r Trace,
        limits: Limits,
        task: &'r Task<'t>,
        monitor: &'r mut dyn Monitor,
    ) -> Run<'r, 't> {
        Run {
            options,
            limits,
            task,
            monitor,
            known: Knowledge::default(),
            facts: SearchFacts::at_first(&task.board.shared()),
            terms: Terms::new(),
            progress: Progress::default(),
            cut_off: BTreeMap::new(),
            has_tried: false,
            subject: None,
            why: None,
        }
    }

    /// What the properties depend on. Races are found by looking at every access.
    fn slice(&mut self) {
        let is_whole = self.options.plain || self.options.unsliced;
        if is_whole || self.task.properties.contains(Property::Race) {
            return;
        }
        let wanted = Wanted {
            properties: self.task.properties.clone(),
            slices: true,
            dont_care_branches: true,
            peeks: false,
        };
        self.subject = Some(self.task.analysed.subject(&wanted));
    }

    fn answer(self, ended: Ended) -> Result<Answer, Internal> {
        let mut answer = Answer::unknown(TRACE, self.task);
        answer.counts = Counts::of(&self.progress.outcome);
        if self.options.inputs.is_some() {
            answer.bounds.push(GIVEN_INPUTS.to_string());
        }
        answer.coverage.cut_off = self.cut_off;
        match ended {
            Ended::Proved => {
                answer.coverage.stopped = None;
                answer.why = self.why;
            }
            Ended::Bug(found) => answer.candidates.push(Candidate {
                found: *found,
                program: Arc::clone(&self.task.loaded.program),
            }),
            Ended::Stopped(stopped) => answer.coverage.stopped = Some(stopped),
            Ended::Obstacle(obstacle) => {
                answer.coverage = Coverage {
                    obstacle: Some(obstacle),
                    ..answer.coverage
                };
            }
            Ended::Failed(why) => return Err(why),
        }
        Ok(answer)
    }

    fn tell(&self, doing: Doing) {
        if let Some(known) = self.task.known {
            known.now(doing);
        }
    }

    fn run(&mut self) -> Ended {
        match self.search() {
            Ok(never) => match never {},
            Err(ended) => ended,
        }
    }

    fn search(&mut self) -> Result<Never, Ended> {
        self.tell(Doing::Analysing);
        self.slice();
        self.tell(Doing::Searching(None));
        // What another check has left there is no proof of this one.
        self.proof()?;
        if self.options.whole.is_none() {
            self.follow(&Model::default(), Goal::default())?;
        }
        loop {
            let graph = self.unroll()?;
            self.progress.unrolled(&graph, &self.known);
            if graph.exits.len() > EXITS_AT_ONCE && !std::mem::replace(&mut self.has_tried, true) {
                self.try_schedules()?;
                continue;
            }
            if self.is_plain_to_see(&graph) {
                return Err(Ended::Proved);
            }
            if self.look_at_beginnings(&graph)? {
                continue;
            }
            self.check_size(&graph)?;
            let mut encoding = self.encode(&graph)?;
            if !self.extend(&graph, &mut encoding, None)? {
                self.conclude(&graph, &mut encoding)?;
            }
        }
    }

    /// Nothing can go wrong, and no thread can leave what is known: no solver is needed to see that.
    fn is_plain_to_see(&self, graph: &Graph) -> bool {
        let asked = self.asked();
        graph.faults.is_empty()
            && graph.exits.is_empty()
            && (!asked.deadlocks || graph.never_stands_still())
            && !asked.races
            && self.options.proof.is_none()
            && self.options.explain.is_none()
    }

    /// What can happen while no thread has done much is found with a small formula. Whether there is
    /// more to know now.
    fn look_at_beginnings(&mut self, graph: &Graph) -> Result<bool, Ended> {
        let longest = graph.threads.iter().map(|thread| thread.events.len()).max();
        let mut most = SHORTEST_BEGINNING;
        while !self.options.plain && 2 * most < longest.unwrap_or(0) {
            let part = graph.prefix(&mut self.terms, most);
            if part.sources() > self.limits.sources {
                break;
            }
            if !part.faults.is_empty() || !part.exits.is_empty() {
                let mut encoding = self.encode(&part)?;
                if self.extend(&part, &mut encoding, Some(BEGINNING))? {
                    return Ok(true);
                }
            }
            most *= 4;
        }
        Ok(false)
    }

    /// Follows what can go wrong, and edges that nobody has taken. Whether there is more to know now;
    /// a limit may have kept it from finding out.
    fn extend(
        &mut self,
        graph: &Graph,
        encoding: &mut Encoding,
        limit: Option<Duration>,
    ) -> Result<bool, Ended> {
        let has_fault = match self.has_tried {
            true => self.ask(encoding, Question::Fault, limit)?,
            false => match self.ask(encoding, Question::Fault, Some(HESITATION))? {
                // Where the solver takes long, a fault may be easy to run into.
                None => {
                    let known = self.known.visited();
                    self.has_tried = true;
                    self.try_schedules()?;
                    if self.known.visited() > known {
                        return Ok(true);
                    }
                    self.ask(encoding, Question::Fault, limit)?
                }
                answer => answer,
            },
        };
        if has_fault == Some(true) {
            // A run that meets another fault first would show nothing.
            let is_disturbed = encoding.knows_disturbances()
                && self.ask(encoding, Question::FirstFault, limit)? != Some(true);
            if is_disturbed && self.ask(encoding, Question::Fault, limit)? != Some(true) {
                return Ok(false);
            }
            let mut model = encoding.model(&self.terms);
            let failing = self.failing(graph, encoding);
            let first = failing
                .into_iter()
                .min_by_key(|f| model.steps_before(graph, *f));
            let first = first.expect("a fault that happens");
            model.steps.truncate(model.steps_before(graph, first));
            let goal = Goal {
                expects: Expects::Fault,
                last: vec![graph.faults[first].thread],
                ..Goal::default()
            };
            self.follow(&model, goal)?;
            return Ok(true);
        }
        self.open_exits(graph, encoding, limit)
    }

    /// The faults of a model, of those that are asked for.
    fn failing(&mut self, graph: &Graph, encoding: &mut Encoding) -> Vec<usize> {
        let mut failing = encoding.failing();
        self.progress.fails(graph, &failing);
        let asked = self.asked().faults;
        failing.retain(|fault| asked.contains(&graph.faults[*fault].kind));
        failing
    }

    /// Other schedules show many edges sooner than the solver would find them one by one.
    fn try_schedules(&mut self) -> Result<(), Ended> {
        let all = [
            Preference::Newest,
            Preference::InTurns,
            Preference::Oldest,
            Preference::MainAndNewest,
        ];
        for preference in all {
            let goal = Goal {
                preference,
                ..Goal::default()
            };
            self.follow(&Model::default(), goal)?;
        }
        Ok(())
    }

    /// Looks for edges that nobody has taken. Whether there are any.
    fn open_exits(
        &mut self,
        graph: &Graph,
        encoding: &mut Encoding,
        limit: Option<Duration>,
    ) -> Result<bool, Ended> {
        let mut opened = 0;
        while opened < EXITS_AT_ONCE && self.ask(encoding, Question::Exit, limit)? == Some(true) {
            let model = encoding.model(&self.terms);
            let before = opened;
            let mut targets = Vec::new();
            for exit in &model.exits {
                let e = &graph.exits[*exit];
                let bound = self.task.machine.unwind;
                let is_cut = e
                    .round
                    .zip(bound)
                    .is_some_and(|(round, bound)| round > bound);
                if is_cut {
                    *self.cut_off.entry((Cutoff::LoopBound, e.loc)).or_default() += 1;
                } else {
                    opened += 1;
                    targets.push((e.thread, &e.target));
                }
                encoding.leave_out_exit(*exit);
            }
            if opened > before {
                let exits = model.exits.iter();
                let goal = Goal {
                    last: exits.map(|exit| graph.exits[*exit].thread).collect(),
                    ..Goal::default()
                };
                self.follow(&model, goal)?;
            }
            let is_shown =
                |known: &Knowledge| targets.iter().all(|(t, key)| known.is_visited(*t, key));
            if !is_shown(&self.known) && self.known.refine() {
                return Ok(true);
            }
            for (thread, target) in targets {
                self.known.visit(thread, target);
            }
        }
        Ok(opened > 0)
    }

    /// There are no other executions than those of the graph, and no fault in them that is asked
    /// for, but perhaps others.
    fn conclude(&mut self, graph: &Graph, encoding: &mut Encoding) -> Result<(), Ended> {
        if self.cut_off.is_empty() && self.options.inputs.is_none() && encoding.refused.is_none() {
            let asked = self.asked().faults;
            let properties = asked.into_iter().map(property_of).collect();
            self.task.board.prove(Proved {
                by: TRACE,
                properties: Properties(properties),
            });
        }
        if self.solve(encoding, Question::OtherFault)? {
            // Perhaps it depends on what was left out.
            if self.subject.is_some() && self.known.refute_slice() {
                return Ok(());
            }
            let fault = graph
                .faults
                .iter()
                .find(|f| !self.asked().faults.contains(&f.kind));
            let loc = fault.map(|f| f.loc).unwrap_or_default();
            let what = fault.map_or("fault", |f| property_of(f.kind).name());
            let cutoff = Cutoff::OtherFault(what.to_string());
            *self.cut_off.entry((cutoff, loc)).or_default() += 1;
        }
        if self.asked().deadlocks {
            for perhaps in [false, true] {
                if perhaps && !encoding.leaves_out_waits() {
                    continue;
                }
                if self.solve(encoding, Question::Deadlock { perhaps })? {
                    let model = encoding.model(&self.terms);
                    return self.follow(&model, Goal::ending_in(Expects::Standstill));
                }
            }
        }
        if let Some((loc, why)) = encoding.refused {
            return Err(Ended::Obstacle(Obstacle {
                loc,
                why: why.into(),
            }));
        }
        for pair in 0..encoding.pairs.len() {
            if self.solve(encoding, Question::Race(pair))? {
                let model = encoding.model(&self.terms);
                return self.follow(&model, Goal::ending_in(Expects::Fault));
            }
        }
        encoding.complete_proof();
        if let Some(error) = encoding.take_proof_failure() {
            return Err(self.proof_failed(&error));
        }
        self.explain(graph, encoding);
        Err(Ended::Proved)
    }

    fn unroll(&mut self) -> Result<Graph, Ended> {
        let config = &self.task.machine;
        let subject = self.subject.as_deref();
        let nodes = &self.task.analysed.facts().nodes;
        let members = subject.and_then(|subject| subject.members.as_ref());
        let is_outside = |function, block, inst: u32| {
            members.is_some_and(|m| !m.contains(nodes.at(function, block, inst as usize)))
        };
        let is_dont_care = |function, block, inst: u32| {
            let node = nodes.at(function, block, inst as usize);
            subject.is_some_and(|subject| subject.dont_care_branches.contains(node))
        };
        let outside = encode::Outside {
            outside: &is_outside,
            dont_care_branch: &is_dont_care,
        };
        let vector = self.options.inputs.as_ref().map(vector_of);
        let options = encode::Options {
            inputs: vector.as_ref(),
            outside: members.is_some().then_some(outside),
            spurious_wakeups: config.spurious_wakeups,
            malloc_may_fail: config.malloc_may_fail,
            any_arguments: config.surroundings.any_args,
            whole: self.options.whole,
            fuses: !self.options.plain,
            coarse: !self.options.plain && !self.asked().races,
            steps: self.limits.steps,
            terms: self.limits.terms,
        };
        let turns = Turns::new(&mut *self.monitor, &self.progress.outcome);
        let interrupted = || turns.is_over();
        let module = &self.task.loaded.program.module;
        let graph = unroll(
            module,
            &mut self.terms,
            &mut self.known,
            &options,
            &interrupted,
        );
        // An unrolling that was stopped says that there was an obstacle.
        if let Some(stopped) = turns.stopped() {
            return Err(Ended::Stopped(stopped));
        }
        graph.map_err(|obstacle| Ended::Obstacle(obstacle.into()))
    }

    /// Whether there is room for the formula.
    fn check_size(&self, graph: &Graph) -> Result<(), Ended> {
        let too_many = |what| Err(Ended::Obstacle(Obstacle::here(what)));
        if graph.sources() > self.limits.sources {
            return too_many("as many accesses to the same memory");
        }
        match self.has_few_pairs(graph) {
            true => Ok(()),
            false => too_many("as many accesses that may race"),
        }
    }

    /// Whether there is room for all pairs of accesses that may race, each of which is compared with
    /// all events.
    fn has_few_pairs(&self, graph: &Graph) -> bool {
        if !self.task.properties.contains(Property::Race) {
            return true;
        }
        let mut writes = vec![0; graph.atoms.len()];
        for write in graph.events.iter().flat_map(|event| &event.writes) {
            writes[write.atom.index()] += 1;
        }
        let pairs: usize = writes.iter().map(|writes| writes * writes).sum();
        (pairs + graph.sources()) * graph.events.len() <= CLAUSES * self.limits.sources
    }

    fn asked(&self) -> Asked {
        let has = |property| self.task.properties.contains(property);
        let kinds = [
            FaultKind::Assertion,
            FaultKind::Abort,
            FaultKind::Memory,
            FaultKind::LockMisuse,
            FaultKind::DivisionByZero,
            FaultKind::Unreachable,
        ];
        Asked {
            faults: kinds.into_iter().filter(|k| has(property_of(*k))).collect(),
            deadlocks: has(Property::Deadlock),
            races: has(Property::Race),
            spurious_wakeups: self.task.machine.spurious_wakeups,
            prunes: !self.options.plain,
        }
    }

    fn encode<'g>(&mut self, graph: &'g Graph) -> Result<Encoding<'g>, Ended> {
        let kind = match self.options.clocks {
            true => OrderKind::Clocks,
            false => OrderKind::Theory,
        };
        let proof = self.proof()?;
        let asked = self.asked();
        let turns = Turns::new(&mut *self.monitor, &self.progress.outcome);
        let interrupted = || turns.is_over();
        let terms = &mut self.terms;
        let encoding = Encoding::new(graph, terms, &asked, kind, proof, &interrupted);
        encoding.ok_or_else(|| Ended::Stopped(turns.stopped().unwrap_or(Stopped::Interrupted)))
    }

    /// The file of the proof, emptied: each formula has a proof of its own, and that of the last one
    /// counts.
    fn proof(&self) -> Result<Option<Box<dyn Write + Send>>, Ended> {
        let Some(path) = &self.options.proof else {
            return Ok(None);
        };
        match File::create(path) {
            Ok(file) => Ok(Some(Box::new(file))),
            Err(error) => Err(self.proof_failed(&error)),
        }
    }

    fn proof_failed(&self, error: &std::io::Error) -> Ended {
        Ended::Failed(Internal::Proof {
            path: self.options.proof.clone().unwrap_or_default(),
            error: error.to_string(),
        })
    }

    /// Asks the solver, in slices between which others may have their turns.
    fn solve(&mut self, encoding: &mut Encoding, question: Question) -> Result<bool, Ended> {
        let answer = self.ask(encoding, question, None)?;
        Ok(answer.expect("an answer without a limit"))
    }

    /// Asks the solver, in slices between which others may have their turns. `None`: the limit has
    /// passed.
    fn ask(
        &mut self,
        encoding: &mut Encoding,
        question: Question,
        limit: Option<Duration>,
    ) -> Result<Option<bool>, Ended> {
        let mut slice = SLICE;
        let first = Instant::now();
        loop {
            let start = Instant::now();
            let answer = encoding.solve(question, Some(start + slice), &self.task.halt);
            self.progress.solved_for(start.elapsed());
            if let Some(error) = encoding.take_proof_failure() {
                return Err(self.proof_failed(&error));
            }
            if let Some(stopped) = tick(self.monitor, &self.progress.outcome) {
                return Err(Ended::Stopped(stopped));
            }
            match answer {
                Some(answer) => {
                    self.progress.asked(question, answer);
                    return Ok(Some(answer));
                }
                None if limit.is_some_and(|limit| first.elapsed() > limit) => return Ok(None),
                None if self.task.halt.load(Ordering::Relaxed) => {
                    return Err(Ended::Stopped(self.monitor.stop_reason()));
                }
                None => slice = (2 * slice).min(LONGEST_SLICE),
            }
        }
    }

    /// Runs the program as the model says, and on by itself. If the model has a fault, so must the
    /// run.
    fn follow(&mut self, model: &Model, goal: Goal) -> Result<(), Ended> {
        self.progress
            .follows(model, &self.task.loaded.program.module);
        let (names, inputs) = match &self.options.inputs {
            Some(given) => {
                let values = Inputs::Concrete(given.values.clone());
                (given.threads.clone(), values)
            }
            None => {
                let (names, threads) = follow::names_of(model);
                (names, Inputs::Varied(follow::inputs_of(model, &threads)))
            }
        };
        let module = &self.task.loaded.program.module;
        let expects = goal.expects;
        let turns = Turns::new(&mut *self.monitor, &self.progress.outcome);
        let mut guide = Paced {
            guide: Follow::new(module, &mut self.known, model, goal),
            turns: &turns,
            most_instructions: self.limits.instructions,
        };
        guide.guide.log = self.progress.wants_log().then(Vec::new);
        let run = guided(
            &self.task.loaded.program,
            &self.task.machine,
            &self.task.properties,
            &mut self.facts,
            &inputs,
            &names,
            &mut guide,
            &self.task.halt,
        );
        let Guided {
            end,
            found,
            decisions,
            is_too_long,
        } = run.map_err(|why| Ended::Failed(why.into()))?;
        let (log, stopped) = (guide.guide.log, turns.stopped());
        let ended = (&end, decisions);
        self.progress.ran(&self.known, ended, log, module);
        self.task.board.share(&self.facts.shared);
        if let Some(found) = found {
            return Err(Ended::Bug(Box::new(found)));
        }
        if let Some(stopped) = stopped {
            return Err(Ended::Stopped(stopped));
        }
        if is_too_long {
            return Err(Ended::Obstacle(Obstacle::here(
                "runs as long as this program's",
            )));
        }
        if let End::Cutoff(Cutoff::Interrupted, _) = end {
            return Err(Ended::Stopped(self.monitor.stop_reason()));
        }
        let is_refined = |run: &mut Self| {
            run.known.refine() || run.subject.is_some() && run.known.refute_slice()
        };
        if expects != Expects::Anything && !is_refined(self) {
            // What is not asked for has come first, in a step with which no other is ordered.
            if let End::Fault(at) = &end
                && !self.task.properties.contains(at.fault.property())
            {
                let cutoff = Cutoff::OtherFault(at.fault.property().name().to_string());
                *self.cut_off.entry((cutoff, at.loc)).or_default() += 1;
                return Err(Ended::Proved);
            }
            let steps = model.steps.last();
            let loc = steps.map(|step| step.loc).unwrap_or_default();
            let why = "an execution that it takes to fail, and that does not when it is run";
            return Err(Ended::Obstacle(Obstacle {
                loc,
                why: why.into(),
            }));
        }
        Ok(())
    }
}

/// The inputs that are given, by threads as the encoding knows them.
fn vector_of(given: &GivenInputs) -> TestVector {
    let path_of = |thread: ThreadId| {
        let mut path = Vec::new();
        let mut thread = thread;
        while thread != ThreadId::MAIN {
            let (parent, index) = *given.threads.get(thread.index())?;
            path.insert(0, index);
            thread = parent;
        }
        Some(path)
    };
    let all = given.values.iter().filter_map(|(name, value)| {
        let name = InputName::of(name)?;
        Some(GivenInput {
            thread: path_of(name.thread)?,
            index: name.index,
            name: name.what.to_string(),
            value: *value,
        })
    });
    TestVector {
        given: all.collect(),
    }
}

enum Never {}

fn property_of(kind: FaultKind) -> Property {
    match kind {
        FaultKind::Assertion => Property::Assertion,
        FaultKind::Abort => Property::Abort,
        FaultKind::Memory => Property::Memory,
        FaultKind::LockMisuse => Property::LockMisuse,
        FaultKind::DivisionByZero => Property::DivisionByZero,
        FaultKind::Unreachable => Property::Unreachable,
    }
}

/// The threads of a model as the machine names them.
pub(crate) type Names = Vec<(ThreadId, u32)>;
