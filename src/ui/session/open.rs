//! Opening and closing files.

use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, File, FileSystemDirectoryEntry, Url};
use yew::AttrValue;

use super::files::{self, ChosenFile};
use super::page::address::read_link;
use super::page::gate::Giver;
use super::{Session, TabRuntime, spawn};
use crate::ui::browser::fetch::{self, FetchError};
use crate::ui::browser::folder::{self, FolderFile};
use crate::ui::state::bookmarks::FILE_MAX;
use crate::ui::state::compare::Following;
use crate::ui::state::{Action, Failure, Origin, Phase, Tab, TabId};
use crate::ui::text::paste;
use crate::ui::text::route::Link;
use crate::worker::client::Client;

/// Folder of the samples, relative to the page.
const SAMPLES: &str = "samples/";

/// Extensions of source files, and of the texts of compilers.
const SOURCES: [&str; 23] = [
    "c", "cc", "cl", "clcpp", "cpp", "cxx", "c++", "cm", "f90", "h", "hh", "hpp", "hxx", "inc",
    "inl", "ipp", "ll", "llir", "py", "rs", "sycl", "ttgir", "ttir",
];
/// Maximum size of a source file in bytes.
const SOURCE_MAX: f64 = 16_777_216.0;

/// Returns whether a file of this name is a source file.
pub(crate) fn is_source_name(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| SOURCES.contains(&extension.to_ascii_lowercase().as_str()))
}

impl Session {
    /// Opens files, each in its own tab, and shows the first one.
    pub(crate) fn open_files(self: &Rc<Self>, files: Vec<ChosenFile>) {
        let mut first = None;
        for chosen in files {
            let file = &chosen.file;
            if let Some(tab) = self.takes_source(file) {
                self.read_source(tab, chosen.file);
                continue;
            }
            if let Some(open) = self.opened_before(&chosen) {
                first.get_or_insert(open);
                continue;
            }
            let name = file.name().to_ascii_lowercase();
            if name.ends_with(".json") && file.size() <= FILE_MAX as f64 {
                self.import_bookmarks(chosen, false);
                continue;
            }
            let id = self.add_file(chosen, Phase::Waiting);
            first.get_or_insert(id);
        }
        if let Some(id) = first {
            self.dispatch(Action::Activate(id));
        }
    }

    /// Opens a file of any content.
    pub(crate) fn open_as_file(self: &Rc<Self>, chosen: ChosenFile) {
        let tab = self.add_file(chosen, Phase::Waiting);
        self.dispatch(Action::Activate(tab));
    }

    /// Opens two files and compares the second with the first.
    pub(crate) fn open_both(self: &Rc<Self>, files: Vec<ChosenFile>) {
        let before = self.next.get();
        self.open_files(files);
        // Source files and files that are open already get no tab.
        if self.next.get() == before + 2 {
            self.compare(TabId(before), TabId(before + 1));
        }
    }

    /// Adds a tab for a dropped folder, and lists its files.
    pub(crate) fn open_folder(self: &Rc<Self>, folder: FileSystemDirectoryEntry) -> TabId {
        let name = folder.name();
        let tab = self.add(
            name.clone(),
            Origin::Local,
            Phase::Listing { files: 0 },
            TabRuntime::default(),
        );
        self.dispatch(Action::Activate(tab));
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let progress = |files| {
                session.dispatch(Action::Phase(tab, Phase::Listing { files }));
                session.live(tab).is_some()
            };
            if let Some(files) = folder::list(folder, &progress).await {
                session.open_listed(tab, &name, files);
            }
        }));
        tab
    }

    /// Opens the files of a folder in a tab.
    fn open_listed(self: &Rc<Self>, tab: TabId, name: &str, files: Vec<FolderFile>) {
        let Some(live) = self.live(tab) else { return };
        live.content.put(folder::file(name, files), Giver::Reader);
        self.decode(tab);
        self.settle();
    }

    /// Adds a tab for a chosen folder.
    pub(crate) fn open_chosen_folder(self: &Rc<Self>, files: Vec<File>) {
        let Some((name, files)) = folder::chosen(files) else {
            self.notice("The folder has no files.");
            return;
        };
        let phase = Phase::Listing { files: files.len() };
        let tab = self.add(name.clone(), Origin::Local, phase, TabRuntime::default());
        self.dispatch(Action::Activate(tab));
        self.open_listed(tab, &name, files);
    }

    /// Adds a tab for a file.
    pub(crate) fn add_file(&self, chosen: ChosenFile, phase: Phase) -> TabId {
        let live = TabRuntime::of(chosen.giver);
        let name = chosen.file.name();
        if let Some(handle) = &chosen.handle {
            self.remember_file(&chosen.file, handle);
        }
        live.content.put(Some(chosen.file), chosen.giver);
        *live.handle.borrow_mut() = chosen.handle;
        self.add(name, Origin::Local, phase, live)
    }

    /// The file in front, if it has line tables and the given one is a source file.
    fn takes_source(&self, file: &File) -> Option<TabId> {
        let (tab, view) = self.active()?;
        (is_source_name(&file.name()) && view.opened.summary.anywhere().lines).then_some(tab)
    }

    /// Reads a source file; its text stays in this browser.
    pub(crate) fn read_source(self: &Rc<Self>, tab: TabId, file: File) {
        let name = file.name();
        if file.size() > SOURCE_MAX {
            return self.notice(format!("{name} is too large for a source file."));
        }
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let text = JsFuture::from(file.text()).await;
            match text.ok().and_then(|text| text.as_string()) {
                Some(text) => session.add_source(tab, name, text),
                None => session.notice(format!("{name} cannot be read.")),
            }
        }));
    }

    /// The tab of a file that is already open and unchanged, and that the same side gave: an
    /// embedding page cannot name a file of the reader.
    pub(crate) fn opened_before(&self, chosen: &ChosenFile) -> Option<TabId> {
        let live = self.live.borrow();
        let file = &chosen.file;
        let same = |live: &TabRuntime| {
            let of_giver = live.content.giver() == chosen.giver;
            let open = live.content.file().filter(|_| of_giver);
            open.is_some_and(|open| {
                open.name() == file.name()
                    && open.size() == file.size()
                    && open.last_modified() == file.last_modified()
            })
        };
        let mut tabs = live.iter().filter(|(_, live)| same(live));
        tabs.next().map(|(id, _)| *id)
    }

    /// Opens bytes pasted as text.
    pub(crate) fn open_text(self: &Rc<Self>, text: &str) {
        let Some(bytes) = paste::bytes(text) else {
            self.notice("The pasted text is neither hex nor Base64.");
            return;
        };
        let parts = Array::of1(&Uint8Array::from(bytes.as_slice()));
        if let Some(file) = fetch::file(&parts, "pasted bytes") {
            self.open_files(vec![ChosenFile::own(file, None)]);
        }
    }

    /// Opens a sample, and compares it with a second one if it has one.
    pub fn open_sample(self: &Rc<Self>, name: &str, base: Option<&str>) -> TabId {
        let open = |name| self.open_link(&format!("{SAMPLES}{name}"), None, Giver::Reader);
        let base = base.map(open);
        let tab = open(name);
        if let Some(base) = base {
            self.compare(base, tab);
        }
        tab
    }

    /// Opens a file from a URL that the reader or the embedding page names.
    pub(crate) fn open_link(
        self: &Rc<Self>,
        address: &str,
        link: Option<Link>,
        giver: Giver,
    ) -> TabId {
        let origin = Origin::Link(address.trim().to_owned().into());
        let state = self.state();
        let of_giver = |tab: TabId| {
            let live = self.live(tab);
            live.is_some_and(|live| live.content.giver() == giver)
        };
        let is_open =
            |tab: &&Rc<Tab>| tab.origin == origin && tab.view().is_some() && of_giver(tab.id);
        if let Some(tab) = state.tabs.iter().find(is_open) {
            self.dispatch(Action::Activate(tab.id));
            return tab.id;
        }
        self.fetch(address, origin, link, giver)
    }

    /// Retries a file that failed to open.
    pub fn retry(self: &Rc<Self>, tab: TabId) {
        let state = self.state();
        let (Some(live), Some(shown)) = (self.live(tab), state.tab(tab)) else {
            return;
        };
        live.crashes.take();
        if live.content.file().is_some() {
            self.decode(tab);
        } else if let Origin::Link(address) = &shown.origin {
            let address = address.to_string();
            self.transfer(tab, &address);
        }
    }

    /// Opens a file that the embedding page names, but keeps it from that page.
    pub(crate) fn open_privately(self: &Rc<Self>, tab: TabId) {
        if let Some(live) = self.live(tab) {
            live.content.mix(Giver::Reader);
            self.retry(tab);
        }
    }

    /// Whether [`Session::retry`] is possible.
    pub fn can_retry(&self, tab: TabId) -> bool {
        let from_network = self
            .state()
            .tab(tab)
            .is_some_and(|tab| matches!(tab.origin, Origin::Link(_)));
        from_network
            || self
                .live(tab)
                .is_some_and(|live| live.content.file().is_some())
    }

    /// Closes a file and terminates its decoder.
    pub fn close(&self, tab: TabId) {
        if let Some(live) = self.live.borrow_mut().remove(&tab) {
            if let Some(abort) = &*live.abort.borrow() {
                abort.abort();
            }
            if let Some(client) = &*live.client.borrow() {
                client.stop();
            }
        }
        self.dispatch(Action::Close(tab));
        // The state is that before the action.
        if self.state().tabs.iter().all(|other| other.id == tab) {
            self.forget_address();
        }
    }

    fn add(
        &self,
        name: impl Into<AttrValue>,
        origin: Origin,
        phase: Phase,
        live: TabRuntime,
    ) -> TabId {
        let id = TabId(self.next.get());
        self.next.set(id.0 + 1);
        // The fragment of the URL waits for a file.
        if self.state().tabs.is_empty() && live.link.borrow().is_none() {
            *live.link.borrow_mut() = Some(read_link());
        }
        self.live.borrow_mut().insert(id, Rc::new(live));
        self.dispatch(Action::Add(Tab {
            id,
            name: name.into(),
            origin,
            phase,
            following: Following::No,
            work: None,
        }));
        id
    }

    fn fetch(
        self: &Rc<Self>,
        address: &str,
        origin: Origin,
        link: Option<Link>,
        giver: Giver,
    ) -> TabId {
        let live = TabRuntime::of(giver);
        *live.link.borrow_mut() = link;
        let name = fetch::absolute(address).map_or(address.to_owned(), |u| fetch::file_name(&u));
        // What the reader names needs no confirmation.
        let url = fetch::absolute(address).filter(|_| giver == Giver::Embedder);
        let foreign = url.and_then(|url| Some((url.host(), self.needs_confirmation(&url)?)));
        let asks = foreign.is_some();
        let phase = match foreign {
            Some((host, page)) => Phase::Asking {
                host: host.into(),
                page: page.map(Into::into),
            },
            None => Phase::Fetching {
                got: 0,
                total: None,
            },
        };
        let tab = self.add(name, origin, phase, live);
        if !asks {
            self.transfer(tab, address);
        }
        tab
    }

    fn transfer(self: &Rc<Self>, tab: TabId, address: &str) {
        let Some(live) = self.live(tab) else { return };
        let url = fetch::absolute(address);
        let (Some(url), Ok(abort)) = (url, AbortController::new()) else {
            let error = FetchError::Address(address.to_owned());
            self.dispatch(Action::Phase(tab, Phase::Failed(explain(&error, None))));
            return;
        };
        *live.abort.borrow_mut() = Some(abort.clone());
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let progress = |got, total| {
                session.dispatch(Action::Phase(tab, Phase::Fetching { got, total }));
            };
            match fetch::fetch(&url, &abort, progress).await {
                Ok(file) => {
                    live.content.put(Some(file), live.content.giver());
                    session.decode(tab);
                    session.settle();
                }
                // Its tab is closed.
                Err(FetchError::Cancelled) => {}
                Err(error) => {
                    let failure = explain(&error, Some(&url));
                    session.dispatch(Action::Phase(tab, Phase::Failed(failure)));
                }
            }
        }));
    }

    /// Opens the file in front again, as code without a container.
    pub(crate) fn open_as_code(self: &Rc<Self>, encoding: String) {
        let Some(tab) = self.state().active else {
            return;
        };
        if let Some(live) = self.live(tab) {
            *live.encoding.borrow_mut() = Some(encoding);
            self.decode(tab);
        }
    }

    /// Sends a tab's file to a decoder.
    pub(crate) fn decode(self: &Rc<Self>, tab: TabId) {
        let Some(live) = self.live(tab) else { return };
        let Some(file) = live.content.file() else {
            return;
        };
        let client = self.fresh_client();
        live.next_turn();
        live.is_open.set(false);
        self.attach(tab, &client);
        self.dispatch(Action::Phase(tab, Phase::Decoding));
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let encoding = live.encoding.borrow().clone();
            match client.open(file.name(), encoding, &file).await {
                Ok(opened) => {
                    session.dispatch(Action::Opened(tab, Rc::new(opened)));
                    session.finish_opening(tab, &live);
                }
                Err(error) => session.not_opened(tab, &client, error),
            }
        }));
    }

    /// The idle decoder that was started early, or a new one.
    pub(crate) fn fresh_client(&self) -> Client {
        let spare = self.spare.borrow_mut().take();
        spare
            .filter(|client| client.failure().is_none())
            .unwrap_or_else(Client::start)
    }

    /// Assigns a decoder to a tab's file; responses of the previous decoder are ignored.
    pub(crate) fn attach(self: &Rc<Self>, tab: TabId, client: &Client) {
        let Some(live) = self.live(tab) else { return };
        if let Some(before) = live.client.replace(Some(client.clone())) {
            before.stop();
        }
        live.pending_rows.borrow_mut().clear();
        live.pages.borrow_mut().clear();
        live.cache.clear();
        live.click.borrow_mut().take();
        self.watch(tab, client);
    }

    /// Completes the opening of a file.
    pub(crate) fn finish_opening(self: &Rc<Self>, tab: TabId, live: &TabRuntime) {
        live.is_open.set(true);
        self.load_bookmarks(tab);
        let link = live.link.borrow_mut().take();
        self.follow_first_link(tab, link.unwrap_or_default());
        if let Some((front, span, origin)) = live.selected_once_open.take() {
            self.select_in_base(front, tab, span, origin);
        }
        self.settle();
        self.add_waiting_profile(tab);
    }

    /// Reopens a changed file, by its handle or through the file dialog.
    pub fn reopen(self: &Rc<Self>, tab: TabId) {
        let handle = self.live(tab).and_then(|live| live.handle.borrow().clone());
        let Some(handle) = handle else {
            self.choose(Some(tab));
            return;
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            match files::file_of(&handle).await {
                Some(file) => session.replace(tab, ChosenFile::own(file, None)),
                None => session.choose(Some(tab)),
            }
        }));
    }
}

/// The message for a failed download.
fn explain(error: &FetchError, url: Option<&Url>) -> Failure {
    let host = url.map(|url| url.host()).unwrap_or_default();
    let (message, advice) = match error {
        FetchError::Cancelled => (String::new(), ""),
        FetchError::Address(text) => (
            format!("“{text}” is not a URL that this page can open."),
            "Use an https:// URL. Plain http:// works only for this machine (localhost).",
        ),
        FetchError::Status(status, words) => (
            format!("{host} returned {status} {words}."),
            "Check the URL. A file behind a login cannot be opened by its URL: download it and drop it here.",
        ),
        FetchError::Refused { elsewhere: true } => (
            format!(
                "{host} cannot be reached, or does not allow other sites to read its files. The browser does not report which."
            ),
            "A server allows it with the header Access-Control-Allow-Origin (CORS). If you can download the file, drop it here instead.",
        ),
        FetchError::Refused { elsewhere: false } => (
            format!("{host} cannot be reached."),
            "Check the connection and try again.",
        ),
        FetchError::Broken(got) => (
            format!(
                "The connection to {host} was lost after {}.",
                crate::ui::text::format::size(*got)
            ),
            "Try again. If it fails again, download the file and drop it here.",
        ),
    };
    Failure {
        title: "Download failed".into(),
        message: message.into(),
        advice: advice.into(),
    }
}
