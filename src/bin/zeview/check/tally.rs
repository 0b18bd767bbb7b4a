//! Counts files by outcome.

use std::io::{self, Write};

use anstyle::Style;
use zeview::model::Outcome;
use zeview::report::check::VerdictRow;

use crate::output::Visible;
use crate::style;

/// Outcome of checking a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FileOutcome {
    Loads,
    /// Well-formed without a verdict: the file has no code for the driver.
    WellFormed,
    Rejected,
    Malformed,
    NotJudged,
    /// Unknown format.
    Unknown,
    /// Unknown format, found in a folder.
    Skipped,
    Unreadable,
}

impl FileOutcome {
    /// Returns the outcome of a file. Malformed takes precedence over the driver's verdict.
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

/// Outcomes in the order of the summary line, with singular, plural and style.
static OUTCOMES: [(FileOutcome, &str, &str, Style); 7] = [
    (FileOutcome::Loads, "loads", "load", style::GOOD),
    (
        FileOutcome::WellFormed,
        "well-formed, not for the driver",
        "well-formed, not for the driver",
        style::PLAIN,
    ),
    (
        FileOutcome::Rejected,
        "does not load",
        "do not load",
        style::BAD,
    ),
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

/// Totals of all files.
#[derive(Default)]
pub struct Tally {
    all: Vec<FileOutcome>,
    /// Whether a file fails.
    pub fails: bool,
}

impl Tally {
    pub fn add(&mut self, outcome: FileOutcome) {
        self.all.push(outcome);
    }

    fn count(&self, outcome: FileOutcome) -> usize {
        self.all.iter().filter(|other| **other == outcome).count()
    }

    /// Whether there was no file to check.
    pub fn is_empty(&self) -> bool {
        self.all.len() == self.count(FileOutcome::Skipped)
    }

    /// Returns the exit status. A failure takes precedence over unreadable files.
    pub fn status(&self) -> u8 {
        match self.fails {
            true => 1,
            false if self.count(FileOutcome::Unreadable) > 0 || self.is_empty() => 2,
            false => 0,
        }
    }

    /// `12 files: 10 load, 1 does not load, 1 malformed; 3 of unknown format skipped`.
    pub fn print(&self, out: &mut Visible<impl Write>) -> io::Result<()> {
        let skipped = self.count(FileOutcome::Skipped);
        let files = self.all.len() - skipped;
        write!(out, "{files} file{}", if files == 1 { "" } else { "s" })?;
        let mut separator = ": ";
        for (outcome, one, many, style) in OUTCOMES {
            match self.count(outcome) {
                0 => continue,
                1 => {
                    out.write_all(separator.as_bytes())?;
                    out.paint(style, format_args!("1 {one}"))?;
                }
                count => {
                    out.write_all(separator.as_bytes())?;
                    out.paint(style, format_args!("{count} {many}"))?;
                }
            }
            separator = ", ";
        }
        match skipped {
            0 => writeln!(out),
            skipped => writeln!(out, "; {skipped} of unknown format skipped"),
        }
    }
}
