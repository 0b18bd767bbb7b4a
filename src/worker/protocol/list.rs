//! Lists.

use crate::analysis::survey::{Progress, Survey};
use crate::model::{NodeId, Span, Str};
use crate::tables::query::Query;
use crate::tables::write::Form;
use crate::tables::{self, ListId, Secondary};
use serde::{Deserialize, Serialize};

/// The list whose row is shown with the selection: that of the innermost document around the
/// selection that has such a list, or else of `document`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follow {
    /// The document whose rows are shown now.
    pub document: NodeId,
    /// Which list.
    pub list: ListId,
    /// As its rows are shown.
    pub query: Query,
    /// The entry of the row that is shown now: it stays if the selection belongs to none.
    pub current: Option<Span>,
    /// The first row is shown if there is none otherwise.
    pub or_first: bool,
}

/// What is asked about a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ListRequest {
    /// Rows; answered by [`Response::List`].
    Rows {
        /// The place of the first, counted among those that the query finds.
        start: u64,
        /// How many at most; the host gives at most [`ROWS_MAX`].
        count: u64,
        /// The ids of the columns; the default ones if there are none.
        columns: Vec<Str>,
    },
    /// Of [`ListId::Kernels`] of a container: what there is for which devices, and so many of the
    /// kernels with the worst hazards; answered by [`Response::Survey`].
    Survey {
        /// The ids of the columns of these kernels.
        columns: Vec<Str>,
        /// How many at most.
        count: u64,
    },
    /// The row that the selection belongs to, as with a [`Follow`]; answered by
    /// [`Response::ListAt`].
    At {
        /// The selected node.
        node: NodeId,
        /// The selected bytes.
        span: Option<Span>,
        /// As [`Follow::current`].
        current: Option<Span>,
        /// As [`Follow::or_first`].
        or_first: bool,
    },
    /// The rows that the query finds as text; answered by [`Response::Text`].
    Written {
        /// The ids of the columns; the default ones if there are none.
        columns: Vec<Str>,
        /// In which form.
        form: Form,
        /// Only the rows from this place to that one, and no titles.
        rows: Option<(u64, u64)>,
    },
    /// The next match of a text in [`ListId::Lines`]; answered by [`Response::Match`].
    Find {
        /// What was typed; ASCII letters match in either case.
        typed: String,
        /// Where to begin.
        from: u64,
        /// At `from` or after it; before it otherwise. Around the end.
        forward: bool,
    },
}

/// At most so many rows in one answer.
pub const ROWS_MAX: u64 = 512;

/// Rows of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPage {
    /// The document that has answered.
    pub document: NodeId,
    /// What the list is of, where that is not the document: `abstract module 3`.
    pub subject: String,
    /// The rows.
    pub rows: Vec<tables::Row>,
    /// The place of the first among those that the query finds.
    pub start: u64,
    /// How many the query finds.
    pub found: u64,
    /// How many there are, but for the secondary ones.
    pub total: u64,
    /// Of the kernels of several images: the number of different names.
    pub names: Option<u64>,
    /// How many are shown only on demand: functions among kernels.
    pub secondary: Secondary,
    /// What people must know of the list as a whole: what is missing in it.
    pub notes: Vec<String>,
    /// The ids of the columns that the rows have.
    pub columns: Vec<Str>,
    /// The largest number of each column of numbers, over all rows, by the column's id.
    pub maxima: Vec<(Str, f64)>,
    /// What is wrong with the query's filter, in words.
    pub trouble: Option<String>,
    /// How far the reading of the list is; `None` if nothing is left to read. Each further request
    /// for rows goes on with it.
    pub reading: Option<Progress>,
}

/// What a container holds for which devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurveyReport {
    /// The document that has answered.
    pub document: NodeId,
    /// What it holds, as far as it is read.
    pub survey: Survey,
    /// How far that is. Each further request goes on with it.
    pub progress: Progress,
    /// The kernels with the worst hazards.
    pub worst: Vec<tables::Row>,
}

/// The list that goes with a selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListAt {
    /// The document whose list it is.
    pub document: NodeId,
    /// What the list is of ([`Query::of`]): the outermost text around the selected bytes, the
    /// bytes of the innermost thing with properties (the same for all bytes that belong to it),
    /// the section of code; what the query says if they are in none.
    pub of: Option<Span>,
    /// How many rows the query finds.
    pub found: u64,
    /// The row that the selection belongs to, or that stays.
    pub place: Option<ListPlace>,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPlace {
    /// Its place in the list, whatever the query.
    pub index: u64,
    /// How many rows: of a text, so many lines.
    pub count: u64,
    /// Its place among those that the query finds; `None` if it is not among them.
    pub place: Option<u64>,
    /// The bytes of its entry; of several lines, those of all.
    pub entry: Span,
    /// What there is to say about it.
    pub about: tables::RowDetails,
}
