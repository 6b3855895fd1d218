//! The reference interpreter: every schedule, every input, in the plainest way.
//!
//! A step is one visible operation, one assertion, one assumption, or one whole atomic section,
//! with the local computations after it. From every reached state every enabled thread is run;
//! nothing is reduced. A state is expanded once only, because what can happen from it depends on
//! nothing else, and sets are all that is asked for.
//!
//! - A failed assertion, an access out of bounds and a misused mutex end the run.
//! - A false assumption discards the run. Inside a section it takes the section's effects with it.
//! - A deadlock is a state in which no thread is enabled and not all have finished. A state that
//!   only a spurious wake-up could leave is one, though the wake-up may come all the same.
//! - A thread that `main` creates at first and that has not started yet is one that has not been
//!   scheduled yet.

use std::collections::HashSet;

use crate::behaviours::{Behaviours, Failure, Final};
use crate::expr::Expr;
use crate::ids::*;
use crate::lower::{Instruction, lower};
use crate::program::{Index, Init, Op, Place, Program};

/// Where POSIX leaves a choice.
#[derive(Clone, Copy, Debug)]
pub struct Semantics {
    /// A thread waiting for a condition variable may wake up without a signal.
    pub spurious_wakeups: bool,
}

impl Default for Semantics {
    fn default() -> Self {
        Semantics {
            spurious_wakeups: true,
        }
    }
}

/// All that `program` can do. The program must be [valid](Program::validate).
pub fn behaviours(program: &Program, semantics: Semantics) -> Behaviours {
    assert_eq!(program.validate(), Ok(()), "not a program: {program:#?}");
    let code: Vec<_> = program.threads.iter().map(lower).collect();
    let mut found = Behaviours::default();
    for inputs in program.input_assignments() {
        Interpreter {
            program,
            semantics,
            code: &code,
            inputs: &inputs,
        }
        .explore(&mut found);
    }
    found
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// The shared ints, then the arrays one after the other.
    pub memory: Vec<i32>,
    /// Where the shared pointers point to: indices of `memory`.
    pub pointers: Vec<usize>,
    pub owners: Vec<Option<usize>>,
    pub semaphores: Vec<u32>,
    pub threads: Vec<ThreadState>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct ThreadState {
    pub position: usize,
    pub locals: Vec<i32>,
    /// Where the thread's pointers point to: indices of [`State::memory`].
    pub pointers: Vec<usize>,
    pub status: Status,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    /// Nobody has started it.
    Unborn,
    Running,
    /// In `pthread_cond_wait`, not yet woken.
    Waiting(ConditionId, MutexId),
    /// In `pthread_cond_wait`, woken, without the mutex.
    Reacquiring(MutexId),
}

/// Why a thread does not simply go on.
pub(crate) enum Stop {
    /// Not enabled.
    Blocked,
    Discarded,
    Failed(Failure),
}

pub(crate) struct Interpreter<'a> {
    pub program: &'a Program,
    pub semantics: Semantics,
    pub code: &'a [Vec<Instruction>],
    pub inputs: &'a [i32],
}

impl Interpreter<'_> {
    fn explore(&self, found: &mut Behaviours) {
        let initial = self.initial();
        let mut visited = HashSet::from([initial.clone()]);
        let mut pending = vec![initial];
        while let Some(state) = pending.pop() {
            let mut enabled = false;
            let mut successors = vec![];
            for thread in 0..state.threads.len() {
                for result in self.steps(&state, thread) {
                    enabled |= !matches!(result, Err(Stop::Blocked));
                    match result {
                        Ok(next) => successors.push(next),
                        Err(Stop::Failed(failure)) => {
                            found.failures.insert(failure);
                        }
                        Err(Stop::Blocked | Stop::Discarded) => {}
                    }
                }
            }
            if self.semantics.spurious_wakeups {
                successors.extend(spurious_wakeups(&state));
            }
            successors.retain(|next| visited.insert(next.clone()));
            pending.extend(successors);
            if (0..state.threads.len()).all(|thread| self.finished(&state, thread)) {
                found.finals.insert(self.final_state(&state));
            } else if !enabled {
                found.deadlock = true;
            }
        }
    }

    pub fn initial(&self) -> State {
        let shared = self.program.shared.iter().map(|init| match init {
            Init::Const(value) => *value,
            Init::Input(input) => self.inputs[input.0],
        });
        let elements = self.program.arrays.iter().flatten().copied();
        let is_late = |thread| self.program.starter(ThreadId(thread)).is_some();
        let threads = self.program.threads.iter().enumerate();
        let threads = threads.map(|(number, thread)| ThreadState {
            position: 0,
            locals: vec![0; thread.locals + 1],
            pointers: thread.pointers.iter().map(|target| target.0).collect(),
            status: if is_late(number) {
                Status::Unborn
            } else {
                Status::Running
            },
        });
        let mut state = State {
            memory: shared.chain(elements).collect(),
            pointers: self
                .program
                .pointers
                .iter()
                .map(|target| target.0)
                .collect(),
            owners: vec![None; self.program.mutexes],
            semaphores: self.program.semaphores.clone(),
            threads: threads.collect(),
        };
        for thread in 0..state.threads.len() {
            if state.threads[thread].status == Status::Running {
                self.run_local(&mut state, thread);
            }
        }
        state
    }

    /// With all that it has started.
    fn has_ended(&self, state: &State, thread: usize) -> bool {
        let mut children = self.program.started_by(thread).into_iter();
        state.threads[thread].status == Status::Running
            && self.finished(state, thread)
            && children.all(|child| self.has_ended(state, child.0))
    }

    pub fn finished(&self, state: &State, thread: usize) -> bool {
        state.threads[thread].position == self.code[thread].len()
    }

    fn final_state(&self, state: &State) -> Final {
        // The last local is the register of `lower`.
        let locals = state.threads.iter();
        let locals = locals.flat_map(|thread| &thread.locals[..thread.locals.len() - 1]);
        let values = state.memory.iter().chain(locals);
        Final {
            inputs: self.inputs.iter().map(|value| i64::from(*value)).collect(),
            values: values.map(|value| i64::from(*value)).collect(),
        }
    }

    /// Every way in which the thread can make its next step.
    pub fn steps(&self, state: &State, thread: usize) -> Vec<Result<State, Stop>> {
        if self.finished(state, thread) || state.threads[thread].status == Status::Unborn {
            return vec![];
        }
        let position = state.threads[thread].position;
        let instruction = &self.code[thread][position];
        if let Instruction::Do(Op::Signal(condition)) = instruction {
            return self.signals(state, thread, *condition);
        }
        let mut next = state.clone();
        let result = match instruction {
            Instruction::AtomicBegin => self.run_section(&mut next, thread),
            _ => self.run_instruction(&mut next, thread),
        };
        vec![result.map(|()| {
            self.run_local(&mut next, thread);
            next
        })]
    }

    /// A signal wakes any one of the waiting threads, or nobody if none is waiting.
    fn signals(
        &self,
        state: &State,
        thread: usize,
        condition: ConditionId,
    ) -> Vec<Result<State, Stop>> {
        let mut signalled = state.clone();
        signalled.threads[thread].position += 1;
        self.run_local(&mut signalled, thread);
        let mut results: Vec<_> = (0..state.threads.len())
            .filter_map(|waiter| woken(&signalled, waiter, Some(condition)).map(Ok))
            .collect();
        if results.is_empty() {
            results.push(Ok(signalled));
        }
        results
    }

    fn run_section(&self, state: &mut State, thread: usize) -> Result<(), Stop> {
        state.threads[thread].position += 1;
        while self.code[thread][state.threads[thread].position] != Instruction::AtomicEnd {
            self.run_instruction(state, thread)?;
        }
        state.threads[thread].position += 1;
        Ok(())
    }

    fn run_local(&self, state: &mut State, thread: usize) {
        while let Some(instruction) = self.code[thread].get(state.threads[thread].position)
            && instruction.is_local()
        {
            let result = self.run_instruction(state, thread);
            debug_assert!(result.is_ok());
        }
    }

    pub fn run_instruction(&self, state: &mut State, thread: usize) -> Result<(), Stop> {
        let position = state.threads[thread].position;
        let next = match &self.code[thread][position] {
            Instruction::Do(op) => {
                self.run_op(op, state, thread)?;
                // A waiting thread stays inside its `pthread_cond_wait`.
                match state.threads[thread].status {
                    Status::Running => position + 1,
                    Status::Unborn | Status::Waiting(..) | Status::Reacquiring(_) => position,
                }
            }
            Instruction::BranchIfZero(condition, target) => {
                if self.eval(condition, state, thread) == 0 {
                    *target
                } else {
                    position + 1
                }
            }
            Instruction::Jump(target) => *target,
            Instruction::AtomicBegin | Instruction::AtomicEnd => {
                unreachable!("sections are run as a whole and do not nest")
            }
        };
        state.threads[thread].position = next;
        Ok(())
    }

    fn run_op(&self, op: &Op, state: &mut State, thread: usize) -> Result<(), Stop> {
        match op {
            Op::Assign(local, value) => {
                let value = self.eval(value, state, thread);
                state.set(thread, *local, value);
            }
            Op::Point(pointer, place) => {
                let cell = self.cell(place, state, thread)?;
                state.threads[thread].pointers[pointer.0] = cell;
            }
            Op::LoadPointer(pointer, from) => {
                state.threads[thread].pointers[pointer.0] = state.pointers[from.0];
            }
            Op::StorePointer(to, pointer) => {
                state.pointers[to.0] = state.threads[thread].pointers[pointer.0];
            }
            Op::Read(_, local, place) => {
                let cell = self.cell(place, state, thread)?;
                state.set(thread, *local, state.memory[cell]);
            }
            Op::Write(_, place, value) => {
                let cell = self.cell(place, state, thread)?;
                state.memory[cell] = self.eval(value, state, thread);
            }
            Op::Add(..) => unreachable!("lowered to a read and a write"),
            Op::FetchAdd(local, place, value) | Op::FetchAddRelaxed(local, place, value) => {
                let cell = self.cell(place, state, thread)?;
                let old = state.memory[cell];
                state.memory[cell] = old.wrapping_add(self.eval(value, state, thread));
                state.set(thread, *local, old);
            }
            Op::Update(op, place, value) => {
                let cell = self.cell(place, state, thread)?;
                let value = self.eval(value, state, thread);
                state.memory[cell] = op.apply(state.memory[cell], value);
            }
            Op::Exchange(local, place, value) => {
                let cell = self.cell(place, state, thread)?;
                let old = state.memory[cell];
                state.memory[cell] = self.eval(value, state, thread);
                state.set(thread, *local, old);
            }
            Op::CompareExchange {
                success,
                place,
                expected,
                desired,
            } => {
                let cell = self.cell(place, state, thread)?;
                let old = state.memory[cell];
                let equal = old == state.threads[thread].locals[expected.0];
                if equal {
                    state.memory[cell] = self.eval(desired, state, thread);
                } else {
                    state.set(thread, *expected, old);
                }
                state.set(thread, *success, i32::from(equal));
            }
            Op::Lock(mutex) => match state.owners[mutex.0] {
                None => state.owners[mutex.0] = Some(thread),
                Some(owner) if owner == thread => return Err(Stop::Failed(Failure::LockMisuse)),
                Some(_) => return Err(Stop::Blocked),
            },
            Op::Unlock(mutex) => state.release(thread, *mutex)?,
            Op::TryLock(local, mutex) => {
                let free = state.owners[mutex.0].is_none();
                if free {
                    state.owners[mutex.0] = Some(thread);
                }
                state.set(thread, *local, i32::from(free));
            }
            Op::SemWait(semaphore) => match state.semaphores[semaphore.0] {
                0 => return Err(Stop::Blocked),
                _ => state.semaphores[semaphore.0] -= 1,
            },
            Op::SemPost(semaphore) => state.semaphores[semaphore.0] += 1,
            Op::SemTryWait(local, semaphore) => {
                let positive = state.semaphores[semaphore.0] > 0;
                if positive {
                    state.semaphores[semaphore.0] -= 1;
                }
                state.set(thread, *local, i32::from(positive));
            }
            Op::Wait(condition, mutex) => match state.threads[thread].status {
                Status::Running => {
                    // All who wait on one condition variable must do so with the same mutex.
                    let other_mutex = state.threads.iter().any(|other| {
                        matches!(other.status, Status::Waiting(c, m) if c == *condition && m != *mutex)
                    });
                    if other_mutex {
                        return Err(Stop::Failed(Failure::LockMisuse));
                    }
                    state.release(thread, *mutex)?;
                    state.threads[thread].status = Status::Waiting(*condition, *mutex);
                }
                Status::Unborn | Status::Waiting(..) => return Err(Stop::Blocked),
                Status::Reacquiring(mutex) => {
                    if state.owners[mutex.0].is_some() {
                        return Err(Stop::Blocked);
                    }
                    state.owners[mutex.0] = Some(thread);
                    state.threads[thread].status = Status::Running;
                }
            },
            Op::Signal(_) => unreachable!("has several outcomes, see `signals`"),
            Op::Broadcast(condition) => {
                for waiter in 0..state.threads.len() {
                    if let Some(next) = woken(state, waiter, Some(*condition)) {
                        *state = next;
                    }
                }
            }
            Op::Start(child) => {
                state.threads[child.0].status = Status::Running;
                self.run_local(state, child.0);
            }
            Op::Join(child) => {
                if !self.has_ended(state, child.0) {
                    return Err(Stop::Blocked);
                }
            }
            Op::Assert(_, id, condition) => {
                if self.eval(condition, state, thread) == 0 {
                    return Err(Stop::Failed(Failure::Assertion(*id)));
                }
            }
            Op::Assume(condition) => {
                if self.eval(condition, state, thread) == 0 {
                    return Err(Stop::Discarded);
                }
            }
        }
        Ok(())
    }

    fn eval(&self, expr: &Expr, state: &State, thread: usize) -> i32 {
        expr.eval(&state.threads[thread].locals, self.inputs)
    }

    /// The index in [`State::memory`].
    pub fn cell(&self, place: &Place, state: &State, thread: usize) -> Result<usize, Stop> {
        match place {
            Place::Scalar(shared) => Ok(shared.0),
            Place::Through(pointer) => Ok(state.threads[thread].pointers[pointer.0]),
            Place::Element(array, index) => {
                let size = self.program.arrays[array.0].len();
                let index = match index {
                    Index::Wrapped(index) => self.eval(index, state, thread) as u32 as usize % size,
                    Index::Raw(index) => usize::try_from(self.eval(index, state, thread))
                        .ok()
                        .filter(|index| *index < size)
                        .ok_or(Stop::Failed(Failure::OutOfBounds))?,
                };
                let before = &self.program.arrays[..array.0];
                let before: usize = before.iter().map(Vec::len).sum();
                Ok(self.program.shared.len() + before + index)
            }
        }
    }
}

impl State {
    fn set(&mut self, thread: usize, local: LocalId, value: i32) {
        self.threads[thread].locals[local.0] = value;
    }

    fn release(&mut self, thread: usize, mutex: MutexId) -> Result<(), Stop> {
        if self.owners[mutex.0] != Some(thread) {
            return Err(Stop::Failed(Failure::LockMisuse));
        }
        self.owners[mutex.0] = None;
        Ok(())
    }
}

/// The state in which the thread has left its wait for the condition (for any condition if `None`),
/// if it is in one.
fn woken(state: &State, thread: usize, condition: Option<ConditionId>) -> Option<State> {
    match state.threads[thread].status {
        Status::Waiting(its, mutex) if condition.is_none_or(|condition| condition == its) => {
            let mut next = state.clone();
            next.threads[thread].status = Status::Reacquiring(mutex);
            Some(next)
        }
        Status::Unborn | Status::Running | Status::Waiting(..) | Status::Reacquiring(_) => None,
    }
}

pub(crate) fn spurious_wakeups(state: &State) -> impl Iterator<Item = State> {
    (0..state.threads.len()).filter_map(|thread| woken(state, thread, None))
}
