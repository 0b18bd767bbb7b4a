//! How many files load, and how many do not.

use std::io::{self, Write};

use anstyle::Style;
use zeview::model::Outcome;

use crate::judge::VerdictRow;
use crate::output::Visible;
use crate::style;

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FileOutcome {
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

impl FileOutcome {
    /// A file that is malformed is that first, whatever the driver does with it.
    pub fn of(judged: &VerdictRow) -> FileOutcome {
        match (judged.is_well_formed(), judged.outcome()) {
            (None, _) => FileOutcome::Unknown,
            (Some(false), _) => FileOutcome::Malformed,
            (_, None) => FileOutcome::WellFormed,
            (_, Some(Outcome::NotJudged)) => FileOutcome::NotJudged,
            (_, Some(outcome)) if outcome.loads() => FileOutcome::Loads,
            _ => FileOutcome::Rejected,
        }
    }

    pub fn fails(self) -> bool {
        matches!(
            self,
            FileOutcome::Rejected | FileOutcome::Malformed | FileOutcome::NotJudged
        )
    }
}

/// In the order in which they are said.
static SORTS: [(FileOutcome, &str, &str, Style); 7] = [
    (FileOutcome::Loads, "loads", "load", style::GOOD),
    (
        FileOutcome::WellFormed,
        "well-formed, not for the driver",
        "well-formed, not for the driver",
        style::PLAIN,
    ),
    (FileOutcome::Rejected, "rejected", "rejected", style::BAD),
    (FileOutcome::Malformed, "malformed", "malformed", style::BAD),
    (
        FileOutcome::NotJudged,
        "not judged",
        "not judged",
        style::WARNING,
    ),
    (
        FileOutcome::Unknown,
        "of unknown format",
        "of unknown format",
        style::PLAIN,
    ),
    (FileOutcome::Unreadable, "not read", "not read", style::BAD),
];

/// All files.
#[derive(Default)]
pub struct Tally {
    all: Vec<FileOutcome>,
    /// One of them fails.
    pub fails: bool,
}

impl Tally {
    pub fn add(&mut self, sort: FileOutcome) {
        self.all.push(sort);
    }

    fn count(&self, sort: FileOutcome) -> usize {
        self.all.iter().filter(|other| **other == sort).count()
    }

    /// Nothing was there that could be checked.
    pub fn is_empty(&self) -> bool {
        self.all.len() == self.count(FileOutcome::Skipped)
    }

    /// The exit status: a failure is certain, whatever could not be read.
    pub fn status(&self) -> u8 {
        match self.fails {
            true => 1,
            false if self.count(FileOutcome::Unreadable) > 0 || self.is_empty() => 2,
            false => 0,
        }
    }

    /// `12 files: 10 load, 1 rejected, 1 malformed; 3 of unknown format skipped`.
    pub fn print(&self, out: &mut Visible<impl Write>) -> io::Result<()> {
        let skipped = self.count(FileOutcome::Skipped);
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
