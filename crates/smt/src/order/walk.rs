//! Lemmas: closed walks of before-relations, each step for a reason that is a literal.
//!
//! An event cannot be before itself, so that not all literals of a closed walk are true. The shortest
//! walk makes the strongest clause: the search goes by the number of literals, and steps of the fixed
//! order are free.

use std::fmt::Write as _;

use super::EventId;
use super::facts::{Code, Facts, Index};

/// Why one event is before another.
#[derive(Clone, Copy)]
pub enum Why {
    /// A pair literal.
    Pair(Code),
    Reads(u32),
    /// From-read: what a read's source is before, the reader is before. `None`: the source is before
    /// the write by the fixed order.
    FromRead {
        read: u32,
        write: u32,
        order: Option<Code>,
    },
}

impl Why {
    /// How many literals, at most.
    fn cost(self) -> usize {
        match self {
            Why::Pair(_) | Why::Reads(_) => 1,
            Why::FromRead { order: None, .. } => 2,
            Why::FromRead { order: Some(_), .. } => 3,
        }
    }
}

const MOST_COSTLY: usize = 3;

#[derive(Clone, Copy)]
struct Edge {
    from: EventId,
    to: EventId,
    why: Why,
}

/// The edges that hold now, the latest on top, also those that others imply: they make short walks.
#[derive(Default)]
pub struct Edges {
    edges: Vec<Edge>,
    leaving: Vec<Vec<u32>>,
    search: Search,
}

/// Scratch memory of the search for a path.
#[derive(Default)]
struct Search {
    /// By event: the smallest cost found, if it ends an edge of the search.
    cost: Vec<u32>,
    /// By event: the edge that it ends.
    arrived_by: Vec<u32>,
    /// By event: from which end of an edge the fixed order leads to it.
    came_from: Vec<EventId>,
    /// By chain: from where on its events have been seen.
    seen_from: Vec<u32>,
    /// By cost, modulo one more than an edge can cost.
    open: [Vec<EventId>; MOST_COSTLY + 1],
    touched: Vec<EventId>,
}

/// A lemma in the making.
pub struct Lemma<'a> {
    facts: &'a Facts,
    index: &'a Index,
    pub lits: Vec<i32>,
    /// The walk, if a proof is wanted.
    pub steps: Option<String>,
}

impl<'a> Lemma<'a> {
    pub fn new(facts: &'a Facts, index: &'a Index, is_proved: bool) -> Lemma<'a> {
        Lemma {
            facts,
            index,
            lits: Vec::new(),
            steps: is_proved.then(String::new),
        }
    }

    /// The clause, each literal once.
    pub fn finish(mut self) -> (Vec<i32>, Option<String>) {
        self.lits.sort_unstable();
        self.lits.dedup();
        (self.lits, self.steps)
    }

    /// One step that needs no path of its own.
    pub fn step(&mut self, from: EventId, to: EventId, why: Why) {
        match why {
            Why::Pair(code) => self.pair(code, from, to),
            Why::Reads(read) => {
                let lit = self.needs(self.index.reads[read as usize]);
                let fact = &self.facts.reads[read as usize];
                let (source, reader, atom) = (fact.source, fact.reader, fact.atom);
                self.text(format_args!(
                    " R {lit} {} {} {}",
                    source.0, reader.0, atom.0
                ));
            }
            Why::FromRead { read, write, order } => {
                self.open_from_read(read, write);
                let source = self.facts.reads[read as usize].source;
                let written = self.facts.writes[write as usize].event;
                match order {
                    Some(code) => self.pair(code, source, written),
                    None => self.always(source, written),
                }
                self.close_from_read();
            }
        }
    }

    pub fn pair(&mut self, code: Code, from: EventId, to: EventId) {
        let lit = self.needs(code);
        self.text(format_args!(" E {lit} {} {}", from.0, to.0));
    }

    pub fn always(&mut self, from: EventId, to: EventId) {
        self.text(format_args!(" P {} {}", from.0, to.0));
    }

    /// From the reader to the writer; the steps from the source to the writer follow.
    pub fn open_from_read(&mut self, read: u32, write: u32) {
        let read_lit = self.needs(self.index.reads[read as usize]);
        let write_lit = self.needs(self.index.writes[write as usize]);
        let read = &self.facts.reads[read as usize];
        let writer = self.facts.writes[write as usize].event;
        let (source, reader, atom) = (read.source.0, read.reader.0, read.atom.0);
        self.text(format_args!(
            " F {read_lit} {source} {reader} {atom} {write_lit} {}",
            writer.0
        ));
    }

    pub fn close_from_read(&mut self) {
        self.text(format_args!(" ."));
    }

    /// The lemma needs this literal to be false.
    fn needs(&mut self, code: Code) -> i32 {
        let lit = self.index.lit(code).dimacs();
        // The constant is left out where nobody checks.
        if lit != 1 || self.steps.is_some() {
            self.lits.push(-lit);
        }
        lit
    }

    fn text(&mut self, text: std::fmt::Arguments) {
        if let Some(steps) = &mut self.steps {
            steps.write_fmt(text).expect("strings take all text");
        }
    }
}

impl Edges {
    pub fn new(events: usize) -> Edges {
        Edges {
            edges: Vec::new(),
            leaving: vec![Vec::new(); events],
            search: Search {
                cost: vec![u32::MAX; events],
                arrived_by: vec![0; events],
                came_from: vec![EventId(0); events],
                ..Search::default()
            },
        }
    }

    pub fn len(&self) -> usize {
        self.edges.len()
    }

    pub fn push(&mut self, from: EventId, to: EventId, why: Why) {
        self.leaving[from.index()].push(self.edges.len() as u32);
        self.edges.push(Edge { from, to, why });
    }

    pub fn truncate(&mut self, len: usize) {
        for edge in self.edges.drain(len..).rev() {
            self.leaving[edge.from.index()].pop();
        }
    }

    /// Adds the steps from one event to another to the lemma, by edges below `limit` only. There is
    /// such a path.
    pub fn add_path(&mut self, from: EventId, to: EventId, limit: usize, lemma: &mut Lemma) {
        if from == to {
            return;
        }
        let last = self.find(from, to, limit, lemma.index);
        let search = &self.search;
        // From the end to the start.
        let mut steps: Vec<(EventId, EventId, Option<Why>)> = Vec::new();
        if last != to {
            steps.push((last, to, None));
        }
        let mut at = last;
        while at != from {
            let edge = self.edges[search.arrived_by[at.index()] as usize];
            steps.push((edge.from, edge.to, Some(edge.why)));
            at = search.came_from[edge.from.index()];
            if at != edge.from {
                steps.push((at, edge.from, None));
            }
        }
        for (from, to, why) in steps.into_iter().rev() {
            match why {
                Some(why) => lemma.step(from, to, why),
                None => lemma.always(from, to),
            }
        }
    }

    /// Dijkstra's search over the ends of edges; what the fixed order leads to is scanned once for each
    /// chain. Returns the last of these ends, which is `to` or before it by the fixed order.
    fn find(&mut self, from: EventId, to: EventId, limit: usize, index: &Index) -> EventId {
        let reach = &index.reach;
        let search = &mut self.search;
        for event in search.touched.drain(..) {
            search.cost[event.index()] = u32::MAX;
        }
        search.seen_from.clear();
        // Only what reaches the goal by all edges can do so by those below the limit.
        search.seen_from.extend_from_slice(reach.before(to));
        for bucket in &mut search.open {
            bucket.clear();
        }
        search.cost[from.index()] = 0;
        search.touched.push(from);
        search.open[0].push(from);
        let mut cost = 0;
        loop {
            let Some(at) = search.open[cost % (MOST_COSTLY + 1)].pop() else {
                cost += 1;
                assert!(
                    search.open.iter().any(|bucket| !bucket.is_empty()),
                    "there is a path"
                );
                continue;
            };
            if search.cost[at.index()] as usize != cost {
                continue;
            }
            if at == to || reach.is_fixed(at, to) {
                return at;
            }
            for (chain, &first) in reach.fixed_after(at).iter().enumerate() {
                let seen_from = search.seen_from[chain];
                if first >= seen_from {
                    continue;
                }
                search.seen_from[chain] = first;
                let events = &reach.chains()[chain][first as usize..seen_from as usize];
                for &event in events {
                    search.came_from[event.index()] = at;
                    for &number in &self.leaving[event.index()] {
                        let edge = &self.edges[number as usize];
                        let sum = cost + edge.why.cost();
                        if number as usize >= limit {
                            break;
                        }
                        if search.cost[edge.to.index()] as usize <= sum
                            || !reach.reaches(edge.to, to)
                        {
                            continue;
                        }
                        search.cost[edge.to.index()] = sum as u32;
                        search.arrived_by[edge.to.index()] = number;
                        search.touched.push(edge.to);
                        search.open[sum % (MOST_COSTLY + 1)].push(edge.to);
                    }
                }
            }
        }
    }
}
