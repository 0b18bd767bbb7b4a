//! Comparison of a file with another open one.

use std::rc::Rc;

use web_sys::File;

use super::{Session, spawn};
use crate::diff::{ComparedKernel, Options};
use crate::model::Span;
use crate::tables::{Detail, ListId};
use crate::ui::state::compare::{Base, ChosenDifference, CompareChange};
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{Action, Origin, PanelId, Phase, TabId};
use crate::ui::text::format::file_name;
use crate::worker::client::{ClientError, Comparing};
use crate::worker::protocol::{CompareForm, Request};

impl Session {
    pub(crate) fn compare_changed(&self, tab: TabId, change: CompareChange) {
        self.dispatch(Action::Compare(tab, change));
    }

    /// Compares the file in front with another open one.
    pub fn compare_with(self: &Rc<Self>, base: TabId) {
        if let Some((tab, _)) = self.active() {
            self.compare(base, tab);
        }
    }

    /// Chooses the current kernel for a comparison, or compares it with the one that was chosen
    /// before: that is the first one.
    pub fn compare_kernel(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let current = view.lists.get(ListId::Kernels).current();
        let Some(Detail::Kernel(detail)) = current.map(|current| &current.about.detail) else {
            return;
        };
        let place = ComparedKernel {
            name: detail.row.name.value.clone(),
            entry: detail.row.entry,
        };
        match view.compare.first.clone() {
            None => {
                self.compare_changed(tab, CompareChange::First(Some(place)));
                self.notice("Now choose the other kernel, and compare it.");
            }
            Some(first) if first == place => {
                self.compare_changed(tab, CompareChange::First(None));
            }
            Some(first) => {
                let Some(file) = self.live(tab).and_then(|live| live.content.file()) else {
                    return;
                };
                let base = Base {
                    tab,
                    name: file.name().into(),
                    url: None,
                };
                let options = Options {
                    kernels: Some(Box::new([first, place])),
                    ..Options::default()
                };
                self.dispatch(Action::PanelOf(tab, PanelId::Compare));
                self.ask_comparison(tab, base, Some(file), options);
            }
        }
    }

    /// Compares two open files as soon as both are loaded, and shows the differences.
    pub(crate) fn compare(self: &Rc<Self>, base: TabId, tab: TabId) {
        if let Some(live) = self.live(tab).filter(|_| base != tab) {
            live.base.set(Some(base));
            self.dispatch(Action::Activate(tab));
            self.settle();
        }
    }

    /// Starts the comparisons that waited for a file.
    pub(crate) fn settle(self: &Rc<Self>) {
        let waiting: Vec<(TabId, TabId)> = self
            .live
            .borrow()
            .iter()
            .filter_map(|(tab, live)| Some((*tab, live.base.get()?)))
            .collect();
        for (tab, base) in waiting {
            let (Some(live), Some(from)) = (self.live(tab), self.live(base)) else {
                continue;
            };
            let file = from.content.file();
            if let Some(file) = file.filter(|_| live.is_open.get()) {
                live.base.set(None);
                live.content.mix(from.content.giver());
                self.dispatch(Action::PanelOf(tab, PanelId::Compare));
                let shown = self.state().tab(base).cloned();
                let base = Base {
                    tab: base,
                    name: file.name().into(),
                    url: shown.and_then(|shown| match &shown.origin {
                        Origin::Link(url) => Some(url.clone()),
                        Origin::Local => None,
                    }),
                };
                let options = Options {
                    kernels_first: true,
                    ..Options::default()
                };
                self.ask_comparison(tab, base, Some(file), options);
            }
        }
    }

    /// Repeats the comparison, with the other setting for register numbers.
    pub fn toggle_renumbered(self: &Rc<Self>) {
        if let Some((tab, view)) = self.active()
            && let Some(base) = view.compare.base.clone()
        {
            let mut options = view.compare.options.clone();
            options.renumbered ^= true;
            self.ask_comparison(tab, base, None, options);
        }
    }

    /// Repeats the comparison of libraries with everything that is not a kernel.
    pub fn compare_everything(self: &Rc<Self>) {
        if let Some((tab, view)) = self.active()
            && let Some(base) = view.compare.base.clone()
        {
            let mut options = view.compare.options.clone();
            options.kernels_first = false;
            self.ask_comparison(tab, base, None, options);
        }
    }

    /// Shows the differences that match a filter, or all again if it is the current one.
    pub fn filter_differences(&self, filter: &str) {
        if let Some((_, view)) = self.active() {
            let is_shown = view.lists.get(ListId::Differences).query.filter == filter;
            self.set_filter(ListId::Differences, if is_shown { "" } else { filter });
        }
    }

    /// Asks for a comparison until it has a result, is stopped, or another one is started.
    fn ask_comparison(
        self: &Rc<Self>,
        tab: TabId,
        base: Base,
        file: Option<File>,
        options: Options,
    ) {
        let (Some(client), Some(live)) = (self.client(tab), self.live(tab)) else {
            return;
        };
        let run = live.compared.get().wrapping_add(1);
        live.compared.set(run);
        let name = base.name.to_string();
        let chosen = self.view(tab).and_then(|view| view.compare.chosen);
        let keep = chosen.filter(|_| file.is_none());
        let keep = keep.map(|chosen| chosen.index);
        self.compare_changed(tab, CompareChange::Requested(base, options.clone(), run));
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let mut file = file.as_deref();
            let answer = loop {
                let step = client.compare(name.clone(), file.take(), options.clone(), keep);
                match step.await {
                    Ok(_) if live.compared.get() != run => return,
                    Ok(Comparing::Done(report)) => break Ok(*report),
                    Ok(Comparing::Reading(left)) => {
                        session.compare_changed(tab, CompareChange::Reading(run, left));
                    }
                    Err(error) => break Err(error),
                }
            };
            let result = match answer {
                Ok(report) => Ok(Rc::new(report)),
                Err(ClientError::Failed(why)) => Err(why.into()),
                Err(error) => {
                    let why = error.to_string();
                    session.compare_changed(tab, CompareChange::Answered(run, Err(why.into())));
                    return session.handle_error(tab, &error);
                }
            };
            let is_compared = result.is_ok();
            session.compare_changed(tab, CompareChange::Answered(run, result));
            if is_compared {
                session.compare_profiles(tab);
            }
        }));
    }

    /// Goes on with a comparison that was stopped.
    pub fn compare_on(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        if let (Some(base), Some((_, true))) = (&view.compare.base, view.compare.reading()) {
            // The decoder still has both files.
            self.ask_comparison(tab, base.clone(), None, view.compare.options.clone());
        }
    }

    /// Stops the comparison where it is.
    pub fn stop_comparing(&self) {
        if let Some((tab, _)) = self.active()
            && let Some(live) = self.live(tab)
        {
            live.compared.set(live.compared.get().wrapping_add(1));
            self.compare_changed(tab, CompareChange::Stop);
        }
    }

    /// Swaps the two files of the comparison.
    pub fn swap(self: &Rc<Self>) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let mut options = view.compare.options.clone();
        if let (Some(base), Some(kernels)) = (&view.compare.base, &mut options.kernels) {
            kernels.reverse();
            return self.ask_comparison(tab, base.clone(), None, options);
        }
        match &view.compare.base {
            Some(base) if self.live(base.tab).is_some() => self.compare(tab, base.tab),
            _ => self.notice("The other file was closed."),
        }
    }

    /// Shows a difference in full and selects its bytes.
    pub fn choose_difference(self: &Rc<Self>, place: u64) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let known = view.lists.get(ListId::Differences);
        let Some(row) = known.rows.row(place) else {
            return;
        };
        let chosen = ChosenDifference {
            index: row.index,
            place: Some((place, known.rows.generation)),
        };
        self.compare_changed(tab, CompareChange::Choose(chosen));
        let name = row.cells.first();
        let origin = self.select_beside(name.and_then(|cell| cell.base));
        // Only in the first file: there is nothing to select in this one.
        if let Some(span) = name.and_then(|cell| cell.span) {
            self.select_span(span, origin);
        }
    }

    /// Shows the next or previous difference.
    pub fn step_difference(self: &Rc<Self>, forward: bool) {
        let Some((_, view)) = self.active() else {
            return;
        };
        let known = view.lists.get(ListId::Differences);
        let (Some(place), Some(found)) = (view.difference(), known.rows.found) else {
            return self.choose_difference(0);
        };
        let next = if forward {
            place.saturating_add(1).min(found.saturating_sub(1))
        } else {
            place.saturating_sub(1)
        };
        if next == place {
            let end = if forward { "last" } else { "first" };
            return self.notice(format!("This is the {end} difference."));
        }
        self.choose_difference(next);
    }

    /// Selects bytes in the other file of the comparison and shows it.
    pub fn show_in_base(self: &Rc<Self>, span: Span) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let base = view.compare.base.as_ref().map(|base| base.tab);
        let Some(base) = base.filter(|base| self.live(*base).is_some()) else {
            return self.notice("The other file was closed.");
        };
        self.dispatch(Action::Activate(base));
        self.select_in_base(tab, base, span, SelectionOrigin::Jump);
    }

    /// Copies or saves the whole comparison.
    pub fn export_comparison(self: &Rc<Self>, form: CompareForm, saves: bool) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let base = view.compare.base.as_ref();
        let from = base.map_or_else(String::new, |base| base.name.to_string());
        let extension = match form {
            CompareForm::Markdown => "md",
            CompareForm::Html => "html",
            CompareForm::Json => "json",
        };
        let name = saves.then(|| file_name([&from, &view.opened.name], extension));
        self.ask_text(tab, Request::WriteComparison { form }, "Comparison", name);
    }

    /// Opens a file beside the one in front and compares them.
    pub(crate) fn compare_with_file(self: &Rc<Self>, chosen: super::files::ChosenFile, tab: TabId) {
        let base = match self.opened_before(&chosen) {
            Some(base) => base,
            None => self.add_file(chosen, Phase::Waiting),
        };
        self.compare(base, tab);
    }
}
