//! Terminators: jumps, with the moves of registers that they make and the loops whose rounds they
//! begin.

use ir::{BlockId, Target, Terminator, ValueId};

use super::bases::Base;
use super::compile::{Compiler, push};
use super::{Code, Edge, Pad, Round, RoundKind, Slot, Switch};

impl Compiler<'_> {
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
                let switch = Switch {
                    value: value.0,
                    bits: self.bits(*value),
                    cases,
                    default,
                };
                Code::Switch {
                    switch: push(&mut self.f.switches, switch),
                }
            }
            Terminator::IndirectBr { addr, .. } => Code::IndirectBr { addr: addr.0 },
            Terminator::Ret(values) => {
                let values = values.iter().map(|v| v.0).collect();
                Code::Ret {
                    values: push(&mut self.f.returns, values),
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
                let pad = Pad {
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
                };
                Code::Invoke {
                    call,
                    normal,
                    pad: push(&mut self.f.pads, pad),
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

    /// The parameters of the block get these values, and their shadows what the values were
    /// computed from.
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

    /// Orders simultaneous moves so that none overwrites a source still needed; cycles go through a
    /// spare register.
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
