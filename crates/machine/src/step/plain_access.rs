//! Loads and stores: the fast paths for concrete addresses of a word at most. All other accesses
//! take the general paths of `access`.

use ir::MemoryOrder;

use super::At;
use crate::code::{AccessMarks, Slot};
use crate::fault::{Exec, Stop};
use crate::history::Detail;
use crate::machine::Machine;
use crate::value::{Value, mask};
use crate::visible::Beside;

impl Machine {
    #[inline(always)]
    pub(super) fn step_load<const NOTED: bool>(
        &mut self,
        at: At,
        dst: Slot,
        ptr: Slot,
        bits: u8,
        atomic: Option<MemoryOrder>,
        marks: AccessMarks,
    ) -> Exec<()> {
        let p = self.register(at, ptr);
        let bytes = u32::from(bits).div_ceil(8);
        let plain = if !p.is_concrete() || bytes > 8 {
            None
        } else if self.is_beside_others(marks) {
            if atomic.is_none() && self.is_wide(u64::from(bytes)) {
                None
            } else {
                match self.load_beside(p.bits, bytes, marks.noted) {
                    Beside::Done(word) => Some(word),
                    Beside::Park => {
                        self.stand(at);
                        return Err(Stop::Park);
                    }
                    Beside::Unclear => None,
                }
            }
        } else {
            self.step.is_local = false;
            let by = self.by(marks.noted, marks.roams);
            self.state.memory.load_plain(p.bits, bytes, by)
        };
        match plain {
            Some(word) => {
                self.set_register(at, dst, Value::concrete(word & mask(u32::from(bits))));
            }
            None => {
                let dst = at.base + dst as usize;
                self.slowly(at, |m| m.load(dst, p, u32::from(bits), atomic))?;
            }
        }
        if NOTED {
            self.note_detail(|| Detail::address(p));
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn step_store<const NOTED: bool>(
        &mut self,
        at: At,
        ptr: Slot,
        value: Slot,
        bits: u8,
        atomic: Option<MemoryOrder>,
        marks: AccessMarks,
    ) -> Exec<()> {
        let (p, v) = (self.register(at, ptr), self.register(at, value));
        let bytes = u32::from(bits).div_ceil(8);
        let done = if !p.is_concrete() || !v.is_concrete() || bytes > 8 {
            false
        } else if self.is_beside_others(marks) {
            if atomic.is_none() && self.is_wide(u64::from(bytes)) {
                false
            } else {
                match self.store_beside(p.bits, bytes, v.bits, marks.noted) {
                    Beside::Done(()) => true,
                    Beside::Park => {
                        self.stand(at);
                        return Err(Stop::Park);
                    }
                    Beside::Unclear => false,
                }
            }
        } else {
            self.step.is_local = false;
            let effects = self.trail.effects;
            let by = self.by(marks.noted, marks.roams);
            let trail = &mut self.trail;
            let done = self
                .state
                .memory
                .store_plain(trail, p.bits, bytes, v.bits, by);
            self.trail.effects = effects;
            done
        };
        if !done {
            self.slowly(at, |m| m.store(p, v, u32::from(bits), atomic))?;
        }
        if NOTED {
            self.note_detail(|| Detail::address(p));
        }
        Ok(())
    }

    /// Whether an access may be one that other threads notice.
    #[inline(always)]
    fn is_beside_others(&self, marks: AccessMarks) -> bool {
        self.now.concurrent && !(marks.invisible && self.mode.slices && self.may_be_invisible())
    }

    /// The access that follows goes to the object that `from` points to.
    #[inline(always)]
    pub(super) fn step_within<const NOTED: bool>(
        &mut self,
        at: At,
        from: Slot,
        ptr: Slot,
        bytes: u32,
    ) -> Exec<()> {
        let (from, to) = (self.register(at, from), self.register(at, ptr));
        let is_plain = from.is_concrete() && to.is_concrete();
        if !(is_plain && self.is_near(from.bits, to.bits)) {
            self.slowly(at, |m| m.stay_within(from, to, u64::from(bytes)))?;
        }
        if NOTED {
            self.note_detail(|| Detail::address(from));
        }
        Ok(())
    }
}
