//! The sections of a zebin: which there may be, and what is in them. zebin ELF, "ELF
//! Layout"; what the driver takes: compute-runtime, zebin_decoder.cpp,
//! extractZebinSections.

use std::rc::Rc;

use super::text::{self, Code};
use super::{Survey, gtpin_info, ir, misc, place_of};
use crate::decode::Context;
use crate::decode::dwarf::Dwarf;
use crate::decode::elf::note::Notes;
use crate::decode::elf::section::{Section, SectionType};
use crate::decode::elf::string_table::Strings;
use crate::decode::elf::symbol::Symbol;
use crate::decode::elf::{ElfFile, Identity, lines_node, plural};
use crate::decode::reader::Window;
use crate::decode::rules;
use crate::decode::zebin::ze_info::{SECTION, ZeInfoRows};
use crate::model::{Doc, Node, NodeKind, Value};

/// Sections that may be there only once, by name; those that are told by their type have the
/// name that they usually have.
const SINGLE: &[&str] = &[
    ".data.global",
    ".bss.global",
    ".data.const",
    ".bss.const",
    ".data.const.string",
    ".note.intelgt.compat",
    ".misc.specConstantsIds",
    ".misc.specConstantsValues",
];

const SINGLE_TYPES: &[SectionType] = &[
    SectionType::SHT_ZEBIN_ZEINFO,
    SectionType::SHT_SYMTAB,
    SectionType::SHT_ZEBIN_SPIRV,
    SectionType::SHT_ZEBIN_PISA,
];

/// The types that the driver knows what to do with.
const TYPES: &[SectionType] = &[
    SectionType::SHT_NULL,
    SectionType::SHT_PROGBITS,
    SectionType::SHT_SYMTAB,
    SectionType::SHT_STRTAB,
    SectionType::SHT_RELA,
    SectionType::SHT_NOTE,
    SectionType::SHT_NOBITS,
    SectionType::SHT_REL,
    SectionType::SHT_ZEBIN_SPIRV,
    SectionType::SHT_ZEBIN_ZEINFO,
    SectionType::SHT_ZEBIN_GTPIN_INFO,
    SectionType::SHT_ZEBIN_VISAASM,
    SectionType::SHT_ZEBIN_MISC,
    SectionType::SHT_ZEBIN_PISA,
];

/// The old spelling of `.data.const`.
const MISSPELLED: &str = ".data.global_const";

/// Checks which sections there are, and what their headers say.
pub fn check(cx: &Context<'_>, file: &ElfFile) {
    let mut seen_names: Vec<&str> = Vec::new();
    let mut seen_types: Vec<SectionType> = Vec::new();
    for section in file
        .sections
        .iter()
        .filter(|s| s.kind != SectionType::SHT_NULL)
    {
        check_name(cx, section);
        let name = match section.name.as_str() {
            MISSPELLED => ".data.const",
            ".text" if section.bytes.is_empty() => "",
            name => name,
        };
        let once = SINGLE.contains(&name) || name == ".text";
        let once_type = SINGLE_TYPES.contains(&section.kind);
        if (once && seen_names.contains(&name)) || (once_type && seen_types.contains(&section.kind))
        {
            cx.report(
                &rules::ZEBIN_DUPLICATE_SECTION,
                section.header,
                format_args!("{} again", section.name),
            );
        }
        if once {
            seen_names.push(name);
        }
        if once_type {
            seen_types.push(section.kind);
        }
    }
    check_constants(cx, file);
    check_gtpin(cx, file);
}

fn check_name(cx: &Context<'_>, section: &Section) {
    let name = section.name.as_str();
    if !TYPES.contains(&section.kind) {
        cx.report(
            &rules::ZEBIN_SECTION_TYPE,
            section.header,
            format_args!(
                "{name}: sh_type {}",
                section
                    .kind
                    .name()
                    .map_or_else(|| format!("{:#x}", section.kind.0), str::to_owned)
            ),
        );
        return;
    }
    if name == MISSPELLED {
        cx.report(
            &rules::ZEBIN_MISSPELLED,
            section.header,
            format_args!("{name} for .data.const"),
        );
        return;
    }
    let known = match section.kind {
        SectionType::SHT_PROGBITS => {
            name == ".text"
                || name.starts_with(".text.")
                || matches!(name, ".data.const" | ".data.global" | ".data.const.string")
                || name.starts_with(".debug_")
        }
        SectionType::SHT_NOTE => {
            matches!(name, ".note.intelgt.compat" | ".note.intelgt.metrics")
        }
        SectionType::SHT_NOBITS => matches!(name, ".bss.const" | ".bss.global"),
        SectionType::SHT_ZEBIN_MISC => matches!(
            name,
            ".misc.buildOptions" | ".misc.specConstantsIds" | ".misc.specConstantsValues"
        ),
        SectionType::SHT_ZEBIN_GTPIN_INFO => name.starts_with(".gtpin_info"),
        _ => true,
    };
    if !known {
        cx.report(
            &rules::ZEBIN_SECTION_NAME,
            section.header,
            format_args!(
                "{name:?} of type {}",
                section.kind.name().unwrap_or_default()
            ),
        );
    }
}

fn check_constants(cx: &Context<'_>, file: &ElfFile) {
    let ids = file.section_named(".misc.specConstantsIds");
    let values = file.section_named(".misc.specConstantsValues");
    let message = match (ids, values) {
        (Some(ids), Some(values)) if ids.size / 4 == values.size / 8 => return,
        (Some(ids), Some(values)) => {
            format!("{} ids and {} values", ids.size / 4, values.size / 8)
        }
        (Some(_), None) => "ids without values".to_owned(),
        (None, Some(_)) => "values without ids".to_owned(),
        (None, None) => return,
    };
    if let Some(section) = ids.or(values) {
        cx.report(&rules::ZEBIN_SPEC_CONSTANTS, place_of(section), message);
    }
}

fn check_gtpin(cx: &Context<'_>, file: &ElfFile) {
    let Some(table) = file.symbol_table() else {
        return;
    };
    let size = Symbol::size(file.class);
    for section in &file.sections {
        let owner = section.name.strip_prefix(".gtpin_info.");
        let (SectionType::SHT_ZEBIN_GTPIN_INFO, Some(owner)) = (section.kind, owner) else {
            continue;
        };
        let entry = table.bytes.sub(section.info.saturating_mul(size), size);
        let window = Window::clamped(cx.sources, entry);
        let name = Symbol::read(&mut window.reader(file.endian), file.class)
            .map(|symbol| file.name_in(table.link, symbol.st_name));
        if name.as_deref() != Ok(owner) {
            cx.report(
                &rules::ZEBIN_GTPIN_SYMBOL,
                section.header,
                match name {
                    Ok(name) => format!("{}: sh_info leads to {name:?}", section.name),
                    Err(_) => format!("{}: sh_info {} is no symbol", section.name, section.info),
                },
            );
        }
    }
}

const TEXT_DOC: Doc = Doc {
    text: "Machine code of a kernel, named after it; .text holds functions that are called from outside.",
    source: "zebin ELF, .text",
    known: &[],
};
const ZE_INFO_DOC: Doc = Doc {
    text: "What the driver needs to know to run the kernels: resources, arguments, buffers.",
    source: "ZE Info",
    known: &[],
};
const VISA_DOC: Doc = Doc {
    text: "vISA assembly, the compiler's virtual instruction set, as text.",
    source: "zebin ELF, .visaasm; option -ze-opt-emit-zebin-visa-sections",
    known: &[],
};
const CONST_DOC: Doc = Doc {
    text: "Constants.",
    source: "zebin ELF, .data.const",
    known: &[],
};
const STRING_DOC: Doc = Doc {
    text: "The format strings of printf, and others.",
    source: "IGC, zebin_builder.cpp; in no specification",
    known: &[],
};
const GLOBAL_DOC: Doc = Doc {
    text: "Global variables.",
    source: "zebin ELF, .data.global",
    known: &[],
};

/// The node of a section whose content Intel's specifications define; `node` has its name,
/// bytes and colour already.
pub fn section_node(
    cx: &Context<'_>,
    file: &Rc<ElfFile>,
    section: &Section,
    survey: &Survey,
    dwarf: Option<&Rc<Dwarf>>,
    mut node: Node,
) -> Option<Node> {
    let bytes = section.bytes;
    node.xrefs.extend(survey.links.of_section(section));
    match section.kind {
        SectionType::SHT_ZEBIN_ZEINFO => Some(ze_info_node(cx, section, survey, node)),
        SectionType::SHT_ZEBIN_SPIRV => Some(ir::spirv_node(cx, bytes, node)),
        SectionType::SHT_ZEBIN_PISA => Some(ir::pisa_node(node)),
        SectionType::SHT_ZEBIN_VISAASM => {
            check_text(cx, section);
            Some(lines_node(cx, bytes, node).doc(&VISA_DOC))
        }
        SectionType::SHT_ZEBIN_MISC => Some(misc::misc_node(cx, bytes, node)),
        SectionType::SHT_ZEBIN_GTPIN_INFO => Some(gtpin_info::node(cx, section, node)),
        SectionType::SHT_NOTE if section.name == ".note.intelgt.metrics" => {
            Some(misc::metrics_node(cx, bytes, node))
        }
        SectionType::SHT_NOTE => {
            let mut notes = survey.notes.borrow_mut();
            let (_, notes) = notes.take_if(|(index, _)| *index == section.index)?;
            node.kind = NodeKind::Table;
            let count = notes.list().len() as u64;
            let rows = cx.register(Rc::new(notes));
            Some(
                node.summary(plural(count, "note"))
                    .children(rows, Notes::SECTION, None)
                    .doc(&NOTES_DOC),
            )
        }
        SectionType::SHT_OPENCL_OPTIONS if file.identity == Identity::LegacyOpenCl => {
            Some(lines_node(cx, bytes, node))
        }
        SectionType::SHT_PROGBITS => progbits_node(cx, file, section, dwarf, node),
        _ => None,
    }
}

const NOTES_DOC: Doc = Doc {
    text: "Which device the file was compiled for, and by which versions.",
    source: "zebin ELF, .note.intelgt.compat",
    known: &[],
};

fn ze_info_node(cx: &Context<'_>, section: &Section, survey: &Survey, mut node: Node) -> Node {
    node.kind = NodeKind::Text;
    let node = node.doc(&ZE_INFO_DOC);
    match &survey.ze_info {
        Some((index, info)) if *index == section.index => {
            let kernels = info.kernels().len() as u64;
            let rows = cx.register(Rc::new(ZeInfoRows {
                info: Rc::clone(info),
                links: Rc::clone(&survey.links),
            }));
            node.summary(plural(kernels, "kernel"))
                .children(rows, SECTION, None)
        }
        // A second one, or one that is too large.
        _ => lines_node(cx, section.bytes, node),
    }
}

/// So much of a text is looked at to tell whether it is UTF-8.
const TEXT_SAMPLE: u64 = 4096;

fn check_text(cx: &Context<'_>, section: &Section) {
    let window = Window::clamped(cx.sources, section.bytes.sub(0, TEXT_SAMPLE));
    // A character may be cut in two at the end of the sample.
    let error = std::str::from_utf8(window.bytes()).err();
    if let Some(error) = error.filter(|e| e.error_len().is_some()) {
        cx.report(
            &rules::ZEBIN_TEXT_ENCODING,
            section.bytes.sub(error.valid_up_to() as u64, 1),
            format_args!("{} is not UTF-8", section.name),
        );
    }
}

fn progbits_node(
    cx: &Context<'_>,
    file: &Rc<ElfFile>,
    section: &Section,
    dwarf: Option<&Rc<Dwarf>>,
    mut node: Node,
) -> Option<Node> {
    let name = section.name.as_str();
    if !file.identity.is_zebin() {
        return None;
    }
    if name == ".text" || name.starts_with(".text.") {
        let code = Code::new(file, section, dwarf.map(Rc::clone));
        let count = code.len();
        if let Some(summary) = text::summary(&code) {
            node = node.summary(summary);
        }
        node.kind = NodeKind::Record;
        return Some(
            node.children(cx.register(Rc::new(code)), 0, Some(count))
                .doc(&TEXT_DOC),
        );
    }
    match name {
        ".data.const.string" => {
            node.kind = NodeKind::Table;
            let rows = cx.register(Rc::new(Strings::new(section.bytes)));
            Some(node.children(rows, 0, None).doc(&STRING_DOC))
        }
        ".data.const" | ".data.global_const" => Some(node.value(Value::Bytes).doc(&CONST_DOC)),
        ".data.global" => Some(node.value(Value::Bytes).doc(&GLOBAL_DOC)),
        _ => None,
    }
}
