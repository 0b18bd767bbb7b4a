//! What zeview knows of a file, without knowing any format: the [`model`] of decoded bytes, and the facts that
//! formats provide for the [`analysis`] of kernels, images and code.
//!
//! The decoder, the lists, the command line and the page share these types; nothing here reads a format.
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::disallowed_methods)
)]

pub mod analysis;
pub mod model;
pub mod reader;
