//! Locks that a program makes for itself: a variable that is 0 or not, set in an atomic section
//! that goes on only if it was 0.
//!
//! ```c
//! void __VERIFIER_atomic_acquire(void) { __VERIFIER_assume(m == 0); m = 1; }
//! void __VERIFIER_atomic_release(void) { m = 0; }
//! ```
//!
//! Only the thread that has set the variable may clear it; where the analysis cannot see that, the
//! variable is no lock. No other code may write to it, except the main thread while it is alone.

use analysis::external::{self, Class};
use analysis::{
    AccessKind, Address, NodeId, ObjectId, Program, Stands, ThreadId, Threads, call_at,
};
use ir::{BinOp, BlockId, CmpOp, Const, FuncId, Op, ValueId};
use rustc_hash::FxHashMap;

/// What calling a function does to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flag {
    /// In terms of the function: at a fixed address, or relative to a parameter.
    Sets(Address),
    Clears(Address),
}

/// The functions that set and clear such variables.
pub fn flags(program: Program, threads: &Threads) -> FxHashMap<FuncId, Flag> {
    let reader = Reader { program, threads };
    let mut found: FxHashMap<FuncId, (Flag, NodeId)> = FxHashMap::default();
    for (function, f) in program.module.functions.enumerate() {
        if f.body.is_some()
            && external::is_atomic(f)
            && let Some(flag) = reader.flag(function)
        {
            found.insert(function, flag);
        }
    }
    let stores: Vec<NodeId> = found.values().map(|(_, store)| *store).collect();
    found.retain(|_, (_, store)| reader.is_only_written_by(*store, &stores));
    found
        .into_iter()
        .map(|(function, (flag, _))| (function, flag))
        .collect()
}

struct Reader<'a> {
    program: Program<'a>,
    threads: &'a Threads,
}

impl Reader<'_> {
    fn op(&self, function: FuncId, value: ValueId) -> Option<(NodeId, &Op)> {
        let node = self.threads.definitions.of(function, value)?;
        match self.program.nodes.stands_for(self.program.module, node) {
            Stands::Inst(inst) => Some((node, &inst.op)),
            Stands::Terminator(_) => None,
        }
    }

    fn constant(&self, function: FuncId, value: ValueId) -> Option<u128> {
        let body = self.program.module.functions[function].body.as_ref()?;
        match body.values[value].constant {
            Some(Const::Bits(bits)) => Some(bits),
            _ => None,
        }
    }

    /// A function of one block with one store, and nothing else that others might see.
    fn flag(&self, function: FuncId) -> Option<(Flag, NodeId)> {
        let Program {
            module,
            nodes,
            points_to,
        } = self.program;
        let body = module.functions[function].body.as_ref()?;
        if body.blocks.len() != 1 {
            return None;
        }
        let mut store: Option<(NodeId, Address, u128)> = None;
        let mut tested: Option<Address> = None;
        for node in nodes.of_block(function, BlockId(0)) {
            if let Some(call) = call_at(module, nodes, node) {
                if points_to.entered(node).next().is_some() {
                    return None;
                }
                for external in points_to.externals(node) {
                    let Class::Assumes(position) = external.class else {
                        return None;
                    };
                    let (address, is_zero) = self.test(function, *call.args.get(position)?)?;
                    if store.is_none() && is_zero {
                        tested = Some(address);
                    }
                }
            } else if let Stands::Inst(inst) = nodes.stands_for(module, node) {
                match &inst.op {
                    Op::Store { ptr, value, .. } if store.is_none() => {
                        let address = self.threads.addresses.get(function, *ptr).clone();
                        store = Some((node, address, self.constant(function, *value)?));
                    }
                    Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. } => return None,
                    _ => {}
                }
            }
        }
        let (node, address, value) = store?;
        let is_given = self.threads.addresses.base(function, &address);
        let is_given = is_given.is_some_and(|base| body.params.contains(&base));
        if !address.is_absolute() && !is_given {
            return None;
        }
        match (value, tested) {
            (0, _) => Some((Flag::Clears(address), node)),
            (_, Some(tested)) if tested == address => Some((Flag::Sets(address), node)),
            _ => None,
        }
    }

    /// The variable of which the value tells whether it is zero, and whether the value is true if
    /// it is.
    fn test(&self, function: FuncId, value: ValueId) -> Option<(Address, bool)> {
        match self.op(function, value)?.1 {
            Op::Load { ptr, .. } => {
                Some((self.threads.addresses.get(function, *ptr).clone(), false))
            }
            Op::Cast { src, .. } => self.test(function, *src),
            Op::Bin {
                op: BinOp::And,
                a,
                b,
                ..
            } if self.constant(function, *b) == Some(1) => self.test(function, *a),
            Op::Cmp { op, a, b, .. } => {
                let (address, is_zero) = self.test(function, *a)?;
                match (op, self.constant(function, *b)?) {
                    (CmpOp::Eq, 0) => Some((address, !is_zero)),
                    (CmpOp::Ne, 0) => Some((address, is_zero)),
                    // It is 1: what is not zero.
                    (CmpOp::Eq, 1) => Some((address, is_zero)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether all that may write to what the store writes are such functions, or the main thread
    /// while it is alone.
    fn is_only_written_by(&self, store: NodeId, stores: &[NodeId]) -> bool {
        let points_to = self.program.points_to;
        let writes = |node: NodeId| {
            let accesses = points_to.accesses(node).iter();
            accesses.filter(|access| access.kind == AccessKind::Write)
        };
        let Some(own) = writes(store).next() else {
            return false;
        };
        let objects: Vec<ObjectId> = points_to.objects_of(own).collect();
        objects.iter().all(|object| {
            let mut touching = points_to.touching(*object);
            touching.all(|(node, access)| {
                access.kind == AccessKind::Read
                    || !points_to.may_overlap(own, access)
                    || stores.contains(&node)
                    || self.is_alone(node)
            })
        })
    }

    fn is_alone(&self, node: NodeId) -> bool {
        let mut situations = self.threads.situations(node).iter();
        situations.all(|s| s.thread == ThreadId::MAIN && s.alive.is_clear())
    }
}
