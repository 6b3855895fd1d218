//! A line as an item. There is one way to write a number: no sign but `-`, no leading zeros, no
//! `-0`. Blanks are spaces.

use std::num::NonZeroI32;

use crate::assignment::{Lit, Literals};
use crate::clauses::ClauseId;
use crate::facts::{Atom, Edge, Event, Reads, Writes};
use crate::reason::{Expected, Reason};
use crate::walk::{Between, Step};

/// The first line.
pub(crate) const HEADER: &[u8] = b"s sleave-proof 1";

#[derive(Debug)]
pub(crate) enum Item {
    Event(Event),
    Fixed(Event, Event),
    Edge(Edge),
    Reads(Reads),
    Writes(Writes),
    Input(ClauseId, Vec<Lit>),
    Lemma(ClauseId, Vec<Lit>, Vec<Step>),
    Derived(ClauseId, Vec<Lit>, Vec<ClauseId>),
    Delete(Vec<ClauseId>),
    Question(Vec<Lit>),
    Unsatisfiable(ClauseId),
    Satisfiable,
    Unknown,
    /// The last line, with the number of lines before it.
    End(u64),
}

impl Item {
    /// Whether it states something, rather than prove or ask it.
    pub(crate) fn is_of_formula(&self) -> bool {
        match self {
            Item::Event(_)
            | Item::Fixed(..)
            | Item::Edge(_)
            | Item::Reads(_)
            | Item::Writes(_)
            | Item::Input(..) => true,
            Item::Lemma(..)
            | Item::Derived(..)
            | Item::Delete(_)
            | Item::Question(_)
            | Item::Unsatisfiable(_)
            | Item::Satisfiable
            | Item::Unknown
            | Item::End(_) => false,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Parser {
    literals: Literals,
}

impl Parser {
    pub(crate) fn item(&mut self, line: &[u8]) -> Result<Item, Reason> {
        let mut words = Words {
            line,
            next: 0,
            literals: &mut self.literals,
        };
        let item = words.item()?;
        match words.word() {
            None => Ok(item),
            Some(_) => Err(Reason::TooLong),
        }
    }
}

struct Words<'a> {
    line: &'a [u8],
    /// Where what is not read yet begins.
    next: usize,
    literals: &'a mut Literals,
}

impl<'a> Words<'a> {
    fn item(&mut self) -> Result<Item, Reason> {
        Ok(match self.word().ok_or(Reason::TooShort)? {
            b"n" => Item::Event(self.event()?),
            b"p" => Item::Fixed(self.event()?, self.event()?),
            b"e" => Item::Edge(self.edge()?),
            b"r" => Item::Reads(self.reads()?),
            b"w" => Item::Writes(Writes {
                lit: self.lit()?,
                writer: self.event()?,
                atom: self.atom()?,
            }),
            b"i" => Item::Input(self.id()?, self.lits()?),
            b"t" => Item::Lemma(self.id()?, self.lits()?, self.steps()?),
            b"a" => Item::Derived(self.id()?, self.lits()?, self.ids()?),
            b"d" => Item::Delete(self.ids()?),
            b"q" => Item::Question(self.lits()?),
            b"u" => Item::Unsatisfiable(self.id()?),
            b"m" => Item::Satisfiable,
            b"x" => Item::Unknown,
            b"z" => Item::End(self.read(Expected::Lines, |n| n.try_into().ok())?),
            _ => return Err(Reason::UnknownLine),
        })
    }

    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.line[self.next..];
        let start = rest.iter().position(|byte| *byte != b' ')?;
        let rest = &rest[start..];
        let length = rest.iter().position(|byte| *byte == b' ');
        let length = length.unwrap_or(rest.len());
        self.next += start + length;
        Some(&rest[..length])
    }

    /// The next word, as what `read` takes it for.
    fn read<T>(
        &mut self,
        expected: Expected,
        read: impl FnOnce(i128) -> Option<T>,
    ) -> Result<T, Reason> {
        let word = self.word().ok_or(Reason::TooShort)?;
        number(word).and_then(read).ok_or(Reason::Malformed {
            expected,
            column: self.next - word.len() + 1,
        })
    }

    fn event(&mut self) -> Result<Event, Reason> {
        self.read(Expected::Event, |n| Some(Event(n.try_into().ok()?)))
    }

    fn atom(&mut self) -> Result<Atom, Reason> {
        self.read(Expected::Atom, |n| Some(Atom(n.try_into().ok()?)))
    }

    fn lit(&mut self) -> Result<Lit, Reason> {
        let written = self.read(Expected::Literal, literal)?;
        Ok(self.literals.lit(written))
    }

    fn id(&mut self) -> Result<ClauseId, Reason> {
        self.read(Expected::Clause, clause_id)
    }

    /// Literals up to a 0.
    fn lits(&mut self) -> Result<Vec<Lit>, Reason> {
        let mut lits = Vec::new();
        while let Some(written) = self.read(Expected::LiteralOrEnd, |n| end_or(n, literal))? {
            lits.push(self.literals.lit(written));
        }
        Ok(lits)
    }

    /// Numbers of clauses up to a 0.
    fn ids(&mut self) -> Result<Vec<ClauseId>, Reason> {
        let mut ids = Vec::new();
        while let Some(id) = self.read(Expected::ClauseOrEnd, |n| end_or(n, clause_id))? {
            ids.push(id);
        }
        Ok(ids)
    }

    fn edge(&mut self) -> Result<Edge, Reason> {
        Ok(Edge {
            lit: self.lit()?,
            before: self.event()?,
            after: self.event()?,
        })
    }

    fn reads(&mut self) -> Result<Reads, Reason> {
        Ok(Reads {
            lit: self.lit()?,
            writer: self.event()?,
            reader: self.event()?,
            atom: self.atom()?,
        })
    }

    /// Steps up to a 0, with the ends of nested ones among them.
    fn steps(&mut self) -> Result<Vec<Step>, Reason> {
        let mut steps = Vec::new();
        loop {
            steps.push(match self.word().ok_or(Reason::TooShort)? {
                b"0" => return Ok(steps),
                b"P" => Step::Fixed {
                    before: self.event()?,
                    after: self.event()?,
                },
                b"E" => Step::Edge(self.edge()?),
                b"R" => Step::Reads(self.reads()?),
                b"F" => Step::FromRead(self.between()?),
                b"B" => Step::Before(self.between()?),
                b"." => Step::End,
                _ => return Err(Reason::UnknownStep),
            });
        }
    }

    fn between(&mut self) -> Result<Between, Reason> {
        Ok(Between {
            reads: self.reads()?,
            lit: self.lit()?,
            other: self.event()?,
        })
    }
}

/// None for what is neither; `Some(None)` for the end of a list.
fn end_or<T>(number: i128, read: impl FnOnce(i128) -> Option<T>) -> Option<Option<T>> {
    match number {
        0 => Some(None),
        _ => read(number).map(Some),
    }
}

/// A literal whose negation is one, too.
fn literal(number: i128) -> Option<NonZeroI32> {
    let number = i32::try_from(number).ok()?;
    NonZeroI32::new(number).filter(|number| number.get() != i32::MIN)
}

fn clause_id(number: i128) -> Option<ClauseId> {
    let id = u64::try_from(number).ok()?;
    (id != 0).then_some(ClauseId(id))
}

/// A number of up to 20 digits, as many as 64 bits take.
fn number(word: &[u8]) -> Option<i128> {
    let (is_negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let is_canonical = match digits {
        [] => false,
        [b'0', rest @ ..] => rest.is_empty() && !is_negative,
        _ => digits.len() <= 20,
    };
    if !is_canonical {
        return None;
    }
    let mut value = 0u128;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u128::from(digit - b'0');
    }
    let value = value as i128;
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_one_way() {
        assert_eq!(number(b"0"), Some(0));
        assert_eq!(number(b"-12"), Some(-12));
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX.into()));
        for word in ["", "-", "+1", "01", "-0", "00", "1.", "0x1", "--1", "1\t"] {
            assert_eq!(number(word.as_bytes()), None, "{word}");
        }
        assert_eq!(number(&[b'9'; 21]), None);
    }

    #[test]
    fn numbers_that_are_too_large() {
        assert_eq!(literal(i32::MIN.into()), None);
        assert_eq!(literal(i128::from(i32::MAX) + 1), None);
        assert!(literal(i32::MAX.into()).is_some());
        assert!(clause_id(u64::MAX.into()).is_some());
        assert_eq!(clause_id(i128::from(u64::MAX) + 1), None);
        assert_eq!(clause_id(-1), None);
    }
}
