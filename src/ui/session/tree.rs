//! Branches and rows of the tree.

use std::rc::Rc;

use super::{Session, spawn};
use crate::model::NodeId;
use crate::tables::ListId;
use crate::ui::state::{Action, Level, TabId, TreeChange};
use crate::ui::text::format::file_name;
use crate::ui::tree::flat::Group;
use crate::ui::tree::{self, PAGE};
use crate::worker::client::ClientError;
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{ExportForm, ReportedCode, Request, Response, Row};

/// Maximum number of the root's children that are used for the sizes and the map of the file.
pub const ROOT_MAX: u64 = 16 * 1024;
/// Maximum number of siblings that `*` expands.
const OPEN_AT_ONCE: usize = 200;

impl Session {
    /// Expands or collapses a node.
    pub fn set_open(&self, tab: TabId, row: &Row, open: bool) {
        let change = if open {
            TreeChange::Open(Rc::new(row.clone()))
        } else {
            TreeChange::Close(row.id)
        };
        self.dispatch(Action::Tree(tab, self.order(tab), vec![change]));
    }

    /// Expands or collapses a range of children.
    pub fn set_group(&self, tab: TabId, group: Group, open: bool) {
        let change = TreeChange::Group(group, open);
        self.dispatch(Action::Tree(tab, self.order(tab), vec![change]));
    }

    /// Expands a node and all of its siblings.
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

    /// Requests the page of rows with a child, unless it is loaded or pending.
    pub fn load_page(self: &Rc<Self>, tab: TabId, parent: NodeId, index: u64) {
        let start = index / PAGE * PAGE;
        let Some(live) = self.live(tab) else { return };
        let order = self.order(tab);
        let key = (order, parent, start);
        if !live.pending_rows.borrow_mut().insert(key) {
            return;
        }
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            match session.rows(tab, order, parent, start).await {
                Ok(change) => session.dispatch(Action::Tree(tab, order, vec![change])),
                Err(error) => {
                    live.pending_rows.borrow_mut().remove(&key);
                    session.handle_error(tab, &error);
                }
            }
        }));
    }

    /// Requests all children of the root: the map and the sizes need them.
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

    /// Finds the selection in a newly shown tree by kernel, and loads its kernels for the filter.
    pub(crate) fn follow_order(self: &Rc<Self>, tab: TabId) {
        let Some(view) = self.view(tab) else {
            return;
        };
        if self.order(tab) == TreeOrder::File {
            return;
        }
        if view.selection.path_in(TreeOrder::Kernels).is_none() {
            self.find_by_kernel(tab, &view.selection);
        }
        let count = view.by_kernel.as_ref().and_then(|tree| tree.root().count);
        // Larger numbers are shown in ranges, and loaded with these.
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

    /// Saves a node and all its descendants as a file; without a name, copies them as text.
    pub fn export(
        self: &Rc<Self>,
        tab: TabId,
        node: NodeId,
        form: ExportForm,
        name: Option<String>,
    ) {
        self.ask_text(tab, Request::Export { node, form }, "Text", name);
    }

    /// Saves a report of the file in front as HTML; beside code it begins with that.
    pub fn save_report(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let name = file_name([&view.opened.name, "report"], "html");
        let is_of_code = view.current_panel().level() == Level::Kernel;
        let code = view.code_key().filter(|_| is_of_code);
        let code = code.map(|(document, of, encoding)| ReportedCode {
            document,
            of,
            encoding,
            row: view
                .lists
                .get(ListId::Instructions)
                .current()
                .map(|row| row.index),
        });
        self.ask_text(tab, Request::WriteReport { code }, "Report", Some(name));
    }
}
