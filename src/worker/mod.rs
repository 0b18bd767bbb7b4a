//! The page and the decoder talk through here.
//!
//! * [`protocol`]: the messages; plain data that both sides know.
//! * `codec` (feature `wasm`): the messages as JavaScript objects.
//! * `client` (feature `ui`): runs in the page; turns requests into futures, tells when the
//!   decoder dies. `client::deaths` keeps what it died of.
//! * `handler` (feature `decode`): what each request is answered, with a file in `answers` for
//!   each sort of request; no browser in it.
//! * `host` (feature `worker`): runs in the worker, reads the file (`host::blob_source`) and
//!   passes the messages on to `handler`.

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
