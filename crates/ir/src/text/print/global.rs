//! Globals: a header, the bytes in runs of text, hex and zeros, and the relocations.

use super::{Names, comma_separated, flags, put, symbol_name};
use crate::module::{Global, Init};
use crate::text::ZERO_FILL_LIMIT;
use crate::text::lexer::quoted;

/// Shorter runs are not worth a string of their own.
const MIN_TEXT_RUN: usize = 4;
const MIN_ZERO_RUN: usize = 8;

pub fn globals(out: &mut String, names: &Names<'_>) {
    if !names.module.globals.is_empty() {
        out.push('\n');
    }
    let mut zero_fill = ZERO_FILL_LIMIT;
    for global in &names.module.globals {
        header(out, global);
        if let Some(init) = &global.init {
            initialiser(out, names, init, &mut zero_fill);
        }
        out.push('\n');
    }
}

fn header(out: &mut String, global: &Global) {
    let name = symbol_name(&global.name);
    let flags = flags(&[
        (global.constant, "constant"),
        (global.thread_local, "thread_local"),
    ]);
    let var = global.var.map(|var| format!(" {var}")).unwrap_or_default();
    put!(
        out,
        "global {name}{var} size {} align {}{flags}",
        global.size,
        global.align
    );
}

fn initialiser(out: &mut String, names: &Names<'_>, init: &Init, zero_fill: &mut usize) {
    out.push_str(" = {");
    let mut rest = init.bytes.as_slice();
    while !rest.is_empty() {
        rest = run(out, rest, zero_fill);
    }
    out.push_str(" }");
    if !init.relocations.is_empty() {
        let relocations = init.relocations.iter();
        let list = comma_separated(
            relocations.map(|r| format!("{}: {}", r.offset, names.address(r.target, r.addend))),
        );
        put!(out, " relocations {{ {list} }}");
    }
}

/// Prints the first run of `bytes` and returns what is left.
fn run<'b>(out: &mut String, bytes: &'b [u8], zero_fill: &mut usize) -> &'b [u8] {
    let zeros = leading_zeros(bytes);
    if zeros >= MIN_ZERO_RUN && zeros <= *zero_fill {
        *zero_fill -= zeros;
        put!(out, " zero {zeros}");
        return &bytes[zeros..];
    }
    let text = leading_text(bytes);
    if text.len() >= MIN_TEXT_RUN {
        put!(out, " {}", quoted(text));
        return &bytes[text.len()..];
    }
    // The run ends where one of another kind starts. A run of zeros beyond the limit is taken
    // whole.
    let mut end = zeros.max(1);
    while end < bytes.len() {
        let starts_with = |length: usize, accept: fn(u8) -> bool| {
            let run = bytes.get(end..end + length);
            run.is_some_and(|run| run.iter().all(|byte| accept(*byte)))
        };
        if starts_with(MIN_TEXT_RUN, is_text) || starts_with(MIN_ZERO_RUN, |byte| byte == 0) {
            break;
        }
        end += 1;
    }
    out.push_str(" hex \"");
    for byte in &bytes[..end] {
        put!(out, "{byte:02x}");
    }
    out.push('"');
    &bytes[end..]
}

fn leading_zeros(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == 0).count()
}

fn leading_text(bytes: &[u8]) -> &str {
    let len = bytes.iter().take_while(|byte| is_text(**byte)).count();
    std::str::from_utf8(&bytes[..len]).expect("printable ASCII is UTF-8")
}

fn is_text(byte: u8) -> bool {
    byte == b' ' || byte.is_ascii_graphic()
}
