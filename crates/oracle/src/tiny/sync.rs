//! Calls of the library: locks, semaphores, barriers, condition variables, nodes, threads.
//!
//! What POSIX leaves undefined is a misuse and ends the run: giving back what one does not hold,
//! taking a normal mutex twice for good, waiting with a mutex that is not one's own, or with
//! another one than those who wait already; destroying what is in use, and using what was destroyed.

use super::lower::{Action, Code, Kept};
use super::state::{State, Status, Thread};
use super::steps::{Interpreter, Stop};
use super::syntax::*;
use super::verdicts::Failure;

/// Errors, by their numbers.
const NOT_OWNER: i64 = 1;
const BUSY: i64 = 16;
const WOULD_DEADLOCK: i64 = 35;
pub const TIMED_OUT: i64 = 110;
/// What those get for whom a barrier is opened by themselves.
const SERIAL: i64 = -1;
/// In the first byte of a lock, a semaphore or a condition, and in the writer of a read-write lock.
const DESTROYED: i64 = 0xff;

/// Where a mutex has its owner, numbered from 1, how often it is held, and its kind.
const OWNER: i64 = 0;
const COUNT: i64 = 4;
pub const KIND: i64 = 16;

/// A read-write lock has its writer, numbered from 1; how often each thread holds it for reading is
/// further on. A semaphore has its value.
const WRITER: i64 = 0;
const READERS: i64 = 8;

/// A barrier has how many it is for, how many have come, and how often it was opened.
const WANTED: i64 = 0;
const ARRIVED: i64 = 4;
const GENERATION: i64 = 8;

impl Interpreter<'_> {
    pub fn call(&self, action: Action, state: &mut State, thread: usize) -> Result<(), Stop> {
        match state.threads[thread].status {
            Status::Waking { mutex, result } => {
                if state.is_freed(mutex)
                    && !state.is_free(thread, Action::Lock(Patience::Forever), mutex)
                {
                    return Err(Stop::Blocked);
                }
                match state.read(mutex + OWNER, Type::U8)? {
                    0 => {}
                    DESTROYED => return Err(Stop::Failed(Failure::LockMisuse)),
                    _ => return Err(Stop::Blocked),
                }
                state.take(thread, mutex)?;
                state.threads[thread].status = Status::Running;
                return self.returns(state, thread, 2, result);
            }
            Status::LetGo => {
                state.threads[thread].status = Status::Running;
                return self.returns(state, thread, 1, 0);
            }
            Status::AtBarrier {
                barrier,
                generation,
            } => {
                if state.byte(barrier + GENERATION) == i64::from(generation) {
                    return Err(Stop::Blocked);
                }
                state.locate(barrier, 12)?;
                state.threads[thread].status = Status::Running;
                return self.returns(state, thread, 1, 0);
            }
            Status::Running | Status::Unborn | Status::Waiting { .. } => {}
        }
        let top = state.threads[thread].stack.last().copied().unwrap_or(0);
        let has_come = state.threads[thread].has_come;
        if has_come && state.is_freed(top) && !state.is_free(thread, action, top) {
            return Err(Stop::Blocked);
        }
        match action {
            Action::Lock(patience) => {
                let result = state.lock(thread, top, patience)?;
                self.returns(state, thread, 1, result)
            }
            Action::Unlock => {
                let result = state.unlock(thread, top)?;
                self.returns(state, thread, 1, result)
            }
            Action::ReadLock(patience) => {
                let result = state.rw_lock(thread, top, false, patience)?;
                self.returns(state, thread, 1, result)
            }
            Action::WriteLock(patience) => {
                let result = state.rw_lock(thread, top, true, patience)?;
                self.returns(state, thread, 1, result)
            }
            Action::RwUnlock => {
                state.rw_unlock(thread, top)?;
                self.returns(state, thread, 1, 0)
            }
            Action::SemWait(patience) => {
                let value = state.semaphore(thread, top)?;
                if value == 0 {
                    return match patience {
                        Patience::Forever => Err(Stop::Blocked),
                        _ => self.returns(state, thread, 1, -1),
                    };
                }
                state.write(top, Type::U32, value - 1)?;
                state.acquire(thread, top);
                self.returns(state, thread, 1, 0)
            }
            Action::SemPost => {
                let value = state.semaphore(thread, top)?;
                state.write(top, Type::U32, value + 1)?;
                state.release(thread, top);
                self.returns(state, thread, 1, 0)
            }
            Action::SemValue => {
                let value = state.semaphore(thread, top)?;
                self.returns(state, thread, 1, value)
            }
            Action::BarrierWait => self.barrier_wait(state, thread, top),
            Action::Destroy(kept) => {
                state.destroy(thread, top, kept)?;
                self.returns(state, thread, 1, 0)
            }
            Action::Wait(patience) => {
                let condition = {
                    let stack = &state.threads[thread].stack;
                    stack[stack.len() - 2]
                };
                let owner = state.read(top + OWNER, Type::U8)?;
                state.condition(thread, condition)?;
                let others = state.threads.iter().any(|other| {
                    matches!(other.status, Status::Waiting { condition: c, mutex: m, .. } if c == condition && m != top)
                });
                let mine = owner == thread as i64 + 1;
                let is_normal = state.read(top + KIND, Type::U8)? == Mutex::Normal as i64;
                if others || !mine && is_normal {
                    return Err(Stop::Failed(Failure::LockMisuse));
                }
                if !mine {
                    return self.returns(state, thread, 2, NOT_OWNER);
                }
                state.give_back(thread, top)?;
                state.threads[thread].status = Status::Waiting {
                    condition,
                    mutex: top,
                    timed: patience == Patience::Timed,
                };
                Ok(())
            }
            Action::Signal => unreachable!("whom it wakes is chosen elsewhere"),
            Action::Broadcast => {
                state.condition(thread, top)?;
                for waiter in 0..state.threads.len() {
                    state.wake(thread, waiter, Some(top));
                }
                self.returns(state, thread, 1, 0)
            }
            Action::Allocate => {
                let node = state.allocate(NODE);
                state.note_write(thread, node, NODE, Access::Plain)?;
                self.returns(state, thread, 0, node)
            }
            Action::AllocateSome => {
                let size = if top == 0 { NODE } else { SMALL_NODE };
                let node = state.allocate(size);
                state.note_write(thread, node, size, Access::Plain)?;
                self.returns(state, thread, 1, node)
            }
            Action::Free => {
                if top != 0 {
                    let (object, _) = state.locate(top, 0)?;
                    let size = state.objects[object].bytes.len();
                    state.note_write(thread, top, size, Access::Plain)?;
                }
                state.free(top)?;
                self.returns(state, thread, 1, 0)
            }
            Action::Create(child) => {
                // One that exists cannot be created again; programs do not try.
                debug_assert!(state.threads[child.0].status == Status::Unborn);
                state.threads[child.0].status = Status::Running;
                state.hand_over(thread, child.0);
                self.run_local(state, child.0);
                self.returns(state, thread, 0, 0)
            }
            Action::Join(child) | Action::JoinResult(child) => {
                if state.threads[child.0].status == Status::Unborn || !self.finished(state, child.0)
                {
                    return Err(Stop::Blocked);
                }
                state.hand_over(child.0, thread);
                let result = match action {
                    Action::JoinResult(_) => state.threads[child.0].variables[0],
                    _ => 0,
                };
                self.returns(state, thread, 0, result)
            }
            Action::Yield => self.returns(state, thread, 0, 0),
            Action::Exit => Err(Stop::End),
        }
    }

    /// The call is over: it takes its objects from the stack and leaves its result.
    fn returns(
        &self,
        state: &mut State,
        thread: usize,
        objects: usize,
        result: i64,
    ) -> Result<(), Stop> {
        for _ in 0..objects {
            state.pop(thread);
        }
        state.push(thread, result);
        state.threads[thread].position += 1;
        Ok(())
    }

    fn barrier_wait(&self, state: &mut State, thread: usize, at: i64) -> Result<(), Stop> {
        let wanted = state.read(at + WANTED, Type::U32)?;
        if wanted == 0 {
            return Err(Stop::Failed(Failure::LockMisuse));
        }
        let arrived = state.read(at + ARRIVED, Type::U32)? + 1;
        let generation = state.read(at + GENERATION, Type::U8)?;
        state.touch(thread, at)?;
        state.release(thread, at);
        if arrived < wanted {
            state.write(at + ARRIVED, Type::U32, arrived)?;
            state.threads[thread].status = Status::AtBarrier {
                barrier: at,
                generation: generation as u8,
            };
            return Ok(());
        }
        state.write(at + ARRIVED, Type::U32, 0)?;
        // Nobody is two generations behind.
        state.write(at + GENERATION, Type::U8, (generation + 1) % 4)?;
        state.acquire(thread, at);
        let here = |other: &usize| matches!(state.threads[*other].status, Status::AtBarrier { barrier, .. } if barrier == at);
        let waiting: Vec<usize> = (0..state.threads.len()).filter(here).collect();
        for other in waiting {
            state.acquire(other, at);
        }
        self.returns(state, thread, 1, SERIAL)
    }

    /// A signal wakes any one of those who wait, or nobody if none does.
    pub fn whom_to_signal(&self, state: &State, thread: usize) -> Vec<Option<usize>> {
        let signalled = state.threads[thread].stack.last().copied();
        let waits = |other: &usize| matches!(state.threads[*other].status, Status::Waiting { condition, .. } if Some(condition) == signalled);
        let waiting: Vec<_> = (0..state.threads.len()).filter(waits).map(Some).collect();
        match waiting.is_empty() {
            true => vec![None],
            false => waiting,
        }
    }

    pub fn signal(
        &self,
        state: &mut State,
        thread: usize,
        waiter: Option<usize>,
    ) -> Result<(), Stop> {
        debug_assert!(matches!(
            self.code[thread][state.threads[thread].position],
            Code::Call(Action::Signal)
        ));
        let condition = state.threads[thread].stack.last().copied();
        state.condition(thread, condition.expect("an object"))?;
        if let Some(waiter) = waiter {
            state.wake(thread, waiter, None);
        }
        self.returns(state, thread, 1, 0)
    }

    /// What comes of each thread that wakes for nothing.
    pub fn spurious_wakeups(&self, state: &State) -> Vec<State> {
        if state.atomic.is_some() {
            return Vec::new();
        }
        let threads = state.threads.iter().enumerate();
        let woken = threads.filter_map(|(thread, its)| match its.status {
            Status::Waiting { mutex, .. } => {
                let mut next = state.clone();
                next.threads[thread].status = Status::Waking { mutex, result: 0 };
                Some(next)
            }
            _ => None,
        });
        woken.collect()
    }
}

impl State {
    /// Whether a call need not wait, by what is in memory, or was in memory that is freed.
    fn is_free(&self, thread: usize, action: Action, at: i64) -> bool {
        let me = thread as i64 + 1;
        let first = self.byte(at);
        let readers = || (0..self.threads.len() as i64).any(|t| self.byte(at + READERS + t) > 0);
        match action {
            Action::ReadLock(_) => [0, me, DESTROYED].contains(&first),
            Action::WriteLock(_) => first == 0 && !readers() || [me, DESTROYED].contains(&first),
            Action::SemWait(_) => first != 0,
            _ => [0, me, DESTROYED].contains(&first),
        }
    }

    /// The value of a semaphore that is used.
    fn semaphore(&mut self, thread: usize, at: i64) -> Result<i64, Stop> {
        let value = self.read(at, Type::U32)?;
        self.touch(thread, at)?;
        match value {
            DESTROYED => Err(Stop::Failed(Failure::LockMisuse)),
            _ => Ok(value),
        }
    }

    /// A condition is used.
    fn condition(&mut self, thread: usize, at: i64) -> Result<(), Stop> {
        let first = self.read(at, Type::U8)?;
        self.touch(thread, at)?;
        match first {
            DESTROYED => Err(Stop::Failed(Failure::LockMisuse)),
            _ => Ok(()),
        }
    }

    fn destroy(&mut self, thread: usize, at: i64, kept: Kept) -> Result<(), Stop> {
        let first = self.read(at, Type::U8)?;
        // Nobody may use it at the same time.
        self.note_write(thread, at, 1, Access::Plain)?;
        let here = |other: &Thread| matches!(other.status, Status::Waiting { condition, .. } if condition == at);
        let in_use = match kept {
            Kept::Mutex => first != 0,
            Kept::RwLock => first != 0 || self.readers(at)? > 0,
            Kept::Semaphore => false,
            Kept::Barrier => self.read(at + ARRIVED, Type::U32)? != 0,
            Kept::Condition => self.threads.iter().any(here),
        };
        if in_use {
            return Err(Stop::Failed(Failure::LockMisuse));
        }
        if kept != Kept::Barrier {
            return Ok(self.write(at, Type::U8, DESTROYED)?);
        }
        self.write(at + WANTED, Type::U32, 0)?;
        for other in &mut self.threads {
            if matches!(other.status, Status::AtBarrier { barrier, .. } if barrier == at) {
                other.status = Status::LetGo;
            }
        }
        Ok(())
    }

    fn lock(&mut self, thread: usize, at: i64, patience: Patience) -> Result<i64, Stop> {
        let owner = self.read(at + OWNER, Type::U8)?;
        let kind = self.read(at + KIND, Type::U8)?;
        self.touch(thread, at)?;
        if owner == DESTROYED {
            return Err(Stop::Failed(Failure::LockMisuse));
        }
        if owner == 0 {
            self.take(thread, at)?;
            return Ok(0);
        }
        if owner == thread as i64 + 1 {
            if kind == Mutex::Recursive as i64 {
                let count = self.read(at + COUNT, Type::U8)?;
                self.write(at + COUNT, Type::U8, count + 1)?;
                return Ok(0);
            }
            return match (patience, kind == Mutex::ErrorChecking as i64) {
                (Patience::Now, _) => Ok(BUSY),
                (_, true) => Ok(WOULD_DEADLOCK),
                // It waits for itself, until the time is over.
                (Patience::Timed, false) => Ok(TIMED_OUT),
                (Patience::Forever, false) => Err(Stop::Failed(Failure::LockMisuse)),
            };
        }
        match patience {
            Patience::Forever => Err(Stop::Blocked),
            Patience::Now => Ok(BUSY),
            Patience::Timed => Ok(TIMED_OUT),
        }
    }

    fn take(&mut self, thread: usize, at: i64) -> Result<(), Stop> {
        self.write(at + OWNER, Type::U8, thread as i64 + 1)?;
        self.write(at + COUNT, Type::U8, 1)?;
        self.acquire(thread, at);
        Ok(())
    }

    fn unlock(&mut self, thread: usize, at: i64) -> Result<i64, Stop> {
        let owner = self.read(at + OWNER, Type::U8)?;
        let kind = self.read(at + KIND, Type::U8)?;
        self.touch(thread, at)?;
        if owner != thread as i64 + 1 {
            return match kind == Mutex::Normal as i64 || owner == DESTROYED {
                true => Err(Stop::Failed(Failure::LockMisuse)),
                false => Ok(NOT_OWNER),
            };
        }
        let count = self.read(at + COUNT, Type::U8)?;
        if count > 1 {
            self.write(at + COUNT, Type::U8, count - 1)?;
        } else {
            self.give_back(thread, at)?;
        }
        Ok(0)
    }

    fn give_back(&mut self, thread: usize, at: i64) -> Result<(), Stop> {
        self.write(at + OWNER, Type::U8, 0)?;
        self.write(at + COUNT, Type::U8, 0)?;
        self.release(thread, at);
        Ok(())
    }

    fn readers(&self, at: i64) -> Result<i64, Stop> {
        let mut sum = 0;
        for thread in 0..self.threads.len() as i64 {
            sum += self.read(at + READERS + thread, Type::U8)?;
        }
        Ok(sum)
    }

    fn rw_lock(
        &mut self,
        thread: usize,
        at: i64,
        writes: bool,
        patience: Patience,
    ) -> Result<i64, Stop> {
        let writer = self.read(at + WRITER, Type::U8)?;
        self.touch(thread, at)?;
        if writer == DESTROYED {
            return Err(Stop::Failed(Failure::LockMisuse));
        }
        if writer == thread as i64 + 1 && patience != Patience::Now {
            return Ok(WOULD_DEADLOCK);
        }
        if writer != 0 || writes && self.readers(at)? > 0 {
            return match patience {
                Patience::Forever => Err(Stop::Blocked),
                Patience::Now => Ok(BUSY),
                Patience::Timed => Ok(TIMED_OUT),
            };
        }
        self.acquire(thread, at);
        if writes {
            // After those who have read as well; these release elsewhere.
            self.acquire(thread, at + READERS);
            self.write(at + WRITER, Type::U8, thread as i64 + 1)?;
        } else {
            let mine = at + READERS + thread as i64;
            let count = self.read(mine, Type::U8)?;
            self.write(mine, Type::U8, count + 1)?;
        }
        Ok(0)
    }

    fn rw_unlock(&mut self, thread: usize, at: i64) -> Result<(), Stop> {
        self.touch(thread, at)?;
        if self.read(at + WRITER, Type::U8)? == thread as i64 + 1 {
            self.write(at + WRITER, Type::U8, 0)?;
            self.release(thread, at);
            return Ok(());
        }
        let mine = at + READERS + thread as i64;
        match self.read(mine, Type::U8)? {
            0 => Err(Stop::Failed(Failure::LockMisuse)),
            count => {
                self.write(mine, Type::U8, count - 1)?;
                self.release(thread, at + READERS);
                Ok(())
            }
        }
    }

    /// If it waits, and for this condition if one is named.
    fn wake(&mut self, by: usize, waiter: usize, signalled: Option<i64>) {
        if let Status::Waiting {
            condition, mutex, ..
        } = self.threads[waiter].status
            && signalled.is_none_or(|signalled| signalled == condition)
        {
            self.threads[waiter].status = Status::Waking { mutex, result: 0 };
            self.hand_over(by, waiter);
        }
    }
}
