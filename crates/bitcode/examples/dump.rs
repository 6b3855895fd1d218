//! Prints the intermediate representation of a program: `dump FILE.. [-- CLANG FLAGS]`.

use std::path::PathBuf;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let files: Vec<PathBuf> = arguments
        .by_ref()
        .take_while(|a| a != "--")
        .map(PathBuf::from)
        .collect();
    let options = bitcode::Options {
        clang_flags: arguments.collect(),
        ..bitcode::Options::default()
    };
    let loaded = match bitcode::load(&files, &options) {
        Ok(loaded) => loaded,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    };
    println!("{}", loaded.module);
    if let Err(violations) = ir::validate(&loaded.module) {
        for violation in violations {
            println!("invalid: {violation}");
        }
    }
    eprintln!(
        "hash {:016x}, compiled in {:?}, loaded in {:?}",
        loaded.hash, loaded.compile_time, loaded.load_time
    );
}
