//! The class of an ELF file. gABI, "ELF Identification".

/// The width of addresses and offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// 32 bits.
    Elf32,
    /// 64 bits.
    Elf64,
}

impl Class {
    /// Size of an address in bits.
    pub(super) fn bits(self) -> u8 {
        match self {
            Class::Elf32 => 32,
            Class::Elf64 => 64,
        }
    }

    /// The largest offset that a field can hold.
    pub(super) fn max(self) -> u64 {
        match self {
            Class::Elf32 => u32::MAX.into(),
            Class::Elf64 => u64::MAX,
        }
    }
}
