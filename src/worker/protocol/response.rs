//! Answers of the decoder.

use super::code::{CodeImages, CodeReport};
use super::compare::CompareReport;
use super::data_flow::FlowOverview;
use super::graph::{BlocksPage, GraphPage};
use super::list::{ListAt, ListPage, ListReading, SurveyReport, WorstRow};
use super::profile::{CodeSamples, ProfileOverview};
use super::search::HitRow;
use super::step::{StepReport, StepRows};
use super::tree::{LeafRow, Row, Selected};
use super::verdict::VerdictReport;
use crate::analysis::occupancy::Occupancy;
use crate::diff::DifferenceIndex;
use crate::model::{Coverage, Diagnostic, RuleInfo, SourceId, Span, Str, Summary};
use crate::step::StepLine;
use crate::tables;
use serde::{Deserialize, Serialize};

/// An answer of the decoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// To [`Request::Open`](super::Request::Open).
    Opened(Box<Opened>),
    /// To [`Request::Rows`](super::Request::Rows).
    Rows {
        /// Number of children.
        count: u64,
        /// The children.
        rows: Vec<Row>,
    },
    /// To [`Request::Select`](super::Request::Select).
    Selected(Box<Selected>),
    /// To [`Request::Bytes`](super::Request::Bytes); the bytes travel as `bytes`.
    Bytes {
        /// The bytes that were read: the requested range, clipped to the end of the source.
        span: Span,
        /// The leaves in them, by position.
        leaves: Vec<LeafRow>,
    },
    /// To [`Request::Search`](super::Request::Search) before its end.
    Searching {
        /// Progress, in percent.
        percent: u8,
    },
    /// To [`Request::Search`](super::Request::Search) at its end.
    Hits {
        /// Best first, then in the order of the tree.
        hits: Vec<HitRow>,
        /// Whether there may be more.
        more: bool,
    },
    /// To [`Request::Export`](super::Request::Export) and other requests for text.
    Text(String),
    /// To [`Request::Verdict`](super::Request::Verdict).
    Verdict(Box<VerdictReport>),
    /// To [`Request::Graph`](super::Request::Graph), of modules or images.
    Graph(Box<GraphPage>),
    /// To [`Request::Graph`](super::Request::Graph), of basic blocks.
    Blocks(Box<BlocksPage>),
    /// To [`Request::Step`](super::Request::Step).
    Step(Box<StepReport>),
    /// To [`Request::StepLines`](super::Request::StepLines).
    /// The second list describes the instructions, one entry per line; it is empty for other columns.
    StepLines(Vec<StepLine>, Vec<tables::CodeRow>),
    /// To [`Request::StepRows`](super::Request::StepRows).
    StepRows(StepRows),
    /// To [`Request::Rules`](super::Request::Rules).
    Rules(Vec<RuleInfo>),
    /// To [`Request::Texts`](super::Request::Texts).
    Texts(Vec<Row>),
    /// To [`Request::Occupancy`](super::Request::Occupancy).
    Occupancy(Box<Occupancy>),
    /// To [`Request::Code`](super::Request::Code).
    Code(Box<CodeReport>),
    /// To [`Request::DataFlow`](super::Request::DataFlow).
    DataFlow(Box<FlowOverview>),
    /// To [`Request::PrepareCode`](super::Request::PrepareCode), whether there is code or not, and to
    /// [`Request::AddProfile`](super::Request::AddProfile) at the end of a part.
    Prepared,
    /// To [`Request::AddProfile`](super::Request::AddProfile) before its end.
    ReadingProfile {
        /// Progress, in percent.
        percent: u8,
    },
    /// To [`Request::AddProfile`](super::Request::AddProfile) at its end.
    Profile(Box<ProfileOverview>),
    /// To [`Request::CodeSamples`](super::Request::CodeSamples); `None` without a profile.
    CodeSamples(Option<Box<CodeSamples>>),
    /// To [`Request::CodeImages`](super::Request::CodeImages).
    CodeImages(Box<CodeImages>),
    /// To [`Request::Compare`](super::Request::Compare) while kernels are read; both files count.
    Comparing(ListReading),
    /// To [`Request::Compare`](super::Request::Compare).
    Compared(Box<CompareReport>),
    /// To [`Request::Differing`](super::Request::Differing): the bytes of the first and of the second file that differ.
    Differing(Box<(DifferenceIndex, DifferenceIndex)>),
    /// To [`Request::BasePath`](super::Request::BasePath): the path of the node that is the whole
    /// source; `None` if no node is.
    BasePath(Option<String>),
    /// To [`Request::SourceNumbers`](super::Request::SourceNumbers): the given number, and that of
    /// this decoder, for each source that it has unpacked too.
    SourceNumbers(Vec<(SourceId, SourceId)>),
    /// To [`ListRequest::Rows`](super::ListRequest::Rows).
    List(Box<ListPage>),
    /// To [`ListRequest::Survey`](super::ListRequest::Survey).
    Survey(Box<SurveyReport>),
    /// To [`ListRequest::Worst`](super::ListRequest::Worst).
    Worst(Vec<WorstRow>),
    /// To [`ListRequest::At`](super::ListRequest::At); `None` if no document has such a list.
    ListAt(Option<Box<ListAt>>),
    /// To [`ListRequest::Find`](super::ListRequest::Find); `None` if there is no match.
    Match(Option<tables::Match>),
    /// The request failed: the file has changed on disk, or there is no such node.
    Failed {
        /// The error message.
        message: String,
        /// Whether the bytes are gone: the file was changed, moved or deleted since it was opened.
        /// All further reads fail until it is opened again.
        changed: bool,
    },
}

/// The encodings as which a file of an unknown format can be opened, and a guess which one it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeGuess {
    /// The guess and how sure it is, a sentence.
    pub text: String,
    /// Number of the encodings that are likely.
    pub likely: u32,
    /// The names of the encodings, the most likely first.
    pub encodings: Vec<Str>,
}

/// A decoded file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Summary of the file.
    pub summary: Summary,
    /// The device that it names itself; may be empty.
    pub device: Str,
    /// How its bytes are accounted for.
    pub coverage: Coverage,
    /// The root of the tree.
    pub root: Row,
    /// The first of the root's children (at most [`ROWS_MAX`](super::ROWS_MAX)).
    pub rows: Vec<Row>,
    /// Diagnostics, by position.
    pub diagnostics: Vec<Problem>,
    /// The rules that fired.
    pub rules: Vec<RuleInfo>,
    /// Number of rows below the root of the tree by kernel; `None` for a file without kernels.
    pub by_kernel: Option<u64>,
    /// Names of the devices for [`Request::Verdict`](super::Request::Verdict).
    pub devices: Vec<Str>,
    /// How it can be opened as code without a container, if its format is unknown.
    pub code: Option<CodeGuess>,
    /// Number of bytes read so far.
    pub bytes_read: u64,
    /// Time taken, in milliseconds.
    pub millis: f64,
}

/// A diagnostic and its location in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The path of the node that contains its bytes.
    pub path: String,
}
