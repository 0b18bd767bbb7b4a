//! All rules of diagnostics: what they report, their severity and their origin.

use super::rule::Origin::{Runtime, Spec, Viewer};
use super::rule::Rule;
use zeview_core::model::Severity;

macro_rules! is_unread {
    () => {
        false
    };
    (unread) => {
        true
    };
}

macro_rules! rules {
    ($($(#[doc = $d:expr])* $name:ident = $id:literal $severity:ident $summary:literal $origin:expr $(, $unread:ident)?;)*) => {
        $(
            $(#[doc = $d])*
            pub static $name: Rule = Rule {
                id: $id,
                severity: Severity::$severity,
                effect: None,
                summary: $summary,
                origin: $origin,
                docs: concat!($($d),*).trim_ascii(),
                is_unread: is_unread!($($unread)?),
            };
        )*
        /// All rules, by area.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

/// All rules: those of diagnostics, and those of the [verdict](super::zebin::verdict).
pub fn all() -> impl Iterator<Item = &'static Rule> {
    ALL.iter().chain(super::zebin::verdict::rules::ALL).copied()
}

rules! {
    /// The file has no bytes.
    EMPTY_FILE = "file/empty" Error "The file is empty" Viewer;
    /// zeview knows no format that starts like this. The file is shown as bytes.
    UNRECOGNIZED = "file/unrecognized" Info "Unknown format" Viewer;
    /// The file was truncated, replaced or removed while it was open, or the medium has failed.
    READ_FAILED = "file/read-failed" Error "Bytes could not be read" Viewer, unread;

    /// An ELF file starts with a header of 52 (32-bit class) or 64 bytes (64-bit class).
    ELF_TRUNCATED_HEADER = "elf/truncated-header" Error "Truncated ELF header" Spec("gABI, ELF Header");
    /// `EI_CLASS` must be 1 (32-bit) or 2 (64-bit). The header is shown in the 64-bit layout.
    ELF_BAD_CLASS = "elf/bad-class" Error "Invalid EI_CLASS" Spec("gABI, ELF Identification");
    /// `EI_DATA` must be 1 (least significant byte first) or 2. The driver ignores it and reads
    /// little endian, and so does zeview.
    ELF_BAD_DATA = "elf/bad-data-encoding" Warning "Invalid EI_DATA" Spec("gABI, ELF Identification");
    /// Intel GPU binaries are little endian. zeview shows the numbers in the file's byte order;
    /// the driver ignores `EI_DATA` and reads them as little endian.
    ELF_BIG_ENDIAN = "elf/big-endian" Warning "Big-endian file" Spec("zebin ELF, ELF Header Values");
    /// `e_ehsize` must be the size of the ELF header.
    ELF_HEADER_SIZE = "elf/header-size" Warning "Wrong e_ehsize" Spec("gABI, ELF Header");
    /// The table, `e_shnum` entries of `e_shentsize` bytes at `e_shoff`, must lie within the
    /// file. The headers within the file are shown.
    ELF_SECTION_HEADERS_OUT_OF_BOUNDS = "elf/section-headers-out-of-bounds" Error "Section header table extends past the end of the file" Spec("gABI, ELF Header");
    /// The table, `e_phnum` entries of `e_phentsize` bytes at `e_phoff`, must lie within the
    /// file. The headers within the file are shown.
    ELF_PROGRAM_HEADERS_OUT_OF_BOUNDS = "elf/program-headers-out-of-bounds" Error "Program header table extends past the end of the file" Spec("gABI, ELF Header");
    /// `e_shentsize` must be 40 (32-bit class) or 64 (64-bit class).
    ELF_SECTION_HEADER_SIZE = "elf/section-header-size" Error "Wrong e_shentsize" Spec("gABI, ELF Header");
    /// `e_phentsize` must be 32 (32-bit class) or 56 (64-bit class).
    ELF_PROGRAM_HEADER_SIZE = "elf/program-header-size" Error "Wrong e_phentsize" Spec("gABI, ELF Header");
    /// `e_shstrndx` must be the index of the section that holds the section names. Without it,
    /// sections have no names. The driver refuses such a file, or crashes if the file also has
    /// relocations.
    ELF_BAD_SHSTRNDX = "elf/bad-section-name-table" Error "Invalid e_shstrndx" Spec("gABI, ELF Header");
    /// `sh_offset + sh_size` must lie within the file, except for `SHT_NOBITS`.
    ELF_SECTION_OUT_OF_BOUNDS = "elf/section-out-of-bounds" Error "Section extends past the end of the file" Spec("gABI, Sections");
    /// The sum does not fit into the width of the class. The driver does not notice: the sum
    /// wraps around, and the driver reads at the wrong place.
    ELF_SECTION_WRAPS = "elf/section-offset-overflow" Error "Integer overflow in sh_offset + sh_size" Spec("gABI, Sections");
    /// `sh_name` must be the offset of a name in the section name string table.
    ELF_SECTION_NAME = "elf/section-name-out-of-bounds" Error "Section name outside of the string table" Spec("gABI, Sections");
    /// A name extends to the end of its string table without a NUL. A consumer may read past
    /// the table.
    ELF_UNTERMINATED_NAME = "elf/unterminated-name" Error "Unterminated name" Spec("gABI, String Table");
    /// The first byte of a string table is a NUL, so that offset 0 is the empty name.
    ELF_STRING_TABLE_START = "elf/string-table-start" Warning "String table does not start with a NUL" Spec("gABI, String Table");
    /// `p_offset + p_filesz` must lie within the file.
    ELF_SEGMENT_OUT_OF_BOUNDS = "elf/segment-out-of-bounds" Error "Segment extends past the end of the file" Spec("gABI, Program Header");
    /// `sh_link` must be the index of the section that this type of section needs: a string
    /// table for symbols, a symbol table for relocations.
    ELF_BAD_LINK = "elf/bad-section-link" Warning "Invalid sh_link" Spec("gABI, sh_link and sh_info Interpretation");
    /// `sh_info` of a section of relocations must be the index of the section that is patched.
    /// The driver silently ignores such relocations.
    ELF_BAD_INFO = "elf/bad-section-info" Warning "Invalid sh_info" Spec("gABI, sh_link and sh_info Interpretation");
    /// `sh_entsize` must be the size of an entry of the table in the file's class.
    ELF_ENTRY_SIZE = "elf/entry-size" Error "Wrong sh_entsize" Spec("gABI, Sections");
    /// The size of the table is not a multiple of the size of its entries.
    ELF_TABLE_REMAINDER = "elf/table-remainder" Warning "Table ends within an entry" Spec("gABI, Sections");
    /// `st_name` must be the offset of a name in the linked string table.
    ELF_SYMBOL_NAME = "elf/symbol-name-out-of-bounds" Error "Symbol name outside of the string table" Spec("gABI, Symbol Table");
    /// `st_shndx` must be the index of a section, or a reserved index.
    ELF_SYMBOL_SECTION = "elf/symbol-section-out-of-bounds" Warning "Symbol section index out of range" Spec("gABI, Symbol Table");
    /// `sh_info` must be one greater than the index of the last local symbol.
    ELF_LOCAL_COUNT = "elf/symbol-order" Info "Wrong sh_info of a symbol table" Spec("gABI, Symbol Table");
    /// The symbol index of a relocation must be less than the number of symbols. The driver
    /// does not check this; the behavior is undefined.
    ELF_RELOCATION_SYMBOL = "elf/relocation-symbol-out-of-bounds" Error "Relocation symbol index out of range" Spec("gABI, Relocation");
    /// The bytes that a relocation patches must lie in its target section.
    ELF_RELOCATION_OFFSET = "elf/relocation-out-of-bounds" Error "Relocation outside of its section" Spec("gABI, Relocation");
    /// The file has a section of relocations, but no symbol table. The driver crashes on such
    /// files; IGC writes them with its internal option -emit-visa-only.
    ELF_RELOCATION_WITHOUT_SYMBOLS = "elf/relocations-without-symbol-table" Warning "Relocations without a symbol table" Spec("gABI, sh_link and sh_info Interpretation");
    /// The name and the description of a note must lie within its section.
    ELF_NOTE_OUT_OF_BOUNDS = "elf/note-out-of-bounds" Error "Note extends past the end of its section" Spec("gABI, Note Section");
    /// The section ends with bytes that are too few for a note header.
    ELF_NOTE_REMAINDER = "elf/note-remainder" Warning "Trailing bytes after the last note" Spec("gABI, Note Section");
    /// A section with `SHF_COMPRESSED` starts with a header that gives the method and the
    /// uncompressed size.
    ELF_COMPRESSION_HEADER = "elf/truncated-compression-header" Error "Truncated compression header" Spec("gABI, Compression Header");
    /// `ch_type` is 1 for zlib and 2 for zstd.
    ELF_COMPRESSION_TYPE = "elf/compression-type" Warning "Unknown compression type" Spec("gABI, Compression Header");
    /// A struct of the index of device images has pointers that lead nowhere, or no target. The
    /// runtime would read other bytes. zeview searches for the image without it.
    HOST_STRUCT = "host/struct" Error "Damaged image struct" Spec("intel/llvm, ClangOffloadWrapper.cpp");
    /// `.tgtimg` lists the images for tools. An entry leads nowhere, or it lists fewer images than
    /// the descriptors; programs run nevertheless.
    HOST_REFERENCE = "host/tgtimg" Warning "Inconsistent .tgtimg" Spec("intel/llvm, ClangOffloadWrapper.cpp");
    /// No descriptor and no `.tgtimg` lists the images in this section. They were found by the
    /// first bytes of their formats; their ends are estimated.
    HOST_CARVED = "host/carved" Warning "Device images without an index" Viewer;
    /// The file has more sections, segments, notes or entries than zeview decodes.
    TOO_MANY = "limits/too-many-entries" Warning "Too many entries" Viewer, unread;
    /// Checking all of the overlapping tables, notes or modules would take quadratic
    /// time. The unchecked parts are still shown.
    TOO_MUCH = "limits/too-much-overlap" Warning "Too many overlapping parts" Viewer, unread;
    /// The text or table is larger than what zeview parses. Its bytes are still shown.
    TOO_LARGE = "limits/too-large" Warning "Too large to parse" Viewer, unread;
    /// A short stream can decompress to any number of bytes. zeview decompresses a limited
    /// number of bytes of a file, of all streams together.
    UNPACKED_TOO_LARGE = "limits/unpacked-too-large" Warning "Too large to decompress" Viewer, unread;

    /// The stream is truncated, is not of the method that the file names, or does not match its
    /// checksum. The bytes that could be decompressed are shown.
    PACKED_DAMAGED = "compressed/damaged" Error "Damaged compressed data" Spec("RFC 1950; RFC 8878"), unread;
    /// The data decompresses to more or fewer bytes than the file says. Surplus bytes are
    /// ignored.
    UNPACKED_SIZE = "compressed/size" Error "Wrong uncompressed size" Spec("gABI, Compression Header; LLVM, Compression.cpp"), unread;

    /// The bytes are nested more deeply than zeview opens containers, or lie in containers that
    /// overlap.
    TOO_DEEP = "limits/too-deep" Warning "Too many nested containers" Viewer, unread;

    /// Two parts of a container use the same bytes. The tree shows them in the first part.
    SHARED_BYTES = "layout/shared-bytes" Warning "Overlapping parts of a container" Viewer;
    /// Two parts of the file use the same bytes. The tree shows them in both.
    OVERLAP = "layout/overlap" Warning "Overlapping parts of the file" Spec("gABI, Sections: sections may not overlap");
    /// No header, table or section refers to these bytes, and they are not zero, or too many
    /// for padding.
    GAP = "layout/gap" Info "Unreferenced bytes" Viewer;

    /// A file of a package must have the size and the CRC-32 that the package stores, and its
    /// compressed bytes must be a valid stream. Files are checked when they are opened.
    PACKAGE_DAMAGED = "package/damaged-file" Error "Damaged file in a package" Spec("APPNOTE.TXT; RFC 1951"), unread;

    /// No entry of the package has these bytes, and they are not zero: programs that read its list
    /// of files do not find what is in them, and neither does zeview.
    PACKAGE_GAP = "package/unlisted-bytes" Warning "Bytes between the files of a package" Viewer, unread;
    /// zeview does not read files of this kind: sparse files, parts of files on other volumes,
    /// formats of packages without a decoder. The other files can be read.
    PACKAGE_UNREAD = "package/unread-file" Warning "File of a package that is not read" Viewer, unread;

    /// The file has vanished, or there is no permission to read it. The other files of the folder
    /// can be read.
    FOLDER_FILE = "folder/unreadable-file" Error "Unreadable file in a folder" Viewer, unread;

    /// A folder starts with the list of its files that zeview wrote when it was opened. What
    /// cannot be read of it is not shown as files.
    FOLDER_LIST = "folder/list" Error "Malformed list of a folder" Viewer, unread;

    /// A zip archive ends with a record that locates its list of files. Without it, no file can be
    /// found.
    ZIP_NO_DIRECTORY = "zip/no-directory" Error "No central directory" Spec("APPNOTE.TXT, 4.3.16"), unread;
    /// The central directory is a sequence of entries at the offset in the end record. What can be
    /// read of it is shown.
    ZIP_DIRECTORY = "zip/directory" Error "Malformed central directory" Spec("APPNOTE.TXT, 4.3.12"), unread;
    /// The end record has the number of entries in the directory.
    ZIP_COUNT = "zip/entry-count" Warning "Wrong number of entries" Spec("APPNOTE.TXT, 4.4.22");
    /// Each file has a local header that repeats its name, method and sizes. Programs differ in
    /// which of the two they read; zeview reads the directory.
    ZIP_LOCAL_HEADER = "zip/local-header" Error "Local header differs from the directory" Spec("APPNOTE.TXT, 4.3.7");
    /// The data of a file must lie within the archive.
    ZIP_OUT_OF_BOUNDS = "zip/file-out-of-bounds" Error "File extends past the end of the archive" Spec("APPNOTE.TXT, 4.3.8"), unread;
    /// zeview decompresses deflate and does not decrypt. The other files can be read.
    ZIP_METHOD = "zip/method" Warning "Encrypted, or unsupported compression" Spec("APPNOTE.TXT, 4.4.5"), unread;
    /// A path of a package is relative and has no `..`. Programs that unpack the package could
    /// write anywhere; zeview writes nothing, and shows the path as a name.
    PACKAGE_PATH = "package/path" Warning "Path leads out of the folder" Spec("APPNOTE.TXT, 4.4.17");

    /// A header is a block of 512 bytes with `ustar` at 257, and its size is octal text. The rest of
    /// the archive cannot be read.
    TAR_HEADER = "tar/header" Error "Malformed header" Spec("POSIX, ustar Interchange Format"), unread;
    /// A header has the sum of its bytes.
    TAR_CHECKSUM = "tar/checksum" Error "Wrong checksum of a header" Spec("POSIX, ustar Interchange Format");
    /// The data of a file must lie within the archive.
    TAR_OUT_OF_BOUNDS = "tar/file-out-of-bounds" Error "File extends past the end of the archive" Spec("POSIX, ustar Interchange Format"), unread;
    /// The records of a pax header have the form `length key=value`, with a line feed.
    TAR_RECORD = "tar/pax-record" Warning "Malformed pax record" Spec("POSIX, pax Extended Header"), unread;
    /// Two blocks of zeros end an archive.
    TAR_END = "tar/end" Warning "No end of the archive" Spec("POSIX, ustar Interchange Format");
    /// A gzip file has a header, optional parts, and a trailer of 8 bytes.
    GZIP_HEADER = "gzip/header" Error "Malformed gzip header" Spec("RFC 1952"), unread;

    /// The header of a member is 60 bytes of text that end with a grave accent and a line feed;
    /// its size is a decimal number. The rest of the archive cannot be read.
    AR_HEADER = "ar/bad-member-header" Error "Malformed member header" Spec("ar(5)"), unread;
    /// The data of a member must lie within the archive.
    AR_MEMBER_OUT_OF_BOUNDS = "ar/member-out-of-bounds" Error "Member extends past the end of the archive" Spec("ar(5)"), unread;

    /// The specification does not define the type. The driver refuses the file.
    ZEBIN_SECTION_TYPE = "zebin/unknown-section-type" Warning "Unknown section type" Spec("zebin ELF, Section Type");
    /// The specification does not define the name for this type of section. The driver refuses
    /// a file with such a `SHT_PROGBITS` section, and ignores sections of other types.
    ZEBIN_SECTION_NAME = "zebin/unknown-section-name" Warning "Unknown section name" Spec("zebin ELF, ELF Layout");
    /// `.data.global_const` is an old misspelling of `.data.const`. The driver accepts it with
    /// a warning.
    ZEBIN_MISSPELLED = "zebin/misspelled-section-name" Warning "Misspelled section name" Spec("zebin ELF, ELF Layout");
    /// A zebin has at most one section of this kind. The driver refuses the file.
    ZEBIN_DUPLICATE_SECTION = "zebin/duplicate-section" Warning "Duplicate section" Spec("zebin ELF, ELF Layout");
    /// `.ze_info` lists a kernel, but there is no section `.text.<name>`.
    ZEBIN_KERNEL_WITHOUT_TEXT = "zebin/kernel-without-text-section" Error "Kernel without code" Spec("zebin ELF, ELF Layout");
    /// The sizes in a file of SYCL's cache of compiled programs must lie within the file.
    CACHE_SIZE = "sycl-cache/out-of-bounds" Error "Entry of the cache extends past the end of the file" Spec("persistent_device_code_cache.cpp"), unread;
    /// The SPIR-V in the file, or in the archive around it, has a kernel that the native code lacks.
    /// The driver loads the native code and does not compile the SPIR-V beside it, so a program
    /// cannot create the kernel: the compiler has dropped it.
    ZEBIN_KERNEL_ONLY_IN_SPIRV = "zebin/kernel-only-in-spirv" Warning "Kernel in the SPIR-V, but not in the native code" Runtime("level_zero/core/source/module/module_imp.cpp");
    /// The file has neither code nor data. The driver loads it, but a program cannot create any
    /// kernel of it.
    ZEBIN_NO_CODE = "zebin/no-code" Warning "Zebin without any code" Runtime("level_zero/core/source/module/module_imp.cpp");
    /// The specification defines eight types of notes for the owner IntelGT.
    ZEBIN_NOTE_TYPE = "zebin/unknown-note-type" Warning "Unknown IntelGT note type" Spec("zebin ELF, ELF note type for INTELGT");
    /// Notes in `.note.intelgt.compat` have the owner `IntelGT`. The driver skips others.
    ZEBIN_NOTE_OWNER = "zebin/note-owner-mismatch" Warning "Unknown note owner" Spec("zebin ELF, ELF note type for INTELGT");
    /// The owner's name has no NUL within `n_namesz`. The driver reads past it and crashes.
    ZEBIN_NOTE_OWNER_UNTERMINATED = "zebin/note-owner-unterminated" Error "Unterminated note owner" Spec("gABI, Note Section");
    /// The description has 4 bytes, except for the version. The driver reads the first 4 bytes
    /// of a longer one, and crashes on an empty one.
    ZEBIN_NOTE_SIZE = "zebin/note-description-size" Error "Wrong size of a note description" Spec("zebin ELF, ELF note type for INTELGT");
    /// The version is `major.minor` with a terminating NUL.
    ZEBIN_NOTE_VERSION = "zebin/malformed-version" Error "Malformed zebin version" Spec("zebin ELF, ELF note type for INTELGT");
    /// Two notes have the same type. The driver uses the last one.
    ZEBIN_NOTE_DUPLICATE = "zebin/duplicate-note" Info "Duplicate note" Spec("zebin ELF, ELF note type for INTELGT");
    /// The bits must be zero.
    ZEBIN_RESERVED_BITS = "zebin/reserved-bits-set" Warning "Reserved bits are set" Spec("zebin ELF, TargetMetadata");
    /// The number is in none of zeview's tables of products, cores and configurations.
    ZEBIN_UNKNOWN_DEVICE = "zebin/unknown-device" Info "Unknown device" Viewer;
    /// `.note.intelgt.compat` is missing or has no target device. The driver cannot determine
    /// the target.
    ZEBIN_NO_TARGET = "zebin/no-target" Warning "No target device" Spec("zebin ELF, ELF note type for INTELGT");
    /// The specification defines the types 0 to 7.
    ZEBIN_RELOCATION_TYPE = "zebin/unknown-relocation-type" Warning "Unknown relocation type" Spec("zebin ELF, Gen Relocation Type");
    /// `.misc.specConstantsIds` and `.misc.specConstantsValues` come as a pair and have the
    /// same number of entries.
    ZEBIN_SPEC_CONSTANTS = "zebin/spec-constants-length-mismatch" Warning "Specialization constant ids and values do not match" Spec("zebin ELF, version 1.68");
    /// `sh_info` of a GTPin section must be the index of the symbol of the kernel or function
    /// in its name.
    ZEBIN_GTPIN_SYMBOL = "zebin/gtpin-symbol" Warning "GTPin section refers to another symbol" Spec("zebin ELF, sh_link and sh_info Interpretation");
    /// A block or token extends past the end of the section, or a token is shorter than its
    /// header.
    ZEBIN_GTPIN_DATA = "zebin/gtpin-data" Warning "Malformed GTPin data" Spec("gtpin_IGC_interface.h");
    /// The section does not start with the magic number of SPIR-V or of LLVM bitcode.
    ZEBIN_IR = "zebin/unknown-intermediate-representation" Warning "Unknown intermediate representation" Spec("zebin ELF, .spv");
    /// A SPIR-V module starts with a header of five words.
    SPIRV_HEADER = "spirv/truncated-header" Error "Truncated SPIR-V header" Spec("SPIR-V, 2.3 Physical Layout");
    /// The version word consists of a zero byte, the major version, the minor version and a
    /// zero byte. The only major version is 1.
    SPIRV_VERSION = "spirv/version" Warning "Unknown SPIR-V version" Spec("SPIR-V, 2.3 Physical Layout");
    /// SPIR-V is a stream of 32-bit words.
    SPIRV_ODD_SIZE = "spirv/no-whole-words" Error "SPIR-V size is not a multiple of 4" Spec("SPIR-V, 2.3 Physical Layout");
    /// The header has 32 bytes, from version 3 on 40.
    OFFLOAD_HEADER = "offload-binary/truncated-header" Error "Truncated OffloadBinary header" Spec("OffloadBinary.h");
    /// The versions are 1, 2 and 3.
    OFFLOAD_VERSION = "offload-binary/version" Error "Unknown OffloadBinary version" Spec("OffloadBinary.h");
    /// The size counts the binary with its header, and must lie within the file.
    OFFLOAD_SIZE = "offload-binary/size" Error "Wrong size of an OffloadBinary" Spec("OffloadBinary.h");
    /// An entry has 40 bytes.
    OFFLOAD_ENTRY_SIZE = "offload-binary/entry-size" Error "Entry too small" Spec("OffloadBinary.h");
    /// An entry has 40 bytes. Readers ignore the size.
    OFFLOAD_ENTRY_LONGER = "offload-binary/entry-larger" Warning "Entry too large" Spec("OffloadBinary.h");
    /// Readers of SYCLBIN refuse a binary without images.
    OFFLOAD_EMPTY = "offload-binary/no-entries" Error "OffloadBinary without entries" Spec("OffloadBinary.h");
    /// The entries, and the string entries of each, must lie within the binary. LLVM's reader
    /// does not always check this, and crashes.
    OFFLOAD_TABLE = "offload-binary/table-out-of-bounds" Error "Table extends past the end of the OffloadBinary" Spec("OffloadBinary.h");
    /// Keys, and values before version 2, are NUL-terminated. All strings lie within the
    /// binary.
    OFFLOAD_STRING = "offload-binary/bad-string" Error "Invalid key or value" Spec("OffloadBinary.h");
    /// An entry has the key twice. Readers use the last value.
    OFFLOAD_KEY_TWICE = "offload-binary/duplicate-key" Warning "Duplicate key" Spec("OffloadBinary.h");
    /// The image of an entry must lie within the binary. LLVM's reader does not always check
    /// this.
    OFFLOAD_IMAGE = "offload-binary/image-out-of-bounds" Error "Image extends past the end of the OffloadBinary" Spec("OffloadBinary.h");
    /// An image cannot contain the binary that it is part of. It is not opened.
    OFFLOAD_SELF = "offload-binary/holds-itself" Error "Image contains its own OffloadBinary" Spec("OffloadBinary.h");
    /// From version 3 on, everything but the header can be compressed with zlib or zstd. These
    /// bytes are neither, or could not be decompressed.
    OFFLOAD_COMPRESSED = "offload-binary/compressed" Info "Compressed OffloadBinary is not decompressed" Spec("OffloadBinary.h"), unread;

    /// The file header of versions 0 and 1 has 56 bytes.
    SYCLBIN_HEADER = "syclbin/truncated-header" Error "Truncated SYCLBIN header" Spec("SYCLBINDesign.md, File header");
    /// The magic number is 0x53594249 in little endian: `IBYS` as text, not `SYBI`.
    SYCLBIN_MAGIC = "syclbin/magic" Error "Reversed magic number" Spec("SYCLBINDesign.md, File header");
    /// Versions 0 and 1 have their own header. Version 2 is an OffloadBinary whose global
    /// metadata gives the version.
    SYCLBIN_VERSION = "syclbin/version" Error "Unknown SYCLBIN version" Spec("SYCLBINDesign.md");
    /// The headers, the metadata table and the binary table follow each other and lie within
    /// the file.
    SYCLBIN_TABLE = "syclbin/table-out-of-bounds" Error "Table extends past the end of the file" Spec("SYCLBINDesign.md, File Structure");
    /// Metadata and device code lie within their tables. Readers ignore an overflow of offset
    /// and size, so some invalid sums pass their check.
    SYCLBIN_OUT_OF_BOUNDS = "syclbin/out-of-bounds" Error "Metadata or device code outside of its table" Spec("SYCLBINDesign.md, Byte tables");
    /// The indices in an abstract module header must lie within the arrays of headers. Readers
    /// do not check them, and read past the array.
    SYCLBIN_INDEX = "syclbin/index-out-of-bounds" Error "Invalid header index" Spec("SYCLBINDesign.md, Abstract module header");
    /// The first writers did not count the headers: in their files all abstract modules refer
    /// to the device code of the first one. Readers use the indices as they are.
    SYCLBIN_FIRST_INDEX = "syclbin/first-index-zero" Warning "All first indices are 0" Spec("SYCLBINDesign.md, Abstract module header");
    /// No abstract module refers to this device code.
    SYCLBIN_UNUSED = "syclbin/unused-header" Info "Unused device code" Spec("SYCLBINDesign.md, Abstract module header");
    /// The global metadata gives the state: 0 input, 1 object, 2 executable.
    SYCLBIN_STATE = "syclbin/state" Warning "Missing or unknown state" Spec("SYCLBINDesign.md, Global metadata");
    /// All entries of a SYCLBIN have the image kind 7.
    SYCLBIN_IMAGE_KIND = "syclbin/image-kind" Error "Wrong image kind in a SYCLBIN" Spec("SYCLBINDesign.md, version 2");
    /// Writers use 4, 5 and 8 for SYCL. Readers ignore the kind.
    SYCLBIN_OFFLOAD_KIND = "syclbin/offload-kind" Warning "Wrong offload kind in a SYCLBIN" Spec("SYCLBINDesign.md, version 2");
    /// Each entry has one of the roles `global_metadata`, `am_metadata`, `ir` and `native`.
    SYCLBIN_ROLE = "syclbin/role" Error "Missing or unknown role" Spec("SYCLBINDesign.md, version 2");
    /// `am_index` is an unsigned decimal number, less than the number of entries.
    SYCLBIN_AM_INDEX = "syclbin/am-index" Error "Entry without abstract module" Spec("SYCLBINDesign.md, version 2");
    /// There is exactly one entry of global metadata.
    SYCLBIN_GLOBAL = "syclbin/global-metadata" Error "Missing or duplicate global metadata" Spec("SYCLBINDesign.md, version 2");
    /// Each abstract module up to the highest `am_index` has exactly one entry of metadata.
    SYCLBIN_AM_METADATA = "syclbin/abstract-module-metadata" Error "Missing or duplicate metadata of an abstract module" Spec("SYCLBINDesign.md, version 2");
    /// An image of device code starts with the size of its metadata, 64 bits wide, and contains
    /// the metadata.
    SYCLBIN_IMAGE = "syclbin/image" Error "Metadata extends past the end of its image" Spec("SYCLBINDesign.md, version 2");
    /// `triple`, `arch` and `ir_type` are copies of properties. Readers use the properties.
    SYCLBIN_COPY = "syclbin/copies-differ" Warning "String differs from its property" Spec("SYCLBINDesign.md, version 2");

    /// A line is the name of a set in brackets, or `key=type|value`. Readers refuse the file.
    PROPERTY_LINE = "property-set/bad-line" Error "Malformed line in a property set" Spec("PropertySets.md");
    /// Properties follow the name of their set.
    PROPERTY_WITHOUT_SET = "property-set/no-set" Error "Property without a set" Spec("PropertySets.md");
    /// The type is a decimal number: 1 for numbers, 2 for bytes. Readers use a larger one
    /// modulo 2^32.
    PROPERTY_TYPE = "property-set/type" Error "Unknown property type" Spec("PropertySets.md");
    /// A number is decimal, unsigned, and fits into 32 bits.
    PROPERTY_NUMBER = "property-set/number" Error "Property value is not a number" Spec("PropertySets.md");
    /// Bytes are written in a base64 variant with 64 digits and no padding. The number of
    /// digits is never one more than a multiple of 4.
    PROPERTY_BASE64 = "property-set/base64" Error "Malformed bytes of a property" Spec("PropertySets.md");
    /// Bytes start with the number of bits that follow. The SYCL runtime does not compare the
    /// two, and reads past the end.
    PROPERTY_BITS = "property-set/bit-count" Error "Wrong bit count of a property" Spec("PropertySets.md");
    /// Readers merge sets of the same name, and use the last value of a key.
    PROPERTY_TWICE = "property-set/duplicate" Warning "Duplicate set or key" Spec("PropertySets.md");
    /// Readers stop at a NUL and ignore the rest of the text.
    PROPERTY_NUL = "property-set/nul" Warning "NUL in a property set" Spec("PropertySets.md");
    /// The text of the section is not UTF-8.
    ZEBIN_TEXT_ENCODING = "zebin/text-not-utf-8" Info "Text is not UTF-8" Viewer;

    /// Patch tokens start with a header of 28 bytes, followed by the program's patch list.
    PATCH_TOKENS_CUT_OFF = "patch-tokens/cut-off" Error "Truncated patch tokens" Spec("IGC, patch_list.h");

    /// A COFF header has 20 bytes, followed by the section headers.
    COFF_HEADER = "coff/truncated-header" Error "Truncated COFF header" Spec("PE Format, COFF File Header");
    /// The section header gives the offset and the size of the section, which must lie within
    /// the file.
    COFF_OUT_OF_BOUNDS = "coff/section-out-of-bounds" Error "Section extends past the end of the file" Spec("PE Format, Section Table");

    /// A bundle starts with the number of its entries; each has an offset, a size and an id. A
    /// compressed bundle starts with its sizes.
    BUNDLE_HEADER = "offload-bundle/truncated-header" Error "Truncated bundle header" Spec("ClangOffloadBundler.rst");
    /// An entry gives the offset and the size of its image, which must lie within the bundle.
    BUNDLE_OUT_OF_BOUNDS = "offload-bundle/image-out-of-bounds" Error "Image extends past the end of the bundle" Spec("ClangOffloadBundler.rst");
    /// The header of compressed bundles has the versions 1 to 3; the method is 0 for zlib and 1
    /// for zstd.
    BUNDLE_VERSION = "offload-bundle/unknown-version" Error "Unknown version or method of a compressed bundle" Spec("clang, OffloadBundler.h");
    /// A text starts and ends with a comment line; both name its target.
    BUNDLE_TEXT = "offload-bundle/unterminated-text" Warning "Unterminated text in a bundle" Spec("ClangOffloadBundler.rst");

    /// IGC's debug data starts with a header of 28 bytes.
    IGC_DEBUG_HEADER = "igc-debug/truncated-header" Error "Truncated program header" Spec("program_debug_data.h");
    /// `NumberOfKernels` must be the number of kernels that follow.
    IGC_DEBUG_KERNELS = "igc-debug/kernels-missing" Error "Missing kernels" Spec("program_debug_data.h");
    /// The name and the debug data of a kernel must lie within the file.
    IGC_DEBUG_OUT_OF_BOUNDS = "igc-debug/kernel-out-of-bounds" Error "Debug data of a kernel extends past the end" Spec("program_debug_data.h");
    /// The name is padded to a multiple of 4 bytes, and its size includes the padding. Readers
    /// differ in how they treat other sizes.
    IGC_DEBUG_NAME_SIZE = "igc-debug/name-size" Warning "Size of a kernel name is not a multiple of 4" Spec("program_debug_data.h");
    /// The name ends with a NUL.
    IGC_DEBUG_NAME = "igc-debug/unterminated-name" Warning "Unterminated kernel name" Spec("program_debug_data.h");
    /// The format does not define what these bytes are.
    IGC_DEBUG_TRAILING = "igc-debug/trailing-bytes" Warning "Trailing bytes after the last kernel" Spec("program_debug_data.h");

    /// The text is outside of the YAML subset that the compiler writes. zeview shows what it
    /// can parse; the verdict shows how the driver handles it.
    ZE_INFO_SUBSET = "ze-info/outside-yaml-subset" Info "YAML that the compiler does not write" Viewer;
    /// The line is not valid YAML.
    ZE_INFO_SYNTAX = "ze-info/syntax-error" Error "YAML syntax error" Spec("YAML 1.2");
    /// YAML does not allow tabs in the indentation. The driver counts each as 4 columns.
    ZE_INFO_TAB = "ze-info/tab" Warning "Tab in the indentation" Spec("YAML 1.2, Indentation Spaces");
    /// YAML is UTF-8.
    ZE_INFO_ENCODING = "ze-info/not-utf-8" Error "Text is not UTF-8" Spec("YAML 1.2, Character Set");
    /// A mapping has the key twice. The driver uses the last value.
    ZE_INFO_DUPLICATE_KEY = "ze-info/duplicate-key" Warning "Duplicate key" Spec("YAML 1.2, Nodes: the keys of a mapping are unique");
    /// The specification (to version 1.73) does not define the key here; a later or an internal
    /// version may. The verdict shows how the driver handles it.
    ZE_INFO_UNKNOWN_KEY = "ze-info/unknown-key" Warning "Unknown key" Spec("ZE Info 1.73");
    /// The specification (to version 1.73) does not define the value for this key.
    ZE_INFO_UNKNOWN_VALUE = "ze-info/unknown-value" Warning "Unknown value" Spec("ZE Info 1.73");
    /// The key or value was introduced after the version that the text names. Consumers check
    /// the key, not the version.
    ZE_INFO_NEWER_KEY = "ze-info/newer-than-version" Info "Key or value of a later version" Spec("ZE Info, Change Note");
    /// The key or value was removed or renamed, or was never specified. It occurs in old files,
    /// and in files of other writers than IGC.
    ZE_INFO_LEGACY = "ze-info/legacy-key" Info "Obsolete key or value" Spec("ZE Info, Change Note");
    /// The specification gives the key another type.
    ZE_INFO_TYPE = "ze-info/wrong-type" Error "Wrong type of a value" Spec("ZE Info, Type");
    /// `int32x3` is a sequence of three numbers: x, y, z.
    ZE_INFO_LENGTH = "ze-info/wrong-length" Error "Wrong length of a sequence" Spec("ZE Info, Type");
    /// The specification lists the numbers that the key may have.
    ZE_INFO_RANGE = "ze-info/value-out-of-range" Error "Value out of range" Spec("ZE Info 1.73");
    /// The specification marks the key as required.
    ZE_INFO_MISSING_KEY = "ze-info/missing-key" Error "Missing required key" Spec("ZE Info 1.73");
    /// The version is `major.minor`, two decimal numbers.
    ZE_INFO_VERSION = "ze-info/malformed-version" Error "Malformed version" Spec("ZE Info, Versioning");
    /// Minor versions only add keys. zeview shows the keys that it knows; others are unknown
    /// keys.
    ZE_INFO_NEWER = "ze-info/newer-minor-version" Info "Later minor version" Spec("ZE Info, Versioning");
    /// Major versions are not compatible with each other. The only one so far is 1.
    ZE_INFO_MAJOR = "ze-info/other-major-version" Warning "Unknown major version" Spec("ZE Info, Versioning");
    /// The section has no text.
    ZE_INFO_EMPTY = "ze-info/empty" Warning "Empty .ze_info" Spec("ZE Info, Container");
}
