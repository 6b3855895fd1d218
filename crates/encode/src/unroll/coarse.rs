//! Arrays that are accessed at any index, without saying where.
//!
//! Such an access may be to any of many elements, and each of these would have to be read and written
//! under a condition. Often it is enough to know what all elements are, together: a read of a *coarse*
//! object finds any value of the range of all that is written to it ([`crate::ranges`]). This leaves
//! out nothing that can happen, so what is proved with it is proved. What a model says may depend on
//! it; if a run does not show what the model does, the object is no longer coarse
//! ([`crate::Knowledge::refine`]).

use smt::{CmpOp, TermId};

use super::address::Targets;
use super::{Run, Unroller, Worklist};
use crate::graph::{CoarseRead, CoarseWrite, FaultKind};
use crate::knowledge::Values;
use crate::memory::Initial;
use crate::path::Path;

/// An access to more elements makes the object coarse.
const MOST_EXACT: u64 = 24;

impl Unroller<'_> {
    /// Where an access to data goes: of a coarse object, its beginning stands for all of it.
    pub(super) fn resolve_data(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        ptr: TermId,
        bytes: u64,
        is_write: bool,
    ) -> Run<Targets> {
        let Some(base) = self.coarse_object(path, ptr, bytes, is_write) else {
            return self.resolve(work, path, ptr, bytes, is_write);
        };
        let size = self.objects.get(base).expect("an object").size;
        let width = self.terms.width(ptr);
        let first = self.constant(width, base);
        let last = self.constant(width, base + size - bytes);
        let before = self.terms.cmp(CmpOp::Ult, ptr, first);
        let after = self.terms.cmp(CmpOp::Ugt, ptr, last);
        let wrong = self.terms.or(before, after);
        self.fail_if(work.thread, path, FaultKind::Memory, wrong)?;
        let yes = self.terms.bool(true);
        Ok(Targets {
            all: vec![(base, yes)],
        })
    }

    /// The coarse object that is accessed, if it is one and nothing else.
    fn coarse_object(
        &mut self,
        path: &Path,
        ptr: TermId,
        bytes: u64,
        is_write: bool,
    ) -> Option<u64> {
        if !self.options.coarse {
            return None;
        }
        let bases = self.provenance_of(ptr)?;
        let [base] = bases[..] else { return None };
        let object = self.objects.get(base)?;
        if bytes > object.size || is_write && object.readonly || path.ended.contains_key(&base) {
            return None;
        }
        if !self.is_aligned(ptr, bytes) {
            // A read may find parts of several writes.
            self.be_exact(base);
            return None;
        }
        if self.known.coarse.contains(&base) {
            return Some(base);
        }
        let is_small = object.size / bytes <= MOST_EXACT;
        if is_small || self.known.exact.contains(&base) || self.known.mortal.contains(&base) {
            return None;
        }
        if !matches!(self.values_of(ptr), Values::Any) {
            return None;
        }
        self.known.coarse.insert(base);
        self.grew = true;
        Some(base)
    }

    /// Whether accesses of this size at such places are to the same bytes or to others.
    fn is_aligned(&self, ptr: TermId, bytes: u64) -> bool {
        let known = self.terms.known_bits(ptr);
        let low = u128::from(bytes.wrapping_sub(1));
        bytes.is_power_of_two() && known.zeros & low == low
    }

    /// The coarse object around an address.
    pub(super) fn coarse_at(&self, address: u64) -> Option<u64> {
        if self.known.coarse.is_empty() {
            return None;
        }
        let (base, _) = self.objects.around(address)?;
        self.known.coarse.contains(&base).then_some(base)
    }

    /// What is done there has to be done exactly.
    pub(super) fn be_exact(&mut self, address: u64) {
        if let Some(base) = self.coarse_at(address) {
            self.known.coarse.remove(&base);
            self.known.exact.insert(base);
            self.grew = true;
        }
    }

    pub(super) fn read_coarse(
        &mut self,
        work: &Worklist,
        path: &Path,
        base: u64,
        bytes: u64,
    ) -> TermId {
        let location = self.key_id(path);
        // No atom lies there.
        let key = (work.thread, location, base | 1 << 60, bytes as u32);
        let width = 8 * bytes as u32;
        let initial = match &self.objects.get(base).expect("an object").initial {
            Initial::Zero => base::Interval::constant(width, 0),
            _ => base::Interval::full(width),
        };
        let range = self.ranges.of(key, initial);
        let (low, high) = range.unsigned();
        let (least, most) = range.signed();
        let name = format!(
            "some {}@{} {base:x}+{bytes} {low}..{high} {least}..{most}",
            work.thread, location.0
        );
        let symbol = self.terms.input(&name, width);
        self.intervals.assume(symbol, range);
        self.graph.coarse_reads.push(CoarseRead {
            base,
            symbol,
            key,
            initial,
        });
        match range.as_constant() {
            Some(value) => self.terms.constant(width, value),
            None => symbol,
        }
    }

    pub(super) fn write_coarse(&mut self, path: &Path, base: u64, cond: TermId, value: TermId) {
        let guard = self.terms.and(path.guard, cond);
        self.graph
            .coarse_writes
            .push(CoarseWrite { base, guard, value });
    }
}
