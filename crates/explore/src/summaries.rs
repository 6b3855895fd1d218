//! Predicate summaries (P1): why no error was found from a state, so that other states for which
//! the same reason holds need not be explored.
//!
//! A *summary* of a control state is a conjunction of conditions on registers and memory. It was
//! found by exploring everything from a state of which it holds, and says that the same would
//! happen from every other such state: the same jumps, accesses, locks, ends (`machine::weakest`).
//! So all explored executions exist there, too, none fails, and whatever a partial order reduction
//! left out it could leave out again. What makes P1's summaries sound, item by item:
//!
//! 1. Ends: a normal end requires nothing; an error and a bound make the summary void; a state that
//!    was pruned requires what it was pruned by. Where a search goes on after errors, one that is
//!    known already is no worse than a normal end: what is looked for is another.
//!    (`prune_reason_of_what_was_pruned.c`, `prune_after_a_bound.c`)
//! 2. Steps backwards: `machine::weakest`. Branches: any side, each with its condition. An
//!    infeasible side contributes nothing. A join of a thread that has ended is no decision, but a
//!    point, too: the states there are often alike, whichever thread ended last.
//! 3. Interleavings: what all explored threads require, and that the other threads cannot go on.
//!    A thread that waits in a loop, or before an atomic section, could be scheduled but would have
//!    to wait again: that it would is a condition on what it looks at and on the registers of its
//!    loop (`machine::Machine::conditions_of_wait`). If that cannot be said, the summary is void.
//!    (`prune_index_chosen_before.c`, `prune_semaphore_opened_before.c`)
//! 4. A search that reverses races (dpor, source sets) must, where it prunes, reverse those with
//!    what was accessed in the subtree: [`Accesses`]. Accesses to memory that was not known to be
//!    shared count, too: another thread's may make it so. So does under which mutex something was
//!    accessed, where critical sections are one step: an access under another one, or none, may
//!    show that they are not. Each point has its own log: what was accessed before and is again is
//!    noted again, and so is what threads that wait look at. (`prune_access_after_a_wait.c`) With
//!    each access it is kept what it comes after in every execution of the subtree in which it is
//!    made: other accesses, and so, wherever the summary is used, all that those depend on
//!    ([`accesses`]). Where they are not known the access is taken to come after less, and to race
//!    with more. (`prune_waits_in_one_execution.c`)
//! 5. Sleep sets: a summary serves only where at least those threads sleep that slept when it was
//!    made. Where some of them do not, it is enough to explore what these begin: it covers all
//!    other executions. But a sleeping thread was left out because of what its next step does, and
//!    no condition says what a step does that was not made. So its step must do no more here than
//!    it did there; if one does, everything is explored. (`prune_sleeper_goes_elsewhere.c`)
//! 6. Inputs that are asked for after the state stay free in the summary: it must hold for all
//!    their values. The number of inputs asked for before is part of the control state, so they
//!    have the same names.
//! 7. Published when everything below was explored.
//! 8. Bounds ([`Limits`]): too large a formula, too many summaries, a control state at which
//!    nothing was ever pruned, a search in which nothing is pruned (`backoff`).
//!
//! A control state has several summaries, each from another visit: nothing fails if one of them
//! holds. Whether one does may depend on the inputs of the path. If for all of them one does, the
//! state is pruned, and requires that disjunction. If only for some, these are left out
//! ([`Covering::Inputs`]): the path condition excludes them, and the state is explored for the
//! others. What it requires then is what was known, or what those others require
//! ([`Summaries::open_remainder`]): each side says of itself that nothing fails where it holds,
//! whatever the path was. `merge` makes one summary of two where that is simple.
//!
//! Control states do not count how often loops went round. A summary made in one round may prune in
//! another: what it says is about executions as they are, without any bound. Under `--unwind` a
//! state may be pruned from which the bound would have cut something off: nothing is hidden, since
//! what was explored instead came to its end.

mod accesses;
mod backoff;
mod here;
mod merge;
mod published;
mod sums;
mod table;

use std::rc::Rc;

use base::{IndexVec, id};
use machine::{ControlState, Fault, Guard, Location, Machine, Position, Status, ThreadId};
use rustc_hash::FxHashSet;
use smt::{CmpOp, Node, TermId};

pub use self::accesses::{Accesses, Crossed, Visible};
use self::backoff::Rest;
use self::here::{Cost, Here, Holds, holds, others_left};
pub use self::published::Published;
use self::published::Standings;
use self::table::{Candidate, Pins};
pub use self::table::{Limits, Statistics, Table};
use crate::dependence::Effect;
use crate::feasibility::Feasible;
use crate::options::Summarise;
use crate::walk::Walk;

/// Threads that need not be explored from a state, with what their next steps do.
pub type Asleep = Vec<(ThreadId, Vec<Effect>)>;

/// What is known of the executions from some point on.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Under which conditions they do not fail. `None`: that is not known.
    pub conditions: Option<Vec<TermId>>,
    pub accesses: Accesses,
}

impl Summary {
    pub fn nothing() -> Summary {
        Summary {
            conditions: None,
            accesses: Accesses::default(),
        }
    }

    pub fn fine(conditions: Vec<TermId>) -> Summary {
        Summary {
            conditions: Some(conditions),
            accesses: Accesses::default(),
        }
    }
}

/// What summaries tell of a state.
pub enum Covering {
    /// All executions from it are known.
    All(Summary),
    /// All but those that one of these threads can begin: they slept when the summary was made, and
    /// do not here. That holds only if their next steps do no more here than they did there.
    AllBut {
        missing: Asleep,
        known: Summary,
    },
    /// Those with inputs of which this is true.
    Inputs {
        inputs: TermId,
        known: Summary,
    },
    Nothing,
}

/// How the alternatives at a point go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All of them may happen.
    All,
    /// The state decides which of them happens.
    Any,
}

id!(
    /// A condition, by its place in the list that is made simpler (`merge`, `sums`).
    ConditionId, "condition"
);

id!(
    /// A point on the current path: later ones are greater. In a search without summaries all
    /// points are the first.
    PointId, "p"
);

impl PointId {
    pub const FIRST: PointId = PointId(0);

    /// Before the first one.
    const NONE: PointId = PointId(u32::MAX);

    pub fn next(self) -> PointId {
        PointId(self.0.wrapping_add(1))
    }

    pub fn previous(self) -> Option<PointId> {
        self.0.checked_sub(1).map(PointId)
    }
}

/// A point at which something is decided, and what is known of the alternatives explored so far.
struct Point {
    kind: Kind,
    position: Position,
    /// How long the trail was, and the log of what protects accesses.
    trail: usize,
    protections: usize,
    key: Option<(ControlState, Asleep)>,
    /// What all alternatives so far require. `None`: nothing can be said.
    all: Option<Vec<TermId>>,
    /// What single ones require, of which the state decides which happens.
    any: Vec<Vec<TermId>>,
    accesses: Accesses,
}

impl Point {
    /// Nothing can be said about what follows. Then what is accessed there is of no use, either.
    fn spoil(&mut self) {
        self.all = None;
        self.any = Vec::new();
        self.accesses = Accesses::default();
    }
}

/// What is kept of the points on the current path, and of those that were left.
pub struct Summaries {
    table: Table,
    points: IndexVec<PointId, Point>,
    /// If the summaries are to be explained.
    snapshots: Option<Standings>,
    rest: Rest,
}

impl Summaries {
    pub fn new(summarise: &Summarise) -> Summaries {
        let limits = summarise.limits;
        let explains = summarise.explains.is_some();
        Summaries {
            table: Table::new(limits),
            points: IndexVec::new(),
            snapshots: explains.then(Standings::default),
            rest: Rest::new(if explains { 0 } else { limits.trial }),
        }
    }

    /// The summaries are to be explained.
    pub fn explains(&self) -> bool {
        self.snapshots.is_some()
    }

    /// Nothing is summarised for a while.
    pub fn is_backing_off(&self) -> bool {
        self.rest.is_on()
    }

    /// All that are kept, in the order in which their control states were reached first, if they
    /// are to be explained.
    pub fn published(&self) -> Option<Vec<Published>> {
        let snapshots = self.snapshots.as_ref()?;
        let kept = self.table.iter();
        let published = kept.filter_map(|(key, summary)| {
            Some(Published {
                snapshot: Rc::clone(snapshots.get(key)?),
                asleep: summary.asleep.iter().map(|z| z.0).collect(),
                conditions: summary.conditions.clone(),
            })
        });
        Some(published.collect())
    }

    pub fn statistics(&self) -> Statistics {
        self.table.statistics
    }

    /// What is known of the present state.
    pub fn covering(&mut self, walk: &mut Walk, key: &ControlState, asleep: &Asleep) -> Covering {
        // What is here is the same for all of them.
        let mut here = Here::default();
        let number = |register| here.number(&mut walk.machine, register);
        let candidates = self.table.candidates(key, number);
        let mut cost = Cost::default();
        let mut best: Option<(Candidate, Asleep)> = None;
        let mut partly = Vec::new();
        for candidate in candidates {
            let summary = self.table.summary(candidate);
            let Some(missing) = missing(&summary.asleep, asleep) else {
                continue;
            };
            if best
                .as_ref()
                .is_some_and(|(_, least)| least.len() <= missing.len())
            {
                continue;
            }
            match holds(walk, &mut here, &summary.conditions, &mut cost) {
                Holds::Always if missing.is_empty() => {
                    cost.book(&mut self.table.statistics);
                    return Covering::All(self.table.hit(candidate));
                }
                Holds::Always => best = Some((candidate, missing)),
                Holds::If(condition) if missing.is_empty() => partly.push((candidate, condition)),
                Holds::If(_) | Holds::Not => {}
            }
        }
        cost.book(&mut self.table.statistics);
        match others_left(walk, &partly, &mut self.table.statistics) {
            Feasible::No => {
                let terms = &mut walk.machine.terms;
                return Covering::All(self.table.hit_together(terms, &all_of(&partly)));
            }
            Feasible::Yes(_) => {}
            // Perhaps no inputs are left.
            Feasible::Unknown => partly.clear(),
        }
        if let Some((candidate, missing)) = best {
            let known = self.table.hit(candidate);
            return Covering::AllBut { missing, known };
        }
        // Those that no input can satisfy say nothing here.
        let is_possible = |&(_, condition): &(Candidate, TermId)| {
            matches!(walk.check(&[condition]), Feasible::Yes(_))
        };
        partly.retain(is_possible);
        if partly.is_empty() {
            return Covering::Nothing;
        }
        let terms = &mut walk.machine.terms;
        let conditions: Vec<TermId> = partly.iter().map(|(_, condition)| *condition).collect();
        let inputs = terms.any(&conditions);
        let known = self.table.together(terms, &all_of(&partly));
        Covering::Inputs { inputs, known }
    }

    /// A state is reached of which this is known for some inputs; what follows is about the others.
    pub fn open_remainder(
        &mut self,
        machine: &mut Machine,
        key: (ControlState, Asleep),
        known: &Summary,
    ) {
        self.open(machine, Kind::Any, Some(key), Vec::new());
        if let (Some(point), Some(conditions)) = (self.last_of_interest(), &known.conditions) {
            point.any.push(conditions.clone());
            point.accesses.add(&known.accesses);
        }
    }

    /// What is known of the present state is part of what is known at the last point, which was
    /// opened here.
    pub fn begin_with(&mut self, known: &Summary) {
        if let Some(point) = self.last_of_interest() {
            point.accesses.add(&known.accesses);
            match (&mut point.all, &known.conditions) {
                (Some(all), Some(conditions)) => all.extend(conditions),
                (all, _) => *all = None,
            }
        }
    }

    /// A point is reached at which something is decided.
    pub fn open(
        &mut self,
        machine: &mut Machine,
        kind: Kind,
        key: Option<(ControlState, Asleep)>,
        conditions: Vec<TermId>,
    ) -> PointId {
        if let (Some(snapshots), Some((key, _))) = (&mut self.snapshots, &key) {
            snapshots.note(machine, key);
        }
        let rested = self.is_backing_off();
        if self.rest.begins_at(self.table.statistics.pruned) {
            self.points.iter_mut().for_each(Point::spoil);
            machine.pause_history();
        } else if rested && !self.is_backing_off() {
            machine.resume_history();
        }
        let all = (!self.is_backing_off()).then_some(conditions);
        machine.log_again();
        self.points.push(Point {
            kind,
            position: machine.position(),
            trail: machine.trail_length(),
            protections: machine.protections(),
            key,
            all,
            any: Vec::new(),
            accesses: Accesses::default(),
        })
    }

    /// What is known of the executions from the present state on, at the end of one or instead of
    /// exploring it. `step`: if nothing but this lies between it and the last point.
    pub fn deliver(&mut self, machine: &mut Machine, mut known: Summary, step: Option<Crossed>) {
        self.rest.end_run();
        if let Some(step) = step {
            known.accesses.precede(step);
        }
        let position = machine.position();
        self.add(machine, position, known);
    }

    /// The last point. There is none where an execution fails before anything was decided.
    pub fn last(&self) -> PointId {
        match self.points.len() {
            0 => PointId::NONE,
            count => PointId::from(count - 1),
        }
    }

    /// What was accessed since the last point, though nothing else of it counts.
    pub fn note_recorded(&mut self, machine: &Machine) {
        if let Some(point) = self.last_of_interest() {
            let (trail, protections) = (point.trail, point.protections);
            point.accesses.add_since(machine, trail, protections);
        }
    }

    /// Nothing can be said about what follows the last point.
    pub fn spoil(&mut self) {
        if let Some(point) = self.points.last_mut() {
            point.spoil();
        }
    }

    fn last_of_interest(&mut self) -> Option<&mut Point> {
        self.points.last_mut().filter(|point| point.all.is_some())
    }

    /// Whether something may still be said about what follows the last point.
    pub fn is_of_interest(&self) -> bool {
        let last = self.points.last();
        last.is_some_and(|point| point.all.is_some())
    }

    /// Where the point is, if it is the last one and of interest.
    pub fn position_of(&self, point: PointId) -> Option<Position> {
        let last = self.points.last().filter(|p| p.all.is_some())?;
        (self.points.next_id() == point.next()).then_some(last.position)
    }

    /// What follows the point is so only under these conditions on the state there. The point must
    /// be the last one.
    pub fn require(&mut self, point: PointId, conditions: Option<&[TermId]>) {
        let is_last = self.points.next_id() == point.next();
        match (self.last_of_interest(), conditions) {
            (Some(point), Some(conditions)) if is_last => {
                let all = point.all.as_mut().expect("a point of interest");
                all.extend(conditions);
            }
            _ => self.spoil(),
        }
    }

    /// A step from the last point on accesses this.
    pub fn note_access(&mut self, access: Visible) {
        if let Some(point) = self.last_of_interest() {
            point.accesses.note(access);
        }
    }

    /// Everything after the point `first` and the later ones was explored. `step`: if nothing but
    /// this lies between the point before and `first`.
    pub fn close_from(&mut self, machine: &mut Machine, first: PointId, step: Option<Crossed>) {
        if self.rest.is_overdue(self.table.statistics.pruned) {
            self.points.iter_mut().for_each(Point::spoil);
        }
        while self.points.next_id() > first {
            let point = self.points.pop().expect("a point");
            let mut conditions = self.combined(machine, &point);
            if let Some(conditions) = &mut conditions {
                simplify(machine, conditions);
            }
            if let (Some((key, asleep)), Some(conditions)) = (point.key, &conditions) {
                let place = (key, pins(machine, conditions));
                let terms = &mut machine.terms;
                self.table
                    .publish(terms, place, asleep, conditions, &point.accesses);
            }
            let mut known = Summary {
                conditions,
                accesses: point.accesses,
            };
            if let Some(step) = step.filter(|_| self.points.next_id() == first) {
                known.accesses.precede(step);
            }
            self.add(machine, point.position, known);
        }
    }

    fn combined(&mut self, machine: &mut Machine, point: &Point) -> Option<Vec<TermId>> {
        let mut all = point.all.clone()?;
        if point.kind == Kind::Any {
            let terms = &mut machine.terms;
            let mut any = terms.bool(false);
            match point.any.as_slice() {
                [] => return None,
                [only] => {
                    all.extend(only);
                    return Some(all);
                }
                _ => {}
            }
            for conditions in &point.any {
                let mut side = terms.bool(true);
                for condition in conditions {
                    side = terms.and(side, *condition);
                }
                any = terms.or(any, side);
            }
            match terms.as_constant(any) {
                Some(1) => {}
                Some(_) => return None,
                None => all.push(any),
            }
        }
        Some(all)
    }

    /// Takes what is known at a later position back to the last point.
    fn add(&mut self, machine: &mut Machine, position: Position, known: Summary) {
        let Some(point) = self.points.last_mut().filter(|p| p.all.is_some()) else {
            return;
        };
        point.accesses.add(&known.accesses);
        let (trail, protections) = (point.trail, point.protections);
        point.accesses.add_since(machine, trail, protections);
        let limits = self.table.limits;
        let conditions = match (&point.all, known.conditions) {
            (Some(_), Some(conditions)) => {
                machine.weakest_precondition(point.position, position, &conditions)
            }
            _ => None,
        };
        let size = |conditions: &Vec<TermId>| table::size(&machine.terms, conditions);
        self.rest.spend(conditions.as_ref().map_or(0, size));
        let conditions = conditions.filter(|conditions| size(conditions) <= limits.size);
        if let (None, Some(_)) = (&conditions, &point.all) {
            self.table.statistics.given_up += 1;
        }
        match (point.kind, conditions, &mut point.all) {
            (Kind::All, Some(conditions), Some(all)) => {
                let known: FxHashSet<TermId> = all.iter().copied().collect();
                all.extend(conditions.into_iter().filter(|c| !known.contains(c)));
            }
            (Kind::Any, Some(conditions), Some(_)) => point.any.push(conditions),
            _ => point.spoil(),
        }
    }
}

/// The threads that slept when a summary was made and do not sleep here. `None`: one of them sleeps
/// here with another next step, which does more; then what was left out there may not be left out
/// here.
fn missing(slept: &Asleep, asleep: &Asleep) -> Option<Asleep> {
    let mut missing = Asleep::new();
    for (thread, effects) in slept {
        match asleep.iter().find(|(other, _)| other == thread) {
            None => missing.push((*thread, effects.clone())),
            Some((_, now)) if now.iter().all(|effect| effects.contains(effect)) => {}
            Some(_) => return None,
        }
    }
    Some(missing)
}

fn all_of(partly: &[(Candidate, TermId)]) -> Vec<Candidate> {
    partly.iter().map(|(candidate, _)| *candidate).collect()
}

/// The registers that conditions on the present state fix. What depends on inputs is not looked for
/// by its number.
fn pins(machine: &mut Machine, conditions: &[TermId]) -> Pins {
    let mut here = Here::default();
    let mut pins = Pins::default();
    for condition in conditions {
        let Node::Cmp(CmpOp::Eq, register, number) = *machine.terms.node(*condition) else {
            continue;
        };
        let (Node::Input(input), Some(number)) = (
            *machine.terms.node(register),
            machine.terms.as_constant(number),
        ) else {
            continue;
        };
        let is_register = matches!(machine.location_of(input), Some(Location::Register { .. }));
        if is_register && here.number(machine, register) == Some(number) {
            pins.registers.push(register);
            pins.numbers.push(number);
        }
    }
    pins.in_order()
}

/// Makes what is required of the present state simpler. Never does it require less afterwards.
fn simplify(machine: &mut Machine, conditions: &mut Vec<TermId>) {
    merge::simplify(&mut machine.terms, conditions);
    let Some(fewer) = sums::fewer(&mut machine.terms, conditions) else {
        return;
    };
    let mut here = Here::default();
    let mut small = fewer.small.iter();
    if small.all(|c| here.value_of(machine, *c) == Some(true)) {
        *conditions = [fewer.small, fewer.others].concat();
        merge::simplify(&mut machine.terms, conditions);
    }
}

/// Whether the fault is met again wherever the conditions hold that led to it. They say which way
/// jumps went and which threads could not go on, but not which address or lock was bad.
pub fn happens_again(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::Assertion(_) | Fault::Abort(_) | Fault::Deadlock
    )
}

/// That the threads that cannot go on could not.
pub fn disabled(machine: &mut Machine) -> Option<Vec<TermId>> {
    let mut conditions = Vec::new();
    let threads: Vec<_> = machine.thread_ids().collect();
    for thread in threads {
        let Status::Parked { guard, .. } = machine.status(thread) else {
            continue;
        };
        if machine.enabled().iter().any(|e| e.thread == thread) {
            continue;
        }
        match guard {
            // What they wait for is control state.
            Guard::Always
            | Guard::Spin
            | Guard::Leaving { .. }
            | Guard::Ended(_)
            | Guard::Alone
            | Guard::Await
            | Guard::Assumption
            | Guard::Condition {
                signalled: false, ..
            } => {}
            Guard::Zero(address) | Guard::Condition { mutex: address, .. } => {
                let word = machine.cell(address, 4);
                let free = machine.terms.constant(32, 0);
                let is_taken = machine.terms.cmp(CmpOp::Ne, word, free);
                let destroyed = machine.terms.constant(32, u128::from(u32::MAX));
                let is_there = machine.terms.cmp(CmpOp::Ne, word, destroyed);
                conditions.extend([is_taken, is_there]);
            }
            Guard::Positive(address)
            | Guard::Once(address)
            | Guard::RwLock { address, .. }
            | Guard::Barrier { address, .. } => {
                for at in [address, address + 4, address + 8] {
                    let location = Location::Cell {
                        address: at,
                        bytes: 4,
                    };
                    let Some(value) = machine.value_at(location) else {
                        continue;
                    };
                    if !value.is_concrete() {
                        return None;
                    }
                    let word = machine.cell(at, 4);
                    let number = machine.terms.constant(32, u128::from(value.bits));
                    conditions.push(machine.terms.cmp(CmpOp::Eq, word, number));
                }
            }
        }
    }
    Some(conditions)
}
