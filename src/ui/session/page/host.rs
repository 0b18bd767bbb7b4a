//! Messages for programs that build on this page, such as an editor: tables as text, rows, source
//! lines, comparisons, changed files, commands.

use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::embedder::{Embedder, Message, file_of};
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

/// A message, and its fields by name.
pub(super) struct HostRequest<'a> {
    pub(super) kind: &'a str,
    pub(super) get: &'a dyn Fn(&str) -> JsValue,
    pub(super) text: &'a dyn Fn(&str) -> String,
}

/// An error code and its message.
type Refusal = (&'static str, String);

impl HostRequest<'_> {
    /// A list request about the file, or with `inner` about the innermost document around the
    /// selection.
    fn about_list(&self, view: &View, ask: ListRequest) -> Result<Request, Refusal> {
        let name = (self.text)("list");
        let list = ListId::named(&name).ok_or(("message", format!("“{name}” is not a list.")))?;
        let document = if (self.get)("inner").is_truthy() {
            view.selection.document()
        } else {
            NodeId::ROOT
        };
        let query = Query {
            filter: (self.text)("filter"),
            ..Query::default()
        };
        Ok(Request::List {
            document,
            list,
            query,
            ask,
        })
    }
}

impl Session {
    /// Handles a message.
    ///
    /// # Errors
    ///
    /// If it is malformed, or needs an open file.
    pub(super) fn answer_host(
        self: &Rc<Self>,
        embedder: &Embedder,
        message: &HostRequest<'_>,
    ) -> Result<(), Refusal> {
        let HostRequest { kind, get, text } = *message;
        let is_known = match kind {
            "command" => embedder.is_host,
            kind => matches!(kind, "select" | "table" | "source" | "compare" | "changed"),
        };
        if !is_known {
            return Err(("message", format!("“{kind}” is not a message type.")));
        }
        let no_file = || ("no-file", "No file is open.".to_owned());
        let (tab, view) = self.active().ok_or_else(no_file)?;
        // In front may be the file that it is compared with.
        let opened = embedder.opened.get().unwrap_or(tab);
        let file = || {
            let words = format!("“{kind}” needs bytes: a Blob, an ArrayBuffer, a typed array.");
            file_of(get, text).ok_or(("not-opened", words))
        };
        match kind {
            "select" => {
                let start = get("row").as_f64().unwrap_or(0.0) as u64;
                let ask = ListRequest::Rows {
                    start,
                    count: 1,
                    columns: Vec::new(),
                };
                let request = message.about_list(&view, ask)?;
                self.select_first(tab, request, PanelId::named(&text("panel")));
            }
            "table" => {
                let columns = text("columns");
                let ask = ListRequest::Written {
                    columns: columns
                        .split_whitespace()
                        .map(|id| id.to_owned().into())
                        .collect(),
                    form: Form::Tabs,
                    rows: None,
                };
                self.send_text(tab, message.about_list(&view, ask)?, "table", get("id"));
            }
            "source" => self.send_source(),
            "compare" => self.compare_with_file((file()?, None), opened),
            "changed" => {
                let (session, file) = (Rc::clone(self), file()?);
                spawn(Box::pin(async move {
                    session.take_changed(opened, file).await;
                }));
            }
            _ => match text("command").parse::<Command>() {
                Ok(command) => self.run(command),
                Err(_) => return Err(("message", "There is no such command.".to_owned())),
            },
        }
        Ok(())
    }

    /// Selects the first row of the answer, and shows a panel.
    fn select_first(self: &Rc<Self>, tab: TabId, request: Request, panel: Option<PanelId>) {
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
                None if page.reading.is_some() => session.select_first(tab, again, panel),
                None => session.post_failure("No row matches."),
            },
            Ok(_) => {}
            // Quietly: a cursor moves through lines without code, too.
            Err(error) => session.post_failure(&ClientError::to_string(&error)),
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Reports the text of the answer.
    fn send_text(self: &Rc<Self>, tab: TabId, request: Request, kind: &'static str, id: JsValue) {
        let then = move |session: &Rc<Session>, answer| {
            let Some(embedder) = session.embedder.borrow().clone() else {
                return;
            };
            match answer {
                Ok(Response::Text(text)) => {
                    embedder.post(&Message::new(kind).with("id", &id).with("text", text));
                }
                Ok(_) => {}
                Err(error) => {
                    embedder.post_error("not-found", &ClientError::to_string(&error), &id)
                }
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Reports the source line of the selected code.
    pub(crate) fn send_source(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
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
                return session.notice("The line tables name no source line for the selection.");
            };
            let written = list(ListRequest::Written {
                columns: SOURCE.map(Str::from).to_vec(),
                form: Form::Tabs,
                rows: Some((place, place)),
            });
            session.send_text(tab, written, "source", JsValue::UNDEFINED);
        };
        self.ask_then(tab, at, Box::new(then));
    }
}
