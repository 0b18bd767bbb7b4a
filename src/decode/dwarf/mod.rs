//! DWARF: which instruction came from which line, and what the names in the source are. In a
//! zebin that was built with `-g`, in the vISA debug ELF of IGC's program debug data, and in
//! any other ELF file with `.debug_*` sections. Follows DWARF 5 and 4; of Intel's extensions
//! what IGC's debug information library writes.
//!
//! A check reads none of it. When somebody opens one of the sections, all of them are read and
//! taken apart with gimli (`sections`): `.debug_info`, `.debug_abbrev`, `.debug_line`,
//! `.debug_loc` and `.debug_ranges`; the others are read for what these refer to, and shown as
//! strings or bytes.

mod abbrev;
mod attribute;
mod cursor;
mod expression;
mod info;
mod line;
mod line_header;
mod lists;
mod relocate;
mod sections;

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use self::sections::DebugSections;
use super::elf::ElfFile;
use super::elf::section::{Section, SectionType};
use super::elf::string_table::Strings;
use super::{Context, raw};
use crate::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

/// A section that is taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Info,
    Abbrev,
    Line,
    Loc,
    Ranges,
}

impl Part {
    const ALL: [Part; 5] = [
        Part::Info,
        Part::Abbrev,
        Part::Line,
        Part::Loc,
        Part::Ranges,
    ];

    fn name(self) -> &'static str {
        match self {
            Part::Info => ".debug_info",
            Part::Abbrev => ".debug_abbrev",
            Part::Line => ".debug_line",
            Part::Loc => ".debug_loc",
            Part::Ranges => ".debug_ranges",
        }
    }
}

/// The DWARF of an ELF file.
pub struct Dwarf {
    file: Rc<ElfFile>,
    /// Nothing, if it is more than is taken apart.
    sections: OnceCell<Option<DebugSections>>,
}

/// From this place in a section of code on, up to the next.
#[derive(Debug, Clone)]
pub struct Line {
    /// The offset of the instruction in the section.
    pub offset: u64,
    /// `file.cl:12`; empty where nothing is known any more.
    pub place: String,
    /// The bytes of the line table that say so.
    pub span: Span,
}

const SECTION_DOC: Doc = Doc {
    text: "Debugging information: it ties instructions and registers to lines and names of the source.",
    source: "DWARF 5, 7 Data Representation",
    known: &[],
};

impl Dwarf {
    /// The DWARF of the file. Returns `None` if it has no section that is taken apart.
    pub fn of(file: &Rc<ElfFile>) -> Option<Rc<Dwarf>> {
        let is_there = |part: Part| file.debug_section(part.name()).is_some();
        Part::ALL.into_iter().any(is_there).then(|| {
            Rc::new(Dwarf {
                file: Rc::clone(file),
                sections: OnceCell::new(),
            })
        })
    }

    /// The sections, read when they are first asked for.
    fn sections(&self, sources: &Sources) -> Option<&DebugSections> {
        let read = || DebugSections::read(&self.file, sources);
        self.sections.get_or_init(read).as_ref()
    }

    /// The lines of the section of code with that index, by offset.
    pub fn lines(&self, section: u64, sources: &Sources) -> &[Line] {
        let sections = self.sections(sources);
        sections.map_or(&[], |sections| sections.lines(section))
    }

    /// The node of a section, if it is one of DWARF.
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
        if let Some(what) = title(name) {
            node = node.summary(what).doc(&SECTION_DOC);
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

/// Makes the rows of a section.
struct PartRows {
    dwarf: Rc<Dwarf>,
    part: Part,
    span: Span,
}

impl PartRows {
    /// Of several sections with the same name the first is taken apart.
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
}

/// What a debug section holds. DWARF 5, section 6 and 7.
fn title(name: &str) -> Option<&'static str> {
    Some(match name {
        "abbrev" => "DWARF abbreviations",
        "addr" => "DWARF addresses",
        "aranges" => "DWARF address ranges of units",
        "frame" => "DWARF call frames",
        "info" => "DWARF debugging entries",
        "line" => "DWARF line table",
        "line_str" => "DWARF strings of the line table",
        "loc" | "loclists" => "DWARF locations",
        "macinfo" | "macro" => "DWARF macros",
        "names" | "pubnames" | "pubtypes" => "DWARF names",
        "ranges" | "rnglists" => "DWARF ranges",
        "str" => "DWARF strings",
        "str_offsets" => "DWARF string offsets",
        "types" => "DWARF types",
        _ => return None,
    })
}
