//! Probes: what is kept of an execution besides the program's own state. None of them changes what
//! the program does; some change where the machine stops.

use super::step_memo::StepMemo;
use crate::history::History;
use crate::invisible::Shadow;
use crate::older_value::OlderValue;
use crate::peek::Peek;
use crate::sharing::Records;
use crate::touch::Touched;

#[derive(Default)]
pub(crate) struct Probes {
    /// What the visible operation of the current transition accessed.
    pub footprint: Touched,
    /// An earlier value of a cell that the next operation reads instead of the present one.
    pub older_value: Option<OlderValue>,
    /// Accesses of a slice that is said to have one schedule for all (see `premises`).
    pub agreement: Option<Box<Records>>,
    /// Critical sections that are one step.
    pub peek: Option<Box<Peek>>,
    /// A search with fewer scheduling points that this machine follows (see `invisible`).
    pub shadow: Option<Box<Shadow>>,
    /// The instructions that were executed.
    pub history: Option<Box<History>>,
    /// Steps that were made before and are not interpreted again.
    pub step_memo: Option<Box<StepMemo>>,
    /// A probe must see visible accesses, so that they take no fast path
    /// (`Machine::note_attention` brings it up to date).
    pub attended: bool,
}
