//! The order as numbers: every event has a clock, a bit-vector, and stands where its clock says.
//!
//! The plain encoding, for comparison: every rule is a clause over comparisons of clocks. Events that
//! no rule compares may have equal clocks, which is any order between them.

use super::fixed::FixedOrder;
use super::{EventId, Order, Pairs, Read, Write};
use crate::backend::bits::circuits::{self, Bits};
use crate::backend::bits::gates::{Gates, Lit};
use crate::backend::bits::sat::SatSolver;
use crate::node::CmpOp;

/// As many events have distinct clocks.
const WIDTH: u32 = 16;

#[derive(Default)]
pub struct Clocks {
    clocks: Vec<Bits>,
    pairs: Pairs,
    reads: Vec<Read>,
    writes: Vec<Write>,
}

impl Clocks {
    /// While the read holds and the write is made, the write is before the source or after the reader.
    fn not_between(&mut self, gates: &mut Gates, fixed: &FixedOrder, read: Read, write: Write) {
        if read.atom != write.atom || write.event == read.source || write.event == read.reader {
            return;
        }
        let before = self.before(gates, fixed, write.event, read.source);
        let after = self.before(gates, fixed, read.reader, write.event);
        gates.clause(&[!read.lit, !write.lit, before, after]);
    }

    fn less(&self, gates: &mut Gates, a: EventId, b: EventId) -> Lit {
        let (a, b) = (&self.clocks[a.index()], &self.clocks[b.index()]);
        circuits::cmp(gates, CmpOp::Ult, a, b)
    }
}

impl Order for Clocks {
    fn event(&mut self, gates: &mut Gates, event: EventId) {
        assert!(event.index() < 1 << WIDTH, "more events than clocks");
        self.clocks
            .push((0..WIDTH).map(|_| gates.fresh()).collect());
    }

    fn always_before(&mut self, gates: &mut Gates, a: EventId, b: EventId) {
        let less = self.less(gates, a, b);
        gates.clause(&[less]);
    }

    fn before(&mut self, gates: &mut Gates, fixed: &FixedOrder, a: EventId, b: EventId) -> Lit {
        if let Some(known) = self.pairs.get(fixed, a, b) {
            return known;
        }
        let less = self.less(gates, a, b);
        let greater = self.less(gates, b, a);
        gates.clause(&[less, greater]);
        self.pairs.insert(a, b, less);
        less
    }

    fn reads_from(&mut self, gates: &mut Gates, fixed: &FixedOrder, read: Read) {
        let before = self.before(gates, fixed, read.source, read.reader);
        gates.clause(&[!read.lit, before]);
        for at in 0..self.writes.len() {
            self.not_between(gates, fixed, read, self.writes[at]);
        }
        self.reads.push(read);
    }

    fn writes(&mut self, gates: &mut Gates, fixed: &FixedOrder, write: Write) {
        for at in 0..self.reads.len() {
            self.not_between(gates, fixed, self.reads[at], write);
        }
        self.writes.push(write);
    }

    fn prepare(&mut self, _sat: &mut SatSolver, _gates: &mut Gates, _fixed: &FixedOrder) {}

    fn order(&mut self, sat: &mut SatSolver, fixed: &FixedOrder) -> Vec<EventId> {
        let mut events: Vec<EventId> = (0..fixed.events()).map(EventId::from).collect();
        events.sort_by_cached_key(|event| {
            let bits = self.clocks[event.index()].iter().enumerate();
            bits.fold(0u32, |value, (at, &bit)| {
                value | (sat.value(bit) as u32) << at
            })
        });
        events
    }

    fn lemmas(&self) -> u64 {
        0
    }
}
