//! Limits of the analysis of instructions, with their reasons. What exceeds one is unknown.

/// Maximum number of basic blocks of a code section in its graph: compilers write some thousand.
/// The graph reports omitted code.
pub const BLOCKS: usize = 1 << 17;

/// Maximum number of instructions for data flow analysis: the largest kernels have about 100 000.
/// The analysis reports where it stops.
pub const DATA_FLOW_ROWS: usize = 1 << 18;

/// Maximum number of register operands for data flow analysis; each uses 24 bytes of memory. An
/// instruction of a real kernel has three or four.
pub const DATA_FLOW_OPERANDS: usize = 1 << 22;

/// Maximum number of pairs of block and live register for `size` bytes of code; each uses 40 bytes
/// of memory.
pub fn data_flow_live(size: usize) -> usize {
    (size / 3).max(3 << 19)
}

/// Maximum number of definitions that are kept for their consumers, for `size` bytes of code; each
/// uses 24 bytes of memory.
pub fn data_flow_kept(size: usize) -> usize {
    (size / 4).max(1 << 20)
}

/// The work budget of all queries about instructions of `size` bytes of code, before each has its
/// own minimum.
pub fn data_flow_queries(size: usize) -> u64 {
    (size as u64).saturating_mul(16).saturating_add(1 << 22)
}

/// The work budget of each part of a data flow analysis: real kernels need about one step per byte
/// of code.
pub fn data_flow_steps(size: usize) -> u64 {
    (size as u64).saturating_mul(32).saturating_add(1 << 23)
}

/// Minimum work budget of a data flow query about one instruction.
pub const DATA_FLOW_QUERY: u64 = 1 << 10;
