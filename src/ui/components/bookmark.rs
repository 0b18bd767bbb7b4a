//! Bookmark symbols and comments.

use yew::prelude::*;

use super::names::{button, plain};
use crate::model::text::escaped;
use crate::ui::browser::dom::click;
use crate::ui::state::View;
use crate::ui::state::bookmarks::{Bookmark, TEXT_MAX};
use crate::ui::state::commands::Command;

/// Symbol of a bookmark; its tooltip is the beginning of the comment.
pub fn bookmark_sign(bookmark: &Bookmark) -> Html {
    let line = escaped(bookmark.first_line());
    let title = if line.is_empty() {
        "bookmarked".to_owned()
    } else {
        line
    };
    html! {
        <span class="flag" role="img" aria-label="bookmarked" {title}>
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 1.5h8v13l-4-3.5-4 3.5z" /></svg>
        </span>
    }
}

/// The bookmark of the selection, if the selection's path is known.
pub fn selected_bookmark(view: &View) -> Option<&Bookmark> {
    let path = &view.detail()?.path;
    let selected = Bookmark::new(&view.selection, path, view.opened.size)?;
    view.bookmarks.find(&selected)
}

/// A comment, line by line.
pub fn comment(bookmark: &Bookmark) -> Html {
    html! {
        <div class="comment">
            { for bookmark.text.lines().map(|line| html! { <p>{ escaped(line) }</p> }) }
        </div>
    }
}

/// The inspector's section on the bookmark of the selection.
pub fn bookmark_box(bookmark: &Bookmark) -> Html {
    html! {
        <section class="box" aria-label="Bookmark">
            <p class="headline">{ bookmark_sign(bookmark) }{ "Bookmark" }</p>
            if !bookmark.text.is_empty() { { comment(bookmark) } }
            <div class="rowc">
                { button("btn2", Command::Bookmark, plain("Edit comment…")) }
                { button("btn2", Command::DeleteBookmark, plain("Delete bookmark")) }
            </div>
        </section>
    }
}

/// Edits the comment of a bookmark.
pub fn comment_form(bookmark: &Bookmark) -> Html {
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            click("save-comment");
        }
    });
    let path = match &*bookmark.path {
        "" => "the file",
        path => path,
    };
    html! {
        <form method="dialog" class="ask">
            <label for="comment">{ "Comment on " }<span class="mono">{ escaped(path) }</span></label>
            <textarea id="comment" rows="5" maxlength={TEXT_MAX.to_string()} spellcheck="false"
                      defaultvalue={bookmark.text.clone()} {onkeydown} />
            <div class="rowc">
                <button id="save-comment" class="btn" data-command={Command::SaveComment.to_string()}>{ "Save" }</button>
                <button class="btn2 big" data-command={Command::DeleteBookmark.to_string()}>{ "Delete bookmark" }</button>
            </div>
            <p class="dim">{ "Ctrl+Enter saves." }</p>
        </form>
    }
}
