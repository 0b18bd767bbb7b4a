//! Searching.

use crate::model::Span;
use serde::{Deserialize, Serialize};

/// A step of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchStep {
    /// The first one; forgets the search before.
    Begin,
    /// The next one.
    GoOn,
    /// No more steps: what was found so far.
    Stop,
}

/// Something that a search has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitRow {
    /// Its bytes.
    pub span: Span,
    /// The names on the way to it.
    pub path: Vec<String>,
    /// What stands there.
    pub text: String,
}
