//! Static facts as an engine: it proves a property at once, for any number of threads, or says
//! nothing.
//!
//! No execution checks what it takes for granted. So it speaks of plain programs only
//! ([`analysis::Plain`] says what that is, and why the analyses are right about them), and each
//! property has a sufficient condition that is easy to argue for:
//! - `failures`: assertions, aborts, unreachable places and divisions that fail: no such place can
//!   be reached. Memory errors: a plain program has none.
//! - `mutexes`: every mutex is locked by a thread that does not hold it and unlocked by one that
//!   does. Then it excludes what others do under it, and is not misused.
//! - `races`: two accesses that conflict are ordered by creations and joins, or made under a common
//!   mutex.
//! - `waits`: threads wait for mutexes only, which are locked in one order, and for the end of
//!   threads, and all loops end. So nobody waits for ever.
//!
//! What stands in the way is told as an [`Obstacle`].

mod failures;
mod mutexes;
mod races;
mod waits;

use std::borrow::Cow;

use analysis::facts::Facts;
use analysis::{NodeId, NotPlain, Plain, Reached};
use explore::Monitor;
use ir::debug::LocId;
use lint::Locks;
use machine::{Program, Property};

use self::mutexes::Mutexes;
use crate::Internal;
use crate::engine::{Answer, Coverage, Engine, Task};
use crate::relevance::StaticFacts;

pub(crate) struct StaticProof;

/// Why nothing is proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    pub loc: LocId,
    pub why: Cow<'static, str>,
}

impl Obstacle {
    /// One that is nowhere in particular.
    pub(crate) fn here(why: &'static str) -> Obstacle {
        Obstacle {
            loc: LocId(0),
            why: why.into(),
        }
    }
}

impl From<encode::Obstacle> for Obstacle {
    fn from(obstacle: encode::Obstacle) -> Obstacle {
        Obstacle {
            loc: obstacle.loc,
            why: obstacle.why.into(),
        }
    }
}

impl Engine for StaticProof {
    fn name(&self) -> &'static str {
        "static"
    }

    fn run(&self, task: &Task, _monitor: &mut dyn Monitor) -> Result<Answer, Internal> {
        let nothing = Answer::unknown("static", task);
        let coverage = match prove(&task.loaded.program, task) {
            Ok(()) => Coverage::default(),
            Err(obstacle) => Coverage {
                obstacle: Some(obstacle),
                ..nothing.coverage
            },
        };
        Ok(Answer {
            coverage,
            ..nothing
        })
    }
}

/// Whether none of the properties that are asked for can be violated.
fn prove(program: &Program, task: &Task) -> Result<(), Obstacle> {
    let module = &*program.module;
    let StaticFacts {
        nodes,
        points_to,
        calls,
        threads,
    } = task.analysed.facts();
    let facts = Facts::of(module, nodes, points_to, calls);
    let obstacle = |NotPlain { node, why }| Obstacle {
        loc: nodes.loc(module, node),
        why: why.into(),
    };
    let asked = |property| task.properties.contains(property);
    let reached = Reached::of(&facts);
    failures::none(&facts, &reached, &asked).map_err(obstacle)?;
    let plain = Plain::of(&facts, &reached).map_err(obstacle)?;
    let about_threads = [Property::Race, Property::LockMisuse, Property::Deadlock];
    if !about_threads.into_iter().any(asked) {
        return Ok(());
    }
    let subject = Subject {
        locks: Locks::of(module, nodes, points_to, threads),
        facts: &facts,
        reached: &reached,
        plain: &plain,
        threads,
    };
    let mutexes = Mutexes::of(&subject).map_err(obstacle)?;
    if asked(Property::Race) {
        races::none(&subject, &mutexes).map_err(obstacle)?;
    }
    if asked(Property::LockMisuse) {
        waits::no_misuse(&subject).map_err(obstacle)?;
    }
    if asked(Property::Deadlock) {
        waits::all_end(&subject, &mutexes).map_err(obstacle)?;
    }
    Ok(())
}

/// A plain program, and what its threads hold where.
struct Subject<'a> {
    facts: &'a Facts<'a>,
    reached: &'a Reached,
    plain: &'a Plain,
    threads: &'a analysis::Threads,
    locks: Locks,
}

impl Subject<'_> {
    /// Whether the node is in `main`, which is called at the beginning and nowhere else.
    fn is_only_main(&self, node: NodeId) -> bool {
        let function = self.facts.nodes.function(node);
        self.reached.is_only_main(self.facts.module, function)
    }

    /// Certainly no lock is held wherever a thread comes to the node.
    fn is_free_at(&self, node: NodeId) -> bool {
        let mut here = self
            .locks
            .moments
            .iter()
            .filter(|m| m.node == node)
            .peekable();
        here.peek().is_some() && here.all(|moment| moment.held.is_free())
    }

    /// All that may be executed.
    fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.reached.nodes(self.facts)
    }
}

/// What stands in the way at the node.
fn at<T>(node: NodeId, why: &'static str) -> Result<T, NotPlain> {
    Err(NotPlain { node, why })
}
