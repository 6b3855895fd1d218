//! Conditions as the source has them, found from where a comparison stands.
//!
//! The compiler says in which column the operator is, or the value that is compared with zero, or
//! the statement. What does not look as it should is not shown: a macro, a line that has changed.

/// The condition around the operator at this column, counted from 1, and whether it holds when
/// `operator` does not.
pub fn around(line: &str, column: u32, operator: &str) -> Option<(String, bool)> {
    let at = (column as usize).checked_sub(1)?;
    let rest = line.get(at..)?;
    let is_shift = rest.starts_with("<<") || rest.starts_with(">>");
    if is_shift {
        return None;
    }
    if let Some(found) = COMPARISONS.into_iter().find(|op| rest.starts_with(op)) {
        let is_negated = match () {
            () if found == operator => false,
            () if negation(found) == operator => true,
            () => return None,
        };
        let start = start_of_operand(line, at);
        let end = at + found.len() + end_of_operand(&line[at + found.len()..]);
        let text = line[start..end].trim();
        return Some((text.to_string(), is_negated));
    }
    // A value that is compared with zero: `if (ready)`, `if (!ready)`.
    let rest = rest.trim_start_matches('!');
    let is_value = rest.starts_with(|c: char| c.is_alphanumeric() || "_*(".contains(c));
    let is_negated = match operator {
        "!=" => false,
        "==" => true,
        _ => return None,
    };
    let value = rest[..end_of_operand(rest)].trim();
    let before = line[start_of_operand(line, at)..at].trim();
    let is_whole = before.chars().all(|c| c == '!');
    let is_shown = is_value && is_whole && !value.is_empty() && is_balanced(value);
    is_shown.then(|| (value.to_string(), is_negated))
}

/// The condition of the statement at this column: `if`, `while`, `for`, or the end of a loop's body
/// with its `while`.
pub fn of_statement(line: &str, column: u32) -> Option<String> {
    let rest = line.get((column as usize).checked_sub(1)?..)?;
    let rest = rest.strip_prefix('}').unwrap_or(rest).trim_start();
    let keyword = ["if", "while", "for", "switch"]
        .into_iter()
        .find(|keyword| rest.starts_with(keyword))?;
    let rest = rest[keyword.len()..].trim_start().strip_prefix('(')?;
    let end = closing(rest)?;
    let inner = match keyword {
        "for" => rest[..end].split(';').nth(1)?,
        _ => &rest[..end],
    };
    let inner = inner.trim();
    (!inner.is_empty()).then(|| inner.to_string())
}

const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

fn negation(operator: &str) -> &'static str {
    match operator {
        "==" => "!=",
        "!=" => "==",
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        _ => "<",
    }
}

/// What a comparison binds more tightly than.
const LOOSE: [&str; 4] = ["&&", "||", "?", ":"];

/// Where the operand begins that ends before `at`.
fn start_of_operand(line: &str, at: usize) -> usize {
    let mut depth = 0;
    let before = &line[..at];
    for (i, c) in before.char_indices().rev() {
        let next = i + c.len_utf8();
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => return next,
            '(' | '[' => depth -= 1,
            ';' | ',' | '{' | '}' if depth == 0 => return next,
            '&' | '|' if depth == 0 && before[..i].ends_with(c) => return next,
            '?' | ':' if depth == 0 => return next,
            '=' if depth == 0
                && !before[next..].starts_with('=')
                && !before[..i].ends_with(['=', '!', '<', '>']) =>
            {
                return next;
            }
            _ => {}
        }
    }
    let indent = before.len() - before.trim_start().len();
    match before.trim_start().strip_prefix("return ") {
        Some(_) => indent + "return ".len(),
        None => indent,
    }
}

/// Where the operand ends with which the text begins.
fn end_of_operand(text: &str) -> usize {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return i,
            ')' | ']' => depth -= 1,
            ';' | ',' | '{' | '}' if depth == 0 => return i,
            _ if depth == 0 && LOOSE.iter().any(|op| text[i..].starts_with(op)) => return i,
            _ => {}
        }
    }
    text.len()
}

/// Where the parenthesis closes that is open before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(i),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_balanced(text: &str) -> bool {
    let count = |c| text.matches(c).count();
    count('(') == count(')') && count('[') == count(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column of the mark `^`, which is taken out.
    fn at_mark(line: &str) -> (String, u32) {
        let at = line.find('^').expect("a mark");
        (line.replacen('^', "", 1), at as u32 + 1)
    }

    fn shown(line: &str, operator: &str) -> Option<(String, bool)> {
        let (line, column) = at_mark(line);
        around(&line, column, operator)
    }

    fn says(line: &str, operator: &str, text: &str) {
        assert_eq!(
            shown(line, operator),
            Some((text.to_string(), false)),
            "{line}"
        );
    }

    #[test]
    fn comparisons() {
        says("    if (value ^!= 42)", "!=", "value != 42");
        says("  assert(value ^== 42);", "==", "value == 42");
        says("if (other > 5 || value ^< 0) {", "<", "value < 0");
        says("if (other ^> 5 || value < 0) {", ">", "other > 5");
        says("for (int i = 0; i ^< n; i++)", "<", "i < n");
        says(
            "while (ready && f(a, b) ^== g[c]) x++;",
            "==",
            "f(a, b) == g[c]",
        );
        says("ok = a ^== b;", "==", "a == b");
        says("if (a == b ^!= c)", "!=", "a == b != c");
        says("return a ^== b ? 1 : 2;", "==", "a == b");
        says("    } else if (x[i ^>= 3]) {", ">=", "i >= 3");
    }

    #[test]
    fn values() {
        says("    if (^ready) {", "!=", "ready");
        says("    if (^*p) {", "!=", "*p");
        says("if (a && ^queue.items[3] || b)", "!=", "queue.items[3]");
        let negated = shown("if (^ready)", "==");
        assert_eq!(negated, Some(("ready".to_string(), true)));
        says("if (!^ready)", "!=", "ready");
        says("if (^!ready)", "!=", "ready");
    }

    #[test]
    fn negations() {
        let negated = shown("if (x ^== 0)", "!=");
        assert_eq!(negated, Some(("x == 0".to_string(), true)));
        let negated = shown("if (x ^< y)", ">=");
        assert_eq!(negated, Some(("x < y".to_string(), true)));
    }

    #[test]
    fn what_does_not_fit_is_not_shown() {
        assert_eq!(shown("if (x ^< y)", "=="), None);
        assert_eq!(shown("if (^ready)", "<"), None);
        assert_eq!(shown("^}", "!="), None);
        assert_eq!(shown("if (x ^<< 2)", "<"), None);
        assert_eq!(shown("if (x + ^y)", "!="), None);
        assert_eq!(around("short", 80, "=="), None);
        assert_eq!(around("", 0, "=="), None);
    }

    #[test]
    fn statements() {
        let whole = |line: &str| {
            let (line, column) = at_mark(line);
            of_statement(&line, column)
        };
        let text = |text: &str| Some(text.to_string());
        assert_eq!(
            whole("  ^while (ready && value == 0)"),
            text("ready && value == 0")
        );
        assert_eq!(whole("  ^if (!(a && b)) x++;"), text("!(a && b)"));
        assert_eq!(whole("  ^for (i = 0; a && b; i++)"), text("a && b"));
        assert_eq!(whole("  do { r--; ^} while (r > 10);"), text("r > 10"));
        assert_eq!(whole("  ^for (;;)"), None);
        assert_eq!(whole("  ^x = 3;"), None);
        assert_eq!(whole("  ^while (a &&"), None);
    }
}
