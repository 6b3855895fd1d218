//! Dropping declarations that nothing mentions, and renumbering the others.

use std::collections::BTreeSet;

use crate::ids::{LocalId, LocalPointerId};
use crate::program::{Program, Stmt};
use crate::visit::{self, Mention};

pub fn without_unused(program: &Program) -> Program {
    let mut tidy = program.clone();
    let mut used = Used::default();
    visit::program_mentions(&mut tidy, &mut |mention| match mention {
        Mention::Local(_) | Mention::Thread(_) => {}
        Mention::Shared(id) => used.shared.note(id.0),
        Mention::Array(id) => used.arrays.note(id.0),
        Mention::Pointer(id) => used.pointers.note(id.0),
        Mention::LocalPointer(_) => {}
        Mention::Mutex(id) => used.mutexes.note(id.0),
        Mention::Semaphore(id) => used.semaphores.note(id.0),
        Mention::Condition(id) => used.conditions.note(id.0),
        Mention::Input(id) => used.inputs.note(id.0),
    });
    visit::program_mentions(&mut tidy, &mut |mention| match mention {
        Mention::Local(_) | Mention::Thread(_) => {}
        Mention::Shared(id) => id.0 = used.shared.renumbered(id.0),
        Mention::Array(id) => id.0 = used.arrays.renumbered(id.0),
        Mention::Pointer(id) => id.0 = used.pointers.renumbered(id.0),
        Mention::LocalPointer(_) => {}
        Mention::Mutex(id) => id.0 = used.mutexes.renumbered(id.0),
        Mention::Semaphore(id) => id.0 = used.semaphores.renumbered(id.0),
        Mention::Condition(id) => id.0 = used.conditions.renumbered(id.0),
        Mention::Input(id) => id.0 = used.inputs.renumbered(id.0),
    });
    tidy.shared = used.shared.kept(&program.shared);
    tidy.arrays = used.arrays.kept(&program.arrays);
    tidy.pointers = used.pointers.kept(&tidy.pointers);
    tidy.mutexes = used.mutexes.0.len();
    tidy.semaphores = used.semaphores.kept(&program.semaphores);
    tidy.conditions = used.conditions.0.len();
    tidy.inputs = used.inputs.kept(&program.inputs);
    for thread in &mut tidy.threads {
        let mut locals = Numbers::default();
        for_each_local(&mut thread.body, &mut |local| locals.note(local.0));
        for_each_local(&mut thread.body, &mut |local| {
            local.0 = locals.renumbered(local.0);
        });
        thread.locals = locals.0.len();
        let mut pointers = Numbers::default();
        for_each_pointer(&mut thread.body, &mut |pointer| pointers.note(pointer.0));
        for_each_pointer(&mut thread.body, &mut |pointer| {
            pointer.0 = pointers.renumbered(pointer.0);
        });
        thread.pointers = pointers.kept(&thread.pointers);
    }
    tidy
}

fn for_each_local(body: &mut [Stmt], visit: &mut dyn FnMut(&mut LocalId)) {
    visit::block_mentions(body, &mut |mention| {
        if let Mention::Local(local) = mention {
            visit(local);
        }
    });
}

fn for_each_pointer(body: &mut [Stmt], visit: &mut dyn FnMut(&mut LocalPointerId)) {
    visit::block_mentions(body, &mut |mention| {
        if let Mention::LocalPointer(pointer) = mention {
            visit(pointer);
        }
    });
}

#[derive(Default)]
struct Used {
    shared: Numbers,
    pointers: Numbers,
    arrays: Numbers,
    mutexes: Numbers,
    semaphores: Numbers,
    conditions: Numbers,
    inputs: Numbers,
}

/// The numbers of one kind that are mentioned.
#[derive(Default)]
struct Numbers(BTreeSet<usize>);

impl Numbers {
    fn note(&mut self, number: usize) {
        self.0.insert(number);
    }

    fn renumbered(&self, number: usize) -> usize {
        self.0.range(..number).count()
    }

    fn kept<T: Clone>(&self, declarations: &[T]) -> Vec<T> {
        let kept = self.0.iter().map(|number| declarations[*number].clone());
        kept.collect()
    }
}
