//! The modules of a SYCLBIN: as a graph, and as a table.

use std::rc::Rc;

use yew::prelude::*;

use super::PanelProps;
use crate::model::Area;
use crate::model::modules::query::{COLUMNS, ModuleColumn, ModuleQuery};
use crate::model::modules::{Image, TITLE};
use crate::model::text::escaped;
use crate::ui::components::{
    DataGrid, GridColumn, GridData, GridSource, button, plain, prose, shortened,
};
use crate::ui::hooks::{
    Local, SessionContext, focus_by_id, number_near, pressed, set_text, text_of, use_change,
    use_later, use_local,
};
use crate::ui::module_graph::{Graph, Stands, graph};
use crate::ui::module_view::{ModuleView, Zoom, image_span};
use crate::ui::selection::Via;
use crate::ui::shared::Shared;
use crate::ui::state::View;
use crate::ui::words;
use crate::worker::protocol::{ModulePage, ModuleRow, Row};

/// The id of the field that filters.
const FIELD: &str = "module-filter";
/// So long after the last key the filter is applied, in milliseconds.
const PAUSE: i32 = 120;

/// Is the file one that may be a SYCLBIN, or is or was something in one selected?
pub(super) fn may_have(view: &View) -> bool {
    let summary = |row: &Row| row.summary.as_deref().unwrap_or("").starts_with(TITLE);
    matches!(&*view.opened.summary.format, "syclbin" | "offload-binary")
        || view.modules.document.is_some()
        || view
            .selection
            .documents()
            .iter()
            .any(|(_, row)| summary(row))
}

/// The panel.
#[component]
pub fn Modules(props: &PanelProps) -> Html {
    let session = &props.session;
    let modules = &props.view.modules;
    let serial = u64::from(props.view.selection.serial);
    let opened = Shared::from(&props.view.opened).address();
    let here = session.clone();
    let known = modules.document.is_some();
    use_change(
        [
            serial,
            u64::from(modules.rows.generation),
            opened,
            known.into(),
        ],
        Box::new(move || here.0.follow_modules()),
    );
    let here = session.clone();
    let (start, count) = modules.range.unwrap_or((0, u64::MAX));
    use_change(
        [
            u64::from(modules.rows.generation) << 1 | u64::from(known),
            opened,
            start,
            count,
        ],
        Box::new(move || here.0.need_graph()),
    );
    let filter = modules.query.filter.clone();
    use_change(
        [opened, 0, 0, 0],
        Box::new(move || set_text(FIELD, &filter)),
    );
    let later = use_later();
    let (here, before) = (session.clone(), modules.query.clone());
    let oninput = Callback::from(move |_: InputEvent| {
        let (here, before) = (here.clone(), before.clone());
        let filter = move || {
            here.0.set_module_query(ModuleQuery {
                filter: text_of(FIELD).trim().to_owned(),
                ..before
            });
        };
        later.after(PAUSE, Box::new(filter));
    });
    if let Some(why) = &modules.failed {
        return html! {
            <div class="panel calm">
                <p>{ prose(why) }</p>
                <p class="dim">{ "Modules are what a SYCLBIN is made of." }</p>
            </div>
        };
    }
    let Some(page) = &modules.page else {
        return html! { <div class="panel" /> };
    };
    html! {
        <div class="panel modules">
            { bar(modules, page, oninput) }
            if page.found == 0 {
                <p class="none">{ if page.modules == 0 { "There are no modules in this SYCLBIN." } else { "No module fits the filter." } }</p>
            } else if modules.as_table {
                <DataGrid id="modules" source={GridSource(Rc::new(Grid { session: session.clone(), view: props.view.clone() }))} />
            } else {
                { crumbs(modules) }
                <Drawing session={session.clone()} view={props.view.clone()} />
            }
        </div>
    }
}

/// The line above: what there is, and what can be done.
fn bar(modules: &ModuleView, page: &ModulePage, oninput: Callback<InputEvent>) -> Html {
    let mut said = vec![words::counted(
        page.modules,
        "abstract module",
        "abstract modules",
    )];
    let images = [
        (page.ir_modules, "IR module", "IR modules"),
        (page.native_images, "native image", "native images"),
    ];
    for (count, one, many) in images.into_iter().filter(|(count, _, _)| *count > 0) {
        said.push(words::counted(count, one, many));
    }
    if page.found < page.modules {
        said.insert(0, format!("{} of", words::grouped(page.found)));
    }
    let mut text = said.join(", ").replacen(" of, ", " of ", 1);
    if page.resolved > 0 {
        let symbols = words::counted(page.resolved, "imported symbol", "imported symbols");
        text = format!("{text} · {symbols} resolved");
    }
    let act = |what: &'static str, label: &'static str| {
        button("btn2", "modules", what.to_owned(), plain(label))
    };
    let toggle = |on: bool, what: &'static str, label: &'static str| {
        html! {
            <button type="button" class="btn2" aria-pressed={on.to_string()} data-do="modules" data-with={what}>{ label }</button>
        }
    };
    html! {
        <div class="filters">
            <input id={FIELD} type="search" placeholder="Image, target, symbol" aria-label="Filter modules"
                   title="Words that all must be met: a part of what an image is, of its architecture or target, of a symbol; or a module's number"
                   {oninput} />
            <span class="dim" role="status">{ text }</span>
            if page.unresolved > 0 {
                <span class="warn">
                    <span aria-hidden="true">{ "▲ " }</span>
                    { words::counted(page.unresolved, "imported symbol is", "imported symbols are") }{ " not exported here" }
                </span>
            }
            <span class="grow" />
            <span class="pair" role="group" aria-label="How modules are shown">
                { toggle(!modules.as_table, "graph", "Graph") }
                { toggle(modules.as_table, "table", "Table") }
            </span>
            if !modules.as_table {
                <button type="button" class="btn2" data-do="modules" data-with="smaller" aria-label="Draw it smaller">{ "−" }</button>
                <button type="button" class="btn2" data-do="modules" data-with="larger" aria-label="Draw it larger">{ "+" }</button>
                { act("fit", "Fit") }
                { act("save", "Save SVG") }
            }
        </div>
    }
}

/// The groups around what is drawn.
fn crumbs(modules: &ModuleView) -> Html {
    let chain = modules.crumbs();
    if chain.len() < 2 {
        return Html::default();
    }
    let last = chain.len() - 1;
    html! {
        <nav class="crumbs" aria-label="Groups of modules">
            { for chain.iter().enumerate().map(|(i, (start, count))| {
                let text = match i {
                    0 => format!("all {}", words::grouped(*count)),
                    _ => format!("{} … {}", words::grouped(*start), words::grouped(start + count.max(&1) - 1)),
                };
                html! { <>
                    if i > 0 { <span aria-hidden="true">{ " ▸ " }</span> }
                    if i == last {
                        <b aria-current="true">{ text }</b>
                    } else {
                        { button("link", "modules", format!("{start} {count}"), plain(&text)) }
                    }
                </> }
            }) }
        </nav>
    }
}

#[derive(Properties, PartialEq)]
struct DrawingProps {
    session: SessionContext,
    view: Shared<View>,
}

/// The node where the keys are.
#[derive(Clone, PartialEq, Default)]
struct Cursor {
    at: Option<usize>,
    /// What was drawn then.
    of: u64,
}

struct Sheet {
    session: SessionContext,
    graph: Graph,
    cursor: Local<Cursor>,
    of: u64,
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
        focus_by_id(&format!("module-node-{at}"));
    }

    fn choose(&self, at: usize) {
        self.go(at);
        match self.graph.nodes.get(at).map(|node| node.stands) {
            Some(Stands::For(span)) => self.session.0.select_span(span, Via::Jump),
            Some(Stands::Group(start, count)) => {
                self.session.0.module_act(&format!("{start} {count}"));
            }
            Some(Stands::More) | None => {}
        }
    }

    fn key(&self, event: &KeyboardEvent) {
        let Some(key) = pressed(event) else { return };
        match key.as_str() {
            "Enter" | " " => self.choose(self.at()),
            "+" => self.session.0.module_act("larger"),
            "-" => self.session.0.module_act("smaller"),
            "0" => self.session.0.module_act("fit"),
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
fn Drawing(props: &DrawingProps) -> Html {
    let cursor = use_local::<Cursor>();
    let modules = &props.view.modules;
    let Some(page) = &modules.page else {
        return Html::default();
    };
    let sheet = Rc::new(Sheet {
        session: props.session.clone(),
        graph: graph(modules, page, &props.view.opened.name),
        cursor,
        of: Shared::from(page).address(),
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
    let (class, zoomed) = match modules.zoom {
        Zoom::Fit => ("graph fit", (width, height)),
        Zoom::Percent(percent) => ("graph", (width * percent / 100, height * percent / 100)),
    };
    let at = sheet.at();
    html! {
        <div class="scroll drawing">
            <svg {class} id="module-graph" tabindex="-1" role="group" aria-label="Graph of modules" viewBox={format!("0 0 {width} {height}")}
                 width={zoomed.0.to_string()} height={zoomed.1.to_string()} {onclick} {onkeydown}>
                <defs>
                    <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                        <path d="M0 0L8 4L0 8z" />
                    </marker>
                </defs>
                { for sheet.graph.edges.iter().map(|edge| html! {
                    <path class={if edge.imports { "edge import" } else { "edge" }} d={edge.path.clone()}
                          marker-end={edge.imports.then_some("url(#arrow)")} />
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
        <g key={place} id={format!("module-node-{place}")} class={if node.selected { "node sel" } else { "node" }}
           role="button" tabindex={if is_stop { "0" } else { "-1" }}
           aria-pressed={node.selected.to_string()} data-node={place.to_string()}>
            <title>{ name }</title>
            <rect class="box-line" x={x_text.clone()} y={y_text.clone()} width={width.to_string()} height={height.clone()} rx="6" />
            if let Some(area) = node.area {
                <rect class={if area == Area::Ir { "a-ir" } else { "a-code" }} x={x_text} y={y_text} width="5" {height} />
            }
            { for node.lines().into_iter().map(|(class, text, down)| html! {
                <text {class} x={(x + 12).to_string()} y={(y + down).to_string()}>{ text }</text>
            }) }
        </g>
    }
}

struct Grid {
    session: SessionContext,
    view: Shared<View>,
}

impl Grid {
    fn modules(&self) -> &ModuleView {
        &self.view.modules
    }

    fn cell(row: &ModuleRow, column: ModuleColumn) -> Html {
        let module = &row.module;
        let symbols = |count: u32, names: &[String]| {
            let title = escaped(&names.join(", "));
            html! { <span {title}>{ words::grouped(count.into()) }</span> }
        };
        match column {
            ModuleColumn::Module => plain(&format!("abstract module {}", module.index)),
            ModuleColumn::IrModules => {
                images(&row.ir_modules, module.ir_modules.len() as u64, ir_words)
            }
            ModuleColumn::NativeImages => images(
                &row.native_images,
                module.native_images.len() as u64,
                native_words,
            ),
            ModuleColumn::Size => plain(&words::grouped(row.size)),
            ModuleColumn::Sets => plain(&words::grouped(module.sets.into())),
            ModuleColumn::Exports => symbols(module.exports, &row.exports),
            ModuleColumn::Imports => symbols(module.imports, &row.imports),
        }
    }
}

fn ir_words(image: &Image) -> String {
    let kind = image.ir_type_name().unwrap_or("unknown");
    match image.target.as_ref().map(|target| target.value.as_str()) {
        Some(target) if !target.is_empty() => format!("{kind} {target}"),
        _ => kind.to_owned(),
    }
}

fn native_words(image: &Image) -> String {
    let arch = image.arch.as_ref().map_or("", |arch| &arch.value);
    let target = image.target.as_ref().map_or("", |target| &target.value);
    match (arch, target) {
        ("", "") => image.title.to_string(),
        ("", name) | (name, _) => name.to_owned(),
    }
}

fn images(shown: &[Image], count: u64, say: fn(&Image) -> String) -> Html {
    let names: Vec<String> = shown.iter().map(say).collect();
    let text = match (count, names.first()) {
        (0, _) => return html! { <span class="dim">{ "–" }</span> },
        (1, Some(name)) => name.clone(),
        (count, _) => format!("{}: {}", words::grouped(count), names.join(", ")),
    };
    html! { <span title={escaped(&text)}>{ shortened(&escaped(&text)) }</span> }
}

impl GridData for Grid {
    fn label(&self) -> String {
        "Modules".to_owned()
    }

    fn columns(&self) -> Vec<GridColumn> {
        let column = |column: &ModuleColumn| {
            let (title, unit, width, grows) = match column {
                ModuleColumn::Module => ("Module", "", 21, false),
                ModuleColumn::IrModules => ("IR modules", "", 24, true),
                ModuleColumn::NativeImages => ("Native images", "", 24, true),
                ModuleColumn::Size => ("Size", "B", 10, false),
                ModuleColumn::Sets => ("Sets", "", 4, false),
                ModuleColumn::Exports => ("Exports", "", 4, false),
                ModuleColumn::Imports => ("Imports", "", 4, false),
            };
            GridColumn {
                title: title.to_owned(),
                unit: unit.to_owned(),
                doc: String::new(),
                number: width < 20,
                sorts: true,
                width,
                grows,
            }
        };
        COLUMNS.iter().map(column).collect()
    }

    fn rows(&self) -> u64 {
        self.modules().found().unwrap_or(0)
    }

    fn sort(&self) -> Option<(usize, bool)> {
        let query = &self.modules().query;
        let place = COLUMNS
            .iter()
            .position(|column| Some(*column) == query.sort)?;
        Some((place, query.descending))
    }

    fn cells(&self, row: u64) -> Option<Vec<Html>> {
        let row = self.modules().rows.row(row)?;
        let cells = COLUMNS.iter().map(|column| Grid::cell(row, *column));
        Some(cells.collect())
    }

    fn selected(&self) -> Option<u64> {
        self.modules().current?.place
    }

    fn serial(&self) -> u64 {
        u64::from(self.view.selection.serial)
    }

    fn version(&self) -> u64 {
        self.modules().rows.version()
    }

    fn is_waiting(&self) -> bool {
        self.modules().rows.is_waiting()
    }

    fn need(&self, start: u64, end: u64) {
        self.session.0.need_modules(start, end);
    }

    fn sort_by(&self, column: usize) {
        if let Some(column) = COLUMNS.get(column) {
            let query = self.modules().sorted_by(*column);
            self.session.0.set_module_query(query);
        }
    }

    fn choose(&self, row: u64, column: usize) {
        let Some(module) = self.modules().rows.row(row) else {
            return self.session.0.go_to_module(row);
        };
        let image = match COLUMNS.get(column) {
            Some(ModuleColumn::IrModules) => module.ir_modules.first(),
            Some(ModuleColumn::NativeImages) => module.native_images.first(),
            _ => None,
        };
        let span = image.map_or(module.module.header, image_span);
        self.session.0.select_span(span, Via::Jump);
    }

    fn open(&self, _row: u64) {
        self.session.0.module_act("properties");
    }
}
