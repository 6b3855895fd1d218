//! The tables of debug information and the references to locations.

use std::collections::HashMap;

use super::cursor::{Cursor, Parsed, list_until};
use crate::debug::{DebugInfo, DebugType, FileId, Loc, LocId, Member, TypeId, VarId, Variable};

/// The tables read so far. A location written in words is looked up here and added if it is new.
#[derive(Default)]
pub struct DebugTables {
    info: DebugInfo,
    /// Whether `locations` listed the table, entry 0 included.
    locs_listed: bool,
    first_file: HashMap<String, FileId>,
    first_loc: HashMap<Loc, LocId>,
}

impl DebugTables {
    pub fn finish(self) -> DebugInfo {
        self.info
    }

    /// Parses one table or entry; `false` if none starts here.
    pub fn item(&mut self, cursor: &mut Cursor<'_>) -> Parsed<bool> {
        if cursor.eat_word("files") {
            for file in list(cursor, Cursor::string)? {
                self.add_file(file);
            }
        } else if cursor.eat_word("locations") {
            self.locations(cursor)?;
        } else if cursor.word().is_some_and(|word| word.starts_with("type")) {
            let id = self.info.types.next_id();
            entry(cursor, "type", id.0)?;
            let ty = debug_type(cursor)?;
            self.info.types.push(ty);
        } else if cursor.word().is_some_and(|word| word.starts_with("var")) {
            let id = self.info.vars.next_id();
            entry(cursor, "var", id.0)?;
            let name = cursor.string()?;
            let ty = cursor.eat_id("type").map(TypeId);
            let loc = self.location_suffix(cursor)?;
            self.info.vars.push(Variable { name, ty, loc });
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `at ...`, or the unknown location.
    pub fn location_suffix(&mut self, cursor: &mut Cursor<'_>) -> Parsed<LocId> {
        Ok(self.optional_location(cursor)?.unwrap_or_default())
    }

    pub fn optional_location(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Option<LocId>> {
        if !cursor.eat_word("at") {
            return Ok(None);
        }
        if let Some(id) = cursor.eat_id("loc") {
            return Ok(Some(LocId(id)));
        }
        let Some(name) = cursor.optional_string() else {
            return Err(cursor.expected("`locN` or \"file\":line:column"));
        };
        cursor.expect(':')?;
        let line = cursor.number()?;
        cursor.expect(':')?;
        let column = cursor.number()?;
        let file = match self.first_file.get(&name) {
            Some(file) => *file,
            None => self.add_file(name),
        };
        let loc = Loc { file, line, column };
        let known = self.first_loc.get(&loc).copied();
        Ok(Some(known.unwrap_or_else(|| self.add_loc(loc))))
    }

    fn add_file(&mut self, name: String) -> FileId {
        let id = self.info.files.push(name.clone());
        self.first_file.entry(name).or_insert(id);
        id
    }

    fn add_loc(&mut self, loc: Loc) -> LocId {
        let id = self.info.locs.push(loc);
        self.first_loc.entry(loc).or_insert(id);
        id
    }

    /// `locations { file0 0:0 12:5 file1 3:1 }`. The first such list replaces the default table,
    /// whose one entry is "unknown".
    fn locations(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        if !self.locs_listed && self.first_loc.is_empty() {
            self.info.locs.truncate(0);
        }
        self.locs_listed = true;
        cursor.expect('{')?;
        let mut file = FileId(0);
        while !cursor.eat('}') {
            if let Some(id) = cursor.eat_id("file") {
                file = FileId(id);
            }
            let line = cursor.number()?;
            cursor.expect(':')?;
            let column = cursor.number()?;
            self.add_loc(Loc { file, line, column });
        }
        Ok(())
    }
}

/// `type3 =`; entries come in order.
fn entry(cursor: &mut Cursor<'_>, prefix: &str, next: u32) -> Parsed<()> {
    let expected = format!("`{prefix}{next}`, as the entries are numbered in order");
    let position = cursor.position();
    if cursor.expect_id(prefix, &expected)? != next {
        cursor.rewind(position);
        return Err(cursor.expected(&expected));
    }
    cursor.expect('=')
}

fn debug_type(cursor: &mut Cursor<'_>) -> Parsed<DebugType> {
    let word = cursor.word().unwrap_or_default();
    let known = ["base", "pointer", "record", "array", "enum", "opaque"].contains(&word);
    if !known {
        return Err(cursor.expected("`base`, `pointer`, `record`, `array`, `enum` or `opaque`"));
    }
    cursor.advance();
    match word {
        "base" => Ok(DebugType::Base {
            name: cursor.string()?,
            bytes: cursor.number()?,
            encoding: cursor.mnemonic("`signed`, `unsigned`, `bool`, `char` or `float`")?,
        }),
        "pointer" if cursor.eat_word("void") => Ok(DebugType::Pointer { to: None }),
        "pointer" => Ok(DebugType::Pointer {
            to: Some(cursor.type_id()?),
        }),
        "record" => Ok(DebugType::Record {
            name: cursor.string()?,
            bytes: cursor.number()?,
            members: list(cursor, |cursor| {
                Ok(Member {
                    name: cursor.string()?,
                    offset: cursor.number()?,
                    ty: cursor.type_id()?,
                })
            })?,
        }),
        "array" => Ok(DebugType::Array {
            element: cursor.type_id()?,
            count: cursor.number()?,
        }),
        "enum" => Ok(DebugType::Enum {
            name: cursor.string()?,
            bytes: cursor.number()?,
            variants: list(cursor, |cursor| {
                let name = cursor.string()?;
                cursor.expect('=')?;
                Ok((name, cursor.number()?))
            })?,
        }),
        _ => Ok(DebugType::Opaque {
            name: cursor.string()?,
        }),
    }
}

impl Cursor<'_> {
    pub fn type_id(&mut self) -> Parsed<TypeId> {
        let id = self.expect_id("type", "a type such as `type3`, or `void` behind `pointer`")?;
        Ok(TypeId(id))
    }

    pub fn optional_var(&mut self) -> Option<VarId> {
        self.eat_id("var").map(VarId)
    }
}

fn list<'a, T>(
    cursor: &mut Cursor<'a>,
    item: impl FnMut(&mut Cursor<'a>) -> Parsed<T>,
) -> Parsed<Vec<T>> {
    cursor.expect('{')?;
    list_until(cursor, '}', item)
}
