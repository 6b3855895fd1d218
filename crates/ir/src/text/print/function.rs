//! Functions: the header, the part of the value table that the code does not show, the blocks.

use std::collections::HashMap;

use super::{Names, comma_separated, flags, inst, put, symbol_name};
use crate::module::{Block, BlockId, Body, Const, Function, Type, Value, ValueId};
use crate::text::lexer::quoted;

pub fn function(out: &mut String, names: &Names<'_>, function: &Function) {
    let body = function.body.as_ref().map(|b| BodyNames::new(names, b));
    let in_header = body.as_ref().is_some_and(|b| b.params_match(function));
    let params = match &body {
        Some(body) if in_header => comma_separated(
            body.body
                .params
                .iter()
                .map(|param| body.typed_parameter(*param)),
        ),
        _ => comma_separated(function.params.iter().map(|ty| ty.to_string())),
    };
    put!(out, "func {}({params})", symbol_name(&function.name));
    if !function.results.is_empty() {
        let results = comma_separated(function.results.iter().map(|ty| ty.to_string()));
        put!(out, " -> ({results})");
    }
    out.push_str(&flags(&[
        (function.variadic, "variadic"),
        (function.weak, "weak"),
        (function.runtime, "runtime"),
    ]));
    if function.source_name != function.name {
        put!(out, " source {}", quoted(&function.source_name));
    }
    if let Some(loc) = function.loc {
        put!(out, " at {}", names.location(loc));
    }
    match body {
        Some(body) => {
            out.push_str(" {\n");
            body.values(out);
            if !in_header {
                let params = body.body.params.iter().map(|p| body.definition(*p));
                put!(out, "  params ({})\n", comma_separated(params));
            }
            for (id, block) in body.body.blocks.enumerate() {
                body.block(out, id, block);
            }
            out.push_str("}\n");
        }
        None => out.push('\n'),
    }
}

/// How the values of one body are written.
pub struct BodyNames<'m> {
    pub names: &'m Names<'m>,
    body: &'m Body,
    /// How often each value is assigned.
    assigned: Vec<u32>,
    /// The constant that a literal denotes.
    literals: HashMap<(Type, Const), ValueId>,
}

impl<'m> BodyNames<'m> {
    fn new(names: &'m Names<'m>, body: &'m Body) -> Self {
        let mut assigned = vec![0u32; body.values.len()];
        let mut assign = |value: ValueId| {
            if let Some(count) = assigned.get_mut(value.index()) {
                *count = count.saturating_add(1);
            }
        };
        body.params.iter().copied().for_each(&mut assign);
        for block in &body.blocks {
            block.params.iter().copied().for_each(&mut assign);
            for inst in &block.insts {
                inst.op.for_each_result(&mut assign);
            }
            let results = block.terminator.results();
            results.iter().copied().for_each(&mut assign);
        }
        let mut literals = HashMap::new();
        for (id, value) in body.values.enumerate() {
            if let (Some(constant), None) = (value.constant, &value.name) {
                literals.entry((value.ty, constant)).or_insert(id);
            }
        }
        BodyNames {
            names,
            body,
            assigned,
            literals,
        }
    }

    /// The table entry, if its type and name are written where it is assigned.
    fn declared_inline(&self, id: ValueId) -> Option<&Value> {
        let value = self.body.values.get(id)?;
        (value.constant.is_none() && self.assigned[id.index()] == 1).then_some(value)
    }

    /// Whether the header can declare the parameters' values along with their types.
    fn params_match(&self, function: &Function) -> bool {
        let values = &self.body.params;
        let mut pairs = values.iter().zip(&function.params);
        values.len() == function.params.len()
            && pairs.all(|(id, ty)| self.declared_inline(*id).is_some_and(|v| v.ty == *ty))
    }

    /// `i32 %1 "name"`, for the header.
    fn typed_parameter(&self, id: ValueId) -> String {
        let value = &self.body.values[id];
        format!("{} {id}{}", value.ty, name_suffix(value))
    }

    /// `%1 "name": i32`, or just `%1` if it stands in `values`.
    pub fn definition(&self, id: ValueId) -> String {
        match self.declared_inline(id) {
            Some(value) => format!("{id}{}: {}", name_suffix(value), value.ty),
            None => id.to_string(),
        }
    }

    pub fn definitions(&self, ids: &[ValueId]) -> String {
        comma_separated(ids.iter().map(|id| self.definition(*id)))
    }

    /// A literal if it denotes exactly this value.
    pub fn operand(&self, id: ValueId) -> String {
        if let Some(Value {
            ty,
            constant: Some(constant),
            ..
        }) = self.body.values.get(id)
            && self.literals.get(&(*ty, *constant)) == Some(&id)
        {
            return self.names.constant(*ty, *constant);
        }
        id.to_string()
    }

    pub fn operands(&self, ids: &[ValueId]) -> String {
        comma_separated(ids.iter().map(|id| self.operand(*id)))
    }

    fn values(&self, out: &mut String) {
        let mut listed = self
            .body
            .values
            .enumerate()
            .filter(|(id, _)| self.declared_inline(*id).is_none())
            .peekable();
        if listed.peek().is_none() {
            return;
        }
        out.push_str("  values {\n");
        for (id, value) in listed {
            let name = name_suffix(value);
            match value.constant {
                Some(constant) => {
                    let constant = self.names.constant(value.ty, constant);
                    put!(out, "    {id}{name} = {constant}\n");
                }
                None => put!(out, "    {id}{name}: {}\n", value.ty),
            }
        }
        out.push_str("  }\n");
    }

    fn block(&self, out: &mut String, id: BlockId, block: &Block) {
        match block.params.as_slice() {
            [] => put!(out, "{id}:\n"),
            params => put!(out, "{id}({}):\n", self.definitions(params)),
        }
        for i in &block.insts {
            let loc = self.names.location_suffix(i.loc);
            put!(out, "  {}{loc}\n", inst::instruction(self, &i.op));
        }
        let loc = self.names.location_suffix(block.terminator_loc);
        put!(
            out,
            "  {}{loc}\n",
            inst::terminator(self, &block.terminator)
        );
    }
}

fn name_suffix(value: &Value) -> String {
    let name = value.name.as_ref();
    name.map(|name| format!(" {}", quoted(name)))
        .unwrap_or_default()
}
