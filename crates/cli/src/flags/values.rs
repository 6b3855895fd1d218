//! How the values of flags are read.

use std::time::Duration;

/// The words of one `--args`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(pub Vec<String>);

/// Why a value cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("`{0}` names no variable: say NAME=VALUE")]
    NoVariable(String),
    #[error("`{0}` is no line: say LINE or FILE:LINE, and the program's files before this option")]
    NoLine(String),
    #[error("`{0}` is no place: say FILE:LINE")]
    NoPlace(String),
    #[error("conflict or predicate")]
    NoDependence,
    #[error("not a number of seconds")]
    NoSeconds,
    #[error("too long")]
    LongArguments,
    #[error("a backslash at the end")]
    LastBackslash,
    #[error("a quote is not closed")]
    OpenQuote,
}

/// `NAME=VALUE`, or `NAME`.
pub fn variable(text: &str) -> Result<(String, Option<String>), ValueError> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_string())),
        None => (text, None),
    };
    if name.is_empty() {
        return Err(ValueError::NoVariable(text.to_string()));
    }
    Ok((name.to_string(), value))
}

/// `12,queue.c:30`
pub fn lines(text: &str) -> Result<verify::Lines, ValueError> {
    let line = |part: &str| {
        let (file, number) = match part.rsplit_once(':') {
            Some((file, number)) => (Some(file.to_string()), number),
            None => (None, part),
        };
        let line = number.parse::<u32>().ok().filter(|line| *line > 0);
        let line = line.ok_or_else(|| ValueError::NoLine(part.to_string()));
        line.map(|line| verify::SourceLine { file, line })
    };
    text.split(',')
        .map(line)
        .collect::<Result<_, _>>()
        .map(verify::Lines)
}

/// `queue.c:30`
pub fn place(text: &str) -> Result<(String, u32), ValueError> {
    let place = text.rsplit_once(':').and_then(|(file, line)| {
        let line = line.parse::<u32>().ok().filter(|line| *line > 0)?;
        (!file.is_empty()).then(|| (file.to_string(), line))
    });
    place.ok_or_else(|| ValueError::NoPlace(text.to_string()))
}

pub fn dependence(text: &str) -> Result<verify::Dependence, ValueError> {
    Ok(match text {
        "conflict" => verify::Dependence::Conflict,
        "predicate" => verify::Dependence::Predicate,
        _ => return Err(ValueError::NoDependence),
    })
}

pub fn seconds(text: &str) -> Result<Duration, ValueError> {
    let number: f64 = text.parse().map_err(|_| ValueError::NoSeconds)?;
    // More than any computer runs; Instant cannot add much more. What is no number stays none.
    let number = if number > 1e9 { 1e9 } else { number };
    Duration::try_from_secs_f64(number).map_err(|_| ValueError::NoSeconds)
}

/// As much as Linux allows one argument to have.
const LONGEST_ARGUMENTS: usize = 128 << 10;

/// Splits at blanks; quotes and backslashes protect as in a shell.
pub fn shell_words(text: &str) -> Result<Words, ValueError> {
    if text.len() > LONGEST_ARGUMENTS {
        return Err(ValueError::LongArguments);
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let escaped = chars.next().ok_or(ValueError::LastBackslash)?;
                word.get_or_insert_default().push(escaped);
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(ValueError::OpenQuote);
    }
    words.extend(word);
    Ok(Words(words))
}
