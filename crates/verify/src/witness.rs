//! Witnesses: inputs, decisions and the expected end of a failing execution, as a file; and their replay.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use explore::{Found, Replay, Schedule};
use machine::{Config, End, Property};
use serde::{Deserialize, Serialize};

use crate::load::Loaded;
use crate::names::Names;
use crate::trace::Trace;

/// Grows when the meaning of a field changes.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    pub format: u32,
    /// Hash of the program.
    pub program: String,
    pub files: Vec<PathBuf>,
    pub expected: Expected,
    /// Inputs by canonical name, in decimal.
    pub inputs: BTreeMap<String, String>,
    pub args: Vec<String>,
    pub schedule: Schedule,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    pub property: Property,
    pub location: String,
}

/// What a replay showed.
#[derive(Debug)]
pub struct Replayed {
    /// It ended as the witness says.
    pub confirmed: bool,
    pub trace: Trace,
}

#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("{}: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error("this witness is of another program (it was made from a program with hash {witness}, this one has {program})")]
    OtherProgram { witness: String, program: String },
    #[error("the witness holds an input that is no number: {0}")]
    BadInput(String),
    #[error("the program does not follow the witness: at step {step}, {why}")]
    Diverged { step: usize, why: String },
    #[error("{0}")]
    Internal(String),
}

impl Witness {
    pub fn new(loaded: &Loaded, config: &Config, found: &Found) -> Witness {
        let names = Names::new(&loaded.program);
        Witness {
            format: FORMAT,
            program: hash_text(loaded.hash),
            files: loaded.files.clone(),
            expected: Expected {
                property: found.fault.fault.property(),
                location: names.location(found.fault.loc).unwrap_or_else(|| "unknown place".to_string()),
            },
            inputs: found
                .inputs
                .iter()
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect(),
            args: config.args.clone(),
            schedule: found.schedule.clone(),
        }
    }

    pub fn read(path: &Path) -> Result<Witness, ReplayError> {
        let bad = |reason: String| ReplayError::Read {
            path: path.to_owned(),
            reason,
        };
        let text = std::fs::read_to_string(path).map_err(|e| bad(e.to_string()))?;
        let witness: Witness =
            serde_json::from_str(&text).map_err(|e| bad(format!("not a witness of Sleave: {e}")))?;
        if witness.format != FORMAT {
            return Err(bad(format!(
                "a witness of format {}; this Sleave reads format {FORMAT}",
                witness.format
            )));
        }
        Ok(witness)
    }

    /// Writes the file whole or not at all.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        let text = serde_json::to_string_pretty(self).expect("a witness is plain data");
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    }
}

pub(crate) fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Executes the witness on a fresh concrete machine.
pub fn replay(loaded: &Loaded, witness: &Witness) -> Result<Replayed, ReplayError> {
    let program = hash_text(loaded.hash);
    if witness.program != program {
        return Err(ReplayError::OtherProgram {
            witness: witness.program.clone(),
            program,
        });
    }
    let mut inputs = BTreeMap::new();
    for (name, text) in &witness.inputs {
        let value = text
            .parse()
            .map_err(|_| ReplayError::BadInput(format!("{name} = {text}")))?;
        inputs.insert(name.clone(), value);
    }
    let config = Config {
        unwind: None,
        default_unwind: u32::MAX,
        args: witness.args.clone(),
        ..Config::default()
    };
    let replayed = explore::replay(&loaded.program, &config, &witness.schedule, &inputs);
    match replayed.map_err(ReplayError::Internal)? {
        Replay::Diverged { step, why } => Err(ReplayError::Diverged { step, why }),
        Replay::Ended { end, mut machine } => {
            let names = Names::new(&loaded.program);
            let confirmed = match &end {
                End::Fault(fault) => {
                    fault.fault.property() == witness.expected.property
                        && names.location(fault.loc).as_ref() == Some(&witness.expected.location)
                }
                _ => false,
            };
            let trace = Trace::new(&mut machine, &end);
            Ok(Replayed { confirmed, trace })
        }
    }
}
