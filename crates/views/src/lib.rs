//! Everything that is shown of a file, as data: [lists](tables) of kernels, images and instructions, its [sizes], the
//! [comparison](diff) of two files, and [reports](report).
//!
//! Depends on facts only, so the page has no decoder in it.
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::disallowed_methods)
)]

pub mod diff;
pub mod kernel_names;
pub mod report;
pub mod sizes;
pub mod step;
pub mod tables;
