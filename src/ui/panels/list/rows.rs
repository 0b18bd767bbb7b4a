//! Rows and cells of a list.

use yew::prelude::*;

use super::names::names;
use crate::model::Span;
use crate::model::text::escaped;
use crate::tables::lines::LINE_SHOWN;
use crate::tables::{Cell, CellValue, Column, ColumnKind, ListId, Row};
use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::components::{GridColumn, GridData, plain, shortened, span_button};
use crate::ui::panels::assembly::{self, InstructionContext, Register};
use crate::ui::panels::compare;
use crate::ui::panels::data_flow;
use crate::ui::panels::profile;
use crate::ui::session::SessionContext;
use crate::ui::state::commands::Command;
use crate::ui::state::list::{LIVE, List, SAMPLES, parts, rest, text};
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;
use crate::worker::protocol::{CodeSamples, FlowOverview};

/// Maximum width of a fitted column of code, in characters.
const LONGEST: u32 = 240;

/// Maximum number of bytes shown in a cell.
const BYTES: usize = 24;

/// Maximum width of the kernel name column, in characters.
const LONGEST_NAME: u32 = 64;

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
    fn data(&self) -> &List {
        self.view.lists.get(self.list)
    }

    /// The samples of the visible code.
    fn samples(&self) -> Option<&CodeSamples> {
        let of = self.data().query.of;
        let is_code = self.list == ListId::Instructions;
        let samples = self.view.profile.samples_of(of.filter(|_| is_code));
        samples.map(|samples| &**samples)
    }

    /// Width of a column's cells, in characters.
    fn width(&self, column: &Column) -> u32 {
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
        if column.id == LIVE {
            return 10;
        }
        // Loops have a button.
        if column.id == "offset" && self.flow().is_some() {
            return column.width + 1;
        }
        if column.id == SAMPLES {
            return 8 + self.samples().map_or(0, profile::digits);
        }
        if column.id == "jumps" {
            // The title needs room.
            return (largest as u32).max(4);
        }
        // As wide as the longest loaded cell.
        if self.list == ListId::Instructions
            && let Some(longest) = self.data().longest(column.id)
        {
            // A mark has a border.
            let least = if column.id == "label" { 8 } else { 5 };
            return longest.clamp(least, LONGEST);
        }
        if self.list == ListId::Kernels
            && let Some(longest) = self.data().longest(column.id)
        {
            return longest.clamp(12, LONGEST_NAME);
        }
        let width = match column.width {
            0 => format::grouped(largest as u64).chars().count() as u32 + mark,
            width => width,
        };
        // Several values of a group are shown side by side.
        let several = self.data().longest(column.id).unwrap_or(0);
        width.max(several)
    }

    /// The width in a narrow panel: operands take precedence over the columns beside them.
    fn tight(&self, column: &Column) -> Option<u32> {
        if self.list != ListId::Instructions {
            return None;
        }
        match column.id {
            "offset" | SAMPLES => Some(self.width(column)),
            "jumps" => Some((self.data().maximum("jumps") as u32).max(1)),
            "label" => Some(self.data().longest("label").unwrap_or(0).clamp(5, LONGEST)),
            // The summary says where most are live.
            LIVE => Some(0),
            "text" => Some(self.data().tight().clamp(5, LONGEST)),
            _ => None,
        }
    }

    /// A cell of an instruction.
    fn code_cell(&self, id: &str, found: &Cell<'_>, row: &Row) -> Html {
        let query = &self.data().query;
        let in_order = self.in_order();
        let start = self.loop_start(row.entry);
        let flow = self.flow();
        let context = InstructionContext {
            parts: &row.parts,
            of: query.of,
            lit: self.lit,
            related: data_flow::relation_of(self.data().detail(), row.entry),
            loop_mark: flow
                .zip(start)
                .and_then(|(flow, start)| data_flow::loop_mark(flow, start, query.folded())),
        };
        let drawn = assembly::cell(id, found, &context, in_order);
        let drawn = drawn.unwrap_or_else(|| cell(found));
        if id != "offset" {
            return drawn;
        }
        let fold = flow
            .zip(start)
            .and_then(|(flow, start)| data_flow::fold_of(flow, start, query.folded()));
        let sign = context.related;
        html! { <>
            <>{ fold }</>
            <>{ sign.map(|related| data_flow::sign(related.relation)) }</>
            { drawn }
        </> }
    }

    /// Whether the rows are in the order of the code, apart from folded loops.
    fn in_order(&self) -> bool {
        let query = &self.data().query;
        query.filter.is_empty() && query.sort.is_none()
    }

    /// The data flow of the visible code.
    fn flow(&self) -> Option<&FlowOverview> {
        let code = self.view.flow();
        code.filter(|_| self.list == ListId::Instructions)
            .map(|flow| &**flow)
    }

    fn awaits_flow(&self) -> bool {
        self.list == ListId::Instructions && self.view.awaits_flow()
    }

    /// The offset of an instruction in the code, as that of a loop that can be folded.
    fn loop_start(&self, entry: Span) -> Option<u32> {
        let of = self.data().query.of.filter(|_| self.in_order())?;
        u32::try_from(entry.start.checked_sub(of.start)?).ok()
    }

    /// Columns of a text: line number and line.
    fn text_columns(&self) -> Vec<GridColumn> {
        let digits = self.rows().max(100).to_string().len() as u32;
        let longest = self.data().maximum("text") as u64;
        // A long line also has a button.
        let is_cut = longest > LINE_SHOWN;
        let most = longest.min(LINE_SHOWN) as u32 + 24 * u32::from(is_cut);
        let column = |number, width| GridColumn {
            number,
            width,
            grows: !number,
            ..GridColumn::default()
        };
        vec![column(true, digits), column(false, most)]
    }

    /// A line, with the selection marked; a button stands for the rest of a long line.
    fn line(&self, place: u64, line: &Row) -> Html {
        let is_one = self.data().current().is_some_and(|row| row.count == 1);
        let is_current = is_one && self.is_selected(place);
        let selected = self.view.selection.span.filter(|_| is_current);
        html! { <>
            if let Some([before, within, behind]) = selected.and_then(|span| parts(line, span)) {
                { tabbed(before) }<mark>{ tabbed(within) }</mark>{ tabbed(behind) }
            } else {
                { tabbed(text(line)) }
            }
            { for rest(line).map(|rest| {
                let label = format!("… {} more", format::bytes(rest.len()));
                span_button("btn2", rest, plain(&label))
            }) }
        </> }
    }
}

/// Text with control characters escaped, except for tabs.
fn tabbed(text: &str) -> Html {
    let parts: Vec<String> = text.split('\t').map(escaped).collect();
    plain(&parts.join("\t"))
}

fn cell(cell: &Cell<'_>) -> Html {
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
        CellValue::Empty | CellValue::Text(_) | CellValue::Bool(false) => ("dim", "–".to_owned()),
        CellValue::Unknown { reason, .. } => ("", reason.word().to_owned()),
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
        match (self.list, &self.view.texts.shown) {
            (ListId::Lines, Some(text)) => escaped(&text.name),
            _ => names(self.list).title.to_owned(),
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
                title: column.title.to_owned(),
                unit: column.unit.to_owned(),
                doc: format!("{}: {}", column.id, column.doc),
                number: column.kind == ColumnKind::Number,
                sorts: column.kind != ColumnKind::Bytes,
                width: self.width(column),
                tight: self.tight(column),
                set: self.data().width(column.id),
                grows: is_words && (column.width >= 24 || place == 0 && self.width(column) >= 20),
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
        self.list == ListId::Lines
    }

    fn is_code(&self) -> bool {
        matches!(self.list, ListId::Instructions | ListId::Changes)
    }

    fn sort(&self) -> Option<(usize, bool)> {
        let query = &self.data().query;
        let id = query.sort.as_deref()?;
        let place = self.columns.iter().position(|column| column.id == id)?;
        Some((place, query.descending))
    }

    fn cells(&self, row: u64) -> Option<Vec<Html>> {
        let (place, row) = (row, self.data().rows.row(row)?);
        if self.is_text() {
            return Some(vec![plain(&(place + 1).to_string()), self.line(place, row)]);
        }
        let flow = self.flow();
        let samples = self.samples();
        let cells = self.columns.iter().map(|column| {
            if let Some(samples) = samples.filter(|_| column.id == SAMPLES) {
                return profile::cell(samples, row.index);
            }
            if let Some(flow) = flow.filter(|_| column.id == LIVE) {
                return data_flow::live(flow, row.index).unwrap_or_default();
            }
            self.data().cell(row, column).map_or_else(
                || plain("…"),
                |found| match column.id {
                    id if self.list == ListId::Instructions => self.code_cell(id, found, row),
                    id if self.list == ListId::Changes => {
                        compare::cell(id, found, row).unwrap_or_else(|| cell(found))
                    }
                    "eu_thread_count" if found.is_default => cell(&Cell::empty()),
                    _ => cell(found),
                },
            )
        });
        Some(cells.collect())
    }

    fn selected(&self) -> Option<u64> {
        match self.list {
            ListId::Differences => self.view.difference(),
            _ => self.data().place(),
        }
    }

    fn is_selected(&self, row: u64) -> bool {
        match self.list {
            ListId::Differences => return self.view.difference() == Some(row),
            ListId::Changes => {
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
            (Some(at), Some(row)) if self.list == ListId::Instructions => {
                self.session.0.select_operand(row.entry, at);
            }
            _ => self.session.0.choose_cell(self.list, row, column),
        }
    }

    fn open(&self, row: u64) {
        if self.list == ListId::Changes {
            let row = self.data().rows.row(row);
            let from = row.and_then(|row| row.cells.iter().find_map(|cell| cell.base));
            return match from {
                Some(from) => self.session.0.show_in_base(from),
                None => self
                    .session
                    .0
                    .notice("This row has no bytes in the other file."),
            };
        }
        let panel = match self.list {
            ListId::Kernels => {
                if let Some(row) = self.data().rows.row(row) {
                    self.session.0.open_code_of(row.entry);
                }
                return;
            }
            ListId::Instructions => {
                let row = self.data().rows.row(row);
                let start = row.and_then(|row| self.loop_start(row.entry));
                let found = self.flow().zip(start);
                if let Some(found) = found.and_then(|(flow, start)| flow.loop_at(start)) {
                    self.session.0.fold_loop(found.start);
                }
                return;
            }
            ListId::Modules => PanelId::Properties,
            ListId::Images => PanelId::Overview,
            ListId::Devices => {
                let device = self.data().rows.row(row).and_then(|row| row.cells.first());
                if let Some(device) = device {
                    self.session.0.verdict_on(&device.value.text());
                }
                PanelId::Overview
            }
            _ => return,
        };
        if row < self.rows() {
            self.session.0.run(Command::Panel(panel));
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
