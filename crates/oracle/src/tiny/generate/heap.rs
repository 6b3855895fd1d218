//! Nodes and pointers.

use super::{Generator, NODE_POINTER, NUMBERS, POINTER};
use crate::tiny::syntax::*;

impl Generator<'_> {
    fn shared_node(&mut self) -> Place {
        Place::Global(self.global(|shape| *shape == Shape::ToNode))
    }

    fn member(&mut self, member: Member) -> Place {
        Place::Arrow(Box::new(NODE_POINTER.into()), member)
    }

    /// A node is made, filled, linked to what was there, and shown to others; now and then too
    /// early.
    pub fn make_node(&mut self) -> Vec<Stmt> {
        let head = self.shared_node();
        let fill = Stmt::store(self.member(Member::NodeV), 1 + self.value());
        let link = Stmt::store(self.member(Member::NodeNext), Expr::load(head.clone()));
        let show = Stmt::Store(self.access(), head, NODE_POINTER.into());
        let ints = self.globals(|shape| matches!(shape, Shape::Scalar(Type::I32, _)));
        let make = match !ints.is_empty() && self.random.percent(20) {
            true => {
                let small = Expr::load(Place::Global(*self.random.pick(&ints)));
                Call::AllocateSome(small)
            }
            false => Call::Allocate,
        };
        let mut block = vec![Stmt::Set(NODE_POINTER, Expr::call(make))];
        let links = self.random.percent(40);
        match self.random.percent(75) {
            true => {
                block.push(fill);
                block.extend(links.then_some(link));
                block.push(show);
            }
            false => block.extend([show, fill]),
        }
        block
    }

    /// Takes what is there, and looks into it; mostly after asking whether there is something.
    pub fn use_node(&mut self) -> Vec<Stmt> {
        let head = self.shared_node();
        let take = Stmt::Set(NODE_POINTER, Expr::Load(self.access(), head.clone()));
        let value = Expr::load(self.member(Member::NodeV));
        let uses = match self.random.below(8) {
            0 if self.has_assertions => vec![Stmt::Assert(value)],
            0 | 1 => vec![Stmt::Set(NUMBERS[0], value)],
            2 => vec![Stmt::store(self.member(Member::NodeV), self.value())],
            3 => {
                let count = Expr::load(self.member(Member::NodeW));
                let more = Expr::binary(Operator::Add, count, 1);
                vec![Stmt::store(self.member(Member::NodeW), more)]
            }
            // What comes after it becomes the head: a stack without a lock.
            4 => {
                let next = Expr::load(self.member(Member::NodeNext));
                vec![Stmt::store(head, next)]
            }
            // Kept as a number, and found again.
            5 => {
                let number = Expr::Cast(Kind::Number, Box::new(NODE_POINTER.into()));
                let marked = Expr::binary(Operator::Xor, number, 1);
                let again = Expr::binary(Operator::Xor, NUMBERS[1], 1);
                let node = Expr::Cast(Kind::ToNode, Box::new(again));
                let there = Place::Arrow(Box::new(node), Member::NodeV);
                vec![
                    Stmt::Set(NUMBERS[1], marked),
                    Stmt::store(there, self.value()),
                ]
            }
            6 => {
                let other = self.shared_node();
                vec![Stmt::store(other, NODE_POINTER)]
            }
            _ => {
                let next = Place::Arrow(
                    Box::new(Expr::load(self.member(Member::NodeNext))),
                    Member::NodeV,
                );
                let there = Expr::load(self.member(Member::NodeNext));
                vec![Stmt::If(
                    there,
                    vec![Stmt::Set(NUMBERS[0], Expr::load(next))],
                    vec![],
                )]
            }
        };
        match self.random.percent(85) {
            true => vec![take, Stmt::If(NODE_POINTER.into(), uses, vec![])],
            false => [vec![take], uses].concat(),
        }
    }

    /// Takes it away from the others first, or does not; by an exchange, nobody else can.
    pub fn free_node(&mut self) -> Vec<Stmt> {
        let head = self.shared_node();
        let null = || Expr::Null(Kind::ToNode);
        let free = Stmt::call(Call::Free(NODE_POINTER.into()));
        let take = Stmt::Set(NODE_POINTER, Expr::load(head.clone()));
        let clear = Stmt::store(head, null());
        match self.random.below(4) {
            0 => vec![take, free],
            1 => vec![take, free, clear],
            _ => vec![take, clear, free],
        }
    }

    pub fn pointer(&mut self) -> Vec<Stmt> {
        let shared = Place::Global(self.global(|shape| matches!(shape, Shape::PointerTo(_))));
        let ints = self.globals(|shape| matches!(shape, Shape::Scalar(Type::I32, _)));
        let there = || Place::Deref(Box::new(POINTER.into()));
        let take = Stmt::Set(POINTER, Expr::load(shared.clone()));
        let guarded = |uses: Stmt| Stmt::If(POINTER.into(), vec![uses], vec![]);
        match self.random.below(5) {
            0 => vec![Stmt::store(shared, Expr::Null(Kind::ToInt))],
            1 | 2 if !ints.is_empty() => {
                let target = Place::Global(*self.random.pick(&ints));
                vec![Stmt::store(shared, Expr::AddressOf(target))]
            }
            3 => vec![take, guarded(Stmt::store(there(), self.value()))],
            _ => vec![take, guarded(Stmt::Set(NUMBERS[0], Expr::load(there())))],
        }
    }
}
