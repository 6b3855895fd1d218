//! `sleave lint`: what may go wrong between threads, without running the program. It never says
//! that something does.

use verify::LintOptions;

use crate::check::load;
use crate::exit::Exit;
use crate::flags::{LintFlags, LintFormat};
use crate::last_resort::Watch;
use crate::output;
use crate::report::{self, Style};

pub fn run(flags: &LintFlags) -> Exit {
    let show = flags.show();
    let watch = Watch::plain();
    let loaded = match load(&watch, &flags.files, &flags.clang_flags, &show) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let warnings = verify::lint(&loaded, LintOptions { waits: flags.waits });
    let text = match flags.format {
        LintFormat::Text => report::lint::text(&warnings, flags.quiet, &Style::of(&show)),
        LintFormat::Json => report::lint::json(&warnings),
        LintFormat::Sarif => report::sarif::log(&warnings),
    };
    watch.report(Exit::Safe, || output::print(&text))
}
