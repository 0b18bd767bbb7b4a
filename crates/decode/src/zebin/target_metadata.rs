//! `TargetMetadata`: the description of note type 3, and `e_flags` in files of 2020. zebin
//! ELF, "The description of NT_INTELGT_TARGET_METADATA note".
//!
//! The specification's comments on bits 13 and 14 are swapped. This module follows compute-runtime.

use crate::names::{Decimal, Hex};
use crate::{bit_fields, open_enum};

open_enum! {
    /// `GeneratorId`.
    pub struct GeneratorId(u8) {
        /// Not specified.
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
    /// The word.
    pub struct TargetMetadata(u32): "zebin ELF, TargetMetadata" {
        /// Flags of the generator.
        generatorSpecificFlags as generator_flags: GeneratorSpecificFlags = 0..8,
        /// The lowest hardware revision (stepping) that the file runs on.
        minHwRevisionId as min_revision: Decimal = 8..13,
        /// The device's revision must lie between minHwRevisionId and maxHwRevisionId.
        validateRevisionId as validate_revision: Decimal = 13..14,
        /// Disables the slower checks; the driver ignores it.
        disableExtendedValidation as skips_validation: Decimal = 14..15,
        /// Reserved; in e_flags of 2020, 1 says that e_machine is a core family.
        reservedBit as machine_is_core_family: Decimal = 15..16,
        /// The highest hardware revision (stepping) that the file runs on.
        maxHwRevisionId as max_revision: Decimal = 16..21,
        /// The generator of the file.
        generatorId as generator_id: GeneratorId = 21..24,
        /// Must be zero.
        reserved as reserved: Hex = 24..32,
    }
}

impl TargetMetadata {
    /// Returns whether the device's revision must be within the range.
    pub fn validates_revision(self) -> bool {
        self.validate_revision() != 0
    }

    /// The generator of the file.
    pub fn generator(self) -> GeneratorId {
        GeneratorId(u8::try_from(self.generator_id()).unwrap_or(0))
    }
}
