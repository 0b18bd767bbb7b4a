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
pub mod block_graph;
pub mod bookmarks;
pub mod commands;
pub mod components;
pub mod differing;
pub mod drawing;
pub mod flat;
pub mod format;
pub mod frame;
pub mod goto;
pub mod graph_view;
pub mod guide;
pub mod hooks;
mod link;
pub mod list;
pub mod module_graph;
pub mod paged;
pub mod panels;
pub mod paste;
pub mod problem_list;
pub mod ptr_eq;
pub mod readings;
pub mod route;
pub mod samples;
pub mod scale;
pub mod selection;
pub mod state;
pub mod texts;
pub mod tree;

/// Starts the page in the document's body.
pub fn start() {
    yew::Renderer::<app::App>::new().render();
}
