//! Any bytes: loading them as bitcode gives an error or a module that keeps the rules of the
//! intermediate representation, and whose textual form means the same.

#![no_main]

use libfuzzer_sys::fuzz_target;

/// A few bytes of input can ask for a gigabyte of zeros, whose text takes minutes.
const MOST_INITIAL_BYTES: usize = 1 << 20;

/// The loader tries its input in a child process first, and gives an error if that ends in a
/// signal. The fuzzer's hook would make a panic end in one: there it is to unwind, and to come
/// again in this process.
fn let_children_unwind() {
    let (parent, hook) = (std::process::id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        if std::process::id() == parent {
            hook(info);
        }
    }));
}

fuzz_target!(init: let_children_unwind(), |bytes: &[u8]| {
    let Ok(module) = bitcode::load_bitcode_bytes(bytes) else {
        return;
    };
    if let Err(violations) = ir::validate(&module) {
        let list: Vec<String> = violations.iter().map(|v| v.to_string()).collect();
        panic!("loaded, but not valid:\n{}", list.join("\n"));
    }
    let initial: usize = module.globals.iter().filter_map(|g| g.init.as_ref()).map(|i| i.bytes.len()).sum();
    if initial > MOST_INITIAL_BYTES {
        return;
    }
    let printed = ir::text::print(&module);
    match ir::text::parse(&printed) {
        Ok(again) => assert!(again == module, "reads back as another module:\n{printed}"),
        Err(error) => panic!("does not read back: {error}\n{printed}"),
    }
});
