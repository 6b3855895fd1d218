use oracle::*;

use crate::build::*;

#[test]
fn keeps_only_what_matters() {
    let noisy = Program {
        inputs: vec![InputDecl { low: 0, high: 3 }],
        ..program([
            vec![
                Stmt::Do(Op::Lock(M1)),
                Stmt::Repeat {
                    times: 3,
                    body: ops([add(G1, 5), write(G0, Expr::Input(InputId(0)))]),
                },
                Stmt::Do(Op::Unlock(M1)),
            ],
            ops([Op::SemPost(S0), read(L1, G1), assert(0, ne(L1, 5))]),
            ops([Op::SemWait(S0), write(G0, 3)]),
        ])
    };
    let fails = |p: &Program| {
        let found = behaviours(p, Semantics::default());
        !found.failing_assertions().is_empty()
    };
    assert!(fails(&noisy));
    let smallest = minimise(&noisy, fails);
    // An assertion that is false by itself.
    let expected = Program {
        threads: vec![Thread {
            body: ops([assert(0, 0.into())]),
            ..Thread::default()
        }],
        ..Program::default()
    };
    assert_eq!(smallest, expected);
}

#[test]
fn finds_the_lost_update() {
    // Wherever the two values are: declarations are dropped on the way.
    let lost_update = |p: &Program| {
        let ends = behaviours(p, Semantics::default()).final_values();
        (0..p.shared.len()).any(|shared| {
            let ends_with = |value| ends.iter().any(|values| values[shared] == value);
            ends_with(1) && ends_with(2)
        })
    };
    let thread = || {
        vec![
            Stmt::If {
                condition: eq(L0, 0),
                then: ops([Op::Lock(M0), Op::Unlock(M0), add(G1, 1)]),
                otherwise: vec![],
            },
            Stmt::Do(read(L1, G0)),
        ]
    };
    let smallest = minimise(&program([thread(), thread()]), lost_update);
    let increment = Thread {
        body: ops([add(G0, 1)]),
        ..Thread::default()
    };
    let expected = Program {
        shared: vec![Init::Const(0)],
        threads: vec![increment.clone(), increment],
        ..Program::default()
    };
    assert_eq!(smallest, expected);
}

/// On random programs: the result fails, is valid, and cannot be made smaller.
#[test]
fn is_minimal() {
    let config = Config::default();
    let deadlocks = |p: &Program| behaviours(p, Semantics::default()).deadlock;
    let programs = (0..).map(|seed| generate(&config, seed)).filter(deadlocks);
    for program in programs.take(10) {
        let smallest = minimise(&program, deadlocks);
        assert!(deadlocks(&smallest));
        assert_eq!(minimise(&smallest, deadlocks), smallest);
        // A thread blocked for ever takes one wait, or a lock that another thread keeps.
        let statements: usize = smallest.threads.iter().map(|t| t.body.len()).sum();
        assert!(statements <= 4, "{}", render(&smallest).source);
    }
}

/// Threads are numbered anew when one goes; who is not started by another any more starts with the
/// program.
#[test]
fn late_threads_become_early_ones() {
    let mut late = program([
        ops([write(G1, 1)]),
        ops([Op::Start(ThreadId(2)), Op::Join(ThreadId(2))]),
        ops([read(L0, G0), assert(0, ne(L0, 1))]),
        ops([Op::Join(ThreadId(0)), write(G0, 1)]),
    ]);
    late.has_main = true;
    let fails = |p: &Program| {
        let found = behaviours(p, Semantics::default());
        p.threads.len() > 1 && !found.finals.is_empty() && found.can_fail()
    };
    assert!(fails(&late));
    let smallest = minimise(&late, fails);
    assert_eq!(smallest.threads.len(), 2);
    let is_start = |stmt: &Stmt| matches!(stmt, Stmt::Do(Op::Start(_) | Op::Join(_)));
    assert!(!smallest.threads.iter().any(|t| t.body.iter().any(is_start)));
}
