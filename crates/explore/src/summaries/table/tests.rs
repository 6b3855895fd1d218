use super::*;

fn table(states: usize, summaries: usize) -> Table {
    Table::new(Limits {
        states,
        summaries,
        patience: 3,
        trial: 0,
        size: 10,
    })
}

fn key(number: u64) -> ControlState {
    [number].into_iter().collect()
}

struct Fixture {
    terms: Terms,
    table: Table,
}

impl Fixture {
    fn new(states: usize, summaries: usize) -> Fixture {
        Fixture {
            terms: Terms::new(),
            table: table(states, summaries),
        }
    }

    /// A summary that requires of a control state what has this name.
    fn publish(&mut self, state: u64, name: &str) {
        let condition = self.terms.input(name, 1);
        let nothing = Accesses::default();
        let place = (key(state), Pins::default());
        self.table
            .publish(&mut self.terms, place, vec![], &[condition], &nothing);
    }

    fn candidates(&mut self, state: u64) -> Vec<Candidate> {
        self.table.candidates(&key(state), |_| None)
    }

    fn hit(&mut self, state: u64, index: usize) {
        let candidate = self.candidates(state)[index];
        self.table.hit(candidate);
    }

    fn kept(&self, state: u64) -> Vec<String> {
        let all = self.table.iter().filter(|(k, _)| **k == key(state));
        let names = all.map(|(_, s)| self.terms.display(s.conditions[0]).to_string());
        names.collect()
    }
}

#[test]
fn a_new_control_state_replaces_one_that_was_of_no_use() {
    let mut f = Fixture::new(2, 4);
    f.publish(1, "a");
    f.publish(2, "b");
    f.hit(1, 0);
    f.publish(3, "c");
    assert_eq!(f.kept(1), ["a"]);
    assert!(f.kept(2).is_empty());
    assert_eq!(f.kept(3), ["c"]);
    assert!(f.candidates(2).is_empty());
    // The first one was spared once, and is not again.
    f.publish(4, "d");
    assert!(f.kept(1).is_empty());
    let statistics = f.table.statistics;
    assert_eq!(
        (statistics.states, statistics.kept, statistics.replaced),
        (2, 2, 2)
    );
}

#[test]
fn a_new_summary_replaces_the_one_that_held_the_longest_time_ago() {
    let mut f = Fixture::new(2, 2);
    f.publish(1, "a");
    f.publish(1, "b");
    assert_eq!(f.kept(1), ["b", "a"]);
    f.hit(1, 1);
    f.publish(1, "c");
    assert_eq!(f.kept(1), ["c", "a"]);
    let statistics = f.table.statistics;
    assert_eq!((statistics.kept, statistics.replaced), (2, 1));
}

#[test]
fn one_that_requires_less_makes_another_superfluous() {
    let mut f = Fixture::new(2, 4);
    f.publish(1, "a");
    let (a, b) = (f.terms.input("a", 1), f.terms.input("b", 1));
    let nothing = Accesses::default();
    f.table.publish(
        &mut f.terms,
        (key(1), Pins::default()),
        vec![],
        &[a, b],
        &nothing,
    );
    assert_eq!(f.kept(1), ["a"]);
    f.table.publish(
        &mut f.terms,
        (key(1), Pins::default()),
        vec![],
        &[],
        &nothing,
    );
    assert_eq!(f.table.statistics.kept, 1);
    assert_eq!(f.table.statistics.replaced, 0);
}

#[test]
fn too_large_a_formula_is_not_kept() {
    let mut f = Fixture::new(2, 2);
    let many: Vec<TermId> = (0..11).map(|i| f.terms.input(&i.to_string(), 1)).collect();
    let nothing = Accesses::default();
    f.table.publish(
        &mut f.terms,
        (key(1), Pins::default()),
        vec![],
        &many,
        &nothing,
    );
    assert_eq!(f.table.statistics.published, 0);
    f.table.publish(
        &mut f.terms,
        (key(1), Pins::default()),
        vec![],
        &many[1..],
        &nothing,
    );
    assert_eq!(f.table.statistics.largest, 10);
}

#[test]
fn what_is_looked_up_in_vain_too_often_is_not_looked_up_any_more() {
    let mut f = Fixture::new(2, 2);
    f.publish(1, "a");
    assert_eq!([0; 4].map(|_| f.candidates(1).len()), [1, 1, 1, 0]);
}

#[test]
fn nothing_is_kept_where_there_is_no_room() {
    let mut f = Fixture::new(0, 0);
    f.publish(1, "a");
    assert_eq!(f.table.statistics.kept, 0);
}

#[test]
fn many_are_kept_that_fix_a_register_to_different_numbers() {
    let mut f = Fixture::new(100, 2);
    let register = f.terms.input("register", 32);
    let nothing = Accesses::default();
    for number in 0..50 {
        let constant = f.terms.constant(32, number);
        let condition = f.terms.cmp(smt::CmpOp::Eq, register, constant);
        let pins = Pins {
            registers: vec![register],
            numbers: vec![number],
        };
        let place = (key(1), pins);
        f.table
            .publish(&mut f.terms, place, vec![], &[condition], &nothing);
    }
    f.publish(1, "always a candidate");
    assert_eq!(f.table.statistics.kept, 51);
    for (number, expected) in [(Some(7), 2), (Some(50), 1), (None, 1)] {
        let candidates = f.table.candidates(&key(1), |_| number);
        assert_eq!(candidates.len(), expected);
    }
}
