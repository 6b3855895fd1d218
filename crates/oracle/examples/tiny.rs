//! Writes programs of the tiny C, each with all that can go wrong with it: `cargo run --release -p
//! oracle --example tiny -- FAMILY FIRST..LAST
//! [FOLDER]`. To a folder, as `FAMILY_SEED.c`, with a line `FAMILY_SEED.c FAILURE...` printed for
//! each; without one, the programs themselves are printed. `tests/campaign.py` compares them with
//! what Sleave says.

use std::path::Path;

use oracle::tiny::{FAMILIES, HEADER, family, generate, render};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((config, seeds, folder)) = parse(&arguments) else {
        let names: Vec<&str> = FAMILIES.iter().map(|(name, _)| *name).collect();
        eprintln!("usage: tiny FAMILY FIRST..LAST [FOLDER]; families: {names:?}");
        std::process::exit(1);
    };
    for seed in seeds {
        let (program, found) = generate(&config, seed);
        let text = format!("{HEADER}\n{}", render(&program, ""));
        let mut words: Vec<String> = found.failures.iter().map(|f| format!("{f:?}")).collect();
        words.extend(found.livelock.then(|| "livelock".to_string()));
        words.push(format!("states={}", found.states));
        let words = words.join(" ");
        match folder {
            Some(folder) => {
                let name = format!("{}_{seed}.c", arguments[0]);
                std::fs::write(Path::new(folder).join(&name), text).expect("a folder to write to");
                println!("{name} {words}");
            }
            None => println!("{text}// {words}\n"),
        }
    }
}

fn parse(
    arguments: &[String],
) -> Option<(oracle::tiny::Config, std::ops::Range<u64>, Option<&str>)> {
    let (first, last) = arguments.get(1)?.split_once("..")?;
    let seeds = first.parse().ok()?..last.parse().ok()?;
    let folder = arguments.get(2).map(String::as_str);
    Some((family(arguments.first()?)?, seeds, folder))
}
