//! Calls, returns, stack objects, thread-local storage and jumps whose target is computed.

use std::rc::Rc;

use ir::{FuncId, GlobalId, Type};
use smallvec::SmallVec;

use crate::code::{
    Alloca, Call, CallTarget, Code, Edge, Entries, Function, Operand, Program, RoundKind, Slot,
    Switch,
};
use crate::fault::{Cutoff, End, Exec, Fault, Stop};
use crate::machine::Machine;
use crate::memory::{AccessKind, Allocation, LARGEST, MemoryFault, ObjectId, ObjectKind};
use crate::race::{Effect, How};
use crate::shims::ShimCall;
use crate::thread::{Guard, Stage, ThreadId};
use crate::value::Value;

/// The stack that Linux gives a thread by default.
const STACK: u64 = 8 << 20;

impl Machine {
    pub(crate) fn call(&mut self, program: &Program, base: usize, call: &Call) -> Exec<()> {
        let target = match call.target {
            CallTarget::Direct(function) => function,
            CallTarget::Indirect(slot) => {
                let callee = self.callee(self.running.registers[base + slot as usize])?;
                self.check_callee(callee);
                callee
            }
        };
        let f = program.function(target);
        if let Some(shim) = f.shim {
            let shim_call = ShimCall {
                name: &program.module.functions[target].name,
                args: &call.args,
                results: &call.results,
                base,
            };
            if self.probes.history.is_some() {
                let pc = self.running.frames.last().expect("a frame").pc as usize;
                return self.noted_shim(shim, &shim_call, pc);
            }
            return shim(self, &shim_call);
        }
        if !f.has_body {
            let name = program.module.functions[target].source_name.clone();
            let name = if name.is_empty() {
                program.module.functions[target].name.clone()
            } else {
                name
            };
            return self.cut_off(Cutoff::UnmodelledFunction(name));
        }
        let mut args: SmallVec<[Value; 8]> = call
            .args
            .iter()
            .map(|a| self.running.registers[base + a.slot as usize])
            .collect();
        // A call through a wrong prototype: what is passed has not the width that is expected.
        let bits = self.pointer_bits();
        let params = &program.module.functions[target].params;
        for ((value, arg), param) in args.iter_mut().zip(&call.args).zip(params) {
            if arg.ty != *param {
                *value = self.resized(*value, param.bits(bits));
            }
        }
        let pc = self.running.frames.last().expect("a frame").pc as usize;
        self.note_code(pc, false);
        self.enter(target, f, &args)?;
        if f.variadic && call.args.len() > f.params.len() {
            self.pass_variable_arguments(&call.args[f.params.len()..], &args[f.params.len()..])?;
        }
        Err(Stop::Jumped)
    }

    /// Pushes a frame for a function with a body.
    pub(crate) fn enter(&mut self, target: FuncId, f: &Function, args: &[Value]) -> Exec<()> {
        if self.running.frames.len() as u32 >= self.config.max_frames {
            return self.cut_off(Cutoff::RecursionBound);
        }
        if self.is_history_full() {
            return self.cut_off(Cutoff::Interrupted);
        }
        if let Some(bound) = self.config.unwind {
            let depth = self
                .running
                .frames
                .iter()
                .filter(|f| f.function == target)
                .count();
            if depth > bound as usize {
                return self.cut_off(Cutoff::RecursionBound);
            }
        }
        if f.absent {
            self.refute();
        }
        self.push_frame(target);
        let base = self.running.frames.last().expect("the new frame").base as usize;
        for (i, &slot) in f.params.iter().enumerate() {
            // A call through a wrong prototype may give too few: the rest is any value.
            self.running.registers[base + slot as usize] = match args.get(i) {
                Some(value) => *value,
                None => {
                    let ty = self.program.module.functions[target].params[i];
                    let width = ty.bits(self.pointer_bits());
                    self.input("missing argument", width)
                }
            };
        }
        if f.atomic {
            let thread = self.now.current;
            self.leave_no_section_open()?;
            self.thread_state_mut(thread).atomic += 1;
        }
        Ok(())
    }

    /// The function a pointer denotes.
    fn callee(&mut self, pointer: Value) -> Exec<FuncId> {
        let address = self.number(pointer)?;
        match self.program.layout.function_at.get(&address) {
            Some(function) => Ok(*function),
            None => {
                let fault = match self.state.memory.check(address, 1, AccessKind::Read) {
                    Ok(())
                    | Err(
                        MemoryFault::Text(_) | MemoryFault::Undefined(_) | MemoryFault::TooLarge(_),
                    ) => MemoryFault::Wild,
                    Err(fault) => fault,
                };
                self.fault(Fault::Memory(fault, address))
            }
        }
    }

    /// Variable arguments lie one after the other in memory, as the ABI passes them on the stack.
    fn pass_variable_arguments(&mut self, operands: &[Operand], values: &[Value]) -> Exec<()> {
        let word = self.pointer_bytes() as u64;
        let bits = self.pointer_bits();
        let mut offset: u64 = 0;
        let mut places = Vec::new();
        for operand in operands {
            let size = u64::from(operand.ty.bytes(bits));
            let wide = matches!(operand.ty, Type::F80 | Type::F128) || size == 16;
            if wide && word == 8 {
                offset = offset.next_multiple_of(16);
            }
            places.push(offset);
            offset += size.next_multiple_of(if wide && word == 8 { 16 } else { word });
        }
        let request = Allocation {
            arena: self.now.current.stack(),
            size: offset,
            align: 16,
            kind: ObjectKind::Internal("variable arguments"),
            initialised: true,
            readonly: false,
        };
        let Some(area) = self.state.memory.allocate(&mut self.trail, request) else {
            return self.cut_off(Cutoff::OutOfAddresses);
        };
        for ((operand, value), place) in operands.iter().zip(values).zip(places) {
            let width = operand.ty.bits(bits);
            self.state
                .memory
                .write(&mut self.trail, &self.terms, area + place, width, *value);
        }
        self.note_filled(self.marks_of_caller(), area, offset);
        let frame = self.running.frames.last_mut().expect("the new frame");
        frame.varargs = area;
        frame.leaked = true;
        Ok(())
    }

    pub(crate) fn ret(
        &mut self,
        program: &Program,
        f: &Function,
        base: usize,
        values: &[Slot],
    ) -> Exec<()> {
        self.see_stack_die()?;
        match *values {
            [] => self.leave(program, f, &[]),
            [only] => self.leave(program, f, &[self.running.registers[base + only as usize]]),
            ref many => {
                let value = |slot: &Slot| self.running.registers[base + *slot as usize];
                let values: SmallVec<[Value; 4]> = many.iter().map(value).collect();
                self.leave(program, f, &values)
            }
        }
    }

    /// The end of objects of the frame that other threads may access is a visible operation.
    fn see_stack_die(&mut self) -> Exec<()> {
        let frame = *self.running.frames.last().expect("a frame");
        if !frame.leaked || self.running.frames.len() == 1 && self.is_in_main() {
            return Ok(());
        }
        self.see_objects_die(frame.stack.objects)
    }

    /// The same for every stack object from `first` on.
    pub(crate) fn see_objects_die(&mut self, first: usize) -> Exec<()> {
        if !self.now.concurrent {
            return Ok(());
        }
        let arena = self.now.current.stack();
        let count = self
            .state
            .memory
            .arena(arena)
            .map_or(0, |a| a.objects.len());
        let mut visible = false;
        for index in first..count {
            let object = self.state.memory.object(ObjectId {
                arena,
                index: index as u32,
            });
            if object.live {
                let (base, size) = (object.base, object.size);
                visible |= self.is_visible(base, size, AccessKind::Write);
            }
        }
        self.pass(visible, Guard::Always)?;
        if visible {
            self.note_ends(first..count)?;
        }
        Ok(())
    }

    /// The locals end: a thread that still uses them races with that.
    fn note_ends(&mut self, locals: std::ops::Range<usize>) -> Exec<()> {
        let arena = self.now.current.stack();
        for index in locals {
            let object = self.state.memory.object(ObjectId {
                arena,
                index: index as u32,
            });
            if object.live {
                let (base, size) = (object.base, object.size);
                self.note_access(base, size, Effect::EndOfLife, How::Plain)?;
            }
        }
        Ok(())
    }

    /// Pops the frame and hands its results to the caller, which goes on after the call.
    pub(crate) fn leave(&mut self, program: &Program, f: &Function, values: &[Value]) -> Exec<()> {
        if f.atomic {
            self.leave_atomic();
        }
        if self.running.frames.len() == 1 {
            let value = values.first().copied().unwrap_or(Value::ZERO);
            return self.next_stage(program, value);
        }
        self.note_return();
        self.pop_frame();
        self.return_from_call(program, values);
        Err(Stop::Jumped)
    }

    /// The outermost frame returns: what its thread does next, if anything. If nothing, the frame
    /// stays where it is.
    fn next_stage(&mut self, program: &Program, value: Value) -> Exec<()> {
        let thread = self.now.current;
        let (arguments, result) = (self.statics.arguments, [value]);
        let entries = || program.entries.expect("a thread was started");
        let (next, stage, args): (_, _, &[Value]) = match self.thread_state(thread).stage {
            Stage::Begin => (entries().main, Stage::Body, &arguments),
            Stage::Body if thread == ThreadId::MAIN => {
                if self.exits_at_once(entries()) {
                    self.note_no_handlers(entries());
                    return self.exit_process();
                }
                (entries().exit, Stage::End, &result)
            }
            Stage::Body => {
                let value = self.resized(value, self.pointer_bits());
                self.note_end();
                self.set_result(thread, value);
                if self.thread_state(thread).tls.is_empty() {
                    self.end_stack();
                    return Err(Stop::Return);
                }
                (entries().end_thread, Stage::End, &[])
            }
            Stage::End => {
                self.end_thread_locals()?;
                self.end_stack();
                return Err(Stop::Return);
            }
        };
        if !args.is_empty() {
            self.note_stage(program.function(next), args);
        }
        self.pop_frame();
        self.thread_state_mut(thread).stage = stage;
        self.enter(next, program.function(next), args)?;
        Err(Stop::Jumped)
    }

    /// Whether `exit` would find nothing to do. Only without other threads, which might be about to
    /// add a handler.
    fn exits_at_once(&self, entries: Entries) -> bool {
        !self.now.concurrent
            && self.thread_state(self.now.current).tls.is_empty()
            && entries.handlers.is_some_and(|count| self.word(count) == 0)
    }

    /// The other threads run on: what they do could have happened before. Not so after an atomic
    /// section in which the process exits, for they would see it: the execution ends there.
    pub(crate) fn exit_process(&mut self) -> Exec<()> {
        let in_section = self.thread_state(self.now.current).atomic > 0;
        if self.now.concurrent && self.now.granted && in_section {
            return self.end(End::Discarded);
        }
        self.now.exited = true;
        Err(Stop::Exit)
    }

    /// The call that the top frame stands at is done: sets its results and goes on after it.
    pub(crate) fn return_from_call(&mut self, program: &Program, values: &[Value]) {
        let caller = *self.running.frames.last().expect("a caller");
        let g = program.function(caller.function);
        let base = caller.base as usize;
        match g.code[caller.pc as usize] {
            Code::Call { call } => {
                self.set_results(base, &g.calls[call as usize].results, values);
                self.running.frames.last_mut().expect("the caller").pc += 1;
            }
            Code::Invoke { call, normal, .. } => {
                self.set_results(base, &g.calls[call as usize].results, values);
                self.take_edge(g, base, normal);
            }
            _ => unreachable!("a frame returns to a call"),
        }
    }

    pub(crate) fn leave_atomic(&mut self) {
        let thread = self.now.current;
        let state = self.thread_state_mut(thread);
        state.atomic = state.atomic.saturating_sub(1);
        if state.atomic == 0 {
            self.now.granted = false;
            self.order_section();
        }
    }

    fn set_results(&mut self, base: usize, results: &[Operand], values: &[Value]) {
        for (i, result) in results.iter().enumerate() {
            let value = values.get(i).copied().unwrap_or(Value::ZERO);
            let value = self.resized(value, result.ty.bits(self.pointer_bits()));
            self.running.registers[base + result.slot as usize] = value;
        }
    }

    /// Moves registers and sets the top frame's pc. Counting iterations is left to jumps inside the
    /// function.
    pub(crate) fn take_edge(&mut self, f: &Function, base: usize, edge: Edge) {
        if edge.moves != 0 {
            for &(dst, src) in &f.moves[edge.moves as usize - 1] {
                self.running.registers[base + dst as usize] =
                    self.running.registers[base + src as usize];
            }
        }
        if let Some(round) = edge.round
            && round.kind() == RoundKind::Entry
        {
            self.enter_loop(base + round.counter());
        }
        self.running.frames.last_mut().expect("a frame").pc = edge.pc;
    }

    pub(crate) fn switch_target(&mut self, switch: &Switch, value: Value) -> Exec<Edge> {
        if value.is_concrete() {
            let found = switch
                .cases
                .iter()
                .find(|(case, _)| *case == u128::from(value.bits));
            return Ok(found.map_or(switch.default, |(_, edge)| *edge));
        }
        let width = u32::from(switch.bits);
        for (case, edge) in &switch.cases {
            let case = self.terms.constant(width, *case);
            let equal = self.terms.cmp(smt::CmpOp::Eq, value.term, case);
            if self.truth_of(equal)? {
                return Ok(*edge);
            }
        }
        Ok(switch.default)
    }

    pub(crate) fn indirect_target(&mut self, f: &Function, pointer: Value) -> Exec<u32> {
        let address = self.number(pointer)?;
        let function = self.running.frames.last().expect("a frame").function;
        match self.program.layout.label_at.get(&address) {
            Some((at, block)) if *at == function => Ok(f.block_starts[block.index()]),
            _ => self.fault(Fault::Memory(MemoryFault::Wild, address)),
        }
    }

    pub(crate) fn alloca(&mut self, base: usize, dst: usize, alloca: &Alloca) -> Exec<()> {
        let count = match alloca.count {
            Some((slot, _)) => self.number(self.running.registers[base + slot as usize])?,
            None => 1,
        };
        let function = self.running.frames.last().expect("a frame").function;
        let size = alloca.size.saturating_mul(count);
        if size > LARGEST {
            return self.cut_off(Cutoff::ObjectTooLarge);
        }
        let request = Allocation {
            arena: self.now.current.stack(),
            size,
            align: alloca.align,
            kind: ObjectKind::Stack {
                function,
                var: alloca.var,
            },
            initialised: false,
            readonly: false,
        };
        let Some(address) = self.state.memory.allocate(&mut self.trail, request) else {
            return self.cut_off(Cutoff::OutOfAddresses);
        };
        if self.state.memory.least_bytes(self.now.current.stack()) > STACK {
            return self.cut_off(Cutoff::RecursionBound);
        }
        for loose in &alloca.loose {
            self.make_loose(address, *loose);
        }
        if alloca.leaks {
            self.running.frames.last_mut().expect("a frame").leaked = true;
        }
        self.running.registers[dst] = Value::concrete(address);
        Ok(())
    }

    /// The thread-local variables of the running thread end with it, visibly where other threads
    /// may look.
    fn end_thread_locals(&mut self) -> Exec<()> {
        let used = self.thread_state(self.now.current).tls.iter();
        let objects: Vec<ObjectId> = used
            .filter_map(|(_, address)| self.state.memory.object_at(*address))
            .collect();
        let place = |m: &Machine, id: ObjectId| {
            let object = m.state.memory.object(id);
            (object.base, object.size)
        };
        let mut visible = false;
        for &id in &objects {
            let (base, size) = place(self, id);
            visible |= self.now.concurrent && self.is_visible(base, size, AccessKind::Write);
        }
        self.pass(visible, Guard::Always)?;
        for id in objects {
            let (base, size) = place(self, id);
            if visible {
                self.note_access(base, size, Effect::EndOfLife, How::Plain)?;
            }
            self.state.memory.kill(&mut self.trail, id);
        }
        Ok(())
    }

    /// How many the running thread has used.
    pub(crate) fn thread_locals(&self) -> usize {
        self.thread_state(self.now.current).tls.len()
    }

    pub(crate) fn tls_address(&mut self, dst: usize, global: GlobalId) -> Exec<()> {
        let thread = self.now.current;
        let known = self
            .thread_state(thread)
            .tls
            .iter()
            .find(|(g, _)| *g == global);
        if let Some((_, address)) = known {
            self.running.registers[dst] = Value::concrete(*address);
            return Ok(());
        }
        let program = Rc::clone(&self.program);
        let g = &program.module.globals[global];
        if g.size > LARGEST {
            return self.cut_off(Cutoff::ObjectTooLarge);
        }
        if g.init.is_none() {
            return self.cut_off(Cutoff::UndefinedVariable(g.name.clone()));
        }
        let request = Allocation {
            arena: thread.heap(),
            size: g.size,
            align: g.align,
            kind: ObjectKind::ThreadLocal(global, thread),
            initialised: g.init.is_some(),
            readonly: false,
        };
        let Some(address) = self.state.memory.allocate(&mut self.trail, request) else {
            return self.cut_off(Cutoff::OutOfAddresses);
        };
        if let Some(init) = &g.init {
            self.initialise(address, init);
        }
        self.make_thread_local_loose(global, address);
        Rc::make_mut(&mut self.thread_state_mut(thread).tls).push((global, address));
        self.running.registers[dst] = Value::concrete(address);
        Ok(())
    }
}
