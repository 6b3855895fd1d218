//! Bodies: the value table is put together from `values`, from the places where values are
//! assigned, and from literals.

use std::collections::{BTreeMap, HashMap};

use super::Parser;
use super::cursor::{Cursor, Parsed, list_until};
use crate::inst::Inst;
use crate::module::{Block, Body, Const, Type, Value, ValueId};
use crate::text::ParseErrorKind;
use crate::text::lexer::Token;

/// An entry of the value table as the text numbers it.
pub struct Declaration {
    pub id: u32,
    pub ty: Type,
    pub constant: Option<Const>,
    pub name: Option<String>,
    /// The token at which an error about it is reported.
    pub position: usize,
}

/// Parses a body behind its `{`. If it uses literals that are not in the table, it is parsed a
/// second time with these added. They come before all assigned values, so the numbers of those are
/// not known the first time.
pub fn body(parser: &mut Parser<'_>, params: &[Declaration]) -> Parsed<Body> {
    let start = parser.cursor.position();
    let mut first = BodyParser::new(parser, Vec::new());
    let body = first.parse(params)?;
    let added = first.missing;
    match body {
        Some(body) => Ok(body),
        None => {
            parser.cursor.rewind(start);
            let body = BodyParser::new(parser, added).parse(params)?;
            Ok(body.expect("every literal of the body was added"))
        }
    }
}

pub struct BodyParser<'p, 'a> {
    pub parser: &'p mut Parser<'a>,
    values: BTreeMap<u32, Value>,
    /// The constant that a literal denotes.
    literals: HashMap<(Type, Const), ValueId>,
    /// Literals that the text does not list, in the order of their first use.
    added: Vec<(Type, Const)>,
    /// Where they are put: behind the listed constants that start the table.
    added_at: u32,
    /// Literals found neither in the table nor in `added`.
    missing: Vec<(Type, Const)>,
}

impl<'a> AsMut<Cursor<'a>> for BodyParser<'_, 'a> {
    fn as_mut(&mut self) -> &mut Cursor<'a> {
        &mut self.parser.cursor
    }
}

impl<'p, 'a> BodyParser<'p, 'a> {
    fn new(parser: &'p mut Parser<'a>, added: Vec<(Type, Const)>) -> Self {
        BodyParser {
            parser,
            values: BTreeMap::new(),
            literals: HashMap::new(),
            added,
            added_at: 0,
            missing: Vec::new(),
        }
    }

    /// `None` if literals are missing.
    fn parse(&mut self, header_params: &[Declaration]) -> Parsed<Option<Body>> {
        let mut body = Body::default();
        self.listed_values()?;
        for declaration in header_params {
            body.params.push(self.declare(declaration)?);
        }
        if header_params.is_empty() && self.parser.cursor.eat_word("params") {
            self.parser.cursor.expect('(')?;
            body.params = list_until(self, ')', BodyParser::definition)?;
        }
        while !self.parser.cursor.eat('}') {
            let position = self.parser.cursor.position();
            let next = body.blocks.next_id();
            if self.parser.cursor.eat_id("b") != Some(next.0) {
                self.parser.cursor.rewind(position);
                let expected = format!("the block `{next}`, or `}}`");
                return Err(self.parser.cursor.expected(&expected));
            }
            let block = self.block()?;
            body.blocks.push(block);
        }
        if !self.missing.is_empty() {
            return Ok(None);
        }
        body.values = self.table()?;
        Ok(Some(body))
    }

    /// `values { %0 = i32 5  %1 "x": ptr }`
    fn listed_values(&mut self) -> Parsed<()> {
        let mut listed = Vec::new();
        if self.parser.cursor.eat_word("values") {
            self.parser.cursor.expect('{')?;
            while !self.parser.cursor.eat('}') {
                listed.push(self.listed_value()?);
            }
        }
        let mut constants = listed
            .iter()
            .filter(|d| d.constant.is_some())
            .map(|d| d.id)
            .collect::<Vec<_>>();
        constants.sort_unstable();
        constants.dedup();
        self.added_at = (0u32..)
            .zip(&constants)
            .take_while(|(index, id)| index == *id)
            .count() as u32;
        for declaration in &listed {
            let id = self.declare(declaration)?;
            if let (Some(constant), None) = (declaration.constant, &declaration.name) {
                let literal = (declaration.ty, constant);
                self.literals.entry(literal).or_insert(id);
            }
        }
        for (id, literal) in (self.added_at..).zip(self.added.clone()) {
            let value = Value {
                ty: literal.0,
                constant: Some(literal.1),
                name: None,
            };
            self.values.insert(id, value);
            self.literals.insert(literal, ValueId(id));
        }
        Ok(())
    }

    fn listed_value(&mut self) -> Parsed<Declaration> {
        let position = self.parser.cursor.position();
        let Token::Value(id) = *self.parser.cursor.peek() else {
            return Err(self
                .parser
                .cursor
                .expected("an entry such as `%0 = i32 5` or `%1: ptr`, or `}`"));
        };
        self.parser.cursor.advance();
        let name = self.parser.cursor.optional_string();
        let (ty, constant) = if self.parser.cursor.eat('=') {
            let (ty, constant) = self.parser.constant()?;
            (ty, Some(constant))
        } else if self.parser.cursor.eat(':') {
            (self.parser.cursor.ty()?, None)
        } else {
            return Err(self
                .parser
                .cursor
                .expected("`=` and a constant, or `:` and a type"));
        };
        Ok(Declaration {
            id,
            ty,
            constant,
            name,
            position,
        })
    }

    fn declare(&mut self, declaration: &Declaration) -> Parsed<ValueId> {
        let id = self.table_id(declaration.id, declaration.position)?;
        let value = Value {
            ty: declaration.ty,
            constant: declaration.constant,
            name: declaration.name.clone(),
        };
        if self.values.insert(id.0, value).is_some() {
            self.parser.cursor.rewind(declaration.position);
            let kind = ParseErrorKind::DeclaredTwice(declaration.id);
            return Err(self.parser.cursor.error(kind));
        }
        Ok(id)
    }

    /// The place in the table of what the text calls `%id`.
    fn table_id(&mut self, id: u32, position: usize) -> Parsed<ValueId> {
        if id < self.added_at {
            return Ok(ValueId(id));
        }
        let added = u32::try_from(self.added.len()).ok();
        match added.and_then(|added| id.checked_add(added)) {
            Some(id) => Ok(ValueId(id)),
            None => {
                self.parser.cursor.rewind(position);
                Err(self.parser.cursor.error(ParseErrorKind::OutOfRange {
                    min: 0,
                    max: u128::from(u32::MAX) - self.added.len() as u128,
                    found: format!("%{id}"),
                }))
            }
        }
    }

    /// A place where a value is assigned: `%1 "x": i32`, or `%1` if it is listed.
    pub fn definition(&mut self) -> Parsed<ValueId> {
        let position = self.parser.cursor.position();
        let Token::Value(id) = *self.parser.cursor.peek() else {
            return Err(self.parser.cursor.expected("a value such as `%1: i32`"));
        };
        self.parser.cursor.advance();
        let name = self.parser.cursor.optional_string();
        if name.is_none() && !self.parser.cursor.eat(':') {
            return self.table_id(id, position);
        }
        if name.is_some() {
            self.parser.cursor.expect(':')?;
        }
        let ty = self.parser.cursor.ty()?;
        self.declare(&Declaration {
            id,
            ty,
            constant: None,
            name,
            position,
        })
    }

    /// Whether an operand comes next.
    pub fn at_operand(&self) -> bool {
        let cursor = &self.parser.cursor;
        matches!(cursor.peek(), Token::Value(_)) || cursor.peek_type().is_some()
    }

    /// `%1`, or a literal such as `i32 5`.
    pub fn operand(&mut self) -> Parsed<ValueId> {
        if let Token::Value(id) = *self.parser.cursor.peek() {
            let position = self.parser.cursor.position();
            let id = self.table_id(id, position)?;
            self.parser.cursor.advance();
            return Ok(id);
        }
        if !self.at_operand() {
            return Err(self
                .parser
                .cursor
                .expected("a value such as `%1` or `i32 5`"));
        }
        let literal = self.parser.constant()?;
        if let Some(id) = self.literals.get(&literal) {
            return Ok(*id);
        }
        // The result does not matter: the body will be parsed again.
        let unused = ValueId(0);
        self.literals.insert(literal, unused);
        self.missing.push(literal);
        Ok(unused)
    }

    pub fn operands_until(&mut self, close: char) -> Parsed<Vec<ValueId>> {
        list_until(self, close, BodyParser::operand)
    }

    /// A block behind its name: `(params): instructions terminator`.
    fn block(&mut self) -> Parsed<Block> {
        let mut block = Block::default();
        if self.parser.cursor.eat('(') {
            block.params = list_until(self, ')', BodyParser::definition)?;
        }
        self.parser.cursor.expect(':')?;
        loop {
            let results = self.assigned()?;
            if let Some(terminator) = self.terminator(&results)? {
                block.terminator = terminator;
                block.terminator_loc = self.location()?;
                return Ok(block);
            }
            let op = self.operation(results)?;
            let loc = self.location()?;
            block.insts.push(Inst { op, loc });
        }
    }

    fn location(&mut self) -> Parsed<crate::debug::LocId> {
        let Parser { debug, cursor, .. } = &mut *self.parser;
        debug.location_suffix(cursor)
    }

    /// `%1: i32, %2: i1 =`, or nothing.
    fn assigned(&mut self) -> Parsed<Vec<ValueId>> {
        let mut results = Vec::new();
        if !matches!(self.parser.cursor.peek(), Token::Value(_)) {
            return Ok(results);
        }
        loop {
            results.push(self.definition()?);
            if self.parser.cursor.eat('=') {
                return Ok(results);
            }
            if !self.parser.cursor.eat(',') {
                return Err(self.parser.cursor.expected("`,` or `=`"));
            }
        }
    }

    /// The finished table; its entries must be dense.
    fn table(&mut self) -> Parsed<base::IndexVec<ValueId, Value>> {
        let values = std::mem::take(&mut self.values);
        let gap = (0u32..).zip(values.keys()).find(|(index, id)| index != *id);
        if let Some((index, _)) = gap {
            let id = match index < self.added_at {
                true => index,
                false => index - self.added.len() as u32,
            };
            return Err(self.parser.cursor.error(ParseErrorKind::Undeclared(id)));
        }
        Ok(values.into_values().collect())
    }
}
