//! What is in memory before the program starts: functions, globals, standard streams, environment,
//! arguments.

use std::rc::Rc;

use ir::{FuncId, Symbol};

use super::Machine;
use crate::code::function_size;
use crate::memory::{Allocation, ArenaId, LARGEST, ObjectKind};
use crate::value::Value;

const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// The names of one variable.
const ENVIRONMENTS: [&str; 3] = ["environ", "__environ", "_environ"];

/// How many arguments of `main` have contents. An access to a later one ends in `unknown`.
const MADE_UP_ARGUMENTS: u32 = 4;

const ROOM: &str = "a program whose globals do not fit is not started";

impl Machine {
    pub(super) fn load_statics(&mut self) {
        let program = Rc::clone(&self.program);
        let module = &program.module;
        if program.layout.overflows {
            return;
        }
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
            let is_defined = global.init.is_some() || self.is_given(&global.name);
            let kind = if is_defined || global.size > LARGEST {
                ObjectKind::Global(id)
            } else {
                ObjectKind::Undefined(id)
            };
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
        self.define_environment();
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
        self.state
            .memory
            .allocate(&mut self.trail, request)
            .expect(ROOM)
    }

    /// Fills an object with a global's initial contents.
    pub(crate) fn initialise(&mut self, base: u64, init: &ir::Init) {
        self.state
            .memory
            .write_bytes(&mut self.trail, base, &init.bytes);
        let bytes = self.pointer_bytes();
        for relocation in &init.relocations {
            let address = self
                .program
                .address_of(relocation.target)
                .wrapping_add_signed(relocation.addend);
            let word = address.to_le_bytes();
            self.state.memory.write_bytes(
                &mut self.trail,
                base + relocation.offset,
                &word[..bytes],
            );
        }
    }

    /// Variables of the C library that are defined here.
    fn is_given(&self, name: &str) -> bool {
        // The flag of glibc may be anything where the library does not define it.
        STREAMS.contains(&name) || ENVIRONMENTS.contains(&name) || name == "__libc_single_threaded"
    }

    /// `stdin`, `stdout` and `stderr` point to something that is not null.
    pub(super) fn define_streams(&mut self) {
        for name in STREAMS {
            if let Some(address) = self.undefined_pointer(name) {
                let stream =
                    self.allocate_static(8, 8, ObjectKind::Internal("stream"), true, false);
                self.write_pointer(address, stream);
            }
        }
    }

    /// `environ` points to the environment if all of it is known; otherwise looking there ends in
    /// `unknown`.
    fn define_environment(&mut self) {
        let mut environment = None;
        for name in ENVIRONMENTS {
            if let Some(address) = self.undefined_pointer(name) {
                let at = *environment.get_or_insert_with(|| self.make_environment());
                self.write_pointer(address, at);
            }
        }
        self.statics.environment = environment.unwrap_or(0);
    }

    fn make_environment(&mut self) -> u64 {
        if !self.config.surroundings.whole_environment {
            return self
                .allocate_text(ArenaId::STATIC, "environ", Box::new([]))
                .expect(ROOM);
        }
        let variables = self.config.surroundings.environment.clone();
        let variables = variables.into_iter();
        let texts = variables.filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let texts: Vec<String> = texts.collect();
        self.make_vector("environment", &texts)
    }

    /// Where the variable of this name is, if it is declared and not defined.
    fn undefined_pointer(&self, name: &str) -> Option<u64> {
        let global = self.program.module.global_named(name)?;
        let is_defined = self.program.module.globals[global].init.is_some();
        (!is_defined).then(|| self.program.address_of(Symbol::Global(global)))
    }

    fn write_pointer(&mut self, address: u64, pointer: u64) {
        let bytes = self.pointer_bytes();
        self.state
            .memory
            .write_bytes(&mut self.trail, address, &pointer.to_le_bytes()[..bytes]);
    }

    /// What `main` is called with.
    pub(super) fn make_arguments(&mut self, main: FuncId) -> [Value; 3] {
        let environment = match self.statics.environment {
            0 if self.program.function(main).params.len() > 2 => self.make_environment(),
            known => known,
        };
        let environment = Value::concrete(environment);
        let name = "program".to_string();
        if self.config.takes_any_args() && !self.program.function(main).params.is_empty() {
            let (argc, argv) = self.make_any_arguments(name);
            return [argc, argv, environment];
        }
        let args = self.config.args.iter().cloned();
        let words: Vec<String> = [name].into_iter().chain(args).collect();
        let argv = self.make_vector("argv", &words);
        let argc = Value::concrete(words.len() as u64);
        [argc, Value::concrete(argv), environment]
    }

    /// Any number of arguments, of which the first few are inputs. Entry i of the vector is null if
    /// i is their number or more. The vector is as long as it can be, so that an access to an entry
    /// without contents is one to the vector, and to no other object.
    fn make_any_arguments(&mut self, name: String) -> (Value, Value) {
        let width = self.pointer_bits();
        let bits = self.state.memory.space.argc_bits();
        let number = self.named_input("argc", 0, bits);
        let number = self.term(number, bits);
        let number = self.terms.zext(number, 32);
        let none = self.terms.constant(32, 0);
        let one = self.terms.constant(32, 1);
        let is_none = self.terms.cmp(smt::CmpOp::Eq, number, none);
        let argc = self.terms.ite(is_none, one, number);
        let mut entries = vec![self.make_argument("argument", &name)];
        for i in 1..=MADE_UP_ARGUMENTS {
            let bytes = self.input_bytes(&format!("argv[{i}]"));
            let text = self.allocate_text(ArenaId::STATIC, "argument of main", bytes);
            entries.push(text.expect(ROOM));
        }
        let entries = entries.into_iter().enumerate().map(|(i, entry)| {
            let entry = self.terms.constant(width, u128::from(entry));
            let i = self.terms.constant(32, i as u128);
            let is_there = self.terms.cmp(smt::CmpOp::Ult, i, argc);
            let null = self.terms.constant(width, 0);
            self.terms.ite(is_there, entry, null)
        });
        let entries = entries.collect();
        let argv = self.allocate_text(ArenaId::STATIC, "arguments of main", entries);
        let argv = argv.expect(ROOM);
        let size = self.state.memory.space.argv_size();
        self.state.memory.extend_statics(argv, size);
        (self.value(argc), Value::concrete(argv))
    }

    fn make_argument(&mut self, what: &'static str, word: &str) -> u64 {
        let text = [word.as_bytes(), &[0]].concat();
        let kind = ObjectKind::Internal(what);
        let address = self.allocate_static(text.len() as u64, 1, kind, true, false);
        self.state
            .memory
            .write_bytes(&mut self.trail, address, &text);
        address
    }

    /// A vector of texts with a null pointer at its end.
    fn make_vector(&mut self, what: &'static str, words: &[String]) -> u64 {
        let bytes = self.pointer_bytes();
        let part = if what == "argv" { "argument" } else { what };
        let mut pointers = Vec::new();
        for word in words {
            let address = self.make_argument(part, word);
            pointers.extend_from_slice(&address.to_le_bytes()[..bytes]);
        }
        pointers.extend_from_slice(&[0; 8][..bytes]);
        let kind = ObjectKind::Internal(what);
        let vector = self.allocate_static(pointers.len() as u64, 8, kind, true, false);
        self.state
            .memory
            .write_bytes(&mut self.trail, vector, &pointers);
        vector
    }
}
