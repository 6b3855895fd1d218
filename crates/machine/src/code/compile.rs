//! From ir to [`Code`]: functions, their constants and registers, block after block.

mod edges;
mod instruction;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ir::modelled::Condition;
use ir::{Body, Const, FuncId, Module, Symbol, Type, ValueId};
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
            .iter()
            .map(|f| compile(&module, &layout, f))
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

fn compile(module: &Module, layout: &Layout, function: &ir::Function) -> Function {
    let mut f = Function {
        code: Vec::new(),
        locs: Vec::new(),
        origins: Vec::new(),
        marks: Vec::new(),
        constants: Vec::new(),
        slots: 0,
        widths: Vec::new(),
        counters: Vec::new(),
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
        compiler.function();
        compiler.f.slots = compiler.next_slot;
        f = compiler.f;
    }
    f
}

struct Compiler<'a> {
    pointer_bits: u32,
    module: &'a Module,
    layout: &'a Layout,
    body: &'a Body,
    loops: Loops,
    bases: Bases,
    /// Registers that hold what pointers were computed from (see `bases`).
    shadows: BTreeMap<ValueId, Slot>,
    /// By block: the register that counts the iterations of the loop with this head.
    counters: Vec<u32>,
    next_slot: u32,
    f: Function,
}

impl Compiler<'_> {
    fn function(&mut self) {
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
            self.f.constants.push(Constant { width, bits });
        }
        let widths = self.body.values.iter();
        let widths = widths.map(|v| v.ty.bits(self.pointer_bits) as u8);
        self.f.widths = widths.collect();
        self.f.params = self.body.params.iter().map(|v| v.0).collect();
        for block in self.body.blocks.ids() {
            if self.loops.is_head(block) {
                // The counter takes a register; two more hold what there was when the iteration
                // began.
                self.counters[block.index()] = self.next_slot;
                self.f.counters.push(self.next_slot);
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

    fn bits(&self, value: ValueId) -> u8 {
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
}
