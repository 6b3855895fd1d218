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
    let wide = InputDecl { low: 0, high: 128 };
    assert_eq!(refused(&|p| p.inputs.push(wide)), Err(Invalid::Input));
}
