//! `sleave lint` as a library: what may go wrong between threads, found without running the
//! program, as data for a report.

mod names;

use analysis::{NodeId, Nodes, PointsTo, ThreadId, Threads};
use ir::FuncId;
pub use lint::Options as LintOptions;
use lint::{
    Does, DoubleLock, Facts, LockOrder, Locks, Point, Race, RaceAccess, Stuck, StuckKind, locks,
};
use machine::Program;

use crate::load::Loaded;
use crate::names::Names;
use names::StaticNames;

/// Something that is possible, as far as a static analysis can tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    pub kind: WarningKind,
    /// One sentence.
    pub message: String,
    /// What the threads do, each at its place. The first one is where the warning is shown.
    pub steps: Vec<Step>,
    /// One sentence: what to do.
    pub hint: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningKind {
    Race,
    LockOrder,
    DoubleLock,
    KeptLock,
    JoinUnderLock,
    EndlessWait,
}

impl WarningKind {
    pub const ALL: [WarningKind; 6] = [
        WarningKind::Race,
        WarningKind::LockOrder,
        WarningKind::DoubleLock,
        WarningKind::KeptLock,
        WarningKind::JoinUnderLock,
        WarningKind::EndlessWait,
    ];

    pub fn name(self) -> &'static str {
        match self {
            WarningKind::Race => "race",
            WarningKind::LockOrder => "lock order",
            WarningKind::DoubleLock => "double lock",
            WarningKind::KeptLock => "kept lock",
            WarningKind::JoinUnderLock => "join under lock",
            WarningKind::EndlessWait => "endless wait",
        }
    }

    /// What such a warning means, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            WarningKind::Race => {
                "Two threads may access the same memory at the same time, one of them writes, and no lock, creation or join orders them."
            }
            WarningKind::LockOrder => {
                "Threads may take the same locks in different orders, and wait for each other for ever."
            }
            WarningKind::DoubleLock => {
                "A thread may lock a mutex that it holds already, and wait for itself for ever."
            }
            WarningKind::KeptLock => {
                "A thread may end without unlocking a lock that another one waits for."
            }
            WarningKind::JoinUnderLock => {
                "A thread may wait for the end of another one that waits for a lock it holds."
            }
            WarningKind::EndlessWait => {
                "A thread may wait for a signal, a post or a write that never comes."
            }
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// `main`, or `worker() (started at a.c:10)`.
    pub thread: String,
    /// `writes counter`, `waits for b`.
    pub effect: String,
    /// Innermost first.
    pub stack: Vec<Frame>,
    pub locks: Vec<HeldLock>,
}

/// A function in execution, and where it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub function: String,
    pub place: SourcePlace,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourcePlace {
    pub file: String,
    /// 0: unknown.
    pub line: u32,
    pub column: u32,
}

/// A lock that a thread holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldLock {
    pub name: String,
    /// Locked for reading.
    pub shared: bool,
    /// On every way to the place; otherwise on some.
    pub certain: bool,
    /// Where it was locked. Innermost first.
    pub stack: Vec<Frame>,
}

/// All that is possible, in the order of the source.
pub fn lint(loaded: &Loaded, options: LintOptions) -> Vec<Warning> {
    with_warnings(loaded, options, |found, writer| {
        found
            .iter()
            .map(|warning| writer.warning(warning))
            .collect()
    })
}

/// A warning, and the stacks of the places that threads must come to, the innermost first.
pub(crate) type Located = (Warning, Vec<Vec<(FuncId, NodeId)>>);

/// The best of all, at most so many, and how many there are. Those of each kind take turns; first
/// come those with the fewest locks held and the fewest calls around.
pub(crate) fn best(loaded: &Loaded, most: usize) -> (Vec<Located>, usize) {
    with_warnings(loaded, LintOptions::default(), |found, writer| {
        let Facts { nodes, locks, .. } = writer.facts;
        let stacks = |warning: &lint::Warning| -> Vec<Vec<(FuncId, NodeId)>> {
            let points = points(warning).into_iter();
            points
                .map(|point| locks.stack(nodes, point.visit, point.node))
                .collect()
        };
        let mut kinds: Vec<Vec<(usize, usize, usize)>> = vec![Vec::new(); 4];
        for (number, warning) in found.iter().enumerate() {
            let kind = match warning {
                lint::Warning::DoubleLock(_) => 0,
                lint::Warning::LockOrder(_) => 1,
                lint::Warning::Race(_) => 2,
                lint::Warning::Stuck(_) => 3,
            };
            let held = points(warning).iter().map(|point| point.held.len()).sum();
            let calls = stacks(warning).iter().map(Vec::len).sum();
            kinds[kind].push((held, calls, number));
        }
        kinds.iter_mut().for_each(|kind| kind.sort_unstable());
        let longest = kinds.iter().map(Vec::len).max().unwrap_or(0);
        let turns = (0..longest).flat_map(|turn| kinds.iter().filter_map(move |k| k.get(turn)));
        let chosen = turns.take(most).map(|(.., number)| {
            let warning = &found[*number];
            (writer.warning(warning), stacks(warning))
        });
        (chosen.collect(), found.len())
    })
}

fn with_warnings<R>(
    loaded: &Loaded,
    options: LintOptions,
    read: impl FnOnce(&[lint::Warning], &Writer) -> R,
) -> R {
    let module = &loaded.program.module;
    let nodes = Nodes::of(module);
    let points_to = PointsTo::trusting(module, &nodes);
    let threads = Threads::of(module, &nodes, &points_to);
    let locks = Locks::of(module, &nodes, &points_to, &threads);
    let facts = Facts {
        module,
        nodes: &nodes,
        points_to: &points_to,
        threads: &threads,
        locks: &locks,
    };
    let writer = Writer {
        program: &loaded.program,
        facts,
        names: Names::new(&loaded.program),
    };
    read(&lint::warnings(facts, options), &writer)
}

/// Where the threads are to be for what a warning says.
fn points(warning: &lint::Warning) -> Vec<&Point> {
    match warning {
        lint::Warning::Race(race) => race.accesses.iter().map(|access| &access.at).collect(),
        lint::Warning::LockOrder(cycle) => cycle.waits.iter().map(|wait| &wait.at).collect(),
        lint::Warning::DoubleLock(twice) => vec![&twice.at],
        lint::Warning::Stuck(stuck) => stuck.steps.iter().map(|(point, _)| point).collect(),
    }
}

struct Writer<'a> {
    program: &'a Program,
    facts: Facts<'a>,
    names: Names<'a>,
}

impl Writer<'_> {
    fn static_names(&self) -> StaticNames<'_> {
        StaticNames {
            module: &self.program.module,
            facts: self.facts,
            names: &self.names,
        }
    }

    fn warning(&self, warning: &lint::Warning) -> Warning {
        match warning {
            lint::Warning::Race(race) => self.race(race),
            lint::Warning::LockOrder(cycle) => self.lock_order(cycle),
            lint::Warning::DoubleLock(twice) => self.double_lock(twice),
            lint::Warning::Stuck(stuck) => self.stuck(stuck),
        }
    }

    fn race(&self, race: &Race) -> Warning {
        let variable = self.static_names().memory(race);
        let step = |access: &RaceAccess| {
            let atomic = if access.atomic { " (atomic)" } else { "" };
            let effect = match access.effect {
                lint::Effect::Read => "reads",
                lint::Effect::Write => "writes",
                lint::Effect::Update => "changes",
                lint::Effect::Free => "frees",
            };
            self.step(&access.at, format!("{effect}{atomic} {variable}"))
        };
        let steps = race.accesses.iter().map(step).collect();
        Warning {
            kind: WarningKind::Race,
            message: format!("possible data race on {variable}"),
            hint: race_hint(race),
            steps,
        }
    }

    fn lock_order(&self, cycle: &LockOrder) -> Warning {
        let names = self.static_names();
        let mut held: Vec<String> = Vec::new();
        let mut steps = Vec::new();
        for wait in &cycle.waits {
            let holds = names.lock(&wait.holds);
            let waits = names.waited_for(wait.at.node);
            steps.push(self.step(&wait.at, format!("waits for {waits}, holding {holds}")));
            if !held.contains(&holds) {
                held.push(holds);
            }
        }
        let locks = match held.as_slice() {
            [one] => format!("several locks of {one}"),
            more => more.join(" and "),
        };
        Warning {
            kind: WarningKind::LockOrder,
            message: format!("possible deadlock: {locks} are taken in different orders"),
            steps,
            hint:
                "Take these locks in the same order everywhere, or hold another lock around both."
                    .to_string(),
        }
    }

    fn double_lock(&self, twice: &DoubleLock) -> Warning {
        let lock = self.static_names().waited_for(twice.at.node);
        Warning {
            kind: WarningKind::DoubleLock,
            message: format!("possible deadlock: {lock} may be locked by the thread that holds it"),
            steps: vec![self.step(&twice.at, format!("waits for {lock}"))],
            hint: "Unlock it before, or make it recursive.".to_string(),
        }
    }

    fn stuck(&self, stuck: &Stuck) -> Warning {
        let names = self.static_names();
        let steps = stuck.steps.iter().map(|(point, does)| {
            let object = names.waited_for(point.node);
            let effect = match does {
                Does::WaitsForLock => format!("waits for {object}"),
                Does::EndsHolding(held) => format!("ends, holding {}", names.lock(held)),
                Does::JoinsHolding(held) => {
                    format!("waits for a thread to end, holding {}", names.lock(held))
                }
                Does::WaitsHolding(held) => {
                    format!("waits for {object}, holding {}", names.lock(held))
                }
                Does::WaitsUnanswered => format!("waits for {object}, which nobody signals"),
                Does::WaitsUntested => {
                    format!("waits for {object}, and tests nothing again after the wait")
                }
                Does::WaitsUnchanged => {
                    format!("waits for {object}, and no other thread changes what is tested")
                }
                Does::WaitsUnguarded => format!(
                    "waits for {object}, and what is tested is changed and signalled without the mutex"
                ),
                Does::WaitsSkipped => {
                    format!("waits for {object}, but not every change of what is tested is signalled")
                }
                Does::WaitsInVain => {
                    format!("waits for {object}, and all that others do is not enough")
                }
                Does::WaitsWithOthers => {
                    format!("waits for {object}, as others do, of whom a signal wakes one")
                }
                Does::JoinsInCircle => "waits for the other thread to end".to_string(),
                Does::SpinsUnchanged => format!(
                    "goes round a loop until {object} changes, which no other thread writes"
                ),
                Does::SpinsInVain => format!(
                    "goes round a loop until {object} changes, and what others leave there may not end it"
                ),
                Does::SpinsOnLost => format!(
                    "goes round a loop until {object} changes, of which updates may be lost"
                ),
                Does::Waits => format!("waits for {object}; whether that ends depends on values"),
            };
            self.step(point, effect)
        });
        let steps: Vec<Step> = steps.collect();
        let object = names.waited_for(stuck.steps[0].0.node);
        let (kind, message, hint) = match stuck.kind {
            StuckKind::KeptLock => (
                WarningKind::KeptLock,
                format!(
                    "possible deadlock: {}",
                    steps[0].effect.replacen("ends,", "a thread may end,", 1)
                ),
                "Unlock it on every way out of the thread.",
            ),
            StuckKind::JoinUnderLock => (
                WarningKind::JoinUnderLock,
                "possible deadlock: a thread is joined under a lock that it takes".to_string(),
                "Unlock before joining.",
            ),
            StuckKind::EndlessWait => (
                WarningKind::EndlessWait,
                match stuck.steps[0].1 {
                    Does::JoinsInCircle => {
                        "possible deadlock: two threads wait for each other to end".to_string()
                    }
                    _ => format!("possible deadlock: the wait for {object} may not end"),
                },
                wait_hint(&stuck.steps[0].1),
            ),
        };
        Warning {
            kind,
            message,
            steps,
            hint: hint.to_string(),
        }
    }

    fn step(&self, point: &Point, effect: String) -> Step {
        let locks = self.facts.locks;
        let held = point.held.iter();
        let held = held.filter(|held| held.lock != locks::Lock::Sections || held.path.len() > 1);
        let mut listed: Vec<HeldLock> = Vec::new();
        for held in held.filter(|held| held.lock != locks::Lock::Sections) {
            let lock = HeldLock {
                name: self.static_names().lock(held),
                shared: held.shared,
                certain: held.certain,
                stack: self.frames(&locks.stack_of(self.facts.nodes, point.visit, held)),
            };
            if !listed.contains(&lock) {
                listed.push(lock);
            }
        }
        Step {
            thread: self.thread(point.thread),
            effect,
            stack: self.frames(&locks.stack(self.facts.nodes, point.visit, point.node)),
            locks: listed,
        }
    }

    /// Without Sleave's own functions, whose callers are what the program knows of.
    fn frames(&self, stack: &[(FuncId, NodeId)]) -> Vec<Frame> {
        let functions = &self.program.module.functions;
        let own = stack
            .iter()
            .filter(|(function, _)| !functions[*function].runtime);
        own.map(|(function, node)| Frame {
            function: self.names.function(*function).to_string(),
            place: self.place(*node),
        })
        .collect()
    }

    fn place(&self, node: NodeId) -> SourcePlace {
        let debug = &self.program.module.debug;
        let loc = debug.locs[self.facts.nodes.loc(&self.program.module, node)];
        if !loc.is_known() {
            return SourcePlace::default();
        }
        SourcePlace {
            file: debug.files[loc.file].clone(),
            line: loc.line,
            column: loc.column,
        }
    }

    fn thread(&self, thread: ThreadId) -> String {
        let thread = &self.facts.threads.threads()[thread];
        if thread.creation.is_none() {
            return "main".to_string();
        }
        let entries: Vec<String> = thread
            .entries
            .iter()
            .map(|entry| format!("{}()", self.names.function(*entry)))
            .collect();
        let what = if entries.is_empty() {
            "a thread".to_string()
        } else {
            entries.join(" or ")
        };
        let functions = &self.program.module.functions;
        let place = thread
            .path
            .iter()
            .rev()
            .find(|node| !functions[self.facts.nodes.function(**node)].runtime)
            .map(|node| self.place(*node));
        match place {
            Some(place) if place.line != 0 => {
                let file = place.file.rsplit('/').next().unwrap_or_default();
                format!("{what} started at {file}:{}", place.line)
            }
            _ => what,
        }
    }
}

fn wait_hint(does: &Does) -> &'static str {
    match does {
        Does::SpinsUnchanged | Does::SpinsInVain => {
            "Whoever ends or waits must leave the variable so that the loop ends."
        }
        Does::SpinsOnLost => "Change the counter by atomic operations.",
        Does::WaitsHolding(_) => "Unlock the other lock before waiting.",
        Does::WaitsInVain | Does::WaitsUnchanged => {
            "See who changes what is waited for, and how often."
        }
        Does::JoinsInCircle => "Let a third thread join both.",
        Does::WaitsSkipped => "Signal after every change, whoever waits.",
        _ => "Test in a loop what is waited for, change it under the mutex, and wake all who wait.",
    }
}

fn race_hint(race: &Race) -> String {
    let [first, second] = &race.accesses;
    let certain = |access: &RaceAccess| access.at.held.iter().any(|held| held.certain);
    if first.atomic != second.atomic {
        return "One access is atomic and the other is not: make both atomic.".to_string();
    }
    if [first, second]
        .iter()
        .any(|a| a.effect == lint::Effect::Free)
    {
        return "Whoever frees memory must know that the others are done with it: join them, or count references.".to_string();
    }
    match (certain(first), certain(second)) {
        (false, false) => "No lock is held at either: protect both by the same mutex.".to_string(),
        (true, true) => "Both hold a lock, but not certainly the same one.".to_string(),
        _ => "Only one of the two holds a lock: both must hold it.".to_string(),
    }
}
