//! Instructions.

use ir::{Body, Cast, Inst, Intrinsic, Op};
use smallvec::SmallVec;
use smt::{BinOp, CmpOp, Node, TermId};

use super::{Next, Run, Unroller, Worklist};
use crate::graph::FaultKind;
use crate::knowledge::Values;
use crate::memory::{Initial, ObjectKind};
use crate::path::Path;

/// All objects are aligned so, here and in the machine.
const SURELY_ALIGNED: u64 = 16;
/// So many values between which a term chooses are looked at.
const MOST_CHOICES: usize = 16;

impl Unroller<'_> {
    pub(super) fn instruction(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        body: &Body,
        inst: &Inst,
    ) -> Run<Next> {
        match &inst.op {
            Op::Bin { op, dst, a, b } => {
                let (a, b) = (path.register(*a), path.register(*b));
                self.check_division(work, path, *op, a, b)?;
                self.refuse_numbers_of_addresses(path, *op, a, b)?;
                let value = self.terms.bin(*op, a, b);
                self.derive(a, value);
                path.set(*dst, value);
            }
            Op::Cmp { op, dst, a, b } => {
                let value = self.terms.cmp(*op, path.register(*a), path.register(*b));
                path.set(*dst, value);
            }
            Op::Cast { op, dst, src } => {
                let width = self.width_of(path, *dst);
                let src = path.register(*src);
                let value = match op {
                    Cast::Trunc => self.terms.extract(src, 0, width),
                    Cast::ZExt => self.terms.zext(src, width),
                    Cast::SExt => self.terms.sext(src, width),
                    Cast::Bits => self.resized(src, width),
                };
                path.set(*dst, value);
            }
            Op::Select { dst, cond, a, b } => {
                let (a, b) = (path.register(*a), path.register(*b));
                let value = self.terms.ite(path.register(*cond), a, b);
                path.set(*dst, value);
            }
            Op::PtrAdd {
                dst,
                base,
                offset,
                indices,
                ..
            } => {
                let width = self.module.pointer_bits;
                let base = path.register(*base);
                let offset = self.terms.constant(width, *offset as u64 as u128);
                let mut sum = self.terms.bin(BinOp::Add, base, offset);
                for (index, scale) in indices {
                    let index = path.register(*index);
                    let index = match self.terms.width(index) > width {
                        true => self.terms.extract(index, 0, width),
                        false => self.terms.sext(index, width),
                    };
                    let scale = self.terms.constant(width, *scale as u64 as u128);
                    let step = self.terms.bin(BinOp::Mul, index, scale);
                    sum = self.terms.bin(BinOp::Add, sum, step);
                }
                self.point_into(path, base, sum)?;
                path.set(*dst, sum);
            }
            Op::Load {
                dst, ptr, atomic, ..
            } => {
                let width = self.width_of(path, *dst);
                if atomic.is_some_and(|order| !order.acquires()) {
                    self.note_weak(path);
                }
                let ptr = path.register(*ptr);
                let value = self.load(work, path, ptr, width, atomic.is_some())?;
                path.set(*dst, value);
            }
            Op::Store {
                ptr, value, atomic, ..
            } => {
                if atomic.is_some_and(|order| !order.releases()) {
                    self.note_weak(path);
                }
                let (ptr, value) = (path.register(*ptr), path.register(*value));
                self.store(work, path, ptr, value, atomic.is_some())?;
            }
            Op::Rmw {
                op,
                dst,
                ptr,
                value,
                order,
            } => {
                if !(order.acquires() && order.releases()) {
                    self.note_weak(path);
                }
                let width = self.width_of(path, *dst);
                let (ptr, operand) = (path.register(*ptr), path.register(*value));
                let probe = self.terms.constant(width, 0);
                if self.combine(*op, probe, probe).is_none() {
                    return self.stop(path, "floating point");
                }
                let old = self.update(work, path, ptr, width, |this, old| {
                    let yes = this.terms.bool(true);
                    let new = this.combine(*op, old, operand);
                    (yes, new.expect("not on floats"))
                })?;
                path.set(*dst, old);
            }
            Op::CmpXchg {
                old,
                success,
                ptr,
                expected,
                new,
                orders,
                ..
            } => {
                let [done, failed] = orders;
                if !(done.acquires() && done.releases() && failed.acquires()) {
                    self.note_weak(path);
                }
                let width = self.width_of(path, *old);
                let ptr = path.register(*ptr);
                let (expected, new) = (path.register(*expected), path.register(*new));
                let found = self.update(work, path, ptr, width, |this, old| {
                    (this.terms.eq(old, expected), new)
                })?;
                let succeeds = self.terms.eq(found, expected);
                path.set(*old, found);
                path.set(*success, succeeds);
            }
            Op::Fence(_) => self.note_weak(path),
            Op::Alloca {
                dst,
                size,
                count,
                align,
                ..
            } => {
                let count = match count {
                    Some(count) => self.need(path, path.register(*count), "the size of a local")?,
                    None => 1,
                };
                let size = size.saturating_mul(count);
                let base = self.allocate(
                    work,
                    path,
                    (size, *align),
                    ObjectKind::Stack,
                    Initial::Undefined,
                    0,
                )?;
                path.ended.remove(&base);
                let value = self.pointer(base);
                path.set(*dst, value);
            }
            Op::TlsAddr { dst, global } => {
                let address = self.thread_local(work, path, *global)?;
                let value = self.pointer(address);
                path.set(*dst, value);
            }
            Op::Call(call) => return self.call(work, path, call),
            Op::Intrinsic { op, results, args } => {
                return self.intrinsic(work, path, body, *op, results, args);
            }
            Op::Undef { dst } => {
                let width = self.width_of(path, *dst);
                let value = self.input(work, path, "undefined", width, 0);
                path.set(*dst, value);
            }
            Op::FloatBin { .. }
            | Op::FloatCmp { .. }
            | Op::FloatUnary { .. }
            | Op::FloatCast { .. } => return self.stop(path, "floating point"),
            Op::Unsupported { what, .. } => {
                return self.stop(path, format!("an instruction without a model: {what}"));
            }
        }
        Ok(Next::Go)
    }

    fn note_weak(&mut self, path: &Path) {
        if self.graph.weak.is_none() {
            self.graph.weak = Some(self.loc(path));
        }
    }

    /// Where objects lie is not said: what is computed from their addresses must not depend on it.
    fn refuse_numbers_of_addresses(
        &mut self,
        path: &Path,
        op: BinOp,
        a: TermId,
        b: TermId,
    ) -> Run<()> {
        if self.terms.width(a) != self.module.pointer_bits {
            return Ok(());
        }
        let (of_a, of_b) = (self.objects_at(a), self.objects_at(b));
        if of_a.is_empty() && of_b.is_empty() {
            return Ok(());
        }
        let is_small = |this: &Self, term| this.number(term).is_some_and(|n| n < SURELY_ALIGNED);
        let is_harmless = match op {
            BinOp::Sub => of_b.is_empty() || of_a == of_b && of_a.len() == 1,
            BinOp::Add => of_a.is_empty() || of_b.is_empty(),
            // Flags in the lowest bits.
            BinOp::And | BinOp::Or | BinOp::Xor => {
                let mask = if of_a.is_empty() { a } else { b };
                let inverse = self.terms.not(mask);
                is_small(self, mask) || is_small(self, inverse)
            }
            _ => false,
        };
        match is_harmless {
            true => Ok(()),
            false => self.stop(path, "a number that is made of an address"),
        }
    }

    /// The objects whose addresses a term may be, as far as a short look tells.
    fn objects_at(&mut self, term: TermId) -> SmallVec<[u64; 1]> {
        let mut bases: SmallVec<[u64; 1]> = SmallVec::new();
        let mut work: SmallVec<[TermId; 4]> = SmallVec::from_slice(&[term]);
        for _ in 0..MOST_CHOICES {
            let Some(next) = work.pop() else { break };
            if let Some(base) = self.provenance.get(&next) {
                bases.push(*base);
                continue;
            }
            match *self.terms.node(next) {
                Node::Ite(_, a, b) => work.extend([a, b]),
                Node::Constant { .. } | Node::Input(_) => {
                    if let Values::Few(all) = self.values_of(next) {
                        let objects = all.iter().filter_map(|at| self.objects.around(*at));
                        bases.extend(objects.map(|(base, _)| base));
                    }
                }
                _ => {}
            }
        }
        bases.sort_unstable();
        bases.dedup();
        bases
    }

    fn check_division(
        &mut self,
        work: &Worklist,
        path: &Path,
        op: BinOp,
        a: TermId,
        b: TermId,
    ) -> Run<()> {
        let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
        if !divides {
            return Ok(());
        }
        let is_zero = self.is(b, 0);
        self.fail_if(work.thread, path, FaultKind::DivisionByZero, is_zero)?;
        if matches!(op, BinOp::SDiv | BinOp::SRem) {
            let width = self.terms.width(a);
            let least = self.is(a, 1 << (width - 1));
            let minus_one = self.is(b, u128::MAX >> (128 - width));
            let overflows = self.terms.and(least, minus_one);
            self.fail_if(work.thread, path, FaultKind::DivisionByZero, overflows)?;
        }
        Ok(())
    }

    fn intrinsic(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        body: &Body,
        op: Intrinsic,
        results: &[ir::ValueId],
        args: &[ir::ValueId],
    ) -> Run<Next> {
        use Intrinsic::*;
        let arg: Vec<TermId> = args.iter().map(|a| path.register(*a)).collect();
        match op {
            Memcpy | Memmove => return self.copy(work, path, [arg[0], arg[1], arg[2]]),
            Memset => return self.fill(work, path, [arg[0], arg[1], arg[2]]),
            StackSave => {
                let width = body.ty(results[0]).bits(self.module.pointer_bits);
                let token = self.terms.constant(width, 0);
                path.set(results[0], token);
            }
            // Locals of a block live to the end of the function: an access to one that has ended
            // would not be seen.
            StackRestore => return self.stop(path, "locals of variable size"),
            Trap => return self.fail(work.thread, path, FaultKind::Abort),
            VaStart => self.begin_variable_arguments(work, path, arg[0])?,
            VaEnd => {}
            VaCopy => {
                let bytes = if self.module.pointer_bits == 64 {
                    24
                } else {
                    4
                };
                let bytes = self.pointer(bytes);
                return self.copy(work, path, [arg[0], arg[1], bytes]);
            }
            ReadCycleCounter => {
                let value = self.input(work, path, "cycle counter", 64, 0);
                path.set(results[0], value);
            }
            EhTypeId => return self.stop(path, "an exception"),
            FusedMultiplyAdd | IsFpClass => return self.stop(path, "floating point"),
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow
            | UMulOverflow => {
                let (value, overflows) = self.with_overflow(op, arg[0], arg[1]);
                path.set(results[0], value);
                if let Some(result) = results.get(1) {
                    path.set(*result, overflows);
                }
            }
            SMin | SMax | UMin | UMax => {
                let keeps = match op {
                    SMin => CmpOp::Slt,
                    SMax => CmpOp::Sgt,
                    UMin => CmpOp::Ult,
                    _ => CmpOp::Ugt,
                };
                let keeps = self.terms.cmp(keeps, arg[0], arg[1]);
                let value = self.terms.ite(keeps, arg[0], arg[1]);
                path.set(results[0], value);
            }
            Abs => {
                let width = self.terms.width(arg[0]);
                let zero = self.terms.constant(width, 0);
                let is_negative = self.terms.cmp(CmpOp::Slt, arg[0], zero);
                let negated = self.terms.neg(arg[0]);
                let value = self.terms.ite(is_negative, negated, arg[0]);
                path.set(results[0], value);
            }
            ByteSwap => {
                let width = self.terms.width(arg[0]);
                let mut value = self.terms.extract(arg[0], 0, 8);
                for i in 1..width / 8 {
                    let byte = self.terms.extract(arg[0], 8 * i, 8);
                    value = self.terms.concat(value, byte);
                }
                path.set(results[0], value);
            }
            _ => return self.stop(path, format!("an operation without a model: {op:?}")),
        }
        Ok(Next::Go)
    }

    /// With twice the width there is no overflow.
    fn with_overflow(&mut self, op: Intrinsic, a: TermId, b: TermId) -> (TermId, TermId) {
        use Intrinsic::*;
        let width = self.terms.width(a);
        let (op, is_signed) = match op {
            SAddOverflow => (BinOp::Add, true),
            UAddOverflow => (BinOp::Add, false),
            SSubOverflow => (BinOp::Sub, true),
            USubOverflow => (BinOp::Sub, false),
            SMulOverflow => (BinOp::Mul, true),
            _ => (BinOp::Mul, false),
        };
        let wide = (2 * width).min(128);
        let value = self.terms.bin(op, a, b);
        let extend = |this: &mut Self, term| match is_signed {
            true => this.terms.sext(term, wide),
            false => this.terms.zext(term, wide),
        };
        let (x, y) = (extend(self, a), extend(self, b));
        let exact = self.terms.bin(op, x, y);
        let back = extend(self, value);
        (value, self.terms.cmp(CmpOp::Ne, exact, back))
    }
}
