//! Checks the sections of a zebin.

use super::{Driver, SectionSpec, Single, Spelling, spec_of};
use crate::Context;
use crate::elf::ElfFile;
use crate::elf::section::{Section, SectionType};
use crate::elf::symbol::Symbol;
use crate::reader::Window;
use crate::rules;

/// Checks the set of sections and their headers.
pub fn check(cx: &Context<'_>, file: &ElfFile) {
    let mut seen: Vec<Single> = Vec::new();
    for section in file
        .sections
        .iter()
        .filter(|s| s.kind != SectionType::SHT_NULL)
    {
        let spec = spec_of(section.kind, section.name.as_bytes());
        check_name(cx, section, spec);
        let Some(Driver::Once(single)) = spec.map(|spec| spec.driver) else {
            continue;
        };
        // The driver ignores an empty `.text` (extractZebinSections), so a second one is no
        // duplicate.
        if single == Single::Text && section.bytes.is_empty() {
            continue;
        }
        if seen.contains(&single) {
            cx.report(
                &rules::ZEBIN_DUPLICATE_SECTION,
                section.header,
                format_args!("duplicate section {}", section.name),
            );
        } else {
            seen.push(single);
        }
    }
    check_constants(cx, file);
    check_gtpin(cx, file);
}

fn check_name(cx: &Context<'_>, section: &Section, spec: Option<&SectionSpec>) {
    let name = section.name.as_str();
    let kind = section.kind.name();
    match spec.map(|spec| spec.spelling) {
        Some(Spelling::Known) => {}
        Some(Spelling::Misspelled(right)) => cx.report(
            &rules::ZEBIN_MISSPELLED,
            section.header,
            format_args!("{name} instead of {right}"),
        ),
        Some(Spelling::Unknown) => cx.report(
            &rules::ZEBIN_SECTION_NAME,
            section.header,
            format_args!("{name:?} of type {}", kind.unwrap_or_default()),
        ),
        None => cx.report(
            &rules::ZEBIN_SECTION_TYPE,
            section.header,
            match kind {
                Some(kind) => format!("{name:?}: sh_type is {kind}"),
                None => format!("{name:?}: sh_type is {:#x}", section.kind.0),
            },
        ),
    }
}

fn check_constants(cx: &Context<'_>, file: &ElfFile) {
    let ids = file.section_named(".misc.specConstantsIds");
    let values = file.section_named(".misc.specConstantsValues");
    let message = match (ids, values) {
        // Ids have 32 bits, values 64, and the two belong together by position.
        (Some(ids), Some(values)) if ids.size / 4 == values.size / 8 => return,
        (Some(ids), Some(values)) => {
            format!("{} ids and {} values", ids.size / 4, values.size / 8)
        }
        (Some(_), None) => "ids without values".to_owned(),
        (None, Some(_)) => "values without ids".to_owned(),
        (None, None) => return,
    };
    if let Some(section) = ids.or(values) {
        cx.report(&rules::ZEBIN_SPEC_CONSTANTS, section.place(), message);
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
        let entry = table.bytes.subspan(section.info.saturating_mul(size), size);
        let window = Window::clamped(cx.sources, entry);
        let name = Symbol::read(&mut window.reader(file.endian), file.class)
            .map(|symbol| file.name_in(table.link, symbol.st_name));
        if name.as_deref() != Ok(owner) {
            cx.report(
                &rules::ZEBIN_GTPIN_SYMBOL,
                section.header,
                match name {
                    Ok(name) => format!("{}: sh_info is the index of {name:?}", section.name),
                    Err(_) => format!(
                        "{}: sh_info is {}, which is not a symbol",
                        section.name, section.info
                    ),
                },
            );
        }
    }
}

/// Size of the sample that is checked for UTF-8, in bytes.
const TEXT_SAMPLE: u64 = 4096;

/// Checks that a text is UTF-8, by a sample of its start.
pub fn encoding(cx: &Context<'_>, section: &Section) {
    let window = Window::clamped(cx.sources, section.bytes.subspan(0, TEXT_SAMPLE));
    // The end of the sample may split a character.
    let error = std::str::from_utf8(window.bytes()).err();
    if let Some(error) = error.filter(|e| e.error_len().is_some()) {
        cx.report(
            &rules::ZEBIN_TEXT_ENCODING,
            section.bytes.subspan(error.valid_up_to() as u64, 1),
            format_args!("{} is not UTF-8", section.name),
        );
    }
}
