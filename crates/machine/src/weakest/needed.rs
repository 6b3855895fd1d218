//! Backwards: which entries of the history matter to conditions at its end.

use ir::{FuncId, Type};
use rustc_hash::FxHashSet;
use smt::TermId;

use super::{Item, Location, Part, Pass, is_constant, is_division};
use crate::code::{CallTarget, Code, Edge, Function, Operand, Slot};
use crate::history::{Context, Detail, ShimEffect};

impl Pass<'_> {
    /// The parts of the state that terms mention.
    pub(super) fn needed(&self, terms: &[TermId]) -> FxHashSet<Part> {
        let mut needed = FxHashSet::default();
        for term in terms {
            self.add_needed(*term, &mut needed);
        }
        needed
    }

    fn add_needed(&self, term: TermId, needed: &mut FxHashSet<Part>) {
        for input in self.machine.terms.support(term) {
            match self.machine.location_of(*input) {
                Some(Location::Register {
                    thread,
                    depth,
                    slot,
                    ..
                }) => {
                    needed.insert(Part::Register(thread, depth, slot));
                }
                Some(Location::Cell { address, bytes }) => {
                    let all = address..address + u64::from(bytes);
                    needed.extend(all.map(Part::Byte));
                }
                Some(Location::Result(thread)) => {
                    needed.insert(Part::Result(thread));
                }
                None => {}
            }
        }
    }

    /// Which entries matter. `None`: one of them cannot be described.
    pub(super) fn mark(&self, items: &[Item], mut needed: FxHashSet<Part>) -> Option<Vec<bool>> {
        let mut marked = vec![false; items.len()];
        for (i, item) in items.iter().enumerate().rev() {
            if item.is_note {
                let Detail::Condition(condition) = self.detail(item) else {
                    return None;
                };
                self.add_needed(*condition, &mut needed);
                marked[i] = true;
                continue;
            }
            let effect = self.effect(item)?;
            // How large objects on the stack are decides what others are called, in the slice and
            // outside.
            let names = matches!(self.code(item), Code::Alloca { .. });
            let mut matters = effect.always && (names || !self.is_outside(item));
            for part in &effect.defines {
                matters |= needed.remove(part);
            }
            if matters {
                needed.extend(effect.uses);
            }
            marked[i] = matters;
        }
        Some(marked)
    }

    fn effect(&self, item: &Item) -> Option<Effect> {
        let Context { thread, depth, .. } = self.context(item);
        let f = self.function(item);
        let mut effect = Effect::default();
        let register = |slot: Slot| Part::Register(thread, depth, slot);
        let mut uses: Vec<Slot> = Vec::new();
        let bytes_of = |bits: u32| u64::from(bits.div_ceil(8));
        match self.code(item) {
            Code::Bin { op, dst, a, b, .. } => {
                effect.defines.push(register(dst));
                uses.extend([a, b]);
                effect.always = is_division(op);
            }
            Code::Cmp { dst, a, b, .. } => {
                effect.defines.push(register(dst));
                uses.extend([a, b]);
            }
            Code::Cast { dst, src, .. } => {
                effect.defines.push(register(dst));
                uses.push(src);
            }
            Code::Select {
                dst, cond, a, b, ..
            } => {
                effect.defines.push(register(dst));
                uses.extend([cond, a, b]);
            }
            Code::FloatBin { dst, a, b, .. } | Code::FloatCmp { dst, a, b, .. } => {
                effect.defines.push(register(dst));
                uses.extend([a, b]);
            }
            Code::FloatUnary { dst, src, .. } | Code::FloatCast { dst, src, .. } => {
                effect.defines.push(register(dst));
                uses.push(src);
            }
            Code::AddConst { dst, base, .. } => {
                effect.defines.push(register(dst));
                uses.push(base);
            }
            Code::AddIndex {
                dst, base, index, ..
            } => {
                effect.defines.push(register(dst));
                uses.extend([base, index]);
            }
            Code::AddOffsets { dst, base, offsets } => {
                effect.defines.push(register(dst));
                uses.push(base);
                uses.extend(f.offsets[offsets as usize].indices.iter().map(|i| i.0));
            }
            Code::Within { base, .. } => {
                effect.always = !is_constant(f, base);
                uses.push(base);
            }
            Code::Load { dst, ptr, bits, .. } => {
                let address = self.address(item)?;
                effect.always = !is_constant(f, ptr);
                effect.defines.push(register(dst));
                uses.push(ptr);
                let all = address..address + bytes_of(u32::from(bits));
                effect.uses.extend(all.map(Part::Byte));
            }
            Code::Store {
                ptr, value, bits, ..
            } => {
                let address = self.address(item)?;
                effect.always = !is_constant(f, ptr);
                let all = address..address + bytes_of(u32::from(bits));
                effect.defines.extend(all.map(Part::Byte));
                uses.extend([ptr, value]);
            }
            Code::Rmw {
                ty,
                dst,
                ptr,
                value,
                ..
            } => {
                let address = self.address(item)?;
                let bits = ty.bits(self.machine.pointer_bits());
                let all = address..address + bytes_of(bits);
                effect.always = !is_constant(f, ptr);
                effect.defines.push(register(dst));
                effect.defines.extend(all.clone().map(Part::Byte));
                effect.uses.extend(all.map(Part::Byte));
                uses.extend([ptr, value]);
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
                let address = self.address(item)?;
                let all = address..address + bytes_of(u32::from(bits));
                effect.always = true;
                effect.defines.extend([register(old), register(success)]);
                if item.taken {
                    effect.defines.extend(all.clone().map(Part::Byte));
                }
                effect.uses.extend(all.map(Part::Byte));
                uses.extend([ptr, expected, new]);
            }
            Code::WithinGlobal { .. } | Code::Fence(_) => {}
            Code::Alloca { dst, alloca } => {
                let &Detail::Fresh { address, bytes, .. } = self.detail(item) else {
                    return None;
                };
                effect.defines.push(register(dst));
                effect
                    .defines
                    .extend((address..address + bytes).map(Part::Byte));
                if let Some((count, _)) = f.allocas[alloca as usize].count {
                    uses.push(count);
                    effect.always = true;
                }
            }
            Code::TlsAddr { dst, .. } | Code::Undef { dst, .. } => {
                effect.defines.push(register(dst));
                if let Detail::Begun { address, bytes } = self.detail(item) {
                    let all = *address..address + bytes.len() as u64;
                    effect.defines.extend(all.map(Part::Byte));
                }
            }
            Code::Intrinsic { intrinsic } => {
                let (_, results, args) = &f.intrinsics[intrinsic as usize];
                effect
                    .defines
                    .extend(results.iter().map(|r| register(r.slot)));
                uses.extend(args.iter().map(|a| a.slot));
                match self.detail(item) {
                    Detail::Value(_) => {}
                    Detail::Copy { to, from, bytes } => {
                        effect.always = true;
                        effect.defines.extend((*to..to + bytes).map(Part::Byte));
                        effect.uses.extend((*from..from + bytes).map(Part::Byte));
                    }
                    Detail::Fill { to, bytes } => {
                        effect.always = true;
                        effect.defines.extend((*to..to + bytes).map(Part::Byte));
                    }
                    Detail::Pure { .. } => {}
                    _ => return None,
                }
            }
            Code::Jump(edge) => moves(f, edge, &mut effect, &mut uses, register),
            Code::CondBr { cond, then, other } => {
                let edge = if item.taken { then } else { other };
                moves(f, edge, &mut effect, &mut uses, register);
                effect.always = true;
                uses.extend((!self.is_outside(item)).then_some(cond));
            }
            Code::Switch { switch } => {
                let &Detail::Case(case) = self.detail(item) else {
                    return None;
                };
                let switch = &f.switches[switch as usize];
                let edge = case.map_or(switch.default, |i| switch.cases[i as usize].1);
                moves(f, edge, &mut effect, &mut uses, register);
                effect.always = true;
                uses.extend((!self.is_outside(item)).then_some(switch.value));
            }
            Code::Ret { values } if matches!(self.detail(item), Detail::End) => {
                effect.defines.push(Part::Result(thread));
                uses.extend(&f.returns[values as usize]);
            }
            Code::Ret { values } => {
                if let Detail::Stage { params } = self.detail(item) {
                    effect.defines.extend(params.iter().map(|p| register(p.0)));
                    uses.extend(&f.returns[values as usize]);
                    let own = uses.into_iter().filter(|slot| !is_constant(f, *slot));
                    effect.uses.extend(own.map(register));
                    return Some(effect);
                }
                let &Detail::Return { function, pc } = self.detail(item) else {
                    return None;
                };
                let g = self.program.function(function);
                let caller = |slot: Slot| Part::Register(thread, depth - 1, slot);
                let (call, edge) = match g.code[pc] {
                    Code::Call { call } => (call, None),
                    Code::Invoke { call, normal, .. } => (call, Some(normal)),
                    _ => return None,
                };
                let results = &g.calls[call as usize].results;
                effect
                    .defines
                    .extend(results.iter().map(|r| caller(r.slot)));
                uses.extend(&f.returns[values as usize]);
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
            Code::Call { call } | Code::Invoke { call, .. } => {
                let call = &f.calls[call as usize];
                if let CallTarget::Indirect(slot) = call.target {
                    uses.push(slot);
                    effect.always = true;
                }
                if !item.taken {
                    let callee = self.callee(item)?;
                    let g = self.program.function(callee);
                    let inner = |slot: Slot| Part::Register(thread, depth + 1, slot);
                    effect.defines.extend(g.params.iter().map(|s| inner(*s)));
                    uses.extend(call.args.iter().map(|a| a.slot));
                    if g.variadic && call.args.len() > g.params.len() {
                        return None;
                    }
                } else {
                    self.shim_effect(item, &call.args, &call.results, &mut effect, &mut uses)?;
                    if let Code::Invoke { normal, .. } = self.code(item) {
                        moves(f, normal, &mut effect, &mut uses, register);
                    }
                }
            }
            Code::IndirectBr { .. }
            | Code::Resume { .. }
            | Code::UnsupportedAssembly { .. }
            | Code::UnsupportedInstruction { .. }
            | Code::Unreachable => return None,
        }
        let own = uses.into_iter().filter(|slot| !is_constant(f, *slot));
        effect.uses.extend(own.map(register));
        Some(effect)
    }

    /// The function that a call entered: the next context's.
    pub(super) fn callee(&self, item: &Item) -> Option<FuncId> {
        let next = self.history.contexts.get(item.context + 1)?;
        let here = self.context(item);
        (next.thread == here.thread && next.depth == here.depth + 1).then_some(next.function)
    }

    fn shim_effect(
        &self,
        item: &Item,
        args: &[Operand],
        results: &[Operand],
        effect: &mut Effect,
        uses: &mut Vec<Slot>,
    ) -> Option<()> {
        let Detail::Shim(shim) = self.detail(item) else {
            return None;
        };
        let Context { thread, depth, .. } = self.context(item);
        let results = results
            .iter()
            .map(|r| Part::Register(thread, depth, r.slot));
        effect.defines.extend(results);
        match shim.as_ref() {
            ShimEffect::Nothing | ShimEffect::Input(_) => {}
            ShimEffect::Output { .. } => {
                effect.always = true;
                let pointers = args.iter().filter(|a| a.ty == Type::Ptr);
                uses.extend(pointers.map(|a| a.slot));
            }
            ShimEffect::Exits => {
                effect.defines.push(Part::Result(thread));
                uses.extend(args.first().map(|a| a.slot));
            }
            ShimEffect::Joins {
                thread: joined, to, ..
            } => {
                effect.always = true;
                uses.extend(args.iter().map(|a| a.slot));
                if *to != 0 {
                    let bytes = u64::from(self.machine.pointer_bits() / 8);
                    effect.defines.extend((*to..to + bytes).map(Part::Byte));
                    effect.uses.extend(joined.map(Part::Result));
                }
            }
            ShimEffect::Requires | ShimEffect::Restricts | ShimEffect::Fails => {
                effect.always = true;
                uses.extend(args.first().map(|a| a.slot));
            }
            ShimEffect::Same {
                found,
                left,
                fresh,
                started,
                ..
            } => {
                effect.always = true;
                uses.extend(args.iter().map(|a| a.slot));
                effect
                    .uses
                    .extend(found.iter().map(|(at, _)| Part::Byte(*at)));
                effect
                    .defines
                    .extend(left.iter().map(|(at, _)| Part::Byte(*at)));
                if let Some((base, size)) = fresh {
                    effect.defines.extend((*base..base + size).map(Part::Byte));
                }
                if let Some((child, params)) = started {
                    let params = params.iter().map(|(slot, _)| *slot);
                    effect
                        .defines
                        .extend(params.map(|slot| Part::Register(*child, 0, slot)));
                }
            }
        }
        Some(())
    }
}

#[derive(Default)]
struct Effect {
    defines: Vec<Part>,
    uses: Vec<Part>,
    /// It matters whether or not anybody asks for what it defines.
    always: bool,
}

fn moves(
    f: &Function,
    edge: Edge,
    effect: &mut Effect,
    uses: &mut Vec<Slot>,
    register: impl Fn(Slot) -> Part,
) {
    if edge.moves != 0 {
        for &(dst, src) in &f.moves[edge.moves as usize - 1] {
            effect.defines.push(register(dst));
            uses.push(src);
        }
    }
}
