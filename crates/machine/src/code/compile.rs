//! From ir to [`Code`].

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ir::{
    BlockId, Body, Callee, Const, FuncId, Module, Op, Symbol, Target, Terminator, Type, ValueId,
};

use smallvec::SmallVec;

use super::bases::{self, Base, Bases};
use super::loops::Loops;
use super::*;
use crate::memory::{AddressSpace, ArenaId, CHUNK, LARGEST};
use crate::shims;

/// For the texts of environment and arguments, which come after the globals: what a command line
/// holds, with two chunks for each word.
const ROOM_FOR_TEXTS: u64 = 32 << 20;

impl Program {
    pub fn new(module: Arc<Module>) -> Program {
        let layout = lay_out(&module);
        let functions = module
            .functions
            .enumerate()
            .map(|(id, f)| compile(&module, &layout, id, f))
            .collect();
        let entries = entries(&module, &layout);
        let uses_conditions = module.functions.iter().any(|f| {
            matches!(
                f.name.as_str(),
                "pthread_cond_wait" | "pthread_cond_timedwait" | "pthread_cond_clockwait"
            )
        });
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

impl Layout {
    pub fn address(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Global(id) => self.globals[id.index()],
            Symbol::Function(id) => self.functions[id.index()],
            Symbol::Block(function, block) => self.labels[&(function, block)],
        }
    }
}

/// Functions and labels take a chunk each, then come the globals. `Machine::new` allocates in the
/// same order.
fn lay_out(module: &Module) -> Layout {
    let space = AddressSpace::new(module.pointer_bits);
    let mut layout = Layout::default();
    let mut offset = 0u64;
    // A function and its labels: one object with a byte each.
    for (id, function) in module.functions.enumerate() {
        let address = space.address(ArenaId::STATIC, offset);
        let absent =
            function.weak && function.body.is_none() && shims::find(&function.name).is_none();
        layout.functions.push(if absent { 0 } else { address });
        layout.function_at.insert(address, id);
        let blocks = function.body.as_ref().map_or(0, |b| b.blocks.len()) as u64;
        for block in 0..blocks {
            let label = address + 1 + block;
            layout.labels.insert((id, BlockId(block as u32)), label);
            layout.label_at.insert(label, (id, BlockId(block as u32)));
        }
        offset += (function_size(function).div_ceil(CHUNK as u64) + 1) * CHUNK as u64;
    }
    let mut far = space.far(ArenaId::STATIC).unwrap_or(0..0);
    let mut fits = true;
    for global in &module.globals {
        let align = global.align.max(CHUNK as u64);
        if global.size > LARGEST {
            let base = far.start.next_multiple_of(align);
            fits &= base < far.end && global.size < far.end - base - 2 * CHUNK as u64;
            layout.globals.push(base);
            far.start = base
                .saturating_add(global.size)
                .next_multiple_of(CHUNK as u64)
                + CHUNK as u64;
            continue;
        }
        offset = offset.next_multiple_of(align);
        layout.globals.push(space.address(ArenaId::STATIC, offset));
        offset += (global.size.div_ceil(CHUNK as u64) + 1) * CHUNK as u64;
        fits &= offset < space.arena_size(ArenaId::STATIC);
    }
    // The arguments of `main` come last.
    fits &= offset + space.argv_size() + ROOM_FOR_TEXTS < space.arena_size(ArenaId::STATIC);
    layout.overflows = !fits;
    layout
}

fn entries(module: &Module, layout: &Layout) -> Option<Entries> {
    // Not there if the program has an `exit` of its own.
    let handlers = module
        .global_named("__sleave_handler_count")
        .filter(|_| module.destructors.is_empty());
    let adds_handlers = ["atexit", "__cxa_atexit", "on_exit"]
        .iter()
        .any(|name| module.function_named(name).is_some());
    let single_threaded = module.global_named("__libc_single_threaded");
    Some(Entries {
        begin: module
            .function_named("__sleave_begin")
            .filter(|_| !module.constructors.is_empty()),
        main: module.function_named("main")?,
        exit: module.function_named("exit")?,
        handlers: handlers.map(|count| layout.address(Symbol::Global(count))),
        adds_handlers,
        single_threaded: single_threaded.map(|flag| layout.address(Symbol::Global(flag))),
        call_thread: module.function_named("__sleave_call_thread")?,
        end_thread: module.function_named("__sleave_end_thread")?,
        main_exited: module.function_named("__sleave_main_exited")?,
    })
}

/// Bytes of the object that stands for a function: one for itself and one for each label.
pub fn function_size(function: &ir::Function) -> u64 {
    1 + function.body.as_ref().map_or(0, |b| b.blocks.len()) as u64
}

/// By its name: it runs without interleaving.
fn is_atomic(function: &ir::Function) -> bool {
    function.name.starts_with("__VERIFIER_atomic_")
}

fn compile(module: &Module, layout: &Layout, id: FuncId, function: &ir::Function) -> Function {
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
        compiler.function(id);
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
    /// Register that counts iterations of the loop with this head.
    counters: Vec<u32>,
    next_slot: u32,
    f: Function,
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
            self.f.constants.push(Constant { width, bits });
        }
        let widths = self.body.values.iter();
        let widths = widths.map(|v| v.ty.bits(self.pointer_bits) as u8);
        self.f.widths = widths.collect();
        self.f.params = self.body.params.iter().map(|v| v.0).collect();
        for block in self.body.blocks.ids() {
            if self.loops.is_head(block) {
                // Its counter, and what there was when the iteration began.
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
                invisible: false,
                noted: false,
                roams: false,
            },
            Op::Store {
                ptr, value, atomic, ..
            } => Code::Store {
                ptr: ptr.0,
                value: value.0,
                bits: self.bits(*value),
                atomic: *atomic,
                invisible: false,
                noted: false,
                roams: false,
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
                self.f.allocas.push(Alloca {
                    size: *size,
                    count: count.map(|c| (c.0, self.bits(c))),
                    align: *align,
                    var: *var,
                    leaks: alloca::leaks(self.body, *dst),
                    loose: Vec::new(),
                });
                Code::Alloca {
                    dst: dst.0,
                    alloca: self.f.allocas.len() as u32 - 1,
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
                self.f.intrinsics.push(entry);
                Code::Intrinsic {
                    intrinsic: self.f.intrinsics.len() as u32 - 1,
                }
            }
            Op::Undef { dst } => Code::Undef {
                dst: dst.0,
                bits: self.bits(*dst),
            },
            Op::Unsupported { kind, what } => {
                self.f.texts.push(what.clone());
                let text = self.f.texts.len() as u32 - 1;
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
                self.f.offsets.push(Offsets {
                    constant: offset,
                    indices,
                });
                Code::AddOffsets {
                    dst: dst.0,
                    base: base.0,
                    offsets: self.f.offsets.len() as u32 - 1,
                }
            }
        }
    }

    fn call(&mut self, call: &ir::Call) -> u32 {
        let target = match call.callee {
            Callee::Direct(f) => CallTarget::Direct(f),
            Callee::Indirect(v) => CallTarget::Indirect(v.0),
        };
        let args = self.operands(&call.args);
        let results = self.operands(&call.results);
        self.f.calls.push(Call {
            target,
            args,
            results,
        });
        self.f.calls.len() as u32 - 1
    }

    fn terminator(&mut self, from: BlockId, terminator: &Terminator) -> Code {
        match terminator {
            Terminator::Br(target) => Code::Jump(self.edge(from, target)),
            Terminator::CondBr { cond, then, other } => Code::CondBr {
                cond: cond.0,
                then: self.edge(from, then),
                other: self.edge(from, other),
            },
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let cases = cases
                    .iter()
                    .map(|(case, target)| (*case, self.edge(from, target)))
                    .collect();
                let default = self.edge(from, default);
                self.f.switches.push(Switch {
                    value: value.0,
                    bits: self.bits(*value),
                    cases,
                    default,
                });
                Code::Switch {
                    switch: self.f.switches.len() as u32 - 1,
                }
            }
            Terminator::IndirectBr { addr, .. } => Code::IndirectBr { addr: addr.0 },
            Terminator::Ret(values) => {
                self.f.returns.push(values.iter().map(|v| v.0).collect());
                Code::Ret {
                    values: self.f.returns.len() as u32 - 1,
                }
            }
            Terminator::Invoke {
                call,
                normal,
                unwind,
            } => {
                let call = self.call(call);
                let normal = self.edge(from, normal);
                let block = &self.body.blocks[unwind.block];
                let values = block.params[2..].iter().zip(&unwind.args);
                let edge = self.edge_with(from, unwind.block, values);
                self.f.pads.push(Pad {
                    edge,
                    exception: block.params[0].0,
                    selector: block.params[1].0,
                    cleanup: unwind.cleanup,
                    catches: unwind.catches.iter().map(|v| v.0).collect(),
                    filters: unwind
                        .filters
                        .iter()
                        .map(|filter| filter.iter().map(|v| v.0).collect())
                        .collect(),
                });
                Code::Invoke {
                    call,
                    normal,
                    pad: self.f.pads.len() as u32 - 1,
                }
            }
            Terminator::Resume {
                exception,
                selector,
            } => Code::Resume {
                exception: exception.0,
                selector: selector.0,
            },
            Terminator::Unreachable => Code::Unreachable,
        }
    }

    fn edge(&mut self, from: BlockId, target: &Target) -> Edge {
        let params = &self.body.blocks[target.block].params;
        self.edge_with(from, target.block, params.iter().zip(&target.args))
    }

    fn slot_of_base(&self, base: Base) -> Slot {
        match base {
            Base::Value(value) => value.0,
            Base::ShadowOf(param) => self.shadows[&param],
        }
    }

    /// The parameters of the block get these values, and their shadows what the values were
    /// computed from.
    fn edge_with<'v>(
        &mut self,
        from: BlockId,
        to: BlockId,
        values: impl Iterator<Item = (&'v ValueId, &'v ValueId)>,
    ) -> Edge {
        let mut pairs = Vec::new();
        for (param, value) in values {
            pairs.push((param.0, value.0));
            if let Some(shadow) = self.shadows.get(param) {
                pairs.push((*shadow, self.slot_of_base(self.bases.base(*value))));
            }
        }
        let moves = self.sequence(pairs);
        let round = self.loops.is_head(to).then(|| {
            let kind = if !self.loops.is_back(from, to) {
                RoundKind::Entry
            } else if self.loops.dominates(to, from) {
                RoundKind::Back
            } else {
                RoundKind::Odd
            };
            Round::new(kind, self.counters[to.index()])
        });
        let moves = if moves.is_empty() {
            0
        } else {
            self.f.moves.push(moves);
            self.f.moves.len() as u32
        };
        Edge {
            pc: to.0,
            moves,
            round,
        }
    }

    /// Orders simultaneous moves so that none overwrites a source still needed; cycles go through a
    /// spare register.
    fn sequence(&mut self, mut pairs: Vec<(Slot, Slot)>) -> Vec<(Slot, Slot)> {
        pairs.retain(|(dst, src)| dst != src);
        let mut ordered = Vec::new();
        while !pairs.is_empty() {
            let free = pairs
                .iter()
                .position(|(dst, _)| pairs.iter().all(|(_, src)| src != dst));
            match free {
                Some(i) => ordered.push(pairs.remove(i)),
                None => {
                    let spare = self.next_slot;
                    self.next_slot += 1;
                    let blocked = pairs[0].1;
                    ordered.push((spare, blocked));
                    for pair in &mut pairs {
                        if pair.1 == blocked {
                            pair.1 = spare;
                        }
                    }
                }
            }
        }
        ordered
    }
}
