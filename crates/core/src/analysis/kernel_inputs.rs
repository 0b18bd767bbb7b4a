//! Values that a kernel starts with: arguments, ids, surfaces, and addresses that the driver
//! patches into the code.
//!
//! [`KernelInputs`] describes them for one section of code; [`InputReader`] collects it from the
//! kernels and the relocations of a file. [`Flows::inputs`](super::data_flow::Flows::inputs) uses it
//! to name the operands of instructions.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::functions::FunctionSymbol;
use super::kernels::{KernelDetail, Kernels};
use super::linkage::{AddressPart, Linkage, Relocation, Tables};
use super::source_lines::CodeSection;
use crate::model::{Sources, Span};

/// The inputs of the code in a section.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelInputs {
    /// The kernel's payload, or `None` if the code is that of a function or of no kernel.
    pub payload: Option<InputPayload>,
    /// The patched bytes of the code, by offset.
    pub patches: Vec<Patch>,
    /// The bytes of `.data.const`, to which `const_base` points.
    pub constants: Option<Span>,
    /// The bytes of `.data.global`, to which `global_base` points.
    pub globals: Option<Span>,
    /// The symbols of functions in the code, by offset; one for each offset.
    pub functions: Vec<FunctionSymbol>,
    /// The bytes of the code.
    pub code: Span,
    /// The name of the kernel that starts the code; `None` if the code is that of functions.
    pub kernel: Option<String>,
}

/// The data that the driver passes to a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputPayload {
    /// The entries of the cross-thread payload, by offset; they do not overlap.
    pub entries: Vec<InputEntry>,
    /// The entries of the payload of each thread.
    pub per_thread: Vec<InputEntry>,
    /// Size of the cross-thread payload in bytes.
    pub bytes: u64,
    /// Number of its bytes that are passed in registers.
    pub inline_bytes: u64,
    /// Size of the payload of a thread in bytes.
    pub per_thread_bytes: u64,
    /// Whether the hardware generates the local ids.
    pub generates_ids: bool,
    /// Lanes of a thread.
    pub simd_size: u64,
    /// The entries of the binding table, by index.
    pub surfaces: Vec<InputSurface>,
}

/// An entry of a payload.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputEntry {
    /// The first byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// `arg_type`.
    pub kind: String,
    /// Its name: that of the argument, or else its kind.
    pub name: String,
    /// Offset of its first byte in the argument.
    pub source_offset: u64,
    /// Whether it is the address of a buffer.
    pub is_pointer: bool,
    /// The bytes of its record.
    pub span: Span,
}

/// An entry of the binding table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputSurface {
    /// Its index.
    pub index: u64,
    /// The name of the argument.
    pub name: String,
    /// The bytes of its record.
    pub span: Span,
}

/// Bytes of the code that the driver changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Offset of the first byte in the code.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// The symbol.
    pub symbol: String,
    /// The part of its address plus addend that is written; `None` if something else is written.
    pub part: Option<AddressPart>,
    /// The bytes to which the address points, and their location: `.data.const + 0x18`.
    pub target: Option<(String, Span)>,
    /// The bytes of the relocation.
    pub entry: Span,
}

/// A value that an instruction gets from outside of the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInput {
    /// The operand: `source 1`, `destination` of a message that loads the payload, `descriptor`.
    pub operand: String,
    /// Where the value comes from.
    pub from: InputKind,
    /// The registers that hold it: `r3[16-19]`. Empty for surfaces and patched bytes.
    pub bytes: Vec<String>,
    /// Offset in the payload, index of the surface, or offset in the section.
    pub offset: u64,
    /// The name: `n`, `enqueued_local_size.x`, `local_id.y`, `.data.const + 0x18`.
    pub name: String,
    /// A description: `r3.4 = payload +48 = n`, `surface 2 = c`.
    pub text: String,
    /// The bytes that declare it: the record in `.ze_info`, a relocation, or the data.
    pub span: Option<Span>,
}

/// Kinds of kernel inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    /// Bytes of the cross-thread payload.
    Payload,
    /// Bytes of the payload of the thread.
    PerThread,
    /// An address in the buffer that an argument points to.
    Address,
    /// A surface in the binding table.
    Surface,
    /// A symbol whose address is patched in.
    Symbol,
    /// Data in a section of the file.
    Data,
}

/// A kernel argument or another input, and the instructions that use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputUses {
    /// Where the value comes from.
    pub from: InputKind,
    /// Its name.
    pub name: String,
    /// The lowest offset that is used.
    pub offset: u64,
    /// The registers that hold it, where it is used first.
    pub bytes: Vec<String>,
    /// The bytes that declare it.
    pub span: Option<Span>,
    /// The offsets of the instructions that use it.
    pub places: Vec<u32>,
}

/// The symbol whose value is the offset of the cross-thread payload from the address in r0.
pub const PAYLOAD_OFFSET: &str = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";

/// The symbol whose value is the offset of the first thread's payload from the cross-thread payload.
pub const PER_THREAD_OFFSET: &str = "__INTEL_PER_THREAD_OFF";

/// Maximum number of patches of an instruction.
const PATCHES: usize = 16;

impl KernelInputs {
    /// Returns the function symbol whose code starts at an offset.
    pub fn function_at(&self, start: u64) -> Option<&FunctionSymbol> {
        let found = self.functions.binary_search_by_key(&start, |of| of.start);
        self.functions.get(found.ok()?)
    }

    /// Returns the patches that overlap a range of the code.
    pub fn patches_in(&self, start: u64, end: u64) -> impl Iterator<Item = &Patch> {
        let first = self
            .patches
            .partition_point(|patch| patch.offset.saturating_add(patch.bytes) <= start);
        let rest = self.patches.iter().skip(first);
        rest.take(PATCHES)
            .take_while(move |patch| patch.offset < end)
    }
}

impl InputPayload {
    /// Returns the entry that starts at an offset of the cross-thread payload.
    pub fn entry_at(&self, start: u64) -> Option<&InputEntry> {
        let at = self
            .entries
            .binary_search_by_key(&start, |entry| entry.start);
        self.entries.get(at.ok()?)
    }

    /// Returns the surface with an index in the binding table.
    pub fn surface_at(&self, index: u64) -> Option<&InputSurface> {
        let at = self
            .surfaces
            .binary_search_by_key(&index, |surface| surface.index);
        self.surfaces.get(at.ok()?)
    }

    fn of(detail: &KernelDetail) -> InputPayload {
        let number = |value: i64| u64::try_from(value).unwrap_or(0);
        let entries = detail.payload.entries.iter().filter_map(|entry| {
            let start = u64::try_from(entry.offset?).ok()?;
            let size = u64::try_from(entry.size?).ok().filter(|size| *size > 0)?;
            let mode = entry.addrmode.as_deref();
            let of_argument = match (&entry.name, entry.arg_index) {
                (Some(name), _) => Some(name.clone()),
                (None, Some(index)) if index >= 0 => Some(format!("argument {index}")),
                _ => None,
            };
            let is_surface =
                mode == Some("bindless") && entry.addrspace.as_deref() != Some("sampler");
            let name = match of_argument {
                Some(argument) if entry.explicit && is_surface => format!("surface of {argument}"),
                Some(argument) if entry.explicit => argument,
                Some(argument) => format!("{} of {argument}", entry.kind),
                None => match entry.sampler_index {
                    Some(index) => format!("{} {index}", entry.kind),
                    None => entry.kind.clone(),
                },
            };
            let points = match &*entry.kind {
                "arg_bypointer" => mode == Some("stateless"),
                "const_base" | "global_base" => mode.is_none_or(|mode| mode == "stateless"),
                "buffer_address" => true,
                _ => false,
            };
            Some(InputEntry {
                start,
                end: start.checked_add(size)?,
                kind: entry.kind.clone(),
                name,
                source_offset: number(entry.source_offset.unwrap_or(0)),
                is_pointer: points && (size == 8 || size == 4),
                span: entry.span,
            })
        });
        let mut entries: Vec<InputEntry> = entries.collect();
        crate::model::sort::by_key(&mut entries, |entry| (entry.start, entry.end));
        // Of overlapping entries, only the first has a certain meaning.
        let mut end = 0;
        entries.retain(|entry| {
            let is_free = entry.start >= end;
            end = end.max(entry.end);
            is_free
        });
        let per_thread = detail.per_thread_payload.iter().filter_map(|entry| {
            let start = u64::try_from(entry.offset?).ok()?;
            let size = u64::try_from(entry.size?).ok()?;
            Some(InputEntry {
                start,
                end: start.checked_add(size)?,
                kind: entry.kind.clone(),
                name: entry.kind.clone(),
                span: entry.span,
                ..InputEntry::default()
            })
        });
        let per_thread: Vec<InputEntry> = per_thread.collect();
        let surfaces = detail.binding_table.iter().filter_map(|entry| {
            let name = match (&entry.name, entry.arg_index) {
                (Some(name), _) => name.clone(),
                (None, index) => format!("argument {}", index?),
            };
            Some(InputSurface {
                index: u64::try_from(entry.bti_value?).ok()?,
                name,
                span: entry.span,
            })
        });
        let promoted = detail.payload.entries.iter().filter_map(|entry| {
            // Sections of data may be in the binding table.
            Some(InputSurface {
                index: u64::try_from(entry.bti_value?).ok()?,
                name: entry.kind.clone(),
                span: entry.span,
            })
        });
        let mut surfaces: Vec<InputSurface> = surfaces.chain(promoted).collect();
        crate::model::sort::by_key(&mut surfaces, |surface| surface.index);
        surfaces.dedup_by_key(|surface| surface.index);
        let end = |entries: &[InputEntry]| entries.iter().map(|entry| entry.end).max();
        InputPayload {
            bytes: end(&entries).unwrap_or(0),
            per_thread_bytes: end(&per_thread).unwrap_or(0),
            inline_bytes: detail.payload.inline_data,
            generates_ids: detail
                .row
                .flags
                .iter()
                .any(|f| f.key == "generate_local_id"),
            simd_size: number(detail.row.simd_size.value),
            surfaces,
            entries,
            per_thread,
        }
    }
}

/// Collects the inputs of the code in a file.
pub struct InputReader {
    sections: Rc<[CodeSection]>,
    kernels: Option<Rc<dyn Kernels>>,
    linkage: Rc<Linkage>,
    index: OnceCell<ReaderIndex>,
}

#[derive(Default)]
struct ReaderIndex {
    tables: Rc<Tables>,
    /// The indices of the relocations of a section, by the start of its bytes.
    relocations: HashMap<u64, Vec<usize>>,
    /// The indices of the kernels, by the start of their entry.
    kernels: HashMap<u64, usize>,
    /// The kernel of a section, by the start of its bytes: the start of its entry, and its name.
    entries: HashMap<u64, (u64, String)>,
    /// The indices of the symbols of functions in a section, by the start of its bytes.
    functions: HashMap<u64, Vec<usize>>,
    constants: Option<Span>,
    globals: Option<Span>,
}

impl InputReader {
    /// Creates the reader of a file.
    #[must_use]
    pub fn new(
        sections: Rc<[CodeSection]>,
        kernels: Option<Rc<dyn Kernels>>,
        linkage: Rc<Linkage>,
    ) -> InputReader {
        InputReader {
            sections,
            kernels,
            linkage,
            index: OnceCell::new(),
        }
    }

    fn index(&self, sources: &Sources) -> &ReaderIndex {
        self.index.get_or_init(|| {
            let mut index = ReaderIndex {
                tables: self.linkage.tables(sources),
                ..ReaderIndex::default()
            };
            for (at, relocation) in index.tables.relocations.iter().enumerate() {
                if let Some(section) = index.tables.patches(relocation) {
                    let list = index.relocations.entry(section.bytes.start).or_default();
                    list.push(at);
                }
            }
            for (at, symbol) in index.tables.symbols.iter().enumerate() {
                let home = index.tables.home(symbol);
                if let Some(section) = home.filter(|_| &*symbol.kind == "FUNC" && symbol.size > 0) {
                    let list = index.functions.entry(section.bytes.start).or_default();
                    list.push(at);
                }
            }
            let bytes = |name: &str| {
                let mut sections = index.tables.sections.iter();
                let found = sections.find(|section| section.name == name);
                found.map(|section| section.bytes)
            };
            (index.constants, index.globals) = (bytes(".data.const"), bytes(".data.global"));
            if let Some(kernels) = &self.kernels {
                let rows = kernels.rows(sources);
                let kernels = rows.iter().enumerate().filter(|(_, row)| !row.is_function);
                index.kernels = kernels.map(|(at, row)| (row.entry.start, at)).collect();
            }
            let entries = self.sections.iter().filter_map(|section| {
                let (name, entry) = section.kernel.as_ref()?;
                Some((section.bytes.start, (entry.start, name.clone())))
            });
            index.entries = entries.collect();
            index
        })
    }

    /// Returns the inputs of the code in a section.
    #[must_use]
    pub fn read(&self, code: Span, sources: &Sources) -> KernelInputs {
        let index = self.index(sources);
        let tables = &index.tables;
        let of_code = index.relocations.get(&code.start);
        let relocations = of_code.map_or(&[][..], Vec::as_slice).iter();
        let relocations = relocations.filter_map(|at| tables.relocations.get(*at));
        let mut patches: Vec<Patch> = relocations
            .filter_map(|relocation| patch(tables, relocation))
            .collect();
        crate::model::sort::by_key(&mut patches, |patch| patch.offset);
        let of_code = index.entries.get(&code.start);
        let kernel = of_code.and_then(|(entry, _)| index.kernels.get(entry));
        let kernels = self.kernels.as_ref();
        let detail = kernel.and_then(|at| kernels?.detail(*at, sources));
        KernelInputs {
            payload: detail.map(|detail| InputPayload::of(&detail)),
            patches,
            constants: index.constants,
            globals: index.globals,
            functions: functions(index, code),
            code,
            kernel: of_code.map(|(_, name)| name.clone()),
        }
    }
}

/// Returns the symbols of the functions in a section of code.
fn functions(index: &ReaderIndex, code: Span) -> Vec<FunctionSymbol> {
    let symbols = index.functions.get(&code.start);
    let symbols = symbols.map_or(&[][..], Vec::as_slice).iter();
    let symbols = symbols.filter_map(|at| index.tables.symbols.get(*at));
    let functions = symbols.filter_map(|symbol| {
        let addr = index.tables.home(symbol)?.addr;
        let start = symbol.value.checked_sub(addr)?;
        let end = start.checked_add(symbol.size)?.min(code.len());
        (start < end).then(|| FunctionSymbol {
            start,
            end,
            name: symbol.title().to_owned(),
        })
    });
    let mut functions: Vec<FunctionSymbol> = functions.collect();
    // The longest of those at one offset is the function itself. One of a whole section may have others
    // in it.
    crate::model::sort::by_key(&mut functions, |of| (of.start, std::cmp::Reverse(of.end)));
    functions.dedup_by_key(|of| of.start);
    functions
}

fn patch(tables: &Tables, relocation: &Relocation) -> Option<Patch> {
    let symbol = tables.symbol_of(relocation)?;
    let (code, patched) = (tables.patches(relocation)?.bytes, relocation.patched?);
    let bytes = patched.len();
    let target = tables.value(relocation).and_then(|(_, to)| {
        let home = tables.home(symbol)?;
        let offset = to.start.checked_sub(home.bytes.start)?;
        Some((format!("{} + {offset:#x}", home.name), to))
    });
    (bytes > 0).then(|| Patch {
        offset: patched.start.saturating_sub(code.start),
        bytes,
        symbol: symbol.title().to_owned(),
        part: relocation.part,
        target,
        entry: relocation.entry,
    })
}
