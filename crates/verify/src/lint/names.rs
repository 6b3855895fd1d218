//! Names of memory and locks that are known only by where they come from.

use analysis::{Location, NodeId, ObjectId, ObjectKind, Stands, external};
use ir::debug::{DebugType, TypeId};
use ir::{Call, Module, Op, Terminator, ValueId};
use lint::locks::{Held, Lock};
use lint::{Facts, Race};

use crate::names::Names;

pub struct StaticNames<'a> {
    pub module: &'a Module,
    pub facts: Facts<'a>,
    pub names: &'a Names<'a>,
}

/// Of more objects than these, only the number is told.
const MOST_LISTED: usize = 3;

impl StaticNames<'_> {
    /// What a race is about.
    pub fn memory(&self, race: &Race) -> String {
        let (name, ty) = self.object(race.object);
        let bytes = race
            .accesses
            .iter()
            .filter_map(|a| a.bytes)
            .min()
            .unwrap_or(1);
        match (ty, race.offset) {
            (Some(ty), Some(offset)) => format!("{name}{}", self.names.path(ty, offset, bytes)),
            (Some(ty), None) if self.is_array(ty) => format!("{name}[..]"),
            (None, _) => {
                let mut fields = race.accesses.iter().filter_map(|a| self.field(a.at.node));
                fields
                    .next()
                    .map_or(name.clone(), |field| format!("{name}{field}"))
            }
            _ => name,
        }
    }

    /// A lock that is held.
    pub fn lock(&self, held: &Held) -> String {
        if let Lock::At(address) = &held.lock
            && let (Some(object), true) = (address.anchor, address.is_absolute())
        {
            let offset = u64::try_from(address.offset).ok();
            return self.sync_object(Location { object, offset });
        }
        let node = held.path.last();
        node.map_or("a lock".to_string(), |node| self.waited_for(*node))
    }

    /// The lock or condition that the call at this node is about, or what it reads.
    pub fn waited_for(&self, node: NodeId) -> String {
        let operand = match self.facts.nodes.stands_for(self.module, node) {
            Stands::Inst(inst) => match inst.op {
                Op::Load { ptr, .. } | Op::Rmw { ptr, .. } | Op::CmpXchg { ptr, .. } => Some(ptr),
                _ => None,
            },
            Stands::Terminator(_) => None,
        };
        let asked = || self.call(node).and_then(|call| self.operand(node, call));
        let Some(operand) = operand.or_else(asked) else {
            return "a lock".to_string();
        };
        let function = self.facts.nodes.function(node);
        let targets = self.facts.points_to.targets(function, operand);
        let mut all: Vec<String> = targets.map(|target| self.sync_object(target)).collect();
        all.dedup();
        match all.as_slice() {
            [] => "a lock".to_string(),
            [one] => one.clone(),
            few if few.len() <= MOST_LISTED => format!("one of {}", few.join(", ")),
            many => format!("one of {} locks", many.len()),
        }
    }

    fn call(&self, node: NodeId) -> Option<&Call> {
        match self.facts.nodes.stands_for(self.module, node) {
            Stands::Inst(inst) => match &inst.op {
                Op::Call(call) => Some(call),
                _ => None,
            },
            Stands::Terminator(Terminator::Invoke { call, .. }) => Some(call),
            Stands::Terminator(_) => None,
        }
    }

    fn operand(&self, node: NodeId, call: &Call) -> Option<ValueId> {
        use external::{Class, Sync};
        let callees = self.facts.points_to.callees(node).iter();
        let classes = callees.filter_map(|f| external::of_id(self.module, *f));
        let position = classes.into_iter().find_map(|e| match e.class {
            Class::Synchronises(Sync::Lock { lock, .. }) => Some(lock),
            Class::Synchronises(Sync::WaitCondition { condition, .. }) => Some(condition),
            Class::Synchronises(Sync::WaitSemaphore { semaphore, .. }) => Some(semaphore),
            Class::Synchronises(Sync::WaitBarrier { barrier }) => Some(barrier),
            _ => None,
        })?;
        call.args.get(position).copied()
    }

    /// Without what the system's headers put inside it.
    fn sync_object(&self, location: Location) -> String {
        let (name, ty) = self.object(location.object);
        let mut name = match (ty, location.offset) {
            (Some(ty), Some(offset)) => format!("{name}{}", self.names.path(ty, offset, 1)),
            (Some(ty), None) if self.is_array(ty) => format!("{name}[..]"),
            (None, Some(offset)) if offset > 0 => format!("{name}+{offset}"),
            _ => name,
        };
        while let Some(dot) = name.rfind('.')
            && name[dot + 1..].starts_with('_')
        {
            name.truncate(dot);
        }
        name
    }

    fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.module.debug.types[ty], DebugType::Array { .. })
    }

    fn object(&self, object: ObjectId) -> (String, Option<TypeId>) {
        let debug = &self.module.debug;
        let variable = |var: Option<ir::debug::VarId>, otherwise: String| match var {
            Some(var) => (debug.vars[var].name.clone(), debug.vars[var].ty),
            None => (otherwise, None),
        };
        match self.facts.points_to.objects()[object].kind {
            ObjectKind::Global(global) => {
                let global = &self.module.globals[global];
                variable(global.var, global.name.clone())
            }
            ObjectKind::Local(site) => {
                let function = self.names.function(self.facts.nodes.function(site));
                let var = match self.facts.nodes.stands_for(self.module, site) {
                    Stands::Inst(inst) => match inst.op {
                        Op::Alloca { var, .. } => var,
                        _ => None,
                    },
                    Stands::Terminator(_) => None,
                };
                variable(var, format!("a local of {function}()"))
            }
            ObjectKind::Heap { site, caller } => {
                let functions = &self.module.functions;
                let is_own = |node: &NodeId| !functions[self.facts.nodes.function(*node)].runtime;
                let node = Some(site).filter(is_own).or(caller).unwrap_or(site);
                let loc = self.facts.nodes.loc(self.module, node);
                let place = self.names.file_and_line(loc);
                (
                    place.map_or("heap".to_string(), |(_, line)| format!("heap@{line}")),
                    None,
                )
            }
            ObjectKind::Pool(_) => ("heap".to_string(), None),
            ObjectKind::Function(function) => (self.names.function(function).to_string(), None),
            ObjectKind::Errno => ("errno".to_string(), None),
            ObjectKind::VariableArguments(function) => {
                let function = self.names.function(function);
                (format!("the arguments of {function}()"), None)
            }
            ObjectKind::ArgumentVector | ObjectKind::ArgumentText => ("argv".to_string(), None),
            _ => ("memory".to_string(), None),
        }
    }

    /// `.next`, if the node accesses a field of a record.
    fn field(&self, node: NodeId) -> Option<String> {
        let function = self.facts.nodes.function(node);
        let body = self.module.functions[function].body.as_ref()?;
        let Stands::Inst(inst) = self.facts.nodes.stands_for(self.module, node) else {
            return None;
        };
        let pointer = match inst.op {
            Op::Load { ptr, .. }
            | Op::Store { ptr, .. }
            | Op::Rmw { ptr, .. }
            | Op::CmpXchg { ptr, .. } => ptr,
            _ => return None,
        };
        let insts = body.blocks.iter().flat_map(|block| &block.insts);
        insts.into_iter().find_map(|inst| match &inst.op {
            Op::PtrAdd {
                dst,
                offset,
                record: Some(record),
                ..
            } if *dst == pointer => {
                let offset = u64::try_from(*offset).ok()?;
                Some(self.names.path(*record, offset, 1))
            }
            _ => None,
        })
    }
}
