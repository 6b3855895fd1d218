//! Conversions as a format spells them: flags, width, precision, length, letter.

use super::format::{Source, unmodelled};
use super::steps::Steps;
use crate::fault::Exec;
use crate::machine::Machine;

/// Widths and precisions beyond this one are not modelled.
const MAX_WIDTH: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Spec {
    pub minus: bool,
    pub plus: bool,
    pub space: bool,
    pub zero: bool,
    pub alternate: bool,
    pub width: usize,
    pub precision: Option<usize>,
    pub length: Vec<u8>,
    pub conversion: u8,
}

impl Spec {
    /// Reads a conversion, behind its `%`.
    pub(super) fn parse(
        m: &mut Machine,
        steps: &mut Steps,
        rest: &mut &[u8],
        source: &mut Source,
    ) -> Exec<Spec> {
        let mut spec = Spec::default();
        choose(m, rest, source)?;
        while let Some(&flag) = rest.first() {
            match flag {
                b'-' => spec.minus = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                b'#' => spec.alternate = true,
                // Groups of digits, other digits: the C locale has none.
                b'\'' | b'I' => {}
                _ => break,
            }
            *rest = &rest[1..];
        }
        let width = size(m, steps, rest, source)?;
        spec.minus |= width < 0;
        spec.width = width.unsigned_abs() as usize;
        if let [b'.', tail @ ..] = *rest {
            *rest = tail;
            spec.precision = usize::try_from(size(m, steps, rest, source)?).ok();
        }
        if spec.width.max(spec.precision.unwrap_or(0)) > MAX_WIDTH {
            return unmodelled(m, "a width or precision beyond a million");
        }
        while let Some(&letter @ (b'h' | b'l' | b'j' | b'z' | b'Z' | b't' | b'L' | b'q')) =
            rest.first()
        {
            spec.length.push(letter);
            *rest = &rest[1..];
        }
        let Some((&conversion, tail)) = rest.split_first() else {
            return unmodelled(m, "a conversion that breaks off");
        };
        *rest = tail;
        spec.conversion = conversion;
        Ok(spec)
    }

    /// Bits of an integer argument.
    pub(super) fn bits(&self, pointer_bits: u32) -> u32 {
        match self.length.as_slice() {
            b"hh" => 8,
            b"h" => 16,
            b"l" | b"z" | b"Z" | b"t" => pointer_bits,
            b"ll" | b"j" | b"q" | b"L" => 64,
            _ => 32,
        }
    }

    pub(super) fn base(&self) -> u64 {
        match self.conversion {
            b'x' | b'X' | b'p' => 16,
            b'o' => 8,
            b'b' | b'B' => 2,
            _ => 10,
        }
    }

    /// Pads `digits` (with `prefix` before zeros) to the width.
    pub(super) fn pad(&self, prefix: &str, digits: &str, zeros: bool) -> String {
        let length = prefix.len() + digits.len();
        let fill = self.width.saturating_sub(length);
        if self.minus {
            format!("{prefix}{digits}{}", " ".repeat(fill))
        } else if zeros {
            format!("{prefix}{}{digits}", "0".repeat(fill))
        } else {
            format!("{}{prefix}{digits}", " ".repeat(fill))
        }
    }
}

/// Digits at the start of `rest`, as a number.
fn digits(rest: &mut &[u8]) -> usize {
    let mut number: usize = 0;
    while let Some(&digit @ b'0'..=b'9') = rest.first() {
        number = number
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'));
        *rest = &rest[1..];
    }
    number
}

/// `3$` chooses the third argument.
fn choose(m: &mut Machine, rest: &mut &[u8], source: &mut Source) -> Exec<()> {
    let mut tail = *rest;
    let number = digits(&mut tail);
    if number == 0 || tail.first() != Some(&b'$') {
        return Ok(());
    }
    *rest = &tail[1..];
    match source {
        Source::Listed { next, .. } => {
            *next = number - 1;
            Ok(())
        }
        Source::InMemory { .. } => unmodelled(m, "numbered arguments from a va_list"),
    }
}

/// A width or a precision: digits, `*` or nothing.
fn size(m: &mut Machine, steps: &mut Steps, rest: &mut &[u8], source: &mut Source) -> Exec<i64> {
    let [b'*', tail @ ..] = *rest else {
        return Ok(digits(rest).min(2 * MAX_WIDTH) as i64);
    };
    *rest = tail;
    let Source::Listed { next, .. } = *source else {
        choose(m, rest, source)?;
        return source.size(m, steps);
    };
    // A numbered width comes from elsewhere; the value itself stays the next.
    let before = rest.len();
    choose(m, rest, source)?;
    let size = source.size(m, steps)?;
    if rest.len() != before
        && let Source::Listed { next: now, .. } = source
    {
        *now = next;
    }
    Ok(size)
}
