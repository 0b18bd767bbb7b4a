//! Kernels by device: which kernel a package has native code of, for which device.

use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use super::survey::{Progress, SurveyedImage};
use zeview_core::analysis::figure::SizeFigure;
use zeview_core::analysis::kernels::KernelRow;
use zeview_core::model::{Span, Str, sort};

/// The kernels of a container or package, by device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelMatrix {
    /// The images read so far.
    pub progress: Progress,
    /// The devices with native code, in descending order of kernels.
    pub devices: Vec<Str>,
    /// The kernels, in the order of their first build.
    pub rows: Vec<MatrixRow>,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixRow {
    /// Its name in the file, and demangled.
    pub name: String,
    /// The demangled name.
    pub demangled: Option<Rc<str>>,
    /// Its builds for each device of the matrix; `None` is a hole.
    pub cells: Vec<Option<Builds>>,
    /// Whether it also exists as SPIR-V, which the driver compiles for other devices at first use.
    pub has_spirv: bool,
    /// The files of a package that contain it.
    pub files: Vec<Str>,
    /// The entry of its first build.
    pub entry: Span,
}

/// The builds of a kernel for a device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Builds {
    /// Number of builds with different bytes, or in different images.
    pub count: u64,
    /// Number of builds with the same bytes as others.
    pub copies: u64,
    /// The SIMD widths, in ascending order.
    pub simd: Vec<i64>,
    /// The largest number of spilled bytes per thread; unknown if that of a build is.
    pub spill: SizeFigure,
    /// Bytes of code, without copies.
    pub code: u64,
}

impl MatrixRow {
    /// Returns the number of devices that have native code of other kernels, but not of this one.
    pub fn holes(&self) -> u64 {
        self.cells.iter().filter(|cell| cell.is_none()).count() as u64
    }

    /// Returns the sum over all devices.
    pub fn total(&self) -> Builds {
        let mut total = Builds::default();
        for cell in self.cells.iter().flatten() {
            total.count = total.count.saturating_add(cell.count);
            total.copies = total.copies.saturating_add(cell.copies);
            total.code = total.code.saturating_add(cell.code);
            total.spill = total.spill.max(cell.spill);
            for width in &cell.simd {
                total.add_width(*width);
            }
        }
        total
    }
}

impl Builds {
    fn add_width(&mut self, width: i64) {
        if let Err(place) = self.simd.binary_search(&width) {
            self.simd.insert(place, width);
        }
    }

    fn add(&mut self, row: &KernelRow, is_copy: bool) {
        if is_copy {
            self.copies = self.copies.saturating_add(1);
            return;
        }
        self.count = self.count.saturating_add(1);
        if row.simd_size.value > 0 {
            self.add_width(row.simd_size.value);
        }
        self.spill = self.spill.max(row.spill_size);
        let code = row.code_size.as_ref().map_or(0, |code| code.value);
        self.code = self.code.saturating_add(code);
    }
}

/// Builds a [`KernelMatrix`].
#[derive(Default)]
pub struct MatrixBuilder<'a> {
    matrix: KernelMatrix,
    places: HashMap<&'a str, usize>,
    devices: HashMap<&'a str, usize>,
    /// Kernels per device.
    counts: Vec<u64>,
}

impl<'a> MatrixBuilder<'a> {
    /// Starts a matrix without kernels.
    pub fn new(progress: Progress) -> MatrixBuilder<'a> {
        let matrix = KernelMatrix {
            progress,
            ..KernelMatrix::default()
        };
        MatrixBuilder {
            matrix,
            ..MatrixBuilder::default()
        }
    }

    /// Adds the kernels of a document.
    pub fn add(&mut self, part: &SurveyedImage<'a>) {
        let device = part.is_native.then(|| {
            let next = self.devices.len();
            *self.devices.entry(part.device).or_insert(next)
        });
        // Native code precedes the SPIR-V beside it.
        for name in part.also_native {
            let place = self.places.get(name.as_str());
            let row = place.and_then(|place| self.matrix.rows.get_mut(*place));
            if let Some(row) = row {
                row.has_spirv = true;
            }
        }
        for row in part.rows.iter().filter(|row| row.is_kernel()) {
            let next = self.matrix.rows.len();
            let place = *self.places.entry(&row.name.value).or_insert(next);
            if place == next {
                self.matrix.rows.push(MatrixRow {
                    name: row.name.value.clone(),
                    demangled: row.demangled.clone(),
                    cells: Vec::new(),
                    has_spirv: false,
                    files: Vec::new(),
                    entry: row.entry,
                });
            }
            let Some(found) = self.matrix.rows.get_mut(place) else {
                continue;
            };
            found.has_spirv |= part.has_spirv || device.is_none() && !part.is_foreign;
            let (file, _) = part.image;
            // The images of a file are adjacent.
            if !file.is_empty() && found.files.last().is_none_or(|last| last != file) {
                found.files.push(file.to_owned().into());
            }
            let Some(device) = device else { continue };
            if found.cells.len() <= device {
                found.cells.resize(device.saturating_add(1), None);
            }
            if let Some(cell) = found.cells.get_mut(device) {
                cell.get_or_insert_default().add(row, part.is_copy);
            }
        }
    }

    /// Returns the matrix.
    pub fn finish(mut self) -> KernelMatrix {
        self.counts = vec![0; self.devices.len()];
        for row in &mut self.matrix.rows {
            row.cells.resize(self.devices.len(), None);
            for (count, cell) in self.counts.iter_mut().zip(&row.cells) {
                *count = count.saturating_add(u64::from(cell.is_some()));
            }
        }
        let mut order: Vec<(&str, usize)> = self.devices.iter().map(|(d, at)| (*d, *at)).collect();
        let count = |at: usize| self.counts.get(at).copied().unwrap_or(0);
        sort::by(&mut order, |a, b| {
            count(b.1).cmp(&count(a.1)).then_with(|| a.0.cmp(b.0))
        });
        self.matrix.devices = order
            .iter()
            .map(|(device, _)| (*device).to_owned().into())
            .collect();
        for row in &mut self.matrix.rows {
            let cells = order.iter();
            let cells = cells.map(|(_, at)| row.cells.get_mut(*at).and_then(Option::take));
            row.cells = cells.collect();
        }
        self.matrix
    }
}

impl KernelMatrix {
    /// Returns the devices that a kernel has native code for, or those that it lacks.
    pub fn devices_of<'a>(
        &'a self,
        row: &'a MatrixRow,
        has: bool,
    ) -> impl Iterator<Item = &'a Str> + 'a {
        let cells = self.devices.iter().zip(&row.cells);
        cells
            .filter(move |(_, cell)| cell.is_some() == has)
            .map(|(device, _)| device)
    }

    /// Returns the number of distinct kernels that lack a device.
    pub fn incomplete(&self) -> u64 {
        let rows = self.rows.iter().filter(|row| row.holes() > 0);
        let names: HashSet<&str> = rows.map(|row| &*row.name).collect();
        names.len() as u64
    }
}
