//! The messages between the page and the decoder.
//!
//! Two things travel outside the data, because they must not be copied: the `file` (a `Blob`) of
//! [`Request::Open`], [`Request::Compare`] and [`Request::AddProfile`], and the `bytes` (a `Uint8Array`, transferred) of
//! [`Response::Bytes`]. [`codec`](super::codec) encodes all this. The first variant of [`Message`]
//! must never change: other versions have to be able to read it.

mod code;
mod compare;
mod data_flow;
mod graph;
mod list;
mod profile;
mod request;
mod response;
mod search;
mod step;
mod tree;
pub mod tree_order;
mod verdict;
pub use self::code::{CodeImage, CodeImages, CodeReport, IMAGES_LISTED, SECTIONS_MAX};
pub use self::compare::{CompareForm, CompareReport};
pub use self::data_flow::{
    Aspect, FIRST_FLOW_MAX, FLOW_MAX, FLOW_ROWS_MAX, FlowCell, FlowColumn, FlowColumnKind,
    FlowFact, FlowLoop, FlowOverview, FlowPiece, FlowRow, FlowTable, FlowTopic, LOOPS_MAX,
};
pub use self::graph::{
    BlockEdge, BlockRow, BlocksPage, GraphEdge, GraphModule, GraphPage, GroupRow,
};
pub use self::list::{
    Follow, ListAt, ListPage, ListPlace, ListReading, ListRequest, ROWS_MAX, SurveyReport, Totals,
    TotalsRow, WorstRow,
};
pub use self::profile::{
    CodeSamples, CountedKernel, PROFILED_MAX, ProfileOverview, ProfiledKernel, RejectedKernel,
    STALLS_MAX,
};
pub use self::request::{ExportForm, ReportedCode, Request, SelectionTarget};
pub use self::response::{CodeGuess, Opened, Problem, Response};
pub use self::search::{HitRow, SearchStep};
pub use self::step::{StepHead, StepPlace, StepReport, StepRows};
pub use self::tree::{BYTES_MAX, Detail, KnownRow, LeafRow, PREVIEW, Row, Selected};
pub use self::verdict::{
    FIRST_USED_MAX, IMAGES_MAX, ImagePick, ImagesReport, PICKS_MAX, VerdictReport,
};
use serde::{Deserialize, Serialize};

/// Increment when a message changes. The page refuses a worker with another version: not every host
/// hashes worker files, so after a deployment a browser may combine an old worker with a new page.
pub const PROTOCOL_VERSION: u32 = 32;

/// From the page to the decoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Chosen by the page and repeated in the answer.
    pub id: u32,
    /// The `id` of the [`Request::Open`] whose file this is about. Node ids are only valid within
    /// one file, so the decoder answers [`Response::Failed`] if another file has been opened since.
    /// `None` stands for any open file.
    pub about: Option<u32>,
    /// The request.
    pub request: Request,
}

/// From the decoder to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// The first message: the decoder runs.
    Ready {
        /// Its [`PROTOCOL_VERSION`].
        version: u32,
    },
    /// An answer.
    Answer {
        /// The request's id.
        id: u32,
        /// The answer.
        response: Response,
    },
    /// The decoder has failed and accepts no more requests.
    Crashed {
        /// The panic message.
        message: String,
        /// The request in progress.
        id: Option<u32>,
    },
    /// The decoder has read bytes of a file for the request in progress: a sign of life.
    Working {
        /// Number of bytes since the last message.
        bytes: u64,
    },
}
