//! Sections of locks of all kinds, semaphores, barriers and condition variables.

use super::{Generator, NUMBERS};
use crate::ids::InputId;
use crate::tiny::syntax::*;

impl Generator<'_> {
    /// A mutex that the thread does not hold as far as can be told.
    pub fn free_mutex(&mut self) -> Option<Place> {
        let mutexes = self.globals(|shape| matches!(shape, Shape::Mutex(_)));
        self.one_that_is_free(mutexes)
    }

    fn one_that_is_free(&mut self, locks: Vec<GlobalId>) -> Option<Place> {
        let locks = locks.into_iter().map(Place::Global);
        let free: Vec<Place> = locks.filter(|lock| !self.held.contains(lock)).collect();
        (!free.is_empty()).then(|| self.one_of(&free))
    }

    /// One of several of a kind; now and then, which one is known when the program runs.
    pub fn one_of(&mut self, places: &[Place]) -> Place {
        let one = self.random.pick(places).clone();
        let others: Vec<&Place> = (places.iter())
            .filter(|other| **other != one)
            .filter(|other| self.program.object(other) == self.program.object(&one))
            .collect();
        let chosen = self.config.chosen;
        if others.is_empty() || chosen == 0 || !self.random.percent(chosen) {
            return one;
        }
        let other = (*self.random.pick(&others)).clone();
        let inputs = self.program.inputs.len();
        let which = match self.random.below(4) {
            0 => Expr::load(self.int()),
            1 => NUMBERS[1].into(),
            _ if inputs > 0 => Expr::Input(InputId(self.random.below(inputs))),
            _ => NUMBERS[0].into(),
        };
        Place::Either(Box::new(which), Box::new(one), Box::new(other))
    }

    fn patience(&mut self) -> Patience {
        let impatient = self.config.impatient;
        match impatient > 0 && self.random.percent(impatient) {
            true => *self.random.pick(&[Patience::Now, Patience::Timed]),
            false => Patience::Forever,
        }
    }

    /// Between taking a lock and giving it back; only if it was taken, where that may fail.
    fn between(&mut self, patience: Patience, take: Call, lock: Place, give: Call) -> Vec<Stmt> {
        self.held.push(lock);
        let mut inside = self.guarded_if(patience == Patience::Forever);
        self.held.pop();
        inside.push(Stmt::call(give));
        match patience {
            Patience::Forever => [vec![Stmt::call(take)], inside].concat(),
            _ => vec![Stmt::If(Expr::call(take).negate(), inside, vec![])],
        }
    }

    /// Only what is certain to be done is counted.
    fn guarded_if(&mut self, certain: bool) -> Vec<Stmt> {
        match certain {
            true => self.guarded(),
            false => self.nested(),
        }
    }

    pub fn section(&mut self) -> Vec<Stmt> {
        let any = self.globals(|shape| matches!(shape, Shape::Mutex(_)));
        let again = self.config.odd_mutexes > 0 && self.random.percent(20);
        let mutex = match again {
            true => Place::Global(*self.random.pick(&any)),
            false => match self.one_that_is_free(any) {
                Some(mutex) => mutex,
                None => return self.store(),
            },
        };
        let patience = self.patience();
        let take = Call::Lock(patience, mutex.clone());
        self.between(patience, take, mutex.clone(), Call::Unlock(mutex))
    }

    pub fn misuse(&mut self) -> Vec<Stmt> {
        let mutex = Place::Global(self.global(|shape| matches!(shape, Shape::Mutex(_))));
        vec![Stmt::call(match self.random.percent(50) {
            true => Call::Lock(Patience::Forever, mutex),
            false => Call::Unlock(mutex),
        })]
    }

    pub fn rw_section(&mut self, writes: bool) -> Vec<Stmt> {
        let locks = self.globals(|shape| *shape == Shape::RwLock);
        let Some(lock) = self.one_that_is_free(locks) else {
            return self.store();
        };
        let patience = self.patience();
        let take = match writes {
            true => Call::WriteLock(patience, lock.clone()),
            false => Call::ReadLock(patience, lock.clone()),
        };
        if writes {
            return self.between(patience, take, lock.clone(), Call::RwUnlock(lock));
        }
        // Readers do not keep each other out, so nothing is counted.
        let mut inside = self.nested();
        inside.push(Stmt::call(Call::RwUnlock(lock)));
        match patience {
            Patience::Forever => [vec![Stmt::call(take)], inside].concat(),
            _ => vec![Stmt::If(Expr::call(take).negate(), inside, vec![])],
        }
    }

    pub fn semaphore(&mut self) -> Vec<Stmt> {
        let semaphore = Place::Global(self.global(|shape| matches!(shape, Shape::Semaphore(_))));
        if self.config.weights.end > 0 && self.random.percent(15) {
            return vec![Stmt::Set(NUMBERS[0], Expr::call(Call::SemValue(semaphore)))];
        }
        if self.random.percent(60) {
            return vec![Stmt::call(Call::SemPost(semaphore))];
        }
        let patience = self.patience();
        let wait = Expr::call(Call::SemWait(patience, semaphore));
        match patience {
            Patience::Forever => vec![Stmt::Do(wait)],
            _ => vec![Stmt::If(wait.negate(), self.nested(), vec![])],
        }
    }

    pub fn barrier(&mut self) -> Vec<Stmt> {
        let barrier = Place::Global(self.global(|shape| matches!(shape, Shape::Barrier(_))));
        let wait = Expr::call(Call::BarrierWait(barrier));
        match self.random.percent(30) {
            // Who opened it has something to do.
            true => vec![Stmt::If(wait, self.nested(), vec![])],
            false => vec![Stmt::Do(wait)],
        }
    }

    pub fn condition_variable(&mut self) -> Vec<Stmt> {
        let condition = Place::Global(self.global(|shape| *shape == Shape::Condition));
        // Mostly, all wait with the same mutex.
        let mutexes = self.globals(|shape| *shape == Shape::Mutex(Mutex::Normal));
        let mut mutex = Place::Global(mutexes[0]);
        if self.config.any_mutex > 0 && self.random.percent(self.config.any_mutex) {
            let any = [Mutex::Normal, Mutex::ErrorChecking].map(Shape::Mutex);
            mutex = Place::Global(self.global(|shape| any.contains(shape)));
        }
        let wake = match self.random.percent(50) {
            true => Call::Signal(condition.clone()),
            false => Call::Broadcast(condition.clone()),
        };
        if self.held.contains(&mutex) || self.random.percent(15) {
            return vec![Stmt::call(wake)];
        }
        // Wakes others until one of them answers.
        if self.random.percent(20) {
            let answered = self.hope();
            return vec![Stmt::While(answered.negate(), vec![Stmt::call(wake)])];
        }
        let lock = Stmt::call(Call::Lock(Patience::Forever, mutex.clone()));
        let unlock = Stmt::call(Call::Unlock(mutex.clone()));
        let flag = self.int();
        if self.random.percent(45) {
            let raise = Stmt::store(flag, 1);
            return match self.random.percent(80) {
                true => vec![lock, raise, Stmt::call(wake), unlock],
                false => vec![lock, raise, unlock, Stmt::call(wake)],
            };
        }
        let patience = match self.patience() {
            Patience::Forever => Patience::Forever,
            _ => Patience::Timed,
        };
        let wait = Call::Wait(patience, condition, mutex);
        let raised = Expr::load(flag);
        let waiting = match self.random.below(4) {
            0 => Stmt::If(raised.negate(), vec![Stmt::call(wait)], vec![]),
            1 => Stmt::Set(NUMBERS[0], Expr::call(wait)),
            _ => Stmt::While(raised.negate(), vec![Stmt::call(wait)]),
        };
        match self.random.percent(40) {
            true => vec![lock, waiting, Stmt::store(self.int(), 1), unlock],
            false => vec![lock, waiting, unlock],
        }
    }
}
