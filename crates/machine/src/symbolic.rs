//! Arithmetic on values of which at least one is a term (or wider than 64 bits).

use ir::{BinOp, Cast, CmpOp};
use smt::TermId;

use crate::fault::{Exec, Fault};
use crate::inputs::Inputs;
use crate::machine::Machine;
use crate::value::Value;

impl Machine {
    pub(crate) fn term(&mut self, value: Value, width: u32) -> TermId {
        value.to_term(&mut self.terms, width)
    }

    pub(crate) fn value(&self, term: TermId) -> Value {
        Value::of_term(&self.terms, term)
    }

    /// Where inputs come from, with those that were made up meanwhile.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// A fresh input, named after the thread and the order of its inputs.
    pub(crate) fn input(&mut self, what: &str, width: u32) -> Value {
        let thread = self.now.current;
        let state = self.thread_state_mut(thread);
        let index = state.inputs;
        state.inputs += 1;
        let name = format!("{thread}.{index}.{what}");
        self.named_input(&name, index, width)
    }

    /// The input that the next call of [`Machine::input`] will make.
    pub(crate) fn peek_input(&mut self, what: &str, width: u32) -> Value {
        let thread = self.now.current;
        let index = self.thread_state(thread).inputs;
        let name = format!("{thread}.{index}.{what}");
        self.named_input(&name, index, width)
    }

    pub(crate) fn named_input(&mut self, name: &str, index: u32, width: u32) -> Value {
        if let Some(bits) = self.inputs.value(name, index) {
            return Value::of_bits(&mut self.terms, width, bits);
        }
        let term = self.terms.input(name, width);
        Value { bits: 0, term }
    }

    pub(crate) fn symbolic_bin(
        &mut self,
        op: BinOp,
        bits: u8,
        dst: usize,
        a: Value,
        b: Value,
    ) -> Exec<()> {
        let width = u32::from(bits);
        if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
            self.check_divisor(b, width)?;
            if matches!(op, BinOp::SDiv | BinOp::SRem) {
                self.check_quotient(a, b, width)?;
            }
        }
        let (x, y) = (self.term(a, width), self.term(b, width));
        let result = self.terms.bin(op, x, y);
        self.running.registers[dst] = self.value(result);
        Ok(())
    }

    fn check_divisor(&mut self, divisor: Value, width: u32) -> Exec<()> {
        let divisor = self.term(divisor, width);
        let zero = self.terms.constant(width, 0);
        let is_zero = self.terms.cmp(smt::CmpOp::Eq, divisor, zero);
        if self.truth_of(is_zero)? {
            return self.fault(Fault::DivisionByZero);
        }
        Ok(())
    }

    fn check_quotient(&mut self, dividend: Value, divisor: Value, width: u32) -> Exec<()> {
        let (a, b) = (self.term(dividend, width), self.term(divisor, width));
        let smallest = self.terms.constant(width, 1 << (width - 1));
        let minus_one = self.terms.constant(width, u128::MAX);
        let a_is = self.terms.cmp(smt::CmpOp::Eq, a, smallest);
        let b_is = self.terms.cmp(smt::CmpOp::Eq, b, minus_one);
        let overflows = self.terms.and(a_is, b_is);
        if self.truth_of(overflows)? {
            return self.fault(Fault::DivisionOverflow);
        }
        Ok(())
    }

    pub(crate) fn symbolic_cmp(&mut self, op: CmpOp, bits: u8, a: Value, b: Value) -> Value {
        let (x, y) = (self.term(a, u32::from(bits)), self.term(b, u32::from(bits)));
        let result = self.terms.cmp(op, x, y);
        self.value(result)
    }

    pub(crate) fn symbolic_cast(&mut self, op: Cast, from: u8, to: u8, value: Value) -> Value {
        let term = self.term(value, u32::from(from));
        let to = u32::from(to);
        let result = match op {
            Cast::Trunc => self.terms.extract(term, 0, to),
            Cast::ZExt => self.terms.zext(term, to),
            Cast::SExt => self.terms.sext(term, to),
            Cast::Bits => term,
        };
        self.value(result)
    }

    pub(crate) fn symbolic_select(&mut self, bits: u8, cond: Value, a: Value, b: Value) -> Value {
        let (x, y) = (self.term(a, u32::from(bits)), self.term(b, u32::from(bits)));
        let result = self.terms.ite(cond.term, x, y);
        self.value(result)
    }

    /// `base + offset + sum of index * scale` at pointer width.
    pub(crate) fn symbolic_offset(
        &mut self,
        base: Value,
        offset: i64,
        indices: &[(Value, u8, i64)],
    ) -> Value {
        let width = self.pointer_bits();
        let mut sum = self.term(base, width);
        let constant = self.terms.constant(width, offset as u128);
        sum = self.terms.bin(smt::BinOp::Add, sum, constant);
        for &(index, bits, scale) in indices {
            let bits = u32::from(bits);
            let mut term = self.term(index, bits);
            if bits < width {
                term = self.terms.sext(term, width);
            } else if bits > width {
                term = self.terms.extract(term, 0, width);
            }
            let scale = self.terms.constant(width, scale as u128);
            let scaled = self.terms.bin(smt::BinOp::Mul, term, scale);
            sum = self.terms.bin(smt::BinOp::Add, sum, scaled);
        }
        self.value(sum)
    }
}
