//! ELF, 32-bit and 64-bit: the format of zebins and of the host files that contain them.
//!
//! Follows the generic ABI (gABI, 2023-11). A [`dialect`] defines what the gABI leaves open. Hash
//! tables, dynamic sections, symbol versions and groups are not decoded; they are shown as bytes.
//!
//! ```text
//! ELF header │ sections' bytes, in any order, with padding │ section headers
//! ```

pub(super) mod check;
pub mod class;
pub mod compressed;
pub mod dialect;
pub mod file;
pub mod header;
pub(super) mod header_tables;
pub mod note;
pub(super) mod read;
pub mod relocation;
pub mod section;
pub mod segment;
pub mod string_table;
pub mod symbol;

pub use self::class::Class;
pub use self::file::{ElfFile, SymbolRef};

/// The magic number of ELF files.
const MAGIC: &[u8] = b"\x7fELF";

/// Returns whether the bytes begin like an ELF file.
pub fn recognize(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}
