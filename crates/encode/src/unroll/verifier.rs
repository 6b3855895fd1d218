//! What programs say to a verifier, inputs, and functions that do nothing here.

use ir::modelled::{Output, Overriding, Process, Verifier};
use smt::TermId;

use super::address::Targets;
use super::call::Called;
use super::{Next, Run, Stop, Unroller, Worklist};
use crate::graph::{EventKind, FaultKind, Input};
use crate::path::Path;

impl Unroller<'_> {
    /// A fresh input. `number` tells inputs of one instruction apart.
    pub(super) fn input(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        what: &str,
        width: u32,
        number: u64,
    ) -> TermId {
        let key = self.key_of(path);
        let id = self.known.key(&key);
        let name = format!("{what} of {}@{}.{number}", work.thread, id.0);
        let term = self.terms.input(&name, width);
        self.graph.inputs.push(Input {
            thread: work.thread,
            key: key.into(),
            cond: path.guard,
            name: what.to_string(),
            term,
        });
        path.inputs += 1;
        term
    }

    /// A value that says nothing about the program: which way something went that is not decided by
    /// inputs.
    pub(super) fn choice(&mut self, work: &Worklist, path: &Path, what: &str) -> TermId {
        let key = self.key_id(path);
        self.terms
            .input(&format!("{what} of {}@{}", work.thread, key.0), 1)
    }

    pub(super) fn verifier(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Verifier,
        call: &Called,
    ) -> Run<Next> {
        match function {
            Verifier::AssertFail | Verifier::Error => {
                self.fail(work.thread, path, FaultKind::Assertion)
            }
            Verifier::Nondet => {
                if let Some(width) = call.result_width {
                    let what = call.name.trim_start_matches("__VERIFIER_").to_string();
                    let value = self.input(work, path, &what, width, 0);
                    self.result(path, call, value);
                }
                Ok(Next::Go)
            }
            Verifier::Range => {
                let width = self.terms.width(call.args[0]);
                let name = self.text(path, call.args.get(2).copied());
                let value = self.input(work, path, &name, width, 0);
                let above = self.terms.cmp(smt::CmpOp::Sge, value, call.args[0]);
                let below = self.terms.cmp(smt::CmpOp::Slt, value, call.args[1]);
                let both = self.terms.and(above, below);
                self.assume(path, both)?;
                self.result(path, call, value);
                Ok(Next::Go)
            }
            Verifier::MakeSymbolic => self.make_symbolic(work, path, call),
            Verifier::Assume | Verifier::Restrict => {
                let holds = self.is_true(call.args[0]);
                self.assume(path, holds)?;
                Ok(Next::Go)
            }
            Verifier::Assert => {
                let holds = self.is_true(call.args[0]);
                let fails = self.terms.not(holds);
                self.fail_if(work.thread, path, FaultKind::Assertion, fails)?;
                Ok(Next::Go)
            }
            Verifier::SilentExit => {
                let no = self.terms.bool(false);
                self.assume(path, no)?;
                Ok(Next::Go)
            }
            Verifier::Input => {
                let name = self.text(path, Some(call.args[0]));
                let bits = self.need(path, call.args[1], "a number of bits")? as u32;
                let value = self.input(work, path, &name, bits, 0);
                self.result(path, call, value);
                Ok(Next::Go)
            }
            Verifier::Unsupported => {
                let what = self.text(path, Some(call.args[0]));
                self.stop(path, format!("something without a model: {what}"))
            }
            Verifier::AtomicBegin => {
                self.enter_atomic(path);
                Ok(Next::Go)
            }
            Verifier::AtomicEnd => {
                self.leave_atomic(path);
                Ok(Next::Go)
            }
            Verifier::Nothing => Ok(Next::Go),
        }
    }

    pub(super) fn overriding(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Overriding,
        call: &Called,
    ) -> Run<Next> {
        let function = match function {
            Overriding::Assume => Verifier::Assume,
            Overriding::Assert => Verifier::Assert,
            Overriding::Error => Verifier::Error,
            Overriding::AtomicBegin => Verifier::AtomicBegin,
            Overriding::AtomicEnd => Verifier::AtomicEnd,
        };
        self.verifier(work, path, function, call)
    }

    pub(super) fn enter_atomic(&mut self, path: &mut Path) {
        path.atomic += 1;
    }

    pub(super) fn leave_atomic(&mut self, path: &mut Path) {
        path.atomic = path.atomic.saturating_sub(1);
        if path.atomic == 0 {
            self.close_section(path);
        }
    }

    fn is_true(&mut self, term: TermId) -> TermId {
        let is_zero = self.is(term, 0);
        self.terms.not(is_zero)
    }

    /// The thread goes on only if the condition holds. In an atomic section that has begun, the
    /// section never was otherwise.
    fn assume(&mut self, path: &mut Path, holds: TermId) -> Run<()> {
        let holds = self.folded(path, holds);
        if self.terms.as_constant(holds) == Some(1) {
            return Ok(());
        }
        let fails = self.terms.not(holds);
        let stops = self.terms.and(path.guard, fails);
        if let Some(section) = &path.section {
            let event = section.event;
            // What goes wrong in the section before goes wrong.
            let faults = self.graph.faults[section.faults_before..].iter();
            let mut fine: Vec<TermId> = faults.map(|fault| fault.cond).collect();
            self.may_be_left_out(event);
            fine.push(self.terms.not(stops));
            let required = self.terms.any(&fine);
            self.graph.required.push(required);
        }
        self.graph.stops.push(stops);
        path.guard = self.terms.and(path.guard, holds);
        if self.terms.as_constant(path.guard) == Some(0) {
            return Err(Stop::Dead);
        }
        Ok(())
    }

    /// Whether the section is executed is open: the thread may stop before it.
    fn may_be_left_out(&mut self, event: crate::graph::EventIx) {
        let e = &self.graph.events[event];
        let at = (e.thread, self.known.key(&e.key));
        self.grew |= self.known.optional.insert(at);
    }

    fn make_symbolic(&mut self, work: &mut Worklist, path: &mut Path, call: &Called) -> Run<Next> {
        let address = self.need(path, call.args[0], "an address")?;
        let bytes = self.need(path, call.args[1], "a number of bytes")?;
        let name = self.text(path, call.args.get(2).copied());
        if bytes == 0 {
            return Ok(Next::Go);
        }
        self.need_valid(work, path, address, bytes, true)?;
        let piece = if matches!(bytes, 1 | 2 | 4 | 8 | 16) {
            bytes
        } else {
            4
        };
        if self.is_contended(address, bytes) && bytes > 8 {
            return self.stop(
                path,
                "an input of several words in memory that threads share",
            );
        }
        let mut done = 0;
        while done < bytes {
            let size = piece.min(bytes - done);
            let size = if size.is_power_of_two() { size } else { 1 };
            let label = match done == 0 && size == bytes {
                true => name.clone(),
                false => format!("{name}+{done}"),
            };
            let value = self.input(work, path, &label, 8 * size as u32, done);
            let place = Targets::at(self.terms, address + done);
            let is_event = self.is_event(path, &place, size);
            if is_event {
                self.begin_event(work, path, EventKind::Access);
                self.accesses_plainly = true;
            }
            self.write_targets(work, path, &place, value)?;
            if is_event {
                self.end_event(path);
            }
            done += size;
        }
        Ok(Next::Go)
    }

    /// A text that the program has as a constant.
    fn text(&mut self, path: &Path, address: Option<TermId>) -> String {
        let mut text = Vec::new();
        let Some(mut at) = address.and_then(|a| self.number(a)).filter(|at| *at != 0) else {
            return "input".to_string();
        };
        while self.objects.holding(at, 1).is_some() {
            let byte = crate::memory::read(self.terms, &self.objects, &path.contents, at, 1);
            match self.number(byte) {
                Some(0) | None => break,
                Some(byte) => text.push(byte as u8),
            }
            at += 1;
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Output goes nowhere. What it looks at must be texts that are constants.
    pub(super) fn output(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Output,
        call: &Called,
    ) -> Run<Next> {
        let format = match function {
            Output::Printf => Some(0),
            Output::PrintfChk | Output::Fprintf | Output::Dprintf => Some(1),
            Output::FprintfChk => Some(2),
            Output::Puts | Output::Fputs => None,
            Output::Putchar | Output::Fputc => {
                if let Some(stream) = call.args.get(1).copied() {
                    self.need_stream(path, stream)?;
                }
                let byte = self.terms.extract(call.args[0], 0, 8);
                if let Some(width) = call.result_width {
                    let value = self.terms.zext(byte, width);
                    self.result(path, call, value);
                }
                return Ok(Next::Go);
            }
            _ => return self.stop(path, format!("what {} does", call.name)),
        };
        match function {
            Output::Fprintf | Output::FprintfChk => self.need_stream(path, call.args[0])?,
            Output::Fputs => self.need_stream(path, call.args[1])?,
            _ => {}
        }
        let text = call.args.get(format.unwrap_or(0)).copied();
        let is_constant = text
            .and_then(|t| self.number(t))
            .and_then(|at| self.objects.around(at))
            .is_some_and(|(_, object)| object.readonly);
        if !is_constant {
            return self.stop(path, "output of a text that may change");
        }
        if format.is_some() {
            let format = self.text(path, text);
            // Texts would be read, and `%n` written; the rest only uses its arguments.
            let conversions = format.split('%').skip(1);
            for conversion in conversions {
                let letter = conversion.trim_start_matches(|c: char| !c.is_alphabetic());
                let letter = letter.trim_start_matches(['l', 'h', 'z', 'j', 't']);
                if letter.starts_with(['s', 'n', 'S', 'm'])
                    || letter.is_empty() && !conversion.is_empty()
                {
                    return self.stop(path, "output of texts from memory");
                }
            }
        }
        if let Some(width) = call.result_width {
            // How many characters were written.
            let key = self.key_id(path);
            let name = format!("written by {}@{}", work.thread, key.0);
            let count = self.terms.input(&name, width);
            self.result(path, call, count);
        }
        Ok(Next::Go)
    }

    /// Output goes to a standard stream.
    fn need_stream(&self, path: &Path, stream: TermId) -> Run<()> {
        let at = self.number(stream).and_then(|at| self.objects.get(at));
        match at {
            Some(_) => Ok(()),
            None => self.stop(path, "output to a stream that is perhaps none"),
        }
    }

    pub(super) fn process(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Process,
        call: &Called,
    ) -> Run<Next> {
        match function {
            Process::Exit => {
                self.graph.stops.push(path.guard);
                Err(Stop::Dead)
            }
            Process::Abort => self.fail(work.thread, path, FaultKind::Abort),
            Process::Yield => {
                let zero = self.terms.constant(32, 0);
                self.result(path, call, zero);
                Ok(Next::Go)
            }
            Process::AtExit => self.stop(path, "functions that run at the end"),
            Process::ErrnoLocation => {
                let address = self.errno(work, path)?;
                let address = self.pointer(address);
                self.result(path, call, address);
                Ok(Next::Go)
            }
            Process::Throw => self.stop(path, "an exception"),
            Process::Memcpy => {
                let [to, from, bytes] = [call.args[0], call.args[1], call.args[2]];
                self.copy(work, path, [to, from, bytes])?;
                self.result(path, call, to);
                Ok(Next::Go)
            }
            Process::Memset => {
                let [to, byte, bytes] = [call.args[0], call.args[1], call.args[2]];
                self.fill(work, path, [to, byte, bytes])?;
                self.result(path, call, to);
                Ok(Next::Go)
            }
        }
    }
}
