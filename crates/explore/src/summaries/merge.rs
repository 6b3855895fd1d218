//! Simpler summaries: what two of them say together, as one; what a condition says that others say already.
//!
//! Many conditions compare something with a number. Such a one is a *range* of values, all from a first one up to a last one, going round at
//! the largest number. Two summaries that differ in one condition are one summary with either condition, which is simple if that is
//! always true, or a range again. Of several ranges of one value in a summary, those that contain another say nothing.
//!
//! All of this is equivalence: nothing is lost, and nothing added.

use rustc_hash::FxHashMap;
use smt::{BinOp, CmpOp, Node, TermId, Terms};

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

/// Leaves out conditions that follow from another one.
pub fn simplify(terms: &Terms, conditions: &mut Vec<TermId>) {
    let ranges: Vec<Option<Range>> = conditions.iter().map(|c| range(terms, *c)).collect();
    let mut of_term: FxHashMap<TermId, Vec<(usize, Range)>> = FxHashMap::default();
    for (i, range) in ranges.iter().enumerate() {
        if let Some(range) = range {
            of_term.entry(range.term).or_default().push((i, *range));
        }
    }
    let follows = |i: usize, range: Range| {
        let mut others = of_term[&range.term].iter();
        others.any(|&(j, other)| {
            let is_less = contains(terms, range, other);
            // Of two that are the same, the first stays.
            i != j && is_less && (j < i || !contains(terms, other, range))
        })
    };
    let mut ranges = ranges.iter().enumerate();
    conditions.retain(|_| {
        let (i, range) = ranges.next().expect("one for each");
        !range.is_some_and(|range| follows(i, range))
    });
}

pub(super) fn mask(width: u32) -> u128 {
    if width == 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

/// The values of which a condition is true, if it is about being in a range. Never all values, and never none.
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
            let Range { term, first, span } = range(terms, inner)?;
            let all = mask(terms.width(term));
            Some(Range {
                term,
                first: first.wrapping_add(span).wrapping_add(1) & all,
                span: all - span - 1,
            })
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

fn contains(terms: &Terms, a: Range, b: Range) -> bool {
    a.term == b.term && {
        let from = distance(terms, a, b);
        from <= a.span && b.span <= a.span - from
    }
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
                simplify(&terms, &mut simple);
                assert_eq!(values(&terms, x, &simple), values(&terms, x, &[a, b]));
            }
        }
        let three = terms.constant(3, 3);
        let five = terms.constant(3, 5);
        let is_three = terms.cmp(CmpOp::Eq, x, three);
        let below_five = terms.cmp(CmpOp::Ult, x, five);
        let mut conditions = vec![below_five, is_three, is_three];
        simplify(&terms, &mut conditions);
        assert_eq!(conditions, [is_three]);
    }
}
