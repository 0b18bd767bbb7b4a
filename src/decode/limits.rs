//! All limits, with their reasons. A `limits/…` diagnostic reports what a limit omits.

/// Section headers that are decoded, each costs some 800 bytes of memory with its rows. Real files have
/// up to 1 216; a file of 60 000 kernels has 120 000.
const SECTIONS: u64 = 1 << 19;

/// The section headers that are decoded of a file of `size` bytes: with its header, its name and
/// its contents a section takes some 200 bytes of a real file.
pub fn sections(size: u64) -> u64 {
    (size / 192).saturating_add(1 << 13).min(SECTIONS)
}

/// Symbols and relocations that are listed beside the tree, in units of some 140 bytes of memory.
/// Real files have up to 1 300 of each, one of 60 000 kernels has 120 000.
pub const LINKAGE: usize = 1 << 19;

/// The units of a symbol; a relocation is one.
pub const LINKAGE_SYMBOL: usize = 2;

/// The units of a file without sections that are always listed.
const LINKAGE_ALWAYS: usize = 1 << 17;

/// So many bytes of names are another unit.
pub const LINKAGE_NAMES: u64 = 140;

/// The units of symbols and relocations that are listed of a file of `size` bytes with so many
/// sections: tables that lie over each other have more entries than there is room for. A relocation
/// takes 32 bytes of a real file with what it patches, a symbol 64 with its name and what it stands
/// for; a section takes the memory of twenty relocations, and 200 bytes or more of a real file.
pub fn linkage(size: u64, sections: usize) -> usize {
    let most = usize::try_from(size / 32).unwrap_or(usize::MAX);
    let most = most.max(LINKAGE_ALWAYS);
    let most = most.saturating_sub(sections.saturating_mul(20));
    most.saturating_add(8192).min(LINKAGE)
}

/// Bytes of names that are demangled for the list of symbols; further ones stay as they are.
pub const DEMANGLED: usize = 8 << 20;

/// Program headers that are decoded.
pub const SEGMENTS: u64 = 1 << 16;

/// Bytes of one string table that are kept for look-ups (the names in it are shown from
/// the file whatever its size). Real ones have up to 300 KB.
pub const STRING_TABLE: u64 = 256 << 20;

/// Bytes of one `.ze_info` that are parsed; real ones have up to 2 MB, 60 000 kernels make
/// 170 MB. On a 32-bit target the address space sets the limit.
pub const ZE_INFO: u64 = if cfg!(target_pointer_width = "64") {
    1 << 30
} else {
    256 << 20
};

/// Bytes of one `.ze_info` that are read by the general reader of YAML as well, which takes
/// twenty times as long, and two hundred times the memory.
pub const GENERAL_YAML: usize = 256 << 10;

/// Values that the general reader of YAML shows: aliases can make many of a short text.
pub const GENERAL_YAML_VALUES: usize = 1 << 15;

/// Brackets in brackets that the general reader of YAML takes: its time grows with their square,
/// and it refuses more than 128.
pub const GENERAL_YAML_DEPTH: usize = 128;

/// Bytes of output for each byte of a file. Real files take up to 100.
pub const OUTPUT: u64 = 200;

/// Output that is always allowed, in bytes.
pub const OUTPUT_MORE: u64 = 16 << 20;

/// The output that a file of `size` bytes may take.
pub fn output(size: u64) -> u64 {
    size.saturating_mul(OUTPUT).max(OUTPUT_MORE)
}

/// Bytes of one text of property sets that are read. Real ones have up to a few KB.
pub const PROPERTIES: u64 = 64 << 20;

/// Sets and properties of one text that are listed, and compared with each other; each costs some
/// 300 bytes of memory. The rows of the text show all. Real ones have up to some hundred.
pub const PROPERTY_ENTRIES: usize = 1 << 17;

/// OffloadBinaries in a row that are decoded; a library of a few thousand images has as many.
pub const OFFLOAD_BINARIES: u64 = 1 << 15;

/// Entries, modules or images of one container that are decoded, each costs some 300 bytes of
/// memory.
pub const ENTRIES: u64 = 1 << 20;

/// The longest text without a size of its own that is looked for the end of, in bytes.
pub const C_STRING: u64 = 64 << 10;

/// Bytes that are looked through for the ends of all such texts that are not short.
pub const C_STRINGS: u64 = 16 << 20;

/// How often each byte of a file may be walked through by checks, on average: tables that lie
/// over each other would otherwise cost the square of the file.
pub const WALKS: u64 = 3;

/// Walks that are always allowed, in bytes.
pub const WALKS_MORE: u64 = 8 << 20;

/// The longest name that is shown in a row. The longest one in real files has 2 106 bytes.
pub const NAME_SHOWN: usize = 4096;

/// The longest name of a section that is kept, in bytes.
pub const NAME: usize = 1 << 20;

/// So much of a section's name is kept when the names of all sections are too long together.
pub const NAME_CUT: usize = 64;

/// The longest headline of a finding, in characters: names may be long.
pub const MESSAGE: usize = 400;

/// Bytes of one note section that are walked.
pub const NOTES: u64 = 16 << 20;

/// Diagnostics of one rule; further ones are counted.
pub const PER_RULE: usize = 100;

/// Documents in documents in documents.
pub const NESTING: u32 = 16;

/// Maximum number of relocations of a host's file that are kept, 24 bytes each. The largest of 48
/// real libraries has 255 796.
pub const HOST_RELOCATIONS: usize = 1 << 22;
/// Number of relocations that are kept of a file of any size.
const HOST_RELOCATIONS_MORE: u64 = 1 << 16;

/// Maximum number of relocations that are kept of a host's file of `size` bytes: one for each word
/// of it. Packed tables can name 63 words in 8 bytes, again and again.
pub fn host_relocations(size: u64) -> usize {
    let count = (size / 8).max(HOST_RELOCATIONS_MORE);
    usize::try_from(count).map_or(HOST_RELOCATIONS, |count| count.min(HOST_RELOCATIONS))
}

/// Bytes of data that are looked through for the index of device images where neither sections
/// nor relocations say where it may be.
pub const HOST_SCAN: u64 = 64 << 20;

/// Nested documents that are always opened; each costs some 13 KB of memory.
pub const DOCUMENTS: u64 = 2048;

/// Bytes for which one more is opened. Real ones have a few KB.
pub const DOCUMENT_BYTES: u64 = 1536;

/// Entries of a bundle; compilers write a handful.
pub const BUNDLE_ENTRIES: u64 = 1 << 16;

/// Holes between sections whose bytes are read to tell padding from a gap.
pub const HOLES: usize = 1 << 17;

/// The longest hole that can be padding; alignments above a page are not seen in practice.
pub const PADDING: u64 = 4096;

/// Bytes that are unpacked of one file, all streams together, and the longest stream that is
/// read. They are in memory as long as the file is open.
pub const UNPACKED: u64 = if cfg!(target_pointer_width = "64") {
    256 << 20
} else {
    96 << 20
};

/// Bytes that are always unpacked.
pub const UNPACKED_MORE: u64 = 8 << 20;
/// Bytes that are unpacked for each byte of a file: real images shrink to a tenth.
pub const UNPACKED_TIMES: u64 = 10;

/// The bytes that are unpacked of a file of `size` bytes.
pub fn unpacked(size: u64) -> u64 {
    let most = size.saturating_mul(UNPACKED_TIMES);
    most.saturating_add(UNPACKED_MORE).min(UNPACKED)
}

/// Streams that are unpacked of one file.
pub const STREAMS: u64 = 1024;

/// The largest window of a zstd frame, which can be in memory beyond what is asked for. It is
/// what `zstd --long` writes.
pub const WINDOW: u64 = 128 << 20;

/// Bytes of a SPIR-V module, or of a file's DWARF, that are taken apart: they are in memory
/// while their rows are shown. A debug zebin of 600 kernels has 3 MB of DWARF.
pub const DEEP: u64 = if cfg!(target_pointer_width = "64") {
    1 << 30
} else {
    256 << 20
};

/// Work on a verdict for each byte of the file, in bytes that are read or kept. Real files take
/// 2 to 6.
pub const VERDICT: u64 = 12;

/// Work on a verdict that is always allowed.
pub const VERDICT_MORE: u64 = 20 << 20;

/// Work on a verdict, at most: seconds, and less memory than a browser has.
pub const VERDICT_MOST: u64 = 2 << 30;

/// The work that a verdict on a file of `size` bytes may take.
pub fn verdict_steps(size: u64) -> u64 {
    let steps = size.saturating_mul(VERDICT).saturating_add(VERDICT_MORE);
    steps.min(VERDICT_MOST)
}

/// Basic blocks of a section of code in its graph: compilers write some thousand. The graph says
/// which code is left out.
pub const BLOCKS: usize = 1 << 17;

/// Instructions whose data flow is analyzed: the largest kernels have some 100 000. The analysis
/// says where it stops.
pub const DATA_FLOW_ROWS: usize = 1 << 18;

/// Registers that are read and written by the instructions whose data flow is analyzed, each costs
/// 24 bytes of memory. An instruction of a real kernel has three or four.
pub const DATA_FLOW_OPERANDS: usize = 1 << 22;

/// Pairs of blocks and registers that live registers are found for, each costs 24 bytes of memory.
pub const DATA_FLOW_LIVE: usize = 1 << 22;

/// The work that the data flow of some code may take: real kernels need about one step for each
/// byte.
pub fn data_flow_steps(size: usize) -> u64 {
    (size as u64).saturating_mul(64).saturating_add(1 << 24)
}

/// The work that a question about the data flow of one instruction may take in any case.
pub const DATA_FLOW_QUESTION: u64 = 1 << 12;
