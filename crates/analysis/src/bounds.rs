//! Intervals of the integers of one function, and what they say about offsets of addresses.
//!
//! An abstract interpretation over SSA values (Cousot and Cousot, POPL 1977): block parameters are
//! joined over the edges that bring them and widened when they keep growing, then everything is
//! narrowed. A comparison that a branch tests refines both operands in all blocks that the branch's
//! edge dominates: an SSA value tested there is the very value used there, since a new one could
//! only be computed by passing the edge again. Loads and calls may be anything, parameters what
//! they are said to be (`arguments`). Values are wrapped as the IR wraps them. A value that the
//! analysis never reached is said to be anything.
//!
//! Sound in this direction: every value that an execution computes lies in its interval.

use base::Interval;
use ir::{BinOp, BlockId, Body, Cast, CmpOp, Const, Intrinsic, Op, Terminator, Type, ValueId};
use rustc_hash::FxHashMap;

use crate::cfg::Cfg;
use crate::dominance::DominatorTree;
use crate::edge;

/// Whether signed numbers compare so. `None`: it is not a comparison of such.
pub fn compares(compare: CmpOp, a: i64, b: i64) -> Option<bool> {
    Some(match compare {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Slt => a < b,
        CmpOp::Sle => a <= b,
        CmpOp::Sgt => a > b,
        CmpOp::Sge => a >= b,
        _ => return None,
    })
}

pub struct Bounds<'a> {
    body: &'a Body,
    pointer_bits: u32,
    dominators: &'a DominatorTree,
    definitions: Vec<Option<(BlockId, &'a Op)>>,
    intervals: Vec<Option<Interval>>,
    constraints: FxHashMap<ValueId, Vec<Constraint>>,
}

/// In blocks dominated by `block` (or on the edge `from -> block`, if others lead there too)
/// `value op other` holds.
#[derive(Clone, Copy)]
struct Constraint {
    block: BlockId,
    from: BlockId,
    only_edge: bool,
    op: CmpOp,
    other: Other,
}

#[derive(Clone, Copy)]
enum Other {
    Value(ValueId),
    Constant(u128),
}

/// Where a pointer points, relative to another one: `base` plus something between `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    pub base: ValueId,
    pub low: i128,
    pub high: i128,
}

/// How often a parameter may grow before it is widened: enough for a flag or a two-step count to
/// settle.
const GROWTH: u32 = 3;

/// How many rounds of narrowing: one undoes the widening of a loop, one more each for loops nested
/// in it.
const NARROWING: u32 = 3;

/// Conditions that are looked through for what they imply.
const CONDITION_DEPTH: u32 = 8;

impl<'a> Bounds<'a> {
    /// In a function that calls `setjmp`, which `returns_twice`, a value may be computed anew and
    /// then met behind an old test. `arguments`: what the parameters are in every call, as far as
    /// that is known.
    pub fn of(
        body: &'a Body,
        pointer_bits: u32,
        cfg: &Cfg,
        dominators: &'a DominatorTree,
        returns_twice: bool,
        arguments: &[Option<Interval>],
    ) -> Bounds<'a> {
        let mut definitions = vec![None; body.values.len()];
        for (block, b) in body.blocks.enumerate() {
            for inst in &b.insts {
                inst.op
                    .for_each_result(|value| definitions[value.index()] = Some((block, &inst.op)));
            }
        }
        let mut bounds = Bounds {
            body,
            pointer_bits,
            dominators,
            definitions,
            intervals: vec![None; body.values.len()],
            constraints: FxHashMap::default(),
        };
        for (value, v) in body.values.enumerate() {
            if let (Some(Const::Bits(bits)), Some(width)) = (v.constant, bounds.width(value)) {
                bounds.intervals[value.index()] = Some(Interval::constant(width, bits));
            } else if v.constant.is_some() {
                bounds.intervals[value.index()] = bounds.anything(value);
            }
        }
        for (index, param) in body.params.iter().enumerate() {
            let given = arguments.get(index).copied().flatten();
            let given = given.filter(|interval| Some(interval.width()) == bounds.width(*param));
            bounds.intervals[param.index()] = given.or(bounds.anything(*param));
        }
        if !returns_twice {
            for &block in cfg.order() {
                bounds.collect_constraints(cfg, block);
            }
        }
        bounds.solve(cfg);
        bounds
    }

    /// What `value` may be when `block` uses it.
    pub fn interval(&self, value: ValueId, block: BlockId) -> Option<Interval> {
        let interval = self.intervals[value.index()].or(self.anything(value))?;
        Some(self.refined(value, interval, |c| {
            !c.only_edge && self.dominators.dominates(c.block, block)
        }))
    }

    /// The instruction that computes the value, and its block.
    pub fn definition(&self, value: ValueId) -> Option<(BlockId, &'a Op)> {
        self.definitions[value.index()]
    }

    /// `pointer`, when `block` uses it, as far as address arithmetic can be followed back.
    pub fn offset(&self, pointer: ValueId, block: BlockId) -> Offset {
        let mut offset = Offset {
            base: pointer,
            low: 0,
            high: 0,
        };
        while let Some((
            _,
            Op::PtrAdd {
                base,
                offset: constant,
                indices,
                ..
            },
        )) = self.definitions[offset.base.index()]
        {
            let Some((low, high)) = self.sum(indices, block) else {
                break;
            };
            let constant = i128::from(*constant);
            offset = Offset {
                base: *base,
                low: offset.low + low + constant,
                high: offset.high + high + constant,
            };
        }
        offset
    }

    fn sum(&self, indices: &[(ValueId, i64)], block: BlockId) -> Option<(i128, i128)> {
        let (mut low, mut high) = (0i128, 0i128);
        for (index, scale) in indices {
            let interval = self.interval(*index, block)?;
            if interval.width() > self.pointer_bits {
                return None;
            }
            let (least, most) = interval.signed();
            let ends = [least, most].map(|end| end * i128::from(*scale));
            low = low.checked_add(ends[0].min(ends[1]))?;
            high = high.checked_add(ends[0].max(ends[1]))?;
        }
        // Beyond this the sum says nothing anyway, and further sums cannot overflow.
        let small = -(1i128 << 100)..(1i128 << 100);
        (small.contains(&low) && small.contains(&high)).then_some((low, high))
    }

    fn width(&self, value: ValueId) -> Option<u32> {
        match self.body.ty(value) {
            Type::Int(bits @ 1..=64) => Some(u32::from(bits)),
            Type::Ptr => Some(self.pointer_bits).filter(|bits| (1..=64).contains(bits)),
            _ => None,
        }
    }

    fn anything(&self, value: ValueId) -> Option<Interval> {
        self.width(value).map(Interval::full)
    }

    fn refined(
        &self,
        value: ValueId,
        interval: Interval,
        holds: impl Fn(&Constraint) -> bool,
    ) -> Interval {
        let Some(constraints) = self.constraints.get(&value) else {
            return interval;
        };
        let holding = constraints.iter().filter(|c| holds(c));
        holding.fold(interval, |interval, constraint| {
            let other = match constraint.other {
                Other::Constant(bits) => Some(Interval::constant(interval.width(), bits)),
                Other::Value(other) => self.intervals[other.index()].or(self.anything(other)),
            };
            match other {
                Some(other) if other.width() == interval.width() => {
                    restricted(interval, constraint.op, other)
                }
                _ => interval,
            }
        })
    }

    fn collect_constraints(&mut self, cfg: &Cfg, from: BlockId) {
        match &self.body.blocks[from].terminator {
            Terminator::CondBr { cond, then, other } if then.block != other.block => {
                self.assume(cfg, from, then.block, *cond, true, CONDITION_DEPTH);
                self.assume(cfg, from, other.block, *cond, false, CONDITION_DEPTH);
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let mut edges: FxHashMap<BlockId, u32> = FxHashMap::default();
                for target in cases.iter().map(|(_, target)| target).chain([default]) {
                    *edges.entry(target.block).or_default() += 1;
                }
                for (case, target) in cases {
                    if edges[&target.block] == 1 {
                        let other = Other::Constant(*case);
                        self.constrain(cfg, from, target.block, *value, CmpOp::Eq, other);
                    }
                }
            }
            _ => {}
        }
    }

    /// On the edge from `from` to `to` the condition is true, or false.
    fn assume(
        &mut self,
        cfg: &Cfg,
        from: BlockId,
        to: BlockId,
        cond: ValueId,
        is: bool,
        depth: u32,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let Some((_, op)) = self.definitions[cond.index()] else {
            return;
        };
        match op {
            Op::Cmp { op, a, b, .. } => {
                let op = if is { *op } else { op.negated() };
                self.constrain(cfg, from, to, *a, op, Other::Value(*b));
                self.constrain(cfg, from, to, *b, op.swapped(), Other::Value(*a));
                // `(int)condition != 0`
                if let Some((
                    _,
                    Op::Cast {
                        op: Cast::ZExt | Cast::SExt,
                        src,
                        ..
                    },
                )) = self.definitions[a.index()]
                    && self.body.ty(*src) == Type::BOOL
                    && self.body.values[*b].constant == Some(Const::Bits(0))
                    && matches!(op, CmpOp::Eq | CmpOp::Ne)
                {
                    self.assume(cfg, from, to, *src, op == CmpOp::Ne, depth);
                }
            }
            Op::Bin {
                op: BinOp::And,
                a,
                b,
                ..
            } if is && self.body.ty(cond) == Type::BOOL => {
                self.assume(cfg, from, to, *a, true, depth);
                self.assume(cfg, from, to, *b, true, depth);
            }
            _ => {}
        }
    }

    fn constrain(
        &mut self,
        cfg: &Cfg,
        from: BlockId,
        to: BlockId,
        value: ValueId,
        op: CmpOp,
        other: Other,
    ) {
        if self.body.values[value].constant.is_some() || self.width(value).is_none() {
            return;
        }
        let constraint = Constraint {
            block: to,
            from,
            only_edge: cfg.predecessors(to) != [from] || to == cfg.entry(),
            op,
            other,
        };
        self.constraints.entry(value).or_default().push(constraint);
    }

    fn solve(&mut self, cfg: &Cfg) {
        let mut growth = vec![0u32; self.body.values.len()];
        loop {
            let mut changed = false;
            for &block in cfg.order() {
                self.evaluate(cfg, block, |old, new, value| {
                    let Some(old) = old else {
                        changed = true;
                        return new;
                    };
                    let mut joined = old.join(new);
                    if joined != old {
                        changed = true;
                        growth[value.index()] += 1;
                        if growth[value.index()] > GROWTH {
                            joined = joined.widened(old);
                        }
                    }
                    joined
                });
            }
            if !changed {
                break;
            }
        }
        // From intervals that hold every value, one more evaluation gives intervals that hold every
        // value.
        for _ in 0..NARROWING {
            for &block in cfg.order() {
                self.evaluate(cfg, block, |_, new, _| new);
            }
        }
    }

    /// Computes the values of the block anew and lets `keep` put old and new together.
    fn evaluate(
        &mut self,
        cfg: &Cfg,
        block: BlockId,
        mut keep: impl FnMut(Option<Interval>, Interval, ValueId) -> Interval,
    ) {
        let body = self.body;
        for (index, param) in body.blocks[block].params.iter().enumerate() {
            if let Some(new) = self.joined_argument(cfg, block, index, *param) {
                let old = self.intervals[param.index()];
                self.intervals[param.index()] = Some(keep(old, new, *param));
            }
        }
        for inst in &body.blocks[block].insts {
            inst.op.for_each_result(|value| {
                if let Some(new) = self.computed(&inst.op, value, block) {
                    let old = self.intervals[value.index()];
                    self.intervals[value.index()] = Some(keep(old, new, value));
                }
            });
        }
        for value in body.blocks[block].terminator.results() {
            self.intervals[value.index()] = self.anything(*value);
        }
    }

    fn joined_argument(
        &self,
        cfg: &Cfg,
        block: BlockId,
        index: usize,
        param: ValueId,
    ) -> Option<Interval> {
        let anything = self.anything(param)?;
        let mut joined: Option<Interval> = None;
        for &from in cfg.predecessors(block) {
            if !cfg.is_reachable(from) {
                continue;
            }
            let terminator = &self.body.blocks[from].terminator;
            edge::for_each_argument(terminator, block, index, |argument| {
                let interval = match argument {
                    Some(value) => self.intervals[value.index()].map(|interval| {
                        self.refined(value, interval, |c| {
                            (c.from == from && c.block == block)
                                || !c.only_edge && self.dominators.dominates(c.block, from)
                        })
                    }),
                    None => Some(anything),
                };
                if let Some(interval) = interval {
                    joined = Some(joined.map_or(interval, |other| other.join(interval)));
                }
            });
        }
        joined
    }

    /// `None` if an operand has not been reached, or the value is not an integer.
    fn computed(&self, op: &Op, value: ValueId, block: BlockId) -> Option<Interval> {
        let anything = self.anything(value)?;
        let at = |operand: ValueId| {
            let interval = self.intervals[operand.index()]?;
            Some(self.refined(operand, interval, |c| {
                !c.only_edge && self.dominators.dominates(c.block, block)
            }))
        };
        match op {
            Op::Bin { op, a, b, .. } => Some(bin(*op, at(*a)?, at(*b)?)),
            Op::Cast { op, src, .. } if self.width(*src).is_some() => {
                let src = at(*src)?;
                Some(match op {
                    Cast::Trunc if anything.width() <= src.width() => {
                        src.truncated(anything.width())
                    }
                    Cast::ZExt => src.zext(anything.width()),
                    Cast::SExt => src.sext(anything.width()),
                    Cast::Bits if src.width() == anything.width() => src,
                    _ => anything,
                })
            }
            Op::Select { a, b, .. } => match (at(*a), at(*b)) {
                (Some(a), Some(b)) => Some(a.join(b)),
                (one, other) => one.or(other),
            },
            Op::Intrinsic {
                op: intrinsic,
                args,
                ..
            } => {
                let op = match intrinsic {
                    Intrinsic::SMin => CmpOp::Sle,
                    Intrinsic::SMax => CmpOp::Sge,
                    Intrinsic::UMin => CmpOp::Ule,
                    Intrinsic::UMax => CmpOp::Uge,
                    _ => return Some(anything),
                };
                let mut intervals = args.iter().filter_map(|arg| at(*arg));
                Some(match (intervals.next(), intervals.next()) {
                    (Some(a), Some(b)) => restricted(restricted(a.join(b), op, a), op, b),
                    _ => anything,
                })
            }
            _ => Some(anything),
        }
    }
}

/// The members that stand in relation `op` to some member of `other`; all if none does, which is
/// code that is never reached.
fn restricted(interval: Interval, op: CmpOp, other: Interval) -> Interval {
    let part = interval.restricted(op, other);
    if part.is_empty() { interval } else { part }
}

/// What the instruction may yield. A zero divisor is a fault, so the result belongs to the others;
/// an amount of a shift beyond the width yields anything, and so does code that is never reached.
fn bin(op: BinOp, a: Interval, b: Interval) -> Interval {
    let by = |op: CmpOp| b.restricted(op, Interval::constant(b.width(), 0));
    let result = match op {
        BinOp::UDiv | BinOp::URem => Interval::bin(op, a, by(CmpOp::Ugt)),
        BinOp::SDiv | BinOp::SRem => {
            Interval::bin(op, a, by(CmpOp::Slt)).join(Interval::bin(op, a, by(CmpOp::Sgt)))
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr if b.unsigned().1 >= u128::from(b.width()) => {
            Interval::full(a.width())
        }
        _ => Interval::bin(op, a, b),
    };
    if result.is_empty() {
        Interval::full(a.width())
    } else {
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::FuncId;

    /// The signed bounds of value `value` as block `block` of the one function sees it. Constants
    /// are not numbered in the text, so values are named by how they are used: `value` counts the
    /// assigned ones, parameters first.
    #[track_caller]
    fn check(text: &str, value: usize, block: u32, expected: (i128, i128)) {
        let module = ir::text::parse(text).expect("valid text");
        let body = module.functions[FuncId(0)].body.as_ref().expect("a body");
        let cfg = Cfg::of(body);
        let dominators = DominatorTree::dominators(&cfg);
        let bounds = Bounds::of(body, 64, &cfg, &dominators, false, &[]);
        let constants = body.values.iter().filter(|v| v.constant.is_some()).count();
        let interval = bounds.interval(ValueId::from(constants + value), BlockId(block));
        assert_eq!(interval.expect("an integer").signed(), expected);
    }

    /// Where the instruction does not fail and yields no arbitrary number, on all runs of 3 bits.
    #[test]
    fn instructions_are_covered() {
        let unsigned = (0..8).flat_map(|low| (low..8).map(move |high| (low, high)));
        let unsigned = unsigned.map(|(low, high)| Interval::from_unsigned(3, low, high));
        let signed = (-4..4).flat_map(|low| (low..4).map(move |high| (low, high)));
        let signed = signed.map(|(low, high)| Interval::from_signed(3, low, high));
        let intervals: Vec<Interval> = unsigned.chain(signed).collect();
        for (a, b) in intervals
            .iter()
            .flat_map(|a| intervals.iter().map(move |b| (*a, *b)))
        {
            for op in BinOp::ALL {
                let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
                let shifts = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
                let result = bin(op, a, b);
                for x in (0..8).filter(|x| a.contains(*x)) {
                    for y in (0..8).filter(|y| b.contains(*y)) {
                        let value = base::semantics::bin(op, 3, x, y);
                        assert!(
                            divides && y == 0 || result.contains(value),
                            "{op:?} {x} {y}: {a:?} {b:?} {result:?}"
                        );
                        assert!(!shifts || y < 3 || result == Interval::full(3));
                    }
                }
            }
        }
    }

    #[test]
    fn divisors_are_not_zero() {
        let text =
            "func @f(i32 %0, i32 %1) { b0: %2: i32 = srem %0, i32 128  %3: i32 = and %1, i32 7
             %4: i32 = udiv %3, %3  %5: i32 = sdiv %2, %2  %6: i32 = srem %0, %2  ret }";
        check(text, 4, 0, (0, 7));
        check(text, 5, 0, (-127, 127));
        check(text, 6, 0, (-126, 126));
    }

    const COUNT: &str =
        "func @f() { b0: br b1(i32 0)  b1(%0: i32): %1: i1 = cmp slt %0, i32 10 condbr %1, b2, b3
         b2: %2: i32 = add %0, i32 1  br b1(%2)  b3: ret }";

    #[test]
    fn counting_loop() {
        check(COUNT, 0, 1, (0, 10));
        check(COUNT, 0, 2, (0, 9));
        check(COUNT, 0, 3, (10, 10));
    }

    #[test]
    fn counting_without_bound_wraps() {
        let text = "func @f(i1 %0) { b0: br b1(i32 0)  b1(%1: i32): condbr %0, b2, b3  b2: %2: i32 = add %1, i32 1 br b1(%2)  b3: ret }";
        check(text, 1, 3, (i128::from(i32::MIN), i128::from(i32::MAX)));
    }

    #[test]
    fn modulus_keeps_an_index_in_bounds() {
        let text = "func @f(i1 %0) { b0: br b1(i32 0)  b1(%1: i32): condbr %0, b2, b3
             b2: %2: i32 = add %1, i32 1 %3: i32 = urem %2, i32 128  br b1(%3)  b3: ret }";
        check(text, 1, 1, (0, 127));
    }

    #[test]
    fn branches_refine_only_what_they_dominate() {
        let text = "func @f(i32 %0) { b0: %1: i1 = cmp ult %0, i32 8  condbr %1, b1, b2  b1: br b2  b2: ret }";
        check(text, 0, 1, (0, 7));
        check(text, 0, 2, (i128::from(i32::MIN), i128::from(i32::MAX)));
        let cast = "func @f(i32 %0) { b0: %1: i1 = cmp ult %0, i32 8  %2: i32 = zext %1  %3: i1 = cmp ne %2, i32 0
             condbr %3, b1, b2  b1: ret  b2: ret }";
        check(cast, 0, 1, (0, 7));
        check(cast, 0, 2, (i128::from(i32::MIN), i128::from(i32::MAX)));
    }

    #[test]
    fn switch_cases_are_known() {
        let text = "func @f(i32 %0) { b0: switch %0 { 5: b1, 6: b2, 7: b2, default: b3 }  b1: ret  b2: ret  b3: ret }";
        check(text, 0, 1, (5, 5));
        check(text, 0, 2, (i128::from(i32::MIN), i128::from(i32::MAX)));
    }

    #[test]
    fn offsets_follow_address_arithmetic() {
        let text = "func @f(ptr %0, i32 %1) { b0: %2: i32 = and %1, i32 7  %3: i64 = sext %2
             %4: ptr = ptradd %0 + 8  %5: ptr = ptradd %4 + 4 + %3 * 4  store i32 0 to %5 ret }";
        let module = ir::text::parse(text).expect("valid text");
        let body = module.functions[FuncId(0)].body.as_ref().expect("a body");
        let cfg = Cfg::of(body);
        let dominators = DominatorTree::dominators(&cfg);
        let bounds = Bounds::of(body, 64, &cfg, &dominators, false, &[]);
        let pointer = ValueId::from(body.values.len() - 1);
        let base = body.params[0];
        let (low, high) = (12, 40);
        assert_eq!(
            bounds.offset(pointer, BlockId(0)),
            Offset { base, low, high }
        );
    }
}
