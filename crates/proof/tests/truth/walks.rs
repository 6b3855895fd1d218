//! Random facts, and random walks along them.

use crate::models::wrong_claim;
use crate::{Random, check};

const EVENTS: usize = 4;

/// A formula of order, and what its lines say, for making walks.
#[derive(Default)]
struct Facts {
    text: String,
    fixed: Vec<(usize, usize)>,
    edges: Vec<(i64, usize, usize)>,
    reads: Vec<(i64, usize, usize, usize)>,
    writes: Vec<(i64, usize, usize)>,
}

impl Facts {
    fn new(random: &mut Random) -> Facts {
        let mut facts = Facts::default();
        let mut lines = vec!["s sleave-proof 1".to_string()];
        lines.extend((0..EVENTS).map(|event| format!("n {event}")));
        for _ in 0..4 + random.below(8) {
            let lit = [1, 2, 3, 4, -4][random.below(5)];
            let (a, b) = (random.below(EVENTS), random.below(EVENTS));
            let atom = usize::from(random.below(5) == 0);
            lines.push(match random.below(6) {
                0 if a < b => {
                    facts.fixed.push((a, b));
                    format!("p {a} {b}")
                }
                0 | 1 => {
                    facts.edges.push((lit, a, b));
                    format!("e {lit} {a} {b}")
                }
                2 | 3 => {
                    facts.reads.push((lit, a, b, atom));
                    format!("r {lit} {a} {b} {atom}")
                }
                _ => {
                    facts.writes.push((lit, a, atom));
                    format!("w {lit} {a} {atom}")
                }
            });
        }
        facts.text = lines.join("\n") + "\n";
        facts
    }

    /// A walk from `at` that mostly ends at `goal`. Now and then a step is wrong: it begins
    /// elsewhere, atoms differ, the other event is one of the two.
    fn walk(
        &self,
        random: &mut Random,
        (mut at, goal): (usize, usize),
        depth: u32,
        lits: &mut Vec<i64>,
    ) -> String {
        let mut text = String::new();
        for _ in 0..40 {
            if at == goal && !text.is_empty() {
                break;
            }
            let step = match random.below(5) {
                0 => self
                    .fixed(random)
                    .map(|(a, b)| (format!("P {a} {b} "), a, b)),
                1 => self.edge(random).map(|(lit, a, b)| {
                    lits.extend((a == at).then_some(-lit));
                    (format!("E {lit} {a} {b} "), a, b)
                }),
                2 => self.read(random).map(|(lit, w, r, x)| {
                    lits.extend((w == at).then_some(-lit));
                    (format!("R {lit} {w} {r} {x} "), w, r)
                }),
                kind if depth > 0 => self.read(random).zip(self.write(random)).and_then(
                    |((lit, w, r, x), (other, v, _))| {
                        let (letter, from, to, nested) = match kind {
                            3 => ("F", r, v, (w, v)),
                            _ => ("B", v, w, (v, r)),
                        };
                        if from != at {
                            return None;
                        }
                        let mut more = vec![-lit, -other];
                        let nested = self.walk(random, nested, depth - 1, &mut more);
                        lits.extend(more);
                        let text = format!("{letter} {lit} {w} {r} {x} {other} {v} {nested}. ");
                        Some((text, from, to))
                    },
                ),
                _ => None,
            };
            if let Some((step, from, to)) = step
                && (from == at || random.below(200) == 0)
            {
                text += &step;
                at = to;
            }
        }
        text
    }

    fn fixed(&self, random: &mut Random) -> Option<(usize, usize)> {
        (!self.fixed.is_empty()).then(|| *random.pick(&self.fixed))
    }

    fn edge(&self, random: &mut Random) -> Option<(i64, usize, usize)> {
        (!self.edges.is_empty()).then(|| *random.pick(&self.edges))
    }

    fn read(&self, random: &mut Random) -> Option<(i64, usize, usize, usize)> {
        (!self.reads.is_empty()).then(|| *random.pick(&self.reads))
    }

    fn write(&self, random: &mut Random) -> Option<(i64, usize, usize)> {
        (!self.writes.is_empty()).then(|| *random.pick(&self.writes))
    }
}

#[test]
fn that_are_accepted_cannot_be() {
    let mut random = Random(3);
    let (mut accepted, mut nested) = (0, 0);
    for _ in 0..100_000 {
        let facts = Facts::new(&mut random);
        let mut lits = Vec::new();
        let start = random.below(EVENTS);
        let walk = facts.walk(&mut random, (start, start), 2, &mut lits);
        lits.sort_unstable();
        lits.dedup();
        if lits.len() > 1 && random.below(4) == 0 {
            lits.remove(random.below(lits.len()));
        }
        let clause: String = lits.iter().map(|lit| format!("{lit} ")).collect();
        let assumptions: String = lits.iter().map(|lit| format!("{} ", -lit)).collect();
        let mut proof = facts.text.clone();
        proof += &format!("q {assumptions}0\nt 1 {clause}0 {walk}0\nu 1\n");
        if check(&proof).is_ok() {
            accepted += 1;
            nested += usize::from(walk.contains('.'));
            assert_eq!(wrong_claim(&proof), None, "{proof}");
        }
    }
    assert!(accepted > 10_000 && nested > 400, "{accepted} {nested}");
}
