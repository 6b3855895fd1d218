use ir::Module;

use super::*;
use crate::points_to::AccessKind;

/// `main` writes to `x` three times, between what is given; `worker` writes to it once.
fn program(first: &str, second: &str) -> Module {
    let text = format!(
        "pointer_bits 64
         global @x size 4 align 4 = {{ zero 4 }}
         global @h size 8 align 8 = {{ zero 8 }}
         func @worker(ptr %0) -> (ptr) {{
         b0:
           store i32 1 to ptr @x
           ret ptr null
         }}
         func @main() -> (i32) {{
         b0:
           %0: i64 = load ptr @h
           store i32 10 to ptr @x
           {first}
           store i32 20 to ptr @x
           {second}
           store i32 30 to ptr @x
           ret i32 0
         }}
         func @pthread_create(ptr, ptr, ptr, ptr) -> (i32)
         func @pthread_join(i64, ptr) -> (i32)
         func @pthread_detach(i64) -> (i32)"
    );
    ir::text::parse(&text).expect("a module")
}

const CREATE: &str = "%1: i32 = call @pthread_create(ptr @h, ptr null, ptr @worker, ptr null)";
const JOIN: &str = "%2: i64 = load ptr @h
    %3: i32 = call @pthread_join(%2, ptr null)";

/// Whether each of main's writes to `x` may happen while the worker writes to it.
fn parallel(module: &Module) -> Vec<bool> {
    let nodes = Nodes::of(module);
    let points_to = PointsTo::of(module, &nodes);
    let threads = Threads::of(module, &nodes, &points_to);
    let writes = |name: &str| {
        let function = module.function_named(name).expect("it is there");
        let x = points_to.objects().enumerate().find(|(_, object)| {
            matches!(object.kind, crate::ObjectKind::Global(g) if module.globals[g].name == "x")
        });
        let (x, _) = x.expect("an object");
        let touching: Vec<NodeId> = points_to
            .touching(x)
            .filter(|(node, a)| a.kind == AccessKind::Write && nodes.function(*node) == function)
            .map(|(node, _)| node)
            .collect();
        touching
    };
    let worker = writes("worker")[0];
    writes("main")
        .into_iter()
        .map(|node| threads.may_happen_in_parallel(node, worker))
        .collect()
}

#[test]
fn creation_and_join_order() {
    let module = program(CREATE, JOIN);
    assert_eq!(parallel(&module), [false, true, false]);
}

#[test]
fn without_a_join_the_thread_stays_alive() {
    assert_eq!(parallel(&program(CREATE, "")), [false, true, true]);
}

#[test]
fn a_handle_that_was_overwritten_joins_nobody() {
    let overwritten = format!("store i64 0 to ptr @h\n{JOIN}");
    assert_eq!(
        parallel(&program(CREATE, &overwritten)),
        [false, true, true]
    );
}

#[test]
fn a_handle_that_was_read_before_joins_nobody() {
    let stale = "%2: i32 = call @pthread_join(%0, ptr null)";
    assert_eq!(parallel(&program(CREATE, stale)), [false, true, true]);
}

#[test]
fn a_detached_thread_is_not_joined() {
    let detached = "%2: i64 = load ptr @h
         %3: i32 = call @pthread_detach(%2)
         %4: i64 = load ptr @h
         %5: i32 = call @pthread_join(%4, ptr null)";
    assert_eq!(parallel(&program(CREATE, detached)), [false, true, true]);
}
