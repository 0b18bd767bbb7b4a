//! Bookmarks: adding, storing, importing and exporting.
//!
//! They belong to a file's content. Its hash is computed only when needed: to add, import or export
//! bookmarks, or when an opened file has the size of one with bookmarks.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::files;
use super::{Session, TabRuntime, spawn};
use crate::model::text::escaped;
use crate::ui::browser::{dom, fetch, storage};
use crate::ui::state::bookmarks::{
    self, Bookmark, BookmarkChange, BookmarkStorage, Bookmarks, Content, ENDS, FILE_MAX, Refusal,
    WHOLE_MAX,
};
use crate::ui::state::selection::{Selection, SelectionOrigin};
use crate::ui::state::{Action, Dialog, PanelId, TabId};
use crate::ui::text::format;
use crate::worker::protocol::SelectionTarget;

/// Bookmark bookkeeping of a file.
#[derive(Default)]
pub(crate) struct BookmarkRuntime {
    pub(crate) now: RefCell<Rc<Bookmarks>>,
    pub(crate) content: RefCell<Option<Content>>,
    /// Changes that are not stored yet.
    pub(crate) unsaved: RefCell<Vec<BookmarkChange>>,
    pub(crate) is_saving: Cell<bool>,
    /// Incremented for each content that the tab shows.
    pub(crate) edition: Cell<u32>,
}

impl BookmarkRuntime {
    /// Resets it for a new content of the tab.
    pub(crate) fn forget(&self) {
        self.edition.set(self.edition.get().wrapping_add(1));
        self.now.take();
        self.content.take();
        self.unsaved.take();
    }
}

/// Storage key of the contents with bookmarks (one line each, newest last) and, followed by such a
/// line, of their bookmarks in the file format.
const KEPT: &str = "zeview.bookmarks";
/// Maximum number of contents with bookmarks; the least recently changed are dropped.
const CONTENTS_MAX: usize = 50;
/// Maximum size of stored bookmarks, in bytes: browsers give a site about 5 million characters.
const KEPT_MAX: usize = 1_000_000;
/// Id of the comment field.
pub(crate) const COMMENT: &str = "comment";

impl Session {
    /// Bookmarks the selection of a file, or of the one in front; edits the comment if it is
    /// bookmarked already.
    pub(crate) fn bookmark(self: &Rc<Self>, file: Option<TabId>) {
        self.with_selected(file, |session, tab, live, mark| {
            let now = Rc::clone(&live.marks.now.borrow());
            match now.find(&mark) {
                Some(known) => session.edit_comment(Some(tab), known),
                None if now.is_full() => {
                    let most = bookmarks::BOOKMARKS_MAX;
                    session.notice(format!("A file can have at most {most} bookmarks."));
                }
                None => {
                    session.change_bookmarks(tab, BookmarkChange::Put(mark));
                    session.notice("Bookmarked. Press ; again to write a comment.");
                }
            }
        });
    }

    /// Edits the comment of a bookmark of a file, or of the one in front.
    pub fn edit_comment(&self, file: Option<TabId>, bookmark: &Bookmark) {
        if let Some((tab, _)) = self.file(file) {
            let dialog = Dialog::Comment(tab, Rc::new(bookmark.clone()));
            self.dispatch(Action::Dialog(dialog));
        }
    }

    /// Deletes a bookmark of the file in front.
    pub fn delete_this_bookmark(self: &Rc<Self>, bookmark: &Bookmark) {
        if let Some(tab) = self.state().active {
            self.change_bookmarks(tab, BookmarkChange::Delete(bookmark.clone()));
        }
    }

    /// Saves the comment typed into the dialog.
    pub(crate) fn save_comment(self: &Rc<Self>) {
        let state = self.state();
        if let Some(Dialog::Comment(tab, bookmark)) = state.dialog() {
            let text = dom::text_of(COMMENT).trim_end().replace('\r', "");
            let bookmark = Bookmark {
                text,
                ..(**bookmark).clone()
            };
            self.change_bookmarks(*tab, BookmarkChange::Put(bookmark));
        }
    }

    /// Deletes the bookmark shown in the dialog, or else the one of the selection.
    pub(crate) fn delete_bookmark(self: &Rc<Self>, file: Option<TabId>) {
        if let Some(Dialog::Comment(tab, bookmark)) = self.state().dialog() {
            let bookmark = BookmarkChange::Delete((**bookmark).clone());
            return self.change_bookmarks(*tab, bookmark);
        }
        self.with_selected(file, |session, tab, _, mark| {
            session.change_bookmarks(tab, BookmarkChange::Delete(mark));
        });
    }

    /// Selects a bookmark's target.
    pub fn show_bookmark(self: &Rc<Self>, bookmark: &Bookmark) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        if bookmark.path.is_empty() && bookmark.bytes.is_none() {
            return self.select_root(tab, SelectionOrigin::Jump);
        }
        let (of, root) = (bookmark.clone(), view.opened.root.span);
        let make = move |ancestry: Rc<[crate::worker::protocol::Row]>| {
            let node = ancestry.last().map_or(root, |row| row.span);
            match node.and_then(|node| of.within(node)) {
                Some(span) => Selection::bytes(ancestry, span, SelectionOrigin::Jump),
                None => Selection::node(ancestry, SelectionOrigin::Jump),
            }
        };
        let place = SelectionTarget::Path(bookmark.path.clone());
        self.select(tab, place, None, Box::new(make));
    }

    /// Calls `act` with a bookmark of the selection as soon as its path is known.
    fn with_selected(
        self: &Rc<Self>,
        file: Option<TabId>,
        act: impl FnOnce(&Rc<Session>, TabId, &TabRuntime, Bookmark) + 'static,
    ) {
        let Some((tab, view)) = self.file(file) else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let path = match view.detail() {
                Some(detail) => detail.path.clone(),
                None => {
                    let place = SelectionTarget::Node(view.selection.node_id());
                    match session.locate(tab, place, None).await {
                        Ok((_, found)) => found.detail.path.clone(),
                        Err(error) => return session.handle_error(tab, &error),
                    }
                }
            };
            match Bookmark::new(&view.selection, &path, view.opened.size) {
                Some(mark) => act(&session, tab, &live, mark),
                None => session.notice("This cannot be bookmarked: its path is too long."),
            }
        }));
    }

    fn change_bookmarks(self: &Rc<Self>, tab: TabId, change: BookmarkChange) {
        let Some(live) = self.live(tab) else { return };
        let mut now = (**live.marks.now.borrow()).clone();
        now.apply(change.clone());
        self.set_bookmarks(tab, &live, now);
        live.marks.unsaved.borrow_mut().push(change);
        self.keep_bookmarks(tab);
    }

    fn set_bookmarks(&self, tab: TabId, live: &TabRuntime, bookmarks: Bookmarks) {
        let bookmarks = Rc::new(bookmarks);
        *live.marks.now.borrow_mut() = Rc::clone(&bookmarks);
        self.dispatch(Action::Bookmarks(tab, bookmarks));
    }

    /// Loads the bookmarks of a newly opened file, if there are any.
    pub(crate) fn load_bookmarks(self: &Rc<Self>, tab: TabId) {
        let Some(live) = self.live(tab) else { return };
        let now = Rc::clone(&live.marks.now.borrow());
        if !now.all().is_empty() {
            return self.dispatch(Action::Bookmarks(tab, now));
        }
        let file = live.content.file();
        let Some(file) = file else { return };
        let sized = format!("{}-", file.size());
        if lines().iter().any(|line| line.starts_with(&sized)) {
            self.keep_bookmarks(tab);
        }
    }

    /// Saves pending changes on top of the stored bookmarks, which another window may have changed.
    /// Without changes, only loads them.
    fn keep_bookmarks(self: &Rc<Self>, tab: TabId) {
        let Some(live) = self.live(tab) else { return };
        if live.marks.is_saving.replace(true) {
            return;
        }
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let edition = live.marks.edition.get();
            let content = if storage::is_there() {
                content_of(&live).await
            } else {
                Content::default()
            };
            live.marks.is_saving.set(false);
            if live.marks.edition.get() != edition {
                // The content has changed meanwhile: load its own bookmarks.
                return session.load_bookmarks(tab);
            }
            let changes = live.marks.unsaved.take();
            let name = live.content.file().map(|file| file.name());
            let now = Rc::clone(&live.marks.now.borrow());
            let kept = keep(&name.unwrap_or_default(), &content, changes, &now);
            if kept != *now {
                session.set_bookmarks(tab, &live, kept);
            }
        }));
    }

    /// Exports the bookmarks of the file in front.
    pub(crate) fn export_bookmarks(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        spawn(Box::pin(async move {
            let content = content_of(&live).await;
            let (name, all) = (&view.opened.name, &view.bookmarks);
            let text = bookmarks::write(name, &content, all);
            files::save_text(&text, &format::file_name([name, "bookmarks"], "json"));
        }));
    }

    /// Imports bookmarks into the file in front. Any other file is opened, unless the user asked to
    /// import.
    pub(crate) fn import_bookmarks(self: &Rc<Self>, chosen: files::ChosenFile, explicit: bool) {
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let file = &chosen.file;
            let name = short(&file.name());
            let text = if file.size() <= FILE_MAX as f64 {
                JsFuture::from(file.text()).await.ok()
            } else {
                None
            };
            let text = text.and_then(|text| text.as_string());
            let read = text.map_or(Err(Refusal::Other), |text| bookmarks::read(&text));
            let read = match read {
                Ok(read) => read,
                Err(Refusal::Wrong(why)) => {
                    return session.notice(format!("{name} was not imported: {why}."));
                }
                Err(Refusal::Other) if explicit => {
                    return session.notice(format!("{name} is not a bookmark file."));
                }
                Err(Refusal::Other) => return session.open_as_file(chosen),
            };
            let tab = session.state().active;
            let Some((tab, live)) = tab.and_then(|tab| Some((tab, session.live(tab)?))) else {
                return session.notice(format!(
                    "{name} has bookmarks for {}. Open that file first.",
                    short(&read.name)
                ));
            };
            let content = content_of(&live).await;
            if !content.fits(&read.content) {
                return session.notice(format!(
                    "These bookmarks are for another file: {}, {}.",
                    short(&read.name),
                    format::bytes(read.content.size)
                ));
            }
            let is_sure = content.hash.is_some() && read.content.hash.is_some();
            let count = format::counted(read.bookmarks.len() as u64, "bookmark", "bookmarks");
            session.change_bookmarks(tab, BookmarkChange::Merge(read.bookmarks));
            session.dispatch(Action::PanelOf(tab, PanelId::Bookmarks));
            let rest = match (is_sure, live.marks.now.borrow().is_full()) {
                (_, true) => format!(" At most {} are kept.", bookmarks::BOOKMARKS_MAX),
                (false, _) => " Only the size of the file was compared.".to_owned(),
                _ => String::new(),
            };
            session.notice(format!("{count} imported.{rest}"));
        }));
    }
}

/// A shortened name for messages.
fn short(name: &str) -> String {
    let (start, end) = format::middle(name);
    let start: String = start.chars().take(60).collect();
    match escaped(&format!("{start}{end}")) {
        name if name.is_empty() => "a file without a name".to_owned(),
        name => name,
    }
}

/// The stored index of contents that have bookmarks.
fn lines() -> Vec<String> {
    let kept = storage::load(KEPT).unwrap_or_default();
    kept.lines().map(str::to_owned).collect()
}

/// Storage key of a content's bookmarks.
fn entry(line: &str) -> String {
    format!("{KEPT}.{line}")
}

/// The stored bookmarks of a content after these changes; `now` are those of the page.
fn keep(name: &str, content: &Content, changes: Vec<BookmarkChange>, now: &Bookmarks) -> Bookmarks {
    let Some(line) = content.key() else {
        return now.kept(if storage::is_there() {
            BookmarkStorage::NoHash
        } else {
            BookmarkStorage::NoStorage
        });
    };
    let mut all = Bookmarks::default();
    let kept = storage::load(&entry(&line)).and_then(|text| bookmarks::read(&text).ok());
    if let Some(kept) = kept {
        all.apply(BookmarkChange::Merge(kept.bookmarks));
    }
    if changes.is_empty() {
        return all;
    }
    changes.into_iter().for_each(|change| all.apply(change));
    let mut lines = lines();
    lines.retain(|other| *other != line);
    if all.all().is_empty() {
        storage::store(&entry(&line), None);
        storage::store(KEPT, Some(&lines.join("\n")));
        return all;
    }
    let text = bookmarks::write(name, content, &all);
    if text.len() > KEPT_MAX {
        return now.kept(BookmarkStorage::Full);
    }
    loop {
        let is_kept = lines.len() < CONTENTS_MAX && storage::store(&entry(&line), Some(&text));
        if is_kept {
            lines.push(line);
            break;
        }
        if lines.is_empty() {
            break;
        }
        // Make room: the first one was changed least recently.
        storage::store(&entry(&lines.remove(0)), None);
    }
    let is_kept = !lines.is_empty();
    storage::store(KEPT, Some(&lines.join("\n")));
    if is_kept {
        all
    } else {
        now.kept(BookmarkStorage::Full)
    }
}

/// Identifies the content that a tab shows.
async fn content_of(live: &TabRuntime) -> Content {
    if let Some(content) = &*live.marks.content.borrow() {
        return content.clone();
    }
    let file = live.content.file();
    let Some(file) = file else {
        return Content::default();
    };
    let edition = live.marks.edition.get();
    let content = Content {
        size: file.size() as u64,
        hash: hash(&file).await,
    };
    if live.marks.edition.get() == edition {
        *live.marks.content.borrow_mut() = Some(content.clone());
    }
    content
}

/// The SHA-256 of a file, or of its ends. Returns `None` if the file cannot be read or the browser
/// has no SubtleCrypto, as on pages without encryption.
async fn hash(file: &File) -> Option<String> {
    let window = web_sys::window()?;
    let crypto = Reflect::get(&window, &"crypto".into()).ok()?;
    let subtle = Reflect::get(&crypto, &"subtle".into()).ok()?;
    let digest = Reflect::get(&subtle, &"digest".into()).ok()?;
    let digest: Function = digest.dyn_into().ok()?;
    let (size, ends) = (file.size(), ENDS as f64);
    let bytes = if size <= WHOLE_MAX as f64 {
        file.array_buffer()
    } else {
        let part = |from, to| file.slice_with_f64_and_f64(from, to).ok();
        let parts = Array::of2(&part(0.0, ends)?.into(), &part(size - ends, size)?.into());
        fetch::file(&parts, "")?.array_buffer()
    };
    let bytes = JsFuture::from(bytes).await.ok()?;
    let digest: JsValue = digest.call2(&subtle, &"SHA-256".into(), &bytes).ok()?;
    let digest = JsFuture::from(digest.dyn_into::<Promise>().ok()?)
        .await
        .ok()?;
    let digits = Uint8Array::new(&digest).to_vec();
    Some(digits.iter().map(|byte| format!("{byte:02x}")).collect())
}
