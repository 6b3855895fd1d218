//! The arena of terms. Equal terms are one term, so equality is a comparison of ids; terms are
//! never freed.
//!
//! This file interns nodes and keeps the facts that are computed once per term: width, known bits,
//! support, size. The constructors that others call (`bin`, `cmp`, `ite`, ...) are in `simplify`;
//! they end in `intern`. `raw` skips the simplifier and exists to state what a term was before
//! simplification.

use std::sync::Arc;

use base::IndexVec;
use rustc_hash::FxHashMap;

use crate::known_bits::KnownBits;
use crate::node::{BinOp, InputId, Node, TableId, TermId};
use crate::semantics::mask;
use crate::support::{SupportId, Supports};

pub struct Terms {
    /// Record 0 is a placeholder, because `TermId(0)` is no term.
    records: Vec<Record>,
    interned: FxHashMap<Node, TermId>,
    inputs: IndexVec<InputId, Input>,
    input_ids: FxHashMap<(Box<str>, u32), InputId>,
    tables: IndexVec<TableId, Table>,
    table_ids: FxHashMap<Box<[TermId]>, TableId>,
    supports: Supports,
    identity: Identity,
    /// How deep the simplifier is in its own recursion; see `simplify`.
    pub(crate) nesting: u32,
}

/// Tells one `Terms` from another, so that a solver can refuse ids of a second arena.
pub type Identity = Arc<()>;

struct Record {
    node: Node,
    known: KnownBits,
    width: u32,
    support: SupportId,
    /// The number of nodes when written as a tree, saturating.
    tree_size: u32,
}

struct Input {
    name: Box<str>,
    width: u32,
    term: TermId,
}

struct Table {
    bytes: Box<[TermId]>,
    support: SupportId,
    known: KnownBits,
    tree_size: u32,
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    pub fn new() -> Self {
        let nothing = Record {
            node: Node::Constant { width: 0, value: 0 },
            known: KnownBits::UNKNOWN,
            width: 0,
            support: Supports::EMPTY,
            tree_size: 0,
        };
        Terms {
            records: vec![nothing],
            interned: FxHashMap::default(),
            inputs: IndexVec::new(),
            input_ids: FxHashMap::default(),
            tables: IndexVec::new(),
            table_ids: FxHashMap::default(),
            supports: Supports::new(),
            identity: Arc::new(()),
            nesting: 0,
        }
    }

    /// One more than the greatest term index: vectors indexed by terms need this length.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is no term yet.
    pub fn is_empty(&self) -> bool {
        self.records.len() == 1
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Between 1 and 128; a boolean has width 1.
    pub fn width(&self, term: TermId) -> u32 {
        self.record(term).width
    }

    pub fn node(&self, term: TermId) -> &Node {
        &self.record(term).node
    }

    /// The inputs that occur in the term, in order.
    pub fn support(&self, term: TermId) -> &[InputId] {
        self.supports.get(self.record(term).support)
    }

    pub fn known_bits(&self, term: TermId) -> KnownBits {
        self.record(term).known
    }

    /// The number of nodes when the term is written without sharing, saturating.
    pub fn tree_size(&self, term: TermId) -> u32 {
        self.record(term).tree_size
    }

    /// `value` is cut to `width`.
    pub fn constant(&mut self, width: u32, value: u128) -> TermId {
        assert!((1..=128).contains(&width), "a bit-vector of width {width}");
        self.intern(Node::Constant {
            width,
            value: value & mask(width),
        })
    }

    pub fn as_constant(&self, term: TermId) -> Option<u128> {
        match *self.node(term) {
            Node::Constant { value, .. } => Some(value),
            _ => None,
        }
    }

    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(1, value as u128)
    }

    /// The input of this name and width; the same arguments give the same term.
    pub fn input(&mut self, name: &str, width: u32) -> TermId {
        assert!((1..=128).contains(&width), "an input of width {width}");
        if let Some(&id) = self.input_ids.get(&(Box::from(name), width)) {
            return self.inputs[id].term;
        }
        let id = self.inputs.push(Input {
            name: name.into(),
            width,
            term: TermId(0),
        });
        self.input_ids.insert((name.into(), width), id);
        let term = self.intern(Node::Input(id));
        self.inputs[id].term = term;
        term
    }

    pub fn inputs(&self) -> impl DoubleEndedIterator<Item = InputId> + use<> {
        self.inputs.ids()
    }

    pub fn input_name(&self, input: InputId) -> &str {
        &self.inputs[input].name
    }

    pub fn input_width(&self, input: InputId) -> u32 {
        self.inputs[input].width
    }

    pub fn input_term(&self, input: InputId) -> TermId {
        self.inputs[input].term
    }

    /// The immutable array of these bytes; the same bytes give the same table.
    pub fn table(&mut self, bytes: &[TermId]) -> TableId {
        if let Some(&id) = self.table_ids.get(bytes) {
            return id;
        }
        let mut support = Supports::EMPTY;
        let mut known: Option<KnownBits> = None;
        let mut tree_size = 0u32;
        for &byte in bytes {
            assert_eq!(self.width(byte), 8, "{byte} in a byte table");
            support = self.supports.union(support, self.record(byte).support);
            known = Some(known.map_or(self.known_bits(byte), |k| k.join(self.known_bits(byte))));
            tree_size = tree_size.saturating_add(self.tree_size(byte));
        }
        let known = known.unwrap_or(KnownBits::constant(8, 0));
        let id = self.tables.push(Table {
            bytes: bytes.into(),
            support,
            known,
            tree_size,
        });
        self.table_ids.insert(bytes.into(), id);
        id
    }

    pub fn table_bytes(&self, table: TableId) -> &[TermId] {
        &self.tables[table].bytes
    }

    /// The term exactly as given, not simplified: tests compare it with what the simplifier makes.
    ///
    /// # Panics
    /// If the widths do not fit.
    pub fn raw(&mut self, node: Node) -> TermId {
        self.check_widths(&node);
        self.intern(node)
    }

    pub(crate) fn intern(&mut self, node: Node) -> TermId {
        if let Some(&term) = self.interned.get(&node) {
            return term;
        }
        let record = Record {
            node,
            known: self.compute_known_bits(&node),
            width: self.compute_width(&node),
            support: self.compute_support(&node),
            tree_size: self.compute_tree_size(&node),
        };
        let term = TermId::from(self.records.len());
        self.records.push(record);
        self.interned.insert(node, term);
        term
    }

    fn record(&self, term: TermId) -> &Record {
        debug_assert!(term != TermId(0), "e0 is no term");
        &self.records[term.index()]
    }

    fn compute_width(&self, node: &Node) -> u32 {
        match *node {
            Node::Constant { width, .. } => width,
            Node::Input(input) => self.inputs[input].width,
            Node::Bin(_, a, _) | Node::Not(a) | Node::Neg(a) | Node::Ite(_, a, _) => self.width(a),
            Node::Cmp(..) => 1,
            Node::Extract { width, .. } | Node::Zext { width, .. } | Node::Sext { width, .. } => {
                width
            }
            Node::Concat { hi, lo } => self.width(hi) + self.width(lo),
            Node::Select { .. } => 8,
        }
    }

    pub(crate) fn compute_known_bits(&self, node: &Node) -> KnownBits {
        match *node {
            Node::Constant { width, value } => KnownBits::constant(width, value),
            Node::Input(_) => KnownBits::UNKNOWN,
            Node::Bin(op, a, b) => {
                KnownBits::bin(op, self.width(a), self.known_bits(a), self.known_bits(b))
            }
            Node::Cmp(op, a, b) => {
                match KnownBits::cmp(op, self.width(a), self.known_bits(a), self.known_bits(b)) {
                    Some(outcome) => KnownBits::constant(1, outcome as u128),
                    None => KnownBits::UNKNOWN,
                }
            }
            Node::Not(a) => self.known_bits(a).complement(),
            Node::Neg(a) => {
                let width = self.width(a);
                KnownBits::bin(
                    BinOp::Sub,
                    width,
                    KnownBits::constant(width, 0),
                    self.known_bits(a),
                )
            }
            Node::Ite(_, a, b) => self.known_bits(a).join(self.known_bits(b)),
            Node::Extract { term, lo, width } => self.known_bits(term).extract(lo, width),
            Node::Concat { hi, lo } => self
                .known_bits(hi)
                .concat(self.known_bits(lo), self.width(lo)),
            Node::Zext { term, width } => self.known_bits(term).zext(self.width(term), width),
            Node::Sext { term, width } => self.known_bits(term).sext(self.width(term), width),
            Node::Select { table, index } => {
                let table = &self.tables[table];
                let greatest = self.known_bits(index).max(self.width(index));
                match greatest < table.bytes.len() as u128 {
                    true => table.known,
                    false => table.known.join(KnownBits::constant(8, 0)),
                }
            }
        }
    }

    fn compute_support(&mut self, node: &Node) -> SupportId {
        let own = match *node {
            Node::Input(input) => self.supports.singleton(input),
            Node::Select { table, .. } => self.tables[table].support,
            _ => Supports::EMPTY,
        };
        node.operands().fold(own, |set, operand| {
            let operand = self.record(operand).support;
            self.supports.union(set, operand)
        })
    }

    fn compute_tree_size(&self, node: &Node) -> u32 {
        let own = match *node {
            Node::Select { table, .. } => self.tables[table].tree_size.saturating_add(1),
            _ => 1,
        };
        node.operands().fold(own, |size, operand| {
            size.saturating_add(self.tree_size(operand))
        })
    }

    fn check_widths(&self, node: &Node) {
        let fits = match *node {
            Node::Constant { width, value } => {
                (1..=128).contains(&width) && value & !mask(width) == 0
            }
            Node::Input(_) | Node::Not(_) | Node::Neg(_) | Node::Select { .. } => true,
            Node::Bin(_, a, b) | Node::Cmp(_, a, b) => self.width(a) == self.width(b),
            Node::Ite(c, a, b) => self.width(c) == 1 && self.width(a) == self.width(b),
            Node::Extract { term, lo, width } => width >= 1 && lo + width <= self.width(term),
            Node::Concat { hi, lo } => self.width(hi) + self.width(lo) <= 128,
            Node::Zext { term, width } | Node::Sext { term, width } => {
                self.width(term) <= width && width <= 128
            }
        };
        let widths: Vec<u32> = node.operands().map(|operand| self.width(operand)).collect();
        assert!(fits, "the widths {widths:?} do not fit {node:?}");
    }
}
