//! `sleave analyze`: the facts of the static analysis, as text or as a graph.

use verify::FactKind;

use crate::check::load;
use crate::exit::Exit;
use crate::flags::{AnalyzeFlags, Color, Facts, Format, Show};
use crate::last_resort::Watch;
use crate::output;

pub fn run(flags: &AnalyzeFlags) -> Exit {
    let show = Show {
        format: Format::Text,
        color: Color::Never,
        quiet: false,
        verbose: false,
    };
    let watch = Watch::plain();
    let loaded = match load(&watch, &flags.files, &flags.clang_flags, &show) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let kind = match flags.show {
        Facts::Cfg => FactKind::Cfg,
        Facts::Callgraph => FactKind::CallGraph,
        Facts::PointsTo => FactKind::PointsTo,
        Facts::Escape => FactKind::Escape,
        Facts::Sdg => FactKind::Sdg,
        Facts::Slice => FactKind::Slice,
        Facts::Locks => FactKind::Locks,
    };
    match verify::facts(&loaded, kind, flags.function.as_deref(), flags.dot) {
        Ok(text) => watch.report(Exit::Safe, || output::print(&text)),
        Err(error) => watch.report(Exit::Usage, || output::error(&error.to_string())),
    }
}
