//! What `printf` makes of its format and its arguments: the text that glibc makes in the C locale.
//! (But for `%#g` of a number that is rounded up to a power of ten, where glibc forgets the zeros.)
//!
//! An integer that depends on an input has a text that is not known, but its length is known as a
//! term. What is not modelled (text outside ASCII, `%m` after an error, arguments that are missing)
//! cuts the execution off.

use smt::{BinOp, TermId};

use super::ShimCall;
use super::decimal::Number;
use super::numbers::{float, integer, integer_length, pointer_length};
use super::spec::Spec;
use super::steps::{Byte, Steps, value_of};
use crate::code::Operand;
use crate::fault::{Cutoff, Exec};
use crate::machine::Machine;
use crate::memory::{AccessKind, MemoryFault};
use crate::value::{Value, mask, sign_extend};

/// Where the values to format come from.
#[derive(Clone, Copy)]
pub(super) enum Args {
    /// From this argument of the call on.
    Listed(usize),
    /// From the `va_list` that this argument is.
    InMemory(usize),
}

#[derive(Default)]
pub(super) struct Text {
    pub bytes: Vec<Byte>,
    /// A part that is not known stands as one `?`; the 32 bits by which all these parts together
    /// are longer than that.
    pub longer: Option<TermId>,
    /// What `%n` stores, and where.
    pub stores: Vec<(u64, Vec<Byte>)>,
}

impl Text {
    pub(super) fn length(&self, m: &mut Machine) -> Value {
        let length = self.bytes.len() as u64;
        match self.longer {
            None => Value::concrete(length),
            Some(longer) => {
                let known = m.terms.constant(32, u128::from(length));
                let sum = m.terms.bin(BinOp::Add, known, longer);
                m.value(sum)
            }
        }
    }

    pub(super) fn shown(&self) -> String {
        shown(&self.bytes)
    }

    fn push(&mut self, text: &str) {
        self.bytes.extend(text.bytes().map(Byte::Plain));
    }

    fn push_padded(&mut self, spec: &Spec, bytes: Vec<Byte>) {
        let fill = vec![Byte::Plain(b' '); spec.width.saturating_sub(bytes.len())];
        if spec.minus {
            self.bytes.extend(bytes);
            self.bytes.extend(fill);
        } else {
            self.bytes.extend(fill);
            self.bytes.extend(bytes);
        }
    }

    fn push_unknown(&mut self, m: &mut Machine, length: TermId) {
        self.bytes.push(Byte::Plain(b'?'));
        let less = m.terms.constant(32, u128::from(u32::MAX));
        let beyond = m.terms.bin(BinOp::Add, length, less);
        self.longer = Some(match self.longer {
            None => beyond,
            Some(longer) => m.terms.bin(BinOp::Add, longer, beyond),
        });
    }
}

pub(super) fn shown(bytes: &[Byte]) -> String {
    let bytes: Vec<u8> = bytes.iter().map(|b| b.shown()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn formatted(
    m: &mut Machine,
    steps: &mut Steps,
    call: &ShimCall,
    format: usize,
    args: Args,
) -> Exec<Text> {
    let address = m.arg_number(call, format)?;
    let format = steps.string(m, address, None)?;
    if format.iter().any(|b| matches!(b, Byte::Term(_))) {
        return m.cut_off(Cutoff::SymbolicValue("format".to_string()));
    }
    let format: Vec<u8> = format.iter().map(|b| b.shown()).collect();
    let mut source = match args {
        Args::Listed(first) => Source::Listed {
            all: call.args.get(first..).unwrap_or(&[]),
            next: 0,
            base: call.base,
        },
        Args::InMemory(index) => Source::InMemory {
            at: va_area(m, steps, call, index)?,
        },
    };
    let mut text = Text::default();
    let mut rest = &format[..];
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            text.bytes.push(Byte::Plain(byte));
            continue;
        }
        let spec = Spec::parse(m, steps, &mut rest, &mut source)?;
        conversion(m, steps, &spec, &mut source, &mut text)?;
    }
    Ok(text)
}

/// Where a `va_list` has its next argument in memory.
fn va_area(m: &mut Machine, steps: &mut Steps, call: &ShimCall, index: usize) -> Exec<u64> {
    let list = m.arg_number(call, index)?;
    if m.pointer_bits() == 32 {
        return Ok(list);
    }
    let bytes = steps.bytes(m, list, 24)?;
    let area = value_of(m, &bytes[8..16], 64);
    m.number(area)
}

pub(super) enum Source<'a> {
    Listed {
        all: &'a [Operand],
        next: usize,
        base: usize,
    },
    InMemory {
        at: u64,
    },
}

impl Source<'_> {
    /// The next argument, `bits` wide.
    fn next(&mut self, m: &mut Machine, steps: &mut Steps, bits: u32) -> Exec<Value> {
        match self {
            Source::Listed { all, next, base } => {
                let Some(operand) = all.get(*next) else {
                    return unmodelled(m, "fewer arguments than its format has conversions");
                };
                *next += 1;
                let value = m.running.registers[*base + operand.slot as usize];
                if let Some(number) = value.known(&m.terms) {
                    return Ok(Value::of_bits(&mut m.terms, bits, number));
                }
                let term = if m.terms.width(value.term) > bits {
                    m.terms.extract(value.term, 0, bits)
                } else {
                    m.terms.zext(value.term, bits)
                };
                Ok(m.value(term))
            }
            Source::InMemory { at } => {
                let word = m.pointer_bytes() as u64;
                let bytes = u64::from(bits.div_ceil(8));
                if bytes > 8 && word == 8 {
                    *at = at.next_multiple_of(16);
                }
                let missing = matches!(
                    m.state.memory.check(*at, bytes, AccessKind::Read),
                    Err(MemoryFault::OutOfBounds(_) | MemoryFault::Null)
                );
                if missing && steps.is_fresh() {
                    return unmodelled(m, "fewer arguments than its format has conversions");
                }
                let data = steps.bytes(m, *at, bytes)?;
                *at += bytes.next_multiple_of(word);
                Ok(value_of(m, &data, bits))
            }
        }
    }

    /// An argument that is a width or a precision.
    pub(super) fn size(&mut self, m: &mut Machine, steps: &mut Steps) -> Exec<i64> {
        let value = self.next(m, steps, 32)?;
        let number = m.number(value)?;
        Ok(sign_extend(number & mask(32), 32))
    }
}

pub(super) fn unmodelled<T>(m: &mut Machine, what: &str) -> Exec<T> {
    m.cut_off(Cutoff::UnmodelledFunction(format!("printf with {what}")))
}

fn conversion(
    m: &mut Machine,
    steps: &mut Steps,
    spec: &Spec,
    source: &mut Source,
    text: &mut Text,
) -> Exec<()> {
    let pointer_bits = m.pointer_bits();
    match spec.conversion {
        b'%' => text.push("%"),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'b' | b'B' => {
            let bits = spec.bits(pointer_bits);
            let value = source.next(m, steps, bits.max(32))?;
            match value.known(&m.terms) {
                Some(number) => text.push(&integer(spec, number as u64 & mask(bits), bits)),
                None => {
                    let term = m.terms.extract(value.term, 0, bits);
                    let length = integer_length(m, spec, term, bits);
                    text.push_unknown(m, length);
                }
            }
        }
        b'p' => {
            let value = source.next(m, steps, pointer_bits)?;
            match value.known(&m.terms) {
                Some(0) => text.push(&spec.pad("", "(nil)", false)),
                Some(address) => text.push(&integer(spec, address as u64, pointer_bits)),
                None => {
                    let length = pointer_length(m, spec, value.term, pointer_bits);
                    text.push_unknown(m, length);
                }
            }
        }
        b'c' | b'C' => {
            let byte = character(m, steps, spec, source)?;
            text.push_padded(spec, vec![byte]);
        }
        b's' | b'S' => {
            let bytes = string(m, steps, spec, source)?;
            text.push_padded(spec, bytes);
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let wide = spec.length == b"L" || spec.length == b"ll" || spec.length == b"q";
            let value = source.next(m, steps, if wide { 80 } else { 64 })?;
            let Some(bits) = value.known(&m.terms) else {
                return m.cut_off(Cutoff::SymbolicFloat);
            };
            let number = if wide {
                Number::extended(bits)
            } else {
                Number::double(bits as u64)
            };
            text.push(&float(spec, number));
        }
        b'n' => store_length(m, steps, spec, source, text)?,
        b'm' => {
            let errno = m.thread_state(m.now.current).errno;
            if errno != 0 {
                let bytes = steps.bytes(m, errno, 4)?;
                if bytes != [Byte::Plain(0); 4] {
                    return unmodelled(m, "%m after an error");
                }
            }
            text.push_padded(spec, "Success".bytes().map(Byte::Plain).collect());
        }
        other => return unmodelled(m, &format!("%{}", char::from(other))),
    }
    Ok(())
}

fn is_wide(spec: &Spec) -> bool {
    spec.length == b"l" || spec.conversion.is_ascii_uppercase()
}

/// `%c` and `%C`.
fn character(m: &mut Machine, steps: &mut Steps, spec: &Spec, source: &mut Source) -> Exec<Byte> {
    let value = source.next(m, steps, 32)?;
    match value.known(&m.terms) {
        Some(number) if is_wide(spec) && number > 127 => unmodelled(m, "text outside ASCII"),
        Some(number) => Ok(Byte::Plain(number as u8)),
        None if is_wide(spec) => m.cut_off(Cutoff::SymbolicValue("wide character".to_string())),
        None => {
            let low = m.terms.extract(value.term, 0, 8);
            Ok(Byte::of_term(m, low))
        }
    }
}

/// `%s` and `%S`.
fn string(m: &mut Machine, steps: &mut Steps, spec: &Spec, source: &mut Source) -> Exec<Vec<Byte>> {
    let pointer_bits = m.pointer_bits();
    let value = source.next(m, steps, pointer_bits)?;
    let address = m.number(value)?;
    if address == 0 {
        let all = spec.precision.is_none_or(|p| p >= 6);
        let null = if all { "(null)" } else { "" };
        return Ok(null.bytes().map(Byte::Plain).collect());
    }
    if is_wide(spec) {
        return wide_string(m, steps, address, spec.precision);
    }
    steps.string(m, address, spec.precision)
}

/// `%n`.
fn store_length(
    m: &mut Machine,
    steps: &mut Steps,
    spec: &Spec,
    source: &mut Source,
    text: &mut Text,
) -> Exec<()> {
    let pointer_bits = m.pointer_bits();
    let value = source.next(m, steps, pointer_bits)?;
    let address = m.number(value)?;
    let bits = spec.bits(pointer_bits);
    let length = text.length(m);
    let length = m.term(length, 32);
    let length = m.terms.zext(length, 64);
    let bytes = (0..bits / 8)
        .map(|i| {
            let byte = m.terms.extract(length, 8 * i, 8);
            Byte::of_term(m, byte)
        })
        .collect();
    text.stores.push((address, bytes));
    Ok(())
}

/// `%ls`; the precision counts bytes.
fn wide_string(
    m: &mut Machine,
    steps: &mut Steps,
    address: u64,
    precision: Option<usize>,
) -> Exec<Vec<Byte>> {
    let mut text = Vec::new();
    while text.len() < precision.unwrap_or(usize::MAX) {
        let at = address.wrapping_add(4 * text.len() as u64);
        let bytes = steps.bytes(m, at, 4)?;
        let value = value_of(m, &bytes, 32);
        match value.known(&m.terms) {
            Some(0) => break,
            Some(letter @ 1..128) => text.push(Byte::Plain(letter as u8)),
            Some(_) => return unmodelled(m, "text outside ASCII"),
            None => return m.cut_off(Cutoff::SymbolicValue("wide character".to_string())),
        }
    }
    Ok(text)
}
