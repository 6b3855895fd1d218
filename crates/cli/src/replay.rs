//! `sleave replay`: runs a witness on a fresh concrete machine and says whether the bug is there.

use std::path::PathBuf;

use verify::{Leash, LoadError, ReplayError, StopReason, Witness};

use crate::check::load_with;
use crate::exit::{Exit, Fault};
use crate::flags::{Format, ReplayFlags};
use crate::last_resort::Watch;
use crate::output;
use crate::report::{self, ReplayOutcome, Style};

pub fn run(flags: &ReplayFlags) -> Exit {
    let witness = match Witness::read(&flags.witness) {
        Ok(witness) => witness,
        Err(error) => return usage(&error.to_string()),
    };
    let (files, clang_flags) = match program(flags, &witness) {
        Ok(program) => program,
        Err(error) => return usage(&error.to_string()),
    };
    let format = flags.show.format;
    let watch = Watch::start(Leash::default(), &StopReason::default(), move |_| {
        output::print(&match format {
            Format::Json => report::json::replay_interrupted(),
            Format::Text => report::text::replay_interrupted(),
        });
        Exit::Unknown
    });
    let loaded = match load_with(
        &watch,
        files,
        clang_flags,
        witness.harness.clone(),
        &flags.show,
    ) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let outcome = match verify::replay(&loaded, &witness) {
        Ok(replayed) => ReplayOutcome::Replayed(Box::new(replayed)),
        Err(ReplayError::Diverged(diverged)) => ReplayOutcome::Diverged(diverged),
        Err(ReplayError::Internal(fault)) => {
            return watch.report(Exit::Fault, || output::error(&Fault(fault).to_string()));
        }
        Err(error) => return watch.report(Exit::Usage, || output::error(&error.to_string())),
    };
    let text = match flags.show.format {
        Format::Json => report::json::replay(&witness, &outcome),
        Format::Text => report::text::replay(
            &witness,
            &outcome,
            flags.show.quiet,
            &Style::of(&flags.show),
        ),
    };
    let exit = match outcome.is_confirmed() {
        true => Exit::Bug,
        false => Exit::Unknown,
    };
    watch.report(exit, || output::print(&text))
}

fn usage(message: &str) -> Exit {
    output::error(message);
    Exit::Usage
}

/// Why it is not known what to run.
#[derive(Debug, thiserror::Error)]
enum ProgramError {
    #[error("{}", LoadError::NoFiles)]
    NoFiles,
    #[error(
        "the witness is of {}, which is not here. Say where the program is: sleave replay {} FILES",
        file.display(),
        witness.display()
    )]
    Elsewhere { file: PathBuf, witness: PathBuf },
    #[error(
        "the witness asks for the clang flag {flag}. If you trust it, give the program's files and \
         flags yourself: sleave replay {} FILES -- FLAGS",
        witness.display()
    )]
    UnsafeFlag { flag: String, witness: PathBuf },
}

/// The program's files and its flags for clang: those of the command line, or those that the
/// witness names.
fn program<'a>(
    flags: &'a ReplayFlags,
    witness: &'a Witness,
) -> Result<(&'a [PathBuf], &'a [String]), ProgramError> {
    let files = match flags.files.as_slice() {
        [] => files_here(flags, witness)?,
        files => files,
    };
    let clang_flags = match flags.clang_flags.as_slice() {
        [] => harmless_flags(flags, witness)?,
        clang_flags => clang_flags,
    };
    Ok((files, clang_flags))
}

/// A witness names files as they were given to `check`, seen from where it ran.
fn files_here<'a>(
    flags: &ReplayFlags,
    witness: &'a Witness,
) -> Result<&'a [PathBuf], ProgramError> {
    if witness.files.is_empty() {
        return Err(ProgramError::NoFiles);
    }
    match witness.files.iter().find(|f| !f.is_file()) {
        None => Ok(&witness.files),
        Some(file) => Err(ProgramError::Elsewhere {
            file: file.clone(),
            witness: flags.witness.clone(),
        }),
    }
}

fn harmless_flags<'a>(
    flags: &ReplayFlags,
    witness: &'a Witness,
) -> Result<&'a [String], ProgramError> {
    match witness.clang_flags.iter().find(|f| !is_harmless(f)) {
        None => Ok(&witness.clang_flags),
        Some(flag) => Err(ProgramError::UnsafeFlag {
            flag: flag.clone(),
            witness: flags.witness.clone(),
        }),
    }
}

/// Whether a flag out of a file that someone may have sent can go to clang unasked. Plug-ins run
/// code and output options write files; these here do neither.
fn is_harmless(flag: &str) -> bool {
    const ALLOWED: [&str; 12] = [
        "-D", "-U", "-I", "-isystem", "-include", "-std=", "-m32", "-m64", "-O", "-g", "-pthread",
        "-W",
    ];
    const REFUSED: [&str; 3] = ["-Wa,", "-Wl,", "-Wp,"];
    let plain = !flag.starts_with('-') && !flag.starts_with('@');
    let allowed =
        ALLOWED.iter().any(|a| flag.starts_with(a)) && !REFUSED.iter().any(|r| flag.starts_with(r));
    let feature = flag.starts_with("-f") && !flag.contains("plugin") && !flag.contains('=');
    plain || allowed || feature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_a_witness() {
        for flag in [
            "-DN=3",
            "-I",
            "include",
            "-m32",
            "-std=c99",
            "-fshort-enums",
            "-Wall",
        ] {
            assert!(is_harmless(flag), "{flag}");
        }
        for flag in [
            "-fplugin=evil.so",
            "-Xclang",
            "@flags",
            "-o",
            "-fpass-plugin=x",
            "-Wp,-MD,file",
            "-B/tmp",
        ] {
            assert!(!is_harmless(flag), "{flag}");
        }
    }
}
