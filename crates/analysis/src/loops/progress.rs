//! What one round of a loop certainly does to the parameters of its header: the arithmetic between
//! a parameter and its next value.

use ir::{BinOp, BlockId, Body, CmpOp, Const, Op, Terminator, Type, ValueId};
use rustc_hash::FxHashMap;

use super::Loop;

/// How far a value computed in one round can be from a parameter of the header: a range of
/// differences.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Shift {
    low: i128,
    high: i128,
}

impl Shift {
    fn plus(self, c: i128) -> Shift {
        Shift {
            low: self.low.saturating_add(c),
            high: self.high.saturating_add(c),
        }
    }

    fn join(self, other: Shift) -> Shift {
        Shift {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
}

/// The values of a loop, for what one round does to the parameters of its header.
pub(super) struct Progress<'a> {
    body: &'a Body,
    pointer_bits: u32,
    lp: &'a Loop,
    /// What defines the values of the loop.
    definitions: FxHashMap<ValueId, Definition<'a>>,
}

#[derive(Clone, Copy)]
enum Definition<'a> {
    Op(&'a Op),
    Param(BlockId, usize),
}

/// How deep the arithmetic between a parameter and its next value is looked through.
const DEPTH: u32 = 24;

impl<'a> Progress<'a> {
    pub fn new(body: &'a Body, pointer_bits: u32, lp: &'a Loop) -> Progress<'a> {
        let mut definitions = FxHashMap::default();
        for &block in &lp.blocks {
            for (index, param) in body.blocks[block].params.iter().enumerate() {
                definitions.insert(*param, Definition::Param(block, index));
            }
            for inst in &body.blocks[block].insts {
                let op = &inst.op;
                op.for_each_result(|value| {
                    definitions.insert(value, Definition::Op(op));
                });
            }
        }
        Progress {
            body,
            pointer_bits,
            lp,
            definitions,
        }
    }

    /// Whether the latch always hands the header another value than `param`, its parameter number
    /// `index`, has in this round.
    pub fn certainly_changes(&self, latch: BlockId, index: usize, param: ValueId) -> bool {
        let mut changes = true;
        let terminator = &self.body.blocks[latch].terminator;
        let known = for_each_argument(terminator, self.lp.header, index, |value| {
            changes &= self.differs(value, param);
        });
        known && changes
    }

    /// Whether the block leaves the loop in the end: it compares what is counted with what that
    /// cannot miss.
    pub fn leaves_at(&self, block: BlockId) -> bool {
        let Terminator::CondBr { cond, then, other } = &self.body.blocks[block].terminator else {
            return false;
        };
        let goes_on = self.lp.contains(then.block);
        let Some(Definition::Op(Op::Cmp { op, a, b, .. })) = self.definitions.get(cond) else {
            return false;
        };
        if goes_on == self.lp.contains(other.block) {
            return false;
        }
        let op = if goes_on { *op } else { op.negated() };
        self.cannot_miss(*a, op, *b) || self.cannot_miss(*b, op.swapped(), *a)
    }

    /// Whether `counter op bound`, asked in every round, is false in the end.
    fn cannot_miss(&self, counter: ValueId, op: CmpOp, bound: ValueId) -> bool {
        let (Some(step), Some(bits)) = (self.step(counter), self.bits(counter)) else {
            return false;
        };
        let signed = matches!(op, CmpOp::Slt | CmpOp::Sle | CmpOp::Sgt | CmpOp::Sge);
        let (least, most) = match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let number = self
            .constant(bound)
            .map(|n| if signed { n } else { n & most });
        // The first number for which it is false, from where on it stays so for a whole step;
        // without a number, the very last one.
        let first = |last_true: i128| number.map_or(i128::MAX, |n| n - last_true);
        match op {
            CmpOp::Eq => step != 0 && !self.definitions.contains_key(&bound),
            CmpOp::Ne => step % 2 != 0 && !self.definitions.contains_key(&bound),
            CmpOp::Slt | CmpOp::Ult => step == 1 || step > 1 && first(0) <= most - (step - 1),
            CmpOp::Sle | CmpOp::Ule => step >= 1 && first(-1) <= most - (step - 1),
            CmpOp::Sgt | CmpOp::Ugt => {
                step == -1 || step < -1 && number.is_some_and(|n| n >= least - step - 1)
            }
            CmpOp::Sge | CmpOp::Uge => step <= -1 && number.is_some_and(|n| n >= least - step),
        }
    }

    /// Whether an instruction of the block accesses memory at an address that moves on by the same
    /// step in every round.
    pub fn walks_in(&self, block: BlockId) -> bool {
        let moves = |address: ValueId| match self.definitions.get(&address) {
            Some(Definition::Op(Op::PtrAdd { base, indices, .. })) if !indices.is_empty() => {
                let [(index, scale)] = indices[..] else {
                    return false;
                };
                let is_fixed = !self.definitions.contains_key(base);
                // A smaller index may come round again inside the object.
                let is_large = self.bits(index).is_some_and(|bits| bits >= 32);
                let moves = self.step(index).is_some_and(|step| step != 0);
                is_fixed && scale != 0 && is_large && moves
            }
            _ => self.step(address).is_some_and(|step| step != 0),
        };
        self.body.blocks[block]
            .insts
            .iter()
            .any(|inst| match &inst.op {
                Op::Load { ptr, .. } | Op::Store { ptr, .. } => moves(*ptr),
                _ => false,
            })
    }

    /// By how much a value grows in every round, modulo its width: it is a parameter of the header
    /// plus a constant.
    fn step(&self, value: ValueId) -> Option<i128> {
        let header = &self.body.blocks[self.lp.header];
        let half = 1i128 << (self.bits(value)? - 1);
        let exactly = |shift: Shift| (shift.low == shift.high).then_some(shift.low);
        header
            .params
            .iter()
            .enumerate()
            .find_map(|(index, &param)| {
                exactly(self.shift(value, param, DEPTH)?)?;
                let mut steps: Vec<Option<i128>> = Vec::new();
                for latch in &self.lp.latches {
                    let terminator = &self.body.blocks[*latch].terminator;
                    let known = for_each_argument(terminator, self.lp.header, index, |next| {
                        steps.push(self.shift(next, param, DEPTH).and_then(exactly));
                    });
                    if !known {
                        return None;
                    }
                }
                let step = (*steps.first()?)?;
                let is_same = steps.iter().all(|other| *other == Some(step));
                (is_same && -half < step && step < half).then_some(step)
            })
    }

    /// Whether `value` is never equal to `param`.
    fn differs(&self, value: ValueId, param: ValueId) -> bool {
        let Some(bits) = self.bits(param) else {
            return false;
        };
        let half = 1i128 << (bits - 1);
        if let Some(shift) = self.shift(value, param, DEPTH) {
            return excludes_zero(shift) && shift.low > -half && shift.high < half;
        }
        // Reduced to a range of residues: equal only if the shift is a multiple of the modulus.
        let Some(Definition::Op(Op::Bin { op, a, b, .. })) = self.definitions.get(&value) else {
            return false;
        };
        let Some(modulus) = self.constant(*b) else {
            return false;
        };
        let modulus = match op {
            BinOp::URem | BinOp::SRem => modulus,
            // A mask of low bits keeps what is below a power of two.
            BinOp::And if modulus.checked_add(1).is_some_and(|m| m & modulus == 0) => modulus + 1,
            _ => return false,
        };
        let Some(shift) = self.shift(*a, param, DEPTH) else {
            return false;
        };
        // Below the modulus the addition does not wrap, and a shift smaller than the modulus is no
        // multiple of it.
        let small = shift.low > -modulus && shift.high < modulus;
        modulus > 1 && modulus < half / 2 && small && shift.low > 0
    }

    /// `value` as `param` plus something, modulo its width, if it is that on every way through the
    /// round.
    fn shift(&self, value: ValueId, param: ValueId, depth: u32) -> Option<Shift> {
        if value == param {
            return Some(Shift { low: 0, high: 0 });
        }
        let depth = depth.checked_sub(1)?;
        match self.definitions.get(&value)? {
            Definition::Op(Op::Bin {
                op: BinOp::Add,
                a,
                b,
                ..
            }) => match (self.constant(*a), self.constant(*b)) {
                (_, Some(c)) => Some(self.shift(*a, param, depth)?.plus(c)),
                (Some(c), _) => Some(self.shift(*b, param, depth)?.plus(c)),
                _ => None,
            },
            Definition::Op(Op::Bin {
                op: BinOp::Sub,
                a,
                b,
                ..
            }) => Some(self.shift(*a, param, depth)?.plus(-self.constant(*b)?)),
            Definition::Op(Op::PtrAdd {
                base,
                offset,
                indices,
                ..
            }) if indices.is_empty() => {
                Some(self.shift(*base, param, depth)?.plus(i128::from(*offset)))
            }
            Definition::Op(Op::Select { a, b, .. }) => {
                let a = self.shift(*a, param, depth)?;
                Some(a.join(self.shift(*b, param, depth)?))
            }
            Definition::Param(block, index) if *block != self.lp.header => {
                let mut joined: Option<Shift> = None;
                for from in &self.lp.blocks {
                    let mut known = true;
                    let terminator = &self.body.blocks[*from].terminator;
                    let found = for_each_argument(terminator, *block, *index, |value| {
                        match self.shift(value, param, depth) {
                            Some(shift) => {
                                joined = Some(joined.map_or(shift, |other| other.join(shift)));
                            }
                            None => known = false,
                        }
                    });
                    if !found || !known {
                        return None;
                    }
                }
                joined
            }
            _ => None,
        }
    }

    fn bits(&self, value: ValueId) -> Option<u32> {
        let ty = self.body.ty(value);
        let bits = ty.bits(self.pointer_bits);
        (!ty.is_float() && (2..=64).contains(&bits)).then_some(bits)
    }

    /// As a signed number.
    fn constant(&self, value: ValueId) -> Option<i128> {
        let Some(Const::Bits(bits)) = self.body.values[value].constant else {
            return None;
        };
        let Type::Int(width @ 1..=64) = self.body.ty(value) else {
            return None;
        };
        let unused = 128 - u32::from(width);
        Some(((bits << unused) as i128) >> unused)
    }
}

fn excludes_zero(shift: Shift) -> bool {
    shift.low > 0 || shift.high < 0
}

/// Calls `f` on what the terminator hands to parameter `index` of `block`, once per edge. `false`
/// if that cannot be told.
fn for_each_argument(
    terminator: &Terminator,
    block: BlockId,
    index: usize,
    mut f: impl FnMut(ValueId),
) -> bool {
    let mut known = true;
    crate::edge::for_each_argument(terminator, block, index, |argument| match argument {
        Some(value) => f(value),
        None => known = false,
    });
    known
}
