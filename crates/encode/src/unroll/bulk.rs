//! Copying and filling memory. Where others may see it, each word is an event of its own, as in the
//! machine (`machine::bulk`): neither `memcpy` nor an assignment of structures is atomic.

use smt::{Node, TermId};

use super::address::Targets;
use super::{Next, Run, Unroller, Worklist};
use crate::graph::EventKind;
use crate::memory::{self, UNDEFINED};
use crate::path::Path;

/// Longer copies of shared memory are too many events.
const LONGEST: u64 = 1 << 14;

/// What is copied or filled, piece by piece.
struct Bulk<'t> {
    to: &'t Targets,
    from: Option<&'t Targets>,
    bytes: u64,
    backwards: bool,
}

/// A step of that: how much comes before, where it begins, and how long it is.
#[derive(Clone, Copy)]
struct Piece {
    done: u64,
    offset: u64,
    size: u64,
}

impl Unroller<'_> {
    /// `memmove`; `memcpy` is the same where it is defined.
    pub(super) fn copy(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        [to, from, bytes]: [TermId; 3],
    ) -> Run<Next> {
        let bytes = self.need(path, bytes, "a number of bytes")?;
        if bytes == 0 {
            return Ok(Next::Go);
        }
        let from = self.resolve(work, path, from, bytes, false)?;
        let to = self.resolve(work, path, to, bytes, true)?;
        if !self.is_seen_at_all(path, &[&to, &from], bytes)
            && let ([(to, _)], [(from, _)]) = (to.all.as_slice(), from.all.as_slice())
        {
            self.visit(work, path, *from)?;
            self.visit(work, path, *to)?;
            self.copy_unseen(work, path, *to, *from, bytes);
            return Ok(Next::Go);
        }
        let mut overlaps = (to.all.iter())
            .flat_map(|(to, _)| from.all.iter().map(move |(from, _)| (*to, *from)))
            .map(|(to, from)| to > from && to < from + bytes);
        let backwards = overlaps.next().unwrap_or(false);
        if overlaps.any(|other| other != backwards) {
            return self.stop(path, "a copy between places that may overlap");
        }
        let bulk = Bulk {
            to: &to,
            from: Some(&from),
            bytes,
            backwards,
        };
        self.check_length(path, bytes)?;
        for piece in bulk.pieces() {
            let here = from.shifted(piece.offset);
            let there = to.shifted(piece.offset);
            let is_event = self.is_event(path, &here, piece.size);
            self.begin_piece(work, path, is_event, 2 * piece.done + 1);
            let value = self.read_targets(work, path, &here, piece.size)?;
            self.end_piece(path, is_event);
            let is_event = self.is_event(path, &there, piece.size);
            self.begin_piece(work, path, is_event, 2 * piece.done + 2);
            // What is copied must be there to the end, as the machine has it.
            for (address, cond) in here.all.iter().filter(|_| is_event) {
                self.check_alive(work, path, *address, *cond)?;
            }
            self.write_targets(work, path, &there, value)?;
            self.end_piece(path, is_event);
        }
        Ok(Next::Go)
    }

    pub(super) fn fill(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        [to, byte, bytes]: [TermId; 3],
    ) -> Run<Next> {
        let bytes = self.need(path, bytes, "a number of bytes")?;
        if bytes == 0 {
            return Ok(Next::Go);
        }
        let to = self.resolve(work, path, to, bytes, true)?;
        let byte = self.terms.extract(byte, 0, 8);
        if !self.is_seen_at_all(path, &[&to], bytes)
            && let [(to, _)] = to.all.as_slice()
        {
            self.visit(work, path, *to)?;
            self.touch(work, path, (*to, bytes), true);
            for at in *to..to + bytes {
                memory::write(self.terms, &mut path.contents, at, byte);
            }
            return Ok(Next::Go);
        }
        let bulk = Bulk {
            to: &to,
            from: None,
            bytes,
            backwards: false,
        };
        self.check_length(path, bytes)?;
        for piece in bulk.pieces() {
            let there = to.shifted(piece.offset);
            let mut value = byte;
            for _ in 1..piece.size {
                value = self.terms.concat(value, byte);
            }
            let is_event = self.is_event(path, &there, piece.size);
            self.begin_piece(work, path, is_event, 2 * piece.done + 1);
            self.write_targets(work, path, &there, value)?;
            self.end_piece(path, is_event);
        }
        Ok(Next::Go)
    }

    fn is_seen_at_all(&mut self, path: &Path, all: &[&Targets], bytes: u64) -> bool {
        all.iter()
            .any(|targets| self.is_event(path, targets, bytes))
            || all.iter().any(|targets| {
                let mut places = targets.all.iter();
                places.any(|(at, _)| self.is_contended(*at, bytes))
            })
    }

    fn check_length(&mut self, path: &Path, bytes: u64) -> Run<()> {
        match bytes > LONGEST {
            true => self.stop(path, "a copy of much memory that threads share"),
            false => Ok(()),
        }
    }

    /// An object is accessed that others may end, but not now.
    fn visit(&mut self, work: &Worklist, path: &mut Path, address: u64) -> Run<()> {
        self.note_visitor(work, address);
        let yes = self.terms.bool(true);
        self.check_alive(work, path, address, yes)
    }

    fn begin_piece(&mut self, work: &mut Worklist, path: &mut Path, is_event: bool, part: u64) {
        if is_event {
            path.frame_mut().part = part as u32;
            self.begin_event(work, path, EventKind::Access);
            self.accesses_plainly = true;
        }
    }

    fn end_piece(&mut self, path: &mut Path, is_event: bool) {
        if is_event {
            self.end_event(path);
            path.frame_mut().part = 0;
        }
    }

    /// What no other thread accesses meanwhile.
    fn copy_unseen(&mut self, work: &Worklist, path: &mut Path, to: u64, from: u64, bytes: u64) {
        self.touch(work, path, (from, bytes), false);
        self.touch(work, path, (to, bytes), true);
        let mut values = Vec::new();
        let mut at = 0;
        while at < bytes {
            let known = path.contents.get(&(from + at)).map(|p| u64::from(p.bytes));
            let size = known.filter(|size| *size <= bytes - at).unwrap_or(1);
            let value = memory::read(
                self.terms,
                &self.objects,
                &path.contents,
                from + at,
                size as u32,
            );
            values.push((to + at, value));
            at += size;
        }
        let key = self.key_id(path);
        for (at, value) in values {
            // A copy of a byte that was never written is some other one.
            let value = match *self.terms.node(value) {
                Node::Input(input) if self.terms.input_name(input).starts_with(UNDEFINED) => {
                    let name = format!("{UNDEFINED}{at:x} of {}@{}", work.thread, key.0);
                    self.terms.input(&name, self.terms.width(value))
                }
                _ => value,
            };
            memory::write(self.terms, &mut path.contents, at, value);
        }
    }
}

impl Bulk<'_> {
    /// In the order in which they are done.
    fn pieces(&self) -> Vec<Piece> {
        let mut all = Vec::new();
        let mut done = 0;
        while done < self.bytes {
            let size = self.size_after(done);
            let offset = match self.backwards {
                true => self.bytes - done - size,
                false => done,
            };
            all.push(Piece { done, offset, size });
            done += size;
        }
        all
    }

    /// The largest aligned word that fits, wherever it goes.
    fn size_after(&self, done: u64) -> u64 {
        let offset = match self.backwards {
            true => self.bytes - done,
            false => done,
        };
        let places = self.to.all.iter();
        let places = places.chain(self.from.iter().flat_map(|from| &from.all));
        let fits = |size: &u64| *size <= self.bytes - done;
        let is_aligned = |size: &u64| {
            let mut places = places.clone();
            places.all(|(at, _)| (at + offset).is_multiple_of(*size))
        };
        let mut sizes = [8, 4, 2].into_iter();
        sizes
            .find(|size| fits(size) && is_aligned(size))
            .unwrap_or(1)
    }
}
