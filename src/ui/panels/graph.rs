//! Graphs: modules of a SYCLBIN, images of a host file, basic blocks.

use std::rc::Rc;

use yew::prelude::*;

use crate::model::Area;
use crate::model::text::escaped;
use crate::ui::browser::dom::{focus_by_id, number_near, scroll_into_view};
use crate::ui::browser::keys::pressed;
use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::components::{button, plain, span_button};
use crate::ui::graphs::drawing::{BoxKind, Graph};
use crate::ui::graphs::graph_view::{GraphSubject, GraphView, Zoom};
use crate::ui::hooks::{Local, use_change, use_local};
use crate::ui::session::SessionContext;
use crate::ui::session::graph::drawing;
use crate::ui::state::View;
use crate::ui::state::commands::Command;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::text::format;
use crate::worker::protocol::{BlocksPage, GraphPage};

/// Summary of the graph for a generation of its list.
pub(super) fn status(view: &GraphView, generation: u32) -> Html {
    match view.shown(generation) {
        None => html! { <span class="dim" role="status">{ "…" }</span> },
        Some(GraphSubject::Modules(page)) => modules(page),
        Some(GraphSubject::Blocks(page)) => blocks(page),
    }
}

/// Number of blocks, and omissions of the graph.
fn blocks(page: &BlocksPage) -> Html {
    let summary = [
        format::counted(page.found, "basic block", "basic blocks"),
        format::counted(page.edge_count, "edge", "edges"),
        format::counted(page.loops, "loop", "loops"),
    ];
    let astray = (page.astray > 0).then(|| {
        let count = format::counted(page.astray, "jump leads", "jumps lead");
        format!("{count} out of the code or into the middle of an instruction")
    });
    html! { <>
        <span class="dim" role="status">{ summary.join(", ") }</span>
        if let Some(astray) = astray { <span class="warn"><span aria-hidden="true">{ "▲ " }</span>{ astray }</span> }
        if let Some(rest) = page.rest {
            <span class="warn">
                <span aria-hidden="true">{ "▲ " }</span>
                { "Too many blocks: " }
                { span_button("link", rest, plain(&format!("the last {}", format::bytes(rest.len())))) }
                { " are left out." }
            </span>
        }
    </> }
}

/// Number of modules, images and symbols.
fn modules(page: &GraphPage) -> Html {
    let (one, many) = page.nouns();
    let mut summary = format::counted(page.modules, one, many);
    if page.found < page.modules {
        summary = format!("{} of {summary}", format::grouped(page.found));
    }
    let (one, many) = if page.is_of_images() {
        ("IR image", "IR images")
    } else {
        ("IR module", "IR modules")
    };
    let images = [
        (page.ir_modules, one, many),
        (page.native_images, "native image", "native images"),
    ];
    for (count, one, many) in images.into_iter().filter(|(count, ..)| *count > 0) {
        summary.push_str(&format!(", {}", format::counted(count, one, many)));
    }
    if page.resolved > 0 {
        let symbols = format::counted(page.resolved, "imported symbol", "imported symbols");
        summary.push_str(&format!(" · {symbols} resolved"));
    }
    html! { <>
        <span class="dim" role="status">{ summary }</span>
        if page.unresolved > 0 {
            <span class="warn">
                <span aria-hidden="true">{ "▲ " }</span>
                { format::counted(page.unresolved, "unresolved symbol", "unresolved symbols") }
            </span>
        }
    </> }
}

/// Message for a query without matches.
pub(super) fn none(view: &GraphView, generation: u32) -> Option<String> {
    let page = view.shown(generation)?;
    let is_empty = page.found() == 0;
    let summary = match page {
        GraphSubject::Modules(page) if page.trouble.is_some() => return None,
        GraphSubject::Modules(page) => format!("No {} match the filter.", page.nouns().1),
        GraphSubject::Blocks(_) => {
            "The encoding of this device is not known. Choose another one.".to_owned()
        }
    };
    is_empty.then_some(summary)
}

/// Switch between the graph and the named table.
pub(super) fn controls(view: &GraphView, table: &'static str) -> Html {
    let toggle = |on: bool, command: Command, label: &'static str| {
        html! {
            <button type="button" class="btn2" aria-pressed={on.to_string()} data-command={command.to_string()}>{ label }</button>
        }
    };
    let sign = |command: Command, label: &'static str, sign: &'static str| {
        html! {
            <button type="button" class="btn2" data-command={command.to_string()} aria-label={label}>{ sign }</button>
        }
    };
    html! { <>
        <span class="pair" role="group" aria-label="View">
            { toggle(!view.as_table, Command::ShowGraph, "Graph") }
            { toggle(view.as_table, Command::ShowTable, table) }
        </span>
        if !view.as_table {
            { sign(Command::ZoomOut, "Zoom out", "−") }
            { sign(Command::ZoomIn, "Zoom in", "+") }
            { button("btn2", Command::ZoomToFit, plain("Fit")) }
            { button("btn2", Command::SaveGraph, plain("Save SVG")) }
        }
    </> }
}

/// The groups that contain the visible range.
pub(super) fn crumbs(view: &GraphView) -> Html {
    let chain = view.crumbs();
    if chain.len() < 2 {
        return Html::default();
    }
    let last = chain.len() - 1;
    html! {
        <nav class="crumbs" aria-label="Groups">
            { for chain.iter().enumerate().map(|(i, (start, count))| {
                let text = match i {
                    0 => format!("all {}", format::grouped(*count)),
                    _ => format!("{} … {}", format::grouped(*start), format::grouped(start + count.max(&1) - 1)),
                };
                html! { <>
                    if i > 0 { <span aria-hidden="true">{ " ▸ " }</span> }
                    if i == last {
                        <b aria-current="true">{ text }</b>
                    } else {
                        { button("link", Command::GraphRange(*start, *count), plain(&text)) }
                    }
                </> }
            }) }
        </nav>
    }
}

#[derive(Properties, PartialEq)]
pub struct DrawingProps {
    /// The session.
    pub session: SessionContext,
    /// The view of the file.
    pub view: PtrEq<View>,
}

/// The focused node.
#[derive(Clone, PartialEq, Default)]
struct Cursor {
    at: Option<usize>,
    /// The list generation and first module of that graph.
    of: (u32, u64),
}

struct Sheet {
    session: SessionContext,
    graph: Graph,
    cursor: Local<Cursor>,
    of: (u32, u64),
}

impl Sheet {
    fn at(&self) -> usize {
        let cursor = self.cursor.get();
        let at = cursor
            .at
            .filter(|at| cursor.of == self.of && *at < self.graph.nodes.len());
        let selected = || self.graph.nodes.iter().position(|node| node.selected);
        at.or_else(selected).unwrap_or(0)
    }

    fn go(&self, at: usize) {
        let of = self.of;
        self.cursor
            .change(|cursor| *cursor = Cursor { at: Some(at), of });
        focus_by_id(&format!("graph-node-{at}"));
    }

    fn choose(&self, at: usize) {
        self.go(at);
        match self.graph.nodes.get(at).map(|node| node.target) {
            Some(BoxKind::For(span)) => self.session.0.select_span(span, SelectionOrigin::Jump),
            Some(BoxKind::Group(start, count)) => {
                self.session.0.draw_range(start, count);
            }
            Some(BoxKind::More) | None => {}
        }
    }

    fn key(&self, event: &KeyboardEvent) {
        let Some(key) = pressed(event) else { return };
        match key.as_str() {
            "Enter" | " " => self.choose(self.at()),
            "+" => self.session.0.run(Command::ZoomIn),
            "-" => self.session.0.run(Command::ZoomOut),
            "0" => self.session.0.run(Command::ZoomToFit),
            key => match self.graph.near(self.at(), key) {
                Some(at) => self.go(at),
                None => return,
            },
        }
        event.prevent_default();
    }
}

/// The graph.
#[component]
pub fn Drawing(props: &DrawingProps) -> Html {
    let cursor = use_local::<Cursor>();
    let view = &props.view;
    let list = view.graph_list();
    let shown = view.graph_of(list);
    let drawn = drawing(view);
    let nodes = drawn.iter().flat_map(|graph| &graph.nodes);
    let selected = (1_u64..).zip(nodes).find(|(_, node)| node.selected);
    let selected = selected.map_or(0, |(number, _)| number);
    let start = shown.latest().map_or(0, GraphSubject::start);
    let reveal = move || {
        if let Some(place) = selected.checked_sub(1) {
            scroll_into_view(&format!("graph-node-{place}"));
        }
    };
    use_change([selected, start, 0, 0], Box::new(reveal));
    let (Some(page), Some(graph)) = (shown.latest(), drawn) else {
        return Html::default();
    };
    let label = match page {
        GraphSubject::Modules(_) => "Graph of modules",
        GraphSubject::Blocks(_) => "Control-flow graph",
    };
    let sheet = Rc::new(Sheet {
        session: props.session.clone(),
        graph,
        cursor,
        of: (view.lists.get(list).rows.generation, page.start()),
    });
    let here = Rc::clone(&sheet);
    let onkeydown = Callback::from(move |event: KeyboardEvent| here.key(&event));
    let here = Rc::clone(&sheet);
    let onclick = Callback::from(move |event: MouseEvent| {
        if let Some(at) = number_near(&event, "data-node") {
            here.choose(at as usize);
        }
    });
    let (width, height) = sheet.graph.size;
    let (class, zoomed) = match shown.zoom {
        Zoom::Fit => ("graph fit", (width, height)),
        Zoom::Percent(percent) => ("graph", (width * percent / 100, height * percent / 100)),
    };
    let at = sheet.at();
    html! {
        <div class="scroll drawing">
            <svg {class} id="graph" tabindex="-1" role="group" aria-label={label} viewBox={format!("0 0 {width} {height}")}
                 width={zoomed.0.to_string()} height={zoomed.1.to_string()} {onclick} {onkeydown}>
                <defs>
                    <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                        <path d="M0 0L8 4L0 8z" />
                    </marker>
                </defs>
                { for sheet.graph.edges.iter().map(|edge| html! {
                    <path class={edge.kind.class()} d={edge.path.clone()}
                          marker-end={edge.kind.is_arrow().then_some("url(#arrow)")} />
                }) }
                { for (0..sheet.graph.nodes.len()).map(|place| box_of(&sheet.graph, place, place == at)) }
                { for sheet.graph.edges.iter().filter_map(|edge| edge.label.as_ref()).map(|(x, y, label)| html! {
                    <text class="m halo" x={x.to_string()} y={y.to_string()}>{ label.clone() }</text>
                }) }
            </svg>
        </div>
    }
}

fn box_of(graph: &Graph, place: usize, is_stop: bool) -> Html {
    let Some(node) = graph.nodes.get(place) else {
        return Html::default();
    };
    let (x, y, width) = node.at;
    let name = escaped(&format!("{}, {}", node.title, node.text));
    let (x_text, y_text, height) = (x.to_string(), y.to_string(), node.height().to_string());
    html! {
        <g key={place} id={format!("graph-node-{place}")} class={if node.selected { "node sel" } else { "node" }}
           role="button" tabindex={if is_stop { "0" } else { "-1" }}
           aria-pressed={node.selected.to_string()} data-node={place.to_string()}>
            <title>{ name }</title>
            <rect class="box-line" x={x_text.clone()} y={y_text.clone()} width={width.to_string()} height={height.clone()} rx="6" />
            if let Some(shade) = node.shade() {
                <rect class="shade" x={x_text.clone()} y={y_text.clone()} width={width.to_string()} height={height.clone()} rx="6" fill-opacity={shade} />
            }
            if let Some(area) = node.area {
                <rect class={if area == Area::Ir { "a-ir" } else { "a-code" }} x={x_text} y={y_text} width="5" {height} />
            }
            { for node.lines().into_iter().map(|(class, text, down)| html! {
                <text {class} x={(x + 12).to_string()} y={(y + down).to_string()}>{ text }</text>
            }) }
        </g>
    }
}
