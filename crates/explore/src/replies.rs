//! Replies to the machine's questions, and what else could have been replied. Searches that try all
//! replies take the first ([`Walk::reply`]) and then the others ([`Walk::other_reply`]); what needs
//! one alone finds it in `single`.
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

use crate::decision::Decision;
use crate::feasibility::Feasible;
use crate::walk::Walk;

mod single;

pub(crate) use self::single::Only;

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
    /// The path condition implies what it assumes.
    #[serde(skip)]
    pub is_implied: bool,
    pub others: Others,
}

impl Reply {
    /// One of several modelled choices.
    pub fn choice(choice: u32) -> Reply {
        Reply {
            is_choice: true,
            ..Reply::only(Answer::Number(u128::from(choice)), None)
        }
    }

    /// The first and, unless said otherwise, only reply.
    pub fn only(answer: Answer, assumed: Option<TermId>) -> Reply {
        Reply {
            answer,
            at: AskedAt::default(),
            assumed,
            is_choice: false,
            is_first: true,
            is_implied: false,
            others: Others::None,
        }
    }

    fn implied(self) -> Reply {
        Reply {
            is_implied: true,
            ..self
        }
    }

    /// As a part of a schedule, if it is one.
    pub fn decision(&self) -> Option<Decision> {
        match self.answer {
            Answer::Number(choice) if self.is_choice => Some(Decision::Choose(choice as u32)),
            Answer::Number(_) | Answer::Truth(_) => None,
        }
    }

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
        match question {
            Question::Branch(condition) => self.first_side(condition),
            Question::Assume(condition) => match self.check(&[condition]) {
                Feasible::Yes(_) => Some(Reply::only(Answer::Truth(true), Some(condition))),
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
                Some(Reply::only(Answer::Number(value), None))
            }
            Question::Value(term) => {
                let value = self.some_value(term, &[])?;
                let equal = self.equals(term, value);
                let different = self.machine.terms.not(equal);
                let first = Reply::only(Answer::Number(value), Some(equal));
                Some(match self.check(&[different]) {
                    Feasible::No => first.implied(),
                    // If the solver cannot tell, asking again will.
                    Feasible::Yes(_) | Feasible::Unknown => Reply {
                        others: Others::Value { tried: vec![value] },
                        ..first
                    },
                })
            }
            Question::Choice(count) => Some(Reply {
                is_choice: true,
                others: Others::Choice { next: 1, count },
                ..Reply::only(Answer::Number(0), None)
            }),
        }
    }

    fn first_side(&mut self, condition: TermId) -> Option<Reply> {
        if let Some(truth) = self.machine.terms.as_constant(condition) {
            return Some(Reply::only(Answer::Truth(truth == 1), None));
        }
        let negated = self.machine.terms.not(condition);
        let is_true = Reply::only(Answer::Truth(true), Some(condition));
        let is_false = Reply::only(Answer::Truth(false), Some(negated));
        let holds = self.check(&[condition]);
        if matches!(holds, Feasible::No) {
            // The path is feasible, so one side is.
            self.outcome.runs.infeasible += 1;
            return Some(is_false.implied());
        }
        let fails = self.check(&[negated]);
        match (holds, fails) {
            (Feasible::Yes(_), Feasible::Yes(_)) => Some(Reply {
                others: Others::Branch,
                ..is_true
            }),
            (Feasible::Yes(_), Feasible::No) => {
                self.outcome.runs.infeasible += 1;
                Some(is_true.implied())
            }
            // One side is undecided: follow the other, and remember that something was left out.
            (Feasible::Yes(_), Feasible::Unknown) => {
                self.give_up();
                Some(is_true)
            }
            (Feasible::Unknown, Feasible::Yes(_)) => {
                self.give_up();
                Some(is_false)
            }
            _ => {
                self.give_up();
                None
            }
        }
    }

    /// A reply to the question that the machine asks, instead of those given before.
    pub fn other_reply(&mut self, others: Others) -> Option<Reply> {
        let Situation::Ask(question) = *self.machine.advance() else {
            unreachable!("a question that was asked before");
        };
        let reply = match (others, question) {
            (Others::Branch, Question::Branch(condition)) => {
                let negated = self.machine.terms.not(condition);
                Reply::only(Answer::Truth(false), Some(negated))
            }
            (Others::Choice { next, count }, _) => Reply {
                is_choice: true,
                others: match next + 1 < count {
                    true => Others::Choice {
                        next: next + 1,
                        count,
                    },
                    false => Others::None,
                },
                ..Reply::only(Answer::Number(u128::from(next)), None)
            },
            (Others::Value { mut tried }, Question::Value(term)) => {
                let mut excluded = Vec::with_capacity(tried.len());
                for value in &tried {
                    let equal = self.equals(term, *value);
                    excluded.push(self.machine.terms.not(equal));
                }
                let value = self.some_value(term, &excluded)?;
                let equal = self.equals(term, value);
                tried.push(value);
                Reply {
                    others: Others::Value { tried },
                    ..Reply::only(Answer::Number(value), Some(equal))
                }
            }
            _ => return None,
        };
        Some(Reply {
            is_first: false,
            ..reply
        })
    }

    /// Gives a reply to the machine, and notes it if it belongs into a schedule.
    pub fn give(&mut self, reply: &Reply, decisions: &mut impl Extend<Decision>) {
        if let Some(condition) = reply.assumed {
            self.machine.assume(condition);
        }
        decisions.extend(reply.decision());
        self.machine.answer(reply.answer);
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
