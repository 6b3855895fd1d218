//! Forwards: instructions that compute registers from registers.

use ir::{BinOp, Cast, CmpOp};
use smt::TermId;

use super::{Item, Pass, is_division};
use crate::code::Slot;
use crate::history::Detail;
use crate::value::Value;

impl Pass<'_> {
    pub(super) fn bin(
        &mut self,
        item: &Item,
        op: BinOp,
        bits: u8,
        dst: Slot,
        [a, b]: [Slot; 2],
    ) -> Option<()> {
        let width = u32::from(bits);
        let (x, y) = (self.register(item, a, width), self.register(item, b, width));
        if is_division(op) {
            self.require_division(op, x, y, width)?;
        }
        let result = self.machine.terms.bin(op, x, y);
        self.set(item, dst, result);
        Some(())
    }

    fn require_division(&mut self, op: BinOp, a: TermId, b: TermId, width: u32) -> Option<()> {
        let t = &mut self.machine.terms;
        let zero = t.constant(width, 0);
        let nonzero = t.cmp(smt::CmpOp::Ne, b, zero);
        self.require(nonzero)?;
        if matches!(op, BinOp::SDiv | BinOp::SRem) {
            let t = &mut self.machine.terms;
            let smallest = t.constant(width, 1 << (width - 1));
            let minus_one = t.constant(width, u128::MAX);
            let a = t.cmp(smt::CmpOp::Ne, a, smallest);
            let b = t.cmp(smt::CmpOp::Ne, b, minus_one);
            let fits = t.or(a, b);
            self.require(fits)?;
        }
        Some(())
    }

    pub(super) fn cmp(
        &mut self,
        item: &Item,
        op: CmpOp,
        bits: u8,
        dst: Slot,
        [a, b]: [Slot; 2],
    ) -> Option<()> {
        let width = u32::from(bits);
        let (x, y) = (self.register(item, a, width), self.register(item, b, width));
        let result = self.machine.terms.cmp(op, x, y);
        self.set(item, dst, result);
        Some(())
    }

    pub(super) fn cast(
        &mut self,
        item: &Item,
        op: Cast,
        [from, to]: [u8; 2],
        dst: Slot,
        src: Slot,
    ) -> Option<()> {
        let value = self.value(item, src, u32::from(from));
        let result = self.machine.symbolic_cast(op, from, to, value);
        let result = self.term(result, u32::from(to));
        self.set(item, dst, result);
        Some(())
    }

    pub(super) fn select(
        &mut self,
        item: &Item,
        bits: u8,
        dst: Slot,
        cond: Slot,
        [a, b]: [Slot; 2],
    ) -> Option<()> {
        let width = u32::from(bits);
        let condition = self.register(item, cond, 1);
        let (x, y) = (self.register(item, a, width), self.register(item, b, width));
        let result = self.machine.terms.ite(condition, x, y);
        self.set(item, dst, result);
        Some(())
    }

    /// `base + offset + sum of index * scale`; an index is a register, its width and the scale.
    pub(super) fn add(
        &mut self,
        item: &Item,
        dst: Slot,
        base: Slot,
        offset: i64,
        indices: &[(Slot, u8, i64)],
    ) -> Option<()> {
        let pointer_bits = self.machine.pointer_bits();
        let base = self.value(item, base, pointer_bits);
        let indices = indices.iter();
        let indices: Vec<(Value, u8, i64)> = indices
            .map(|&(slot, bits, scale)| (self.value(item, slot, u32::from(bits)), bits, scale))
            .collect();
        let sum = self.machine.symbolic_offset(base, offset, &indices);
        let sum = self.term(sum, pointer_bits);
        self.set(item, dst, sum);
        Some(())
    }

    /// The register as a value that is no number.
    fn value(&mut self, item: &Item, slot: Slot, width: u32) -> Value {
        let term = self.register(item, slot, width);
        Value { bits: 0, term }
    }

    /// Something that is only known to give the same result for the same arguments.
    pub(super) fn pure(
        &mut self,
        item: &Item,
        detail: &Detail,
        dst: Slot,
        args: &[(Slot, u32)],
        width: u32,
    ) -> Option<()> {
        let Detail::Pure {
            args: values,
            result,
        } = detail
        else {
            return None;
        };
        for ((slot, width), value) in args.iter().zip(values) {
            let term = self.register(item, *slot, *width);
            self.require_equal(term, *value)?;
        }
        let result = self.term(*result, width);
        self.set(item, dst, result);
        Some(())
    }
}
