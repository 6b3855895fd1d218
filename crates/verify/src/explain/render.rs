//! Conditions as C over the names of the source.
//!
//! Values have the width of their variables and comparisons a sign, as C's do: a cast stands where
//! the types of C would make another comparison of it, and nowhere else. Where the type of a
//! variable is not known, as of one in a register, a comparison with a sign needs no cast. What
//! locks and other synchronisation objects are like is said in words.

use ir::debug::{DebugType, Encoding};
use smt::{BinOp, CmpOp, InputId, Node, TermId, Terms};

use super::formula::Formula;
use super::naming::{Leaf, Scene, Sync, c_type, is_signed};
use super::ranges::{Ranges, greatest, signed};

/// How tightly C binds what stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Choice,
    Or,
    And,
    Phrase,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    Unary,
    Name,
}

#[derive(Clone, Debug)]
struct Text {
    text: String,
    binding: Binding,
    /// Of the value, if C knows.
    signed: Option<bool>,
}

impl Text {
    fn new(text: impl Into<String>, binding: Binding) -> Text {
        Text {
            text: text.into(),
            binding,
            signed: None,
        }
    }

    fn within(self, binding: Binding) -> String {
        match self.binding < binding {
            true => format!("({})", self.text),
            false => self.text,
        }
    }

    fn beside(self, binding: Binding) -> String {
        match self.binding <= binding {
            true => format!("({})", self.text),
            false => self.text,
        }
    }
}

/// Why something cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hidden {
    TooLarge,
    /// A value was looked up with an index that depends on inputs.
    Table,
}

impl Hidden {
    fn reason(self) -> &'static str {
        match self {
            Hidden::TooLarge => "it is too large",
            Hidden::Table => "it looks up memory by an index that is not known",
        }
    }
}

type Shown<T> = Result<T, Hidden>;

/// A larger one is of no use to a reader.
pub const LARGEST: u32 = 400;

/// A condition in C, and whether all of it could be shown. What could not stands in brackets.
pub fn condition(scene: &Scene, formula: &Formula) -> (String, bool) {
    let text = render(scene, formula).text;
    let is_complete = !text.contains("[not shown: ");
    (text, is_complete)
}

fn render(scene: &Scene, formula: &Formula) -> Text {
    let shown = match formula {
        Formula::And(parts) if parts.is_empty() => Ok(Text::new("true", Binding::Name)),
        Formula::Or(parts) if parts.is_empty() => Ok(Text::new("false", Binding::Name)),
        Formula::And(parts) => {
            let parts = parts.iter().map(|part| render(scene, part));
            let parts: Vec<String> = parts.map(|part| part.within(Binding::And)).collect();
            Ok(Text::new(parts.join(" && "), Binding::And))
        }
        Formula::Or(parts) => {
            let parts = parts.iter().map(|part| render(scene, part));
            // Mixed, the two are hard to read.
            let parts: Vec<String> = parts.map(|part| part.beside(Binding::And)).collect();
            Ok(Text::new(parts.join(" || "), Binding::Or))
        }
        Formula::Compare(op, a, b) => compare(scene, *op, *a, *b),
        Formula::Bound(term, set) => bound(scene, *term, set),
    };
    shown.unwrap_or_else(|why| {
        let text = format!("[not shown: {}]", why.reason());
        Text::new(text, Binding::Name)
    })
}

// ----- comparisons -----

fn compare(scene: &Scene, op: CmpOp, a: TermId, b: TermId) -> Shown<Text> {
    let terms = &scene.machine.terms;
    let (sign, is_signed) = match op {
        CmpOp::Eq => ("==", None),
        CmpOp::Ne => ("!=", None),
        CmpOp::Ult => ("<", Some(false)),
        CmpOp::Ule => ("<=", Some(false)),
        CmpOp::Slt => ("<", Some(true)),
        _ => ("<=", Some(true)),
    };
    let binding = match is_signed {
        None => Binding::Equality,
        Some(_) => Binding::Order,
    };
    let width = terms.width(a);
    let (a, b) = (value(scene, a)?, value(scene, b)?);
    let (a, b) = match is_signed {
        None => (a, b),
        Some(is_signed) => (cast(a, width, is_signed), cast(b, width, is_signed)),
    };
    let (a, b) = (a.beside(binding), b.beside(binding));
    Ok(Text::new(format!("{a} {sign} {b}"), binding))
}

/// A cast, if C would take the value for one with another sign.
fn cast(text: Text, width: u32, to: bool) -> Text {
    // Where nothing is known of a type, it is taken to have a sign.
    if text.signed.unwrap_or(true) == to {
        return text;
    }
    Text {
        text: format!("({}){}", c_type(width, to), text.within(Binding::Unary)),
        binding: Binding::Unary,
        signed: Some(to),
    }
}

/// What a constant may be compared with.
enum Kind<'a> {
    Number { is_signed: bool },
    Bool,
    Character,
    Enum(&'a [(String, i128)]),
    Pointer,
}

fn bound(scene: &Scene, term: TermId, set: &Ranges) -> Shown<Text> {
    let terms = &scene.machine.terms;
    let leaf = match terms.node(term) {
        Node::Input(input) => Some(scene.leaf(*input)),
        _ => None,
    };
    if let Some(Leaf::Sync { sync, name, offset }) = &leaf
        && let Some(phrase) = phrase(scene, *sync, name, *offset, set)
    {
        return Ok(Text::new(phrase, Binding::Phrase));
    }
    if set.width() == 1 {
        let text = bit(scene, terms, term)?;
        return Ok(match set.only() {
            Some(1) => text,
            _ => Text::new(format!("!{}", text.within(Binding::Unary)), Binding::Unary),
        });
    }
    let text = value(scene, term)?;
    let ty = match &leaf {
        Some(Leaf::Named { ty, .. }) => *ty,
        _ => None,
    };
    let points = |set: &Ranges| {
        let address = set.only().and_then(|n| u64::try_from(n).ok());
        address.is_some_and(|address| scene.is_object(address))
    };
    let kind = match ty {
        Some(DebugType::Pointer { .. }) => Kind::Pointer,
        Some(DebugType::Enum { variants, .. }) => Kind::Enum(variants),
        Some(DebugType::Base {
            encoding: Encoding::Bool,
            ..
        }) => Kind::Bool,
        Some(DebugType::Base {
            encoding: Encoding::Char,
            ..
        }) => Kind::Character,
        None if set.width() == scene.machine.pointer_bits()
            && (points(set) || points(&set.complement())) =>
        {
            Kind::Pointer
        }
        _ => Kind::Number {
            is_signed: text.signed.unwrap_or_else(|| looks_signed(set)),
        },
    };
    Ok(in_set(scene, text, set, &kind))
}

/// Whether a set has fewer ranges in the order of numbers with a sign; if both have as many, it is
/// taken for one of such.
fn looks_signed(set: &Ranges) -> bool {
    set.signed_ranges().len() <= set.unsigned_ranges().len()
}

fn in_set(scene: &Scene, text: Text, set: &Ranges, kind: &Kind) -> Text {
    let width = set.width();
    let is_signed = match kind {
        Kind::Number { is_signed } => *is_signed,
        Kind::Character | Kind::Enum(_) => true,
        Kind::Bool | Kind::Pointer => false,
    };
    if let (Kind::Bool, Some(bit @ (0 | 1))) = (kind, only_or_other(set)) {
        let not = if bit == 1 { "" } else { "!" };
        return Text::new(
            format!("{not}{}", text.within(Binding::Unary)),
            Binding::Unary,
        );
    }
    let ranges = |set: &Ranges| match is_signed {
        true => set.signed_ranges(),
        false => set.unsigned_ranges(),
    };
    if let (Kind::Number { .. }, 2..) = (kind, ranges(set).len())
        && let Some((number, shifted)) = shift(set, is_signed)
    {
        let sign = if number < 0 { "-" } else { "+" };
        let sum = format!(
            "{} {sign} {}",
            text.clone().within(Binding::Sum),
            number.abs()
        );
        let sum = Text {
            signed: text.signed,
            ..Text::new(sum, Binding::Sum)
        };
        return in_set(scene, sum, &shifted, kind);
    }
    let points = |ranges: &[(i128, i128)]| ranges.iter().all(|(a, b)| a == b);
    let excluded = ranges(&set.complement());
    let number = |n: i128| constant(scene, n, width, kind);
    let equal = |sign: &str, n: i128| {
        let text = text.clone().beside(Binding::Equality);
        format!("{text} {sign} {}", number(n))
    };
    if points(&excluded) && excluded.len() <= 3 {
        let parts: Vec<String> = excluded.iter().map(|(n, _)| equal("!=", *n)).collect();
        let binding = match parts.len() {
            1 => Binding::Equality,
            _ => Binding::And,
        };
        return Text::new(parts.join(" && "), binding);
    }
    let text = match kind {
        Kind::Number { is_signed } => cast(text.clone(), width, *is_signed),
        _ => text.clone(),
    };
    let name = || text.clone().beside(Binding::Order);
    let (least, most) = match is_signed {
        true => (
            signed(1 << (width - 1), width),
            signed(greatest(width) >> 1, width),
        ),
        false => (0, i128::try_from(greatest(width)).unwrap_or(i128::MAX)),
    };
    let parts: Vec<(String, Binding)> = ranges(set)
        .into_iter()
        .map(|(first, last)| match (first, last) {
            (a, b) if a == b => (equal("==", a), Binding::Equality),
            (a, b) if a == least => (format!("{} <= {}", name(), number(b)), Binding::Order),
            (a, b) if b == most => (format!("{} >= {}", name(), number(a)), Binding::Order),
            (a, b) => (
                format!("{} <= {} && {} <= {}", number(a), name(), name(), number(b)),
                Binding::And,
            ),
        })
        .collect();
    if let [(text, binding)] = &parts[..] {
        return Text::new(text, *binding);
    }
    let parts = parts.into_iter().map(|(text, binding)| match binding {
        Binding::And => format!("({text})"),
        _ => text,
    });
    Text::new(parts.collect::<Vec<_>>().join(" || "), Binding::Or)
}

/// A small number that, added to the numbers of the set, makes one range of them: `x + 1 <= 2` is
/// also true of the greatest `x`.
fn shift(set: &Ranges, is_signed: bool) -> Option<(i128, Ranges)> {
    const FURTHEST: i128 = 16;
    let is_one = |set: &Ranges| match is_signed {
        true => set.signed_ranges().len() == 1,
        false => set.unsigned_ranges().len() == 1,
    };
    if set.complement().only().is_some() {
        return None;
    }
    let numbers = (1..=FURTHEST).flat_map(|n| [n, -n]);
    let mut shifted = numbers.map(|n| {
        let back = (-n) as u128 & greatest(set.width());
        (n, set.minus(back))
    });
    shifted.find(|(_, set)| is_one(set))
}

/// The only bit it can be; also of a byte that must not be the other.
fn only_or_other(set: &Ranges) -> Option<u128> {
    set.only()
        .or_else(|| set.complement().only().filter(|n| *n == 0).map(|_| 1))
}

fn constant(scene: &Scene, number: i128, width: u32, kind: &Kind) -> String {
    match kind {
        Kind::Pointer if number == 0 => "NULL".to_string(),
        Kind::Pointer => match u64::try_from(number) {
            Ok(address) if scene.is_object(address) => format!("&{}", scene.memory(address, 1)),
            _ => format!("(void *){number:#x}"),
        },
        Kind::Character if (32..127).contains(&number) => format!("'{}'", number as u8 as char),
        Kind::Enum(variants) => variants
            .iter()
            .find(|(_, value)| *value == number)
            .map_or_else(|| number.to_string(), |(name, _)| name.clone()),
        Kind::Number { is_signed: true } if number == i128::from(i32::MIN) && width == 32 => {
            "INT_MIN".to_string()
        }
        _ => number.to_string(),
    }
}

// ----- synchronisation objects -----

/// Whether it is about a synchronisation object.
pub fn is_phrase(scene: &Scene, formula: &Formula) -> bool {
    let Formula::Bound(term, _) = formula else {
        return false;
    };
    match *scene.machine.terms.node(*term) {
        Node::Input(input) => matches!(scene.leaf(input), Leaf::Sync { .. }),
        _ => false,
    }
}

fn phrase(scene: &Scene, sync: Sync, name: &str, offset: u64, set: &Ranges) -> Option<String> {
    const DESTROYED: u128 = u32::MAX as u128;
    if set.width() != 32 {
        return None;
    }
    let thread = |word: u128| {
        let id = machine::ThreadId(u32::try_from(word).unwrap_or(0) - 1);
        scene.names.thread(id)
    };
    let only = set.only();
    let free = Ranges::new(32, [(0, 0), (DESTROYED, DESTROYED)]);
    let is_taken = *set == free.complement();
    match (sync, offset, only) {
        (Sync::Semaphore, 0, Some(DESTROYED)) | (Sync::Lock, 0, Some(DESTROYED)) => {
            Some(format!("{name} is destroyed"))
        }
        (Sync::Lock, 0, Some(0)) => Some(format!("{name} is free")),
        (Sync::Lock, 0, Some(word)) => Some(format!("{name} is held by {}", thread(word))),
        (Sync::Lock, 0, None) if is_taken => Some(format!("{name} is held")),
        (Sync::Lock, 0, None) if *set == Ranges::point(32, 0).complement() => {
            Some(format!("{name} is not free"))
        }
        (Sync::Lock, 4, Some(count)) => Some(format!("{name} is locked {count} times")),
        (Sync::Lock, 8, Some(word @ 1..=0xffff)) => {
            let last = thread(word);
            Some(format!(
                "{last} was the last to change something under {name}"
            ))
        }
        (Sync::Barrier, 8, Some(count)) => Some(format!("{name} was passed {count} times")),
        (Sync::Semaphore, 0, Some(value)) => Some(format!("{name} is at {value}")),
        (Sync::RwLock, 0, Some(0)) => Some(format!("nobody reads under {name}")),
        (Sync::RwLock, 0, Some(count)) => Some(format!("{count} read under {name}")),
        (Sync::RwLock, 4, Some(DESTROYED)) => Some(format!("{name} is destroyed")),
        (Sync::RwLock, 4, Some(0)) => Some(format!("nobody writes under {name}")),
        (Sync::RwLock, 4, Some(word)) => Some(format!("{name} is held by {}", thread(word))),
        (Sync::Barrier, 0, Some(count)) => Some(format!("{name} is for {count}")),
        (Sync::Barrier, 4, Some(count)) => Some(format!("{count} are at {name}")),
        (Sync::Once, 0, Some(0)) => Some(format!("{name} was not run")),
        (Sync::Once, 0, Some(1)) => Some(format!("{name} is being run")),
        (Sync::Once, 0, Some(_)) => Some(format!("{name} was run")),
        _ => None,
    }
}

// ----- values -----

fn value(scene: &Scene, term: TermId) -> Shown<Text> {
    let terms = &scene.machine.terms;
    if terms.tree_size(term) > LARGEST {
        return Err(Hidden::TooLarge);
    }
    let width = terms.width(term);
    match *terms.node(term) {
        Node::Constant { value, .. } => {
            let number = signed(value, width);
            let binding = match number < 0 {
                true => Binding::Unary,
                false => Binding::Name,
            };
            Ok(Text::new(number.to_string(), binding))
        }
        Node::Input(input) => Ok(named(scene, input)),
        _ if width == 1 => {
            let formula = Formula::of(terms, term);
            match &formula {
                Formula::Bound(same, _) if *same == term => bit(scene, terms, term),
                _ => Ok(render(scene, &formula)),
            }
        }
        Node::Bin(op, a, b) => binary(scene, op, a, b),
        Node::Not(a) => unary(scene, "~", a),
        Node::Neg(a) => unary(scene, "-", a),
        Node::Ite(c, a, b) => {
            let c = render(scene, &Formula::of(terms, c)).beside(Binding::Choice);
            let (a, b) = (value(scene, a)?, value(scene, b)?);
            let signed = a.signed.filter(|_| a.signed == b.signed);
            let (a, b) = (a.beside(Binding::Choice), b.within(Binding::Choice));
            let text = Text::new(format!("{c} ? {a} : {b}"), Binding::Choice);
            Ok(Text { signed, ..text })
        }
        Node::Extract { term, lo, width } => extract(scene, term, lo, width),
        Node::Concat { hi, lo } => concat(scene, hi, lo),
        Node::Zext { term, .. } => {
            let narrow = terms.width(term);
            let text = value(scene, term)?;
            let text = match narrow {
                1 => text,
                _ => cast(text, narrow, false),
            };
            // C widens it by itself; a narrow one becomes an `int`.
            let signed = Some(narrow < 32);
            Ok(Text { signed, ..text })
        }
        Node::Sext { term, .. } => {
            let narrow = terms.width(term);
            let text = value(scene, term)?;
            let text = match narrow {
                1 => Text::new(format!("-{}", text.beside(Binding::Unary)), Binding::Unary),
                _ => cast(text, narrow, true),
            };
            let signed = Some(true);
            Ok(Text { signed, ..text })
        }
        Node::Cmp(..) => Ok(render(scene, &Formula::of(terms, term))),
        Node::Select { .. } => Err(Hidden::Table),
    }
}

/// One bit that is no comparison.
fn bit(scene: &Scene, terms: &Terms, term: TermId) -> Shown<Text> {
    match *terms.node(term) {
        _ if terms.tree_size(term) > LARGEST => Err(Hidden::TooLarge),
        Node::Input(input) => Ok(named(scene, input)),
        // A `bool` in memory has more bits than it needs.
        Node::Extract { term, lo: 0, .. } if is_bool(scene, term) => value(scene, term),
        Node::Extract { term, lo, .. } => {
            let of = value(scene, term)?;
            let text = match lo {
                0 => of.within(Binding::BitAnd),
                _ => format!("{} >> {lo}", of.within(Binding::Shift)),
            };
            Ok(Text::new(format!("{text} & 1"), Binding::BitAnd))
        }
        Node::Bin(BinOp::Xor, a, b) => {
            let (a, b) = (value(scene, a)?, value(scene, b)?);
            let (a, b) = (a.beside(Binding::Equality), b.beside(Binding::Equality));
            Ok(Text::new(format!("{a} != {b}"), Binding::Equality))
        }
        Node::Bin(op, a, b) => binary(scene, op, a, b),
        _ => Err(Hidden::Table),
    }
}

fn is_bool(scene: &Scene, term: TermId) -> bool {
    let Node::Input(input) = *scene.machine.terms.node(term) else {
        return false;
    };
    let Leaf::Named { ty: Some(ty), .. } = scene.leaf(input) else {
        return false;
    };
    matches!(
        ty,
        DebugType::Base {
            encoding: Encoding::Bool,
            ..
        }
    )
}

fn named(scene: &Scene, input: InputId) -> Text {
    match scene.leaf(input) {
        Leaf::Named { name, ty } => {
            let binding = match name.starts_with('*') {
                true => Binding::Unary,
                false => Binding::Name,
            };
            Text {
                signed: ty.and_then(is_signed),
                ..Text::new(name, binding)
            }
        }
        Leaf::Sync {
            sync, name, offset, ..
        } => {
            let name = match (sync, offset) {
                (Sync::Semaphore, 0) => format!("value({name})"),
                (Sync::Lock, 0) => format!("owner({name})"),
                (Sync::RwLock, 0) => format!("readers({name})"),
                (Sync::RwLock, 4) => format!("writer({name})"),
                _ => format!("word({name}, {})", offset / 4),
            };
            Text::new(name, Binding::Name)
        }
        Leaf::Result(thread) => Text::new(format!("result({thread})"), Binding::Name),
        Leaf::Any(name) => Text::new(name, Binding::Name),
    }
}

fn unary(scene: &Scene, sign: &str, a: TermId) -> Shown<Text> {
    let a = value(scene, a)?;
    let signed = a.signed;
    let text = Text::new(
        format!("{sign}{}", a.beside(Binding::Unary)),
        Binding::Unary,
    );
    Ok(Text { signed, ..text })
}

fn binary(scene: &Scene, op: BinOp, a: TermId, b: TermId) -> Shown<Text> {
    let terms = &scene.machine.terms;
    let width = terms.width(a);
    // What is added stands behind.
    let (a, b) = match (op.is_commutative(), terms.as_constant(a)) {
        (true, Some(_)) => (b, a),
        _ => (a, b),
    };
    let (sign, binding) = match op {
        BinOp::Add => ("+", Binding::Sum),
        BinOp::Sub => ("-", Binding::Sum),
        BinOp::Mul => ("*", Binding::Product),
        BinOp::UDiv | BinOp::SDiv => ("/", Binding::Product),
        BinOp::URem | BinOp::SRem => ("%", Binding::Product),
        BinOp::Shl => ("<<", Binding::Shift),
        BinOp::LShr | BinOp::AShr => (">>", Binding::Shift),
        BinOp::And => ("&", Binding::BitAnd),
        BinOp::Or => ("|", Binding::BitOr),
        BinOp::Xor => ("^", Binding::BitXor),
    };
    let number = terms.as_constant(b).map(|n| signed(n, width));
    let (x, y) = (value(scene, a)?, value(scene, b)?);
    let (x, y) = match op {
        BinOp::UDiv | BinOp::URem => (cast(x, width, false), y),
        BinOp::LShr => (cast(x, width, false), y),
        BinOp::SDiv | BinOp::SRem | BinOp::AShr => (cast(x, width, true), y),
        _ => (x, y),
    };
    // C computes without a sign where one side has none.
    let signed = match (x.signed, y.signed) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), _) | (_, Some(true)) => Some(true),
        _ => None,
    };
    let text = match (op, number) {
        (BinOp::Add, Some(number)) if number < 0 && number != i128::MIN => {
            format!("{} - {}", x.within(binding), -number)
        }
        _ => format!("{} {sign} {}", x.within(binding), y.beside(binding)),
    };
    Ok(Text {
        signed,
        ..Text::new(text, binding)
    })
}

fn extract(scene: &Scene, term: TermId, lo: u32, width: u32) -> Shown<Text> {
    let of = value(scene, term)?;
    let shifted = match lo {
        0 => of,
        _ => Text::new(
            format!("{} >> {lo}", of.within(Binding::Shift)),
            Binding::Shift,
        ),
    };
    if matches!(width, 8 | 16 | 32 | 64) {
        let text = format!(
            "({}){}",
            c_type(width, false),
            shifted.within(Binding::Unary)
        );
        return Ok(Text {
            signed: Some(false),
            ..Text::new(text, Binding::Unary)
        });
    }
    let text = format!(
        "{} & {:#x}",
        shifted.within(Binding::BitAnd),
        greatest(width)
    );
    Ok(Text::new(text, Binding::BitAnd))
}

/// Bytes that lie beside each other are read at once.
fn concat(scene: &Scene, hi: TermId, lo: TermId) -> Shown<Text> {
    let terms = &scene.machine.terms;
    if let (Some((low, bytes)), Some((high, more))) = (cell(scene, lo), cell(scene, hi))
        && low + u64::from(bytes) == high
    {
        let name = scene.memory(low, u64::from(bytes + more));
        let ty = c_type(8 * (bytes + more), true);
        return Ok(Text::new(format!("*({ty} *)&{name}"), Binding::Unary));
    }
    let shift = terms.width(lo);
    // A product with a power of two.
    if let (Some(0), Node::Extract { term, lo: 0, .. }) = (terms.as_constant(lo), terms.node(hi))
        && terms.width(*term) == terms.width(hi) + shift
        && shift < 32
    {
        let text = value(scene, *term)?.within(Binding::Product);
        let factor = 1_u64 << shift;
        return Ok(Text::new(format!("{text} * {factor}"), Binding::Product));
    }
    let (hi, lo) = (value(scene, hi)?, cast(value(scene, lo)?, shift, false));
    let (hi, lo) = (hi.within(Binding::Shift), lo.beside(Binding::BitOr));
    Ok(Text::new(format!("{hi} << {shift} | {lo}"), Binding::BitOr))
}

/// The bytes of memory that the term is, one beside the other.
fn cell(scene: &Scene, term: TermId) -> Option<(u64, u32)> {
    match *scene.machine.terms.node(term) {
        Node::Input(input) => match scene.machine.location_of(input)? {
            machine::Location::Cell { address, bytes } => Some((address, bytes)),
            _ => None,
        },
        Node::Concat { hi, lo } => {
            let ((low, bytes), (high, more)) = (cell(scene, lo)?, cell(scene, hi)?);
            (low + u64::from(bytes) == high).then_some((low, bytes + more))
        }
        _ => None,
    }
}
