//! What a formula says about the order, and where to find what concerns an event.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::fixed::FixedOrder;
use super::graph::{Gain, Place, Reachability};
use super::{AtomId, EventId, Read, Write};
use crate::backend::bits::gates::Lit;

/// A literal of the theory: twice a number, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code(u32);

impl Code {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn negated(self) -> Code {
        Code(self.0 ^ 1)
    }
}

/// What holds while a literal is true.
#[derive(Clone, Copy)]
pub enum Fact {
    Before(EventId, EventId),
    /// Indices of `Facts::reads` and `Facts::writes`.
    Reads(u32),
    Writes(u32),
}

#[derive(Default)]
pub struct Facts {
    pub reads: Vec<Read>,
    pub writes: Vec<Write>,
    pub pairs: Vec<(EventId, EventId, Lit)>,
}

/// The facts by literal, by event and by atom. Lists that are searched for the events of a part of a
/// chain are sorted by place.
pub struct Index {
    pub reach: Reachability,
    /// By variable: the number that its codes are made of.
    numbers: Vec<u32>,
    /// Variables of the theory, in the order of their numbers.
    pub variables: Vec<i32>,
    pub facts: Vec<Vec<Fact>>,
    pairs: FxHashMap<(EventId, EventId), Code>,
    pub reads: Vec<Code>,
    pub writes: Vec<Code>,
    /// The literals that make an order, the pairs before the reads.
    pub decisions: Vec<Code>,
    pub events: Vec<OfEvent>,
    pub atoms: Vec<OfAtom>,
}

#[derive(Default)]
pub struct OfEvent {
    /// The pair literals that say that another event is before this one.
    pub pairs: Vec<(Place, Code)>,
    /// What this event may read, by atom.
    pub reads: Vec<(AtomId, Vec<u32>)>,
    pub writes: Vec<u32>,
    /// The reads that may read from this event.
    pub readers: Vec<(Place, u32)>,
}

#[derive(Default)]
pub struct OfAtom {
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
    pub reads_by_source: Vec<(Place, u32)>,
    pub writes_by_place: Vec<(Place, u32)>,
}

/// The truth of "before".
#[derive(Clone, Copy)]
pub enum Precedence {
    Always,
    Never,
    While(Code),
}

impl Index {
    pub fn new(facts: &Facts, fixed: &FixedOrder) -> Index {
        let mut index = Index {
            reach: Reachability::new(fixed),
            numbers: Vec::new(),
            variables: Vec::new(),
            facts: Vec::new(),
            pairs: FxHashMap::default(),
            reads: Vec::new(),
            writes: Vec::new(),
            decisions: Vec::new(),
            events: (0..fixed.events()).map(|_| OfEvent::default()).collect(),
            atoms: Vec::new(),
        };
        // The constant is the first literal on the trail.
        index.number(Lit::TRUE);
        for (at, read) in facts.reads.iter().enumerate() {
            index.add_read(at as u32, read);
        }
        for (at, write) in facts.writes.iter().enumerate() {
            index.add_write(at as u32, write);
        }
        for &(a, b, lit) in &facts.pairs {
            index.add_pair(a, b, lit);
        }
        index.decisions.extend_from_slice(&index.reads);
        for event in &mut index.events {
            event.pairs.sort_unstable_by_key(|&(place, _)| place);
            event.readers.sort_unstable();
        }
        for atom in &mut index.atoms {
            atom.reads_by_source.sort_unstable();
            atom.writes_by_place.sort_unstable();
        }
        index
    }

    /// The code of a literal of the theory; `None` for other literals.
    pub fn code(&self, lit: Lit) -> Option<Code> {
        let number = *self.numbers.get(lit.variable())?;
        let negated = u32::from(lit.dimacs() < 0);
        (number != u32::MAX).then_some(Code(number * 2 + negated))
    }

    pub fn lit(&self, code: Code) -> Lit {
        let lit = Lit::from_dimacs(self.variables[code.index() / 2]);
        if code.0 % 2 == 1 { !lit } else { lit }
    }

    pub fn precedence(&self, a: EventId, b: EventId) -> Precedence {
        if self.reach.is_fixed(a, b) {
            Precedence::Always
        } else if let Some(&code) = self.pairs.get(&(a, b)) {
            Precedence::While(code)
        } else {
            debug_assert!(self.reach.is_fixed(b, a), "a pair without a literal");
            Precedence::Never
        }
    }

    fn number(&mut self, lit: Lit) -> Code {
        let variable = lit.variable();
        if self.numbers.len() <= variable {
            self.numbers.resize(variable + 1, u32::MAX);
        }
        if self.numbers[variable] == u32::MAX {
            self.numbers[variable] = self.variables.len() as u32;
            self.variables.push(variable as i32);
            self.facts.extend([Vec::new(), Vec::new()]);
        }
        self.code(lit).expect("just numbered")
    }

    fn atom(&mut self, atom: AtomId) -> &mut OfAtom {
        if self.atoms.len() <= atom.index() {
            self.atoms.resize_with(atom.index() + 1, OfAtom::default);
        }
        &mut self.atoms[atom.index()]
    }

    fn add_read(&mut self, at: u32, read: &Read) {
        let code = self.number(read.lit);
        self.reads.push(code);
        self.facts[code.index()].push(Fact::Reads(at));
        let source = self.reach.place(read.source);
        let reader = self.reach.place(read.reader);
        let of_atom = self.atom(read.atom);
        of_atom.reads.push(at);
        of_atom.reads_by_source.push((source, at));
        self.events[read.source.index()].readers.push((reader, at));
        let groups = &mut self.events[read.reader.index()].reads;
        match groups.iter_mut().find(|(atom, _)| *atom == read.atom) {
            Some((_, group)) => group.push(at),
            None => groups.push((read.atom, vec![at])),
        }
    }

    fn add_write(&mut self, at: u32, write: &Write) {
        let code = self.number(write.lit);
        self.writes.push(code);
        self.facts[code.index()].push(Fact::Writes(at));
        let place = self.reach.place(write.event);
        let of_atom = self.atom(write.atom);
        of_atom.writes.push(at);
        of_atom.writes_by_place.push((place, at));
        self.events[write.event.index()].writes.push(at);
    }

    fn add_pair(&mut self, a: EventId, b: EventId, lit: Lit) {
        let code = self.number(lit);
        let opposite = code.negated();
        self.facts[code.index()].push(Fact::Before(a, b));
        self.facts[opposite.index()].push(Fact::Before(b, a));
        self.decisions.push(code);
        self.pairs.insert((a, b), code);
        self.pairs.insert((b, a), opposite);
        let (place_a, place_b) = (self.reach.place(a), self.reach.place(b));
        self.events[b.index()].pairs.push((place_a, code));
        self.events[a.index()].pairs.push((place_b, opposite));
    }
}

/// Which entries of a sorted list are the events that were gained.
pub fn places<T>(list: &[(Place, T)], gain: Gain) -> Range<usize> {
    let at = |position| {
        let chain = gain.chain;
        list.partition_point(|entry| entry.0 < Place { chain, position })
    };
    if list.is_empty() {
        return 0..0;
    }
    at(gain.from)..at(gain.to)
}
