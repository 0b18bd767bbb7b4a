//! Graphs of modules, of images and of basic blocks: laid out and drawn without a browser.

pub mod block_graph;
pub mod drawing;
pub mod graph_view;
pub mod module_graph;
