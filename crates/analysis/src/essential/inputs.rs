//! Nodes at which the machine may have to ask a solver: they depend on an input, through values and
//! memory.
//!
//! A value is *symbolic* if it may be computed from an input. An object is symbolic if a symbolic
//! value may be stored in it, or any value at a symbolic address. Control dependence does not make
//! a value symbolic: on each path the value is concrete. Objects are taken as a whole, and every
//! function that a call may reach counts.

use fixedbitset::FixedBitSet;
use ir::{Body, FuncId, Intrinsic, Op, Terminator, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::edge;
use crate::external::{Class, Effect};
use crate::facts::{Facts, Flow};
use crate::node::NodeId;
use crate::points_to::{AccessKind, ObjectId, ObjectKind, PlaceSet};
use crate::sdg::{Sdg, Vertex};

/// Adds what decides which questions are asked: which way jumps go, and everything else.
pub fn add_questions(sdg: &Sdg, criteria: &mut Vec<Vertex>, jumps: &mut Vec<Vertex>) {
    let mut symbolic = Symbolic {
        facts: sdg.facts,
        sdg,
        values: FixedBitSet::with_capacity(sdg.vertices.values()),
        objects: FixedBitSet::with_capacity(sdg.facts.points_to.objects().len()),
        everything: false,
        written: FxHashSet::default(),
        returned: FxHashMap::default(),
        entered: FxHashSet::default(),
        unreturned: FxHashMap::default(),
        thread_results: false,
        jumped: false,
        changed: true,
    };
    while std::mem::take(&mut symbolic.changed) {
        for (function, body, flow) in sdg.facts.entered() {
            symbolic.function(function, body, flow);
        }
    }
    if symbolic.values.is_clear() && symbolic.objects.is_clear() && !symbolic.everything {
        return;
    }
    for (function, body, flow) in sdg.facts.entered() {
        symbolic.questions(function, body, flow, criteria, jumps);
    }
}

struct Symbolic<'s, 'a> {
    facts: &'s Facts<'a>,
    sdg: &'s Sdg<'a>,
    values: FixedBitSet,
    objects: FixedBitSet,
    /// Something symbolic was written to nowhere in particular.
    everything: bool,
    /// Where something symbolic was written.
    written: FxHashSet<PlaceSet>,
    /// Results of functions.
    returned: FxHashMap<(FuncId, usize), ()>,
    /// Groups of callees, with the arguments that they got.
    entered: FxHashSet<(u32, Vec<bool>)>,
    /// Results that no callee of a group returned when so many were returned in all.
    unreturned: FxHashMap<(u32, usize), usize>,
    /// What a join may find.
    thread_results: bool,
    /// What `longjmp` hands to `setjmp`.
    jumped: bool,
    changed: bool,
}

impl Symbolic<'_, '_> {
    fn is(&self, function: FuncId, value: ValueId) -> bool {
        let index = self.sdg.vertices.index(Vertex::Value(function, value));
        self.values.contains(index)
    }

    fn mark(&mut self, function: FuncId, value: ValueId) {
        let index = self.sdg.vertices.index(Vertex::Value(function, value));
        let is_constant = self.facts.body(function).values[value].constant.is_some();
        if !is_constant && !self.values.put(index) {
            self.changed = true;
        }
    }

    fn reads_symbolic(&self, node: NodeId) -> bool {
        let points_to = self.facts.points_to;
        let mut reads = points_to.accesses(node).iter();
        reads.any(|access| {
            access.kind == AccessKind::Read
                && (self.everything && !points_to.places(access.locations).is_empty()
                    || points_to.objects_of(access).any(|object| {
                        self.objects.contains(object.index())
                            || self.is_anything(object) && !self.objects.is_clear()
                    }))
        })
    }

    fn is_anything(&self, object: ObjectId) -> bool {
        self.facts.points_to.objects()[object].kind == ObjectKind::Anything
    }

    fn write(&mut self, node: NodeId) {
        let points_to = self.facts.points_to;
        for access in points_to.accesses(node) {
            if access.kind != AccessKind::Write || !self.written.insert(access.locations) {
                continue;
            }
            for object in points_to.objects_of(access) {
                if self.is_anything(object) {
                    self.changed |= !std::mem::replace(&mut self.everything, true);
                } else {
                    self.changed |= !self.objects.put(object.index());
                }
            }
        }
    }

    fn function(&mut self, function: FuncId, body: &Body, flow: &Flow) {
        for &id in flow.cfg.order() {
            let block = &body.blocks[id];
            for (index, param) in block.params.iter().enumerate() {
                let mut symbolic = false;
                for before in flow.cfg.predecessors(id) {
                    let terminator = &body.blocks[*before].terminator;
                    edge::for_each_argument(terminator, id, index, |argument| {
                        symbolic |= argument.is_some_and(|value| self.is(function, value));
                    });
                }
                if symbolic {
                    self.mark(function, *param);
                }
            }
            for (node, inst) in self.facts.nodes.of_block(function, id).zip(&block.insts) {
                self.inst(function, node, &inst.op);
            }
            let node = self.facts.nodes.terminator(function, id);
            match &block.terminator {
                Terminator::Invoke { .. } => self.call(function, node),
                Terminator::Ret(values) => {
                    for (index, value) in values.iter().enumerate() {
                        if self.is(function, *value)
                            && self.returned.insert((function, index), ()).is_none()
                        {
                            self.changed = true;
                            self.thread_results |= !self.facts.starts(function).is_empty();
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn inst(&mut self, function: FuncId, node: NodeId, op: &Op) {
        if let Op::Call(_) = op {
            return self.call(function, node);
        }
        let mut symbolic = matches!(
            op,
            Op::Undef { .. }
                | Op::Intrinsic {
                    op: Intrinsic::ReadCycleCounter,
                    ..
                }
        );
        // A whole copy may be symbolic because of what it copies.
        symbolic |= self.reads_symbolic(node);
        symbolic |= op.any_operand(|value| self.is(function, value));
        if symbolic {
            op.for_each_result(|value| self.mark(function, value));
            self.write(node);
        }
    }

    fn call(&mut self, function: FuncId, node: NodeId) {
        let facts = self.facts;
        let call = facts.call(node).expect("a call");
        self.enter(function, node, call);
        // Variable arguments are written to memory by the call.
        let mut symbolic = self.reads_symbolic(node);
        call.for_each_operand(|value| symbolic |= self.is(function, value));
        for external in facts.externals(node) {
            let from_input = external.class == Class::Input;
            let effects = external.effects.iter();
            for effect in effects {
                match effect {
                    Effect::StoresThreadResult(_) if self.thread_results => self.write(node),
                    Effect::EndsThread(argument) => {
                        let value = call.args.get(*argument);
                        if value.is_some_and(|value| self.is(function, *value)) {
                            self.changed |= !std::mem::replace(&mut self.thread_results, true);
                        }
                    }
                    Effect::JumpsWith(argument) => {
                        let value = call.args.get(*argument);
                        if value.is_some_and(|value| self.is(function, *value)) {
                            self.changed |= !std::mem::replace(&mut self.jumped, true);
                        }
                    }
                    Effect::ReturnsJumped if self.jumped => {
                        call.results
                            .iter()
                            .for_each(|result| self.mark(function, *result));
                    }
                    Effect::StartsThread { argument, .. } => {
                        let value = call.args.get(*argument);
                        if value.is_some_and(|value| self.is(function, *value)) {
                            self.start(node);
                        }
                    }
                    _ => {}
                }
            }
            if from_input || symbolic || external.class == Class::Unmodelled {
                call.results
                    .iter()
                    .for_each(|result| self.mark(function, *result));
                self.write(node);
            }
        }
        if symbolic {
            self.write(node);
        }
    }

    /// What goes to the functions that a call enters, and comes back from there. Calls that reach
    /// the same functions with the same are looked at once.
    fn enter(&mut self, function: FuncId, node: NodeId, call: &ir::Call) {
        let facts = self.facts;
        let Some(group) = facts.points_to.callee_group(node) else {
            return;
        };
        let arguments = call.args.iter().map(|value| self.is(function, *value));
        let arguments: Vec<bool> = arguments.collect();
        let key = (group, arguments);
        if !self.entered.contains(&key) {
            for callee in facts.entered_by(node) {
                for (index, param) in facts.body(callee).params.iter().enumerate() {
                    // A missing argument is an input.
                    if key.1.get(index).is_none_or(|symbolic| *symbolic) {
                        self.mark(callee, *param);
                    }
                }
            }
            self.entered.insert(key);
        }
        for (index, result) in call.results.iter().enumerate() {
            if self.is(function, *result) {
                continue;
            }
            let count = self.returned.len();
            let known = self.unreturned.get(&(group, index)) == Some(&count);
            let is_returned = |callee| self.returned.contains_key(&(callee, index));
            if !known && facts.entered_by(node).any(is_returned) {
                self.mark(function, *result);
            } else {
                self.unreturned.insert((group, index), count);
            }
        }
    }

    /// The threads that are created here get a symbolic argument.
    fn start(&mut self, node: NodeId) {
        let facts = self.facts;
        for (creation, functions) in facts.calls.created() {
            if *creation != node {
                continue;
            }
            for function in functions {
                for param in &facts.body(*function).params {
                    self.mark(*function, *param);
                }
            }
        }
    }

    fn questions(
        &self,
        function: FuncId,
        body: &Body,
        flow: &Flow,
        criteria: &mut Vec<Vertex>,
        jumps: &mut Vec<Vertex>,
    ) {
        for &id in flow.cfg.order() {
            let block = &body.blocks[id];
            for (node, inst) in self.facts.nodes.of_block(function, id).zip(&block.insts) {
                if self.asks(function, body, node, &inst.op) {
                    match &inst.op {
                        // What is found in memory is part of the question.
                        Op::CmpXchg { .. } | Op::Call(_) => criteria.push(Vertex::Writes(node)),
                        op if op_accesses(op) => criteria.push(Vertex::Touches(node)),
                        op => {
                            criteria.push(Vertex::Runs(node));
                            op.for_each_result(|value| {
                                criteria.push(Vertex::Value(function, value));
                            });
                        }
                    }
                }
            }
            let node = self.facts.nodes.terminator(function, id);
            match &block.terminator {
                Terminator::CondBr { cond: on, .. } | Terminator::Switch { value: on, .. }
                    if self.is(function, *on) =>
                {
                    jumps.push(Vertex::Decides(node));
                }
                Terminator::IndirectBr { addr, .. } if self.is(function, *addr) => {
                    criteria.push(Vertex::Decides(node));
                }
                Terminator::Invoke { call, .. } if self.asks_at_call(function, node, call) => {
                    criteria.push(Vertex::Writes(node));
                }
                _ => {}
            }
        }
    }

    /// Whether the instruction may ask which value an operand has.
    fn asks(&self, function: FuncId, body: &Body, node: NodeId, op: &Op) -> bool {
        let is = |value: &ValueId| self.is(function, *value);
        match op {
            Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::Rmw { ptr, .. } => is(ptr),
            // Whether it succeeds is a question too.
            Op::CmpXchg { ptr, expected, .. } => {
                is(ptr) || is(expected) || self.reads_symbolic(node)
            }
            Op::Bin { b, .. } => super::divisor(op).is_some() && is(b),
            Op::Select { dst, cond, a, b } => {
                body.ty(*dst) == Type::Ptr && (is(cond) || is(a) || is(b))
                    || is(cond) && body.ty(*dst).is_float()
            }
            Op::Cmp { .. } | Op::Cast { .. } | Op::PtrAdd { .. } => false,
            Op::Call(call) => self.asks_at_call(function, node, call),
            op => {
                op.any_operand(|value| is(&value))
                    || matches!(op, Op::Intrinsic { .. }) && self.reads_symbolic(node)
            }
        }
    }

    fn asks_at_call(&self, function: FuncId, node: NodeId, call: &ir::Call) -> bool {
        let is = |value: &ValueId| self.is(function, *value);
        let callee = matches!(&call.callee, ir::Callee::Indirect(callee) if is(callee));
        let external = self.facts.externals(node).next().is_some();
        callee || external && (call.args.iter().any(is) || self.reads_symbolic(node))
    }
}

fn op_accesses(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::Intrinsic { .. }
            | Op::Alloca { .. }
    )
}
