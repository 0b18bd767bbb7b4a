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
    /// No error was found, but not everything was read.
    Incomplete,
    /// A package without files.
    Empty,
    /// Unknown format.
    Unknown,
    /// Unknown format, found in a folder.
    Skipped,
    Unreadable,
}

impl FileOutcome {
    /// Returns the outcome of a file. Malformed takes precedence over the driver's verdict.
    pub fn of(judged: &VerdictRow) -> FileOutcome {
        if !judged.is_known {
            return if judged.unread.is_empty() {
                FileOutcome::Unknown
            } else {
                FileOutcome::Incomplete
            };
        }
        if judged.files.is_some_and(|files| files.entries() == 0) && judged.unread.is_empty() {
            return FileOutcome::Empty;
        }
        match (judged.is_well_formed(), judged.outcome()) {
            (Some(false), _) => FileOutcome::Malformed,
            (_, Some(Outcome::NotJudged)) => FileOutcome::NotJudged,
            (_, Some(outcome)) if !outcome.loads() => FileOutcome::Rejected,
            (None, _) => FileOutcome::Incomplete,
            (_, None) => FileOutcome::WellFormed,
            _ => FileOutcome::Loads,
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
static OUTCOMES: [(FileOutcome, &str, &str, Style); 9] = [
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
        FileOutcome::Incomplete,
        "not completely read",
        "not completely read",
        style::WARNING,
    ),
    (
        FileOutcome::Unknown,
        "of unknown format",
        "of unknown format",
        style::PLAIN,
    ),
    (
        FileOutcome::Empty,
        "without files",
        "without files",
        style::WARNING,
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

    /// Whether a file was not read, or not completely.
    fn is_incomplete(&self) -> bool {
        let unread = [
            FileOutcome::Unreadable,
            FileOutcome::Incomplete,
            FileOutcome::Empty,
        ];
        unread.into_iter().any(|outcome| self.count(outcome) > 0)
    }

    /// Returns the exit status. A failure takes precedence over unreadable files.
    pub fn status(&self) -> u8 {
        match self.fails {
            true => 1,
            false if self.is_incomplete() || self.is_empty() => 2,
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
