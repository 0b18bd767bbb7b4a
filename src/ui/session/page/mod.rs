//! Events from outside of the components: URL, embedding page, keys, window.

pub mod address;
pub mod embedder;
pub mod gate;
mod host;
pub mod keys;
pub mod media;
pub mod start;
