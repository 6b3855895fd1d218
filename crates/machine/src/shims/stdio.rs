//! Output: formatted for real, shown in the trace of a replay, otherwise forgotten.

use super::{Shim, ShimCall};
use crate::code::Operand;
use crate::fault::{Cutoff, Exec};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::record::EventKind;
use crate::thread::Guard;
use crate::value::{Value, mask, sign_extend};

pub fn find(name: &str) -> Option<Shim> {
    Some(match name {
        "printf" => |m, c| print(m, c, 0, Args::Listed(1)),
        "__printf_chk" => |m, c| print(m, c, 1, Args::Listed(2)),
        "fprintf" | "dprintf" => |m, c| print(m, c, 1, Args::Listed(2)),
        "__fprintf_chk" => |m, c| print(m, c, 2, Args::Listed(3)),
        "vprintf" => |m, c| print(m, c, 0, Args::InMemory(1)),
        "vfprintf" | "vdprintf" => |m, c| print(m, c, 1, Args::InMemory(2)),
        "__vprintf_chk" => |m, c| print(m, c, 1, Args::InMemory(2)),
        "__vfprintf_chk" => |m, c| print(m, c, 2, Args::InMemory(3)),
        "sprintf" => |m, c| write(m, c, None, 1, Args::Listed(2)),
        "__sprintf_chk" => |m, c| write(m, c, None, 3, Args::Listed(4)),
        "vsprintf" => |m, c| write(m, c, None, 1, Args::InMemory(2)),
        "__vsprintf_chk" => |m, c| write(m, c, None, 3, Args::InMemory(4)),
        "snprintf" => |m, c| write(m, c, Some(1), 2, Args::Listed(3)),
        "__snprintf_chk" => |m, c| write(m, c, Some(1), 4, Args::Listed(5)),
        "vsnprintf" => |m, c| write(m, c, Some(1), 2, Args::InMemory(3)),
        "__vsnprintf_chk" => |m, c| write(m, c, Some(1), 4, Args::InMemory(5)),
        "puts" => |m, c| {
            let text = m.arg_text(c, 0)?;
            output(m, c, format!("{text}\n"))
        },
        "fputs" | "fputs_unlocked" => |m, c| {
            let text = m.arg_text(c, 0)?;
            output(m, c, text)
        },
        "putchar" | "fputc" | "putc" | "putchar_unlocked" | "_IO_putc" => |m, c| {
            let value = m.arg(c, 0);
            let text = match value.known(&m.terms) {
                Some(byte) => char::from(byte as u8).to_string(),
                None => "?".to_string(),
            };
            m.event(|| EventKind::Output(text));
            m.result(c, value);
            Ok(())
        },
        "fwrite" => |m, c| {
            let (address, size, count) = (
                m.arg_number(c, 0)?,
                m.arg_number(c, 1)?,
                m.arg_number(c, 2)?,
            );
            m.check_access(address, size.saturating_mul(count), AccessKind::Read)?;
            m.see(address, size * count, AccessKind::Read, Guard::Always)?;
            let text: Vec<u8> = (0..size * count)
                .map(|i| m.memory.plain_byte(address + i).unwrap_or(b'?'))
                .collect();
            m.event(|| EventKind::Output(String::from_utf8_lossy(&text).into_owned()));
            m.result_number(c, count)
        },
        _ => return None,
    })
}

/// Where the values to format come from.
#[derive(Clone, Copy)]
enum Args {
    /// From this argument of the call on.
    Listed(usize),
    /// From the `va_list` that this argument is.
    InMemory(usize),
}

fn print(m: &mut Machine, call: &ShimCall, format: usize, args: Args) -> Exec<()> {
    let text = formatted(m, call, format, args)?;
    let length = text.len() as u64;
    m.event(|| EventKind::Output(String::from_utf8_lossy(&text.bytes).into_owned()));
    m.result_number(call, length)
}

fn output(m: &mut Machine, call: &ShimCall, text: String) -> Exec<()> {
    let length = text.len() as u64;
    m.event(|| EventKind::Output(text));
    m.result_number(call, length)
}

/// `sprintf` and `snprintf`: the text goes to memory, so every byte of it must be known.
fn write(
    m: &mut Machine,
    call: &ShimCall,
    limit: Option<usize>,
    format: usize,
    args: Args,
) -> Exec<()> {
    let text = formatted(m, call, format, args)?;
    if text.symbolic {
        return m.cut_off(Cutoff::SymbolicValue(
            "value formatted into memory".to_string(),
        ));
    }
    let to = m.arg_number(call, 0)?;
    let room = match limit {
        Some(index) => m.arg_number(call, index)?,
        None => u64::MAX,
    };
    let length = text.bytes.len() as u64;
    if room > 0 {
        let kept = length.min(room - 1);
        m.check_access(to, kept + 1, AccessKind::Write)?;
        m.see(to, kept + 1, AccessKind::Write, Guard::Always)?;
        let mut bytes = text.bytes[..kept as usize].to_vec();
        bytes.push(0);
        m.memory.write_bytes(&mut m.trail, to, &bytes);
    }
    m.result_number(call, length)
}

struct Text {
    bytes: Vec<u8>,
    /// Some value in it is not known.
    symbolic: bool,
}

impl Text {
    fn len(&self) -> usize {
        self.bytes.len()
    }
}

impl Machine {
    /// A text argument; it must lie in readable memory.
    fn arg_text(&mut self, call: &ShimCall, index: usize) -> Exec<String> {
        let address = self.arg_number(call, index)?;
        self.check_access(address, 1, AccessKind::Read)?;
        Ok(self.text_at(address))
    }
}

fn formatted(m: &mut Machine, call: &ShimCall, format: usize, args: Args) -> Exec<Text> {
    let address = m.arg_number(call, format)?;
    m.check_access(address, 1, AccessKind::Read)?;
    let format = m.bytes_at(address);
    let mut source = match args {
        Args::Listed(first) => Source::Listed {
            args: call.args.get(first..).unwrap_or(&[]),
            base: call.base,
        },
        Args::InMemory(index) => Source::InMemory {
            at: va_area(m, call, index)?,
        },
    };
    let mut text = Text {
        bytes: Vec::new(),
        symbolic: false,
    };
    let mut rest = &format[..];
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            text.bytes.push(byte);
            continue;
        }
        let spec = Spec::parse(&mut rest, || source.integer(m, 32));
        conversion(m, &spec, &mut source, &mut text)?;
    }
    Ok(text)
}

/// Where a `va_list` has its next argument in memory.
fn va_area(m: &mut Machine, call: &ShimCall, index: usize) -> Exec<u64> {
    let list = m.arg_number(call, index)?;
    if m.pointer_bits() == 32 {
        return Ok(list);
    }
    m.check_access(list, 24, AccessKind::Read)?;
    Ok(m.pointer_at(list + 8))
}

enum Source<'a> {
    Listed { args: &'a [Operand], base: usize },
    InMemory { at: u64 },
}

impl Source<'_> {
    /// The next argument, of so many bits; `None`: there is none.
    fn next(&mut self, m: &mut Machine, bits: u32) -> Option<Value> {
        match self {
            Source::Listed { args, base } => {
                let (first, rest) = args.split_first()?;
                *args = rest;
                Some(m.registers[*base + first.slot as usize])
            }
            Source::InMemory { at } => {
                let word = m.pointer_bytes() as u64;
                let bytes = u64::from(bits.div_ceil(8));
                if bytes > 8 {
                    *at = at.next_multiple_of(16.min(2 * word));
                }
                m.memory.check(*at, bytes, AccessKind::Read).ok()?;
                m.initialise_range(*at, bytes);
                let value = m.memory.read(&mut m.terms, *at, bits);
                *at += bytes.next_multiple_of(word);
                Some(value)
            }
        }
    }

    fn integer(&mut self, m: &mut Machine, bits: u32) -> Option<i64> {
        let value = self.next(m, bits)?;
        let known = value.known(&m.terms)?;
        Some(sign_extend(known as u64 & mask(bits), bits))
    }
}

#[derive(Default)]
struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    /// Number of `h` (negative) or `l` (positive) letters; `j`, `z`, `t` as noted.
    length: Vec<u8>,
    conversion: u8,
}

impl Spec {
    fn parse(rest: &mut &[u8], mut star: impl FnMut() -> Option<i64>) -> Spec {
        let mut spec = Spec::default();
        let next = |rest: &mut &[u8]| {
            let (&byte, tail) = rest.split_first()?;
            *rest = tail;
            Some(byte)
        };
        let mut byte = next(rest);
        while let Some(flag @ (b'-' | b'+' | b' ' | b'0' | b'#')) = byte {
            match flag {
                b'-' => spec.minus = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                _ => spec.alternate = true,
            }
            byte = next(rest);
        }
        if byte == Some(b'*') {
            let width = star().unwrap_or(0);
            spec.minus |= width < 0;
            spec.width = width.unsigned_abs().min(4096) as usize;
            byte = next(rest);
        }
        while let Some(digit @ b'0'..=b'9') = byte {
            spec.width = (spec.width * 10 + usize::from(digit - b'0')).min(4096);
            byte = next(rest);
        }
        if byte == Some(b'.') {
            byte = next(rest);
            let mut precision = 0;
            if byte == Some(b'*') {
                precision = star().unwrap_or(0).clamp(0, 4096) as usize;
                byte = next(rest);
            }
            while let Some(digit @ b'0'..=b'9') = byte {
                precision = (precision * 10 + usize::from(digit - b'0')).min(4096);
                byte = next(rest);
            }
            spec.precision = Some(precision);
        }
        while let Some(letter @ (b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q')) = byte {
            spec.length.push(letter);
            byte = next(rest);
        }
        spec.conversion = byte.unwrap_or(b'%');
        spec
    }

    /// Bits of an integer argument.
    fn bits(&self, pointer_bits: u32) -> u32 {
        match self.length.as_slice() {
            b"hh" => 8,
            b"h" => 16,
            b"l" | b"z" | b"t" => pointer_bits,
            b"ll" | b"j" | b"q" | b"L" => 64,
            _ => 32,
        }
    }

    /// Pads `digits` (with `prefix` before zeros) to the width.
    fn pad(&self, prefix: &str, digits: &str, zeros: bool) -> String {
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

fn conversion(m: &mut Machine, spec: &Spec, source: &mut Source, text: &mut Text) -> Exec<()> {
    let piece = match spec.conversion {
        b'%' => "%".to_string(),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
            let bits = spec.bits(m.pointer_bits());
            let Some(value) = source.next(m, bits.max(32)) else {
                return Ok(());
            };
            match value.known(&m.terms) {
                Some(number) => integer(spec, number as u64 & mask(bits), bits),
                None => unknown(text),
            }
        }
        b'c' => {
            let Some(value) = source.next(m, 32) else {
                return Ok(());
            };
            match value.known(&m.terms) {
                Some(byte) => {
                    let fill = " ".repeat(spec.width.saturating_sub(1));
                    let (before, after) = if spec.minus {
                        ("", &fill[..])
                    } else {
                        (&fill[..], "")
                    };
                    text.bytes.extend_from_slice(before.as_bytes());
                    text.bytes.push(byte as u8);
                    text.bytes.extend_from_slice(after.as_bytes());
                    return Ok(());
                }
                None => unknown(text),
            }
        }
        b's' => {
            let pointer_bits = m.pointer_bits();
            let Some(value) = source.next(m, pointer_bits) else {
                return Ok(());
            };
            let address = m.number(value)?;
            let mut bytes = if address == 0 {
                b"(null)".to_vec()
            } else {
                if spec.precision != Some(0) {
                    m.check_access(address, 1, AccessKind::Read)?;
                }
                let bytes = m.bytes_at(address);
                let end = address + bytes.len() as u64;
                let terminated = m.memory.check(end, 1, AccessKind::Read).is_ok();
                text.symbolic |= terminated && m.memory.plain_byte(end).is_none();
                bytes
            };
            bytes.truncate(spec.precision.unwrap_or(usize::MAX));
            let fill = vec![b' '; spec.width.saturating_sub(bytes.len())];
            if spec.minus {
                text.bytes.extend(bytes);
                text.bytes.extend(fill);
            } else {
                text.bytes.extend(fill);
                text.bytes.extend(bytes);
            }
            return Ok(());
        }
        b'p' => {
            let pointer_bits = m.pointer_bits();
            let Some(value) = source.next(m, pointer_bits) else {
                return Ok(());
            };
            match value.known(&m.terms) {
                Some(0) => spec.pad("", "(nil)", false),
                Some(address) => spec.pad("0x", &format!("{address:x}"), false),
                None => unknown(text),
            }
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let wide = spec.length == b"L";
            let bits = if wide { 80 } else { 64 };
            let Some(value) = source.next(m, bits) else {
                return Ok(());
            };
            match value.known(&m.terms) {
                Some(bits) if !wide => float(spec, f64::from_bits(bits as u64)),
                Some(_) | None => unknown(text),
            }
        }
        b'n' => return m.cut_off(Cutoff::UnmodelledFunction("printf with %n".to_string())),
        b'm' => "error".to_string(),
        other => format!("%{}", char::from(other)),
    };
    text.bytes.extend_from_slice(piece.as_bytes());
    Ok(())
}

fn unknown(text: &mut Text) -> String {
    text.symbolic = true;
    "?".to_string()
}

fn integer(spec: &Spec, number: u64, bits: u32) -> String {
    let signed = matches!(spec.conversion, b'd' | b'i');
    let value = sign_extend(number, bits);
    let mut digits = match spec.conversion {
        b'd' | b'i' => value.unsigned_abs().to_string(),
        b'u' => number.to_string(),
        b'x' => format!("{number:x}"),
        b'X' => format!("{number:X}"),
        _ => format!("{number:o}"),
    };
    if let Some(precision) = spec.precision {
        if precision == 0 && number == 0 {
            digits.clear();
        }
        digits = format!(
            "{}{digits}",
            "0".repeat(precision.saturating_sub(digits.len()))
        );
    }
    let prefix = match spec.conversion {
        _ if signed && value < 0 => "-",
        _ if signed && spec.plus => "+",
        _ if signed && spec.space => " ",
        b'x' if spec.alternate && number != 0 => "0x",
        b'X' if spec.alternate && number != 0 => "0X",
        b'o' if spec.alternate && !digits.starts_with('0') => "0",
        _ => "",
    };
    spec.pad(prefix, &digits, spec.zero && spec.precision.is_none())
}

fn float(spec: &Spec, x: f64) -> String {
    let precision = spec.precision.unwrap_or(6);
    let magnitude = x.abs();
    let upper = spec.conversion.is_ascii_uppercase();
    let digits = if !x.is_finite() {
        if x.is_nan() {
            "nan".to_string()
        } else {
            "inf".to_string()
        }
    } else {
        match spec.conversion.to_ascii_lowercase() {
            b'f' => format!("{magnitude:.precision$}"),
            b'e' => exponent(magnitude, precision),
            b'g' => general(magnitude, precision.max(1), spec.alternate),
            _ => format!("{magnitude:e}"),
        }
    };
    let digits = if upper { digits.to_uppercase() } else { digits };
    let prefix = if x.is_sign_negative() && !x.is_nan() {
        "-"
    } else if spec.plus {
        "+"
    } else if spec.space {
        " "
    } else {
        ""
    };
    spec.pad(prefix, &digits, spec.zero && x.is_finite())
}

/// C's `%e`: at least two digits of exponent, always signed.
fn exponent(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let (mantissa, power) = text.split_once('e').expect("an exponent");
    let power: i32 = power.parse().expect("a number");
    let sign = if power < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", power.abs())
}

/// C's `%g`: the shorter of `%e` and `%f`, without trailing zeros.
fn general(x: f64, precision: usize, keep_zeros: bool) -> String {
    let scientific = exponent(x, precision - 1);
    let (mantissa, power) = scientific.split_once('e').expect("an exponent");
    let power: i32 = power.parse().expect("a number");
    let trim = |text: &str| {
        if keep_zeros || !text.contains('.') {
            text.to_string()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    };
    if x != 0.0 && (power < -4 || power >= precision as i32) {
        let sign = if power < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa), power.abs())
    } else {
        let decimals = (precision as i32 - 1 - power).max(0) as usize;
        trim(&format!("{x:.decimals$}"))
    }
}
