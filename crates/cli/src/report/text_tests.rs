//! Snapshots of the report, from data made by hand.

use verify::{Deadlock, Held, Line, Waiting};

use super::*;

const SOURCE: &str = "int counter;

void *worker(void *unused)
{
    int seen = counter; // read
    counter = seen + 1; // write
}
int main(void) {
    assert(counter == 2);
}
";

fn line(thread: usize, number: u32, kind: LineKind, text: &str, from: Option<usize>) -> Line {
    Line {
        thread,
        file: "src/count.c".to_string(),
        line: number,
        function: String::new(),
        kind,
        text: text.to_string(),
        from,
    }
}

fn lost_update() -> Trace {
    Trace {
        message: "assertion `counter == 2` fails".to_string(),
        threads: ["main", "T1", "T2"].map(String::from).into(),
        functions: ["main", "worker", "worker"].map(String::from).into(),
        left_out: 0,
        lines: vec![
            line(2, 5, LineKind::Read, "reads counter = 0", None),
            line(1, 5, LineKind::Read, "reads counter = 0", None),
            line(1, 6, LineKind::Write, "writes counter = 1", None),
            line(2, 6, LineKind::Write, "writes counter = 1", None),
            line(0, 9, LineKind::Read, "reads counter = 1", Some(3)),
            line(
                0,
                9,
                LineKind::Fault,
                "assertion `counter == 2` fails",
                None,
            ),
        ],
        deadlock: None,
        race: None,
        shapes: Vec::new(),
    }
}

fn shown(trace: &Trace, width: usize) -> String {
    let style = Style {
        color: false,
        width,
    };
    let mut sources = Sources::with("src/count.c", SOURCE);
    show_trace(
        "src/count.c:9:5: it fails",
        trace,
        MOST_ROWS,
        &mut sources,
        &style,
    )
}

#[test]
fn columns_at_eighty() {
    let expected = "\
src/count.c:9:5: it fails

What the threads do, from top to bottom:

(line numbers of src/count.c)

      | main                   | T1: worker()           | T2: worker()
------+------------------------+------------------------+-----------------------
 1  5 |                        |                        | int seen = counter;
      |                        |                        |   reads counter = 0,
      |                        |                        |     initial value
------+------------------------+------------------------+-----------------------
 2  5 |                        | int seen = counter;    |
      |                        |   reads counter = 0,   |
      |                        |     initial value      |
 3  6 |                        | counter = seen + 1;    |
      |                        |   writes counter = 1   |
------+------------------------+------------------------+-----------------------
 4  6 |                        |                        | counter = seen + 1;
      |                        |                        |   writes counter = 1
------+------------------------+------------------------+-----------------------
 5  9 | assert(counter == 2);  |                        |
      |   reads counter = 1,   |                        |
      |     written at row 4   |                        |
      |   assertion `counter   |                        |
      |     == 2` fails        |                        |
------+------------------------+------------------------+-----------------------

";
    assert_eq!(shown(&lost_update(), 80), expected);
}

#[test]
fn a_list_where_columns_do_not_fit() {
    let expected = "\
src/count.c:9:5: it fails

What the threads do, from top to bottom:

main
T1: worker()
T2: worker()
------------------------------------------------------------
 1  T2    count.c:5  int seen = counter;
                       reads counter = 0, initial value
------------------------------------------------------------
 2  T1    count.c:5  int seen = counter;
                       reads counter = 0, initial value
 3  T1    count.c:6  counter = seen + 1;
                       writes counter = 1
------------------------------------------------------------
 4  T2    count.c:6  counter = seen + 1;
                       writes counter = 1
------------------------------------------------------------
 5  main  count.c:9  assert(counter == 2);
                       reads counter = 1, written at row 4
                       assertion `counter == 2` fails

";
    assert_eq!(shown(&lost_update(), 60), expected);
}

#[test]
fn nothing_is_wider_than_the_page() {
    for width in 40..160 {
        let text = shown(&lost_update(), width);
        let table = text.lines().filter(|l| l.contains('|') || l.contains("--"));
        for line in table {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn wide_pages_show_file_names() {
    assert!(shown(&lost_update(), 140).contains(" 1  count.c:5 | "));
}

#[test]
fn who_waits_for_whom() {
    let stuck = |thread, text: &str, holds: &[Held]| Waiting {
        thread,
        file: "src/count.c".to_string(),
        line: 5,
        text: text.to_string(),
        holds: holds.to_vec(),
    };
    let held = Held {
        name: "a".to_string(),
        file: "src/count.c".to_string(),
        line: 4,
        ..Held::default()
    };
    let trace = Trace {
        lines: Vec::new(),
        deadlock: Some(Deadlock {
            waiting: vec![
                stuck(0, "waits for T1 to end", &[]),
                stuck(1, "waits for mutex b, held by T2", &[held]),
            ],
            ..Deadlock::default()
        }),
        ..lost_update()
    };
    let expected = "\
src/count.c:9:5: it fails

Now every thread waits:
  main  waits for T1 to end (count.c:5)
  T1    waits for mutex b, held by T2 (count.c:5); it holds a (locked at count.c:4)

";
    assert_eq!(shown(&trace, 100), expected);
}

#[test]
fn inputs_come_first() {
    let mut trace = lost_update();
    trace.lines = vec![line(0, 9, LineKind::Input, "input nondet_int = -5", None)];
    assert!(
        shown(&trace, 100).contains("With these inputs:\n  nondet_int = -5  (count.c:9, main)\n")
    );
}

#[test]
fn colours_change_nothing_else() {
    let style = Style {
        color: true,
        width: 80,
    };
    let mut sources = Sources::with("src/count.c", SOURCE);
    let painted = show_trace(
        "src/count.c:9:5: it fails",
        &lost_update(),
        MOST_ROWS,
        &mut sources,
        &style,
    );
    assert!(painted.contains("\x1b[1;31m"));
    let mut plain = String::new();
    for (i, piece) in painted.split("\x1b[").enumerate() {
        plain.push_str(if i == 0 {
            piece
        } else {
            piece.split_once('m').expect("an end").1
        });
    }
    let trimmed = |text: &str| {
        text.lines()
            .map(|l| l.trim_end().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(trimmed(&plain), trimmed(&shown(&lost_update(), 80)));
}

#[test]
fn long_traces_show_their_end() {
    let mut trace = lost_update();
    let step = |i: usize| line(1 + i % 2, 6, LineKind::Write, "writes counter = 1", None);
    trace.lines = (0..500).map(step).collect();
    let text = shown(&trace, 100);
    assert!(text.contains("(380 earlier rows are left out; sleave replay shows them)"));
    assert!(text.contains("\n500  "));
}

#[test]
fn program_text_cannot_move_the_cursor() {
    let mut trace = lost_update();
    trace.lines[5].text = "assertion `\x1b[2J` fails".to_string();
    assert!(!shown(&trace, 100).contains('\x1b'));
}
