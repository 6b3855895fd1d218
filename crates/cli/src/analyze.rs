//! `sleave analyze`: the facts of the static analysis, as text or as a graph.

use crate::exit::Exit;
use crate::flags::AnalyzeFlags;

pub fn run(flags: &AnalyzeFlags) -> Exit {
    let _ = (
        flags.show,
        flags.dot,
        &flags.function,
        &flags.files,
        &flags.clang_flags,
    );
    Exit::Usage
}
