//! Functions that programs call and do not define, by family. Pure ones are written in C
//! (`runtime/`); here are those that schedule, block, allocate, or talk to the verifier.
//!
//! A shim may be executed several times before it completes: it must change nothing until every
//! question it asks and every wait it makes is behind it.

mod alloc;
mod barrier;
mod condition;
mod decimal;
mod environment;
mod format;
mod jump;
mod mutex;
mod numbers;
mod process;
mod rwlock;
mod semaphore;
mod spec;
mod stdio;
mod steps;
mod threads;
mod verifier;

use ir::modelled::{Modelled, Overriding};

use crate::code::Operand;
use crate::fault::{Exec, Problem};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::race::{Effect, How};
use crate::thread::Guard;
use crate::value::{Value, mask};

/// The deciding word of a synchronisation object that was destroyed: no owner, and no value of a
/// semaphore.
pub const DESTROYED: u32 = u32::MAX;

pub type Shim = fn(&mut Machine, &ShimCall) -> Exec<()>;

/// The call that a shim answers.
pub struct ShimCall<'a> {
    pub name: &'a str,
    pub args: &'a [Operand],
    pub results: &'a [Operand],
    /// Where the caller's registers start.
    pub base: usize,
}

/// The shim for a function that is declared only.
pub fn find(name: &str) -> Option<Shim> {
    Modelled::named(name).map(|function| match function {
        Modelled::Thread(function) => threads::shim(function),
        Modelled::Mutex(function) => mutex::shim(function),
        Modelled::RwLock(function) => rwlock::shim(function),
        Modelled::Condition(function) => condition::shim(function),
        Modelled::Barrier(function) => barrier::shim(function),
        Modelled::Semaphore(function) => semaphore::shim(function),
        Modelled::Heap(function) => alloc::shim(function),
        Modelled::Output(function) => stdio::shim(function),
        Modelled::Process(function) => process::shim(function),
        Modelled::Jump(function) => jump::shim(function),
        Modelled::Environment(function) => environment::shim(function),
        Modelled::Verifier(function) => verifier::shim(function),
    })
}

pub use jump::returns_twice;

/// The shim for a function of the verifier's vocabulary, which holds even if the program gives it a
/// body.
pub fn overriding(name: &str) -> Option<Shim> {
    Overriding::named(name).map(verifier::overriding)
}

impl Machine {
    #[inline]
    pub(crate) fn arg(&self, call: &ShimCall, index: usize) -> Value {
        call.args.get(index).map_or(Value::ZERO, |a| {
            self.running.registers[call.base + a.slot as usize]
        })
    }

    /// The argument as a number; several possible ones are several paths.
    #[inline]
    pub(crate) fn arg_number(&mut self, call: &ShimCall, index: usize) -> Exec<u64> {
        let value = self.arg(call, index);
        self.number(value)
    }

    pub(crate) fn arg_width(&self, call: &ShimCall, index: usize) -> u32 {
        call.args
            .get(index)
            .map_or(32, |a| a.ty.bits(self.pointer_bits()))
    }

    pub(crate) fn result(&mut self, call: &ShimCall, value: Value) {
        if let Some(result) = call.results.first() {
            // A prototype may disagree about the width of the result.
            let value = self.resized(value, result.ty.bits(self.pointer_bits()));
            self.running.registers[call.base + result.slot as usize] = value;
        }
    }

    /// The value cut or extended with zeros to this width.
    pub(crate) fn resized(&mut self, value: Value, width: u32) -> Value {
        if value.is_concrete() {
            if width > 64 {
                return Value::of_bits(&mut self.terms, width, u128::from(value.bits));
            }
            return Value::concrete(value.bits & mask(width));
        }
        let now = self.terms.width(value.term);
        if now == width {
            return value;
        }
        let term = if now > width {
            self.terms.extract(value.term, 0, width)
        } else {
            self.terms.zext(value.term, width)
        };
        self.value(term)
    }

    pub(crate) fn result_number(&mut self, call: &ShimCall, number: u64) -> Exec<()> {
        self.result(call, Value::concrete(number));
        Ok(())
    }

    /// A checked operation on a synchronisation object of this size: waits for its turn and for
    /// `guard`. When it has come to something, [`Machine::note_operation`] is due.
    pub(crate) fn synchronise(&mut self, address: u64, bytes: u64, guard: Guard) -> Exec<()> {
        self.check_access(address, bytes, AccessKind::Write)?;
        self.settle(address, bytes)?;
        self.take_turn(address, bytes, AccessKind::Write, guard)?;
        self.note_words(address, bytes);
        Ok(())
    }

    /// An operation on a synchronisation object races with plain accesses to it, after what it
    /// acquires and before what it releases.
    pub(crate) fn note_operation(&mut self, address: u64, bytes: u64) -> Exec<()> {
        self.note_access(address, bytes, Effect::Update, How::Operation)
    }

    /// Notes what the synchronisation object is like before the current operation.
    pub(crate) fn note_words(&mut self, address: u64, bytes: u64) {
        if self.mode.observed {
            let second = if bytes >= 8 {
                self.word(address + 4)
            } else {
                0
            };
            let words = [self.word(address), second];
            self.probes.footprint.begins_with(address, words);
        }
    }

    /// Makes the words of a synchronisation object concrete. One that was never initialised must
    /// not be used.
    fn settle(&mut self, address: u64, bytes: u64) -> Exec<()> {
        if self.state.memory.is_plain(address, bytes) {
            return Ok(());
        }
        if !self.state.memory.uninitialised(address, bytes).is_empty() {
            return self.misuse("", address, Problem::Uninitialised);
        }
        for at in (address..address + bytes).step_by(4) {
            let value = self.state.memory.read(&mut self.terms, at, 32);
            let number = self.number(value)?;
            self.set_word(at, number as u32);
        }
        Ok(())
    }

    /// A word of a synchronisation object.
    pub(crate) fn word(&self, address: u64) -> u32 {
        if let Some(word) = self.state.memory.plain_word(address, 4) {
            return word as u32;
        }
        let mut bytes = [0; 4];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = self
                .state
                .memory
                .plain_byte(address + i as u64)
                .unwrap_or(0);
        }
        u32::from_le_bytes(bytes)
    }

    pub(crate) fn set_word(&mut self, address: u64, word: u32) {
        self.state
            .memory
            .write_bytes(&mut self.trail, address, &word.to_le_bytes());
    }

    /// A pointer stored in memory; zero where it is not plain.
    pub(crate) fn pointer_at(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        let n = self.pointer_bytes();
        for (i, byte) in bytes[..n].iter_mut().enumerate() {
            *byte = self
                .state
                .memory
                .plain_byte(address + i as u64)
                .unwrap_or(0);
        }
        u64::from_le_bytes(bytes)
    }

    /// A text that only a report needs: up to its zero byte or the first byte that is not concrete.
    /// The program's own reads of text are accesses and go through `steps`.
    pub(crate) fn text_at(&self, address: u64) -> String {
        let mut text = Vec::new();
        let mut at = address;
        while self.state.memory.check(at, 1, AccessKind::Read).is_ok() {
            match self.state.memory.plain_byte(at) {
                Some(0) | None => break,
                Some(byte) => text.push(byte),
            }
            at += 1;
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Error numbers of Linux.
pub mod errno {
    pub const EPERM: u64 = 1;
    pub const EAGAIN: u64 = 11;
    pub const ENOMEM: u64 = 12;
    pub const EBUSY: u64 = 16;
    pub const EINVAL: u64 = 22;
    pub const EDEADLK: u64 = 35;
    pub const EOVERFLOW: u64 = 75;
    pub const ETIMEDOUT: u64 = 110;
}
