//! Terms as readable infix text, for reports and debugging: `(x + 1:32) <u y`.
//!
//! Shared subterms are written out each time, up to a depth; below it stands the term's id. Signed
//! and unsigned operations carry an `s` or `u`; constants that are not Boolean carry their width.

use std::fmt;

use crate::node::{BinOp, CmpOp, Node, TermId};
use crate::terms::Terms;

/// A term nested deeper than this is no longer readable, and shared ones could be exponential.
const DEPTH: u32 = 24;

pub struct DisplayTerm<'a> {
    terms: &'a Terms,
    term: TermId,
}

impl Terms {
    pub fn display(&self, term: TermId) -> DisplayTerm<'_> {
        DisplayTerm { terms: self, term }
    }
}

impl fmt::Display for DisplayTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let depth = if self.terms.tree_size(self.term) > 4000 {
            8
        } else {
            DEPTH
        };
        write_term(self.terms, self.term, depth, true, f)
    }
}

fn write_term(
    terms: &Terms,
    term: TermId,
    depth: u32,
    is_outermost: bool,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if depth == 0 {
        return write!(f, "{term}");
    }
    let operand =
        |term: TermId, f: &mut fmt::Formatter<'_>| write_term(terms, term, depth - 1, false, f);
    let infix = |a: TermId, sign: &str, b: TermId, f: &mut fmt::Formatter<'_>| {
        if !is_outermost {
            write!(f, "(")?;
        }
        operand(a, f)?;
        write!(f, " {sign} ")?;
        operand(b, f)?;
        if is_outermost { Ok(()) } else { write!(f, ")") }
    };
    match *terms.node(term) {
        Node::Constant { width: 1, value } => write!(f, "{}", value == 1),
        Node::Constant { width, value } if value < 1 << 16 => write!(f, "{value}:{width}"),
        Node::Constant { width, value } => write!(f, "{value:#x}:{width}"),
        Node::Input(input) => write!(f, "{}", terms.input_name(input)),
        Node::Bin(op, a, b) => infix(a, bin_sign(op), b, f),
        Node::Cmp(op, a, b) => infix(a, cmp_sign(op), b, f),
        Node::Not(a) => {
            write!(f, "{}", if terms.width(a) == 1 { "!" } else { "~" })?;
            operand(a, f)
        }
        Node::Neg(a) => {
            write!(f, "-")?;
            operand(a, f)
        }
        Node::Ite(c, a, b) => {
            write!(f, "(")?;
            operand(c, f)?;
            write!(f, " ? ")?;
            operand(a, f)?;
            write!(f, " : ")?;
            operand(b, f)?;
            write!(f, ")")
        }
        Node::Extract { term, lo, width } => {
            operand(term, f)?;
            write!(f, "[{lo}..{}]", lo + width)
        }
        Node::Concat { hi, lo } => infix(hi, "++", lo, f),
        Node::Zext { term, width } => {
            write!(f, "zext{width}(")?;
            write_term(terms, term, depth - 1, true, f)?;
            write!(f, ")")
        }
        Node::Sext { term, width } => {
            write!(f, "sext{width}(")?;
            write_term(terms, term, depth - 1, true, f)?;
            write!(f, ")")
        }
        Node::Select { table, index } => {
            write!(f, "{table}[")?;
            write_term(terms, index, depth - 1, true, f)?;
            write!(f, "]")
        }
    }
}

fn bin_sign(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::UDiv => "/u",
        BinOp::SDiv => "/s",
        BinOp::URem => "%u",
        BinOp::SRem => "%s",
        BinOp::Shl => "<<",
        BinOp::LShr => ">>u",
        BinOp::AShr => ">>s",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
    }
}

fn cmp_sign(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Ult => "<u",
        CmpOp::Ule => "<=u",
        CmpOp::Ugt => ">u",
        CmpOp::Uge => ">=u",
        CmpOp::Slt => "<s",
        CmpOp::Sle => "<=s",
        CmpOp::Sgt => ">s",
        CmpOp::Sge => ">=s",
    }
}
