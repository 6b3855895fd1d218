//! Random small formulas: every answer against all assignments and all orders of the events.

use smt::order::{AtomId, EventId, Formula, Lit, OrderKind};

use crate::checker::{Checked, check};
use crate::{Buffer, solve};

/// A literal as the test says it, for every formula alike.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Said {
    True,
    /// A free variable.
    Free(usize, bool),
    Before(usize, usize),
}

#[derive(Clone, Debug)]
enum Fact {
    Event,
    Always(usize, usize),
    Free,
    Reads(Said, usize, usize, usize),
    Writes(Said, usize, usize),
    Clause(Vec<Said>),
}

/// What was said so far, for enumeration.
#[derive(Default)]
struct Model {
    events: usize,
    free: usize,
    always: Vec<(usize, usize)>,
    reads: Vec<(Said, usize, usize, usize)>,
    writes: Vec<(Said, usize, usize)>,
    clauses: Vec<Vec<Said>>,
}

/// One formula under test.
struct Subject {
    formula: Formula,
    atoms: Vec<AtomId>,
    events: Vec<EventId>,
    free: Vec<Lit>,
}

const ATOMS: usize = 2;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        // xorshift64*, Vigna.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

impl Model {
    fn add(&mut self, fact: &Fact) {
        match fact.clone() {
            Fact::Event => self.events += 1,
            Fact::Free => self.free += 1,
            Fact::Always(a, b) => self.always.push((a, b)),
            Fact::Reads(lit, w, r, atom) => self.reads.push((lit, w, r, atom)),
            Fact::Writes(lit, w, atom) => self.writes.push((lit, w, atom)),
            Fact::Clause(lits) => self.clauses.push(lits),
        }
    }

    /// `positions[event]` is the place in the order, bit `i` of `free` the value of a variable.
    fn holds(&self, positions: &[usize], free: usize) -> bool {
        let value = |lit: Said| value(lit, positions, free);
        self.always
            .iter()
            .all(|&(a, b)| positions[a] < positions[b])
            && self
                .clauses
                .iter()
                .all(|clause| clause.iter().any(|&lit| value(lit)))
            && self.reads.iter().all(|&(lit, w, r, atom)| {
                let is_between = |&(lit, other, written): &(Said, usize, usize)| {
                    written == atom
                        && value(lit)
                        && other != w
                        && other != r
                        && positions[w] < positions[other]
                        && positions[other] < positions[r]
                };
                !value(lit) || positions[w] < positions[r] && !self.writes.iter().any(is_between)
            })
    }

    /// Whether one of the executions makes all assumptions true.
    fn is_satisfiable(&self, executions: &[(Vec<usize>, usize)], assumptions: &[Said]) -> bool {
        executions
            .iter()
            .any(|(positions, free)| assumptions.iter().all(|&lit| value(lit, positions, *free)))
    }

    fn executions(&self) -> Vec<(Vec<usize>, usize)> {
        let mut found = Vec::new();
        for_each_permutation(&mut (0..self.events).collect(), 0, &mut |positions| {
            for free in 0..1 << self.free {
                if self.holds(positions, free) {
                    found.push((positions.to_vec(), free));
                }
            }
        });
        found
    }

    fn random_lit(&self, random: &mut Random) -> Said {
        if self.free == 0 || random.chance(40) {
            Said::Before(random.below(self.events), random.below(self.events))
        } else {
            Said::Free(random.below(self.free), random.chance(50))
        }
    }

    fn random_condition(&self, random: &mut Random) -> Said {
        if random.chance(30) {
            Said::True
        } else {
            self.random_lit(random)
        }
    }

    fn random_facts(&mut self, random: &mut Random, is_first: bool) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut say = |model: &mut Model, fact: Fact| {
            model.add(&fact);
            facts.push(fact);
        };
        let events = if is_first {
            3 + random.below(3)
        } else {
            random.below(2)
        };
        let old = self.events;
        for _ in 0..events {
            say(self, Fact::Event);
        }
        for b in old..self.events {
            for a in 0..b {
                if random.chance(20) {
                    let (a, b) = if random.chance(20) && a >= old {
                        (b, a)
                    } else {
                        (a, b)
                    };
                    say(self, Fact::Always(a, b));
                }
            }
        }
        for _ in 0..if is_first { 4 } else { random.below(2) } {
            say(self, Fact::Free);
        }
        for _ in 0..random.below(4) {
            let (w, atom) = (random.below(self.events), random.below(ATOMS));
            let lit = self.random_condition(random);
            say(self, Fact::Writes(lit, w, atom));
        }
        for _ in 0..random.below(5) {
            let (w, r) = (random.below(self.events), random.below(self.events));
            let lit = self.random_condition(random);
            say(self, Fact::Reads(lit, w, r, random.below(ATOMS)));
            // A source that does not write the atom is allowed, and rare.
            if random.chance(80) {
                let Some(&(_, w, _, atom)) = self.reads.last() else {
                    continue;
                };
                say(self, Fact::Writes(Said::True, w, atom));
            }
        }
        for _ in 0..random.below(5) {
            let lits = (0..1 + random.below(3))
                .map(|_| self.random_lit(random))
                .collect();
            say(self, Fact::Clause(lits));
        }
        facts
    }
}

fn value(lit: Said, positions: &[usize], free: usize) -> bool {
    match lit {
        Said::True => true,
        Said::Free(at, sign) => (free >> at & 1 == 1) == sign,
        Said::Before(a, b) => positions[a] < positions[b],
    }
}

fn for_each_permutation(all: &mut Vec<usize>, from: usize, visit: &mut impl FnMut(&[usize])) {
    if from == all.len() {
        return visit(all);
    }
    for at in from..all.len() {
        all.swap(from, at);
        for_each_permutation(all, from + 1, visit);
        all.swap(from, at);
    }
}

impl Subject {
    fn new(kind: OrderKind, proof: Option<Buffer>) -> Subject {
        let proof = proof.map(|buffer| Box::new(buffer) as Box<dyn std::io::Write + Send>);
        let mut formula = Formula::new(kind, proof);
        let atoms = (0..ATOMS).map(|_| formula.atom()).collect();
        Subject {
            formula,
            atoms,
            events: Vec::new(),
            free: Vec::new(),
        }
    }

    fn lit(&mut self, said: Said) -> Lit {
        match said {
            Said::True => Lit::TRUE,
            Said::Free(at, true) => self.free[at],
            Said::Free(at, false) => !self.free[at],
            Said::Before(a, b) => self.formula.before(self.events[a], self.events[b]),
        }
    }

    fn add(&mut self, fact: &Fact) {
        match *fact {
            Fact::Event => self.events.push(self.formula.event()),
            Fact::Free => self.free.push(self.formula.fresh()),
            Fact::Always(a, b) => self.formula.always_before(self.events[a], self.events[b]),
            Fact::Reads(lit, w, r, atom) => {
                let lit = self.lit(lit);
                let (w, r) = (self.events[w], self.events[r]);
                self.formula.reads_from(lit, w, r, self.atoms[atom]);
            }
            Fact::Writes(lit, w, atom) => {
                let lit = self.lit(lit);
                self.formula.writes(lit, self.events[w], self.atoms[atom]);
            }
            Fact::Clause(ref lits) => {
                let lits: Vec<Lit> = lits.iter().map(|&lit| self.lit(lit)).collect();
                self.formula.clause(&lits);
            }
        }
    }

    /// Asks, and judges what comes with the answer.
    fn ask(&mut self, model: &Model, executions: &[(Vec<usize>, usize)], said: &[Said]) -> bool {
        let assumptions: Vec<Lit> = said.iter().map(|&lit| self.lit(lit)).collect();
        let answer = solve(&mut self.formula, &assumptions);
        if answer {
            let mut positions = vec![usize::MAX; model.events];
            for (at, event) in self.formula.order().into_iter().enumerate() {
                positions[event.index()] = at;
            }
            let mut free = 0;
            for (at, &lit) in self.free.iter().enumerate() {
                free |= usize::from(self.formula.value(lit)) << at;
            }
            assert!(model.holds(&positions, free), "the model is an execution");
            for (&lit, &assumption) in said.iter().zip(&assumptions) {
                assert!(value(lit, &positions, free), "{lit:?} was assumed");
                assert!(self.formula.value(assumption));
            }
        } else {
            let used = |lit: &&(Said, Lit)| self.formula.is_in_core(lit.1);
            let pairs: Vec<(Said, Lit)> = said.iter().copied().zip(assumptions).collect();
            let core: Vec<Said> = pairs.iter().filter(used).map(|pair| pair.0).collect();
            assert!(
                !model.is_satisfiable(executions, &core),
                "the core {core:?}"
            );
        }
        answer
    }
}

/// Rounds of facts and questions; the answers of all that enumeration gave.
fn compare(seed: u64) -> Checked {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut model = Model::default();
    let proof = Buffer::default();
    let mut subjects = [
        Subject::new(OrderKind::Clocks, None),
        Subject::new(OrderKind::Theory, None),
        Subject::new(OrderKind::Theory, Some(proof.clone())),
    ];
    let mut answers = Checked::default();
    for round in 0..3 {
        for fact in model.random_facts(&mut random, round == 0) {
            for subject in &mut subjects {
                subject.add(&fact);
            }
        }
        let executions = model.executions();
        for _ in 0..1 + random.below(3) {
            let count = random.below(4);
            let said: Vec<Said> = (0..count).map(|_| model.random_lit(&mut random)).collect();
            let expected = model.is_satisfiable(&executions, &said);
            for subject in &mut subjects {
                let answer = subject.ask(&model, &executions, &said);
                assert_eq!(answer, expected, "seed {seed}, {said:?}");
            }
            answers.satisfiable += usize::from(expected);
            answers.unsatisfiable += usize::from(!expected);
        }
    }
    assert_eq!(check(&proof.text()), answers, "seed {seed}");
    answers
}

#[test]
fn random_formulas_against_all_orders() {
    let mut answers = Checked::default();
    for seed in 0..2000 {
        let more = compare(seed);
        answers.satisfiable += more.satisfiable;
        answers.unsatisfiable += more.unsatisfiable;
    }
    // Both answers are common, or the test says little.
    assert!(
        answers.satisfiable > 1000 && answers.unsatisfiable > 1000,
        "{answers:?}"
    );
}
