//! Executes ir programs: threads, frames, memory, `step`, and shims for what the program calls but
//! does not define.
//!
//! Invariant: this crate knows no search, no reduction and no solver. It runs until something must
//! be decided, says so, and goes on when the decision is made; whatever it does can be undone to an
//! earlier decision.

mod access;
mod bulk;
mod call;
mod code;
mod control;
mod fault;
mod fingerprint;
mod float;
mod guidance;
mod history;
mod inputs;
mod intrinsic;
mod invisible;
mod machine;
mod memory;
mod older_value;
mod peek;
mod place;
mod premises;
mod race;
mod record;
mod sharing;
mod shims;
mod snapshot;
mod step;
mod symbolic;
mod text;
mod thread;
mod touch;
mod trail;
mod unwind;
mod value;
mod visible;
mod weakest;
mod wide;

pub use code::{Ends, Marks, Program};
pub use control::ControlState;
pub use fault::{Cutoff, End, Fault, FaultAt, Misuse, Problem, Property, Question};
pub use fingerprint::Fingerprints;
pub use guidance::Place;
pub use history::{Executed, Position, Shown};
pub use inputs::Inputs;
pub use machine::{
    Answer, AskedAt, Config, Enabled, Machine, Mark, Mode, Probes, Setup, Situation, StartError,
    State, Surroundings,
};
pub use memory::{AccessKind, MemoryFault, Object, ObjectId, ObjectKind};
pub use peek::{Peeking, Protected};
pub use premises::{Loose, Premises};
pub use race::{Effect, Race, RaceAccess, RacePlaces};
pub use record::{Event, EventKind, Recorder};
pub use sharing::{Recorded, SharedSet};
pub use snapshot::{StateSnapshot, ThreadSnapshot};
pub use thread::{Guard, Status, ThreadId};
pub use touch::{Change, Footprint, Touch, Update};
pub use value::Value;
pub use weakest::Location;
