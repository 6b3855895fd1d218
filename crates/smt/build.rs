//! Links the system's Z3. The functions used are declared in `src/backend/z3/ffi.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-lib=z3");
}
