//! What a machine is made with: the mode, the probes, and what is known from outside.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Config, Probes};
use crate::inputs::Inputs;
use crate::sharing::SharedSet;
use crate::thread::ThreadId;

/// Everything that a machine needs besides the program.
#[derive(Default)]
pub struct Setup {
    pub config: Config,
    pub mode: Mode,
    pub probes: Probes,
    /// Bytes that are known to be visible.
    pub shared: SharedSet,
    pub inputs: Inputs,
    /// Names of threads that are known already, by their ids: the threads get these ids again.
    pub names: Vec<(ThreadId, u32)>,
    /// The machine gives up as soon as it is set.
    pub interrupt: Arc<AtomicBool>,
}

/// Where the machine stops and what counts as visible. Fixed for the life of a machine: schedules
/// of two modes have different decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// Every visible operation is a decision, also of a thread that is alone, and its footprint is
    /// kept.
    pub observed: bool,
    /// The beginnings and joins of threads are decisions, too: every local step then belongs to an
    /// event of its own thread.
    pub observes_joins: bool,
    /// Accesses to visible memory stay visible when all other threads have been joined, because
    /// what these left there is observed.
    pub observes_last: bool,
    /// A footprint says of an atomic update whether its result is used.
    pub commuting: bool,
    /// Invisible accesses are no scheduling points, and don't-care branches no questions (see
    /// `invisible`).
    pub slices: bool,
    /// The machine stops at a thread that spins even if no other can go on.
    pub is_impatient: bool,
    /// Nothing is visible but what the setup says: the machine follows a schedule that was made
    /// with this knowledge.
    pub knows_sharing: bool,
}

/// Why a program cannot be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error("the program was loaded without Sleave's runtime")]
    NoRuntime,
}
