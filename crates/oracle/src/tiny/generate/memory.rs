//! Bytes that are accessed in parts and in bulk, atomic sections, and what threads have for
//! themselves.

use super::{Generator, NODE_POINTER, NUMBERS, POINTER};
use crate::ids::InputId;
use crate::tiny::syntax::*;

impl Generator<'_> {
    /// Some bytes of a buffer, mostly inside.
    fn some_part(&mut self) -> Place {
        if let Some(spot) = self.spot
            && self.random.percent(40)
        {
            return self.part_within(spot);
        }
        let buffer = self.global(|shape| matches!(shape, Shape::Buffer(_)));
        let size = self.program.globals[buffer.0].size();
        let types = [Type::U8, Type::U8, Type::U16, Type::U32, Type::I64];
        let types = &types[..if size < 8 { 4 } else { 5 }];
        let ty = *self.random.pick(types);
        let place = self.part_of(buffer, size, ty);
        // Behind the last byte there is nothing to overlap with.
        if let Place::Part(part) = &place
            && part.first != size
        {
            let all = (part.count - 1) * part.step + ty.size();
            self.spot = Some((buffer, part.first, all.min(size - part.first)));
        }
        place
    }

    /// Bytes that another access may have changed in part, or overlap with.
    fn part_within(&mut self, (buffer, first, bytes): (GlobalId, usize, usize)) -> Place {
        let ty = match bytes > 1 && self.random.percent(35) {
            true => Type::U16,
            false => Type::U8,
        };
        let first = first + self.random.below(bytes + 1 - ty.size());
        Place::Part(Box::new(Part {
            buffer,
            first,
            index: 0.into(),
            count: 1,
            step: 1,
            ty,
        }))
    }

    fn part_of(&mut self, buffer: GlobalId, size: usize, ty: Type) -> Place {
        let bytes = ty.size();
        let is_fixed = self.random.percent(50);
        let is_aligned = self.random.percent(if is_fixed { 60 } else { 25 });
        let step = if is_aligned { bytes } else { 1 };
        let is_outside = self.random.percent(2);
        let last = (size - bytes) / step + usize::from(is_outside);
        let counts = [2, 4].map(|count| if count <= last + 1 { count } else { 1 });
        let (count, first) = match (is_fixed, size > 16) {
            (true, _) => (1, self.random.below(last + 1)),
            // With room for all values of the input that it may be.
            (_, true) => (64, 0),
            _ => {
                let count = counts[self.random.below(2)];
                (count, self.random.below(last + 2 - count.max(1)))
            }
        };
        Place::Part(Box::new(Part {
            buffer,
            first: step * first,
            index: self.index(),
            count,
            step: if count == 64 { 1 } else { step },
            ty,
        }))
    }

    /// What tells where to go: others may change it, or it is an input.
    fn index(&mut self) -> Expr {
        let inputs = self.program.inputs.len();
        match self.random.below(4) {
            0 => Expr::load(self.int()),
            1 => (*self.random.pick(&NUMBERS)).into(),
            _ if inputs > 0 => Expr::Input(InputId(self.random.below(inputs))),
            _ => Expr::load(self.int()),
        }
    }

    /// Bytes of which most are 0 or 1.
    fn pattern(&mut self, ty: Type) -> i64 {
        let bytes = (0..ty.size()).map(|byte| {
            let value = [0, 0, 1, 1, 1, 2][self.random.below(6)];
            value << (8 * byte)
        });
        bytes.sum()
    }

    pub fn part(&mut self) -> Vec<Stmt> {
        let place = self.some_part();
        let ty = self.program.ty(&place);
        let seen = || Expr::load(place.clone());
        match self.random.below(10) {
            0 | 1 => vec![Stmt::Set(*self.random.pick(&NUMBERS), seen())],
            2 if self.has_assertions => {
                let other = self.some_part();
                let [a, b] = NUMBERS;
                vec![
                    Stmt::Set(a, seen()),
                    Stmt::Set(b, Expr::load(other)),
                    Stmt::Assert(Expr::binary(Operator::Eq, a, b)),
                ]
            }
            3..=5 if self.has_assertions => {
                let value = self.pattern(ty);
                let op = match self.random.percent(80) {
                    true => Operator::Ne,
                    false => Operator::Eq,
                };
                vec![Stmt::Assert(Expr::binary(op, seen(), value))]
            }
            6 => vec![Stmt::store(place, self.number())],
            7 => {
                let other = self.some_part();
                vec![Stmt::store(place, Expr::load(other))]
            }
            _ => vec![Stmt::store(place, self.pattern(ty))],
        }
    }

    /// Many bytes are filled or copied. They may overlap, and be more than there are.
    pub fn bulk(&mut self) -> Vec<Stmt> {
        let (to, room) = self.bytes();
        let count = self.count(room);
        if self.random.percent(50) {
            let byte = self.number();
            return vec![Stmt::Fill(to, byte, count)];
        }
        let (from, other_room) = self.bytes();
        let count = self.count(room.min(other_room));
        vec![Stmt::Move(to, from, count)]
    }

    /// Where bytes begin, and how many there are.
    fn bytes(&mut self) -> (Expr, usize) {
        let nodes = self.globals(|shape| *shape == Shape::ToNode);
        if !nodes.is_empty() && self.random.percent(20) {
            return (Expr::load(Place::Global(nodes[0])), NODE);
        }
        let buffer = self.global(|shape| matches!(shape, Shape::Buffer(_)));
        let size = self.program.globals[buffer.0].size();
        let place = self.part_of(buffer, size.min(8), Type::U8);
        let Place::Part(part) = &place else {
            unreachable!("a part");
        };
        let first = part.first + (part.count - 1) * part.step;
        (Expr::AddressOf(place), size.min(16).saturating_sub(first))
    }

    fn count(&mut self, room: usize) -> Expr {
        match self.random.below(10) {
            0 => Expr::Const(room as i64 + 1),
            1 => Expr::binary(Operator::And, self.load(), 3),
            _ => Expr::Const(1 + self.random.below(room.max(1)) as i64),
        }
    }

    /// An int of the thread, and others that look at it or change it: while it is there, or later.
    pub fn thread_local(&mut self) -> Vec<Stmt> {
        let own = Place::Global(self.global(|shape| *shape == Shape::ThreadLocal));
        let shared = self.globals(|shape| matches!(shape, Shape::PointerTo(_)));
        let Some(shared) = shared.first().map(|pointer| Place::Global(*pointer)) else {
            return vec![Stmt::store(own, self.value())];
        };
        let there = || Place::Deref(Box::new(POINTER.into()));
        let take = Stmt::Set(POINTER, Expr::load(shared.clone()));
        let guarded = |uses: Stmt| Stmt::If(POINTER.into(), vec![uses], vec![]);
        let show = Stmt::store(shared.clone(), Expr::AddressOf(own.clone()));
        match self.random.below(8) {
            0 => vec![show],
            1 => vec![Stmt::store(own, self.value()), show],
            2 => vec![
                show,
                Stmt::store(own, self.value()),
                Stmt::store(shared, Expr::Null(Kind::ToInt)),
            ],
            3 if self.has_assertions => {
                let seen = Expr::binary(Operator::Ne, Expr::load(own), 1 + self.value());
                vec![Stmt::Assert(seen)]
            }
            4 if self.has_assertions => {
                let seen = Expr::binary(Operator::Ne, Expr::load(there()), 1 + self.value());
                vec![take, guarded(Stmt::Assert(seen))]
            }
            5 => vec![take, guarded(Stmt::store(there(), self.value()))],
            _ => vec![take, guarded(Stmt::Set(NUMBERS[0], Expr::load(there())))],
        }
    }

    /// What is done at one moment. What goes wrong in it comes before an assumption at its end.
    pub fn atomic(&mut self) -> Vec<Stmt> {
        let count = 1 + self.random.below(3);
        let mut body: Vec<Stmt> = (0..count).flat_map(|_| self.at_one_moment()).collect();
        if self.random.percent(35) {
            let at = self.random.below(2) * body.len();
            let test = self.test();
            body.insert(at, Stmt::Assume(test));
        }
        vec![Stmt::Atomic(body)]
    }

    /// Statements that do not wait.
    fn at_one_moment(&mut self) -> Vec<Stmt> {
        let has_buffers = !self
            .globals(|shape| matches!(shape, Shape::Buffer(_)))
            .is_empty();
        let nodes = !self.globals(|shape| *shape == Shape::ToNode).is_empty();
        match self.random.below(12) {
            0 | 1 if has_buffers => self.part(),
            2 if has_buffers => self.bulk(),
            3 if nodes => {
                let node = self.global(|shape| *shape == Shape::ToNode);
                let value = Expr::load(Place::Arrow(Box::new(NODE_POINTER.into()), Member::NodeV));
                vec![
                    Stmt::Set(NODE_POINTER, Expr::load(Place::Global(node))),
                    Stmt::Set(NUMBERS[0], value),
                ]
            }
            4 if nodes => self.free_node(),
            5 if self.has_assertions => vec![Stmt::Assert(self.test())],
            6 => {
                let inside = match self.random.percent(50) {
                    true => self.store(),
                    false => self.copy(),
                };
                vec![Stmt::If(self.test(), inside, vec![])]
            }
            7 => self.add(),
            8 => self.update(),
            9 => self.copy(),
            10 if self.config.weights.exit > 0 => vec![Stmt::call(Call::Exit)],
            _ => self.store(),
        }
    }
}
