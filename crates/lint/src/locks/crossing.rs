//! Calls: locks named in terms of the caller are named in terms of the callee, and back at the
//! return.

use analysis::external;
use analysis::{Address, NodeId, Program, Threads};
use ir::{Call, FuncId, ValueId};

use super::VisitId;
use super::flags::Flag;
use super::may_held::MayHeldSet;
use super::operations::positions;
use super::state::{Held, LONGEST_PATH, Lock, LockState, MOST_COUNTED};
use super::visit::Walk;

/// Stands in the callee for a result that only the caller can ask for: as long as it is there, the
/// lock was not put in doubt.
const ASKED_BY_CALLER: ValueId = ValueId(u32::MAX);
/// Calls that are followed at once; others wait for their turn.
const DEEPEST: u32 = 200;

/// What is held after a call: if it returns, and if it throws.
#[derive(Default)]
pub(super) struct Outcome {
    pub returned: Option<LockState>,
    pub thrown: Option<LockState>,
}

impl Outcome {
    pub fn merge(&mut self, other: Outcome) {
        also(&mut self.returned, other.returned);
        also(&mut self.thrown, other.thrown);
    }
}

/// Another way that may have come here.
pub(super) fn also(known: &mut Option<LockState>, other: Option<LockState>) {
    match (known.as_mut(), other) {
        (Some(known), Some(other)) => {
            known.merge(&other);
        }
        (None, other) => *known = other,
        (Some(_), None) => {}
    }
}

/// A call, and what is held there.
struct Crossing<'a> {
    function: FuncId,
    node: NodeId,
    call: &'a Call,
    callee: FuncId,
    /// In the callee's words, beside what it is in the caller's.
    carried: Vec<(Held, Vec<&'a Held>)>,
    may_held: MayHeldSet,
}

impl Walk<'_> {
    /// A call of a function with a body.
    pub(super) fn descend(
        &mut self,
        visit: VisitId,
        node: NodeId,
        call: &Call,
        callee: FuncId,
        state: &LockState,
    ) -> Outcome {
        let function = self.visits[visit].function;
        // What is held, in the callee's words, beside what it is here.
        let mut carried: Vec<(Held, Vec<&Held>)> = Vec::new();
        let mut may_held = state.may_held.clone();
        self.carried += 1 + state.held.len();
        for held in state.held.iter() {
            if let Some(lockers) = &mut self.lockers
                && !held.certain
            {
                lockers.add(&mut may_held, held);
                continue;
            }
            let mut inside = Held {
                lock: self.inside(function, call, callee, held),
                pending: held.pending.map(|_| ASKED_BY_CALLER),
                inherited: None,
                ..held.clone()
            };
            if inside.lock == Lock::Nameless {
                inside.path.drain(..inside.path.len().saturating_sub(1));
            }
            let alike = |(known, _): &&mut (Held, Vec<&Held>)| {
                inside.lock == Lock::Nameless
                    && known.lock == Lock::Nameless
                    && known.path.last() == inside.path.last()
                    && (known.certain, known.pending) == (inside.certain, inside.pending)
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
        let mut entry = LockState::of(
            named
                .map(|(index, (inside, _))| Held {
                    inherited: Some(index as u16),
                    ..inside.clone()
                })
                .collect(),
        );
        entry.may_held = may_held.clone();
        let caller = &self.visits[visit];
        let context = caller
            .context
            .and_then(|context| self.threads.called_from(context, node, callee));
        let Some(situation) = self.situation(visit, node) else {
            return Outcome::default();
        };
        let called = self.enter(callee, context, situation, entry, Some((visit, node)));
        if self.waits.insert((called, visit)) {
            self.waiting[called].push(visit);
        }
        // Most calls are known before their caller goes on.
        if self.visits[called].exit.is_none() && self.depth < DEEPEST && self.queued.remove(&called)
        {
            self.depth += 1;
            self.pass(called, None);
            self.depth -= 1;
        }
        let crossing = Crossing {
            function,
            node,
            call,
            callee,
            carried,
            may_held,
        };
        let called = &self.visits[called];
        Outcome {
            returned: called.exit.as_ref().map(|exit| self.back(&crossing, exit)),
            thrown: called
                .thrown
                .as_ref()
                .map(|state| self.back(&crossing, state)),
        }
    }

    /// What is held where the callee is left, in the caller's words.
    fn back(&self, crossing: &Crossing, exit: &LockState) -> LockState {
        let module = self.program.module;
        let Crossing {
            function,
            node,
            call,
            callee,
            ref carried,
            ref may_held,
        } = *crossing;
        let mut after: Vec<Held> = Vec::with_capacity(exit.held.len());
        // Nothing below unlocks anything: what was held is held as before.
        let stays = self.lockers.is_some() && !self.unlocking.contains(callee.index());
        if stays {
            let before = carried.iter().flat_map(|(_, here)| here);
            after.extend(before.map(|held| (*held).clone()));
        }
        for mut held in exit.held.iter().cloned() {
            let index = held.inherited.map(usize::from);
            if stays && index.is_some() {
                continue;
            }
            let origin = index.and_then(|index| carried.get(index));
            if let Some((_, here)) = origin {
                for here in here {
                    let count = match here.lock {
                        Lock::Nameless => here.count,
                        _ => held.count,
                    };
                    let mut after_call = Held {
                        count,
                        ..(*here).clone()
                    };
                    if !held.certain && held.pending.is_none() {
                        after_call.doubt();
                    }
                    after.push(after_call);
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
            after.push(held);
        }
        let mut after = LockState::of(after);
        after.may_held = exit.may_held.clone();
        after.may_held.merge(may_held);
        if let Some(Flag::Clears(address)) = self.flags.get(&callee) {
            let lock = self.outside(function, call, callee, address);
            let meant = positions(&after, |held| held.lock == lock);
            after.unlock(&meant);
        }
        after
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
}

/// A lock of the callee in the caller's words.
pub(super) fn outside(
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
