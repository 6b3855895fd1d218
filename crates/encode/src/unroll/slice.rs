//! What nothing depends on is left out (P4): accesses outside the slice whose addresses are plain to
//! see, and branches on what they find.
//!
//! The slice rests on facts about pointers that might be wrong. So it is checked here: what is
//! written by an access that is left out must be read by none that is not. If it is, the slice
//! counts for nothing, and unrolling starts over without it. That the addresses are plain to see
//! (an object, and a place in it) makes the check complete: accesses through pointers that were
//! loaded from memory are never left out.

use ir::{BlockId, FuncId, Target};
use smt::{CmpOp, TermId};

use super::{Run, Unroller, Worklist};
use crate::graph::FaultKind;
use crate::path::Path;

/// Whether something is so of an instruction or terminator.
type Says<'s> = &'s dyn Fn(FuncId, BlockId, u32) -> bool;

/// What nothing that is asked for depends on.
pub struct Outside<'s> {
    /// An instruction: what it does.
    pub outside: Says<'s>,
    /// A branch: which way it goes.
    pub dont_care_branch: Says<'s>,
}

#[derive(Default)]
pub(super) struct Slice {
    /// What is written by accesses that are left out.
    loose: Vec<(u64, u64)>,
    /// What is read by others.
    pub read: rustc_hash::FxHashSet<(u64, u64)>,
}

impl Unroller<'_> {
    /// Whether nothing depends on what stands here.
    pub(super) fn is_outside(&self, path: &Path) -> bool {
        self.says_slice(path, |slice| slice.outside)
    }

    /// Whether nothing depends on which way the branch here goes.
    pub(super) fn is_dont_care(&self, path: &Path) -> bool {
        self.says_slice(path, |slice| slice.dont_care_branch)
    }

    fn says_slice<'s>(&'s self, path: &Path, of: impl Fn(&'s Outside<'s>) -> Says<'s>) -> bool {
        let frame = path.frame();
        let slice = self.options.outside.as_ref();
        !self.known.slice_is_refuted
            && slice.is_some_and(|slice| of(slice)(frame.function, frame.block, frame.inst))
    }

    /// If the access can be left out: the object that it is to. That it stays in there is checked.
    pub(super) fn left_out(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        ptr: TermId,
        bytes: u64,
    ) -> Run<Option<(u64, u64)>> {
        if !self.is_outside(path) {
            return Ok(None);
        }
        let bases = self.provenance_of(ptr).unwrap_or_default();
        let [base] = bases[..] else {
            return Ok(None);
        };
        let Some(object) = self.objects.get(base) else {
            return Ok(None);
        };
        let end = base + object.size;
        if bytes > object.size {
            return Ok(None);
        }
        let width = self.terms.width(ptr);
        let first = self.constant(width, base);
        let last = self.constant(width, end - bytes);
        let before = self.terms.cmp(CmpOp::Ult, ptr, first);
        let after = self.terms.cmp(CmpOp::Ugt, ptr, last);
        let wrong = self.terms.or(before, after);
        self.fail_if(work.thread, path, FaultKind::Memory, wrong)?;
        Ok(Some(match self.number(ptr) {
            Some(at) => (at, at + bytes),
            None => (base, end),
        }))
    }

    /// Any value: nothing depends on it.
    pub(super) fn irrelevant(&mut self, work: &Worklist, path: &Path, width: u32) -> TermId {
        let key = self.key_id(path);
        let name = format!("irrelevant of {}@{}", work.thread, key.0);
        self.terms.input(&name, width)
    }

    pub(super) fn write_loosely(&mut self, range: (u64, u64)) {
        self.slice.loose.push(range);
    }

    /// Of a branch on which nothing depends, one way is enough: one that was taken, if any was.
    pub(super) fn either_way<'t>(
        &mut self,
        work: &Worklist,
        path: &Path,
        then: &'t Target,
        other: &'t Target,
    ) -> &'t Target {
        let mut path = path.clone();
        let shape = self.shapes[&path.frame().function].clone();
        let frame = path.frame_mut();
        shape.jump(&mut frame.rounds, frame.block, then.block);
        frame.block = then.block;
        frame.inst = 0;
        let key = self.key_of(&path);
        match self.known.is_visited(work.thread, &key) {
            true => then,
            false => other,
        }
    }

    /// Whether something that is left out matters after all.
    pub(super) fn check_slice(&mut self) {
        let mut loose = std::mem::take(&mut self.slice.loose);
        if loose.is_empty() || self.known.slice_is_refuted {
            return;
        }
        loose.sort_unstable();
        loose.dedup();
        let overlaps =
            |(from, to): &(u64, u64)| loose.iter().any(|(start, end)| start < to && from < end);
        if self.slice.read.iter().any(overlaps) {
            self.known.slice_is_refuted = true;
            self.grew = true;
        }
    }
}
