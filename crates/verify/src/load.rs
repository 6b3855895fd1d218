//! From files to a program that can run: the front end, our own C library, constructors.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base::IndexVec;
use bitcode::{Leash, LoadError};
use ir::{Block, Body, Call, Callee, FuncId, Inst, Module, Op, Terminator, Unsupported};
use machine::Program;

use crate::harness::{self, Harness, HarnessError, Made, UNUSED_MAIN};

static LIBRARY_64: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime64.library"));
static LIBRARY_32: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime32.library"));

/// A program ready to be checked.
pub struct Loaded {
    pub program: Arc<Program>,
    /// Identifies the program: a witness of another one is refused.
    pub hash: u64,
    pub files: Vec<PathBuf>,
    pub clang_flags: Vec<String>,
    pub warnings: String,
    pub compile_time: Duration,
    pub load_time: Duration,
    /// What the user should know of how it was loaded.
    pub notes: Vec<String>,
    /// The driver, if one was made.
    pub made: Option<Arc<Made>>,
}

impl Loaded {
    /// Another program, said to come from the same files.
    pub fn with_program(&self, program: Arc<Program>) -> Loaded {
        Loaded {
            program,
            files: self.files.clone(),
            clang_flags: Vec::new(),
            warnings: String::new(),
            notes: Vec::new(),
            made: None,
            ..*self
        }
    }
}

/// Loads and links the files. `clang_flags` go to clang last.
pub fn load(files: &[PathBuf], clang_flags: &[String]) -> Result<Loaded, LoadError> {
    load_on(&Leash::default(), files, clang_flags)
}

/// The same, until somebody pulls the leash.
pub fn load_on(
    leash: &Leash,
    files: &[PathBuf],
    clang_flags: &[String],
) -> Result<Loaded, LoadError> {
    load_files(files, &options(leash, clang_flags))
}

/// The same with a driver that is made for the files, which are no program by themselves.
pub fn load_with_harness(
    leash: &Leash,
    files: &[PathBuf],
    clang_flags: &[String],
    harness: &Harness,
) -> Result<Loaded, HarnessError> {
    let mut options = options(leash, clang_flags);
    let unwritable = |error: std::io::Error| LoadError::Read {
        path: std::env::temp_dir(),
        reason: error.to_string(),
    };
    let folder = tempfile::Builder::new().prefix("sleave-").tempdir();
    let folder = folder.map_err(unwritable)?;
    let prepared = harness::prepare(files, harness, folder.path(), &options)?;
    options.flags_of = prepared.flags_of;
    options.foreign.insert(prepared.foreign);
    let mut loaded = load_files(&prepared.files, &options)?;
    loaded.files = files.to_vec();
    let functions = &loaded.program.module.functions;
    if functions.iter().any(|f| f.name.contains(UNUSED_MAIN)) {
        let note = "main is not run: the threads are those of --run";
        loaded.notes.push(note.to_owned());
    }
    loaded.made = Some(Arc::new(prepared.made));
    Ok(loaded)
}

fn options(leash: &Leash, clang_flags: &[String]) -> bitcode::Options<'static> {
    bitcode::Options {
        leash: leash.clone(),
        clang_flags: clang_flags.to_vec(),
        libraries: vec![LIBRARY_64, LIBRARY_32],
        library_roots: vec![
            "__sleave_begin",
            "__sleave_call_thread",
            "__sleave_end_thread",
            "__sleave_main_exited",
            "exit",
        ],
        ..bitcode::Options::default()
    }
}

fn load_files(files: &[PathBuf], options: &bitcode::Options) -> Result<Loaded, LoadError> {
    let mut loaded = bitcode::load(files, options)?;
    harness::choose(&mut loaded.module);
    define_calls(&mut loaded.module, "__sleave_construct", |m| {
        m.constructors.clone()
    });
    define_calls(&mut loaded.module, "__sleave_destruct", |m| {
        m.destructors.clone()
    });
    Ok(Loaded {
        program: Arc::new(Program::new(Arc::new(loaded.module))),
        hash: loaded.hash,
        files: files.to_vec(),
        clang_flags: options.clang_flags.clone(),
        warnings: loaded.warnings,
        compile_time: loaded.compile_time,
        load_time: loaded.load_time,
        notes: Vec::new(),
        made: None,
    })
}

/// Gives the declared function `name` a body that calls the listed functions in order.
fn define_calls(module: &mut Module, name: &str, list: impl Fn(&Module) -> Vec<FuncId>) {
    let Some(function) = module.function_named(name) else {
        return;
    };
    let call = |callee: FuncId| {
        let takes_arguments = module.functions[callee]
            .body
            .as_ref()
            .is_some_and(|body| !body.params.is_empty());
        if takes_arguments {
            // glibc passes those of `main`.
            return Op::Unsupported {
                kind: Unsupported::Instruction,
                what: "a constructor with arguments".to_string(),
            };
        }
        Op::Call(Call {
            callee: Callee::Direct(callee),
            args: Vec::new(),
            results: Vec::new(),
        })
    };
    let loc = ir::debug::LocId(0);
    let ops = list(module).into_iter().map(call);
    let insts = ops.map(|op| Inst { op, loc }).collect();
    let block = Block {
        insts,
        terminator: Terminator::Ret(Vec::new()),
        ..Block::default()
    };
    module.functions[function].runtime = true;
    module.functions[function].body = Some(Body {
        values: IndexVec::new(),
        params: Vec::new(),
        blocks: [block].into_iter().collect(),
    });
}
