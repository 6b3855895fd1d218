//! Text to tokens.

use std::fmt;

use super::{ParseError, ParseErrorKind};

#[derive(Clone, Debug, PartialEq)]
pub enum Token<'a> {
    /// A keyword, a type, or an id such as `b3` or `type0`.
    Word(&'a str),
    /// `%7`
    Value(u32),
    /// `@name` or `@"any name"`
    Symbol(String),
    Str(String),
    /// Decimal or `0x`, possibly negative.
    Number {
        negative: bool,
        magnitude: u128,
    },
    /// `->`
    Arrow,
    Punct(char),
    End,
}

#[derive(Clone, Debug)]
pub struct Spanned<'a> {
    pub token: Token<'a>,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Value(id) => write!(f, "`%{id}`"),
            Token::Symbol(name) => write!(f, "`@{name}`"),
            Token::Str(_) => write!(f, "a string"),
            Token::Number {
                negative,
                magnitude,
            } => {
                let sign = if *negative { "-" } else { "" };
                write!(f, "{sign}{magnitude}")
            }
            Token::Arrow => write!(f, "`->`"),
            Token::Punct(c) => write!(f, "`{c}`"),
            Token::End => write!(f, "the end of the text"),
        }
    }
}

/// The tokens of `text`; the last is [`Token::End`].
pub fn tokens(text: &str) -> Result<Vec<Spanned<'_>>, ParseError> {
    let mut lexer = Lexer {
        rest: text,
        line: 1,
        column: 1,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let (line, column) = (lexer.line, lexer.column);
        let token = lexer
            .token()
            .map_err(|kind| ParseError { line, column, kind })?;
        let end = token == Token::End;
        tokens.push(Spanned {
            token,
            line,
            column,
        });
        if end {
            return Ok(tokens);
        }
    }
}

/// Whether `name` can stand behind `@` without quotes.
pub fn is_plain_symbol(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(in_symbol)
}

/// `text` in quotes, as the lexer reads it back.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.line = self.line.saturating_add(1);
            self.column = 1;
        } else {
            self.column = self.column.saturating_add(1);
        }
        Some(c)
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let start = self.rest;
        while self.peek().is_some_and(&accept) {
            self.bump();
        }
        &start[..start.len() - self.rest.len()]
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token<'a>, ParseErrorKind> {
        let Some(c) = self.peek() else {
            return Ok(Token::End);
        };
        match c {
            'a'..='z' | 'A'..='Z' | '_' => Ok(Token::Word(self.take_while(in_word))),
            '0'..='9' => self.number(false),
            '"' => Ok(Token::Str(self.string()?)),
            '%' => {
                self.bump();
                let digits = self.take_while(in_word);
                let id = digits
                    .parse()
                    .ok()
                    .filter(|_| digits.starts_with(|c: char| c.is_ascii_digit()));
                id.map(Token::Value)
                    .ok_or_else(|| ParseErrorKind::Number(format!("%{digits}")))
            }
            '@' => {
                self.bump();
                self.symbol()
            }
            '-' => {
                self.bump();
                match self.peek() {
                    Some('>') => {
                        self.bump();
                        Ok(Token::Arrow)
                    }
                    _ => self.number(true),
                }
            }
            '(' | ')' | '{' | '}' | '[' | ']' | ',' | ':' | '=' | '+' | '*' | '#' => {
                self.bump();
                Ok(Token::Punct(c))
            }
            c => Err(ParseErrorKind::Character(c)),
        }
    }

    fn number(&mut self, negative: bool) -> Result<Token<'a>, ParseErrorKind> {
        let digits = self.take_while(in_word);
        let magnitude = match digits.strip_prefix("0x") {
            Some(hex) if !hex.is_empty() => u128::from_str_radix(hex, 16),
            _ => digits.parse(),
        };
        match magnitude {
            Ok(magnitude) => Ok(Token::Number {
                negative,
                magnitude,
            }),
            Err(_) => {
                let sign = if negative { "-" } else { "" };
                Err(ParseErrorKind::Number(format!("{sign}{digits}")))
            }
        }
    }

    fn symbol(&mut self) -> Result<Token<'a>, ParseErrorKind> {
        if self.peek() == Some('"') {
            return Ok(Token::Symbol(self.string()?));
        }
        let name = self.take_while(in_symbol);
        if is_plain_symbol(name) {
            Ok(Token::Symbol(name.to_owned()))
        } else {
            Err(ParseErrorKind::Expected {
                expected: "a name after `@`, or `@\"...\"`".to_owned(),
                found: format!("`@{name}`"),
            })
        }
    }

    /// The cursor stands on the opening quote.
    fn string(&mut self) -> Result<String, ParseErrorKind> {
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                None | Some('\n') => return Err(ParseErrorKind::UnterminatedString),
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseErrorKind> {
        match self.bump() {
            Some(c @ ('"' | '\\')) => Ok(c),
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('u') if self.bump() == Some('{') => {
                let code = self.take_while(|c| c.is_ascii_hexdigit());
                let code = u32::from_str_radix(code, 16).ok();
                match (code.and_then(char::from_u32), self.bump()) {
                    (Some(c), Some('}')) => Ok(c),
                    _ => Err(ParseErrorKind::Escape),
                }
            }
            _ => Err(ParseErrorKind::Escape),
        }
    }
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn in_symbol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}
