//! C, C++ and LLVM bitcode to [`ir`]. The only crate that knows LLVM; its versions and habits are
//! normalised here.
//!
//! [`load`] compiles with clang at `-O0`, links the files, cleans up without touching an access
//! that another thread might see, lowers, and links with Sleave's own C library, which was lowered
//! before. What has no counterpart becomes `Unsupported` where the program would run into it.

mod compile;
mod handover;
mod identity;
pub mod layout;
mod leash;
mod library;
mod link;
mod llvm;
mod lower;
mod rehearsal;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use compile::Compiled;
pub use compile::Language;
pub use leash::Leash;
use library::Library;
pub use library::compile_library;
use link::Unlinked;
use llvm::LlvmError;
use rehearsal::Failure;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// Handed to clang last, so that they override ours.
    pub clang_flags: Vec<String>,
    /// Flags for clang that one file alone gets, behind those of all.
    pub flags_of: BTreeMap<PathBuf, Vec<String>>,
    /// Files to which `clang_flags` do not apply, but for those that choose a target.
    pub foreign: BTreeSet<PathBuf>,
    /// Compile for a 32-bit target, as `-m32` among the flags does.
    pub bits32: bool,
    /// Sleave's own C library as [`compile_library`] makes it, for every size of pointers. What the
    /// program needs from it is linked; the program's own definitions win.
    pub libraries: Vec<&'a [u8]>,
    /// Functions of the library to link even if the program does not mention them.
    pub library_roots: Vec<&'a str>,
    /// Pulled from another thread, it ends the work before it is done.
    pub leash: Leash,
}

impl<'a> Options<'a> {
    /// For one file.
    fn flags(&self, path: &Path) -> Vec<String> {
        let mut flags = Vec::new();
        if self.is_32_bit() && !self.clang_flags.iter().any(|f| f == "-m32") {
            flags.push("-m32".to_owned());
        }
        let is_of_target = |flag: &&String| flag.starts_with("-m") || flag.starts_with("--target=");
        let is_foreign = self.foreign.contains(path);
        let all = self.clang_flags.iter();
        flags.extend(
            all.filter(|flag| !is_foreign || is_of_target(flag))
                .cloned(),
        );
        flags.extend(self.flags_of.get(path).into_iter().flatten().cloned());
        flags
    }

    /// The last of `-m32` and `-m64` counts.
    pub fn is_32_bit(&self) -> bool {
        let last = self
            .clang_flags
            .iter()
            .rev()
            .find(|f| *f == "-m32" || *f == "-m64");
        last.map_or(self.bits32, |flag| flag == "-m32")
    }

    fn library(&self, pointer_bits: u32) -> Option<Library<'a>> {
        let mut libraries = self.libraries.iter();
        libraries.find_map(|bytes| Library::open(bytes, pointer_bits))
    }
}

/// A program, ready to run.
#[derive(Debug)]
pub struct Loaded {
    pub module: ir::Module,
    /// What clang printed although it succeeded.
    pub warnings: String,
    /// Identifies the program: equal for equal code and data, wherever it stands in the file. A
    /// file name counts only where it is data, as in `assert`.
    pub hash: u64,
    pub compile_time: Duration,
    pub load_time: Duration,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum LoadError {
    /// Clang's own words.
    #[error("{message}")]
    Compile { message: String },
    #[error(
        "no usable clang: {reason}. Install clang-22 (apt install clang-22), or let SLEAVE_CLANG name one of version 14 or later"
    )]
    NoClang { reason: String },
    #[error("{}: {reason}", path.display())]
    Read {
        #[serde(with = "handover::path_bytes")]
        path: PathBuf,
        reason: String,
    },
    #[error(
        "{}: not a file Sleave reads; it reads .c, .i, .cc, .cpp, .cxx, .C, .ii, .bc and .ll", path.display()
    )]
    UnknownKind {
        #[serde(with = "handover::path_bytes")]
        path: PathBuf,
    },
    #[error("{}: {reason}", path.display())]
    BadBitcode {
        #[serde(with = "handover::path_bytes")]
        path: PathBuf,
        reason: String,
    },
    #[error("{}: cannot be linked with the other files: {reason}", path.display())]
    Link {
        #[serde(with = "handover::path_bytes")]
        path: PathBuf,
        reason: String,
    },
    #[error("the program does not define main")]
    NoMain,
    #[error("no input files")]
    NoFiles,
    #[error("stopped before the program was loaded")]
    Stopped,
}

/// Compiles, links and lowers a whole program.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Loaded, LoadError> {
    let start = Instant::now();
    if files.is_empty() {
        return Err(LoadError::NoFiles);
    }
    let compiled = compile_all(files, options)?;
    let compile_time = start.elapsed();

    let start = Instant::now();
    let unlinked = match lower_foreign(files, &compiled, options)? {
        Some(unlinked) => unlinked,
        None => {
            let _using_llvm = rehearsal::using_llvm();
            lower_all(files, &compiled, options)?
        }
    };
    let module = match options.library(unlinked.module.pointer_bits) {
        Some(library) => link::link(unlinked, &library, &options.library_roots),
        None => unlinked.module,
    };
    let warnings = compiled.into_iter().map(|c| c.warnings).collect();
    Ok(Loaded {
        hash: identity::hash(&module),
        module,
        warnings,
        compile_time,
        load_time: start.elapsed(),
    })
}

/// What clang says of a source: a line for each error, warning and note.
pub fn diagnose(source: &Path, options: &Options) -> Result<String, LoadError> {
    let language = language_of(source)?;
    let clang = compile::find_clang()?;
    let flags = options.flags(source);
    compile::diagnose(&clang, source, language, &flags, &options.leash)
}

/// How the types of a source's global variables lie in memory.
pub fn lay_out(source: &Path, options: &Options) -> Result<layout::Layouts, LoadError> {
    let compiled = compile_all(std::slice::from_ref(&source.to_owned()), options)?;
    let _using_llvm = rehearsal::using_llvm();
    let context = llvm::Context::new();
    let module = context.parse(&compiled[0].bitcode, &source.to_string_lossy());
    let module = module.map_err(|error| bad_bitcode(source, &error))?;
    Ok(layout::of(&module))
}

fn language_of(path: &Path) -> Result<Language, LoadError> {
    let unknown = || LoadError::UnknownKind {
        path: path.to_owned(),
    };
    Language::of(path).ok_or_else(unknown)
}

/// The files as one module.
fn lower_all(
    files: &[PathBuf],
    compiled: &[Compiled],
    options: &Options,
) -> Result<Unlinked, LoadError> {
    let context = llvm::Context::new();
    let mut linked: Option<llvm::Module> = None;
    for (path, compiled) in files.iter().zip(compiled) {
        let module = context
            .parse(&compiled.bitcode, &path.to_string_lossy())
            .map_err(|error| bad_bitcode(path, &error))?;
        match &mut linked {
            None => linked = Some(module),
            Some(program) => program.link(module).map_err(|error| LoadError::Link {
                path: path.clone(),
                reason: error.to_string(),
            })?,
        }
    }
    let program = linked.ok_or(LoadError::NoFiles)?;
    if !program
        .functions()
        .any(|f| f.name() == "main" && !f.is_declaration())
    {
        return Err(LoadError::NoMain);
    }
    let library = options.library(program.pointer_bits());
    clean_and_lower(program, &files[0], library.as_ref())
}

/// Lowers one module of bitcode or LLVM assembly, with or without `main`.
pub fn load_bitcode_bytes(bytes: &[u8]) -> Result<ir::Module, LoadError> {
    let path = Path::new("bitcode");
    let lowered = match lower_elsewhere(&Leash::default(), || parse_and_lower(bytes, path, None)) {
        Ok(Some(lowered)) => lowered,
        Ok(None) => {
            let _using_llvm = rehearsal::using_llvm();
            parse_and_lower(bytes, path, None)
        }
        Err(failure) => Err(unreadable(path, failure)),
    };
    lowered.map(|unlinked| unlinked.module)
}

/// Lowers a program in another process if one of its files did not come from our own clang: LLVM
/// trusts what it reads. `None`: there is no such file, or no process could be started.
fn lower_foreign(
    files: &[PathBuf],
    compiled: &[Compiled],
    options: &Options,
) -> Result<Option<Unlinked>, LoadError> {
    let foreign = || {
        let all = files.iter().zip(compiled);
        all.filter(|(path, _)| Language::of(path) == Some(Language::Llvm))
    };
    let Some((first, _)) = foreign().next() else {
        return Ok(None);
    };
    let leash = &options.leash;
    match lower_elsewhere(leash, || lower_all(files, compiled, options)) {
        Ok(lowered) => lowered.transpose(),
        Err(_) if leash.is_pulled() => Err(LoadError::Stopped),
        Err(failure) => {
            // Each file is lowered alone, so that the error names the one that fails.
            for (path, compiled) in foreign() {
                lower_elsewhere(leash, || parse_and_lower(&compiled.bitcode, path, None))
                    .map_err(|failure| unreadable(path, failure))?;
            }
            Err(unreadable(first, failure))
        }
    }
}

/// Lowers in another process. The outer error says why that process made nothing; `None` means that
/// no process could be started.
fn lower_elsewhere(
    leash: &Leash,
    lower: impl FnOnce() -> Result<Unlinked, LoadError>,
) -> Result<Option<Result<Unlinked, LoadError>>, Failure> {
    let Some(bytes) = rehearsal::perform(leash, || handover::write(&lower()))? else {
        return Ok(None);
    };
    handover::read(&bytes).map(Some).ok_or(Failure::Incomplete)
}

fn unreadable(path: &Path, failure: Failure) -> LoadError {
    LoadError::BadBitcode {
        path: path.to_owned(),
        reason: format!("LLVM cannot read this file: it {failure}"),
    }
}

fn bad_bitcode(path: &Path, error: &dyn std::error::Error) -> LoadError {
    LoadError::BadBitcode {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

fn parse_and_lower(
    bytes: &[u8],
    path: &Path,
    library: Option<&Library>,
) -> Result<Unlinked, LoadError> {
    let context = llvm::Context::new();
    let module = context
        .parse(bytes, "bitcode")
        .map_err(|error| bad_bitcode(path, &error))?;
    clean_and_lower(module, path, library)
}

fn clean_and_lower(
    mut module: llvm::Module,
    path: &Path,
    library: Option<&Library>,
) -> Result<Unlinked, LoadError> {
    let bad = |error: LlvmError| bad_bitcode(path, &error);
    require_known_target(&module).map_err(|error| bad_bitcode(path, &error))?;
    module.clean_up().map_err(bad)?;
    // Lowering relies on what the verifier checks.
    module.verify().map_err(bad)?;
    Ok(lower::lower(&module, library))
}

/// A target whose memory the intermediate representation cannot describe: it has pointers of four
/// or eight bytes, and memory with the low byte first.
#[derive(Debug, thiserror::Error)]
enum UnknownTarget {
    #[error("big-endian targets are not supported")]
    BigEndian,
    #[error("pointers of {0} bits are not supported")]
    PointerBits(u32),
}

fn require_known_target(module: &llvm::Module) -> Result<(), UnknownTarget> {
    match module.pointer_bits() {
        32 | 64 if module.is_little_endian() => Ok(()),
        32 | 64 => Err(UnknownTarget::BigEndian),
        bits => Err(UnknownTarget::PointerBits(bits)),
    }
}

/// Bitcode of every file, in order; sources are compiled side by side.
fn compile_all(files: &[PathBuf], options: &Options) -> Result<Vec<Compiled>, LoadError> {
    let mut languages = Vec::new();
    for path in files {
        languages.push(language_of(path)?);
    }
    let mut read: Vec<Option<Compiled>> = Vec::new();
    for (path, language) in files.iter().zip(&languages) {
        read.push(match language {
            Language::Llvm => Some(read_bitcode(path)?),
            Language::C | Language::Cpp => None,
        });
    }
    if read.iter().all(Option::is_some) {
        return Ok(read.into_iter().flatten().collect());
    }
    let clang = compile::find_clang()?;
    let directory = tempfile::Builder::new()
        .prefix("sleave-")
        .tempdir()
        .map_err(|error| LoadError::Read {
            path: std::env::temp_dir(),
            reason: error.to_string(),
        })?;
    std::thread::scope(|scope| {
        let jobs: Vec<_> = files
            .iter()
            .zip(languages)
            .zip(read)
            .enumerate()
            .map(|(index, ((path, language), read))| {
                let output = directory.path().join(format!("{index}.bc"));
                let (clang, flags, leash) = (&clang, options.flags(path), &options.leash);
                scope.spawn(move || match read {
                    Some(bitcode) => Ok(bitcode),
                    None => {
                        readable(path)?;
                        compile::compile(clang, path, language, &flags, &output, leash)
                    }
                })
            })
            .collect();
        jobs.into_iter()
            .map(|job| job.join().expect("compiling does not panic"))
            .collect()
    })
}

/// Checks that the file can be read, so that the message about one that cannot is ours, not
/// clang's.
fn readable(path: &Path) -> Result<(), LoadError> {
    match std::fs::File::open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(LoadError::Read {
            path: path.to_owned(),
            reason: error.to_string(),
        }),
    }
}

fn read_bitcode(path: &Path) -> Result<Compiled, LoadError> {
    match std::fs::read(path) {
        Ok(bitcode) => Ok(Compiled {
            bitcode,
            warnings: String::new(),
        }),
        Err(error) => Err(LoadError::Read {
            path: path.to_owned(),
            reason: error.to_string(),
        }),
    }
}
