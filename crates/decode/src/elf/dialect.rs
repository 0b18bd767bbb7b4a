//! A dialect: the parts of ELF that the generic ABI leaves to other specifications.
//!
//! Compilers embed device images in sections of a [`Host`]'s objects and programs:
//!
//! ```text
//! .llvm.offloading, .sycl_fatbin  an OffloadBinary, or several (LLVM, Object/OffloadBinary.cpp)
//! .hip_fatbin                     bundles, one for each translation unit (clang, HIPUtility.cpp)
//! __CLANG_OFFLOAD_BUNDLE__<id>    one image (clang, ClangOffloadBundler.rst)
//! ```

use std::fmt::Debug;

use super::header::{FileType, Header};
use super::note::{self, Owners};
use super::section::{Section, SectionType};
use crate::names::BitField;
use crate::rule::Rule;
use zeview_core::analysis::linkage::AddressPart;
use zeview_core::model::{Doc, KnownValue};

/// Named values of a field, and the source that defines them.
pub type MachineNames = (&'static [KnownValue], &'static str);

/// The relocation types of a machine.
#[derive(Debug)]
pub struct RelocationTypes {
    /// Their names.
    pub known: &'static [KnownValue],
    /// Number of bytes that a type patches.
    pub width: fn(u32) -> u64,
    /// The part of the symbol's address plus addend that a type patches in. Returns `None` for types
    /// that patch in something else.
    pub part: fn(u32) -> Option<AddressPart>,
    /// Problem reported for a type without a name.
    pub unknown: Option<&'static Rule>,
    /// Description of the type field.
    pub doc: Doc,
}

/// The types of an unknown machine: all except 0 patch something.
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
static HIP_DOC: Doc = Doc::new(
    "Bundles of device images for HIP: one for each translation unit.",
    "clang, HIPUtility.cpp",
);
static BUNDLE_DOC: Doc = Doc::new(
    "A device image. The name of the section gives the offload model and the target.",
    "clang, ClangOffloadBundler.rst",
);

/// Sections with OffloadBinaries: of all translation units together, or one for each unit.
const OFFLOADING: [&str; 2] = [".llvm.offloading", ".sycl_fatbin"];

/// Prefix of the names of sections with one image.
const BUNDLE: &str = "__CLANG_OFFLOAD_BUNDLE__";

/// Documentation of a section with device images. Returns `None` for other sections.
pub fn images(section: &Section) -> Option<&'static Doc> {
    if section.kind == SectionType::SHT_LLVM_OFFLOADING
        || OFFLOADING.contains(&section.name.as_str())
    {
        return Some(&OFFLOADING_DOC);
    }
    if section.name == ".hip_fatbin" {
        return Some(&HIP_DOC);
    }
    // The image of the host itself is one unused byte: the host code is the file around it.
    let id = section.name.strip_prefix(BUNDLE)?;
    (!id.starts_with("host")).then_some(&BUNDLE_DOC)
}

/// Maximum number of bytes decompressed from the debug information of a host file, which can be
/// arbitrarily large and is rarely viewed.
const UNPACKED: u64 = 4 << 20;

/// A kind of ELF file. The default methods follow the generic ABI.
pub trait Dialect: Debug {
    /// The format's identifier.
    fn id(&self) -> &'static str;

    /// The format's title.
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

    /// Returns whether relocation offsets count in sections and refer to the file's symbols. In a
    /// host's program they are addresses, for the dynamic linker.
    fn is_relocatable(&self, header: &Header) -> bool {
        header.e_type == u64::from(FileType::ET_REL.0)
    }

    /// The vocabularies of note owners.
    fn note_owners(&self) -> Owners {
        |_| &note::FOREIGN
    }

    /// Returns whether the section is decompressed, if it is compressed.
    fn unpacks(&self, section: &Section) -> bool {
        let _ = section;
        true
    }

    /// Maximum number of bytes that are decompressed.
    fn unpack_limit(&self) -> u64 {
        UNPACKED
    }

    /// Documentation of a section that contains a file. Returns `None` for other sections.
    fn embedded(&self, section: &Section) -> Option<&'static Doc> {
        images(section)
    }

    /// Returns whether such files list kernels.
    fn lists_kernels(&self) -> bool {
        false
    }

    /// Returns whether DWARF and its relocations use Intel's extensions.
    fn has_intel_dwarf(&self) -> bool {
        false
    }

    /// Returns whether a program would give such a file to the driver.
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
