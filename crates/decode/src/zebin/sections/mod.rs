//! The sections of a zebin, the driver's handling of each, and its presentation. zebin ELF, "ELF
//! Layout"; compute-runtime, zebin_decoder.cpp, extractZebinSections.
//!
//! The checks, rows, colors, help and [verdict](super::verdict) all use [`SECTIONS`].

mod check;
mod rows;

pub use self::check::check;
pub use self::rows::{describe, section_node};

use self::Content::*;
use self::Driver::*;
use self::Name::*;
use crate::elf::section::SectionType;
use zeview_core::model::{Area, Doc};

/// A pattern of section names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// Exactly this name.
    Exact(&'static str),
    /// This prefix with a suffix.
    Prefix(&'static str),
    /// Any name.
    Any,
}

impl Name {
    fn matches(self, name: &[u8]) -> bool {
        match self {
            Exact(whole) => name == whole.as_bytes(),
            Prefix(start) => name.starts_with(start.as_bytes()),
            Any => true,
        }
    }
}

/// The status of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// A name that the compiler writes.
    Known,
    /// An old spelling of another name.
    Misspelled(&'static str),
    /// A name that the specification does not define for this type.
    Unknown,
}

/// Sections that a zebin has at most one of.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Single {
    ZeInfo,
    Symtab,
    Spirv,
    Pisa,
    Notes,
    Text,
    Constants,
    Variables,
    Strings,
    ZeroConstants,
    ZeroVariables,
    Ids,
    Values,
}

/// The driver's handling of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Reads it, and refuses a file with a second one. An empty `.text` is ignored.
    Once(Single),
    /// Loads it as the code of the kernel in its name.
    Kernel,
    /// Skips it here; the container's decoder reads it, or nothing does.
    Skips,
    /// Skips it with a warning.
    Warns,
    /// Refuses the file.
    Refuses,
}

/// The memory that a section is loaded into. Symbols and relocations of other sections are dropped.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    Constants,
    ZeroConstants,
    Variables,
    ZeroVariables,
    Strings,
    Code,
}

/// The presentation of a section's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// As defined by the generic ABI for the type.
    Generic,
    /// Machine code.
    Code,
    /// NUL-terminated strings.
    Strings,
    /// `.ze_info`.
    ZeInfo,
    /// SPIR-V or LLVM bitcode.
    Spirv,
    /// Lines of text.
    Lines,
    /// Build options: one or more lines of text.
    Options,
    /// Numbers of this size in bytes.
    Numbers(u64),
    /// GTPin data.
    Gtpin,
    /// Compatibility notes.
    Notes,
    /// Metrics: notes by type only.
    Metrics,
}

/// The properties of the sections of a type and name.
#[derive(Debug)]
pub struct SectionSpec {
    /// `sh_type`.
    pub kind: SectionType,
    /// The name.
    pub name: Name,
    /// The status of the name.
    pub spelling: Spelling,
    /// The driver's handling of it.
    pub driver: Driver,
    /// The memory it is loaded into. The driver's linker goes by the name alone.
    pub segment: Option<Segment>,
    /// Its color.
    pub area: Area,
    /// The presentation of its bytes.
    pub content: Content,
    /// Its documentation.
    pub doc: Doc,
}

const fn section(
    kind: SectionType,
    name: Name,
    driver: Driver,
    area: Area,
    content: Content,
    doc: Doc,
) -> SectionSpec {
    SectionSpec {
        kind,
        name,
        spelling: Spelling::Known,
        driver,
        segment: None,
        area,
        content,
        doc,
    }
}

impl SectionSpec {
    const fn spelling(mut self, spelling: Spelling) -> SectionSpec {
        self.spelling = spelling;
        self
    }

    const fn unknown(self) -> SectionSpec {
        self.spelling(Spelling::Unknown)
    }

    const fn segment(mut self, segment: Segment) -> SectionSpec {
        self.segment = Some(segment);
        self
    }
}

/// The entry for the sections of a type and name. Returns `None` if zebins have no sections of the
/// type.
pub fn spec_of(kind: SectionType, name: &[u8]) -> Option<&'static SectionSpec> {
    let fits = |spec: &&SectionSpec| spec.kind == kind && spec.name.matches(name);
    SECTIONS.iter().find(fits)
}

/// The memory into which a section with that name is loaded. Returns `None` if it is not loaded.
pub fn segment_of(name: &[u8]) -> Option<Segment> {
    let fits = |spec: &&SectionSpec| spec.segment.is_some() && spec.name.matches(name);
    SECTIONS.iter().find(fits)?.segment
}

const ELF_TEXT: &str = "zebin ELF, .text";
const ELF_MISC: &str = "zebin ELF, .misc";
const NO_SPEC: &str = "IGC, zebin_builder.cpp; not specified";

/// All sections. The first match counts.
#[rustfmt::skip]
pub static SECTIONS: &[SectionSpec] = &[
    section(SectionType::SHT_NULL, Any, Skips, Area::Inherit, Generic,
        Doc::new("The type is SHT_NULL: consumers ignore these bytes.", "gABI, SHT_NULL")),

    section(SectionType::SHT_PROGBITS, Exact(".text"), Once(Single::Text), Area::Code, Code,
        Doc::new("Machine code of functions that other modules call.", ELF_TEXT))
        .segment(Segment::Code),
    section(SectionType::SHT_PROGBITS, Prefix(".text."), Kernel, Area::Code, Code,
        Doc::new("Machine code of a kernel; the section is named after it.", ELF_TEXT))
        .segment(Segment::Code),
    // The linker treats this prefix as code, in sections of other types too.
    section(SectionType::SHT_PROGBITS, Prefix(".text"), Refuses, Area::Code, Generic,
        Doc::new("Neither .text nor named after a kernel.", ELF_TEXT))
        .segment(Segment::Code).unknown(),
    section(SectionType::SHT_PROGBITS, Exact(".data.const"), Once(Single::Constants), Area::Data, Generic,
        Doc::new("Constants.", "zebin ELF, .data.const"))
        .segment(Segment::Constants),
    section(SectionType::SHT_PROGBITS, Exact(".data.global_const"), Once(Single::Constants), Area::Data, Generic,
        Doc::new("Constants; an old misspelling of .data.const.", "zebin ELF, .data.const"))
        .segment(Segment::Constants).spelling(Spelling::Misspelled(".data.const")),
    section(SectionType::SHT_PROGBITS, Exact(".data.global"), Once(Single::Variables), Area::Data, Generic,
        Doc::new("Global variables.", "zebin ELF, .data.global"))
        .segment(Segment::Variables),
    section(SectionType::SHT_PROGBITS, Exact(".data.const.string"), Once(Single::Strings), Area::Data, Strings,
        Doc::new("Strings, such as the format strings of printf.", NO_SPEC))
        .segment(Segment::Strings),
    section(SectionType::SHT_PROGBITS, Prefix(".debug_"), Skips, Area::Debug, Generic,
        Doc::new("Debug information, which the driver passes to debuggers.", "zebin ELF, .debug")),
    section(SectionType::SHT_PROGBITS, Any, Refuses, Area::Inherit, Generic,
        Doc::new("The specification does not define this name for SHT_PROGBITS.", "zebin ELF, ELF Layout"))
        .unknown(),

    section(SectionType::SHT_NOBITS, Exact(".bss.const"), Once(Single::ZeroConstants), Area::Data, Generic,
        Doc::new("Zero-initialized constants. They follow .data.const in memory and have no bytes in the file.", "zebin ELF, .bss.const"))
        .segment(Segment::ZeroConstants),
    section(SectionType::SHT_NOBITS, Exact(".bss.global"), Once(Single::ZeroVariables), Area::Data, Generic,
        Doc::new("Zero-initialized variables. They follow .data.global in memory and have no bytes in the file.", "zebin ELF, .bss.global"))
        .segment(Segment::ZeroVariables),
    section(SectionType::SHT_NOBITS, Any, Warns, Area::Inherit, Generic,
        Doc::new("Zero-initialized data, with no bytes in the file. The driver skips it.", "gABI, SHT_NOBITS"))
        .unknown(),

    section(SectionType::SHT_SYMTAB, Any, Once(Single::Symtab), Area::Symbol, Generic,
        Doc::new("Kernels, functions, variables, and undefined symbols.", "gABI, Symbol Table; zebin ELF, ZE symbols")),
    section(SectionType::SHT_STRTAB, Any, Skips, Area::Symbol, Generic,
        Doc::new("Names of sections and symbols, in one table.", "gABI, String Table")),
    section(SectionType::SHT_REL, Any, Skips, Area::Symbol, Generic,
        Doc::new("Relocations that the driver applies when it loads the file.", "gABI, Relocation; zebin ELF, Gen Relocation Type")),
    section(SectionType::SHT_RELA, Any, Skips, Area::Symbol, Generic,
        Doc::new("Relocations of the debug information.", "gABI, Relocation; zebin ELF, Gen Relocation Type")),

    section(SectionType::SHT_NOTE, Exact(".note.intelgt.compat"), Once(Single::Notes), Area::Note, Notes,
        Doc::new("The target device, and the versions of the compiler.", "zebin ELF, .note.intelgt.compat")),
    // The compiler writes it to every file, and the driver reports it every time: no warning.
    section(SectionType::SHT_NOTE, Exact(".note.intelgt.metrics"), Skips, Area::Note, Metrics,
        Doc::new("64 zero bytes, not notes. If there are metrics, IGC sets sh_size to their size, but leaves sh_offset at the 64 zero bytes before them.", "IGC, zebin_builder.cpp")),
    section(SectionType::SHT_NOTE, Any, Warns, Area::Note, Generic,
        Doc::new("Notes under a name that the specification does not define; the driver skips them.", "gABI, Note Section"))
        .unknown(),

    section(SectionType::SHT_ZEBIN_ZEINFO, Any, Once(Single::ZeInfo), Area::Meta, ZeInfo,
        Doc::new("The metadata of the kernels: resources, arguments, buffers.", "ZE Info")),
    section(SectionType::SHT_ZEBIN_SPIRV, Any, Once(Single::Spirv), Area::Ir, Spirv,
        Doc::new("SPIR-V of the module. The driver recompiles it if the code is for another device.", "zebin ELF, .spv")),
    section(SectionType::SHT_ZEBIN_PISA, Any, Once(Single::Pisa), Area::Ir, Generic,
        Doc::new("Kernel code as PISA, an intermediate representation that the driver compiles.", "zebin ELF, .pisa, since version 1.71")),
    section(SectionType::SHT_ZEBIN_VISAASM, Any, Skips, Area::Meta, Lines,
        Doc::new("vISA assembly, the compiler's virtual instruction set, as text.", "zebin ELF, .visaasm; option -ze-opt-emit-zebin-visa-sections")),

    section(SectionType::SHT_ZEBIN_GTPIN_INFO, Prefix(".gtpin_info."), Skips, Area::Meta, Gtpin,
        Doc::new("The compiler's data about a kernel or function for GTPin, Intel's instrumentation tool.", "gtpin_IGC_interface.h")),
    section(SectionType::SHT_ZEBIN_GTPIN_INFO, Exact(".gtpin_info"), Warns, Area::Meta, Gtpin,
        Doc::new("The compiler's data for GTPin, Intel's instrumentation tool.", "gtpin_IGC_interface.h")),
    section(SectionType::SHT_ZEBIN_GTPIN_INFO, Any, Warns, Area::Meta, Gtpin,
        Doc::new("Data for GTPin, Intel's instrumentation tool, under a name that the specification does not define.", "gtpin_IGC_interface.h"))
        .unknown(),

    section(SectionType::SHT_ZEBIN_MISC, Exact(".misc.buildOptions"), Skips, Area::Meta, Options,
        Doc::new("The build options that the file was compiled with.", "zebin ELF, .misc.buildOptions")),
    section(SectionType::SHT_ZEBIN_MISC, Exact(".misc.specConstantsIds"), Once(Single::Ids), Area::Meta, Numbers(4),
        Doc::new("The ids of the specialization constants that were set when the file was compiled.", "zebin ELF, .misc.specConstantsIds, since version 1.68")),
    section(SectionType::SHT_ZEBIN_MISC, Exact(".misc.specConstantsValues"), Once(Single::Values), Area::Meta, Numbers(8),
        Doc::new("The values of the specialization constants, in the order of their ids.", "zebin ELF, .misc.specConstantsValues, since version 1.68")),
    section(SectionType::SHT_ZEBIN_MISC, Any, Warns, Area::Meta, Generic,
        Doc::new("Miscellaneous data under a name that the specification does not define; the driver skips it.", ELF_MISC))
        .unknown(),
];
