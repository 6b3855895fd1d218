//! Jumps, and the rounds of loops that they begin: counting them, bounding them, and noticing a
//! thread that waits in one.
//!
//! Each loop has three registers of the frame: its counter (see [`Machine::next_iteration`]), and
//! what the thread had done when the present round began (see [`Machine::begin_iteration`]).

use super::At;
use crate::code::{Edge, Function, Round, RoundKind, Slot};
use crate::fault::{Cutoff, Exec, Stop};
use crate::machine::{Machine, Situation};
use crate::thread::Activity;
use crate::value::Value;

impl Machine {
    /// Which way a conditional jump goes.
    #[inline(always)]
    pub(super) fn step_branch<const NOTED: bool>(
        &mut self,
        f: &Function,
        at: At,
        cond: Slot,
    ) -> Exec<bool> {
        let c = self.register(at, cond);
        if c.is_concrete() && !(NOTED && self.shows_jump(at.pc)) {
            return Ok(c.bits & 1 == 1);
        }
        self.stand(at);
        self.step.is_local = false;
        let c = self.dont_care_branches(f, at.pc, c);
        if !c.is_concrete() && self.nothing_ahead() {
            self.now.exited = true;
            return Err(Stop::Exit);
        }
        let taken = if c.is_concrete() && !(NOTED && self.shows_jump(at.pc)) {
            c.bits & 1 == 1
        } else {
            self.asked_truth(c)?
        };
        self.finish_instruction();
        Ok(taken)
    }

    /// Takes an edge. Returns the next `pc`. `taken` is what the history says of the jump; `None`:
    /// it has an entry of its own already.
    #[inline(always)]
    pub(super) fn step_jump<const NOTED: bool>(
        &mut self,
        f: &Function,
        at: At,
        edge: Edge,
        taken: Option<bool>,
    ) -> Exec<usize> {
        if let Some(round) = edge.round {
            if round.kind() == RoundKind::Entry {
                self.enter_loop(at.base + round.counter());
            } else {
                self.stand(at);
                self.count_iteration(f, at.base, edge, round)?;
                self.finish_instruction();
                self.now.turns += 1;
            }
        }
        if NOTED && let Some(taken) = taken {
            self.note_code(at.pc, taken);
        }
        if edge.moves != 0 {
            for &(dst, src) in &f.moves[edge.moves as usize - 1] {
                self.set_register(at, dst, self.register(at, src));
            }
        }
        Ok(edge.pc as usize)
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

    /// Notes how much the thread has done when an iteration begins, in the registers after the
    /// counter.
    #[inline]
    fn begin_iteration(&mut self, register: usize) {
        if self.mode.observed {
            let Activity {
                effects,
                silent,
                visible_events,
                ..
            } = self.activity();
            let now = u64::from(effects) << 32 | u64::from(visible_events);
            let rounds = self.thread_state(self.now.current).rounds;
            self.running.registers[register + 1] = Value::concrete(now);
            self.running.registers[register + 2] =
                Value::concrete(u64::from(rounds) << 32 | u64::from(silent));
        }
    }

    /// One more iteration of the loop that this jump goes round.
    #[inline]
    fn count_iteration(&mut self, f: &Function, base: usize, edge: Edge, round: Round) -> Exec<()> {
        let register = base + round.counter();
        if self.mode.observed && self.now.concurrent && round.kind() == RoundKind::Back {
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
    /// checked; an unused register, such as a count of attempts that is never read, does not count.
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
        if self.thread_state(self.now.current).atomic > 0 {
            // No other thread can write anything before the section ends, and none may see it stop
            // in the middle: it goes round for ever.
            return self.cut_off(Cutoff::LoopBound);
        }
        if events == 0 || counts {
            // A slice may lack what a loop with a counter waits for (`analysis::loops`), and what
            // is invisible.
            self.refute();
        }
        if events > 0 && rounds == 0 && self.goes_on_after_round() {
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
        if self.interrupted() || self.is_history_full() {
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
