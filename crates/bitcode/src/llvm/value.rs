//! Values: constants, globals, functions, blocks, instructions.

use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMLinkage, LLVMOpcode,
    LLVMRealPredicate,
};

use super::{Borrow, Metadata, Type, ffi, list, text};
use crate::link::Linkage;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value<'m>(LLVMValueRef, Borrow<'m>);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block<'m>(LLVMBasicBlockRef, Borrow<'m>);

impl std::fmt::Debug for super::Module<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Module")
    }
}

/// What a value is. Keep in step with `sleave_value_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Instruction,
    Argument,
    Function,
    GlobalVariable,
    Alias,
    IFunc,
    BlockAddress,
    Expression,
    /// Undefined, or poison.
    Undef,
    Int,
    Float,
    NullPointer,
    /// All zero.
    ZeroAggregate,
    /// A struct, array or vector of constants.
    Aggregate,
    /// An array or vector of plain numbers.
    Data,
    InlineAssembly,
    /// Stands for another global value.
    Equivalent,
    Other,
}

impl<'m> Value<'m> {
    pub(super) fn from_raw(raw: LLVMValueRef) -> Value<'m> {
        debug_assert!(!raw.is_null());
        Value(raw, PhantomData)
    }

    fn from_nullable(raw: LLVMValueRef) -> Option<Value<'m>> {
        (!raw.is_null()).then(|| Value::from_raw(raw))
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.0
    }

    pub fn kind(self) -> Kind {
        match unsafe { ffi::sleave_value_kind(self.0) } {
            1 => Kind::Instruction,
            2 => Kind::Argument,
            3 => Kind::Function,
            4 => Kind::GlobalVariable,
            5 => Kind::Alias,
            6 => Kind::IFunc,
            7 => Kind::BlockAddress,
            8 => Kind::Expression,
            9 => Kind::Undef,
            10 => Kind::Int,
            11 => Kind::Float,
            12 => Kind::NullPointer,
            13 => Kind::ZeroAggregate,
            14 => Kind::Aggregate,
            15 => Kind::Data,
            16 => Kind::InlineAssembly,
            17 => Kind::Equivalent,
            _ => Kind::Other,
        }
    }

    pub fn ty(self) -> Type<'m> {
        Type::from_raw(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn name(self) -> String {
        let mut size = 0;
        let data = unsafe { LLVMGetValueName2(self.0, &mut size) };
        text(data, size)
    }

    pub fn operand_count(self) -> u32 {
        unsafe { LLVMGetNumOperands(self.0) }.max(0) as u32
    }

    pub fn operand(self, index: u32) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetOperand(self.0, index) })
    }

    pub fn operands(self) -> impl Iterator<Item = Value<'m>> {
        (0..self.operand_count()).map(move |i| self.operand(i))
    }
}

/// Constants.
impl<'m> Value<'m> {
    /// Only for [`Kind::Int`]. The low 128 bits.
    pub fn int_bits(self) -> u128 {
        let mut words = [0; 2];
        unsafe { ffi::sleave_integer_bits(self.0, words.as_mut_ptr()) };
        u128::from(words[0]) | u128::from(words[1]) << 64
    }

    /// Only for [`Kind::Float`].
    pub fn float_bits(self) -> u128 {
        let mut words = [0; 2];
        unsafe { ffi::sleave_float_bits(self.0, words.as_mut_ptr()) };
        u128::from(words[0]) | u128::from(words[1]) << 64
    }

    /// An element of a constant struct, array or vector.
    pub fn constant_element(self, index: u32) -> Option<Value<'m>> {
        Value::from_nullable(unsafe { ffi::sleave_constant_element(self.0, index) })
    }

    /// Only for [`Kind::Expression`].
    pub fn expression_opcode(self) -> LLVMOpcode {
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    /// Only for [`Kind::BlockAddress`].
    pub fn block_address(self) -> (Value<'m>, Block<'m>) {
        unsafe {
            (
                Value::from_raw(LLVMGetBlockAddressFunction(self.0)),
                Block(LLVMGetBlockAddressBasicBlock(self.0), PhantomData),
            )
        }
    }

    /// Only for [`Kind::Equivalent`].
    pub fn equivalent(self) -> Value<'m> {
        Value::from_raw(unsafe { ffi::sleave_equivalent(self.0) })
    }

    /// Only for [`Kind::Alias`].
    pub fn aliasee(self) -> Value<'m> {
        Value::from_raw(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    /// Only for [`Kind::IFunc`].
    pub fn ifunc_resolver(self) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetGlobalIFuncResolver(self.0) })
    }
}

/// Global variables and functions.
impl<'m> Value<'m> {
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub fn linkage(self) -> Linkage {
        use LLVMLinkage::{LLVMInternalLinkage, LLVMPrivateLinkage};
        match unsafe { LLVMGetLinkage(self.0) } {
            LLVMInternalLinkage | LLVMPrivateLinkage => Linkage::Local,
            _ if self.is_declaration() => Linkage::Declared,
            _ => Linkage::Defined,
        }
    }

    /// `extern ... __attribute__((weak))`: may stay undefined.
    pub fn is_weak_declaration(self) -> bool {
        unsafe { LLVMGetLinkage(self.0) == LLVMLinkage::LLVMExternalWeakLinkage }
    }

    pub fn has_appending_linkage(self) -> bool {
        unsafe { LLVMGetLinkage(self.0) == LLVMLinkage::LLVMAppendingLinkage }
    }

    /// The type of what it names: its contents, or the function type.
    pub fn value_type(self) -> Type<'m> {
        Type::from_raw(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub fn initializer(self) -> Option<Value<'m>> {
        Value::from_nullable(unsafe { LLVMGetInitializer(self.0) })
    }

    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    pub fn is_constant_global(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub fn section(self) -> String {
        let section = unsafe { LLVMGetSection(self.0) };
        if section.is_null() {
            return String::new();
        }
        let size = unsafe { std::ffi::CStr::from_ptr(section) }
            .to_bytes()
            .len();
        text(section, size)
    }

    /// The base name of an LLVM intrinsic, without its types: `llvm.memcpy`.
    pub fn intrinsic(self) -> Option<String> {
        let id = unsafe { LLVMGetIntrinsicID(self.0) };
        if id == 0 {
            return None;
        }
        let mut size = 0;
        let data = unsafe { LLVMIntrinsicGetName(id, &mut size) };
        Some(text(data, size))
    }

    pub fn params(self) -> Vec<Value<'m>> {
        (0..unsafe { LLVMCountParams(self.0) })
            .map(|i| Value::from_raw(unsafe { LLVMGetParam(self.0, i) }))
            .collect()
    }

    /// The type behind argument `index` of a call if what it points to is passed by value in a
    /// variable argument list.
    pub fn variadic_byval_type(self, index: u32) -> Option<Type<'m>> {
        let fixed = unsafe { LLVMCountParamTypes(LLVMGetCalledFunctionType(self.0)) };
        if index < fixed {
            return None;
        }
        Type::from_nullable(unsafe { ffi::sleave_argument_byval_type(self.0, index) })
    }

    /// The alignment of argument `index` of a call, which is passed by value; 0: not specified.
    pub fn argument_alignment(self, index: u32) -> u32 {
        unsafe { ffi::sleave_argument_alignment(self.0, index) }
    }

    /// Whether argument `index` of a call is one of a variable argument list.
    pub fn is_variadic_argument(self, index: u32) -> bool {
        let ty = unsafe { LLVMGetCalledFunctionType(self.0) };
        unsafe { LLVMIsFunctionVarArg(ty) != 0 && index >= LLVMCountParamTypes(ty) }
    }

    /// The type that parameter `index` points to if it is passed as a copy.
    pub fn byval_type(self, index: u32) -> Option<Type<'m>> {
        Type::from_nullable(unsafe { ffi::sleave_byval_type(self.0, index) })
    }

    pub fn subprogram(self) -> Option<Metadata<'m>> {
        Metadata::from_nullable(unsafe { LLVMGetSubprogram(self.0) })
    }

    pub fn blocks(self) -> Vec<Block<'m>> {
        let nonnull = |raw: LLVMBasicBlockRef| (!raw.is_null()).then_some(raw);
        std::iter::successors(nonnull(unsafe { LLVMGetFirstBasicBlock(self.0) }), |raw| {
            nonnull(unsafe { LLVMGetNextBasicBlock(*raw) })
        })
        .map(|raw| Block(raw, PhantomData))
        .collect()
    }
}

impl<'m> Block<'m> {
    pub fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        list(unsafe { LLVMGetFirstInstruction(self.0) }, |i| unsafe {
            LLVMGetNextInstruction(i)
        })
    }

    pub fn phis(self) -> impl Iterator<Item = Value<'m>> {
        self.instructions()
            .take_while(|i| i.opcode() == LLVMOpcode::LLVMPHI)
    }

    pub fn terminator(self) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}

/// Instructions. Each accessor is for the instructions its name suggests.
impl<'m> Value<'m> {
    pub fn opcode(self) -> LLVMOpcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub fn debug_location(self) -> Option<Metadata<'m>> {
        Metadata::from_nullable(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }

    pub fn int_predicate(self) -> LLVMIntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    pub fn float_predicate(self) -> LLVMRealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    pub fn is_volatile(self) -> bool {
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    pub fn is_atomic(self) -> bool {
        unsafe { LLVMIsAtomic(self.0) != 0 }
    }

    /// An atomic operation that only orders this thread against its own signal handlers.
    pub fn is_single_thread(self) -> bool {
        unsafe { LLVMIsAtomicSingleThread(self.0) != 0 }
    }

    /// For atomic operations other than a compare-exchange, which has two orders.
    pub fn ordering(self) -> LLVMAtomicOrdering {
        unsafe { LLVMGetOrdering(self.0) }
    }

    /// For a compare-exchange: the orders of a success and of a failure.
    pub fn exchange_orderings(self) -> [LLVMAtomicOrdering; 2] {
        unsafe {
            [
                LLVMGetCmpXchgSuccessOrdering(self.0),
                LLVMGetCmpXchgFailureOrdering(self.0),
            ]
        }
    }

    pub fn is_weak(self) -> bool {
        unsafe { LLVMGetWeak(self.0) != 0 }
    }

    pub fn rmw_operation(self) -> LLVMAtomicRMWBinOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    pub fn allocated_type(self) -> Type<'m> {
        Type::from_raw(unsafe { LLVMGetAllocatedType(self.0) })
    }

    pub fn alignment(self) -> u32 {
        unsafe { LLVMGetAlignment(self.0) }
    }

    /// For `getelementptr`, instruction or constant expression.
    pub fn gep_source_type(self) -> Type<'m> {
        Type::from_raw(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// For `extractvalue` and `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            if count == 0 {
                return Vec::new();
            }
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// For `shufflevector`: `None` is an undefined lane.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        (0..unsafe { LLVMGetNumMaskElements(self.0) })
            .map(|i| u32::try_from(unsafe { LLVMGetMaskValue(self.0, i) }).ok())
            .collect()
    }

    pub fn incoming_value(self, from: Block<'m>) -> Option<Value<'m>> {
        (0..unsafe { LLVMCountIncoming(self.0) })
            .find(|i| unsafe { LLVMGetIncomingBlock(self.0, *i) } == from.0)
            .map(|i| Value::from_raw(unsafe { LLVMGetIncomingValue(self.0, i) }))
    }

    pub fn successors(self) -> Vec<Block<'m>> {
        (0..unsafe { LLVMGetNumSuccessors(self.0) })
            .map(|i| Block(unsafe { LLVMGetSuccessor(self.0, i) }, PhantomData))
            .collect()
    }

    pub fn is_conditional(self) -> bool {
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    /// For a conditional `br`.
    pub fn condition(self) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetCondition(self.0) })
    }

    /// For `switch`: the value of the successor `index`, which counts from 1; 0 is the default.
    pub fn case_value(self, index: u32) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetSwitchCaseValue(self.0, index) })
    }

    pub fn called_value(self) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetCalledValue(self.0) })
    }

    pub fn arguments(self) -> Vec<Value<'m>> {
        (0..unsafe { LLVMGetNumArgOperands(self.0) })
            .map(|i| self.operand(i))
            .collect()
    }

    /// For calls of inline assembly: what argument `index` points to if it stands for memory.
    pub fn argument_element_type(self, index: u32) -> Option<Type<'m>> {
        Type::from_nullable(unsafe { ffi::sleave_element_type(self.0, index) })
    }

    pub fn normal_destination(self) -> Block<'m> {
        Block(unsafe { LLVMGetNormalDest(self.0) }, PhantomData)
    }

    pub fn unwind_destination(self) -> Block<'m> {
        Block(unsafe { LLVMGetUnwindDest(self.0) }, PhantomData)
    }

    /// For `landingpad`.
    pub fn clauses(self) -> Vec<Value<'m>> {
        (0..unsafe { LLVMGetNumClauses(self.0) })
            .map(|i| Value::from_raw(unsafe { LLVMGetClause(self.0, i) }))
            .collect()
    }

    /// For `landingpad`.
    pub fn is_cleanup(self) -> bool {
        unsafe { LLVMIsCleanup(self.0) != 0 }
    }

    /// For inline assembly: the template and the constraints.
    pub fn assembly(self) -> (String, String) {
        let mut size = 0;
        let data = unsafe { LLVMGetInlineAsmAsmString(self.0, &mut size) };
        let template = text(data, size);
        let data = unsafe { LLVMGetInlineAsmConstraintString(self.0, &mut size) };
        (template, text(data, size))
    }
}
