//! Objects that end while others use them, or that are used as what they are not.

use super::{Generator, NUMBERS};
use crate::tiny::syntax::*;

/// Whether what a variable is may be destroyed.
fn is_destroyed(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Mutex(_)
            | Shape::RwLock
            | Shape::Semaphore(_)
            | Shape::Barrier(_)
            | Shape::Condition
    )
}

/// Whether it may end before the program does.
pub fn ends(shape: &Shape) -> bool {
    is_destroyed(shape) || matches!(shape, Shape::Buffer(_) | Shape::Account)
}

impl Generator<'_> {
    /// Some of what may end lies on the heap.
    pub fn move_to_heap(&mut self) {
        if self.config.heap == 0 {
            return;
        }
        for global in self.globals(ends) {
            if self.random.percent(self.config.heap) {
                self.program.heap.insert(global);
            }
        }
    }

    /// Something ends: at once, or once a thread has said so, or if it has.
    pub fn end(&mut self) -> Vec<Stmt> {
        let Some(end) = self.end_of_one() else {
            return self.store();
        };
        let end = Stmt::call(end);
        match self.random.below(6) {
            0 | 1 => vec![end],
            2 => {
                let hope = self.hope();
                vec![Stmt::While(hope.negate(), vec![]), end]
            }
            // Whoever was in the section is out of it.
            3 => {
                let Some(mutex) = self.free_mutex() else {
                    return vec![end];
                };
                vec![
                    Stmt::call(Call::Lock(Patience::Forever, mutex.clone())),
                    Stmt::call(Call::Unlock(mutex)),
                    end,
                ]
            }
            _ => vec![Stmt::If(self.test(), vec![end], vec![])],
        }
    }

    fn end_of_one(&mut self) -> Option<Call> {
        let on_heap: Vec<GlobalId> = self.program.heap.iter().copied().collect();
        if !on_heap.is_empty() && self.random.percent(60) {
            let global = *self.random.pick(&on_heap);
            let place = match self.program.globals[global.0] {
                Shape::Buffer(_) => Place::Part(Box::new(Part {
                    buffer: global,
                    first: 0,
                    index: 0.into(),
                    count: 1,
                    step: 1,
                    ty: Type::U8,
                })),
                _ => Place::Global(global),
            };
            return Some(Call::Free(Expr::AddressOf(place)));
        }
        let objects = self.globals(is_destroyed);
        let objects: Vec<Place> = objects.into_iter().map(Place::Global).collect();
        (!objects.is_empty()).then(|| Call::Destroy(self.one_of(&objects)))
    }

    /// A mutex is looked at as a number, or given back by a store.
    pub fn mutex_word(&mut self) -> Vec<Stmt> {
        let mutexes = self.globals(|shape| matches!(shape, Shape::Mutex(_)));
        let mutexes: Vec<Place> = mutexes.into_iter().map(Place::Global).collect();
        let mutex = self.one_of(&mutexes);
        let word = Place::MutexWord(Box::new(mutex.clone()));
        let is_held = Expr::binary(Operator::Ne, Expr::load(word.clone()), 0);
        match self.random.below(8) {
            0 => vec![Stmt::Set(NUMBERS[0], is_held)],
            1 => vec![Stmt::If(is_held, self.store(), vec![])],
            2..=4 if self.has_assertions => vec![Stmt::Assert(is_held.negate())],
            5 => vec![Stmt::While(is_held, vec![])],
            // Whoever holds it holds it no longer.
            6 => vec![Stmt::store(word, 0)],
            _ => {
                let mut block = vec![Stmt::call(Call::Lock(Patience::Forever, mutex))];
                block.extend(self.guarded());
                block.push(Stmt::store(word, 0));
                block
            }
        }
    }
}
