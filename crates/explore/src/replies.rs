//! Replies to the machine's questions within a step, and what else could have been replied.
//!
//! Replies are given again where the step is executed again, also by other workers, or by a fresh
//! machine that is to tell the inputs. Which questions there are may differ there: a condition that
//! is always true is none if it is simplified to that, and how far a term is simplified depends on
//! those that were made before it. So a reply is given to the question at its place, not to the
//! next one (`sym_two_adders.c`).

use machine::{Answer, AskedAt, Question, Situation};
use serde::{Deserialize, Serialize};
use smt::{TermId, Terms};
use thin_vec::ThinVec;

use crate::feasibility::Feasible;
use crate::walk::Walk;

/// One reply.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    pub answer: Answer,
    /// The place of the question in the step.
    pub at: AskedAt,
    /// What it adds to the path condition. Not known of a reply that comes from elsewhere and was
    /// not given yet.
    #[serde(skip)]
    pub assumed: Option<TermId>,
    /// It was a modelled choice, which belongs into a schedule.
    pub is_choice: bool,
    /// It is the first that was possible.
    pub is_first: bool,
    pub others: Others,
}

impl Reply {
    /// What must hold for the reply that comes before it; `None`: it is the first one itself, or
    /// all are alike. The inner `None`: nothing.
    pub fn first(&self, terms: &mut Terms) -> Option<Option<TermId>> {
        match self.answer {
            Answer::Number(n) if self.is_choice => (n != 0).then_some(None),
            Answer::Truth(false) => self.assumed.map(|condition| Some(terms.not(condition))),
            Answer::Truth(true) | Answer::Number(_) => None,
        }
    }
}

/// What is left to reply instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Others {
    None,
    /// The condition was taken as true.
    Branch,
    Choice {
        next: u32,
        count: u32,
    },
    /// All but these values.
    Value {
        tried: Vec<u128>,
    },
}

/// What is to be replied to a question instead.
#[derive(Clone, Debug)]
pub struct Next {
    pub at: AskedAt,
    pub others: Others,
}

/// The replies of a step, in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Replies(pub ThinVec<Reply>);

impl Replies {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether some reply is of a kind that comes after another.
    pub fn has_later(&self) -> bool {
        self.0.iter().any(|r| match r.answer {
            Answer::Truth(truth) => !truth,
            Answer::Number(n) => r.is_choice && n != 0,
        })
    }

    /// Without terms, which mean nothing elsewhere.
    pub fn portable(&self) -> Replies {
        let replies = self.0.iter().cloned();
        let without = |reply| Reply {
            assumed: None,
            ..reply
        };
        Replies(replies.map(without).collect())
    }

    pub fn all_first(&self) -> bool {
        self.0.iter().all(|r| r.is_first)
    }

    /// The reply to a question at this place, if one is left. Those before it were to what is no
    /// question here.
    pub fn take(&mut self, at: AskedAt) -> Option<Reply> {
        let place = self.0.iter().position(|reply| reply.at == at)?;
        self.0.drain(..=place).next_back()
    }

    /// The replies up to the last that leaves others to try, which is left for the search to
    /// replace. `None`: all was tried.
    pub fn next(mut self) -> Option<(Replies, Next)> {
        while let Some(reply) = self.0.pop() {
            if !matches!(reply.others, Others::None) {
                let Reply { at, others, .. } = reply;
                return Some((self, Next { at, others }));
            }
        }
        None
    }
}

impl Walk<'_> {
    /// The first reply to a question; `None`: there is none. What it assumes is noted even where
    /// the path leaves no choice: the step may be kept when one is taken out on whose assumptions
    /// that rested.
    pub fn reply(&mut self, question: Question) -> Option<Reply> {
        let at = AskedAt::default();
        let first = |answer, assumed, others| Reply {
            answer,
            at,
            assumed,
            is_choice: false,
            is_first: true,
            others,
        };
        match question {
            Question::Branch(condition) => {
                if let Some(truth) = self.machine.terms.as_constant(condition) {
                    return Some(first(Answer::Truth(truth == 1), None, Others::None));
                }
                let negated = self.machine.terms.not(condition);
                let holds = self.check(&[condition]);
                if matches!(holds, Feasible::No) {
                    self.outcome.runs.infeasible += 1;
                    return Some(first(Answer::Truth(false), Some(negated), Others::None));
                }
                let fails = self.check(&[negated]);
                match (holds, fails) {
                    (Feasible::Yes(_), Feasible::Yes(_)) => {
                        Some(first(Answer::Truth(true), Some(condition), Others::Branch))
                    }
                    (Feasible::Yes(_), Feasible::No) => {
                        self.outcome.runs.infeasible += 1;
                        Some(first(Answer::Truth(true), Some(condition), Others::None))
                    }
                    // One side is undecided: follow the other, and remember that something was left
                    // out.
                    (Feasible::Yes(_), Feasible::Unknown) => {
                        self.give_up();
                        Some(first(Answer::Truth(true), Some(condition), Others::None))
                    }
                    (Feasible::Unknown, Feasible::Yes(_)) => {
                        self.give_up();
                        Some(first(Answer::Truth(false), Some(negated), Others::None))
                    }
                    _ => {
                        self.give_up();
                        None
                    }
                }
            }
            Question::Assume(condition) => match self.check(&[condition]) {
                Feasible::Yes(_) => Some(first(Answer::Truth(true), Some(condition), Others::None)),
                Feasible::No => {
                    self.outcome.runs.blocked += 1;
                    None
                }
                Feasible::Unknown => {
                    self.give_up();
                    None
                }
            },
            Question::Example(term) => {
                let value = self.some_value(term, &[])?;
                Some(first(Answer::Number(value), None, Others::None))
            }
            Question::Value(term) => {
                let value = self.some_value(term, &[])?;
                let equal = self.equals(term, value);
                let different = self.machine.terms.not(equal);
                let others = match self.check(&[different]) {
                    Feasible::No => Others::None,
                    Feasible::Yes(_) | Feasible::Unknown => Others::Value { tried: vec![value] },
                };
                Some(first(Answer::Number(value), Some(equal), others))
            }
            Question::Choice(count) => Some(Reply {
                answer: Answer::Number(0),
                at,
                assumed: None,
                is_choice: true,
                is_first: true,
                others: Others::Choice { next: 1, count },
            }),
        }
    }

    /// A reply to the question that the machine asks, instead of those given before.
    pub fn other_reply(&mut self, others: Others) -> Option<Reply> {
        let Situation::Ask(question) = *self.machine.advance() else {
            unreachable!("a question that was asked before");
        };
        let at = AskedAt::default();
        match (others, question) {
            (Others::Branch, Question::Branch(condition)) => Some(Reply {
                answer: Answer::Truth(false),
                at,
                assumed: Some(self.machine.terms.not(condition)),
                is_choice: false,
                is_first: false,
                others: Others::None,
            }),
            (Others::Choice { next, count }, _) => Some(Reply {
                answer: Answer::Number(u128::from(next)),
                at,
                assumed: None,
                is_choice: true,
                is_first: false,
                others: if next + 1 < count {
                    Others::Choice {
                        next: next + 1,
                        count,
                    }
                } else {
                    Others::None
                },
            }),
            (Others::Value { mut tried }, Question::Value(term)) => {
                let mut excluded = Vec::with_capacity(tried.len());
                for value in &tried {
                    let equal = self.equals(term, *value);
                    excluded.push(self.machine.terms.not(equal));
                }
                let value = self.some_value(term, &excluded)?;
                let equal = self.equals(term, value);
                tried.push(value);
                Some(Reply {
                    answer: Answer::Number(value),
                    at,
                    assumed: Some(equal),
                    is_choice: false,
                    is_first: false,
                    others: Others::Value { tried },
                })
            }
            _ => None,
        }
    }

    /// What a reply that comes from elsewhere assumes.
    pub fn assumption(&mut self, question: Question, answer: Answer) -> Option<TermId> {
        match (question, answer) {
            (Question::Branch(condition), Answer::Truth(false)) => {
                Some(self.machine.terms.not(condition))
            }
            (Question::Branch(condition) | Question::Assume(condition), _) => Some(condition),
            (Question::Value(term), Answer::Number(value)) => Some(self.equals(term, value)),
            _ => None,
        }
    }

    fn some_value(&mut self, term: TermId, excluded: &[TermId]) -> Option<u128> {
        match self.check(excluded) {
            Feasible::Yes(model) => Some(self.machine.terms.eval(term, &model)),
            Feasible::No => None,
            Feasible::Unknown => {
                self.give_up();
                None
            }
        }
    }
}
