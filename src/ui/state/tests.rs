use super::*;
use crate::diff::FileSummary;
use crate::model::NodeKind;
use crate::model::SourceId;
use crate::tables::Row as ListRow;
use crate::tables::RowDetails;
use crate::tables::query::Query;
use crate::ui::graphs::graph_view::GraphSubject;
use crate::ui::state::compare::Base;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::tree::differing::DifferenceIndex;
use crate::ui::tree::tests::{opened, row};
use crate::worker::protocol::{CompareReport, ListPage, ListPlace};

fn tab(id: u32) -> Tab {
    Tab {
        id: TabId(id),
        name: format!("{id}.zebin").into(),
        origin: Origin::Local,
        following: Default::default(),
        phase: Phase::Waiting,
        work: None,
    }
}

fn reduced(actions: impl IntoIterator<Item = Action>) -> Rc<State> {
    let start = Rc::new(State::default());
    actions
        .into_iter()
        .fold(start, |state, action| state.reduce(action))
}

#[test]
fn closing_a_file_activates_its_neighbor() {
    let state = reduced([
        Action::Add(tab(1)),
        Action::Add(tab(2)),
        Action::Add(tab(3)),
        Action::Activate(TabId(2)),
        Action::Close(TabId(2)),
    ]);
    assert_eq!(state.active, Some(TabId(3)));
    let state = state.reduce(Action::Close(TabId(3)));
    assert_eq!(state.active, Some(TabId(1)));
    let state = state.reduce(Action::Close(TabId(1)));
    assert_eq!((state.active, state.tabs.len()), (None, 0));
}

#[test]
fn a_selection_expands_its_ancestors() {
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
    ]);
    let ancestry = [row(2, Some(0), 1, Some(4)), row(20, Some(2), 3, Some(0))];
    let selection = Selection::node(Rc::from(ancestry), SelectionOrigin::Jump);
    let state = state.reduce(Action::Select(TabId(1), selection, None));
    let view = state.active().and_then(|tab| tab.view()).expect("shown");
    assert!(view.tree.is_open(NodeId(2)));
    assert_eq!(view.selection.node_id(), NodeId(20));
}

#[test]
fn each_selection_has_a_unique_serial() {
    let select = || Action::Select(TabId(1), Selection::root(None), None);
    let open = [
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(1))),
        select(),
    ];
    let once = reduced(open);
    let serial = |state: &State| {
        let view = state.active().and_then(|tab| tab.view()).cloned();
        view.expect("shown").selection.serial
    };
    let before = serial(&once);
    assert_ne!(serial(&once.reduce(select())), before);
}

#[test]
fn late_responses_are_ignored() {
    let state = reduced([Action::Add(tab(1)), Action::Close(TabId(1))]);
    let state = state.reduce(Action::Opened(TabId(1), Rc::new(opened(1))));
    assert!(state.tabs.is_empty());
}

#[test]
fn a_reopened_file_keeps_its_panel() {
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(1))),
        Action::Panel(PanelId::Problems),
        Action::Changed(TabId(1), "gone".into()),
        Action::Opened(TabId(1), Rc::new(opened(2))),
    ]);
    let view = state.active().and_then(|tab| tab.view()).expect("shown");
    assert_eq!(view.panel, PanelId::Problems);
    assert_eq!(view.changed, None);
}

#[test]
fn following_a_link_restores_the_view() {
    let open = |shown: ViewOptions| {
        let state = reduced([
            Action::Add(tab(1)),
            Action::Opened(TabId(1), Rc::new(opened(1))),
            Action::Show(TabId(1), shown),
        ]);
        let view = state.active().and_then(|tab| tab.view()).expect("shown");
        (view.panel, view.link().shown)
    };
    let shown = |panel: &str, filter: &str, sort: &str| ViewOptions {
        panel: panel.to_owned(),
        filter: filter.to_owned(),
        sort: sort.to_owned(),
        device: "pvc".to_owned(),
        ..ViewOptions::default()
    };
    let mut groups = shown("kernels", "", "");
    groups.group = "image".to_owned();
    assert_eq!(open(groups.clone()), (PanelId::KERNELS, groups.clone()));
    // Only kernels have groups.
    groups.panel = "symbols".to_owned();
    let symbols = shown("symbols", "", "");
    assert_eq!(open(groups), (PanelId::List(ListId::Symbols), symbols));
    let kernels = shown("kernels", "spill_size>0", "-spill_size");
    assert_eq!(open(kernels.clone()), (PanelId::KERNELS, kernels));
    let symbols = shown("symbols", "", "name");
    assert_eq!(
        open(symbols.clone()),
        (PanelId::List(ListId::Symbols), symbols)
    );
    // A text has no filter, and the first panel is the default.
    let lines = open(shown("text", "k", "text"));
    assert_eq!(lines, (PanelId::List(ListId::Lines), shown("text", "", "")));
    let first = open(shown("overview", "k", "name"));
    assert_eq!(first, (PanelId::Overview, shown("", "", "")));
    let unknown = open(shown("cellar", "k", "name"));
    assert_eq!(unknown, (PanelId::Overview, shown("", "", "")));
}

#[test]
fn a_range_without_a_node_is_free() {
    let mut inner = row(2, Some(0), 1, Some(0));
    inner.span = Some(Span::new(SourceId::FILE, 8, 16));
    inner.head = 3;
    let ancestry: Rc<[Row]> = Rc::from([inner]);
    let whole = Selection::bytes(
        Rc::clone(&ancestry),
        Span::new(SourceId::FILE, 8, 16),
        SelectionOrigin::Jump,
    );
    assert!(!whole.free);
    assert_eq!(whole.extent(), Some(Span::new(SourceId::FILE, 5, 16)));
    let part = Selection::bytes(
        ancestry,
        Span::new(SourceId::FILE, 8, 12),
        SelectionOrigin::Jump,
    );
    assert!(part.free);
    assert_eq!(part.extent(), part.span);
}

fn detail(node: u32) -> Rc<Detail> {
    Rc::new(Detail {
        node: NodeId(node),
        bits: None,
        path: String::new(),
        doc: None,
        doc_source: None,
        known: Vec::new(),
        xrefs: Vec::new(),
        diagnostics: Vec::new(),
    })
}

fn list_at(document: u32, of: Option<Span>) -> Option<Box<ListAt>> {
    Some(Box::new(ListAt {
        document: NodeId(document),
        of,
        folded: Vec::new(),
        found: 3,
        place: Some(ListPlace {
            index: 1,
            count: 1,
            place: Some(1),
            entry: Span::new(SourceId::FILE, 8, 16),
            about: RowDetails::default(),
            short_title: None,
        }),
    }))
}

fn found(ancestry: &[Row], selection: Option<Selection>) -> SelectionDetails {
    let node = ancestry.last().map_or(0, |row| row.id.0);
    SelectionDetails {
        selection,
        ancestry: ancestry.into(),
        by_kernel: None,
        detail: detail(node),
        preview: Some(Rc::from([1, 2])),
        list: None,
    }
}

fn view(state: &State) -> &View {
    state.active().and_then(|tab| tab.view()).expect("shown")
}

#[test]
fn a_known_row_is_selected_at_once_and_filled_in_later() {
    let ancestry = [row(2, Some(0), 1, None), row(20, Some(2), 3, None)];
    let selection = Selection::node(Rc::from(ancestry.clone()), SelectionOrigin::Jump);
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
        Action::Panel(PanelId::KERNELS),
        Action::Select(TabId(1), selection, Some(ListId::Kernels)),
    ]);
    let before = view(&state).selection.serial;
    assert!(view(&state).detail().is_none());
    // Pending pages are not requested again.
    assert!(
        view(&state)
            .lists
            .get(ListId::Kernels)
            .is_current_for(before)
    );
    assert_eq!(view(&state).tree.count(&ancestry[0]), None);
    let counted = [row(2, Some(0), 1, Some(4)), row(20, Some(2), 3, Some(7))];
    let mut found = found(&counted, None);
    found.list = Some((ListId::Kernels, 0, list_at(0, None)));
    let state = state.reduce(Action::Selected(TabId(1), Box::new(found)));
    let view = view(&state);
    assert_eq!(view.selection.serial, before, "it is the same selection");
    assert_eq!(view.detail().map(|detail| detail.node), Some(NodeId(20)));
    assert_eq!((&*view.preview, view.row().count), (&[1, 2][..], Some(7)));
    assert_eq!(view.tree.count(&ancestry[0]), Some(4));
    let kernels = view.lists.get(ListId::Kernels);
    assert_eq!(
        (kernels.place(), kernels.is_current_for(before)),
        (Some(1), true)
    );
}

#[test]
fn responses_to_other_selections_are_dropped() {
    let ancestry = [row(2, Some(0), 1, None)];
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
    ]);
    let late = found(&ancestry, None);
    let state = state.reduce(Action::Selected(TabId(1), Box::new(late)));
    assert!(view(&state).detail.is_none() && view(&state).preview.is_empty());
}

#[test]
fn a_response_fills_in_all_parts_of_a_selection() {
    let ancestry = [row(2, Some(0), 1, Some(4))];
    let span = Span::new(SourceId::FILE, 8, 12);
    let selection = Selection::bytes(ancestry.clone().into(), span, SelectionOrigin::Jump);
    let mut found = found(&ancestry, Some(selection));
    found.list = Some((ListId::Modules, 0, list_at(5, None)));
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
        Action::Selected(TabId(1), Box::new(found)),
    ]);
    let view = view(&state);
    assert!(view.selection.free && view.detail().is_some() && !view.preview.is_empty());
    let modules = view.lists.get(ListId::Modules);
    assert!(modules.is_current_for(view.selection.serial));
    assert_eq!(modules.document, Some(NodeId(5)));
}

#[test]
fn the_row_of_a_selection_is_requested_again_after_a_list_change() {
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
    ]);
    let ancestry = [row(2, Some(0), 1, Some(4))];
    let selection = Selection::node(ancestry.clone().into(), SelectionOrigin::Address);
    let mut found = found(&ancestry, Some(selection));
    found.list = Some((ListId::Instructions, 0, list_at(5, None)));
    let query = Query {
        of: Some(Span::new(SourceId::FILE, 8, 12)),
        ..Query::default()
    };
    let change = ListChange::Query(query);
    let state = state.reduce(Action::List(TabId(1), ListId::Instructions, change));
    let state = state.reduce(Action::Selected(TabId(1), Box::new(found)));
    let view = view(&state);
    let instructions = view.lists.get(ListId::Instructions);
    assert!(!instructions.is_current_for(view.selection.serial));
}

fn text(id: u32, name: &'static str) -> Row {
    Row {
        kind: NodeKind::Text,
        name: name.into(),
        span: Some(Span::with_len(SourceId::FILE, 1000 * u64::from(id), 100)),
        ..row(id, Some(0), 0, None)
    }
}

fn lines_of(state: &State) -> (Option<u64>, Option<&str>) {
    let view = view(state);
    let of = view.lists.get(ListId::Lines).query.of;
    let shown = view.texts.shown.as_ref().map(|text| &*text.name);
    (of.map(|span| span.start), shown)
}

#[test]
fn the_metadata_is_the_first_text() {
    let texts = |document, rows| Action::Texts(TabId(1), TextsChange::Arrived(document, rows));
    let all = vec![text(1, ".visaasm.a"), text(2, ".ze_info")];
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
        texts(NodeId::ROOT, all),
    ]);
    assert_eq!(lines_of(&state), (Some(2000), Some(".ze_info")));
    let other = TextsChange::Show(text(1, ".visaasm.a"));
    let state = state.reduce(Action::Texts(TabId(1), other));
    assert_eq!(lines_of(&state), (Some(1000), Some(".visaasm.a")));
    // A document without texts does not show the text of another one.
    let state = state.reduce(texts(NodeId(9), Vec::new()));
    assert_eq!(lines_of(&state), (None, None));
    assert!(view(&state).texts.rows.is_empty());
}

#[test]
fn the_text_goes_with_the_selection() {
    let ancestry = [text(3, ".options"), row(4, Some(3), 0, Some(0))];
    let selection = Selection::node(ancestry.clone().into(), SelectionOrigin::Jump);
    assert_eq!(selection.text().map(|row| row.id), Some(NodeId(3)));
    let mut found = found(&ancestry, Some(selection));
    found.list = Some((ListId::Lines, 0, list_at(0, ancestry[0].span)));
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
        Action::Selected(TabId(1), Box::new(found)),
        Action::Texts(TabId(1), TextsChange::Matches(Some((1, 2)))),
    ]);
    assert_eq!(lines_of(&state), (Some(3000), Some(".options")));
    // Later responses do not replace it.
    let texts = TextsChange::Arrived(NodeId::ROOT, vec![text(2, ".ze_info")]);
    let state = state.reduce(Action::Texts(TabId(1), texts));
    assert_eq!(lines_of(&state), (Some(3000), Some(".options")));
    assert_eq!(view(&state).texts.matches, Some((1, 2)));
}

#[test]
fn a_text_is_the_outermost_one_below_the_innermost_document() {
    let mut file = row(5, Some(0), 1, Some(3));
    file.kind = NodeKind::File;
    let ancestry = [
        text(1, "outside"),
        file,
        text(2, ".ze_info"),
        text(4, "line 1"),
    ];
    let selection = Selection::node(ancestry.into(), SelectionOrigin::Jump);
    assert_eq!(selection.text().map(|row| row.id), Some(NodeId(2)));
    assert_eq!(selection.document(), NodeId(5));
    assert_eq!(Selection::root(None).text(), None);
    assert_eq!(Selection::root(None).document(), NodeId::ROOT);
}

#[test]
fn the_graph_goes_with_the_list_of_modules() {
    let modules = |change| Action::List(TabId(1), ListId::Modules, change);
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
        modules(ListChange::Failed(0, "none here".into())),
    ]);
    let list = |state: &State| {
        let list = view(state).lists.get(ListId::Modules);
        (list.document, list.rows.generation, list.failed.is_some())
    };
    assert_eq!(list(&state), (None, 0, true));
    // In a document with modules they are requested again.
    let state = state.reduce(modules(ListChange::At(1, 0, list_at(5, None))));
    assert_eq!(list(&state), (Some(NodeId(5)), 1, false));
    let mut page = crate::ui::graphs::module_graph::tests::empty(10_000);
    page.document = NodeId(5);
    let page = GraphChange::Page(1, None, GraphSubject::Modules(Rc::new(page)));
    let state = state.reduce(Action::Graph(TabId(1), ListId::Modules, page));
    let range = view(&state).graph.range.expect("the selection is visible");
    assert_eq!((range.0, view(&state).graph.found()), (0, Some(10_000)));
    // Another document has another graph.
    let state = state.reduce(modules(ListChange::At(2, 1, list_at(6, None))));
    let graph = &view(&state).graph;
    assert!(graph.latest().is_none() && graph.range.is_none());
}

#[test]
fn a_newer_version_keeps_the_view() {
    let query = Query {
        filter: "simd=16".to_owned(),
        sort: Some("name".into()),
        of: Some(Span::new(SourceId::FILE, 0, 8)),
        ..Query::default()
    };
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
        Action::PanelOf(TabId(1), PanelId::List(ListId::Symbols)),
        Action::List(TabId(1), ListId::Kernels, ListChange::Query(query)),
    ]);
    let view = |state: &State| Rc::clone(state.active().and_then(|tab| tab.view()).expect("shown"));
    let before = view(&state);
    let path: Rc<[Row]> = Rc::from([row(2, Some(0), 1, Some(4)), row(20, Some(2), 3, Some(5))]);
    let restored = Restored {
        selected: Rc::clone(&path),
        open: vec![(Rc::from([row(3, Some(0), 2, Some(4))]), true)],
    };
    let again = Action::Reopened(TabId(1), Rc::new(opened(4)), Box::new(restored));
    let after = view(&state.reduce(again));
    assert_ne!(after.opening, before.opening);
    assert!(after.tree.version() > before.tree.version());
    assert_eq!(
        (after.panel, after.tree.root().count),
        (PanelId::List(ListId::Symbols), Some(4))
    );
    assert!(after.tree.is_open(NodeId(3)) && after.tree.is_open(NodeId(2)));
    assert!(!after.tree.is_open(NodeId(20)));
    assert_eq!(after.selection.node_id(), NodeId(20));
    assert_ne!(after.selection.serial, before.selection.serial);
    let kernels = &after.lists.get(ListId::Kernels).query;
    assert_eq!(
        (&*kernels.filter, kernels.sort.as_deref()),
        ("simd=16", Some("name"))
    );
    // Offsets of the old version are invalid in the new one.
    assert_eq!(kernels.of, None);
}

#[test]
fn each_order_has_a_tree_of_its_own() {
    let kernel = row(900, Some(0), 1, Some(2));
    let rows = vec![row(901, Some(0), 0, Some(2)), kernel.clone()];
    let change = TreeChange::Rows(NodeId::ROOT, 0, 2, rows);
    let mut opened = opened(3);
    opened.by_kernel = Some(2);
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened)),
        Action::Tree(TabId(1), TreeOrder::Kernels, vec![change]),
    ]);
    let shown = view(&state);
    let second = |order| {
        shown
            .tree_in(order)
            .child(NodeId::ROOT, 1)
            .map(|row| row.id)
    };
    assert_eq!(second(TreeOrder::File), Some(NodeId(2)));
    assert_eq!(second(TreeOrder::Kernels), Some(NodeId(900)));
    // The selection is revealed in both orders as soon as its path is known.
    let ancestry = [row(3, Some(0), 2, Some(10)), row(30, Some(3), 0, Some(0))];
    let selection = Selection::node(Rc::from(ancestry.clone()), SelectionOrigin::Jump);
    let state = state.reduce(Action::Select(TabId(1), selection, None));
    assert!(view(&state).tree.is_open(NodeId(3)));
    let order = TreeOrder::Kernels;
    assert_eq!(view(&state).selection.path_in(order), None);
    let mut late = found(&ancestry, None);
    late.by_kernel = Some(Rc::from([kernel, row(1030, Some(900), 1, Some(0))]));
    let state = state.reduce(Action::Selected(TabId(1), Box::new(late)));
    let shown = view(&state);
    assert!(shown.tree_in(order).is_open(NodeId(900)));
    assert!(!shown.tree.is_open(NodeId(900)));
    let path = shown.selection.path_in(order).map(<[Row]>::len);
    assert_eq!(path, Some(2));
}

#[test]
fn the_order_by_kernel_is_for_files_with_kernels() {
    for (rows, expected) in [(Some(4), TreeOrder::Kernels), (None, TreeOrder::File)] {
        let mut opened = opened(3);
        opened.by_kernel = rows;
        let state = reduced([
            Action::Add(tab(1)),
            Action::Opened(TabId(1), Rc::new(opened)),
        ]);
        let layout = Layout {
            order: TreeOrder::Kernels,
            ..Layout::default()
        };
        assert_eq!(view(&state).order(&layout), expected);
        assert_eq!(view(&state).order(&Layout::default()), TreeOrder::File);
        // The opened file is the root in both orders.
        let root = view(&state).selection.path_in(expected);
        assert_eq!(root.map(<[Row]>::len), Some(0));
    }
}

fn answered(kept: Option<u64>) -> Action {
    let report = CompareReport {
        from: FileSummary::default(),
        to: FileSummary::default(),
        equal: false,
        same_meaning: false,
        differences: 5,
        verdict: "1 kernel differs.".into(),
        counts: Vec::new(),
        devices: Vec::new(),
        is_kernels_only: false,
        remarks: Vec::new(),
        is_cut: false,
        notes: Vec::new(),
        kept,
    };
    let change = CompareChange::Answered(1, Ok(Rc::new(report)));
    Action::Compare(TabId(1), change)
}

/// A comparison with another file begins.
fn comparing(run: u32) -> Action {
    let base = Base {
        tab: TabId(2),
        name: "b".into(),
        url: None,
    };
    Action::Compare(
        TabId(1),
        CompareChange::Requested(base, Default::default(), run),
    )
}

#[test]
fn the_result_of_a_comparison_does_not_stand_under_another_one() {
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
        comparing(1),
        answered(None),
    ]);
    let compare = |state: &State| Rc::clone(&view(state).compare);
    assert!(compare(&state).report().is_some() && !compare(&state).is_working());
    let state = state.reduce(comparing(2));
    assert!(compare(&state).report().is_none() && compare(&state).is_working());
    assert!(compare(&state).has_result, "its place stays");
    let state = state.reduce(answered(None));
    assert!(
        compare(&state).report().is_none(),
        "the result of the first"
    );
}

#[test]
fn the_chosen_difference_stays_while_it_exists() {
    let differences = |change| Action::List(TabId(1), ListId::Differences, change);
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
        comparing(1),
        answered(None),
    ]);
    let shown = |state: &State| {
        let row = view(state).lists.get(ListId::Changes).query.difference();
        (row, view(state).difference())
    };
    assert_eq!(shown(&state), (Some(0), Some(0)));
    let state = state.reduce(answered(Some(3)));
    assert_eq!(shown(&state), (Some(3), Some(3)));
    // In another order it is found once the rows arrive.
    let filtered = Query {
        filter: "part=kernel".to_owned(),
        ..Query::default()
    };
    let state = state.reduce(differences(ListChange::Query(filtered)));
    assert_eq!(shown(&state), (Some(3), None));
    let rows = [4, 3].map(|index| ListRow {
        index,
        entry: Span::default(),
        cells: Vec::new(),
        code: None,
    });
    let page = |generation| {
        let page = ListPage {
            document: NodeId::ROOT,
            subject: String::new(),
            rows: rows.to_vec(),
            start: 0,
            found: 2,
            total: 5,
            names: None,
            secondary: Default::default(),
            notes: Vec::new(),
            columns: Vec::new(),
            maxima: Vec::new(),
            counts: Vec::new(),
            devices: Vec::new(),
            trouble: None,
            map: None,
            reading: None,
        };
        differences(ListChange::Page(generation, Box::new(page)))
    };
    let generation = |state: &State| view(state).lists.get(ListId::Differences).rows.generation;
    let state = Rc::clone(&state).reduce(page(generation(&state)));
    assert_eq!(shown(&state), (Some(3), Some(1)));
    // The same after the next comparison.
    let state = state.reduce(answered(Some(4)));
    assert_eq!(shown(&state), (Some(4), None));
    let state = Rc::clone(&state).reduce(page(generation(&state)));
    assert_eq!(shown(&state), (Some(4), Some(0)));
    // The previous rows stay until the new ones arrive.
    let nothing = || DifferenceIndex::new(Default::default());
    let known = CompareChange::Differing(nothing(), nothing());
    let state = state.reduce(Action::Compare(TabId(1), known));
    assert!(view(&state).compare.knows_differing());
    let state = state.reduce(answered(Some(4)));
    assert!(!view(&state).compare.knows_differing());
    assert!(view(&state).compare.differing_rows().is_none());
    // It is gone: the first difference is shown.
    let state = state.reduce(answered(None));
    assert_eq!(shown(&state), (Some(0), None));
}
