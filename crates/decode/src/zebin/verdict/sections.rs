//! The sections that the driver knows, by type and name: compute-runtime, zebin_decoder.cpp,
//! extractZebinSections and validateZebinSectionsCount.

use std::collections::HashMap;
use std::fmt::{self, Display};

use super::elf_level::{Elf, Section};
use super::findings::{Excerpt, Findings, Refused};
use super::image::{Location, READABLE_NEAR_FILE};
use super::rules;
use super::ze_info::Kernel;
use crate::elf::section::SectionType;
use crate::zebin::sections::{Driver, Single, Spelling, spec_of};
use zeview_core::analysis::kernels::PLACEHOLDER;
use zeview_core::model::Span;

/// The name of the kernel that `.text` belongs to.
pub const FUNCTIONS: &[u8] = PLACEHOLDER.as_bytes();

const TEXT: &[u8] = b".text.";

/// A buffer of constants or variables.
#[derive(Debug, Clone, Copy, Default)]
pub struct Buffer {
    /// Its bytes in the file.
    pub data: u64,
    /// The size of its zero-initialized part.
    pub zero: u64,
    /// The alignment of the zero-initialized section.
    pub align: u64,
    /// The header of the zero-initialized section.
    pub zero_header: Option<Span>,
}

impl Buffer {
    /// Returns whether it is allocated.
    pub fn exists(&self) -> bool {
        self.data != 0 || self.zero != 0
    }
}

/// The sections that the driver reads.
pub struct Sections<'e> {
    /// `.ze_info`
    pub ze_info: Option<Section>,
    /// The code of kernels, by name.
    pub texts: HashMap<&'e [u8], Section>,
    /// The non-empty `.text`.
    pub functions: Option<Section>,
    /// Constants.
    pub constants: Buffer,
    /// Variables.
    pub variables: Buffer,
    /// The size of the string section.
    pub strings: u64,
    /// The intermediate representation.
    pub ir: Option<(&'static str, Span)>,
}

/// Sorts the sections.
pub fn sort<'e>(elf: &'e Elf<'_>, findings: &mut Findings) -> Result<Sections<'e>, Refused> {
    findings.stage();
    if !elf.has_names() {
        let message = "e_shstrndx is not the index of a section";
        let place = elf.shstrndx_span();
        return findings.refuse(&rules::NAME_TABLE_INDEX_REFUSED, place, message);
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
    let mut duplicates = Vec::new();
    for section in &elf.sections {
        let name = elf.name_of(section, findings)?;
        let title = Title(section, name);
        let Some(spec) = spec_of(section.kind, name) else {
            return findings.refuse(&rules::SECTION_TYPE, section.header, title);
        };
        if let Spelling::Misspelled(_) = spec.spelling {
            findings.note(&rules::MISSPELLED, section.header, Title(section, name));
        }
        match spec.driver {
            Driver::Once(Single::Text) if section.size == 0 => {}
            Driver::Skips => {}
            Driver::Kernel => {
                let kernel = name.get(TEXT.len()..).unwrap_or(&[]);
                // Duplicates are accepted: the first one is used (observed).
                out.texts.entry(kernel).or_insert(*section);
            }
            Driver::Warns => findings.note(&rules::SECTION_IGNORED, section.header, title),
            Driver::Refuses => {
                return findings.refuse(&rules::PROGBITS_NAME, section.header, title);
            }
            Driver::Once(single) => {
                if singles.contains(&single) {
                    duplicates.push(Title(section, name));
                } else {
                    singles.push(single);
                    out.keep(elf, single, section);
                }
            }
        }
    }
    let mut result = Ok(out);
    // Counted after all sections were seen: an unknown type or name refuses the file first.
    for title in duplicates {
        let header = title.0.header;
        let message = format_args!("duplicate section {title}");
        result = findings.refuse(&rules::DUPLICATE_SECTION, header, message);
    }
    result
}

/// A section in a message: its name and type.
struct Title<'a>(&'a Section, &'a [u8]);

impl Display for Title<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Title(section, name) = self;
        match section.kind.name() {
            Some(kind) => write!(f, "\"{}\" of type {kind}", Excerpt(name)),
            None => write!(f, "\"{}\" of type {:#x}", Excerpt(name), section.kind.0),
        }
    }
}

impl Sections<'_> {
    fn keep(&mut self, elf: &Elf<'_>, single: Single, section: &Section) {
        let place = match elf.image.locate(section.data) {
            Location::InFile(span) => span,
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

    /// The code of a kernel. Functions belong to a kernel of their own.
    pub fn text(&self, kernel: &[u8]) -> Option<&Section> {
        match self.texts.get(kernel) {
            None if kernel == FUNCTIONS => self.functions.as_ref(),
            text => text,
        }
    }

    /// Checks that every kernel has non-empty code.
    pub fn check_code(
        &self,
        elf: &Elf<'_>,
        kernels: &[Kernel<'_>],
        findings: &mut Findings,
    ) -> Result<(), Refused> {
        findings.stage();
        let mut result = Ok(());
        for kernel in kernels {
            let name = Excerpt(kernel.name);
            let text = self.text(kernel.name).filter(|text| text.size > 0);
            let Some(text) = text else {
                let message = format_args!("{name}: no code in .text.{name}");
                result = findings.refuse(&rules::KERNEL_WITHOUT_TEXT, kernel.place, message);
                continue;
            };
            let near = |by| by <= READABLE_NEAR_FILE && text.size <= elf.image.len();
            match elf.image.locate(text.data) {
                Location::InFile(_) => {}
                Location::Before(by) if near(by) => {}
                _ => {
                    let message = format_args!("{name}: the code is outside of the file");
                    result = findings.refuse(&rules::OVERFLOW_READ, text.header, message);
                }
            }
        }
        result
    }
}

fn zeros(buffer: &mut Buffer, section: &Section) {
    buffer.zero = section.size;
    buffer.align = section.align;
    buffer.zero_header = Some(section.header);
}

/// Finds the intermediate representation by section type, since the driver may stop before it sorts
/// the sections.
pub fn find_ir(elf: &Elf<'_>) -> Option<(&'static str, Span)> {
    let of = |wanted| {
        elf.sections
            .iter()
            .rfind(|s| s.kind == wanted && s.size > 0)
    };
    let (name, section) = match (
        of(SectionType::SHT_ZEBIN_SPIRV),
        of(SectionType::SHT_ZEBIN_PISA),
    ) {
        (Some(section), _) => ("SPIR-V", section),
        (None, Some(section)) => ("PISA", section),
        (None, None) => return None,
    };
    match elf.image.locate(section.data) {
        Location::InFile(span) => Some((name, span)),
        _ => None,
    }
}
