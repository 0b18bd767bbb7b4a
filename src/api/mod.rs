//! The decoder for those who embed it in JavaScript without the page.
//!
//! `ZeviewDocument` is a class with handles and pages: it hands out nodes by id, children by
//! range, and never the whole tree at once. `types.ts` describes what it returns, [`dto`]
//! makes it. `www/embed.js` is an example, `npm/` the package that wraps it.
//!
//! * Values of 64 bits are `bigint`; positions, sizes and counts are `number` (files end far
//!   below 2⁵³).
//! * Bytes that make no sense are no error: they give a document whose diagnostics say so.
//!   What is thrown is always misuse: a node that there is not, a negative position.
//! * The class keeps the given `Uint8Array` and reads from it when it is asked; it copies
//!   nothing. The array must not change, nor its buffer be transferred, before `free`.
//! * The script is made for `wasm-bindgen`'s target `web`: await its default export first.
//!   In a worker of one's own, say `self.zeviewHost = false` before that (see
//!   [`worker::host`](crate::worker)).

pub mod dto;
#[cfg(feature = "api")]
pub mod js;

#[cfg(feature = "api")]
mod document;
#[cfg(feature = "api")]
pub use document::ZeviewDocument;

/// The declarations for TypeScript, written by hand.
pub const TYPES: &str = include_str!("types.ts");
