//! Memory as threads see it: loads, stores and atomic operations. `place` resolves addresses that
//! are symbolic, `visible` checks accesses and makes them scheduling points where other threads may
//! look.

use ir::{MemoryOrder, RmwOp, Type};
use smt::TermId;

use crate::code::Slot;
use crate::fault::Exec;
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::place::Place;
use crate::race::{Effect, How};
use crate::record::EventKind;
use crate::step::concrete_bin;
use crate::touch::{Change, Update};
use crate::value::Value;

/// Symbolic stores to objects up to this size rewrite every byte they may hit; larger ones
/// enumerate the addresses.
const MAX_SYMBOLIC_STORE: u64 = 1024;
/// Symbolic loads read objects up to this size through a table.
const MAX_SYMBOLIC_LOAD: u64 = 1 << 16;

impl Machine {
    pub(crate) fn load(
        &mut self,
        dst: usize,
        ptr: Value,
        width: u32,
        atomic: Option<MemoryOrder>,
    ) -> Exec<()> {
        let bytes = u64::from(width.div_ceil(8));
        let is_wide = atomic.is_none() && self.is_wide(bytes);
        // Which of its words is accessed when is known only where the address is.
        let most = if is_wide && self.now.concurrent {
            0
        } else {
            MAX_SYMBOLIC_LOAD
        };
        let place = self.resolve(ptr, bytes, most)?;
        if let Place::Fixed(address) = place
            && is_wide
            && self.is_torn(address, bytes)
        {
            return self.load_in_parts(dst, address, width);
        }
        self.access(place, bytes, AccessKind::Read)?;
        let value = self.read_place(place, width);
        self.event(|| EventKind::Read {
            address: place_address(place),
            bytes: bytes as u32,
            value,
        });
        self.running.registers[dst] = value;
        let how = atomic.map_or(How::Plain, How::Load);
        self.note_place(place, bytes, Effect::Read, how)
    }

    pub(crate) fn store(
        &mut self,
        ptr: Value,
        value: Value,
        width: u32,
        atomic: Option<MemoryOrder>,
    ) -> Exec<()> {
        let bytes = u64::from(width.div_ceil(8));
        let is_wide = atomic.is_none() && self.is_wide(bytes);
        let most = if is_wide && self.now.concurrent {
            0
        } else {
            MAX_SYMBOLIC_STORE
        };
        let place = self.resolve(ptr, bytes, most)?;
        if let Place::Fixed(address) = place
            && is_wide
            && self.is_torn(address, bytes)
        {
            return self.store_in_parts(address, value, width);
        }
        self.access(place, bytes, AccessKind::Write)?;
        if matches!(place, Place::Fixed(_)) {
            self.probes.footprint.changes(Change::Replaced);
        }
        self.change();
        self.write_place(place, value, width);
        self.event(|| EventKind::Write {
            address: place_address(place),
            bytes: bytes as u32,
            value,
        });
        let how = atomic.map_or(How::Plain, How::Store);
        self.note_place(place, bytes, Effect::Write, how)
    }

    pub(crate) fn rmw(
        &mut self,
        op: RmwOp,
        ty: Type,
        dst: usize,
        ptr: Value,
        operand: Value,
        order: MemoryOrder,
    ) -> Exec<()> {
        let width = ty.bits(self.pointer_bits());
        let bytes = u64::from(width.div_ceil(8));
        let place = self.resolve(ptr, bytes, MAX_SYMBOLIC_STORE)?;
        self.access(place, bytes, AccessKind::Write)?;
        let old = self.read_place(place, width);
        let new = self.rmw_value(op, ty, width, old, operand)?;
        self.change();
        self.write_place(place, new, width);
        self.event(|| EventKind::Update {
            address: place_address(place),
            bytes: bytes as u32,
            old,
            new,
        });
        if self.mode.commuting
            && matches!(place, Place::Fixed(_))
            && let Some(update) = Update::of(op)
        {
            let base = self.running.frames.last().expect("a frame").base as usize;
            if self.is_dropped((dst - base) as Slot) {
                self.probes.footprint.changes(Change::Updated(update));
            }
        }
        self.running.registers[dst] = old;
        self.note_place(place, bytes, Effect::Update, How::Update(order))
    }

    pub(crate) fn cmpxchg(
        &mut self,
        [old_dst, success_dst]: [usize; 2],
        ptr: Value,
        [expected, new]: [Value; 2],
        width: u32,
        [on_success, on_failure]: [MemoryOrder; 2],
    ) -> Exec<()> {
        let bytes = u64::from(width.div_ceil(8));
        let place = self.resolve(ptr, bytes, MAX_SYMBOLIC_STORE)?;
        self.access(place, bytes, AccessKind::Write)?;
        let old = self.read_place(place, width);
        let equal = if old.is_concrete() && expected.is_concrete() {
            Value::concrete(u64::from(old.bits == expected.bits))
        } else {
            self.symbolic_cmp(ir::CmpOp::Eq, width as u8, old, expected)
        };
        let success = self.truth(equal)?;
        if success {
            self.change();
            self.write_place(place, new, width);
        }
        self.probes.footprint.depends(success);
        self.event(|| EventKind::CompareExchange {
            address: place_address(place),
            bytes: bytes as u32,
            old,
            new,
            success,
        });
        self.running.registers[old_dst] = old;
        self.running.registers[success_dst] = Value::concrete(u64::from(success));
        let (effect, how) = if success {
            (Effect::Update, How::Update(on_success))
        } else {
            (Effect::Read, How::Load(on_failure))
        };
        self.note_place(place, bytes, effect, how)
    }

    fn rmw_value(
        &mut self,
        op: RmwOp,
        ty: Type,
        width: u32,
        old: Value,
        operand: Value,
    ) -> Exec<Value> {
        if old.is_concrete()
            && operand.is_concrete()
            && let Some(bits) = concrete_rmw(op, width, old.bits, operand.bits)
        {
            return Ok(Value::concrete(bits));
        }
        let float = match op {
            RmwOp::FAdd => Some(ir::FloatBin::Add),
            RmwOp::FSub => Some(ir::FloatBin::Sub),
            RmwOp::FMax => Some(ir::FloatBin::Max),
            RmwOp::FMin => Some(ir::FloatBin::Min),
            _ => None,
        };
        if let Some(op) = float {
            return self.float_bin_value(op, ty, old, operand);
        }
        let (a, b) = (self.term(old, width), self.term(operand, width));
        let term = self.updated(op, width, a, b);
        Ok(self.value(term.expect("not of floats")))
    }

    /// What an update leaves. `None`: it is one of floats.
    pub(crate) fn updated(
        &mut self,
        op: RmwOp,
        width: u32,
        a: TermId,
        b: TermId,
    ) -> Option<TermId> {
        use smt::{BinOp, CmpOp};
        let t = &mut self.terms;
        Some(match op {
            RmwOp::Xchg => b,
            RmwOp::Add => t.bin(BinOp::Add, a, b),
            RmwOp::Sub => t.bin(BinOp::Sub, a, b),
            RmwOp::And => t.bin(BinOp::And, a, b),
            RmwOp::Nand => {
                let and = t.bin(BinOp::And, a, b);
                t.not(and)
            }
            RmwOp::Or => t.bin(BinOp::Or, a, b),
            RmwOp::Xor => t.bin(BinOp::Xor, a, b),
            RmwOp::Max | RmwOp::Min | RmwOp::UMax | RmwOp::UMin => {
                let keep = match op {
                    RmwOp::Max => CmpOp::Sgt,
                    RmwOp::Min => CmpOp::Slt,
                    RmwOp::UMax => CmpOp::Ugt,
                    _ => CmpOp::Ult,
                };
                let keep = t.cmp(keep, a, b);
                t.ite(keep, a, b)
            }
            RmwOp::UIncWrap => {
                let (zero, one) = (t.constant(width, 0), t.constant(width, 1));
                let wraps = t.cmp(CmpOp::Uge, a, b);
                let next = t.bin(BinOp::Add, a, one);
                t.ite(wraps, zero, next)
            }
            RmwOp::UDecWrap => {
                let (zero, one) = (t.constant(width, 0), t.constant(width, 1));
                let (is_zero, above) = (t.cmp(CmpOp::Eq, a, zero), t.cmp(CmpOp::Ugt, a, b));
                let wraps = t.or(is_zero, above);
                let next = t.bin(BinOp::Sub, a, one);
                t.ite(wraps, b, next)
            }
            RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => return None,
        })
    }

    /// An address that depends on an input is known where others may look (see `wants_addresses`).
    #[inline]
    fn note_place(&mut self, place: Place, bytes: u64, effect: Effect, how: How) -> Exec<()> {
        match place {
            Place::Fixed(address) => self.note_access(address, bytes, effect, how),
            Place::Within { .. } => Ok(()),
        }
    }
}

/// The usual updates, of numbers that depend on no input.
pub(crate) fn concrete_rmw(op: RmwOp, width: u32, old: u64, operand: u64) -> Option<u64> {
    let op = match op {
        RmwOp::Xchg => return Some(operand),
        RmwOp::Add => ir::BinOp::Add,
        RmwOp::Sub => ir::BinOp::Sub,
        RmwOp::And => ir::BinOp::And,
        RmwOp::Or => ir::BinOp::Or,
        RmwOp::Xor => ir::BinOp::Xor,
        _ => return None,
    };
    concrete_bin(op, width, old, operand)
}

/// Where a report says the access went.
fn place_address(place: Place) -> u64 {
    match place {
        Place::Fixed(address) => address,
        Place::Within { .. } => 0,
    }
}
