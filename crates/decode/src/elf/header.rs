//! The ELF header. gABI, "ELF Header"; zebin ELF, "ELF Header Values".

use crate::names::{Decimal, Hex, Present};
use crate::{layout, open_enum};
use zeview_core::model::Value;

open_enum! {
    /// `e_type`. gABI, "ELF Header"; formats of Intel's tools in the vendor range.
    pub struct FileType(u16) {
        /// No file type.
        ET_NONE = 0,
        /// Relocatable file; the compiler writes this type.
        ET_REL = 1,
        /// Executable file; a debug zebin, which the driver passes to debuggers.
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

/// `e_ident`: 16 bytes with rows of their own.
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
        /// The magic number, the class and the byte order.
        e_ident as Ident,
        /// The type of the file.
        e_type as FileType,
        /// The machine. In zebins since late 2020 EM_INTELGT; before, the product family, or the core family if bit 15 of e_flags is set.
        e_machine as Machine,
        /// The version of the format.
        e_version as Version,
        /// The entry point; zebins have none.
        e_entry as Hex,
        /// The offset of the program headers.
        e_phoff as Hex,
        /// The offset of the section headers.
        e_shoff as Hex,
        /// Flags of the machine. In zebins since late 2020 0; before, the target metadata.
        e_flags as Hex,
        /// The size of this header in bytes.
        e_ehsize as Decimal,
        /// The size of a program header in bytes.
        e_phentsize as Decimal,
        /// The number of program headers.
        e_phnum as Decimal,
        /// The size of a section header in bytes.
        e_shentsize as Decimal,
        /// The number of section headers; if 0 and there is a table, sh_size of section 0 is the number.
        e_shnum as Decimal,
        /// The index of the section that holds the section names; if 0xffff, sh_link of section 0 is the index.
        e_shstrndx as Decimal,
    }
}
