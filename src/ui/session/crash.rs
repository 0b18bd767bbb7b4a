//! Recovery from crashed decoders and unreadable files.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::{Session, TabRuntime, spawn};
use crate::ui::state::list::ListChange;
use crate::ui::state::{Action, DecoderWork, Failure, Phase, TabId};
use crate::worker::client::{Client, ClientError};
use crate::worker::protocol::Request;

impl Session {
    /// Restarts a file's decoder after it crashed or was stopped, without repeating the request in progress, and
    /// shows long work.
    pub(crate) fn watch(self: &Rc<Self>, tab: TabId, client: &Client) {
        if let Some(live) = self.live(tab) {
            client.avoid(Rc::clone(&live.crashes));
        }
        let session = Rc::downgrade(self);
        client.on_exit(move |error, request| {
            let Some(session) = session.upgrade() else {
                return;
            };
            let Some(live) = session.live(tab) else {
                return;
            };
            let (notice, goes_on) = match (&error, request) {
                (ClientError::Stopped(_), Some(request)) => {
                    let notice = format!("Stopped: {}.", work_text(&request));
                    let is_opening = matches!(request, Request::Open { .. });
                    let mut crashes = live.crashes.borrow_mut();
                    crashes.add_stopped(request, error.to_string());
                    (notice, !is_opening)
                }
                (ClientError::Crashed(message), request) => {
                    let work = request.as_ref().map_or("Working", work_text);
                    let notice = format!("{work}: the decoder crashed and was restarted.");
                    let end = format!("The decoder crashed: {message}.");
                    (notice, live.crashes.borrow_mut().add(request, end))
                }
                _ => return session.fail(tab, &error),
            };
            if goes_on {
                session.notice(notice);
                session.recover(tab);
            } else {
                session.fail(tab, &error);
            }
        });
        let session = Rc::downgrade(self);
        client.on_work(move |work| {
            let Some(session) = session.upgrade() else {
                return;
            };
            let work = work.map(|work| DecoderWork {
                text: work_text(&work.request),
                seconds: work.seconds,
                bytes: work.bytes,
            });
            session.dispatch(Action::Work(tab, work));
        });
    }

    /// Stops what the decoder of a file works on. The file is opened again, and looks as before.
    pub fn stop_work(&self, tab: TabId) {
        let client = self.live(tab).and_then(|live| live.client.borrow().clone());
        if let Some(client) = client {
            client.stop_work();
        }
    }

    /// Does again what the user has stopped, in the visible list.
    pub fn do_again(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        if let Some(live) = self.live(tab) {
            live.crashes.borrow_mut().allow_stopped();
        }
        if let Some(list) = view.panel.list() {
            self.list_changed(tab, list, ListChange::Again);
        }
    }

    /// Handles an error while opening a file.
    pub(crate) fn not_opened(&self, tab: TabId, client: &Client, error: ClientError) {
        // A crashed decoder has been handled already, or had crashed before the request.
        let watched = |live: Rc<TabRuntime>| !live.crashes.borrow().is_empty();
        let dealt_with = self.live(tab).is_none_or(watched);
        if client.failure().is_none() || !dealt_with {
            self.fail(tab, &error);
        }
    }

    fn fail(&self, tab: TabId, error: &ClientError) {
        if *error == ClientError::Cancelled {
            return;
        }
        let failure = explain(error);
        self.dispatch(Action::Phase(tab, Phase::Failed(failure)));
    }

    /// Handles an error of a request about an open file.
    pub(crate) fn handle_error(self: &Rc<Self>, tab: TabId, error: &ClientError) {
        match error {
            ClientError::Changed(message) => {
                self.dispatch(Action::Changed(tab, message.clone().into()));
            }
            ClientError::Failed(message) => {
                self.post_failure(tab, message, &JsValue::UNDEFINED);
                self.notice(message.clone());
            }
            ClientError::Unexpected => self.notice(error.to_string()),
            // The crash handler has seen it.
            _ => {}
        }
    }

    /// Checks whether the active file can still be read: not after it was changed on disk.
    pub fn check_file(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let Some(file) = live.content.file() else {
            return;
        };
        // An empty file has no byte to read.
        if view.changed.is_some() || view.opened.size == 0 {
            return;
        }
        let Ok(piece) = file.slice_with_f64_and_f64(0.0, 1.0) else {
            return;
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            if JsFuture::from(piece.array_buffer()).await.is_err() {
                let text = format!(
                    "{} was changed, moved or deleted after it was opened.",
                    file.name()
                );
                session.dispatch(Action::Changed(tab, text.into()));
            }
        }));
    }
}

/// Names the work that a request is.
fn work_text(request: &Request) -> &'static str {
    match request {
        Request::Open { .. } => "Opening the file",
        Request::List { query, .. } if !query.filter.is_empty() => "Filtering",
        Request::List { query, .. } if query.sort.is_some() => "Sorting",
        Request::List { .. } => "Reading rows",
        Request::Compare { .. } => "Comparing",
        Request::Differing | Request::WriteComparison { .. } => "Writing the comparison",
        Request::Verdict { .. } => "Checking the device",
        Request::Code { .. } | Request::PrepareCode { .. } => "Reading code",
        Request::DataFlow { .. } => "Analyzing the data flow",
        Request::Step { .. } | Request::StepLines { .. } | Request::StepRows(_) => "Reading code",
        Request::Graph { .. } => "Drawing the graph",
        Request::Search { .. } => "Searching",
        Request::AddProfile { .. } | Request::CodeSamples { .. } => "Reading the profile",
        Request::WriteReport { .. } => "Writing the report",
        Request::Export { .. } => "Writing the tree",
        Request::Bytes { .. } => "Reading bytes",
        Request::Rows { .. }
        | Request::Select { .. }
        | Request::Rules
        | Request::Texts { .. }
        | Request::CodeImages { .. }
        | Request::AddSource { .. }
        | Request::Occupancy { .. }
        | Request::BasePath(_)
        | Request::SourceNumbers(_) => "Reading the file",
    }
}

fn explain(error: &ClientError) -> Failure {
    let (title, advice) = match error {
        ClientError::Crashed(_) => (
            "The decoder crashed on this file",
            "It was restarted once and crashed again. This is a bug in zeview, whatever the file contains. Please report it with the message above and, if possible, the file. Other open files are not affected.",
        ),
        ClientError::Stopped(_) => (
            "The file was not opened",
            "Try again to open it. Other open files are not affected.",
        ),
        ClientError::Version(_) => (
            "Page and decoder versions differ",
            "They are from different releases, one of them cached. Hold Shift and reload the page.",
        ),
        ClientError::Unavailable(_) => (
            "The decoder could not be started",
            "The decoder is a Web Worker that runs WebAssembly. Check the connection and reload the page. If that does not help, this browser or the embedding page blocks workers.",
        ),
        _ => (
            "The file could not be read",
            "It may have been changed, moved or deleted after it was chosen, or it is a folder. Choose it again.",
        ),
    };
    Failure {
        title: title.into(),
        message: error.to_string().into(),
        advice: advice.into(),
    }
}
