//! Debug information metadata.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

use super::{Borrow, Module, Value, ffi, text};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Metadata<'m>(LLVMMetadataRef, Borrow<'m>);

/// A node of a type description. `tag` and `encoding` are DWARF's numbers.
pub struct DebugType<'m> {
    pub tag: u32,
    pub encoding: u32,
    pub name: String,
    pub size_bits: u64,
    pub offset_bits: u64,
    pub base: Option<Metadata<'m>>,
    pub elements: Vec<Metadata<'m>>,
    pub is_static: bool,
    pub is_declaration: bool,
}

pub struct DebugVariable<'m> {
    pub name: String,
    pub ty: Option<Metadata<'m>>,
    pub file: Option<Metadata<'m>>,
    pub line: u32,
}

pub struct Enumerator {
    pub name: String,
    pub value: i128,
}

/// `value` holds `variable` from here on, or, if `declares`, is its address.
pub struct DebugRecord<'m> {
    pub value: Value<'m>,
    pub variable: Metadata<'m>,
    pub declares: bool,
}

impl<'m> Metadata<'m> {
    pub(super) fn from_nullable(raw: LLVMMetadataRef) -> Option<Metadata<'m>> {
        (!raw.is_null()).then_some(Metadata(raw, PhantomData))
    }

    /// Only for locations: line, column and file.
    pub fn location(self) -> (u32, u32, Option<Metadata<'m>>) {
        unsafe {
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(self.0));
            (
                LLVMDILocationGetLine(self.0),
                LLVMDILocationGetColumn(self.0),
                Metadata::from_nullable(file),
            )
        }
    }

    /// Only for files.
    pub fn file_name(self) -> String {
        let mut size = 0;
        let data = unsafe { LLVMDIFileGetFilename(self.0, &mut size) };
        text(data, size as usize)
    }

    /// Only for subprograms: name, line and file.
    pub fn subprogram(self) -> (String, u32, Option<Metadata<'m>>) {
        unsafe {
            let name = ffi::sleave_debug_subprogram_name(self.0);
            (
                text(name.data, name.size),
                LLVMDISubprogramGetLine(self.0),
                Metadata::from_nullable(LLVMDIScopeGetFile(self.0)),
            )
        }
    }

    pub fn as_type(self) -> Option<DebugType<'m>> {
        let mut raw = MaybeUninit::<ffi::RawType>::uninit();
        let raw = unsafe {
            if !ffi::sleave_debug_type(self.0, raw.as_mut_ptr()) {
                return None;
            }
            raw.assume_init()
        };
        let elements = (0..raw.elements)
            .filter_map(|i| {
                Metadata::from_nullable(unsafe { ffi::sleave_debug_element(self.0, i) })
            })
            .collect();
        Some(DebugType {
            tag: raw.tag,
            encoding: raw.encoding,
            name: text(raw.name.data, raw.name.size),
            size_bits: raw.size_bits,
            offset_bits: raw.offset_bits,
            base: Metadata::from_nullable(raw.base),
            elements,
            is_static: raw.is_static,
            is_declaration: raw.is_declaration,
        })
    }

    pub fn as_enumerator(self) -> Option<Enumerator> {
        let mut name = ffi::Text {
            data: std::ptr::null(),
            size: 0,
        };
        let (mut words, mut is_unsigned) = ([0u64; 2], false);
        let found = unsafe {
            ffi::sleave_debug_enumerator(self.0, &mut name, words.as_mut_ptr(), &mut is_unsigned)
        };
        found.then(|| Enumerator {
            name: text(name.data, name.size),
            value: (u128::from(words[0]) | u128::from(words[1]) << 64) as i128,
        })
    }

    /// The number of elements in one dimension of an array, 0 if that is not constant.
    pub fn as_array_dimension(self) -> Option<u64> {
        u64::try_from(unsafe { ffi::sleave_debug_subrange(self.0) }).ok()
    }

    pub fn as_variable(self) -> Option<DebugVariable<'m>> {
        let mut raw = MaybeUninit::<ffi::RawVariable>::uninit();
        let raw = unsafe {
            if !ffi::sleave_debug_variable(self.0, raw.as_mut_ptr()) {
                return None;
            }
            raw.assume_init()
        };
        Some(DebugVariable {
            name: text(raw.name.data, raw.name.size),
            ty: Metadata::from_nullable(raw.ty),
            file: Metadata::from_nullable(raw.file),
            line: raw.line,
        })
    }
}

impl<'m> Value<'m> {
    /// The source variable behind a global variable.
    pub fn debug_of_global(self) -> Option<Metadata<'m>> {
        Metadata::from_nullable(unsafe { ffi::sleave_debug_of_global(self.raw()) })
    }

    /// The records that stand in front of this instruction.
    pub fn debug_records(self) -> Vec<DebugRecord<'m>> {
        extern "C" fn found(
            out: *mut c_void,
            value: LLVMValueRef,
            variable: LLVMMetadataRef,
            declares: bool,
        ) {
            if value.is_null() || variable.is_null() {
                return;
            }
            // `out` is the vector below, which nothing else touches meanwhile.
            let out = unsafe { &mut *out.cast::<Vec<(LLVMValueRef, LLVMMetadataRef, bool)>>() };
            out.push((value, variable, declares));
        }
        let mut out: Vec<(LLVMValueRef, LLVMMetadataRef, bool)> = Vec::new();
        unsafe { ffi::sleave_debug_records(self.raw(), (&raw mut out).cast(), found) };
        out.into_iter()
            .map(|(value, variable, declares)| DebugRecord {
                value: Value::from_raw(value),
                variable: Metadata(variable, PhantomData),
                declares,
            })
            .collect()
    }
}

impl Module<'_> {
    /// Every struct, class and union that has a name, by its qualified name.
    pub fn debug_record_types(&self) -> Vec<(String, Metadata<'_>)> {
        extern "C" fn found(out: *mut c_void, name: ffi::Text, ty: LLVMMetadataRef) {
            // `out` is the vector below, which nothing else touches meanwhile.
            let out = unsafe { &mut *out.cast::<Vec<(String, LLVMMetadataRef)>>() };
            out.push((text(name.data, name.size), ty));
        }
        let mut out: Vec<(String, LLVMMetadataRef)> = Vec::new();
        unsafe { ffi::sleave_debug_record_types(self.raw, (&raw mut out).cast(), found) };
        out.into_iter()
            .map(|(name, ty)| (name, Metadata(ty, PhantomData)))
            .collect()
    }
}
