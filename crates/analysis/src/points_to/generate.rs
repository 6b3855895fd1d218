//! The constraints of instructions.
//!
//! Every value may carry an address, whatever its type. What is computed from addresses in any
//! other way than by adding a constant or a multiple, or by changing low bits, points anywhere into
//! the same objects.

use ir::{
    BinOp, Body, Call, Callee, Cast, Const, Inst, Intrinsic, Op, RmwOp, Target, Terminator, Type,
    ValueId,
};

use rustc_hash::FxHashSet;

use super::AccessKind::{Read, Write};
use super::flow::{Flow, Site};
use super::place::{ObjectKind, Place, gcd};
use super::receivers::Loads;
use super::solver::{LowBits, Rule, Solver};
use crate::node::NodeId;

/// All addresses are below: an operation on higher bits alone keeps them.
const ADDRESS_BITS: u32 = 47;

impl Flow<'_> {
    pub(super) fn generate(&mut self, solver: &mut Solver, instance: u32) {
        let function = self.instances[instance as usize].function;
        let body = self.module.functions[function].body.as_ref();
        let body = body.expect("a function that is entered");
        let mut scope = Scope {
            narrow: narrow_values(body, self.module.pointer_bits),
            loads: Loads::of(body),
            flow: self,
            solver,
            instance,
            node: NodeId(0),
            body,
        };
        for (block, b) in body.blocks.enumerate() {
            for (index, inst) in b.insts.iter().enumerate() {
                scope.node = scope.flow.nodes.at(function, block, index);
                scope.inst(inst);
            }
            scope.node = scope.flow.nodes.terminator(function, block);
            scope.terminator(&b.terminator);
        }
    }
}

/// Where an instruction stands.
struct Scope<'s, 'm> {
    flow: &'s mut Flow<'m>,
    solver: &'s mut Solver,
    instance: u32,
    node: NodeId,
    body: &'m Body,
    narrow: FxHashSet<ValueId>,
    loads: Loads,
}

impl Scope<'_, '_> {
    fn inst(&mut self, inst: &Inst) {
        match &inst.op {
            Op::Bin { op, dst, a, b } => self.binary(*op, *dst, *a, *b),
            Op::Cmp { .. } | Op::FloatCmp { .. } | Op::Fence(_) => {}
            Op::Undef { .. } | Op::Unsupported { .. } => {}
            Op::Cast { op, dst, src } => self.cast(*op, *dst, *src),
            Op::Select { dst, a, b, .. } => {
                self.copy(*a, *dst);
                self.copy(*b, *dst);
            }
            Op::FloatBin { dst, a, b, .. } => self.mix(&[*a, *b], *dst),
            Op::FloatUnary { dst, src, .. } | Op::FloatCast { dst, src, .. } => {
                self.mix(&[*src], *dst);
            }
            Op::PtrAdd {
                dst,
                base,
                offset,
                indices,
                ..
            } => self.pointer_add(*dst, *base, *offset, indices),
            Op::Load { dst, ptr, .. } => self.load(*ptr, *dst),
            Op::Store { ptr, value, .. } => self.store(*ptr, *value),
            Op::Rmw {
                op,
                dst,
                ptr,
                value,
                ..
            } => self.update(*op, *dst, *ptr, *value),
            Op::CmpXchg { old, ptr, new, .. } => {
                self.load(*ptr, *old);
                self.store(*ptr, *new);
            }
            Op::Alloca {
                dst, size, count, ..
            } => self.local(*dst, *size, *count),
            Op::TlsAddr { dst, global } => {
                let place = Place::start(self.flow.globals[*global]);
                let dst = self.value(*dst);
                self.solver.add_target(dst, place);
            }
            Op::Call(call) => self.call(call),
            Op::Intrinsic { op, results, args } => self.intrinsic(*op, results, args),
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Br(target) => self.edge(target),
            Terminator::CondBr { then, other, .. } => {
                self.edge(then);
                self.edge(other);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, target)| self.edge(target));
                self.edge(default);
            }
            // The targets have no parameters.
            Terminator::IndirectBr { .. } | Terminator::Unreachable => {}
            Terminator::Ret(values) => {
                for (index, &value) in values.iter().enumerate() {
                    let from = self.value(value);
                    let results = &self.flow.instances[self.instance as usize].results;
                    if let Some(&to) = results.get(index) {
                        self.flow.copy(self.solver, from, to);
                    }
                }
            }
            Terminator::Invoke {
                call,
                normal,
                unwind,
            } => {
                self.call(call);
                self.edge(normal);
                let params = &self.body.blocks[unwind.block].params;
                if let Some(&exception) = params.first() {
                    let exception = self.value(exception);
                    self.flow
                        .copy(self.solver, self.flow.special.thrown, exception);
                }
                for (&param, &arg) in params.iter().skip(2).zip(&unwind.args) {
                    self.copy(arg, param);
                }
            }
            Terminator::Resume { exception, .. } => {
                let exception = self.value(*exception);
                self.flow.throw(self.solver, self.node, exception);
            }
        }
    }

    fn edge(&mut self, target: &Target) {
        let params = &self.body.blocks[target.block].params;
        for (&param, &arg) in params.iter().zip(&target.args) {
            self.copy(arg, param);
        }
    }

    fn value(&self, value: ValueId) -> u32 {
        self.flow.value(self.instance, value)
    }

    fn constant(&self, value: ValueId) -> Option<u128> {
        match self.body.values[value].constant {
            Some(Const::Bits(bits)) => Some(bits),
            _ => None,
        }
    }

    /// The constant that the copy of the function is given for a parameter.
    fn given(&self, value: ValueId) -> Option<u64> {
        let index = self.body.params.iter().position(|param| *param == value)?;
        let given = &self.flow.instances[self.instance as usize].given;
        given.get(index).copied().flatten()
    }

    /// The constant as a signed number of its width.
    fn signed_constant(&self, value: ValueId) -> Option<i64> {
        let bits = self.constant(value)?;
        let unused = 128 - self.bits(value).min(128);
        i64::try_from((bits << unused).cast_signed() >> unused).ok()
    }

    fn bits(&self, value: ValueId) -> u32 {
        self.body.ty(value).bits(self.flow.module.pointer_bits)
    }

    fn bytes(&self, value: ValueId) -> Option<u64> {
        let ty = self.body.ty(value);
        Some(u64::from(ty.bytes(self.flow.module.pointer_bits)))
    }

    fn copy(&mut self, from: ValueId, to: ValueId) {
        let (from, to) = (self.value(from), self.value(to));
        self.flow.copy(self.solver, from, to);
    }

    fn shift(&mut self, from: ValueId, to: ValueId, by: i64, stride: u64) {
        let (from, to) = (self.value(from), self.value(to));
        if by == 0 && stride == 0 {
            self.flow.copy(self.solver, from, to);
        } else {
            let rule = Rule::Shift { to, by, stride };
            self.flow.rule(self.solver, from, rule);
        }
    }

    /// A shift that is all that the value is made of.
    fn shift_only(&mut self, from: ValueId, to: ValueId, by: i64, stride: u64) {
        self.shift(from, to, by, stride);
        let to = self.value(to);
        self.solver.has_single_source(to);
    }

    /// Any arithmetic.
    fn mix(&mut self, from: &[ValueId], to: ValueId) {
        for &from in from {
            self.shift(from, to, 0, 1);
        }
    }

    /// The value has only one source.
    fn cast(&mut self, op: Cast, dst: ValueId, src: ValueId) {
        let (from, to) = (self.value(src), self.value(dst));
        let assigned = self.body.values[src].constant.is_none();
        if assigned && from != self.flow.special.nothing {
            self.solver.merge(from, to);
        } else if op != Cast::Trunc || self.bits(dst) > 1 {
            self.flow.copy(self.solver, from, to);
        }
    }

    fn binary(&mut self, op: BinOp, dst: ValueId, a: ValueId, b: ValueId) {
        let constant = match op {
            BinOp::Add | BinOp::And | BinOp::Or | BinOp::Xor => {
                let first = self.constant(a).map(|_| (b, a));
                self.constant(b).map(|_| (a, b)).or(first)
            }
            BinOp::Sub => self.constant(b).map(|_| (a, b)),
            _ => None,
        };
        let Some((from, constant)) = constant else {
            return self.mix(&[a, b], dst);
        };
        let Some(number) = self.signed_constant(constant) else {
            return self.mix(&[a, b], dst);
        };
        let changed = match op {
            BinOp::Add => return self.shift_only(from, dst, number, 0),
            BinOp::Sub => return self.shift_only(from, dst, number.wrapping_neg(), 0),
            BinOp::And => low_bits(!number & ((1 << ADDRESS_BITS) - 1)).map(LowBits::Clear),
            BinOp::Or => low_bits(number).map(LowBits::Set),
            _ => low_bits(number).map(LowBits::Invert),
        };
        // Of a narrow value the high bits are gone anyway.
        match changed {
            Some(change) if self.bits(dst) == self.flow.module.pointer_bits => {
                let (from, to) = (self.value(from), self.value(dst));
                self.flow.rule(self.solver, from, Rule::Bits { to, change });
                self.solver.has_single_source(to);
            }
            _ => self.mix(&[a, b], dst),
        }
    }

    fn pointer_add(
        &mut self,
        dst: ValueId,
        base: ValueId,
        offset: i64,
        indices: &[(ValueId, i64)],
    ) {
        let mut by = offset;
        let mut stride = 0;
        let mut single = true;
        for &(index, scale) in indices {
            match self.signed_constant(index) {
                Some(number) => by = by.wrapping_add(number.wrapping_mul(scale)),
                None => {
                    stride = gcd(stride, scale.unsigned_abs());
                    if !self.is_part(index) || self.constant(base).is_some() {
                        self.shift(index, dst, 0, 1);
                        single = false;
                    }
                }
            }
        }
        if single {
            self.shift_only(base, dst, by, stride);
        } else {
            self.shift(base, dst, by, stride);
        }
    }

    /// Whether an index is too narrow to be the way from one object to another.
    fn is_part(&self, index: ValueId) -> bool {
        self.bits(index) < self.flow.module.pointer_bits || self.narrow.contains(&index)
    }

    fn load(&mut self, ptr: ValueId, dst: ValueId) {
        let bytes = self.bytes(dst);
        let (from, to) = (self.value(ptr), self.value(dst));
        self.flow.touch(self.node, Read, from, bytes);
        self.flow.rule(self.solver, from, Rule::Load { to, bytes });
        self.solver.has_single_source(to);
    }

    fn store(&mut self, ptr: ValueId, value: ValueId) {
        let bytes = self.bytes(value);
        let (to, from) = (self.value(ptr), self.value(value));
        self.flow.touch(self.node, Write, to, bytes);
        self.flow.rule(self.solver, to, Rule::Store { from, bytes });
    }

    fn update(&mut self, op: RmwOp, dst: ValueId, ptr: ValueId, value: ValueId) {
        self.load(ptr, dst);
        if op == RmwOp::Xchg {
            return self.store(ptr, value);
        }
        let bytes = self.bytes(value);
        let sum = self.solver.add_node();
        for operand in [dst, value] {
            let operand = self.value(operand);
            let rule = Rule::Shift {
                to: sum,
                by: 0,
                stride: 1,
            };
            self.flow.rule(self.solver, operand, rule);
        }
        let to = self.value(ptr);
        self.flow.touch(self.node, Write, to, bytes);
        self.flow
            .rule(self.solver, to, Rule::Store { from: sum, bytes });
    }

    fn local(&mut self, dst: ValueId, size: u64, count: Option<ValueId>) {
        let size = match count {
            None => Some(size),
            Some(count) => {
                let count = self.constant(count).and_then(|n| u64::try_from(n).ok());
                count.and_then(|count| count.checked_mul(size))
            }
        };
        let kind = ObjectKind::Local(self.node);
        let object = self.solver.places.add_object(kind, size);
        let dst = self.value(dst);
        self.solver.add_target(dst, Place::start(object));
    }

    fn call(&mut self, call: &Call) {
        let values =
            |scope: &Self, list: &[ValueId]| list.iter().map(|v| scope.value(*v)).collect();
        let constants = call.args.iter().map(|arg| {
            let bits = self.constant(*arg)?;
            u64::try_from(bits).ok()
        });
        let constants: Vec<Option<u64>> = constants.collect();
        let given = constants.iter().zip(&call.args);
        let given = given.map(|(constant, arg)| constant.or_else(|| self.given(*arg)));
        let given = given.collect();
        let site = self.flow.sites.len() as u32;
        self.flow.sites.push(Site {
            node: self.node,
            instance: self.instance,
            args: values(self, &call.args),
            constants,
            given,
            results: values(self, &call.results),
            callees: Vec::new(),
            receiver: None,
        });
        match call.callee {
            Callee::Direct(function) => {
                let clone = self.flow.clone_for(self.solver, site, function);
                self.flow.connect(self.solver, site, function, clone);
            }
            Callee::Indirect(callee) => {
                let node = self.value(callee);
                match self.loads.receiver(callee, &call.args, node) {
                    Some(receiver) => {
                        let argument = self.value(call.args[receiver.argument]);
                        self.flow.sites[site as usize].receiver = Some(receiver);
                        self.flow.rule(self.solver, argument, Rule::Receive(site));
                    }
                    None => self.flow.rule(self.solver, node, Rule::Call(site)),
                }
            }
        }
    }

    fn intrinsic(&mut self, op: Intrinsic, results: &[ValueId], args: &[ValueId]) {
        use Intrinsic::*;
        match op {
            Memcpy | Memmove => {
                let bytes = self.constant(args[2]).and_then(|n| u64::try_from(n).ok());
                let (to, from) = (self.value(args[0]), self.value(args[1]));
                self.flow
                    .copy_memory(self.solver, self.node, to, from, bytes);
            }
            Memset => {
                let bytes = self.constant(args[2]).and_then(|n| u64::try_from(n).ok());
                let (to, byte) = (self.value(args[0]), self.value(args[1]));
                self.flow
                    .fill_memory(self.solver, self.node, to, byte, bytes);
            }
            VaStart => {
                let list = self.value(args[0]);
                self.flow
                    .start_list(self.solver, self.node, self.instance, list);
            }
            VaCopy => {
                let (to, from) = (self.value(args[0]), self.value(args[1]));
                let bytes = list_bytes(self.flow.module.pointer_bits);
                self.flow
                    .copy_memory(self.solver, self.node, to, from, Some(bytes));
            }
            SMin | SMax | UMin | UMax => {
                self.copy(args[0], results[0]);
                self.copy(args[1], results[0]);
            }
            StackSave | StackRestore | Trap | VaEnd | ReadCycleCounter | EhTypeId | IsFpClass => {}
            _ => {
                for &result in results {
                    if self.body.ty(result) != Type::BOOL {
                        self.mix(args, result);
                    }
                }
            }
        }
    }
}

/// Bytes of a `va_list`.
pub(super) fn list_bytes(pointer_bits: u32) -> u64 {
    if pointer_bits == 64 { 24 } else { 4 }
}

/// Values as wide as a pointer whose upper half says nothing: extended, masked, remainders.
fn narrow_values(body: &Body, pointer_bits: u32) -> FxHashSet<ValueId> {
    let half = pointer_bits / 2;
    let constant = |value: ValueId| match body.values[value].constant {
        Some(Const::Bits(bits)) => Some(bits),
        _ => None,
    };
    let small = |value: ValueId| constant(value).is_some_and(|bits| bits < 1 << (half - 1));
    let insts = body.blocks.iter().flat_map(|block| &block.insts);
    let narrow = insts.filter_map(|inst| match inst.op {
        Op::Cast {
            op: Cast::ZExt | Cast::SExt,
            dst,
            src,
        } => (body.ty(src).bits(pointer_bits) <= half).then_some(dst),
        Op::Bin {
            op: BinOp::And,
            dst,
            a,
            b,
        } => (small(a) || small(b)).then_some(dst),
        Op::Bin {
            op: BinOp::URem | BinOp::SRem,
            dst,
            b,
            ..
        } => small(b).then_some(dst),
        Op::Bin {
            op: BinOp::LShr,
            dst,
            b,
            ..
        } => constant(b)
            .is_some_and(|by| by >= u128::from(half))
            .then_some(dst),
        _ => None,
    });
    narrow.collect()
}

/// Bits low enough for every object to be aligned to them.
fn low_bits(bits: i64) -> Option<u32> {
    (0..64).contains(&bits).then_some(bits as u32)
}
