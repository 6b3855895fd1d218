//! What the properties that are asked for depend on: accesses outside are no scheduling points
//! (P4), jumps on inputs outside are don't-care branches (P1, section 6.1, "Type B").

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::external::{Class, Sync};
use analysis::{
    Ahead, CallGraph, NodeId, NodeSet, Nodes, Part, PointsTo, Slicer, Stands, Statistics, Threads,
    Whole,
};
use ir::{BinOp, Callee, FuncId, Intrinsic, Module, Op, Terminator};
use machine::{Ends, Loose, Marks, Premises, Program, Property};

use crate::load::Loaded;

/// What is to be marked in a program.
#[derive(Clone, PartialEq)]
pub(crate) struct Wanted {
    pub properties: explore::Properties,
    /// Accesses on which no property depends are no scheduling points.
    pub slices: bool,
    /// Jumps on inputs on which none depends are don't-care branches. Only with a slice.
    pub dont_care_branches: bool,
    /// Critical sections are looked into.
    pub peeks: bool,
}

/// Facts that do not depend on what is asked.
pub(crate) struct StaticFacts {
    pub nodes: Nodes,
    pub points_to: PointsTo,
    pub calls: CallGraph,
    pub threads: Threads,
}

impl StaticFacts {
    pub fn of(module: &Module) -> StaticFacts {
        let nodes = Nodes::of(module);
        let points_to = PointsTo::of(module, &nodes);
        StaticFacts {
            calls: CallGraph::of(module, &nodes, &points_to),
            threads: Threads::of(module, &nodes, &points_to),
            nodes,
            points_to,
        }
    }
}

/// The program as it is searched.
pub(crate) struct Subject {
    /// With the accesses marked that are no scheduling points, and the don't-care branches.
    pub program: Arc<Program>,
    /// What they are, if any are left out.
    pub slice: Option<Statistics>,
    /// Some jumps on inputs are don't-care branches.
    pub has_dont_care_branches: bool,
    /// There are critical sections to look into, and this is wanted.
    pub peeks: bool,
    /// What the properties depend on, if that is known.
    pub members: Option<NodeSet>,
    /// Branches on which nothing depends.
    pub dont_care_branches: NodeSet,
    /// If one schedule shows all that any can show, should every thread come to its end in it: the
    /// program for that.
    pub single_schedule: Option<Arc<Program>>,
}

impl Subject {
    /// Whether executions have shown that something was left out that matters: nothing that was not
    /// found counts.
    pub fn is_refuted(&self) -> bool {
        self.program.premises.are_refuted()
    }

    pub fn of<'f>(
        loaded: &Loaded,
        wanted: &Wanted,
        facts: impl FnOnce() -> &'f StaticFacts,
    ) -> Subject {
        if wanted.slices {
            return sliced(loaded, wanted, facts());
        }
        Subject {
            program: Arc::clone(&loaded.program),
            slice: None,
            has_dont_care_branches: false,
            peeks: wanted.peeks,
            members: None,
            dont_care_branches: NodeSet::default(),
            single_schedule: None,
        }
    }
}

fn sliced(loaded: &Loaded, wanted: &Wanted, facts: &StaticFacts) -> Subject {
    let module = &*loaded.program.module;
    let StaticFacts {
        nodes,
        points_to,
        calls,
        threads,
    } = facts;
    let slicer = Slicer::new(module, nodes, points_to, calls, threads);
    let relevance = slicer.relevant(asked(wanted));
    let ahead = relevance.ahead.as_ref();
    let is_in = |set: fn(&Ahead) -> &NodeSet, node| ahead.is_none_or(|a| set(a).contains(node));
    let marks = |premises: &analysis::Premises, locks: bool, function, block, index: u32| {
        let node = nodes.at(function, block, index as usize);
        let is_invisible = !relevance.scheduling.contains(node)
            && may_be_invisible(module, nodes, points_to, node);
        let is_elidable = !locks && relevance.elidable.contains(node);
        Marks {
            invisible: is_invisible || is_elidable,
            elidable: is_elidable,
            dont_care_branches: relevance.dont_care_branches.contains(node),
            acts: !relevance.elidable.contains(node) && acts(module, nodes, points_to, node)
                || may_fail(module, nodes, premises, wanted, node),
            outside: !relevance.slice.contains(node),
            ahead: is_in(|ahead| &ahead.at, node),
            ahead_after: is_in(|ahead| &ahead.after, node),
            ..memory_marks(module, nodes, points_to, premises, node)
        }
    };
    let ends = ahead.zip(loaded.program.entries).map(|(ahead, entries)| {
        let registers = |name: &&str| {
            let function = module.function_named(name);
            function.is_some_and(|function| calls.is_reachable(function))
        };
        let registers = analysis::external::REGISTERING.iter().any(registers);
        Ends {
            process: entries.handlers.is_none() || registers && ahead.below[entries.exit],
            thread: registers && ahead.below[entries.end_thread],
        }
    });
    let checked = Checked {
        program: &loaded.program,
        nodes,
        points_to,
        calls,
    };
    let mut premises = checked.premises(&relevance.premises);
    premises.lasting = wanted.properties.contains(Property::Memory);
    premises.own_locals = relevance.own_locals;
    let marked = |found: &analysis::Premises, locks, premises| {
        let marks = |function, block, index| marks(found, locks, function, block, index);
        let mut program = loaded.program.with_marks(marks, ends, premises);
        checked.complete(&mut program, found);
        if !program.keeps_what_acts() {
            program.premises.refute();
        }
        Arc::new(program)
    };
    // What the outcome depends on is a part of what the search does: what goes one way for the
    // search does so here. Mutexes are locked.
    let single_schedule = slicer
        .schedule_independence(asked(wanted))
        .map(|agreement| {
            let mut premises = checked.premises(&agreement);
            premises.agreed = true;
            marked(&agreement, true, premises)
        });
    Subject {
        program: marked(&relevance.premises, false, premises),
        slice: Some(relevance.statistics),
        has_dont_care_branches: !relevance.dont_care_branches.is_empty(),
        dont_care_branches: relevance.dont_care_branches.clone(),
        peeks: wanted.peeks && relevance.locks,
        members: Some(relevance.slice.clone()),
        single_schedule,
    }
}

/// What a slice says of the memory that an instruction accesses.
fn memory_marks(
    module: &Module,
    nodes: &Nodes,
    points_to: &PointsTo,
    premises: &analysis::Premises,
    node: NodeId,
) -> Marks {
    Marks {
        reads: premises.reads.contains(node),
        writes: premises.writes.contains(node),
        updates: updates(module, nodes, points_to, node),
        certain: premises.certain.contains(node),
        ..Marks::default()
    }
}

/// Whether it does something that may matter whatever depends on it, told from the instruction
/// alone: then a slice that has forgotten it is noticed. Naming what is made, and ending or giving
/// up what goes on, matters only if something comes after it.
fn acts(module: &Module, nodes: &Nodes, points_to: &PointsTo, node: NodeId) -> bool {
    let calls = |call: &ir::Call| match call.callee {
        Callee::Direct(callee) => points_to.external(callee).is_some_and(|external| {
            use Class::*;
            !matches!(
                external.class,
                Output
                    | Moves
                    | Asks
                    | Nothing
                    | ExitsProcess
                    | GivesUp
                    | Assumes(_)
                    | Input
                    | Allocates
            )
        }),
        Callee::Indirect(_) => false,
    };
    match nodes.stands_for(module, node) {
        Stands::Inst(inst) => match &inst.op {
            Op::Call(call) => calls(call),
            Op::Unsupported { .. } => true,
            Op::Intrinsic { op, .. } => *op == Intrinsic::Trap,
            _ => false,
        },
        Stands::Terminator(Terminator::Invoke { call, .. }) => calls(call),
        Stands::Terminator(terminator) => matches!(terminator, Terminator::Resume { .. }),
    }
}

/// Whether it is a plain access or a division that may be an error, and such are asked for.
fn may_fail(
    module: &Module,
    nodes: &Nodes,
    premises: &analysis::Premises,
    wanted: &Wanted,
    node: NodeId,
) -> bool {
    let Stands::Inst(inst) = nodes.stands_for(module, node) else {
        return false;
    };
    match &inst.op {
        Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. } => {
            wanted.properties.contains(Property::Memory) && !premises.certain.contains(node)
        }
        Op::Bin {
            op: BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem,
            b,
            ..
        } => {
            let function = &module.functions[nodes.function(node)];
            let divisor = function
                .body
                .as_ref()
                .and_then(|body| body.values[*b].constant);
            // In Sleave's own library it depends on arguments, of which bounds are known.
            wanted.properties.contains(Property::DivisionByZero)
                && divisor.is_none()
                && !function.runtime
        }
        _ => false,
    }
}

/// Whether it reads where it writes. What makes or destroys a synchronisation object only writes.
fn updates(module: &Module, nodes: &Nodes, points_to: &PointsTo, node: NodeId) -> bool {
    let synchronises = |callee: &FuncId| {
        let external = analysis::external::of_id(module, *callee);
        external.is_some_and(|external| match external.class {
            Class::Synchronises(sync) => {
                !matches!(sync, Sync::Initialise { .. } | Sync::Destroy { .. })
            }
            _ => false,
        })
    };
    let op = match nodes.stands_for(module, node) {
        Stands::Inst(inst) => Some(&inst.op),
        Stands::Terminator(_) => None,
    };
    matches!(op, Some(Op::Rmw { .. } | Op::CmpXchg { .. }))
        || points_to.callees(node).iter().any(synchronises)
}

/// What may be written from the beginning.
fn loose_parts(found: &analysis::Premises) -> impl Iterator<Item = (&Part, Loose)> {
    let all = [(&found.loose, false), (&found.elidable, true)].into_iter();
    all.flat_map(|(parts, elidable)| {
        parts.iter().map(move |part| {
            let (from, to) = (part.from, part.to);
            (part, Loose { from, to, elidable })
        })
    })
}

/// What executions check.
struct Checked<'a> {
    program: &'a Program,
    nodes: &'a Nodes,
    points_to: &'a PointsTo,
    calls: &'a CallGraph,
}

impl Checked<'_> {
    /// Whom calls may reach, and what is loose from the beginning.
    fn premises(&self, found: &analysis::Premises) -> Premises {
        let module = &*self.program.module;
        let mut premises = Premises::default();
        let mut reached: BTreeMap<NodeId, Vec<FuncId>> = BTreeMap::new();
        for (node, functions) in self.calls.created() {
            reached.entry(*node).or_default().extend(functions);
        }
        for (function, f) in self.program.functions.iter().enumerate() {
            let function = FuncId::from(function);
            if !f.has_body || !analysis::external::is_entered(&module.functions[function]) {
                continue;
            }
            for (pc, (block, index)) in f.origins.iter().enumerate() {
                let node = self.nodes.at(function, *block, *index as usize);
                let Some(call) = analysis::call_at(module, self.nodes, node) else {
                    continue;
                };
                let callees = self.points_to.callees(node);
                if let Callee::Direct(callee) = call.callee {
                    // There is nothing to find out about such a call.
                    if self.calls.is_reachable(function) && !callees.contains(&callee) {
                        premises.refute();
                    }
                }
                let mut all = reached.get(&node).cloned().unwrap_or_default();
                if matches!(call.callee, Callee::Indirect(_)) {
                    all.extend(callees);
                }
                if !all.is_empty() {
                    premises.callees.insert((function, pc as u32), all.into());
                }
            }
        }
        for (part, loose) in loose_parts(found) {
            if let Whole::Global(global) | Whole::ThreadLocal(global) = part.of {
                premises.loose.push((global, loose));
            }
        }
        premises
    }

    /// What is loose of locals, and who is not thought to be called at all.
    fn complete(&self, program: &mut Program, found: &analysis::Premises) {
        let module = Arc::clone(&program.module);
        let mut loose: BTreeMap<NodeId, Vec<Loose>> = BTreeMap::new();
        for (part, at) in loose_parts(found) {
            if let Whole::Local(site) = part.of {
                loose.entry(site).or_default().push(at);
            }
        }
        for (id, f) in program.functions.iter_mut().enumerate() {
            let id = FuncId::from(id);
            let is_entered = analysis::external::is_entered(&module.functions[id]);
            f.absent = f.has_body && !(is_entered && self.calls.is_reachable(id));
            if !f.has_body || loose.is_empty() {
                continue;
            }
            let sites = f.origins.iter().map(|(block, index)| {
                let node = self.nodes.at(id, *block, *index as usize);
                loose.get(&node).cloned()
            });
            let sites: Vec<_> = sites.collect();
            f.make_loose(|pc| sites[pc].clone().unwrap_or_default());
        }
    }
}

fn asked(wanted: &Wanted) -> analysis::Properties {
    let has = |property| wanted.properties.contains(property);
    analysis::Properties {
        assertions: has(Property::Assertion),
        aborts: has(Property::Abort),
        unreachable: has(Property::Unreachable),
        deadlocks: has(Property::Deadlock),
        memory: has(Property::Memory),
        division: has(Property::DivisionByZero),
        locks: has(Property::LockMisuse),
        peeks: wanted.peeks,
        dont_care_branches: wanted.dont_care_branches,
    }
}

/// Plain accesses to memory, and functions that do nothing but that. Everything else is a
/// scheduling point wherever it matters to anyone.
fn may_be_invisible(module: &Module, nodes: &Nodes, points_to: &PointsTo, node: NodeId) -> bool {
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
