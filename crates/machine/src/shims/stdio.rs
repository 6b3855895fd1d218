//! Output: formatted for real, shown in the trace of a replay, otherwise forgotten.
//!
//! Everything a call reads, the format included, is read as a thread reads: word by word where
//! others write (see `steps`). A text is put together before the first of it is stored, where glibc
//! stores as it goes: only a program that races on the buffer could tell.

use ir::modelled::Output;

use super::format::{Args, formatted, shown};
use super::steps::{Byte, Steps};
use super::{Shim, ShimCall};
use crate::fault::{Cutoff, Exec};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::record::EventKind;
use crate::value::Value;

pub fn shim(function: Output) -> Shim {
    match function {
        Output::Printf => |m, c| print(m, c, 0, Args::Listed(1)),
        Output::PrintfChk => |m, c| print(m, c, 1, Args::Listed(2)),
        Output::Dprintf => |m, c| print(m, c, 1, Args::Listed(2)),
        Output::Fprintf => |m, c| to_stream(m, c, 0, |m, c| print(m, c, 1, Args::Listed(2))),
        Output::FprintfChk => |m, c| to_stream(m, c, 0, |m, c| print(m, c, 2, Args::Listed(3))),
        Output::Vprintf => |m, c| print(m, c, 0, Args::InMemory(1)),
        Output::Vdprintf => |m, c| print(m, c, 1, Args::InMemory(2)),
        Output::Vfprintf => |m, c| to_stream(m, c, 0, |m, c| print(m, c, 1, Args::InMemory(2))),
        Output::VprintfChk => |m, c| print(m, c, 1, Args::InMemory(2)),
        Output::VfprintfChk => |m, c| to_stream(m, c, 0, |m, c| print(m, c, 2, Args::InMemory(3))),
        Output::Sprintf => |m, c| write(m, c, None, 1, Args::Listed(2)),
        Output::SprintfChk => |m, c| write(m, c, None, 3, Args::Listed(4)),
        Output::Vsprintf => |m, c| write(m, c, None, 1, Args::InMemory(2)),
        Output::VsprintfChk => |m, c| write(m, c, None, 3, Args::InMemory(4)),
        Output::Snprintf => |m, c| write(m, c, Some(1), 2, Args::Listed(3)),
        Output::SnprintfChk => |m, c| write(m, c, Some(1), 4, Args::Listed(5)),
        Output::Vsnprintf => |m, c| write(m, c, Some(1), 2, Args::InMemory(3)),
        Output::VsnprintfChk => |m, c| write(m, c, Some(1), 4, Args::InMemory(5)),
        Output::Puts => |m, c| put_string(m, c, "\n"),
        Output::Fputs => |m, c| to_stream(m, c, 1, |m, c| put_string(m, c, "")),
        Output::Putchar => put_character,
        Output::Fputc => |m, c| to_stream(m, c, 1, put_character),
        Output::Fwrite => |m, c| to_stream(m, c, 3, put_bytes),
    }
}

/// Whatever a stream is, there must be one.
fn to_stream(m: &mut Machine, call: &ShimCall, stream: usize, put: Shim) -> Exec<()> {
    if m.arg_number(call, stream)? == 0 {
        m.check_access(0, 1, AccessKind::Read)?;
    }
    put(m, call)
}

fn print(m: &mut Machine, call: &ShimCall, format: usize, args: Args) -> Exec<()> {
    let mut steps = Steps::resume(m);
    let text = formatted(m, &mut steps, call, format, args)?;
    for (address, bytes) in &text.stores {
        steps.write(m, *address, bytes)?;
    }
    steps.finish(m);
    m.event(|| EventKind::Output(text.shown()));
    let length = text.length(m);
    m.result(call, length);
    Ok(())
}

/// `sprintf` and `snprintf`: the text goes to memory, so its length must be known.
fn write(
    m: &mut Machine,
    call: &ShimCall,
    limit: Option<usize>,
    format: usize,
    args: Args,
) -> Exec<()> {
    let mut steps = Steps::resume(m);
    let text = formatted(m, &mut steps, call, format, args)?;
    let to = m.arg_number(call, 0)?;
    let room = match limit {
        Some(index) => m.arg_number(call, index)?,
        None => u64::MAX,
    };
    for (address, bytes) in &text.stores {
        steps.write(m, *address, bytes)?;
    }
    if room > 0 {
        if text.longer.is_some() {
            let what = "value formatted into memory".to_string();
            return m.cut_off(Cutoff::SymbolicValue(what));
        }
        let kept = (text.bytes.len() as u64).min(room - 1);
        let mut bytes = text.bytes[..kept as usize].to_vec();
        bytes.push(Byte::Plain(0));
        steps.write(m, to, &bytes)?;
    }
    steps.finish(m);
    let length = text.length(m);
    m.result(call, length);
    Ok(())
}

/// `puts` returns what it has printed, `fputs` one, as in glibc.
fn put_string(m: &mut Machine, call: &ShimCall, end: &str) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let mut steps = Steps::resume(m);
    let text = steps.string(m, address, None)?;
    steps.finish(m);
    m.event(|| EventKind::Output(format!("{}{end}", shown(&text))));
    let result = if end.is_empty() { 1 } else { text.len() + 1 };
    m.result_number(call, result as u64)
}

/// The result is the character as an `unsigned char`.
fn put_character(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let value = m.arg(call, 0);
    let width = m.arg_width(call, 0);
    let term = m.term(value, width);
    let low = m.terms.extract(term, 0, 8);
    let byte = Byte::of_term(m, low);
    m.event(|| EventKind::Output(shown(&[byte])));
    let result = match byte {
        Byte::Plain(byte) => Value::concrete(u64::from(byte)),
        Byte::Term(term) => m.value(term),
    };
    m.result(call, result);
    Ok(())
}

fn put_bytes(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let (size, count) = (m.arg_number(call, 1)?, m.arg_number(call, 2)?);
    let mut steps = Steps::resume(m);
    let bytes = steps.bytes(m, address, size.saturating_mul(count))?;
    steps.finish(m);
    m.event(|| EventKind::Output(shown(&bytes)));
    m.result_number(call, if size == 0 { 0 } else { count })
}
