//! The visible code: sections, encoding and instruction statistics.

mod profile;

use std::rc::Rc;

use super::Session;
use crate::model::Span;
use crate::tables::query::{Query, RowOptions};
use crate::tables::{Detail, ListId};
use crate::ui::state::code::{CodeChange, CodeKey};
use crate::ui::state::selection::{Selection, SelectionOrigin};
use crate::ui::state::{Action, PanelId, TabId, View};
use crate::worker::client::ClientError;
use crate::worker::protocol::{FLOW_MAX, Follow, Request, Response, SelectionTarget};

impl Session {
    /// Requests a summary of the visible code, unless that was requested already.
    pub fn follow_code(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(key) = view.code_key() else { return };
        let of = key.1;
        self.follow_samples(tab, of);
        if !view.code.report.is_asked(&key) {
            self.dispatch(Action::Code(tab, CodeChange::Requested(key.clone())));
            // The first rows may wait for it.
            if of.len() <= FLOW_MAX {
                self.ask_data_flow(tab, key.clone());
            }
            self.ask_code(tab, key);
        }
    }

    /// Starts the analysis of the code at the selection early: the decoder works while the page
    /// renders what the code is.
    pub(crate) fn prepare_code(self: &Rc<Self>, tab: TabId, view: &View) {
        let list = view.lists.get(ListId::Instructions);
        let selection = &view.selection;
        let request = Request::PrepareCode {
            follow: Follow {
                document: list.document.unwrap_or(selection.document()),
                list: list.id,
                query: list.query.clone(),
                current: None,
                or_first: false,
            },
            node: selection.node_id(),
            span: selection.span,
        };
        let then = move |session: &Rc<Session>, answer| {
            if let Err(error @ ClientError::Changed(_)) = answer {
                session.handle_error(tab, &error);
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Requests the data flow of the visible code.
    pub fn analyze_code(self: &Rc<Self>) {
        if let Some((tab, view)) = self.active()
            && let Some(key) = view.code_key()
        {
            self.ask_data_flow(tab, key);
        }
    }

    fn ask_data_flow(self: &Rc<Self>, tab: TabId, key: CodeKey) {
        let change = CodeChange::FlowRequested(key.clone());
        self.dispatch(Action::Code(tab, change));
        let request = Request::DataFlow {
            document: key.0,
            query: query_of(&key),
        };
        let then = move |session: &Rc<Session>, answer| {
            let flow = match answer {
                Ok(Response::DataFlow(flow)) => Ok(flow),
                Err(ClientError::Failed(why)) => Err(why.into()),
                Ok(_) => return,
                Err(error) => return session.handle_error(tab, &error),
            };
            let first = flow.as_ref().ok().and_then(|flow| flow.opens);
            let first = first.unwrap_or(0);
            let flow = CodeChange::Flow(key, flow);
            let active = session.active().filter(|(active, _)| *active == tab);
            match active {
                Some((_, view)) if view.awaits_flow() => {
                    session.first_rows(tab, first, flow);
                }
                _ => session.dispatch(Action::Code(tab, flow)),
            }
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Requests the images with code of a container, unless they are known.
    pub fn follow_code_images(self: &Rc<Self>, list: ListId) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let node = view.images_node(list);
        if !view.may_have_images() || view.code.images.is_asked(&node) {
            return;
        }
        self.dispatch(Action::Code(tab, CodeChange::ImagesAsked(node)));
        let then = move |session: &Rc<Session>, answer| match answer {
            Ok(Response::CodeImages(images)) => {
                session.dispatch(Action::Code(tab, CodeChange::Images(node, Some(images))));
            }
            Ok(_) | Err(ClientError::Failed(_)) => {
                session.dispatch(Action::Code(tab, CodeChange::Images(node, None)));
            }
            Err(error) => session.handle_error(tab, &error),
        };
        self.ask_then(tab, Request::CodeImages { node }, Box::new(then));
    }

    /// Selects an image with code by its index.
    pub fn choose_image(self: &Rc<Self>, place: &str) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let place: Option<usize> = place.parse().ok();
        let list = view.panel.list().unwrap_or(ListId::Instructions);
        let images = view.code_images(list);
        if let Some(image) = place.and_then(|place| images?.images.get(place)) {
            self.select_span(image.span, SelectionOrigin::Jump);
        }
    }

    /// Shows the instructions of the current kernel, or its arguments if it has no code.
    pub fn open_code(self: &Rc<Self>) {
        let Some((_, view)) = self.active() else {
            return;
        };
        if let Some(current) = view.lists.get(ListId::Kernels).current() {
            self.open_code_of(current.entry);
        }
    }

    /// Shows the instructions of the kernel with this entry.
    pub fn open_code_of(self: &Rc<Self>, entry: Span) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let current = view.lists.get(ListId::Kernels).current();
        if current.is_some_and(|current| current.entry == entry) && !has_code(&view) {
            return self.dispatch(Action::Panel(PanelId::Arguments));
        }
        // The row's cell may link to something else, such as its image.
        self.select_span(entry, SelectionOrigin::Jump);
        self.dispatch(Action::Panel(PanelId::ASSEMBLY));
    }

    /// Repeats the request until all code is counted, as long as the panel is visible.
    fn ask_code(self: &Rc<Self>, tab: TabId, key: CodeKey) {
        let request = Request::Code {
            document: key.0,
            query: query_of(&key),
        };
        let then = move |session: &Rc<Session>, answer| match answer {
            Ok(Response::Code(report)) => {
                let is_all = report.left == 0;
                let change = CodeChange::Answered(key.clone(), report);
                session.dispatch(Action::Code(tab, change));
                let state = session.state();
                let view = state.tab(tab).and_then(|tab| tab.view());
                let is_wanted = view.is_some_and(|view| {
                    view.code.report.is_asked(&key) && view.panel == PanelId::ASSEMBLY
                });
                if !is_all && is_wanted {
                    session.ask_code(tab, key);
                }
            }
            // The list shows the error.
            Ok(_) | Err(ClientError::Failed(_)) => {}
            Err(error) => session.handle_error(tab, &error),
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Shows the code of a section, by its index.
    pub fn choose_code(self: &Rc<Self>, place: &str) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let place: Option<usize> = place.parse().ok();
        let report = view.code_sections();
        let section = place.and_then(|place| report?.sections.get(place));
        if let Some((_, span)) = section {
            self.select_span(*span, SelectionOrigin::Jump);
        }
    }

    /// Shows the next or previous code of the document: another kernel of the image.
    pub fn step_code(self: &Rc<Self>, forward: bool) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let of = view.lists.get(ListId::Instructions).query.of;
        let sections = view
            .code_sections()
            .map_or(&[][..], |report| &report.sections);
        let place = sections.iter().position(|(_, span)| Some(*span) == of);
        let step = if forward { 1 } else { -1 };
        let next = place.and_then(|place| place.checked_add_signed(step));
        match next.and_then(|next| sections.get(next)) {
            Some((_, span)) => self.select_span(*span, SelectionOrigin::Jump),
            None => self.notice("No other kernel of this image."),
        }
    }

    /// Shows the code in the named encoding; by default in that of the file's device.
    pub fn choose_encoding(self: &Rc<Self>, name: &str) {
        if let Some((_, view)) = self.active() {
            let query = view.lists.get(ListId::Instructions).query.clone();
            let encoding = (!name.is_empty()).then(|| name.to_owned().into());
            let query = Query {
                // None are folded: the loops are those of the code as the other encoding shows it.
                options: RowOptions::code(encoding, Vec::new()),
                ..query
            };
            self.set_query(ListId::Instructions, query);
        }
    }

    /// Folds or unfolds the loop at an offset of the visible code, and selects its first
    /// instruction: a selection within the loop would unfold it.
    pub fn fold_loop(self: &Rc<Self>, start: u32) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let mut query = view.lists.get(ListId::Instructions).query.clone();
        let Some(of) = query.of else { return };
        let mut folded = query.folded().to_vec();
        match folded.iter().position(|folded| *folded == start) {
            Some(at) => {
                folded.remove(at);
            }
            None => folded.push(start),
        }
        query.fold(folded);
        let session = Rc::clone(self);
        let make = move |ancestry| {
            session.set_query(ListId::Instructions, query);
            Selection::node(ancestry, SelectionOrigin::Jump)
        };
        // Without bytes it is the instruction that is there.
        let first = Span::with_len(of.source, of.start.saturating_add(start.into()), 0);
        self.select(tab, SelectionTarget::Span(first), None, Box::new(make));
    }
}

/// Returns the query for some code.
fn query_of(key: &CodeKey) -> Query {
    Query {
        of: Some(key.1),
        options: RowOptions::code(key.2.clone(), Vec::new()),
        ..Query::default()
    }
}

/// Whether the current kernel has instructions: SPIR-V has none.
fn has_code(view: &View) -> bool {
    match view.lists.get(ListId::Kernels).detail() {
        Detail::Kernel(kernel) => kernel.row.code_size.is_some(),
        _ => false,
    }
}
