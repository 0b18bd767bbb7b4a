//! Answers to requests, one file per kind of request.

pub mod bytes;
pub(super) mod code;
pub(super) mod data_flow;
pub(super) mod diff;
pub mod export;
mod find;
mod fold;
pub(super) mod graph;
pub(super) mod images;
pub(super) mod list;
pub(super) mod order;
pub(super) mod profile;
mod reading;
pub(super) mod report;
pub(super) mod rows;
pub(super) mod search;
pub(super) mod selection;
pub(super) mod sources;
pub(super) mod step;
pub(super) mod verdict;
