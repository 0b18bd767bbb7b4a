//! Kernels by device: their builds, and the devices that they lack.

use std::ops::Range;
use std::rc::Rc;

use super::kernels::reading::{Around, KernelReading};
use super::query::Query;
use super::{
    Cell, CellValue, Column, Declaration, Fit, List, ListId, ReadingKind, RowDetails, Tab, Words,
    columns, kernels,
};
use zeview_analysis::matrix::{Builds, KernelMatrix, MatrixRow};
use zeview_core::model::{Document, NodeId, Outcome, Sources, Span, Tone};

type RowRef<'a> = (&'a MatrixList, &'a MatrixRow);

columns! {
    /// The columns.
    pub COLUMNS
    "name" Text Default 32 "Kernel" "" "The kernel's name in the file."
        |(list, row), _| list.name(row);
    "devices" Words Default 24 "Devices" "" "The devices that it has native code for."
        |(list, row), _| Cell::words(list.matrix.devices_of(row, true).map(|device| device_text(device)));
    "missing" Words Default 24 "Missing" "" "The devices that other kernels have native code for, but this one has not."
        |(list, row), _| {
            // An image that was not read yet may have it.
            if !list.matrix.progress.is_over() {
                return Cell::empty();
            }
            let cell = Cell::words(list.matrix.devices_of(row, false).map(|device| device_text(device)));
            match (row.holes(), row.has_spirv) {
                (0, _) => cell,
                (_, true) => cell.mark(Tone::Plain, Outcome::Recompiled.words(), "The driver compiles the SPIR-V of the kernel for these devices at the first use, unless they run code of a compatible device."),
                (_, false) => cell.mark(Tone::Warning, Outcome::DoesNotRun.words(), "There is no SPIR-V of the kernel either: it does not run on these devices, unless they run code of a compatible device."),
            }
        };
    "at_run_time" Bool Default 5 "SPIR-V" "" "The kernel also exists as SPIR-V, which the driver compiles at first use for devices without native code."
        |(list, row), _| if list.matrix.progress.is_over() || row.has_spirv {
            Cell::new(CellValue::Bool(row.has_spirv))
        } else {
            Cell::empty()
        };
    "builds" Number Default 0 "Builds" "" "Number of builds with native code, without copies."
        |(_, row), _| Cell::count(row.total().count);
    "copies" Number Default 0 "Copies" "" "Number of builds with the same bytes as another one for the same device."
        |(_, row), _| of_builds(row, |total| Cell::count(total.copies));
    "simd_size" Words Default 6 "SIMD" "" "The SIMD widths of its builds."
        |(_, row), _| Cell::words(row.total().simd.into_iter().map(|width| width.to_string()));
    "spill_size" Number Default 0 "Spill" "B/thread" "The largest number of spilled bytes per hardware thread; unknown if that of a build is."
        |(_, row), _| of_builds(row, |total| Cell { is_default: false, span: None, ..Cell::size(total.spill) });
    "code_size" Number Default 0 "Code" "B" "Bytes of code of all builds, without copies."
        |(_, row), _| of_builds(row, |total| Cell::count(total.code));
    "family" Text Optional 20 "Family" "" "The name without namespaces, template arguments and parameters: equal for the instances of a template."
        |(list, row), _| Cell::text(list.family(row));
    "files" Words Optional 20 "Files" "" "The files of the package that contain it."
        |(_, row), _| Cell::words(row.files.iter().map(|file| &**file));
    "holes" Number Optional 0 "Holes" "" "The number of devices that it lacks."
        |(_, row), _| Cell::count(row.holes());
}

/// Returns a cell about the native code of a kernel; empty for a kernel that only exists as SPIR-V.
fn of_builds<'a>(row: &MatrixRow, cell: fn(&Builds) -> Cell<'a>) -> Cell<'a> {
    if row.cells.iter().all(Option::is_none) {
        return Cell::empty();
    }
    cell(&row.total())
}

/// Formats a device of the matrix.
pub fn device_text(device: &str) -> &str {
    if device.is_empty() {
        "not named"
    } else {
        device
    }
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    tab: Some(Tab::of_code("matrix", "By device", |file| file.any.package)),
    fit: Some(Fit {
        columns: &["name"],
        least: 32,
        most: u32::MAX,
    }),
    reading: ReadingKind::Kernels,
    ..Declaration::table(
        ListId::Matrix,
        "matrix",
        || COLUMNS,
        Words {
            title: "Kernels by device",
            one: "kernel",
            many: "kernels",
            hint: "Filter: name, or missing=bmg-g21",
            none: "No kernels.",
        },
    )
};

/// Whether a document is a container whose images have kernels.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.kernels(id).is_none()
        && (document.package_files(id).is_some() || kernels::are_within(document, id))
}

/// Reads the kernels of a container by device.
pub(super) fn read(document: &mut Document, id: NodeId, _: &Query) -> Option<Rc<dyn List>> {
    let mut reading = KernelReading::new(document, id)?;
    while reading.step(document) {}
    Some(reading.matrix_list(&document.sources))
}

/// The kernels of a container by device.
pub(super) struct MatrixList {
    matrix: Rc<KernelMatrix>,
    names: Around,
}

/// Returns the list of a matrix, with the short names of its kernels.
pub(super) fn list(matrix: Rc<KernelMatrix>, names: Around) -> Rc<dyn List> {
    Rc::new(MatrixList { matrix, names })
}

impl MatrixList {
    fn row(&self, row: u32) -> Option<&MatrixRow> {
        self.matrix.rows.get(usize::try_from(row).ok()?)
    }

    fn short_name<'a>(&'a self, row: &'a MatrixRow) -> &'a str {
        let short = self.names.as_ref().and_then(|names| names.get(&row.name));
        short.unwrap_or_else(|| row.demangled.as_deref().unwrap_or(&row.name))
    }

    fn family<'a>(&'a self, row: &'a MatrixRow) -> &'a str {
        let family = self
            .names
            .as_ref()
            .and_then(|names| names.family(&row.name));
        family.unwrap_or_else(|| self.short_name(row))
    }

    fn name<'a>(&'a self, row: &'a MatrixRow) -> Cell<'a> {
        let short = Some(self.short_name(row)).filter(|short| *short != row.name);
        let cell = Cell::new(CellValue::Name {
            name: row.name.as_str().into(),
            demangled: row.demangled.as_deref().map(Into::into),
            short: short.map(Into::into),
        });
        cell.at(Some(row.entry))
    }
}

impl List for MatrixList {
    fn id(&self) -> ListId {
        ListId::Matrix
    }

    fn count(&self) -> u32 {
        u32::try_from(self.matrix.rows.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.row(row)) {
            (Some(cell), Some(row)) => cell((self, row), sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.row(row).map(|row| row.entry)
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let at = self
            .matrix
            .rows
            .iter()
            .position(|row| row.entry.contains(span))?;
        let at = u32::try_from(at).ok()?;
        Some(at..at.saturating_add(1))
    }

    fn shows(&self, column: &Column) -> bool {
        let any = |has: fn(&MatrixRow) -> bool| self.matrix.rows.iter().any(has);
        match column.id {
            "missing" => any(|row| row.holes() > 0),
            "at_run_time" => any(|row| row.has_spirv),
            _ => column.presence.is_shown(false),
        }
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> RowDetails {
        RowDetails {
            title: self
                .row(row)
                .map_or_else(String::new, |row| self.short_name(row).to_owned()),
            ..RowDetails::default()
        }
    }
}
