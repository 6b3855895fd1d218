//! The papers' benchmarks: the programs of their tables, written afresh (in `p1/` to
//! `p4/`, and part of this library), what the papers say of them, and how a table is shown once it is
//! measured: as text and as figures.
//!
//! A table is data ([`Table`]): rows are programs, columns are [`Configuration`]s, which are flags
//! of `sleave check` or `sleave hunt`. Whoever measures one (`sleave bench`) adds a [`Measured`] for each program
//! and column.
//!
//! Invariant: this crate runs nothing, prints nothing, and knows no other crate of Sleave.

mod figures;
mod p1;
mod p2;
mod p3;
mod p4;
mod plot;
mod table;
pub mod text;

pub use figures::draw;
pub use table::{
    Command, Configuration, Cost, Growth, Measured, MeasuredRow, Place, Program, Quantity, Row,
    Scatter, Size, Sizes, Table,
};

/// All tables, each named after its paper.
pub fn tables() -> [Table; 4] {
    [p1::table(), p2::table(), p3::table(), p4::table()]
}
