//! Sets of small numbers in which neighbours are likely: words of 64 bits, those that are zero left
//! out.

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct SparseSet {
    /// Sorted by the first; no second is zero.
    words: Vec<(u32, u64)>,
}

impl SparseSet {
    pub fn of(mut numbers: Vec<u32>) -> SparseSet {
        if !numbers.is_sorted() {
            numbers.sort_unstable();
        }
        let mut words: Vec<(u32, u64)> = Vec::new();
        for number in numbers {
            let (at, bit) = (number / 64, 1u64 << (number % 64));
            match words.last_mut() {
                Some(last) if last.0 == at => last.1 |= bit,
                _ => words.push((at, bit)),
            }
        }
        SparseSet { words }
    }

    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|(_, bits)| bits.count_ones() as usize)
            .sum()
    }

    pub fn of_word(word: (u32, u64)) -> SparseSet {
        SparseSet { words: vec![word] }
    }

    /// For each multiple of 64 by its quotient, which of the 64 numbers from there on are in the
    /// set.
    pub fn words(&self) -> &[(u32, u64)] {
        &self.words
    }

    /// What `f` makes of the numbers, in their order.
    pub fn map<T>(&self, mut f: impl FnMut(u32) -> T) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        for &(at, mut rest) in &self.words {
            while rest != 0 {
                all.push(f(at * 64 + rest.trailing_zeros()));
                rest &= rest - 1;
            }
        }
        all
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().flat_map(|&(at, bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }

    #[cfg(test)]
    pub fn contains(&self, number: u32) -> bool {
        let at = self
            .words
            .binary_search_by_key(&(number / 64), |word| word.0);
        at.is_ok_and(|index| self.words[index].1 >> (number % 64) & 1 == 1)
    }

    /// What is in either.
    pub fn union(&self, other: &SparseSet) -> SparseSet {
        let (mut mine, mut theirs) = (self.words.as_slice(), other.words.as_slice());
        let mut words = Vec::with_capacity(mine.len().max(theirs.len()));
        while let ([a, left @ ..], [b, right @ ..]) = (mine, theirs) {
            if a.0 == b.0 {
                words.push((a.0, a.1 | b.1));
                (mine, theirs) = (left, right);
            } else if a.0 < b.0 {
                words.push(*a);
                mine = left;
            } else {
                words.push(*b);
                theirs = right;
            }
        }
        words.extend_from_slice(mine);
        words.extend_from_slice(theirs);
        SparseSet { words }
    }

    /// What is in this set and not in `other`.
    pub fn minus(&self, other: &SparseSet) -> SparseSet {
        let mut words = Vec::new();
        let mut theirs = other.words.as_slice();
        for &(at, bits) in &self.words {
            // The other may be much larger.
            let skipped = if theirs.len() > 16 {
                theirs.partition_point(|word| word.0 < at)
            } else {
                theirs.iter().take_while(|word| word.0 < at).count()
            };
            theirs = &theirs[skipped..];
            let left = match theirs.first() {
                Some(&(place, known)) if place == at => bits & !known,
                _ => bits,
            };
            if left != 0 {
                words.push((at, left));
            }
        }
        SparseSet { words }
    }
}

/// A set that numbers are put into in any order.
#[derive(Default)]
pub(super) struct Gathering {
    words: Vec<u64>,
    /// Those of the words that are not zero.
    used: Vec<u32>,
}

impl Gathering {
    pub fn add(&mut self, number: u32) {
        let at = number / 64;
        if self.words.len() <= at as usize {
            self.words.resize(at as usize + 1, 0);
        }
        let word = &mut self.words[at as usize];
        if *word == 0 {
            self.used.push(at);
        }
        *word |= 1 << (number % 64);
    }

    /// What has been put in. Nothing is left.
    pub fn take(&mut self) -> SparseSet {
        self.used.sort_unstable();
        let used = self.used.drain(..);
        let words = used.map(|at| (at, std::mem::take(&mut self.words[at as usize])));
        SparseSet {
            words: words.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> SparseSet {
        SparseSet::of(numbers.to_vec())
    }

    #[test]
    fn unions_are_those_of_plain_sets() {
        // All pairs of subsets of numbers that share words and do not.
        let numbers = [0, 3, 63, 64, 200, 1000, 1001];
        let subsets: Vec<Vec<u32>> = (0..1u32 << numbers.len())
            .map(|mask| {
                let chosen = numbers.iter().enumerate();
                chosen
                    .filter(|(i, _)| mask >> i & 1 == 1)
                    .map(|(_, &n)| n)
                    .collect()
            })
            .collect();
        for a in &subsets {
            for b in &subsets {
                let union = set(a).union(&set(b));
                let expected: Vec<u32> = numbers
                    .iter()
                    .copied()
                    .filter(|n| a.contains(n) || b.contains(n))
                    .collect();
                let new: Vec<u32> = b.iter().copied().filter(|n| !a.contains(n)).collect();
                assert_eq!(union.iter().collect::<Vec<_>>(), expected);
                let fresh = set(b).minus(&set(a));
                assert_eq!(fresh.iter().collect::<Vec<_>>(), new);
                assert_eq!(union.len(), expected.len());
                assert_eq!(union, set(&expected));
                assert!(expected.iter().all(|n| union.contains(*n)));
            }
        }
    }
}
