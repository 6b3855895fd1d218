//! Floating-point numbers as text, exactly: the digits that glibc prints.

/// `mantissa * 2^exponent`, or none of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub negative: bool,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Nan,
    Infinite,
    Finite {
        mantissa: u64,
        exponent: i32,
        /// Where the mantissa's leading hexadecimal digit starts: what `%a` shows before the point.
        lead: u32,
    },
}

impl Number {
    pub(super) fn double(bits: u64) -> Number {
        let field = (bits >> 52) as i32 & 0x7ff;
        let fraction = bits & ((1 << 52) - 1);
        let kind = match field {
            0x7ff if fraction != 0 => Kind::Nan,
            0x7ff => Kind::Infinite,
            _ => Kind::Finite {
                mantissa: fraction | u64::from(field != 0) << 52,
                exponent: field.max(1) - 1075,
                lead: 52,
            },
        };
        Number {
            negative: bits >> 63 == 1,
            kind,
        }
    }

    /// The 80 bits of x87.
    pub(super) fn extended(bits: u128) -> Number {
        let field = (bits >> 64) as i32 & 0x7fff;
        let mantissa = bits as u64;
        let kind = match field {
            0x7fff if mantissa << 1 != 0 => Kind::Nan,
            0x7fff => Kind::Infinite,
            _ => Kind::Finite {
                mantissa,
                exponent: field.max(1) - 16446,
                lead: 60,
            },
        };
        Number {
            negative: bits >> 79 & 1 == 1,
            kind,
        }
    }
}

/// `0.d1 d2 d3... * 10^point`, without zeros in front; zero has no digits.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    pub(super) fn exact(mantissa: u64, exponent: i32) -> Decimal {
        let mut number = Big::new(mantissa);
        for _ in 0..exponent.max(0) / 16 {
            number.multiply(1 << 16);
        }
        number.multiply(1 << (exponent.max(0) % 16));
        // m / 2^n = m * 5^n / 10^n
        let scale = (-exponent).max(0);
        for _ in 0..scale / 8 {
            number.multiply(5u64.pow(8));
        }
        number.multiply(5u64.pow(scale as u32 % 8));
        let digits = number.digits();
        let point = digits.len() as i64 - i64::from(scale);
        Decimal { digits, point }
    }

    /// Keeps `keep` digits, rounding half to even.
    fn rounded(&self, keep: i64) -> Decimal {
        let mut result = self.clone();
        if keep >= self.digits.len() as i64 {
            return result;
        }
        let kept = keep.max(0) as usize;
        let up = keep >= 0 && {
            let rest = &self.digits[kept..];
            let tie = rest[0] == 5 && rest[1..].iter().all(|d| *d == 0);
            let odd = kept > 0 && self.digits[kept - 1] % 2 == 1;
            if tie { odd } else { rest[0] >= 5 }
        };
        result.digits.truncate(kept);
        if up {
            let nines = result.digits.iter().rev().take_while(|d| **d == 9).count();
            result.digits.truncate(kept - nines);
            match result.digits.last_mut() {
                Some(digit) => *digit += 1,
                None => {
                    result.digits.push(1);
                    result.point += 1;
                }
            }
        }
        result
    }

    /// The digit at a place, counted from the first one.
    fn digit(&self, place: i64) -> char {
        let digit = usize::try_from(place)
            .ok()
            .and_then(|p| self.digits.get(p))
            .copied()
            .unwrap_or(0);
        char::from(b'0' + digit)
    }

    /// `%f`
    pub(super) fn fixed(&self, precision: usize, point: bool) -> String {
        let d = self.rounded(self.point + precision as i64);
        let mut text: String = (0..d.point.max(1))
            .map(|i| d.digit(i + d.point.min(1) - 1))
            .collect();
        if precision > 0 || point {
            text.push('.');
        }
        text.extend((0..precision as i64).map(|i| d.digit(d.point + i)));
        text
    }

    /// `%e`
    pub(super) fn scientific(&self, precision: usize, point: bool) -> String {
        let d = self.rounded(precision as i64 + 1);
        let mut text = d.digit(0).to_string();
        if precision > 0 || point {
            text.push('.');
        }
        text.extend((1..=precision as i64).map(|i| d.digit(i)));
        let power = d.power();
        let sign = if power < 0 { '-' } else { '+' };
        format!("{text}e{sign}{:02}", power.abs())
    }

    fn power(&self) -> i64 {
        if self.digits.is_empty() {
            0
        } else {
            self.point - 1
        }
    }

    /// `%g`: the shorter of the two, without zeros at the end unless they are asked for.
    pub(super) fn general(&self, precision: usize, zeros: bool) -> String {
        let precision = precision.max(1) as i64;
        let power = self.rounded(precision).power();
        let minimise_context_switches = |text: &str| {
            if zeros || !text.contains('.') {
                text.to_string()
            } else {
                text.trim_end_matches('0').trim_end_matches('.').to_string()
            }
        };
        if power < -4 || power >= precision {
            let text = self.scientific(precision as usize - 1, zeros);
            let (mantissa, power) = text.split_once('e').expect("an exponent");
            format!("{}e{power}", minimise_context_switches(mantissa))
        } else {
            minimise_context_switches(&self.fixed((precision - 1 - power) as usize, zeros))
        }
    }
}

/// `%a`, without sign and `0x`.
pub(super) fn hexadecimal(
    mantissa: u64,
    exponent: i32,
    lead: u32,
    precision: Option<usize>,
    point: bool,
) -> String {
    let all = lead as usize / 4;
    let kept = precision.map_or(all, |p| p.min(all));
    let dropped = 4 * (all - kept) as u32;
    let mut wide = u128::from(mantissa);
    if dropped > 0 {
        let rest = wide & ((1 << dropped) - 1);
        let half = 1 << (dropped - 1);
        wide >>= dropped;
        let up = rest > half || rest == half && wide & 1 == 1;
        wide += u128::from(up);
    }
    let mut first = wide >> (4 * kept);
    let mut power = if mantissa == 0 {
        0
    } else {
        exponent + lead as i32
    };
    // A long double that is carried into one digit more.
    if first == 16 {
        first = 1;
        power += 4;
    }
    let fraction = wide & ((1 << (4 * kept)) - 1);
    let mut digits = if kept > 0 {
        format!("{fraction:0kept$x}")
    } else {
        String::new()
    };
    match precision {
        Some(precision) => digits.push_str(&"0".repeat(precision - kept)),
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let dot = if digits.is_empty() && !point { "" } else { "." };
    format!("{first:x}{dot}{digits}p{power:+}")
}

/// A natural number in base 10^9, the lowest limb first.
struct Big(Vec<u64>);

const LIMB: u64 = 1_000_000_000;

impl Big {
    fn new(mut number: u64) -> Big {
        let mut limbs = Vec::new();
        while number > 0 {
            limbs.push(number % LIMB);
            number /= LIMB;
        }
        Big(limbs)
    }

    /// By a factor below 2^32.
    fn multiply(&mut self, factor: u64) {
        let mut carry = 0;
        for limb in &mut self.0 {
            let product = *limb * factor + carry;
            *limb = product % LIMB;
            carry = product / LIMB;
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    fn digits(&self) -> Vec<u8> {
        let text: String = self.0.iter().rev().map(|l| format!("{l:09}")).collect();
        text.bytes()
            .map(|b| b - b'0')
            .skip_while(|d| *d == 0)
            .collect()
    }
}
