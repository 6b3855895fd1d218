//! What the visible operation of the current transition touched: the material of dependence between operations.

use smallvec::SmallVec;

use crate::machine::Machine;
use crate::memory::AccessKind;

/// Some bytes that a visible operation looked at or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub address: u64,
    pub bytes: u64,
    /// It may have changed them. A lock that was not taken was only read.
    pub written: bool,
    /// Whether it changed them depended on what it found. So it may in an atomic section, which can have branches.
    pub conditional: bool,
    pub in_section: bool,
    /// The first words of a synchronisation object, before the operation: whether one that waits for it could have gone on.
    pub words: Option<[u32; 2]>,
}

/// The touches of a transition, in order. Those of an instruction count once it is finished.
#[derive(Clone, Default)]
pub(crate) struct Touched {
    touches: SmallVec<[Touch; 4]>,
    finished: usize,
}

impl Touched {
    #[inline]
    pub fn add(&mut self, address: u64, bytes: u64, kind: AccessKind, in_section: bool) {
        self.touches.push(Touch {
            address,
            bytes,
            written: kind == AccessKind::Write,
            conditional: in_section,
            in_section,
            words: None,
        });
    }

    /// The current instruction is an operation on a synchronisation object that begins with these words.
    pub fn begins_with(&mut self, address: u64, words: [u32; 2]) {
        for touch in &mut self.touches[self.finished..] {
            if touch.address == address {
                touch.words = Some(words);
            }
        }
    }

    /// Whether the current instruction changes anything depended on what it found.
    pub fn depends(&mut self, written: bool) {
        for touch in &mut self.touches[self.finished..] {
            touch.written = written;
            touch.conditional = true;
        }
    }

    #[inline]
    pub fn finish(&mut self) {
        self.finished = self.touches.len();
    }

    #[inline]
    pub fn forget_unfinished(&mut self) {
        self.touches.truncate(self.finished);
    }

    #[inline]
    pub fn clear(&mut self) {
        self.touches.clear();
        self.finished = 0;
    }
}

impl Machine {
    /// What the last scheduled operation touched.
    pub fn touched(&self) -> &[Touch] {
        &self.touched.touches
    }

    /// Goes back to what was touched before another thread was looked at.
    pub fn set_touched(&mut self, touches: &[Touch]) {
        self.touched.touches = SmallVec::from_slice(touches);
        self.touched.finished = touches.len();
    }
}
