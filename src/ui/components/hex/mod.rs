//! Hex view.

mod byte_map;
mod keys;
mod paint;
mod row;
pub mod view;
