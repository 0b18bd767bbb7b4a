//! Branches of the tree and their rows.

use std::rc::Rc;

use super::{Session, spawn};
use crate::model::NodeId;
use crate::ui::state::{Action, TabId, TreeChange};
use crate::ui::text::format::file_name;
use crate::ui::tree::flat::Group;
use crate::ui::tree::{self, PAGE};
use crate::worker::client::ClientError;
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{ExportForm, Request, Response, Row};

/// So many of the root's children are looked at for the sizes and the map of the file.
const ROOT_MAX: u64 = 16 * 1024;
/// `*` opens no more siblings than this.
const OPEN_AT_ONCE: usize = 200;

impl Session {
    /// Shows or hides a node's children.
    pub fn set_open(&self, tab: TabId, row: &Row, open: bool) {
        let change = if open {
            TreeChange::Open(Rc::new(row.clone()))
        } else {
            TreeChange::Close(row.id)
        };
        self.dispatch(Action::Tree(tab, self.order(tab), vec![change]));
    }

    /// Shows or hides a range of children.
    pub fn set_group(&self, tab: TabId, group: Group, open: bool) {
        let change = TreeChange::Group(group, open);
        self.dispatch(Action::Tree(tab, self.order(tab), vec![change]));
    }

    /// Shows the children of a node and of all its siblings.
    pub fn open_siblings(&self, tab: TabId, row: &Row) {
        let Some(view) = self.view(tab) else {
            return;
        };
        let Some(parent) = row.parent else { return };
        let order = self.order(tab);
        let siblings = view
            .tree_in(order)
            .loaded(parent)
            .filter(|row| tree::is_branch(row));
        let siblings = siblings.take(OPEN_AT_ONCE).cloned();
        let changes = siblings.map(|row| TreeChange::Open(Rc::new(row)));
        self.dispatch(Action::Tree(tab, order, changes.collect()));
    }

    /// Asks for the page of rows that a child is on, unless it is here or under way.
    pub fn load_page(self: &Rc<Self>, tab: TabId, parent: NodeId, index: u64) {
        let start = index / PAGE * PAGE;
        let Some(live) = self.live(tab) else { return };
        let order = self.order(tab);
        let key = (order, parent, start);
        if !live.asked.borrow_mut().insert(key) {
            return;
        }
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            match session.rows(tab, order, parent, start).await {
                Ok(change) => session.dispatch(Action::Tree(tab, order, vec![change])),
                Err(error) => {
                    live.asked.borrow_mut().remove(&key);
                    session.trouble(tab, &error);
                }
            }
        }));
    }

    /// Asks for all children of the root: the map and the sizes show them all.
    pub(crate) fn load_root(self: &Rc<Self>, tab: TabId) {
        let Some(view) = self.view(tab) else {
            return;
        };
        let count = view.tree.count(view.tree.root()).unwrap_or(0).min(ROOT_MAX);
        let missing: Vec<u64> = (0..count.div_ceil(PAGE))
            .map(|page| page * PAGE)
            .filter(|start| !view.tree.has_page(NodeId::ROOT, *start))
            .collect();
        if missing.is_empty() {
            return;
        }
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let mut changes = Vec::new();
            for start in missing {
                match session
                    .rows(tab, TreeOrder::File, NodeId::ROOT, start)
                    .await
                {
                    Ok(change) => changes.push(change),
                    Err(_) => break,
                }
            }
            session.dispatch(Action::Tree(tab, TreeOrder::File, changes));
        }));
    }

    /// Finds what is selected in the tree by kernel, where that has come to be shown, and asks for
    /// its kernels, so that the filter finds them.
    pub(crate) fn follow_order(self: &Rc<Self>, tab: TabId) {
        let Some(view) = self.view(tab) else {
            return;
        };
        if self.order(tab) == TreeOrder::File {
            return;
        }
        if view.selection.way_in(TreeOrder::Kernels).is_none() {
            self.find_way(tab, &view.selection);
        }
        let count = view.by_kernel.as_ref().and_then(|tree| tree.root().count);
        // More are shown in ranges, and loaded with these.
        let count = count.filter(|count| *count <= ROOT_MAX);
        for page in 0..count.unwrap_or(0).div_ceil(PAGE) {
            self.load_page(tab, NodeId::ROOT, page * PAGE);
        }
    }

    async fn rows(
        &self,
        tab: TabId,
        order: TreeOrder,
        node: NodeId,
        start: u64,
    ) -> Result<TreeChange, ClientError> {
        let request = Request::Rows {
            order,
            node,
            start,
            count: PAGE,
        };
        match self.ask(tab, request).await? {
            Response::Rows { count, rows } => Ok(TreeChange::Rows(node, start, count, rows)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Saves a node and all below it as a file; without a name, copies it as text.
    pub fn export(
        self: &Rc<Self>,
        tab: TabId,
        node: NodeId,
        form: ExportForm,
        name: Option<String>,
    ) {
        self.ask_text(tab, Request::Export { node, form }, "Text", name);
    }

    /// Saves what there is to say of the file in front as a page of HTML.
    pub fn save_report(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let name = file_name([&view.opened.name, "report"], "html");
        self.ask_text(tab, Request::WriteReport, "Report", Some(name));
    }
}
