//! Writing to the terminal or a pipe. A reader that has gone away (`sleave ... | head`) is no
//! fault.

use std::io::{IsTerminal, Write};

use crate::flags::Color;

/// What a pipe may hold, for any user.
const LARGEST_PIPE: usize = 1 << 20;

pub fn print(text: &str) {
    // A report that fits the pipe is not lost where the reader is slower than a time limit: a
    // pager. Of no use for what is no pipe.
    if text.len() > 1 << 16 {
        let size = text.len().min(LARGEST_PIPE) as libc::c_int;
        unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_SETPIPE_SZ, size) };
    }
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// One message on standard error, marked as ours.
pub fn error(message: &str) {
    raw_error(&format!("sleave: {message}\n"));
}

/// Text that speaks for itself, such as a compiler's.
pub fn raw_error(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Takes away what a progress line has left, where there may be one.
pub fn clear_line() {
    if std::io::stderr().is_terminal() {
        raw_error("\r\x1b[K");
    }
}

/// Whether to use colours on standard output.
pub fn use_color(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        // https://no-color.org
        Color::Auto => {
            std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                && std::io::stdout().is_terminal()
        }
    }
}

/// Columns of the terminal; in a pipe, as many as a wide page has. `COLUMNS` overrides both.
pub fn width() -> usize {
    let forced = std::env::var("COLUMNS")
        .ok()
        .and_then(|c| c.parse::<usize>().ok());
    forced
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
        .map_or(100, |width| width.clamp(40, 200))
}
