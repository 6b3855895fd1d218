//! Terms as vectors of literals, each term once.

use rustc_hash::FxHashMap;

use super::circuits::{self, Bits};
use super::gates::{Gates, Lit};
use super::sat::SatSolver;
use crate::lower::Lowering;
use crate::node::{Node, TermId};
use crate::solver::ServedTerms;
use crate::terms::Terms;

pub struct Translation {
    pub gates: Gates,
    served: ServedTerms,
    lowering: Lowering,
    /// The literals of the terms that were asked for and of what they are made of. A map, because
    /// they are a small part of all terms.
    bits: FxHashMap<TermId, Bits>,
}

impl Translation {
    pub fn new() -> Self {
        Translation {
            gates: Gates::new(),
            served: ServedTerms::default(),
            lowering: Lowering::default(),
            bits: FxHashMap::default(),
        }
    }

    /// Starts with no literal, for a new SAT solver.
    pub fn forget(&mut self) {
        self.gates = Gates::new();
        self.bits = FxHashMap::default();
    }

    /// The bits of a term, the lowest first.
    pub fn bits(&mut self, terms: &mut Terms, root: TermId) -> &Bits {
        self.served.require(terms);
        let order = self
            .lowering
            .order(terms, root, |term| self.bits.contains_key(&term));
        for term in order {
            let bits = self.translate_node(terms, term);
            self.bits.insert(term, bits);
        }
        &self.bits[&root]
    }

    /// The value of a translated term in the assignment that the solver found; `None` if the term
    /// was not translated.
    pub fn value(&self, sat: &mut SatSolver, term: TermId) -> Option<u128> {
        let bits = self.bits.get(&term)?.iter().enumerate();
        Some(bits.fold(0, |value, (at, &bit)| {
            value | (sat.value(bit) as u128) << at
        }))
    }

    fn translate_node(&mut self, terms: &Terms, term: TermId) -> Bits {
        let width = terms.width(term);
        let bits = |term: TermId| &self.bits[&term];
        let gates = &mut self.gates;
        match *terms.node(term) {
            Node::Constant { value, .. } => circuits::constant(width, value),
            Node::Input(_) => (0..width).map(|_| gates.fresh()).collect(),
            Node::Bin(op, a, b) => circuits::bin(gates, op, bits(a), bits(b)),
            Node::Cmp(op, a, b) => vec![circuits::cmp(gates, op, bits(a), bits(b))],
            Node::Not(a) => bits(a).iter().map(|&bit| !bit).collect(),
            Node::Neg(a) => circuits::neg(gates, bits(a)),
            Node::Ite(c, a, b) => circuits::mux(gates, bits(c)[0], bits(a), bits(b)),
            Node::Extract { term, lo, width } => {
                bits(term)[lo as usize..(lo + width) as usize].to_vec()
            }
            Node::Concat { hi, lo } => [bits(lo).as_slice(), bits(hi)].concat(),
            Node::Zext { term, .. } => extended(bits(term), width, Lit::FALSE),
            Node::Sext { term, .. } => extended(
                bits(term),
                width,
                bits(term)[terms.width(term) as usize - 1],
            ),
            Node::Select { .. } => bits(self.lowering.lowered(term)).clone(),
        }
    }
}

fn extended(bits: &[Lit], width: u32, fill: Lit) -> Bits {
    let mut extended = bits.to_vec();
    extended.resize(width as usize, fill);
    extended
}
