//! What an ELF file is, among the many that look alike. The facts are spread
//! over IGC's elf.md and compute-runtime's elf_decoder.cpp; the cases are written out here.

use super::header::{FileType, Header, Machine, MachineNames};
use crate::decode::names::{BitField, Present};
use crate::decode::zebin::device::{CoreFamily, ProductFamily};
use crate::decode::zebin::target_metadata;

/// What an ELF file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// What the compiler writes.
    Zebin,
    /// What the driver hands to debuggers: the same sections with addresses, segments, and
    /// relocations applied.
    DebugZebin,
    /// The specification of 2020: target in e_machine and e_flags.
    LegacyZebin {
        /// e_machine is a core family (bit 15 of e_flags), not a product family.
        core_family: bool,
    },
    /// Looks like a zebin, and holds some: the OpenMP offload container.
    OpenMpContainer,
    /// Intel's OpenCL container from before the zebin.
    LegacyOpenCl,
    /// Any other ELF file: a host program, an object.
    Foreign,
}

/// Bit 15 of the `e_flags` of 2020: e_machine is a core family.
const MACHINE_IS_CORE_FAMILY: u64 = 1 << 15;

impl Identity {
    /// Tells from the header; the names of the sections settle what it leaves open.
    pub fn of(header: &Header, has_section: impl Fn(&str) -> bool) -> Identity {
        let kind = FileType(u16::try_from(header.e_type).unwrap_or(0));
        let intel = header.e_machine == u64::from(Machine::EM_INTELGT.0);
        let zebin_sections = has_section(".ze_info") || has_section(".note.intelgt.compat");
        match kind {
            FileType::ET_OPENCL_SOURCE
            | FileType::ET_OPENCL_OBJECTS
            | FileType::ET_OPENCL_LIBRARY
            | FileType::ET_OPENCL_EXECUTABLE
            | FileType::ET_OPENCL_DEBUG => Identity::LegacyOpenCl,
            FileType::ET_DYN if intel => Identity::OpenMpContainer,
            FileType::ET_EXEC if intel || zebin_sections => Identity::DebugZebin,
            FileType::ET_ZEBIN_REL | FileType::ET_ZEBIN_EXE | FileType::ET_ZEBIN_DYN if !intel => {
                Identity::LegacyZebin {
                    core_family: header.e_flags & MACHINE_IS_CORE_FAMILY != 0,
                }
            }
            FileType::ET_ZEBIN_REL | FileType::ET_ZEBIN_EXE | FileType::ET_ZEBIN_DYN => {
                Identity::Zebin
            }
            FileType::ET_REL if !intel && zebin_sections => Identity::LegacyZebin {
                core_family: header.e_flags & MACHINE_IS_CORE_FAMILY != 0,
            },
            _ if intel || zebin_sections => Identity::Zebin,
            _ => Identity::Foreign,
        }
    }

    /// The format's identifier.
    pub fn id(self) -> &'static str {
        match self {
            Identity::Zebin | Identity::DebugZebin | Identity::LegacyZebin { .. } => "zebin",
            Identity::OpenMpContainer => "openmp-container",
            Identity::LegacyOpenCl => "opencl-elf",
            Identity::Foreign => "elf",
        }
    }

    /// The format in words.
    pub fn title(self) -> &'static str {
        match self {
            Identity::Zebin => "zebin",
            Identity::DebugZebin => "debug zebin",
            Identity::LegacyZebin { .. } => "zebin of 2020",
            Identity::OpenMpContainer => "OpenMP offload container",
            Identity::LegacyOpenCl => "legacy Intel OpenCL container",
            Identity::Foreign => "ELF",
        }
    }

    /// Do the rules of the zebin specification hold for it?
    pub fn is_zebin(self) -> bool {
        self.id() == "zebin"
    }

    /// The names that `e_machine` has in this file, where they are not ELF's.
    pub fn machine_names(self, header: &Header) -> Option<MachineNames> {
        match self {
            Identity::LegacyZebin { core_family: true } => Some((
                <CoreFamily as Present>::KNOWN,
                "core family, as bit 15 of e_flags says",
            )),
            Identity::LegacyZebin { core_family: false }
                if header.e_machine != u64::from(Machine::EM_INTELGT.0) =>
            {
                Some((<ProductFamily as Present>::KNOWN, "product family"))
            }
            _ => None,
        }
    }

    /// The fields of `e_flags` in this file.
    pub fn flag_fields(self) -> &'static [BitField] {
        match self {
            Identity::LegacyZebin { .. } => target_metadata::FIELDS,
            _ => &[],
        }
    }
}
