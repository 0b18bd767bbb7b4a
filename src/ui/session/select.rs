//! Selection by row, byte, range, path or typed location.
//!
//! Each is one request: the response has the path to the node, its details, the first selected
//! bytes, and the visible list's row. A tree row is known already and is selected at once.

use std::pin::Pin;
use std::rc::Rc;

use super::{Click, Session, spawn};
use crate::model::{NodeId, SourceId, Span};
use crate::tables::ListId;
use crate::ui::state::commands::Pane;
use crate::ui::state::selection::{self, Selection, SelectionOrigin};
use crate::ui::state::{Action, PanelId, SelectionDetails, TabId, View};
use crate::ui::text::goto::{self, Destination};
use crate::ui::text::route::{self, Target};
use crate::worker::client::ClientError;
use crate::worker::protocol::tree_order::{RowId, TreeOrder};
use crate::worker::protocol::{Follow, PREVIEW, Request, Response, Row, SelectionTarget};

type Ancestry = Rc<[Row]>;

/// The selection for the path to the found node.
type Make = Box<dyn FnOnce(Ancestry) -> Selection>;

/// Maximum length of a field that is selected as a whole by a click, in bytes.
const NEAR: u64 = 64;

impl Session {
    /// Selects a row of the visible tree.
    pub fn select_row(self: &Rc<Self>, tab: TabId, row: &Row, origin: SelectionOrigin) {
        let Some(view) = self.view(tab) else {
            return;
        };
        match RowId::of(row.id) {
            RowId::Node(NodeId::ROOT) => return self.select_root(tab, origin),
            RowId::Rest => return,
            _ => {}
        }
        let order = self.order(tab);
        let path: Ancestry = view.tree_in(order).ancestry(row).into();
        if order == TreeOrder::File {
            return self.select_known(tab, Selection::node(path, origin));
        }
        // The path in file order is not known.
        let make = move |ancestry| Selection {
            by_kernel: Some(path),
            ..Selection::node(ancestry, origin)
        };
        self.select(tab, SelectionTarget::Node(row.id), None, Box::new(make));
    }

    /// Finds a selection in the tree by kernel.
    pub(crate) fn find_by_kernel(self: &Rc<Self>, tab: TabId, selection: &Selection) {
        let place = SelectionTarget::Node(selection.node_id());
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            // Dropped if the selection has changed meanwhile.
            if let Ok((_, found)) = session.locate(tab, place, None).await {
                session.dispatch(Action::Selected(tab, Box::new(found)));
            }
        }));
    }

    /// Selects the opened file.
    pub(crate) fn select_root(self: &Rc<Self>, tab: TabId, origin: SelectionOrigin) {
        let state = self.state();
        let view = state.tab(tab).and_then(|tab| tab.view());
        let span = view.and_then(|view| view.opened.root.span);
        self.select_known(
            tab,
            Selection {
                origin,
                ..Selection::root(span)
            },
        );
    }

    /// Requests the details of the opened file, which is the initial selection.
    pub(crate) fn ask_root(self: &Rc<Self>, tab: TabId) {
        let session = Rc::clone(self);
        let root = SelectionTarget::Node(NodeId::ROOT);
        let found = async move { Ok(session.locate(tab, root, None).await?.1) };
        self.go(tab, Box::pin(found));
    }

    /// Selects a top-level part of the opened file.
    pub fn select_part(self: &Rc<Self>, index: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        if let Some(row) = view.tree.child(NodeId::ROOT, index) {
            let ancestry = Ancestry::from([row.clone()]);
            self.select_known(tab, Selection::node(ancestry, SelectionOrigin::Jump));
        }
    }

    /// Selects the ancestor of the selection at a depth, in a file or in the one in front.
    pub fn select_above(self: &Rc<Self>, file: Option<TabId>, depth: usize) {
        let Some((tab, view)) = self.file(file) else {
            return;
        };
        match view.selection.ancestry.get(..depth) {
            Some([]) | None => self.select_root(tab, SelectionOrigin::Jump),
            Some(ancestry) => {
                self.select_known(tab, Selection::node(ancestry.into(), SelectionOrigin::Jump))
            }
        }
    }

    /// Selects the innermost field of a byte; a repeated click selects what encloses it.
    pub fn select_byte(
        self: &Rc<Self>,
        tab: TabId,
        source: SourceId,
        offset: u64,
        origin: SelectionOrigin,
    ) {
        let Some(view) = self.view(tab) else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        if let Some(click) = &mut *live.click.borrow_mut() {
            let shown = click.ancestry.get(..click.level).and_then(<[Row]>::last);
            let again = click.source == source
                && click.offset == offset
                && origin == SelectionOrigin::Jump
                && shown.map(|row| row.id) == Some(view.selection.node_id());
            if again {
                click.level = match click.level {
                    // After the outermost, the innermost again.
                    0 | 1 => click.ancestry.len(),
                    level => level - 1,
                };
                let ancestry = click.ancestry.get(..click.level).unwrap_or(&[]);
                return self.select_known(tab, Selection::node(ancestry.into(), origin));
            }
        }
        let make = move |ancestry: Ancestry| {
            *live.click.borrow_mut() = Some(Click {
                source,
                offset,
                level: ancestry.len(),
                ancestry: Rc::clone(&ancestry),
            });
            if ancestry.is_empty() {
                Selection::bytes(ancestry, Span::with_len(source, offset, 1), origin)
            } else {
                Selection::node(ancestry, origin)
            }
        };
        self.select(
            tab,
            SelectionTarget::Byte(source, offset),
            None,
            Box::new(make),
        );
    }

    /// Selects bytes: the node with exactly these, or else the plain range.
    pub fn select_span(self: &Rc<Self>, span: Span, origin: SelectionOrigin) {
        if let Some((tab, _)) = self.active() {
            self.select_span_of(tab, span, origin);
        }
    }

    /// Selects bytes of a loaded file.
    pub fn select_span_of(self: &Rc<Self>, tab: TabId, span: Span, origin: SelectionOrigin) {
        let make = move |ancestry| Selection::at(ancestry, span, origin);
        self.select(tab, SelectionTarget::Span(span), None, Box::new(make));
    }

    /// Selects the part of an instruction at this column of its text.
    pub fn select_operand(self: &Rc<Self>, span: Span, at: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let encoding = view
            .lists
            .get(ListId::Instructions)
            .query
            .encoding()
            .cloned();
        let make = |ancestry| Selection::node(ancestry, SelectionOrigin::Jump);
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let place = SelectionTarget::Part { span, at, encoding };
        self.select(tab, place, Some(span), Box::new(make));
    }

    /// Selects the innermost node that contains these bytes, if it is inside `within`; otherwise
    /// the plain range.
    pub fn select_around(self: &Rc<Self>, span: Span, within: Span) {
        let Some((tab, _)) = self.active() else {
            return;
        };
        let make = move |ancestry: Ancestry| {
            let node = ancestry.last().and_then(|row| row.span);
            if node.is_none_or(|node| node.contains(within)) {
                Selection::bytes(ancestry, span, SelectionOrigin::Jump)
            } else {
                Selection::node(ancestry, SelectionOrigin::Jump)
            }
        };
        let place = SelectionTarget::Around { span, within };
        self.select(tab, place, None, Box::new(make));
    }

    /// Selects the document of the visible list.
    pub fn select_document(self: &Rc<Self>, list: ListId) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let document = view.lists.get(list).document.unwrap_or(NodeId::ROOT);
        let make = |ancestry| Selection::node(ancestry, SelectionOrigin::Jump);
        self.select(tab, SelectionTarget::Node(document), None, Box::new(make));
    }

    /// Selects the target of an address.
    pub fn follow(self: &Rc<Self>, tab: TabId, target: Target) {
        let session = Rc::clone(self);
        self.go(
            tab,
            Box::pin(async move {
                let node = |ancestry| Selection::node(ancestry, SelectionOrigin::Address);
                let (section, offset, len) = match target {
                    Target::Path(path) => {
                        let place = SelectionTarget::Path(path);
                        return session.find(tab, place, None, Box::new(node)).await;
                    }
                    Target::Kernel { name, field, of } => {
                        let place = SelectionTarget::Kernel {
                            query: of.query(name),
                            paths: route::field_paths(field.as_deref()),
                        };
                        return session.find(tab, place, None, Box::new(node)).await;
                    }
                    Target::Instruction { kernel, offset, of } => {
                        let place = SelectionTarget::Instruction {
                            query: of.query(kernel),
                            offset,
                        };
                        return session.find(tab, place, None, Box::new(node)).await;
                    }
                    Target::Bytes {
                        section,
                        offset,
                        len,
                    } => (section, offset, len),
                };
                let base = match section {
                    Some(path) => session.base(tab, path).await?,
                    None => None,
                };
                let base = base.unwrap_or(Span::with_len(SourceId::FILE, 0, 0));
                let span = Span::with_len(base.source, base.start.saturating_add(offset), len);
                let make =
                    move |ancestry| Selection::bytes(ancestry, span, SelectionOrigin::Address);
                session
                    .find(tab, SelectionTarget::Span(span), None, Box::new(make))
                    .await
            }),
        );
    }

    /// Goes to a typed location, in a file or in the one in front; shows a message if it does not
    /// exist.
    pub fn go_to(self: &Rc<Self>, file: Option<TabId>, typed: &str) {
        let Some((tab, view)) = self.file(file) else {
            return;
        };
        if let Some(code) = self.code_shown(&view)
            && let Some(place) = goto::in_code(typed)
        {
            let (at, len) = (place.offset(), code.len());
            if at >= len {
                return self.notice(format!(
                    "{typed} is past the end of this code ({len:#x} bytes). For an offset in the file, type file:{typed}."
                ));
            }
            let span = Span::with_len(code.source, code.start.saturating_add(at), 0);
            let make = |ancestry| Selection::node(ancestry, SelectionOrigin::Jump);
            return self.select(tab, SelectionTarget::Span(span), None, Box::new(make));
        }
        let Some(place) = goto::parse(typed) else {
            return;
        };
        // A byte offset asks for the bytes pane.
        if matches!(place, Destination::Offset(_)) {
            self.show_pane(Pane::Bytes);
        }
        let source = view.selection.source();
        let whole = view.whole(source);
        match place {
            Destination::Offset(offset) if whole.contains_offset(offset) => {
                let session = Rc::clone(self);
                self.go(
                    tab,
                    Box::pin(async move { session.at(tab, source, offset).await }),
                );
            }
            Destination::Offset(offset) => {
                let size = crate::ui::text::format::bytes(whole.end);
                self.notice(format!("{offset:#x} is past the end of the file ({size})."));
            }
            Destination::Named { name, offset, or } => self.go_to_name(tab, name, offset, or),
        }
    }

    /// The visible code: typed offsets are relative to it.
    fn code_shown(&self, view: &View) -> Option<Span> {
        let of = view.lists.get(ListId::Instructions).query.of;
        of.filter(|_| view.panel == PanelId::ASSEMBLY)
    }

    /// The file offset of a typed location, if it is one; in code, relative to the code.
    pub fn offset_of(&self, typed: &str) -> Option<u64> {
        let (_, view) = self.active()?;
        if self.code_shown(&view).is_some() && !typed.trim().starts_with("file:") {
            return None;
        }
        match goto::parse(typed)? {
            Destination::Offset(offset) => {
                let whole = view.whole(view.selection.source());
                whole.contains_offset(offset).then_some(offset)
            }
            Destination::Named { .. } => None,
        }
    }

    fn go_to_name(self: &Rc<Self>, tab: TabId, name: String, offset: Option<u64>, or: Option<u64>) {
        let session = Rc::clone(self);
        self.go(
            tab,
            Box::pin(async move {
                let make = Box::new(|ancestry| Selection::node(ancestry, SelectionOrigin::Jump));
                let path = SelectionTarget::Path(name.clone());
                let found = match session.find(tab, path, None, make).await {
                    // Not a path: an offset, or else a text to search for.
                    Err(ClientError::Failed(_)) => {
                        if let Some(offset) = or {
                            return session.at(tab, SourceId::FILE, offset).await;
                        }
                        let (hits, _) = session.found(tab, &name, 1, &|_| true).await?;
                        let span = hits.first().map(|hit| hit.span).ok_or_else(|| {
                            ClientError::Failed(format!("“{name}” was not found."))
                        })?;
                        let make =
                            move |ancestry| Selection::bytes(ancestry, span, SelectionOrigin::Jump);
                        let place = SelectionTarget::Span(span);
                        session.find(tab, place, None, Box::new(make)).await?
                    }
                    found => found?,
                };
                let base = found.ancestry.last().and_then(|row| row.span);
                match (offset, base) {
                    (Some(offset), Some(base)) => {
                        let at = base.start.saturating_add(offset);
                        session.at(tab, base.source, at).await
                    }
                    _ => Ok(found),
                }
            }),
        );
    }

    /// The field of a byte; the byte itself if the field is long.
    async fn at(
        &self,
        tab: TabId,
        source: SourceId,
        at: u64,
    ) -> Result<SelectionDetails, ClientError> {
        let make = move |ancestry: Ancestry| {
            let field = ancestry.last().and_then(|row| row.span);
            if field.is_some_and(|span| span.contains_offset(at) && span.len() <= NEAR) {
                Selection::node(ancestry, SelectionOrigin::Jump)
            } else {
                Selection::bytes(
                    ancestry,
                    Span::with_len(source, at, 1),
                    SelectionOrigin::Jump,
                )
            }
        };
        self.find(tab, SelectionTarget::Byte(source, at), None, Box::new(make))
            .await
    }

    /// The bytes of the node at a path.
    pub(crate) async fn base(&self, tab: TabId, path: String) -> Result<Option<Span>, ClientError> {
        let (ancestry, ..) = self.locate(tab, SelectionTarget::Path(path), None).await?;
        Ok(ancestry.last().and_then(|row| row.span))
    }

    /// The label of the innermost node that contains a byte.
    pub fn name_of_byte(
        self: &Rc<Self>,
        tab: TabId,
        source: SourceId,
        offset: u64,
        done: Box<dyn FnOnce(String)>,
    ) {
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let place = SelectionTarget::Byte(source, offset);
            if let Ok((ancestry, ..)) = session.locate(tab, place, None).await {
                done(ancestry.last().map(selection::name).unwrap_or_default());
            }
        }));
    }

    /// The list shown with the selection, and its generation. `current` is the entry of its current
    /// row.
    fn followed(&self, tab: TabId, current: Option<Span>) -> Option<(u32, Follow)> {
        let state = self.state();
        let view = state.tab(tab)?.view()?;
        let list = view.lists.get(view.panel.list()?);
        let follow = Follow {
            document: list.document.unwrap_or(view.selection.document()),
            list: list.id,
            query: list.query.clone(),
            current: current.or(list.pinned()),
            or_first: view.panel == PanelId::Arguments,
        };
        Some((list.rows.generation, follow))
    }

    /// Requests what is at a location, and the list row for it.
    pub(crate) async fn locate(
        &self,
        tab: TabId,
        place: SelectionTarget,
        follow: Option<(u32, Follow)>,
    ) -> Result<(Ancestry, SelectionDetails), ClientError> {
        let list = follow.as_ref().map(|(of, follow)| (follow.list, *of));
        let request = Request::Select {
            order: self.order(tab),
            place,
            follow: follow.map(|(_, follow)| follow),
        };
        let Response::Selected(mut answer) = self.ask(tab, request).await? else {
            return Err(ClientError::Unexpected);
        };
        answer.ancestry.retain(|row| row.id != NodeId::ROOT);
        let ancestry: Ancestry = answer.ancestry.into();
        let at = answer.list;
        let found = SelectionDetails {
            selection: None,
            ancestry: Rc::clone(&ancestry),
            by_kernel: answer.by_kernel.map(Into::into),
            detail: Rc::new(answer.detail),
            preview: Some(answer.preview.into()),
            list: list.map(|(list, of)| (list, of, at)),
        };
        Ok((ancestry, found))
    }

    /// The selection at a location.
    pub(crate) async fn find(
        &self,
        tab: TabId,
        place: SelectionTarget,
        current: Option<Span>,
        make: Make,
    ) -> Result<SelectionDetails, ClientError> {
        // The response has the node's bytes, or the requested ones.
        let requested = match place {
            SelectionTarget::Span(span) | SelectionTarget::Around { span, .. } => Some(span),
            _ => None,
        };
        let follow = self.followed(tab, current);
        let (ancestry, mut found) = self.locate(tab, place, follow).await?;
        let node = ancestry.last().and_then(|row| row.span);
        let selection = make(ancestry);
        let from = requested
            .filter(|requested| selection.span == Some(*requested))
            .or(node);
        let bytes = found.preview.take();
        found.preview = bytes.and_then(|bytes| part(&bytes, from?, selection.span?));
        found.selection = Some(Selection {
            by_kernel: selection.by_kernel.or(found.by_kernel.clone()),
            ..selection
        });
        Ok(found)
    }

    /// Selects what is at a location; `current` is the entry of the row chosen in the visible list.
    pub(crate) fn select(
        self: &Rc<Self>,
        tab: TabId,
        place: SelectionTarget,
        current: Option<Span>,
        make: Make,
    ) {
        let session = Rc::clone(self);
        self.go(
            tab,
            Box::pin(async move { session.find(tab, place, current, make).await }),
        );
    }

    /// Selects a node whose row is known: at once, with details following.
    pub(crate) fn select_known(self: &Rc<Self>, tab: TabId, selection: Selection) {
        let follow = self.followed(tab, None);
        let list = follow.as_ref().map(|(_, follow)| follow.list);
        let place = SelectionTarget::Node(selection.node_id());
        let session = Rc::clone(self);
        let found = async move { Ok(session.locate(tab, place, follow).await?.1) };
        self.go(tab, Box::pin(found));
        self.dispatch(Action::Select(tab, selection, list));
    }

    /// Selects the result, unless the selection was changed meanwhile.
    pub(crate) fn go(
        self: &Rc<Self>,
        tab: TabId,
        found: Pin<Box<dyn Future<Output = Result<SelectionDetails, ClientError>>>>,
    ) {
        let Some(live) = self.live(tab) else { return };
        // Supersedes earlier requests.
        let ticket = live.last_selection.get().wrapping_add(1);
        live.last_selection.set(ticket);
        let request = live.request.take();
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let found = found.await;
            if live.last_selection.get() != ticket {
                return;
            }
            let found = match found {
                Ok(found) => found,
                Err(ClientError::Failed(why)) => {
                    session.post_failure(tab, &why, &request);
                    return session.notice(why);
                }
                Err(error) => return session.handle_error(tab, &error),
            };
            let span = match (&found.selection, &found.preview) {
                (Some(selection), None) => selection.span.filter(|span| !span.is_empty()),
                _ => None,
            };
            session.dispatch(Action::Selected(tab, Box::new(found)));
            if let Some(span) = span {
                match session.read(tab, span.subspan(0, PREVIEW)).await {
                    Ok(piece) => {
                        session.dispatch(Action::Preview(tab, span, piece.bytes.into()));
                    }
                    Err(error) => session.handle_error(tab, &error),
                }
            }
        }));
    }
}

/// The first of the selected bytes, if they are among those that begin at `from`.
fn part(bytes: &[u8], from: Span, span: Span) -> Option<Rc<[u8]>> {
    let skip = span.start.checked_sub(from.start)?;
    let wanted = usize::try_from(span.len().min(PREVIEW)).ok()?;
    let skip = usize::try_from(skip).ok()?;
    let part = bytes.get(skip..skip.checked_add(wanted)?)?;
    (span.source == from.source).then(|| part.into())
}
