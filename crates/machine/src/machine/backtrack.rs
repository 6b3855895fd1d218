//! Marks and undoing: going back to an earlier decision, and saving frames before they change (see
//! `trail`).

use ir::FuncId;

use super::state::SpecialMark;
use super::{Machine, Mark, Situation};
use crate::code::Program;
use crate::memory::ObjectId;
use crate::thread::{Frame, Stage, Status, Thread, ThreadId};
use crate::trail::{Saved, Undo};
use crate::value::Value;

impl Machine {
    /// Remembers the present state and goes one decision deeper.
    pub fn mark(&mut self) -> Mark {
        let mark = Mark {
            trail: self.trail.len(),
            bytes: self.trail.saved.bytes.len(),
            depth: self.trail.depth(),
            path: self.state.path.len(),
            now: self.now,
            special: self.special_mark(),
        };
        self.trail.set_depth(mark.depth + 1);
        mark
    }

    #[inline]
    fn special_mark(&self) -> Option<Box<SpecialMark>> {
        let is_plain = !matches!(self.situation, Situation::Ask(_))
            && self.running.answers.is_empty()
            && self.probes.races.is_none()
            && self.probes.peek.is_none()
            && self.probes.history.is_none();
        (!is_plain).then(|| self.make_special_mark())
    }

    #[cold]
    fn make_special_mark(&self) -> Box<SpecialMark> {
        let question = match self.situation {
            Situation::Ask(question) => Some(question),
            _ => None,
        };
        Box::new(SpecialMark {
            question,
            answers: self.running.answers.as_slice().into(),
            footprint: (self.mode.observed && question.is_some())
                .then(|| self.probes.footprint.clone()),
            races: self
                .probes
                .races
                .as_ref()
                .map(|r| r.mark())
                .unwrap_or_default(),
            peek: self.probes.peek.as_ref().map_or(0, |p| p.mark()),
            position: self.position(),
        })
    }

    /// Returns to `mark`. The mark stays usable: the next decision is again one deeper.
    pub fn undo(&mut self, mark: &Mark) {
        let mut entries = self.trail.take();
        for undo in entries[mark.trail..].iter().rev() {
            self.undo_entry(undo);
        }
        entries.truncate(mark.trail);
        self.trail.put(entries);
        self.trail.set_depth(mark.depth + 1);
        self.state.path.truncate(mark.path);
        self.running.joining = false;
        self.running.answers.clear();
        match &mark.special {
            None => self.go_on(),
            Some(special) => self.undo_special(special),
        }
        self.now = mark.now;
        self.probes.older_value = None;
    }

    fn undo_special(&mut self, mark: &SpecialMark) {
        if let Some(races) = &mut self.probes.races {
            races.undo(mark.races);
        }
        if let Some(peek) = &mut self.probes.peek {
            peek.undo(mark.peek);
        }
        self.forget_history_since(mark.position);
        match mark.question {
            None => self.go_on(),
            Some(question) => self.situation = Situation::Ask(question),
        }
        self.running.answers.extend_from_slice(&mark.answers);
        if let Some(footprint) = &mark.footprint {
            self.probes.footprint.clone_from(footprint);
        }
    }

    /// Returns to `mark` and forgets it.
    pub fn discard(&mut self, mark: Mark) {
        self.undo(&mark);
        self.forget(&mark);
    }

    /// After returning to `mark`: it is needed no more.
    pub fn forget(&mut self, mark: &Mark) {
        self.trail.set_depth(mark.depth);
    }

    #[inline]
    fn undo_entry(&mut self, undo: &Undo) {
        match *undo {
            Undo::Step {
                thread,
                index,
                registers,
                hot,
            } => self.undo_frame(thread, index, registers).hot = hot,
            Undo::Chunk {
                arena,
                index,
                chunk,
            } => {
                let saved = &mut self.trail.saved;
                self.state.memory.undo_chunk(arena, index, chunk, saved);
            }
            Undo::Frame {
                thread,
                index,
                registers,
            } => {
                self.undo_frame(thread, index, registers);
            }
            Undo::PushFrame { thread } => {
                let t = self.thread_mut(thread);
                let frame = t.frames.pop().expect("a frame");
                t.registers.truncate(frame.base as usize);
            }
            Undo::PopFrame { thread } => {
                let frame = self.trail.saved.frames.pop().expect("a saved frame");
                let template = frame.function;
                let t = self.state.threads[thread.index()]
                    .as_mut()
                    .expect("a thread that exists");
                t.frames.push(frame);
                t.registers.truncate(frame.base as usize);
                // Constants again; the rest is restored by the frame's own entry.
                t.registers
                    .extend_from_slice(&self.statics.templates[template.index()]);
            }
            Undo::HotState { thread, hot } => self.thread_mut(thread).hot = hot,
            Undo::Joined { thread, by, time } => {
                self.thread_mut(thread).state.joined = false;
                self.thread_mut(by).state.clock[thread.index()] = time;
            }
            Undo::Time {
                thread,
                index,
                time,
            } => self.thread_mut(thread).state.clock[index as usize] = time,
            Undo::Clock { thread } => {
                let clock = self.trail.saved.clocks.pop().expect("a saved clock");
                self.thread_mut(thread).state.clock = clock;
            }
            Undo::Result { thread, value } => self.thread_mut(thread).state.result = value,
            Undo::Thread { thread } => {
                let old = self.trail.saved.threads.pop().expect("a saved thread");
                self.thread_mut(thread).state = old;
            }
            Undo::Born { thread } => self.state.threads[thread.index()] = None,
            Undo::Record {
                arena,
                chunk,
                index,
            } => {
                let old = self.trail.saved.records.pop().expect("a saved record");
                self.state.records.undo(arena, chunk as usize, index, old);
            }
            memory => self.state.memory.undo(memory, &mut self.trail.saved),
        }
    }

    #[inline]
    fn undo_frame(&mut self, thread: ThreadId, index: u32, registers: u32) -> &mut Thread {
        let saved = &mut self.trail.saved;
        let start = saved.registers.len() - registers as usize;
        let t = self.state.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        let first = t.registers.len() - registers as usize;
        t.registers[first..].copy_from_slice(&saved.registers[start..]);
        saved.registers.truncate(start);
        t.frames[index as usize] = saved.frames.pop().expect("a saved frame");
        t
    }

    #[inline]
    pub(crate) fn thread_mut(&mut self, id: ThreadId) -> &mut Thread {
        self.state.threads[id.index()]
            .as_mut()
            .expect("a thread that exists")
    }

    // ----- frames of the running thread -----

    /// Saves the top frame before its first change at this depth.
    #[inline]
    pub(crate) fn save_top(&mut self) {
        let depth = self.trail.depth();
        let frame = self.running.frames.last_mut().expect("a frame");
        if frame.saved_at == depth {
            return;
        }
        let saved = &mut self.trail.saved;
        let registers = save_frame(saved, &self.program, frame, &self.running.registers, depth);
        self.trail.push(Undo::Frame {
            thread: self.now.current,
            index: self.running.frames.len() as u32 - 1,
            registers,
        });
    }

    /// The same of a thread that has not been running yet.
    pub(super) fn save_top_of(&mut self, thread: ThreadId) {
        let depth = self.trail.depth();
        let t = self.state.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        let index = t.frames.len() as u32 - 1;
        let frame = t.frames.last_mut().expect("a frame");
        if frame.saved_at != depth {
            let saved = &mut self.trail.saved;
            let registers = save_frame(saved, &self.program, frame, &t.registers, depth);
            self.trail.push(Undo::Frame {
                thread,
                index,
                registers,
            });
        }
    }

    /// Lets a thread run, which has not been running: saves what will change.
    #[inline]
    pub(super) fn begin_step(&mut self, thread: ThreadId) {
        let depth = self.trail.depth();
        let t = self.state.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        if t.hot.saved_at != depth {
            let index = t.frames.len() as u32 - 1;
            let frame = t.frames.last_mut().expect("a frame");
            if frame.saved_at == depth {
                self.trail.push(Undo::HotState { thread, hot: t.hot });
            } else {
                let saved = &mut self.trail.saved;
                let registers = save_frame(saved, &self.program, frame, &t.registers, depth);
                self.trail.push(Undo::Step {
                    thread,
                    index,
                    registers,
                    hot: t.hot,
                });
            }
            t.hot.saved_at = depth;
        }
        t.hot.status = Status::Running;
    }

    pub(crate) fn push_frame(&mut self, function: FuncId) {
        self.now.turns += 1;
        let depth = self.trail.depth();
        let base = self.running.registers.len() as u32;
        self.running
            .registers
            .extend_from_slice(&self.statics.templates[function.index()]);
        self.running.frames.push(Frame {
            function,
            pc: 0,
            base,
            progress: 0,
            carried: Value::ZERO,
            saved_at: depth,
            stack: self.state.memory.stack_mark(self.now.current.stack()),
            varargs: 0,
            leaked: false,
            place: None,
        });
        let thread = self.now.current;
        self.trail.push_if_deep(|| Undo::PushFrame { thread });
    }

    /// Whether the outermost frame is that of `main`.
    pub(crate) fn is_in_main(&self) -> bool {
        self.now.current == ThreadId::MAIN
            && self.thread_state(self.now.current).stage == Stage::Body
    }

    /// Leaves the top frame; its stack objects die. Not those of `main`: returning from it exits
    /// the process, and what other threads do with its locals from then on could have come before.
    pub(crate) fn pop_frame(&mut self) {
        let is_main = self.running.frames.len() == 1 && self.is_in_main();
        let frame = self.running.frames.pop().expect("a frame");
        if !is_main {
            self.end_objects(frame);
        }
        if self.trail.depth() > 0 {
            self.trail.saved.frames.push(frame);
            self.trail.push(Undo::PopFrame {
                thread: self.now.current,
            });
        }
        self.running.registers.truncate(frame.base as usize);
        if !self.running.frames.is_empty() {
            self.save_top();
            // Objects above it are dead and stay so: the caller must not reuse their memory either.
            self.running.frames.last_mut().expect("a caller").leaked |= frame.leaked;
        }
    }

    /// The outermost frame is over and stays where it is.
    pub(crate) fn end_stack(&mut self) {
        let frame = self.running.frames[0];
        if frame.leaked {
            self.end_objects(frame);
        }
    }

    fn end_objects(&mut self, frame: Frame) {
        let arena = self.now.current.stack();
        let now = self.state.memory.stack_mark(arena);
        if !frame.leaked {
            if now.len != frame.stack.len {
                self.check_end_above(arena, frame.stack);
                self.state
                    .memory
                    .shrink(&mut self.trail, arena, frame.stack);
            }
            return;
        }
        for index in frame.stack.objects..now.objects {
            let id = ObjectId {
                arena,
                index: index as u32,
            };
            if self.state.memory.object(id).live {
                self.check_end_of(id);
                self.state.memory.kill(&mut self.trail, id);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn note_change(&mut self) {
        self.now.changes.add(self.now.current);
        if self.mode.observed
            && self.program.uses_conditions
            && !self.thread_state(self.now.current).changed
        {
            self.thread_state_mut(self.now.current).changed = true;
        }
    }

    /// The current operation changes something that others may wait for.
    pub(crate) fn change(&mut self) {
        if self.running.visible {
            self.note_change();
        }
    }
}

/// Saves the top frame of a thread with these registers. How many of them were saved: constants
/// stay as they are.
#[inline]
fn save_frame(
    saved: &mut Saved,
    program: &Program,
    frame: &mut Frame,
    registers: &[Value],
    depth: u32,
) -> u32 {
    let constants = program.function(frame.function).registers.constants.len();
    let registers = &registers[frame.base as usize + constants..];
    saved.registers.extend_from_slice(registers);
    saved.frames.push(*frame);
    frame.saved_at = depth;
    registers.len() as u32
}
