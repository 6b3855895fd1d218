//! Any text: parsing gives an error or a module; a module prints as a text that means the same;
//! validating it gives a verdict.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(module) = ir::text::parse(text) else {
        return;
    };
    let printed = ir::text::print(&module);
    match ir::text::parse(&printed) {
        Ok(again) => assert!(again == module, "reads back as another module:\n{printed}"),
        Err(error) => panic!("does not read back: {error}\n{printed}"),
    }
    if let Err(violations) = ir::validate(&module) {
        assert!(!violations.is_empty(), "refused without a reason");
        for violation in violations {
            assert!(!violation.to_string().is_empty());
        }
    }
});
