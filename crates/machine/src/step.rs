//! The interpreter loop: a flat match whose arms do one thing or call the file that does it.

use std::hint::black_box;
use std::rc::Rc;

use ir::{BinOp, Cast};

use crate::code::{Code, Edge, Function, Program, Round, RoundKind};
use crate::fault::{Cutoff, Exec, Fault, Stop};
use crate::history::Detail;
use crate::machine::{Machine, Situation};
use crate::thread::Activity;
use crate::value::{Value, mask, sign_extend};
use crate::visible::Beside;

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
                // The frames changed: the new top knows where it stands.
                Stop::Jumped => {
                    self.step.is_local = false;
                    self.finish_instruction();
                }
                Stop::Again => self.step.is_local = false,
                stop => return stop,
            }
        }
    }

    /// Goes on in the top frame until something else is to be done; the frame then knows where it
    /// stands. `black_box` keeps what few instructions use from being loaded on every entry. With
    /// `NOTED`, takes note of every instruction that is done (see `history`).
    fn interpret_frame<const NOTED: bool>(
        &mut self,
        program: &Program,
        f: &Function,
        mut pc: usize,
        base: usize,
    ) -> Stop {
        macro_rules! reg {
            ($slot:expr) => {
                self.running.registers[base + $slot as usize]
            };
        }
        // Remember where we stand.
        macro_rules! stand {
            () => {
                self.running.frames.last_mut().expect("a frame").pc = pc as u32
            };
        }
        // Instructions that can stop: remember where, and forget the answers once they are done.
        macro_rules! slow {
            ($call:expr) => {{
                stand!();
                self.step.is_local = false;
                match $call {
                    Ok(()) => self.finish_instruction(),
                    Err(stop) => return stop,
                }
            }};
        }
        macro_rules! detail {
            ($detail:expr) => {
                if NOTED {
                    let detail = $detail;
                    self.note_detail(|| detail);
                }
            };
        }
        macro_rules! jump {
            ($edge:expr, $taken:expr) => {{
                let (edge, taken): (Edge, Option<bool>) = ($edge, $taken);
                if let Some(round) = edge.round {
                    if round.kind() == RoundKind::Entry {
                        self.enter_loop(base + round.counter());
                    } else {
                        stand!();
                        match self.count_iteration(f, base, edge, round) {
                            Ok(()) => self.finish_instruction(),
                            Err(stop) => return stop,
                        }
                        self.now.turns += 1;
                    }
                }
                if NOTED && let Some(taken) = taken {
                    self.note_code(pc, taken);
                }
                if edge.moves != 0 {
                    for &(dst, src) in &f.moves[edge.moves as usize - 1] {
                        reg!(dst) = reg!(src);
                    }
                }
                pc = edge.pc as usize;
                continue;
            }};
        }
        loop {
            match f.code[pc] {
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
                    let args = [reg!(a), reg!(b)];
                    slow!(self.float_bin(op, ty, base + dst as usize, args[0], args[1]));
                    detail!(Detail::pure(&args, reg!(dst)));
                }
                Code::FloatCmp { op, ty, dst, a, b } => {
                    let args = [reg!(a), reg!(b)];
                    slow!(self.float_cmp(op, ty, base + dst as usize, args[0], args[1]));
                    detail!(Detail::pure(&args, reg!(dst)));
                }
                Code::FloatUnary { op, ty, dst, src } => {
                    let arg = reg!(src);
                    slow!(self.float_unary(op, ty, base + dst as usize, arg));
                    detail!(Detail::pure(&[arg], reg!(dst)));
                }
                Code::FloatCast {
                    op,
                    from,
                    to,
                    dst,
                    src,
                } => {
                    let arg = reg!(src);
                    slow!(self.float_cast(op, from, to, base + dst as usize, arg));
                    detail!(Detail::pure(&[arg], reg!(dst)));
                }
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
                Code::Within {
                    base: from,
                    ptr,
                    bytes,
                } => {
                    let (from, to) = (reg!(from), reg!(ptr));
                    let is_plain = from.is_concrete() && to.is_concrete();
                    if !(is_plain && self.is_near(from.bits, to.bits)) {
                        slow!(self.stay_within(from, to, u64::from(bytes)));
                    }
                    detail!(Detail::address(from));
                }
                Code::WithinGlobal { global, ptr } => {
                    let from = Value::concrete(program.layout.globals[global.index()]);
                    slow!(self.stay_within(from, reg!(ptr), 0));
                }
                Code::Load {
                    dst,
                    ptr,
                    bits,
                    atomic,
                    invisible,
                    noted,
                    roams,
                } => {
                    let p = reg!(ptr);
                    let bytes = u32::from(bits).div_ceil(8);
                    let plain = if !p.is_concrete() || bytes > 8 {
                        None
                    } else if self.now.concurrent
                        && !(invisible && self.slices && self.may_be_invisible())
                    {
                        if atomic.is_none() && self.is_wide(u64::from(bytes)) {
                            None
                        } else {
                            match self.load_beside(p.bits, bytes, noted) {
                                Beside::Done(word) => Some(word),
                                Beside::Park => {
                                    stand!();
                                    return Stop::Park;
                                }
                                Beside::Unclear => None,
                            }
                        }
                    } else {
                        self.step.is_local = false;
                        let by = self.by(noted, roams);
                        self.memory.load_plain(p.bits, bytes, by)
                    };
                    match plain {
                        Some(word) => reg!(dst) = Value::concrete(word & mask(u32::from(bits))),
                        None => slow!(self.load(base + dst as usize, p, u32::from(bits), atomic)),
                    }
                    detail!(Detail::address(p));
                }
                Code::Store {
                    ptr,
                    value,
                    bits,
                    atomic,
                    invisible,
                    noted,
                    roams,
                } => {
                    let (p, v) = (reg!(ptr), reg!(value));
                    let bytes = u32::from(bits).div_ceil(8);
                    let done = if !p.is_concrete() || !v.is_concrete() || bytes > 8 {
                        false
                    } else if self.now.concurrent
                        && !(invisible && self.slices && self.may_be_invisible())
                    {
                        if atomic.is_none() && self.is_wide(u64::from(bytes)) {
                            false
                        } else {
                            match self.store_beside(p.bits, bytes, v.bits, noted) {
                                Beside::Done(()) => true,
                                Beside::Park => {
                                    stand!();
                                    return Stop::Park;
                                }
                                Beside::Unclear => false,
                            }
                        }
                    } else {
                        self.step.is_local = false;
                        let effects = self.trail.effects;
                        let by = self.by(noted, roams);
                        let done =
                            self.memory
                                .store_plain(&mut self.trail, p.bits, bytes, v.bits, by);
                        self.trail.effects = effects;
                        done
                    };
                    if !done {
                        slow!(self.store(p, v, u32::from(bits), atomic));
                    }
                    detail!(Detail::address(p));
                }
                Code::Rmw {
                    op,
                    ty,
                    dst,
                    ptr,
                    value,
                    order,
                } => {
                    stand!();
                    let (p, v) = (reg!(ptr), reg!(value));
                    match self.rmw(op, ty, base + dst as usize, p, v, order) {
                        Ok(()) => {
                            self.step.is_local &= self.running.visible;
                            self.finish_instruction();
                        }
                        Err(stop) => return stop,
                    }
                    detail!(Detail::address(p));
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
                    let p = reg!(ptr);
                    slow!(self.cmpxchg(
                        [base + old as usize, base + success as usize],
                        p,
                        [reg!(expected), reg!(new)],
                        u32::from(bits),
                        orders,
                    ));
                    if NOTED {
                        self.note_detail(|| Detail::address(p));
                        self.note_code(pc, reg!(success).bits & 1 == 1);
                        pc += 1;
                        continue;
                    }
                }
                Code::Fence(order) => self.order_fence(order),
                Code::Alloca { dst, alloca } => {
                    slow!(self.alloca(
                        base,
                        base + dst as usize,
                        &black_box(f).allocas[alloca as usize]
                    ));
                    if NOTED {
                        self.note_new_object(reg!(dst));
                    }
                }
                Code::TlsAddr { dst, global } => {
                    let before = self.thread_locals();
                    slow!(self.tls_address(base + dst as usize, global));
                    detail!(self.thread_local_detail(reg!(dst), self.thread_locals() > before));
                }
                Code::Call { call } => {
                    stand!();
                    self.step.only_joins = false;
                    let done = self.call(program, base, &f.calls[call as usize]);
                    self.step.is_local &= self.step.only_joins;
                    match done {
                        Ok(()) => self.finish_instruction(),
                        Err(stop) => return stop,
                    }
                    // Shims are noted where they are called.
                    pc += 1;
                    continue;
                }
                Code::Intrinsic { intrinsic } => {
                    let (op, results, args) = &black_box(f).intrinsics[intrinsic as usize];
                    let before = NOTED.then(|| self.before_intrinsic(*op, base, args));
                    slow!(self.intrinsic(*op, base, results, args));
                    if let Some(before) = before {
                        let result = results.first().map(|r| reg!(r.slot));
                        self.note_intrinsic(*op, before, result);
                    }
                }
                Code::Undef { dst, bits } => {
                    self.step.is_local = false;
                    reg!(dst) = self.input("undefined", u32::from(bits));
                    detail!(Detail::Value(reg!(dst)));
                }
                Code::UnsupportedAssembly { text } => {
                    let text = black_box(f).texts[text as usize].clone();
                    slow!(self.cut_off(Cutoff::UnmodelledAssembly(text)));
                }
                Code::UnsupportedInstruction { text } => {
                    let text = black_box(f).texts[text as usize].clone();
                    slow!(self.cut_off(Cutoff::UnmodelledInstruction(text)));
                }
                Code::Jump(edge) => jump!(edge, Some(false)),
                Code::CondBr { cond, then, other } => {
                    let c = reg!(cond);
                    if c.is_concrete() && !(NOTED && self.shows_jump(pc)) {
                        let taken = c.bits & 1 == 1;
                        jump!(if taken { then } else { other }, Some(taken));
                    }
                    stand!();
                    self.step.is_local = false;
                    let c = self.dont_care_branches(f, pc, c);
                    if !c.is_concrete() && self.nothing_ahead() {
                        self.now.exited = true;
                        return Stop::Exit;
                    }
                    if c.is_concrete() && !(NOTED && self.shows_jump(pc)) {
                        let taken = c.bits & 1 == 1;
                        self.finish_instruction();
                        jump!(if taken { then } else { other }, Some(taken));
                    }
                    match self.asked_truth(c) {
                        Ok(truth) => {
                            self.finish_instruction();
                            jump!(if truth { then } else { other }, Some(truth));
                        }
                        Err(stop) => return stop,
                    }
                }
                Code::Switch { switch } => {
                    let switch = &black_box(f).switches[switch as usize];
                    stand!();
                    self.step.is_local &= reg!(switch.value).is_concrete();
                    let value = self.dont_care_branches(f, pc, reg!(switch.value));
                    if !value.is_concrete() && self.nothing_ahead() {
                        self.now.exited = true;
                        return Stop::Exit;
                    }
                    match self.switch_target(switch, value) {
                        Ok(edge) => {
                            self.finish_instruction();
                            detail!(Detail::case(switch, value, edge));
                            jump!(edge, Some(false));
                        }
                        Err(stop) => return stop,
                    }
                }
                Code::IndirectBr { addr } => {
                    stand!();
                    self.step.is_local = false;
                    match self.indirect_target(f, reg!(addr)) {
                        Ok(target) => {
                            self.finish_instruction();
                            if NOTED {
                                self.note_code(pc, false);
                            }
                            detail!(Detail::Opaque);
                            pc = target as usize;
                            continue;
                        }
                        Err(stop) => return stop,
                    }
                }
                Code::Ret { values } => {
                    stand!();
                    let values = &black_box(f).returns[values as usize];
                    match self.ret(program, f, base, values) {
                        Ok(()) => self.finish_instruction(),
                        Err(stop) => return stop,
                    }
                }
                Code::Invoke { call, normal, .. } => {
                    // A call that enters a function comes back through `ret`, which takes the
                    // normal edge.
                    slow!(self.call(program, base, &f.calls[call as usize]));
                    jump!(normal, None);
                }
                Code::Resume { exception, .. } => slow!(self.resume(reg!(exception))),
                Code::Unreachable => slow!(self.fault(Fault::Unreachable)),
            }
            if NOTED {
                self.note_code(pc, false);
            }
            pc += 1;
        }
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
        self.visible_events += 1;
        self.now.turn = self.now.current;
        self.total_events += 1;
        let observed = self.observed;
        let thread = self.thread_mut(self.now.current);
        thread.hot.activity.visible_events += u32::from(observed);
        let is_elidable = thread.state.elidable > 0;
        if thread.state.atomic == 0 {
            self.now.granted = false;
        }
        if is_elidable {
            // Others could tell that it holds a mutex of which nobody was said to be able to tell.
            self.refute();
        }
    }

    /// Begins the first iteration of the loop whose counter is in this register.
    #[inline]
    pub(crate) fn enter_loop(&mut self, register: usize) {
        self.running.registers[register] = Value::ZERO;
        self.begin_iteration(register);
    }

    /// How much the running thread has done.
    fn activity(&self) -> Activity {
        let mut activity = self.thread(self.now.current).hot.activity;
        activity.effects = activity.effects.wrapping_add(self.trail.effects);
        activity.silent = activity.silent.wrapping_add(self.trail.silent);
        activity
    }

    /// Notes what there is at the beginning of an iteration, beside the counter.
    #[inline]
    fn begin_iteration(&mut self, register: usize) {
        if self.observed {
            let Activity {
                effects,
                silent,
                visible_events,
                ..
            } = self.activity();
            let now = u64::from(effects) << 32 | u64::from(visible_events);
            let rounds = self.state(self.now.current).rounds;
            self.running.registers[register + 1] = Value::concrete(now);
            self.running.registers[register + 2] =
                Value::concrete(u64::from(rounds) << 32 | u64::from(silent));
        }
    }

    /// One more iteration of the loop that this jump goes round.
    #[inline]
    fn count_iteration(&mut self, f: &Function, base: usize, edge: Edge, round: Round) -> Exec<()> {
        let register = base + round.counter();
        if self.observed && self.now.concurrent && round.kind() == RoundKind::Back {
            self.notice_waiting(f, base, edge, register)?;
        }
        let counter = self.next_iteration(f, self.running.registers[register].bits)?;
        self.step.is_local &= !self.step.went_round;
        self.step.went_round = true;
        self.running.registers[register] = Value::concrete(counter);
        self.begin_iteration(register);
        Ok(())
    }

    /// Stops if the iteration that ends here changed nothing and leaves the registers as it found
    /// them: the next one would do the same, unless others write where it looked. At the head of a
    /// loop only its parameters are alive besides what was computed before the loop. A store of
    /// what is there already changes nothing, nor does one that does not matter for what is
    /// checked; a register of which nothing comes, such as a count of attempts that nobody looks
    /// at, does not count.
    fn notice_waiting(
        &mut self,
        f: &Function,
        base: usize,
        edge: Edge,
        register: usize,
    ) -> Exec<()> {
        if std::mem::take(&mut self.running.goes_round) || f.runtime {
            return Ok(());
        }
        let start = self.running.registers[register + 1].bits;
        let now = self.activity();
        let silent = self.running.registers[register + 2].bits as u32 != now.silent;
        let rounds = self.running.registers[register + 2].bits >> 32;
        let events = now.visible_events.wrapping_sub(start as u32);
        let is_idle = start >> 32 == u64::from(now.effects);
        if !is_idle {
            return Ok(());
        }
        let function = self.running.frames.last().expect("a frame").function;
        let moves = match edge.moves {
            0 => &[][..],
            moves => &f.moves[moves as usize - 1],
        };
        let is_same = |&(dst, src): &(u32, u32)| {
            self.running.registers[base + dst as usize]
                == self.running.registers[base + src as usize]
        };
        if !moves
            .iter()
            .all(|m| is_same(m) || self.is_unused(function, m.0))
        {
            return Ok(());
        }
        let counts = !moves.iter().all(is_same);
        self.leave_no_section_open()?;
        if self.state(self.now.current).atomic > 0 {
            // Nobody can write anything before the section ends, and nobody may see it stop in the
            // middle: it goes round for ever.
            return self.cut_off(Cutoff::LoopBound);
        }
        if events == 0 || counts {
            // A slice need not have what a loop waits for that has a counter (`analysis::loops`),
            // nor what is not seen.
            self.refute();
        }
        if self.goes_on_after_round && events > 0 && rounds == 0 {
            let thread = self.now.current;
            self.spinning_mut(thread).rounds += 1;
            return Ok(());
        }
        self.situation = Situation::Await { events, silent };
        Err(Stop::End)
    }

    /// The counter of a loop after one more iteration: the low half counts iterations with
    /// something visible or decided in them, the high half remembers how much of that there was.
    #[inline]
    pub(crate) fn next_iteration(&mut self, f: &Function, counter: u64) -> Exec<u64> {
        if self.interrupted() {
            return self.cut_off(Cutoff::Interrupted);
        }
        // Loops of our own library are bounded by the memory they walk over.
        if f.runtime {
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
