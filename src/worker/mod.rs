//! The page and the decoder talk through here.
//!
//! * [`protocol`]: the messages; plain data that both sides know.
//! * `codec` (feature `wasm`): the messages as JavaScript objects.
//! * `client` (feature `ui`): runs in the page; turns requests into futures, tells when the
//!   decoder dies. `deaths` keeps what it died of.
//! * `answer` (feature `decode`): what each request is answered; no browser in it.
//! * `host` and `blob_source` (feature `worker`): run in the worker, read the file and pass
//!   the messages on to `answer`.

pub mod protocol;

#[cfg(feature = "decode")]
pub mod answer;
#[cfg(feature = "decode")]
mod answer_kernels;
#[cfg(feature = "decode")]
mod answer_lists;
#[cfg(feature = "decode")]
mod answer_modules;
#[cfg(feature = "decode")]
mod answer_text;
#[cfg(feature = "decode")]
mod answer_verdict;
#[cfg(feature = "worker")]
pub mod blob_source;
#[cfg(feature = "ui")]
pub mod client;
#[cfg(feature = "ui")]
mod client_port;
#[cfg(feature = "ui")]
mod client_reply;
#[cfg(feature = "ui")]
pub mod client_table;
#[cfg(feature = "ui")]
pub mod client_timer;
#[cfg(feature = "wasm")]
pub mod codec;
#[cfg(feature = "ui")]
pub mod deaths;
#[cfg(feature = "worker")]
pub mod host;
