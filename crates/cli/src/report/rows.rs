//! Groups the events of a trace into rows: what one thread does at one source line before anything
//! else happens.

use verify::{Line, LineKind, Trace};

use super::style::Role;
use crate::source::Sources;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Counted from 1.
    pub number: usize,
    pub thread: usize,
    pub file: String,
    /// 0: unknown.
    pub line: u32,
    pub source: String,
    pub effects: Vec<(Role, String)>,
}

impl Row {
    /// `lost_update.c:13`
    pub fn place(&self) -> String {
        place(&self.file, self.line)
    }
}

/// `file:line`, without folders; empty if it is not known.
pub fn place(file: &str, line: u32) -> String {
    if line == 0 {
        return String::new();
    }
    format!("{}:{line}", file.rsplit('/').next().unwrap_or(file))
}

pub fn rows(trace: &Trace, sources: &mut Sources) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut row_of_line = Vec::new();
    for line in &trace.lines {
        if !rows.last().is_some_and(|row| continues(row, line)) {
            rows.push(Row {
                number: rows.len() + 1,
                thread: line.thread,
                file: line.file.clone(),
                line: line.line,
                source: sources.line(&line.file, line.line).to_string(),
                effects: Vec::new(),
            });
        }
        let row = rows.last_mut().expect("just made");
        let effect = (
            Role::from(line.kind),
            effect(line, row.number, &row_of_line),
        );
        row_of_line.push(row.number);
        add(row, effect);
    }
    for row in &mut rows {
        for (_, text) in &mut row.effects {
            // What the program says may hold anything.
            *text = text.replace(|c: char| c.is_control(), " ");
        }
    }
    rows
}

/// The same thread goes on at the same line, or ends.
fn continues(row: &Row, line: &Line) -> bool {
    row.thread == line.thread
        && (line.line == 0 || (row.file == line.file && row.line == line.line))
}

fn effect(line: &Line, row: usize, row_of_line: &[usize]) -> String {
    let text = &line.text;
    let from = line.from.map(|from| row_of_line[from]);
    match (line.kind, from) {
        (LineKind::Read | LineKind::Update, Some(from)) if from == row => text.clone(),
        (LineKind::Read, Some(from)) => format!("{text}, written at row {from}"),
        (LineKind::Read, None) => format!("{text}, initial value"),
        (LineKind::Update, Some(from)) => format!("{text}; the old value is from row {from}"),
        (LineKind::Update, None) => format!("{text}; the old value is the initial one"),
        _ => text.clone(),
    }
}

/// A thread that does the same again and again is shown doing it once.
fn add(row: &mut Row, effect: (Role, String)) {
    const TIMES: &str = " times)";
    if let Some((_, last)) = row.effects.last_mut() {
        let (text, count) = match last.strip_suffix(TIMES).and_then(|t| t.rsplit_once(" (")) {
            Some((text, count)) => (text.to_string(), count.parse().unwrap_or(1)),
            None => (last.clone(), 1u64),
        };
        if text == effect.1 {
            *last = format!("{text} ({}{TIMES}", count + 1);
            return;
        }
    }
    row.effects.push(effect);
}

/// How often another thread takes over.
pub fn switches(rows: &[Row]) -> usize {
    rows.windows(2)
        .filter(|w| w[0].thread != w[1].thread)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(thread: usize, line: u32, kind: LineKind, text: &str, from: Option<usize>) -> Line {
        Line {
            thread,
            file: "a.c".to_string(),
            line,
            function: "f".to_string(),
            kind,
            text: text.to_string(),
            from,
        }
    }

    fn effects(lines: Vec<Line>) -> Vec<Vec<String>> {
        let trace = Trace {
            lines,
            ..Trace::default()
        };
        let rows = rows(&trace, &mut Sources::with("a.c", ""));
        rows.into_iter()
            .map(|r| r.effects.into_iter().map(|e| e.1).collect())
            .collect()
    }

    #[test]
    fn one_row_for_one_line_of_one_thread() {
        let found = effects(vec![
            line(1, 3, LineKind::Read, "reads x = 0", None),
            line(1, 3, LineKind::Write, "writes x = 1", None),
            line(2, 3, LineKind::Read, "reads x = 1", Some(1)),
        ]);
        let expected = [
            vec![
                "reads x = 0, initial value".to_string(),
                "writes x = 1".to_string(),
            ],
            vec!["reads x = 1, written at row 1".to_string()],
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn repetition_is_counted() {
        let spin = || line(1, 3, LineKind::Read, "reads x = 0", None);
        assert_eq!(
            effects(vec![spin(), spin(), spin()]),
            [["reads x = 0, initial value (3 times)"]]
        );
    }
}
