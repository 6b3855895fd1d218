//! What the properties that are asked for depend on: accesses outside are no scheduling points (P4), jumps on inputs outside go one
//! way (P1, section 6.1, "Type B").

use std::sync::Arc;
use std::time::{Duration, Instant};

use analysis::external::Class;
use analysis::{
    Ahead, CallGraph, NodeId, NodeSet, Nodes, PointsTo, Slicer, Stands, Statistics, Threads,
};
use explore::Reduction;
use ir::{Module, Op};
use machine::{Ends, Marks, Program, Property};
use serde::{Deserialize, Serialize};

use crate::check::Options;
use crate::load::Loaded;
use crate::strategy::Strategy;

/// Which operations may depend on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependence {
    /// Those that access the same, one of them writing.
    #[default]
    Conflict,
    /// Of these, those on which a property may depend.
    Predicate,
}

impl Options {
    /// Races are found by looking at every access, leaks by looking at all that is left.
    pub(crate) fn slices(&self) -> bool {
        self.dependence == Dependence::Predicate && !self.properties.contains(Property::Race)
    }

    /// What goes one way may have to be searched again: see [`crate::check`]. A search that is left and taken up is one and the
    /// same.
    pub(crate) fn goes_one_way(&self) -> bool {
        let can_leave = self.resume.is_some() || self.checkpoint.is_some();
        self.one_way && self.slices() && !can_leave && self.executions.is_none()
    }

    /// Races are about accesses that were made, which a summary does not tell. What is seen of writes is known at the end of
    /// executions.
    pub(crate) fn prunes(&self) -> bool {
        self.reduction != Reduction::Optimal
            && !self.independence.observers
            && matches!(self.strategy, Strategy::Exhaustive | Strategy::Attack)
            && !self.properties.contains(Property::Race)
    }

    pub(crate) fn peeks(&self) -> bool {
        let looks_at_steps = self.reduction != Reduction::None
            && matches!(self.strategy, Strategy::Exhaustive | Strategy::Attack);
        self.peek && looks_at_steps && !self.properties.contains(Property::Race)
    }
}

/// The program as it is searched.
pub(crate) struct Subject {
    /// With the accesses marked that are no scheduling points, and the jumps that go one way.
    pub program: Arc<Program>,
    /// What they are, if any are left out.
    pub slice: Option<Statistics>,
    /// Some jumps on inputs go one way.
    pub goes_one_way: bool,
    /// There are critical sections to look into, and this is wanted.
    pub peeks: bool,
    /// One schedule shows all that any can show, if every thread comes to its end in it.
    pub agrees: bool,
    /// What it took to find that out.
    pub took: Duration,
}

impl Subject {
    pub fn of(loaded: &Loaded, options: &Options) -> Subject {
        if options.slices() {
            return sliced(loaded, options);
        }
        Subject {
            program: Arc::clone(&loaded.program),
            slice: None,
            goes_one_way: false,
            peeks: options.peeks(),
            agrees: false,
            took: Duration::ZERO,
        }
    }
}

fn sliced(loaded: &Loaded, options: &Options) -> Subject {
    let begin = Instant::now();
    let module = &*loaded.program.module;
    let nodes = Nodes::of(module);
    let points_to = PointsTo::of(module, &nodes);
    let calls = CallGraph::of(module, &nodes, &points_to);
    let threads = Threads::of(module, &nodes, &points_to);
    let slicer = Slicer::new(module, &nodes, &points_to, &calls, &threads);
    let relevance = slicer.relevant(asked(options));
    let ahead = relevance.ahead.as_ref();
    let is_in = |set: fn(&Ahead) -> &NodeSet, node| ahead.is_none_or(|a| set(a).contains(node));
    let marks = |function, block, index| {
        let node = nodes.at(function, block, index as usize);
        let is_private = !relevance.scheduling.contains(node)
            && may_be_private(module, &nodes, &points_to, node);
        Marks {
            private: is_private || relevance.quiet.contains(node),
            one_way: relevance.one_way.contains(node),
            outside: !relevance.slice.contains(node),
            ahead: is_in(|ahead| &ahead.at, node),
            ahead_after: is_in(|ahead| &ahead.after, node),
        }
    };
    let ends = ahead.zip(loaded.program.entries).map(|(ahead, entries)| {
        let registers = |name: &&str| {
            let function = module.function_named(name);
            function.is_some_and(|function| calls.is_reachable(function))
        };
        let registers = REGISTERING.iter().any(registers);
        Ends {
            process: entries.handlers.is_none() || registers && ahead.below[entries.exit],
            thread: registers && ahead.below[entries.end_thread],
        }
    });
    Subject {
        program: Arc::new(loaded.program.with_marks(marks, ends)),
        slice: Some(relevance.statistics),
        goes_one_way: !relevance.one_way.is_empty(),
        peeks: options.peeks() && relevance.locks,
        agrees: slicer.all_schedules_agree(asked(options)),
        took: begin.elapsed(),
    }
}

/// Whoever wants something done at the end of a thread or of the process calls one of these.
const REGISTERING: [&str; 5] = [
    "atexit",
    "__cxa_atexit",
    "__cxa_thread_atexit",
    "pthread_key_create",
    "tss_create",
];

fn asked(options: &Options) -> analysis::Properties {
    let has = |property| options.properties.contains(property);
    analysis::Properties {
        assertions: has(Property::Assertion),
        aborts: has(Property::Abort),
        unreachable: has(Property::Unreachable),
        deadlocks: has(Property::Deadlock),
        memory: has(Property::Memory),
        division: has(Property::DivisionByZero),
        locks: has(Property::LockMisuse),
        peeks: options.peeks(),
        one_way: options.goes_one_way(),
    }
}

/// Plain accesses to memory, and functions that do nothing but that. Everything else is a scheduling point wherever it matters
/// to anyone.
fn may_be_private(module: &Module, nodes: &Nodes, points_to: &PointsTo, node: NodeId) -> bool {
    let Stands::Inst(inst) = nodes.stands_for(module, node) else {
        return false;
    };
    match &inst.op {
        Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. } => true,
        Op::Intrinsic { .. } => true,
        Op::Call(_) => points_to.callees(node).iter().all(|callee| {
            let external = analysis::external::of_id(module, *callee);
            external.is_some_and(|e| matches!(e.class, Class::Output | Class::Moves))
        }),
        _ => false,
    }
}
