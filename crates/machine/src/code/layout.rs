//! The addresses of functions, labels and globals, the same in every execution.

use ir::{BlockId, Module, Symbol};

use super::{Entries, Layout};
use crate::memory::{AddressSpace, ArenaId, CHUNK, LARGEST};
use crate::shims;

/// Bytes for the texts of environment and arguments, which come after the globals: what a command
/// line holds, with two chunks for each word.
const ROOM_FOR_TEXTS: u64 = 32 << 20;

impl Layout {
    pub fn address(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Global(id) => self.globals[id.index()],
            Symbol::Function(id) => self.functions[id.index()],
            Symbol::Block(function, block) => self.labels[&(function, block)],
        }
    }
}

/// Functions and labels take a chunk each, then come the globals. `Machine::new` allocates in the
/// same order.
pub(super) fn lay_out(module: &Module) -> Layout {
    let space = AddressSpace::new(module.pointer_bits);
    let mut layout = Layout::default();
    let mut offset = 0u64;
    // A function and its labels: one object with a byte each.
    for (id, function) in module.functions.enumerate() {
        let address = space.address(ArenaId::STATIC, offset);
        let absent =
            function.weak && function.body.is_none() && shims::find(&function.name).is_none();
        layout.functions.push(if absent { 0 } else { address });
        layout.function_at.insert(address, id);
        let blocks = function.body.as_ref().map_or(0, |b| b.blocks.len()) as u64;
        for block in 0..blocks {
            let label = address + 1 + block;
            layout.labels.insert((id, BlockId(block as u32)), label);
            layout.label_at.insert(label, (id, BlockId(block as u32)));
        }
        offset += (function_size(function).div_ceil(CHUNK as u64) + 1) * CHUNK as u64;
    }
    let mut far = space.far(ArenaId::STATIC).unwrap_or(0..0);
    let mut fits = true;
    for global in &module.globals {
        let align = global.align.max(CHUNK as u64);
        if global.size > LARGEST {
            let base = far.start.next_multiple_of(align);
            fits &= base < far.end && global.size < far.end - base - 2 * CHUNK as u64;
            layout.globals.push(base);
            far.start = base
                .saturating_add(global.size)
                .next_multiple_of(CHUNK as u64)
                + CHUNK as u64;
            continue;
        }
        offset = offset.next_multiple_of(align);
        layout.globals.push(space.address(ArenaId::STATIC, offset));
        offset += (global.size.div_ceil(CHUNK as u64) + 1) * CHUNK as u64;
        fits &= offset < space.arena_size(ArenaId::STATIC);
    }
    // The arguments of `main` come last.
    fits &= offset + space.argv_size() + ROOM_FOR_TEXTS < space.arena_size(ArenaId::STATIC);
    layout.overflows = !fits;
    layout
}

/// The functions of Sleave's own library that the machine calls by itself; `None` if one is missing.
pub(super) fn entries(module: &Module, layout: &Layout) -> Option<Entries> {
    // There is no such global if the program has an `exit` of its own.
    let handlers = module
        .global_named("__sleave_handler_count")
        .filter(|_| module.destructors.is_empty());
    let adds_handlers = ["atexit", "__cxa_atexit", "on_exit"]
        .iter()
        .any(|name| module.function_named(name).is_some());
    let single_threaded = module.global_named("__libc_single_threaded");
    Some(Entries {
        begin: module
            .function_named("__sleave_begin")
            .filter(|_| !module.constructors.is_empty()),
        main: module.function_named("main")?,
        exit: module.function_named("exit")?,
        handlers: handlers.map(|count| layout.address(Symbol::Global(count))),
        adds_handlers,
        single_threaded: single_threaded.map(|flag| layout.address(Symbol::Global(flag))),
        call_thread: module.function_named("__sleave_call_thread")?,
        end_thread: module.function_named("__sleave_end_thread")?,
        main_exited: module.function_named("__sleave_main_exited")?,
    })
}

/// Bytes of the object that stands for a function: one for itself and one for each label.
pub fn function_size(function: &ir::Function) -> u64 {
    1 + function.body.as_ref().map_or(0, |b| b.blocks.len()) as u64
}
