//! Functions as flat code for a machine with a stack, so that where a thread stands is one number,
//! and what it has evaluated so far lies on the stack and nowhere else: states that do not differ
//! in what is still needed are the same.
//!
//! Calls of functions are replaced by their bodies; loops with a fixed number of rounds are
//! unrolled.

use crate::ids::{InputId, ThreadId};

use super::state::ObjectId;
use super::syntax::*;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    Push(i64),
    Input(InputId),
    Get(usize),
    Set(usize),
    Drop,
    /// The address of an object, this far into it.
    Address(ObjectId, usize),
    /// Adds to what is on top.
    Offset(i64),
    /// Cuts the index on top to this size, and makes it an offset to the address below it, in steps
    /// of so many bytes.
    Index {
        size: usize,
        step: usize,
    },
    Binary(Operator),
    Not,
    Truth,
    /// Of what is on top: so many bits, above others.
    Bits(u32, u32),
    /// The bits below the value on top, put in the value under it.
    PutBits(u32, u32),
    /// Takes an address and gives what is there.
    Load(Type, Access),
    /// Takes a value, then an address.
    Store(Type, Access),
    /// Takes a value, then an address, and gives what was there.
    Update(Update),
    /// Takes the new value, the old one, then an address.
    Swap,
    Jump(usize),
    JumpIfZero(usize),
    /// A jump back. A step, so that a loop in which nothing happens has steps, too.
    Again(usize),
    Assert,
    Assume,
    /// Takes the addresses of its objects.
    Call(Action),
    /// Each takes what it needs from the stack, piece by piece.
    Fill,
    Move,
    BeginAtomic,
    EndAtomic,
    /// What the thread has for itself ends.
    EndThread,
    /// Of `main`: the process ends.
    End,
}

/// A [`Call`], whose objects are on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Lock(Patience),
    Unlock,
    ReadLock(Patience),
    WriteLock(Patience),
    RwUnlock,
    SemWait(Patience),
    SemPost,
    BarrierWait,
    SemValue,
    Destroy(Kept),
    Wait(Patience),
    Signal,
    Broadcast,
    Allocate,
    AllocateSome,
    Free,
    Create(ThreadId),
    Join(ThreadId),
    JoinResult(ThreadId),
    Yield,
    Exit,
}

/// What is destroyed, by how it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Mutex,
    RwLock,
    Semaphore,
    Barrier,
    Condition,
}

impl Action {
    /// Whether it waits for as long as it takes, for what lies at one address.
    pub fn may_wait(self) -> bool {
        matches!(
            self,
            Action::Lock(Patience::Forever)
                | Action::ReadLock(Patience::Forever)
                | Action::WriteLock(Patience::Forever)
                | Action::SemWait(Patience::Forever)
        )
    }
}

impl Code {
    /// Whether no other thread can notice when it happens, and it cannot go wrong.
    pub fn is_local(&self) -> bool {
        !matches!(
            self,
            Code::Load(..)
                | Code::Store(..)
                | Code::Update(_)
                | Code::Swap
                | Code::Again(_)
                | Code::Assert
                | Code::Assume
                | Code::Call(_)
                | Code::Fill
                | Code::Move
                | Code::BeginAtomic
                | Code::EndAtomic
                | Code::EndThread
                | Code::End
        )
    }
}

/// The code of a thread, and how many variables it needs.
pub fn lower(program: &Program, thread: usize) -> (Vec<Code>, usize) {
    let function = &program.threads[thread];
    let mut lowering = Lowering {
        program,
        thread,
        code: Vec::new(),
        base: 0,
        variables: function.variables.len(),
        breaks: Vec::new(),
        returns: Vec::new(),
    };
    lowering.block(&function.body);
    for jump in std::mem::take(&mut lowering.returns) {
        // What a thread returns is in its first variable.
        lowering.code[jump] = Code::Jump(lowering.code.len() + 1);
    }
    lowering.code.push(Code::Push(0));
    lowering.code.push(Code::Drop);
    match thread {
        0 => lowering.code.push(Code::End),
        _ if program.globals.contains(&Shape::ThreadLocal) => lowering.code.push(Code::EndThread),
        _ => {}
    }
    (lowering.code, lowering.variables)
}

struct Lowering<'a> {
    program: &'a Program,
    thread: usize,
    code: Vec<Code>,
    /// The first variable of the function at hand.
    base: usize,
    variables: usize,
    /// Jumps out of the innermost loop, and out of the function.
    breaks: Vec<usize>,
    returns: Vec<usize>,
}

impl Lowering<'_> {
    fn push(&mut self, code: Code) -> usize {
        self.code.push(code);
        self.code.len() - 1
    }

    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Do(expr) => {
                self.expr(expr);
                self.push(Code::Drop);
            }
            Stmt::Set(variable, value) => {
                self.expr(value);
                self.push(Code::Set(self.base + variable.0));
            }
            Stmt::Store(access, place, value) => self.store(*access, place, value),
            Stmt::If(condition, then, otherwise) => {
                self.expr(condition);
                let branch = self.push(Code::Drop);
                self.block(then);
                let jump = self.push(Code::Drop);
                self.code[branch] = Code::JumpIfZero(self.code.len());
                self.block(otherwise);
                self.code[jump] = Code::Jump(self.code.len());
            }
            Stmt::While(condition, body) => {
                let head = self.code.len();
                self.expr(condition);
                let branch = self.push(Code::Drop);
                let outer = std::mem::take(&mut self.breaks);
                self.block(body);
                self.push(Code::Again(head));
                self.code[branch] = Code::JumpIfZero(self.code.len());
                self.leave(outer);
            }
            Stmt::DoWhile(body, condition) => {
                let head = self.code.len();
                let outer = std::mem::take(&mut self.breaks);
                self.block(body);
                self.expr(condition);
                let out = self.code.len() + 2;
                self.push(Code::JumpIfZero(out));
                self.push(Code::Again(head));
                self.leave(outer);
            }
            Stmt::Repeat(times, body) => {
                let outer = std::mem::take(&mut self.breaks);
                for _ in 0..*times {
                    self.block(body);
                }
                self.leave(outer);
            }
            Stmt::Switch(value, cases) => {
                self.expr(value);
                let value = self.fresh();
                self.push(Code::Set(value));
                let mut ends = Vec::new();
                for (case, body) in cases {
                    self.push(Code::Get(value));
                    self.push(Code::Push(*case));
                    self.push(Code::Binary(Operator::Eq));
                    let branch = self.push(Code::Drop);
                    self.forget(value);
                    self.block(body);
                    ends.push(self.push(Code::Drop));
                    self.code[branch] = Code::JumpIfZero(self.code.len());
                }
                self.forget(value);
                for end in ends {
                    self.code[end] = Code::Jump(self.code.len());
                }
            }
            Stmt::Break => {
                let jump = self.push(Code::Drop);
                self.breaks.push(jump);
            }
            Stmt::Copy(_, to, from) => {
                let size = self.program.globals[to.0].size();
                let (a, b) = (self.object(*to), self.object(*from));
                let (a, b) = (Code::Address(a, 0), Code::Address(b, 0));
                self.copy(&[a], &[b], size);
            }
            Stmt::CopyNode(to, from) => {
                let (a, b) = (self.fresh(), self.fresh());
                self.expr(to);
                self.push(Code::Set(a));
                self.expr(from);
                self.push(Code::Set(b));
                self.copy(&[Code::Get(a)], &[Code::Get(b)], NODE);
                self.forget(a);
                self.forget(b);
            }
            Stmt::Fill(to, byte, count) => {
                [to, byte, count]
                    .into_iter()
                    .for_each(|operand| self.expr(operand));
                self.push(Code::Push(0));
                self.push(Code::Fill);
            }
            Stmt::Move(to, from, count) => {
                [to, from, count]
                    .into_iter()
                    .for_each(|operand| self.expr(operand));
                // How far it is, and what it has read but not written.
                self.push(Code::Push(0));
                self.push(Code::Push(0));
                self.push(Code::Push(0));
                self.push(Code::Move);
            }
            Stmt::Atomic(body) => {
                self.push(Code::BeginAtomic);
                self.block(body);
                self.push(Code::EndAtomic);
            }
            Stmt::Assert(condition) => {
                self.expr(condition);
                self.push(Code::Assert);
            }
            Stmt::Assume(condition) => {
                self.expr(condition);
                self.push(Code::Assume);
            }
            Stmt::Return(value) => {
                self.expr(value);
                let jump = self.push(Code::Drop);
                self.returns.push(jump);
            }
        }
    }

    fn leave(&mut self, outer: Vec<usize>) {
        for jump in std::mem::replace(&mut self.breaks, outer) {
            self.code[jump] = Code::Jump(self.code.len());
        }
    }

    /// A variable that the program does not know of.
    fn fresh(&mut self) -> usize {
        self.variables += 1;
        self.variables - 1
    }

    fn forget(&mut self, variable: usize) {
        self.push(Code::Push(0));
        self.push(Code::Set(variable));
    }

    /// Eight bytes at a time, which is how an aligned structure is copied.
    fn copy(&mut self, to: &[Code], from: &[Code], size: usize) {
        for offset in (0..size).step_by(8) {
            self.code.extend_from_slice(to);
            self.push(Code::Offset(offset as i64));
            self.code.extend_from_slice(from);
            self.push(Code::Offset(offset as i64));
            let ty = match size - offset {
                8.. => Type::I64,
                _ => Type::U32,
            };
            self.push(Code::Load(ty, Access::Plain));
            self.push(Code::Store(ty, Access::Plain));
        }
    }

    /// The value first: C leaves it open, and compilers do so.
    fn store(&mut self, access: Access, place: &Place, value: &Expr) {
        let ty = self.program.ty(place);
        let held = self.fresh();
        self.expr(value);
        self.push(Code::Set(held));
        self.address(place);
        let bits = match place {
            Place::Member(_, member) => member.bits(),
            _ => None,
        };
        match bits {
            None => {
                self.push(Code::Get(held));
            }
            Some((below, count)) => {
                self.address(place);
                self.push(Code::Load(ty, Access::Plain));
                self.push(Code::Get(held));
                self.push(Code::PutBits(below, count));
            }
        }
        self.push(Code::Store(ty, access));
        self.forget(held);
    }

    fn object(&self, global: GlobalId) -> ObjectId {
        ObjectId::of(self.program, self.thread, global)
    }

    fn index(&mut self, index: &Expr, size: usize, step: usize) {
        self.expr(index);
        self.push(Code::Index { size, step });
    }

    fn address(&mut self, place: &Place) {
        match place {
            Place::Global(global) => {
                self.push(Code::Address(self.object(*global), 0));
            }
            Place::Element(array, index) | Place::FarElement(array, index) => {
                let Shape::Array(values) = &self.program.globals[array.0] else {
                    unreachable!("an array");
                };
                self.push(Code::Address(self.object(*array), 0));
                let step = match place {
                    Place::FarElement(..) => FAR,
                    _ => 1,
                };
                self.index(index, values.len(), 4 * step);
            }
            Place::Member(global, member) => {
                self.push(Code::Address(self.object(*global), member.offset()));
            }
            Place::Arrow(node, member) => {
                self.expr(node);
                self.push(Code::Offset(member.offset() as i64));
            }
            Place::Deref(pointer) => self.expr(pointer),
            Place::Part(part) => {
                self.push(Code::Address(self.object(part.buffer), part.first));
                if part.count > 1 {
                    self.index(&part.index, part.count, part.step);
                }
            }
            Place::MutexWord(mutex) => self.address(mutex),
            Place::Either(condition, first, second) => {
                self.expr(condition);
                let branch = self.push(Code::Drop);
                self.address(first);
                let jump = self.push(Code::Drop);
                self.code[branch] = Code::JumpIfZero(self.code.len());
                self.address(second);
                self.code[jump] = Code::Jump(self.code.len());
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(value) => {
                self.push(Code::Push(*value));
            }
            Expr::Variable(variable) => {
                self.push(Code::Get(self.base + variable.0));
            }
            Expr::Input(input) => {
                self.push(Code::Input(*input));
            }
            Expr::Null(_) => {
                self.push(Code::Push(0));
            }
            Expr::Load(access, place) => {
                self.address(place);
                self.push(Code::Load(self.program.ty(place), *access));
                if let Place::Member(_, member) = place
                    && let Some((below, count)) = member.bits()
                {
                    self.push(Code::Bits(below, count));
                }
            }
            Expr::AddressOf(place) => self.address(place),
            Expr::Not(of) => {
                self.expr(of);
                self.push(Code::Not);
            }
            Expr::And(left, right) => self.short_circuit(left, right, false),
            Expr::Or(left, right) => self.short_circuit(left, right, true),
            Expr::Binary(op, left, right) => {
                self.expr(left);
                self.expr(right);
                self.push(Code::Binary(*op));
            }
            Expr::Cast(_, of) => self.expr(of),
            Expr::Update(op, place, value) => {
                self.address(place);
                self.expr(value);
                self.push(Code::Update(*op));
            }
            Expr::Swap(place, from, to) => {
                self.address(place);
                self.expr(from);
                self.expr(to);
                self.push(Code::Swap);
            }
            Expr::Call(call) => self.call(call),
            Expr::Apply(function, arguments) => self.apply(*function, arguments),
        }
    }

    /// Skips the right side where the left one decides.
    fn short_circuit(&mut self, left: &Expr, right: &Expr, decided: bool) {
        self.expr(left);
        if decided {
            self.push(Code::Not);
        }
        let branch = self.push(Code::Drop);
        self.expr(right);
        self.push(Code::Truth);
        let jump = self.push(Code::Drop);
        self.code[branch] = Code::JumpIfZero(self.code.len());
        self.push(Code::Push(decided.into()));
        self.code[jump] = Code::Jump(self.code.len());
    }

    fn call(&mut self, call: &Call) {
        let (objects, action): (Vec<&Place>, Action) = match call {
            Call::Lock(patience, lock) => (vec![lock], Action::Lock(*patience)),
            Call::Unlock(lock) => (vec![lock], Action::Unlock),
            Call::ReadLock(patience, lock) => (vec![lock], Action::ReadLock(*patience)),
            Call::WriteLock(patience, lock) => (vec![lock], Action::WriteLock(*patience)),
            Call::RwUnlock(lock) => (vec![lock], Action::RwUnlock),
            Call::SemWait(patience, semaphore) => (vec![semaphore], Action::SemWait(*patience)),
            Call::SemPost(semaphore) => (vec![semaphore], Action::SemPost),
            Call::BarrierWait(barrier) => (vec![barrier], Action::BarrierWait),
            Call::SemValue(semaphore) => (vec![semaphore], Action::SemValue),
            Call::Destroy(object) => {
                let kept = match self.program.object(object) {
                    Shape::Mutex(_) => Kept::Mutex,
                    Shape::RwLock => Kept::RwLock,
                    Shape::Semaphore(_) => Kept::Semaphore,
                    Shape::Barrier(_) => Kept::Barrier,
                    Shape::Condition => Kept::Condition,
                    _ => unreachable!("nothing that is destroyed"),
                };
                (vec![object], Action::Destroy(kept))
            }
            Call::Wait(patience, condition, mutex) => {
                (vec![condition, mutex], Action::Wait(*patience))
            }
            Call::Signal(condition) => (vec![condition], Action::Signal),
            Call::Broadcast(condition) => (vec![condition], Action::Broadcast),
            Call::Allocate => (vec![], Action::Allocate),
            Call::AllocateSome(small) => {
                self.expr(small);
                (vec![], Action::AllocateSome)
            }
            Call::Free(pointer) => {
                self.expr(pointer);
                (vec![], Action::Free)
            }
            Call::Create(thread) => (vec![], Action::Create(*thread)),
            Call::Join(thread) => (vec![], Action::Join(*thread)),
            Call::JoinResult(thread) => (vec![], Action::JoinResult(*thread)),
            Call::Yield => (vec![], Action::Yield),
            Call::Exit => (vec![], Action::Exit),
        };
        objects.into_iter().for_each(|object| self.address(object));
        self.push(Code::Call(action));
    }

    fn apply(&mut self, function: FunctionId, arguments: &[Expr]) {
        let function = &self.program.functions[function.0];
        let base = self.variables;
        self.variables += function.variables.len();
        for (index, argument) in arguments.iter().enumerate() {
            self.expr(argument);
            self.push(Code::Set(base + index));
        }
        let outer = (
            std::mem::replace(&mut self.base, base),
            std::mem::take(&mut self.breaks),
            std::mem::take(&mut self.returns),
        );
        self.block(&function.body);
        self.push(Code::Push(0));
        for jump in std::mem::take(&mut self.returns) {
            self.code[jump] = Code::Jump(self.code.len());
        }
        (self.base, self.breaks, self.returns) = outer;
        for variable in 0..function.variables.len() {
            self.forget(base + variable);
        }
    }
}
