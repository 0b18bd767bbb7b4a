//! The comparison with another file.

use crate::diff::{DeviceChanges, FileSummary};
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

/// Report on the comparison with another file; the differences are in [`ListId::Differences`](crate::tables::ListId::Differences).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareReport {
    /// The first file: the other one.
    pub from: FileSummary,
    /// The second file: the one that is open.
    pub to: FileSummary,
    /// Whether they have the same bytes.
    pub equal: bool,
    /// Whether they are identical, or differ in layout only.
    pub same_meaning: bool,
    /// Number of differences.
    pub differences: u64,
    /// The result in a line.
    pub verdict: Str,
    /// Number of changes per part, one line each; without kernels by device.
    pub counts: Vec<String>,
    /// The changes of the kernels of each device, for libraries and packages.
    pub devices: Vec<DeviceChanges>,
    /// Whether only the kernels were compared.
    pub is_kernels_only: bool,
    /// Reasons why the two files are hard to compare.
    pub remarks: Vec<String>,
    /// Whether parts were not compared, as the files are too large.
    pub is_cut: bool,
    /// The parts that could not be compared, and why.
    pub notes: Vec<String>,
    /// Index of the difference to keep, if it still exists.
    pub kept: Option<u64>,
}
