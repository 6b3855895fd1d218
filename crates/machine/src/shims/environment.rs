//! What surrounds the program: variables of the environment, and what can be read. The library
//! (`runtime/environment.c`, `runtime/stdio_stream.c`) makes `getenv` and streams of it; here are
//! the inputs and what the command line says of them.

use ir::modelled::Environment;

use super::{Shim, ShimCall};
use crate::fault::{Cutoff, Exec};
use crate::machine::Machine;
use crate::memory::{Allocation, ObjectKind};
use crate::record::EventKind;
use crate::value::Value;

/// The functions by which a program can tell which descriptors are given (`runtime/files.c`).
const DESCRIPTORS: [&str; 6] = ["open", "open64", "creat", "close", "read", "__read_chk"];

pub fn shim(function: Environment) -> Shim {
    match function {
        Environment::Text => text,
        Environment::Byte => byte,
        Environment::FixedInput => fixed_input,
        Environment::Whole => environment,
        Environment::IsWhole => |m, c| {
            let is_whole = m.config.surroundings.whole_environment;
            m.result_number(c, u64::from(is_whole))
        },
        Environment::UsesDescriptors => |m, c| {
            let module = &m.program.module;
            let uses = DESCRIPTORS
                .iter()
                .any(|name| module.function_named(name).is_some());
            m.result_number(c, u64::from(uses))
        },
        Environment::Stdin => stdin,
        Environment::StdinSize => |m, c| {
            let size = m
                .config
                .surroundings
                .stdin
                .as_ref()
                .map_or(-1, |s| s.len() as i64);
            m.result_number(c, size as u64)
        },
        Environment::InputLength => |m, c| {
            let length = m.config.surroundings.input_length;
            m.result_number(c, u64::from(length))
        },
        Environment::Beyond => |m, c| {
            let what = argument(m, c, 0);
            m.cut_off(Cutoff::InputLength(what))
        },
    }
}

fn argument(m: &mut Machine, call: &ShimCall, index: usize) -> String {
    let value = m.arg(call, index);
    if value.is_concrete() && value.bits != 0 {
        m.text_at(value.bits)
    } else {
        "?".to_string()
    }
}

/// `__sleave_text(name)`: the value of a variable, null if it is not set.
fn text(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let what = format!("getenv({:?})", argument(m, call, 0));
    let is_set = m.peek_input(&what, 1);
    let is_set = m.truth(is_set)?;
    let thread = m.now.current;
    let index = m.thread_state(thread).inputs;
    m.input(&what, 1);
    if !is_set {
        m.event(|| EventKind::Environment(format!("{what} = NULL")));
        return m.result_number(call, 0);
    }
    let bytes = m.input_bytes(&format!("{thread}.{index}.{what}"));
    if m.probes.recorder.is_some() {
        let shown = m.shown_text(&bytes);
        m.event(|| EventKind::Environment(format!("{what} = {shown}")));
    }
    match m.allocate_text(
        thread.heap(),
        "value of a variable of the environment",
        bytes,
    ) {
        Some(address) => m.result_number(call, address),
        None => m.cut_off(Cutoff::OutOfAddresses),
    }
}

/// `__sleave_fixed_input(name, bits)`: an input that is the same for all threads at all times.
fn fixed_input(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let name = argument(m, call, 0);
    let bits = m.arg_number(call, 1)? as u32;
    let value = m.named_input(&name, 0, bits);
    m.event(|| EventKind::Input { name, value });
    m.result(call, value);
    Ok(())
}

/// `__sleave_byte(stream)`: the next byte, or -1 at the end.
fn byte(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let stream = argument(m, call, 0);
    let value = m.input(&stream, 9);
    let term = m.term(value, 9);
    let is_end = m.terms.extract(term, 8, 1);
    let byte = m.terms.extract(term, 0, 8);
    let byte = m.terms.zext(byte, 32);
    let end = m.terms.constant(32, u128::from(u32::MAX));
    let result = m.terms.ite(is_end, end, byte);
    let result = m.value(result);
    m.event(|| {
        let shown = match result.bits as u32 {
            _ if !result.is_concrete() => "?".to_string(),
            u32::MAX => "end of file".to_string(),
            byte => format!("'{}'", [byte as u8].escape_ascii()),
        };
        EventKind::Environment(format!("reads {shown} from {stream}"))
    });
    m.result(call, result);
    Ok(())
}

/// The variables that are given, one text after the other, an empty one at the end. Those that are
/// not set have no `=`.
fn environment(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let mut all = Vec::new();
    for (name, value) in &m.config.surroundings.environment {
        all.extend_from_slice(name.as_bytes());
        if let Some(value) = value {
            all.push(b'=');
            all.extend_from_slice(value.as_bytes());
        }
        all.push(0);
    }
    all.push(0);
    give(m, call, "environment", &all)
}

/// What can be read from the standard input. The byte before it is there, too: `ungetc` may put one
/// back at the beginning.
fn stdin(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let contents = m.config.surroundings.stdin.clone().unwrap_or_default();
    give(
        m,
        call,
        "standard input",
        &[&[0], contents.as_slice()].concat(),
    )
}

fn give(m: &mut Machine, call: &ShimCall, what: &'static str, bytes: &[u8]) -> Exec<()> {
    let request = Allocation {
        arena: m.now.current.heap(),
        size: bytes.len() as u64,
        align: 1,
        kind: ObjectKind::Internal(what),
        initialised: true,
        readonly: false,
    };
    let Some(address) = m.state.memory.allocate(&mut m.trail, request) else {
        return m.cut_off(Cutoff::OutOfAddresses);
    };
    m.state.memory.write_bytes(&mut m.trail, address, bytes);
    m.result(call, Value::concrete(address));
    Ok(())
}
