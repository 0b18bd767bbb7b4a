//! Messages for programs that build on this page, such as an editor: tables as text, rows, source
//! lines, comparisons, changed files, commands.

use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::embedder::{Embedder, file_of};
use super::gate::{Message, Received, Refusal};
use crate::model::{NodeId, Str};
use crate::tables::ListId;
use crate::tables::query::Query;
use crate::tables::write::Form;
use crate::ui::session::{Session, spawn};
use crate::ui::state::commands::Command;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{Action, PanelId, TabId, View};
use crate::worker::client::ClientError;
use crate::worker::protocol::{ListRequest, Request, Response};

/// Columns of a reported source line.
const SOURCE: [&str; 4] = ["directory", "source_file", "line", "column"];

/// A list request of a message about the file, or with `inner` about the innermost document around
/// the selection.
fn about_list(message: &Received, view: &View, ask: ListRequest) -> Result<Request, Refusal> {
    let list = ListId::named(&message.text("list"));
    let list = list.ok_or_else(|| Refusal::of(message, "list", "is not a list."))?;
    let document = if message.get("inner").is_truthy() {
        view.selection.document()
    } else {
        NodeId::ROOT
    };
    let query = Query {
        filter: message.text("filter"),
        ..Query::default()
    };
    Ok(Request::List {
        document,
        list,
        query,
        ask,
    })
}

impl Session {
    /// Handles a message.
    ///
    /// # Errors
    ///
    /// If it is malformed, or needs a file that the embedding page may read.
    pub(super) fn act_for_host(
        self: &Rc<Self>,
        embedder: &Embedder,
        message: &Received,
    ) -> Result<(), Refusal> {
        let kind = message.text("type");
        let is_known = match kind.as_str() {
            "command" => embedder.is_host,
            kind => matches!(kind, "select" | "table" | "source" | "compare" | "changed"),
        };
        if !is_known {
            return Err(Refusal::of(message, "type", "is not a message type."));
        }
        let subject = self.subject(embedder)?;
        let tab = subject.tab().id;
        let view = subject.view().ok_or_else(Refusal::no_file)?;
        let id = message.get("id");
        let file = || {
            file_of(message).ok_or(Refusal::new(
                "not-opened",
                "This message needs bytes: a Blob, an ArrayBuffer, a typed array.",
            ))
        };
        match kind.as_str() {
            "select" => {
                let start = message.get("row").as_f64().unwrap_or(0.0) as u64;
                let ask = ListRequest::Rows {
                    start,
                    count: 1,
                    columns: Vec::new(),
                };
                let request = about_list(message, view, ask)?;
                self.select_first(tab, request, PanelId::named(&message.text("panel")), id);
            }
            "table" => {
                let columns = message.text("columns");
                let ask = ListRequest::Written {
                    columns: columns
                        .split_whitespace()
                        .map(|id| id.to_owned().into())
                        .collect(),
                    form: Form::Tabs,
                    rows: None,
                };
                self.send_text(tab, about_list(message, view, ask)?, "table", id);
            }
            "source" => self.send_source(tab, view, id),
            "compare" => self.compare_with_file(file()?, self.changing(embedder)?),
            "changed" => {
                let (session, file) = (Rc::clone(self), file()?);
                let changed = self.changing(embedder)?;
                spawn(Box::pin(async move {
                    session.take_changed(changed, file).await;
                }));
            }
            _ => match message.text("command").parse::<Command>() {
                Ok(command) => self.run(command),
                Err(_) => return Err(Refusal::new("message", "There is no such command.")),
            },
        }
        Ok(())
    }

    /// Selects the first row of the answer, and shows a panel.
    fn select_first(
        self: &Rc<Self>,
        tab: TabId,
        request: Request,
        panel: Option<PanelId>,
        id: JsValue,
    ) {
        let again = request.clone();
        let then = move |session: &Rc<Session>, answer| match answer {
            Ok(Response::List(page)) => match page.rows.first() {
                Some(row) => {
                    session.select_span_of(tab, row.entry, SelectionOrigin::Jump);
                    if let Some(panel) = panel {
                        session.dispatch(Action::PanelOf(tab, panel));
                    }
                }
                // The list of a container is read in steps.
                None if page.reading.is_some() => session.select_first(tab, again, panel, id),
                None => session.post_failure(tab, "No row matches.", &id),
            },
            Ok(_) => {}
            // Quietly: a cursor moves through lines without code, too.
            Err(error) => session.post_failure(tab, &ClientError::to_string(&error), &id),
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Reports the text of the answer.
    fn send_text(self: &Rc<Self>, tab: TabId, request: Request, kind: &'static str, id: JsValue) {
        let then = move |session: &Rc<Session>, answer| {
            let Some(file) = session.readable(tab) else {
                // The reader has added something of their own meanwhile, or closed it.
                return session.post(&Message::refusal(Refusal::no_file(), &id));
            };
            match answer {
                Ok(Response::Text(text)) => {
                    session.post(
                        &Message::about(&file, kind)
                            .with("id", &id)
                            .with("text", text),
                    );
                }
                Ok(_) => {}
                Err(error) => session.post_failure(tab, &ClientError::to_string(&error), &id),
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Reports the source line of the selected code of the file in front.
    pub(crate) fn open_source(self: &Rc<Self>) {
        if let Some((tab, view)) = self.active() {
            self.send_source(tab, &view, JsValue::UNDEFINED);
        }
    }

    fn send_source(self: &Rc<Self>, tab: TabId, view: &View, id: JsValue) {
        let document = view.selection.document();
        let list = move |ask| Request::List {
            document,
            list: ListId::SourceLines,
            query: Query::default(),
            ask,
        };
        let at = list(ListRequest::At {
            node: view.selection.node_id(),
            span: view.selection.span,
            current: None,
            or_first: false,
        });
        let then = move |session: &Rc<Session>, answer| {
            let place = match answer {
                Ok(Response::ListAt(Some(at))) => at.place.and_then(|at| at.place),
                _ => None,
            };
            let Some(place) = place else {
                let words = "The line tables name no source line for the selection.";
                session.post_failure(tab, words, &id);
                return session.notice(words);
            };
            let written = list(ListRequest::Written {
                columns: SOURCE.map(Str::from).to_vec(),
                form: Form::Tabs,
                rows: Some((place, place)),
            });
            session.send_text(tab, written, "source", id);
        };
        self.ask_then(tab, at, Box::new(then));
    }
}
