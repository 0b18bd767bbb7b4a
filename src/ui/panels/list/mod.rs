//! A list: of kernels, instructions, symbols, the lines of a text …, see
//! [`ListId`](crate::tables::ListId).
//!
//! One component serves all of them. They differ in their wording ([`Names`]), in the bars above
//! and below the rows, and lines have no header. Modules and basic blocks can also be drawn as a
//! graph.

mod bar;
mod names;
mod rows;
mod strip;

use std::rc::Rc;

use yew::prelude::*;

pub(super) use self::bar::reading;
use self::bar::{columns, export, filter_error, grouping, matches, picker, status};
use self::names::{Names, names};
use self::rows::Grid;
pub use self::strip::about;
use self::strip::strip;
use super::assembly::{self, Register};
use super::compare;
use super::data_flow;
use super::graph;
use super::profile;
use super::props::PanelProps;
use crate::tables::ListId;
use crate::ui::browser::dom::{number_near, set_text, text_of, value_of};
use crate::ui::components::{DataGrid, GridSource, button, plain, prose};
use crate::ui::hooks::{fingerprint, use_change, use_later, use_local};
use crate::ui::session::SessionContext;
use crate::ui::state::View;
use crate::ui::state::commands::Command;
use crate::ui::state::list::List;

/// Delay of the filter, in milliseconds.
const PAUSE: i32 = 120;

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
        // Not while the user types.
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
    // The table of modules shows the numbers.
    let needs_graph = is_graph || id == ListId::Modules;
    // The response has the selected block.
    let serial = u64::from(view.selection.serial) << 1 | 1;
    let serial = if is_code && is_graph {
        serial
    } else {
        u64::from(needs_graph) << 1
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
    let here = session.clone();
    let has_images = is_code || is_text;
    let node = match list.document {
        Some(document) => u64::from(document.0) << 1 | 1,
        None => u64::from(view.selection.node_id().0) << 1,
    };
    let images = move || {
        if has_images {
            here.0.follow_code_images(id);
        }
    };
    use_change([opening, node, 0, 0], Box::new(images));
    let lit = use_local::<Option<Register>>();
    let now = lit.clone();
    let onmouseover = Callback::from(move |event: MouseEvent| {
        if is_code {
            let under = number_near(&event, "data-reg");
            now.change(|lit| *lit = under);
        }
    });
    let later = use_later();
    let here = session.clone();
    let oninput = Callback::from(move |_: InputEvent| {
        let here = here.clone();
        let filter = move || {
            if is_text {
                return here.0.find_in_text(true, true);
            }
            here.0.set_filter(id, text_of(names.field).trim());
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
    let here = session.clone();
    let on_rows = Callback::from(move |event: Event| here.0.group_kernels(&value_of(&event)));
    let here = session.clone();
    let on_image = Callback::from(move |event: Event| here.0.choose_image(&value_of(&event)));
    if let Some(empty) = empty(view, list, names, &on_image) {
        return empty;
    }
    let generation = list.rows.generation;
    let is_late = view.is_late(id) || is_graph && drawn.shown(generation).is_none();
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
        <div class={classes!("panel", "listing", is_code.then_some("codes"), is_late.then_some("late"))}
             aria-busy={is_late.then_some("true")} {onmouseover}>
            <div class="filters">
                if has_images { { assembly::images(view, id, on_image) } }
                if is_text {
                    { picker(&view.texts, onchange) }
                    { status(view, list, names) }
                    <span class="grow" />
                    <span class="find">{ field }{ matches(&view.texts) }</span>
                } else {
                    if is_code { { assembly::controls(view, on_section, on_encoding) } }
                    // The graph always shows all code.
                    if !(is_code && is_graph) { { field } }
                    if id == ListId::Kernels { { grouping(list, on_rows) } }
                    { if is_graph || id == ListId::Modules { graph::status(drawn, generation) } else { status(view, list, names) } }
                    <span class="grow" />
                }
                if draws { { graph::controls(drawn, if is_code { "Listing" } else { "Table" }) } }
                if id == ListId::Properties {
                    { button("btn2", Command::SelectDocument(id), plain("File properties")) }
                }
                if id == ListId::SourceLines {
                    { button("btn2", Command::Open, plain("Add or drop source files")) }
                }
                if id == ListId::Changes { { compare::instructions(view) } }
                if !is_text && !is_graph { { columns(list) } }
                if !is_graph { { export(id) } }
                { filter_error(list, is_graph.then_some(drawn)) }
            </div>
            if is_code { { assembly::head(view) }{ profile::summary(view) }{ data_flow::summary(view) } }
            if is_graph {
                { graph::crumbs(drawn) }
                <graph::Drawing session={session.clone()} view={view.clone()} />
            } else {
                <div class="rows-and-strip">
                    <DataGrid key={id.name()} id={id.name()} {source} />
                    // Yew would create the table again when the number of children changes.
                    <>{ strip_of(session, view, list) }</>
                </div>
            }
            if let Some(none) = if is_graph { graph::none(drawn, generation) } else { no_rows(list, names) } {
                <p class="none">{ none }</p>
            }
            if props.panel.has_strip { { strip(view, list, names, false) } }
        </div>
    }
}

/// The samples or live registers of all code, beside its rows in order.
fn strip_of(session: &SessionContext, view: &View, list: &List) -> Option<Html> {
    let query = &list.query;
    let is_in_order = query.filter.is_empty() && query.sort.is_none();
    if list.id != ListId::Instructions || !is_in_order {
        return None;
    }
    let here = session.clone();
    let jump = Callback::from(move |row| here.0.jump_to_row(row));
    if let Some(samples) = view.profile.samples_of(query.of) {
        // Including those in folded loops.
        let count = list.page.as_ref().map_or(0, |page| page.total);
        return Some(profile::strip(samples, count, jump));
    }
    let flow = view.flow()?;
    Some(data_flow::strip(flow, jump))
}

/// Placeholder for a list that has no rows even without a filter.
fn empty(view: &View, list: &List, names: &Names, on_image: &Callback<Event>) -> Option<Html> {
    let is_code = list.id == ListId::Instructions;
    let is_known = match list.id {
        ListId::Instructions => list.is_current_for(view.selection.serial),
        _ => view.texts.document == view.texts.requested,
    };
    let is_without = match list.id {
        ListId::Instructions => list.document.is_none(),
        ListId::Lines => view.texts.shown.is_none(),
        _ => false,
    };
    // In a container, one of the images may have such a list.
    if is_without && (view.awaits_images(list.id) || view.code_images(list.id).is_some()) {
        return Some(if is_known && !view.awaits_images(list.id) {
            assembly::choose(view, is_code, on_image.clone())
        } else {
            html! { <div class="panel calm"><p class="dim" role="status">{ "Reading the image …" }</p></div> }
        });
    }
    let is_empty = match list.id {
        ListId::Lines => view.texts.shown.is_none(),
        ListId::Properties => false,
        ListId::Modules if !view.graph.as_table => {
            view.graph.modules().is_some_and(|page| page.modules == 0)
        }
        _ => list
            .page
            .as_ref()
            .filter(|page| page.reading.is_none())
            .is_some_and(|page| page.total + u64::from(page.secondary.count()) == 0),
    };
    let why = match &list.failed {
        Some(why) => &**why,
        None if !is_empty => return None,
        None if list.id == ListId::Lines && view.texts.document.is_none() => "…",
        None => names.none,
    };
    // A nested document has its own list.
    let has = view.opened.summary.has;
    let is_nested = !match list.id {
        ListId::Kernels => has.kernels || has.host || has.package,
        ListId::Relocations | ListId::Symbols => has.symbols,
        ListId::Modules | ListId::Properties => has.modules,
        ListId::Images | ListId::Files | ListId::Matrix | ListId::Devices => true,
        ListId::Lines => has.text,
        ListId::SourceLines => has.lines,
        ListId::Instructions => has.code,
        ListId::Differences | ListId::Changes | ListId::ProfileChanges => true,
    };
    Some(html! {
        <div class="panel calm">
            <p>{ prose(why) }</p>
            if list.failed.is_some() {
                { button("btn", Command::DoAgain, plain("Try again")) }
            }
            if is_nested {
                <p class="dim">{ "Select a nested file in the structure." }</p>
            }
        </div>
    })
}

/// Message for a query without matches.
fn no_rows(list: &List, names: &Names) -> Option<String> {
    if list.rows.is_waiting() || list.reading().is_some() || list.rows.found != Some(0) {
        return None;
    }
    let page = list.page.as_ref().filter(|page| page.trouble.is_none())?;
    Some(match list.id {
        ListId::Properties if page.total == 0 => names.none.to_owned(),
        ListId::Kernels if page.total == 0 && list.query.filter.is_empty() => {
            "No kernels, only functions.".to_owned()
        }
        _ => format!("No {} match the filter.", names.many),
    })
}
