//! Random statements of one thread.
//!
//! Locks are used such that no mutex is misused, unless misuse is asked for: the thread never takes one that it may hold.

use crate::expr::{BinaryOp, Expr};
use crate::generate::Config;
use crate::ids::*;
use crate::program::{Access, Index, Op, Place, Program, Stmt, UpdateOp};
use crate::random::Random;

pub struct Statements<'a> {
    random: &'a mut Random,
    config: &'a Config,
    /// The declarations; the threads are not looked at.
    program: &'a Program,
    locals: usize,
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
}

impl<'a> Statements<'a> {
    /// `assertions` are there already in other threads.
    pub fn new(
        random: &'a mut Random,
        config: &'a Config,
        program: &'a Program,
        locals: usize,
        assertions: usize,
    ) -> Self {
        Statements {
            random,
            config,
            program,
            locals,
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
            match self.random.weighted(&self.kinds()) {
                Some(kind) => self.statement(kind, &mut block),
                None => break,
            }
        }
        block
    }

    /// What is possible here, with its weight.
    fn kinds(&self) -> Vec<(u32, Kind)> {
        let weights = &self.config.weights;
        let memory = !self.program.shared.is_empty() || !self.program.arrays.is_empty();
        let locals = self.locals > 0;
        let nests = self.depth < MAX_DEPTH;
        let synchronises = !self.in_atomic_section;
        let free = self.program.mutexes - self.held.len();
        let only = |possible: bool, weight: u32| if possible { weight } else { 0 };
        vec![
            (only(locals, weights.assign), Kind::Assign),
            (only(locals && memory, weights.read), Kind::Read),
            (only(memory, weights.write), Kind::Write),
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
                only(self.depth == 0 && free > 0, weights.forgotten_unlock),
                Kind::ForgottenUnlock,
            ),
            (
                only(
                    synchronises && !self.program.semaphores.is_empty(),
                    weights.semaphore,
                ),
                Kind::Semaphore,
            ),
            (
                only(
                    synchronises && self.program.conditions > 0 && self.program.mutexes > 0,
                    weights.condition,
                ),
                Kind::Condition,
            ),
            (weights.assume, Kind::Assume),
            (only(locals, weights.assert), Kind::Assert),
            (
                only(
                    synchronises && self.program.mutexes > 0,
                    weights.lock_misuse,
                ),
                Kind::LockMisuse,
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
                let op = Op::Read(Access::Plain, self.local(), self.place());
                block.push(Stmt::Do(op));
            }
            Kind::Write => {
                let op = Op::Write(Access::Plain, self.place(), self.expr());
                block.push(Stmt::Do(op));
            }
            Kind::Add => {
                let op = Op::Add(self.place(), self.leaf());
                block.push(Stmt::Do(op));
            }
            Kind::Atomic => block.push(Stmt::Do(self.atomic())),
            Kind::Update => {
                // Mostly additions: updates of one kind commute, and only then is there something to get wrong.
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
                let condition = self.condition();
                let then = self.nested();
                let otherwise = if self.random.percent(40) {
                    self.nested()
                } else {
                    vec![]
                };
                block.push(Stmt::If {
                    condition,
                    then,
                    otherwise,
                });
            }
            Kind::Repeat => {
                let times = 1 + self.random.below(3) as u32;
                self.in_loop = true;
                let body = self.nested();
                self.in_loop = false;
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
                block.push(Stmt::Do(Op::Assert(id, self.condition())));
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
        }
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
        let mutexes = (0..self.program.mutexes).map(MutexId);
        let free: Vec<_> = mutexes.filter(|m| !self.held.contains(m)).collect();
        *self.random.pick(&free)
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
            0 if self.locals > 0 => Op::SemTryWait(self.local(), semaphore),
            0..=2 => Op::SemWait(semaphore),
            _ => Op::SemPost(semaphore),
        }
    }

    /// A thread waits once at most and not in a loop: how often in a row a thread may wake up spuriously is left open.
    fn condition_variable(&mut self, block: &mut Vec<Stmt>) {
        let condition = ConditionId(self.random.below(self.program.conditions));
        let can_wait = self.held.len() < self.program.mutexes && self.waits == 0 && !self.in_loop;
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
        if self.locals == 0 || self.program.shared.is_empty() {
            return vec![wait];
        }
        let local = self.local();
        let place = Place::Scalar(SharedId(self.random.below(self.program.shared.len())));
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

    fn local(&mut self) -> LocalId {
        LocalId(self.random.below(self.locals))
    }

    fn place(&mut self) -> Place {
        let (shared, arrays) = (self.program.shared.len(), self.program.arrays.len());
        let choice = self.random.below(shared + arrays);
        if choice < shared {
            return Place::Scalar(SharedId(choice));
        }
        let index = self.leaf();
        let raw = self.config.weights.raw_index;
        let raw = raw > 0 && self.random.below(10 + raw as usize) < raw as usize;
        let index = if raw {
            Index::Raw(index)
        } else {
            Index::Wrapped(index)
        };
        Place::Element(ArrayId(choice - shared), index)
    }

    fn leaf(&mut self) -> Expr {
        let inputs = self.program.inputs.len();
        match self.random.below(10) {
            0..5 if self.locals > 0 => self.local().into(),
            5..7 if inputs > 0 => InputId(self.random.below(inputs)).into(),
            _ => self.random.value(-1..=3).into(),
        }
    }

    /// Not a constant, if there is anything else.
    fn variable(&mut self) -> Expr {
        let inputs = self.program.inputs.len();
        match self.random.below(self.locals + inputs + 1) {
            choice if choice < self.locals => LocalId(choice).into(),
            choice if choice < self.locals + inputs => InputId(choice - self.locals).into(),
            _ if self.locals > 0 => self.local().into(),
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
        const COMPARISONS: [BinaryOp; 4] = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le];
        let left = self.variable();
        let right = if self.random.percent(70) {
            self.random.value(0..=2).into()
        } else {
            self.leaf()
        };
        Expr::binary(*self.random.pick(&COMPARISONS), left, right)
    }
}
