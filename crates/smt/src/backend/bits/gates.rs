//! Boolean gates as clauses (Tseitin), each distinct gate once and none where an operand decides
//! it.

use std::ops::Not;

use rustc_hash::FxHashMap;

/// A Boolean variable or its negation, numbered as in DIMACS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(i32);

impl Lit {
    /// The first variable, which a unit clause fixes.
    pub const TRUE: Lit = Lit(1);
    pub const FALSE: Lit = Lit(-1);

    pub fn from_bool(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    pub fn dimacs(self) -> i32 {
        self.0
    }

    pub(crate) fn from_dimacs(number: i32) -> Lit {
        debug_assert!(number != 0);
        Lit(number)
    }

    pub(crate) fn variable(self) -> usize {
        self.0.unsigned_abs() as usize
    }

    fn is_negated(self) -> bool {
        self.0 < 0
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

pub struct Gates {
    variables: i32,
    outputs: FxHashMap<Gate, Lit>,
    /// Clauses not yet taken by the SAT solver, each ended by 0.
    clauses: Vec<i32>,
}

impl Gates {
    pub fn new() -> Self {
        Gates {
            variables: 1,
            outputs: FxHashMap::default(),
            clauses: vec![1, 0],
        }
    }

    pub fn variables(&self) -> i32 {
        self.variables
    }

    pub fn take_clauses(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.clauses)
    }

    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    pub fn clause(&mut self, lits: &[Lit]) {
        self.clauses.extend(lits.iter().map(|lit| lit.0));
        self.clauses.push(0);
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || b == Lit::TRUE {
            return a;
        }
        if a == Lit::TRUE {
            return b;
        }
        if a == !b || a == Lit::FALSE || b == Lit::FALSE {
            return Lit::FALSE;
        }
        self.gate(Gate::And(a, b), |clauses, out| {
            clauses.extend([[!out, a], [!out, b]]);
            clauses.add([out, !a, !b]);
        })
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// One definition for any number of operands.
    pub fn and_all(&mut self, lits: &[Lit]) -> Lit {
        let mut lits: Vec<Lit> = lits
            .iter()
            .copied()
            .filter(|&lit| lit != Lit::TRUE)
            .collect();
        lits.sort_unstable_by_key(|lit| (lit.variable(), *lit));
        lits.dedup();
        let is_false = lits.contains(&Lit::FALSE) || lits.windows(2).any(|two| two[0] == !two[1]);
        match *lits {
            _ if is_false => Lit::FALSE,
            [] => Lit::TRUE,
            [lit] => lit,
            [a, b] => self.and(a, b),
            _ => {
                let out = self.fresh();
                for &lit in &lits {
                    self.clause(&[!out, lit]);
                }
                let mut conclusion: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
                conclusion.push(out);
                self.clause(&conclusion);
                out
            }
        }
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // Negations move to the output.
        let flip = a.is_negated() != b.is_negated();
        let (a, b) = (
            if a.is_negated() { !a } else { a },
            if b.is_negated() { !b } else { b },
        );
        let (a, b) = (a.min(b), a.max(b));
        let out = if a == b {
            Lit::FALSE
        } else if a == Lit::TRUE {
            !b
        } else {
            self.gate(Gate::Xor(a, b), |clauses, out| {
                clauses.extend([[!out, a, b], [!out, !a, !b], [out, !a, b], [out, a, !b]]);
            })
        };
        if flip { !out } else { out }
    }

    /// `c ? a : b`.
    pub fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        let (c, a, b) = if c.is_negated() {
            (!c, b, a)
        } else {
            (c, a, b)
        };
        if c == Lit::TRUE || a == b {
            return a;
        }
        if a == !b {
            return !self.xor(c, a);
        }
        if a == Lit::TRUE || a == c {
            return self.or(c, b);
        }
        if a == Lit::FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == Lit::TRUE || b == !c {
            return self.or(!c, a);
        }
        if b == Lit::FALSE || b == c {
            return self.and(c, a);
        }
        let flip = a.is_negated();
        let (a, b) = if flip { (!a, !b) } else { (a, b) };
        let out = self.gate(Gate::Mux(c, a, b), |clauses, out| {
            clauses.extend([[!c, !a, out], [!c, a, !out], [c, !b, out], [c, b, !out]]);
            // Implied, but lets equal branches propagate.
            clauses.extend([[!a, !b, out], [a, b, !out]]);
        });
        if flip { !out } else { out }
    }

    /// Whether at least two are true: the carry of a sum.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        for (x, y, z) in [(a, b, c), (b, c, a), (a, c, b)] {
            if x == y {
                return x;
            }
            if x == !y {
                return z;
            }
            if z == Lit::TRUE {
                return self.or(x, y);
            }
            if z == Lit::FALSE {
                return self.and(x, y);
            }
        }
        self.gate(Gate::Majority(a, b, c), |clauses, out| {
            clauses.extend([[!a, !b, out], [!a, !c, out], [!b, !c, out]]);
            clauses.extend([[a, b, !out], [a, c, !out], [b, c, !out]]);
        })
    }

    /// Sum and carry of three bits.
    pub fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        (self.xor(half, c), self.majority(a, b, c))
    }

    fn gate(&mut self, gate: Gate, define: impl FnOnce(&mut Clauses, Lit)) -> Lit {
        if let Some(&out) = self.outputs.get(&gate) {
            return out;
        }
        let out = self.fresh();
        define(&mut Clauses(&mut self.clauses), out);
        self.outputs.insert(gate, out);
        out
    }
}

struct Clauses<'a>(&'a mut Vec<i32>);

impl Clauses<'_> {
    fn add<const N: usize>(&mut self, clause: [Lit; N]) {
        self.0.extend(clause.iter().map(|lit| lit.0));
        self.0.push(0);
    }

    fn extend<const N: usize, const M: usize>(&mut self, clauses: [[Lit; N]; M]) {
        for clause in clauses {
            self.add(clause);
        }
    }
}
