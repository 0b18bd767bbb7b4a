//! Modules: what is drawn of them, the pages of their table, the properties of what is
//! selected.

use std::rc::Rc;

use super::session::{Session, spawn};
use super::{dom, files};
use crate::model::NodeId;
use crate::model::modules::query::ModuleQuery;
use crate::ui::module_graph::graph;
use crate::ui::module_view::{ModuleChange, Properties, Zoom};
use crate::ui::pages::PAGE;
use crate::ui::panels::PanelId;
use crate::ui::selection::{Selection, Via};
use crate::ui::state::{Action, TabId};
use crate::worker::client::ClientError;
use crate::worker::protocol::{ModulePage, Request, Response};

impl Session {
    fn modules_changed(&self, tab: TabId, change: ModuleChange) {
        self.dispatch(Action::Modules(tab, change));
    }

    async fn module_page(
        &self,
        tab: TabId,
        document: NodeId,
        query: ModuleQuery,
        (start, count): (u64, u64),
        grouped: bool,
    ) -> Result<Box<ModulePage>, ClientError> {
        let client = self.client(tab).ok_or(ClientError::Cancelled)?;
        let request = Request::Modules {
            document,
            query,
            start,
            count,
            grouped,
        };
        match client.ask(request).await? {
            Response::Modules(page) => Ok(page),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Looks at the modules of the innermost document around the selection that has some, and
    /// at what the selection is in.
    pub fn follow_modules(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let session = Rc::clone(self);
        let selection = view.selection.clone();
        let known = view.modules.document;
        let query = view.modules.query.clone();
        spawn(Box::pin(async move {
            let mut why = None;
            for document in documents(&selection) {
                if known != Some(document) {
                    let all = (0, u64::MAX);
                    let page =
                        session.module_page(tab, document, ModuleQuery::default(), all, true);
                    match page.await {
                        Ok(_) => session.modules_changed(tab, ModuleChange::Document(document)),
                        Err(ClientError::Failed(text)) => {
                            why = Some(text);
                            continue;
                        }
                        Err(error) => return session.trouble(tab, &error),
                    }
                }
                session.find_module(tab, document, &selection, query).await;
                return;
            }
            if let (None, Some(why)) = (known, why) {
                session.modules_changed(tab, ModuleChange::Failed(why.into()));
            }
        }));
    }

    async fn find_module(
        self: &Rc<Self>,
        tab: TabId,
        document: NodeId,
        selection: &Selection,
        query: ModuleQuery,
    ) {
        let (Some(span), Some(client)) = (selection.span, self.client(tab)) else {
            return;
        };
        let request = Request::ModuleAt {
            document,
            span,
            query,
        };
        let Ok(Response::ModuleAt(place)) = client.ask(request).await else {
            return;
        };
        self.modules_changed(tab, ModuleChange::Current(document, place));
        let Some(place) = place else { return };
        let request = Request::Properties {
            document,
            holder: place.holder,
        };
        if let Ok(Response::Properties { sets, more }) = client.ask(request).await {
            let properties = Rc::new(Properties {
                holder: place.holder,
                sets,
                more,
            });
            self.modules_changed(tab, ModuleChange::Properties(document, properties));
        }
    }

    /// Asks for what is to be drawn.
    pub fn need_graph(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let modules = &view.modules;
        let Some(document) = modules.document else {
            return;
        };
        let (query, range, generation) = (
            modules.query.clone(),
            modules.range,
            modules.rows.generation,
        );
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let which = range.unwrap_or((0, u64::MAX));
            let page = session.module_page(tab, document, query, which, true).await;
            match page {
                Ok(page) => {
                    let change = ModuleChange::Page(generation, range, Rc::from(page));
                    session.modules_changed(tab, change);
                }
                Err(error) => session.trouble(tab, &error),
            }
        }));
    }

    /// Asks for the pages of these rows of the table that are not here.
    pub fn need_modules(self: &Rc<Self>, start: u64, end: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let modules = &view.modules;
        let Some(document) = modules.document else {
            return;
        };
        let generation = modules.rows.generation;
        for page in modules.rows.missing(start, end) {
            let key = (generation, page);
            if !live.module_pages.borrow_mut().put(key, ()) {
                continue;
            }
            let (session, live, query) = (Rc::clone(self), Rc::clone(&live), modules.query.clone());
            spawn(Box::pin(async move {
                let range = (page * PAGE, PAGE);
                match session
                    .module_page(tab, document, query, range, false)
                    .await
                {
                    Ok(page) => {
                        let change = ModuleChange::Rows(generation, page);
                        session.modules_changed(tab, change);
                    }
                    Err(error) => session.trouble(tab, &error),
                }
                live.module_pages.borrow_mut().take(key);
            }));
        }
    }

    /// Selects the module at a place of the table, whether its row is here or not.
    pub fn go_to_module(self: &Rc<Self>, place: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(document) = view.modules.document else {
            return;
        };
        let query = view.modules.query.clone();
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let page = session.module_page(tab, document, query, (place, 1), false);
            if let Ok(page) = page.await
                && let Some(row) = page.rows.first()
            {
                session.select_span(row.module.header, Via::Jump);
            }
        }));
    }

    /// Shows other modules, or in another order.
    pub fn set_module_query(self: &Rc<Self>, query: ModuleQuery) {
        if let Some((tab, _)) = self.active() {
            self.modules_changed(tab, ModuleChange::Query(query));
        }
    }

    /// Does what a button of the modules says.
    pub fn module_act(self: &Rc<Self>, what: &str) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let modules = &view.modules;
        match what {
            "graph" => self.modules_changed(tab, ModuleChange::AsTable(false)),
            "table" => self.modules_changed(tab, ModuleChange::AsTable(true)),
            "fit" => self.modules_changed(tab, ModuleChange::Zoom(Zoom::Fit)),
            "larger" | "smaller" => {
                let zoom = modules.zoom.step(what == "larger");
                self.modules_changed(tab, ModuleChange::Zoom(zoom));
            }
            "whole" => {
                if let Some(page) = &modules.page {
                    self.select_span(page.span, Via::Jump);
                }
            }
            "properties" => self.dispatch(Action::Panel(PanelId::Properties)),
            "save" => {
                if let Some(page) = &modules.page {
                    let text = graph(modules, page, &view.opened.name).svg();
                    let name = crate::ui::acts::file_name([&view.opened.name, "modules"], "svg");
                    files::save_text(&text, &name);
                }
            }
            _ => {
                let mut numbers = what.split(' ').filter_map(|word| word.parse().ok());
                if let (Some(start), Some(count)) = (numbers.next(), numbers.next()) {
                    let whole = (start, Some(count)) == (0, modules.found());
                    let range = (!whole).then_some((start, count));
                    self.modules_changed(tab, ModuleChange::Range(range));
                    dom::focus_by_id("module-graph");
                }
            }
        }
    }
}

/// The documents around the selection, the innermost first.
fn documents(selection: &Selection) -> impl Iterator<Item = NodeId> {
    let documents: Vec<NodeId> = selection
        .documents()
        .iter()
        .map(|(_, row)| row.id)
        .collect();
    documents.into_iter().rev().chain([NodeId::ROOT])
}
