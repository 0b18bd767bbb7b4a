//! A dialect: the parts of ELF that the generic ABI leaves to other specifications.
//!
//! Compilers embed device images in sections of a [`Host`]'s objects and programs:
//!
//! ```text
//! .llvm.offloading, .sycl_fatbin  an OffloadBinary, or several (LLVM, Object/OffloadBinary.cpp)
//! __CLANG_OFFLOAD_BUNDLE__<id>    one image (clang, ClangOffloadBundler.rst)
//! ```

use std::fmt::Debug;

use super::header::{FileType, Header};
use super::note::{self, Owners};
use super::section::{Section, SectionType};
use crate::decode::names::BitField;
use crate::decode::rule::Rule;
use crate::model::{Doc, KnownValue};

/// A table of numbers with names, and what they are names of.
pub type MachineNames = (&'static [KnownValue], &'static str);

/// The types of relocations of a machine.
#[derive(Debug)]
pub struct RelocationTypes {
    /// Their names.
    pub known: &'static [KnownValue],
    /// How many bytes a type patches.
    pub width: fn(u32) -> u64,
    /// Which part of the symbol's address plus the addend a type patches in: `low 32 bits of `,
    /// nothing for all of it. Returns `None` for types that patch in something else.
    pub part: fn(u32) -> Option<&'static str>,
    /// What is wrong with a type without a name.
    pub unknown: Option<&'static Rule>,
    /// What a type is.
    pub doc: Doc,
}

/// The types of a machine that is not known: all but 0 patch something.
static OTHER_TYPES: RelocationTypes = RelocationTypes {
    known: &[],
    width: |kind| u64::from(kind != 0),
    part: |_| None,
    unknown: None,
    doc: Doc::new(
        "The type of the relocation; each machine has its own.",
        "gABI, Relocation",
    ),
};

static OFFLOADING_DOC: Doc = Doc::new(
    "Device images that the compiler embeds; the linker extracts them.",
    "LLVM, Object/OffloadBinary.h",
);
static BUNDLE_DOC: Doc = Doc::new(
    "A device image. The name of the section gives the offload model and the target.",
    "clang, ClangOffloadBundler.rst",
);

/// Sections with OffloadBinaries: of all translation units together, or of one each.
const OFFLOADING: [&str; 2] = [".llvm.offloading", ".sycl_fatbin"];

/// Names of sections with an image start so.
const BUNDLE: &str = "__CLANG_OFFLOAD_BUNDLE__";

/// What a section with images for devices is; `None` for other sections.
pub fn images(section: &Section) -> Option<&'static Doc> {
    if section.kind == SectionType::SHT_LLVM_OFFLOADING
        || OFFLOADING.contains(&section.name.as_str())
    {
        return Some(&OFFLOADING_DOC);
    }
    // The host's own is a byte that nobody reads: the host's code is all around it.
    let id = section.name.strip_prefix(BUNDLE)?;
    (!id.starts_with("host")).then_some(&BUNDLE_DOC)
}

/// Bytes that are unpacked of the debugging information of a host's file: nobody has asked for
/// it, and it can be as large as it likes.
const UNPACKED: u64 = 4 << 20;

/// A kind of ELF files. What is not overridden is as the generic ABI says.
pub trait Dialect: Debug {
    /// The format's identifier.
    fn id(&self) -> &'static str;

    /// The format in words.
    fn title(&self) -> &'static str;

    /// The names of the values of `e_machine`. Returns `None` if they are the generic ABI's.
    fn machine_names(&self, header: &Header) -> Option<MachineNames> {
        let _ = header;
        None
    }

    /// The fields of `e_flags`.
    fn flag_fields(&self) -> &'static [BitField] {
        &[]
    }

    /// The types of relocations.
    fn relocation_types(&self) -> &'static RelocationTypes {
        &OTHER_TYPES
    }

    /// Are the places of relocations offsets in sections, and their symbols those of the file?
    /// In a host's program they are addresses, for the dynamic linker.
    fn is_relocatable(&self, header: &Header) -> bool {
        header.e_type == u64::from(FileType::ET_REL.0)
    }

    /// What the owners of notes mean.
    fn note_owners(&self) -> Owners {
        |_| &note::FOREIGN
    }

    /// Does anybody unpack the section, if it is compressed?
    fn unpacks(&self, section: &Section) -> bool {
        let _ = section;
        true
    }

    /// So many compressed bytes are unpacked.
    fn unpack_limit(&self) -> u64 {
        UNPACKED
    }

    /// What a section is that holds a file; `None` for other sections.
    fn embedded(&self, section: &Section) -> Option<&'static Doc> {
        images(section)
    }

    /// Do such files list kernels?
    fn lists_kernels(&self) -> bool {
        false
    }

    /// Have DWARF and its relocations Intel's extensions?
    fn has_intel_dwarf(&self) -> bool {
        false
    }

    /// Would a program give such a file to the driver?
    fn is_loadable(&self, header: &Header) -> bool {
        let _ = header;
        false
    }
}

/// A host's object or program.
#[derive(Debug)]
pub struct Host;

impl Dialect for Host {
    fn id(&self) -> &'static str {
        "elf"
    }

    fn title(&self) -> &'static str {
        "ELF"
    }
}
