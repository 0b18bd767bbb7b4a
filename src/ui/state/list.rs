//! State of a list, independent of the browser.

use std::borrow::Cow;
use std::rc::Rc;

use yew::AttrValue;

use super::code_rows::{CodeRows, CodeRowsChange};
use super::paged::Paged;
use crate::model::{NodeId, Span};
use crate::tables::query::{GroupBy, Query, RowOptions};
use crate::tables::{Cell, CellValue, Column, ColumnKind, Detail, Fit, ListId, Row, Scope, Shape};
use crate::ui::text::format::several;
use crate::worker::protocol::{ListAt, ListPage, ListPlace, ListReading};

/// A list of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// The kind of list.
    pub id: ListId,
    /// The opened file, or a document in it; `None` before the first response.
    pub document: Option<NodeId>,
    /// Whether it is of this document since before the decoder was started again, and not all of its
    /// rows are read yet: that of the selection may be among them.
    is_restored: bool,
    /// Filter, order and grouping of the rows.
    pub query: Query,
    /// Ids of the chosen columns; `None`: the default ones.
    pub chosen: Option<Rc<[&'static str]>>,
    /// Chosen column widths in pixels, by column id.
    pub widths: Rc<[(&'static str, u32)]>,
    /// Of code, what its rows have besides.
    pub code: Option<CodeRows>,
    /// The rows.
    pub rows: Paged<Row>,
    /// Columns of the rows.
    cells: Rc<[&'static str]>,
    /// Length, in characters and including marks, of the longest cell so far of each
    /// [fitted](crate::tables::Fit) column and of each numeric column with [several](CellValue::Several) values
    /// in a cell, by column id.
    longest: Rc<[(&'static str, u32)]>,
    /// Lengths, in characters, of the longest arguments so far by family and position.
    arguments: Vec<(String, Vec<usize>)>,
    /// The latest page without its rows: totals and headings.
    pub page: Option<Rc<ListPage>>,
    /// The list row of the selection.
    pub at: Option<Rc<ListAt>>,
    /// The selection and the generation that [`at`](List::at) is valid for.
    at_is_for: Option<(u32, u32)>,
    /// The latest selection whose row is known.
    answered: Option<u32>,
    /// The user stopped the reading of the list.
    pub is_stopped: bool,
    /// Why there is no list.
    pub failed: Option<AttrValue>,
    /// Number of times that a filter was cleared and the current row's position in the full list
    /// became known.
    cleared: (u32, u32),
}

/// Maximum length of a mark that a column makes room for, in characters.
const MARK: usize = 16;

/// Length of a cell in characters, including the marks beside its text.
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
    // The opcode is part of the instruction's text; a symbol beside it may be long.
    let beside = cell.marks.iter().filter(|mark| !text.contains(&*mark.text));
    let marks = beside.map(|mark| mark.text.chars().count() + 3);
    let marks: usize = marks.filter(|mark| *mark <= MARK).sum();
    u32::try_from(text.chars().count() + marks).unwrap_or(u32::MAX)
}

/// A change of this state.
pub enum ListChange {
    /// A change of what only code has.
    Code(CodeRowsChange),
    /// A new filter, order or grouping.
    Query(Query),
    /// A new set of columns.
    Columns(Option<Rc<[&'static str]>>),
    /// The rows have changed.
    Renew,
    /// The rows are requested although that failed before.
    Again,
    /// The list shows another document.
    Reset,
    /// New column widths.
    Widths(Rc<[(&'static str, u32)]>),
    /// A page has arrived for this generation.
    Page(u32, Box<ListPage>),
    /// The reading of the list was resumed or stopped.
    Stop(bool),
    /// There is no list, for this generation.
    Failed(u32, AttrValue),
    /// This document has answered a request other than for rows.
    Document(NodeId),
    /// The document that it was of before the decoder was started again.
    Restored(NodeId),
    /// The row of a selection was requested: its serial.
    AtAsked(u32),
    /// The row of a selection: its serial and generation.
    At(u32, u32, Option<Box<ListAt>>),
}

/// The grouping of a list's rows while nobody chose another: equal builds of a kernel are one row.
pub fn initial_grouping(list: ListId) -> Option<GroupBy> {
    (list == ListId::Kernels).then_some(GroupBy::Figures)
}

impl List {
    /// An empty list.
    pub fn new(id: ListId) -> List {
        List {
            id,
            document: None,
            is_restored: false,
            query: Query {
                options: RowOptions::grouped(initial_grouping(id)),
                ..Query::default()
            },
            chosen: None,
            widths: Rc::from([]),
            code: (id.declaration().shape == Shape::Code).then(CodeRows::default),
            rows: Paged::default(),
            cells: Rc::from([]),
            longest: Rc::from([]),
            arguments: Vec::new(),
            page: None,
            at: None,
            at_is_for: None,
            answered: None,
            is_stopped: false,
            failed: None,
            cleared: (0, 0),
        }
    }

    /// Applies a change.
    pub fn apply(&mut self, change: ListChange) {
        let generation = self.rows.generation;
        match change {
            ListChange::Code(change) => {
                if let Some(code) = &mut self.code {
                    code.apply(change);
                }
            }
            ListChange::Query(query) if query != self.query => {
                if query.filter.is_empty() && !self.query.filter.is_empty() {
                    self.cleared.0 += 1;
                }
                let before = &self.query;
                if (query.of, query.difference()) != (before.of, before.difference()) {
                    self.reset();
                } else if query.options.has_same_rows(&before.options) {
                    self.rows.renew();
                } else {
                    // The rows so far say something else.
                    self.rows.forget();
                }
                if query.by() != self.query.by() {
                    self.longest = Rc::from([]);
                }
                self.query = query;
            }
            ListChange::Columns(chosen) if chosen != self.chosen => {
                self.chosen = chosen;
                self.rows.renew();
            }
            ListChange::Renew => self.rows.renew(),
            ListChange::Again => {
                self.failed = None;
                self.rows.renew();
            }
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
            ListChange::Restored(document) => {
                self.document = Some(document);
                self.is_restored = true;
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

    /// The initial list of a file's newer version: with the same filter and order.
    pub fn for_new_version(&self) -> ListChange {
        ListChange::Query(Query {
            of: None,
            options: RowOptions::grouped(self.query.by()),
            ..self.query.clone()
        })
    }

    /// Whether it has a filter or an order.
    pub fn is_queried(&self) -> bool {
        !self.query.filter.is_empty() || self.query.sort.is_some()
    }

    /// Invalidates the rows for a list of another document.
    fn reset(&mut self) {
        self.rows.reset();
        self.longest = Rc::from([]);
        self.arguments = Vec::new();
        self.page = None;
        self.at = None;
        self.failed = None;
    }

    fn put(&mut self, mut page: Box<ListPage>) {
        if self.document.is_some_and(|known| known != page.document) {
            // The selection is in another document by now.
            return self.reset();
        }
        self.document = Some(page.document);
        self.failed = None;
        let columns = page.columns.iter();
        let columns = columns.filter_map(|id| self.column(id));
        self.cells = columns.map(|column| column.id).collect();
        let rows = std::mem::take(&mut page.rows);
        if let Some(fit) = &self.id.declaration().fit {
            self.measure(fit, &rows);
        }
        self.measure_arguments(&rows);
        self.rows.put(page.start, rows, page.found);
        // The next response has more rows.
        if page.reading.is_some() && !self.is_stopped {
            self.rows.renew();
        }
        self.page = Some(Rc::from(page));
    }

    /// Records the longest cells of the columns with a measured width.
    fn measure(&mut self, fit: &Fit, rows: &[Row]) {
        let measured = self.cells.iter().enumerate().filter_map(|(place, id)| {
            let is_fitted = fit.columns.contains(id);
            let cells = rows.iter().filter_map(|row| row.cells.get(place));
            let cells =
                cells.filter(|cell| is_fitted || matches!(cell.value, CellValue::Several(_)));
            let longest = cells.map(characters).max();
            let longest = longest.max(self.longest(id)).or(is_fitted.then_some(0));
            Some((*id, longest?))
        });
        self.longest = measured.collect();
    }

    /// Records the longest arguments of each family.
    fn measure_arguments(&mut self, rows: &[Row]) {
        let place = |id: &str| self.cells.iter().position(|of| *of == id);
        let Some((family, arguments)) = place("family").zip(place("arguments")) else {
            return;
        };
        for row in rows {
            let (Some(family), Some(arguments)) = (row.cells.get(family), row.cells.get(arguments))
            else {
                continue;
            };
            let CellValue::Words(words) = &arguments.value else {
                continue;
            };
            let family = family.value.title();
            let known = self.arguments.iter().position(|(of, _)| *of == family);
            let at = known.unwrap_or_else(|| {
                self.arguments.push((family.into_owned(), Vec::new()));
                self.arguments.len() - 1
            });
            let (_, widths) = &mut self.arguments[at];
            widths.resize(widths.len().max(words.len()), 0);
            for (width, word) in widths.iter_mut().zip(words) {
                *width = (*width).max(word.chars().count());
            }
        }
    }

    /// Lengths, in characters, of the longest loaded arguments of a family by position.
    pub fn argument_widths(&self, family: &str) -> Option<&[usize]> {
        let mut families = self.arguments.iter();
        Some(&families.find(|(of, _)| of == family)?.1)
    }

    /// Length of the longest loaded cell of a measured column, in characters.
    pub fn longest(&self, id: &str) -> Option<u32> {
        let mut longest = self.longest.iter();
        Some(longest.find(|(of, _)| *of == id)?.1)
    }

    fn go_with(&mut self, serial: u32, at: Option<Box<ListAt>>) {
        let is_same = |at: &ListAt| self.document.is_none_or(|known| known == at.document);
        let is_early = |at: &ListAt| self.is_restored && !is_same(at);
        if at.as_deref().is_some_and(is_early) {
            self.at = None;
        } else if let Some(at) = at {
            let same = is_same(&at);
            if !same || self.failed.is_some() || self.query.of != at.of {
                self.reset();
                self.query.of = at.of;
            }
            if self.query.folded() != at.folded {
                self.query.fold(at.folded.clone());
                self.rows.renew();
            }
            self.document = Some(at.document);
            self.at = Some(Rc::from(at));
        } else if self.id.declaration().scope == Scope::Code {
            // Another section's code would be mistaken for that of the selection.
            self.reset();
            self.document = None;
            self.query.of = None;
        }
        self.cleared.1 = self.cleared.0;
        self.answered = Some(serial);
        // If no document has such a list, the previous one stays.
        self.at_is_for = Some((serial, self.rows.generation));
    }

    /// Whether the document and the row of this selection are not known yet: those of an earlier one
    /// are shown.
    pub(super) fn awaits_row(&self, serial: u32) -> bool {
        self.answered != Some(serial)
    }

    /// Whether [`at`](List::at) is valid for this selection and the current query.
    pub fn is_current_for(&self, serial: u32) -> bool {
        self.at_is_for == Some((serial, self.rows.generation))
    }

    /// Changes whenever the current row must be scrolled into view because the filter was cleared.
    pub fn returns(&self) -> u32 {
        self.cleared.1
    }

    /// The current row.
    pub fn current(&self) -> Option<&ListPlace> {
        self.at.as_ref()?.place.as_ref()
    }

    /// Position of the current row among those that match the query.
    pub fn place(&self) -> Option<u64> {
        self.current()?.place
    }

    /// Entry of the current row, where it stays current until another is selected.
    pub fn pinned(&self) -> Option<Span> {
        let stays = self.id.declaration().stays;
        self.current().filter(|_| stays).map(|place| place.entry)
    }

    /// Details of the current row.
    pub fn detail(&self) -> &Detail {
        self.current()
            .map_or(&Detail::None, |place| &place.about.detail)
    }

    /// The visible columns.
    pub fn shown(&self) -> Vec<&'static Column> {
        match &self.chosen {
            Some(ids) => ids.iter().filter_map(|id| self.column(id)).collect(),
            // A list of several documents has more columns.
            None if self.page.is_some() => {
                let ids = self.cells.to_vec();
                let ids = match &self.code {
                    Some(code) => code.columns(ids),
                    None => ids,
                };
                ids.into_iter().filter_map(|id| self.column(id)).collect()
            }
            None => self.id.page_columns(),
        }
    }

    /// The column with an id.
    pub fn column(&self, id: &str) -> Option<&'static Column> {
        self.id.columns().iter().find(|column| column.id == id)
    }

    /// The column ids after showing or hiding one; the first always stays. A shown column is
    /// inserted after its predecessor in the default order.
    pub fn toggled(&self, id: &str) -> Rc<[&'static str]> {
        let mut shown: Vec<&'static str> = self.shown().iter().map(|column| column.id).collect();
        let all = self.id.columns();
        let Some(column) = self.column(id) else {
            return shown.into();
        };
        match shown.iter().position(|other| *other == id) {
            Some(0) => {}
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

    /// The columns after moving one; the first always stays.
    pub fn moved(&self, id: &str, to: usize) -> Rc<[&'static str]> {
        let mut shown: Vec<&'static str> = self.shown().iter().map(|column| column.id).collect();
        let place = shown.iter().position(|other| *other == id);
        if let Some(place) = place.filter(|place| *place > 0) {
            let id = shown.remove(place);
            shown.insert(to.clamp(1, shown.len()), id);
        }
        shown.into()
    }

    /// Zero-based position of a column among the visible ones.
    pub fn column_place(&self, id: &str) -> Option<usize> {
        self.shown().iter().position(|column| column.id == id)
    }

    /// The chosen width of a column in pixels.
    pub fn width(&self, id: &str) -> Option<u32> {
        let mut widths = self.widths.iter();
        Some(widths.find(|(of, _)| *of == id)?.1)
    }

    /// A cell of a row. Returns `None` if it is not loaded: after a new query the previous rows
    /// remain, and may have other columns.
    pub fn cell<'a>(&self, row: &'a Row, column: &Column) -> Option<&'a Cell<'static>> {
        let place = self.cells.iter().position(|id| *id == column.id)?;
        row.cells.get(place)
    }

    /// The query after a click on a column header: numbers descending or text ascending, then
    /// reversed, then in file order.
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

    /// Reading progress of the list; `None` if it is complete.
    pub fn reading(&self) -> Option<&ListReading> {
        self.page.as_ref()?.reading.as_ref()
    }

    /// The largest number of a column.
    pub fn maximum(&self, id: &str) -> f64 {
        let maxima = self.page.as_ref().map(|page| &page.maxima);
        let found = maxima.and_then(|maxima| maxima.iter().find(|(of, _)| of == id));
        found.map_or(0.0, |(_, largest)| *largest)
    }
}

/// The bytes of a line that its cell shows, and their text.
fn shown(line: &Row) -> Option<(Span, &str)> {
    let cell = line.cells.last()?;
    let CellValue::Text(text) = &cell.value else {
        return None;
    };
    Some((cell.span.unwrap_or(line.entry.subspan(0, 0)), text))
}

/// The text of a line that its cell shows.
pub fn text(line: &Row) -> &str {
    shown(line).map_or("", |(_, text)| text)
}

/// The part of a long line that its cell does not show.
pub fn rest(line: &Row) -> Option<Span> {
    let (shown, _) = shown(line)?;
    let rest = line.entry.skip(shown.len());
    (!rest.is_empty()).then_some(rest)
}

/// The bytes of a line without surrounding blanks.
pub fn trimmed(line: &Row) -> Span {
    let blank = [' ', '\t'];
    let Some((shown, text)) = shown(line) else {
        return line.entry;
    };
    let start = (text.len() - text.trim_start_matches(blank).len()) as u64;
    // A truncated end has no blanks to trim.
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

/// The text of a line before, in and after a byte range. Returns `None` if the range is outside of
/// it or its text differs from the bytes.
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
