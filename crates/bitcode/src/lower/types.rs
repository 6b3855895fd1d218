//! First-class types taken apart into scalars.

use std::rc::Rc;

use ir::Type;
use rustc_hash::FxHashMap;

use super::{Lowered, unmodelled};
use crate::llvm::{self, Module, TypeKind};

/// One scalar of a type, and where it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaf {
    pub ty: Type,
    pub offset: u64,
}

/// A value with more scalars than this is not taken apart.
const MOST_LEAVES: u64 = 1 << 14;

pub struct Layouts<'m> {
    module: &'m Module<'m>,
    cache: FxHashMap<llvm::Type<'m>, Lowered<Rc<[Leaf]>>>,
}

impl<'m> Layouts<'m> {
    pub fn new(module: &'m Module<'m>) -> Self {
        Layouts {
            module,
            cache: FxHashMap::default(),
        }
    }

    /// The scalars of `ty` in order. `void` and empty structs have none.
    pub fn leaves(&mut self, ty: llvm::Type<'m>) -> Lowered<Rc<[Leaf]>> {
        if let Some(known) = self.cache.get(&ty) {
            return known.clone();
        }
        let mut out = Vec::new();
        let leaves = self.flatten(ty, 0, &mut out).map(|()| Rc::from(out));
        self.cache.insert(ty, leaves.clone());
        leaves
    }

    pub fn types(&mut self, ty: llvm::Type<'m>) -> Lowered<Vec<Type>> {
        Ok(self.leaves(ty)?.iter().map(|leaf| leaf.ty).collect())
    }

    /// The one scalar that `ty` is.
    pub fn scalar(&mut self, ty: llvm::Type<'m>) -> Lowered<Type> {
        match *self.leaves(ty)? {
            [leaf] => Ok(leaf.ty),
            _ => unmodelled(format!("a scalar of type {}", ty.print())),
        }
    }

    fn flatten(&mut self, ty: llvm::Type<'m>, offset: u64, out: &mut Vec<Leaf>) -> Lowered<()> {
        let scalar = match ty.kind() {
            TypeKind::LLVMVoidTypeKind => return Ok(()),
            TypeKind::LLVMIntegerTypeKind => match ty.int_width() {
                bits @ 1..=128 => Type::Int(bits as u8),
                bits => return unmodelled(format!("an integer of {bits} bits")),
            },
            TypeKind::LLVMPointerTypeKind => match self.module.bit_size(ty) {
                bits if bits == u64::from(self.module.pointer_bits()) => Type::Ptr,
                bits => return unmodelled(format!("a pointer of {bits} bits")),
            },
            TypeKind::LLVMHalfTypeKind => Type::F16,
            TypeKind::LLVMBFloatTypeKind => Type::BF16,
            TypeKind::LLVMFloatTypeKind => Type::F32,
            TypeKind::LLVMDoubleTypeKind => Type::F64,
            TypeKind::LLVMX86_FP80TypeKind => Type::F80,
            TypeKind::LLVMFP128TypeKind => Type::F128,
            TypeKind::LLVMStructTypeKind if !ty.is_opaque() => {
                for index in 0..ty.field_count() {
                    let at = offset + self.module.field_offset(ty, index);
                    self.flatten(ty.field(index), at, out)?;
                }
                return Ok(());
            }
            TypeKind::LLVMArrayTypeKind => {
                let stride = self.module.alloc_size(ty.element());
                return self.repeat(ty.element(), ty.array_length(), stride, offset, out);
            }
            TypeKind::LLVMVectorTypeKind => {
                // Lanes are packed; those that are no whole bytes are refused when they meet
                // memory.
                let stride = self.module.bit_size(ty.element()) / 8;
                let count = u64::from(ty.vector_length());
                return self.repeat(ty.element(), count, stride, offset, out);
            }
            _ => return unmodelled(format!("type {}", ty.print())),
        };
        out.push(Leaf { ty: scalar, offset });
        Ok(())
    }

    fn repeat(
        &mut self,
        element: llvm::Type<'m>,
        count: u64,
        stride: u64,
        offset: u64,
        out: &mut Vec<Leaf>,
    ) -> Lowered<()> {
        let each = self.leaves(element)?;
        if count.saturating_mul(each.len() as u64) > MOST_LEAVES {
            return unmodelled("a value of very many parts");
        }
        for index in 0..count {
            out.extend(each.iter().map(|leaf| Leaf {
                ty: leaf.ty,
                offset: offset + index * stride + leaf.offset,
            }));
        }
        Ok(())
    }

    /// Whether a value of this type, in memory, has parts that do not begin at a byte.
    pub fn is_bit_packed(&self, ty: llvm::Type<'m>) -> bool {
        match ty.kind() {
            TypeKind::LLVMVectorTypeKind => !self.module.bit_size(ty.element()).is_multiple_of(8),
            TypeKind::LLVMArrayTypeKind => self.is_bit_packed(ty.element()),
            TypeKind::LLVMStructTypeKind => {
                (0..ty.field_count()).any(|i| self.is_bit_packed(ty.field(i)))
            }
            _ => false,
        }
    }

    /// The range of leaves that `indices` select in `ty`, as `extractvalue` does.
    pub fn part(&mut self, ty: llvm::Type<'m>, indices: &[u32]) -> Lowered<std::ops::Range<usize>> {
        let (mut ty, mut start) = (ty, 0);
        for &index in indices {
            if ty.kind() == TypeKind::LLVMStructTypeKind {
                for before in 0..index {
                    start += self.leaves(ty.field(before))?.len();
                }
                ty = ty.field(index);
            } else {
                ty = ty.element();
                start += index as usize * self.leaves(ty)?.len();
            }
        }
        Ok(start..start + self.leaves(ty)?.len())
    }
}
