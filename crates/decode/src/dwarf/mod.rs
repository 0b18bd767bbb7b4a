//! DWARF: maps instructions to source lines, and describes the names in the source. It occurs in
//! zebins that were built with `-g`, in the vISA debug ELF of IGC's program debug data, and in any
//! other ELF file with `.debug_*` sections. Follows DWARF 5 and 4, and the Intel extensions that
//! IGC's debug information library writes.
//!
//! A check does not read the debug sections. When one of them is opened, all of them are read and
//! decoded with gimli (`sections`): `.debug_info`, `.debug_abbrev`, `.debug_line`, `.debug_loc` and
//! `.debug_ranges`. The other sections are read only for references from these, and are shown as
//! strings or bytes.

mod abbrev;
mod attribute;
mod cursor;
mod expression;
mod info;
mod line;
mod line_header;
mod line_machine;
mod lists;
mod paged;
mod relocate;
mod scopes;
mod section;
mod sections;
mod table;

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

pub use self::section::Line;
use self::section::Part;
use self::sections::DebugSections;
use super::elf::file::ElfFile;
use super::elf::section::{Section, SectionType};
use super::elf::string_table::Strings;
use super::{Context, raw};
use zeview_core::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

/// The DWARF of an ELF file.
pub struct Dwarf {
    file: Rc<ElfFile>,
    /// `None` if they exceed the limit for decoding.
    sections: OnceCell<Option<DebugSections>>,
}

const SECTION_DOC: Doc = Doc {
    text: "Debug information: it maps instructions and registers to source lines and names.",
    source: "DWARF 5, 7 Data Representation",
    known: &[],
};

impl Dwarf {
    /// Returns the DWARF of a file. Returns `None` if it has no section that can be decoded.
    pub fn of(file: &Rc<ElfFile>) -> Option<Rc<Dwarf>> {
        let is_there = |part: Part| file.debug_section(part.name()).is_some();
        Part::ALL.into_iter().any(is_there).then(|| {
            Rc::new(Dwarf {
                file: Rc::clone(file),
                sections: OnceCell::new(),
            })
        })
    }

    /// Returns the sections; reads them on first use.
    fn sections(&self, sources: &Sources) -> Option<&DebugSections> {
        let read = || DebugSections::read(&self.file, sources);
        self.sections.get_or_init(read).as_ref()
    }

    /// Returns the line of the byte at an offset of the code section with this index.
    pub fn line_at(&self, section: u64, offset: u64, sources: &Sources) -> Option<Line> {
        let sections = self.sections(sources)?;
        sections.line_at(sections.lines(section)?, offset)
    }

    /// Returns the node of a section, if it is a DWARF section.
    pub fn node(
        dwarf: Option<&Rc<Dwarf>>,
        cx: &Context<'_>,
        section: &Section,
        mut node: Node,
    ) -> Option<Node> {
        let name = section.name.strip_prefix(".debug_")?;
        if section.kind != SectionType::SHT_PROGBITS {
            return None;
        }
        if let Some(text) = title(name) {
            node = node.summary(text).doc(&SECTION_DOC);
        }
        if matches!(name, "str" | "line_str") && cx.may_walk(section.bytes) {
            node.kind = NodeKind::Table;
            let rows = cx.register(Rc::new(Strings::new(section.bytes)));
            return Some(node.children(rows, 0, None));
        }
        let rows = dwarf.and_then(|dwarf| PartRows::of(dwarf, section));
        Some(match rows {
            Some(rows) => {
                node.kind = NodeKind::Table;
                node.children(cx.register(Rc::new(rows)), sections::TOP, None)
            }
            None => node.value(Value::Bytes),
        })
    }
}

/// Produces the rows of a section.
struct PartRows {
    dwarf: Rc<Dwarf>,
    part: Part,
    span: Span,
}

impl PartRows {
    /// Returns `None` for all but the first section with a name.
    fn of(dwarf: &Rc<Dwarf>, section: &Section) -> Option<PartRows> {
        let mut parts = Part::ALL.into_iter();
        let part = parts.find(|part| part.name() == section.name)?;
        let first = dwarf.file.debug_section(part.name())?;
        let is_first = first.index == section.index && !section.bytes.is_empty();
        is_first.then(|| PartRows {
            dwarf: Rc::clone(dwarf),
            part,
            span: section.bytes,
        })
    }
}

impl Expand for PartRows {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        match self.dwarf.sections(sources) {
            Some(sections) => sections.answer(self.part, item, None).0,
            None => 1,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        match self.dwarf.sections(out.sources) {
            Some(sections) => {
                for node in sections.answer(self.part, item, Some(range)).1 {
                    out.push(node);
                }
            }
            None => out.push(raw::too_large(self.span)),
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let sections = self.dwarf.sections(sources)?;
        let offset = usize::try_from(offset.checked_sub(self.span.start)?).ok()?;
        Some(Vec::from_iter(sections.row_at(self.part, item, offset)))
    }
}

/// Returns the title of a debug section. DWARF 5, section 6 and 7.
fn title(name: &str) -> Option<&'static str> {
    Some(match name {
        "abbrev" => "DWARF abbreviations",
        "addr" => "DWARF addresses",
        "aranges" => "DWARF address ranges of units",
        "frame" => "DWARF call frame information",
        "info" => "DWARF debugging entries",
        "line" => "DWARF line table",
        "line_str" => "DWARF strings of the line table",
        "loc" | "loclists" => "DWARF location lists",
        "macinfo" | "macro" => "DWARF macros",
        "names" | "pubnames" | "pubtypes" => "DWARF names",
        "ranges" | "rnglists" => "DWARF range lists",
        "str" => "DWARF strings",
        "str_offsets" => "DWARF string offsets",
        "types" => "DWARF types",
        _ => return None,
    })
}
