//! Relocations and symbols: what refers to what, in both directions; and what can be read as it
//! stands in the file, line by line.

use std::rc::Rc;

use yew::prelude::*;

use super::PanelProps;
use super::kernels::{export, trouble};
use crate::model::linkage::list::{Cell, Kind, ListId, Query, Row};
use crate::model::text::escaped;
use crate::ui::components::{
    DataGrid, GridColumn, GridData, GridSource, button, plain, prose, shortened, span_button,
};
use crate::ui::hooks::{FIND, SessionContext, set_text, text_of, use_change, use_later, value_of};
use crate::ui::lists::{List, Lists, parts};
use crate::ui::shared::Shared;
use crate::ui::state::View;
use crate::ui::words;
use crate::worker::protocol::{self, LINE_SHOWN};

/// A list follows what is typed after so many milliseconds.
const PAUSE: i32 = 120;

/// How a list is called, in the page and in its elements.
struct Names {
    /// The grid; the buttons say it too.
    id: &'static str,
    /// The field that filters, or finds.
    field: &'static str,
    title: &'static str,
    one: &'static str,
    /// What can be typed into the field.
    hint: &'static str,
    none: &'static str,
}

static NAMES: [Names; 3] = [
    Names {
        id: "relocations",
        field: "relocations-filter",
        title: "Relocations",
        one: "relocation",
        hint: "Name, or offset>0x40",
        none: "There are no relocations: nothing has to be patched when this is loaded.",
    },
    Names {
        id: "symbols",
        field: "symbols-filter",
        title: "Symbols",
        one: "symbol",
        hint: "Name, kind, or size>0",
        none: "There are no symbols.",
    },
    Names {
        id: "lines",
        field: FIND,
        title: "Text",
        one: "line",
        hint: "Find in this text",
        none: "There is no readable text in this.",
    },
];

fn names(list: ListId) -> &'static Names {
    let [relocations, symbols, lines] = &NAMES;
    match list {
        ListId::Relocations => relocations,
        ListId::Symbols => symbols,
        ListId::Lines => lines,
    }
}

impl Names {
    fn counted(&self, count: u64) -> String {
        words::counted(count, self.one, self.many())
    }

    fn many(&self) -> &'static str {
        self.id
    }

    fn button(&self, what: &str, label: &str) -> Html {
        button("btn2", "list", format!("{} {what}", self.id), plain(label))
    }
}

/// What a column means, and its width in characters.
fn about(list: ListId, id: &str) -> (&'static str, u32) {
    match (list, id) {
        (ListId::Relocations, "symbol") => ("The symbol whose address is patched in.", 20),
        (ListId::Relocations, "type") => ("What is patched, and how.", 18),
        (ListId::Relocations, "section") => ("The section that is patched.", 20),
        (_, "offset") => ("Where in that section.", 8),
        (_, "addend") => ("What is added to the address.", 7),
        (_, "bytes") => ("The bytes that are patched, as they are in the file.", 24),
        (_, "place") => ("Where the symbol is.", 20),
        (_, "name") => ("The symbol's name, as the file has it.", 24),
        (_, "type") => ("What the symbol stands for.", 8),
        (_, "binding") => ("How it is linked.", 7),
        (_, "visibility") => ("Who can see it.", 9),
        (_, "section") => ("The section where it is.", 20),
        (_, "value") => ("Its offset in its section; an address in a debug zebin.", 8),
        (_, "size") => ("How many bytes it stands for.", 8),
        (_, "kernel") => ("The kernel whose code it is in.", 16),
        _ => ("So many relocations refer to it.", 3),
    }
}

/// A list.
pub(super) fn list(list: ListId, props: &PanelProps) -> Html {
    html! { <Panel key={names(list).id} {list} panel={props.clone()} /> }
}

#[derive(Properties, Clone, PartialEq)]
struct Props {
    list: ListId,
    panel: PanelProps,
}

struct Grid {
    session: SessionContext,
    view: Shared<View>,
    list: ListId,
}

impl Grid {
    fn data(&self) -> &List {
        self.view.lists.get(self.list)
    }
}

fn cell(cell: &Cell, kind: Kind) -> Html {
    let title = cell.other.as_ref().map(|other| escaped(other));
    match (&*cell.text, kind) {
        ("", _) => plain("–"),
        (text, Kind::Number) => {
            let number = text.parse().map(words::grouped);
            plain(&number.unwrap_or_else(|_| text.to_owned()))
        }
        (text, Kind::Bytes) => html! { <span class="mono">{ text }</span> },
        (text, _) => html! { <span class="name-cell" {title}>{ shortened(&escaped(text)) }</span> },
    }
}

impl Grid {
    /// A line: what is selected in it is marked, and the rest of a long one is a button.
    fn line(&self, line: &Row) -> Html {
        let is_one = self.data().current.as_ref().is_some_and(|c| c.count == 1);
        let selected = self.view.selection.span.filter(|_| is_one);
        let cell = line.cells.first();
        let rest = cell.and_then(|cell| cell.to);
        html! { <>
            if let Some([before, within, behind]) = selected.and_then(|span| parts(line, span)) {
                { shown(before) }<mark>{ shown(within) }</mark>{ shown(behind) }
            } else {
                { for cell.map(|cell| shown(&cell.text)) }
            }
            { for rest.map(|rest| {
                let label = format!("… {} more", words::bytes(rest.len()));
                span_button("btn2", rest, plain(&label))
            }) }
        </> }
    }
}

/// Text in which nothing plays tricks; tabs stay.
fn shown(text: &str) -> Html {
    let parts: Vec<String> = text.split('\t').map(escaped).collect();
    plain(&parts.join("\t"))
}

impl GridData for Grid {
    fn label(&self) -> String {
        match (self.list, &self.view.lists.text) {
            (ListId::Lines, Some(text)) => escaped(&text.name),
            _ => names(self.list).title.to_owned(),
        }
    }

    fn columns(&self) -> Vec<GridColumn> {
        if self.is_text() {
            let digits = self.rows().max(100).to_string().len() as u32;
            let longest = self.data().longest;
            // A long one has a button too.
            let most = longest.min(LINE_SHOWN) as u32 + 24 * u32::from(longest > LINE_SHOWN);
            let column = |number, width| GridColumn {
                number,
                width,
                grows: !number,
                ..GridColumn::default()
            };
            return vec![column(true, digits), column(false, most)];
        }
        let columns = self.list.columns().iter().enumerate();
        columns
            .map(|(place, column)| {
                let (doc, width) = about(self.list, column.id);
                GridColumn {
                    title: column.title.to_owned(),
                    unit: column.unit.to_owned(),
                    doc: format!("{}: {doc}", column.id),
                    number: column.kind == Kind::Number,
                    sorts: column.kind != Kind::Bytes,
                    width,
                    grows: place == 0,
                }
            })
            .collect()
    }

    fn rows(&self) -> u64 {
        self.data().pages.found.unwrap_or(0)
    }

    fn is_text(&self) -> bool {
        self.list == ListId::Lines
    }

    fn is_selected(&self, row: u64) -> bool {
        let lines = self.data().current.as_ref();
        let lines = lines.and_then(|c| Some((c.place?, if self.is_text() { c.count } else { 1 })));
        lines.is_some_and(|(first, count)| row >= first && row - first < count)
    }

    fn sort(&self) -> Option<(usize, bool)> {
        let query = &self.data().query;
        let id = query.sort.as_deref()?;
        let columns = self.list.columns();
        let place = columns.iter().position(|column| column.id == id)?;
        Some((place, query.descending))
    }

    fn cells(&self, row: u64) -> Option<Vec<Html>> {
        let (place, row) = (row, self.data().pages.row(row)?);
        if self.is_text() {
            return Some(vec![plain(&(place + 1).to_string()), self.line(row)]);
        }
        let cells = row.cells.iter().zip(self.list.columns());
        Some(
            cells
                .map(|(text, column)| cell(text, column.kind))
                .collect(),
        )
    }

    fn selected(&self) -> Option<u64> {
        self.data().place()
    }

    fn serial(&self) -> u64 {
        u64::from(self.view.selection.serial)
    }

    fn version(&self) -> u64 {
        self.data().pages.version()
    }

    fn is_waiting(&self) -> bool {
        self.data().pages.is_waiting()
    }

    fn need(&self, start: u64, end: u64) {
        self.session.0.need_list(self.list, start, end);
    }

    fn sort_by(&self, column: usize) {
        let columns = self.list.columns();
        if let Some(column) = columns.get(column).filter(|c| c.kind != Kind::Bytes) {
            let query = self.data().sorted_by(column.id, column.kind);
            self.session.0.set_list_query(self.list, query);
        }
    }

    fn choose(&self, row: u64, column: usize) {
        self.session.0.choose_in_list(self.list, row, column);
    }

    fn copy(&self, row: u64, column: usize) -> bool {
        if self.is_text() {
            self.session.0.list_act("lines lines");
            return true;
        }
        let known = self.data().pages.row(row);
        let cell = known.and_then(|row| row.cells.get(column));
        if let Some(cell) = cell {
            let text = cell.other.as_ref().unwrap_or(&cell.text);
            self.session.0.copy(text.clone(), "Cell");
        }
        cell.is_some()
    }
}

#[component]
fn Panel(props: &Props) -> Html {
    let list = props.list;
    let names = names(list);
    let is_text = list == ListId::Lines;
    let (session, view) = (&props.panel.session, &props.panel.view);
    let data = view.lists.get(list);
    let opened = Shared::from(&view.opened).address();
    let filter = data.query.filter.clone();
    let filled = u64::from(data.pages.generation);
    let refill = if is_text { 0 } else { filled };
    use_change(
        [opened, refill, 0, 0],
        Box::new(move || {
            // Not while somebody types: what is typed is what is filtered by.
            if text_of(names.field).trim() != filter {
                set_text(names.field, &filter);
            }
        }),
    );
    let here = session.clone();
    use_change(
        [u64::from(view.selection.serial), filled, opened, 0],
        Box::new(move || here.0.follow_list(list)),
    );
    let later = use_later();
    let (here, before) = (session.clone(), data.query.clone());
    let oninput = Callback::from(move |_: InputEvent| {
        let (here, before) = (here.clone(), before.clone());
        let filter = move || {
            if is_text {
                return here.0.find_in_text(true, true);
            }
            let filter = text_of(names.field).trim().to_owned();
            here.0.set_list_query(list, Query { filter, ..before });
        };
        later.after(PAUSE, Box::new(filter));
    });
    let here = session.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if is_text && event.key() == "Enter" && !event.is_composing() {
            event.prevent_default();
            here.0.find_in_text(!event.shift_key(), false);
        }
    });
    let here = session.clone();
    let onchange = Callback::from(move |event: Event| here.0.choose_text(&value_of(&event)));
    let is_empty = match is_text {
        true => view.lists.text.is_none(),
        false => data.total == 0 && data.pages.found == Some(0) && data.query.filter.is_empty(),
    };
    let waits = is_text && is_empty && view.lists.texts_of.is_none();
    if let Some(why) = &data.failed {
        return nothing(view, why);
    }
    if is_empty {
        return nothing(view, if waits { "…" } else { names.none });
    }
    let grid = Grid {
        session: session.clone(),
        view: view.clone(),
        list,
    };
    let source = GridSource(Rc::new(grid));
    let field = html! {
        <input id={names.field} type="search" placeholder={names.hint}
               aria-label={if is_text { names.hint.to_owned() } else { format!("Filter {}", names.many()) }}
               title={(!is_text).then_some("Words that all must be met: a part of any text, or a comparison of a column: size>0, section==.text.vecadd")}
               {oninput} {onkeydown} />
    };
    html! {
        <div class="panel kernels">
            <div class="filters">
                if is_text {
                    { picker(&view.lists, onchange) }
                    { status(data, names) }
                    <span class="grow" />
                    <span class="find">{ field }{ matches(&view.lists) }</span>
                } else {
                    { field }
                    { status(data, names) }
                    <span class="grow" />
                }
                { acts(names, is_text) }
                { trouble(data.trouble.as_ref()) }
            </div>
            <DataGrid key={names.id} id={names.id} {source} />
            if !is_text {
                if data.pages.found == Some(0) {
                    <p class="none">{ format!("No {} fits the filter.", names.one) }</p>
                }
                { strip(data, names) }
            }
        </div>
    }
}

/// There is nothing in the list.
fn nothing(view: &View, why: &str) -> Html {
    let nested = !matches!(&*view.opened.summary.format, "zebin" | "elf");
    html! {
        <div class="panel calm">
            <p>{ prose(why) }</p>
            if nested { <p class="dim">{ "What is in a device image is shown when it is chosen in the structure." }</p> }
        </div>
    }
}

/// How many rows there are.
fn status(data: &List, names: &Names) -> Html {
    let found = data.pages.found.unwrap_or(data.total);
    let count = names.counted(data.total);
    let said = match (data.pages.found, found < data.total) {
        (None, _) => "…".to_owned(),
        (_, true) => format!("{} of {count}", words::grouped(found)),
        (_, false) => count,
    };
    html! { <>
        <span class="dim" role="status">{ said }</span>
        if data.left_out > 0 {
            <span class="warn">{ format!("▲ {} more are not shown", words::grouped(data.left_out)) }</span>
        }
    </> }
}

fn acts(names: &Names, is_text: bool) -> Html {
    let acts: &[(&str, &str)] = match is_text {
        true => &[
            ("lines", "Copy the selected lines"),
            ("all", "Copy all of it"),
            ("save", "Save it"),
        ],
        false => &[
            ("tabs", "Copy for a spreadsheet"),
            ("markdown", "Copy as Markdown"),
            ("csv", "Save CSV"),
            ("md", "Save Markdown"),
        ],
    };
    let note = match is_text {
        true => "Ctrl+C copies the selected lines.",
        false => "The rows as they are shown. Ctrl+C copies one cell.",
    };
    let acts = acts.iter().map(|(what, label)| names.button(what, label));
    export(acts.collect(), note)
}

/// Below the list: the row that is looked at, and what belongs to it.
fn strip(data: &List, names: &Names) -> Html {
    let Some(current) = &data.current else {
        return Html::default();
    };
    let all = words::counted(current.count, "relocation", "relocations");
    html! {
        <section class="strip" aria-label={format!("The chosen {}", names.one)}>
            <div class="strip-head">
                <h2>{ shortened(&escaped(&current.title)) }</h2>
                <span class="grow" />
                if current.count > 0 { { names.button("users", &format!("{all} to it")) } }
                { names.button("name", "Copy name") }
            </div>
            <ul class="xrefs">
                { for current.links.iter().map(|link| html! {
                    <li><span class="dim">{ &*link.why }</span>{ span_button("link", link.to, shortened(&escaped(&link.label))) }</li>
                }) }
            </ul>
        </section>
    }
}

/// Which text is shown.
fn picker(lists: &Lists, onchange: Callback<Event>) -> Html {
    let Some(text) = &lists.text else {
        return Html::default();
    };
    let is_here = |row: &protocol::Row| row.span == text.span;
    // One that lies deeper is none of the document's.
    let other = (!lists.texts.iter().any(is_here)).then_some(text);
    html! {
        <select aria-label="Text" {onchange}>
            { for lists.texts.iter().chain(other.map(|row| &**row)).enumerate().map(|(place, row)| html! {
                <option key={place} value={place.to_string()} selected={is_here(row)}>{ escaped(&row.name) }</option>
            }) }
        </select>
    }
}

/// What a search in the text has found, and the ways to the others.
fn matches(lists: &Lists) -> Html {
    let said = match lists.matches {
        None => String::new(),
        Some((_, 0)) => "not found".to_owned(),
        Some((number, all)) => format!("{} of {}", words::grouped(number), words::grouped(all)),
    };
    let step = |label: &'static str, with: &'static str, sign: &'static str| {
        html! { <button type="button" class="ico" aria-label={label} title={label} data-do="list" data-with={with}>{ sign }</button> }
    };
    html! { <>
        <span class="dim found" role="status">{ said }</span>
        { step("Previous match", "lines before", "↑") }
        { step("Next match", "lines next", "↓") }
    </> }
}
