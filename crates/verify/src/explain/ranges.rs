//! Sets of values of a bit-vector, as ranges.

/// Numbers of `width` bits, as ranges from a first to a last one, in order, apart from each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ranges {
    width: u32,
    ranges: Vec<(u128, u128)>,
}

pub fn greatest(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

impl Ranges {
    pub fn new(width: u32, ranges: impl IntoIterator<Item = (u128, u128)>) -> Ranges {
        let mut sorted: Vec<(u128, u128)> = ranges.into_iter().collect();
        sorted.sort_unstable();
        let mut merged: Vec<(u128, u128)> = Vec::new();
        for (first, last) in sorted {
            match merged.last_mut() {
                Some((_, before)) if before.checked_add(1).is_none_or(|next| first <= next) => {
                    *before = last.max(*before);
                }
                _ => merged.push((first, last)),
            }
        }
        Ranges {
            width,
            ranges: merged,
        }
    }

    pub fn point(width: u32, value: u128) -> Ranges {
        Ranges::new(width, [(value, value)])
    }

    /// From a first to a last number, in signed order.
    pub fn signed(width: u32, first: u128, last: u128) -> Ranges {
        let flip = sign_bit(width);
        if first ^ flip > last ^ flip {
            return Ranges::new(width, []);
        }
        if first <= last {
            return Ranges::new(width, [(first, last)]);
        }
        Ranges::new(width, [(first, greatest(width)), (0, last)])
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn is_everything(&self) -> bool {
        self.ranges == [(0, greatest(self.width))]
    }

    /// If there is only one number in it.
    pub fn only(&self) -> Option<u128> {
        match self.ranges[..] {
            [(first, last)] if first == last => Some(first),
            _ => None,
        }
    }

    pub fn complement(&self) -> Ranges {
        let mut ranges = Vec::new();
        let mut next = Some(0);
        for &(first, last) in &self.ranges {
            if let Some(from) = next.filter(|from| *from < first) {
                ranges.push((from, first - 1));
            }
            next = last.checked_add(1).filter(|n| *n <= greatest(self.width));
        }
        ranges.extend(next.map(|from| (from, greatest(self.width))));
        Ranges {
            width: self.width,
            ranges,
        }
    }

    pub fn union(&self, other: &Ranges) -> Ranges {
        let all = self.ranges.iter().chain(&other.ranges);
        Ranges::new(self.width, all.copied())
    }

    pub fn intersection(&self, other: &Ranges) -> Ranges {
        let outside = self.complement().union(&other.complement());
        outside.complement()
    }

    pub fn is_within(&self, other: &Ranges) -> bool {
        self.intersection(other) == *self
    }

    /// What `x` can be if `x + number` is in this set.
    pub fn minus(&self, number: u128) -> Ranges {
        let all = greatest(self.width);
        let back = |n: u128| n.wrapping_sub(number) & all;
        let ranges = self.ranges.iter().flat_map(|&(first, last)| {
            let (first, last) = (back(first), back(last));
            match first <= last {
                true => vec![(first, last)],
                false => vec![(first, all), (0, last)],
            }
        });
        Ranges::new(self.width, ranges)
    }

    /// What a narrower number can be whose extension by zeros is in this set.
    pub fn before_zero_extension(&self, width: u32) -> Ranges {
        let fits = Ranges::new(self.width, [(0, greatest(width))]);
        let ranges = self.intersection(&fits).ranges;
        Ranges { width, ranges }
    }

    /// What a narrower number can be whose extension by its sign is in this set.
    pub fn before_sign_extension(&self, width: u32) -> Ranges {
        let (all, half) = (greatest(self.width), sign_bit(width));
        let fits = Ranges::new(self.width, [(0, half - 1), (all - (half - 1), all)]);
        let ranges = self.intersection(&fits).ranges;
        let cut = |n: u128| n & greatest(width);
        Ranges::new(width, ranges.iter().map(|&(a, b)| (cut(a), cut(b))))
    }

    /// As numbers without a sign.
    pub fn unsigned_ranges(&self) -> Vec<(i128, i128)> {
        let signed = |n: u128| i128::try_from(n).unwrap_or(i128::MAX);
        let ranges = self.ranges.iter();
        ranges.map(|&(a, b)| (signed(a), signed(b))).collect()
    }

    /// As numbers with a sign, in their order.
    pub fn signed_ranges(&self) -> Vec<(i128, i128)> {
        let half = sign_bit(self.width);
        let mut ranges: Vec<(i128, i128)> = Vec::new();
        for &(first, last) in &self.ranges {
            if first < half && last >= half {
                ranges.push((signed(first, self.width), signed(half - 1, self.width)));
                ranges.push((signed(half, self.width), signed(last, self.width)));
            } else {
                ranges.push((signed(first, self.width), signed(last, self.width)));
            }
        }
        ranges.sort_unstable();
        let mut merged: Vec<(i128, i128)> = Vec::new();
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, before)) if *before + 1 == first => *before = last,
                _ => merged.push((first, last)),
            }
        }
        merged
    }
}

/// The number that these bits are, with a sign.
pub fn signed(bits: u128, width: u32) -> i128 {
    let shift = 128 - width;
    (bits << shift) as i128 >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sets of at most two ranges of three bits.
    fn sets() -> Vec<Ranges> {
        let mut sets = vec![Ranges::new(3, [])];
        for a in 0..8 {
            for b in a..8 {
                sets.push(Ranges::new(3, [(a, b)]));
                sets.extend((0..8).map(|c| Ranges::new(3, [(a, b), (c, 7)])));
            }
        }
        sets
    }

    fn has(set: &Ranges, number: u128) -> bool {
        set.ranges.iter().any(|&(a, b)| a <= number && number <= b)
    }

    #[test]
    fn sets_are_what_they_say() {
        for a in sets() {
            for n in 0..8 {
                assert_eq!(has(&a.complement(), n), !has(&a, n));
                assert_eq!(has(&a.minus(3), n), has(&a, (n + 3) % 8), "{a:?} {n}");
                let signed = signed(n, 3);
                let inside = |ranges: Vec<(i128, i128)>, n: i128| {
                    ranges.iter().any(|&(a, b)| a <= n && n <= b)
                };
                assert_eq!(inside(a.signed_ranges(), signed), has(&a, n));
                assert_eq!(inside(a.unsigned_ranges(), n as i128), has(&a, n));
            }
            for n in 0..4 {
                assert_eq!(has(&a.before_zero_extension(2), n), has(&a, n));
                let extended = if n < 2 { n } else { n + 4 };
                assert_eq!(has(&a.before_sign_extension(2), n), has(&a, extended));
            }
            for b in sets() {
                let (both, any) = (a.intersection(&b), a.union(&b));
                for n in 0..8 {
                    assert_eq!(has(&both, n), has(&a, n) && has(&b, n));
                    assert_eq!(has(&any, n), has(&a, n) || has(&b, n));
                }
                assert_eq!(a.is_within(&b), (0..8).all(|n| !has(&a, n) || has(&b, n)));
            }
        }
    }

    #[test]
    fn ranges_with_a_sign() {
        let negative = Ranges::signed(8, 0x80, 0xff);
        assert_eq!(negative.signed_ranges(), [(-128, -1)]);
        let around = Ranges::signed(8, 0xfe, 2);
        assert_eq!(around.signed_ranges(), [(-2, 2)]);
        assert!(Ranges::signed(8, 2, 0xfe).is_empty());
        assert!(Ranges::signed(8, 0x80, 0x7f).is_everything());
        assert_eq!(
            Ranges::point(128, u128::MAX)
                .complement()
                .complement()
                .only(),
            Some(u128::MAX)
        );
    }
}
