//! A position in the tokens, and the small things that every part of the grammar expects there.

use crate::text::lexer::{Spanned, Token};
use crate::text::mnemonic::Mnemonic;
use crate::text::{ParseError, ParseErrorKind};

pub type Parsed<T> = Result<T, ParseError>;

pub struct Cursor<'a> {
    /// Ends with `Token::End`, which is never passed.
    tokens: Vec<Spanned<'a>>,
    position: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(tokens: Vec<Spanned<'a>>) -> Self {
        debug_assert!(matches!(tokens.last(), Some(s) if s.token == Token::End));
        Cursor {
            tokens,
            position: 0,
        }
    }

    pub fn position(&self) -> usize {
        self.position
    }

    /// Goes to a position taken before, to parse again from there or to blame that token for an
    /// error.
    pub fn rewind(&mut self, position: usize) {
        self.position = position;
    }

    pub fn peek(&self) -> &Token<'a> {
        &self.tokens[self.position].token
    }

    pub fn peek_second(&self) -> &Token<'a> {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.position + 1).min(last)].token
    }

    pub fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    /// An error at the next token.
    pub fn error(&self, kind: ParseErrorKind) -> ParseError {
        let Spanned { line, column, .. } = self.tokens[self.position];
        ParseError { line, column, kind }
    }

    pub fn expected(&self, expected: &str) -> ParseError {
        self.error(ParseErrorKind::Expected {
            expected: expected.to_owned(),
            found: self.peek().to_string(),
        })
    }

    pub fn word(&self) -> Option<&'a str> {
        match self.peek() {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == Some(word);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }

    pub fn eat(&mut self, punct: char) -> bool {
        let found = *self.peek() == Token::Punct(punct);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect(&mut self, punct: char) -> Parsed<()> {
        match self.eat(punct) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{punct}`"))),
        }
    }

    pub fn eat_arrow(&mut self) -> bool {
        let found = *self.peek() == Token::Arrow;
        if found {
            self.advance();
        }
        found
    }

    pub fn string(&mut self) -> Parsed<String> {
        let Token::Str(text) = self.peek() else {
            return Err(self.expected("a string"));
        };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    pub fn optional_string(&mut self) -> Option<String> {
        self.string().ok()
    }

    pub fn symbol_name(&mut self) -> Parsed<String> {
        let Token::Symbol(name) = self.peek() else {
            return Err(self.expected("a name such as `@main`"));
        };
        let name = name.clone();
        self.advance();
        Ok(name)
    }

    /// A number of type `T`.
    pub fn number<T: Integer>(&mut self) -> Parsed<T> {
        let Token::Number {
            negative,
            magnitude,
        } = *self.peek()
        else {
            return Err(self.expected("a number"));
        };
        match T::from_parts(negative, magnitude) {
            Some(number) => {
                self.advance();
                Ok(number)
            }
            None => Err(self.error(ParseErrorKind::OutOfRange {
                min: T::MINIMUM,
                max: T::MAXIMUM,
                found: self.peek().to_string(),
            })),
        }
    }

    /// The number behind `prefix` in a word such as `b3`, if that is what comes next.
    pub fn eat_id(&mut self, prefix: &str) -> Option<u32> {
        let digits = self.word()?.strip_prefix(prefix)?;
        let all_digits = digits.bytes().all(|b| b.is_ascii_digit());
        let id = digits.parse().ok().filter(|_| all_digits)?;
        self.advance();
        Some(id)
    }

    /// `what` names it in the error, e.g. "a block such as `b3`".
    pub fn expect_id(&mut self, prefix: &str, what: &str) -> Parsed<u32> {
        self.eat_id(prefix).ok_or_else(|| self.expected(what))
    }

    pub fn mnemonic<T: Mnemonic>(&mut self, what: &str) -> Parsed<T> {
        let found = self.word().and_then(T::from_mnemonic);
        match found {
            Some(op) => {
                self.advance();
                Ok(op)
            }
            None => Err(self.expected(what)),
        }
    }
}

impl<'a> AsMut<Cursor<'a>> for Cursor<'a> {
    fn as_mut(&mut self) -> &mut Cursor<'a> {
        self
    }
}

/// Items separated by commas up to and including `close`; the opening bracket has been read.
pub fn list_until<'a, P: AsMut<Cursor<'a>>, T>(
    parser: &mut P,
    close: char,
    mut item: impl FnMut(&mut P) -> Parsed<T>,
) -> Parsed<Vec<T>> {
    let mut items = Vec::new();
    if parser.as_mut().eat(close) {
        return Ok(items);
    }
    loop {
        items.push(item(parser)?);
        if parser.as_mut().eat(close) {
            return Ok(items);
        }
        if !parser.as_mut().eat(',') {
            return Err(parser.as_mut().expected(&format!("`,` or `{close}`")));
        }
    }
}

/// The integer types that numbers are read as.
pub trait Integer: Sized {
    const MINIMUM: i128;
    const MAXIMUM: u128;
    fn from_parts(negative: bool, magnitude: u128) -> Option<Self>;
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Integer for $ty {
            const MINIMUM: i128 = <$ty>::MIN as i128;
            const MAXIMUM: u128 = <$ty>::MAX as u128;

            fn from_parts(negative: bool, magnitude: u128) -> Option<Self> {
                if negative {
                    let value = 0i128.checked_sub_unsigned(magnitude)?;
                    <$ty>::try_from(value).ok()
                } else {
                    <$ty>::try_from(magnitude).ok()
                }
            }
        }
    )*};
}

integers!(u32, i64, u64, i128, u128);
