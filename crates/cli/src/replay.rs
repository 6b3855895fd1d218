//! `sleave replay`: runs a witness on a fresh concrete machine and says whether the bug is there.

use std::path::Path;

use verify::{Leash, LoadError, ReplayError, Replayed, StopReason, Witness};

use crate::check::load;
use crate::exit::{Exit, fault_text};
use crate::flags::{Format, ReplayFlags};
use crate::last_resort::Watch;
use crate::output;
use crate::report::{self, Style};

pub fn run(flags: &ReplayFlags) -> Exit {
    let witness = match Witness::read(&flags.witness) {
        Ok(witness) => witness,
        Err(error) => return usage(&error.to_string()),
    };
    if flags.files.is_empty()
        && let Err(message) = can_find_program(&witness, &flags.witness)
    {
        return usage(&message);
    }
    let files = if flags.files.is_empty() {
        &witness.files
    } else {
        &flags.files
    };
    let clang_flags = if flags.clang_flags.is_empty() {
        if let Some(flag) = witness.clang_flags.iter().find(|f| !is_harmless(f)) {
            return usage(&format!(
                "the witness asks for the clang flag {flag}. If you trust it, give the program's files and flags yourself: \
                 sleave replay {} FILES -- FLAGS",
                flags.witness.display()
            ));
        }
        &witness.clang_flags
    } else {
        &flags.clang_flags
    };
    let format = flags.show.format;
    let watch = Watch::start(Leash::default(), &StopReason::default(), move |_| {
        output::print(&match format {
            Format::Json => report::json::replay_interrupted(),
            Format::Text => report::text::replay_interrupted(),
        });
        Exit::Unknown
    });
    let loaded = match load(&watch, files, clang_flags, &flags.show) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let outcome = match verify::replay(&loaded, &witness) {
        Ok(replayed) => Ok(replayed),
        Err(error @ ReplayError::Diverged { .. }) => Err(error.to_string()),
        Err(ReplayError::Internal(message)) => {
            return watch.report(Exit::Fault, || {
                output::error(&fault_text(&message.to_string()))
            });
        }
        Err(error) => return watch.report(Exit::Usage, || output::error(&error.to_string())),
    };
    let confirmed = matches!(
        outcome,
        Ok(Replayed {
            confirmed: true,
            ..
        })
    );
    let text = match flags.show.format {
        Format::Json => report::json::replay(&witness, &outcome),
        Format::Text => report::text::replay(
            &witness,
            &outcome,
            flags.show.quiet,
            &Style::of(&flags.show),
        ),
    };
    let exit = if confirmed { Exit::Bug } else { Exit::Unknown };
    watch.report(exit, || output::print(&text))
}

fn usage(message: &str) -> Exit {
    output::error(message);
    Exit::Usage
}

/// A witness names files as they were given to `check`, seen from where it ran.
fn can_find_program(witness: &Witness, path: &Path) -> Result<(), String> {
    if witness.files.is_empty() {
        return Err(LoadError::NoFiles.to_string());
    }
    match witness.files.iter().find(|f| !f.is_file()) {
        None => Ok(()),
        Some(missing) => Err(format!(
            "the witness is of {}, which is not here. Say where the program is: sleave replay {} FILES",
            missing.display(),
            path.display()
        )),
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
