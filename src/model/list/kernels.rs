//! The kernels of a document, and the functions that other modules can call.

use std::ops::Range;
use std::rc::Rc;

use super::{
    About, Cell, CellValue, Column, ColumnKind, Detail, Key, List, ListId, Presence, columns,
};
use crate::model::document::Tone;
use crate::model::kernels::{FLAGS, Flag, Given, HazardKind, KernelRow, Kernels};
use crate::model::source::Sources;
use crate::model::span::Span;

type At<'a> = &'a KernelRow;

columns! {
    BEFORE_FLAGS
    "name" Text Default 20 "Kernel" "" "The kernel's name, as the file has it."
        |row, _| name(row);
    "simd_size" Number Default 0 "SIMD" "" "Lanes: work-items that a hardware thread runs in step."
        // It has no default.
        |row, _| row.simd_size.span.map_or_else(Cell::empty, |_| given(row.simd_size));
    "grf_count" Number Default 0 "GRF" "" "Registers of a hardware thread."
        |row, _| marked(row, given(row.grf_count), &[HazardKind::LargeGrf]);
    "eu_thread_count" Number Default 0 "Threads" "per EU" "Hardware threads of an execution unit; 0 where the file does not say."
        |row, _| given(row.eu_thread_count);
    "spill_size" Number Default 0 "Spill" "B/thread" "Bytes of registers that spill, of a hardware thread. Before ze_info 1.39: the size of the scratch slot."
        |row, _| marked(row, slot(row, row.spill_size), &[HazardKind::Spills, HazardKind::HeavySpills]);
    "spill_dwords_per_lane" Number Default 0 "Spill" "dwords/lane" "spill_size / (4 · simd_size)."
        |row, _| Cell {
            value: row.spill_dwords_per_lane().map_or(CellValue::Empty, CellValue::Real),
            ..given(row.spill_size)
        };
    "private_size" Number Default 0 "Private" "B/thread" "Bytes of private memory, of a hardware thread. Before ze_info 1.39: the size of the scratch slot."
        |row, _| marked(row, slot(row, row.private_size), &[HazardKind::Private]);
    "slm_size" Number Default 0 "SLM" "B" "Bytes of shared local memory of a work-group."
        |row, _| marked(row, given(row.slm_size), &[HazardKind::LargeSlm]);
    "barrier_count" Number Default 0 "Barriers" "" "Barriers of a work-group."
        |row, _| given(row.barrier_count);
    "argument_count" Number Default 0 "Args" "" "Arguments of the source: one more than the largest index."
        |row, _| Cell::count(row.argument_count);
    "required_sub_group_size" Number Optional 0 "Req. sub-group" "" "The sub-group size that the source demands; 0: none."
        |row, _| given(row.required_sub_group_size);
    "required_work_group_size" Text Optional 12 "Req. work-group" "" "The work-group size that the source demands; zeros: none."
        |row, _| Cell {
            value: CellValue::Ints(row.required_work_group_size.value),
            span: row.required_work_group_size.span,
            is_default: row.required_work_group_size.span.is_none(),
            marks: Vec::new(),
        };
    "code_size" Number Default 0 "Code" "B" "Bytes of the kernel's code: the symbol's size, else the section's."
        |row, _| row.code_size.map_or_else(Cell::empty, |size| Cell::count(size.value).at(size.span));
    "flags" Words Default 26 "Flags" "" "The properties that are true, in words."
        |row, _| Cell::words(row.flags.iter().map(Flag::word).filter(|word| !word.is_empty()));
    "hazards" Words Optional 26 "Hazards" "" "What may make the kernel slow, or not run."
        |row, _| Cell::words(row.hazards.iter().map(|hazard| &*hazard.text));
    "demangled" Text Optional 28 "Demangled" "" "The name as people write it."
        |row, _| Cell::text(row.title()).at(row.name.span);
    "inline_data_payload_size" Number Optional 0 "Inline data" "B" "Bytes of the cross-thread payload that are passed in registers."
        |row, _| given(row.inline_data_payload_size);
    "indirect_stateless_count" Number Optional 0 "Indirect" "" "Accesses through pointers that were loaded from memory."
        |row, _| given(row.indirect_stateless_count);
    "payload_size" Number Optional 0 "Payload" "B" "Bytes of the cross-thread payload."
        |row, _| Cell::count(row.payload_size);
    "explicit_arguments" Number Optional 0 "Explicit" "" "Arguments of the source that are passed."
        |row, _| Cell::count(row.explicit_arguments);
    "implicit_arguments" Number Optional 0 "Implicit" "" "Entries of the payload that the source does not know."
        |row, _| Cell::count(row.implicit_arguments);
    "from_scratch_slots" Bool Optional 5 "From slots" "" "Spill and private size are those of the scratch slots: ze_info is older than 1.39."
        |row, _| Cell::new(CellValue::Bool(row.from_scratch_slots));
}

/// All columns: each of the [`FLAGS`] has one, too.
pub static COLUMNS: &[Column] = &{
    const FLAG: Column = Column {
        id: "",
        title: "",
        unit: "",
        doc: "The key of that name in execution_env.",
        kind: ColumnKind::Bool,
        presence: Presence::Optional,
        width: 5,
    };
    const FIRST: usize = BEFORE_FLAGS.len();
    let mut all = [FLAG; FIRST + FLAGS.len()];
    let mut at = 0;
    // The compiler runs this: a place that is not there would not compile.
    #[allow(clippy::indexing_slicing)]
    while at < all.len() {
        if at < FIRST {
            all[at] = BEFORE_FLAGS[at];
        } else {
            let key = FLAGS[at - FIRST].0;
            all[at].id = key;
            all[at].title = key;
        }
        at += 1;
    }
    all
};

fn given(given: Given<i64>) -> Cell<'static> {
    Cell {
        is_default: given.span.is_none(),
        ..Cell::new(CellValue::Int(given.value)).at(given.span)
    }
}

fn name(row: &KernelRow) -> Cell<'_> {
    let name = CellValue::Name {
        name: row.name.value.as_str().into(),
        demangled: row.demangled.as_deref().map(Into::into),
    };
    let cell = Cell::new(name).at(row.name.span);
    match row.is_function {
        true => cell.mark(Tone::Plain, "fn", "A function that other modules can call."),
        false => cell,
    }
}

/// A size that may be that of a scratch slot.
fn slot(row: &KernelRow, size: Given<i64>) -> Cell<'static> {
    let doc = "The size of the scratch slot: ze_info is older than 1.39.";
    match size.span {
        Some(_) if row.from_scratch_slots => given(size).mark(Tone::Plain, "slot", doc),
        _ => given(size),
    }
}

/// A cell with the marks of the row's hazards of these kinds.
fn marked<'a>(row: &'a KernelRow, mut cell: Cell<'a>, kinds: &[HazardKind]) -> Cell<'a> {
    let hazards = row.hazards.iter();
    for hazard in hazards.filter(|hazard| kinds.contains(&hazard.kind)) {
        let (tone, word) = match hazard.kind {
            HazardKind::HeavySpills => (Tone::Bad, "spills"),
            HazardKind::Spills => (Tone::Warning, "spills"),
            HazardKind::Private => (Tone::Warning, "private"),
            HazardKind::LargeGrf => (Tone::Warning, "large"),
            HazardKind::LargeSlm => (Tone::Bad, "> 64 KB"),
        };
        cell = cell.mark(tone, word, hazard.text.clone());
    }
    cell
}

struct KernelList {
    kernels: Rc<dyn Kernels>,
    rows: Rc<Vec<KernelRow>>,
}

/// The list of those kernels.
pub(super) fn list(kernels: Rc<dyn Kernels>, sources: &Sources) -> Rc<dyn List> {
    let rows = kernels.rows(sources);
    Rc::new(KernelList { kernels, rows })
}

impl KernelList {
    fn row(&self, row: u32) -> Option<&KernelRow> {
        self.rows.get(usize::try_from(row).ok()?)
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
        let Some(row) = self.row(row) else {
            return Cell::empty();
        };
        if let Some(cell) = CELLS.get(column) {
            return cell(row, sources);
        }
        let Some(column) = COLUMNS.get(column) else {
            return Cell::empty();
        };
        let flag = row.flags.iter().find(|flag| flag.key == column.id);
        Cell::new(CellValue::Bool(flag.is_some())).at(flag.map(|flag| flag.span))
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.row(row).map(|row| row.entry)
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let row = self.rows.iter().position(|row| row.entry.contains(span))?;
        let row = u32::try_from(row).ok()?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, sources: &Sources) -> About {
        let place = usize::try_from(row).unwrap_or(usize::MAX);
        let detail = self.kernels.detail(place, sources);
        About {
            title: self
                .row(row)
                .map_or_else(String::new, |row| row.title().to_owned()),
            links: Vec::new(),
            detail: detail.map_or(Detail::None, |detail| Detail::Kernel(Box::new(detail))),
        }
    }

    fn secondary(&self) -> u32 {
        let functions = self.rows.iter().rev().take_while(|row| row.is_function);
        u32::try_from(functions.count()).unwrap_or(u32::MAX)
    }

    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        let is_hazards = COLUMNS
            .get(column)
            .is_some_and(|column| column.id == "hazards");
        match self.row(row).filter(|_| is_hazards) {
            // What is worst, and of that the most.
            Some(row) => {
                let worst = row
                    .hazards
                    .iter()
                    .map(|hazard| hazard.kind as i128 + 1)
                    .max();
                let (spill, private) = (row.spill_size.value, row.private_size.value);
                Key::Ints([worst.unwrap_or(0), spill.into(), private.into()])
            }
            None => self.cell(row, column, sources).value.into_key(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flag_has_a_column_and_each_column_its_own_name() {
        for (key, _) in FLAGS {
            assert!(COLUMNS.iter().any(|column| column.id == key), "{key}");
        }
        for list in ListId::ALL {
            for column in list.columns() {
                let same = list.columns().iter().filter(|other| other.id == column.id);
                assert_eq!(same.count(), 1, "{list:?} {}", column.id);
            }
        }
    }
}
