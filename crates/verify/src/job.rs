//! Jobs: a search, or a part of one, as a file. It can be done later, elsewhere, and piece by
//! piece.
//!
//! A [`Job`] names the program by its hash, the options that decide what is explored, and where the
//! search stands: what is known of the program, what was found, and what is left
//! ([`explore::Frontier`]). Running it within its budget gives a [`JobResult`]: verdict, counts,
//! faults, and the jobs that are left. Jobs made of one result are independent of each other; when
//! all of them and all that come of them are done, their counts sum up to those of the whole search
//! (`crates/cli/tests/jobs.rs`). A checkpoint is a job without a budget.
//!
//! One thing is not local: a job may find that more of the program must be known before it can be
//! searched in parts. Then everything found before is void, and its one leftover job is the whole
//! search with that knowledge. Jobs that were run side by side may know things that do not go
//! together: [`explore::SearchFacts::join`] tells.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use explore::{Frontier, Properties, Runs, Search, SearchFacts, Workers};
use machine::Config;
use serde::{Deserialize, Serialize};

use crate::Internal;
use crate::check::{Checked, check};
use crate::engine::Counts;
use crate::load::Loaded;
use crate::options::{Dependence, EngineOptions, Explore, Options, Pieces};
use crate::verdict::Verdict;
use crate::watch::Watcher;
use crate::witness::{Witness, hash_text};

/// Grows when the meaning of a field changes.
const FORMAT: u32 = 1;

/// A larger file is something else.
const LARGEST_FILE: u64 = 1 << 30;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub format: u32,
    /// Hash of the program.
    pub program: String,
    pub configuration: Configuration,
    #[serde(default)]
    pub budget: Budget,
    pub work: Frontier,
}

/// The options that decide what is explored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Configuration {
    pub machine: Config,
    pub properties: Properties,
    #[serde(default)]
    pub dependence: Dependence,
    #[serde(default)]
    pub peek: bool,
    /// Go on after a fault.
    pub all: bool,
    pub solver_timeout: Duration,
}

/// How much of a job is to be done; the rest is left over. Nothing: all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    pub executions: Option<u64>,
    pub seconds: Option<f64>,
}

/// What came of a job.
#[derive(Debug, Serialize, Deserialize)]
pub struct JobResult {
    pub format: u32,
    pub program: String,
    /// `safe`: nothing goes wrong in what was done, and nothing of it was given up. Of the program
    /// only if no job is left.
    pub verdict: JobVerdict,
    /// Why, where it is not known.
    pub reason: Option<String>,
    pub runs: Runs,
    /// Executions that ended in a fault.
    pub failing: u64,
    pub events: u64,
    /// Distinct ones, each confirmed by a replay.
    pub faults: Vec<JobFault>,
    /// Everything found in any job of this search is void; the one job that is left does it all.
    pub starts_over: bool,
    pub knowledge: SearchFacts,
    pub leftover: Vec<Job>,
    pub time_s: f64,
    /// Executions that the whole search has, by an estimate.
    pub expected: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobVerdict {
    Safe,
    Bug,
    Unknown,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct JobFault {
    pub property: machine::Property,
    pub location: String,
    pub message: String,
    pub witness: Witness,
}

#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("{}: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error(
        "this job is of another program (it was made from a program with hash {job}, this one has {program})"
    )]
    OtherProgram { job: String, program: String },
    #[error("this job was made with other options: {0}")]
    OtherOptions(String),
}

impl Job {
    /// The whole search of a program.
    pub fn new(loaded: &Loaded, options: &Options) -> Job {
        Job::with(loaded, options, Frontier::whole())
    }

    pub(crate) fn with(loaded: &Loaded, options: &Options, work: Frontier) -> Job {
        Job {
            format: FORMAT,
            program: hash_text(loaded.hash),
            configuration: Configuration::of(options),
            budget: Budget::default(),
            work,
        }
    }

    pub fn read(path: &Path) -> Result<Job, JobError> {
        let bad = |reason: String| JobError::Read {
            path: path.to_owned(),
            reason,
        };
        let not = |reason: &dyn std::fmt::Display| bad(format!("not a job of Sleave: {reason}"));
        let file = std::fs::File::open(path).map_err(|e| bad(e.to_string()))?;
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| bad(e.to_string()))?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(not(&"it is too large"));
        }
        #[derive(Deserialize)]
        struct Header {
            format: u32,
        }
        let header: Header = serde_json::from_slice(&bytes).map_err(|e| not(&e))?;
        if header.format != FORMAT {
            return Err(bad(format!(
                "a job of format {}; this Sleave reads format {FORMAT}",
                header.format
            )));
        }
        let job: Job = serde_json::from_slice(&bytes).map_err(|e| not(&e))?;
        job.work.validate().map_err(|reason| not(&reason))?;
        Ok(job)
    }

    /// Writes the file whole or not at all.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        write_whole(
            path,
            &serde_json::to_vec(self).expect("a job is plain data"),
        )
    }

    /// Whether it is of this program.
    pub fn fits(&self, loaded: &Loaded) -> Result<(), JobError> {
        let program = hash_text(loaded.hash);
        if self.program != program {
            return Err(JobError::OtherProgram {
                job: self.program.clone(),
                program,
            });
        }
        Ok(())
    }

    /// Whether it is of this program and these options.
    pub fn continues(&self, loaded: &Loaded, options: &Options) -> Result<(), JobError> {
        self.fits(loaded)?;
        let (mine, theirs) = (&self.configuration, Configuration::of(options));
        match mine.difference(&theirs) {
            None => Ok(()),
            Some(what) => Err(JobError::OtherOptions(what)),
        }
    }
}

impl Configuration {
    pub fn of(options: &Options) -> Configuration {
        let explore = options.explore();
        Configuration {
            machine: options.machine.clone(),
            properties: options.properties.clone(),
            dependence: explore.map_or(Dependence::Conflict, |e| e.dependence),
            peek: explore.is_some_and(|e| e.search.peeks()),
            all: options.all,
            solver_timeout: options.solver_timeout,
        }
    }

    /// The options of a job: those given decide only who does it and what it may cost.
    fn apply(&self, options: &Options, workers: Workers, pieces: Pieces) -> Options {
        Options {
            machine: self.machine.clone(),
            properties: self.properties.clone(),
            all: self.all,
            solver_timeout: self.solver_timeout,
            engine: EngineOptions::Explore(Explore {
                search: Search::Optimal {
                    peek: self.peek,
                    workers,
                },
                dependence: self.dependence,
                explain: None,
                pieces: Some(pieces),
            }),
            ..options.clone()
        }
    }

    /// What is different, in the words of the command line.
    fn difference(&self, other: &Configuration) -> Option<String> {
        let (mine, theirs) = (&self.machine, &other.machine);
        let options = [
            (mine.args != theirs.args, "--args"),
            (
                mine.surroundings != theirs.surroundings,
                "--args, --env, --only-env, --stdin or --input-length",
            ),
            (
                (mine.unwind, mine.default_unwind) != (theirs.unwind, theirs.default_unwind),
                "--unwind",
            ),
            (
                mine.spurious_wakeups != theirs.spurious_wakeups,
                "--no-spurious",
            ),
            (
                mine.malloc_may_fail != theirs.malloc_may_fail,
                "--malloc-may-fail",
            ),
            (mine.threads != theirs.threads, "--threads"),
            (self.properties != other.properties, "--property"),
            (self.dependence != other.dependence, "--dependence"),
            (self.peek != other.peek, "--peek"),
            (self.all != other.all, "--all"),
            (
                self.solver_timeout != other.solver_timeout,
                "--solver-timeout",
            ),
            (mine.max_frames != theirs.max_frames, "the depth of calls"),
        ];
        let different = options.iter().filter(|(differs, _)| *differs);
        let names: Vec<&str> = different.map(|(_, name)| *name).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// Runs a job within its budget. Of the options those count that do not decide what is explored.
pub fn run_job(
    loaded: &Loaded,
    job: &Job,
    options: &Options,
    workers: Workers,
    watcher: &mut dyn Watcher,
) -> Result<JobResult, Internal> {
    let pieces = Pieces {
        resume: Some(Arc::new(job.work.clone())),
        checkpoint: None,
        executions: job.budget.executions,
    };
    let mut options = job.configuration.apply(options, workers, pieces);
    if let Some(seconds) = job.budget.seconds {
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        options.time_limit = Some(options.time_limit.map_or(limit, |l| l.min(limit)));
    }
    let checked = check(loaded, &options, watcher)?;
    Ok(JobResult::new(job, checked))
}

impl JobResult {
    /// Of a job that did not come to its end: all of it is left, and nothing counts but what was
    /// confirmed.
    pub fn unfinished(job: &Job, checked: Checked) -> JobResult {
        let checked = Checked {
            counts: Counts::default(),
            left: None,
            ..checked
        };
        JobResult::new(job, checked)
    }

    fn new(job: &Job, checked: Checked) -> JobResult {
        let (verdict, reason, faults) = match checked.verdict {
            // What is left over is no reason not to say what was found in what was done.
            Verdict::Unknown(_)
                if checked.coverage.cut_off.is_empty() && checked.left.is_some() =>
            {
                (JobVerdict::Safe, None, Vec::new())
            }
            Verdict::Safe => (JobVerdict::Safe, None, Vec::new()),
            Verdict::Unknown(reason) => (JobVerdict::Unknown, Some(reason.name), Vec::new()),
            Verdict::Bug(bugs) => {
                let faults = bugs.into_iter().map(|bug| JobFault {
                    property: bug.property,
                    location: bug.location,
                    message: bug.message,
                    witness: bug.witness,
                });
                (JobVerdict::Bug, None, faults.collect())
            }
        };
        // A search that was stopped in the middle has lost its place: all of it is left.
        let (left, starts_over) = match checked.left {
            Some(left) => (left, checked.starts_over),
            None => (job.work.clone(), false),
        };
        let knowledge = left.facts.clone();
        let works = if starts_over {
            vec![left]
        } else {
            left.split()
        };
        let leftover = works
            .into_iter()
            .map(|work| Job {
                work,
                ..job.clone()
            })
            .collect();
        JobResult {
            format: FORMAT,
            program: job.program.clone(),
            verdict,
            reason,
            runs: checked.counts.runs,
            failing: checked.counts.failing,
            events: checked.counts.events,
            faults,
            starts_over,
            knowledge,
            leftover,
            time_s: checked.time.as_secs_f64(),
            expected: checked.expected,
        }
    }

    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a result is plain data");
        text.push('\n');
        text
    }

    /// Writes the file whole or not at all.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        write_whole(path, self.to_text().as_bytes())
    }
}

/// Writes a file whole or not at all. What is no file, such as `/dev/stdout`, is written to and not
/// replaced.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|what| !what.is_file()) {
        return std::fs::write(path, bytes);
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    // A temporary file is its owner's alone; this one is for everyone who may read the folder.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file()
            .set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}
