//! What is accepted is true: every clause and every answer is compared with all models.

mod models;
mod mutants;
mod walks;

use proof::{Accepted, Error, Refusal};

/// With a last line, so that what is wrong with the others is seen.
fn check(proof: &str) -> Result<Accepted, Refusal> {
    match proof::check(completed(proof.as_bytes()).as_slice()) {
        Ok(accepted) => Ok(accepted),
        Err(Error::Refused(refusal)) => Err(refusal),
        Err(Error::Unreadable(error)) => panic!("bytes cannot be read: {error}"),
    }
}

fn completed(proof: &[u8]) -> Vec<u8> {
    let lines = proof.iter().filter(|byte| **byte == b'\n').count();
    [proof, format!("z {lines}\n").as_bytes()].concat()
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
