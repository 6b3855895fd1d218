//! Instructions, behind `%1: i32 =`.

use super::body::BodyParser;
use super::cursor::Parsed;
use crate::inst::{BinOp, Call, Callee, Cast, FloatBin, FloatCast, FloatUnary, MemoryOrder, Op};
use crate::module::ValueId;
use crate::text::ParseErrorKind;
use crate::text::lexer::Token;
use crate::text::mnemonic::Mnemonic;

impl BodyParser<'_, '_> {
    pub fn operation(&mut self, results: Vec<ValueId>) -> Parsed<Op> {
        let Some(word) = self.parser.cursor.word() else {
            return Err(self
                .parser
                .cursor
                .expected("an instruction or a terminator"));
        };
        if let Some(op) = BinOp::from_mnemonic(word) {
            let ([dst], [a, b]) = self.simple(&results)?;
            return Ok(Op::Bin { op, dst, a, b });
        }
        if let Some(op) = Cast::from_mnemonic(word) {
            let ([dst], [src]) = self.simple(&results)?;
            return Ok(Op::Cast { op, dst, src });
        }
        if let Some(op) = FloatBin::from_mnemonic(word) {
            let ([dst], [a, b]) = self.simple(&results)?;
            return Ok(Op::FloatBin { op, dst, a, b });
        }
        if let Some(op) = FloatUnary::from_mnemonic(word) {
            let ([dst], [src]) = self.simple(&results)?;
            return Ok(Op::FloatUnary { op, dst, src });
        }
        if let Some(op) = FloatCast::from_mnemonic(word) {
            let ([dst], [src]) = self.simple(&results)?;
            return Ok(Op::FloatCast { op, dst, src });
        }
        match word {
            "cmp" => self.comparison(&results),
            "fcmp" => self.float_comparison(&results),
            "select" => {
                let ([dst], [cond, a, b]) = self.simple(&results)?;
                Ok(Op::Select { dst, cond, a, b })
            }
            "ptradd" => self.pointer_addition(&results),
            "load" => self.load(&results),
            "store" => self.store(&results),
            "rmw" => self.read_modify_write(&results),
            "cmpxchg" => self.compare_exchange(&results),
            "fence" => {
                let ([], []) = self.simple(&results)?;
                Ok(Op::Fence(self.order().unwrap_or(MemoryOrder::SeqCst)))
            }
            "alloca" => self.alloca(&results),
            "tls_addr" => {
                let [dst] = self.keyword(&results)?;
                let global = self.parser.global_reference()?;
                Ok(Op::TlsAddr { dst, global })
            }
            "call" => {
                self.parser.cursor.advance();
                Ok(Op::Call(self.call(results)?))
            }
            "intrinsic" => self.intrinsic(results),
            "undef" => {
                let ([dst], []) = self.simple(&results)?;
                Ok(Op::Undef { dst })
            }
            "unsupported" => self.unsupported(&results),
            _ => Err(self
                .parser
                .cursor
                .expected("an instruction or a terminator")),
        }
    }

    /// Passes the keyword and checks that it assigns as many values as the text says.
    pub fn keyword<const N: usize>(&mut self, results: &[ValueId]) -> Parsed<[ValueId; N]> {
        match results.try_into() {
            Ok(results) => {
                self.parser.cursor.advance();
                Ok(results)
            }
            Err(_) => Err(self.parser.cursor.error(ParseErrorKind::ResultCount {
                op: self.parser.cursor.word().unwrap_or_default().to_owned(),
                expected: N,
                found: results.len(),
            })),
        }
    }

    /// `N` operands separated by commas.
    pub fn operands<const N: usize>(&mut self) -> Parsed<[ValueId; N]> {
        let mut operands = [ValueId(0); N];
        for (index, operand) in operands.iter_mut().enumerate() {
            if index > 0 {
                self.parser.cursor.expect(',')?;
            }
            *operand = self.operand()?;
        }
        Ok(operands)
    }

    /// A keyword and its operands.
    fn simple<const R: usize, const N: usize>(
        &mut self,
        results: &[ValueId],
    ) -> Parsed<([ValueId; R], [ValueId; N])> {
        Ok((self.keyword(results)?, self.operands()?))
    }

    fn comparison(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let [dst] = self.keyword(results)?;
        let what = "`eq`, `ne`, `ult`, `ule`, `ugt`, `uge`, `slt`, `sle`, `sgt` or `sge`";
        let op = self.parser.cursor.mnemonic(what)?;
        let [a, b] = self.operands()?;
        Ok(Op::Cmp { op, dst, a, b })
    }

    fn float_comparison(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let [dst] = self.keyword(results)?;
        let what = "a float comparison such as `olt`";
        let op = self.parser.cursor.mnemonic(what)?;
        let [a, b] = self.operands()?;
        Ok(Op::FloatCmp { op, dst, a, b })
    }

    /// `ptradd base + offset + index * scale ... record type3`
    fn pointer_addition(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let [dst] = self.keyword(results)?;
        let base = self.operand()?;
        let mut offset = 0;
        let mut indices = Vec::new();
        let mut first = true;
        while self.parser.cursor.eat('+') {
            if first && matches!(self.parser.cursor.peek(), Token::Number { .. }) {
                offset = self.parser.cursor.number()?;
            } else {
                let index = self.operand()?;
                self.parser.cursor.expect('*')?;
                indices.push((index, self.parser.cursor.number()?));
            }
            first = false;
        }
        let record = match self.parser.cursor.eat_word("record") {
            true => Some(self.parser.cursor.type_id()?),
            false => None,
        };
        Ok(Op::PtrAdd {
            dst,
            base,
            offset,
            indices,
            record,
        })
    }

    fn load(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let ([dst], [ptr]) = self.simple(results)?;
        Ok(Op::Load {
            dst,
            ptr,
            atomic: self.atomic(),
            volatile: self.parser.cursor.eat_word("volatile"),
        })
    }

    fn store(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let [] = self.keyword(results)?;
        let value = self.operand()?;
        self.parser.cursor.expect_word("to")?;
        let ptr = self.operand()?;
        Ok(Op::Store {
            ptr,
            value,
            atomic: self.atomic(),
            volatile: self.parser.cursor.eat_word("volatile"),
        })
    }

    fn read_modify_write(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let [dst] = self.keyword(results)?;
        let what = "an atomic operation such as `xchg` or `add`";
        let op = self.parser.cursor.mnemonic(what)?;
        let [ptr, value] = self.operands()?;
        Ok(Op::Rmw {
            op,
            dst,
            ptr,
            value,
            order: self.order().unwrap_or(MemoryOrder::SeqCst),
        })
    }

    fn compare_exchange(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let ([old, success], [ptr, expected, new]) = self.simple(results)?;
        Ok(Op::CmpXchg {
            old,
            success,
            ptr,
            expected,
            new,
            weak: self.parser.cursor.eat_word("weak"),
            orders: [(); 2].map(|()| self.order().unwrap_or(MemoryOrder::SeqCst)),
        })
    }

    /// `atomic`, `atomic relaxed`
    fn atomic(&mut self) -> Option<MemoryOrder> {
        let atomic = self.parser.cursor.eat_word("atomic");
        atomic.then(|| self.order().unwrap_or(MemoryOrder::SeqCst))
    }

    fn order(&mut self) -> Option<MemoryOrder> {
        self.parser.cursor.mnemonic("a memory order").ok()
    }

    /// `alloca 4 count %1 align 4 var0`
    fn alloca(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let [dst] = self.keyword(results)?;
        let size = self.parser.cursor.number()?;
        let count = match self.parser.cursor.eat_word("count") {
            true => Some(self.operand()?),
            false => None,
        };
        self.parser.cursor.expect_word("align")?;
        Ok(Op::Alloca {
            dst,
            size,
            count,
            align: self.parser.cursor.number()?,
            var: self.parser.cursor.optional_var(),
        })
    }

    /// `@callee(args)` or `%callee(args)`
    pub fn call(&mut self, results: Vec<ValueId>) -> Parsed<Call> {
        let callee = match self.at_operand() {
            true => Callee::Indirect(self.operand()?),
            false => Callee::Direct(self.parser.function_reference()?),
        };
        self.parser.cursor.expect('(')?;
        Ok(Call {
            callee,
            args: self.operands_until(')')?,
            results,
        })
    }

    fn intrinsic(&mut self, results: Vec<ValueId>) -> Parsed<Op> {
        self.parser.cursor.advance();
        let what = "an intrinsic such as `memcpy`";
        let op = self.parser.cursor.mnemonic(what)?;
        self.parser.cursor.expect('(')?;
        let args = self.operands_until(')')?;
        Ok(Op::Intrinsic { op, results, args })
    }

    fn unsupported(&mut self, results: &[ValueId]) -> Parsed<Op> {
        let [] = self.keyword(results)?;
        let kind = self.parser.cursor.mnemonic("`instruction` or `assembly`")?;
        let what = self.parser.cursor.string()?;
        Ok(Op::Unsupported { kind, what })
    }
}
