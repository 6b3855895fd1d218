//! After a proof: which sides of branches no execution takes.
//!
//! Every execution is in the last graph. So a side that some execution has taken is alive, and of
//! every other the solver says whether one could.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use encode::{Encoding, Graph};
use ir::{BlockId, FuncId};
use smt::TermId;

use super::{Ended, Run};
use crate::explain::{Edges, Why, unreached};

/// Of what takes longer, nothing is said.
const LONGEST: Duration = Duration::from_secs(5);

impl Run<'_, '_> {
    /// Nothing is lost if this ends early: the proof is done.
    pub(super) fn explain(&mut self, graph: &Graph, encoding: &mut Encoding) {
        let Some(lines) = &self.options.explain else {
            return;
        };
        let start = Instant::now();
        let mut sides: BTreeMap<(FuncId, BlockId, BlockId), Vec<TermId>> = BTreeMap::new();
        for side in &graph.sides {
            let (function, block) = side.place;
            let edge = (function, block, side.target);
            sides.entry(edge).or_default().push(side.cond);
        }
        let mut dead = Edges::new();
        for (edge, copies) in sides {
            if self.known.is_taken(edge) {
                continue;
            }
            let no = self.terms.bool(false);
            let any = copies
                .into_iter()
                .fold(no, |any, copy| self.terms.or(any, copy));
            let question = encoding.condition(&mut self.terms, any);
            match self.solve(encoding, question) {
                Ok(false) => dead.insert(edge),
                Ok(true) => continue,
                Err(Ended::Stopped(_)) => break,
                Err(_) => continue,
            };
            if start.elapsed() > LONGEST {
                break;
            }
        }
        let program = &self.task.loaded.program;
        let why = unreached(program, self.known.executed(), &dead, lines);
        self.why = Some(Why::Unreached(why));
    }
}
