//! The sections that the driver takes, by type and name: compute-runtime, zebin_decoder.cpp,
//! extractZebinSections and validateZebinSectionsCount.

use std::collections::HashMap;

use super::elf_level::{Elf, Section};
use super::findings::{Findings, Stop};
use super::image::{AROUND, Where};
use super::rules;
use crate::decode::elf::section::SectionType;
use crate::decode::zebin::sections::{Driver, Single, Spelling, spec_of};
use crate::model::Span;

/// The name of the kernel that stands for `.text`.
pub const FUNCTIONS: &[u8] = b"Intel_Symbol_Table_Void_Program";

const TEXT: &[u8] = b".text.";

/// A buffer of constants or variables.
#[derive(Debug, Clone, Copy, Default)]
pub struct Buffer {
    /// What is in the file.
    pub data: u64,
    /// What is zero.
    pub zero: u64,
    /// The alignment that the zeros ask for.
    pub align: u64,
    /// The header of the section with the zeros.
    pub zero_header: Option<Span>,
}

impl Buffer {
    /// Is there any?
    pub fn exists(&self) -> bool {
        self.data != 0 || self.zero != 0
    }
}

/// What the driver has found.
pub struct Sections<'e> {
    /// `.ze_info`
    pub ze_info: Option<Section>,
    /// The code of kernels by name: its size.
    pub texts: HashMap<&'e [u8], Section>,
    /// `.text` that is not empty.
    pub functions: Option<Section>,
    /// Constants.
    pub constants: Buffer,
    /// Variables.
    pub variables: Buffer,
    /// The size of the strings.
    pub strings: u64,
    /// What it could be rebuilt from.
    pub ir: Option<(&'static str, Span)>,
}

/// Sorts the sections.
pub fn sort<'e>(elf: &'e Elf<'_>, findings: &mut Findings) -> Result<Sections<'e>, Stop> {
    findings.stage();
    if !elf.has_names() {
        let message = "e_shstrndx is the index of no section";
        return Err(findings.stop(
            &rules::NAME_TABLE_INDEX_REFUSED,
            elf.shstrndx_span(),
            message,
        ));
    }
    let mut out = Sections {
        ze_info: None,
        texts: HashMap::with_capacity(elf.sections.len() / 2),
        functions: None,
        constants: Buffer::default(),
        variables: Buffer::default(),
        strings: 0,
        ir: None,
    };
    let mut singles: Vec<Single> = Vec::new();
    let mut again = Vec::new();
    for section in &elf.sections {
        let name = elf.name_of(section, findings)?;
        let words = || {
            let kind = section.kind.name();
            let kind = kind.map_or_else(|| format!("{:#x}", section.kind.0), str::to_owned);
            format!("{:?} of type {kind}", shown(name))
        };
        let Some(spec) = spec_of(section.kind, name) else {
            return Err(findings.stop(&rules::SECTION_TYPE, section.header, words()));
        };
        if let Spelling::Misspelled(_) = spec.spelling {
            findings.note(&rules::MISSPELLED, section.header, words());
        }
        match spec.driver {
            Driver::Once(Single::Text) if section.size == 0 => {}
            Driver::Skips => {}
            Driver::Kernel => {
                let kernel = name.get(TEXT.len()..).unwrap_or(&[]);
                out.texts.entry(kernel).or_insert(*section);
            }
            Driver::Warns => findings.note(&rules::SECTION_IGNORED, section.header, words()),
            Driver::Refuses => {
                return Err(findings.stop(&rules::PROGBITS_NAME, section.header, words()));
            }
            Driver::Once(single) => {
                if singles.contains(&single) {
                    again.push((section.header, words()));
                } else {
                    singles.push(single);
                    out.keep(elf, single, section);
                }
            }
        }
    }
    let mut stop = None;
    for (header, words) in again {
        stop = Some(findings.stop(&rules::SECTION_AGAIN, header, format!("{words}, again")));
    }
    stop.map_or(Ok(out), Err)
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name.get(..80).unwrap_or(name)).into_owned()
}

impl Sections<'_> {
    fn keep(&mut self, elf: &Elf<'_>, single: Single, section: &Section) {
        let place = match elf.image.locate(section.data) {
            Where::Inside(span) => span,
            _ => section.header,
        };
        match single {
            Single::ZeInfo => self.ze_info = Some(*section),
            Single::Text => self.functions = Some(*section),
            Single::Constants => self.constants.data = section.size,
            Single::Variables => self.variables.data = section.size,
            Single::Strings => self.strings = section.size,
            Single::ZeroConstants => zeros(&mut self.constants, section),
            Single::ZeroVariables => zeros(&mut self.variables, section),
            Single::Spirv if section.size > 0 => self.ir = Some(("SPIR-V", place)),
            Single::Pisa if section.size > 0 => self.ir = self.ir.or(Some(("PISA", place))),
            Single::Spirv
            | Single::Pisa
            | Single::Symtab
            | Single::Notes
            | Single::Ids
            | Single::Values => {}
        }
    }

    /// The code of a kernel; the functions' stands under a name of its own.
    pub fn text(&self, kernel: &[u8]) -> Option<&Section> {
        match self.texts.get(kernel) {
            None if kernel == FUNCTIONS => self.functions.as_ref(),
            text => text,
        }
    }
}

fn zeros(buffer: &mut Buffer, section: &Section) {
    buffer.zero = section.size;
    buffer.align = section.align;
    buffer.zero_header = Some(section.header);
}

/// The code of a kernel must be there and not empty.
pub fn check_text(
    elf: &Elf<'_>,
    sections: &Sections<'_>,
    kernel: &[u8],
    place: Span,
    findings: &mut Findings,
) -> Result<(), Stop> {
    let Some(text) = sections.text(kernel).filter(|text| text.size > 0) else {
        let message = format!("there is no code in .text.{}", shown(kernel));
        return Err(findings.stop(&rules::KERNEL_WITHOUT_TEXT, place, message));
    };
    match elf.image.locate(text.data) {
        Where::Inside(_) => Ok(()),
        Where::Before(by) if by <= AROUND && text.size <= elf.image.len() => Ok(()),
        _ => {
            let message = format!("the code of {} lies outside of the file", shown(kernel));
            Err(findings.stop(&rules::OVERFLOW_READ, text.header, message))
        }
    }
}

/// The intermediate representation in the file, found by type: for telling what it could do
/// where the driver does not get as far as sorting the sections.
pub fn find_ir(elf: &Elf<'_>) -> Option<(&'static str, Span)> {
    let of = |wanted| {
        elf.sections
            .iter()
            .rfind(|s| s.kind == wanted && s.size > 0)
    };
    let (what, section) = match (
        of(SectionType::SHT_ZEBIN_SPIRV),
        of(SectionType::SHT_ZEBIN_PISA),
    ) {
        (Some(section), _) => ("SPIR-V", section),
        (None, Some(section)) => ("PISA", section),
        (None, None) => return None,
    };
    match elf.image.locate(section.data) {
        Where::Inside(span) => Some((what, span)),
        _ => None,
    }
}
