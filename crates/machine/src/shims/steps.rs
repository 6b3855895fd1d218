//! Library functions that read and write memory in several steps. Where another thread may look
//! they do so word by word, each word an event of its own.
//!
//! Between two events other threads may run, and the call is executed again from its start. It must
//! not look twice at what may have changed: everything it has read is kept in an object on its
//! thread's stack, and the next execution reads there. `Frame::carried` is the address of that
//! object, `Frame::progress` one more than the number of bytes written.

use rustc_hash::FxHashSet;
use smt::TermId;

use super::ShimCall;
use crate::fault::{Cutoff, Exec, Stop};
use crate::machine::Machine;
use crate::memory::{AccessKind, Allocation, ObjectKind, StackMark};
use crate::record::EventKind;
use crate::thread::Guard;
use crate::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Byte {
    Plain(u8),
    Term(TermId),
}

impl Byte {
    fn at(m: &mut Machine, address: u64) -> Byte {
        match m.state.memory.plain_byte(address) {
            Some(byte) => Byte::Plain(byte),
            None => {
                let term = m.state.memory.read_byte(&mut m.terms, address);
                Byte::of_term(m, term)
            }
        }
    }

    /// The byte that a term of eight bits is.
    pub(super) fn of_term(m: &Machine, term: TermId) -> Byte {
        match m.terms.as_constant(term) {
            Some(byte) => Byte::Plain(byte as u8),
            None => Byte::Term(term),
        }
    }

    fn store(self, m: &mut Machine, address: u64) {
        match self {
            Byte::Plain(byte) => m.state.memory.write_bytes(&mut m.trail, address, &[byte]),
            Byte::Term(term) => m
                .state
                .memory
                .write_symbolic(&mut m.trail, address, term, 0),
        }
    }

    /// For a reader.
    pub(super) fn shown(self) -> u8 {
        match self {
            Byte::Plain(byte) => byte,
            Byte::Term(_) => b'?',
        }
    }
}

/// The value of `bits` bits that bytes in memory make.
pub(super) fn value_of(m: &mut Machine, bytes: &[Byte], bits: u32) -> Value {
    let mut term = None;
    let mut number = 0;
    for (i, byte) in bytes.iter().enumerate() {
        let byte = match *byte {
            Byte::Plain(byte) => {
                number |= u128::from(byte) << (8 * i);
                m.terms.constant(8, u128::from(byte))
            }
            Byte::Term(term) => term,
        };
        term = Some(match term {
            None => byte,
            Some(low) => m.terms.concat(byte, low),
        });
    }
    match term {
        Some(term) if bytes.iter().any(|b| matches!(b, Byte::Term(_))) => {
            let term = m.terms.extract(term, 0, bits);
            m.value(term)
        }
        _ => Value::of_bits(&mut m.terms, bits, number),
    }
}

/// Reads and writes of one call.
pub(super) struct Steps {
    /// Everything the call has read, in order.
    seen: Vec<Byte>,
    /// How much of it this execution has used.
    used: usize,
    /// Bytes written, by this execution and those before.
    written: u64,
    /// Bytes that this execution has written or found written.
    passed: u64,
}

impl Steps {
    /// Goes on where the call was interrupted, if it was.
    pub(super) fn resume(m: &mut Machine) -> Steps {
        let frame = *m.running.frames.last().expect("a frame");
        let mut seen = Vec::new();
        if frame.progress != 0 {
            let log = frame.carried.bits;
            let id = m.state.memory.object_at(log).expect("what was read");
            for i in 0..m.state.memory.object(id).size {
                seen.push(Byte::at(m, log + i));
            }
        }
        Steps {
            seen,
            used: 0,
            written: u64::from(frame.progress.saturating_sub(1)),
            passed: 0,
        }
    }

    /// Whether the next read is one that no earlier execution made.
    pub(super) fn is_fresh(&self) -> bool {
        self.used == self.seen.len()
    }

    /// The call is over: forgets what was read.
    pub(super) fn finish(self, m: &mut Machine) {
        forget(m);
    }

    /// The text at `address`, up to its terminator or `limit` bytes. Reading on where the object
    /// ends is a fault.
    pub(super) fn string(
        &mut self,
        m: &mut Machine,
        address: u64,
        limit: Option<usize>,
    ) -> Exec<Vec<Byte>> {
        let limit = limit.unwrap_or(usize::MAX);
        let mut text = Vec::new();
        while text.len() < limit {
            let at = address.wrapping_add(text.len() as u64);
            let byte = self.next(m, at, (limit - text.len()) as u64, true)?;
            let ends = match byte {
                Byte::Plain(byte) => byte == 0,
                Byte::Term(term) => {
                    let zero = m.terms.constant(8, 0);
                    let ends = m.terms.cmp(smt::CmpOp::Eq, term, zero);
                    m.truth_of(ends)?
                }
            };
            if ends {
                break;
            }
            text.push(byte);
        }
        Ok(text)
    }

    /// Exactly `count` bytes.
    pub(super) fn bytes(&mut self, m: &mut Machine, address: u64, count: u64) -> Exec<Vec<Byte>> {
        if self.is_fresh() {
            m.check_access(address, count, AccessKind::Read)?;
        }
        (0..count)
            .map(|i| self.next(m, address + i, count - i, false))
            .collect()
    }

    /// The 32 bits at `address`: an attribute.
    pub(super) fn word(&mut self, m: &mut Machine, address: u64) -> Exec<Value> {
        let bytes = self.bytes(m, address, 4)?;
        Ok(value_of(m, &bytes, 32))
    }

    /// Whether the nanoseconds of the `struct timespec` at `address` are less than a second.
    fn is_time(&mut self, m: &mut Machine, address: u64) -> Exec<bool> {
        let word = m.pointer_bytes();
        let bits = m.pointer_bits();
        let time = self.bytes(m, address, 2 * word as u64)?;
        let nanoseconds = value_of(m, &time[word..], bits);
        let nanoseconds = m.term(nanoseconds, bits);
        if is_divided(m, nanoseconds) {
            return Ok(true);
        }
        let second = m.terms.constant(bits, 1_000_000_000);
        // Negative ones are large as unsigned numbers.
        let valid = m.terms.cmp(smt::CmpOp::Ult, nanoseconds, second);
        m.truth_of(valid)
    }

    /// What `pthread_*_init` finds in an attribute object, or nowhere: it does not matter to what
    /// is modelled.
    pub(super) fn attribute(&mut self, m: &mut Machine, address: u64) -> Exec<()> {
        match address {
            0 => Ok(()),
            _ => self.word(m, address).map(drop),
        }
    }

    fn next(&mut self, m: &mut Machine, at: u64, most: u64, text: bool) -> Exec<Byte> {
        if self.is_fresh() {
            self.read(m, at, most, text)?;
        }
        self.used += 1;
        Ok(self.seen[self.used - 1])
    }

    /// Reads the word at `at`, `most` bytes at most. Of a text, nothing behind its terminator or
    /// behind a byte that may be it.
    fn read(&mut self, m: &mut Machine, at: u64, most: u64, text: bool) -> Exec<()> {
        m.check_access(at, 1, AccessKind::Read)?;
        let most = most.min(8 - at % 8);
        let mut size = 1;
        while size < most
            && !(text && matches!(m.state.memory.plain_byte(at + size - 1), None | Some(0)))
            && m.state.memory.check(at + size, 1, AccessKind::Read).is_ok()
        {
            size += 1;
        }
        m.note_use(at, size, AccessKind::Read);
        let visible = m.now.concurrent && m.is_visible(at, size, AccessKind::Read);
        m.pass(visible, Guard::Always)?;
        m.note_plain(at, size, AccessKind::Read)?;
        m.initialise_range(at, size);
        for i in 0..size {
            let byte = Byte::at(m, at + i);
            self.seen.push(byte);
        }
        if visible {
            let value = m.state.memory.read(&mut m.terms, at, 8 * size as u32);
            m.event(|| EventKind::Read {
                address: at,
                bytes: size as u32,
                value,
            });
            self.end_event(m)?;
        }
        Ok(())
    }

    /// Writes the bytes, unless an earlier execution did. All reads must come before.
    pub(super) fn write(&mut self, m: &mut Machine, to: u64, bytes: &[Byte]) -> Exec<()> {
        let start = self.passed;
        self.passed += bytes.len() as u64;
        if self.written >= self.passed {
            return Ok(());
        }
        m.check_access(to, bytes.len() as u64, AccessKind::Write)?;
        let invisible = self.written == start
            && !(m.now.concurrent && m.is_visible(to, bytes.len() as u64, AccessKind::Write));
        if invisible {
            for (i, byte) in bytes.iter().enumerate() {
                byte.store(m, to + i as u64);
            }
            self.written = self.passed;
            return Ok(());
        }
        while self.written < self.passed {
            let done = self.written - start;
            let at = to + done;
            let mut size = 8;
            while size > 1 && (!at.is_multiple_of(size) || size > bytes.len() as u64 - done) {
                size /= 2;
            }
            m.see(at, size, AccessKind::Write, Guard::Always)?;
            m.change();
            for i in 0..size {
                bytes[(done + i) as usize].store(m, at + i);
            }
            let value = m.state.memory.read(&mut m.terms, at, 8 * size as u32);
            m.event(|| EventKind::Write {
                address: at,
                bytes: size as u32,
                value,
            });
            self.written += size;
            self.end_event(m)?;
        }
        Ok(())
    }

    /// An event is over: the call is executed again and goes on from here.
    fn end_event(&mut self, m: &mut Machine) -> Exec<()> {
        forget(m);
        let request = Allocation {
            arena: m.now.current.stack(),
            size: self.seen.len() as u64,
            align: 1,
            kind: ObjectKind::Internal("text that was read"),
            initialised: true,
            readonly: false,
        };
        let Some(log) = m.state.memory.allocate(&mut m.trail, request) else {
            return m.cut_off(Cutoff::OutOfAddresses);
        };
        for (i, byte) in self.seen.iter().enumerate() {
            byte.store(m, log + i as u64);
        }
        let frame = m.running.frames.last_mut().expect("a frame");
        frame.progress = self.written as u32 + 1;
        frame.carried = Value::concrete(log);
        // What the call will have done is not done in one moment.
        m.note_mystery();
        m.finish_instruction();
        Err(Stop::Again)
    }
}

/// Whether a number comes from a division, as where a time is cut into seconds and what remains (so
/// does `std::chrono`). What remains is less than a second, but to prove so takes a solver minutes:
/// it is believed.
fn is_divided(m: &Machine, term: TermId) -> bool {
    let mut pending = vec![term];
    let mut seen = FxHashSet::default();
    while let Some(term) = pending.pop() {
        use smt::BinOp::*;
        if !seen.insert(term) {
            continue;
        }
        let node = m.terms.node(term);
        if matches!(node, smt::Node::Bin(UDiv | SDiv | URem | SRem, ..)) {
            return true;
        }
        pending.extend(node.operands());
    }
    false
}

/// The time until which a call waits, its last argument: a `struct timespec` that is read like any
/// other memory, before the call waits.
pub(super) struct Deadline {
    steps: Option<Steps>,
    /// Whether the nanoseconds are less than a second. Of others glibc says `EINVAL`.
    pub is_time: bool,
}

impl Deadline {
    /// Of a call that waits for ever there is none.
    pub(super) fn of(m: &mut Machine, call: &ShimCall, timed: bool) -> Exec<Deadline> {
        if !timed {
            return Ok(Deadline {
                steps: None,
                is_time: true,
            });
        }
        let address = m.arg_number(call, call.args.len().saturating_sub(1))?;
        let mut steps = Steps::resume(m);
        let is_time = steps.is_time(m, address)?;
        Ok(Deadline {
            steps: Some(steps),
            is_time,
        })
    }

    /// The call will not be executed from its start again.
    pub(super) fn pass(&mut self, m: &mut Machine) {
        if let Some(steps) = self.steps.take() {
            steps.finish(m);
        }
    }
}

/// Whether the clock that a call names before its deadline is one that glibc waits by.
pub(super) fn has_clock(m: &mut Machine, call: &ShimCall) -> Exec<bool> {
    const CLOCK_MONOTONIC: u64 = 1;
    match call.args.len() {
        3 => Ok(m.arg_number(call, 1)? <= CLOCK_MONOTONIC),
        _ => Ok(true),
    }
}

/// Gives the memory back in which it is kept what was read. It is the last thing on the thread's
/// stack.
fn forget(m: &mut Machine) {
    let frame = m.running.frames.last_mut().expect("a frame");
    if frame.progress == 0 {
        return;
    }
    let log = frame.carried.bits;
    frame.progress = 0;
    frame.carried = Value::ZERO;
    let (arena, offset) = m
        .state
        .memory
        .space
        .locate(log)
        .expect("an object's address");
    let id = m.state.memory.object_at(log).expect("what was read");
    let mark = StackMark {
        len: offset as usize,
        objects: id.index as usize,
    };
    m.state.memory.shrink(&mut m.trail, arena, mark);
}
