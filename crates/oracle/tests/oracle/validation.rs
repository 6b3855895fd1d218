use oracle::*;

use crate::build::*;

#[test]
fn ill_formed_programs_are_refused() {
    let refused = |change: &dyn Fn(&mut Program)| {
        let mut program = program([ops([add(G0, 1)])]);
        assert_eq!(program.validate(), Ok(()));
        change(&mut program);
        program.validate()
    };
    let body = |stmts: Vec<Stmt>| move |p: &mut Program| p.threads[0].body = stmts.clone();

    let undeclared = Err(Invalid::Undeclared);
    let missing_local = body(ops([read(LocalId(2), G0)]));
    assert_eq!(refused(&missing_local), undeclared);
    assert_eq!(refused(&body(ops([Op::Lock(MutexId(2))]))), undeclared);
    assert_eq!(refused(&|p| p.shared.clear()), undeclared);
    let missing_input = |p: &mut Program| p.shared[0] = Init::Input(InputId(0));
    assert_eq!(refused(&missing_input), undeclared);

    let section = Err(Invalid::AtomicSection);
    let lock = vec![Stmt::Atomic(ops([Op::Lock(M0)]))];
    assert_eq!(refused(&body(lock)), section);
    let nested = vec![Stmt::Atomic(vec![Stmt::Atomic(vec![])])];
    assert_eq!(refused(&body(nested)), section);

    let twice = ops([assert(0, 1.into()), assert(0, 1.into())]);
    assert_eq!(refused(&body(twice)), Err(Invalid::DuplicateAssertion));
    assert_eq!(
        refused(&|p| p.arrays.push(vec![])),
        Err(Invalid::EmptyArray)
    );
    let empty = InputDecl { low: 1, high: 0 };
    assert_eq!(refused(&|p| p.inputs.push(empty)), Err(Invalid::Input));
    let outside = body(vec![Stmt::BreakIf(1.into())]);
    assert_eq!(refused(&outside), Err(Invalid::Break));
    let section = vec![Stmt::Atomic(vec![Stmt::BreakIf(1.into())])];
    let out_of_a_section = body(vec![Stmt::Repeat {
        times: 2,
        body: section,
    }]);
    assert_eq!(refused(&out_of_a_section), Err(Invalid::Break));
    let wide = InputDecl { low: 0, high: 128 };
    assert_eq!(refused(&|p| p.inputs.push(wide)), Err(Invalid::Input));
}

#[test]
fn threads_are_started_once_and_joined_by_their_creators() {
    let start = |thread| Op::Start(ThreadId(thread));
    let join = |thread| Op::Join(ThreadId(thread));
    let valid = |has_main, threads: [Vec<Stmt>; 3]| {
        let mut program = program(threads);
        program.has_main = has_main;
        program.validate() == Ok(())
    };
    let none = Vec::new;
    assert!(valid(
        false,
        [ops([start(1), join(1)]), ops([start(2)]), none()]
    ));
    assert!(valid(
        true,
        [none(), none(), ops([join(0), start(1), join(1)])]
    ));
    // Before itself, by a later one, twice, `main`, in another statement.
    assert!(!valid(false, [ops([start(0)]), none(), none()]));
    assert!(!valid(false, [none(), ops([start(0)]), none()]));
    assert!(!valid(false, [ops([start(2)]), ops([start(2)]), none()]));
    assert!(!valid(true, [ops([start(2)]), none(), none()]));
    let nested = vec![Stmt::Repeat {
        times: 1,
        body: ops([start(1)]),
    }];
    assert!(!valid(false, [nested, none(), none()]));
    // Before it is started, twice, by whom did not create it.
    assert!(!valid(false, [ops([join(1), start(1)]), none(), none()]));
    assert!(!valid(
        false,
        [ops([start(1), join(1), join(1)]), none(), none()]
    ));
    assert!(!valid(false, [ops([join(1)]), none(), none()]));
    assert!(!valid(true, [ops([start(1)]), none(), ops([join(1)])]));
}
