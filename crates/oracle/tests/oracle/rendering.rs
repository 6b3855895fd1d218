use std::path::{Path, PathBuf};
use std::process::Command;

use oracle::*;

use crate::build::*;
use crate::generator::with_everything;

#[test]
fn reads_like_c() {
    let mut program = program([
        vec![
            Stmt::If {
                condition: eq(InputId(1), 1),
                then: ops([add(G0, L0)]),
                otherwise: ops([Op::Lock(M0), Op::Unlock(M0)]),
            },
            Stmt::Do(assert(0, ne(L1, -1))),
        ],
        vec![Stmt::Repeat {
            times: 2,
            body: ops([read(
                L0,
                Place::Element(ArrayId(0), Index::Wrapped(InputId(0).into())),
            )]),
        }],
    ]);
    program.threads[0].body.extend(ops([write(G1, InputId(0))]));
    program.arrays = vec![vec![4, 5]];
    program.inputs = vec![
        InputDecl { low: 0, high: 3 },
        InputDecl { low: -1, high: 1 },
    ];
    let rendered = render(&program);
    let expected = include_str!("reads_like_c.c");
    assert_eq!(rendered.source, expected, "\n{}", rendered.source);
    let line = rendered.assertion_lines[&AssertId(0)];
    let text = expected.lines().nth(line as usize - 1);
    assert_eq!(text.map(str::trim), Some("assert(l1 != (-1));"));
}

#[test]
fn clang_accepts_it() {
    let config = with_everything();
    let files: Vec<PathBuf> = (0..200)
        .map(|seed| {
            let source = render(&generate(&config, seed)).source;
            write_source(&format!("syntax_{seed}.c"), &source)
        })
        .collect();
    let mut clang = clang();
    clang.arg("-fsyntax-only").args(&files);
    let output = clang.output().expect("clang can be started");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
}

pub fn clang() -> Command {
    let name = std::env::var_os("CLANG").unwrap_or_else(|| "clang-22".into());
    let mut command = Command::new(name);
    command.args(["-O0", "-w"]);
    command
}

pub fn write_source(name: &str, source: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, source).expect("the build directory is writable");
    path
}
