//! Sets of traces that guide an execution: one for each target, and what refinements add.

use analysis::NodeId;
use analysis::abstraction::AbstractTrace;
use serde::{Deserialize, Serialize};

/// What a trace leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Purpose {
    /// A target, by its number. It wants a thread of its own there.
    Target(usize),
    /// A definition that is to be executed so often, by whichever threads.
    Definition { times: u32 },
}

/// A trace, and for what its thread waits on the way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GuidingTrace {
    pub purpose: Purpose,
    #[serde(with = "places")]
    pub places: Vec<NodeId>,
    /// Before the place with this number, the trace with that number must be done.
    pub after: Vec<(usize, usize)>,
}

impl GuidingTrace {
    pub fn last(&self) -> NodeId {
        *self.places.last().expect("a trace leads to a place")
    }
}

/// The traces of a trial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TraceSet(pub Vec<GuidingTrace>);

impl TraceSet {
    /// As the abstract system has it: no refinement yet.
    pub fn of(traces: Vec<AbstractTrace>) -> TraceSet {
        let guiding = |(number, trace): (usize, AbstractTrace)| GuidingTrace {
            purpose: Purpose::Target(number),
            places: trace.0,
            after: Vec::new(),
        };
        TraceSet(traces.into_iter().enumerate().map(guiding).collect())
    }

    /// How many places it has (P2, Table 2: the total length).
    pub fn length(&self) -> usize {
        self.0.iter().map(|trace| trace.places.len()).sum()
    }

    pub fn targets(&self) -> usize {
        let is_target = |trace: &&GuidingTrace| matches!(trace.purpose, Purpose::Target(_));
        self.0.iter().filter(is_target).count()
    }
}

/// In files, as numbers.
mod places {
    use analysis::NodeId;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(places: &[NodeId], serializer: S) -> Result<S::Ok, S::Error> {
        let numbers: Vec<u32> = places.iter().map(|place| place.0).collect();
        numbers.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<NodeId>, D::Error> {
        let numbers: Vec<u32> = Vec::deserialize(d)?;
        Ok(numbers.into_iter().map(NodeId).collect())
    }
}
