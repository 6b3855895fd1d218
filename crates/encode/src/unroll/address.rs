//! Addresses that are not fixed: where they may lead.

use smallvec::SmallVec;
use smt::{BinOp, Node, TermId, Terms};

use super::{Run, Unroller, Worklist};
use crate::graph::FaultKind;
use crate::knowledge::Values;
use crate::memory::{ObjectKind, UNDEFINED};
use crate::path::Path;

/// Where an access may go: addresses, each with the condition under which it goes there.
pub(super) struct Targets {
    pub all: Vec<(u64, TermId)>,
}

/// So many terms are looked at to find out what one may be,
const MOST_NODES: usize = 512;
/// and so many numbers it may be.
const MOST_CHOICES: usize = 64;

impl Targets {
    /// One place.
    pub fn at(terms: &mut Terms, address: u64) -> Targets {
        let yes = terms.bool(true);
        Targets {
            all: vec![(address, yes)],
        }
    }

    /// So many bytes further on.
    pub fn shifted(&self, bytes: u64) -> Targets {
        let all = self.all.iter().map(|(at, cond)| (at + bytes, *cond));
        Targets { all: all.collect() }
    }
}

/// More places than these are too many for one access.
const MOST_TARGETS: u64 = 1024;

impl Unroller<'_> {
    /// Where an access of so many bytes goes; whether it may go wrong is noted.
    pub(super) fn resolve(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        ptr: TermId,
        bytes: u64,
        is_write: bool,
    ) -> Run<Targets> {
        let yes = self.terms.bool(true);
        if let Some(address) = self.number(ptr) {
            self.need_valid(work, path, address, bytes, is_write)?;
            self.be_exact(address);
            return Ok(Targets {
                all: vec![(address, yes)],
            });
        }
        let mut addresses = self.addresses_of(path, ptr, bytes)?;
        addresses.sort_unstable();
        addresses.dedup();
        let mut all = Vec::new();
        let mut valid = self.terms.bool(false);
        for address in addresses {
            self.be_exact(address);
            if !self.is_valid(path, address, bytes, is_write) {
                continue;
            }
            let cond = self.is(ptr, u128::from(address));
            if self.intervals.of(self.terms, cond).as_constant() != Some(0) {
                valid = self.terms.or(valid, cond);
                all.push((address, cond));
            }
        }
        let invalid = match self.is_surely_within(path, ptr, &all) {
            true => self.terms.bool(false),
            false => self.terms.not(valid),
        };
        self.fail_if(work.thread, path, FaultKind::Memory, invalid)?;
        if all.is_empty() {
            return self.fail(work.thread, path, FaultKind::Memory);
        }
        Ok(Targets { all })
    }

    /// Whether the pointer is one of the addresses, as far as its range and its lowest bits tell.
    fn is_surely_within(&mut self, path: &Path, ptr: TermId, all: &[(u64, TermId)]) -> bool {
        let (low, high) = self
            .intervals
            .under(self.terms, &[path.guard], ptr)
            .unsigned();
        let step = self.step_of(ptr);
        let (Some((first, _)), Some((last, _))) = (all.first(), all.last()) else {
            return false;
        };
        let (first, last) = (*first, *last);
        // Each place in between is one of them.
        let is_complete = (last - first) / step + 1 == all.len() as u64;
        is_complete && u128::from(first) <= low && high <= u128::from(last)
    }

    fn is_valid(&self, path: &Path, address: u64, bytes: u64, is_write: bool) -> bool {
        let holding = self.objects.holding(address, bytes);
        holding.is_some_and(|(base, object)| {
            !(is_write && object.readonly || path.ended.contains_key(&base))
        })
    }

    /// A fixed address, where an access must be possible.
    pub(super) fn need_valid(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        address: u64,
        bytes: u64,
        is_write: bool,
    ) -> Run<()> {
        let Some((base, object)) = self.objects.holding(address, bytes) else {
            if self.is_undefined_variable(address) {
                return self.stop(path, "a variable that is defined nowhere");
            }
            return self.fail(work.thread, path, FaultKind::Memory);
        };
        if is_write && object.readonly {
            return self.fail(work.thread, path, FaultKind::Memory);
        }
        if let Some(ended) = path.ended.get(&base).copied() {
            self.fail_if(work.thread, path, FaultKind::Memory, ended)?;
        }
        Ok(())
    }

    fn is_undefined_variable(&self, address: u64) -> bool {
        let globals = self.module.globals.enumerate();
        let mut undefined = globals.filter(|(_, global)| global.init.is_none());
        undefined.any(|(id, global)| {
            let base = self.globals[id.index()];
            (base..base + global.size.max(1)).contains(&address)
        })
    }

    /// Addresses that the term may be, and others perhaps; what it may be besides is no address of
    /// an object.
    fn addresses_of(&mut self, path: &Path, ptr: TermId, bytes: u64) -> Run<Vec<u64>> {
        match self.values_of(ptr) {
            Values::Few(all) => return Ok(all.into_iter().collect()),
            Values::Any => {}
        }
        if let Node::Ite(_, a, b) = *self.terms.node(ptr) {
            let mut all = self.addresses_of(path, a, bytes)?;
            all.extend(self.addresses_of(path, b, bytes)?);
            return Ok(all);
        }
        let Some(bases) = self.provenance_of(ptr) else {
            return self.stop(path, "a pointer that may lead anywhere");
        };
        let step = self.step_of(ptr);
        let mut all = Vec::new();
        for base in bases {
            let Some(object) = self.objects.get(base) else {
                return self.stop(path, "a pointer that may lead anywhere");
            };
            if object.kind == ObjectKind::Function || bytes > object.size {
                continue;
            }
            let (first, step) = match self.stride_of(ptr) {
                // What a product that overflows leads to besides counts as a fault.
                Some((at, stride)) if stride > step => {
                    let offset = (at.wrapping_sub(base) as i64).rem_euclid(stride as i64);
                    (base + offset as u64, stride)
                }
                _ => (self.first_aligned(ptr, base, step), step),
            };
            if (object.size - bytes) / step > MOST_TARGETS {
                return self.stop(
                    path,
                    format!("an access to one of over {MOST_TARGETS} places"),
                );
            }
            all.extend((first..=base + object.size - bytes).step_by(step as usize));
        }
        Ok(all)
    }

    /// One of the values of a sum of a number and multiples of others, and how far apart they are:
    /// elements of an array.
    fn stride_of(&self, term: TermId) -> Option<(u64, u64)> {
        match *self.terms.node(term) {
            Node::Constant { value, .. } => Some((value as u64, 0)),
            Node::Bin(BinOp::Add, a, b) => {
                let ((x, s), (y, t)) = (self.stride_of(a)?, self.stride_of(b)?);
                Some((x.wrapping_add(y), gcd(s, t)))
            }
            Node::Bin(BinOp::Mul, a, b) => {
                let factor = self.number(a).or_else(|| self.number(b))?;
                Some((0, factor))
            }
            Node::Bin(BinOp::Shl, _, by) => Some((0, 1 << self.number(by).filter(|n| *n < 32)?)),
            _ => None,
        }
    }

    /// Its values are so far apart, as far as their lowest bits tell.
    fn step_of(&self, ptr: TermId) -> u64 {
        let known = self.terms.known_bits(ptr);
        let mut step = 1;
        let fixed = known.zeros | known.ones;
        while step < 64 && fixed & u128::from(step) != 0 {
            step *= 2;
        }
        step
    }

    fn first_aligned(&self, ptr: TermId, base: u64, step: u64) -> u64 {
        let known = self.terms.known_bits(ptr);
        let low = known.ones as u64 & (step - 1);
        base + (low.wrapping_sub(base) & (step - 1))
    }

    /// The objects whose addresses the term was computed from.
    pub(super) fn provenance_of(&self, ptr: TermId) -> Option<Vec<u64>> {
        if let Some(base) = self.provenance.get(&ptr) {
            return Some(vec![*base]);
        }
        match *self.terms.node(ptr) {
            Node::Constant { value, .. } => self
                .objects
                .around(value as u64)
                .map(|(base, _)| vec![base]),
            Node::Ite(_, a, b) => {
                let mut all = self.provenance_of(a)?;
                all.extend(self.provenance_of(b)?);
                all.sort_unstable();
                all.dedup();
                Some(all)
            }
            _ => None,
        }
    }

    /// A pointer was computed from another one. An access through it is one to the same object,
    /// wherever it leads.
    pub(super) fn point_into(&mut self, path: &Path, from: TermId, to: TermId) -> Run<()> {
        if let (Some(before), Some(after)) = (self.number(from), self.number(to)) {
            let base = |at| self.objects.around(at).map(|(base, _)| base);
            if base(after).is_some() && base(before).is_some() && base(before) != base(after) {
                return self.stop(
                    path,
                    "an address in one object that was computed from another",
                );
            }
        }
        self.derive(from, to);
        Ok(())
    }

    /// Notes that an address was computed from another one.
    pub(super) fn derive(&mut self, from: TermId, to: TermId) {
        if self.number(to).is_some() || self.provenance.contains_key(&to) {
            return;
        }
        if let Some([base]) = self.provenance_of(from).as_deref() {
            self.provenance.insert(to, *base);
        } else if let Values::Few(all) = self.values_of(from) {
            let mut bases = all
                .iter()
                .filter_map(|at| Some(self.objects.around(*at)?.0));
            let first = bases.next();
            if let Some(base) = first
                && bases.all(|other| other == base)
            {
                self.provenance.insert(to, base);
            }
        }
    }

    /// The numbers that a term may be.
    pub(super) fn values_of(&mut self, term: TermId) -> Values {
        match *self.terms.node(term) {
            Node::Constant { value, .. } => Values::one(value as u64),
            Node::Ite(_, a, b) => {
                let mut all = self.values_of(a);
                if all != Values::Any {
                    let more = self.values_of(b);
                    all.add(&more);
                }
                all
            }
            Node::Input(_) => match self.symbols.get(&term).copied() {
                Some(atom) => self.values_of_atom(atom),
                None if self.is_undefined(term) => Values::none(),
                None => Values::Any,
            },
            Node::Bin(BinOp::Add, a, b) => {
                let (a, b) = match (self.number(a), self.number(b)) {
                    (Some(_), None) => (b, a),
                    _ => (a, b),
                };
                let width = self.terms.width(term);
                let shifted = match self.number(b) {
                    Some(offset) => self.shifted(a, offset, width),
                    None => Values::Any,
                };
                match shifted {
                    Values::Any => self.chosen(term),
                    few => few,
                }
            }
            // What was never written is no address: to go there is a fault in any case.
            _ if self.is_undefined(term) => Values::none(),
            _ => self.chosen(term),
        }
    }

    /// Whether nothing but bytes that were never written makes up the term.
    fn is_undefined(&self, term: TermId) -> bool {
        let mut support = self.terms.support(term).iter().peekable();
        support.peek().is_some()
            && support.all(|input| self.terms.input_name(*input).starts_with(UNDEFINED))
    }

    /// The numbers that a term may be which computes with constants alone, of which it chooses some:
    /// an index that differs from round to round of a loop, say.
    fn chosen(&mut self, term: TermId) -> Values {
        let mut budget = MOST_NODES;
        match self.choices(term, &mut budget) {
            None => Values::Any,
            Some(all) => {
                let numbers = all.iter().filter_map(|choice| self.number(*choice));
                Values::Few(numbers.collect())
            }
        }
    }

    fn choices(&mut self, term: TermId, budget: &mut usize) -> Option<SmallVec<[TermId; 4]>> {
        *budget = budget.checked_sub(1)?;
        let node = *self.terms.node(term);
        let mut all: SmallVec<[TermId; 4]> = SmallVec::new();
        match node {
            Node::Constant { .. } => all.push(term),
            Node::Ite(_, a, b) => {
                all = self.choices(a, budget)?;
                all.extend(self.choices(b, budget)?);
            }
            Node::Bin(op, a, b) => {
                let (a, b) = (self.choices(a, budget)?, self.choices(b, budget)?);
                *budget = budget.checked_sub(a.len() * b.len())?;
                for x in &a {
                    all.extend(b.iter().map(|y| self.terms.bin(op, *x, *y)));
                }
            }
            Node::Sext { term, width } => {
                let inner = self.choices(term, budget)?;
                all.extend(inner.iter().map(|x| self.terms.sext(*x, width)));
            }
            Node::Zext { term, width } => {
                let inner = self.choices(term, budget)?;
                all.extend(inner.iter().map(|x| self.terms.zext(*x, width)));
            }
            Node::Extract { term, lo, width } => {
                let inner = self.choices(term, budget)?;
                all.extend(inner.iter().map(|x| self.terms.extract(*x, lo, width)));
            }
            _ => return None,
        }
        all.sort_unstable();
        all.dedup();
        let are_numbers = all.iter().all(|choice| self.number(*choice).is_some());
        (are_numbers && all.len() <= MOST_CHOICES).then_some(all)
    }

    /// The values of a pointer so far on. Only addresses within objects: sums of other numbers
    /// could grow for ever.
    fn shifted(&mut self, term: TermId, offset: u64, width: u32) -> Values {
        let Values::Few(all) = self.values_of(term) else {
            return Values::Any;
        };
        let mask = if width >= 64 {
            u64::MAX
        } else {
            (1 << width) - 1
        };
        let mut shifted = Values::none();
        for value in all {
            let sum = value.wrapping_add(offset) & mask;
            // A small number is what comes of a null pointer.
            let base = |at| self.objects.around(at).map(|(base, _)| base);
            if base(sum) != base(value) || base(sum).is_none() && value != 0 {
                return Values::Any;
            }
            shifted.add(&Values::one(sum));
        }
        shifted
    }

    fn values_of_atom(&mut self, atom: crate::graph::AtomIx) -> Values {
        let crate::graph::Atom {
            address,
            bytes,
            initial,
            ..
        } = self.graph.atoms[atom];
        if 8 * bytes != self.module.pointer_bits {
            return Values::Any;
        }
        // What is there undefined is no address: to go there is a fault in any case.
        let initial = self.number(initial);
        let mut all = initial.map_or_else(Values::none, Values::one);
        if let Some(known) = self.known.pointers.get(&address) {
            all.add(&known.clone());
        }
        all
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}
