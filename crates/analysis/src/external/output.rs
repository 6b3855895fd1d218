//! Output, and formatting into memory.

use ir::modelled::Output;

use super::Effect::{Formats, FormatsList, Reads, Writes};
use super::Extent::{Any, Argument, Bytes, Product};
use super::{Arg, Class, Effect, External, external};

const fn listed(format: Arg) -> Effect {
    Formats {
        format,
        first: format + 1,
    }
}

const fn in_memory(format: Arg) -> Effect {
    FormatsList {
        format,
        list: format + 1,
    }
}

/// The stream must exist; its contents are not looked at.
const fn stream(arg: Arg) -> Effect {
    Reads(arg, Bytes(1))
}

pub(super) fn output(function: Output) -> External {
    match function {
        Output::Printf => external(Class::Output, const { &[listed(0)] }),
        Output::PrintfChk | Output::Dprintf => external(Class::Output, const { &[listed(1)] }),
        Output::Fprintf => external(Class::Output, const { &[stream(0), listed(1)] }),
        Output::FprintfChk => external(Class::Output, const { &[stream(0), listed(2)] }),
        Output::Vprintf => external(Class::Output, const { &[in_memory(0)] }),
        Output::VprintfChk | Output::Vdprintf => external(Class::Output, const { &[in_memory(1)] }),
        Output::Vfprintf => external(Class::Output, const { &[stream(0), in_memory(1)] }),
        Output::VfprintfChk => external(Class::Output, const { &[stream(0), in_memory(2)] }),
        Output::Sprintf => external(Class::Output, const { &[Writes(0, Any), listed(1)] }),
        Output::SprintfChk => external(Class::Output, const { &[Writes(0, Any), listed(3)] }),
        Output::Vsprintf => external(Class::Output, const { &[Writes(0, Any), in_memory(1)] }),
        Output::VsprintfChk => external(Class::Output, const { &[Writes(0, Any), in_memory(3)] }),
        Output::Snprintf => external(
            Class::Output,
            const { &[Writes(0, Argument(1)), listed(2)] },
        ),
        Output::SnprintfChk => external(
            Class::Output,
            const { &[Writes(0, Argument(1)), listed(4)] },
        ),
        Output::Vsnprintf => external(
            Class::Output,
            const { &[Writes(0, Argument(1)), in_memory(2)] },
        ),
        Output::VsnprintfChk => external(
            Class::Output,
            const { &[Writes(0, Argument(1)), in_memory(4)] },
        ),
        Output::Puts => external(Class::Output, &[Reads(0, Any)]),
        Output::Fputs => external(Class::Output, const { &[Reads(0, Any), stream(1)] }),
        Output::Putchar => external(Class::Output, &[]),
        Output::Fputc => external(Class::Output, const { &[stream(1)] }),
        Output::Fwrite => external(
            Class::Output,
            const { &[Reads(0, Product(1, 2)), stream(3)] },
        ),
    }
}
