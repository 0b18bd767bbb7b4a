//! A list: kernels, relocations, symbols, modules, properties, the lines of a text.
//!
//! All of them are one component: what is special of one of them are its words ([`NAMES`]), what
//! stands above and below its rows, and that lines have no header. Modules, and the basic blocks of
//! code, can be drawn instead.

use std::rc::Rc;

use yew::prelude::*;

use super::assembly::{self, Register};
use super::compare;
use super::graph;
use super::kernel_ruler::{payload_words, ruler};
use super::props::PanelProps;
use crate::model::list::lines::LINE_SHOWN;
use crate::model::list::query::Query;
use crate::model::list::write::Form;
use crate::model::list::{Cell, CellValue, Column, ColumnKind, Detail, ListId, Presence, Row};
use crate::model::text::escaped;
use crate::model::{Severity, Span};
use crate::ui::commands::Command;
use crate::ui::components::{
    DataGrid, GridColumn, GridData, GridSource, button, plain, prose, shortened, span_button,
};
use crate::ui::format;
use crate::ui::graph_view::GraphView;
use crate::ui::hooks::{
    FIND, SessionContext, fingerprint, number_near, set_text, text_of, use_change, use_later,
    use_local, value_of,
};
use crate::ui::list::{List, parts, rest, text};
use crate::ui::ptr_eq::PtrEq;
use crate::ui::state::{PanelId, View};
use crate::ui::texts::Texts;
use crate::worker::protocol;

/// A list follows what is typed after so many milliseconds.
const PAUSE: i32 = 120;
/// So many bytes are written out in a cell.
const BYTES: usize = 24;

/// How a list is called.
struct Names {
    title: &'static str,
    one: &'static str,
    many: &'static str,
    /// The id of the field that filters, or finds.
    field: &'static str,
    /// What can be typed into it.
    hint: &'static str,
    none: &'static str,
}

/// In the order of [`ListId::ALL`].
static NAMES: [Names; ListId::ALL.len()] = [
    Names {
        title: "Kernels",
        one: "kernel",
        many: "kernels",
        field: "kernels-filter",
        hint: "Name, flag, or spill_size>0",
        none: "No kernels.",
    },
    Names {
        title: "Relocations",
        one: "relocation",
        many: "relocations",
        field: "relocations-filter",
        hint: "Name, or offset>0x40",
        none: "No relocations.",
    },
    Names {
        title: "Symbols",
        one: "symbol",
        many: "symbols",
        field: "symbols-filter",
        hint: "Name, kind, or size>0",
        none: "No symbols.",
    },
    Names {
        title: "Modules",
        one: "abstract module",
        many: "abstract modules",
        field: "modules-filter",
        hint: "Image, target, symbol, or size>0",
        none: "No modules.",
    },
    Names {
        title: "Properties",
        one: "property",
        many: "properties",
        field: "properties-filter",
        hint: "Set, key, or meaning",
        none: "No properties. Select another module or image.",
    },
    Names {
        title: "Images",
        one: "image",
        many: "images",
        field: "images-filter",
        hint: "Name, kernel, device, or size>4096",
        none: "No images.",
    },
    Names {
        title: "Devices",
        one: "device",
        many: "devices",
        field: "devices-filter",
        hint: "Name, release, or verdict=loads",
        none: "No devices.",
    },
    Names {
        title: "Text",
        one: "line",
        many: "lines",
        field: FIND,
        hint: "Find in this text",
        none: "No readable text.",
    },
    Names {
        title: "Source lines",
        one: "row",
        many: "rows",
        field: "source-lines-filter",
        hint: "File, text, or line=12",
        none: "The line tables have no rows for the code.",
    },
    Names {
        title: "Assembly",
        one: "instruction",
        many: "instructions",
        field: "instructions-filter",
        hint: "Text, or marks=spill, kind=message",
        none: "No instructions.",
    },
    Names {
        title: "Differences",
        one: "difference",
        many: "differences",
        field: "differences-filter",
        hint: "Name, or part=kernel",
        none: "No differences.",
    },
    Names {
        title: "Difference",
        one: "row",
        many: "rows",
        field: "changes-filter",
        hint: "Text, or change=added",
        none: "No values differ.",
    },
];

fn names(list: ListId) -> &'static Names {
    &NAMES[list as usize]
}

impl Names {
    fn counted(&self, count: u64) -> String {
        format::counted(count, self.one, self.many)
    }
}

/// The list of a panel.
pub(super) fn list(props: &PanelProps) -> Html {
    let list = props.view.panel.list().unwrap_or(ListId::Kernels);
    list_of(list, props)
}

/// A list.
pub(super) fn list_of(list: ListId, props: &PanelProps) -> Html {
    html! { <Panel key={list.name()} {list} panel={props.clone()} /> }
}

#[derive(Properties, Clone, PartialEq)]
struct Props {
    list: ListId,
    panel: PanelProps,
}

#[component]
fn Panel(props: &Props) -> Html {
    let id = props.list;
    let names = names(id);
    let (session, view) = (&props.panel.session, &props.panel.view);
    let list = view.lists.get(id);
    let is_text = id == ListId::Lines;
    let opening = view.opening.into();
    let generation = u64::from(list.rows.generation);
    let here = session.clone();
    use_change(
        [opening, 0, 0, 0],
        Box::new(move || here.0.recall_columns(id)),
    );
    let filter = list.query.filter.clone();
    let fill = move || {
        // Not while somebody types: what is typed is what is filtered by.
        if !is_text && text_of(names.field).trim() != filter {
            set_text(names.field, &filter);
        }
    };
    use_change([opening, generation, 0, 0], Box::new(fill));
    let here = session.clone();
    use_change(
        [view.selection.serial.into(), generation, opening, 0],
        Box::new(move || here.0.follow_list(id)),
    );
    let here = session.clone();
    let is_code = id == ListId::Instructions;
    let drawn = view.graph_of(id);
    let is_host = id == ListId::Images && view.opened.summary.has.host;
    let draws = is_code || is_host || id == ListId::Modules;
    let is_graph = draws && !drawn.as_table;
    let (start, count) = drawn.range.unwrap_or((0, u64::MAX));
    // The table of modules says how many there are of what.
    let needs_graph = is_graph || id == ListId::Modules;
    // The answer says which block is selected.
    let serial = u64::from(view.selection.serial) << 1 | 1;
    let serial = match is_code && is_graph {
        true => serial,
        false => u64::from(needs_graph) << 1,
    };
    let draw = move || {
        if needs_graph {
            here.0.need_graph();
        }
    };
    let drawn_of = opening ^ generation.rotate_left(32);
    use_change([drawn_of, start, count, serial], Box::new(draw));
    let here = session.clone();
    let of = list.query.of.map_or(0, |of| of.start.wrapping_add(1));
    let encoding = list.query.device.as_deref().map_or(0, fingerprint);
    let count = move || {
        if is_code {
            here.0.follow_code();
        }
    };
    use_change([opening, generation, of, encoding], Box::new(count));
    let lit = use_local::<Option<Register>>();
    let now = lit.clone();
    let onmouseover = Callback::from(move |event: MouseEvent| {
        if is_code {
            let under = number_near(&event, "data-reg");
            now.change(|lit| *lit = under);
        }
    });
    let later = use_later();
    let (here, before) = (session.clone(), list.query.clone());
    let oninput = Callback::from(move |_: InputEvent| {
        let (here, before) = (here.clone(), before.clone());
        let filter = move || {
            if is_text {
                return here.0.find_in_text(true, true);
            }
            let filter = text_of(names.field).trim().to_owned();
            here.0.set_query(id, Query { filter, ..before });
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
    let here = session.clone();
    let on_section = Callback::from(move |event: Event| here.0.choose_code(&value_of(&event)));
    let here = session.clone();
    let on_encoding = Callback::from(move |event: Event| here.0.choose_encoding(&value_of(&event)));
    if let Some(empty) = empty(view, list, names) {
        return empty;
    }
    let grid = Grid {
        session: session.clone(),
        view: view.clone(),
        columns: list.shown(),
        list: id,
        lit: lit.get(),
    };
    let source = GridSource(Rc::new(grid));
    let field = html! {
        <input id={names.field} type="search" placeholder={names.hint}
               aria-label={if is_text { names.hint.to_owned() } else { format!("Filter {}", id.name().replace('-', " ")) }}
               title={(!is_text).then_some("Words and conditions; see Help for the syntax")}
               {oninput} {onkeydown} />
    };
    html! {
        <div class={if is_code { "panel listing codes" } else { "panel listing" }} {onmouseover}>
            <div class="filters">
                if is_text {
                    { picker(&view.texts, onchange) }
                    { status(list, names) }
                    <span class="grow" />
                    <span class="find">{ field }{ matches(&view.texts) }</span>
                } else {
                    if is_code { { assembly::controls(view, on_section, on_encoding) } }
                    // The graph is that of all code.
                    if !(is_code && is_graph) { { field } }
                    { if is_graph || id == ListId::Modules { graph::status(drawn) } else { status(list, names) } }
                    <span class="grow" />
                }
                if draws { { graph::controls(drawn, if is_code { "Listing" } else { "Table" }) } }
                if id == ListId::Properties {
                    { button("btn2", Command::SelectDocument(id), plain("Show SYCLBIN properties")) }
                }
                if id == ListId::SourceLines {
                    { button("btn2", Command::Open, plain("Add or drop source files")) }
                }
                if id == ListId::Changes { { compare::instructions(view) } }
                if !is_text && !is_graph { { columns(list) } }
                if !is_graph { { export(id) } }
                { trouble(list, is_graph.then_some(drawn)) }
            </div>
            if is_code { { assembly::head(view) } }
            if is_graph {
                { graph::crumbs(drawn) }
                <graph::Drawing session={session.clone()} view={view.clone()} />
            } else {
                <DataGrid key={id.name()} id={id.name()} {source} />
            }
            if let Some(none) = if is_graph { graph::none(drawn) } else { no_rows(list, names) } {
                <p class="none">{ none }</p>
            }
            { strip(view, list, names) }
        </div>
    }
}

/// What stands in the place of a list that has no rows, whatever the filter.
fn empty(view: &View, list: &List, names: &Names) -> Option<Html> {
    let is_empty = match list.id {
        ListId::Lines => view.texts.shown.is_none(),
        ListId::Properties => false,
        ListId::Modules if !view.graph.as_table => {
            view.graph.modules().is_some_and(|page| page.modules == 0)
        }
        _ => list
            .page
            .as_ref()
            .is_some_and(|page| page.total + page.secondary == 0),
    };
    let why = match &list.failed {
        Some(why) => &**why,
        None if !is_empty => return None,
        None if list.id == ListId::Lines && view.texts.document.is_none() => "…",
        None => names.none,
    };
    // What is nested is a document of its own.
    let has = view.opened.summary.has;
    let is_nested = !match list.id {
        ListId::Kernels => has.kernels || has.host,
        ListId::Relocations | ListId::Symbols => has.symbols,
        ListId::Modules | ListId::Properties => has.modules,
        ListId::Images | ListId::Devices => true,
        ListId::Lines => has.text,
        ListId::SourceLines => has.lines,
        ListId::Instructions => has.code,
        ListId::Differences | ListId::Changes => true,
    };
    Some(html! {
        <div class="panel calm">
            <p>{ prose(why) }</p>
            if is_nested {
                <p class="dim">{ "Select a nested file in the structure." }</p>
            }
        </div>
    })
}

/// What is said where the query finds nothing.
fn no_rows(list: &List, names: &Names) -> Option<String> {
    if list.rows.is_waiting() || list.rows.found != Some(0) {
        return None;
    }
    let page = list.page.as_ref().filter(|page| page.trouble.is_none())?;
    Some(match list.id {
        ListId::Properties if page.total == 0 => names.none.to_owned(),
        ListId::Kernels if page.total == 0 && list.query.filter.is_empty() => {
            "There are only functions.".to_owned()
        }
        _ => format!("No {} match the filter.", names.many),
    })
}

/// How many rows there are.
fn status(list: &List, names: &Names) -> Html {
    let Some(page) = &list.page else {
        return html! { <span class="dim" role="status">{ "…" }</span> };
    };
    let all = match list.query.all {
        true => page.total + page.secondary,
        false => page.total,
    };
    let (found, count) = (list.rows.found.unwrap_or(all), names.counted(all));
    let said = match found < all {
        true => format!("{} of {count}", format::grouped(found)),
        false => count,
    };
    html! { <>
        if !page.subject.is_empty() {
            if list.id == ListId::Instructions {
                // The code is named beside it.
            } else if list.id == ListId::Changes {
                <b class="n">{ shortened(&escaped(&page.subject)) }</b>
            } else if list.id == ListId::Kernels || list.id == ListId::Devices {
                <b>{ escaped(&page.subject) }</b>
                { button("btn2", Command::SelectAbove(0), plain("All images")) }
            } else {
                <b>{ format!("Properties of {}", escaped(&page.subject)) }</b>
            }
        }
        if page.secondary > 0 {
            <button type="button" class="toggle info" aria-pressed={list.query.all.to_string()}
                    data-command={Command::ToggleSecondary(list.id).to_string()}>
                { format::counted(page.secondary, "function", "functions") }
            </button>
        }
        <span class="dim" role="status">{ said }</span>
        { for page.notes.iter().map(|note| html! { <span class="warn">{ format!("▲ {}", escaped(note)) }</span> }) }
    </> }
}

/// Which columns are shown.
fn columns(list: &List) -> Html {
    let shown = list.shown();
    // Those that are shown come first, in their order.
    let is_shown = |column: &&Column| shown.iter().any(|other| other.id == column.id);
    let others = list.id.columns().iter().filter(|column| !is_shown(column));
    let others = others.filter(|column| column.presence != Presence::QueryOnly);
    let all = shown.iter().copied().chain(others).skip(1);
    html! {
        <details class="menu" name="list-menu">
            <summary class="btn2">{ "Columns" }</summary>
            <div class="pop">
                <div class="choices" role="group" aria-label="Columns">
                    { for all.map(|column| {
                        let on = shown.iter().any(|other| other.id == column.id);
                        let command = Command::ToggleColumn(list.id, column.id.to_owned());
                        let step = |label: &str, command: Command, sign: &'static str| html! {
                            <button type="button" class="ico" aria-label={format!("Move {} {label}", column.header())} data-command={command.to_string()}>{ sign }</button>
                        };
                        html! { <div class="line" key={column.id}>
                            <button type="button" class="choice" role="checkbox" aria-checked={on.to_string()}
                                    title={column.doc} data-command={command.to_string()}>
                                <span aria-hidden="true">{ if on { "☑" } else { "☐" } }</span>
                                { column.header() }
                                if column.header() != column.id { <span class="dim mono">{ column.id }</span> }
                            </button>
                            if on {
                                { step("left", Command::MoveLeft(list.id, column.id.to_owned()), "‹") }
                                { step("right", Command::MoveRight(list.id, column.id.to_owned()), "›") }
                            }
                        </div> }
                    }) }
                </div>
                <div class="foot">{ button("btn2", Command::DefaultColumns(list.id), plain("Default columns")) }</div>
            </div>
        </details>
    }
}

/// The ways to take a list along.
fn export(list: ListId) -> Html {
    let (commands, note) = match list {
        ListId::Lines => (
            vec![
                (Command::CopyLines, "Copy selected lines"),
                (Command::CopyText, "Copy all"),
                (Command::SaveText, "Save"),
            ],
            "Ctrl+C copies the selected lines.",
        ),
        ListId::Instructions => (
            vec![
                (Command::CopyList(list, Form::Plain), "Copy as assembly"),
                (Command::SaveList(list, Form::Plain), "Save as assembly"),
                (Command::CopyList(list, Form::Tabs), "Copy as TSV"),
                (Command::CopyList(list, Form::Markdown), "Copy as Markdown"),
                (Command::SaveList(list, Form::Csv), "Save as CSV"),
                (Command::SaveList(list, Form::Json), "Save as JSON"),
            ],
            "Assembly is the whole code, as the assembler reads it; the tables have the rows and columns that are shown. Ctrl+C copies the cell, or the rows selected with Shift.",
        ),
        list => (
            vec![
                (Command::CopyList(list, Form::Tabs), "Copy as TSV"),
                (Command::CopyList(list, Form::Markdown), "Copy as Markdown"),
                (Command::SaveList(list, Form::Csv), "Save as CSV"),
                (Command::SaveList(list, Form::Markdown), "Save as Markdown"),
                (Command::SaveList(list, Form::Json), "Save as JSON"),
            ],
            "Exports the rows and columns that are shown; JSON has all columns. Ctrl+C copies the cell, or the rows selected with Shift.",
        ),
    };
    html! {
        <details class="menu" name="list-menu">
            <summary class="btn2">{ "Export" }</summary>
            <div class="pop acts">
                { for commands.into_iter().map(|(command, label)| button("btn2", command, plain(label))) }
                <p class="dim small">{ note }</p>
            </div>
        </details>
    }
}

/// What is wrong with the filter; where the modules are drawn, the graph says it.
fn trouble(list: &List, graph: Option<&GraphView>) -> Html {
    let page = list.page.as_ref().filter(|_| !list.rows.is_waiting());
    let trouble = match graph {
        Some(graph) => graph.modules().and_then(|page| page.trouble.as_deref()),
        None => page.and_then(|page| page.trouble.as_deref()),
    };
    let Some(trouble) = trouble else {
        return Html::default();
    };
    html! {
        <p class="trouble warn" role="alert"><span aria-hidden="true">{ format::severity_sign(Severity::Warning) }</span>{ format!(" Filter: {}", escaped(trouble)) }</p>
    }
}

/// Below the list: the current row, and what belongs to it.
fn strip(view: &View, list: &List, names: &Names) -> Html {
    let label = format!("Selected {}", names.one);
    let Some(current) = list.current() else {
        // Its place is kept: rows that move away under the pointer cannot be double-clicked.
        let has_strip = matches!(
            list.id,
            ListId::Kernels | ListId::Relocations | ListId::Symbols | ListId::Instructions
        );
        return match has_strip && list.rows.found.is_some_and(|found| found > 0) {
            true => {
                html! { <section class="strip" aria-label={label}><p class="dim">{ format!("Select {} {} to see what belongs to it.", if list.id == ListId::Instructions { "an" } else { "a" }, names.one) }</p></section> }
            }
            false => Html::default(),
        };
    };
    let copy = button("btn2", Command::CopyName(list.id), plain("Copy name"));
    match (list.id, &current.about.detail) {
        (_, Detail::Kernel(detail)) => html! {
            <section class="strip" aria-label={label}>
                <div class="strip-head">
                    <h2 title={escaped(&detail.row.name.value)}>{ shortened(&escaped(detail.row.title())) }</h2>
                    <span class="dim said">{ payload_words(detail) }</span>
                    { copy }
                    { button("btn2", Command::Panel(PanelId::Arguments), plain("Details")) }
                </div>
                { ruler(detail, view.selection.span) }
            </section>
        },
        (ListId::Images, Detail::None) => Html::default(),
        (
            ListId::Relocations
            | ListId::Symbols
            | ListId::SourceLines
            | ListId::Images
            | ListId::Instructions,
            detail,
        ) => {
            html! {
                <section class="strip" aria-label={label}>
                    <div class="strip-head">
                        <h2>{ shortened(&escaped(&current.about.title)) }</h2>
                        <span class="grow" />
                        if let Detail::Symbol { relocations, .. } = detail && *relocations > 0 {
                            { button("btn2", Command::References, plain(&format::counted(*relocations, "relocation", "relocations"))) }
                        }
                        if let Detail::Image { kernels, .. } = detail && *kernels > 0 {
                            { button("btn2", Command::References, plain(&format::counted(*kernels, "kernel", "kernels"))) }
                        }
                        if let Detail::Line { ranges, bytes, .. } = detail {
                            <span class="dim">{ format!("{} of code in {}", format::bytes(*bytes), format::counted(*ranges, "range", "ranges")) }</span>
                            if *ranges > 1 { { button("btn2", Command::References, plain("All code of this line")) } }
                        }
                        { copy }
                    </div>
                    if let Detail::Instruction(detail) = detail { { assembly::parts(detail, current.entry) } }
                    <ul class="xrefs">
                        { for current.about.links.iter().map(|link| html! {
                            <li><span class="dim">{ &*link.why }</span>{ span_button("link", link.to, shortened(&escaped(&link.label))) }</li>
                        }) }
                    </ul>
                </section>
            }
        }
        _ => Html::default(),
    }
}

/// Which text is shown.
fn picker(texts: &Texts, onchange: Callback<Event>) -> Html {
    let Some(text) = &texts.shown else {
        return Html::default();
    };
    let is_shown = |row: &protocol::Row| row.span == text.span;
    // One that lies deeper is none of the document's.
    let other = (!texts.rows.iter().any(is_shown)).then_some(&**text);
    html! {
        <select aria-label="Text" {onchange}>
            { for texts.rows.iter().chain(other).enumerate().map(|(place, row)| html! {
                <option key={place} value={place.to_string()} selected={is_shown(row)}>{ escaped(&row.name) }</option>
            }) }
        </select>
    }
}

/// What a search in the text has found, and the ways to the others.
fn matches(texts: &Texts) -> Html {
    let said = match texts.matches {
        None => String::new(),
        Some((_, 0)) => "not found".to_owned(),
        Some((number, all)) => format!("{} of {}", format::grouped(number), format::grouped(all)),
    };
    let step = |label: &'static str, command: Command, sign: &'static str| {
        html! { <button type="button" class="ico" aria-label={label} title={label} data-command={command.to_string()}>{ sign }</button> }
    };
    html! { <>
        <span class="dim found" role="status">{ said }</span>
        { step("Previous match", Command::PreviousMatch, "↑") }
        { step("Next match", Command::NextMatch, "↓") }
    </> }
}

struct Grid {
    session: SessionContext,
    view: PtrEq<View>,
    columns: Vec<&'static Column>,
    list: ListId,
    /// The register that is pointed at.
    lit: Option<Register>,
}

impl Grid {
    fn data(&self) -> &List {
        self.view.lists.get(self.list)
    }

    /// How wide a column's cells are, in characters.
    fn width(&self, column: &Column) -> u32 {
        let largest = self.data().maximum(column.id);
        // A word that marks a hazard needs its place.
        let mark = match column.id {
            "spill_size" | "private_size" if largest > 0.0 => 10,
            "grf_count" if largest > 128.0 => 8,
            "slm_size" if largest > 65536.0 => 10,
            "spill_dwords_per_lane" => 3,
            _ => 0,
        };
        // The images of a host's file have short names; how one was found may stand before it.
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
        if column.id == "jumps" {
            return largest as u32 + 1;
        }
        match column.width {
            0 => format::grouped(largest as u64).chars().count() as u32 + mark,
            width => width,
        }
    }

    /// A cell of an instruction.
    fn code_cell(&self, id: &str, found: &Cell<'_>) -> Html {
        let query = &self.data().query;
        let in_order = query.filter.is_empty() && query.sort.is_none();
        let drawn = assembly::cell(id, found, query.of, self.lit, in_order);
        drawn.unwrap_or_else(|| cell(found))
    }

    /// The columns of a text: the number of the line and the line.
    fn text_columns(&self) -> Vec<GridColumn> {
        let digits = self.rows().max(100).to_string().len() as u32;
        let longest = self.data().maximum("text") as u64;
        // A long one has a button too.
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

    /// A line: what is selected in it is marked, and the rest of a long one is a button.
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

/// Text in which nothing plays tricks; tabs stay.
fn tabbed(text: &str) -> Html {
    let parts: Vec<String> = text.split('\t').map(escaped).collect();
    plain(&parts.join("\t"))
}

fn cell(cell: &Cell<'_>) -> Html {
    let names = match &cell.value {
        CellValue::Text(text) if !text.is_empty() => Some((text, None)),
        CellValue::Name { name, demangled } => match demangled {
            Some(demangled) => Some((demangled, Some(escaped(name)))),
            None => Some((name, None)),
        },
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
        CellValue::Bool(true) => ("", "yes".to_owned()),
        CellValue::Int(number) if *number >= 0 => ("", format::grouped(number.unsigned_abs())),
        CellValue::Count(number) => ("", format::grouped(*number)),
        CellValue::Words(words) if words.is_empty() => ("dim", "–".to_owned()),
        CellValue::Bytes(bytes) if bytes.len() > BYTES => {
            let first = bytes.get(..BYTES).unwrap_or(bytes).to_vec();
            ("mono", format!("{} …", CellValue::Bytes(first).text()))
        }
        CellValue::Bytes(_) => ("mono", cell.value.text().into_owned()),
        value => ("", escaped(&value.text())),
    };
    let (class, title) = match cell.is_default {
        true => ("dim", Some("Default: not in the file".to_owned())),
        false => (class, None),
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
                set: self.data().width(column.id),
                grows: is_words && (column.width >= 24 || place == 0 && self.width(column) >= 20),
            }
        });
        columns.collect()
    }

    fn rows(&self) -> u64 {
        self.data().rows.found.unwrap_or(0)
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
        let cells = self.columns.iter().map(|column| {
            self.data().cell(row, column).map_or_else(
                || plain("…"),
                |found| match column.id {
                    id if self.list == ListId::Instructions => self.code_cell(id, found),
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
        self.data().rows.version()
    }

    fn is_waiting(&self) -> bool {
        self.data().rows.is_waiting()
    }

    fn need(&self, start: u64, end: u64) {
        self.session.0.need_rows(self.list, start, end);
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

    fn move_by(&self, column: usize, right: bool) {
        if let Some(column) = self.columns.get(column) {
            self.session.0.move_column(self.list, column.id, right);
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
            ListId::Kernels => PanelId::Arguments,
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
