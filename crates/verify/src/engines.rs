//! The engines, each in a file of its own.

pub(crate) mod explore;
pub(crate) mod hunt;
pub(crate) mod static_proof;
pub(crate) mod trace;
