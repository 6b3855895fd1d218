//! How an instruction stops: with a fault, with giving up, or with a question that must be answered
//! before it is executed again.

use std::sync::atomic::Ordering;

use ir::debug::LocId;
use smt::TermId;

use super::{Answer, AskedAt, Machine, Situation};
use crate::code::Code;
use crate::fault::{Cutoff, End, Exec, Fault, FaultAt, Question, Stop};
use crate::thread::{Frame, Guard, ThreadId};
use crate::value::Value;

impl Machine {
    pub(crate) fn fault<T>(&mut self, fault: Fault) -> Exec<T> {
        let thread = self.now.current;
        let loc = self.current_user_loc();
        self.end(End::Fault(FaultAt { fault, thread, loc }))
    }

    pub(crate) fn cut_off<T>(&mut self, cutoff: Cutoff) -> Exec<T> {
        let loc = self.current_user_loc();
        self.end(End::Cutoff(cutoff, loc))
    }

    pub(crate) fn end<T>(&mut self, end: End) -> Exec<T> {
        self.situation = Situation::End(end);
        Err(Stop::End)
    }

    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// The innermost place of the running thread that is in the user's code.
    pub(crate) fn current_user_loc(&self) -> LocId {
        self.user_loc_of(&self.running.frames)
    }

    pub fn user_loc(&self, thread: ThreadId) -> LocId {
        self.user_loc_of(&self.thread(thread).frames)
    }

    fn user_loc_of(&self, frames: &[Frame]) -> LocId {
        let debug = &self.program.module.debug;
        let mut in_system_header = LocId(0);
        for frame in frames.iter().rev() {
            let f = self.program.function(frame.function);
            let loc = f.locs.get(frame.pc as usize).copied().unwrap_or_default();
            let place = debug.locs[loc];
            if f.runtime || !place.is_known() {
                continue;
            }
            // Templates of the C++ library are compiled with the program but are not the user's.
            if !debug.files[place.file].starts_with("/usr/") {
                return loc;
            }
            if in_system_header == LocId(0) {
                in_system_header = loc;
            }
        }
        in_system_header
    }

    // ----- questions -----

    /// Whether what is asked is which way a jump goes, outside atomic sections: between two
    /// instructions.
    pub fn asks_at_branch(&self) -> bool {
        let Some(frame) = self.thread(self.now.current).frames.last() else {
            return false;
        };
        let code = self.program.function(frame.function).code[frame.pc as usize];
        self.thread_state(self.now.current).atomic == 0
            && matches!(code, Code::CondBr { .. } | Code::Switch { .. })
    }

    /// Rounds of loops begun and functions entered so far: for `asked_at`.
    pub fn turns(&self) -> u64 {
        self.now.turns
    }

    /// Where the current question is asked, relative to a state at which `turns` was this number.
    /// Between two turns a thread only goes forward in a function or leaves it, so that two
    /// questions with the same place are the same question.
    pub fn asked_at(&self, turns: u64) -> AskedAt {
        let frames = &self.thread(self.now.current).frames;
        AskedAt {
            turns: self.now.turns - turns,
            depth: frames.len() as u32,
            pc: frames.last().map_or(0, |frame| frame.pc),
            answered: self.running.answers.len() as u32,
        }
    }

    fn ask<T>(&mut self, question: Question) -> Exec<T> {
        // The footprint of a section must not depend on answers.
        self.leave_no_section_open()?;
        self.check_question();
        self.situation = Situation::Ask(question);
        Err(Stop::Ask)
    }

    fn next_answer(&mut self) -> Option<Answer> {
        let answer = self.running.answers.get(self.running.answered).copied();
        if answer.is_some() {
            self.running.answered += 1;
        }
        answer
    }

    /// Whether a one-bit value is true on this path.
    pub(crate) fn truth(&mut self, value: Value) -> Exec<bool> {
        if value.is_concrete() {
            return Ok(value.bits & 1 == 1);
        }
        self.truth_of(value.term)
    }

    pub(crate) fn truth_of(&mut self, condition: TermId) -> Exec<bool> {
        if let Some(bits) = self.terms.as_constant(condition) {
            return Ok(bits == 1);
        }
        match self.next_answer() {
            Some(Answer::Truth(truth)) => Ok(truth),
            Some(Answer::Number(_)) => unreachable!("a branch is answered by a truth value"),
            None => self.ask(Question::Branch(condition)),
        }
    }

    /// The same, but asks even if the value is known.
    pub(crate) fn asked_truth(&mut self, value: Value) -> Exec<bool> {
        if !value.is_concrete() {
            return self.truth_of(value.term);
        }
        match self.next_answer() {
            Some(_) => Ok(value.bits & 1 == 1),
            None => {
                let condition = self.terms.bool(value.bits & 1 == 1);
                self.ask(Question::Branch(condition))
            }
        }
    }

    /// Discards the execution unless the value is true.
    pub(crate) fn require_value(&mut self, value: Value) -> Exec<()> {
        if !value.is_concrete() {
            return self.require(value.term);
        }
        if value.bits & 1 == 1 {
            return Ok(());
        }
        self.violate_assumption()
    }

    /// The thread stops here. In an atomic section that has accessed shared memory, the execution
    /// is discarded: the section never was.
    fn violate_assumption<T>(&mut self) -> Exec<T> {
        self.leave_no_section_open()?;
        if !self.now.concurrent
            || self.now.granted && self.thread_state(self.now.current).atomic > 0
        {
            if self.now.concurrent
                && let Some(races) = &mut self.probes.races
            {
                races.forget_section();
            }
            return self.end(End::Discarded);
        }
        self.running.block_at = (Guard::Assumption, false);
        Err(Stop::Park)
    }

    /// The thread would make one too many. It stops here for good, as if it were never scheduled
    /// again: what the others do from here on can happen. `crowded` says that something was left
    /// out.
    pub(crate) fn stand_still<T>(&mut self) -> Exec<T> {
        if !self.now.concurrent || self.thread_state(self.now.current).atomic > 0 {
            return self.cut_off(Cutoff::TooManyThreads);
        }
        let loc = self.current_user_loc();
        self.crowded.insert(loc);
        self.running.block_at = (Guard::Assumption, false);
        Err(Stop::Park)
    }

    pub(crate) fn require(&mut self, condition: TermId) -> Exec<()> {
        match self.terms.as_constant(condition) {
            Some(1) => return Ok(()),
            Some(_) => return self.violate_assumption(),
            None => {}
        }
        // What happened before a false assumption counts.
        let raced = self
            .probes
            .races
            .as_ref()
            .is_some_and(|r| !r.found.is_empty());
        if self.now.concurrent || raced {
            if self.truth_of(condition)? {
                return Ok(());
            }
            return self.violate_assumption();
        }
        match self.next_answer() {
            Some(_) => Ok(()),
            None => self.ask(Question::Assume(condition)),
        }
    }

    /// What the runtime says of inputs that it has just made up. There are always some for which it
    /// is true, and no others.
    pub(crate) fn restrict(&mut self, value: Value) -> Exec<()> {
        if value.is_concrete() || self.terms.as_constant(value.term).is_some() {
            return self.require_value(value);
        }
        match self.next_answer() {
            Some(_) => Ok(()),
            None => self.ask(Question::Assume(value.term)),
        }
    }

    /// The number a value has on this path; several possible numbers are several paths.
    #[inline]
    pub(crate) fn number(&mut self, value: Value) -> Exec<u64> {
        if value.is_concrete() {
            return Ok(value.bits);
        }
        self.number_of(value.term, false).map(|n| n as u64)
    }

    /// Some number the term can have, without deciding on it.
    pub(crate) fn example(&mut self, term: TermId) -> Exec<u64> {
        self.number_of(term, true).map(|n| n as u64)
    }

    fn number_of(&mut self, term: TermId, example: bool) -> Exec<u128> {
        if let Some(bits) = self.terms.as_constant(term) {
            return Ok(bits);
        }
        match self.next_answer() {
            Some(Answer::Number(number)) => Ok(number),
            Some(Answer::Truth(_)) => unreachable!("a value is answered by a number"),
            None if example => self.ask(Question::Example(term)),
            None => self.ask(Question::Value(term)),
        }
    }

    /// One of `0..n`, all of which are explored.
    pub(crate) fn choice(&mut self, n: u32) -> Exec<u32> {
        if n == 1 {
            return Ok(0);
        }
        match self.next_answer() {
            Some(Answer::Number(number)) => Ok(number as u32),
            Some(Answer::Truth(_)) => unreachable!("a choice is answered by a number"),
            None => self.ask(Question::Choice(n)),
        }
    }
}
