//! View state of a graph, independent of the browser.

use std::rc::Rc;

use crate::analysis::blocks;
use crate::analysis::modules::graph::{FAN, group_size};
use crate::model::NodeId;
use crate::worker::protocol::{BlocksPage, GraphPage};

/// Zoom levels in percent.
const ZOOMS: [u32; 9] = [25, 33, 50, 67, 80, 100, 125, 150, 200];

/// Graph of the modules that match the query of [`ListId::Modules`], or of the basic blocks of the
/// code in the query of [`ListId::Instructions`].
///
/// [`ListId::Modules`]: crate::tables::ListId::Modules
/// [`ListId::Instructions`]: crate::tables::ListId::Instructions
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphView {
    /// The loaded graph, which may be that of an earlier query or range.
    page: Option<GraphSubject>,
    /// Its list generation and range.
    of: (u32, Option<(u64, u64)>),
    /// Index and number of the visible nodes; `None`: all.
    pub range: Option<(u64, u64)>,
    /// Whether the table is shown instead.
    pub as_table: bool,
    /// Zoom.
    pub zoom: Zoom,
}

/// A loaded graph.
#[derive(Debug, Clone, PartialEq)]
pub enum GraphSubject {
    /// Modules of a SYCLBIN, or images of a host file.
    Modules(Rc<GraphPage>),
    /// Basic blocks of some code.
    Blocks(Rc<BlocksPage>),
}

impl GraphSubject {
    /// The document of the response.
    pub fn document(&self) -> NodeId {
        match self {
            GraphSubject::Modules(page) => page.document,
            GraphSubject::Blocks(page) => page.document,
        }
    }

    /// Number of nodes.
    pub fn found(&self) -> u64 {
        match self {
            GraphSubject::Modules(page) => page.found,
            GraphSubject::Blocks(page) => page.found,
        }
    }

    /// Index of the first node or group.
    pub fn start(&self) -> u64 {
        match self {
            GraphSubject::Modules(page) => page.start,
            GraphSubject::Blocks(page) => page.start,
        }
    }

    /// Maximum number of visible nodes or groups.
    fn fan(&self) -> u64 {
        match self {
            GraphSubject::Modules(_) => FAN,
            GraphSubject::Blocks(_) => blocks::FAN,
        }
    }

    /// Index of the selected node, if the response has it.
    fn place(&self) -> Option<u64> {
        match self {
            GraphSubject::Modules(_) => None,
            GraphSubject::Blocks(page) => page.place,
        }
    }
}

/// Zoom of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    /// Fits the graph to the pane; never enlarges it.
    #[default]
    Fit,
    /// A fixed zoom in percent.
    Percent(u32),
}

impl Zoom {
    /// The next or previous zoom level.
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

/// A change of the view state.
pub enum GraphChange {
    /// Another range is shown.
    Range(Option<(u64, u64)>),
    /// The graph has arrived, for this list generation and range.
    Page(u32, Option<(u64, u64)>, GraphSubject),
    /// Switches between table and graph.
    AsTable(bool),
    /// Changes the zoom.
    Zoom(Zoom),
}

impl GraphView {
    /// A graph that is initially hidden behind its table.
    pub fn hidden_behind_table() -> GraphView {
        GraphView {
            as_table: true,
            ..GraphView::default()
        }
    }

    /// Applies a change; `generation` is the list's, `place` the index of its current row.
    pub fn apply(&mut self, change: GraphChange, generation: u32, place: Option<u64>) {
        match change {
            GraphChange::Range(range) => self.range = range,
            GraphChange::Page(of, range, page) if of == generation && range == self.range => {
                self.of = (of, range);
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

    /// Resets the graph for another document, code or query.
    pub fn renew(&mut self, is_other: bool) {
        self.range = None;
        if is_other {
            self.page = None;
            self.zoom = Zoom::Fit;
        }
    }

    /// Shows the list's current row, if it is out of range.
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

    /// The graph of the visible range for a generation of the list, once it is known.
    pub fn shown(&self, generation: u32) -> Option<&GraphSubject> {
        let is_current = self.of == (generation, self.range);
        self.page.as_ref().filter(|_| is_current)
    }

    /// The graph so far: it stays in its place until the next one arrives.
    pub fn latest(&self) -> Option<&GraphSubject> {
        self.page.as_ref()
    }

    /// Number of nodes; `None` until it is known.
    pub fn found(&self) -> Option<u64> {
        self.page.as_ref().map(GraphSubject::found)
    }

    /// Number of nodes per group for a graph of this size.
    fn group(&self, count: u64) -> u64 {
        group_size(count, self.page.as_ref().map_or(FAN, GraphSubject::fan))
    }

    /// The visible modules.
    pub fn modules(&self) -> Option<&GraphPage> {
        match self.page.as_ref()? {
            GraphSubject::Modules(page) => Some(page),
            GraphSubject::Blocks(_) => None,
        }
    }

    /// The ranges that contain an index, from all nodes down to one without groups.
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

    /// The ranges that contain the visible one, largest first, including itself.
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
