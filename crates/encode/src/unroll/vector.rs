//! One test vector (P3, section 2): each input is what it says, by the thread that asks and how
//! often it has asked before.

use rustc_hash::FxHashMap;
use smt::TermId;

use super::{Obstacle, Unroller, obstacle};
use crate::graph::EventKind;
use crate::knowledge::ThreadIx;

/// Values for inputs. Those that are not listed are zero.
#[derive(Clone, Debug, Default)]
pub struct TestVector {
    pub given: Vec<GivenInput>,
}

#[derive(Clone, Debug)]
pub struct GivenInput {
    /// The thread: which one of its parent's, and so on down from `main`.
    pub thread: Vec<u32>,
    /// So many inputs it has asked for before.
    pub index: u32,
    pub name: String,
    pub value: u128,
}

/// A thread asks for fewer inputs than this.
const MOST_INPUTS: usize = 1 << 15;
const COUNT_BITS: u32 = 16;

impl Unroller<'_> {
    /// Every input has its value in every execution.
    pub(super) fn fix_inputs(&mut self, vector: &TestVector) -> Result<(), Obstacle> {
        let mut asked: FxHashMap<ThreadIx, (usize, TermId)> = FxHashMap::default();
        let none = self.terms.constant(COUNT_BITS, 0);
        for input in self.graph.inputs.clone() {
            let loc = ir::debug::LocId(0);
            let Some(thread) = self.creations_of(input.thread) else {
                let why =
                    "given inputs of a thread that is not always the same one of its parent's";
                return Err(obstacle(loc, why));
            };
            let (number, before) = asked.entry(input.thread).or_insert((0, none));
            *number += 1;
            if *number > MOST_INPUTS {
                return Err(obstacle(loc, "so many given inputs"));
            }
            let count = *before;
            let width = self.terms.width(input.term);
            let mut value = self.terms.constant(width, 0);
            let own = vector.given.iter();
            for given in own.filter(|g| g.thread == thread && g.name == input.name) {
                let is_it = self.is(count, u128::from(given.index));
                let given = self.terms.constant(width, given.value);
                value = self.terms.ite(is_it, given, value);
            }
            let equal = self.terms.eq(input.term, value);
            let required = self.terms.implies(input.cond, equal);
            self.graph.required.push(required);
            let one_more = self.terms.zext(input.cond, COUNT_BITS);
            let (_, before) = asked.get_mut(&input.thread).expect("a thread that asks");
            *before = self.terms.bin(smt::BinOp::Add, count, one_more);
        }
        Ok(())
    }

    /// Which thread of its parent's it is, and so on down from `main`. `None`: that is not fixed.
    fn creations_of(&self, thread: ThreadIx) -> Option<Vec<u32>> {
        let of = |thread| self.graph.threads.iter().find(|t| t.thread == thread);
        let mut path = Vec::new();
        let mut thread = of(thread)?;
        while let Some((parent, creation)) = thread.parent {
            let parent = of(parent)?;
            let mut index = 0;
            for event in parent.events.iter().take_while(|event| **event != creation) {
                let e = &self.graph.events[*event];
                if matches!(e.kind, EventKind::Create(_)) {
                    if !self.is_before_whenever(e.executed, self.graph.events[creation].executed) {
                        return None;
                    }
                    index += 1;
                }
            }
            path.insert(0, index);
            thread = parent;
        }
        Some(path)
    }

    /// Whether one condition is a part of the other.
    fn is_before_whenever(&self, cond: TermId, other: TermId) -> bool {
        let mut work = vec![other];
        while let Some(next) = work.pop() {
            if next == cond || self.terms.as_constant(cond) == Some(1) {
                return true;
            }
            if let smt::Node::Bin(smt::BinOp::And, a, b) = *self.terms.node(next) {
                work.extend([a, b]);
            }
        }
        false
    }
}
