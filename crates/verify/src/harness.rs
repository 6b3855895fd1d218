//! Libraries are run without a driver: threads are expressions, and what these expressions do not
//! declare is an input. Pointers among the inputs are *lazily initialised* structures (Rungta,
//! Mercer, Visser: *Efficient testing of concurrent programs with abstraction-guided symbolic
//! execution*, SPIN'09, section 3, rule 2): null, a new object of the type, or an object of the type
//! that is there already.
//!
//! The driver is generated as text, in two units. The first includes one of the files and has the
//! expressions as functions and the inputs as variables ([`names`] finds their types by asking
//! clang). The second, in plain C without headers, makes objects ([`structure`]: which, from how
//! the compiler lays out their types), fills them, and starts the threads ([`text`]).
//!
//! All objects to a depth are made in advance, and every pointer is a *choice* among their
//! addresses, made by an input ([`choose`]). The machine asks which object is meant where a pointer
//! is first followed: that makes it lazy, in every engine, and a witness's inputs replay it.
//!
//! **Canonical shapes.** Objects are numbered breadth-first from the inputs. A pointer's new object
//! is its own; one that is there already has a smaller number, and is there only if the pointers on
//! the way to it choose it; otherwise the choice is null. So each shape has one description
//! (`structure::tests::each_shape_is_described_once`).
//!
//! **Soundness.** The inputs that are made up are those that the environment may give, within
//! [`Made::bounds`], which are reported with every verdict. A bug is shown by a replay as always.

mod names;
pub(crate) mod shapes;
mod structure;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bitcode::{Language, LoadError};
use ir::{Callee, Module, Op};
use serde::{Deserialize, Serialize};

use self::names::{Declared, Names, Undeclared};
pub(crate) use self::structure::Structure;

/// Deeper structures are rarely needed for a bug, and there are many more of them.
pub const USUAL_DEPTH: u32 = 3;

/// What is run of files without a driver. All texts are C or C++, as the files are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Harness {
    /// One thread each.
    pub run: Vec<String>,
    /// Before the threads start, one after the other.
    #[serde(default)]
    pub before: Vec<String>,
    /// After all of them have ended.
    #[serde(default)]
    pub after: Vec<String>,
    /// Declarations of inputs: `struct queue *q`.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// How many pointers are followed from an input to the last new object.
    pub depth: u32,
}

/// What reports know of the driver that was made.
#[derive(Clone, Debug)]
pub struct Made {
    pub(crate) harness: Harness,
    pub(crate) structure: Structure,
    /// How the environment was narrowed.
    pub(crate) bounds: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("--run needs a C or C++ source among the files: what it names is declared there")]
    NoSource,
    #[error(
        "{label}: no file declares `{name}`. If it is a function, include its header in the file that uses it; if it is an input, say its type: --input 'TYPE {name}'"
    )]
    Undeclared { label: String, name: String },
    #[error(
        "the type of `{name}` does not follow from how it is used. Say it: --input 'TYPE {name}'"
    )]
    Untyped { name: String },
    #[error("--input {text:?} declares nothing: write it as in --input 'struct queue *q'")]
    NoDeclaration { text: String },
    #[error("`{name}` is of a type whose size is not known: say another one by --input")]
    Incomplete { name: String },
}

/// What the front end gets in place of the files.
pub(crate) struct Prepared {
    pub files: Vec<PathBuf>,
    pub flags_of: BTreeMap<PathBuf, Vec<String>>,
    pub foreign: PathBuf,
    pub made: Made,
}

/// What a `main` of the files is called, with a number: it is not run.
pub(crate) const UNUSED_MAIN: &str = "__sleave_unused_main";

/// Writes the units of the driver into the folder.
pub(crate) fn prepare(
    files: &[PathBuf],
    harness: &Harness,
    folder: &Path,
    options: &bitcode::Options,
) -> Result<Prepared, HarnessError> {
    let mut flags_of = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        flags_of.insert(file.clone(), vec![format!("-Dmain={UNUSED_MAIN}_{index}")]);
    }
    let source = |file: &&PathBuf| Language::of(file).is_some_and(|l| l != Language::Llvm);
    let sources: Vec<&PathBuf> = files.iter().filter(source).collect();
    let mut chosen: Option<(Unit, Names)> = None;
    for file in &sources {
        let unit = Unit::new(file, &flags_of[*file], folder, options);
        let names = names::free(&unit, harness)?;
        // The first file that declares everything; of those that do not, the first.
        let is_better = match &chosen {
            None => true,
            Some((_, best)) => best.undeclared.is_some() && names.undeclared.is_none(),
        };
        if is_better {
            chosen = Some((unit, names));
        }
    }
    let (unit, names) = chosen.ok_or(HarnessError::NoSource)?;
    if let Some(Undeclared { label, name }) = names.undeclared {
        return Err(HarnessError::Undeclared { label, name });
    }
    let declared = names::typed(&unit, harness, names.declared)?;
    unit.write(&text::first_unit(harness, &declared, unit.language));
    let layouts = bitcode::lay_out(&unit.path, &unit.options)?;
    let names: Vec<&str> = declared.iter().map(|d| d.name.as_str()).collect();
    let structure = Structure::of(&layouts, &names, harness.depth)?;
    let second = folder.join("threads.c");
    let text = text::second_unit(harness, &structure, layouts.pointer_bytes);
    std::fs::write(&second, text).map_err(|error| unwritten(&second, &error))?;
    let depth = structure.has_pointers().then_some(harness.depth);
    let depth = depth.map(|depth| format!("structures of depth at most {depth}"));
    let narrowed = structure.narrowed.iter().cloned();
    let bounds = depth.into_iter().chain(narrowed).collect();
    let mut all = Vec::new();
    for file in files {
        all.push(if *file == unit.included {
            unit.path.clone()
        } else {
            file.clone()
        });
    }
    all.push(second.clone());
    flags_of.remove(&unit.included);
    flags_of.insert(unit.path.clone(), unit.flags());
    flags_of.insert(second.clone(), vec!["-w".to_owned()]);
    Ok(Prepared {
        // It is C, whatever the files are.
        foreign: second,
        files: all,
        flags_of,
        made: Made {
            harness: harness.clone(),
            structure,
            bounds,
        },
    })
}

fn unwritten(path: &Path, error: &std::io::Error) -> HarnessError {
    HarnessError::Load(LoadError::Read {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

/// The first unit of the driver: a source that includes one of the files.
pub(crate) struct Unit<'a> {
    included: PathBuf,
    path: PathBuf,
    language: Language,
    options: bitcode::Options<'a>,
}

impl<'a> Unit<'a> {
    fn new(
        file: &Path,
        flags: &[String],
        folder: &Path,
        options: &bitcode::Options<'a>,
    ) -> Unit<'a> {
        let language = Language::of(file).unwrap_or(Language::C);
        let path = folder.join(match language {
            Language::Cpp => "driver.cpp",
            _ => "driver.c",
        });
        let mut flags = flags.to_vec();
        flags.extend(["-include".to_owned(), file.to_string_lossy().into_owned()]);
        // Clang calls what is included from the current folder `./queue.c`. Types are described
        // even where only pointers to them are used.
        flags.push("-ffile-prefix-map=./=".to_owned());
        flags.push("-fstandalone-debug".to_owned());
        if language == Language::Cpp {
            // Final assertions are about private members.
            flags.push("-fno-access-control".to_owned());
        }
        let mut options = options.clone();
        options.flags_of.insert(path.clone(), flags);
        Unit {
            included: file.to_owned(),
            path,
            language,
            options,
        }
    }

    fn flags(&self) -> Vec<String> {
        self.options.flags_of[&self.path].clone()
    }

    fn write(&self, text: &str) {
        // What cannot be written cannot be compiled, which clang then says.
        let _ = std::fs::write(&self.path, text);
    }

    /// What clang says of the unit with this text.
    fn diagnose(&self, text: &str) -> Result<String, LoadError> {
        self.write(text);
        bitcode::diagnose(&self.path, &self.options)
    }
}

/// Calls of `__sleave_choose` become choices without a branch, so that no path is taken before a
/// pointer is followed.
pub(crate) fn choose(module: &mut Module) {
    let Some(choose) = module.function_named(text::CHOOSE) else {
        return;
    };
    for function in module.functions.iter_mut() {
        let Some(body) = &mut function.body else {
            continue;
        };
        for block in body.blocks.iter_mut() {
            for inst in &mut block.insts {
                if let Op::Call(call) = &inst.op
                    && call.callee == Callee::Direct(choose)
                    && let ([cond, a, b], [dst]) = (call.args.as_slice(), call.results.as_slice())
                {
                    inst.op = Op::Select {
                        dst: *dst,
                        cond: *cond,
                        a: *a,
                        b: *b,
                    };
                }
            }
        }
    }
}

impl Made {
    /// What a thread of the driver runs, by its function.
    pub(crate) fn expression_of(&self, function: &str) -> Option<&str> {
        let number = function.strip_prefix(text::THREAD)?;
        let index: usize = number.parse().ok()?;
        self.harness.run.get(index).map(String::as_str)
    }
}

/// Functions of the driver itself.
pub(crate) fn is_set_up(function: &str) -> bool {
    function == text::SET_UP
}
