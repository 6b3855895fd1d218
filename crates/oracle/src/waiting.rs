//! Random programs whose threads wait for each other in loops, for numbers that are inputs or not,
//! and how they can end.
//!
//! The waiting loops have no effect, so that a program has finitely many states: the reference
//! visits them all, for every input, with every access to a variable as a step. A thread waits for
//! ever where nobody is left but threads that stand before such a loop and would go round it.

use std::collections::HashSet;

use crate::random::Random;

/// Variables and inputs have numbers below this.
const NUMBERS: u8 = 3;
const VARIABLES: usize = 3;
const INPUTS: usize = 2;

pub struct WaitingProgram {
    init: [Value; VARIABLES],
    threads: Vec<Vec<Stmt>>,
    /// Main waits for the threads; otherwise their process may end at any time.
    joins: bool,
}

/// What can happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Endings {
    pub assertion: bool,
    pub deadlock: bool,
}

#[derive(Clone, Copy)]
enum Value {
    Number(u8),
    Input(usize),
}

/// Whether a variable has a value, or has not.
#[derive(Clone, Copy)]
struct Test {
    variable: usize,
    is_equal: bool,
    value: Value,
}

#[derive(Clone)]
enum Stmt {
    Set(usize, Value),
    Copy {
        from: usize,
        to: usize,
    },
    /// Goes round while all tests hold.
    Wait(Vec<Test>),
    /// Goes round until it has replaced the one value by the other.
    Swap(usize, Value, Value),
    If(Test, Vec<Stmt>),
    Assume(Test),
    Assert(Test),
}

/// The program of a seed.
pub fn waiting_program(seed: u64) -> WaitingProgram {
    let mut random = Random::new(seed);
    let mut init = [Value::Number(0); VARIABLES];
    for value in &mut init {
        if random.percent(50) {
            *value = Value::random(&mut random);
        }
    }
    let threads = if random.percent(70) { 2 } else { 3 };
    let most = 7 - threads;
    let thread = |random: &mut Random| {
        let count = random.within(&(1..=most));
        (0..count).map(|_| Stmt::random(random, true)).collect()
    };
    WaitingProgram {
        init,
        threads: (0..threads).map(|_| thread(&mut random)).collect(),
        joins: random.percent(85),
    }
}

impl Value {
    fn random(random: &mut Random) -> Value {
        if random.percent(70) {
            Value::Number(random.below(NUMBERS.into()) as u8)
        } else {
            Value::Input(random.below(INPUTS))
        }
    }

    fn now(self, inputs: &[u8]) -> u8 {
        match self {
            Value::Number(number) => number,
            Value::Input(input) => inputs[input],
        }
    }

    fn text(self, prefix: &str) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Input(input) => format!("{prefix}i{input}"),
        }
    }
}

impl Test {
    fn random(random: &mut Random) -> Test {
        Test {
            variable: random.below(VARIABLES),
            is_equal: random.percent(50),
            value: Value::random(random),
        }
    }

    fn holds(self, memory: &[u8], inputs: &[u8]) -> bool {
        (memory[self.variable] == self.value.now(inputs)) == self.is_equal
    }

    fn text(self, prefix: &str) -> String {
        let op = if self.is_equal { "==" } else { "!=" };
        format!(
            "{prefix}g{} {op} {}",
            self.variable,
            self.value.text(prefix)
        )
    }
}

impl Stmt {
    fn random(random: &mut Random, nests: bool) -> Stmt {
        let variable = random.below(VARIABLES);
        match random.below(100) {
            0..30 => Stmt::Set(variable, Value::random(random)),
            30..38 => Stmt::Copy {
                from: variable,
                to: random.below(VARIABLES),
            },
            38..66 => {
                let count = if random.percent(75) { 1 } else { 2 };
                Stmt::Wait((0..count).map(|_| Test::random(random)).collect())
            }
            66..72 => Stmt::Swap(variable, Value::random(random), Value::random(random)),
            72..84 if nests => {
                let count = random.within(&(1..=2));
                let inner = (0..count).map(|_| Stmt::random(random, false));
                let inner = inner.collect();
                Stmt::If(Test::random(random), inner)
            }
            72..90 => Stmt::Assume(Test::random(random)),
            _ => Stmt::Assert(Test::random(random)),
        }
    }
}

// ----- as C -----

impl WaitingProgram {
    /// C text in which every global name begins with the prefix, that of `main` too. Headers and
    /// declarations are up to the user.
    pub fn source(&self, prefix: &str) -> String {
        let mut lines = Vec::new();
        for variable in 0..VARIABLES {
            lines.push(format!("static int {prefix}g{variable};"));
        }
        for input in 0..INPUTS {
            lines.push(format!("static int {prefix}i{input};"));
        }
        for (index, thread) in self.threads.iter().enumerate() {
            lines.push(format!("static void *{prefix}thread{index}(void *arg)"));
            lines.push("{".to_string());
            thread
                .iter()
                .for_each(|stmt| stmt.render(prefix, &mut lines));
            lines.push("return arg;".to_string());
            lines.push("}".to_string());
        }
        lines.push(format!("int {prefix}main(void)"));
        lines.push("{".to_string());
        lines.push(format!("pthread_t t[{}];", self.threads.len()));
        for input in (0..INPUTS).map(|i| format!("{prefix}i{i}")) {
            lines.push(format!("{input} = __VERIFIER_nondet_int();"));
            lines.push(format!(
                "__VERIFIER_assume({input} >= 0 && {input} < {NUMBERS});"
            ));
        }
        for (variable, value) in self.init.iter().enumerate() {
            lines.push(format!("{prefix}g{variable} = {};", value.text(prefix)));
        }
        for index in 0..self.threads.len() {
            lines.push(format!(
                "pthread_create(&t[{index}], 0, {prefix}thread{index}, 0);"
            ));
        }
        for index in (0..self.threads.len()).filter(|_| self.joins) {
            lines.push(format!("pthread_join(t[{index}], 0);"));
        }
        lines.push("return 0;".to_string());
        lines.push("}".to_string());
        lines.join("\n") + "\n"
    }
}

impl Stmt {
    fn render(&self, prefix: &str, lines: &mut Vec<String>) {
        let line = match self {
            Stmt::Set(variable, value) => format!("{prefix}g{variable} = {};", value.text(prefix)),
            Stmt::Copy { from, to } => format!("{prefix}g{to} = {prefix}g{from};"),
            Stmt::Wait(tests) => {
                let tests: Vec<String> = tests.iter().map(|test| test.text(prefix)).collect();
                format!("while ({}) ;", tests.join(" && "))
            }
            Stmt::Swap(variable, from, to) => {
                let (from, to) = (from.text(prefix), to.text(prefix));
                format!(
                    "while (!__sync_bool_compare_and_swap(&{prefix}g{variable}, {from}, {to})) ;"
                )
            }
            Stmt::If(test, inner) => {
                lines.push(format!("if ({}) {{", test.text(prefix)));
                inner.iter().for_each(|stmt| stmt.render(prefix, lines));
                "}".to_string()
            }
            Stmt::Assume(test) => format!("__VERIFIER_assume({});", test.text(prefix)),
            Stmt::Assert(test) => format!("assert({});", test.text(prefix)),
        };
        lines.push(line);
    }
}

// ----- the reference -----

/// One access to a variable, or a jump.
enum Code {
    Load(usize),
    /// Stores what was loaded last.
    Unload(usize),
    Store(usize, Value),
    /// Elsewhere if the test does not hold.
    Branch(Test, usize),
    Goto(usize),
    /// Stays where it is unless the first value is there.
    Swap(usize, Value, Value),
    Assume(Test),
    Assert(Test),
}

impl Stmt {
    fn lower(&self, code: &mut Vec<Code>, loops: &mut Vec<(usize, Vec<Test>)>) {
        match self {
            Stmt::Set(variable, value) => code.push(Code::Store(*variable, *value)),
            Stmt::Copy { from, to } => code.extend([Code::Load(*from), Code::Unload(*to)]),
            Stmt::Wait(tests) => {
                let head = code.len();
                let end = head + tests.len() + 1;
                code.extend(tests.iter().map(|test| Code::Branch(*test, end)));
                code.push(Code::Goto(head));
                loops.push((head, tests.clone()));
            }
            Stmt::Swap(variable, from, to) => {
                let is_other = Test {
                    variable: *variable,
                    is_equal: false,
                    value: *from,
                };
                loops.push((code.len(), vec![is_other]));
                code.push(Code::Swap(*variable, *from, *to));
            }
            Stmt::If(test, inner) => {
                let branch = code.len();
                code.push(Code::Branch(*test, 0));
                inner.iter().for_each(|stmt| stmt.lower(code, loops));
                code[branch] = Code::Branch(*test, code.len());
            }
            Stmt::Assume(test) => code.push(Code::Assume(*test)),
            Stmt::Assert(test) => code.push(Code::Assert(*test)),
        }
    }
}

struct Lowered {
    code: Vec<Code>,
    /// Where waiting loops begin, and when they go round.
    loops: Vec<(usize, Vec<Test>)>,
}

/// Memory, and for every thread where it is and what it loaded last.
type State = (Vec<u8>, Vec<(At, u8)>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    Code(usize),
    /// An assumption does not hold.
    Stopped,
}

impl WaitingProgram {
    /// All that can happen, with any input.
    pub fn endings(&self) -> Endings {
        let lower = |thread: &Vec<Stmt>| {
            let (mut code, mut loops) = (Vec::new(), Vec::new());
            thread
                .iter()
                .for_each(|stmt| stmt.lower(&mut code, &mut loops));
            Lowered { code, loops }
        };
        let threads: Vec<Lowered> = self.threads.iter().map(lower).collect();
        let mut endings = Endings::default();
        for first in 0..NUMBERS {
            for second in 0..NUMBERS {
                self.visit(&threads, &[first, second], &mut endings);
            }
        }
        endings
    }

    fn visit(&self, threads: &[Lowered], inputs: &[u8; INPUTS], endings: &mut Endings) {
        let memory = self.init.iter().map(|value| value.now(inputs)).collect();
        let start: State = (memory, vec![(At::Code(0), 0); threads.len()]);
        let mut known = HashSet::from([start.clone()]);
        let mut left = vec![start];
        while let Some(state) = left.pop() {
            endings.deadlock |= self.joins && waits_for_ever(threads, &state, inputs);
            for (thread, what) in threads.iter().enumerate() {
                match step(&what.code, &state, thread, inputs) {
                    Ok(Some(next)) if known.insert(next.clone()) => left.push(next),
                    Ok(_) => {}
                    Err(Failed) => endings.assertion = true,
                }
            }
        }
    }
}

struct Failed;

/// What the thread makes of the state. `None`: it has ended.
fn step(
    code: &[Code],
    (memory, threads): &State,
    thread: usize,
    inputs: &[u8],
) -> Result<Option<State>, Failed> {
    let (At::Code(at), loaded) = threads[thread] else {
        return Ok(None);
    };
    let Some(instruction) = code.get(at) else {
        return Ok(None);
    };
    let mut memory = memory.clone();
    let mut now = (At::Code(at + 1), 0);
    match *instruction {
        Code::Load(variable) => now.1 = memory[variable],
        Code::Unload(variable) => memory[variable] = loaded,
        Code::Store(variable, value) => memory[variable] = value.now(inputs),
        Code::Branch(test, _) if test.holds(&memory, inputs) => {}
        Code::Branch(_, to) | Code::Goto(to) => now.0 = At::Code(to),
        Code::Swap(variable, from, to) if memory[variable] == from.now(inputs) => {
            memory[variable] = to.now(inputs);
        }
        Code::Swap(..) => now.0 = At::Code(at),
        Code::Assume(test) if !test.holds(&memory, inputs) => now.0 = At::Stopped,
        Code::Assert(test) if !test.holds(&memory, inputs) => return Err(Failed),
        Code::Assume(_) | Code::Assert(_) => {}
    }
    let mut threads = threads.clone();
    threads[thread] = now;
    Ok(Some((memory, threads)))
}

/// Whether some threads go round their loops, all the others having ended.
fn waits_for_ever(threads: &[Lowered], (memory, places): &State, inputs: &[u8]) -> bool {
    let mut waits = false;
    for (thread, (at, _)) in threads.iter().zip(places) {
        let At::Code(at) = *at else { return false };
        if at == thread.code.len() {
            continue;
        }
        let mut loops = thread.loops.iter().filter(|(head, _)| *head == at);
        let goes_round =
            |(_, tests): &(usize, Vec<Test>)| tests.iter().all(|test| test.holds(memory, inputs));
        if !loops.any(goes_round) {
            return false;
        }
        waits = true;
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differs(variable: usize, value: Value) -> Test {
        Test {
            variable,
            is_equal: false,
            value,
        }
    }

    #[test]
    fn who_waits_for_an_input_may_wait_for_ever() {
        let mut program = WaitingProgram {
            init: [Value::Number(0); VARIABLES],
            threads: vec![
                vec![Stmt::Wait(vec![differs(0, Value::Input(0))])],
                vec![Stmt::Set(0, Value::Number(1))],
            ],
            joins: true,
        };
        let waits = Endings {
            assertion: false,
            deadlock: true,
        };
        assert_eq!(program.endings(), waits);
        program.threads[1].push(Stmt::Set(0, Value::Input(0)));
        assert_eq!(program.endings(), Endings::default());
        program.threads[0].push(Stmt::Assert(differs(0, Value::Number(1))));
        assert!(program.endings().assertion);
    }

    #[test]
    fn programs_of_all_kinds_come_up() {
        let mut seen = Vec::new();
        for seed in 0..200 {
            let endings = waiting_program(seed).endings();
            if !seen.contains(&endings) {
                seen.push(endings);
            }
        }
        assert_eq!(seen.len(), 4);
    }
}
