//! What is hunted: lines that the user names, assertions, and warnings of `lint`.

use analysis::abstraction::Target;
use analysis::external::Class;
use analysis::facts::Facts;
use analysis::{NodeId, Nodes, Stands};
use explore::Wanted;
use ir::debug::{FileId, LocId};
use ir::{FuncId, Module};

use crate::lint::{Located, SourcePlace, Warning, WarningKind, best};
use crate::load::Loaded;
use crate::relevance::StaticFacts;

/// What may go wrong at a target set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    Assertion,
    Race,
    Deadlock,
    /// The user wants to know what happens there.
    Lines,
}

/// Places at which threads are to be at the same time, each a thread of its own.
#[derive(Clone, Debug)]
pub(crate) struct TargetSet {
    pub aim: Aim,
    /// One sentence.
    pub message: String,
    pub targets: Vec<Target>,
    pub wanted: Wanted,
    /// Where the user finds them.
    pub places: Vec<SourcePlace>,
    /// The warning that it was made of.
    pub warning: Option<Warning>,
}

/// What facts are made of, for the abstraction.
pub(crate) fn facts_of<'a>(module: &'a Module, facts: &'a StaticFacts) -> Facts<'a> {
    Facts::of(module, &facts.nodes, &facts.points_to, &facts.calls)
}

/// A function with so few blocks that it fails on behalf of its callers.
const SMALL: usize = 6;

/// Every assertion that there is, in the order of the source.
pub(crate) fn assertions(module: &Module, facts: &StaticFacts) -> Vec<TargetSet> {
    let ground = facts_of(module, facts);
    let mut sets = Vec::new();
    for (function, body, flow) in ground.entered() {
        let f = &module.functions[function];
        if f.runtime {
            continue;
        }
        for &block in flow.cfg.order() {
            for node in facts.nodes.of_block(function, block) {
                let mut classes = ground.externals(node).map(|external| external.class);
                if !classes.any(|class| matches!(class, Class::Fails | Class::Asserts(_))) {
                    continue;
                }
                let callers = facts.calls.callers(function);
                let fails_for_others =
                    !f.params.is_empty() && body.blocks.len() <= SMALL && !callers.is_empty();
                let ways: Vec<Option<NodeId>> = match fails_for_others {
                    true => callers.iter().map(|call| Some(*call)).collect(),
                    false => vec![None],
                };
                for through in ways {
                    let shown = through.unwrap_or(node);
                    if !facts.calls.is_reachable(facts.nodes.function(shown)) {
                        continue;
                    }
                    let place = place(module, facts.nodes.loc(module, shown));
                    sets.push(TargetSet {
                        aim: Aim::Assertion,
                        message: format!("assertion at {}", short(&place)),
                        targets: vec![Target { at: node, through }],
                        wanted: Wanted::Fault,
                        places: vec![place],
                        warning: None,
                    });
                }
            }
        }
    }
    sets.sort_by_key(|set| key(&set.places));
    sets.dedup_by(|a, b| a.targets == b.targets);
    sets
}

fn key(places: &[SourcePlace]) -> (String, u32, u32) {
    let first = places.first().cloned().unwrap_or_default();
    (first.file, first.line, first.column)
}

/// Warnings as target sets, at most so many: the accesses of a race, the inner acquisitions of a
/// cycle of locks, the waits that may not end. And how many there are.
pub(crate) fn warnings(loaded: &Loaded, most: usize) -> (Vec<TargetSet>, usize) {
    let module = &loaded.program.module;
    let nodes = Nodes::of(module);
    let (found, count) = best(loaded, most);
    let set = |(warning, points): Located| {
        let aim = match warning.kind {
            WarningKind::Race => Aim::Race,
            _ => Aim::Deadlock,
        };
        let targets: Vec<Target> = points.iter().map(|stack| target(stack)).collect();
        let places: Vec<SourcePlace> = warning.steps.iter().map(user_place).collect();
        let locs = points.iter().map(|stack| user_loc(module, &nodes, stack));
        let locs: Vec<(FileId, u32)> = locs.collect();
        let wanted = match (aim, locs.as_slice()) {
            (Aim::Race, [a, b]) => {
                let mut lines = [*a, *b];
                lines.sort_unstable();
                Wanted::Race(lines)
            }
            _ => Wanted::Fault,
        };
        TargetSet {
            aim,
            message: warning.message.clone(),
            targets,
            wanted,
            places,
            warning: Some(warning),
        }
    };
    (found.into_iter().map(set).collect(), count)
}

/// The innermost place, and the call that led to its function.
fn target(stack: &[(FuncId, NodeId)]) -> Target {
    Target {
        at: stack[0].1,
        through: stack.get(1).map(|(_, call)| *call),
    }
}

/// The innermost place in the user's code.
fn user_loc(module: &Module, nodes: &Nodes, stack: &[(FuncId, NodeId)]) -> (FileId, u32) {
    let debug = &module.debug;
    let mut locs = stack.iter().map(|(function, node)| {
        let loc = debug.locs[nodes.loc(module, *node)];
        let is_own = !module.functions[*function].runtime
            && loc.is_known()
            && !debug.files[loc.file].starts_with("/usr/");
        (loc, is_own)
    });
    let found = locs.find(|(_, is_own)| *is_own);
    let loc = found.map_or(debug.locs[LocId(0)], |(loc, _)| loc);
    (loc.file, loc.line)
}

fn user_place(step: &crate::lint::Step) -> SourcePlace {
    let own = step
        .stack
        .iter()
        .find(|frame| frame.place.line != 0 && !frame.place.file.starts_with("/usr/"));
    own.or(step.stack.first())
        .map(|frame| frame.place.clone())
        .unwrap_or_default()
}

/// Lines as target sets: one for each function that the first line is in. `Err`: a line at which
/// there is nothing to execute.
pub(crate) fn at_lines(
    module: &Module,
    facts: &StaticFacts,
    lines: &[(String, u32)],
    message: String,
) -> Result<Vec<TargetSet>, (String, u32)> {
    let mut sets: Vec<TargetSet> = vec![TargetSet {
        aim: Aim::Lines,
        message,
        targets: Vec::new(),
        wanted: Wanted::Fault,
        places: Vec::new(),
        warning: None,
    }];
    let mut races = Vec::new();
    for (file, line) in lines {
        let nodes = nodes_at(module, facts, file, *line);
        let Some(first) = nodes.first() else {
            return Err((file.clone(), *line));
        };
        let loc = module.debug.locs[facts.nodes.loc(module, *first)];
        races.push((loc.file, loc.line));
        let place = place(module, facts.nodes.loc(module, *first));
        let with = |set: &TargetSet, node: &NodeId| {
            let mut set = set.clone();
            set.targets.push(Target::from(*node));
            set.places.push(place.clone());
            set
        };
        let next = sets
            .iter()
            .flat_map(|set| nodes.iter().map(|node| with(set, node)));
        sets = next.take(MOST_FUNCTIONS).collect();
    }
    if let [a, b] = races.as_slice() {
        let mut lines = [*a, *b];
        lines.sort_unstable();
        for set in &mut sets {
            set.wanted = Wanted::Race(lines);
        }
    }
    Ok(sets)
}

/// A line is in so many functions at most: instances of a template.
const MOST_FUNCTIONS: usize = 8;

/// What is executed at a line, in each function one node: where it accesses memory or calls, since a
/// thread can be stopped there.
fn nodes_at(module: &Module, facts: &StaticFacts, file: &str, line: u32) -> Vec<NodeId> {
    let debug = &module.debug;
    let is_file = |id: FileId| {
        let known = &debug.files[id];
        known == file || known.ends_with(&format!("/{}", file.trim_start_matches("./")))
    };
    let mut found = Vec::new();
    for (function, f) in module.functions.enumerate() {
        if f.body.is_none() || f.runtime || !facts.calls.is_reachable(function) {
            continue;
        }
        let at = facts.nodes.of_function(function).filter(|node| {
            let loc = debug.locs[facts.nodes.loc(module, *node)];
            loc.is_known() && loc.line == line && is_file(loc.file)
        });
        let at: Vec<NodeId> = at.collect();
        let is_telling = |node: &&NodeId| match facts.nodes.stands_for(module, **node) {
            Stands::Inst(inst) => {
                matches!(
                    inst.op,
                    ir::Op::Call(_) | ir::Op::Store { .. } | ir::Op::Rmw { .. }
                ) || is_shared(facts, **node)
            }
            Stands::Terminator(_) => false,
        };
        let best = at.iter().find(is_telling).or(at.first());
        found.extend(best);
    }
    found
}

fn is_shared(facts: &StaticFacts, node: NodeId) -> bool {
    let accesses = facts.points_to.accesses(node).iter();
    let mut objects = accesses.flat_map(|access| facts.points_to.objects_of(access));
    objects.any(|object| facts.threads.escapes(object))
}

pub(crate) fn place(module: &Module, loc: LocId) -> SourcePlace {
    let debug = &module.debug;
    let loc = debug.locs[loc];
    match loc.is_known() {
        true => SourcePlace {
            file: debug.files[loc.file].clone(),
            line: loc.line,
            column: loc.column,
        },
        false => SourcePlace::default(),
    }
}

/// `queue.c:12`
pub(crate) fn short(place: &SourcePlace) -> String {
    let file = place.file.rsplit('/').next().unwrap_or_default();
    format!("{file}:{}", place.line)
}
