//! The page's components, rendered without a browser: document structure and accessibility.

#![cfg(all(feature = "ui", feature = "decode", not(target_arch = "wasm32")))]

use std::rc::Rc;

use yew::prelude::*;
use zeview::analysis::kernels::place;
use zeview::analysis::occupancy::OccupancyParameters;
use zeview::model::{NodeId, SourceId, Span};
use zeview::tables::query::Query;
use zeview::tables::{Detail, ListId};
use zeview::ui::components::ptr_eq::PtrEq;
use zeview::ui::components::{DataGrid, GridColumn, GridData, GridSource, empty, inspector};
use zeview::ui::graphs::graph_view::{GraphChange, GraphSubject};
use zeview::ui::panels::{self, PanelProps};
use zeview::ui::session::{Session, SessionContext};
use zeview::ui::state::code::CodeChange;
use zeview::ui::state::commands::Command;
use zeview::ui::state::compare::Following;
use zeview::ui::state::list::ListChange;
use zeview::ui::state::occupancy::OccupancyChange;
use zeview::ui::state::paged::PAGE;
use zeview::ui::state::selection::{Selection, SelectionOrigin};
use zeview::ui::state::texts::TextsChange;
use zeview::ui::state::verdict::VerdictChange;
use zeview::ui::state::{Action, Dock, Level, Origin, PanelId, Phase, State, Tab, TabId, View};
use zeview::worker::protocol::{ListRequest, Request, Response};

use crate::decoder::Decoder;

// Rendering.

#[derive(Properties, PartialEq)]
struct HostProps {
    view: PtrEq<View>,
    panel: PanelId,
}

/// The page around a panel.
#[component]
fn Host(props: &HostProps) -> Html {
    let state = use_reducer(State::default);
    let session = Rc::new(Session::new(state.dispatcher(), Rc::new(State::default())));
    let given = PanelProps {
        others: Rc::from([]),
        session: SessionContext(session),
        view: props.view.clone(),
        has_strip: true,
        has_header: false,
        has_wide_tabs: false,
        dock: Dock::default(),
        more: false,
        sides: Some(false),
    };
    (panels::panel(props.panel).render)(&given)
}

fn rendered<C>(props: impl FnOnce() -> C::Properties + Send + 'static) -> String
where
    C: BaseComponent + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let renderer = yew::ServerRenderer::<C>::with_props(props).hydratable(false);
    runtime.block_on(renderer.render())
}

/// Renders a panel of a view that is created on the rendering thread.
fn panel(panel: PanelId, view: impl FnOnce() -> View + Send + 'static) -> String {
    rendered::<Host>(move || HostProps {
        view: PtrEq::new({
            let mut view = view();
            view.panel = panel;
            view
        }),
        panel,
    })
}

fn html(content: impl FnOnce() -> Html + Send + 'static) -> String {
    #[derive(Properties, PartialEq)]
    struct Props {
        content: Html,
    }
    #[component]
    fn Plain(props: &Props) -> Html {
        props.content.clone()
    }
    rendered::<Plain>(move || Props { content: content() })
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

// Files.

struct File(Decoder);

impl File {
    fn open(name: &str) -> (File, View) {
        let path = format!("{}/www/samples/{name}", env!("CARGO_MANIFEST_DIR"));
        File::of(name, std::fs::read(path).unwrap())
    }

    fn of(name: &str, bytes: Vec<u8>) -> (File, View) {
        let (decoder, opened) = Decoder::open(name, bytes);
        let tab = Tab {
            following: Following::No,
            work: None,
            id: TabId(1),
            name: name.to_owned().into(),
            origin: Origin::Local,
            phase: Phase::Decoding,
        };
        let state = Rc::new(State::default())
            .reduce(Action::Add(tab))
            .reduce(Action::Opened(TabId(1), Rc::new(opened)));
        let view = state.active().and_then(|tab| tab.view()).unwrap();
        (File(decoder), (**view).clone())
    }

    fn ask(&mut self, request: Request) -> Response {
        self.0.ask(request)
    }

    /// Requests the verdict for the file's device or another one.
    fn verdict(&mut self, view: &mut View, device: Option<&str>) {
        let state = Rc::make_mut(&mut view.verdict);
        let device: Option<AttrValue> = device.map(|name| name.to_owned().into());
        state.apply(VerdictChange::Requested((NodeId::ROOT, device.clone())));
        let request = Request::Verdict {
            document: NodeId::ROOT,
            device: device.as_ref().map(|name| name.to_string().into()),
        };
        let report = match self.ask(request) {
            Response::Verdict(report) => Ok(Rc::from(report)),
            Response::Failed { message, .. } => Err(message.into()),
            other => panic!("{other:?}"),
        };
        state.apply(VerdictChange::Answered((NodeId::ROOT, device), report));
    }

    /// Requests the first page of a list, and the details of a row.
    fn list(&mut self, view: &mut View, list: ListId, query: Query, place: usize) {
        view.lists.apply(list, ListChange::Query(query.clone()));
        let generation = view.lists.get(list).rows.generation;
        let mut ask = |ask| {
            self.ask(Request::List {
                document: NodeId::ROOT,
                list,
                query: query.clone(),
                ask,
            })
        };
        let rows = ListRequest::Rows {
            start: 0,
            count: PAGE,
            columns: Vec::new(),
        };
        let entry = match ask(rows) {
            Response::List(page) => {
                let entry = page.rows.get(place).map(|row| row.entry);
                view.lists.apply(list, ListChange::Page(generation, page));
                entry
            }
            Response::Failed { message, .. } => {
                let failed = ListChange::Failed(generation, message.into());
                return view.lists.apply(list, failed);
            }
            other => panic!("{other:?}"),
        };
        let at = ListRequest::At {
            node: NodeId::ROOT,
            span: entry,
            current: None,
            or_first: false,
        };
        let Response::ListAt(at) = ask(at) else {
            panic!("no row");
        };
        let serial = view.selection.serial;
        view.lists
            .apply(list, ListChange::At(serial, generation, at));
    }

    /// Shows the first readable text.
    fn text(&mut self, view: &mut View) -> Query {
        let request = Request::Texts {
            document: NodeId::ROOT,
        };
        let Response::Texts(rows) = self.ask(request) else {
            panic!("no texts");
        };
        let texts = Rc::make_mut(&mut view.texts);
        texts.apply(TextsChange::Arrived(NodeId::ROOT, rows), false);
        Query {
            of: texts.shown.as_ref().and_then(|text| text.span),
            ..Query::default()
        }
    }

    /// Requests the graph of the modules.
    fn graph(&mut self, view: &mut View, filter: &str) {
        let request = Request::Graph {
            document: NodeId::ROOT,
            list: ListId::Modules,
            query: filtered(filter),
            start: 0,
            count: u64::MAX,
            at: None,
        };
        let Response::Graph(page) = self.ask(request) else {
            panic!("no graph");
        };
        // The graph of the list as it is now.
        let generation = view.lists.get(ListId::Modules).rows.generation;
        let change = GraphChange::Page(generation, None, GraphSubject::Modules(Rc::from(page)));
        Rc::make_mut(&mut view.graph).apply(change, generation, None);
    }
}

fn filtered(filter: &str) -> Query {
    Query {
        filter: filter.to_owned(),
        ..Query::default()
    }
}

/// Returns the view of a list, with details of a row.
fn listed(name: &str, list: ListId, query: Query, place: usize) -> View {
    let (mut file, mut view) = File::open(name);
    let query = match list {
        ListId::Lines => file.text(&mut view),
        _ => query,
    };
    file.list(&mut view, list, query, place);
    view
}

fn spill() -> View {
    listed("spill.dg2.zebin", ListId::Kernels, Query::default(), 2)
}

// The kernel table.

#[test]
fn kernel_table_has_units_hazards_and_selection() {
    let text = panel(PanelId::KERNELS, spill);
    assert_eq!(count(&text, "role=\"grid\""), 1);
    assert!(text.contains("aria-rowcount=\"4\""), "{text}");
    assert!(text.contains("aria-colcount=\"9\""), "{text}");
    assert_eq!(count(&text, "role=\"row\""), 4);
    for said in [
        "B/thread",
        "dwords/lane",
        // Below the spill, and the number of kernels that spill.
        "class=\"under w20\"",
        ">spills 1<",
        "3 kernels",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // 3328 bytes for 8 lanes.
    assert!(
        text.contains(">3\u{a0}328<") && text.contains(">104<"),
        "{text}"
    );
    assert_eq!(count(&text, "aria-selected=\"true\""), 1);
    assert!(
        text.contains("aria-activedescendant=\"kernels-2-0\""),
        "{text}"
    );
    assert!(text.contains("Cross-thread payload: 60 bytes"), "{text}");
}

#[test]
fn a_header_says_how_it_sorts() {
    let text = panel(PanelId::KERNELS, || {
        let query = Query {
            sort: Some("spill_size".into()),
            descending: true,
            ..Query::default()
        };
        listed("spill.dg2.zebin", ListId::Kernels, query, 0)
    });
    assert_eq!(count(&text, "aria-sort=\"descending\""), 1);
    assert_eq!(count(&text, "aria-sort=\"none\""), 8);
    let first = text.find("data-row=\"0\"").unwrap();
    let name = text.find(">spill<").unwrap();
    assert!(first < name && name < text.find("data-row=\"1\"").unwrap());
}

#[test]
fn empty_and_invalid_filters_are_reported() {
    let kernels = |filter: &'static str| {
        panel(PanelId::KERNELS, move || {
            listed("spill.dg2.zebin", ListId::Kernels, filtered(filter), 0)
        })
    };
    assert!(kernels("spill_size>0").contains("1 of 3 kernels"));
    let none = kernels("nothing_like_it");
    assert!(none.contains("No kernels match the filter."), "{none}");
    let wrong = kernels("spill_size>x");
    assert!(wrong.contains("role=\"alert\""), "{wrong}");
    assert!(wrong.contains("spill_size requires a number"));
    assert!(
        !wrong.contains("match the filter"),
        "nothing was looked for"
    );
}

#[test]
fn few_rows_are_in_the_document() {
    let text = panel(PanelId::KERNELS, || {
        listed("kernels600.dg2.zebin", ListId::Kernels, Query::default(), 0)
    });
    assert!(text.contains("aria-rowcount=\"601\""), "{text}");
    assert!(count(&text, "role=\"row\"") <= 100);
}

#[test]
fn file_without_kernels_is_reported() {
    let text = panel(PanelId::KERNELS, || {
        let (_, mut view) = File::open("spill.dg2.zebin");
        let why = ListChange::Failed(0, "This part of the file has no kernels.".into());
        view.lists.apply(ListId::Kernels, why);
        view
    });
    assert!(
        text.contains("This part of the file has no kernels."),
        "{text}"
    );
    assert_eq!(count(&text, "role=\"grid\""), 0);
}

// A kernel's own page.

#[test]
fn a_kernel_in_full() {
    let text = panel(PanelId::Arguments, spill);
    for said in [
        "3 of 3",
        ".text.spill",
        "global_id_offset",
        "arg_bypointer",
        "float*",
        "Execution environment",
        "spill_size",
        "Per-thread payload",
        "▲",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // Unstated values are gray, and described as such.
    assert!(text.contains("class=\"default\"") && text.contains(">default<"));
    // The ruler and each table link to bytes.
    assert!(count(&text, "data-command=\"select ") > 30);
    assert!(text.contains("role=\"img\""));
}

#[test]
fn a_value_leads_to_its_own_bytes_and_its_row_stays_marked() {
    let with_value = |key: &'static str| {
        let mut view = spill();
        let Detail::Kernel(kernel) = view.lists.get(ListId::Kernels).detail() else {
            panic!("no kernel");
        };
        let entry = &kernel.payload.entries[1];
        let value = place(&entry.places, key).unwrap();
        assert!(entry.span.contains(value) && value.len() < 4, "{value:?}");
        view.selection.span = Some(value);
        (view, value)
    };
    let (_, value) = with_value("offset");
    let text = panel(PanelId::Arguments, move || with_value("offset").0);
    let command = Command::Select(value).to_string();
    assert_eq!(
        count(&text, &format!("data-command=\"{command}\"")),
        1,
        "{text}"
    );
    // The row, and the mark in the ruler.
    assert_eq!(count(&text, "<tr class=\"sel\""), 1);
    assert_eq!(
        count(&text, "piece a-hdr sel") + count(&text, "piece a-code sel"),
        1
    );
    assert!(text.contains("Offset, B"));
}

/// Returns the view of a kernel's occupancy limits.
fn limited(parameters: OccupancyParameters) -> View {
    let (mut file, mut view) = File::open("spill.dg2.zebin");
    file.list(&mut view, ListId::Kernels, Query::default(), 2);
    let state = Rc::make_mut(&mut view.occupancy);
    let question = (NodeId::ROOT, 2, parameters.clone());
    state.apply(OccupancyChange::Requested(question.clone()));
    let request = Request::Occupancy {
        document: NodeId::ROOT,
        kernel: 2,
        parameters,
    };
    let answer = match file.ask(request) {
        Response::Occupancy(found) => Ok(Rc::from(found)),
        Response::Failed { message, .. } => Err(message.into()),
        other => panic!("{other:?}"),
    };
    state.apply(OccupancyChange::Answered(question, answer));
    view
}

#[test]
fn occupancy_limits_have_sources() {
    let text = panel(PanelId::Arguments, || {
        limited(OccupancyParameters::default())
    });
    for said in [
        "an EU of acm-g10 runs all its 8 threads",
        "Choose the work-items of a work-group",
        "published",
        "hw_info_*.cpp, NumThreadsPerEu",
        "calculateAvailableThreadCount",
        "choose: the file has no required work-group size",
        "<label for=\"occupancy-work-group\"",
        "placeholder=\"16\"",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // It has no arguments in shared local memory.
    assert!(!text.contains("occupancy-local"));
    let text = panel(PanelId::Arguments, || {
        limited(OccupancyParameters {
            work_group: Some(512),
            ..OccupancyParameters::default()
        })
    });
    assert!(text.contains("at a time, limited by threads"), "{text}");
    assert!(text.contains("limits "));
    let text = panel(PanelId::Arguments, || {
        limited(OccupancyParameters {
            device: Some("nothing".into()),
            ..OccupancyParameters::default()
        })
    });
    assert!(text.contains("no device is called"), "{text}");
}

#[test]
fn a_damaged_file_has_a_page_too() {
    for kind in [PanelId::KERNELS, PanelId::Arguments] {
        let text = panel(kind, || {
            listed("damaged.zebin", ListId::Kernels, Query::default(), 0)
        });
        assert!(text.contains("vecsub"), "{text}");
    }
}

// Relocations, symbols, text.

#[test]
fn relocations_name_the_patched_bytes() {
    let text = panel(PanelId::List(ListId::Relocations), || {
        listed("vecadd.bmg.zebin", ListId::Relocations, Query::default(), 0)
    });
    assert_eq!(count(&text, "role=\"grid\""), 1);
    assert!(text.contains("aria-colcount=\"7\""), "{text}");
    for said in [
        "R_SYM_ADDR_32",
        ".text.vecadd",
        "undefined",
        "Selected relocation",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert_eq!(count(&text, "aria-selected=\"true\""), 1);
    // Bytes have no order.
    assert_eq!(count(&text, "aria-sort=\"none\""), 6);
}

#[test]
fn symbols_are_sorted_filtered_and_counted() {
    let text = panel(PanelId::List(ListId::Symbols), || {
        let query = Query {
            sort: Some("size".into()),
            descending: true,
            ..filtered("section==.text.vecadd")
        };
        listed("vecadd.bmg.zebin", ListId::Symbols, query, 0)
    });
    assert_eq!(count(&text, "aria-sort=\"descending\""), 1);
    assert!(text.contains("2 of 3 symbols"), "{text}");
    let symbols = |filter: &'static str| {
        panel(PanelId::List(ListId::Symbols), move || {
            listed("vecadd.bmg.zebin", ListId::Symbols, filtered(filter), 0)
        })
    };
    let none = symbols("size>100000");
    assert!(none.contains("No symbols match the filter."), "{none}");
    let wrong = symbols("size>x");
    assert!(wrong.contains("role=\"alert\"") && wrong.contains("size requires a number"));
}

#[test]
fn a_text_has_numbered_lines() {
    let text = panel(PanelId::List(ListId::Lines), || {
        listed("vecadd.bmg.zebin", ListId::Lines, Query::default(), 3)
    });
    assert!(text.contains("aria-label=\".ze_info\""), "{text}");
    assert!(text.contains("aria-multiselectable=\"true\""), "{text}");
    assert_eq!(count(&text, "role=\"columnheader\""), 0);
    assert!(
        text.contains("<option") && text.contains("kernels:"),
        "{text}"
    );
    assert_eq!(count(&text, "aria-selected=\"true\""), 1);
    assert!(count(&text, "role=\"row\"") <= 100);
}

#[test]
fn source_lines_lead_to_their_code() {
    const FILE: &str = "../../tests/fixtures/zebin/debugme.tgllp.igc1.12504.zebin";
    let shown = || listed(FILE, ListId::SourceLines, Query::default(), 5);
    let text = panel(PanelId::SOURCE_LINES, shown);
    for said in [
        "33 rows",
        "debugme.cl, line 2",
        "of code in",
        "All code of this line",
        "Add or drop source files",
        ".text.step + 0x110",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // Without line tables, there is no such panel.
    let (_, view) = File::open("vecadd.bmg.zebin");
    let mut shown = zeview::ui::panels::shown(&view, Level::File);
    assert!(shown.all(|panel| panel.id != PanelId::SOURCE_LINES));
}

#[test]
fn instructions_have_names_places_and_registers() {
    let shown = || {
        let (mut file, mut view) = File::open("spill.dg2.zebin");
        let list = ListId::Instructions;
        let sections = match file.ask(Request::Code {
            document: NodeId::ROOT,
            query: Query::default(),
        }) {
            Response::Code(report) => report.sections,
            other => panic!("{other:?}"),
        };
        let (_, of) = sections
            .iter()
            .find(|(name, _)| name == ".text.spill")
            .unwrap();
        let query = Query {
            of: Some(*of),
            ..Query::default()
        };
        file.list(&mut view, list, query.clone(), 3);
        let answer = file.ask(Request::Code {
            document: NodeId::ROOT,
            query: query.clone(),
        });
        let Response::Code(report) = answer else {
            panic!("{answer:?}");
        };
        let answer = file.ask(Request::DataFlow {
            document: NodeId::ROOT,
            query,
        });
        let Response::DataFlow(flow) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!((flow.most, flow.more_threads), (128, None));
        let peak = flow.live.iter().copied().max();
        assert_eq!(peak.map(u32::from), Some(flow.peak));
        let asked = (NodeId::ROOT, *of, None);
        let code = Rc::make_mut(&mut view.code);
        code.apply(CodeChange::Requested(asked.clone()));
        code.apply(CodeChange::Answered(asked.clone(), report));
        code.apply(CodeChange::FlowRequested(asked.clone()));
        code.apply(CodeChange::Flow(asked, Ok(flow)));
        view
    };
    let text = panel(PanelId::ASSEMBLY, shown);
    for said in [
        "aria-label=\"Code\"",
        ">xe_hpg</option>",
        "<b>175</b> spills · <b>133</b> fills",
        "<b>118</b>/128 live",
        "<b>701</b> waits",
        "data-command=\"aspect loops\"",
        "load.ugm.d32x4.a32.ca.ca.bss[a0.0]",
        "class=\"swsb\">{ExBSO,A@2,$5}",
        "data-reg=",
        "title=\"Copies, and converts to the type of the destination.\"",
        "Parts of the instruction",
        "Operands and bits",
        "Copy as assembly",
        "class=\"heat\"",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(count(&text, "role=\"row\"") <= 100);
}

#[test]
fn empty_lists_are_explained() {
    let text = panel(PanelId::List(ListId::Symbols), || {
        let (_, mut view) = File::open("vecadd.bmg.zebin");
        let why = ListChange::Failed(0, "This part of the file has no symbols.".into());
        view.lists.apply(ListId::Symbols, why);
        view
    });
    assert!(
        text.contains("This part of the file has no symbols."),
        "{text}"
    );
    assert_eq!(count(&text, "role=\"grid\""), 0);
}

// Modules and their properties.

#[test]
fn modules_are_a_graph_and_a_table() {
    let modules = |filter: &'static str, as_table| {
        panel(PanelId::List(ListId::Modules), move || {
            let (mut file, mut view) = File::open("matmul.syclbin");
            file.list(&mut view, ListId::Modules, filtered(filter), 0);
            file.graph(&mut view, filter);
            Rc::make_mut(&mut view.graph).as_table = as_table;
            view
        })
    };
    let graph = modules("", false);
    assert!(graph.contains("id=\"graph\""), "{graph}");
    assert!(graph.contains("12 abstract modules, 12 native images"));
    assert!(graph.contains("data-node=\"0\"") && !graph.contains("role=\"grid\""));
    let table = modules("bmg", true);
    assert!(table.contains("role=\"grid\""), "{table}");
    assert!(table.contains("1 of 12 abstract modules"), "{table}");
    assert_eq!(count(&table, "aria-selected=\"true\""), 1);
    for as_table in [false, true] {
        let wrong = modules("size>x", as_table);
        assert!(wrong.contains("role=\"alert\""), "{wrong}");
        assert!(
            wrong.contains("id=\"modules-filter\""),
            "it can be put right"
        );
    }
    let none = modules("nothing_like_it", false);
    assert!(none.contains("No abstract modules match the filter."));
}

#[test]
fn properties_name_their_owner() {
    let text = panel(PanelId::List(ListId::Properties), || {
        let (mut file, mut view) = File::open("matmul.syclbin");
        let query = Query {
            of: view.opened.root.span,
            ..Query::default()
        };
        file.list(&mut view, ListId::Properties, query, 0);
        view
    });
    assert!(text.contains("File properties"), "{text}");
    assert!(text.contains("Properties of the SYCLBIN"), "{text}");
    assert_eq!(count(&text, "aria-selected=\"true\""), 1);
}

// A generic grid.

struct Numbers(u64);

impl GridData for Numbers {
    fn label(&self) -> String {
        "Numbers".to_owned()
    }

    fn columns(&self) -> Vec<GridColumn> {
        let column = |title: &str| GridColumn {
            title: title.to_owned(),
            ..GridColumn::default()
        };
        vec![column("a"), column("b")]
    }

    fn rows(&self) -> u64 {
        self.0
    }

    fn cells(&self, row: u64, _widths: &[u32]) -> Option<Vec<Html>> {
        // Odd rows are pending.
        row.is_multiple_of(2)
            .then(|| vec![html! { { row.to_string() } }, html! { "b" }])
    }

    fn selected(&self) -> Option<u64> {
        Some(4)
    }

    fn serial(&self) -> u64 {
        0
    }

    fn choose(&self, _: u64, _: usize, _: Option<u64>) {}
}

#[derive(Properties, PartialEq)]
struct NumbersProps {
    count: u64,
}

#[component]
fn NumberGrid(props: &NumbersProps) -> Html {
    html! { <DataGrid id="numbers" source={GridSource(Rc::new(Numbers(props.count)))} /> }
}

#[test]
fn a_grid_of_any_length() {
    let text = rendered::<NumberGrid>(|| NumbersProps { count: 1_000_000 });
    assert!(text.contains("aria-rowcount=\"1000001\""), "{text}");
    assert!(count(&text, "role=\"row\"") <= 100);
    assert!(text.contains("aria-activedescendant=\"numbers-4-0\""));
    assert!(text.contains("waits"), "rows that are not here yet");
    assert_eq!(count(&text, "aria-sort"), 0, "no column sorts");

    let none = rendered::<NumberGrid>(|| NumbersProps { count: 0 });
    assert_eq!(count(&none, "role=\"row\""), 1, "the header");
    assert!(none.contains("aria-activedescendant=\"numbers-head-0\""));
}

// The rest of the page.

#[test]
fn page_without_a_file_explains_itself() {
    let text = html(|| empty(Html::default()));
    assert!(text.contains("data-command=\"open\""), "{text}");
    assert!(count(&text, "data-command=\"sample ") >= 2, "{text}");
}

#[test]
fn the_inspector_of_the_file_and_of_free_bytes() {
    let text = html(|| inspector(&File::open("vecadd.bmg.zebin").1));
    assert!(text.contains("vecadd.bmg.zebin"), "{text}");
    let text = html(|| {
        let (_, mut view) = File::open("vecadd.bmg.zebin");
        let span = Span::new(SourceId::FILE, 0x20, 0x30);
        view.selection = Selection::bytes(Rc::from([]), span, SelectionOrigin::Jump);
        inspector(&view)
    });
    assert!(text.contains("16 bytes") && text.contains("0x20"), "{text}");
}

/// Every button in every panel names a command.
#[test]
fn buttons_name_commands() {
    for id in PanelId::all() {
        let text = panel(id, move || match id.list() {
            Some(list)
                if id != PanelId::List(ListId::Modules)
                    && id != PanelId::List(ListId::Properties) =>
            {
                listed("spill.dg2.zebin", list, Query::default(), 1)
            }
            _ => with_verdict("damaged.zebin", None),
        });
        let commands = text.split("data-command=\"").skip(1);
        for command in commands.filter_map(|rest| rest.split('"').next()) {
            assert!(command.parse::<Command>().is_ok(), "{command}");
        }
    }
}

#[test]
fn problems_and_their_absence_are_reported() {
    let calm = panel(PanelId::Problems, || {
        let mut view = with_verdict("vecadd.bmg.zebin", None);
        Rc::make_mut(&mut view.opened).diagnostics.clear();
        view
    });
    assert!(calm.contains("No problems found."), "{calm}");
    let damaged = panel(PanelId::Problems, || File::open("damaged.zebin").1);
    assert!(count(&damaged, "role=\"option\"") > 3, "{damaged}");
}

// The verdict.

fn with_verdict(name: &'static str, device: Option<&'static str>) -> View {
    let (mut file, mut view) = File::open(name);
    file.verdict(&mut view, device);
    view
}

#[test]
fn the_overview_keeps_the_two_statements_apart() {
    let text = panel(PanelId::Overview, || with_verdict("vecadd.bmg.zebin", None));
    assert!(text.contains("well-formed"), "{text}");
    assert!(text.contains("driver 26.27"), "{text}");
    assert!(text.contains("(the file’s target)"), "{text}");
    assert!(text.contains("<option value=\"bmg-g21\""), "{text}");
    assert!(text.contains("matching rule"), "{text}");

    // Another device has another verdict, and the file is equally well-formed.
    let text = panel(PanelId::Overview, || {
        with_verdict("vecadd.bmg.zebin", Some("dg2"))
    });
    assert!(
        text.contains("recompiled") && text.contains("(selected device)"),
        "{text}"
    );
    assert!(
        text.contains("well-formed") && !text.contains("malformed"),
        "{text}"
    );

    // An unknown device is reported.
    let text = panel(PanelId::Overview, || {
        let (mut file, mut view) = File::open("vecadd.bmg.zebin");
        file.verdict(&mut view, None);
        file.verdict(&mut view, Some("gtx"));
        view
    });
    assert!(text.contains("no device is called"), "{text}");
    // The verdict for another device would be an answer to another question.
    assert!(!text.contains("driver 26.27"), "{text}");
}

#[test]
fn missing_verdict_is_explained_in_its_place() {
    let text = panel(PanelId::Overview, || {
        let (_, mut view) = File::open("vecadd.bmg.zebin");
        let state = Rc::make_mut(&mut view.verdict);
        state.apply(VerdictChange::Requested((NodeId::ROOT, None)));
        let why = "The decoder crashed: memory.".into();
        state.apply(VerdictChange::Answered((NodeId::ROOT, None), Err(why)));
        view
    });
    assert!(text.contains("well-formed"), "{text}");
    assert!(text.contains("<dt>driver</dt>"), "{text}");
    assert_eq!(count(&text, "role=\"alert\""), 1, "{text}");
    assert!(text.contains("The decoder crashed: memory."), "{text}");
}

#[test]
fn problems_are_grouped_and_folded() {
    let text = panel(PanelId::Problems, || with_verdict("damaged.zebin", None));
    let driver = text.find("Driver 26.27 on").expect("the driver's group");
    let spec = text.find("Errors: the file violates").expect("the errors");
    assert!(driver < spec, "{text}");

    // A hundred equal warnings are one line that can be expanded.
    let many = || {
        let (_, mut view) = File::open("damaged.zebin");
        let opened = Rc::make_mut(&mut view.opened);
        let mut one = opened.diagnostics.first().cloned().unwrap();
        opened.diagnostics.clear();
        for at in 0..100 {
            one.diagnostic.primary.span = Span::new(SourceId::FILE, at, at + 1);
            opened.diagnostics.push(one.clone());
        }
        view
    };
    let folded = panel(PanelId::Problems, many);
    assert_eq!(count(&folded, "role=\"option\""), 1, "{folded}");
    assert!(folded.contains("100 ▸"), "{folded}");
    // The selected problem is not hidden.
    let shown = panel(PanelId::Problems, move || {
        let mut view = many();
        let span = Span::new(SourceId::FILE, 70, 71);
        view.selection = Selection::bytes(Rc::from([]), span, SelectionOrigin::Jump);
        view
    });
    assert!(count(&shown, "role=\"option\"") > 1, "{shown}");
    assert!(shown.contains("100 ▾"), "{shown}");
}

#[test]
fn walking_goes_through_the_driver_and_the_specification() {
    use zeview::ui::state::problem_list::{Class, describe, entries, step};
    let mut view = with_verdict("damaged.zebin", None);
    let all = entries(&view);
    assert!(all.is_sorted_by_key(|entry| entry.class));
    assert_eq!(all.first().map(|entry| entry.class), Some(Class::Driver));
    let first = describe(&view, all[0]).unwrap().span;
    assert_eq!(step(&view, true), Some(first));
    view.selection = Selection::bytes(Rc::from([]), first, SelectionOrigin::Jump);
    let second = step(&view, true).unwrap();
    assert_ne!(second, first);
    view.selection = Selection::bytes(Rc::from([]), second, SelectionOrigin::Jump);
    assert_eq!(step(&view, false), Some(first));
}

// Containers.

/// Returns a generated container, opened.
fn container() -> (File, View) {
    File::of("fat.a", crate::support::containers::ocloc_archive())
}

#[test]
fn the_overview_of_a_container_is_about_its_images() {
    let text = panel(PanelId::Overview, || {
        let (mut file, mut view) = container();
        file.verdict(&mut view, None);
        view
    });
    assert!(text.contains("Choose a GPU"), "{text}");
    assert!(text.contains("3 images"), "{text}");
    let text = panel(PanelId::Overview, || {
        let (mut file, mut view) = container();
        file.verdict(&mut view, Some("b580"));
        view
    });
    assert!(text.contains("on bmg-g21 (selected device)"), "{text}");
    assert!(text.contains("named for 20.1.0"), "{text}");
    let text = panel(PanelId::Overview, || {
        let (mut file, mut view) = container();
        file.verdict(&mut view, Some("gtx"));
        view
    });
    assert!(text.contains("no device is called"), "{text}");
}

#[test]
fn the_kernels_of_a_container_have_columns_for_the_image() {
    let text = panel(PanelId::KERNELS, || {
        let (mut file, mut view) = container();
        file.list(&mut view, ListId::Kernels, Query::default(), 0);
        view
    });
    assert!(
        text.contains("64.20.1.0") && text.contains("bmg-g21"),
        "{text}"
    );
    assert!(text.contains(">Image<"), "{text}");
}

#[test]
fn images_and_devices_are_tables() {
    let text = panel(PanelId::IMAGES, || {
        let (mut file, mut view) = container();
        file.list(&mut view, ListId::Images, Query::default(), 0);
        view
    });
    assert!(
        text.contains("generic_ir") && text.contains("loads"),
        "{text}"
    );
    let text = panel(PanelId::DEVICES, || {
        let (mut file, mut view) = container();
        file.list(&mut view, ListId::Devices, Query::default(), 0);
        view
    });
    assert!(
        text.contains("Xe2-HPG") && text.contains("named for 20.1.0"),
        "{text}"
    );
}
