//! The graph of modules.

use std::rc::Rc;

use super::session::Session;
use super::{dom, files};
use crate::model::list::ListId;
use crate::ui::format::file_name;
use crate::ui::graph_view::GraphChange;
use crate::ui::list::ListChange;
use crate::ui::module_graph::graph;
use crate::ui::state::{Action, TabId};
use crate::worker::client::ClientError;
use crate::worker::protocol::{Request, Response};

impl Session {
    fn graph_changed(&self, tab: TabId, change: GraphChange) {
        self.dispatch(Action::Graph(tab, change));
    }

    /// Changes how the graph is shown.
    pub fn set_graph(&self, change: GraphChange) {
        if let Some((tab, _)) = self.active() {
            self.graph_changed(tab, change);
        }
    }

    /// Asks for what is to be drawn.
    pub fn need_graph(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let list = view.lists.get(ListId::Modules);
        let (range, generation) = (view.graph.range, list.rows.generation);
        let (start, count) = range.unwrap_or((0, u64::MAX));
        let request = Request::Graph {
            document: list.document.unwrap_or(view.selection.document()),
            query: list.query.clone(),
            start,
            count,
        };
        let then = move |session: &Rc<Session>, answer| {
            let change = match answer {
                Ok(Response::Graph(page)) => {
                    let change = GraphChange::Page(generation, range, Rc::from(page));
                    Action::Graph(tab, change)
                }
                Err(ClientError::Failed(why)) => {
                    let change = ListChange::Failed(generation, why.into());
                    Action::List(tab, ListId::Modules, change)
                }
                Err(error) => return session.trouble(tab, &error),
                Ok(_) => return,
            };
            session.dispatch(change);
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Draws some of the modules.
    pub fn draw_range(&self, start: u64, count: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let whole = (start, Some(count)) == (0, view.graph.found());
        self.graph_changed(tab, GraphChange::Range((!whole).then_some((start, count))));
        dom::focus_by_id("module-graph");
    }

    /// Draws the graph larger or smaller.
    pub fn zoom(&self, larger: bool) {
        if let Some((tab, view)) = self.active() {
            self.graph_changed(tab, GraphChange::Zoom(view.graph.zoom.step(larger)));
        }
    }

    /// Saves the graph.
    pub fn save_graph(&self) {
        let Some((_, view)) = self.active() else {
            return;
        };
        if let Some(page) = &view.graph.page {
            let text = graph(page, view.holder(), &view.opened.name).svg();
            files::save_text(&text, &file_name([&view.opened.name, "modules"], "svg"));
        }
    }
}
