//! The part of the order that holds in every execution, as its transitive closure.

use super::EventId;

/// A row of predecessors for each event. Rows are kept closed as edges come: cheap for an edge to an
/// event that has no successor yet, which is how a program's events arrive.
#[derive(Default)]
pub struct FixedOrder {
    before: Vec<Vec<u64>>,
    has_successor: Vec<bool>,
    edges: Vec<(EventId, EventId)>,
}

impl FixedOrder {
    pub fn add_event(&mut self) -> EventId {
        self.before.push(Vec::new());
        self.has_successor.push(false);
        EventId::from(self.before.len() - 1)
    }

    pub fn events(&self) -> usize {
        self.before.len()
    }

    /// The edges as they were given.
    pub fn edges(&self) -> &[(EventId, EventId)] {
        &self.edges
    }

    pub fn is_before(&self, a: EventId, b: EventId) -> bool {
        contains(&self.before[b.index()], a)
    }

    pub fn add(&mut self, a: EventId, b: EventId) {
        self.edges.push((a, b));
        if self.is_before(a, b) {
            return;
        }
        let mut earlier = self.before[a.index()].clone();
        insert(&mut earlier, a);
        if self.has_successor[b.index()] {
            for row in &mut self.before {
                if contains(row, b) {
                    unite(row, &earlier);
                }
            }
        }
        unite(&mut self.before[b.index()], &earlier);
        // What is before `a` had a successor already.
        self.has_successor[a.index()] = true;
    }
}

fn contains(row: &[u64], event: EventId) -> bool {
    let word = row.get(event.index() / 64).copied().unwrap_or(0);
    word >> (event.index() % 64) & 1 == 1
}

fn insert(row: &mut Vec<u64>, event: EventId) {
    let word = event.index() / 64;
    if row.len() <= word {
        row.resize(word + 1, 0);
    }
    row[word] |= 1 << (event.index() % 64);
}

fn unite(row: &mut Vec<u64>, other: &[u64]) {
    if row.len() < other.len() {
        row.resize(other.len(), 0);
    }
    for (word, &more) in row.iter_mut().zip(other) {
        *word |= more;
    }
}
