//! What was executed, for those who know the program by its IR and not by its code.

use ir::{BlockId, FuncId};

use super::{Position, Step};
use crate::machine::Machine;
use crate::thread::ThreadId;

/// An instruction that was done, or a terminator: then `index` is the number of instructions of the
/// block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    pub thread: ThreadId,
    /// How many frames are below its own.
    pub depth: u32,
    pub function: FuncId,
    pub block: BlockId,
    pub index: u32,
}

impl Machine {
    /// The instruction that the thread has begun and not finished, if it is one of several steps,
    /// and how much of it is done (`Frame::progress`). The thread is not running.
    pub fn unfinished_instruction(&self, thread: ThreadId) -> Option<(Executed, u32)> {
        let frames = &self.thread(thread).frames;
        let top = frames.last().filter(|frame| frame.progress != 0)?;
        let origins = &self.program.function(top.function).origins;
        let &(block, index) = origins.get(top.pc as usize)?;
        let at = Executed {
            thread,
            depth: frames.len() as u32 - 1,
            function: top.function,
            block,
            index,
        };
        Some((at, top.progress))
    }

    /// What has been executed since the history had come to this position, in order.
    pub fn executed_since(&self, position: Position) -> Vec<Executed> {
        let Some(history) = &self.probes.history else {
            return Vec::new();
        };
        let mut contexts = position.contexts;
        let mut context = contexts.checked_sub(1).map(|last| history.contexts[last]);
        let mut all = Vec::new();
        for entry in &history.entries[position.entries..] {
            match entry.step() {
                Step::Context => {
                    context = Some(history.contexts[contexts]);
                    contexts += 1;
                }
                Step::Note => {}
                Step::Code { pc, .. } => {
                    let context = context.expect("an instruction is somebody's");
                    let origins = &self.program.function(context.function).origins;
                    let Some(&(block, index)) = origins.get(pc) else {
                        continue;
                    };
                    // Checks come before what they check, of which nothing is done yet.
                    if origins.get(pc + 1) == Some(&(block, index)) {
                        continue;
                    }
                    all.push(Executed {
                        thread: context.thread,
                        depth: context.depth,
                        function: context.function,
                        block,
                        index,
                    });
                }
            }
        }
        all
    }
}
