//! The term language: fixed-width bit-vectors of 1 to 128 bits and loads from immutable byte
//! tables.
//!
//! Booleans are bit-vectors of width 1. The meaning of every operation is SMT-LIB's `QF_BV`;
//! `base::semantics` is its executable definition.

pub use base::{BinOp, CmpOp};

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
