//! `cargo run --release -p benches`: prints how fast Sleave is, each figure with its peer's from the same run.

mod interpreter;
mod memory;
mod trail;

fn main() -> anyhow::Result<()> {
    interpreter::run()?;
    trail::run()?;
    memory::run()
}

/// A program of `benches/kernels`.
fn kernel(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("kernels")
        .join(format!("{name}.c"))
}

fn load(name: &str) -> anyhow::Result<verify::Loaded> {
    Ok(verify::load(&[kernel(name)], &[])?)
}
