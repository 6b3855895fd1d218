//! Calls of an object's own functions: `object->table->function(object, ...)`, as virtual calls of
//! C++ are made, and structures of operations in C.
//!
//! If all objects that the pointer may lead to are passed to all functions that any of them has, a
//! method is analysed for objects of other classes too. It then takes their fields for its own, and
//! soon every pointer leads everywhere. So an object is passed only to the functions that are found
//! from that object itself, as in Lhotak and Hendren, "Scaling Java points-to analysis using SPARK"
//! (2003), section 2.
//!
//! Sound: the function was loaded by way of the same value that is passed. In SSA form each of the
//! loads dominates the next and the last one the call, so all of them were made with the value that
//! the argument has now, at the address that is passed; and what they may have found there is
//! what they find at the place that has this address.

use ir::{Body, Op, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::Flow;
use super::place::Place;
use super::solver::{Rule, Solver};

/// A call that gets an object is made with so many places apart. With more of them little would be
/// gained: the class of the object is not known.
const MANY: usize = 64;

/// The argument of a call by way of which the function was loaded.
pub(super) struct Receiver {
    /// Its index.
    pub argument: usize,
    path: Path,
    /// The node of the function.
    callee: u32,
    places: FxHashSet<Place>,
}

/// What is added to an address before each load, from an object to a function. One or two loads.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Path {
    first: i64,
    second: Option<i64>,
}

/// What has been found from places.
#[derive(Default)]
pub(super) struct Methods {
    functions: FxHashMap<(Place, Path), u32>,
    /// Calls with one of their places each.
    dispatches: Vec<(u32, Place)>,
}

/// Loads, and pointers that are another one with a constant added.
#[derive(Default)]
pub(super) struct Loads {
    loads: FxHashMap<ValueId, ValueId>,
    offsets: FxHashMap<ValueId, (ValueId, i64)>,
}

impl Loads {
    pub fn of(body: &Body) -> Loads {
        let mut found = Loads::default();
        for inst in body.blocks.iter().flat_map(|block| &block.insts) {
            match &inst.op {
                Op::Load { dst, ptr, .. } => {
                    found.loads.insert(*dst, *ptr);
                }
                Op::PtrAdd {
                    dst,
                    base,
                    offset,
                    indices,
                    ..
                } if indices.is_empty() => {
                    found.offsets.insert(*dst, (*base, *offset));
                }
                _ => {}
            }
        }
        found
    }

    /// What was loaded through: the pointer, and what was added to it.
    fn through(&self, value: ValueId) -> Option<(ValueId, i64)> {
        let pointer = *self.loads.get(&value)?;
        Some(self.offsets.get(&pointer).copied().unwrap_or((pointer, 0)))
    }

    /// The receiver of a call; `node`: that of the callee.
    pub fn receiver(&self, callee: ValueId, args: &[ValueId], node: u32) -> Option<Receiver> {
        let at = |value| args.iter().position(|arg| *arg == value);
        let (table, last) = self.through(callee)?;
        let (argument, path) = match at(table) {
            Some(argument) => (
                argument,
                Path {
                    first: last,
                    second: None,
                },
            ),
            None => {
                let (object, first) = self.through(table)?;
                let second = Some(last);
                (at(object)?, Path { first, second })
            }
        };
        Some(Receiver {
            argument,
            path,
            callee: node,
            places: FxHashSet::default(),
        })
    }
}

impl Flow<'_> {
    /// The receiver of the call may be at the places.
    pub(super) fn receive(&mut self, solver: &mut Solver, site: u32, places: &[Place]) {
        for &place in places {
            let Some(receiver) = &mut self.sites[site as usize].receiver else {
                return;
            };
            if !receiver.places.insert(place) {
                continue;
            }
            if receiver.places.len() > MANY {
                return self.give_up_receiver(solver, site);
            }
            let path = receiver.path;
            let functions = self.functions_of(solver, place, path);
            let dispatch = self.methods.dispatches.len() as u32;
            self.methods.dispatches.push((site, place));
            solver.add_rule(functions, Rule::Dispatch(dispatch));
        }
    }

    /// The functions are found from a place of the receiver.
    pub(super) fn dispatch(&mut self, solver: &mut Solver, dispatch: u32, places: &[Place]) {
        let (site, place) = self.methods.dispatches[dispatch as usize];
        for &found in places {
            let Some(function) = self.function_at(solver, found) else {
                continue;
            };
            self.connect(solver, site, function, None);
            let Some(receiver) = &self.sites[site as usize].receiver else {
                continue;
            };
            let argument = receiver.argument;
            if self.externals[function].is_some() {
                continue;
            }
            let body = self.module.functions[function].body.as_ref();
            let body = body.expect("a function that is entered");
            if let Some(&param) = body.params.get(argument) {
                let instance = self.shared_instance(solver, function);
                solver.add_target(self.value(instance, param), place);
            }
        }
    }

    /// The node of the functions that are found from a place.
    fn functions_of(&mut self, solver: &mut Solver, place: Place, path: Path) -> u32 {
        if let Some(&known) = self.methods.functions.get(&(place, path)) {
            return known;
        }
        let object = solver.add_node();
        solver.add_target(object, place);
        let mut found = self.loaded(solver, object, path.first);
        if let Some(second) = path.second {
            found = self.loaded(solver, found, second);
        }
        self.methods.functions.insert((place, path), found);
        found
    }

    /// A new node for what is loaded so far behind what another one holds.
    fn loaded(&mut self, solver: &mut Solver, node: u32, by: i64) -> u32 {
        let shifted = solver.add_node();
        let (to, stride) = (shifted, 0);
        solver.add_rule(node, Rule::Shift { to, by, stride });
        let to = solver.add_node();
        let bytes = Some(self.module.pointer_bytes());
        solver.add_rule(shifted, Rule::Load { to, bytes });
        to
    }

    /// From now on, all that the receiver may be is passed to all functions.
    fn give_up_receiver(&mut self, solver: &mut Solver, site: u32) {
        let receiver = self.sites[site as usize].receiver.take();
        let receiver = receiver.expect("a call with a receiver");
        let arg = self.sites[site as usize].args[receiver.argument];
        for function in self.sites[site as usize].callees.clone() {
            let body = self.module.functions[function].body.as_ref();
            let param = body.and_then(|body| body.params.get(receiver.argument));
            if self.externals[function].is_none()
                && let Some(&param) = param
            {
                let instance = self.shared_instance(solver, function);
                self.copy(solver, arg, self.value(instance, param));
            }
        }
        solver.add_rule(receiver.callee, Rule::Call(site));
    }
}
