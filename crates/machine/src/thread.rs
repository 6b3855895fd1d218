//! Threads: frames, registers, and what a thread waits for.

use std::num::NonZeroU32;
use std::rc::Rc;

use base::id;
use ir::{FuncId, GlobalId};
use smallvec::SmallVec;

use crate::memory::{ArenaId, StackMark};
use crate::shims::DESTROYED;
use crate::value::Value;

id!(
    /// A thread by its canonical name: the same (parent, index of creation) has the same id in
    /// every interleaving.
    ThreadId, "T"
);

impl ThreadId {
    pub const MAIN: ThreadId = ThreadId(0);

    pub fn stack(self) -> ArenaId {
        ArenaId(1 + 2 * self.0)
    }

    pub fn heap(self) -> ArenaId {
        ArenaId(2 + 2 * self.0)
    }

    /// What the word of a lock holds while the thread owns it: never zero, which is a free lock.
    pub fn owner_word(self) -> u32 {
        self.0 + 1
    }

    /// The owner that the word of a lock names; `None`: the lock is free.
    pub fn of_owner_word(word: u32) -> Option<ThreadId> {
        word.checked_sub(1).map(ThreadId)
    }

    /// The thread as the program sees it, a `pthread_t`: never zero.
    pub fn handle(self) -> u64 {
        u64::from(self.0) + 1
    }

    /// The thread with this handle; whether it exists is another question.
    pub fn of_handle(handle: u64) -> Option<ThreadId> {
        u32::try_from(handle.checked_sub(1)?).ok().map(ThreadId)
    }
}

/// A place of the step memo (see `machine::step_memo`), by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceId(NonZeroU32);

impl PlaceId {
    pub fn at(index: usize) -> PlaceId {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        PlaceId(number.expect("few places"))
    }

    #[inline(always)]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A function in execution. Its registers are `Thread::registers[base..]`.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub function: FuncId,
    pub pc: u32,
    pub base: u32,
    /// Progress inside an instruction that takes several steps (memcpy over visible bytes,
    /// condition wait).
    pub progress: u32,
    /// A word on its way, inside such an instruction.
    pub carried: Value,
    /// Decision depth at which it was last saved.
    pub saved_at: u32,
    /// The stack as it was on entry.
    pub stack: StackMark,
    /// Address of an object with the variable arguments; 0: none.
    pub varargs: u64,
    /// Some stack object's address may have left the frame: its memory is not reused.
    pub leaked: bool,
    /// The place that the registers are of, if it is known.
    pub place: Option<PlaceId>,
}

pub struct Thread {
    pub frames: Vec<Frame>,
    pub registers: Vec<Value>,
    pub hot: HotState,
    pub state: ThreadState,
}

/// What changes at every step of a thread. It is saved as a whole, which is faster than piece by
/// piece.
#[derive(Clone, Copy, Debug)]
pub struct HotState {
    pub status: Status,
    pub activity: Activity,
    /// Decision depth at which it was last saved.
    pub saved_at: u32,
}

/// How much a thread has done on the current path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Changes of memory and of threads, apart from frames and registers.
    pub effects: u32,
    /// Writes that left everything as it was.
    pub silent: u32,
    pub visible_events: u32,
    /// The place where it stands, if it is known.
    pub place: Option<PlaceId>,
    pub epoch: u32,
}

/// Own time and the latest known time of every other thread, advanced by creation, join and end
/// only.
pub type Clock = SmallVec<[u32; 8]>;

/// Everything else of a thread. What changes at every step of a search is saved by itself.
#[derive(Clone, Debug)]
pub struct ThreadState {
    /// Decision depth at which it was last saved.
    pub saved_at: u32,
    pub clock: Clock,
    pub inputs: u32,
    pub children: u32,
    /// Nesting of `__VERIFIER_atomic_begin` sections and `__VERIFIER_atomic_` functions.
    pub atomic: u32,
    /// The mutex whose critical section it is in, if that is one step (see `peek`).
    pub section: Option<u64>,
    /// Elidable mutexes that it holds (see `premises`).
    pub elidable: u32,
    /// Pure rounds of loops after which it went on (see `race`).
    pub rounds: u32,
    pub result: Value,
    pub detached: bool,
    /// A thread has joined it, or will.
    pub joined: bool,
    pub errno: u64,
    /// Addresses of this thread's copies of thread-local globals, made on first use.
    pub tls: Rc<Vec<(GlobalId, u64)>>,
    /// How many changes there had been when it last woke without a signal (see `Changes`).
    pub spurious_at: Option<u64>,
    /// It has changed something since it last released a mutex. Kept only where every event is a
    /// decision.
    pub changed: bool,
    /// Why its last wait on a condition ended, or how its wait at a barrier will end.
    pub woken: Woken,
    pub stage: Stage,
    /// Iterations of loops since something visible or decided happened in one, beside other
    /// threads.
    pub idle: u64,
    /// How often it was found to spin since then.
    pub spins: u32,
    /// Counts its calls of `longjmp` as a loop does its iterations.
    pub jumps: u64,
    /// `setjmp` buffers of its cleanup handlers, the innermost last.
    pub cleanups: SmallVec<[u64; 2]>,
}

/// What the outermost frame of a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// What comes before `main`.
    Begin,
    /// `main`, or the thread's function.
    Body,
    /// What comes after.
    End,
}

/// Visible operations on the current path that may change what a waiting thread waits for: all but
/// reads, and locks taken and given back. Without this count, two waiters that wake each other
/// spuriously could go on for ever.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes {
    pub count: u64,
    /// The thread that made the last one.
    by: ThreadId,
    /// `count` after the last one made by another thread than `by`.
    by_others: u64,
}

impl Changes {
    pub fn add(&mut self, thread: ThreadId) {
        self.add_many(thread, 1);
    }

    pub fn add_many(&mut self, thread: ThreadId, count: u32) {
        if thread != self.by {
            (self.by, self.by_others) = (thread, self.count);
        }
        self.count += u64::from(count);
    }

    /// Whether a thread other than this one has changed something since there were `count` changes.
    pub fn since(&self, count: u64, thread: ThreadId) -> bool {
        let last = if thread == self.by {
            self.by_others
        } else {
            self.count
        };
        last > count
    }
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    Signal,
    Timeout,
    Spuriously,
    /// A barrier let it go, and was destroyed before it went.
    Destroyed,
}

/// Whether a thread can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not at a scheduling point: run it before anything is decided.
    Running,
    /// Just before an operation; it may go on when the guard holds. Scheduling is a decision only
    /// if the operation is visible.
    Parked {
        guard: Guard,
        visible: bool,
    },
    Ended,
    /// It exited the process, so that no thread sees its end.
    Exited,
}

impl Status {
    pub fn is_over(self) -> bool {
        matches!(self, Status::Ended | Status::Exited)
    }
}

/// The condition under which a blocked operation can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    Always,
    /// It may go on, but has only been spinning.
    Spin,
    /// The word at this address is zero: a free mutex or spinlock. A thread that waits for a
    /// destroyed one goes on and finds that out.
    Zero(u64),
    /// The word at this address is positive: a semaphore; or it was destroyed.
    Positive(u64),
    /// Read-write lock: no writer (and, for `write`, no reader); or it was destroyed.
    RwLock {
        address: u64,
        write: bool,
    },
    /// The barrier's generation differs from the one waited in, or it was destroyed since.
    Barrier {
        address: u64,
        generation: u32,
    },
    /// `pthread_once` is not being run by another thread.
    Once(u64),
    Ended(ThreadId),
    /// Waits for a signal on the condition, and has not yet given the mutex back: it can go on and
    /// do so.
    Leaving {
        condition: u64,
        mutex: u64,
        signalled: bool,
    },
    /// Waits for a signal on the condition, then for the mutex.
    Condition {
        condition: u64,
        mutex: u64,
        signalled: bool,
        timed: bool,
    },
    /// All other threads have ended. `main` waits for that after `pthread_exit`.
    Alone,
    /// A round of its loop that had no net effect has ended: it goes no further in this execution.
    Await,
    /// It never holds: an assumption of the thread failed, or the thread would have made one too
    /// many. The other threads go on, because what they do may have come before.
    Assumption,
}

impl Guard {
    /// The synchronisation object whose first words alone decide.
    pub fn object(&self) -> Option<u64> {
        match *self {
            Guard::Zero(address)
            | Guard::Positive(address)
            | Guard::Once(address)
            | Guard::RwLock { address, .. }
            | Guard::Condition {
                mutex: address,
                signalled: true,
                ..
            } => Some(address),
            _ => None,
        }
    }

    /// Whether it holds when that object begins with these words.
    pub fn holds_on(&self, [first, second]: [u32; 2]) -> bool {
        match *self {
            Guard::Zero(_)
            | Guard::Condition {
                signalled: true, ..
            } => first == 0 || first == DESTROYED,
            Guard::Positive(_) => (first as i32) > 0 || first == DESTROYED,
            Guard::Once(_) => first != 1,
            // As `rwlock_is_free`, for a thread that waits.
            Guard::RwLock { write, .. } => {
                second == 0 && (!write || first == 0) || second == DESTROYED
            }
            _ => true,
        }
    }

    /// Whether nothing but the end of threads can make it hold.
    pub fn waits_for_ends(&self) -> bool {
        matches!(
            self,
            Guard::Ended(_) | Guard::Alone | Guard::Await | Guard::Assumption
        )
    }
}

impl Thread {
    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a running thread has a frame")
    }
}
