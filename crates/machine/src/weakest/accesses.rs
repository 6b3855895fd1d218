//! Forwards: accesses to memory, and new objects.

use ir::{CmpOp, RmwOp};

use super::{Item, Pass};
use crate::code::{Function, Slot};
use crate::history::Detail;
use crate::value::Value;

impl Pass<'_> {
    pub(super) fn load(&mut self, item: &Item, dst: Slot, ptr: Slot, width: u32) -> Option<()> {
        let address = self.address(item)?;
        self.require_address(item, ptr, address)?;
        let cell = self.cell(address, width.div_ceil(8));
        let value = self.resized(cell, width);
        self.set(item, dst, value);
        Some(())
    }

    pub(super) fn store(&mut self, item: &Item, ptr: Slot, value: Slot, width: u32) -> Option<()> {
        let address = self.address(item)?;
        self.require_address(item, ptr, address)?;
        let value = self.register(item, value, width);
        self.write(address, width.div_ceil(8), value);
        Some(())
    }

    pub(super) fn rmw(
        &mut self,
        item: &Item,
        op: RmwOp,
        width: u32,
        dst: Slot,
        [ptr, value]: [Slot; 2],
    ) -> Option<()> {
        let address = self.address(item)?;
        self.require_address(item, ptr, address)?;
        let old = self.cell(address, width.div_ceil(8));
        let old = self.resized(old, width);
        let operand = self.register(item, value, width);
        let new = self.machine.updated(op, width, old, operand)?;
        self.write(address, width.div_ceil(8), new);
        self.set(item, dst, old);
        Some(())
    }

    /// It succeeds or fails as it did.
    pub(super) fn cmpxchg(
        &mut self,
        item: &Item,
        width: u32,
        [old, success]: [Slot; 2],
        [ptr, expected, new]: [Slot; 3],
    ) -> Option<()> {
        let address = self.address(item)?;
        self.require_address(item, ptr, address)?;
        let found = self.cell(address, width.div_ceil(8));
        let found = self.resized(found, width);
        let wanted = self.register(item, expected, width);
        let op = match item.taken {
            true => CmpOp::Eq,
            false => CmpOp::Ne,
        };
        let condition = self.machine.terms.cmp(op, found, wanted);
        self.require(condition)?;
        if item.taken {
            let new = self.register(item, new, width);
            self.write(address, width.div_ceil(8), new);
        }
        self.set(item, old, found);
        let success_term = self.machine.terms.bool(item.taken);
        self.set(item, success, success_term);
        Some(())
    }

    pub(super) fn alloca(
        &mut self,
        item: &Item,
        f: &Function,
        detail: &Detail,
        dst: Slot,
        alloca: u32,
    ) -> Option<()> {
        let &Detail::Fresh {
            address,
            bytes,
            value,
        } = detail
        else {
            return None;
        };
        let alloca = &f.allocas[alloca as usize];
        if let Some((count, bits)) = alloca.count {
            // The size of the object is part of what is the same.
            let term = self.register(item, count, u32::from(bits));
            self.require_equal(term, Value::concrete(bytes / alloca.size.max(1)))?;
        }
        self.forget(address, bytes);
        let value = self.term(value, self.machine.pointer_bits());
        self.set(item, dst, value);
        Some(())
    }

    pub(super) fn tls_address(&mut self, item: &Item, detail: &Detail, dst: Slot) -> Option<()> {
        let value = match detail {
            Detail::Value(value) => *value,
            Detail::Begun { address, bytes } => {
                for (at, byte) in (*address..).zip(bytes) {
                    let byte = self.machine.terms.constant(8, u128::from(*byte));
                    self.write(at, 1, byte);
                }
                Value::concrete(*address)
            }
            _ => return None,
        };
        let value = self.term(value, self.machine.pointer_bits());
        self.set(item, dst, value);
        Some(())
    }

    /// An input that was made up.
    pub(super) fn undef(
        &mut self,
        item: &Item,
        detail: &Detail,
        dst: Slot,
        width: u32,
    ) -> Option<()> {
        let &Detail::Value(value) = detail else {
            return None;
        };
        let value = self.term(value, width);
        self.set(item, dst, value);
        Some(())
    }
}
