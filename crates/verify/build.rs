//! Compiles Sleave's own C library, for 64 and for 32 bits, to be linked to every program that is
//! checked.

use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "Sleave's C library is compiled with clang-22 and linked with llvm-link-22 (Debian: apt install clang-22 llvm-22); \
                    CLANG and LLVM_LINK may name others";

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let runtime = Path::new(&here).join("../../runtime");
    println!("cargo:rerun-if-changed={}", runtime.display());
    println!("cargo:rerun-if-env-changed=CLANG");
    println!("cargo:rerun-if-env-changed=LLVM_LINK");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(&runtime)
        .expect("the runtime folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    sources.sort();
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    for bits in ["64", "32"] {
        let mut modules = Vec::new();
        for source in &sources {
            println!("cargo:rerun-if-changed={}", source.display());
            let name = source.file_stem().expect("a name").to_string_lossy();
            let module = out.join(format!("{name}.{bits}.bc"));
            let file = source.file_name().expect("a name");
            run(Command::new(tool("CLANG", "clang-22"))
                .current_dir(&runtime)
                .arg(format!("-m{bits}"))
                .args("-std=gnu17 -O0 -Xclang -disable-O0-optnone -fno-builtin -ffreestanding -g -w -emit-llvm -c".split(' '))
                .arg(format!("-fdebug-prefix-map={}=runtime", runtime.display()))
                .arg("-o")
                .arg(&module)
                .arg(file));
            modules.push(module);
        }
        let linked = out.join(format!("runtime{bits}.bc"));
        run(Command::new(tool("LLVM_LINK", "llvm-link-22"))
            .args(&modules)
            .arg("-o")
            .arg(&linked));
        let bitcode = std::fs::read(&linked).expect("llvm-link wrote it");
        let library = bitcode::compile_library(&bitcode).expect("clang's bitcode can be lowered");
        std::fs::write(out.join(format!("runtime{bits}.library")), library)
            .expect("OUT_DIR can be written to");
    }
}

fn tool(variable: &str, default: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.to_string())
}

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{command:?} ended with {status}. {HELP}"),
        Err(error) => panic!("{command:?}: {error}. {HELP}"),
    }
}
