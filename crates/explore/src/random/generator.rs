//! Random numbers from a seed.
//!
//! SplitMix64 (Steele, Lea, Flood, OOPSLA'14) written out, rather than a crate: the same seed must
//! give the same runs for good, which the crates of random numbers do not promise across versions.

pub struct Generator {
    state: u64,
    used: bool,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            state: seed,
            used: false,
        }
    }

    /// Runs with neighbouring seeds or numbers have nothing in common.
    pub fn of_run(seed: u64, number: u64) -> Generator {
        let mixed = Generator::new(seed).next();
        let state = Generator::new(mixed ^ number).next();
        Generator::new(state)
    }

    pub fn next(&mut self) -> u64 {
        self.used = true;
        self.state = self.state.wrapping_add(GOLDEN);
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

    /// Whether something was drawn since `forget_use`.
    pub fn was_used(&self) -> bool {
        self.used
    }

    pub fn forget_use(&mut self) {
        self.used = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published sequence for the seed 1234567.
    #[test]
    fn is_splitmix64() {
        let mut random = Generator::new(1_234_567);
        let found = [random.next(), random.next(), random.next()];
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(found, published);
    }

    #[test]
    fn runs_differ() {
        let first = |seed, number| Generator::of_run(seed, number).next();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(2, 1));
        assert_ne!(first(0, 1), first(1, 0));
    }
}
