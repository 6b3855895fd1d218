//! Conditions as a reader likes them: bounds on the same thing put together, what follows from the
//! rest left out.
//!
//! Every step keeps the meaning. What is not recognised stays as it is.

use smt::{BinOp, CmpOp, Node, TermId, Terms};

use super::ranges::{Ranges, greatest};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Formula {
    /// The value of the term is in the set.
    Bound(TermId, Ranges),
    /// `Eq`, `Ne` and the four kinds of "less".
    Compare(CmpOp, TermId, TermId),
    /// None: true.
    And(Vec<Formula>),
    /// None: false.
    Or(Vec<Formula>),
}

pub const TRUE: Formula = Formula::And(Vec::new());
pub const FALSE: Formula = Formula::Or(Vec::new());

impl Formula {
    /// The meaning of a term of one bit.
    pub fn of(terms: &Terms, term: TermId) -> Formula {
        build(terms, term, true)
    }

    pub fn and(parts: Vec<Formula>) -> Formula {
        let mut all: Vec<Formula> = Vec::new();
        let mut rest = parts;
        rest.reverse();
        while let Some(part) = rest.pop() {
            match part {
                Formula::And(parts) => rest.extend(parts.into_iter().rev()),
                Formula::Or(parts) if parts.is_empty() => return FALSE,
                Formula::Bound(term, set) => {
                    let old = all.iter_mut().find_map(|p| bound_on(p, term));
                    match old {
                        Some(old) => *old = old.intersection(&set),
                        None => all.push(Formula::Bound(term, set)),
                    }
                }
                part => {
                    if !all.contains(&part) {
                        all.push(part);
                    }
                }
            }
        }
        all.retain(|p| !matches!(p, Formula::Bound(_, set) if set.is_everything()));
        if all.iter().any(is_never) || contradict(&all) {
            return FALSE;
        }
        tighten(&mut all);
        resolve(all)
    }

    pub fn or(parts: Vec<Formula>) -> Formula {
        let mut any: Vec<Formula> = Vec::new();
        let mut rest = parts;
        rest.reverse();
        while let Some(part) = rest.pop() {
            match part {
                Formula::Or(parts) => rest.extend(parts.into_iter().rev()),
                Formula::Bound(term, set) => {
                    let old = any.iter_mut().find_map(|p| bound_on(p, term));
                    match old {
                        Some(old) => *old = old.union(&set),
                        None => any.push(Formula::Bound(term, set)),
                    }
                }
                part => any.push(part),
            }
        }
        let is_always = |p: &Formula| match p {
            Formula::Bound(_, set) => set.is_everything(),
            other => *other == TRUE,
        };
        if any.iter().any(is_always) {
            return TRUE;
        }
        any.retain(|p| !is_never(p));
        without_known(&mut any);
        join(&mut any);
        factor(any)
    }

    /// Whether whatever satisfies this satisfies the other, as far as one sees at a glance.
    pub fn implies(&self, other: &Formula) -> bool {
        match (self, other) {
            (Formula::Or(parts), _) => parts.iter().all(|p| p.implies(other)),
            (_, Formula::And(parts)) => parts.iter().all(|p| self.implies(p)),
            (Formula::And(parts), _) if parts.iter().any(|p| p.implies(other)) => true,
            (_, Formula::Or(parts)) => parts.iter().any(|p| self.implies(p)),
            (Formula::Bound(a, set), Formula::Bound(b, other)) => a == b && set.is_within(other),
            (Formula::Compare(op, a, b), Formula::Compare(other, c, d)) => {
                (a, b) == (c, d) && follows(*op, *other)
                    || (a, b) == (d, c) && matches!(op, CmpOp::Eq) && follows(*op, *other)
                    || (a, b) == (d, c) && *other == CmpOp::Ne && follows(*op, CmpOp::Ne)
            }
            _ => false,
        }
    }

    fn parts(self) -> Vec<Formula> {
        match self {
            Formula::And(parts) => parts,
            other => vec![other],
        }
    }
}

fn build(terms: &Terms, term: TermId, truth: bool) -> Formula {
    let side = |t: TermId| build(terms, t, truth);
    match *terms.node(term) {
        Node::Constant { value, .. } => match (value == 1) == truth {
            true => TRUE,
            false => FALSE,
        },
        Node::Not(inner) => build(terms, inner, !truth),
        Node::Bin(BinOp::And, a, b) if truth => Formula::and(vec![side(a), side(b)]),
        Node::Bin(BinOp::And, a, b) => Formula::or(vec![side(a), side(b)]),
        Node::Bin(BinOp::Or, a, b) if truth => Formula::or(vec![side(a), side(b)]),
        Node::Bin(BinOp::Or, a, b) => Formula::and(vec![side(a), side(b)]),
        Node::Ite(c, a, b) => {
            let yes = Formula::and(vec![build(terms, c, true), side(a)]);
            let no = Formula::and(vec![build(terms, c, false), side(b)]);
            Formula::or(vec![yes, no])
        }
        Node::Cmp(op, a, b) => {
            let op = if truth { op } else { op.negated() };
            compare(terms, op, a, b)
        }
        _ => Formula::Bound(term, Ranges::point(1, u128::from(truth))),
    }
}

fn compare(terms: &Terms, op: CmpOp, a: TermId, b: TermId) -> Formula {
    let (op, a, b) = match op {
        CmpOp::Ugt => (CmpOp::Ult, b, a),
        CmpOp::Uge => (CmpOp::Ule, b, a),
        CmpOp::Sgt => (CmpOp::Slt, b, a),
        CmpOp::Sge => (CmpOp::Sle, b, a),
        _ => (op, a, b),
    };
    let width = terms.width(a);
    match (terms.as_constant(a), terms.as_constant(b)) {
        (None, Some(number)) => bound(terms, a, set_below(op, width, number)),
        (Some(number), None) => bound(terms, b, set_above(op, width, number)),
        _ if matches!(op, CmpOp::Eq | CmpOp::Ne) => Formula::Compare(op, a.min(b), a.max(b)),
        _ => Formula::Compare(op, a, b),
    }
}

/// All `x` with `x op number`.
fn set_below(op: CmpOp, width: u32, number: u128) -> Ranges {
    let (all, least) = (greatest(width), 1 << (width - 1));
    let none = || Ranges::new(width, []);
    match op {
        CmpOp::Eq => Ranges::point(width, number),
        CmpOp::Ne => Ranges::point(width, number).complement(),
        CmpOp::Ule => Ranges::new(width, [(0, number)]),
        CmpOp::Ult if number == 0 => none(),
        CmpOp::Ult => Ranges::new(width, [(0, number - 1)]),
        CmpOp::Sle => Ranges::signed(width, least, number),
        CmpOp::Slt if number == least => none(),
        CmpOp::Slt => Ranges::signed(width, least, number.wrapping_sub(1) & all),
        _ => unreachable!("turned round"),
    }
}

/// All `x` with `number op x`.
fn set_above(op: CmpOp, width: u32, number: u128) -> Ranges {
    match op {
        CmpOp::Eq | CmpOp::Ne => set_below(op, width, number),
        CmpOp::Ule => set_below(CmpOp::Ult, width, number).complement(),
        CmpOp::Ult => set_below(CmpOp::Ule, width, number).complement(),
        CmpOp::Sle => set_below(CmpOp::Slt, width, number).complement(),
        CmpOp::Slt => set_below(CmpOp::Sle, width, number).complement(),
        _ => unreachable!("turned round"),
    }
}

/// A bound on what the term is made of, where that says the same.
fn bound(terms: &Terms, term: TermId, set: Ranges) -> Formula {
    if set.width() == 1 && !set.is_empty() && !set.is_everything() {
        return build(terms, term, set.only() == Some(1));
    }
    match *terms.node(term) {
        Node::Zext { term, .. } => {
            let narrow = set.before_zero_extension(terms.width(term));
            bound(terms, term, narrow)
        }
        Node::Sext { term, .. } => {
            let narrow = set.before_sign_extension(terms.width(term));
            bound(terms, term, narrow)
        }
        Node::Bin(BinOp::Add, a, b) => match (terms.as_constant(a), terms.as_constant(b)) {
            (None, Some(number)) => bound(terms, a, set.minus(number)),
            (Some(number), None) => bound(terms, b, set.minus(number)),
            _ => Formula::Bound(term, set),
        },
        Node::Concat { hi, lo } if terms.as_constant(hi) == Some(0) => {
            bound(terms, lo, set.before_zero_extension(terms.width(lo)))
        }
        _ => Formula::Bound(term, set),
    }
}

fn bound_on(part: &mut Formula, term: TermId) -> Option<&mut Ranges> {
    match part {
        Formula::Bound(of, set) if *of == term => Some(set),
        _ => None,
    }
}

fn is_never(part: &Formula) -> bool {
    match part {
        Formula::Bound(_, set) => set.is_empty(),
        other => *other == FALSE,
    }
}

/// Whether `a op b` says that `a other b`.
fn follows(op: CmpOp, other: CmpOp) -> bool {
    op == other
        || matches!(
            (op, other),
            (CmpOp::Eq, CmpOp::Ule | CmpOp::Sle)
                | (CmpOp::Ult, CmpOp::Ule | CmpOp::Ne)
                | (CmpOp::Slt, CmpOp::Sle | CmpOp::Ne)
        )
}

fn negated(part: &Formula) -> Option<Formula> {
    match *part {
        Formula::Compare(op, a, b) => Some(match op.negated() {
            CmpOp::Ugt => Formula::Compare(CmpOp::Ult, b, a),
            CmpOp::Uge => Formula::Compare(CmpOp::Ule, b, a),
            CmpOp::Sgt => Formula::Compare(CmpOp::Slt, b, a),
            CmpOp::Sge => Formula::Compare(CmpOp::Sle, b, a),
            op => Formula::Compare(op, a, b),
        }),
        _ => None,
    }
}

fn contradict(all: &[Formula]) -> bool {
    all.iter().any(|part| {
        let not = negated(part);
        not.is_some_and(|not| all.iter().any(|p| *p != *part && p.implies(&not)))
    })
}

/// `a <= b` and `a != b` is `a < b`; `a <= b` and `b <= a` is `a == b`.
fn tighten(all: &mut Vec<Formula>) {
    for i in 0..all.len() {
        let Formula::Compare(op @ (CmpOp::Ule | CmpOp::Sle), a, b) = all[i] else {
            continue;
        };
        let (low, high) = (a.min(b), a.max(b));
        if all.contains(&Formula::Compare(CmpOp::Ne, low, high)) {
            let less = if op == CmpOp::Ule {
                CmpOp::Ult
            } else {
                CmpOp::Slt
            };
            all[i] = Formula::Compare(less, a, b);
        } else if all.contains(&Formula::Compare(op, b, a)) {
            all[i] = Formula::Compare(CmpOp::Eq, low, high);
        }
    }
    drop_implied(all, |weak, strong| strong.implies(weak));
}

/// Leaves out what another part makes superfluous; of two that do so to each other, the later.
fn drop_implied(all: &mut Vec<Formula>, is_superfluous: impl Fn(&Formula, &Formula) -> bool) {
    let mut i = 0;
    while i < all.len() {
        let gone = (0..all.len()).any(|j| {
            j != i
                && is_superfluous(&all[i], &all[j])
                && (j < i || !is_superfluous(&all[j], &all[i]))
        });
        if gone {
            all.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Alternatives that the rest excludes are none.
fn resolve(mut all: Vec<Formula>) -> Formula {
    for i in 0..all.len() {
        let Formula::Or(parts) = &all[i] else {
            continue;
        };
        let rest: Vec<&Formula> = (0..all.len())
            .filter(|j| *j != i)
            .map(|j| &all[j])
            .collect();
        let is_possible = |part: &&Formula| {
            let parts = match part {
                Formula::And(parts) => parts.as_slice(),
                other => std::slice::from_ref(*other),
            };
            !parts.iter().any(|p| rest.iter().any(|r| exclude(p, r)))
        };
        let possible: Vec<Formula> = parts.iter().filter(is_possible).cloned().collect();
        if possible.len() < parts.len() {
            let mut parts: Vec<Formula> = all.clone();
            parts[i] = Formula::or(possible);
            return Formula::and(parts);
        }
    }
    match all.len() {
        1 => all.remove(0),
        _ => Formula::And(all),
    }
}

fn exclude(a: &Formula, b: &Formula) -> bool {
    match (a, b) {
        (Formula::Bound(x, set), Formula::Bound(y, other)) => {
            x == y && set.intersection(other).is_empty()
        }
        _ => negated(a).is_some_and(|not| b.implies(&not)),
    }
}

/// Where one alternative is that something does not hold, others need not say that it does:
/// `!a || a && b` is `!a || b`.
fn without_known(any: &mut [Formula]) {
    for i in 0..any.len() {
        if matches!(any[i], Formula::And(_) | Formula::Or(_)) {
            continue;
        }
        let alone = any[i].clone();
        let is_known = |part: &Formula| match (&alone, part) {
            (Formula::Bound(a, set), Formula::Bound(b, other)) => {
                a == b && set.complement().is_within(other)
            }
            _ => negated(&alone).is_some_and(|not| not.implies(part)),
        };
        for other in any.iter_mut() {
            if let Formula::And(parts) = other {
                parts.retain(|part| !is_known(part));
                if let [only] = &parts[..] {
                    *other = only.clone();
                }
            }
        }
    }
}

/// Alternatives that differ in the bound on one thing become one; those that another covers go.
fn join(any: &mut Vec<Formula>) {
    drop_implied(any, |strong, weak| strong.implies(weak));
    'again: loop {
        for i in 0..any.len() {
            for j in i + 1..any.len() {
                if let Some(joined) = joined(&any[i], &any[j]) {
                    any[i] = joined;
                    any.remove(j);
                    drop_implied(any, |strong, weak| strong.implies(weak));
                    continue 'again;
                }
            }
        }
        return;
    }
}

fn joined(a: &Formula, b: &Formula) -> Option<Formula> {
    let (mut a, b) = (a.clone().parts(), b.clone().parts());
    if a.len() != b.len() {
        return None;
    }
    let mut differing = (0..a.len()).filter(|i| !b.contains(&a[*i]));
    let (i, None) = (differing.next()?, differing.next()) else {
        return None;
    };
    let Formula::Bound(term, set) = &a[i] else {
        return None;
    };
    let other = b.iter().find(|p| !a.contains(p))?;
    let Formula::Bound(of, other) = other else {
        return None;
    };
    if of != term {
        return None;
    }
    a[i] = Formula::Bound(*term, set.union(other));
    Some(Formula::and(a))
}

/// What all alternatives require is said once.
fn factor(any: Vec<Formula>) -> Formula {
    if any.len() < 2 {
        return any.into_iter().next().unwrap_or(FALSE);
    }
    let all: Vec<Vec<Formula>> = any.into_iter().map(Formula::parts).collect();
    let is_common = |p: &&Formula| all.iter().all(|parts| parts.contains(p));
    let common: Vec<Formula> = all[0].iter().filter(is_common).cloned().collect();
    let rest = all.into_iter().map(|parts| {
        let own = parts.into_iter().filter(|p| !common.contains(p)).collect();
        Formula::and(own)
    });
    let rest: Vec<Formula> = rest.collect();
    if common.is_empty() {
        return Formula::Or(rest);
    }
    let mut parts = common.clone();
    parts.push(Formula::or(rest));
    Formula::and(parts)
}

#[cfg(test)]
mod tests;
