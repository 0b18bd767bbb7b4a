//! What the page knows of the relocations, symbols and readable texts of a file, and how it
//! changes: without a browser.

use std::rc::Rc;

use yew::AttrValue;

use super::pages::Pages;
use super::selection::Selection;
use crate::model::linkage::list::{Kind, ListId, Query, Row};
use crate::model::{NodeId, NodeKind, Span};
use crate::worker::protocol::{self, ListPage, ListPlace};

/// The text that is shown before somebody chooses another.
const FIRST: &str = ".ze_info";

/// All lists of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lists {
    relocations: List,
    symbols: List,
    lines: List,
    /// The text whose lines these are.
    pub text: Option<Rc<protocol::Row>>,
    /// The texts of the document that is looked at.
    pub texts: Rc<[protocol::Row]>,
    /// That document; nothing before somebody has asked.
    pub texts_of: Option<NodeId>,
    /// Of what is looked for in the text: the how manieth is selected, and how many there are.
    pub matches: Option<(u64, u64)>,
}

/// The relocations, the symbols, or the lines of a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// The opened file, or a document in it.
    pub document: NodeId,
    /// Which rows, in which order.
    pub query: Query,
    /// The rows.
    pub pages: Pages<Row>,
    /// How many there are, whatever the filter says.
    pub total: u64,
    /// So many more are in the file, and not in the list.
    pub left_out: u64,
    /// The bytes of the longest line.
    pub longest: u64,
    /// The row that is looked at.
    pub current: Option<Rc<ListPlace>>,
    /// What is wrong with the filter.
    pub trouble: Option<AttrValue>,
    /// Why there is no list.
    pub failed: Option<AttrValue>,
}

/// A change of what is known.
pub enum ListChange {
    /// Other rows, or another order.
    Query(Query),
    /// A page has arrived, for this generation.
    Page(u32, Box<ListPage>),
    /// There is no list, for this generation.
    Failed(u32, AttrValue),
    /// This row is looked at, for this generation.
    Current(u32, Box<ListPlace>),
    /// The texts of a document; the first of them is shown, unless the one from before stays.
    Texts(NodeId, Vec<protocol::Row>, bool),
    /// This text is shown.
    Text(protocol::Row),
    /// What a search in the text has found.
    Matches(Option<(u64, u64)>),
}

impl Lists {
    /// One of them.
    pub fn get(&self, list: ListId) -> &List {
        match list {
            ListId::Relocations => &self.relocations,
            ListId::Symbols => &self.symbols,
            ListId::Lines => &self.lines,
        }
    }

    /// Changes one of them.
    pub fn apply(&mut self, list: ListId, change: ListChange) {
        match change {
            ListChange::Texts(document, texts, stays) => {
                // Only a document with texts takes the place of another.
                if texts.is_empty() && self.texts_of.is_some() {
                    return;
                }
                let first = texts.iter().position(|text| text.name == FIRST);
                if !stays && let Some(text) = texts.get(first.unwrap_or(0)) {
                    self.show(text.clone());
                }
                self.texts_of = Some(document);
                self.texts = texts.into();
            }
            ListChange::Text(text) => self.show(text),
            ListChange::Matches(matches) => self.matches = matches,
            change => match list {
                ListId::Relocations => self.relocations.apply(change),
                ListId::Symbols => self.symbols.apply(change),
                ListId::Lines => self.lines.apply(change),
            },
        }
    }

    fn show(&mut self, text: protocol::Row) {
        if self.lines.query.text != text.span {
            self.matches = None;
            self.lines.pages.reset();
            self.lines.current = None;
            self.lines.failed = None;
            self.lines.query.text = text.span;
        }
        self.text = Some(Rc::new(text));
    }
}

impl List {
    fn apply(&mut self, change: ListChange) {
        let generation = self.pages.generation;
        match change {
            ListChange::Query(query) if query != self.query => {
                self.pages.renew();
                self.query = query;
            }
            ListChange::Page(of, page) if of == generation => {
                self.total = page.total;
                self.left_out = page.left_out;
                self.longest = page.longest;
                self.trouble = page.trouble.map(AttrValue::from);
                self.failed = None;
                self.pages.put(page.start, page.rows, page.found);
            }
            ListChange::Failed(of, why) if of == generation => {
                self.pages.fail();
                self.failed = Some(why);
            }
            ListChange::Current(of, place) if of == generation => {
                if place.document != self.document {
                    self.pages.reset();
                    self.failed = None;
                    self.document = place.document;
                }
                self.current = place.entry.is_some().then(|| Rc::from(place));
            }
            _ => {}
        }
    }

    /// The place of the row that is looked at.
    pub fn place(&self) -> Option<u64> {
        self.current.as_ref()?.place
    }

    /// The entry of the row that is looked at, if bytes belong to it: it leads to them.
    pub fn kept(&self, span: Span) -> Option<Span> {
        let current = self.current.as_ref()?;
        let row = current.place.and_then(|place| self.pages.row(place));
        let cells = row.map_or(&[][..], |row| &row.cells);
        let is_it = current.links.iter().any(|link| link.to == span)
            || cells.iter().any(|cell| cell.to == Some(span));
        current.entry.filter(|_| is_it)
    }

    /// The query after a press on a column's header: numbers first with the largest on top,
    /// text from A; then the other way round, then in the order of the file.
    pub fn sorted_by(&self, id: &'static str, kind: Kind) -> Query {
        let first = kind == Kind::Number;
        let is_sorted = self.query.sort.as_deref() == Some(id);
        let (sort, descending) = match (is_sorted, self.query.descending == first) {
            (false, _) => (Some(id.into()), first),
            (true, true) => (Some(id.into()), !first),
            (true, false) => (None, false),
        };
        Query {
            sort,
            descending,
            ..self.query.clone()
        }
    }
}

/// The text that the selection is in, below the innermost document.
pub fn text_of(selection: &Selection) -> Option<&protocol::Row> {
    let file = |row: &protocol::Row| row.kind == NodeKind::File;
    let below = selection.way.iter().rposition(file).map_or(0, |at| at + 1);
    let rows = selection.way.iter().skip(below);
    // Lines are text within text.
    let mut texts = rows.filter(|row| row.kind == NodeKind::Text);
    texts.find(|row| row.span.is_some_and(|span| !span.is_empty()))
}

/// The bytes of a line that are in its first cell, and their text.
fn shown(line: &Row) -> Option<(Span, &str)> {
    let cell = line.cells.first()?;
    let end = cell.to.map_or(line.span.end, |rest| rest.start);
    let span = Span::new(line.span.source, line.span.start, end);
    Some((span, &cell.text))
}

/// The bytes of a line that say something: without blanks around them.
pub fn trimmed(line: &Row) -> Span {
    let blank = [' ', '\t'];
    let Some((shown, text)) = shown(line) else {
        return line.span;
    };
    let start = (text.len() - text.trim_start_matches(blank).len()) as u64;
    // What is not shown has no blanks to take away.
    let end = match shown == line.span {
        true => (text.len() - text.trim_end_matches(blank).len()) as u64,
        false => 0,
    };
    let len = line.span.len().saturating_sub(start + end);
    match len {
        0 => line.span,
        len => line.span.sub(start, len),
    }
}

/// A line's text before, in, and behind some bytes; nothing if they are not in it, or if its
/// text is not as the bytes are.
pub fn parts(line: &Row, span: Span) -> Option<[&str; 3]> {
    let (shown, text) = shown(line)?;
    let part = span.intersect(shown);
    if text.len() as u64 != shown.len() || part.is_empty() || !shown.contains(part) {
        return None;
    }
    let at = |offset: u64| usize::try_from(offset - shown.start).ok();
    let (before, rest) = text.split_at_checked(at(part.start)?)?;
    let (within, behind) = rest.split_at_checked(usize::try_from(part.len()).ok()?)?;
    Some([before, within, behind])
}

#[cfg(test)]
#[path = "lists_tests.rs"]
mod tests;
