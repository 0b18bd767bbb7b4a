//! Modal dialogs: the browser traps the focus in them and restores it.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlDialogElement, HtmlElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::Session;
use crate::ui::browser::listener::Listener;
use crate::ui::hooks::effect::use_kept;
use crate::ui::state::Action;

/// Opens the `<dialog>` once it is in the document. The user closes it with Escape, a form with
/// `method="dialog"`, or a click on the backdrop.
#[hook]
pub fn use_modal(session: &Rc<Session>, serial: u32) -> NodeRef {
    let node = use_node_ref();
    let (session, dialog) = (Rc::clone(session), node.clone());
    use_kept(Box::new(move || Box::new(open(&session, serial, &dialog))));
    node
}

fn open(session: &Rc<Session>, serial: u32, node: &NodeRef) -> Option<[Listener; 2]> {
    let dialog = node.cast::<HtmlDialogElement>()?;
    // It is in the document and closed, so it can be shown.
    let _ = dialog.show_modal();
    // If there is a field to type in or copy from, focus that instead of the close button.
    let field = dialog.query_selector("textarea, input").ok().flatten();
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        let _ = field.focus();
        if let Ok(area) = field.dyn_into::<HtmlTextAreaElement>() {
            area.select();
        }
    }
    let session = Rc::clone(session);
    let closed = Listener::new(&dialog, "close", move |_| {
        session.dispatch(Action::DialogClosed(serial));
    });
    let own = dialog.clone();
    let beside = Listener::new(&dialog, "click", move |event: Event| {
        let target = event
            .target()
            .and_then(|t| t.dyn_into::<HtmlDialogElement>().ok());
        if target.is_some_and(|target| target == own) {
            own.close();
        }
    });
    Some([closed, beside])
}
