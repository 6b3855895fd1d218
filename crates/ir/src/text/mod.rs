//! The textual form of a module: complete, so that `parse(print(m)) == m` for every module,
//! well-formed or not (test `print_then_parse_is_identity`), and pleasant enough to write tests in.
//!
//! ```text
//! pointer_bits 64
//! global @counter size 4 align 4 = { zero 4 }
//! func @bump(i32 %1 "by") -> (i32) {
//!   values { %0 = i32 1 }
//! b0:
//!   %2: i32 = rmw add ptr @counter, %1
//!   %3: i32 = add %2, i32 1 at "bump.c":7:3
//!   ret %3
//! }
//! ```
//!
//! - **Values.** `%n` is entry n of the value table. A value's type, and its source name in quotes,
//!   stand where it is assigned: `%3 "sum": i32 = ...`. Constants, and values not assigned exactly
//!   once (in a module that is not valid), are listed in `values { }`.
//! - **Constants** are written where they are used, type first: `i32 -1`, `f64 0x3ff0000000000000`,
//!   `ptr null`, `ptr @table[16]`. Such a literal denotes the first constant of the table with that
//!   type and value and no name. One that is not in the table is added to it, behind the listed
//!   constants, and the other values move up: text written by hand needs no `values { }`.
//! - **Symbols.** `@name` is the one function or global of that name; `func#3` and `global#3` are
//!   what is printed where a name is shared. `@main:b3` is the address of a label.
//! - **Locations.** `at "file.c":12:5` denotes the first equal entry of the location table and is
//!   added to it if there is none; `at loc4` is entry 4.
//! - Line breaks mean nothing; `//` starts a comment.
//!
//! Neither direction recurses, and what parsing allocates is linear in the text, but for at most
//! [`ZERO_FILL_LIMIT`] bytes of `zero n`.

mod lexer;
mod mnemonic;
mod parse;
mod print;
mod symbols;

use std::fmt;

use crate::module::{Module, Type};

/// How many bytes of initialisers `zero n` may stand for in one module; beyond it they are printed
/// one by one. It bounds what a short text can make the parser allocate, and is far more than the
/// globals of a program under test hold.
pub const ZERO_FILL_LIMIT: usize = 1 << 24;

/// The textual form of `module`.
pub fn print(module: &Module) -> String {
    print::module(module)
}

/// Reads the textual form of a module. The result need not be valid: see [`crate::validate`].
pub fn parse(text: &str) -> Result<Module, ParseError> {
    parse::module(text)
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(width) => write!(f, "i{width}"),
            Type::Ptr => f.write_str("ptr"),
            Type::F16 => f.write_str("f16"),
            Type::BF16 => f.write_str("bf16"),
            Type::F32 => f.write_str("f32"),
            Type::F64 => f.write_str("f64"),
            Type::F80 => f.write_str("f80"),
            Type::F128 => f.write_str("f128"),
        }
    }
}

/// Where and why a text is not a module. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {kind}")]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub kind: ParseErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    #[error("expected {expected}, found {found}")]
    Expected { expected: String, found: String },
    #[error("`{0}` is not a character of this language")]
    Character(char),
    #[error("the string does not end on its line")]
    UnterminatedString,
    #[error("unknown escape in a string; expected \\\\, \\\", \\n, \\t or \\u{{...}}")]
    Escape,
    #[error("`{0}` is not a number of at most 128 bits")]
    Number(String),
    #[error("expected a number from {min} to {max}, found {found}")]
    OutOfRange { min: i128, max: u128, found: String },
    #[error("no function or global is called `{0}`")]
    UnknownSymbol(String),
    #[error(
        "several functions or globals are called `{0}`; write func#N or global#N for the one meant"
    )]
    AmbiguousSymbol(String),
    #[error("%{0} is declared twice")]
    DeclaredTwice(u32),
    #[error(
        "%{0} is not declared: neither listed in `values` nor given a type where it is assigned"
    )]
    Undeclared(u32),
    #[error("`{op}` assigns {expected} value(s), found {found}")]
    ResultCount {
        op: String,
        expected: usize,
        found: usize,
    },
    #[error(
        "more than {ZERO_FILL_LIMIT} bytes of `zero` in one module; write the others out in hex"
    )]
    ZeroFill,
}
