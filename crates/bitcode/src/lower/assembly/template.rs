//! The text of an assembly template, AT&T syntax, as LLVM writes it: `$0` and `${0:b}` are
//! operands, `$$` a dollar sign.

/// One instruction: `lock cmpxchgl $1, $2` has the operands in this order, the destination last.
#[derive(Debug, PartialEq)]
pub struct Instruction {
    pub locked: bool,
    pub mnemonic: String,
    pub operands: Vec<Operand>,
}

#[derive(Debug, PartialEq, Clone)]
pub enum Operand {
    /// Number of an operand of the statement.
    Number(usize),
    Immediate(i128),
    /// A register by one of its names, in its 16-bit form: `ax`.
    Register(String),
    /// Memory at a displacement from a pointer held by an operand of the statement.
    Indirect {
        displacement: i64,
        base: usize,
    },
    /// Memory at the stack pointer: `lock addl $0, (%rsp)` is a fence.
    Stack,
}

/// `None` if there is something this reader does not understand.
pub fn parse(text: &str) -> Option<Vec<Instruction>> {
    let mut instructions = Vec::new();
    let mut locked = false;
    let mut repeated = false;
    // Bookkeeping of the Linux kernel: a list of lock prefixes in a section of its own.
    let mut elsewhere = false;
    for statement in text.split([';', '\n']) {
        let statement = statement.split('#').next()?.trim().to_ascii_lowercase();
        if statement.starts_with(".section") || statement.starts_with(".pushsection") {
            elsewhere = true;
        } else if statement == ".previous" || statement == ".popsection" {
            elsewhere = false;
            continue;
        }
        let is_label = statement.ends_with(':') && !statement.contains(' ');
        if elsewhere || statement.is_empty() || is_label {
            continue;
        }
        let mut rest = statement.as_str();
        loop {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            match word {
                "lock" => locked = true,
                "rep" | "repz" | "repe" => repeated = true,
                _ => break,
            }
            rest = after.trim_start();
        }
        if rest.is_empty() {
            continue; // A prefix before a semicolon.
        }
        // Labels in front of an instruction are never jumped to by what is understood here.
        if let Some((label, after)) = rest.split_once(':')
            && label.bytes().all(|b| b.is_ascii_alphanumeric())
            && !label.is_empty()
        {
            rest = after.trim_start();
        }
        let (mnemonic, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if repeated && mnemonic != "nop" {
            return None;
        }
        repeated = false;
        instructions.push(Instruction {
            locked: std::mem::take(&mut locked),
            mnemonic: mnemonic.to_owned(),
            operands: split_operands(operands)
                .into_iter()
                .map(operand)
                .collect::<Option<_>>()?,
        });
    }
    Some(instructions)
}

/// At commas outside brackets.
fn split_operands(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let mut operands: Vec<&str> = text
        .split(|c: char| {
            depth += i32::from(matches!(c, '(' | '{')) - i32::from(matches!(c, ')' | '}'));
            c == ',' && depth == 0
        })
        .map(str::trim)
        .collect();
    operands.retain(|o| !o.is_empty());
    operands
}

fn operand(text: &str) -> Option<Operand> {
    if let Some(number) = text.strip_prefix("$$") {
        return Some(Operand::Immediate(integer(number)?));
    }
    if let Some(number) = operand_number(text) {
        return Some(Operand::Number(number));
    }
    if let Some(name) = text.strip_prefix('%') {
        return Some(Operand::Register(register(name)?.to_owned()));
    }
    let (displacement, base) = text.strip_suffix(')')?.split_once('(')?;
    let displacement = match displacement.trim() {
        "" => 0,
        number => i64::try_from(integer(number)?).ok()?,
    };
    match base.trim() {
        "%rsp" | "%esp" => Some(Operand::Stack),
        base => Some(Operand::Indirect {
            displacement,
            base: operand_number(base)?,
        }),
    }
}

/// `$3` or `${3:b}`; the modifier only chooses how wide a register is printed.
fn operand_number(text: &str) -> Option<usize> {
    let text = text.strip_prefix('$')?;
    match text.strip_prefix('{') {
        Some(braced) => {
            let inner = braced.strip_suffix('}')?;
            inner.split(':').next()?.parse().ok()
        }
        None => text.parse().ok(),
    }
}

fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(sign * value)
}

/// The 16-bit name of a general register, whatever part of it is named. The second byte (`ah`) is
/// not understood.
pub fn register(name: &str) -> Option<&'static str> {
    const NAMES: [(&str, [&str; 4]); 8] = [
        ("ax", ["al", "ax", "eax", "rax"]),
        ("bx", ["bl", "bx", "ebx", "rbx"]),
        ("cx", ["cl", "cx", "ecx", "rcx"]),
        ("dx", ["dl", "dx", "edx", "rdx"]),
        ("si", ["sil", "si", "esi", "rsi"]),
        ("di", ["dil", "di", "edi", "rdi"]),
        ("bp", ["bpl", "bp", "ebp", "rbp"]),
        ("r8", ["r8b", "r8w", "r8d", "r8"]),
    ];
    let mut found = NAMES.iter().filter(|(_, all)| all.contains(&name));
    found.next().map(|(canonical, _)| *canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_join_the_next_instruction() {
        let program = parse("lock; cmpxchgl $2,$1\n\tsete ${0:b}").unwrap();
        assert_eq!(program.len(), 2);
        assert!(program[0].locked);
        assert_eq!(program[0].mnemonic, "cmpxchgl");
        assert_eq!(
            program[0].operands,
            [Operand::Number(2), Operand::Number(1)]
        );
        assert!(!program[1].locked);
        assert_eq!(program[1].operands, [Operand::Number(0)]);
    }

    #[test]
    fn rep_nop_is_a_pause() {
        assert_eq!(parse("rep; nop").unwrap()[0].mnemonic, "nop");
        assert_eq!(parse("rep movsb"), None);
    }

    #[test]
    fn memory_operands() {
        let program = parse("lock addl $$0, 0(%rsp)").unwrap();
        assert_eq!(program[0].operands, [Operand::Immediate(0), Operand::Stack]);
        let program = parse("xchgl $0, 4($1)").unwrap();
        let indirect = Operand::Indirect {
            displacement: 4,
            base: 1,
        };
        assert_eq!(program[0].operands[1], indirect);
    }

    #[test]
    fn lock_prefix_bookkeeping_is_skipped() {
        let text =
            ".section .smp_locks,\"a\"\n.balign 4\n.long 661f\n.previous\n661:\n\tlock; incl $0";
        let program = parse(text).unwrap();
        assert_eq!(program.len(), 1);
        assert!(program[0].locked);
        assert_eq!(program[0].mnemonic, "incl");
    }
}
