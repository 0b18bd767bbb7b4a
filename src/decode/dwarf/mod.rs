//! DWARF: which instruction came from which line, and what the names in the source are. In a
//! zebin that was built with `-g`, in the vISA debug ELF of IGC's program debug data, and in
//! any other ELF file with `.debug_*` sections. Follows DWARF 5 and 4; of Intel's extensions
//! what IGC's debug information library writes.
//!
//! A check reads none of it. The sections are taken apart by [`reading`] when somebody opens
//! them ([`deep`](super::deep)): `.debug_info`, `.debug_abbrev` and `.debug_line`; the others
//! are read for what these refer to, and shown as strings or bytes.

#[cfg(feature = "deep")]
mod abbrev;
#[cfg(feature = "deep")]
mod attribute;
#[cfg(feature = "deep")]
mod bytes;
#[cfg(feature = "deep")]
mod expression;
#[cfg(feature = "deep")]
mod info;
#[cfg(feature = "deep")]
mod line;
#[cfg(feature = "deep")]
mod line_header;
#[cfg(feature = "deep")]
mod lists;
#[cfg(feature = "deep")]
pub mod reading;
#[cfg(feature = "deep")]
mod relocate;

use std::rc::Rc;

use super::Context;
use super::deep::{Guest, Part, Subject, top};
use super::elf::section::{Section, SectionType};
use super::elf::string_table::Strings;
use super::elf::{Class, ElfFile};
use super::reader::Endian;
use crate::model::{Doc, ExpanderId, Node, NodeKind, Sources, Span, Value};

/// What a part is.
pub mod kind {
    /// A section of DWARF.
    pub const DEBUG: u64 = 0;
    /// Relocations of one, without addends.
    pub const REL: u64 = 1;
    /// Relocations of one, with addends.
    pub const RELA: u64 = 2;
    /// The symbols that these speak of.
    pub const SYMBOLS: u64 = 3;
    /// The names of the symbols.
    pub const NAMES: u64 = 4;
    /// A section of code; its bytes are not read.
    pub const TEXT: u64 = 5;
    /// Another section that is not read.
    pub const NAMED: u64 = 6;
}

/// What is to be known of each part: [what it is](kind), its address, the number of the part
/// that its relocations are for, and these flags.
pub mod flag {
    /// The file's numbers have 32 bits.
    pub const NARROW: u64 = 1;
    /// The highest byte comes first.
    pub const BIG: u64 = 2;
    /// Registers and operations are those of Intel's GPUs.
    pub const INTEL: u64 = 4;
}

/// The sections that are taken apart.
const TAKEN_APART: &[&str] = &[
    ".debug_abbrev",
    ".debug_info",
    ".debug_line",
    ".debug_loc",
    ".debug_ranges",
];

/// The sections that are read for what the others refer to.
const REFERRED: &[&str] = &[".debug_line_str", ".debug_str", ".debug_str_offsets"];

/// The sections that others refer to, of which only the place is of interest.
const NAMED: &[&str] = &[".debug_addr", ".debug_loclists", ".debug_rnglists"];

/// More sections of code are not linked to lines. A file of 60 000 kernels has as many.
const TEXTS: usize = 1 << 17;

/// The DWARF of an ELF file.
pub struct Dwarf {
    guest: Rc<Guest>,
    rows: ExpanderId,
    /// The section's index and the part's number, of what is taken apart.
    debug: Vec<(u64, u32)>,
    /// The same of code.
    texts: Vec<(u64, u32)>,
}

const SECTION_DOC: Doc = Doc {
    text: "Debugging information: it ties instructions and registers to lines and names of the source.",
    source: "DWARF 5, 7 Data Representation",
    known: &[],
};

impl Dwarf {
    /// The DWARF of the file, if it has some.
    pub fn of(cx: &Context<'_>, file: &ElfFile) -> Option<Dwarf> {
        let mut parts = Parts::new(file);
        for name in TAKEN_APART.iter().chain(REFERRED) {
            if let Some(section) = file.debug_section(name) {
                parts.push(section, kind::DEBUG, 0);
            }
        }
        let debug = parts.numbers.clone();
        for name in NAMED {
            if let Some(section) = file.debug_section(name) {
                parts.push(section, kind::NAMED, 0);
            }
        }
        let first = parts.list.first();
        if first.is_none_or(|part| !TAKEN_APART.contains(&part.name.as_str())) {
            return None;
        }
        // Types of relocations are the machine's own.
        if file.dialect.has_intel_dwarf() {
            parts.push_relocations(file, &debug);
        }
        let before = parts.numbers.len();
        let texts = file.sections.iter().filter(|section| {
            section.kind == SectionType::SHT_PROGBITS && section.name.starts_with(".text")
        });
        for section in texts.take(TEXTS) {
            parts.push(section, kind::TEXT, 0);
        }
        let texts = parts.numbers.split_off(before);
        let guest = Guest::new(Rc::clone(&cx.rare), Subject::Dwarf, parts.list);
        let guest = Rc::new(guest);
        let rows = cx.register(Rc::<Guest>::clone(&guest));
        Some(Dwarf {
            guest,
            rows,
            debug,
            texts,
        })
    }

    /// The node of a section, if it is one of DWARF.
    pub fn node(
        dwarf: Option<&Dwarf>,
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
        let part = dwarf.and_then(|dwarf| {
            let found = dwarf
                .debug
                .iter()
                .find(|(index, _)| *index == section.index)?;
            let read = TAKEN_APART.contains(&section.name.as_str());
            (read && !section.bytes.is_empty()).then_some((dwarf.rows, found.1))
        });
        Some(match part {
            Some((rows, part)) => {
                node.kind = NodeKind::Table;
                node.children(rows, top(part), None)
            }
            None => node.value(Value::Bytes),
        })
    }

    /// The lines of a section of code.
    pub fn lines_of(&self, section: u64) -> Option<Lines> {
        let at = self
            .texts
            .binary_search_by_key(&section, |(index, _)| *index);
        let (_, part) = self.texts.get(at.ok()?)?;
        Some(Lines {
            guest: Rc::clone(&self.guest),
            item: top(*part),
        })
    }
}

/// The parts that a reader is told of.
struct Parts {
    list: Vec<Part>,
    numbers: Vec<(u64, u32)>,
    flags: u64,
}

impl Parts {
    fn new(file: &ElfFile) -> Parts {
        let narrow = match file.class {
            Class::Elf32 => flag::NARROW,
            Class::Elf64 => 0,
        };
        let big = match file.endian {
            Endian::Big => flag::BIG,
            Endian::Little => 0,
        };
        Parts {
            list: Vec::new(),
            numbers: Vec::new(),
            flags: narrow
                | big
                | if file.dialect.has_intel_dwarf() {
                    flag::INTEL
                } else {
                    0
                },
        }
    }

    fn push(&mut self, section: &Section, kind: u64, info: u64) {
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.numbers.push((section.index, number));
        self.list.push(Part {
            name: section.name.clone(),
            numbers: [kind, section.addr, info, self.flags],
            span: section.bytes,
            read: !matches!(kind, kind::TEXT | kind::NAMED),
        });
    }

    /// The first relocations of each section, and the symbols that they speak of.
    fn push_relocations(&mut self, file: &ElfFile, debug: &[(u64, u32)]) {
        let kind_of = |section: &Section| match section.kind {
            SectionType::SHT_REL => Some(kind::REL),
            SectionType::SHT_RELA => Some(kind::RELA),
            _ => None,
        };
        let mut some = false;
        for (index, part) in debug {
            let mut all = file.sections.iter().filter(|s| s.info == *index);
            let found = all.find_map(|section| Some((section, kind_of(section)?)));
            if let Some((section, kind)) = found {
                self.push(section, kind, u64::from(*part));
                some = true;
            }
        }
        if let Some(symbols) = file.symbol_table().filter(|_| some) {
            self.push(symbols, kind::SYMBOLS, 0);
            if let Some(names) = file.section(symbols.link) {
                self.push(names, kind::NAMES, 0);
            }
        }
    }
}

/// The lines that the instructions of a section come from.
pub struct Lines {
    guest: Rc<Guest>,
    item: u64,
}

/// From this address on, up to the next.
#[derive(Debug, Clone)]
pub struct Line {
    /// The address of the instruction.
    pub address: u64,
    /// `file.cl:12`; empty where nothing is known any more.
    pub place: String,
    /// The bytes of the line table that say so.
    pub span: Span,
}

/// So many lines of one section are linked.
const LINES: u64 = 1 << 20;

impl Lines {
    /// All of them by address; nothing if they are to be asked for again later.
    pub fn all(&self, sources: &Sources) -> Option<Vec<Line>> {
        let nodes = self.guest.all(self.item, LINES, sources)?;
        let line = |node: Node| {
            Some(Line {
                address: node.value.as_u64()?,
                span: node.xrefs.first()?.to,
                place: node.name.into_owned(),
            })
        };
        Some(nodes.into_iter().filter_map(line).collect())
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
