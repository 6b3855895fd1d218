//! What a call of a shim did, in a form that says when it would do the same again.

use ir::Type;

use super::Detail;
use crate::code::Slot;
use crate::fault::{Exec, Stop};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::shims::{Shim, ShimCall};
use crate::thread::ThreadId;
use crate::value::Value;

/// What a shim did.
pub(crate) enum ShimEffect {
    Nothing,
    /// It goes on because its first argument is not zero.
    Requires,
    /// It fails, or never goes on, because its first argument is zero.
    Fails,
    /// There are no executions in which its first argument is zero.
    Restricts,
    /// It made an input up.
    Input(Value),
    /// It prints, and only from memory that is constant: what it returns is not known.
    Output {
        args: Vec<Value>,
    },
    /// The thread exits with its first argument.
    Exits,
    /// It waits for a thread, and leaves its result there unless that is nowhere.
    Joins {
        args: Vec<Value>,
        thread: Option<ThreadId>,
        to: u64,
        result: Option<Value>,
    },
    /// It does the same whenever it gets the same arguments and finds the same bytes.
    Same {
        args: Vec<Value>,
        found: Vec<(u64, u8)>,
        left: Vec<(u64, u8)>,
        fresh: Option<(u64, u64)>,
        result: Option<Value>,
        /// A thread that it started, with the parameters of its first frame.
        started: Option<(ThreadId, Vec<(Slot, Value)>)>,
    },
}

/// What must be known of the state before a call of a shim to tell what the shim did.
struct BeforeShim {
    args: Vec<Value>,
    /// Addresses of bytes that it may look at or change, and what they held; `None`: some depended
    /// on inputs.
    footprint: Vec<u64>,
    found: Option<Vec<(u64, u8)>>,
    threads: Vec<ThreadId>,
    concurrent: bool,
}

impl Machine {
    /// Does what a shim does, and takes note of that.
    pub(crate) fn noted_shim(&mut self, shim: Shim, call: &ShimCall, pc: usize) -> Exec<()> {
        let args: Vec<Value> = (0..call.args.len()).map(|i| self.arg(call, i)).collect();
        let kind = match kind_of(call.name) {
            // Which object it is depends on inputs.
            Kind::Synchronises | Kind::Joins | Kind::Allocates
                if !args.iter().all(|a| a.is_concrete()) =>
            {
                Kind::Unknown
            }
            // What it reads may not be there elsewhere.
            Kind::Output if !self.prints_constants(call, &args) => Kind::Unknown,
            kind => kind,
        };
        let mut footprint = match kind {
            Kind::Synchronises => self.near(&args),
            _ => Vec::new(),
        };
        if call.name.starts_with("pthread_rwlock_") {
            // It decides, too, and lies further on.
            let kind = self.rwlock_kind(args[0].bits);
            let is_there = self.state.memory.live_object_at(kind).is_some();
            footprint.extend(Some(kind).filter(|at| is_there && !footprint.contains(at)));
        }
        if call.name == "pthread_create" {
            footprint.extend(self.program.entries.and_then(|e| e.single_threaded));
        }
        let found = self.plain_bytes(&footprint);
        let progress = self.running.frames.last().map(|f| f.progress);
        let threads: Vec<ThreadId> = self.thread_ids().collect();
        let concurrent = self.now.concurrent;
        let done = shim(self, call);
        let has_changed = self.running.frames.last().map(|f| f.progress) != progress;
        if matches!(kind, Kind::Requires | Kind::Asserts)
            && matches!(done, Err(Stop::End | Stop::Park))
        {
            self.note_code(pc, true);
            self.note_detail(|| Detail::Shim(Box::new(ShimEffect::Fails)));
        }
        match &done {
            Ok(()) | Err(Stop::Return | Stop::Jumped | Stop::Exit) => {}
            Err(Stop::Park) if has_changed => {}
            Err(_) => return done,
        }
        let before = BeforeShim {
            args,
            footprint,
            found,
            threads,
            concurrent,
        };
        let effect = self.shim_effect(kind, call, before, done.is_ok());
        self.note_code(pc, true);
        self.note_detail(|| effect.map_or(Detail::Opaque, |effect| Detail::Shim(Box::new(effect))));
        done
    }

    /// `None`: nothing can be said about it.
    fn shim_effect(
        &self,
        kind: Kind,
        call: &ShimCall,
        before: BeforeShim,
        is_done: bool,
    ) -> Option<ShimEffect> {
        let BeforeShim {
            args, concurrent, ..
        } = before;
        Some(match kind {
            Kind::Nothing => ShimEffect::Nothing,
            Kind::Output => ShimEffect::Output { args },
            Kind::Asserts => ShimEffect::Requires,
            Kind::Requires if concurrent => ShimEffect::Requires,
            Kind::Requires | Kind::Restricts => ShimEffect::Restricts,
            Kind::Input => ShimEffect::Input(self.result_of(call)),
            Kind::Exits => ShimEffect::Exits,
            Kind::Joins => ShimEffect::Joins {
                thread: self.thread_with(args[0]),
                to: args[1].bits,
                result: (!call.results.is_empty()).then(|| self.result_of(call)),
                args,
            },
            Kind::Unknown => return None,
            Kind::Synchronises | Kind::Allocates => {
                let found = before.found?;
                let left = self.plain_bytes(&before.footprint).unwrap_or_default();
                let result = (!call.results.is_empty() && is_done).then(|| self.result_of(call));
                let fresh = match kind {
                    Kind::Allocates => self.new_object(call, result),
                    _ => None,
                };
                let new = self.thread_ids().find(|t| !before.threads.contains(t));
                let started = new.map(|thread| (thread, self.first_parameters(thread)));
                ShimEffect::Same {
                    args,
                    found,
                    left,
                    fresh,
                    result,
                    started,
                }
            }
        })
    }

    /// Whether the only memory that it is given is constant.
    fn prints_constants(&self, call: &ShimCall, args: &[Value]) -> bool {
        let pointers = call
            .args
            .iter()
            .zip(args)
            .filter(|(a, _)| a.ty == Type::Ptr);
        pointers.into_iter().all(|(_, value)| {
            let may = |kind| self.state.memory.check(value.bits, 1, kind).is_ok();
            value.is_concrete() && may(AccessKind::Read) && !may(AccessKind::Write)
        })
    }

    fn thread_with(&self, handle: Value) -> Option<ThreadId> {
        let id = ThreadId::of_handle(handle.bits)?;
        (handle.is_concrete() && self.thread_exists(id)).then_some(id)
    }

    fn result_of(&self, call: &ShimCall) -> Value {
        call.results.first().map_or(Value::ZERO, |r| {
            self.running.registers[call.base + r.slot as usize]
        })
    }

    /// Where the synchronisation objects, attributes and results are that arguments point to.
    fn near(&self, args: &[Value]) -> Vec<u64> {
        let mut near = Vec::new();
        for arg in args.iter().filter(|a| a.is_concrete()) {
            if let Some((_, object)) = self.state.memory.live_object_at(arg.bits) {
                let end = (object.base + object.held_size()).min(arg.bits + OBJECT);
                near.extend(arg.bits..end);
            }
        }
        near
    }

    /// Those bytes that were ever written; `None` if some depend on inputs.
    fn plain_bytes(&self, addresses: &[u64]) -> Option<Vec<(u64, u8)>> {
        let mut bytes = Vec::new();
        for &address in addresses {
            match self.state.memory.plain_byte(address) {
                Some(byte) => bytes.push((address, byte)),
                None if !self.state.memory.uninitialised(address, 1).is_empty() => {}
                None => return None,
            }
        }
        Some(bytes)
    }

    fn new_object(&self, call: &ShimCall, result: Option<Value>) -> Option<(u64, u64)> {
        let address = result.filter(|_| call.name != "free")?.bits;
        let (_, object) = self.state.memory.live_object_at(address)?;
        Some((object.base, object.held_size()))
    }

    fn first_parameters(&self, thread: ThreadId) -> Vec<(Slot, Value)> {
        let thread = self.thread(thread);
        let f = self.program.function(thread.frames[0].function);
        let params = f.params.iter();
        params
            .map(|slot| (*slot, thread.registers[*slot as usize]))
            .collect()
    }
}

/// No synchronisation object is larger in what decides (but for the kind of a read-write lock, see
/// `noted_shim`), nor what is written next to one.
const OBJECT: u64 = 32;

enum Kind {
    Nothing,
    Output,
    /// An assumption.
    Requires,
    Asserts,
    Restricts,
    Input,
    Synchronises,
    Allocates,
    Joins,
    Exits,
    Unknown,
}

fn kind_of(name: &str) -> Kind {
    let synchronises = [
        "pthread_mutex_",
        "pthread_spin_",
        "pthread_cond_",
        "pthread_rwlock_",
        "pthread_barrier_",
        "sem_",
        "__sleave_once_",
    ];
    match name {
        "__VERIFIER_assume" | "assume_abort_if_not" | "klee_assume" | "__CPROVER_assume" => {
            Kind::Requires
        }
        "__VERIFIER_assert" | "__CPROVER_assert" => Kind::Asserts,
        "__sleave_assume" => Kind::Restricts,
        "__sleave_input" | "klee_int" => Kind::Input,
        "__VERIFIER_atomic_begin"
        | "__VERIFIER_atomic_end"
        | "__CPROVER_atomic_begin"
        | "__CPROVER_atomic_end"
        | "sched_yield"
        | "pthread_yield"
        | "thrd_yield"
        | "usleep"
        | "sleep" => Kind::Nothing,
        // The thread is gone, whatever the code.
        "__sleave_exit" | "_exit" | "_Exit" => Kind::Nothing,
        "pthread_join" => Kind::Joins,
        "pthread_exit" => Kind::Exits,
        "pthread_create"
        | "pthread_detach"
        | "pthread_self"
        | "pthread_equal"
        | "__sleave_thread_id"
        | "__sleave_wait_alone"
        | "__sleave_uses_thread_locals"
        | "__errno_location" => Kind::Synchronises,
        "malloc" | "__sleave_malloc" | "free" => Kind::Allocates,
        "printf" | "puts" | "putchar" => Kind::Output,
        _ if name.starts_with("__VERIFIER_nondet") || name.starts_with("nondet_") => Kind::Input,
        _ if synchronises.iter().any(|prefix| name.starts_with(prefix)) => Kind::Synchronises,
        _ => Kind::Unknown,
    }
}
