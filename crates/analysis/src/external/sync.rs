//! Threads, locks, conditions, semaphores, barriers, once routines.

use ir::modelled::{Barrier, Condition, Mutex, RwLock, Semaphore, Thread};

use super::Class::{self, *};
use super::Effect::*;
use super::Extent::{Bytes, Pointer};
use super::{Effect, Extent, External, Mode, Sync, Wait, external};

/// No more of a mutex is looked at.
const MUTEX: &[Effect] = &[Reads(0, Bytes(20)), Writes(0, Bytes(20))];
const RWLOCK: &[Effect] = &[Reads(0, Bytes(24)), Writes(0, Bytes(24))];
const BARRIER: &[Effect] = &[Reads(0, Bytes(12)), Writes(0, Bytes(12))];
/// Of spinlocks, conditions, once controls.
const WORD: &[Effect] = &[Reads(0, Bytes(4)), Writes(0, Bytes(4))];
const NEW_WORD: &[Effect] = &[Writes(0, Bytes(4))];
const SEMAPHORE: &[Effect] = &[Reads(0, Bytes(4)), Writes(0, Bytes(4)), WritesErrno];
/// The condition is only a name; the mutex is given back and taken again.
const CONDITION_AND_MUTEX: &[Effect] = &[
    Reads(0, Bytes(4)),
    Writes(0, Bytes(4)),
    Reads(1, Bytes(20)),
    Writes(1, Bytes(20)),
];

/// What an initialising function reads of the attributes that it is given.
const ATTRIBUTE: Effect = Reads(1, Bytes(4));
/// The `struct timespec` until which a call waits, as argument 1 or, after a clock, 2.
const UNTIL: Extent = Bytes(16);

const fn lock(mode: Mode, wait: Wait) -> Class {
    Synchronises(Sync::Lock {
        lock: 0,
        mode,
        wait,
    })
}

const UNLOCK: Class = Synchronises(Sync::Unlock { lock: 0 });
const INITIALISE: Class = Synchronises(Sync::Initialise { object: 0 });
const DESTROY: Class = Synchronises(Sync::Destroy { object: 0 });

const fn wait_semaphore(wait: Wait) -> Class {
    Synchronises(Sync::WaitSemaphore { semaphore: 0, wait })
}

const WAIT_CONDITION: Class = Synchronises(Sync::WaitCondition {
    condition: 0,
    mutex: 1,
});

pub(super) fn thread(function: Thread) -> External {
    match function {
        Thread::Create => external(
            Creates {
                function: 2,
                argument: 3,
            },
            &[
                Writes(0, Pointer),
                ATTRIBUTE,
                StartsThread {
                    function: 2,
                    argument: 3,
                },
            ],
        ),
        Thread::Join => external(Joins { thread: 0 }, &[StoresThreadResult(1)]),
        Thread::Detach => external(Detaches { thread: 0 }, &[]),
        Thread::Exit => external(ExitsThread, &[EndsThread(0), ReadsCleanup]),
        Thread::RegisterCancel => external(Cleanup, &[KeepsCleanup(0)]),
        Thread::UnregisterCancel => external(Cleanup, &[]),
        Thread::UnwindNext => external(ExitsThread, &[ReadsCleanup]),
        Thread::Own | Thread::Equal | Thread::Id | Thread::UsesThreadLocals => external(Asks, &[]),
        Thread::OnceEnter => external(Synchronises(Sync::EnterOnce { control: 0 }), WORD),
        Thread::OnceLeave => external(Synchronises(Sync::LeaveOnce { control: 0 }), WORD),
        Thread::WaitAlone => external(Synchronises(Sync::WaitAlone), &[]),
    }
}

pub(super) fn mutex(function: Mutex) -> External {
    match function {
        Mutex::Lock => external(lock(Mode::Exclusive, Wait::Forever), MUTEX),
        Mutex::TryLock => external(lock(Mode::Exclusive, Wait::Never), MUTEX),
        Mutex::TimedLock => external(
            lock(Mode::Exclusive, Wait::Timed),
            &[Reads(0, Bytes(20)), Writes(0, Bytes(20)), Reads(1, UNTIL)],
        ),
        Mutex::ClockLock => external(
            lock(Mode::Exclusive, Wait::Timed),
            &[Reads(0, Bytes(20)), Writes(0, Bytes(20)), Reads(2, UNTIL)],
        ),
        Mutex::Unlock => external(UNLOCK, MUTEX),
        Mutex::Init => external(INITIALISE, &[Writes(0, Bytes(40)), ATTRIBUTE]),
        Mutex::Destroy => external(DESTROY, MUTEX),
        Mutex::SpinLock => external(lock(Mode::Exclusive, Wait::Forever), WORD),
        Mutex::SpinTryLock => external(lock(Mode::Exclusive, Wait::Never), WORD),
        Mutex::SpinUnlock => external(UNLOCK, WORD),
        Mutex::SpinInit => external(INITIALISE, NEW_WORD),
        Mutex::SpinDestroy => external(DESTROY, WORD),
    }
}

pub(super) fn rw_lock(function: RwLock) -> External {
    match function {
        RwLock::ReadLock => external(lock(Mode::Shared, Wait::Forever), RWLOCK),
        RwLock::WriteLock => external(lock(Mode::Exclusive, Wait::Forever), RWLOCK),
        RwLock::TryReadLock => external(lock(Mode::Shared, Wait::Never), RWLOCK),
        RwLock::TryWriteLock => external(lock(Mode::Exclusive, Wait::Never), RWLOCK),
        RwLock::TimedReadLock => external(
            lock(Mode::Shared, Wait::Timed),
            &[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Reads(1, UNTIL)],
        ),
        RwLock::ClockReadLock => external(
            lock(Mode::Shared, Wait::Timed),
            &[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Reads(2, UNTIL)],
        ),
        RwLock::TimedWriteLock => external(
            lock(Mode::Exclusive, Wait::Timed),
            &[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Reads(1, UNTIL)],
        ),
        RwLock::ClockWriteLock => external(
            lock(Mode::Exclusive, Wait::Timed),
            &[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Reads(2, UNTIL)],
        ),
        RwLock::Unlock => external(UNLOCK, RWLOCK),
        RwLock::Init => external(INITIALISE, &[Writes(0, Bytes(56)), ATTRIBUTE]),
        RwLock::Destroy => external(DESTROY, RWLOCK),
    }
}

pub(super) fn condition(function: Condition) -> External {
    match function {
        Condition::Wait => external(WAIT_CONDITION, CONDITION_AND_MUTEX),
        Condition::TimedWait => external(
            WAIT_CONDITION,
            &[
                Reads(0, Bytes(4)),
                Writes(0, Bytes(4)),
                Reads(1, Bytes(20)),
                Writes(1, Bytes(20)),
                Reads(2, UNTIL),
            ],
        ),
        Condition::ClockWait => external(
            WAIT_CONDITION,
            &[
                Reads(0, Bytes(4)),
                Writes(0, Bytes(4)),
                Reads(1, Bytes(20)),
                Writes(1, Bytes(20)),
                Reads(3, UNTIL),
            ],
        ),
        Condition::Signal => external(Synchronises(Sync::Signal { condition: 0 }), WORD),
        Condition::Broadcast => external(Synchronises(Sync::Broadcast { condition: 0 }), WORD),
        Condition::Init => external(INITIALISE, &[Writes(0, Bytes(4)), ATTRIBUTE]),
        Condition::Destroy => external(DESTROY, WORD),
    }
}

pub(super) fn barrier(function: Barrier) -> External {
    match function {
        Barrier::Init => external(INITIALISE, &[Writes(0, Bytes(12)), ATTRIBUTE]),
        Barrier::Wait => external(Synchronises(Sync::WaitBarrier { barrier: 0 }), BARRIER),
        Barrier::Destroy => external(DESTROY, BARRIER),
    }
}

pub(super) fn semaphore(function: Semaphore) -> External {
    match function {
        Semaphore::Init => external(INITIALISE, &[Writes(0, Bytes(4)), WritesErrno]),
        Semaphore::Destroy => external(DESTROY, WORD),
        Semaphore::Wait => external(wait_semaphore(Wait::Forever), SEMAPHORE),
        Semaphore::TryWait => external(wait_semaphore(Wait::Never), SEMAPHORE),
        Semaphore::TimedWait => external(
            wait_semaphore(Wait::Timed),
            &[
                Reads(0, Bytes(4)),
                Writes(0, Bytes(4)),
                WritesErrno,
                Reads(1, UNTIL),
            ],
        ),
        Semaphore::ClockWait => external(
            wait_semaphore(Wait::Timed),
            &[
                Reads(0, Bytes(4)),
                Writes(0, Bytes(4)),
                WritesErrno,
                Reads(2, UNTIL),
            ],
        ),
        Semaphore::Post => external(Synchronises(Sync::Post { semaphore: 0 }), SEMAPHORE),
        Semaphore::GetValue => external(
            Synchronises(Sync::GetValue { semaphore: 0 }),
            &[Reads(0, Bytes(4)), Writes(1, Bytes(4))],
        ),
    }
}
