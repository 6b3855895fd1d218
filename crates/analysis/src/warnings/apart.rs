//! Accesses that cannot overlap although points-to thinks so: threads that use what each of them was given.
//!
//! A thread that was given the address of a variable uses that one where the function that it starts with uses its parameter. If a loop gives
//! every thread an element of its own, they do not meet there; nor do they meet the loop, if it touches an element only before it
//! creates that element's thread.

use ir::ValueId;

use super::Facts;
use crate::address::Address;
use crate::locks::Moment;
use crate::threads::Argument;

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
    /// So far behind the start of the thread's own element.
    Own(i64),
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
    let base = addresses.base(visit.function, address);
    if !starts_here || !base.is_some_and(is_first) {
        return Place::Unknown;
    }
    match facts.threads.argument(used.moment.situation.thread) {
        Argument::Unknown => Place::Unknown,
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
    let is_counter = |(term, scale): &(crate::address::TermId, i64)| {
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
