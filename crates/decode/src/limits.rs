//! All limits, with their reasons. A `limits/…` diagnostic reports what was omitted.

/// Maximum number of decoded section headers. Each uses about 800 bytes of memory with its rows.
/// Real files have up to 1 216; a file of 60 000 kernels has 120 000.
const SECTIONS: u64 = 1 << 19;

/// Maximum number of decoded section headers for a file of `size` bytes. In real files, a section
/// takes about 200 bytes with its header, name and contents.
pub fn sections(size: u64) -> u64 {
    (size / 192).saturating_add(1 << 13).min(SECTIONS)
}

/// Maximum number of symbols and relocations in the lists beside the tree, in units of about 140
/// bytes of memory. Real files have up to 1 300 of each, one of 60 000 kernels has 120 000.
pub const LINKAGE: usize = 1 << 19;

/// Units of a symbol; a relocation counts as one.
pub const LINKAGE_SYMBOL: usize = 2;

/// Minimum limit, in units, for a file without sections.
const LINKAGE_ALWAYS: usize = 1 << 17;

/// Number of bytes of names that count as one unit.
pub const LINKAGE_NAMES: u64 = 140;

/// Maximum number of units for a file of `size` bytes: overlapping tables have more entries than
/// there is room for. In real files a relocation takes 32 bytes with the patched bytes, a symbol 64
/// with its name and contents; a section takes the memory of 20 relocations, and at least 200
/// bytes.
pub fn linkage(size: u64, sections: usize) -> usize {
    let most = usize::try_from(size / 32).unwrap_or(usize::MAX);
    let most = most.max(LINKAGE_ALWAYS);
    let most = most.saturating_sub(sections.saturating_mul(20));
    most.saturating_add(8192).min(LINKAGE)
}

/// Maximum size of demangled names in the list of symbols, in bytes; the rest stay mangled.
pub const DEMANGLED: usize = 8 << 20;

/// Maximum number of decoded program headers.
pub const SEGMENTS: u64 = 1 << 16;

/// Maximum size of a string table loaded for lookups, in bytes (its rows are read from the file at
/// any size). Real ones have up to 300 KB.
pub const STRING_TABLE: u64 = 256 << 20;

/// Maximum size of a parsed `.ze_info`, in bytes. Real ones have up to 2 MB; 60 000 kernels make
/// 170 MB. On a 32-bit target the address space sets the limit.
pub const ZE_INFO: u64 = if cfg!(target_pointer_width = "64") {
    1 << 30
} else {
    256 << 20
};

/// Maximum size of a `.ze_info` that the general YAML parser reads as well, in bytes. That takes 20
/// times as long and 200 times the memory.
pub const GENERAL_YAML: usize = 256 << 10;

/// Maximum number of values shown by the general YAML parser: aliases can expand a short text.
pub const GENERAL_YAML_VALUES: usize = 1 << 15;

/// Maximum nesting of brackets in the general YAML parser: its time grows with the square, and it
/// refuses more than 128.
pub const GENERAL_YAML_DEPTH: usize = 128;

/// Bytes of output per byte of a file. Real files need up to 100.
pub const OUTPUT: u64 = 200;

/// Minimum limit for output, in bytes.
pub const OUTPUT_MORE: u64 = 16 << 20;

/// Maximum size of the output for a file of `size` bytes.
pub fn output(size: u64) -> u64 {
    size.saturating_mul(OUTPUT).max(OUTPUT_MORE)
}

/// Maximum size of one text of property sets, in bytes. Real ones have up to a few KB.
pub const PROPERTIES: u64 = 64 << 20;

/// Maximum number of sets and properties of one text that are listed and compared; each uses about
/// 300 bytes of memory. The rows of the text show all. Real texts have up to some hundred.
pub const PROPERTY_ENTRIES: usize = 1 << 17;

/// Maximum number of consecutive OffloadBinaries; a library of a few thousand images has as many.
pub const OFFLOAD_BINARIES: u64 = 1 << 15;

/// Maximum number of decoded entries, modules or images of one container. Each uses about 300 bytes
/// of memory.
pub const ENTRIES: u64 = 1 << 20;

/// Maximum length of a NUL-terminated string without a size field, in bytes.
pub const C_STRING: u64 = 64 << 10;

/// Maximum number of bytes scanned for the ends of all such strings that are not short.
pub const C_STRINGS: u64 = 16 << 20;

/// Average number of times that checks may walk each byte of a file: with overlapping tables, the
/// cost would otherwise be quadratic.
pub const WALKS: u64 = 3;

/// Minimum limit for walks, in bytes.
pub const WALKS_MORE: u64 = 8 << 20;

/// Maximum length of a name in a row, in bytes. The longest one in real files has 2 106.
pub const NAME_SHOWN: usize = 4096;

/// Maximum length of a stored section name, in bytes.
pub const NAME: usize = 1 << 20;

/// Maximum length of a section name when all names together exceed their limit, in bytes.
pub const NAME_CUT: usize = 64;

/// Maximum length of a finding's headline, in characters: names may be long.
pub const MESSAGE: usize = 400;

/// Maximum number of bytes of a note section that are walked.
pub const NOTES: u64 = 16 << 20;

/// Maximum number of diagnostics listed per rule; further ones are counted.
pub const PER_RULE: usize = 100;

/// Maximum depth of nested documents.
pub const NESTING: u32 = 16;

/// Maximum number of relocations kept for a host file, 24 bytes each. The largest of 48 real
/// libraries has 255 796.
pub const HOST_RELOCATIONS: usize = 1 << 22;
/// Minimum limit for the relocations of a file.
const HOST_RELOCATIONS_MORE: u64 = 1 << 16;

/// Maximum number of relocations kept for a host file of `size` bytes: one per word. Packed tables
/// can name 63 words in 8 bytes, repeatedly.
pub fn host_relocations(size: u64) -> usize {
    let count = (size / 8).max(HOST_RELOCATIONS_MORE);
    usize::try_from(count).map_or(HOST_RELOCATIONS, |count| count.min(HOST_RELOCATIONS))
}

/// Maximum number of bytes of data scanned for the index of device images, if neither sections nor
/// relocations locate it.
pub const HOST_SCAN: u64 = 64 << 20;

/// Minimum limit for nested documents; each uses about 13 KB of memory.
pub const DOCUMENTS: u64 = 2048;

/// Number of bytes of a file that allow one more nested document. Real ones have a few KB.
pub const DOCUMENT_BYTES: u64 = 1536;

/// Maximum number of listed files of a package; each uses about 300 bytes of memory. The largest
/// wheels have about 20 000.
pub const PACKAGE_FILES: usize = 1 << 17;

/// Maximum length of the list of a folder's files, in bytes.
pub const FOLDER_LIST: u64 = 64 << 20;

/// Maximum number of files of a package whose local headers are compared with its directory when
/// it is opened: they are spread over the whole package. Others are compared on demand.
pub const LOCAL_HEADERS: usize = 1024;

/// Number of bytes of a compressed file that are decompressed only to compare its checksum.
pub const CHECKED: u64 = 4 << 20;

/// Maximum number of entries of a bundle; compilers write a handful.
pub const BUNDLE_ENTRIES: u64 = 1 << 16;

/// Maximum number of holes between sections that are read to distinguish padding from gaps.
pub const HOLES: usize = 1 << 17;

/// Maximum size of padding, in bytes; alignments above a page are not seen in practice.
pub const PADDING: u64 = 4096;

/// Maximum size of the decompressed data of one file, all streams together, and of a stream that is
/// read. The data stays in memory as long as the file is open.
pub const UNPACKED: u64 = if cfg!(target_pointer_width = "64") {
    256 << 20
} else {
    96 << 20
};

/// Minimum limit for decompressed data, in bytes.
pub const UNPACKED_MORE: u64 = 8 << 20;
/// Decompressed bytes per byte of a file: real images shrink to a tenth.
pub const UNPACKED_TIMES: u64 = 10;

/// Maximum size of the decompressed data for a file of `size` bytes.
pub fn unpacked(size: u64) -> u64 {
    let most = size.saturating_mul(UNPACKED_TIMES);
    most.saturating_add(UNPACKED_MORE).min(UNPACKED)
}

/// Maximum number of decompressed streams of one file.
pub const STREAMS: u64 = 1024;

/// Maximum window of a zstd frame, which is in memory in addition to the requested bytes: the
/// window of `zstd --long`.
pub const WINDOW: u64 = 128 << 20;

/// Maximum size of a decoded SPIR-V module or a file's DWARF, in bytes: they are in memory while
/// their rows are visible. A debug zebin of 600 kernels has 3 MB of DWARF.
pub const DEEP: u64 = if cfg!(target_pointer_width = "64") {
    1 << 30
} else {
    256 << 20
};

/// Maximum length of a name that is made for a SPIR-V id from other names, in bytes: names of
/// nested types contain those of their parts, so that they could double with each level.
pub const SPIRV_NAME: usize = 1 << 16;
/// Maximum total length of these names in a module, in bytes. Other ids are written as numbers.
pub const SPIRV_NAMES: usize = 64 << 20;
/// Length of a line of SPIR-V text after which its operands are left out, in bytes: an
/// instruction can have 65534 ids with names of 256 KB each.
pub const SPIRV_LINE: usize = 16 << 20;

/// Work budget of a verdict per byte of the file, in bytes read or kept. Real files need 2 to 6.
pub const VERDICT: u64 = 12;

/// Minimum work budget of a verdict.
pub const VERDICT_MORE: u64 = 20 << 20;

/// Maximum work budget of a verdict: seconds, and less memory than a browser has.
pub const VERDICT_MOST: u64 = 2 << 30;

/// The work budget of a verdict for a file of `size` bytes.
pub fn verdict_steps(size: u64) -> u64 {
    let steps = size.saturating_mul(VERDICT).saturating_add(VERDICT_MORE);
    steps.min(VERDICT_MOST)
}
