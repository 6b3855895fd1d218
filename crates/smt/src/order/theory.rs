//! The order as a graph inside the SAT solver: a decision procedure for partial assignments.
//!
//! After He, Sun, Fan, "Satisfiability modulo ordering consistency theory for multi-threaded program
//! verification" (PLDI 2021). The graph has an edge for each true pair literal, from the source to the
//! reader of each true read, and from-read edges:
//!
//! > r reads X from w, w' writes X, w before w'  =>  r before w'
//!
//! An assignment is consistent if the graph has no cycle; then every linear extension of it is an order
//! that the literals describe, because the literal of each pair of writes is decided (`Facts`). A cycle
//! becomes a clause. Unlike the paper, which propagates only what closes a cycle of one missing edge
//! found by a two-way search, the reachability of `graph` is kept whole, and every literal that it
//! decides is propagated:
//!
//! > a reaches b                                                 =>  before(a, b)
//! > r reaches w                                                 =>  not (r reads from w)
//! > r reads X from w, w' writes X, w' reaches r                 =>  before(w', w)
//! > w reaches w' and w' reaches r                               =>  not both (r reads X from w) and
//! >                                                                 (w' writes X)
//!
//! Clauses for propagations are made when the solver asks.
//!
//! Invariant: everything but the trail itself is a function of the prefix of the trail that has been
//! processed. So backtracking is exact: it undoes processed literals one by one.

use super::facts::{Code, Fact, Facts, Index, Precedence, places};
use super::fixed::FixedOrder;
use super::graph::{Gain, ReachMark};
use super::walk::{Edges, Lemma, Why};
use super::{EventId, Read};
use crate::backend::bits::gates::Lit;

pub struct Theory {
    pub facts: Facts,
    index: Index,
    /// An event that is before itself by the fixed order: nothing is satisfiable.
    contradiction: Option<EventId>,
    is_proved: bool,
    edges: Edges,
    /// By code: the truth of what is on the trail, and of what of it has been processed.
    assigned: Vec<Truth>,
    truth: Vec<Truth>,
    trail: Vec<Code>,
    levels: Vec<Level>,
    /// The state before each processed literal of the trail.
    marks: Vec<Mark>,
    queue: Vec<Propagation>,
    /// By code: one more than its place in the queue.
    queued: Vec<u32>,
    delivered: usize,
    conflict: Option<Clause>,
    gains: Vec<Gain>,
    decisions: Decisions,
}

/// Where a decision level starts.
#[derive(Clone, Copy)]
struct Level {
    trail: usize,
    /// All literals of `Index::decisions` before this one have a value.
    decided: usize,
}

/// Whose turn it is to decide. An order decided from its first pair to its last, before any value, is
/// found without search if there is nothing to search: values first took 330000 conflicts where the
/// order first took 4 (the total 40 of 4 threads with 10 increments each). To refute, the literals that
/// conflicts are about have to come first, which the solver knows. So they take turns, of growing
/// length.
struct Decisions {
    decided: usize,
    is_turn: bool,
    /// Backtracks left in this turn, and in the next one.
    left: u64,
    next: u64,
}

/// A question that is easy for either is answered in its first turn.
const FIRST_TURN: u64 = 1000;

impl Decisions {
    fn new() -> Decisions {
        Decisions {
            decided: 0,
            is_turn: true,
            left: FIRST_TURN,
            next: FIRST_TURN,
        }
    }

    fn count_backtrack(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.is_turn = !self.is_turn;
            self.left = self.next;
            if self.is_turn {
                self.left = self.next * 2;
                self.next = self.left;
            }
        }
    }
}

/// A valid clause, and its walk if a proof is wanted.
pub type Clause = (Vec<i32>, Option<String>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    Open,
    True,
    False,
}

#[derive(Clone, Copy)]
struct Mark {
    edges: usize,
    reach: ReachMark,
    queue: usize,
}

struct Propagation {
    code: Code,
    reason: Reason,
    /// The number of edges when it was found.
    edges: usize,
}

/// Why a literal follows.
#[derive(Clone, Copy)]
enum Reason {
    /// The first event reaches the second.
    Path(EventId, EventId),
    /// The reader reaches the source.
    ReadsLater(u32),
    /// The writer is between source and reader.
    Between { read: u32, write: u32 },
    /// The writer reaches the reader, and so is before the source.
    Overwritten { read: u32, write: u32 },
}

/// The clause that refutes what was processed is in `Theory::conflict`.
struct Conflict;

impl Theory {
    pub fn new(is_proved: bool) -> Theory {
        let facts = Facts::default();
        let index = Index::new(&facts, &FixedOrder::default());
        let mut theory = Theory {
            facts,
            index,
            contradiction: None,
            is_proved,
            edges: Edges::default(),
            assigned: Vec::new(),
            truth: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            marks: Vec::new(),
            queue: Vec::new(),
            queued: Vec::new(),
            delivered: 0,
            conflict: None,
            gains: Vec::new(),
            decisions: Decisions::new(),
        };
        theory.rebuild(&FixedOrder::default());
        theory
    }

    /// Takes up the facts that were added. The trail stays and is processed anew.
    pub fn rebuild(&mut self, fixed: &FixedOrder) {
        let mut lits: Vec<Lit> = self
            .trail
            .iter()
            .map(|&code| self.index.lit(code))
            .collect();
        let events = (0..fixed.events()).map(EventId::from);
        self.contradiction = events
            .into_iter()
            .find(|&event| fixed.is_before(event, event));
        if self.contradiction.is_some() {
            return;
        }
        self.index = Index::new(&self.facts, fixed);
        self.edges = Edges::new(fixed.events());
        let codes = self.index.variables.len() * 2;
        self.assigned = vec![Truth::Open; codes];
        self.truth = vec![Truth::Open; codes];
        self.queued = vec![0; codes];
        self.queue.clear();
        self.delivered = 0;
        self.marks.clear();
        self.conflict = None;
        self.trail.clear();
        for level in &mut self.levels {
            level.decided = 0;
        }
        self.decisions.decided = 0;
        // Levels keep their lengths: literals of the theory stay literals of the theory.
        if lits.is_empty() {
            lits.push(Lit::TRUE);
        }
        for lit in lits {
            let code = self.index.code(lit).expect("a literal of the theory");
            self.put_on_trail(code);
        }
    }

    /// The variables that the SAT solver has to report.
    pub fn variables(&self) -> &[i32] {
        &self.index.variables
    }

    pub fn assign(&mut self, lits: &[i32]) {
        for &lit in lits {
            let code = self.index.code(Lit::from_dimacs(lit));
            let code = code.expect("a literal of the theory");
            // Level 0 is reported again and again.
            if self.assigned[code.index()] == Truth::Open {
                self.put_on_trail(code);
            }
        }
    }

    fn put_on_trail(&mut self, code: Code) {
        self.assigned[code.index()] = Truth::True;
        self.assigned[code.negated().index()] = Truth::False;
        self.trail.push(code);
    }

    pub fn new_level(&mut self) {
        self.levels.push(Level {
            trail: self.trail.len(),
            decided: self.decisions.decided,
        });
    }

    /// A new question: both ways of deciding have their turns anew.
    pub fn restart_decisions(&mut self) {
        let decided = self.decisions.decided;
        self.decisions = Decisions {
            decided,
            ..Decisions::new()
        };
    }

    /// The next literal to decide, in the theory's turn.
    pub fn decide(&mut self) -> Option<i32> {
        if !self.decisions.is_turn {
            return None;
        }
        while let Some(&code) = self.index.decisions.get(self.decisions.decided) {
            if self.assigned[code.index()] == Truth::Open {
                return Some(self.index.lit(code).dimacs());
            }
            self.decisions.decided += 1;
        }
        None
    }

    pub fn backtrack(&mut self, level: usize) {
        let Level {
            trail: len,
            decided,
        } = self.levels[level];
        self.levels.truncate(level);
        self.decisions.decided = decided;
        self.decisions.count_backtrack();
        self.undo_to(len);
        for code in self.trail.drain(len..) {
            self.assigned[code.index()] = Truth::Open;
            self.assigned[code.negated().index()] = Truth::Open;
        }
        // If it still holds, it is found again.
        self.conflict = None;
    }

    fn undo_to(&mut self, len: usize) {
        while self.marks.len() > len {
            let mark = self.marks.pop().expect("longer");
            let code = self.trail[self.marks.len()];
            self.truth[code.index()] = Truth::Open;
            self.truth[code.negated().index()] = Truth::Open;
            self.edges.truncate(mark.edges);
            self.index.reach.undo_to(mark.reach);
            for propagation in self.queue.drain(mark.queue..) {
                self.queued[propagation.code.index()] = 0;
            }
        }
        self.delivered = self.delivered.min(self.queue.len());
    }

    /// The next literal that follows; `None` too if there is a conflict.
    pub fn next_propagation(&mut self) -> Option<i32> {
        if !self.process() {
            return None;
        }
        while let Some(propagation) = self.queue.get(self.delivered) {
            self.delivered += 1;
            if self.assigned[propagation.code.index()] != Truth::True {
                return Some(self.index.lit(propagation.code).dimacs());
            }
        }
        None
    }

    /// The clause that is violated.
    pub fn take_conflict(&mut self) -> Option<Clause> {
        self.process();
        self.conflict.take()
    }

    /// An order of all events that agrees with the assignment, which is complete and consistent.
    pub fn linear(&self) -> Vec<EventId> {
        self.index.reach.linear()
    }

    /// Whether the literals assigned so far are consistent.
    pub fn process(&mut self) -> bool {
        if let (Some(event), None) = (self.contradiction, &self.conflict) {
            let mut lemma = Lemma::new(&self.facts, &self.index, self.is_proved);
            lemma.always(event, event);
            self.conflict = Some(lemma.finish());
        }
        while self.conflict.is_none() && self.marks.len() < self.trail.len() {
            let at = self.marks.len();
            let code = self.trail[at];
            self.marks.push(Mark {
                edges: self.edges.len(),
                reach: self.index.reach.mark(),
                queue: self.queue.len(),
            });
            self.truth[code.index()] = Truth::True;
            self.truth[code.negated().index()] = Truth::False;
            if at == 0 {
                self.propagate_fixed();
            }
            if self.process_facts(code).is_err() {
                self.undo_to(at);
            }
        }
        self.conflict.is_none()
    }

    /// Reads that the fixed order excludes.
    fn propagate_fixed(&mut self) {
        for at in 0..self.facts.reads.len() {
            let Read { source, reader, .. } = self.facts.reads[at];
            if source == reader || self.index.reach.is_fixed(reader, source) {
                self.propagate(
                    self.index.reads[at].negated(),
                    Reason::ReadsLater(at as u32),
                );
            }
        }
    }

    fn process_facts(&mut self, code: Code) -> Result<(), Conflict> {
        for at in 0..self.index.facts[code.index()].len() {
            match self.index.facts[code.index()][at] {
                Fact::Before(a, b) => self.process_before(code, a, b)?,
                Fact::Reads(read) => self.process_read(read)?,
                Fact::Writes(write) => self.process_write(write)?,
            }
        }
        Ok(())
    }

    fn process_before(&mut self, code: Code, a: EventId, b: EventId) -> Result<(), Conflict> {
        self.add_edge(a, b, Why::Pair(code))?;
        // What reads from `a` is before what `b` overwrites.
        for at in 0..self.index.events[b.index()].writes.len() {
            let write = self.index.events[b.index()].writes[at];
            if !self.is_write(write) {
                continue;
            }
            let atom = self.facts.writes[write as usize].atom;
            for reader in 0..self.index.events[a.index()].readers.len() {
                let (_, read) = self.index.events[a.index()].readers[reader];
                let fact = self.facts.reads[read as usize];
                if fact.atom == atom && fact.reader != b && self.is_read(read) {
                    self.add_from_read(read, write, Some(code))?;
                }
            }
        }
        Ok(())
    }

    fn process_read(&mut self, read: u32) -> Result<(), Conflict> {
        let Read {
            source,
            reader,
            atom,
            ..
        } = self.facts.reads[read as usize];
        self.add_edge(source, reader, Why::Reads(read))?;
        for at in 0..self.index.atoms[atom.index()].writes.len() {
            let write = self.index.atoms[atom.index()].writes[at];
            self.relate(read, write)?;
        }
        Ok(())
    }

    fn process_write(&mut self, write: u32) -> Result<(), Conflict> {
        let atom = self.facts.writes[write as usize].atom;
        for at in 0..self.index.atoms[atom.index()].reads.len() {
            let read = self.index.atoms[atom.index()].reads[at];
            self.relate(read, write)?;
        }
        Ok(())
    }

    /// All rules for a read and a write of its atom, one of which has just become true.
    fn relate(&mut self, read: u32, write: u32) -> Result<(), Conflict> {
        let Read { source, reader, .. } = self.facts.reads[read as usize];
        let writer = self.facts.writes[write as usize].event;
        if writer == source || writer == reader {
            return Ok(());
        }
        if self.is_read(read) && self.is_write(write) {
            match self.index.precedence(source, writer) {
                Precedence::Always => return self.add_from_read(read, write, None),
                Precedence::While(code) if self.truth[code.index()] == Truth::True => {
                    return self.add_from_read(read, write, Some(code));
                }
                _ => {}
            }
            if self.index.reach.reaches(writer, reader) {
                self.propagate_overwritten(read, write);
            }
        } else {
            self.propagate_between(read, write);
        }
        Ok(())
    }

    /// Source before writer, hence reader before writer.
    fn add_from_read(
        &mut self,
        read: u32,
        write: u32,
        order: Option<Code>,
    ) -> Result<(), Conflict> {
        let reader = self.facts.reads[read as usize].reader;
        let writer = self.facts.writes[write as usize].event;
        if self.index.reach.reaches(reader, writer) {
            return Ok(());
        }
        self.add_edge(reader, writer, Why::FromRead { read, write, order })
    }

    fn add_edge(&mut self, from: EventId, to: EventId, why: Why) -> Result<(), Conflict> {
        if self.index.reach.reaches(to, from) {
            let mut lemma = Lemma::new(&self.facts, &self.index, self.is_proved);
            lemma.step(from, to, why);
            self.edges.add_path(to, from, self.edges.len(), &mut lemma);
            self.conflict = Some(lemma.finish());
            return Err(Conflict);
        }
        self.edges.push(from, to, why);
        if !self.index.reach.reaches(from, to) {
            let mut gains = std::mem::take(&mut self.gains);
            self.index.reach.add(from, to, &mut gains);
            for gain in gains.drain(..) {
                self.process_gain(gain);
            }
            self.gains = gains;
        }
        Ok(())
    }

    /// Propagates what follows because a part of a chain is now before an event.
    fn process_gain(&mut self, gain: Gain) {
        let event = gain.event;
        let index = &self.index;
        let mut found: Vec<(Code, Reason)> = Vec::new();
        let of_event = &index.events[event.index()];
        for &(place, code) in &of_event.pairs[places(&of_event.pairs, gain)] {
            if self.truth[code.index()] != Truth::True {
                let before = index.reach.chains()[place.chain as usize][place.position as usize];
                found.push((code, Reason::Path(before, event)));
            }
        }
        for &(_, read) in &of_event.readers[places(&of_event.readers, gain)] {
            let code = index.reads[read as usize].negated();
            if self.truth[code.index()] != Truth::True {
                found.push((code, Reason::ReadsLater(read)));
            }
        }
        for (code, reason) in found {
            self.propagate(code, reason);
        }
        // Writers that are now before this event, a reader.
        for group in 0..self.index.events[event.index()].reads.len() {
            let atom = self.index.events[event.index()].reads[group].0;
            let range = places(&self.index.atoms[atom.index()].writes_by_place, gain);
            for at in range {
                let (_, write) = self.index.atoms[atom.index()].writes_by_place[at];
                for read in 0..self.index.events[event.index()].reads[group].1.len() {
                    let read = self.index.events[event.index()].reads[group].1[read];
                    let writer = self.facts.writes[write as usize].event;
                    if writer == event || writer == self.facts.reads[read as usize].source {
                        continue;
                    }
                    if self.is_read(read) && self.is_write(write) {
                        self.propagate_overwritten(read, write);
                    } else {
                        self.propagate_between(read, write);
                    }
                }
            }
        }
        // Sources that are now before this event, a writer.
        for write in 0..self.index.events[event.index()].writes.len() {
            let write = self.index.events[event.index()].writes[write];
            let atom = self.facts.writes[write as usize].atom;
            let range = places(&self.index.atoms[atom.index()].reads_by_source, gain);
            for at in range {
                let (_, read) = self.index.atoms[atom.index()].reads_by_source[at];
                if self.facts.reads[read as usize].reader != event {
                    self.propagate_between(read, write);
                }
            }
        }
    }

    /// The writer reaches the reader: it is before the source.
    fn propagate_overwritten(&mut self, read: u32, write: u32) {
        let source = self.facts.reads[read as usize].source;
        let writer = self.facts.writes[write as usize].event;
        if let Precedence::While(code) = self.index.precedence(writer, source) {
            self.propagate(code, Reason::Overwritten { read, write });
        }
    }

    /// If the writer is between source and reader and either the read or the write is certain, the
    /// other is excluded.
    fn propagate_between(&mut self, read: u32, write: u32) {
        let excluded = match (self.is_read(read), self.is_write(write)) {
            (true, false) => self.index.writes[write as usize].negated(),
            (false, true) => self.index.reads[read as usize].negated(),
            _ => return,
        };
        if self.truth[excluded.index()] == Truth::True {
            return;
        }
        let Read { source, reader, .. } = self.facts.reads[read as usize];
        let writer = self.facts.writes[write as usize].event;
        if self.index.reach.reaches(source, writer) && self.index.reach.reaches(writer, reader) {
            self.propagate(excluded, Reason::Between { read, write });
        }
    }

    fn propagate(&mut self, code: Code, reason: Reason) {
        if self.truth[code.index()] == Truth::True || self.queued[code.index()] != 0 {
            return;
        }
        self.queue.push(Propagation {
            code,
            reason,
            edges: self.edges.len(),
        });
        self.queued[code.index()] = self.queue.len() as u32;
    }

    /// The clause that made a literal follow, which contains the literal.
    pub fn explain(&mut self, lit: i32) -> Clause {
        let code = self.index.code(Lit::from_dimacs(lit));
        let code = code.expect("a literal of the theory");
        let place = self.queued[code.index()];
        assert_ne!(place, 0, "the theory made {lit} follow");
        let Propagation {
            reason,
            edges: limit,
            ..
        } = self.queue[place as usize - 1];
        let mut lemma = Lemma::new(&self.facts, &self.index, self.is_proved);
        match reason {
            Reason::Path(a, b) => {
                self.edges.add_path(a, b, limit, &mut lemma);
                lemma.pair(code.negated(), b, a);
            }
            Reason::ReadsLater(read) => {
                let Read { source, reader, .. } = self.facts.reads[read as usize];
                self.edges.add_path(reader, source, limit, &mut lemma);
                lemma.step(source, reader, Why::Reads(read));
            }
            Reason::Between { read, write } => {
                let Read { source, reader, .. } = self.facts.reads[read as usize];
                let writer = self.facts.writes[write as usize].event;
                lemma.open_from_read(read, write);
                self.edges.add_path(source, writer, limit, &mut lemma);
                lemma.close_from_read();
                self.edges.add_path(writer, reader, limit, &mut lemma);
            }
            Reason::Overwritten { read, write } => {
                let Read { source, reader, .. } = self.facts.reads[read as usize];
                let writer = self.facts.writes[write as usize].event;
                lemma.open_from_read(read, write);
                lemma.pair(code.negated(), source, writer);
                lemma.close_from_read();
                self.edges.add_path(writer, reader, limit, &mut lemma);
            }
        }
        lemma.finish()
    }

    fn is_read(&self, read: u32) -> bool {
        self.truth[self.index.reads[read as usize].index()] == Truth::True
    }

    fn is_write(&self, write: u32) -> bool {
        self.truth[self.index.writes[write as usize].index()] == Truth::True
    }
}
