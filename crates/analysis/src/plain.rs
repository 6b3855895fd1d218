//! Plain programs: their static facts need no execution that checks them.
//!
//! What `points_to`, `callgraph` and `threads` say holds as long as a program gets addresses from
//! addresses, stays in the bounds of its objects and goes only where its control flow leads. An
//! execution can check that (`machine::premises`); a proof without a search has none. So such a
//! proof is made of programs that cannot go against it, whatever their inputs and schedules. A
//! program is *plain* if, wherever it may come,
//! 1. every access is to bytes of a global, of a thread-local, or of a local whose function has not
//!    returned, at an offset from its beginning whose bounds are known and lie inside. An address
//!    that a function is given as a parameter is followed to all calls and thread creations. An
//!    address that was read from memory, allocated or made of a number is not plain;
//! 2. control leaves a function by its returns only: no `setjmp`, no exceptions, no cleanup
//!    handlers, nothing that is registered for the end of a thread or of the process;
//! 3. every call names the function that it calls, and every thread creation the one that it
//!    starts, with as many arguments as it has parameters and no attributes; no function calls
//!    itself, and the stack suffices;
//! 4. all that is called and executed is modelled, and nothing runs before `main` or after it.
//!
//! What Sleave's own library does at the end of a thread and of the process is not looked at: where
//! nothing is registered for it, it does nothing that the program could notice.
//!
//! Sound in this direction: what is said to be plain has no memory error, and everything in
//! `points_to` and `threads` holds of it.

use base::{IndexVec, components};
use ir::{BlockId, Body, Callee, Const, FuncId, GlobalId, Module, Op, Symbol, Terminator, ValueId};
use rustc_hash::FxHashMap;

use crate::arguments::for_each_bounds;
use crate::bounds::{Bounds, Offset};
use crate::essential::memory::{Part, Whole, for_each_pointer};
use crate::external::{self, Class, Effect, Extent, External};
use crate::facts::{Facts, Flow};
use crate::node::{NodeId, Stands};
use crate::points_to::AccessKind;

/// All that a plain program accesses.
pub struct Plain {
    accesses: FxHashMap<NodeId, Vec<(AccessKind, Part)>>,
}

/// What `main` calls and starts as threads by name, directly or not, up to the end of the process.
/// In a plain program that is all that runs. It is read off the instructions alone.
pub struct Reached {
    functions: IndexVec<FuncId, bool>,
    /// The calls of each function.
    callers: FxHashMap<FuncId, Vec<NodeId>>,
    /// The calls that start it as a thread.
    starts: FxHashMap<FuncId, Vec<NodeId>>,
}

impl Reached {
    pub fn of(facts: &Facts) -> Reached {
        let module = facts.module;
        let functions = module.functions.iter().map(|_| false);
        let mut reached = Reached {
            functions: functions.collect(),
            callers: FxHashMap::default(),
            starts: FxHashMap::default(),
        };
        let mut pending: Vec<FuncId> = module.function_named("main").into_iter().collect();
        while let Some(function) = pending.pop() {
            if facts.flow(function).is_none() || ends_process(module, function) {
                continue;
            }
            if std::mem::replace(&mut reached.functions[function], true) {
                continue;
            }
            for node in facts.nodes.of_function(function) {
                let Some(call) = facts.call(node) else {
                    continue;
                };
                let Callee::Direct(callee) = call.callee else {
                    continue;
                };
                if external::is_entered(&module.functions[callee]) {
                    reached.callers.entry(callee).or_default().push(node);
                    pending.push(callee);
                } else if let Some(started) = started(facts, function, callee, call) {
                    reached.starts.entry(started).or_default().push(node);
                    pending.push(started);
                }
            }
        }
        reached
    }

    pub fn callers(&self, function: FuncId) -> &[NodeId] {
        self.callers.get(&function).map_or(&[], Vec::as_slice)
    }

    fn starts(&self, function: FuncId) -> &[NodeId] {
        self.starts.get(&function).map_or(&[], Vec::as_slice)
    }

    /// Whether the function is `main`, and is called at the beginning and nowhere else.
    pub fn is_only_main(&self, module: &Module, function: FuncId) -> bool {
        module.functions[function].name == "main"
            && self.callers(function).is_empty()
            && self.starts(function).is_empty()
    }

    /// A function that calls itself, by way of others perhaps.
    fn recursive(&self, facts: &Facts) -> Option<FuncId> {
        let mut callees: IndexVec<FuncId, Vec<usize>> =
            self.functions.iter().map(|_| Vec::new()).collect();
        for (callee, sites) in &self.callers {
            for site in sites {
                callees[facts.nodes.function(*site)].push(callee.index());
            }
        }
        let component = components(callees.len(), |f| callees[FuncId::from(f)].iter().copied());
        let mut sizes = vec![0; callees.len()];
        component.iter().for_each(|c| sizes[*c as usize] += 1);
        let mut functions = callees.enumerate();
        let is_recursive = |(function, callees): &(FuncId, &Vec<usize>)| {
            let component = component[function.index()] as usize;
            sizes[component] > 1 || callees.contains(&function.index())
        };
        functions.find(is_recursive).map(|(function, _)| function)
    }

    /// With their bodies and flow.
    pub fn entered<'f>(
        &self,
        facts: &'f Facts,
    ) -> impl Iterator<Item = (FuncId, &'f Body, &'f Flow)> {
        let all = facts.entered();
        all.filter(|(function, ..)| self.functions[*function])
    }

    pub fn contains(&self, function: FuncId) -> bool {
        self.functions[function]
    }

    /// What may be executed of them.
    pub fn nodes<'f>(&self, facts: &'f Facts) -> impl Iterator<Item = NodeId> + use<'f, '_> {
        self.entered(facts).flat_map(move |(function, _, flow)| {
            let blocks = flow.cfg.order().iter();
            blocks.flat_map(move |block| facts.nodes.of_block(function, *block))
        })
    }
}

/// Of `pthread_create`: what the thread is given.
const ARGUMENT: usize = 3;

/// The function that a thread creation names.
fn started(facts: &Facts, caller: FuncId, callee: FuncId, call: &ir::Call) -> Option<FuncId> {
    let external = external::of(&facts.module.functions[callee])?;
    let Class::Creates { function, argument } = external.class else {
        return None;
    };
    if argument != ARGUMENT {
        return None;
    }
    let value = *call.args.get(function)?;
    match facts.body(caller).values[value].constant {
        Some(Const::Address(Symbol::Function(started), 0)) => Some(started),
        _ => None,
    }
}

/// Whether it is the library's `exit`.
fn ends_process(module: &Module, function: FuncId) -> bool {
    let f = &module.functions[function];
    f.runtime && f.name == "exit"
}

/// What makes a program other than plain, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPlain {
    pub node: NodeId,
    pub why: &'static str,
}

/// All locals of all functions together: no stack can be deeper where no function calls itself. A
/// stack has 8 MiB.
const LOCALS: u64 = 1 << 20;

/// Larger objects may be too large to be held.
const LARGEST: u64 = 16 << 20;

impl Plain {
    pub fn of(facts: &Facts, reached: &Reached) -> Result<Plain, NotPlain> {
        let module = facts.module;
        let first = |function| facts.nodes.at(function, BlockId(0), 0);
        if let Some(function) = module.constructors.iter().chain(&module.destructors).next() {
            let node = first(*function);
            let why = "something runs before main or after it";
            return Err(NotPlain { node, why });
        }
        if let Some(function) = reached.recursive(facts) {
            let node = first(function);
            let why = "a function calls itself";
            return Err(NotPlain { node, why });
        }
        let mut locals = 0;
        for (function, _, flow) in reached.entered(facts) {
            for &block in flow.cfg.order() {
                for node in facts.nodes.of_block(function, block) {
                    let stands = facts.nodes.stands_for(facts.module, node);
                    if let Some(why) = unusual(facts, function, stands) {
                        return Err(NotPlain { node, why });
                    }
                    if let Stands::Inst(inst) = stands
                        && let Op::Alloca { size, .. } = inst.op
                    {
                        locals += size;
                    }
                }
            }
            if locals > LOCALS {
                let node = first(function);
                let why = "locals are large";
                return Err(NotPlain { node, why });
            }
        }
        Pointers::of(facts, reached)?.resolve()
    }

    /// What the node accesses.
    pub fn accesses(&self, node: NodeId) -> &[(AccessKind, Part)] {
        self.accesses.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// What is wrong with a node besides its accesses, if anything is.
fn unusual(facts: &Facts, function: FuncId, stands: Stands) -> Option<&'static str> {
    match stands {
        Stands::Inst(inst) => match &inst.op {
            Op::Unsupported { .. } => Some("an instruction is not modelled"),
            Op::Call(call) => unusual_call(facts, function, call),
            _ => None,
        },
        Stands::Terminator(Terminator::Invoke { .. } | Terminator::Resume { .. }) => {
            Some("an exception may be thrown")
        }
        Stands::Terminator(Terminator::IndirectBr { .. }) => Some("a jump is computed"),
        Stands::Terminator(_) => None,
    }
}

fn unusual_call(facts: &Facts, caller: FuncId, call: &ir::Call) -> Option<&'static str> {
    let Callee::Direct(callee) = call.callee else {
        return Some("a function is called by a pointer");
    };
    let f = &facts.module.functions[callee];
    if external::REGISTERING.contains(&&*f.name) {
        return Some("a function is registered to be called later");
    }
    if ends_process(facts.module, callee) {
        return None;
    }
    let Some(external) = external::of(f) else {
        let fits = call.args.len() == f.params.len() && !f.variadic && facts.flow(callee).is_some();
        return (!fits).then_some("a function is called with other arguments than it has");
    };
    if call.args.len() < f.params.len() {
        return Some("a function is called with too few arguments");
    }
    match external.class {
        Class::Unmodelled => Some("a function is not modelled"),
        Class::GivesUp => Some("an execution may be given up"),
        Class::Saves | Class::Jumps => Some("a jump leaves functions"),
        Class::Throws => Some("an exception is thrown"),
        Class::Cleanup => Some("there are cleanup handlers"),
        Class::Releases => Some("memory is freed"),
        Class::Creates { .. } => {
            let body = facts.body(caller);
            let Some(started) = started(facts, caller, callee, call) else {
                return Some("a thread is started by a pointer");
            };
            let attributes = call.args.get(1).map(|value| body.values[*value].constant);
            if attributes != Some(Some(Const::Bits(0))) {
                return Some("a thread has attributes");
            }
            let f = &facts.module.functions[started];
            let is_entered = facts.flow(started).is_some() && f.params.len() == 1 && !f.variadic;
            (!is_entered).then_some("what a thread starts with is no function of one parameter")
        }
        _ => None,
    }
}

/// A pointer, with as many bytes behind it as are accessed.
struct Access {
    node: NodeId,
    kind: AccessKind,
    offset: Offset,
    bytes: u64,
}

/// What a function does with pointers.
struct Pointers<'a> {
    facts: &'a Facts<'a>,
    reached: &'a Reached,
    accesses: Vec<Access>,
    /// The arguments of every call and thread creation.
    given: FxHashMap<(NodeId, usize), Offset>,
}

/// An address that may lead to more objects is not plain.
const MOST_PARTS: usize = 256;

impl<'a> Pointers<'a> {
    fn of(facts: &'a Facts, reached: &'a Reached) -> Result<Pointers<'a>, NotPlain> {
        let mut pointers = Pointers {
            facts,
            reached,
            accesses: Vec::new(),
            given: FxHashMap::default(),
        };
        let mut strange = None;
        for_each_bounds(facts, |function, flow, bounds| {
            if !reached.contains(function) {
                return;
            }
            for &block in flow.cfg.order() {
                for node in facts.nodes.of_block(function, block) {
                    let is_known = pointers.add(bounds, node);
                    if is_known.is_none() && strange.is_none() {
                        let why = "it is not plain how much memory is accessed";
                        strange = Some(NotPlain { node, why });
                    }
                }
            }
        });
        strange.map_or(Ok(pointers), Err)
    }

    fn add(&mut self, bounds: &Bounds, node: NodeId) -> Option<()> {
        let facts = self.facts;
        let block = facts.nodes.block(node);
        let Some(call) = facts.call(node) else {
            return for_each_pointer(facts, node, &mut |kind, pointer, bytes| {
                self.access(node, kind, bounds.offset(pointer, block), bytes);
                Some(())
            });
        };
        for (index, argument) in call.args.iter().enumerate() {
            self.given
                .insert((node, index), bounds.offset(*argument, block));
        }
        let Callee::Direct(callee) = call.callee else {
            return None;
        };
        let Some(external) = external::of(&facts.module.functions[callee]) else {
            return Some(());
        };
        let touched = Touched {
            facts,
            body: facts.body(facts.nodes.function(node)),
            call,
            external,
        };
        touched.for_each(&mut |kind, pointer, bytes| {
            self.access(node, kind, bounds.offset(pointer, block), bytes);
        })
    }

    fn access(&mut self, node: NodeId, kind: AccessKind, offset: Offset, bytes: u64) {
        self.accesses.push(Access {
            node,
            kind,
            offset,
            bytes,
        });
    }

    /// Where all of them lie.
    fn resolve(self) -> Result<Plain, NotPlain> {
        let mut plain = Plain {
            accesses: FxHashMap::default(),
        };
        for access in &self.accesses {
            let node = access.node;
            let not_plain = |why| NotPlain { node, why };
            let function = self.facts.nodes.function(node);
            let mut parts = Vec::new();
            self.add_parts(function, access.offset, access.bytes, &mut parts)
                .ok_or_else(|| not_plain("an address is not plain to see"))?;
            for part in parts {
                if access.kind == AccessKind::Write
                    && let Whole::Global(global) = part.of
                    && self.facts.module.globals[global].constant
                {
                    return Err(not_plain("a constant is written"));
                }
                let known = plain.accesses.entry(node).or_default();
                known.push((access.kind, part));
            }
        }
        Ok(plain)
    }

    /// Adds the parts that an address may lead to. `None`: there may be others.
    fn add_parts(
        &self,
        function: FuncId,
        offset: Offset,
        bytes: u64,
        parts: &mut Vec<Part>,
    ) -> Option<()> {
        let body = self.facts.body(function);
        if let Some(index) = body.params.iter().position(|param| *param == offset.base) {
            return self.add_parts_given(function, index, offset, bytes, parts);
        }
        let (of, size, start) = whole(self.facts, function, offset.base)?;
        let low = offset.low + i128::from(start);
        let high = offset.high + i128::from(start) + i128::from(bytes);
        let is_inside = low >= 0 && high <= i128::from(size) && size <= LARGEST;
        parts.push(is_inside.then_some(Part {
            of,
            from: low as u64,
            to: high as u64,
        })?);
        (parts.len() <= MOST_PARTS).then_some(())
    }

    /// The same of an address in terms of a parameter. No function calls itself, so that this ends.
    fn add_parts_given(
        &self,
        function: FuncId,
        index: usize,
        offset: Offset,
        bytes: u64,
        parts: &mut Vec<Part>,
    ) -> Option<()> {
        let Facts { module, nodes, .. } = self.facts;
        if module.functions[function].name == "main" {
            return None;
        }
        let moved = |site: NodeId, index: usize, parts: &mut Vec<Part>| {
            let given = self.given.get(&(site, index))?;
            let offset = Offset {
                base: given.base,
                low: given.low + offset.low,
                high: given.high + offset.high,
            };
            self.add_parts(nodes.function(site), offset, bytes, parts)
        };
        for &site in self.reached.callers(function) {
            moved(site, index, parts)?;
        }
        for &site in self.reached.starts(function) {
            let before = parts.len();
            moved(site, ARGUMENT, parts)?;
            // Any other function may have returned by then.
            let outlasts = |part: &Part| match part.of {
                Whole::Global(_) => true,
                Whole::ThreadLocal(_) => false,
                Whole::Local(site) => self.reached.is_only_main(module, nodes.function(site)),
            };
            if !parts[before..].iter().all(outlasts) {
                return None;
            }
        }
        Some(())
    }
}

/// The object whose address the value is, how large it is, and the offset of the address.
fn whole(facts: &Facts, function: FuncId, value: ValueId) -> Option<(Whole, u64, i64)> {
    let body = facts.body(function);
    let defined = |global: GlobalId| facts.module.globals[global].init.is_some();
    match body.values[value].constant {
        Some(Const::Address(Symbol::Global(id), start)) => {
            let size = facts.module.globals[id].size;
            return defined(id).then_some((Whole::Global(id), size, start));
        }
        Some(_) => return None,
        None => {}
    }
    // What is made later may end before the function does.
    let entry = &body.blocks[BlockId(0)].insts;
    let made = entry
        .iter()
        .enumerate()
        .find_map(|(index, inst)| match inst.op {
            Op::Alloca {
                dst,
                size,
                count: None,
                ..
            } if dst == value => Some((index, size)),
            _ => None,
        });
    if let Some((index, size)) = made {
        let site = facts.nodes.at(function, BlockId(0), index);
        return Some((Whole::Local(site), size, 0));
    }
    let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.find_map(|inst| match inst.op {
        Op::TlsAddr { dst, global } if dst == value && defined(global) => {
            let size = facts.module.globals[global].size;
            Some((Whole::ThreadLocal(global), size, 0))
        }
        _ => None,
    })
}

/// A call of a function that is not entered.
struct Touched<'a> {
    facts: &'a Facts<'a>,
    body: &'a Body,
    call: &'a ir::Call,
    external: External,
}

impl Touched<'_> {
    /// Calls `f` with what it accesses. `None`: there may be more.
    fn for_each(&self, f: &mut dyn FnMut(AccessKind, ValueId, u64)) -> Option<()> {
        let pointer_bytes = self.facts.module.pointer_bytes();
        for effect in self.external.effects {
            let (kind, arg, bytes) = match effect {
                Effect::Reads(arg, Extent::Bytes(bytes)) => (AccessKind::Read, *arg, *bytes),
                Effect::Writes(arg, Extent::Bytes(bytes)) => (AccessKind::Write, *arg, *bytes),
                Effect::Writes(arg, Extent::Pointer) => (AccessKind::Write, *arg, pointer_bytes),
                Effect::StoresThreadResult(arg) => (AccessKind::Write, *arg, pointer_bytes),
                Effect::Reads(arg, Extent::Any) => {
                    self.text(*arg)?;
                    continue;
                }
                Effect::Formats { format, first } => {
                    let given = self.call.args.len().checked_sub(*first)?;
                    (formatted(self.text(*format)?)? <= given).then_some(())?;
                    continue;
                }
                Effect::ReturnsNew { .. }
                | Effect::Returns(_)
                | Effect::StartsThread { .. }
                | Effect::EndsThread(_)
                | Effect::ReadsCleanup
                | Effect::ReturnsErrno
                | Effect::WritesErrno => continue,
                _ => return None,
            };
            let pointer = *self.call.args.get(arg)?;
            let is_null = self.body.values[pointer].constant == Some(Const::Bits(0));
            if !(is_null && self.may_be_null(arg)) {
                f(kind, pointer, bytes);
            }
        }
        Some(())
    }

    /// Attributes, and where the result of a thread goes.
    fn may_be_null(&self, arg: usize) -> bool {
        use crate::external::Sync::Initialise;
        let class = self.external.class;
        let is_optional = matches!(
            class,
            Class::Creates { .. } | Class::Joins { .. } | Class::Synchronises(Initialise { .. })
        );
        is_optional && arg == 1
    }

    /// The constant text that is passed.
    fn text(&self, arg: usize) -> Option<&[u8]> {
        let value = *self.call.args.get(arg)?;
        let Some(Const::Address(Symbol::Global(global), start)) = self.body.values[value].constant
        else {
            return None;
        };
        let global = &self.facts.module.globals[global];
        let init = global.init.as_ref().filter(|_| global.constant)?;
        let text = init.bytes.get(usize::try_from(start).ok()?..)?;
        let end = text.iter().position(|byte| *byte == 0)?;
        init.relocations.is_empty().then(|| &text[..end])
    }
}

/// How many arguments a format takes. `None`: it does more than to print numbers.
fn formatted(format: &[u8]) -> Option<usize> {
    let mut arguments = 0;
    let mut bytes = format.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'%' {
            continue;
        }
        let conversion = bytes.find(|byte| !b"0123456789-+ #.hlzjt".contains(byte))?;
        match conversion {
            b'%' => {}
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' | b'p' => arguments += 1,
            b'e' | b'f' | b'g' => arguments += 1,
            _ => return None,
        }
    }
    Some(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_numbers_are_plain() {
        assert_eq!(formatted(b"nothing"), Some(0));
        assert_eq!(formatted(b"%d of %5lu: 100%%\n"), Some(2));
        assert_eq!(formatted(b"%s"), None);
        assert_eq!(formatted(b"%n"), None);
        assert_eq!(formatted(b"%*d"), None);
        assert_eq!(formatted(b"%"), None);
    }
}
