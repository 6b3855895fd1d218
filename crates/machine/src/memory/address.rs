//! How addresses are laid out. See the module head of `memory` for why.
//!
//! LP64: bits 36.. select the arena, so an object may be up to 64 GiB. ILP32: globals below 256
//! MiB, then 768 MiB for main's stack and heap, then 32 MiB pairs for each other thread.
//!
//! Objects that are too large to be held ([`LARGEST`]) lie *far* from all others, where no arena
//! is: they have addresses and no contents. With 32 bits there is no room for them.

use base::id;

use crate::thread::ThreadId;

id!(
    /// 0: globals and functions; `1 + 2t`: stack of thread t; `2 + 2t`: heap of thread t.
    ArenaId, "arena"
);

impl ArenaId {
    pub const STATIC: ArenaId = ArenaId(0);

    /// Whether it is the stack of a thread, and not of this one.
    pub fn is_stack_of_other(self, thread: ThreadId) -> bool {
        self.0 % 2 == 1 && self != thread.stack()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct AddressSpace {
    pointer_bits: u32,
}

/// Larger objects have no contents, because there would be no room for them. Every access to one
/// ends in `unknown`.
pub const LARGEST: u64 = 128 << 20;

/// Far from what any arena of a thread has; the owners' parts have room for 4 TiB each.
const FAR: u64 = 1 << 52;
const FAR_SHIFT: u32 = 42;

const WIDE_SHIFT: u32 = 36;
const STATIC_END: u64 = 0x1000_0000;
const MAIN_STACK_END: u64 = 0x2000_0000;
const MAIN_HEAP_END: u64 = 0x4000_0000;
const SMALL_SHIFT: u32 = 24;

impl AddressSpace {
    pub fn new(pointer_bits: u32) -> AddressSpace {
        AddressSpace { pointer_bits }
    }

    pub fn pointer_bits(self) -> u32 {
        self.pointer_bits
    }

    /// How many threads have room for their arenas.
    pub fn max_threads(self) -> u32 {
        if self.pointer_bits == 64 {
            1000
        } else {
            ((0x1_0000_0000 - MAIN_HEAP_END) >> (SMALL_SHIFT + 1)) as u32
        }
    }

    pub fn arena_size(self, arena: ArenaId) -> u64 {
        if self.pointer_bits == 64 {
            return 1 << WIDE_SHIFT;
        }
        match arena.0 {
            0 => STATIC_END - 0x1_0000,
            1 => MAIN_STACK_END - STATIC_END,
            2 => MAIN_HEAP_END - MAIN_STACK_END,
            _ => 1 << SMALL_SHIFT,
        }
    }

    /// How many arguments `main` may have, as a number of bits. Linux gives them and the pointers
    /// to them 6 MiB at most, so that with 32 bits there are fewer than 2^21; a vector for all that
    /// an `int` can say would not fit there.
    pub fn argc_bits(self) -> u32 {
        if self.pointer_bits == 64 { 31 } else { 21 }
    }

    /// The size of a vector of as many arguments, with the null pointer at its end.
    pub fn argv_size(self) -> u64 {
        u64::from(self.pointer_bits / 8) << self.argc_bits()
    }

    /// Where the far objects begin that the owner of an arena has, and where they end.
    pub fn far(self, arena: ArenaId) -> Option<std::ops::Range<u64>> {
        let start = FAR + (u64::from(arena.0) << FAR_SHIFT);
        (self.pointer_bits == 64).then_some(start..start + (1 << FAR_SHIFT))
    }

    /// The owner of a far address.
    pub fn locate_far(self, address: u64) -> Option<ArenaId> {
        if self.pointer_bits != 64 || address < FAR {
            return None;
        }
        u32::try_from((address - FAR) >> FAR_SHIFT)
            .ok()
            .map(ArenaId)
    }

    pub fn address(self, arena: ArenaId, offset: u64) -> u64 {
        if self.pointer_bits == 64 {
            return ((u64::from(arena.0) + 1) << WIDE_SHIFT) + offset;
        }
        match arena.0 {
            0 => 0x1_0000 + offset,
            1 => STATIC_END + offset,
            2 => MAIN_STACK_END + offset,
            n => MAIN_HEAP_END + ((u64::from(n) - 3) << SMALL_SHIFT) + offset,
        }
    }

    #[inline(always)]
    pub fn locate(self, address: u64) -> Option<(ArenaId, u64)> {
        if self.pointer_bits == 64 {
            let arena = address >> WIDE_SHIFT;
            if arena == 0 || arena > u64::from(u32::MAX) {
                return None;
            }
            return Some((ArenaId(arena as u32 - 1), address & ((1 << WIDE_SHIFT) - 1)));
        }
        self.locate_small(address)
    }

    fn locate_small(self, address: u64) -> Option<(ArenaId, u64)> {
        match address {
            0..0x1_0000 => None,
            0x1_0000..STATIC_END => Some((ArenaId(0), address - 0x1_0000)),
            STATIC_END..MAIN_STACK_END => Some((ArenaId(1), address - STATIC_END)),
            MAIN_STACK_END..MAIN_HEAP_END => Some((ArenaId(2), address - MAIN_STACK_END)),
            MAIN_HEAP_END..0x1_0000_0000 => {
                let n = (address - MAIN_HEAP_END) >> SMALL_SHIFT;
                Some((
                    ArenaId(n as u32 + 3),
                    (address - MAIN_HEAP_END) & ((1 << SMALL_SHIFT) - 1),
                ))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_located_where_it_was_made() {
        for bits in [32, 64] {
            let space = AddressSpace::new(bits);
            for arena in (0..7).map(ArenaId) {
                for offset in [0, 64, space.arena_size(arena) - 1] {
                    let address = space.address(arena, offset);
                    assert_eq!(space.locate(address), Some((arena, offset)));
                }
            }
            assert_eq!(space.locate(0), None);
        }
    }

    #[test]
    fn chunks_of_one_arena_are_aligned() {
        for bits in [32, 64] {
            let space = AddressSpace::new(bits);
            assert!((0..9).all(|a| space.address(ArenaId(a), 0).is_multiple_of(4096)));
        }
    }
}
