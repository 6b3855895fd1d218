//! The heap. `free` is an access to the whole object: another thread's use of it is ordered with it
//! or a fault.

use ir::modelled::Heap;

use super::errno::*;
use super::{Shim, ShimCall};
use crate::fault::{Cutoff, Exec, Fault};
use crate::machine::Machine;
use crate::memory::{AccessKind, Allocation, LARGEST, MemoryFault, ObjectId, ObjectKind, Region};
use crate::race::{Effect, How};
use crate::record::EventKind;
use crate::thread::Guard;

pub fn shim(function: Heap) -> Shim {
    match function {
        Heap::Malloc | Heap::New => |m, c| {
            let size = m.arg_number(c, 0)?;
            give(m, c, size, 16, false)
        },
        Heap::PageAlloc => |m, c| {
            let size = m.arg_number(c, 0)?;
            give(m, c, size, PAGE, false)
        },
        Heap::AlignedNew => |m, c| {
            let (size, align) = (m.arg_number(c, 0)?, m.arg_number(c, 1)?);
            give(m, c, size, align, false)
        },
        Heap::Calloc => calloc,
        Heap::AlignedAlloc => |m, c| {
            let (align, size) = (m.arg_number(c, 0)?, m.arg_number(c, 1)?);
            // As glibc has it.
            match align.max(16).checked_next_power_of_two() {
                Some(align) => give(m, c, size, align, false),
                None => {
                    m.set_errno(EINVAL)?;
                    m.result_number(c, 0)
                }
            }
        },
        Heap::PosixMemalign => posix_memalign,
        Heap::Realloc => |m, c| {
            let size = m.arg_number(c, 1)?;
            realloc(m, c, size)
        },
        Heap::ReallocArray => |m, c| {
            let (count, size) = (m.arg_number(c, 1)?, m.arg_number(c, 2)?);
            match count.checked_mul(size) {
                Some(size) => realloc(m, c, size),
                None => m.refuse(c),
            }
        },
        Heap::Free => free,
        Heap::UsableSize => usable_size,
    }
}

const PAGE: u64 = 4096;

/// No address in a process of x86-64 Linux is a larger power of two.
const LARGEST_ALIGNMENT: u64 = 1 << 46;

impl Machine {
    /// A fresh heap object. Where there is no room for it the program must not learn of it: real
    /// memory is larger.
    pub(crate) fn allocate_heap(&mut self, size: u64, align: u64, zeroed: bool) -> Exec<u64> {
        let loc = self.current_user_loc();
        let request = Allocation {
            arena: self.now.current.heap(),
            size,
            align,
            kind: ObjectKind::Heap {
                thread: self.now.current,
                loc,
            },
            initialised: zeroed,
            readonly: false,
        };
        match self.state.memory.allocate(&mut self.trail, request) {
            // Arenas themselves begin at addresses that are less aligned than any address can be.
            Some(address) if address.is_multiple_of(align) => Ok(address),
            _ => self.cut_off(Cutoff::OutOfAddresses),
        }
    }

    /// Whether no `malloc` can give an object of this size: differences of pointers into it would
    /// not fit. Nor can one begin at such a multiple.
    fn is_refused(&self, size: u64, align: u64) -> bool {
        size >= 1 << (self.pointer_bits() - 1) || align > LARGEST_ALIGNMENT
    }

    /// With `--malloc-may-fail`: whether it does.
    fn fails(&mut self) -> Exec<bool> {
        Ok(self.config.malloc_may_fail && self.choice(2)? == 1)
    }

    /// What C's allocating functions do if they have nothing to give.
    fn refuse(&mut self, call: &ShimCall) -> Exec<()> {
        self.set_errno(ENOMEM)?;
        self.result_number(call, 0)
    }

    /// The live heap object that starts at `address`; anything else is a fault.
    fn heap_object(&mut self, address: u64) -> Exec<ObjectId> {
        let Some(id) = self.state.memory.object_at(address) else {
            return self.fault(Fault::Memory(MemoryFault::InvalidFree, address));
        };
        let object = self.state.memory.object(id);
        if object.kind.region() != Region::Heap || object.base != address {
            return self.fault(Fault::Memory(MemoryFault::InvalidFree, address));
        }
        if !object.live {
            return self.fault(Fault::Memory(MemoryFault::DoubleFree(id), address));
        }
        Ok(id)
    }
}

fn give(m: &mut Machine, call: &ShimCall, size: u64, align: u64, zeroed: bool) -> Exec<()> {
    // `new` would throw; and what the library keeps for itself is not asked for by the program.
    let throws = call.name.starts_with("_Z") && !call.name.contains("nothrow");
    if !throws && call.name != "__sleave_malloc" && m.fails()? {
        return m.refuse(call);
    }
    if m.is_refused(size, align) {
        if throws {
            return m.cut_off(Cutoff::OutOfAddresses);
        }
        return m.refuse(call);
    }
    let address = m.allocate_heap(size, align, zeroed)?;
    m.result_number(call, address)
}

fn calloc(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let (count, size) = (m.arg_number(call, 0)?, m.arg_number(call, 1)?);
    match count.checked_mul(size) {
        Some(size) => give(m, call, size, 16, true),
        None => m.refuse(call),
    }
}

fn posix_memalign(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let out = m.arg_number(call, 0)?;
    let (align, size) = (m.arg_number(call, 1)?, m.arg_number(call, 2)?);
    if !align.is_power_of_two() || align % m.pointer_bytes() as u64 != 0 {
        return m.result_number(call, EINVAL);
    }
    let bytes = m.pointer_bytes();
    m.check_access(out, bytes as u64, AccessKind::Write)?;
    m.take_turn(out, bytes as u64, AccessKind::Write, Guard::Always)?;
    if m.is_refused(size, align) || m.fails()? {
        return m.result_number(call, ENOMEM);
    }
    m.note_plain(out, bytes as u64, AccessKind::Write)?;
    let address = m.allocate_heap(size, align, false)?;
    m.state
        .memory
        .write_bytes(&mut m.trail, out, &address.to_le_bytes()[..bytes]);
    m.result_number(call, 0)
}

fn realloc(m: &mut Machine, call: &ShimCall, size: u64) -> Exec<()> {
    let old = m.arg_number(call, 0)?;
    if old == 0 {
        return give(m, call, size, 16, false);
    }
    if size == 0 {
        // As in glibc. C leaves it open, and C23 undefined.
        free(m, call)?;
        return m.result_number(call, 0);
    }
    let id = m.heap_object(old)?;
    if m.is_refused(size, 16) {
        return m.refuse(call);
    }
    let old_size = m.state.memory.object(id).size;
    if old_size.max(size) > LARGEST {
        return m.cut_off(Cutoff::ObjectTooLarge);
    }
    m.take_turn(old, old_size, AccessKind::Write, Guard::Always)?;
    if m.fails()? {
        return m.refuse(call);
    }
    m.note_access(old, old_size, Effect::Free, How::Plain)?;
    let new = m.allocate_heap(size, 16, false)?;
    m.state
        .memory
        .copy(&mut m.trail, new, old, size.min(old_size));
    m.check_end_of(id);
    m.state.memory.kill(&mut m.trail, id);
    m.event(|| EventKind::Free { address: old });
    m.result_number(call, new)
}

fn free(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    if address == 0 {
        return Ok(());
    }
    let id = m.heap_object(address)?;
    // An object that is too large to be held is never accessed, so that no access can be in time or
    // too late.
    if id.far_index().is_none() {
        let size = m.state.memory.object(id).size;
        m.take_turn(address, size, AccessKind::Write, Guard::Always)?;
        m.note_access(address, size, Effect::Free, How::Plain)?;
    }
    m.change();
    m.event(|| EventKind::Free { address });
    m.check_end_of(id);
    m.state.memory.kill(&mut m.trail, id);
    Ok(())
}

fn usable_size(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    if address == 0 {
        return m.result_number(call, 0);
    }
    let id = m.heap_object(address)?;
    let size = m.state.memory.object(id).size;
    // It may be in time or too late: another thread frees it.
    if id.far_index().is_none() {
        m.take_turn(address, size, AccessKind::Read, Guard::Always)?;
    }
    m.result_number(call, size)
}
