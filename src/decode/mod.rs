//! From bytes to the [model](crate::model): the formats.
//!
//! [`decode`] takes any bytes and returns a [`Document`]. It walks through all tables once
//! (a *check*, which builds no nodes and reads no payload: kernel code, SPIR-V words, data),
//! collects what is wrong, and leaves behind [`Expand`](crate::model::Expand)ers that make
//! the rows of the tree when somebody opens them. Check and rows use the same record
//! declarations ([`record!`](crate::record), [`layout!`](crate::layout)).
//!
//! Each format is a directory named as its specification names it:
//!
//! * [`elf`]: the container; header, sections, segments, symbols, relocations, notes.
//! * [`zebin`]: what Intel puts into it; `.ze_info`, `.note.intelgt.compat`, GTPin data …
//! * [`dwarf`]: lines and names of the source, wherever there are `.debug_*` sections.
//! * [`spirv`]: what a zebin can be rebuilt from, and a file of its own.
//! * [`igc_debug`]: debug data of programs from before the zebin, with ELF files in it.
//! * [`patch_tokens`]: kernels from before the zebin, recognised.
//! * [`ar`]: archives of binaries for several devices, packages of modules.
//! * [`offload_bundle`]: clang's bundles of the host's code and images for devices.
//! * [`coff`]: objects and programs of Windows, for the images in them.
//! * [`compression`]: zlib and zstd, wherever a format has compressed bytes.
//! * [`offload_binary`]: LLVM's container of device images; what a SYCLBIN is made of.
//! * [`syclbin`]: device code of SYCL with its metadata, in both generations of the format.
//! * [`property_set`]: the metadata of SYCL's device code, as text.
//! * [`demangle`]: names of C++ as people write them.
//! * [`raw`]: everything else.
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
        clippy::panic,
        clippy::cast_possible_truncation
    )
)]

pub mod ar;
pub mod coff;
pub mod compression;
mod context;
pub mod demangle;
pub mod dwarf;
pub mod elf;
pub mod format;
pub mod formats;
pub mod igc_debug;
pub mod layout;
pub mod limits;
pub mod names;
pub mod offload_binary;
pub mod offload_bundle;
pub mod patch_tokens;
pub mod property_set;
pub mod raw;
pub mod reader;
pub mod record;
pub mod records;
pub mod rule;
pub mod rules;
pub mod spirv;
pub mod syclbin;
pub mod table;
pub mod text;
pub mod tree;
pub mod zebin;

pub use context::Context;

use crate::model::{ByteSource, Document, Parts, SourceId, Sources};

/// Decodes a file. Never fails and never panics: what is wrong is a diagnostic, and the
/// bytes are shown all the same.
pub fn decode(source: Box<dyn ByteSource>, name: &str) -> Document {
    let sources = Sources::new(name, source);
    let whole = sources.whole(SourceId::FILE);
    let cx = Context::new(&sources, formats::FORMATS);
    let mut opened = format::open(&cx, whole);
    let root = format::document_node(name.to_owned(), whole, &opened);
    let findings = cx.finish();
    opened.summary.within = findings.within;
    Document::new(Parts {
        sources,
        root,
        expanders: findings.expanders,
        diagnostics: findings.diagnostics,
        rules: findings.rules,
        summary: opened.summary,
        coverage: findings.coverage,
        documents: findings.documents,
        loadable: findings.loadable,
        driver: Some(&zebin::verdict::ComputeRuntime),
    })
}
