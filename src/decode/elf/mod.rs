//! ELF, 32 and 64 bit: the container of a zebin, and of what is around it.
//!
//! Follows the generic ABI (gABI, 2023-11); what that leaves open, a [`dialect`] says. Not
//! decoded: hash tables, dynamic sections, versions, groups; they are shown as bytes.
//!
//! ```text
//! ELF header │ sections' bytes, in any order, with padding │ section headers
//! ```

mod check;
mod class;
pub mod compressed;
pub mod contents;
pub mod dialect;
pub mod embedded;
pub mod file;
pub mod header;
mod header_rows;
mod header_tables;
pub mod linkage;
pub mod note;
mod read;
pub mod relocation;
mod rows;
pub mod section;
pub mod segment;
pub mod string_table;
pub mod symbol;

use std::ops::Range;
use std::rc::Rc;

pub use self::class::Class;
use self::contents::Interpreter;
pub use self::file::{ElfFile, SymbolRef};
use self::linkage::ElfLinkage;
use self::read::Start;
use self::rows::SectionNodes;
use super::context::Context;
use super::dwarf::Dwarf;
use super::format::Opened;
use super::layout::Layout;
use super::rules;
use crate::model::kernels::Kernels;
use crate::model::linkage::Linkage;
use crate::model::{Capabilities, Expand, Fact, NodeKind, Rows, Sources, Span, Summary};

/// What starts every ELF file.
const MAGIC: &[u8] = b"\x7fELF";

/// Do the bytes begin as an ELF file?
pub fn recognise(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Decodes an ELF file in its dialect.
pub fn open(cx: &Context<'_>, span: Span, interpreter: &dyn Interpreter) -> Opened {
    match read::header(cx, span) {
        Ok(start) => open_file(cx, start, interpreter),
        Err(error) => {
            cx.report_read(&rules::ELF_TRUNCATED_HEADER, &error, span, "the ELF header");
            cx.gap(span);
            Opened {
                summary: Summary::new("elf", "truncated ELF", Vec::new()).with(Capabilities {
                    loadable: true,
                    ..Capabilities::default()
                }),
                content: None,
            }
        }
    }
}

fn open_file(cx: &Context<'_>, start: Start, interpreter: &dyn Interpreter) -> Opened {
    let headers = header_tables::section_table(cx, &start);
    let segments = header_tables::program_table(cx, &start);
    let mut file = read::sections(cx, &start, headers);
    file.dialect = interpreter.dialect(&file);
    file.symbols = read::code_symbols(cx, &file);
    file.packed = compressed::unpack(cx, &file);
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
    let contents = interpreter.read(cx, &file);
    let dwarf = Dwarf::of(&file);
    let embedded = embedded::open(cx, &file);
    let nodes = SectionNodes {
        file: &file,
        contents: &*contents,
        dwarf: dwarf.as_ref(),
        embedded: &embedded,
    };
    let sections = file.sections.iter();
    parts.extend(sections.filter_map(|section| nodes.section_node(cx, section)));
    parts.extend(contents.more_parts(cx));
    let has_text = parts.iter().any(|part| part.kind == NodeKind::Text);
    let layout = Layout::arrange(cx, start.span, parts);
    let count = layout.len();
    let mut facts = contents.facts();
    facts.push(container_fact(&file));
    facts.extend(embedded::facts(&file, &embedded));
    let title = contents.title();
    let title = title.unwrap_or_else(|| file.dialect.title().into());
    let summary = Summary::new(file.dialect.id(), title, facts).with(Capabilities {
        kernels: file.dialect.lists_kernels(),
        symbols: true,
        text: has_text,
        loadable: file.dialect.is_loadable(),
        ..Capabilities::default()
    });
    let document = ElfDocument {
        parts: layout,
        kernels: contents.kernels(),
        linkage: Rc::new(ElfLinkage::new(&file, &contents)),
    };
    Opened {
        summary,
        content: Some((cx.register(Rc::new(document)), 0, Some(count))),
    }
}

/// `64-bit ELF, ET_REL, EM_INTELGT`.
fn container_fact(file: &ElfFile) -> Fact {
    let bits = match file.class {
        Class::Elf32 => "32-bit",
        Class::Elf64 => "64-bit",
    };
    let kind = header::FileType(u16::try_from(file.header.e_type).unwrap_or(0));
    let machine = header::Machine(u16::try_from(file.header.e_machine).unwrap_or(0));
    let number = |name: Option<&str>, raw: u16| match name {
        Some(name) => name.to_owned(),
        None => format!("{raw:#x}"),
    };
    let machine = match file.dialect.machine_names(&file.header) {
        Some(_) => "target in e_machine".to_owned(),
        None => number(machine.name(), machine.0),
    };
    let text = format!("{bits} ELF, {}, {machine}", number(kind.name(), kind.0));
    Fact::new("container", text, file.header.origin)
}

/// The rows of an ELF file, and who knows more of it.
struct ElfDocument {
    parts: Layout,
    kernels: Option<Rc<dyn Kernels>>,
    linkage: Rc<ElfLinkage>,
}

impl Expand for ElfDocument {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        self.parts.count(item, sources)
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.parts.rows(item, range, out);
    }

    fn kernels(&self, _item: u64) -> Option<Rc<dyn Kernels>> {
        self.kernels.clone()
    }

    fn linkage(&self, _item: u64) -> Option<Rc<dyn Linkage>> {
        Some(Rc::<ElfLinkage>::clone(&self.linkage))
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        self.parts.index_at(item, offset, sources)
    }
}
