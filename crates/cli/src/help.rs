//! What `--help` shows: `sleave check` has a page of everyday options; `--help-all` shows them all,
//! by what they are for.

use std::ffi::OsString;

use clap::{Command, CommandFactory, FromArgMatches};

use crate::flags::Flags;

/// The options that are shown to everyone.
const EVERYDAY: [&str; 18] = [
    "files",
    "clang_flags",
    "property",
    "all",
    "unwind",
    "time_limit",
    "memory_limit",
    "jobs",
    "random",
    "preemptions",
    "explain",
    "run",
    "before",
    "after",
    "args",
    "witness",
    "format",
    "quiet",
];

/// All others, by what they are for.
const OTHERS: [(&str, &[&str]); 6] = [
    (
        "Which search",
        &[
            "engine",
            "por",
            "dependence",
            "no_slice",
            "peek",
            "commute",
            "observers",
            "prune",
            "runs",
            "seed",
        ],
    ),
    (
        "The trace engine",
        &["whole", "lazy", "inputs", "proof", "clocks"],
    ),
    (
        "Summaries",
        &[
            "summary_states",
            "summaries_per_state",
            "summary_size",
            "summary_patience",
            "summary_trial",
        ],
    ),
    (
        "What the program meets",
        &[
            "input",
            "depth",
            "threads",
            "no_spurious",
            "malloc_may_fail",
            "env",
            "only_env",
            "stdin",
            "input_length",
        ],
    ),
    (
        "Long searches",
        &[
            "checkpoint",
            "checkpoint_every",
            "resume",
            "job",
            "solver_timeout",
        ],
    ),
    ("Output", &["first_bug", "no_witness", "color", "verbose"]),
];

const HELP_ALL: &str = "--help-all";

/// The command line, or what is to be printed instead.
pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Flags, clap::Error> {
    let words: Vec<OsString> = words.collect();
    let own = words.split(|word| word == "--").next().unwrap_or_default();
    let shows_all = own.iter().any(|word| word == HELP_ALL);
    let words = match shows_all {
        true => ["sleave", "check", "--help"].map(OsString::from).to_vec(),
        false => words,
    };
    let mut command = command(shows_all);
    let matches = command.try_get_matches_from_mut(words)?;
    Flags::from_arg_matches(&matches)
}

fn command(shows_all: bool) -> Command {
    let heading = |id: &str| {
        let mut others = OTHERS.iter();
        others
            .find(|(_, ids)| ids.contains(&id))
            .map(|(name, _)| *name)
    };
    Flags::command().mut_subcommand("check", |check| {
        let check = check.mut_args(|arg| {
            let is_shown = shows_all || EVERYDAY.contains(&arg.get_id().as_str());
            match heading(arg.get_id().as_str()) {
                Some(name) => arg.help_heading(name).hide(!is_shown),
                None => arg,
            }
        });
        let codes = check.get_after_help().cloned().unwrap_or_default();
        check.after_help(format!("All options: sleave check {HELP_ALL}\n{codes}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_its_place() {
        let flags = Flags::command();
        let check = flags.find_subcommand("check").expect("a subcommand");
        for arg in check.get_arguments() {
            let id = arg.get_id().as_str();
            let places = OTHERS.iter().filter(|(_, ids)| ids.contains(&id)).count()
                + usize::from(EVERYDAY.contains(&id));
            assert_eq!(places, 1, "{id}");
        }
        let mut ids = EVERYDAY
            .iter()
            .chain(OTHERS.iter().flat_map(|(_, ids)| *ids));
        assert!(ids.all(|id| check.get_arguments().any(|arg| arg.get_id() == id)));
    }
}
