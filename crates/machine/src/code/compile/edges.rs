//! Terminators, and the edges that they follow from block to block.

use ir::{BlockId, Target, Terminator, ValueId};

use super::super::bases::Base;
use super::super::{Code, Edge, Pad, Round, RoundKind, Slot, Switch};
use super::Compiler;

impl Compiler<'_> {
    /// Whether the terminator only leads to the next block.
    pub(super) fn falls_through(&self, block: BlockId, terminator: &Terminator) -> bool {
        let Terminator::Br(target) = terminator else {
            return false;
        };
        target.block.index() == block.index() + 1
            && target.args.is_empty()
            && !self.loops.is_head(target.block)
    }

    /// Replaces the block numbers in edges by the places of the blocks, which are known at last.
    pub(super) fn resolve_jumps(&mut self) {
        let starts = self.f.block_starts.clone();
        let fix = |edge: &mut Edge| edge.pc = starts[edge.pc as usize];
        for code in &mut self.f.code {
            match code {
                Code::Jump(edge) | Code::Invoke { normal: edge, .. } => fix(edge),
                Code::CondBr { then, other, .. } => {
                    fix(then);
                    fix(other);
                }
                _ => {}
            }
        }
        for switch in &mut self.f.switches {
            switch.cases.iter_mut().for_each(|(_, edge)| fix(edge));
            fix(&mut switch.default);
        }
        self.f.pads.iter_mut().for_each(|pad| fix(&mut pad.edge));
    }

    pub(super) fn terminator(&mut self, from: BlockId, terminator: &Terminator) -> Code {
        match terminator {
            Terminator::Br(target) => Code::Jump(self.edge(from, target)),
            Terminator::CondBr { cond, then, other } => Code::CondBr {
                cond: cond.0,
                then: self.edge(from, then),
                other: self.edge(from, other),
            },
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let cases = cases
                    .iter()
                    .map(|(case, target)| (*case, self.edge(from, target)))
                    .collect();
                let default = self.edge(from, default);
                self.f.switches.push(Switch {
                    value: value.0,
                    bits: self.bits(*value),
                    cases,
                    default,
                });
                Code::Switch {
                    switch: self.f.switches.len() as u32 - 1,
                }
            }
            Terminator::IndirectBr { addr, .. } => Code::IndirectBr { addr: addr.0 },
            Terminator::Ret(values) => {
                self.f.returns.push(values.iter().map(|v| v.0).collect());
                Code::Ret {
                    values: self.f.returns.len() as u32 - 1,
                }
            }
            Terminator::Invoke {
                call,
                normal,
                unwind,
            } => {
                let call = self.call(call);
                let normal = self.edge(from, normal);
                let block = &self.body.blocks[unwind.block];
                let values = block.params[2..].iter().zip(&unwind.args);
                let edge = self.edge_with(from, unwind.block, values);
                self.f.pads.push(Pad {
                    edge,
                    exception: block.params[0].0,
                    selector: block.params[1].0,
                    cleanup: unwind.cleanup,
                    catches: unwind.catches.iter().map(|v| v.0).collect(),
                    filters: unwind
                        .filters
                        .iter()
                        .map(|filter| filter.iter().map(|v| v.0).collect())
                        .collect(),
                });
                Code::Invoke {
                    call,
                    normal,
                    pad: self.f.pads.len() as u32 - 1,
                }
            }
            Terminator::Resume {
                exception,
                selector,
            } => Code::Resume {
                exception: exception.0,
                selector: selector.0,
            },
            Terminator::Unreachable => Code::Unreachable,
        }
    }

    fn edge(&mut self, from: BlockId, target: &Target) -> Edge {
        let params = &self.body.blocks[target.block].params;
        self.edge_with(from, target.block, params.iter().zip(&target.args))
    }

    pub(super) fn slot_of_base(&self, base: Base) -> Slot {
        match base {
            Base::Value(value) => value.0,
            Base::ShadowOf(param) => self.shadows[&param],
        }
    }

    /// The edge to `to`, on which parameters get values: `values` are pairs of both. The shadow of a
    /// parameter gets the pointer that the value was computed from.
    fn edge_with<'v>(
        &mut self,
        from: BlockId,
        to: BlockId,
        values: impl Iterator<Item = (&'v ValueId, &'v ValueId)>,
    ) -> Edge {
        let mut pairs = Vec::new();
        for (param, value) in values {
            pairs.push((param.0, value.0));
            if let Some(shadow) = self.shadows.get(param) {
                pairs.push((*shadow, self.slot_of_base(self.bases.base(*value))));
            }
        }
        let moves = self.sequence(pairs);
        let round = self.loops.is_head(to).then(|| {
            let kind = if !self.loops.is_back(from, to) {
                RoundKind::Entry
            } else if self.loops.dominates(to, from) {
                RoundKind::Back
            } else {
                RoundKind::Odd
            };
            Round::new(kind, self.counters[to.index()])
        });
        let moves = if moves.is_empty() {
            0
        } else {
            self.f.moves.push(moves);
            self.f.moves.len() as u32
        };
        Edge {
            pc: to.0,
            moves,
            round,
        }
    }

    /// Puts simultaneous moves in an order in which none overwrites a source that is still needed. A
    /// cycle of moves goes through a spare register.
    fn sequence(&mut self, mut pairs: Vec<(Slot, Slot)>) -> Vec<(Slot, Slot)> {
        pairs.retain(|(dst, src)| dst != src);
        let mut ordered = Vec::new();
        while !pairs.is_empty() {
            let free = pairs
                .iter()
                .position(|(dst, _)| pairs.iter().all(|(_, src)| src != dst));
            match free {
                Some(i) => ordered.push(pairs.remove(i)),
                None => {
                    let spare = self.next_slot;
                    self.next_slot += 1;
                    let blocked = pairs[0].1;
                    ordered.push((spare, blocked));
                    for pair in &mut pairs {
                        if pair.1 == blocked {
                            pair.1 = spare;
                        }
                    }
                }
            }
        }
        ordered
    }
}
