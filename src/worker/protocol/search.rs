//! Searching.

use crate::model::Span;
use serde::{Deserialize, Serialize};

/// A step of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchStep {
    /// Starts a search and drops the previous one.
    Begin,
    /// Continues the search.
    GoOn,
    /// Ends the search: returns the hits so far.
    Stop,
}

/// A search hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitRow {
    /// Its bytes.
    pub span: Span,
    /// The names on the path to it.
    pub path: Vec<String>,
    /// The matching text.
    pub text: String,
}
