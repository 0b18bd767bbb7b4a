//! The records of zip files.

use crate::names::{Decimal, Hex};
use crate::{flags, open_enum, record};

open_enum! {
    /// The compression method. APPNOTE.TXT, 4.4.5.
    pub struct Method(u16) {
        /// Not compressed.
        stored = 0,
        /// RFC 1951.
        deflate = 8,
        /// Deflate with a window of 64 KB.
        deflate64 = 9,
        /// bzip2.
        bzip2 = 12,
        /// LZMA.
        lzma = 14,
        /// zstd.
        zstd = 93,
        /// xz.
        xz = 95,
        /// Encrypted by AES; the extra field has the method.
        aes = 99,
    }
}

flags! {
    /// General purpose bits. APPNOTE.TXT, 4.4.4.
    pub struct Flags {
        /// The data is encrypted.
        ENCRYPTED = 1,
        /// CRC-32 and sizes follow the data.
        DATA_DESCRIPTOR = 8,
        /// The data is a patch for another file.
        PATCH = 0x20,
        /// Strong encryption.
        STRONG_ENCRYPTION = 0x40,
        /// The name is UTF-8.
        UTF_8 = 0x800,
        /// The central directory is encrypted.
        MASKED = 0x2000,
    }
}

record! {
    /// The header in front of a file's data.
    pub struct LocalHeader: "APPNOTE.TXT, 4.3.7" {
        /// `PK\x03\x04`.
        signature: u32 as Hex,
        /// The version of the format that is needed to extract the file, times 10.
        version_needed: u16 as Decimal,
        /// General purpose bits.
        flags: u16 as Flags,
        /// The compression method.
        method: u16 as Method,
        /// The time of the last change, in units of 2 seconds.
        time: u16 as Hex,
        /// The date of the last change.
        date: u16 as Hex,
        /// The CRC-32 of the file; 0 if it follows the data.
        crc32: u32 as Hex,
        /// The size of the compressed data; 0 if it follows the data.
        compressed_size: u32 as Decimal,
        /// The size of the file; 0 if it follows the data.
        uncompressed_size: u32 as Decimal,
        /// The length of the name.
        name_length: u16 as Decimal,
        /// The length of the extra fields.
        extra_length: u16 as Decimal,
    }
}

record! {
    /// An entry of the central directory.
    pub struct CentralHeader: "APPNOTE.TXT, 4.3.12" {
        /// `PK\x01\x02`.
        signature: u32 as Hex,
        /// The version of the format times 10, and the system, in the high byte.
        version_made_by: u16 as Hex,
        /// The version of the format that is needed to extract the file, times 10.
        version_needed: u16 as Decimal,
        /// General purpose bits.
        flags: u16 as Flags,
        /// The compression method.
        method: u16 as Method,
        /// The time of the last change, in units of 2 seconds.
        time: u16 as Hex,
        /// The date of the last change.
        date: u16 as Hex,
        /// The CRC-32 of the file.
        crc32: u32 as Hex,
        /// The size of the compressed data; 0xffffffff if it is in the extra field.
        compressed_size: u32 as Decimal,
        /// The size of the file; 0xffffffff if it is in the extra field.
        uncompressed_size: u32 as Decimal,
        /// The length of the name.
        name_length: u16 as Decimal,
        /// The length of the extra fields.
        extra_length: u16 as Decimal,
        /// The length of the comment.
        comment_length: u16 as Decimal,
        /// The number of the disk with the data.
        disk_start: u16 as Decimal,
        /// Internal attributes.
        internal_attributes: u16 as Hex,
        /// External attributes: on Unix, the mode in the high half.
        external_attributes: u32 as Hex,
        /// The offset of the local header; 0xffffffff if it is in the extra field.
        local_header_offset: u32 as Hex,
    }
}

record! {
    /// The end of the central directory.
    pub struct EndRecord: "APPNOTE.TXT, 4.3.16" {
        /// `PK\x05\x06`.
        signature: u32 as Hex,
        /// The number of this disk.
        disk: u16 as Decimal,
        /// The number of the disk with the start of the central directory.
        directory_disk: u16 as Decimal,
        /// The number of entries on this disk.
        disk_entries: u16 as Decimal,
        /// The number of entries; 0xffff if the Zip64 record has it.
        entries: u16 as Decimal,
        /// The size of the central directory; 0xffffffff if the Zip64 record has it.
        directory_size: u32 as Decimal,
        /// The offset of the central directory; 0xffffffff if the Zip64 record has it.
        directory_offset: u32 as Hex,
        /// The length of the comment.
        comment_length: u16 as Decimal,
    }
}

record! {
    /// The Zip64 end of the central directory.
    pub struct End64Record: "APPNOTE.TXT, 4.3.14" {
        /// `PK\x06\x06`.
        signature: u32 as Hex,
        /// The size of the rest of this record.
        size: u64 as Decimal,
        /// The version of the format times 10, and the system, in the high byte.
        version_made_by: u16 as Hex,
        /// The version of the format that is needed to extract the files, times 10.
        version_needed: u16 as Decimal,
        /// The number of this disk.
        disk: u32 as Decimal,
        /// The number of the disk with the start of the central directory.
        directory_disk: u32 as Decimal,
        /// The number of entries on this disk.
        disk_entries: u64 as Decimal,
        /// The number of entries.
        entries: u64 as Decimal,
        /// The size of the central directory.
        directory_size: u64 as Decimal,
        /// The offset of the central directory.
        directory_offset: u64 as Hex,
    }
}

record! {
    /// The locator of the Zip64 end of the central directory.
    pub struct End64Locator: "APPNOTE.TXT, 4.3.15" {
        /// `PK\x06\x07`.
        signature: u32 as Hex,
        /// The number of the disk with the record.
        disk: u32 as Decimal,
        /// The offset of the record.
        offset: u64 as Hex,
        /// The number of disks.
        disks: u32 as Decimal,
    }
}

record! {
    /// The sizes of a file, behind its data.
    pub struct Descriptor: "APPNOTE.TXT, 4.3.9" {
        /// The CRC-32 of the file.
        crc32: u32 as Hex,
        /// The size of the compressed data.
        compressed_size: u32 as Decimal,
        /// The size of the file.
        uncompressed_size: u32 as Decimal,
    }
}

record! {
    /// The sizes of a file, behind its data.
    pub struct Descriptor64: "APPNOTE.TXT, 4.3.9" {
        /// The CRC-32 of the file.
        crc32: u32 as Hex,
        /// The size of the compressed data.
        compressed_size: u64 as Decimal,
        /// The size of the file.
        uncompressed_size: u64 as Decimal,
    }
}

record! {
    /// The header of an extra field.
    pub struct ExtraHeader: "APPNOTE.TXT, 4.5.1" {
        /// The kind of the field.
        id: u16 as ExtraId,
        /// The size of its data.
        size: u16 as Decimal,
    }
}

open_enum! {
    /// The kind of an extra field. APPNOTE.TXT, 4.5.2.
    pub struct ExtraId(u16) {
        /// Sizes and offset of 64 bits.
        Zip64 = 0x0001,
        /// Times of NTFS.
        NTFS = 0x000a,
        /// Times of Unix.
        ExtendedTimestamp = 0x5455,
        /// The name in UTF-8.
        UnicodePath = 0x7075,
        /// User and group of Unix.
        UnixOwner = 0x7875,
        /// AES encryption.
        AES = 0x9901,
    }
}

pub const LOCAL: u32 = 0x0403_4b50;
pub const CENTRAL: u32 = 0x0201_4b50;
pub const END: u32 = 0x0605_4b50;
pub const END_64: u32 = 0x0606_4b50;
pub const LOCATOR_64: u32 = 0x0706_4b50;
pub const DESCRIPTOR: u32 = 0x0807_4b50;

/// Formats an MS-DOS date and time. Returns an empty text if the date is 0.
pub fn dos_time(date: u16, time: u16) -> String {
    if date == 0 {
        return String::new();
    }
    let (year, month, day) = (1980 + (date >> 9), date >> 5 & 15, date & 31);
    let (hour, minute, second) = (time >> 11, time >> 5 & 63, (time & 31) * 2);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}
