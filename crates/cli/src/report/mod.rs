//! Reports: text for people, JSON for programs. Everything here turns data into text; nothing
//! prints.

mod condition;
mod deadlock;
mod explain;
pub mod hunt;
pub mod json;
pub mod lint;
mod race;
mod rows;
pub mod sarif;
mod style;
mod table;
pub mod text;
mod unreached;

pub use style::Style;

use verify::{Diverged, Replayed};

/// What came of a witness.
pub enum ReplayOutcome {
    Replayed(Box<Replayed>),
    Diverged(Diverged),
}

impl ReplayOutcome {
    /// The bug is there.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, ReplayOutcome::Replayed(replayed) if replayed.confirmed)
    }
}
