//! The interleaving as a table, one column for each thread; or as a list where the page is too
//! narrow for columns.

use verify::Trace;

use super::rows::Row;
use super::style::{Role, Style};

/// Narrower than this, source lines are torn to pieces.
const NARROWEST_COLUMN: usize = 20;
/// Wider than this, columns drift apart.
const WIDEST_COLUMN: usize = 46;
/// With columns this wide there is room for file names beside the line numbers.
const ROOMY_COLUMN: usize = 27;
const BETWEEN: &str = " | ";

pub fn table(trace: &Trace, rows: &[Row], style: &Style) -> String {
    let mut taking_part: Vec<usize> = rows.iter().map(|r| r.thread).collect();
    taking_part.sort_unstable();
    taking_part.dedup();
    let number_width = rows.last().map_or(1, |r| r.number.to_string().len()).max(2);
    let layout = |places: Vec<String>| {
        let place_width = places.iter().map(String::len).max().unwrap_or(0);
        let left = number_width + 2 + place_width;
        let column = (style.width.saturating_sub(left) / taking_part.len().max(1))
            .saturating_sub(BETWEEN.len());
        (places, place_width, column.min(WIDEST_COLUMN))
    };
    let full = layout(rows.iter().map(Row::place).collect());
    let one_file = rows
        .iter()
        .filter(|r| r.line != 0)
        .map(|r| &r.file)
        .is_sorted_by(|a, b| a == b);
    let short = full.2 < ROOMY_COLUMN && one_file;
    let (places, place_width, column) = if short {
        layout(rows.iter().map(short_place).collect())
    } else {
        full
    };
    let table = Table {
        trace,
        style,
        threads: taking_part,
        number_width,
        place_width,
        column,
    };
    if column < NARROWEST_COLUMN {
        return table.list(rows);
    }
    let file = rows.iter().find(|r| r.line != 0).filter(|_| short);
    let caption = file.map_or(String::new(), |r| {
        format!("(line numbers of {})\n\n", r.file)
    });
    caption + &table.columns(rows, &places)
}

fn short_place(row: &Row) -> String {
    if row.line == 0 {
        String::new()
    } else {
        row.line.to_string()
    }
}

struct Table<'a> {
    trace: &'a Trace,
    style: &'a Style,
    /// Those with a column, in order.
    threads: Vec<usize>,
    number_width: usize,
    place_width: usize,
    column: usize,
}

impl Table<'_> {
    fn columns(&self, rows: &[Row], places: &[String]) -> String {
        let mut out = String::new();
        self.header(&mut out);
        let mut previous = None;
        for (row, place) in rows.iter().zip(places) {
            if previous != Some(row.thread) {
                self.rule(&mut out);
            }
            previous = Some(row.thread);
            for (i, (role, text)) in cell(row, self.column).into_iter().enumerate() {
                let (number, place) = if i == 0 {
                    (row.number.to_string(), place.as_str())
                } else {
                    (String::new(), "")
                };
                self.line(&mut out, &number, place, row.thread, role, &text);
            }
        }
        self.rule(&mut out);
        out
    }

    fn header(&self, out: &mut String) {
        let mut line = " ".repeat(self.left());
        for thread in &self.threads {
            line.push_str(BETWEEN);
            line.push_str(&pad(
                &minimise_context_switches(&self.heading(*thread), self.column),
                self.column,
            ));
        }
        out.push_str(&self.style.paint(Role::Heading, line.trim_end()));
        out.push('\n');
    }

    /// `T1: worker()`
    fn heading(&self, thread: usize) -> String {
        let name = &self.trace.threads[thread];
        match self.trace.functions.get(thread) {
            Some(function) if !function.is_empty() && function != name => {
                // What --run gives is an expression already.
                let is_name = function.chars().all(|c| !"();".contains(c));
                let brackets = if is_name { "()" } else { "" };
                format!("{name}: {function}{brackets}")
            }
            _ => name.clone(),
        }
    }

    fn left(&self) -> usize {
        self.number_width + 2 + self.place_width
    }

    fn rule(&self, out: &mut String) {
        let mut line = "-".repeat(self.left());
        for _ in &self.threads {
            line.push_str("-+-");
            line.push_str(&"-".repeat(self.column));
        }
        out.push_str(&self.style.paint(Role::Faint, &line));
        out.push('\n');
    }

    fn line(
        &self,
        out: &mut String,
        number: &str,
        place: &str,
        thread: usize,
        role: Role,
        text: &str,
    ) {
        let left = format!(
            "{number:>0$}  {place:<1$}",
            self.number_width, self.place_width
        );
        let mut line = self.style.paint(Role::Faint, &left);
        for t in &self.threads {
            line.push_str(&self.style.paint(Role::Faint, BETWEEN));
            let cell = if *t == thread { text } else { "" };
            line.push_str(&self.style.paint(role, &pad(cell, self.column)));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }

    // ----- one column -----

    fn list(&self, rows: &[Row]) -> String {
        let mut out = String::new();
        for thread in &self.threads {
            out.push_str(&self.style.paint(Role::Heading, &self.heading(*thread)));
            out.push('\n');
        }
        let names = self.threads.iter().map(|t| self.trace.threads[*t].len());
        let name_width = names.max().unwrap_or(0);
        let places = rows.iter().map(|r| r.place().len());
        let place_width = places.max().unwrap_or(0);
        let left = self.number_width + 2 + name_width + 2 + place_width + 2;
        let room = self.style.width.saturating_sub(left).max(NARROWEST_COLUMN);
        let mut previous = None;
        for row in rows {
            if previous != Some(row.thread) {
                let rule = "-".repeat((left + WIDEST_COLUMN).min(self.style.width));
                out.push_str(&self.style.paint(Role::Faint, &rule));
                out.push('\n');
            }
            previous = Some(row.thread);
            let name = &self.trace.threads[row.thread];
            let head = format!(
                "{:>w$}  {name:<name_width$}  {:<place_width$}  ",
                row.number,
                row.place(),
                w = self.number_width
            );
            for (i, (role, text)) in cell(row, room).into_iter().enumerate() {
                let left = if i == 0 {
                    head.clone()
                } else {
                    " ".repeat(left)
                };
                let line = format!(
                    "{}{}",
                    self.style.paint(Role::Faint, &left),
                    self.style.paint(role, &text)
                );
                out.push_str(line.trim_end());
                out.push('\n');
            }
        }
        out
    }
}

/// Lines that a source line may take; what happens there matters more.
const SOURCE_LINES: usize = 2;

/// The source line, and below it what happens there.
fn cell(row: &Row, width: usize) -> Vec<(Role, String)> {
    let mut source = wrap(&row.source, width, "    ");
    if source.len() > SOURCE_LINES {
        source.truncate(SOURCE_LINES);
        let last = &mut source[SOURCE_LINES - 1];
        *last = minimise_context_switches(&format!("{last} ..."), width);
    }
    let mut lines: Vec<(Role, String)> =
        source.into_iter().map(|text| (Role::Plain, text)).collect();
    for (role, effect) in &row.effects {
        let effect = wrap(&format!("  {effect}"), width, "    ");
        lines.extend(effect.into_iter().map(|text| (*role, text)));
    }
    lines
}

fn pad(text: &str, width: usize) -> String {
    let length = text.chars().count();
    format!("{text}{}", " ".repeat(width.saturating_sub(length)))
}

fn minimise_context_switches(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(3)).collect();
    format!("{kept}...")
}

/// Lines of at most `width` characters, broken at blanks where possible; all but the first begin
/// with `indent`.
pub fn wrap(text: &str, width: usize, indent: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line: Vec<char> = Vec::new();
    let start = text.len() - text.trim_start().len();
    line.extend(text[..start].chars());
    let mut empty = true;
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        if !empty && line.len() + 1 + word.len() > width {
            lines.push(std::mem::replace(&mut line, indent.chars().collect()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        // Longer than a whole line: cut it, after punctuation if there is some.
        while line.len() + word.len() > width.max(indent.len() + 1) {
            let room = width
                .max(indent.len() + 1)
                .saturating_sub(line.len())
                .max(1);
            let fits = &word[..room.min(word.len())];
            let soft = fits
                .iter()
                .rposition(|c| "(,;>.".contains(*c))
                .map(|i| i + 1);
            let cut = soft.filter(|cut| *cut > room / 3).unwrap_or(fits.len());
            line.extend(word.drain(..cut));
            lines.push(std::mem::replace(&mut line, indent.chars().collect()));
        }
        line.extend(word);
        empty = false;
    }
    if !empty {
        lines.push(line);
    }
    lines.into_iter().map(String::from_iter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping() {
        assert_eq!(wrap("", 10, "  "), Vec::<String>::new());
        assert_eq!(wrap("one two three", 8, "  "), ["one two", "  three"]);
        assert_eq!(wrap("  one two", 20, "    "), ["  one two"]);
        assert_eq!(wrap("abcdefghijkl", 6, "  "), ["abcdef", "  ghij", "  kl"]);
        assert_eq!(wrap("unlock(&mutex);", 12, "  "), ["unlock(", "  &mutex);"]);
        for width in 1..30 {
            for line in wrap(
                "  pthread_mutex_lock(&account->lock_of_the_account); x",
                width,
                "    ",
            ) {
                assert!(line.chars().count() <= width.max(5), "{width}: {line}");
            }
        }
    }
}
