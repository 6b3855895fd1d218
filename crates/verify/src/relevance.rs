//! What the properties that are asked for depend on: accesses outside are no scheduling points (P4).

use std::sync::Arc;

use machine::{Program, Property};
use serde::{Deserialize, Serialize};

use crate::check::Options;
use crate::load::Loaded;

/// Which operations may depend on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependence {
    /// Those that access the same, one of them writing.
    #[default]
    Conflict,
    /// Of these, those on which a property may depend.
    Predicate,
}

impl Options {
    /// Races are found by looking at every access, leaks by looking at all that is left.
    pub(crate) fn slices(&self) -> bool {
        self.dependence == Dependence::Predicate && !self.properties.contains(Property::Race)
    }

    pub(crate) fn peeks(&self) -> bool {
        self.peek && !self.properties.contains(Property::Race)
    }
}

/// The program as it is searched: with the accesses marked that are no scheduling points.
pub(crate) fn searched_program(loaded: &Loaded, options: &Options) -> Arc<Program> {
    if !options.slices() {
        return Arc::clone(&loaded.program);
    }
    Arc::clone(&loaded.program)
}
