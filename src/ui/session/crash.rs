//! Recovery from crashed decoders and unreadable files.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::{Session, TabRuntime, spawn};
use crate::ui::state::{Action, Failure, Phase, TabId};
use crate::ui::text::route::{Link, Target, ViewOptions};
use crate::worker::client::{Client, ClientError};

impl Session {
    /// Restarts a file's crashed decoder, without repeating the request that crashed it.
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
            let (notice, end) = match &error {
                ClientError::Silent => (
                    "The decoder did not answer and was restarted.",
                    error.to_string(),
                ),
                ClientError::Crashed(message) => (
                    "The decoder crashed and was restarted.",
                    format!("The decoder crashed: {message}."),
                ),
                _ => return session.fail(tab, &error),
            };
            if live.crashes.borrow_mut().add(request, end) {
                if live.link.borrow().is_none() {
                    *live.link.borrow_mut() = session.link_of(tab);
                }
                session.notice(notice);
                session.decode(tab);
            } else {
                session.fail(tab, &error);
            }
        });
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

    /// A link to the selection that stays valid when the file is reopened. The panel is kept; its
    /// filter is not, because it may have caused the crash.
    pub(crate) fn link_of(&self, tab: TabId) -> Option<Link> {
        let state = self.state();
        let view = state.tab(tab)?.view()?;
        let span = view.selection.span?;
        let target = (!view.selection.ancestry.is_empty()).then_some(Target::Bytes {
            section: None,
            offset: span.start,
            len: span.len(),
        });
        let shown = ViewOptions::default();
        Some(Link { target, shown })
    }
}

fn explain(error: &ClientError) -> Failure {
    let (title, advice) = match error {
        ClientError::Crashed(_) => (
            "The decoder crashed on this file",
            "It was restarted once and crashed again. This is a bug in zeview, whatever the file contains. Please report it with the message above and, if possible, the file. Other open files are not affected.",
        ),
        ClientError::Silent => (
            "The decoder did not finish",
            "It was stopped after 30 seconds without an answer. Please report this and, if possible, attach the file. Other open files are not affected.",
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
