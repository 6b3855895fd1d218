//! The papers' benchmarks: the programs of their tables, written afresh (in `p1/` and `p4/`, and
//! part of this library), what the papers say of them, and how a table is shown once it is
//! measured: as text and as figures.
//!
//! A table is data ([`Table`]): rows are programs, columns are [`Configuration`]s, which are flags
//! of `sleave check`. Whoever measures one (`sleave bench`) adds a [`Measured`] for each program
//! and column.
//!
//! Invariant: this crate runs nothing, prints nothing, and knows no other crate of Sleave.

mod figures;
mod p1;
mod p4;
mod plot;
mod table;
pub mod text;

pub use figures::draw;
pub use table::{Configuration, Measured, MeasuredRow, Paper, Program, Row, Scatter, Size, Table};

/// All tables, each named after its paper.
pub fn tables() -> [Table; 2] {
    [p1::table(), p4::table()]
}
