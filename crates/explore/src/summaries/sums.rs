//! Fewer conditions on sums: of very many, those that follow from the others as long as the
//! variables are small.
//!
//! Where threads add variables to each other, every order of their steps leads to a condition of
//! its own, `3 * i + 2 * j <= 144` or `2 * i + 3 * j <= 144`, and their number grows exponentially
//! with the steps. Nearly all of them follow from a few if `i` and `j` are not negative, and no sum
//! overflows. That they are not is a condition, too: the summary becomes stronger, which is sound,
//! and is made only where it holds of the present state. So fewer states may be pruned by it, but
//! otherwise it would be too large to be kept (P1, section 6.2).
//!
//! Everything is computed in whole numbers that do not go round: a variable is one of `0..=most`,
//! and `most` is so small that no sum leaves the numbers with a sign of its width. Then one
//! condition follows from another if the largest difference of their sums, taken variable by
//! variable, is no more than the difference of their bounds.

use smt::{CmpOp, TermId, Terms};

use super::ConditionId;
use super::merge::{Range, mask, range};

/// Fewer conditions than this are kept as they are.
const MANY: usize = 16;

/// The numbers in a sum have at most this many bits: it must not overflow for variables that are a
/// little larger.
const BITS: u32 = 20;

/// `least <= number + a * x + b * y + ... <= most`
struct Sum {
    condition: ConditionId,
    times: Vec<(TermId, i128)>,
    number: i128,
    least: i128,
    most: i128,
}

impl Sum {
    fn of(terms: &Terms, id: ConditionId, condition: TermId) -> Option<Sum> {
        let Range { term, first, span } = range(terms, condition)?;
        let width = terms.width(term);
        if width <= BITS + 2 || width > 64 {
            return None;
        }
        let signed = |bits: u128| {
            let is_negative = bits >> (width - 1) & 1 == 1;
            bits as i128 - if is_negative { 1 << width } else { 0 }
        };
        let least = signed(first);
        let most = signed(first.wrapping_add(span) & mask(width));
        let (mut times, mut number) = (Vec::new(), 0_i128);
        for (addend, factor) in terms.addends(term)? {
            let factor = signed(factor);
            match terms.as_constant(addend) {
                Some(constant) => {
                    let product = signed(constant).checked_mul(factor)?;
                    number = product.checked_add(number)?;
                }
                None if factor == 0 => {}
                None => times.push((addend, factor)),
            }
        }
        let sum = Sum {
            condition: id,
            times,
            number,
            least,
            most,
        };
        let has_variables = !sum.times.is_empty();
        (least <= most && has_variables && sum.weight() < 1 << BITS).then_some(sum)
    }

    /// The sum of all factors and the number, without signs.
    fn weight(&self) -> i128 {
        let factors = self.times.iter().map(|(_, factor)| factor.unsigned_abs());
        let weight = factors.fold(self.number.unsigned_abs(), u128::saturating_add);
        i128::try_from(weight).unwrap_or(i128::MAX)
    }

    fn factor(&self, variable: TermId) -> i128 {
        let mut times = self.times.iter();
        times.find(|(v, _)| *v == variable).map_or(0, |(_, f)| *f)
    }

    /// How large this sum minus the other can be, if variables are at most `largest`. With `sign`
    /// -1, the other minus this.
    fn exceeds_by(&self, other: &Sum, sign: i128, largest: i128) -> i128 {
        let here = self.times.iter().map(|(v, f)| f - other.factor(*v));
        let there = other.times.iter().filter(|(v, _)| self.factor(*v) == 0);
        let factors = here.chain(there.map(|(_, f)| -f));
        let difference = factors.map(|f| (sign * f).max(0) * largest).sum::<i128>();
        difference + sign * (self.number - other.number)
    }

    /// Whether the bound from above follows from that of the other sum.
    fn most_follows(&self, other: &Sum, largest: i128) -> bool {
        self.exceeds_by(other, 1, largest) <= self.most - other.most
    }

    fn least_follows(&self, other: &Sum, largest: i128) -> bool {
        self.exceeds_by(other, -1, largest) <= other.least - self.least
    }
}

/// Conditions from which all of a longer list follow, some of which say that variables are small.
pub struct Fewer {
    pub small: Vec<TermId>,
    pub others: Vec<TermId>,
}

/// Fewer conditions instead of these, if they become half as many or less.
pub fn fewer(terms: &mut Terms, conditions: &[TermId]) -> Option<Fewer> {
    if conditions.len() < MANY {
        return None;
    }
    let sums = (0..).map(ConditionId).zip(conditions);
    let mut sums: Vec<Sum> = sums.filter_map(|(id, c)| Sum::of(terms, id, *c)).collect();
    // A variable that is never added to another one is not among those of which there are many
    // conditions.
    let times = sums.iter().filter(|sum| sum.times.len() > 1);
    let times = times.flat_map(|sum| &sum.times);
    let mut variables: Vec<TermId> = times.map(|(variable, _)| *variable).collect();
    variables.sort_unstable();
    variables.dedup();
    sums.retain(|sum| {
        let mut times = sum.times.iter();
        times.all(|(variable, _)| variables.binary_search(variable).is_ok())
    });
    if sums.len() < MANY {
        return None;
    }
    let narrowest = variables.iter().map(|v| terms.width(*v)).min()?;
    let heaviest = sums.iter().map(Sum::weight).max()?;
    // Every sum is smaller than `2 ^ (narrowest - 1)`, with either sign.
    let largest = (1 << (narrowest - 2)) / heaviest;
    let superfluous = superfluous(&sums, largest);
    if superfluous.len() < variables.len() + sums.len() / 2 {
        return None;
    }
    let is_small = |variable: TermId| {
        let largest = terms.constant(terms.width(variable), largest as u128);
        terms.cmp(CmpOp::Ule, variable, largest)
    };
    let small = variables.into_iter().map(is_small).collect();
    let others = (0..).map(ConditionId).zip(conditions);
    let others = others.filter(|(id, _)| superfluous.binary_search(id).is_err());
    let others = others.map(|(_, c)| *c).collect();
    Some(Fewer { small, others })
}

/// Which conditions follow from the others, in order. What a condition follows from is never one
/// that was found to be superfluous before it: of two that follow from each other, one stays.
fn superfluous(sums: &[Sum], largest: i128) -> Vec<ConditionId> {
    let nothing = Sum {
        condition: ConditionId(u32::MAX),
        times: Vec::new(),
        number: 0,
        least: 0,
        most: 0,
    };
    let mut is_left = vec![true; sums.len()];
    for (i, sum) in sums.iter().enumerate() {
        let others = || {
            let all = sums.iter().zip(&is_left).enumerate();
            let left = all.filter(|(j, (_, is_left))| *j != i && **is_left);
            left.map(|(_, (sum, _))| sum).chain([&nothing])
        };
        let follows = others().any(|other| sum.most_follows(other, largest))
            && others().any(|other| sum.least_follows(other, largest));
        is_left[i] = !follows;
    }
    let all = sums.iter().zip(is_left);
    all.filter(|(_, is_left)| !is_left)
        .map(|(sum, _)| sum.condition)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Answer, BinOp, Solver};

    /// `a * x + b * y` for all `a + b` up to a number, each at most `bound`.
    fn conditions(terms: &mut Terms, up_to: u128, bound: i64) -> Vec<TermId> {
        let (x, y) = (terms.input("x", 32), terms.input("y", 32));
        let bound = terms.constant(32, u128::from(bound as u32));
        let mut all = Vec::new();
        for a in 0..=up_to {
            for b in 0..=up_to - a {
                let (a, b) = (terms.constant(32, a), terms.constant(32, b));
                let (a, b) = (terms.bin(BinOp::Mul, x, a), terms.bin(BinOp::Mul, y, b));
                let sum = terms.bin(BinOp::Add, a, b);
                all.push(terms.cmp(CmpOp::Sle, sum, bound));
            }
        }
        all.retain(|c| terms.as_constant(*c).is_none());
        all
    }

    #[test]
    fn what_is_left_says_everything() {
        for bound in [144, 0, -3, i64::from(i32::MAX) - 1] {
            let mut terms = Terms::new();
            let all = conditions(&mut terms, 7, bound);
            let Some(Fewer { small, others }) = fewer(&mut terms, &all) else {
                assert!(bound < 0, "{bound}");
                continue;
            };
            assert_eq!(small.len(), 2);
            // The sums of seven addends contain all others.
            assert!(others.len() <= 10, "{}", others.len());
            let together = [small, others].concat();
            for condition in all {
                let not = terms.not(condition);
                let mut solver = smt::default_solver(std::time::Duration::from_secs(60));
                let question = [&together[..], &[not]].concat();
                assert!(matches!(solver.check(&mut terms, &question), Answer::Unsat));
            }
        }
    }

    /// Sums of three variables with small factors, a few of them negative, compared with numbers in
    /// several ways.
    #[test]
    fn whatever_satisfies_what_is_left_satisfies_all() {
        let mut random = 1_u64;
        let mut next = |below: u64| {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        let (mut found, mut satisfied) = (0, 0);
        for _ in 0..400 {
            let mut terms = Terms::new();
            let variables = ["x", "y", "z"].map(|name| terms.input(name, 32));
            let mut all = Vec::new();
            for _ in 0..60 {
                let mut sum = terms.constant(32, u128::from(next(5)));
                for &variable in &variables {
                    let is_negative = next(30) == 0;
                    let factor = if is_negative {
                        u32::MAX
                    } else {
                        next(5) as u32
                    };
                    let factor = terms.constant(32, u128::from(factor));
                    let product = terms.bin(BinOp::Mul, variable, factor);
                    sum = terms.bin(BinOp::Add, sum, product);
                }
                let number = 100 + 10 * (next(8) / 7);
                let number = terms.constant(32, u128::from(number));
                let condition = match next(10) {
                    0 => {
                        let minus = terms.neg(number);
                        terms.cmp(CmpOp::Sge, sum, minus)
                    }
                    1 => terms.cmp(CmpOp::Ule, sum, number),
                    _ => terms.cmp(CmpOp::Sle, sum, number),
                };
                all.push(condition);
            }
            all.retain(|c| terms.as_constant(*c).is_none());
            let Some(Fewer { small, others }) = fewer(&mut terms, &all) else {
                continue;
            };
            found += 1;
            let left = [small, others].concat();
            for _ in 0..300 {
                let mut model = smt::Model::default();
                for &variable in &variables {
                    let far = next(1 << 32);
                    let value = [next(12), next(60), far, u64::from(u32::MAX) - next(60)];
                    let value = value[next(4) as usize];
                    model.set(terms.support(variable)[0], u128::from(value));
                }
                let holds = |c: &TermId| terms.eval(*c, &model) == 1;
                if left.iter().all(holds) {
                    assert!(all.iter().all(holds));
                    satisfied += 1;
                }
            }
        }
        assert!(found > 20, "{found}");
        assert!(satisfied > 50, "{satisfied}");
    }

    #[test]
    fn few_conditions_are_kept() {
        let mut terms = Terms::new();
        let all = conditions(&mut terms, 3, 10);
        assert!(all.len() < MANY);
        assert!(fewer(&mut terms, &all).is_none());
    }
}
