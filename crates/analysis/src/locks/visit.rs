//! The analysis itself: functions are visited in states until no exit changes.

use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{BlockId, Call, CmpOp, Const, FuncId, Module, Op, Target, Terminator, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::flags::{Flag, flags};
use super::identity::{locked_by, may_be_at, sets_meet};
use super::jumps::jumps_back;
use super::state::{Held, LONGEST_PATH, Lock, LockState, MOST_COUNTED, Path};
use super::{Locks, Moment, Visit, VisitId};
use crate::address::{Address, Addresses};
use crate::callgraph::call_at;
use crate::calls::{entered, externals, is_final};
use crate::external::{self, Class, Mode, Sync, Wait};
use crate::node::{NodeId, Nodes, Stands};
use crate::points_to::{PlaceSet, PointsTo};
use crate::threads::{ContextId, Program, Situation, ThreadId, Threads};

/// A function that is entered in more states than this by one thread is visited once more, in all that come after.
const MOST_STATES: usize = 16;
/// In a visit for many states, nothing is known of where it is held since.
const SOMEWHERE: u16 = u16::MAX;
/// Calls that are followed at once; others wait for their turn.
const DEEPEST: u32 = 200;

pub fn locks(module: &Module, nodes: &Nodes, points_to: &PointsTo, threads: &Threads) -> Locks {
    let program = Program {
        module,
        nodes,
        points_to,
    };
    let mut flags = flags(program, threads);
    loop {
        let locks = locks_with(module, nodes, points_to, threads, &flags);
        // If one may be cleared by who has not set it, none of them is a lock.
        let is_held = |moment: &Moment| {
            entered(module, points_to, moment.node).all(|callee| match flags.get(&callee) {
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

fn locks_with(
    module: &Module,
    nodes: &Nodes,
    points_to: &PointsTo,
    threads: &Threads,
    flags: &FxHashMap<FuncId, Flag>,
) -> Locks {
    let mut walk = Walk {
        program: Program {
            module,
            nodes,
            points_to,
        },
        threads,
        addresses: &threads.addresses,
        visits: IndexVec::new(),
        known: FxHashMap::default(),
        states: FxHashMap::default(),
        general: FxHashMap::default(),
        waiting: IndexVec::new(),
        pending: Vec::new(),
        queued: FxHashSet::default(),
        depth: 0,
        shared: shared_nodes(nodes, points_to, threads),
        jumps_back: jumps_back(module, nodes, points_to),
        flags,
    };
    for (thread, started) in threads.tree.threads.enumerate() {
        for &root in &started.roots {
            walk.start(thread, root);
        }
    }
    while let Some(visit) = walk.pending.pop() {
        walk.queued.remove(&visit);
        walk.pass(visit, None);
    }
    let mut moments = Vec::new();
    for visit in walk.visits.ids() {
        walk.pass(visit, Some(&mut moments));
    }
    moments.sort_by_key(|moment| (moment.node, moment.visit));
    Locks {
        visits: walk.visits,
        moments,
    }
}

type Key = (FuncId, Option<ContextId>, Situation, LockState);

struct Walk<'a> {
    program: Program<'a>,
    threads: &'a Threads,
    addresses: &'a Addresses,
    visits: IndexVec<VisitId, Visit>,
    known: FxHashMap<Key, VisitId>,
    /// How many states there are.
    states: FxHashMap<(FuncId, Option<ContextId>, ThreadId), usize>,
    /// The visits that stand for all further states.
    general: FxHashMap<(FuncId, Option<ContextId>, ThreadId), VisitId>,
    /// Who is to be told when the exit of a visit changes.
    waiting: IndexVec<VisitId, Vec<VisitId>>,
    pending: Vec<VisitId>,
    queued: FxHashSet<VisitId>,
    depth: u32,
    /// Calls like `setjmp` may return again.
    jumps_back: bool,
    flags: &'a FxHashMap<FuncId, Flag>,
    /// Nodes that touch what threads share.
    shared: FxHashSet<NodeId>,
}

fn shared_nodes(nodes: &Nodes, points_to: &PointsTo, threads: &Threads) -> FxHashSet<NodeId> {
    let all = (0..nodes.len()).map(NodeId::from);
    let touches = |node: &NodeId| {
        let mut accesses = points_to.accesses(*node).iter();
        accesses.any(|access| {
            let mut objects = points_to.objects_of(access);
            objects.any(|object| threads.escapes(object))
        })
    };
    all.filter(touches).collect()
}

impl Walk<'_> {
    fn start(&mut self, thread: ThreadId, root: ContextId) {
        let function = self.threads.tree.contexts[root].function;
        let alive = match &self.threads.alive {
            Some(alive) => alive.entry(root).clone(),
            None => self.threads.all(),
        };
        self.enter(
            function,
            Some(root),
            Situation { thread, alive },
            LockState::default(),
            None,
        );
    }

    /// The visit for this state.
    fn enter(
        &mut self,
        function: FuncId,
        context: Option<ContextId>,
        mut situation: Situation,
        mut entry: LockState,
        caller: Option<(VisitId, NodeId)>,
    ) -> VisitId {
        let apart = self.threads.tree.relevant.contains(function.index());
        let context = context.filter(|_| apart);
        if apart {
            // The context knows who is alive.
            situation.alive = FixedBitSet::new();
        }
        if external::is_atomic(&self.program.module.functions[function]) {
            entry.lock(section(
                self.program
                    .nodes
                    .of_function(function)
                    .next()
                    .expect("a body"),
            ));
        }
        let key = (function, context, situation, entry);
        if let Some(&visit) = self.known.get(&key) {
            return visit;
        }
        let (function, context, situation, mut entry) = key.clone();
        let kind = (function, context, situation.thread);
        let count = self.states.entry(kind).or_default();
        *count += 1;
        if *count > MOST_STATES {
            for held in &mut entry.held {
                held.inherited = Some(SOMEWHERE);
            }
            entry.tidy();
        }
        if *count > MOST_STATES
            && let Some(&general) = self.general.get(&kind)
        {
            let visit = &mut self.visits[general];
            let mut changed = visit.entry.merge(&entry);
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
            context,
        });
        self.waiting.push(Vec::new());
        if self.states[&kind] > MOST_STATES {
            self.general.insert(kind, visit);
        } else {
            self.known.insert(key, visit);
        }
        self.queue(visit);
        visit
    }

    fn queue(&mut self, visit: VisitId) {
        if self.queued.insert(visit) {
            self.pending.push(visit);
        }
    }

    /// Follows the function from its entry. With `moments`, notes what is held where; nothing changes any more then.
    fn pass(&mut self, visit: VisitId, moments: Option<&mut Vec<Moment>>) {
        let module = self.program.module;
        let function = self.visits[visit].function;
        let body = module.functions[function].body.as_ref().expect("a body");
        let mut states: Vec<Option<LockState>> = vec![None; body.blocks.len()];
        states[0] = Some(self.visits[visit].entry.clone());
        let mut stack = vec![BlockId(0)];
        let mut exit: Option<LockState> = None;
        while let Some(block) = stack.pop() {
            let mut state = states[block.index()].clone().expect("it was reached");
            let before_end = self.follow(visit, block, &mut state);
            let terminator = &body.blocks[block].terminator;
            if matches!(terminator, Terminator::Ret(_)) && before_end.is_ok() {
                match &mut exit {
                    Some(exit) => {
                        exit.merge(&state);
                    }
                    None => exit = Some(state.clone()),
                }
            }
            let mut edges: Vec<(&Target, LockState)> = Vec::new();
            let mut pad = None;
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
                    if before_end.is_ok() {
                        edges.push((normal, state.clone()));
                    }
                    pad = Some(unwind.block);
                }
                Terminator::IndirectBr { targets, .. } => {
                    for target in targets {
                        self.arrive(function, &mut states, &mut stack, *target, state.clone());
                    }
                }
                _ => {}
            }
            if let Some(pad) = pad {
                let thrown = match &before_end {
                    Ok(Some(before)) | Err(Some(before)) => before.clone(),
                    _ => state.clone(),
                };
                self.arrive(function, &mut states, &mut stack, pad, thrown);
            }
            if before_end.is_ok() {
                for (target, state) in edges {
                    self.arrive(function, &mut states, &mut stack, target.block, state);
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
        let Some(exit) = exit else { return };
        let known = &mut self.visits[visit].exit;
        let changed = match known {
            Some(known) => known.merge(&exit),
            None => {
                *known = Some(exit);
                true
            }
        };
        if changed {
            for caller in self.waiting[visit].clone() {
                self.queue(caller);
            }
        }
    }

    fn arrive(
        &self,
        function: FuncId,
        states: &mut [Option<LockState>],
        stack: &mut Vec<BlockId>,
        block: BlockId,
        mut state: LockState,
    ) {
        let body = self.program.module.functions[function].body.as_ref();
        for &param in &body.expect("a body").blocks[block].params {
            self.assign(function, param, &mut state);
        }
        let is_more = match &mut states[block.index()] {
            Some(known) => known.merge(&state),
            None => {
                states[block.index()] = Some(state);
                true
            }
        };
        if is_more {
            stack.push(block);
        }
    }

    /// A value is assigned: locks whose address it is part of lose their name.
    fn assign(&self, function: FuncId, value: ValueId, state: &mut LockState) {
        for held in &mut state.held {
            if let Lock::At(address) = &held.lock
                && self.addresses.mentions(function, address, value)
            {
                held.lock = Lock::Nameless;
            }
            if held.pending == Some(value) {
                held.pending = None;
            }
        }
    }

    /// Executes the block. The error says that it does not get to its end. Both tell the state before an invoked call.
    fn follow(
        &mut self,
        visit: VisitId,
        block: BlockId,
        state: &mut LockState,
    ) -> Result<Option<LockState>, Option<LockState>> {
        let Program { module, nodes, .. } = self.program;
        let function = self.visits[visit].function;
        let mut before = None;
        for node in nodes.of_block(function, block) {
            match nodes.stands_for(module, node) {
                Stands::Inst(inst) => {
                    if !state.held.is_empty() {
                        inst.op
                            .for_each_result(|dst| self.assign(function, dst, state));
                    }
                    if let Op::Call(call) = &inst.op
                        && !self.call(visit, node, call, state)
                    {
                        return Err(None);
                    }
                }
                Stands::Terminator(Terminator::Invoke { call, .. }) => {
                    before = Some(state.clone());
                    if !self.call(visit, node, call, state) {
                        return Err(before);
                    }
                }
                Stands::Terminator(_) => {}
            }
        }
        Ok(before)
    }

    /// Whether the call returns.
    fn call(&mut self, visit: VisitId, node: NodeId, call: &Call, state: &mut LockState) -> bool {
        let Program {
            module, points_to, ..
        } = self.program;
        let mut after: Option<LockState> = None;
        let join = |after: &mut Option<LockState>, state: LockState| match after {
            Some(after) => {
                after.merge(&state);
            }
            None => *after = Some(state),
        };
        if points_to.callees(node).is_empty() {
            return true;
        }
        for external in externals(module, points_to, node) {
            if is_final(external.class) {
                continue;
            }
            let mut state = state.clone();
            self.operate(visit, node, call, external.class, &mut state);
            join(&mut after, state);
        }
        let callees: Vec<FuncId> = entered(module, points_to, node).collect();
        for callee in callees {
            if let Some(state) = self.descend(visit, node, call, callee, state) {
                join(&mut after, state);
            }
        }
        match after {
            Some(after) => {
                *state = after;
                true
            }
            None => false,
        }
    }

    /// An operation on a lock.
    fn operate(
        &self,
        visit: VisitId,
        node: NodeId,
        call: &Call,
        class: Class,
        state: &mut LockState,
    ) {
        let function = self.visits[visit].function;
        match class {
            Class::BeginsAtomic => state.lock(section(node)),
            Class::EndsAtomic => {
                let sections: Vec<usize> = positions(state, |held| held.lock == Lock::Sections);
                state.unlock(&sections);
            }
            Class::Synchronises(Sync::Lock { lock, mode, wait }) => {
                let Some(&operand) = call.args.get(lock) else {
                    return;
                };
                state.lock(Held {
                    lock: Lock::At(self.addresses.get(function, operand).clone()),
                    path: Path::from_slice(&[node]),
                    shared: mode == Mode::Shared,
                    certain: wait == Wait::Forever,
                    count: 1,
                    // A lock that is waited for may be refused as well; most programs do not ask.
                    pending: call.results.first().copied(),
                    inherited: None,
                });
            }
            Class::Synchronises(Sync::Unlock { lock }) => {
                let Some(&operand) = call.args.get(lock) else {
                    return;
                };
                let address = self.addresses.get(function, operand);
                let mut meant = positions(state, |held| held.lock == Lock::At(address.clone()));
                if meant.is_empty() {
                    let set = self.program.points_to.set_of(function, operand);
                    meant = positions(state, |held| self.may_be(held, address, set));
                }
                state.unlock(&meant);
            }
            // The variable was clear, and is set before anybody else can see it.
            Class::Assumes(_) => {
                if let Some(Flag::Sets(address)) = self.flags.get(&function)
                    && !state.is_certain(&Lock::At(address.clone()))
                {
                    state.lock(Held {
                        lock: Lock::At(address.clone()),
                        ..section(node)
                    });
                }
            }
            // The second time, what is held is not known.
            Class::Saves if self.jumps_back => {
                state.held.iter_mut().for_each(|held| held.certain = false)
            }
            _ => {}
        }
    }

    /// Whether the lock held may be the one at this address.
    fn may_be(&self, held: &Held, address: &Address, set: PlaceSet) -> bool {
        match &held.lock {
            Lock::Sections => return false,
            Lock::At(own) => {
                if let Some(distance) = own.distance(address) {
                    return distance == 0;
                }
                if own.is_absolute() {
                    return may_be_at(self.program.points_to, set, own);
                }
            }
            Lock::Nameless => {}
        }
        match locked_by(self.program, held) {
            Some((function, operand)) => {
                let theirs = self.program.points_to.set_of(function, operand);
                sets_meet(self.program.points_to, set, theirs)
            }
            None => true,
        }
    }

    /// A call of a function with a body: what is held after it.
    fn descend(
        &mut self,
        visit: VisitId,
        node: NodeId,
        call: &Call,
        callee: FuncId,
        state: &LockState,
    ) -> Option<LockState> {
        let module = self.program.module;
        let function = self.visits[visit].function;
        // What is held, in the callee's words, beside what it is here.
        let mut carried: Vec<(Held, Vec<&Held>)> = Vec::new();
        for held in &state.held {
            let mut inside = Held {
                lock: self.inside(function, call, callee, held),
                pending: None,
                inherited: None,
                ..held.clone()
            };
            if inside.lock == Lock::Nameless {
                inside.path.drain(..inside.path.len().saturating_sub(1));
            }
            let alike = |(known, _): &&mut (Held, Vec<&Held>)| {
                inside.lock == Lock::Nameless
                    && known.lock == Lock::Nameless
                    && (known.path.last(), known.certain) == (inside.path.last(), inside.certain)
            };
            match carried.iter_mut().find(alike) {
                Some((known, here)) => {
                    known.count = (known.count + inside.count).min(MOST_COUNTED);
                    known.shared |= inside.shared;
                    here.push(held);
                }
                None => carried.push((inside, vec![held])),
            }
        }
        carried.sort_by(|a, b| a.0.cmp(&b.0));
        let named = carried.iter().enumerate();
        let entry = LockState {
            held: named
                .map(|(index, (inside, _))| Held {
                    inherited: Some(index as u16),
                    ..inside.clone()
                })
                .collect(),
        };
        let caller = &self.visits[visit];
        let context = caller
            .context
            .and_then(|context| {
                self.threads.tree.contexts[context]
                    .callees
                    .get(&(node, callee))
            })
            .copied();
        let situation = self.situation(visit, node)?;
        let called = self.enter(callee, context, situation, entry, Some((visit, node)));
        if !self.waiting[called].contains(&visit) {
            self.waiting[called].push(visit);
        }
        // Most calls are known before their caller goes on.
        if self.visits[called].exit.is_none() && self.depth < DEEPEST && self.queued.remove(&called)
        {
            self.pending.retain(|pending| *pending != called);
            self.depth += 1;
            self.pass(called, None);
            self.depth -= 1;
        }
        let exit = self.visits[called].exit.clone()?;
        let mut after = LockState::default();
        for mut held in exit.held {
            let index = held.inherited.map(usize::from);
            let origin = index.and_then(|index| carried.get(index));
            if let Some((_, here)) = origin {
                for here in here {
                    let count = match here.lock {
                        Lock::Nameless => here.count,
                        _ => held.count,
                    };
                    after.held.push(Held {
                        certain: here.certain && held.certain,
                        count,
                        ..(*here).clone()
                    });
                }
                continue;
            }
            held.inherited = None;
            held.pending = None;
            if index.is_none() && !held.path.contains(&node) {
                held.path.insert(0, node);
                let excess = held.path.len().saturating_sub(LONGEST_PATH);
                held.path.drain(..excess);
            }
            if let Lock::At(address) = &held.lock
                && !address.is_absolute()
            {
                held.lock = self.outside(function, call, callee, address);
            }
            if held.lock == Lock::Sections
                && external::is_atomic(&module.functions[callee])
                && index.is_none()
            {
                continue;
            }
            after.held.push(held);
        }
        after.tidy();
        if let Some(Flag::Clears(address)) = self.flags.get(&callee) {
            let lock = self.outside(function, call, callee, address);
            let meant = positions(&after, |held| held.lock == lock);
            after.unlock(&meant);
        }
        Some(after)
    }

    /// A lock of the caller in the callee's words.
    fn inside(&self, function: FuncId, call: &Call, callee: FuncId, held: &Held) -> Lock {
        let Lock::At(address) = &held.lock else {
            return held.lock.clone();
        };
        if address.is_absolute() {
            return held.lock.clone();
        }
        let body = self.program.module.functions[callee].body.as_ref();
        let params = &body.expect("a body").params;
        let named = params.iter().zip(&call.args).find_map(|(param, arg)| {
            let distance = address.distance(self.addresses.get(function, *arg))?;
            Some(self.addresses.get(callee, *param).moved(distance))
        });
        named.map_or(Lock::Nameless, Lock::At)
    }

    /// A lock of the callee in the caller's words.
    fn outside(&self, function: FuncId, call: &Call, callee: FuncId, address: &Address) -> Lock {
        outside(self.program, self.threads, function, call, callee, address)
    }

    /// Who is alive at the node. `None`: it is not reached.
    fn situation(&self, visit: VisitId, node: NodeId) -> Option<Situation> {
        let here = &self.visits[visit];
        match (here.context, &self.threads.alive) {
            (Some(context), Some(alive)) => Some(Situation {
                thread: here.situation.thread,
                alive: alive.at(self.program, &self.threads.tree, context, node)?,
            }),
            _ => Some(here.situation.clone()),
        }
    }

    /// Whether the value is what a call like `setjmp` returns.
    fn is_saved(&self, function: FuncId, result: ValueId) -> bool {
        let Program {
            module,
            nodes,
            points_to,
        } = self.program;
        let Some(node) = self.threads.definitions.of(function, result) else {
            return false;
        };
        if let Stands::Inst(inst) = nodes.stands_for(module, node)
            && let Op::Cast { src, .. } = inst.op
        {
            return self.is_saved(function, src);
        }
        let mut classes = externals(module, points_to, node).map(|e| e.class);
        classes.next() == Some(Class::Saves) && classes.all(|class| class == Class::Saves)
    }

    /// `result` and the side on which it is zero, if the condition compares a result with zero.
    fn tested(&self, function: FuncId, condition: ValueId) -> Option<(ValueId, usize)> {
        let Program { module, nodes, .. } = self.program;
        let body = module.functions[function].body.as_ref()?;
        let node = self.threads.definitions.of(function, condition)?;
        let Stands::Inst(inst) = nodes.stands_for(module, node) else {
            return None;
        };
        let Op::Cmp { op, a, b, .. } = inst.op else {
            return None;
        };
        let is_zero = |value: ValueId| body.values[value].constant == Some(Const::Bits(0));
        let result = match (is_zero(a), is_zero(b)) {
            (false, true) => a,
            (true, false) => b,
            _ => return None,
        };
        match op {
            CmpOp::Eq => Some((result, 0)),
            CmpOp::Ne => Some((result, 1)),
            _ => None,
        }
    }

    /// Notes the states before the nodes of a block that matter.
    fn note(
        &mut self,
        visit: VisitId,
        block: BlockId,
        mut state: LockState,
        moments: &mut Vec<Moment>,
    ) {
        let Program {
            module,
            nodes,
            points_to,
        } = self.program;
        let function = self.visits[visit].function;
        for node in nodes.of_block(function, block) {
            let clears = |callee: FuncId| matches!(self.flags.get(&callee), Some(Flag::Clears(_)));
            let matters = self.shared.contains(&node)
                || entered(module, points_to, node).any(clears)
                || externals(module, points_to, node).any(|external| {
                    matches!(
                        external.class,
                        Class::Synchronises(_)
                            | Class::Joins { .. }
                            | Class::Releases
                            | Class::ExitsThread
                    )
                });
            if matters && let Some(situation) = self.situation(visit, node) {
                moments.push(Moment {
                    visit,
                    node,
                    situation,
                    held: state.clone(),
                });
            }
            if let Stands::Inst(inst) = nodes.stands_for(module, node)
                && !state.held.is_empty()
            {
                inst.op
                    .for_each_result(|dst| self.assign(function, dst, &mut state));
            }
            if let Some(call) = call_at(module, nodes, node)
                && !self.call(visit, node, call, &mut state)
            {
                return;
            }
        }
    }
}

/// A lock of the callee in the caller's words.
fn outside(
    program: Program,
    threads: &Threads,
    function: FuncId,
    call: &Call,
    callee: FuncId,
    address: &Address,
) -> Lock {
    if address.is_absolute() {
        return Lock::At(address.clone());
    }
    let body = program.module.functions[callee].body.as_ref();
    let params = &body.expect("a body").params;
    let named = params.iter().zip(&call.args).find_map(|(param, arg)| {
        let distance = address.distance(threads.addresses.get(callee, *param))?;
        Some(threads.addresses.get(function, *arg).moved(distance))
    });
    named.map_or(Lock::Nameless, Lock::At)
}

fn positions(state: &LockState, is_meant: impl Fn(&Held) -> bool) -> Vec<usize> {
    let held = state.held.iter().enumerate();
    held.filter(|(_, held)| is_meant(held))
        .map(|(i, _)| i)
        .collect()
}

fn section(node: NodeId) -> Held {
    Held {
        lock: Lock::Sections,
        path: Path::from_slice(&[node]),
        shared: false,
        certain: true,
        count: 1,
        pending: None,
        inherited: None,
    }
}
