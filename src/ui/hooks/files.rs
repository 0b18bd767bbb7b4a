//! Files that come in (dropped, chosen, pasted) and go out (saved).

use std::rc::Rc;

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, ClipboardEvent, DataTransfer, DragEvent, Event, File, HtmlAnchorElement,
    HtmlInputElement, Url,
};
use yew::prelude::*;

use super::listener::Listener;
use super::session::Session;
use super::session_open::{Chosen, as_file, files_of};
use super::{dom, fetch};
use crate::model::{SourceId, Span};
use crate::ui::state::TabId;
use crate::worker::protocol::BYTES_MAX;

fn document() -> Option<web_sys::Document> {
    web_sys::window()?.document()
}

/// Opens files that are dropped anywhere on the page; says whether some are over it now.
#[hook]
pub fn use_drops(session: &Rc<Session>) -> bool {
    let over = use_state_eq(|| false);
    let session = Rc::clone(session);
    let set = over.setter();
    use_effect_with((), move |()| {
        let mut listeners = Vec::new();
        if let Some(document) = document() {
            // Entering an element comes before leaving the one around it.
            let mut depth = 0_i32;
            for name in ["dragenter", "dragleave", "dragover", "drop", "dragend"] {
                let (session, set) = (Rc::clone(&session), set.clone());
                let depth_of = move |name: &str, depth: i32| match name {
                    "dragenter" => depth + 1,
                    "dragleave" => (depth - 1).max(0),
                    _ => depth,
                };
                listeners.push(Listener::active(&document, name, move |event| {
                    let Some(data) = transfer(&event) else { return };
                    if !has_files(&data) {
                        return;
                    }
                    event.prevent_default();
                    match name {
                        "dragover" => {
                            data.set_drop_effect("copy");
                            set.set(true);
                        }
                        "drop" => {
                            set.set(false);
                            receive(&session, &data);
                        }
                        "dragend" => set.set(false),
                        _ => {
                            depth = depth_of(name, depth);
                            // Leaving the window has no element that is entered.
                            let leaves = event
                                .dyn_ref::<DragEvent>()
                                .is_some_and(|drag| drag.related_target().is_none());
                            if name == "dragleave" && leaves {
                                set.set(false);
                            }
                        }
                    }
                }));
            }
        }
        move || drop(listeners)
    });
    *over
}

fn transfer(event: &Event) -> Option<DataTransfer> {
    event.dyn_ref::<DragEvent>()?.data_transfer()
}

fn has_files(data: &DataTransfer) -> bool {
    data.types().iter().any(|name| name == "Files")
}

/// The handles have to be asked for at once: afterwards the drop is over.
fn receive(session: &Rc<Session>, data: &DataTransfer) {
    let files = data.files().map(|list| files_of(&list)).unwrap_or_default();
    let items = data.items();
    let handles: Vec<Option<Promise>> = (0..items.length())
        .filter_map(|i| items.get(i))
        .filter(|item| item.kind() == "file")
        .map(|item| {
            let ask = Reflect::get(&item, &"getAsFileSystemHandle".into()).ok()?;
            let ask: Function = ask.dyn_into().ok()?;
            ask.call0(&item).ok()?.dyn_into().ok()
        })
        .collect();
    let session = Rc::clone(session);
    spawn_local(async move {
        let mut chosen: Vec<Chosen> = Vec::new();
        for (i, file) in files.into_iter().enumerate() {
            let handle = match handles.get(i).cloned().flatten() {
                Some(promise) => JsFuture::from(promise).await.ok().filter(JsValue::is_object),
                None => None,
            };
            chosen.push((file, handle));
        }
        session.open_files(chosen);
    });
}

/// The file that a handle stands for, as it is now.
pub(super) async fn file_of(handle: &JsValue) -> Option<File> {
    let get: Function = Reflect::get(handle, &"getFile".into()).ok()?.dyn_into().ok()?;
    let promise: Promise = get.call0(handle).ok()?.dyn_into().ok()?;
    as_file(JsFuture::from(promise).await.ok()?)
}

/// Opens what is pasted: files, hex text, base64.
#[hook]
pub fn use_pastes(session: &Rc<Session>) {
    let session = Rc::clone(session);
    use_effect_with((), move |()| {
        let listener = document().map(|document| {
            Listener::active(&document, "paste", move |event| {
                if dom::is_typing(&event) || dom::has_dialog() {
                    return;
                }
                let data = event
                    .dyn_ref::<ClipboardEvent>()
                    .and_then(ClipboardEvent::clipboard_data);
                let Some(data) = data else { return };
                event.prevent_default();
                let files = data.files().map(|list| files_of(&list)).unwrap_or_default();
                if !files.is_empty() {
                    session.open_files(files.into_iter().map(|file| (file, None)).collect());
                } else if let Ok(text) = data.get_data("text/plain") {
                    session.open_text(&text);
                }
            })
        });
        move || drop(listener)
    });
}

/// A hidden field for files: the callback that opens it, and what it needs. A tab that is
/// given when it is opened gets the file that is chosen.
#[hook]
pub fn use_file_input(
    session: &Rc<Session>,
) -> (NodeRef, Callback<Option<TabId>>, Callback<Event>) {
    let input = use_node_ref();
    let instead = use_mut_ref(|| None::<TabId>);
    let choose = use_callback(
        (input.clone(), Rc::clone(&instead)),
        |tab, (input, instead)| {
            *instead.borrow_mut() = tab;
            if let Some(input) = input.cast::<HtmlInputElement>() {
                // The same file may be chosen again.
                input.set_value("");
                input.click();
            }
        },
    );
    let session = Rc::clone(session);
    let onchange = use_callback(input.clone(), move |_: Event, input| {
        let files = input
            .cast::<HtmlInputElement>()
            .and_then(|input| input.files())
            .map(|list| files_of(&list))
            .unwrap_or_default();
        let instead = instead.borrow_mut().take();
        let mut files = files.into_iter();
        if let Some(tab) = instead
            && let Some(file) = files.next()
        {
            session.replace(tab, file);
        }
        session.open_files(files.map(|file| (file, None)).collect());
    });
    (input, choose, onchange)
}

/// Saves bytes of the active file as a file.
pub fn save_bytes(session: &Rc<Session>, span: Span, name: String) {
    let Some((tab, _)) = session.active() else { return };
    let Some(live) = session.live(tab) else { return };
    let file = live.file.borrow().clone();
    if let Some(file) = file.filter(|_| span.source == SourceId::FILE) {
        // Nothing is read: the browser copies the part itself.
        if let Ok(part) = file.slice_with_f64_and_f64(span.start as f64, span.end as f64) {
            save(&part, &name);
        }
        return;
    }
    let session = Rc::clone(session);
    spawn_local(async move {
        let parts = Array::new();
        let mut at = 0;
        while at < span.len() {
            match session.read(tab, span.sub(at, BYTES_MAX)).await {
                Ok(piece) if !piece.bytes.is_empty() => {
                    at += piece.bytes.len() as u64;
                    parts.push(&js_sys::Uint8Array::from(piece.bytes.as_slice()));
                }
                Ok(_) => break,
                Err(error) => return session.trouble(tab, &error),
            }
        }
        if let Some(file) = fetch::file(&parts, &name) {
            save(&file, &name);
        }
    });
}

/// Saves text as a file.
pub fn save_text(text: &str, name: &str) {
    if let Some(file) = fetch::file(&Array::of1(&text.into()), name) {
        save(&file, name);
    }
}

fn save(blob: &Blob, name: &str) {
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
