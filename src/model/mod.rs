//! What a decoded file is: plain data, without formats, formatting or lifetimes.
//!
//! A [`Document`] has [`Sources`] (the opened file, and bytes unpacked from it), a tree of
//! [`Node`]s whose children are made on demand by an [`Expand`], and [`Diagnostic`]s. The
//! page renders it, [`text`] and `json` render it, JavaScript receives it, tests compare
//! it.
#![forbid(unsafe_code)]
#![deny(
    missing_docs,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation
)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

pub mod account;
mod arena;
pub mod assembly;
mod base;
pub mod blocks;
pub mod data_flow;
mod diagnostic;
pub mod diff;
mod document;
mod expand;
pub mod gate;
mod glob;
mod holes;
pub mod host_images;
#[cfg(feature = "decode")]
mod html;
mod image_graph;
pub mod images;
#[cfg(feature = "decode")]
pub mod json;
pub mod kernel_order;
pub mod kernels;
mod late;
pub mod linkage;
pub mod list;
mod locate;
pub mod modules;
pub mod naming;
mod node;
pub mod occupancy;
mod path;
#[cfg(feature = "decode")]
pub mod report;
mod search;
pub(crate) mod sort;
mod source;
pub mod source_lines;
mod span;
pub mod survey;
pub mod text;
mod value;
mod verdict;

pub use diagnostic::{Diagnostic, Label, RuleInfo, Severity};
pub use document::{
    Capabilities, Coverage, Document, Fact, Findings, InnerDocument, Parts, Summary, Tone,
    late_limit,
};
pub use expand::{Expand, ExpanderId, Late, Rows};
pub use glob::{Step, is_pattern};
pub use holes::Holes;
pub use locate::Leaf;
pub use node::{Area, Bits, Content, DEFAULT, Doc, Known, Node, NodeId, NodeKind, Xref};
pub use path::{PathError, escape, segment};
pub use search::{Hit, Query, Search};
#[cfg(not(target_arch = "wasm32"))]
pub use source::FileSource;
pub use source::{ByteSource, Bytes, MemorySource, SourceError, Sources};
pub use span::{SourceId, Span, Spanned};
pub use value::{Radix, Str, Value};
pub use verdict::{
    DriverModel, Effect, Finding, Import, KnownDevice, Matching, Outcome, Rebuild, Verdict,
};
