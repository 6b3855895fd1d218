//! Replies of which one is enough: any, one at random, or the only one that the path leaves.

use machine::{Answer, Question};
use smt::TermId;

use super::Reply;
use crate::feasibility::Feasible;
use crate::random::Generator;
use crate::walk::Walk;

/// How many values an input has that must be fixed, at most, if one is drawn at random: the later
/// ones are less and less likely.
const MOST_VALUES: usize = 16;

/// What the path says to a question.
pub(crate) enum Only {
    Answer(Answer),
    Several,
    Unclear,
}

impl Walk<'_> {
    /// Some possible reply; `None`: there is none, or the solver cannot tell. It counts for
    /// nothing.
    pub fn any_reply(&mut self, question: Question) -> Option<Reply> {
        Some(match question {
            Question::Branch(condition) => {
                let holds = matches!(self.check(&[condition]), Feasible::Yes(_));
                let negated = self.machine.terms.not(condition);
                let side = if holds { condition } else { negated };
                Reply::only(Answer::Truth(holds), Some(side))
            }
            Question::Assume(condition) => match self.check(&[condition]) {
                Feasible::Yes(_) => Reply::only(Answer::Truth(true), Some(condition)),
                Feasible::No | Feasible::Unknown => return None,
            },
            Question::Example(term) | Question::Value(term) => match self.check(&[]) {
                Feasible::Yes(model) => {
                    let value = self.machine.terms.eval(term, &model);
                    let equal = self.equals(term, value);
                    Reply::only(Answer::Number(value), Some(equal))
                }
                Feasible::No | Feasible::Unknown => return None,
            },
            Question::Choice(_) => Reply::only(Answer::Number(0), None),
        })
    }

    /// The answer to a question that the path leaves no choice about.
    pub fn only_reply(&mut self, question: Question) -> Only {
        match question {
            Question::Branch(condition) => {
                let negated = self.machine.terms.not(condition);
                match self.check(&[negated]) {
                    Feasible::No => return Only::Answer(Answer::Truth(true)),
                    Feasible::Yes(_) => {}
                    Feasible::Unknown => return Only::Unclear,
                }
                self.unless(condition, Answer::Truth(false))
            }
            Question::Assume(condition) => {
                let negated = self.machine.terms.not(condition);
                self.unless(negated, Answer::Truth(true))
            }
            // No decision.
            Question::Example(term) => match self.check(&[]) {
                Feasible::Yes(model) => {
                    Only::Answer(Answer::Number(self.machine.terms.eval(term, &model)))
                }
                _ => Only::Unclear,
            },
            Question::Value(term) => {
                let Feasible::Yes(model) = self.check(&[]) else {
                    return Only::Unclear;
                };
                let value = self.machine.terms.eval(term, &model);
                let equal = self.equals(term, value);
                let different = self.machine.terms.not(equal);
                self.unless(different, Answer::Number(value))
            }
            Question::Choice(_) => Only::Unclear,
        }
    }

    fn unless(&mut self, condition: TermId, answer: Answer) -> Only {
        match self.check(&[condition]) {
            Feasible::No => Only::Answer(answer),
            Feasible::Yes(_) => Only::Several,
            Feasible::Unknown => Only::Unclear,
        }
    }

    /// A reply drawn evenly from what is possible; `None`: the run cannot go on.
    pub fn random_reply(&mut self, question: Question, random: &mut Generator) -> Option<Reply> {
        let reply = match question {
            Question::Branch(condition) => self.random_side(condition, random),
            Question::Value(term) => self.random_value(term, random),
            Question::Choice(count) => {
                let choice = random.below(count as usize) as u128;
                return Some(Reply {
                    is_choice: true,
                    ..Reply::only(Answer::Number(choice), None)
                });
            }
            Question::Assume(_) | Question::Example(_) => return self.reply(question),
        };
        if reply.is_some() {
            // A loop with decisions in it is bounded; the machine knows decisions by their depth.
            self.machine.mark();
        } else {
            self.give_up();
        }
        reply
    }

    fn random_side(&mut self, condition: TermId, random: &mut Generator) -> Option<Reply> {
        let negated = self.machine.terms.not(condition);
        let first = random.below(2) == 0;
        for holds in [first, !first] {
            let side = if holds { condition } else { negated };
            if let Feasible::Yes(_) = self.check(&[side]) {
                return Some(Reply::only(Answer::Truth(holds), Some(side)));
            }
        }
        None
    }

    /// Each value is half as likely as the one that the solver gives before it.
    fn random_value(&mut self, term: TermId, random: &mut Generator) -> Option<Reply> {
        let mut excluded = Vec::new();
        let mut last = None;
        while let Feasible::Yes(model) = self.check(&excluded) {
            let value = self.machine.terms.eval(term, &model);
            let equal = self.equals(term, value);
            last = Some(Reply::only(Answer::Number(value), Some(equal)));
            if excluded.len() + 1 == MOST_VALUES || random.below(2) == 0 {
                break;
            }
            excluded.push(self.machine.terms.not(equal));
        }
        last
    }
}
