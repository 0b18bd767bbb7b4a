//! The messages between the page and the decoder.
//!
//! Two things travel beside the data, because they must not be copied: the `file` (a `Blob`)
//! of [`Request::Open`] and
//! [`Request::Compare`], and the `bytes` (a `Uint8Array`, transferred) of
//! [`Response::Bytes`]. How all this looks on its way, [`codec`](super::codec) knows. The first
//! variant of [`Message`] stays what it is: whoever has another version must be able to read
//! that much.

mod code;
mod compare;
mod graph;
mod list;
mod request;
mod response;
mod search;
mod tree;
pub mod tree_order;
mod verdict;
pub use self::code::{CodeImage, CodeImages, CodeReport, IMAGES_LISTED, SECTIONS_MAX};
pub use self::compare::{CompareForm, CompareReport};
pub use self::graph::{BlockEdge, BlockRow, BlocksPage, GraphEdge, GraphModule, GraphPage};
pub use self::list::{Follow, ListAt, ListPage, ListPlace, ListRequest, ROWS_MAX, SurveyReport};
pub use self::request::{ExportForm, Request, SelectionTarget};
pub use self::response::{Opened, Problem, Response};
pub use self::search::{HitRow, SearchStep};
pub use self::tree::{BYTES_MAX, Detail, KnownRow, LeafRow, PREVIEW, Row, Selected};
pub use self::verdict::{IMAGES_MAX, ImagePick, ImagesReport, PICKS_MAX, VerdictReport};
use serde::{Deserialize, Serialize};

/// Both sides must have been built with the same. Worker files are not hashed by every
/// host, so after a deploy a browser may combine an old one with a new page: the page
/// refuses another version and says so.
pub const PROTOCOL_VERSION: u32 = 19;

/// From the page to the decoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Chosen by the page; the answer carries the same.
    pub id: u32,
    /// The `id` of the [`Request::Open`] whose file this is about. Nodes of one file mean
    /// nothing in the next, so the decoder answers [`Response::Failed`] when another file
    /// has been opened since. `None`: whatever file is open.
    pub about: Option<u32>,
    /// What is asked.
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
    /// The decoder has failed and must not be asked any more.
    Crashed {
        /// What it said.
        message: String,
        /// The request that it was working on.
        id: Option<u32>,
    },
}
