//! Simpler summaries: what two of them say together, as one; what a condition says that others say
//! already.
//!
//! Many conditions compare something with a number. Such a one is a *range* of values, all from a
//! first one up to a last one, going round at the largest number. Two summaries that differ in one
//! condition are one summary with either condition, which is simple if that is always true, or a
//! range again. Of several ranges of one value in a summary, those that contain another say
//! nothing, and those that leave out values next to each other are one: a loop that looks for a
//! value in each of its rounds leaves out as many values as it has rounds.
//!
//! All of this is equivalence: nothing is lost, and nothing added.

use std::collections::BTreeMap;

use base::IndexVec;
use smt::{BinOp, CmpOp, Node, TermId, Terms};

use super::ConditionId;

/// `first`, ..., `first + span` of as many bits as the term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub term: TermId,
    pub first: u128,
    pub span: u128,
}

/// What either of two conjunctions says, if that is a conjunction of simple conditions.
pub fn either(terms: &mut Terms, a: &[TermId], b: &[TermId]) -> Option<Vec<TermId>> {
    let mut only_a = a.iter().filter(|c| !b.contains(c));
    let mut only_b = b.iter().filter(|c| !a.contains(c));
    let (&one, &other) = (only_a.next()?, only_b.next()?);
    if only_a.next().is_some() || only_b.next().is_some() {
        return None;
    }
    let either = terms.or(one, other);
    let both = a.iter().copied().filter(|c| b.contains(c));
    if terms.as_constant(either) == Some(1) {
        return Some(both.collect());
    }
    let (one, other) = (range(terms, one)?, range(terms, other)?);
    let either = union(terms, one, other)?;
    let mut all: Vec<TermId> = both.collect();
    if let Some(range) = either {
        all.push(condition(terms, range));
    }
    Some(all)
}

/// Leaves out conditions that follow from another one, and makes one of several where that is
/// simple.
pub fn simplify(terms: &mut Terms, conditions: &mut Vec<TermId>) {
    let ranges: Vec<Option<Range>> = conditions.iter().map(|c| range(terms, *c)).collect();
    let mut of_term: BTreeMap<TermId, Vec<(ConditionId, Range)>> = BTreeMap::new();
    for (id, range) in (0..).map(ConditionId).zip(&ranges) {
        if let Some(range) = range {
            of_term.entry(range.term).or_default().push((id, *range));
        }
    }
    let is_said = conditions.iter().map(|_| false);
    let mut is_said: IndexVec<ConditionId, bool> = is_said.collect();
    let several = of_term.into_values().filter(|ranges| ranges.len() > 1);
    for ranges in several {
        for Hole { range, places } in holes(terms, &ranges) {
            let [first, others @ ..] = places.as_slice() else {
                continue;
            };
            let stays = complement(terms, range);
            let is_old = ranges.iter().find(|(_, r)| *r == stays);
            match is_old {
                Some((old, _)) => places.iter().for_each(|p| is_said[*p] = p != old),
                // Two that leave out what is below and what is above are easier to read as they
                // are.
                None if others.len() == 1 && !is_simple(terms, stays) => {}
                None => {
                    conditions[first.index()] = condition(terms, stays);
                    others.iter().for_each(|p| is_said[*p] = true);
                }
            }
        }
    }
    let mut is_said = is_said.into_iter();
    conditions.retain(|_| !is_said.next().expect("one for each"));
}

/// Values that conditions leave out, all next to each other, and where these conditions stand.
struct Hole {
    range: Range,
    places: Vec<ConditionId>,
}

/// The values that ranges of one term leave out.
fn holes(terms: &Terms, ranges: &[(ConditionId, Range)]) -> Vec<Hole> {
    let mut left_out: Vec<Hole> = (ranges.iter())
        .map(|(place, range)| Hole {
            range: complement(terms, *range),
            places: vec![*place],
        })
        .collect();
    left_out.sort_by_key(|hole| (hole.range.first, hole.range.span));
    let mut holes: Vec<Hole> = Vec::new();
    for hole in left_out {
        if !holes
            .last_mut()
            .is_some_and(|last| last.joins(terms, &hole))
        {
            holes.push(hole);
        }
    }
    // The last may go round to the first.
    while holes.len() > 1 {
        let first = holes.remove(0);
        if !holes
            .last_mut()
            .is_some_and(|last| last.joins(terms, &first))
        {
            holes.insert(0, first);
            break;
        }
    }
    holes
}

impl Hole {
    /// Makes one of two that are next to each other, or overlap.
    fn joins(&mut self, terms: &Terms, other: &Hole) -> bool {
        let Some(Some(range)) = union(terms, self.range, other.range) else {
            return false;
        };
        self.range = range;
        self.places.extend(&other.places);
        true
    }
}

/// All other values.
fn complement(terms: &Terms, range: Range) -> Range {
    let all = mask(terms.width(range.term));
    Range {
        first: range.first.wrapping_add(range.span).wrapping_add(1) & all,
        span: all - range.span - 1,
        ..range
    }
}

/// Whether it is one comparison.
fn is_simple(terms: &Terms, range: Range) -> bool {
    let all = mask(terms.width(range.term));
    let least = (all >> 1) + 1;
    let last = range.first.wrapping_add(range.span) & all;
    let begins = range.first == 0 || range.first == least;
    let ends = last == all || last == least - 1;
    range.span == 0 || range.span == all - 1 || begins || ends
}

pub(super) fn mask(width: u32) -> u128 {
    if width == 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

/// The values of which a condition is true, if it is about being in a range. Never all values, and
/// never none.
pub(super) fn range(terms: &Terms, condition: TermId) -> Option<Range> {
    match *terms.node(condition) {
        Node::Cmp(op, term, number) => {
            let all = mask(terms.width(term));
            let least = (all >> 1) + 1;
            let number = terms.as_constant(number)?;
            // From where, and how many more. Terms have no other comparisons.
            let (first, span) = match op {
                CmpOp::Eq => (number, 0),
                CmpOp::Ult if number > 0 => (0, number - 1),
                CmpOp::Slt if number != least => (least, number.wrapping_sub(least + 1) & all),
                _ => return None,
            };
            // A sum with a number is compared like the other summand.
            let (term, first) = match *terms.node(term) {
                Node::Bin(BinOp::Add, x, y) => match (terms.as_constant(x), terms.as_constant(y)) {
                    (Some(c), None) => (y, first.wrapping_sub(c) & all),
                    (None, Some(c)) => (x, first.wrapping_sub(c) & all),
                    _ => (term, first),
                },
                _ => (term, first),
            };
            (span < all).then_some(Range { term, first, span })
        }
        Node::Not(inner) if terms.width(condition) == 1 => {
            let inner = range(terms, inner)?;
            Some(complement(terms, inner))
        }
        _ => None,
    }
}

/// Being in a range.
fn condition(terms: &mut Terms, range: Range) -> TermId {
    let Range { term, first, span } = range;
    let width = terms.width(term);
    let all = mask(width);
    let least = (all >> 1) + 1;
    let last = first.wrapping_add(span) & all;
    let mut compare = |op, with| {
        let with = terms.constant(width, with);
        terms.cmp(op, term, with)
    };
    match (first, last) {
        _ if span == 0 => compare(CmpOp::Eq, first),
        _ if span == all - 1 => compare(CmpOp::Ne, last.wrapping_add(1) & all),
        (0, last) => compare(CmpOp::Ule, last),
        (first, last) if last == all => compare(CmpOp::Uge, first),
        (first, last) if first == least => compare(CmpOp::Sle, last),
        (first, last) if last == least - 1 => compare(CmpOp::Sge, first),
        (first, _) => {
            let first = terms.constant(width, first);
            let span = terms.constant(width, span);
            let distance = terms.bin(BinOp::Sub, term, first);
            terms.cmp(CmpOp::Ule, distance, span)
        }
    }
}

/// How far the second begins after the first.
fn distance(terms: &Terms, a: Range, b: Range) -> u128 {
    b.first.wrapping_sub(a.first) & mask(terms.width(a.term))
}

/// What is in either range, if that is a range; `Some(None)`: everything. `None`: it is not.
fn union(terms: &Terms, a: Range, b: Range) -> Option<Option<Range>> {
    if a.term != b.term {
        return None;
    }
    let all = mask(terms.width(a.term));
    for (a, b) in [(a, b), (b, a)] {
        let from = distance(terms, a, b);
        // The second begins in the first, or just behind it.
        if from <= a.span || from == a.span + 1 {
            let span = match from.checked_add(b.span) {
                Some(to) if to < all => to.max(a.span),
                // It goes round to where the first begins.
                _ => return Some(None),
            };
            return Some(Some(Range { span, ..a }));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of which a condition is true, one by one.
    fn values(terms: &Terms, term: TermId, conditions: &[TermId]) -> Vec<u128> {
        let input = terms.support(term)[0];
        let holds = |value: &u128| {
            let mut model = smt::Model::default();
            model.set(input, *value);
            conditions.iter().all(|c| terms.eval(*c, &model) == 1)
        };
        (0..8).filter(holds).collect()
    }

    /// All comparisons of a number of three bits, or of a sum with it, and all of their negations.
    fn comparisons(terms: &mut Terms) -> (TermId, Vec<TermId>) {
        let x = terms.input("x", 3);
        let two = terms.constant(3, 2);
        let sum = terms.bin(BinOp::Add, x, two);
        let mut all = Vec::new();
        for op in CmpOp::ALL {
            for number in 0..8 {
                let number = terms.constant(3, number);
                for (a, b) in [(x, number), (number, x), (sum, number)] {
                    let is = terms.cmp(op, a, b);
                    let is_not = terms.not(is);
                    all.extend([is, is_not]);
                }
            }
        }
        all.retain(|c| terms.as_constant(*c).is_none());
        all.sort();
        all.dedup();
        (x, all)
    }

    #[test]
    fn ranges_are_what_conditions_say() {
        let mut terms = Terms::new();
        let (x, all) = comparisons(&mut terms);
        let mut found = 0;
        for c in all {
            if let Some(range) = range(&terms, c) {
                let again = condition(&mut terms, range);
                assert_eq!(
                    values(&terms, x, &[c]),
                    values(&terms, x, &[again]),
                    "{}",
                    terms.display(c)
                );
                found += 1;
            }
        }
        assert!(found > 20);
    }

    #[test]
    fn either_of_two_says_what_they_say_together() {
        let mut terms = Terms::new();
        let (x, all) = comparisons(&mut terms);
        let mut found = 0;
        for &a in &all {
            for &b in &all {
                if let Some(either) = either(&mut terms, &[a], &[b]) {
                    let mut expected = values(&terms, x, &[a]);
                    expected.extend(values(&terms, x, &[b]));
                    expected.sort();
                    expected.dedup();
                    assert_eq!(values(&terms, x, &either), expected);
                    found += 1;
                }
            }
        }
        assert!(found > 100);
    }

    #[test]
    fn what_follows_is_left_out_and_nothing_else() {
        let mut terms = Terms::new();
        let (x, all) = comparisons(&mut terms);
        for &a in &all {
            for &b in &all {
                let mut simple = vec![a, b];
                simplify(&mut terms, &mut simple);
                assert_eq!(values(&terms, x, &simple), values(&terms, x, &[a, b]));
                for &c in all.iter().step_by(5) {
                    let mut simple = vec![a, b, c];
                    simplify(&mut terms, &mut simple);
                    assert_eq!(values(&terms, x, &simple), values(&terms, x, &[a, b, c]));
                }
            }
        }
        let three = terms.constant(3, 3);
        let five = terms.constant(3, 5);
        let is_three = terms.cmp(CmpOp::Eq, x, three);
        let below_five = terms.cmp(CmpOp::Ult, x, five);
        let mut conditions = vec![below_five, is_three, is_three];
        simplify(&mut terms, &mut conditions);
        assert_eq!(conditions, [is_three]);
    }

    #[test]
    fn values_left_out_next_to_each_other_are_one_condition() {
        let mut terms = Terms::new();
        let x = terms.input("x", 32);
        let mut is_not = |number| {
            let number = terms.constant(32, number);
            terms.cmp(CmpOp::Ne, x, number)
        };
        let mut conditions: Vec<TermId> = [7, 3, 5, 4, 6].map(&mut is_not).to_vec();
        let nine = is_not(9);
        conditions.push(nine);
        simplify(&mut terms, &mut conditions);
        let [three_to_seven, other] = conditions[..] else {
            panic!("{} conditions", conditions.len());
        };
        assert_eq!(other, nine);
        let stays = range(&terms, three_to_seven).expect("a range");
        assert_eq!((stays.first, stays.span), (8, u128::from(u32::MAX) - 5));
    }

    #[test]
    fn between_two_comparisons_there_may_be_one_value() {
        let mut terms = Terms::new();
        let x = terms.input("x", 32);
        let [four, five] = [4, 5].map(|n| terms.constant(32, n));
        let below = terms.cmp(CmpOp::Slt, x, five);
        let above = terms.cmp(CmpOp::Sge, x, four);
        let mut conditions = vec![below, above];
        simplify(&mut terms, &mut conditions);
        let is_four = terms.cmp(CmpOp::Eq, x, four);
        assert_eq!(conditions, [is_four]);
    }
}
