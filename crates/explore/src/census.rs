//! The Mazurkiewicz traces of a program, by brute force: every interleaving of every event is
//! executed, and the partial orders are collected. For tests: what a reduction follows is counted
//! against it.
//!
//! Two executions are one trace if each thread does the same events with the same replies, and on
//! every cell the groups of independent events (`dependence.rs`) come in the same order; and if the
//! last of a group that replaces the cell is the same where another follows. It shares with the
//! searches the machine, the cells and what is independent, nothing else.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::IndexVec;
use machine::{
    Answer, Enabled, End, Machine, Mark, Mode, Probes, Program, Property, Question, Status,
    ThreadId,
};

use crate::cells::{CellId, Cells};
use crate::dependence::Access;
use crate::driver::{Flow, Policy, Round, drive};
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::options::Options;
use crate::outcome::Silent;
use crate::replies::{Others, Reply};
use crate::walk::Walk;

/// All that a program does.
#[derive(Debug, Default)]
pub struct Census {
    /// Traces at whose end every thread has ended, or waits for ever.
    pub complete: BTreeSet<Trace>,
    /// Traces in which a thread was stopped by an assumption.
    pub blocked: BTreeSet<Trace>,
    pub interleavings: u64,
    /// Something was decided besides the order of events: by an input, or a modelled choice.
    pub asked: bool,
}

/// For each thread its events and the replies it was given.
pub type Trace = IndexVec<ThreadId, (Vec<Place>, Vec<u128>)>;

/// An event among those on its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    cell: CellId,
    access: Access,
    /// Groups before its own.
    before: u32,
    /// It is the last of a group that replaces the cell, and another follows.
    seen: bool,
}

/// `None`: there are more interleavings, an execution runs into a fault, or is given up.
pub fn census(
    program: &Arc<Program>,
    options: &Options,
    most_interleavings: u64,
) -> Result<Option<Census>, Error> {
    let mut known = SearchFacts::at_first(&options.shared);
    let mut cells = Cells::default();
    loop {
        cells.merged = false;
        let mut silent = Silent;
        let mode = Mode {
            observed: true,
            commuting: options.search.independence().commute,
            observes_last: options.search.independence().observers,
            ..Mode::default()
        };
        let probes = Probes::default();
        let walk = Walk::start(program, options, &mut silent, &known, mode, probes)?;
        let mut count = Count {
            walk,
            cells: &mut cells,
            nodes: Vec::new(),
            events: Vec::new(),
            replies: Vec::new(),
            pending: None,
            census: Census::default(),
            most_interleavings,
        };
        match drive(&mut count) {
            Over::Counted => return Ok(Some(count.census)),
            Over::GivenUp => return Ok(None),
            Over::Void => known.learn(&count.walk.machine),
        }
    }
}

enum Over {
    Counted,
    GivenUp,
    /// More is shared, or cells are coarser.
    Void,
}

struct Event {
    thread: ThreadId,
    cell: CellId,
    access: Access,
}

struct Node {
    mark: Mark,
    events: usize,
    replies: usize,
    pending: Option<ThreadId>,
    /// The last is tried next.
    alternatives: Vec<Alternative>,
    /// Nothing was done here but atomic sections that cannot be gone through.
    refused: bool,
}

#[derive(Clone)]
enum Alternative {
    Run(Enabled),
    Reply(Reply),
}

struct Count<'a, 'b> {
    walk: Walk<'a>,
    cells: &'b mut Cells,
    nodes: Vec<Node>,
    events: Vec<Event>,
    replies: Vec<(ThreadId, u128)>,
    /// The thread whose event is being executed.
    pending: Option<ThreadId>,
    census: Census,
    most_interleavings: u64,
}

impl Policy for Count<'_, '_> {
    type Stop = Over;

    fn machine(&mut self) -> &mut Machine {
        &mut self.walk.machine
    }

    fn schedule(&mut self) -> Flow<Over> {
        self.after_event()?;
        let enabled = self.walk.machine.enabled().iter();
        let alternatives = enabled.rev().copied().map(Alternative::Run).collect();
        self.open(alternatives);
        self.go_on()
    }

    fn ask(&mut self, question: Question) -> Flow<Over> {
        if self.cells.merged || self.walk.machine.sharing_grew {
            return Flow::Break(Over::Void);
        }
        let Some(alternatives) = self.replies_to(question) else {
            return Flow::Break(Over::GivenUp);
        };
        self.open(alternatives);
        self.go_on()
    }

    fn join(&mut self) -> Flow<Over> {
        self.after_event()?;
        self.walk.machine.join_on();
        self.go_on()
    }

    fn wait(&mut self, _: Round) -> Flow<Over> {
        self.after_event()?;
        Flow::Break(Over::GivenUp)
    }

    fn spin(&mut self) -> Flow<Over> {
        self.after_event()?;
        Flow::Break(Over::GivenUp)
    }

    fn end(&mut self, end: End) -> Flow<Over> {
        let machine = &self.walk.machine;
        let is_running = |t| machine.status(t) == Status::Running;
        let is_refused = end == End::Discarded
            && machine.is_concurrent()
            && self.pending.is_some_and(is_running);
        self.after_event()?;
        self.census.interleavings += 1;
        if self.census.interleavings > self.most_interleavings {
            return Flow::Break(Over::GivenUp);
        }
        if !is_refused {
            let trace = self.trace();
            match end {
                End::Normal => self.census.complete.insert(trace),
                End::Fault(at) if at.fault.property() == Property::Deadlock => {
                    self.census.complete.insert(trace)
                }
                End::Discarded => self.census.blocked.insert(trace),
                End::Fault(_) | End::Cutoff(..) => return Flow::Break(Over::GivenUp),
            };
            self.nodes.iter_mut().for_each(|n| n.refused = false);
        }
        self.go_on()
    }
}

impl Count<'_, '_> {
    /// An event has ended, or the execution; `Break`: what was counted is void.
    fn after_event(&mut self) -> Flow<Over> {
        self.note_event();
        match self.cells.merged || self.walk.machine.sharing_grew {
            true => Flow::Break(Over::Void),
            false => Flow::Continue(()),
        }
    }

    fn note_event(&mut self) {
        let Some(thread) = self.pending.take() else {
            return;
        };
        let touches = self.walk.machine.footprint();
        self.events.push(Event {
            thread,
            cell: self.cells.of(touches),
            access: Access::of(touches, self.walk.options.search.independence()),
        });
    }

    fn open(&mut self, alternatives: Vec<Alternative>) {
        self.nodes.push(Node {
            mark: self.walk.machine.mark(),
            events: self.events.len(),
            replies: self.replies.len(),
            pending: self.pending,
            refused: matches!(alternatives.first(), Some(Alternative::Run(_))),
            alternatives,
        });
    }

    /// Takes the next alternative.
    fn go_on(&mut self) -> Flow<Over> {
        while let Some(node) = self.nodes.last_mut() {
            self.events.truncate(node.events);
            self.replies.truncate(node.replies);
            self.pending = node.pending;
            let Some(alternative) = node.alternatives.pop() else {
                let node = self.nodes.pop().expect("a node");
                self.walk.machine.discard(node.mark);
                if node.refused {
                    // Only such sections are left: they wait for ever.
                    let trace = self.trace();
                    self.census.blocked.insert(trace);
                    self.nodes.iter_mut().for_each(|n| n.refused = false);
                }
                continue;
            };
            self.walk.machine.undo(&node.mark);
            match alternative {
                Alternative::Run(enabled) => {
                    self.walk.machine.schedule(enabled);
                    self.pending = Some(enabled.thread);
                }
                Alternative::Reply(reply) => {
                    let number = match reply.answer {
                        Answer::Truth(truth) => u128::from(truth),
                        Answer::Number(number) => number,
                    };
                    let asker = self.walk.machine.current_thread();
                    self.replies.push((asker, number));
                    self.walk.give(&reply, &mut Vec::new());
                }
            }
            return Flow::Continue(());
        }
        Flow::Break(Over::Counted)
    }

    /// All that can be replied; `None`: the solver does not know, or there are too many.
    fn replies_to(&mut self, question: Question) -> Option<Vec<Alternative>> {
        self.census.asked = true;
        if matches!(question, Question::Example(_) | Question::Value(_)) {
            return None;
        }
        let mut alternatives = Vec::new();
        let mut next = self.walk.reply(question);
        while let Some(mut reply) = next {
            let others = std::mem::replace(&mut reply.others, Others::None);
            alternatives.push(Alternative::Reply(reply));
            next = match others {
                Others::None => None,
                others => self.walk.other_reply(others),
            };
        }
        let is_decided = self.walk.outcome.cut_off.is_empty();
        is_decided.then_some(alternatives)
    }

    fn trace(&self) -> Trace {
        let mut trace = Trace::new();
        // Of each cell, the last event: its thread, which of its events it is, and its place.
        let mut last: IndexVec<CellId, Option<(ThreadId, usize, Place)>> = IndexVec::new();
        for event in &self.events {
            let thread = event.thread;
            trace.reach(thread, Default::default());
            let mut place = Place {
                cell: event.cell,
                access: event.access,
                before: 0,
                seen: false,
            };
            let number = trace[thread].0.len();
            if event.cell != CellId::NONE {
                last.reach(event.cell, None);
                if let Some((thread, number, previous)) = last[event.cell] {
                    place.before = previous.before;
                    if !previous.access.commutes_with(event.access) {
                        place.before += 1;
                        trace[thread].0[number].seen = previous.access.replaces();
                    }
                }
                last[event.cell] = Some((thread, number, place));
            }
            trace[thread].0.push(place);
        }
        for (asker, reply) in &self.replies {
            trace.reach(*asker, Default::default());
            trace[*asker].1.push(*reply);
        }
        trace
    }
}
