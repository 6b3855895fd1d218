//! The interpreter loop: a flat match whose arms do one thing or call the file that does it.
//!
//! Instructions that only compute registers, plain accesses and jumps have fast paths (`step/`),
//! which leave the `pc` of the frame behind; whatever can stop first stores it there
//! ([`Machine::stand`]), because an instruction that stops is executed again from its beginning.

mod arithmetic;
mod plain_access;
mod rounds;

use std::hint::black_box;
use std::rc::Rc;

use ir::GlobalId;

pub use self::arithmetic::concrete_bin;
use crate::code::{Code, Edge, Function, Program, Slot};
use crate::fault::{Cutoff, Exec, Fault, Stop};
use crate::history::Detail;
use crate::machine::Machine;
use crate::value::Value;

/// The instruction that is executed: its place in the code of the function, and where the
/// registers of the frame begin.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pc: usize,
    base: usize,
}

impl Machine {
    /// Runs the loaded thread until it stops.
    pub(crate) fn interpret(&mut self) -> Stop {
        let program = Rc::clone(&self.program);
        self.save_top();
        loop {
            let frame = self.running.frames.last().expect("a frame");
            let f = program.function(frame.function);
            let pc = frame.pc as usize;
            let base = frame.base as usize;
            let stop = if self.probes.history.is_some() {
                self.note_context();
                self.interpret_frame::<true>(&program, f, pc, base)
            } else {
                self.interpret_frame::<false>(&program, f, pc, base)
            };
            match stop {
                // The frames changed: the new top frame has its own `pc`.
                Stop::Jumped => {
                    self.step.is_local = false;
                    self.finish_instruction();
                }
                Stop::Again => self.step.is_local = false,
                stop => return stop,
            }
        }
    }

    /// Executes instructions of the top frame until one stops or changes the frames; the frame has
    /// its `pc` then. `black_box` keeps what few instructions use from being loaded on every entry.
    /// With `NOTED`, every instruction that is done is noted in the history.
    fn interpret_frame<const NOTED: bool>(
        &mut self,
        program: &Program,
        f: &Function,
        mut pc: usize,
        base: usize,
    ) -> Stop {
        // What an instruction returns, unless it stops.
        macro_rules! run {
            ($call:expr) => {
                match $call {
                    Ok(done) => done,
                    Err(stop) => return stop,
                }
            };
        }
        // Takes an edge: the history has an entry of the jump already, or gets one here.
        macro_rules! jump {
            ($at:expr, $edge:expr, $taken:expr) => {{
                pc = run!(self.step_jump::<NOTED>(f, $at, $edge, $taken));
                continue;
            }};
        }
        loop {
            let at = At { pc, base };
            match f.code[pc] {
                Code::Bin {
                    op,
                    bits,
                    dst,
                    a,
                    b,
                } => run!(self.step_bin(at, op, bits, dst, [a, b])),
                Code::Cmp {
                    op,
                    bits,
                    dst,
                    a,
                    b,
                } => self.step_cmp(at, op, bits, dst, [a, b]),
                Code::Cast {
                    op,
                    from,
                    to,
                    dst,
                    src,
                } => self.step_cast(at, op, [from, to], dst, src),
                Code::Select {
                    dst,
                    cond,
                    a,
                    b,
                    bits,
                } => self.step_select(at, bits, dst, cond, [a, b]),
                Code::FloatBin { op, ty, dst, a, b } => {
                    let float =
                        |m: &mut Machine, to, [a, b]: [Value; 2]| m.float_bin(op, ty, to, a, b);
                    run!(self.step_float::<NOTED, 2>(at, dst, [a, b], float));
                }
                Code::FloatCmp { op, ty, dst, a, b } => {
                    let float =
                        |m: &mut Machine, to, [a, b]: [Value; 2]| m.float_cmp(op, ty, to, a, b);
                    run!(self.step_float::<NOTED, 2>(at, dst, [a, b], float));
                }
                Code::FloatUnary { op, ty, dst, src } => {
                    let float = |m: &mut Machine, to, [a]: [Value; 1]| m.float_unary(op, ty, to, a);
                    run!(self.step_float::<NOTED, 1>(at, dst, [src], float));
                }
                Code::FloatCast {
                    op,
                    from,
                    to,
                    dst,
                    src,
                } => {
                    let float =
                        |m: &mut Machine, dst, [a]: [Value; 1]| m.float_cast(op, from, to, dst, a);
                    run!(self.step_float::<NOTED, 1>(at, dst, [src], float));
                }
                Code::AddConst { dst, base, offset } => self.step_add_const(at, dst, base, offset),
                Code::AddIndex {
                    dst,
                    base,
                    index,
                    bits,
                    scale,
                } => self.step_add_index(at, dst, base, (index, bits, scale)),
                Code::AddOffsets { dst, base, offsets } => {
                    self.step_add_offsets(f, at, dst, base, offsets);
                }
                Code::Within { base, ptr, bytes } => {
                    run!(self.step_within::<NOTED>(at, base, ptr, bytes));
                }
                Code::WithinGlobal { global, ptr } => {
                    let from = Value::concrete(program.layout.globals[global.index()]);
                    let to = self.register(at, ptr);
                    run!(self.slowly(at, |m| m.stay_within(from, to, 0)));
                }
                Code::Load {
                    dst,
                    ptr,
                    bits,
                    atomic,
                    marks,
                } => run!(self.step_load::<NOTED>(at, dst, ptr, bits, atomic, marks)),
                Code::Store {
                    ptr,
                    value,
                    bits,
                    atomic,
                    marks,
                } => run!(self.step_store::<NOTED>(at, ptr, value, bits, atomic, marks)),
                Code::Rmw {
                    op,
                    ty,
                    dst,
                    ptr,
                    value,
                    order,
                } => {
                    self.stand(at);
                    let (p, v) = (self.register(at, ptr), self.register(at, value));
                    run!(self.rmw(op, ty, base + dst as usize, p, v, order));
                    self.step.is_local &= self.running.visible;
                    self.finish_instruction();
                    self.note_if::<NOTED>(|_| Detail::address(p));
                }
                Code::CmpXchg {
                    old,
                    success,
                    ptr,
                    expected,
                    new,
                    bits,
                    orders,
                } => {
                    let p = self.register(at, ptr);
                    let to = [base + old as usize, base + success as usize];
                    let values = [self.register(at, expected), self.register(at, new)];
                    run!(self.slowly(at, |m| m.cmpxchg(to, p, values, u32::from(bits), orders)));
                    if NOTED {
                        self.note_detail(|| Detail::address(p));
                        self.note_code(pc, self.register(at, success).bits & 1 == 1);
                        pc += 1;
                        continue;
                    }
                }
                Code::Fence(order) => self.order_fence(order),
                Code::Alloca { dst, alloca } => {
                    let to = base + dst as usize;
                    let alloca = &black_box(f).allocas[alloca as usize];
                    run!(self.slowly(at, |m| m.alloca(base, to, alloca)));
                    if NOTED {
                        self.note_new_object(self.register(at, dst));
                    }
                }
                Code::TlsAddr { dst, global } => {
                    run!(self.step_tls_address::<NOTED>(at, dst, global));
                }
                Code::Call { call } => {
                    self.stand(at);
                    self.step.only_joins = false;
                    let done = self.call(program, base, &f.calls[call as usize]);
                    self.step.is_local &= self.step.only_joins;
                    run!(done);
                    self.finish_instruction();
                    // Shims are noted where they are called.
                    pc += 1;
                    continue;
                }
                Code::Intrinsic { intrinsic } => {
                    run!(self.step_intrinsic::<NOTED>(f, at, intrinsic));
                }
                Code::Undef { dst, bits } => {
                    self.step.is_local = false;
                    let value = self.input("undefined", u32::from(bits));
                    self.set_register(at, dst, value);
                    self.note_if::<NOTED>(|_| Detail::Value(value));
                }
                Code::UnsupportedAssembly { text } => {
                    let text = black_box(f).texts[text as usize].clone();
                    run!(self.slowly(at, |m| m.cut_off(Cutoff::UnmodelledAssembly(text))));
                }
                Code::UnsupportedInstruction { text } => {
                    let text = black_box(f).texts[text as usize].clone();
                    run!(self.slowly(at, |m| m.cut_off(Cutoff::UnmodelledInstruction(text))));
                }
                Code::Jump(edge) => jump!(at, edge, Some(false)),
                Code::CondBr { cond, then, other } => {
                    let taken = run!(self.step_branch::<NOTED>(f, at, cond));
                    jump!(at, if taken { then } else { other }, Some(taken));
                }
                Code::Switch { switch } => {
                    let edge = run!(self.step_switch::<NOTED>(f, at, switch));
                    jump!(at, edge, Some(false));
                }
                Code::IndirectBr { addr } => {
                    pc = run!(self.step_indirect::<NOTED>(f, at, addr));
                    continue;
                }
                Code::Ret { values } => {
                    self.stand(at);
                    let values = &black_box(f).returns[values as usize];
                    run!(self.ret(program, f, base, values));
                    self.finish_instruction();
                }
                Code::Invoke { call, normal, .. } => {
                    // A call that enters a function comes back through `ret`, which takes the
                    // normal edge.
                    let call = &f.calls[call as usize];
                    run!(self.slowly(at, |m| m.call(program, base, call)));
                    jump!(at, normal, None);
                }
                Code::Resume { exception, .. } => {
                    let exception = self.register(at, exception);
                    run!(self.slowly(at, |m| m.resume(exception)));
                }
                Code::Unreachable => run!(self.slowly(at, |m| m.fault(Fault::Unreachable))),
            }
            if NOTED {
                self.note_code(pc, false);
            }
            pc += 1;
        }
    }

    #[inline(always)]
    fn register(&self, at: At, slot: Slot) -> Value {
        self.running.registers[at.base + slot as usize]
    }

    #[inline(always)]
    fn set_register(&mut self, at: At, slot: Slot, value: Value) {
        self.running.registers[at.base + slot as usize] = value;
    }

    /// Stores in the frame where the thread stands.
    #[inline(always)]
    fn stand(&mut self, at: At) {
        self.running.frames.last_mut().expect("a frame").pc = at.pc as u32;
    }

    /// Executes an instruction that can stop, and forgets its answers once it is done.
    #[inline(always)]
    fn slowly(&mut self, at: At, go: impl FnOnce(&mut Machine) -> Exec<()>) -> Exec<()> {
        self.stand(at);
        self.step.is_local = false;
        go(self)?;
        self.finish_instruction();
        Ok(())
    }

    #[inline(always)]
    fn note_if<const NOTED: bool>(&mut self, detail: impl FnOnce(&mut Machine) -> Detail) {
        if NOTED {
            let detail = detail(self);
            self.note_detail(|| detail);
        }
    }

    /// An operation on floats, which is only known to give the same result for the same operands.
    #[inline(always)]
    fn step_float<const NOTED: bool, const N: usize>(
        &mut self,
        at: At,
        dst: Slot,
        operands: [Slot; N],
        float: impl FnOnce(&mut Machine, usize, [Value; N]) -> Exec<()>,
    ) -> Exec<()> {
        let args = operands.map(|slot| self.register(at, slot));
        self.slowly(at, |m| float(m, at.base + dst as usize, args))?;
        self.note_if::<NOTED>(|m| Detail::pure(&args, m.register(at, dst)));
        Ok(())
    }

    #[inline(always)]
    fn step_tls_address<const NOTED: bool>(
        &mut self,
        at: At,
        dst: Slot,
        global: GlobalId,
    ) -> Exec<()> {
        let before = self.thread_locals();
        self.slowly(at, |m| m.tls_address(at.base + dst as usize, global))?;
        self.note_if::<NOTED>(|m| {
            let is_new = m.thread_locals() > before;
            m.thread_local_detail(m.register(at, dst), is_new)
        });
        Ok(())
    }

    #[inline(always)]
    fn step_intrinsic<const NOTED: bool>(
        &mut self,
        f: &Function,
        at: At,
        intrinsic: u32,
    ) -> Exec<()> {
        let (op, results, args) = &black_box(f).intrinsics[intrinsic as usize];
        let before = NOTED.then(|| self.before_intrinsic(*op, at.base, args));
        self.slowly(at, |m| m.intrinsic(*op, at.base, results, args))?;
        if let Some(before) = before {
            let result = results.first().map(|r| self.register(at, r.slot));
            self.note_intrinsic(*op, before, result);
        }
        Ok(())
    }

    /// The edge that a switch takes.
    #[inline(always)]
    fn step_switch<const NOTED: bool>(&mut self, f: &Function, at: At, switch: u32) -> Exec<Edge> {
        let switch = &black_box(f).switches[switch as usize];
        self.stand(at);
        let value = self.register(at, switch.value);
        self.step.is_local &= value.is_concrete();
        let value = self.dont_care_branches(f, at.pc, value);
        if !value.is_concrete() && self.nothing_ahead() {
            self.now.exited = true;
            return Err(Stop::Exit);
        }
        let edge = self.switch_target(switch, value)?;
        self.finish_instruction();
        self.note_if::<NOTED>(|_| Detail::case(switch, value, edge));
        Ok(edge)
    }

    /// The place that a jump to an address leads to.
    #[inline(always)]
    fn step_indirect<const NOTED: bool>(
        &mut self,
        f: &Function,
        at: At,
        addr: Slot,
    ) -> Exec<usize> {
        self.stand(at);
        self.step.is_local = false;
        let target = self.indirect_target(f, self.register(at, addr))?;
        self.finish_instruction();
        if NOTED {
            self.note_code(at.pc, false);
            self.note_detail(|| Detail::Opaque);
        }
        Ok(target as usize)
    }

    /// The instruction is done: its answers are used up, and so is the turn if it was visible.
    #[inline(always)]
    pub(crate) fn finish_instruction(&mut self) {
        if self.running.visible || !self.running.answers.is_empty() || self.probes.shadow.is_some()
        {
            self.finish_decided();
        }
    }

    fn finish_decided(&mut self) {
        self.forget_answers();
        self.forget_stop();
        if self.running.visible {
            self.running.visible = false;
            if self.probes.older_value.is_some() {
                self.restore_value();
            }
            self.finish_event();
        }
    }

    #[inline]
    pub(crate) fn forget_answers(&mut self) {
        if !self.running.answers.is_empty() {
            self.running.answers.clear();
            self.running.answered = 0;
        }
    }

    /// A visible operation of the running thread is done.
    #[inline]
    pub(crate) fn finish_event(&mut self) {
        self.probes.footprint.finish();
        self.step.operations += 1;
        self.now.visible_events += 1;
        self.now.turn = self.now.current;
        self.total_events += 1;
        let observed = self.mode.observed;
        let thread = self.thread_mut(self.now.current);
        thread.hot.activity.visible_events += u32::from(observed);
        let is_elidable = thread.state.elidable > 0;
        if thread.state.atomic == 0 {
            self.now.granted = false;
        }
        if is_elidable {
            // Other threads could notice that it holds an elidable mutex.
            self.refute();
        }
        if !self.probes.elided_words.is_empty() {
            self.check_elided_words();
        }
    }
}
