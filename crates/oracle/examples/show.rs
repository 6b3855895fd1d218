//! Prints the program of a seed and all that it can do: `cargo run -p oracle --example show -- 42`.

use oracle::{Config, Semantics, behaviours, generate, interleavings, render};

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok());
    let Some(seed) = seed else {
        eprintln!("usage: show SEED");
        std::process::exit(1);
    };
    let program = generate(&Config::default(), seed);
    let found = behaviours(&program, Semantics::default());
    println!("{}", render(&program).source);
    println!("// interleavings: at most {}", interleavings(&program));
    println!("// deadlock: {}", found.deadlock);
    for failure in &found.failures {
        println!("// failure: {failure}");
    }
    for end in &found.finals {
        println!("// final: {}", end.show(&program));
    }
}
