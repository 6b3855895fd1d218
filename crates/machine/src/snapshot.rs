//! A snapshot: where every thread stands and which objects there are. Readers of an explanation
//! need it to make sense of conditions on registers and cells.

use std::rc::Rc;

use ir::FuncId;
use ir::debug::LocId;

use crate::machine::Machine;
use crate::memory::Object;
use crate::thread::{Status, ThreadId};

#[derive(Clone, Debug, PartialEq)]
pub struct StateSnapshot {
    pub threads: Vec<ThreadSnapshot>,
    /// Live ones.
    pub objects: Rc<Vec<Object>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ThreadSnapshot {
    pub thread: ThreadId,
    pub status: Status,
    /// The function and the next code of every frame, the outermost first.
    pub frames: Vec<(FuncId, u32)>,
    /// Where that is in the user's code.
    pub loc: LocId,
    /// It is in the middle of a step, at a jump that depends on inputs.
    pub branches: bool,
}

impl Machine {
    /// `before`: objects of another state, which are shared if they are the same.
    pub fn snapshot(&self, before: Option<&Rc<Vec<Object>>>) -> StateSnapshot {
        let live = || self.state.memory.live_objects();
        let objects = match before {
            Some(before) if live().eq(before.iter()) => Rc::clone(before),
            _ => Rc::new(live().cloned().collect()),
        };
        let stand = |thread| {
            let frames = self.thread(thread).frames.iter();
            let status = self.status(thread);
            ThreadSnapshot {
                thread,
                status,
                frames: frames.map(|f| (f.function, f.pc)).collect(),
                loc: self.user_loc(thread),
                branches: status == Status::Running
                    && thread == self.now.current
                    && self.asks_at_branch(),
            }
        };
        StateSnapshot {
            threads: self.thread_ids().map(stand).collect(),
            objects,
        }
    }
}

impl StateSnapshot {
    /// The object that lies there.
    pub fn object_at(&self, address: u64) -> Option<&Object> {
        self.objects.iter().find(|o| o.contains(address, 1))
    }
}
