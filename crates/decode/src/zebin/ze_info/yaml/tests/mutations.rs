//! Damaged texts: the reader never panics and never loses a byte. If serde_yaml accepts the text
//! and the reader reports no problem, they agree.

use super::oracle::{Verdict, compare};
use crate::zebin::ze_info::yaml::tests::*;

const TEXTS: [&str; 2] = [SMALL, BY_HAND];

/// Bytes with a meaning in YAML, and some without.
const NASTY: &[u8] = b" \t\r\n\0:-#'\"[]{},&*!|>%@`?/\\=.~<x0\x01\x7f\x80\xc3\xff";

/// Limits that almost every text exceeds.
const TIGHT: Limits = Limits {
    depth: 2,
    nodes: 6,
    bytes_per_node: 1000,
};

#[derive(Debug, Default)]
struct Tally {
    same: usize,
    refused: usize,
    problem: usize,
}

impl Tally {
    fn add(&mut self, text: &[u8]) {
        check(&parse(text, TIGHT), text);
        match compare(text, &read(text)) {
            Ok(Verdict::Same) => self.same += 1,
            Ok(Verdict::Refused) => self.refused += 1,
            Ok(Verdict::Problem) => self.problem += 1,
            Err(wrong) => panic!(
                "{wrong}\n{}",
                text.escape_ascii().to_string().replace("\\n", "\n")
            ),
        }
    }
}

#[test]
fn prefixes() {
    let mut tally = Tally::default();
    for text in TEXTS {
        for end in 0..=text.len() {
            tally.add(&text.as_bytes()[..end]);
        }
    }
    eprintln!("{tally:?}");
}

#[test]
fn nasty_bytes() {
    let mut tally = Tally::default();
    for text in TEXTS {
        let text = text.as_bytes();
        for at in 0..=text.len() {
            for &byte in NASTY {
                let (before, after) = text.split_at(at);
                tally.add(&[before, &[byte], after].concat());
                tally.add(&[before, &[byte], after.get(1..).unwrap_or_default()].concat());
            }
        }
    }
    eprintln!("{tally:?}");
}

#[test]
fn lines_moved_and_indented() {
    let mut random = Random(0x5eed_0001);
    let mut tally = Tally::default();
    for round in 0..20_000 {
        let mut lines: Vec<String> = TEXTS[round % 2]
            .split_inclusive('\n')
            .map(str::to_owned)
            .collect();
        for _ in 0..=random.below(3) {
            let at = random.below(lines.len());
            let other = random.below(lines.len());
            match random.below(6) {
                0 => lines.swap(at, other),
                1 if lines.len() > 1 => drop(lines.remove(at)),
                2 => lines.insert(at, lines[other].clone()),
                3 => lines[at] = lines[at].trim_start_matches(' ').to_owned(),
                4 => lines[at] = lines[at].replacen("  ", "", 1),
                _ => lines[at] = " ".repeat(1 + random.below(4)) + &lines[at],
            }
        }
        tally.add(lines.concat().as_bytes());
    }
    eprintln!("{tally:?}");
}

#[test]
fn several_nasty_bytes() {
    let mut random = Random(0x5eed_0002);
    let mut tally = Tally::default();
    for round in 0..20_000 {
        let mut text = TEXTS[round % 2].as_bytes().to_vec();
        for _ in 0..2 + random.below(6) {
            let at = random.below(text.len());
            text[at] = NASTY[random.below(NASTY.len())];
        }
        tally.add(&text);
    }
    eprintln!("{tally:?}");
}

/// Text made of significant bytes only.
#[test]
fn only_nasty_bytes() {
    const TOKENS: &[&str] = &[
        "a", "b: ", "key:", "- ", "-", "\n", "\n  ", "\n    ", " ", "[", "]", "{", "}", ", ", ",",
        "'", "\"", "#", " # c", "1", "\n- ", "\n  - ", "x: y", "\r\n", "''", "'q'", "\"d\"", ":",
        "\n---", "\n...", "|\n", "\\", "é", "\nk: ",
    ];
    let mut random = Random(0x5eed_0003);
    let mut tally = Tally::default();
    for _ in 0..100_000 {
        let text: String = (0..1 + random.below(14))
            .map(|_| TOKENS[random.below(TOKENS.len())])
            .collect();
        tally.add(text.as_bytes());
    }
    eprintln!("{tally:?}");
}
