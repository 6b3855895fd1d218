//! Addresses in closed form: `anchor + sum of coefficient * term + offset`.
//!
//! An *anchor* is an address that is the same wherever and whenever it is mentioned: a global, or
//! another object of which there is only one in an execution. A *term* is a value of the function,
//! or a pure expression over such values; two terms are the same only if they have the same
//! operator and operands. Two equal forms are equal addresses as long as none of the values in them
//! was assigned again in between (see [`Addresses::mentions`]), and two forms that differ only in
//! the offset are that distance apart.
//!
//! Unlike points-to sets, this errs on the side of *less*: values that are not seen to be equal are
//! different terms.

use base::{IndexVec, id};
use ir::{BinOp, Body, Cast, Const, FuncId, Module, Op, Symbol, Type, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::cfg::Cfg;
use crate::points_to::{ObjectId, PointsTo};
use crate::unique::Unique;

id!(
    /// A term of one function.
    TermId, "term"
);

/// An address in closed form: `anchor + sum of coefficient * term + offset`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    pub anchor: Option<ObjectId>,
    /// Ascending; no coefficient is zero.
    pub terms: SmallVec<[(TermId, i64); 2]>,
    pub offset: i64,
}

/// Longer sums are terms of their own.
const MOST_TERMS: usize = 4;

impl Address {
    pub(crate) fn constant(offset: i64) -> Address {
        Address {
            offset,
            ..Address::default()
        }
    }

    /// A place in an object of which there is only one.
    pub fn anchored(object: ObjectId, offset: i64) -> Address {
        Address {
            anchor: Some(object),
            offset,
            ..Address::default()
        }
    }

    fn term(term: TermId) -> Address {
        Address {
            terms: SmallVec::from_slice(&[(term, 1)]),
            ..Address::default()
        }
    }

    /// The same place in every function and thread.
    pub fn is_absolute(&self) -> bool {
        self.anchor.is_some() && self.terms.is_empty()
    }

    /// `self - other`, if that is a number.
    pub fn distance(&self, other: &Address) -> Option<i64> {
        (self.anchor == other.anchor && self.terms == other.terms)
            .then(|| self.offset.wrapping_sub(other.offset))
    }

    /// The address `by` bytes further on.
    pub fn moved(&self, by: i64) -> Address {
        Address {
            offset: self.offset.wrapping_add(by),
            ..self.clone()
        }
    }

    /// `self + factor * other`; `None` if that is no longer an address or too long.
    fn plus(&self, factor: i64, other: &Address) -> Option<Address> {
        let anchor = match (self.anchor, other.anchor) {
            (anchor, None) => anchor,
            (None, Some(anchor)) if factor == 1 => Some(anchor),
            _ => return None,
        };
        let mut terms = self.terms.clone();
        for &(term, coefficient) in &other.terms {
            let by = coefficient.wrapping_mul(factor);
            match terms.binary_search_by_key(&term, |t| t.0) {
                Ok(at) => terms[at].1 = terms[at].1.wrapping_add(by),
                Err(at) => terms.insert(at, (term, by)),
            }
        }
        terms.retain(|t| t.1 != 0);
        (terms.len() <= MOST_TERMS).then(|| Address {
            anchor,
            terms,
            offset: self.offset.wrapping_add(other.offset.wrapping_mul(factor)),
        })
    }
}

/// The forms of all values of a module.
pub struct Addresses {
    functions: IndexVec<FuncId, Forms>,
}

#[derive(Default)]
struct Forms {
    values: Vec<Address>,
    /// For every term, the values in it.
    leaves: IndexVec<TermId, SmallVec<[ValueId; 2]>>,
    known: FxHashMap<Term, TermId>,
    pointer_bits: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Term {
    Value(ValueId),
    /// An operator, the width of its result and its operands.
    Pure(Operator, u32, SmallVec<[Address; 2]>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operator {
    Bin(BinOp),
    Cast(Cast),
}

impl Addresses {
    pub(crate) fn of(module: &Module, points_to: &PointsTo, unique: &Unique) -> Addresses {
        let forms = |(function, f): (FuncId, &ir::Function)| match &f.body {
            Some(body) => Forms::of(module, function, body, points_to, unique),
            None => Forms::default(),
        };
        Addresses {
            functions: module.functions.enumerate().map(forms).collect(),
        }
    }

    /// The form of a value.
    pub fn get(&self, function: FuncId, value: ValueId) -> &Address {
        &self.functions[function].values[value.index()]
    }

    /// Whether the address changes its meaning when the value is assigned.
    pub fn mentions(&self, function: FuncId, address: &Address, value: ValueId) -> bool {
        let leaves = &self.functions[function].leaves;
        let mut terms = address.terms.iter();
        terms.any(|(term, _)| leaves[*term].contains(&value))
    }

    /// The value that the term is, made wider perhaps.
    pub fn plain_term(&self, function: FuncId, term: TermId) -> Option<ValueId> {
        let forms = &self.functions[function];
        let [value] = forms.leaves[term].as_slice() else {
            return None;
        };
        let itself = *forms.known.get(&Term::Value(*value))?;
        let wider = |cast| {
            let operand: SmallVec<[Address; 2]> = [Address::term(itself)].into_iter().collect();
            let term = Term::Pure(Operator::Cast(cast), forms.pointer_bits, operand);
            forms.known.get(&term).copied()
        };
        let is_value = term == itself
            || [Cast::SExt, Cast::ZExt]
                .into_iter()
                .any(|cast| wider(cast) == Some(term));
        is_value.then_some(*value)
    }

    /// The value that the term is, also if it was made narrower in between: two values below `2^31`
    /// that differ, differ then too.
    pub fn narrowed_term(&self, function: FuncId, term: TermId) -> Option<ValueId> {
        if let Some(value) = self.plain_term(function, term) {
            return Some(value);
        }
        let forms = &self.functions[function];
        let Term::Pure(Operator::Cast(Cast::SExt | Cast::ZExt), _, wide) = forms.term_of(term)?
        else {
            return None;
        };
        let narrow = forms.term_of(forms.single(&wide[0])?)?;
        let Term::Pure(Operator::Cast(Cast::Trunc), 32, from) = narrow else {
            return None;
        };
        self.plain_term(function, forms.single(&from[0])?)
    }

    /// Whether two addresses of one function are certainly different: elements `i` and
    /// `(i + c) % n` of an array, with `0 < c < n`.
    pub fn are_different(&self, function: FuncId, a: &Address, b: &Address) -> bool {
        let forms = &self.functions[function];
        let element = |address: &Address| match address.terms.as_slice() {
            [(term, scale)] => Some((*term, *scale)),
            _ => None,
        };
        if (a.anchor, a.offset) != (b.anchor, b.offset) {
            return false;
        }
        match (element(a), element(b)) {
            (Some((x, scale)), Some((y, other))) if scale == other => {
                forms.is_further_round(x, y) || forms.is_further_round(y, x)
            }
            _ => false,
        }
    }

    /// The value, if the address is that value plus a number.
    pub fn base(&self, function: FuncId, address: &Address) -> Option<ValueId> {
        match (address.anchor, address.terms.as_slice()) {
            (None, [(term, 1)]) => {
                let forms = &self.functions[function];
                let [value] = forms.leaves[*term].as_slice() else {
                    return None;
                };
                let is_value = forms.known.get(&Term::Value(*value)) == Some(term);
                is_value.then_some(*value)
            }
            _ => None,
        }
    }
}

impl Forms {
    fn of(
        module: &Module,
        function: FuncId,
        body: &Body,
        points_to: &PointsTo,
        unique: &Unique,
    ) -> Forms {
        let mut forms = Forms {
            values: vec![Address::default(); body.values.len()],
            pointer_bits: module.pointer_bits,
            ..Forms::default()
        };
        for (value, entry) in body.values.enumerate() {
            let form = match entry.constant {
                Some(Const::Bits(bits)) => Address::constant(signed(bits, width(module, entry.ty))),
                Some(Const::Address(Symbol::Global(global), offset)) => {
                    Address::anchored(unique.object_of(global), offset)
                }
                _ => forms.leaf(value),
            };
            forms.values[value.index()] = form;
        }
        // A value that certainly is one place of an object of which there is one.
        let settled = |value: ValueId| -> Option<Address> {
            let mut targets = points_to.targets(function, value);
            let target = targets.next()?;
            let is_only = targets.next().is_none() && unique.is_unique(target.object);
            let offset = i64::try_from(target.offset?).ok()?;
            is_only.then(|| Address::anchored(target.object, offset))
        };
        for &param in &body.params {
            if body.ty(param) == Type::Ptr
                && let Some(address) = settled(param)
            {
                forms.values[param.index()] = address;
            }
        }
        // Operands come before what is made of them, since definitions dominate uses.
        for &block in Cfg::of(body).order() {
            let block = &body.blocks[block];
            for &param in &block.params {
                if let Some(address) = settled(param) {
                    forms.values[param.index()] = address;
                }
            }
            for inst in &block.insts {
                if let Some((dst, form)) = forms.pure(module, body, &inst.op) {
                    forms.values[dst.index()] = form;
                }
                inst.op.for_each_result(|dst| {
                    if body.ty(dst) == Type::Ptr
                        && !forms.values[dst.index()].is_absolute()
                        && let Some(address) = settled(dst)
                    {
                        forms.values[dst.index()] = address;
                    }
                });
            }
        }
        forms
    }

    fn leaf(&mut self, value: ValueId) -> Address {
        Address::term(self.intern(Term::Value(value), || SmallVec::from_slice(&[value])))
    }

    fn intern(&mut self, term: Term, leaves: impl FnOnce() -> SmallVec<[ValueId; 2]>) -> TermId {
        if let Some(id) = self.known.get(&term) {
            return *id;
        }
        let id = self.leaves.push(leaves());
        self.known.insert(term, id);
        id
    }

    /// The form of what the instruction assigns, if that follows from its operands alone.
    fn pure(&mut self, module: &Module, body: &Body, op: &Op) -> Option<(ValueId, Address)> {
        let pointer = module.pointer_bits;
        match op {
            Op::PtrAdd {
                dst,
                base,
                offset,
                indices,
                ..
            } => {
                let mut sum = self.values[base.index()].moved(*offset);
                for (index, scale) in indices {
                    let index = self.extended(module, body, *index);
                    sum = sum.plus(*scale, &index)?;
                }
                Some((*dst, sum))
            }
            Op::Bin { op, dst, a, b } => {
                let bits = width(module, body.ty(*dst));
                let (x, y) = (
                    self.values[a.index()].clone(),
                    self.values[b.index()].clone(),
                );
                let factor = match op {
                    BinOp::Add => Some(1),
                    BinOp::Sub => Some(-1),
                    _ => None,
                };
                if bits == pointer
                    && let Some(factor) = factor
                    && let Some(sum) = x.plus(factor, &y)
                {
                    return Some((*dst, sum));
                }
                Some((*dst, self.make(Operator::Bin(*op), bits, &[x, y])))
            }
            Op::Cast { op, dst, src } => {
                let (from, to) = (body.ty(*src), body.ty(*dst));
                if from.is_float() || to.is_float() {
                    return None;
                }
                let form = self.values[src.index()].clone();
                let bits = width(module, to);
                if width(module, from) == bits {
                    return Some((*dst, form));
                }
                Some((*dst, self.make(Operator::Cast(*op), bits, &[form])))
            }
            _ => None,
        }
    }

    /// Whether the second term is `(first + c) % n`, with `0 < c < n`. The two differ then: a
    /// number that is its own remainder is below `n`, and adding `c` to such a one leads to another
    /// remainder.
    fn is_further_round(&self, first: TermId, second: TermId) -> bool {
        let (x, y) = (self.term_of(first), self.term_of(second));
        let (Some(x), Some(y)) = (x, y) else {
            return false;
        };
        let (x, y) = match (x, y) {
            (Term::Pure(Operator::Cast(a), _, of), Term::Pure(Operator::Cast(b), _, by))
                if a == b && *a != Cast::Trunc =>
            {
                match (self.single(&of[0]), self.single(&by[0])) {
                    (Some(x), Some(y)) => (x, y),
                    _ => return false,
                }
            }
            _ => (first, second),
        };
        let Some(Term::Pure(Operator::Bin(BinOp::SRem | BinOp::URem), bits, operands)) =
            self.term_of(y)
        else {
            return false;
        };
        let n = &operands[1];
        // Small enough that nothing overflows.
        let is_number = n.anchor.is_none() && n.terms.is_empty();
        let is_small = *bits >= 32 && (1..=1 << 29).contains(&n.offset);
        let by = self.distance_from(&operands[0], x);
        is_number && is_small && by.is_some_and(|by| by != 0 && by.abs() < n.offset)
    }

    /// `address - term`, if that is a number.
    fn distance_from(&self, address: &Address, term: TermId) -> Option<i64> {
        if let Some(distance) = address.distance(&Address::term(term)) {
            return Some(distance);
        }
        match self.term_of(self.single(address)?)? {
            Term::Pure(Operator::Bin(BinOp::Add), _, operands) => {
                let is_number = |a: &Address| a.anchor.is_none() && a.terms.is_empty();
                let by = operands[0].distance(&Address::term(term))?;
                is_number(&operands[1]).then(|| by.checked_add(operands[1].offset))?
            }
            _ => None,
        }
    }

    /// The term that the address is.
    fn single(&self, address: &Address) -> Option<TermId> {
        match (address.anchor, address.terms.as_slice(), address.offset) {
            (None, [(term, 1)], 0) => Some(*term),
            _ => None,
        }
    }

    fn term_of(&self, id: TermId) -> Option<&Term> {
        let mut known = self.known.iter();
        known.find(|(_, known)| **known == id).map(|(term, _)| term)
    }

    /// An index as wide as a pointer.
    fn extended(&mut self, module: &Module, body: &Body, index: ValueId) -> Address {
        let form = self.values[index.index()].clone();
        let (bits, pointer) = (width(module, body.ty(index)), module.pointer_bits);
        let is_number = form.anchor.is_none() && form.terms.is_empty();
        if bits == pointer || is_number {
            return form;
        }
        let cast = if bits < pointer {
            Cast::SExt
        } else {
            Cast::Trunc
        };
        self.make(Operator::Cast(cast), pointer, &[form])
    }

    fn make(&mut self, operator: Operator, bits: u32, operands: &[Address]) -> Address {
        let mut leaves: SmallVec<[ValueId; 2]> = SmallVec::new();
        for (term, _) in operands.iter().flat_map(|o| &o.terms) {
            leaves.extend_from_slice(&self.leaves[*term]);
        }
        leaves.sort_unstable();
        leaves.dedup();
        let term = Term::Pure(operator, bits, operands.into());
        Address::term(self.intern(term, || leaves))
    }
}

fn width(module: &Module, ty: Type) -> u32 {
    ty.bits(module.pointer_bits)
}

fn signed(bits: u128, width: u32) -> i64 {
    let shift = 128 - width.clamp(1, 128);
    ((bits << shift) as i128 >> shift) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms() -> (Forms, TermId) {
        let mut forms = Forms {
            pointer_bits: 64,
            ..Forms::default()
        };
        let index = forms.leaf(ValueId(0)).terms[0].0;
        (forms, index)
    }

    /// `(index + by) % n`, of 64 bits.
    fn round(forms: &mut Forms, index: TermId, by: i64, n: i64) -> TermId {
        let sum = Address::term(index).moved(by);
        let rest = forms.make(Operator::Bin(BinOp::SRem), 64, &[sum, Address::constant(n)]);
        rest.terms[0].0
    }

    #[test]
    fn the_next_of_a_circle_is_another_one() {
        let (mut forms, index) = forms();
        let next = round(&mut forms, index, 1, 5);
        assert!(forms.is_further_round(index, next));
        let whole = round(&mut forms, index, 5, 5);
        assert!(!forms.is_further_round(index, whole));
        let itself = round(&mut forms, index, 0, 5);
        assert!(!forms.is_further_round(index, itself));
    }

    #[test]
    fn the_next_of_a_circle_of_one_is_the_same() {
        let (mut forms, index) = forms();
        let next = round(&mut forms, index, 1, 1);
        assert!(!forms.is_further_round(index, next));
    }
}
