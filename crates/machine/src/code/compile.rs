//! Compiles functions of the IR to [`Code`].

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ir::modelled::Condition;
use ir::{BlockId, Body, Callee, Const, FuncId, Module, Op, Symbol, Terminator, Type, ValueId};

use smallvec::SmallVec;

use super::bases::{self, Bases};
use super::layout::{entries, lay_out};
use super::loops::Loops;
use super::*;
use crate::shims;

impl Program {
    pub fn new(module: Arc<Module>) -> Program {
        let layout = lay_out(&module);
        let functions = module
            .functions
            .enumerate()
            .map(|(id, f)| compile(&module, &layout, id, f))
            .collect();
        let entries = entries(&module, &layout);
        let uses_conditions = module
            .functions
            .iter()
            .any(|f| waits_for_condition(&f.name));
        Program {
            module,
            functions,
            layout,
            entries,
            uses_conditions,
            ends: None,
            premises: Premises::default(),
        }
    }

    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    /// The address a symbol has in every execution.
    pub fn address_of(&self, symbol: Symbol) -> u64 {
        self.layout.address(symbol)
    }
}

fn waits_for_condition(name: &str) -> bool {
    let function = Condition::named(name);
    function.is_some_and(|f| match f {
        Condition::Wait | Condition::TimedWait | Condition::ClockWait => true,
        Condition::Signal | Condition::Broadcast | Condition::Init | Condition::Destroy => false,
    })
}

/// Whether the function runs without interleaving, by its name.
fn is_atomic(function: &ir::Function) -> bool {
    function.name.starts_with("__VERIFIER_atomic_")
}

fn compile(module: &Module, layout: &Layout, id: FuncId, function: &ir::Function) -> Function {
    let mut f = Function {
        code: Vec::new(),
        locs: Vec::new(),
        origins: Vec::new(),
        marks: Vec::new(),
        registers: Registers::default(),
        params: Vec::new(),
        results: function.results.len() as u32,
        variadic: function.variadic,
        atomic: is_atomic(function),
        runtime: function.runtime,
        absent: false,
        shim: None,
        has_body: function.body.is_some(),
        moves: Vec::new(),
        offsets: Vec::new(),
        calls: Vec::new(),
        intrinsics: Vec::new(),
        switches: Vec::new(),
        returns: Vec::new(),
        pads: Vec::new(),
        allocas: Vec::new(),
        texts: Vec::new(),
        block_starts: Vec::new(),
        uses: OnceLock::new(),
    };
    // The verifier's own functions mean what they are called even where the program defines a body
    // for them.
    f.shim = shims::overriding(&function.name);
    if f.shim.is_none() && function.body.is_none() {
        f.shim = shims::find(&function.name);
    }
    if let Some(body) = &function.body {
        let mut compiler = Compiler {
            pointer_bits: module.pointer_bits,
            module,
            layout,
            body,
            loops: Loops::of(body),
            bases: Bases::of(body, module.pointer_bits),
            shadows: BTreeMap::new(),
            counters: vec![0; body.blocks.len()],
            next_slot: body.values.len() as u32,
            f,
        };
        compiler.function(id);
        compiler.f.registers.slots = compiler.next_slot;
        f = compiler.f;
    }
    f
}

pub(super) struct Compiler<'a> {
    pub(super) pointer_bits: u32,
    pub(super) module: &'a Module,
    pub(super) layout: &'a Layout,
    pub(super) body: &'a Body,
    pub(super) loops: Loops,
    pub(super) bases: Bases,
    /// Registers that hold what pointers were computed from (see `bases`).
    pub(super) shadows: BTreeMap<ValueId, Slot>,
    /// Register that counts iterations of the loop with this head.
    pub(super) counters: Vec<u32>,
    pub(super) next_slot: u32,
    pub(super) f: Function,
}

impl Compiler<'_> {
    fn function(&mut self, _id: FuncId) {
        for value in self.body.values.iter() {
            let Some(constant) = value.constant else {
                break;
            };
            let width = value.ty.bits(self.pointer_bits);
            let bits = match constant {
                Const::Bits(bits) => bits,
                Const::Address(symbol, addend) => {
                    let address = self.layout.address(symbol).wrapping_add_signed(addend);
                    u128::from(address & crate::value::mask(self.pointer_bits))
                }
            };
            self.f.registers.constants.push(Constant { width, bits });
        }
        let widths = self.body.values.iter();
        let widths = widths.map(|v| v.ty.bits(self.pointer_bits) as u8);
        self.f.registers.widths = widths.collect();
        self.f.params = self.body.params.iter().map(|v| v.0).collect();
        for block in self.body.blocks.ids() {
            if self.loops.is_head(block) {
                // Its counter, and what there was when the iteration began.
                self.counters[block.index()] = self.next_slot;
                self.f.registers.counters.push(self.next_slot);
                self.next_slot += 3;
            }
        }
        for param in self.bases.shadowed() {
            self.shadows.insert(param, self.next_slot);
            self.next_slot += 1;
        }
        let mut starts = Vec::new();
        for (id, block) in self.body.blocks.enumerate() {
            starts.push(self.f.code.len() as u32);
            for (index, inst) in block.insts.iter().enumerate() {
                let mut codes: SmallVec<[Code; 3]> = SmallVec::new();
                self.bases
                    .of_accesses(self.body, &inst.op, |base, ptr, bytes| {
                        codes.push(Code::Within {
                            base: self.slot_of_base(base),
                            ptr: ptr.0,
                            bytes: bytes as u32,
                        });
                    });
                bases::for_each_access(&inst.op, |ptr, _| {
                    if let Some(global) = bases::left_global(self.module, self.body, ptr) {
                        codes.push(Code::WithinGlobal { global, ptr: ptr.0 });
                    }
                });
                codes.extend(self.inst(&inst.op));
                for code in codes {
                    self.f.code.push(code);
                    self.f.locs.push(inst.loc);
                    self.f.origins.push((id, index as u32));
                }
            }
            if !self.falls_through(id, &block.terminator) {
                let code = self.terminator(id, &block.terminator);
                self.f.code.push(code);
                self.f.locs.push(block.terminator_loc);
                self.f.origins.push((id, block.insts.len() as u32));
            }
        }
        self.f.block_starts = starts;
        self.resolve_jumps();
    }

    /// Whether the terminator only leads to the next block.
    fn falls_through(&self, block: BlockId, terminator: &Terminator) -> bool {
        let Terminator::Br(target) = terminator else {
            return false;
        };
        target.block.index() == block.index() + 1
            && target.args.is_empty()
            && !self.loops.is_head(target.block)
    }

    /// Edges were made with block numbers; now the blocks' places are known.
    fn resolve_jumps(&mut self) {
        let starts = self.f.block_starts.clone();
        let fix = |edge: &mut Edge| edge.pc = starts[edge.pc as usize];
        for code in &mut self.f.code {
            match code {
                Code::Jump(edge) | Code::Invoke { normal: edge, .. } => fix(edge),
                Code::CondBr { then, other, .. } => {
                    fix(then);
                    fix(other);
                }
                _ => {}
            }
        }
        for switch in &mut self.f.switches {
            switch.cases.iter_mut().for_each(|(_, edge)| fix(edge));
            fix(&mut switch.default);
        }
        self.f.pads.iter_mut().for_each(|pad| fix(&mut pad.edge));
    }

    pub(super) fn bits(&self, value: ValueId) -> u8 {
        self.body.ty(value).bits(self.pointer_bits) as u8
    }

    fn ty(&self, value: ValueId) -> Type {
        self.body.ty(value)
    }

    fn operands(&self, values: &[ValueId]) -> Vec<Operand> {
        values
            .iter()
            .map(|v| Operand {
                slot: v.0,
                ty: self.ty(*v),
            })
            .collect()
    }

    fn inst(&mut self, op: &Op) -> Option<Code> {
        Some(match op {
            Op::Bin { op, dst, a, b } => Code::Bin {
                op: *op,
                bits: self.bits(*dst),
                dst: dst.0,
                a: a.0,
                b: b.0,
            },
            Op::Cmp { op, dst, a, b } => Code::Cmp {
                op: *op,
                bits: self.bits(*a),
                dst: dst.0,
                a: a.0,
                b: b.0,
            },
            Op::Cast { op, dst, src } => Code::Cast {
                op: *op,
                from: self.bits(*src),
                to: self.bits(*dst),
                dst: dst.0,
                src: src.0,
            },
            Op::Select { dst, cond, a, b } => Code::Select {
                dst: dst.0,
                cond: cond.0,
                a: a.0,
                b: b.0,
                bits: self.bits(*dst),
            },
            Op::FloatBin { op, dst, a, b } => Code::FloatBin {
                op: *op,
                ty: self.ty(*dst),
                dst: dst.0,
                a: a.0,
                b: b.0,
            },
            Op::FloatCmp { op, dst, a, b } => Code::FloatCmp {
                op: *op,
                ty: self.ty(*a),
                dst: dst.0,
                a: a.0,
                b: b.0,
            },
            Op::FloatUnary { op, dst, src } => Code::FloatUnary {
                op: *op,
                ty: self.ty(*dst),
                dst: dst.0,
                src: src.0,
            },
            Op::FloatCast { op, dst, src } => Code::FloatCast {
                op: *op,
                from: self.ty(*src),
                to: self.ty(*dst),
                dst: dst.0,
                src: src.0,
            },
            Op::PtrAdd {
                dst,
                base,
                offset,
                indices,
                ..
            } => self.ptr_add(*dst, *base, *offset, indices),
            Op::Load {
                dst, ptr, atomic, ..
            } => Code::Load {
                dst: dst.0,
                ptr: ptr.0,
                bits: self.bits(*dst),
                atomic: *atomic,
                marks: AccessMarks::default(),
            },
            Op::Store {
                ptr, value, atomic, ..
            } => Code::Store {
                ptr: ptr.0,
                value: value.0,
                bits: self.bits(*value),
                atomic: *atomic,
                marks: AccessMarks::default(),
            },
            Op::Rmw {
                op,
                dst,
                ptr,
                value,
                order,
            } => Code::Rmw {
                op: *op,
                ty: self.ty(*dst),
                dst: dst.0,
                ptr: ptr.0,
                value: value.0,
                order: *order,
            },
            Op::CmpXchg {
                old,
                success,
                ptr,
                expected,
                new,
                orders,
                ..
            } => Code::CmpXchg {
                old: old.0,
                success: success.0,
                ptr: ptr.0,
                expected: expected.0,
                new: new.0,
                bits: self.bits(*old),
                orders: *orders,
            },
            Op::Fence(order) => Code::Fence(*order),
            Op::Alloca {
                dst,
                size,
                count,
                align,
                var,
            } => {
                let count = count.map(|c| (c.0, self.bits(c)));
                let leaks = alloca::leaks(self.body, *dst);
                let alloca = Alloca {
                    size: *size,
                    count,
                    align: *align,
                    var: *var,
                    leaks,
                    loose: Vec::new(),
                };
                Code::Alloca {
                    dst: dst.0,
                    alloca: push(&mut self.f.allocas, alloca),
                }
            }
            Op::TlsAddr { dst, global } => Code::TlsAddr {
                dst: dst.0,
                global: *global,
            },
            Op::Call(call) if self.does_nothing(call) => return None,
            Op::Call(call) => Code::Call {
                call: self.call(call),
            },
            Op::Intrinsic { op, results, args } => {
                let entry = (*op, self.operands(results), self.operands(args));
                Code::Intrinsic {
                    intrinsic: push(&mut self.f.intrinsics, entry),
                }
            }
            Op::Undef { dst } => Code::Undef {
                dst: dst.0,
                bits: self.bits(*dst),
            },
            Op::Unsupported { kind, what } => {
                let text = push(&mut self.f.texts, what.clone());
                match kind {
                    ir::Unsupported::Assembly => Code::UnsupportedAssembly { text },
                    ir::Unsupported::Instruction => Code::UnsupportedInstruction { text },
                }
            }
        })
    }

    /// Whether the callee is known and has nothing to execute.
    fn does_nothing(&self, call: &ir::Call) -> bool {
        let ir::Callee::Direct(callee) = call.callee else {
            return false;
        };
        let function = &self.module.functions[callee];
        let is_empty = function.body.as_ref().is_some_and(|body| {
            let entry = &body.blocks[BlockId(0)];
            entry.insts.is_empty()
                && matches!(&entry.terminator, Terminator::Ret(values) if values.is_empty())
        });
        is_empty
            && call.results.is_empty()
            && !is_atomic(function)
            && shims::overriding(&function.name).is_none()
    }

    fn ptr_add(
        &mut self,
        dst: ValueId,
        base: ValueId,
        offset: i64,
        indices: &[(ValueId, i64)],
    ) -> Code {
        match indices {
            [] => Code::AddConst {
                dst: dst.0,
                base: base.0,
                offset,
            },
            [(index, scale)] if offset == 0 && i32::try_from(*scale).is_ok() => Code::AddIndex {
                dst: dst.0,
                base: base.0,
                index: index.0,
                bits: self.bits(*index),
                scale: *scale as i32,
            },
            _ => {
                let indices = indices
                    .iter()
                    .map(|(index, scale)| (index.0, self.bits(*index), *scale))
                    .collect();
                let offsets = Offsets {
                    constant: offset,
                    indices,
                };
                Code::AddOffsets {
                    dst: dst.0,
                    base: base.0,
                    offsets: push(&mut self.f.offsets, offsets),
                }
            }
        }
    }

    pub(super) fn call(&mut self, call: &ir::Call) -> u32 {
        let target = match call.callee {
            Callee::Direct(f) => CallTarget::Direct(f),
            Callee::Indirect(v) => CallTarget::Indirect(v.0),
        };
        let args = self.operands(&call.args);
        let results = self.operands(&call.results);
        let call = Call {
            target,
            args,
            results,
        };
        push(&mut self.f.calls, call)
    }
}

/// Adds an entry to a table of the function. Returns its index.
pub(super) fn push<T>(table: &mut Vec<T>, entry: T) -> u32 {
    table.push(entry);
    table.len() as u32 - 1
}
