//! All models of a formula of a few literals and events, from the words of the format alone: every
//! assignment with every order.

/// Values of variables as bits, and the place of each event.
type Model = (u64, Vec<usize>);

/// The first claim of a proof that is wrong: a clause that some model makes false, or a question
/// that has a model although it is said to have none.
pub fn wrong_claim(proof: &str) -> Option<String> {
    let lines: Vec<Vec<&str>> = proof.lines().map(|l| l.split(' ').collect()).collect();
    let all = Names::of(&lines);
    let mut models = all.models();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut assumptions = Vec::new();
    for (text, line) in proof.lines().zip(&lines).skip(1) {
        let numbers: Vec<i64> = line[1..].iter().map_while(|w| w.parse().ok()).collect();
        let until_zero = |from: usize| numbers[from..].iter().copied().take_while(|n| *n != 0);
        match line[0] {
            "p" => models.retain(|m| all.before(m, numbers[0], numbers[1])),
            "e" => models
                .retain(|m| !all.holds(m, numbers[0]) || all.before(m, numbers[1], numbers[2])),
            "r" => {
                models
                    .retain(|m| !all.holds(m, numbers[0]) || all.before(m, numbers[1], numbers[2]));
                reads.push(numbers.clone());
            }
            "w" => writes.push(numbers.clone()),
            "i" => models.retain(|m| until_zero(1).any(|lit| all.holds(m, lit))),
            "t" | "a"
                if models
                    .iter()
                    .any(|m| !until_zero(1).any(|lit| all.holds(m, lit))) =>
            {
                return Some(text.to_string());
            }
            "q" => assumptions = until_zero(0).collect(),
            "u" if models
                .iter()
                .any(|m| assumptions.iter().all(|lit| all.holds(m, *lit))) =>
            {
                return Some(text.to_string());
            }
            _ => {}
        }
        if matches!(line[0], "r" | "w") {
            let stands_between = |m: &Model, read: &[i64], write: &[i64]| {
                let [lit, from, to, atom] = read[..] else {
                    unreachable!("four numbers")
                };
                all.holds(m, lit)
                    && all.holds(m, write[0])
                    && atom == write[2]
                    && all.before(m, from, write[1])
                    && all.before(m, write[1], to)
            };
            models.retain(|m| {
                let mut pairs = reads
                    .iter()
                    .flat_map(|r| writes.iter().map(move |w| (r, w)));
                !pairs.any(|(read, write)| stands_between(m, read, write))
            });
        }
    }
    None
}

/// The variables and events that a proof names.
#[derive(Default)]
struct Names {
    variables: Vec<i64>,
    events: Vec<i64>,
}

impl Names {
    fn of(lines: &[Vec<&str>]) -> Names {
        let mut names = Names::default();
        for line in &lines[1..] {
            let numbers: Vec<i64> = line[1..].iter().map_while(|w| w.parse().ok()).collect();
            match line[0] {
                "n" => names.events.push(numbers[0]),
                "e" | "r" | "w" => names.variables.push(numbers[0].abs()),
                "i" | "t" | "a" => {
                    let lits = numbers[1..].iter().take_while(|n| **n != 0);
                    names.variables.extend(lits.map(|n| n.abs()));
                }
                "q" => {
                    let lits = numbers.iter().take_while(|n| **n != 0);
                    names.variables.extend(lits.map(|n| n.abs()));
                }
                _ => {}
            }
        }
        for list in [&mut names.variables, &mut names.events] {
            list.sort_unstable();
            list.dedup();
        }
        names
    }

    fn models(&self) -> Vec<Model> {
        let mut orders = vec![Vec::new()];
        for place in 0..self.events.len() {
            let longer = |order: &Vec<usize>| {
                let order = order.clone();
                (0..=place).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, place);
                    order
                })
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        let values = 0..1u64 << self.variables.len();
        values
            .flat_map(|bits| orders.iter().map(move |order| (bits, order.clone())))
            .collect()
    }

    fn holds(&self, (bits, _): &Model, lit: i64) -> bool {
        let variable = self.variables.binary_search(&lit.abs());
        let value = bits >> variable.expect("a variable") & 1 == 1;
        value == (lit > 0)
    }

    fn before(&self, (_, order): &Model, a: i64, b: i64) -> bool {
        let place = |event: i64| order[self.events.binary_search(&event).expect("an event")];
        place(a) < place(b)
    }
}
