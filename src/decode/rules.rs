//! Every rule: what can be wrong or remarkable, how much it matters, and who says so.

use super::rule::Origin::{Spec, Viewer};
use super::rule::Rule;
use crate::model::Severity;

macro_rules! rules {
    ($($(#[doc = $d:expr])* $name:ident = $id:literal $severity:ident $summary:literal $origin:expr;)*) => {
        $(
            $(#[doc = $d])*
            pub static $name: Rule = Rule {
                id: $id,
                severity: Severity::$severity,
                effect: None,
                summary: $summary,
                origin: $origin,
                docs: concat!($($d),*).trim_ascii(),
            };
        )*
        /// All of them, by area.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

/// Every rule: those of diagnostics, and those of the [verdict](super::zebin::verdict).
pub fn all() -> impl Iterator<Item = &'static Rule> {
    ALL.iter().chain(super::zebin::verdict::rules::ALL).copied()
}

rules! {
    /// There is not a single byte to show.
    EMPTY_FILE = "file/empty" Error "The file is empty" Viewer;
    /// The first bytes belong to no format that zeview knows. They are shown as they are.
    UNRECOGNISED = "file/unrecognised" Info "Unknown format" Viewer;
    /// The file was cut, replaced or removed while it was open, or the medium fails.
    READ_FAILED = "file/read-failed" Error "Bytes could not be read" Viewer;

    /// An ELF file starts with a header of 52 (32-bit class) or 64 bytes (64-bit class).
    ELF_TRUNCATED_HEADER = "elf/truncated-header" Error "The ELF header is cut off" Spec("gABI, ELF Header");
    /// `EI_CLASS` must be 1 (32-bit) or 2 (64-bit). The header is shown in the 64-bit layout.
    ELF_BAD_CLASS = "elf/bad-class" Error "EI_CLASS is neither 32-bit nor 64-bit" Spec("gABI, ELF Identification");
    /// `EI_DATA` must be 1 (least significant byte first) or 2. The driver does not look at
    /// it and reads little endian; so does this viewer.
    ELF_BAD_DATA = "elf/bad-data-encoding" Warning "EI_DATA names no byte order" Spec("gABI, ELF Identification");
    /// Intel GPU binaries are little endian. The numbers are shown in the file's order; the
    /// driver would read them the other way around.
    ELF_BIG_ENDIAN = "elf/big-endian" Warning "The file says it is big endian" Spec("zebin ELF, ELF Header Values");
    /// `e_ehsize` must be the size of the header.
    ELF_HEADER_SIZE = "elf/header-size" Warning "e_ehsize is not the header's size" Spec("gABI, ELF Header");
    /// The table of section headers must lie within the file: `e_shoff + e_shnum ×
    /// e_shentsize`. The headers that are there are shown.
    ELF_SECTION_HEADERS_OUT_OF_BOUNDS = "elf/section-headers-out-of-bounds" Error "The section header table reaches past the end of the file" Spec("gABI, ELF Header");
    /// The table of program headers must lie within the file: `e_phoff + e_phnum ×
    /// e_phentsize`.
    ELF_PROGRAM_HEADERS_OUT_OF_BOUNDS = "elf/program-headers-out-of-bounds" Error "The program header table reaches past the end of the file" Spec("gABI, ELF Header");
    /// `e_shentsize` must be 40 (32-bit class) or 64 (64-bit class).
    ELF_SECTION_HEADER_SIZE = "elf/section-header-size" Error "e_shentsize is not the size of a section header" Spec("gABI, ELF Header");
    /// `e_phentsize` must be 32 (32-bit class) or 56 (64-bit class).
    ELF_PROGRAM_HEADER_SIZE = "elf/program-header-size" Error "e_phentsize is not the size of a program header" Spec("gABI, ELF Header");
    /// `e_shstrndx` must be the index of the section that holds the names of the sections.
    /// Without it no section has a name. The driver refuses such a file, or crashes when it
    /// also has relocations.
    ELF_BAD_SHSTRNDX = "elf/bad-section-name-table" Error "e_shstrndx names no string table" Spec("gABI, ELF Header");
    /// `sh_offset + sh_size` must lie within the file, unless the section is `SHT_NOBITS`.
    ELF_SECTION_OUT_OF_BOUNDS = "elf/section-out-of-bounds" Error "A section reaches past the end of the file" Spec("gABI, Sections");
    /// `sh_offset + sh_size` is more than the number's width can hold. The driver does not
    /// notice: it computes a small sum and reads somewhere else.
    ELF_SECTION_WRAPS = "elf/section-offset-overflow" Error "A section's offset and size overflow" Spec("gABI, Sections");
    /// `sh_name` must be the offset of a name in the section name string table.
    ELF_SECTION_NAME = "elf/section-name-out-of-bounds" Error "A section's name lies outside of the string table" Spec("gABI, Sections");
    /// A name runs to the end of its string table without a NUL; a consumer may read on.
    ELF_UNTERMINATED_NAME = "elf/unterminated-name" Error "A name has no terminating NUL" Spec("gABI, String Table");
    /// The first byte of a string table, index 0, is a NUL: the empty name.
    ELF_STRING_TABLE_START = "elf/string-table-start" Warning "A string table does not start with NUL" Spec("gABI, String Table");
    /// `p_offset + p_filesz` must lie within the file.
    ELF_SEGMENT_OUT_OF_BOUNDS = "elf/segment-out-of-bounds" Error "A segment reaches past the end of the file" Spec("gABI, Program Header");
    /// `sh_link` must be the index of a section of the kind that the section needs: a string
    /// table for symbols, a symbol table for relocations.
    ELF_BAD_LINK = "elf/bad-section-link" Warning "sh_link does not lead to the section that is needed" Spec("gABI, sh_link and sh_info Interpretation");
    /// `sh_info` of relocations must be the index of the section that is patched. The driver
    /// silently drops such relocations.
    ELF_BAD_INFO = "elf/bad-section-info" Warning "sh_info leads to no section" Spec("gABI, sh_link and sh_info Interpretation");
    /// `sh_entsize` must be the size of an entry of this table in the file's class.
    ELF_ENTRY_SIZE = "elf/entry-size" Error "sh_entsize is not the size of an entry" Spec("gABI, Sections");
    /// The table's size is not a multiple of its entries' size; the last bytes are no entry.
    ELF_TABLE_REMAINDER = "elf/table-remainder" Warning "A table ends within an entry" Spec("gABI, Sections");
    /// `st_name` must be the offset of a name in the linked string table.
    ELF_SYMBOL_NAME = "elf/symbol-name-out-of-bounds" Error "A symbol's name lies outside of the string table" Spec("gABI, Symbol Table");
    /// `st_shndx` must be the index of a section, or a reserved index.
    ELF_SYMBOL_SECTION = "elf/symbol-section-out-of-bounds" Warning "A symbol lives in a section that does not exist" Spec("gABI, Symbol Table");
    /// `sh_info` of a symbol table is one more than the index of the last local symbol.
    ELF_LOCAL_COUNT = "elf/symbol-order" Info "sh_info is not the number of local symbols" Spec("gABI, Symbol Table");
    /// A relocation's symbol index must be below the number of symbols. The driver does not
    /// check it: what happens is chance.
    ELF_RELOCATION_SYMBOL = "elf/relocation-symbol-out-of-bounds" Error "A relocation names a symbol that does not exist" Spec("gABI, Relocation");
    /// The bytes that a relocation patches must lie in its target section.
    ELF_RELOCATION_OFFSET = "elf/relocation-out-of-bounds" Error "A relocation patches bytes outside of its section" Spec("gABI, Relocation");
    /// A section with relocations but no `.symtab`: there is nothing to relocate against.
    /// The driver crashes; IGC writes such files with the internal option -emit-visa-only.
    ELF_RELOCATION_WITHOUT_SYMBOLS = "elf/relocations-without-symbol-table" Warning "Relocations without a symbol table" Spec("gABI, sh_link and sh_info Interpretation");
    /// A note's name and description must lie within its section.
    ELF_NOTE_OUT_OF_BOUNDS = "elf/note-out-of-bounds" Error "A note reaches past the end of its section" Spec("gABI, Note Section");
    /// Bytes after the last note that are not a whole note header.
    ELF_NOTE_REMAINDER = "elf/note-remainder" Warning "Stray bytes after the last note" Spec("gABI, Note Section");
    /// A section with `SHF_COMPRESSED` starts with a header that says how it is compressed, and
    /// how large it is without.
    ELF_COMPRESSION_HEADER = "elf/truncated-compression-header" Error "A compression header is cut off" Spec("gABI, Compression Header");
    /// `ch_type` is 1 for zlib and 2 for zstd.
    ELF_COMPRESSION_TYPE = "elf/compression-type" Warning "A section is compressed in an unknown way" Spec("gABI, Compression Header");
    /// The file has more sections, segments or notes than are decoded.
    TOO_MANY = "limits/too-many-entries" Warning "There are more entries than are decoded" Viewer;
    /// Tables or notes lie over each other so that checking all of them would cost the square of
    /// the file's size. What is not checked is still shown.
    TOO_MUCH = "limits/too-much-overlap" Warning "Too many parts lie over each other" Viewer;
    /// The text or table is larger than what is parsed.
    TOO_LARGE = "limits/too-large" Warning "This is more than is parsed" Viewer;
    /// A short stream can unpack to any number of bytes. What is unpacked of one file, all
    /// streams together, has a limit; what is beyond it is not looked at.
    UNPACKED_TOO_LARGE = "limits/unpacked-too-large" Warning "This is more than is unpacked" Viewer;

    /// Compressed bytes end before their stream does, are none of the method that the file
    /// names, or do not have the checksum that they end with. What could be unpacked is shown.
    PACKED_DAMAGED = "compressed/damaged" Error "Compressed bytes cannot be unpacked" Spec("RFC 1950; RFC 8878");
    /// The file says how many bytes there are when they are unpacked, and there are more or
    /// fewer. Of more, only the announced ones are looked at.
    UNPACKED_SIZE = "compressed/size" Error "Compressed bytes unpack to another size than announced" Spec("gABI, Compression Header; LLVM, Compression.cpp");

    /// The bytes lie in more containers than are opened, or in containers that lie over each other.
    TOO_DEEP = "limits/too-deep" Warning "Too many containers in each other" Viewer;

    /// Two parts of a container claim the same bytes; the tree shows them as the first one's.
    SHARED_BYTES = "layout/shared-bytes" Warning "Two parts of a container share bytes" Viewer;
    /// Two parts of the file claim the same bytes; each shows them as its own.
    OVERLAP = "layout/overlap" Warning "Two parts of the file claim the same bytes" Spec("gABI, Sections: sections may not overlap");
    /// Bytes that belong to no header, table or section and are not zero (or are too many
    /// to be padding).
    GAP = "layout/gap" Info "Bytes that nothing refers to" Viewer;

    /// A member's header is 60 bytes of text that end with a grave accent and a line feed; its
    /// size is a decimal number. What follows a header that is none cannot be read.
    AR_HEADER = "ar/bad-member-header" Error "A member's header is no header" Spec("ar(5)");
    /// The data of a member must lie within the archive.
    AR_MEMBER_OUT_OF_BOUNDS = "ar/member-out-of-bounds" Error "A member reaches past the end of the archive" Spec("ar(5)");

    /// The section type is in nobody's list. The driver refuses the whole file.
    ZEBIN_SECTION_TYPE = "zebin/unknown-section-type" Warning "Unknown section type" Spec("zebin ELF, Section Type");
    /// A `SHT_PROGBITS` section whose name is none of `.text`, `.text.*`, `.data.const`,
    /// `.data.global`, `.data.const.string`, `.debug_*`. The driver refuses the whole file.
    ZEBIN_SECTION_NAME = "zebin/unknown-section-name" Warning "A section with a name that the specification does not know" Spec("zebin ELF, ELF Layout");
    /// `.data.global_const` is a misspelling of `.data.const` in old files; the driver takes it,
    /// with a warning.
    ZEBIN_MISSPELLED = "zebin/misspelled-section-name" Warning "A misspelled section name" Spec("zebin ELF, ELF Layout");
    /// The section may be there only once.
    ZEBIN_DUPLICATE_SECTION = "zebin/duplicate-section" Warning "A section that may be there only once is there again" Spec("zebin ELF, ELF Layout");
    /// A kernel of `.ze_info` has no `.text.<name>`.
    ZEBIN_KERNEL_WITHOUT_TEXT = "zebin/kernel-without-text-section" Error "A kernel has no code" Spec("zebin ELF, ELF Layout");
    /// The note's type is not one of the eight that are defined for the owner IntelGT.
    ZEBIN_NOTE_TYPE = "zebin/unknown-note-type" Warning "Unknown IntelGT note type" Spec("zebin ELF, ELF note type for INTELGT");
    /// Notes of `.note.intelgt.compat` are owned by `IntelGT` and a NUL; others are skipped.
    ZEBIN_NOTE_OWNER = "zebin/note-owner-mismatch" Warning "A note with a foreign owner" Spec("zebin ELF, ELF note type for INTELGT");
    /// The owner's name has no NUL within `n_namesz`; the driver reads on and crashes.
    ZEBIN_NOTE_OWNER_UNTERMINATED = "zebin/note-owner-unterminated" Error "A note's owner has no terminating NUL" Spec("gABI, Note Section");
    /// The description is not as long as its type says: 4 bytes, or a text for type 4. The
    /// driver crashes on an empty one and reads the first 4 bytes of a longer one.
    ZEBIN_NOTE_SIZE = "zebin/note-description-size" Error "A note's description has the wrong size" Spec("zebin ELF, ELF note type for INTELGT");
    /// The version must be `major.minor` and end with a NUL.
    ZEBIN_NOTE_VERSION = "zebin/malformed-version" Error "The zebin version is not a version" Spec("zebin ELF, ELF note type for INTELGT");
    /// The same type of note is there again; the driver takes the last one.
    ZEBIN_NOTE_DUPLICATE = "zebin/duplicate-note" Info "A note is there more than once" Spec("zebin ELF, ELF note type for INTELGT");
    /// Bits that must be zero are set.
    ZEBIN_RESERVED_BITS = "zebin/reserved-bits-set" Warning "Reserved bits are set" Spec("zebin ELF, TargetMetadata");
    /// The number stands in no table of products, cores or configurations.
    ZEBIN_UNKNOWN_DEVICE = "zebin/unknown-device" Info "A device that zeview does not know" Viewer;
    /// `.note.intelgt.compat` is missing or holds no target; the driver cannot tell which
    /// device the file is for.
    ZEBIN_NO_TARGET = "zebin/no-target" Warning "The file does not say which device it is for" Spec("zebin ELF, ELF note type for INTELGT");
    /// Type numbers above 7 are not defined.
    ZEBIN_RELOCATION_TYPE = "zebin/unknown-relocation-type" Warning "Unknown relocation type" Spec("zebin ELF, Gen Relocation Type");
    /// `.misc.specConstantsIds` and `.misc.specConstantsValues` come as a pair with the same
    /// number of entries.
    ZEBIN_SPEC_CONSTANTS = "zebin/spec-constants-length-mismatch" Warning "Specialization constant ids and values do not match" Spec("zebin ELF, version 1.68");
    /// `sh_info` of a GTPin section is the index of the symbol of its kernel or function.
    ZEBIN_GTPIN_SYMBOL = "zebin/gtpin-symbol" Warning "GTPin data for another symbol than its name says" Spec("zebin ELF, sh_link and sh_info Interpretation");
    /// A block or token of GTPin data reaches past the end of its section, or a token is
    /// shorter than its own header.
    ZEBIN_GTPIN_DATA = "zebin/gtpin-data" Warning "GTPin data is cut off or inconsistent" Spec("gtpin_IGC_interface.h");
    /// The section should start with the magic number of SPIR-V or of LLVM bitcode.
    ZEBIN_IR = "zebin/unknown-intermediate-representation" Warning "Neither SPIR-V nor LLVM bitcode" Spec("zebin ELF, .spv");
    /// A module of SPIR-V starts with a header of five words.
    SPIRV_HEADER = "spirv/truncated-header" Error "The SPIR-V header is cut off" Spec("SPIR-V, 2.3 Physical Layout");
    /// The version is 0, a byte major, a byte minor, 0; there has been no major version but 1.
    SPIRV_VERSION = "spirv/version" Warning "A version of SPIR-V that there is not" Spec("SPIR-V, 2.3 Physical Layout");
    /// SPIR-V is a stream of 32-bit words.
    SPIRV_ODD_SIZE = "spirv/no-whole-words" Error "SPIR-V that is no whole number of words" Spec("SPIR-V, 2.3 Physical Layout");
    /// An OffloadBinary starts with a header of 32 bytes, of 40 from version 3 on.
    OFFLOAD_HEADER = "offload-binary/truncated-header" Error "The header is cut off" Spec("OffloadBinary.h");
    /// The versions are 1, 2 and 3. Nothing says what another one holds.
    OFFLOAD_VERSION = "offload-binary/version" Error "A version of OffloadBinary that there is not" Spec("OffloadBinary.h");
    /// The size is that of the binary with its header, and lies within the file.
    OFFLOAD_SIZE = "offload-binary/size" Error "The size of a binary is not that of what is there" Spec("OffloadBinary.h");
    /// An entry has 40 bytes.
    OFFLOAD_ENTRY_SIZE = "offload-binary/entry-size" Error "The entry is too small" Spec("OffloadBinary.h");
    /// An entry has 40 bytes. Readers do not look at the size.
    OFFLOAD_ENTRY_LONGER = "offload-binary/entry-larger" Warning "The entry is larger than an entry" Spec("OffloadBinary.h");
    /// Readers of SYCLBIN refuse a binary without images.
    OFFLOAD_EMPTY = "offload-binary/no-entries" Error "A binary without entries" Spec("OffloadBinary.h");
    /// The entries and the string entries of each must lie within the binary. LLVM's reader does not
    /// always check it, and crashes.
    OFFLOAD_TABLE = "offload-binary/table-out-of-bounds" Error "A table reaches past the end of the binary" Spec("OffloadBinary.h");
    /// Keys, and values before version 2, end with a NUL; all of them lie within the binary.
    OFFLOAD_STRING = "offload-binary/bad-string" Error "A key or value that is not there" Spec("OffloadBinary.h");
    /// Readers take the last value.
    OFFLOAD_KEY_TWICE = "offload-binary/duplicate-key" Warning "A key is there twice" Spec("OffloadBinary.h");
    /// The image of an entry must lie within the binary. LLVM's reader does not always check it.
    OFFLOAD_IMAGE = "offload-binary/image-out-of-bounds" Error "An image reaches past the end of the binary" Spec("OffloadBinary.h");
    /// An image cannot hold the binary that it is an image of.
    OFFLOAD_SELF = "offload-binary/holds-itself" Error "An image holds its own binary" Spec("OffloadBinary.h");
    /// From version 3 on all but the header may be compressed, with zlib or zstd. This is neither,
    /// or could not be unpacked.
    OFFLOAD_COMPRESSED = "offload-binary/compressed" Info "The binary is compressed, and not unpacked" Spec("OffloadBinary.h");

    /// The first generation of SYCLBIN starts with a header of 56 bytes.
    SYCLBIN_HEADER = "syclbin/truncated-header" Error "The file header is cut off" Spec("SYCLBINDesign.md, File header");
    /// The magic number is 0x53594249 with the lowest byte first: `IBYS` as text, not `SYBI`.
    SYCLBIN_MAGIC = "syclbin/magic" Error "The magic number is reversed" Spec("SYCLBINDesign.md, File header");
    /// 0 and 1 have a header of their own, 2 is an OffloadBinary whose global metadata says so.
    SYCLBIN_VERSION = "syclbin/version" Error "A version of SYCLBIN that there is not" Spec("SYCLBINDesign.md");
    /// The headers, the metadata table and the binary table follow each other, and lie within the
    /// file.
    SYCLBIN_TABLE = "syclbin/table-out-of-bounds" Error "A table reaches past the end of the file" Spec("SYCLBINDesign.md, File Structure");
    /// Metadata and device code lie within their tables. Readers add offset and size without a look
    /// at the carry: some sums that are too large pass.
    SYCLBIN_OUT_OF_BOUNDS = "syclbin/out-of-bounds" Error "Metadata or device code outside of its table" Spec("SYCLBINDesign.md, Byte tables");
    /// The indices of an abstract module's headers lie within their arrays. Readers do not check it,
    /// and take what follows the array for a header.
    SYCLBIN_INDEX = "syclbin/index-out-of-bounds" Error "An abstract module refers to headers that do not exist" Spec("SYCLBINDesign.md, Abstract module header");
    /// The first writers did not count: in what they wrote all abstract modules seem to have the
    /// device code of the first one. Readers take it as it stands.
    SYCLBIN_FIRST_INDEX = "syclbin/first-index-zero" Warning "All first indices are 0" Spec("SYCLBINDesign.md, Abstract module header");
    /// Device code that nobody can get at.
    SYCLBIN_UNUSED = "syclbin/unused-header" Info "Device code that no abstract module has" Spec("SYCLBINDesign.md, Abstract module header");
    /// The global metadata says the state: 0 input, 1 object, 2 executable.
    SYCLBIN_STATE = "syclbin/state" Warning "The state is missing, or none that there is" Spec("SYCLBINDesign.md, Global metadata");
    /// All entries of a SYCLBIN are images of kind 7.
    SYCLBIN_IMAGE_KIND = "syclbin/image-kind" Error "An image that is no part of a SYCLBIN" Spec("SYCLBINDesign.md, version 2");
    /// Writers have used 4, 5 and 8 for SYCL. Readers do not look at it.
    SYCLBIN_OFFLOAD_KIND = "syclbin/offload-kind" Warning "A SYCLBIN of another programming model" Spec("SYCLBINDesign.md, version 2");
    /// Each entry has one of the roles `global_metadata`, `am_metadata`, `ir` and `native`.
    SYCLBIN_ROLE = "syclbin/role" Error "An entry without a role that is known" Spec("SYCLBINDesign.md, version 2");
    /// `am_index` is a decimal number without a sign, less than the number of entries.
    SYCLBIN_AM_INDEX = "syclbin/am-index" Error "An entry of no abstract module" Spec("SYCLBINDesign.md, version 2");
    /// There is exactly one entry of global metadata.
    SYCLBIN_GLOBAL = "syclbin/global-metadata" Error "Not exactly one global metadata" Spec("SYCLBINDesign.md, version 2");
    /// Each abstract module up to the last that is spoken of has exactly one entry of metadata.
    SYCLBIN_AM_METADATA = "syclbin/abstract-module-metadata" Error "Not exactly one metadata of an abstract module" Spec("SYCLBINDesign.md, version 2");
    /// The image of device code starts with the size of its metadata, 64 bits wide, and holds it.
    SYCLBIN_IMAGE = "syclbin/image" Error "An image that does not hold its metadata" Spec("SYCLBINDesign.md, version 2");
    /// `triple`, `arch` and `ir_type` are copies of properties; readers take the properties.
    SYCLBIN_COPY = "syclbin/copies-differ" Warning "A string that does not say what its property says" Spec("SYCLBINDesign.md, version 2");

    /// A line must be the name of a set in brackets, or `key=type|value`. Readers refuse the whole
    /// file.
    PROPERTY_LINE = "property-set/bad-line" Error "A line of a property set that cannot be read" Spec("PropertySets.md");
    /// Properties follow the name of their set.
    PROPERTY_WITHOUT_SET = "property-set/no-set" Error "A property in no set" Spec("PropertySets.md");
    /// The type is a decimal number: 1 for numbers, 2 for bytes. Readers take a larger one modulo
    /// 2^32.
    PROPERTY_TYPE = "property-set/type" Error "A property of a type that there is not" Spec("PropertySets.md");
    /// A number is decimal, without a sign, and has at most 32 bits.
    PROPERTY_NUMBER = "property-set/number" Error "The number of a property is none" Spec("PropertySets.md");
    /// Bytes are written in a base64 of their own: 64 digits, nothing that fills up, and no number of
    /// digits that leaves one over.
    PROPERTY_BASE64 = "property-set/base64" Error "The bytes of a property are not readable" Spec("PropertySets.md");
    /// Bytes start with the number of bits that follow. Readers of the SYCL runtime do not compare
    /// the two: they read what is not there.
    PROPERTY_BITS = "property-set/bit-count" Error "The number of bits is not that of the bytes" Spec("PropertySets.md");
    /// Readers take sets of one name as one set, and the last value of a key.
    PROPERTY_TWICE = "property-set/duplicate" Warning "A set or key is there twice" Spec("PropertySets.md");
    /// Readers stop at a NUL, and ignore what follows.
    PROPERTY_NUL = "property-set/nul" Warning "A NUL in the text of property sets" Spec("PropertySets.md");
    /// The section's text is not UTF-8.
    ZEBIN_TEXT_ENCODING = "zebin/text-not-utf-8" Info "Text that is not UTF-8" Viewer;

    /// Patch tokens start with a header of 28 bytes, and the program's patch list follows it.
    PATCH_TOKENS_CUT_OFF = "patch-tokens/cut-off" Error "Patch tokens are cut off" Spec("IGC, patch_list.h");

    /// A COFF header has 20 bytes, and the headers of the sections follow it.
    COFF_HEADER = "coff/truncated-header" Error "The headers of a COFF file are cut off" Spec("PE Format, COFF File Header");
    /// A section has its place and its size in its header; the file ends before it.
    COFF_OUT_OF_BOUNDS = "coff/section-out-of-bounds" Error "A section reaches past the end of the file" Spec("PE Format, Section Table");

    /// A bundle starts with the number of its entries, and an entry has a place, a size and an
    /// id; a compressed one with its sizes.
    BUNDLE_HEADER = "offload-bundle/truncated-header" Error "The header of a bundle is cut off" Spec("ClangOffloadBundler.rst");
    /// The place and the size of an image lie in the header; the bundle ends before the image.
    BUNDLE_OUT_OF_BOUNDS = "offload-bundle/image-out-of-bounds" Error "An image reaches past the end of the bundle" Spec("ClangOffloadBundler.rst");
    /// There are three versions of the header of compressed bundles, and two methods: 0 is zlib,
    /// 1 is zstd.
    BUNDLE_VERSION = "offload-bundle/unknown-version" Error "A compressed bundle of an unknown version or method" Spec("clang, OffloadBundler.h");
    /// A text starts and ends with a line of comment; both name what it is for.
    BUNDLE_TEXT = "offload-bundle/unterminated-text" Warning "A text of a bundle does not end" Spec("ClangOffloadBundler.rst");

    /// IGC's debug data starts with a header of 28 bytes.
    IGC_DEBUG_HEADER = "igc-debug/truncated-header" Error "The program header is cut off" Spec("program_debug_data.h");
    /// `NumberOfKernels` must be the number of kernels that follow.
    IGC_DEBUG_KERNELS = "igc-debug/kernels-missing" Error "There are fewer kernels than the header says" Spec("program_debug_data.h");
    /// A kernel's name and debug data must lie within the data.
    IGC_DEBUG_OUT_OF_BOUNDS = "igc-debug/kernel-out-of-bounds" Error "A kernel's debug data reaches past the end" Spec("program_debug_data.h");
    /// The name is filled up to a multiple of 4 bytes, and its size counts them. Readers differ in
    /// what they do otherwise.
    IGC_DEBUG_NAME_SIZE = "igc-debug/name-size" Warning "The size of a kernel's name is no multiple of 4" Spec("program_debug_data.h");
    /// The name ends with a NUL.
    IGC_DEBUG_NAME = "igc-debug/unterminated-name" Warning "A kernel's name does not end" Spec("program_debug_data.h");
    /// Nothing says what these bytes are.
    IGC_DEBUG_TRAILING = "igc-debug/trailing-bytes" Warning "There are bytes after the last kernel" Spec("program_debug_data.h");

    /// Text outside of the subset of YAML that the compiler writes. It is shown as far as it can
    /// be taken apart; what the driver makes of it, the verdict tells.
    ZE_INFO_SUBSET = "ze-info/outside-yaml-subset" Info "YAML that the compiler does not write" Viewer;
    /// A line that is not YAML.
    ZE_INFO_SYNTAX = "ze-info/syntax-error" Error "A line that is not YAML" Spec("YAML 1.2");
    /// Tabs are not allowed as indentation in YAML. The driver counts each as 4 columns.
    ZE_INFO_TAB = "ze-info/tab" Warning "A tab as indentation" Spec("YAML 1.2, Indentation Spaces");
    /// The text is not UTF-8.
    ZE_INFO_ENCODING = "ze-info/not-utf-8" Error "Bytes that are not UTF-8" Spec("YAML 1.2, Character Set");
    /// A key is there twice in one mapping; the driver takes the last value.
    ZE_INFO_DUPLICATE_KEY = "ze-info/duplicate-key" Warning "A key is there twice" Spec("YAML 1.2, Nodes: the keys of a mapping are unique");
    /// The specification (to version 1.73) has no such key here. A later or an internal version
    /// may have it. The key is shown with its value; the driver's verdict is a matter of its own.
    ZE_INFO_UNKNOWN_KEY = "ze-info/unknown-key" Warning "A key that the specification does not know" Spec("ZE Info 1.73");
    /// The specification has the word in no version for this key, to 1.73.
    ZE_INFO_UNKNOWN_VALUE = "ze-info/unknown-value" Warning "A word that the specification does not know" Spec("ZE Info 1.73");
    /// The key or word was introduced by a later version than the one that the text names.
    /// Consumers look at the key, not at the version.
    ZE_INFO_NEWER_KEY = "ze-info/newer-than-version" Info "A key or word of a later version" Spec("ZE Info, Change Note");
    /// The key or word was removed or renamed, or has never been in a specification; it is
    /// met in old files and in what other writers than IGC make.
    ZE_INFO_LEGACY = "ze-info/legacy-key" Info "A key or word that is not in the specification any more" Spec("ZE Info, Change Note");
    /// The value is of another type than the key has by the specification.
    ZE_INFO_TYPE = "ze-info/wrong-type" Error "A value of the wrong type" Spec("ZE Info, Type");
    /// `int32x3` is a sequence of exactly three numbers: x, y, z.
    ZE_INFO_LENGTH = "ze-info/wrong-length" Error "A sequence of the wrong length" Spec("ZE Info, Type");
    /// The specification lists the only numbers that the key may have.
    ZE_INFO_RANGE = "ze-info/value-out-of-range" Error "A number that the specification does not allow" Spec("ZE Info 1.73");
    /// The specification marks the key as required.
    ZE_INFO_MISSING_KEY = "ze-info/missing-key" Error "A required key is missing" Spec("ZE Info 1.73");
    /// The version must be `major.minor`, two decimal numbers.
    ZE_INFO_VERSION = "ze-info/malformed-version" Error "The version of .ze_info is not a version" Spec("ZE Info, Versioning");
    /// A minor version adds to the ones before: what zeview knows is shown, the rest is unknown
    /// keys.
    ZE_INFO_NEWER = "ze-info/newer-minor-version" Info "A later version than zeview knows" Spec("ZE Info, Versioning");
    /// Major versions are not compatible with each other. There has been none but 1.
    ZE_INFO_MAJOR = "ze-info/other-major-version" Warning "Another major version" Spec("ZE Info, Versioning");
    /// The section is there, but has no text.
    ZE_INFO_EMPTY = "ze-info/empty" Warning "An empty .ze_info" Spec("ZE Info, Container");
}
