//! Creating, joining and ending threads.

use std::rc::Rc;

use ir::modelled::Thread;
use smt::{Node, TermId};

use super::call::Called;
use super::{Next, Run, Stop, Unroller, Worklist};
use crate::graph::{EventIx, EventKind, FaultKind};
use crate::knowledge::{ThreadIx, Values};
use crate::memory;
use crate::path::{Path, Stage};

/// More threads are not for one formula.
const MOST_THREADS: usize = 512;

impl Unroller<'_> {
    pub(super) fn thread_function(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Thread,
        call: &Called,
    ) -> Run<Next> {
        match function {
            Thread::Create => self.create(work, path, call)?,
            Thread::Join => self.join(work, path, call)?,
            Thread::Detach => self.detach(work, path, call)?,
            Thread::Exit => {
                let value = call.args.first().copied();
                return self.end_thread(work, path, value);
            }
            Thread::Own => self.result_number(path, call, work.thread.handle() as u64),
            Thread::Id => self.result_number(path, call, u64::from(work.thread.0)),
            Thread::Equal => {
                let equal = self.terms.eq(call.args[0], call.args[1]);
                let equal = self.terms.zext(equal, 32);
                self.result(path, call, equal);
            }
            Thread::OnceEnter => self.once_enter(work, path, call)?,
            Thread::OnceLeave => self.once_leave(work, path, call)?,
            Thread::WaitAlone => self.wait_alone(work, path)?,
            Thread::UsesThreadLocals => {
                let uses = u64::from(path.uses_thread_locals);
                self.result_number(path, call, uses);
            }
            Thread::RegisterCancel | Thread::UnregisterCancel | Thread::UnwindNext => {
                return self.stop(path, "cleanup handlers");
            }
        }
        Ok(Next::Go)
    }

    fn create(&mut self, work: &mut Worklist, path: &mut Path, call: &Called) -> Run<()> {
        if path.atomic > 0 {
            return self.stop(path, "a thread that is created in an atomic section");
        }
        if self.spawned.len() >= MOST_THREADS {
            return self.stop(path, format!("over {MOST_THREADS} threads"));
        }
        let [out, attributes, start, argument] =
            [call.args[0], call.args[1], call.args[2], call.args[3]];
        let function = self.need(path, start, "a thread's function")?;
        let Some(function) = self.function_at.get(&function).copied() else {
            return self.fail(work.thread, path, FaultKind::Memory);
        };
        let f = &self.module.functions[function];
        if f.body.is_none() || f.variadic || f.params.len() > 1 {
            return self.stop(path, "a thread's function with other parameters");
        }
        let is_detached = match self.need(path, attributes, "attributes of a thread")? {
            0 => self.terms.bool(false),
            at => {
                let at = self.pointer(at);
                let word = self.load(work, path, at, 32, false)?;
                self.is(word, 1)
            }
        };
        let key = self.key_of(path);
        let child = self.known.child(work.thread, &key);
        let handle = self.pointer(child.handle() as u64);
        self.store(work, path, out, handle, false)?;
        self.act(path);
        self.leave_as_they_are(path);
        let event = self.event(work, path, EventKind::Create(child));
        let mut begin = Path::new(path.guard, path.contents.clone());
        begin.ended = path.ended.clone();
        let mut clock = (*path.clock).clone();
        clock.insert(work.thread, path.segment + 1);
        begin.clock = Rc::new(clock);
        path.segment += 1;
        let args = match f.params.first() {
            Some(parameter) => {
                let width = parameter.bits(self.module.pointer_bits);
                vec![self.resized(argument, width)]
            }
            None => Vec::new(),
        };
        if self.spawned.contains_key(&child) {
            return self.stop(path, "a thread that is created on several ways");
        }
        self.thread(child, Some((work.thread, event)), begin, function, args)
            .map_err(Stop::Obstacle)?;
        self.made = work.events.len();
        if self.terms.as_constant(is_detached) != Some(0) {
            let detached = self.terms.and(path.guard, is_detached);
            self.claims(child).push(detached);
        }
        self.result_number(path, call, 0);
        Ok(())
    }

    /// Conditions under which the thread was joined or detached.
    fn claims(&mut self, thread: ThreadIx) -> &mut Vec<TermId> {
        let spawned = self.spawned.get_mut(&thread);
        &mut spawned.expect("a thread that was unrolled").claims
    }

    /// The thread that a handle stands for. It may be joined or detached once.
    fn claim(&mut self, work: &Worklist, path: &mut Path, handle: TermId) -> Run<ThreadIx> {
        let mut found = Vec::new();
        self.handles_in(work.thread, handle, &mut found);
        found.sort_unstable();
        found.dedup();
        let target = match found.as_slice() {
            [] => return self.fail(work.thread, path, FaultKind::LockMisuse),
            [target] => *target,
            _ => return self.stop(path, "a join of one of several threads"),
        };
        let is_it = self.is(handle, target.handle());
        let is_other = self.terms.not(is_it);
        self.fail_if(work.thread, path, FaultKind::LockMisuse, is_other)?;
        path.guard = self.terms.and(path.guard, is_it);
        if target == work.thread {
            return Ok(target);
        }
        if !self.spawned.contains_key(&target) {
            return self.stop(path, "a join of a thread that made this one");
        }
        for claimed in self.claims(target).clone() {
            self.fail_if(work.thread, path, FaultKind::LockMisuse, claimed)?;
        }
        let guard = path.guard;
        self.claims(target).push(guard);
        Ok(target)
    }

    /// The threads whose handles a term may be. Those that are being unrolled are the thread itself
    /// and those that made it.
    fn handles_in(&mut self, own: ThreadIx, term: TermId, found: &mut Vec<ThreadIx>) {
        if let Node::Ite(_, a, b) = *self.terms.node(term) {
            self.handles_in(own, a, found);
            self.handles_in(own, b, found);
        } else if let Values::Few(all) = self.values_of(term) {
            for value in all {
                let thread = ThreadIx((value as u32).wrapping_sub(1));
                let is_one = thread == own || thread == ThreadIx::MAIN;
                if is_one || self.spawned.contains_key(&thread) {
                    found.push(thread);
                }
            }
        }
    }

    fn join(&mut self, work: &mut Worklist, path: &mut Path, call: &Called) -> Run<()> {
        if path.atomic > 0 {
            return self.stop(path, "a join in an atomic section");
        }
        let out = self.need(path, call.args[1], "an address")?;
        let target = self.claim(work, path, call.args[0])?;
        if target == work.thread {
            // EDEADLK
            self.result_number(path, call, 35);
            return Ok(());
        }
        self.act(path);
        self.leave_as_they_are(path);
        let event = self.event(work, path, EventKind::Join(target));
        self.note_other_ways(work, event);
        let last = self.spawned[&target].last;
        let over = self.graph.events[last].executed;
        self.hold_up(path, event, over);
        let Some(end) = self.spawned[&target].end.clone() else {
            // It never ends, as far as is known.
            return Err(Stop::Dead);
        };
        if out != 0 {
            let out = self.pointer(out);
            let result = end.result;
            self.meet(path, target, &end);
            self.store(work, path, out, result, false)?;
        } else {
            self.meet(path, target, &end);
        }
        self.result_number(path, call, 0);
        Ok(())
    }

    /// Whatever the thread does later it does after the event only if no path leads past it: none
    /// that is to be followed yet, and none that has come to the thread's end.
    pub(super) fn note_other_ways(&mut self, work: &Worklist, event: EventIx) {
        if !work.paths.is_empty() || !work.ends.is_empty() {
            self.graph.skippable.insert(event);
        }
    }

    /// What the other thread did is over.
    fn meet(&mut self, path: &mut Path, thread: ThreadIx, end: &Path) {
        let begin = self.spawned[&thread].begin.clone();
        // What the thread did not write may have been written meanwhile.
        for (at, bytes) in memory::changed_cells(self.terms, &self.objects, &begin, &end.contents) {
            let value = memory::read(self.terms, &self.objects, &end.contents, at, bytes);
            memory::write(self.terms, &mut path.contents, at, value);
        }
        for (base, ended) in &end.ended {
            path.ended.insert(*base, *ended);
        }
        let clock = Rc::make_mut(&mut path.clock);
        for (other, over) in end.clock.iter() {
            let known = clock.entry(*other).or_insert(0);
            *known = (*known).max(*over);
        }
        clock.insert(thread, u32::MAX);
        path.segment += 1;
    }

    fn detach(&mut self, work: &mut Worklist, path: &mut Path, call: &Called) -> Run<()> {
        let target = self.claim(work, path, call.args[0])?;
        if target == work.thread {
            return self.stop(path, "a thread that detaches itself");
        }
        self.result_number(path, call, 0);
        Ok(())
    }

    /// Leaves every frame.
    fn end_thread(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        value: Option<TermId>,
    ) -> Run<Next> {
        if path.atomic > 0 {
            return self.stop(path, "a thread that ends in an atomic section");
        }
        if work.thread == ThreadIx::MAIN {
            let Some(last) = self.module.function_named("__sleave_main_exited") else {
                return self.stop(path, "the end of main");
            };
            self.enter(path, last, &[])?;
            return Ok(Next::Jumped);
        }
        while path.frames.len() > 1 {
            self.end_frame(work, path)?;
        }
        self.end_frame(work, path)?;
        path.result = match value {
            Some(value) => self.resized(value, self.module.pointer_bits),
            None => self.pointer(0),
        };
        let end = self.module.function_named("__sleave_end_thread");
        if let Some(end) = end.filter(|_| path.uses_thread_locals) {
            path.stage = Stage::End;
            self.enter(path, end, &[])?;
            return Ok(Next::Jumped);
        }
        self.finish_thread(work, path)?;
        Err(Stop::Dead)
    }

    fn wait_alone(&mut self, work: &mut Worklist, path: &mut Path) -> Run<()> {
        self.leave_as_they_are(path);
        let event = self.event(work, path, EventKind::WaitAlone);
        self.note_other_ways(work, event);
        let mut all = self.terms.bool(true);
        let threads: Vec<_> = (self.graph.threads.iter())
            .map(|thread| (thread.parent, thread.last))
            .collect();
        for (parent, last) in threads {
            let Some((_, create)) = parent else { continue };
            let made = self.graph.events[create].executed;
            let over = self.graph.events[last].executed;
            let done = self.terms.implies(made, over);
            all = self.terms.and(all, done);
        }
        self.hold_up(path, event, all);
        Ok(())
    }
}
