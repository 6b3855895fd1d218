//! `parse(print(m)) == m` and `read(write(m)) == m` for structurally arbitrary modules: ids out of
//! range, values assigned twice, names shared.

mod arbitrary;

use proptest::prelude::*;

proptest! {
    #[test]
    fn print_then_parse_is_identity(module in arbitrary::module()) {
        let text = ir::text::print(&module);
        let parsed = ir::text::parse(&text);
        prop_assert_eq!(parsed.as_ref(), Ok(&module), "{}", text);
    }

    #[test]
    fn write_then_read_is_identity(module in arbitrary::module()) {
        let bytes = ir::binary::write(&module);
        prop_assert_eq!(ir::binary::read(&bytes), Some(module));
    }

    /// A cut or a changed byte yields nothing or another module, never a panic.
    #[test]
    fn damaged_bytes_do_not_panic(module in arbitrary::module(), at: prop::sample::Index, with: u8, cut: bool) {
        let mut bytes = ir::binary::write(&module);
        let at = at.index(bytes.len());
        bytes[at] = with;
        if cut {
            bytes.truncate(at);
        }
        if let Some(module) = ir::binary::read::<ir::Module>(&bytes) {
            let written = ir::binary::write(&module);
            prop_assert_eq!(ir::binary::read(&written), Some(module));
        }
    }

    #[test]
    fn validation_does_not_panic(module in arbitrary::module()) {
        if let Err(violations) = ir::validate(&module) {
            prop_assert!(violations.iter().all(|v| !v.to_string().is_empty()));
        }
    }

    /// A cut or a changed character yields an error or another module, never a panic.
    #[test]
    fn damaged_text_does_not_panic(module in arbitrary::module(), at: prop::sample::Index, with in "\\PC?") {
        let mut text: Vec<char> = ir::text::print(&module).chars().collect();
        let at = at.index(text.len());
        text.splice(at..=at, with.chars());
        let text: String = text.into_iter().collect();
        if let Ok(module) = ir::text::parse(&text) {
            let printed = ir::text::print(&module);
            prop_assert_eq!(ir::text::parse(&printed), Ok(module), "{}", printed);
        }
    }
}
