//! Random choices from one seed.
//!
//! SplitMix64 (Steele, Lea, Flood, OOPSLA'14) written out, rather than a crate: a seed quoted in a
//! report must give the same program for good, which the crates of random numbers do not promise
//! across versions.

use std::ops::RangeInclusive;

pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `bound`, which is positive. The bias of the remainder does not matter for bounds this
    /// small.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn within(&mut self, range: &RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    pub fn value(&mut self, range: RangeInclusive<i32>) -> i32 {
        range.start() + self.below((range.end() - range.start() + 1) as usize) as i32
    }

    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// An element of a slice that is not empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// One of the choices with a positive weight, in proportion to the weights; `None` if there is
    /// none.
    pub fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> Option<T> {
        let total: u32 = choices.iter().map(|(weight, _)| weight).sum();
        if total == 0 {
            return None;
        }
        let mut rest = self.below(total as usize) as u32;
        for (weight, choice) in choices {
            if rest < *weight {
                return Some(*choice);
            }
            rest -= weight;
        }
        unreachable!("the rest is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published sequence for the seed 1234567.
    #[test]
    fn is_splitmix64() {
        let mut random = Random::new(1_234_567);
        let found = [random.next(), random.next(), random.next()];
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(found, published);
    }

    #[test]
    fn weight_zero_is_never_chosen() {
        let mut random = Random::new(1);
        let choices = [(0, 'a'), (1, 'b'), (0, 'c')];
        assert!((0..100).all(|_| random.weighted(&choices) == Some('b')));
        assert_eq!(random.weighted(&[(0, 'a')]), None);
    }
}
