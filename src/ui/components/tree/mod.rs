//! The tree of a file.

mod keys;
mod row;
pub mod view;
