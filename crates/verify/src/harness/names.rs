//! What the expressions name and do not declare, and of which types it is. Clang is asked: an
//! undeclared name is an error, and so is a use of a variable whose type does not fit; such an error
//! says which type would.

use std::collections::{BTreeMap, BTreeSet};

use bitcode::{Language, LoadError};

use super::text::{expressions, first_unit, label};
use super::{Harness, HarnessError, Unit};

/// A variable of the driver's first unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declared {
    pub name: String,
    /// Without the semicolon.
    pub declaration: String,
    /// What messages about it name as their place.
    pub label: String,
    /// A function that is only declared.
    pub is_function: bool,
}

/// Where clang is to find the declaration of what verifiers know.
const ASSUME: &str = "__VERIFIER_assume";

/// A type that nothing fits, one for each name.
const UNKNOWN: &str = "__sleave_type_of_";

/// The names of the expressions.
pub(crate) struct Names {
    /// Those of `--input`, and with an empty declaration those whose types are to be found.
    pub declared: Vec<Declared>,
    /// A function that the file does not declare.
    pub undeclared: Option<Undeclared>,
}

/// A name that is called, and the expression that does so.
pub(crate) struct Undeclared {
    pub label: String,
    pub name: String,
}

pub(crate) fn free(unit: &Unit, harness: &Harness) -> Result<Names, HarnessError> {
    let mut declared = Vec::new();
    for text in &harness.inputs {
        let name = declared_name(text);
        let name = name.ok_or_else(|| HarnessError::NoDeclaration { text: text.clone() })?;
        declared.push(Declared {
            name,
            declaration: text.clone(),
            label: label("--input", text),
            is_function: false,
        });
    }
    let expressions = expressions(harness);
    let messages = unit.diagnose(&first_unit(harness, &declared, unit.language))?;
    let mut undeclared = None;
    for message in Message::all(&messages, &expressions) {
        let Some((name, is_function)) = message.undeclared() else {
            continue;
        };
        if declared.iter().any(|d| d.name == name) {
            continue;
        }
        let new = |declaration: &str, is_function| Declared {
            name: name.clone(),
            declaration: declaration.to_owned(),
            label: message.label.clone(),
            is_function,
        };
        if name == ASSUME {
            let linkage = match unit.language {
                Language::Cpp => "extern \"C\" ",
                _ => "",
            };
            declared.push(new(&format!("{linkage}void {ASSUME}(int)"), true));
        } else if is_function {
            undeclared.get_or_insert(Undeclared {
                label: message.label.clone(),
                name,
            });
        } else {
            declared.push(new("", false));
        }
    }
    Ok(Names {
        declared,
        undeclared,
    })
}

/// Finds the types that are not known yet.
pub(crate) fn typed(
    unit: &Unit,
    harness: &Harness,
    mut declared: Vec<Declared>,
) -> Result<Vec<Declared>, HarnessError> {
    let expressions = expressions(harness);
    loop {
        let unknown = |d: &&Declared| d.declaration.is_empty();
        let Some(first) = declared.iter().find(unknown) else {
            return Ok(declared);
        };
        let first = first.name.clone();
        let placeholders: Vec<Declared> = declared
            .iter()
            .map(|d| match d.declaration.is_empty() {
                true => Declared {
                    declaration: format!(
                        "struct {UNKNOWN}{0} {{ int __sleave_only; }}; extern struct {UNKNOWN}{0} {0}",
                        d.name
                    ),
                    ..d.clone()
                },
                false => d.clone(),
            })
            .collect();
        let messages = unit.diagnose(&first_unit(harness, &placeholders, unit.language))?;
        // The best evidence for each name, the first of equals.
        let mut found: BTreeMap<String, (Evidence, String)> = BTreeMap::new();
        for line in messages.lines() {
            for (name, evidence, ty) in types_in(line) {
                let entry = found.entry(name).or_insert((evidence, ty.clone()));
                if evidence > entry.0 {
                    *entry = (evidence, ty);
                }
            }
        }
        found.retain(|name, _| declared.iter().any(|d| d.name == *name && unknown(&d)));
        // A number is only what is nothing else: other names' types may say more.
        let best = found.values().map(|(evidence, _)| *evidence).max();
        let Some(best) = best else {
            let is_other = |line: &&str| {
                line.contains(": error: ")
                    && !line.contains(UNKNOWN)
                    && !line.contains("undeclared")
            };
            let others: String = messages
                .lines()
                .filter(is_other)
                .flat_map(|l| [l, "\n"])
                .collect();
            if !others.is_empty() {
                return Err(LoadError::Compile { message: others }.into());
            }
            return Err(HarnessError::Untyped { name: first });
        };
        for variable in &mut declared {
            if let Some((evidence, ty)) = found.get(&variable.name)
                && *evidence == best
            {
                variable.declaration = format!("__typeof__({ty}) {}", variable.name);
            }
        }
        let new: BTreeSet<String> = Message::all(&messages, &expressions)
            .filter_map(|message| message.undeclared())
            .map(|(name, _)| name)
            .filter(|name| declared.iter().all(|d| d.name != *name))
            .collect();
        declared.extend(new.into_iter().map(|name| Declared {
            label: label("--input", &name),
            name,
            declaration: String::new(),
            is_function: false,
        }));
    }
}

/// How much a use says of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// It is a number of some kind.
    Number,
    /// It is an operand beside one of this type.
    Operand,
    /// It is passed or assigned to something of this type.
    Destination,
}

/// The names of which a message says what type they should have.
fn types_in(line: &str) -> Vec<(String, Evidence, String)> {
    // The place may have quotes too.
    const KINDS: [&str; 3] = [": error: ", ": warning: ", ": note: "];
    let starts = KINDS
        .iter()
        .filter_map(|kind| Some(line.find(kind)? + kind.len()));
    let Some(line) = starts.min().and_then(|start| line.get(start..)) else {
        return Vec::new();
    };
    let types = quoted(line);
    let pair = |from: usize, to: usize| {
        let (from, to) = (types.get(from)?, types.get(to)?);
        let (name, is_pointer) = unknown_type(from)?;
        let ty = match is_pointer {
            true => to.trim_end().strip_suffix('*')?,
            false => to.as_str(),
        };
        Some((name, usable(ty)?))
    };
    let destination = if line.contains("passing ") && line.contains("to parameter of")
        || line.contains("no known conversion from")
        || line.contains("no viable conversion from")
    {
        pair(0, 1)
    } else if line.contains("initializing ") && line.contains("incompatible type") {
        pair(1, 0)
    } else if line.contains("assigning to ") && line.contains("incompatible type") {
        pair(1, 0).or_else(|| pair(0, 1))
    } else {
        None
    };
    if let Some((name, ty)) = destination {
        return vec![(name, Evidence::Destination, ty)];
    }
    if line.contains("invalid operands to binary expression") {
        let operands = pair(0, 1).or_else(|| pair(1, 0));
        let known = operands.filter(|(_, ty)| !ty.contains(UNKNOWN));
        if let Some((name, ty)) = known {
            return vec![(name, Evidence::Operand, ty)];
        }
    }
    const NUMBERS: [&str; 8] = [
        "invalid operands to binary expression",
        "requires expression of scalar type",
        "requires expression of integer type",
        "to unary expression",
        "cannot increment value",
        "cannot decrement value",
        "not contextually convertible",
        "no viable overloaded",
    ];
    if NUMBERS.iter().any(|text| line.contains(text)) {
        let names = types.iter().filter_map(|ty| unknown_type(ty));
        let plain = names.filter(|(_, is_pointer)| !is_pointer);
        return plain
            .map(|(name, _)| (name, Evidence::Number, "int".to_owned()))
            .collect();
    }
    Vec::new()
}

/// Texts in quotes, without those that only say again what a type is (`(aka '...')`).
fn quoted(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        let before = line.split('\'').nth(i.wrapping_sub(1)).unwrap_or("");
        if i % 2 == 1 && !before.ends_with("aka ") {
            all.push(part.to_owned());
        }
    }
    all
}

/// Whose placeholder a type is; and whether it is a pointer to that.
fn unknown_type(ty: &str) -> Option<(String, bool)> {
    let ty = ty.strip_prefix("struct ").unwrap_or(ty);
    let rest = ty.strip_prefix(UNKNOWN)?;
    match rest.strip_suffix('*') {
        Some(name) => Some((name.trim_end().to_owned(), true)),
        None => Some((rest.to_owned(), false)),
    }
}

/// The type as one that a variable can have.
fn usable(ty: &str) -> Option<String> {
    let ty = ty.trim().trim_end_matches('&').trim_end();
    if ty.contains("(unnamed") || ty.contains("(anonymous") || ty == "void" {
        return None;
    }
    let is_indirect = ty.contains('*');
    let ty = match ty.strip_prefix("const ") {
        Some(plain) if !is_indirect => plain,
        _ => ty,
    };
    Some(ty.to_owned())
}

/// The name that `struct queue *q`, `int a[3]` or `int (*f)(void)` declares.
fn declared_name(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let head = match text.split_once("(*") {
        Some((_, inner)) => inner.split([')', '[']).next()?,
        None => text.split(['[', '=', '{']).next()?,
    };
    let head = head.trim_end();
    let start = head.rfind(|c| !is_part(c)).map_or(0, |i| {
        i + head[i..].chars().next().map_or(1, char::len_utf8)
    });
    let name = &head[start..];
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    // The type stands before the name, unless the name is in brackets.
    let has_type = text.contains("(*") || !head[..start].trim().is_empty();
    (is_name && has_type).then(|| name.to_owned())
}

/// What clang says of an expression.
struct Message {
    label: String,
    text: String,
    /// What stands at the place that the message names.
    at: String,
}

impl Message {
    fn all<'a>(
        messages: &'a str,
        expressions: &'a [(String, &'a str)],
    ) -> impl Iterator<Item = Message> + 'a {
        messages.lines().filter_map(|line| {
            expressions.iter().find_map(|(label, expression)| {
                let rest = line.strip_prefix(label.as_str())?.strip_prefix(':')?;
                let mut parts = rest.splitn(3, ':');
                let mut number = || parts.next()?.trim().parse::<usize>().ok();
                let (row, column) = (number()?, number()?);
                let row = expression.lines().nth(row.checked_sub(1)?)?;
                Some(Message {
                    label: label.clone(),
                    text: parts.next()?.to_owned(),
                    at: row.get(column.checked_sub(1)?..)?.to_owned(),
                })
            })
        })
    }

    /// A name that is not declared, and whether it is called.
    fn undeclared(&self) -> Option<(String, bool)> {
        let text = &self.text;
        if text.contains("undeclared function") {
            return Some((quoted(text).first()?.clone(), true));
        }
        let is_unknown =
            text.contains("undeclared identifier") || text.contains("unknown type name");
        if !is_unknown {
            return None;
        }
        let name = quoted(text).first()?.clone();
        let rest = self.at.strip_prefix(name.as_str());
        let is_called = rest.is_some_and(|rest| rest.trim_start().starts_with('('));
        Some((name, is_called))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(&str, &str)]) {
        let found = types_in(line);
        let found: Vec<_> = found
            .iter()
            .map(|(n, _, t)| (n.as_str(), t.as_str()))
            .collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn messages_say_types() {
        check(
            "x:1:6: error: passing 'struct __sleave_type_of_q' to parameter of incompatible type \
             'queue_t *' (aka 'struct queue *')",
            &[("q", "queue_t *")],
        );
        check(
            "x:1:6: error: incompatible pointer types passing 'struct __sleave_type_of_q *' to \
             parameter of type 'struct queue *' [-Wincompatible-pointer-types]",
            &[("q", "struct queue")],
        );
        check(
            "q.cpp:3:6: note: candidate function not viable: no known conversion from \
             '__sleave_type_of_q' to 'const Queue &' for 1st argument",
            &[("q", "Queue")],
        );
        check(
            "x:1:3: error: assigning to 'struct __sleave_type_of_v' from incompatible type 'long'",
            &[("v", "long")],
        );
        check(
            "x:1:3: error: invalid operands to binary expression ('unsigned int' and 'struct \
             __sleave_type_of_v')",
            &[("v", "unsigned int")],
        );
        check(
            "x:1:3: error: invalid operands to binary expression ('struct __sleave_type_of_v' and \
             'struct __sleave_type_of_w')",
            &[("v", "int"), ("w", "int")],
        );
        check(
            "x:1:3: error: no member named 'size' in 'struct __sleave_type_of_q'",
            &[],
        );
        check(
            "x:1:3: error: passing 'struct __sleave_type_of_q' to parameter of incompatible type \
             'struct (unnamed at q.c:3:1)'",
            &[],
        );
    }

    #[test]
    fn declarations_name_something() {
        for (text, name) in [
            ("struct queue *q", Some("q")),
            ("int items[3]", Some("items")),
            ("int (*handler)(int)", Some("handler")),
            ("std::vector<int> all", Some("all")),
            ("Queue q = Queue()", Some("q")),
            ("q", None),
            ("struct queue *", None),
            ("", None),
        ] {
            assert_eq!(declared_name(text).as_deref(), name, "{text}");
        }
    }
}
