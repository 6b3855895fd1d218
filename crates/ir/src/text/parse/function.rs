//! Function headers.

use super::Parser;
use super::body::{self, Declaration};
use super::cursor::{Parsed, list_until};
use crate::module::{Function, Type};
use crate::text::lexer::Token;

impl Parser<'_> {
    /// `func @name(i32 %1 "x", ptr %2) -> (i32) variadic weak runtime source "name" at ... { body
    /// }`
    pub fn function(&mut self) -> Parsed<Function> {
        self.cursor.expect_word("func")?;
        let name = self.cursor.symbol_name()?;
        self.cursor.expect('(')?;
        let params = list_until(self, ')', Parser::parameter)?;
        let results = match self.cursor.eat_arrow() {
            true => {
                self.cursor.expect('(')?;
                list_until(self, ')', |parser| parser.cursor.ty())?
            }
            false => Vec::new(),
        };
        let variadic = self.cursor.eat_word("variadic");
        let weak = self.cursor.eat_word("weak");
        let runtime = self.cursor.eat_word("runtime");
        let source_name = match self.cursor.eat_word("source") {
            true => self.cursor.string()?,
            false => name.clone(),
        };
        let loc = self.debug.optional_location(&mut self.cursor)?;
        let types = params.iter().map(|(ty, _)| *ty).collect();
        let values: Vec<Declaration> = params.into_iter().filter_map(|(_, v)| v).collect();
        let body = match self.cursor.eat('{') {
            true => Some(body::body(self, &values)?),
            false if values.is_empty() => None,
            false => return Err(self.cursor.expected("`{`, as the parameters have values")),
        };
        Ok(Function {
            name,
            source_name,
            params: types,
            results,
            variadic,
            weak,
            loc,
            runtime,
            body,
        })
    }

    /// `i32`, or `i32 %1 "name"` where there is a body.
    fn parameter(&mut self) -> Parsed<(Type, Option<Declaration>)> {
        let ty = self.cursor.ty()?;
        let Token::Value(id) = *self.cursor.peek() else {
            return Ok((ty, None));
        };
        let position = self.cursor.position();
        self.cursor.advance();
        let declaration = Declaration {
            id,
            ty,
            constant: None,
            name: self.cursor.optional_string(),
            position,
        };
        Ok((ty, Some(declaration)))
    }
}
