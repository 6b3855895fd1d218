//! The analysis itself: functions are visited in states until no exit changes.

use std::collections::{BTreeSet, VecDeque};

use analysis::external::{self, Class};
use analysis::{
    Address, Addresses, ContextId, NodeId, Program, Situation, Stands, ThreadId, Threads, call_at,
    is_final,
};
use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{BlockId, Call, Const, FuncId, LandingPad, Op, Target, Terminator, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::crossing::{Outcome, also, outside};
use super::flags::{Flag, flags};
use super::jumps::jumps_back;
use super::may_held::Lockers;
use super::moments::shared_nodes;
use super::operations::section;
use super::state::{Lock, LockState};
use super::unlocking::unlocking;
use super::{Locks, Moment, Visit, VisitId};

/// A function that is entered in more states than this by one thread is visited once more, in all
/// that come after.
const MOST_STATES: usize = 16;
/// The same if states are coarse.
const FEW_STATES: usize = 2;
/// How many locks may be carried into functions before states become coarse: several times what the
/// largest programs of the benchmarks need, and a second.
pub(super) const MOST_CARRIED: usize = 200_000;
/// Stands for a place in the entry state of a visit that stands for several states: which one is
/// not known.
const SOMEWHERE: u16 = u16::MAX;

pub fn locks(program: Program, threads: &Threads, mut most_carried: Option<usize>) -> Locks {
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let mut flags = flags(program, threads);
    loop {
        let Some(locks) = locks_with(program, threads, &flags, most_carried) else {
            most_carried = None;
            continue;
        };
        // If a thread may clear one that it has not set, none of them is a lock.
        let is_held = |moment: &Moment| {
            points_to
                .entered(moment.node)
                .all(|callee| match flags.get(&callee) {
                    Some(Flag::Clears(address)) => {
                        let function = nodes.function(moment.node);
                        let call = call_at(module, nodes, moment.node).expect("a call");
                        let lock = outside(program, threads, function, call, callee, address);
                        lock != Lock::Nameless && moment.held.is_certain(&lock)
                    }
                    _ => true,
                })
        };
        if flags.is_empty() || locks.moments.iter().all(is_held) {
            return locks;
        }
        flags.clear();
    }
}

/// `None`: that takes too many steps.
fn locks_with(
    program: Program,
    threads: &Threads,
    flags: &FxHashMap<FuncId, Flag>,
    most_carried: Option<usize>,
) -> Option<Locks> {
    let is_coarse = most_carried.is_none();
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let mut walk = Walk {
        program,
        threads,
        addresses: &threads.addresses,
        visits: IndexVec::new(),
        known: FxHashMap::default(),
        states: FxHashMap::default(),
        general: FxHashMap::default(),
        waiting: IndexVec::new(),
        waits: FxHashSet::default(),
        pending: VecDeque::new(),
        queued: FxHashSet::default(),
        depth: 0,
        shared: shared_nodes(nodes, points_to, threads),
        jumps_back: jumps_back(module, nodes, points_to),
        flags,
        lockers: is_coarse.then(Lockers::default),
        unlocking: match is_coarse {
            true => unlocking(program, flags),
            false => FixedBitSet::new(),
        },
        carried: 0,
        most_carried: most_carried.unwrap_or(usize::MAX),
        listed: FxHashMap::default(),
    };
    for thread in threads.threads().ids() {
        for &root in threads.roots(thread) {
            walk.start(thread, root);
        }
    }
    // In turn, so that a visit finds all that has changed below it since it was there last.
    while let Some(visit) = walk.pending.pop_front() {
        if walk.queued.remove(&visit) {
            walk.pass(visit, None);
        }
        if walk.is_too_much() {
            return None;
        }
    }
    let mut moments = Vec::new();
    for visit in walk.visits.ids() {
        walk.pass(visit, Some(&mut moments));
    }
    moments.sort_by_key(|moment| (moment.node, moment.visit));
    // What a thread holds when it ends.
    for visit in walk.visits.ids() {
        if walk.visits[visit].caller.is_none()
            && let Some(exit) = walk.visits[visit].exit.take()
        {
            walk.visits[visit].exit = Some(match is_coarse {
                true => walk.listed(&exit, true),
                false => exit,
            });
        }
    }
    Some(Locks {
        visits: walk.visits,
        moments,
    })
}

/// What is visited: a function, its context, the thread, and whether the thread starts with it. The
/// argument with which a thread starts need not be that with which it calls the same function
/// (`apart.rs`).
type Kind = (FuncId, Option<ContextId>, ThreadId, bool);
type Key = (Kind, Situation, LockState);

/// How the execution of a block comes out.
#[derive(Default)]
struct Followed {
    /// It gets to its end.
    ends: bool,
    /// What is held where an exception lands in the pad of the call at its end.
    lands: Option<LockState>,
    /// What is held where an exception leaves the function.
    escapes: Option<LockState>,
}

impl Followed {
    fn goes_on(&mut self, state: &mut LockState, returned: Option<LockState>) {
        match returned {
            Some(after) => *state = after,
            None => self.ends = false,
        }
    }
}

pub(super) struct Walk<'a> {
    pub(super) program: Program<'a>,
    pub(super) threads: &'a Threads,
    pub(super) addresses: &'a Addresses,
    pub(super) visits: IndexVec<VisitId, Visit>,
    known: FxHashMap<Key, VisitId>,
    /// How many states there are.
    states: FxHashMap<Kind, usize>,
    /// The visits that stand for all further states.
    general: FxHashMap<Kind, VisitId>,
    /// The visits that are repeated when the exit of a visit changes: its callers.
    pub(super) waiting: IndexVec<VisitId, Vec<VisitId>>,
    /// The same as pairs.
    pub(super) waits: FxHashSet<(VisitId, VisitId)>,
    pub(super) pending: VecDeque<VisitId>,
    /// Those of them that have not had their turn.
    pub(super) queued: FxHashSet<VisitId>,
    pub(super) depth: u32,
    /// Calls like `setjmp` may return again.
    pub(super) jumps_back: bool,
    pub(super) flags: &'a FxHashMap<FuncId, Flag>,
    /// Nodes that touch what threads share.
    pub(super) shared: FxHashSet<NodeId>,
    /// If states are coarse.
    pub(super) lockers: Option<Lockers>,
    /// Functions that may unlock something, they or what they call. Only if states are coarse.
    pub(super) unlocking: FixedBitSet,
    /// How many locks have been carried into functions.
    pub(super) carried: usize,
    most_carried: usize,
    /// States as they are listed in moments.
    pub(super) listed: FxHashMap<LockState, LockState>,
}

/// Both ways may have come here. Whether that is new.
fn merge(known: &mut LockState, other: &LockState, lockers: &mut Option<Lockers>) -> bool {
    let Some(lockers) = lockers else {
        return known.merge(other);
    };
    let before = known.clone();
    known.merge(other);
    lockers.settle(known);
    *known != before
}

impl Walk<'_> {
    fn start(&mut self, thread: ThreadId, root: ContextId) {
        let function = self.threads.function_of(root);
        // A thread may start with a function that the program does not define.
        if self.program.module.functions[function].body.is_none() {
            return;
        }
        let alive = self.threads.alive_at_entry(root);
        self.enter(
            function,
            Some(root),
            Situation { thread, alive },
            LockState::default(),
            None,
        );
    }

    /// The visit for this state.
    pub(super) fn enter(
        &mut self,
        function: FuncId,
        context: Option<ContextId>,
        mut situation: Situation,
        mut entry: LockState,
        caller: Option<(VisitId, NodeId)>,
    ) -> VisitId {
        let apart = self.threads.is_told_apart(function);
        let context = context.filter(|_| apart);
        if apart {
            // The context says which threads are alive.
            situation.alive = FixedBitSet::new();
        }
        self.settle(&mut entry);
        if external::is_atomic(&self.program.module.functions[function]) {
            entry.lock(section(
                self.program
                    .nodes
                    .of_function(function)
                    .next()
                    .expect("a body"),
            ));
        }
        let kind = (function, context, situation.thread, caller.is_none());
        let key = (kind, situation, entry);
        if let Some(&visit) = self.known.get(&key) {
            return visit;
        }
        let (_, situation, mut entry) = key.clone();
        let most = match self.lockers {
            Some(_) => FEW_STATES,
            None => MOST_STATES,
        };
        let count = self.states.entry(kind).or_default();
        *count += 1;
        let count = *count;
        if count > most {
            let mut held = entry.held.to_vec();
            for held in &mut held {
                held.inherited = Some(SOMEWHERE);
            }
            let may_held = entry.may_held;
            entry = LockState::of(held);
            entry.may_held = may_held;
        }
        if count > most
            && let Some(&general) = self.general.get(&kind)
        {
            let visit = &mut self.visits[general];
            let mut changed = merge(&mut visit.entry, &entry, &mut self.lockers);
            if !situation.alive.is_subset(&visit.situation.alive) {
                visit.situation.alive.union_with(&situation.alive);
                changed = true;
            }
            if changed {
                self.queue(general);
            }
            return general;
        }
        let visit = self.visits.push(Visit {
            function,
            situation,
            caller,
            entry,
            exit: None,
            thrown: None,
            context,
        });
        self.waiting.push(Vec::new());
        if count > most {
            self.general.insert(kind, visit);
        } else {
            self.known.insert(key, visit);
        }
        self.queue(visit);
        visit
    }

    fn queue(&mut self, visit: VisitId) {
        if self.queued.insert(visit) {
            self.pending.push_back(visit);
        }
    }

    /// Follows the function from its entry. With `moments`, notes what is held where; nothing
    /// changes any more then.
    pub(super) fn pass(&mut self, visit: VisitId, moments: Option<&mut Vec<Moment>>) {
        let module = self.program.module;
        let function = self.visits[visit].function;
        let body = module.functions[function].body.as_ref().expect("a body");
        let mut states: Vec<Option<LockState>> = vec![None; body.blocks.len()];
        states[0] = Some(self.visits[visit].entry.clone());
        // The first comes first: most of what leads to a block stands before it.
        let mut left = BTreeSet::from([BlockId(0)]);
        let (mut exit, mut thrown) = (None, None);
        while let Some(block) = left.pop_first() {
            if moments.is_none() && self.is_too_much() {
                return;
            }
            let mut state = states[block.index()].clone().expect("it was reached");
            let followed = self.follow(visit, block, &mut state);
            also(&mut thrown, followed.escapes);
            let terminator = &body.blocks[block].terminator;
            match terminator {
                Terminator::Ret(_) if followed.ends => also(&mut exit, Some(state.clone())),
                Terminator::Resume { .. } if followed.ends => {
                    also(&mut thrown, Some(state.clone()));
                }
                _ => {}
            }
            let mut edges: Vec<(&Target, LockState)> = Vec::new();
            match terminator {
                Terminator::CondBr { cond, then, other } => {
                    let mut sides = [state.clone(), state.clone()];
                    let mut taken = [true, true];
                    if let Some((result, zero_side)) = self.tested(function, *cond) {
                        sides[zero_side].learn(result, true);
                        sides[1 - zero_side].learn(result, false);
                        taken[1 - zero_side] = self.jumps_back || !self.is_saved(function, result);
                    }
                    let sides = [then, other].into_iter().zip(sides).zip(taken);
                    edges.extend(sides.filter(|(_, taken)| *taken).map(|(side, _)| side));
                }
                Terminator::Br(target) => edges.push((target, state.clone())),
                Terminator::Switch {
                    value,
                    cases,
                    default,
                } => {
                    for (case, target) in cases {
                        let mut side = state.clone();
                        side.learn(*value, *case == 0);
                        edges.push((target, side));
                    }
                    edges.push((default, state.clone()));
                }
                Terminator::Invoke { normal, unwind, .. } => {
                    edges.push((normal, state.clone()));
                    if let Some(landed) = followed.lands {
                        self.arrive(function, &mut states, &mut left, unwind.block, landed);
                    }
                }
                Terminator::IndirectBr { targets, .. } => {
                    for target in targets {
                        self.arrive(function, &mut states, &mut left, *target, state.clone());
                    }
                }
                _ => {}
            }
            if followed.ends {
                for (target, state) in edges {
                    self.arrive(function, &mut states, &mut left, target.block, state);
                }
            }
        }
        if let Some(moments) = moments {
            for (index, state) in states.into_iter().enumerate() {
                if let Some(state) = state {
                    self.note(visit, BlockId::from(index), state, moments);
                }
            }
            return;
        }
        let Visit {
            exit: known_exit,
            thrown: known_thrown,
            ..
        } = &mut self.visits[visit];
        let mut changed = false;
        for (known, new) in [(known_exit, exit), (known_thrown, thrown)] {
            changed |= match (known.as_mut(), new) {
                (_, None) => false,
                (Some(known), Some(new)) => merge(known, &new, &mut self.lockers),
                (None, new) => {
                    *known = new;
                    true
                }
            };
        }
        if changed {
            for caller in self.waiting[visit].clone() {
                self.queue(caller);
            }
        }
    }

    /// In a coarse state only what is certain is told apart.
    pub(super) fn settle(&mut self, state: &mut LockState) {
        if let Some(lockers) = &mut self.lockers {
            lockers.settle(state);
        }
    }

    fn is_too_much(&self) -> bool {
        self.carried > self.most_carried
    }

    fn arrive(
        &mut self,
        function: FuncId,
        states: &mut [Option<LockState>],
        left: &mut BTreeSet<BlockId>,
        block: BlockId,
        mut state: LockState,
    ) {
        let body = self.program.module.functions[function].body.as_ref();
        for &param in &body.expect("a body").blocks[block].params {
            self.assign(function, param, &mut state);
        }
        self.settle(&mut state);
        let is_more = match &mut states[block.index()] {
            Some(known) => merge(known, &state, &mut self.lockers),
            None => {
                states[block.index()] = Some(state);
                true
            }
        };
        if is_more {
            left.insert(block);
        }
    }

    /// A value is assigned: locks whose address it is part of lose their name.
    pub(super) fn assign(&self, function: FuncId, value: ValueId, state: &mut LockState) {
        let is_lost = |address: &Address| self.addresses.mentions(function, address, value);
        state.forget(is_lost, value);
    }

    /// Executes the block.
    fn follow(&mut self, visit: VisitId, block: BlockId, state: &mut LockState) -> Followed {
        let Program { module, nodes, .. } = self.program;
        let function = self.visits[visit].function;
        let mut followed = Followed {
            ends: true,
            ..Followed::default()
        };
        for node in nodes.of_block(function, block) {
            match nodes.stands_for(module, node) {
                Stands::Inst(inst) => {
                    if !state.held.is_empty() {
                        inst.op
                            .for_each_result(|dst| self.assign(function, dst, state));
                    }
                    if let Op::Call(call) = &inst.op {
                        let outcome = self.call(visit, node, call, state);
                        also(&mut followed.escapes, outcome.thrown);
                        followed.goes_on(state, outcome.returned);
                        if !followed.ends {
                            return followed;
                        }
                    }
                }
                Stands::Terminator(Terminator::Invoke { call, unwind, .. }) => {
                    for &dst in &call.results {
                        self.assign(function, dst, state);
                    }
                    let outcome = self.call(visit, node, call, state);
                    // An unmodelled function may throw as well.
                    followed.lands = Some(state.clone());
                    also(&mut followed.lands, outcome.thrown.clone());
                    if !self.catches_all(function, unwind) {
                        also(&mut followed.escapes, outcome.thrown);
                    }
                    followed.goes_on(state, outcome.returned);
                }
                Stands::Terminator(_) => {}
            }
        }
        followed
    }

    fn catches_all(&self, function: FuncId, pad: &LandingPad) -> bool {
        let body = self.program.module.functions[function].body.as_ref();
        let values = &body.expect("a body").values;
        let is_null = |value: &ValueId| values[*value].constant == Some(Const::Bits(0));
        pad.cleanup || pad.catches.iter().any(is_null)
    }

    pub(super) fn call(
        &mut self,
        visit: VisitId,
        node: NodeId,
        call: &Call,
        state: &LockState,
    ) -> Outcome {
        let Program { points_to, .. } = self.program;
        let mut outcome = Outcome::default();
        if points_to.callees(node).is_empty() {
            outcome.returned = Some(state.clone());
            return outcome;
        }
        for external in points_to.externals(node) {
            if external.class == Class::Throws {
                also(&mut outcome.thrown, Some(state.clone()));
            }
            if is_final(external.class) {
                continue;
            }
            let mut state = state.clone();
            self.operate(visit, node, call, external.class, &mut state);
            also(&mut outcome.returned, Some(state));
        }
        let callees: Vec<FuncId> = points_to.entered(node).collect();
        for callee in callees {
            outcome.merge(self.descend(visit, node, call, callee, state));
        }
        for state in [&mut outcome.returned, &mut outcome.thrown] {
            state.iter_mut().for_each(|state| self.settle(state));
        }
        outcome
    }

    /// The threads alive at the node. `None`: it is not reached.
    pub(super) fn situation(&self, visit: VisitId, node: NodeId) -> Option<Situation> {
        let here = &self.visits[visit];
        match here.context {
            Some(context) => self.threads.situation_in(self.program, context, node),
            None => Some(here.situation.clone()),
        }
    }
}
