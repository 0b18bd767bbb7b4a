use super::*;
use crate::ui::graphs::module_graph::tests::empty;

fn page(found: u64) -> GraphSubject {
    GraphSubject::Modules(Rc::new(empty(found)))
}

/// A graph with this many modules.
fn drawn(found: u64, place: Option<u64>) -> GraphView {
    let mut view = GraphView::default();
    view.apply(GraphChange::Page(0, None, page(found)), 0, place);
    view
}

#[test]
fn stale_responses_are_not_drawn() {
    let mut view = GraphView::default();
    view.apply(GraphChange::Page(0, None, page(3)), 1, None);
    assert_eq!(view.latest(), None, "of another query");
    view.apply(GraphChange::Page(1, Some((0, 2)), page(3)), 1, None);
    assert_eq!(view.latest(), None, "of another range");
    view.apply(GraphChange::Page(1, None, page(3)), 1, None);
    assert_eq!(view.found(), Some(3));
    assert!(view.shown(1).is_some() && view.shown(2).is_none());
    view.apply(GraphChange::Range(Some((0, 2))), 1, None);
    assert!(view.shown(1).is_none(), "the drawing is that of all nodes");
}

#[test]
fn the_selection_is_visible() {
    let mut view = drawn(10_000, None);
    assert_eq!(view.range, None);
    view.follow(Some(5000));
    let (start, count) = view.range.expect("some of them");
    assert!((start..start + count).contains(&5000) && group_size(count, FAN) == 1);
    assert_eq!(view.crumbs().len(), 3);
    assert_eq!(view.crumbs()[0], (0, 10_000));
    // After going up, the view stays there.
    view.apply(GraphChange::Range(None), 0, Some(5000));
    view.apply(GraphChange::Page(0, None, page(10_000)), 0, Some(5000));
    assert_eq!(view.range, None);
    assert_eq!(
        drawn(10_000, Some(7)).crumbs().len(),
        3,
        "at the first time"
    );
    assert_eq!(drawn(10, Some(7)).range, None, "all are drawn");
}

#[test]
fn a_new_query_shows_the_first_modules() {
    let mut view = drawn(10_000, Some(7));
    view.renew(false);
    assert!(view.range.is_none() && view.latest().is_some());
    view.apply(GraphChange::AsTable(true), 0, None);
    view.renew(true);
    assert!(view.latest().is_none() && view.as_table);
}

#[test]
fn zoom_has_fixed_levels() {
    assert_eq!(Zoom::Fit.step(true), Zoom::Percent(125));
    assert_eq!(Zoom::Percent(25).step(false), Zoom::Percent(25));
    assert_eq!(Zoom::Percent(33).step(false), Zoom::Percent(25));
}
