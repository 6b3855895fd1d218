//! The program's source text, line by line, for reports.

use std::collections::HashMap;

#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Vec<String>>,
}

impl Sources {
    /// A source whose text is known; otherwise files are read when asked for.
    #[cfg(test)]
    pub fn with(name: &str, text: &str) -> Sources {
        let lines = text.lines().map(String::from).collect();
        Sources {
            files: HashMap::from([(name.to_string(), lines)]),
        }
    }

    /// The line without indentation and trailing comment; empty if it cannot be read.
    pub fn line(&mut self, file: &str, number: u32) -> &str {
        without_comment(self.whole_line(file, number)).trim()
    }

    /// The line as it is, for who knows its columns; empty if it cannot be read.
    pub fn whole_line(&mut self, file: &str, number: u32) -> &str {
        let lines = self
            .files
            .entry(file.to_string())
            .or_insert_with(|| read(file));
        let line = (number as usize).checked_sub(1).and_then(|i| lines.get(i));
        line.map_or("", String::as_str)
    }
}

fn read(file: &str) -> Vec<String> {
    let bytes = std::fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(clean).collect()
}

/// Without tabs and other characters that would move the cursor.
fn clean(line: &str) -> String {
    line.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Cuts a trailing comment off, unless nothing else is there.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut escaped = false;
    for (i, c) in line.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if line[i..].starts_with("//")
                || line[i..].starts_with("/*") && line.trim_end().ends_with("*/") =>
            {
                let code = &line[..i];
                return if code.trim().is_empty() { line } else { code };
            }
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go() {
        let mut sources = Sources::with(
            "a.c",
            "int x; // shared\n  puts(\"//\"); /* said */\n// only\nf(a /* b */, c);",
        );
        assert_eq!(sources.line("a.c", 1), "int x;");
        assert_eq!(sources.line("a.c", 2), "puts(\"//\");");
        assert_eq!(sources.line("a.c", 3), "// only");
        assert_eq!(sources.line("a.c", 4), "f(a /* b */, c);");
        assert_eq!(sources.line("a.c", 0), "");
        assert_eq!(sources.line("a.c", 99), "");
    }
}
