//! Relocations, symbols and the lines of texts: the pages of their lists, the row that is looked
//! at, the list as text.

use std::rc::Rc;

use super::session::{Session, spawn};
use super::{dom, files};
use crate::model::kernels::table::Form;
use crate::model::linkage::list::{ListId, Query};
use crate::model::{NodeId, Span};
use crate::ui::acts::file_name;
use crate::ui::kernel_table::document_of;
use crate::ui::lists::{ListChange, text_of, trimmed};
use crate::ui::pages::PAGE;
use crate::ui::panels::PanelId;
use crate::ui::selection::Via;
use crate::ui::state::{Action, TabId, View};
use crate::worker::client::ClientError;
use crate::worker::protocol::{Ask, Request, Response};

/// The id of the field for what is looked for in a text.
pub const FIND: &str = "lines-filter";

/// What is done with an answer. One future serves all of them: each of its own would be more to
/// download.
type Then = Box<dyn FnOnce(&Rc<Session>, Result<Response, ClientError>)>;

impl Session {
    fn list_changed(&self, tab: TabId, list: ListId, change: ListChange) {
        self.dispatch(Action::List(tab, list, change));
    }

    fn ask_then(self: &Rc<Self>, tab: TabId, request: Request, then: Then) {
        let Some(client) = self.client(tab) else {
            return;
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let answer = client.ask(request).await;
            then(&session, answer);
        }));
    }

    fn ask_list(self: &Rc<Self>, tab: TabId, view: &View, list: ListId, ask: Ask, then: Then) {
        let known = view.lists.get(list);
        let request = Request::List {
            document: known.document,
            list,
            query: known.query.clone(),
            ask,
        };
        self.ask_then(tab, request, then);
    }

    /// Asks for the pages of these rows that are not here.
    pub fn need_list(self: &Rc<Self>, list: ListId, start: u64, end: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let known = view.lists.get(list);
        let has_text = list != ListId::Lines || known.query.text.is_some();
        if known.failed.is_some() || !has_text {
            return;
        }
        for page in known.pages.missing(start, end) {
            let key = (list, known.pages.generation, page);
            if !live.pages.borrow_mut().put(key, ()) {
                continue;
            }
            let live = Rc::clone(&live);
            let then = move |session: &Rc<Session>, answer| {
                live.pages.borrow_mut().take(key);
                let change = match answer {
                    Ok(Response::List(page)) => ListChange::Page(key.1, page),
                    Err(ClientError::Failed(why)) => ListChange::Failed(key.1, why.into()),
                    Err(error) => return session.trouble(tab, &error),
                    Ok(_) => return,
                };
                session.list_changed(tab, list, change);
            };
            let ask = Ask::Rows(page * PAGE, PAGE);
            self.ask_list(tab, &view, list, ask, Box::new(then));
        }
    }

    /// Looks at the document that the selection is in, and at the row that it belongs to.
    pub fn follow_list(self: &Rc<Self>, list: ListId) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let selection = &view.selection;
        let document = document_of(selection);
        let known = view.lists.get(list);
        let mut span = selection.span;
        let request_of = match list {
            ListId::Lines => {
                span = selection.extent();
                self.follow_text(tab, &view, document);
                known.document
            }
            _ => document,
        };
        let Some(span) = span else { return };
        let request = Request::List {
            document: request_of,
            list,
            query: known.query.clone(),
            // After another query the row that leads there has another place.
            ask: Ask::At(known.kept(span).unwrap_or(span)),
        };
        let generation = known.pages.generation;
        let then = move |session: &Rc<Session>, answer| {
            // Where there are no symbols, those from before stay.
            if let Ok(Response::ListAt(place)) = answer {
                session.list_changed(tab, list, ListChange::Current(generation, place));
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Shows the text that the selection is in; stays with the one from before where it is in
    /// none.
    fn follow_text(self: &Rc<Self>, tab: TabId, view: &View, document: NodeId) {
        let list = ListId::Lines;
        let text = text_of(&view.selection);
        let stays = text.is_some();
        if let Some(text) = text {
            self.list_changed(tab, list, ListChange::Text(text.clone()));
        }
        if view.lists.texts_of != Some(document) {
            let then = move |session: &Rc<Session>, answer| {
                if let Ok(Response::Rows(texts)) = answer {
                    session.list_changed(tab, list, ListChange::Texts(document, texts, stays));
                }
            };
            self.ask_then(tab, Request::Texts { document }, Box::new(then));
        }
    }

    /// Selects what the cell of a row leads to; the row stays the one that is looked at.
    pub fn choose_in_list(self: &Rc<Self>, list: ListId, place: u64, column: usize) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let known = view.lists.get(list);
        let Some(row) = known.pages.row(place) else {
            let then = |session: &Rc<Session>, answer| {
                if let Ok(Response::List(page)) = answer
                    && let Some(row) = page.rows.first()
                {
                    session.select_span(row.span, Via::Jump);
                }
            };
            return self.ask_list(tab, &view, list, Ask::Rows(place, 1), Box::new(then));
        };
        if list == ListId::Lines {
            return self.select_around(trimmed(row), known.query.text);
        }
        let cell = row.cells.get(column).and_then(|cell| cell.to);
        let (to, generation) = (cell.unwrap_or(row.span), known.pages.generation);
        let then = move |session: &Rc<Session>, answer| {
            if let Ok(Response::ListAt(place)) = answer {
                session.list_changed(tab, list, ListChange::Current(generation, place));
            }
            session.select_span(to, Via::Jump);
        };
        self.ask_list(tab, &view, list, Ask::At(row.span), Box::new(then));
    }

    /// Shows other rows, or in another order.
    pub fn set_list_query(&self, list: ListId, query: Query) {
        if let Some((tab, _)) = self.active() {
            self.list_changed(tab, list, ListChange::Query(query));
        }
    }

    /// Shows one of the texts.
    pub fn choose_text(self: &Rc<Self>, place: &str) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let place: Option<usize> = place.parse().ok();
        let text = place.and_then(|place| view.lists.texts.get(place));
        if let Some(span) = text.and_then(|row| row.span) {
            self.select_span(span, Via::Jump);
        }
    }

    /// Selects the next place (or the one before) where something stands in the text that is
    /// shown; `anew`, from where the selection is.
    pub fn find_in_text(self: &Rc<Self>, forward: bool, anew: bool) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let list = ListId::Lines;
        let Some(text) = view.lists.get(list).query.text else {
            return;
        };
        let typed = dom::text_of(FIND);
        if typed.is_empty() {
            return self.list_changed(tab, list, ListChange::Matches(None));
        }
        let Some(live) = self.live(tab) else { return };
        let serial = view.selection.serial;
        let coming = live.found.get().filter(|(before, _)| *before == serial);
        let selected = coming.map(|(_, span)| span).or(view.selection.span);
        let selected = selected.filter(|span| text.contains(*span));
        let step = u64::from(forward && !anew);
        let from = selected.map_or(text.start, |span| span.start.saturating_add(step));
        let then = move |session: &Rc<Session>, answer| match answer {
            Ok(Response::ListAt(found)) => {
                let matches = Some((found.place.unwrap_or(0), found.count));
                session.list_changed(tab, list, ListChange::Matches(matches));
                if let Some(span) = found.entry {
                    let serial = session.active().map(|(_, view)| view.selection.serial);
                    live.found.set(serial.map(|serial| (serial, span)));
                    session.select_span(span, Via::Step);
                }
            }
            Ok(_) => {}
            Err(error) => session.trouble(tab, &error),
        };
        let ask = Ask::Find(typed, from, forward);
        self.ask_list(tab, &view, list, ask, Box::new(then));
    }

    /// Does what a button of a list says: the list's name, and what.
    pub fn list_act(self: &Rc<Self>, with: &str) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let (name, what) = with.split_once(' ').unwrap_or((with, ""));
        let list = match name {
            "symbols" => ListId::Symbols,
            "lines" => ListId::Lines,
            _ => ListId::Relocations,
        };
        let current = view.lists.get(list).current.clone();
        let extension = match what {
            "csv" | "md" => Some(what),
            _ => None,
        };
        let file = extension.map(|end| file_name([&view.opened.name, name], end));
        match (what, current) {
            ("next" | "before", _) => self.find_in_text(what == "next", false),
            ("save", _) => {
                if let (Some(text), Some(row)) = (view.lists.get(list).query.text, &view.lists.text)
                {
                    self.save_bytes(text, file_name([&view.opened.name, &row.name], "txt"));
                }
            }
            ("name", Some(current)) => self.copy(current.title.clone(), "Name"),
            ("users", Some(current)) => {
                let query = Query {
                    filter: current.filter.clone(),
                    ..Query::default()
                };
                self.list_changed(tab, ListId::Relocations, ListChange::Query(query));
                self.dispatch(Action::Panel(PanelId::Relocations));
            }
            ("lines", Some(current)) => {
                self.list_text(tab, &view, list, Form::Tabs, current.entry, None);
            }
            ("lines" | "name" | "users", None) => {}
            _ => {
                let form = match what {
                    "csv" => Form::Csv,
                    "markdown" | "md" => Form::Markdown,
                    _ => Form::Tabs,
                };
                let all = view.lists.get(list).query.text;
                self.list_text(tab, &view, list, form, all, file);
            }
        }
    }

    /// Copies the list as it is shown, or saves it as a file; of a text, these bytes.
    fn list_text(
        self: &Rc<Self>,
        tab: TabId,
        view: &View,
        list: ListId,
        form: Form,
        text: Option<Span>,
        file: Option<String>,
    ) {
        let known = view.lists.get(list);
        let query = Query {
            text,
            ..known.query.clone()
        };
        let request = Request::List {
            document: known.document,
            list,
            query,
            ask: Ask::Written(form),
        };
        let then = move |session: &Rc<Session>, answer| match (answer, file) {
            (Ok(Response::Text(text)), Some(file)) => files::save_text(&text, &file),
            (Ok(Response::Text(text)), None) => session.copy(text, "Text"),
            (Ok(_), _) => {}
            (Err(error), _) => session.trouble(tab, &error),
        };
        self.ask_then(tab, request, Box::new(then));
    }
}
