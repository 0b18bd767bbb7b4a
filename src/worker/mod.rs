//! Communication between the page and the decoder.
//!
//! * [`protocol`]: the messages, as plain data that both sides share.
//! * `codec` (feature `wasm`): the messages as JavaScript objects.
//! * `client` (feature `ui`): runs in the page; turns requests into futures and reports when the
//!   decoder crashes. `client::crash_log` records the causes.
//! * `handler` (feature `decode`): answers requests, with a file in `answers` for each kind of
//!   request; independent of browsers.
//! * `host` (feature `worker`): runs in the worker, reads the file (`host::blob_source`) and passes
//!   messages to `handler`.

#[cfg(feature = "decode")]
pub mod answers;
pub mod protocol;

#[cfg(feature = "ui")]
pub mod client;
#[cfg(feature = "wasm")]
pub mod codec;
#[cfg(feature = "decode")]
pub mod handler;
#[cfg(feature = "worker")]
pub mod host;
