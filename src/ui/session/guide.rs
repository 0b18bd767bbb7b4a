//! The tour of a sample file, step by step.

use std::rc::Rc;

use super::Session;
use crate::ui::state::guide::{Guide, TOURS};
use crate::ui::state::{Action, PanelId};
use crate::ui::text::route;

impl Session {
    /// Starts a tour, by its index in [`TOURS`], by opening its file.
    pub fn begin_guide(self: &Rc<Self>, tour: usize) {
        let Some(of) = TOURS.get(tour) else { return };
        let tab = self.open_sample(of.file, None);
        let step = 0;
        self.dispatch(Action::Guide(Some(Guide { tab, tour, step })));
        if self.live(tab).is_some_and(|live| live.is_open.get()) {
            self.show_step(0);
        }
    }

    /// Shows a step of the tour.
    pub fn show_step(self: &Rc<Self>, step: usize) {
        let guide = self.state().guide;
        if let Some(guide) = guide
            && let Some(shown) = guide.tour().steps.get(step)
        {
            let tab = guide.tab;
            self.dispatch(Action::Guide(Some(Guide { step, ..guide })));
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
