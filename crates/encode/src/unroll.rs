//! Unrolling: what the threads do, as terms, as far as executions have gone.
//!
//! Every thread is followed through the code with unknowns for what it finds in contended memory,
//! along all edges that some execution has taken. Paths that meet are merged, so that a thread's
//! graph has one node for each unrolled location and not one for each way to it. An edge that the
//! code has and no execution has taken is an *open exit*, unless it leads to nothing but a failure:
//! then whether it is taken is whether the assertion fails.
//!
//! A thread is unrolled where it is created, before its parent goes on. So when an access is looked
//! at, all accesses that come before it have been, and whether it is ordered with them is known
//! ([`crate::memory::Accesses`]). Memory that proves to be contended, a mutex that is not used as
//! mutexes are, a pointer that may be something else: what is found out is noted in [`Knowledge`],
//! and unrolling starts over, until nothing new is found. What counts is the last time.
//!
//! Soundness: an execution that takes no exit is one of the graph, for (by induction along the
//! execution) each thread is at a location that was unrolled, with the values that the terms have.

mod access;
mod address;
mod bulk;
mod call;
mod coarse;
mod failing;
mod heap;
mod locks;
mod operation;
mod phases;
mod sections;
mod slice;
mod sync;
mod threads;
mod vector;
mod verifier;
mod waiting;

pub use self::sections::{Began, Open};
pub use self::slice::Outside;
pub use self::vector::{GivenInput, TestVector};

use std::collections::BTreeMap;
use std::rc::Rc;

use ir::debug::LocId;
use ir::{Body, FuncId, Module, Symbol, Terminator, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{CmpOp, TermId, Terms};

use crate::graph::{
    Atom, AtomIx, Event, EventIx, EventKind, Exit, Fault, FaultKind, Graph, Obstacle, Side, Thread,
};
use crate::knowledge::{KeyId, Knowledge, ThreadIx, Values};
use crate::memory::{Accesses, Contents, Initial, Object, ObjectKind, Objects, Space};
use crate::path::{Head, Path, Stage, merge};
use crate::place::Shape;
use crate::ranges::{Intervals, Ranges};

/// What the environment may do.
pub struct Options<'o> {
    pub spurious_wakeups: bool,
    pub malloc_may_fail: bool,
    /// `main` is called with any arguments.
    pub any_arguments: bool,
    /// Loops go round so often, and all their edges count as taken; `None`: what executions took.
    pub whole: Option<u32>,
    /// Most instructions that are looked at, for programs that compute for long.
    pub steps: u64,
    /// Most terms that there may be.
    pub terms: usize,
    /// Critical sections become single events where they can.
    pub fuses: bool,
    /// Of large arrays it is not said where they are accessed.
    pub coarse: bool,
    /// What the inputs are; `None`: anything.
    pub inputs: Option<&'o TestVector>,
    /// What may be left out.
    pub outside: Option<Outside<'o>>,
}

/// The graph as far as it is known.
pub fn unroll(
    module: &Module,
    terms: &mut Terms,
    known: &mut Knowledge,
    options: &Options<'_>,
    interrupted: &dyn Fn() -> bool,
) -> Result<Graph, Obstacle> {
    let mut ranges = Ranges::default();
    let mut passes = 0;
    loop {
        let mut unroller = Unroller::new(module, terms, known, options, interrupted, ranges);
        unroller.lay_out()?;
        unroller.main()?;
        unroller.end()?;
        let (grew, graph) = (unroller.grew, unroller.graph);
        ranges = unroller.ranges;
        passes += 1;
        if passes == MOST_PASSES {
            ranges.give_up();
        } else if grew {
            // Of what is found out now it may be that less can be.
            ranges = Ranges::default();
        } else if !ranges.grow(terms, &graph, interrupted) {
            return Ok(graph);
        }
    }
}

/// Why a path is not followed further.
enum Stop {
    /// The thread does not go on here.
    Dead,
    Obstacle(Obstacle),
}

type Run<T> = Result<T, Stop>;

/// What becomes of a path after an instruction.
enum Next {
    /// It goes on behind the instruction.
    Go,
    /// Its frames have changed: it goes on where they say.
    Jumped,
}

/// After so many passes nothing is assumed of ranges any more.
const MOST_PASSES: u32 = 60;

struct Unroller<'a> {
    module: &'a Module,
    terms: &'a mut Terms,
    known: &'a mut Knowledge,
    options: &'a Options<'a>,
    interrupted: &'a dyn Fn() -> bool,
    ranges: Ranges,
    /// Of terms, under what is assumed of reads.
    intervals: Intervals,
    graph: Graph,
    objects: Objects,
    accesses: Accesses,
    /// Something was found out that unrolling needs from the start.
    grew: bool,
    steps: u64,
    shapes: FxHashMap<FuncId, Rc<Shape>>,
    /// The registers with which functions begin.
    templates: FxHashMap<FuncId, Rc<Vec<TermId>>>,
    functions: Vec<u64>,
    function_at: FxHashMap<u64, FuncId>,
    globals: Vec<u64>,
    atoms: FxHashMap<(u64, u64), AtomIx>,
    atom_at: BTreeMap<u64, u64>,
    /// The atom that a read is of, by the input.
    symbols: FxHashMap<TermId, AtomIx>,
    /// The objects that addresses were computed from.
    provenance: FxHashMap<TermId, u64>,
    spawned: FxHashMap<ThreadIx, Spawned>,
    /// Contended mutexes that are unlocked without a look at who holds them.
    mutexes: FxHashSet<u64>,
    slice: slice::Slice,
    barriers: phases::Barriers,
    /// So many events the thread has made that is being unrolled.
    made: usize,
    /// What guards memory, as it was known when the unrolling began.
    guards: FxHashMap<u64, u64>,
    taking: Vec<sections::Taking>,
    /// Accesses to guarded memory are made with those of the critical section.
    defers: bool,
    /// The access that is being made is no atomic operation.
    accesses_plainly: bool,
}

/// A thread that was unrolled.
struct Spawned {
    begin: Contents,
    /// How it is at its end, if it has one.
    end: Option<Path>,
    last: EventIx,
    /// Conditions under which it was joined or detached.
    claims: Vec<TermId>,
}

/// The threads being unrolled have queues of their own.
struct Worklist {
    thread: ThreadIx,
    paths: BTreeMap<Vec<u32>, Path>,
    /// Where the thread ends.
    ends: Vec<Path>,
    events: Vec<EventIx>,
}

impl<'a> Unroller<'a> {
    fn new(
        module: &'a Module,
        terms: &'a mut Terms,
        known: &'a mut Knowledge,
        options: &'a Options<'a>,
        interrupted: &'a dyn Fn() -> bool,
        ranges: Ranges,
    ) -> Unroller<'a> {
        Unroller {
            module,
            terms,
            known,
            options,
            interrupted,
            ranges,
            intervals: Intervals::default(),
            graph: Graph::default(),
            objects: Objects::default(),
            accesses: Accesses::default(),
            grew: false,
            steps: 0,
            shapes: FxHashMap::default(),
            templates: FxHashMap::default(),
            functions: Vec::new(),
            function_at: FxHashMap::default(),
            globals: Vec::new(),
            atoms: FxHashMap::default(),
            atom_at: BTreeMap::new(),
            symbols: FxHashMap::default(),
            provenance: FxHashMap::default(),
            spawned: FxHashMap::default(),
            mutexes: FxHashSet::default(),
            made: 0,
            guards: FxHashMap::default(),
            taking: Vec::new(),
            defers: true,
            accesses_plainly: false,
            slice: slice::Slice::default(),
            barriers: phases::Barriers::default(),
        }
    }

    /// Functions and globals get their addresses.
    fn lay_out(&mut self) -> Result<(), Obstacle> {
        let module = self.module;
        // The standard streams are objects, too.
        let count = module.functions.len() + module.globals.len() + 3;
        let mut space = Space::of_statics(module.pointer_bits, count);
        self.known.set_space(module.pointer_bits);
        let no_room = || obstacle(LocId(0), "more objects than have room");
        for (id, function) in module.functions.enumerate() {
            let absent = function.weak
                && function.body.is_none()
                && ir::modelled::Modelled::named(&function.name).is_none();
            let at = space.allocate(1, 1).ok_or_else(no_room)?;
            self.functions.push(if absent { 0 } else { at });
            self.function_at.insert(at, id);
            let object = Object {
                size: 1,
                kind: ObjectKind::Function,
                readonly: true,
                initial: Initial::Zero,
            };
            self.objects.insert(at, object);
        }
        for global in &module.globals {
            let at = space
                .allocate(global.size, global.align)
                .ok_or_else(no_room)?;
            self.globals.push(at);
        }
        for (id, global) in self.module.globals.enumerate() {
            let Some(init) = &global.init else {
                self.lay_out_stream(id, &mut space).ok_or_else(no_room)?;
                continue;
            };
            let mut bytes = init.bytes.clone();
            let width = self.module.pointer_bytes() as usize;
            for relocation in &init.relocations {
                let address = self
                    .symbol(relocation.target)
                    .wrapping_add_signed(relocation.addend);
                let offset = relocation.offset as usize;
                bytes[offset..offset + width].copy_from_slice(&address.to_le_bytes()[..width]);
            }
            let is_zero = bytes.iter().all(|byte| *byte == 0);
            let object = Object {
                size: global.size,
                kind: ObjectKind::Static,
                readonly: global.constant,
                initial: if is_zero {
                    Initial::Zero
                } else {
                    Initial::Bytes(bytes)
                },
            };
            self.objects.insert(self.globals[id.index()], object);
        }
        self.guards = self.known.guards_to_use();
        for (base, object) in &self.known.made {
            self.objects.insert(*base, object.clone());
        }
        self.make_atoms();
        Ok(())
    }

    /// The standard streams are something that is not null. `None`: there is no room.
    fn lay_out_stream(&mut self, id: ir::GlobalId, space: &mut Space) -> Option<()> {
        let global = &self.module.globals[id];
        let word = self.module.pointer_bytes();
        if !matches!(global.name.as_str(), "stdin" | "stdout" | "stderr") || global.size != word {
            return Some(());
        }
        let object = |size, initial| Object {
            size,
            kind: ObjectKind::Static,
            readonly: false,
            initial,
        };
        let at = space.allocate(8, 8)?;
        self.objects.insert(at, object(8, Initial::Zero));
        let bytes = at.to_le_bytes()[..word as usize].to_vec();
        self.objects.insert(
            self.globals[id.index()],
            object(word, Initial::Bytes(bytes)),
        );
        Some(())
    }

    fn symbol(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Global(id) => self.globals[id.index()],
            Symbol::Function(id) => self.functions[id.index()],
            // Computed jumps are not followed: any address that is nowhere else.
            Symbol::Block(function, block) => {
                (1 << 55) + (u64::from(function.0) << 20) + u64::from(block.0)
            }
        }
    }

    // ----- threads -----

    fn main(&mut self) -> Result<(), Obstacle> {
        let main = self.module.function_named("main");
        let begin = self
            .module
            .function_named("__sleave_begin")
            .filter(|_| !self.module.constructors.is_empty());
        let Some(main) = main else {
            return Err(obstacle(LocId(0), "no main"));
        };
        if !self.module.destructors.is_empty() {
            return Err(obstacle(LocId(0), "destructors that run at the end"));
        }
        let yes = self.terms.bool(true);
        let mut path = Path::new(yes, Contents::new());
        let (function, arguments) = match begin {
            Some(begin) => {
                path.stage = Stage::Begin;
                (begin, Vec::new())
            }
            None => (main, self.arguments_of_main(main)?),
        };
        self.thread(ThreadIx::MAIN, None, path, function, arguments)
    }

    /// Unrolls a thread whose frames are empty.
    fn thread(
        &mut self,
        thread: ThreadIx,
        parent: Option<(ThreadIx, EventIx)>,
        mut path: Path,
        function: FuncId,
        arguments: Vec<TermId>,
    ) -> Result<(), Obstacle> {
        let mut work = Worklist {
            thread,
            paths: BTreeMap::new(),
            ends: Vec::new(),
            events: Vec::new(),
        };
        let begin = path.contents.clone();
        self.enter(&mut path, function, &arguments)
            .map_err(|stop| match stop {
                Stop::Obstacle(obstacle) => obstacle,
                Stop::Dead => unreachable!("a function can be entered"),
            })?;
        let first = self.event(&mut work, &mut path, EventKind::Begin);
        self.enqueue(&mut work, path);
        while let Some((_, path)) = work.paths.pop_first() {
            self.made = work.events.len();
            match self.follow(&mut work, path) {
                Ok(()) | Err(Stop::Dead) => {}
                Err(Stop::Obstacle(obstacle)) => return Err(obstacle),
            }
        }
        self.leave_taken(&work);
        for path in &work.ends {
            self.leave_as_they_are(path);
        }
        let end = std::mem::take(&mut work.ends).into_iter();
        let end = end.reduce(|a, b| merge(self.terms, &self.objects, a, b));
        let no = self.terms.bool(false);
        let mut last = end.clone().unwrap_or_else(|| Path::new(no, begin.clone()));
        last.frames.clear();
        let last = self.event(&mut work, &mut last, EventKind::End);
        self.graph.threads.push(Thread {
            thread,
            function,
            parent,
            first,
            last,
            events: work.events,
        });
        self.spawned.insert(
            thread,
            Spawned {
                begin,
                end,
                last,
                claims: Vec::new(),
            },
        );
        Ok(())
    }

    // ----- following a path -----

    /// Puts a path where it meets others.
    fn enqueue(&mut self, work: &mut Worklist, mut path: Path) {
        if self.terms.as_constant(path.guard) == Some(0) {
            return;
        }
        let key = self.key_of(&path);
        let merged = match work.paths.remove(&key) {
            Some(mut other) => {
                match other.is_in_like_sections(&path) {
                    true => self.look_on_both(&mut other, &mut path),
                    false => {
                        self.leave_as_they_are(&other);
                        self.leave_as_they_are(&path);
                    }
                }
                merge(self.terms, &self.objects, other, path)
            }
            None => path,
        };
        work.paths.insert(key, merged);
    }

    fn key_of(&mut self, path: &Path) -> Vec<u32> {
        let Some(frame) = path.frames.last() else {
            return vec![u32::MAX];
        };
        let mut key = frame.prefix.to_vec();
        let shape = self.shapes[&frame.function].clone();
        shape.extend_key(&mut key, frame.block, &frame.rounds, frame.inst);
        if frame.part > 0 {
            key.push(frame.part);
        }
        key
    }

    fn key_id(&mut self, path: &Path) -> KeyId {
        let key = self.key_of(path);
        self.known.key(&key)
    }

    /// Follows a path to the end of its block, over calls, to where it may meet others.
    fn follow(&mut self, work: &mut Worklist, mut path: Path) -> Run<()> {
        self.begin_block(&mut path);
        loop {
            self.steps += 1;
            if (self.interrupted)() {
                return self.stop(&path, "it was interrupted");
            }
            if self.steps > self.options.steps {
                return self.stop(&path, "its threads compute for too long");
            }
            if self.terms.len() > self.options.terms {
                return self.stop(&path, "what its threads compute is too large a formula");
            }
            let frame = path.frame();
            let body = self.body(frame.function);
            let block = &body.blocks[frame.block];
            if let Some(inst) = block.insts.get(frame.inst as usize) {
                match self.instruction(work, &mut path, body, inst)? {
                    Next::Go => path.frame_mut().inst += 1,
                    Next::Jumped => {}
                }
            } else if self.terminator(work, &mut path, body, &block.terminator)? {
                // The path is in the queue, in parts perhaps.
                return Ok(());
            }
        }
    }

    fn body(&self, function: FuncId) -> &'a Body {
        let body = self.module.functions[function].body.as_ref();
        body.expect("a function that was entered has a body")
    }

    fn loc(&self, path: &Path) -> LocId {
        // The innermost place in the user's own code.
        let debug = &self.module.debug;
        let mut in_header = LocId(0);
        for frame in path.frames.iter().rev() {
            if self.module.functions[frame.function].runtime {
                continue;
            }
            let block = &self.body(frame.function).blocks[frame.block];
            let inst = block.insts.get(frame.inst as usize);
            let loc = inst.map_or(block.terminator_loc, |inst| inst.loc);
            let place = debug.locs[loc];
            if !place.is_known() {
                continue;
            }
            if !debug.files[place.file].starts_with("/usr/") {
                return loc;
            }
            if in_header == LocId(0) {
                in_header = loc;
            }
        }
        in_header
    }

    fn stop<T>(&self, path: &Path, why: impl Into<String>) -> Run<T> {
        Err(Stop::Obstacle(obstacle(self.loc(path), why)))
    }

    /// Something goes wrong here under a condition.
    fn fail_if(&mut self, thread: ThreadIx, path: &Path, kind: FaultKind, cond: TermId) -> Run<()> {
        let cond = self.folded(path, cond);
        if self.terms.as_constant(cond) == Some(0) {
            return Ok(());
        }
        let after = self.made;
        let holds = self.terms.and(path.guard, cond);
        if self.terms.as_constant(holds) == Some(0) {
            return Ok(());
        }
        let key = self.key_id(path);
        self.graph.faults.push(Fault {
            kind,
            thread,
            loc: self.loc(path),
            key,
            cond: holds,
            after,
        });
        if self.terms.as_constant(cond) == Some(1) {
            return Err(Stop::Dead);
        }
        Ok(())
    }

    fn fail<T>(&mut self, thread: ThreadIx, path: &Path, kind: FaultKind) -> Run<T> {
        let yes = self.terms.bool(true);
        self.fail_if(thread, path, kind, yes)?;
        Err(Stop::Dead)
    }

    // ----- events -----

    /// A new event at the end of the thread's.
    fn event(&mut self, work: &mut Worklist, path: &mut Path, kind: EventKind) -> EventIx {
        path.disturb_sections();
        let (key, place, loc) = match path.frames.last() {
            Some(frame) => (
                self.key_of(path),
                (frame.function, frame.block, frame.inst),
                self.loc(path),
            ),
            None => (vec![u32::MAX], Default::default(), LocId(0)),
        };
        let event = self.graph.events.push(Event {
            thread: work.thread,
            key: key.into(),
            place,
            loc,
            reached: path.guard,
            executed: path.guard,
            enabled: None,
            reads: Vec::new(),
            writes: Vec::new(),
            plain: Vec::new(),
            ends: Vec::new(),
            kind,
        });
        work.events.push(event);
        self.made = work.events.len();
        event
    }

    /// The event is only done under a condition, over what it reads; the path goes on if it is.
    fn hold_up(&mut self, path: &mut Path, event: EventIx, enabled: TermId) {
        let e = &self.graph.events[event];
        let key = self.known.key(&e.key);
        let name = format!("done {}@{}", e.thread, key.0);
        let done = self.terms.input(&name, 1);
        let ready = self.terms.and(path.guard, enabled);
        let required = self.terms.implies(done, ready);
        self.graph.required.push(required);
        let e = &mut self.graph.events[event];
        e.executed = done;
        e.enabled = Some(enabled);
        path.guard = done;
    }

    // ----- jumps -----

    /// Takes the path out of a block. Whether it was put into the queue; otherwise it goes on.
    fn terminator(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        body: &'a Body,
        terminator: &'a Terminator,
    ) -> Run<bool> {
        match terminator {
            Terminator::Br(target) => {
                self.jump(work, path.clone(), body, target);
                Ok(true)
            }
            Terminator::CondBr { then, other, .. } if self.is_dont_care(path) => {
                let target = self.either_way(work, path, then, other);
                self.jump(work, path.clone(), body, target);
                Ok(true)
            }
            Terminator::CondBr { cond, then, other } => {
                let cond = self.folded(path, path.register(*cond));
                let negated = self.terms.not(cond);
                for (cond, target) in [(cond, then), (negated, other)] {
                    self.jump_if(work, path, body, cond, target);
                }
                Ok(true)
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let value = path.register(*value);
                let width = self.terms.width(value);
                let mut rest = self.terms.bool(true);
                for (case, target) in cases {
                    let case = self.terms.constant(width, *case);
                    let is_it = self.terms.eq(value, case);
                    let is_it = self.folded(path, is_it);
                    let now = self.terms.and(rest, is_it);
                    let is_not = self.terms.not(is_it);
                    rest = self.terms.and(rest, is_not);
                    self.jump_if(work, path, body, now, target);
                }
                self.jump_if(work, path, body, rest, default);
                Ok(true)
            }
            Terminator::Ret(values) => {
                let values: Vec<TermId> = values.iter().map(|v| path.register(*v)).collect();
                self.give_back(work, path, &values)
            }
            Terminator::Invoke { call, normal, .. } => match self.call(work, path, call)? {
                Next::Go => {
                    self.jump(work, path.clone(), body, normal);
                    Ok(true)
                }
                Next::Jumped => Ok(false),
            },
            Terminator::Unreachable => self.fail(work.thread, path, FaultKind::Unreachable),
            Terminator::IndirectBr { .. } => self.stop(path, "a computed jump"),
            Terminator::Resume { .. } => self.stop(path, "an exception"),
        }
    }

    fn jump_if(
        &mut self,
        work: &mut Worklist,
        path: &Path,
        body: &'a Body,
        cond: TermId,
        target: &'a ir::Target,
    ) {
        let guard = self.terms.and(path.guard, cond);
        let frame = path.frame();
        if !self.module.functions[frame.function].runtime {
            self.graph.sides.push(Side {
                place: (frame.function, frame.block),
                target: target.block,
                cond: guard,
            });
        }
        if self.terms.as_constant(guard) == Some(0) {
            return;
        }
        let mut path = path.clone();
        path.guard = guard;
        self.jump(work, path, body, target);
    }

    /// Takes an edge, if an execution has.
    fn jump(
        &mut self,
        work: &mut Worklist,
        mut path: Path,
        body: &'a Body,
        target: &'a ir::Target,
    ) {
        let parameters = &body.blocks[target.block].params;
        let arguments: Vec<TermId> = target.args.iter().map(|v| path.register(*v)).collect();
        let loc = self.loc(&path);
        let shape = self.shapes[&path.frame().function].clone();
        let frame = path.frame_mut();
        let goes_round = shape.jump(&mut frame.rounds, frame.block, target.block);
        frame.heads.truncate(frame.rounds.len());
        if goes_round {
            self.leave_out_idle_round(work, &mut path, &arguments, loc);
        }
        let frame = path.frame_mut();
        frame.block = target.block;
        frame.inst = 0;
        if !arguments.is_empty() {
            let registers = Rc::make_mut(&mut frame.registers);
            for (parameter, argument) in parameters.iter().zip(arguments) {
                registers[parameter.index()] = argument;
            }
        }
        let round = frame.rounds.last().copied().unwrap_or(0);
        self.take_edge(work, path, loc, goes_round.then_some(round));
    }

    /// The path stands behind an edge: it goes on if that is known.
    fn take_edge(&mut self, work: &mut Worklist, path: Path, loc: LocId, round: Option<u32>) {
        if self.terms.as_constant(path.guard) == Some(0) {
            return;
        }
        let key = self.key_of(&path);
        let frame = path.frame();
        let block = &self.body(frame.function).blocks[frame.block];
        // A run does not show a block in which nothing is done.
        let is_empty =
            block.insts.is_empty() && !matches!(block.terminator, Terminator::Unreachable);
        let is_near = |bound| round.is_none_or(|round| round <= bound);
        let is_known = self.known.is_visited(work.thread, &key)
            || self.options.whole.is_some_and(is_near)
            || is_empty && round.is_none();
        if let Some(kind) = self.fails_at_once(&path) {
            self.fail_at_once(work, &path, kind);
        } else if is_known {
            self.enqueue(work, path);
        } else {
            self.graph.exits.push(Exit {
                thread: work.thread,
                target: key.into(),
                loc,
                cond: path.guard,
                round,
                after: self.made,
            });
        }
    }

    /// At the head of a loop: a round begins.
    fn begin_block(&mut self, path: &mut Path) {
        let frame = path.frame();
        if frame.inst != 0 {
            return;
        }
        let shape = &self.shapes[&frame.function];
        if shape.loops(frame.block).last() != Some(&frame.block) {
            return;
        }
        let parameters = &self.body(frame.function).blocks[frame.block].params;
        let values: Vec<TermId> = parameters.iter().map(|p| path.register(*p)).collect();
        let head = Head {
            parameters: values.into(),
            contents: path.contents.clone(),
            acted: self.terms.bool(false),
            reads: Rc::default(),
            inputs: path.inputs,
            held: path.held.clone(),
            may_hold: path.may_hold.clone(),
            fresh: path.fresh,
            has_waited: false,
            has_waited_a_while: false,
        };
        let frame = path.frame_mut();
        frame.heads.truncate(frame.rounds.len() - 1);
        frame.heads.push(head);
    }

    // ----- small things -----

    /// The condition, or what it is where the path stands, if the ranges of reads tell.
    fn folded(&mut self, path: &Path, cond: TermId) -> TermId {
        if self.terms.as_constant(cond).is_some() {
            return cond;
        }
        let interval = self.intervals.under(self.terms, &[path.guard], cond);
        match interval.as_constant() {
            Some(value) => self.terms.bool(value == 1),
            None => cond,
        }
    }

    fn constant(&mut self, width: u32, value: u64) -> TermId {
        self.terms.constant(width, u128::from(value))
    }

    fn pointer(&mut self, address: u64) -> TermId {
        self.constant(self.module.pointer_bits, address)
    }

    fn is(&mut self, term: TermId, value: u128) -> TermId {
        let width = self.terms.width(term);
        let value = self.terms.constant(width, value);
        self.terms.cmp(CmpOp::Eq, term, value)
    }

    fn number(&self, term: TermId) -> Option<u64> {
        self.terms.as_constant(term).map(|n| n as u64)
    }

    /// A number that must be known.
    fn need(&self, path: &Path, term: TermId, what: &str) -> Run<u64> {
        match self.number(term) {
            Some(number) => Ok(number),
            None => self.stop(path, format!("{what} that is not fixed")),
        }
    }

    fn width_of(&self, path: &Path, value: ValueId) -> u32 {
        let ty = self.body(path.frame().function).ty(value);
        ty.bits(self.module.pointer_bits)
    }

    /// Cut or extended with zeros.
    fn resized(&mut self, term: TermId, width: u32) -> TermId {
        let now = self.terms.width(term);
        match now.cmp(&width) {
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Greater => self.terms.extract(term, 0, width),
            std::cmp::Ordering::Less => self.terms.zext(term, width),
        }
    }

    /// What is found out at the end: what pointers in shared memory may be, and whether mutexes
    /// are only locked and unlocked.
    fn end(&mut self) -> Result<(), Obstacle> {
        self.complete_phases();
        let mut pointers = Vec::new();
        for e in self.graph.events.iter() {
            for write in &e.writes {
                let Atom { address, bytes, .. } = self.graph.atoms[write.atom];
                if bytes * 8 == self.module.pointer_bits {
                    pointers.push((address, write.value));
                }
            }
        }
        self.find_odd_mutexes();
        self.check_slice();
        if let Some(vector) = self.options.inputs {
            self.fix_inputs(vector)?;
        }
        for (address, value) in pointers {
            let values = self.values_of(value);
            let known = self
                .known
                .pointers
                .entry(address)
                .or_insert_with(Values::none);
            self.grew |= known.add(&values);
        }
        Ok(())
    }
}

fn obstacle(loc: LocId, why: impl Into<String>) -> Obstacle {
    Obstacle {
        loc,
        why: why.into(),
    }
}
