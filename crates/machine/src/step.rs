//! The interpreter loop: a flat match whose arms do one thing or call the file that does it.

use std::hint::black_box;
use std::rc::Rc;

use ir::{BinOp, Cast};

use crate::access::Beside;
use crate::code::{Code, Edge, Function, Program, Round, RoundKind};
use crate::fault::{Cutoff, Exec, Fault, Stop};
use crate::machine::{Machine, Situation};
use crate::thread::Activity;
use crate::value::{Value, mask, sign_extend};

impl Machine {
    /// Runs the loaded thread until it stops.
    pub(crate) fn interpret(&mut self) -> Stop {
        let program = Rc::clone(&self.program);
        self.save_top();
        loop {
            let frame = self.frames.last().expect("a frame");
            let f = program.function(frame.function);
            let mut pc = frame.pc as usize;
            let base = frame.base as usize;
            let stop = self.interpret_frame(&program, f, &mut pc, base);
            match stop {
                // The frames changed: the new top knows where it stands.
                Stop::Jumped => self.finish_instruction(),
                Stop::Again => {}
                stop => {
                    self.frames.last_mut().expect("a frame").pc = pc as u32;
                    return stop;
                }
            }
        }
    }

    /// `black_box` keeps what few instructions use from being loaded on every entry.
    fn interpret_frame(
        &mut self,
        program: &Program,
        f: &Function,
        pc: &mut usize,
        base: usize,
    ) -> Stop {
        macro_rules! reg {
            ($slot:expr) => {
                self.registers[base + $slot as usize]
            };
        }
        // Instructions that can stop: remember where, and forget the answers once they are done.
        macro_rules! slow {
            ($call:expr) => {{
                self.frames.last_mut().expect("a frame").pc = *pc as u32;
                match $call {
                    Ok(()) => self.finish_instruction(),
                    Err(stop) => return stop,
                }
            }};
        }
        macro_rules! jump {
            ($edge:expr) => {{
                let edge: Edge = $edge;
                if let Some(round) = edge.round {
                    if round.kind() == RoundKind::Entry {
                        self.enter_loop(base + round.counter());
                    } else {
                        slow!(self.count_iteration(f, base, edge, round));
                    }
                }
                if edge.moves != 0 {
                    for &(dst, src) in &f.moves[edge.moves as usize - 1] {
                        reg!(dst) = reg!(src);
                    }
                }
                *pc = edge.pc as usize;
                continue;
            }};
        }
        loop {
            match f.code[*pc] {
                Code::Bin {
                    op,
                    bits,
                    dst,
                    a,
                    b,
                } => {
                    let (x, y) = (reg!(a), reg!(b));
                    if x.is_concrete() && y.is_concrete() && bits <= 64 {
                        match concrete_bin(op, u32::from(bits), x.bits, y.bits) {
                            Some(result) => reg!(dst) = Value::concrete(result),
                            None if y.bits == 0 => slow!(self.fault(Fault::DivisionByZero)),
                            None => slow!(self.fault(Fault::DivisionOverflow)),
                        }
                    } else {
                        slow!(self.symbolic_bin(op, bits, base + dst as usize, x, y));
                    }
                }
                Code::Cmp {
                    op,
                    bits,
                    dst,
                    a,
                    b,
                } => {
                    let (x, y) = (reg!(a), reg!(b));
                    reg!(dst) = if x.is_concrete() && y.is_concrete() {
                        Value::concrete(u64::from(concrete_cmp(
                            op,
                            u32::from(bits),
                            x.bits,
                            y.bits,
                        )))
                    } else {
                        self.symbolic_cmp(op, bits, x, y)
                    };
                }
                Code::Cast {
                    op,
                    from,
                    to,
                    dst,
                    src,
                } => {
                    let x = reg!(src);
                    reg!(dst) = if x.is_concrete() && to <= 64 {
                        Value::concrete(match op {
                            Cast::Trunc => x.bits & mask(u32::from(to)),
                            Cast::ZExt | Cast::Bits => x.bits,
                            Cast::SExt => {
                                sign_extend(x.bits, u32::from(from)) as u64 & mask(u32::from(to))
                            }
                        })
                    } else {
                        self.symbolic_cast(op, from, to, x)
                    };
                }
                Code::Select {
                    dst,
                    cond,
                    a,
                    b,
                    bits,
                } => {
                    let c = reg!(cond);
                    reg!(dst) = if c.is_concrete() {
                        if c.bits & 1 == 1 { reg!(a) } else { reg!(b) }
                    } else {
                        let (x, y) = (reg!(a), reg!(b));
                        self.symbolic_select(bits, c, x, y)
                    };
                }
                Code::FloatBin { op, ty, dst, a, b } => {
                    slow!(self.float_bin(op, ty, base + dst as usize, reg!(a), reg!(b)));
                }
                Code::FloatCmp { op, ty, dst, a, b } => {
                    slow!(self.float_cmp(op, ty, base + dst as usize, reg!(a), reg!(b)));
                }
                Code::FloatUnary { op, ty, dst, src } => {
                    slow!(self.float_unary(op, ty, base + dst as usize, reg!(src)));
                }
                Code::FloatCast {
                    op,
                    from,
                    to,
                    dst,
                    src,
                } => slow!(self.float_cast(op, from, to, base + dst as usize, reg!(src))),
                Code::AddConst {
                    dst,
                    base: b,
                    offset,
                } => {
                    let x = reg!(b);
                    reg!(dst) = if x.is_concrete() {
                        Value::concrete(
                            x.bits.wrapping_add_signed(offset) & mask(self.pointer_bits()),
                        )
                    } else {
                        self.symbolic_offset(x, offset, &[])
                    };
                }
                Code::AddIndex {
                    dst,
                    base: b,
                    index,
                    bits,
                    scale,
                } => {
                    let (x, i) = (reg!(b), reg!(index));
                    reg!(dst) = if x.is_concrete() && i.is_concrete() {
                        let offset =
                            sign_extend(i.bits, u32::from(bits)).wrapping_mul(i64::from(scale));
                        Value::concrete(
                            x.bits.wrapping_add_signed(offset) & mask(self.pointer_bits()),
                        )
                    } else {
                        self.symbolic_offset(x, 0, &[(i, bits, i64::from(scale))])
                    };
                }
                Code::AddOffsets {
                    dst,
                    base: b,
                    offsets,
                } => {
                    let offsets = &black_box(f).offsets[offsets as usize];
                    let mut sum = reg!(b).bits.wrapping_add_signed(offsets.constant);
                    let mut concrete = reg!(b).is_concrete();
                    for &(index, bits, scale) in &offsets.indices {
                        let i = reg!(index);
                        concrete &= i.is_concrete();
                        let offset = sign_extend(i.bits, u32::from(bits)).wrapping_mul(scale);
                        sum = sum.wrapping_add_signed(offset);
                    }
                    reg!(dst) = if concrete {
                        Value::concrete(sum & mask(self.pointer_bits()))
                    } else {
                        let indices: Vec<_> = offsets
                            .indices
                            .iter()
                            .map(|&(index, bits, scale)| (reg!(index), bits, scale))
                            .collect();
                        self.symbolic_offset(reg!(b), offsets.constant, &indices)
                    };
                }
                Code::Load {
                    dst,
                    ptr,
                    bits,
                    atomic,
                    private,
                } => {
                    let p = reg!(ptr);
                    let bytes = u32::from(bits).div_ceil(8);
                    let plain = if !p.is_concrete() || bytes > 8 {
                        None
                    } else if self.concurrent && !(private && self.slices) {
                        match self.load_beside(p.bits, bytes) {
                            Beside::Done(word) => Some(word),
                            Beside::Park => return Stop::Park,
                            Beside::Unclear => None,
                        }
                    } else {
                        self.memory.load_plain(p.bits, bytes)
                    };
                    match plain {
                        Some(word) => reg!(dst) = Value::concrete(word & mask(u32::from(bits))),
                        None => slow!(self.load(base + dst as usize, p, u32::from(bits), atomic)),
                    }
                }
                Code::Store {
                    ptr,
                    value,
                    bits,
                    atomic,
                    private,
                } => {
                    let (p, v) = (reg!(ptr), reg!(value));
                    let bytes = u32::from(bits).div_ceil(8);
                    let done = if !p.is_concrete() || !v.is_concrete() || bytes > 8 {
                        false
                    } else if self.concurrent && !(private && self.slices) {
                        match self.store_beside(p.bits, bytes, v.bits) {
                            Beside::Done(()) => true,
                            Beside::Park => return Stop::Park,
                            Beside::Unclear => false,
                        }
                    } else {
                        self.memory
                            .store_plain(&mut self.trail, p.bits, bytes, v.bits)
                    };
                    if !done {
                        slow!(self.store(p, v, u32::from(bits), atomic));
                    }
                }
                Code::Rmw {
                    op,
                    ty,
                    dst,
                    ptr,
                    value,
                    order,
                } => slow!(self.rmw(op, ty, base + dst as usize, reg!(ptr), reg!(value), order)),
                Code::CmpXchg {
                    old,
                    success,
                    ptr,
                    expected,
                    new,
                    bits,
                    orders,
                } => slow!(self.cmpxchg(
                    [base + old as usize, base + success as usize],
                    reg!(ptr),
                    [reg!(expected), reg!(new)],
                    u32::from(bits),
                    orders,
                )),
                Code::Fence(order) => self.order_fence(order),
                Code::Alloca { dst, alloca } => {
                    slow!(self.alloca(
                        base,
                        base + dst as usize,
                        &black_box(f).allocas[alloca as usize]
                    ));
                }
                Code::TlsAddr { dst, global } => {
                    slow!(self.tls_address(base + dst as usize, global));
                }
                Code::Call { call } => slow!(self.call(program, base, &f.calls[call as usize])),
                Code::Intrinsic { intrinsic } => {
                    let (op, results, args) = &black_box(f).intrinsics[intrinsic as usize];
                    slow!(self.intrinsic(*op, base, results, args));
                }
                Code::Undef { dst, bits } => {
                    reg!(dst) = self.input("undefined", u32::from(bits));
                }
                Code::UnsupportedAssembly { text } => {
                    let text = black_box(f).texts[text as usize].clone();
                    slow!(self.cut_off(Cutoff::UnmodelledAssembly(text)));
                }
                Code::UnsupportedInstruction { text } => {
                    let text = black_box(f).texts[text as usize].clone();
                    slow!(self.cut_off(Cutoff::UnmodelledInstruction(text)));
                }
                Code::Jump(edge) => jump!(edge),
                Code::CondBr { cond, then, other } => {
                    let c = reg!(cond);
                    if c.is_concrete() {
                        jump!(if c.bits & 1 == 1 { then } else { other });
                    }
                    self.frames.last_mut().expect("a frame").pc = *pc as u32;
                    match self.truth(c) {
                        Ok(truth) => {
                            self.finish_instruction();
                            jump!(if truth { then } else { other });
                        }
                        Err(stop) => return stop,
                    }
                }
                Code::Switch { switch } => {
                    let switch = &black_box(f).switches[switch as usize];
                    self.frames.last_mut().expect("a frame").pc = *pc as u32;
                    match self.switch_target(switch, reg!(switch.value)) {
                        Ok(edge) => {
                            self.finish_instruction();
                            jump!(edge);
                        }
                        Err(stop) => return stop,
                    }
                }
                Code::IndirectBr { addr } => {
                    self.frames.last_mut().expect("a frame").pc = *pc as u32;
                    match self.indirect_target(f, reg!(addr)) {
                        Ok(target) => {
                            self.finish_instruction();
                            *pc = target as usize;
                            continue;
                        }
                        Err(stop) => return stop,
                    }
                }
                Code::Ret { values } => {
                    slow!(self.ret(program, f, base, &black_box(f).returns[values as usize]));
                }
                Code::Invoke { call, normal, .. } => {
                    // A call that enters a function comes back through `ret`, which takes the normal edge.
                    slow!(self.call(program, base, &f.calls[call as usize]));
                    jump!(normal);
                }
                Code::Resume { exception, .. } => slow!(self.resume(reg!(exception))),
                Code::Unreachable => slow!(self.fault(Fault::Unreachable)),
            }
            *pc += 1;
        }
    }

    /// The instruction is done: its answers are used up, and so is the turn if it was visible.
    #[inline]
    pub(crate) fn finish_instruction(&mut self) {
        if self.answered != 0 || !self.answers.is_empty() {
            self.answers.clear();
            self.answered = 0;
        }
        self.forget_stop();
        if self.visible {
            self.visible = false;
            self.touched.finish();
            if self.lent.is_some() {
                self.give_back();
            }
            if self.observed {
                self.thread_mut(self.current).activity.visible_events += 1;
            }
            self.visible_events += 1;
            self.turn = self.current;
            self.total_events += 1;
            if self.state(self.current).atomic == 0 {
                self.granted = false;
            }
        }
    }

    /// Begins the first iteration of the loop whose counter is in this register.
    #[inline]
    pub(crate) fn enter_loop(&mut self, register: usize) {
        self.registers[register] = Value::ZERO;
        self.begin_iteration(register);
    }

    /// How much the running thread has done.
    fn activity(&self) -> Activity {
        let mut activity = self.thread(self.current).activity;
        activity.effects = activity.effects.wrapping_add(self.trail.effects);
        activity
    }

    /// Notes what there is at the beginning of an iteration, beside the counter.
    #[inline]
    fn begin_iteration(&mut self, register: usize) {
        if self.observed {
            let Activity {
                effects,
                visible_events,
            } = self.activity();
            let now = u64::from(effects) << 32 | u64::from(visible_events);
            self.registers[register + 1] = Value::concrete(now);
        }
    }

    /// One more iteration of the loop that this jump goes round.
    #[inline]
    fn count_iteration(&mut self, f: &Function, base: usize, edge: Edge, round: Round) -> Exec<()> {
        let register = base + round.counter();
        if self.observed && self.concurrent && round.kind() == RoundKind::Back {
            self.notice_waiting(f, base, edge, self.registers[register + 1].bits)?;
        }
        let counter = self.next_iteration(self.registers[register].bits)?;
        self.registers[register] = Value::concrete(counter);
        self.begin_iteration(register);
        Ok(())
    }

    /// Stops if the iteration that ends here changed nothing and leaves the registers as it found them: the next one would do
    /// the same, unless others write where it looked. At the head of a loop only its parameters are alive besides what was
    /// computed before the loop.
    fn notice_waiting(&mut self, f: &Function, base: usize, edge: Edge, start: u64) -> Exec<()> {
        if std::mem::take(&mut self.goes_round) || f.runtime {
            return Ok(());
        }
        let now = self.activity();
        let events = now.visible_events.wrapping_sub(start as u32);
        let is_idle = start >> 32 == u64::from(now.effects);
        let is_same = |&(dst, src): &(u32, u32)| {
            self.registers[base + dst as usize] == self.registers[base + src as usize]
        };
        if !is_idle || edge.moves != 0 && !f.moves[edge.moves as usize - 1].iter().all(is_same) {
            return Ok(());
        }
        self.leave_no_section_open()?;
        self.situation = Situation::Await { events };
        Err(Stop::End)
    }

    /// The counter of a loop after one more iteration: the low half counts iterations with something visible or decided in
    /// them, the high half remembers how much of that there was.
    #[inline]
    pub(crate) fn next_iteration(&mut self, counter: u64) -> Exec<u64> {
        if self.interrupted() {
            return self.cut_off(Cutoff::Interrupted);
        }
        // Loops of our own library are bounded by the memory they walk over.
        let function = self.frames.last().expect("a frame").function;
        if self.program.function(function).runtime {
            return Ok(counter);
        }
        let activity = (self.total_events as u32).wrapping_add(self.trail.depth()) as u64;
        let count = match self.config.unwind {
            Some(bound) => {
                let count = (counter & 0xffff_ffff) + 1;
                if count > u64::from(bound) {
                    return self.cut_off(Cutoff::LoopBound);
                }
                count
            }
            None => {
                let active = counter >> 32 != activity;
                if active {
                    self.stop_spinning();
                } else {
                    self.be_patient()?;
                }
                let count = (counter & 0xffff_ffff) + u64::from(active);
                if count > u64::from(self.config.default_unwind) {
                    return self.cut_off(Cutoff::LoopBound);
                }
                count
            }
        };
        Ok(count | activity << 32)
    }
}

/// `None`: division by zero, or of the smallest number by -1.
#[inline(always)]
pub fn concrete_bin(op: BinOp, bits: u32, a: u64, b: u64) -> Option<u64> {
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if b >= u64::from(bits) => 0,
        BinOp::Shl => a << b,
        BinOp::LShr if b >= u64::from(bits) => 0,
        BinOp::LShr => a >> b,
        BinOp::AShr => (sign_extend(a, bits) >> b.min(63)) as u64,
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv | BinOp::SRem if b == 0 => return None,
        BinOp::SDiv | BinOp::SRem if b == mask(bits) && a == 1 << (bits - 1) => return None,
        BinOp::SDiv => sign_extend(a, bits).wrapping_div(sign_extend(b, bits)) as u64,
        BinOp::SRem => sign_extend(a, bits).wrapping_rem(sign_extend(b, bits)) as u64,
    };
    Some(result & mask(bits))
}

#[inline(always)]
pub fn concrete_cmp(op: ir::CmpOp, bits: u32, a: u64, b: u64) -> bool {
    use ir::CmpOp::*;
    let (x, y) = (sign_extend(a, bits), sign_extend(b, bits));
    match op {
        Eq => a == b,
        Ne => a != b,
        Ult => a < b,
        Ule => a <= b,
        Ugt => a > b,
        Uge => a >= b,
        Slt => x < y,
        Sle => x <= y,
        Sgt => x > y,
        Sge => x >= y,
    }
}
