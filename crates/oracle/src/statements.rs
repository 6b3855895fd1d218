//! Random statements of one thread.
//!
//! Locks are used such that no mutex is misused, unless misuse is asked for: the thread never takes
//! one that it may hold.

use std::ops::Range;

use crate::config::Config;
use crate::expr::{BinaryOp, Expr};
use crate::ids::*;
use crate::program::{Access, Check, Index, Op, Place, Program, Stmt, Thread, UpdateOp};
use crate::random::Random;
use crate::worlds::World;

pub struct Statements<'a> {
    random: &'a mut Random,
    config: &'a Config,
    /// The declarations; the threads are not looked at.
    program: &'a Program,
    /// What relevant statements are about, what irrelevant ones are about, and both.
    relevant: World,
    irrelevant: World,
    all: World,
    /// The statement at hand is irrelevant.
    is_irrelevant: bool,
    /// Mutexes that the thread may hold here.
    held: Vec<MutexId>,
    /// How deep in other statements. Statements deeper than [`MAX_DEPTH`] contain no others.
    depth: usize,
    in_atomic_section: bool,
    in_loop: bool,
    waits: usize,
    assertions: usize,
}

/// A lock in a branch in a loop: more depth makes programs larger, not more different.
const MAX_DEPTH: usize = 2;

#[derive(Clone, Copy)]
enum Kind {
    Assign,
    Read,
    Write,
    Pointer,
    Add,
    Atomic,
    Update,
    Branch,
    Repeat,
    AtomicSection,
    CriticalSection,
    OverlappingLocks,
    TryLock,
    ForgottenUnlock,
    Semaphore,
    Condition,
    Assume,
    Assert,
    LockMisuse,
    Indirect,
    Consult,
    ChoosePointer,
    KeptIf,
}

impl<'a> Statements<'a> {
    /// `assertions` are there already in other threads.
    pub fn new(
        random: &'a mut Random,
        config: &'a Config,
        program: &'a Program,
        thread: &Thread,
        (relevant, irrelevant): (World, World),
        assertions: usize,
    ) -> Self {
        Statements {
            random,
            config,
            program,
            relevant,
            irrelevant,
            all: World::all(program, thread),
            is_irrelevant: false,
            held: vec![],
            depth: 0,
            in_atomic_section: false,
            in_loop: false,
            waits: 0,
            assertions,
        }
    }

    pub fn assertions(&self) -> usize {
        self.assertions
    }

    /// About `count` statements: some kinds need several.
    pub fn block(&mut self, count: usize) -> Vec<Stmt> {
        let mut block = vec![];
        while block.len() < count {
            let outer = self.is_irrelevant;
            let share = self.config.irrelevant.statements;
            // What stands in an irrelevant statement is irrelevant.
            self.is_irrelevant |= share > 0 && self.random.percent(share);
            let kind = self.random.weighted(&self.kinds());
            if let Some(kind) = kind {
                match self.protects(kind) {
                    Some(mutex) => {
                        block.push(Stmt::Do(Op::Lock(mutex)));
                        self.statement(kind, &mut block);
                        block.push(Stmt::Do(Op::Unlock(mutex)));
                    }
                    None => self.statement(kind, &mut block),
                }
            }
            let stuck = kind.is_none() && (share == 0 || outer == self.is_irrelevant);
            self.is_irrelevant = outer;
            if stuck {
                break;
            }
        }
        block
    }

    /// The mutex in a critical section of which the statement belongs.
    fn protects(&self, kind: Kind) -> Option<MutexId> {
        let accesses = matches!(kind, Kind::Read | Kind::Write | Kind::Add | Kind::Update);
        let is_bare = self.held.is_empty() && !self.in_atomic_section;
        let protects = self.config.protected && accesses && is_bare;
        self.free_mutexes().first().copied().filter(|_| protects)
    }

    /// What is possible here, with its weight.
    fn kinds(&self) -> Vec<(u32, Kind)> {
        let weights = &self.config.weights;
        let here = self.here();
        let memory = here.has_memory();
        let locals = !here.locals.is_empty();
        let pointers = !here.local_pointers.is_empty();
        let relevant = !self.is_irrelevant;
        let nests = self.depth < MAX_DEPTH;
        let synchronises = !self.in_atomic_section;
        let free = self.free_mutexes().len();
        let only = |possible: bool, weight: u32| if possible { weight } else { 0 };
        vec![
            (only(locals, weights.assign), Kind::Assign),
            (only(locals && memory, weights.read), Kind::Read),
            (only(memory, weights.write), Kind::Write),
            (only(pointers, weights.pointer), Kind::Pointer),
            (only(memory, weights.add), Kind::Add),
            (only(locals && memory, weights.atomic), Kind::Atomic),
            (only(memory, weights.update), Kind::Update),
            (only(nests, weights.branch), Kind::Branch),
            (only(nests && !self.in_loop, weights.repeat), Kind::Repeat),
            (
                only(nests && synchronises, weights.atomic_section),
                Kind::AtomicSection,
            ),
            (
                only(nests && synchronises && free > 0, weights.critical_section),
                Kind::CriticalSection,
            ),
            (
                only(nests && synchronises && free > 1, weights.overlapping_locks),
                Kind::OverlappingLocks,
            ),
            (
                only(
                    locals && nests && synchronises && free > 0,
                    weights.try_lock,
                ),
                Kind::TryLock,
            ),
            // Not in a loop, whose next turn would take the mutex again.
            (
                only(
                    relevant && self.depth == 0 && free > 0,
                    weights.forgotten_unlock,
                ),
                Kind::ForgottenUnlock,
            ),
            (
                only(
                    relevant && synchronises && !self.program.semaphores.is_empty(),
                    weights.semaphore,
                ),
                Kind::Semaphore,
            ),
            (
                only(
                    relevant
                        && synchronises
                        && self.program.conditions > 0
                        && !here.mutexes.is_empty(),
                    weights.condition,
                ),
                Kind::Condition,
            ),
            (only(relevant, weights.assume), Kind::Assume),
            (only(relevant && locals, weights.assert), Kind::Assert),
            (
                only(
                    relevant && synchronises && self.program.mutexes > 0,
                    weights.lock_misuse,
                ),
                Kind::LockMisuse,
            ),
            (
                only(
                    locals && !here.arrays.is_empty() && !here.shared.is_empty(),
                    weights.indirect,
                ),
                Kind::Indirect,
            ),
            (
                only(locals && memory && nests, weights.consult),
                Kind::Consult,
            ),
            (
                only(locals && memory && pointers, weights.choose_pointer),
                Kind::ChoosePointer,
            ),
            (
                only(self.depth == 0 && free > 0, weights.kept_if),
                Kind::KeptIf,
            ),
        ]
    }

    fn statement(&mut self, kind: Kind, block: &mut Vec<Stmt>) {
        match kind {
            Kind::Assign => {
                let op = Op::Assign(self.local(), self.expr());
                block.push(Stmt::Do(op));
            }
            Kind::Read => {
                let op = Op::Read(Access::Plain, self.local(), self.source());
                block.push(Stmt::Do(op));
            }
            Kind::Write => {
                let op = Op::Write(Access::Plain, self.place(), self.expr());
                block.push(Stmt::Do(op));
            }
            Kind::Pointer => block.push(Stmt::Do(self.pointer())),
            Kind::Add => {
                let op = Op::Add(self.place(), self.leaf());
                block.push(Stmt::Do(op));
            }
            Kind::Atomic => block.push(Stmt::Do(self.atomic())),
            Kind::Update => {
                // Mostly additions: updates of one kind commute, and only then is there something
                // to get wrong.
                let op = *self.random.pick(&[
                    UpdateOp::Add,
                    UpdateOp::Add,
                    UpdateOp::Add,
                    UpdateOp::Sub,
                    UpdateOp::Sub,
                    UpdateOp::And,
                    UpdateOp::Or,
                    UpdateOp::Or,
                    UpdateOp::Xor,
                ]);
                let op = Op::Update(op, self.place(), self.leaf());
                block.push(Stmt::Do(op));
            }
            Kind::Branch => {
                let condition = self.branch_condition();
                block.push(self.branch(condition));
            }
            Kind::Repeat => {
                let times = 1 + self.random.below(3) as u32;
                self.in_loop = true;
                let mut body = self.nested();
                self.in_loop = false;
                let breaks = self.config.breaks;
                if breaks > 0 && !self.in_atomic_section && self.random.percent(breaks) {
                    // Not in the middle, where a mutex may be held.
                    let at = [0, body.len()][self.random.below(2)];
                    body.insert(at, Stmt::BreakIf(self.condition()));
                }
                block.push(Stmt::Repeat { times, body });
            }
            Kind::AtomicSection => {
                self.in_atomic_section = true;
                let body = self.nested();
                self.in_atomic_section = false;
                block.push(Stmt::Atomic(body));
            }
            Kind::CriticalSection => {
                let mutex = self.free_mutex();
                block.push(Stmt::Do(Op::Lock(mutex)));
                block.append(&mut self.holding(&[mutex]));
                block.push(Stmt::Do(Op::Unlock(mutex)));
            }
            Kind::OverlappingLocks => {
                let first = self.free_mutex();
                block.push(Stmt::Do(Op::Lock(first)));
                self.held.push(first);
                let second = self.free_mutex();
                self.held.pop();
                block.push(Stmt::Do(Op::Lock(second)));
                block.append(&mut self.holding(&[first, second]));
                block.push(Stmt::Do(Op::Unlock(first)));
                block.push(Stmt::Do(Op::Unlock(second)));
            }
            Kind::TryLock => {
                let (local, mutex) = (self.local(), self.free_mutex());
                let mut then = self.holding(&[mutex]);
                then.push(Stmt::Do(Op::Unlock(mutex)));
                block.push(Stmt::Do(Op::TryLock(local, mutex)));
                block.push(Stmt::If {
                    condition: local.into(),
                    then,
                    otherwise: vec![],
                });
            }
            Kind::ForgottenUnlock => {
                let mutex = self.free_mutex();
                self.held.push(mutex);
                block.push(Stmt::Do(Op::Lock(mutex)));
            }
            Kind::Semaphore => block.push(Stmt::Do(self.semaphore())),
            Kind::Condition => self.condition_variable(block),
            Kind::Assume => block.push(Stmt::Do(Op::Assume(self.condition()))),
            Kind::Assert => {
                let id = AssertId(self.assertions);
                self.assertions += 1;
                let check = check(self.random, self.config.other_checks);
                block.push(Stmt::Do(Op::Assert(check, id, self.condition())));
            }
            Kind::LockMisuse => {
                let mutex = MutexId(self.random.below(self.program.mutexes));
                let op = if self.random.percent(50) {
                    Op::Lock(mutex)
                } else {
                    Op::Unlock(mutex)
                };
                block.push(Stmt::Do(op));
            }
            Kind::Indirect => self.indirect(block),
            Kind::Consult => {
                let local = self.local();
                let read = Op::Read(Access::Plain, local, self.source());
                block.push(Stmt::Do(read));
                let condition = self.comparison(local.into());
                block.push(self.branch(condition));
            }
            Kind::ChoosePointer => self.choose_pointer(block),
            Kind::KeptIf => {
                let (condition, mutex) = (self.condition(), self.free_mutex());
                self.held.push(mutex);
                block.push(Stmt::If {
                    condition,
                    then: vec![Stmt::Do(Op::Lock(mutex))],
                    otherwise: vec![],
                });
            }
        }
    }

    fn branch(&mut self, condition: Expr) -> Stmt {
        let then = self.nested();
        let otherwise = if self.random.percent(40) {
            self.nested()
        } else {
            vec![]
        };
        Stmt::If {
            condition,
            then,
            otherwise,
        }
    }

    /// Which element is accessed, memory decides.
    fn indirect(&mut self, block: &mut Vec<Stmt>) {
        let (index, local) = (self.local(), self.local());
        let (shared, arrays) = (self.here().shared.clone(), self.here().arrays.clone());
        let from = Place::Scalar(SharedId(self.within(&shared)));
        let array = ArrayId(self.within(&arrays));
        let element = Place::Element(array, Index::Wrapped(index.into()));
        let access = match self.random.below(4) {
            0 => Op::Read(Access::Plain, local, element),
            1 => Op::FetchAdd(local, element, self.leaf()),
            _ => Op::Write(Access::Plain, element, self.leaf()),
        };
        let read = Op::Read(Access::Plain, index, from);
        block.extend([read, access].map(Stmt::Do));
    }

    fn choose_pointer(&mut self, block: &mut Vec<Stmt>) {
        let (pointer, local) = (self.local_pointer(), self.local());
        let condition = self.condition();
        let mut point = || {
            let world = self.here().clone();
            let place = self.place_in(&world);
            vec![Stmt::Do(point_to(pointer, place))]
        };
        block.push(Stmt::If {
            condition,
            then: point(),
            otherwise: point(),
        });
        let place = Place::Through(pointer);
        let access = match self.random.below(2) {
            0 => Op::Read(Access::Plain, local, place),
            _ => Op::Write(Access::Plain, place, self.leaf()),
        };
        block.push(Stmt::Do(access));
    }

    fn nested(&mut self) -> Vec<Stmt> {
        let count = self.random.within(&self.config.nested);
        self.depth += 1;
        let block = self.block(count);
        self.depth -= 1;
        block
    }

    fn holding(&mut self, mutexes: &[MutexId]) -> Vec<Stmt> {
        self.held.extend(mutexes);
        let block = self.nested();
        self.held.truncate(self.held.len() - mutexes.len());
        block
    }

    /// A mutex that the thread certainly does not hold; there must be one.
    fn free_mutex(&mut self) -> MutexId {
        let free = self.free_mutexes();
        *self.random.pick(&free)
    }

    fn free_mutexes(&self) -> Vec<MutexId> {
        let mutexes = self.here().mutexes.clone().map(MutexId);
        mutexes.filter(|m| !self.held.contains(m)).collect()
    }

    fn pointer(&mut self) -> Op {
        let pointer = self.local_pointer();
        let shared = self.here().pointers.clone();
        match self.random.below(4) {
            0 if !shared.is_empty() => Op::LoadPointer(pointer, PointerId(self.within(&shared))),
            1 if !shared.is_empty() => Op::StorePointer(PointerId(self.within(&shared)), pointer),
            _ => point_to(pointer, self.place()),
        }
    }

    fn atomic(&mut self) -> Op {
        let (local, place) = (self.local(), self.place());
        match self.random.below(5) {
            0 => Op::Read(Access::Atomic, local, place),
            1 => Op::Write(Access::Atomic, place, self.expr()),
            2 => Op::FetchAdd(local, place, self.leaf()),
            3 => Op::Exchange(local, place, self.leaf()),
            _ => Op::CompareExchange {
                success: local,
                place,
                expected: self.local(),
                desired: self.leaf(),
            },
        }
    }

    fn semaphore(&mut self) -> Op {
        let semaphore = SemaphoreId(self.random.below(self.program.semaphores.len()));
        match self.random.below(5) {
            0 if !self.here().locals.is_empty() => Op::SemTryWait(self.local(), semaphore),
            0..=2 => Op::SemWait(semaphore),
            _ => Op::SemPost(semaphore),
        }
    }

    /// A thread waits so often at most, and not in a loop: how often in a row a thread may wake up
    /// spuriously is left open.
    fn condition_variable(&mut self, block: &mut Vec<Stmt>) {
        let condition = ConditionId(self.random.below(self.program.conditions));
        let can_wait =
            !self.free_mutexes().is_empty() && self.waits < self.config.waits && !self.in_loop;
        match self.random.below(4) {
            0 | 1 if can_wait => {
                self.waits += 1;
                let mutex = self.free_mutex();
                block.push(Stmt::Do(Op::Lock(mutex)));
                block.append(&mut self.guarded_wait(condition, mutex));
                block.push(Stmt::Do(Op::Unlock(mutex)));
            }
            0..=2 => block.push(Stmt::Do(Op::Signal(condition))),
            _ => block.push(Stmt::Do(Op::Broadcast(condition))),
        }
    }

    /// `if (g0 == 1) wait`, or an unconditional wait if nothing can be read.
    fn guarded_wait(&mut self, condition: ConditionId, mutex: MutexId) -> Vec<Stmt> {
        let wait = Stmt::Do(Op::Wait(condition, mutex));
        if self.here().locals.is_empty() || self.here().shared.is_empty() {
            return vec![wait];
        }
        let local = self.local();
        let shared = self.here().shared.clone();
        let place = Place::Scalar(SharedId(self.within(&shared)));
        let value = self.random.value(0..=2);
        vec![
            Stmt::Do(Op::Read(Access::Plain, local, place)),
            Stmt::If {
                condition: Expr::binary(BinaryOp::Eq, local.into(), value.into()),
                then: vec![wait],
                otherwise: vec![],
            },
        ]
    }

    /// What the statement at hand is about.
    fn here(&self) -> &World {
        if self.is_irrelevant {
            &self.irrelevant
        } else {
            &self.relevant
        }
    }

    /// What it may read: irrelevant statements read everything, relevant ones do now and then.
    fn readable(&mut self) -> World {
        let config = &self.config.irrelevant;
        let split = config.statements > 0;
        if split && (self.is_irrelevant || self.random.percent(config.hidden)) {
            self.all.clone()
        } else {
            self.here().clone()
        }
    }

    /// What it may write: irrelevant statements write nothing relevant.
    fn writable(&mut self) -> World {
        if self.is_irrelevant {
            self.irrelevant.clone()
        } else {
            self.readable()
        }
    }

    fn within(&mut self, range: &Range<usize>) -> usize {
        range.start + self.random.below(range.len())
    }

    fn local(&mut self) -> LocalId {
        let locals = self.here().locals.clone();
        LocalId(self.within(&locals))
    }

    fn local_pointer(&mut self) -> LocalPointerId {
        let pointers = self.here().local_pointers.clone();
        LocalPointerId(self.within(&pointers))
    }

    /// To be read only.
    fn source(&mut self) -> Place {
        let world = self.readable();
        self.place_in(&world)
    }

    fn place(&mut self) -> Place {
        let world = self.writable();
        self.place_in(&world)
    }

    fn place_in(&mut self, world: &World) -> Place {
        let (shared, arrays) = (world.shared.len(), world.arrays.len());
        let choice = self
            .random
            .below(shared + arrays + world.local_pointers.len());
        if choice < shared {
            return Place::Scalar(SharedId(world.shared.start + choice));
        }
        if choice >= shared + arrays {
            let pointer = world.local_pointers.start + choice - shared - arrays;
            return Place::Through(LocalPointerId(pointer));
        }
        let index = self.leaf();
        let raw = self.config.weights.raw_index;
        let raw = raw > 0 && self.random.below(10 + raw as usize) < raw as usize;
        let index = if raw {
            Index::Raw(index)
        } else {
            Index::Wrapped(index)
        };
        Place::Element(ArrayId(world.arrays.start + choice - shared), index)
    }

    fn leaf(&mut self) -> Expr {
        let inputs = self.program.inputs.len();
        let locals = self.readable().locals;
        match self.random.below(10) {
            0..5 if !locals.is_empty() => LocalId(self.within(&locals)).into(),
            5..7 if inputs > 0 => InputId(self.random.below(inputs)).into(),
            _ => self.random.value(-1..=3).into(),
        }
    }

    /// Not a constant, if there is anything else.
    fn variable(&mut self) -> Expr {
        let inputs = self.program.inputs.len();
        let locals = self.readable().locals;
        match self.random.below(locals.len() + inputs + 1) {
            choice if choice < locals.len() => LocalId(locals.start + choice).into(),
            choice if choice < locals.len() + inputs => InputId(choice - locals.len()).into(),
            _ if !locals.is_empty() => LocalId(self.within(&locals)).into(),
            _ => self.leaf(),
        }
    }

    fn expr(&mut self) -> Expr {
        const ARITHMETIC: [BinaryOp; 7] = [
            BinaryOp::Add,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
        ];
        match self.random.below(10) {
            0..5 => self.leaf(),
            5..9 => {
                let left = self.variable();
                Expr::binary(*self.random.pick(&ARITHMETIC), left, self.leaf())
            }
            _ => self.condition(),
        }
    }

    fn condition(&mut self) -> Expr {
        let left = self.variable();
        self.comparison(left)
    }

    fn branch_condition(&mut self) -> Expr {
        let share = self.config.irrelevant.on_inputs;
        let inputs = self.program.inputs.len();
        if self.is_irrelevant && inputs > 0 && share > 0 && self.random.percent(share) {
            let input = InputId(self.random.below(inputs));
            return self.comparison(input.into());
        }
        self.condition()
    }

    fn comparison(&mut self, left: Expr) -> Expr {
        const COMPARISONS: [BinaryOp; 4] = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le];
        let right = if self.random.percent(70) {
            self.random.value(0..=2).into()
        } else {
            self.leaf()
        };
        Expr::binary(*self.random.pick(&COMPARISONS), left, right)
    }
}

/// Only the address of what is there is taken.
fn point_to(pointer: LocalPointerId, place: Place) -> Op {
    match place {
        Place::Element(array, Index::Raw(index)) => {
            Op::Point(pointer, Place::Element(array, Index::Wrapped(index)))
        }
        place => Op::Point(pointer, place),
    }
}

/// How an assertion is written, `others` per cent of them not as `assert`.
pub fn check(random: &mut Random, others: u32) -> Check {
    if others > 0 && random.percent(others) {
        *random.pick(&[Check::Verifier, Check::ReachError])
    } else {
        Check::Assert
    }
}
