//! The programs, as a syntax tree.
//!
//! Every number that a thread computes with is a `long`; only memory has narrower ones. Operands
//! are evaluated from left to right, where C would leave it open as well. Thread 0 is `main`: when
//! it returns, the process ends.

use std::collections::BTreeSet;

use crate::ids::{InputId, ThreadId};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);
    )*};
}

ids! {
    /// A global variable.
    GlobalId;
    /// A local variable of a thread or function.
    VarId;
    /// A function that threads call.
    FunctionId;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub globals: Vec<Shape>,
    /// Those that `main` allocates before all else: a thread may free them.
    pub heap: BTreeSet<GlobalId>,
    /// Each takes the values from 0 to this.
    pub inputs: Vec<u8>,
    pub functions: Vec<Function>,
    pub threads: Vec<Function>,
}

/// Of a thread, or one that threads call. The first variables are its parameters; all others are 0
/// at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    pub parameters: usize,
    pub variables: Vec<Kind>,
    pub body: Vec<Stmt>,
}

/// What a variable or an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Number,
    /// `int *`
    ToInt,
    /// `struct node *`
    ToNode,
}

/// What memory holds at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    U8,
    U16,
    U32,
    I32,
    I64,
    Pointer(Kind),
}

/// What a global variable is, and holds at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Scalar(Type, i64),
    /// Set by `main` before all else.
    FromInput(InputId),
    /// `int *`, to another global that is a [scalar](Shape::Scalar) `int`, or null.
    PointerTo(Option<GlobalId>),
    /// `struct node *`, null at first.
    ToNode,
    /// Of ints; their number is a power of two.
    Array(Vec<i64>),
    /// Bytes that are 0 at first, accessed in parts of any size.
    Buffer(usize),
    /// An `int` of which every thread has one of its own, 0 at first.
    ThreadLocal,
    /// `struct pair { long a, b; }`
    Pair(i64, i64),
    /// `union word`: one `unsigned`, two `unsigned short`, four `unsigned char`, or bit-fields of
    /// 3, 5 and 8 bits.
    Word(u32),
    /// `struct account { pthread_mutex_t m; int v; }`
    Account,
    Mutex(Mutex),
    RwLock,
    Semaphore(u32),
    Barrier(u32),
    Condition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutex {
    Normal,
    Recursive,
    ErrorChecking,
}

/// A member of one of the structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// `struct node { int v, w; struct node *next; }`
    NodeV,
    NodeW,
    NodeNext,
    PairA,
    PairB,
    Whole,
    Half(u8),
    Byte(u8),
    Low,
    Middle,
    High,
    AccountMutex,
    AccountV,
}

/// In elements of an array: so far behind it that other variables may lie there.
pub const FAR: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Global(GlobalId),
    /// The index is cut to the size of the array.
    Element(GlobalId, Box<Expr>),
    /// The same times [`FAR`]: the first element, or something far behind the end.
    FarElement(GlobalId, Box<Expr>),
    Member(GlobalId, Member),
    /// Of the node that an expression points to.
    Arrow(Box<Expr>, Member),
    /// The int that an expression points to.
    Deref(Box<Expr>),
    Part(Box<Part>),
    /// The first word of a mutex, which is 0 as long as nobody holds it.
    MutexWord(Box<Place>),
    /// One of two places that are of one kind.
    Either(Box<Expr>, Box<Place>, Box<Place>),
}

/// A number somewhere in a buffer, aligned or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub buffer: GlobalId,
    /// It begins so many bytes into the buffer,
    pub first: usize,
    /// and so many times `step` further on.
    pub index: Expr,
    /// The index is cut to this, a power of two.
    pub count: usize,
    pub step: usize,
    pub ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Plain,
    /// `memory_order_seq_cst`
    Atomic,
    Relaxed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Const(i64),
    Variable(VarId),
    Input(InputId),
    Null(Kind),
    Load(Access, Place),
    AddressOf(Place),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// A pointer made a number, or the other way round.
    Cast(Kind, Box<Expr>),
    /// Atomic, of an int, and what was there before.
    Update(Update, Place, Box<Expr>),
    /// `__sync_bool_compare_and_swap`, of an int.
    Swap(Place, Box<Expr>, Box<Expr>),
    Call(Box<Call>),
    Apply(FunctionId, Vec<Expr>),
}

/// Comparisons are signed and give 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    Exchange,
    Add,
    Sub,
    Or,
    Xor,
}

/// A call of the library. What it returns is 0, or a number that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Any lock but a read-write lock.
    Lock(Patience, Place),
    Unlock(Place),
    ReadLock(Patience, Place),
    WriteLock(Patience, Place),
    RwUnlock(Place),
    SemWait(Patience, Place),
    SemPost(Place),
    BarrierWait(Place),
    /// The value of a semaphore.
    SemValue(Place),
    /// Of a lock, a semaphore, a barrier or a condition.
    Destroy(Place),
    /// The condition, then the mutex; `Now` makes no sense.
    Wait(Patience, Place, Place),
    Signal(Place),
    Broadcast(Place),
    /// A node, full of zeros.
    Allocate,
    /// The same, without its last member if the number is not 0.
    AllocateSome(Expr),
    Free(Expr),
    Create(ThreadId),
    Join(ThreadId),
    /// Gives what the thread returns: its first variable.
    JoinResult(ThreadId),
    Yield,
    Exit,
}

/// How long a call waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Patience {
    Forever,
    Now,
    /// Until its time is up: it may be at any time.
    Timed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    Do(Expr),
    Set(VarId, Expr),
    Store(Access, Place, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    DoWhile(Vec<Stmt>, Expr),
    Repeat(u32, Vec<Stmt>),
    /// No case falls through.
    Switch(Expr, Vec<(i64, Vec<Stmt>)>),
    /// Out of the innermost loop. Not in a switch.
    Break,
    /// Assigns a whole structure, or copies it by `memcpy`.
    Copy(CopyBy, GlobalId, GlobalId),
    /// From a node to another.
    CopyNode(Expr, Expr),
    /// `memset` at an address, with a byte, so often.
    Fill(Expr, Expr, Expr),
    /// `memmove` to an address, from another one, of so many bytes.
    Move(Expr, Expr, Expr),
    /// Nobody else comes between. Nothing in it waits.
    Atomic(Vec<Stmt>),
    Assert(Expr),
    Assume(Expr),
    Return(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyBy {
    Assignment,
    Memcpy,
}

impl Type {
    pub fn size(self) -> usize {
        match self {
            Type::U8 => 1,
            Type::U16 => 2,
            Type::U32 | Type::I32 => 4,
            Type::I64 | Type::Pointer(_) => 8,
        }
    }

    /// The number that memory of this type would hold.
    pub fn cut(self, value: i64) -> i64 {
        match self {
            Type::U8 => i64::from(value as u8),
            Type::U16 => i64::from(value as u16),
            Type::U32 => i64::from(value as u32),
            Type::I32 => i64::from(value as i32),
            Type::I64 | Type::Pointer(_) => value,
        }
    }
}

impl Shape {
    pub fn size(&self) -> usize {
        match self {
            Shape::Scalar(ty, _) => ty.size(),
            Shape::FromInput(_) | Shape::Word(_) | Shape::ThreadLocal => 4,
            Shape::Buffer(size) => *size,
            Shape::PointerTo(_) | Shape::ToNode => 8,
            Shape::Array(values) => 4 * values.len(),
            Shape::Pair(..) => 16,
            Shape::Account => 48,
            Shape::Mutex(_) => 40,
            Shape::RwLock => 56,
            Shape::Semaphore(_) | Shape::Barrier(_) => 32,
            Shape::Condition => 48,
        }
    }

    /// Of a variable that is one number or pointer.
    pub fn ty(&self) -> Option<Type> {
        match self {
            Shape::Scalar(ty, _) => Some(*ty),
            Shape::FromInput(_) | Shape::ThreadLocal => Some(Type::I32),
            Shape::PointerTo(_) => Some(Type::Pointer(Kind::ToInt)),
            Shape::ToNode => Some(Type::Pointer(Kind::ToNode)),
            _ => None,
        }
    }
}

/// What `struct node` takes.
pub const NODE: usize = 16;

/// The same, without its last member.
pub const SMALL_NODE: usize = 8;

impl Member {
    pub fn offset(self) -> usize {
        match self {
            Member::NodeV | Member::PairA | Member::Whole | Member::AccountMutex => 0,
            Member::Low | Member::Middle | Member::High => 0,
            Member::NodeW => 4,
            Member::NodeNext | Member::PairB => 8,
            Member::Half(index) => 2 * usize::from(index),
            Member::Byte(index) => usize::from(index),
            Member::AccountV => 40,
        }
    }

    /// Of what is accessed: for bit-fields, the unit that holds them.
    pub fn ty(self) -> Type {
        match self {
            Member::NodeV | Member::NodeW | Member::AccountV => Type::I32,
            Member::NodeNext => Type::Pointer(Kind::ToNode),
            Member::PairA | Member::PairB => Type::I64,
            Member::Whole => Type::U32,
            Member::Half(_) | Member::Low | Member::Middle | Member::High => Type::U16,
            Member::Byte(_) => Type::U8,
            Member::AccountMutex => unreachable!("a mutex is no number"),
        }
    }

    /// Of a bit-field: how many bits lie below it, and how many it has.
    pub fn bits(self) -> Option<(u32, u32)> {
        match self {
            Member::Low => Some((0, 3)),
            Member::Middle => Some((3, 5)),
            Member::High => Some((8, 8)),
            _ => None,
        }
    }
}

impl Program {
    /// What is at a place, if it is a number or a pointer.
    pub fn ty(&self, place: &Place) -> Type {
        match place {
            Place::Global(global) => self.globals[global.0].ty().expect("a scalar"),
            Place::Element(..) | Place::FarElement(..) | Place::Deref(_) | Place::MutexWord(_) => {
                Type::I32
            }
            Place::Member(_, member) | Place::Arrow(_, member) => member.ty(),
            Place::Part(part) => part.ty,
            Place::Either(_, first, _) => self.ty(first),
        }
    }

    /// What a lock or its like is.
    pub fn object(&self, place: &Place) -> Shape {
        match place {
            Place::Global(global) => self.globals[global.0].clone(),
            Place::Member(_, Member::AccountMutex) => Shape::Mutex(Mutex::Normal),
            Place::Either(_, first, _) => self.object(first),
            _ => unreachable!("no object to wait for"),
        }
    }

    /// Of an expression in a function with these variables.
    pub fn kind(&self, variables: &[Kind], expr: &Expr) -> Kind {
        match expr {
            Expr::Variable(variable) => variables[variable.0],
            Expr::Null(kind) | Expr::Cast(kind, _) => *kind,
            Expr::Load(_, place) => match self.ty(place) {
                Type::Pointer(kind) => kind,
                _ => Kind::Number,
            },
            Expr::AddressOf(_) => Kind::ToInt,
            Expr::Call(call) if matches!(**call, Call::Allocate | Call::AllocateSome(_)) => {
                Kind::ToNode
            }
            _ => Kind::Number,
        }
    }

    /// Every assignment of values to the inputs.
    pub fn input_assignments(&self) -> Vec<Vec<i64>> {
        let mut assignments = vec![vec![]];
        for most in &self.inputs {
            let longer = assignments.iter().flat_map(|prefix: &Vec<i64>| {
                (0..=i64::from(*most)).map(|value| [prefix.as_slice(), &[value]].concat())
            });
            assignments = longer.collect();
        }
        assignments
    }
}

// ----- short forms -----

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr::Const(value)
    }
}

impl From<VarId> for Expr {
    fn from(variable: VarId) -> Expr {
        Expr::Variable(variable)
    }
}

impl Expr {
    pub fn load(place: Place) -> Expr {
        Expr::Load(Access::Plain, place)
    }

    pub fn negate(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    pub fn and(self, other: Expr) -> Expr {
        Expr::And(Box::new(self), Box::new(other))
    }

    pub fn or(self, other: Expr) -> Expr {
        Expr::Or(Box::new(self), Box::new(other))
    }

    pub fn binary(op: Operator, left: impl Into<Expr>, right: impl Into<Expr>) -> Expr {
        Expr::Binary(op, Box::new(left.into()), Box::new(right.into()))
    }

    pub fn call(call: Call) -> Expr {
        Expr::Call(Box::new(call))
    }
}

impl Stmt {
    pub fn call(call: Call) -> Stmt {
        Stmt::Do(Expr::call(call))
    }

    pub fn store(place: Place, value: impl Into<Expr>) -> Stmt {
        Stmt::Store(Access::Plain, place, value.into())
    }

    /// `for (;;)`
    pub fn forever(body: Vec<Stmt>) -> Stmt {
        Stmt::While(Expr::Const(1), body)
    }

    pub fn break_if(condition: Expr) -> Stmt {
        Stmt::If(condition, vec![Stmt::Break], vec![])
    }
}
