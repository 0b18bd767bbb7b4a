//! How many files load, and how many do not.

use std::io::{self, Write};

use anstyle::Style;
use zeview::model::Outcome;

use crate::judge::Judged;
use crate::output::Visible;
use crate::style;

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Loads,
    /// There is no verdict: nothing in it is for the driver.
    WellFormed,
    Rejected,
    Malformed,
    NotJudged,
    /// Of no format that zeview reads.
    Unknown,
    /// The same, found in a folder.
    Skipped,
    Unreadable,
}

impl Sort {
    /// A file that is malformed is that first, whatever the driver does with it.
    pub fn of(judged: &Judged) -> Sort {
        match (judged.is_well_formed(), judged.outcome()) {
            (None, _) => Sort::Unknown,
            (Some(false), _) => Sort::Malformed,
            (_, None) => Sort::WellFormed,
            (_, Some(Outcome::NotJudged)) => Sort::NotJudged,
            (_, Some(outcome)) if outcome.loads() => Sort::Loads,
            _ => Sort::Rejected,
        }
    }

    pub fn fails(self) -> bool {
        matches!(self, Sort::Rejected | Sort::Malformed | Sort::NotJudged)
    }
}

/// In the order in which they are said.
static SORTS: [(Sort, &str, &str, Style); 7] = [
    (Sort::Loads, "loads", "load", style::GOOD),
    (
        Sort::WellFormed,
        "well-formed, not for the driver",
        "well-formed, not for the driver",
        style::PLAIN,
    ),
    (Sort::Rejected, "rejected", "rejected", style::BAD),
    (Sort::Malformed, "malformed", "malformed", style::BAD),
    (Sort::NotJudged, "not judged", "not judged", style::WARNING),
    (
        Sort::Unknown,
        "of unknown format",
        "of unknown format",
        style::PLAIN,
    ),
    (Sort::Unreadable, "not read", "not read", style::BAD),
];

/// All files.
#[derive(Default)]
pub struct Tally {
    all: Vec<Sort>,
    /// One of them fails.
    pub fails: bool,
}

impl Tally {
    pub fn add(&mut self, sort: Sort) {
        self.all.push(sort);
    }

    fn count(&self, sort: Sort) -> usize {
        self.all.iter().filter(|other| **other == sort).count()
    }

    /// Nothing was there that could be checked.
    pub fn is_empty(&self) -> bool {
        self.all.len() == self.count(Sort::Skipped)
    }

    /// The exit status: a failure is certain, whatever could not be read.
    pub fn status(&self) -> u8 {
        match self.fails {
            true => 1,
            false if self.count(Sort::Unreadable) > 0 || self.is_empty() => 2,
            false => 0,
        }
    }

    /// `12 files: 10 load, 1 rejected, 1 malformed; 3 of unknown format skipped`.
    pub fn print(&self, out: &mut Visible<impl Write>) -> io::Result<()> {
        let skipped = self.count(Sort::Skipped);
        let files = self.all.len() - skipped;
        write!(out, "{files} file{}", if files == 1 { "" } else { "s" })?;
        let mut before = ": ";
        for (sort, one, many, style) in SORTS {
            match self.count(sort) {
                0 => continue,
                1 => {
                    out.write_all(before.as_bytes())?;
                    out.paint(style, format_args!("1 {one}"))?;
                }
                count => {
                    out.write_all(before.as_bytes())?;
                    out.paint(style, format_args!("{count} {many}"))?;
                }
            }
            before = ", ";
        }
        match skipped {
            0 => writeln!(out),
            skipped => writeln!(out, "; {skipped} of unknown format skipped"),
        }
    }
}
