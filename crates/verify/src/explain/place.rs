//! Where threads stand and what they are about to do, in words.

use ir::{BlockId, Body, Callee, Op, Terminator};
use machine::{Guard, Status, ThreadSnapshot};

use super::fails;
use super::naming::Scene;

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stands {
    /// `main`, `T1`, ...
    pub thread: String,
    /// Of the user's code; `None` where it has ended, or that is not known.
    pub place: Option<(String, u32)>,
    /// `is about to read x`
    pub doing: String,
}

pub fn stands(scene: &Scene, stand: &ThreadSnapshot) -> Stands {
    let place = scene.names.file_and_line(stand.loc);
    Stands {
        thread: scene.names.thread(stand.thread),
        place: place
            .filter(|_| !stand.status.is_over())
            .map(|(file, line)| (file.to_string(), line)),
        doing: doing(scene, stand),
    }
}

fn doing(scene: &Scene, stand: &ThreadSnapshot) -> String {
    let sync = |address: u64| scene.sync_object(address);
    let guard = match stand.status {
        Status::Ended => return "has ended".to_string(),
        Status::Exited => return "has ended the program".to_string(),
        Status::Running => Guard::Always,
        Status::Parked { guard, .. } => guard,
    };
    match guard {
        Guard::Always => next(scene, stand),
        Guard::Spin => "goes round a loop".to_string(),
        Guard::Zero(address) => format!("is about to lock {}", sync(address)),
        Guard::Positive(address) => format!("is about to decrement {}", sync(address)),
        Guard::RwLock {
            address,
            write: false,
        } => format!("is about to read-lock {}", sync(address)),
        Guard::RwLock {
            address,
            write: true,
        } => format!("is about to write-lock {}", sync(address)),
        Guard::Barrier { address, .. } => format!("waits at barrier {}", sync(address)),
        Guard::Once(address) => format!("is about to run {} if nobody has", sync(address)),
        Guard::Ended(thread) => format!("waits for {} to end", scene.names.thread(thread)),
        Guard::Leaving {
            condition, mutex, ..
        } => format!(
            "is about to unlock {} and wait for a signal on {}",
            sync(mutex),
            sync(condition)
        ),
        Guard::Condition {
            condition,
            mutex,
            signalled: true,
            ..
        } => format!(
            "has got a signal on {} and is about to lock {}",
            sync(condition),
            sync(mutex)
        ),
        Guard::Condition { condition, .. } => {
            format!("waits for a signal on {}", sync(condition))
        }
        Guard::Alone => "waits for all others to end".to_string(),
        Guard::Await => "goes round a loop".to_string(),
        Guard::Assumption => "is excluded by an assumption".to_string(),
    }
}

/// What the next instruction does.
fn next(scene: &Scene, stand: &ThreadSnapshot) -> String {
    let goes_on = || "is about to go on".to_string();
    let Some(&(function, pc)) = stand.frames.last() else {
        return "is about to begin".to_string();
    };
    let code = scene.program.function(function);
    let Some(body) = &scene.program.module.functions[function].body else {
        return goes_on();
    };
    let Some(&(block, index)) = code.origins.get(pc as usize) else {
        return goes_on();
    };
    let Some(inst) = body.blocks[block].insts.get(index as usize) else {
        let asserts = stand.branches && is_assertion(scene, body, block);
        return match (asserts, stand.branches) {
            (true, _) => "is about to check the assertion".to_string(),
            (false, true) => "is about to branch".to_string(),
            (false, false) => goes_on(),
        };
    };
    let object = |pointer| {
        let known = scene.pointed_at(body, pointer);
        known.unwrap_or_else(|| "memory".to_string())
    };
    match &inst.op {
        Op::Load { ptr, .. } => format!("is about to read {}", object(*ptr)),
        Op::Store { ptr, .. } => format!("is about to write {}", object(*ptr)),
        Op::Rmw { ptr, .. } | Op::CmpXchg { ptr, .. } => {
            format!("is about to update {}", object(*ptr))
        }
        Op::Call(call) => match call.callee {
            Callee::Direct(f) => format!("is about to call {}()", scene.names.function(f)),
            Callee::Indirect(_) => goes_on(),
        },
        _ => goes_on(),
    }
}

/// Whether one side of the jump at the end of the block fails.
fn is_assertion(scene: &Scene, body: &Body, block: BlockId) -> bool {
    let Terminator::CondBr { then, other, .. } = &body.blocks[block].terminator else {
        return false;
    };
    [then, other].iter().any(|side| {
        let insts = &body.blocks[side.block].insts;
        let fails = |op: &Op| matches!(op, Op::Call(call) if fails(scene.program, call));
        insts.iter().any(|inst| fails(&inst.op))
    })
}
