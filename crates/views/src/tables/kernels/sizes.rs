//! Cells of spill and private memory.

use super::super::{Cell, CellValue};
use zeview_core::analysis::figure::SizeFigure;
use zeview_core::analysis::kernels::{HazardKind, KernelRow, dwords_per_lane};
use zeview_core::model::Tone;

/// The hazards of the column `spill_size`.
pub(super) const SPILL_HAZARDS: [HazardKind; 3] = [
    HazardKind::UnstatedSpills,
    HazardKind::Spills,
    HazardKind::HeavySpills,
];

/// Formats a size that may be that of a scratch slot.
pub(super) fn slot(row: &KernelRow, size: SizeFigure) -> Cell<'static> {
    let doc = "The size of the scratch slot: ze_info is older than 1.39.";
    match size.span {
        Some(_) if row.from_scratch_slots => Cell::size(size).mark(Tone::Plain, "slot", doc),
        _ => Cell::size(size),
    }
}

/// Formats the spills per lane.
pub(super) fn per_lane(row: &KernelRow) -> Cell<'static> {
    let divisor = dwords_per_lane(1, row.simd_size.value).map_or(1.0, f64::recip);
    let value = match row.spill_dwords_per_lane() {
        Some(Ok(number)) => CellValue::Real(number),
        Some(Err(unknown)) => Cell::unknown(unknown, divisor).value,
        None => CellValue::Empty,
    };
    Cell {
        value,
        ..Cell::size(row.spill_size)
    }
}

/// Formats the largest size that a figure may have.
pub(super) fn limit(size: SizeFigure) -> Cell<'static> {
    let limit = match size.figure {
        Ok(size) => u64::try_from(size).ok(),
        Err(unknown) => unknown.limit(),
    };
    limit.map_or_else(Cell::empty, Cell::count).at(size.span)
}

/// Annotates a cell with the row's hazards of these kinds.
pub(super) fn marked<'a>(row: &'a KernelRow, mut cell: Cell<'a>, kinds: &[HazardKind]) -> Cell<'a> {
    let hazards = row.hazards.iter();
    for hazard in hazards.filter(|hazard| kinds.contains(&hazard.kind)) {
        let (tone, word) = match hazard.kind {
            // The number of registers is enough.
            HazardKind::LargeGrf => continue,
            // The reservation is no sign of spills.
            HazardKind::CallStack => continue,
            HazardKind::UnstatedSpills => (Tone::Warning, "spills?"),
            HazardKind::HeavySpills => (Tone::Bad, "spills"),
            HazardKind::Spills => (Tone::Warning, "spills"),
            HazardKind::Private => (Tone::Warning, "private"),
            HazardKind::LargeSlm => (Tone::Bad, "> 64 KB"),
        };
        let doc = match hazard.kind {
            HazardKind::Private => {
                let bytes = Cell::size(row.private_size).value;
                let bytes = bytes.text();
                format!("{bytes} bytes of private memory per hardware thread").into()
            }
            HazardKind::Spills => {
                let bytes = Cell::size(row.spill_size).value;
                format!("spills {} bytes per hardware thread", bytes.text()).into()
            }
            HazardKind::UnstatedSpills => {
                format!("spills: {}", Cell::size(row.spill_size).value.text()).into()
            }
            _ => hazard.text.clone(),
        };
        cell = cell.mark(tone, word, doc);
    }
    cell
}
