//! The decoder for other languages, without the page.
//!
//! [`operations`] are what all of them offer. The Python package (`bindings/python`) uses them from
//! outside the crate; `ZeviewDocument` is the class for JavaScript.
//!
//! `ZeviewDocument` works with handles and pages: it returns nodes by id and children by range,
//! never the whole tree at once. `types.ts` declares the returned data, [`dto`] produces it.
//! `www/embed.js` is an example, `npm/` the package that wraps it.
//!
//! * Data crosses in both directions as serde serializes it, natively as JSON ([`js`]). 64-bit values
//!   are `bigint`; positions, sizes and counts are `number` (files are far smaller than 2⁵³ bytes).
//! * Malformed bytes are not an error: they give a document with diagnostics. Exceptions are always
//!   misuse: a node that does not exist, a negative position.
//! * The class keeps the given `Uint8Array` and reads from it on demand, without copying. The array
//!   must not change, nor its buffer be transferred, before `free`.
//! * The script is built for `wasm-bindgen`'s target `web`: await its default export first. In your
//!   own worker, set `self.zeviewHost = false` before that (see [`worker::host`](crate::worker)).

pub mod analysis;
#[cfg(feature = "api")]
mod columns;
pub mod dto;
#[cfg(feature = "api")]
mod exact;
#[cfg(feature = "api")]
pub mod js;
pub mod operations;
pub mod profile;
pub mod verdict;

#[cfg(feature = "api")]
mod document;
#[cfg(feature = "api")]
pub use document::ZeviewDocument;

/// Handwritten TypeScript declarations.
pub const TYPES: &str = include_str!("types.ts");
