//! Globals and their initialisers.

use super::Parser;
use super::cursor::{Parsed, list_until};
use crate::module::{Global, Init, Relocation};
use crate::text::ParseErrorKind;

impl Parser<'_> {
    /// `global @name var0 size 4 align 4 constant thread_local = { bytes } relocations { ... }`
    pub fn global(&mut self) -> Parsed<Global> {
        self.cursor.expect_word("global")?;
        let name = self.cursor.symbol_name()?;
        let var = self.cursor.optional_var();
        self.cursor.expect_word("size")?;
        let size = self.cursor.number()?;
        self.cursor.expect_word("align")?;
        let align = self.cursor.number()?;
        let constant = self.cursor.eat_word("constant");
        let thread_local = self.cursor.eat_word("thread_local");
        let init = match self.cursor.eat('=') {
            true => Some(self.initialiser()?),
            false => None,
        };
        Ok(Global {
            name,
            size,
            align,
            constant,
            thread_local,
            init,
            var,
        })
    }

    fn initialiser(&mut self) -> Parsed<Init> {
        let mut init = Init::default();
        self.cursor.expect('{')?;
        while !self.cursor.eat('}') {
            self.bytes(&mut init.bytes)?;
        }
        if self.cursor.eat_word("relocations") {
            self.cursor.expect('{')?;
            init.relocations = list_until(self, '}', Parser::relocation)?;
        }
        Ok(init)
    }

    /// A string, `hex "00ff"` or `zero 12`.
    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Parsed<()> {
        if self.cursor.eat_word("zero") {
            let position = self.cursor.position();
            let count: u64 = self.cursor.number()?;
            let Some(count) = usize::try_from(count)
                .ok()
                .filter(|count| *count <= self.zero_fill)
            else {
                self.cursor.rewind(position);
                return Err(self.cursor.error(ParseErrorKind::ZeroFill));
            };
            self.zero_fill -= count;
            bytes.resize(bytes.len() + count, 0);
            return Ok(());
        }
        if self.cursor.eat_word("hex") {
            let position = self.cursor.position();
            let digits = self.cursor.string()?;
            let Some(decoded) = from_hex(&digits) else {
                self.cursor.rewind(position);
                return Err(self.cursor.expected("a string of pairs of hex digits"));
            };
            bytes.extend(decoded);
            return Ok(());
        }
        match self.cursor.optional_string() {
            Some(text) => {
                bytes.extend(text.as_bytes());
                Ok(())
            }
            None => Err(self
                .cursor
                .expected("a string, `hex \"...\"`, `zero N` or `}`")),
        }
    }

    /// `8: @target[4]`
    fn relocation(&mut self) -> Parsed<Relocation> {
        let offset = self.cursor.number()?;
        self.cursor.expect(':')?;
        let (target, addend) = self.address()?;
        Ok(Relocation {
            offset,
            target,
            addend,
        })
    }
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = digits
        .chars()
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let (pairs, rest) = digits.as_deref()?.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}
