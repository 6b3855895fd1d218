//! Replies to the machine's questions within a step, and what else could have been replied.

use machine::Answer;
use smt::{TermId, Terms};

/// One reply.
#[derive(Clone, Debug)]
pub struct Reply {
    pub answer: Answer,
    /// What it adds to the path condition.
    pub assumed: Option<TermId>,
    /// It was a modelled choice, which belongs into a schedule.
    pub is_choice: bool,
    /// It is the first that was possible.
    pub is_first: bool,
    pub others: Others,
}

impl Reply {
    /// What must hold for the reply that comes before it; `None`: it is the first one itself, or all are alike. The inner
    /// `None`: nothing.
    pub fn first(&self, terms: &mut Terms) -> Option<Option<TermId>> {
        match self.answer {
            Answer::Number(n) if self.is_choice => (n != 0).then_some(None),
            Answer::Truth(false) => self.assumed.map(|condition| Some(terms.not(condition))),
            Answer::Truth(true) | Answer::Number(_) => None,
        }
    }
}

/// What is left to reply instead.
#[derive(Clone, Debug)]
pub enum Others {
    None,
    /// The condition was taken as true.
    Branch(TermId),
    Choice {
        next: u32,
        count: u32,
    },
    /// Values tried so far are excluded.
    Value {
        term: TermId,
        excluded: Vec<TermId>,
    },
}

/// The replies of a step, in order.
#[derive(Clone, Debug, Default)]
pub struct Replies(pub Vec<Reply>);

impl Replies {
    /// Whether some reply is of a kind that comes after another.
    pub fn has_later(&self) -> bool {
        self.0.iter().any(|r| match r.answer {
            Answer::Truth(truth) => !truth,
            Answer::Number(n) => r.is_choice && n != 0,
        })
    }

    pub fn all_first(&self) -> bool {
        self.0.iter().all(|r| r.is_first)
    }

    /// The replies up to the last that leaves others to try, which is left for the search to replace. `None`: all was tried.
    pub fn next(mut self) -> Option<(Replies, Others)> {
        while let Some(reply) = self.0.pop() {
            if !matches!(reply.others, Others::None) {
                return Some((self, reply.others));
            }
        }
        None
    }
}
