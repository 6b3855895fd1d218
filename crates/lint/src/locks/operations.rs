//! What operations on locks do to a state.

use std::rc::Rc;

use analysis::external::{Class, Mode, Sync, Wait};
use analysis::{Address, NodeId, PlaceSet};
use ir::Call;

use super::VisitId;
use super::flags::Flag;
use super::identity::{locked_by, may_be_at, sets_meet};
use super::state::{Held, Lock, LockState, Path};
use super::visit::Walk;

impl Walk<'_> {
    /// An operation on a lock.
    pub(super) fn operate(
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
                let named = positions(state, |held| held.lock == Lock::At(address.clone()));
                if named.iter().any(|index| state.held[*index].certain) {
                    state.unlock(&named);
                    return;
                }
                let set = self.program.points_to.set_of(function, operand);
                let meant = positions(state, |held| self.may_be(held, address, set));
                let may_be_meant_too = self.lockers.as_ref().is_some_and(|all| {
                    let mut others = all.all(&state.may_held);
                    others.any(|held| self.may_be(held, address, set))
                });
                if named.is_empty() && !may_be_meant_too {
                    state.unlock(&meant);
                    return;
                }
                // Not held by this name on every way, it may be held by another: any of them may be
                // what is unlocked.
                let held = Rc::make_mut(&mut state.held);
                let others = meant.iter().filter(|index| !named.contains(index));
                others.for_each(|index| held[*index].doubt());
                state.unlock(&named);
            }
            // The variable was clear, and is set before another thread can read it.
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
            Class::Saves if self.jumps_back => state.doubt(),
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
}

pub(super) fn positions(state: &LockState, is_meant: impl Fn(&Held) -> bool) -> Vec<usize> {
    let held = state.held.iter().enumerate();
    held.filter(|(_, held)| is_meant(held))
        .map(|(i, _)| i)
        .collect()
}

pub(super) fn section(node: NodeId) -> Held {
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
