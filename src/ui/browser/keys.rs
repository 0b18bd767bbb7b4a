//! Keys.

use web_sys::KeyboardEvent;

/// The key of an event; nothing while a modifier makes it the browser's business.
pub fn pressed(event: &KeyboardEvent) -> Option<String> {
    let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    (!modified && !event.is_composing()).then(|| event.key())
}
