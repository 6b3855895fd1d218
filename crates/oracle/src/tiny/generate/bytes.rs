//! Memory that is looked at in several ways: unions, bit-fields, structures that are copied, with a
//! mutex in them or without.

use super::{Generator, NUMBERS};
use crate::tiny::syntax::*;

impl Generator<'_> {
    pub fn word(&mut self) -> Vec<Stmt> {
        let word = self.global(|shape| matches!(shape, Shape::Word(_)));
        let members = [
            Member::Whole,
            Member::Half(self.random.below(2) as u8),
            Member::Byte(self.random.below(4) as u8),
            Member::Low,
            Member::Middle,
            Member::High,
        ];
        let place = Place::Member(word, *self.random.pick(&members));
        match self.random.below(4) {
            0 => vec![Stmt::Set(NUMBERS[0], Expr::load(place))],
            1 if self.has_assertions => {
                let value = [0, 1, 2, 0x0101][self.random.below(4)];
                let seen = Expr::binary(Operator::Ne, Expr::load(place), value);
                vec![Stmt::Assert(seen)]
            }
            _ => {
                let value = [0, 1, 2, 3, 0x0102][self.random.below(5)];
                vec![Stmt::store(place, value)]
            }
        }
    }

    /// Both halves are written alike; a copy may be torn.
    pub fn pair(&mut self) -> Vec<Stmt> {
        let pairs = self.globals(|shape| matches!(shape, Shape::Pair(..)));
        let (one, other) = (*self.random.pick(&pairs), *self.random.pick(&pairs));
        let member = |pair, member| Place::Member(pair, member);
        let value = self.value();
        match self.random.below(4) {
            0 | 1 if one != other => {
                let by = [CopyBy::Assignment, CopyBy::Memcpy][self.random.below(2)];
                vec![Stmt::Copy(by, one, other)]
            }
            2 if self.has_assertions => {
                let (a, b) = (member(one, Member::PairA), member(one, Member::PairB));
                let equal = Expr::binary(Operator::Eq, Expr::load(a), Expr::load(b));
                vec![Stmt::Assert(equal)]
            }
            _ => vec![
                Stmt::store(member(one, Member::PairA), value),
                Stmt::store(member(one, Member::PairB), value),
            ],
        }
    }

    pub fn account(&mut self) -> Vec<Stmt> {
        let account = self.global(|shape| *shape == Shape::Account);
        let mutex = Place::Member(account, Member::AccountMutex);
        let money = Place::Member(account, Member::AccountV);
        if self.held.contains(&mutex) {
            return vec![Stmt::Set(NUMBERS[0], Expr::load(money))];
        }
        let more = Expr::binary(Operator::Add, Expr::load(money.clone()), 1);
        let inside = match self.random.percent(70) || self.depth > 1 {
            true => vec![Stmt::store(money, more)],
            false => {
                self.held.push(mutex.clone());
                let inside = self.nested();
                self.held.pop();
                inside
            }
        };
        let lock = Stmt::call(Call::Lock(Patience::Forever, mutex.clone()));
        [vec![lock], inside, vec![Stmt::call(Call::Unlock(mutex))]].concat()
    }

    /// With its mutex, held or not.
    pub fn copy_account(&mut self) -> Vec<Stmt> {
        let accounts = self.globals(|shape| *shape == Shape::Account);
        let by = [CopyBy::Assignment, CopyBy::Memcpy][self.random.below(2)];
        match self.random.percent(50) {
            true => vec![Stmt::Copy(by, accounts[0], accounts[1])],
            false => vec![Stmt::Copy(by, accounts[1], accounts[0])],
        }
    }
}
