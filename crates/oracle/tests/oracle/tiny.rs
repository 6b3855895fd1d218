//! The reference of the tiny C, on programs with known answers.

use oracle::ThreadId;
use oracle::tiny::*;

const A: Place = Place::Global(GlobalId(0));
const B: Place = Place::Global(GlobalId(1));
const M: Place = Place::Global(GlobalId(2));
const N: Place = Place::Global(GlobalId(3));

/// `main` creates the threads, does its part, and joins them if told. There are two ints, 0 at
/// first, and two mutexes.
fn program(threads: &[Vec<Stmt>], main: Vec<Stmt>, joins: bool) -> Program {
    let function = |body: Vec<Stmt>| Function {
        parameters: 0,
        variables: vec![Kind::Number, Kind::Number, Kind::ToInt, Kind::ToNode],
        body,
    };
    let ids = || (1..=threads.len()).map(ThreadId);
    let mut all: Vec<Stmt> = ids().map(|id| Stmt::call(Call::Create(id))).collect();
    all.extend(main);
    all.extend(ids().filter(|_| joins).map(|id| Stmt::call(Call::Join(id))));
    let bodies = std::iter::once(all).chain(threads.to_vec());
    Program {
        globals: vec![
            Shape::Scalar(Type::I32, 0),
            Shape::Scalar(Type::I32, 0),
            Shape::Mutex(Mutex::Normal),
            Shape::Mutex(Mutex::Normal),
        ],
        inputs: vec![],
        functions: vec![],
        threads: bodies.map(function).collect(),
    }
}

#[track_caller]
fn expect(program: &Program, wanted: &[Failure]) {
    let found = failures(program, true, 100_000).expect("a small program");
    assert_eq!(Vec::from_iter(found.failures), wanted);
}

fn wait_for(condition: Expr) -> Stmt {
    Stmt::While(condition.negate(), vec![])
}

fn atomic(place: Place) -> Expr {
    Expr::Load(Access::Atomic, place)
}

fn set(place: Place, value: i64) -> Stmt {
    Stmt::Store(Access::Atomic, place, value.into())
}

#[test]
fn flags_are_not_read_at_one_moment() {
    let waits = vec![wait_for(atomic(A).and(atomic(B))), Stmt::Assert(0.into())];
    let mut torn = program(&[waits], vec![set(A, 0), set(B, 1)], false);
    torn.globals[0] = Shape::Scalar(Type::I32, 1);
    expect(&torn, &[Failure::Assertion]);
}

#[test]
fn who_waits_for_nobody_is_stuck() {
    let waits = vec![wait_for(atomic(A))];
    expect(
        &program(std::slice::from_ref(&waits), vec![], true),
        &[Failure::Stuck],
    );
    expect(&program(std::slice::from_ref(&waits), vec![], false), &[]);
    expect(&program(&[waits], vec![set(A, 1)], true), &[]);
}

#[test]
fn threads_that_only_wake_each_other_are_stuck() {
    let other = |mine: Place, its: Place| {
        let round = vec![set(mine.clone(), 1), set(mine, 0)];
        vec![Stmt::While(
            Expr::binary(Operator::Ne, atomic(its), 2),
            round,
        )]
    };
    let both = program(&[other(A, B), other(B, A)], vec![], true);
    let found = failures(&both, false, 100_000).expect("a small program");
    assert_eq!(Vec::from_iter(found.failures), [Failure::Stuck]);
    assert!(found.livelock);
}

#[test]
fn who_may_get_out_is_not_stuck() {
    let lock = |mutex| Call::Lock(Patience::Forever, mutex);
    let both = |first: Place, second: Place| {
        let tried = Expr::call(Call::Lock(Patience::Now, second.clone()));
        let round = vec![
            Stmt::call(lock(first.clone())),
            Stmt::break_if(tried.negate()),
            Stmt::call(Call::Unlock(first.clone())),
        ];
        vec![
            Stmt::forever(round),
            Stmt::call(Call::Unlock(first)),
            Stmt::call(Call::Unlock(second)),
        ]
    };
    expect(&program(&[both(M, N), both(N, M)], vec![], true), &[]);
    let nested =
        |first: Place, second: Place| vec![Stmt::call(lock(first)), Stmt::call(lock(second))];
    let halts = program(&[nested(M, N), nested(N, M)], vec![], true);
    let found = failures(&halts, false, 100_000).expect("a small program");
    assert_eq!(Vec::from_iter(found.failures), [Failure::Stuck]);
    assert!(!found.livelock);
}

#[test]
fn test_and_set_keeps_others_out() {
    let one = || Box::new(Expr::Const(1));
    let section = |gives_back: bool| {
        let sum = Expr::binary(Operator::Add, Expr::load(B), 1);
        let mut block = vec![
            Stmt::While(Expr::Update(Update::Exchange, A, one()), vec![]),
            Stmt::store(B, sum),
        ];
        block.extend(gives_back.then(|| set(A, 0)));
        block
    };
    let counted = |threads: &[Vec<Stmt>]| {
        let mut program = program(threads, vec![], true);
        let two = Expr::binary(Operator::Eq, Expr::load(B), 2);
        program.threads[0].body.push(Stmt::Assert(two));
        program
    };
    expect(&counted(&[section(true), section(true)]), &[]);
    expect(
        &counted(&[section(true), section(false)]),
        &[Failure::Stuck],
    );
}

#[test]
fn a_mutex_is_copied_as_it_is() {
    let mutex = |global| Place::Member(GlobalId(global), Member::AccountMutex);
    let lock = |mutex| Stmt::call(Call::Lock(Patience::Forever, mutex));
    let thread = vec![lock(mutex(4)), Stmt::call(Call::Unlock(mutex(4)))];
    let main = vec![
        Stmt::Copy(CopyBy::Assignment, GlobalId(5), GlobalId(4)),
        lock(mutex(5)),
    ];
    let mut copies = program(&[thread], main, true);
    copies.globals.extend([Shape::Account, Shape::Account]);
    let found = failures(&copies, false, 100_000).expect("a small program");
    assert_eq!(Vec::from_iter(found.failures), [Failure::Stuck]);
}

#[test]
fn what_is_freed_is_gone() {
    let node = VarId(3);
    let shared = Place::Global(GlobalId(4));
    let value = || Expr::load(Place::Arrow(Box::new(node.into()), Member::NodeV));
    let uses = vec![
        Stmt::Set(node, Expr::load(shared.clone())),
        Stmt::If(node.into(), vec![Stmt::Set(VarId(0), value())], vec![]),
    ];
    let main = |joins_first: bool| {
        let mut block = vec![
            Stmt::Set(node, Expr::call(Call::Allocate)),
            Stmt::store(shared.clone(), node),
        ];
        block.extend(joins_first.then(|| Stmt::call(Call::Join(ThreadId(1)))));
        block.push(Stmt::call(Call::Free(node.into())));
        block
    };
    for (joins_first, wanted) in [(true, &[][..]), (false, &[Failure::Memory])] {
        let mut program = program(std::slice::from_ref(&uses), main(joins_first), false);
        program.globals.push(Shape::ToNode);
        let found = failures(&program, false, 100_000).expect("a small program");
        assert_eq!(Vec::from_iter(found.failures), wanted);
    }
    let twice = vec![
        Stmt::Set(node, Expr::call(Call::Allocate)),
        Stmt::call(Call::Free(node.into())),
        Stmt::call(Call::Free(node.into())),
    ];
    expect(&program(&[], twice, false), &[Failure::Memory]);
}

#[test]
fn what_is_not_ordered_races() {
    let message = |flag: Access| {
        let reader = vec![
            wait_for(Expr::Load(flag, A)),
            Stmt::Set(VarId(0), Expr::load(B)),
        ];
        let main = vec![Stmt::store(B, 1), Stmt::Store(Access::Atomic, A, 1.into())];
        program(&[reader], main, true)
    };
    expect(&message(Access::Atomic), &[]);
    expect(&message(Access::Relaxed), &[Failure::Race]);
    expect(&message(Access::Plain), &[Failure::Race]);
    // A trial that fails orders nothing.
    let tries = vec![Stmt::If(
        Expr::call(Call::Lock(Patience::Now, M)),
        vec![Stmt::store(A, 2)],
        vec![Stmt::call(Call::Unlock(M))],
    )];
    let main = vec![
        Stmt::store(A, 1),
        Stmt::call(Call::Lock(Patience::Forever, M)),
    ];
    expect(&program(&[tries], main, true), &[Failure::Race]);
}

/// Of every family, some programs fail and some do not.
#[test]
fn families_have_both() {
    for (name, config) in FAMILIES {
        let config = config();
        let fails = |seed: &u64| !generate(&config, *seed).1.failures.is_empty();
        let failing = (0..60).filter(fails).count();
        println!("{name}: {failing} of 60 fail");
        assert!((6..=54).contains(&failing), "{name}: {failing} of 60");
    }
}
