//! Sections: their headers, types and flags. gABI, "Sections"; zebin ELF, "ZE Info
//! Sections".

use std::ops::Range;
use std::rc::Rc;

use super::class::Class;
use super::file::ElfFile;
use crate::names::{Decimal, Hex};
use crate::reader::{Endian, Window};
use crate::record::Field;
use crate::table::Entries;
use crate::{flags, layout, open_enum};
use zeview_core::model::{Node, NodeKind, Rows, Span};

open_enum! {
    /// `sh_type`. gABI, "Section Header"; zebin ELF, "ZE Info Sections"; the OpenCL range of
    /// Intel's legacy containers.
    pub struct SectionType(u32) {
        /// Not a section.
        SHT_NULL = 0,
        /// Contents that the program defines: code, data, debug information.
        SHT_PROGBITS = 1,
        /// Symbols.
        SHT_SYMTAB = 2,
        /// Strings.
        SHT_STRTAB = 3,
        /// Relocations with addends.
        SHT_RELA = 4,
        /// A hash table of symbols.
        SHT_HASH = 5,
        /// Information for dynamic linking.
        SHT_DYNAMIC = 6,
        /// Notes.
        SHT_NOTE = 7,
        /// Takes no bytes in the file: zero-initialized data.
        SHT_NOBITS = 8,
        /// Relocations without addends.
        SHT_REL = 9,
        /// Reserved.
        SHT_SHLIB = 10,
        /// Symbols for dynamic linking.
        SHT_DYNSYM = 11,
        /// Pointers to functions that run first.
        SHT_INIT_ARRAY = 14,
        /// Pointers to functions that run last.
        SHT_FINI_ARRAY = 15,
        /// Pointers to functions that run before all others.
        SHT_PREINIT_ARRAY = 16,
        /// A group of sections.
        SHT_GROUP = 17,
        /// Section indices of symbols, where 16 bits are not enough.
        SHT_SYMTAB_SHNDX = 18,
        /// Offload images embedded in a host file, as an OffloadBinary.
        SHT_LLVM_OFFLOADING = 0x6fff_4c0b,
        /// Symbol versions of GNU.
        SHT_GNU_versym = 0x6fff_ffff,
        /// Legacy Intel OpenCL container: source text.
        SHT_OPENCL_SOURCE = 0xff00_0000,
        /// Legacy Intel OpenCL container: a header.
        SHT_OPENCL_HEADER = 0xff00_0001,
        /// Legacy Intel OpenCL container: LLVM text.
        SHT_OPENCL_LLVM_TEXT = 0xff00_0002,
        /// Legacy Intel OpenCL container: LLVM bitcode.
        SHT_OPENCL_LLVM_BINARY = 0xff00_0003,
        /// Legacy Intel OpenCL container: an archive of LLVM bitcode.
        SHT_OPENCL_LLVM_ARCHIVE = 0xff00_0004,
        /// Legacy Intel OpenCL container: patch tokens or a zebin.
        SHT_OPENCL_DEV_BINARY = 0xff00_0005,
        /// Legacy Intel OpenCL container: build options.
        SHT_OPENCL_OPTIONS = 0xff00_0006,
        /// Legacy Intel OpenCL container: a precompiled header.
        SHT_OPENCL_PCH = 0xff00_0007,
        /// Legacy Intel OpenCL container: debug data.
        SHT_OPENCL_DEV_DEBUG = 0xff00_0008,
        /// SPIR-V of the module; the same number as the legacy container's SHT_OPENCL_SPIRV.
        SHT_ZEBIN_SPIRV = 0xff00_0009,
        /// Legacy Intel OpenCL container: a device binary for non-coherent devices.
        SHT_OPENCL_NON_COHERENT_DEV_BINARY = 0xff00_000a,
        /// Legacy Intel OpenCL container: ids of specialization constants.
        SHT_OPENCL_SPIRV_SC_IDS = 0xff00_000b,
        /// Legacy Intel OpenCL container: values of specialization constants.
        SHT_OPENCL_SPIRV_SC_VALUES = 0xff00_000c,
        /// Metadata for the runtime, as YAML: `.ze_info`.
        SHT_ZEBIN_ZEINFO = 0xff00_0011,
        /// Data for GTPin: `.gtpin_info`.
        SHT_ZEBIN_GTPIN_INFO = 0xff00_0012,
        /// vISA assembly: `.visaasm`. The runtime spells it SHT_ZEBIN_VISA_ASM.
        SHT_ZEBIN_VISAASM = 0xff00_0013,
        /// Miscellaneous data: `.misc.*`.
        SHT_ZEBIN_MISC = 0xff00_0014,
        /// Kernel code as PISA: `.pisa`.
        SHT_ZEBIN_PISA = 0xff00_0015,
    }
}

flags! {
    /// `sh_flags`. gABI, "Section Attribute Flags".
    pub struct SectionFlags {
        /// Writable data.
        WRITE = 0x1,
        /// Takes memory when the program runs.
        ALLOC = 0x2,
        /// Machine code.
        EXECINSTR = 0x4,
        /// Equal elements may be merged.
        MERGE = 0x10,
        /// Strings that end with NUL.
        STRINGS = 0x20,
        /// sh_info is a section index.
        INFO_LINK = 0x40,
        /// Order matters for the linker.
        LINK_ORDER = 0x80,
        /// Needs treatment by the operating system.
        OS_NONCONFORMING = 0x100,
        /// Member of a group.
        GROUP = 0x200,
        /// Thread-local storage.
        TLS = 0x400,
        /// Compressed.
        COMPRESSED = 0x800,
        /// Excluded from executables.
        EXCLUDE = 0x8000_0000,
    }
}

layout! {
    /// A section header.
    pub struct SectionHeader: "gABI, Section Header" = goblin::elf32::section_header::SectionHeader | goblin::elf64::section_header::SectionHeader {
        /// The offset of the name in the section name string table.
        sh_name as Hex,
        /// The type of the section.
        sh_type as SectionType,
        /// Its attributes.
        sh_flags as SectionFlags,
        /// The address in memory; the compiler writes 0.
        sh_addr as Hex,
        /// The offset of its bytes in the file.
        sh_offset as Hex,
        /// Its size in bytes; SHT_NOBITS has them in memory only.
        sh_size as Decimal,
        /// The index of an associated section; its meaning depends on the type.
        sh_link as Decimal,
        /// Extra information; its meaning depends on the type.
        sh_info as Decimal,
        /// The alignment in memory; the compiler writes 0.
        sh_addralign as Decimal,
        /// The size of an entry, for tables.
        sh_entsize as Decimal,
    }
}

/// A section, as the rest of the decoder needs it.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its index.
    pub index: u64,
    /// The bytes of its header.
    pub header: Span,
    /// Its name; invalid UTF-8 is replaced.
    pub name: String,
    /// Its `sh_name`: the offset of the name in the section name string table.
    pub name_offset: u64,
    /// Its `sh_type`.
    pub kind: SectionType,
    /// Its `sh_flags`.
    pub flags: u64,
    /// Its `sh_size`.
    pub size: u64,
    /// Its `sh_addr`.
    pub addr: u64,
    /// Its `sh_link`.
    pub link: u64,
    /// Its `sh_info`.
    pub info: u64,
    /// Its `sh_entsize`.
    pub entsize: u64,
    /// The part of its bytes that is in the file.
    pub bytes: Span,
}

impl Section {
    /// Its bytes, or its header if it has none.
    pub fn place(&self) -> Span {
        if self.bytes.is_empty() {
            self.header
        } else {
            self.bytes
        }
    }

    /// Its name for references; the middle of a very long name is elided.
    pub fn label(&self) -> String {
        Node::label_of(&self.name)
    }
}

/// The section headers as the entries of a table.
#[derive(Debug)]
pub struct SectionHeaders {
    /// The file's class.
    pub class: Class,
    /// The file's byte order.
    pub endian: Endian,
    /// The distance between headers in bytes.
    pub stride: u64,
    /// The file.
    pub file: Rc<ElfFile>,
}

impl Entries for SectionHeaders {
    fn size(&self) -> u64 {
        self.stride
    }

    fn node(&self, index: u64, entry: &Window, out: &mut Rows<'_>) -> Node {
        let name = self.file.section_name(index);
        let node = Node::new(NodeKind::Item, name.to_owned(), entry.span())
            .indexed()
            .children(out.me, index, Some(self.count(0)));
        let Ok(header) = SectionHeader::read(&mut entry.reader(self.endian), self.class) else {
            return node;
        };
        let kind = SectionType(u32::try_from(header.sh_type).unwrap_or(u32::MAX));
        let kind = match kind.name() {
            Some(name) => name.to_owned(),
            None => format!("type {:#x}", kind.0),
        };
        let node = node.summary(format!("{kind}, {} bytes", header.sh_size));
        match self.file.section(index).filter(|s| !s.bytes.is_empty()) {
            Some(section) => node.xref("contents", name.to_owned(), section.bytes),
            None => node,
        }
    }

    fn count(&self, _part: u8) -> u64 {
        SectionHeader::COUNT + u64::from(self.stride > SectionHeader::size(self.class))
    }

    fn fields(&self, index: u64, _part: u8, entry: &Window, range: Range<u64>, out: &mut Rows<'_>) {
        let Ok(header) = SectionHeader::read(&mut entry.reader(self.endian), self.class) else {
            return;
        };
        for (field, node) in header.rows(range.clone()) {
            out.push(self.refine(node, field, index));
        }
        if range.end > SectionHeader::COUNT {
            let rest = entry.span().skip(SectionHeader::size(self.class));
            out.push(Node::gap("rest of e_shentsize", rest));
        }
    }
}

impl SectionHeaders {
    fn refine(&self, node: Node, field: Field<SectionHeader>, index: u64) -> Node {
        let Some(section) = self.file.section(index) else {
            return node;
        };
        match field {
            SectionHeader::sh_name => {
                let node = node.summary(format!("{:?}", section.name));
                match self.file.section_name_span(index) {
                    Some(span) => node.xref("name", section.label(), span),
                    None => node,
                }
            }
            SectionHeader::sh_offset if !section.bytes.is_empty() => {
                node.xref("contents", section.label(), section.bytes)
            }
            SectionHeader::sh_link if section.link != 0 => {
                self.refer(node, "sh_link", section.link)
            }
            SectionHeader::sh_info if self.file.info_is_section(section) => {
                self.refer(node, "sh_info", section.info)
            }
            _ => node,
        }
    }

    fn refer(&self, node: Node, why: &'static str, index: u64) -> Node {
        match self.file.section(index) {
            Some(target) => node.xref(why, target.label(), target.place()),
            None => node,
        }
    }
}
