//! Reaching definitions of memory: which writes a read may see.
//!
//! A read may see every write that may touch the same byte, unless it is known not to. What is
//! known:
//! - *The same thread.* If the read is of one place in an object that exists once, the function is
//!   walked backwards from the read. A store to exactly that place (a *strong update*) ends the
//!   walk; what is found on the way are the only writes of this thread that it may see. At a call
//!   that may write the object (by a summary of all that its callees write) the walk goes on at the
//!   callees' returns, and at the entry of a function at all its call sites. It gives up, and all
//!   writes count, where control flow is more than that: exceptions, `setjmp`, functions that the
//!   machine calls by itself, and when it takes too long.
//! - *Other threads.* All writes that another thread may make count, whatever this thread writes in
//!   between, except those that the order of threads forbids (see [`Concurrency`]).
//!
//! Sound in this direction: a read that an execution makes gets its value from one of these writes,
//! or from the memory's initial state. Objects are abstract, so an update is strong only for
//! globals that are not thread-local, and only a plain store or read-modify-write is one.

use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{BlockId, FuncId, Op, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::concurrency::Concurrency;
use crate::facts::Facts;
use crate::node::{NodeId, Stands};
use crate::points_to::{Access, AccessKind, ObjectId, ObjectKind, Place};

pub struct Reaching<'a> {
    pub facts: &'a Facts<'a>,
    pub concurrency: &'a dyn Concurrency,
    /// Writes to the same places, together.
    writes: Vec<Writes>,
    /// Which of them may touch an object.
    touching: IndexVec<ObjectId, Vec<u32>>,
    /// The object that stands for anything.
    anything: Option<ObjectId>,
    /// For each block, by its terminator, the nodes in it that write or that enter functions.
    effects: FxHashMap<NodeId, Vec<NodeId>>,
    /// All that a call of the function may write.
    may_write: IndexVec<FuncId, FixedBitSet>,
    returns_twice: IndexVec<FuncId, bool>,
}

/// The writes that go to the same places.
struct Writes {
    access: Access,
    nodes: Vec<NodeId>,
}

/// One place of which there is one.
#[derive(Clone, Copy)]
struct Single {
    object: ObjectId,
    offset: i64,
    bytes: u64,
}

/// How many nodes and blocks a walk may look at: far more than lie between a read and the writes it
/// sees in hand-written functions, and little enough for thousands of reads.
const WALK: usize = 500;

impl<'a> Reaching<'a> {
    pub fn of(facts: &'a Facts<'a>, concurrency: &'a dyn Concurrency) -> Reaching<'a> {
        let objects = facts.points_to.objects();
        let mut writes: Vec<Writes> = Vec::new();
        let mut numbers = FxHashMap::default();
        let mut effects: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        let mut may_write: IndexVec<FuncId, FixedBitSet> = facts
            .module
            .functions
            .iter()
            .map(|_| FixedBitSet::new())
            .collect();
        for (function, body, _) in facts.entered() {
            let mut written = FixedBitSet::with_capacity(objects.len());
            for block in body.blocks.ids() {
                let terminator = facts.nodes.terminator(function, block);
                for node in facts.nodes.of_block(function, block) {
                    let accesses = facts.points_to.accesses(node).iter();
                    let mut has_effect = facts.entered_by(node).next().is_some();
                    for access in accesses.filter(|access| access.kind == AccessKind::Write) {
                        has_effect = true;
                        for object in facts.points_to.objects_of(access) {
                            written.insert(object.index());
                        }
                        let key = (access.locations, access.bytes);
                        let number = *numbers.entry(key).or_insert(writes.len());
                        if number == writes.len() {
                            writes.push(Writes {
                                access: *access,
                                nodes: Vec::new(),
                            });
                        }
                        writes[number].nodes.push(node);
                    }
                    if has_effect {
                        effects.entry(terminator).or_default().push(node);
                    }
                }
            }
            may_write[function] = written;
        }
        let mut touching: IndexVec<ObjectId, Vec<u32>> =
            objects.iter().map(|_| Vec::new()).collect();
        for (number, writes) in writes.iter().enumerate() {
            for object in facts.points_to.objects_of(&writes.access) {
                touching[object].push(number as u32);
            }
        }
        let anything = |id: &ObjectId| objects[*id].kind == ObjectKind::Anything;
        let returns_twice = facts.module.functions.ids();
        let returns_twice = returns_twice.map(|function| facts.returns_twice(function));
        let mut reaching = Reaching {
            facts,
            concurrency,
            writes,
            touching,
            anything: objects.ids().find(anything),
            effects,
            may_write,
            returns_twice: returns_twice.collect(),
        };
        reaching.close_writes();
        reaching
    }

    /// Calls `f` on every write that the node, which reads, may see, and whether it is another
    /// thread's. One may come twice.
    pub fn for_each_definition(&self, read: NodeId, f: &mut dyn FnMut(NodeId, bool)) {
        let local = self.in_thread(read);
        if let Some(local) = &local {
            local.iter().for_each(|write| f(*write, false));
        }
        for access in self.reads(read) {
            self.for_each_overlapping(access, &mut |writes| {
                for &write in writes {
                    let other = self.concurrency.may_interfere(write, read);
                    if other || local.is_none() {
                        f(write, other);
                    }
                }
            });
        }
    }

    /// The writes of the reading thread itself, if that can be told precisely.
    pub fn in_thread(&self, read: NodeId) -> Option<Vec<NodeId>> {
        Walk::new(self, self.single(read)?).from(read)
    }

    pub fn reads(&self, node: NodeId) -> impl Iterator<Item = &'a Access> {
        let accesses = self.facts.points_to.accesses(node).iter();
        accesses.filter(|access| access.kind == AccessKind::Read)
    }

    /// Calls `f` on all writes that may touch what the read touches, of all threads, in groups.
    pub fn for_each_overlapping(&self, read: &Access, f: &mut dyn FnMut(&[NodeId])) {
        let points_to = self.facts.points_to;
        let mut candidates = FixedBitSet::with_capacity(self.writes.len());
        for object in points_to.objects_of(read).chain(self.anything) {
            if Some(object) == self.anything && points_to.objects_of(read).any(|o| o == object) {
                candidates.insert_range(..);
            }
            candidates.extend(self.touching[object].iter().map(|number| *number as usize));
        }
        for number in candidates.ones() {
            let writes = &self.writes[number];
            if points_to.may_overlap(&writes.access, read) {
                f(&writes.nodes);
            }
        }
    }

    /// What a node reads, if it reads one place that exists once.
    fn single(&self, read: NodeId) -> Option<Single> {
        let mut reads = self.reads(read);
        let access = reads.next()?;
        if reads.next().is_some() {
            return None;
        }
        let single = self.place_of(access)?;
        let ObjectKind::Global(global) = self.facts.points_to.objects()[single.object].kind else {
            return None;
        };
        (!self.facts.module.globals[global].thread_local).then_some(single)
    }

    fn place_of(&self, access: &Access) -> Option<Single> {
        match self.facts.points_to.places(access.locations) {
            [place] if place.stride == 0 => Some(Single {
                object: place.object,
                offset: place.offset,
                bytes: access.bytes?,
            }),
            _ => None,
        }
    }

    /// Adds what callees write to what their callers write. Functions that call each other write
    /// the same.
    fn close_writes(&mut self) {
        let calls = self.facts.calls;
        let mut functions: Vec<FuncId> = self.facts.entered().map(|(f, ..)| f).collect();
        // Callees come first.
        functions.sort_by_key(|function| calls.component(*function));
        for same in functions.chunk_by(|a, b| calls.component(*a) == calls.component(*b)) {
            let mut callees: Vec<FuncId> = Vec::new();
            let mut written = FixedBitSet::new();
            for &function in same {
                written.union_with(&self.may_write[function]);
                callees.extend(calls.callees(function));
            }
            callees.sort_unstable();
            callees.dedup();
            for callee in callees {
                written.union_with(&self.may_write[callee]);
            }
            for &function in same {
                self.may_write[function] = written.clone();
            }
        }
    }

    fn function_may_write(&self, function: FuncId, object: ObjectId) -> bool {
        let written = &self.may_write[function];
        let anything = |anything: ObjectId| written.contains(anything.index());
        written.contains(object.index()) || self.anything.is_some_and(anything)
    }
}

/// What a node does to the place that a walk is about.
enum Effect {
    Nothing,
    /// May have written it.
    May,
    /// Has certainly written all of it.
    Must,
}

/// One walk backwards from a read.
struct Walk<'w, 'a> {
    reaching: &'w Reaching<'a>,
    single: Single,
    found: Vec<NodeId>,
    /// Blocks, by their terminators, that have been walked from their ends.
    seen: FxHashSet<NodeId>,
    entries: FxHashSet<FuncId>,
    /// Callee groups that were entered, and whether that was all there was to do.
    entered: FxHashMap<u32, Entered>,
    pending: Vec<NodeId>,
    steps: usize,
}

/// Which of the functions that a call may reach are entered, since they may write the object.
#[derive(Clone, Copy)]
enum Entered {
    Nothing,
    Some,
    All,
}

/// The walk gave up.
struct TooHard;

impl<'w, 'a> Walk<'w, 'a> {
    fn new(reaching: &'w Reaching<'a>, single: Single) -> Walk<'w, 'a> {
        Walk {
            reaching,
            single,
            found: Vec::new(),
            seen: FxHashSet::default(),
            entries: FxHashSet::default(),
            entered: FxHashMap::default(),
            pending: Vec::new(),
            steps: 0,
        }
    }

    fn from(mut self, read: NodeId) -> Option<Vec<NodeId>> {
        let mut walk = || {
            self.before(read)?;
            while let Some(terminator) = self.pending.pop() {
                self.block(terminator, None)?;
            }
            Ok::<(), TooHard>(())
        };
        walk().ok()?;
        Some(self.found)
    }

    /// From just before a node.
    fn before(&mut self, node: NodeId) -> Result<(), TooHard> {
        let nodes = self.reaching.facts.nodes;
        let function = nodes.function(node);
        let terminator = nodes.terminator(function, nodes.block(node));
        self.block(terminator, Some(node))
    }

    /// The block of the terminator from its end, or from just before a node.
    fn block(&mut self, terminator: NodeId, before: Option<NodeId>) -> Result<(), TooHard> {
        let reaching = self.reaching;
        let nodes = reaching.facts.nodes;
        let function = nodes.function(terminator);
        if reaching.returns_twice[function] {
            return Err(TooHard);
        }
        let effects = reaching
            .effects
            .get(&terminator)
            .map_or(&[][..], Vec::as_slice);
        for &node in effects.iter().rev() {
            if before.is_some_and(|before| node >= before) {
                continue;
            }
            self.count()?;
            match self.effect(node) {
                Effect::Must => {
                    self.found.push(node);
                    return Ok(());
                }
                Effect::May => self.found.push(node),
                Effect::Nothing => {}
            }
            if self.enters(node)? {
                return Ok(());
            }
        }
        let block = nodes.block(terminator);
        if block == BlockId(0) {
            self.entry(function)?;
        }
        let flow = reaching.facts.flow(function).ok_or(TooHard)?;
        for &previous in flow.cfg.predecessors(block) {
            if flow.cfg.is_reachable(previous) {
                self.push(nodes.terminator(function, previous))?;
            }
        }
        Ok(())
    }

    fn push(&mut self, terminator: NodeId) -> Result<(), TooHard> {
        if self.seen.insert(terminator) {
            self.count()?;
            self.pending.push(terminator);
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), TooHard> {
        self.steps += 1;
        if self.steps > WALK {
            Err(TooHard)
        } else {
            Ok(())
        }
    }

    fn effect(&self, node: NodeId) -> Effect {
        let facts = self.reaching.facts;
        let place = Place {
            object: self.single.object,
            offset: self.single.offset,
            stride: 0,
        };
        let mut effect = Effect::Nothing;
        for access in facts.points_to.accesses(node) {
            if access.kind != AccessKind::Write {
                continue;
            }
            let places_in = |object| facts.points_to.places_in(access.locations, object);
            let is_anything = |anything| !places_in(anything).is_empty();
            let touches =
                |other: &Place| place.may_overlap(Some(self.single.bytes), *other, access.bytes);
            if !self.reaching.anything.is_some_and(is_anything)
                && !places_in(place.object).iter().any(touches)
            {
                continue;
            }
            effect = Effect::May;
            if let Some(written) = self.reaching.place_of(access)
                && self.is_certain(node)
                && written.object == place.object
                && written.offset <= place.offset
                && written.offset + written.bytes as i64 >= place.offset + self.single.bytes as i64
            {
                return Effect::Must;
            }
        }
        effect
    }

    /// Whether the node writes whenever it is executed, all the bytes it may write.
    fn is_certain(&self, node: NodeId) -> bool {
        let facts = self.reaching.facts;
        match facts.nodes.stands_for(facts.module, node) {
            Stands::Inst(inst) => matches!(inst.op, Op::Store { .. } | Op::Rmw { .. }),
            Stands::Terminator(_) => false,
        }
    }

    /// Goes on in the functions that a call enters and that may write the object. Whether that is
    /// all there is to do: otherwise the call may have left the place alone, and the walk goes on
    /// before it too.
    fn enters(&mut self, node: NodeId) -> Result<bool, TooHard> {
        let facts = self.reaching.facts;
        let Some(group) = facts.points_to.callee_group(node) else {
            return Ok(false);
        };
        let entered = match self.entered.get(&group) {
            Some(entered) => *entered,
            None => {
                let entered = self.enter_all(node)?;
                self.entered.insert(group, entered);
                entered
            }
        };
        let invokes = || {
            let stands = facts.nodes.stands_for(facts.module, node);
            matches!(stands, Stands::Terminator(Terminator::Invoke { .. }))
        };
        match entered {
            Entered::Nothing => Ok(false),
            _ if invokes() => Err(TooHard),
            Entered::Some => Ok(false),
            Entered::All => Ok(true),
        }
    }

    fn enter_all(&mut self, node: NodeId) -> Result<Entered, TooHard> {
        let facts = self.reaching.facts;
        let (mut writing, mut entered) = (0, 0);
        for callee in facts.entered_by(node) {
            entered += 1;
            if !self.reaching.function_may_write(callee, self.single.object) {
                continue;
            }
            writing += 1;
            for &ret in facts.returns(callee) {
                self.push(ret)?;
            }
        }
        // From the entry of such a callee the walk comes back to this call.
        Ok(match writing {
            0 => Entered::Nothing,
            _ if writing == entered && entered == facts.points_to.callees(node).len() => {
                Entered::All
            }
            _ => Entered::Some,
        })
    }

    fn entry(&mut self, function: FuncId) -> Result<(), TooHard> {
        if !self.entries.insert(function) {
            return Ok(());
        }
        self.count()?;
        let facts = self.reaching.facts;
        if facts.calls.roots().contains(&function) {
            // Before `main` there are only constructors.
            let is_main = facts.module.functions[function].name == "main";
            let mut before = facts.calls.roots().iter().filter(|root| **root != function);
            let object = self.single.object;
            let elidable = |root: &FuncId| {
                let name = facts.module.functions[*root].name.as_str();
                let later = AFTER_MAIN.contains(&name) || facts.module.destructors.contains(root);
                later || !self.reaching.function_may_write(*root, object)
            };
            if !is_main || !before.all(elidable) {
                return Err(TooHard);
            }
        }
        for &site in facts.calls.callers(function) {
            self.before(site)?;
        }
        Ok(())
    }
}

/// What the machine calls only when `main` is over or a thread ends.
const AFTER_MAIN: [&str; 3] = ["exit", "__sleave_end_thread", "__sleave_main_exited"];
