//! What the browser remembers for the next visit; in sandboxed frames: nothing.

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// What was remembered.
pub(super) fn load(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Remembers; refused or full storage is no matter.
pub(super) fn store(key: &str, value: Option<&str>) {
    let Some(storage) = storage() else { return };
    let _ = match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    };
}
