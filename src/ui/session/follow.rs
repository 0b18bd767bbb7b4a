//! Watches a file that a compiler rewrites: reopens it when it has changed, so that it can be
//! compared with its previous version.
//!
//! Only on request: the bytes are copied for the comparison, because browsers cannot read the
//! previous version of a changed file.

use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::files::{self, ChosenFile};
use super::{Session, spawn};
use crate::ui::browser::fetch;
use crate::ui::state::compare::Following;
use crate::ui::state::{Action, Phase, TabId};
use crate::ui::text::format;
use crate::worker::client::timer::Timer;

/// Polling interval in milliseconds.
const LOOK: i32 = 1000;
/// Maximum size of a copied file in bytes.
const COPY_MAX: f64 = 67_108_864.0;

impl Session {
    /// Starts or stops watching the file in front.
    pub fn toggle_follow(self: &Rc<Self>) {
        let Some((tab, _)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let state = self.state();
        if state
            .tab(tab)
            .is_some_and(|tab| tab.following != Following::No)
        {
            live.poll.take();
            live.copy.take();
            return self.dispatch(Action::Follow(tab, Following::No));
        }
        // A host reports changes itself.
        if live.handle.borrow().is_none() && !state.layout.hosted {
            return self.notice(
                "This file cannot be watched: drop it from the file manager, in a browser with file handles (Chromium).",
            );
        }
        self.begin_follow(tab);
    }

    /// Copies the current bytes of a file, to compare them with its next version, and watches it.
    pub(crate) fn begin_follow(self: &Rc<Self>, tab: TabId) {
        let Some(live) = self.live(tab) else { return };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let Some(file) = live.content.file() else {
                return;
            };
            *live.copy.borrow_mut() = copy(&file).await;
            session.dispatch(Action::Follow(tab, Following::Yes));
            if live.handle.borrow().is_some() {
                session.look_later(tab);
            }
        }));
    }

    fn look_later(self: &Rc<Self>, tab: TabId) {
        let Some(live) = self.live(tab) else { return };
        let session = Rc::downgrade(self);
        let timer = Timer::start(LOOK, move || {
            if let Some(session) = session.upgrade() {
                session.poll(tab);
            }
        });
        *live.poll.borrow_mut() = Some(timer);
    }

    /// Checks whether a file has changed, without reading it, while the page is visible.
    fn poll(self: &Rc<Self>, tab: TabId) {
        let Some(live) = self.live(tab) else { return };
        let document = web_sys::window().and_then(|window| window.document());
        if document.is_some_and(|document| document.hidden()) {
            return self.look_later(tab);
        }
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let handle = live.handle.borrow().clone();
            let now = match handle {
                Some(handle) => files::file_of(&handle).await,
                None => None,
            };
            let before = live.content.file();
            // Compilers truncate a file before they write it.
            let changed = now.zip(before).filter(|(now, before)| {
                let is_same =
                    now.last_modified() == before.last_modified() && now.size() == before.size();
                !is_same && now.size() > 0.0
            });
            // Watching has ended meanwhile.
            if live.poll.borrow().is_none() {
                return;
            }
            if let Some((now, _)) = changed {
                session.take_changed(tab, ChosenFile::own(now, None)).await;
            }
            session.look_later(tab);
        }));
    }

    /// Reopens a file that has changed. If it is watched, its previous version is kept.
    pub(crate) async fn take_changed(self: &Rc<Self>, tab: TabId, now: ChosenFile) {
        let Some(live) = self.live(tab) else { return };
        let name = now.file.name();
        let is_watched = || {
            let state = self.state();
            let tab = state.tab(tab);
            tab.is_some_and(|tab| tab.following != Following::No)
        };
        if !is_watched() {
            if self.load_version(tab, now).await {
                self.notice(format!("{name} changed and was reloaded."));
            }
            return;
        }
        let fresh = copy(&now.file).await;
        let before = live.copy.replace(fresh);
        let can_compare = before.is_some();
        *live.before.borrow_mut() = before;
        // The user may stop watching meanwhile.
        if !self.load_version(tab, now).await || !is_watched() {
            return;
        }
        self.dispatch(Action::Follow(tab, Following::Changed));
        self.notice(if can_compare { format!("{name} changed and was reloaded. Press b to compare it with the previous build.") } else { format!(
            "{name} changed and was reloaded. It is larger than {}, so no copy was kept for comparison.",
            format::size(COPY_MAX as u64)
        ) });
    }

    /// Compares a watched file with its previous version.
    pub fn compare_with_before(self: &Rc<Self>) -> bool {
        let Some((tab, view)) = self.active() else {
            return false;
        };
        let Some(live) = self.live(tab) else {
            return false;
        };
        let Some(before) = live.before.borrow().clone() else {
            return false;
        };
        // One previous version is enough.
        if let Some(open) = live.before_tab.take() {
            self.close(open);
        }
        // The message was dismissed by this command.
        self.dispatch(Action::Notice(None));
        let name = format!("{} (before)", view.opened.name);
        let parts = Array::of1(&before);
        if let Some(file) = fetch::file(&parts, &name) {
            let before = ChosenFile {
                file,
                handle: None,
                giver: live.content.giver(),
            };
            let base = self.add_file(before, Phase::Waiting);
            live.before_tab.set(Some(base));
            self.compare(base, tab);
        }
        true
    }
}

/// The current bytes of a file. Returns `None` if there are too many or they cannot be read.
async fn copy(file: &File) -> Option<File> {
    if file.size() > COPY_MAX {
        return None;
    }
    let bytes = JsFuture::from(file.array_buffer()).await.ok()?;
    fetch::file(&Array::of1(&bytes), &file.name())
}
