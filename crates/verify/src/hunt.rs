//! `sleave hunt` as a library (P2): lines, assertions and warnings are hunted, and each comes back
//! confirmed with a run that shows it, reached, refuted, or open.
//!
//! A bug is confirmed by a replay like every other. A target is refuted if no way leads there in the
//! call graph and the control flow, or if another engine proves that nothing of its kind happens:
//! from time to time the program is checked for what is still open, for as long as the hunt took.

mod job;
mod sarif;
mod show;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use explore::HuntStatistics;
use serde::{Deserialize, Serialize};

pub use self::job::{HuntJob, HuntJobError, hunt_jobs};
pub use self::sarif::SarifError;
pub use self::show::{Show, show_hunt};
use crate::Internal;
use crate::check::{check, confirm};
use crate::engine::{Analysed, Candidate, Task};
use crate::engines::hunt::{
    Aim, Campaign, Pursued, Pursuit, TargetSet, assertions, at_lines, campaign, is_meant, place,
    warnings,
};
use crate::lint::{SourcePlace, Warning};
use crate::load::Loaded;
use crate::options::{EngineOptions, Options, Portfolio};
use crate::trace::Trace;
use crate::verdict::{Bug, Verdict};
use crate::watch::{Guardian, Monitor, Progress, Watcher, peak_mb};
use crate::witness::{Witness, replay};

/// What is to be hunted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quarry {
    /// Threads of their own at these lines at the same time.
    Lines(Vec<(String, u32)>),
    /// What `lint` finds.
    Warnings,
    /// What another tool has found, as SARIF.
    Sarif(PathBuf),
    Assertions,
}

#[derive(Clone, Debug)]
pub struct HuntOptions {
    pub quarry: Vec<Quarry>,
    /// Where ties begin to be broken: the same seed gives the same hunt.
    pub seed: u64,
    pub jobs: usize,
    /// So many rounds and no checks in between; `None`: until all is sorted out.
    pub rounds: Option<u32>,
    /// One trial of one target set, and nothing else.
    pub only: Option<HuntJob>,
    /// Limits, inputs and properties, as for a check.
    pub check: Options,
}

#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    #[error(
        "nothing is executed at {0}:{1}: name a line with a statement that the program can come to"
    )]
    NoSuchLine(String, u32),
    #[error(transparent)]
    Job(#[from] HuntJobError),
    #[error(transparent)]
    Sarif(#[from] SarifError),
    #[error(transparent)]
    Internal(#[from] Internal),
}

/// What came of a hunt.
#[derive(Debug)]
pub struct Hunted {
    pub sets: Vec<HuntedSet>,
    /// Bugs that are none of the targets.
    pub besides: Vec<Bug>,
    pub time: Duration,
    pub memory_mb: u64,
    /// A limit stopped it before it was done.
    pub is_stopped: bool,
    /// Warnings that were not hunted, since there are too many.
    pub left_out: usize,
}

impl Hunted {
    pub fn has_bugs(&self) -> bool {
        let is_confirmed = |set: &HuntedSet| matches!(set.status, Status::Confirmed(_));
        !self.besides.is_empty() || self.sets.iter().any(is_confirmed)
    }
}

/// One target set.
#[derive(Debug)]
pub struct HuntedSet {
    pub message: String,
    pub places: Vec<SourcePlace>,
    pub warning: Option<Warning>,
    pub status: Status,
    pub statistics: HuntStatistics,
}

#[derive(Debug)]
pub enum Status {
    /// It goes wrong, as this bug shows.
    Confirmed(Box<Bug>),
    /// Threads were there at the same time, and nothing went wrong: a run that shows it.
    Reached(Option<Box<Trace>>),
    Refuted(String),
    Open(InTheWay),
}

impl Status {
    pub fn name(&self) -> &'static str {
        match self {
            Status::Confirmed(_) => "confirmed",
            Status::Reached(_) => "reached",
            Status::Refuted(_) => "refuted",
            Status::Open(_) => "open",
        }
    }
}

/// Why no run came to a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InTheWay {
    /// The branch that no run has taken as it had to.
    pub branch: Option<Branch>,
    /// Why runs were given up: `unmodelled function: mmap`, and where.
    pub given_up: Option<(String, SourcePlace)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    pub place: SourcePlace,
    /// What should come next.
    pub wanted: Option<SourcePlace>,
    /// How many writes there are to what it reads, and how many of them may help.
    pub definitions: usize,
    pub tried: usize,
}

/// Of more warnings, the best are hunted: the others are combinations of the same places.
const MOST_WARNINGS: usize = 2_000;

/// A check in between may take so long at first.
const FIRST_PROOF: Duration = Duration::from_millis(500);

/// Hunts until everything is sorted out, or a limit is reached.
pub fn hunt(
    loaded: &Loaded,
    options: &HuntOptions,
    watcher: &mut dyn Watcher,
) -> Result<Hunted, HuntError> {
    let start = Instant::now();
    options.check.validate().map_err(Internal::from)?;
    let interrupt = Arc::clone(&options.check.interrupt);
    let guardian = Guardian::start(
        Arc::clone(&interrupt),
        Arc::clone(&interrupt),
        options.check.reason.clone(),
        options.check.time_limit,
        options.check.memory_limit_mb,
    );
    let mut monitor = Monitor::new(watcher, &guardian, &interrupt, start);
    let analysed = Analysed::new(loaded);
    let task = Task::new(loaded, &options.check, &interrupt, &analysed);
    let facts = analysed.facts();
    let (mut sets, left_out) = sets(loaded, &analysed, &options.quarry)?;
    if let Some(job) = &options.only {
        sets = vec![job.pick(sets)?];
    }
    explore::Monitor::phase(&mut monitor, explore::Phase::Hunt);
    let hunted = campaign::with(&task, facts, sets, options.seed, |campaign| {
        campaign.on(options.jobs);
        if let Some(job) = &options.only {
            campaign.only(job.trial());
        }
        let mut hunt = Hunt {
            loaded,
            options,
            bugs: Vec::new(),
            next_proof: FIRST_PROOF,
            start,
        };
        let is_stopped = hunt.run(campaign, &mut monitor)?;
        Ok(hunt.report(campaign, is_stopped))
    })?;
    Ok(Hunted { left_out, ..hunted })
}

/// What is to be hunted, as target sets, and how many warnings are left out.
pub(crate) fn sets(
    loaded: &Loaded,
    analysed: &Analysed,
    quarry: &[Quarry],
) -> Result<(Vec<TargetSet>, usize), HuntError> {
    let module = &*loaded.program.module;
    let mut sets = Vec::new();
    let mut left_out = 0;
    for quarry in quarry {
        match quarry {
            Quarry::Assertions => sets.extend(assertions(module, analysed.facts())),
            Quarry::Warnings => {
                let (found, count) = warnings(loaded, MOST_WARNINGS);
                left_out += count - found.len();
                sets.extend(found);
            }
            Quarry::Lines(lines) => {
                let names: Vec<String> = lines.iter().map(|(f, l)| format!("{f}:{l}")).collect();
                let message = format!("threads at {}", names.join(" and "));
                let found = at_lines(module, analysed.facts(), lines, message);
                sets.extend(found.map_err(|(file, line)| HuntError::NoSuchLine(file, line))?);
            }
            Quarry::Sarif(path) => {
                for result in sarif::read(path)? {
                    // What is reported about other code is none of this program's.
                    let found = at_lines(module, analysed.facts(), &result.lines, result.message);
                    let mut found = found.unwrap_or_default();
                    for set in found.iter_mut().filter(|_| result.is_race) {
                        set.aim = Aim::Race;
                    }
                    sets.extend(found);
                }
            }
        }
    }
    Ok((sets, left_out))
}

struct Hunt<'h> {
    loaded: &'h Loaded,
    options: &'h HuntOptions,
    /// Confirmed, with the target set each belongs to.
    bugs: Vec<(Option<usize>, Bug)>,
    /// When others may prove something next, since the start.
    next_proof: Duration,
    start: Instant,
}

impl Hunt<'_> {
    /// Whether it was stopped.
    fn run(&mut self, campaign: &mut Campaign, monitor: &mut Monitor) -> Result<bool, Internal> {
        let mut rounds = 0;
        loop {
            let stopped = campaign.round(monitor)?;
            self.confirm_all(campaign);
            if stopped.is_some() {
                return Ok(true);
            }
            rounds += 1;
            let most = self
                .options
                .only
                .as_ref()
                .map(|_| 1)
                .or(self.options.rounds);
            if let Some(most) = most {
                if rounds >= most || campaign.is_over() {
                    return Ok(!campaign.is_over());
                }
                continue;
            }
            if campaign.is_over() || campaign.is_exhausted() && self.next_proof > self.longest() {
                return Ok(false);
            }
            if self.start.elapsed() >= self.next_proof || campaign.is_exhausted() {
                self.prove(campaign)?;
                self.next_proof = self.start.elapsed() * 2;
            }
            if campaign.is_over() {
                return Ok(false);
            }
        }
    }

    fn longest(&self) -> Duration {
        self.options
            .check
            .time_limit
            .unwrap_or(Duration::from_secs(60))
    }

    /// What was found is replayed; what cannot be is no bug, and its target stays open.
    fn confirm_all(&mut self, campaign: &mut Campaign) {
        for number in 0..campaign.pursuits.len() {
            let mut found = std::mem::take(&mut campaign.pursuits[number].besides);
            let is_known = self.bugs.iter().any(|(set, _)| *set == Some(number));
            let own = match &campaign.pursuits[number].pursued {
                Pursued::Found(own) if !is_known => Some((**own).clone()),
                _ => None,
            };
            if let Some(own) = own {
                match self.confirm(own) {
                    Some(bug) => self.bugs.push((Some(number), bug)),
                    None => campaign.pursuits[number].pursued = Pursued::Open,
                }
            }
            for found in found.drain(..) {
                let others = campaign.pursuits.iter().enumerate();
                let meant = others
                    .filter(|(_, pursuit)| {
                        pursuit.is_open() && is_exactly(&pursuit.set, &found, self.loaded)
                    })
                    .map(|(number, _)| number)
                    .next();
                let location = crate::names::Names::new(&self.loaded.program)
                    .location(found.fault.loc)
                    .unwrap_or_default();
                let is_known = self.bugs.iter().any(|(_, bug)| {
                    bug.location == location && bug.property == found.fault.fault.property()
                });
                if is_known && meant.is_none() {
                    continue;
                }
                if let Some(bug) = self.confirm(found.clone()) {
                    if let Some(number) = meant {
                        campaign.pursuits[number].pursued = Pursued::Found(Box::new(found));
                    }
                    self.bugs.push((meant, bug));
                }
            }
        }
    }

    fn confirm(&self, found: explore::Found) -> Option<Bug> {
        let candidate = Candidate {
            found,
            program: Arc::clone(&self.loaded.program),
        };
        let machine = &self.options.check.machine;
        let share = self.bugs.len() + 1;
        confirm(self.loaded, &self.options.check, machine, &candidate, share).ok()
    }

    /// Lets the portfolio check what is open, for as long as the hunt took.
    fn prove(&mut self, campaign: &mut Campaign) -> Result<(), Internal> {
        let open = |pursuit: &&mut Pursuit| pursuit.is_open();
        for aim in [Aim::Assertion, Aim::Race, Aim::Deadlock] {
            if !campaign
                .pursuits
                .iter_mut()
                .filter(open)
                .any(|p| p.set.aim == aim)
            {
                continue;
            }
            let left = self.longest().saturating_sub(self.start.elapsed());
            let options = Options {
                properties: explore::Properties(aim.properties().iter().copied().collect()),
                engine: EngineOptions::Portfolio(Portfolio::default()),
                time_limit: Some(self.start.elapsed().min(left)),
                interrupt: Arc::default(),
                reason: Default::default(),
                known: Default::default(),
                ..self.options.check.clone()
            };
            let mut both = Both {
                outer: Arc::clone(&self.options.check.interrupt),
                inner: Arc::clone(&options.interrupt),
            };
            let checked = check(self.loaded, &options, &mut both)?;
            match checked.verdict {
                Verdict::Safe => {
                    for pursuit in campaign.pursuits.iter_mut().filter(open) {
                        if pursuit.set.aim == aim {
                            pursuit.pursued = Pursued::Proved;
                        }
                    }
                }
                Verdict::Bug(bugs) => {
                    for bug in bugs {
                        self.book(campaign, bug);
                    }
                }
                Verdict::Unknown(_) => {}
            }
        }
        Ok(())
    }

    /// A bug that another engine found.
    fn book(&mut self, campaign: &mut Campaign, bug: Bug) {
        let is_known = |known: &&(Option<usize>, Bug)| {
            known.1.location == bug.location && known.1.property == bug.property
        };
        if self.bugs.iter().find(is_known).is_some() {
            return;
        }
        let meant = campaign.pursuits.iter().position(|pursuit| {
            let first = pursuit.set.places.first();
            let is_there = first.is_some_and(|place| {
                bug.location
                    .starts_with(&format!("{}:{}:", place.file, place.line))
            });
            pursuit.is_open() && pursuit.set.aim == Aim::Assertion && is_there
        });
        if let Some(number) = meant {
            campaign.pursuits[number].pursued = Pursued::Proved;
        }
        self.bugs.push((meant, bug));
    }

    fn report(mut self, campaign: &mut Campaign, is_stopped: bool) -> Hunted {
        let mut sets = Vec::new();
        let bugs = std::mem::take(&mut self.bugs);
        let mut besides = Vec::new();
        let mut of_sets: Vec<Option<Bug>> = campaign.pursuits.iter().map(|_| None).collect();
        for (set, bug) in bugs {
            match set {
                Some(number) if of_sets[number].is_none() => of_sets[number] = Some(bug),
                _ => besides.push(bug),
            }
        }
        for (pursuit, bug) in campaign.pursuits.iter().zip(of_sets) {
            let status = match (&pursuit.pursued, bug) {
                (_, Some(bug)) => Status::Confirmed(Box::new(bug)),
                (Pursued::NoWay, _) => Status::Refuted("no calls and jumps lead there".to_string()),
                (Pursued::Proved, _) => {
                    Status::Refuted("a check has proved that it does not happen".to_string())
                }
                (Pursued::Open | Pursued::Found(_), None) => match pursuit.reached() {
                    Some(reached) => Status::Reached(self.show(reached)),
                    None => Status::Open(self.in_the_way(pursuit, campaign)),
                },
            };
            sets.push(HuntedSet {
                message: pursuit.set.message.clone(),
                places: pursuit.set.places.clone(),
                warning: pursuit.set.warning.clone(),
                status,
                statistics: pursuit.statistics(),
            });
        }
        Hunted {
            sets,
            besides,
            time: self.start.elapsed(),
            memory_mb: peak_mb(),
            is_stopped,
            left_out: 0,
        }
    }

    /// A run up to where the targets were reached.
    fn show(&self, reached: &explore::Reached) -> Option<Box<Trace>> {
        let machine = &self.options.check.machine;
        let witness = Witness::of_run(self.loaded, machine, reached);
        let replayed = replay(self.loaded, &witness).ok()?;
        Some(Box::new(replayed.trace))
    }

    fn in_the_way(&self, pursuit: &Pursuit, campaign: &Campaign) -> InTheWay {
        let module = &self.loaded.program.module;
        let nodes = campaign.ground().facts.nodes;
        let at = |node| place(module, nodes.loc(module, node));
        InTheWay {
            branch: pursuit.nearest().map(|miss| Branch {
                place: at(miss.at),
                wanted: miss.side.map(at),
                definitions: miss.missing.definitions,
                tried: miss.missing.helpful.len(),
            }),
            given_up: (pursuit.cut_off())
                .map(|(cutoff, loc)| (cutoff.to_string(), place(module, *loc))),
        }
    }
}

/// Stops a check when the hunt is to stop.
struct Both {
    outer: Arc<AtomicBool>,
    inner: Arc<AtomicBool>,
}

impl Watcher for Both {
    fn progress(&mut self, _: Progress) {
        if self.outer.load(Ordering::Relaxed) {
            self.inner.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether what was found while something else was hunted is what this set is about.
fn is_exactly(set: &TargetSet, found: &explore::Found, loaded: &Loaded) -> bool {
    if set.aim == Aim::Race {
        return is_meant(set, found);
    }
    let at = place(&loaded.program.module, found.fault.loc);
    let is_there = set.places.contains(&at);
    is_meant(set, found) && is_there
}
