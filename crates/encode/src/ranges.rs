//! What the reads of shared memory may find, as intervals: found out before anything is solved.
//!
//! A read finds what is there before the start or what some write that may come before it leaves.
//! Two bounds hold for that, and both are used:
//!
//! - The values of these writes, as far as the conditions under which they are made tell
//!   (`if (s > 0) x = s - 1;` leaves no negative number if `s` was none).
//! - Where writes add to what a read of the same atom found (`x = s + d`), the value that is found
//!   came about along a chain: a value that does not depend on the atom, then some of these writes,
//!   each at most once, as the chain only goes back in the order. So it is at most the greatest of
//!   the former and the sum of all positive `d`. (With several threads that is the number of rounds
//!   of a loop, where the first bound grows without end.)
//!
//! Soundness: ranges are *assumed* while threads are unrolled: what cannot be under them is left
//! out. Then they are computed for the graph that came of it, under the same assumption, and if one
//! was too small, unrolling starts over with greater ones. In the end none is: by induction along an
//! execution each read is in its range, for the writes before it are those of the graph. Ranges
//! begin as small as can be, so that the smallest that hold are found.

use base::{CmpOp, Interval};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smt::order::FixedOrder;
use smt::{BinOp, Node, TermId, Terms};

use crate::graph::{EventIx, Graph};
use crate::knowledge::{KeyId, ThreadIx};

/// A read: thread and location of the event, address and size.
pub type ReadKey = (ThreadIx, KeyId, u64, u32);

/// So often a range grows before its end is taken to be anywhere.
const PATIENCE: u32 = 4;
/// So many reads times writes of an atom are looked at one by one.
const MOST_PAIRS: usize = 4_000_000;
/// So many conditions of a guard are looked at, the last ones first.
const MOST_CONDITIONS: usize = 48;
/// Larger terms are bounded without a look at the conditions.
const LARGEST_TERM: u32 = 200;

/// What reads may find, as it is assumed.
#[derive(Default)]
pub struct Ranges {
    of: FxHashMap<ReadKey, Range>,
    /// Nothing is assumed any more: it took too long.
    is_given_up: bool,
}

/// The two bounds.
struct Range {
    values: Interval,
    chains: Interval,
    grown: u32,
}

impl Range {
    fn interval(&self) -> Interval {
        self.values.meet(self.chains)
    }

    /// Whether the range grew.
    fn add(&mut self, values: Interval, chains: Interval) -> bool {
        let before = self.interval();
        let wider = |known: Interval, found: Interval, grown| {
            let joined = known.join(found);
            match grown > PATIENCE {
                true => joined.widened(known),
                false => joined,
            }
        };
        self.values = wider(self.values, values, self.grown);
        self.chains = wider(self.chains, chains, self.grown);
        let grew = self.interval() != before;
        self.grown += u32::from(grew);
        grew
    }
}

impl Ranges {
    /// What the read may find; if nothing is known of it, what is there before the start.
    pub fn of(&mut self, read: ReadKey, initial: Interval) -> Interval {
        if self.is_given_up {
            return Interval::full(initial.width());
        }
        let range = Range {
            values: initial,
            chains: initial,
            grown: 0,
        };
        self.of.entry(read).or_insert(range).interval()
    }

    /// From now on nothing is assumed.
    pub fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// Makes the ranges large enough for the graph; whether one was too small, or there was no time
    /// to find out.
    pub fn grow(&mut self, terms: &Terms, graph: &Graph, interrupted: &dyn Fn() -> bool) -> bool {
        if self.is_given_up {
            return false;
        }
        let mut has_grown = false;
        let atoms = Atom::all(graph);
        let order = graph.fixed_order();
        loop {
            let mut intervals = Intervals::default();
            let reads = graph.events.iter().flat_map(|e| &e.reads);
            let reads = reads.map(|read| (read.symbol, read.key));
            let coarse = graph
                .coarse_reads
                .iter()
                .map(|read| (read.symbol, read.key));
            for (symbol, key) in reads.chain(coarse) {
                intervals.assume(symbol, self.of[&key].interval());
            }
            let mut grows = false;
            for atom in &atoms {
                grows |= self.grow_atom(terms, graph, &order, atom, &mut intervals, interrupted);
            }
            grows |= self.grow_coarse(terms, graph, &mut intervals);
            if !grows {
                return has_grown;
            }
            has_grown = true;
            if interrupted() {
                return true;
            }
        }
    }

    /// A read of a coarse object finds what is written to any place of it.
    fn grow_coarse(&mut self, terms: &Terms, graph: &Graph, intervals: &mut Intervals) -> bool {
        let mut written: FxHashMap<u64, Option<Interval>> = FxHashMap::default();
        for write in &graph.coarse_writes {
            let value = intervals.under(terms, &[write.guard], write.value);
            let all = written.entry(write.base).or_insert(Some(value));
            // Writes of several sizes: anything may be there.
            let same = all.filter(|all| all.width() == value.width());
            *all = same.map(|all| all.join(value));
        }
        let mut grows = false;
        for read in &graph.coarse_reads {
            let width = read.initial.width();
            let found = match written.get(&read.base) {
                None => read.initial,
                Some(Some(all)) if all.width() == width => read.initial.join(*all),
                Some(_) => Interval::full(width),
            };
            let known = self
                .of
                .get_mut(&read.key)
                .expect("a read whose range was asked for");
            grows |= known.add(found, Interval::full(width));
        }
        grows
    }

    fn grow_atom(
        &mut self,
        terms: &Terms,
        graph: &Graph,
        order: &FixedOrder,
        atom: &Atom,
        intervals: &mut Intervals,
        interrupted: &dyn Fn() -> bool,
    ) -> bool {
        let before = |a: EventIx, b: EventIx| order.is_before(Graph::node(a), Graph::node(b));
        let own: FxHashSet<TermId> = atom.reads.iter().map(|(_, symbol, _)| *symbol).collect();
        let mut feeding = FxHashSet::default();
        let mut writes: Vec<Effect> = Vec::new();
        for (event, cond, value) in &atom.writes {
            let executed = graph.events[*event].executed;
            let mut change = Change::default();
            change.add(terms, intervals, &own, &mut feeding, *value);
            writes.push(Effect {
                event: *event,
                value: intervals.under(terms, &[*cond, executed], *value),
                change,
                is_certain: [*cond, executed]
                    .iter()
                    .all(|c| terms.as_constant(*c) == Some(1)),
            });
        }
        // Writes that hide all that comes before them, from chains as well.
        let feeding: Vec<EventIx> = (atom.reads.iter())
            .filter(|(_, symbol, _)| feeding.contains(symbol))
            .map(|(event, ..)| *event)
            .collect();
        let hides = |w: &&Effect| {
            let is_first = |read: &EventIx| before(w.event, *read);
            w.is_certain && w.change.delta.is_none() && feeding.iter().all(is_first)
        };
        let hiding: Vec<EventIx> = writes.iter().filter(hides).map(|w| w.event).collect();
        let initial = intervals.of(terms, atom.initial);
        let is_coarse = atom.reads.len() * writes.len() > MOST_PAIRS;
        let mut coarse = None;
        let mut grows = false;
        for (event, _, key) in &atom.reads {
            if interrupted() {
                return true;
            }
            let is_hidden = |w: Option<EventIx>| {
                let mut hiding = hiding.iter();
                hiding.any(|h| w.is_none_or(|w| before(w, *h)) && before(*h, *event))
            };
            let of_read = |every: bool| {
                let mut found = Bound::new(initial.width());
                if every || !is_hidden(None) {
                    found.start(initial, initial);
                }
                for w in &writes {
                    if every || w.event != *event && !before(*event, w.event) {
                        let starts = every || !is_hidden(Some(w.event));
                        found.add(w, starts);
                    }
                }
                (found.values, found.chains())
            };
            let (values, chains) = match is_coarse {
                true => *coarse.get_or_insert_with(|| of_read(true)),
                false => of_read(false),
            };
            let known = self
                .of
                .get_mut(key)
                .expect("a read whose range was asked for");
            grows |= known.add(values, chains);
        }
        grows
    }
}

/// The accesses to an atom.
struct Atom {
    initial: TermId,
    reads: Vec<(EventIx, TermId, ReadKey)>,
    /// Event, condition, value.
    writes: Vec<(EventIx, TermId, TermId)>,
}

impl Atom {
    fn all(graph: &Graph) -> Vec<Atom> {
        let mut atoms: Vec<Atom> = (graph.atoms.iter())
            .map(|atom| Atom {
                initial: atom.initial,
                reads: Vec::new(),
                writes: Vec::new(),
            })
            .collect();
        for (event, e) in graph.events.enumerate() {
            for read in &e.reads {
                atoms[read.atom.index()]
                    .reads
                    .push((event, read.symbol, read.key));
            }
            for write in &e.writes {
                let writes = &mut atoms[write.atom.index()].writes;
                writes.push((event, write.cond, write.value));
            }
        }
        atoms
    }
}

/// What a write does.
struct Effect {
    event: EventIx,
    value: Interval,
    change: Change,
    /// It is done in every execution.
    is_certain: bool,
}

/// How a written value comes from what was in the atom before.
#[derive(Default)]
struct Change {
    /// A value that does not.
    fresh: Option<Interval>,
    /// What is added, as signed numbers.
    delta: Option<(i128, i128)>,
}

impl Change {
    /// `own` are the atom's reads; those that the value adds to are put into `feeding`.
    fn add(
        &mut self,
        terms: &Terms,
        intervals: &mut Intervals,
        own: &FxHashSet<TermId>,
        feeding: &mut FxHashSet<TermId>,
        value: TermId,
    ) {
        if let Some((symbol, low, high)) = sum(terms, intervals, own, value) {
            feeding.insert(symbol);
            let (before_low, before_high) = self.delta.unwrap_or((low, high));
            self.delta = Some((before_low.min(low), before_high.max(high)));
        } else if let Node::Ite(cond, a, b) = *terms.node(value) {
            let holds = intervals.of(terms, cond).as_constant();
            if holds != Some(0) {
                self.add(terms, intervals, own, feeding, a);
            }
            if holds != Some(1) {
                self.add(terms, intervals, own, feeding, b);
            }
        } else {
            let found = intervals.of(terms, value);
            self.fresh = Some(self.fresh.map_or(found, |before| before.join(found)));
        }
    }
}

/// A read of the atom and what the term adds to it, if it is of that form.
fn sum(
    terms: &Terms,
    intervals: &mut Intervals,
    own: &FxHashSet<TermId>,
    term: TermId,
) -> Option<(TermId, i128, i128)> {
    if own.contains(&term) {
        return Some((term, 0, 0));
    }
    let (op, a, b) = match *terms.node(term) {
        Node::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) => (op, a, b),
        _ => return None,
    };
    if let Some((symbol, low, high)) = sum(terms, intervals, own, a) {
        let (x, y) = intervals.of(terms, b).signed();
        return Some(match op {
            BinOp::Add => (symbol, low.checked_add(x)?, high.checked_add(y)?),
            _ => (symbol, low.checked_sub(y)?, high.checked_sub(x)?),
        });
    }
    if op == BinOp::Add
        && let Some((symbol, low, high)) = sum(terms, intervals, own, b)
    {
        let (x, y) = intervals.of(terms, a).signed();
        return Some((symbol, low.checked_add(x)?, high.checked_add(y)?));
    }
    None
}

/// What a read may find, as it is put together.
struct Bound {
    values: Interval,
    starts: Interval,
    low: i128,
    high: i128,
}

impl Bound {
    fn new(width: u32) -> Bound {
        Bound {
            values: Interval::empty(width),
            starts: Interval::empty(width),
            low: 0,
            high: 0,
        }
    }

    fn start(&mut self, value: Interval, start: Interval) {
        self.values = self.values.join(value);
        self.starts = self.starts.join(start);
    }

    fn add(&mut self, write: &Effect, can_start: bool) {
        if can_start {
            self.values = self.values.join(write.value);
            if let Some(fresh) = write.change.fresh {
                self.starts = self.starts.join(fresh);
            }
        }
        if let Some((low, high)) = write.change.delta {
            self.low = self.low.saturating_add(low.min(0));
            self.high = self.high.saturating_add(high.max(0));
        }
    }

    /// Numbers that do not fit may wrap around.
    fn chains(&self) -> Interval {
        let full = Interval::full(self.values.width());
        if self.starts.is_empty() {
            return self.starts;
        }
        let (low, high) = self.starts.signed();
        let (low, high) = (low.saturating_add(self.low), high.saturating_add(self.high));
        let (least, most) = full.signed();
        match least <= low && high <= most {
            true => Interval::from_signed(full.width(), low, high),
            false => full,
        }
    }
}

/// The intervals of terms, under what is assumed of inputs.
#[derive(Default)]
pub struct Intervals {
    known: FxHashMap<TermId, Interval>,
}

impl Intervals {
    /// Comes before any question about a term with the input in it.
    pub fn assume(&mut self, input: TermId, interval: Interval) {
        self.known.insert(input, interval);
    }

    pub fn of(&mut self, terms: &Terms, term: TermId) -> Interval {
        if let Some(known) = self.known.get(&term) {
            return *known;
        }
        // Terms may be deep.
        let mut work = vec![term];
        while let Some(next) = work.last().copied() {
            if self.known.contains_key(&next) {
                work.pop();
                continue;
            }
            let depth = work.len();
            let missing = terms
                .node(next)
                .operands()
                .filter(|t| !self.known.contains_key(t));
            work.extend(missing);
            if work.len() == depth {
                let known = &self.known;
                let interval = computed(terms, next, |operand| known[&operand]);
                self.known.insert(next, interval);
                work.pop();
            }
        }
        self.known[&term]
    }

    /// Of a term, where the guards hold.
    pub fn under(&mut self, terms: &Terms, guards: &[TermId], term: TermId) -> Interval {
        let plain = self.of(terms, term);
        if terms.tree_size(term) > LARGEST_TERM || plain.as_constant().is_some() {
            return plain;
        }
        let mut restrictions = Restrictions::default();
        let mut work: SmallVec<[TermId; 8]> = SmallVec::from_slice(guards);
        for _ in 0..MOST_CONDITIONS {
            let Some(next) = work.pop() else { break };
            match *terms.node(next) {
                Node::Bin(BinOp::And, a, b) => work.extend([a, b]),
                _ => self.learn(terms, &mut restrictions, next, true),
            }
        }
        match restrictions.is_empty() {
            true => plain,
            false => plain.meet(self.restricted(terms, &restrictions, term)),
        }
    }

    /// What it says of terms that the condition has this value.
    fn learn(&mut self, terms: &Terms, known: &mut Restrictions, cond: TermId, value: bool) {
        let mut restrict = |term, to: Interval| {
            if terms.as_constant(term).is_none() {
                known.push((term, to));
            }
        };
        restrict(cond, Interval::constant(1, u128::from(value)));
        match *terms.node(cond) {
            Node::Not(inner) => self.learn(terms, known, inner, !value),
            Node::Cmp(op, a, b) => {
                let op = if value { op } else { op.negated() };
                let (x, y) = (self.of(terms, a), self.of(terms, b));
                restrict(a, x.restricted(op, y));
                restrict(b, y.restricted(CmpOp::swapped(op), x));
            }
            _ => {}
        }
    }

    fn restricted(&mut self, terms: &Terms, known: &Restrictions, term: TermId) -> Interval {
        let mut own = self.of(terms, term);
        for (_, to) in known.iter().filter(|(restricted, _)| *restricted == term) {
            own = own.meet(*to);
        }
        if matches!(terms.node(term), Node::Constant { .. } | Node::Input(_)) {
            return own;
        }
        let operands: SmallVec<[(TermId, Interval); 3]> = (terms.node(term).operands())
            .map(|operand| (operand, self.restricted(terms, known, operand)))
            .collect();
        let of = |operand| {
            let mut all = operands.iter();
            all.find(|(t, _)| *t == operand).expect("an operand").1
        };
        own.meet(computed(terms, term, of))
    }
}

/// Terms that have a value of an interval where something holds.
type Restrictions = SmallVec<[(TermId, Interval); 16]>;

/// The interval that follows from those of the operands.
fn computed(terms: &Terms, term: TermId, of: impl Fn(TermId) -> Interval) -> Interval {
    let width = terms.width(term);
    let full = Interval::full(width);
    match *terms.node(term) {
        Node::Constant { value, .. } => Interval::constant(width, value),
        Node::Input(_) | Node::Neg(_) | Node::Select { .. } => full,
        Node::Bin(op, a, b) => Interval::bin(op, of(a), of(b)),
        Node::Cmp(op, a, b) => match Interval::cmp(op, of(a), of(b)) {
            Some(outcome) => Interval::constant(1, u128::from(outcome)),
            None => full,
        },
        Node::Not(a) => of(a).complement(),
        Node::Ite(c, a, b) => match of(c).as_constant() {
            Some(0) => of(b),
            Some(_) => of(a),
            None => of(a).join(of(b)),
        },
        Node::Extract { term, lo: 0, width } => of(term).truncated(width),
        Node::Extract { .. } => full,
        Node::Concat { hi, lo } => of(hi).concat(of(lo)),
        Node::Zext { term, width } => of(term).zext(width),
        Node::Sext { term, width } => of(term).sext(width),
    }
}
