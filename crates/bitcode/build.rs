//! Finds LLVM 22 through `llvm-config`, compiles the C++ shim against it and links the few static
//! libraries that are needed.
//!
//! llvm-sys could link by itself, but would take every component, and with them libraries (Z3,
//! libxml2) that nothing here calls.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const LLVM_MAJOR: &str = "22.";

/// What `src/llvm` and `src/shim.cpp` call: reading, linking, verifying, SROA, demangling.
const COMPONENTS: [&str; 5] = ["core", "irreader", "linker", "scalaropts", "demangle"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/shim.cpp");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");

    let Some(config) = find_llvm_config() else {
        panic!(
            "\n\nLLVM 22 was not found: no llvm-config-22 on PATH, and neither LLVM_CONFIG nor LLVM_SYS_221_PREFIX names one.\n\
             On Debian and Ubuntu install it with: apt install llvm-22-dev clang-22 zlib1g-dev libzstd-dev g++\n\n"
        );
    };
    compile_shim(&config);

    println!(
        "cargo:rustc-link-search=native={}",
        ask(&config, &["--libdir"])
    );
    let mut arguments = vec!["--link-static", "--libnames"];
    arguments.extend(COMPONENTS);
    for name in ask(&config, &arguments).split_whitespace() {
        let name = name.trim_start_matches("lib").trim_end_matches(".a");
        println!("cargo:rustc-link-lib=static={name}");
    }
    prefer_static_stdlib();
    for library in ["stdc++", "z", "zstd", "m", "dl", "pthread"] {
        println!("cargo:rustc-link-lib={library}");
    }
}

fn find_llvm_config() -> Option<PathBuf> {
    let mut candidates = Vec::new();
    if let Some(path) = env::var_os("LLVM_CONFIG") {
        candidates.push(PathBuf::from(path));
    }
    if let Some(prefix) = env::var_os("LLVM_SYS_221_PREFIX") {
        candidates.push(Path::new(&prefix).join("bin/llvm-config"));
    }
    candidates.push(PathBuf::from("llvm-config-22"));
    candidates.push(PathBuf::from("llvm-config"));
    candidates.into_iter().find(|path| {
        try_ask(path, &["--version"]).is_some_and(|version| version.starts_with(LLVM_MAJOR))
    })
}

fn compile_shim(config: &Path) {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .file("src/shim.cpp")
        .std("c++17")
        .flag("-fno-rtti")
        // As the libraries are built: their headers' assertions are about states that the libraries
        // do not check either.
        .define("NDEBUG", None)
        .flag_if_supported("-Wno-unused-parameter")
        // LLVM's headers are not ours to fix.
        .flag(format!("-isystem{}", ask(config, &["--includedir"])))
        .cpp_link_stdlib(None);
    build.compile("sleave_llvm_shim");
}

/// The dynamic linker takes longer over the C++ library than most programs take to be verified. A
/// folder that has nothing but the static one, and comes before the system's, makes the linker take
/// that; without one everything is as it is elsewhere.
fn prefer_static_stdlib() {
    let compiler = cc::Build::new().cpp(true).get_compiler();
    let mut command = compiler.to_command();
    let Ok(answer) = command.arg("-print-file-name=libstdc++.a").output() else {
        return;
    };
    let library = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("static");
    let copy = folder.join("libstdc++.a");
    let is_copied =
        || std::fs::create_dir_all(&folder).is_ok() && std::fs::copy(&library, &copy).is_ok();
    if library.is_absolute() && is_copied() {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
}

fn ask(config: &Path, arguments: &[&str]) -> String {
    try_ask(config, arguments)
        .unwrap_or_else(|| panic!("{} {} failed", config.display(), arguments.join(" ")))
}

fn try_ask(config: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(config).args(arguments).output().ok()?;
    if !output.status.success() {
        return None;
    }
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
