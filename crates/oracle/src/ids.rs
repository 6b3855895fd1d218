//! Typed indices of a program's entities. The `Display` of an id is the entity's name in the
//! rendered C.

use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A local variable of one thread, initially 0.
    LocalId = "l";
    /// A shared `int`.
    SharedId = "g";
    /// A shared `int *`.
    PointerId = "p";
    /// An `int *` of one thread.
    LocalPointerId = "q";
    /// A shared array of `int`.
    ArrayId = "a";
    /// A `pthread_mutex_t`.
    MutexId = "m";
    /// A `sem_t`.
    SemaphoreId = "s";
    /// A `pthread_cond_t`.
    ConditionId = "c";
    /// An input: the k-th call of `__VERIFIER_nondet_int` in `main`.
    InputId = "in";
    /// A thread; its name is that of its function.
    ThreadId = "thread";
    /// An assertion of the source; keeps its number when the program is minimised.
    AssertId = "assert";
}
