//! An ELF file as a document: the rows of its sections, with its debug information and its device
//! images. A dialect adds the contents that the generic ABI does not define.

pub mod contents;
mod embedded;
mod header_rows;
mod host;
mod linkage;
mod rows;
mod source_lines;

use std::ops::Range;
use std::rc::Rc;

use self::contents::Contents;
use self::rows::SectionNodes;
use crate::context::Context;
use crate::dwarf::Dwarf;
use crate::elf::class::Class;
use crate::elf::dialect::Dialect;
use crate::elf::file::ElfFile;
use crate::elf::header::FileType;
use crate::elf::read::HeaderReader;
use crate::elf::{check, compressed, header, header_tables, read};
use crate::format::OpenedDocument;
use crate::layout::Layout;
use crate::rules;
use zeview_core::analysis::assembly::Assembly;
use zeview_core::analysis::host_images::HostImages;
use zeview_core::analysis::kernels::Kernels;
use zeview_core::analysis::linkage::Linkage;
use zeview_core::analysis::source_lines::SourceLines;
use zeview_core::model::{
    Capabilities, Expand, Fact, Interfaces, NodeKind, Rows, Sources, Span, Summary,
};

/// What a file is beyond the generic ABI.
#[derive(Clone, Copy)]
pub struct Interpreter {
    /// Returns the dialect of a file.
    pub dialect: fn(&ElfFile) -> Rc<dyn Dialect>,
    /// Reads and checks its contents.
    pub read: fn(&Context<'_>, &Rc<ElfFile>) -> Rc<dyn Contents>,
}

/// Decodes an ELF file in its dialect.
pub fn open(cx: &Context<'_>, span: Span, interpreter: Interpreter) -> OpenedDocument {
    match read::header(cx, span) {
        Ok(start) => open_file(cx, start, interpreter),
        Err(error) => {
            cx.report_read(&rules::ELF_TRUNCATED_HEADER, &error, span, "the ELF header");
            cx.gap(span);
            OpenedDocument {
                summary: Summary::new("elf", "truncated ELF", Vec::new()).with(Capabilities {
                    loadable: true,
                    ..Capabilities::default()
                }),
                content: None,
            }
        }
    }
}

fn open_file(cx: &Context<'_>, start: HeaderReader, interpreter: Interpreter) -> OpenedDocument {
    let headers = header_tables::section_table(cx, &start);
    let segments = header_tables::program_table(cx, &start);
    let mut file = read::sections(cx, &start, headers);
    file.dialect = (interpreter.dialect)(&file);
    file.symbols = read::code_symbols(cx, &file);
    file.packed = compressed::unpack(cx, &file);
    let file = Rc::new(file);
    check::symbol_tables(cx, &file);
    // Before the check of relocations: it reads the large tables, and checks them on the way.
    let (host, read) = host::find(cx, &file, segments);
    check::relocation_sections(cx, &file, &read);
    check::header(cx, &start);
    let mut parts = vec![rows::header_node(cx, &file)];
    if let Some(table) = headers.filter(|t| !t.span.is_empty()) {
        parts.push(rows::section_headers_node(cx, &file, table));
    }
    if let Some(table) = segments.filter(|t| !t.span.is_empty()) {
        parts.push(rows::program_headers_node(cx, &start, table));
    }
    let contents = (interpreter.read)(cx, &file);
    let dwarf = Dwarf::of(&file);
    let embedded = embedded::open(cx, &file, host.as_ref());
    let nodes = SectionNodes {
        file: &file,
        contents: &*contents,
        dwarf: dwarf.as_ref(),
        embedded: &embedded,
        host: host.as_ref(),
    };
    let sections = file.sections.iter();
    parts.reserve_exact(sections.len());
    parts.extend(sections.filter_map(|section| nodes.section_node(cx, section)));
    if let Some(host) = host.as_ref().filter(|_| file.sections.is_empty()) {
        let headers = parts.iter().filter_map(|part| part.span);
        let headers_end = headers.map(|span| span.end).max().unwrap_or(0);
        parts.extend(host.segment_nodes(cx, headers_end));
    }
    parts.extend(contents.more_parts(cx));
    let has_text = parts.iter().any(|part| part.kind == NodeKind::Text);
    let layout = Layout::arrange(cx, start.span, parts);
    let count = layout.region_count();
    let mut facts = contents.facts();
    if let Some(host) = &host {
        facts.extend(host.facts(cx));
    }
    facts.push(container_fact(&file));
    facts.extend(embedded::facts(&file, &embedded));
    // In an archive, the driver extracts the SPIR-V from such a file: `generic_ir`.
    let is_ir = file.header.e_type == u64::from(FileType::ET_OPENCL_OBJECTS.0) && cx.depth() > 0;
    let title = contents.title();
    let title = title.unwrap_or_else(|| match host {
        Some(_) => "ELF with device images".into(),
        None => match u16::try_from(file.header.e_machine).map(header::Machine) {
            Ok(header::Machine::EM_CUDA) => "ELF for CUDA devices".into(),
            Ok(header::Machine::EM_AMDGPU) => "ELF for AMD GPUs".into(),
            _ => file.dialect.title().into(),
        },
    });
    let lines = source_lines::lines(dwarf.as_ref(), &contents);
    let kernels = contents.kernels();
    let linkage = Rc::new(linkage::linkage(&file, &contents));
    let assembly = contents.assembly(kernels.clone(), Rc::clone(&linkage));
    let summary = Summary::new(file.dialect.id(), title, facts).with(Capabilities {
        kernels: file.dialect.lists_kernels() || kernels.is_some(),
        symbols: true,
        lines: lines.is_some(),
        code: assembly.is_some(),
        text: has_text,
        host: host.is_some(),
        loadable: file.dialect.is_loadable(&file.header) && !is_ir,
        ..Capabilities::default()
    });
    let document = ElfDocument {
        parts: layout,
        kernels,
        linkage,
        images: host.map(|host| host.images()),
        lines,
        assembly,
    };
    OpenedDocument {
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

/// The rows of an ELF file, and what it offers beyond them.
struct ElfDocument {
    parts: Layout,
    kernels: Option<Rc<dyn Kernels>>,
    linkage: Rc<Linkage>,
    images: Option<Rc<dyn HostImages>>,
    lines: Option<Rc<SourceLines>>,
    assembly: Option<Rc<dyn Assembly>>,
}

impl Expand for ElfDocument {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        self.parts.count(item, sources)
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.parts.rows(item, range, out);
    }

    fn interfaces(&self, _item: u64) -> Interfaces {
        Interfaces {
            kernels: self.kernels.clone(),
            linkage: Some(Rc::clone(&self.linkage)),
            host_images: self.images.clone(),
            assembly: self.assembly.clone(),
            source_lines: self.lines.clone(),
            ..Interfaces::default()
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        self.parts.index_at(item, offset, sources)
    }
}
