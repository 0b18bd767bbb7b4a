//! The differences between a document and the file it is compared with: a row for each kernel,
//! section, symbol ….

use crate::diff;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{Cell, CellValue, Column, Declaration, List, ListId, Scope, Shape, Words, columns};
use crate::diff::measure::value_text;
use crate::diff::{Change, Comparison, Entry, Measure, Pair, Part, Preference, Side};
use zeview_analysis::naming::ShortNames;
use zeview_core::model::{Document, NodeId, Sources, Span, Tone};

type RowRef<'a> = (&'a Comparison, &'a Entry);

columns! {
    /// The columns.
    pub COLUMNS
    "name" Text Default 28 "Name" "" "The name; for renamed items, the name in the first file."
        |(_, entry), _| Cell::new(CellValue::Name {
            name: entry.name.as_str().into(),
            demangled: entry.demangled.as_deref().map(Into::into),
            short: None,
        })
        .at(entry.b)
        .in_base(entry.a);
    "change" Text Default 9 "Change" "" "Added, removed, renamed, or changed."
        |(_, entry), _| Cell::text(entry.change.name()).at(entry.b);
    "part" Text Default 10 "Kind" "" "The kind of item: a kernel, a section, a property …"
        |(_, entry), _| Cell::text(entry.part.singular()).at(entry.b);
    "device" Text Default 10 "Device" "" "The device of a kernel in a library or package; SPIR-V is compiled at run time."
        |(_, entry), _| Cell::text(entry.device.as_deref().unwrap_or_default()).at(entry.b);
    "measures" Words Default 44 "From → to" "" "The numbers of a kernel that differ, those that matter most first; else the first value that differs."
        |(_, entry), _| measures(entry).at(entry.b);
    "fields" Number Default 4 "Values" "" "The number of values that differ; for added or removed items, of all values."
        |(_, entry), _| Cell::count(entry.fields.len() as u64);
    "instructions_added" Number Default 5 "Instr." "added" "The number of instructions that are only in the second file."
        |(_, entry), _| entry.code.as_ref().map_or_else(Cell::empty, |code| Cell::count(code.added));
    "instructions_removed" Number Default 7 "Instr." "removed" "The number of instructions that are only in the first file."
        |(_, entry), _| entry.code.as_ref().map_or_else(Cell::empty, |code| Cell::count(code.removed));
    "new_name" Text Optional 24 "New name" "" "The name in the second file, if it differs."
        |(_, entry), _| Cell::text(entry.new_name.as_deref().unwrap_or_default()).at(entry.b);
    "document" Text Several 24 "In" "" "The part of the file that it belongs to: an image, a module."
        |(comparison, entry), _| Cell::text(pair(comparison, entry).map_or("", |pair| &pair.to_path));
    "assessed" Text Optional 8 "Assessed" "" "Whether a number is worse in the second file, or else better."
        |(_, entry), _| Cell::text(assessment(entry));
    "worse" Words Optional 18 "Worse" "" "The numbers that are worse in the second file."
        |(_, entry), _| Cell::words(assessed(entry, Preference::Worse));
    "better" Words Optional 18 "Better" "" "The numbers that are better in the second file."
        |(_, entry), _| Cell::words(assessed(entry, Preference::Better));
}

fn pair<'a>(comparison: &'a Comparison, entry: &Entry) -> Option<&'a Pair> {
    comparison.pair(entry)
}

fn assessed(entry: &Entry, better: Preference) -> impl Iterator<Item = &str> {
    let measures = entry.measures.iter();
    let measures = measures.filter(move |measure| has_two_sides(entry) && measure.better == better);
    measures.map(|measure| &*measure.key)
}

/// Returns `worse` if a measure is worse, else `better` if one is better.
fn assessment(entry: &Entry) -> &'static str {
    let preferences = [Preference::Worse, Preference::Better];
    let found = preferences
        .into_iter()
        .find(|preference| assessed(entry, *preference).next().is_some());
    found.map_or("", Preference::name)
}

/// Whether there are two versions to compare: not for added or removed items.
fn has_two_sides(entry: &Entry) -> bool {
    matches!(entry.change, Change::Changed | Change::Renamed)
}

fn measures(entry: &Entry) -> Cell<'_> {
    let words = |measure: &Measure| {
        let (from, to) = (value_text(measure.from), value_text(measure.to));
        match measure.per_lane() {
            Some((of_a, of_b)) => format!(
                "{} {from} → {to} ({of_a:.1} → {of_b:.1} per lane)",
                measure.key
            ),
            None => format!("{} {from} → {to}", measure.key),
        }
    };
    if !has_two_sides(entry) {
        return Cell::empty();
    }
    let mut cell = match (entry.measures.is_empty(), entry.fields.first()) {
        (true, Some(field)) => {
            let text = |side: &Option<Side>| {
                side.as_ref()
                    .map_or_else(|| "–".to_owned(), |side| side.value.text())
            };
            let (from, to) = (text(&field.from), text(&field.to));
            Cell::words([format!("{} {from} → {to}", field.key)].into_iter())
        }
        _ => Cell::words(entry.measures.iter().map(words)),
    };
    let first = |better| assessed(entry, better).next();
    if let Some(key) = first(Preference::Worse) {
        let doc = format!("{key} is worse in the second file");
        cell = cell.mark(Tone::Bad, "worse", doc);
    }
    if let Some(key) = first(Preference::Better) {
        let doc = format!("{key} is better in the second file");
        cell = cell.mark(Tone::Good, "better", doc);
    }
    cell
}

struct DifferenceList {
    comparison: Rc<Comparison>,
    /// The short names of the kernels, computed on demand.
    names: OnceCell<ShortNames>,
    /// The bytes of the whole document, for items of the first file only.
    whole: Span,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Comparison,
    shape: Shape::Differences,
    ..Declaration::table(
        ListId::Differences,
        "differences",
        || COLUMNS,
        Words {
            title: "Differences",
            one: "difference",
            many: "differences",
            hint: "Name, or part=kernel",
            none: "No differences.",
        },
    )
};

/// Whether the file is compared with another one.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    id == NodeId::ROOT && diff::comparison(document).is_some()
}

/// Reads the differences from the file that the document is compared with.
pub(super) fn read(document: &mut Document, _: NodeId, _: &Query) -> Option<Rc<dyn List>> {
    Some(Rc::new(DifferenceList {
        comparison: Rc::clone(diff::comparison(document)?),
        names: OnceCell::new(),
        whole: document.root().span?,
    }))
}

impl DifferenceList {
    fn entry_at(&self, row: u32) -> Option<&Entry> {
        self.comparison.entries.get(usize::try_from(row).ok()?)
    }

    /// Returns the short name of a kernel: demangled, without what the kernels that differ share.
    fn short_name(&self, entry: &Entry) -> Option<&str> {
        let is_kernel = |entry: &&Entry| entry.part == Part::Kernel;
        let names = self.names.get_or_init(|| {
            let kernels = self.comparison.entries.iter().filter(is_kernel);
            ShortNames::new(kernels.map(|entry| (&*entry.name, entry.demangled.as_deref())))
        });
        names.get(&entry.name).filter(|_| is_kernel(&entry))
    }
}

impl List for DifferenceList {
    fn id(&self) -> ListId {
        ListId::Differences
    }

    fn count(&self) -> u32 {
        u32::try_from(self.comparison.entries.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        let (Some(cell), Some(entry)) = (CELLS.get(column), self.entry_at(row)) else {
            return Cell::empty();
        };
        let mut cell = cell((&self.comparison, entry), sources);
        if let CellValue::Name { short, .. } = &mut cell.value {
            *short = self.short_name(entry).map(Into::into);
        }
        cell
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        let entry = self.entry_at(row)?;
        let pair = || pair(&self.comparison, entry).map(|pair| pair.b);
        Some(entry.b.or_else(pair).unwrap_or(self.whole))
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let entries = self.comparison.entries.iter().zip(0_u32..);
        let mut around = entries.filter(|(entry, _)| entry.b.is_some_and(|b| b.contains(span)));
        let (_, row) = around.next()?;
        Some(row..row.saturating_add(1))
    }

    fn notes(&self) -> Vec<String> {
        self.comparison.notes.clone()
    }

    fn shows(&self, column: &Column) -> bool {
        match column.id {
            "device" => !self.comparison.devices.is_empty(),
            _ => column.presence.is_shown(self.comparison.pairs.len() > 1),
        }
    }

    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> super::Key<'a> {
        // Numbers are sorted by the size of the change.
        let first = self.entry_at(row).and_then(|entry| entry.measures.first());
        match COLUMNS.get(column).map(|column| column.id) {
            Some("measures") => {
                let change =
                    first.and_then(|measure| Some(measure.to?.ok()? - measure.from?.ok()?));
                change.map_or(super::Key::Empty, |change| super::Key::Ints([change, 0, 0]))
            }
            _ => self.cell(row, column, sources).value.into_key(),
        }
    }
}
