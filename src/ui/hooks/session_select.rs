//! Selecting: by row, byte, range, path, and by what somebody types.

use std::pin::Pin;
use std::rc::Rc;

use super::session::{Click, Session, spawn};
use crate::model::{NodeId, SourceId, Span};
use crate::ui::place::{self, Place};
use crate::ui::route::{self, Target};
use crate::ui::selection::{self, Selection, Via};
use crate::ui::state::{Action, TabId, TreeChange};
use crate::worker::client::ClientError;
use crate::worker::protocol::{HitRow, Request, Response, Row};

type Way = Rc<[Row]>;

/// All of a field of so many bytes can be seen at once.
const NEAR: u64 = 64;

impl Session {
    /// Selects a row of the tree that is shown.
    pub fn select_row(&self, row: &Row, via: Via) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        self.overtake(tab);
        let selection = if row.id == NodeId::ROOT {
            Selection {
                via,
                ..Selection::root(row.span)
            }
        } else {
            Selection::node(view.tree.way(row).into(), via)
        };
        self.dispatch(Action::Select(tab, selection));
    }

    /// Selects a part of the opened file.
    pub fn select_part(&self, index: u64) {
        let Some((_, view)) = self.active() else {
            return;
        };
        if let Some(row) = view.tree.child(NodeId::ROOT, index) {
            self.select_row(row, Via::Jump);
        }
    }

    /// Selects the first `levels` rows of the way to what is selected now.
    pub fn select_above(&self, levels: usize) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        self.overtake(tab);
        let selection = match view.selection.way.get(..levels) {
            Some([]) | None => Selection {
                via: Via::Jump,
                ..Selection::root(view.opened.root.span)
            },
            Some(way) => Selection::node(way.into(), Via::Jump),
        };
        self.dispatch(Action::Select(tab, selection));
    }

    /// Selects the innermost field that a byte belongs to; the next time, what is around
    /// it.
    pub fn select_byte(self: &Rc<Self>, source: SourceId, offset: u64, via: Via) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        if let Some(click) = &mut *live.click.borrow_mut() {
            let shown = click
                .way
                .get(..click.level)
                .and_then(<[Row]>::last)
                .map(|r| r.id);
            let again = click.source == source
                && click.offset == offset
                && via == Via::Jump
                && shown == Some(view.selection.node_id());
            if again {
                click.level = if click.level > 1 {
                    click.level - 1
                } else {
                    click.way.len()
                };
                let way = click.way.get(..click.level).unwrap_or(&[]);
                self.overtake(tab);
                self.dispatch(Action::Select(tab, Selection::node(way.into(), via)));
                return;
            }
        }
        let session = Rc::clone(self);
        let request = Request::At { source, offset };
        self.go(
            tab,
            Box::pin(async move {
                let way = session.way(tab, request).await?;
                *live.click.borrow_mut() = Some(Click {
                    source,
                    offset,
                    level: way.len(),
                    way: Rc::clone(&way),
                });
                Ok(if way.is_empty() {
                    Selection::bytes(way, Span::at(source, offset, 1), via)
                } else {
                    Selection::node(way, via)
                })
            }),
        );
    }

    /// Selects bytes: the node that has exactly these, or else just them.
    pub fn select_span(self: &Rc<Self>, span: Span, via: Via) {
        if let Some((tab, _)) = self.active() {
            self.select_span_in(tab, span, via);
        }
    }

    fn select_span_in(self: &Rc<Self>, tab: TabId, span: Span, via: Via) {
        let session = Rc::clone(self);
        self.go(
            tab,
            Box::pin(async move {
                let way = session.way(tab, Request::Locate { span }).await?;
                Ok(Selection::bytes(way, span, via))
            }),
        );
    }

    /// Selects the innermost node that holds these bytes; just them, if that is no less than
    /// `whole`.
    pub fn select_around(self: &Rc<Self>, span: Span, whole: Option<Span>) {
        let Some((tab, _)) = self.active() else {
            return;
        };
        let session = Rc::clone(self);
        self.go(
            tab,
            Box::pin(async move {
                let way = session.way(tab, Request::Locate { span }).await?;
                let found = way.last().and_then(|row| row.span);
                let is_all = found.zip(whole).is_none_or(|(a, b)| a.contains(b));
                Ok(if is_all {
                    Selection::bytes(way, span, Via::Jump)
                } else {
                    Selection::node(way, Via::Jump)
                })
            }),
        );
    }

    /// Selects what an address points to.
    pub fn follow(self: &Rc<Self>, tab: TabId, target: Target) {
        let session = Rc::clone(self);
        self.go(
            tab,
            Box::pin(async move {
                let (section, offset, len) = match target {
                    Target::Path(path) => {
                        let way = session.find(tab, path).await?;
                        return Ok(Selection::node(way, Via::Address));
                    }
                    Target::Kernel { name, field } => {
                        let paths = route::kernel_paths(&name, field.as_deref());
                        let way = session.find_first(tab, paths).await?;
                        return Ok(Selection::node(way, Via::Address));
                    }
                    Target::Bytes {
                        section,
                        offset,
                        len,
                    } => (section, offset, len),
                };
                let base = match section {
                    Some(path) => session
                        .find(tab, path)
                        .await?
                        .last()
                        .and_then(|row| row.span),
                    None => None,
                };
                let base = base.unwrap_or(Span::at(SourceId::FILE, 0, 0));
                let span = Span::at(base.source, base.start.saturating_add(offset), len);
                let way = session.way(tab, Request::Locate { span }).await?;
                Ok(Selection::bytes(way, span, Via::Address))
            }),
        );
    }

    /// Goes where somebody has typed; says so if there is no such place.
    pub fn go_to(self: &Rc<Self>, typed: &str) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(place) = place::parse(typed) else {
            return;
        };
        let source = view.selection.source();
        let whole = view.whole(source);
        match place {
            Place::Offset(offset) if whole.holds(offset) => {
                let session = Rc::clone(self);
                self.go(
                    tab,
                    Box::pin(async move { session.at(tab, source, offset).await }),
                );
            }
            Place::Offset(offset) => {
                let size = crate::ui::words::grouped(whole.end);
                self.notice(format!(
                    "{offset:#x} lies behind the end: there are {size} bytes."
                ));
            }
            Place::Named { name, offset, or } => self.go_to_name(tab, name, offset, or),
        }
    }

    fn go_to_name(self: &Rc<Self>, tab: TabId, name: String, offset: Option<u64>, or: Option<u64>) {
        let session = Rc::clone(self);
        self.go(
            tab,
            Box::pin(async move {
                let way = match session.find(tab, name.clone()).await {
                    Ok(way) => way,
                    Err(ClientError::Failed(_)) => {
                        if let Some(offset) = or {
                            return session.at(tab, SourceId::FILE, offset).await;
                        }
                        let (hits, _) = session.hits(tab, name.clone(), 1).await?;
                        let span = hits.first().map(|hit| hit.span).ok_or_else(|| {
                            ClientError::Failed(format!("Nothing here is called “{name}”."))
                        })?;
                        session.way(tab, Request::Locate { span }).await?
                    }
                    Err(error) => return Err(error),
                };
                let base = way.last().and_then(|row| row.span);
                match (offset, base) {
                    (Some(offset), Some(base)) => {
                        let at = base.start.saturating_add(offset);
                        session.at(tab, base.source, at).await
                    }
                    _ => Ok(Selection::node(way, Via::Jump)),
                }
            }),
        );
    }

    /// The field that a byte belongs to; the byte itself, if that is a long one.
    async fn at(&self, tab: TabId, source: SourceId, at: u64) -> Result<Selection, ClientError> {
        let way = self.way(tab, Request::At { source, offset: at }).await?;
        let field = way.last().and_then(|row| row.span);
        let is_near = field.is_some_and(|span| span.holds(at) && span.len() <= NEAR);
        Ok(if is_near {
            Selection::node(way, Via::Jump)
        } else {
            Selection::bytes(way, Span::at(source, at, 1), Via::Jump)
        })
    }

    /// Looks for what somebody has typed.
    pub fn search(
        self: &Rc<Self>,
        typed: String,
        limit: u32,
        done: Box<dyn FnOnce(Vec<HitRow>, bool)>,
    ) {
        let Some((tab, _)) = self.active() else {
            return;
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            match session.hits(tab, typed, limit).await {
                Ok((hits, more)) => done(hits, more),
                Err(error) => {
                    session.trouble(tab, &error);
                    done(Vec::new(), false);
                }
            }
        }));
    }

    /// How the innermost node is called that holds a byte.
    pub fn name_of_byte(
        self: &Rc<Self>,
        source: SourceId,
        offset: u64,
        done: Box<dyn FnOnce(String)>,
    ) {
        let Some((tab, _)) = self.active() else {
            return;
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            if let Ok(way) = session.way(tab, Request::At { source, offset }).await {
                done(way.last().map(selection::name).unwrap_or_default());
            }
        }));
    }

    async fn hits(
        &self,
        tab: TabId,
        typed: String,
        limit: u32,
    ) -> Result<(Vec<HitRow>, bool), ClientError> {
        let client = self.client(tab).ok_or(ClientError::Cancelled)?;
        match client.ask(Request::Search { typed, limit }).await? {
            Response::Hits { hits, more } => Ok((hits, more)),
            _ => Err(ClientError::Unexpected),
        }
    }

    async fn find(&self, tab: TabId, path: String) -> Result<Way, ClientError> {
        self.way(tab, Request::Find { path }).await
    }

    /// The first of these paths that there is.
    async fn find_first(&self, tab: TabId, paths: Vec<String>) -> Result<Way, ClientError> {
        let mut found = Err(ClientError::Unexpected);
        for path in paths {
            found = self.find(tab, path).await;
            if !matches!(found, Err(ClientError::Failed(_))) {
                break;
            }
        }
        found
    }

    /// The rows on the way that a request asks for; the counts of those above the last are
    /// known afterwards.
    async fn way(&self, tab: TabId, request: Request) -> Result<Way, ClientError> {
        let client = self.client(tab).ok_or(ClientError::Cancelled)?;
        let Response::Way(mut way) = client.ask(request).await? else {
            return Err(ClientError::Unexpected);
        };
        way.retain(|row| row.id != NodeId::ROOT);
        let above = way.len().saturating_sub(1);
        for row in way.iter_mut().take(above) {
            if row.count.is_none() {
                row.count = self.detail(tab, row.id).await?.row.count;
            }
        }
        Ok(way.into())
    }

    /// Selects what comes out, unless something else was wanted since.
    fn go(
        self: &Rc<Self>,
        tab: TabId,
        selection: Pin<Box<dyn Future<Output = Result<Selection, ClientError>>>>,
    ) {
        let Some(live) = self.live(tab) else { return };
        let ticket = self.overtake(tab);
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let selection = selection.await;
            if live.wanted.get() != ticket {
                return;
            }
            match selection {
                Ok(selection) => {
                    let counts = selection
                        .way
                        .iter()
                        .filter_map(|row| Some(TreeChange::Count(row.id, row.count?)));
                    session.dispatch(Action::Tree(tab, counts.collect()));
                    session.dispatch(Action::Select(tab, selection));
                }
                Err(error) => session.trouble(tab, &error),
            }
        }));
    }

    /// What was wanted before is not wanted any more.
    fn overtake(&self, tab: TabId) -> u32 {
        let Some(live) = self.live(tab) else { return 0 };
        live.wanted.set(live.wanted.get().wrapping_add(1));
        live.wanted.get()
    }
}
