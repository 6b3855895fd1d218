//! Loops that wait, and what they wait with.

use super::{Generator, NUMBERS, POINTER};
use crate::tiny::syntax::*;

impl Generator<'_> {
    /// Somebody may make the int have the value.
    fn wants(&mut self, place: &Place, value: i64) {
        let thread = self.thread;
        self.wanted.push((place.clone(), value, thread));
    }

    /// Whether something has come about that others bring about; it may be that nobody does.
    pub fn hope(&mut self) -> Expr {
        let place = self.int();
        let value = 1 + self.random.below(2) as i64;
        self.wants(&place, value);
        let access = self.access();
        let pointers = self.globals(|shape| matches!(shape, Shape::PointerTo(_)));
        match self.random.below(8) {
            // Through a pointer that others change, and that may be null.
            0 if !pointers.is_empty() => {
                let pointer = Expr::load(Place::Global(*self.random.pick(&pointers)));
                let there = Place::Deref(Box::new(pointer.clone()));
                pointer.and(Expr::load(there))
            }
            1 => {
                let other = Expr::load(self.source());
                Expr::binary(Operator::Eq, Expr::Load(access, place), other)
            }
            2..5 => Expr::Load(access, place),
            _ => Expr::binary(Operator::Eq, Expr::Load(access, place), value),
        }
    }

    /// What a loop waits for: one thing or several.
    fn hopes(&mut self) -> Expr {
        let first = self.hope();
        let hopes = match self.random.below(8) {
            0 | 1 => first.and(self.hope()),
            2 => first.or(self.hope()),
            3 => {
                let second = self.hope();
                first.and(second.or(self.hope()))
            }
            _ => first,
        };
        match self.random.percent(self.config.functions) {
            true => self.as_function(hopes),
            false => hopes,
        }
    }

    /// The same, found out by a function, part of which gets a pointer to what it is about.
    fn as_function(&mut self, condition: Expr) -> Expr {
        let number = FunctionId(self.program.functions.len());
        if let Expr::Load(access, place @ Place::Global(_)) = &condition
            && self.program.ty(place) == Type::I32
        {
            let there = Place::Deref(Box::new(VarId(0).into()));
            self.program.functions.push(Function {
                parameters: 1,
                variables: vec![Kind::ToInt],
                body: vec![Stmt::Return(Expr::Load(*access, there))],
            });
            return Expr::Apply(number, vec![Expr::AddressOf(place.clone())]);
        }
        if mentions_variables(&condition) {
            return condition;
        }
        self.program.functions.push(Function {
            parameters: 0,
            variables: vec![],
            body: vec![Stmt::Return(condition)],
        });
        Expr::Apply(number, vec![])
    }

    /// A loop that waits, in some rounds of which a mutex is taken and kept.
    fn wait_and_keep(&mut self) -> Option<Vec<Stmt>> {
        let mutex = self.free_mutex()?;
        if self.program.object(&mutex) == Shape::Mutex(Mutex::Recursive) {
            // It is held more often each time.
            return None;
        }
        let (takes, done) = (self.hope(), self.hope());
        let take = Stmt::call(Call::Lock(Patience::Forever, mutex));
        let round = vec![Stmt::If(takes, vec![take], vec![])];
        Some(vec![Stmt::While(done.negate(), round)])
    }

    pub fn wait(&mut self) -> Vec<Stmt> {
        let [first, second] = NUMBERS;
        if self.config.keeps
            && self.random.percent(25)
            && let Some(waits) = self.wait_and_keep()
        {
            return waits;
        }
        match self.random.below(8) {
            // Looks at several things in a round, one after the other.
            0 => {
                let (a, b) = (self.hope(), self.hope());
                let round = vec![Stmt::Set(first, a), Stmt::Set(second, b)];
                let both = Expr::from(first).and(second.into());
                vec![Stmt::DoWhile(round, both.negate())]
            }
            1 => {
                let mut round = vec![Stmt::break_if(self.hope())];
                round.extend(self.round());
                round.push(Stmt::break_if(self.hope()));
                vec![Stmt::forever(round)]
            }
            // What is there decides what is looked at next.
            2 => {
                let (value, zero, one) = (self.load(), self.hope(), self.hope());
                let done = |hope| vec![Stmt::Set(first, hope)];
                let cases = vec![(0, done(zero)), (1, done(one)), (2, done(1.into()))];
                let round = vec![Stmt::Switch(value, cases)];
                vec![
                    Stmt::Set(first, 0.into()),
                    Stmt::While(Expr::from(first).negate(), round),
                ]
            }
            // The pointer is taken once and looked through later.
            3 if self
                .program
                .globals
                .iter()
                .any(|s| matches!(s, Shape::PointerTo(_))) =>
            {
                let pointer = self.global(|shape| matches!(shape, Shape::PointerTo(_)));
                let taken = Expr::load(Place::Global(pointer));
                let there = Expr::load(Place::Deref(Box::new(POINTER.into())));
                let holds = Expr::from(POINTER).and(there);
                let round = vec![Stmt::Set(POINTER, taken), Stmt::break_if(holds)];
                vec![Stmt::forever(round)]
            }
            _ => {
                let (hopes, round) = (self.hopes(), self.round());
                vec![Stmt::While(hopes.negate(), round)]
            }
        }
    }

    /// What a loop does while it waits: nothing that would be left of it, as far as others do not
    /// interfere.
    pub fn round(&mut self) -> Vec<Stmt> {
        let [first, second] = NUMBERS;
        let mutexes = self.globals(|shape| matches!(shape, Shape::Mutex(_)));
        let free: Vec<Place> = mutexes
            .into_iter()
            .map(Place::Global)
            .filter(|mutex| !self.held.contains(mutex))
            .collect();
        let conditions = self.globals(|shape| *shape == Shape::Condition);
        let place = self.int();
        let one = || Box::new(Expr::Const(1));
        match self.random.below(16) {
            0 => vec![Stmt::call(Call::Yield)],
            // Back-off, longer each time.
            1 => {
                let longer = Expr::binary(Operator::Add, second, 1);
                let is_short = Expr::binary(Operator::Lt, second, 3);
                vec![Stmt::If(is_short, vec![Stmt::Set(second, longer)], vec![])]
            }
            2 => vec![Stmt::store(place.clone(), Expr::load(place))],
            3 => vec![
                Stmt::Do(Expr::Update(Update::Add, place.clone(), one())),
                Stmt::Do(Expr::Update(Update::Sub, place, one())),
            ],
            4 if !free.is_empty() => {
                let mutex = self.random.pick(&free).clone();
                vec![
                    Stmt::call(Call::Lock(Patience::Forever, mutex.clone())),
                    Stmt::call(Call::Unlock(mutex)),
                ]
            }
            5 if !free.is_empty() => {
                let mutex = self.random.pick(&free).clone();
                let tried = Expr::call(Call::Lock(Patience::Now, mutex.clone()));
                let unlock = vec![Stmt::call(Call::Unlock(mutex))];
                vec![Stmt::If(tried.negate(), unlock, vec![])]
            }
            6 => vec![Stmt::Set(first, Expr::load(place))],
            // What was seen is kept where others see it.
            7 => vec![Stmt::store(place, self.load())],
            8 => vec![Stmt::store(place, self.value())],
            9 => vec![Stmt::Do(Expr::Update(
                Update::Exchange,
                place,
                Box::new(self.value().into()),
            ))],
            // Nothing is left of it only if nobody waits.
            10 | 11 if !conditions.is_empty() => {
                let condition = Place::Global(*self.random.pick(&conditions));
                vec![Stmt::call(Call::Signal(condition))]
            }
            // Something is left of it: the mutex is kept.
            12 | 13 if self.config.keeps && !free.is_empty() => {
                let mutex = self.random.pick(&free).clone();
                let is_recursive = self.program.object(&mutex) == Shape::Mutex(Mutex::Recursive);
                let take = |patience| Call::Lock(patience, mutex.clone());
                match self.random.below(3) {
                    // It is held more often each time.
                    _ if is_recursive => vec![],
                    0 => vec![Stmt::call(take(Patience::Now))],
                    _ => {
                        let take = Stmt::call(take(Patience::Forever));
                        vec![Stmt::If(self.test(), vec![take], vec![])]
                    }
                }
            }
            _ => vec![],
        }
    }

    /// One thread writes a value and raises a flag, the other waits for the flag and looks at the
    /// value.
    pub fn message(&mut self) -> Vec<Stmt> {
        let (data, flag) = (self.int(), self.int());
        let value = 1 + self.value();
        if self.random.percent(50) {
            return vec![
                Stmt::store(data, value),
                Stmt::Store(self.access(), flag, 1.into()),
            ];
        }
        self.wants(&flag, 1);
        let raised = Expr::Load(self.access(), flag);
        let mut block = vec![Stmt::While(raised.negate(), self.round())];
        let seen = Expr::binary(Operator::Eq, Expr::load(data.clone()), value);
        block.push(match self.has_assertions && self.random.percent(60) {
            true => Stmt::Assert(seen),
            false => Stmt::Set(NUMBERS[0], Expr::load(data)),
        });
        block
    }

    /// A lock made of an int.
    pub fn test_and_set(&mut self) -> Vec<Stmt> {
        let lock = self.int();
        let one = || Box::new(Expr::Const(1));
        let taken = match self.random.below(3) {
            0 => Expr::Swap(lock.clone(), Box::new(Expr::Const(0)), one()).negate(),
            1 => {
                let is_held = Expr::Load(Access::Atomic, lock.clone());
                is_held.or(Expr::Update(Update::Exchange, lock.clone(), one()))
            }
            _ => Expr::Update(Update::Exchange, lock.clone(), one()),
        };
        let mut block = vec![Stmt::While(taken, self.round())];
        block.extend(self.guarded());
        block.push(Stmt::Store(Access::Atomic, lock, 0.into()));
        block
    }

    pub fn try_loop(&mut self) -> Vec<Stmt> {
        let Some(mutex) = self.free_mutex() else {
            return self.store();
        };
        let tried = Expr::call(Call::Lock(Patience::Now, mutex.clone()));
        let mut block = vec![Stmt::While(tried, self.round())];
        self.held.push(mutex.clone());
        block.extend(self.guarded());
        self.held.pop();
        block.push(Stmt::call(Call::Unlock(mutex)));
        block
    }

    pub fn lock_both(&mut self) -> Vec<Stmt> {
        let (Some(first), true) = (self.free_mutex(), self.held.is_empty()) else {
            return self.store();
        };
        self.held.push(first.clone());
        let second = self.free_mutex();
        self.held.pop();
        let Some(second) = second else {
            return self.store();
        };
        let round = vec![
            Stmt::call(Call::Lock(Patience::Forever, first.clone())),
            Stmt::break_if(Expr::call(Call::Lock(Patience::Now, second.clone())).negate()),
            Stmt::call(Call::Unlock(first.clone())),
        ];
        let mut block = vec![Stmt::forever(round)];
        self.held.extend([first.clone(), second.clone()]);
        block.extend(self.guarded());
        self.held.clear();
        block.extend([
            Stmt::call(Call::Unlock(first)),
            Stmt::call(Call::Unlock(second)),
        ]);
        block
    }

    /// A flag is looked at under a mutex until it is up.
    pub fn poll(&mut self) -> Vec<Stmt> {
        let Some(mutex) = self.free_mutex() else {
            return self.store();
        };
        let seen = NUMBERS[0];
        let hope = self.hope();
        let mut round = vec![
            Stmt::call(Call::Lock(Patience::Forever, mutex.clone())),
            Stmt::Set(seen, hope),
            Stmt::call(Call::Unlock(mutex)),
            Stmt::break_if(seen.into()),
        ];
        if self.random.percent(30) {
            round.extend(self.round());
        }
        vec![Stmt::forever(round)]
    }

    /// What a section does: mostly it counts, so that whoever is not kept out is noticed.
    pub fn guarded(&mut self) -> Vec<Stmt> {
        if self.depth > 0 || !self.random.percent(50) {
            return self.nested();
        }
        let ints = self.globals(|shape| matches!(shape, Shape::Scalar(Type::I32, 0)));
        let known = self.counters.first().map(|(counter, _)| *counter);
        let Some(counter) = known.or(ints.last().copied()).filter(|_| ints.len() > 1) else {
            return self.nested();
        };
        match self.counters.first_mut() {
            Some((_, sum)) => *sum += 1,
            None => self.counters.push((counter, 1)),
        }
        let place = Place::Global(counter);
        let sum = Expr::binary(Operator::Add, Expr::load(place.clone()), 1);
        vec![Stmt::store(place, sum)]
    }

    /// A thread that finds something wrong goes round for ever, in a function that nothing else
    /// depends on.
    pub fn stop_for_good(&mut self) -> Vec<Stmt> {
        let seen = Expr::binary(Operator::Eq, Expr::load(self.int()), self.value());
        let number = FunctionId(self.program.functions.len());
        self.program.functions.push(Function {
            parameters: 0,
            variables: vec![],
            body: vec![
                Stmt::If(seen, vec![Stmt::While(1.into(), vec![])], vec![]),
                Stmt::Return(0.into()),
            ],
        });
        vec![Stmt::Do(Expr::Apply(number, vec![]))]
    }
}

/// Variables of the thread are not those of a function.
fn mentions_variables(expr: &Expr) -> bool {
    match expr {
        Expr::Variable(_) => true,
        Expr::Const(_) | Expr::Input(_) | Expr::Null(_) => false,
        Expr::Load(_, place) | Expr::AddressOf(place) => match place {
            Place::Element(_, of)
            | Place::FarElement(_, of)
            | Place::Arrow(of, _)
            | Place::Deref(of) => mentions_variables(of),
            Place::Part(part) => mentions_variables(&part.index),
            Place::Global(_) | Place::Member(..) => false,
            Place::MutexWord(_) | Place::Either(..) => true,
        },
        Expr::Not(of) | Expr::Cast(_, of) => mentions_variables(of),
        Expr::And(left, right) | Expr::Or(left, right) | Expr::Binary(_, left, right) => {
            mentions_variables(left) || mentions_variables(right)
        }
        // Not in what a loop hopes for.
        Expr::Update(..) | Expr::Swap(..) | Expr::Call(_) | Expr::Apply(..) => true,
    }
}
