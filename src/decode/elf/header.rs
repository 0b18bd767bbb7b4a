//! The ELF header. gABI, "ELF Header"; zebin ELF, "ELF Header Values".

use std::ops::Range;
use std::rc::Rc;

use super::Class;
use super::dialect::Dialect;
use crate::decode::names::{Dec, Hex, Present, known_name};
use crate::decode::reader::{Endian, Window};
use crate::decode::record::{Field, FieldSpec};
use crate::model::{Doc, Expand, Known, Node, NodeKind, Rows, Sources, Span, Value};
use crate::{layout, open_enum};

open_enum! {
    /// `e_type`. gABI, "ELF Header"; formats of Intel's tools in the vendor range.
    pub struct FileType(u16) {
        /// No file type.
        ET_NONE = 0,
        /// Relocatable file: what the compiler writes.
        ET_REL = 1,
        /// Executable file: a debug zebin, as the driver hands it to debuggers.
        ET_EXEC = 2,
        /// Shared object; with machine 205 an OpenMP offload container.
        ET_DYN = 3,
        /// Core file.
        ET_CORE = 4,
        /// Legacy Intel OpenCL container: source.
        ET_OPENCL_SOURCE = 0xff01,
        /// Legacy Intel OpenCL container: objects.
        ET_OPENCL_OBJECTS = 0xff02,
        /// Legacy Intel OpenCL container: library.
        ET_OPENCL_LIBRARY = 0xff03,
        /// Legacy Intel OpenCL container: executable.
        ET_OPENCL_EXECUTABLE = 0xff04,
        /// Legacy Intel OpenCL container: debug.
        ET_OPENCL_DEBUG = 0xff05,
        /// Relocatable zebin of the 2020 specification.
        ET_ZEBIN_REL = 0xff11,
        /// Executable zebin of the 2020 specification; `ocloc asm` still writes it.
        ET_ZEBIN_EXE = 0xff12,
        /// Dynamic zebin of the 2020 specification.
        ET_ZEBIN_DYN = 0xff13,
    }
}

open_enum! {
    /// `e_machine`. gABI, "ELF Header".
    pub struct Machine(u16) {
        /// No machine.
        EM_NONE = 0,
        /// Intel 80386.
        EM_386 = 3,
        /// ARM.
        EM_ARM = 40,
        /// AMD x86-64.
        EM_X86_64 = 62,
        /// ARM AArch64.
        EM_AARCH64 = 183,
        /// NVIDIA CUDA.
        EM_CUDA = 190,
        /// Intel Graphics Technology.
        EM_INTELGT = 205,
        /// AMD GPU.
        EM_AMDGPU = 224,
        /// RISC-V.
        EM_RISCV = 243,
    }
}

open_enum! {
    /// `EI_CLASS`. gABI, "ELF Identification".
    pub struct FileClass(u8) {
        /// Invalid class.
        ELFCLASSNONE = 0,
        /// 32-bit objects.
        ELFCLASS32 = 1,
        /// 64-bit objects.
        ELFCLASS64 = 2,
    }
}

open_enum! {
    /// `EI_DATA`. gABI, "ELF Identification".
    pub struct DataEncoding(u8) {
        /// Invalid encoding.
        ELFDATANONE = 0,
        /// Little endian.
        ELFDATA2LSB = 1,
        /// Big endian.
        ELFDATA2MSB = 2,
    }
}

open_enum! {
    /// `EI_OSABI`. gABI, "ELF Identification".
    pub struct OsAbi(u8) {
        /// No extensions.
        ELFOSABI_NONE = 0,
        /// GNU extensions.
        ELFOSABI_GNU = 3,
    }
}

open_enum! {
    /// `EI_VERSION` and `e_version`.
    pub struct Version(u8) {
        /// Invalid version; files of 2020 have it.
        EV_NONE = 0,
        /// The current version.
        EV_CURRENT = 1,
    }
}

/// `e_ident`: sixteen bytes with rows of their own.
#[derive(Debug)]
pub struct Ident;

impl Present for Ident {
    fn present(_raw: u64, _bits: u8) -> Value {
        Value::Bytes
    }
}

layout! {
    /// The ELF header.
    pub struct Header: "gABI, ELF Header" = goblin::elf32::header::Header | goblin::elf64::header::Header {
        /// What makes it an ELF file, and how to read the rest.
        e_ident as Ident,
        /// What sort of file it is.
        e_type as FileType,
        /// The machine that it is for. Since late 2020 always EM_INTELGT; before, the product family, or the core family when bit 15 of e_flags is set.
        e_machine as Machine,
        /// The version of the format.
        e_version as Version,
        /// The entry point; zebins have none.
        e_entry as Hex,
        /// Where the program headers start.
        e_phoff as Hex,
        /// Where the section headers start.
        e_shoff as Hex,
        /// Flags of the machine. 0 since late 2020; before, the bits of the target metadata note.
        e_flags as Hex,
        /// The size of this header in bytes.
        e_ehsize as Dec,
        /// The size of a program header in bytes.
        e_phentsize as Dec,
        /// How many program headers there are.
        e_phnum as Dec,
        /// The size of a section header in bytes.
        e_shentsize as Dec,
        /// How many section headers there are; 0 with a table present: sh_size of section 0 says.
        e_shnum as Dec,
        /// The index of the section that holds the names of the sections; 0xffff: sh_link of section 0 says.
        e_shstrndx as Dec,
    }
}

macro_rules! ident_fields {
    ($($name:ident, $offset:literal, $size:literal, $present:ty, $doc:literal;)*) => {
        static IDENT: &[FieldSpec] = &[$(FieldSpec {
            name: stringify!($name),
            offset: $offset,
            size: $size,
            present: <$present as Present>::present,
            doc: Doc::new($doc, "gABI, ELF Identification")
                .known(<$present as Present>::KNOWN),
        }),*];
    };
}

ident_fields! {
    EI_MAG, 0, 4, Ident, "The magic number: 7f 45 4c 46.";
    EI_CLASS, 4, 1, FileClass, "The width of addresses and offsets.";
    EI_DATA, 5, 1, DataEncoding, "The order of bytes in numbers.";
    EI_VERSION, 6, 1, Version, "The version of the header.";
    EI_OSABI, 7, 1, OsAbi, "Extensions of an operating system.";
    EI_ABIVERSION, 8, 1, Dec, "The ABI version: 1; 2 from Xe3P on; 0 is possible in zebins before version 1.36.";
    EI_PAD, 9, 7, Ident, "Unused, zero.";
}

/// Makes the rows of the header.
#[derive(Debug)]
pub struct HeaderRows {
    /// The header's bytes.
    pub span: Span,
    /// The file's class.
    pub class: Class,
    /// The file's order of bytes.
    pub endian: Endian,
    /// How the file reads e_machine and e_flags.
    pub dialect: Rc<dyn Dialect>,
}

impl HeaderRows {
    /// The item whose rows are the fields.
    pub const FIELDS: u64 = 0;
    const IDENT: u64 = 1;
    const FLAGS: u64 = 2;
}

impl Expand for HeaderRows {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        match item {
            Self::IDENT => IDENT.len() as u64,
            Self::FLAGS => self.dialect.flag_fields().len() as u64,
            _ => Header::COUNT,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let window = Window::clamped(out.sources, self.span);
        let Ok(header) = Header::read(&mut window.reader(self.endian), self.class) else {
            return;
        };
        let from = usize::try_from(range.start).unwrap_or(usize::MAX);
        let take = usize::try_from(range.end - range.start).unwrap_or(0);
        match item {
            Self::IDENT => {
                for spec in IDENT.iter().skip(from).take(take) {
                    out.push(spec.row(spec.number(window.bytes(), self.endian), self.span));
                }
            }
            Self::FLAGS => {
                let word = header.span_of(Header::e_flags);
                for field in self.dialect.flag_fields().iter().skip(from).take(take) {
                    out.push(field.row(header.e_flags, word));
                }
            }
            _ => {
                for (field, node) in header.rows(range) {
                    let node = self.refine(node, field, &header, out);
                    out.push(node);
                }
            }
        }
    }
}

impl HeaderRows {
    fn refine(
        &self,
        mut node: Node,
        field: Field<Header>,
        header: &Header,
        out: &Rows<'_>,
    ) -> Node {
        match field {
            Header::e_ident => {
                node.kind = NodeKind::Record;
                node.value = Value::None;
                node.children(out.me, Self::IDENT, Some(IDENT.len() as u64))
            }
            Header::e_machine => match self.dialect.machine_names(header) {
                Some((known, what)) => {
                    let value = Value::decimal(header.e_machine, 16);
                    node.value = match known_name(known, header.e_machine) {
                        Some(name) => value.named(name),
                        None => value,
                    };
                    node.summary(what)
                }
                None => node,
            },
            Header::e_flags if !self.dialect.flag_fields().is_empty() => {
                let count = self.dialect.flag_fields().len() as u64;
                node.children(out.me, Self::FLAGS, Some(count))
            }
            _ => node,
        }
    }
}

/// A table of numbers with names, and what they are names of.
pub type MachineNames = (&'static [Known], &'static str);
