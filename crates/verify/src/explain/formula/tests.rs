use super::*;

/// Three numbers of eight bits.
struct Numbers {
    terms: Terms,
    a: TermId,
    b: TermId,
    c: TermId,
}

impl Numbers {
    fn new() -> Numbers {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.input(name, 8));
        Numbers { terms, a, b, c }
    }

    fn cmp(&mut self, op: CmpOp, a: TermId, b: TermId) -> Formula {
        let term = self.terms.cmp(op, a, b);
        Formula::of(&self.terms, term)
    }

    fn with(&mut self, op: CmpOp, a: TermId, number: i8) -> Formula {
        let number = self.terms.constant(8, number as u8 as u128);
        self.cmp(op, a, number)
    }
}

/// As text, for short.
fn text(f: &Numbers, formula: &Formula) -> String {
    let name = |t: &TermId| f.terms.display(*t).to_string();
    let list = |parts: &[Formula], sign: &str| {
        let parts: Vec<String> = parts.iter().map(|p| text(f, p)).collect();
        format!("({})", parts.join(sign))
    };
    match formula {
        Formula::Bound(t, set) => format!("{} in {:?}", name(t), set.signed_ranges()),
        Formula::Compare(op, a, b) => format!("{} {op:?} {}", name(a), name(b)),
        Formula::And(parts) => list(parts, " and "),
        Formula::Or(parts) => list(parts, " or "),
    }
}

#[test]
fn bounds_on_one_thing_become_one() {
    let mut f = Numbers::new();
    let a = f.a;
    let parts = vec![f.with(CmpOp::Eq, a, 1), f.with(CmpOp::Sle, a, 5)];
    assert_eq!(text(&f, &Formula::and(parts)), "a in [(1, 1)]");
    let parts = vec![f.with(CmpOp::Sge, a, 1), f.with(CmpOp::Slt, a, 5)];
    assert_eq!(text(&f, &Formula::and(parts)), "a in [(1, 4)]");
    let parts = vec![f.with(CmpOp::Eq, a, 1), f.with(CmpOp::Eq, a, 2)];
    assert_eq!(text(&f, &Formula::or(parts)), "a in [(1, 2)]");
    let parts = vec![f.with(CmpOp::Sle, a, 1), f.with(CmpOp::Sgt, a, 1)];
    assert_eq!(Formula::or(parts.clone()), TRUE);
    assert_eq!(Formula::and(parts), FALSE);
}

#[test]
fn comparisons_that_follow_from_others_are_left_out() {
    let mut f = Numbers::new();
    let (a, b) = (f.a, f.b);
    let less = f.cmp(CmpOp::Slt, a, b);
    let parts = vec![
        f.cmp(CmpOp::Sle, a, b),
        less.clone(),
        f.cmp(CmpOp::Ne, b, a),
    ];
    assert_eq!(Formula::and(parts), less);
    let parts = vec![f.cmp(CmpOp::Sle, a, b), f.cmp(CmpOp::Sle, b, a)];
    assert_eq!(text(&f, &Formula::and(parts)), "a Eq b");
    let parts = vec![less.clone(), f.cmp(CmpOp::Sge, a, b)];
    assert_eq!(Formula::and(parts), FALSE);
    let parts = vec![f.cmp(CmpOp::Sle, a, b), less];
    assert_eq!(text(&f, &Formula::or(parts)), "a Sle b");
}

#[test]
fn double_negations_go() {
    let mut f = Numbers::new();
    let less = f.terms.cmp(CmpOp::Slt, f.b, f.a);
    let not = f.terms.raw(Node::Not(less));
    assert_eq!(text(&f, &Formula::of(&f.terms, not)), "a Sle b");
    let again = f.terms.raw(Node::Not(not));
    assert_eq!(text(&f, &Formula::of(&f.terms, again)), "b Slt a");
}

#[test]
fn alternatives_that_differ_in_one_bound_become_one() {
    let mut f = Numbers::new();
    let (a, b) = (f.a, f.b);
    let mut side = |number| {
        let parts = vec![f.with(CmpOp::Eq, a, number), f.with(CmpOp::Sge, b, 0)];
        Formula::and(parts)
    };
    let (one, two) = (side(1), side(2));
    let joined = Formula::or(vec![one, two]);
    assert_eq!(text(&f, &joined), "(a in [(1, 2)] and b in [(0, 127)])");
}

#[test]
fn what_all_alternatives_require_is_said_once() {
    let mut f = Numbers::new();
    let (a, b, c) = (f.a, f.b, f.c);
    let common = f.with(CmpOp::Sge, c, 0);
    let one = Formula::and(vec![common.clone(), f.with(CmpOp::Eq, a, 1)]);
    let two = Formula::and(vec![common, f.with(CmpOp::Eq, b, 2)]);
    let joined = Formula::or(vec![one, two]);
    assert_eq!(
        text(&f, &joined),
        "(c in [(0, 127)] and (a in [(1, 1)] or b in [(2, 2)]))"
    );
}

#[test]
fn alternatives_that_the_rest_excludes_are_none() {
    let mut f = Numbers::new();
    let (a, b) = (f.a, f.b);
    let either = Formula::or(vec![f.with(CmpOp::Eq, a, 1), f.with(CmpOp::Eq, b, 2)]);
    let parts = vec![either, f.with(CmpOp::Sgt, a, 3)];
    assert_eq!(
        text(&f, &Formula::and(parts)),
        "(b in [(2, 2)] and a in [(4, 127)])"
    );
}

#[test]
fn what_the_other_alternative_excludes_is_not_said() {
    let mut f = Numbers::new();
    let (a, b) = (f.a, f.b);
    let both = Formula::and(vec![f.with(CmpOp::Ne, a, 0), f.with(CmpOp::Eq, b, 2)]);
    let either = Formula::or(vec![f.with(CmpOp::Eq, a, 0), both]);
    assert_eq!(text(&f, &either), "(a in [(0, 0)] or b in [(2, 2)])");
}

#[test]
fn bounds_go_through_extensions() {
    let mut f = Numbers::new();
    let wide = f.terms.sext(f.a, 32);
    let number = f.terms.constant(32, 5);
    let less = f.terms.raw(Node::Cmp(CmpOp::Slt, wide, number));
    assert_eq!(text(&f, &Formula::of(&f.terms, less)), "a in [(-128, 4)]");
    let wide = f.terms.zext(f.a, 32);
    let less = f.terms.raw(Node::Cmp(CmpOp::Ult, wide, number));
    assert_eq!(text(&f, &Formula::of(&f.terms, less)), "a in [(0, 4)]");
}

/// Formulas are compared with the terms they are made of, for all values of three numbers of two
/// bits.
#[test]
fn the_meaning_is_kept() {
    let mut terms = Terms::new();
    let inputs = ["a", "b", "c"].map(|name| terms.input(name, 2));
    let mut random = 1u32;
    let mut next = move |most: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % most
    };
    for _ in 0..3000 {
        let mut stack = Vec::new();
        for _ in 0..5 {
            let op = CmpOp::ALL[next(10) as usize];
            let a = inputs[next(3) as usize];
            let b = match next(2) {
                0 => inputs[next(3) as usize],
                _ => terms.constant(2, u128::from(next(4))),
            };
            stack.push(terms.raw(Node::Cmp(op, a, b)));
        }
        while let (Some(a), Some(b)) = (stack.pop(), stack.pop()) {
            let op = if next(2) == 0 { BinOp::And } else { BinOp::Or };
            let mut both = terms.raw(Node::Bin(op, a, b));
            if next(4) == 0 {
                both = terms.raw(Node::Not(both));
            }
            if stack.is_empty() {
                compare_meaning(&terms, both);
                break;
            }
            stack.insert(0, both);
        }
    }
}

fn compare_meaning(terms: &Terms, term: TermId) {
    let formula = Formula::of(terms, term);
    for values in 0..64u128 {
        let value = |t: TermId| match *terms.node(t) {
            Node::Constant { value, .. } => value,
            Node::Input(input) => values >> (2 * input.index()) & 3,
            _ => unreachable!("an input or a number"),
        };
        let expected = eval(terms, term, &value);
        let found = holds(&formula, &value);
        let shown = terms.display(term);
        assert_eq!(found, expected, "{shown} with {values:06b}: {formula:?}");
    }
}

fn eval(terms: &Terms, term: TermId, value: &dyn Fn(TermId) -> u128) -> bool {
    match *terms.node(term) {
        Node::Not(a) => !eval(terms, a, value),
        Node::Bin(BinOp::And, a, b) => eval(terms, a, value) && eval(terms, b, value),
        Node::Bin(_, a, b) => eval(terms, a, value) || eval(terms, b, value),
        Node::Cmp(op, a, b) => compared(op, value(a), value(b)),
        _ => unreachable!("made of comparisons"),
    }
}

fn compared(op: CmpOp, a: u128, b: u128) -> bool {
    let signed = |n: u128| n as i128 - if n >= 2 { 4 } else { 0 };
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => signed(a) < signed(b),
        CmpOp::Sle => signed(a) <= signed(b),
        CmpOp::Sgt => signed(a) > signed(b),
        CmpOp::Sge => signed(a) >= signed(b),
    }
}

fn holds(formula: &Formula, value: &dyn Fn(TermId) -> u128) -> bool {
    match formula {
        Formula::Bound(term, set) => {
            let point = Ranges::point(set.width(), value(*term));
            point.is_within(set)
        }
        Formula::Compare(op, a, b) => compared(*op, value(*a), value(*b)),
        Formula::And(parts) => parts.iter().all(|p| holds(p, value)),
        Formula::Or(parts) => parts.iter().any(|p| holds(p, value)),
    }
}
