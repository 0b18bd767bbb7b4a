//! Text formats of a list: CSV, tab-separated, Markdown, JSON, and aligned for a terminal.

use serde::{Deserialize, Serialize};

/// A text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Comma-separated, with a header line of column ids (RFC 4180, but with Unix line endings).
    Csv,
    /// Tab-separated, with a header line of titles, for pasting into spreadsheets.
    Tabs,
    /// A Markdown table, with titles and units.
    Markdown,
    /// An array with one object per row, with all columns regardless of the selection.
    Json,
    /// Aligned, for a terminal; titles and units in two lines.
    Plain,
}
