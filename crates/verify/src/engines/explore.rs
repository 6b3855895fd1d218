//! The explorer (`explore`) as an engine: P1's summaries, P4's predicate dependence and the
//! reductions, on the program with what does not matter marked in it.
//!
//! Where a static analysis says that one schedule stands for all, that one is tried first.
//!
//! What a slice rests on is checked by every execution (see `machine::premises`). If it proves to
//! be wrong, the search is made again without a slice. So it is, and without critical sections
//! that are one step, if what it found cannot be followed where nothing is left out.

use std::sync::Arc;

use ::explore::{Frontier, Monitor, Outcome, Published, Search, SearchFacts, Stopped};
use machine::{Machine, Program, Property};

use crate::Internal;
use crate::engine::{Answer, Doubt, Engine, Task};
use crate::explain::{Explanation, Lines, Why, explain, shown_jumps};
use crate::known::Doing;
use crate::options::{Dependence, Explore};
use crate::relevance::{Subject, Wanted};

/// The explorer, with a name of its own among others.
#[derive(Clone)]
pub(crate) struct Explorer {
    name: &'static str,
    options: Explore,
    /// Marks in the program are such that critical sections can be looked into.
    peeks: bool,
    /// One schedule is tried first, if it may stand for all.
    tries_one_schedule: bool,
}

impl Explorer {
    pub fn new(options: Explore) -> Explorer {
        let name = match &options.search {
            Search::Preemptions { .. } => "preemptions",
            Search::Random(_) => "random",
            _ => "explore",
        };
        Explorer {
            peeks: options.search.peeks(),
            tries_one_schedule: true,
            name,
            options,
        }
    }

    /// Another search of the same program, with the same marks.
    pub fn instead(mut self, name: &'static str, search: Search) -> Explorer {
        self.name = name;
        self.options.search = search;
        self.without_one_schedule()
    }

    /// One schedule was tried before.
    pub fn without_one_schedule(mut self) -> Explorer {
        self.tries_one_schedule = false;
        self
    }

    /// Races are found by looking at every access.
    fn wanted(&self, task: &Task) -> Wanted {
        let options = &self.options;
        let leaves_out = !task.properties.contains(Property::Race);
        let slices = leaves_out && options.dependence != Dependence::Conflict;
        // A search that is left and taken up is one and the same: it is not made again.
        let may_be_made_again = options.pieces.is_none();
        Wanted {
            properties: task.properties.clone(),
            slices,
            dont_care_branches: slices
                && options.dependence == Dependence::Predicate
                && may_be_made_again,
            peeks: leaves_out && self.peeks,
        }
    }

    /// The program as it is searched, and what its search is asked.
    pub fn prepare(&self, task: &Task) -> (Arc<Subject>, ::explore::Options) {
        let subject = task.analysed.subject(&self.wanted(task));
        let options = self.search_options(task, &subject);
        (subject, options)
    }

    fn search_options(&self, task: &Task, subject: &Subject) -> ::explore::Options {
        let mut search = self.options.search.clone();
        if !subject.peeks {
            search = search.without_peeking();
        }
        if let Some(summarise) = search.summaries_mut() {
            let shown = |lines| Arc::new(shown_jumps(&subject.program, lines));
            summarise.explains = self.options.explain.as_ref().map(shown);
        }
        ::explore::Options {
            machine: task.machine.clone(),
            search,
            properties: task.properties.clone(),
            all: task.all,
            slices: self.wanted(task).slices,
            solver_timeout: task.solver_timeout,
            interrupt: Arc::clone(&task.halt),
            shared: task.board.shared(),
        }
    }

    fn search(
        &self,
        task: &Task,
        subject: &Subject,
        options: &::explore::Options,
        monitor: &mut Watched,
    ) -> Result<Answer, Internal> {
        let pieces = self.options.pieces.as_ref();
        let resume = pieces.and_then(|pieces| pieces.resume.as_deref());
        let is_whole = options.search.is_exhaustive() && resume.is_none();
        if let Some(program) = &subject.single_schedule
            && is_whole
            && self.tries_one_schedule
            && let Some(outcome) = ::explore::search_one_schedule(program, options, monitor)?
            && !program.premises.are_refuted()
        {
            return Ok(Answer::of(ONE_SCHEDULE, task, program, outcome));
        }
        let answer = |outcome: Outcome| Answer::of(self.name, task, &subject.program, outcome);
        let Search::Optimal { workers, .. } = options.search else {
            return Ok(answer(::explore::search(
                &subject.program,
                options,
                monitor,
            )?));
        };
        let left = resume.cloned().unwrap_or_else(|| {
            let facts = SearchFacts::at_first(&options.shared);
            Frontier::after(facts)
        });
        let resumed = ::explore::resume(&subject.program, options, workers, left, monitor)?;
        Ok(Answer {
            left: resumed.left,
            starts_over: resumed.starts_over,
            ..answer(resumed.outcome)
        })
    }
}

/// What answers are called for which one schedule was enough.
const ONE_SCHEDULE: &str = "explore:one-schedule";

impl Engine for Explorer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, task: &Task, monitor: &mut dyn Monitor) -> Result<Answer, Internal> {
        let tell = |doing| task.known.inspect(|known| known.now(doing));
        tell(Doing::Analysing);
        let (subject, options) = self.prepare(task);
        tell(Doing::Searching(subject.slice));
        let mut watched = Watched {
            inner: monitor,
            program: &subject.program,
            lines: self.options.explain.as_ref(),
            explanation: None,
        };
        let mut answer = match self.search(task, &subject, &options, &mut watched) {
            Err(_) if subject.is_refuted() => Answer::unknown(self.name, task),
            answer => answer?,
        };
        answer.why = watched.explanation.map(Why::Explained);
        answer.slice = subject.slice;
        answer.is_refuted = subject.is_refuted();
        answer.has_dont_care_branches = subject.has_dont_care_branches;
        answer.bounds.extend(bound(&self.options.search));
        Ok(answer)
    }

    fn assume_less(&self, doubt: Doubt) -> Option<Box<dyn Engine>> {
        let next = self.options.assume_less(doubt)?;
        Some(Box::new(Explorer::new(next)))
    }
}

impl Explore {
    pub(crate) fn assume_less(&self, doubt: Doubt) -> Option<Explore> {
        let mut next = self.clone();
        match doubt {
            _ if self.pieces.is_some() => return None,
            Doubt::Refuted => next.dependence = Dependence::Conflict,
            Doubt::Spoilt => next.dependence = Dependence::PredicateOfAccesses,
            Doubt::Unconfirmed => {
                // What leaves less out finds it in a way that can be followed, or not at all.
                next.dependence = Dependence::Conflict;
                next.search = next.search.without_peeking();
            }
        }
        let is_less =
            next.dependence != self.dependence || self.search.peeks() != next.search.peeks();
        is_less.then_some(next)
    }
}

/// What a report says of the search among the bounds.
fn bound(search: &Search) -> Option<String> {
    match search {
        Search::Preemptions { bound } => Some(format!("preemptions {bound}")),
        Search::Random(sampling) => Some(match sampling.runs {
            Some(runs) => format!("random runs {runs}"),
            None => "random".to_string(),
        }),
        _ => None,
    }
}

/// Ends a search whose premises are refuted, and explains its summaries if that is wanted.
struct Watched<'a> {
    inner: &'a mut dyn Monitor,
    program: &'a Program,
    lines: Option<&'a Lines>,
    explanation: Option<Explanation>,
}

impl Monitor for Watched<'_> {
    fn inner(&mut self) -> Option<&mut dyn Monitor> {
        Some(self.inner)
    }

    fn tick(&mut self, outcome: &Outcome, depth: usize) -> Option<Stopped> {
        let stopped = self.inner.tick(outcome, depth);
        // Nothing is gained by going on.
        let is_refuted = || self.program.premises.are_refuted();
        stopped.or_else(|| is_refuted().then_some(Stopped::Interrupted))
    }

    fn summaries(&mut self, machine: &mut Machine, summaries: Vec<Published>) {
        if let Some(lines) = self.lines {
            self.explanation = Some(explain(self.program, machine, &summaries, lines));
        }
    }
}
