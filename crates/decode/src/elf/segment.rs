//! Program headers. gABI, "Program Header". The compiler writes none; the driver's debug
//! zebins have them.

use std::ops::Range;

use super::class::Class;
use crate::names::{Decimal, Hex};
use crate::reader::{Endian, Window};
use crate::table::Entries;
use crate::{flags, layout, open_enum};
use zeview_core::model::{Node, NodeKind, Rows, Span};

open_enum! {
    /// `p_type`. gABI, "Segment Types".
    pub struct SegmentType(u32) {
        /// Not a segment.
        PT_NULL = 0,
        /// Loaded into memory.
        PT_LOAD = 1,
        /// Information for dynamic linking.
        PT_DYNAMIC = 2,
        /// The path of an interpreter.
        PT_INTERP = 3,
        /// Notes.
        PT_NOTE = 4,
        /// Reserved.
        PT_SHLIB = 5,
        /// The program headers themselves.
        PT_PHDR = 6,
        /// Thread-local storage.
        PT_TLS = 7,
        /// Unwind information of GNU.
        PT_GNU_EH_FRAME = 0x6474_e550,
        /// Permissions of the stack.
        PT_GNU_STACK = 0x6474_e551,
        /// Read-only after relocation.
        PT_GNU_RELRO = 0x6474_e552,
        /// Properties of GNU.
        PT_GNU_PROPERTY = 0x6474_e553,
    }
}

flags! {
    /// `p_flags`. gABI, "Segment Permissions".
    pub struct SegmentFlags {
        /// May be executed.
        PF_X = 1,
        /// May be written.
        PF_W = 2,
        /// May be read.
        PF_R = 4,
    }
}

layout! {
    /// A program header.
    pub struct ProgramHeader: "gABI, Program Header" = goblin::elf32::program_header::ProgramHeader | goblin::elf64::program_header::ProgramHeader {
        /// The type of the segment.
        p_type as SegmentType,
        /// Its permissions.
        p_flags as SegmentFlags,
        /// The offset of its bytes in the file.
        p_offset as Hex,
        /// Its address in memory.
        p_vaddr as Hex,
        /// Its physical address.
        p_paddr as Hex,
        /// Its size in the file in bytes.
        p_filesz as Decimal,
        /// Its size in memory in bytes.
        p_memsz as Decimal,
        /// Its alignment.
        p_align as Decimal,
    }
}

/// The program headers as the entries of a table.
#[derive(Debug)]
pub struct ProgramHeaders {
    /// The file's class.
    pub class: Class,
    /// The file's byte order.
    pub endian: Endian,
    /// The distance between headers in bytes.
    pub stride: u64,
    /// All bytes of the file; offsets count from their start.
    pub file: Span,
}

impl Entries for ProgramHeaders {
    fn size(&self) -> u64 {
        self.stride
    }

    fn node(&self, index: u64, entry: &Window, out: &mut Rows<'_>) -> Node {
        let node = Node::new(NodeKind::Item, "segment", entry.span())
            .indexed()
            .children(out.me, index, Some(self.count(0)));
        let Ok(header) = ProgramHeader::read(&mut entry.reader(self.endian), self.class) else {
            return node;
        };
        let kind = SegmentType(u32::try_from(header.p_type).unwrap_or(u32::MAX));
        let name = kind
            .name()
            .map_or_else(|| format!("type {:#x}", kind.0), str::to_owned);
        let bytes = self.file.subspan(header.p_offset, header.p_filesz);
        let node = node.summary(format!("{name}, {} bytes", header.p_filesz));
        if bytes.is_empty() {
            node
        } else {
            node.xref("contents", "", bytes)
        }
    }

    fn count(&self, _part: u8) -> u64 {
        ProgramHeader::COUNT + u64::from(self.stride > ProgramHeader::size(self.class))
    }

    fn fields(
        &self,
        _index: u64,
        _part: u8,
        entry: &Window,
        range: Range<u64>,
        out: &mut Rows<'_>,
    ) {
        let Ok(header) = ProgramHeader::read(&mut entry.reader(self.endian), self.class) else {
            return;
        };
        header.push_rows(range.clone(), out);
        if range.end > ProgramHeader::COUNT {
            let rest = entry.span().skip(ProgramHeader::size(self.class));
            out.push(Node::gap("rest of e_phentsize", rest));
        }
    }
}
