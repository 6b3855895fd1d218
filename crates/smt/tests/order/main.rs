//! Formulas over an order of events: both ways of deciding the order against each other, against
//! enumeration of all orders, and with proofs that are checked.

mod checker;
mod counter;
mod enumeration;
mod formula;
mod interface;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use smt::order::{Formula, Lit};

/// No question here takes long, and none is given up.
pub fn solve(formula: &mut Formula, assumptions: &[Lit]) -> bool {
    let answer = formula.solve(assumptions, Duration::MAX, &Arc::default());
    answer.expect("no limit")
}

/// Where a proof is written to be read again.
#[derive(Clone, Default)]
pub struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).expect("a proof is text")
    }
}

impl std::io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
