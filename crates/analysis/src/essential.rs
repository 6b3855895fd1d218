//! What must be in the slice, by the properties that are asked for.
//!
//! Whatever the properties:
//! - where executions end or are given up, and where they fail: assertions, aborts, exits,
//!   assumptions, unreachable code, throws, jumps;
//! - synchronisation, and creating and joining threads: they decide which threads are enabled;
//! - allocation, release, inputs: the machine names them by how many there were before;
//! - what is not modelled;
//! - where the machine has to ask a solver ([`inputs`]), but for don't-care branches
//!   ([`Properties::dont_care_branches`]);
//! - the exits of loops that may wait: a thread that spins outside the slice would never get on;
//! - for deadlocks, whether threads come to their end: the exits of all loops that may not end,
//!   loops without exit, recursion;
//! - the addresses of writes and locks that are not plain to see, and calls by pointer: executions
//!   check where they lead.
//!
//! For memory errors ([`memory`]): the addresses of accesses that may go wrong. For division:
//! divisors that may be zero.
//!
//! An execution that goes wrong outside the slice violates no property that is asked for, and ends
//! there. The execution that is explored in its place goes on from there, so it shows at least as
//! much: leaving such places out loses no violation.

mod ends;
mod inputs;
pub mod memory;
mod stack;

use base::Interval;
use ir::{BinOp, BlockId, Body, FuncId, Intrinsic, Op, Terminator, ValueId};

use crate::arguments;
use crate::bounds::Bounds;
use crate::calls::is_final;
use crate::concurrency::Concurrency;
use crate::dominance::DominatorTree;
use crate::external::{self, Class, Effect, Extent};
use crate::facts::{Facts, Flow};
use crate::loops::{certainly_ends, loops, may_wait};
use crate::node::{NodeId, NodeSet, Stands};
use crate::points_to::{AccessKind, ObjectKind};
use crate::sdg::{Sdg, Vertex};
use stack::Stack;

/// The kinds of errors that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Properties {
    pub assertions: bool,
    pub aborts: bool,
    /// Reaching what the compiler was told is never reached.
    pub unreachable: bool,
    pub deadlocks: bool,
    /// Null, out of bounds, use after free, ...
    pub memory: bool,
    pub division: bool,
    /// Unlocking what is not locked, and so on.
    pub locks: bool,
    /// The search looks into critical sections: mutexes that nobody can tell were locked are not
    /// essential.
    pub peeks: bool,
    /// Jumps on inputs on which nothing depends go one way in the search (don't-care branches):
    /// they are not essential.
    pub dont_care_branches: bool,
}

/// What a slice starts from.
pub struct Essential {
    /// Calls of functions without a body, for what they do. Of locks and unlocks that nobody can
    /// tell happened this does not matter.
    pub calls: Vec<Vertex>,
    /// All else.
    pub criteria: Vec<Vertex>,
    /// Which way jumps on inputs go. If these may go one way, nothing but what the criteria depend
    /// on is essential.
    pub jumps: Vec<Vertex>,
    /// Accesses whose order with the end of what they touch matters, although what they read or
    /// write does not.
    pub ordered: NodeSet,
    /// Locals are touched by their own threads alone, as far as is known.
    pub own_locals: bool,
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// What a search has to interleave.
    Search,
    /// Only whether the properties hold where all threads come to their end. Which threads wait for
    /// which does not matter then, nor the names of objects and inputs.
    Outcome,
}

impl Essential {
    /// Sound for any combination of properties. Assertions, deadlocks and misuse of locks need
    /// nothing but what is always there.
    pub fn of(
        sdg: &Sdg,
        concurrency: &dyn Concurrency,
        properties: Properties,
        question: Question,
    ) -> Essential {
        let facts = sdg.facts;
        let mut collector = Collector {
            facts,
            concurrency,
            properties,
            question,
            calls: Vec::new(),
            criteria: Vec::new(),
            ordered: facts.nodes.none(),
        };
        let stack = Stack::of(facts, concurrency);
        for (function, body, flow) in facts.entered() {
            collector.always(function, body, flow);
            if question == Question::Search {
                collector.loops(function, body, flow);
                collector.names_on_stack(function, body, flow, &stack);
            }
            collector.ends_on_stack(function, &stack);
        }
        arguments::for_each_bounds(facts, |function, flow, bounds| {
            collector.checked(function, flow, bounds);
        });
        let mut jumps = Vec::new();
        if question == Question::Search {
            inputs::add_questions(sdg, &mut collector.criteria, &mut jumps);
        }
        Essential {
            calls: collector.calls,
            criteria: collector.criteria,
            jumps,
            ordered: collector.ordered,
            own_locals: !stack.is_shared(),
        }
    }
}

impl Essential {
    /// What decides how long code runs (see [`ends`]).
    pub fn ends(sdg: &Sdg) -> Vec<Vertex> {
        ends::of(sdg.facts)
    }
}

struct Collector<'c, 'a> {
    facts: &'c Facts<'a>,
    concurrency: &'c dyn Concurrency,
    properties: Properties,
    question: Question,
    calls: Vec<Vertex>,
    criteria: Vec<Vertex>,
    ordered: NodeSet,
}

/// How much of a call is essential.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Nothing,
    /// That it is made.
    Call,
    /// And with which arguments.
    Arguments,
    /// And what it finds in memory.
    Memory,
}

fn essential_part(class: Class) -> Part {
    match class {
        Class::Fails | Class::Aborts | Class::GivesUp | Class::ExitsProcess => Part::Call,
        Class::BeginsAtomic | Class::EndsAtomic | Class::Cleanup => Part::Arguments,
        Class::Asserts(_) | Class::Assumes(_) => Part::Arguments,
        Class::Allocates | Class::Releases | Class::Input | Class::Unmodelled => Part::Arguments,
        Class::Synchronises(_) | Class::Creates { .. } | Class::Joins { .. } => Part::Memory,
        Class::Detaches { .. } | Class::ExitsThread => Part::Memory,
        Class::Saves | Class::Jumps | Class::Throws => Part::Memory,
        Class::Output | Class::Moves | Class::Asks | Class::Nothing => Part::Nothing,
    }
}

/// Whether functions of this kind leave memory as it is, unless something else is said of one.
fn only_reads(class: Class) -> bool {
    use Class::*;
    matches!(
        class,
        Output | Asks | Nothing | Fails | Aborts | GivesUp | ExitsProcess | Asserts(_) | Assumes(_)
    )
}

impl Collector<'_, '_> {
    fn always(&mut self, function: FuncId, body: &Body, flow: &Flow) {
        for &id in flow.cfg.order() {
            let block = &body.blocks[id];
            for (node, inst) in self.facts.nodes.of_block(function, id).zip(&block.insts) {
                match &inst.op {
                    Op::Call(_) => self.call(node),
                    Op::Unsupported { .. } => self.criteria.push(Vertex::Runs(node)),
                    Op::Intrinsic {
                        op: Intrinsic::Trap,
                        ..
                    } if self.asks_for(self.properties.aborts || self.properties.unreachable) => {
                        self.criteria.push(Vertex::Runs(node));
                    }
                    // Inputs; and the copies of thread-locals are made in the order in which they
                    // are met.
                    Op::Undef { .. }
                    | Op::TlsAddr { .. }
                    | Op::Intrinsic {
                        op: Intrinsic::ReadCycleCounter,
                        ..
                    } if self.question == Question::Search => {
                        self.criteria.push(Vertex::Runs(node));
                    }
                    _ => {}
                }
            }
            let node = self.facts.nodes.terminator(function, id);
            match &block.terminator {
                Terminator::Invoke { .. } => self.call(node),
                Terminator::Resume { .. } => self.criteria.push(Vertex::Runs(node)),
                Terminator::Unreachable
                    if self.asks_for(self.properties.unreachable)
                        && !self.never_gets_past(function, id) =>
                {
                    self.criteria.push(Vertex::Runs(node));
                }
                _ => {}
            }
        }
    }

    fn asks_for(&self, property: bool) -> bool {
        property || self.question == Question::Search
    }

    /// Whether the block calls something that does not return.
    fn never_gets_past(&self, function: FuncId, block: BlockId) -> bool {
        self.facts.nodes.of_block(function, block).any(|node| {
            let mut classes = self.facts.externals(node).map(|external| external.class);
            let entered = self.facts.entered_by(node).next().is_some();
            !entered && classes.next().is_some_and(is_final) && classes.all(is_final)
        })
    }

    fn call(&mut self, node: NodeId) {
        let mut part = Part::Nothing;
        for external in self.facts.externals(node) {
            let mut other = match self.question {
                Question::Search => essential_part(external.class),
                Question::Outcome if self.facts.says_what_inputs_are(node) => Part::Nothing,
                Question::Outcome => self.part_for_outcome(external.class),
            };
            // The first call of a thread that asks where its `errno` is allocates it.
            if other == Part::Nothing
                && self.question == Question::Search
                && external.effects.contains(&Effect::ReturnsErrno)
            {
                other = Part::Call;
            }
            if other as u8 > part as u8 {
                part = other;
            }
        }
        let call = self.facts.call(node).expect("a call");
        for callee in self.facts.points_to.callees(node) {
            let f = &self.facts.module.functions[*callee];
            if self.question == Question::Outcome {
                break;
            }
            // A missing argument is an input.
            if external::is_atomic(f) || call.args.len() < f.params.len() && part == Part::Nothing {
                part = Part::Call;
            }
        }
        self.calls.extend(match part {
            Part::Nothing => None,
            Part::Call => Some(Vertex::Runs(node)),
            Part::Arguments => Some(Vertex::Touches(node)),
            Part::Memory => Some(Vertex::Writes(node)),
        });
    }

    fn part_for_outcome(&self, class: Class) -> Part {
        match class {
            Class::Fails | Class::Asserts(_) if !self.properties.assertions => Part::Nothing,
            Class::Aborts if !self.properties.aborts => Part::Nothing,
            Class::Synchronises(_) | Class::BeginsAtomic | Class::EndsAtomic => Part::Nothing,
            Class::Releases if self.properties.memory => Part::Arguments,
            Class::Allocates | Class::Releases | Class::Input => Part::Nothing,
            class => essential_part(class),
        }
    }

    fn loops(&mut self, function: FuncId, body: &Body, flow: &Flow) {
        let is_asked = self.properties.deadlocks;
        if is_asked {
            self.criteria
                .extend(ends::endless(self.facts, function, flow));
        }
        if is_asked || self.properties.memory {
            // Whatever is called too deep has no stack left.
            self.criteria.extend(ends::recursion(self.facts, function));
        }
        if flow.cfg.order().len() == 1 && flow.cfg.endless().is_empty() {
            return;
        }
        let dominators = DominatorTree::dominators(&flow.cfg);
        let bits = self.facts.module.pointer_bits;
        for lp in loops(&flow.cfg, &dominators) {
            let may_go_on = is_asked && !certainly_ends(body, bits, &dominators, &lp);
            if may_go_on || may_wait(body, bits, &lp) {
                for exit in lp.exits(&flow.cfg) {
                    let terminator = self.facts.nodes.terminator(function, exit);
                    self.criteria.push(Vertex::Decides(terminator));
                }
            }
        }
    }

    /// Objects on the stack are named by how many there were before whose addresses may still be
    /// known.
    fn names_on_stack(&mut self, function: FuncId, body: &Body, flow: &Flow, stack: &Stack) {
        if !stack.is_shared() {
            return;
        }
        for &id in flow.cfg.order() {
            let block = &body.blocks[id];
            for (node, inst) in self.facts.nodes.of_block(function, id).zip(&block.insts) {
                if stack.keeps_frame(function) && matches!(inst.op, Op::Alloca { .. }) {
                    self.criteria.push(Vertex::Touches(node));
                }
            }
            for node in self.facts.nodes.of_block(function, id) {
                let variadic = |callee: FuncId| self.facts.module.functions[callee].variadic;
                if self.facts.entered_by(node).any(variadic) {
                    self.criteria.push(Vertex::Runs(node));
                }
            }
        }
    }

    /// Where locals are shared, a return ends them for other threads too.
    fn ends_on_stack(&mut self, function: FuncId, stack: &Stack) {
        if self.properties.memory && stack.has_shared(function) {
            for &node in self.facts.returns(function) {
                self.criteria.push(Vertex::Runs(node));
                self.ordered.insert(node);
            }
        }
    }

    fn checked(&mut self, function: FuncId, flow: &Flow, bounds: &Bounds) {
        let body = self.facts.body(function);
        for &id in flow.cfg.order() {
            let block = &body.blocks[id];
            for (node, inst) in self.facts.nodes.of_block(function, id).zip(&block.insts) {
                if self.properties.division
                    && let Some(operands) = failing_division(&inst.op, bounds, id)
                {
                    let values = operands.into_iter().flatten();
                    let values = values.map(|value| Vertex::Value(function, value));
                    self.criteria.extend(values);
                    self.criteria.push(Vertex::Runs(node));
                }
            }
            for node in self.facts.nodes.of_block(function, id) {
                if self.properties.memory {
                    self.memory(node, bounds);
                }
                self.guess(node, bounds);
            }
        }
    }

    /// Where it is only thought to be known what is written, locked or called, executions must show
    /// it (`machine::premises`).
    fn guess(&mut self, node: NodeId, bounds: &Bounds) {
        let facts = self.facts;
        let is_load = matches!(
            facts.nodes.stands_for(facts.module, node),
            Stands::Inst(inst) if matches!(inst.op, Op::Load { .. })
        );
        let by_name = |call: &ir::Call| matches!(call.callee, ir::Callee::Direct(_));
        let mut accesses = facts.points_to.accesses(node).iter();
        let only_reads = facts.call(node).is_some_and(by_name)
            && facts
                .externals(node)
                .all(|external| only_reads(external.class))
            && !accesses.any(|access| access.kind == AccessKind::Write);
        // Each thread has its own, and its address is that of no other object.
        let is_errno = |object| facts.points_to.objects()[object].kind == ObjectKind::Errno;
        let mut accesses = facts.points_to.accesses(node).iter();
        let only_errno = facts.call(node).is_some_and(by_name)
            && !facts.points_to.accesses(node).is_empty()
            && accesses.all(|access| facts.points_to.objects_of(access).all(is_errno));
        let is_plain = is_load || only_reads || only_errno;
        if !is_plain && memory::parts(facts, bounds, node).is_none() {
            self.criteria.push(Vertex::Touches(node));
        }
    }

    fn memory(&mut self, node: NodeId, bounds: &Bounds) {
        let safety = memory::safety(self.facts, self.concurrency, bounds, node);
        if safety.may_fail {
            self.criteria.push(match self.reads_to_an_end(node) {
                true => Vertex::Writes(node),
                false => Vertex::Touches(node),
            });
        }
        if safety.may_be_gone {
            self.criteria.push(Vertex::Touches(node));
            self.ordered.insert(node);
        }
    }
}

impl Collector<'_, '_> {
    /// Whether it calls a function that goes on up to where memory says that it ends, or writes as
    /// much as it has read: then it depends on what is there whether it fails.
    fn reads_to_an_end(&self, node: NodeId) -> bool {
        let reads_on = |effect: &Effect| {
            matches!(
                effect,
                Effect::Formats { .. }
                    | Effect::FormatsList { .. }
                    | Effect::Reads(_, Extent::Any)
                    | Effect::Copies {
                        bytes: Extent::Any,
                        ..
                    }
            )
        };
        let mut externals = self.facts.externals(node);
        externals.any(|external| external.effects.iter().any(reads_on))
    }
}

/// The operands on which it depends whether a division fails, if it may.
pub fn failing_division(op: &Op, bounds: &Bounds, block: BlockId) -> Option<[Option<ValueId>; 2]> {
    let Op::Bin { op, a, b, .. } = op else {
        return None;
    };
    let signed = match op {
        BinOp::SDiv | BinOp::SRem => true,
        BinOp::UDiv | BinOp::URem => false,
        _ => return None,
    };
    let (Some(dividend), Some(divisor)) = (bounds.interval(*a, block), bounds.interval(*b, block))
    else {
        return Some([Some(*a), Some(*b)]);
    };
    // The smallest number has no opposite.
    let least = Interval::full(dividend.width()).signed().0;
    let (low, high) = divisor.signed();
    if signed && low <= -1 && high >= -1 && dividend.signed().0 == least {
        return Some([Some(*a), Some(*b)]);
    }
    divisor.contains(0).then_some([None, Some(*b)])
}

fn divisor(op: &Op) -> Option<ValueId> {
    match op {
        Op::Bin {
            op: BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem,
            b,
            ..
        } => Some(*b),
        _ => None,
    }
}
