//! Events, for a report: recorded only while a witness is replayed.

use ir::debug::LocId;
use ir::{BlockId, FuncId};

use crate::machine::Machine;
use crate::thread::ThreadId;
use crate::value::Value;

#[derive(Clone, Debug, Default)]
pub struct Recorder {
    pub(crate) events: Vec<Event>,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub thread: ThreadId,
    pub loc: LocId,
    /// The function of the user's code it happened in.
    pub function: FuncId,
    /// The instruction itself, wherever that stands: function, block, place in the block.
    pub instruction: Option<(FuncId, BlockId, u32)>,
    /// It accesses what other threads access too.
    pub visible: bool,
    pub kind: EventKind,
}

#[derive(Clone, Debug)]
pub enum EventKind {
    Read {
        address: u64,
        bytes: u32,
        value: Value,
    },
    Write {
        address: u64,
        bytes: u32,
        value: Value,
    },
    /// An atomic read-modify-write.
    Update {
        address: u64,
        bytes: u32,
        old: Value,
        new: Value,
    },
    CompareExchange {
        address: u64,
        bytes: u32,
        old: Value,
        new: Value,
        success: bool,
    },
    /// A call on a synchronisation object: `pthread_mutex_lock`, `sem_post`, ...
    Sync {
        operation: &'static str,
        address: u64,
        /// What it came to: an error code, a woken thread.
        note: String,
    },
    Create {
        child: ThreadId,
        /// What the child runs.
        function: FuncId,
    },
    Join(ThreadId),
    EndThread,
    Free {
        address: u64,
    },
    Input {
        name: String,
        value: Value,
    },
    /// What the environment gives, in words.
    Environment(String),
    Output(String),
    Call {
        what: &'static str,
    },
}

impl Machine {
    /// The events recorded so far.
    pub fn events(&self) -> &[Event] {
        self.probes.recorder.as_ref().map_or(&[], |r| &r.events)
    }

    /// Hands over the events recorded so far. Recording goes on.
    pub fn take_events(&mut self) -> Vec<Event> {
        let recorder = self.probes.recorder.as_mut();
        recorder.map_or_else(Vec::new, |r| std::mem::take(&mut r.events))
    }

    /// Forgets all events but the first `count`: the others are undone.
    pub fn forget_events_after(&mut self, count: usize) {
        if let Some(recorder) = &mut self.probes.recorder {
            recorder.events.truncate(count);
        }
    }

    /// Records nothing, up to `resume_recording`: what is executed meanwhile is only tried, and
    /// undone.
    pub fn suspend_recording(&mut self) -> Option<Box<Recorder>> {
        self.probes.recorder.take()
    }

    pub fn resume_recording(&mut self, recorder: Option<Box<Recorder>>) {
        self.probes.recorder = recorder;
    }

    #[inline]
    pub(crate) fn event(&mut self, kind: impl FnOnce() -> EventKind) {
        if self.probes.recorder.is_some() {
            self.record(kind());
        }
    }

    fn record(&mut self, kind: EventKind) {
        let loc = self.current_user_loc();
        let function = self
            .running
            .frames
            .iter()
            .rev()
            .map(|f| f.function)
            .find(|f| !self.program.function(*f).runtime)
            .unwrap_or(FuncId(0));
        let shared = match kind {
            EventKind::Read { address, bytes, .. }
            | EventKind::Write { address, bytes, .. }
            | EventKind::Update { address, bytes, .. }
            | EventKind::CompareExchange { address, bytes, .. } => {
                self.state.memory.shared.overlaps(address, u64::from(bytes))
            }
            _ => false,
        };
        let event = Event {
            thread: self.now.current,
            loc,
            function,
            instruction: self.current_instruction(),
            visible: self.running.visible || shared,
            kind,
        };
        self.probes
            .recorder
            .as_mut()
            .expect("recording")
            .events
            .push(event);
    }

    fn current_instruction(&self) -> Option<(FuncId, BlockId, u32)> {
        let frame = self.running.frames.last()?;
        let origins = &self.program.function(frame.function).origins;
        let (block, index) = *origins.get(frame.pc as usize)?;
        Some((frame.function, block, index))
    }

    /// What `main` is called with, where that was made up.
    pub(crate) fn record_arguments(&mut self) {
        let Some(main) = self.program.entries.map(|entries| entries.main) else {
            return;
        };
        if self.probes.recorder.is_none() {
            return;
        }
        let has_parameters = !self.program.function(main).params.is_empty();
        let [argc, argv, _] = self.statics.arguments;
        if !self.config.takes_any_args() || !has_parameters || !argc.is_concrete() {
            return;
        }
        let word = self.pointer_bytes() as u64;
        let size = self.texts.get(&argv.bits).map_or(0, |parts| parts.len());
        let mut words = Vec::new();
        for i in 1..(size as u64).min(argc.bits) {
            let text = self.pointer_at(argv.bits + i * word);
            words.push(
                self.texts
                    .get(&text)
                    .map_or_else(String::new, |parts| self.shown_text(parts)),
            );
        }
        let more = if argc.bits > size as u64 { ", ..." } else { "" };
        let shown = format!(
            "argc = {}, arguments {{{}{more}}}",
            argc.bits,
            words.join(", ")
        );
        if let Some(recorder) = &mut self.probes.recorder {
            recorder.events.push(Event {
                thread: ThreadId::MAIN,
                loc: self.program.module.functions[main].loc.unwrap_or_default(),
                function: main,
                instruction: None,
                visible: false,
                kind: EventKind::Environment(shown),
            });
        }
    }

    pub(crate) fn record_end(&mut self, thread: ThreadId) {
        if let Some(recorder) = &mut self.probes.recorder {
            recorder.events.push(Event {
                thread,
                loc: LocId(0),
                function: FuncId(0),
                instruction: None,
                visible: false,
                kind: EventKind::EndThread,
            });
        }
    }
}
