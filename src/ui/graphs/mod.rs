//! Layout and drawing of graphs (modules, images, basic blocks), independent of the browser.

pub mod block_graph;
pub mod drawing;
pub mod graph_view;
pub mod module_graph;
pub mod treemap;
