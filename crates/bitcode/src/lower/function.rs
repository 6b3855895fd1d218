//! One function body: its value table, its blocks, and the tools every instruction is lowered with.

use base::IndexVec;
use ir::debug::LocId;
use ir::{
    BinOp, Block, BlockId, Body, Cast, CmpOp, Const, Inst, Intrinsic, Op, Type, Unsupported,
    ValueId,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::constants::mask;
use super::{Lowered, Program, finish, unmodelled};
use crate::llvm::{self, Kind, LLVMOpcode, Metadata, Value};

/// One scalar of an LLVM value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    Value(ValueId),
    /// Becomes an `Op::Undef` where it is used, and only there.
    Undef(Type),
}

/// The scalars of an LLVM value, in the order of [`super::types::Layouts::leaves`].
pub type Slots = SmallVec<[Slot; 2]>;

pub fn one(value: ValueId) -> Slots {
    Slots::from_slice(&[Slot::Value(value)])
}

pub struct FunctionLowering<'p, 'm> {
    pub program: &'p mut Program<'m>,
    values: IndexVec<ValueId, ir::Value>,
    constants: FxHashMap<(Type, Const), ValueId>,
    known: FxHashMap<Value<'m>, Slots>,
    /// The exception pointer and the selector, for blocks that begin with a landing pad.
    pub pads: FxHashMap<llvm::Block<'m>, (ValueId, ValueId)>,
    variables: Variables<'m>,
    pub insts: Vec<Inst>,
    pub loc: LocId,
}

pub fn lower_body<'m>(program: &mut Program<'m>, function: Value<'m>) -> Body {
    let blocks = function.blocks();
    let mut lowering = FunctionLowering {
        program,
        values: IndexVec::new(),
        constants: FxHashMap::default(),
        known: FxHashMap::default(),
        pads: FxHashMap::default(),
        variables: variables(&blocks),
        insts: Vec::new(),
        loc: LocId(0),
    };
    let params = lowering.parameters(function);
    let mut lowered: IndexVec<BlockId, Block> = blocks
        .iter()
        .map(|&block| Block {
            params: lowering.block_parameters(block),
            ..Block::default()
        })
        .collect();
    let start = lowering.program.functions.get(&function).copied();
    let start = start.and_then(|id| lowering.program.out.functions[id].loc);
    for block in reverse_postorder(&blocks) {
        let id = lowering.program.blocks[&block];
        lowering.loc = first_location(&mut lowering, block)
            .or(start)
            .unwrap_or_default();
        if id == BlockId(0) {
            lowering.copy_byval_parameters(function);
        }
        for inst in block.instructions() {
            lowering.instruction(block, inst);
        }
        let terminator = lowering.terminator(block);
        lowered[id].terminator = terminator;
        lowered[id].insts = std::mem::take(&mut lowering.insts);
        lowered[id].terminator_loc = lowering.loc;
    }
    finish::finish(Body {
        values: lowering.values,
        params,
        blocks: lowered,
    })
}

/// What debug records say about values; the first record wins.
#[derive(Default)]
struct Variables<'m> {
    /// The value is the address of the variable.
    declared: FxHashMap<Value<'m>, Metadata<'m>>,
    /// The value is what the variable holds.
    held: FxHashMap<Value<'m>, Metadata<'m>>,
}

fn variables<'m>(blocks: &[llvm::Block<'m>]) -> Variables<'m> {
    let mut variables = Variables::default();
    for inst in blocks.iter().flat_map(|block| block.instructions()) {
        for record in inst.debug_records() {
            let map = if record.declares {
                &mut variables.declared
            } else {
                &mut variables.held
            };
            map.entry(record.value).or_insert(record.variable);
        }
    }
    variables
}

/// Every reachable block, each after the blocks that dominate it.
fn reverse_postorder<'m>(blocks: &[llvm::Block<'m>]) -> Vec<llvm::Block<'m>> {
    let mut seen: rustc_hash::FxHashSet<_> = rustc_hash::FxHashSet::default();
    let mut order = Vec::with_capacity(blocks.len());
    let mut stack = Vec::new();
    if let Some(&entry) = blocks.first() {
        seen.insert(entry);
        stack.push((entry, entry.terminator().successors()));
    }
    while let Some((block, successors)) = stack.last_mut() {
        match successors.pop() {
            Some(next) => {
                if seen.insert(next) {
                    stack.push((next, next.terminator().successors()));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

fn first_location<'m>(
    lowering: &mut FunctionLowering<'_, 'm>,
    block: llvm::Block<'m>,
) -> Option<LocId> {
    let mut locations = block.instructions().filter_map(|i| i.debug_location());
    locations.find_map(|location| {
        let (line, column, file) = location.location();
        let loc = lowering.program.debug.loc(line, column, file);
        (loc != LocId(0)).then_some(loc)
    })
}

/// Parameters and instructions.
impl<'m> FunctionLowering<'_, 'm> {
    fn parameters(&mut self, function: Value<'m>) -> Vec<ValueId> {
        let mut params = Vec::new();
        for param in function.params() {
            let Ok(types) = self.program.layouts.types(param.ty()) else {
                continue; // Instructions that use it become `Unsupported`.
            };
            let values: Vec<ValueId> = types.into_iter().map(|ty| self.fresh(ty)).collect();
            params.extend_from_slice(&values);
            self.define(param, values.into_iter().map(Slot::Value).collect());
        }
        params
    }

    /// A parameter passed `byval` is a copy that the callee may change.
    fn copy_byval_parameters(&mut self, function: Value<'m>) {
        for (index, param) in function.params().into_iter().enumerate() {
            let Some(ty) = function.byval_type(index as u32) else {
                continue;
            };
            let Ok(original) = self.scalar(param) else {
                continue;
            };
            let size = self.program.module.alloc_size(ty);
            let var = self.variable_at(param);
            let copy = self.fresh(Type::Ptr);
            self.emit(Op::Alloca {
                dst: copy,
                size,
                count: None,
                align: 16,
                var,
            });
            let bytes = self.size_constant(size);
            self.intrinsic(Intrinsic::Memcpy, &[], &[copy, original, bytes]);
            self.known.insert(param, one(copy));
        }
    }

    fn block_parameters(&mut self, block: llvm::Block<'m>) -> Vec<ValueId> {
        let mut params = Vec::new();
        let lands = block
            .instructions()
            .any(|i| i.opcode() == LLVMOpcode::LLVMLandingPad);
        if lands {
            let (exception, selector) = (self.fresh(Type::Ptr), self.fresh(Type::Int(32)));
            params.extend([exception, selector]);
            self.pads.insert(block, (exception, selector));
        }
        for phi in block.phis() {
            let Ok(types) = self.program.layouts.types(phi.ty()) else {
                continue;
            };
            let values: Vec<ValueId> = types.into_iter().map(|ty| self.fresh(ty)).collect();
            params.extend_from_slice(&values);
            self.define(phi, values.into_iter().map(Slot::Value).collect());
        }
        params
    }

    fn instruction(&mut self, block: llvm::Block<'m>, inst: Value<'m>) {
        if let Some(location) = inst.debug_location() {
            let (line, column, file) = location.location();
            let loc = self.program.debug.loc(line, column, file);
            if loc != LocId(0) {
                self.loc = loc;
            }
        }
        let result = match inst.opcode() {
            LLVMOpcode::LLVMPHI => return,
            LLVMOpcode::LLVMLandingPad => self.landing_pad(block, inst),
            opcode if is_terminator(opcode) => return,
            opcode => self.operation(opcode, inst),
        };
        match result {
            Ok(slots) => self.define(inst, slots),
            Err(what) => {
                self.unsupported(Unsupported::Instruction, what.0);
                if let Ok(types) = self.program.layouts.types(inst.ty()) {
                    self.define(inst, types.into_iter().map(Slot::Undef).collect());
                }
            }
        }
    }

    pub fn define(&mut self, value: Value<'m>, slots: Slots) {
        if let [Slot::Value(id)] = slots[..]
            && self.values[id].name.is_none()
            && self.values[id].constant.is_none()
            && let Some(variable) = self.variables.held.get(&value)
        {
            self.values[id].name = variable.as_variable().map(|v| v.name);
        }
        self.known.insert(value, slots);
    }

    /// The variable whose address `value` is.
    pub fn variable_at(&mut self, value: Value<'m>) -> Option<ir::debug::VarId> {
        let variable = *self.variables.declared.get(&value)?;
        self.program.debug.variable(variable)
    }
}

/// Operands.
impl<'m> FunctionLowering<'_, 'm> {
    pub fn slots(&mut self, value: Value<'m>) -> Lowered<Slots> {
        match value.kind() {
            Kind::Instruction | Kind::Argument => match self.known.get(&value) {
                Some(slots) => Ok(slots.clone()),
                None => unmodelled(format!("a value of type {}", value.ty().print())),
            },
            _ => self.constant_slots(value),
        }
    }

    /// The scalars of a value. An undefined one becomes an `Op::Undef` here.
    pub fn values(&mut self, value: Value<'m>) -> Lowered<SmallVec<[ValueId; 2]>> {
        let slots = self.slots(value)?;
        Ok(slots.into_iter().map(|slot| self.use_slot(slot)).collect())
    }

    pub fn scalar(&mut self, value: Value<'m>) -> Lowered<ValueId> {
        match self.slots(value)?[..] {
            [slot] => Ok(self.use_slot(slot)),
            _ => unmodelled(format!("a scalar of type {}", value.ty().print())),
        }
    }

    pub fn use_slot(&mut self, slot: Slot) -> ValueId {
        match slot {
            Slot::Value(value) => value,
            Slot::Undef(ty) => {
                let dst = self.fresh(ty);
                self.emit(Op::Undef { dst });
                dst
            }
        }
    }

    pub fn ty(&self, value: ValueId) -> Type {
        self.values[value].ty
    }

    pub fn width(&self, value: ValueId) -> u32 {
        self.ty(value).bits(self.program.out.pointer_bits)
    }

    /// The bits of a constant.
    pub fn known_bits(&self, value: ValueId) -> Option<u128> {
        match self.values[value].constant {
            Some(Const::Bits(bits)) => Some(bits),
            _ => None,
        }
    }
}

/// Making values and instructions.
impl FunctionLowering<'_, '_> {
    pub fn fresh(&mut self, ty: Type) -> ValueId {
        self.values.push(ir::Value {
            ty,
            constant: None,
            name: None,
        })
    }

    pub fn constant(&mut self, ty: Type, constant: Const) -> ValueId {
        let values = &mut self.values;
        *self.constants.entry((ty, constant)).or_insert_with(|| {
            values.push(ir::Value {
                ty,
                constant: Some(constant),
                name: None,
            })
        })
    }

    pub fn bits(&mut self, ty: Type, bits: u128) -> ValueId {
        let width = ty.bits(self.program.out.pointer_bits);
        self.constant(ty, Const::Bits(mask(bits, width)))
    }

    /// An integer as wide as a pointer.
    pub fn size_constant(&mut self, value: u64) -> ValueId {
        let ty = self.pointer_sized();
        self.bits(ty, u128::from(value))
    }

    pub fn pointer_sized(&self) -> Type {
        Type::Int(self.program.out.pointer_bits as u8)
    }

    pub fn emit(&mut self, op: Op) {
        self.insts.push(Inst { op, loc: self.loc });
    }

    pub fn unsupported(&mut self, kind: Unsupported, what: String) {
        self.emit(Op::Unsupported { kind, what });
    }

    pub fn bin(&mut self, op: BinOp, a: ValueId, b: ValueId) -> ValueId {
        let dst = self.fresh(self.ty(a));
        self.emit(Op::Bin { op, dst, a, b });
        dst
    }

    pub fn cmp(&mut self, op: CmpOp, a: ValueId, b: ValueId) -> ValueId {
        let dst = self.fresh(Type::BOOL);
        self.emit(Op::Cmp { op, dst, a, b });
        dst
    }

    /// Makes no instruction if source and result have the same type.
    pub fn cast(&mut self, op: Cast, src: ValueId, ty: Type) -> ValueId {
        if self.ty(src) == ty {
            return src;
        }
        let dst = self.fresh(ty);
        self.emit(Op::Cast { op, dst, src });
        dst
    }

    pub fn select(&mut self, cond: ValueId, a: ValueId, b: ValueId) -> ValueId {
        let dst = self.fresh(self.ty(a));
        self.emit(Op::Select { dst, cond, a, b });
        dst
    }

    pub fn intrinsic(
        &mut self,
        op: Intrinsic,
        results: &[Type],
        args: &[ValueId],
    ) -> SmallVec<[ValueId; 2]> {
        let results: SmallVec<[ValueId; 2]> = results.iter().map(|&ty| self.fresh(ty)).collect();
        self.emit(Op::Intrinsic {
            op,
            results: results.to_vec(),
            args: args.to_vec(),
        });
        results
    }

    /// Extends an unsigned integer or a pointer with zeros, or truncates it. A pointer first
    /// becomes an integer of its own width.
    pub fn resize_unsigned(&mut self, value: ValueId, ty: Type) -> ValueId {
        if self.ty(value) == ty {
            return value;
        }
        let word = self.pointer_sized();
        let value = match self.ty(value) {
            Type::Ptr => self.cast(Cast::Bits, value, word),
            _ => value,
        };
        if ty == Type::Ptr {
            let number = self.resize_unsigned(value, word);
            return self.cast(Cast::Bits, number, ty);
        }
        let (from, to) = (self.width(value), ty.bits(self.program.out.pointer_bits));
        let op = if from < to { Cast::ZExt } else { Cast::Trunc };
        self.cast(op, value, ty)
    }
}

fn is_terminator(opcode: LLVMOpcode) -> bool {
    use LLVMOpcode::*;
    matches!(
        opcode,
        LLVMRet
            | LLVMBr
            | LLVMSwitch
            | LLVMIndirectBr
            | LLVMInvoke
            | LLVMUnreachable
            | LLVMCallBr
            | LLVMResume
            | LLVMCleanupRet
            | LLVMCatchRet
            | LLVMCatchSwitch
    )
}
