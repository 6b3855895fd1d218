//! Links the system's Z3 where it is asked for. The functions used are declared in
//! `src/backend/z3/ffi.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_Z3").is_some() {
        println!("cargo:rustc-link-lib=z3");
    }
}
