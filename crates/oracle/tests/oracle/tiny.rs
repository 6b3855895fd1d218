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
        heap: Default::default(),
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

/// Part of the fifth global, which is a buffer.
fn part(first: usize, ty: Type) -> Place {
    Place::Part(Box::new(Part {
        buffer: GlobalId(4),
        first,
        index: 0.into(),
        count: 1,
        step: 1,
        ty,
    }))
}

fn kinds(program: &Program) -> Vec<Failure> {
    let found = failures(program, false, 100_000).expect("a small program");
    Vec::from_iter(found.failures)
}

#[test]
fn bytes_are_filled_and_copied_in_pieces() {
    let is = |place, value: i64| Expr::binary(Operator::Eq, Expr::load(place), value);
    let all = || Expr::AddressOf(part(0, Type::U8));
    let fill = |count: i64| Stmt::Fill(all(), 1.into(), count.into());
    let with = |thread: Vec<Stmt>, main: Vec<Stmt>| {
        let mut program = program(&[thread], main, true);
        program.globals.push(Shape::Buffer(16));
        program
    };
    // The first eight bytes are there before the others, and at once.
    let [first, rest] = [0, 8].map(|at| part(at, Type::U8));
    let looks = |a: Place, b: Place| {
        let [seen, other] = [VarId(0), VarId(1)];
        vec![
            Stmt::Set(seen, Expr::load(a)),
            Stmt::Set(other, Expr::load(b)),
            Stmt::Assert(Expr::from(seen).negate().or(other.into())),
        ]
    };
    let fills = || vec![fill(16)];
    assert_eq!(
        kinds(&with(fills(), looks(rest.clone(), first.clone()))),
        []
    );
    assert_eq!(
        kinds(&with(fills(), looks(first, rest))),
        [Failure::Assertion]
    );
    assert_eq!(
        kinds(&with(fills(), looks(part(0, Type::U8), part(7, Type::U8)))),
        []
    );
    assert_eq!(kinds(&with(vec![fill(17)], vec![])), [Failure::Memory]);
    // Copied upwards, what was written is not read.
    let up = Stmt::Move(Expr::AddressOf(part(1, Type::U8)), all(), 3.into());
    let main = vec![
        Stmt::store(part(0, Type::U32), 0x0403_0201),
        up,
        Stmt::Assert(is(part(0, Type::U32), 0x0302_0101)),
    ];
    assert_eq!(kinds(&with(vec![], main)), []);
}

#[test]
fn an_assumption_ends_an_atomic_section_after_what_fails_in_it() {
    let thread = vec![Stmt::store(A, 1), Stmt::store(A, 0)];
    let section = |first: Stmt, then: Stmt| {
        let main = vec![Stmt::Atomic(vec![first, then])];
        kinds(&program(std::slice::from_ref(&thread), main, true))
    };
    let is_clear = || Expr::load(A).negate();
    let (fails, assumes) = (Stmt::Assert(is_clear()), Stmt::Assume(is_clear()));
    assert_eq!(
        section(fails.clone(), assumes.clone()),
        [Failure::Assertion]
    );
    assert_eq!(section(assumes, fails), []);
}

#[test]
fn what_a_thread_has_for_itself_ends_with_it() {
    let own = Place::Global(GlobalId(5));
    let shared = Place::Global(GlobalId(4));
    let pointer = VarId(2);
    let there = Expr::load(Place::Deref(Box::new(pointer.into())));
    let shows = vec![
        Stmt::store(shared.clone(), Expr::AddressOf(own)),
        wait_for(atomic(A)),
    ];
    let looks = |first: Stmt| {
        let main = vec![
            Stmt::Set(pointer, Expr::load(shared.clone())),
            first,
            Stmt::If(
                pointer.into(),
                vec![Stmt::Set(VarId(0), there.clone())],
                vec![],
            ),
            set(A, 1),
        ];
        let mut program = program(std::slice::from_ref(&shows), main, true);
        program
            .globals
            .extend([Shape::PointerTo(None), Shape::ThreadLocal]);
        kinds(&program)
    };
    assert_eq!(looks(Stmt::call(Call::Yield)), []);
    assert_eq!(looks(set(A, 1)), [Failure::Memory]);
}

#[test]
fn locks_end_while_others_use_them() {
    let lock = || Stmt::call(Call::Lock(Patience::Forever, M));
    let unlock = || Stmt::call(Call::Unlock(M));
    let on_heap = |threads: &[Vec<Stmt>], main: Vec<Stmt>| {
        let mut program = program(threads, main, true);
        program.heap.insert(GlobalId(2));
        kinds(&program)
    };
    let free = || Stmt::call(Call::Free(Expr::AddressOf(M)));
    assert_eq!(
        on_heap(&[vec![lock(), unlock()]], vec![free()]),
        [Failure::Memory]
    );
    // Who has begun to wait for one that is held goes on waiting.
    let holds = vec![lock(), set(A, 1), wait_for(atomic(B))];
    let waits = || vec![wait_for(atomic(A)), lock()];
    let ends = vec![wait_for(atomic(A)), free(), set(B, 1)];
    let both = [Failure::Memory, Failure::Stuck];
    assert_eq!(on_heap(&[holds.clone(), waits()], ends), both);
    let destroys = || vec![Stmt::call(Call::Destroy(M))];
    let misuse = [Failure::LockMisuse];
    assert_eq!(
        kinds(&program(&[destroys()], vec![lock(), unlock()], true)),
        misuse
    );
    assert_eq!(kinds(&program(&[vec![lock(), unlock()]], vec![], true)), []);
    // Its word is 0 as long as nobody holds it, and a store gives it back.
    let word = || Place::MutexWord(Box::new(M));
    let held = vec![Stmt::Assert(Expr::load(word()).negate())];
    assert_eq!(
        kinds(&program(&[vec![lock(), unlock()]], held, true)),
        [Failure::Assertion]
    );
    let released = vec![lock(), Stmt::store(word(), 0)];
    assert_eq!(
        kinds(&program(&[vec![lock(), unlock()]], released, true)),
        []
    );
}

#[test]
fn whoever_was_let_go_leaves_a_barrier_that_is_destroyed() {
    let barrier = Place::Global(GlobalId(4));
    let wait = || Stmt::call(Call::BarrierWait(barrier.clone()));
    let ends = |end: Call| {
        let mut program = program(&[vec![wait()]], vec![wait(), Stmt::call(end)], true);
        program.globals.push(Shape::Barrier(2));
        program.heap.insert(GlobalId(4));
        kinds(&program)
    };
    assert_eq!(ends(Call::Destroy(barrier.clone())), []);
    let free = Call::Free(Expr::AddressOf(barrier.clone()));
    assert_eq!(ends(free), [Failure::Memory]);
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
