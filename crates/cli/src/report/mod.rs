//! Reports: text for people, JSON for programs. Everything here turns data into text; nothing prints.

mod deadlock;
pub mod json;
mod race;
mod rows;
mod style;
mod table;
pub mod text;

pub use style::Style;
