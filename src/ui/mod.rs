//! The page.
//!
//! [`state`] describes the page, independent of the browser; the [`session`] talks to the decoders
//! and updates the state. From the bottom up:
//!
//! * [`text`]: formatting of values, parsing of typed and pasted text, URLs.
//! * [`tree`] and [`graphs`]: expanded branches, and layout of graphs; independent of the browser.
//! * [`state`]: the page's state and its reducer.
//! * [`browser`]: DOM, listeners, storage, network.
//! * [`hooks`]: generic Yew hooks.
//! * [`session`]: open files, decoders, and everything asynchronous.
//! * [`components`]: components for any file; [`panels`]: views of one aspect.
//! * [`layout`]: page layout; [`app`]: the root component.
//!
//! The page's policy forbids style attributes: dynamic sizes and positions are set by [`browser`]
//! and [`hooks`], everything else is a class in `www/styles`.

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

/// Renders the page into the document's body.
pub fn start() {
    yew::Renderer::<app::App>::new().render();
}
