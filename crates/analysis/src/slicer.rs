//! Which statements can matter, and which accesses the search has to interleave (P4, made sound:
//! the slice is complete before the search starts).

use ir::{Module, Terminator};

use crate::ahead::Ahead;
use crate::callgraph::CallGraph;
use crate::concurrency::{ByThreads, Concurrency};
use crate::elidable::Sections;
use crate::essential::{Essential, Properties, Question};
use crate::external::{Class, Sync};
use crate::facts::Facts;
use crate::node::{NodeId, NodeSet, Nodes};
use crate::points_to::PointsTo;
use crate::premises::{Certain, Premises};
use crate::reaching::Reaching;
use crate::schedule_independence::{can_be_independent, schedule_independence};
use crate::sdg::{Sdg, Vertex};
use crate::slice::{self, Slicing};
use crate::threads::Threads;

/// Slices a program.
pub struct Slicer<'a> {
    facts: Facts<'a>,
    concurrency: ByThreads<'a>,
    threads: &'a Threads,
}

/// What can matter to some properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relevance {
    /// Everything that the properties depend on.
    pub slice: NodeSet,
    /// The accesses to memory whose order with those of other threads matters. All others may be
    /// executed with whatever they find.
    pub scheduling: NodeSet,
    /// Locks and unlocks of elidable mutexes.
    pub elidable: NodeSet,
    /// Don't-care branches: the properties do not depend on the side that is taken (P1, section
    /// 6.1, "Type B"). See [`Properties::dont_care_branches`].
    pub dont_care_branches: NodeSet,
    /// From where something that matters can still be reached (P1, section 6.1: where nothing can
    /// is "Type A"). Only with [`Properties::dont_care_branches`].
    pub ahead: Option<Ahead>,
    /// There are locks that are not elidable.
    pub locks: bool,
    /// What executions have to check.
    pub premises: Premises,
    /// Only its own thread is known to touch a local.
    pub own_locals: bool,
    pub statistics: Statistics,
}

/// What the slice left out, in instructions of functions of the program itself that may be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Statistics {
    pub statements: usize,
    pub statements_in_slice: usize,
    pub accesses: usize,
    pub scheduling_points: usize,
    /// Calls that lock something.
    pub locks: usize,
    /// Those of elidable mutexes.
    pub elidable_locks: usize,
    /// Jumps on conditions that may depend on inputs.
    pub branches: usize,
    /// Don't-care branches: jumps that go one way only.
    pub dont_care_branches: usize,
}

impl<'a> Slicer<'a> {
    pub fn new(
        module: &'a Module,
        nodes: &'a Nodes,
        points_to: &'a PointsTo,
        calls: &'a CallGraph,
        threads: &'a Threads,
    ) -> Slicer<'a> {
        Slicer {
            facts: Facts::of(module, nodes, points_to, calls),
            concurrency: ByThreads::of(module, nodes, points_to, threads),
            threads,
        }
    }

    /// Hands out the dependence graph.
    pub fn with_graph<T>(&self, f: impl FnOnce(&Sdg, &dyn Concurrency) -> T) -> T {
        let reaching = Reaching::of(&self.facts, &self.concurrency);
        f(&Sdg::of(&self.facts, &reaching), &self.concurrency)
    }

    /// All that the nodes depend on: that they run, what they compute, read and write, which way
    /// they go.
    pub fn backward(&self, nodes: impl IntoIterator<Item = NodeId>) -> NodeSet {
        self.with_graph(|sdg, _| {
            let criteria = nodes.into_iter().flat_map(|node| sdg.all_about(node));
            slice::backward(sdg, criteria).nodes(sdg)
        })
    }

    /// If one schedule in which every thread comes to its end shows all that any schedule can show
    /// of the properties: what executions have to check of that. See
    /// [`crate::schedule_independence`].
    pub fn schedule_independence(&self, properties: Properties) -> Option<Premises> {
        if !can_be_independent(properties) {
            return None;
        }
        self.with_graph(|sdg, concurrency| {
            schedule_independence(sdg, concurrency, self.threads, properties)
        })
    }

    /// What can matter to the properties.
    pub fn relevant(&self, properties: Properties) -> Relevance {
        self.with_graph(|sdg, concurrency| {
            let mut sections = match properties.peeks {
                true => Sections::of(&self.facts, concurrency),
                false => Sections::default(),
            };
            let essential = Essential::of(sdg, concurrency, properties, Question::Search);
            let mut criteria = Criteria::of(sdg, &essential);
            if properties.dont_care_branches && !essential.jumps.is_empty() {
                criteria.ends = Some(Essential::ends(sdg));
            }
            let certain = Certain::of(&self.facts);
            loop {
                let elidable = sections.calls(&self.facts);
                // There are more of them every time.
                let is_observable =
                    |call: &Vertex| call.node().is_none_or(|node| !elidable.contains(node));
                let observable = essential.calls.iter().copied().filter(is_observable);
                criteria.add(observable);
                // What the mutexes hold to begin with.
                let made = sections.plain_writes(&self.facts, &elidable);
                criteria.add(made.iter().map(|node| Vertex::Writes(*node)));
                let (relevance, essential) =
                    self.given(sdg, &criteria, &essential, elidable, &certain);
                let is_observable =
                    |node| relevance.scheduling.contains(node) || essential.contains(node);
                let unseen = certain.unseen(&self.facts, &relevance.premises);
                let is_loud_write = |node: &NodeId| !relevance.elidable.contains(*node);
                let unseen: Vec<NodeId> = unseen.filter(is_loud_write).collect();
                let dropped = sections.drop_where(&self.facts, is_observable);
                if !dropped && unseen.is_empty() {
                    return relevance;
                }
                criteria.add(unseen.iter().map(|node| Vertex::Writes(*node)));
            }
        })
    }

    /// What can matter if these locks and unlocks do not; and what is essential of it.
    fn given(
        &self,
        sdg: &Sdg,
        criteria: &Criteria,
        found: &Essential,
        elidable: NodeSet,
        certain: &Certain,
    ) -> (Relevance, NodeSet) {
        let mut essential = criteria.nodes.clone();
        let dont_care_branches = match &criteria.ends {
            Some(ends) => self.dont_care_branches(sdg, criteria, ends),
            None => self.facts.nodes.none(),
        };
        let is_asked = |jump: &Vertex| {
            jump.node()
                .is_some_and(|node| !dont_care_branches.contains(node))
        };
        let (asked, unasked): (Vec<Vertex>, Vec<Vertex>) =
            found.jumps.iter().copied().partition(is_asked);
        for node in asked.iter().filter_map(|jump| jump.node()) {
            essential.insert(node);
        }
        let slice = criteria.slicing.grown(asked.iter().copied());
        let nodes = slice.nodes(sdg);
        let mut scheduling = found.ordered.clone();
        let mut statistics = Statistics::default();
        for (jumps, is_dont_care_branch) in [(&asked, false), (&unasked, true)] {
            let functions = jumps.iter().filter_map(|jump| jump.node());
            let functions = functions.map(|node| self.facts.nodes.function(node));
            let own = functions.filter(|f| !self.facts.module.functions[*f].runtime);
            let count = own.count();
            statistics.branches += count;
            statistics.dont_care_branches += if is_dont_care_branch { count } else { 0 };
        }
        let mut locks = false;
        for (function, ..) in self.facts.entered() {
            let is_own = !self.facts.module.functions[function].runtime;
            for node in self.facts.nodes.of_function(function) {
                let is_access = !self.facts.points_to.accesses(node).is_empty();
                if is_access && slice.has_access(sdg, node) {
                    scheduling.insert(node);
                }
                let is_lock = |class| matches!(class, Class::Synchronises(Sync::Lock { .. }));
                let is_lock = self.facts.externals(node).any(|e| is_lock(e.class));
                locks |= is_lock && !elidable.contains(node);
                if !is_own {
                    continue;
                }
                statistics.statements += 1;
                statistics.statements_in_slice += usize::from(nodes.contains(node));
                statistics.accesses += usize::from(is_access);
                let is_point = is_access && scheduling.contains(node);
                statistics.scheduling_points += usize::from(is_point);
                if is_lock {
                    statistics.locks += 1;
                    statistics.elidable_locks += usize::from(elidable.contains(node));
                }
            }
        }
        let ahead = (criteria.ends.is_some() && !asked.is_empty()).then(|| {
            let mut members = scheduling.clone();
            for node in criteria
                .nodes
                .iter()
                .filter(|node| !self.is_harmless(*node))
            {
                members.insert(node);
            }
            Ahead::of(&self.facts, &members)
        });
        let relevance = Relevance {
            slice: nodes,
            scheduling,
            premises: certain.premises(sdg, &slice, &elidable),
            elidable,
            dont_care_branches,
            ahead,
            locks,
            own_locals: found.own_locals,
            statistics,
        };
        (relevance, essential)
    }

    /// Whether the call matters only if something else comes after it: it names what is made, or
    /// ends or gives up what goes on.
    fn is_harmless(&self, node: NodeId) -> bool {
        let is_harmless = |class| {
            matches!(
                class,
                Class::ExitsProcess
                    | Class::GivesUp
                    | Class::Assumes(_)
                    | Class::Input
                    | Class::Allocates
            )
        };
        let mut externals = self.facts.externals(node).peekable();
        externals.peek().is_some() && externals.all(|external| is_harmless(external.class))
    }

    /// The jumps that no criterion depends on, with what decides how long code runs among the
    /// criteria: whichever way these go, each thread comes to the same member of the slice next
    /// (see [`crate::slice`]), and does come to it.
    fn dont_care_branches(&self, sdg: &Sdg, criteria: &Criteria, ends: &[Vertex]) -> NodeSet {
        let slice = criteria.slicing.grown(ends.iter().copied());
        let mut jumps = self.facts.nodes.none();
        for (function, body, flow) in self.facts.entered() {
            for &block in flow.cfg.order() {
                let node = self.facts.nodes.terminator(function, block);
                let terminator = &body.blocks[block].terminator;
                let is_jump = matches!(
                    terminator,
                    Terminator::CondBr { .. } | Terminator::Switch { .. }
                );
                if is_jump && !slice.contains(sdg, Vertex::Decides(node)) {
                    jumps.insert(node);
                }
            }
        }
        jumps
    }
}

/// What a slice starts from, and the slice.
struct Criteria<'s, 'a> {
    nodes: NodeSet,
    slicing: Slicing<'s, 'a>,
    /// What decides how long code runs, if there may be don't-care branches.
    ends: Option<Vec<Vertex>>,
}

impl<'s, 'a> Criteria<'s, 'a> {
    /// All but calls whose mutex may be elidable.
    fn of(sdg: &'s Sdg<'a>, essential: &Essential) -> Criteria<'s, 'a> {
        let mut criteria = Criteria {
            nodes: sdg.facts.nodes.none(),
            slicing: Slicing::new(sdg),
            ends: None,
        };
        criteria.add(essential.criteria.iter().copied());
        criteria
    }

    fn add(&mut self, vertices: impl Iterator<Item = Vertex> + Clone) {
        for node in vertices.clone().filter_map(Vertex::node) {
            self.nodes.insert(node);
        }
        self.slicing.grow(vertices);
    }
}

impl Sdg<'_> {
    /// All vertices of a node.
    pub fn all_about(&self, node: NodeId) -> Vec<Vertex> {
        let mut all = vec![Vertex::Runs(node), Vertex::Decides(node)];
        let accesses = self.facts.points_to.accesses(node);
        if !accesses.is_empty() || self.facts.call(node).is_some() {
            all.push(Vertex::Writes(node));
        }
        let function = self.facts.nodes.function(node);
        match self.facts.nodes.stands_for(self.facts.module, node) {
            crate::node::Stands::Inst(inst) => {
                let add = |value| all.push(Vertex::Value(function, value));
                inst.op.for_each_operand(add);
            }
            crate::node::Stands::Terminator(terminator) => {
                let add = |value| all.push(Vertex::Value(function, value));
                terminator.for_each_operand(add);
            }
        }
        all
    }
}
