//! A checker of proofs, from the text of the format alone (`src/order/proof.rs`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::str::SplitAsciiWhitespace;

/// What a proof has shown: how many questions of each answer.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Checked {
    pub unsatisfiable: usize,
    pub satisfiable: usize,
    pub unknown: usize,
}

#[derive(Default)]
struct Checker {
    successors: BTreeMap<i64, Vec<i64>>,
    edges: HashSet<[i64; 3]>,
    reads: HashSet<[i64; 4]>,
    writes: HashSet<[i64; 3]>,
    clauses: HashMap<i64, Vec<i64>>,
    question: Option<BTreeSet<i64>>,
    checked: Checked,
}

type Words<'a> = SplitAsciiWhitespace<'a>;

/// Panics if the proof is wrong.
pub fn check(proof: &str) -> Checked {
    let mut checker = Checker::default();
    let mut lines = proof.lines();
    assert_eq!(lines.next(), Some("s sleave-proof 1"));
    for line in lines {
        let mut words = line.split_ascii_whitespace();
        let letter = words.next().expect("no empty lines");
        checker.line(letter, &mut words);
        assert_eq!(words.next(), None, "more than one item: {line}");
    }
    assert!(checker.question.is_none(), "a question without an answer");
    checker.checked
}

impl Checker {
    fn line(&mut self, letter: &str, words: &mut Words) {
        match letter {
            "n" => {
                let [event] = numbers(words);
                assert!(self.successors.insert(event, Vec::new()).is_none());
            }
            "p" => {
                let [a, b] = numbers(words);
                assert!(self.successors.contains_key(&b));
                self.successors.get_mut(&a).expect("an event").push(b);
            }
            "e" => drop(self.edges.insert(numbers(words))),
            "r" => drop(self.reads.insert(numbers(words))),
            "w" => drop(self.writes.insert(numbers(words))),
            "i" => {
                let [id] = numbers(words);
                self.add(id, until_zero(words));
            }
            "t" => {
                let [id] = numbers(words);
                let clause = until_zero(words);
                let false_lits = clause.iter().copied().collect();
                let (from, to) = self.walk(words, "0", &false_lits);
                assert_eq!(from, to, "a closed walk");
                self.add(id, clause);
            }
            "a" => {
                let [id] = numbers(words);
                let clause = until_zero(words);
                self.unit_propagation(&clause, &until_zero(words));
                self.add(id, clause);
            }
            "d" => {
                for id in until_zero(words) {
                    assert!(self.clauses.remove(&id).is_some(), "no clause {id}");
                }
            }
            "q" => {
                assert!(self.question.is_none());
                self.question = Some(until_zero(words).into_iter().collect());
            }
            "u" => {
                let [id] = numbers(words);
                let question = self.question.take().expect("a question");
                for lit in &self.clauses[&id] {
                    assert!(question.contains(&-lit), "{lit} negates no assumption");
                }
                self.checked.unsatisfiable += 1;
            }
            "m" => {
                self.question.take().expect("a question");
                self.checked.satisfiable += 1;
            }
            "x" => {
                self.question.take().expect("a question");
                self.checked.unknown += 1;
            }
            other => panic!("what is {other}?"),
        }
    }

    fn add(&mut self, id: i64, clause: Vec<i64>) {
        let before = self.clauses.insert(id, clause);
        assert!(before.is_none(), "two clauses {id}");
    }

    /// Reads steps up to the end mark. Where they lead from and to; some step there must be.
    fn walk(&self, words: &mut Words, end: &str, false_lits: &BTreeSet<i64>) -> (i64, i64) {
        let mut walked: Option<(i64, i64)> = None;
        loop {
            let step = words.next().expect("an end mark");
            if step == end {
                return walked.expect("a step");
            }
            let needs = |lit: i64| assert!(false_lits.contains(&-lit), "{lit} is not needed");
            let (from, to) = match step {
                "P" => {
                    let [a, b] = numbers(words);
                    assert!(self.is_always_before(a, b));
                    (a, b)
                }
                "E" => {
                    let edge = numbers(words);
                    assert!(self.edges.contains(&edge));
                    needs(edge[0]);
                    (edge[1], edge[2])
                }
                "R" => {
                    let read = numbers(words);
                    assert!(self.reads.contains(&read));
                    needs(read[0]);
                    (read[1], read[2])
                }
                "F" | "B" => {
                    let read: [i64; 4] = numbers(words);
                    assert!(self.reads.contains(&read));
                    let [read_lit, source, reader, atom] = read;
                    let [write_lit, writer] = numbers(words);
                    assert!(self.writes.contains(&[write_lit, writer, atom]));
                    assert!(writer != source && writer != reader);
                    needs(read_lit);
                    needs(write_lit);
                    let inner = self.walk(words, ".", false_lits);
                    if step == "F" {
                        assert_eq!(inner, (source, writer));
                        (reader, writer)
                    } else {
                        assert_eq!(inner, (writer, reader));
                        (writer, source)
                    }
                }
                other => panic!("what step is {other}?"),
            };
            walked = Some(match walked {
                None => (from, to),
                Some((start, at)) => {
                    assert_eq!(at, from, "a step starts where the last one ended");
                    (start, to)
                }
            });
        }
    }

    fn is_always_before(&self, a: i64, b: i64) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = self.successors[&a].clone();
        while let Some(at) = open.pop() {
            if at == b {
                return true;
            }
            if seen.insert(at) {
                open.extend(&self.successors[&at]);
            }
        }
        false
    }

    /// LRAT: with the clause false, every hint is a unit, and the last one is violated.
    fn unit_propagation(&self, clause: &[i64], hints: &[i64]) {
        let mut true_lits: HashSet<i64> = clause.iter().map(|lit| -lit).collect();
        if clause.iter().any(|lit| true_lits.contains(lit)) {
            return; // A tautology.
        }
        for hint in hints {
            let open: BTreeSet<i64> = self.clauses[hint]
                .iter()
                .copied()
                .filter(|lit| !true_lits.contains(&-lit))
                .collect();
            match open.len() {
                0 => return,
                1 => true_lits.extend(open),
                _ => panic!("clause {hint} is no unit: {open:?}"),
            }
        }
        panic!("no conflict: {clause:?} by {hints:?}");
    }
}

fn numbers<const N: usize>(words: &mut Words) -> [i64; N] {
    std::array::from_fn(|_| words.next().expect("a number").parse().expect("a number"))
}

fn until_zero(words: &mut Words) -> Vec<i64> {
    let parsed = words.map(|word| word.parse().expect("a number"));
    let mut all = Vec::new();
    for number in parsed {
        if number == 0 {
            return all;
        }
        all.push(number);
    }
    panic!("no end of the list");
}
