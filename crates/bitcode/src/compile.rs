//! Runs clang as a separate program: source in, bitcode out.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::LoadError;
use crate::leash::Leash;

/// Overrides the search for clang.
const CLANG_VARIABLE: &str = "SLEAVE_CLANG";

/// Older versions write bitcode with typed pointers that LLVM 22 no longer reads.
const OLDEST_VERSION: u32 = 14;

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
    /// Bitcode or LLVM assembly.
    Llvm,
}

impl Language {
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" | "i" => Some(Language::C),
            "cc" | "cpp" | "cxx" | "c++" | "C" | "CPP" | "ii" => Some(Language::Cpp),
            "bc" | "ll" => Some(Language::Llvm),
            _ => None,
        }
    }
}

/// No optimisation, but functions that our own clean-up may change, and all debug information.
const FLAGS: [&str; 9] = [
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-g",
    "-fno-discard-value-names",
    "-emit-llvm",
    "-c",
    "-D__SLEAVE__=1",
    "-Qunused-arguments",
];

/// Old and sloppy C: what newer compilers reject is a warning, as it is for other verifiers.
const LENIENT_C: [&str; 10] = [
    "-std=gnu11",
    "-Wno-unknown-warning-option",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-type",
    "-Wno-error=return-mismatch",
    "-Wno-error=incompatible-library-redeclaration",
];

/// In a freestanding program `main` may have any parameters. The program still gets the headers of
/// a hosted one.
const ANY_MAIN: [&str; 3] = ["-ffreestanding", "-U__STDC_HOSTED__", "-D__STDC_HOSTED__=1"];

/// With its assertions on, libstdc++ checks indices, and `std::string` comes as code instead of
/// calls into the library.
const CPP: [&str; 2] = ["--driver-mode=g++", "-D_GLIBCXX_ASSERTIONS=1"];

/// Bitcode, and the warnings that clang printed.
pub struct Compiled {
    pub bitcode: Vec<u8>,
    pub warnings: String,
}

/// What clang says of a source, one line for each error, warning and note; nothing is made of it.
pub fn diagnose(
    clang: &Path,
    source: &Path,
    language: Language,
    flags: &[String],
    leash: &Leash,
) -> Result<String, LoadError> {
    const PLAIN: [&str; 5] = [
        "-fsyntax-only",
        "-fno-spell-checking",
        "-ferror-limit=0",
        "-fno-caret-diagnostics",
        "-fno-color-diagnostics",
    ];
    let mut command = command(clang, language);
    command.args(flags).args(PLAIN).arg(source);
    let ended = leash.run(command).map_err(|error| no_clang(&error))?;
    let ended = ended.ok_or(LoadError::Stopped)?;
    Ok(String::from_utf8_lossy(&ended.said).into_owned())
}

/// Clang with our own flags.
fn command(clang: &Path, language: Language) -> Command {
    let mut command = Command::new(clang);
    command.args(FLAGS);
    match language {
        Language::C => command.args(LENIENT_C),
        Language::Cpp | Language::Llvm => command.args(CPP),
    };
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

pub fn compile(
    clang: &Path,
    source: &Path,
    language: Language,
    flags: &[String],
    output: &Path,
    leash: &Leash,
) -> Result<Compiled, LoadError> {
    let run = |more: &[&str]| {
        let mut command = command(clang, language);
        command.args(more).args(flags).arg("-o").arg(output);
        command.arg(source);
        let ended = leash.run(command).map_err(|error| no_clang(&error))?;
        let ended = ended.ok_or(LoadError::Stopped)?;
        let mut message = String::from_utf8_lossy(&ended.said).into_owned();
        if !ended.status.success() && message.trim().is_empty() {
            // A clang that runs out of stack prints nothing.
            let (source, status) = (source.display(), ended.status);
            message = format!(
                "{source}: clang failed without a word ({status}); is the source too deeply nested?\n"
            );
        }
        Ok((ended.status.success(), message))
    };
    let (mut is_compiled, mut message) = run(&[])?;
    if !is_compiled && language == Language::C && complains_of_main_only(&message) {
        let again = run(&ANY_MAIN)?;
        if again.0 {
            (is_compiled, message) = again;
        }
    }
    if !is_compiled {
        return Err(LoadError::Compile { message });
    }
    let bitcode = std::fs::read(output).map_err(|error| LoadError::Read {
        path: output.to_owned(),
        reason: error.to_string(),
    })?;
    Ok(Compiled {
        bitcode,
        warnings: message,
    })
}

fn complains_of_main_only(message: &str) -> bool {
    message
        .lines()
        .filter(|line| line.contains(" error: "))
        .all(|line| line.contains("parameter of 'main'"))
}

/// `SLEAVE_CLANG`, else clang-22, else a clang that is not too old.
pub fn find_clang() -> Result<PathBuf, LoadError> {
    if let Some(path) = env::var_os(CLANG_VARIABLE) {
        return Ok(PathBuf::from(path));
    }
    // Its version is known by its name; asking would take longer than compiling a small program.
    if let Some(newest) = on_path("clang-22") {
        return Ok(newest);
    }
    let plain = PathBuf::from("clang");
    match version(&plain) {
        Some(version) if version >= OLDEST_VERSION => Ok(plain),
        Some(version) => Err(LoadError::NoClang {
            reason: format!("clang {version} is too old"),
        }),
        None => Err(LoadError::NoClang {
            reason: "neither clang-22 nor clang is on PATH".to_owned(),
        }),
    }
}

fn no_clang(error: &io::Error) -> LoadError {
    LoadError::NoClang {
        reason: error.to_string(),
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut candidates = env::split_paths(&path).map(|directory| directory.join(program));
    candidates.find(|candidate| candidate.is_file())
}

fn version(clang: &Path) -> Option<u32> {
    let output = Command::new(clang).arg("-dumpversion").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().split('.').next()?.parse().ok()
}
