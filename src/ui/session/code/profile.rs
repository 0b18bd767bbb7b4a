//! Profiles: reading them, and the samples of the visible code.

use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use crate::analysis::profile::is_profile;
use crate::model::Span;
use crate::tables::{ListId, add_metric_columns};
use crate::ui::session::files::ChosenFile;
use crate::ui::session::open::is_source_name;
use crate::ui::session::page::gate::Giver;
use crate::ui::session::{Session, WaitingProfile, spawn};
use crate::ui::state::list::ListChange;
use crate::ui::state::profile::ProfileChange;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::{Action, PanelId, TabId};
use crate::ui::text::format;
use crate::ui::text::profile::{is_csv, may_be_profile, metrics};
use crate::worker::client::ClientError;
use crate::worker::protocol::{ProfileOverview, Request, Response};

/// Number of bytes of a file in which a profile's header is searched.
const HEADER: f64 = 65_536.0;

impl Session {
    /// Opens files, and sorts out what was dropped together: profiles and source files belong to the binary
    /// that is dropped with them, profiles otherwise to the one in front.
    pub(crate) async fn receive_files(self: &Rc<Self>, files: Vec<ChosenFile>) {
        let mut profiles = Vec::new();
        let mut others = Vec::new();
        for chosen in files {
            if is_profile_file(&chosen.file).await {
                profiles.push(WaitingProfile {
                    file: chosen.file,
                    is_part: false,
                });
            } else {
                others.push(chosen);
            }
        }
        self.open_with(profiles, others);
    }

    /// Adds the files of a run (`unitrace --result-dir`) as one profile, and opens the files that were
    /// dropped with the folder.
    pub(crate) async fn receive_run(self: &Rc<Self>, run: Vec<File>, others: Vec<ChosenFile>) {
        let mut profiles = Vec::new();
        for file in run {
            if has_profile_start(&file).await {
                profiles.push(WaitingProfile {
                    file,
                    is_part: true,
                });
            }
        }
        match profiles.last_mut() {
            Some(last) => last.is_part = false,
            None => self.notice("The folder has no profile that zeview reads."),
        }
        self.open_with(profiles, others);
    }

    fn open_with(self: &Rc<Self>, mut profiles: Vec<WaitingProfile>, others: Vec<ChosenFile>) {
        let before = self.next.get();
        let is_source = |chosen: &ChosenFile| is_source_name(&chosen.file.name());
        let (mut sources, mut binaries): (Vec<ChosenFile>, Vec<ChosenFile>) =
            others.into_iter().partition(is_source);
        // Source files alone are added to the file in front, or opened.
        if binaries.is_empty() {
            binaries = std::mem::take(&mut sources);
        }
        match binaries.len() {
            0 => {}
            2 => self.open_both(binaries),
            _ => self.open_files(binaries),
        }
        // They are taken from the end.
        profiles.reverse();
        let opened = TabId(before);
        let is_new = self.live(opened).is_some();
        let tab = Some(opened).filter(|_| is_new).or(self.state().active);
        let first = profiles.last().map(|profile| profile.file.name());
        match tab.and_then(|tab| Some((tab, self.live(tab)?))) {
            Some((tab, live)) => {
                if first.is_some() {
                    *live.profiles.borrow_mut() = profiles;
                }
                live.sources
                    .borrow_mut()
                    .extend(sources.into_iter().map(|chosen| chosen.file));
                self.add_waiting_profile(tab);
            }
            None => {
                if let Some(name) = first {
                    self.notice(format!(
                        "{name}: open the binary that was profiled, then drop the profile on it."
                    ));
                }
            }
        }
    }

    /// Adds the source files and the next of the profiles that were dropped, once the file is open: one
    /// profile may have samples and another one metrics.
    pub(crate) fn add_waiting_profile(self: &Rc<Self>, tab: TabId) {
        let Some(live) = self.live(tab).filter(|live| live.is_open.get()) else {
            return;
        };
        for source in live.sources.take() {
            self.read_source(tab, source);
        }
        let next = live.profiles.borrow_mut().pop();
        if let Some(profile) = next {
            self.add_profile(tab, profile, false);
        }
    }

    /// Compares the profile of a file with that of the file that it is compared with, if both have
    /// one.
    pub(crate) fn compare_profiles(self: &Rc<Self>, tab: TabId) {
        let Some(view) = self.view(tab) else { return };
        let base = view.compare.base.as_ref();
        let base = base.and_then(|base| self.live(base.tab));
        let earlier = base.and_then(|base| base.sampled.borrow().clone());
        if let Some(earlier) = earlier.filter(|_| view.profile.overview.is_some()) {
            let earlier = WaitingProfile {
                file: earlier,
                is_part: false,
            };
            self.add_profile(tab, earlier, true);
        }
    }

    /// Sends a profile to the decoder, which reads it in pieces.
    fn add_profile(self: &Rc<Self>, tab: TabId, profile: WaitingProfile, is_earlier: bool) {
        let (Some(client), Some(live)) = (self.client(tab), self.live(tab)) else {
            return;
        };
        // Only readers add profiles.
        live.content.mix(Giver::Reader);
        let turn = live.profile_turn.get().wrapping_add(1);
        live.profile_turn.set(turn);
        let WaitingProfile { file, is_part } = profile;
        let is_of_run = live.is_run.replace(is_part);
        let kind = (is_earlier, is_part);
        let name = file.name();
        self.profile_changed(tab, ProfileChange::Reading(name.clone().into(), 0));
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let mut answer = client.add_profile(name.clone(), kind, Some(&file)).await;
            while let Ok(Response::ReadingProfile { percent }) = answer {
                // Canceled, or replaced by another profile.
                if live.profile_turn.get() != turn {
                    return;
                }
                let change = ProfileChange::Reading(name.clone().into(), percent);
                session.profile_changed(tab, change);
                answer = client.add_profile(name.clone(), kind, None).await;
            }
            if live.profile_turn.get() != turn {
                return;
            }
            match answer {
                Ok(Response::Profile(overview)) if is_earlier => {
                    session.profile_changed(tab, ProfileChange::Added(overview));
                    session.list_changed(tab, ListId::ProfileChanges, ListChange::Reset);
                }
                Ok(Response::Profile(overview)) => {
                    // The files of a run cannot be added as one earlier profile.
                    if overview.is_sampled {
                        *live.sampled.borrow_mut() = Some(file).filter(|_| !is_of_run);
                    }
                    session.profile_added(tab, overview);
                }
                Ok(Response::Prepared) => session.add_waiting_profile(tab),
                Ok(_) => session.profile_changed(tab, ProfileChange::Canceled),
                Err(ClientError::Failed(why)) => {
                    session.profile_changed(tab, ProfileChange::Failed(why.clone().into()));
                    session.show_profile(tab);
                    session.notice(why);
                }
                Err(error) => {
                    session.profile_changed(tab, ProfileChange::Canceled);
                    session.handle_error(tab, &error);
                }
            }
        }));
    }

    /// Stops reading a profile.
    pub fn cancel_profile(&self) {
        if let Some((tab, _)) = self.active()
            && let Some(live) = self.live(tab)
        {
            live.profile_turn
                .set(live.profile_turn.get().wrapping_add(1));
            live.profiles.borrow_mut().clear();
            self.profile_changed(tab, ProfileChange::Canceled);
        }
    }

    fn profile_added(self: &Rc<Self>, tab: TabId, overview: Box<ProfileOverview>) {
        let words = summary(&overview);
        add_metric_columns(overview.metrics.iter().map(String::as_str));
        self.profile_changed(tab, ProfileChange::Added(overview));
        self.list_changed(tab, ListId::Kernels, ListChange::Renew);
        self.list_changed(tab, ListId::Instructions, ListChange::Renew);
        self.list_changed(tab, ListId::ProfileChanges, ListChange::Reset);
        if let Some(view) = self.view(tab)
            && let Some(of) = view.lists.get(ListId::Instructions).query.of
        {
            self.ask_samples(tab, of);
        }
        self.show_profile(tab);
        self.notice(words);
        self.add_waiting_profile(tab);
        self.compare_profiles(tab);
    }

    /// Shows the profile's summary, unless code is visible, which shows the samples itself.
    fn show_profile(&self, tab: TabId) {
        let panel = self.view(tab).map(|view| view.panel);
        if panel != Some(PanelId::ASSEMBLY) {
            self.dispatch(Action::PanelOf(tab, PanelId::Overview));
        }
    }

    fn profile_changed(&self, tab: TabId, change: ProfileChange) {
        self.dispatch(Action::Profile(tab, change));
    }

    /// Requests the samples of the visible code, unless they were requested already.
    pub(super) fn follow_samples(self: &Rc<Self>, tab: TabId, of: Span) {
        let Some(view) = self.view(tab) else { return };
        if view.profile.overview.is_some() && !view.profile.samples.is_asked(&of) {
            self.ask_samples(tab, of);
        }
    }

    fn ask_samples(self: &Rc<Self>, tab: TabId, of: Span) {
        let Some(document) = self
            .view(tab)
            .and_then(|view| view.lists.get(ListId::Instructions).document)
        else {
            return;
        };
        self.profile_changed(tab, ProfileChange::Requested(of));
        let then = move |session: &Rc<Session>, answer| match answer {
            Ok(Response::CodeSamples(samples)) => {
                session.profile_changed(tab, ProfileChange::Samples(of, samples));
            }
            Ok(_) | Err(ClientError::Failed(_)) => {}
            Err(error) => session.handle_error(tab, &error),
        };
        let request = Request::CodeSamples { document, of };
        self.ask_then(tab, request, Box::new(then));
    }

    /// Shows the instruction at a position of the file.
    pub fn show_code_at(self: &Rc<Self>, span: Span) {
        self.select_span(span, SelectionOrigin::Jump);
        self.dispatch(Action::Panel(PanelId::ASSEMBLY));
    }
}

/// Returns whether a file is a profile, or is named like one. A file of another name is one if it
/// has the header of a profile.
async fn is_profile_file(file: &File) -> bool {
    let name = file.name();
    is_csv(&name) || may_be_profile(&name) && has_profile_start(file).await
}

/// Returns whether a file has the header of a profile.
async fn has_profile_start(file: &File) -> bool {
    let Ok(start) = file.slice_with_f64_and_f64(0.0, HEADER) else {
        return false;
    };
    match JsFuture::from(start.array_buffer()).await {
        Ok(buffer) => is_profile(&Uint8Array::new(&buffer).to_vec()),
        Err(_) => false,
    }
}

fn summary(overview: &ProfileOverview) -> String {
    let kernels = overview.kernels.len() as u64;
    let has_figures = !overview.metrics.is_empty()
        || overview.counts.iter().any(|kernel| kernel.reason.is_none());
    if kernels == 0 && !has_figures {
        return format!(
            "{}: no kernel of the profile matches this file.",
            overview.name
        );
    }
    if kernels == 0 && !overview.counts.is_empty() {
        let count = overview
            .counts
            .iter()
            .filter(|of| of.reason.is_none())
            .count() as u64;
        let counted = format::counted(count, "kernel", "kernels");
        return format!("{}: executions of {counted}.", overview.name);
    }
    if kernels == 0 {
        return format!("{}: {}.", overview.name, metrics(&overview.metrics));
    }
    let matched = format::counted(kernels, "kernel", "kernels");
    let unmatched = match overview.unmatched.len() as u64 {
        0 => String::new(),
        count => format!(", {} not matched", format::grouped(count)),
    };
    format!("{}: samples of {matched}{unmatched}.", overview.name)
}
