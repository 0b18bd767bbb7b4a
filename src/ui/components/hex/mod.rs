//! The bytes of a file.

mod byte_map;
mod keys;
mod paint;
mod row;
pub mod view;
