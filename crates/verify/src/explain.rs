//! Why a program is safe: the summaries that a search has left (P1), at chosen lines, as conditions
//! in C over the names of the source.
//!
//! A summary says of a control state, that is, of where all threads stand, that nothing fails from
//! there if a condition holds. What is shown is what it says: every rewriting keeps the meaning
//! (`formula`), what cannot be shown is mentioned where it stands, and a summary that was made
//! while threads slept (source sets) says so: of executions that one of these can begin it knows
//! nothing. Two control states are never put together, even if they look alike to a reader: they
//! differ in what was allocated, asked for or jumped over.
//!
//! It explains a search that was complete: what was published before something was cut off is true,
//! too, but not what a user asks for.

mod definitions;
mod equalities;
#[cfg(test)]
mod figures;
mod formula;
mod naming;
mod place;
mod ranges;
mod render;
mod routine;
mod unreached;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use explore::Published;
use ir::{Callee, Op, Terminator};
use machine::{Machine, Program, Shown, StateSnapshot, ThreadId, ThreadSnapshot};

use self::formula::Formula;
use self::naming::{Scene, Syncs};
pub use self::place::Stands;
use self::routine::Routine;
pub use self::unreached::{Condition, DeadSide, PlaceOf, Unreached};
pub(crate) use self::unreached::{Edges, unreached};
use crate::names::Names;

/// The lines to explain; none: where it tells the most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(pub Vec<SourceLine>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The end of its path is enough; `None`: of any file.
    pub file: Option<String>,
    pub line: u32,
}

impl SourceLine {
    fn is(&self, file: &str, line: u32) -> bool {
        let is_file = |name: &String| {
            let rest = file.strip_suffix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.line == line && self.file.as_ref().is_none_or(is_file)
    }
}

impl std::fmt::Display for SourceLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}:{}", self.line),
            None => write!(f, "line {}", self.line),
        }
    }
}

/// What comes of the wish to know why a program is safe.
#[derive(Clone, Debug)]
pub enum Why {
    /// It is not known to be.
    NotSafe,
    /// The search made no summaries.
    NoSummaries,
    Explained(Explanation),
    /// No summaries, but all executions are known.
    Unreached(Unreached),
}

#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// In the order in which a search comes there.
    pub explained: Vec<Explained>,
    /// Lines that were asked for and at which no summary was kept.
    pub nothing_at: Vec<SourceLine>,
    /// Conditions were left out that say of locks what is true of every new one.
    pub leaves_out_routine: bool,
}

/// No failure is reachable from here if the condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    pub threads: Vec<Stands>,
    /// In C; `None`: it always holds.
    pub condition: Option<String>,
    /// All of the condition is shown.
    pub is_complete: bool,
    /// Nothing is said of executions that one of these threads can begin: they were covered from an
    /// earlier state.
    pub except: Vec<String>,
}

/// What the summaries say, at the lines that were asked for.
pub(crate) fn explain(
    program: &Program,
    machine: &mut Machine,
    published: &[Published],
    lines: &Lines,
) -> Explanation {
    let mut syncs = Syncs::default();
    published.iter().for_each(|p| syncs.note(&p.snapshot));
    let names = || Names::new(program);
    let mut explanation = Explanation::default();
    let states = by_state(published);
    let chosen = match lines.0.is_empty() {
        true => telling(program, &states),
        false => chosen(program, &states, lines, &mut explanation.nothing_at),
    };
    for summaries in chosen {
        let conditions = unfolded(program, machine, &summaries);
        let scene = Scene {
            program,
            names: names(),
            machine,
            snapshot: &summaries[0].snapshot,
            syncs: &syncs,
        };
        let explained = explain_state(&scene, &conditions, &mut explanation.leaves_out_routine);
        for one in explained {
            if !explanation.explained.contains(&one) {
                explanation.explained.push(one);
            }
        }
    }
    explanation
}

type Summaries<'a> = Vec<&'a Published>;

/// The summaries of each control state, the one that was left last first: that is the outermost.
fn by_state(published: &[Published]) -> Vec<Summaries<'_>> {
    let mut states: Vec<Summaries> = Vec::new();
    for one in published {
        match states.last_mut() {
            Some(last) if Rc::ptr_eq(&last[0].snapshot, &one.snapshot) => last.push(one),
            _ => states.push(vec![one]),
        }
    }
    states.reverse();
    states
}

// ----- which -----

fn chosen<'a>(
    program: &Program,
    states: &[Summaries<'a>],
    lines: &Lines,
    nothing_at: &mut Vec<SourceLine>,
) -> Vec<Summaries<'a>> {
    let names = Names::new(program);
    let mut chosen = Vec::new();
    for line in &lines.0 {
        let is_here = |stand: &ThreadSnapshot| {
            let place = names.file_and_line(stand.loc);
            !stand.status.is_over() && place.is_some_and(|(file, at)| line.is(file, at))
        };
        let here = states
            .iter()
            .filter(|s| s[0].snapshot.threads.iter().any(is_here));
        let before = chosen.len();
        chosen.extend(here.cloned());
        if chosen.len() == before {
            nothing_at.push(line.clone());
        }
    }
    chosen
}

/// Where threads begin to run beside each other, and where one comes to an assertion.
fn telling<'a>(program: &Program, states: &[Summaries<'a>]) -> Vec<Summaries<'a>> {
    let names = Names::new(program);
    let alive = |snapshot: &StateSnapshot| {
        let threads = snapshot.threads.iter();
        threads.filter(|s| !s.status.is_over()).count()
    };
    let most = states.iter().map(|s| alive(&s[0].snapshot)).max();
    let first = states
        .iter()
        .position(|s| Some(alive(&s[0].snapshot)) == most);
    let assertions = assertions(program);
    let asserts = |stand: &ThreadSnapshot| {
        let place = names.file_and_line(stand.loc);
        !stand.status.is_over() && place.is_some_and(|place| assertions.contains(&place))
    };
    let is_telling = |(index, state): &(usize, &Summaries<'a>)| {
        let mut threads = state[0].snapshot.threads.iter();
        Some(*index) == first.filter(|_| most > Some(1)) || threads.any(asserts)
    };
    let telling = states.iter().enumerate().filter(is_telling);
    telling.map(|(_, state)| state.clone()).collect()
}

/// Jumps before assertions and at the lines that are to be explained.
pub(crate) fn shown_jumps(program: &Program, lines: &Lines) -> Shown {
    let names = Names::new(program);
    let assertions = assertions(program);
    let mut shown = Shown::default();
    for (id, function) in program.module.functions.enumerate() {
        let (Some(body), false) = (&function.body, function.runtime) else {
            continue;
        };
        let code = program.function(id);
        for (pc, &(block, index)) in code.origins.iter().enumerate() {
            let block = &body.blocks[block];
            let is_jump = index as usize == block.insts.len()
                && matches!(block.terminator, Terminator::CondBr { .. });
            let place = names.file_and_line(block.terminator_loc);
            if is_jump
                && let Some((file, line)) = place
                && (lines.0.iter().any(|l| l.is(file, line)) || assertions.contains(&(file, line)))
            {
                shown.insert((id, pc as u32));
            }
        }
    }
    shown
}

/// Lines at which the program says that it is wrong.
fn assertions(program: &Program) -> BTreeSet<(&str, u32)> {
    let names = Names::new(program);
    let functions = &program.module.functions;
    let own = functions.iter().filter(|f| !f.runtime);
    let blocks = own.filter_map(|f| f.body.as_ref()).flat_map(|b| &b.blocks);
    let insts = blocks.into_iter().flat_map(|b| &b.insts);
    let lines = insts.filter_map(|inst| match &inst.op {
        Op::Call(call) if fails(program, call) => names.file_and_line(inst.loc),
        _ => None,
    });
    lines.collect()
}

/// Whether the function says that the program is wrong.
fn fails(program: &Program, call: &ir::Call) -> bool {
    const FAIL: [&str; 6] = [
        "__assert_fail",
        "__assert",
        "reach_error",
        "__VERIFIER_error",
        "__VERIFIER_assert",
        "abort",
    ];
    match call.callee {
        Callee::Direct(f) => FAIL.contains(&program.module.functions[f].name.as_str()),
        Callee::Indirect(_) => false,
    }
}

// ----- what -----

/// Threads of which nothing is said, and what is required.
type Conditions = (BTreeSet<ThreadId>, Vec<smt::TermId>);

/// Without registers that hold no variable, where that is possible.
fn unfolded(program: &Program, machine: &mut Machine, summaries: &[&Published]) -> Vec<Conditions> {
    let unfold = |summary: &&Published| {
        let conditions = summary.conditions.iter().map(|&condition| {
            if machine.terms.tree_size(condition) > render::LARGEST {
                return condition;
            }
            definitions::unfold(program, machine, &summary.snapshot, condition)
        });
        let conditions: Vec<smt::TermId> = conditions.collect();
        let sizes = conditions.iter().map(|c| machine.terms.tree_size(*c));
        let conditions = match sizes.max() {
            Some(largest) if largest <= render::LARGEST => {
                equalities::put_in(&mut machine.terms, &conditions)
            }
            _ => conditions,
        };
        (summary.asleep.iter().copied().collect(), conditions)
    };
    summaries.iter().map(unfold).collect()
}

/// What is known of one control state, by the threads of which it is not.
fn explain_state(scene: &Scene, summaries: &[Conditions], usual: &mut bool) -> Vec<Explained> {
    let mut known: BTreeMap<BTreeSet<ThreadId>, Vec<Formula>> = BTreeMap::new();
    for (asleep, conditions) in summaries {
        let formula = conjunction(scene, conditions, usual);
        known.entry(asleep.clone()).or_default().push(formula);
    }
    let known: Vec<(BTreeSet<ThreadId>, Formula)> = known
        .into_iter()
        .map(|(asleep, any)| (asleep, Formula::or(any)))
        .collect();
    let says_more = |(asleep, formula): &(BTreeSet<ThreadId>, Formula)| {
        known.iter().any(|(others, other)| {
            others != asleep && others.is_subset(asleep) && formula.implies(other)
        })
    };
    let telling = known.iter().filter(|one| !says_more(one));
    let stands = scene.snapshot.threads.iter();
    let threads: Vec<Stands> = stands.map(|s| place::stands(scene, s)).collect();
    let explained = telling.map(|(asleep, formula)| {
        let (text, is_complete) = render::condition(scene, formula);
        let name = |thread: &ThreadId| scene.names.thread(*thread);
        Explained {
            threads: threads.clone(),
            condition: (*formula != formula::TRUE).then_some(text),
            is_complete,
            except: asleep.iter().map(name).collect(),
        }
    });
    explained.collect()
}

fn conjunction(scene: &Scene, conditions: &[smt::TermId], usual: &mut bool) -> Formula {
    let terms = &scene.machine.terms;
    let parts = conditions.iter().map(|&condition| {
        if terms.tree_size(condition) > render::LARGEST {
            return Formula::Bound(condition, ranges::Ranges::point(1, 1));
        }
        Formula::of(terms, condition)
    });
    let parts = match Formula::and(parts.collect()) {
        Formula::And(parts) => parts,
        other => vec![other],
    };
    let (mut own, mut locks) = (Vec::new(), Vec::new());
    for part in parts {
        match routine::routine(scene, &part) {
            Some(Routine::Usual) => *usual = true,
            Some(Routine::Fixed) => {}
            None if render::is_phrase(scene, &part) => locks.push(part),
            None => own.push(part),
        }
    }
    own.extend(locks);
    Formula::and(own)
}
