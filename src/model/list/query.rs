//! Which rows of a list, in which order: one query language for all lists.

use serde::{Deserialize, Serialize};

use crate::model::span::Span;
use crate::model::value::Str;

/// Which rows, in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Query {
    /// What a row must fulfil; see [`Filter`]. Empty: all rows.
    pub filter: String,
    /// The id of the column that sorts; the order of the file without.
    pub sort: Option<Str>,
    /// The largest first.
    pub descending: bool,
    /// With the rows that are shown only on demand: functions among kernels.
    pub all: bool,
    /// What the list is of: the bytes of a text, or of what has properties.
    pub of: Option<Span>,
}
