//! `sleave check-proof`: whether a proof of the trace engine is one.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use proof::{Accepted, Error};

use crate::exit::Exit;
use crate::flags::CheckProofFlags;
use crate::output;

/// Proofs are read from beginning to end.
const BUFFER: usize = 1 << 20;

pub fn run(flags: &CheckProofFlags) -> Exit {
    match check(&flags.proof) {
        Ok(accepted) => {
            output::print(&format!("{}\n", summary(&accepted)));
            Exit::Safe
        }
        Err(Error::Refused(refusal)) => {
            output::print(&format!("proof refused: {refusal}\n"));
            Exit::Unknown
        }
        Err(Error::Unreadable(error)) => {
            output::error(&format!("{}: {error}", flags.proof.display()));
            Exit::Usage
        }
    }
}

fn check(path: &Path) -> Result<Accepted, Error> {
    proof::check(BufReader::with_capacity(BUFFER, File::open(path)?))
}

fn summary(accepted: &Accepted) -> String {
    let counted = |number: u64, one: &str, many: &str| {
        let noun = if number == 1 { one } else { many };
        format!("{} {noun}", grouped(number))
    };
    let parts = [
        counted(accepted.questions, "question", "questions"),
        counted(accepted.unsatisfiable, "unsatisfiable", "unsatisfiable"),
        counted(accepted.inputs, "input clause", "input clauses"),
        counted(accepted.lemmas, "lemma of order", "lemmas of order"),
        counted(accepted.derived, "derived clause", "derived clauses"),
    ];
    format!("proof accepted: {}", parts.join(", "))
}

/// With a comma after each thousand.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1204), "1,204");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn of_what_was_accepted() {
        let accepted = Accepted {
            questions: 3,
            unsatisfiable: 2,
            inputs: 1204,
            lemmas: 1,
            derived: 5021,
        };
        assert_eq!(
            summary(&accepted),
            "proof accepted: 3 questions, 2 unsatisfiable, 1,204 input clauses, 1 lemma of order, \
             5,021 derived clauses"
        );
    }
}
