//! Opening files (dropped, chosen, pasted) and saving them.

use std::rc::Rc;

use super::page::gate::{self, Giver};
use super::{Session, spawn};
use crate::model::{SourceId, Span, sort};
use crate::ui::browser::listener::Listener;
use crate::ui::browser::{dom, fetch, folder};
use crate::ui::state::{Action, Phase, TabId};
use crate::ui::text::profile::is_result_folder;
use crate::worker::protocol::BYTES_MAX;
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, ClipboardEvent, DataTransfer, DragEvent, Event, File, FileSystemDirectoryEntry,
    FileSystemEntry, HtmlAnchorElement, HtmlInputElement, Url,
};

/// Ids of the inputs for files and for a folder.
const FILE_ID: &str = "file";
const FOLDER_ID: &str = "folder";

/// Number of files from which a folder is not taken for one of `unitrace --result-dir`.
const RUN_FILES_MAX: usize = 2048;

/// A file to be opened.
pub(crate) struct ChosenFile {
    pub(crate) file: File,
    /// Allows it to be read again later.
    pub(crate) handle: Option<JsValue>,
    /// Who gave it.
    pub(crate) giver: Giver,
}

impl ChosenFile {
    /// A file of the reader.
    pub(crate) fn own(file: File, handle: Option<JsValue>) -> ChosenFile {
        ChosenFile {
            file,
            handle,
            giver: Giver::Reader,
        }
    }
}

fn document() -> Option<web_sys::Document> {
    web_sys::window()?.document()
}

/// Opens files that are dropped anywhere on the page, pasted or chosen.
pub(crate) fn listen(session: &Rc<Session>) -> Vec<Listener> {
    let Some(document) = document() else {
        return Vec::new();
    };
    let names = ["dragover", "dragleave", "drop", "paste", "change"];
    let listener = |name: &'static str| {
        let here = Rc::clone(session);
        Listener::active(&document, name, move |event| {
            on_file_event(&here, name, &event)
        })
    };
    names.into_iter().map(listener).collect()
}

fn on_file_event(session: &Rc<Session>, name: &str, event: &Event) {
    match name {
        "paste" => paste(session, event),
        "change" => chosen(session, event),
        _ => {
            let Some(data) = transfer(event).filter(has_files) else {
                return;
            };
            // Otherwise the browser itself would open the files.
            event.prevent_default();
            match name {
                "dragover" => {
                    data.set_drop_effect("copy");
                    set_dragging(session, true);
                }
                "drop" => {
                    set_dragging(session, false);
                    // Dropped on the Compare panel: compare with it.
                    let onto = dom::closest(event, "[data-base]").is_some();
                    receive(session, &data, onto);
                }
                // `relatedTarget` is `None` when the drag leaves the window.
                _ if event
                    .dyn_ref::<DragEvent>()
                    .is_some_and(|d| d.related_target().is_none()) =>
                {
                    set_dragging(session, false);
                }
                _ => {}
            }
        }
    }
}

/// Dispatches changes only: browsers repeat `dragover` about ten times a second.
fn set_dragging(session: &Session, is_dragging: bool) {
    if session.is_dragging.replace(is_dragging) != is_dragging {
        session.dispatch(Action::Dragging(is_dragging));
    }
}

fn transfer(event: &Event) -> Option<DataTransfer> {
    event.dyn_ref::<DragEvent>()?.data_transfer()
}

fn has_files(data: &DataTransfer) -> bool {
    data.types().iter().any(|name| name == "Files")
}

/// A dropped file with its handle, or a folder.
enum Dropped {
    File(File, Option<Promise>),
    Folder(FileSystemDirectoryEntry),
}

/// Handles must be requested synchronously: the `DataTransfer` is cleared after the event.
fn receive(session: &Rc<Session>, data: &DataTransfer, onto: bool) {
    let items = data.items();
    let items = (0..items.length()).filter_map(|i| items.get(i));
    let dropped = items
        .filter(|item| item.kind() == "file")
        .filter_map(|item| {
            let entry = item.webkit_get_as_entry().ok().flatten();
            // Not every browser gives the class of folders the standard name.
            if let Some(folder) = entry.filter(FileSystemEntry::is_directory) {
                return Some(Dropped::Folder(folder.unchecked_into()));
            }
            let handle = Reflect::get(&item, &"getAsFileSystemHandle".into())
                .ok()
                .and_then(|ask| ask.dyn_into::<Function>().ok())
                .and_then(|ask| ask.call0(&item).ok()?.dyn_into().ok());
            Some(Dropped::File(item.get_as_file().ok().flatten()?, handle))
        });
    let dropped: Vec<Dropped> = dropped.collect();
    let session = Rc::clone(session);
    spawn(Box::pin(async move {
        let mut chosen: Vec<ChosenFile> = Vec::new();
        let mut folders = Vec::new();
        for item in dropped {
            match item {
                Dropped::Folder(folder) => folders.push(folder),
                Dropped::File(file, handle) => {
                    let handle = match handle {
                        Some(promise) => JsFuture::from(promise)
                            .await
                            .ok()
                            .filter(JsValue::is_object),
                        None => None,
                    };
                    chosen.push(ChosenFile::own(file, handle));
                }
            }
        }
        if let [folder] = folders.as_slice()
            && let Some(run) = run_of(folder).await
        {
            return session.receive_run(run, chosen).await;
        }
        if !folders.is_empty() {
            return session.receive_folders(folders, chosen, onto);
        }
        match (session.active(), chosen.len()) {
            (Some((tab, _)), 1) if onto => {
                chosen
                    .into_iter()
                    .for_each(|file| session.compare_with_file(file, tab));
            }
            _ => session.receive_files(chosen).await,
        }
    }));
}

/// Returns the files of a dropped folder if it is one of `unitrace --result-dir`, in the order of their
/// paths.
async fn run_of(folder: &FileSystemDirectoryEntry) -> Option<Vec<File>> {
    let is_small = |files: usize| files < RUN_FILES_MAX;
    let mut files = folder::list(folder.clone(), &is_small).await?;
    sort::by_key(&mut files, |(path, _)| path.clone());
    is_result_folder(files.iter().map(|(path, _)| &**path)).then(|| {
        let readable = files.into_iter().filter_map(|(_, file)| file.ok());
        readable.collect()
    })
}

/// The current file of a handle.
pub(crate) async fn file_of(handle: &JsValue) -> Option<File> {
    let get: Function = Reflect::get(handle, &"getFile".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let promise: Promise = get.call0(handle).ok()?.dyn_into().ok()?;
    JsFuture::from(promise).await.ok()?.dyn_into().ok()
}

/// The files of a list.
fn files_of(list: &web_sys::FileList) -> Vec<File> {
    (0..list.length()).filter_map(|i| list.item(i)).collect()
}

fn paste(session: &Rc<Session>, event: &Event) {
    if dom::is_typing(event) || dom::has_dialog() {
        return;
    }
    let data = event
        .dyn_ref::<ClipboardEvent>()
        .and_then(ClipboardEvent::clipboard_data);
    let Some(data) = data else { return };
    event.prevent_default();
    let files = data.files().map(|list| files_of(&list)).unwrap_or_default();
    if !files.is_empty() {
        receive_later(session, files.into_iter());
    } else if let Ok(text) = data.get_data("text/plain") {
        session.open_text(&text);
    }
}

fn chosen(session: &Rc<Session>, event: &Event) {
    let input = event
        .target()
        .and_then(|t| t.dyn_into::<HtmlInputElement>().ok());
    let is_folder = input.as_ref().is_some_and(|input| input.id() == FOLDER_ID);
    let input = input.filter(|input| is_folder || input.id() == FILE_ID);
    let Some(list) = input.and_then(|input| input.files()) else {
        return;
    };
    let files = files_of(&list);
    if is_folder {
        let paths = files.iter().map(File::name).collect::<Vec<String>>();
        if files.len() < RUN_FILES_MAX && is_result_folder(paths.iter().map(String::as_str)) {
            let session = Rc::clone(session);
            spawn(Box::pin(async move {
                session.receive_run(files, Vec::new()).await
            }));
            return;
        }
        return session.open_chosen_folder(files);
    }
    let mut files = files.into_iter();
    if let Some(tab) = session.instead.take()
        && let Some(file) = files.next()
    {
        session.replace(tab, ChosenFile::own(file, None));
    }
    if let Some(tab) = session.compared.take()
        && let Some(file) = files.next()
    {
        session.compare_with_file(ChosenFile::own(file, None), tab);
    }
    if session.imports.take()
        && let Some(file) = files.next()
    {
        session.import_bookmarks(ChosenFile::own(file, None), true);
    }
    receive_later(session, files);
}

fn receive_later(session: &Rc<Session>, files: impl Iterator<Item = File>) {
    let files: Vec<ChosenFile> = files.map(|file| ChosenFile::own(file, None)).collect();
    let session = Rc::clone(session);
    spawn(Box::pin(async move { session.receive_files(files).await }));
}

impl Session {
    /// Opens the file dialog; the first file replaces the one in this tab.
    pub fn choose(&self, instead: Option<TabId>) {
        self.choose_for(instead, None, false);
    }

    /// Opens the file dialog for a file to compare with the one in front.
    pub fn choose_base(&self) {
        self.choose_for(None, self.state().active, false);
    }

    /// Opens the file dialog for bookmarks of the one in front.
    pub(crate) fn choose_bookmarks(&self) {
        self.choose_for(None, None, true);
    }

    /// Opens the file dialog for a folder.
    pub fn choose_folder() {
        click(FOLDER_ID);
    }

    /// Opens dropped folders, and the files that were dropped with them. Two are compared.
    fn receive_folders(
        self: &Rc<Self>,
        folders: Vec<FileSystemDirectoryEntry>,
        files: Vec<ChosenFile>,
        onto: bool,
    ) {
        let before = self.state().active;
        let folders = folders.into_iter().map(|folder| self.open_folder(folder));
        let mut tabs: Vec<TabId> = folders.collect();
        tabs.extend(
            files
                .into_iter()
                .map(|file| self.add_file(file, Phase::Waiting)),
        );
        match (tabs.as_slice(), before) {
            ([base], Some(tab)) if onto => self.compare(*base, tab),
            ([base, tab], _) => self.compare(*base, *tab),
            _ => {}
        }
    }

    fn choose_for(&self, instead: Option<TabId>, compared: Option<TabId>, imports: bool) {
        // All three: an earlier dialog may have been canceled.
        self.instead.set(instead);
        self.compared.set(compared);
        self.imports.set(imports);
        click(FILE_ID);
    }

    /// Saves bytes of a file as a file.
    pub fn save_bytes(self: &Rc<Self>, tab: TabId, span: Span, name: String) {
        let Some(live) = self.live(tab) else { return };
        let file = live.content.file();
        if let Some(file) = file.filter(|_| span.source == SourceId::FILE) {
            // No bytes are read here: the browser copies the slice itself.
            if let Ok(part) = file.slice_with_f64_and_f64(span.start as f64, span.end as f64) {
                save(&part, &name);
            }
            return;
        }
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let parts = Array::new();
            let mut at = 0;
            while at < span.len() {
                match session.read(tab, span.subspan(at, BYTES_MAX)).await {
                    Ok(piece) if !piece.bytes.is_empty() => {
                        at += piece.bytes.len() as u64;
                        parts.push(&js_sys::Uint8Array::from(piece.bytes.as_slice()));
                    }
                    Ok(_) => break,
                    Err(error) => return session.handle_error(tab, &error),
                }
            }
            if let Some(file) = fetch::file(&parts, &name) {
                save(&file, &name);
            }
        }));
    }
}

/// Opens the dialog of a file input.
fn click(id: &str) {
    let input = dom::element(id).and_then(|e| e.dyn_into::<HtmlInputElement>().ok());
    if let Some(input) = input {
        // Allows the same file to be chosen again.
        input.set_value("");
        input.click();
    }
}

/// Saves text as a file.
pub(crate) fn save_text(text: &str, name: &str) {
    if let Some(file) = fetch::file(&Array::of1(&text.into()), name) {
        save(&file, name);
    }
}

fn save(blob: &Blob, name: &str) {
    if gate::save(blob, name) {
        return;
    }
    let Ok(url) = Url::create_object_url_with_blob(blob) else {
        return;
    };
    let anchor = document()
        .and_then(|document| document.create_element("a").ok())
        .and_then(|element| element.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(anchor) = anchor {
        anchor.set_href(&url);
        anchor.set_download(name);
        anchor.click();
    }
    let _ = Url::revoke_object_url(&url);
}
