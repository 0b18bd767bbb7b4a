//! The model of a decoded file: plain data, without formats, rendering or lifetimes.
//!
//! A [`Document`] has [`Sources`] (the opened file, and bytes unpacked from it), a tree of
//! [`Node`]s whose children are created on demand by an [`Expand`], and [`Diagnostic`]s. The page
//! renders it, [`text`] and `json` print it, JavaScript receives it, and tests compare it.

pub mod account;
mod arena;
mod deferred;
mod diagnostic;
mod document;
mod documents;
mod effect;
mod evictable;
mod expand;
mod extension;
mod findings;
mod glob;
mod holes;
mod interfaces;
pub mod json;
pub mod lines;
mod locate;
mod node;
mod on_demand;
mod path;
mod search;
pub mod sort;
mod source;
mod span;
pub mod suggest;
mod summary;
pub mod text;
mod value;
mod words;

pub use diagnostic::{Diagnostic, Label, RuleInfo, Severity};
pub use document::PAGE;
pub use document::{Document, deferred_limit};
pub use effect::{Effect, Finding, Outcome};
pub use evictable::Evictable;
pub use expand::{DeferredDocument, Expand, Rows};
pub use extension::Extensions;
pub use findings::{Findings, Parts};
pub use glob::{Step, is_pattern, matches_pattern};
pub use holes::Holes;
pub use interfaces::Interfaces;
pub use locate::Leaf;
pub use node::{
    Area, Bits, Content, DEFAULT, Doc, ExpanderId, KnownValue, Node, NodeId, NodeKind, Xref,
};
pub use on_demand::OnDemand;
pub use path::{PathError, brief, brief_path, escape, is_brief_of, segment};
pub use search::{Hit, Query, Search};
pub use source::{
    ByteSource, Bytes, DeflatedPart, FOLDER_HEAD, FOLDER_MAGIC, Inflation, ListedFile,
    MemorySource, PackedReader, SourceError, Sources, Stream, UnpackedSource, folder_line,
    folder_list, number_of,
};
#[cfg(not(target_arch = "wasm32"))]
pub use source::{FileSource, FolderSource, find_files, folder_files};
pub use span::{SourceId, Span, Spanned};
pub use summary::{Capabilities, Coverage, Fact, InnerDocument, Summary, Tone};
pub use value::{Radix, Str, Value};
