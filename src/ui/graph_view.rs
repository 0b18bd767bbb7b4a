//! How the graph of modules is shown, and how that changes: without a browser.

use std::rc::Rc;

use crate::model::modules::graph::group_size;
use crate::worker::protocol::GraphPage;

/// The steps of the zoom, in percent.
const ZOOMS: [u32; 9] = [25, 33, 50, 67, 80, 100, 125, 150, 200];

/// The graph of the modules that the query of [`ListId::Modules`] finds.
///
/// [`ListId::Modules`]: crate::model::list::ListId::Modules
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphView {
    /// What is drawn.
    pub page: Option<Rc<GraphPage>>,
    /// The place of the first module that is drawn, and how many are; `None`: all.
    pub range: Option<(u64, u64)>,
    /// The table is shown, and not the graph.
    pub as_table: bool,
    /// How large the graph is drawn.
    pub zoom: Zoom,
}

/// How large the graph is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    /// As large as the pane lets it be; at most as it is.
    #[default]
    Fit,
    /// In percent.
    Percent(u32),
}

impl Zoom {
    /// One step larger or smaller.
    pub fn step(self, larger: bool) -> Zoom {
        let now = match self {
            Zoom::Fit => 100,
            Zoom::Percent(percent) => percent,
        };
        let next = match larger {
            true => ZOOMS.iter().find(|zoom| **zoom > now),
            false => ZOOMS.iter().rev().find(|zoom| **zoom < now),
        };
        Zoom::Percent(next.copied().unwrap_or(now))
    }
}

/// A change of how the graph is shown.
pub enum GraphChange {
    /// Others are drawn.
    Range(Option<(u64, u64)>),
    /// What is drawn has arrived, for this generation of the list and this range.
    Page(u32, Option<(u64, u64)>, Rc<GraphPage>),
    /// The table, or the graph.
    AsTable(bool),
    /// Larger or smaller.
    Zoom(Zoom),
}

impl GraphView {
    /// Changes it; `generation` is that of the list now, `place` that of its current row.
    pub fn apply(&mut self, change: GraphChange, generation: u32, place: Option<u64>) {
        match change {
            GraphChange::Range(range) => self.range = range,
            GraphChange::Page(of, range, page) if of == generation && range == self.range => {
                let is_first = self.page.replace(page).is_none();
                if is_first {
                    self.follow(place);
                }
            }
            GraphChange::Page(..) => {}
            GraphChange::AsTable(as_table) => self.as_table = as_table,
            GraphChange::Zoom(zoom) => self.zoom = zoom,
        }
    }

    /// Draws another document, or other modules of the same.
    pub fn renew(&mut self, is_other: bool) {
        self.range = None;
        if is_other {
            self.page = None;
            self.zoom = Zoom::Fit;
        }
    }

    /// Draws the current row of the list, if it is not drawn.
    pub fn follow(&mut self, place: Option<u64>) {
        let (Some(place), Some(found)) = (place, self.found()) else {
            return;
        };
        let (start, count) = self.range.unwrap_or((0, found));
        let here = (start..start.saturating_add(count)).contains(&place);
        if !here || group_size(count) > 1 {
            self.range = self.chain(place).last().copied();
        }
    }

    /// How many modules the query finds; `None` before it is known.
    pub fn found(&self) -> Option<u64> {
        self.page.as_ref().map(|page| page.found)
    }

    /// The ranges that hold a place, from all that is found down to one without groups.
    fn chain(&self, place: u64) -> Vec<(u64, u64)> {
        let mut range = (0, self.found().unwrap_or(0));
        let mut chain = vec![range];
        loop {
            let group = group_size(range.1);
            if group <= 1 {
                return chain;
            }
            let start = range.0 + place.saturating_sub(range.0) / group * group;
            let end = range.0 + range.1;
            range = (start, group.min(end.saturating_sub(start)));
            chain.push(range);
        }
    }

    /// The ranges around the one that is drawn, the largest first, with itself.
    pub fn crumbs(&self) -> Vec<(u64, u64)> {
        let Some(range) = self.range else {
            return vec![(0, self.found().unwrap_or(0))];
        };
        let mut chain = self.chain(range.0);
        chain.retain(|(_, count)| *count >= range.1);
        chain
    }
}

#[cfg(test)]
#[path = "graph_view_tests.rs"]
mod tests;
