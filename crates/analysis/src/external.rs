//! Functions without a body: what they mean, and what they do to memory.
//!
//! [`ir::modelled`] lists the functions; this says for all analyses what the machine's shims do
//! when they are called. A function that is not listed is not modelled: reaching it ends the search
//! with `unknown`, and an analysis that is not followed by a search must assume that it does
//! anything to what its arguments reach.

mod heap;
mod output;
mod process;
mod sync;
mod verifier;

use ir::modelled::{Modelled, Overriding};
use ir::{FuncId, Function, Module};

/// The position of an argument.
pub type Arg = usize;

/// What is known of a function without a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct External {
    pub class: Class,
    pub effects: &'static [Effect],
}

/// What a call is to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Reaching it is the error that the program is checked for.
    Fails,
    /// An error if the argument is zero.
    Asserts(Arg),
    /// Ends the process as a fault.
    Aborts,
    /// Executions in which the argument is zero are given up.
    Assumes(Arg),
    /// Gives up the execution without an error.
    GivesUp,
    Synchronises(Sync),
    Creates {
        function: Arg,
        argument: Arg,
    },
    Joins {
        thread: Arg,
    },
    Detaches {
        thread: Arg,
    },
    /// Ends the calling thread.
    ExitsThread,
    /// Ends the process.
    ExitsProcess,
    /// Cleanup handlers of the calling thread are put on its list or taken from it.
    Cleanup,
    Allocates,
    Releases,
    /// The result, or what an argument points to, is any value.
    Input,
    BeginsAtomic,
    EndsAtomic,
    Output,
    /// `setjmp`: may return again.
    Saves,
    /// `longjmp`: goes on where the buffer was saved.
    Jumps,
    Throws,
    /// Copies or fills memory.
    Moves,
    /// Who the calling thread is, or something else that only depends on it.
    Asks,
    /// Has no effect.
    Nothing,
    /// Not modelled: ends the search with `unknown`.
    Unmodelled,
}

/// Operations on synchronisation objects. The positions are those of the object's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    Lock {
        lock: Arg,
        mode: Mode,
        wait: Wait,
    },
    Unlock {
        lock: Arg,
    },
    WaitCondition {
        condition: Arg,
        mutex: Arg,
    },
    Signal {
        condition: Arg,
    },
    Broadcast {
        condition: Arg,
    },
    WaitSemaphore {
        semaphore: Arg,
        wait: Wait,
    },
    Post {
        semaphore: Arg,
    },
    GetValue {
        semaphore: Arg,
    },
    WaitBarrier {
        barrier: Arg,
    },
    /// Whether the caller is to run the routine; waits while another thread does.
    EnterOnce {
        control: Arg,
    },
    LeaveOnce {
        control: Arg,
    },
    Initialise {
        object: Arg,
    },
    Destroy {
        object: Arg,
    },
    /// Waits until every other thread has ended.
    WaitAlone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Exclusive,
    Shared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Forever,
    /// Gives up at once: the result tells.
    Never,
    /// May give up: the result tells.
    Timed,
}

/// What a call does to memory. All that is not listed stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads behind the pointer.
    Reads(Arg, Extent),
    /// Writes something that is no address behind the pointer.
    Writes(Arg, Extent),
    /// Copies memory, with the addresses in it.
    Copies {
        to: Arg,
        from: Arg,
        bytes: Extent,
    },
    /// Fills memory with a byte.
    Fills {
        to: Arg,
        byte: Arg,
        bytes: Extent,
    },
    /// The result is the argument.
    Returns(Arg),
    /// The result is a fresh object.
    ReturnsNew {
        bytes: Extent,
    },
    /// The address of a fresh object is written behind the pointer.
    StoresNew {
        to: Arg,
        bytes: Extent,
    },
    /// The result is a fresh object with the contents of the old one, whose life ends.
    Reallocates {
        old: Arg,
        bytes: Extent,
    },
    /// Ends the life of the object.
    Frees(Arg),
    /// Makes a text of a format and the arguments from `first` on: reads what they point to, and
    /// `%n` writes there.
    Formats {
        format: Arg,
        first: Arg,
    },
    /// The same for a `va_list`.
    FormatsList {
        format: Arg,
        list: Arg,
    },
    StartsThread {
        function: Arg,
        argument: Arg,
    },
    /// The argument is what the thread returns.
    EndsThread(Arg),
    /// What the thread has returned is written behind the pointer.
    StoresThreadResult(Arg),
    /// Throws the exception; the machine reads it and writes to it what the handler will see.
    Throws(Arg),
    /// The argument is what `setjmp` returns.
    JumpsWith(Arg),
    ReturnsJumped,
    /// The buffer is remembered for the end of the thread.
    KeepsCleanup(Arg),
    /// Reads a remembered buffer.
    ReadsCleanup,
    /// The result is where the thread's `errno` is.
    ReturnsErrno,
    WritesErrno,
}

/// How much memory is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// At most so many bytes.
    Bytes(u64),
    /// As wide as a pointer.
    Pointer,
    Argument(Arg),
    Product(Arg, Arg),
    /// Unknown.
    Any,
}

/// Functions by which something is registered that is called later: at the end of a thread or of
/// the process.
pub const REGISTERING: [&str; 7] = [
    "atexit",
    "__cxa_atexit",
    "on_exit",
    "at_quick_exit",
    "__cxa_thread_atexit",
    "pthread_key_create",
    "tss_create",
];

/// What the call of a function means, if the machine does not enter its body.
pub fn of(function: &Function) -> Option<External> {
    if let Some(external) = overriding(&function.name) {
        return Some(external);
    }
    if function.body.is_some() {
        return None;
    }
    Some(find(&function.name).unwrap_or(UNMODELLED))
}

/// Like [`of`].
pub fn of_id(module: &Module, function: FuncId) -> Option<External> {
    of(&module.functions[function])
}

/// Whether the machine enters the function when it is called.
pub fn is_entered(function: &Function) -> bool {
    function.body.is_some() && overriding(&function.name).is_none()
}

/// By its name: the machine runs it without interleaving.
pub fn is_atomic(function: &Function) -> bool {
    function.name.starts_with("__VERIFIER_atomic_")
}

/// Whether there is nothing at its address: it is declared weakly and nobody defines it.
pub fn is_absent(function: &Function) -> bool {
    function.weak && function.body.is_none() && find(&function.name).is_none()
}

/// What a function is that nobody defines, by its name.
pub fn find(name: &str) -> Option<External> {
    Modelled::named(name).map(|function| match function {
        Modelled::Thread(function) => sync::thread(function),
        Modelled::Mutex(function) => sync::mutex(function),
        Modelled::RwLock(function) => sync::rw_lock(function),
        Modelled::Condition(function) => sync::condition(function),
        Modelled::Barrier(function) => sync::barrier(function),
        Modelled::Semaphore(function) => sync::semaphore(function),
        Modelled::Heap(function) => heap::heap(function),
        Modelled::Output(function) => output::output(function),
        Modelled::Process(function) => process::process(function),
        Modelled::Jump(function) => process::jump(function),
        Modelled::Environment(function) => process::environment(function),
        Modelled::Verifier(function) => verifier::verifier(function),
    })
}

/// The verifier's vocabulary: it holds even where the program defines the function.
pub fn overriding(name: &str) -> Option<External> {
    Overriding::named(name).map(verifier::overriding)
}

const UNMODELLED: External = external(Class::Unmodelled, &[]);

const fn external(class: Class, effects: &'static [Effect]) -> External {
    External { class, effects }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_counts_unless_the_verifier_means_something_by_the_name() {
        let text = "pointer_bits 64
            func @malloc(i64 %0) -> (ptr) { b0: ret ptr null }
            func @reach_error() -> () { b0: ret }
            func @free(ptr) -> ()
            func @surprise() -> ()";
        let module = ir::text::parse(text).expect("a module");
        let class = |name| {
            let function = module.function_named(name).expect("it is there");
            of_id(&module, function).map(|external| external.class)
        };
        assert_eq!(class("malloc"), None);
        assert_eq!(class("reach_error"), Some(Class::Fails));
        assert_eq!(class("free"), Some(Class::Releases));
        assert_eq!(class("surprise"), Some(Class::Unmodelled));
    }
}
