//! The page and the decoder talk through here.
//!
//! * [`protocol`]: the messages; plain data that both sides know.
//! * `client` (feature `ui`): runs in the page; turns requests into futures, starts the
//!   decoder anew when it dies.
//! * `host` and `blob_source` (feature `worker`): run in the worker, own the
//!   [`Document`](crate::model::Document), and answer.

pub mod protocol;

#[cfg(feature = "worker")]
mod blob_source;
#[cfg(feature = "ui")]
pub mod client;
#[cfg(feature = "worker")]
pub mod host;
