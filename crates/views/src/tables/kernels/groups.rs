//! Grouped kernels: a row for equal builds of a kernel, for each kernel with all its builds, for each
//! image, or for each device.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use super::metrics::columns;
use crate::tables::query::GroupBy;
use crate::tables::{
    Cell, CellValue, Column, ColumnKind, KernelRows, Key, List, ListId, RowDetails, Secondary,
};
use zeview_core::analysis::kernels::Kernels;
use zeview_core::model::{Sources, Span, Tone};

/// The figures of a kernel that the file states: builds of [`GroupBy::Figures`] agree in them. The
/// same name in another file of a package is another kernel.
const FIGURES: &[&str] = &[
    "package_file",
    "simd_size",
    "grf_count",
    "eu_thread_count",
    "spill_size",
    "private_size",
    "slm_size",
    "barrier_count",
    "argument_count",
    "code_size",
    "flags",
];

/// Maximum number of builds whose values a cell lists.
const BUILDS_MAX: usize = 12;

/// The kernels of several images, grouped.
///
/// A group has the columns of a kernel. Equal values are kept, different numbers become
/// [`CellValue::Several`], and texts and words are collected.
pub(in crate::tables) struct KernelGroups {
    list: Rc<dyn List>,
    by: GroupBy,
    /// The rows of each group, in the order of the list.
    groups: Vec<Vec<u32>>,
}

impl KernelGroups {
    /// Groups the rows of a list. Secondary ones are left out, or stay as they are where the groups are
    /// builds.
    pub(in crate::tables) fn new(
        list: Rc<dyn List>,
        by: GroupBy,
        sources: &Sources,
    ) -> KernelGroups {
        let mut columns = vec![column_index(by.column())];
        if by == GroupBy::Figures {
            columns.extend(FIGURES.iter().map(|id| column_index(id)));
        }
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::default();
        for row in 0..list.primary() {
            let mut key = String::new();
            for column in &columns {
                key.push_str(&list.cell(row, *column, sources).value.text());
                key.push('\0');
            }
            let next = groups.len();
            let group = *known.entry(key).or_insert(next);
            match groups.get_mut(group) {
                Some(rows) => rows.push(row),
                None => groups.push(vec![row]),
            }
        }
        if by == GroupBy::Figures {
            groups.extend((list.primary()..list.count()).map(|row| vec![row]));
        }
        KernelGroups { list, by, groups }
    }

    fn rows(&self, group: u32) -> &[u32] {
        let group = usize::try_from(group).ok();
        group
            .and_then(|group| self.groups.get(group))
            .map_or(&[], |rows| rows)
    }

    fn first(&self, group: u32) -> Option<u32> {
        self.rows(group).first().copied()
    }

    /// Returns the title of a group: its kernel, image or device.
    fn name<'a>(&'a self, rows: &[u32], sources: &Sources) -> Cell<'a> {
        let Some(first) = rows.first() else {
            return Cell::empty();
        };
        let name = column_index("name");
        if self.by.is_of_kernel() {
            let cell = self.list.cell(*first, name, sources);
            return match rows.len() {
                // The devices tell.
                _ if self.by == GroupBy::Figures => cell,
                1 => cell,
                many => cell.mark(Tone::Plain, format!("×{many}"), format!("{many} builds")),
            };
        }
        let title = self
            .list
            .cell(*first, column_index(self.by.column()), sources);
        let names = rows
            .iter()
            .map(|row| self.list.cell(*row, name, sources).value);
        let names: HashSet<String> = names.map(|name| name.text().into_owned()).collect();
        let (count, s) = (names.len(), if names.len() == 1 { "" } else { "s" });
        let title = match title.value {
            CellValue::Empty | CellValue::Absent => Cell::new(CellValue::Text("unknown".into())),
            value => Cell::new(value),
        };
        title.mark(
            Tone::Plain,
            format!("{count} kernel{s}"),
            "Distinct kernel names.",
        )
    }

    /// Merges the cells of all rows of a group.
    fn merged<'a>(&'a self, rows: &[u32], column: usize, sources: &Sources) -> Cell<'a> {
        let kind = columns().get(column).map(|column| column.kind);
        let cells = rows
            .iter()
            .map(|row| (*row, self.list.cell(*row, column, sources)));
        // SPIR-V has no values that could differ.
        let mut is_absent = false;
        let cells = cells.inspect(|(_, cell)| is_absent |= cell.value == CellValue::Absent);
        let is_empty =
            |value: &CellValue<'_>| matches!(value, CellValue::Empty | CellValue::Absent);
        let mut cells = cells.filter(|(_, cell)| !is_empty(&cell.value));
        let Some((first, mut merged)) = cells.next() else {
            drop(cells);
            return if is_absent {
                Cell::new(CellValue::Absent)
            } else {
                Cell::empty()
            };
        };
        match kind {
            Some(ColumnKind::Number) => {
                let bits = |number: Option<f64>| number.map(f64::to_bits);
                let mut values = vec![(first, merged.value.clone())];
                let mut most = merged.value.number();
                let mut known: HashSet<Option<u64>> = HashSet::default();
                known.insert(bits(most));
                for (row, cell) in cells {
                    // It may be larger than the others.
                    if let CellValue::Unknown { .. } = merged.value {
                        break;
                    }
                    if let CellValue::Unknown { .. } = cell.value {
                        return cell;
                    }
                    let number = cell.value.number();
                    if known.insert(bits(number)) {
                        values.push((row, cell.value.clone()));
                    }
                    // The largest value provides the bytes and marks of the cell.
                    if number > most {
                        most = number;
                        merged = cell;
                    }
                }
                if values.len() > 1 {
                    let numbers = values.iter().filter_map(|(_, value)| value.number());
                    merged.value = CellValue::Several(numbers.collect());
                    merged.is_default = false;
                    let listed = values.iter().take(BUILDS_MAX);
                    let listed = listed.map(|(row, value)| {
                        format!("{}: {}", self.label(*row, sources), value.text())
                    });
                    let text = listed.collect::<Vec<_>>().join(", ");
                    merged = merged.mark(Tone::Plain, "≠", text);
                }
                merged
            }
            // Of all kernels, as not all are read.
            Some(ColumnKind::Words) if matches!(merged.value, CellValue::Unknown { .. }) => merged,
            Some(ColumnKind::Words | ColumnKind::Text) => {
                let mut words: Vec<Cow<'a, str>> = Vec::new();
                let mut known: HashSet<Cow<'a, str>> = HashSet::default();
                let mut marks = std::mem::take(&mut merged.marks);
                let cells: Vec<Cell<'_>> = cells.map(|(_, cell)| cell).collect();
                // Such as the number of identical images: only builds say it of themselves.
                if self.by == GroupBy::Figures {
                    marks.extend(cells.iter().flat_map(|cell| cell.marks.iter().cloned()));
                    marks.dedup_by(|a, b| a.text == b.text);
                } else {
                    marks.clear();
                }
                let rest = cells.into_iter().map(|cell| cell.value);
                let values = std::iter::once(merged.value).chain(rest);
                for value in values {
                    let found = match value {
                        CellValue::Words(found) => found,
                        CellValue::Text(text) => vec![text],
                        value => vec![Cow::Owned(value.text().into_owned())],
                    };
                    for word in found {
                        if known.insert(word.clone()) {
                            words.push(word);
                        }
                    }
                }
                Cell {
                    marks,
                    ..Cell::words(words.into_iter())
                }
            }
            _ => {
                // True if it is true in any row.
                let is_yes = |cell: &Cell<'_>| cell.value == CellValue::Bool(true);
                if is_yes(&merged) {
                    merged
                } else {
                    cells.map(|(_, cell)| cell).find(is_yes).unwrap_or(merged)
                }
            }
        }
    }

    /// Returns the label of a row within its group: the device or image of a kernel, else the kernel.
    fn label(&self, row: u32, sources: &Sources) -> String {
        let text = |id: &str| {
            let cell = self.list.cell(row, column_index(id), sources);
            cell.value.title().into_owned()
        };
        match self.by {
            GroupBy::Figures | GroupBy::Kernel => match text("device") {
                device if device.is_empty() => text("image"),
                device => device,
            },
            GroupBy::Family | GroupBy::Image | GroupBy::Device => text("name"),
        }
    }
}

/// Returns the index of a column of kernels.
fn column_index(id: &str) -> usize {
    let found = columns().iter().position(|column| column.id == id);
    found.unwrap_or(usize::MAX)
}

impl List for KernelGroups {
    fn id(&self) -> ListId {
        ListId::Kernels
    }

    fn count(&self) -> u32 {
        u32::try_from(self.groups.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        let rows = self.rows(row);
        match columns().get(column).map_or("", |column| column.id) {
            "name" => self.name(rows, sources),
            _ => self.merged(rows, column, sources),
        }
    }

    fn entry(&self, row: u32, sources: &Sources) -> Option<Span> {
        self.list.entry(self.first(row)?, sources)
    }

    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let row = self.list.rows_at(span, sources)?.start;
        let group = self.groups.iter().position(|rows| rows.contains(&row))?;
        let group = u32::try_from(group).ok()?;
        Some(group..group.saturating_add(1))
    }

    fn about(&self, row: u32, span: Span, sources: &Sources) -> RowDetails {
        let first = self.first(row);
        first.map_or_else(RowDetails::default, |row| {
            self.list.about(row, span, sources)
        })
    }

    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        let is_largest =
            |column: &Column| column.kind == ColumnKind::Number || column.id == "hazards";
        if !columns().get(column).is_some_and(is_largest) {
            return self.cell(row, column, sources).value.into_key();
        }
        let keys = self
            .rows(row)
            .iter()
            .map(|row| self.list.key(*row, column, sources));
        keys.max_by(Key::order).unwrap_or(Key::Empty)
    }

    fn secondary(&self) -> Secondary {
        match self.by {
            GroupBy::Figures => self.list.secondary(),
            _ => Secondary::default(),
        }
    }

    fn notes(&self) -> Vec<String> {
        self.list.notes()
    }

    fn shows(&self, column: &Column) -> bool {
        match column.id {
            // It is already in the first column.
            id if !self.by.is_of_kernel() && id == self.by.column() => false,
            "member" => self.by == GroupBy::Image && self.list.shows(column),
            _ => self.list.shows(column),
        }
    }

    fn as_kernels(&self) -> Option<&dyn KernelRows> {
        Some(self)
    }
}

impl KernelRows for KernelGroups {
    fn is_of_several(&self) -> bool {
        true
    }

    fn names(&self) -> Option<u32> {
        let kernels = self.list.as_kernels();
        let has_builds = self.by == GroupBy::Figures;
        kernels.filter(|_| has_builds).and_then(KernelRows::names)
    }

    fn grouping(&self) -> Option<GroupBy> {
        Some(self.by)
    }

    fn kernel(&self, row: u32) -> Option<(Rc<dyn Kernels>, usize)> {
        self.list.as_kernels()?.kernel(self.first(row)?)
    }

    fn is_native(&self, row: u32) -> bool {
        let kernels = self.list.as_kernels();
        let is_native = |row: &u32| kernels.is_some_and(|kernels| kernels.is_native(*row));
        self.rows(row).iter().any(is_native)
    }

    fn path(&self, row: u32) -> &str {
        let first = self.list.as_kernels().zip(self.first(row));
        first.map_or("", |(kernels, row)| kernels.path(row))
    }
}
