//! Decoders that die, files that cannot be read any more.

use std::rc::Rc;

use wasm_bindgen_futures::JsFuture;

use super::{Session, TabRuntime, spawn};
use crate::ui::state::{Action, Failure, Phase, TabId};
use crate::ui::text::route::{Link, Target, ViewOptions};
use crate::worker::client::{Client, ClientError};

impl Session {
    /// Opens the file again when its decoder dies, and does not ask again what it died of.
    pub(crate) fn watch(self: &Rc<Self>, tab: TabId, client: &Client) {
        if let Some(live) = self.live(tab) {
            client.avoid(Rc::clone(&live.deaths));
        }
        let session = Rc::downgrade(self);
        client.on_death(move |error, request| {
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
            if live.deaths.borrow_mut().add(request, end) {
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

    /// An error while the file was opened.
    pub(crate) fn not_opened(&self, tab: TabId, client: &Client, error: ClientError) {
        // A dead decoder has been dealt with, or was dead before it was asked.
        let watched = |live: Rc<TabRuntime>| !live.deaths.borrow().is_empty();
        let dealt_with = self.live(tab).is_none_or(watched);
        if client.death().is_none() || !dealt_with {
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

    /// An error while something was asked of an open file.
    pub(crate) fn trouble(self: &Rc<Self>, tab: TabId, error: &ClientError) {
        match error {
            ClientError::Changed(message) => {
                self.dispatch(Action::Changed(tab, message.clone().into()));
            }
            ClientError::Failed(message) => {
                self.tell_trouble(message);
                self.notice(message.clone());
            }
            ClientError::Unexpected => self.notice(error.to_string()),
            // Whoever watches the decoder has seen it.
            _ => {}
        }
    }

    /// Looks whether the active file can still be read: after it was changed on disk it
    /// cannot.
    pub fn check_file(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let Some(file) = live.file.borrow().clone() else {
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

    /// What is selected, in words that stay true when the file is opened again. The panel stays
    /// as it is; its filter does not: the decoder may have died of it.
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
