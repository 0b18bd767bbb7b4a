//! Modal dialogs: the browser keeps the focus in them and gives it back.

use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlDialogElement};
use yew::prelude::*;

use super::listener::Listener;

/// Opens the `<dialog>` as soon as it is in the page; calls `close` when the user closes
/// it: with Escape, with a form of the method `dialog`, or with a click beside it.
#[hook]
pub fn use_modal(node: &NodeRef, close: Callback<()>) {
    let node = node.clone();
    use_effect_with((), move |()| {
        let mut listeners = Vec::new();
        if let Some(dialog) = node.cast::<HtmlDialogElement>() {
            // It is in the document and closed, so it can be shown.
            let _ = dialog.show_modal();
            listeners.push(Listener::new(&dialog, "close", move |_| close.emit(())));
            let own = dialog.clone();
            listeners.push(Listener::new(&dialog, "click", move |event: Event| {
                let on_backdrop = event
                    .target()
                    .and_then(|target| target.dyn_into::<HtmlDialogElement>().ok())
                    .is_some_and(|target| target == own);
                if on_backdrop {
                    own.close();
                }
            }));
        }
        move || drop(listeners)
    });
}
