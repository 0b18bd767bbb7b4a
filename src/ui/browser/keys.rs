//! Keyboard events.

use web_sys::KeyboardEvent;

/// The key of an event; `None` with a modifier that makes it a browser shortcut.
pub fn pressed(event: &KeyboardEvent) -> Option<String> {
    let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    (!modified && !event.is_composing()).then(|| event.key())
}
