//! Kernels and what they need: the rows of the kernel table, and one kernel in full.
//!
//! Plain data, made by a decoder when somebody asks ([`Document::kernels`]) and kept by it.
//! [`tables`](crate::tables) shows them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::assembly::Mix;
use super::data_flow::FlowCounts;
use super::occupancy::{Occupancy, Question};
use crate::model::{Document, NodeId, Sources, Span, Str, Value, Xref};

/// What stands before a kernel's name in the names of sections: of its code, of the relocations
/// of that, then of data about it.
pub static SECTION_PREFIXES: [&str; 6] = [
    ".text.",
    ".rel.text.",
    ".rela.text.",
    ".gtpin_info.",
    ".visaasm.",
    ".debug_info.",
];

/// Who knows the kernels of a document.
pub trait Kernels {
    /// How many there are, with the functions; their rows are not made for that.
    fn count(&self) -> u64;

    /// All kernels in the order of the file, then the functions; made once.
    fn rows(&self, sources: &Sources) -> Rc<Vec<KernelRow>>;

    /// The bytes of the entries about one of them in tables that it shares with others, but for
    /// its own entry: symbols, descriptions.
    fn mentions(&self, row: &KernelRow, sources: &Sources) -> Vec<Span>;

    /// One of them in full.
    fn detail(&self, index: usize, sources: &Sources) -> Option<KernelDetail>;

    /// What the instructions of the kernel of that name come to, and its code; counted when
    /// somebody asks. Returns `None` if it has no code, or the encoding is not known.
    fn mix(&self, name: &str, sources: &Sources) -> Option<(Span, Rc<Mix>)>;

    /// Figures of the data flow of the kernel of that name, and its code; found when somebody asks.
    /// Returns `None` if it has no code, or the encoding is not known.
    fn flow(&self, name: &str, sources: &Sources) -> Option<(Span, FlowCounts)>;

    /// What limits how much of one of them runs at a time.
    ///
    /// # Errors
    ///
    /// When there is no such kernel or device; says so in words.
    fn occupancy(
        &self,
        index: usize,
        question: &Question,
        sources: &Sources,
    ) -> Result<Occupancy, String>;
}

impl Document {
    /// Who knows the kernels of a document: of the opened file (its root), or of one that is
    /// nested in it.
    pub fn kernels(&self, document: NodeId) -> Option<Rc<dyn Kernels>> {
        self.interface(document)
    }
}

/// A value, and the bytes that say so; a default or a computed value has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its bytes.
    pub span: Option<Span>,
}

impl<T> Located<T> {
    /// A value that stands somewhere.
    pub fn at(value: T, span: Span) -> Located<T> {
        Located {
            value,
            span: Some(span),
        }
    }
}

/// The bytes of the values of an entry, by their keys in `.ze_info`.
pub type KeySpans = Vec<(Str, Span)>;

/// The bytes of the value with that key.
pub fn place(places: &KeySpans, key: &str) -> Option<Span> {
    let found = places.iter().find(|(name, _)| name == key);
    found.map(|(_, span)| *span)
}

/// A kernel, or a function that can be called from other modules, as a row of the table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KernelRow {
    /// Its place in the file's list, from 0.
    pub index: u64,
    /// It is a function, not a kernel.
    pub is_function: bool,
    /// Its name.
    pub name: Located<String>,
    /// The name as people write it, if it is mangled.
    pub demangled: Option<Rc<str>>,
    /// The bytes of its entry.
    pub entry: Span,
    /// Lanes.
    pub simd_size: Located<i64>,
    /// Registers of a hardware thread.
    pub grf_count: Located<i64>,
    /// Hardware threads of an execution unit; 0: not said.
    pub eu_thread_count: Located<i64>,
    /// Bytes of a hardware thread.
    pub spill_size: Located<i64>,
    /// Bytes of a hardware thread.
    pub private_size: Located<i64>,
    /// Spill and private size are those of the scratch slots: the text is older than 1.39.
    pub from_scratch_slots: bool,
    /// Bytes of a work-group.
    pub slm_size: Located<i64>,
    /// Barriers of a work-group.
    pub barrier_count: Located<i64>,
    /// The sub-group size that the source demands; 0: none.
    pub required_sub_group_size: Located<i64>,
    /// The work-group size that the source demands; zeros: none.
    pub required_work_group_size: Located<[i64; 3]>,
    /// Bytes of the cross-thread payload that are passed in registers.
    pub inline_data_payload_size: Located<i64>,
    /// Accesses through pointers from memory.
    pub indirect_stateless_count: Located<i64>,
    /// Arguments of the source: one more than the largest index, so with those that the
    /// compiler has dropped.
    pub argument_count: u64,
    /// Arguments of the source that are passed.
    pub explicit_arguments: u64,
    /// Entries of the payload that the source does not know.
    pub implicit_arguments: u64,
    /// Bytes of the cross-thread payload: to the end of the last entry.
    pub payload_size: u64,
    /// Bytes of the code: the symbol's size, else the section's.
    pub code_size: Option<Located<u64>>,
    /// Those of [`FLAGS`] that are true.
    pub flags: Vec<Flag>,
    /// What may make it slow, or not run.
    pub hazards: Vec<Hazard>,
}

impl KernelRow {
    /// Registers that spill, in dwords of a lane: `spill_size / (4 · simd_size)`.
    pub fn spill_dwords_per_lane(&self) -> Option<f64> {
        dwords_per_lane(self.spill_size.value, self.simd_size.value)
    }

    /// The name in the file, and the same demangled.
    pub fn names(&self) -> (&str, Option<&str>) {
        (&self.name.value, self.demangled.as_deref())
    }

    /// Does it stand for no kernel of the source? IGC gives the code of external functions in a
    /// module this name.
    pub fn is_placeholder(&self) -> bool {
        self.name.value == "Intel_Symbol_Table_Void_Program"
    }

    /// The name for people.
    pub fn title(&self) -> &str {
        self.demangled.as_deref().unwrap_or(&self.name.value)
    }
}

/// Bytes of a hardware thread in dwords of a lane.
pub fn dwords_per_lane(bytes: i64, lanes: i64) -> Option<f64> {
    let (bytes, lanes) = (i32::try_from(bytes).ok()?, i32::try_from(lanes).ok()?);
    (lanes > 0).then(|| f64::from(bytes) / (4.0 * f64::from(lanes)))
}

/// A property that is true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// Its key in `.ze_info`.
    pub key: Str,
    /// Its bytes.
    pub span: Span,
}

impl Flag {
    /// A few letters for it; empty if it is too usual to be marked.
    pub fn word(&self) -> &str {
        let known = FLAGS.iter().find(|(key, _)| *key == self.key);
        known.map_or(&*self.key, |(_, word)| word)
    }
}

/// The properties that are true or false, and their marks in the table; most kernels have those
/// without a mark.
pub static FLAGS: [(&str, &str); 21] = [
    ("has_dpas", "dpas"),
    ("has_global_atomics", "global atomics"),
    ("has_stack_calls", "stack calls"),
    ("has_indirect_calls", "indirect calls"),
    ("has_printf_calls", "printf"),
    ("has_sample", "sample"),
    ("has_rtcalls", "ray tracing"),
    ("has_4gb_buffers", ""),
    ("has_no_stateless_write", ""),
    ("has_multi_scratch_spaces", "multi scratch"),
    ("has_fence_for_image_access", "image fence"),
    ("has_bindless_image_read", "bindless image read"),
    ("has_device_enqueue", "device enqueue"),
    (
        "has_lsc_stores_with_non_default_l1_cache_controls",
        "L1 controls",
    ),
    ("require_disable_eufusion", "no EU fusion"),
    ("require_assert_buffer", "assert"),
    ("require_sync_buffer", "sync buffer"),
    ("require_iab", "implicit args"),
    ("generate_local_id", "hardware local ids"),
    ("disable_mid_thread_preemption", ""),
    ("subgroup_independent_forward_progress", ""),
];

/// Something about a kernel that may make it slow, or not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hazard {
    /// Which.
    pub kind: HazardKind,
    /// A few words.
    pub text: Str,
}

/// The kinds of hazards, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HazardKind {
    /// A large register file: fewer threads run at once.
    LargeGrf,
    /// Private memory.
    Private,
    /// Registers spill.
    Spills,
    /// More registers spill than [`HEAVY_SPILL`].
    HeavySpills,
    /// More shared local memory than [`LARGE_SLM`].
    LargeSlm,
}

/// Dwords of a lane above which spills are heavy (where PyTorch's autotuner drops a
/// configuration).
pub const HEAVY_SPILL: f64 = 16.0;
/// Bytes of shared local memory that a work-group has on every device; some have more.
pub const LARGE_SLM: i64 = 65536;

/// One kernel in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelDetail {
    /// Its row.
    pub row: KernelRow,
    /// What its author has asked for: what is there, then the defaults.
    pub user_attributes: Vec<Property>,
    /// What the hardware is set up for: what is there, then the defaults.
    pub execution_env: Vec<Property>,
    /// The arguments as the source has them, by index; where the file does not describe them,
    /// what their places in the payload tell.
    pub arguments: Vec<SourceArgument>,
    /// What is passed to all threads alike.
    pub payload: Payload,
    /// What is passed to each thread.
    pub per_thread_payload: Vec<PerThreadEntry>,
    /// Entries of the binding table.
    pub binding_table: Vec<BindingTableEntry>,
    /// Memory beside the registers.
    pub memory_buffers: Vec<MemoryBuffer>,
    /// Samplers that the source declares.
    pub inline_samplers: Vec<InlineSampler>,
    /// `experimental_properties` and `debug_env`: what is there, then the defaults.
    pub others: Vec<Property>,
    /// Its code, symbols, relocations, GTPin data, arguments' descriptions.
    pub links: Vec<Xref>,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// The key in `.ze_info`.
    pub key: Str,
    /// The value.
    pub value: Value,
    /// The value in words, where it is none of [`Value`]'s: `[0, 1, 2]`.
    pub words: Option<String>,
    /// What a number counts; may be empty.
    pub unit: Str,
    /// What it means.
    pub doc: Str,
    /// The bytes of the value; a default has none.
    pub span: Option<Span>,
}

/// An argument as the source has it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceArgument {
    /// Which, from 0.
    pub index: i64,
    /// Its name.
    pub name: Option<String>,
    /// Its type, without the size.
    pub type_name: Option<String>,
    /// The size of its type in bytes.
    pub type_size: Option<u64>,
    /// `__global`, `__local`, `__constant`, `__private`.
    pub address_qualifier: Option<String>,
    /// `__read_only`, `__write_only`, `__read_write`; nothing for `NONE`.
    pub access_qualifier: Option<String>,
    /// `const restrict`; nothing for `NONE`.
    pub type_qualifiers: Option<String>,
    /// The bytes of its description.
    pub span: Option<Span>,
    /// Those of its values.
    pub places: KeySpans,
    /// Its entries in [`Payload::entries`].
    pub entries: Vec<u32>,
    /// Its entry of the binding table.
    pub bti_value: Option<i64>,
}

/// The cross-thread payload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Payload {
    /// The entries, in the order of the text.
    pub entries: Vec<PayloadEntry>,
    /// The bytes from 0 on, without holes: entries and gaps, by position. Where entries
    /// overlap, the later ones are left out here.
    pub pieces: Vec<Piece>,
    /// Bytes that more than one entry claims.
    pub overlaps: Vec<Overlap>,
    /// Bytes of entries; those that are claimed twice count once.
    pub used: u64,
    /// The end of the last entry.
    pub total: u64,
    /// How many bytes are passed in registers.
    pub inline_data: u64,
}

/// An entry of the cross-thread payload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PayloadEntry {
    /// `arg_type`.
    pub kind: String,
    /// The first byte; nothing where it is not said.
    pub offset: Option<i64>,
    /// How many bytes.
    pub size: Option<i64>,
    /// The argument of the source that it is, or belongs to.
    pub arg_index: Option<i64>,
    /// It is (a part of) an argument of the source.
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
    /// `image_transformable`, `is_pipe`, `is_ptr`: those that are true.
    pub flags: Vec<Str>,
    /// The argument's name in the source.
    pub name: Option<String>,
    /// The argument's type in the source.
    pub type_name: Option<String>,
    /// What it is, in a few words: `int* out`, `global_size x y z`.
    pub title: String,
    /// The bytes of the entry.
    pub span: Span,
    /// Those of its values.
    pub places: KeySpans,
}

/// A piece of the payload: an entry's bytes, or a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The first byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// The entry; nothing for a gap.
    pub entry: Option<u32>,
}

/// Bytes of the payload that two entries claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// The first byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// The entry that starts first.
    pub first: u32,
    /// The other one.
    pub second: u32,
}

/// An entry of the per-thread payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerThreadEntry {
    /// `arg_type`.
    pub kind: String,
    /// The first byte.
    pub offset: Option<i64>,
    /// How many bytes.
    pub size: Option<i64>,
    /// The bytes of the entry.
    pub span: Span,
    /// Those of its values.
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
    /// Those of its values.
    pub places: KeySpans,
}

/// Memory beside the registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBuffer {
    /// `type`.
    pub kind: String,
    /// `usage`.
    pub usage: String,
    /// Bytes.
    pub size: Option<i64>,
    /// `slot`, with its default.
    pub slot: i64,
    /// The size is that of a lane, not of a hardware thread.
    pub is_simt_thread: bool,
    /// The bytes of the entry.
    pub span: Span,
    /// Those of its values.
    pub places: KeySpans,
}

/// A sampler that the source declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineSampler {
    /// `sampler_index`.
    pub sampler_index: Option<i64>,
    /// `addrmode`.
    pub addrmode: String,
    /// `filtermode`.
    pub filtermode: String,
    /// `normalized`, with its default.
    pub normalized: bool,
    /// The bytes of the entry.
    pub span: Span,
    /// Those of its values.
    pub places: KeySpans,
}
