//! Which parts of the state one entry of the history defines, and which it uses.

use std::ops::Range;

use ir::{FuncId, Type};

use super::{Item, Part, Pass, is_constant, is_division};
use crate::code::{Call, CallTarget, Code, Edge, Function, Slot};
use crate::history::{Context, Detail, ShimEffect};
use crate::thread::ThreadId;

pub(super) struct Effect<'a> {
    pub defines: Vec<Part>,
    pub uses: Vec<Part>,
    /// It matters whether or not a later entry uses what it defines.
    pub always: bool,
    /// The frame whose registers it names.
    thread: ThreadId,
    depth: u32,
    f: &'a Function,
}

impl Effect<'_> {
    fn register(&self, slot: Slot) -> Part {
        Part::Register(self.thread, self.depth, slot)
    }

    /// Computes `dst` from these registers.
    fn computes(&mut self, dst: Slot, operands: impl IntoIterator<Item = Slot>) {
        self.sets(dst);
        self.reads(operands);
    }

    fn sets(&mut self, dst: Slot) {
        self.defines.push(self.register(dst));
    }

    /// Reads these registers. Those that hold constants are no part of the state.
    fn reads(&mut self, slots: impl IntoIterator<Item = Slot>) {
        for slot in slots {
            if !is_constant(self.f, slot) {
                self.uses.push(self.register(slot));
            }
        }
    }

    fn reads_bytes(&mut self, bytes: Range<u64>) {
        self.uses.extend(bytes.map(Part::Byte));
    }

    fn writes_bytes(&mut self, bytes: Range<u64>) {
        self.defines.extend(bytes.map(Part::Byte));
    }

    /// Accesses memory at the address in `ptr`, which must be the same again.
    fn accesses(&mut self, ptr: Slot) {
        self.always = !is_constant(self.f, ptr);
        self.reads([ptr]);
    }

    fn moves(&mut self, edge: Edge) {
        if edge.moves != 0 {
            for &(dst, src) in &self.f.moves[edge.moves as usize - 1] {
                self.computes(dst, [src]);
            }
        }
    }

    /// Jumps this way, because of what the register holds, if anything depends on that.
    fn branches(&mut self, edge: Edge, on: Option<Slot>) {
        self.moves(edge);
        self.always = true;
        self.reads(on);
    }
}

impl Pass<'_> {
    /// `None`: it cannot be described.
    pub(super) fn effect(&self, item: &Item) -> Option<Effect<'_>> {
        let Context { thread, depth, .. } = self.context(item);
        let f = self.function(item);
        let mut effect = Effect {
            defines: Vec::new(),
            uses: Vec::new(),
            always: false,
            thread,
            depth,
            f,
        };
        match self.code(item) {
            Code::Bin { op, dst, a, b, .. } => {
                effect.computes(dst, [a, b]);
                effect.always = is_division(op);
            }
            Code::Cmp { dst, a, b, .. }
            | Code::FloatBin { dst, a, b, .. }
            | Code::FloatCmp { dst, a, b, .. } => effect.computes(dst, [a, b]),
            Code::Cast { dst, src, .. }
            | Code::FloatUnary { dst, src, .. }
            | Code::FloatCast { dst, src, .. } => effect.computes(dst, [src]),
            Code::Select {
                dst, cond, a, b, ..
            } => effect.computes(dst, [cond, a, b]),
            Code::AddConst { dst, base, .. } => effect.computes(dst, [base]),
            Code::AddIndex {
                dst, base, index, ..
            } => effect.computes(dst, [base, index]),
            Code::AddOffsets { dst, base, offsets } => {
                let indices = f.offsets[offsets as usize].indices.iter();
                effect.computes(dst, indices.map(|i| i.0).chain([base]));
            }
            Code::Within { base, .. } => effect.accesses(base),
            Code::Load { dst, ptr, bits, .. } => {
                effect.accesses(ptr);
                effect.sets(dst);
                effect.reads_bytes(self.accessed(item, u32::from(bits))?);
            }
            Code::Store {
                ptr, value, bits, ..
            } => {
                effect.accesses(ptr);
                effect.reads([value]);
                effect.writes_bytes(self.accessed(item, u32::from(bits))?);
            }
            Code::Rmw {
                ty,
                dst,
                ptr,
                value,
                ..
            } => {
                let bytes = self.accessed(item, ty.bits(self.machine.pointer_bits()))?;
                effect.accesses(ptr);
                effect.computes(dst, [value]);
                effect.reads_bytes(bytes.clone());
                effect.writes_bytes(bytes);
            }
            Code::CmpXchg {
                old,
                success,
                ptr,
                expected,
                new,
                bits,
                ..
            } => {
                let bytes = self.accessed(item, u32::from(bits))?;
                effect.always = true;
                effect.sets(old);
                effect.computes(success, [ptr, expected, new]);
                effect.reads_bytes(bytes.clone());
                if item.taken {
                    effect.writes_bytes(bytes);
                }
            }
            Code::WithinGlobal { .. } | Code::Fence(_) => {}
            Code::Alloca { dst, alloca } => self.alloca_effect(item, &mut effect, dst, alloca)?,
            Code::TlsAddr { dst, .. } | Code::Undef { dst, .. } => {
                effect.sets(dst);
                if let Detail::Begun { address, bytes } = self.detail(item) {
                    effect.writes_bytes(*address..address + bytes.len() as u64);
                }
            }
            Code::Intrinsic { intrinsic } => {
                self.intrinsic_effect(item, &mut effect, intrinsic)?;
            }
            Code::Jump(edge) => effect.moves(edge),
            Code::CondBr { cond, then, other } => {
                let edge = if item.taken { then } else { other };
                effect.branches(edge, (!self.is_outside(item)).then_some(cond));
            }
            Code::Switch { switch } => {
                let &Detail::Case(case) = self.detail(item) else {
                    return None;
                };
                let switch = &f.switches[switch as usize];
                let edge = case.map_or(switch.default, |i| switch.cases[i as usize].1);
                effect.branches(edge, (!self.is_outside(item)).then_some(switch.value));
            }
            Code::Ret { values } => self.return_effect(item, &mut effect, values)?,
            Code::Call { call } => {
                self.call_effect(item, &mut effect, &f.calls[call as usize], None)?;
            }
            Code::Invoke { call, normal, .. } => {
                self.call_effect(item, &mut effect, &f.calls[call as usize], Some(normal))?;
            }
            Code::IndirectBr { .. }
            | Code::Resume { .. }
            | Code::UnsupportedAssembly { .. }
            | Code::UnsupportedInstruction { .. }
            | Code::Unreachable => return None,
        }
        Some(effect)
    }

    /// The bytes that were accessed.
    fn accessed(&self, item: &Item, bits: u32) -> Option<Range<u64>> {
        let address = self.address(item)?;
        Some(address..address + u64::from(bits.div_ceil(8)))
    }

    fn alloca_effect(
        &self,
        item: &Item,
        effect: &mut Effect,
        dst: Slot,
        alloca: u32,
    ) -> Option<()> {
        let &Detail::Fresh { address, bytes, .. } = self.detail(item) else {
            return None;
        };
        effect.sets(dst);
        effect.writes_bytes(address..address + bytes);
        if let Some((count, _)) = effect.f.allocas[alloca as usize].count {
            effect.reads([count]);
            effect.always = true;
        }
        Some(())
    }

    fn intrinsic_effect(&self, item: &Item, effect: &mut Effect, intrinsic: u32) -> Option<()> {
        let (_, results, args) = &effect.f.intrinsics[intrinsic as usize];
        results.iter().for_each(|result| effect.sets(result.slot));
        effect.reads(args.iter().map(|a| a.slot));
        match self.detail(item) {
            Detail::Value(_) | Detail::Pure { .. } => {}
            Detail::Copy { to, from, bytes } => {
                effect.always = true;
                effect.writes_bytes(*to..to + bytes);
                effect.reads_bytes(*from..from + bytes);
            }
            Detail::Fill { to, bytes } => {
                effect.always = true;
                effect.writes_bytes(*to..to + bytes);
            }
            _ => return None,
        }
        Some(())
    }

    fn return_effect(&self, item: &Item, effect: &mut Effect, values: u32) -> Option<()> {
        effect.reads(effect.f.returns[values as usize].iter().copied());
        match self.detail(item) {
            Detail::End => effect.defines.push(Part::Result(effect.thread)),
            Detail::Stage { params } => params.iter().for_each(|(slot, _)| effect.sets(*slot)),
            &Detail::Return { function, pc } => {
                let g = self.program.function(function);
                let (thread, depth) = (effect.thread, effect.depth - 1);
                let caller = |slot: Slot| Part::Register(thread, depth, slot);
                let (call, edge) = match g.code[pc] {
                    Code::Call { call } => (call, None),
                    Code::Invoke { call, normal, .. } => (call, Some(normal)),
                    _ => return None,
                };
                let results = g.calls[call as usize].results.iter();
                effect.defines.extend(results.map(|r| caller(r.slot)));
                if let Some(edge) = edge
                    && edge.moves != 0
                {
                    // Rare: the moves of an edge that an exception could have taken instead.
                    for &(dst, src) in &g.moves[edge.moves as usize - 1] {
                        effect.defines.push(caller(dst));
                        effect.uses.push(caller(src));
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// `normal` is the edge of an invoke.
    fn call_effect(
        &self,
        item: &Item,
        effect: &mut Effect,
        call: &Call,
        normal: Option<Edge>,
    ) -> Option<()> {
        if let CallTarget::Indirect(slot) = call.target {
            effect.reads([slot]);
            effect.always = true;
        }
        if item.taken {
            self.shim_effect(item, effect, call)?;
            if let Some(normal) = normal {
                effect.moves(normal);
            }
            return Some(());
        }
        let g = self.program.function(self.callee(item)?);
        let (thread, depth) = (effect.thread, effect.depth + 1);
        let params = g.params.iter();
        let params = params.map(|slot| Part::Register(thread, depth, *slot));
        effect.defines.extend(params);
        effect.reads(call.args.iter().map(|a| a.slot));
        let has_varargs = g.variadic && call.args.len() > g.params.len();
        (!has_varargs).then_some(())
    }

    /// The function that a call entered: the next context's.
    pub(super) fn callee(&self, item: &Item) -> Option<FuncId> {
        let next = self.history.contexts.get(item.context + 1)?;
        let here = self.context(item);
        (next.thread == here.thread && next.depth == here.depth + 1).then_some(next.function)
    }

    fn shim_effect(&self, item: &Item, effect: &mut Effect, call: &Call) -> Option<()> {
        let Detail::Shim(shim) = self.detail(item) else {
            return None;
        };
        let args = &call.args;
        call.results.iter().for_each(|r| effect.sets(r.slot));
        match shim.as_ref() {
            ShimEffect::Nothing | ShimEffect::Input(_) => {}
            ShimEffect::Output { .. } => {
                effect.always = true;
                let pointers = args.iter().filter(|a| a.ty == Type::Ptr);
                effect.reads(pointers.map(|a| a.slot));
            }
            ShimEffect::Exits => {
                effect.defines.push(Part::Result(effect.thread));
                effect.reads(args.first().map(|a| a.slot));
            }
            ShimEffect::Joins {
                thread: joined, to, ..
            } => {
                effect.always = true;
                effect.reads(args.iter().map(|a| a.slot));
                if *to != 0 {
                    let bytes = u64::from(self.machine.pointer_bits() / 8);
                    effect.writes_bytes(*to..to + bytes);
                    effect.uses.extend(joined.map(Part::Result));
                }
            }
            ShimEffect::Requires | ShimEffect::Restricts | ShimEffect::Fails => {
                effect.always = true;
                effect.reads(args.first().map(|a| a.slot));
            }
            ShimEffect::Same {
                found,
                left,
                fresh,
                started,
                ..
            } => {
                effect.always = true;
                effect.reads(args.iter().map(|a| a.slot));
                let byte = |(at, _): &(u64, u8)| Part::Byte(*at);
                effect.uses.extend(found.iter().map(byte));
                effect.defines.extend(left.iter().map(byte));
                if let Some((base, size)) = fresh {
                    effect.writes_bytes(*base..base + size);
                }
                if let Some((child, params)) = started {
                    let params = params.iter();
                    let params = params.map(|(slot, _)| Part::Register(*child, 0, *slot));
                    effect.defines.extend(params);
                }
            }
        }
        Some(())
    }
}
