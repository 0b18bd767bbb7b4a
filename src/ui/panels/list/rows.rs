//! Rows and cells of a list.

use yew::prelude::*;

use crate::model::Span;
use crate::model::text::escaped;
use crate::tables::{Cell, CellValue, Column, ColumnKind, ListId, Opens, Shape};
use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::components::{GridColumn, GridData, plain, shortened};
use crate::ui::panels::assembly::Register;
use crate::ui::panels::compare;
use crate::ui::panels::data_flow;
use crate::ui::panels::profile;
use crate::ui::session::SessionContext;
use crate::ui::state::code_rows::{LIVE, SAMPLES};
use crate::ui::state::commands::Command;
use crate::ui::state::list::List;
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;

/// Maximum number of bytes shown in a cell.
const BYTES: usize = 24;

/// A list as the grid's data.
pub(super) struct Grid {
    pub(super) session: SessionContext,
    pub(super) view: PtrEq<View>,
    pub(super) columns: Vec<&'static Column>,
    pub(super) list: ListId,
    /// The register under the pointer.
    pub(super) lit: Option<Register>,
}

impl Grid {
    pub(super) fn shape(&self) -> Shape {
        self.list.declaration().shape
    }

    /// Whether the rows are instructions of one file.
    pub(super) fn is_code(&self) -> bool {
        self.shape() == Shape::Code
    }

    pub(super) fn data(&self) -> &List {
        self.view.lists.get(self.list)
    }

    /// Width of a column's cells, in characters.
    pub(super) fn width(&self, column: &Column) -> u32 {
        let largest = self.data().maximum(column.id);
        // A hazard badge needs room.
        let mark = match column.id {
            "spill_size" | "private_size" if largest > 0.0 => 10,
            "slm_size" if largest > 65536.0 => 10,
            "spill_dwords_per_lane" => 3,
            _ => 0,
        };
        // Image names in a host file are short, but may be preceded by how the image was found.
        if column.id == "image" && self.columns.iter().any(|other| other.id == "kernel") {
            let at = self.columns.iter().position(|other| other.id == "image");
            let first = (0..64).filter_map(|place| self.data().rows.row(place));
            let mut cells = first.filter_map(|row| row.cells.get(at?));
            return if cells.any(|cell| !cell.marks.is_empty()) {
                19
            } else {
                11
            };
        }
        match column.id {
            LIVE => return 10,
            SAMPLES => return 8 + self.samples().map_or(0, profile::digits),
            _ => {}
        }
        if let Some(width) = self.code_width(column).filter(|_| self.is_code()) {
            return width;
        }
        // As wide as the longest loaded cell.
        let fit = self.list.declaration().fit.as_ref();
        if let Some((fit, longest)) = fit.zip(self.data().longest(column.id)) {
            return longest.clamp(fit.least, fit.most);
        }
        match column.width {
            0 => format::grouped(largest as u64).chars().count() as u32 + mark,
            width => width,
        }
    }

    /// Whether the rows are in the order of the code, apart from folded loops.
    pub(super) fn in_order(&self) -> bool {
        let query = &self.data().query;
        query.filter.is_empty() && query.sort.is_none()
    }
}

pub(super) fn cell(cell: &Cell<'_>) -> Html {
    let names = match &cell.value {
        CellValue::Text(text) if !text.is_empty() => Some((text, None)),
        CellValue::Name {
            name,
            demangled,
            short,
        } => {
            let shown = short.as_ref().or(demangled.as_ref()).unwrap_or(name);
            // Longer forms, one per line.
            let others = [demangled.as_ref(), Some(name)].into_iter().flatten();
            let others: Vec<String> = others
                .filter(|other| *other != shown)
                .map(|name| escaped(name))
                .collect();
            Some((
                shown,
                Some(others.join("\n")).filter(|title| !title.is_empty()),
            ))
        }
        // The value that the rows of a group share, such as the path of a file.
        CellValue::Words(words) if let [only] = words.as_slice() => Some((only, None)),
        _ => None,
    };
    if let Some((name, title)) = names {
        return html! {
            <span class="name-cell" {title}>
                { for cell.marks.iter().map(format::mark) }
                { shortened(&escaped(name)) }
            </span>
        };
    }
    let (class, text) = match &cell.value {
        CellValue::Empty | CellValue::Absent | CellValue::Text(_) | CellValue::Bool(false) => {
            ("dim", "–".to_owned())
        }
        CellValue::Unknown { reason, .. } => ("", reason.word().to_owned()),
        CellValue::Count(0) => ("dim", "0".to_owned()),
        CellValue::Bool(true) => ("", "yes".to_owned()),
        CellValue::Int(number) if *number >= 0 => ("", format::grouped(number.unsigned_abs())),
        CellValue::Count(number) => ("", format::grouped(*number)),
        CellValue::Words(words) if words.is_empty() => ("dim", "–".to_owned()),
        CellValue::Several(numbers) => ("", format::several(numbers)),
        CellValue::Real(number) => ("", format::several(&[*number])),
        CellValue::Bytes(bytes) if bytes.len() > BYTES => {
            let first = bytes.get(..BYTES).unwrap_or(bytes).to_vec();
            ("mono", format!("{} …", CellValue::Bytes(first).text()))
        }
        CellValue::Bytes(_) => ("mono", cell.value.text().into_owned()),
        value => ("", escaped(&value.text())),
    };
    let (class, title) = if let CellValue::Unknown { reason, .. } = &cell.value {
        ("dim", Some(reason.reason().into_owned()))
    } else if cell.is_default {
        ("dim", Some("Default: not in the file".to_owned()))
    } else {
        (class, None)
    };
    html! { <>
        { for cell.marks.iter().map(format::mark) }
        <span {class} {title}>{ text }</span>
    </> }
}

impl GridData for Grid {
    fn label(&self) -> String {
        match (self.shape(), &self.view.texts.shown) {
            (Shape::Text, Some(text)) => escaped(&text.name),
            _ => self.list.declaration().words.title.to_owned(),
        }
    }

    fn columns(&self) -> Vec<GridColumn> {
        if self.is_text() {
            return self.text_columns();
        }
        let columns = self.columns.iter().enumerate();
        let columns = columns.map(|(place, column)| {
            let is_words = matches!(column.kind, ColumnKind::Text | ColumnKind::Words);
            GridColumn {
                title: match column.id {
                    // With the arguments, it is the kernel's name.
                    "family" => "Kernel".to_owned(),
                    _ => column.title.to_owned(),
                },
                unit: column.unit.to_owned(),
                doc: format!("{}: {}", column.id, column.doc),
                number: column.kind == ColumnKind::Number,
                sorts: column.kind != ColumnKind::Bytes,
                width: self.width(column),
                tight: self.tight(column),
                set: self.data().width(column.id),
                exact: self.exact(column).or_else(|| self.kernel_width(column)),
                pushes: self.is_code() && matches!(column.id, "text" | "waits"),
                grows: is_words
                    && (self.kernel_width(column).is_none() || column.id == "arguments")
                    && (column.width >= 24 || place == 0 && self.width(column) >= 20)
                    && !(self.is_code() && column.id == "text"),
            }
        });
        columns.collect()
    }

    fn rows(&self) -> u64 {
        let found = self.data().rows.found;
        // The data flow, which may arrive first, has a number for each row.
        let counted = || Some(self.flow().filter(|_| self.in_order())?.live.len() as u64);
        found.or_else(counted).unwrap_or(0)
    }

    fn is_text(&self) -> bool {
        self.shape() == Shape::Text
    }

    fn is_code(&self) -> bool {
        matches!(self.shape(), Shape::Code | Shape::Sides)
    }

    fn row_class(&self, row: u64) -> Classes {
        classes!(self.code_class(row), self.kernel_class(row))
    }

    fn sort(&self) -> Option<(usize, bool)> {
        let query = &self.data().query;
        let id = query.sort.as_deref()?;
        let place = self.columns.iter().position(|column| column.id == id)?;
        Some((place, query.descending))
    }

    fn cells(&self, row: u64, widths: &[u32]) -> Option<Vec<Html>> {
        let (place, row) = (row, self.data().rows.row(row)?);
        if self.is_text() {
            // Folded functions leave out lines.
            let number = plain(&(row.index + 1).to_string());
            return Some(vec![number, self.line(place, row)]);
        }
        let flow = self.flow();
        let samples = self.samples();
        let widths = widths.iter().copied().chain(std::iter::repeat(0));
        let cells = self.columns.iter().zip(widths).map(|(column, width)| {
            if let Some(samples) = samples.filter(|_| column.id == SAMPLES) {
                return profile::cell(samples, row.index);
            }
            if let Some(flow) = flow.filter(|_| column.id == LIVE) {
                return data_flow::live(flow, row.index).unwrap_or_default();
            }
            self.data().cell(row, column).map_or_else(
                || plain("…"),
                |found| match (self.shape(), column.id) {
                    (Shape::Code, id) => self.code_cell(id, found, row),
                    (Shape::Sides, id) => {
                        compare::cell(id, found, row).unwrap_or_else(|| cell(found))
                    }
                    (Shape::Table, _)
                        if let Some(cell) =
                            self.kernel_cell((column, width), found, (place, row)) =>
                    {
                        cell
                    }
                    (_, "eu_thread_count") if found.is_default => cell(&Cell::empty()),
                    _ => cell(found),
                },
            )
        });
        Some(cells.collect())
    }

    fn selected(&self) -> Option<u64> {
        match self.shape() {
            Shape::Differences => self.view.difference(),
            _ => self.data().place(),
        }
    }

    fn is_selected(&self, row: u64) -> bool {
        match self.shape() {
            Shape::Differences => return self.view.difference() == Some(row),
            Shape::Sides => {
                let is_it = |to: Option<Span>| to.is_some() && to == self.view.selection.span;
                let row = self.data().rows.row(row);
                return row.is_some_and(|row| row.cells.iter().any(|cell| is_it(cell.span)));
            }
            _ => {}
        }
        let current = self.data().current();
        let rows = current.and_then(|current| Some((current.place?, current.count)));
        rows.is_some_and(|(first, count)| row >= first && row - first < count)
    }

    fn serial(&self) -> u64 {
        u64::from(self.data().returns()) << 32 | u64::from(self.view.selection.serial)
    }

    fn version(&self) -> u64 {
        self.data().rows.version() << 1 | u64::from(self.awaits_flow())
    }

    fn content(&self) -> u64 {
        let of = self.data().query.of;
        of.map_or(0, |of| (u64::from(of.source.0) << 48 ^ of.start) + 1)
    }

    fn opens_at(&self) -> Option<u64> {
        let flow = self.flow().filter(|_| self.in_order())?;
        Some(flow.opens.unwrap_or(0))
    }

    fn is_waiting(&self) -> bool {
        self.data().rows.is_waiting()
    }

    fn need(&self, start: u64, end: u64) {
        if !self.awaits_flow() {
            self.session.0.need_rows(self.list, start, end);
        }
    }

    fn sort_by(&self, column: usize) {
        let column = self.columns.get(column);
        if let Some(column) = column.filter(|column| column.kind != ColumnKind::Bytes) {
            let query = self.data().sorted_by(column);
            self.session.0.set_query(self.list, query);
        }
    }

    fn resize(&self, column: usize, width: Option<u32>) {
        if let Some(column) = self.columns.get(column) {
            self.session.0.set_width(self.list, column.id, width);
        }
    }

    fn move_to(&self, column: usize, to: usize) {
        if let Some(column) = self.columns.get(column) {
            self.session.0.move_column(self.list, column.id, to);
        }
    }

    fn choose(&self, row: u64, column: usize, part: Option<u64>) {
        let known = self.data().rows.row(row);
        match (part, known) {
            (Some(at), Some(row)) if self.shape() == Shape::Code => {
                self.session.0.select_operand(row.entry, at);
            }
            (Some(at), Some(row)) if self.is_text() && row.code.is_some() => {
                self.session.0.select_token(row, at);
            }
            _ => self.session.0.choose_cell(self.list, row, column),
        }
    }

    fn open(&self, row: u64) {
        let (session, known) = (&self.session.0, self.data().rows.row(row));
        let panel = match self.list.declaration().opens {
            Opens::Nothing => return,
            Opens::OtherFile => {
                let from = known.and_then(|row| row.cells.iter().find_map(|cell| cell.base));
                return match from {
                    Some(from) => session.show_in_base(from),
                    None => session.notice("This row has no bytes in the other file."),
                };
            }
            Opens::Code => {
                if let Some(row) = known {
                    session.open_code_of(row.entry);
                }
                return;
            }
            Opens::Fold => {
                let start = known.and_then(|row| self.loop_start(row.entry));
                let found = self.flow().zip(start);
                if let Some(found) = found.and_then(|(flow, start)| flow.loop_at(start)) {
                    session.fold_loop(found.start);
                }
                return;
            }
            Opens::Group => {
                if let Some(row) = known {
                    session.open_size_row(row);
                }
                return;
            }
            Opens::List(list) => PanelId::List(list),
            Opens::Overview => PanelId::Overview,
            Opens::Verdict => {
                if let Some(device) = known.and_then(|row| row.cells.first()) {
                    session.verdict_on(&device.value.text());
                }
                PanelId::Overview
            }
        };
        if row < self.rows() {
            session.run(Command::Panel(panel));
        }
    }

    fn copy(&self, row: u64, column: usize, rows: Option<(u64, u64)>) -> bool {
        if self.is_text() {
            self.session.0.copy_lines();
            return true;
        }
        if rows.is_some() {
            self.session.0.copy_rows(self.list, rows);
            return true;
        }
        let row = self.data().rows.row(row).zip(self.columns.get(column));
        let cell = row.and_then(|(row, column)| self.data().cell(row, column));
        if let Some(cell) = cell {
            self.session.0.copy(cell.value.text().into_owned(), "Cell");
        }
        cell.is_some()
    }
}
