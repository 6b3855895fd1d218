//! Races on objects that hundreds of accesses may touch.
//!
//! There are more pairs than a reader can use. Each line that may race on such an object is
//! reported once, with one line with which it may race.

use analysis::{ObjectId, Situation};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Candidate, race};
use crate::order::{Line, line};
use crate::{Effect, Facts, Race};

#[derive(Default)]
pub struct DenseRaces<'a> {
    named: FxHashSet<Line>,
    /// Numbers of the sets of situations in which accesses are made.
    numbers: FxHashMap<Vec<&'a Situation>, usize>,
    /// Whether threads may be in one of them at the same time.
    parallel: FxHashMap<(usize, usize), bool>,
}

impl<'a> DenseRaces<'a> {
    pub fn on_object(
        &mut self,
        facts: Facts,
        object: ObjectId,
        candidates: &[Candidate<'a>],
        found: &mut FxHashMap<(Line, Line), Race>,
    ) {
        let classes: Vec<usize> = candidates.iter().map(|c| self.number(facts, c)).collect();
        // The candidates of every class.
        let mut members: FxHashMap<usize, Vec<&Candidate>> = FxHashMap::default();
        for (candidate, class) in candidates.iter().zip(&classes) {
            members.entry(*class).or_default().push(candidate);
        }
        let mut kinds: Vec<usize> = members.keys().copied().collect();
        kinds.sort_unstable();
        for (a, class) in candidates.iter().zip(&classes) {
            let here = line(facts, a.node);
            if self.named.contains(&here) {
                continue;
            }
            let others = kinds.iter().filter(|kind| self.parallel[&(*class, **kind)]);
            let mut others = others.flat_map(|kind| &members[kind]);
            let partner = others.find_map(|b| {
                let reads = a.effect == Effect::Read && b.effect == Effect::Read;
                if reads || a.atomic && b.atomic {
                    return None;
                }
                let overlap = facts.points_to.may_overlap(&a.access, &b.access);
                let race = overlap.then(|| race(facts, object, a, b)).flatten()?;
                Some((line(facts, b.node), race))
            });
            if let Some((there, race)) = partner {
                self.named.extend([here, there]);
                found
                    .entry((here.min(there), here.max(there)))
                    .or_insert(race);
            }
        }
    }

    /// The number of the situations in which the access is made.
    fn number(&mut self, facts: Facts, candidate: &Candidate<'a>) -> usize {
        let mut situations: Vec<&Situation> = Vec::new();
        for moment in candidate.moments {
            if !situations.contains(&&moment.situation) {
                situations.push(&moment.situation);
            }
        }
        if let Some(&known) = self.numbers.get(&situations) {
            return known;
        }
        let number = self.numbers.len();
        self.numbers.insert(situations.clone(), number);
        for (others, other) in &self.numbers {
            let mut pairs = situations
                .iter()
                .flat_map(|a| others.iter().map(move |b| (a, b)));
            let parallel = pairs.any(|(a, b)| facts.threads.are_parallel(a, b));
            self.parallel.insert((number, *other), parallel);
            self.parallel.insert((*other, number), parallel);
        }
        number
    }
}
