//! What the decoder answers.

use super::code::{CodeImages, CodeReport};
use super::compare::CompareReport;
use super::graph::{BlocksPage, GraphPage};
use super::list::{ListAt, ListPage, SurveyReport};
use super::search::HitRow;
use super::tree::{LeafRow, Row, Selected};
use super::verdict::VerdictReport;
use crate::analysis::occupancy::Occupancy;
use crate::diff::DifferenceIndex;
use crate::model::{Coverage, Diagnostic, RuleInfo, Span, Str, Summary};
use crate::tables;
use serde::{Deserialize, Serialize};

/// What the decoder answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// To [`Request::Open`].
    Opened(Box<Opened>),
    /// To [`Request::Rows`].
    Rows {
        /// How many children there are.
        count: u64,
        /// The children.
        rows: Vec<Row>,
    },
    /// To [`Request::Select`].
    Selected(Box<Selected>),
    /// To [`Request::Bytes`]; the bytes travel as `bytes`.
    Bytes {
        /// The bytes that were read: what was asked for, cut off at the source's end.
        span: Span,
        /// The leaves in them, by position.
        leaves: Vec<LeafRow>,
    },
    /// To [`Request::Search`] when not all was looked at.
    Searching {
        /// How far it is, in percent.
        percent: u8,
    },
    /// To [`Request::Search`] at its end.
    Hits {
        /// The best first, then in the order of the tree.
        hits: Vec<HitRow>,
        /// There may be more.
        more: bool,
    },
    /// To [`Request::Export`] and all others that ask for text.
    Text(String),
    /// To [`Request::Verdict`].
    Verdict(Box<VerdictReport>),
    /// To [`Request::Graph`], of modules or images.
    Graph(Box<GraphPage>),
    /// To [`Request::Graph`], of basic blocks.
    Blocks(Box<BlocksPage>),
    /// To [`Request::Rules`].
    Rules(Vec<RuleInfo>),
    /// To [`Request::Texts`].
    Texts(Vec<Row>),
    /// To [`Request::Occupancy`].
    Occupancy(Box<Occupancy>),
    /// To [`Request::Code`].
    Code(Box<CodeReport>),
    /// To [`Request::CodeImages`].
    CodeImages(Box<CodeImages>),
    /// To [`Request::Compare`].
    Compared(Box<CompareReport>),
    /// To [`Request::DifferenceIndex`]: what differs of the first file, and of the second.
    Differing(Box<(DifferenceIndex, DifferenceIndex)>),
    /// To [`ListRequest::Rows`].
    List(Box<ListPage>),
    /// To [`ListRequest::Survey`].
    Survey(Box<SurveyReport>),
    /// To [`ListRequest::At`]; nothing if no document has such a list.
    ListAt(Option<Box<ListAt>>),
    /// To [`ListRequest::Find`]; nothing if there is none.
    Match(Option<tables::Match>),
    /// It could not be done: the file has changed on disk, there is no such node.
    Failed {
        /// Why, in words for people.
        message: String,
        /// The bytes cannot be had any more: the file was changed, moved or deleted since
        /// it was chosen. Every further read will fail; choosing it anew helps.
        changed: bool,
    },
}

/// A file that has been decoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// The file in a few lines.
    pub summary: Summary,
    /// How its bytes are accounted for.
    pub coverage: Coverage,
    /// The root of the tree.
    pub root: Row,
    /// The first of the root's children (at most [`ROWS_MAX`]).
    pub rows: Vec<Row>,
    /// What was found, by position.
    pub diagnostics: Vec<Problem>,
    /// The rules that fired.
    pub rules: Vec<RuleInfo>,
    /// How many rows the tree by kernel has below the root; `None` for a file without kernels.
    pub by_kernel: Option<u64>,
    /// The devices of [`Request::Verdict`], by name.
    pub devices: Vec<Str>,
    /// How many bytes were read for all this.
    pub bytes_read: u64,
    /// How long it took, in milliseconds.
    pub millis: f64,
}

/// A diagnostic and where it stands in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The path of the node that its bytes belong to.
    pub path: String,
}
