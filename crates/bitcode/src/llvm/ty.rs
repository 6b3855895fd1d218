//! Types.

use std::marker::PhantomData;

pub use llvm_sys::LLVMTypeKind as TypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{Borrow, take_message, text};

/// Types are unique: equal types have equal handles.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'m>(LLVMTypeRef, Borrow<'m>);

impl<'m> Type<'m> {
    pub(super) fn from_raw(raw: LLVMTypeRef) -> Type<'m> {
        debug_assert!(!raw.is_null());
        Type(raw, PhantomData)
    }

    pub(super) fn from_nullable(raw: LLVMTypeRef) -> Option<Type<'m>> {
        (!raw.is_null()).then(|| Type::from_raw(raw))
    }

    pub(super) fn raw(self) -> LLVMTypeRef {
        self.0
    }

    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Only for integer types.
    pub fn int_width(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Only for arrays and vectors.
    pub fn element(self) -> Type<'m> {
        Type::from_raw(unsafe { LLVMGetElementType(self.0) })
    }

    /// Only for arrays.
    pub fn array_length(self) -> u64 {
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    /// Only for vectors of fixed length.
    pub fn vector_length(self) -> u32 {
        unsafe { LLVMGetVectorSize(self.0) }
    }

    /// Only for structs.
    pub fn field_count(self) -> u32 {
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    /// Only for structs.
    pub fn field(self, index: u32) -> Type<'m> {
        Type::from_raw(unsafe { LLVMStructGetTypeAtIndex(self.0, index) })
    }

    /// Only for structs: a struct without a body.
    pub fn is_opaque(self) -> bool {
        unsafe { LLVMIsOpaqueStruct(self.0) != 0 }
    }

    /// The name of a struct, as in `struct.node`.
    pub fn struct_name(self) -> Option<String> {
        if self.kind() != TypeKind::LLVMStructTypeKind {
            return None;
        }
        let name = unsafe { LLVMGetStructName(self.0) };
        if name.is_null() {
            return None;
        }
        let size = unsafe { std::ffi::CStr::from_ptr(name) }.to_bytes().len();
        Some(text(name, size))
    }

    /// Only for function types.
    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// Only for function types.
    pub fn return_type(self) -> Type<'m> {
        Type::from_raw(unsafe { LLVMGetReturnType(self.0) })
    }

    /// Only for function types.
    pub fn param_types(self) -> Vec<Type<'m>> {
        let mut params =
            vec![std::ptr::null_mut(); unsafe { LLVMCountParamTypes(self.0) } as usize];
        unsafe { LLVMGetParamTypes(self.0, params.as_mut_ptr()) };
        params.into_iter().map(Type::from_raw).collect()
    }

    /// As LLVM assembly writes it.
    pub fn print(self) -> String {
        take_message(unsafe { LLVMPrintTypeToString(self.0) }).unwrap_or_default()
    }
}
