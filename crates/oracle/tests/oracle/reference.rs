//! What small programs can do, known from theory or by hand.

use std::collections::BTreeSet;

use oracle::*;

use crate::build::*;

fn run(program: &Program) -> Behaviours {
    behaviours(program, Semantics::default())
}

/// The final values of one observable.
fn finals_of(program: &Program, name: &str) -> Vec<i64> {
    let names = program.observables();
    let column = names.iter().position(|o| o.to_string() == name);
    let column = column.expect("an observable of the program");
    let found = run(program);
    let values: BTreeSet<i64> = found.finals.iter().map(|end| end.values[column]).collect();
    values.into_iter().collect()
}

fn failures(program: &Program) -> Vec<Failure> {
    run(program).failures.into_iter().collect()
}

#[test]
fn lost_update() {
    let increment = || ops([add(G0, 1)]);
    let program = program([increment(), increment()]);
    assert_eq!(finals_of(&program, "g0"), [1, 2]);
    assert!(!run(&program).deadlock);
}

/// Two threads that add 1 three times each end with anything from 2 to 6: the well known puzzle.
#[test]
fn increments_in_loops() {
    let thread = || {
        vec![Stmt::Repeat {
            times: 3,
            body: ops([add(G0, 1)]),
        }]
    };
    assert_eq!(
        finals_of(&program([thread(), thread()]), "g0"),
        [2, 3, 4, 5, 6]
    );
}

#[test]
fn the_last_writer_wins() {
    let program = program([1, 2, 3, 4].map(|value| ops([write(G0, value)])));
    assert_eq!(finals_of(&program, "g0"), [1, 2, 3, 4]);
}

/// Store buffering: under sequential consistency one thread at least sees the other's write.
#[test]
fn store_buffering() {
    let program = program([
        ops([write(G0, 1), read(L0, G1)]),
        ops([write(G1, 1), read(L0, G0)]),
    ]);
    let ends = run(&program).final_values();
    let seen: BTreeSet<_> = ends.iter().map(|values| (values[2], values[4])).collect();
    assert_eq!(seen, BTreeSet::from([(0, 1), (1, 0), (1, 1)]));
}

#[test]
fn a_lock_protects() {
    let thread = || ops([Op::Lock(M0), add(G0, 1), Op::Unlock(M0)]);
    let program = program([thread(), thread(), thread()]);
    assert_eq!(finals_of(&program, "g0"), [3]);
    assert_eq!(failures(&program), []);
    assert!(!run(&program).deadlock);
}

#[test]
fn two_different_locks_do_not() {
    let thread = |mutex| ops([Op::Lock(mutex), add(G0, 1), Op::Unlock(mutex)]);
    assert_eq!(finals_of(&program([thread(M0), thread(M1)]), "g0"), [1, 2]);
}

#[test]
fn opposite_orders_deadlock() {
    let thread = |first, second| {
        ops([
            Op::Lock(first),
            Op::Lock(second),
            add(G0, 1),
            Op::Unlock(first),
            Op::Unlock(second),
        ])
    };
    let opposite = program([thread(M0, M1), thread(M1, M0)]);
    assert!(run(&opposite).deadlock);
    assert_eq!(finals_of(&opposite, "g0"), [2]);
    assert!(!run(&program([thread(M0, M1), thread(M0, M1)])).deadlock);
}

#[test]
fn a_kept_lock_blocks_the_others() {
    let program = program([ops([Op::Lock(M0)]), ops([Op::Lock(M0), Op::Unlock(M0)])]);
    assert!(run(&program).deadlock);
    assert_eq!(run(&program).finals.len(), 1);
}

#[test]
fn misuse_of_locks() {
    let misuse = [Failure::LockMisuse];
    assert_eq!(failures(&program([ops([Op::Unlock(M0)])])), misuse);
    let twice = ops([Op::Lock(M0), Op::Lock(M0)]);
    assert_eq!(failures(&program([twice])), misuse);
    let foreign = [ops([Op::Lock(M0)]), ops([Op::Unlock(M0)])];
    assert_eq!(failures(&program(foreign)), misuse);
    let wait = ops([Op::Wait(C0, M0)]);
    assert_eq!(failures(&program([wait])), misuse);
}

#[test]
fn try_lock_may_fail() {
    let keeper = ops([Op::Lock(M0), Op::Unlock(M0)]);
    let program = program([keeper, ops([Op::TryLock(L0, M0)])]);
    assert_eq!(finals_of(&program, "t1_l0"), [0, 1]);
}

#[test]
fn semaphores_order() {
    let program = program([
        ops([write(G0, 1), Op::SemPost(S0)]),
        ops([Op::SemWait(S0), read(L0, G0)]),
    ]);
    assert_eq!(finals_of(&program, "t1_l0"), [1]);
    assert!(!run(&program).deadlock);
}

#[test]
fn a_semaphore_counts() {
    let mut program = program([0, 1, 2].map(|_| ops([Op::SemWait(S0), add(G0, 1)])));
    program.semaphores = vec![2];
    assert!(run(&program).deadlock);
    assert!(run(&program).finals.is_empty());
    program.semaphores = vec![3];
    assert!(!run(&program).deadlock);
    assert_eq!(finals_of(&program, "g0"), [1, 2, 3]);
}

#[test]
fn sem_trywait_does_not_block() {
    let program = program([ops([Op::SemPost(S0)]), ops([Op::SemTryWait(L0, S0)])]);
    assert_eq!(finals_of(&program, "t1_l0"), [0, 1]);
    assert!(!run(&program).deadlock);
}

#[test]
fn fetch_add_loses_nothing() {
    let thread = || ops([Op::FetchAdd(L0, G0, 1.into())]);
    let program = program([thread(), thread()]);
    assert_eq!(finals_of(&program, "g0"), [2]);
    let ends = run(&program).final_values();
    let tickets: BTreeSet<_> = ends.iter().map(|values| (values[2], values[4])).collect();
    assert_eq!(tickets, BTreeSet::from([(0, 1), (1, 0)]));
}

#[test]
fn one_compare_exchange_succeeds() {
    let thread = |value: i32| {
        ops([Op::CompareExchange {
            success: L0,
            place: G0,
            expected: L1,
            desired: value.into(),
        }])
    };
    let ends = run(&program([thread(5), thread(7)])).final_values();
    // g0, g1, then success and found value of either thread.
    let expected = [vec![5, 0, 1, 0, 0, 5], vec![7, 0, 0, 7, 1, 0]];
    assert_eq!(ends, BTreeSet::from(expected));
}

#[test]
fn exchange_is_indivisible() {
    let thread = |value: i32| ops([Op::Exchange(L0, G0, value.into())]);
    let ends = run(&program([thread(1), thread(2)])).final_values();
    let expected = [vec![2, 0, 0, 0, 1, 0], vec![1, 0, 2, 0, 0, 0]];
    assert_eq!(ends, BTreeSet::from(expected));
}

#[test]
fn atomic_sections_are_indivisible() {
    let thread = || vec![Stmt::Atomic(ops([add(G0, 1), add(G0, 1)]))];
    let reader = ops([read(L0, G0)]);
    let program = program([thread(), thread(), reader]);
    assert_eq!(finals_of(&program, "g0"), [4]);
    assert_eq!(finals_of(&program, "t2_l0"), [0, 2, 4]);
}

/// A section whose assumption is false does not happen: its write is not seen either.
#[test]
fn assume_in_a_section_blocks_before_it() {
    let section = ops([read(L0, G0), write(G1, 1), Op::Assume(eq(L0, 1))]);
    let program = program([
        vec![Stmt::Atomic(section)],
        ops([read(L0, G1), write(G0, 1), assert(0, eq(L0, 0))]),
    ]);
    assert_eq!(failures(&program), []);
    assert_eq!(finals_of(&program, "t1_l0"), [0]);
    assert!(!run(&program).deadlock);
}

/// The first thread always ends in a false assumption, but not before the second has read its
/// write.
#[test]
fn assume_hides_nothing() {
    let program = program([
        ops([write(G0, 1), Op::Assume(0.into())]),
        ops([read(L0, G0), assert(0, eq(L0, 0))]),
    ]);
    assert_eq!(failures(&program), [Failure::Assertion(AssertId(0))]);
    assert!(run(&program).finals.is_empty());
    assert!(!run(&program).deadlock);
}

#[test]
fn a_failing_run_has_no_final_state() {
    let program = program([
        ops([write(G0, 1)]),
        ops([read(L0, G0), assert(4, eq(L0, 0))]),
    ]);
    assert_eq!(failures(&program), [Failure::Assertion(AssertId(4))]);
    assert_eq!(finals_of(&program, "t1_l0"), [0]);
}

#[test]
fn every_input_is_tried() {
    let input = Expr::Input(InputId(0));
    let mut program = program([ops([write(G0, input.clone()), assert(0, ne(input, 2))])]);
    program.inputs = vec![InputDecl { low: -1, high: 2 }];
    program.shared[1] = Init::Input(InputId(0));
    let found = run(&program);
    let ends: Vec<_> = found.finals.iter().map(|end| end.show(&program)).collect();
    let end = |v| format!("in0={v} | g0={v} g1={v} t0_l0=0 t0_l1=0");
    assert_eq!(ends, [end(-1), end(0), end(1)]);
    assert_eq!(found.failing_assertions(), BTreeSet::from([AssertId(0)]));
}

#[test]
fn indices_wrap_or_fail() {
    let element = |index| Place::Element(ArrayId(0), index);
    let mut program = program([ops([
        write(element(Index::Wrapped(5.into())), 7),
        write(element(Index::Wrapped((-1).into())), 8),
    ])]);
    program.arrays = vec![vec![0, 0, 0]];
    // 5 is 2 and 2^32 - 1 is 0 modulo 3.
    assert_eq!(finals_of(&program, "a0[2]"), [7]);
    assert_eq!(finals_of(&program, "a0[0]"), [8]);
    assert_eq!(failures(&program), []);
    for index in [-1, 3] {
        program.threads[0].body = ops([write(element(Index::Raw(index.into())), 1)]);
        assert_eq!(failures(&program), [Failure::OutOfBounds]);
    }
}

#[test]
fn arithmetic_wraps() {
    let sum = Expr::binary(BinaryOp::Add, i32::MAX.into(), 1.into());
    let product = Expr::binary(BinaryOp::Mul, i32::MIN.into(), (-1).into());
    let program = program([ops([write(G0, sum), write(G1, product)])]);
    assert_eq!(finals_of(&program, "g0"), [i64::from(i32::MIN)]);
    assert_eq!(finals_of(&program, "g1"), [i64::from(i32::MIN)]);
}

fn waiter() -> Vec<Stmt> {
    ops([Op::Lock(M0), Op::Wait(C0, M0), read(L0, G0), Op::Unlock(M0)])
}

#[test]
fn a_signal_that_comes_too_early_is_lost() {
    let signaller = ops([write(G0, 1), Op::Signal(C0)]);
    let program = program([waiter(), signaller]);
    let strict = behaviours(
        &program,
        Semantics {
            spurious_wakeups: false,
        },
    );
    assert!(strict.deadlock);
    assert_eq!(
        strict.final_values(),
        BTreeSet::from([vec![1, 0, 1, 0, 0, 0]])
    );
    // Woken for no reason the waiter may read the old value.
    assert_eq!(finals_of(&program, "t0_l0"), [0, 1]);
    assert!(run(&program).deadlock);
}

#[test]
fn a_signal_wakes_one_and_a_broadcast_all() {
    let strict = Semantics {
        spurious_wakeups: false,
    };
    let waiter = || {
        ops([
            Op::Lock(M0),
            Op::SemPost(S0),
            Op::Wait(C0, M0),
            Op::Unlock(M0),
        ])
    };
    // Waits until both hold or have held the mutex, then for the mutex: both are waiting.
    let waker = |op| {
        ops([
            Op::SemWait(S0),
            Op::SemWait(S0),
            Op::Lock(M0),
            Op::Unlock(M0),
            op,
        ])
    };
    let signal = program([waiter(), waiter(), waker(Op::Signal(C0))]);
    assert!(behaviours(&signal, strict).finals.is_empty());
    assert!(behaviours(&signal, strict).deadlock);
    let broadcast = program([waiter(), waiter(), waker(Op::Broadcast(C0))]);
    assert_eq!(behaviours(&broadcast, strict).finals.len(), 1);
    assert!(!behaviours(&broadcast, strict).deadlock);
}

/// Nobody ever signals: this is a deadlock although a spurious wake-up may help, and then there is
/// an end too.
#[test]
fn a_wait_for_nothing_is_a_deadlock() {
    let program = program([waiter()]);
    assert!(run(&program).deadlock);
    assert_eq!(run(&program).finals.len(), 1);
    let strict = Semantics {
        spurious_wakeups: false,
    };
    assert!(behaviours(&program, strict).deadlock);
    assert!(behaviours(&program, strict).finals.is_empty());
}

#[test]
fn differences_are_told() {
    let program = program([ops([add(G0, 1)]), ops([add(G0, 1)])]);
    let expected = run(&program);
    assert_eq!(difference(&expected, &expected), None);
    let mut found = expected.clone();
    let lost = found.finals.pop_first().expect("two final states");
    let told = difference(&expected, &found).expect("one is missing");
    assert_eq!(told, Difference::MissingFinal(lost));
    assert_eq!(
        told.describe(&program),
        "final state not found: g0=1 g1=0 t0_l0=0 t0_l1=0 t1_l0=0 t1_l1=0"
    );
    assert!(matches!(
        difference(&found, &expected),
        Some(Difference::ImpossibleFinal(_))
    ));
    let deadlock = Behaviours {
        deadlock: true,
        ..expected.clone()
    };
    assert_eq!(
        difference(&deadlock, &expected),
        Some(Difference::MissedDeadlock)
    );
    let failing = |ids: &[usize]| Behaviours {
        failures: ids
            .iter()
            .map(|id| Failure::Assertion(AssertId(*id)))
            .collect(),
        ..expected.clone()
    };
    assert_eq!(difference(&failing(&[1, 2]), &failing(&[2])), None);
    assert!(matches!(
        difference(&failing(&[1, 2]), &failing(&[])),
        Some(Difference::MissedFailures(_))
    ));
    assert_eq!(
        difference(&failing(&[1]), &failing(&[1, 3])),
        Some(Difference::ImpossibleFailure(Failure::Assertion(AssertId(
            3
        ))))
    );
}

/// What comes before a start is seen, what comes after a join sees.
#[test]
fn a_thread_runs_between_its_start_and_its_join() {
    let child = ThreadId(1);
    let program = program([
        ops([
            write(G0, 1),
            Op::Start(child),
            write(G0, 2),
            Op::Join(child),
            read(L0, G1),
        ]),
        ops([read(L0, G0), write(G1, 3)]),
    ]);
    assert_eq!(finals_of(&program, "t1_l0"), [1, 2]);
    assert_eq!(finals_of(&program, "t0_l0"), [3]);
    assert!(!run(&program).deadlock);
}

/// Who is joined has joined those that it started.
#[test]
fn a_join_waits_for_grandchildren() {
    let program = program([
        ops([Op::Start(ThreadId(1)), Op::Join(ThreadId(1)), read(L0, G0)]),
        ops([Op::Start(ThreadId(2))]),
        ops([write(G0, 1)]),
    ]);
    assert_eq!(finals_of(&program, "t0_l0"), [1]);
}

#[test]
fn main_looks_at_what_others_did_when_it_has_joined_them() {
    let main = |joins: Vec<Stmt>| [joins, ops([read(L0, G0)])].concat();
    let with = |joins| {
        let mut program = program([ops([write(G0, 1)]), main(joins)]);
        program.has_main = true;
        program
    };
    let joins = ops([Op::Join(ThreadId(0))]);
    assert_eq!(finals_of(&with(vec![]), "t1_l0"), [0, 1]);
    assert_eq!(finals_of(&with(joins), "t1_l0"), [1]);
}

#[test]
fn joining_a_thread_that_is_stuck_is_a_deadlock() {
    let program = program([
        ops([Op::Start(ThreadId(1)), Op::Join(ThreadId(1)), write(G0, 1)]),
        ops([Op::SemWait(S0)]),
    ]);
    assert!(run(&program).deadlock);
    assert!(run(&program).finals.is_empty());
}

#[test]
fn a_loop_is_left_early() {
    let leave = |at_first: bool| {
        let count = Stmt::Do(Op::FetchAdd(L0, G0, 1.into()));
        let leave = Stmt::BreakIf(eq(L0, 1));
        let body = if at_first {
            vec![leave, count]
        } else {
            vec![count, leave]
        };
        program([vec![Stmt::Repeat { times: 5, body }]])
    };
    assert_eq!(finals_of(&leave(true), "g0"), [2]);
    assert_eq!(finals_of(&leave(false), "g0"), [2]);
}

/// There are ten schedules of two writes and of two reads with an assertion, for each of two
/// inputs. For one of these three fail.
#[test]
fn the_share_of_schedules_that_fail() {
    let program = program([
        ops([write(G0, 1), write(G1, 1)]),
        ops([read(L0, G0), read(L1, G1)]),
    ]);
    let holds = FailingShare {
        runs: 0.0,
        inputs: 0.0,
    };
    assert_eq!(failing_share(&program, Semantics::default()), holds);
    let sum = Expr::binary(BinaryOp::Add, L0.into(), L1.into());
    let mut failing = program.clone();
    failing.inputs = vec![InputDecl { low: 0, high: 1 }];
    let either = Expr::binary(BinaryOp::Or, ne(sum, 1), InputId(0).into());
    failing.threads[1].body.push(Stmt::Do(assert(0, either)));
    let share = failing_share(&failing, Semantics::default());
    assert_eq!(share.inputs, 0.5);
    assert_eq!(share.runs, 3.0 / 20.0);
}
