//! Declarations of `shim.cpp`.

use std::ffi::{c_char, c_void};

use llvm_sys::prelude::*;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub data: *const c_char,
    pub size: usize,
}

#[repr(C)]
pub struct RawType {
    pub tag: u32,
    pub encoding: u32,
    pub name: Text,
    pub size_bits: u64,
    pub offset_bits: u64,
    pub base: LLVMMetadataRef,
    pub elements: u32,
    pub is_static: bool,
    pub is_declaration: bool,
}

#[repr(C)]
pub struct RawVariable {
    pub name: Text,
    pub ty: LLVMMetadataRef,
    pub file: LLVMMetadataRef,
    pub line: u32,
}

pub type FoundRecord = extern "C" fn(*mut c_void, LLVMValueRef, LLVMMetadataRef, bool);
pub type FoundType = extern "C" fn(*mut c_void, Text, LLVMMetadataRef);

unsafe extern "C" {
    pub fn sleave_parse(
        context: LLVMContextRef,
        data: *const c_char,
        size: usize,
        name: *const c_char,
        abandoned: *mut bool,
        out: *mut LLVMModuleRef,
    ) -> *mut c_char;
    pub fn sleave_link(
        destination: LLVMModuleRef,
        source: LLVMModuleRef,
        abandoned: *mut bool,
    ) -> *mut c_char;
    pub fn sleave_verify(module: LLVMModuleRef, abandoned: *mut bool) -> *mut c_char;
    pub fn sleave_clean_up(module: LLVMModuleRef, abandoned: *mut bool) -> *mut c_char;

    pub fn sleave_value_kind(value: LLVMValueRef) -> u32;
    pub fn sleave_equivalent(value: LLVMValueRef) -> LLVMValueRef;
    pub fn sleave_constant_element(value: LLVMValueRef, index: u32) -> LLVMValueRef;
    pub fn sleave_integer_bits(value: LLVMValueRef, out: *mut u64);
    pub fn sleave_float_bits(value: LLVMValueRef, out: *mut u64);
    pub fn sleave_pointer_bits(module: LLVMModuleRef) -> u32;
    pub fn sleave_is_little_endian(module: LLVMModuleRef) -> bool;
    pub fn sleave_alloc_size(module: LLVMModuleRef, ty: LLVMTypeRef) -> u64;
    pub fn sleave_bit_size(module: LLVMModuleRef, ty: LLVMTypeRef) -> u64;
    pub fn sleave_field_offset(module: LLVMModuleRef, ty: LLVMTypeRef, index: u32) -> u64;
    pub fn sleave_global_align(module: LLVMModuleRef, global: LLVMValueRef) -> u64;
    pub fn sleave_byval_type(function: LLVMValueRef, parameter: u32) -> LLVMTypeRef;
    pub fn sleave_argument_byval_type(call: LLVMValueRef, argument: u32) -> LLVMTypeRef;
    pub fn sleave_argument_alignment(call: LLVMValueRef, argument: u32) -> u32;
    pub fn sleave_element_type(call: LLVMValueRef, argument: u32) -> LLVMTypeRef;
    pub fn sleave_demangle(name: *const c_char, size: usize) -> *mut c_char;

    pub fn sleave_debug_type(ty: LLVMMetadataRef, out: *mut RawType) -> bool;
    pub fn sleave_debug_element(ty: LLVMMetadataRef, index: u32) -> LLVMMetadataRef;
    pub fn sleave_debug_enumerator(
        enumerator: LLVMMetadataRef,
        name: *mut Text,
        bits: *mut u64,
        is_unsigned: *mut bool,
    ) -> bool;
    pub fn sleave_debug_subrange(subrange: LLVMMetadataRef) -> i64;
    pub fn sleave_debug_variable(variable: LLVMMetadataRef, out: *mut RawVariable) -> bool;
    pub fn sleave_debug_of_global(global: LLVMValueRef) -> LLVMMetadataRef;
    pub fn sleave_debug_subprogram_name(subprogram: LLVMMetadataRef) -> Text;
    pub fn sleave_debug_records(inst: LLVMValueRef, data: *mut c_void, found: FoundRecord);
    pub fn sleave_debug_record_types(module: LLVMModuleRef, data: *mut c_void, found: FoundType);
}
