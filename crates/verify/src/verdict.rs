//! Verdicts: three channels, never mixed.

use machine::Property;

use crate::trace::Trace;
use crate::witness::Witness;

#[derive(Debug)]
pub enum Verdict {
    /// Every schedule and every input was covered. Nothing was cut off.
    Safe,
    /// At least one bug, each reproduced by a concrete replay.
    Bug(Vec<Bug>),
    Unknown(Reason),
}

impl Verdict {
    pub fn bugs(&self) -> &[Bug] {
        match self {
            Verdict::Bug(bugs) => bugs,
            Verdict::Safe | Verdict::Unknown(_) => &[],
        }
    }
}

#[derive(Clone, Debug)]
pub struct Bug {
    pub property: Property,
    /// `file:line:column`
    pub location: String,
    /// One sentence.
    pub message: String,
    pub witness: Witness,
    pub trace: Trace,
}

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What stands in brackets behind `unknown`.
    pub name: String,
    /// `file:line:column`, where one place is to blame.
    pub location: Option<String>,
    /// What the user may try next.
    pub advice: String,
}
