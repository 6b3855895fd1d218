//! What is said to equal a number is that number in all other conditions. So
//! `me == 0 && other == 1 && turn != me && other != me` becomes
//! `me == 0 && other == 1 && turn != 0`. All of them together say the same.

use std::collections::BTreeSet;

use smt::{BinOp, CmpOp, InputId, Node, Substitution, TermId, Terms};

/// The same conditions, of which all hold.
pub fn put_in(terms: &mut Terms, conditions: &[TermId]) -> Vec<TermId> {
    let mut conditions = parts(terms, conditions);
    let mut done: BTreeSet<InputId> = BTreeSet::new();
    while let Some((input, number)) = equality(terms, &conditions, &done) {
        done.insert(input);
        let mut substitution = Substitution::default();
        let width = terms.input_width(input);
        substitution.insert(input, terms.constant(width, number));
        for condition in &mut conditions {
            if equal(terms, *condition) != Some((input, number)) {
                *condition = substitution.apply(terms, *condition);
            }
        }
    }
    let mut seen = BTreeSet::new();
    conditions.retain(|c| terms.as_constant(*c) != Some(1) && seen.insert(*c));
    conditions
}

/// Without conditions that several others make.
fn parts(terms: &Terms, conditions: &[TermId]) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut rest: Vec<TermId> = conditions.iter().rev().copied().collect();
    while let Some(condition) = rest.pop() {
        match *terms.node(condition) {
            Node::Bin(BinOp::And, a, b) => rest.extend([b, a]),
            _ => parts.push(condition),
        }
    }
    parts
}

/// One that has not been put in.
fn equality(
    terms: &Terms,
    conditions: &[TermId],
    done: &BTreeSet<InputId>,
) -> Option<(InputId, u128)> {
    let mut equal = conditions.iter().filter_map(|c| equal(terms, *c));
    equal.find(|(input, _)| !done.contains(input))
}

/// Which input the condition says to be which number.
fn equal(terms: &Terms, condition: TermId) -> Option<(InputId, u128)> {
    let input = |term: TermId| match *terms.node(term) {
        Node::Input(input) => Some(input),
        _ => None,
    };
    match *terms.node(condition) {
        Node::Input(bit) => Some((bit, 1)),
        Node::Not(bit) => Some((input(bit)?, 0)),
        Node::Cmp(CmpOp::Eq, a, b) => match (terms.as_constant(a), terms.as_constant(b)) {
            (None, Some(number)) => Some((input(a)?, number)),
            (Some(number), None) => Some((input(b)?, number)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_put_in_and_what_follows_is_left_out() {
        let mut terms = Terms::new();
        let [me, other, turn] = ["me", "other", "turn"].map(|name| terms.input(name, 32));
        let (zero, one) = (terms.constant(32, 0), terms.constant(32, 1));
        let is = |terms: &mut Terms, a, b| terms.cmp(CmpOp::Eq, a, b);
        let me_is_zero = is(&mut terms, me, zero);
        let other_is_one = is(&mut terms, other, one);
        let same = is(&mut terms, turn, me);
        let differ = is(&mut terms, other, me);
        let differ = terms.not(differ);
        let turn_is_zero = is(&mut terms, turn, zero);
        let two = terms.and(differ, me_is_zero);
        let shown = put_in(&mut terms, &[same, two, other_is_one]);
        assert_eq!(shown, [turn_is_zero, me_is_zero, other_is_one]);
    }

    /// What can never hold stays what it is.
    #[test]
    fn a_contradiction_is_not_left_out() {
        let mut terms = Terms::new();
        let x = terms.input("x", 8);
        let (one, two) = (terms.constant(8, 1), terms.constant(8, 2));
        let both = [one, two].map(|number| terms.cmp(CmpOp::Eq, x, number));
        let shown = put_in(&mut terms, &both);
        let never = terms.bool(false);
        assert_eq!(shown, [both[0], never]);
    }
}
