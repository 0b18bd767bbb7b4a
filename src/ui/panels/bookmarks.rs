//! Bookmarks in byte order.

use std::rc::Rc;

use yew::prelude::*;

use super::props::PanelProps;
use crate::model::Tone;
use crate::model::text::escaped;
use crate::ui::browser::dom::{focus, number_near};
use crate::ui::browser::keys::pressed;
use crate::ui::components::{bookmark_sign, button, comment, plain, selected_bookmark, shortened};
use crate::ui::hooks::{
    Local, VirtualRows, use_change, use_local, use_row_count, use_virtual_rows,
};
use crate::ui::state::View;
use crate::ui::state::bookmarks::{Bookmark, BookmarkStorage};
use crate::ui::state::commands::Command;
use crate::ui::text::format;

/// Row height in pixels; equals `--problem-row` in the styles.
const ROW: f64 = 40.0;

/// Number of bookmarks.
pub(super) fn badge(view: &View) -> Option<(u64, Tone)> {
    let count = view.bookmarks.all().len() as u64;
    (count > 0).then_some((count, Tone::Plain))
}

struct List {
    props: PanelProps,
    rows: Rc<VirtualRows>,
    /// The bookmark chosen here last, and the selection at that time: the new one is pending.
    chosen: Local<Option<(usize, u32)>>,
    current: Option<usize>,
}

impl List {
    fn all(&self) -> &[Bookmark] {
        self.props.view.bookmarks.all()
    }

    fn choose(&self, place: usize) {
        if let Some(bookmark) = self.all().get(place) {
            let serial = self.props.view.selection.serial;
            self.chosen.change(|chosen| *chosen = Some((place, serial)));
            self.props.session.0.show_bookmark(bookmark);
        }
    }

    /// Not the selection: it may be pending, or its node may be missing.
    fn act(&self, act: BookmarkAction) {
        let Some(bookmark) = self.current.and_then(|place| self.all().get(place)) else {
            return;
        };
        match act {
            BookmarkAction::Edit => self.props.session.0.edit_comment(None, bookmark),
            BookmarkAction::Delete => self.props.session.0.delete_this_bookmark(bookmark),
        }
    }

    fn key(&self, event: &KeyboardEvent) {
        let Some(key) = pressed(event) else { return };
        let last = self.all().len().saturating_sub(1);
        let page = self.rows.page() as usize;
        let place = match (key.as_str(), self.current) {
            ("Delete", Some(_)) => {
                event.prevent_default();
                return self.act(BookmarkAction::Delete);
            }
            ("Enter", Some(_)) => {
                event.prevent_default();
                return self.act(BookmarkAction::Edit);
            }
            ("ArrowDown", Some(i)) => i + 1,
            ("ArrowUp", Some(i)) => i.saturating_sub(1),
            ("PageDown", Some(i)) => i + page,
            ("PageUp", Some(i)) => i.saturating_sub(page),
            ("ArrowDown" | "ArrowUp" | "PageDown" | "PageUp" | "Home", _) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        self.choose(place.min(last));
    }
}

/// Actions on a bookmark.
#[derive(Clone, Copy)]
enum BookmarkAction {
    Edit,
    Delete,
}

/// The bookmarks of the file.
#[component]
pub fn BookmarkList(props: &PanelProps) -> Html {
    let view = &props.view;
    let all = view.bookmarks.all();
    let rows = use_virtual_rows(ROW);
    use_row_count(&rows, all.len() as u64);
    let chosen = use_local::<Option<(usize, u32)>>();
    let serial = view.selection.serial;
    let waiting = chosen
        .get()
        .filter(|(place, of)| *of == serial && *place < all.len());
    let selected = || {
        let selected = selected_bookmark(view)?;
        all.iter().position(|bookmark| bookmark.is_at(selected))
    };
    let current = waiting.map(|(place, _)| place).or_else(selected);
    let list = Rc::new(List {
        props: props.clone(),
        rows: Rc::clone(&rows),
        chosen,
        current,
    });
    let here = Rc::clone(&rows);
    let reveal = move || {
        if let Some(current) = current {
            here.reveal(current as u64);
        }
    };
    let watched = current.map_or(0, |place| place as u64 + 1);
    use_change([u64::from(serial), watched, 0, 0], Box::new(reveal));
    let here = Rc::clone(&list);
    let onkeydown = Callback::from(move |event: KeyboardEvent| here.key(&event));
    let here = Rc::clone(&list);
    let onclick = Callback::from(move |event: MouseEvent| {
        if let Some(place) = number_near(&event, "data-bookmark") {
            focus(&here.rows.container);
            here.choose(place as usize);
        }
    });
    let (start, end) = rows.shown();
    html! {
        <div class="panel problems bookmarks" {onclick}>
            { tools(&list) }
            if all.is_empty() {
                <div class="calm">
                    <p>{ "Nothing is bookmarked in this file." }</p>
                    <p class="dim">{ "Select a row or bytes and press " }<kbd>{ ";" }</kbd>{ "; press it again to write a comment." }</p>
                </div>
            } else {
                <div class="scroll" ref={&rows.container} role="listbox" tabindex="0" aria-label="Bookmarks"
                     aria-activedescendant={current.map(|i| format!("bookmark-{i}"))} {onkeydown}>
                    <div class="spacer" ref={&rows.spacer} role="presentation">
                        <div class="window" ref={&rows.window} role="presentation">
                            { for (start..end).filter_map(|place| row(&list, place as usize)) }
                        </div>
                    </div>
                </div>
            }
            <p class="kept small dim" role="status">{ storage_text(view.bookmarks.keeping) }</p>
            if let Some(bookmark) = current.and_then(|place| all.get(place)).filter(|b| !b.text.is_empty()) {
                <div class="box info">{ comment(bookmark) }</div>
            }
        </div>
    }
}

/// Describes the storage of the bookmarks.
fn storage_text(keeping: BookmarkStorage) -> &'static str {
    match keeping {
        BookmarkStorage::Browser => "Saved in this browser, tied to the file’s content.",
        BookmarkStorage::NoStorage => {
            "This page cannot store anything in the browser: bookmarks last until it is closed. Export them to keep them."
        }
        BookmarkStorage::NoHash => {
            "The file cannot be identified (a page without https, or the file cannot be read): bookmarks last until the page is closed. Export them to keep them."
        }
        BookmarkStorage::Full => {
            "The browser’s storage is full: bookmarks last until the page is closed. Export them to keep them."
        }
    }
}

fn tools(list: &Rc<List>) -> Html {
    let tool = |act: BookmarkAction, label: &'static str| {
        let here = Rc::clone(list);
        let onclick = Callback::from(move |_: MouseEvent| here.act(act));
        html! { <button type="button" class="btn2" disabled={list.current.is_none()} {onclick}>{ label }</button> }
    };
    let none = list.all().is_empty();
    html! {
        <div class="filters">
            { tool(BookmarkAction::Edit, "Edit comment…") }
            { tool(BookmarkAction::Delete, "Delete") }
            <span class="grow" />
            <button type="button" class="btn2" disabled={none} data-command={Command::ExportBookmarks.to_string()}>{ "Export bookmarks" }</button>
            { button("btn2", Command::ImportBookmarks, plain("Import bookmarks…")) }
        </div>
    }
}

fn row(list: &List, place: usize) -> Option<Html> {
    let bookmark = list.all().get(place)?;
    let selected = list.current == Some(place);
    let path = match &*bookmark.path {
        "" => &list.props.view.opened.name,
        path => path,
    };
    let len = bookmark.bytes.map(|(_, len)| format::bytes(len));
    let line = bookmark.first_line();
    Some(html! {
        <div key={place} id={format!("bookmark-{place}")} class={if selected { "problem sel" } else { "problem" }}
             role="option" aria-selected={selected.to_string()} data-bookmark={place.to_string()}
             aria-setsize={list.all().len().to_string()} aria-posinset={(place + 1).to_string()}>
            { bookmark_sign(bookmark) }
            <span class="what mono">{ shortened(&escaped(path)) }</span>
            <span class="where mono">{ format!("{:#x}", bookmark.span.0) }</span>
            <span class="from">
                if let Some(len) = len { <span class="mono">{ len }</span> }
                <span class={if line.is_empty() { "dim" } else { "said" }}>{ if line.is_empty() { "no comment".to_owned() } else { escaped(line) } }</span>
            </span>
        </div>
    })
}
