//! Answers about decoded files, as functions over documents and their facts. No format is known here, and
//! no format depends on it.
//!
//! The modules of facts are those of [`zeview_core::analysis`].
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::disallowed_methods)
)]

pub mod kernel_order;
pub mod line_costs;
pub mod matrix;
pub mod naming;
pub mod profile;
pub mod survey;
pub mod unread;

pub use zeview_core::analysis::*;
