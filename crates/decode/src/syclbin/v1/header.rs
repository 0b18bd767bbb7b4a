//! The records of the first generation.
// The fields use the spelling of SYCLBIN.h.
#![allow(non_snake_case)]

use crate::names::{Decimal, Hex};
use crate::record;
use crate::records::Kind;
use crate::syclbin::SOURCE;
use zeview_core::model::Doc;

record! {
    /// The number of headers of each kind, and the sizes of the tables.
    pub struct FileHeader: "SYCLBINDesign.md, File header" {
        /// 0x53594249 in little endian: `IBYS` as text.
        Magic: u32 as Hex,
        /// The version of the format; 0 and 1 are the same.
        Version: u32 as Decimal,
        /// The number of abstract module headers.
        AbstractModuleCount: u32 as Decimal,
        /// The number of IR module headers.
        IRModuleCount: u32 as Decimal,
        /// The number of native device code image headers.
        NativeDeviceCodeImageCount: u32 as Decimal,
        /// Padding: the next field is aligned to 8 bytes. Writers do not clear it.
        padding: u32 as Hex,
        /// The size of the metadata table in bytes, without its padding to a multiple of 8.
        MetadataByteTableSize: u64 as Decimal,
        /// The size of the binary table in bytes.
        BinaryByteTableSize: u64 as Decimal,
        /// The offset of the global metadata in the metadata table.
        GlobalMetadataOffset: u64 as Hex,
        /// The size of the global metadata in bytes.
        GlobalMetadataSize: u64 as Decimal,
    }
}

record! {
    /// The metadata and the device code of an abstract module.
    pub struct AbstractModuleHeader: "SYCLBINDesign.md, Abstract module header" {
        /// The offset of its metadata in the metadata table.
        MetadataOffset: u64 as Hex,
        /// The size of its metadata in bytes.
        MetadataSize: u64 as Decimal,
        /// The number of its IR modules.
        IRModuleCount: u32 as Decimal,
        /// The index of its first IR module header.
        IRModuleOffset: u32 as Decimal,
        /// The number of its native device code images.
        NativeDeviceCodeImageCount: u32 as Decimal,
        /// The index of its first native device code image header.
        NativeDeviceCodeImageOffset: u32 as Decimal,
    }
}

record! {
    /// An IR module and its metadata.
    pub struct IRModuleHeader: "SYCLBINDesign.md, IR module header" {
        /// The offset of its metadata in the metadata table.
        MetadataOffset: u64 as Hex,
        /// The size of its metadata in bytes.
        MetadataSize: u64 as Decimal,
        /// Its offset in the binary table.
        RawIRBytesOffset: u64 as Hex,
        /// Its size in bytes.
        RawIRBytesSize: u64 as Decimal,
    }
}

record! {
    /// A native device code image and its metadata.
    pub struct NativeDeviceCodeImageHeader: "SYCLBINDesign.md, Native device code image header" {
        /// The offset of its metadata in the metadata table.
        MetadataOffset: u64 as Hex,
        /// The size of its metadata in bytes.
        MetadataSize: u64 as Decimal,
        /// Its offset in the binary table.
        BinaryBytesOffset: u64 as Hex,
        /// Its size in bytes.
        BinaryBytesSize: u64 as Decimal,
    }
}

/// The numbers of the tables, which also identify their rows and items.
pub mod kind {
    #![allow(missing_docs)]
    pub const HEADER: u8 = 1;
    pub const MODULES: u8 = 2;
    pub const IR: u8 = 3;
    pub const NATIVE: u8 = 4;
    pub const METADATA: u8 = 5;
    pub const BINARY: u8 = 6;
}

/// Abstract modules.
pub static MODULES: Kind = Kind {
    table: kind::MODULES,
    name: "abstract module",
    fields: AbstractModuleHeader::FIELDS,
    size: AbstractModuleHeader::SIZE,
    doc: Doc::new(
        "A collection of device binaries that share their properties.",
        SOURCE,
    ),
};

/// IR modules.
pub static IR: Kind = Kind {
    table: kind::IR,
    name: "IR module",
    fields: IRModuleHeader::FIELDS,
    size: IRModuleHeader::SIZE,
    doc: Doc::new(
        "Device code in an intermediate representation, compiled at run time.",
        SOURCE,
    ),
};

/// Native device code images.
pub static NATIVE: Kind = Kind {
    table: kind::NATIVE,
    name: "native device code image",
    fields: NativeDeviceCodeImageHeader::FIELDS,
    size: NativeDeviceCodeImageHeader::SIZE,
    doc: Doc::new("Device code for one architecture.", SOURCE),
};
