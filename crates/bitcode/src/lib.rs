//! C, C++ and LLVM bitcode to [`ir`]. The only crate that knows LLVM; its versions and habits are
//! normalised here.
//!
//! [`load`] compiles with clang at `-O0`, links the files, cleans up without touching an access
//! that another thread might see, lowers, and links with Sleave's own C library, which was lowered
//! before. What has no counterpart becomes `Unsupported` where the program would run into it.

mod compile;
mod handover;
mod identity;
mod leash;
mod library;
mod link;
mod llvm;
mod lower;
mod rehearsal;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use compile::{Compiled, Language};
pub use leash::Leash;
use library::Library;
pub use library::compile_library;
use link::Unlinked;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// Handed to clang last, so that they override ours.
    pub clang_flags: Vec<String>,
    /// Compile for a 32-bit target, as `-m32` among the flags does.
    pub bits32: bool,
    /// Sleave's own C library as [`compile_library`] makes it, for every size of pointers. What the
    /// program needs from it is linked; the program's own definitions win.
    pub libraries: Vec<&'a [u8]>,
    /// Functions of the library to link even if the program does not mention them.
    pub library_roots: Vec<&'a str>,
    /// Ends the work before it is done.
    pub leash: Leash,
}

impl<'a> Options<'a> {
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

/// The files as one module.
fn lower_all(
    files: &[PathBuf],
    compiled: &[Compiled],
    options: &Options,
) -> Result<Unlinked, LoadError> {
    let context = llvm::Context::new();
    let mut linked: Option<llvm::Module> = None;
    for (path, compiled) in files.iter().zip(compiled) {
        let bad = |reason| LoadError::BadBitcode {
            path: path.clone(),
            reason,
        };
        let module = context
            .parse(&compiled.bitcode, &path.to_string_lossy())
            .map_err(bad)?;
        match &mut linked {
            None => linked = Some(module),
            Some(program) => program.link(module).map_err(|reason| LoadError::Link {
                path: path.clone(),
                reason,
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
        Err(unfinished) => Err(unreadable(path, &unfinished)),
    };
    lowered.map(|unlinked| unlinked.module)
}

/// LLVM trusts what it reads. A program with a file that did not come from our own clang is lowered
/// in another process. `None`: there is no such file, or no such process.
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
        Err(unfinished) => {
            // Which of them is it?
            for (path, compiled) in foreign() {
                lower_elsewhere(leash, || parse_and_lower(&compiled.bitcode, path, None))
                    .map_err(|unfinished| unreadable(path, &unfinished))?;
            }
            Err(unreadable(first, &unfinished))
        }
    }
}

/// Lowers in another process, which may not live to tell: why it did not is the outer error.
/// `None`: there is no such process.
fn lower_elsewhere(
    leash: &Leash,
    lower: impl FnOnce() -> Result<Unlinked, LoadError>,
) -> Result<Option<Result<Unlinked, LoadError>>, String> {
    let bytes = rehearsal::perform(leash, || handover::write(&lower()));
    match bytes.map_err(|failure| failure.to_string())? {
        None => Ok(None),
        Some(bytes) => match handover::read(&bytes) {
            None => Err("comes to no end".to_owned()),
            lowered => Ok(lowered),
        },
    }
}

fn unreadable(path: &Path, unfinished: &str) -> LoadError {
    LoadError::BadBitcode {
        path: path.to_owned(),
        reason: format!("LLVM cannot read this file: it {unfinished}"),
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
        .map_err(|reason| LoadError::BadBitcode {
            path: path.to_owned(),
            reason,
        })?;
    clean_and_lower(module, path, library)
}

fn clean_and_lower(
    mut module: llvm::Module,
    path: &Path,
    library: Option<&Library>,
) -> Result<Unlinked, LoadError> {
    let bad = |reason| LoadError::BadBitcode {
        path: path.to_owned(),
        reason,
    };
    is_known_target(&module).map_err(bad)?;
    module.clean_up().map_err(bad)?;
    // Lowering relies on what the verifier checks.
    module.verify().map_err(bad)?;
    Ok(lower::lower(&module, library))
}

/// The intermediate representation has pointers of four or eight bytes, and memory with the low
/// byte first.
fn is_known_target(module: &llvm::Module) -> Result<(), String> {
    match module.pointer_bits() {
        32 | 64 if module.is_little_endian() => Ok(()),
        32 | 64 => Err("big-endian targets are not supported".to_owned()),
        bits => Err(format!("pointers of {bits} bits are not supported")),
    }
}

/// Bitcode of every file, in order; sources are compiled side by side.
fn compile_all(files: &[PathBuf], options: &Options) -> Result<Vec<Compiled>, LoadError> {
    let mut flags = options.clang_flags.clone();
    if options.is_32_bit() && !flags.iter().any(|f| f == "-m32") {
        flags.insert(0, "-m32".to_owned());
    }
    let mut languages = Vec::new();
    for path in files {
        let unknown = || LoadError::UnknownKind { path: path.clone() };
        languages.push(Language::of(path).ok_or_else(unknown)?);
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
                let (clang, flags, leash) = (&clang, &flags, &options.leash);
                scope.spawn(move || match read {
                    Some(bitcode) => Ok(bitcode),
                    None => {
                        readable(path)?;
                        compile::compile(clang, path, language, flags, &output, leash)
                    }
                })
            })
            .collect();
        jobs.into_iter()
            .map(|job| job.join().expect("compiling does not panic"))
            .collect()
    })
}

/// A file that is not there is our message, not clang's.
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
