//! The formula of a graph: executions are its models.
//!
//! Every event has a place in a total order. An event that is executed reads each atom from one
//! write that is executed, stands before it, and has no other write of the atom between. What is
//! said of sections, locks and other atomic updates follows: they are single events.
//!
//! Questions are assumptions: *phi*, some fault; *psi*, some open exit; a deadlock; two accesses
//! next to each other. If psi is refuted, the graph holds all executions.

mod candidates;
mod counters;
mod deadlock;
mod model;
mod needed;
mod orders;
mod race;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use base::IndexVec;
use ir::debug::LocId;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::order::{AtomId, EventId, Formula, Lit, OrderKind, OrderStats};
use smt::{InputId, TermId, Terms};

use self::candidates::Implied;
use self::counters::Counter;
pub use self::model::{Model, Step};
use self::needed::Needed;
pub use self::orders::Order;
use crate::graph::{AtomIx, EventIx, FaultKind, Graph, Waiter};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Faults of these kinds.
    pub faults: Vec<FaultKind>,
    pub deadlocks: bool,
    pub races: bool,
    /// Threads wake from waits without a signal.
    pub spurious_wakeups: bool,
    /// Candidates of reads-from that cannot be are left out before solving.
    pub prunes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Some fault that is asked for.
    Fault,
    /// The same, and nothing that is not asked for goes wrong before.
    FirstFault,
    /// One that is not.
    OtherFault,
    /// Some edge is taken that no execution has taken.
    Exit,
    /// No thread can go on. `perhaps`: or it only looks like that, as signals were lost to rounds
    /// that are left out; if there is none of these, there is no deadlock.
    Deadlock { perhaps: bool },
    /// Two accesses conflict: the pair of that number.
    Race(usize),
    /// Whatever the literal stands for (see [`Encoding::condition`]).
    Condition(Lit),
}

/// More pairs of a fault that is asked for and one that is not are not put in order.
const MOST_PAIRS_OF_FAULTS: usize = 4096;

pub struct Encoding<'g> {
    pub(crate) graph: &'g Graph,
    formula: Formula,
    events: IndexVec<EventIx, EventId>,
    executed: IndexVec<EventIx, Lit>,
    start: EventId,
    atoms: IndexVec<AtomIx, AtomId>,
    /// By atom: what is added to it, if nothing else is done with it.
    counters: Vec<Option<Counter>>,
    /// Reads whose values are known as terms.
    settled: Vec<(InputId, TermId)>,
    /// By atom: who writes it, when, what.
    writers: IndexVec<AtomIx, Vec<Writer>>,
    faults: Lit,
    fault_lits: Vec<Lit>,
    others: Lit,
    /// Before a fault that is asked for, nothing else goes wrong.
    undisturbed: Lit,
    exits: Vec<Lit>,
    exit: Lit,
    deadlock: Lit,
    /// Signals may wake threads in rounds that are left out.
    rounds_left_out: Lit,
    races: Vec<Lit>,
    /// By wait for a condition variable: whether a signal has ended it.
    woken: Option<Vec<Lit>>,
    pub pairs: Vec<(EventIx, EventIx)>,
    /// What is not encoded, and where it stands.
    pub refused: Option<(LocId, &'static str)>,
    /// Literals that a model is read off.
    input_lits: Vec<Lit>,
    end_lits: Vec<Vec<Lit>>,
    pub sources: usize,
    has_proof: bool,
}

#[derive(Clone, Copy)]
struct Writer {
    event: Option<EventIx>,
    node: EventId,
    lit: Lit,
    cond: TermId,
    value: TermId,
}

impl<'g> Encoding<'g> {
    /// `None`: it was interrupted.
    pub fn new(
        graph: &'g Graph,
        terms: &mut Terms,
        asked: &Asked,
        kind: OrderKind,
        proof: Option<Box<dyn Write + Send>>,
        interrupted: &dyn Fn() -> bool,
    ) -> Option<Encoding<'g>> {
        let has_proof = proof.is_some();
        let mut formula = Formula::new(kind, proof);
        let start = formula.event();
        let events: Vec<EventId> = graph.events.iter().map(|_| formula.event()).collect();
        let events: IndexVec<EventIx, EventId> = events.into_iter().collect();
        let end = formula.event();
        for (a, b) in graph.always_before() {
            formula.always_before(events[a], events[b]);
        }
        for thread in &graph.threads {
            formula.always_before(events[thread.last], end);
            if thread.parent.is_none() {
                formula.always_before(start, events[thread.first]);
            }
        }
        let executed: Vec<Lit> = (graph.events.iter())
            .map(|e| formula.literal(terms, e.executed))
            .collect();
        for (a, b) in graph.before_if_done() {
            let before = formula.before(events[a], events[b]);
            formula.clause(&[!executed[b.index()], before]);
        }
        let atoms: Vec<AtomId> = graph.atoms.iter().map(|_| formula.atom()).collect();
        let mut encoding = Encoding {
            graph,
            formula,
            events,
            executed: executed.into_iter().collect(),
            start,
            atoms: atoms.into_iter().collect(),
            counters: Vec::new(),
            settled: Vec::new(),
            writers: IndexVec::new(),
            faults: Lit::FALSE,
            fault_lits: Vec::new(),
            others: Lit::FALSE,
            undisturbed: Lit::FALSE,
            exits: Vec::new(),
            exit: Lit::FALSE,
            deadlock: Lit::FALSE,
            rounds_left_out: Lit::FALSE,
            races: Vec::new(),
            woken: None,
            pairs: Vec::new(),
            refused: None,
            input_lits: Vec::new(),
            end_lits: Vec::new(),
            sources: 0,
            has_proof,
        };
        encoding.refuse_misused_conditions();
        encoding.require(terms);
        encoding.counters = match asked.prunes {
            true => Counter::all(graph, terms),
            false => graph.atoms.iter().map(|_| None).collect(),
        };
        encoding.write(terms);
        encoding.read(terms, asked, interrupted)?;
        if graph.waiters.iter().any(|waiter| !waiter.since.is_empty()) {
            encoding.rounds_left_out = encoding.formula.fresh();
        }
        encoding.wake(terms, asked);
        encoding.ask(terms, asked);
        if asked.deadlocks {
            encoding.deadlock = encoding.deadlock_of(terms, end);
        }
        if asked.races {
            encoding.ask_for_races(terms, interrupted)?;
        }
        encoding.prepare_model(terms);
        Some(encoding)
    }

    /// To destroy a condition variable on which a thread waits, or to wait for it with another mutex
    /// than another thread does, is a fault that is not encoded.
    fn refuse_misused_conditions(&mut self) {
        let waiters = &self.graph.waiters;
        for (at, a) in waiters.iter().enumerate() {
            for b in &waiters[at + 1..] {
                let same = a.condition == b.condition && a.mutex != b.mutex;
                let comes_later = |a: &Waiter, b: &Waiter| {
                    let (over, begins) = (self.events[a.wake], self.events[b.begin]);
                    self.formula.is_before(over, begins)
                };
                if same && !comes_later(a, b) && !comes_later(b, a) {
                    let loc = self.graph.events[a.begin].loc;
                    let why = "waits for one condition variable with several mutexes";
                    self.refused.get_or_insert((loc, why));
                }
            }
        }
        for (condition, event) in &self.graph.destroys {
            let waiters = self
                .graph
                .waiters
                .iter()
                .filter(|w| w.condition == *condition);
            for waiter in waiters {
                let (wake, destroy) = (self.events[waiter.wake], self.events[*event]);
                let begin = self.events[waiter.begin];
                if !self.formula.is_before(wake, destroy) && !self.formula.is_before(destroy, begin)
                {
                    let loc = self.graph.events[*event].loc;
                    let why = "a condition variable that is destroyed while threads may wait";
                    self.refused.get_or_insert((loc, why));
                }
            }
        }
    }

    /// Of the threads that come to a barrier, one is the last.
    fn say_who_is_last(&mut self, terms: &mut Terms, needed: &Needed) {
        for phase in &self.graph.phases {
            for (arrival, is_last) in &phase.arrivals {
                if !needed.contains(terms, *is_last) {
                    continue;
                }
                let others = phase.arrivals.iter().filter(|(other, _)| other != arrival);
                let before: Vec<Lit> = others
                    .map(|(other, _)| {
                        let (a, b) = (self.events[*other], self.events[*arrival]);
                        self.formula.before(a, b)
                    })
                    .collect();
                let before = self.formula.and_all(&before);
                let is_last = self.formula.literal(terms, *is_last);
                self.formula.clause(&[!is_last, before]);
                self.formula.clause(&[is_last, !before]);
            }
        }
    }

    fn require(&mut self, terms: &mut Terms) {
        for required in &self.graph.required {
            let lit = self.formula.literal(terms, *required);
            self.formula.clause(&[lit]);
        }
    }

    fn write(&mut self, terms: &mut Terms) {
        let yes = terms.bool(true);
        for (atom, a) in self.graph.atoms.enumerate() {
            let initial = Writer {
                event: None,
                node: self.start,
                lit: Lit::TRUE,
                cond: yes,
                value: a.initial,
            };
            if self.counters[atom.index()].is_none() {
                self.formula.writes(Lit::TRUE, self.start, self.atoms[atom]);
            }
            self.writers.push(vec![initial]);
        }
        for (event, e) in self.graph.events.enumerate() {
            // An event that ends in several places writes what the one it comes to says.
            let mut values: FxHashMap<AtomIx, (TermId, TermId)> = FxHashMap::default();
            let mut order = Vec::new();
            for write in &e.writes {
                match values.get_mut(&write.atom) {
                    None => {
                        values.insert(write.atom, (write.cond, write.value));
                        order.push(write.atom);
                    }
                    Some((cond, value)) => {
                        *value = terms.ite(write.cond, write.value, *value);
                        *cond = terms.or(*cond, write.cond);
                    }
                }
            }
            for atom in order {
                let (cond, value) = values[&atom];
                let lit = self.formula.literal(terms, cond);
                let lit = self.formula.and(lit, self.executed[event]);
                if lit == Lit::FALSE {
                    continue;
                }
                if self.counters[atom.index()].is_none() {
                    self.formula
                        .writes(lit, self.events[event], self.atoms[atom]);
                }
                self.writers[atom].push(Writer {
                    event: Some(event),
                    node: self.events[event],
                    lit,
                    cond,
                    value,
                });
            }
        }
    }

    /// `None`: it was interrupted.
    fn read(
        &mut self,
        terms: &mut Terms,
        asked: &Asked,
        interrupted: &dyn Fn() -> bool,
    ) -> Option<()> {
        let mut implied = Implied::of(self.graph);
        let needed = Needed::of(self.graph, terms);
        self.say_who_is_last(terms, &needed);
        for (event, e) in self.graph.events.enumerate() {
            if interrupted() {
                return None;
            }
            for read in &e.reads {
                if asked.prunes && !needed.contains(terms, read.symbol) {
                    continue;
                }
                let cond = self.formula.literal(terms, read.cond);
                let reads = self.formula.and(cond, self.executed[event]);
                if reads == Lit::FALSE {
                    continue;
                }
                let allowed = asked.prunes.then_some(e.enabled).flatten();
                let node = self.events[event];
                let certain = implied.by(terms, e.executed);
                let read_of = (read.atom, read.symbol, allowed);
                self.read_from(terms, reads, (node, Some(event)), read_of, certain);
            }
        }
        Some(())
    }

    /// While `reads`, the event reads the atom from some write, and finds `symbol`.
    fn read_from(
        &mut self,
        terms: &mut Terms,
        reads: Lit,
        (node, event): (EventId, Option<EventIx>),
        (atom, symbol, allowed): (AtomIx, TermId, Option<TermId>),
        certain: &FxHashSet<TermId>,
    ) {
        if self.counters[atom.index()].is_some() {
            return self.read_sum(terms, reads, event, (atom, symbol), certain);
        }
        let writers = self.candidates(terms, node, event, atom, (symbol, allowed), certain);
        let found = self.formula.bits(terms, symbol);
        let mut some = vec![!reads];
        let only = writers.len() == 1;
        for writer in &writers {
            let from = match only {
                true => reads,
                false => self.formula.fresh(),
            };
            self.sources += 1;
            some.push(from);
            if !only {
                self.formula.clause(&[!from, reads]);
            }
            self.formula.clause(&[!from, writer.lit]);
            self.formula
                .reads_from(from, writer.node, node, self.atoms[atom]);
            let value = self.formula.bits(terms, writer.value);
            for (a, b) in found.iter().zip(value) {
                self.formula.clause(&[!from, !*a, b]);
                self.formula.clause(&[!from, *a, !b]);
            }
        }
        self.formula.clause(&some);
    }

    fn ask(&mut self, terms: &mut Terms, asked: &Asked) {
        let (mut faults, mut others) = (Vec::new(), Vec::new());
        for fault in &self.graph.faults {
            let cond = self.with_settled(terms, fault.cond);
            let lit = self.formula.literal(terms, cond);
            self.fault_lits.push(lit);
            match asked.faults.contains(&fault.kind) {
                true => faults.push(lit),
                false => others.push(lit),
            }
        }
        for exit in &self.graph.exits {
            let cond = self.with_settled(terms, exit.cond);
            let lit = self.formula.literal(terms, cond);
            self.exits.push(lit);
        }
        let exits = self.exits.clone();
        self.order_faults(asked);
        self.faults = self.some_of(&faults);
        self.others = self.some_of(&others);
        self.exit = self.some_of(&exits);
    }

    /// Says of faults that are not asked for when they come before others.
    fn order_faults(&mut self, asked: &Asked) {
        let (wanted, others): (Vec<usize>, Vec<usize>) = (0..self.graph.faults.len())
            .partition(|fault| asked.faults.contains(&self.graph.faults[*fault].kind));
        if others.is_empty() || wanted.len() * others.len() > MOST_PAIRS_OF_FAULTS {
            return;
        }
        self.undisturbed = self.formula.fresh();
        // What a thread does between two events it does at once.
        let last_event = |fault: usize| {
            let fault = &self.graph.faults[fault];
            let thread = self
                .graph
                .threads
                .iter()
                .find(|t| t.thread == fault.thread)?;
            thread.events.get(fault.after.checked_sub(1)?).copied()
        };
        for fault in wanted {
            for other in &others {
                let (f, o) = (self.fault_lits[fault], self.fault_lits[*other]);
                let mut clause = vec![!self.undisturbed, !f, !o];
                let threads = [fault, *other]
                    .map(|fault| (self.graph.faults[fault].thread, last_event(fault)));
                match threads {
                    [(a, _), (b, _)] if a == b && fault < *other => continue,
                    [(a, Some(x)), (b, Some(y))] if a != b => {
                        clause.push(self.formula.before(self.events[x], self.events[y]));
                    }
                    _ => {}
                }
                self.formula.clause(&clause);
            }
        }
    }

    /// Whether it can be asked for a fault before which nothing else goes wrong.
    pub fn knows_disturbances(&self) -> bool {
        self.undisturbed != Lit::FALSE
    }

    /// A literal that implies one of these.
    fn some_of(&mut self, lits: &[Lit]) -> Lit {
        if lits.iter().all(|lit| *lit == Lit::FALSE) {
            return Lit::FALSE;
        }
        let some = self.formula.fresh();
        let mut clause = vec![!some];
        clause.extend(lits.iter().copied().filter(|lit| *lit != Lit::FALSE));
        self.formula.clause(&clause);
        some
    }

    /// Whether the question has an answer; `None`: time is up.
    pub fn solve(
        &mut self,
        question: Question,
        until: Option<Instant>,
        interrupt: &Arc<AtomicBool>,
    ) -> Option<bool> {
        let lit = match question {
            Question::Fault | Question::FirstFault => self.faults,
            Question::OtherFault => self.others,
            Question::Exit => self.exit,
            Question::Deadlock { .. } => self.deadlock,
            Question::Race(pair) => self.races[pair],
            Question::Condition(lit) => lit,
        };
        // A proof has all questions in it.
        if lit == Lit::FALSE && !self.has_proof {
            return Some(false);
        }
        let timeout = until.map_or(Duration::MAX, |until| {
            until.saturating_duration_since(Instant::now())
        });
        match question {
            Question::FirstFault => {
                self.formula
                    .solve(&[lit, self.undisturbed], timeout, interrupt)
            }
            Question::Deadlock { perhaps: false } if self.rounds_left_out != Lit::FALSE => {
                let without = !self.rounds_left_out;
                self.formula.solve(&[lit, without], timeout, interrupt)
            }
            _ => self.formula.solve(&[lit], timeout, interrupt),
        }
    }

    /// Whether rounds are left out in which threads may be woken.
    pub fn leaves_out_waits(&self) -> bool {
        self.rounds_left_out != Lit::FALSE
    }

    /// The question whether the condition holds in some execution, of what a thread knows.
    pub fn condition(&mut self, terms: &mut Terms, condition: TermId) -> Question {
        Question::Condition(self.formula.literal(terms, condition))
    }

    /// From now on this exit is not taken: others are looked for.
    pub fn leave_out_exit(&mut self, exit: usize) {
        // The question only implies that one is taken, so that the rest of the formula is as it was.
        let lit = self.exits[exit];
        self.formula.clause(&[!self.exit, !lit]);
    }

    /// After a question for faults was answered by yes: which of them happen.
    pub fn failing(&mut self) -> Vec<usize> {
        let lits = self.fault_lits.clone().into_iter().enumerate();
        lits.filter(|(_, lit)| self.formula.value(*lit))
            .map(|(fault, _)| fault)
            .collect()
    }

    /// All has been asked: the proof gets its last line.
    pub fn complete_proof(&mut self) {
        self.formula.complete_proof();
    }

    /// The first failure to write the proof, which is then worthless.
    pub fn take_proof_failure(&mut self) -> Option<std::io::Error> {
        self.formula.take_proof_failure()
    }

    pub fn stats(&self) -> OrderStats {
        self.formula.stats()
    }
}
