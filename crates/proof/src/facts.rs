//! What the formula says about events. It is only ever added to.

use rustc_hash::FxHashSet;

use crate::assignment::Lit;
use crate::fixed::FixedOrder;
use crate::reason::Reason;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Event(pub u32);

/// What is read and written: a place in memory, or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Atom(pub u64);

/// While `lit`, `before` is before `after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Edge {
    pub lit: Lit,
    pub before: Event,
    pub after: Event,
}

/// While `lit`, `reader` reads `atom` from `writer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reads {
    pub lit: Lit,
    pub writer: Event,
    pub reader: Event,
    pub atom: Atom,
}

/// While `lit`, `writer` writes `atom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Writes {
    pub lit: Lit,
    pub writer: Event,
    pub atom: Atom,
}

#[derive(Debug, Default)]
pub(crate) struct Facts {
    fixed: FixedOrder,
    edges: FxHashSet<Edge>,
    reads: FxHashSet<Reads>,
    writes: FxHashSet<Writes>,
}

impl Facts {
    pub(crate) fn add_event(&mut self, event: Event) -> Result<(), Reason> {
        self.fixed.add_event(event)
    }

    pub(crate) fn add_fixed(&mut self, before: Event, after: Event) -> Result<(), Reason> {
        self.fixed.add(before, after)
    }

    pub(crate) fn add_edge(&mut self, edge: Edge) -> Result<(), Reason> {
        self.fixed.expect(edge.before)?;
        self.fixed.expect(edge.after)?;
        self.edges.insert(edge);
        Ok(())
    }

    pub(crate) fn add_reads(&mut self, reads: Reads) -> Result<(), Reason> {
        self.fixed.expect(reads.writer)?;
        self.fixed.expect(reads.reader)?;
        self.reads.insert(reads);
        Ok(())
    }

    pub(crate) fn add_writes(&mut self, writes: Writes) -> Result<(), Reason> {
        self.fixed.expect(writes.writer)?;
        self.writes.insert(writes);
        Ok(())
    }

    /// Whether `p` lines alone put one before the other.
    pub(crate) fn is_fixed(&mut self, before: Event, after: Event) -> bool {
        self.fixed.is_before(before, after)
    }

    pub(crate) fn has_edge(&self, edge: &Edge) -> bool {
        self.edges.contains(edge)
    }

    pub(crate) fn has_reads(&self, reads: &Reads) -> bool {
        self.reads.contains(reads)
    }

    pub(crate) fn has_writes(&self, writes: &Writes) -> bool {
        self.writes.contains(writes)
    }
}
