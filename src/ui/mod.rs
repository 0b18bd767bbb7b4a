//! The page.
//!
//! [`state`] says what is shown, without a browser in it; [`hooks`] bring it about: they
//! hold everything that needs the browser or takes time; [`components`] show it and know no
//! format; [`panels`] are what can be chosen in the middle of the page, [`frame`] is around them.
//! Each knows only those before it.
//!
//! The page's policy allows no style attributes: sizes and positions that change are set by
//! [`hooks`], everything else is a class of `www/styles`.

pub mod app;
pub mod browser;
pub mod components;
pub mod graphs;
pub mod hooks;
pub mod layout;
pub mod panels;
pub mod session;
pub mod state;
pub mod text;
pub mod tree;

/// Starts the page in the document's body.
pub fn start() {
    yew::Renderer::<app::App>::new().render();
}
