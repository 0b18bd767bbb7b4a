//! Color theme: light, dark or the system's.

use super::storage;
use crate::ui::state::Theme;

/// Also read by `www/boot.js` before the first paint.
const KEY: &str = "zeview.theme";

fn value(theme: Theme) -> Option<&'static str> {
    match theme {
        Theme::Auto => None,
        Theme::Light => Some("light"),
        Theme::Dark => Some("dark"),
    }
}

/// The theme chosen on an earlier visit.
pub(crate) fn remembered() -> Theme {
    match storage::load(KEY).as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::Auto,
    }
}

/// Applies a theme and stores it for later visits.
pub(crate) fn choose(theme: Theme) {
    storage::store(KEY, value(theme));
    show(theme);
}

/// Applies a theme.
pub(crate) fn show(theme: Theme) {
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.document_element());
    let Some(root) = root else { return };
    // The attribute name is valid, so neither call can fail.
    let _ = match value(theme) {
        Some(value) => root.set_attribute("data-theme", value),
        None => root.remove_attribute("data-theme"),
    };
}
