//! Local storage. In sandboxed frames nothing is stored.

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// Whether local storage is available.
pub(crate) fn is_there() -> bool {
    storage().is_some()
}

/// Returns the stored value of a key.
pub(crate) fn load(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Stores a value; returns false if storage is unavailable or full.
pub(crate) fn store(key: &str, value: Option<&str>) -> bool {
    let kept = storage().map(|storage| match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    });
    kept.is_some_and(|kept| kept.is_ok())
}
