//! The details of one difference, both files side by side: measures, values, instructions.

use crate::diff;
use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{Cell, CellValue, Declaration, List, ListId, Opens, Scope, Shape, Words, columns};
use crate::diff::Base;
use crate::diff::listing::{Row, rows};
use crate::diff::measure::{unit, value_text};
use crate::diff::{Entry, Field, Measure, Preference, Side};
use zeview_core::analysis::assembly::Listing;
use zeview_core::analysis::figure::Figure;
use zeview_core::model::{Document, NodeId, Sources, Span, Tone};

/// Number of equal instructions shown around different ones.
const CONTEXT: u32 = 3;

type RowRef<'a> = (&'a ChangeList, ChangeRow);

columns! {
    /// The columns.
    pub COLUMNS
    "change" Text Default 8 "Change" "" "Added, removed, or changed; empty if it is the same in both files."
        |(list, row), _| Cell::text(list.change(row));
    "key" Text Default 26 "What" "" "The key of the value in the format, or the offset of the instruction in the second file."
        |(list, row), sources| list.key_cell(row, sources);
    "from" Text Default 32 "From" "" "The value or instruction in the first file."
        |(list, row), _| list.from(row);
    "to" Text Default 32 "To" "" "The value or instruction in the second file."
        |(list, row), sources| list.to(row, sources);
    "from_offset" Number Optional 8 "From" "offset" "The offset of the value in the first file, or of the instruction in its code."
        |(list, row), _| list.offset(list.from(row).base, row, true);
    "to_offset" Number Optional 8 "To" "offset" "The offset of the value in the second file, or of the instruction in its code."
        |(list, row), sources| list.offset(list.to(row, sources).span, row, false);
}

/// The content of a row.
#[derive(Clone, Copy)]
enum ChangeRow {
    /// A measure of a kernel.
    Measure(usize),
    /// A value.
    Field(usize),
    /// Instructions, by the index of their row in [`ChangeList::code`].
    Code(usize),
}

struct ChangeList {
    base: Base,
    /// The index of the difference.
    at: usize,
    /// The measures that are not among the values.
    measures: Vec<usize>,
    /// The listings in both files.
    listings: Option<(Rc<dyn Listing>, Rc<dyn Listing>)>,
    code: Vec<Row>,
    whole: Span,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Difference,
    shape: Shape::Sides,
    opens: Opens::OtherFile,
    ..Declaration::table(
        ListId::Changes,
        "changes",
        || COLUMNS,
        Words {
            title: "Difference",
            one: "row",
            many: "rows",
            hint: "Text, or change=added",
            none: "No values differ.",
        },
    )
};

pub(super) use super::differences::is_in;

/// Reads the details of the difference that the query names; with `all`, all equal instructions.
pub(super) fn read(document: &mut Document, _: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    let base = diff::base(document)?.clone();
    let whole = document.root().span?;
    let at = usize::try_from(query.difference()?).ok()?;
    let entry = base.comparison.entries.get(at)?;
    let is_field = |measure: &Measure| entry.fields.iter().any(|field| field.key == measure.key);
    let measures = entry.measures.iter().enumerate();
    let measures = measures.filter(|(_, measure)| !is_field(measure));
    let measures = measures.map(|(place, _)| place).collect();
    let (mut listings, mut code) = (None, Vec::new());
    if let Some(change) = &entry.code {
        let one = diff::listing_of(&mut base.document.borrow_mut(), change.a);
        listings = one.zip(diff::listing_of(document, change.b));
        if listings.is_some() && (query.all || !change.equal) {
            code = rows(change, (!query.all).then_some(CONTEXT));
        }
    }
    Some(Rc::new(ChangeList {
        at,
        measures,
        listings,
        code,
        whole,
        base,
    }))
}

impl ChangeList {
    fn difference(&self) -> Option<&Entry> {
        self.base.comparison.entries.get(self.at)
    }

    fn row(&self, row: u32) -> Option<ChangeRow> {
        let row = usize::try_from(row).ok()?;
        let fields = self.difference()?.fields.len();
        if let Some(place) = self.measures.get(row) {
            return Some(ChangeRow::Measure(*place));
        }
        let row = row.checked_sub(self.measures.len())?;
        if row < fields {
            return Some(ChangeRow::Field(row));
        }
        let row = row - fields;
        (row < self.code.len()).then_some(ChangeRow::Code(row))
    }

    fn measure(&self, place: usize) -> Option<&Measure> {
        self.difference()?.measures.get(place)
    }

    fn field(&self, place: usize) -> Option<&Field> {
        self.difference()?.fields.get(place)
    }

    fn change(&self, row: ChangeRow) -> &'static str {
        let words = |from, to| match (from, to) {
            (true, true) => "changed",
            (true, false) => "removed",
            (false, true) => "added",
            (false, false) => "",
        };
        match row {
            ChangeRow::Measure(place) => self
                .measure(place)
                .map_or("", |m| words(m.from.is_some(), m.to.is_some())),
            ChangeRow::Field(place) => self
                .field(place)
                .map_or("", |f| words(f.from.is_some(), f.to.is_some())),
            ChangeRow::Code(place) => match self.code.get(place) {
                Some(Row::Differs(a, b)) => words(a.is_some(), b.is_some()),
                _ => "",
            },
        }
    }

    fn key_cell(&self, row: ChangeRow, sources: &Sources) -> Cell<'_> {
        let judged = |cell: Cell<'static>, measure: Option<&Measure>| match measure
            .map(|m| m.better)
        {
            Some(Preference::Worse) => cell.mark(Tone::Bad, "worse", "Worse in the second file"),
            Some(Preference::Better) => {
                cell.mark(Tone::Good, "better", "Better in the second file")
            }
            _ => cell,
        };
        match row {
            ChangeRow::Measure(place) => {
                let measure = self.measure(place);
                let key = measure.map_or("", |measure| &measure.key);
                let unit = unit(key);
                let mut text = if unit.is_empty() {
                    key.to_owned()
                } else {
                    format!("{key}, {unit}")
                };
                if let Some((from, to)) = measure.and_then(Measure::per_lane) {
                    text.push_str(&format!(" ({from:.1} → {to:.1} per lane)"));
                }
                judged(Cell::text(text), measure)
            }
            ChangeRow::Field(place) => {
                let field = self.field(place);
                let measures = self.difference().map_or(&[][..], |entry| &entry.measures);
                let of = |measure: &&Measure| field.is_some_and(|field| field.key == measure.key);
                let path = field.map_or_else(String::new, |field| field.path.clone());
                let to = field.and_then(|field| field.to.as_ref()?.span);
                judged(Cell::text(path), measures.iter().find(of)).at(to)
            }
            ChangeRow::Code(place) => match self.code.get(place) {
                Some(Row::Folded(count)) => {
                    Cell::text(format!("{count} instructions are the same"))
                }
                _ => {
                    let to = self.to(row, sources).span;
                    self.offset(to, row, false).at(to)
                }
            },
        }
    }

    fn from(&self, row: ChangeRow) -> Cell<'_> {
        match row {
            ChangeRow::Measure(place) => number(self.measure(place).and_then(|m| m.from)),
            ChangeRow::Field(place) => {
                let side = self.field(place).and_then(|field| field.from.as_ref());
                side_cell(side).in_base(side.and_then(|side| side.span))
            }
            ChangeRow::Code(place) => {
                let at = match self.code.get(place) {
                    Some(Row::Same(a, _) | Row::Differs(Some(a), _)) => *a,
                    _ => return Cell::empty(),
                };
                let base = self.base.document.borrow();
                let listing = self.listings.as_ref().map(|(one, _)| one);
                let mut cell = instruction(listing, at, &base.sources);
                cell.base = cell.span.take();
                cell
            }
        }
    }

    fn to(&self, row: ChangeRow, sources: &Sources) -> Cell<'_> {
        match row {
            ChangeRow::Measure(place) => number(self.measure(place).and_then(|m| m.to)),
            ChangeRow::Field(place) => {
                let side = self.field(place).and_then(|field| field.to.as_ref());
                side_cell(side).at(side.and_then(|side| side.span))
            }
            ChangeRow::Code(place) => {
                let at = match self.code.get(place) {
                    Some(Row::Same(_, b) | Row::Differs(_, Some(b))) => *b,
                    _ => return Cell::empty(),
                };
                let listing = self.listings.as_ref().map(|(_, other)| other);
                instruction(listing, at, sources)
            }
        }
    }

    /// Returns the offset of some bytes: in the code, or in the file.
    fn offset(&self, span: Option<Span>, row: ChangeRow, is_first: bool) -> Cell<'static> {
        let Some(span) = span else {
            return Cell::empty();
        };
        let code = match (&self.listings, row) {
            (Some((one, other)), ChangeRow::Code(_)) => {
                if is_first { one } else { other }.code().start
            }
            _ => 0,
        };
        Cell::new(CellValue::Hex(span.start.saturating_sub(code)))
    }
}

fn number(value: Option<Figure<i128>>) -> Cell<'static> {
    value.map_or_else(Cell::empty, |_| Cell::text(value_text(value)))
}

fn side_cell(side: Option<&Side>) -> Cell<'_> {
    side.map_or_else(Cell::empty, |side| Cell::text(side.value.text()))
}

fn instruction(listing: Option<&Rc<dyn Listing>>, row: u32, sources: &Sources) -> Cell<'static> {
    let line = listing.and_then(|listing| listing.line(row, sources));
    let span = listing.and_then(|listing| listing.span(row, sources));
    let text = line.map_or_else(String::new, |line| line.text.clone());
    Cell::text(text).at(span)
}

impl List for ChangeList {
    fn id(&self) -> ListId {
        ListId::Changes
    }

    fn count(&self) -> u32 {
        let fields = self.difference().map_or(0, |entry| entry.fields.len());
        let count = self.measures.len() + fields + self.code.len();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.row(row)) {
            (Some(cell), Some(row)) => cell((self, row), sources),
            _ => Cell::empty(),
        }
    }

    /// Rows of the first file only get the bytes of the difference in the second file.
    fn entry(&self, row: u32, sources: &Sources) -> Option<Span> {
        let row = self.row(row)?;
        let around = self.difference().and_then(|entry| entry.b);
        let to = self.to(row, sources).span;
        Some(to.or(around).unwrap_or(self.whole))
    }

    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let holds = |row: &u32| {
            let to = self.row(*row).map(|row| self.to(row, sources));
            to.and_then(|to| to.span)
                .is_some_and(|to| to.contains(span))
        };
        // Avoids formatting all instructions.
        let before = self
            .count()
            .saturating_sub(u32::try_from(self.code.len()).unwrap_or(u32::MAX));
        let found = (0..before).find(holds).or_else(|| {
            let (_, listing) = self.listings.as_ref()?;
            let code = listing.code();
            let at = code
                .contains(span)
                .then(|| listing.row_at(span.start, sources))??;
            let is = |row: &Row| match row {
                Row::Same(_, b) | Row::Differs(_, Some(b)) => *b == at,
                _ => false,
            };
            let place = self.code.iter().position(is)?;
            before.checked_add(u32::try_from(place).ok()?)
        });
        found.map(|row| row..row.saturating_add(1))
    }

    fn subject(&self) -> String {
        let entry = self.difference();
        entry.map_or_else(String::new, |entry| entry.title().to_owned())
    }
}
