//! What guides a hunt, as text or for Graphviz: the abstract system of each target set, its traces,
//! and the ranks of successors in the first execution.

use std::fmt::Write;
use std::sync::Arc;

use analysis::abstraction::{AbstractSystem, Ground, TraceSets};
use explore::{Scene, Search, Silent, Trial};
use machine::SharedSet;

use super::{HuntError, HuntOptions, sets};
use crate::Internal;
use crate::engine::Analysed;
use crate::engines::hunt::facts_of;
use crate::load::Loaded;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    Abstract,
    Traces,
    Ranks,
}

/// Of each target set so many sets of traces are shown.
const MOST_SHOWN: usize = 20;
/// States of the execution whose ranks are shown.
const STATES: u64 = 200;

/// `dot`: for Graphviz; only abstract systems are graphs.
pub fn show_hunt(
    loaded: &Loaded,
    options: &HuntOptions,
    show: Show,
    dot: bool,
) -> Result<String, HuntError> {
    let analysed = Analysed::new(loaded);
    let (sets, _) = sets(loaded, &analysed, &options.quarry)?;
    let facts = facts_of(&loaded.program.module, analysed.facts());
    let ground = Ground::of(&facts);
    let mut text = String::new();
    for set in sets {
        let system = Arc::new(AbstractSystem::of(&ground, &set.targets, &[]));
        if !dot {
            let _ = writeln!(text, "{}:", set.message);
        }
        match show {
            Show::Abstract if dot => text += &system.to_dot(&ground),
            Show::Abstract => text += &system.to_text(&ground),
            Show::Traces => {
                for (number, traces) in TraceSets::of(&system).take(MOST_SHOWN).enumerate() {
                    let _ = writeln!(text, "set {}", number + 1);
                    for trace in traces {
                        text += &trace.to_text(&ground);
                        text.push('\n');
                    }
                }
            }
            Show::Ranks => {
                let Some(traces) = TraceSets::of(&system).next() else {
                    text.push_str("no way leads there\n");
                    continue;
                };
                let check = &options.check;
                let search = explore::Options {
                    machine: check.machine.clone(),
                    search: Search::naive(),
                    properties: check.properties.clone(),
                    all: true,
                    slices: false,
                    solver_timeout: check.solver_timeout,
                    interrupt: Arc::clone(&check.interrupt),
                    shared: SharedSet::default(),
                };
                let mut trial = Trial::new(set.targets, set.wanted, traces, options.seed);
                trial.shown = Some(String::new());
                let mut scene = Scene::of(&ground);
                let mut hunter = explore::Hunter::new(&loaded.program, &search);
                hunter
                    .turn(&mut scene, &mut trial, STATES, &mut Silent)
                    .map_err(Internal::from)?;
                text += &trial.shown.unwrap_or_default();
            }
        }
        text.push('\n');
    }
    Ok(text)
}
