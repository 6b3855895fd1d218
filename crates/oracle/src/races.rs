//! Which operations of a program race, from the definition: every execution is taken to its end,
//! and for every event the set of all events that happen before it is written down.
//!
//! Nothing is as in an efficient detector: no clocks, no forgetting, no state merged with another.
//! A release sequence is looked up in the list of all writes to the cell (C11, 5.1.2.4).
//!
//! An atomic section is ordered with other sections if it touches a cell that another thread
//! touches in the same execution, one of the two writing; a section that is nobody else's business
//! orders nothing.

use std::collections::BTreeSet;

use crate::lower::{Instruction, lower, origins};
use crate::program::{Access, Op, Place, Program};
use crate::reference::{Interpreter, Semantics, State, Status, spurious_wakeups};

/// Two operations that race, each as its thread and its number in the order of that thread's
/// source; the smaller first.
pub type RacingPair = [(usize, usize); 2];

/// Every pair that races in some execution. `None`: there are more than `most` steps to take.
pub fn races(program: &Program, semantics: Semantics, most: usize) -> Option<BTreeSet<RacingPair>> {
    assert_eq!(program.validate(), Ok(()), "not a program: {program:#?}");
    let mut starts = program.threads.iter().enumerate();
    let together = !program.has_main && starts.all(|(t, _)| program.started_by(t).is_empty());
    assert!(together, "what starting a thread orders is not looked at");
    let code: Vec<_> = program.threads.iter().map(lower).collect();
    let origins: Vec<_> = program.threads.iter().map(origins).collect();
    let mut shared = BTreeSet::new();
    let mut found = BTreeSet::new();
    // Which cells are shared must be known first, and for all inputs.
    for judges in [false, true] {
        let mut steps = most;
        for inputs in program.input_assignments() {
            let interpreter = Interpreter {
                program,
                semantics,
                code: &code,
                inputs: &inputs,
            };
            let mut checker = Checker {
                origins: &origins,
                events: vec![],
                shared: &mut shared,
                found: judges.then_some(&mut found),
                steps: &mut steps,
                interpreter,
            };
            let initial = checker.interpreter.initial();
            checker.explore(&initial)?;
        }
    }
    Some(found)
}

struct Event {
    thread: usize,
    /// The number of its operation.
    operation: usize,
    what: What,
    /// Indices of all events that happen before it.
    before: BTreeSet<usize>,
}

#[derive(Clone, PartialEq)]
enum What {
    Access {
        cell: usize,
        writes: bool,
        reads: bool,
        access: Access,
    },
    /// A lock or semaphore was obtained or given back.
    Acquire(Object),
    Release(Object),
    /// A signal, and whom it wakes.
    Wakes(Vec<usize>),
}

#[derive(Clone, Copy, PartialEq)]
enum Object {
    Mutex(usize),
    Semaphore(usize),
    Sections,
}

struct Checker<'a> {
    origins: &'a [Vec<Option<usize>>],
    events: Vec<Event>,
    shared: &'a mut BTreeSet<usize>,
    /// `None`: only shared cells are looked for.
    found: Option<&'a mut BTreeSet<RacingPair>>,
    steps: &'a mut usize,
    interpreter: Interpreter<'a>,
}

impl Checker<'_> {
    fn explore(&mut self, state: &State) -> Option<()> {
        *self.steps = self.steps.checked_sub(1)?;
        for thread in 0..state.threads.len() {
            for next in self.interpreter.steps(state, thread).into_iter().flatten() {
                let length = self.events.len();
                self.step(state, &next, thread);
                self.explore(&next)?;
                self.events.truncate(length);
            }
        }
        if self.interpreter.semantics.spurious_wakeups {
            for next in spurious_wakeups(state) {
                self.explore(&next)?;
            }
        }
        Some(())
    }

    /// The events of a step.
    fn step(&mut self, before: &State, after: &State, thread: usize) {
        let position = before.threads[thread].position;
        let Instruction::AtomicBegin = self.interpreter.code[thread][position] else {
            for what in self.events_of(before, after, thread, position) {
                self.add(thread, position, what);
            }
            return;
        };
        let mut accesses = vec![];
        let mut state = before.clone();
        state.threads[thread].position += 1;
        loop {
            let position = state.threads[thread].position;
            if self.interpreter.code[thread][position] == Instruction::AtomicEnd {
                break;
            }
            let earlier = state.clone();
            let result = self.interpreter.run_instruction(&mut state, thread);
            assert!(result.is_ok(), "the section was gone through");
            for what in self.events_of(&earlier, &state, thread, position) {
                accesses.push((position, what));
            }
        }
        let orders = accesses.iter().any(
            |(_, what)| matches!(what, What::Access { cell, .. } if self.shared.contains(cell)),
        );
        if orders {
            self.add(thread, position, What::Acquire(Object::Sections));
        }
        for (position, what) in accesses {
            self.add(thread, position, what);
        }
        if orders {
            self.add(thread, position, What::Release(Object::Sections));
        }
    }

    fn events_of(
        &self,
        before: &State,
        after: &State,
        thread: usize,
        position: usize,
    ) -> Vec<What> {
        let Instruction::Do(op) = &self.interpreter.code[thread][position] else {
            return vec![];
        };
        let cell = |place: &Place| match self.interpreter.cell(place, before, thread) {
            Ok(cell) => cell,
            Err(_) => unreachable!("the access was made"),
        };
        let update = |place: &Place, access| What::Access {
            cell: cell(place),
            writes: true,
            reads: true,
            access,
        };
        match op {
            Op::Assign(..) | Op::Point(..) | Op::Assert(..) | Op::Assume(_) => vec![],
            Op::Start(_) | Op::Join(_) => unreachable!("all threads start together"),
            Op::LoadPointer(_, pointer) | Op::StorePointer(pointer, _) => vec![What::Access {
                cell: before.memory.len() + pointer.0,
                writes: matches!(op, Op::StorePointer(..)),
                reads: matches!(op, Op::LoadPointer(..)),
                access: Access::Plain,
            }],
            Op::Read(access, _, place) => vec![What::Access {
                cell: cell(place),
                writes: false,
                reads: true,
                access: *access,
            }],
            Op::Write(access, place, _) => vec![What::Access {
                cell: cell(place),
                writes: true,
                reads: false,
                access: *access,
            }],
            Op::Add(..) => unreachable!("lowered to a read and a write"),
            Op::FetchAdd(_, place, _) | Op::Update(_, place, _) | Op::Exchange(_, place, _) => {
                vec![update(place, Access::Atomic)]
            }
            Op::FetchAddRelaxed(_, place, _) => vec![update(place, Access::Relaxed)],
            Op::CompareExchange {
                place, expected, ..
            } => {
                let found = before.memory[cell(place)];
                vec![What::Access {
                    cell: cell(place),
                    writes: found == before.threads[thread].locals[expected.0],
                    reads: true,
                    access: Access::Atomic,
                }]
            }
            Op::Lock(mutex) => vec![What::Acquire(Object::Mutex(mutex.0))],
            Op::Unlock(mutex) => vec![What::Release(Object::Mutex(mutex.0))],
            Op::TryLock(_, mutex) => match before.owners[mutex.0] {
                Some(_) => vec![],
                None => vec![What::Acquire(Object::Mutex(mutex.0))],
            },
            Op::SemWait(semaphore) => vec![What::Acquire(Object::Semaphore(semaphore.0))],
            Op::SemPost(semaphore) => vec![What::Release(Object::Semaphore(semaphore.0))],
            Op::SemTryWait(_, semaphore) => match before.semaphores[semaphore.0] {
                0 => vec![],
                _ => vec![What::Acquire(Object::Semaphore(semaphore.0))],
            },
            Op::Wait(_, mutex) => match before.threads[thread].status {
                Status::Running => vec![What::Release(Object::Mutex(mutex.0))],
                Status::Unborn | Status::Waiting(..) | Status::Reacquiring(_) => {
                    vec![What::Acquire(Object::Mutex(mutex.0))]
                }
            },
            Op::Signal(_) | Op::Broadcast(_) => {
                let waits = |state: &State, t: usize| {
                    matches!(state.threads[t].status, Status::Waiting(..))
                };
                let all = 0..before.threads.len();
                let woken = all.filter(|t| waits(before, *t) && !waits(after, *t));
                vec![What::Wakes(woken.collect())]
            }
        }
    }

    fn add(&mut self, thread: usize, position: usize, what: What) {
        let mut before = BTreeSet::new();
        let mut after = |earlier: &[Event], index: usize| {
            before.insert(index);
            before.extend(&earlier[index].before);
        };
        let own = self.events.iter().rposition(|e| e.thread == thread);
        own.into_iter().for_each(|i| after(&self.events, i));
        for (index, event) in self.events.iter().enumerate() {
            let orders = match (&event.what, &what) {
                (What::Release(a), What::Acquire(b)) => a == b,
                // It is waiting, so what it does next is to leave its wait.
                (What::Wakes(woken), _) => {
                    let is_next = own.is_none_or(|last| last < index);
                    woken.contains(&thread) && is_next
                }
                _ => false,
            };
            if orders {
                after(&self.events, index);
            }
        }
        for head in self.synchronises_with(&what) {
            after(&self.events, head);
        }
        let operation = self.origins[thread][position].unwrap_or(usize::MAX);
        let event = Event {
            thread,
            operation,
            what,
            before,
        };
        self.look_for_races(&event);
        self.events.push(event);
    }

    /// The releases that an acquiring access synchronises with: those whose release sequence holds
    /// the last write.
    fn synchronises_with(&self, what: &What) -> Vec<usize> {
        let What::Access {
            cell,
            reads: true,
            access: Access::Atomic | Access::Paired,
            writes,
        } = what
        else {
            return vec![];
        };
        // A paired access that writes only releases; there is none that does both.
        debug_assert!(
            !(*writes
                && matches!(
                    what,
                    What::Access {
                        access: Access::Paired,
                        ..
                    }
                ))
        );
        let writes: Vec<usize> = (0..self.events.len())
            .filter(|i| {
                matches!(&self.events[*i].what, What::Access { cell: c, writes: true, .. } if c == cell)
            })
            .collect();
        let mut heads = vec![];
        for (place, &head) in writes.iter().enumerate() {
            let What::Access { access, .. } = self.events[head].what else {
                unreachable!("a write");
            };
            let releases = matches!(access, Access::Atomic | Access::Paired);
            let continues = |i: &usize| {
                let What::Access { reads, access, .. } = self.events[*i].what else {
                    unreachable!("a write");
                };
                let by_same = self.events[*i].thread == self.events[head].thread;
                access != Access::Plain && (reads || by_same)
            };
            if releases && writes[place + 1..].iter().all(continues) {
                heads.push(head);
            }
        }
        heads
    }

    fn look_for_races(&mut self, event: &Event) {
        let What::Access {
            cell,
            writes,
            access,
            ..
        } = event.what
        else {
            return;
        };
        for (index, other) in self.events.iter().enumerate() {
            let What::Access {
                cell: its_cell,
                writes: it_writes,
                access: its_access,
                ..
            } = other.what
            else {
                continue;
            };
            let conflict =
                cell == its_cell && (writes || it_writes) && other.thread != event.thread;
            if !conflict {
                continue;
            }
            self.shared.insert(cell);
            let plain = access == Access::Plain || its_access == Access::Plain;
            if plain
                && !event.before.contains(&index)
                && let Some(found) = &mut self.found
            {
                let mut pair = [
                    (other.thread, other.operation),
                    (event.thread, event.operation),
                ];
                pair.sort_unstable();
                found.insert(pair);
            }
        }
    }
}
