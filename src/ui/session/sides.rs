//! Two files side by side: selecting in one selects in the other.

use std::rc::Rc;

use super::replace::nearest;
use super::{Session, spawn};
use crate::model::Span;
use crate::ui::hooks::virtual_rows::{ScrolledSide, VirtualRows};
use crate::ui::state::TabId;
use crate::ui::state::compare::CompareChange;
use crate::ui::state::selection::{Selection, SelectionOrigin};
use crate::ui::tree::differing::DifferenceIndex;
use crate::worker::protocol::{Request, Response};

impl Session {
    /// Synchronizes the scrolling of the bytes of two files, so that their selected bytes stay at
    /// the same height. `selected` is the row of the selection.
    pub fn scroll_in_step(self: &Rc<Self>, rows: &Rc<VirtualRows>, selected: u64, beside: bool) {
        let [front, back] = &mut *self.scrolled.borrow_mut();
        let side = if beside { back } else { front };
        *side = ScrolledSide {
            rows: Rc::downgrade(rows),
            selected,
        };
        let session = Rc::clone(self);
        let heard = move |first: f64| {
            let [front, back] = &*session.scrolled.borrow();
            let (own, other) = if beside { (back, front) } else { (front, back) };
            if let Some(rows) = other.rows.upgrade() {
                rows.scroll_to_row(first - own.selected as f64 + other.selected as f64);
            }
        };
        rows.on_scroll(Rc::new(heard));
    }

    /// Selects in one of two files the node with the path of the other's latest selection, or of
    /// its nearest ancestor that exists in both; otherwise leaves the selection.
    pub(crate) fn keep_in_step(self: &Rc<Self>, front: TabId, beside: TabId) {
        let state = self.state();
        let view = |tab| state.tab(tab).and_then(|tab| tab.view());
        let (Some(one), Some(other)) = (view(front), view(beside)) else {
            return;
        };
        let (led, leader, follower) = if one.selection.serial >= other.selection.serial {
            (front, one, beside)
        } else {
            (beside, other, front)
        };
        if leader.selection.origin == SelectionOrigin::Follow {
            return;
        }
        let selected = Rc::clone(&leader.selection.ancestry);
        if selected.is_empty() {
            return self.select_root(follower, SelectionOrigin::Follow);
        }
        let serial = leader.selection.serial;
        let path = leader.tree.path_by_names(&selected);
        let Some(client) = self.client(follower) else {
            return;
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let (path, _) = nearest(&client, &path).await;
            let state = session.state();
            let now = state.tab(led).and_then(|tab| tab.view());
            let is_due = now.is_some_and(|view| view.selection.serial == serial);
            if is_due && !path.is_empty() {
                session.select_known(follower, Selection::node(path, SelectionOrigin::Follow));
            }
        }));
    }

    /// Requests which rows of the file in front and of the one beside it differ.
    pub(crate) fn ask_differing(self: &Rc<Self>, tab: TabId) {
        let compared = move |session: &Session| session.view(tab)?.compare.report.clone();
        let Some(report) = compared(self) else { return };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            match session.ask(tab, Request::Differing).await {
                Ok(Response::Differing(differing)) => {
                    // It may have been compared with another file meanwhile.
                    if compared(&session).is_some_and(|now| Rc::ptr_eq(&now, &report)) {
                        let (from, to) = *differing;
                        let (from, to) = (DifferenceIndex::new(from), DifferenceIndex::new(to));
                        session.compare_changed(tab, CompareChange::Differing(from, to));
                    }
                }
                Ok(_) => {}
                Err(error) => session.handle_error(tab, &error),
            }
        }));
    }

    /// Selects bytes in the file beside the one in front, if there is one. Returns the origin for
    /// the matching selection in the file in front.
    pub(crate) fn select_beside(self: &Rc<Self>, span: Option<Span>) -> SelectionOrigin {
        let Some(beside) = self.state().beside().map(|tab| tab.id) else {
            return SelectionOrigin::Jump;
        };
        if let Some(span) = span {
            self.select_span_of(beside, span, SelectionOrigin::Follow);
        }
        SelectionOrigin::Follow
    }
}
