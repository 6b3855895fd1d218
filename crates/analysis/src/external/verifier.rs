//! What programs say to a verifier: inputs, assumptions, assertions, atomic sections.

use ir::modelled::{Overriding, Verifier};

use super::Class::*;
use super::Effect::Writes;
use super::Extent::Argument;
use super::{External, external};

pub(super) fn verifier(function: Verifier) -> External {
    match function {
        Verifier::AssertFail | Verifier::Error => external(Fails, &[]),
        Verifier::Nondet | Verifier::Range | Verifier::Input => external(Input, &[]),
        Verifier::MakeSymbolic => external(Input, &[Writes(0, Argument(1))]),
        Verifier::Assume | Verifier::Restrict => external(Assumes(0), &[]),
        Verifier::Assert => external(Asserts(0), &[]),
        Verifier::SilentExit => external(GivesUp, &[]),
        Verifier::Unsupported => external(Unmodelled, &[]),
        Verifier::AtomicBegin => external(BeginsAtomic, &[]),
        Verifier::AtomicEnd => external(EndsAtomic, &[]),
        Verifier::Nothing => external(Nothing, &[]),
    }
}

pub(super) fn overriding(function: Overriding) -> External {
    match function {
        Overriding::Assume => external(Assumes(0), &[]),
        Overriding::Assert => external(Asserts(0), &[]),
        Overriding::Error => external(Fails, &[]),
        Overriding::AtomicBegin => external(BeginsAtomic, &[]),
        Overriding::AtomicEnd => external(EndsAtomic, &[]),
    }
}
