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
    for global in &loaded.module.globals {
        println!("{global:?}");
    }
    for (id, function) in loaded.module.functions.enumerate() {
        println!(
            "{id} {} ({}) {:?} -> {:?}",
            function.name, function.source_name, function.params, function.results
        );
        let Some(body) = &function.body else {
            continue;
        };
        for (id, value) in body.values.enumerate() {
            println!(
                "    {id} {:?} {:?} {:?}",
                value.ty, value.constant, value.name
            );
        }
        for (id, block) in body.blocks.enumerate() {
            println!("  {id}{:?}", block.params);
            for inst in &block.insts {
                let loc = loaded.module.debug.locs[inst.loc];
                println!("    {:?}  @{}:{}", inst.op, loc.line, loc.column);
            }
            println!("    {:?}", block.terminator);
        }
    }
    eprintln!(
        "hash {:016x}, compiled in {:?}, loaded in {:?}",
        loaded.hash, loaded.compile_time, loaded.load_time
    );
}
