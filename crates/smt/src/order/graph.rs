//! Which event reaches which, while edges are added and taken back in the reverse order.
//!
//! The events are split into chains, each of which the fixed order orders: the threads, in effect. What
//! reaches an event is then one number per chain, how many of its events do, as in a vector clock; and
//! what an event reaches is the first position of each chain. Whether one event reaches another is one
//! comparison. An edge updates only the events whose numbers change, and tells which pairs became
//! ordered by it, each pair once between two removals.

use super::EventId;
use super::fixed::FixedOrder;

pub struct Reachability {
    /// The chain of each event and where in it the event stands.
    places: Vec<Place>,
    chains: Vec<Vec<EventId>>,
    /// For each event and chain, how many events of the chain are before or equal to the event.
    before: Vec<u32>,
    /// For each event and chain, the position of the first event of the chain that is after or equal.
    after: Vec<u32>,
    /// `after` by the fixed order alone.
    fixed_after: Vec<u32>,
    /// What was overwritten in `before` and in `after`.
    undo_before: Vec<(u32, u32)>,
    undo_after: Vec<(u32, u32)>,
    row: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub chain: u32,
    pub position: u32,
}

/// The events of a chain at `from..to` have come to be before `event`.
#[derive(Clone, Copy)]
pub struct Gain {
    pub event: EventId,
    pub chain: u32,
    pub from: u32,
    pub to: u32,
}

/// A state to return to.
#[derive(Clone, Copy)]
pub struct ReachMark {
    before: usize,
    after: usize,
}

impl Reachability {
    /// The fixed order, which has no cycle.
    pub fn new(fixed: &FixedOrder) -> Reachability {
        let count = fixed.events();
        let order = topological(fixed);
        let mut places = vec![
            Place {
                chain: 0,
                position: 0
            };
            count
        ];
        let mut chains: Vec<Vec<EventId>> = Vec::new();
        for &event in &order {
            // The chain that was extended last is most often the thread at hand.
            let fits = |chain: &Vec<EventId>| fixed.is_before(chain[chain.len() - 1], event);
            let chain = chains.iter().rposition(fits).unwrap_or_else(|| {
                chains.push(Vec::new());
                chains.len() - 1
            });
            places[event.index()] = Place {
                chain: chain as u32,
                position: chains[chain].len() as u32,
            };
            chains[chain].push(event);
        }
        let width = chains.len();
        let mut before = vec![0; count * width];
        let lengths = chains.iter().map(|chain| chain.len() as u32);
        let mut after: Vec<u32> = lengths.collect::<Vec<u32>>().repeat(count);
        let mut successors = vec![Vec::new(); count];
        let mut predecessors = vec![Vec::new(); count];
        for &(a, b) in fixed.edges() {
            successors[a.index()].push(b);
            predecessors[b.index()].push(a);
        }
        for &event in &order {
            let own = event.index() * width;
            for from in &predecessors[event.index()] {
                for at in 0..width {
                    before[own + at] = before[own + at].max(before[from.index() * width + at]);
                }
            }
            let place = places[event.index()];
            before[own + place.chain as usize] = place.position + 1;
        }
        for &event in order.iter().rev() {
            let own = event.index() * width;
            for to in &successors[event.index()] {
                for at in 0..width {
                    after[own + at] = after[own + at].min(after[to.index() * width + at]);
                }
            }
            let place = places[event.index()];
            after[own + place.chain as usize] = place.position;
        }
        Reachability {
            places,
            chains,
            before,
            fixed_after: after.clone(),
            after,
            undo_before: Vec::new(),
            undo_after: Vec::new(),
            row: Vec::new(),
        }
    }

    pub fn place(&self, event: EventId) -> Place {
        self.places[event.index()]
    }

    pub fn chains(&self) -> &[Vec<EventId>] {
        &self.chains
    }

    /// Whether `a` is before `b`, or the same.
    pub fn reaches(&self, a: EventId, b: EventId) -> bool {
        let place = self.places[a.index()];
        self.before[b.index() * self.chains.len() + place.chain as usize] > place.position
    }

    /// Whether `a` is before `b` by the fixed order.
    pub fn is_fixed(&self, a: EventId, b: EventId) -> bool {
        let place = self.places[b.index()];
        a != b
            && self.fixed_after[a.index() * self.chains.len() + place.chain as usize]
                <= place.position
    }

    /// For each chain, how many events are before or equal.
    pub fn before(&self, event: EventId) -> &[u32] {
        let width = self.chains.len();
        &self.before[event.index() * width..(event.index() + 1) * width]
    }

    /// For each chain, the position of the first event that is after or equal by the fixed order.
    pub fn fixed_after(&self, event: EventId) -> &[u32] {
        let width = self.chains.len();
        &self.fixed_after[event.index() * width..(event.index() + 1) * width]
    }

    /// Adds an edge between events that are not ordered yet.
    pub fn add(&mut self, from: EventId, to: EventId, gains: &mut Vec<Gain>) {
        let width = self.chains.len();
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.extend_from_slice(&self.before[from.index() * width..(from.index() + 1) * width]);
        for chain in 0..width {
            let first = self.after[to.index() * width + chain] as usize;
            for &event in &self.chains[chain][first..] {
                let own = event.index() * width;
                let known = self.undo_before.len();
                for (at, &more) in row.iter().enumerate() {
                    let less = self.before[own + at];
                    if less < more {
                        self.undo_before.push(((own + at) as u32, less));
                        self.before[own + at] = more;
                        gains.push(Gain {
                            event,
                            chain: at as u32,
                            from: less,
                            to: more,
                        });
                    }
                }
                // Then nothing changes for the later events of the chain.
                if self.undo_before.len() == known {
                    break;
                }
            }
        }
        row.clear();
        row.extend_from_slice(&self.after[to.index() * width..(to.index() + 1) * width]);
        for chain in 0..width {
            let count = self.before[from.index() * width + chain] as usize;
            for &event in self.chains[chain][..count].iter().rev() {
                let own = event.index() * width;
                let known = self.undo_after.len();
                for (at, &less) in row.iter().enumerate() {
                    let more = self.after[own + at];
                    if less < more {
                        self.undo_after.push(((own + at) as u32, more));
                        self.after[own + at] = less;
                    }
                }
                if self.undo_after.len() == known {
                    break;
                }
            }
        }
        self.row = row;
    }

    pub fn mark(&self) -> ReachMark {
        ReachMark {
            before: self.undo_before.len(),
            after: self.undo_after.len(),
        }
    }

    pub fn undo_to(&mut self, mark: ReachMark) {
        while self.undo_before.len() > mark.before {
            let (at, old) = self.undo_before.pop().expect("longer than the mark");
            self.before[at as usize] = old;
        }
        while self.undo_after.len() > mark.after {
            let (at, old) = self.undo_after.pop().expect("longer than the mark");
            self.after[at as usize] = old;
        }
    }

    /// All events, each after those that reach it.
    pub fn linear(&self) -> Vec<EventId> {
        let mut events: Vec<EventId> = (0..self.places.len()).map(EventId::from).collect();
        // What is before an event has strictly fewer events before it.
        events.sort_by_cached_key(|&event| {
            let counts = self.before(event).iter();
            counts.map(|&count| u64::from(count)).sum::<u64>()
        });
        events
    }
}

fn topological(fixed: &FixedOrder) -> Vec<EventId> {
    let mut successors = vec![Vec::new(); fixed.events()];
    let mut open = vec![0u32; fixed.events()];
    for &(a, b) in fixed.edges() {
        successors[a.index()].push(b);
        open[b.index()] += 1;
    }
    // A stack, so that one thread is followed before the next.
    let mut ready: Vec<EventId> = (0..fixed.events())
        .rev()
        .map(EventId::from)
        .filter(|event| open[event.index()] == 0)
        .collect();
    let mut order = Vec::new();
    while let Some(event) = ready.pop() {
        order.push(event);
        for &next in &successors[event.index()] {
            open[next.index()] -= 1;
            if open[next.index()] == 0 {
                ready.push(next);
            }
        }
    }
    debug_assert_eq!(order.len(), fixed.events(), "the fixed order has no cycle");
    order
}
