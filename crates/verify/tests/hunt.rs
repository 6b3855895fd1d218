//! The hunt (P2) on the paper's own example (Figure 2, `benchmarks/p2/element.cpp`): the abstract
//! systems of Figure 3, the traces of section 4.3, one refinement (section 6), and the run that
//! throws.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::abstraction::{AbstractSystem, Ground, Role, Target, TraceSets};
use analysis::facts::Facts;
use analysis::{CallGraph, NodeId, Nodes, PointsTo};
use explore::{Hunter, Purpose, Scene, Silent, TraceSet, Trial, Turn, Wanted};
use ir::Module;
use verify::{Bug, HuntOptions, Hunted, Loaded, Options, Property, Quarry, Quiet, Search, Status};

fn benchmark(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../benchmarks/p2")
        .join(name)
}

fn load(name: &str, clang_flags: &[&str]) -> Loaded {
    let flags: Vec<String> = clang_flags.iter().map(ToString::to_string).collect();
    verify::load(&[benchmark(name)], &flags).expect("a program that compiles")
}

/// The number of the first line of `element.cpp` that has this text.
fn line(text: &str) -> u32 {
    line_of("element.cpp", text)
}

fn line_of(name: &str, text: &str) -> u32 {
    let source = std::fs::read_to_string(benchmark(name)).expect("the program");
    let line = source.lines().position(|line| line.contains(text));
    line.expect("such a line") as u32 + 1
}

fn hunt(loaded: &Loaded, quarry: Quarry, seed: u64) -> Hunted {
    let options = HuntOptions {
        only: None,
        quarry: vec![quarry],
        seed,
        jobs: 1,
        rounds: None,
        check: Options::default(),
    };
    verify::hunt(loaded, &options, &mut Quiet).expect("a hunt")
}

fn throw(name: &str) -> Quarry {
    Quarry::Lines(vec![(name.to_string(), line_of(name, "the target"))])
}

/// The facts of a program, for as long as somebody looks at them.
struct Known {
    loaded: Loaded,
    nodes: Nodes,
    points_to: PointsTo,
    calls: CallGraph,
}

impl Known {
    fn of(loaded: Loaded) -> Known {
        let module = &loaded.program.module;
        let nodes = Nodes::of(module);
        let points_to = PointsTo::of(module, &nodes);
        let calls = CallGraph::of(module, &nodes, &points_to);
        Known {
            loaded,
            nodes,
            points_to,
            calls,
        }
    }

    fn module(&self) -> &Module {
        &self.loaded.program.module
    }

    fn facts(&self) -> Facts<'_> {
        Facts::of(self.module(), &self.nodes, &self.points_to, &self.calls)
    }

    fn line(&self, node: NodeId) -> u32 {
        let module = self.module();
        module.debug.locs[self.nodes.loc(module, node)].line
    }

    /// What throws: the first call at the target's line.
    fn target(&self) -> Target {
        let wanted = line("the target");
        let module = self.module();
        let functions = module.functions.enumerate();
        let own = functions.filter(|(_, f)| f.body.is_some() && !f.runtime);
        let mut nodes = own.flat_map(|(function, _)| self.nodes.of_function(function));
        let first = nodes.find(|node| self.line(*node) == wanted);
        Target::from(first.expect("a node at the target"))
    }

    /// `40 branch`, in the order of the lines. What the machine begins by itself is left out.
    fn places(&self, system: &AbstractSystem) -> Vec<String> {
        let mut places = BTreeSet::new();
        for (node, roles) in system.places() {
            if self.module().functions[self.nodes.function(node)].runtime {
                continue;
            }
            for role in roles {
                places.insert((self.line(node), role.name()));
            }
        }
        let places = places.into_iter();
        places
            .map(|(line, role)| format!("{line} {role}"))
            .collect()
    }

    fn lines(&self, places: &[NodeId]) -> Vec<u32> {
        places.iter().map(|place| self.line(*place)).collect()
    }
}

/// `text role`, in the order of the lines.
fn expected(places: &[(&str, &str)]) -> Vec<String> {
    let mut places: Vec<(u32, &str)> = { places.iter() }
        .map(|(text, role)| (line(text), *role))
        .collect();
    places.sort();
    let places = places.into_iter();
    places
        .map(|(line, role)| format!("{line} {role}"))
        .collect()
}

/// The places of Figure 3(a): `l0` to `l6` of thread A, and of thread B no more than where it
/// starts. `main`, which the figure leaves out, starts too.
const FIGURE_3A: [(&str, &str); 10] = [
    ("Element elem;", "start"),
    // l0: A starts, and l1: it locks.
    ("pthread_mutex_lock(&elem->lock);", "start"),
    ("pthread_mutex_lock(&elem->lock);", "lock"),
    // l2 and l3: the call of `check`, and its start.
    ("check(elem);", "call"),
    ("if (elem->e > 9)", "entry"),
    // l4 and l5: the branch, and the target behind it.
    ("if (elem->e > 9)", "branch"),
    ("the target", "side"),
    ("the target", "target"),
    // l6: A unlocks.
    ("pthread_mutex_unlock(&elem->lock);", "unlock"),
    // a0: B starts.
    ("int x = __VERIFIER_nondet_int();", "start"),
];

#[test]
fn figure_3a() {
    let known = Known::of(load("element.cpp", &[]));
    let facts = known.facts();
    let ground = Ground::of(&facts);
    let system = AbstractSystem::of(&ground, &[known.target()], &[]);
    assert_eq!(known.places(&system), expected(&FIGURE_3A));
    assert!(system.leads_to_targets());
    // Nothing of B leads anywhere.
    let mut starts = system.starts().iter();
    let b = starts.find(|start| known.line(**start) == line("int x ="));
    assert!(system.next(*b.expect("B's start")).is_empty());
}

/// There is one trace, `l0` to `l5` (section 4.3).
#[test]
fn the_set_of_traces() {
    let known = Known::of(load("element.cpp", &[]));
    let facts = known.facts();
    let ground = Ground::of(&facts);
    let system = Arc::new(AbstractSystem::of(&ground, &[known.target()], &[]));
    let sets: Vec<_> = TraceSets::of(&system).collect();
    let [traces] = sets.as_slice() else {
        panic!("{} sets", sets.len());
    };
    let [trace] = traces.as_slice() else {
        panic!("{} traces", traces.len());
    };
    let a = [
        "pthread_mutex_lock(&elem->lock);",
        "pthread_mutex_lock(&elem->lock);",
        "check(elem);",
        "if (elem->e > 9)",
        "if (elem->e > 9)",
        "the target",
    ];
    assert_eq!(known.lines(&trace.0), a.map(line));
}

/// What refinement adds: `e = 11` by B, where it is reached through B's lock, call and branch. The
/// abstract system with it has the places of Figure 3(b).
#[test]
fn figure_3b() {
    let known = Known::of(load("element.cpp", &[]));
    let facts = known.facts();
    let ground = Ground::of(&facts);
    let target = known.target();
    let system = Arc::new(AbstractSystem::of(&ground, &[target], &[]));
    let traces = TraceSets::of(&system).next().expect("a set of traces");
    let (trial, turn) = try_it(&known, &ground, target, traces);
    assert!(matches!(turn, Turn::Found(_)), "{turn:?}");
    assert!(trial.statistics.refinements >= 1);
    let set: &TraceSet = trial.current().expect("the set that was refined");
    let own = &set.0[0];
    assert_eq!(own.purpose, Purpose::Target(0));
    let is_definition = |place| known.line(place) == line("e = 11;");
    let number = set.0.iter().position(|trace| is_definition(trace.last()));
    let number = number.expect("a way to the definition");
    let added = &set.0[number];
    let definition = added.last();
    assert_eq!(added.purpose, Purpose::Definition { times: 1 });
    let way = known.lines(&added.places);
    assert_eq!(way[0], line("int x ="), "B starts");
    for text in ["if (x > 18)", "elem->reset();"] {
        assert!(way.contains(&line(text)), "{text}: {way:?}");
    }
    // Before its lock, which B needs, A waits for it.
    let lock = own
        .places
        .iter()
        .position(|place| ground.takes_lock(*place));
    let lock = lock.expect("A's lock");
    assert!(own.after.contains(&(lock, number)), "{own:?}");

    let refined = AbstractSystem::of(&ground, &[target], &[definition]);
    assert!(refined.is(definition, Role::Definition));
    let before: BTreeSet<String> = known.places(&system).into_iter().collect();
    let after: BTreeSet<String> = known.places(&refined).into_iter().collect();
    assert!(before.is_subset(&after), "{after:?}");
    let b = line("pthread_mutex_lock(&elem->lock);") + 20;
    assert_eq!(b, line("elem->reset();") - 1, "B's lock");
    let mut new: Vec<String> = after.difference(&before).cloned().collect();
    new.sort();
    // The input, which the figure does not show, is a definition of what B's branch reads.
    let mut figure_3b = vec![
        format!("{} definition", line("int x =")),
        format!("{} branch", line("if (x > 18)")),
        format!("{b} lock"),
        format!("{b} side"),
        format!("{} call", line("elem->reset();")),
        format!("{} entry", line("e = 11;")),
        format!("{} definition", line("e = 11;")),
        format!("{} unlock", line("elem->reset();") + 1),
    ];
    figure_3b.sort();
    assert_eq!(new, figure_3b);
}

/// A trial of one set of traces, with as many states as the paper's smallest program has.
fn try_it(
    known: &Known,
    ground: &Ground,
    target: Target,
    traces: Vec<analysis::abstraction::AbstractTrace>,
) -> (Trial, Turn) {
    const STATES: u64 = 37;
    let options = Options::default();
    let search = explore::Options {
        machine: options.machine.clone(),
        search: Search::naive(),
        properties: options.properties.clone(),
        all: true,
        slices: false,
        solver_timeout: options.solver_timeout,
        interrupt: Arc::clone(&options.interrupt),
        shared: machine::SharedSet::default(),
    };
    let mut trial = Trial::new(vec![target], Wanted::Fault, traces, 0);
    let mut scene = Scene::of(ground);
    let mut hunter = Hunter::new(&known.loaded.program, &search);
    let turn = hunter
        .turn(&mut scene, &mut trial, STATES, &mut Silent)
        .expect("a turn");
    (trial, turn)
}

fn confirmed(hunted: &Hunted) -> &Bug {
    match &hunted.sets[0].status {
        Status::Confirmed(bug) => bug,
        other => panic!("{other:?}"),
    }
}

/// It throws: B was first, and its input is greater than 18. With the threads of the C++ library,
/// which lie between, too.
#[test]
fn the_example_throws() {
    let hunted = hunt(&load("element.cpp", &[]), throw("element.cpp"), 0);
    let bug = confirmed(&hunted);
    assert_eq!(bug.property, Property::Abort);
    let place = format!("element.cpp:{}:", line("the target"));
    assert!(bug.location.contains(&place), "{}", bug.location);
    assert!(
        bug.message.contains("uncaught exception"),
        "{}",
        bug.message
    );
    let inputs: Vec<&String> = bug.witness.inputs.values().collect();
    let [x] = inputs.as_slice() else {
        panic!("{inputs:?}");
    };
    let x: u32 = x.parse().expect("a number");
    assert!(x.cast_signed() > 18, "{x}");
    assert!(hunted.sets[0].statistics.refinements >= 1);

    let name = "element_std.cpp";
    let hunted = hunt(&load(name, &[]), throw(name), 0);
    assert_eq!(confirmed(&hunted).property, Property::Abort);
}

/// The same seed gives the same hunt: states, refinements, and the run.
#[test]
fn a_seed_is_a_hunt() {
    let flags = ["-DTICKETS=12", "-DCUSHION=2"];
    let loaded = load("airline.c", &flags);
    for seed in [0, 1, 7] {
        let [a, b] = [0; 2].map(|_| hunt(&loaded, Quarry::Assertions, seed));
        assert_eq!(a.sets[0].statistics, b.sets[0].statistics, "seed {seed}");
        let [first, second] = [&a, &b].map(confirmed);
        assert_eq!(first.location, second.location);
        let [first, second] = [first, second].map(|bug| serde_json::to_string(&bug.witness));
        assert_eq!(first.expect("JSON"), second.expect("JSON"));
    }
}

/// States grow no worse than quadratically with the number of threads.
#[test]
fn growth() {
    let programs = [
        ("reorder.c", "SETTERS", "CHECKERS"),
        ("airline.c", "TICKETS", "CUSHION"),
    ];
    for (program, size, other) in programs {
        let states = [5, 10, 20].map(|n| {
            let flags = [format!("-D{size}={n}"), format!("-D{other}=1")];
            let flags = [flags[0].as_str(), flags[1].as_str()];
            let hunted = hunt(&load(program, &flags), Quarry::Assertions, 0);
            assert_eq!(confirmed(&hunted).property, Property::Assertion);
            hunted.sets[0].statistics.states
        });
        for pair in states.windows(2) {
            assert!(pair[1] <= 4 * pair[0], "{program}: {states:?}");
        }
    }
}
