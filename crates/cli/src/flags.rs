//! The command line, as data.

mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::values::Words;
use self::values::{dependence, lines, place, seconds, shell_words, variable};

/// Finds the schedule and the input that break a multithreaded C or C++ program, or proves that
/// there are none.
#[derive(Debug, Parser)]
#[command(name = "sleave", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Flags {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 safe, 10 bug, 5 unknown, 1 wrong usage, 2 the program does not compile or load, 6 a fault of Sleave";

const LINT_EXIT_CODES: &str = "Exit codes: 0 it ran, whatever it has found, 1 wrong usage, 2 the program does not compile or load, 5 it was interrupted, 6 a fault of Sleave";

const HUNT_EXIT_CODES: &str = "Exit codes: 10 something was confirmed, 5 nothing was, 1 wrong usage, 2 the program does not compile or load, 6 a fault of Sleave";

const PROOF_EXIT_CODES: &str = "Exit codes: 0 the proof is accepted, 1 wrong usage or a file that cannot be read, 5 the proof is refused, 6 a fault of Sleave";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a program: every schedule, every input
    #[command(after_help = EXIT_CODES, args_override_self = true)]
    Check(Box<CheckFlags>),
    /// Go after assertions, warnings or lines: find a run that shows what may go wrong there
    #[command(after_help = HUNT_EXIT_CODES, args_override_self = true)]
    Hunt(Box<HuntFlags>),
    /// Run a bug again, step by step, from its witness
    #[command(after_help = EXIT_CODES)]
    Replay(ReplayFlags),
    /// Say what may go wrong between threads, without running the program: races, locks in
    /// different orders, locks taken twice
    #[command(after_help = LINT_EXIT_CODES)]
    Lint(LintFlags),
    /// Show what a static analysis knows of a program
    #[command(after_help = LINT_EXIT_CODES)]
    Analyze(AnalyzeFlags),
    /// Do a part of a search, from a file, and print what came of it and what is left
    #[command(after_help = EXIT_CODES)]
    ExploreJob(ExploreJobFlags),
    /// Check a proof that the trace engine has written, sharing no code with it
    #[command(after_help = PROOF_EXIT_CODES)]
    CheckProof(CheckProofFlags),
    /// Print a table of the papers, their figures beside ours
    Bench(BenchFlags),
}

#[derive(Debug, Args)]
pub struct CheckFlags {
    /// Sources (.c .i .cc .cpp .cxx .C .ii) and LLVM files (.bc .ll), linked into one program
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Flags for clang, after `--`
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang_flags: Vec<String>,

    #[command(flatten)]
    pub show: Show,

    #[command(flatten)]
    pub search: SearchFlags,

    #[command(flatten)]
    pub program: ProgramFlags,

    #[command(flatten)]
    pub harness: HarnessFlags,

    #[command(flatten)]
    pub saving: SavingFlags,

    /// Stop after so many seconds, compiling and analysing included, with what is known by then
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<Duration>,

    /// Stop when more memory is used, by the compiler too
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,

    /// Give up on one question to the solver after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub solver_timeout: Option<Duration>,

    /// Where the witness of a bug is written [default: NAME.witness.json, for the first file's
    /// NAME]
    #[arg(long, value_name = "FILE", conflicts_with = "no_witness")]
    pub witness: Option<PathBuf>,

    /// Write no witness
    #[arg(long)]
    pub no_witness: bool,
}

#[derive(Debug, Args)]
pub struct HuntFlags {
    /// Sources (.c .i .cc .cpp .cxx .C .ii) and LLVM files (.bc .ll), linked into one program
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Flags for clang, after `--`
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang_flags: Vec<String>,

    /// A line that a thread is to come to; of several, each by a thread of its own, at the same
    /// time
    #[arg(long, value_name = "FILE:LINE", value_parser = place)]
    pub target: Vec<(String, u32)>,

    /// Everything that `sleave lint` warns of
    #[arg(long)]
    pub warnings: bool,

    /// What another tool warns of
    #[arg(long, value_name = "FILE")]
    pub sarif: Vec<PathBuf>,

    /// Every assertion (the default when nothing is named)
    #[arg(long)]
    pub assertions: bool,

    /// Do not hunt, but show what would guide the hunt
    #[arg(long, value_name = "WHAT")]
    pub show: Option<Guide>,

    /// With --show abstract: as a graph for Graphviz
    #[arg(long, requires = "show")]
    pub dot: bool,

    /// Do not hunt, but write the trials to this folder, one file for each, for --trial
    #[arg(long, value_name = "FOLDER", conflicts_with = "show")]
    pub trials: Option<PathBuf>,

    /// Make one trial, from a file that --trials has written
    #[arg(long, value_name = "FILE", conflicts_with_all = ["show", "trials", "target", "warnings", "sarif", "assertions"])]
    pub trial: Option<PathBuf>,

    /// Where ties begin to be broken: the same seed gives the same hunt
    #[arg(long, value_name = "N", default_value = "0")]
    pub seed: u64,

    /// Targets that are hunted at the same time, each on a core of its own
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: u32,

    /// Stop after so many seconds, compiling and analysing included, with what is known by then
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub time_limit: Duration,

    /// Stop when more memory is used, by the compiler too
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,

    /// Give up on one question to the solver after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub solver_timeout: Option<Duration>,

    #[command(flatten)]
    pub program: ProgramFlags,

    /// SARIF is for editors and code review
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: LintFormat,

    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// Only one line for each target
    #[arg(long, short)]
    pub quiet: bool,

    /// Also the compiler's warnings
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,

    #[command(flatten)]
    pub harness: HarnessFlags,

    /// Where the witness of the first bug is written, those of others beside it [default:
    /// NAME.witness.json, for the first file's NAME]
    #[arg(long, value_name = "FILE", conflicts_with = "no_witness")]
    pub witness: Option<PathBuf>,

    /// Write no witness
    #[arg(long)]
    pub no_witness: bool,
}

impl HuntFlags {
    pub fn shown(&self) -> Show {
        Show {
            format: Format::Text,
            color: self.color,
            quiet: self.quiet,
            verbose: self.verbose,
        }
    }
}

/// What guides a hunt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Guide {
    /// The places that matter for coming to the targets, and which may come next
    Abstract,
    /// Ways through them, in the order in which they are tried
    Traces,
    /// Which thread goes next in the first run, and why
    Ranks,
}

/// What is asked, and who answers.
#[derive(Debug, Args)]
pub struct SearchFlags {
    /// Look only for these: assertion, abort, memory, lock-misuse, division-by-zero, unreachable,
    /// deadlock, race (two accesses that nothing orders; only if asked for), or all of them: all
    #[arg(long, value_name = "LIST", value_delimiter = ',', num_args = 1)]
    pub property: Vec<String>,

    /// Go on after a bug: find all, count all
    #[arg(long)]
    pub all: bool,

    /// Stop at the first bug (the default)
    #[arg(long, conflicts_with = "all")]
    pub first_bug: bool,

    /// Who answers
    #[arg(long, value_name = "ENGINE", default_value = "portfolio")]
    pub engine: Engine,

    /// Partial order reduction: leave out schedules that only swap independent steps: none, dpor,
    /// source, optimal [default: optimal; source with --commute or --observers]
    #[arg(long, value_name = "KIND", hide_possible_values = true)]
    pub por: Option<Por>,

    /// Atomic updates of one kind (additions, ors, ...) whose results nobody uses are independent
    /// of each other. For --por source or dpor
    #[arg(long)]
    pub commute: bool,

    /// The order of two writes matters only if somebody reads one of them. For --por source
    #[arg(long)]
    pub observers: bool,

    /// Which accesses can depend on each other. conflict: all to the same memory, one of them a
    /// write. predicate: of these, those on which what is checked may depend, as found by a static
    /// analysis; the others are no scheduling points
    #[arg(long, value_name = "KIND", value_parser = dependence)]
    pub dependence: Option<verify::Dependence>,

    /// Look into critical sections: those that access different memory are independent although
    /// they take the same mutex. With neither --por nor --dependence, predicate dependence and this
    /// are on
    #[arg(long)]
    pub peek: bool,

    /// Try only schedules with at most so many switches away from a thread that could go on. Bugs
    /// that need few are found in programs that are too large for a full search. Never says `safe`;
    /// --por does not apply
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,

    /// Try runs at random, until the time limit. Never says `safe`; --por does not apply
    #[arg(long, conflicts_with = "preemptions")]
    pub random: bool,

    /// Stop a random search after so many runs
    #[arg(long, value_name = "N", requires = "random")]
    pub runs: Option<u64>,

    /// Leave out states that a summary shows to be safe, or (with --por none) states that were
    /// explored before: none, summaries, states. If nothing is said of this, --por or --dependence,
    /// a long search takes turns with both; with --explain, it is summaries
    #[arg(long, value_name = "KIND", hide_possible_values = true)]
    pub prune: Option<PruneKind>,

    /// Of a program that is safe, say why: under which conditions no failure is reachable when
    /// threads stand at these lines. Without lines: where threads begin to run beside each other,
    /// and at assertions. Turns --prune summaries on
    #[arg(long, value_name = "[FILE:]LINE,...", num_args = 0..=1, value_parser = lines)]
    pub explain: Option<Option<verify::Lines>>,

    #[command(flatten)]
    pub limits: LimitFlags,

    /// Do not find out what the properties depend on: every access is a scheduling point
    #[arg(long)]
    pub no_slice: bool,

    /// Where random choices start: the same seed gives the same runs
    #[arg(long, value_name = "N", default_value = "0")]
    pub seed: u64,

    #[command(flatten)]
    pub trace: TraceFlags,
}

/// Of the trace engine.
#[derive(Debug, Args)]
pub struct TraceFlags {
    /// Unroll everything before solving, loops so many rounds [default: 16], in place of what runs
    /// show. For --engine trace
    #[arg(long, value_name = "ROUNDS", num_args = 0..=1, default_missing_value = "16")]
    pub whole: Option<u32>,

    /// Solve as runs show more of the program, but leave nothing out that cannot matter. For
    /// --engine trace
    #[arg(long, conflicts_with = "whole")]
    pub lazy: bool,

    /// Keep the order of events by numbers in place of a graph: slow, for comparison. For --engine
    /// trace
    #[arg(long)]
    pub clocks: bool,

    /// Values for the program's inputs, a JSON object by name or a witness: only these are looked
    /// at. For --engine trace
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,

    /// Write what the solver concluded to this file, for `sleave check-proof`. For --engine trace
    #[arg(long, value_name = "FILE", conflicts_with = "clocks")]
    pub proof: Option<PathBuf>,
}

impl TraceFlags {
    /// The first that is set.
    pub fn named(&self) -> Option<&'static str> {
        let set = [
            (self.whole.is_some(), "--whole"),
            (self.lazy, "--lazy"),
            (self.clocks, "--clocks"),
            (self.inputs.is_some(), "--inputs"),
            (self.proof.is_some(), "--proof"),
        ];
        set.into_iter().find(|(is_set, _)| *is_set).map(|s| s.1)
    }
}

/// What the program meets, and how long it may run.
#[derive(Debug, Args)]
pub struct ProgramFlags {
    /// Iterations that a loop may make, and calls that a recursion may nest; 0: no bound.
    /// Without this option only loops in which something is decided are bounded
    #[arg(long, value_name = "N")]
    pub unwind: Option<u32>,

    /// Condition waits end only when signalled
    #[arg(long)]
    pub no_spurious: bool,

    /// Let the program make at most so many threads, main among them: one that would make another
    /// stands still. A search in which one does never says `safe`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,

    /// malloc and its like may return NULL
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// Arguments of the program's main, as a shell would split them; may be repeated. Without this,
    /// any arguments
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, value_parser = shell_words)]
    pub args: Vec<Words>,

    /// A variable of the environment, and its value; NAME alone: it is not set. May be repeated. Of
    /// all others, getenv gives any value or none
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = variable)]
    pub env: Vec<(String, Option<String>)>,

    /// Variables that no --env names are not set
    #[arg(long)]
    pub only_env: bool,

    /// What the program reads from its standard input. Without this, anything: every byte is an
    /// input, and so is the end
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,

    /// Make up so many bytes of each text from the environment, and of each stream that is read
    /// byte by byte. A program that looks further is `unknown`
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(..=i64::from(verify::LONGEST_INPUT)))]
    pub input_length: u32,
}

/// What is run of files that are no program by themselves.
#[derive(Debug, Default, Args)]
pub struct HarnessFlags {
    /// Run this, C or C++ as the files are, in a thread of its own; may be repeated. A main of the
    /// files is not run. Names that nothing declares are inputs, shared by all threads; what pointers
    /// among them point to is made up
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub run: Vec<String>,

    /// Run this before the threads of --run start; may be repeated
    #[arg(
        long,
        value_name = "EXPR",
        allow_hyphen_values = true,
        requires = "run"
    )]
    pub before: Vec<String>,

    /// Run this when the threads of --run have ended: assert(...), mostly; may be repeated
    #[arg(
        long,
        value_name = "EXPR",
        allow_hyphen_values = true,
        requires = "run"
    )]
    pub after: Vec<String>,

    /// The type of an input of --run, where it does not follow from how it is used: a declaration
    /// like 'struct queue *q'; may be repeated
    #[arg(long, value_name = "DECLARATION", requires = "run")]
    pub input: Vec<String>,

    /// Follow so many pointers from an input of --run to the last object that is made up
    #[arg(long, value_name = "N", default_value_t = verify::USUAL_DEPTH, requires = "run", value_parser = clap::value_parser!(u32).range(..=16))]
    pub depth: u32,
}

impl HarnessFlags {
    /// `None`: the files are a program.
    pub fn harness(&self) -> Option<verify::Harness> {
        (!self.run.is_empty()).then(|| verify::Harness {
            run: self.run.clone(),
            before: self.before.clone(),
            after: self.after.clone(),
            inputs: self.input.clone(),
            depth: self.depth,
        })
    }
}

/// Workers that share a search, and files that it is saved in.
#[derive(Debug, Args)]
pub struct SavingFlags {
    /// Workers that share the search, each on a core of its own [default: as many as there are
    /// cores]. Counts and results do not depend on it. Only with --por optimal
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,

    /// Save the search to this file every few seconds and when it is stopped, to go on with
    /// --resume
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,

    /// How often it is saved
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds, requires = "checkpoint")]
    pub checkpoint_every: Duration,

    /// Go on with a search that was saved by --checkpoint: same program, same options. Goes on
    /// saving it there, unless --checkpoint says where
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// Do not search, but write the whole search to this file, for `sleave explore-job`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["checkpoint", "resume"])]
    pub job: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Static facts, then the explorer, which takes turns with others if its search is long
    Portfolio,
    /// The explorer alone
    Explore,
    /// Static facts alone: proves at once, or says nothing
    Static,
    /// All interleavings and all inputs in one formula, which runs extend until it is a proof
    Trace,
}

/// Partial order reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Por {
    None,
    Dpor,
    Source,
    Optimal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PruneKind {
    None,
    Summaries,
    States,
}

/// How many summaries are kept. Dropping some never makes a verdict wrong, only a search longer.
#[derive(Clone, Copy, Debug, Args)]
pub struct LimitFlags {
    /// Keep summaries of so many control states, told apart also by loop counters that the
    /// summaries fix; more replace those that were of no use the longest [default: 65536]
    #[arg(long, value_name = "N")]
    pub summary_states: Option<usize>,

    /// Keep so many summaries of each; more replace those that held the longest time ago [default:
    /// 64]
    #[arg(long, value_name = "N")]
    pub summaries_per_state: Option<usize>,

    /// Keep no summary with more operators and operands [default: 20000]
    #[arg(long, value_name = "N")]
    pub summary_size: Option<u32>,

    /// Look no further at a control state after so many looks in vain [default: 200]
    #[arg(long, value_name = "N")]
    pub summary_patience: Option<u32>,

    /// Spend as much work on summaries as so many steps cost, and if they hardly ever prune make
    /// none for a while; 0: make them always [default: 4096]
    #[arg(long, value_name = "N")]
    pub summary_trial: Option<u64>,
}

impl LimitFlags {
    /// The first that is set.
    pub fn named(&self) -> Option<&'static str> {
        let set = [
            (self.summary_states.is_some(), "--summary-states"),
            (self.summaries_per_state.is_some(), "--summaries-per-state"),
            (self.summary_size.is_some(), "--summary-size"),
            (self.summary_patience.is_some(), "--summary-patience"),
            (self.summary_trial.is_some(), "--summary-trial"),
        ];
        set.into_iter().find(|(is_set, _)| *is_set).map(|s| s.1)
    }

    pub fn limits(&self) -> verify::Limits {
        let usual = verify::Limits::default();
        verify::Limits {
            states: self.summary_states.unwrap_or(usual.states),
            summaries: self.summaries_per_state.unwrap_or(usual.summaries),
            size: self.summary_size.unwrap_or(usual.size),
            patience: self.summary_patience.unwrap_or(usual.patience),
            trial: self.summary_trial.unwrap_or(usual.trial),
        }
    }
}

#[derive(Debug, Args)]
pub struct ReplayFlags {
    pub witness: PathBuf,

    /// The program's files [default: those that the witness names]
    #[arg(value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Flags for clang, after `--` [default: those that the witness names]
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang_flags: Vec<String>,

    #[command(flatten)]
    pub show: Show,
}

#[derive(Debug, Args)]
pub struct LintFlags {
    /// Sources (.c .i .cc .cpp .cxx .C .ii) and LLVM files (.bc .ll), linked into one program
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Flags for clang, after `--`
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang_flags: Vec<String>,

    /// Also every wait for a condition, a semaphore or a barrier with nothing suspicious about it:
    /// whether it ends depends on values
    #[arg(long)]
    pub waits: bool,

    /// SARIF is for editors and code review
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: LintFormat,

    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// Only one line for each warning
    #[arg(long, short)]
    pub quiet: bool,

    /// Also the compiler's warnings
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
}

impl LintFlags {
    pub fn show(&self) -> Show {
        Show {
            format: Format::Text,
            color: self.color,
            quiet: self.quiet,
            verbose: self.verbose,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    Text,
    Json,
    Sarif,
}

#[derive(Debug, Args)]
pub struct AnalyzeFlags {
    /// Sources (.c .i .cc .cpp .cxx .C .ii) and LLVM files (.bc .ll), linked into one program
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Flags for clang, after `--`
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang_flags: Vec<String>,

    /// The facts to show
    #[arg(long, value_name = "FACTS")]
    pub show: Facts,

    /// As a graph for Graphviz, where there is one
    #[arg(long)]
    pub dot: bool,

    /// Only of this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Facts {
    /// Blocks and jumps
    Cfg,
    /// Who calls whom, and who starts whom as a thread
    Callgraph,
    /// Where pointers may point
    PointsTo,
    /// Threads, and objects that more than one of them may reach
    Escape,
    /// What depends on what
    Sdg,
    /// What can matter to the assertions
    Slice,
    /// Which locks are held where
    Locks,
}

#[derive(Debug, Args)]
pub struct ExploreJobFlags {
    /// From `sleave check --job`, `--checkpoint`, or what another job left
    pub job: PathBuf,

    /// The program's files
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Flags for clang, after `--`
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang_flags: Vec<String>,

    #[command(flatten)]
    pub harness: HarnessFlags,

    /// Where the result is written [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Leave the rest after so many executions [default: as the job says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub executions: Option<u64>,

    /// Leave the rest after so many seconds of searching [default: as the job says]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<Duration>,

    /// Leave the rest when more memory is used
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,

    /// Workers that share the job
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: u32,

    #[command(flatten)]
    pub show: Show,
}

#[derive(Debug, Args)]
pub struct CheckProofFlags {
    #[arg(value_name = "FILE")]
    pub proof: PathBuf,
}

#[derive(Debug, Args)]
pub struct BenchFlags {
    /// Which table [default: list them]
    pub table: Option<String>,

    /// Stop after so many seconds, for each program and configuration
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub time_limit: Duration,

    /// Only programs with this in their name
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,

    /// Only this configuration
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,

    /// Draw the figures of the paper as SVG files in this folder
    #[arg(long, value_name = "FOLDER")]
    pub plots: Option<PathBuf>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// How results are shown.
#[derive(Clone, Copy, Debug, Args)]
pub struct Show {
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// Only the verdict
    #[arg(long, short)]
    pub quiet: bool,

    /// Also the compiler's warnings
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[cfg(test)]
mod tests {
    use super::values::ValueError;
    use super::*;

    fn check(line: &str) -> clap::error::Result<CheckFlags> {
        let words = std::iter::once("sleave").chain(line.split(' '));
        match Flags::try_parse_from(words)?.command {
            Command::Check(flags) => Ok(*flags),
            other => panic!("`{line}` is {other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Flags::command().debug_assert();
    }

    #[test]
    fn options_stand_anywhere_and_clang_flags_last() {
        let flags = check("check --all a.c --unwind 3 b.c --time-limit 0.5 -- -m32 -DX").unwrap();
        assert_eq!(flags.files, [PathBuf::from("a.c"), PathBuf::from("b.c")]);
        assert_eq!(flags.clang_flags, ["-m32", "-DX"]);
        assert_eq!(flags.program.unwind, Some(3));
        assert_eq!(flags.time_limit, Some(Duration::from_millis(500)));
        assert!(flags.search.all);
    }

    #[test]
    fn the_last_of_an_option_counts_but_lists_grow() {
        let flags =
            check("check a.c b.c --unwind 1 --unwind 2 --args x --args y --property memory --property abort").unwrap();
        assert_eq!(flags.program.unwind, Some(2));
        assert_eq!(flags.files.len(), 2);
        assert_eq!(flags.program.args.len(), 2);
        assert_eq!(flags.search.property, ["memory", "abort"]);
    }

    #[test]
    fn lines_to_explain() {
        let line = |file: Option<&str>, line| verify::SourceLine {
            file: file.map(str::to_string),
            line,
        };
        let explain = |text: &str| check(text).unwrap().search.explain;
        assert_eq!(explain("check a.c"), None);
        assert_eq!(explain("check a.c --explain"), Some(None));
        assert_eq!(
            explain("check a.c --explain 12,b.c:3"),
            Some(Some(verify::Lines(vec![
                line(None, 12),
                line(Some("b.c"), 3)
            ])))
        );
        assert!(check("check --explain a.c").is_err());
    }

    #[test]
    fn help_names_the_bounds_of_summaries() {
        let help = check("check --help").unwrap_err().to_string();
        // Lines may be broken anywhere.
        let words: Vec<&str> = help.split_whitespace().collect();
        let help = words.join(" ");
        let usual = verify::Limits::default();
        for number in [
            usual.states as u64,
            usual.summaries as u64,
            u64::from(usual.size),
            u64::from(usual.patience),
            usual.trial,
        ] {
            assert!(help.contains(&format!("[default: {number}]")), "{number}");
        }
    }

    #[test]
    fn values_are_checked() {
        assert!(check("check a.c --engine other").is_err());
        assert!(
            check("check a.c --por none --prune none --engine explore --jobs 1 --no-slice").is_ok()
        );
        assert!(check("check a.c --time-limit -1").is_err());
        assert!(check("check a.c --first-bug --all").is_err());
    }

    #[test]
    fn searches_of_a_part_exclude_each_other() {
        assert_eq!(
            check("check a.c --preemptions 2")
                .unwrap()
                .search
                .preemptions,
            Some(2)
        );
        let flags = check("check a.c --random --runs 5 --seed 3 --por optimal").unwrap();
        assert!(flags.search.random);
        assert_eq!((flags.search.runs, flags.search.seed), (Some(5), 3));
        assert!(check("check a.c --random --preemptions 2").is_err());
        assert!(check("check a.c --runs 5").is_err());
    }

    #[test]
    fn finer_independence_goes_with_some_searches() {
        let flags = check("check a.c --commute --observers").unwrap();
        assert!(flags.search.commute && flags.search.observers);
        assert_eq!(flags.search.por, None);
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        let words = |text: &str| shell_words(text).map(|w| w.0);
        assert_eq!(words("a b").unwrap(), ["a", "b"]);
        assert_eq!(words(" one ").unwrap(), ["one"]);
        assert_eq!(
            words("'a b' \"c\\\"d\" e\\ f ''").unwrap(),
            ["a b", "c\"d", "e f", ""]
        );
        assert_eq!(words("-5").unwrap(), ["-5"]);
        assert!(words("").unwrap().is_empty());
        assert_eq!(words("'open"), Err(ValueError::OpenQuote));
    }
}
