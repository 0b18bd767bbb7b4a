//! Listeners that are taken away again.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AddEventListenerOptions, Event, EventTarget};

/// A listener; dropping it takes it away. It may be called while it is being called: a click
/// may cause another one.
pub(crate) struct Listener {
    target: EventTarget,
    name: &'static str,
    call: Closure<dyn Fn(Event)>,
}

impl Listener {
    /// Listens; the browser need not wait whether the event is prevented.
    pub(crate) fn new(
        target: &EventTarget,
        name: &'static str,
        call: impl Fn(Event) + 'static,
    ) -> Listener {
        Listener::with(target, name, true, call)
    }

    /// Listens, and may prevent what the browser would do.
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
