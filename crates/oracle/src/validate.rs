//! When a program is well formed: what the renderer and the reference take for granted.

use crate::ids::{AssertId, ThreadId};
use crate::program::{Index, InputDecl, Op, Place, Program, Stmt};
use crate::visit::{self, Mention};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// An id that no declaration covers.
    Undeclared,
    /// A pointer to an element that need not be there.
    RawPointer,
    /// An array without elements.
    EmptyArray,
    /// An input range that is empty, or too wide to travel in a byte; or more inputs than fit a
    /// thread's argument.
    Input,
    /// A lock, semaphore, condition variable or another section inside an atomic section.
    AtomicSection,
    /// Two assertions with the same number.
    DuplicateAssertion,
    /// A jump out of no loop, or out of a section.
    Break,
    /// A thread that is started by a later one, twice, or somewhere in a statement; one that is
    /// joined by whom did not create it, twice, or before it exists.
    Start,
}

/// As many bytes as `void *` has on the narrowest target.
const MAX_INPUTS: usize = 4;

impl Program {
    pub fn validate(&self) -> Result<(), Invalid> {
        let byte = i32::from(i8::MIN)..=i32::from(i8::MAX);
        let fits = |input: &InputDecl| {
            input.low <= input.high && byte.contains(&input.low) && byte.contains(&input.high)
        };
        if self.inputs.len() > MAX_INPUTS || !self.inputs.iter().all(fits) {
            return Err(Invalid::Input);
        }
        if self.arrays.iter().any(Vec::is_empty) {
            return Err(Invalid::EmptyArray);
        }
        if !self.declares_what_it_mentions() {
            return Err(Invalid::Undeclared);
        }
        if self
            .threads
            .iter()
            .any(|thread| !sections_are_plain(&thread.body, false))
        {
            return Err(Invalid::AtomicSection);
        }
        if !self
            .threads
            .iter()
            .all(|t| breaks_leave_loops(&t.body, false))
        {
            return Err(Invalid::Break);
        }
        if !self.starts_are_right() {
            return Err(Invalid::Start);
        }
        if self.points_out_of_range() {
            return Err(Invalid::RawPointer);
        }
        let mut assertions = self.assertions();
        assertions.sort_unstable();
        if assertions.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Invalid::DuplicateAssertion);
        }
        Ok(())
    }

    /// The assertions in the order of the source.
    pub fn assertions(&self) -> Vec<AssertId> {
        let mut found = vec![];
        for thread in &self.threads {
            visit::for_each_op(&mut thread.body.clone(), &mut |op| {
                if let Op::Assert(_, id, _) = op {
                    found.push(*id);
                }
            });
        }
        found
    }

    fn starts_are_right(&self) -> bool {
        let nested = |stmt: &Stmt| {
            let mut found = false;
            if !matches!(stmt, Stmt::Do(_)) {
                visit::for_each_op(&mut [stmt.clone()], &mut |op| {
                    found |= matches!(op, Op::Start(_) | Op::Join(_));
                });
            }
            found
        };
        let stmts = || self.threads.iter().flat_map(|t| &t.body);
        if stmts().any(nested) {
            return false;
        }
        let at_most_once = |op: Op| stmts().filter(|s| **s == Stmt::Do(op.clone())).count() <= 1;
        let ids = || (0..self.threads.len()).map(ThreadId);
        if !ids().all(|id| at_most_once(Op::Start(id)) && at_most_once(Op::Join(id))) {
            return false;
        }
        self.threads.iter().enumerate().all(|(number, thread)| {
            let place = |op: Op| thread.body.iter().position(|s| *s == Stmt::Do(op.clone()));
            ids().all(|id| {
                let (start, join) = (place(Op::Start(id)), place(Op::Join(id)));
                let is_later = self.is_main(number) || number < id.0;
                let starts = start.is_none() || is_later && !self.is_main(id.0);
                let joins = match (start, join) {
                    (_, None) => true,
                    (Some(start), Some(join)) => start < join,
                    (None, Some(_)) => {
                        self.is_main(number) && !self.is_main(id.0) && self.starter(id).is_none()
                    }
                };
                starts && joins
            })
        })
    }

    fn points_out_of_range(&self) -> bool {
        let mut found = false;
        for thread in &self.threads {
            visit::for_each_op(&mut thread.body.clone(), &mut |op| {
                found |= matches!(op, Op::Point(_, Place::Element(_, Index::Raw(_))));
            });
        }
        found
    }

    fn declares_what_it_mentions(&self) -> bool {
        let mut declared = true;
        let mut check = |mention: Mention<'_>, locals: usize, pointers: usize| {
            declared &= match mention {
                Mention::Local(id) => id.0 < locals,
                Mention::Shared(id) => id.0 < self.shared.len(),
                Mention::Array(id) => id.0 < self.arrays.len(),
                Mention::Pointer(id) => id.0 < self.pointers.len(),
                Mention::LocalPointer(id) => id.0 < pointers,
                Mention::Mutex(id) => id.0 < self.mutexes,
                Mention::Semaphore(id) => id.0 < self.semaphores.len(),
                Mention::Condition(id) => id.0 < self.conditions,
                Mention::Input(id) => id.0 < self.inputs.len(),
                Mention::Thread(id) => id.0 < self.threads.len(),
            }
        };
        visit::init_mentions(&mut self.clone(), &mut |mention| check(mention, 0, 0));
        for thread in &self.threads {
            visit::block_mentions(&mut thread.body.clone(), &mut |mention| {
                check(mention, thread.locals, thread.pointers.len());
            });
        }
        declared
    }
}

fn sections_are_plain(block: &[Stmt], inside: bool) -> bool {
    block.iter().all(|stmt| match stmt {
        Stmt::Do(op) => !(inside && op.is_synchronisation()),
        Stmt::If {
            then, otherwise, ..
        } => sections_are_plain(then, inside) && sections_are_plain(otherwise, inside),
        Stmt::Repeat { body, .. } => sections_are_plain(body, inside),
        Stmt::BreakIf(_) => true,
        Stmt::Atomic(body) => !inside && sections_are_plain(body, true),
    })
}

fn breaks_leave_loops(block: &[Stmt], in_loop: bool) -> bool {
    block.iter().all(|stmt| match stmt {
        Stmt::Do(_) => true,
        Stmt::If {
            then, otherwise, ..
        } => breaks_leave_loops(then, in_loop) && breaks_leave_loops(otherwise, in_loop),
        Stmt::Repeat { body, .. } => breaks_leave_loops(body, true),
        Stmt::BreakIf(_) => in_loop,
        Stmt::Atomic(body) => breaks_leave_loops(body, false),
    })
}
