//! `cargo run --release -p benches [interpreter|trail|memory|por|large|summaries|endurance]...`:
//! prints how fast Sleave is, each figure with its peer's from the same run. Without a name: all.

mod interpreter;
mod large;
mod memory;
mod por;
mod summaries;
mod trail;

type Bench = fn() -> anyhow::Result<()>;

const BENCHES: [(&str, Bench); 7] = [
    ("interpreter", interpreter::run),
    ("trail", trail::run),
    ("memory", memory::run),
    ("por", por::run),
    ("large", large::run),
    ("summaries", summaries::run),
    ("endurance", summaries::endure),
];

fn main() -> anyhow::Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let Some(name) = asked
        .iter()
        .find(|a| BENCHES.iter().all(|(name, _)| name != a))
    {
        anyhow::bail!("no benchmark is called `{name}`");
    }
    for (name, run) in BENCHES {
        // Ten minutes are for who asks for them.
        if asked.is_empty() && name != "endurance" || asked.iter().any(|a| a == name) {
            run()?;
        }
    }
    Ok(())
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
