//! A term with terms in place of some of its inputs.

use rustc_hash::FxHashMap;

use crate::node::{InputId, Node, TermId};
use crate::terms::Terms;

/// Replaces inputs, sharing the work between terms.
#[derive(Default)]
pub struct Substitution {
    with: FxHashMap<InputId, TermId>,
    done: FxHashMap<TermId, TermId>,
}

impl Substitution {
    /// # Panics
    /// If something has been replaced already.
    pub fn insert(&mut self, input: InputId, with: TermId) {
        assert!(
            self.done.is_empty(),
            "all replacements come before the first use"
        );
        self.with.insert(input, with);
    }

    pub fn contains(&self, input: InputId) -> bool {
        self.with.contains_key(&input)
    }

    pub fn is_empty(&self) -> bool {
        self.with.is_empty()
    }

    /// All replacements are made at once: what is put in is not looked at again.
    pub fn apply(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.done.contains_key(&top) {
                stack.pop();
                continue;
            }
            if !terms.support(top).iter().any(|i| self.contains(*i)) {
                self.done.insert(top, top);
                stack.pop();
                continue;
            }
            let node = *terms.node(top);
            let before = stack.len();
            let bytes: Vec<TermId> = match node {
                Node::Select { table, .. } => terms.table_bytes(table).to_vec(),
                _ => Vec::new(),
            };
            let operands = node.operands().chain(bytes.iter().copied());
            stack.extend(operands.filter(|o| !self.done.contains_key(o)));
            if stack.len() == before {
                let result = self.rebuild(terms, node, &bytes);
                self.done.insert(top, result);
                stack.pop();
            }
        }
        self.done[&term]
    }

    /// The node with its operands replaced.
    fn rebuild(&self, terms: &mut Terms, node: Node, bytes: &[TermId]) -> TermId {
        let new = |term: TermId| self.done[&term];
        match node {
            Node::Constant { width, value } => terms.constant(width, value),
            Node::Input(input) => self.with[&input],
            Node::Bin(op, a, b) => terms.bin(op, new(a), new(b)),
            Node::Cmp(op, a, b) => terms.cmp(op, new(a), new(b)),
            Node::Not(a) => terms.not(new(a)),
            Node::Neg(a) => terms.neg(new(a)),
            Node::Ite(c, a, b) => terms.ite(new(c), new(a), new(b)),
            Node::Extract { term, lo, width } => terms.extract(new(term), lo, width),
            Node::Concat { hi, lo } => terms.concat(new(hi), new(lo)),
            Node::Zext { term, width } => terms.zext(new(term), width),
            Node::Sext { term, width } => terms.sext(new(term), width),
            Node::Select { index, .. } => {
                let bytes: Vec<TermId> = bytes.iter().map(|byte| new(*byte)).collect();
                let table = terms.table(&bytes);
                terms.select(table, new(index))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{BinOp, CmpOp};

    #[test]
    fn all_at_once() {
        let mut t = Terms::new();
        let (x, y) = (t.input("x", 32), t.input("y", 32));
        let input = |t: &Terms, term| t.support(term)[0];
        let sum = t.bin(BinOp::Add, x, y);
        let less = t.cmp(CmpOp::Ult, sum, x);
        let mut swap = Substitution::default();
        swap.insert(input(&t, x), y);
        swap.insert(input(&t, y), x);
        let expected = t.cmp(CmpOp::Ult, sum, y);
        assert_eq!(swap.apply(&mut t, less), expected);
    }

    #[test]
    fn constants_fold() {
        let mut t = Terms::new();
        let x = t.input("x", 8);
        let table = t.table(&[x, x]);
        let picked = t.select(table, x);
        let one = t.constant(8, 1);
        let mut with = Substitution::default();
        with.insert(t.support(x)[0], one);
        assert_eq!(with.apply(&mut t, picked), one);
    }
}
