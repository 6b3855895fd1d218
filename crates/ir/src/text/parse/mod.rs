//! The textual form to a module, by recursive descent without recursion: the grammar does not nest.

mod body;
mod constant;
mod cursor;
mod debug;
mod function;
mod global;
mod inst;
mod terminator;

use cursor::{Cursor, Parsed};
use debug::DebugTables;

use super::lexer::{self, Spanned, Token};
use super::symbols::Symbols;
use super::{ParseError, ParseErrorKind, ZERO_FILL_LIMIT};
use crate::module::{FuncId, GlobalId, Module, Symbol};

pub fn module(text: &str) -> Result<Module, ParseError> {
    let tokens = lexer::tokens(text)?;
    let symbols = Symbols::new(names(&tokens, "func"), names(&tokens, "global"));
    let mut parser = Parser {
        cursor: Cursor::new(tokens),
        symbols,
        module: Module::default(),
        debug: DebugTables::default(),
        zero_fill: ZERO_FILL_LIMIT,
    };
    while *parser.cursor.peek() != Token::End {
        parser.item()?;
    }
    parser.module.debug = parser.debug.finish();
    Ok(parser.module)
}

/// The names that items introduced by `keyword` declare, in order. Only there does a name follow
/// the keyword directly, so they can be found ahead of parsing and used before they are declared.
fn names<'t>(tokens: &'t [Spanned<'_>], keyword: &str) -> impl Iterator<Item = &'t str> {
    tokens
        .windows(2)
        .filter_map(move |pair| match &pair[1].token {
            Token::Symbol(name) if pair[0].token == Token::Word(keyword) => Some(name.as_str()),
            _ => None,
        })
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    symbols: Symbols,
    module: Module,
    debug: DebugTables,
    /// How many bytes `zero n` may still stand for.
    zero_fill: usize,
}

impl<'a> AsMut<Cursor<'a>> for Parser<'a> {
    fn as_mut(&mut self) -> &mut Cursor<'a> {
        &mut self.cursor
    }
}

impl Parser<'_> {
    fn item(&mut self) -> Parsed<()> {
        match self.cursor.word() {
            Some("pointer_bits") => {
                self.cursor.advance();
                self.module.pointer_bits = self.cursor.number()?;
            }
            Some("constructors") => {
                self.cursor.advance();
                let functions = self.functions()?;
                self.module.constructors.extend(functions);
            }
            Some("destructors") => {
                self.cursor.advance();
                let functions = self.functions()?;
                self.module.destructors.extend(functions);
            }
            Some("global") => {
                let global = self.global()?;
                self.module.globals.push(global);
            }
            Some("func") => {
                let function = self.function()?;
                self.module.functions.push(function);
            }
            _ if self.debug.item(&mut self.cursor)? => {}
            _ => {
                return Err(self.cursor.expected(
                    "`pointer_bits`, `files`, `locations`, `typeN =`, `varN =`, `global`, `constructors`, \
                     `destructors` or `func`",
                ));
            }
        }
        Ok(())
    }

    fn functions(&mut self) -> Parsed<Vec<FuncId>> {
        let mut functions = vec![self.function_reference()?];
        while self.cursor.eat(',') {
            functions.push(self.function_reference()?);
        }
        Ok(functions)
    }

    /// `@name`, `func#3` or `global#3`.
    fn function_or_global(&mut self) -> Parsed<Symbol> {
        match (self.cursor.peek(), self.cursor.peek_second()) {
            (Token::Word("func"), Token::Punct('#')) => {
                self.cursor.advance();
                self.cursor.advance();
                Ok(Symbol::Function(FuncId(self.cursor.number()?)))
            }
            (Token::Word("global"), Token::Punct('#')) => {
                self.cursor.advance();
                self.cursor.advance();
                Ok(Symbol::Global(GlobalId(self.cursor.number()?)))
            }
            (Token::Symbol(name), _) => match self.symbols.get(name) {
                Some(Some(symbol)) => {
                    self.cursor.advance();
                    Ok(symbol)
                }
                Some(None) => {
                    let kind = ParseErrorKind::AmbiguousSymbol(name.clone());
                    Err(self.cursor.error(kind))
                }
                None => {
                    let kind = ParseErrorKind::UnknownSymbol(name.clone());
                    Err(self.cursor.error(kind))
                }
            },
            _ => Err(self
                .cursor
                .expected("`@` and a name, `func#N` or `global#N`")),
        }
    }

    fn function_reference(&mut self) -> Parsed<FuncId> {
        let start = self.cursor.position();
        match self.function_or_global()? {
            Symbol::Function(id) => Ok(id),
            _ => {
                self.cursor.rewind(start);
                Err(self.cursor.expected("a function"))
            }
        }
    }

    fn global_reference(&mut self) -> Parsed<GlobalId> {
        let start = self.cursor.position();
        match self.function_or_global()? {
            Symbol::Global(id) => Ok(id),
            _ => {
                self.cursor.rewind(start);
                Err(self.cursor.expected("a global"))
            }
        }
    }
}
