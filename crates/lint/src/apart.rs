//! Accesses that cannot overlap although points-to facts say so: each thread uses its own argument.
//!
//! A thread that was given the address of a variable uses that one where the function that it
//! starts with uses its parameter. If a loop gives every thread an element of its own, they do not
//! meet there; nor do they meet the loop, if it touches an element only before it creates that
//! element's thread. The same goes for a number that a thread is given and uses as an index.

use analysis::{Address, Argument, ObjectId};
use ir::ValueId;

use crate::Facts;
use crate::locks::Moment;

/// An access by one thread.
pub struct Use<'a> {
    pub moment: &'a Moment,
    pub pointer: Option<ValueId>,
    pub bytes: Option<u64>,
}

pub fn are_apart(facts: Facts, a: &Use, b: &Use) -> bool {
    let (x, y) = (place(facts, a), place(facts, b));
    match (&x, &y) {
        (Place::At(here), Place::At(there)) => are_disjoint(here, a.bytes, there, b.bytes),
        (Place::Slot(here), Place::Slot(there)) => {
            a.moment.situation.thread == b.moment.situation.thread
                && here.is_beside(a.bytes, there, b.bytes)
        }
        (Place::Own(here), Place::Own(there)) => {
            a.moment.situation.thread == b.moment.situation.thread
                && is_within(facts, a, *here)
                && is_within(facts, b, *there)
        }
        (Place::Own(offset), _) => is_within(facts, a, *offset) && is_before(facts, a, b),
        (_, Place::Own(offset)) => is_within(facts, b, *offset) && is_before(facts, b, a),
        _ => false,
    }
}

enum Place {
    Unknown,
    At(Address),
    /// At this offset in the thread's own element.
    Own(i64),
    Slot(Slot),
}

/// `array + scale * number + offset`, where no two threads that are alive have the same number.
struct Slot {
    array: ObjectId,
    scale: i64,
    offset: i64,
}

impl Slot {
    /// Whether two threads do not meet there: both stay within the elements of their numbers.
    fn is_beside(&self, bytes: Option<u64>, other: &Slot, other_bytes: Option<u64>) -> bool {
        let stays = |offset: i64, bytes: Option<u64>| {
            let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok());
            let start = offset.rem_euclid(self.scale);
            bytes.is_some_and(|bytes| start.saturating_add(bytes) <= self.scale)
        };
        self.scale > 0
            && (self.array, self.scale) == (other.array, other.scale)
            && self.offset.div_euclid(self.scale) == other.offset.div_euclid(self.scale)
            && stays(self.offset, bytes)
            && stays(other.offset, other_bytes)
    }
}

fn place(facts: Facts, used: &Use) -> Place {
    let Some(pointer) = used.pointer else {
        return Place::Unknown;
    };
    let visit = &facts.locks.visits[used.moment.visit];
    let addresses = &facts.threads.addresses;
    let address = addresses.get(visit.function, pointer);
    if address.is_absolute() {
        return Place::At(address.clone());
    }
    let body = facts.module.functions[visit.function].body.as_ref();
    let params = &body.expect("a body").params;
    let is_first = |value: ValueId| params.first() == Some(&value);
    let starts_here = visit.caller.is_none()
        && facts.threads.threads()[used.moment.situation.thread]
            .entries
            .contains(&visit.function);
    if !starts_here {
        return Place::Unknown;
    }
    let given = facts.threads.argument(used.moment.situation.thread);
    if let (Some(array), [(term, scale)]) = (address.anchor, address.terms.as_slice()) {
        let number = addresses.narrowed_term(visit.function, *term);
        if !number.is_some_and(is_first) {
            return Place::Unknown;
        }
        return match given {
            Argument::Number(number) => {
                let offset = scale.wrapping_mul(*number).wrapping_add(address.offset);
                Place::At(Address::anchored(array, offset))
            }
            // Numbers that differ by whole steps of one or more.
            Argument::Element(element) if element.base.anchor.is_none() && element.scale != 0 => {
                Place::Slot(Slot {
                    array,
                    scale: *scale,
                    offset: address.offset,
                })
            }
            _ => Place::Unknown,
        };
    }
    let base = addresses.base(visit.function, address);
    if !base.is_some_and(is_first) {
        return Place::Unknown;
    }
    match given {
        Argument::Unknown | Argument::Number(_) => Place::Unknown,
        Argument::At(given) => Place::At(given.moved(address.offset)),
        Argument::Element(_) => Place::Own(address.offset),
    }
}

fn are_disjoint(a: &Address, a_bytes: Option<u64>, b: &Address, b_bytes: Option<u64>) -> bool {
    if a.anchor != b.anchor {
        return true;
    }
    let ends_before = |x: &Address, bytes: Option<u64>, y: &Address| {
        let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok());
        bytes.is_some_and(|bytes| x.offset.saturating_add(bytes) <= y.offset)
    };
    ends_before(a, a_bytes, b) || ends_before(b, b_bytes, a)
}

/// Whether an access to the thread's own element stays there.
fn is_within(facts: Facts, used: &Use, offset: i64) -> bool {
    let Argument::Element(element) = facts.threads.argument(used.moment.situation.thread) else {
        return false;
    };
    let bytes = used.bytes.and_then(|bytes| i64::try_from(bytes).ok());
    offset >= 0 && bytes.is_some_and(|bytes| offset.saturating_add(bytes) <= element.scale)
}

/// Whether the other access is to the element of the round, before that round's thread is created.
fn is_before(facts: Facts, own: &Use, other: &Use) -> bool {
    let Argument::Element(element) = facts.threads.argument(own.moment.situation.thread) else {
        return false;
    };
    let visit = &facts.locks.visits[other.moment.visit];
    let Some(pointer) = other.pointer else {
        return false;
    };
    if visit.context != Some(element.context)
        || !element.comes_before(facts.nodes, other.moment.node)
    {
        return false;
    }
    let addresses = &facts.threads.addresses;
    let mut address = addresses.get(element.function, pointer).clone();
    let is_counter = |(term, scale): &(analysis::TermId, i64)| {
        *scale == element.scale
            && addresses.plain_term(element.function, *term) == Some(element.counter)
    };
    let Some(position) = address.terms.iter().position(is_counter) else {
        return false;
    };
    address.terms.remove(position);
    let bytes = other.bytes.and_then(|bytes| i64::try_from(bytes).ok());
    address.distance(&element.base).is_some_and(|offset| {
        offset >= 0 && bytes.is_some_and(|bytes| offset.saturating_add(bytes) <= element.scale)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(scale: i64, offset: i64) -> Slot {
        Slot {
            array: ObjectId(1),
            scale,
            offset,
        }
    }

    #[test]
    fn threads_stay_in_their_slots() {
        let (first, second) = (slot(8, 0), slot(8, 4));
        assert!(first.is_beside(Some(4), &second, Some(4)));
        assert!(first.is_beside(Some(8), &first, Some(8)));
    }

    #[test]
    fn an_access_that_reaches_into_the_next_slot_does_not_stay() {
        assert!(!slot(8, 4).is_beside(Some(8), &slot(8, 0), Some(4)));
        assert!(!slot(8, 0).is_beside(None, &slot(8, 0), Some(4)));
    }

    #[test]
    fn the_slot_of_a_neighbour_is_not_ones_own() {
        assert!(!slot(8, 0).is_beside(Some(8), &slot(8, 8), Some(8)));
        assert!(!slot(8, 0).is_beside(Some(8), &slot(16, 0), Some(8)));
    }
}
