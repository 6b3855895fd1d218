//! Where inputs come from: free variables in a symbolic search, given numbers in a replay.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub enum Inputs {
    #[default]
    Symbolic,
    /// Values by canonical name; an input that is not listed is zero.
    Concrete(BTreeMap<String, u128>),
}
