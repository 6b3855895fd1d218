//! Paths: what is known of a thread where it stands. Paths that meet are merged: what differs
//! becomes a choice between the values, by the condition under which the thread came the one way.

use std::rc::Rc;

use imbl::{OrdMap, OrdSet};
use ir::{BlockId, FuncId};
use rustc_hash::FxHashMap;
use smt::{BinOp, Node, TermId, Terms};

use crate::graph::{AtomIx, EventIx};
use crate::knowledge::ThreadIx;
use crate::memory::{self, Contents, Objects};
use crate::unroll::{Began, Open};

/// A register that holds nothing yet.
pub const UNSET: TermId = TermId(0);

#[derive(Clone)]
pub struct Path {
    /// The thread comes here.
    pub guard: TermId,
    pub frames: Vec<Frame>,
    pub contents: Contents,
    /// Objects that may have ended, and whether they have.
    pub ended: OrdMap<u64, TermId>,
    /// By thread: how many of its segments are over.
    pub clock: Rc<FxHashMap<ThreadIx, u32>>,
    /// The segment of the thread itself.
    pub segment: u32,
    /// The event that is being made.
    pub section: Option<Section>,
    /// Critical sections that the thread is in, by mutex.
    pub sections: OrdMap<u64, Open>,
    /// How many atomic sections the thread is in.
    pub atomic: u32,
    /// Mutexes that the thread certainly holds.
    pub held: OrdSet<u64>,
    /// Mutexes that it may hold.
    pub may_hold: OrdSet<u64>,
    /// The mutex that the thread has just taken, and the event: it has made no other since.
    pub fresh: Option<(u64, EventIx)>,
    /// By barrier: how often the thread has waited there, at least and at most.
    pub waits: OrdMap<u64, (u32, u32)>,
    /// Inputs that the thread has asked for.
    pub inputs: u32,
    pub uses_thread_locals: bool,
    /// What it has as a whole, to its end.
    pub thread_locals: Rc<Vec<u64>>,
    pub stage: Stage,
    /// So many functions the thread has begun with nothing below them.
    pub begun: u32,
    /// What the thread's function returned.
    pub result: TermId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Constructors, before `main`.
    Begin,
    Body,
    /// What the library does at the end of a thread.
    End,
}

#[derive(Clone)]
pub struct Frame {
    pub function: FuncId,
    pub block: BlockId,
    pub inst: u32,
    /// The event that is being made of an instruction that makes several, counted as its location
    /// says it: 0 is the first.
    pub part: u32,
    /// Of the loops around the block, outermost first.
    pub rounds: Vec<u32>,
    pub heads: Vec<Head>,
    pub registers: Rc<Vec<TermId>>,
    /// The key up to this frame.
    pub prefix: Rc<[u32]>,
    /// Its locals that have addresses.
    pub locals: Rc<Vec<u64>>,
    /// Where its variable arguments lie.
    pub variable_arguments: Option<u64>,
    pub is_atomic: bool,
}

/// The beginning of the present round of a loop.
#[derive(Clone)]
pub struct Head {
    pub parameters: Rc<[TermId]>,
    pub contents: Contents,
    /// Something was done since that others can notice.
    pub acted: TermId,
    /// Events that only read, since.
    pub reads: Rc<Vec<EventIx>>,
    /// Inputs asked for before.
    pub inputs: u32,
    /// Mutexes held at the beginning.
    pub held: OrdSet<u64>,
    /// Mutexes that may be held there.
    pub may_hold: OrdSet<u64>,
    /// The mutex that was just taken at the beginning.
    pub fresh: Option<(u64, EventIx)>,
    /// It has waited since for a condition, with that mutex.
    pub has_waited: bool,
    /// And that no longer than for some time.
    pub has_waited_a_while: bool,
}

/// An event in the making: what it found, and what it leaves.
#[derive(Clone)]
pub struct Section {
    pub event: EventIx,
    /// So many faults there were before.
    pub faults_before: usize,
    pub values: OrdMap<AtomIx, Held>,
}

/// An atom that an event has looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub value: TermId,
    /// Whether the event has written it.
    pub written: TermId,
    /// What was there before the event; `UNSET` in an event of one step that does not look.
    pub found: TermId,
}

impl Path {
    /// Of a thread that begins, or of one that never ends.
    pub fn new(guard: TermId, contents: Contents) -> Path {
        Path {
            guard,
            frames: Vec::new(),
            contents,
            ended: OrdMap::new(),
            clock: Rc::default(),
            segment: 0,
            section: None,
            sections: OrdMap::new(),
            atomic: 0,
            held: OrdSet::new(),
            may_hold: OrdSet::new(),
            fresh: None,
            waits: OrdMap::new(),
            inputs: 0,
            uses_thread_locals: false,
            thread_locals: Rc::default(),
            stage: Stage::Body,
            begun: 0,
            result: UNSET,
        }
    }

    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a thread has a frame")
    }

    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread has a frame")
    }

    pub fn register(&self, value: ir::ValueId) -> TermId {
        self.frame().registers[value.index()]
    }

    pub fn set(&mut self, value: ir::ValueId, term: TermId) {
        let registers = Rc::make_mut(&mut self.frame_mut().registers);
        registers[value.index()] = term;
    }

    /// The critical section of a mutex that the thread holds.
    pub fn open_mut(&mut self, mutex: u64) -> &mut Open {
        self.sections
            .get_mut(&mutex)
            .expect("a section that is open")
    }

    /// The thread makes an event within its critical sections.
    pub fn disturb_sections(&mut self) {
        let alone = self.sections.iter().filter(|(_, open)| open.is_alone);
        let alone: Vec<u64> = alone.map(|(mutex, _)| *mutex).collect();
        for mutex in alone {
            self.open_mut(mutex).is_alone = false;
        }
    }

    /// Whether the two are in critical sections of the same mutexes.
    pub fn is_in_like_sections(&self, other: &Path) -> bool {
        self.sections.ptr_eq(&other.sections) || self.sections.keys().eq(other.sections.keys())
    }

    pub fn is_over(&self, thread: ThreadIx, segment: u32) -> bool {
        self.clock.get(&thread).is_some_and(|over| *over > segment)
    }

    /// All loops that the thread is in.
    pub fn heads_mut(&mut self) -> impl Iterator<Item = &mut Head> {
        self.frames.iter_mut().flat_map(|f| f.heads.iter_mut())
    }
}

/// Whether one or the other: a condition on both sides of which they differ goes away.
pub fn either(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    match split(terms, a, b) {
        Some((common, _)) => common,
        None => terms.or(a, b),
    }
}

/// `x and c` beside `x and not c`: `x`, and `c`.
fn split(terms: &mut Terms, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
    let one = terms.bool(true);
    let parts = |terms: &Terms, t: TermId| match *terms.node(t) {
        Node::Bin(BinOp::And, p, q) => [(p, q), (q, p), (one, t), (t, one)],
        _ => [(one, t), (t, one), (one, t), (t, one)],
    };
    let (of_a, of_b) = (parts(terms, a), parts(terms, b));
    for (common, c) in of_a {
        for (other, d) in of_b {
            if common == other && terms.not(c) == d {
                return Some((common, c));
            }
        }
    }
    None
}

/// One path for two that stand at the same location.
pub fn merge(terms: &mut Terms, objects: &Objects, a: Path, b: Path) -> Path {
    let (guard, c) = match split(terms, a.guard, b.guard) {
        Some(parts) => parts,
        None => (terms.or(a.guard, b.guard), a.guard),
    };
    let guards = (a.guard, b.guard);
    let mut merged = a;
    merged.guard = guard;
    let no = terms.bool(false);
    for (frame, other) in merged.frames.iter_mut().zip(&b.frames) {
        if !Rc::ptr_eq(&frame.registers, &other.registers) {
            let registers = Rc::make_mut(&mut frame.registers);
            for (value, other) in registers.iter_mut().zip(other.registers.iter()) {
                *value = choose(terms, c, *value, *other);
            }
        }
        for (head, other) in frame.heads.iter_mut().zip(&other.heads) {
            head.acted = terms.ite(c, head.acted, other.acted);
            head.has_waited |= other.has_waited;
            head.has_waited_a_while |= other.has_waited_a_while;
            if !Rc::ptr_eq(&head.reads, &other.reads) {
                let mut reads: Vec<EventIx> =
                    head.reads.iter().chain(&*other.reads).copied().collect();
                reads.sort_unstable();
                reads.dedup();
                head.reads = Rc::new(reads);
            }
        }
        frame.locals = either_has(&frame.locals, &other.locals);
        if frame.variable_arguments != other.variable_arguments {
            frame.variable_arguments = None;
        }
    }
    for (at, bytes) in memory::changed_cells(terms, objects, &merged.contents, &b.contents) {
        let here = memory::read(terms, objects, &merged.contents, at, bytes);
        let there = memory::read(terms, objects, &b.contents, at, bytes);
        let value = terms.ite(c, here, there);
        memory::write(terms, &mut merged.contents, at, value);
    }
    for (base, ended) in &b.ended {
        let here = merged.ended.get(base).copied().unwrap_or(no);
        let ended = terms.ite(c, here, *ended);
        merged.ended.insert(*base, ended);
    }
    for (base, ended) in merged.ended.clone() {
        if !b.ended.contains_key(&base) {
            let ended = terms.ite(c, ended, no);
            merged.ended.insert(base, ended);
        }
    }
    if !Rc::ptr_eq(&merged.clock, &b.clock) {
        let clock = merged.clock.iter();
        let least = clock.filter_map(|(t, n)| Some((*t, *n.min(b.clock.get(t)?))));
        merged.clock = Rc::new(least.collect());
    }
    merged.segment = merged.segment.max(b.segment);
    merged.section = match (merged.section.take(), b.section) {
        (Some(section), Some(other)) => Some(merge_sections(terms, c, section, &other)),
        (section, _) => section,
    };
    for (mutex, other) in &b.sections {
        if let Some(open) = merged.sections.get_mut(mutex) {
            open.is_alone &= other.is_alone;
            open.began = Began::merge(
                terms,
                (&open.began, guards.0),
                (&other.began, guards.1),
                guard,
            );
            open.values = merge_values(terms, c, &open.values, &other.values);
            open.direct = open.direct.clone().union(other.direct.clone());
        }
    }
    merged.held = merged.held.intersection(b.held);
    merged.may_hold = merged.may_hold.union(b.may_hold);
    if merged.fresh != b.fresh {
        merged.fresh = None;
    }
    merged.waits = merge_waits(&merged.waits, &b.waits);
    merged.inputs = merged.inputs.max(b.inputs);
    merged.thread_locals = either_has(&merged.thread_locals, &b.thread_locals);
    merged.uses_thread_locals |= b.uses_thread_locals;
    merged.result = choose(terms, c, merged.result, b.result);
    merged
}

fn merge_waits(
    a: &OrdMap<u64, (u32, u32)>,
    b: &OrdMap<u64, (u32, u32)>,
) -> OrdMap<u64, (u32, u32)> {
    if a.ptr_eq(b) || a == b {
        return a.clone();
    }
    let barriers = a.keys().chain(b.keys());
    let of = |waits: &OrdMap<u64, (u32, u32)>, at| waits.get(at).copied().unwrap_or_default();
    let both = barriers.map(|at| {
        let ((fewest, most), (fewer, more)) = (of(a, at), of(b, at));
        (*at, (fewest.min(fewer), most.max(more)))
    });
    both.collect()
}

/// The objects of two ways.
fn either_has(a: &Rc<Vec<u64>>, b: &Rc<Vec<u64>>) -> Rc<Vec<u64>> {
    if a == b {
        return Rc::clone(a);
    }
    let mut all: Vec<u64> = a.iter().chain(&**b).copied().collect();
    all.sort_unstable();
    all.dedup();
    Rc::new(all)
}

fn choose(terms: &mut Terms, c: TermId, a: TermId, b: TermId) -> TermId {
    if a == b {
        a
    } else if a == UNSET || b == UNSET {
        // Assigned on one way only, so not read any more.
        UNSET
    } else {
        terms.ite(c, a, b)
    }
}

fn merge_sections(terms: &mut Terms, c: TermId, mut a: Section, b: &Section) -> Section {
    a.values = merge_values(terms, c, &a.values, &b.values);
    a.faults_before = a.faults_before.min(b.faults_before);
    a
}

/// An atom that was written on some ways to here, and looked at on none: on the others it is as the
/// event found it, if that is known now.
fn found_by(terms: &mut Terms, held: Held, found: TermId) -> Held {
    if held.found != UNSET || found == UNSET {
        return held;
    }
    let value = match held.value {
        UNSET => found,
        value => terms.ite(held.written, value, found),
    };
    Held {
        value,
        found,
        ..held
    }
}

/// What only one way has looked at is on the other as the event found it.
fn merge_values(
    terms: &mut Terms,
    c: TermId,
    a: &OrdMap<AtomIx, Held>,
    b: &OrdMap<AtomIx, Held>,
) -> OrdMap<AtomIx, Held> {
    if a.ptr_eq(b) {
        return a.clone();
    }
    let mut merged = a.clone();
    let no = terms.bool(false);
    let untouched = |held: &Held| Held {
        value: held.found,
        written: no,
        found: held.found,
    };
    // The value where it was not written, if what was found is not known, is never used.
    let value_of = |held: &Held, other: &Held| match held.value {
        UNSET => other.value,
        value => value,
    };
    for (atom, either) in a.clone().union(b.clone()) {
        let here = a.get(&atom).copied();
        let there = b.get(&atom).copied();
        if here == there {
            continue;
        }
        let found = match (here, there) {
            (Some(x), Some(y)) if x.found == UNSET => y.found,
            (Some(x), Some(y)) if y.found != UNSET => choose(terms, c, x.found, y.found),
            (Some(x), _) => x.found,
            _ => either.found,
        };
        let whole = Held { found, ..either };
        let here = here.unwrap_or(untouched(&whole));
        let there = there.unwrap_or(untouched(&whole));
        let (here, there) = (found_by(terms, here, found), found_by(terms, there, found));
        let (x, y) = (value_of(&here, &there), value_of(&there, &here));
        let held = Held {
            value: choose(terms, c, x, y),
            written: terms.ite(c, here.written, there.written),
            found,
        };
        merged.insert(atom, held);
    }
    merged
}
