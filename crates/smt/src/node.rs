//! The term language: fixed-width bit-vectors of 1 to 128 bits and loads from immutable byte
//! tables.
//!
//! Booleans are bit-vectors of width 1. The meaning of every operation is SMT-LIB's `QF_BV`;
//! `semantics.rs` is its executable definition.

base::id!(
    /// A term of one `Terms`. `TermId(0)` is no term: the machine uses it to say "concrete".
    TermId,
    "e"
);
base::id!(
    /// An input of the program under test, an unconstrained variable.
    InputId,
    "in"
);
base::id!(
    /// An immutable array of 8-bit terms.
    TableId,
    "tab"
);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

impl BinOp {
    pub const ALL: [BinOp; 13] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::UDiv,
        BinOp::SDiv,
        BinOp::URem,
        BinOp::SRem,
        BinOp::Shl,
        BinOp::LShr,
        BinOp::AShr,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
    ];

    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CmpOp {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

impl CmpOp {
    pub const ALL: [CmpOp; 10] = [
        CmpOp::Eq,
        CmpOp::Ne,
        CmpOp::Ult,
        CmpOp::Ule,
        CmpOp::Ugt,
        CmpOp::Uge,
        CmpOp::Slt,
        CmpOp::Sle,
        CmpOp::Sgt,
        CmpOp::Sge,
    ];

    /// The comparison that holds exactly when `self` does not.
    pub fn negated(self) -> CmpOp {
        match self {
            CmpOp::Eq => CmpOp::Ne,
            CmpOp::Ne => CmpOp::Eq,
            CmpOp::Ult => CmpOp::Uge,
            CmpOp::Ule => CmpOp::Ugt,
            CmpOp::Ugt => CmpOp::Ule,
            CmpOp::Uge => CmpOp::Ult,
            CmpOp::Slt => CmpOp::Sge,
            CmpOp::Sle => CmpOp::Sgt,
            CmpOp::Sgt => CmpOp::Sle,
            CmpOp::Sge => CmpOp::Slt,
        }
    }
}

/// One operation on terms, plain data. A node that `Terms` simplified satisfies more: see
/// `simplify`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// `value` has no bit at or above `width`.
    Constant {
        width: u32,
        value: u128,
    },
    Input(InputId),
    Bin(BinOp, TermId, TermId),
    Cmp(CmpOp, TermId, TermId),
    Not(TermId),
    Neg(TermId),
    /// The condition has width 1.
    Ite(TermId, TermId, TermId),
    /// Bits `lo..lo + width` of `term`.
    Extract {
        term: TermId,
        lo: u32,
        width: u32,
    },
    Concat {
        hi: TermId,
        lo: TermId,
    },
    Zext {
        term: TermId,
        width: u32,
    },
    Sext {
        term: TermId,
        width: u32,
    },
    /// The byte of the table at an index; 0 beyond its end.
    Select {
        table: TableId,
        index: TermId,
    },
}

impl Node {
    /// The operands in order. The bytes of a table are not operands: `Terms::table_bytes` has them.
    pub fn operands(&self) -> impl Iterator<Item = TermId> + use<> {
        let (a, b, c) = match *self {
            Node::Constant { .. } | Node::Input(_) => (None, None, None),
            Node::Bin(_, a, b) | Node::Cmp(_, a, b) => (Some(a), Some(b), None),
            Node::Not(a) | Node::Neg(a) => (Some(a), None, None),
            Node::Ite(c, a, b) => (Some(c), Some(a), Some(b)),
            Node::Extract { term, .. } | Node::Zext { term, .. } | Node::Sext { term, .. } => {
                (Some(term), None, None)
            }
            Node::Concat { hi, lo } => (Some(hi), Some(lo), None),
            Node::Select { index, .. } => (Some(index), None, None),
        };
        [a, b, c].into_iter().flatten()
    }
}
