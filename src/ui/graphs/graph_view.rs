//! How a graph is shown, and how that changes: without a browser.

use std::rc::Rc;

use crate::analysis::blocks;
use crate::analysis::modules::graph::{FAN, group_size};
use crate::model::NodeId;
use crate::worker::protocol::{BlocksPage, GraphPage};

/// The steps of the zoom, in percent.
const ZOOMS: [u32; 9] = [25, 33, 50, 67, 80, 100, 125, 150, 200];

/// The graph of the modules that the query of [`ListId::Modules`] finds, or of the basic blocks of
/// the code that that of [`ListId::Instructions`] names.
///
/// [`ListId::Modules`]: crate::tables::ListId::Modules
/// [`ListId::Instructions`]: crate::tables::ListId::Instructions
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphView {
    /// What is drawn.
    pub page: Option<GraphSubject>,
    /// The place of the first node that is drawn, and how many are; `None`: all.
    pub range: Option<(u64, u64)>,
    /// The table is shown, and not the graph.
    pub as_table: bool,
    /// How large the graph is drawn.
    pub zoom: Zoom,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum GraphSubject {
    /// Modules of a SYCLBIN, or images of a host's file.
    Modules(Rc<GraphPage>),
    /// Basic blocks of some code.
    Blocks(Rc<BlocksPage>),
}

impl GraphSubject {
    /// The document that has answered.
    pub fn document(&self) -> NodeId {
        match self {
            GraphSubject::Modules(page) => page.document,
            GraphSubject::Blocks(page) => page.document,
        }
    }

    /// How many nodes there are.
    pub fn found(&self) -> u64 {
        match self {
            GraphSubject::Modules(page) => page.found,
            GraphSubject::Blocks(page) => page.found,
        }
    }

    /// The place of the first node or group.
    pub fn start(&self) -> u64 {
        match self {
            GraphSubject::Modules(page) => page.start,
            GraphSubject::Blocks(page) => page.start,
        }
    }

    /// So many nodes or groups are drawn at once.
    fn fan(&self) -> u64 {
        match self {
            GraphSubject::Modules(_) => FAN,
            GraphSubject::Blocks(_) => blocks::FAN,
        }
    }

    /// The place of the node that is selected, where the answer says it.
    fn place(&self) -> Option<u64> {
        match self {
            GraphSubject::Modules(_) => None,
            GraphSubject::Blocks(page) => page.place,
        }
    }
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
        let next = if larger {
            ZOOMS.iter().find(|zoom| **zoom > now)
        } else {
            ZOOMS.iter().rev().find(|zoom| **zoom < now)
        };
        Zoom::Percent(next.copied().unwrap_or(now))
    }
}

/// A change of how the graph is shown.
pub enum GraphChange {
    /// Others are drawn.
    Range(Option<(u64, u64)>),
    /// What is drawn has arrived, for this generation of the list and this range.
    Page(u32, Option<(u64, u64)>, GraphSubject),
    /// The table, or the graph.
    AsTable(bool),
    /// Larger or smaller.
    Zoom(Zoom),
}

impl GraphView {
    /// A graph that is shown when somebody asks for it: a table is, before.
    pub fn behind_table() -> GraphView {
        GraphView {
            as_table: true,
            ..GraphView::default()
        }
    }

    /// Changes it; `generation` is that of the list now, `place` that of its current row.
    pub fn apply(&mut self, change: GraphChange, generation: u32, place: Option<u64>) {
        match change {
            GraphChange::Range(range) => self.range = range,
            GraphChange::Page(of, range, page) if of == generation && range == self.range => {
                let (now, before) = (page.place(), self.page.replace(page));
                let is_other = before.as_ref().is_none_or(|page| page.place() != now);
                if is_other {
                    self.follow(now.or(place));
                }
            }
            GraphChange::Page(..) => {}
            GraphChange::AsTable(as_table) => self.as_table = as_table,
            GraphChange::Zoom(zoom) => self.zoom = zoom,
        }
    }

    /// Draws another document or other code, or other modules of the same.
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
        if !here || self.group(count) > 1 {
            self.range = self.chain(place).last().copied();
        }
    }

    /// How many nodes there are; `None` before it is known.
    pub fn found(&self) -> Option<u64> {
        self.page.as_ref().map(GraphSubject::found)
    }

    /// How many nodes each group has, when so many are drawn.
    fn group(&self, count: u64) -> u64 {
        group_size(count, self.page.as_ref().map_or(FAN, GraphSubject::fan))
    }

    /// The modules that are drawn.
    pub fn modules(&self) -> Option<&GraphPage> {
        match self.page.as_ref()? {
            GraphSubject::Modules(page) => Some(page),
            GraphSubject::Blocks(_) => None,
        }
    }

    /// The ranges that hold a place, from all that is found down to one without groups.
    fn chain(&self, place: u64) -> Vec<(u64, u64)> {
        let mut range = (0, self.found().unwrap_or(0));
        let mut chain = vec![range];
        loop {
            let group = self.group(range.1);
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
mod tests;
