//! The system dependence graph: what depends on what, across functions and threads (Horwitz, Reps
//! and Binkley, TOPLAS 1990; interference edges after Krinke, PASTE 1998).
//!
//! A *vertex* is not a statement but one thing about it: that it runs, what address it touches,
//! what it reads, what it writes, which way it branches, what one of its values is. So a branch on
//! whether a call was made does not need the call's arguments, and an address does not need what is
//! stored there. Edges lead from what depends to what it depends on and are computed when asked
//! for.
//!
//! The rules, each erring on the side of more:
//! - A value depends on the operands it is computed from, and on its instruction being reached. A
//!   block parameter depends on what each edge hands over, and on which edge was taken: on the
//!   branches that decide between them.
//! - A load depends on its address and on every write that may reach it ([`Reaching`]); these edges
//!   cross contexts and threads freely.
//! - A block is reached depending on the branches it is control dependent on (classic) and on its
//!   function being entered; a function is entered depending on its call sites. A call that does
//!   not return (it exits, throws, jumps) decides what comes next in its callers; such calls are
//!   essential themselves, always, so no edge is needed here.
//! - A call's result depends on what its callees return and on which return is reached.
//!
//! Parameters and entries lead up to callers, results down into callees. A path that goes down into
//! a callee and up to another caller is not real: slicing follows one kind and then the other, and
//! [`summaries`] stand for what happens below.

mod print;
pub mod summaries;
mod vertex;

use ir::{FuncId, Intrinsic, Op, RmwOp, Terminator, ValueId};

use crate::edge;
use crate::external::Effect;
use crate::facts::Facts;
use crate::node::{NodeId, Stands};
use crate::reaching::Reaching;
pub use vertex::{Vertex, Vertices};

/// Why one vertex depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// Computed from it.
    Value,
    /// Reached or chosen because of it.
    Control,
    /// Reads what the same thread may have written there.
    Memory,
    /// Reads what another thread may have written.
    Interference,
    /// A parameter, from an argument of a caller. Leads up.
    Parameter,
    /// A block, from the calls of its function. Leads up.
    Entry,
    /// A result, from what a callee returns. Leads down.
    Return,
}

/// The graph of a program.
pub struct Sdg<'a> {
    pub facts: &'a Facts<'a>,
    pub reaching: &'a Reaching<'a>,
    pub vertices: Vertices,
    definitions: Vec<Definition>,
}

/// What gives a value.
#[derive(Clone, Copy, Debug)]
enum Definition {
    Constant,
    Parameter(u32),
    /// A parameter of a block, named by the block's terminator.
    BlockParameter(NodeId, u32),
    Result(NodeId, u32),
}

impl<'a> Sdg<'a> {
    pub fn of(facts: &'a Facts<'a>, reaching: &'a Reaching<'a>) -> Sdg<'a> {
        let vertices = Vertices::of(facts.module, facts.nodes);
        let mut definitions = vec![Definition::Constant; vertices.values()];
        for (function, body, _) in facts.entered() {
            let mut define = |value: ValueId, definition| {
                definitions[vertices.index(Vertex::Value(function, value))] = definition;
            };
            for (index, param) in body.params.iter().enumerate() {
                define(*param, Definition::Parameter(index as u32));
            }
            for (id, block) in body.blocks.enumerate() {
                let terminator = facts.nodes.terminator(function, id);
                for (index, param) in block.params.iter().enumerate() {
                    define(*param, Definition::BlockParameter(terminator, index as u32));
                }
                for (node, inst) in facts.nodes.of_block(function, id).zip(&block.insts) {
                    let mut index = 0;
                    inst.op.for_each_result(|value| {
                        define(value, Definition::Result(node, index));
                        index += 1;
                    });
                }
                for (index, value) in block.terminator.results().iter().enumerate() {
                    define(*value, Definition::Result(terminator, index as u32));
                }
            }
        }
        Sdg {
            facts,
            reaching,
            vertices,
            definitions,
        }
    }

    /// The node that a vertex is about; for a block parameter the terminator of its block. `None`
    /// for constants, parameters, entries.
    pub fn node(&self, vertex: Vertex) -> Option<NodeId> {
        match vertex {
            Vertex::Value(..) => match self.definitions[self.vertices.index(vertex)] {
                Definition::Result(node, _) => Some(node),
                _ => None,
            },
            Vertex::Runs(node)
            | Vertex::Touches(node)
            | Vertex::Reads(node)
            | Vertex::Writes(node)
            | Vertex::Decides(node) => Some(node),
            Vertex::Reached(_) | Vertex::Enters(_) => None,
        }
    }

    /// Calls `f` on all that the vertex depends on but for what memory holds: see
    /// [`Sdg::for_each_write`].
    pub fn for_each_dependence(&self, vertex: Vertex, f: &mut dyn FnMut(Edge, Vertex)) {
        match vertex {
            Vertex::Value(function, value) => self.value(function, value, f),
            Vertex::Runs(node) => f(Edge::Control, self.reached(node)),
            Vertex::Touches(node) => self.touches(node, f),
            Vertex::Reads(node) => f(Edge::Value, Vertex::Touches(node)),
            Vertex::Writes(node) => self.writes(node, f),
            Vertex::Decides(node) => self.decides(node, f),
            Vertex::Reached(terminator) => {
                let nodes = self.facts.nodes;
                let function = nodes.function(terminator);
                if let Some(flow) = self.facts.flow(function) {
                    for &branch in flow.control.of_block(nodes.block(terminator)) {
                        let branch = nodes.terminator(function, branch);
                        f(Edge::Control, Vertex::Decides(branch));
                    }
                }
                f(Edge::Entry, Vertex::Enters(function));
            }
            Vertex::Enters(function) => self.enters(function, f),
        }
    }

    /// If the vertex reads memory: calls `f` on all writes that it may see.
    pub fn for_each_write(&self, vertex: Vertex, f: &mut dyn FnMut(Edge, Vertex)) {
        if let Vertex::Reads(node) = vertex {
            self.reaching
                .for_each_definition(node, &mut |write, other| {
                    let edge = if other {
                        Edge::Interference
                    } else {
                        Edge::Memory
                    };
                    f(edge, Vertex::Writes(write));
                });
        }
    }

    fn reached(&self, node: NodeId) -> Vertex {
        let nodes = self.facts.nodes;
        Vertex::Reached(nodes.terminator(nodes.function(node), nodes.block(node)))
    }

    fn value(&self, function: FuncId, value: ValueId, f: &mut dyn FnMut(Edge, Vertex)) {
        match self.definitions[self.vertices.index(Vertex::Value(function, value))] {
            Definition::Constant => {}
            Definition::Parameter(index) => {
                self.facts
                    .arguments(function, index as usize, |caller, argument| {
                        f(Edge::Parameter, Vertex::Value(caller, argument));
                    });
                self.status(function, f);
            }
            Definition::BlockParameter(terminator, index) => {
                self.block_parameter(function, terminator, index as usize, f);
            }
            Definition::Result(node, index) => self.result(function, node, index as usize, f),
        }
    }

    /// `exit` is called with what `main` returns.
    fn status(&self, function: FuncId, f: &mut dyn FnMut(Edge, Vertex)) {
        let module = self.facts.module;
        if module.functions[function].name == "exit"
            && let Some(main) = module.function_named("main")
        {
            for &ret in self.facts.returns(main) {
                f(Edge::Interference, Vertex::Touches(ret));
            }
        }
    }

    fn block_parameter(
        &self,
        function: FuncId,
        terminator: NodeId,
        index: usize,
        f: &mut dyn FnMut(Edge, Vertex),
    ) {
        let nodes = self.facts.nodes;
        let block = nodes.block(terminator);
        let Some(flow) = self.facts.flow(function) else {
            return;
        };
        f(Edge::Control, Vertex::Reached(terminator));
        for &before in flow.cfg.predecessors(block) {
            if !flow.cfg.is_reachable(before) {
                continue;
            }
            let from = nodes.terminator(function, before);
            let branch = &self.facts.body(function).blocks[before].terminator;
            let mut edges = 0;
            branch.for_each_successor(|_| edges += 1);
            f(
                Edge::Control,
                if edges > 1 {
                    Vertex::Decides(from)
                } else {
                    Vertex::Reached(from)
                },
            );
            edge::for_each_argument(branch, block, index, |argument| {
                if let Some(argument) = argument {
                    f(Edge::Value, Vertex::Value(function, argument));
                }
            });
        }
    }

    fn result(
        &self,
        function: FuncId,
        node: NodeId,
        index: usize,
        f: &mut dyn FnMut(Edge, Vertex),
    ) {
        let mut value = |value: ValueId| f(Edge::Value, Vertex::Value(function, value));
        match self.facts.nodes.stands_for(self.facts.module, node) {
            Stands::Inst(inst) => match &inst.op {
                Op::Load { .. } | Op::Rmw { .. } => f(Edge::Value, Vertex::Reads(node)),
                Op::CmpXchg { expected, .. } => {
                    if index == 1 {
                        value(*expected);
                    }
                    f(Edge::Value, Vertex::Reads(node));
                }
                Op::Call(_) => self.call_result(node, index, f),
                op => {
                    op.for_each_operand(value);
                    f(Edge::Control, Vertex::Runs(node));
                }
            },
            Stands::Terminator(_) => self.call_result(node, index, f),
        }
    }

    fn call_result(&self, node: NodeId, index: usize, f: &mut dyn FnMut(Edge, Vertex)) {
        self.for_each_dependence_of_call(node, f);
        for callee in self.facts.entered_by(node) {
            self.for_each_returned(callee, index, &mut |vertex| f(Edge::Return, vertex));
        }
    }

    /// What the results of a call depend on, but for what happens in the functions that it enters.
    pub(crate) fn for_each_dependence_of_call(
        &self,
        node: NodeId,
        f: &mut dyn FnMut(Edge, Vertex),
    ) {
        self.calls(node, f);
        let entered = self.facts.entered_by(node).count();
        if entered != self.facts.points_to.callees(node).len() || entered == 0 {
            f(Edge::Value, Vertex::Reads(node));
        }
    }

    /// That a call is made, and which functions it reaches.
    fn calls(&self, node: NodeId, f: &mut dyn FnMut(Edge, Vertex)) {
        f(Edge::Control, Vertex::Runs(node));
        if let Some(call) = self.facts.call(node)
            && let ir::Callee::Indirect(callee) = call.callee
        {
            let function = self.facts.nodes.function(node);
            f(Edge::Value, Vertex::Value(function, callee));
        }
    }

    fn touches(&self, node: NodeId, f: &mut dyn FnMut(Edge, Vertex)) {
        let function = self.facts.nodes.function(node);
        let mut value = |value: ValueId| f(Edge::Value, Vertex::Value(function, value));
        match self.facts.nodes.stands_for(self.facts.module, node) {
            Stands::Inst(inst) => match &inst.op {
                Op::Load { ptr, .. }
                | Op::Store { ptr, .. }
                | Op::Rmw { ptr, .. }
                | Op::CmpXchg { ptr, .. } => value(*ptr),
                op => op.for_each_operand(value),
            },
            Stands::Terminator(Terminator::Invoke { call, .. }) => call.for_each_operand(value),
            Stands::Terminator(terminator) => terminator.for_each_operand(value),
        }
        f(Edge::Control, Vertex::Runs(node));
    }

    fn writes(&self, node: NodeId, f: &mut dyn FnMut(Edge, Vertex)) {
        let function = self.facts.nodes.function(node);
        f(Edge::Value, Vertex::Touches(node));
        if let Stands::Inst(inst) = self.facts.nodes.stands_for(self.facts.module, node) {
            let mut value = |value: ValueId| f(Edge::Value, Vertex::Value(function, value));
            match &inst.op {
                Op::Store { value: stored, .. } => return value(*stored),
                Op::Rmw {
                    op, value: operand, ..
                } => {
                    value(*operand);
                    if *op == RmwOp::Xchg {
                        return;
                    }
                }
                Op::CmpXchg { expected, new, .. } => {
                    value(*expected);
                    value(*new);
                }
                Op::Intrinsic {
                    op: Intrinsic::Memset | Intrinsic::VaStart,
                    ..
                } => return,
                _ => {}
            }
        }
        f(Edge::Value, Vertex::Reads(node));
        let joins = |effect: &Effect| matches!(effect, Effect::StoresThreadResult(_));
        let mut externals = self.facts.externals(node);
        if externals.any(|external| external.effects.iter().any(joins)) {
            for thread in self.facts.thread_functions() {
                for &ret in self.facts.returns(thread) {
                    f(Edge::Interference, Vertex::Touches(ret));
                }
            }
        }
    }

    fn decides(&self, node: NodeId, f: &mut dyn FnMut(Edge, Vertex)) {
        let function = self.facts.nodes.function(node);
        let mut value = |value: ValueId| f(Edge::Value, Vertex::Value(function, value));
        if let Stands::Terminator(terminator) = self.facts.nodes.stands_for(self.facts.module, node)
        {
            match terminator {
                Terminator::CondBr { cond, .. } => value(*cond),
                Terminator::Switch { value: on, .. } => value(*on),
                Terminator::IndirectBr { addr, .. } => value(*addr),
                // Whether it throws is decided where the throw is, and that is essential.
                Terminator::Invoke { .. } => self.calls(node, f),
                _ => {}
            }
        }
        f(Edge::Control, Vertex::Reached(node));
    }

    fn enters(&self, function: FuncId, f: &mut dyn FnMut(Edge, Vertex)) {
        for &site in self.facts.calls.callers(function) {
            self.calls(site, f);
        }
        for &site in self.facts.starts(function) {
            f(Edge::Control, Vertex::Touches(site));
        }
    }
}
