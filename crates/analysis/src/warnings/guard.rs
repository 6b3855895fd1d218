//! Whether two threads that are at two points at the same time would have to hold one lock both.

use crate::address::Address;
use crate::locks::{Held, Lock};

/// What protects an access or a wait.
pub struct Guarded<'a> {
    pub held: &'a [Held],
    /// Where memory is accessed, in the words of the function that does it.
    pub address: Option<&'a Address>,
}

/// Whether one lock certainly excludes that two threads are at both at the same time.
///
/// A lock is the same if its address is the same everywhere, or if it lies at the same distance from the byte that both access.
pub fn exclude_each_other(a: &Guarded, b: &Guarded) -> bool {
    let certain = |held: &&Held| held.certain;
    a.held.iter().filter(certain).any(|mine| {
        b.held.iter().filter(certain).any(|theirs| {
            let exclusive = !(mine.shared && theirs.shared);
            exclusive && is_same(mine, a.address, theirs, b.address)
        })
    })
}

fn is_same(mine: &Held, here: Option<&Address>, theirs: &Held, there: Option<&Address>) -> bool {
    match (&mine.lock, &theirs.lock) {
        (Lock::Sections, Lock::Sections) => true,
        (Lock::At(a), Lock::At(b)) => {
            if a.is_absolute() && a == b {
                return true;
            }
            let (Some(here), Some(there)) = (here, there) else {
                return false;
            };
            let distance = a.distance(here);
            distance.is_some() && distance == b.distance(there)
        }
        _ => false,
    }
}
