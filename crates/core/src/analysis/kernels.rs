//! Kernels: rows of the kernel table, and the details of one kernel.
//!
//! Plain data, created by a decoder on demand ([`Document::kernels`]) and cached by it.
//! `tables` presents them.

use std::rc::Rc;

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use super::assembly::{Listing, Mix};
use super::data_flow::FlowCounts;
use super::figure::{Figure, SizeFigure};
use super::occupancy::{Occupancy, OccupancyParameters};
use crate::model::{Document, NodeId, Sources, Span, Str, Value, Xref};

/// Prefixes of a kernel's name in section names: of its code, of the relocations of the code, then
/// of data about it.
pub static SECTION_PREFIXES: [&str; 6] = [
    ".text.",
    ".rel.text.",
    ".rela.text.",
    ".gtpin_info.",
    ".visaasm.",
    ".debug_info.",
];

/// The name that IGC gives to the code of a module's external functions.
pub const PLACEHOLDER: &str = "Intel_Symbol_Table_Void_Program";

/// Figures of a kernel's code, for the kernel table.
pub enum CodeFigures {
    /// The instruction mix.
    Mix(Box<Mix>),
    /// Figures of the data flow.
    Flow(Box<FlowCounts>),
}

/// The result of a [`CodeTask`].
pub struct CodeResult {
    /// The code.
    pub code: Span,
    /// Its figures.
    pub figures: CodeFigures,
}

/// Computes figures of a kernel's code. Has a copy of the code, so it can run on another thread.
pub type CodeTask = Box<dyn FnOnce() -> Option<CodeResult> + Send>;

/// Provides the kernels of a document.
pub trait Kernels {
    /// Returns the number of native kernels and functions, without creating their rows.
    fn count(&self) -> u64;

    /// Returns all kernels in file order, then the functions; computed once.
    fn rows(&self, sources: &Sources) -> Rc<Vec<KernelRow>>;

    /// Returns the kernels that only the SPIR-V in the same document has, which may be none. Returns
    /// `None` for a document without SPIR-V beside native code.
    fn only_spirv(&self, sources: &Sources) -> Option<Rc<dyn Kernels>> {
        let _ = sources;
        None
    }

    /// Splits the kernels of SPIR-V: returns the names of those that are among `native`, and the
    /// others. Returns `None` for native code.
    fn split(
        &self,
        native: &HashSet<String>,
        sources: &Sources,
    ) -> Option<(Vec<String>, Rc<dyn Kernels>)> {
        let _ = (native, sources);
        None
    }

    /// Whether there is native code of the kernel of that name, without creating rows.
    fn has_native(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// Returns the digests of the kernels' code, in the order of [`rows`](Self::rows), to compare
    /// them with those of another document; `None` for a kernel whose code cannot be read. Returns
    /// `None` for native code, which is compared by instructions.
    fn digests(&self, sources: &Sources) -> Option<Vec<Option<CodeDigest>>> {
        let _ = sources;
        None
    }

    /// Returns the bytes of the functions of SPIR-V in order, each with the index of the only kernel
    /// that reaches it; `None` for a function that several kernels share, or that none is known to
    /// call. Returns `None` for native code.
    fn functions(&self, sources: &Sources) -> Option<Vec<(Span, Option<usize>)>> {
        let _ = sources;
        None
    }

    /// Returns the bytes of the entries that refer to a kernel in shared tables (symbols,
    /// descriptions), except for its own entry.
    fn mentions(&self, row: &KernelRow, sources: &Sources) -> Vec<Span>;

    /// Returns the details of a kernel.
    fn detail(&self, index: usize, sources: &Sources) -> Option<KernelDetail>;

    /// Returns the code of the kernel of that name, without padding of the file. Returns `None` if it
    /// has none.
    fn code(&self, name: &str) -> Option<Span> {
        let _ = name;
        None
    }

    /// Returns the instructions of the kernel of that name. Returns `None` if it has no code, or the
    /// encoding is unknown.
    fn listing(&self, name: &str, sources: &Sources) -> Option<Rc<dyn Listing>> {
        let _ = (name, sources);
        None
    }

    /// Returns the instruction mix of the kernel of that name, and its code; computed on demand.
    /// Returns `None` if it has no code, or the encoding is unknown.
    fn mix(&self, name: &str, sources: &Sources) -> Option<(Span, Rc<Mix>)>;

    /// Returns figures of the data flow of the kernel of that name, and its code; computed on
    /// demand. Returns `None` if it has no code, or the encoding is unknown.
    fn flow(&self, name: &str, sources: &Sources) -> Option<(Span, FlowCounts)>;

    /// Returns the task that computes the data flow of the kernel of that name, or its instruction
    /// mix. Returns `None` if that is already known, or there is no code that can be decoded.
    #[cfg(not(target_arch = "wasm32"))]
    fn code_task(&self, name: &str, is_flow: bool, sources: &Sources) -> Option<CodeTask> {
        let _ = (name, is_flow, sources);
        None
    }

    /// Keeps the result of a task for [`mix`](Self::mix) and [`flow`](Self::flow).
    #[cfg(not(target_arch = "wasm32"))]
    fn keep_result(&self, result: CodeResult) {
        let _ = result;
    }

    /// Computes what limits the number of concurrent threads and work-groups of a kernel.
    ///
    /// # Errors
    ///
    /// A message, if there is no such kernel or device.
    fn occupancy(
        &self,
        index: usize,
        parameters: &OccupancyParameters,
        sources: &Sources,
    ) -> Result<Occupancy, String>;
}

impl Document {
    /// Returns the kernels of a document: of the opened file (its root), or of one that is nested
    /// in it.
    pub fn kernels(&self, document: NodeId) -> Option<Rc<dyn Kernels>> {
        self.interfaces(document).kernels
    }
}

/// A value and its bytes; defaults and computed values have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its bytes.
    pub span: Option<Span>,
}

impl<T> Located<T> {
    /// Creates a value that has bytes.
    pub fn at(value: T, span: Span) -> Located<T> {
        Located {
            value,
            span: Some(span),
        }
    }
}

/// A digest of the code of a kernel: with the same digest, the code is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeDigest {
    /// A hash of the code and of everything that it refers to.
    pub hash: (u64, u64),
    /// Number of instructions, with those of the functions that it calls.
    pub instructions: u64,
}

/// The bytes of an entry's values, by their keys in `.ze_info`.
pub type KeySpans = Vec<(Str, Span)>;

/// Returns the bytes of the value with that key.
pub fn place(places: &KeySpans, key: &str) -> Option<Span> {
    let found = places.iter().find(|(name, _)| name == key);
    found.map(|(_, span)| *span)
}

/// A kernel, or a function that other modules can call, as a row of the table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KernelRow {
    /// Zero-based index in the file's list.
    pub index: u64,
    /// Whether it is a function, not a kernel.
    pub is_function: bool,
    /// Whether it is an entry point of SPIR-V, without native code: figures of native code are
    /// unknown.
    pub is_spirv: bool,
    /// Whether only its code is known: the file has no description of it.
    pub is_undescribed: bool,
    /// Its name.
    pub name: Located<String>,
    /// The demangled name, if the name is mangled.
    pub demangled: Option<Rc<str>>,
    /// The bytes of its entry.
    pub entry: Span,
    /// SIMD width, in lanes.
    pub simd_size: Located<i64>,
    /// Number of general registers per hardware thread.
    pub grf_count: Located<i64>,
    /// Number of hardware threads per execution unit; 0 if not specified.
    pub eu_thread_count: Located<i64>,
    /// Spill memory, in bytes per hardware thread.
    pub spill_size: SizeFigure,
    /// Private memory, in bytes per hardware thread.
    pub private_size: SizeFigure,
    /// Whether spill and private size are scratch slot sizes (`.ze_info` before 1.39).
    pub from_scratch_slots: bool,
    /// Shared local memory, in bytes per work-group.
    pub slm_size: Located<i64>,
    /// Number of barriers per work-group.
    pub barrier_count: Located<i64>,
    /// The sub-group size required by the source; 0 if none.
    pub required_sub_group_size: Located<i64>,
    /// The work-group size required by the source; zeros if none.
    pub required_work_group_size: Located<[i64; 3]>,
    /// Bytes of the cross-thread payload that are passed in registers.
    pub inline_data_payload_size: Located<i64>,
    /// Number of memory accesses through pointers loaded from memory.
    pub indirect_stateless_count: Located<i64>,
    /// Number of arguments in the source: one more than the largest index, including those that the
    /// compiler has removed.
    pub argument_count: u64,
    /// Number of arguments in the source that are passed.
    pub explicit_arguments: u64,
    /// Number of payload entries that are not arguments in the source.
    pub implicit_arguments: u64,
    /// Size of the cross-thread payload, in bytes: the end of the last entry.
    pub payload_size: u64,
    /// Size of the code, in bytes: the symbol's size, or else the section's.
    pub code_size: Option<Located<u64>>,
    /// The [`FLAGS`] that are true.
    pub flags: Vec<Flag>,
    /// Reasons why it may be slow, or not run.
    pub hazards: Vec<Hazard>,
}

impl KernelRow {
    /// Returns the spilled registers in dwords per lane: `spill_size / (4 · simd_size)`; `None` if
    /// the SIMD width is unknown.
    pub fn spill_dwords_per_lane(&self) -> Option<Figure<f64>> {
        match self.spill_size.figure {
            Ok(size) => dwords_per_lane(size, self.simd_size.value).map(Ok),
            Err(unknown) => Some(Err(unknown)),
        }
    }

    /// Returns the name in the file, and its demangled form.
    pub fn names(&self) -> (&str, Option<&str>) {
        (&self.name.value, self.demangled.as_deref())
    }

    /// Whether it counts as a kernel: it is no function, and no placeholder.
    pub fn is_kernel(&self) -> bool {
        !self.is_function && !self.is_placeholder()
    }

    /// Whether it is not a kernel of the source, but a [`PLACEHOLDER`].
    pub fn is_placeholder(&self) -> bool {
        self.name.value == PLACEHOLDER
    }

    /// Returns the name for display.
    pub fn title(&self) -> &str {
        self.demangled.as_deref().unwrap_or(&self.name.value)
    }
}

/// Converts bytes per hardware thread to dwords per lane.
pub fn dwords_per_lane(bytes: i64, lanes: i64) -> Option<f64> {
    let (bytes, lanes) = (i32::try_from(bytes).ok()?, i32::try_from(lanes).ok()?);
    (lanes > 0).then(|| f64::from(bytes) / (4.0 * f64::from(lanes)))
}

/// A boolean property that is true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// Its key in `.ze_info`.
    pub key: Str,
    /// Its bytes.
    pub span: Span,
}

impl Flag {
    /// Returns a short label; empty if the property is too common to be marked.
    pub fn word(&self) -> &str {
        let known = FLAGS.iter().find(|known| known.key == self.key);
        known.map_or(&*self.key, |known| known.label)
    }
}

/// A boolean property of kernels.
#[derive(Debug, Clone, Copy)]
pub struct FlagInfo {
    /// Its key in `execution_env` of `.ze_info`, which is also the id of its column.
    pub key: &'static str,
    /// A short label; empty for properties that most kernels have.
    pub label: &'static str,
    /// The meaning of true.
    pub doc: &'static str,
}

/// The boolean properties. Meanings are those of the specification of zebins.
pub static FLAGS: [FlagInfo; 21] = [
    FlagInfo {
        key: "has_dpas",
        label: "dpas",
        doc: "Uses the systolic array: dpas instructions.",
    },
    FlagInfo {
        key: "has_global_atomics",
        label: "global atomics",
        doc: "Has atomic operations on global memory.",
    },
    FlagInfo {
        key: "has_stack_calls",
        label: "stack calls",
        doc: "Calls functions through a stack in memory. Requires the implicit argument buffer.",
    },
    FlagInfo {
        key: "has_indirect_calls",
        label: "indirect calls",
        doc: "Calls functions through pointers. Stated since ze_info 1.59.",
    },
    FlagInfo {
        key: "has_printf_calls",
        label: "printf",
        doc: "Its own body calls printf. Stated since ze_info 1.59.",
    },
    FlagInfo {
        key: "has_sample",
        label: "sample",
        doc: "Samples images: the driver may walk the work-items in Morton order. Stated since ze_info 1.27.",
    },
    FlagInfo {
        key: "has_rtcalls",
        label: "ray tracing",
        doc: "Uses ray tracing. Stated since ze_info 1.29.",
    },
    FlagInfo {
        key: "has_4gb_buffers",
        label: "",
        doc: "Compiled for buffers above 4 GB: all accesses are stateless.",
    },
    FlagInfo {
        key: "has_no_stateless_write",
        label: "",
        doc: "Writes no memory by 64-bit addresses (stateless).",
    },
    FlagInfo {
        key: "has_multi_scratch_spaces",
        label: "multi scratch",
        doc: "Spills and private memory are in separate parts of scratch memory.",
    },
    FlagInfo {
        key: "has_fence_for_image_access",
        label: "image fence",
        doc: "Has a fence between accesses of images.",
    },
    FlagInfo {
        key: "has_bindless_image_read",
        label: "bindless image read",
        doc: "Reads images by bindless addresses. Stated since ze_info 1.67.",
    },
    FlagInfo {
        key: "has_device_enqueue",
        label: "device enqueue",
        doc: "Enqueues other kernels from the device.",
    },
    FlagInfo {
        key: "has_lsc_stores_with_non_default_l1_cache_controls",
        label: "L1 controls",
        doc: "Has stores that override the default policy of the L1 cache. Stated since ze_info 1.52.",
    },
    FlagInfo {
        key: "require_disable_eufusion",
        label: "no EU fusion",
        doc: "Needs EUs that are not fused: fused ones run two threads in step. Stated since ze_info 1.11.",
    },
    FlagInfo {
        key: "require_assert_buffer",
        label: "assert",
        doc: "Its own body needs the buffer of assert. Stated since ze_info 1.61.",
    },
    FlagInfo {
        key: "require_sync_buffer",
        label: "sync buffer",
        doc: "Its own body needs the buffer for synchronization between work-groups. Stated since ze_info 1.61.",
    },
    FlagInfo {
        key: "require_iab",
        label: "implicit args",
        doc: "Needs the buffer of implicit arguments, such as the global size, which called functions read. Stated since ze_info 1.54.",
    },
    FlagInfo {
        key: "generate_local_id",
        label: "hardware local ids",
        doc: "The hardware generates the local ids. Stated since ze_info 1.50.",
    },
    FlagInfo {
        key: "disable_mid_thread_preemption",
        label: "",
        doc: "A running thread must not be preempted for another kernel.",
    },
    FlagInfo {
        key: "subgroup_independent_forward_progress",
        label: "",
        doc: "Sub-groups of a work-group make progress independently of each other.",
    },
];

/// A reason why a kernel may be slow, or not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hazard {
    /// The kind of the hazard.
    pub kind: HazardKind,
    /// A short description.
    pub text: Str,
}

/// The kinds of hazards, in order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HazardKind {
    /// A call stack of reserved size, of which spills are a part.
    CallStack,
    /// A large register file, with fewer concurrent threads.
    LargeGrf,
    /// Private memory.
    Private,
    /// The file does not state whether registers spill.
    UnstatedSpills,
    /// Registers spill.
    Spills,
    /// More registers spill than [`HEAVY_SPILL`].
    HeavySpills,
    /// More shared local memory than [`LARGE_SLM`].
    LargeSlm,
}

/// Spills are heavy above this number of dwords per lane (where PyTorch's autotuner discards a
/// configuration).
pub const HEAVY_SPILL: f64 = 16.0;
/// Shared local memory of a work-group that every device has, in bytes; some have more.
pub const LARGE_SLM: i64 = 65536;

/// The details of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelDetail {
    /// Its row.
    pub row: KernelRow,
    /// Attributes from the source: those in the file, then the defaults.
    pub user_attributes: Vec<Property>,
    /// The hardware configuration: entries in the file, then the defaults.
    pub execution_env: Vec<Property>,
    /// The arguments in the source, by index. If the file does not describe them, they are derived
    /// from the payload.
    pub arguments: Vec<SourceArgument>,
    /// Data passed to all threads.
    pub payload: Payload,
    /// Data passed to each thread.
    pub per_thread_payload: Vec<PerThreadEntry>,
    /// Entries of the binding table.
    pub binding_table: Vec<BindingTableEntry>,
    /// Memory outside of the registers.
    pub memory_buffers: Vec<MemoryBuffer>,
    /// Samplers declared in the source.
    pub inline_samplers: Vec<InlineSampler>,
    /// `experimental_properties` and `debug_env`: entries in the file, then the defaults.
    pub others: Vec<Property>,
    /// References to its code, symbols, relocations, GTPin data and argument descriptions.
    pub links: Vec<Xref>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// The key in `.ze_info`.
    pub key: Str,
    /// The value.
    pub value: Value,
    /// The value as text, if [`Value`] cannot express it: `[0, 1, 2]`.
    pub words: Option<String>,
    /// The unit of a number; may be empty.
    pub unit: Str,
    /// The meaning.
    pub doc: Str,
    /// The bytes of the value; `None` for a default.
    pub span: Option<Span>,
}

/// An argument as declared in the source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceArgument {
    /// Zero-based index.
    pub index: i64,
    /// Its name.
    pub name: Option<String>,
    /// Its type, without the size.
    pub type_name: Option<String>,
    /// The size of its type in bytes.
    pub type_size: Option<u64>,
    /// `__global`, `__local`, `__constant`, `__private`.
    pub address_qualifier: Option<String>,
    /// `__read_only`, `__write_only`, `__read_write`; `None` for `NONE`.
    pub access_qualifier: Option<String>,
    /// `const restrict`; `None` for `NONE`.
    pub type_qualifiers: Option<String>,
    /// The bytes of its description.
    pub span: Option<Span>,
    /// The bytes of its values.
    pub places: KeySpans,
    /// Its entries in [`Payload::entries`].
    pub entries: Vec<u32>,
    /// Its index in the binding table.
    pub bti_value: Option<i64>,
}

/// The cross-thread payload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Payload {
    /// The entries, in the order of the text.
    pub entries: Vec<PayloadEntry>,
    /// Entries and gaps that cover all bytes from 0 on, by position. Of overlapping entries only
    /// the first is included.
    pub pieces: Vec<Piece>,
    /// Bytes that more than one entry claims.
    pub overlaps: Vec<Overlap>,
    /// Number of bytes in entries, each counted once.
    pub used: u64,
    /// The end of the last entry.
    pub total: u64,
    /// Number of bytes passed in registers.
    pub inline_data: u64,
}

/// An entry of the cross-thread payload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PayloadEntry {
    /// `arg_type`.
    pub kind: String,
    /// The offset of the first byte, if specified.
    pub offset: Option<i64>,
    /// The size in bytes.
    pub size: Option<i64>,
    /// The index of the source argument that it is, or belongs to.
    pub arg_index: Option<i64>,
    /// Whether it is (part of) an argument in the source.
    pub explicit: bool,
    /// `addrmode`.
    pub addrmode: Option<String>,
    /// `addrspace`.
    pub addrspace: Option<String>,
    /// `access_type`.
    pub access_type: Option<String>,
    /// `image_type`.
    pub image_type: Option<String>,
    /// `sampler_type`.
    pub sampler_type: Option<String>,
    /// `sampler_index`.
    pub sampler_index: Option<i64>,
    /// `source_offset`.
    pub source_offset: Option<i64>,
    /// `slm_alignment`.
    pub slm_alignment: Option<i64>,
    /// `bti_value`.
    pub bti_value: Option<i64>,
    /// Those of `image_transformable`, `is_pipe` and `is_ptr` that are true.
    pub flags: Vec<Str>,
    /// The argument's name in the source.
    pub name: Option<String>,
    /// The argument's type in the source.
    pub type_name: Option<String>,
    /// A short description: `int* out`, `global_size x y z`.
    pub title: String,
    /// The bytes of the entry.
    pub span: Span,
    /// The bytes of its values.
    pub places: KeySpans,
}

/// A piece of the payload: an entry's bytes, or a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The first byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// The index of the entry; `None` for a gap.
    pub entry: Option<u32>,
}

/// Bytes of the payload that two entries claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// The first byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// The index of the entry that starts first.
    pub first: u32,
    /// The index of the other entry.
    pub second: u32,
}

/// An entry of the per-thread payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerThreadEntry {
    /// `arg_type`.
    pub kind: String,
    /// The offset of the first byte.
    pub offset: Option<i64>,
    /// The size in bytes.
    pub size: Option<i64>,
    /// The bytes of the entry.
    pub span: Span,
    /// The bytes of its values.
    pub places: KeySpans,
}

/// An entry of the binding table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BindingTableEntry {
    /// `bti_value`.
    pub bti_value: Option<i64>,
    /// `arg_index`.
    pub arg_index: Option<i64>,
    /// The argument's name in the source.
    pub name: Option<String>,
    /// The bytes of the entry.
    pub span: Span,
    /// The bytes of its values.
    pub places: KeySpans,
}

/// Memory outside of the registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBuffer {
    /// `type`.
    pub kind: String,
    /// `usage`.
    pub usage: String,
    /// The size in bytes.
    pub size: Option<i64>,
    /// `slot`, or its default.
    pub slot: i64,
    /// Whether the size is per lane, not per hardware thread.
    pub is_simt_thread: bool,
    /// The bytes of the entry.
    pub span: Span,
    /// The bytes of its values.
    pub places: KeySpans,
}

/// A sampler declared in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineSampler {
    /// `sampler_index`.
    pub sampler_index: Option<i64>,
    /// `addrmode`.
    pub addrmode: String,
    /// `filtermode`.
    pub filtermode: String,
    /// `normalized`, or its default.
    pub normalized: bool,
    /// The bytes of the entry.
    pub span: Span,
    /// The bytes of its values.
    pub places: KeySpans,
}
