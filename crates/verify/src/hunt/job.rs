//! Trials as files: each can be made later, elsewhere, and beside others.
//!
//! A hunt depends on nothing but the program, what is hunted, and the seed. So a job says which
//! target set and which set of traces it is about by their numbers, and how many states it may make;
//! whoever makes it finds the same traces.

use std::path::{Path, PathBuf};

use analysis::abstraction::{AbstractSystem, Ground, TraceSets};
use serde::{Deserialize, Serialize};

use super::{HuntError, HuntOptions, Quarry, sets};
use crate::engine::Analysed;
use crate::engines::hunt::{OneTrial, TargetSet, facts_of};
use crate::load::Loaded;
use crate::witness::hash_text;

/// Grows when the meaning of a field changes.
const FORMAT: u32 = 1;

/// One trial of one target set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HuntJob {
    pub format: u32,
    /// Hash of the program.
    pub program: String,
    pub quarry: Vec<Quarry>,
    pub seed: u64,
    /// The target set by its number, and what it is called.
    pub set: usize,
    pub message: String,
    /// The set of traces by its number.
    pub trial: usize,
    pub states: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum HuntJobError {
    #[error("{}: {error}", path.display())]
    Read {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{}: no trial of a hunt: {error}", path.display())]
    Parse {
        path: PathBuf,
        error: serde_json::Error,
    },
    #[error("the trial is of another version of Sleave: format {0}")]
    OtherFormat(u32),
    #[error("the trial is of another program, or of another version of it")]
    OtherProgram,
    #[error("there is no target set {0} here")]
    NoSuchSet(usize),
}

impl HuntJob {
    pub fn read(path: &Path) -> Result<HuntJob, HuntJobError> {
        let path = path.to_path_buf();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => return Err(HuntJobError::Read { path, error }),
        };
        let job: HuntJob = match serde_json::from_str(&text) {
            Ok(job) => job,
            Err(error) => return Err(HuntJobError::Parse { path, error }),
        };
        match job.format {
            FORMAT => Ok(job),
            other => Err(HuntJobError::OtherFormat(other)),
        }
    }

    /// Whether it is about this program.
    pub fn fits(&self, loaded: &Loaded) -> Result<(), HuntJobError> {
        match self.program == hash_text(loaded.hash) {
            true => Ok(()),
            false => Err(HuntJobError::OtherProgram),
        }
    }

    pub(super) fn pick(&self, sets: Vec<TargetSet>) -> Result<TargetSet, HuntJobError> {
        let set = sets.into_iter().nth(self.set);
        set.ok_or(HuntJobError::NoSuchSet(self.set))
    }

    pub(super) fn trial(&self) -> OneTrial {
        OneTrial {
            number: self.trial,
            states: self.states,
        }
    }
}

/// The first trials of every target set, each of so many states.
pub fn hunt_jobs(
    loaded: &Loaded,
    options: &HuntOptions,
    trials: usize,
    states: u64,
) -> Result<Vec<HuntJob>, HuntError> {
    let analysed = Analysed::new(loaded);
    let (sets, _) = sets(loaded, &analysed, &options.quarry)?;
    let facts = facts_of(&loaded.program.module, analysed.facts());
    let ground = Ground::of(&facts);
    let mut jobs = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        let system = AbstractSystem::of(&ground, &set.targets, &[]);
        let count = TraceSets::of(&system.into()).take(trials).count();
        jobs.extend((0..count).map(|trial| HuntJob {
            format: FORMAT,
            program: hash_text(loaded.hash),
            quarry: options.quarry.clone(),
            seed: options.seed,
            set: number,
            message: set.message.clone(),
            trial,
            states,
        }));
    }
    Ok(jobs)
}
