//! The functions that programs call without defining them and that Sleave models: the one list of
//! their names.
//!
//! `machine` says how each is executed, `analysis` what each does to memory and threads, `verify`
//! how each is called in a report. All three match on these enums without a wildcard, so a function
//! that one of them leaves out does not compile. Names share a variant if they mean the same to all
//! three.

macro_rules! families {
    ($(
        $(#[$doc:meta])*
        $family:ident { $($variant:ident = $($name:literal)|+),* $(,)? }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $family {
                $($variant),*
            }

            impl $family {
                pub const NAMES: &[&str] = &[$($($name),+),*];

                pub fn named(name: &str) -> Option<$family> {
                    match name {
                        $($($name)|+ => Some($family::$variant),)*
                        _ => None,
                    }
                }
            }
        )*
    };
}

families! {
    Thread {
        Create = "pthread_create",
        Join = "pthread_join",
        Detach = "pthread_detach",
        Exit = "pthread_exit",
        // What the macros `pthread_cleanup_push` and `pthread_cleanup_pop` consist of.
        RegisterCancel = "__pthread_register_cancel",
        UnregisterCancel = "__pthread_unregister_cancel",
        UnwindNext = "__pthread_unwind_next",
        Own = "pthread_self",
        Equal = "pthread_equal",
        OnceEnter = "__sleave_once_enter" | "__sleave_once_exit",
        OnceLeave = "__sleave_once_leave",
        Id = "__sleave_thread_id",
        WaitAlone = "__sleave_wait_alone",
        UsesThreadLocals = "__sleave_uses_thread_locals",
    }

    Mutex {
        Lock = "pthread_mutex_lock",
        TryLock = "pthread_mutex_trylock",
        TimedLock = "pthread_mutex_timedlock",
        ClockLock = "pthread_mutex_clocklock",
        Unlock = "pthread_mutex_unlock",
        Init = "pthread_mutex_init",
        Destroy = "pthread_mutex_destroy",
        SpinLock = "pthread_spin_lock",
        SpinTryLock = "pthread_spin_trylock",
        SpinUnlock = "pthread_spin_unlock",
        SpinInit = "pthread_spin_init",
        SpinDestroy = "pthread_spin_destroy",
    }

    RwLock {
        ReadLock = "pthread_rwlock_rdlock",
        WriteLock = "pthread_rwlock_wrlock",
        TryReadLock = "pthread_rwlock_tryrdlock",
        TryWriteLock = "pthread_rwlock_trywrlock",
        TimedReadLock = "pthread_rwlock_timedrdlock",
        ClockReadLock = "pthread_rwlock_clockrdlock",
        TimedWriteLock = "pthread_rwlock_timedwrlock",
        ClockWriteLock = "pthread_rwlock_clockwrlock",
        Unlock = "pthread_rwlock_unlock",
        Init = "pthread_rwlock_init",
        Destroy = "pthread_rwlock_destroy",
    }

    Condition {
        Wait = "pthread_cond_wait",
        TimedWait = "pthread_cond_timedwait",
        ClockWait = "pthread_cond_clockwait",
        Signal = "pthread_cond_signal",
        Broadcast = "pthread_cond_broadcast",
        Init = "pthread_cond_init",
        Destroy = "pthread_cond_destroy",
    }

    Barrier {
        Init = "pthread_barrier_init",
        Wait = "pthread_barrier_wait",
        Destroy = "pthread_barrier_destroy",
    }

    Semaphore {
        Init = "sem_init",
        Destroy = "sem_destroy",
        Wait = "sem_wait",
        TryWait = "sem_trywait",
        TimedWait = "sem_timedwait",
        ClockWait = "sem_clockwait",
        Post = "sem_post",
        GetValue = "sem_getvalue",
    }

    /// The heap. A function that fails sets `errno` or, as `operator new` does, throws.
    Heap {
        Malloc = "malloc" | "_ZnwmRKSt9nothrow_t" | "_ZnamRKSt9nothrow_t",
        New = "__sleave_malloc" | "_Znwm" | "_Znam" | "_Znwj" | "_Znaj",
        AlignedNew = "_ZnwmSt11align_val_t"
            | "_ZnamSt11align_val_t"
            | "_ZnwjSt11align_val_t"
            | "_ZnajSt11align_val_t",
        PageAlloc = "valloc",
        Calloc = "calloc",
        AlignedAlloc = "aligned_alloc" | "memalign",
        PosixMemalign = "posix_memalign",
        Realloc = "realloc",
        ReallocArray = "reallocarray",
        Free = "free"
            | "cfree"
            | "_ZdlPv"
            | "_ZdaPv"
            | "_ZdlPvm"
            | "_ZdaPvm"
            | "_ZdlPvj"
            | "_ZdaPvj"
            | "_ZdlPvSt11align_val_t"
            | "_ZdaPvSt11align_val_t"
            | "_ZdlPvmSt11align_val_t"
            | "_ZdaPvmSt11align_val_t"
            | "_ZdlPvRKSt9nothrow_t"
            | "_ZdaPvRKSt9nothrow_t",
        UsableSize = "malloc_usable_size",
    }

    /// Output, and formatting into memory.
    Output {
        Printf = "printf",
        PrintfChk = "__printf_chk",
        Dprintf = "dprintf",
        Fprintf = "fprintf",
        FprintfChk = "__fprintf_chk",
        Vprintf = "vprintf",
        VprintfChk = "__vprintf_chk",
        Vdprintf = "vdprintf",
        Vfprintf = "vfprintf",
        VfprintfChk = "__vfprintf_chk",
        Sprintf = "sprintf",
        SprintfChk = "__sprintf_chk",
        Vsprintf = "vsprintf",
        VsprintfChk = "__vsprintf_chk",
        Snprintf = "snprintf",
        SnprintfChk = "__snprintf_chk",
        Vsnprintf = "vsnprintf",
        VsnprintfChk = "__vsnprintf_chk",
        Puts = "puts",
        Fputs = "fputs" | "fputs_unlocked",
        Putchar = "putchar" | "putchar_unlocked",
        Fputc = "fputc" | "putc" | "putc_unlocked" | "fputc_unlocked" | "_IO_putc",
        Fwrite = "fwrite" | "fwrite_unlocked",
    }

    /// The process and its memory.
    Process {
        Exit = "__sleave_exit" | "_exit" | "_Exit",
        Abort = "abort"
            | "_ZSt9terminatev"
            | "__stack_chk_fail"
            | "__cxa_pure_virtual"
            | "__fortify_fail",
        // Every schedule is explored anyway: a thread that gives way changes nothing.
        Yield = "sched_yield" | "pthread_yield" | "thrd_yield" | "usleep" | "sleep",
        AtExit = "__cxa_atexit",
        ErrnoLocation = "__errno_location",
        Throw = "__sleave_throw",
        Memcpy = "memcpy" | "memmove",
        Memset = "memset",
    }

    Jump {
        Setjmp = "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp",
        Longjmp = "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk",
    }

    /// What Sleave's own C library asks about the surroundings of the program.
    Environment {
        Text = "__sleave_text",
        Byte = "__sleave_byte",
        FixedInput = "__sleave_fixed_input",
        Whole = "__sleave_environment",
        IsWhole = "__sleave_environment_is_whole",
        UsesDescriptors = "__sleave_uses_descriptors",
        Stdin = "__sleave_stdin",
        StdinSize = "__sleave_stdin_size",
        InputLength = "__sleave_input_length",
        Beyond = "__sleave_beyond",
    }

    /// What programs say to a verifier: inputs, assumptions, assertions, atomic sections.
    Verifier {
        AssertFail = "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail",
        // Besides all names that begin as in `Modelled::named`.
        Nondet = "klee_int",
        Range = "klee_range",
        MakeSymbolic = "klee_make_symbolic" | "__sleave_make_symbolic",
        Assume = "klee_assume" | "__CPROVER_assume",
        Restrict = "__sleave_assume",
        Assert = "__CPROVER_assert",
        Error = "klee_report_error" | "__CPROVER_fail",
        SilentExit = "klee_silent_exit",
        Input = "__sleave_input",
        Unsupported = "__sleave_unsupported",
        AtomicBegin = "__CPROVER_atomic_begin",
        AtomicEnd = "__CPROVER_atomic_end",
        Nothing = "__CPROVER_input" | "__CPROVER_output",
    }

    /// Names that mean the same to every verifier, even where the program gives them a body. They
    /// are no part of [`Modelled`].
    Overriding {
        Assume = "__VERIFIER_assume" | "assume_abort_if_not",
        Assert = "__VERIFIER_assert",
        Error = "__VERIFIER_error" | "reach_error",
        AtomicBegin = "__VERIFIER_atomic_begin",
        AtomicEnd = "__VERIFIER_atomic_end",
    }
}

/// A function without a body that is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modelled {
    Thread(Thread),
    Mutex(Mutex),
    RwLock(RwLock),
    Condition(Condition),
    Barrier(Barrier),
    Semaphore(Semaphore),
    Heap(Heap),
    Output(Output),
    Process(Process),
    Jump(Jump),
    Environment(Environment),
    Verifier(Verifier),
}

impl Modelled {
    pub fn named(name: &str) -> Option<Modelled> {
        if name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") {
            return Some(Modelled::Verifier(Verifier::Nondet));
        }
        None.or_else(|| Thread::named(name).map(Modelled::Thread))
            .or_else(|| Mutex::named(name).map(Modelled::Mutex))
            .or_else(|| RwLock::named(name).map(Modelled::RwLock))
            .or_else(|| Condition::named(name).map(Modelled::Condition))
            .or_else(|| Barrier::named(name).map(Modelled::Barrier))
            .or_else(|| Semaphore::named(name).map(Modelled::Semaphore))
            .or_else(|| Heap::named(name).map(Modelled::Heap))
            .or_else(|| Output::named(name).map(Modelled::Output))
            .or_else(|| Process::named(name).map(Modelled::Process))
            .or_else(|| Jump::named(name).map(Modelled::Jump))
            .or_else(|| Environment::named(name).map(Modelled::Environment))
            .or_else(|| Verifier::named(name).map(Modelled::Verifier))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_in_one_family() {
        let mut names = [
            Thread::NAMES,
            Mutex::NAMES,
            RwLock::NAMES,
            Condition::NAMES,
            Barrier::NAMES,
            Semaphore::NAMES,
            Heap::NAMES,
            Output::NAMES,
            Process::NAMES,
            Jump::NAMES,
            Environment::NAMES,
            Verifier::NAMES,
        ]
        .concat();
        assert!(names.iter().all(|name| Modelled::named(name).is_some()));
        assert!(
            Overriding::NAMES
                .iter()
                .all(|name| Modelled::named(name).is_none())
        );
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
