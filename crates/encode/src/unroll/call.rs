//! Calls and returns, and what is done by functions without a body.

use std::rc::Rc;

use ir::modelled::{Modelled, Overriding};
use ir::{Call, Callee, FuncId, GlobalId, Terminator, Type, ValueId};
use smallvec::SmallVec;
use smt::TermId;

use super::{Next, Obstacle, Run, Stop, Unroller, Worklist, obstacle};
use crate::graph::{EventKind, Exit, FaultKind};
use crate::knowledge::{KeyId, ThreadIx, Values};
use crate::memory::{self, Initial, Object, ObjectKind};
use crate::path::{Frame, Path, Stage, UNSET};
use crate::place::Shape;

/// In the names of functions that tell whether they had to give up, or how many others could go on.
const GIVE_UP: [&str; 4] = ["try", "timed", "clock", "getvalue"];

/// A call of a function without a body.
pub(super) struct Called<'a> {
    pub name: &'a str,
    pub args: SmallVec<[TermId; 6]>,
    pub result: Option<ValueId>,
    pub result_width: Option<u32>,
}

impl<'a> Unroller<'a> {
    pub(super) fn call(&mut self, work: &mut Worklist, path: &mut Path, call: &Call) -> Run<Next> {
        match call.callee {
            Callee::Direct(function) => self.call_function(work, path, function, call),
            Callee::Indirect(value) => {
                let pointer = path.register(value);
                let callees = self.callees(work, path, pointer)?;
                match callees.as_slice() {
                    [(function, is_it)] => {
                        path.guard = self.terms.and(path.guard, *is_it);
                        self.call_function(work, path, *function, call)
                    }
                    several => self.call_one_of(work, path, several, call),
                }
            }
        }
    }

    /// The path goes on in several functions.
    fn call_one_of(
        &mut self,
        work: &mut Worklist,
        path: &Path,
        callees: &[(FuncId, TermId)],
        call: &Call,
    ) -> Run<Next> {
        for (function, is_it) in callees {
            let mut path = path.clone();
            path.guard = self.terms.and(path.guard, *is_it);
            match self.call_function(work, &mut path, *function, call) {
                Ok(Next::Jumped) => self.enqueue(work, path),
                Ok(Next::Go) => self.go_past_call(work, path),
                Err(Stop::Dead) => {}
                Err(obstacle) => return Err(obstacle),
            }
        }
        Err(Stop::Dead)
    }

    /// The call at which the path stands is over.
    fn go_past_call(&mut self, work: &mut Worklist, mut path: Path) {
        let frame = path.frame();
        let body = self.body(frame.function);
        let block = &body.blocks[frame.block];
        match (block.insts.get(frame.inst as usize), &block.terminator) {
            (None, Terminator::Invoke { normal, .. }) => self.jump(work, path, body, normal),
            _ => {
                path.frame_mut().inst += 1;
                self.enqueue(work, path);
            }
        }
    }

    fn call_function(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: FuncId,
        call: &Call,
    ) -> Run<Next> {
        let f = &self.module.functions[function];
        if let Some(overriding) = Overriding::named(&f.name) {
            let called = self.called(path, &f.name, call);
            return self.overriding(work, path, overriding, &called);
        }
        if matches!(f.name.as_str(), "exit" | "quick_exit") {
            return self.exit_process(path);
        }
        if f.body.is_none() {
            return self.external(work, path, function, call);
        }
        let pointer_bits = self.module.pointer_bits;
        let mut args: Vec<TermId> = call.args.iter().map(|a| path.register(*a)).collect();
        for (arg, param) in args.iter_mut().zip(&f.params) {
            *arg = self.resized(*arg, param.bits(pointer_bits));
        }
        if args.len() < f.params.len() {
            return self.stop(path, "a call with too few arguments");
        }
        let more = args.split_off(f.params.len());
        let types: Vec<Type> = {
            let body = self.body(path.frame().function);
            let rest = call.args.iter().skip(f.params.len());
            rest.map(|a| body.ty(*a)).collect()
        };
        let is_recursive = path.frames.iter().any(|frame| frame.function == function);
        let loc = self.loc(path);
        self.enter(path, function, &args)?;
        if f.variadic && !more.is_empty() {
            self.pass_variable_arguments(work, path, &more, &types)?;
        }
        if is_recursive {
            let key = self.key_of(path);
            let depth = path
                .frames
                .iter()
                .filter(|f| f.function == function)
                .count();
            let is_known = self.known.is_visited(work.thread, &key)
                || (self.options.whole).is_some_and(|bound| depth as u32 <= bound);
            if !is_known {
                self.graph.exits.push(Exit {
                    thread: work.thread,
                    target: key.into(),
                    loc,
                    cond: path.guard,
                    round: Some(depth as u32 - 1),
                    after: self.made,
                });
                return Err(Stop::Dead);
            }
        }
        Ok(Next::Jumped)
    }

    /// The functions that a pointer may denote, each with the condition under which it does.
    fn callees(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        pointer: TermId,
    ) -> Run<SmallVec<[(FuncId, TermId); 1]>> {
        let candidates: Vec<u64> = match (self.number(pointer), self.values_of(pointer)) {
            (Some(address), _) => vec![address],
            (None, Values::Few(all)) => all.into_iter().collect(),
            (None, Values::Any) => return self.stop(path, "a call through a pointer to anything"),
        };
        let mut callees = SmallVec::new();
        let mut known = self.terms.bool(false);
        for address in candidates {
            if let Some(function) = self.function_at.get(&address).copied() {
                let is_it = self.is(pointer, u128::from(address));
                known = self.terms.or(known, is_it);
                callees.push((function, is_it));
            }
        }
        let wrong = self.terms.not(known);
        self.fail_if(work.thread, path, FaultKind::Memory, wrong)?;
        match callees.is_empty() {
            true => self.fail(work.thread, path, FaultKind::Memory),
            false => Ok(callees),
        }
    }

    /// Pushes a frame.
    pub(super) fn enter(&mut self, path: &mut Path, function: FuncId, args: &[TermId]) -> Run<()> {
        let body = self.body(function);
        if !self.shapes.contains_key(&function) {
            let Some(shape) = Shape::of(body) else {
                return self.stop_in(path, function, "a loop with several entries");
            };
            self.shapes.insert(function, Rc::new(shape));
            let mut registers = vec![UNSET; body.values.len()];
            for (id, value) in body.values.enumerate() {
                if let Some(constant) = value.constant {
                    let width = value.ty.bits(self.module.pointer_bits);
                    let bits = match constant {
                        ir::Const::Bits(bits) => bits,
                        ir::Const::Address(symbol, offset) => {
                            u128::from(self.symbol(symbol).wrapping_add_signed(offset))
                        }
                    };
                    registers[id.index()] = self.terms.constant(width, bits);
                }
            }
            self.templates.insert(function, Rc::new(registers));
        }
        let mut prefix = match path.frames.is_empty() {
            true => {
                path.begun += 1;
                vec![path.begun]
            }
            false => self.key_of(path),
        };
        prefix.push(function.0);
        let mut registers = (*self.templates[&function]).clone();
        for (parameter, arg) in body.params.iter().zip(args) {
            registers[parameter.index()] = *arg;
        }
        let is_atomic = self.module.functions[function]
            .name
            .starts_with("__VERIFIER_atomic_");
        let shape = self.shapes[&function].clone();
        let entry = ir::BlockId(0);
        path.frames.push(Frame {
            function,
            block: entry,
            inst: 0,
            part: 0,
            rounds: vec![0; shape.loops(entry).len()],
            heads: Vec::new(),
            registers: Rc::new(registers),
            prefix: prefix.into(),
            locals: Rc::default(),
            variable_arguments: None,
            is_atomic,
        });
        if is_atomic {
            self.enter_atomic(path);
        }
        Ok(())
    }

    fn stop_in<T>(&self, path: &Path, function: FuncId, why: &str) -> Run<T> {
        if path.frames.is_empty() {
            let loc = self.module.functions[function].loc.unwrap_or_default();
            return Err(Stop::Obstacle(obstacle(loc, why)));
        }
        self.stop(path, why)
    }

    /// Returns. Whether the path was put into a queue.
    pub(super) fn give_back(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        values: &[TermId],
    ) -> Run<bool> {
        self.end_frame(work, path)?;
        if path.frames.is_empty() {
            return self.next_stage(work, path, values);
        }
        let frame = path.frame();
        let body = self.body(frame.function);
        let block = &body.blocks[frame.block];
        let (call, normal) = match block.insts.get(frame.inst as usize) {
            Some(ir::Inst {
                op: ir::Op::Call(call),
                ..
            }) => (call, None),
            Some(_) => unreachable!("a frame returns to a call"),
            None => match &block.terminator {
                Terminator::Invoke { call, normal, .. } => (call, Some(normal)),
                _ => unreachable!("a frame returns to a call"),
            },
        };
        for (result, value) in call.results.iter().zip(values) {
            let width = body.ty(*result).bits(self.module.pointer_bits);
            let value = self.resized(*value, width);
            path.set(*result, value);
        }
        match normal {
            Some(normal) => self.jump(work, path.clone(), body, normal),
            None => {
                path.frame_mut().inst += 1;
                self.enqueue(work, path.clone());
            }
        }
        Ok(true)
    }

    /// The innermost frame is left.
    pub(super) fn end_frame(&mut self, work: &mut Worklist, path: &mut Path) -> Run<()> {
        let is_last_of_main = path.frames.len() == 1 && work.thread == ThreadIx::MAIN;
        if !is_last_of_main {
            self.end_locals(work, path)?;
        }
        if path.frame().is_atomic {
            self.leave_atomic(path);
        }
        path.frames.pop();
        Ok(())
    }

    /// The locals of the innermost frame end.
    fn end_locals(&mut self, work: &mut Worklist, path: &mut Path) -> Run<()> {
        let locals = path.frame().locals.clone();
        self.end_all(work, path, &locals)
    }

    /// The thread is over, and with it what it has as a whole.
    pub(super) fn finish_thread(&mut self, work: &mut Worklist, path: &mut Path) -> Run<()> {
        let own = std::mem::take(&mut path.thread_locals);
        self.end_all(work, path, &own)?;
        work.ends.push(path.clone());
        Ok(())
    }

    fn end_all(&mut self, work: &mut Worklist, path: &mut Path, locals: &[u64]) -> Run<()> {
        let mortal: Vec<u64> = (locals.iter().copied())
            .filter(|base| self.known.mortal.contains(base))
            .collect();
        let yes = self.terms.bool(true);
        for base in mortal {
            self.begin_event(work, path, EventKind::Access);
            self.accesses_plainly = true;
            self.end_object(work, path, base, yes, false)?;
            self.end_event(path);
        }
        for base in locals.iter() {
            path.ended.insert(*base, yes);
        }
        Ok(())
    }

    /// The outermost function has returned.
    fn next_stage(&mut self, work: &mut Worklist, path: &mut Path, values: &[TermId]) -> Run<bool> {
        let is_main = work.thread == ThreadIx::MAIN;
        match path.stage {
            Stage::Begin => {
                let main = self.module.function_named("main").expect("there is a main");
                let args = self.arguments_of_main(main).map_err(Stop::Obstacle)?;
                path.stage = Stage::Body;
                self.enter(path, main, &args)?;
                self.begin_block(path);
                Ok(false)
            }
            Stage::Body if is_main => {
                // `exit` runs what was registered, of which there is nothing.
                let handlers = ["atexit", "__cxa_atexit", "on_exit"];
                if handlers
                    .iter()
                    .any(|name| self.module.function_named(name).is_some())
                {
                    return Err(Stop::Obstacle(obstacle(
                        ir::debug::LocId(0),
                        "functions that run at the end",
                    )));
                }
                self.graph.stops.push(path.guard);
                Err(Stop::Dead)
            }
            Stage::Body => {
                let value = values.first().copied();
                path.result = match value {
                    Some(value) => self.resized(value, self.module.pointer_bits),
                    None => self.pointer(0),
                };
                let end = self.module.function_named("__sleave_end_thread");
                match end.filter(|_| path.uses_thread_locals) {
                    Some(end) => {
                        path.stage = Stage::End;
                        self.enter(path, end, &[])?;
                        self.begin_block(path);
                        Ok(false)
                    }
                    None => {
                        self.finish_thread(work, path)?;
                        Ok(true)
                    }
                }
            }
            Stage::End => {
                self.finish_thread(work, path)?;
                Ok(true)
            }
        }
    }

    pub(super) fn exit_process<T>(&mut self, path: &mut Path) -> Run<T> {
        let handlers = ["atexit", "__cxa_atexit", "on_exit", "at_quick_exit"];
        if handlers
            .iter()
            .any(|name| self.module.function_named(name).is_some())
        {
            return self.stop(path, "functions that run at the end");
        }
        self.graph.stops.push(path.guard);
        Err(Stop::Dead)
    }

    pub(super) fn arguments_of_main(&mut self, main: FuncId) -> Result<Vec<TermId>, Obstacle> {
        let function = &self.module.functions[main];
        if function.params.is_empty() {
            return Ok(Vec::new());
        }
        let body = self.body(main);
        let is_used = |value: ValueId| {
            let mut used = false;
            for block in &body.blocks {
                for inst in &block.insts {
                    inst.op.for_each_operand(|v| used |= v == value);
                }
                block.terminator.for_each_operand(|v| used |= v == value);
            }
            used
        };
        if body.params.iter().any(|p| is_used(*p)) {
            let loc = function.loc.unwrap_or_default();
            return Err(obstacle(loc, "arguments of main"));
        }
        let widths = function
            .params
            .iter()
            .map(|p| p.bits(self.module.pointer_bits));
        Ok(widths.map(|width| self.terms.constant(width, 0)).collect())
    }

    // ----- functions without a body -----

    fn called<'n>(&self, path: &Path, name: &'n str, call: &Call) -> Called<'n> {
        let result = call.results.first().copied();
        Called {
            name,
            args: call.args.iter().map(|a| path.register(*a)).collect(),
            result,
            result_width: result.map(|r| self.width_of(path, r)),
        }
    }

    pub(super) fn result(&mut self, path: &mut Path, call: &Called, value: TermId) {
        if let (Some(result), Some(width)) = (call.result, call.result_width) {
            let value = self.resized(value, width);
            path.set(result, value);
        }
    }

    pub(super) fn result_number(&mut self, path: &mut Path, call: &Called, number: u64) {
        let value = self.terms.constant(64, u128::from(number));
        self.result(path, call, value);
    }

    fn external(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: FuncId,
        call: &Call,
    ) -> Run<Next> {
        let name = &self.module.functions[function].name;
        let called = self.called(path, name, call);
        let Some(modelled) = Modelled::named(name) else {
            return self.stop(path, format!("a function without a model: {name}"));
        };
        if GIVE_UP.iter().any(|part| name.contains(part)) && self.graph.gives_up.is_none() {
            self.graph.gives_up = Some(self.loc(path));
        }
        match modelled {
            Modelled::Thread(function) => self.thread_function(work, path, function, &called),
            Modelled::Mutex(function) => self.mutex(work, path, function, &called),
            Modelled::RwLock(function) => self.rwlock(work, path, function, &called),
            Modelled::Condition(function) => self.condition(work, path, function, &called),
            Modelled::Barrier(function) => self.barrier(work, path, function, &called),
            Modelled::Semaphore(function) => self.semaphore(work, path, function, &called),
            Modelled::Heap(function) => self.heap(work, path, function, &called),
            Modelled::Output(function) => self.output(work, path, function, &called),
            Modelled::Process(function) => self.process(work, path, function, &called),
            Modelled::Jump(_) => self.stop(path, format!("what {name} does")),
            Modelled::Environment(_) => self.stop(path, "what surrounds the program"),
            Modelled::Verifier(function) => self.verifier(work, path, function, &called),
        }
    }

    // ----- variable arguments, thread-local variables -----

    fn pass_variable_arguments(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        values: &[TermId],
        types: &[Type],
    ) -> Run<()> {
        let bits = self.module.pointer_bits;
        let word = self.module.pointer_bytes();
        let mut offset: u64 = 0;
        let mut places = Vec::new();
        for ty in types {
            let size = u64::from(ty.bytes(bits));
            let is_wide = (matches!(ty, Type::F80 | Type::F128) || size == 16) && word == 8;
            if is_wide {
                offset = offset.next_multiple_of(16);
            }
            places.push(offset);
            offset += size.next_multiple_of(if is_wide { 16 } else { word });
        }
        let area = self.allocate(
            work,
            path,
            (offset, 16),
            ObjectKind::Stack,
            Initial::Zero,
            1,
        )?;
        path.ended.remove(&area);
        for (value, place) in values.iter().zip(places) {
            let width = self.terms.width(*value).next_multiple_of(8);
            let value = self.terms.zext(*value, width);
            memory::write(self.terms, &mut path.contents, area + place, value);
        }
        path.frame_mut().variable_arguments = Some(area);
        Ok(())
    }

    pub(super) fn begin_variable_arguments(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        list: TermId,
    ) -> Run<()> {
        let Some(area) = path.frame().variable_arguments else {
            return self.stop(path, "variable arguments that are not there");
        };
        let list = self.need(path, list, "an address")?;
        let is_wide = self.module.pointer_bits == 64;
        let mut image = Vec::new();
        if is_wide {
            // All registers are used up.
            image.extend(48u32.to_le_bytes());
            image.extend(176u32.to_le_bytes());
            image.extend(area.to_le_bytes());
            image.extend([0; 8]);
        } else {
            image.extend((area as u32).to_le_bytes());
        }
        self.need_valid(work, path, list, image.len() as u64, true)?;
        self.note_visitor(work, list);
        if self.is_contended(list, image.len() as u64) || self.may_end(list) {
            return self.stop(path, "variable arguments that threads share");
        }
        self.touch(work, path, (list, image.len() as u64), true);
        let word = self.module.pointer_bytes() as usize;
        for (i, bytes) in image.chunks(if is_wide { 4 } else { word }).enumerate() {
            let mut number = [0; 8];
            number[..bytes.len()].copy_from_slice(bytes);
            let value = self.constant(8 * bytes.len() as u32, u64::from_le_bytes(number));
            let at = list + (i * bytes.len()) as u64;
            memory::write(self.terms, &mut path.contents, at, value);
        }
        Ok(())
    }

    /// This thread's copy of a thread-local variable.
    pub(super) fn thread_local(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        global: GlobalId,
    ) -> Run<u64> {
        let g = &self.module.globals[global];
        let initial = match &g.init {
            Some(init) if init.relocations.is_empty() => Initial::Bytes(init.bytes.clone()),
            Some(_) => return self.stop(path, "a thread-local variable that holds addresses"),
            None => return self.stop(path, "a variable that is defined nowhere"),
        };
        let key = self.known.key(&[u32::MAX, global.0]);
        path.uses_thread_locals = true;
        self.own(work, path, key, (g.size, g.align), initial)
    }

    /// An object that the thread has from its beginning to its end.
    fn own(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        key: KeyId,
        (size, align): (u64, u64),
        initial: Initial,
    ) -> Run<u64> {
        let Some(base) = self.known.object((work.thread, key, 0), size, align) else {
            return self.stop(path, "objects too large");
        };
        let object = Object {
            size,
            kind: ObjectKind::Stack,
            readonly: false,
            initial,
        };
        self.grew |= self.known.made.insert(base, object.clone()).is_none();
        self.objects.insert(base, object);
        self.known.owners.insert(base, work.thread);
        if !path.thread_locals.contains(&base) {
            Rc::make_mut(&mut path.thread_locals).push(base);
        }
        Ok(base)
    }

    /// This thread's `errno`.
    pub(super) fn errno(&mut self, work: &Worklist, path: &mut Path) -> Run<u64> {
        let key = self.known.key(&[u32::MAX, u32::MAX]);
        self.own(work, path, key, (4, 4), Initial::Zero)
    }

    pub(super) fn set_errno(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        fails: TermId,
        code: u64,
    ) -> Run<()> {
        let address = self.errno(work, path)?;
        let code = self.constant(32, code);
        let old = memory::read(self.terms, &self.objects, &path.contents, address, 4);
        let value = self.terms.ite(fails, code, old);
        memory::write(self.terms, &mut path.contents, address, value);
        Ok(())
    }
}
