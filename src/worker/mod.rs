//! The page and the decoder talk through here.
//!
//! * [`protocol`]: the messages; plain data that both sides know.
//! * [`tree_order`]: the orders of the tree, and the ids of its rows.
//! * `codec` (feature `wasm`): the messages as JavaScript objects.
//! * `client` (feature `ui`): runs in the page; turns requests into futures, tells when the
//!   decoder dies. `deaths` keeps what it died of.
//! * `handler` (feature `decode`): what each request is answered, with one `answer_…` for each
//!   sort of request; no browser in it.
//! * `host` and `blob_source` (feature `worker`): run in the worker, read the file and pass
//!   the messages on to `handler`.

pub mod protocol;
pub mod tree_order;

#[cfg(feature = "decode")]
pub mod answer_bytes;
#[cfg(feature = "decode")]
mod answer_code;
#[cfg(feature = "decode")]
mod answer_diff;
#[cfg(feature = "decode")]
pub mod answer_export;
#[cfg(feature = "decode")]
mod answer_graph;
#[cfg(feature = "decode")]
mod answer_images;
#[cfg(feature = "decode")]
mod answer_list;
#[cfg(feature = "decode")]
mod answer_order;
#[cfg(feature = "decode")]
mod answer_rows;
#[cfg(feature = "decode")]
mod answer_search;
#[cfg(feature = "decode")]
mod answer_verdict;
#[cfg(feature = "worker")]
pub mod blob_source;
#[cfg(feature = "ui")]
pub mod client;
#[cfg(feature = "ui")]
mod client_port;
#[cfg(feature = "ui")]
pub mod client_timer;
#[cfg(feature = "wasm")]
pub mod codec;
#[cfg(feature = "ui")]
pub mod deaths;
#[cfg(feature = "decode")]
pub mod handler;
#[cfg(feature = "worker")]
pub mod host;
