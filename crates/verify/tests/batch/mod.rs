//! Several random programs in one file.

use oracle::{Program, Rendered};

/// Several programs in one file, since starting the compiler costs more than checking one of them.
/// The first argument of `main` says which is meant.
pub struct Batch<'a> {
    pub programs: &'a [Program],
    pub rendered: Vec<Rendered>,
    /// Lines of the file before each program's own.
    pub offsets: Vec<u32>,
    pub source: String,
}

impl<'a> Batch<'a> {
    pub fn new(programs: &'a [Program]) -> Batch<'a> {
        let rendered: Vec<Rendered> = programs.iter().map(oracle::render).collect();
        let mut source = String::new();
        let mut offsets = Vec::new();
        for (index, rendered) in rendered.iter().enumerate() {
            offsets.push(source.lines().count() as u32);
            for line in rendered.source.lines() {
                // Headers and declarations may be repeated as they are.
                let shared = line.starts_with('#') || line.starts_with("extern");
                source.push_str(&if shared {
                    line.to_string()
                } else {
                    rename(line, index)
                });
                source.push('\n');
            }
        }
        source.push_str("int main(int argc, char **argv) {\n    switch (argv[1][0]) {\n");
        for index in 0..programs.len() {
            let letter = letter(index);
            source.push_str(&format!("    case '{letter}': return p{index}_main();\n"));
        }
        source.push_str("    }\n    return 1;\n}\n");
        Batch {
            programs,
            rendered,
            offsets,
            source,
        }
    }
}

/// The argument that means a program.
pub fn letter(index: usize) -> char {
    char::from(b'a' + u8::try_from(index).expect("a small batch"))
}

/// Puts `pINDEX_` before every global name of a rendered program: `main`, `thread0`, `g0`, `p0`,
/// `a0`, `m0`, `s0`, `c0`, `t0_l0`.
fn rename(line: &str, index: usize) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for c in line.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if is_global(&word) {
            result.push_str(&format!("p{index}_"));
        }
        result.push_str(&std::mem::take(&mut word));
        result.push(c);
    }
    result.trim_end_matches('\n').to_string()
}

fn is_global(word: &str) -> bool {
    let digits = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit());
    let simple = ["thread", "g", "p", "a", "m", "s", "c"]
        .iter()
        .any(|prefix| word.strip_prefix(prefix).is_some_and(digits));
    let copied = word
        .strip_prefix('t')
        .and_then(|rest| rest.split_once("_l"))
        .is_some_and(|(thread, local)| digits(thread) && digits(local));
    word == "main" || simple || copied
}
