//! The heap, and new objects on the stack.

use ir::modelled::Heap;
use smt::TermId;

use super::call::Called;
use super::{Next, Run, Unroller, Worklist};
use crate::graph::{EventKind, FaultKind};
use crate::knowledge::Values;
use crate::memory::{Initial, Object, ObjectKind};
use crate::path::Path;

/// Larger objects are not for a formula.
const LARGEST: u64 = 1 << 24;

impl Unroller<'_> {
    /// A new object. Its address depends on nothing but the location; `number` tells objects of one
    /// location apart.
    pub(super) fn allocate(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        (size, align): (u64, u64),
        kind: ObjectKind,
        initial: Initial,
        number: u32,
    ) -> Run<u64> {
        if size > LARGEST {
            return self.stop(path, "an object of many megabytes");
        }
        let key = self.key_id(path);
        let Some(base) = self.known.object((work.thread, key, number), size, align) else {
            return self.stop(path, "more objects than have room");
        };
        let object = Object {
            size,
            kind,
            readonly: false,
            initial,
        };
        if self.known.made.insert(base, object.clone()).is_none() {
            self.grew = true;
        }
        self.objects.insert(base, object);
        if kind == ObjectKind::Stack {
            self.known.owners.insert(base, work.thread);
            let frame = path.frame_mut();
            std::rc::Rc::make_mut(&mut frame.locals).push(base);
        }
        Ok(base)
    }

    pub(super) fn heap(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Heap,
        call: &Called,
    ) -> Run<Next> {
        match function {
            Heap::Malloc | Heap::New => {
                let size = self.need(path, call.args[0], "the size of an object")?;
                self.give(work, path, call, size, Initial::Undefined)
            }
            Heap::Calloc => {
                let count = self.need(path, call.args[0], "the size of an object")?;
                let size = self.need(path, call.args[1], "the size of an object")?;
                match count.checked_mul(size) {
                    Some(size) => self.give(work, path, call, size, Initial::Zero),
                    None => self.stop(path, "an object too large"),
                }
            }
            Heap::Free => self.free(work, path, call.args[0]),
            _ => self.stop(path, format!("what {} does", call.name)),
        }
    }

    fn give(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
        size: u64,
        initial: Initial,
    ) -> Run<Next> {
        let may_fail = self.options.malloc_may_fail
            && call.name != "__sleave_malloc"
            && (!call.name.starts_with("_Z") || call.name.contains("nothrow"));
        if may_fail {
            return self.stop(path, "an allocation that may fail");
        }
        self.act(path);
        let base = self.allocate(work, path, (size, 16), ObjectKind::Heap, initial, 0)?;
        self.result_number(path, call, base);
        Ok(Next::Go)
    }

    fn free(&mut self, work: &mut Worklist, path: &mut Path, pointer: TermId) -> Run<Next> {
        let candidates: Vec<u64> = match (self.number(pointer), self.values_of(pointer)) {
            (Some(0), _) => return Ok(Next::Go),
            (Some(address), _) => vec![address],
            (None, Values::Few(all)) => all.into_iter().collect(),
            (None, Values::Any) => return self.stop(path, "a free of a pointer to anything"),
        };
        self.act(path);
        let is_heap = |this: &Self, at: u64| {
            let object = this.objects.get(at);
            object.is_some_and(|o| o.kind == ObjectKind::Heap)
        };
        let valid: Vec<u64> = (candidates.into_iter())
            .filter(|at| is_heap(self, *at))
            .collect();
        let mut known = self.is(pointer, 0);
        for at in &valid {
            let is_it = self.is(pointer, u128::from(*at));
            known = self.terms.or(known, is_it);
        }
        let wrong = self.terms.not(known);
        self.fail_if(work.thread, path, FaultKind::Memory, wrong)?;
        self.begin_event(work, path, EventKind::Access);
        self.accesses_plainly = true;
        for at in valid {
            let is_it = self.is(pointer, u128::from(at));
            self.end_object(work, path, at, is_it, true)?;
        }
        self.end_event(path);
        Ok(Next::Go)
    }
}
