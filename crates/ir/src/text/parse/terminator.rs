//! Terminators and where they go.

use super::body::BodyParser;
use super::cursor::{Parsed, list_until};
use crate::inst::{LandingPad, Target, Terminator};
use crate::module::ValueId;

impl BodyParser<'_, '_> {
    /// `None`, and nothing passed, if no terminator comes next.
    pub fn terminator(&mut self, results: &[ValueId]) -> Parsed<Option<Terminator>> {
        let terminator = match self.parser.cursor.word() {
            Some("br") => {
                let [] = self.keyword(results)?;
                Terminator::Br(self.target()?)
            }
            Some("condbr") => {
                let [] = self.keyword(results)?;
                let cond = self.operand()?;
                self.parser.cursor.expect(',')?;
                let then = self.target()?;
                self.parser.cursor.expect(',')?;
                let other = self.target()?;
                Terminator::CondBr { cond, then, other }
            }
            Some("switch") => {
                let [] = self.keyword(results)?;
                self.switch()?
            }
            Some("indirectbr") => {
                let [] = self.keyword(results)?;
                let addr = self.operand()?;
                self.parser.cursor.expect_word("to")?;
                self.parser.cursor.expect('(')?;
                let targets = list_until(self, ')', |this| this.parser.cursor.block_id())?;
                Terminator::IndirectBr { addr, targets }
            }
            Some("ret") => {
                let [] = self.keyword(results)?;
                Terminator::Ret(self.returned()?)
            }
            Some("invoke") => {
                self.parser.cursor.advance();
                let call = self.call(results.to_vec())?;
                self.parser.cursor.expect_word("to")?;
                let normal = self.target()?;
                self.parser.cursor.expect_word("unwind")?;
                let unwind = self.landing_pad()?;
                Terminator::Invoke {
                    call,
                    normal,
                    unwind,
                }
            }
            Some("resume") => {
                let [] = self.keyword(results)?;
                let [exception, selector] = self.operands()?;
                Terminator::Resume {
                    exception,
                    selector,
                }
            }
            Some("unreachable") => {
                let [] = self.keyword(results)?;
                Terminator::Unreachable
            }
            _ => return Ok(None),
        };
        Ok(Some(terminator))
    }

    /// `b3`, or `b3(%1, %2)`
    fn target(&mut self) -> Parsed<Target> {
        let block = self.parser.cursor.block_id()?;
        let args = match self.parser.cursor.eat('(') {
            true => self.operands_until(')')?,
            false => Vec::new(),
        };
        Ok(Target { block, args })
    }

    /// `switch %1 { 0: b1, 5: b2(%3), default: b4 }`
    fn switch(&mut self) -> Parsed<Terminator> {
        let value = self.operand()?;
        self.parser.cursor.expect('{')?;
        let mut cases = Vec::new();
        while !self.parser.cursor.eat_word("default") {
            let case = self.parser.cursor.number()?;
            self.parser.cursor.expect(':')?;
            cases.push((case, self.target()?));
            self.parser.cursor.expect(',')?;
        }
        self.parser.cursor.expect(':')?;
        let default = self.target()?;
        self.parser.cursor.expect('}')?;
        Ok(Terminator::Switch {
            value,
            cases,
            default,
        })
    }

    fn returned(&mut self) -> Parsed<Vec<ValueId>> {
        let mut values = Vec::new();
        if self.at_operand() {
            values.push(self.operand()?);
            while self.parser.cursor.eat(',') {
                values.push(self.operand()?);
            }
        }
        Ok(values)
    }

    /// `b3(%1) cleanup catch [%2] filter [%3, %4] filter []`
    fn landing_pad(&mut self) -> Parsed<LandingPad> {
        let Target { block, args } = self.target()?;
        let cleanup = self.parser.cursor.eat_word("cleanup");
        let mut catches = Vec::new();
        if self.parser.cursor.eat_word("catch") {
            self.parser.cursor.expect('[')?;
            catches = self.operands_until(']')?;
        }
        let mut filters = Vec::new();
        while self.parser.cursor.eat_word("filter") {
            self.parser.cursor.expect('[')?;
            filters.push(self.operands_until(']')?);
        }
        Ok(LandingPad {
            block,
            args,
            cleanup,
            catches,
            filters,
        })
    }
}
