//! A kernel in step.

use serde::{Deserialize, Serialize};

use crate::model::Span;
use crate::step::{Basis, StepKind};

/// A kernel in step, without its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepReport {
    /// The name of the kernel.
    pub kernel: String,
    /// Its code.
    pub code: Span,
    /// What ties the columns.
    pub basis: Basis,
    /// The columns, from the source to the instructions.
    pub columns: Vec<StepHead>,
    /// What is missing, and why.
    pub notes: Vec<String>,
}

/// A column, without its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepHead {
    /// What it is.
    pub kind: StepKind,
    /// The path of a source file, or of a part of the file.
    pub title: String,
    /// Number of lines.
    pub count: u32,
}

/// A place in a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepPlace {
    /// A point, by its index.
    Point(u32),
    /// The line of a column with these bytes.
    Bytes(Span),
}

/// The lines that a place leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRows {
    /// The point; `None` for a line without one.
    pub point: Option<u32>,
    /// For each column, the indices of its lines; not more than a thousand.
    pub rows: Vec<Vec<u32>>,
}
