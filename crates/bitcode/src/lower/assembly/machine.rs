//! One assembly statement: its operands, registers and flags, and what its instructions do to them.

mod operands;

use ir::{BinOp, Cast, CmpOp, Intrinsic, MemoryOrder, Op, RmwOp, Type, ValueId};
use rustc_hash::FxHashMap;

use super::template::{Instruction, Operand, register};
use crate::llvm::{TypeKind, Value};
use crate::lower::function::{FunctionLowering, Slot, Slots};

/// A register: a named one, or whichever the compiler chose for an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Register {
    Named(&'static str),
    Chosen(usize),
}

/// An operand of the statement.
enum Bound {
    Register(Register, Option<Type>),
    Memory(ValueId, Option<Type>),
}

/// An output of the statement that is a result of the call.
enum Output {
    Register(Register),
    /// `=@ccz`
    Condition(String),
    /// `=A`: edx:eax
    Pair,
}

pub struct Assembly<'f, 'p, 'm> {
    code: &'f mut FunctionLowering<'p, 'm>,
    operands: Vec<Bound>,
    outputs: Vec<Output>,
    registers: FxHashMap<Register, ValueId>,
    zero: Option<ValueId>,
    sign: Option<ValueId>,
    carry: Option<ValueId>,
}

/// Where an instruction's operand lies.
enum Location {
    Register(Register),
    Memory(ValueId),
    Immediate(i128),
    Stack,
}

impl<'f, 'p, 'm> Assembly<'f, 'p, 'm> {
    /// Binds the operands. The constraints list outputs, inputs, clobbers.
    pub fn new(
        code: &'f mut FunctionLowering<'p, 'm>,
        call: Value<'m>,
        constraints: &str,
    ) -> Option<Self> {
        let mut assembly = Assembly {
            code,
            operands: Vec::new(),
            outputs: Vec::new(),
            registers: FxHashMap::default(),
            zero: None,
            sign: None,
            carry: None,
        };
        let mut arguments = call.arguments().into_iter().enumerate();
        for constraint in constraints.split(',').filter(|c| !c.is_empty()) {
            if constraint.starts_with('~') {
                continue;
            }
            let (is_output, rest) = match constraint.strip_prefix('=') {
                Some(rest) => (true, rest),
                None => (false, constraint),
            };
            let rest = rest.trim_start_matches(['&', '%', '?', '!']);
            if let Some(_kind) = rest.strip_prefix('*') {
                let (index, pointer) = arguments.next()?;
                let ty = call.argument_element_type(index as u32);
                let ty = ty.and_then(|ty| assembly.code.program.layouts.scalar(ty).ok());
                let pointer = assembly.code.scalar(pointer).ok()?;
                assembly.operands.push(Bound::Memory(pointer, ty));
            } else if is_output {
                assembly.bind_output(rest);
            } else {
                let (_, argument) = arguments.next()?;
                assembly.bind_input(rest, argument)?;
            }
        }
        Some(assembly)
    }

    fn bind_output(&mut self, constraint: &str) {
        let number = self.operands.len();
        let output = if let Some(condition) = constraint.strip_prefix("{@cc") {
            Output::Condition(condition.trim_end_matches('}').to_owned())
        } else if constraint == "A" {
            Output::Pair
        } else {
            Output::Register(named(constraint).unwrap_or(Register::Chosen(number)))
        };
        let bound = match &output {
            Output::Register(register) => register.clone(),
            _ => Register::Chosen(number),
        };
        self.operands.push(Bound::Register(bound, None));
        self.outputs.push(output);
    }

    fn bind_input(&mut self, constraint: &str, argument: Value<'m>) -> Option<()> {
        let number = self.operands.len();
        let register = match constraint.parse::<usize>() {
            Ok(tied) => match self.operands.get(tied)? {
                Bound::Register(register, _) => register.clone(),
                // Tied to memory: the same bytes.
                Bound::Memory(pointer, ty) => {
                    self.operands.push(Bound::Memory(*pointer, *ty));
                    return Some(());
                }
            },
            Err(_) => named(constraint).unwrap_or(Register::Chosen(number)),
        };
        let value = self.code.scalar(argument).ok()?;
        let ty = self.code.ty(value);
        if ty.is_float() {
            return None;
        }
        self.registers.insert(register.clone(), value);
        self.operands.push(Bound::Register(register, Some(ty)));
        Some(())
    }

    /// The values of the outputs, in order.
    pub fn results(mut self, call: Value<'m>) -> Option<Slots> {
        let types = match call.ty().kind() {
            TypeKind::LLVMStructTypeKind
            | TypeKind::LLVMIntegerTypeKind
            | TypeKind::LLVMPointerTypeKind
            | TypeKind::LLVMVoidTypeKind => self.code.program.layouts.types(call.ty()).ok()?,
            _ => return None,
        };
        let outputs = std::mem::take(&mut self.outputs);
        if types.len() != outputs.len() {
            return None;
        }
        let mut slots = Slots::new();
        for (output, ty) in outputs.into_iter().zip(types) {
            let value = match output {
                Output::Register(register) => self.registers.get(&register).copied(),
                Output::Condition(condition) => Some(self.condition(&condition)?),
                Output::Pair => Some(self.pair("dx", "ax", 32)?),
            };
            slots.push(match value {
                Some(value) if !ty.is_float() => Slot::Value(self.code.resize_unsigned(value, ty)),
                _ => Slot::Undef(ty),
            });
        }
        Some(slots)
    }

    /// `None` if the instruction is not understood.
    pub fn execute(&mut self, instruction: &Instruction) -> Option<()> {
        let locked = instruction.locked;
        let operands = &instruction.operands[..];
        let name = instruction.mnemonic.as_str();
        match (name, operands) {
            ("nop" | "pause", []) => return Some(()),
            ("mfence" | "lfence" | "sfence", []) => {
                self.code.emit(Op::Fence(MemoryOrder::SeqCst));
                return Some(());
            }
            ("rdtsc" | "rdtscp", []) => {
                self.read_counter();
                return Some(());
            }
            ("cmpxchg8b", [memory]) => return self.exchange_pair(locked, memory, 32),
            ("cmpxchg16b", [memory]) => return self.exchange_pair(locked, memory, 64),
            _ => {}
        }
        if let (Some(condition), [destination]) = (name.strip_prefix("set"), operands) {
            let flag = self.condition(condition)?;
            let byte = self.code.cast(Cast::ZExt, flag, Type::Int(8));
            return self.write(destination, byte);
        }
        if let ("movzbl" | "movzbq" | "movzwl", [source, destination]) = (name, operands) {
            let width = if name == "movzwl" { 16 } else { 8 };
            let value = self.read(source, width)?;
            let wide = self.code.cast(Cast::ZExt, value, Type::Int(64));
            return self.write(destination, wide);
        }
        let (base, width) = self.split_mnemonic(name, operands)?;
        match (base, operands) {
            ("mov", [source, destination]) => {
                let value = self.read(source, width)?;
                self.write(destination, value)
            }
            ("xchg", [a, b]) => self.exchange(a, b, width),
            ("xadd", [source, destination]) => {
                self.exchange_add(locked, source, destination, width)
            }
            ("cmpxchg", [source, destination]) => {
                self.compare_exchange(locked, source, destination, width)
            }
            ("add", [source, destination]) => {
                self.modify(RmwOp::Add, locked, source, destination, width)
            }
            ("sub", [source, destination]) => {
                self.modify(RmwOp::Sub, locked, source, destination, width)
            }
            ("and", [source, destination]) => {
                self.modify(RmwOp::And, locked, source, destination, width)
            }
            ("or", [source, destination]) => {
                self.modify(RmwOp::Or, locked, source, destination, width)
            }
            ("xor", [source, destination]) => {
                self.modify(RmwOp::Xor, locked, source, destination, width)
            }
            ("inc", [destination]) => self.modify(
                RmwOp::Add,
                locked,
                &Operand::Immediate(1),
                destination,
                width,
            ),
            ("dec", [destination]) => self.modify(
                RmwOp::Sub,
                locked,
                &Operand::Immediate(1),
                destination,
                width,
            ),
            ("not", [destination]) => self.modify(
                RmwOp::Xor,
                locked,
                &Operand::Immediate(-1),
                destination,
                width,
            ),
            ("bts", [bit, memory]) => self.bit(RmwOp::Or, locked, bit, memory, width),
            ("btr", [bit, memory]) => self.bit(RmwOp::And, locked, bit, memory, width),
            ("btc", [bit, memory]) => self.bit(RmwOp::Xor, locked, bit, memory, width),
            ("bsf", [source, destination]) => {
                self.scan(Intrinsic::TrailingZeros, source, destination, width)
            }
            ("bsr", [source, destination]) => {
                self.scan(Intrinsic::LeadingZeros, source, destination, width)
            }
            ("bswap", [destination]) => {
                let value = self.read(destination, width)?;
                let swapped =
                    self.code
                        .intrinsic(Intrinsic::ByteSwap, &[Type::Int(width)], &[value]);
                self.write(destination, swapped[0])
            }
            // `sbb r, r` is minus the carry: all ones if it was set.
            ("sbb", [a, b]) if a == b => {
                let carry = self.carry?;
                let mask = self.code.cast(Cast::SExt, carry, Type::Int(width));
                self.write(b, mask)
            }
            ("test", [a, b]) => {
                let (a, b) = (self.read(a, width)?, self.read(b, width)?);
                let both = self.code.bin(BinOp::And, a, b);
                self.set_flags(both);
                Some(())
            }
            ("cmp", [a, b]) => {
                let (a, b) = (self.read(a, width)?, self.read(b, width)?);
                self.zero = Some(self.code.cmp(CmpOp::Eq, a, b));
                self.carry = Some(self.code.cmp(CmpOp::Ult, b, a));
                self.sign = None;
                Some(())
            }
            _ => None,
        }
    }
}

/// Instructions.
impl Assembly<'_, '_, '_> {
    fn modify(
        &mut self,
        op: RmwOp,
        locked: bool,
        source: &Operand,
        destination: &Operand,
        width: u8,
    ) -> Option<()> {
        let value = self.read(source, width)?;
        let bin = plain_operation(op)?;
        let result = match self.locate(destination)? {
            Location::Stack if locked && *source == Operand::Immediate(0) => {
                self.code.emit(Op::Fence(MemoryOrder::SeqCst));
                return Some(());
            }
            Location::Memory(pointer) if locked => {
                let old = self.code.emit_rmw(op, pointer, value, MemoryOrder::SeqCst);
                self.code.bin(bin, old, value)
            }
            _ if locked => return None,
            _ => {
                let old = self.read(destination, width)?;
                let result = self.code.bin(bin, old, value);
                self.write(destination, result)?;
                result
            }
        };
        self.set_flags(result);
        Some(())
    }

    /// `xchg`: with memory it is atomic even without a lock prefix.
    fn exchange(&mut self, a: &Operand, b: &Operand, width: u8) -> Option<()> {
        let (register, memory) = match (self.locate(a)?, self.locate(b)?) {
            (Location::Register(_), Location::Memory(pointer)) => (a, pointer),
            (Location::Memory(pointer), Location::Register(_)) => (b, pointer),
            (Location::Register(_), Location::Register(_)) => {
                let (x, y) = (self.read(a, width)?, self.read(b, width)?);
                self.write(a, y)?;
                return self.write(b, x);
            }
            _ => return None,
        };
        let value = self.read(register, width)?;
        let old = self
            .code
            .emit_rmw(RmwOp::Xchg, memory, value, MemoryOrder::SeqCst);
        self.write(register, old)
    }

    fn exchange_add(
        &mut self,
        locked: bool,
        source: &Operand,
        destination: &Operand,
        width: u8,
    ) -> Option<()> {
        let value = self.read(source, width)?;
        let old = match self.locate(destination)? {
            Location::Memory(pointer) if locked => {
                self.code
                    .emit_rmw(RmwOp::Add, pointer, value, MemoryOrder::SeqCst)
            }
            _ if locked => return None,
            _ => {
                let old = self.read(destination, width)?;
                let sum = self.code.bin(BinOp::Add, old, value);
                self.write(destination, sum)?;
                old
            }
        };
        let sum = self.code.bin(BinOp::Add, old, value);
        self.set_flags(sum);
        self.write(source, old)
    }

    fn compare_exchange(
        &mut self,
        locked: bool,
        source: &Operand,
        destination: &Operand,
        width: u8,
    ) -> Option<()> {
        let accumulator = Operand::Register("ax".to_owned());
        let expected = self.read(&accumulator, width)?;
        let new = self.read(source, width)?;
        let Location::Memory(pointer) = self.locate(destination)? else {
            return None;
        };
        let (old, success) = if locked {
            self.code
                .emit_cmpxchg(pointer, [expected, new], false, [MemoryOrder::SeqCst; 2])
        } else {
            // Without a lock prefix it is not atomic: other threads see the load and the store.
            let old = self.read(destination, width)?;
            let equal = self.code.cmp(CmpOp::Eq, old, expected);
            let stored = self.code.select(equal, new, old);
            self.write(destination, stored)?;
            (old, equal)
        };
        self.set_equal(success);
        self.write(&accumulator, old)
    }

    /// edx:eax is compared, ecx:ebx stored.
    fn exchange_pair(&mut self, locked: bool, memory: &Operand, half: u8) -> Option<()> {
        let Location::Memory(pointer) = self.locate(memory)? else {
            return None;
        };
        if !locked {
            return None;
        }
        let expected = self.pair("dx", "ax", half)?;
        let new = self.pair("cx", "bx", half)?;
        let (old, success) =
            self.code
                .emit_cmpxchg(pointer, [expected, new], false, [MemoryOrder::SeqCst; 2]);
        self.split_pair(old, half);
        self.set_equal(success);
        Some(())
    }

    /// A bit of a bit string in memory, which may lie beyond the operand. The index of the lowest
    /// bit that is set, or of the highest. If there is none the destination is undefined.
    fn scan(
        &mut self,
        zeros: Intrinsic,
        source: &Operand,
        destination: &Operand,
        width: u8,
    ) -> Option<()> {
        let ty = Type::Int(width);
        let value = self.read(source, width)?;
        let mut index = self.code.intrinsic(zeros, &[ty], &[value])[0];
        if zeros == Intrinsic::LeadingZeros {
            let highest = self.code.bits(ty, u128::from(width - 1));
            index = self.code.bin(BinOp::Sub, highest, index);
        }
        let none = self.code.bits(ty, 0);
        let is_none = self.code.cmp(CmpOp::Eq, value, none);
        self.zero = Some(is_none);
        let undefined = self.code.fresh(ty);
        self.code.emit(Op::Undef { dst: undefined });
        let result = self.code.select(is_none, undefined, index);
        self.write(destination, result)
    }

    fn bit(
        &mut self,
        op: RmwOp,
        locked: bool,
        bit: &Operand,
        memory: &Operand,
        width: u8,
    ) -> Option<()> {
        let ty = Type::Int(width);
        let index = self.read(bit, width)?;
        let Location::Memory(pointer) = self.locate(memory)? else {
            return None;
        };
        let low = self.code.bits(ty, u128::from(width - 1));
        let within = self.code.bin(BinOp::And, index, low);
        let shift = self.code.bits(ty, u128::from(width.ilog2()));
        let word = self.code.bin(BinOp::AShr, index, shift);
        let address = self.code.fresh(Type::Ptr);
        let stride = i64::from(width / 8);
        self.code.emit(Op::PtrAdd {
            dst: address,
            base: pointer,
            offset: 0,
            indices: vec![(word, stride)],
            record: None,
        });
        let one = self.code.bits(ty, 1);
        let mut mask = self.code.bin(BinOp::Shl, one, within);
        if op == RmwOp::And {
            let ones = self.code.bits(ty, u128::MAX);
            mask = self.code.bin(BinOp::Xor, mask, ones);
        }
        let old = if locked {
            self.code.emit_rmw(op, address, mask, MemoryOrder::SeqCst)
        } else {
            let old = self.load(address, ty);
            let new = self.code.bin(plain_operation(op)?, old, mask);
            self.store(address, new);
            old
        };
        let moved = self.code.bin(BinOp::LShr, old, within);
        self.carry = Some(self.code.cast(Cast::Trunc, moved, Type::BOOL));
        (self.zero, self.sign) = (None, None);
        Some(())
    }

    fn read_counter(&mut self) {
        let counter = self
            .code
            .intrinsic(Intrinsic::ReadCycleCounter, &[Type::Int(64)], &[])[0];
        self.split_pair(counter, 32);
    }

    fn pair(&mut self, high: &'static str, low: &'static str, half: u8) -> Option<ValueId> {
        let wide = Type::Int(half * 2);
        let high = self.read(&Operand::Register(high.to_owned()), half)?;
        let low = self.read(&Operand::Register(low.to_owned()), half)?;
        let high = self.code.cast(Cast::ZExt, high, wide);
        let low = self.code.cast(Cast::ZExt, low, wide);
        let shift = self.code.bits(wide, u128::from(half));
        let high = self.code.bin(BinOp::Shl, high, shift);
        Some(self.code.bin(BinOp::Or, high, low))
    }

    /// Into edx:eax.
    fn split_pair(&mut self, whole: ValueId, half: u8) {
        let shift = self.code.bits(self.code.ty(whole), u128::from(half));
        let moved = self.code.bin(BinOp::LShr, whole, shift);
        let high = self.code.cast(Cast::Trunc, moved, Type::Int(half));
        let low = self.code.cast(Cast::Trunc, whole, Type::Int(half));
        self.registers.insert(Register::Named("dx"), high);
        self.registers.insert(Register::Named("ax"), low);
    }
}

fn plain_operation(op: RmwOp) -> Option<BinOp> {
    Some(match op {
        RmwOp::Add => BinOp::Add,
        RmwOp::Sub => BinOp::Sub,
        RmwOp::And => BinOp::And,
        RmwOp::Or => BinOp::Or,
        RmwOp::Xor => BinOp::Xor,
        _ => return None,
    })
}

/// The register that a constraint such as `{ax}` names.
fn named(constraint: &str) -> Option<Register> {
    let name = constraint.strip_prefix('{')?.strip_suffix('}')?;
    register(name).map(Register::Named)
}
