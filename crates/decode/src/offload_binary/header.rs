//! The records of an OffloadBinary. LLVM's OffloadBinary.h, versions 1 to 3.
// The fields use the spelling of the header file.
#![allow(non_snake_case)]

use super::kinds;
use crate::names::{Decimal, Hex};
use crate::record;
use crate::record::FieldSpec;
use crate::records::Kind;
use zeview_core::model::Doc;

/// The magic number.
pub const MAGIC: &[u8] = &[0x10, 0xff, 0x10, 0xad];

record! {
    /// The version and size of the binary, and its entry.
    pub struct Header1: "OffloadBinary.h, Header (version 1)" {
        /// 10 FF 10 AD.
        Magic: u32 as Hex,
        /// The version of the format.
        Version: u32 as Decimal,
        /// The size of the binary in bytes, with this header.
        Size: u64 as Decimal,
        /// The offset of the entry in the binary.
        EntryOffset: u64 as Hex,
        /// The size of the entry in bytes.
        EntrySize: u64 as Decimal,
    }
}

record! {
    /// The version and size of the binary, and its entries.
    pub struct Header2: "OffloadBinary.h, Header (version 2)" {
        /// 10 FF 10 AD.
        Magic: u32 as Hex,
        /// The version of the format.
        Version: u32 as Decimal,
        /// The size of the binary in bytes, with this header.
        Size: u64 as Decimal,
        /// The offset of the entries in the binary.
        EntriesOffset: u64 as Hex,
        /// The number of entries.
        EntriesCount: u64 as Decimal,
    }
}

record! {
    /// The version and size of the binary, and its entries.
    pub struct Header3: "OffloadBinary.h, Header (version 3)" {
        /// 10 FF 10 AD.
        Magic: u32 as Hex,
        /// The version of the format.
        Version: u32 as Decimal,
        /// The size of the binary in bytes, as it is stored.
        Size: u64 as Decimal,
        /// The offset of the entries in the binary.
        EntriesOffset: u64 as Hex,
        /// The number of entries.
        EntriesCount: u64 as Decimal,
        /// The size of the decompressed binary in bytes, with this header; 0 if it is not
        /// compressed.
        InflatedSize: u64 as Decimal,
    }
}

record! {
    /// An image, and its strings.
    pub struct Entry: "OffloadBinary.h, Entry" {
        /// The kind of the image.
        ImageKind: u16 as kinds::ImageKind,
        /// The programming model.
        OffloadKind: u16 as kinds::OffloadKind,
        /// Flags.
        Flags: u32 as kinds::EntryFlags,
        /// The offset of its strings in the binary.
        StringOffset: u64 as Hex,
        /// The number of its strings.
        NumStrings: u64 as Decimal,
        /// The offset of its image in the binary.
        ImageOffset: u64 as Hex,
        /// The size of its image in bytes.
        ImageSize: u64 as Decimal,
    }
}

record! {
    /// A key and a value.
    pub struct String1: "OffloadBinary.h, StringEntry (version 1)" {
        /// The offset of the key in the binary; it is NUL-terminated.
        KeyOffset: u64 as Hex,
        /// The offset of the value in the binary; it is NUL-terminated.
        ValueOffset: u64 as Hex,
    }
}

record! {
    /// A key and a value.
    pub struct String2: "OffloadBinary.h, StringEntry (version 2)" {
        /// The offset of the key in the binary; it is NUL-terminated.
        KeyOffset: u64 as Hex,
        /// The offset of the value in the binary.
        ValueOffset: u64 as Hex,
        /// The size of the value in bytes.
        ValueSize: u64 as Decimal,
    }
}

/// The fields of the header of a version.
pub fn header(version: u32) -> &'static [FieldSpec] {
    match version {
        1 => Header1::FIELDS,
        3 => Header3::FIELDS,
        _ => Header2::FIELDS,
    }
}

/// The size of the header of a version.
pub fn size(version: u32) -> u64 {
    match version {
        3 => Header3::SIZE,
        _ => Header2::SIZE,
    }
}

/// The source of the declarations.
pub const SOURCE: &str = "OffloadBinary.h";

/// The number of the table of entries.
pub const ENTRIES: u8 = 1;
/// The number of the tables of string entries.
pub const STRINGS: u8 = 2;

/// The record kind of entries.
pub static ENTRY: Kind = Kind {
    table: ENTRIES,
    name: "entry",
    fields: Entry::FIELDS,
    size: Entry::SIZE,
    doc: Doc::new(
        "An entry describes an image: its kind, its offset and size, and its strings.",
        SOURCE,
    ),
};

static STRING_1: Kind = Kind {
    table: STRINGS,
    name: "string",
    fields: String1::FIELDS,
    size: String1::SIZE,
    doc: Doc::new("The offsets of the keys and values of an entry.", SOURCE),
};

static STRING_2: Kind = Kind {
    table: STRINGS,
    name: "string",
    fields: String2::FIELDS,
    size: String2::SIZE,
    doc: Doc::new(
        "The offsets of the keys and values of an entry, and the sizes of the values.",
        SOURCE,
    ),
};

/// The record kind of string entries.
pub fn string_entry(version: u32) -> &'static Kind {
    match version {
        1 => &STRING_1,
        _ => &STRING_2,
    }
}
