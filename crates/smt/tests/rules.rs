//! The simplifier's rules as before/after pairs, one line each.
//!
//! The left side is built from raw nodes and proved equal to the right side by the solver, so no
//! rule is wrong; then the constructors must turn the left side into the very term of the right
//! side, so no rule is lost.
//!
//! `x`, `y` are inputs of 8 bits, `p`, `q` Booleans; `k(n)` is an 8-bit constant, `kw(w, n)` one of
//! width `w`.

use std::time::Duration;

use smt::{BinOp, BitBlaster, CmpOp, Node, Solver, TermId, Terms, Z3};

/// Builds a term through the simplifier or around it.
struct Builder {
    terms: Terms,
    raw: bool,
}

macro_rules! bin_operations {
    ($($name:ident $op:ident),*) => {
        $(fn $name(&mut self, a: TermId, b: TermId) -> TermId {
            let op = BinOp::$op;
            if self.raw { self.terms.raw(Node::Bin(op, a, b)) } else { self.terms.bin(op, a, b) }
        })*
    };
}

macro_rules! cmp_operations {
    ($($name:ident $op:ident),*) => {
        $(fn $name(&mut self, a: TermId, b: TermId) -> TermId {
            let op = CmpOp::$op;
            if self.raw { self.terms.raw(Node::Cmp(op, a, b)) } else { self.terms.cmp(op, a, b) }
        })*
    };
}

impl Builder {
    bin_operations!(
        add Add, sub Sub, mul Mul, udiv UDiv, sdiv SDiv, urem URem, srem SRem, shl Shl, lshr LShr, ashr AShr, and And,
        or Or, xor Xor
    );
    cmp_operations!(
        eq Eq, ne Ne, ult Ult, ule Ule, ugt Ugt, uge Uge, slt Slt, sle Sle, sgt Sgt, sge Sge
    );

    fn kw(&mut self, width: u32, value: u128) -> TermId {
        self.terms.constant(width, value)
    }

    fn not(&mut self, a: TermId) -> TermId {
        if self.raw {
            self.terms.raw(Node::Not(a))
        } else {
            self.terms.not(a)
        }
    }

    fn neg(&mut self, a: TermId) -> TermId {
        if self.raw {
            self.terms.raw(Node::Neg(a))
        } else {
            self.terms.neg(a)
        }
    }

    fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        if self.raw {
            self.terms.raw(Node::Ite(c, a, b))
        } else {
            self.terms.ite(c, a, b)
        }
    }

    fn extract(&mut self, term: TermId, lo: u32, width: u32) -> TermId {
        if self.raw {
            self.terms.raw(Node::Extract { term, lo, width })
        } else {
            self.terms.extract(term, lo, width)
        }
    }

    fn concat(&mut self, hi: TermId, lo: TermId) -> TermId {
        if self.raw {
            self.terms.raw(Node::Concat { hi, lo })
        } else {
            self.terms.concat(hi, lo)
        }
    }

    fn zext(&mut self, term: TermId, width: u32) -> TermId {
        if self.raw {
            self.terms.raw(Node::Zext { term, width })
        } else {
            self.terms.zext(term, width)
        }
    }

    fn sext(&mut self, term: TermId, width: u32) -> TermId {
        if self.raw {
            self.terms.raw(Node::Sext { term, width })
        } else {
            self.terms.sext(term, width)
        }
    }

    fn select(&mut self, bytes: &[TermId], index: TermId) -> TermId {
        let table = self.terms.table(bytes);
        if self.raw {
            self.terms.raw(Node::Select { table, index })
        } else {
            self.terms.select(table, index)
        }
    }
}

/// Expressions in prefix form become calls of the builder: `(add x (k 1))`.
macro_rules! build {
    ($b:ident, x) => { $b.terms.input("x", 8) };
    ($b:ident, y) => { $b.terms.input("y", 8) };
    ($b:ident, p) => { $b.terms.input("p", 1) };
    ($b:ident, q) => { $b.terms.input("q", 1) };
    ($b:ident, t) => { $b.kw(1, 1) };
    ($b:ident, f) => { $b.kw(1, 0) };
    ($b:ident, $n:literal) => { $b.kw(8, $n) };
    ($b:ident, (k $w:literal $n:literal)) => { $b.kw($w, $n) };
    ($b:ident, (extract $a:tt $lo:literal $w:literal)) => {{ let a = build!($b, $a); $b.extract(a, $lo, $w) }};
    ($b:ident, (zext $a:tt $w:literal)) => {{ let a = build!($b, $a); $b.zext(a, $w) }};
    ($b:ident, (sext $a:tt $w:literal)) => {{ let a = build!($b, $a); $b.sext(a, $w) }};
    ($b:ident, (select [$($e:tt)*] $i:tt)) => {{
        let bytes = [$(build!($b, $e)),*];
        let index = build!($b, $i);
        $b.select(&bytes, index)
    }};
    ($b:ident, ($op:ident $a:tt)) => {{ let a = build!($b, $a); $b.$op(a) }};
    ($b:ident, ($op:ident $a:tt $c:tt)) => {{ let a = build!($b, $a); let c = build!($b, $c); $b.$op(a, c) }};
    ($b:ident, ($op:ident $a:tt $c:tt $d:tt)) => {{
        let a = build!($b, $a); let c = build!($b, $c); let d = build!($b, $d); $b.$op(a, c, d)
    }};
}

macro_rules! rules {
    ($test:ident: $($before:tt => $after:tt;)*) => {
        #[test]
        fn $test() {
            let mut failures = Vec::new();
            $({
                let mut b = Builder { terms: Terms::new(), raw: true };
                let before = build!(b, $before);
                let after = build!(b, $after);
                prove_equal(&mut b.terms, before, after, stringify!($before => $after));
                b.raw = false;
                let simplified = build!(b, $before);
                let expected = build!(b, $after);
                if simplified != expected {
                    failures.push(format!(
                        "{}: got {}, expected {}", stringify!($before => $after),
                        b.terms.display(simplified), b.terms.display(expected)
                    ));
                }
            })*
            assert!(failures.is_empty(), "{}", failures.join("\n"));
        }
    };
}

fn prove_equal(terms: &mut Terms, before: TermId, after: TermId, rule: &str) {
    let differ = terms.raw(Node::Cmp(CmpOp::Ne, before, after));
    let timeout = Duration::from_secs(60);
    assert!(
        BitBlaster::new(timeout).check(terms, &[differ]).is_unsat(),
        "the bit-blaster refutes {rule}"
    );
    assert!(
        Z3::new(timeout).check(terms, &[differ]).is_unsat(),
        "Z3 refutes {rule}"
    );
}

rules! { sums:
    (add 1 x) => (add x 1);
    (add x 0) => x;
    (add (add x 1) 2) => (add x 3);
    (add (add x 1) y) => (add (add x y) 1);
    (add x (add y 1)) => (add (add x y) 1);
    (add x x) => (concat (extract x 0 7) (k 1 0));
    (add x (add x y)) => (add (mul x 2) y);
    (add (add x y) (add x (mul y 2))) => (add (mul x 2) (mul y 3));
    (add (sub x y) (add (mul y 5) 1)) => (add (add x (mul y 4)) 1);
    (sub (add x (mul y 5)) (add x y)) => (mul y 4);
    (sub y (sub x y)) => (sub (mul y 2) x);
    (add (mul (add x y) 3) (sub y x)) => (add (mul x 2) (mul y 4));
    (add x (neg y)) => (sub x y);
    (add (sub x y) y) => x;
    (add (sub 3 x) 2) => (sub 5 x);
    (add (sub 3 x) y) => (add (sub y x) 3);
    (add (not x) 1) => (neg x);
    (add (neg x) 7) => (sub 7 x);
    (add (ite p 1 2) 3) => (ite p 4 5);
    (sub x 1) => (add x 255);
    (sub x x) => 0;
    (sub 0 x) => (neg x);
    (sub x (neg y)) => (add x y);
    (sub x (sub x y)) => y;
    (sub 9 (sub 4 x)) => (add x 5);
    (sub x (add y x)) => (neg y);
    (sub x (add x y)) => (neg y);
    (sub x (add y 3)) => (sub (sub x y) 3);
    (sub 9 (add x 4)) => (sub 5 x);
    (sub (add x y) x) => y;
    (sub (add x y) y) => x;
    (sub (sub x y) x) => (neg y);
    (sub (add x 3) y) => (add (sub x y) 3);
    (sub 9 (ite p 1 2)) => (ite p 8 7);
    (neg (neg x)) => x;
    (neg (sub x y)) => (sub y x);
    (neg (add x 3)) => (sub 253 x);
    (neg (not x)) => (add x 1);
    (neg (ite p 1 2)) => (ite p 255 254);
    (neg (k 8 128)) => 128;
}

rules! { equal_sums:
    (eq (add (mul x 4) y) (add (sub y x) 5)) => (eq x 1);
    (eq (add (mul x 3) (mul y 5)) (add (mul x 7) (mul y 2))) => (eq (mul y 3) (mul x 4));
    (eq (add (sub x y) (zext p 8)) (sub (add (zext p 8) x) (mul y 4))) => (eq y 0);
    (eq (add (add x (zext p 8)) y) (add y (add (zext p 8) x))) => t;
}

rules! { products:
    (mul x 0) => 0;
    (mul 1 x) => x;
    (mul x 8) => (concat (extract x 0 5) (k 3 0));
    (mul x 255) => (neg x);
    (mul (mul x 3) 5) => (mul x 15);
    (mul (neg x) 3) => (mul x 253);
}

rules! { quotients:
    (udiv x 0) => 255;
    (udiv x 1) => x;
    (udiv x 4) => (zext (extract x 2 6) 8);
    (udiv (zext x 32) (k 32 10)) => (zext (udiv x 10) 32);
    (udiv (zext x 32) (k 32 1000)) => (k 32 0);
    (urem x 0) => x;
    (urem x 1) => 0;
    (urem x 4) => (zext (extract x 0 2) 8);
    (urem x x) => 0;
    (urem (zext x 32) (k 32 10)) => (zext (urem x 10) 32);
    (urem (zext x 32) (k 32 1000)) => (zext x 32);
    (sdiv (zext x 32) (zext y 32)) => (udiv (zext x 32) (zext y 32));
    (sdiv x 0) => (ite (slt x 0) 1 255);
    (sdiv x 1) => x;
    (sdiv x 255) => (neg x);
    (srem (zext x 32) (zext y 32)) => (urem (zext x 32) (zext y 32));
    (srem x 0) => x;
    (srem x 1) => 0;
    (srem x 255) => 0;
    (srem x x) => 0;
    (sdiv 128 255) => 128;
}

rules! { bits:
    (and x x) => x;
    (and x 0) => 0;
    (and x 255) => x;
    (and x (not x)) => 0;
    (and (and x 36) 12) => (and x 4);
    (and x 15) => (zext (extract x 0 4) 8);
    (and x 24) => (zext (concat (extract x 3 2) (k 3 0)) 8);
    (and x 240) => (concat (extract x 4 4) (k 4 0));
    (and (zext x 32) (k 32 255)) => (zext x 32);
    (and (and x y) x) => (and x y);
    (and (or x y) y) => y;
    (and (and (not x) y) x) => 0;
    (and (or (not x) y) x) => (and x y);
    (or x x) => x;
    (or x 0) => x;
    (or x 255) => 255;
    (or x (not x)) => 255;
    (or (or x 5) 10) => (or x 15);
    (or (or x y) x) => (or x y);
    (or (and x y) y) => y;
    (or (or (not x) y) x) => 255;
    (or (and (not x) y) x) => (or x y);
    (or (shl (zext x 16) (k 16 8)) (zext y 16)) => (concat x y);
    (add (zext y 16) (shl (zext x 16) (k 16 8))) => (concat x y);
    (xor x x) => 0;
    (xor x 0) => x;
    (xor x 255) => (not x);
    (xor (xor x 5) 3) => (xor x 6);
    (xor (not x) y) => (not (xor x y));
    (xor (xor x y) y) => x;
    (not (not x)) => x;
    (not (neg x)) => (add x 255);
    (not (ite p 1 2)) => (ite p 254 253);
}

rules! { shifts:
    (shl x 0) => x;
    (shl x 3) => (concat (extract x 0 5) (k 3 0));
    (shl x 8) => 0;
    (shl x 200) => 0;
    (lshr x 3) => (zext (extract x 3 5) 8);
    (lshr x 9) => 0;
    (ashr x 3) => (sext (extract x 3 5) 8);
    (ashr x 100) => (sext (extract x 7 1) 8);
    (ashr (zext x 32) (k 32 4)) => (zext (extract x 4 4) 32);
    (lshr (shl x 4) 4) => (zext (extract x 0 4) 8);
}

rules! { booleans:
    (add p q) => (not (eq p q));
    (sub p q) => (not (eq p q));
    (xor p q) => (not (eq p q));
    (mul p q) => (and p q);
    (udiv p q) => (or p (not q));
    (sdiv p q) => (or p (not q));
    (urem p q) => (and p (not q));
    (srem p q) => (and p (not q));
    (shl p q) => (and p (not q));
    (lshr p q) => (and p (not q));
    (ashr p q) => p;
    (neg p) => p;
    (eq p t) => p;
    (eq p f) => (not p);
    (eq (not p) q) => (not (eq p q));
    (eq (not p) p) => f;
    (ult p q) => (and (not p) q);
    (slt p q) => (and p (not q));
    (ule p q) => (not (and p (not q)));
    (ite p t q) => (or p q);
    (ite p q f) => (and p q);
    (ite p f q) => (and (not p) q);
    (ite p q t) => (or (not p) q);
    (ite p p q) => (or p q);
    (ite p q p) => (and p q);
}

rules! { equalities:
    (eq x x) => t;
    (ne x y) => (not (eq x y));
    (eq 3 x) => (eq x 3);
    (eq (add x 1) 5) => (eq x 4);
    (eq (sub 9 x) 5) => (eq x 4);
    (eq (neg x) 5) => (eq x 251);
    (eq (not x) 5) => (eq x 250);
    (eq (xor x 6) 5) => (eq x 3);
    (eq (mul x 3) 12) => (eq x 4);
    (eq (mul x 3) 1) => (eq x 171);
    (eq (sub x y) 0) => (eq x y);
    (eq (xor x y) 0) => (eq x y);
    (eq (zext x 32) (k 32 7)) => (eq x 7);
    (eq (zext x 32) (k 32 256)) => f;
    (eq (sext x 32) (k 32 0xffffffff)) => (eq x 255);
    (eq (sext x 32) (k 32 255)) => f;
    (eq (concat x y) (k 16 0x1234)) => (and (eq x 0x12) (eq y 0x34));
    (eq (zext x 16) (zext y 16)) => (eq x y);
    (eq (sext x 16) (sext y 16)) => (eq x y);
    (eq (zext (extract x 0 4) 16) (zext y 16)) => (eq (zext (extract x 0 4) 8) y);
    (eq (concat x y) (concat y x)) => (eq x y);
    (eq (add x y) (add x 3)) => (eq y 3);
    (eq (add x y) x) => (eq y 0);
    (eq (sub x y) x) => (eq y 0);
    (eq (not x) (not y)) => (eq x y);
    (eq (neg x) (neg y)) => (eq x y);
    (eq x (not x)) => f;
    (eq (ite p 1 2) 1) => p;
    (eq (ite p 1 2) 2) => (not p);
    (eq (ite p 1 2) 3) => f;
    (eq (ite p 1 x) 1) => (or p (eq x 1));
    (eq (ite p 1 x) 2) => (and (not p) (eq x 2));
    (eq (zext p 32) (k 32 1)) => p;
    (eq (and x 1) 0) => (not (extract x 0 1));
}

rules! { orders:
    (ult x x) => f;
    (ult x 0) => f;
    (ult x 1) => (eq x 0);
    (ult x 255) => (not (eq x 255));
    (ult 3 x) => (not (ult x 4));
    (ult 255 x) => f;
    (ugt x y) => (ult y x);
    (ule x y) => (not (ult y x));
    (uge x y) => (not (ult x y));
    (ule x 3) => (ult x 4);
    (uge x 3) => (not (ult x 3));
    (ult (zext x 32) (k 32 10)) => (ult x 10);
    (ult (zext x 32) (k 32 256)) => t;
    (ult (zext x 32) (zext y 32)) => (ult x y);
    (ult (sext x 32) (sext y 32)) => (ult x y);
    (ult (not x) 5) => (not (ult x 251));
    (ult (not x) (not y)) => (ult y x);
    (ult (concat x y) (k 16 0x1200)) => (ult x 0x12);
    (ult (ite p 1 2) 2) => p;
    (ult (ite p 1 x) 2) => (or p (ult x 2));
    (slt x 128) => f;
    (slt x 129) => (eq x 128);
    (slt x 127) => (not (eq x 127));
    (slt 127 x) => f;
    (slt 3 x) => (not (slt x 4));
    (sle x 3) => (slt x 4);
    (sgt x y) => (slt y x);
    (sge x y) => (not (slt x y));
    (sle x y) => (not (slt y x));
    (slt (zext x 32) (k 32 10)) => (ult x 10);
    (slt (zext x 32) (k 32 0xffffffff)) => f;
    (slt (zext x 32) (zext y 32)) => (ult x y);
    (slt (sext x 32) (k 32 10)) => (slt x 10);
    (slt (sext x 32) (k 32 0xfffffff6)) => (slt x 246);
    (slt (sext x 32) (k 32 300)) => t;
    (slt (sext x 32) (k 32 0xffffff00)) => f;
    (slt (sext x 32) (sext y 32)) => (slt x y);
    (slt (not x) (not y)) => (slt y x);
    (slt (not x) 5) => (not (slt x 251));
    (slt (concat x y) (k 16 0)) => (slt x 0);
    (slt (ite p 1 2) 2) => p;
}

rules! { choices:
    (ite t x y) => x;
    (ite f x y) => y;
    (ite p x x) => x;
    (ite (not p) x y) => (ite p y x);
    (ite p (ite p x y) 3) => (ite p x 3);
    (ite p 3 (ite p x y)) => (ite p 3 y);
    (ite p 1 0) => (zext p 8);
    (ite p 0 1) => (zext (not p) 8);
    (ite p 255 0) => (sext p 8);
    (ite p 0 255) => (sext (not p) 8);
    (select [1 2 3] (k 32 2)) => 3;
    (select [1 2 3] (k 32 3)) => 0;
    (select [1 2 3] (zext x 32)) => (select [1 2 3] x);
    (select [1 2 3] (ite p 0 1)) => (ite p 1 2);
    (select [1 2 3] (ite p 0 9)) => (ite p 1 0);
    (select [x x] p) => x;
    (select [x x x x 3] (extract y 0 2)) => x;
    (select [x y 3] p) => (ite p y x);
    (select [x] p) => (ite p 0 x);
    (select [x 2 3 4 5] (extract y 0 2)) => (select [x 2 3 4] (extract y 0 2));
}

rules! { slices:
    (extract (add x 21) 0 4) => (add (extract x 0 4) (k 4 5));
    (extract (extract x 2 5) 1 3) => (extract x 3 3);
    (extract (concat x y) 0 8) => y;
    (extract (concat x y) 8 8) => x;
    (extract (concat x y) 4 8) => (concat (extract x 0 4) (extract y 4 4));
    (extract (zext x 32) 0 8) => x;
    (extract (zext x 32) 8 8) => 0;
    (extract (zext x 32) 4 8) => (zext (extract x 4 4) 8);
    (extract (sext x 32) 0 8) => x;
    (extract (sext x 32) 4 8) => (sext (extract x 4 4) 8);
    (extract (sext x 32) 9 8) => (sext (extract x 7 1) 8);
    (extract (ite p 18 52) 4 4) => (ite p (k 4 1) (k 4 3));
    (concat (extract x 4 4) (extract x 0 4)) => x;
    (concat (extract x 4 4) (concat (extract x 0 4) y)) => (concat x y);
    (concat (concat x y) x) => (concat x (concat y x));
    (concat 0 x) => (zext x 16);
    (concat (zext p 8) x) => (zext (concat p x) 16);
    (concat 3 (zext p 8)) => (ite p (k 16 0x301) (k 16 0x300));
    (concat 3 (zext (extract x 0 4) 8)) => (concat (k 12 0x30) (extract x 0 4));
    (concat (ite p 1 2) (ite p 3 4)) => (ite p (k 16 0x103) (k 16 0x204));
    (concat (ite p 1 2) 5) => (ite p (k 16 0x105) (k 16 0x205));
    (concat (extract x 7 1) x) => (sext x 9);
    (concat (sext (extract x 7 1) 8) x) => (sext x 16);
    (zext (zext x 16) 32) => (zext x 32);
    (zext (ite p 5 0) 32) => (ite p (k 32 5) (k 32 0));
    (sext (sext x 16) 32) => (sext x 32);
    (sext (zext x 16) 32) => (zext x 32);
    (sext (ite p 250 1) 16) => (ite p (k 16 0xfffa) (k 16 1));
    (sext (ite p 1 0) 16) => (zext p 16);
}

rules! { known_bits:
    (ult (urem x 10) 16) => t;
    (ult (or x 16) 16) => f;
    (eq (or x 1) 4) => f;
    (and (add (shl x 2) 4) 3) => 0;
    (extract (mul (zext x 32) (zext y 32)) 16 16) => (k 16 0);
    (sgt (zext (extract x 0 4) 8) 15) => f;
}

rules! { wide:
    (add (k 128 0xffffffffffffffffffffffffffffffff) (k 128 1)) => (k 128 0);
    (eq (concat (zext x 64) (zext y 64)) (k 128 0x10000000000000002)) => (and (eq x 1) (eq y 2));
    (extract (concat (zext x 64) (zext y 64)) 64 64) => (zext x 64);
    (slt (sext x 128) (k 128 0x80000000000000000000000000000000)) => f;
}
