//! Graphs of modules, images and basic blocks.

use std::rc::Rc;

use super::Session;
use super::files;
use crate::tables::{Drawing, ListId};
use crate::ui::browser::dom;
use crate::ui::graphs::drawing::Graph;
use crate::ui::graphs::graph_view::{GraphChange, GraphSubject};
use crate::ui::graphs::{block_graph, module_graph};
use crate::ui::state::list::ListChange;
use crate::ui::state::{Action, TabId, View};
use crate::ui::text::format::file_name;
use crate::worker::client::ClientError;
use crate::worker::protocol::{Request, Response};

/// The visible graph's layout.
pub fn drawing(view: &View) -> Option<Graph> {
    Some(match view.graph_of(view.graph_list()).latest()? {
        GraphSubject::Modules(page) => {
            module_graph::graph(page, view.selected_graph_node(), &view.opened.name)
        }
        GraphSubject::Blocks(page) => {
            let flow = view.flow().filter(|flow| flow.of == page.of);
            let live = flow.map_or(&[][..], |flow| &flow.live);
            block_graph::graph(page, view.selection.span, live)
        }
    })
}

impl Session {
    fn graph_changed(&self, tab: TabId, list: ListId, change: GraphChange) {
        self.dispatch(Action::Graph(tab, list, change));
    }

    /// Changes how the graph is drawn.
    pub fn set_graph(&self, change: GraphChange) {
        if let Some((tab, view)) = self.active() {
            self.graph_changed(tab, view.graph_list(), change);
        }
    }

    /// Requests the graph's data.
    pub fn need_graph(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let id = view.graph_list();
        let list = view.lists.get(id);
        let drawing = id.declaration().drawing;
        let (range, generation) = (view.graph_of(id).range, list.rows.generation);
        let (start, count) = range.unwrap_or((0, u64::MAX));
        let request = Request::Graph {
            document: list.document.unwrap_or(view.selection.document()),
            list: id,
            query: list.query.clone(),
            start,
            count,
            at: view
                .selection
                .span
                .filter(|_| drawing == Some(Drawing::Blocks)),
        };
        let then = move |session: &Rc<Session>, answer| {
            let drawn = match answer {
                Ok(Response::Graph(page)) => GraphSubject::Modules(Rc::from(page)),
                Ok(Response::Blocks(page)) => GraphSubject::Blocks(Rc::from(page)),
                Err(ClientError::Failed(why)) => {
                    let change = ListChange::Failed(generation, why.into());
                    return session.dispatch(Action::List(tab, id, change));
                }
                Err(error) => return session.handle_error(tab, &error),
                Ok(_) => return,
            };
            session.graph_changed(tab, id, GraphChange::Page(generation, range, drawn));
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Draws a range of the nodes.
    pub fn draw_range(&self, start: u64, count: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let id = view.graph_list();
        let whole = (start, Some(count)) == (0, view.graph_of(id).found());
        self.graph_changed(
            tab,
            id,
            GraphChange::Range((!whole).then_some((start, count))),
        );
        dom::focus_by_id("graph");
    }

    /// Zooms the graph.
    pub fn zoom(&self, larger: bool) {
        if let Some((tab, view)) = self.active() {
            let id = view.graph_list();
            let zoom = view.graph_of(id).zoom.step(larger);
            self.graph_changed(tab, id, GraphChange::Zoom(zoom));
        }
    }

    /// Saves the graph.
    pub fn save_graph(&self) {
        let Some((_, view)) = self.active() else {
            return;
        };
        if let Some(graph) = drawing(&view) {
            let what = match view.graph_list().declaration().drawing {
                Some(Drawing::Blocks) => "blocks",
                Some(Drawing::Images) => "images",
                _ => "modules",
            };
            files::save_text(&graph.svg(), &file_name([&view.opened.name, what], "svg"));
        }
    }
}
