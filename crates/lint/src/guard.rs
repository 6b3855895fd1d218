//! Mutual exclusion: whether two threads at two points at the same time would both have to hold one
//! lock.

use analysis::{Address, ObjectId};

use crate::Facts;
use crate::locks::{Held, Lock, Moment, may_be_shared};

/// What protects an access or a wait.
pub struct Guarded<'a> {
    pub held: &'a [Held],
    /// The address of the access, in terms of the function that makes it.
    pub address: Option<&'a Address>,
}

/// Whether two threads may be at these moments at the same time: both may be alive, and no lock
/// that both certainly hold excludes it.
pub fn may_coincide(facts: Facts, a: &Moment, b: &Moment) -> bool {
    let [mine, theirs] = [a, b].map(|moment| Guarded {
        held: &moment.held.held,
        address: None,
    });
    facts.threads.are_parallel(&a.situation, &b.situation) && !exclude_each_other(&mine, &theirs)
}

/// Whether one lock certainly excludes that two threads are at both at the same time.
///
/// A lock is the same if its address is the same everywhere, or if it lies at the same distance
/// from the byte that both access, or if lock and byte are elements of arrays with the same index.
pub fn exclude_each_other(a: &Guarded, b: &Guarded) -> bool {
    let certain = |held: &&Held| held.certain;
    a.held.iter().filter(certain).any(|mine| {
        b.held.iter().filter(certain).any(|theirs| {
            let exclusive = !(may_be_shared(a.held, mine) && may_be_shared(b.held, theirs));
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
            if distance.is_some() {
                return distance == b.distance(there);
            }
            let (mine, theirs) = (indexed(a, here), indexed(b, there));
            mine.is_some() && mine == theirs
        }
        _ => false,
    }
}

/// `locks + d * i + m` beside `bytes + c * i + k`: all but the index. If the bytes are the same, so
/// are the indices.
fn indexed(lock: &Address, byte: &Address) -> Option<[(ObjectId, i64, i64); 2]> {
    let parts = |address: &Address| match address.terms.as_slice() {
        [(index, factor)] => Some((*index, (address.anchor?, *factor, address.offset))),
        _ => None,
    };
    let ((index, lock), (other, byte)) = (parts(lock)?, parts(byte)?);
    (index == other).then_some([lock, byte])
}
