//! How an execution ended, in words.

use machine::{End, Fault, Machine, MemoryFault, Misuse, ObjectId, ObjectKind, Problem, ThreadId};

use crate::names::Names;
use crate::race::RaceReport;

/// One sentence.
pub fn describe(machine: &Machine, names: &Names, end: &End) -> String {
    match end {
        End::Fault(at) => describe_fault(machine, names, &at.fault),
        End::Normal => "the execution ends normally".to_string(),
        End::Discarded => "an assumption does not hold".to_string(),
        End::Cutoff(cutoff, _) => format!("given up: {cutoff}"),
    }
}

fn describe_fault(machine: &Machine, names: &Names, fault: &Fault) -> String {
    match fault {
        Fault::Assertion(text) if text.is_empty() => "assertion fails".to_string(),
        Fault::Assertion(text) if text.ends_with("is reached") => text.clone(),
        Fault::Assertion(text) => format!("assertion `{text}` fails"),
        Fault::Abort(what) => format!("the program aborts: {what}"),
        Fault::LockMisuse(misuse) => describe_misuse(machine, names, misuse),
        Fault::DivisionOverflow => {
            "the smallest number is divided by -1: the result does not fit".to_string()
        }
        Fault::DivisionByZero => "division by zero".to_string(),
        Fault::Unreachable => {
            "code that the compiler takes to be unreachable is reached".to_string()
        }
        Fault::Deadlock => "deadlock: no thread can go on".to_string(),
        Fault::Race(race) => RaceReport::new(machine, names, race, &[])
            .message(|thread| names.thread(ThreadId::from(thread))),
        Fault::Memory(fault, address) => describe_memory(machine, names, *fault, *address),
    }
}

fn describe_misuse(machine: &Machine, names: &Names, misuse: &Misuse) -> String {
    let operation = &misuse.operation;
    let object = match misuse.object {
        0 => String::new(),
        address => names.memory(machine, address, 1),
    };
    match misuse.problem {
        Problem::Uninitialised => format!("{object} is used but was never initialised"),
        Problem::Destroyed => format!("{operation} of {object}, which was destroyed"),
        Problem::NotLocked => format!("{operation} of {object}, which is not locked"),
        Problem::NotHeld => format!("{operation} of {object}, which this thread does not hold"),
        Problem::HeldByCaller => {
            format!("{operation} of {object}, which this thread holds already")
        }
        Problem::HeldBy(owner) => format!(
            "{operation} of {object}, which {} holds",
            names.thread(owner)
        ),
        Problem::OtherMutex => {
            format!("{operation} of {object}, on which another thread waits with another mutex")
        }
        Problem::InUse => format!("{operation} of {object}, which is in use"),
        Problem::JoinedTwice(thread) => format!(
            "{operation} of {}, which was joined already",
            names.thread(thread)
        ),
        Problem::Detached(thread) => {
            format!("{operation} of {}, which is detached", names.thread(thread))
        }
        Problem::NoThread => format!("{operation} of something that is no thread"),
    }
}

fn describe_memory(machine: &Machine, names: &Names, fault: MemoryFault, address: u64) -> String {
    let name = |id: ObjectId| {
        let object = machine.state.memory.object(id);
        if let Some(known) = names.known_block(object.base) {
            return known.to_string();
        }
        let (name, _) = names.object(object);
        match object.kind {
            ObjectKind::Heap { loc, .. } => match names.file_and_line(loc) {
                Some((file, line)) => format!("{name} (allocated at {file}:{line})"),
                None => name,
            },
            _ => name,
        }
    };
    match fault {
        MemoryFault::Null if address == 0 => "null pointer is dereferenced".to_string(),
        MemoryFault::Null => format!("null pointer is dereferenced (plus {address} bytes)"),
        MemoryFault::OutOfBounds(id)
            if matches!(machine.state.memory.object(id).kind, ObjectKind::Text(_)) =>
        {
            let offset = address.wrapping_sub(machine.state.memory.object(id).base) as i64;
            format!(
                "access out of bounds: offset {offset} of {}, behind its end",
                name(id)
            )
        }
        MemoryFault::Text(id) | MemoryFault::Undefined(id) | MemoryFault::TooLarge(id) => {
            unreachable!("an access to {} is no fault by itself", name(id))
        }
        MemoryFault::OutOfBounds(id) => {
            let object = machine.state.memory.object(id);
            let offset = address.wrapping_sub(object.base) as i64;
            format!(
                "access out of bounds: offset {offset} of {}, which has {} bytes",
                name(id),
                object.size
            )
        }
        MemoryFault::UseAfterFree(id)
            if matches!(
                machine.state.memory.object(id).kind,
                ObjectKind::ThreadLocal(..)
            ) =>
        {
            format!("use of {} after its thread has ended", name(id))
        }
        MemoryFault::UseAfterFree(id) => format!("use after free of {}", name(id)),
        MemoryFault::UseAfterReturn(id) => {
            format!("use of {} after its function has returned", name(id))
        }
        MemoryFault::ReadOnly(id) => format!("write to {}, which is constant", name(id)),
        MemoryFault::Wild => format!("access to address {address:#x}, where nothing is"),
        MemoryFault::Function(id) => format!("access to the code of {}", name(id)),
        MemoryFault::DoubleFree(id) => format!("double free of {}", name(id)),
        MemoryFault::InvalidFree => {
            format!(
                "free of {}, which is no heap block",
                names.memory(machine, address, 1)
            )
        }
    }
}
