//! Layers in front of a backend. Each is a `Solver` around a `Solver`: it answers what it can and
//! passes on the rest.
//!
//! From the outside in: `fold`, `independent`, `query_cache`, `bounds`, backend. Cheap ones come
//! first, and the memory of answers stands behind the split, so that it remembers parts, which
//! recur more often than whole path conditions.

pub mod bounds;
pub mod fold;
pub mod independent;
pub mod query_cache;
