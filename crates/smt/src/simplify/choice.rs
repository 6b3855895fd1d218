//! If-then-else and loads from byte tables.

use crate::node::{Node, TableId, TermId};
use crate::semantics::mask;
use crate::terms::Terms;

impl Terms {
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        assert_eq!(self.width(c), 1, "the condition of an ite");
        assert_eq!(self.width(a), self.width(b), "the branches of an ite");
        let width = self.width(a);
        match self.as_constant(c) {
            Some(1) => return a,
            Some(_) => return b,
            None if a == b => return a,
            None => {}
        }
        self.nested(Node::Ite(c, a, b), |terms| {
            if let Node::Not(inner) = *terms.node(c) {
                return terms.ite(inner, b, a);
            }
            // Under `c`, `ite(c, x, y)` is `x`.
            if let Node::Ite(d, x, _) = *terms.node(a)
                && d == c
            {
                return terms.ite(c, x, b);
            }
            if let Node::Ite(d, _, y) = *terms.node(b)
                && d == c
            {
                return terms.ite(c, a, y);
            }
            if width == 1 {
                return terms.boolean_ite(c, a, b);
            }
            match (terms.as_constant(a), terms.as_constant(b)) {
                (Some(1), Some(0)) => terms.zext(c, width),
                (Some(0), Some(1)) => {
                    let not = terms.not(c);
                    terms.zext(not, width)
                }
                (Some(x), Some(0)) if x == mask(width) => terms.sext(c, width),
                (Some(0), Some(y)) if y == mask(width) => {
                    let not = terms.not(c);
                    terms.sext(not, width)
                }
                _ => terms.finish(Node::Ite(c, a, b)),
            }
        })
    }

    fn boolean_ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        if a == c || self.as_constant(a) == Some(1) {
            return self.or(c, b);
        }
        if b == c || self.as_constant(b) == Some(0) {
            return self.and(c, a);
        }
        if self.are_complements(a, c) || self.as_constant(a) == Some(0) {
            let not = self.not(c);
            return self.and(not, b);
        }
        if self.are_complements(b, c) || self.as_constant(b) == Some(1) {
            let not = self.not(c);
            return self.or(not, a);
        }
        self.finish(Node::Ite(c, a, b))
    }

    /// The byte at an index of any width; 0 beyond the end.
    pub fn select(&mut self, table: TableId, index: TermId) -> TermId {
        let width = self.width(index);
        let bytes = self.table_bytes(table);
        let byte_at = |position: u128| {
            usize::try_from(position)
                .ok()
                .and_then(|p| bytes.get(p))
                .copied()
        };
        match *self.node(index) {
            Node::Constant { value, .. } => match byte_at(value) {
                Some(byte) => return byte,
                None => return self.constant(8, 0),
            },
            Node::Zext { term, .. } => return self.select(table, term),
            _ => {}
        }
        if width == 1 {
            let (x, y) = (byte_at(1), byte_at(0));
            let zero = self.constant(8, 0);
            return self.ite(index, x.unwrap_or(zero), y.unwrap_or(zero));
        }
        if let Some((c, x, y)) = self.constant_choice(index) {
            let (x, y) = (byte_at(x), byte_at(y));
            let zero = self.constant(8, 0);
            return self.ite(c, x.unwrap_or(zero), y.unwrap_or(zero));
        }
        // Bytes that the index cannot reach, at the end of the table, do not matter.
        let greatest = self.known_bits(index).max(width);
        if greatest < bytes.len() as u128 {
            let reachable = greatest as usize + 1;
            let first = bytes[0];
            if bytes[..reachable].iter().all(|&byte| byte == first) {
                return first;
            }
            if reachable < bytes.len() {
                let reachable: Vec<TermId> = bytes[..reachable].to_vec();
                let table = self.table(&reachable);
                return self.finish(Node::Select { table, index });
            }
        }
        self.finish(Node::Select { table, index })
    }
}
