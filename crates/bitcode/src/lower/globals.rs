//! Global variables and their initial contents.

use ir::{Const, FuncId, Init, Relocation};

use super::constants::Folded;
use super::{Lowered, types::Leaf};
use super::{Program, unmodelled};
use crate::llvm::{Kind, TypeKind, Value};

/// The machine holds no larger objects.
const LARGEST: u64 = 128 << 20;

impl<'m> Program<'m> {
    pub(super) fn declare_global(&mut self, global: Value<'m>) -> ir::Global {
        ir::Global {
            name: global.name(),
            size: self.module.alloc_size(global.value_type()),
            align: self.module.global_align(global),
            constant: global.is_constant_global(),
            thread_local: global.is_thread_local(),
            init: None,
            var: global
                .debug_of_global()
                .and_then(|variable| self.debug.variable(variable)),
        }
    }

    pub(super) fn lower_globals(&mut self) {
        for global in self.module.globals() {
            if let Some(&id) = self.globals.get(&global) {
                // A global whose contents cannot be expressed stays undefined: reading it makes the
                // verdict `unknown`.
                let init = global
                    .initializer()
                    .and_then(|value| self.initial_contents(global, value).ok());
                self.out.globals[id].init = init;
                continue;
            }
            match global.name().as_str() {
                "llvm.global_ctors" => self.out.constructors = self.startup_list(global),
                "llvm.global_dtors" => self.out.destructors = self.startup_list(global),
                _ => {}
            }
        }
    }

    /// The functions in `llvm.global_ctors` or `_dtors` by priority, lowest first. Destructors run
    /// in this order reversed.
    fn startup_list(&mut self, global: Value<'m>) -> Vec<FuncId> {
        let mut entries = Vec::new();
        let Some(list) = global.initializer() else {
            return Vec::new();
        };
        let mut index = 0;
        while let Some(entry) = list.constant_element(index) {
            index += 1;
            let (Some(priority), Some(function)) =
                (entry.constant_element(0), entry.constant_element(1))
            else {
                continue;
            };
            let function = self.resolve(function);
            if let Some(&id) = function.and_then(|f| self.functions.get(&f))
                && priority.kind() == Kind::Int
            {
                entries.push((priority.int_bits(), id));
            }
        }
        entries.sort_by_key(|&(priority, _)| priority);
        if global.name() == "llvm.global_dtors" {
            entries.reverse();
        }
        entries.into_iter().map(|(_, id)| id).collect()
    }

    fn initial_contents(&mut self, global: Value<'m>, value: Value<'m>) -> Lowered<Init> {
        let size = self.module.alloc_size(global.value_type());
        if size > LARGEST || size > self.initial_bytes_left {
            return unmodelled("very large globals");
        }
        self.initial_bytes_left -= size;
        let mut init = Init {
            bytes: vec![0; size as usize],
            relocations: Vec::new(),
        };
        self.write_constant(value, 0, &mut init)?;
        init.relocations.sort_by_key(|relocation| relocation.offset);
        Ok(init)
    }

    fn write_constant(&mut self, value: Value<'m>, offset: u64, init: &mut Init) -> Lowered<()> {
        match value.kind() {
            // Zero already; undefined parts are zero too.
            Kind::ZeroAggregate | Kind::Undef | Kind::NullPointer => return Ok(()),
            Kind::Aggregate | Kind::Data => {}
            _ => {
                let ty = self.layouts.leaves(value.ty())?;
                let [leaf] = *ty else {
                    return self.write_elements(value, offset, init);
                };
                return self.write_scalar(value, leaf, offset, init);
            }
        }
        self.write_elements(value, offset, init)
    }

    fn write_elements(&mut self, value: Value<'m>, offset: u64, init: &mut Init) -> Lowered<()> {
        let ty = value.ty();
        if self.layouts.is_bit_packed(ty) {
            return unmodelled("bit-packed lanes in memory");
        }
        let (count, stride) = match ty.kind() {
            TypeKind::LLVMStructTypeKind => (u64::from(ty.field_count()), None),
            TypeKind::LLVMArrayTypeKind => (
                ty.array_length(),
                Some(self.module.alloc_size(ty.element())),
            ),
            TypeKind::LLVMVectorTypeKind => {
                let stride = self.module.bit_size(ty.element()) / 8;
                (u64::from(ty.vector_length()), Some(stride))
            }
            _ => return unmodelled(format!("a constant of type {}", ty.print())),
        };
        for index in 0..count {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let Some(element) = value.constant_element(index) else {
                return unmodelled(format!("a constant of type {}", ty.print()));
            };
            let at = match stride {
                Some(stride) => u64::from(index).wrapping_mul(stride),
                None => self.module.field_offset(ty, index),
            };
            self.write_constant(element, offset.wrapping_add(at), init)?;
        }
        Ok(())
    }

    fn write_scalar(
        &mut self,
        value: Value<'m>,
        leaf: Leaf,
        offset: u64,
        init: &mut Init,
    ) -> Lowered<()> {
        let bytes = leaf.ty.bytes(self.out.pointer_bits) as usize;
        let at = offset as usize;
        let range = at..at.saturating_add(bytes);
        // In LLVM, a type of more than 2^64 bytes has a size nevertheless.
        let Some(place) = init.bytes.get_mut(range) else {
            return unmodelled("an initial value outside of its global");
        };
        match self.fold(value)? {
            Folded::Known(Const::Bits(bits)) => {
                place.copy_from_slice(&bits.to_le_bytes()[..bytes]);
            }
            Folded::Known(Const::Address(target, addend)) => {
                if bytes as u64 != self.out.pointer_bytes() {
                    return unmodelled("part of an address in an initial value");
                }
                init.relocations.push(Relocation {
                    offset,
                    target,
                    addend,
                });
            }
            Folded::Undef => {}
            Folded::Dynamic => return unmodelled("an initial value that depends on the layout"),
        }
        Ok(())
    }
}
