//! The tour of a sample file, step by step.

use std::rc::Rc;

use super::Session;
use crate::ui::state::guide::{FILE, Guide, STEPS};
use crate::ui::state::{Action, PanelId};
use crate::ui::text::route;

impl Session {
    /// Starts the tour by opening its file.
    pub fn begin_guide(self: &Rc<Self>) {
        let tab = self.open_sample(FILE, None);
        self.dispatch(Action::Guide(Some(Guide { tab, step: 0 })));
        if self.live(tab).is_some_and(|live| live.is_open.get()) {
            self.show_step(0);
        }
    }

    /// Shows a step of the tour.
    pub fn show_step(self: &Rc<Self>, step: usize) {
        let guide = self.state().guide;
        if let (Some(Guide { tab, .. }), Some(shown)) = (guide, STEPS.get(step)) {
            self.dispatch(Action::Guide(Some(Guide { tab, step })));
            let link = route::parse_fragment(shown.link);
            if let Some(panel) = PanelId::named(&link.shown.panel) {
                self.dispatch(Action::Panel(panel));
            }
            self.follow_link(tab, link);
        }
    }

    /// Ends the tour.
    pub fn end_guide(&self) {
        self.dispatch(Action::Guide(None));
    }
}
