//! Execution of commands and of the page's keys.

use std::rc::Rc;

use super::Session;
use super::page::address::link_to;
use crate::model::NodeId;
use crate::tables::ListId;
use crate::tables::write::Form;
use crate::ui::browser::dom::{self, focus_by_id};
use crate::ui::browser::storage;
use crate::ui::graphs::graph_view::{GraphChange, Zoom};
use crate::ui::state::commands::{Command, Pane};
use crate::ui::state::problem_list;
use crate::ui::state::samples::SAMPLES;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{Action, Dialog, Dock, Layout, Level, PanelId, TabId, View, shown_beside};
use crate::ui::text::format::{self, file_name, plain_value};
use crate::worker::protocol::ExportForm;
use crate::worker::protocol::tree_order::TreeOrder;

/// Storage key of hidden rows.
pub(crate) const PADDING: &str = "zeview.padding";
pub(crate) const DEFAULTS: &str = "zeview.defaults";
/// Storage key, present if the tree is ordered by kernel.
pub(crate) const ORDER: &str = "zeview.order";
/// Storage key, present if compared files are shown side by side.
pub(crate) const SIDES: &str = "zeview.sides";
/// Storage key, present if their trees also show equal rows.
pub(crate) const UNCHANGED: &str = "zeview.unchanged";

/// Storage key of each panel's panes, where they differ from the default.
pub(crate) const PANES: &str = "zeview.panes";

impl Session {
    /// Executes a command.
    pub fn run(self: &Rc<Self>, command: Command) {
        self.run_on(None, command);
    }

    /// Executes a command. Commands about a file or its selection use `file`, or else the one in
    /// front.
    pub(crate) fn run_on(self: &Rc<Self>, file: Option<TabId>, command: Command) {
        match command {
            Command::Home => self.go_home(),
            Command::Open => self.choose_to_open(),
            Command::OpenFolder => Session::choose_folder(),
            Command::Reopen(tab) => self.reopen(tab),
            Command::Sample(place) => {
                if let Some(sample) = SAMPLES.get(place) {
                    self.open_sample(sample.file, sample.base);
                }
            }
            Command::Guide(tour) => self.begin_guide(tour),
            Command::GuideStep(step) => self.show_step(step),
            Command::EndGuide => self.end_guide(),
            Command::Activate(tab) => self.dispatch(Action::Activate(tab)),
            Command::Close(tab) => self.close(tab),
            Command::StopWork(tab) => self.stop_work(tab),
            Command::DoAgain => self.do_again(),
            Command::Retry(tab) => self.retry(tab),
            Command::OpenPrivately(tab) => self.open_privately(tab),
            Command::Help => self.show_dialog(Dialog::Help),
            Command::Rules => self.show_dialog(Dialog::Rules),
            Command::OpenLink => self.show_dialog(Dialog::Link),
            Command::GoTo => self.ask_place(file),
            Command::NextTheme => self.next_theme(),
            Command::Select(span) => self.select_span(span, SelectionOrigin::Jump),
            Command::SelectOperand(span, at) => self.select_operand(span, at),
            Command::SelectAbove(depth) => self.select_above(file, depth),
            Command::SelectPart(index) => self.select_part(index),
            Command::SelectDocument(list) => self.select_document(list),
            Command::Level(level) => {
                let panel = self.active().and_then(|(_, view)| view.panel_of(level));
                if let Some(panel) = panel {
                    self.run(Command::Panel(panel));
                }
            }
            Command::Panel(panel) => {
                if panel == PanelId::ASSEMBLY {
                    // Before the empty panel is rendered.
                    self.follow_list(ListId::Instructions);
                }
                self.dispatch(Action::Panel(panel));
            }
            Command::Pane(pane) => self.rearrange(|layout| match pane {
                Pane::Structure => layout.upper_is_panel = false,
                Pane::Bytes => layout.lower_is_inspector = false,
                Pane::Inspector => layout.lower_is_inspector = true,
            }),
            Command::TogglePane(pane) => self.toggle_pane(pane),
            Command::OnlyPanel => {
                let panel = self.panel();
                self.rearrange(|layout| layout.panes.toggle_alone(panel));
            }
            Command::ShowBytes => self.show_pane(Pane::Bytes),
            Command::AnalyzeCode => self.analyze_code(),
            Command::FoldFunction(row) => self.fold_function(row as u32),
            Command::FoldLoop(start) => self.fold_loop(start as u32),
            Command::Aspect(aspect) => {
                let panel = self.panel();
                self.rearrange(|layout| {
                    let has_column = !layout.narrow && layout.panes.of(panel).inspector;
                    layout.dock = layout.dock.toggled(aspect, has_column);
                });
            }
            Command::WidenAspect => self.rearrange(|layout| layout.dock = layout.dock.widened()),
            Command::CloseAspect => self.rearrange(|layout| layout.dock = Dock::Closed),
            Command::CancelProfile => self.cancel_profile(),
            Command::ShowCodeAt(span) => self.show_code_at(span),
            Command::ShowCode => self.open_code(),
            Command::OpenKernel(entry) => self.open_code_of(entry),
            Command::MoreParts => self.rearrange(|layout| layout.more_parts = true),
            Command::ToggleSides => self.rearrange(|layout| layout.side_by_side ^= true),
            Command::ToggleUnchanged => self.rearrange(|layout| layout.unchanged ^= true),
            Command::TogglePadding => self.rearrange(|layout| layout.no_padding ^= true),
            Command::ToggleDefaults => self.rearrange(|layout| layout.no_defaults ^= true),
            Command::Order(order) => self.rearrange(|layout| layout.order = order),
            Command::CheckDevice(device) => {
                self.dispatch(Action::Panel(PanelId::Overview));
                self.verdict_on(&device);
            }
            Command::OwnDevice => self.verdict_on(""),
            Command::ToggleSecondary(list) => self.toggle_secondary(list),
            Command::ToggleTerm(list, term) => self.toggle_term(list, &term),
            Command::StopReading => self.stop_reading(true),
            Command::ReadOn => self.stop_reading(false),
            Command::SizeGroup(at) => self.open_size_group(at),
            Command::SizesUp(depth) => self.sizes_up(depth),
            Command::KernelsWhere(filter) => self.show_kernels_where(filter, false),
            Command::FilterCode(filter) => self.filter_code(&filter),
            Command::SpillsWhere(filter) => self.show_kernels_where(filter, true),
            Command::ToggleColumn(list, column) => self.toggle_column(list, &column),
            Command::MoveLeft(list, column) => self.step_column(list, &column, false),
            Command::MoveRight(list, column) => self.step_column(list, &column, true),
            Command::DefaultColumns(list) => {
                self.set_columns(list, None);
                self.set_widths(list, Rc::from([]));
            }
            Command::CopyList(list, form) => self.export_list(list, form, false),
            Command::SaveList(list, form) => self.export_list(list, form, true),
            Command::CopyName(list) => self.copy_name(list, false),
            Command::CopyDemangled => self.copy_name(ListId::Kernels, true),
            Command::NextRow(list) => self.step_row(list, true),
            Command::PreviousRow(list) => self.step_row(list, false),
            Command::References => self.show_references(),
            Command::OpenSource => self.open_source(),
            Command::NextMatch => self.find_in_text(true, false),
            Command::PreviousMatch => self.find_in_text(false, false),
            Command::CopyLines => self.copy_lines(),
            Command::CopyText => self.export_list(ListId::Lines, Form::Plain, false),
            Command::SaveText => self.save_text(),
            Command::ShowGraph => self.set_graph(GraphChange::AsTable(false)),
            Command::ShowTable => self.set_graph(GraphChange::AsTable(true)),
            Command::GraphRange(start, count) => self.draw_range(start, count),
            Command::ZoomIn => self.zoom(true),
            Command::ZoomOut => self.zoom(false),
            Command::ZoomToFit => self.set_graph(GraphChange::Zoom(Zoom::Fit)),
            Command::SaveGraph => self.save_graph(),
            Command::CompareWith(base) => self.compare_with(base),
            Command::CompareKernel => self.compare_kernel(),
            Command::ChooseBase => self.choose_base(),
            Command::OpenAsCode(encoding) => self.open_as_code(encoding),
            Command::SaveReport => self.save_report(),
            Command::Swap => self.swap(),
            Command::ToggleFollow => self.toggle_follow(),
            Command::CompareWithBefore => {
                if !self.compare_with_before() {
                    self.notice("The watched file has not changed yet.");
                }
            }
            Command::StopComparing => self.stop_comparing(),
            Command::CompareOn => self.compare_on(),
            Command::ToggleRenumbered => self.toggle_renumbered(),
            Command::CompareEverything => self.compare_everything(),
            Command::FilterDifferences(filter) => self.filter_differences(&filter),
            Command::ShowInBase(span) => self.show_in_base(span),
            Command::Bookmark => self.bookmark(file),
            Command::SaveComment => self.save_comment(),
            Command::DeleteBookmark => self.delete_bookmark(file),
            Command::ExportBookmarks => self.export_bookmarks(),
            Command::ImportBookmarks => self.choose_bookmarks(),
            Command::CopyComparison(form) => self.export_comparison(form, false),
            Command::SaveComparison(form) => self.export_comparison(form, true),
            command => self.run_on_selection(file, &command),
        }
    }

    fn show_dialog(&self, dialog: Dialog) {
        self.dispatch(Action::Dialog(dialog));
    }

    /// Asks for a location in a file, or in the one in front; names the file if two are shown.
    fn ask_place(&self, file: Option<TabId>) {
        let state = self.state();
        let tab = file.or(state.active).and_then(|id| state.tab(id));
        if let Some(tab) = tab {
            let name = state.beside().map(|_| tab.name.clone());
            self.show_dialog(Dialog::GoTo(tab.id, name));
        }
    }

    /// The panel whose panes are shown; `None` for two files side by side. Where the tree replaces
    /// the panel, the overview's panes are used.
    fn panel(&self) -> Option<PanelId> {
        let state = self.state();
        if state.beside().is_some() {
            return None;
        }
        let view = state.active().and_then(|tab| tab.view());
        Some(view.map_or_else(PanelId::default, |view| shown_beside(&state, view)))
    }

    /// Shows or hides a pane. In the stacked layout, bytes and inspector share one.
    pub(crate) fn toggle_pane(&self, pane: Pane) {
        let panel = self.panel();
        self.rearrange(|layout| {
            let panes = layout.panes.of(panel);
            if !layout.narrow {
                return layout.panes.set(panel, pane, !panes.has(pane));
            }
            let is_inspector = pane == Pane::Inspector;
            match pane {
                Pane::Structure => layout.upper_is_panel ^= true,
                _ => {
                    let is_same = layout.lower_is_inspector == is_inspector;
                    let is_shown = !(panes.bytes && is_same);
                    layout.panes.set(panel, Pane::Bytes, is_shown);
                    layout.lower_is_inspector = is_inspector;
                }
            }
        });
    }

    /// Shows a pane if it is hidden.
    pub(crate) fn show_pane(&self, pane: Pane) {
        let panel = self.panel();
        let layout = self.state().layout;
        let is_shown = match (layout.narrow, pane) {
            (false, pane) => layout.panes.of(panel).has(pane),
            (true, Pane::Structure) => !layout.upper_is_panel,
            (true, pane) => {
                let is_inspector = pane == Pane::Inspector;
                layout.panes.of(panel).bytes && layout.lower_is_inspector == is_inspector
            }
        };
        if !is_shown {
            self.toggle_pane(pane);
        }
    }

    fn rearrange(&self, change: impl FnOnce(&mut Layout)) {
        let mut layout = self.state().layout;
        change(&mut layout);
        let hidden = [(layout.no_padding, PADDING), (layout.no_defaults, DEFAULTS)];
        for (is_hidden, key) in hidden {
            storage::store(key, is_hidden.then_some("hide"));
        }
        let by_kernel = layout.order == TreeOrder::Kernels;
        storage::store(ORDER, by_kernel.then_some("kernels"));
        let shown = [(layout.side_by_side, SIDES), (layout.unchanged, UNCHANGED)];
        for (is_shown, key) in shown {
            storage::store(key, is_shown.then_some("show"));
        }
        // In a frame, the embedding page sets them.
        if !layout.embed {
            let words = layout.panes.words();
            storage::store(PANES, (!words.is_empty()).then_some(&*words));
        }
        self.dispatch(Action::Layout(layout));
    }

    /// Executes a command on the selection of a file, or of the one in front.
    fn run_on_selection(self: &Rc<Self>, file: Option<TabId>, command: &Command) {
        let state = self.state();
        let tab = file.or(state.active).and_then(|id| state.tab(id));
        let Some(tab) = tab else { return };
        let Some(view) = tab.view() else { return };
        let (row, span) = (view.row(), view.selection.span);
        match command {
            Command::CopyLink if view.detail().is_some() => self.copy(link_to(tab), "Link"),
            Command::CopyValue => self.copy(plain_value(&row.value), "Value"),
            Command::CopyPath => {
                if let Some(detail) = view.detail() {
                    self.copy(detail.path.clone(), "Path");
                }
            }
            Command::SaveBytes => {
                if let Some(span) = span {
                    let name = image_name(view).unwrap_or_else(|| name(view, "bin"));
                    self.save_bytes(tab.id, span, name);
                }
            }
            Command::SaveTree => {
                let name = name(view, "json");
                self.export(tab.id, row.id, ExportForm::Json, Some(name));
            }
            Command::CopyTree => self.export(tab.id, row.id, ExportForm::Text, None),
            Command::CopyBytes(form) => {
                if let Some(span) = span {
                    self.copy_bytes(tab.id, span, *form);
                }
            }
            _ => {}
        }
    }

    /// The panel that a key opens gets the focus, so that the next key is for its rows: from then on the
    /// focus counts as lost.
    fn follow_with_focus(&self) {
        *self.focused.borrow_mut() = dom::leave_tabs();
    }

    /// Handles a key that no other part of the page has used, pressed in a pane of `file`; returns
    /// whether it was handled.
    pub(crate) fn press(self: &Rc<Self>, file: Option<TabId>, key: &str) -> bool {
        let state = self.state();
        let view = state.active().and_then(|tab| tab.view());
        match (key, view) {
            ("o", _) => self.choose_to_open(),
            ("?", _) => self.show_dialog(Dialog::Help),
            ("/", Some(_)) => focus_by_id("search"),
            ("g", Some(_)) => self.ask_place(file),
            ("." | ",", Some(view)) if view.compare.report().is_some() => {
                self.step_difference(key == ".");
            }
            ("s", Some(view)) if view.compare.has_result && !state.layout.narrow => {
                self.run(Command::ToggleSides);
            }
            ("t", Some(_)) => self.toggle_pane(Pane::Structure),
            ("x", Some(_)) => self.toggle_pane(Pane::Bytes),
            ("i", Some(_)) => self.toggle_pane(Pane::Inspector),
            ("z", Some(_)) => self.run(Command::OnlyPanel),
            ("l", Some(view)) => {
                let level = view.current_panel().level();
                let after = Level::ALL.into_iter().cycle().skip(level as usize + 1);
                let mut after = after.take(Level::ALL.len());
                if let Some(next) = after.find(|level| view.panel_of(*level).is_some()) {
                    self.run(Command::Level(next));
                }
            }
            (";", Some(_)) => self.bookmark(file),
            ("b", Some(_)) => return self.compare_with_before(),
            ("n", Some(_)) => return self.find_next(true),
            ("N", Some(_)) => return self.find_next(false),
            (digit, Some(_)) if digit.len() == 1 && digit.parse::<usize>().is_ok() => {
                let number = digit.parse::<usize>().unwrap_or(0);
                let Some(command) = dom::panel_tab(number) else {
                    return false;
                };
                self.follow_with_focus();
                self.run(command);
            }
            ("[" | "]", Some(view)) if view.current_panel().level() == Level::Kernel => {
                self.step_code(key == "]");
            }
            ("[" | "]", Some(view)) => match problem_list::step(view, key == "]") {
                Some(span) => self.select_span(span, SelectionOrigin::Jump),
                None => self.notice("No problems found."),
            },
            _ => return false,
        }
        true
    }
}

/// Adds the image, its device and the format's extension to a file name, once the format is known.
fn image_name(view: &View) -> Option<String> {
    let row = view.selected_document()?;
    let ancestry = view.selection.ancestry.iter().rev();
    let mut names = ancestry.map(|row| &*row.name);
    let image = names.find(|name| !matches!(*name, "" | "data" | "code" | "image" | "unpacked"))?;
    let summary = view
        .summary()
        .filter(|_| view.selection.document() == row.id)?;
    Some(format::image_file_name(
        &view.opened.name,
        image,
        view.device().map_or("", |device| &**device),
        &summary.format,
    ))
}

/// Replaces characters that are not allowed in file names.
fn name(view: &View, extension: &str) -> String {
    let part = match view.row().id {
        NodeId::ROOT => "",
        _ => &view.row().name,
    };
    file_name([&view.opened.name, part], extension)
}
