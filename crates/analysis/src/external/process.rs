//! The process, its memory, its surroundings, and jumps.

use ir::modelled::{Environment, Jump, Process};

use super::Class::{self, *};
use super::Effect::{self, *};
use super::Extent::{Any, Argument, Bytes};
use super::{External, external};

pub(super) fn process(function: Process) -> External {
    match function {
        Process::Exit => external(ExitsProcess, &[]),
        Process::Abort => external(Aborts, &[]),
        Process::Yield | Process::AtExit => external(Nothing, &[]),
        Process::ErrnoLocation => external(Asks, &[ReturnsErrno]),
        Process::Throw => external(Class::Throws, &[Effect::Throws(0)]),
        Process::Memcpy => external(
            Moves,
            &[
                Copies {
                    to: 0,
                    from: 1,
                    bytes: Argument(2),
                },
                Returns(0),
            ],
        ),
        Process::Memset => external(
            Moves,
            &[
                Fills {
                    to: 0,
                    byte: 1,
                    bytes: Argument(2),
                },
                Returns(0),
            ],
        ),
    }
}

pub(super) fn jump(function: Jump) -> External {
    match function {
        Jump::Setjmp => external(Saves, &[Writes(0, Bytes(16)), ReturnsJumped]),
        Jump::Longjmp => external(Jumps, &[Reads(0, Bytes(16)), JumpsWith(1)]),
    }
}

pub(super) fn environment(function: Environment) -> External {
    match function {
        Environment::Text | Environment::Whole | Environment::Stdin => {
            external(Allocates, &[ReturnsNew { bytes: Any }])
        }
        Environment::Byte | Environment::FixedInput => external(Input, &[]),
        Environment::IsWhole
        | Environment::UsesDescriptors
        | Environment::StdinSize
        | Environment::InputLength => external(Asks, &[]),
        Environment::Beyond => external(Unmodelled, &[]),
    }
}
