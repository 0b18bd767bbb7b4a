//! Sections that hold files: what compilers put into a host's objects and programs for devices,
//! and what else a [dialect](super::dialect::Dialect) says.
//!
//! ```text
//! .llvm.offloading                an OffloadBinary, or several (LLVM, Object/OffloadBinary.cpp)
//! __CLANG_OFFLOAD_BUNDLE__<id>    one image (clang, ClangOffloadBundler.rst)
//! ```

use super::file::ElfFile;
use super::section::{Section, SectionType};
use crate::decode::context::Context;
use crate::decode::format::{self, Opened};
use crate::model::{Doc, Fact, Node, NodeKind};

static OFFLOADING_DOC: Doc = Doc::new(
    "Images for devices, packed by the compiler: the linker takes them out.",
    "LLVM, Object/OffloadBinary.h",
);
static BUNDLE_DOC: Doc = Doc::new(
    "An image for a device. The section's name says which model of offloading it is for, and which target.",
    "clang, ClangOffloadBundler.rst",
);

/// Names of sections with an image start so.
const BUNDLE: &str = "__CLANG_OFFLOAD_BUNDLE__";

/// What a section with images for devices is; `None` for other sections.
pub fn host(section: &Section) -> Option<&'static Doc> {
    if section.kind == SectionType::SHT_LLVM_OFFLOADING || section.name == ".llvm.offloading" {
        return Some(&OFFLOADING_DOC);
    }
    // The host's own is a byte that nobody reads: the host's code is all around it.
    let id = section.name.strip_prefix(BUNDLE)?;
    (!id.starts_with("host")).then_some(&BUNDLE_DOC)
}

/// The documents in sections, by the sections' indices.
pub(super) type Files = Vec<(u64, Opened)>;

/// Opens the files in sections.
pub(super) fn open(cx: &Context<'_>, file: &ElfFile) -> Files {
    let sections = file.sections.iter().filter(|section| {
        section.kind != SectionType::SHT_NOBITS
            && !section.bytes.is_empty()
            && file.dialect.embedded(section).is_some()
    });
    sections
        .filter_map(|section| Some((section.index, format::nested(cx, section.bytes)?)))
        .collect()
}

/// The node of a section that holds a file; `None` for other sections.
pub(super) fn node(file: &ElfFile, section: &Section, files: &Files, node: &Node) -> Option<Node> {
    let (_, opened) = files.iter().find(|(index, _)| *index == section.index)?;
    let document = format::document_node(String::new(), section.bytes, opened);
    Some(Node {
        kind: NodeKind::File,
        summary: Some(format::headline(opened).into()),
        content: document.content,
        value: document.value,
        doc: file.dialect.embedded(section),
        ..node.clone()
    })
}

/// What there is to say about the files in sections.
pub(super) fn facts(file: &ElfFile, files: &Files) -> Vec<Fact> {
    let named = files.iter().filter_map(|(index, opened)| {
        let section = file.section(*index)?;
        Some((section.name.as_str(), section.bytes, opened))
    });
    format::image_facts(file.span, named)
}
