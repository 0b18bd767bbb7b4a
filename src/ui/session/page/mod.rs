//! Events from outside of the components: URL, embedding page, keys, window.

pub mod address;
pub mod embedder;
mod host;
pub mod keys;
pub mod media;
pub mod start;
