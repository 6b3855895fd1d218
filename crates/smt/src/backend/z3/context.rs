//! Z3's context, solver and expressions with Rust's ownership: everything made here dies with
//! `Context`.
//!
//! Expressions are kept for the life of the context, as terms are. A context may move between
//! threads but is used by one at a time, which `&mut self` ensures; the handles never leave this
//! module's users.

use std::ffi::{CStr, CString, c_int, c_uint};
use std::time::Duration;

use super::ffi::{self, *};
use crate::node::{BinOp, CmpOp};

/// An expression of one context, alive as long as it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Expr(*mut Ast);

// SAFETY: an expression does nothing without its context, which is used by one thread at a time.
unsafe impl Send for Expr {}

pub struct Context {
    raw: *mut ffi::Context,
    solver: *mut SolverObject,
    /// Expressions to release at the end.
    owned: Vec<*mut Ast>,
}

// SAFETY: Z3 has no thread-local state per context; a context may be used from any thread, one at a
// time.
unsafe impl Send for Context {}

pub enum Outcome {
    Sat,
    Unsat,
    Unknown(String),
}

/// A model of the last satisfiable check.
pub struct Z3Model<'a> {
    context: &'a Context,
    raw: *mut ModelObject,
}

impl Context {
    pub fn new(timeout: Duration) -> Self {
        // SAFETY: the calls below follow the order of Z3's documentation; every object is
        // referenced before the next call.
        unsafe {
            let config = Z3_mk_config();
            let raw = Z3_mk_context_rc(config);
            Z3_del_config(config);
            // Without a handler an error is a code to be asked for, instead of an exit of the
            // process.
            Z3_set_error_handler(raw, None);
            let solver = Z3_mk_simple_solver(raw);
            Z3_solver_inc_ref(raw, solver);
            let mut context = Context {
                raw,
                solver,
                owned: Vec::new(),
            };
            context.set_timeout(timeout);
            context
        }
    }

    fn set_timeout(&mut self, timeout: Duration) {
        let milliseconds = c_uint::try_from(timeout.as_millis())
            .unwrap_or(c_uint::MAX)
            .max(1);
        // SAFETY: the parameter set is referenced while it is used.
        unsafe {
            let params = Z3_mk_params(self.raw);
            Z3_params_inc_ref(self.raw, params);
            let key = Z3_mk_string_symbol(self.raw, c"timeout".as_ptr());
            Z3_params_set_uint(self.raw, params, key, milliseconds);
            Z3_solver_set_params(self.raw, self.solver, params);
            Z3_params_dec_ref(self.raw, params);
        }
        self.require_no_error("setting the time limit");
    }

    pub fn push(&mut self) {
        // SAFETY: context and solver are alive.
        unsafe { Z3_solver_push(self.raw, self.solver) }
    }

    pub fn pop(&mut self, scopes: usize) {
        // SAFETY: as above; the caller pops no more than it pushed.
        unsafe { Z3_solver_pop(self.raw, self.solver, scopes as c_uint) }
    }

    pub fn assert(&mut self, a: Expr) {
        // SAFETY: `a` belongs to this context.
        unsafe { Z3_solver_assert(self.raw, self.solver, a.0) }
    }

    pub fn check(&mut self) -> Outcome {
        self.require_no_error("building the query");
        // SAFETY: context and solver are alive; the string is copied before the next call.
        unsafe {
            match Z3_solver_check(self.raw, self.solver) {
                L_TRUE => Outcome::Sat,
                L_FALSE => Outcome::Unsat,
                _ => {
                    let reason = Z3_solver_get_reason_unknown(self.raw, self.solver);
                    Outcome::Unknown(CStr::from_ptr(reason).to_string_lossy().into_owned())
                }
            }
        }
    }

    pub fn model(&self) -> Z3Model<'_> {
        // SAFETY: the last check was satisfiable, so there is a model; it is referenced at once.
        unsafe {
            let raw = Z3_solver_get_model(self.raw, self.solver);
            self.require_no_error("getting a model");
            Z3_model_inc_ref(self.raw, raw);
            Z3Model { context: self, raw }
        }
    }

    /// An unconstrained variable; `index` tells it from the others.
    pub fn variable(&mut self, index: u32, width: u32, is_bool: bool) -> Expr {
        let index = c_int::try_from(index).expect("more than 2^31 inputs");
        // SAFETY: the sort is used at once, before anything could collect it.
        unsafe {
            let sort = if is_bool {
                Z3_mk_bool_sort(self.raw)
            } else {
                Z3_mk_bv_sort(self.raw, width)
            };
            let name = Z3_mk_int_symbol(self.raw, index);
            self.own(Z3_mk_const(self.raw, name, sort))
        }
    }

    pub fn bool_constant(&mut self, value: bool) -> Expr {
        // SAFETY: the context is alive.
        self.own(unsafe {
            if value {
                Z3_mk_true(self.raw)
            } else {
                Z3_mk_false(self.raw)
            }
        })
    }

    pub fn constant(&mut self, width: u32, value: u128) -> Expr {
        // SAFETY: as for `variable`; the string outlives the call.
        let raw = unsafe {
            let sort = Z3_mk_bv_sort(self.raw, width);
            match u64::try_from(value) {
                Ok(small) => Z3_mk_unsigned_int64(self.raw, small, sort),
                Err(_) => {
                    let decimal = CString::new(value.to_string()).expect("digits");
                    Z3_mk_numeral(self.raw, decimal.as_ptr(), sort)
                }
            }
        };
        self.own(raw)
    }

    pub fn bin(&mut self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let make = match op {
            BinOp::Add => Z3_mk_bvadd,
            BinOp::Sub => Z3_mk_bvsub,
            BinOp::Mul => Z3_mk_bvmul,
            BinOp::UDiv => Z3_mk_bvudiv,
            BinOp::SDiv => Z3_mk_bvsdiv,
            BinOp::URem => Z3_mk_bvurem,
            BinOp::SRem => Z3_mk_bvsrem,
            BinOp::Shl => Z3_mk_bvshl,
            BinOp::LShr => Z3_mk_bvlshr,
            BinOp::AShr => Z3_mk_bvashr,
            BinOp::And => Z3_mk_bvand,
            BinOp::Or => Z3_mk_bvor,
            BinOp::Xor => Z3_mk_bvxor,
        };
        // SAFETY: both are bit-vectors of one width of this context.
        self.own(unsafe { make(self.raw, a.0, b.0) })
    }

    /// `op` on Booleans, where it is `And`, `Or` or `Xor`.
    pub fn logical(&mut self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let args = [a.0, b.0];
        // SAFETY: both are Booleans of this context; the array outlives the call.
        self.own(unsafe {
            match op {
                BinOp::And => Z3_mk_and(self.raw, 2, args.as_ptr()),
                BinOp::Or => Z3_mk_or(self.raw, 2, args.as_ptr()),
                BinOp::Xor => Z3_mk_xor(self.raw, a.0, b.0),
                _ => unreachable!("{op:?} is not a Boolean operation"),
            }
        })
    }

    /// A Boolean. `Eq` and `Ne` take operands of any one sort, the others bit-vectors.
    pub fn cmp(&mut self, op: CmpOp, a: Expr, b: Expr) -> Expr {
        let (make, a, b): (unsafe extern "C" fn(_, _, _) -> _, _, _) = match op {
            CmpOp::Eq => (Z3_mk_eq, a, b),
            CmpOp::Ne => {
                let equal = self.cmp(CmpOp::Eq, a, b);
                return self.not(equal, true);
            }
            CmpOp::Ult => (Z3_mk_bvult, a, b),
            CmpOp::Ule => (Z3_mk_bvule, a, b),
            CmpOp::Ugt => (Z3_mk_bvult, b, a),
            CmpOp::Uge => (Z3_mk_bvule, b, a),
            CmpOp::Slt => (Z3_mk_bvslt, a, b),
            CmpOp::Sle => (Z3_mk_bvsle, a, b),
            CmpOp::Sgt => (Z3_mk_bvslt, b, a),
            CmpOp::Sge => (Z3_mk_bvsle, b, a),
        };
        // SAFETY: both have one sort and belong to this context.
        self.own(unsafe { make(self.raw, a.0, b.0) })
    }

    pub fn not(&mut self, a: Expr, is_bool: bool) -> Expr {
        // SAFETY: `a` belongs to this context and has the sort that the caller names.
        self.own(unsafe {
            if is_bool {
                Z3_mk_not(self.raw, a.0)
            } else {
                Z3_mk_bvnot(self.raw, a.0)
            }
        })
    }

    pub fn neg(&mut self, a: Expr) -> Expr {
        // SAFETY: a bit-vector of this context.
        self.own(unsafe { Z3_mk_bvneg(self.raw, a.0) })
    }

    pub fn ite(&mut self, c: Expr, a: Expr, b: Expr) -> Expr {
        // SAFETY: a Boolean and two expressions of one sort of this context.
        self.own(unsafe { Z3_mk_ite(self.raw, c.0, a.0, b.0) })
    }

    pub fn extract(&mut self, a: Expr, lo: u32, width: u32) -> Expr {
        // SAFETY: the bits are within the bit-vector.
        self.own(unsafe { Z3_mk_extract(self.raw, lo + width - 1, lo, a.0) })
    }

    pub fn concat(&mut self, hi: Expr, lo: Expr) -> Expr {
        // SAFETY: bit-vectors of this context.
        self.own(unsafe { Z3_mk_concat(self.raw, hi.0, lo.0) })
    }

    pub fn extend(&mut self, a: Expr, more: u32, is_signed: bool) -> Expr {
        // SAFETY: a bit-vector of this context.
        self.own(unsafe {
            if is_signed {
                Z3_mk_sign_ext(self.raw, more, a.0)
            } else {
                Z3_mk_zero_ext(self.raw, more, a.0)
            }
        })
    }

    /// Panics on any error of the calls since the last check: they are all misuse of Z3 by this
    /// crate.
    fn require_no_error(&self, doing: &str) {
        // SAFETY: the context is alive; the message is copied at once.
        unsafe {
            let code = Z3_get_error_code(self.raw);
            if code != OK {
                let message = CStr::from_ptr(Z3_get_error_msg(self.raw, code))
                    .to_string_lossy()
                    .into_owned();
                panic!("Z3 failed while {doing}: {message}");
            }
        }
    }

    fn own(&mut self, raw: *mut Ast) -> Expr {
        if raw.is_null() {
            self.require_no_error("building an expression");
        }
        // SAFETY: a fresh expression of this context; released in `drop`.
        unsafe { Z3_inc_ref(self.raw, raw) };
        self.owned.push(raw);
        Expr(raw)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: each reference taken above is given back once, then the context goes.
        unsafe {
            for &expression in &self.owned {
                Z3_dec_ref(self.raw, expression);
            }
            Z3_solver_dec_ref(self.raw, self.solver);
            Z3_del_context(self.raw);
        }
    }
}

impl Z3Model<'_> {
    /// The value of a variable; `None` if the model leaves it open.
    pub fn value(&self, variable: Expr, is_bool: bool) -> Option<u128> {
        let c = self.context.raw;
        // SAFETY: model and variable belong to the context; the value is referenced while it is
        // read.
        unsafe {
            let mut value = std::ptr::null_mut();
            let is_defined = Z3_model_eval(c, self.raw, variable.0, false, &mut value);
            assert!(is_defined, "Z3 could not evaluate an input in its model");
            Z3_inc_ref(c, value);
            let number = if is_bool {
                match Z3_get_bool_value(c, value) {
                    L_TRUE => Some(1),
                    L_FALSE => Some(0),
                    _ => None,
                }
            } else if value == variable.0 {
                None
            } else {
                let mut small = 0;
                if Z3_get_numeral_uint64(c, value, &mut small) {
                    Some(small as u128)
                } else {
                    let decimal = CStr::from_ptr(Z3_get_numeral_string(c, value)).to_string_lossy();
                    Some(decimal.parse().expect("Z3 prints numerals in decimal"))
                }
            };
            Z3_dec_ref(c, value);
            number
        }
    }
}

impl Drop for Z3Model<'_> {
    fn drop(&mut self) {
        // SAFETY: gives back the reference taken by `Context::model`.
        unsafe { Z3_model_dec_ref(self.context.raw, self.raw) }
    }
}
