//! The kernels of a document, and the functions that other modules can call.

mod groups;
mod index_names;
pub(super) mod metrics;
mod part;
pub mod reading;
pub mod search;
mod sizes;
mod survey;
mod totals;
mod twins;
mod worst;

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use self::groups::KernelGroups;
pub(super) use self::index_names::{IndexNames, index_names};
use self::part::Part;
use self::reading::Around;
pub(super) use self::reading::are_within;
pub use self::reading::short_names;
use self::sizes::{SPILL_HAZARDS, limit, marked, per_lane, slot};
pub use self::survey::DocumentKernels;
pub use self::survey::survey;
pub(crate) use self::survey::{ImageKernels, document_kernels};
pub use self::totals::{KernelTotals, totals_by};
pub use self::worst::{WorstKernel, worst_kernels};
use super::code_columns::{COUNTED, FLOWING};
use super::query::{GroupBy, Query};
use super::{
    Cell, CellValue, Column, ColumnKind, Declaration, Detail, Fit, KernelRows, Key, List, ListId,
    Opens, Presence, ReadingKind, RowDetails, Scope, Secondary, Tab, Toggle, Words, columns,
};
use zeview_analysis::naming::ShortNames;
use zeview_analysis::profile::{COMPILED, ProfiledKernel};
use zeview_core::analysis::figure::{SizeFigure, Unknown};
#[cfg(not(target_arch = "wasm32"))]
use zeview_core::analysis::kernels::{CodeResult, CodeTask};
use zeview_core::analysis::kernels::{
    FLAGS, Flag, FlagInfo, HazardKind, KernelRow, Kernels, Located,
};
use zeview_core::model::{Document, NodeId, Sources, Span, Tone, sort};

type RowRef<'a> = &'a KernelRow;

/// Index of the first column of the row's image; these are after the name, and not in `KernelRow`.
const FILE: usize = 1;
const IMAGE: usize = 2;
const MEMBER: usize = 3;
const DEVICE: usize = 4;

columns! {
    BEFORE_FLAGS
    "name" Text Default 20 "Kernel" "" "The kernel's name in the file."
        |row, _| name(row);
    "package_file" Text Optional 20 "File" "" "The file of the package or folder that contains the image."
        |_, _| Cell::empty();
    "image" Text Several 13 "Image" "" "The image with the kernel, where the file is a container."
        |_, _| Cell::empty();
    "member" Text Optional 11 "Member" "" "The member of the archive in the image."
        |_, _| Cell::empty();
    "device" Text Several 10 "Device" "" "The device that the image is for; SPIR-V is compiled at run time."
        |_, _| Cell::empty();
    "simd_size" Number Default 0 "SIMD" "" "SIMD width, the work-items of a hardware thread: 8, 16 or 32; 1 for code that is written for a whole thread."
        // It has no default.
        |row, _| row.simd_size.span.map_or_else(Cell::empty, |_| located_number(row.simd_size));
    "grf_count" Number Default 0 "GRF" "" "General registers of a hardware thread, of the register file (GRF): 32 to 512, usually 128. With more, fewer threads run at once."
        |row, _| located_number(row.grf_count);
    "eu_thread_count" Number Default 0 "Threads" "per EU" "Hardware threads per EU; 0 if the file does not give the number."
        |row, _| located_number(row.eu_thread_count);
    "spill_size" Number Default 0 "Spill" "B/thread" "Spill bytes per hardware thread. Before ze_info 1.39: the size of the scratch slot. Unknown if the file does not state it, or has the reservation for a call stack."
        |row, _| marked(row, slot(row, row.spill_size), &SPILL_HAZARDS);
    "spill_dwords_per_lane" Number Default 0 "Spill" "dwords/lane" "Spilled values of 4 bytes of each work-item: spill_size / (4 · simd_size)."
        |row, _| per_lane(row);
    "private_size" Number Default 0 "Private" "B/thread" "Bytes of private memory per hardware thread. Before ze_info 1.39: the size of the scratch slot. Unknown if the file does not state it."
        |row, _| marked(row, slot(row, row.private_size), &[HazardKind::Private]);
    "slm_size" Number Default 0 "SLM" "B" "Bytes of shared local memory per work-group."
        |row, _| marked(row, located_number(row.slm_size), &[HazardKind::LargeSlm]);
    "barrier_count" Number Default 0 "Barriers" "" "Barriers per work-group."
        |row, _| located_number(row.barrier_count);
    "argument_count" Number Default 0 "Args" "" "Arguments of the kernel in the source: the largest index plus one."
        |row, _| Cell::count(row.argument_count);
    "required_sub_group_size" Number Optional 0 "Req. sub-group" "" "The sub-group size that the source requires, in work-items; 0 if it requires none."
        |row, _| located_number(row.required_sub_group_size);
    "required_work_group_size" Text Optional 12 "Req. work-group" "" "The work-group size that the source requires, in work-items of each dimension; zeros if it requires none."
        |row, _| Cell {
            value: CellValue::Ints(row.required_work_group_size.value),
            span: row.required_work_group_size.span,
            is_default: row.required_work_group_size.span.is_none(),
            ..Cell::empty()
        };
    "code_size" Number Default 0 "Code" "B" "Bytes of code: the size of the symbol, or of the section if there is no symbol."
        |row, _| row.code_size.map_or_else(Cell::empty, |size| Cell::count(size.value).at(size.span));
    "flags" Words Default 26 "Flags" "" "The properties (has_dpas … subgroup_independent_forward_progress) that are true."
        |row, _| Cell::words(row.flags.iter().map(Flag::word).filter(|word| !word.is_empty()));
    "hazards" Words Optional 26 "Hazards" "" "Properties that can make the kernel slow, or prevent it from running."
        |row, _| Cell::words(row.hazards.iter().map(|hazard| &*hazard.text));
    "demangled" Text Optional 28 "Demangled" "" "The demangled name."
        |row, _| Cell::text(row.title()).at(row.name.span);
    "short_name" Text Optional 40 "Short name" "" "The demangled name without what other kernels of the file share; different names have different short names."
        |_, _| Cell::empty();
    "inline_data_payload_size" Number Optional 0 "Inline data" "B" "Bytes of inline data: the part of the cross-thread payload that is passed in registers."
        |row, _| located_number(row.inline_data_payload_size);
    "indirect_stateless_count" Number Optional 0 "Indirect" "" "Accesses of memory through pointers that were themselves loaded from memory."
        |row, _| located_number(row.indirect_stateless_count);
    "payload_size" Number Optional 0 "Payload" "B" "Bytes of the cross-thread payload."
        |row, _| Cell::count(row.payload_size);
    "explicit_arguments" Number Optional 0 "Explicit" "" "Arguments of the source that the payload has an entry for."
        |row, _| Cell::count(row.explicit_arguments);
    "implicit_arguments" Number Optional 0 "Implicit" "" "Payload entries that are not source arguments."
        |row, _| Cell::count(row.implicit_arguments);
    "samples" Number Profiled 0 "Samples" "" "Samples of the profile that was added."
        |_, _| Cell::empty();
    "copies" Number Optional 0 "Copies" "" "Other images of the file with the same bytes; their kernels are listed only on demand."
        |_, _| Cell::empty();
    "family" Text Derived 26 "Family" "" "The name without namespaces, template arguments and parameters: equal for the instances of a template."
        |_, _| Cell::empty();
    "arguments" Words Derived 40 "Arguments" "that differ" "The template arguments that differ within the family in the file, each as text, enumerators as numbers: together with the family they identify the kernel. Unknown until all kernels of the file are read."
        |_, _| Cell::empty();
    "from_scratch_slots" Bool Optional 5 "From slots" "" "Spill and private size are scratch slot sizes: ze_info is older than 1.39."
        |row, _| Cell::new(CellValue::Bool(row.from_scratch_slots));
    "spill_limit" Number Optional 0 "Spill, at most" "B/thread" "The largest spill size that the file allows: spill_size if it is stated, otherwise the scratch memory or the reservation for the call stack."
        |row, _| limit(row.spill_size);
}

/// Index of the first data flow column.
const FIRST_FLOWING: usize = FIRST_COUNTED + COUNTED.len();

/// Index of the first counted column.
const FIRST_COUNTED: usize = BEFORE_FLAGS.len() + FLAGS.len();

/// All columns, including one for each of the [`FLAGS`].
pub static COLUMNS: &[Column] = &{
    const FLAG: Column = Column {
        id: "",
        title: "",
        unit: "",
        doc: "",
        kind: ColumnKind::Bool,
        presence: Presence::Optional,
        width: 5,
    };
    const FIRST: usize = BEFORE_FLAGS.len();
    let mut all = [FLAG; FIRST_FLOWING + FLOWING.len()];
    let mut at = 0;
    // Evaluated at compile time, so an index out of range is a compile error.
    #[allow(clippy::indexing_slicing)]
    while at < all.len() {
        if at < FIRST {
            all[at] = BEFORE_FLAGS[at];
        } else if at < FIRST_COUNTED {
            let FlagInfo { key, doc, .. } = FLAGS[at - FIRST];
            all[at].id = key;
            all[at].title = key;
            all[at].doc = doc;
        } else if at >= FIRST_FLOWING {
            let (id, title, unit, doc, _) = FLOWING[at - FIRST_FLOWING];
            all[at] = Column {
                id,
                title,
                unit,
                doc,
                kind: ColumnKind::Number,
                presence: Presence::Counted,
                width: 8,
            };
        } else {
            let (id, title, doc, _) = COUNTED[at - FIRST_COUNTED];
            all[at] = Column {
                id,
                title,
                unit: "",
                doc,
                kind: ColumnKind::Number,
                presence: Presence::Counted,
                width: 8,
            };
        }
        at += 1;
    }
    all
};

const SPIRV_DOC: &str = "Without native code in this file: the driver compiles SPIR-V for the device, but not beside native code that it loads.";

/// The columns of kernels whose SPIR-V was read, beside the name.
const STATED: [&str; 4] = [
    "demangled",
    "argument_count",
    "required_sub_group_size",
    "required_work_group_size",
];

fn located_number(given: Located<i64>) -> Cell<'static> {
    Cell {
        is_default: given.span.is_none(),
        ..Cell::new(CellValue::Int(given.value)).at(given.span)
    }
}

fn name(row: &KernelRow) -> Cell<'_> {
    let name = CellValue::Name {
        name: row.name.value.as_str().into(),
        demangled: row.demangled.as_deref().map(Into::into),
        short: None,
    };
    let cell = Cell::new(name).at(row.name.span);
    if row.is_function {
        return cell.mark(Tone::Plain, "fn", "A function that other modules can call.");
    }
    if row.is_placeholder() {
        cell.mark(
        Tone::Plain,
        "placeholder",
        "Not a kernel of the source: the compiler gives the code of external functions this name.",
    )
    } else {
        cell
    }
}

/// Formats the image of a row, with the number of identical images.
fn image(part: &Part) -> Cell<'_> {
    let cell = Cell::text(&*part.image);
    match part.copies.as_slice() {
        [] => cell,
        copies => {
            let count = format!("×{}", copies.len() + 1);
            let others = copies.join(", ");
            cell.mark(
                Tone::Plain,
                count,
                format!("The same bytes are in {others}."),
            )
        }
    }
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Container,
    tab: Some(Tab::of_code("kernels", "Kernels", |file| {
        file.any.kernels || file.any.host || file.any.package
    })),
    opens: Opens::Code,
    stays: true,
    fit: Some(Fit {
        columns: &["name"],
        least: 12,
        most: 64,
    }),
    page: &[
        "family",
        "arguments",
        "device",
        "simd_size",
        "grf_count",
        "spill_size",
        "spill_dwords_per_lane",
        "peak_live_registers",
        "loop_cycles",
        "code_size",
    ],
    toggles: &[
        Toggle {
            label: "spills",
            filter: "spill_size>0",
            doc: "Kernels that spill registers",
        },
        Toggle {
            label: "loops",
            filter: "loops>0",
            doc: "Kernels with loops; decodes the code of all kernels",
        },
        Toggle {
            label: "large GRF",
            filter: "grf_count>128",
            doc: "Kernels with more than 128 registers, which halve the number of hardware threads",
        },
    ],
    reading: ReadingKind::Kernels,
    ..Declaration::table(
        ListId::Kernels,
        "kernels",
        metrics::columns,
        Words {
            title: "Kernels",
            one: "kernel",
            many: "kernels",
            hint: "Filter: name, or spill>0",
            none: "No kernels.",
        },
    )
};

/// Returns the columns that the page shows of a list of kernels: those of its declaration, and what
/// tells equal kernels of several images apart.
pub fn page_columns(list: &dyn List) -> Vec<usize> {
    let all = metrics::columns();
    let by = list.as_kernels().and_then(KernelRows::grouping);
    let by = by.filter(|by| !by.is_of_kernel());
    // The title of a group, whose kernels are many: their code is not analyzed unasked.
    let is_wanted = |column: &Column| match by {
        Some(by) => column.id != by.column() && column.presence.is_known(),
        None => true,
    };
    let mut found: Vec<usize> = by.map(|_| 0).into_iter().collect();
    for id in LIST.page {
        let column = all.iter().position(|column| column.id == *id);
        let is_shown = |at: &usize| {
            all.get(*at).is_some_and(|column| {
                is_wanted(column) && (column.presence != Presence::Several || list.shows(column))
            })
        };
        found.extend(column.filter(is_shown));
    }
    for (column, at) in all.iter().zip(0..) {
        let is_place = ["package_file", "image", "member"].contains(&column.id);
        if (is_place || column.presence == Presence::Profiled) && list.shows(column) {
            found.push(at);
        }
    }
    found
}

/// Returns a cell for the page: of a family, the names of the kernel with the family as the short one,
/// or all names as long as the arguments are unknown.
pub fn page_cell<'a>(
    list: &'a dyn List,
    row: u32,
    column: (usize, &Column),
    sources: &Sources,
) -> Cell<'a> {
    let cell = list.cell(row, column.0, sources);
    if list.id() != ListId::Kernels || column.1.id != "family" {
        return cell;
    }
    let columns = metrics::columns();
    let arguments = columns.iter().position(|column| column.id == "arguments");
    let arguments = arguments.map(|at| list.value(row, at, sources));
    let mut names = list.cell(row, 0, sources);
    match &mut names.value {
        CellValue::Name { name, short, .. } => {
            if !matches!(arguments, Some(CellValue::Unknown { .. })) {
                let family = cell.value.text().into_owned();
                *short = Some(family)
                    .filter(|family| **family != **name)
                    .map(Into::into);
            }
            names
        }
        // The title of a group.
        _ => cell,
    }
}

/// Whether a document has kernels itself.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.kernels(id).is_some()
}

/// Reads the kernels of a document, for a container those of all its images, and groups them.
pub(super) fn read(document: &mut Document, id: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    let list = reading::list(document, id)?;
    Some(grouped(list, query.by(), &document.sources))
}

/// Groups kernels if they are those of several images.
pub fn grouped(list: Rc<dyn List>, by: Option<GroupBy>, sources: &Sources) -> Rc<dyn List> {
    let is_of_several = list.as_kernels().is_some_and(KernelRows::is_of_several);
    match by.filter(|_| is_of_several) {
        Some(by) => Rc::new(KernelGroups::new(list, by, sources)),
        None => list,
    }
}

/// The kernels of one or several documents.
pub(in crate::tables) struct KernelList {
    parts: Vec<Rc<Part>>,
    /// The rows, by the index of the part and the index in it: the kernels of all parts, then
    /// secondary rows.
    rows: Vec<(u32, u32)>,
    /// Numbers of the secondary rows.
    secondary: Secondary,
    is_of_several: bool,
    /// Notes about the list as a whole.
    notes: Vec<String>,
    /// The short names of the kernels in the host binary's index, or in the container.
    around: Around,
    /// The short names, computed on demand.
    names: OnceCell<ShortNames>,
}

impl KernelList {
    fn new(parts: Vec<Rc<Part>>, is_of_several: bool, notes: Vec<String>) -> KernelList {
        // The kernels, then the secondary rows: copies, placeholders, functions.
        let mut rows = [const { Vec::new() }; 4];
        for (part, at) in parts.iter().zip(0..) {
            for (row, place) in part.rows.iter().zip(0..) {
                let [kernels, copies, placeholders, functions] = &mut rows;
                let of = match () {
                    () if row.is_function => functions,
                    () if row.is_placeholder() => placeholders,
                    () if part.is_copy => copies,
                    () => kernels,
                };
                of.push((at, place));
            }
        }
        let [_, copies, placeholders, functions] = rows
            .each_ref()
            .map(|rows| u32::try_from(rows.len()).unwrap_or(u32::MAX));
        KernelList {
            rows: rows.concat(),
            secondary: Secondary {
                copies,
                placeholders,
                functions,
                ..Secondary::default()
            },
            parts,
            is_of_several,
            notes,
            around: None,
            names: OnceCell::new(),
        }
    }

    /// Creates the list of all rows of parts, in their order.
    fn in_order(parts: Vec<Rc<Part>>, is_of_several: bool) -> KernelList {
        let mut list = KernelList::new(Vec::new(), is_of_several, Vec::new());
        for (part, at) in parts.iter().zip(0..) {
            list.rows
                .extend((0..).take(part.rows.len()).map(|place| (at, place)));
        }
        list.parts = parts;
        list
    }

    /// Uses the short names that the kernels have in all lists of the file.
    pub(super) fn with_names(mut self, around: Around) -> KernelList {
        self.around = around;
        self
    }

    /// Returns the short names of the kernels. Functions, and kernels that are not in the index of
    /// the host binary, do not affect the names of the others.
    fn short_names(&self) -> &ShortNames {
        self.names.get_or_init(|| {
            let rows = self.parts.iter().flat_map(|part| part.rows.iter());
            let around = self.around.clone().unwrap_or_else(|| {
                let kernels = rows.clone().filter(|row| !row.is_function);
                Rc::new(ShortNames::new(kernels.map(KernelRow::names)))
            });
            ShortNames::extending(around, rows.map(KernelRow::names))
        })
    }

    /// Returns the arguments that tell a kernel apart from the others of its family in the file.
    fn arguments<'a>(&'a self, row: &'a KernelRow) -> Cell<'a> {
        match self.short_names().arguments(&row.name.value) {
            Some(arguments) => Cell::words(arguments.iter().map(|text| &**text)),
            None => Cell::unknown(Unknown::Unread, 1.0),
        }
    }

    fn short_name<'a>(&'a self, row: &'a KernelRow) -> &'a str {
        let name = &row.name.value;
        self.short_names().get(name).unwrap_or(name)
    }

    /// Returns the number of rows that are not secondary.
    fn kernels(&self) -> usize {
        let secondary = usize::try_from(self.secondary.count()).unwrap_or(usize::MAX);
        self.rows.len().saturating_sub(secondary)
    }

    /// Whether a kernel has such figures of a profile.
    fn has_profiled(&self, has: impl Fn(&ProfiledKernel) -> bool) -> bool {
        // All parts with native code share the figures.
        let part = self.parts.iter().find(|part| part.is_native());
        part.is_some_and(|part| part.profiled.borrow().values().any(has))
    }

    /// Makes the rows of the same kernel adjacent, one for each image and device.
    pub(super) fn put_together(&mut self) {
        let mut first: HashMap<&str, usize> = HashMap::default();
        let mut order = Vec::new();
        let others = self.rows.split_off(self.kernels());
        for place in &self.rows {
            let name = self.row_at(*place).map_or("", |row| &row.name.value);
            let next = first.len();
            order.push((*first.entry(name).or_insert(next), *place));
        }
        sort::by_key(&mut order, |(name, _)| *name);
        let kernels = order.into_iter().map(|(_, place)| place);
        self.rows = kernels.chain(others).collect();
    }

    fn row_at(&self, (part, place): (u32, u32)) -> Option<&KernelRow> {
        let part = self.parts.get(usize::try_from(part).ok()?)?;
        part.rows.get(usize::try_from(place).ok()?)
    }

    /// Whether image and device do not identify the member of an archive.
    pub(in crate::tables) fn needs_members(&self) -> bool {
        let mut known = HashSet::default();
        let parts = self.parts.iter().filter(|part| !part.is_copy);
        let mut members = parts.filter(|part| !part.member.is_empty() && !part.rows.is_empty());
        members.any(|part| {
            let place = (&part.file, &part.image, &part.device);
            part.device.is_empty() || !known.insert(place)
        })
    }

    fn place(&self, row: u32) -> Option<(&Part, usize)> {
        let (part, place) = *self.rows.get(usize::try_from(row).ok()?)?;
        let part = self.parts.get(usize::try_from(part).ok()?)?;
        Some((part, usize::try_from(place).ok()?))
    }

    /// Returns the kernel of a row: its provider, and its index there.
    fn provider(&self, row: u32) -> Option<(&Rc<dyn Kernels>, usize)> {
        let (part, place) = self.place(row)?;
        // A part of SPIR-V may have rows for some of its kernels only.
        let index = part.rows.get(place)?.index;
        Some((part.kernels.as_ref()?, usize::try_from(index).ok()?))
    }

    fn row(&self, row: u32) -> Option<&KernelRow> {
        let (part, place) = self.place(row)?;
        part.rows.get(place)
    }

    /// Returns a cell, without the messages in the code of a kernel with an unknown spill size.
    fn cell_of_file<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        let place = self.place(row);
        let Some((part, row)) = place.and_then(|(part, at)| Some((part, part.rows.get(at)?)))
        else {
            return Cell::empty();
        };
        match column {
            FILE => return Cell::text(&*part.file),
            IMAGE => return image(part),
            MEMBER => return Cell::text(&*part.member),
            DEVICE => return Cell::text(&*part.device),
            _ => {}
        }
        if let Some(name) = metrics::metric(column) {
            let profiled = part.profiled.borrow();
            let kernel = profiled.get(&row.entry);
            if name == COMPILED {
                let compiled = kernel.and_then(|kernel| kernel.compiled.clone());
                return compiled.map_or_else(Cell::empty, Cell::text);
            }
            let metric = kernel.and_then(|kernel| kernel.metric(name));
            return metric.map_or_else(Cell::empty, |number| Cell::new(CellValue::Real(number)));
        }
        let id = COLUMNS.get(column).map_or("", |column| column.id);
        match id {
            "name" => {
                let mut cell = name(row);
                if let CellValue::Name { name, short, .. } = &mut cell.value {
                    *short = Some(self.short_name(row))
                        .filter(|short| **short != **name)
                        .map(Into::into);
                }
                if row.is_spirv && !self.is_of_several {
                    cell = cell.mark(Tone::Plain, "SPIR-V", SPIRV_DOC);
                }
                return cell;
            }
            "samples" => {
                let profiled = part.profiled.borrow();
                let samples = profiled.get(&row.entry).and_then(|kernel| kernel.samples);
                return samples.map_or_else(Cell::empty, Cell::count);
            }
            "copies" => return Cell::count(part.copies.len() as u64),
            "short_name" => return Cell::text(self.short_name(row)).at(row.name.span),
            "family" => {
                let family = self.short_names().family(&row.name.value);
                return Cell::text(family.unwrap_or(&row.name.value)).at(row.name.span);
            }
            "arguments" => return self.arguments(row).at(row.name.span),
            _ => {}
        }
        let is_known = match (part.is_native(), part.kernels.is_some()) {
            // Only the code is known.
            (true, _) if row.is_undescribed => {
                column >= FIRST_COUNTED || ["demangled", "code_size"].contains(&id)
            }
            (true, _) => true,
            // The entry points of a module state as much.
            (false, true) => STATED.contains(&id),
            (false, false) => id == "demangled",
        };
        if !is_known {
            return Cell::empty();
        }
        if let Some(cell) = CELLS.get(column) {
            return cell(row, sources);
        }
        let counted = column.checked_sub(FIRST_COUNTED);
        if let Some((.., count)) = counted.and_then(|place| COUNTED.get(place)) {
            let kernels = part.kernels.as_ref();
            let code = kernels.and_then(|kernels| kernels.mix(&row.name.value, sources));
            return code.map_or_else(Cell::empty, |(code, mix)| {
                Cell::count(count(&mix)).at(Some(code))
            });
        }
        let flowing = column.checked_sub(FIRST_FLOWING);
        if let Some((.., cell)) = flowing.and_then(|place| FLOWING.get(place)) {
            let kernels = part.kernels.as_ref();
            let flow = kernels.and_then(|kernels| kernels.flow(&row.name.value, sources));
            return flow.map_or_else(Cell::empty, |(code, counts)| cell(&counts).at(Some(code)));
        }
        let Some(column) = COLUMNS.get(column) else {
            return Cell::empty();
        };
        let flag = row.flags.iter().find(|flag| flag.key == column.id);
        Cell::new(CellValue::Bool(flag.is_some())).at(flag.map(|flag| flag.span))
    }
}

impl List for KernelList {
    fn id(&self) -> ListId {
        ListId::Kernels
    }

    fn count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        let mut cell = self.cell_of_file(row, column, sources);
        if let CellValue::Unknown { reason, .. } = &mut cell.value {
            *reason = reason.with_spill_messages(|| {
                let (part, place) = self.place(row)?;
                let name = &part.rows.get(place)?.name.value;
                let (_, mix) = part.kernels.as_ref()?.mix(name, sources)?;
                Some(mix.spills)
            });
        }
        cell
    }

    fn value<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> CellValue<'a> {
        self.cell_of_file(row, column, sources).value
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.row(row).map(|row| row.entry)
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let mut rows = 0..self.count();
        let row = rows.find(|row| self.row(*row).is_some_and(|row| row.entry.contains(span)))?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, sources: &Sources) -> RowDetails {
        let place = self.provider(row);
        let detail = place.and_then(|(kernels, at)| kernels.detail(at, sources));
        RowDetails {
            title: self
                .row(row)
                .map_or_else(String::new, |row| self.short_name(row).to_owned()),
            links: Vec::new(),
            detail: detail.map_or(Detail::None, |detail| Detail::Kernel(Box::new(detail))),
        }
    }

    fn secondary(&self) -> Secondary {
        self.secondary
    }

    fn shows(&self, column: &Column) -> bool {
        match column.id {
            "samples" => self.has_profiled(|kernel| kernel.samples.is_some()),
            id if metrics::is_visible(id) => self.has_profiled(|kernel| kernel.has(id)),
            "member" => self.needs_members(),
            // It tells which kernels are SPIR-V.
            "device" => self.is_of_several || self.parts.iter().any(|part| !part.is_native()),
            "package_file" => self.parts.iter().any(|part| !part.file.is_empty()),
            _ => column.presence.is_shown(self.is_of_several),
        }
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn subject(&self) -> String {
        match self.parts.as_slice() {
            [part] if !self.is_of_several && !part.image.is_empty() => match &*part.device {
                "" => part.image.clone(),
                device => format!("{} · {device}", part.image),
            },
            _ => String::new(),
        }
    }

    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        let id = COLUMNS.get(column).map_or("", |column| column.id);
        let (is_hazards, is_arguments) = (id == "hazards", id == "arguments");
        match self.row(row).filter(|_| is_hazards) {
            // By the worst hazard, then by its amount.
            Some(row) => {
                let worst = row
                    .hazards
                    .iter()
                    .map(|hazard| hazard.kind as i128 + 1)
                    .max();
                let size = |size: SizeFigure| i128::from(size.figure.unwrap_or(0));
                let (spill, private) = (size(row.spill_size), size(row.private_size));
                Key::Ints([worst.unwrap_or(0), spill, private])
            }
            None => match self.value(row, column, sources) {
                // By their texts, not by their number.
                CellValue::Words(words) if is_arguments => Key::Text(words.join(", ").into()),
                value => value.into_key(),
            },
        }
    }

    fn as_kernels(&self) -> Option<&dyn KernelRows> {
        Some(self)
    }
}

impl KernelRows for KernelList {
    #[cfg(not(target_arch = "wasm32"))]
    fn code_columns(&self, columns: &[usize]) -> Vec<usize> {
        let first = |range: Range<usize>| columns.iter().copied().find(|at| range.contains(at));
        let counted = first(FIRST_COUNTED..FIRST_FLOWING);
        let flowing = first(FIRST_FLOWING..COLUMNS.len());
        counted.into_iter().chain(flowing).collect()
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn code_task(&self, row: u32, column: usize, sources: &Sources) -> Option<CodeTask> {
        let is_flow = column >= FIRST_FLOWING;
        let (part, place) = self.place(row).filter(|_| column >= FIRST_COUNTED)?;
        let name = &part.rows.get(place)?.name.value;
        part.kernels.as_ref()?.code_task(name, is_flow, sources)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn keep_result(&self, row: u32, result: CodeResult) {
        if let Some((part, _)) = self.place(row)
            && let Some(kernels) = &part.kernels
        {
            kernels.keep_result(result);
        }
    }

    fn names(&self) -> Option<u32> {
        self.is_of_several.then(|| {
            let rows = self.rows.iter().take(self.kernels());
            let names = rows.filter_map(|place| Some(&self.row_at(*place)?.name.value));
            u32::try_from(names.collect::<HashSet<_>>().len()).unwrap_or(u32::MAX)
        })
    }

    fn is_of_several(&self) -> bool {
        self.is_of_several
    }

    fn kernel(&self, row: u32) -> Option<(Rc<dyn Kernels>, usize)> {
        let (kernels, index) = self.provider(row)?;
        Some((Rc::clone(kernels), index))
    }

    fn is_native(&self, row: u32) -> bool {
        self.place(row).is_some_and(|(part, _)| part.is_native())
    }

    fn path(&self, row: u32) -> &str {
        self.place(row).map_or("", |(part, _)| &part.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flag_has_a_column_and_each_column_its_own_name() {
        for FlagInfo { key, doc, .. } in FLAGS {
            let column = COLUMNS.iter().find(|column| column.id == key);
            assert_eq!(column.map(|column| column.doc), Some(doc), "{key}");
        }
        for list in ListId::ALL {
            for column in list.columns() {
                let same = list.columns().iter().filter(|other| other.id == column.id);
                assert_eq!(same.count(), 1, "{list:?} {}", column.id);
            }
        }
    }
}
