//! The part of Z3's C interface that is used, declared by hand.
//!
//! Only functions and the three values of `Z3_lbool` appear, no other enumeration, so the
//! declarations hold for every Z3 since 4.8: the published bindings number enumerations by a newer
//! version than distributions carry.

use std::ffi::{c_char, c_int, c_uint};

macro_rules! opaque {
    ($($name:ident),*) => {
        $(
            #[repr(C)]
            pub struct $name {
                _private: [u8; 0],
            }
        )*
    };
}

opaque!(
    Config,
    Context,
    Ast,
    Sort,
    Symbol,
    Params,
    SolverObject,
    ModelObject
);

pub const L_FALSE: c_int = -1;
pub const L_TRUE: c_int = 1;

/// `Z3_OK` of `Z3_error_code`.
pub const OK: c_int = 0;

type C = *mut Context;
type A = *mut Ast;

unsafe extern "C" {
    pub fn Z3_mk_config() -> *mut Config;
    pub fn Z3_del_config(config: *mut Config);
    pub fn Z3_mk_context_rc(config: *mut Config) -> C;
    pub fn Z3_del_context(c: C);
    pub fn Z3_set_error_handler(c: C, handler: Option<extern "C" fn(C, c_int)>);
    pub fn Z3_get_error_code(c: C) -> c_int;
    pub fn Z3_get_error_msg(c: C, code: c_int) -> *const c_char;
    pub fn Z3_inc_ref(c: C, a: A);
    pub fn Z3_dec_ref(c: C, a: A);

    pub fn Z3_mk_string_symbol(c: C, name: *const c_char) -> *mut Symbol;
    pub fn Z3_mk_int_symbol(c: C, i: c_int) -> *mut Symbol;
    pub fn Z3_mk_params(c: C) -> *mut Params;
    pub fn Z3_params_inc_ref(c: C, p: *mut Params);
    pub fn Z3_params_dec_ref(c: C, p: *mut Params);
    pub fn Z3_params_set_uint(c: C, p: *mut Params, key: *mut Symbol, value: c_uint);

    pub fn Z3_mk_bool_sort(c: C) -> *mut Sort;
    pub fn Z3_mk_bv_sort(c: C, width: c_uint) -> *mut Sort;
    pub fn Z3_mk_const(c: C, name: *mut Symbol, sort: *mut Sort) -> A;
    pub fn Z3_mk_numeral(c: C, decimal: *const c_char, sort: *mut Sort) -> A;
    pub fn Z3_mk_unsigned_int64(c: C, value: u64, sort: *mut Sort) -> A;
    pub fn Z3_mk_true(c: C) -> A;
    pub fn Z3_mk_false(c: C) -> A;
    pub fn Z3_mk_not(c: C, a: A) -> A;
    pub fn Z3_mk_and(c: C, count: c_uint, args: *const A) -> A;
    pub fn Z3_mk_or(c: C, count: c_uint, args: *const A) -> A;
    pub fn Z3_mk_xor(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_eq(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_ite(c: C, condition: A, a: A, b: A) -> A;

    pub fn Z3_mk_bvnot(c: C, a: A) -> A;
    pub fn Z3_mk_bvneg(c: C, a: A) -> A;
    pub fn Z3_mk_bvadd(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvsub(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvmul(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvudiv(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvsdiv(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvurem(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvsrem(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvshl(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvlshr(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvashr(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvand(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvor(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvxor(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvult(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvule(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvslt(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_bvsle(c: C, a: A, b: A) -> A;
    pub fn Z3_mk_concat(c: C, hi: A, lo: A) -> A;
    pub fn Z3_mk_extract(c: C, high: c_uint, low: c_uint, a: A) -> A;
    pub fn Z3_mk_zero_ext(c: C, more: c_uint, a: A) -> A;
    pub fn Z3_mk_sign_ext(c: C, more: c_uint, a: A) -> A;

    pub fn Z3_mk_simple_solver(c: C) -> *mut SolverObject;
    pub fn Z3_solver_inc_ref(c: C, s: *mut SolverObject);
    pub fn Z3_solver_dec_ref(c: C, s: *mut SolverObject);
    pub fn Z3_solver_set_params(c: C, s: *mut SolverObject, p: *mut Params);
    pub fn Z3_solver_push(c: C, s: *mut SolverObject);
    pub fn Z3_solver_pop(c: C, s: *mut SolverObject, scopes: c_uint);
    pub fn Z3_solver_assert(c: C, s: *mut SolverObject, a: A);
    pub fn Z3_solver_check(c: C, s: *mut SolverObject) -> c_int;
    pub fn Z3_solver_get_reason_unknown(c: C, s: *mut SolverObject) -> *const c_char;
    pub fn Z3_solver_get_model(c: C, s: *mut SolverObject) -> *mut ModelObject;
    pub fn Z3_model_inc_ref(c: C, m: *mut ModelObject);
    pub fn Z3_model_dec_ref(c: C, m: *mut ModelObject);
    pub fn Z3_model_eval(c: C, m: *mut ModelObject, a: A, complete: bool, value: *mut A) -> bool;
    pub fn Z3_get_bool_value(c: C, a: A) -> c_int;
    pub fn Z3_get_numeral_uint64(c: C, a: A, value: *mut u64) -> bool;
    pub fn Z3_get_numeral_string(c: C, a: A) -> *const c_char;
}
