//! The oracle is tested by programs with known answers, and by running what it renders.

mod build;
mod generator;
mod minimiser;
mod native;
mod reference;
mod rendering;
mod tiny;
mod validation;
