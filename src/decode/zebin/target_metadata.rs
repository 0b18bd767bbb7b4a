//! `TargetMetadata`: the description of note type 3, and `e_flags` in files of 2020. zebin
//! ELF, "The description of NT_INTELGT_TARGET_METADATA note".
//!
//! The specification's comments on bits 13 and 14 are swapped; what stands here is what
//! compute-runtime does with them.

use crate::decode::names::{Dec, Hex};
use crate::{bit_fields, open_enum};

open_enum! {
    /// `GeneratorId`.
    pub struct GeneratorId(u8) {
        /// Not said.
        UNREGISTERED = 0,
        /// The Intel Graphics Compiler.
        IGC = 1,
        /// oneDNN's nGEN.
        NGEN = 2,
    }
}

open_enum! {
    /// `GeneratorSpecificFlags`.
    pub struct GeneratorSpecificFlags(u8) {
        /// None.
        NONE = 0,
    }
}

bit_fields! {
    /// The fields of the word.
    pub const FIELDS: "zebin ELF, TargetMetadata" {
        /// Flags that the generator gives a meaning.
        generatorSpecificFlags: GeneratorSpecificFlags = 0..8,
        /// The lowest hardware revision (stepping) that the file runs on.
        minHwRevisionId: Dec = 8..13,
        /// The device's revision must lie between minHwRevisionId and maxHwRevisionId.
        validateRevisionId: Dec = 13..14,
        /// Decode without the slower checks; the driver ignores it.
        disableExtendedValidation: Dec = 14..15,
        /// Reserved; in e_flags of 2020, 1 says that e_machine is a core family.
        reservedBit: Dec = 15..16,
        /// The highest hardware revision (stepping) that the file runs on.
        maxHwRevisionId: Dec = 16..21,
        /// Who has made the file.
        generatorId: GeneratorId = 21..24,
        /// Must be zero.
        reserved: Hex = 24..32,
    }
}

/// The word in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetMetadata(pub u32);

impl TargetMetadata {
    /// Bits 12:8.
    pub fn min_revision(self) -> u32 {
        (self.0 >> 8) & 0x1f
    }

    /// Bit 13.
    pub fn validates_revision(self) -> bool {
        self.0 & (1 << 13) != 0
    }

    /// Bits 20:16.
    pub fn max_revision(self) -> u32 {
        (self.0 >> 16) & 0x1f
    }

    /// Bits 23:21.
    pub fn generator(self) -> GeneratorId {
        GeneratorId(u8::try_from((self.0 >> 21) & 7).unwrap_or(0))
    }

    /// Bits that must be zero.
    pub fn reserved(self) -> u32 {
        self.0 & 0xff00_0000
    }
}
