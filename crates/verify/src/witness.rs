//! Witnesses: inputs, decisions and the expected end of a failing execution, as a file; and their
//! replay.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use explore::{Found, Replay, Schedule};
use ir::debug::LocId;
use machine::{Config, End, Fault, Machine, Property, RacePlaces, Surroundings, ThreadId};
use serde::{Deserialize, Serialize};

use crate::harness::Harness;
use crate::job::write_whole;
use crate::load::Loaded;
use crate::names::Names;
use crate::trace::Trace;

/// Grows when the meaning of a field changes.
const FORMAT: u32 = 2;

/// Room for some ten million decisions. A larger file is something else.
const LARGEST_FILE: u64 = 256 << 20;

/// As much as Linux allows one argument to have.
pub(crate) const LONGEST_ARGUMENTS: usize = 128 << 10;

/// Longer texts of inputs are not made up.
pub const LONGEST_INPUT: u32 = 1 << 16;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    pub format: u32,
    /// Hash of the program.
    pub program: String,
    pub files: Vec<PathBuf>,
    pub clang_flags: Vec<String>,
    /// What is run of files without a driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<Harness>,
    pub expected: Expected,
    /// Inputs by canonical name, in decimal.
    pub inputs: BTreeMap<String, String>,
    pub args: Vec<String>,
    /// What was known of the environment.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub surroundings: Surroundings,
    pub malloc_may_fail: bool,
    pub spurious_wakeups: bool,
    /// So many threads may be made; whoever would make one more stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// No loop with something visible in it made more iterations.
    pub loop_bound: u32,
    pub schedule: Schedule,
}

fn is_usual(surroundings: &Surroundings) -> bool {
    *surroundings == Surroundings::default()
}

/// What every format has.
#[derive(Deserialize)]
struct Header {
    format: u32,
}

const UNKNOWN_PLACE: &str = "unknown place";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    pub property: Property,
    pub location: String,
    /// Of a race: where the earlier access is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
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
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: WitnessError },
    #[error(
        "this witness is of another program (it was made from a program with hash {witness}, this one has {program})"
    )]
    OtherProgram { witness: String, program: String },
    #[error("the witness holds an input that is no number: {0}")]
    BadInput(String),
    #[error(transparent)]
    Diverged(Diverged),
    #[error("{0}")]
    Internal(explore::Error),
}

/// The program does something else than the witness says.
#[derive(Debug, thiserror::Error)]
#[error("the program does not follow the witness: at step {step}, {why}")]
pub struct Diverged {
    step: usize,
    why: String,
}

/// Why a file is no witness.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("not a witness of Sleave: it is too large")]
    TooLarge,
    #[error("not a witness of Sleave: {0}")]
    Json(#[from] serde_json::Error),
    #[error("a witness of format {0}; this Sleave reads format {FORMAT}")]
    OtherFormat(u32),
    #[error("not a witness of Sleave: {0}")]
    Invalid(#[from] InvalidWitness),
}

/// What no search writes, and a file may say.
#[derive(Debug, thiserror::Error)]
pub enum InvalidWitness {
    #[error("the input {name} = {text} is no number")]
    Input { name: String, text: String },
    #[error("the arguments of main are too long")]
    LongArguments,
    #[error("its texts are too long")]
    LongTexts,
    #[error("thread {0} has an impossible parent")]
    Parent(usize),
}

impl Witness {
    pub fn new(loaded: &Loaded, config: &Config, found: &Found) -> Witness {
        let names = Names::new(&loaded.program);
        let location = |loc| {
            let known = names.location(loc);
            known.unwrap_or_else(|| UNKNOWN_PLACE.to_string())
        };
        Witness {
            format: FORMAT,
            program: hash_text(loaded.hash),
            files: loaded.files.clone(),
            clang_flags: loaded.clang_flags.clone(),
            harness: loaded.made.as_ref().map(|made| made.harness.clone()),
            expected: Expected {
                property: found.fault.fault.property(),
                location: location(found.fault.loc),
                first: match &found.fault.fault {
                    Fault::Race(race) => Some(location(race.first.loc)),
                    _ => None,
                },
            },
            inputs: found
                .inputs
                .iter()
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect(),
            args: config.args.clone(),
            surroundings: config.surroundings.clone(),
            malloc_may_fail: config.malloc_may_fail,
            spurious_wakeups: config.spurious_wakeups,
            threads: config.threads,
            loop_bound: u32::try_from(found.events + 2)
                .unwrap_or(u32::MAX)
                .min(config.unwind.unwrap_or(config.default_unwind)),
            schedule: found.schedule.clone(),
        }
    }

    /// Of a run that ends in no fault.
    pub(crate) fn of_run(loaded: &Loaded, config: &Config, run: &explore::Reached) -> Witness {
        let fault = machine::FaultAt {
            fault: Fault::Deadlock,
            thread: machine::ThreadId::MAIN,
            loc: ir::debug::LocId(0),
        };
        let found = Found {
            site: explore::Site::of(&fault, &loaded.program.module.debug),
            reduced: None,
            events: run.schedule.decisions.len() as u64,
            fault,
            inputs: run.inputs.clone(),
            schedule: run.schedule.clone(),
        };
        Witness::new(loaded, config, &found)
    }

    pub fn read(path: &Path) -> Result<Witness, ReplayError> {
        Witness::parse(path).map_err(|error| ReplayError::Read {
            path: path.to_owned(),
            error,
        })
    }

    fn parse(path: &Path) -> Result<Witness, WitnessError> {
        let file = std::fs::File::open(path)?;
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(WitnessError::TooLarge);
        }
        let header: Header = serde_json::from_slice(&bytes)?;
        if header.format != FORMAT {
            return Err(WitnessError::OtherFormat(header.format));
        }
        let witness: Witness = serde_json::from_slice(&bytes)?;
        witness.validate()?;
        Ok(witness)
    }

    /// What the machine takes for granted and a file may get wrong. Decisions need no check: replay
    /// compares each with what is possible.
    fn validate(&self) -> Result<(), InvalidWitness> {
        for (name, text) in &self.inputs {
            text.parse::<u128>().map_err(|_| InvalidWitness::Input {
                name: name.clone(),
                text: text.clone(),
            })?;
        }
        let args: usize = self.args.iter().map(|a| a.len() + 1).sum();
        if args > LONGEST_ARGUMENTS {
            return Err(InvalidWitness::LongArguments);
        }
        if self.surroundings.input_length > LONGEST_INPUT {
            return Err(InvalidWitness::LongTexts);
        }
        let mut seen = BTreeSet::new();
        for (index, (parent, child)) in self.schedule.threads.iter().enumerate() {
            let main = index == 0;
            let known = if main {
                (*parent, *child) == (ThreadId::MAIN, 0)
            } else {
                parent.index() < index
            };
            if !known || !main && !seen.insert((parent, child)) {
                return Err(InvalidWitness::Parent(index));
            }
        }
        Ok(())
    }

    /// Writes the file whole or not at all.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        write_whole(path, self.to_text().as_bytes())
    }
}

impl Witness {
    /// JSON with one line for each field: long lists of decisions stay compact.
    fn to_text(&self) -> String {
        let value = serde_json::to_value(self).expect("a witness is plain data");
        let fields = value.as_object().expect("a witness is an object");
        let lines: Vec<String> = fields
            .iter()
            .map(|(key, value)| format!("  \"{key}\": {value}"))
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
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
    let (end, mut machine) = follow(loaded, witness, &Arc::default())?;
    let confirmed = ends_as_expected(loaded, witness, &end);
    let trace = Trace::new(&mut machine, &end, loaded.made.as_deref());
    Ok(Replayed { confirmed, trace })
}

/// Whether the witness leads to its fault before somebody raises the flag.
pub(crate) fn reproduces(loaded: &Loaded, witness: &Witness, interrupt: &Arc<AtomicBool>) -> bool {
    let followed = follow(loaded, witness, interrupt);
    followed.is_ok_and(|(end, _)| ends_as_expected(loaded, witness, &end))
}

fn follow(
    loaded: &Loaded,
    witness: &Witness,
    interrupt: &Arc<AtomicBool>,
) -> Result<(End, Box<Machine>), ReplayError> {
    let mut inputs = BTreeMap::new();
    for (name, text) in &witness.inputs {
        let value = text
            .parse()
            .map_err(|_| ReplayError::BadInput(format!("{name} = {text}")))?;
        inputs.insert(name.clone(), value);
    }
    let config = Config {
        unwind: None,
        default_unwind: witness.loop_bound,
        args: witness.args.clone(),
        surroundings: witness.surroundings.clone(),
        malloc_may_fail: witness.malloc_may_fail,
        spurious_wakeups: witness.spurious_wakeups,
        threads: witness.threads,
        until_race: race_places(loaded, &witness.expected),
        ..Config::default()
    };
    let (program, schedule) = (&loaded.program, &witness.schedule);
    let replayed = explore::replay(program, &config, schedule, &inputs, interrupt);
    match replayed.map_err(ReplayError::Internal)? {
        Replay::Diverged { step, why } => Err(ReplayError::Diverged(Diverged { step, why })),
        Replay::Ended { end, machine } => Ok((end, machine)),
    }
}

/// Where the race is that the witness leads to, if it is one.
fn race_places(loaded: &Loaded, expected: &Expected) -> Option<RacePlaces> {
    if expected.property != Property::Race {
        return None;
    }
    let debug = &loaded.program.module.debug;
    let places = |text: &str| {
        // `file:line:column`
        let mut parts = text.rsplitn(3, ':');
        let numbers = [parts.next(), parts.next()].map(|n| n.and_then(|n| n.parse().ok()));
        let file = parts.next().map_or("", without_folder);
        let is_here = |loc: &LocId| {
            let place = debug.locs[*loc];
            match numbers {
                [Some(column), Some(line)] => {
                    (place.line, place.column) == (line, column)
                        && without_folder(&debug.files[place.file]) == file
                }
                _ => !place.is_known(),
            }
        };
        let all = (0..debug.locs.len()).map(LocId::from);
        all.filter(is_here).collect()
    };
    let first = expected.first.as_deref().unwrap_or_default();
    Some([places(first), places(&expected.location)])
}

fn ends_as_expected(loaded: &Loaded, witness: &Witness, end: &End) -> bool {
    let End::Fault(fault) = end else { return false };
    let names = Names::new(&loaded.program);
    let location = names
        .location(fault.loc)
        .unwrap_or_else(|| UNKNOWN_PLACE.to_string());
    fault.fault.property() == witness.expected.property
        && without_folder(&location) == without_folder(&witness.expected.location)
}

/// The same program may lie in another folder, or be named from another one.
fn without_folder(location: &str) -> &str {
    location.rsplit('/').next().unwrap_or(location)
}
