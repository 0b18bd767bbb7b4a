//! Decodes bytes into the [model](zeview_core::model), one module per format.
//!
//! [`decode`] takes any bytes and returns a [`Document`]. It makes one pass over all tables
//! (a *check*, which builds no nodes and reads no payload: kernel code, SPIR-V words, data),
//! collects the diagnostics, and creates the [`Expand`](zeview_core::model::Expand)ers that build
//! the rows of the tree on demand. Checks and rows use the same record declarations ([`record!`](macro@crate::record), [`layout!`](macro@crate::layout)).
//!
//! Each format has its own module, named as in its specification:
//!
//! * [`elf`]: the container; header, sections, segments, symbols, relocations, notes.
//! * [`elf_document`]: an ELF file with its debug information and device images.
//! * [`zebin`]: Intel's sections: `.ze_info`, `.note.intelgt.compat`, GTPin data …
//! * [`dwarf`]: source lines and names, from `.debug_*` sections.
//! * [`spirv`]: modules, which the driver can recompile, in zebins and as separate files.
//! * [`bitcode`]: LLVM bitcode, in objects; detected only.
//! * [`igc_debug`]: debug data of programs that predate the zebin; contains ELF files.
//! * [`isa`]: the instructions in text sections; decoding and their text.
//! * [`patch_tokens`]: kernels that predate the zebin; detected only.
//! * [`ar`]: archives of binaries for several devices, packages of modules.
//! * [`offload_bundle`]: clang's bundles of host code and device images.
//! * [`coff`]: Windows objects and programs, for the images in them.
//! * [`host`]: device images in host libraries and programs, and their index.
//! * [`zip`], [`tar`], [`gzip`]: packages of files, such as wheels.
//! * [`wrapper`]: files that are compressed by xz, bzip2 or zstd.
//! * [`cache`]: caches of compiled programs, of SYCL and of the driver.
//! * [`carve`]: images without an index, found by their signatures.
//! * [`folder`]: the files of a folder as one document.
//! * [`compression`]: zlib, deflate and zstd, for all formats with compressed bytes.
//! * [`offload_binary`]: LLVM's container of device images; the base of SYCLBIN.
//! * [`syclbin`]: device code of SYCL with its metadata, in both generations of the format.
//! * [`property_set`]: the metadata of SYCL's device code, as text.
//! * [`device`]: the devices and their names, for all formats that name a target.
//! * [`demangle`]: demangles C++ names.
//! * [`raw`]: everything else.
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::disallowed_methods)
)]

pub mod ar;
pub mod bitcode;
pub mod cache;
pub mod carve;
mod code_figures;
pub mod coff;
pub mod compression;
mod context;
pub mod demangle;
pub mod device;
pub mod dwarf;
pub mod elf;
pub mod elf_document;
pub mod folder;
pub mod format;
pub mod formats;
pub mod gzip;
pub mod host;
pub mod igc_debug;
pub use zeview_isa as isa;
pub mod layout;
pub mod limits;
pub mod names;
pub mod offload_binary;
pub mod offload_bundle;
mod package;
pub mod patch_tokens;
pub mod property_set;
pub mod raw;
pub use zeview_core::reader;
pub mod record;
pub mod records;
pub mod rule;
pub mod rules;
pub mod spirv;
pub mod syclbin;
pub mod table;
pub mod tar;
pub mod text;
pub mod tree;
pub mod wrapper;
pub mod zebin;
pub mod zip;

pub use context::Context;

use zeview_core::model::{ByteSource, Document, Parts, SourceId, Sources, Span, Summary};

/// The summary of a document within a decoded file. Opens the document again and keeps only its
/// summary, so the document must not contain others.
pub fn summary(sources: &Sources, span: Span) -> Summary {
    format::summary(sources, formats::FORMATS, span)
}

/// Decodes a file. Never fails and never panics: errors become diagnostics, and the bytes are shown
/// regardless.
pub fn decode(source: Box<dyn ByteSource>, name: &str) -> Document {
    let sources = Sources::new(name, source);
    let whole = sources.whole(SourceId::FILE);
    let cx = Context::new(&sources, formats::FORMATS);
    let opened = format::open(&cx, whole);
    let root = format::document_node(name.to_owned(), whole, &opened);
    let findings = cx.finish();
    document(Parts {
        sources,
        root,
        summary: opened.summary,
        findings,
    })
}

/// Decodes a file as code without a container, in an encoding: the file is one kernel.
pub fn decode_code(source: Box<dyn ByteSource>, name: &str, platform: isa::Platform) -> Document {
    let sources = Sources::new(name, source);
    let whole = sources.whole(SourceId::FILE);
    let cx = Context::new(&sources, formats::FORMATS);
    let opened = raw::code::open(&cx, whole, name, platform);
    let root = format::document_node(name.to_owned(), whole, &opened);
    let findings = cx.finish();
    document(Parts {
        sources,
        root,
        summary: opened.summary,
        findings,
    })
}

fn document(parts: Parts) -> Document {
    let mut document = Document::new(parts);
    document.set_driver(&zebin::verdict::ComputeRuntime);
    document
}
