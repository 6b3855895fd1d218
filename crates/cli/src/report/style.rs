//! Colours and the width of the page.

use verify::LineKind;

use crate::flags::Show;
use crate::output;

#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    pub width: usize,
}

/// What a piece of text is, not how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Plain,
    Heading,
    Faint,
    Read,
    Write,
    Sync,
    Bad,
    Good,
}

impl Style {
    pub fn of(show: &Show) -> Style {
        Style {
            color: output::use_color(show.color),
            width: output::width(),
        }
    }

    pub fn paint(&self, role: Role, text: &str) -> String {
        let code = match role {
            Role::Plain => return text.to_string(),
            Role::Heading => "1",
            Role::Faint => "2",
            Role::Read => "36",
            Role::Write => "33",
            Role::Sync => "35",
            Role::Bad => "1;31",
            Role::Good => "1;32",
        };
        if self.color && !text.trim().is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }
}

impl From<LineKind> for Role {
    fn from(kind: LineKind) -> Role {
        match kind {
            LineKind::Read => Role::Read,
            LineKind::Write | LineKind::Update => Role::Write,
            LineKind::Sync | LineKind::Thread => Role::Sync,
            LineKind::Input | LineKind::Output => Role::Plain,
            LineKind::Fault => Role::Bad,
        }
    }
}
