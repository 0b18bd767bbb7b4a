//! Recognizes Intel's ELF files and selects their [dialect](Dialect). IGC's elf.md and
//! compute-runtime's elf_decoder.cpp define the rules; this module lists the cases.

use std::rc::Rc;

use super::containers;
use super::note_intelgt;
use super::relocation::RELOCATION_TYPES;
use super::target_metadata::TargetMetadata;
use crate::device::{CoreFamily, ProductFamily};
use crate::elf::ElfFile;
use crate::elf::dialect::{Dialect, Host, MachineNames, RelocationTypes, images};
use crate::elf::header::{FileType, Header, Machine};
use crate::elf::note::{FOREIGN, Owners};
use crate::elf::section::Section;
use crate::limits;
use crate::names::{BitField, Present};
use zeview_core::model::Doc;

/// A kind of Intel ELF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// A zebin as written by the compiler.
    Zebin,
    /// A debug zebin, which the driver passes to debuggers: the same sections with addresses,
    /// segments, and applied relocations.
    DebugZebin,
    /// A zebin of the 2020 specification: target in e_machine and e_flags.
    LegacyZebin {
        /// Whether e_machine is a core family (bit 15 of e_flags), not a product family.
        core_family: bool,
    },
    /// The OpenMP offload container: looks like a zebin, and contains zebins.
    OpenMpContainer,
    /// Intel's legacy OpenCL container, which predates the zebin.
    LegacyOpenCl,
}

/// Bit 15 of the `e_flags` of 2020: e_machine is a core family.
const MACHINE_IS_CORE_FAMILY: u64 = 1 << 15;

impl Identity {
    /// Identifies a file by its header, or by section names if the header is ambiguous. Returns
    /// `None` for files that are not Intel's.
    pub fn of(file: &ElfFile) -> Option<Identity> {
        let header = &file.header;
        let kind = FileType(u16::try_from(header.e_type).unwrap_or(0));
        let intel = header.e_machine == u64::from(Machine::EM_INTELGT.0);
        let zebin_sections = file
            .sections
            .iter()
            .any(|s| matches!(s.name.as_str(), ".ze_info" | ".note.intelgt.compat"));
        Some(match kind {
            FileType::ET_OPENCL_SOURCE
            | FileType::ET_OPENCL_OBJECTS
            | FileType::ET_OPENCL_LIBRARY
            | FileType::ET_OPENCL_EXECUTABLE
            | FileType::ET_OPENCL_DEBUG => Identity::LegacyOpenCl,
            // LLVM writes the container with the machine of a zebin; only the type tells them
            // apart.
            FileType::ET_DYN if intel => Identity::OpenMpContainer,
            FileType::ET_EXEC if intel || zebin_sections => Identity::DebugZebin,
            FileType::ET_ZEBIN_REL | FileType::ET_ZEBIN_EXE | FileType::ET_ZEBIN_DYN if !intel => {
                Identity::LegacyZebin {
                    core_family: header.e_flags & MACHINE_IS_CORE_FAMILY != 0,
                }
            }
            // Before EM_INTELGT, e_machine was a family. Objects for other machines have no such
            // sections.
            FileType::ET_REL if !intel && zebin_sections => Identity::LegacyZebin {
                core_family: header.e_flags & MACHINE_IS_CORE_FAMILY != 0,
            },
            _ if intel || zebin_sections => Identity::Zebin,
            _ => return None,
        })
    }

    /// Returns whether the rules of the zebin specification apply.
    pub fn is_zebin(self) -> bool {
        match self {
            Identity::Zebin | Identity::DebugZebin | Identity::LegacyZebin { .. } => true,
            Identity::OpenMpContainer | Identity::LegacyOpenCl => false,
        }
    }
}

/// The dialect of a file.
pub fn dialect(file: &ElfFile) -> Rc<dyn Dialect> {
    let machine = u16::try_from(file.header.e_machine).ok().map(Machine);
    match (Identity::of(file), machine) {
        (Some(identity), _) => Rc::new(identity),
        (None, Some(machine)) if machine != Machine::EM_NONE && machine.name().is_some() => {
            Rc::new(Host)
        }
        (None, _) => Rc::new(Unclaimed),
    }
}

/// A file of unknown machine: the driver may take it for a zebin.
#[derive(Debug)]
struct Unclaimed;

impl Dialect for Unclaimed {
    fn id(&self) -> &'static str {
        Host.id()
    }

    fn title(&self) -> &'static str {
        Host.title()
    }

    fn is_loadable(&self, _header: &Header) -> bool {
        true
    }
}

impl Dialect for Identity {
    fn id(&self) -> &'static str {
        match self {
            Identity::Zebin | Identity::DebugZebin | Identity::LegacyZebin { .. } => "zebin",
            Identity::OpenMpContainer => "openmp-container",
            Identity::LegacyOpenCl => "opencl-elf",
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Identity::Zebin => "zebin",
            Identity::DebugZebin => "debug zebin",
            Identity::LegacyZebin { .. } => "zebin of 2020",
            Identity::OpenMpContainer => "OpenMP offload container",
            Identity::LegacyOpenCl => "legacy Intel OpenCL container",
        }
    }

    fn machine_names(&self, header: &Header) -> Option<MachineNames> {
        match self {
            Identity::LegacyZebin { core_family: true } => Some((
                <CoreFamily as Present>::KNOWN,
                "core family (bit 15 of e_flags is set)",
            )),
            Identity::LegacyZebin { core_family: false }
                if header.e_machine != u64::from(Machine::EM_INTELGT.0) =>
            {
                Some((<ProductFamily as Present>::KNOWN, "product family"))
            }
            _ => None,
        }
    }

    fn flag_fields(&self) -> &'static [BitField] {
        match self {
            Identity::LegacyZebin { .. } => TargetMetadata::FIELDS,
            _ => &[],
        }
    }

    fn relocation_types(&self) -> &'static RelocationTypes {
        &RELOCATION_TYPES
    }

    fn is_relocatable(&self, _header: &Header) -> bool {
        true
    }

    fn note_owners(&self) -> Owners {
        |name| match name {
            note_intelgt::OWNER => &note_intelgt::VOCABULARY,
            containers::OPENMP_OWNER => &containers::OPENMP_NOTES,
            _ => &FOREIGN,
        }
    }

    /// The driver does not support compression and reads sections as stored; only debuggers may
    /// decompress theirs.
    fn unpacks(&self, section: &Section) -> bool {
        section.name.starts_with(".debug_")
    }

    fn unpack_limit(&self) -> u64 {
        limits::UNPACKED
    }

    fn embedded(&self, section: &Section) -> Option<&'static Doc> {
        match self {
            Identity::LegacyOpenCl => containers::opencl(section),
            Identity::OpenMpContainer => containers::openmp(section),
            _ => None,
        }
        .or_else(|| images(section))
    }

    fn lists_kernels(&self) -> bool {
        self.is_zebin()
    }

    fn has_intel_dwarf(&self) -> bool {
        self.is_zebin()
    }

    /// The driver loads no native code of legacy containers. One for Intel GPUs may be a zebin with
    /// another type.
    fn is_loadable(&self, header: &Header) -> bool {
        let is_intel = header.e_machine == u64::from(Machine::EM_INTELGT.0);
        *self != Identity::LegacyOpenCl || is_intel
    }
}
