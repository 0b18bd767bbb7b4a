//! The panel of a list, by its [`Declaration`](crate::tables::Declaration): as a table, as a text or as
//! code; some also as a graph.

mod bar;
mod code_rows;
mod kernel_rows;
mod rows;
mod size_map;
mod strip;
mod text_rows;

use std::rc::Rc;

use yew::prelude::*;

use self::bar::{
    columns, devices, export, filter_error, grouping, matches, picker, select, status, toggles,
};
pub(super) use self::bar::{reading, reading_with};
pub(super) use self::kernel_rows::briefly;
use self::rows::Grid;
pub use self::strip::about;
use self::strip::strip;
use super::assembly::{self, Register};
use super::compare;
use super::data_flow;
use super::figures;
use super::graph;
use super::props::PanelProps;
use crate::tables::{Button, Drawing, ListId, ReadingKind, Scope, Shape};
use crate::ui::browser::dom::{has_focus, number_near, set_text, text_of, value_of};
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
    let (key, panel) = (list.name(), props.clone());
    match list.declaration().shape {
        Shape::Text => html! { <Text {key} {list} {panel} /> },
        Shape::Code => html! { <Code {key} {list} {panel} /> },
        Shape::Table | Shape::Differences | Shape::Sides | Shape::Sizes => {
            html! { <Table {key} {list} {panel} /> }
        }
    }
}

#[derive(Properties, Clone, PartialEq)]
struct Props {
    list: ListId,
    panel: PanelProps,
}

/// What all lists do: their columns are kept, the field shows their filter, and their current row
/// follows the selection.
#[hook]
fn use_list(props: &Props) {
    let id = props.list;
    let (session, view) = (&props.panel.session, &props.panel.view);
    let list = view.lists.get(id);
    let opening = view.opening.into();
    let generation = u64::from(list.rows.generation);
    let here = session.clone();
    use_change(
        [opening, 0, 0, 0],
        Box::new(move || here.0.recall_columns(id)),
    );
    let filter = list.query.filter.clone();
    let fill = move |is_other_file: bool| {
        // Not while the user types: what follows in a moment would be lost.
        let field = field_id(id);
        let is_typing = has_focus(&field) && !text_of(&field).is_empty() && !is_other_file;
        if !is_typing && id.declaration().shape != Shape::Text && text_of(&field).trim() != filter {
            set_text(&field, &filter);
        }
    };
    let anew = fill.clone();
    use_change([opening, 0, 0, 0], Box::new(move || anew(true)));
    use_change([opening, generation, 0, 0], Box::new(move || fill(false)));
    let here = session.clone();
    use_change(
        [view.selection.serial.into(), generation, opening, 0],
        Box::new(move || here.0.follow_list(id)),
    );
}

/// Requests the visible part of the graph, if the list needs it.
#[hook]
fn use_graph(props: &Props, is_needed: bool) {
    let (session, view) = (&props.panel.session, &props.panel.view);
    let list = view.lists.get(props.list);
    let drawn = view.graph_of(props.list);
    let (start, count) = drawn.range.unwrap_or((0, u64::MAX));
    let is_blocks = list.id.declaration().drawing == Some(Drawing::Blocks);
    let serial = if is_blocks && is_needed {
        // The response has the selected block.
        u64::from(view.selection.serial) << 1 | 1
    } else {
        u64::from(is_needed) << 1
    };
    let here = session.clone();
    let draw = move || {
        if is_needed {
            here.0.need_graph();
        }
    };
    let opening = u64::from(view.opening);
    let drawn_of = opening ^ u64::from(list.rows.generation).rotate_left(32);
    use_change([drawn_of, start, count, serial], Box::new(draw));
}

/// Requests the images of a container in which the list can be shown, if it is one of their lists.
#[hook]
fn use_images(props: &Props, is_needed: bool) {
    let id = props.list;
    let view = &props.panel.view;
    let here = props.panel.session.clone();
    let node = match view.lists.get(id).document {
        Some(document) => u64::from(document.0) << 1 | 1,
        None => u64::from(view.selection.node_id().0) << 1,
    };
    let images = move || {
        if is_needed {
            here.0.follow_code_images(id);
        }
    };
    use_change([view.opening.into(), node, 0, 0], Box::new(images));
}

/// The id of the field that filters or searches a list.
fn field_id(list: ListId) -> String {
    format!("{}-filter", list.name())
}

/// What surrounds the rows or the graph of a list.
struct Frame {
    class: Option<&'static str>,
    onmouseover: Option<Callback<MouseEvent>>,
    /// In the bar above.
    bar: Html,
    /// Below the bar.
    above: Html,
    /// The register under the pointer.
    lit: Option<Register>,
    is_graph: bool,
}

/// A list with its bar, rows or graph, and the details of its current row.
fn framed(props: &Props, frame: Frame) -> Html {
    let id = props.list;
    let (session, view) = (&props.panel.session, &props.panel.view);
    let list = view.lists.get(id);
    let drawn = view.graph_of(id);
    let generation = list.rows.generation;
    let is_graph = frame.is_graph;
    let is_late = view.is_late(id) || is_graph && drawn.shown(generation).is_none();
    let grid = Grid {
        session: session.clone(),
        view: view.clone(),
        columns: list.shown(),
        list: id,
        lit: frame.lit,
    };
    let source = GridSource(Rc::new(grid));
    let onmouseover = frame.onmouseover;
    html! {
        <div class={classes!("panel", "listing", frame.class, is_late.then_some("late"))}
             aria-busy={is_late.then_some("true")} {onmouseover}>
            <div class="filters">
                { frame.bar }
                { filter_error(list, is_graph.then_some(drawn)) }
            </div>
            { frame.above }
            if is_graph {
                { graph::crumbs(drawn) }
                <graph::Drawing session={session.clone()} view={view.clone()} />
            } else {
                <div class="rows-and-strip">
                    <DataGrid key={id.name()} id={id.name()} {source} />
                    // Yew would create the table again when the number of children changes.
                    <>{ strip_of(session, view, list) }</>
                    <>{ reading_progress(list) }</>
                </div>
            }
            if let Some(none) = if is_graph { graph::none(drawn, generation) } else { no_rows(list) } {
                <p class="none">{ none }</p>
            }
            if let Some(why) = list.failed.as_ref().filter(|_| !is_graph) {
                <p class="none">{ prose(why) }{ " " }{ button("btn2", Command::DoAgain, plain("Try again")) }</p>
            }
            if props.panel.has_strip { { strip(view, list, false) } }
        </div>
    }
}

/// Reading progress, over the last rows: in the bar, it would move the rows when it ends.
fn reading_progress(list: &List) -> Option<Html> {
    let of = list.reading().filter(|_| !list.is_stopped)?;
    Some(html! { <div class="reading-progress">{ reading(of, false) }</div> })
}

/// The field that filters a list.
#[derive(Properties, Clone, PartialEq)]
struct FilterProps {
    list: ListId,
    session: SessionContext,
}

#[component]
fn FilterField(props: &FilterProps) -> Html {
    let (id, session) = (props.list, props.session.clone());
    let words = &id.declaration().words;
    let later = use_later();
    let oninput = Callback::from(move |_: InputEvent| {
        let here = session.clone();
        let filter = move || here.0.set_filter(id, text_of(&field_id(id)).trim());
        later.after(PAUSE, Box::new(filter));
    });
    html! {
        <input id={field_id(id)} type="search" placeholder={words.hint}
               aria-label={format!("Filter {}", id.name().replace('-', " "))}
               title="Words and conditions; see Help for the syntax" {oninput} />
    }
}

/// A table, or the graph of its rows.
#[component]
fn Table(props: &Props) -> Html {
    let id = props.list;
    let declared = id.declaration();
    let (session, view) = (&props.panel.session, &props.panel.view);
    let list = view.lists.get(id);
    let drawn = view.graph_of(id);
    let draws = match declared.drawing {
        Some(Drawing::Images) => view.opened.summary.has.host,
        drawing => drawing.is_some(),
    };
    let is_graph = draws && !drawn.as_table;
    // The table of modules shows the numbers of the graph.
    let has_numbers = is_graph || declared.drawing == Some(Drawing::Modules);
    use_list(props);
    use_graph(props, has_numbers);
    if let Some(empty) = empty(view, list, &Callback::noop()) {
        return empty;
    }
    let is_sizes = declared.shape == Shape::Sizes;
    let is_found = declared.reading == ReadingKind::Found;
    let here = session.clone();
    let on_rows = Callback::from(move |event: Event| here.0.group_rows(id, &value_of(&event)));
    let here = session.clone();
    let on_device = Callback::from(move |event: Event| here.0.filter_device(id, &value_of(&event)));
    let bar = html! { <>
        if is_sizes { { size_map::controls(&list.query.sizes(), list.page.as_ref().and_then(|page| page.map.as_deref()), size_map::on_group(session)) } }
        <FilterField list={id} session={session.clone()} />
        // Yew would create the field again when the number of its siblings changes.
        <>{ for toggles(list) }</>
        { devices(list, on_device) }
        { grouping(list, on_rows) }
        if is_found { { found_rows(list, session) } }
        <span class="grow" />
        { if has_numbers { graph::status(drawn, list.rows.generation) } else { status(view, list) } }
        if draws { { graph::controls(drawn, "Table") } }
        { match declared.button {
            Some(Button::FileProperties) => button("btn2", Command::SelectDocument(id), plain("File properties")),
            Some(Button::AddSources) => button("btn2", Command::Open, plain("Add or drop source files")),
            None => Html::default(),
        } }
        if declared.shape == Shape::Sides { { compare::instructions(view) } }
        if !is_graph { { columns(list) }{ export(id) } }
    </> };
    let frame = Frame {
        class: is_sizes.then_some("size-list"),
        onmouseover: None,
        bar,
        above: list
            .page
            .as_ref()
            .and_then(|page| page.map.clone())
            .map_or_else(Html::default, |map| {
                html! { <size_map::Treemap {map} session={session.clone()} /> }
            }),
        lit: None,
        is_graph,
    };
    framed(props, frame)
}

/// Whether kernels or their instructions are the rows of what is found in code.
fn found_rows(list: &List, session: &SessionContext) -> Html {
    let here = session.clone();
    let onchange = Callback::from(move |event: Event| here.0.list_each(value_of(&event) == EACH));
    let each = list.query.find().each;
    let options = vec![
        ("kernels".to_owned(), "kernels".to_owned(), !each),
        (EACH.to_owned(), "each instruction".to_owned(), each),
    ];
    select("Rows", "What the rows are", options, onchange)
}

/// The choice that lists each instruction.
const EACH: &str = "instructions";

/// The lines of a text.
#[component]
fn Text(props: &Props) -> Html {
    let id = props.list;
    let (session, view) = (&props.panel.session, &props.panel.view);
    let list = view.lists.get(id);
    use_list(props);
    use_images(props, true);
    let later = use_later();
    let here = session.clone();
    let oninput = Callback::from(move |_: InputEvent| {
        let here = here.clone();
        later.after(PAUSE, Box::new(move || here.0.find_in_text(true, true)));
    });
    let here = session.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Enter" && !event.is_composing() {
            event.prevent_default();
            here.0.find_in_text(!event.shift_key(), false);
        }
    });
    let here = session.clone();
    let onchange = Callback::from(move |event: Event| here.0.choose_text(&value_of(&event)));
    let here = session.clone();
    let on_image = Callback::from(move |event: Event| here.0.choose_image(&value_of(&event)));
    if let Some(empty) = empty(view, list, &on_image) {
        return empty;
    }
    let hint = id.declaration().words.hint;
    let bar = html! { <>
        { assembly::images(view, id, on_image) }
        { picker(&view.texts, onchange) }
        { status(view, list) }
        <span class="grow" />
        <span class="find">
            <input id={field_id(id)} type="search" placeholder={hint} aria-label={hint} {oninput} {onkeydown} />
            { matches(&view.texts) }
        </span>
        { export(id) }
    </> };
    let frame = Frame {
        class: None,
        onmouseover: None,
        bar,
        above: Html::default(),
        lit: None,
        is_graph: false,
    };
    framed(props, frame)
}

/// Instructions, or the graph of their basic blocks.
#[component]
fn Code(props: &Props) -> Html {
    let id = props.list;
    let (session, view) = (&props.panel.session, &props.panel.view);
    let list = view.lists.get(id);
    let drawn = view.graph_of(id);
    let is_graph = !drawn.as_table;
    use_list(props);
    use_graph(props, is_graph);
    let here = session.clone();
    let of = list.query.of.map_or(0, |of| of.start.wrapping_add(1));
    let encoding = list.query.encoding().map_or(0, |name| fingerprint(name));
    let generation = u64::from(list.rows.generation);
    use_change(
        [view.opening.into(), generation, of, encoding],
        Box::new(move || here.0.follow_code()),
    );
    use_images(props, true);
    let lit = use_local::<Option<Register>>();
    let now = lit.clone();
    let onmouseover = Callback::from(move |event: MouseEvent| {
        let under = number_near(&event, "data-reg");
        now.change(|lit| *lit = under);
    });
    let here = session.clone();
    let on_encoding = Callback::from(move |event: Event| here.0.choose_encoding(&value_of(&event)));
    let here = session.clone();
    let on_image = Callback::from(move |event: Event| here.0.choose_image(&value_of(&event)));
    if let Some(empty) = empty(view, list, &on_image) {
        return empty;
    }
    let bar = html! { <>
        if !props.panel.has_header { { assembly::place(session, view) } }
        // The graph always shows all code.
        if !is_graph { <FilterField list={id} session={session.clone()} /> }
        { if is_graph { graph::status(drawn, list.rows.generation) } else { status(view, list) } }
        <span class="grow" />
        { assembly::encoding(view, on_encoding) }
        { graph::controls(drawn, "Listing") }
        if !is_graph { { columns(list) }{ export(id) } }
    </> };
    let has_column = !props.panel.has_strip;
    let frame = Frame {
        class: Some(
            if list.shown().iter().any(|column| column.id == "source_text") {
                "codes with-source"
            } else {
                "codes"
            },
        ),
        onmouseover: Some(onmouseover),
        bar,
        above: html! { <>
            if !props.panel.has_wide_tabs { { figures::line(view, props.panel.dock, has_column) } }
            { figures::above(view, props.panel.dock, has_column) }
        </> },
        lit: lit.get(),
        is_graph,
    };
    framed(props, frame)
}

/// The strip of all code beside its rows, if something of it is known.
fn strip_of(session: &SessionContext, view: &View, list: &List) -> Option<Html> {
    list.code.as_ref()?;
    let here = session.clone();
    let jump = Callback::from(move |row| here.0.jump_to_row(row));
    let (flow, samples) = (view.flow(), view.profile.samples_of(list.query.of));
    if flow.is_none() && samples.is_none() {
        return None;
    }
    // Including those in folded loops.
    let count = list.page.as_ref().map_or(0, |page| page.total);
    let current = list.current().map(|current| current.index);
    Some(data_flow::strip(
        flow.map(|flow| &**flow),
        samples.map(|samples| &**samples),
        count,
        (current, list.rows.found.is_none_or(|found| found == count)),
        jump,
    ))
}

/// Placeholder for a list that has no rows even without a filter.
fn empty(view: &View, list: &List, on_image: &Callback<Event>) -> Option<Html> {
    let declared = list.id.declaration();
    let (is_known, is_without) = match declared.shape {
        Shape::Code => (
            list.is_current_for(view.selection.serial),
            list.document.is_none(),
        ),
        Shape::Text => (
            view.texts.document == view.texts.requested,
            view.texts.shown.is_none(),
        ),
        _ => (true, false),
    };
    // In a container, one of the images may have such a list.
    if is_without && (view.awaits_images(list.id) || view.code_images(list.id).is_some()) {
        return Some(if is_known && !view.awaits_images(list.id) {
            assembly::choose(view, list.id, on_image.clone())
        } else {
            html! { <div class="panel calm"><p class="dim" role="status">{ "Reading the image …" }</p></div> }
        });
    }
    let graph = view.graph_of(list.id);
    let is_empty = match (declared.scope, declared.drawing) {
        (Scope::Text, _) => is_without,
        (Scope::Owner, _) => false,
        // Something else can be searched.
        _ if declared.reading == ReadingKind::Found => false,
        (_, Some(Drawing::Modules)) if !graph.as_table => {
            graph.modules().is_some_and(|page| page.modules == 0)
        }
        _ => list
            .page
            .as_ref()
            .filter(|page| page.reading.is_none())
            .is_some_and(|page| page.total + u64::from(page.secondary.count()) == 0),
    };
    let why = match &list.failed {
        // The filter or the order can be changed.
        Some(_) if list.is_queried() => return None,
        Some(why) => &**why,
        None if !is_empty => return None,
        None if declared.shape == Shape::Text && view.texts.document.is_none() => "…",
        None => declared.words.none,
    };
    // A nested document has its own list.
    let is_nested = !view.has_itself(list.id);
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
fn no_rows(list: &List) -> Option<String> {
    let is_unknown = list.rows.is_waiting() || list.failed.is_some() || list.reading().is_some();
    if is_unknown || list.rows.found != Some(0) {
        return None;
    }
    let page = list.page.as_ref().filter(|page| page.trouble.is_none())?;
    let words = &list.id.declaration().words;
    let is_found = list.id.declaration().reading == ReadingKind::Found;
    Some(if is_found && !list.query.filter.is_empty() {
        "Nothing found.".to_owned()
    } else if page.total > 0 {
        format!("No {} match the filter.", words.many)
    } else if page.secondary.count() == 0 {
        words.none.to_owned()
    } else if list.query.filter.is_empty() {
        format!("No {}, only functions.", words.many)
    } else {
        format!("No {} match the filter.", words.many)
    })
}
