//! Filling and copying memory, piece by piece: neither is done at one moment. A piece is the largest
//! word of up to eight bytes that is aligned where it is written and where it is read.

use super::state::State;
use super::steps::Stop;
use super::syntax::{Access, Type};

impl State {
    /// One piece of `memset`; whether it was the last. On the stack are the address, the byte, the
    /// number of bytes, and how many are done.
    pub fn fill(&mut self, thread: usize) -> Result<bool, Stop> {
        let [to, byte, count, done] = self.operands(thread);
        if done < count {
            self.locate(to, count as usize)?;
            let size = piece(to, to, done, count);
            let value = (byte & 0xff).wrapping_mul(0x0101_0101_0101_0101);
            let ty = word(size);
            self.write(to + done, ty, value)?;
            self.note_write(thread, to + done, ty.size(), Access::Plain)?;
            self.set_top(thread, 0, done + size);
        }
        Ok(self.ends(thread, done >= count || self.top(thread, 0) >= count, 4))
    }

    /// One read or write of `memmove`; whether it was the last. On the stack are the addresses, the
    /// number of bytes, how many are done, whether a piece was read, and what it holds.
    pub fn copy(&mut self, thread: usize) -> Result<bool, Stop> {
        let [to, from, count, done, carries, carried] = self.operands(thread);
        if count == 0 {
            return Ok(self.ends(thread, true, 6));
        }
        self.locate(from, count as usize)?;
        self.locate(to, count as usize)?;
        // What is read must not have been written before.
        let backwards = to > from && to < from + count;
        let (size, offset) = match backwards {
            false => (piece(to, from, done, count), done),
            true => {
                let left = count - done;
                let size = [8, 4, 2, 1].into_iter().find(|size| {
                    *size <= left && (to + left) % size == 0 && (from + left) % size == 0
                });
                let size = size.expect("a byte fits");
                (size, left - size)
            }
        };
        let ty = word(size);
        if carries == 0 {
            let value = self.read(from + offset, ty)?;
            self.note_read(thread, from + offset, ty.size(), Access::Plain)?;
            self.set_top(thread, 0, value);
            self.set_top(thread, 1, 1);
            return Ok(false);
        }
        self.write(to + offset, ty, carried)?;
        self.note_write(thread, to + offset, ty.size(), Access::Plain)?;
        self.set_top(thread, 0, 0);
        self.set_top(thread, 1, 0);
        self.set_top(thread, 2, done + size);
        Ok(self.ends(thread, done + size >= count, 6))
    }

    fn operands<const COUNT: usize>(&self, thread: usize) -> [i64; COUNT] {
        let stack = &self.threads[thread].stack;
        let operands = &stack[stack.len() - COUNT..];
        operands.try_into().expect("as many as are asked for")
    }

    fn top(&self, thread: usize, below: usize) -> i64 {
        let stack = &self.threads[thread].stack;
        stack[stack.len() - 1 - below]
    }

    fn set_top(&mut self, thread: usize, below: usize, value: i64) {
        let stack = &mut self.threads[thread].stack;
        let at = stack.len() - 1 - below;
        stack[at] = value;
    }

    fn ends(&mut self, thread: usize, is_over: bool, operands: usize) -> bool {
        if is_over {
            let stack = &mut self.threads[thread].stack;
            stack.truncate(stack.len() - operands);
        }
        is_over
    }
}

/// The next piece, going up.
fn piece(to: i64, from: i64, done: i64, count: i64) -> i64 {
    let fits =
        |size: &i64| *size <= count - done && (to + done) % size == 0 && (from + done) % size == 0;
    [8, 4, 2, 1].into_iter().find(fits).expect("a byte fits")
}

fn word(size: i64) -> Type {
    match size {
        8 => Type::I64,
        4 => Type::U32,
        2 => Type::U16,
        _ => Type::U8,
    }
}
