//! The kind of a file by its first bytes.

use crate::analysis::package::FileKind;
use crate::decode::format::{self, Formats};
use crate::decode::raw;
use crate::decode::reader::{Endian, uint};

/// Returns the kind of a file with these first bytes.
pub(super) fn kind(head: &[u8], formats: Formats) -> FileKind {
    FileKind {
        name: name(head),
        may_have_code: format::is_known(formats, head),
    }
}

fn name(head: &[u8]) -> &'static str {
    match head {
        [] => "",
        [0x7f, b'E', b'L', b'F', ..] => {
            let machine = uint(head.get(18..20).unwrap_or(&[]), Endian::Little);
            match machine {
                205 => "zebin",
                _ => "ELF",
            }
        }
        _ if head.starts_with(b"!<arch>\n") => "archive",
        [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] => "SPIR-V",
        [0x10, 0xff, 0x10, 0xad, ..] => "OffloadBinary",
        _ if head.starts_with(b"IBYS") || head.starts_with(b"SYBI") => "SYCLBIN",
        _ if head.starts_with(b"CTNI") => "patch tokens",
        _ if head.starts_with(b"__CLANG_OFFLOAD_BUNDLE__") => "clang bundle",
        _ if head.starts_with(b"CCOB") => "compressed clang bundle",
        _ if head.starts_with(b"MZ") => "PE",
        _ if head.starts_with(b"PK\x03\x04") => "zip",
        [0x1f, 0x8b, 8, ..] => "gzip",
        _ if head.get(257..262) == Some(b"ustar") => "tar",
        _ => raw::guess(head).unwrap_or_default(),
    }
}
