//! Event listeners that are removed when dropped.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AddEventListenerOptions, Event, EventTarget};

/// An event listener, removed on drop. It is reentrant: handling a click may cause another one.
pub(crate) struct Listener {
    target: EventTarget,
    name: &'static str,
    call: Closure<dyn Fn(Event)>,
}

impl Listener {
    /// Adds a passive listener.
    pub(crate) fn new(
        target: &EventTarget,
        name: &'static str,
        call: impl Fn(Event) + 'static,
    ) -> Listener {
        Listener::with(target, name, true, call)
    }

    /// Adds a listener that may call `prevent_default`.
    pub(crate) fn active(
        target: &EventTarget,
        name: &'static str,
        call: impl Fn(Event) + 'static,
    ) -> Listener {
        Listener::with(target, name, false, call)
    }

    fn with(
        target: &EventTarget,
        name: &'static str,
        passive: bool,
        call: impl Fn(Event) + 'static,
    ) -> Listener {
        let call = Closure::<dyn Fn(Event)>::new(call);
        let options = AddEventListenerOptions::new();
        options.set_passive(passive);
        let added = target.add_event_listener_with_callback_and_add_event_listener_options(
            name,
            call.as_ref().unchecked_ref(),
            &options,
        );
        debug_assert!(added.is_ok(), "{name} can be listened to");
        Listener {
            target: target.clone(),
            name,
            call,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let call = self.call.as_ref().unchecked_ref();
        // It was added, so it can be removed.
        let _ = self
            .target
            .remove_event_listener_with_callback(self.name, call);
    }
}
