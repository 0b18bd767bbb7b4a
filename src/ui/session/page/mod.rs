//! What the session hears of the page around it: the address, the embedding page, keys, the window.

pub mod address;
pub mod embedder;
pub mod keys;
pub mod media;
pub mod start;
