//! Prints the program of a seed and all that it can do: `cargo run -p oracle --example show -- 42`;
//! with `irrelevant` after the seed, one in which half the statements are; with `everything`, one
//! of all that there is; with `pointers`, one that is full of them.

use oracle::{Config, Semantics, behaviours, failing_share, generate, interleavings, render};

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok());
    let Some(seed) = seed else {
        eprintln!("usage: show SEED [irrelevant|everything|pointers]");
        std::process::exit(1);
    };
    let config = match std::env::args().nth(2).as_deref() {
        Some("irrelevant") => Config::half_irrelevant(),
        Some("everything") => Config::everything(),
        Some("pointers") => {
            println!("{}", oracle::pointer_program(seed, (seed % 3) as usize));
            return;
        }
        _ => Config::default(),
    };
    let program = generate(&config, seed);
    let found = behaviours(&program, Semantics::default());
    println!("{}", render(&program).source);
    println!("// interleavings: at most {}", interleavings(&program));
    println!("// deadlock: {}", found.deadlock);
    for failure in &found.failures {
        println!("// failure: {failure}");
    }
    if found.can_fail() {
        let share = failing_share(&program, Semantics::default());
        println!(
            "// of all schedules and inputs {:.2} % fail, of all inputs {:.0} %",
            100.0 * share.runs,
            100.0 * share.inputs
        );
    }
    for end in &found.finals {
        println!("// final: {}", end.show(&program));
    }
}
