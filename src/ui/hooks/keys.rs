//! Keys that work everywhere in the page.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::dom;
use super::listener::Listener;

/// The key of an event; nothing while a modifier makes it the browser's business.
pub fn pressed(event: &KeyboardEvent) -> Option<String> {
    let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    (!modified && !event.is_composing()).then(|| event.key())
}

/// Calls `act` with each key that is pressed while nobody types; it says whether it had a
/// use for it.
#[hook]
pub fn use_keys(act: Rc<dyn Fn(&str) -> bool>) {
    let latest = use_mut_ref(|| Rc::clone(&act));
    *latest.borrow_mut() = act;
    use_effect_with((), move |()| {
        let listener = web_sys::window().map(|window| {
            Listener::active(&window, "keydown", move |event| {
                let Ok(event) = event.dyn_into::<KeyboardEvent>() else {
                    return;
                };
                call(&latest, &event);
            })
        });
        move || drop(listener)
    });
}

fn call(act: &RefCell<Rc<dyn Fn(&str) -> bool>>, event: &KeyboardEvent) {
    if event.default_prevented() || dom::is_typing(event) || dom::has_dialog() {
        return;
    }
    let act = Rc::clone(&act.borrow());
    if pressed(event).is_some_and(|key| act(&key)) {
        event.prevent_default();
    }
}
