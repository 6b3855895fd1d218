//! The process: exit, abort, errno, yielding.

use ir::modelled::Process;

use super::{Shim, ShimCall};
use crate::fault::{Cutoff, Exec, Fault};
use crate::machine::Machine;
use crate::memory::{Allocation, ObjectKind};

pub fn shim(function: Process) -> Shim {
    match function {
        Process::Exit => |m, _| m.exit_process(),
        Process::Abort => abort,
        Process::Yield => nothing,
        Process::ErrnoLocation => errno_location,
        Process::Throw => throw,
        Process::AtExit => nothing,
        Process::Memcpy => |m, c| {
            let (to, from, n) = (
                m.arg_number(c, 0)?,
                m.arg_number(c, 1)?,
                m.arg_number(c, 2)?,
            );
            m.copy_memory(to, from, n)?;
            m.result_number(c, to)
        },
        Process::Memset => |m, c| {
            let (to, n) = (m.arg_number(c, 0)?, m.arg_number(c, 2)?);
            let byte = m.arg(c, 1);
            let width = m.arg_width(c, 1) as u8;
            let byte = m.symbolic_cast(ir::Cast::Trunc, width, 8, byte);
            m.fill_memory(to, byte, n)?;
            m.result_number(c, to)
        },
    }
}

fn abort(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let what = match call.name {
        "_ZSt9terminatev" => "std::terminate",
        "__cxa_pure_virtual" => "pure virtual call",
        name => name,
    };
    m.fault(Fault::Abort(what.to_string()))
}

fn nothing(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    m.result_number(call, 0)
}

fn throw(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let exception = m.arg_number(call, 0)?;
    m.throw(exception)
}

fn errno_location(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.errno_address()?;
    m.result_number(call, address)
}

impl Machine {
    /// This thread's `errno`, made on first use.
    fn errno_address(&mut self) -> Exec<u64> {
        let thread = self.now.current;
        if self.thread_state(thread).errno != 0 {
            return Ok(self.thread_state(thread).errno);
        }
        let request = Allocation {
            arena: thread.heap(),
            size: 4,
            align: 4,
            kind: ObjectKind::Internal("errno"),
            initialised: true,
            readonly: false,
        };
        let Some(address) = self.state.memory.allocate(&mut self.trail, request) else {
            return self.cut_off(Cutoff::OutOfAddresses);
        };
        self.thread_state_mut(thread).errno = address;
        Ok(address)
    }

    pub(crate) fn set_errno(&mut self, code: u64) -> Exec<()> {
        let address = self.errno_address()?;
        self.set_word(address, code as u32);
        Ok(())
    }
}
