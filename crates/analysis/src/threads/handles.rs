//! Where the handles of threads are kept, and which threads a join waits for.
//!
//! A join whose handle is read from the place where a creation wrote it has joined that thread,
//! provided that the place was not written in between. `alive` looks after the latter: no write to
//! the place, by a creation or otherwise, may find one of these threads alive. For handles in
//! arrays there are loops: one that runs through all elements that another has run through before.

use fixedbitset::FixedBitSet;
use ir::{BlockId, Const, FuncId, Op, Terminator, ValueId};

use super::ThreadId;
use super::loops::{Counting, Loops};
use super::tree::{ContextId, Program, Tree};
use crate::address::{Address, Addresses, TermId};
use crate::callgraph::call_at;
use crate::definitions::Definitions;
use crate::external::Class;
use crate::node::{NodeId, Stands};

/// An address, seen from the context in which its terms have a meaning. `None`: it has none, and
/// means the same everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub context: Option<ContextId>,
    pub address: Address,
}

impl Spot {
    /// `self - other`, if known.
    pub fn distance(&self, other: &Spot) -> Option<i64> {
        (self.context == other.context)
            .then(|| self.address.distance(&other.address))
            .flatten()
    }
}

/// Elements of an array, as a counting loop names them: `base + scale * i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Where the loop is.
    pub context: ContextId,
    pub base: Spot,
    pub scale: i64,
    pub counting: Counting,
}

/// Where a creation writes the handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handle {
    Unknown,
    At(Spot),
    Among(Elements),
}

/// A join, and the threads that are over when it has returned.
pub struct Join {
    pub context: ContextId,
    /// Over after this node, or where the loop is left by this edge.
    pub after: After,
    pub threads: FixedBitSet,
    /// The instruction that reads the handle.
    pub reads: NodeId,
    pub spot: Spot,
    /// Its loop ends at a number that belongs to one call of this context.
    pub counts_in: Option<ContextId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    Node(NodeId),
    Edge(BlockId, BlockId),
}

pub struct Handles<'a> {
    pub program: Program<'a>,
    pub tree: &'a Tree,
    pub addresses: &'a Addresses,
    pub definitions: &'a Definitions,
    pub loops: &'a Loops<'a>,
}

impl Handles<'_> {
    /// The handle that a thread's creation writes.
    pub fn of_thread(&self, thread: ThreadId) -> Handle {
        let Some((context, node)) = self.tree.threads[thread].at else {
            return Handle::Unknown;
        };
        let started = &self.tree.threads[thread];
        let is_recursive = self
            .tree
            .callers(context)
            .any(|c| self.tree.contexts[c].is_recursive);
        if started.is_recursive || is_recursive || !self.is_joinable(node) {
            return Handle::Unknown;
        }
        let call = call_at(self.program.module, self.program.nodes, node).expect("a call");
        match call.args.first() {
            Some(place) => self.place(context, *place),
            None => Handle::Unknown,
        }
    }

    /// Where the argument points that a thread is given.
    pub fn of_argument(&self, thread: ThreadId) -> Handle {
        let Some((context, node)) = self.tree.threads[thread].at else {
            return Handle::Unknown;
        };
        if self.tree.threads[thread].is_recursive {
            return Handle::Unknown;
        }
        let Program {
            module,
            nodes,
            points_to,
        } = self.program;
        let call = call_at(module, nodes, node).expect("a call");
        let position = points_to.externals(node).find_map(|e| match e.class {
            Class::Creates { argument, .. } => Some(argument),
            _ => None,
        });
        match position.and_then(|position| call.args.get(position)) {
            Some(argument) => self.place(context, *argument),
            None => Handle::Unknown,
        }
    }

    /// No attributes say that it is detached from the start.
    fn is_joinable(&self, node: NodeId) -> bool {
        let Program { module, nodes, .. } = self.program;
        let call = call_at(module, nodes, node).expect("a call");
        let body = module.functions[nodes.function(node)].body.as_ref();
        let attributes = call
            .args
            .get(1)
            .map(|arg| &body.expect("a body").values[*arg]);
        let has_none = attributes.is_some_and(|a| matches!(a.constant, Some(Const::Bits(0))));
        has_none
            || module
                .function_named("pthread_attr_setdetachstate")
                .is_none()
    }

    pub fn place(&self, context: ContextId, pointer: ValueId) -> Handle {
        let function = self.tree.contexts[context].function;
        let address = self.addresses.get(function, pointer).clone();
        let (context, address) = self.lifted(context, address);
        if let Some(spot) = self.spot(context, address.clone()) {
            return Handle::At(spot);
        }
        let function = self.tree.contexts[context].function;
        self.elements(context, function, &address)
            .map_or(Handle::Unknown, Handle::Among)
    }

    /// An address relative to a parameter, as the callers see it.
    fn lifted(&self, mut context: ContextId, mut address: Address) -> (ContextId, Address) {
        while let Some(value) = self
            .addresses
            .base(self.tree.contexts[context].function, &address)
        {
            let Program { module, nodes, .. } = self.program;
            let (outer, origin) = self.tree.origin(module, nodes, context, value);
            if outer == context {
                break;
            }
            let outside = self
                .addresses
                .get(self.tree.contexts[outer].function, origin);
            address = outside.moved(address.offset);
            context = outer;
        }
        (context, address)
    }

    /// The address as the outermost context knows it. `None` if it contains a value that may
    /// change.
    pub fn spot(&self, context: ContextId, address: Address) -> Option<Spot> {
        let (context, address) = self.lifted(context, address);
        if address.terms.is_empty() {
            return Some(Spot {
                context: None,
                address,
            });
        }
        let function = self.tree.contexts[context].function;
        let value = self.addresses.base(function, &address)?;
        // Assigned once for every call of the function.
        self.is_fixed(function, value).then_some(Spot {
            context: Some(context),
            address,
        })
    }

    /// Parameters, and results of instructions outside all loops.
    fn is_fixed(&self, function: FuncId, value: ValueId) -> bool {
        match self.definitions.of(function, value) {
            Some(node) => !self
                .loops
                .is_in_cycle(function, self.program.nodes.block(node)),
            None => {
                let body = self.program.module.functions[function].body.as_ref();
                body.expect("a body").params.contains(&value)
            }
        }
    }

    fn elements(
        &self,
        context: ContextId,
        function: FuncId,
        address: &Address,
    ) -> Option<Elements> {
        let find = |&(term, scale): &(TermId, i64)| {
            let value = self.addresses.plain_term(function, term)?;
            let counting = self.loops.counting(function, value)?;
            Some((term, scale, counting.clone()))
        };
        let (term, scale, counting) = address.terms.iter().find_map(find)?;
        let mut base = address.clone();
        base.terms.retain(|t| t.0 != term);
        Some(Elements {
            context,
            base: self.spot(context, base)?,
            scale,
            counting,
        })
    }

    /// All joins of which it is known for which threads they wait.
    pub fn joins(&self, handles: &[Handle], detached: &FixedBitSet) -> Vec<Join> {
        let mut joins = Vec::new();
        for context in self.tree.contexts.ids() {
            let function = self.tree.contexts[context].function;
            if !self.tree.relevant.contains(function.index()) {
                continue;
            }
            for node in self.program.nodes.of_function(function) {
                let Some(call) = call_at(self.program.module, self.program.nodes, node) else {
                    continue;
                };
                for external in self.program.points_to.externals(node) {
                    if let Class::Joins { thread } = external.class
                        && let Some(value) = call.args.get(thread)
                        && let Some(join) = self.join(context, node, *value, handles, detached)
                    {
                        joins.push(join);
                    }
                }
            }
        }
        joins
    }

    fn join(
        &self,
        context: ContextId,
        node: NodeId,
        value: ValueId,
        handles: &[Handle],
        detached: &FixedBitSet,
    ) -> Option<Join> {
        let Program { module, nodes, .. } = self.program;
        let (holder, origin) = self.tree.origin(module, nodes, context, value);
        let function = self.tree.contexts[holder].function;
        let reads = self.definitions.of(function, origin)?;
        let Stands::Inst(inst) = nodes.stands_for(module, reads) else {
            return None;
        };
        let Op::Load { ptr, .. } = inst.op else {
            return None;
        };
        let round = self.call_in(holder, context, node)?;
        if !self.is_at_once(holder, reads, round, context) {
            return None;
        }
        let thread = self.tree.contexts[context].thread;
        let mut threads = FixedBitSet::with_capacity(self.tree.threads.len());
        let mut add = |id: usize| {
            let is_child = self.tree.parent(ThreadId::from(id)) == Some(thread);
            if is_child && !detached.contains(id) {
                threads.insert(id);
            }
        };
        let mut counts_in = None;
        let (after, spot) = match self.place(holder, ptr) {
            Handle::Unknown => return None,
            Handle::At(spot) => {
                let is_here = |handle: &Handle| matches!(handle, Handle::At(at) if at.distance(&spot) == Some(0));
                let found = handles.iter().enumerate().filter(|(_, h)| is_here(h));
                found.for_each(|(id, _)| add(id));
                (After::Node(node), spot)
            }
            Handle::Among(elements) => {
                if elements.context != holder || !self.is_always_reached(holder, context, node) {
                    return None;
                }
                let exit = self.loops.exit(&elements.counting, nodes.block(round))?;
                let found = handles.iter().enumerate();
                let found = found.filter(|(_, handle)| covers(&elements, handle));
                found.for_each(|(id, _)| add(id));
                counts_in = (!elements.counting.is_numbered()).then_some(holder);
                (After::Edge(elements.counting.header, exit), elements.base)
            }
        };
        let edge_context = match after {
            After::Node(_) => context,
            After::Edge(..) => holder,
        };
        (!threads.is_clear()).then_some(Join {
            context: edge_context,
            after,
            threads,
            reads,
            spot,
            counts_in,
        })
    }

    /// Whether no thread is created between reading the handle and waiting for it: both stand in
    /// one block without another call between them, and the calls that lead to the join do nothing
    /// else about threads.
    fn is_at_once(
        &self,
        holder: ContextId,
        reads: NodeId,
        round: NodeId,
        innermost: ContextId,
    ) -> bool {
        let Program { module, nodes, .. } = self.program;
        if nodes.function(reads) != nodes.function(round)
            || nodes.block(reads) != nodes.block(round)
            || reads > round
        {
            return false;
        }
        let mut between = (reads.0 + 1..round.0).map(NodeId);
        if between.any(|node| call_at(module, nodes, node).is_some()) {
            return false;
        }
        let mut called = self.tree.callers(innermost).take_while(|c| *c != holder);
        called.all(|context| {
            let context = &self.tree.contexts[context];
            let others = if context.function == self.tree.contexts[innermost].function {
                0
            } else {
                1
            };
            context.starts.is_empty() && context.callees.len() <= others
        })
    }

    /// Whether every call that leads from `outer` to the node returns only after the node was
    /// executed.
    fn is_always_reached(&self, outer: ContextId, inner: ContextId, node: NodeId) -> bool {
        let Program { module, nodes, .. } = self.program;
        let (mut context, mut node) = (inner, node);
        while context != outer {
            let function = self.tree.contexts[context].function;
            let body = module.functions[function].body.as_ref().expect("a body");
            // Is there a way to a return around the node's block?
            let mut seen = FixedBitSet::with_capacity(body.blocks.len());
            seen.insert(nodes.block(node).index());
            let mut stack = vec![BlockId(0)];
            while let Some(block) = stack.pop() {
                if seen.put(block.index()) {
                    continue;
                }
                let terminator = &body.blocks[block].terminator;
                if matches!(terminator, Terminator::Ret(_)) {
                    return false;
                }
                terminator.for_each_successor(|next| stack.push(next));
            }
            match self.tree.contexts[context].caller {
                Some((caller, call)) => (context, node) = (caller, call),
                None => return false,
            }
        }
        true
    }

    /// The node of the outer context by which the inner one executes the node, if that is once for
    /// every time that the outer one comes there.
    pub fn once_in(&self, outer: ContextId, inner: ContextId, node: NodeId) -> Option<NodeId> {
        let nodes = self.program.nodes;
        let (mut context, mut node) = (inner, node);
        while context != outer {
            let function = self.tree.contexts[context].function;
            if self.loops.is_in_cycle(function, nodes.block(node)) {
                return None;
            }
            (context, node) = self.tree.contexts[context].caller?;
        }
        Some(node)
    }

    /// The node of `outer` by which `inner` executes `node`.
    fn call_in(&self, outer: ContextId, inner: ContextId, node: NodeId) -> Option<NodeId> {
        let (mut context, mut node) = (inner, node);
        while context != outer {
            (context, node) = self.tree.contexts[context].caller?;
        }
        Some(node)
    }
}

/// Whether the loop that joins reaches all that was created.
fn covers(joined: &Elements, created: &Handle) -> bool {
    match created {
        Handle::Unknown => false,
        Handle::Among(created) => {
            (created.context == joined.context || joined.counting.is_numbered())
                && created.base == joined.base
                && created.scale == joined.scale
                && created.counting.is_within(&joined.counting)
        }
        Handle::At(spot) => spot.distance(&joined.base).is_some_and(|distance| {
            joined.scale != 0
                && distance % joined.scale == 0
                && joined.counting.contains(distance / joined.scale)
        }),
    }
}

/// Whether the two creations certainly write their handles to different places.
pub fn are_apart(a: &Handle, b: &Handle, bytes: i64) -> bool {
    match (a, b) {
        (Handle::At(a), Handle::At(b)) => a.distance(b).is_some_and(|d| d.abs() >= bytes),
        (Handle::At(one), Handle::Among(many)) | (Handle::Among(many), Handle::At(one)) => {
            let distance = one.distance(&many.base);
            distance.is_some_and(|distance| {
                many.scale.abs() >= bytes
                    && distance % many.scale == 0
                    && many.counting.excludes(distance / many.scale)
            })
        }
        (Handle::Among(a), Handle::Among(b)) => {
            a.base == b.base
                && a.scale == b.scale
                && a.scale.abs() >= bytes
                && a.counting.is_apart_from(&b.counting)
        }
        _ => false,
    }
}
