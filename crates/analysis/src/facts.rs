//! What the dependence analyses start from, together.

use base::IndexVec;
use ir::{Body, Call, FuncId, Module, ValueId};
use rustc_hash::FxHashMap;

use crate::callgraph::{CallGraph, call_at};
use crate::cfg::Cfg;
use crate::control::Control;
use crate::dominance::DominatorTree;
use crate::external::{self, Class, External};
use crate::node::{NodeId, Nodes};
use crate::points_to::PointsTo;

/// Control flow and classic control dependence of one function.
pub struct Flow {
    pub cfg: Cfg,
    pub control: Control,
}

impl Flow {
    pub fn of(body: &Body) -> Flow {
        let cfg = Cfg::of(body);
        let control = Control::classic(&cfg, &DominatorTree::post_dominators(&cfg));
        Flow { cfg, control }
    }
}

/// A program and the facts about it that others are made of.
pub struct Facts<'a> {
    pub module: &'a Module,
    pub nodes: &'a Nodes,
    pub points_to: &'a PointsTo,
    pub calls: &'a CallGraph,
    /// Of the functions that the machine enters.
    flows: IndexVec<FuncId, Option<Flow>>,
    /// The nodes at which a function returns.
    returns: IndexVec<FuncId, Vec<NodeId>>,
    /// The calls that start a function as a thread.
    starts: FxHashMap<FuncId, Vec<NodeId>>,
}

impl<'a> Facts<'a> {
    pub fn of(
        module: &'a Module,
        nodes: &'a Nodes,
        points_to: &'a PointsTo,
        calls: &'a CallGraph,
    ) -> Facts<'a> {
        let mut flows = IndexVec::new();
        let mut returns = IndexVec::new();
        for (function, f) in module.functions.enumerate() {
            let body = f.body.as_ref();
            let body = body.filter(|_| external::is_entered(f) && calls.is_reachable(function));
            let flow = body.map(Flow::of);
            let mut found = Vec::new();
            if let (Some(body), Some(flow)) = (body, &flow) {
                for &block in flow.cfg.order() {
                    if matches!(body.blocks[block].terminator, ir::Terminator::Ret(_)) {
                        found.push(nodes.terminator(function, block));
                    }
                }
            }
            flows.push(flow);
            returns.push(found);
        }
        let mut starts: FxHashMap<FuncId, Vec<NodeId>> = FxHashMap::default();
        for (node, functions) in calls.created() {
            for function in functions {
                starts.entry(*function).or_default().push(*node);
            }
        }
        Facts {
            module,
            nodes,
            points_to,
            calls,
            flows,
            returns,
            starts,
        }
    }

    /// `None` if the function is never entered.
    pub fn flow(&self, function: FuncId) -> Option<&Flow> {
        self.flows[function].as_ref()
    }

    /// The functions that may be entered, with their bodies and flow.
    pub fn entered(&self) -> impl Iterator<Item = (FuncId, &'a Body, &Flow)> {
        let module = self.module;
        self.flows.enumerate().filter_map(move |(function, flow)| {
            let body = module.functions[function].body.as_ref()?;
            Some((function, body, flow.as_ref()?))
        })
    }

    pub fn body(&self, function: FuncId) -> &'a Body {
        let body = self.module.functions[function].body.as_ref();
        body.expect("a function that is entered")
    }

    pub fn call(&self, node: NodeId) -> Option<&'a Call> {
        call_at(self.module, self.nodes, node)
    }

    pub fn returns(&self, function: FuncId) -> &[NodeId] {
        &self.returns[function]
    }

    pub fn starts(&self, function: FuncId) -> &[NodeId] {
        self.starts.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The functions that are started as threads.
    pub fn thread_functions(&self) -> impl Iterator<Item = FuncId> + '_ {
        let mut functions: Vec<FuncId> = self.starts.keys().copied().collect();
        functions.sort_unstable();
        functions.into_iter()
    }

    /// The functions that the call may enter.
    pub fn entered_by(&self, node: NodeId) -> impl Iterator<Item = FuncId> + '_ {
        let callees = self.points_to.callees(node).iter().copied();
        callees.filter(|callee| self.flows[*callee].is_some())
    }

    /// What the call means, as far as it reaches functions that are not entered.
    pub fn externals(&self, node: NodeId) -> impl Iterator<Item = External> + '_ {
        self.points_to.externals(node)
    }

    /// Whether it is an assumption that says which values an input may have. The runtime makes only
    /// such, and there is always a value that fits: no execution ends there.
    pub fn says_what_inputs_are(&self, node: NodeId) -> bool {
        let assumes = |external: External| matches!(external.class, Class::Assumes(_));
        self.module.functions[self.nodes.function(node)].runtime
            && self.externals(node).all(assumes)
    }

    /// Whether the function calls `setjmp`, so that control may come back to it from anywhere
    /// below.
    pub fn returns_twice(&self, function: FuncId) -> bool {
        let calls = self.calls.calls(function).iter();
        let mut externals = calls.flat_map(|node| self.externals(*node));
        externals.any(|external| external.class == Class::Saves)
    }

    /// The values that become parameter `index` of `function`, with the functions that they are
    /// values of.
    pub fn arguments(&self, function: FuncId, index: usize, mut f: impl FnMut(FuncId, ValueId)) {
        for &site in self.calls.callers(function) {
            if let Some(argument) = self.call(site).and_then(|call| call.args.get(index)) {
                f(self.nodes.function(site), *argument);
            }
        }
        // A thread starts with the argument of its creation; the one that the machine starts in
        // place of others gets all.
        for &site in self.starts(function) {
            let call = self.call(site).expect("a call");
            call.args
                .iter()
                .for_each(|argument| f(self.nodes.function(site), *argument));
        }
    }
}
