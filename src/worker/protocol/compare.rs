//! The comparison with another file.

use crate::diff::FileSummary;
use crate::model::Str;
use serde::{Deserialize, Serialize};

/// The form of a comparison as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareForm {
    /// As `zeview diff --markdown`.
    Markdown,
    /// As `zeview diff --html`.
    Html,
    /// As `zeview diff --json`.
    Json,
}

/// What there is to say of the comparison with another file; what differs is
/// [`ListId::Differences`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareReport {
    /// The first file: the other one.
    pub from: FileSummary,
    /// The second file: the one that is open.
    pub to: FileSummary,
    /// They have the same bytes.
    pub equal: bool,
    /// They are identical, or differ in nothing but layout.
    pub same_meaning: bool,
    /// How many differences there are.
    pub differences: u64,
    /// The result in a line.
    pub verdict: Str,
    /// How many of each part have changed, a line each.
    pub counts: Vec<String>,
    /// What makes the two files hard to compare.
    pub remarks: Vec<String>,
    /// Not all of it was compared: the files are too costly.
    pub is_cut: bool,
    /// What could not be compared, and why.
    pub notes: Vec<String>,
    /// The place of the difference that was to be found again, if it is still there.
    pub kept: Option<u64>,
}
