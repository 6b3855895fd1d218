//! Where inputs come from: free variables in a symbolic search, given numbers in a replay.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

#[derive(Clone, Debug, Default)]
pub enum Inputs {
    #[default]
    Symbolic,
    /// Values by canonical name; an input that is not listed is zero.
    Concrete(BTreeMap<String, u128>),
    /// The same, but the first few inputs of a thread that are not listed are zero, and later ones
    /// differ: a loop that asks whether to go on ends. What they are is listed from then on.
    Varied(BTreeMap<String, u128>),
}

/// So many inputs of a thread are zero if nothing is said of them.
const ZEROS: u32 = 4;

impl Inputs {
    /// The value of an input, the `index`-th of its thread; `None`: it is free.
    pub(crate) fn value(&mut self, name: &str, index: u32) -> Option<u128> {
        match self {
            Inputs::Symbolic => None,
            Inputs::Concrete(values) => Some(values.get(name).copied().unwrap_or(0)),
            Inputs::Varied(values) => {
                let known = values.get(name).copied();
                Some(known.unwrap_or_else(|| {
                    let value = if index < ZEROS { 0 } else { varied(name) };
                    if value != 0 {
                        values.insert(name.to_string(), value);
                    }
                    value
                }))
            }
        }
    }

    /// Those that are not zero, by canonical name.
    pub fn listed(&self) -> BTreeMap<String, u128> {
        match self {
            Inputs::Symbolic => BTreeMap::new(),
            Inputs::Concrete(values) | Inputs::Varied(values) => values.clone(),
        }
    }
}

/// Truth values and small numbers mostly, the same for the same name.
fn varied(name: &str) -> u128 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    let hash = hasher.finish();
    let rest = u128::from(hash >> 8);
    match hash % 4 {
        0 => 0,
        1 => 1,
        2 => rest % 8,
        _ => rest,
    }
}
