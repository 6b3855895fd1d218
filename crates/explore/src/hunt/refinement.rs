//! The refinement of traces (P2, section 6, Figure 5): where a thread cannot take the side of a
//! branch that its trace wants, a way is added to a definition of what the branch has read, by any
//! thread.
//!
//! What the branch has read is found by going backwards through what its thread has executed
//! (`machine`'s weakest preconditions): its condition then is one on cells of memory. Definitions
//! are all writes that may be to what was read, by points-to facts. Each is tried on the condition:
//! would it make the branch go the other way, alone or after so many times (a counter that must
//! reach 20), does it bring it nearer, or may it? Those that do not help are left out. So is a
//! definition that several others would have to join: once it is added, and the branch is missed
//! again, the others are found in the same way.

use analysis::abstraction::{Change, Condition, Definition, Ground, condition_at};
use analysis::{NodeId, Stands};
use ir::Op;
use machine::{Location, Machine, Position, ThreadId};
use rustc_hash::FxHashSet;
use smt::{InputId, Model, Node, TermId};

use super::execution::Execution;
use super::traces::{GuidingTrace, Purpose, TraceSet};
use super::trial::Scene;
use crate::feasibility::Feasible;

/// A branch at which a thread did not go the way that its trace wants.
#[derive(Clone, Debug)]
pub struct Miss {
    pub trace: usize,
    /// The number of the branch in the trace.
    pub place: usize,
    pub at: NodeId,
    /// Where the wanted side begins.
    pub side: Option<NodeId>,
    pub missing: Missing,
}

/// What would have to be otherwise.
#[derive(Clone, Debug, Default)]
pub struct Missing {
    /// What the branch has read, in the order in which it was.
    pub reads: Vec<NodeId>,
    /// How many definitions there are.
    pub definitions: usize,
    /// Those that may help, and how often they must be executed, the best first.
    pub helpful: Vec<(Definition, u32)>,
}

/// States that are gone back to find what a condition depends on.
const FARTHEST: usize = 24;
/// A counter is added to so often at most.
const MOST_TIMES: u32 = 4096;
/// Definitions of one branch that are looked at.
const MOST_DEFINITIONS: usize = 64;
/// Those of one miss that are tried.
pub(super) const MOST_HELPFUL: usize = 6;

/// How a definition helps. The smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Help {
    /// After it the branch goes the wanted way.
    Suffices(u32),
    /// Some of the values that it may give do.
    MaySuffice,
    /// The condition is nearer to what is wanted.
    Nearer(u128),
    /// What it changes cannot be said.
    Unclear,
}

impl Execution<'_, '_, '_, '_> {
    /// What the thread that has just executed this branch would have needed.
    pub(super) fn what_is_missing(&mut self, branch: NodeId, thread: ThreadId) -> Missing {
        let Some((from, condition)) = self.condition(branch, thread) else {
            return self.by_reads_alone(branch);
        };
        let cells = cells(&self.walk.machine, condition);
        let reads = self.reads(from, thread, branch);
        let wanted = self.walk.machine.terms.not(condition);
        let mut definitions: Vec<Definition> = Vec::new();
        let mut seen = FxHashSet::default();
        for read in &reads {
            for definition in self.scene.ground.definitions_of(*read) {
                if seen.insert(definition) {
                    definitions.push(definition);
                }
            }
        }
        let mut helpful: Vec<(Help, Definition)> = Vec::new();
        for definition in definitions.iter().take(MOST_DEFINITIONS) {
            let help = cells
                .iter()
                .filter_map(|(input, _)| self.help(*definition, *input, wanted, &cells));
            if let Some(best) = help.collect::<Vec<_>>().into_iter().min() {
                helpful.push((best, *definition));
            }
        }
        helpful.sort();
        let times = |help| match help {
            Help::Suffices(times) => times,
            _ => 1,
        };
        let helpful = helpful.into_iter().map(|(help, d)| (d, times(help)));
        Missing {
            reads,
            definitions: definitions.len(),
            helpful: helpful.take(MOST_HELPFUL).collect(),
        }
    }

    /// If what happened cannot be gone through backwards: all definitions may help.
    fn by_reads_alone(&mut self, branch: NodeId) -> Missing {
        let ground = self.scene.ground;
        let reads = reads_of(ground, branch);
        let mut all: Vec<Definition> = Vec::new();
        for read in &reads {
            all.extend(ground.definitions_of(*read));
        }
        all.dedup();
        Missing {
            reads,
            definitions: all.len(),
            helpful: all.into_iter().take(MOST_HELPFUL).map(|d| (d, 1)).collect(),
        }
    }

    /// Why the branch went as it did, as a condition on memory, and since when. Where its value only
    /// tells which way earlier branches went (`return a && b`), it is their conditions.
    fn condition(&mut self, branch: NodeId, thread: ThreadId) -> Option<(Position, TermId)> {
        let nodes = self.scene.ground.facts.nodes;
        let index = nodes.index(branch) as u32;
        let place = (nodes.function(branch), nodes.block(branch), index);
        let positions: Vec<Position> = self.positions().take(FARTHEST).collect();
        let mut found: [Option<(Position, TermId)>; 2] = [None, None];
        for from in positions {
            let machine = &mut self.walk.machine;
            let Some((own, all)) = machine.conditions_of_branch(from, thread, place) else {
                continue;
            };
            for (conditions, found) in [own, all].into_iter().zip(&mut found) {
                let mut whole = machine.terms.bool(true);
                for condition in conditions {
                    whole = machine.terms.and(whole, condition);
                }
                if !cells(machine, whole).is_empty() {
                    *found = Some((from, whole));
                }
            }
            let is_complete = found[0].is_some_and(|(_, own)| {
                let mut inputs = machine.terms.support(own).iter();
                let is_register = |i: &InputId| {
                    matches!(machine.location_of(*i), Some(Location::Register { .. }))
                };
                !inputs.any(is_register)
            });
            if is_complete {
                break;
            }
        }
        let [own, all] = found;
        own.or(all)
    }

    /// The reads of memory on which the branch depends: those in its function, or else all that the
    /// thread has made since.
    fn reads(&self, from: Position, thread: ThreadId, branch: NodeId) -> Vec<NodeId> {
        let ground = self.scene.ground;
        let facts = ground.facts;
        let mut reads = reads_of(ground, branch);
        if !reads.is_empty() {
            return reads;
        }
        for executed in self.walk.machine.executed_since(from) {
            let node = facts
                .nodes
                .at(executed.function, executed.block, executed.index as usize);
            let is_read = matches!(
                facts.nodes.stands_for(facts.module, node),
                Stands::Inst(inst) if matches!(inst.op, Op::Load { .. } | Op::Rmw { .. } | Op::CmpXchg { .. })
            );
            if executed.thread == thread && is_read && !reads.contains(&node) {
                reads.push(node);
            }
        }
        reads
    }

    fn help(
        &mut self,
        definition: Definition,
        input: InputId,
        wanted: TermId,
        cells: &[(InputId, Location)],
    ) -> Option<Help> {
        let now = self.values(cells);
        let value = now.get(input)?;
        let width = self.walk.machine.terms.input_width(input);
        let is_only_cells = {
            let terms = &self.walk.machine.terms;
            terms.support(wanted).iter().all(|i| now.get(*i).is_some())
        };
        // The variable was written since: what it held then is not known, but it was not this.
        let is_stale = is_only_cells && self.walk.machine.terms.eval(wanted, &now) == 1;
        let with = |value| {
            let mut model = now.clone();
            model.set(input, value);
            model
        };
        match definition.change {
            Change::To(constant) => {
                let constant = constant & mask(width);
                if constant == value && !is_stale {
                    return None;
                }
                let model = with(constant);
                if self.may_hold(wanted, &model, is_only_cells, cells) {
                    return Some(Help::Suffices(1));
                }
                self.nearer(wanted, &now, &model)
            }
            Change::By { .. } if is_stale => Some(Help::Suffices(1)),
            Change::By { addend, bits } if bits == width => {
                let mut sum = value;
                for times in 1..=MOST_TIMES {
                    sum = sum.wrapping_add(addend) & mask(width);
                    let model = with(sum);
                    if is_only_cells && self.walk.machine.terms.eval(wanted, &model) == 1 {
                        return Some(Help::Suffices(times));
                    }
                    if !is_only_cells && times == 1 && self.may_hold(wanted, &model, false, cells) {
                        return Some(Help::Suffices(1));
                    }
                }
                let model = with(value.wrapping_add(addend) & mask(width));
                self.nearer(wanted, &now, &model)
            }
            Change::By { .. } => Some(Help::Unclear),
            Change::Anything => {
                let fixed: Vec<TermId> = cells
                    .iter()
                    .filter(|(other, _)| *other != input)
                    .filter_map(|(other, _)| {
                        let term = self.walk.machine.terms.input_term(*other);
                        Some(self.walk.equals(term, now.get(*other)?))
                    })
                    .chain([wanted])
                    .collect();
                match self.walk.check_alone(&fixed) {
                    Feasible::Yes(_) => Some(Help::MaySuffice),
                    Feasible::No => None,
                    Feasible::Unknown => Some(Help::Unclear),
                }
            }
        }
    }

    /// What the cells hold now, as far as that is known.
    fn values(&mut self, cells: &[(InputId, Location)]) -> Model {
        let mut model = Model::new();
        for (input, location) in cells {
            let machine = &mut self.walk.machine;
            if let Some(value) = machine.value_at(*location)
                && let Some(bits) = value.known(&machine.terms)
            {
                model.set(*input, bits);
            }
        }
        model
    }

    fn may_hold(
        &mut self,
        wanted: TermId,
        model: &Model,
        is_only_cells: bool,
        cells: &[(InputId, Location)],
    ) -> bool {
        if is_only_cells {
            return self.walk.machine.terms.eval(wanted, model) == 1;
        }
        let mut conditions = vec![wanted];
        for (input, _) in cells {
            if let Some(value) = model.get(*input) {
                let term = self.walk.machine.terms.input_term(*input);
                conditions.push(self.walk.equals(term, value));
            }
        }
        matches!(self.walk.check_alone(&conditions), Feasible::Yes(_))
    }

    fn nearer(&self, wanted: TermId, now: &Model, then: &Model) -> Option<Help> {
        let terms = &self.walk.machine.terms;
        let (before, after) = (gap(terms, wanted, now), gap(terms, wanted, then));
        (after < before).then_some(Help::Nearer(after))
    }
}

/// How far the values are from making a condition true: the difference of the sides of a
/// comparison, the smaller gap of a disjunction, the sum of a conjunction's.
fn gap(terms: &smt::Terms, condition: TermId, model: &Model) -> u128 {
    if terms.eval(condition, model) == 1 {
        return 0;
    }
    match *terms.node(condition) {
        Node::Not(inner) => match *terms.node(inner) {
            Node::Bin(smt::BinOp::And, a, b) => {
                not_gap(terms, a, model).min(not_gap(terms, b, model))
            }
            Node::Bin(smt::BinOp::Or, a, b) => {
                not_gap(terms, a, model).saturating_add(not_gap(terms, b, model))
            }
            _ => not_gap(terms, inner, model),
        },
        Node::Bin(smt::BinOp::And, a, b) => {
            gap(terms, a, model).saturating_add(gap(terms, b, model))
        }
        Node::Bin(smt::BinOp::Or, a, b) => gap(terms, a, model).min(gap(terms, b, model)),
        Node::Cmp(_, a, b) => difference(terms, a, b, model),
        _ => 1,
    }
}

/// The same for the condition being false.
fn not_gap(terms: &smt::Terms, condition: TermId, model: &Model) -> u128 {
    if terms.eval(condition, model) == 0 {
        return 0;
    }
    match *terms.node(condition) {
        Node::Not(inner) => gap(terms, inner, model),
        Node::Cmp(_, a, b) => difference(terms, a, b, model),
        _ => 1,
    }
}

fn difference(terms: &smt::Terms, a: TermId, b: TermId, model: &Model) -> u128 {
    let width = terms.width(a);
    let (a, b) = (terms.eval(a, model), terms.eval(b, model));
    let apart = a.wrapping_sub(b) & mask(width);
    let other = b.wrapping_sub(a) & mask(width);
    apart.min(other).saturating_add(1)
}

fn mask(width: u32) -> u128 {
    match width {
        128.. => u128::MAX,
        _ => (1 << width) - 1,
    }
}

/// The cells that a condition is about.
fn cells(machine: &Machine, condition: TermId) -> Vec<(InputId, Location)> {
    let support = machine.terms.support(condition).iter();
    let located = support.filter_map(|input| Some((*input, machine.location_of(*input)?)));
    let is_cell = |(_, location): &(InputId, Location)| matches!(location, Location::Cell { .. });
    located.filter(is_cell).collect()
}

fn reads_of(ground: &Ground, branch: NodeId) -> Vec<NodeId> {
    let function = ground.facts.nodes.function(branch);
    let condition: Option<Condition> = condition_at(ground, branch);
    condition.map_or(Vec::new(), |condition| {
        ground.reads_of(function, condition.value())
    })
}

/// The sets that a miss makes of this one, the best first: each with a way to one definition.
pub(super) fn refine(scene: &mut Scene, set: &TraceSet, miss: &Miss) -> Vec<TraceSet> {
    let ground = scene.ground;
    let mut refined = Vec::new();
    for (definition, times) in &miss.missing.helpful {
        let known = set.0.iter().position(|trace| {
            matches!(trace.purpose, Purpose::Definition { .. })
                && trace.places.contains(&definition.at)
        });
        let mut next = set.clone();
        if let Some(known) = known {
            // The same definition again: so many times more.
            let Purpose::Definition { times: before } = &mut next.0[known].purpose else {
                continue;
            };
            *before += times;
            wait(ground, &mut next, miss, known);
            refined.push(next);
            continue;
        }
        for trace in scene.ways_to(definition.at).iter() {
            let mut next = set.clone();
            let purpose = Purpose::Definition { times: *times };
            next.0.push(GuidingTrace {
                purpose,
                places: trace.0.clone(),
                after: Vec::new(),
            });
            let number = next.0.len() - 1;
            wait(ground, &mut next, miss, number);
            refined.push(next);
        }
    }
    refined
}

/// The thread that missed the branch waits for the definition before it reads, and before it takes
/// a lock that is needed on the way there (Figure 5, lines 6 and 7).
fn wait(ground: &Ground, set: &mut TraceSet, miss: &Miss, awaited: usize) {
    let takes = |place: &NodeId| ground.takes_lock(*place);
    let way: Vec<NodeId> = set.0[awaited]
        .places
        .iter()
        .copied()
        .filter(takes)
        .collect();
    let trace = &set.0[miss.trace];
    let shared = trace.places[..miss.place].iter().position(|place| {
        takes(place)
            && way
                .iter()
                .any(|other| ground.may_be_same_lock(*place, *other))
    });
    if let Some(place) = shared {
        let back = ground.gives_back_after(set.0[awaited].last(), set.0[awaited].places.as_slice());
        if let Some(back) = back {
            set.0[awaited].places.push(back);
        }
        let after = &mut set.0[miss.trace].after;
        if !after.contains(&(place, awaited)) {
            after.push((place, awaited));
        }
        return;
    }
    // Before the first of the reads, which becomes a place of the trace.
    let trace = &mut set.0[miss.trace];
    let Some(&read) = miss.missing.reads.first() else {
        trace.after.push((miss.place, awaited));
        return;
    };
    let known = trace.places.iter().position(|place| *place == read);
    let place = known
        .filter(|known| *known <= miss.place)
        .unwrap_or_else(|| {
            trace.places.insert(miss.place, read);
            for (place, _) in &mut trace.after {
                *place += usize::from(*place >= miss.place);
            }
            miss.place
        });
    if !trace.after.contains(&(place, awaited)) {
        trace.after.push((place, awaited));
    }
}
