//! The records of an OffloadBinary. LLVM's OffloadBinary.h, versions 1 to 3.
// The fields have the spelling of the header file.
#![allow(non_snake_case)]

use super::kinds;
use crate::decode::names::{Dec, Hex};
use crate::decode::record::FieldSpec;
use crate::decode::records::Kind;
use crate::model::Doc;
use crate::record;

/// What each starts with.
pub const MAGIC: &[u8] = &[0x10, 0xff, 0x10, 0xad];

record! {
    /// What the binary is, and where its entry is.
    pub struct Header1: "OffloadBinary.h, Header (version 1)" {
        /// 10 FF 10 AD.
        Magic: u32 as Hex,
        /// The version of the format.
        Version: u32 as Dec,
        /// The size of all of it in bytes.
        Size: u64 as Dec,
        /// Where the entry is, from the first byte of the binary.
        EntryOffset: u64 as Hex,
        /// The size of the entry in bytes.
        EntrySize: u64 as Dec,
    }
}

record! {
    /// What the binary is, and where its entries are.
    pub struct Header2: "OffloadBinary.h, Header (version 2)" {
        /// 10 FF 10 AD.
        Magic: u32 as Hex,
        /// The version of the format.
        Version: u32 as Dec,
        /// The size of all of it in bytes.
        Size: u64 as Dec,
        /// Where the entries are, from the first byte of the binary.
        EntriesOffset: u64 as Hex,
        /// How many entries there are.
        EntriesCount: u64 as Dec,
    }
}

record! {
    /// What the binary is, and where its entries are.
    pub struct Header3: "OffloadBinary.h, Header (version 3)" {
        /// 10 FF 10 AD.
        Magic: u32 as Hex,
        /// The version of the format.
        Version: u32 as Dec,
        /// The size of all of it in bytes, as it is stored.
        Size: u64 as Dec,
        /// Where the entries are, from the first byte of the binary.
        EntriesOffset: u64 as Hex,
        /// How many entries there are.
        EntriesCount: u64 as Dec,
        /// The size of all of it without compression, with this header; 0 if nothing is
        /// compressed.
        InflatedSize: u64 as Dec,
    }
}

record! {
    /// An image, and where its strings are.
    pub struct Entry: "OffloadBinary.h, Entry" {
        /// What the image is.
        ImageKind: u16 as kinds::ImageKind,
        /// Which programming model it is of.
        OffloadKind: u16 as kinds::OffloadKind,
        /// Flags.
        Flags: u32 as kinds::EntryFlags,
        /// Where its strings are, from the first byte of the binary.
        StringOffset: u64 as Hex,
        /// How many strings it has.
        NumStrings: u64 as Dec,
        /// Where its image is, from the first byte of the binary.
        ImageOffset: u64 as Hex,
        /// The size of its image in bytes.
        ImageSize: u64 as Dec,
    }
}

record! {
    /// A key and a value.
    pub struct String1: "OffloadBinary.h, StringEntry (version 1)" {
        /// Where the key is, from the first byte of the binary; it ends with a NUL.
        KeyOffset: u64 as Hex,
        /// Where the value is, from the first byte of the binary; it ends with a NUL.
        ValueOffset: u64 as Hex,
    }
}

record! {
    /// A key and a value.
    pub struct String2: "OffloadBinary.h, StringEntry (version 2)" {
        /// Where the key is, from the first byte of the binary; it ends with a NUL.
        KeyOffset: u64 as Hex,
        /// Where the value is, from the first byte of the binary.
        ValueOffset: u64 as Hex,
        /// The size of the value in bytes.
        ValueSize: u64 as Dec,
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

/// Where the records are declared.
pub const SOURCE: &str = "OffloadBinary.h";

/// The numbers of the tables.
pub const ENTRIES: u8 = 1;
/// The number of the string entries' tables.
pub const STRINGS: u8 = 2;

/// The entries.
pub static ENTRY: Kind = Kind {
    table: ENTRIES,
    name: "entry",
    fields: Entry::FIELDS,
    size: Entry::SIZE,
    doc: Doc::new(
        "An entry for each image: what it is, where it is, and where its strings are.",
        SOURCE,
    ),
};

static STRING_1: Kind = Kind {
    table: STRINGS,
    name: "string",
    fields: String1::FIELDS,
    size: String1::SIZE,
    doc: Doc::new(
        "The keys and values of an entry: where each of them is.",
        SOURCE,
    ),
};

static STRING_2: Kind = Kind {
    table: STRINGS,
    name: "string",
    fields: String2::FIELDS,
    size: String2::SIZE,
    doc: Doc::new(
        "The keys and values of an entry: where each of them is, and how long.",
        SOURCE,
    ),
};

/// The entries of strings.
pub fn string_entry(version: u32) -> &'static Kind {
    match version {
        1 => &STRING_1,
        _ => &STRING_2,
    }
}
