//! Intervals against the semantics of every operator: all of them at small widths, random ones up
//! to 128 bits. Results are compared with sets of numbers, which of up to four bits are a `u16`
//! each.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use base::semantics::{self, mask, sign_bit, signed};
use base::{BinOp, CmpOp, Interval};

/// One bit per number.
type Set = u16;

struct Case {
    interval: Interval,
    members: Set,
    /// Whether it is the smallest interval of its members; widening makes others.
    is_tight: bool,
}

impl Case {
    fn of(interval: Interval) -> Case {
        let members = members(interval);
        Case {
            interval,
            members,
            is_tight: interval == hull(interval.width(), members),
        }
    }
}

fn members(interval: Interval) -> Set {
    all_numbers(interval.width())
        .filter(|value| interval.contains(*value))
        .fold(0, |set, value| set | 1 << value)
}

fn numbers(set: Set) -> impl Iterator<Item = u128> {
    (0..16).filter(move |value| set >> value & 1 == 1)
}

fn all_numbers(width: u32) -> RangeInclusive<u128> {
    0..=mask(width)
}

/// The smallest interval that covers the set.
fn hull(width: u32, set: Set) -> Interval {
    let constants = numbers(set).map(|value| Interval::constant(width, value));
    constants.fold(Interval::empty(width), Interval::join)
}

/// Every set that is an interval.
fn tight(width: u32) -> Vec<Case> {
    let sets = 0..=mask(1 << width) as Set;
    let sets: BTreeSet<Set> = sets.map(|set| members(hull(width, set))).collect();
    sets.into_iter()
        .map(|set| Case::of(hull(width, set)))
        .collect()
}

/// And those with bounds that the others would tighten.
fn with_loose(width: u32) -> Vec<Case> {
    let tight: Vec<Interval> = tight(width).into_iter().map(|case| case.interval).collect();
    let mut result = vec![Interval::empty(width)];
    for now in tight.iter().filter(|now| !now.is_empty()) {
        for before in tight.iter().filter(|before| !before.is_empty()) {
            let widened = now.widened(*before);
            if !result.contains(&widened) {
                result.push(widened);
            }
        }
    }
    result.into_iter().map(Case::of).collect()
}

/// The results of an operation on `x` and the members of every case, for every `x`.
fn images(width: u32, op: BinOp, cases: &[Case]) -> Vec<Vec<Set>> {
    let image = |x, set| {
        let results = numbers(set).map(|y| semantics::bin(op, width, x, y));
        results.fold(0, |image: Set, result| image | 1 << result)
    };
    let of_number = |x| cases.iter().map(|case| image(x, case.members)).collect();
    all_numbers(width).map(of_number).collect()
}

/// `x op y` lies in the interval for all members of both; that of two numbers is one number.
fn check_operators(width: u32, cases: &[Case]) {
    for op in BinOp::ALL {
        let images = images(width, op, cases);
        for a in cases {
            for (index, b) in cases.iter().enumerate() {
                let images = numbers(a.members).map(|x| images[x as usize][index]);
                let exact = images.fold(0, |set, image| set | image);
                let (a, b) = (a.interval, b.interval);
                let result = Interval::bin(op, a, b);
                assert_eq!(
                    exact & !members(result),
                    0,
                    "{op:?}: {a:?} {b:?} {result:?}"
                );
                if a.as_constant().is_some() && b.as_constant().is_some() {
                    assert!(
                        result.as_constant().is_some(),
                        "{op:?}: {a:?} {b:?} {result:?}"
                    );
                }
            }
        }
    }
}

/// What is left is the smallest interval of what may be left, and a comparison that has one outcome
/// is decided.
fn check_comparisons(width: u32, cases: &[Case]) {
    for op in CmpOp::ALL {
        let related = |x: u128| {
            let holds = all_numbers(width).filter(|y| semantics::cmp(op, width, x, *y));
            holds.fold(0, |set: Set, y| set | 1 << y)
        };
        let related: Vec<Set> = all_numbers(width).map(related).collect();
        for a in cases {
            for b in cases {
                let may_hold = |x: &u128| related[*x as usize] & b.members != 0;
                let may_fail = |x: u128| !related[x as usize] & b.members != 0;
                let exact = numbers(a.members).filter(may_hold);
                let exact = exact.fold(0, |set, x| set | 1 << x);
                let fails = numbers(a.members).any(may_fail);
                let is_tight = a.is_tight && b.is_tight;
                let (a, b) = (a.interval, b.interval);
                let left = a.restricted(op, b);
                assert_eq!(exact & !members(left), 0, "{op:?}: {a:?} {b:?} {left:?}");
                if is_tight {
                    assert_eq!(left, hull(width, exact), "{op:?}: {a:?} {b:?}");
                }
                match Interval::cmp(op, a, b) {
                    Some(true) => assert!(!fails, "{op:?}: {a:?} {b:?}"),
                    Some(false) => assert_eq!(exact, 0, "{op:?}: {a:?} {b:?}"),
                    None => assert!(
                        !is_tight || a.is_empty() || b.is_empty() || fails && exact != 0,
                        "{op:?}: {a:?} {b:?}"
                    ),
                }
            }
        }
    }
}

fn check_sets(width: u32, cases: &[Case]) {
    for a in cases {
        assert_eq!(a.interval.is_empty(), a.members == 0, "{:?}", a.interval);
        for b in cases {
            let (met, united) = (a.members & b.members, a.members | b.members);
            let (members_of_b, is_tight) = (b.members, a.is_tight && b.is_tight);
            let (a, b) = (a.interval, b.interval);
            assert_eq!(a.meet(b), hull(width, met), "{a:?} {b:?}");
            let joined = a.join(b);
            assert_eq!(united & !members(joined), 0, "{a:?} {b:?}");
            assert!(!is_tight || joined == hull(width, united), "{a:?} {b:?}");
            assert_eq!(members_of_b & !members(b.widened(a)), 0, "{a:?} {b:?}");
        }
    }
}

/// All members of the interval are cast into the result, which is nothing only if there are none.
fn check_cast(a: Interval, result: Interval, cast: impl Fn(u128) -> u128) {
    let is_member = |x: &u128| a.contains(*x);
    for x in all_numbers(a.width()).filter(is_member) {
        assert!(result.contains(cast(x)), "{a:?} {result:?} lost {x}");
    }
    assert_eq!(a.is_empty(), result.is_empty(), "{a:?} {result:?}");
}

fn check_casts(width: u32, cases: &[Case]) {
    for Case { interval: a, .. } in cases {
        check_cast(*a, a.complement(), |x| semantics::not(width, x));
        for to in width..=2 * width {
            check_cast(*a, a.zext(to), |x| x);
            check_cast(*a, a.sext(to), |x| semantics::sext(width, x, to));
        }
        for to in 1..=width {
            check_cast(*a, a.truncated(to), |x| x & mask(to));
        }
    }
}

fn check_concat(cases: &[Case]) {
    for hi in cases {
        for lo in cases {
            let result = hi.interval.concat(lo.interval);
            for x in numbers(hi.members) {
                for y in numbers(lo.members) {
                    assert!(result.contains(semantics::concat(x, y, lo.interval.width())));
                }
            }
            assert_eq!(result.is_empty(), hi.members == 0 || lo.members == 0);
        }
    }
}

fn check_all(width: u32, cases: &[Case]) {
    check_operators(width, cases);
    check_comparisons(width, cases);
    check_sets(width, cases);
    check_casts(width, cases);
}

#[test]
fn every_interval_of_one_bit() {
    check_all(1, &with_loose(1));
    check_concat(&with_loose(1));
}

#[test]
fn every_interval_of_three_bits_loose_ones_too() {
    // Nothing, one run, or two: of the non-negative numbers and of the negative ones, ten each.
    assert_eq!(tight(3).len(), 1 + 2 * 10 + 10 * 10);
    assert!(with_loose(3).len() > tight(3).len());
    check_all(3, &with_loose(3));
    check_concat(&with_loose(3));
}

#[test]
fn every_interval_of_four_bits() {
    assert_eq!(tight(4).len(), 1 + 2 * 36 + 36 * 36);
    check_all(4, &tight(4));
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    /// Often next to the ends of a view or to the width, which is an end of shifts.
    fn number(&mut self, width: u32) -> u128 {
        let base = match self.below(6) {
            0 | 1 => 0,
            2 | 3 => sign_bit(width),
            4 => u128::from(width),
            _ => {
                let number =
                    u128::from(self.below(u64::MAX)) << 64 | u128::from(self.below(u64::MAX));
                number >> self.below(128)
            }
        };
        let near = u128::from(self.below(5));
        base.wrapping_add(near).wrapping_sub(2) & mask(width)
    }

    /// With one run of numbers or two; some loose, some of all numbers.
    fn interval(&mut self, width: u32) -> Interval {
        let constants = (0..=self.below(4)).map(|_| Interval::constant(width, self.number(width)));
        let mut joined = constants
            .collect::<Vec<_>>()
            .into_iter()
            .reduce(Interval::join);
        if self.below(8) == 0 {
            joined = Some(Interval::full(width));
        }
        let joined = joined.expect("one at least");
        match self.below(4) {
            0 => joined.widened(Interval::constant(width, self.number(width))),
            _ => joined,
        }
    }

    /// An end, a number next to one, or any other.
    fn member(&mut self, interval: Interval) -> u128 {
        let width = interval.width();
        let (low, high) = interval.unsigned();
        let (signed_low, signed_high) = interval.signed();
        loop {
            let number = match self.below(5) {
                0 => low,
                1 => high,
                2 => signed_low as u128,
                3 => signed_high as u128,
                _ => self.number(width),
            };
            let number = number
                .wrapping_add(u128::from(self.below(3)))
                .wrapping_sub(1);
            if interval.contains(number & mask(width)) {
                return number & mask(width);
            }
        }
    }
}

#[test]
fn random_intervals_of_up_to_128_bits() {
    let mut random = Random(1);
    for width in [1, 2, 8, 32, 63, 64, 65, 127, 128] {
        for _ in 0..4000 {
            let (a, b) = (random.interval(width), random.interval(width));
            let pairs = [(); 6].map(|()| (random.member(a), random.member(b)));
            let (meet, join) = (a.meet(b), a.join(b));
            for op in BinOp::ALL {
                let result = Interval::bin(op, a, b);
                check_bounds(result);
                for (x, y) in pairs {
                    let value = semantics::bin(op, width, x, y);
                    assert!(
                        result.contains(value),
                        "{op:?} {x} {y}: {a:?} {b:?} {result:?}"
                    );
                }
            }
            for op in CmpOp::ALL {
                let (left, outcome) = (a.restricted(op, b), Interval::cmp(op, a, b));
                check_bounds(left);
                for (x, y) in pairs {
                    let holds = semantics::cmp(op, width, x, y);
                    assert!(!holds || left.contains(x), "{op:?} {x} {y}: {a:?} {b:?}");
                    assert!(
                        outcome.is_none_or(|outcome| outcome == holds),
                        "{op:?} {a:?} {b:?}"
                    );
                }
            }
            for (x, y) in pairs {
                assert!(join.contains(x) && join.contains(y), "{a:?} {b:?}");
                assert_eq!(meet.contains(x), b.contains(x), "{x}: {a:?} {b:?}");
                assert!(b.widened(a).contains(y), "{y}: {a:?} {b:?}");
                assert!(a.complement().contains(semantics::not(width, x)), "{a:?}");
                for to in [1, 7, 64, 128] {
                    if to <= width {
                        assert!(a.truncated(to).contains(x & mask(to)), "{x} to {to}: {a:?}");
                    }
                    if to >= width {
                        assert!(a.zext(to).contains(x), "{x} to {to}: {a:?}");
                        let extended = semantics::sext(width, x, to);
                        assert!(a.sext(to).contains(extended), "{x} to {to}: {a:?}");
                    }
                }
                if 2 * width <= 128 {
                    let value = semantics::concat(x, y, width);
                    assert!(a.concat(b).contains(value), "{x} {y}: {a:?} {b:?}");
                }
            }
        }
    }
}

fn check_bounds(interval: Interval) {
    let full = Interval::full(interval.width());
    let ((low, high), (signed_low, signed_high)) = (interval.unsigned(), interval.signed());
    assert!(
        low <= full.unsigned().1 && high <= full.unsigned().1,
        "{interval:?}"
    );
    assert!(
        full.signed().0 <= signed_low && signed_high <= full.signed().1,
        "{interval:?}"
    );
    assert_eq!(signed_low <= signed_high, low <= high, "{interval:?}");
}

#[test]
fn the_ends_of_128_bits() {
    let full = Interval::full(128);
    assert_eq!(full.signed(), (i128::MIN, i128::MAX));
    let last = Interval::constant(128, u128::MAX);
    let least = Interval::constant(128, sign_bit(128));
    assert_eq!(
        full.restricted(CmpOp::Ne, last).unsigned(),
        (0, u128::MAX - 1)
    );
    assert_eq!(
        full.restricted(CmpOp::Ne, least).signed(),
        (i128::MIN + 1, i128::MAX)
    );
    // A bound of one view alone at the last number.
    for number in [i128::MAX as u128, sign_bit(128)] {
        let number = Interval::constant(128, number);
        for before in [0, u128::MAX] {
            let loose = number.widened(Interval::constant(128, before));
            check_bounds(loose.restricted(CmpOp::Ne, number));
        }
    }
    assert!(full.restricted(CmpOp::Ugt, last).is_empty());
    assert!(full.restricted(CmpOp::Slt, least).is_empty());
    let quotients = Interval::bin(BinOp::SDiv, least.join(Interval::constant(128, 0)), last);
    assert_eq!(quotients, full);
    // By zero, the remainder is the dividend, even the least number.
    let remainders = Interval::bin(BinOp::SRem, full, Interval::constant(128, 0));
    assert_eq!(remainders, full);
}

#[test]
fn precise_where_it_matters() {
    let index = Interval::from_unsigned(32, 0, 9);
    let one = Interval::constant(32, 1);
    assert_eq!(Interval::bin(BinOp::Add, index, one).signed(), (1, 10));
    assert_eq!(Interval::bin(BinOp::Sub, index, one).signed(), (-1, 8));
    let minus_one = Interval::constant(32, mask(32));
    assert_eq!(
        Interval::bin(BinOp::Add, index, minus_one).signed(),
        (-1, 8)
    );
    assert_eq!(
        Interval::bin(BinOp::Mul, index, minus_one).signed(),
        (-9, 0)
    );
    let any = Interval::full(32);
    let modulus = Interval::constant(32, 128);
    assert_eq!(Interval::bin(BinOp::URem, any, modulus).signed(), (0, 127));
    assert_eq!(
        Interval::bin(BinOp::SRem, any, modulus).signed(),
        (-127, 127)
    );
    let below = any.restricted(CmpOp::Ult, Interval::constant(32, 8));
    assert_eq!(below.signed(), (0, 7));
    let doubled = Interval::bin(BinOp::Shl, Interval::from_signed(32, -3, 3), one);
    assert_eq!(doubled.signed(), (-6, 6));
    // All quotients are one run of numbers, although the first wraps in the signed view.
    let least = signed(8, sign_bit(8));
    let lowest = Interval::from_signed(8, least, least + 1);
    let by_minus_one = Interval::bin(BinOp::SDiv, lowest, Interval::constant(8, 255));
    assert_eq!(by_minus_one.unsigned(), (127, 128));
}
