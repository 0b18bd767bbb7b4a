//! The page.
//!
//! [`state`] says what is shown, without a browser in it; the [`session`] brings it about: it asks the
//! decoders and changes the state. From the bottom up:
//!
//! * [`text`]: how values are written, what typed and pasted text means, the address.
//! * [`tree`] and [`graphs`]: what is open of a tree, and graphs laid out; without a browser.
//! * [`state`]: everything that is shown, and what changes it.
//! * [`browser`]: elements, listeners, storage, the network.
//! * [`hooks`]: hooks of Yew that know nothing of files.
//! * [`session`]: the open files and their decoders: everything that takes time.
//! * [`components`]: what shows any file; [`panels`]: what shows one aspect of it.
//! * [`layout`]: the parts of the window around them; [`app`]: all of it.
//!
//! The page's policy allows no style attributes: sizes and positions that change are set by
//! [`browser`] and [`hooks`], everything else is a class of `www/styles`.

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
