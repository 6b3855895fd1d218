//! What programs say to a verifier: inputs, assumptions, assertions, atomic sections. SV-COMP's,
//! KLEE's and CBMC's words.

use ir::modelled::{Overriding, Verifier};

use super::{Shim, ShimCall};
use crate::fault::{Cutoff, Exec, Fault};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::record::EventKind;
use crate::thread::Guard;
use crate::value::Value;

pub fn shim(function: Verifier) -> Shim {
    match function {
        Verifier::AssertFail => assert_fail,
        Verifier::Nondet => nondet,
        Verifier::Range => range,
        Verifier::MakeSymbolic => make_symbolic,
        Verifier::Assume => assume,
        Verifier::Restrict => restrict,
        Verifier::Assert => |m, c| assert(m, c, true),
        Verifier::Error => error,
        Verifier::SilentExit => |m, _| m.require_value(Value::concrete(0)),
        Verifier::Input => input,
        Verifier::Unsupported => unsupported,
        Verifier::AtomicBegin => atomic_begin,
        Verifier::AtomicEnd => atomic_end,
        Verifier::Nothing => |_, _| Ok(()),
    }
}

pub fn overriding(function: Overriding) -> Shim {
    match function {
        Overriding::Assume => assume,
        Overriding::Assert => |m, c| assert(m, c, false),
        Overriding::Error => error,
        Overriding::AtomicBegin => atomic_begin,
        Overriding::AtomicEnd => atomic_end,
    }
}

fn nondet(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let Some(result) = call.results.first() else {
        return Ok(());
    };
    let width = result.ty.bits(m.pointer_bits());
    let what = call.name.trim_start_matches("__VERIFIER_").to_string();
    let value = m.input(&what, width);
    m.event(|| EventKind::Input { name: what, value });
    m.result(call, value);
    Ok(())
}

/// `klee_range(low, high, name)`: low <= value < high.
fn range(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let width = m.arg_width(call, 0);
    let (low, high) = (m.arg(call, 0), m.arg(call, 1));
    let (low, high) = (m.term(low, width), m.term(high, width));
    let name = text_argument(m, call, 2);
    let value = m.peek_input(&name, width);
    let term = m.term(value, width);
    let above = m.terms.cmp(smt::CmpOp::Sge, term, low);
    let below = m.terms.cmp(smt::CmpOp::Slt, term, high);
    let both = m.terms.and(above, below);
    m.require(both)?;
    let value = m.input(&name, width);
    m.event(|| EventKind::Input { name, value });
    m.result(call, value);
    Ok(())
}

fn make_symbolic(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let bytes = m.arg_number(call, 1)?;
    let name = text_argument(m, call, 2);
    m.check_access(address, bytes, AccessKind::Write)?;
    m.see(address, bytes, AccessKind::Write, Guard::Always)?;
    // A scalar is one input; anything larger one for each of its words.
    let piece = if matches!(bytes, 1 | 2 | 4 | 8 | 16) {
        bytes
    } else {
        4
    };
    let mut done = 0;
    while done < bytes {
        let size = piece.min(bytes - done);
        let size = if size.is_power_of_two() { size } else { 1 };
        let label = if done == 0 && size == bytes {
            name.clone()
        } else {
            format!("{name}+{done}")
        };
        let value = m.input(&label, 8 * size as u32);
        m.state.memory.write(
            &mut m.trail,
            &m.terms,
            address + done,
            8 * size as u32,
            value,
        );
        m.event(|| EventKind::Input { name: label, value });
        done += size;
    }
    Ok(())
}

fn text_argument(m: &mut Machine, call: &ShimCall, index: usize) -> String {
    let value = m.arg(call, index);
    if value.is_concrete() && value.bits != 0 {
        m.text_at(value.bits)
    } else {
        "input".to_string()
    }
}

fn assume(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let condition = is_nonzero(m, call, 0);
    m.require_value(condition)
}

/// Inputs have no other values.
fn restrict(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let condition = is_nonzero(m, call, 0);
    m.restrict(condition)
}

fn assert(m: &mut Machine, call: &ShimCall, described: bool) -> Exec<()> {
    let condition = is_nonzero(m, call, 0);
    if m.truth(condition)? {
        return Ok(());
    }
    let what = if described {
        text_argument(m, call, 1)
    } else {
        String::new()
    };
    m.fault(Fault::Assertion(what))
}

fn error(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    m.fault(Fault::Assertion(format!("{} is reached", call.name)))
}

/// `__assert_fail(expression, file, line, function)`
fn assert_fail(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let index = usize::from(call.name == "__assert_rtn") * 3;
    let what = text_argument(m, call, index);
    m.fault(Fault::Assertion(what))
}

/// `__sleave_input(name, bits)`
fn input(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let name = text_argument(m, call, 0);
    let bits = m.arg_number(call, 1)? as u32;
    let value = m.input(&name, bits);
    m.event(|| EventKind::Input { name, value });
    m.result(call, value);
    Ok(())
}

fn unsupported(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let what = text_argument(m, call, 0);
    m.cut_off(Cutoff::UnmodelledFunction(what))
}

fn atomic_begin(m: &mut Machine, _: &ShimCall) -> Exec<()> {
    let thread = m.now.current;
    m.leave_no_section_open()?;
    m.thread_state_mut(thread).atomic += 1;
    Ok(())
}

fn atomic_end(m: &mut Machine, _: &ShimCall) -> Exec<()> {
    m.leave_atomic();
    Ok(())
}

fn is_nonzero(m: &mut Machine, call: &ShimCall, index: usize) -> Value {
    let value = m.arg(call, index);
    if value.is_concrete() {
        return Value::concrete(u64::from(value.bits != 0));
    }
    let width = m.arg_width(call, index);
    let zero = m.terms.constant(width, 0);
    let term = m.terms.cmp(smt::CmpOp::Ne, value.term, zero);
    m.value(term)
}
