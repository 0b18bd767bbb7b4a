//! The rows of an ELF file: its header, its tables, and a row for each section.

use std::rc::Rc;

use super::contents::Contents;
use super::embedded::{self, Files};
use super::header_rows::HeaderRows;
use crate::context::Context;
use crate::dwarf::Dwarf;
use crate::elf::file::ElfFile;
use crate::elf::header::Header;
use crate::elf::header_tables::HeaderTable;
use crate::elf::note::Notes;
use crate::elf::read::HeaderReader;
use crate::elf::relocation::{Relocations, Shape};
use crate::elf::section::{Section, SectionHeader, SectionHeaders, SectionType};
use crate::elf::segment::{ProgramHeader, ProgramHeaders};
use crate::elf::string_table::Strings;
use crate::elf::symbol::Symbols;
use crate::host::Host;
use crate::table::{self, TABLE, Table};
use crate::text::plural;
use zeview_core::model::{Area, Doc, Node, NodeKind, Value};

const HEADER_DOC: Doc = Doc::new(
    "The type of the file, and the offsets of its tables.",
    "gABI, ELF Header",
);
const SECTION_HEADERS_DOC: Doc = Doc::new(
    "The name, type, bytes and attributes of each section.",
    "gABI, Section Header",
);
const PROGRAM_HEADERS_DOC: Doc = Doc::new(
    "The segments that are loaded into memory. In zebins only the driver's debug zebins have them.",
    "gABI, Program Header",
);
const NOBITS_DOC: Doc = Doc::new(
    "Zero-initialized data, with no bytes in the file.",
    "gABI, SHT_NOBITS",
);
const INACTIVE_DOC: Doc = Doc::new(
    "The type is SHT_NULL: consumers ignore these bytes.",
    "gABI, SHT_NULL",
);
const STRTAB_DOC: Doc = Doc::new("Names of sections and symbols.", "gABI, String Table");
const SYMTAB_DOC: Doc = Doc::new(
    "Functions, variables, and undefined symbols.",
    "gABI, Symbol Table",
);
const RELOCATIONS_DOC: Doc = Doc::new(
    "Relocations: places that are patched when the file is linked or loaded.",
    "gABI, Relocation",
);
const NOTES_DOC: Doc = Doc::new(
    "Notes; each has an owner, a type and a description.",
    "gABI, Note Section",
);

pub(super) fn header_node(cx: &Context<'_>, file: &ElfFile) -> Node {
    let rows = cx.register(Rc::new(HeaderRows {
        span: file.header.origin,
        class: file.class,
        endian: file.endian,
        dialect: Rc::clone(&file.dialect),
    }));
    Node::new(NodeKind::Record, "ELF header", file.header.origin)
        .area(Area::Header)
        .children(rows, HeaderRows::FIELDS, Some(Header::COUNT))
        .doc(&HEADER_DOC)
}

pub(super) fn section_headers_node(
    cx: &Context<'_>,
    file: &Rc<ElfFile>,
    table: HeaderTable,
) -> Node {
    let entries = Table {
        span: table.span,
        endian: file.endian,
        entries: SectionHeaders {
            class: file.class,
            endian: file.endian,
            stride: table.stride,
            file: Rc::clone(file),
        },
    };
    let count = entries.len();
    table.gaps(cx, SectionHeader::size(file.class));
    let rows = cx.register(Rc::new(entries));
    Node::new(NodeKind::Table, "section headers", table.span)
        .area(Area::Header)
        .summary(plural(count, "header"))
        .children(rows, TABLE, Some(count))
        .doc(&SECTION_HEADERS_DOC)
}

pub(super) fn program_headers_node(
    cx: &Context<'_>,
    start: &HeaderReader,
    table: HeaderTable,
) -> Node {
    let entries = Table {
        span: table.span,
        endian: start.endian,
        entries: ProgramHeaders {
            class: start.class,
            endian: start.endian,
            stride: table.stride,
            file: start.span,
        },
    };
    let count = entries.len();
    table.gaps(cx, ProgramHeader::size(start.class));
    let rows = cx.register(Rc::new(entries));
    Node::new(NodeKind::Table, "program headers", table.span)
        .area(Area::Header)
        .summary(plural(count, "header"))
        .children(rows, TABLE, Some(count))
        .doc(&PROGRAM_HEADERS_DOC)
}

/// The parts of a file that the nodes of its sections are built from.
pub(super) struct SectionNodes<'a> {
    pub(super) file: &'a Rc<ElfFile>,
    pub(super) contents: &'a dyn Contents,
    pub(super) dwarf: Option<&'a Rc<Dwarf>>,
    pub(super) embedded: &'a Files,
    pub(super) host: Option<&'a Host>,
}

impl SectionNodes<'_> {
    /// The node of a section's bytes. Returns `None` for the null section.
    pub(super) fn section_node(&self, cx: &Context<'_>, section: &Section) -> Option<Node> {
        let file = self.file;
        let named = |kind: NodeKind| {
            let name = if section.name.is_empty() {
                format!("section {}", section.index)
            } else {
                section.name.clone()
            };
            let header = format!("[{}]", section.index);
            let node = Node::new(kind, name, section.bytes);
            let node = node.xref("section header", header, section.header);
            self.described(section, node)
        };
        if section.kind == SectionType::SHT_NULL {
            return (section.index != 0 && !section.bytes.is_empty()).then(|| {
                let node = named(NodeKind::Blob).value(Value::Bytes);
                with_doc(node.summary("inactive"), &INACTIVE_DOC)
            });
        }
        if section.kind == SectionType::SHT_NOBITS {
            let node = named(NodeKind::Blob);
            let node = node.summary(format!("{} bytes in memory", section.size));
            return Some(with_doc(node, &NOBITS_DOC));
        }
        if let Some(packed) = file.packed(section.index) {
            let contents = packed.plain.as_ref().and_then(|plain| {
                let node = Node::new(NodeKind::Blob, plain.name.clone(), plain.bytes);
                self.contents_node(cx, plain, self.described(plain, node))
            });
            return Some(packed.node(cx, named(NodeKind::Blob), contents));
        }
        self.contents_node(cx, section, named(NodeKind::Blob))
    }

    /// Adds the section's own facts to `node`, the node of its bytes.
    fn described(&self, section: &Section, node: Node) -> Node {
        let mut node = self.contents.describe(section, node);
        if node.area == Area::Inherit {
            node.area = area_of(section);
        }
        node
    }

    /// The node of a section with rows for its contents; `node` is the one without them.
    fn contents_node(&self, cx: &Context<'_>, section: &Section, node: Node) -> Option<Node> {
        let file = self.file;
        // Tables defined by ELF stay tables, even if a wrong size puts the image index into them.
        let is_table = matches!(
            section.kind,
            SectionType::SHT_STRTAB
                | SectionType::SHT_SYMTAB
                | SectionType::SHT_DYNSYM
                | SectionType::SHT_REL
                | SectionType::SHT_RELA
                | SectionType::SHT_NOTE
        );
        let indexed = || self.host.filter(|_| !is_table)?.node(cx, node.clone());
        let particular = embedded::node(file, section, self.embedded, &node)
            .or_else(indexed)
            .or_else(|| Dwarf::node(self.dwarf, cx, section, node.clone()))
            .or_else(|| self.contents.node(cx, section, self.dwarf, &node));
        if particular.is_some() {
            return particular;
        }
        let named = |kind: NodeKind| Node { kind, ..node };
        Some(match section.kind {
            SectionType::SHT_STRTAB if cx.may_walk(section.bytes) => {
                let rows = cx.register(Rc::new(Strings::new(section.bytes)));
                with_doc(named(NodeKind::Table), &STRTAB_DOC).children(rows, 0, None)
            }
            SectionType::SHT_SYMTAB | SectionType::SHT_DYNSYM => {
                let entries = Table {
                    span: section.bytes,
                    endian: file.endian,
                    entries: Symbols {
                        class: file.class,
                        endian: file.endian,
                        file: Rc::clone(file),
                        names: section.link,
                    },
                };
                let node = with_doc(named(NodeKind::Table), &SYMTAB_DOC);
                table_node(cx, node, entries, "symbol")
            }
            SectionType::SHT_REL | SectionType::SHT_RELA => {
                let shape = Shape::of(file, section)?;
                let entries = Table {
                    span: section.bytes,
                    endian: file.endian,
                    entries: Relocations {
                        shape,
                        file: Rc::clone(file),
                        symbols: section.link,
                        target: section.info,
                    },
                };
                let node = with_doc(named(NodeKind::Table), &RELOCATIONS_DOC);
                let node = table_node(cx, node, entries, "relocation");
                match file.section(section.info).filter(|t| t.index != 0) {
                    Some(target) => node.xref("patches", target.label(), target.bytes),
                    None => node,
                }
            }
            SectionType::SHT_NOTE => notes_node(cx, file, section, named(NodeKind::Table)),
            _ => named(NodeKind::Blob).value(Value::Bytes),
        })
    }
}

/// Sets the documentation of a node that has none.
fn with_doc(node: Node, doc: &'static Doc) -> Node {
    match node.doc {
        Some(_) => node,
        None => node.doc(doc),
    }
}

fn table_node<E: table::Entries + 'static>(
    cx: &Context<'_>,
    node: Node,
    table: Table<E>,
    entry: &str,
) -> Node {
    let count = table.len();
    let rows = count + u64::from(!table.remainder().is_empty());
    node.summary(plural(count, entry))
        .children(cx.register(Rc::new(table)), TABLE, Some(rows))
}

/// The node of a note section, checked.
fn notes_node(cx: &Context<'_>, file: &ElfFile, section: &Section, node: Node) -> Node {
    let owners = file.dialect.note_owners();
    let notes = Notes::walk(cx, section.bytes, file.endian, owners);
    let count = notes.list().len() as u64;
    with_doc(node, &NOTES_DOC)
        .summary(plural(count, "note"))
        .children(cx.register(Rc::new(notes)), Notes::SECTION, None)
}

fn area_of(section: &Section) -> Area {
    let name = section.name.as_str();
    match section.kind {
        SectionType::SHT_STRTAB
        | SectionType::SHT_SYMTAB
        | SectionType::SHT_DYNSYM
        | SectionType::SHT_REL
        | SectionType::SHT_RELA => Area::Symbol,
        SectionType::SHT_NOTE => Area::Note,
        _ if name.starts_with(".debug") => Area::Debug,
        _ if name.starts_with(".text") => Area::Code,
        _ if name.starts_with(".data") || name.starts_with(".bss") => Area::Data,
        _ => Area::Inherit,
    }
}
