//! Threads, locks, conditions, semaphores, barriers, once routines, the process.

use super::Class::{self, *};
use super::Effect::*;
use super::Extent::{Bytes, Pointer};
use super::{Effect, Extent, Mode, Row, Sync, Table, Wait, row};

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

const ROWS: &[Row] = &[
    row(
        &["pthread_create"],
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
    row(
        &["pthread_join"],
        Joins { thread: 0 },
        &[StoresThreadResult(1)],
    ),
    row(&["pthread_detach"], Detaches { thread: 0 }, &[]),
    row(
        &["pthread_exit"],
        ExitsThread,
        &[EndsThread(0), ReadsCleanup],
    ),
    row(&["__pthread_unwind_next"], ExitsThread, &[ReadsCleanup]),
    row(&["__pthread_register_cancel"], Cleanup, &[KeepsCleanup(0)]),
    row(&["__pthread_unregister_cancel"], Cleanup, &[]),
    row(
        &[
            "pthread_self",
            "pthread_equal",
            "__sleave_thread_id",
            "__sleave_uses_thread_locals",
        ],
        Asks,
        &[],
    ),
    row(
        &["__sleave_once_enter", "__sleave_once_exit"],
        Synchronises(Sync::EnterOnce { control: 0 }),
        WORD,
    ),
    row(
        &["__sleave_once_leave"],
        Synchronises(Sync::LeaveOnce { control: 0 }),
        WORD,
    ),
    row(&["__sleave_wait_alone"], Synchronises(Sync::WaitAlone), &[]),
    // Mutexes and spinlocks.
    row(
        &["pthread_mutex_lock"],
        lock(Mode::Exclusive, Wait::Forever),
        MUTEX,
    ),
    row(
        &["pthread_mutex_trylock"],
        lock(Mode::Exclusive, Wait::Never),
        MUTEX,
    ),
    row(
        &["pthread_mutex_timedlock"],
        lock(Mode::Exclusive, Wait::Timed),
        &[Reads(0, Bytes(20)), Writes(0, Bytes(20)), Reads(1, UNTIL)],
    ),
    row(
        &["pthread_mutex_clocklock"],
        lock(Mode::Exclusive, Wait::Timed),
        &[Reads(0, Bytes(20)), Writes(0, Bytes(20)), Reads(2, UNTIL)],
    ),
    row(&["pthread_mutex_unlock"], UNLOCK, MUTEX),
    row(
        &["pthread_mutex_init"],
        INITIALISE,
        &[Writes(0, Bytes(40)), ATTRIBUTE],
    ),
    row(&["pthread_mutex_destroy"], DESTROY, MUTEX),
    row(
        &["pthread_spin_lock"],
        lock(Mode::Exclusive, Wait::Forever),
        WORD,
    ),
    row(
        &["pthread_spin_trylock"],
        lock(Mode::Exclusive, Wait::Never),
        WORD,
    ),
    row(&["pthread_spin_unlock"], UNLOCK, WORD),
    row(&["pthread_spin_init"], INITIALISE, NEW_WORD),
    row(&["pthread_spin_destroy"], DESTROY, WORD),
    // Read-write locks.
    row(
        &["pthread_rwlock_rdlock"],
        lock(Mode::Shared, Wait::Forever),
        RWLOCK,
    ),
    row(
        &["pthread_rwlock_wrlock"],
        lock(Mode::Exclusive, Wait::Forever),
        RWLOCK,
    ),
    row(
        &["pthread_rwlock_tryrdlock"],
        lock(Mode::Shared, Wait::Never),
        RWLOCK,
    ),
    row(
        &["pthread_rwlock_trywrlock"],
        lock(Mode::Exclusive, Wait::Never),
        RWLOCK,
    ),
    row(
        &["pthread_rwlock_timedrdlock"],
        lock(Mode::Shared, Wait::Timed),
        &[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Reads(1, UNTIL)],
    ),
    row(
        &["pthread_rwlock_clockrdlock"],
        lock(Mode::Shared, Wait::Timed),
        &[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Reads(2, UNTIL)],
    ),
    row(
        &["pthread_rwlock_timedwrlock"],
        lock(Mode::Exclusive, Wait::Timed),
        &[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Reads(1, UNTIL)],
    ),
    row(
        &["pthread_rwlock_clockwrlock"],
        lock(Mode::Exclusive, Wait::Timed),
        &[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Reads(2, UNTIL)],
    ),
    row(&["pthread_rwlock_unlock"], UNLOCK, RWLOCK),
    row(
        &["pthread_rwlock_init"],
        INITIALISE,
        &[Writes(0, Bytes(56)), ATTRIBUTE],
    ),
    row(&["pthread_rwlock_destroy"], DESTROY, RWLOCK),
    // Conditions.
    row(&["pthread_cond_wait"], WAIT_CONDITION, CONDITION_AND_MUTEX),
    row(
        &["pthread_cond_timedwait"],
        WAIT_CONDITION,
        &[
            Reads(0, Bytes(4)),
            Writes(0, Bytes(4)),
            Reads(1, Bytes(20)),
            Writes(1, Bytes(20)),
            Reads(2, UNTIL),
        ],
    ),
    row(
        &["pthread_cond_clockwait"],
        WAIT_CONDITION,
        &[
            Reads(0, Bytes(4)),
            Writes(0, Bytes(4)),
            Reads(1, Bytes(20)),
            Writes(1, Bytes(20)),
            Reads(3, UNTIL),
        ],
    ),
    row(
        &["pthread_cond_signal"],
        Synchronises(Sync::Signal { condition: 0 }),
        WORD,
    ),
    row(
        &["pthread_cond_broadcast"],
        Synchronises(Sync::Broadcast { condition: 0 }),
        WORD,
    ),
    row(
        &["pthread_cond_init"],
        INITIALISE,
        &[Writes(0, Bytes(4)), ATTRIBUTE],
    ),
    row(&["pthread_cond_destroy"], DESTROY, WORD),
    // Barriers.
    row(
        &["pthread_barrier_init"],
        INITIALISE,
        &[Writes(0, Bytes(12)), ATTRIBUTE],
    ),
    row(
        &["pthread_barrier_wait"],
        Synchronises(Sync::WaitBarrier { barrier: 0 }),
        BARRIER,
    ),
    row(&["pthread_barrier_destroy"], DESTROY, BARRIER),
    // Semaphores.
    row(
        &["sem_init"],
        INITIALISE,
        &[Writes(0, Bytes(4)), WritesErrno],
    ),
    row(&["sem_destroy"], DESTROY, WORD),
    row(&["sem_wait"], wait_semaphore(Wait::Forever), SEMAPHORE),
    row(&["sem_trywait"], wait_semaphore(Wait::Never), SEMAPHORE),
    row(
        &["sem_timedwait"],
        wait_semaphore(Wait::Timed),
        &[
            Reads(0, Bytes(4)),
            Writes(0, Bytes(4)),
            WritesErrno,
            Reads(1, UNTIL),
        ],
    ),
    row(
        &["sem_clockwait"],
        wait_semaphore(Wait::Timed),
        &[
            Reads(0, Bytes(4)),
            Writes(0, Bytes(4)),
            WritesErrno,
            Reads(2, UNTIL),
        ],
    ),
    row(
        &["sem_post"],
        Synchronises(Sync::Post { semaphore: 0 }),
        SEMAPHORE,
    ),
    row(
        &["sem_getvalue"],
        Synchronises(Sync::GetValue { semaphore: 0 }),
        &[Reads(0, Bytes(4)), Writes(1, Bytes(4))],
    ),
    // The process.
    row(&["__sleave_exit", "_exit", "_Exit"], ExitsProcess, &[]),
    row(
        &[
            "abort",
            "_ZSt9terminatev",
            "__stack_chk_fail",
            "__cxa_pure_virtual",
            "__fortify_fail",
        ],
        Aborts,
        &[],
    ),
    row(
        &[
            "sched_yield",
            "pthread_yield",
            "thrd_yield",
            "usleep",
            "sleep",
            "__cxa_atexit",
        ],
        Nothing,
        &[],
    ),
    row(&["__errno_location"], Asks, &[ReturnsErrno]),
    row(&["__sleave_throw"], Class::Throws, &[Effect::Throws(0)]),
    row(
        &["setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp"],
        Saves,
        &[Writes(0, Bytes(16)), ReturnsJumped],
    ),
    row(
        &["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"],
        Jumps,
        &[Reads(0, Bytes(16)), JumpsWith(1)],
    ),
];

pub(super) const TABLE: Table = Table(ROWS);
