//! Lists: pages, the row of the selection, export as text; readable texts.

use std::rc::Rc;

use super::files;
use super::page::gate::Giver;
use super::{Session, spawn};
use crate::analysis::assembly::TextPartKind;
use crate::model::{NodeId, Span};
use crate::sizes::{SizeFilter, SizeKey};
use crate::tables::query::{FindOptions, GroupBy, Query, RowOptions, SizeOptions};
use crate::tables::write::Form;
use crate::tables::{self, Detail, ListId, Scope, Shape};
use crate::ui::browser::dom;
use crate::ui::state::code::CodeChange;
use crate::ui::state::list::{ListChange, trimmed};
use crate::ui::state::paged::PAGE;
use crate::ui::state::selection::{Selection, SelectionOrigin};
use crate::ui::state::texts::TextsChange;
use crate::ui::state::{Action, PanelId, TabId, View};
use crate::ui::text::format::file_name;
use crate::worker::client::ClientError;
use crate::worker::protocol::{ListRequest, Request, Response, Row, SelectionTarget};

/// Id of the field for searching in a text.
const FIND: &str = "lines-filter";

/// Handler of a response. Sharing one future between them keeps the download small.
pub(crate) type Continuation = Box<dyn FnOnce(&Rc<Session>, Result<Response, ClientError>)>;

impl Session {
    pub(super) fn list_changed(&self, tab: TabId, list: ListId, change: ListChange) {
        self.dispatch(Action::List(tab, list, change));
    }

    pub(crate) fn ask_then(self: &Rc<Self>, tab: TabId, request: Request, then: Continuation) {
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let answer = session.ask(tab, request).await;
            then(&session, answer);
        }));
    }

    fn ask_list(
        self: &Rc<Self>,
        tab: TabId,
        view: &View,
        list: ListId,
        ask: ListRequest,
        then: Continuation,
    ) {
        let known = view.lists.get(list);
        let request = Request::List {
            document: known.document.unwrap_or(view.selection.document()),
            list,
            query: known.query.clone(),
            ask,
        };
        self.ask_then(tab, request, then);
    }

    /// Requests the missing pages of these rows.
    pub fn need_rows(self: &Rc<Self>, list: ListId, start: u64, end: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(live) = self.live(tab) else { return };
        let known = view.lists.get(list);
        let scope = list.declaration().scope;
        // The selection determines their subject, which is not known yet.
        let is_of_none = match scope {
            Scope::Difference => known.query.difference().is_none(),
            _ => scope.is_of_bytes() && known.query.of.is_none(),
        };
        if known.failed.is_some() || is_of_none {
            return;
        }
        let chosen = known.chosen.iter().flat_map(|ids| ids.iter());
        let columns: Vec<_> = chosen.map(|id| (*id).into()).collect();
        for page in known.rows.missing(start, end) {
            let key = (list, known.rows.generation, page);
            if !live.pages.borrow_mut().insert(key) {
                continue;
            }
            let live = Rc::clone(&live);
            let then = move |session: &Rc<Session>, answer| {
                live.pages.borrow_mut().remove(&key);
                if scope == Scope::Code
                    && let Some(flow) = live.flow.take()
                {
                    session.dispatch(Action::Code(tab, flow));
                }
                let change = match answer {
                    Ok(Response::List(page)) => ListChange::Page(key.1, page),
                    Err(ClientError::Failed(why)) => ListChange::Failed(key.1, why.into()),
                    Err(error) => return session.handle_error(tab, &error),
                    Ok(_) => return,
                };
                session.list_changed(tab, list, change);
            };
            let ask = ListRequest::Rows {
                start: page * PAGE,
                count: PAGE,
                columns: columns.clone(),
            };
            self.ask_list(tab, &view, list, ask, Box::new(then));
        }
    }

    /// Requests the first rows of code and shows its data flow with them: one rendering instead of
    /// two.
    pub(crate) fn first_rows(self: &Rc<Self>, tab: TabId, start: u64, flow: CodeChange) {
        let Some(live) = self.live(tab) else { return };
        self.need_rows(ListId::Instructions, start, start + 1);
        let is_of = |(list, ..): &(ListId, u32, u64)| *list == ListId::Instructions;
        let is_coming = live.pages.borrow().iter().any(is_of);
        if is_coming {
            live.flow.replace(Some(flow));
        } else {
            self.dispatch(Action::Code(tab, flow));
        }
    }

    /// Requests the list and row that belong to the selection, unless they are known.
    pub fn follow_list(self: &Rc<Self>, list: ListId) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let scope = list.declaration().scope;
        if !scope.follows_selection() {
            return;
        }
        let selection = &view.selection;
        let or_first = view.panel == PanelId::Arguments;
        if scope == Scope::Text && self.follow_text(tab, &view) {
            return;
        }
        let known = view.lists.get(list);
        let (serial, generation) = (selection.serial, known.rows.generation);
        let is_in_none = match scope {
            Scope::Text => selection.text().is_none(),
            Scope::Owner | Scope::Code => false,
            _ => selection.ancestry.is_empty(),
        };
        let is_clear = is_in_none && known.at.is_none() && !or_first;
        let Some(live) = self.live(tab) else { return };
        let pending = Some((list, serial, generation));
        if is_clear || known.is_current_for(serial) || live.pending_row.get() == pending {
            return;
        }
        live.pending_row.set(pending);
        let ask = ListRequest::At {
            node: selection.node_id(),
            span: match scope {
                Scope::Text => selection.extent(),
                _ => selection.span,
            },
            current: known.pinned(),
            or_first,
        };
        let then = move |session: &Rc<Session>, answer| {
            if live.pending_row.get() == pending {
                live.pending_row.set(None);
            }
            match answer {
                Ok(Response::ListAt(at)) => {
                    session.list_changed(tab, list, ListChange::At(serial, generation, at));
                }
                Ok(_) => {}
                Err(error) => session.handle_error(tab, &error),
            }
        };
        self.ask_list(tab, &view, list, ask, Box::new(then));
        if scope == Scope::Code {
            self.prepare_code(tab, &view);
        }
    }

    /// Shows the text that contains the selection; keeps the previous one if none does. Returns
    /// whether it changed.
    fn follow_text(self: &Rc<Self>, tab: TabId, view: &View) -> bool {
        let around = view.selection.document();
        let texts = &view.texts;
        let is_own = |text: &Row| text.parent == Some(around);
        let document = view.selection.node_id();
        if !texts.rows.first().is_some_and(is_own) && texts.requested != Some(document) {
            self.texts_changed(tab, TextsChange::Requested(document));
            let then = move |session: &Rc<Session>, answer| {
                if let Ok(Response::Texts(texts)) = answer {
                    session.texts_changed(tab, TextsChange::Arrived(document, texts));
                }
            };
            self.ask_then(tab, Request::Texts { document }, Box::new(then));
        }
        let text = view.selection.text();
        let is_other = |text: &&Row| text.span != view.lists.get(ListId::Lines).query.of;
        if let Some(text) = text.filter(is_other) {
            self.texts_changed(tab, TextsChange::Show(text.clone()));
            return true;
        }
        false
    }

    fn texts_changed(&self, tab: TabId, change: TextsChange) {
        self.dispatch(Action::Texts(tab, change));
    }

    /// Selects the target of a row's cell; the row stays the current one.
    pub fn choose_cell(self: &Rc<Self>, list: ListId, place: u64, column: usize) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let known = view.lists.get(list);
        let Some(row) = known.rows.row(place) else {
            return self.select_place(tab, place);
        };
        let shape = list.declaration().shape;
        if shape == Shape::Differences {
            return self.choose_difference(place);
        }
        if shape == Shape::Text {
            let line = if row.code.is_some() {
                row.entry
            } else {
                trimmed(row)
            };
            return self.select_around(line, known.query.of.unwrap_or(line));
        }
        let shown = known.shown();
        let column = shown.get(column).filter(|_| column > 0);
        let cell = column.and_then(|column| known.cell(row, column));
        let span = cell.and_then(|cell| cell.span).unwrap_or(row.entry);
        let origin = match shape {
            Shape::Sides => self.select_beside(row.cells.iter().find_map(|cell| cell.base)),
            _ => SelectionOrigin::Jump,
        };
        let make = move |ancestry| Selection::at(ancestry, span, origin);
        let current = Some(row.entry);
        self.select(tab, SelectionTarget::Span(span), current, Box::new(make));
    }

    /// Selects the bytes of a token in a line of a module, by its position in the text.
    pub fn select_token(self: &Rc<Self>, row: &tables::Row, at: u64) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let words = row.code.iter().flat_map(|code| &code.words);
        let mut words = words.filter(|word| u64::from(word.start) == at);
        let span = match words.next().map(|word| &word.kind) {
            Some(Some(TextPartKind::Token { span, .. })) if !span.is_empty() => *span,
            _ => row.entry,
        };
        let of = view.lists.get(ListId::Lines).query.of;
        self.select_around(span, of.unwrap_or(span));
    }

    /// Folds or unfolds the function that starts at a line of the visible module, and selects that
    /// line: a selection within the function would unfold it.
    pub fn fold_function(self: &Rc<Self>, start: u32) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let mut query = view.lists.get(ListId::Lines).query.clone();
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
            session.set_query(ListId::Lines, query);
            Selection::node(ancestry, SelectionOrigin::Jump)
        };
        let place = SelectionTarget::ListRow(start.into());
        self.select(tab, place, None, Box::new(make));
    }

    /// Selects a row of the visible list by its index, independent of the query.
    pub fn jump_to_row(self: &Rc<Self>, row: u64) {
        if let Some((tab, _)) = self.active() {
            let make = |ancestry| Selection::node(ancestry, SelectionOrigin::Jump);
            self.select(tab, SelectionTarget::ListRow(row), None, Box::new(make));
        }
    }

    /// Selects the row at a position of the visible list, whether it is loaded or not.
    fn select_place(self: &Rc<Self>, tab: TabId, place: u64) {
        let make = |ancestry| Selection::node(ancestry, SelectionOrigin::Jump);
        self.select(tab, SelectionTarget::Row(place), None, Box::new(make));
    }

    /// Selects the next or previous row of the visible list; the first if none is current.
    pub fn step_row(self: &Rc<Self>, list: ListId, forward: bool) {
        if list.declaration().shape == Shape::Differences {
            return self.step_difference(forward);
        }
        if let Some((tab, view)) = self.active() {
            let place = match (view.lists.get(list).place(), forward) {
                (Some(place), true) => place.saturating_add(1),
                (Some(place), false) => place.saturating_sub(1),
                (None, _) => 0,
            };
            self.select_place(tab, place);
        }
    }

    /// Changes the filter, sorting or grouping of the rows.
    pub fn set_query(&self, list: ListId, query: Query) {
        if let Some((tab, _)) = self.active() {
            self.list_changed(tab, list, ListChange::Query(query));
        }
    }

    /// Filters the rows. The rest of the query is read now, not when the user began to type.
    pub fn set_filter(&self, list: ListId, filter: &str) {
        if let Some((_, view)) = self.active() {
            let query = view.lists.get(list).query.clone();
            let filter = filter.to_owned();
            self.set_query(list, Query { filter, ..query });
        }
    }

    /// Groups the rows by this; by build if there are no names to group by.
    pub fn group_rows(&self, list: ListId, by: &str) {
        if let Some((_, view)) = self.active() {
            let query = view.lists.get(list).query.clone();
            let options = RowOptions::grouped(GroupBy::named(by));
            self.set_query(list, Query { options, ..query });
        }
    }

    /// Lists each instruction that is found in code, or their kernels.
    pub fn list_each(&self, each: bool) {
        if let Some((_, view)) = self.active() {
            let query = view.lists.get(ListId::Found).query.clone();
            let options = RowOptions::found(FindOptions { each });
            // Kernels and instructions have other columns to sort by.
            let query = Query {
                options,
                sort: None,
                ..query
            };
            self.set_query(ListId::Found, query);
        }
    }

    /// Groups sizes by this.
    pub fn group_sizes(&self, by: &str) {
        if let Some(by) = SizeKey::named(by) {
            self.change_sizes(|options| options.by = Some(by));
        }
    }

    fn change_sizes(&self, change: impl FnOnce(&mut SizeOptions)) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let query = view.lists.get(ListId::Sizes).query.clone();
        let mut options = query.sizes();
        change(&mut options);
        let query = Query {
            // It is of the groups before.
            filter: String::new(),
            options: RowOptions::sizes(options),
            ..query
        };
        self.set_query(ListId::Sizes, query);
    }

    /// Shows the groups in a group of sizes; of a kernel, its code.
    fn open_size(self: &Rc<Self>, name: &str, entry: Option<Span>) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let list = view.lists.get(ListId::Sizes);
        let map = list.page.as_ref().and_then(|page| page.map.clone());
        // By default, the decoder decides.
        let Some(by) = list.query.sizes().by.or_else(|| map?.by) else {
            return;
        };
        let is_kernel = by == SizeKey::Kernel && !name.starts_with('[');
        match entry.filter(|_| is_kernel) {
            Some(entry) => self.open_code_of(entry),
            None => self.change_sizes(|options| {
                options.within.push(SizeFilter {
                    key: by,
                    name: name.to_owned(),
                });
                options.by = Some(by.next());
            }),
        }
    }

    /// Shows the groups in a row of sizes.
    pub fn open_size_row(self: &Rc<Self>, row: &tables::Row) {
        if let Some(cell) = row.cells.first() {
            self.open_size(&cell.value.text(), Some(row.entry));
        }
    }

    /// Shows the groups in a group of the treemap.
    pub fn open_size_group(self: &Rc<Self>, at: usize) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let page = view.lists.get(ListId::Sizes).page.clone();
        let map = page.and_then(|page| page.map.clone());
        if let Some(group) = map.as_ref().and_then(|map| map.groups.get(at)) {
            self.open_size(&group.name, group.entry);
        }
    }

    /// Shows the groups in the first `depth` groups around those that are shown.
    pub fn sizes_up(&self, depth: usize) {
        self.change_sizes(|options| {
            // They were grouped by this when the group was entered.
            if let Some(left) = options.within.get(depth) {
                options.by = Some(left.key);
            }
            options.within.truncate(depth);
        });
    }

    /// Resumes or stops reading the kernels of a container.
    pub fn stop_reading(&self, is_stopped: bool) {
        if let Some((tab, view)) = self.active() {
            self.list_changed(tab, ListId::Kernels, ListChange::Stop(is_stopped));
            if let Some(list) = view.panel.list().filter(|list| *list != ListId::Kernels) {
                self.list_changed(tab, list, ListChange::Stop(is_stopped));
            }
        }
    }

    /// Shows the kernels that match a filter, or those of them that spill registers, worst first.
    pub fn show_kernels_where(&self, filter: String, spills: bool) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let mut query = view.lists.get(ListId::Kernels).query.clone();
        query.filter = filter;
        if spills {
            query.filter.push_str(" spill_size>0");
            query.sort = Some("spill_size".into());
            query.descending = true;
        }
        self.set_query(ListId::Kernels, query);
        self.dispatch(Action::Panel(PanelId::KERNELS));
    }

    /// Shows only the instructions that match a filter, or all again if it is the current one.
    pub fn filter_code(&self, filter: &str) {
        if let Some((_, view)) = self.active() {
            let is_shown = view.lists.get(ListId::Instructions).query.filter == filter;
            self.set_filter(ListId::Instructions, if is_shown { "" } else { filter });
        }
    }

    /// Shows one of the texts.
    pub fn choose_text(self: &Rc<Self>, place: &str) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let place: Option<usize> = place.parse().ok();
        let text = place.and_then(|place| view.texts.rows.get(place));
        if let Some(span) = text.and_then(|row| row.span) {
            self.select_span(span, SelectionOrigin::Jump);
        }
    }

    /// Selects the next or previous match in the visible text; `anew` starts at the selection.
    pub fn find_in_text(self: &Rc<Self>, forward: bool, anew: bool) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let Some(text) = view.lists.get(ListId::Lines).query.of else {
            return;
        };
        let typed = dom::text_of(FIND);
        if typed.is_empty() {
            return self.texts_changed(tab, TextsChange::Matches(None));
        }
        let Some(live) = self.live(tab) else { return };
        if anew {
            // The matches so far are those of another text.
            self.texts_changed(tab, TextsChange::Matches(None));
        }
        let serial = view.selection.serial;
        let coming = live.found.get().filter(|(before, _)| *before == serial);
        let selected = coming.map(|(_, span)| span).or(view.selection.span);
        let selected = selected.filter(|span| text.contains(*span));
        let step = u64::from(forward && !anew);
        let from = selected.map_or(text.start, |span| span.start.saturating_add(step));
        let asked = typed.clone();
        let then = move |session: &Rc<Session>, answer| match answer {
            Ok(Response::Match(found)) => {
                if dom::text_of(FIND) != asked {
                    return;
                }
                let matches = found.map_or((0, 0), |found| (found.ordinal, found.count));
                session.texts_changed(tab, TextsChange::Matches(Some(matches)));
                if let Some(found) = found {
                    let serial = session.active().map(|(_, view)| view.selection.serial);
                    live.found.set(serial.map(|serial| (serial, found.span)));
                    session.select_span(found.span, SelectionOrigin::Step);
                }
            }
            Ok(_) => {}
            Err(error) => session.handle_error(tab, &error),
        };
        let ask = ListRequest::Find {
            typed,
            from,
            forward,
        };
        self.ask_list(tab, &view, ListId::Lines, ask, Box::new(then));
    }

    /// Saves the visible text.
    pub fn save_text(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        if let Some(text) = &view.texts.shown
            && let Some(span) = text.span
        {
            if text.is_module {
                return self.export_list(ListId::Lines, Form::Plain, true);
            }
            self.save_bytes(tab, span, file_name([&view.opened.name, &text.name], "txt"));
        }
    }

    /// Copies the name of the current row; for a kernel either as stored or demangled.
    pub fn copy_name(self: &Rc<Self>, list: ListId, demangled: bool) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let known = view.lists.get(list);
        let Some(current) = known.current() else {
            return;
        };
        let (name, label) = match known.detail() {
            Detail::Kernel(kernel) if demangled => (kernel.row.title(), "Demangled name"),
            Detail::Kernel(kernel) => (&*kernel.row.name.value, "Name"),
            _ => (&*current.about.title, "Name"),
        };
        self.copy(name.to_owned(), label);
    }

    /// Shows the relocations against the current symbol, or all code of the current line.
    pub fn show_references(&self) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let (list, query) = match view.panel.list().map(|list| view.lists.get(list).detail()) {
            Some(Detail::Symbol { query, .. }) => (ListId::Relocations, query),
            Some(Detail::Line { query, .. }) => (ListId::SourceLines, query),
            Some(Detail::Image { query, .. }) => (ListId::Kernels, query),
            _ => return,
        };
        let query = Query {
            filter: query.clone(),
            ..Query::default()
        };
        self.list_changed(tab, list, ListChange::Query(query));
        self.dispatch(Action::Panel(PanelId::List(list)));
    }

    /// Sends the text of a source file to the decoder, to be shown beside the lines.
    pub(crate) fn add_source(self: &Rc<Self>, tab: TabId, name: String, text: String) {
        let Some(view) = self.state().tab(tab).and_then(|tab| tab.view()).cloned() else {
            return;
        };
        if let Some(live) = self.live(tab) {
            live.content.mix(Giver::Reader);
        }
        let request = Request::AddSource {
            document: view.selection.document(),
            name,
            text,
        };
        let then = move |session: &Rc<Session>, answer| match answer {
            Ok(Response::Text(message)) => {
                session.list_changed(tab, ListId::SourceLines, ListChange::Renew);
                session.list_changed(tab, ListId::Instructions, ListChange::Renew);
                let stays = session.active().is_some_and(|(_, view)| match view.panel {
                    // The instructions show it, too, and a kernel in step.
                    PanelId::ASSEMBLY | PanelId::Step => true,
                    // A profile that was dropped with it is what was asked for.
                    PanelId::Overview => view.profile.overview.is_some(),
                    _ => view.profile.reading.is_some(),
                });
                if !stays {
                    session.dispatch(Action::Panel(PanelId::SOURCE_LINES));
                }
                session.notice(message);
            }
            Ok(_) => {}
            Err(ClientError::Failed(why)) => session.notice(why),
            Err(error) => session.handle_error(tab, &error),
        };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Copies the selected lines.
    pub fn copy_lines(self: &Rc<Self>) {
        if let Some((_, view)) = self.active()
            && let Some(current) = view.lists.get(ListId::Lines).current()
        {
            self.write_list(ListId::Lines, Form::Plain, Some(current.entry), None, None);
        }
    }

    /// Copies a range of rows: instructions as assembly, others as tab-separated values.
    pub fn copy_rows(self: &Rc<Self>, list: ListId, rows: Option<(u64, u64)>) {
        if let Some((_, view)) = self.active() {
            let of = view.lists.get(list).query.of;
            let form = match list.declaration().shape {
                Shape::Code => Form::Plain,
                _ => Form::Tabs,
            };
            self.write_list(list, form, of, rows, None);
        }
    }

    /// Copies or saves the visible list.
    pub fn export_list(self: &Rc<Self>, list: ListId, form: Form, save: bool) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let is_code = list.declaration().shape == Shape::Code;
        let extension = match form {
            Form::Csv => "csv",
            Form::Markdown => "md",
            Form::Json => "json",
            Form::Plain if is_code => "asm",
            Form::Tabs | Form::Plain => "txt",
        };
        let code = view.code_sections().filter(|_| is_code);
        let mut sections = code.iter().flat_map(|report| &report.sections);
        let of = view.lists.get(list).query.of;
        let section = sections.find(|(_, span)| Some(*span) == of);
        let name = section.map_or(list.name(), |(name, _)| name);
        let file = save.then(|| file_name([&view.opened.name, name], extension));
        self.write_list(list, form, view.lists.get(list).query.of, None, file);
    }

    fn write_list(
        self: &Rc<Self>,
        list: ListId,
        form: Form,
        of: Option<Span>,
        rows: Option<(u64, u64)>,
        file: Option<String>,
    ) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let known = view.lists.get(list);
        let columns = known.shown();
        let request = Request::List {
            document: known.document.unwrap_or(NodeId::ROOT),
            list,
            query: Query {
                of,
                ..known.query.clone()
            },
            ask: ListRequest::Written {
                columns: columns.iter().map(|column| column.id.into()).collect(),
                form,
                rows,
            },
        };
        let declared = list.declaration();
        let label = match (declared.shape, rows) {
            (Shape::Text, _) => declared.words.title,
            (Shape::Code, _) if form == Form::Plain => declared.words.title,
            (_, None) => "Table",
            (_, Some((first, last))) if first == last => "Row",
            (_, Some(_)) => "Rows",
        };
        self.ask_text(tab, request, label, file);
    }

    /// Requests text and saves it as a file; without a file name, copies it.
    pub(crate) fn ask_text(
        self: &Rc<Self>,
        tab: TabId,
        request: Request,
        label: &'static str,
        file: Option<String>,
    ) {
        let then = move |session: &Rc<Session>, answer| match (answer, file) {
            (Ok(Response::Text(text)), Some(file)) => files::save_text(&text, &file),
            (Ok(Response::Text(text)), None) => session.copy(text, label),
            (Ok(_), _) => {}
            (Err(error), _) => session.handle_error(tab, &error),
        };
        self.ask_then(tab, request, Box::new(then));
    }
}
