//! What the page knows of the modules of a SYCLBIN, and how it changes: without a browser.

use std::rc::Rc;

use yew::AttrValue;

use super::pages::Pages;
use crate::model::modules::query::{ModuleColumn, ModuleQuery, group_size};
use crate::model::modules::{Holder, PropertySet};
use crate::model::{NodeId, Span};
use crate::worker::protocol::{ModulePage, ModulePlace, ModuleRow};

/// The steps of the zoom, in percent.
const ZOOMS: [u32; 9] = [25, 33, 50, 67, 80, 100, 125, 150, 200];

/// The modules of the document that is looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModuleView {
    /// The opened file, or a document in it; nothing before any is known.
    pub document: Option<NodeId>,
    /// Which modules, in which order.
    pub query: ModuleQuery,
    /// The rows of the table.
    pub rows: Pages<ModuleRow>,
    /// The first place and the number of modules that are drawn; all without.
    pub range: Option<(u64, u64)>,
    /// The table is shown, and not the graph.
    pub as_table: bool,
    /// How large the graph is drawn, in percent.
    pub zoom: Zoom,
    /// What is drawn.
    pub page: Option<Rc<ModulePage>>,
    /// Where the selection is.
    pub current: Option<ModulePlace>,
    /// The properties of what is selected.
    pub properties: Option<Rc<Properties>>,
    /// Why there are no modules.
    pub failed: Option<AttrValue>,
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

/// The properties of one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Properties {
    /// Of what.
    pub holder: Holder,
    /// The sets.
    pub sets: Vec<PropertySet>,
    /// So many further entries there are.
    pub more: u64,
}

impl Properties {
    /// The rows of the table: for each set a row of its own, then its entries.
    pub fn lines(&self) -> impl Iterator<Item = (usize, Option<usize>)> + '_ {
        let sets = self.sets.iter().enumerate();
        sets.flat_map(|(set, content)| {
            let entries = (0..content.entries.len()).map(move |entry| (set, Some(entry)));
            std::iter::once((set, None)).chain(entries)
        })
    }
}

/// A change of what is known.
pub enum ModuleChange {
    /// Another document is looked at.
    Document(NodeId),
    /// Other modules, or another order.
    Query(ModuleQuery),
    /// Others are drawn.
    Range(Option<(u64, u64)>),
    /// What is drawn has arrived, for this generation and range.
    Page(u32, Option<(u64, u64)>, Rc<ModulePage>),
    /// Rows of the table have arrived, for this generation.
    Rows(u32, Box<ModulePage>),
    /// There are no modules.
    Failed(AttrValue),
    /// The selection is here.
    Current(NodeId, Option<ModulePlace>),
    /// The properties of something have arrived.
    Properties(NodeId, Rc<Properties>),
    /// The table, or the graph.
    AsTable(bool),
    /// Larger or smaller.
    Zoom(Zoom),
}

impl ModuleView {
    /// Changes it.
    pub fn apply(&mut self, change: ModuleChange) {
        let current = self.rows.generation;
        match change {
            ModuleChange::Document(document) if self.document != Some(document) => {
                let mut rows = std::mem::take(&mut self.rows);
                rows.reset();
                *self = ModuleView {
                    document: Some(document),
                    rows,
                    as_table: self.as_table,
                    ..ModuleView::default()
                };
            }
            ModuleChange::Query(query) if query != self.query => {
                self.query = query;
                self.rows.renew();
                self.range = None;
            }
            ModuleChange::Range(range) => self.range = range,
            ModuleChange::Page(of, range, page) if of == current && range == self.range => {
                self.page = Some(page);
                self.failed = None;
            }
            ModuleChange::Rows(of, page) if of == current => {
                self.rows.put(page.start, page.rows, page.found);
            }
            ModuleChange::Failed(why) => self.failed = Some(why),
            ModuleChange::Current(document, current) if self.document == Some(document) => {
                self.current = current;
                self.follow();
            }
            ModuleChange::Properties(document, properties) if self.document == Some(document) => {
                self.properties = Some(properties);
            }
            ModuleChange::AsTable(as_table) => self.as_table = as_table,
            ModuleChange::Zoom(zoom) => self.zoom = zoom,
            _ => {}
        }
    }

    /// Draws what is selected, if it is not drawn.
    fn follow(&mut self) {
        let (Some(place), Some(found)) = (self.current.and_then(|c| c.place), self.found()) else {
            return;
        };
        let (start, count) = self.range.unwrap_or((0, found));
        let here = (start..start.saturating_add(count)).contains(&place);
        if !here || group_size(count) > 1 {
            self.range = self.chain(place, 1).last().copied();
        }
    }

    /// How many modules the query finds; nothing before it is known.
    pub fn found(&self) -> Option<u64> {
        self.page.as_ref().map(|page| page.found)
    }

    /// The ranges that hold a place, from all that is found down to one whose groups have at
    /// most `size` modules.
    fn chain(&self, place: u64, size: u64) -> Vec<(u64, u64)> {
        let mut range = (0, self.found().unwrap_or(0));
        let mut chain = vec![range];
        loop {
            let group = group_size(range.1);
            if group <= size.max(1) {
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
        let mut chain = self.chain(range.0, 1);
        chain.retain(|(_, count)| *count >= range.1);
        chain
    }

    /// The query after a press on a column's header: the largest on top, then the other way
    /// round, then in the order of the file.
    pub fn sorted_by(&self, column: ModuleColumn) -> ModuleQuery {
        let (sort, descending) = match (self.query.sort == Some(column), self.query.descending) {
            (false, _) => (Some(column), true),
            (true, true) => (Some(column), false),
            (true, false) => (None, false),
        };
        ModuleQuery {
            sort,
            descending,
            ..self.query.clone()
        }
    }
}

/// What a holder is called.
pub fn holder_name(holder: Holder, current: Option<ModulePlace>) -> String {
    let module = current.and_then(|current| current.module);
    let of = module.map_or(String::new(), |module| {
        format!(" of abstract module {module}")
    });
    match holder {
        Holder::Whole => "the SYCLBIN".to_owned(),
        Holder::AbstractModule(index) => format!("abstract module {index}"),
        Holder::IrModule(index) => format!("IR module {index}{of}"),
        Holder::NativeImage(index) => format!("native device code image {index}{of}"),
    }
}

/// The bytes that stand for a module or image in the tree.
pub fn image_span(image: &crate::model::modules::Image) -> Span {
    match image.bytes.is_empty() {
        true => image.header,
        false => image.bytes,
    }
}
