//! Z3 as a backend: terms translated once, assertions kept on its stack as far as consecutive
//! questions share a prefix.
//!
//! Terms of width 1 become Booleans; where an operation needs one as a bit-vector it is converted
//! there.

mod context;
mod ffi;

use std::time::{Duration, Instant};

use self::context::{Context, Expr, Outcome};
use crate::lower::Lowering;
use crate::model::Model;
use crate::node::{BinOp, CmpOp, InputId, Node, TermId};
use crate::solver::{Answer, ServedTerms, Solver, SolverStats, UnknownReason, validate};
use crate::terms::Terms;

pub struct Z3 {
    context: Context,
    served: ServedTerms,
    lowering: Lowering,
    /// By term: a Boolean for width 1, a bit-vector otherwise.
    expressions: Vec<Option<Expr>>,
    /// What is asserted now, in order.
    asserted: Vec<TermId>,
    /// The length of `asserted` at each open scope.
    scopes: Vec<usize>,
    timeout: Duration,
    stats: SolverStats,
}

impl Z3 {
    pub fn new(timeout: Duration) -> Self {
        Z3 {
            context: Context::new(timeout),
            served: ServedTerms::default(),
            lowering: Lowering::default(),
            expressions: Vec::new(),
            asserted: Vec::new(),
            scopes: Vec::new(),
            timeout,
            stats: SolverStats::default(),
        }
    }

    /// Makes the stack hold exactly `assertions`, keeping the common prefix.
    ///
    /// The last assertion gets a scope of its own: it is the branch condition that the next
    /// question will often replace.
    fn align(&mut self, terms: &mut Terms, assertions: &[TermId]) {
        let common = self
            .asserted
            .iter()
            .zip(assertions)
            .take_while(|(a, b)| a == b)
            .count();
        // A scope that is only partly common goes as a whole.
        let ends = self
            .scopes
            .iter()
            .skip(1)
            .copied()
            .chain([self.asserted.len()]);
        let keep = ends
            .take(self.scopes.len())
            .take_while(|&end| end <= common)
            .count();
        if keep < self.scopes.len() {
            self.context.pop(self.scopes.len() - keep);
            self.asserted.truncate(self.scopes[keep]);
            self.scopes.truncate(keep);
        }
        let missing = &assertions[self.asserted.len()..];
        let Some((&last, before)) = missing.split_last() else {
            return;
        };
        for group in [before, &[last]] {
            if group.is_empty() {
                continue;
            }
            self.context.push();
            self.scopes.push(self.asserted.len());
            for &assertion in group {
                let expression = self.translate(terms, assertion);
                self.context.assert(expression);
                self.asserted.push(assertion);
            }
        }
    }

    fn translate(&mut self, terms: &mut Terms, root: TermId) -> Expr {
        let is_done = |term: TermId| {
            self.expressions
                .get(term.index())
                .is_some_and(Option::is_some)
        };
        if !is_done(root) {
            let order = self.lowering.order(terms, root, is_done);
            self.expressions.resize(terms.len(), None);
            for term in order {
                let expression = self.translate_node(terms, term);
                self.expressions[term.index()] = Some(expression);
            }
        }
        self.expression(root)
    }

    fn expression(&self, term: TermId) -> Expr {
        self.expressions[term.index()].expect("operands are translated first")
    }

    fn translate_node(&mut self, terms: &Terms, term: TermId) -> Expr {
        let width = terms.width(term);
        let is_bool = width == 1;
        match *terms.node(term) {
            Node::Constant { value, .. } if is_bool => self.context.bool_constant(value == 1),
            Node::Constant { value, .. } => self.context.constant(width, value),
            Node::Input(input) => self.context.variable(input.0, width, is_bool),
            Node::Bin(op @ (BinOp::And | BinOp::Or | BinOp::Xor), a, b) if is_bool => self
                .context
                .logical(op, self.expression(a), self.expression(b)),
            Node::Bin(op, a, b) => {
                let (a, b) = (self.as_bits(terms, a), self.as_bits(terms, b));
                let bits = self.context.bin(op, a, b);
                self.bits_as_term(bits, width)
            }
            Node::Cmp(op @ (CmpOp::Eq | CmpOp::Ne), a, b) => {
                self.context.cmp(op, self.expression(a), self.expression(b))
            }
            Node::Cmp(op, a, b) => {
                let (a, b) = (self.as_bits(terms, a), self.as_bits(terms, b));
                self.context.cmp(op, a, b)
            }
            Node::Not(a) => self.context.not(self.expression(a), is_bool),
            // At width 1, -x is x.
            Node::Neg(a) if is_bool => self.expression(a),
            Node::Neg(a) => self.context.neg(self.expression(a)),
            Node::Ite(c, a, b) => {
                self.context
                    .ite(self.expression(c), self.expression(a), self.expression(b))
            }
            Node::Extract {
                term: whole, lo, ..
            } => {
                let whole = self.as_bits(terms, whole);
                let bits = self.context.extract(whole, lo, width);
                self.bits_as_term(bits, width)
            }
            Node::Concat { hi, lo } => {
                let (hi, lo) = (self.as_bits(terms, hi), self.as_bits(terms, lo));
                self.context.concat(hi, lo)
            }
            Node::Zext { term: inner, .. } | Node::Sext { term: inner, .. } if is_bool => {
                self.expression(inner)
            }
            Node::Zext { term: inner, .. } => self.extend(terms, inner, width, false),
            Node::Sext { term: inner, .. } => self.extend(terms, inner, width, true),
            Node::Select { .. } => self.expression(self.lowering.lowered(term)),
        }
    }

    fn extend(&mut self, terms: &Terms, inner: TermId, width: u32, is_signed: bool) -> Expr {
        let more = width - terms.width(inner);
        if terms.width(inner) > 1 {
            return self.context.extend(self.expression(inner), more, is_signed);
        }
        let set = self.context.constant(
            width,
            if is_signed {
                crate::semantics::mask(width)
            } else {
                1
            },
        );
        let clear = self.context.constant(width, 0);
        self.context.ite(self.expression(inner), set, clear)
    }

    /// The term as a bit-vector, also at width 1.
    fn as_bits(&mut self, terms: &Terms, term: TermId) -> Expr {
        let expression = self.expression(term);
        if terms.width(term) > 1 {
            return expression;
        }
        let (one, zero) = (self.context.constant(1, 1), self.context.constant(1, 0));
        self.context.ite(expression, one, zero)
    }

    fn bits_as_term(&mut self, bits: Expr, width: u32) -> Expr {
        if width > 1 {
            return bits;
        }
        let one = self.context.constant(1, 1);
        self.context.cmp(CmpOp::Eq, bits, one)
    }

    fn read_model(&self, terms: &Terms, assertions: &[TermId]) -> Model {
        let mut inputs: Vec<InputId> = assertions
            .iter()
            .flat_map(|&a| terms.support(a))
            .copied()
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let model = self.context.model();
        let mut values = Model::new();
        for input in inputs {
            let term = terms.input_term(input);
            let Some(Some(variable)) = self.expressions.get(term.index()) else {
                continue; // Only in tables that lowering found unreachable.
            };
            if let Some(value) = model.value(*variable, terms.width(term) == 1) {
                values.set(input, value);
            }
        }
        values
    }
}

impl Solver for Z3 {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        self.served.require(terms);
        let start = Instant::now();
        self.align(terms, assertions);
        let outcome = self.context.check();
        let answer = match outcome {
            Outcome::Sat => Answer::Sat(self.read_model(terms, assertions)),
            Outcome::Unsat => Answer::Unsat,
            Outcome::Unknown(reason) => {
                let is_timeout = reason == "timeout" || start.elapsed() >= self.timeout;
                Answer::Unknown(if is_timeout {
                    UnknownReason::Timeout
                } else {
                    UnknownReason::Incomplete(reason)
                })
            }
        };
        self.stats.asked += 1;
        self.stats.queries += 1;
        self.stats.timeouts += (answer == Answer::Unknown(UnknownReason::Timeout)) as u64;
        self.stats.time += start.elapsed();
        if let Answer::Sat(model) = &answer {
            validate(terms, assertions, model, "Z3");
        }
        answer
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }
}
