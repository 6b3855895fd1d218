//! Abstract threads, which of them may be alive at the same time, and what they share.
//!
//! An abstract thread stands for all threads that one call path of another one creates. `tree`
//! finds them, `handles` and `loops` see which joins wait for which of them, `alive` follows
//! creations and joins along the program, `escape` finds shared objects.
//!
//! Errs on the side of *more*: two nodes of which it says that they cannot happen in parallel are
//! ordered by creations and joins in every execution (or belong to one thread). Locks and other
//! synchronisation are not looked at. Naumovich and Avrunin (1998) call this the MHP problem; like
//! theirs, this is a data flow analysis over the threads' control flow, but for any number of
//! threads and with handles that live in memory.

mod alive;
mod argument;
mod contexts;
mod escape;
mod handles;
mod loops;
mod print;
mod returns;
#[cfg(test)]
mod tests;
mod tree;
mod writers;

use base::{IndexVec, id};
use fixedbitset::FixedBitSet;
use ir::{FuncId, Module};
use rustc_hash::FxHashMap;

use crate::address::Addresses;
use crate::callgraph::call_at;
use crate::definitions::Definitions;
use crate::external::Class;
use crate::node::{NodeId, Nodes};
use crate::points_to::{ObjectId, PointsTo};
use crate::unique::Unique;
use alive::{Alive, Solver};
use argument::argument;
pub use argument::{Argument, Element};
use handles::Handles;
use loops::{Loops, Surroundings};
pub use print::place;
use tree::Tree;
pub use tree::{ContextId, Program};
use writers::Writers;

id!(
    /// An abstract thread. The first one is main.
    ThreadId, "thread"
);

impl ThreadId {
    pub const MAIN: ThreadId = ThreadId(0);
}

/// An abstract thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Where it is created; `None`: main.
    pub creation: Option<NodeId>,
    /// The calls that lead to its creation, from the function that its creator started with.
    pub path: Vec<NodeId>,
    /// `None`: main, or there are too many call paths to tell.
    pub creator: Option<ThreadId>,
    /// The functions that it may start with.
    pub entries: Vec<FuncId>,
    /// There may be two of its kind at the same time.
    pub many: bool,
}

/// Threads that may be alive, of those that were started by the thread in question or by threads
/// that it started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Situation {
    pub thread: ThreadId,
    pub alive: FixedBitSet,
}

pub struct Threads {
    threads: IndexVec<ThreadId, Thread>,
    executed: IndexVec<ThreadId, FixedBitSet>,
    together: IndexVec<ThreadId, FixedBitSet>,
    ancestors: IndexVec<ThreadId, FixedBitSet>,
    escaping: FixedBitSet,
    /// For every node a number; nodes with the same one are in the same situations.
    numbers: Vec<u32>,
    situations: Vec<Vec<Situation>>,
    tree: Tree,
    alive: Option<Alive>,
    /// The addresses of all values, as closed forms.
    pub addresses: Addresses,
    /// The instructions that assign values.
    pub definitions: Definitions,
    unique: Unique,
    arguments: IndexVec<ThreadId, Argument>,
}

impl Threads {
    pub fn of(module: &Module, nodes: &Nodes, points_to: &PointsTo) -> Threads {
        let program = Program {
            module,
            nodes,
            points_to,
        };
        let unique = Unique::of(module, nodes, points_to);
        let addresses = Addresses::of(module, points_to, &unique);
        let definitions = Definitions::of_module(module, nodes);
        let expanded = Tree::of(program);
        let is_ordered = expanded.is_some();
        let tree = expanded.unwrap_or_else(|| Tree::flat(program));
        let executed = tree::executed(program, &tree);
        let escaping = escape::escaping(program, &tree);
        let mut alive = None;
        let mut arguments: IndexVec<ThreadId, Argument> =
            tree.threads.iter().map(|_| Argument::Unknown).collect();
        if is_ordered {
            let writers = Writers::of_program(program);
            let surroundings = Surroundings {
                program,
                addresses: &addresses,
                definitions: &definitions,
                unique: &unique,
                writers: &writers,
            };
            let loops = Loops::of(&surroundings, &tree.relevant);
            let handles = Handles {
                program,
                tree: &tree,
                addresses: &addresses,
                definitions: &definitions,
                loops: &loops,
            };
            let detached = detached(program, &tree, &executed, &definitions);
            let mut solver = Solver::new(handles, &executed, &detached, &writers);
            let solved = solver.solve();
            let ids = tree.threads.ids();
            arguments = ids
                .map(|id| argument(&solver.handles, &solved, id))
                .collect();
            alive = Some(solved);
        }
        let (together, many) = together(&tree, alive.as_ref());
        let threads = tree.threads.enumerate().map(|(id, started)| Thread {
            creation: started.at.map(|(_, node)| node),
            path: tree.path_to(id),
            creator: tree.parent(id),
            entries: started.entries.clone(),
            many: many.contains(id.index()),
        });
        let ancestors = tree.threads.ids().map(|thread| {
            let mut set = FixedBitSet::with_capacity(tree.threads.len());
            set.extend(tree.ancestors(thread).skip(1).map(ThreadId::index));
            set
        });
        let mut threads = Threads {
            threads: threads.collect(),
            ancestors: ancestors.collect(),
            executed,
            together,
            escaping,
            numbers: vec![0; nodes.len()],
            situations: vec![Vec::new()],
            tree,
            alive,
            addresses,
            definitions,
            unique,
            arguments,
        };
        threads.number(program);
        threads
    }

    pub fn threads(&self) -> &IndexVec<ThreadId, Thread> {
        &self.threads
    }

    /// The threads that may execute a function.
    pub fn executing(&self, function: FuncId) -> impl Iterator<Item = ThreadId> + '_ {
        let executed = self.executed.enumerate();
        let executed = executed.filter(move |(_, set)| set.contains(function.index()));
        executed.map(|(thread, _)| thread)
    }

    /// Whether two threads may be at these two nodes at the same time.
    pub fn may_happen_in_parallel(&self, a: NodeId, b: NodeId) -> bool {
        let at = |node: NodeId| &self.situations[self.numbers[node.index()] as usize];
        at(a)
            .iter()
            .any(|one| at(b).iter().any(|other| self.are_parallel(one, other)))
    }

    /// Whether two threads may be in these situations at the same time.
    pub fn are_parallel(&self, a: &Situation, b: &Situation) -> bool {
        if a.thread == b.thread {
            self.threads[a.thread].many
        } else if self.ancestors[b.thread].contains(a.thread.index()) {
            self.threads[a.thread].many || a.alive.contains(b.thread.index())
        } else if self.ancestors[a.thread].contains(b.thread.index()) {
            self.threads[b.thread].many || b.alive.contains(a.thread.index())
        } else {
            self.together[a.thread].contains(b.thread.index())
        }
    }

    /// The threads that may be at the node, and for each the threads that are alive then.
    pub fn situations(&self, node: NodeId) -> &[Situation] {
        &self.situations[self.numbers[node.index()] as usize]
    }

    /// Whether more than one thread may reach the object.
    pub fn escapes(&self, object: ObjectId) -> bool {
        self.escaping.contains(object.index())
    }

    /// Whether there is only one such object in an execution.
    pub fn is_unique(&self, object: ObjectId) -> bool {
        self.unique.is_unique(object)
    }

    /// How often loops of these functions go round, if they count to a number: by function and
    /// header.
    pub fn rounds(
        &self,
        program: Program,
        functions: &FixedBitSet,
    ) -> FxHashMap<(FuncId, ir::BlockId), i64> {
        let writers = Writers::of_program(program);
        let surroundings = Surroundings {
            program,
            addresses: &self.addresses,
            definitions: &self.definitions,
            unique: &self.unique,
            writers: &writers,
        };
        Loops::of(&surroundings, functions).rounds()
    }

    /// What a thread of this kind is given.
    pub fn argument(&self, thread: ThreadId) -> &Argument {
        &self.arguments[thread]
    }

    /// All threads, as those that may be alive.
    fn all(&self) -> FixedBitSet {
        let mut all = FixedBitSet::with_capacity(self.threads.len());
        all.insert_range(..);
        all
    }

    fn number(&mut self, program: Program) {
        let mut known: FxHashMap<Vec<Situation>, u32> = FxHashMap::default();
        let mut contexts: FxHashMap<FuncId, Vec<ContextId>> = FxHashMap::default();
        for (id, context) in self.tree.contexts.enumerate() {
            contexts.entry(context.function).or_default().push(id);
        }
        for function in program.module.functions.ids() {
            let apart = self.tree.relevant.contains(function.index());
            let whole = (!apart).then(|| self.below(function));
            for node in program.nodes.of_function(function) {
                let situations = match &whole {
                    Some(whole) => whole.clone(),
                    None => {
                        let here = contexts.get(&function).map_or(&[][..], Vec::as_slice);
                        self.in_contexts(program, here, node)
                    }
                };
                let next = self.situations.len() as u32;
                let number = *known.entry(situations.clone()).or_insert(next);
                if number == next {
                    self.situations.push(situations);
                }
                self.numbers[node.index()] = number;
            }
        }
    }

    /// The situations of a function that was not taken apart.
    fn below(&self, function: FuncId) -> Vec<Situation> {
        let situation = |thread: ThreadId| match &self.alive {
            Some(alive) => alive.below[thread].get(&function).map(|state| Situation {
                thread,
                alive: state.clone(),
            }),
            None => Some(Situation {
                thread,
                alive: self.all(),
            }),
        };
        self.executing(function).filter_map(situation).collect()
    }

    fn in_contexts(
        &self,
        program: Program,
        contexts: &[ContextId],
        node: NodeId,
    ) -> Vec<Situation> {
        let mut found: Vec<Situation> = Vec::new();
        for &context in contexts {
            let Some(here) = self.situation_in(program, context, node) else {
                continue;
            };
            match found.iter_mut().find(|s| s.thread == here.thread) {
                Some(known) => known.alive.union_with(&here.alive),
                None => found.push(here),
            }
        }
        found.sort_by_key(|situation| situation.thread);
        found
    }
}

/// For every thread those that may be alive while it is, of threads that are not its ancestors; and
/// threads of which there may be two.
fn together(tree: &Tree, alive: Option<&Alive>) -> (IndexVec<ThreadId, FixedBitSet>, FixedBitSet) {
    let count = tree.threads.len();
    let mut together: IndexVec<ThreadId, FixedBitSet> = tree
        .threads
        .iter()
        .map(|_| FixedBitSet::with_capacity(count))
        .collect();
    let mut many = FixedBitSet::with_capacity(count);
    let Some(alive) = alive else {
        together.iter_mut().for_each(|set| set.insert_range(..));
        many.insert_range(1..);
        return (together, many);
    };
    let mut pair = |a: usize, b: usize| {
        together[ThreadId::from(a)].insert(b);
        together[ThreadId::from(b)].insert(a);
    };
    for (thread, before) in alive.at_creation.enumerate() {
        for other in before.ones() {
            pair(thread.index(), other);
            for descendant in alive.descendants[thread].ones() {
                pair(descendant, other);
            }
        }
        if before.contains(thread.index()) || tree.threads[thread].is_recursive {
            many.insert(thread.index());
        }
    }
    // Two of a kind: everything below them is there twice.
    for thread in many.clone().ones().map(ThreadId::from) {
        let mut below = alive.descendants[thread].clone();
        below.insert(thread.index());
        many.union_with(&below);
        for a in below.ones() {
            for b in below.ones() {
                pair(a, b);
            }
        }
    }
    (together, many)
}

/// Threads that may be detached: a join of one does not wait.
fn detached(
    program: Program,
    tree: &Tree,
    executed: &IndexVec<ThreadId, FixedBitSet>,
    definitions: &Definitions,
) -> FixedBitSet {
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let mut detached = FixedBitSet::with_capacity(tree.threads.len());
    for function in module.functions.ids() {
        if !executed.iter().any(|set| set.contains(function.index())) {
            continue;
        }
        for node in nodes.of_function(function) {
            let Some(call) = call_at(module, nodes, node) else {
                continue;
            };
            for external in points_to.externals(node) {
                let Class::Detaches { thread } = external.class else {
                    continue;
                };
                let asked = call.args.get(thread);
                let asked = asked.and_then(|value| definitions.of(function, *value));
                let itself = asked.is_some_and(|node| {
                    let mut callees = points_to.callees(node).iter();
                    callees.all(|callee| module.functions[*callee].name == "pthread_self")
                        && !points_to.callees(node).is_empty()
                });
                for (thread, executed) in executed.enumerate() {
                    if !itself || executed.contains(function.index()) {
                        detached.insert(thread.index());
                    }
                }
            }
        }
    }
    detached
}
