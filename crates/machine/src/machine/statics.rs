//! What is in memory before the program starts: functions, globals, standard streams, arguments.

use std::rc::Rc;

use ir::Symbol;

use super::Machine;
use crate::code::function_size;
use crate::memory::{Allocation, ArenaId, ObjectKind};

impl Machine {
    pub(super) fn load_statics(&mut self) {
        let program = Rc::clone(&self.program);
        let module = &program.module;
        for (id, function) in module.functions.enumerate() {
            self.allocate_static(
                function_size(function),
                1,
                ObjectKind::Function(id),
                true,
                true,
            );
        }
        for (id, global) in module.globals.enumerate() {
            let kind = ObjectKind::Global(id);
            let initialised = global.init.is_some();
            let base = self.allocate_static(
                global.size,
                global.align,
                kind,
                initialised,
                global.constant,
            );
            assert_eq!(
                base,
                program.layout.globals[id.index()],
                "layout and allocation agree"
            );
            if let Some(init) = &global.init {
                self.initialise(base, init);
            }
        }
        self.define_streams();
    }

    pub(super) fn allocate_static(
        &mut self,
        size: u64,
        align: u64,
        kind: ObjectKind,
        initialised: bool,
        readonly: bool,
    ) -> u64 {
        let request = Allocation {
            arena: ArenaId::STATIC,
            size,
            align,
            kind,
            initialised,
            readonly,
        };
        self.memory
            .allocate(&mut self.trail, request)
            .expect("globals fit into the address space")
    }

    /// Fills an object with a global's initial contents.
    pub(crate) fn initialise(&mut self, base: u64, init: &ir::Init) {
        self.memory.write_bytes(&mut self.trail, base, &init.bytes);
        let bytes = self.pointer_bytes();
        for relocation in &init.relocations {
            let address = self
                .program
                .address_of(relocation.target)
                .wrapping_add_signed(relocation.addend);
            let word = address.to_le_bytes();
            self.memory
                .write_bytes(&mut self.trail, base + relocation.offset, &word[..bytes]);
        }
    }

    /// `stdin`, `stdout` and `stderr` point to something that is not null.
    pub(super) fn define_streams(&mut self) {
        let program = Rc::clone(&self.program);
        for name in ["stdin", "stdout", "stderr"] {
            let Some(global) = program.module.global_named(name) else {
                continue;
            };
            if program.module.globals[global].init.is_none() {
                let stream =
                    self.allocate_static(8, 8, ObjectKind::Internal("stream"), true, false);
                let address = program.address_of(Symbol::Global(global));
                let bytes = self.pointer_bytes();
                self.memory
                    .write_bytes(&mut self.trail, address, &stream.to_le_bytes()[..bytes]);
            }
        }
    }

    pub(super) fn make_arguments(&mut self) -> (u64, u64) {
        let mut words = vec!["program".to_string()];
        words.extend(self.config.args.iter().cloned());
        let bytes = self.pointer_bytes();
        let mut pointers = Vec::new();
        for word in &words {
            let text = [word.as_bytes(), &[0]].concat();
            let kind = ObjectKind::Internal("argument");
            let address = self.allocate_static(text.len() as u64, 1, kind, true, false);
            self.memory.write_bytes(&mut self.trail, address, &text);
            pointers.extend_from_slice(&address.to_le_bytes()[..bytes]);
        }
        pointers.extend_from_slice(&[0; 8][..bytes]);
        let kind = ObjectKind::Internal("argv");
        let argv = self.allocate_static(pointers.len() as u64, 8, kind, true, false);
        self.memory.write_bytes(&mut self.trail, argv, &pointers);
        (words.len() as u64, argv)
    }
}
