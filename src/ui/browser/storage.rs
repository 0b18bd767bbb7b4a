//! What the browser remembers for the next visit; in sandboxed frames: nothing.

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// Does it remember anything?
pub(crate) fn is_there() -> bool {
    storage().is_some()
}

/// What was remembered.
pub(crate) fn load(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Remembers; returns false where it does not, or has no room.
pub(crate) fn store(key: &str, value: Option<&str>) -> bool {
    let kept = storage().map(|storage| match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    });
    kept.is_some_and(|kept| kept.is_ok())
}
