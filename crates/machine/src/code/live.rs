//! Which values a function may still read: classic backward analysis, over the IR.
//!
//! Errs on the side of more. Not for functions to which control can come back from anywhere below
//! (`setjmp`): there everything counts as alive.

use super::bases::{Base, Bases, for_each_argument};
use ir::{BlockId, Body, Callee, Module, Op, Terminator, ValueId};

use crate::shims;

pub struct Live {
    bases: Bases,
    /// At the beginning of each block; `None`: everything is.
    blocks: Option<Vec<Values>>,
}

impl Live {
    pub fn of(module: &Module, body: &Body) -> Live {
        let bases = Bases::of(body, module.pointer_bits);
        if may_return_twice(module, body) {
            return Live {
                bases,
                blocks: None,
            };
        }
        let mut blocks = vec![Values::none(body); body.blocks.len()];
        let mut grew = true;
        while grew {
            grew = false;
            for id in body.blocks.ids().rev() {
                let live = before(body, &bases, &blocks, id, 0);
                if live != blocks[id.index()] {
                    blocks[id.index()] = live;
                    grew = true;
                }
            }
        }
        Live {
            bases,
            blocks: Some(blocks),
        }
    }

    /// The values, constants apart, that will not be read before they are computed anew, if this
    /// instruction is next.
    pub fn dead_before(&self, body: &Body, block: BlockId, index: usize) -> Vec<ValueId> {
        let Some(blocks) = &self.blocks else {
            return Vec::new();
        };
        let live = before(body, &self.bases, blocks, block, index);
        let is_dead = |id: &ValueId| body.values[*id].constant.is_none() && !live.contains(*id);
        body.values.ids().filter(is_dead).collect()
    }
}

/// `live(i) = reads(i) ∪ (live(i + 1) ∖ assigns(i))`; after a terminator, what is alive in a block
/// that follows, without its parameters.
fn before(body: &Body, bases: &Bases, blocks: &[Values], block: BlockId, index: usize) -> Values {
    let mut live = Values::none(body);
    let block = &body.blocks[block];
    block.terminator.for_each_successor(|next| {
        let mut there = blocks[next.index()].clone();
        let params = &body.blocks[next].params;
        params.iter().for_each(|param| there.remove(*param));
        live.add_all(&there);
    });
    // An invoked call that does not return assigns nothing, and its results are not read then.
    let results = block.terminator.results();
    results.iter().for_each(|result| live.remove(*result));
    block.terminator.for_each_operand(|value| live.add(value));
    // Shadows follow the pointers that are handed on.
    for_each_argument(body, &block.terminator, |param, arg| {
        if bases.has_shadow(param) {
            add_base(&mut live, bases.base(arg));
        }
    });
    for inst in block.insts[index..].iter().rev() {
        inst.op.for_each_result(|value| live.remove(value));
        inst.op.for_each_operand(|value| live.add(value));
        // What an access is to stay within is read before it.
        bases.of_accesses(body, &inst.op, |base, _, _| add_base(&mut live, base));
    }
    live
}

/// Shadows are no values: they count as alive wherever they are.
fn add_base(live: &mut Values, base: Base) {
    if let Base::Value(value) = base {
        live.add(value);
    }
}

fn may_return_twice(module: &Module, body: &Body) -> bool {
    let is_setjmp = |name: &str| shims::returns_twice(name);
    let called = |callee: &Callee| match callee {
        Callee::Direct(id) => is_setjmp(&module.functions[*id].name),
        Callee::Indirect(_) => module.functions.iter().any(|f| is_setjmp(&f.name)),
    };
    body.blocks.iter().any(|block| {
        let invokes = match &block.terminator {
            Terminator::Invoke { call, .. } => called(&call.callee),
            _ => false,
        };
        let mut insts = block.insts.iter();
        invokes || insts.any(|inst| matches!(&inst.op, Op::Call(call) if called(&call.callee)))
    })
}

/// A set of values.
#[derive(Clone, PartialEq)]
struct Values(Vec<u64>);

impl Values {
    fn none(body: &Body) -> Values {
        Values(vec![0; body.values.len().div_ceil(64)])
    }

    fn contains(&self, value: ValueId) -> bool {
        self.0[value.index() / 64] >> (value.index() % 64) & 1 != 0
    }

    fn add(&mut self, value: ValueId) {
        self.0[value.index() / 64] |= 1 << (value.index() % 64);
    }

    fn remove(&mut self, value: ValueId) {
        self.0[value.index() / 64] &= !(1 << (value.index() % 64));
    }

    fn add_all(&mut self, others: &Values) {
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word |= other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop that adds what it loads; `between` stands between the two accesses of an iteration.
    fn dead(between: &str, block: u32, index: usize) -> Vec<u32> {
        let text = format!(
            "pointer_bits 64
func @setjmp(ptr) -> (i32)
func @other(ptr) -> (i32)
func @f(ptr %2) -> (i32) {{
  values {{
    %0 = i32 0
    %1 = i32 1
  }}
b0:
  br b1(i32 0)
b1(%3: i32):
  %4: i32 = load %2
  %5: i32 = add %4, i32 1
  %6: i32 = {between}
  store %5 to %2
  %7: i32 = add %3, i32 1
  %8: i1 = cmp slt %7, %4
  condbr %8, b1(%7), b2
b2:
  ret %3
}}
"
        );
        let module = ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let body = module.functions.iter().find_map(|f| f.body.as_ref());
        let body = body.expect("a body");
        let live = Live::of(&module, body);
        let dead = live.dead_before(body, BlockId(block), index);
        dead.into_iter().map(|value| value.0).collect()
    }

    #[test]
    fn what_is_computed_anew_is_dead() {
        // The load, the store, the return.
        assert_eq!(dead("call @other(%2)", 1, 0), [4, 5, 6, 7, 8]);
        assert_eq!(dead("call @other(%2)", 1, 3), [6, 7, 8]);
        assert_eq!(dead("call @other(%2)", 2, 0), [2, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn everything_is_alive_where_control_may_come_back() {
        for index in [0, 3] {
            assert!(dead("call @setjmp(%2)", 1, index).is_empty());
            assert!(dead("call %2(%2)", 1, index).is_empty());
        }
    }
}
