//! Static facts against executions, on random programs with pointers, records, heap and function
//! pointers.
//!
//! - Where pointers may point: two accesses that touched the same byte may touch the same byte, and
//!   an access to a global may touch that global there; calls reach whom they may reach.
//! - What a slice leaves out does not matter: values that are loaded and stored outside of it are
//!   replaced by others, in the program itself, and a search of everything finds the same
//!   assertions failing.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use analysis::{
    AccessKind, CallGraph, NodeId, NodeSet, Nodes, ObjectKind, PointsTo, Slicer, Threads,
};
use ir::{BinOp, Body, Inst, Module, Op, Symbol, Type, Value, ValueId};
use machine::{
    Answer, End, EventKind, Inputs, Machine, Probes, Program, Question, Setup, SharedSet, Situation,
};
use verify::{Explore, Loaded, Options, Pieces, Property, Quiet, Search, Verdict};

fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("SLEAVE_CAMPAIGN") else {
        return usual;
    };
    let (first, last) = text.split_once("..").expect("FIRST..LAST");
    first.parse().expect("a seed")..last.parse().expect("a seed")
}

/// Every third program has no threads.
fn load(seed: u64) -> Loaded {
    let source = oracle::pointer_program(seed, (seed % 3) as usize);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, source).expect("the file is written");
    verify::load(&[file], &["-w".to_string()]).expect("a program that compiles")
}

/// Executions of one program, at most: those that have more are left out.
const MOST_EXECUTIONS: u64 = 3000;

fn options() -> Options {
    let pieces = Pieces {
        executions: Some(MOST_EXECUTIONS),
        ..Pieces::default()
    };
    Options {
        all: true,
        ..Options::with(Explore {
            pieces: Some(pieces),
            ..Explore::of(Search::optimal())
        })
    }
}

/// A number of the sequence that begins with the seed, for choices that need not be good.
fn draw(state: &mut u64, below: usize) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % below
}

#[test]
fn accesses_go_where_pointers_may_point() {
    let (mut runs, mut accesses) = (0, 0);
    for seed in seeds(0..60) {
        let loaded = load(seed);
        let module = &loaded.program.module;
        let nodes = Nodes::of(module);
        let points_to = PointsTo::of(module, &nodes);
        let checked = verify::check(&loaded, &options(), &mut Quiet).expect("it is checked");
        for number in 0..4 {
            let shared = &checked.shared;
            let touches = execute(&loaded.program, shared, &nodes, seed * 4 + number);
            accesses += touches.len();
            runs += 1;
            check_globals(&loaded.program, &nodes, &points_to, &touches, seed);
            check_aliases(module, &nodes, &points_to, &touches, seed);
        }
    }
    eprintln!("{accesses} accesses in {runs} runs");
    assert!(accesses > 10 * runs);
}

/// An access that was made.
struct Touch {
    node: NodeId,
    kind: AccessKind,
    address: u64,
    bytes: u64,
}

/// All accesses of one execution, on a schedule drawn at random.
fn execute(program: &Arc<Program>, shared: &SharedSet, nodes: &Nodes, seed: u64) -> Vec<Touch> {
    let inputs = Inputs::Concrete(BTreeMap::new());
    let setup = Setup {
        shared: shared.clone(),
        inputs,
        probes: Probes::default().with_recorder(),
        ..Setup::default()
    };
    let mut machine = Machine::start(Arc::clone(program), setup).expect("it starts");
    let mut state = seed;
    loop {
        match machine.advance().clone() {
            Situation::End(End::Normal | End::Fault(_)) => break,
            Situation::Schedule => {
                let enabled = machine.enabled().to_vec();
                machine.schedule(enabled[draw(&mut state, enabled.len())]);
            }
            Situation::Ask(Question::Choice(count)) => {
                let choice = draw(&mut state, count as usize);
                machine.answer(Answer::Number(choice as u128));
            }
            Situation::Spin | Situation::Await { .. } => machine.yield_spinning(),
            other => panic!("these programs end well or fail: {other:?}"),
        }
    }
    let mut touches = Vec::new();
    for event in machine.take_events() {
        let Some((function, block, index)) = event.instruction else {
            continue;
        };
        let node = nodes.at(function, block, index as usize);
        let (address, bytes, kinds) = match event.kind {
            EventKind::Read { address, bytes, .. } => (address, bytes, &[AccessKind::Read][..]),
            EventKind::Write { address, bytes, .. } => (address, bytes, &[AccessKind::Write][..]),
            EventKind::Update { address, bytes, .. }
            | EventKind::CompareExchange { address, bytes, .. } => {
                (address, bytes, &[AccessKind::Read, AccessKind::Write][..])
            }
            _ => continue,
        };
        touches.extend(kinds.iter().map(|kind| Touch {
            node,
            kind: *kind,
            address,
            bytes: u64::from(bytes),
        }));
    }
    touches
}

/// A node, for a message.
fn show(module: &Module, nodes: &Nodes, node: NodeId) -> String {
    let line = module.debug.locs[nodes.loc(module, node)].line;
    let function = &module.functions[nodes.function(node)].name;
    format!(
        "{:?} in {function}, line {line}",
        nodes.stands_for(module, node)
    )
}

fn check_globals(
    program: &Program,
    nodes: &Nodes,
    points_to: &PointsTo,
    touches: &[Touch],
    seed: u64,
) {
    let module = &program.module;
    let mut globals = BTreeMap::new();
    for (id, global) in module.globals.enumerate() {
        if !global.thread_local {
            globals.insert(program.address_of(Symbol::Global(id)), (id, global.size));
        }
    }
    for touch in touches {
        let Some((start, (global, size))) = globals.range(..=touch.address).next_back() else {
            continue;
        };
        let offset = touch.address - start;
        if offset >= *size {
            continue;
        }
        let mut accesses = points_to.accesses(touch.node).iter();
        let is_known = accesses.any(|access| {
            let mut places = points_to.places(access.locations).iter();
            access.kind == touch.kind
                && places.any(|place| match points_to.objects()[place.object].kind {
                    ObjectKind::Anything => true,
                    ObjectKind::Global(other) => {
                        let begin = place.offset;
                        let inside = (offset as i64).checked_sub(begin);
                        let whole = access.bytes.is_none_or(|bytes| {
                            inside.is_some_and(|d| d >= 0 && (d as u64) < bytes)
                        });
                        other == *global && (place.may_be(offset as i64) || whole)
                    }
                    _ => false,
                })
        });
        assert!(
            is_known,
            "seed {seed}: {:?} of {} + {offset} by {}",
            touch.kind,
            module.globals[*global].name,
            show(module, nodes, touch.node)
        );
    }
}

/// An address is never given to another object, so a byte has one meaning in an execution.
fn check_aliases(
    module: &Module,
    nodes: &Nodes,
    points_to: &PointsTo,
    touches: &[Touch],
    seed: u64,
) {
    let mut by_byte: BTreeMap<u64, BTreeSet<NodeId>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for touch in touches {
        for byte in touch.address..touch.address + touch.bytes {
            let before = by_byte.entry(byte).or_default();
            before.insert(touch.node);
            for &other in &*before {
                if !known.insert((touch.node, other)) {
                    continue;
                }
                let (ours, theirs) = (points_to.accesses(touch.node), points_to.accesses(other));
                let overlap = ours
                    .iter()
                    .any(|a| theirs.iter().any(|b| points_to.may_overlap(a, b)));
                assert!(
                    overlap,
                    "seed {seed}: both touch one byte:\n{}\n{}",
                    show(module, nodes, touch.node),
                    show(module, nodes, other)
                );
            }
        }
    }
}

#[test]
fn what_a_slice_leaves_out_does_not_matter() {
    let (mut compared, mut changed, mut failing) = (0, 0, 0);
    for seed in seeds(0..90) {
        let loaded = load(seed);
        let Some(verdict) = verdict(&loaded) else {
            continue;
        };
        let module = &loaded.program.module;
        let nodes = Nodes::of(module);
        let points_to = PointsTo::of(module, &nodes);
        let calls = CallGraph::of(module, &nodes, &points_to);
        let threads = Threads::of(module, &nodes, &points_to);
        let slicer = Slicer::new(module, &nodes, &points_to, &calls, &threads);
        for number in 0..4 {
            // Where memory errors are not asked for, parts of pointers must stay as they are.
            let (asked, widths) = if number % 2 == 0 {
                (EVERYTHING, 8..=64)
            } else {
                (ASSERTIONS, 32..=32)
            };
            let slice = slicer.relevant(asked).slice;
            let mut mutant = Module::clone(module);
            let count = replace_values(&mut mutant, &nodes, &slice, widths, seed * 4 + number);
            if count == 0 {
                continue;
            }
            let mutant = Loaded {
                program: Arc::new(Program::new(Arc::new(mutant))),
                files: loaded.files.clone(),
                clang_flags: Vec::new(),
                warnings: String::new(),
                notes: Vec::new(),
                made: None,
                ..loaded
            };
            let Some(other) = self::verdict(&mutant) else {
                continue;
            };
            compared += 1;
            changed += count;
            failing += usize::from(!verdict.is_empty());
            assert_eq!(
                verdict,
                other,
                "seed {seed}, change {number}:\n{}",
                oracle::pointer_program(seed, (seed % 3) as usize)
            );
        }
    }
    eprintln!("{compared} programs, {failing} of them wrong, with {changed} values replaced");
    assert!(compared > 0 && failing > 0);
}

const EVERYTHING: analysis::Properties = analysis::Properties {
    assertions: true,
    aborts: true,
    unreachable: true,
    peeks: false,
    dont_care_branches: true,
    deadlocks: true,
    memory: true,
    division: true,
    locks: true,
};

/// In these programs nothing else can go wrong.
const ASSERTIONS: analysis::Properties = analysis::Properties {
    assertions: true,
    aborts: false,
    unreachable: false,
    peeks: false,
    dont_care_branches: true,
    deadlocks: false,
    memory: false,
    division: false,
    locks: false,
};

/// What can go wrong, and where. `None`: too large.
fn verdict(loaded: &Loaded) -> Option<BTreeSet<(Property, String)>> {
    let checked = verify::check(loaded, &options(), &mut Quiet).expect("it is checked");
    if !checked.coverage.is_complete() {
        return None;
    }
    match checked.verdict {
        Verdict::Safe => Some(BTreeSet::new()),
        Verdict::Bug(bugs) => {
            let places = bugs.into_iter().map(|bug| (bug.property, bug.location));
            Some(places.collect())
        }
        Verdict::Unknown(_) => None,
    }
}

/// Replaces integers of these widths that are loaded or stored outside of the slice, in functions
/// of the program itself: by 0, 1 or twice the value. Returns how many.
fn replace_values(
    module: &mut Module,
    nodes: &Nodes,
    slice: &NodeSet,
    widths: RangeInclusive<u8>,
    seed: u64,
) -> usize {
    let mut state = seed;
    let mut count = 0;
    for (function, f) in module.functions.iter_mut().enumerate() {
        let function = ir::FuncId::from(function);
        let Some(body) = f.body.as_mut().filter(|_| !f.runtime) else {
            continue;
        };
        for block in 0..body.blocks.len() {
            let block = ir::BlockId::from(block);
            let insts = std::mem::take(&mut body.blocks[block].insts);
            let mut changed = Vec::new();
            for (index, mut inst) in insts.into_iter().enumerate() {
                let outside = !slice.contains(nodes.at(function, block, index));
                let replaced = match &mut inst.op {
                    Op::Load { dst, .. } if outside => Some((dst, true)),
                    Op::Store { value, .. } if outside => Some((value, false)),
                    _ => None,
                };
                let Some((value, is_load)) = replaced else {
                    changed.push(inst);
                    continue;
                };
                let ty = body.values[*value].ty;
                if !matches!(ty, Type::Int(bits) if widths.contains(&bits)) {
                    changed.push(inst);
                    continue;
                }
                count += 1;
                let (old, new) = if is_load {
                    let loaded = fresh(body, ty);
                    (loaded, std::mem::replace(value, loaded))
                } else {
                    let stored = fresh(body, ty);
                    (std::mem::replace(value, stored), stored)
                };
                let loc = inst.loc;
                let others = other_value(body, &mut state, old, new);
                let others = others.into_iter().map(|op| Inst { op, loc });
                if is_load {
                    changed.push(inst);
                    changed.extend(others);
                } else {
                    changed.extend(others);
                    changed.push(inst);
                }
            }
            body.blocks[block].insts = changed;
        }
    }
    count
}

fn fresh(body: &mut Body, ty: Type) -> ValueId {
    body.values.push(Value {
        ty,
        constant: None,
        name: None,
    })
}

/// Instructions that compute `new` from `old`, without constants.
fn other_value(body: &mut Body, state: &mut u64, old: ValueId, new: ValueId) -> Vec<Op> {
    let bin = |op, dst, a, b| Op::Bin { op, dst, a, b };
    match draw(state, 3) {
        0 => vec![bin(BinOp::Sub, new, old, old)],
        1 => vec![bin(BinOp::Add, new, old, old)],
        _ => {
            let one = fresh(body, Type::Int(1));
            vec![
                Op::Cmp {
                    op: ir::CmpOp::Eq,
                    dst: one,
                    a: old,
                    b: old,
                },
                Op::Cast {
                    op: ir::Cast::ZExt,
                    dst: new,
                    src: one,
                },
            ]
        }
    }
}
