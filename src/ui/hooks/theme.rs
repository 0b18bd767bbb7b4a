//! Light, dark, or as the system has it.

use yew::prelude::*;

use super::storage;

/// `www/boot.js` reads the same key before the first paint.
const KEY: &str = "zeview.theme";

/// Which colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The one that a press on the button leads to.
    pub fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "as the system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    fn value(self) -> Option<&'static str> {
        match self {
            Theme::Auto => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
        }
    }
}

fn remembered() -> Theme {
    if cfg!(not(target_arch = "wasm32")) {
        return Theme::Auto;
    }
    match storage::load(KEY).as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::Auto,
    }
}

fn apply(theme: Theme) {
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.document_element());
    let Some(root) = root else { return };
    // The name is valid, so neither can fail.
    let _ = match theme.value() {
        Some(value) => root.set_attribute("data-theme", value),
        None => root.remove_attribute("data-theme"),
    };
}

/// The theme, and the way to the next one.
#[hook]
pub fn use_theme() -> (Theme, Callback<()>) {
    let theme = use_state_eq(remembered);
    let advance = use_callback(theme.clone(), |(), theme| {
        let next = theme.next();
        storage::store(KEY, next.value());
        apply(next);
        theme.set(next);
    });
    (*theme, advance)
}
