//! What C++ becomes.

mod common;

use common::{body, count, load};
use ir::{Callee, Intrinsic, Op, Terminator};

#[test]
fn threads_locks_and_containers_load() {
    let module = load(
        "#include <thread>
         #include <mutex>
         #include <atomic>
         #include <vector>
         #include <condition_variable>
         #include <memory>
         #include <string>
         std::mutex m; int x; std::atomic<int> a{0}; std::condition_variable cv; bool ready;
         int main() {
           std::vector<std::thread> ts;
           for (int i = 0; i < 2; i++)
             ts.emplace_back([i] { std::lock_guard<std::mutex> g(m); x += i; a++; ready = true; cv.notify_all(); });
           { std::unique_lock<std::mutex> l(m); cv.wait(l, [] { return ready; }); }
           for (auto &t : ts) t.join();
           auto p = std::make_shared<std::string>(\"abc\");
           return p->size() == 3 ? 0 : 1;
         }",
        "cpp",
        &[],
    );
    // Strings are code, not calls into the library.
    let size = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv";
    assert!(
        module.functions[module.function_named(size).unwrap()]
            .body
            .is_some()
    );
}

#[test]
fn virtual_calls() {
    let module = load(
        "struct B { virtual int f() { return 1; } virtual ~B() {} };
         struct D : B { int f() override { return 2; } };
         int call(B *b) { return b->f(); }
         int main() { D d; return call(&d); }",
        "cc",
        &[],
    );
    let indirect =
        |op: &Op| matches!(op, Op::Call(call) if matches!(call.callee, Callee::Indirect(_)));
    assert_eq!(count(&module, "_Z4callP1B", indirect), 1);
    let id = module.function_named("_Z4callP1B").unwrap();
    assert_eq!(module.functions[id].source_name, "call");
    let table = &module.globals[module.global_named("_ZTV1D").unwrap()];
    assert_eq!(table.init.as_ref().unwrap().relocations.len(), 4);
}

#[test]
fn exceptions() {
    let module = load(
        "int x; struct G { ~G() { x++; } };
         int thrower(int k) { if (k) throw k; return k; }
         int catcher(int k) { try { G g; return thrower(k); } catch (int &e) { return e; } catch (...) { return -1; } }
         int main() { return catcher(1); }",
        "cpp",
        &[],
    );
    let blocks = &body(&module, "_Z7catcheri").blocks;
    let mut pads = blocks.iter().filter_map(|b| match &b.terminator {
        Terminator::Invoke { unwind, .. } => Some(unwind),
        _ => None,
    });
    // A clause for everything needs no clean-up besides.
    let pad = pads.find(|pad| pad.catches.len() == 2).unwrap();
    assert!(!pad.cleanup);
    assert!(blocks[pad.block].params.len() >= 2);
    let id = |op: &Op| {
        matches!(
            op,
            Op::Intrinsic {
                op: Intrinsic::EhTypeId,
                ..
            }
        )
    };
    assert_eq!(count(&module, "_Z7catcheri", id), 1);
}

#[test]
fn static_guards_and_thread_local_initialisers() {
    let module = load(
        "struct S { int v; S() : v(4) {} ~S() { v = 0; } };
         S &get() { static S s; return s; }
         thread_local S t; S global;
         int main() { return get().v + t.v; }",
        "cpp",
        &[],
    );
    let acquire = module.function_named("__cxa_guard_acquire").unwrap();
    let calls = |op: &Op| matches!(op, Op::Call(call) if call.callee == Callee::Direct(acquire));
    assert_eq!(count(&module, "_Z3getv", calls), 1);
    assert_eq!(module.constructors.len(), 1);
    assert!(module.function_named("__cxa_thread_atexit").is_some());
}
