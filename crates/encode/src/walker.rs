//! Executions, as unrolled locations: which edges they took, and how far each thread has come.

use std::rc::Rc;

use ir::modelled::{Modelled, Process};
use ir::{BlockId, Callee, FuncId, Module, Op, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::knowledge::{Knowledge, ThreadIx};
use crate::place::Shape;

/// Follows the threads of one execution.
pub struct Walker<'m> {
    module: &'m Module,
    shapes: FxHashMap<FuncId, Option<Rc<Shape>>>,
    threads: FxHashMap<ThreadIx, Vec<Frame>>,
    /// Threads by their creator and how many it had created before.
    children: FxHashMap<(ThreadIx, u32), ThreadIx>,
    created: FxHashMap<ThreadIx, u32>,
    /// By thread: so many functions it has begun with nothing below them.
    begun: FxHashMap<ThreadIx, u32>,
}

struct Frame {
    function: FuncId,
    prefix: Vec<u32>,
    block: BlockId,
    rounds: Vec<u32>,
    inst: u32,
    /// In the middle of an instruction that makes several events; `None`: it is done.
    within: Option<Within>,
}

/// How much is done of an instruction that makes several events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// It has begun, and made no event.
    Begun,
    /// The first of two events, or so many bytes and one more of an access to memory.
    Part(u32),
}

impl<'m> Walker<'m> {
    pub fn new(module: &'m Module) -> Walker<'m> {
        Walker {
            module,
            shapes: FxHashMap::default(),
            threads: FxHashMap::default(),
            children: FxHashMap::default(),
            created: FxHashMap::default(),
            begun: FxHashMap::default(),
        }
    }

    /// The thread that this one has created as its `index`-th.
    pub fn child(&self, parent: ThreadIx, index: u32) -> Option<ThreadIx> {
        self.children.get(&(parent, index)).copied()
    }

    /// Whether the thread has done what is at this key, or gone past it.
    pub fn has_passed(&self, thread: ThreadIx, key: &[u32]) -> bool {
        self.position(thread).is_some_and(|at| *key <= *at)
    }

    /// Whether the thread is in the middle of the instruction of which this key is a part.
    pub fn is_within(&self, thread: ThreadIx, key: &[u32]) -> bool {
        let last = self.threads.get(&thread).and_then(|frames| frames.last());
        let is_unfinished = last.is_some_and(|frame| frame.within.is_some());
        is_unfinished
            && self.position(thread).is_some_and(|at| {
                at.len() == key.len() && at[..at.len() - 1] == key[..key.len() - 1]
            })
    }

    /// What the thread has done last.
    pub fn position(&self, thread: ThreadIx) -> Option<Vec<u32>> {
        let frame = self.threads.get(&thread)?.last()?;
        let shape = self.shapes.get(&frame.function)?.as_ref()?;
        let mut key = frame.prefix.clone();
        shape.extend_key(&mut key, frame.block, &frame.rounds, frame.inst);
        match frame.within {
            Some(Within::Begun) => {
                key.pop();
            }
            Some(Within::Part(part)) => key.push(part),
            // A call that enters a function has only begun.
            None if self.enters(frame) => {}
            None => key.push(u32::MAX),
        }
        Some(key)
    }

    /// The thread is in the middle of an instruction that makes several events. Of an access to
    /// memory, so much is done.
    pub fn stand_within(
        &mut self,
        known: &mut Knowledge,
        thread: ThreadIx,
        depth: usize,
        place: (FuncId, BlockId, u32),
        within: Within,
    ) {
        let (function, block, inst) = place;
        let Some(body) = self.module.functions[function].body.as_ref() else {
            return;
        };
        let within = match within {
            Within::Part(_) if !accesses_memory(self.module, &body.blocks[block], inst) => {
                Within::Part(0)
            }
            within => within,
        };
        let stands_there = |frame: &Frame| (frame.function, frame.block, frame.inst) == place;
        let frames = self.threads.get(&thread);
        let frame = frames.and_then(|frames| frames.get(depth));
        if !frame.is_some_and(stands_there) {
            self.step(known, thread, depth, place);
        }
        let frames = self.threads.get_mut(&thread);
        if let Some(frame) = frames.and_then(|frames| frames.get_mut(depth)) {
            frame.within = Some(within);
        }
    }

    /// The thread is in the middle of no instruction.
    pub fn stand_between(&mut self, thread: ThreadIx) {
        let frames = self.threads.get_mut(&thread);
        if let Some(frame) = frames.and_then(|frames| frames.last_mut()) {
            frame.within = None;
        }
    }

    /// The thread has executed an instruction in a frame of this depth. How many new locations that
    /// shows.
    pub fn step(
        &mut self,
        known: &mut Knowledge,
        thread: ThreadIx,
        depth: usize,
        (function, block, inst): (FuncId, BlockId, u32),
    ) -> usize {
        let Some(body) = self.module.functions[function].body.as_ref() else {
            return 0;
        };
        let shapes = &mut self.shapes;
        let shape = shapes
            .entry(function)
            .or_insert_with(|| Shape::of(body).map(Rc::new));
        let Some(shape) = shape.clone() else { return 0 };
        let mut frames = self.threads.remove(&thread).unwrap_or_default();
        frames.truncate(depth + 1);
        let mut new = 0;
        if frames.len() == depth + 1 && frames[depth].function != function {
            frames.pop();
        }
        if frames.len() < depth {
            // A frame that has executed nothing: where this is cannot be said.
            self.threads.insert(thread, frames);
            return 0;
        }
        if frames.len() == depth {
            let mut prefix = match frames.last() {
                None => {
                    let begun = self.begun.entry(thread).or_insert(0);
                    *begun += 1;
                    vec![*begun]
                }
                Some(caller) => {
                    let mut key = caller.prefix.clone();
                    if let Some(Some(shape)) = self.shapes.get(&caller.function) {
                        shape.extend_key(&mut key, caller.block, &caller.rounds, caller.inst);
                    }
                    key
                }
            };
            prefix.push(function.0);
            let entry = BlockId(0);
            let frame = Frame {
                function,
                prefix,
                block: entry,
                rounds: vec![0; shape.loops(entry).len()],
                inst: 0,
                within: None,
            };
            known.enter(function, entry);
            new += visit(known, thread, &frame, &shape);
            frames.push(frame);
            if block != entry {
                new += move_to(known, thread, body, &mut frames[depth], &shape, block);
            }
        } else {
            let frame = &mut frames[depth];
            let is_rest =
                frame.within.take().is_some() && (frame.block, frame.inst) == (block, inst);
            if !is_rest && (frame.block != block || inst <= frame.inst) {
                new += move_to(known, thread, body, frame, &shape, block);
            }
        }
        frames[depth].inst = inst;
        if self.creates(body, block, inst)
            && let Some(frame) = frames.last()
        {
            let mut key = frame.prefix.clone();
            shape.extend_key(&mut key, frame.block, &frame.rounds, frame.inst);
            let child = known.child(thread, &key);
            let index = self.created.entry(thread).or_insert(0);
            self.children.insert((thread, *index), child);
            *index += 1;
        }
        self.threads.insert(thread, frames);
        new
    }

    /// What the frame has done last is to call a function with a body.
    fn enters(&self, frame: &Frame) -> bool {
        let Some(body) = self.module.functions[frame.function].body.as_ref() else {
            return false;
        };
        let block = &body.blocks[frame.block];
        let call = match block.insts.get(frame.inst as usize).map(|inst| &inst.op) {
            Some(Op::Call(call)) => call,
            Some(_) => return false,
            None => match &block.terminator {
                Terminator::Invoke { call, .. } => call,
                _ => return false,
            },
        };
        match call.callee {
            Callee::Direct(function) => self.module.functions[function].body.is_some(),
            Callee::Indirect(_) => true,
        }
    }

    fn creates(&self, body: &ir::Body, block: BlockId, inst: u32) -> bool {
        let inst = body.blocks[block].insts.get(inst as usize);
        let Some(Op::Call(call)) = inst.map(|inst| &inst.op) else {
            return false;
        };
        matches!(call.callee, Callee::Direct(f) if self.module.functions[f].name == "pthread_create")
    }
}

/// Whether the instruction is an access to memory, which may be made in parts.
fn accesses_memory(module: &Module, block: &ir::Block, inst: u32) -> bool {
    use ir::Intrinsic::{Memcpy, Memmove, Memset};
    match block.insts.get(inst as usize).map(|inst| &inst.op) {
        Some(Op::Load { .. } | Op::Store { .. }) => true,
        Some(Op::Intrinsic { op, .. }) => matches!(op, Memcpy | Memmove | Memset),
        Some(Op::Call(call)) => {
            let Callee::Direct(function) = call.callee else {
                return false;
            };
            let name = &module.functions[function].name;
            matches!(
                Modelled::named(name),
                Some(Modelled::Process(Process::Memcpy | Process::Memset))
            )
        }
        _ => false,
    }
}

fn move_to(
    known: &mut Knowledge,
    thread: ThreadIx,
    body: &ir::Body,
    frame: &mut Frame,
    shape: &Shape,
    block: BlockId,
) -> usize {
    let mut new = 0;
    for block in way(body, frame.block, block) {
        shape.jump(&mut frame.rounds, frame.block, block);
        known.take(frame.function, frame.block, block);
        frame.block = block;
        new += visit(known, thread, frame, shape);
    }
    new
}

/// The blocks from one that was left to one that was entered: in between there are only such in
/// which nothing is done.
fn way(body: &ir::Body, from: BlockId, to: BlockId) -> Vec<BlockId> {
    let mut ways: Vec<Vec<BlockId>> = vec![Vec::new()];
    let mut seen = FxHashSet::default();
    for _ in 0..LONGEST_WAY {
        let mut longer = Vec::new();
        for way in ways {
            let mut next = Vec::new();
            let last = way.last().copied().unwrap_or(from);
            body.blocks[last]
                .terminator
                .for_each_successor(|block| next.push(block));
            for block in next {
                let mut on: Vec<BlockId> = way.clone();
                on.push(block);
                if block == to {
                    return on;
                }
                if body.blocks[block].insts.is_empty() && seen.insert(block) {
                    longer.push(on);
                }
            }
        }
        ways = longer;
    }
    vec![to]
}

/// So many blocks in a row are hardly empty.
const LONGEST_WAY: usize = 16;

fn visit(known: &mut Knowledge, thread: ThreadIx, frame: &Frame, shape: &Shape) -> usize {
    let mut key = frame.prefix.clone();
    shape.extend_key(&mut key, frame.block, &frame.rounds, 0);
    usize::from(known.visit(thread, &key))
}
