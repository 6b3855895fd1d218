//! Proofs with small changes: refused, or still true.

use crate::models::wrong_claim;
use crate::{Random, check, completed};

const GRAND: &str = include_str!("../grand.proof");

fn with_word(proof: &str, line: usize, word: usize, new: &str) -> String {
    let lines = proof.lines().enumerate().map(|(l, text)| {
        let mut words: Vec<&str> = text.split(' ').collect();
        if l == line {
            words[word] = new;
        }
        words.join(" ") + "\n"
    });
    lines.collect()
}

/// What may be changed in a line, and how many changes of one number leave the proof valid.
const HARMLESS: [(&str, usize, &str); 8] = [
    ("p 1 4", 3, "no step uses it"),
    ("p 0 3", 1, "0 is before 1 already"),
    ("q 2 0", 3, "the answer `m` is not checked"),
    ("i 5 3 4 0", 1, "4 or 4, which states more"),
    ("d 8 3 0", 3, "another clause that is no longer used"),
    ("q -1 0", 2, "the answer `x` is not checked"),
    ("q 1 2 7 6 5 0", 11, "only the assumption 7 is used"),
    (
        "u 12",
        1,
        "clause 11 has only negations of assumptions, too",
    ),
];

/// One more, one less and the negation, for every number: refused but for what is listed.
#[test]
fn of_every_number() {
    let mut accepted: Vec<(&str, usize)> = Vec::new();
    for (line, text) in GRAND.lines().enumerate().skip(1) {
        for (word, old) in text.split(' ').enumerate() {
            let Ok(number) = old.parse::<i64>() else {
                continue;
            };
            let mut news = vec![number + 1, number - 1, -number];
            news.dedup();
            for new in news.into_iter().filter(|new| *new != number) {
                let mutant = with_word(GRAND, line, word, &new.to_string());
                if check(&mutant).is_ok() {
                    assert_eq!(wrong_claim(&mutant), None, "{text}: {old} -> {new}");
                    match accepted.last_mut() {
                        Some((last, count)) if *last == text => *count += 1,
                        _ => accepted.push((text, 1)),
                    }
                }
            }
        }
    }
    let harmless = HARMLESS.map(|(line, count, _)| (line, count));
    assert_eq!(accepted, harmless);
}

/// Lines and words that are moved, left out, doubled, or taken from elsewhere.
#[test]
fn of_lines_and_words() {
    let mut random = Random(7);
    let words: Vec<&str> = GRAND.split_whitespace().collect();
    let mut accepted = 0;
    for _ in 0..40_000 {
        let mut lines: Vec<Vec<&str>> = GRAND.lines().map(|l| l.split(' ').collect()).collect();
        for _ in 0..=random.below(3) {
            let at = 1 + random.below(lines.len() - 1);
            let other = 1 + random.below(lines.len() - 1);
            let word = random.below(lines[at].len());
            match random.below(7) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(other, lines[at].clone()),
                2 => lines.swap(at, other),
                3 => lines[at][word] = words[random.below(words.len())],
                4 => drop(lines[at].remove(word)),
                5 => lines[at].insert(word, words[random.below(words.len())]),
                _ => {
                    let with = random.below(lines[at].len());
                    lines[at].swap(word, with);
                }
            }
            lines.retain(|line| !line.is_empty());
        }
        let mutant: String = lines.iter().map(|l| l.join(" ") + "\n").collect();
        if check(&mutant).is_ok() {
            accepted += 1;
            assert_eq!(wrong_claim(&mutant), None, "{mutant}");
        }
    }
    // Most are refused, but not all: some lines are of no use.
    assert!(accepted > 1000, "{accepted}");
}

/// Nothing that stands in a file makes the checker panic.
#[test]
fn of_bytes() {
    let mut random = Random(11);
    for _ in 0..20_000 {
        let mut bytes = GRAND.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes.truncate(at.max(1)),
                2 => bytes[at] = *random.pick(b"0123456789-. \nFBEPR"),
                _ => bytes.insert(at, *random.pick(b"0123456789-. \nFBEPR")),
            }
        }
        if proof::check(completed(&bytes).as_slice()).is_ok() {
            let mutant = String::from_utf8(bytes).expect("what is accepted is text");
            let plain: String = mutant
                .lines()
                .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
                .collect();
            assert_eq!(wrong_claim(&plain), None, "{mutant}");
        }
    }
    for _ in 0..20_000 {
        let length = random.below(200);
        let noise: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        let words = (0..length).map(|_| *random.pick(b"0123456789- .\n\n   FBEPRnpewitaqdumxz"));
        for text in [noise, words.collect()] {
            let proof = [b"s sleave-proof 1\n", text.as_slice()].concat();
            assert!(proof::check(completed(&proof).as_slice()).is_err());
            assert!(proof::check(completed(&text).as_slice()).is_err());
        }
    }
}
