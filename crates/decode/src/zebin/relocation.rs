//! The types of relocations. zebin ELF, "Gen Relocation Type".

use crate::elf::dialect::RelocationTypes;
use crate::names::Present;
use crate::open_enum;
use crate::rules;
use zeview_core::analysis::linkage::AddressPart;
use zeview_core::model::Doc;

open_enum! {
    /// The type in `r_info`. zebin ELF, "Gen Relocation Type"; the runtime spells the names
    /// R_ZE_….
    pub struct RelocationType(u32) {
        /// Nothing to do.
        R_NONE = 0,
        /// 8 bytes: the symbol's address plus the addend.
        R_SYM_ADDR = 1,
        /// 4 bytes: the lower half of the address.
        R_SYM_ADDR_32 = 2,
        /// 4 bytes: the upper half of the address.
        R_SYM_ADDR_32_HI = 3,
        /// 4 bytes: the offset of the per-thread payload. Deprecated.
        R_PER_THREAD_PAYLOAD_OFFSET_32 = 4,
        /// 4 bytes: a global immediate.
        R_GLOBAL_IMM_32 = 5,
        /// The offset of a send instruction, for patching its binding table index.
        R_SEND = 6,
        /// 2 bytes: an address or immediate. Since version 1.48.
        R_SYM_ADDR_16 = 7,
    }
}

impl RelocationType {
    /// Number of patched bytes.
    pub fn width(self) -> u64 {
        match self {
            RelocationType::R_NONE => 0,
            RelocationType::R_SYM_ADDR => 8,
            RelocationType::R_SYM_ADDR_16 => 2,
            _ => 4,
        }
    }

    /// The part of the symbol's address plus the addend that is patched in.
    pub fn part(self) -> Option<AddressPart> {
        match self {
            RelocationType::R_SYM_ADDR => Some(AddressPart::Whole),
            RelocationType::R_SYM_ADDR_32 => Some(AddressPart::Low),
            RelocationType::R_SYM_ADDR_32_HI => Some(AddressPart::High),
            _ => None,
        }
    }
}

/// The relocation types for the generic ELF reader.
pub static RELOCATION_TYPES: RelocationTypes = RelocationTypes {
    known: <RelocationType as Present>::KNOWN,
    width: |kind| RelocationType(kind).width(),
    part: |kind| RelocationType(kind).part(),
    unknown: Some(&rules::ZEBIN_RELOCATION_TYPE),
    doc: Doc::new(
        "The type of the relocation: what is patched.",
        "zebin ELF, Gen Relocation Type",
    )
    .known(<RelocationType as Present>::KNOWN),
};
