//! The kernel table: what each kernel needs, and what may make it slow.

use std::rc::Rc;

use yew::prelude::*;

use super::PanelProps;
use super::kernel_ruler::{payload_words, ruler};
use crate::model::Severity;
use crate::model::kernels::columns::{COLUMNS, Cell, Column, ColumnKind};
use crate::model::kernels::query::Query;
use crate::model::kernels::{Hazard, HazardKind, KernelRow};
use crate::model::text::escaped;
use crate::ui::components::{
    DataGrid, GridColumn, GridData, GridSource, button, plain, prose, shortened,
};
use crate::ui::hooks::{SessionContext, set_text, text_of, use_change, use_later};
use crate::ui::kernel_table::{KernelTable, cell_span, hazard_column, is_default};
use crate::ui::selection::Via;
use crate::ui::shared::Shared;
use crate::ui::state::View;
use crate::ui::words;

/// The id of the field that filters.
const FIELD: &str = "kernel-filter";
/// The table follows what is typed after so many milliseconds.
const PAUSE: i32 = 120;

/// The words that mark a hazard in its column.
pub(super) fn hazard_mark(hazard: &Hazard) -> Html {
    let (class, word) = match hazard.kind {
        HazardKind::HeavySpills => ("mark err", "spills"),
        HazardKind::Spills => ("mark warn", "spills"),
        HazardKind::Private => ("mark warn", "private"),
        HazardKind::LargeGrf => ("mark warn", "large"),
        HazardKind::LargeSlm => ("mark err", "> 64 KB"),
    };
    html! { <span {class} title={hazard.text.to_string()}>{ word }</span> }
}

struct Grid {
    session: SessionContext,
    view: Shared<View>,
    columns: Vec<&'static Column>,
}

impl Grid {
    fn table(&self) -> &KernelTable {
        &self.view.kernels
    }

    fn cell(&self, row: &KernelRow, column: &Column) -> Html {
        let id = column.id;
        if id == "name" {
            return name(row);
        }
        let class = if is_default(row, id) { "dim" } else { "" };
        let title = (!class.is_empty()).then_some("default: the file does not say it");
        let text = match column.cell(row) {
            // It has no default.
            _ if id == "simd_size" && row.simd_size.span.is_none() => "–".to_owned(),
            Cell::Int(number) if number < 0 => number.to_string(),
            Cell::Int(number) => words::grouped(number.unsigned_abs()),
            Cell::Bool(yes) => (if yes { "yes" } else { "–" }).to_owned(),
            cell => escaped(&cell.text()),
        };
        let mark = row.hazards.iter().find(|h| hazard_column(h.kind) == id);
        let is_slot = row.from_scratch_slots
            && matches!(id, "spill_size" | "private_size")
            && cell_span(row, id).is_some();
        html! { <>
            if is_slot {
                <span class="mark" title="The size of the scratch slot: ze_info is older than 1.39.">{ "slot" }</span>
            }
            { for mark.map(hazard_mark) }
            <span {class} {title}>{ text }</span>
        </> }
    }

    /// How wide a column's cells are, in characters.
    fn width(&self, column: &Column) -> u32 {
        let table = self.table();
        let largest = table.maximum(column.id);
        let marked = match column.id {
            "spill_size" | "private_size" if largest > 0.0 => 10,
            "grf_count" if largest > 128.0 => 8,
            "slm_size" if largest > 65536.0 => 10,
            _ => 0,
        };
        match (column.id, column.kind) {
            ("name", _) => 20,
            ("demangled", _) => 28,
            ("flags" | "hazards", _) => 26,
            (_, ColumnKind::Number) => {
                let digits = words::grouped(largest as u64).chars().count() as u32;
                let fraction = 3 * u32::from(column.id == "spill_dwords_per_lane");
                digits + fraction + marked
            }
            (_, ColumnKind::Ints) => 12,
            _ => 5,
        }
    }
}

/// A kernel's name; where it is mangled, the way people write it.
fn name(row: &KernelRow) -> Html {
    html! {
        <span class="kernel-name" title={escaped(&row.name.value)}>
            if row.is_function { <span class="mark" title="A function that other modules can call.">{ "fn" }</span> }
            { shortened(&escaped(row.title())) }
        </span>
    }
}

impl GridData for Grid {
    fn label(&self) -> String {
        "Kernels".to_owned()
    }

    fn columns(&self) -> Vec<GridColumn> {
        let grid = |column: &&'static Column| GridColumn {
            title: column.title.to_owned(),
            unit: column.unit.to_owned(),
            doc: match column.id {
                "name" => column.doc.to_owned(),
                id => format!("{id}: {}", column.doc),
            },
            number: column.kind == ColumnKind::Number,
            sorts: true,
            width: self.width(column),
            grows: matches!(column.id, "name" | "flags"),
        };
        self.columns.iter().map(grid).collect()
    }

    fn rows(&self) -> u64 {
        self.table().rows.found.unwrap_or(0)
    }

    fn sort(&self) -> Option<(usize, bool)> {
        let query = &self.table().query;
        let id = query.sort.as_deref()?;
        let place = self.columns.iter().position(|column| column.id == id)?;
        Some((place, query.descending))
    }

    fn cells(&self, row: u64) -> Option<Vec<Html>> {
        let row = self.table().rows.row(row)?;
        let cells = self.columns.iter().map(|column| self.cell(row, column));
        Some(cells.collect())
    }

    fn selected(&self) -> Option<u64> {
        self.table().current?.place
    }

    fn serial(&self) -> u64 {
        u64::from(self.view.selection.serial)
    }

    fn version(&self) -> u64 {
        self.table().rows.version()
    }

    fn is_waiting(&self) -> bool {
        self.table().rows.is_waiting()
    }

    fn need(&self, start: u64, end: u64) {
        self.session.0.need_kernels(start, end);
    }

    fn sort_by(&self, column: usize) {
        if let Some(column) = self.columns.get(column) {
            let query = self.table().sorted_by(column);
            self.session.0.set_kernel_query(query);
        }
    }

    fn choose(&self, row: u64, column: usize) {
        let Some(kernel) = self.table().rows.row(row) else {
            return self.session.0.go_to_kernel(row);
        };
        let cell = match self.columns.get(column) {
            Some(column) if column.id != "name" => cell_span(kernel, column.id),
            _ => None,
        };
        let span = cell.unwrap_or(kernel.entry);
        self.session.0.select_span(span, Via::Jump);
    }

    fn open(&self, row: u64) {
        if row < self.rows() {
            self.session.0.kernel_act("page");
        }
    }
}

/// The table of the kernels.
#[component]
pub fn Kernels(props: &PanelProps) -> Html {
    let session = &props.session;
    let table = &props.view.kernels;
    let serial = u64::from(props.view.selection.serial);
    let opened = Shared::from(&props.view.opened).address();
    let here = session.clone();
    let filter = table.query.filter.clone();
    let recall = move || {
        set_text(FIELD, &filter);
        here.0.recall_columns();
    };
    use_change([opened, 0, 0, 0], Box::new(recall));
    let here = session.clone();
    use_change(
        [serial, u64::from(table.rows.generation), opened, 0],
        Box::new(move || here.0.follow_kernels()),
    );
    let later = use_later();
    let (here, before) = (session.clone(), table.query.clone());
    let oninput = Callback::from(move |_: InputEvent| {
        let (here, before) = (here.clone(), before.clone());
        let filter = move || {
            here.0.set_kernel_query(Query {
                filter: text_of(FIELD).trim().to_owned(),
                ..before
            });
        };
        later.after(PAUSE, Box::new(filter));
    });
    let grid = Grid {
        session: session.clone(),
        view: props.view.clone(),
        columns: table.shown(),
    };
    let source = GridSource(Rc::new(grid));
    if let Some(why) = &table.failed {
        return nothing(&props.view, why);
    }
    html! {
        <div class="panel kernels">
            { bar(table, oninput) }
            <DataGrid id="kernels" {source} />
            if table.rows.found == Some(0) && table.kernels + table.functions > 0 {
                <p class="none">{ if table.query.filter.is_empty() { "There are functions only." } else { "No kernel fits the filter." } }</p>
            } else if table.rows.found == Some(0) {
                <p class="none">{ "The list of kernels is empty." }</p>
            }
            { strip(&props.view) }
        </div>
    }
}

/// There is no table for this document.
fn nothing(view: &View, why: &AttrValue) -> Html {
    let nested = !view.opened.summary.has.kernels;
    html! {
        <div class="panel calm">
            <p>{ prose(why) }</p>
            <p class="dim">
                { if nested { "Choose a device image in the structure: its kernels are shown here." }
                  else { "A .ze_info section would describe them." } }
            </p>
        </div>
    }
}

/// The line above the table.
fn bar(table: &KernelTable, oninput: Callback<InputEvent>) -> Html {
    let all = table.kernels
        + if table.query.functions {
            table.functions
        } else {
            0
        };
    let found = table.rows.found.unwrap_or(all);
    let count = words::counted(all, "kernel", "kernels");
    let said = match found < all {
        true => format!("{} of {count}", words::grouped(found)),
        false => count,
    };
    html! {
        <div class="filters">
            <input id={FIELD} type="search" placeholder="Name, flag, or spill_size>0" aria-label="Filter kernels"
                   title="Words that all must be met: a part of a name, flag or hazard, or a comparison of a column: spill_size>0, simd_size==16, name!=x"
                   {oninput} />
            if table.functions > 0 {
                <button type="button" class="toggle info" aria-pressed={table.query.functions.to_string()}
                        data-do="kernels" data-with="functions">
                    { words::counted(table.functions, "function", "functions") }
                </button>
            }
            <span class="dim" role="status">
                if table.rows.found.is_none() { { "…" } } else { { said } }
            </span>
            <span class="grow" />
            { columns(table) }
            { acts() }
            { trouble(table.trouble.as_ref()) }
        </div>
    }
}

fn columns(table: &KernelTable) -> Html {
    let shown = table.shown();
    html! {
        <details class="menu" name="kernel-menu">
            <summary class="btn2">{ "Columns" }</summary>
            <div class="pop">
                <div class="choices" role="group" aria-label="Columns">
                    { for COLUMNS.iter().filter(|column| column.id != "name").map(|column| {
                        let on = shown.iter().any(|other| other.id == column.id);
                        html! {
                            <button key={column.id} type="button" class="choice" role="checkbox" aria-checked={on.to_string()}
                                    title={column.doc} data-do="kernels" data-with={format!("column {}", column.id)}>
                                <span aria-hidden="true">{ if on { "☑" } else { "☐" } }</span>
                                { column.header() }
                                if column.header() != column.id { <span class="dim mono">{ column.id }</span> }
                            </button>
                        }
                    }) }
                </div>
                <div class="foot">{ button("btn2", "kernels", "usual".to_owned(), plain("The usual ones")) }</div>
            </div>
        </details>
    }
}

fn acts() -> Html {
    let acts = [
        ("tabs", "Copy for a spreadsheet"),
        ("markdown", "Copy as Markdown"),
        ("csv", "Save CSV"),
        ("md", "Save Markdown"),
        ("json", "Save JSON"),
    ];
    let act =
        |(what, label): (&str, &str)| button("btn2", "kernels", what.to_owned(), plain(label));
    export(
        acts.into_iter().map(act).collect(),
        "The rows and columns as they are shown; JSON has all columns.",
    )
}

/// The menu of ways to take a table along.
pub(super) fn export(acts: Vec<Html>, note: &'static str) -> Html {
    html! {
        <details class="menu" name="kernel-menu">
            <summary class="btn2">{ "Copy, save" }</summary>
            <div class="pop acts">
                { for acts }
                <p class="dim small">{ note }</p>
            </div>
        </details>
    }
}

/// What is wrong with a filter.
pub(super) fn trouble(trouble: Option<&AttrValue>) -> Html {
    let Some(trouble) = trouble else {
        return Html::default();
    };
    html! {
        <p class="trouble warn" role="alert"><span aria-hidden="true">{ words::severity_sign(Severity::Warning) }</span>{ " " }{ escaped(trouble) }</p>
    }
}

/// Below the table: the kernel that is looked at.
fn strip(view: &View) -> Html {
    let Some(detail) = &view.kernels.detail else {
        return Html::default();
    };
    html! {
        <section class="strip" aria-label="The chosen kernel">
            <div class="strip-head">
                <h2 title={escaped(&detail.row.name.value)}>{ shortened(&escaped(detail.row.title())) }</h2>
                <span class="dim said">{ payload_words(detail) }</span>
                { button("btn2", "kernels", "name".to_owned(), plain("Copy name")) }
                { button("btn2", "kernels", "page".to_owned(), plain("All of it")) }
            </div>
            { ruler(detail, view.selection.span) }
        </section>
    }
}
