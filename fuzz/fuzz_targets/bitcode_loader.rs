//! Any bytes: loading them as bitcode gives an error or a module that keeps the rules of the intermediate representation, and
//! whose textual form means the same.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = bitcode::load_bitcode_bytes(bytes) else {
        return;
    };
    if let Err(violations) = ir::validate(&module) {
        let list: Vec<String> = violations.iter().map(|v| v.to_string()).collect();
        panic!("loaded, but not valid:\n{}", list.join("\n"));
    }
    let printed = ir::text::print(&module);
    match ir::text::parse(&printed) {
        Ok(again) => assert!(again == module, "reads back as another module:\n{printed}"),
        Err(error) => panic!("does not read back: {error}\n{printed}"),
    }
});
