//! The page.
//!
//! [`state`] says what is shown, without a browser in it; [`hooks`] bring it about: they
//! hold everything that needs the browser or takes time; [`components`] show it and know no
//! format; [`panels`] are what can be chosen in the middle of the page.
//!
//! The page's policy allows no style attributes: sizes and positions that change are set by
//! [`hooks`], everything else is a class of `www/styles`.

pub mod acts;
pub mod app;
pub mod components;
pub mod flat;
pub mod hooks;
pub mod kernel_table;
pub mod lists;
pub mod module_graph;
pub mod module_view;
pub mod pages;
pub mod panels;
pub mod paste;
pub mod place;
pub mod problem_list;
pub mod readings;
pub mod route;
pub mod scale;
pub mod selection;
pub mod shared;
pub mod state;
pub mod tree;
pub mod verdict_state;
pub mod words;

/// Starts the page in the document's body.
pub fn start() {
    yew::Renderer::<app::App>::new().render();
}
