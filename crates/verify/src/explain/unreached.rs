//! What no execution does: sides of branches that are never taken, and lines that are dead under
//! every schedule. From a proof by the trace engine, which knows all executions.
//!
//! A side is dead if each of its unrolled copies was refuted: for every thread, way of calls and
//! round of loops. A block is dead if it cannot be reached along other edges. Of what was not
//! unrolled (a branch on which nothing depends, a case of a `switch` in the library) nothing was
//! refuted, and nothing is said. A line is dead if all that was compiled from it is.
//!
//! Conditions are shown as the source has them. Which side is which is known from the comparison
//! that the branch was compiled from, and whoever shows it compares that with the source.

use std::collections::{BTreeMap, BTreeSet};

use ir::debug::LocId;
use ir::{BinOp, BlockId, Body, Callee, CmpOp, Const, FuncId, Op, Symbol, Terminator, ValueId};
use machine::Program;

use super::{Lines, SourceLine};
use crate::names::Names;

/// Edges from block to block.
pub(crate) type Edges = BTreeSet<(FuncId, BlockId, BlockId)>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unreached {
    /// In the order of the source.
    pub sides: Vec<DeadSide>,
    /// Functions that are never called.
    pub uncalled: Vec<(String, PlaceOf)>,
    /// By file, the lines that were executed.
    pub executed: BTreeMap<String, BTreeSet<u32>>,
    /// By file, the lines that are dead under every schedule.
    pub dead: BTreeMap<String, BTreeSet<u32>>,
    /// Lines that were asked for and of which nothing is known.
    pub nothing_at: Vec<SourceLine>,
}

/// A place in the source: file and line.
pub type PlaceOf = (String, u32);

/// A side of a branch that no execution takes.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadSide {
    pub place: PlaceOf,
    pub condition: Condition,
    /// Lines of the same file that are dead because of that.
    pub dead: Vec<u32>,
}

/// What never holds where the branch stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A comparison that the source has at this place is never that. The operator is the one for
    /// which it would be true; a value without operator is compared with zero.
    Compares {
        line: u32,
        column: u32,
        operator: &'static str,
        never: bool,
    },
    /// All of the condition of a statement that stands at this place is never that.
    Whole { line: u32, column: u32, never: bool },
    /// A case of a `switch`; `None`: its default.
    Case(Option<u128>),
}

/// What is to be said of a program all of whose executions are known: of these lines, or of all.
pub(crate) fn unreached(
    program: &Program,
    executed: &BTreeSet<(FuncId, BlockId)>,
    dead: &Edges,
    lines: &Lines,
) -> Unreached {
    let alive = Alive::of(program, executed, dead);
    let source = Source {
        names: Names::new(program),
        program,
    };
    let mut found = Unreached::default();
    let of_alive = source.lines_of(&alive.blocks);
    for (file, line) in source.lines_of(executed) {
        found.executed.entry(file).or_default().insert(line);
    }
    let mut said: BTreeSet<PlaceOf> = BTreeSet::new();
    for (function, block, target) in dead {
        if !alive.blocks.contains(&(*function, *block)) {
            continue;
        }
        let Some((place, condition)) = source.side(*function, *block, *target) else {
            continue;
        };
        let behind = alive.dead_behind(program, *function, *target);
        let behind = source.lines_of(&behind).into_iter();
        let behind = behind.filter(|(file, line)| {
            let line = (file.clone(), *line);
            *file == place.0 && !of_alive.contains(&line) && said.insert(line)
        });
        found.sides.push(DeadSide {
            dead: behind.map(|(_, line)| line).collect(),
            place,
            condition,
        });
    }
    found.sides.sort_by(|a, b| a.place.cmp(&b.place));
    for (id, function) in program.module.functions.enumerate() {
        let Some((body, place)) = function.body.as_ref().zip(source.place(function.loc)) else {
            continue;
        };
        if function.runtime || !alive.is_dead(id) {
            continue;
        }
        let blocks = body.blocks.ids().map(|block| (id, block)).collect();
        said.extend(source.lines_of(&blocks));
        found
            .uncalled
            .push((source.names.function(id).to_string(), place));
    }
    for (file, line) in said.difference(&of_alive) {
        found.dead.entry(file.clone()).or_default().insert(*line);
    }
    found.choose(lines);
    found
}

impl Unreached {
    /// Leaves out what is not about these lines, if there are any.
    fn choose(&mut self, lines: &Lines) {
        if lines.0.is_empty() {
            return;
        }
        let is_chosen = |file: &str, line: u32| lines.0.iter().any(|l| l.is(file, line));
        self.sides.retain(|side| {
            let (file, line) = &side.place;
            is_chosen(file, *line) || side.dead.iter().any(|line| is_chosen(file, *line))
        });
        self.uncalled
            .retain(|(_, (file, line))| is_chosen(file, *line));
        for lines in [&mut self.executed, &mut self.dead] {
            for (file, lines) in lines.iter_mut() {
                lines.retain(|line| is_chosen(file, *line));
            }
            lines.retain(|_, lines| !lines.is_empty());
        }
        let all = [&self.executed, &self.dead].into_iter().flatten();
        let known: Vec<(&String, &BTreeSet<u32>)> = all.collect();
        let is_known = |line: &SourceLine| {
            let mut known = known.iter();
            known.any(|(file, lines)| lines.iter().any(|at| line.is(file, *at)))
        };
        let unknown = lines.0.iter().filter(|line| !is_known(line));
        self.nothing_at = unknown.cloned().collect();
    }
}

/// What was not refuted.
struct Alive {
    blocks: BTreeSet<(FuncId, BlockId)>,
    /// Functions that are called by what is alive, or whose addresses are somewhere.
    functions: BTreeSet<FuncId>,
}

const ENTRY: BlockId = BlockId(0);

impl Alive {
    fn of(program: &Program, executed: &BTreeSet<(FuncId, BlockId)>, dead: &Edges) -> Alive {
        let mut alive = Alive {
            blocks: BTreeSet::new(),
            functions: BTreeSet::new(),
        };
        let mut work: Vec<(FuncId, BlockId)> = executed.iter().copied().collect();
        for function in addressed(program) {
            alive.functions.insert(function);
            work.push((function, ENTRY));
        }
        while let Some((function, block)) = work.pop() {
            let body = program.module.functions[function].body.as_ref();
            let Some(body) = body.filter(|_| alive.blocks.insert((function, block))) else {
                continue;
            };
            let block_of = &body.blocks[block];
            block_of.terminator.for_each_successor(|target| {
                if !dead.contains(&(function, block, target)) {
                    work.push((function, target));
                }
            });
            let calls = block_of.insts.iter().filter_map(|inst| match &inst.op {
                Op::Call(call) => Some(call),
                _ => None,
            });
            let invoked = match &block_of.terminator {
                Terminator::Invoke { call, .. } => Some(call),
                _ => None,
            };
            for call in calls.chain(invoked) {
                if let Callee::Direct(callee) = call.callee {
                    alive.functions.insert(callee);
                    work.push((callee, ENTRY));
                }
            }
        }
        alive
    }

    fn is_dead(&self, function: FuncId) -> bool {
        !self.functions.contains(&function) && !self.blocks.contains(&(function, ENTRY))
    }

    /// The dead blocks of the function to which one of them leads, and that one.
    fn dead_behind(
        &self,
        program: &Program,
        function: FuncId,
        block: BlockId,
    ) -> BTreeSet<(FuncId, BlockId)> {
        let mut behind = BTreeSet::new();
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            if self.blocks.contains(&(function, block)) || !behind.insert((function, block)) {
                continue;
            }
            if let Some(body) = &program.module.functions[function].body {
                let terminator = &body.blocks[block].terminator;
                terminator.for_each_successor(|target| work.push(target));
            }
        }
        behind
    }
}

/// Functions that may be called by others than those that name them.
fn addressed(program: &Program) -> BTreeSet<FuncId> {
    let module = &program.module;
    let mut all = BTreeSet::new();
    let mut add = |symbol: Symbol| {
        if let Symbol::Function(function) = symbol {
            all.insert(function);
        }
    };
    for body in module.functions.iter().filter_map(|f| f.body.as_ref()) {
        for value in &body.values {
            if let Some(Const::Address(symbol, _)) = value.constant {
                add(symbol);
            }
        }
    }
    for init in module.globals.iter().filter_map(|g| g.init.as_ref()) {
        init.relocations.iter().for_each(|at| add(at.target));
    }
    all.extend(module.constructors.iter().chain(&module.destructors));
    all.extend(module.function_named("main"));
    all
}

struct Source<'p> {
    names: Names<'p>,
    program: &'p Program,
}

impl Source<'_> {
    fn place(&self, loc: Option<LocId>) -> Option<PlaceOf> {
        let (file, line) = self.names.file_and_line(loc?)?;
        // Headers of the system are not the user's own code.
        (!file.starts_with("/usr/")).then(|| (file.to_string(), line))
    }

    fn lines_of(&self, blocks: &BTreeSet<(FuncId, BlockId)>) -> BTreeSet<PlaceOf> {
        let functions = &self.program.module.functions;
        let of_user = blocks
            .iter()
            .filter(|(function, _)| !functions[*function].runtime);
        let bodies = of_user.filter_map(|(f, block)| functions[*f].body.as_ref().zip(Some(block)));
        let locs = bodies.flat_map(|(body, block)| {
            let block = &body.blocks[*block];
            let insts = block.insts.iter().map(|inst| inst.loc);
            insts.chain([block.terminator_loc])
        });
        locs.filter_map(|loc| self.place(Some(loc))).collect()
    }

    /// Where the branch stands, and what never holds there if it never goes to the target.
    fn side(
        &self,
        function: FuncId,
        block: BlockId,
        target: BlockId,
    ) -> Option<(PlaceOf, Condition)> {
        let body = self.program.module.functions[function].body.as_ref()?;
        let from = &body.blocks[block];
        let place = self.place(Some(from.terminator_loc))?;
        let condition = match &from.terminator {
            Terminator::CondBr { cond, then, other } if then.block != other.block => {
                let never = then.block == target;
                self.condition(body, *cond, from.terminator_loc, never)
            }
            Terminator::Switch { cases, .. } => {
                let case = cases.iter().find(|(_, to)| to.block == target);
                Condition::Case(case.map(|(case, _)| *case))
            }
            _ => return None,
        };
        Some((place, condition))
    }

    /// `cond` is never `never`, where a branch stands at this place.
    fn condition(&self, body: &Body, cond: ValueId, branch: LocId, never: bool) -> Condition {
        let locs = &self.program.module.debug.locs;
        let place = locs[branch];
        let whole = Condition::Whole {
            line: place.line,
            column: place.column,
            never,
        };
        let (mut value, mut is_negated) = (cond, false);
        while let Some(inst) = definition(body, value) {
            match &inst.op {
                Op::Cmp { op, .. } => {
                    let at = locs[inst.loc];
                    if at.file != place.file || !at.is_known() {
                        return whole;
                    }
                    return Condition::Compares {
                        line: at.line,
                        column: at.column,
                        operator: operator(*op),
                        never: never != is_negated,
                    };
                }
                Op::Bin {
                    op: BinOp::Xor,
                    a,
                    b,
                    ..
                } if body.values[*b].constant == Some(Const::Bits(1)) => {
                    is_negated = !is_negated;
                    value = *a;
                }
                _ => return whole,
            }
        }
        whole
    }
}

fn definition(body: &Body, value: ValueId) -> Option<&ir::Inst> {
    let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.find(|inst| {
        let mut defines = false;
        inst.op.for_each_result(|result| defines |= result == value);
        defines
    })
}

fn operator(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Ult | CmpOp::Slt => "<",
        CmpOp::Ule | CmpOp::Sle => "<=",
        CmpOp::Ugt | CmpOp::Sgt => ">",
        CmpOp::Uge | CmpOp::Sge => ">=",
    }
}
