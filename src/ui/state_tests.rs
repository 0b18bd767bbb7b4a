use super::super::selection::Via;
use super::super::tree::tests::{opened, row};
use super::*;

fn tab(id: u32) -> Tab {
    Tab {
        id: TabId(id),
        name: format!("{id}.zebin").into(),
        origin: Origin::Local,
        phase: Phase::Waiting,
    }
}

fn reduced(actions: impl IntoIterator<Item = Action>) -> Rc<State> {
    let start = Rc::new(State::default());
    actions
        .into_iter()
        .fold(start, |state, action| state.reduce(action))
}

#[test]
fn a_closed_file_gives_way_to_its_neighbour() {
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
fn a_selection_opens_the_way_to_it() {
    let state = reduced([
        Action::Add(tab(1)),
        Action::Opened(TabId(1), Rc::new(opened(3))),
    ]);
    let way = [row(2, Some(0), 1, Some(4)), row(20, Some(2), 3, Some(0))];
    let selection = Selection::node(Rc::from(way), Via::Jump);
    let state = state.reduce(Action::Select(TabId(1), selection));
    let view = state.active().and_then(|tab| tab.view()).expect("shown");
    assert!(view.tree.is_open(NodeId(2)));
    assert_eq!(view.selection.node_id(), NodeId(20));
}

#[test]
fn each_selection_has_another_number() {
    let select = || Action::Select(TabId(1), Selection::root(None));
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
fn what_comes_too_late_changes_nothing() {
    let state = reduced([Action::Add(tab(1)), Action::Close(TabId(1))]);
    let state = state.reduce(Action::Opened(TabId(1), Rc::new(opened(1))));
    assert!(state.tabs.is_empty());
}

#[test]
fn a_file_that_is_opened_again_keeps_its_panel() {
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
fn bytes_that_are_no_nodes_are_free() {
    let mut inner = row(2, Some(0), 1, Some(0));
    inner.span = Some(Span::new(SourceId::FILE, 8, 16));
    inner.head = 3;
    let way: Rc<[Row]> = Rc::from([inner]);
    let whole = Selection::bytes(Rc::clone(&way), Span::new(SourceId::FILE, 8, 16), Via::Jump);
    assert!(!whole.free);
    assert_eq!(whole.extent(), Some(Span::new(SourceId::FILE, 5, 16)));
    let part = Selection::bytes(way, Span::new(SourceId::FILE, 8, 12), Via::Jump);
    assert!(part.free);
    assert_eq!(part.extent(), part.span);
}
