//! Sections that contain files. The [dialect](crate::elf::dialect::Dialect) defines which sections do.

use crate::context::Context;
use crate::elf::file::ElfFile;
use crate::elf::section::{Section, SectionType};
use crate::format::{self, OpenedDocument};
use crate::host::Host;
use zeview_core::model::{Fact, Node, NodeKind};

/// The documents in sections, by the sections' indices.
pub(super) type Files = Vec<(u64, OpenedDocument)>;

/// Opens the files in sections, except those that the host's index lists.
pub(super) fn open(cx: &Context<'_>, file: &ElfFile, host: Option<&Host>) -> Files {
    let sections = file.sections.iter().filter(|section| {
        section.kind != SectionType::SHT_NOBITS
            && !section.bytes.is_empty()
            && file.dialect.embedded(section).is_some()
            && !host.is_some_and(|host| host.has_images_in(section.bytes))
    });
    sections
        .filter_map(|section| Some((section.index, format::nested(cx, section.bytes)?)))
        .collect()
}

/// The node of a section that contains a file. Returns `None` for other sections.
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

/// Facts about the files in sections.
pub(super) fn facts(file: &ElfFile, files: &Files) -> Vec<Fact> {
    let named = files.iter().filter_map(|(index, opened)| {
        let section = file.section(*index)?;
        Some((section.name.as_str(), section.bytes, opened))
    });
    format::image_facts(file.span, named)
}
