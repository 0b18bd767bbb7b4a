//! ELF, 32 and 64 bit: the container of a zebin, and of what is around it.
//!
//! Follows the generic ABI (gABI, 2023-11) for everything but Intel's additions, which are in
//! [`zebin`]. Not decoded: hash tables, dynamic sections, versions,
//! groups of foreign files; they are shown as bytes.
//!
//! ```text
//! ELF header │ sections' bytes, in any order, with padding │ section headers
//! ```

mod check;
pub mod compressed;
pub mod file;
pub mod header;
mod header_tables;
pub mod identity;
pub mod linkage;
pub mod note;
mod offload;
mod read;
pub mod relocation;
mod rows;
pub mod section;
pub mod segment;
pub mod string_table;
pub mod symbol;

use std::rc::Rc;

pub use self::file::{ElfFile, SymbolRef};
pub use self::identity::{Identity, says_zebin};
use self::read::Start;
pub use self::rows::{lines_node, notes_node, plural};
use super::context::Context;
use super::dwarf::Dwarf;
use super::format::{Format, Opened};
use super::layout::Layout;
use super::reader::Window;
use super::rules;
use super::zebin;
use crate::model::{Fact, Span, Summary, Tone};

/// The width of addresses and offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// 32 bits.
    Elf32,
    /// 64 bits.
    Elf64,
}

impl Class {
    /// The largest offset that can be written.
    fn max(self) -> u64 {
        match self {
            Class::Elf32 => u32::MAX.into(),
            Class::Elf64 => u64::MAX,
        }
    }
}

/// What starts every ELF file.
const MAGIC: &[u8] = b"\x7fELF";

/// The ELF format.
#[derive(Debug)]
pub struct Elf;

impl Format for Elf {
    fn recognise(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> Opened {
        match read::header(cx, span) {
            Ok(start) => open_file(cx, start),
            Err(error) => {
                cx.report_read(&rules::ELF_TRUNCATED_HEADER, &error, span, "the ELF header");
                cx.gap(span);
                cx.loadable(span);
                Opened {
                    summary: Summary {
                        format: "elf".into(),
                        title: "cut-off ELF".into(),
                        facts: Vec::new(),
                    },
                    content: None,
                }
            }
        }
    }
}

fn open_file(cx: &Context<'_>, start: Start) -> Opened {
    let headers = header_tables::section_table(cx, &start);
    let segments = header_tables::program_table(cx, &start);
    let mut file = read::sections(cx, &start, headers);
    file.symbols = read::code_symbols(cx, &file);
    file.packed = compressed::unpack(cx, &file);
    // The driver reads little endian whatever the file says.
    let head = Window::clamped(cx.sources, start.span.sub(0, 20));
    if file.identity != Identity::Foreign || says_zebin(head.bytes()) {
        cx.loadable(file.span);
    }
    let file = Rc::new(file);
    check::symbol_tables(cx, &file);
    check::relocation_sections(cx, &file);
    check::header(cx, &start);
    let mut parts = vec![rows::header_node(cx, &file)];
    if let Some(table) = headers.filter(|t| !t.span.is_empty()) {
        parts.push(rows::section_headers_node(cx, &file, table));
    }
    if let Some(table) = segments.filter(|t| !t.span.is_empty()) {
        parts.push(rows::program_headers_node(cx, &start, table));
    }
    let zebin = zebin::survey(cx, &file);
    let dwarf = Dwarf::of(cx, &file);
    let images = offload::open(cx, &file);
    for section in &file.sections {
        let of_file = rows::Contents {
            file: &file,
            zebin: &zebin,
            dwarf: dwarf.as_ref(),
            images: &images,
        };
        if let Some(node) = of_file.section_node(cx, section) {
            parts.push(node);
        }
    }
    zebin::extra_parts(cx, &file, &mut parts);
    let layout = Layout::arrange(cx, start.span, parts);
    let count = layout.len();
    let mut summary = summary(&file, &zebin);
    summary.facts.extend(offload::facts(&file, &images));
    Opened {
        summary,
        content: Some((cx.register(zebin.rows(cx, &file, layout)), 0, Some(count))),
    }
}

fn summary(file: &ElfFile, zebin: &zebin::Survey) -> Summary {
    let identity = file.identity;
    let bits = match file.class {
        Class::Elf32 => "32-bit",
        Class::Elf64 => "64-bit",
    };
    let kind = header::FileType(u16::try_from(file.header.e_type).unwrap_or(0));
    let machine = header::Machine(u16::try_from(file.header.e_machine).unwrap_or(0));
    let mut facts = zebin.facts.clone();
    let number = |name: Option<&str>, raw: u64| match name {
        Some(name) => name.to_owned(),
        None => format!("{raw:#x}"),
    };
    facts.push(Fact {
        label: "container".into(),
        text: format!(
            "{bits} ELF, {}, {}",
            number(kind.name(), kind.0.into()),
            match identity {
                Identity::LegacyZebin { .. } => "target in e_machine".to_owned(),
                _ => number(machine.name(), machine.0.into()),
            }
        )
        .into(),
        tone: Tone::Plain,
        span: Some(file.header.origin),
        headline: false,
    });
    Summary {
        format: identity.id().into(),
        title: match (&zebin.version, identity.is_zebin()) {
            (Some(version), true) => format!("{} {version}", identity.title()).into(),
            _ => identity.title().into(),
        },
        facts,
    }
}
