//! One step of one thread: one access to memory, one call of the library, one assertion, one jump
//! back.

use crate::ids::InputId;

use super::lower::{Action, Code, lower};
use super::state::{Invalid, State, Status};
use super::syntax::*;
use super::verdicts::Failure;

/// What comes of a step.
pub enum Step {
    To(State),
    /// The process ended, or the run is none that counts.
    End,
    Failed(Failure),
}

pub struct Interpreter<'a> {
    pub program: &'a Program,
    pub inputs: &'a [i64],
    pub code: Vec<Vec<Code>>,
    pub variables: Vec<usize>,
}

/// A step does not come about.
pub enum Stop {
    Blocked,
    End,
    Failed(Failure),
}

impl From<Invalid> for Stop {
    fn from(_: Invalid) -> Stop {
        Stop::Failed(Failure::Memory)
    }
}

impl<'a> Interpreter<'a> {
    pub fn new(program: &'a Program, inputs: &'a [i64]) -> Interpreter<'a> {
        let threads = (0..program.threads.len()).map(|thread| lower(program, thread));
        let (code, variables) = threads.unzip();
        Interpreter {
            program,
            inputs,
            code,
            variables,
        }
    }

    pub fn initial(&self) -> State {
        let mut state = State::new(self.program, self.inputs, &self.variables);
        self.run_local(&mut state, 0);
        state
    }

    pub fn finished(&self, state: &State, thread: usize) -> bool {
        state.threads[thread].position == self.code[thread].len()
    }

    /// Every way in which the thread can go on; none if it cannot.
    pub fn steps(&self, state: &State, thread: usize) -> Vec<Step> {
        let status = state.threads[thread].status;
        let is_kept_out = state.atomic.is_some_and(|inside| inside != thread);
        if status == Status::Unborn || self.finished(state, thread) || is_kept_out {
            return vec![];
        }
        let mut steps = Vec::new();
        let mut add = |next: State, result: Result<(), Stop>| match result {
            Ok(()) => steps.push(Step::To(next)),
            Err(Stop::Blocked) => {}
            Err(Stop::End) => steps.push(Step::End),
            Err(Stop::Failed(failure)) => steps.push(Step::Failed(failure)),
        };
        if let Status::Waiting { mutex, timed, .. } = status {
            if timed {
                let mut next = state.clone();
                next.threads[thread].status = Status::Waking {
                    mutex,
                    result: super::sync::TIMED_OUT,
                };
                add(next, Ok(()));
            }
            return steps;
        }
        let code = &self.code[thread][state.threads[thread].position];
        if let Code::Call(Action::Signal) = code {
            // Whoever is woken.
            for waiter in self.whom_to_signal(state, thread) {
                let mut next = state.clone();
                let result = self.signal(&mut next, thread, waiter);
                self.run_local(&mut next, thread);
                add(next, result);
            }
            return steps;
        }
        let mut next = state.clone();
        let result = self.run(&mut next, thread);
        if result.is_ok() {
            self.run_local(&mut next, thread);
        }
        add(next, result);
        steps
    }

    /// Runs on until the next thing that somebody might notice.
    pub fn run_local(&self, state: &mut State, thread: usize) {
        while state.threads[thread].status == Status::Running
            && let Some(code) = self.code[thread].get(state.threads[thread].position)
            && code.is_local()
        {
            let result = self.run(state, thread);
            debug_assert!(result.is_ok());
        }
        let its = &state.threads[thread];
        let next = self.code[thread].get(its.position);
        let waits = matches!(next, Some(Code::Call(action)) if action.may_wait());
        let has_come = waits && !state.is_freed(its.stack.last().copied().unwrap_or(0));
        state.threads[thread].has_come = has_come;
    }

    fn run(&self, state: &mut State, thread: usize) -> Result<(), Stop> {
        let position = state.threads[thread].position;
        let code = &self.code[thread][position];
        if let Code::Call(action) = code {
            return self.call(*action, state, thread);
        }
        let mut next = position + 1;
        match code {
            Code::Push(value) => state.push(thread, *value),
            Code::Input(InputId(input)) => state.push(thread, self.inputs[*input]),
            Code::Get(variable) => state.push(thread, state.threads[thread].variables[*variable]),
            Code::Set(variable) => {
                let value = state.pop(thread);
                state.threads[thread].variables[*variable] = value;
            }
            Code::Drop => {
                state.pop(thread);
            }
            Code::Address(object, offset) => {
                state.push(thread, State::address(*object) + *offset as i64);
            }
            Code::Offset(offset) => {
                let base = state.pop(thread);
                state.push(thread, base + offset);
            }
            Code::Index { size, step } => {
                let index = state.pop(thread) & (*size as i64 - 1);
                let base = state.pop(thread);
                state.push(thread, base + index * *step as i64);
            }
            Code::Binary(op) => {
                let right = state.pop(thread);
                let left = state.pop(thread);
                state.push(thread, op.apply(left, right));
            }
            Code::Not => {
                let value = state.pop(thread);
                state.push(thread, (value == 0).into());
            }
            Code::Truth => {
                let value = state.pop(thread);
                state.push(thread, (value != 0).into());
            }
            Code::Bits(below, count) => {
                let value = state.pop(thread);
                state.push(thread, value >> below & ((1 << count) - 1));
            }
            Code::PutBits(below, count) => {
                let mask = ((1 << count) - 1) << below;
                let value = state.pop(thread) << below & mask;
                let whole = state.pop(thread);
                state.push(thread, whole & !mask | value);
            }
            Code::Load(ty, access) => {
                let address = state.pop(thread);
                let value = state.read(address, *ty)?;
                state.note_read(thread, address, ty.size(), *access)?;
                state.push(thread, value);
            }
            Code::Store(ty, access) => {
                let value = state.pop(thread);
                let address = state.pop(thread);
                state.write(address, *ty, value)?;
                state.note_write(thread, address, ty.size(), *access)?;
            }
            Code::Update(op) => {
                let value = state.pop(thread);
                let address = state.pop(thread);
                let old = state.read(address, Type::I32)?;
                state.write(address, Type::I32, op.apply(old, value))?;
                state.note_update(thread, address)?;
                state.push(thread, old);
            }
            Code::Swap => {
                let new = state.pop(thread);
                let expected = state.pop(thread);
                let address = state.pop(thread);
                let old = state.read(address, Type::I32)?;
                let equal = old == Type::I32.cut(expected);
                if equal {
                    state.write(address, Type::I32, new)?;
                    state.note_update(thread, address)?;
                } else {
                    state.note_read(thread, address, 4, Access::Atomic)?;
                }
                state.push(thread, equal.into());
            }
            Code::Jump(target) | Code::Again(target) => next = *target,
            Code::JumpIfZero(target) => {
                if state.pop(thread) == 0 {
                    next = *target;
                }
            }
            Code::Assert => {
                if state.pop(thread) == 0 {
                    return Err(Stop::Failed(Failure::Assertion));
                }
            }
            Code::Assume => {
                if state.pop(thread) == 0 {
                    return Err(Stop::End);
                }
            }
            Code::Fill => {
                if !state.fill(thread)? {
                    next = position;
                }
            }
            Code::Move => {
                if !state.copy(thread)? {
                    next = position;
                }
            }
            Code::BeginAtomic => state.atomic = Some(thread),
            Code::EndAtomic => state.atomic = None,
            Code::EndThread => state.end_thread(self.program, thread)?,
            Code::End => return Err(Stop::End),
            Code::Call(_) => unreachable!("done above"),
        }
        state.threads[thread].position = next;
        Ok(())
    }
}

impl State {
    pub fn push(&mut self, thread: usize, value: i64) {
        self.threads[thread].stack.push(value);
    }

    pub fn pop(&mut self, thread: usize) -> i64 {
        let stack = &mut self.threads[thread].stack;
        stack.pop().expect("code keeps its stack in order")
    }
}

impl Operator {
    fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Operator::Add => a.wrapping_add(b),
            Operator::Sub => a.wrapping_sub(b),
            Operator::And => a & b,
            Operator::Or => a | b,
            Operator::Xor => a ^ b,
            Operator::Eq => (a == b).into(),
            Operator::Ne => (a != b).into(),
            Operator::Lt => (a < b).into(),
        }
    }
}

impl Update {
    fn apply(self, old: i64, value: i64) -> i64 {
        match self {
            Update::Exchange => value,
            Update::Add => old.wrapping_add(value),
            Update::Sub => old.wrapping_sub(value),
            Update::Or => old | value,
            Update::Xor => old ^ value,
        }
    }
}
