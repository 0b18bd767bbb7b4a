//! What makes a file large: its bytes by file, device, image, kernel, section, or kind.

use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{
    Cell, CellValue, Column, Declaration, Fit, Key, List, ListId, Opens, Presence, ReadingKind,
    RowDetails, Shape, Tab, Words, columns,
};
use crate::sizes::{Part, SizeChange, SizeKey, SizeMap, SizeReading, Sizes, changes};
use zeview_core::model::{Document, NodeId, Sources, Span};

type RowRef<'a> = (&'a SizeList, &'a SizeChange);

columns! {
    /// The columns.
    pub COLUMNS
    "name" Text Default 32 "Name" "" "What the bytes are of: the file, device, image, kernel or section; in brackets the kind of bytes that are of none."
        |(list, change), _| list.name(change);
    "stored" Number Default 0 "Stored" "B" "The bytes of the file. What is unpacked from a compressed stream shares its bytes in proportion."
        |(_, change), _| Cell::count(change.row.stored).at(Some(change.row.first));
    "share" Number Default 6 "Share" "%" "The share of the stored bytes."
        |(list, change), _| share(change.row.stored, list.total);
    "before" Number Filled 0 "Before" "B" "The stored bytes in the earlier version."
        |(_, change), _| change.before.map_or_else(Cell::empty, Cell::count);
    "change" Number Filled 0 "Change" "B" "How many stored bytes there are more than in the earlier version."
        |(list, change), _| if list.has_base { Cell::new(CellValue::Int(change.change())) } else { Cell::empty() };
    "unpacked" Number Filled 0 "Unpacked" "B" "The bytes after decompression."
        |(_, change), _| Cell::count(change.row.unpacked);
    "instructions" Number Filled 0 "Instructions" "B" "Stored bytes of instructions of device code."
        |(_, change), _| part(change, Part::Instructions);
    "spirv" Number Filled 0 "SPIR-V" "B" "Stored bytes of SPIR-V, LLVM bitcode and other intermediate code, which the driver compiles."
        |(_, change), _| part(change, Part::Intermediate);
    "data" Number Filled 0 "Data" "B" "Stored bytes of constants and variables of device code."
        |(_, change), _| part(change, Part::Data);
    "debug" Number Filled 0 "Debug" "B" "Stored bytes of debug information of device code."
        |(_, change), _| part(change, Part::Debug);
    "metadata" Number Filled 0 "Metadata" "B" "Stored bytes of the metadata of device code: .ze_info, notes, property sets, the index of device images."
        |(_, change), _| part(change, Part::Metadata);
    "symbols" Number Filled 0 "Symbols" "B" "Stored bytes of symbols, strings and relocations of device code."
        |(_, change), _| part(change, Part::Symbols);
    "headers" Number Filled 0 "Headers" "B" "Stored bytes of headers, tables of contents and padding of device images and their containers."
        |(_, change), _| part(change, Part::Container);
    "copies" Number Filled 0 "Copies" "B" "Stored bytes of device code and files that have the same bytes as others of the file. They are counted only here."
        |(_, change), _| part(change, Part::Copies);
    "host" Number Filled 0 "Not device code" "B" "Stored bytes of the host's code and data, and of other files of the package."
        |(_, change), _| part(change, Part::Host);
    "not_read" Number Filled 0 "Not read" "B" "Stored bytes that were not read."
        |(_, change), _| part(change, Part::NotRead);
    "kernels" Number Filled 0 "Kernels" "" "The number of distinct kernels with bytes of their own."
        |(_, change), _| Cell::count(change.row.kernels);
    "images" Number Filled 0 "Images" "" "The number of images."
        |(_, change), _| Cell::count(change.row.images);
}

fn part(change: &SizeChange, part: Part) -> Cell<'static> {
    Cell::count(change.row.part(part))
}

/// The share in percent, with a digit after the point.
fn share(size: u64, total: u64) -> Cell<'static> {
    let tenths = u128::from(size) * 1000 / u128::from(total.max(1));
    let tenths = u32::try_from(tenths).unwrap_or(u32::MAX);
    Cell::new(CellValue::Real(f64::from(tenths) / 10.0))
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    shape: Shape::Sizes,
    tab: Some(Tab::of_code("sizes", "Sizes", |file| {
        let any = &file.any;
        any.code || any.kernels || any.text || any.host || any.package || file.holds_images
    })),
    opens: Opens::Group,
    fit: Some(Fit {
        columns: &["name"],
        least: 24,
        most: 100,
    }),
    reading: ReadingKind::Sizes,
    ..Declaration::table(
        ListId::Sizes,
        "sizes",
        || COLUMNS,
        Words {
            title: "Sizes",
            one: "group",
            many: "groups",
            hint: "Name, or stored>1000000",
            none: "No bytes.",
        },
    )
};

/// Whether a document has sizes: the opened file.
pub(super) fn is_in(_: &Document, id: NodeId) -> bool {
    id == NodeId::ROOT
}

/// Reads the sizes of the opened file.
pub(super) fn read(document: &mut Document, id: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    if !is_in(document, id) {
        return None;
    }
    let sizes = SizeReading::read_all(document);
    Some(list(&sizes, query))
}

/// Returns the list of sizes for a query.
pub fn list(sizes: &Sizes, query: &Query) -> Rc<dyn List> {
    list_since(sizes, None, query)
}

/// Returns the list of sizes for a query, with those of an earlier version.
pub fn list_since(sizes: &Sizes, base: Option<&Sizes>, query: &Query) -> Rc<dyn List> {
    let options = query.sizes();
    let by = options
        .by
        .unwrap_or_else(|| sizes.default_key(&options.within));
    let rows = sizes.rows(by, &options.within);
    let total = rows.iter().map(|row| row.stored).sum();
    let rows = match base {
        None => rows
            .into_iter()
            .map(|row| SizeChange {
                row,
                before: None,
                is_kept: true,
            })
            .collect(),
        Some(base) => changes(&base.rows(by, &options.within), rows),
    };
    Rc::new(SizeList {
        by,
        rows,
        total,
        map: sizes.map(by, &options.within),
        has_base: base.is_some(),
        notes: sizes.notes.clone(),
    })
}

struct SizeList {
    by: SizeKey,
    rows: Vec<SizeChange>,
    total: u64,
    map: SizeMap,
    has_base: bool,
    notes: Vec<String>,
}

impl SizeList {
    fn row(&self, row: u32) -> Option<&SizeChange> {
        self.rows.get(usize::try_from(row).ok()?)
    }

    fn name<'a>(&self, change: &'a SizeChange) -> Cell<'a> {
        let row = &change.row;
        let value = if self.by == SizeKey::Kernel && row.is_named {
            CellValue::Name {
                name: row.name.as_str().into(),
                demangled: row.demangled.as_deref().map(Into::into),
                short: row.short.as_deref().map(Into::into),
            }
        } else {
            CellValue::Text(row.name.as_str().into())
        };
        let cell = Cell::new(value);
        if change.is_kept {
            cell.at(Some(row.first))
        } else {
            cell
        }
    }
}

impl List for SizeList {
    fn id(&self) -> ListId {
        ListId::Sizes
    }

    fn count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.row(row)) {
            (Some(cell), Some(change)) => cell((self, change), sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.row(row).map(|change| change.row.first)
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let at = self.rows.iter().position(|change| change.row.first == span);
        let at = u32::try_from(at?).ok()?;
        Some(at..at.saturating_add(1))
    }

    /// Names sort as they are shown.
    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        self.cell(row, column, sources).value.into_key()
    }

    fn shows(&self, column: &Column) -> bool {
        let any = |has: &dyn Fn(&SizeChange) -> bool| self.rows.iter().any(has);
        match column.id {
            "before" | "change" => self.has_base,
            "unpacked" => any(&|change| change.row.unpacked != change.row.stored),
            "kernels" => {
                !matches!(self.by, SizeKey::Kernel | SizeKey::Section)
                    && any(&|change| change.row.kernels > 0)
            }
            "images" => {
                matches!(self.by, SizeKey::File | SizeKey::Device)
                    && any(&|change| change.row.images > 1)
            }
            id => match Part::named(id) {
                // With one kind only, the sums say the same.
                Some(part) => any(&|change| change.row.part(part) > 0) && self.by != SizeKey::Part,
                None => column.presence == Presence::Default,
            },
        }
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> RowDetails {
        let title = self.row(row).map(|change| change.row.title().to_owned());
        RowDetails {
            title: title.unwrap_or_default(),
            ..RowDetails::default()
        }
    }

    fn size_map(&self) -> Option<&SizeMap> {
        Some(&self.map)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
