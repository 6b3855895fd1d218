//! A thin layer over LLVM's C API and `shim.cpp`. Contexts and modules own their memory; everything
//! else is a `Copy` handle that borrows from them.
//!
//! Handles are only made from a live [`Module`] and carry its lifetime, so they never dangle. An
//! accessor that is meant for one kind of instruction says so. LLVM does not check that it is
//! called on that kind.

mod debug;
mod ffi;
mod ty;
mod value;

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;

use llvm_sys::LLVMDiagnosticSeverity::LLVMDSError;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

pub use debug::{DebugType, Metadata};
pub use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate,
};
pub use ty::{Type, TypeKind};
pub use value::{Block, Kind, Value};

/// Why LLVM could not do something, in its own words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LlvmError(String);

/// Owns everything else. LLVM contexts are not shared between threads.
pub struct Context {
    raw: LLVMContextRef,
    /// Errors reported through the diagnostic handler since the last operation. Boxed: LLVM keeps
    /// its address.
    errors: Box<RefCell<String>>,
    /// Whether LLVM was left in the midst of an operation. Its data may then point into a stack
    /// that is gone, so it is leaked: freeing it would follow such pointers.
    abandoned: Cell<bool>,
}

impl Context {
    pub fn new() -> Context {
        let errors = Box::new(RefCell::new(String::new()));
        // Without a handler, LLVM prints the error and ends the process.
        unsafe {
            let raw = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(
                raw,
                Some(record_error),
                ptr::from_ref::<RefCell<String>>(&errors).cast_mut().cast(),
            );
            Context {
                raw,
                errors,
                abandoned: Cell::new(false),
            }
        }
    }

    /// Reads bitcode or LLVM assembly, upgrades it to this LLVM's version and verifies it.
    pub fn parse(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, LlvmError> {
        let name = c_string(name);
        let mut raw = ptr::null_mut();
        let message = unsafe {
            ffi::sleave_parse(
                self.raw,
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
                self.abandoned.as_ptr(),
                &mut raw,
            )
        };
        self.outcome(message)?;
        Ok(Module { raw, context: self })
    }

    /// Turns the message that a guarded shim function returned into a result. If that message is
    /// empty, what the diagnostic handler recorded takes its place.
    fn outcome(&self, message: *mut c_char) -> Result<(), LlvmError> {
        let heard = self.errors.take();
        let Some(message) = take_message(message) else {
            return Ok(());
        };
        Err(LlvmError(if message.is_empty() { heard } else { message }))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.abandoned.get() {
            std::mem::forget(std::mem::take(&mut self.errors)); // The context knows its address.
        } else {
            unsafe { LLVMContextDispose(self.raw) }
        }
    }
}

extern "C" fn record_error(info: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // `errors` is the box of the context that reports; it lives as long as the context.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) != LLVMDSError {
            return;
        }
        let errors = &*errors.cast::<RefCell<String>>();
        let text = take_message(LLVMGetDiagInfoDescription(info)).unwrap_or_default();
        if let Ok(mut errors) = errors.try_borrow_mut() {
            if !errors.is_empty() {
                errors.push('\n');
            }
            errors.push_str(&text);
        }
    }
}

pub struct Module<'c> {
    raw: LLVMModuleRef,
    context: &'c Context,
}

impl<'c> Module<'c> {
    /// Moves `other` into this module.
    pub fn link(&mut self, other: Module<'c>) -> Result<(), LlvmError> {
        let other = std::mem::ManuallyDrop::new(other); // The linker takes it.
        let message = unsafe { ffi::sleave_link(self.raw, other.raw, self.abandoned()) };
        self.context.outcome(message)
    }

    /// SROA and mem2reg that keep every access to memory another thread might see; see `shim.cpp`.
    pub fn clean_up(&mut self) -> Result<(), LlvmError> {
        let message = unsafe { ffi::sleave_clean_up(self.raw, self.abandoned()) };
        self.context.outcome(message)
    }

    pub fn verify(&self) -> Result<(), LlvmError> {
        let message = unsafe { ffi::sleave_verify(self.raw, self.abandoned()) };
        self.context.outcome(message)
    }

    fn abandoned(&self) -> *mut bool {
        self.context.abandoned.as_ptr()
    }

    pub fn pointer_bits(&self) -> u32 {
        unsafe { ffi::sleave_pointer_bits(self.raw) }
    }

    pub fn is_little_endian(&self) -> bool {
        unsafe { ffi::sleave_is_little_endian(self.raw) }
    }

    pub fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        list(unsafe { LLVMGetFirstFunction(self.raw) }, |f| unsafe {
            LLVMGetNextFunction(f)
        })
    }

    pub fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        list(unsafe { LLVMGetFirstGlobal(self.raw) }, |g| unsafe {
            LLVMGetNextGlobal(g)
        })
    }

    /// Other names of functions and globals, or of places in them.
    pub fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        list(unsafe { LLVMGetFirstGlobalAlias(self.raw) }, |a| unsafe {
            LLVMGetNextGlobalAlias(a)
        })
    }

    /// The bytes from one element of an array of `ty` to the next; 0 if it has no fixed size.
    pub fn alloc_size(&self, ty: Type<'_>) -> u64 {
        unsafe { ffi::sleave_alloc_size(self.raw, ty.raw()) }
    }

    pub fn bit_size(&self, ty: Type<'_>) -> u64 {
        unsafe { ffi::sleave_bit_size(self.raw, ty.raw()) }
    }

    /// Only for struct types.
    pub fn field_offset(&self, ty: Type<'_>, index: u32) -> u64 {
        unsafe { ffi::sleave_field_offset(self.raw, ty.raw(), index) }
    }

    /// Only for global variables.
    pub fn global_align(&self, global: Value<'_>) -> u64 {
        unsafe { ffi::sleave_global_align(self.raw, global.raw()) }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        if !self.context.abandoned.get() {
            unsafe { LLVMDisposeModule(self.raw) }
        }
    }
}

/// Follows one of LLVM's intrusive lists to its end.
fn list<'m>(
    first: LLVMValueRef,
    next: impl Fn(LLVMValueRef) -> LLVMValueRef,
) -> impl Iterator<Item = Value<'m>> {
    let nonnull = |raw: LLVMValueRef| (!raw.is_null()).then_some(raw);
    std::iter::successors(nonnull(first), move |raw| nonnull(next(*raw))).map(Value::from_raw)
}

/// Copies and frees a message from LLVM.
fn take_message(message: *mut c_char) -> Option<String> {
    if message.is_null() {
        return None;
    }
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        Some(text)
    }
}

/// Copies `size` bytes that LLVM owns.
fn text(data: *const c_char, size: usize) -> String {
    if data.is_null() || size == 0 {
        return String::new();
    }
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn c_string(text: &str) -> std::ffi::CString {
    std::ffi::CString::new(text.replace('\0', "")).expect("no zero bytes are left")
}

/// The name in the source of a mangled C++ or Rust symbol; other names unchanged.
pub fn demangle(name: &str) -> String {
    let message = unsafe { ffi::sleave_demangle(name.as_ptr().cast(), name.len()) };
    take_message(message).unwrap_or_default()
}

/// Marks a handle as borrowing from a module.
type Borrow<'m> = PhantomData<&'m Module<'m>>;
