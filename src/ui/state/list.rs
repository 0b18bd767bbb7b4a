//! What the page knows of a list, and how it changes: without a browser.

use std::borrow::Cow;
use std::rc::Rc;

use yew::AttrValue;

use super::paged::Paged;
use crate::analysis::survey::Progress;
use crate::model::{NodeId, Span};
use crate::tables::query::Query;
use crate::tables::{Cell, CellValue, Column, ColumnKind, Detail, ListId, Row};
use crate::ui::text::format::several;
use crate::worker::protocol::{ListAt, ListPage, ListPlace};

/// A list of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// Which.
    pub id: ListId,
    /// The opened file, or a document in it; `None` before any has answered.
    pub document: Option<NodeId>,
    /// Which rows, in which order.
    pub query: Query,
    /// The ids of the columns that were chosen; `None`: the default ones.
    pub chosen: Option<Rc<[&'static str]>>,
    /// The widths that were chosen, in pixels, by the ids of the columns.
    pub widths: Rc<[(&'static str, u32)]>,
    /// The rows.
    pub rows: Paged<Row>,
    /// The columns that the rows have.
    cells: Rc<[&'static str]>,
    /// The number of characters of the longest cell of each [fitted](FITTED) column, and of each column
    /// of numbers with [several](CellValue::Several) in a cell, marks included, by the column's id: of
    /// all rows that have arrived.
    longest: Rc<[(&'static str, u32)]>,
    /// The number of characters of the longest instruction, with its gaps closed.
    tight: u32,
    /// The page that has arrived last, without its rows: what there is to say of all.
    pub page: Option<Rc<ListPage>>,
    /// What goes with the selection.
    pub at: Option<Rc<ListAt>>,
    /// The selection and the generation that [`at`](List::at) is for.
    at_is_for: Option<(u32, u32)>,
    /// The reading of the rest of the list was stopped.
    pub is_stopped: bool,
    /// Why there is no list.
    pub failed: Option<AttrValue>,
    /// How often a filter was taken away, and how often the place of the current row among all
    /// others was known after that.
    cleared: (u32, u32),
}

/// The columns of code and of kernels that are as wide as their longest cells.
const FITTED: [&str; 3] = ["label", "text", "name"];

/// Maximum length of a mark that a column makes room for, in characters.
const MARK: usize = 16;

/// The number of characters of a cell, with the marks that stand beside its text.
fn characters(cell: &Cell<'static>) -> u32 {
    let text = match &cell.value {
        CellValue::Text(text) => text,
        CellValue::Name {
            name,
            demangled,
            short,
        } => short.as_ref().or(demangled.as_ref()).unwrap_or(name),
        CellValue::Several(numbers) => &Cow::Owned(several(numbers)),
        _ => return 0,
    };
    // The operation of an instruction stands in its text; a symbol beside it may be long.
    let beside = cell.marks.iter().filter(|mark| !text.contains(&*mark.text));
    let marks = beside.map(|mark| mark.text.chars().count() + 2);
    let marks: usize = marks.filter(|mark| *mark <= MARK).sum();
    u32::try_from(text.chars().count() + marks).unwrap_or(u32::MAX)
}

/// The number of blanks that stay before a part of an instruction where the panel is narrow: all
/// operations still begin in one column after a mask `(W)`, or none.
pub fn kept(at: usize, blanks: usize) -> usize {
    match (at, blanks) {
        (0, 8) => 4,
        (3, 5) => 1,
        (5.., 3..) => 2,
        (_, blanks) => blanks,
    }
}

/// The number of blanks in the gaps of an instruction that can be left out.
fn closed(text: &str) -> u32 {
    let (mut sum, mut done) = (0, 0);
    while let Some(blanks) = text.get(done..).and_then(|rest| rest.find(|c| c != ' ')) {
        sum += blanks - kept(done, blanks);
        let rest = text.get(done + blanks..).unwrap_or("");
        done += blanks + rest.find(' ').unwrap_or(rest.len());
    }
    u32::try_from(sum).unwrap_or(u32::MAX)
}

/// A change of what is known.
pub enum ListChange {
    /// Other rows, or another order.
    Query(Query),
    /// Other columns.
    Columns(Option<Rc<[&'static str]>>),
    /// The rows have changed.
    Renew,
    /// The list is of something else.
    Reset,
    /// Other widths.
    Widths(Rc<[(&'static str, u32)]>),
    /// A page has arrived, for this generation.
    Page(u32, Box<ListPage>),
    /// The rest of the list is read, or not.
    Stop(bool),
    /// There is no list, for this generation.
    Failed(u32, AttrValue),
    /// This document has answered, to another question than for rows.
    Document(NodeId),
    /// What goes with a selection is on its way: for this serial.
    AtAsked(u32),
    /// What goes with a selection: for this serial and this generation.
    At(u32, u32, Option<Box<ListAt>>),
}

impl List {
    /// Nothing so far.
    pub fn new(id: ListId) -> List {
        List {
            id,
            document: None,
            query: Query::default(),
            chosen: None,
            widths: Rc::from([]),
            rows: Paged::default(),
            cells: Rc::from([]),
            longest: Rc::from([]),
            tight: 0,
            page: None,
            at: None,
            at_is_for: None,
            is_stopped: false,
            failed: None,
            cleared: (0, 0),
        }
    }

    /// Changes it.
    pub fn apply(&mut self, change: ListChange) {
        let generation = self.rows.generation;
        match change {
            ListChange::Query(query) if query != self.query => {
                if query.filter.is_empty() && !self.query.filter.is_empty() {
                    self.cleared.0 += 1;
                }
                if (query.of, query.row) == (self.query.of, self.query.row) {
                    self.rows.renew();
                } else {
                    self.reset();
                }
                if query.by != self.query.by {
                    self.longest = Rc::from([]);
                }
                self.query = query;
            }
            ListChange::Columns(chosen) if chosen != self.chosen => {
                self.chosen = chosen;
                self.rows.renew();
            }
            ListChange::Renew => self.rows.renew(),
            ListChange::Reset => self.reset(),
            ListChange::Widths(widths) => self.widths = widths,
            ListChange::Page(of, page) if of == generation => self.put(page),
            ListChange::Stop(is_stopped) => {
                self.is_stopped = is_stopped;
                if !is_stopped && self.reading().is_some() {
                    self.rows.renew();
                }
            }
            ListChange::Failed(of, why) if of == generation => {
                self.rows.fail();
                self.failed = Some(why);
            }
            ListChange::Document(document) => {
                self.document.get_or_insert(document);
            }
            ListChange::AtAsked(serial) => self.at_is_for = Some((serial, generation)),
            ListChange::At(serial, of, at) if of == generation => {
                let is_newest = self.at_is_for.is_none_or(|(newest, _)| newest <= serial);
                if is_newest {
                    self.go_with(serial, at);
                }
            }
            _ => {}
        }
    }

    /// What a list of a newer version of the file begins with: the same filter and order.
    pub fn again(&self) -> ListChange {
        ListChange::Query(Query {
            of: None,
            device: None,
            row: None,
            ..self.query.clone()
        })
    }

    /// Other rows are wanted, of something else.
    fn reset(&mut self) {
        self.rows.reset();
        self.longest = Rc::from([]);
        self.tight = 0;
        self.page = None;
        self.at = None;
        self.failed = None;
    }

    fn put(&mut self, mut page: Box<ListPage>) {
        if self.document.is_some_and(|known| known != page.document) {
            // The selection has gone to another document since.
            return self.reset();
        }
        self.document = Some(page.document);
        self.failed = None;
        let columns = page.columns.iter();
        let columns = columns.filter_map(|id| self.column(id));
        self.cells = columns.map(|column| column.id).collect();
        let rows = std::mem::take(&mut page.rows);
        if matches!(self.id, ListId::Instructions | ListId::Kernels) {
            self.measure(&rows);
        }
        self.rows.put(page.start, rows, page.found);
        // The next answer has more rows.
        if page.reading.is_some() && !self.is_stopped {
            self.rows.renew();
        }
        self.page = Some(Rc::from(page));
    }

    /// Takes note of the longest cells of the columns that are as wide as these.
    fn measure(&mut self, rows: &[Row]) {
        let measured = self.cells.iter().enumerate().filter_map(|(place, id)| {
            let is_fitted = FITTED.contains(id);
            let cells = rows.iter().filter_map(|row| row.cells.get(place));
            let cells =
                cells.filter(|cell| is_fitted || matches!(cell.value, CellValue::Several(_)));
            let longest = cells.map(characters).max();
            let longest = longest.max(self.longest(id)).or(is_fitted.then_some(0));
            Some((*id, longest?))
        });
        self.longest = measured.collect();
        if self.id == ListId::Instructions
            && let Some(place) = self.cells.iter().position(|id| *id == "text")
        {
            let cells = rows.iter().filter_map(|row| row.cells.get(place));
            let closed = cells.map(|cell| match &cell.value {
                CellValue::Text(text) => characters(cell).saturating_sub(closed(text)),
                _ => 0,
            });
            self.tight = closed.max().unwrap_or(0).max(self.tight);
        }
    }

    /// The number of characters of the longest instruction, with its [gaps](kept) closed, as far as
    /// its rows have arrived.
    pub fn tight(&self) -> u32 {
        self.tight
    }

    /// The number of characters of the longest cell of a measured column, as far as its rows have
    /// arrived.
    pub fn longest(&self, id: &str) -> Option<u32> {
        let mut longest = self.longest.iter();
        Some(longest.find(|(of, _)| *of == id)?.1)
    }

    fn go_with(&mut self, serial: u32, at: Option<Box<ListAt>>) {
        if let Some(at) = at {
            let same = self.document.is_none_or(|known| known == at.document);
            if !same || self.failed.is_some() || self.query.of != at.of {
                self.reset();
                self.query.of = at.of;
            }
            self.document = Some(at.document);
            self.at = Some(Rc::from(at));
        } else if self.id == ListId::Instructions {
            // The code of another part would be taken for that of the selection.
            self.reset();
            self.document = None;
            self.query.of = None;
        }
        self.cleared.1 = self.cleared.0;
        // Where no document has such a list, the one from before stays.
        self.at_is_for = Some((serial, self.rows.generation));
    }

    /// Does [`at`](List::at) go with this selection and the rows as they are wanted now?
    pub fn goes_with(&self, serial: u32) -> bool {
        self.at_is_for == Some((serial, self.rows.generation))
    }

    /// Another number each time that the current row is to be brought into view because all rows
    /// are shown again.
    pub fn returns(&self) -> u32 {
        self.cleared.1
    }

    /// The current row.
    pub fn current(&self) -> Option<&ListPlace> {
        self.at.as_ref()?.place.as_ref()
    }

    /// The place of the current row among those that the query finds.
    pub fn place(&self) -> Option<u64> {
        self.current()?.place
    }

    /// The entry of the current row, where it stays the current one until another is selected.
    pub fn staying(&self) -> Option<Span> {
        use ListId::{Kernels, Relocations, SourceLines, Symbols};
        let stays = matches!(self.id, Kernels | Relocations | Symbols | SourceLines);
        self.current().filter(|_| stays).map(|place| place.entry)
    }

    /// All of the current row.
    pub fn detail(&self) -> &Detail {
        self.current()
            .map_or(&Detail::None, |place| &place.about.detail)
    }

    /// The columns that are shown.
    pub fn shown(&self) -> Vec<&'static Column> {
        match &self.chosen {
            Some(ids) => ids.iter().filter_map(|id| self.column(id)).collect(),
            // A list of several documents has more.
            None if self.page.is_some() => {
                let cells = self.cells.iter();
                cells.filter_map(|id| self.column(id)).collect()
            }
            None => self.id.default_columns().collect(),
        }
    }

    /// A column.
    pub fn column(&self, id: &str) -> Option<&'static Column> {
        self.id.columns().iter().find(|column| column.id == id)
    }

    /// The columns with one more, or one less; the first always stays. One more comes after the
    /// one that is before it in the order of all.
    pub fn toggled(&self, id: &str) -> Rc<[&'static str]> {
        let mut shown: Vec<&'static str> = self.shown().iter().map(|column| column.id).collect();
        let all = self.id.columns();
        let (Some(column), Some(first)) = (self.column(id), all.first()) else {
            return shown.into();
        };
        match shown.iter().position(|other| *other == id) {
            Some(_) if id == first.id => {}
            Some(place) => {
                shown.remove(place);
            }
            None => {
                let before = all.iter().take_while(|other| other.id != id);
                let place = before
                    .filter_map(|other| shown.iter().position(|id| *id == other.id))
                    .last();
                shown.insert(place.map_or(1, |place| place + 1), column.id);
            }
        }
        shown.into()
    }

    /// The columns with one of them in another place; the first always stays.
    pub fn moved(&self, id: &str, to: usize) -> Rc<[&'static str]> {
        let mut shown: Vec<&'static str> = self.shown().iter().map(|column| column.id).collect();
        let place = shown.iter().position(|other| *other == id);
        if let Some(place) = place.filter(|place| *place > 0) {
            let id = shown.remove(place);
            shown.insert(to.clamp(1, shown.len()), id);
        }
        shown.into()
    }

    /// The place of a column among those that are shown, from 0.
    pub fn column_place(&self, id: &str) -> Option<usize> {
        self.shown().iter().position(|column| column.id == id)
    }

    /// The width of a column in pixels, if it was chosen.
    pub fn width(&self, id: &str) -> Option<u32> {
        let mut widths = self.widths.iter();
        Some(widths.find(|(of, _)| *of == id)?.1)
    }

    /// A cell of a row. Returns `None` if it is not here: rows stay when others are wanted, and
    /// may have other columns.
    pub fn cell<'a>(&self, row: &'a Row, column: &Column) -> Option<&'a Cell<'static>> {
        let place = self.cells.iter().position(|id| *id == column.id)?;
        row.cells.get(place)
    }

    /// The query after a press on a column's header: numbers first with the largest on top,
    /// text from A; then the other way round, then in the order of the file.
    pub fn sorted_by(&self, column: &Column) -> Query {
        let first = column.kind != ColumnKind::Text;
        let is_sorted = self.query.sort.as_deref() == Some(column.id);
        let (sort, descending) = match (is_sorted, self.query.descending == first) {
            (false, _) => (Some(column.id.into()), first),
            (true, true) => (Some(column.id.into()), !first),
            (true, false) => (None, false),
        };
        Query {
            sort,
            descending,
            ..self.query.clone()
        }
    }

    /// How far the reading of the list is; `None` if all of it is here.
    pub fn reading(&self) -> Option<Progress> {
        self.page.as_ref()?.reading
    }

    /// The largest number of a column.
    pub fn maximum(&self, id: &str) -> f64 {
        let maxima = self.page.as_ref().map(|page| &page.maxima);
        let found = maxima.and_then(|maxima| maxima.iter().find(|(of, _)| of == id));
        found.map_or(0.0, |(_, largest)| *largest)
    }
}

/// The bytes of a line that are in its cell, and their text.
fn shown(line: &Row) -> Option<(Span, &str)> {
    let cell = line.cells.last()?;
    let CellValue::Text(text) = &cell.value else {
        return None;
    };
    Some((cell.span.unwrap_or(line.entry.subspan(0, 0)), text))
}

/// The text of a line that is in its cell.
pub fn text(line: &Row) -> &str {
    shown(line).map_or("", |(_, text)| text)
}

/// What of a long line is not in its cell.
pub fn rest(line: &Row) -> Option<Span> {
    let (shown, _) = shown(line)?;
    let rest = line.entry.skip(shown.len());
    (!rest.is_empty()).then_some(rest)
}

/// The bytes of a line without the blanks around them.
pub fn trimmed(line: &Row) -> Span {
    let blank = [' ', '\t'];
    let Some((shown, text)) = shown(line) else {
        return line.entry;
    };
    let start = (text.len() - text.trim_start_matches(blank).len()) as u64;
    // What is not shown has no blanks to take away.
    let end = if shown == line.entry {
        (text.len() - text.trim_end_matches(blank).len()) as u64
    } else {
        0
    };
    match line.entry.len().saturating_sub(start + end) {
        0 => line.entry,
        len => line.entry.subspan(start, len),
    }
}

/// A line's text before, in, and behind some bytes. Returns `None` if they are not in it, or if
/// its text is not as the bytes are.
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
mod tests;
