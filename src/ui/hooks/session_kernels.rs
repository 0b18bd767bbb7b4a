//! Kernels: the pages of their table, the one that is looked at, the table as text.

use std::rc::Rc;

use super::session::{Session, spawn};
use super::{files, storage};
use crate::model::kernels::columns::Column;
use crate::model::kernels::query::Query;
use crate::model::kernels::table::Form;
use crate::model::{NodeId, Span};
use crate::ui::kernel_table::{KernelChange, document_of};
use crate::ui::pages::PAGE;
use crate::ui::panels::PanelId;
use crate::ui::selection::Via;
use crate::ui::state::{Action, TabId};
use crate::worker::client::ClientError;
use crate::worker::protocol::{KernelPage, KernelPlace, Request, Response};

/// The columns that were chosen on an earlier visit.
const COLUMNS: &str = "zeview.columns";

impl Session {
    fn kernels_changed(&self, tab: TabId, change: KernelChange) {
        self.dispatch(Action::Kernels(tab, change));
    }

    /// Asks for the pages of these rows that are not here.
    pub fn need_kernels(self: &Rc<Self>, start: u64, end: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let table = &view.kernels;
        if table.failed.is_some() {
            return;
        }
        for page in table.rows.missing(start, end) {
            let key = (table.rows.generation, page);
            if !live.kernel_pages.borrow_mut().put(key, ()) {
                continue;
            }
            let (session, live) = (Rc::clone(self), Rc::clone(&live));
            let (document, query) = (table.document, table.query.clone());
            spawn(Box::pin(async move {
                let answer = session.kernel_page(tab, document, query, page * PAGE, PAGE);
                let change = match answer.await {
                    Ok(page) => KernelChange::Page(key.0, page),
                    Err(ClientError::Failed(why)) => KernelChange::Failed(key.0, why.into()),
                    Err(error) => {
                        session.trouble(tab, &error);
                        return;
                    }
                };
                live.kernel_pages.borrow_mut().take(key);
                session.kernels_changed(tab, change);
            }));
        }
    }

    pub(super) async fn kernel_page(
        &self,
        tab: TabId,
        document: NodeId,
        query: Query,
        start: u64,
        count: u64,
    ) -> Result<Box<KernelPage>, ClientError> {
        let client = self.client(tab).ok_or(ClientError::Cancelled)?;
        let request = Request::Kernels {
            document,
            query,
            start,
            count,
        };
        match client.ask(request).await? {
            Response::Kernels(page) => Ok(page),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Looks at the document and the kernel that the selection is in; stays with those from
    /// before where it is in none.
    pub fn follow_kernels(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let document = document_of(&view.selection);
        let (known, query) = (view.kernels.document, view.kernels.query.clone());
        let current = view.kernels.current;
        let entry = view.kernels.detail.as_ref().map(|detail| detail.row.entry);
        let (selected, panel) = (view.selection.span, view.panel);
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            if document != known {
                // Only a document with kernels takes the place of another.
                let page = session.kernel_page(tab, document, query.clone(), 0, 1);
                if page.await.is_err() {
                    return;
                }
                session.kernels_changed(tab, KernelChange::Document(document));
            }
            let at = |span| session.kernel_at(tab, document, span, query.clone());
            let mut place = match selected {
                Some(span) => at(span).await,
                None => None,
            };
            // After another query the kernel from before has another place.
            if place.is_none() && document == known {
                place = match (current, entry) {
                    (Some(_), Some(entry)) => at(entry).await,
                    _ => None,
                };
            }
            // The page of one kernel begins with the first.
            if place.is_none() && current.is_none() && panel == PanelId::Arguments {
                let page = session.kernel_page(tab, document, query.clone(), 0, 1);
                if let Ok(page) = page.await
                    && let Some(row) = page.rows.first()
                {
                    place = at(row.entry).await;
                }
            }
            if let Some(place) = place {
                session.show_kernel(tab, document, place).await;
            }
        }));
    }

    async fn kernel_at(
        &self,
        tab: TabId,
        document: NodeId,
        span: Span,
        query: Query,
    ) -> Option<KernelPlace> {
        let request = Request::KernelAt {
            document,
            span,
            query,
        };
        match self.client(tab)?.ask(request).await {
            Ok(Response::KernelAt(place)) => place,
            _ => None,
        }
    }

    /// Looks at a kernel, and asks for all of it.
    async fn show_kernel(self: &Rc<Self>, tab: TabId, document: NodeId, place: KernelPlace) {
        self.kernels_changed(tab, KernelChange::Current(document, Some(place)));
        let Some(client) = self.client(tab) else {
            return;
        };
        let request = Request::Kernel {
            document,
            index: place.index,
        };
        match client.ask(request).await {
            Ok(Response::Kernel(detail)) => {
                self.kernels_changed(tab, KernelChange::Detail(document, Rc::from(detail)));
            }
            Ok(_) => {}
            Err(error) => self.trouble(tab, &error),
        }
    }

    /// Shows other kernels, or in another order.
    pub fn set_kernel_query(self: &Rc<Self>, query: Query) {
        if let Some((tab, _)) = self.active() {
            self.kernels_changed(tab, KernelChange::Query(query));
        }
    }

    /// Selects a kernel so many before or after the one that is looked at; the first if
    /// there is none.
    fn step_kernel(self: &Rc<Self>, by: i64) {
        if let Some((_, view)) = self.active() {
            let at = view.kernels.current.and_then(|current| current.place);
            self.go_to_kernel(at.map_or(0, |at| at.saturating_add_signed(by)));
        }
    }

    /// Selects the kernel at a place of the table, whether its row is here or not.
    pub fn go_to_kernel(self: &Rc<Self>, place: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let table = &view.kernels;
        let (document, query) = (table.document, table.query.clone());
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let page = session.kernel_page(tab, document, query, place, 1).await;
            if let Ok(page) = page
                && let Some(row) = page.rows.first()
            {
                session.select_span(row.entry, Via::Jump);
            }
        }));
    }

    /// Does what a button of the kernel table says.
    pub fn kernel_act(self: &Rc<Self>, what: &str) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let table = &view.kernels;
        match what {
            "page" => self.dispatch(Action::Panel(PanelId::Arguments)),
            "table" => self.dispatch(Action::Panel(PanelId::Kernels)),
            "next" => self.step_kernel(1),
            "before" => self.step_kernel(-1),
            "functions" => self.set_kernel_query(Query {
                functions: !table.query.functions,
                ..table.query.clone()
            }),
            "usual" => self.set_columns(tab, None),
            "name" | "title" => {
                let Some(detail) = &table.detail else { return };
                let (text, said) = match what {
                    "name" => (detail.row.name.value.clone(), "Name"),
                    _ => (detail.row.title().to_owned(), "Demangled name"),
                };
                self.copy(text, said);
            }
            "tabs" => self.kernel_text(Form::Tabs, None),
            "markdown" => self.kernel_text(Form::Markdown, None),
            "csv" => self.kernel_text(Form::Csv, Some("csv")),
            "md" => self.kernel_text(Form::Markdown, Some("md")),
            "json" => self.kernel_text(Form::Json, Some("json")),
            _ => {
                if let Some(id) = what.strip_prefix("column ") {
                    self.set_columns(tab, Some(table.toggled(id)));
                }
            }
        }
    }

    fn set_columns(&self, tab: TabId, columns: Option<Rc<[&'static str]>>) {
        let text = columns.as_ref().map(|names| names.join(" "));
        storage::store(COLUMNS, text.as_deref());
        self.kernels_changed(tab, KernelChange::Columns(columns));
    }

    /// The columns that were chosen on an earlier visit.
    pub fn recall_columns(&self) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(text) = storage::load(COLUMNS) else {
            return;
        };
        // Names of an earlier version may not be there any more.
        let known = text.split(' ').filter_map(|id| Column::named(id));
        let columns: Rc<[&'static str]> = known.map(|column| column.id).collect();
        if view.kernels.columns.is_none() && !columns.is_empty() {
            self.kernels_changed(tab, KernelChange::Columns(Some(columns)));
        }
    }

    /// Copies the table as it is shown, or saves it as a file.
    fn kernel_text(self: &Rc<Self>, form: Form, save: Option<&'static str>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(client) = self.client(tab) else {
            return;
        };
        let table = &view.kernels;
        let columns = table.shown();
        let request = Request::KernelTable {
            document: table.document,
            query: table.query.clone(),
            columns: columns.iter().map(|column| column.id.into()).collect(),
            form,
        };
        let file = crate::ui::acts::file_name([&view.opened.name, "kernels"], save.unwrap_or(""));
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            match (client.ask(request).await, save) {
                (Ok(Response::Text(text)), Some(_)) => files::save_text(&text, &file),
                (Ok(Response::Text(text)), None) => session.copy(text, "Table"),
                (Ok(_), _) => {}
                (Err(error), _) => session.trouble(tab, &error),
            }
        }));
    }
}
