//! Registers that will not be read again before they are written. Nothing follows from what is in
//! them.

use ir::FuncId;
use rustc_hash::FxHashMap;

use crate::code::{Live, Program, Slot};

#[derive(Default)]
pub(crate) struct Unread {
    functions: FxHashMap<FuncId, Live>,
    /// By where a thread stands.
    slots: FxHashMap<(FuncId, u32), Box<[Slot]>>,
}

impl Unread {
    /// Those of a frame of this function that stands there.
    pub fn at(&mut self, program: &Program, function: FuncId, pc: u32) -> &[Slot] {
        let Unread { functions, slots } = self;
        slots.entry((function, pc)).or_insert_with(|| {
            let module = &program.module;
            let body = module.functions[function].body.as_ref();
            let body = body.expect("a function in execution");
            let live = functions
                .entry(function)
                .or_insert_with(|| Live::of(module, body));
            let (block, index) = program.function(function).origins[pc as usize];
            let dead = live.dead_before(body, block, index as usize);
            dead.into_iter().map(|value| value.0).collect()
        })
    }
}
