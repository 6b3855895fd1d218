//! Parts of aggregates and lanes of vectors.

use ir::{BinOp, Cast, CmpOp, Type, ValueId};

use super::function::{FunctionLowering, Slot, Slots};
use super::{Lowered, unmodelled};
use crate::llvm::Value;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn extract_value(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let whole = value.operand(0);
        let part = self.program.layouts.part(whole.ty(), &value.indices())?;
        Ok(Slots::from_slice(&self.slots(whole)?[part]))
    }

    pub(super) fn insert_value(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let whole = value.operand(0);
        let part = self.program.layouts.part(whole.ty(), &value.indices())?;
        let mut slots = self.slots(whole)?;
        let new = self.slots(value.operand(1))?;
        slots[part].copy_from_slice(&new);
        Ok(slots)
    }

    pub(super) fn extract_element(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let lanes = self.slots(value.operand(0))?;
        let index = self.scalar(value.operand(1))?;
        if let Some(known) = self.known_bits(index) {
            let lane = usize::try_from(known).ok().and_then(|i| lanes.get(i));
            let outside = Slot::Undef(self.slot_type(lanes[0]));
            return Ok([*lane.unwrap_or(&outside)].into_iter().collect());
        }
        let mut result = self.use_slot(lanes[0]);
        for (number, &lane) in lanes.iter().enumerate().skip(1) {
            let lane = self.use_slot(lane);
            let here = self.is_lane(index, number);
            result = self.select(here, lane, result);
        }
        Ok([Slot::Value(result)].into_iter().collect())
    }

    pub(super) fn insert_element(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let mut lanes = self.slots(value.operand(0))?;
        let index = self.scalar(value.operand(2))?;
        if let Some(known) = self.known_bits(index) {
            let new = self.slots(value.operand(1))?[0];
            if let Some(lane) = usize::try_from(known).ok().and_then(|i| lanes.get_mut(i)) {
                *lane = new;
            }
            return Ok(lanes);
        }
        let new = self.scalar(value.operand(1))?;
        for (number, slot) in lanes.iter_mut().enumerate() {
            let old = self.use_slot(*slot);
            let here = self.is_lane(index, number);
            *slot = Slot::Value(self.select(here, new, old));
        }
        Ok(lanes)
    }

    fn is_lane(&mut self, index: ValueId, number: usize) -> ValueId {
        let number = self.bits(self.ty(index), number as u128);
        self.cmp(CmpOp::Eq, index, number)
    }

    pub(super) fn shuffle(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let mut lanes = self.slots(value.operand(0))?;
        lanes.extend(self.slots(value.operand(1))?);
        let undefined = Slot::Undef(self.slot_type(lanes[0]));
        let mask = value.shuffle_mask().into_iter();
        Ok(mask
            .map(|lane| {
                let lane = lane.and_then(|index| lanes.get(index as usize));
                *lane.unwrap_or(&undefined)
            })
            .collect())
    }

    fn slot_type(&self, slot: Slot) -> Type {
        match slot {
            Slot::Value(value) => self.ty(value),
            Slot::Undef(ty) => ty,
        }
    }

    /// Between types of the same size: lane by lane, or by joining and splitting lanes.
    pub(super) fn bitcast(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let types = self.program.layouts.types(value.ty())?;
        let lanes = self.slots(value.operand(0))?;
        if lanes.len() == types.len() {
            let pairs = lanes.into_iter().zip(types);
            return Ok(pairs
                .map(|(lane, ty)| match lane {
                    Slot::Undef(_) => Slot::Undef(ty),
                    Slot::Value(lane) => Slot::Value(self.cast(Cast::Bits, lane, ty)),
                })
                .collect());
        }
        if !types.len().is_multiple_of(lanes.len()) && !lanes.len().is_multiple_of(types.len()) {
            return unmodelled(format!("bitcast to {}", value.ty().print()));
        }
        let lanes: Vec<ValueId> = lanes.into_iter().map(|lane| self.use_slot(lane)).collect();
        Ok(if lanes.len() < types.len() {
            let per_lane = types.len() / lanes.len();
            let groups = types.chunks(per_lane).zip(lanes);
            groups
                .flat_map(|(types, lane)| self.split(lane, types))
                .collect()
        } else {
            let per_type = lanes.len() / types.len();
            let groups = lanes.chunks(per_type).zip(types);
            groups
                .map(|(lanes, ty)| Slot::Value(self.join(lanes, ty)))
                .collect()
        })
    }

    /// Cuts a scalar into pieces, the lowest bits first.
    fn split(&mut self, whole: ValueId, types: &[Type]) -> Vec<Slot> {
        let number = self.as_integer(whole);
        let wide = self.ty(number);
        let mut shift = 0;
        types
            .iter()
            .map(|&ty| {
                let width = ty.bits(self.program.out.pointer_bits);
                let by = self.bits(wide, u128::from(shift));
                let moved = if shift == 0 {
                    number
                } else {
                    self.bin(BinOp::LShr, number, by)
                };
                shift += width;
                let piece = self.cast(Cast::Trunc, moved, Type::Int(width as u8));
                Slot::Value(self.cast(Cast::Bits, piece, ty))
            })
            .collect()
    }

    /// Puts pieces together, the first in the lowest bits.
    pub(super) fn join(&mut self, pieces: &[ValueId], ty: Type) -> ValueId {
        let wide = Type::Int(ty.bits(self.program.out.pointer_bits) as u8);
        let mut whole = self.bits(wide, 0);
        let mut shift = 0;
        for &piece in pieces {
            let number = self.as_integer(piece);
            let width = self.width(number);
            let mut part = self.cast(Cast::ZExt, number, wide);
            if shift == 0 {
                whole = part;
            } else {
                let by = self.bits(wide, u128::from(shift));
                part = self.bin(BinOp::Shl, part, by);
                whole = self.bin(BinOp::Or, whole, part);
            }
            shift += width;
        }
        self.cast(Cast::Bits, whole, ty)
    }

    fn as_integer(&mut self, value: ValueId) -> ValueId {
        let ty = Type::Int(self.width(value) as u8);
        self.cast(Cast::Bits, value, ty)
    }
}
