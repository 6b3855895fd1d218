//! LLVM's intrinsic functions.

use ir::{
    BinOp, Cast, CmpOp, FloatBin, FloatCast, FloatUnary, Intrinsic, MemoryOrder, Op, Type, ValueId,
};

use super::function::{FunctionLowering, Slot, Slots, one};
use super::{Lowered, unmodelled};
use crate::llvm::Value;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn intrinsic_call(&mut self, full_name: &str, call: Value<'m>) -> Lowered<Slots> {
        let name = full_name.trim_start_matches("llvm.");
        if let Some(op) = lane_intrinsic(name) {
            return self.by_lane(op, call);
        }
        if let Some(op) = overflow_intrinsic(name) {
            return self.with_overflow(op, call);
        }
        if let Some(op) = float_unary(name) {
            return self.float_unary(op, call);
        }
        if let Some(op) = float_binary(name) {
            return self.float_binary_of(op, call.operand(0), call.operand(1));
        }
        if let Some(reduction) = name.strip_prefix("vector.reduce.") {
            return self.reduce(reduction, call);
        }
        match name {
            "memcpy" | "memcpy.inline" => self.transfer(Intrinsic::Memcpy, call),
            "memmove" => self.transfer(Intrinsic::Memmove, call),
            "memset" | "memset.inline" => self.transfer(Intrinsic::Memset, call),

            // These have no effect, or none that a program can observe.
            "assume"
            | "lifetime.start"
            | "lifetime.end"
            | "donothing"
            | "prefetch"
            | "invariant.end"
            | "var.annotation"
            | "codeview.annotation"
            | "sideeffect"
            | "pseudoprobe"
            | "experimental.noalias.scope.decl"
            | "fake.use"
            | "clear_cache"
            | "dbg.declare"
            | "dbg.value"
            | "dbg.label"
            | "dbg.assign"
            | "x86.sse2.pause" => Ok(Slots::new()),

            // The value is the first argument.
            "expect"
            | "expect.with.probability"
            | "annotation"
            | "ptr.annotation"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "threadlocal.address"
            | "ssa.copy"
            | "arithmetic.fence"
            | "canonicalize" => self.slots(call.operand(0)),

            "invariant.start"
            | "frameaddress"
            | "returnaddress"
            | "addressofreturnaddress"
            | "sponentry"
            | "is.constant"
            | "get.dynamic.area.offset" => self.repeated(call, 0),
            // One: rounding to nearest.
            "get.rounding" | "allow.runtime.check" | "allow.ubsan.check" => self.repeated(call, 1),
            "objectsize" => {
                // The size is unknown: the second argument chooses 0 or the greatest.
                let least = self.scalar(call.operand(1))?;
                let unknown = if self.known_bits(least) == Some(1) {
                    0
                } else {
                    u128::MAX
                };
                self.repeated(call, unknown)
            }

            "ptrmask" => self.pointer_mask(call),
            "scmp" => self.three_way(call, CmpOp::Slt, CmpOp::Sgt),
            "ucmp" => self.three_way(call, CmpOp::Ult, CmpOp::Ugt),
            "fmuladd" => self.multiply_add(call),
            "is.fpclass" => self.float_class(call),
            "lrint" | "llrint" => self.round_to_integer(FloatUnary::RoundEven, call),
            "lround" | "llround" => self.round_to_integer(FloatUnary::Round, call),
            "powi" => self.integer_power(call),

            "stacksave" => self.plain(Intrinsic::StackSave, call),
            "stackrestore" => self.plain(Intrinsic::StackRestore, call),
            "trap" | "debugtrap" => self.plain(Intrinsic::Trap, call),
            "ubsantrap" => {
                self.intrinsic(Intrinsic::Trap, &[], &[]);
                Ok(Slots::new())
            }
            "va_start" => self.plain(Intrinsic::VaStart, call),
            "va_end" => self.plain(Intrinsic::VaEnd, call),
            "va_copy" => self.plain(Intrinsic::VaCopy, call),
            "readcyclecounter" | "readsteadycounter" | "x86.rdtsc" => {
                self.plain(Intrinsic::ReadCycleCounter, call)
            }
            "eh.typeid.for" => self.plain(Intrinsic::EhTypeId, call),
            "x86.sse2.mfence" | "x86.sse2.lfence" | "x86.sse.sfence" => {
                self.emit(Op::Fence(MemoryOrder::SeqCst));
                Ok(Slots::new())
            }
            _ => unmodelled(full_name),
        }
    }

    /// One intrinsic with all arguments and results of the call.
    fn plain(&mut self, op: Intrinsic, call: Value<'m>) -> Lowered<Slots> {
        let mut args = Vec::new();
        for argument in call.arguments() {
            args.extend(self.values(argument)?);
        }
        let types = self.program.layouts.types(call.ty())?;
        let results = self.intrinsic(op, &types, &args);
        Ok(results.into_iter().map(Slot::Value).collect())
    }

    fn repeated(&mut self, call: Value<'m>, bits: u128) -> Lowered<Slots> {
        let types = self.program.layouts.types(call.ty())?;
        let slots = types.into_iter().map(|ty| Slot::Value(self.bits(ty, bits)));
        Ok(slots.collect())
    }

    fn transfer(&mut self, op: Intrinsic, call: Value<'m>) -> Lowered<Slots> {
        let to = self.scalar(call.operand(0))?;
        let from = self.scalar(call.operand(1))?;
        let bytes = self.scalar(call.operand(2))?;
        let bytes = self.resize_unsigned(bytes, self.pointer_sized());
        self.intrinsic(op, &[], &[to, from, bytes]);
        Ok(Slots::new())
    }

    /// One intrinsic per lane; trailing flags of one bit are dropped.
    fn by_lane(&mut self, op: LaneIntrinsic, call: Value<'m>) -> Lowered<Slots> {
        let mut operands = Vec::new();
        for index in 0..op.arity {
            operands.push(self.values(call.operand(index))?);
        }
        let types = self.program.layouts.types(call.ty())?;
        let mut slots = Slots::new();
        for (lane, ty) in types.into_iter().enumerate() {
            let args: Vec<ValueId> = operands.iter().map(|operand| operand[lane]).collect();
            slots.push(Slot::Value(self.intrinsic(op.op, &[ty], &args)[0]));
        }
        Ok(slots)
    }

    fn with_overflow(&mut self, op: Intrinsic, call: Value<'m>) -> Lowered<Slots> {
        let (a, b) = (self.values(call.operand(0))?, self.values(call.operand(1))?);
        let (mut results, mut flags) = (Slots::new(), Slots::new());
        for (a, b) in a.into_iter().zip(b) {
            let both = self.intrinsic(op, &[self.ty(a), Type::BOOL], &[a, b]);
            results.push(Slot::Value(both[0]));
            flags.push(Slot::Value(both[1]));
        }
        results.extend(flags);
        Ok(results)
    }

    /// Combines all lanes into one, from the first on: operations on floats are not associative.
    fn reduce(&mut self, reduction: &str, call: Value<'m>) -> Lowered<Slots> {
        let combine = |this: &mut Self, a: ValueId, b: ValueId| -> Lowered<ValueId> {
            let integer = |this: &mut Self, op| Ok(this.bin(op, a, b));
            let choose = |this: &mut Self, op| {
                let ty = this.ty(a);
                Ok(this.intrinsic(op, &[ty], &[a, b])[0])
            };
            let float = |this: &mut Self, op| {
                let dst = this.fresh(this.ty(a));
                this.emit(Op::FloatBin { op, dst, a, b });
                Ok(dst)
            };
            match reduction {
                "add" => integer(this, BinOp::Add),
                "mul" => integer(this, BinOp::Mul),
                "and" => integer(this, BinOp::And),
                "or" => integer(this, BinOp::Or),
                "xor" => integer(this, BinOp::Xor),
                "smax" => choose(this, Intrinsic::SMax),
                "smin" => choose(this, Intrinsic::SMin),
                "umax" => choose(this, Intrinsic::UMax),
                "umin" => choose(this, Intrinsic::UMin),
                "fadd" => float(this, FloatBin::Add),
                "fmul" => float(this, FloatBin::Mul),
                "fmax" => float(this, FloatBin::Max),
                "fmin" => float(this, FloatBin::Min),
                "fmaximum" => float(this, FloatBin::Maximum),
                "fminimum" => float(this, FloatBin::Minimum),
                other => unmodelled(format!("llvm.vector.reduce.{other}")),
            }
        };
        // Sums and products of floats have a start value in front.
        let mut lanes: Vec<ValueId> = Vec::new();
        for argument in call.arguments() {
            lanes.extend(self.values(argument)?);
        }
        let mut lanes = lanes.into_iter();
        let Some(mut result) = lanes.next() else {
            return unmodelled("an empty vector");
        };
        for lane in lanes {
            result = combine(self, result, lane)?;
        }
        Ok(one(result))
    }

    fn pointer_mask(&mut self, call: Value<'m>) -> Lowered<Slots> {
        let pointer = self.scalar(call.operand(0))?;
        let mask = self.scalar(call.operand(1))?;
        let word = self.pointer_sized();
        let number = self.cast(Cast::Bits, pointer, word);
        let mask = self.resize_unsigned(mask, word);
        let masked = self.bin(BinOp::And, number, mask);
        Ok(one(self.cast(Cast::Bits, masked, Type::Ptr)))
    }

    fn three_way(&mut self, call: Value<'m>, less: CmpOp, greater: CmpOp) -> Lowered<Slots> {
        let types = self.program.layouts.types(call.ty())?;
        let (a, b) = (self.values(call.operand(0))?, self.values(call.operand(1))?);
        let mut slots = Slots::new();
        for ((a, b), ty) in a.into_iter().zip(b).zip(types) {
            let (minus, zero, plus) =
                (self.bits(ty, u128::MAX), self.bits(ty, 0), self.bits(ty, 1));
            let greater = self.cmp(greater, a, b);
            let rest = self.select(greater, plus, zero);
            let less = self.cmp(less, a, b);
            slots.push(Slot::Value(self.select(less, minus, rest)));
        }
        Ok(slots)
    }

    /// `llvm.fmuladd` may be fused or not; x86 without extensions rounds twice.
    fn multiply_add(&mut self, call: Value<'m>) -> Lowered<Slots> {
        let products = self.float_binary_of(FloatBin::Mul, call.operand(0), call.operand(1))?;
        let addends = self.values(call.operand(2))?;
        let mut slots = Slots::new();
        for (product, b) in products.into_iter().zip(addends) {
            let a = self.use_slot(product);
            let dst = self.fresh(self.ty(b));
            self.emit(Op::FloatBin {
                op: FloatBin::Add,
                dst,
                a,
                b,
            });
            slots.push(Slot::Value(dst));
        }
        Ok(slots)
    }

    fn float_class(&mut self, call: Value<'m>) -> Lowered<Slots> {
        let class = self.scalar(call.operand(1))?;
        let lanes = self.values(call.operand(0))?;
        let mut slots = Slots::new();
        for lane in lanes {
            let result = self.intrinsic(Intrinsic::IsFpClass, &[Type::BOOL], &[lane, class]);
            slots.push(Slot::Value(result[0]));
        }
        Ok(slots)
    }

    fn round_to_integer(&mut self, op: FloatUnary, call: Value<'m>) -> Lowered<Slots> {
        let rounded = self.float_unary(op, call)?;
        let types = self.program.layouts.types(call.ty())?;
        let mut slots = Slots::new();
        for (slot, ty) in rounded.into_iter().zip(types) {
            let (src, dst) = (self.use_slot(slot), self.fresh(ty));
            self.emit(Op::FloatCast {
                op: FloatCast::ToSigned,
                dst,
                src,
            });
            slots.push(Slot::Value(dst));
        }
        Ok(slots)
    }

    fn integer_power(&mut self, call: Value<'m>) -> Lowered<Slots> {
        let exponent = self.scalar(call.operand(1))?;
        let bases = self.values(call.operand(0))?;
        let mut slots = Slots::new();
        for a in bases {
            let (b, dst) = (self.fresh(self.ty(a)), self.fresh(self.ty(a)));
            self.emit(Op::FloatCast {
                op: FloatCast::FromSigned,
                dst: b,
                src: exponent,
            });
            self.emit(Op::FloatBin {
                op: FloatBin::Pow,
                dst,
                a,
                b,
            });
            slots.push(Slot::Value(dst));
        }
        Ok(slots)
    }
}

/// An intrinsic that works on each lane alone, and how many of its operands count.
struct LaneIntrinsic {
    op: Intrinsic,
    arity: u32,
}

fn lane_intrinsic(name: &str) -> Option<LaneIntrinsic> {
    let (op, arity) = match name {
        "sadd.sat" => (Intrinsic::SAddSat, 2),
        "uadd.sat" => (Intrinsic::UAddSat, 2),
        "ssub.sat" => (Intrinsic::SSubSat, 2),
        "usub.sat" => (Intrinsic::USubSat, 2),
        "sshl.sat" => (Intrinsic::SShlSat, 2),
        "ushl.sat" => (Intrinsic::UShlSat, 2),
        "smin" => (Intrinsic::SMin, 2),
        "smax" => (Intrinsic::SMax, 2),
        "umin" => (Intrinsic::UMin, 2),
        "umax" => (Intrinsic::UMax, 2),
        "abs" => (Intrinsic::Abs, 1),
        "ctpop" => (Intrinsic::PopCount, 1),
        "ctlz" => (Intrinsic::LeadingZeros, 1),
        "cttz" => (Intrinsic::TrailingZeros, 1),
        "bswap" => (Intrinsic::ByteSwap, 1),
        "bitreverse" => (Intrinsic::BitReverse, 1),
        "fshl" => (Intrinsic::FunnelShiftLeft, 3),
        "fshr" => (Intrinsic::FunnelShiftRight, 3),
        "fma" => (Intrinsic::FusedMultiplyAdd, 3),
        _ => return None,
    };
    Some(LaneIntrinsic { op, arity })
}

fn overflow_intrinsic(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "sadd.with.overflow" => Intrinsic::SAddOverflow,
        "uadd.with.overflow" => Intrinsic::UAddOverflow,
        "ssub.with.overflow" => Intrinsic::SSubOverflow,
        "usub.with.overflow" => Intrinsic::USubOverflow,
        "smul.with.overflow" => Intrinsic::SMulOverflow,
        "umul.with.overflow" => Intrinsic::UMulOverflow,
        _ => return None,
    })
}

fn float_unary(name: &str) -> Option<FloatUnary> {
    Some(match name {
        "fabs" => FloatUnary::Abs,
        "sqrt" => FloatUnary::Sqrt,
        "floor" => FloatUnary::Floor,
        "ceil" => FloatUnary::Ceil,
        "trunc" => FloatUnary::Trunc,
        "round" => FloatUnary::Round,
        "roundeven" | "rint" | "nearbyint" => FloatUnary::RoundEven,
        "exp" => FloatUnary::Exp,
        "exp2" => FloatUnary::Exp2,
        "log" => FloatUnary::Log,
        "log2" => FloatUnary::Log2,
        "log10" => FloatUnary::Log10,
        "sin" => FloatUnary::Sin,
        "cos" => FloatUnary::Cos,
        _ => return None,
    })
}

fn float_binary(name: &str) -> Option<FloatBin> {
    Some(match name {
        "minnum" | "minimumnum" => FloatBin::Min,
        "maxnum" | "maximumnum" => FloatBin::Max,
        "minimum" => FloatBin::Minimum,
        "maximum" => FloatBin::Maximum,
        "copysign" => FloatBin::CopySign,
        "pow" => FloatBin::Pow,
        _ => return None,
    })
}
