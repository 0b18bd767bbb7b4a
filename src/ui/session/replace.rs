//! Replaces a file by another version in the same tab: selection, view and open branches are kept
//! as far as the same names exist.
//!
//! The old version stays visible until the new one is loaded, so that nothing jumps and the focus
//! is kept.

use std::rc::Rc;

use web_sys::File;

use super::files::ChosenFile;
use super::{Session, TabRuntime, spawn};
use crate::model::NodeId;
use crate::ui::state::{Action, Restored, TabId, View};
use crate::ui::text::route::Target;
use crate::worker::client::Client;
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{Opened, Request, Response, Row, SelectionTarget};

/// Time limit for restoring open branches, in milliseconds: the old version stays visible meanwhile. A
/// slow machine needs a fifth of a second for each, and loses those beyond the limit.
const PATIENCE: f64 = 5000.0;

impl Session {
    /// Shows another file, or a newer version, in a tab.
    pub(crate) fn replace(self: &Rc<Self>, tab: TabId, chosen: ChosenFile) {
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            session.load_version(tab, chosen).await;
        }));
    }

    /// The same; returns whether the new version was loaded.
    pub(super) async fn load_version(self: &Rc<Self>, tab: TabId, chosen: ChosenFile) -> bool {
        let Some(live) = self.live(tab) else {
            return false;
        };
        live.content.put(Some(chosen.file.clone()), chosen.giver);
        live.marks.forget();
        live.crashes.take();
        self.load_again(tab, &live, chosen.file).await
    }

    /// Opens the file of a tab in another decoder, after the first one has crashed or was stopped.
    pub(crate) fn recover(self: &Rc<Self>, tab: TabId) {
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let Some(live) = session.live(tab) else {
                return;
            };
            let Some(file) = live.content.file() else {
                return;
            };
            session.load_again(tab, &live, file).await;
        }));
    }

    async fn load_again(self: &Rc<Self>, tab: TabId, live: &Rc<TabRuntime>, file: File) -> bool {
        let state = self.state();
        let view = state.tab(tab).and_then(|tab| tab.view()).cloned();
        if let Some(view) = &view {
            *live.link.borrow_mut() = Some(view.link());
        }
        let Some(view) = view else {
            self.decode(tab);
            return false;
        };
        // Comparisons with it wait for the new version.
        live.is_open.set(false);
        let turn = live.next_turn();
        let client = self.fresh_client();
        let is_due = || live.turn.get() == turn && self.live(tab).is_some();
        let encoding = live.encoding.borrow().clone();
        let opened = client.open(file.name(), encoding, &file).await;
        let found = match opened {
            Ok(opened) if is_due() => {
                Some(self.find_in_new_version(live, &client, &view, opened).await)
            }
            _ => None,
        };
        match found {
            // Closed or replaced again.
            _ if !is_due() => client.stop(),
            Some((opened, restored)) => {
                self.take_over(tab, &client, opened, restored);
                return true;
            }
            // Open it normally, which shows the error.
            None => {
                client.stop();
                self.decode(tab);
            }
        }
        false
    }

    fn take_over(self: &Rc<Self>, tab: TabId, client: &Client, opened: Opened, restored: Restored) {
        let Some(live) = self.live(tab) else { return };
        self.attach(tab, client);
        self.dispatch(Action::Reopened(tab, Rc::new(opened), Box::new(restored)));
        self.finish_opening(tab, &live);
    }

    /// The selection and open branches in the new version; the followed link is then trimmed to
    /// nodes that exist.
    async fn find_in_new_version(
        &self,
        live: &TabRuntime,
        client: &Client,
        view: &View,
        opened: Opened,
    ) -> (Opened, Restored) {
        let end = js_sys::Date::now() + PATIENCE;
        let mut restored = Restored::default();
        let selected = &view.selection.ancestry;
        if !selected.is_empty() {
            let path = view.tree.path_by_names(selected);
            let (path, rest) = nearest(client, &path).await;
            if !rest {
                restored.selected = path;
            } else if let Some(link) = &mut *live.link.borrow_mut() {
                let path = selected
                    .get(..path.len())
                    .map(|rows| view.tree.path_by_names(rows));
                link.target = path.filter(|path| !path.is_empty()).map(Target::Path);
            }
        }
        for kept in view.tree.kept() {
            if js_sys::Date::now() > end {
                break;
            }
            let (path, rest) = nearest(client, &kept.path).await;
            restored.open.push((path, kept.open || rest));
        }
        (opened, restored)
    }
}

/// The existing rows along a path, and whether any is missing.
pub(crate) async fn nearest(client: &Client, path: &str) -> (Rc<[Row]>, bool) {
    let mut path = path.to_owned();
    let mut rest = false;
    loop {
        let request = Request::Select {
            place: SelectionTarget::Path(path.clone()),
            follow: None,
            order: TreeOrder::File,
        };
        if path.is_empty() {
            return (Rc::from([]), rest);
        }
        if let Ok(Response::Selected(mut answer)) = client.ask(request).await {
            answer.ancestry.retain(|row| row.id != NodeId::ROOT);
            return (answer.ancestry.into(), rest);
        }
        rest = true;
        path.truncate(path.rfind('/').unwrap_or(0));
    }
}
