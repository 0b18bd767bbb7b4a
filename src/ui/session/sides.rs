//! Two files side by side: selecting in one selects in the other.

use std::rc::Rc;

use super::replace::nearest;
use super::{Session, spawn};
use crate::model::{SourceId, Span};
use crate::ui::hooks::virtual_rows::{ScrolledSide, VirtualRows};
use crate::ui::state::compare::CompareChange;
use crate::ui::state::selection::{Selection, SelectionOrigin};
use crate::ui::state::{TabId, View};
use crate::ui::tree::differing::DifferenceIndex;
use crate::worker::client::ClientError;
use crate::worker::protocol::{Request, Response, SelectionTarget};

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
        // A file that has just been opened follows.
        let rank = |view: &View| (view.is_selection_made(), view.selection.serial);
        let (led, leader, follower) = if rank(one) >= rank(other) {
            (front, one, beside)
        } else {
            (beside, other, front)
        };
        // This selection came from the other file.
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
        let requested = move |session: &Session| {
            [led, follower].map(|tab| Some(session.live(tab)?.last_selection.get()))
        };
        let before = requested(self);
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let (path, _) = nearest(&client, &path).await;
            let state = session.state();
            let now = state.tab(led).and_then(|tab| tab.view());
            // A selection that was requested meanwhile is newer, in whichever file.
            let is_due = now.is_some_and(|view| view.selection.serial == serial)
                && requested(&session) == before;
            if is_due && !path.is_empty() {
                session.select_known(follower, Selection::node(path, SelectionOrigin::Follow));
            }
        }));
    }

    /// Requests which rows of the file in front and of the one beside it differ.
    pub(crate) fn ask_differing(self: &Rc<Self>, tab: TabId) {
        let compared = move |session: &Session| session.view(tab)?.compare.report().cloned();
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

    /// Requests the numbers that the decoder of the file beside the one in front gave to the
    /// unpacked sources with differing bytes, if there are any and it has unpacked some.
    pub(crate) fn renumber_differing(self: &Rc<Self>, tab: TabId, beside: TabId) {
        let state = self.state();
        let view = |tab| state.tab(tab).and_then(|tab| tab.view());
        let differing = view(tab).and_then(|view| view.compare.differing_rows().cloned());
        let (Some((from, to)), Some(base)) = (differing, view(beside)) else {
            return;
        };
        if from.sources().is_empty() || base.last_source() == SourceId::FILE {
            return;
        }
        let opening = base.opening;
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let request = Request::SourceNumbers(from.sources().to_vec());
            match session.ask(beside, request).await {
                Ok(Response::SourceNumbers(numbers)) => {
                    let state = session.state();
                    let view = |tab| state.tab(tab).and_then(|tab| tab.view());
                    let now = view(tab).and_then(|view| view.compare.differing_rows());
                    // The decoder or the comparison may have been replaced meanwhile.
                    let is_due = now.is_some_and(|(_, now)| *now == to)
                        && view(beside).is_some_and(|view| view.opening == opening);
                    if is_due {
                        let from = from.renumbered(&numbers);
                        session.compare_changed(tab, CompareChange::Renumbered(from));
                    }
                }
                Ok(_) => {}
                Err(error) => session.handle_error(beside, &error),
            }
        }));
    }

    /// Selects bytes in the file beside the one in front, if there is one. Returns the origin for
    /// the matching selection in the file in front.
    pub(crate) fn select_beside(self: &Rc<Self>, span: Option<Span>) -> SelectionOrigin {
        let state = self.state();
        let (Some((front, _)), Some(beside)) = (self.active(), state.beside()) else {
            return SelectionOrigin::Jump;
        };
        if let Some(span) = span {
            self.select_in_base(front, beside.id, span, SelectionOrigin::Follow);
        }
        SelectionOrigin::Follow
    }

    /// Selects bytes in the first file of a comparison, as soon as it is open. `span` has the
    /// numbers of the decoder of `tab`, the second file.
    pub(crate) fn select_in_base(
        self: &Rc<Self>,
        tab: TabId,
        base: TabId,
        span: Span,
        origin: SelectionOrigin,
    ) {
        let Some(live) = self.live(base) else { return };
        if !live.is_open.get() {
            live.selected_once_open.set(Some((tab, span, origin)));
            return;
        }
        let session = Rc::clone(self);
        let found = async move {
            let span = session.span_in_base(tab, base, span).await?;
            let make = move |ancestry| Selection::at(ancestry, span, origin);
            let target = SelectionTarget::Span(span);
            session.find(base, target, None, Box::new(make)).await
        };
        self.go(base, Box::pin(found));
    }

    /// Renumbers bytes of the first file of a comparison from the decoder of `tab`, the second
    /// file, to its own, which unpacks the source if it has not yet.
    async fn span_in_base(&self, tab: TabId, base: TabId, span: Span) -> Result<Span, ClientError> {
        if span.source == SourceId::FILE {
            return Ok(span);
        }
        let Response::BasePath(path) = self.ask(tab, Request::BasePath(span.source)).await? else {
            return Err(ClientError::Unexpected);
        };
        let whole = match path {
            Some(path) => self.base(base, path).await?,
            None => None,
        };
        let none = || ClientError::Failed("The bytes were not found in the first file.".to_owned());
        let source = whole.ok_or_else(none)?.source;
        Ok(Span { source, ..span })
    }
}
