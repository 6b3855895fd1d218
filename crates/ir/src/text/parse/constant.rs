//! Types, addresses and constants.

use super::Parser;
use super::cursor::{Cursor, Parsed};
use crate::module::{BlockId, Const, Symbol, Type};
use crate::text::ParseErrorKind;
use crate::text::lexer::Token;

impl Cursor<'_> {
    /// The type that comes next, without passing it.
    pub fn peek_type(&self) -> Option<Type> {
        let word = self.word()?;
        match word {
            "ptr" => Some(Type::Ptr),
            "f16" => Some(Type::F16),
            "bf16" => Some(Type::BF16),
            "f32" => Some(Type::F32),
            "f64" => Some(Type::F64),
            "f80" => Some(Type::F80),
            "f128" => Some(Type::F128),
            _ => {
                let width = word.strip_prefix('i')?;
                let all_digits = width.bytes().all(|b| b.is_ascii_digit());
                let width = width.parse().ok().filter(|_| all_digits)?;
                Some(Type::Int(width))
            }
        }
    }

    pub fn ty(&mut self) -> Parsed<Type> {
        let Some(ty) = self.peek_type() else {
            return Err(self.expected("a type such as `i32` or `ptr`"));
        };
        self.advance();
        Ok(ty)
    }
}

impl Parser<'_> {
    /// A function, a global or, as `@main:b3`, a label.
    fn symbol(&mut self) -> Parsed<Symbol> {
        match self.function_or_global()? {
            Symbol::Function(function) if self.cursor.eat(':') => {
                let block = self.cursor.block_id()?;
                Ok(Symbol::Block(function, block))
            }
            symbol => Ok(symbol),
        }
    }

    /// `@table` or `@table[16]`
    pub fn address(&mut self) -> Parsed<(Symbol, i64)> {
        let symbol = self.symbol()?;
        if !self.cursor.eat('[') {
            return Ok((symbol, 0));
        }
        let offset = self.cursor.number()?;
        self.cursor.expect(']')?;
        Ok((symbol, offset))
    }

    /// Type and value.
    pub fn constant(&mut self) -> Parsed<(Type, Const)> {
        let ty = self.cursor.ty()?;
        if ty == Type::Ptr && self.cursor.eat_word("null") {
            return Ok((ty, Const::Bits(0)));
        }
        let constant = match *self.cursor.peek() {
            Token::Number {
                negative: true,
                magnitude,
            } => Const::Bits(self.negative(ty, magnitude)?),
            Token::Number { magnitude, .. } => {
                self.cursor.advance();
                Const::Bits(magnitude)
            }
            Token::Symbol(_) | Token::Word("func" | "global") => {
                let (symbol, offset) = self.address()?;
                Const::Address(symbol, offset)
            }
            _ => {
                return Err(self
                    .cursor
                    .expected("a number, `@` and a name, or `null` behind `ptr`"));
            }
        };
        Ok((ty, constant))
    }

    /// The bits of `-magnitude`, in two's complement.
    fn negative(&mut self, ty: Type, magnitude: u128) -> Parsed<u128> {
        let Type::Int(width @ 1..=128) = ty else {
            return Err(self
                .cursor
                .expected("bits without a sign, as the type is not an integer of 1 to 128 bits"));
        };
        let lowest = 1u128 << (width - 1);
        if magnitude > lowest {
            return Err(self.cursor.error(ParseErrorKind::OutOfRange {
                min: (lowest as i128).wrapping_neg(),
                max: u128::MAX >> (128 - u32::from(width)),
                found: self.cursor.peek().to_string(),
            }));
        }
        self.cursor.advance();
        let mask = u128::MAX >> (128 - u32::from(width));
        Ok(magnitude.wrapping_neg() & mask)
    }
}

impl Cursor<'_> {
    pub fn block_id(&mut self) -> Parsed<BlockId> {
        let id = self.expect_id("b", "a block such as `b3`")?;
        Ok(BlockId(id))
    }
}
