//! Small proofs that are accepted, and what is wrong with those that are not.

use proof::{Accepted, Error, Reason, Refusal};

/// What becomes of a proof with these lines between the first, which is line 1, and the last.
fn check(lines: &str) -> Result<Accepted, Refusal> {
    let text: String = lines.lines().map(|l| l.trim().to_string() + "\n").collect();
    let text = format!("s sleave-proof 1\n{}", text.trim_start());
    let last = format!("z {}\n", text.lines().count());
    bytes((text + &last).as_bytes())
}

fn bytes(proof: &[u8]) -> Result<Accepted, Refusal> {
    match proof::check(proof) {
        Ok(accepted) => Ok(accepted),
        Err(Error::Refused(refusal)) => Err(refusal),
        Err(Error::Unreadable(error)) => panic!("bytes cannot be read: {error}"),
    }
}

#[track_caller]
fn refused(lines: &str, line: u64, reason: Reason) {
    assert_eq!(check(lines), Err(Refusal { line, reason }), "{lines}");
}

/// Two variables, and everything forbidden: clauses 1 to 4 in lines 2 to 5.
const SQUARE: &str = "i 1 1 2 0\ni 2 -1 2 0\ni 3 1 -2 0\ni 4 -1 -2 0\n";

fn after_square(lines: &str) -> String {
    format!("{SQUARE}{lines}")
}

/// Four events in lines 2 to 5; in lines 6 to 10 event 2 reads atom 7 from 0, 1 and 3 write it, 0 is
/// always before 1. Literals 1 to 4.
const READ: &str = "n 0\nn 1\nn 2\nn 3\np 0 1\nr 1 0 2 7\nw 2 1 7\nw 4 3 7\ne 3 1 2\n";

/// With a lemma in line 11 and, where it is the empty clause, nothing else needed.
fn lemma(lemma: &str) -> String {
    format!("{READ}{lemma}\nq 0\nu 1\n")
}

/// With a lemma about literals 1, 2 and 3.
fn of_three(lemma: &str) -> String {
    format!("{READ}{lemma}\nq 1 2 3 0\nu 1\n")
}

#[test]
fn propagation() {
    let proof = after_square("q 0\na 5 2 0 1 2 0\na 6 0 5 3 4 0\nu 6\n");
    let accepted = Accepted {
        questions: 1,
        unsatisfiable: 1,
        inputs: 4,
        lemmas: 0,
        derived: 2,
    };
    assert_eq!(check(&proof), Ok(accepted));
}

#[test]
fn a_write_before_the_one_that_is_read_from() {
    let proof = of_three("t 1 -1 -2 -3 0 B 1 0 2 7 2 1 E 3 1 2 . P 0 1 0");
    assert_eq!(check(&proof).map(|a| a.lemmas), Ok(1));
}

#[test]
fn a_read_before_a_later_write() {
    let proof = of_three("t 1 -1 -2 -3 0 F 1 0 2 7 2 1 P 0 1 . E 3 1 2 0");
    assert_eq!(check(&proof).map(|a| a.lemmas), Ok(1));
}

#[test]
fn many_questions() {
    let accepted = Accepted {
        questions: 5,
        unsatisfiable: 3,
        inputs: 4,
        lemmas: 3,
        derived: 4,
    };
    let grand = include_str!("grand.proof");
    let (_, lines) = grand.split_once('\n').expect("lines");
    assert_eq!(check(lines), Ok(accepted));
}

#[test]
fn the_last_line() {
    let proof = "s sleave-proof 1\ni 1 0\nq 0\nu 1\n";
    let with = |last: &str| bytes(format!("{proof}{last}").as_bytes());
    assert!(with("z 4\n").is_ok());
    for (last, line, reason) in [
        ("", 4, Reason::NotComplete),
        ("z 4", 5, Reason::CutOff),
        ("z\n", 5, Reason::TooShort),
        ("z 4 4\n", 5, Reason::TooLong),
        ("z 4\nz 5\n", 6, Reason::AfterEnd),
        ("z 4\nd 1 0\n", 6, Reason::AfterEnd),
    ] {
        assert_eq!(with(last), Err(Refusal { line, reason }), "{last:?}");
    }
    for expected in [3, 5] {
        let refused = with(&format!("z {expected}\n"));
        let reason = Reason::LinesLost { expected, found: 4 };
        assert_eq!(refused, Err(Refusal { line: 5, reason }));
    }
}

#[test]
fn nesting_takes_no_stack() {
    let deep = 200_000;
    let walk = "B 1 0 2 7 2 1 ".repeat(deep) + "E 3 1 2 " + &". ".repeat(deep);
    // The inner walks end at 0 and not at 2.
    let reason = Reason::NotThere {
        expected: 2,
        found: 0,
    };
    refused(&of_three(&format!("t 1 -1 -2 -3 0 {walk}0")), 11, reason);
}

#[test]
fn lines_that_are_no_proof() {
    let no_proof = |text: &[u8]| {
        let refusal = bytes(text).unwrap_err();
        assert_eq!((refusal.line, refusal.reason), (1, Reason::NoProof));
    };
    no_proof(b"");
    no_proof(b"s sleave-proof 1");
    no_proof(b"s sleave-proof 2\ni 1 0\nq 0\nu 1\n");
    no_proof(b"i 1 0\nq 0\nu 1\n");
    let cut = bytes(b"s sleave-proof 1\ni 1 0\nq 0\nu 1").unwrap_err();
    assert_eq!((cut.line, cut.reason), (4, Reason::CutOff));
    refused("i 1 0\ns sleave-proof 1\nq 0\nu 1", 3, Reason::UnknownLine);
    refused("i 1 0\n\nq 0\nu 1", 3, Reason::TooShort);
    refused("i 1 1", 2, Reason::TooShort);
    refused("i 1 0 0", 2, Reason::TooLong);
    refused("i 1 0\nq 0\nu 1 2", 4, Reason::TooLong);
    refused("i 1 0\nq 0\nm 1", 4, Reason::TooLong);
    let text = check("i 1 1 x 0").unwrap_err().to_string();
    assert_eq!(text, "line 2: a literal or 0 should stand at column 7");
    for line in [
        "n -1",
        "n 4294967296",
        "i 0 1 0",
        "i -1 1 0",
        "i 1 01 0",
        "i 1 -2147483648 0",
        "w 0 1 1",
        "d -1 0",
        "a 2 1 0 -1 0",
    ] {
        let refusal = check(line).unwrap_err();
        assert!(
            matches!(refusal.reason, Reason::Malformed { .. }),
            "{line}: {refusal}"
        );
    }
}

#[test]
fn clauses() {
    refused("i 1 1 2 0\na 2 1 1 2 0 1 0", 3, Reason::LiteralTwice);
    refused("i 1 1 2 0\na 2 1 2 -1 0 1 0", 3, Reason::Tautology);
    refused(
        "n 0\nn 1\np 0 1\ne 1 1 0\nt 1 -1 -1 0 E 1 1 0 P 0 1 0",
        6,
        Reason::LiteralTwice,
    );
    refused(
        "n 0\nn 1\np 0 1\ne 1 1 0\nt 1 -1 1 0 E 1 1 0 P 0 1 0",
        6,
        Reason::Tautology,
    );
    refused("i 1 1 0\ni 1 2 0", 3, Reason::ClauseAgain(1));
    refused("i 1 1 0\nd 1 0\ni 1 2 0", 4, Reason::ClauseAgain(1));
    refused("i 1 1 0\nd 1 1 0", 3, Reason::NoClause(1));
    refused("d 7 0", 2, Reason::NoClause(7));
}

/// Clauses of a formula are as its maker wrote them.
#[test]
fn clauses_that_say_little() {
    assert!(check("i 1 -1 -1 -1 0\ni 2 1 1 0\nq 0\na 3 0 1 2 0\nu 3").is_ok());
    assert!(check("q 1 2 -1 0\na 1 1 -1 0 0\nu 1").is_ok());
    refused("q 1 2 0\na 1 1 -1 0 0\nu 1", 4, Reason::NotTheAnswer(1));
    refused("i 1 1 -1 0\na 2 1 0 1 0", 3, Reason::NoConflict);
    refused("i 1 1 -1 0\na 2 0 1 0", 3, Reason::NotUnit(1));
    refused("i 1 1 -1 2 0\na 2 1 2 0 1 0", 3, Reason::NoConflict);
}

#[test]
fn propagation_that_is_wrong() {
    for (line, reason) in [
        ("a 5 0 1 2 0", Reason::NotUnit(1)),
        ("a 5 2 0 0", Reason::NoConflict),
        ("a 5 2 0 1 0", Reason::NoConflict),
        ("a 5 2 0 1 3 0", Reason::NotUnit(3)),
        ("a 5 2 0 1 4 0", Reason::NoConflict),
        ("a 5 2 0 1 9 0", Reason::NoClause(9)),
        ("a 5 2 0 1 5 0", Reason::NoClause(5)),
        ("a 5 2 0 1 2 3 0", Reason::AfterConflict),
        ("a 4 2 0 1 2 0", Reason::ClauseAgain(4)),
        ("a 5 3 0 1 2 0", Reason::NotUnit(1)),
    ] {
        refused(&after_square(line), 6, reason);
    }
    let deleted = after_square("d 2 0\na 5 2 0 1 2 0");
    refused(&deleted, 7, Reason::NoClause(2));
}

#[test]
fn walks_that_are_wrong() {
    let gap = |expected, found| Reason::Gap { expected, found };
    let not_there = |expected, found| Reason::NotThere { expected, found };
    let not_fixed = |before, after| Reason::NotFixed { before, after };
    for (line, reason) in [
        ("t 1 0 0", Reason::EmptyWalk),
        ("t 1 0 . 0", Reason::Nesting),
        ("t 1 0 P 0 0 0", not_fixed(0, 0)),
        ("t 1 0 P 1 0 0", not_fixed(1, 0)),
        ("t 1 0 P 0 1 0", not_there(0, 1)),
        ("t 1 0 P 0 9 0", not_fixed(0, 9)),
        ("t 1 -3 0 E 3 1 2 P 0 1 0", gap(2, 0)),
        ("t 1 0 Q 0 1 0", Reason::UnknownStep),
        ("t 1 0 P 0 1", Reason::TooShort),
        // One literal of three is left out.
        (
            "t 1 -2 -3 0 B 1 0 2 7 2 1 E 3 1 2 . P 0 1 0",
            Reason::LeftOut(1),
        ),
        (
            "t 1 -1 -3 0 B 1 0 2 7 2 1 E 3 1 2 . P 0 1 0",
            Reason::LeftOut(1),
        ),
        (
            "t 1 -1 -2 0 B 1 0 2 7 2 1 E 3 1 2 . P 0 1 0",
            Reason::LeftOut(2),
        ),
        (
            "t 1 -1 -2 3 0 B 1 0 2 7 2 1 E 3 1 2 . P 0 1 0",
            Reason::LeftOut(2),
        ),
        // What no line says: another literal, event, atom.
        (
            "t 1 -1 -2 -3 0 B 2 0 2 7 2 1 E 3 1 2 . P 0 1 0",
            Reason::NoFact(1),
        ),
        (
            "t 1 -1 -2 -3 0 B 1 0 3 7 2 1 E 3 1 2 . P 0 1 0",
            Reason::NoFact(1),
        ),
        (
            "t 1 -1 -2 -3 0 B 1 0 2 8 2 1 E 3 1 2 . P 0 1 0",
            Reason::NoFact(1),
        ),
        (
            "t 1 -1 -2 -3 0 B 1 0 2 7 2 3 E 3 1 2 . P 0 1 0",
            Reason::NoFact(1),
        ),
        (
            "t 1 -1 -2 -3 0 B 1 0 2 7 2 1 E 3 2 1 . P 0 1 0",
            Reason::NoFact(2),
        ),
        (
            "t 1 -1 -2 -3 0 B 1 0 2 7 2 1 R 3 1 2 7 . P 0 1 0",
            Reason::NoFact(2),
        ),
        // Steps are left out, or nested steps are not ended.
        ("t 1 -1 -2 -3 0 B 1 0 2 7 2 1 . P 0 1 0", not_there(2, 1)),
        ("t 1 -1 -2 -3 0 B 1 0 2 7 2 1 E 3 1 2 . 0", not_there(1, 0)),
        ("t 1 -1 -2 -3 0 B 1 0 2 7 2 1 E 3 1 2 P 0 1 0", gap(2, 0)),
        ("t 1 -1 -2 -3 0 B 1 0 2 7 2 1 E 3 1 2 0", Reason::Nesting),
        (
            "t 1 -1 -2 -3 0 B 1 0 2 7 2 1 E 3 1 2 . . P 0 1 0",
            Reason::Nesting,
        ),
        (
            "t 1 -1 -2 -3 0 F 1 0 2 7 2 1 E 3 1 2 . E 3 1 2 0",
            gap(0, 1),
        ),
        // The other kind of step for the same walk.
        ("t 1 -1 -2 -3 0 F 1 0 2 7 2 1 E 3 1 2 . P 0 1 0", gap(0, 1)),
    ] {
        refused(&lemma(line), 11, reason);
    }
}

/// The write that is read from does not stand between itself and the read; nor does a reader that
/// writes.
#[test]
fn own_writes() {
    let updates = "n 0\nn 1\nr 1 0 1 7\nw 2 0 7\nw 3 1 7\n";
    let with = |lemma: &str| format!("{updates}{lemma}\nq 1 2 3 0\nu 1\n");
    for line in [
        "t 1 -1 -2 0 B 1 0 1 7 2 0 R 1 0 1 7 . 0",
        "t 1 -1 -3 0 F 1 0 1 7 3 1 R 1 0 1 7 . 0",
    ] {
        refused(&with(line), 7, Reason::OwnWrite);
    }
}

#[test]
fn a_lemma_uses_only_what_stands_before_it() {
    let facts = ["p 0 1", "e 1 1 0", "t 1 -1 0 E 1 1 0 P 0 1 0"];
    let proof = |order: [usize; 3]| {
        let lines: Vec<&str> = order.iter().map(|place| facts[*place]).collect();
        format!("n 0\nn 1\n{}\nq 1 0\nu 1\n", lines.join("\n"))
    };
    assert!(check(&proof([0, 1, 2])).is_ok());
    assert!(check(&proof([1, 0, 2])).is_ok());
    refused(&proof([0, 2, 1]), 5, Reason::NoFact(1));
    let not_fixed = Reason::NotFixed {
        before: 0,
        after: 1,
    };
    refused(&proof([1, 2, 0]), 5, not_fixed);
}

#[test]
fn events_and_their_order() {
    let cycle = |before, after| Reason::FixedCycle { before, after };
    refused("n 1\nn 1", 3, Reason::EventAgain(1));
    refused("n 1\np 1 1", 3, cycle(1, 1));
    refused("n 0\nn 1\nn 2\np 0 1\np 1 2\np 2 0", 7, cycle(2, 0));
    for line in [
        "p 1 2",
        "e 1 1 2",
        "e 1 2 1",
        "r 1 2 1 0",
        "r 1 1 2 0",
        "w 1 2 0",
    ] {
        refused(&format!("n 1\n{line}"), 3, Reason::NoEvent(2));
    }
}

#[test]
fn questions_and_answers() {
    refused("i 1 0", 3, Reason::NothingProved);
    refused("i 1 0\nu 1", 3, Reason::NoQuestion);
    refused("m", 2, Reason::NoQuestion);
    refused("x", 2, Reason::NoQuestion);
    refused("i 1 0\nq 0\nu 1\nu 1", 5, Reason::NoQuestion);
    refused("i 1 0\nq 0", 4, Reason::NoAnswer);
    refused("i 1 0\nq 0\nq 0\nu 1", 4, Reason::NoAnswer);
    refused("i 1 0\nq 0\nu 1\nq 0", 6, Reason::NoAnswer);
    refused("q 0\nm", 4, Reason::LastNotProved);
    refused("i 1 0\nq 0\nu 1\nq 0\nx", 7, Reason::LastNotProved);
    refused("q 0\ni 1 0\nu 1", 3, Reason::FormulaInQuestion);
    refused("q 0\nn 0\nm", 3, Reason::FormulaInQuestion);
    refused("q 0\nu 1", 3, Reason::NoClause(1));
    let with = |question: &str| check(&format!("i 1 -1 -2 0\n{question}\nu 1"));
    assert!(with("q 1 2 0").is_ok());
    assert!(with("q 2 3 1 2 0").is_ok());
    for question in ["q 0", "q 1 0", "q 1 3 0", "q -1 -2 0", "q 1 -2 0"] {
        let reason = Reason::NotTheAnswer(1);
        assert_eq!(with(question), Err(Refusal { line: 4, reason }));
    }
}
