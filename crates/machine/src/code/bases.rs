//! Which accesses go through an address that was computed from another one, so far away that it may
//! lie in another object.
//!
//! `a[i]` is an access to `a`, whatever lies where it ends up. Between two objects there is a gap
//! of a chunk ([`CHUNK`]), so an offset that is smaller cannot lead from one into the other; every
//! other access is preceded by [`Code::Within`](super::Code::Within). What a pointer was computed
//! from is known within a function only, and not through memory. Where ways meet
//! (`if (far) p += i;`, a loop that moves `p`) it depends on the way: a *shadow* register follows
//! the pointer and holds what it was computed from.

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    BlockId, Body, Const, GlobalId, Intrinsic, Module, Op, Symbol, Terminator, Type, ValueId,
};

use crate::memory::CHUNK;

/// What addresses were computed from.
pub struct Bases {
    pointer_bits: u32,
    additions: BTreeMap<ValueId, Addition>,
    /// Of locals whose size is fixed.
    sizes: BTreeMap<ValueId, i64>,
    /// Parameters of blocks that have a shadow.
    shadowed: BTreeSet<ValueId>,
}

#[derive(Clone, Copy)]
struct Addition {
    base: ValueId,
    /// `None`: it depends on an index.
    offset: Option<i64>,
}

/// Where to find what an address was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Value(ValueId),
    /// In the shadow of this parameter of a block.
    ShadowOf(ValueId),
}

impl Bases {
    pub fn of(body: &Body, pointer_bits: u32) -> Bases {
        let mut bases = Bases {
            pointer_bits,
            additions: BTreeMap::new(),
            sizes: BTreeMap::new(),
            shadowed: BTreeSet::new(),
        };
        for inst in body.blocks.iter().flat_map(|block| &block.insts) {
            match &inst.op {
                Op::Alloca {
                    dst,
                    size,
                    count: None,
                    ..
                } => {
                    let size = i64::try_from(*size).unwrap_or(0);
                    bases.sizes.insert(*dst, size);
                }
                Op::PtrAdd {
                    dst,
                    base,
                    offset,
                    indices,
                    ..
                } => {
                    let (base, offset) = (*base, indices.is_empty().then_some(*offset));
                    bases.additions.insert(*dst, Addition { base, offset });
                }
                _ => {}
            }
        }
        if !bases.additions.is_empty() {
            bases.add_shadows(body);
        }
        bases
    }

    /// Of pointers that come from far away, and of those that such a pointer becomes.
    fn add_shadows(&mut self, body: &Body) {
        let mut passed: Vec<(ValueId, ValueId)> = Vec::new();
        for block in body.blocks.iter() {
            for_each_argument(body, &block.terminator, |param, arg| {
                if body.ty(param) == Type::Ptr && param != arg {
                    passed.push((param, arg));
                }
            });
        }
        let mut grew = true;
        while grew {
            grew = false;
            for &(param, arg) in &passed {
                let (first, offset) = self.first(arg);
                let is_far = offset.is_none_or(|offset| offset.unsigned_abs() >= CHUNK as u64);
                if is_far || self.shadowed.contains(&first) {
                    grew |= self.shadowed.insert(param);
                }
            }
        }
    }

    /// The parameters of blocks that have a shadow.
    pub fn shadowed(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.shadowed.iter().copied()
    }

    pub fn has_shadow(&self, param: ValueId) -> bool {
        self.shadowed.contains(&param)
    }

    /// What an address was computed from.
    pub fn base(&self, address: ValueId) -> Base {
        let (first, _) = self.first(address);
        match self.shadowed.contains(&first) {
            true => Base::ShadowOf(first),
            false => Base::Value(first),
        }
    }

    /// What it all began with, and how far it is from there.
    fn first(&self, address: ValueId) -> (ValueId, Option<i64>) {
        let (mut value, mut sum) = (address, Some(0i64));
        while let Some(Addition { base, offset }) = self.additions.get(&value) {
            sum = sum.zip(*offset).and_then(|(a, b)| a.checked_add(b));
            value = *base;
        }
        (value, sum)
    }

    fn may_lie_elsewhere(&self, address: ValueId) -> bool {
        let (first, offset) = self.first(address);
        let size = self.sizes.get(&first).copied().unwrap_or(0);
        let near = CHUNK as i64;
        self.shadowed.contains(&first)
            || offset.is_none_or(|offset| offset <= -near || offset >= size.saturating_add(near))
    }

    /// The addresses that an instruction accesses and that may lie in another object than what they
    /// were computed from, which comes first, and how many bytes are accessed at least.
    pub fn of_accesses(&self, body: &Body, op: &Op, mut each: impl FnMut(Base, ValueId, u64)) {
        if self.additions.is_empty() {
            return;
        }
        for_each_access(op, |ptr, value| {
            let bytes = |value| body.ty(value).bits(self.pointer_bits).div_ceil(8);
            if self.may_lie_elsewhere(ptr) {
                each(self.base(ptr), ptr, u64::from(value.map_or(0, bytes)));
            }
        });
    }
}

/// What a terminator hands to the parameters of blocks: a parameter and its next value.
pub fn for_each_argument(
    body: &Body,
    terminator: &Terminator,
    mut each: impl FnMut(ValueId, ValueId),
) {
    let mut hand = |block: BlockId, first: usize, args: &[ValueId]| {
        let params = &body.blocks[block].params[first..];
        params.iter().zip(args).for_each(|(p, a)| each(*p, *a));
    };
    match terminator {
        Terminator::Br(target) => hand(target.block, 0, &target.args),
        Terminator::CondBr { then, other, .. } => {
            hand(then.block, 0, &then.args);
            hand(other.block, 0, &other.args);
        }
        Terminator::Switch { cases, default, .. } => {
            for (_, target) in cases {
                hand(target.block, 0, &target.args);
            }
            hand(default.block, 0, &default.args);
        }
        Terminator::Invoke { normal, unwind, .. } => {
            hand(normal.block, 0, &normal.args);
            hand(unwind.block, 2, &unwind.args);
        }
        _ => {}
    }
}

/// The addresses that an instruction accesses, with the value that is read or written there, if
/// there is one.
pub fn for_each_access(op: &Op, mut each: impl FnMut(ValueId, Option<ValueId>)) {
    match op {
        Op::Load { ptr, dst, .. } | Op::Rmw { ptr, dst, .. } => each(*ptr, Some(*dst)),
        Op::Store { ptr, value, .. } => each(*ptr, Some(*value)),
        Op::CmpXchg { ptr, old, .. } => each(*ptr, Some(*old)),
        Op::Intrinsic { op, args, .. } => {
            let pointers = match op {
                Intrinsic::Memcpy | Intrinsic::Memmove => 2,
                Intrinsic::Memset => 1,
                _ => 0,
            };
            args[..pointers].iter().for_each(|ptr| each(*ptr, None));
        }
        _ => {}
    }
}

/// The global that an address is said to lie in, although it lies far outside.
pub fn left_global(module: &Module, body: &Body, address: ValueId) -> Option<GlobalId> {
    let Some(Const::Address(Symbol::Global(global), addend)) = body.values[address].constant else {
        return None;
    };
    let end = i64::try_from(module.globals[global].size).unwrap_or(i64::MAX);
    let near = CHUNK as i64;
    (addend <= -near || addend >= end.saturating_add(near)).then_some(global)
}
