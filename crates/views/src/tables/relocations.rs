//! The relocations of an ELF file.

use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::symbols::{link, row_for, section};
use super::{
    Cell, CellValue, Declaration, Details, List, ListId, RowDetails, Tab, Words, columns, left_out,
};
use zeview_core::analysis::linkage::{Relocation, Tables};
use zeview_core::model::{Document, NodeId, Sources, Span};

type RowRef<'a> = (&'a Tables, &'a Relocation);

columns! {
    /// The columns.
    pub COLUMNS
    "symbol" Text Default 20 "Symbol" "" "The symbol that the relocation refers to."
        |(tables, row), _| match tables.symbol_of(row) {
            Some(symbol) => Cell::new(symbol.into()),
            None => Cell::text(format!("symbol {}", row.symbol_index)),
        };
    "type" Text Default 18 "Type" "" "The relocation type: what is patched, and how."
        |(_, row), _| Cell::text(&*row.kind);
    "place" Text Default 20 "Defined at" "" "The section and offset of the symbol."
        |(tables, row), _| match tables.symbol_of(row) {
            Some(symbol) => Cell::text(tables.place(symbol)).at(symbol.target),
            None => Cell::empty(),
        };
    "section" Text Default 20 "Patches" "section" "The section that is patched."
        |(tables, row), _| section(tables.patches(row));
    "offset" Number Default 8 "Offset" "in section" "The offset in the patched section."
        |(_, row), _| Cell::new(CellValue::Hex(row.offset)).at(row.patched);
    "addend" Number Default 7 "Addend" "" "The constant that is added to the address."
        |(_, row), _| Cell::new(row.addend.map_or(CellValue::Empty, CellValue::Int));
    "bytes" Bytes Default 24 "Bytes" "to be patched" "The bytes to be patched, as they are in the file."
        |(_, row), sources| {
            let bytes = row.patched.and_then(|span| sources.read_clamped(span).ok());
            let value = bytes.map_or(CellValue::Empty, |bytes| CellValue::Bytes(bytes.to_vec()));
            Cell::new(value).at(row.patched)
        };
    "symbol_index" Number QueryOnly 0 "Symbol index" "" "The index of the symbol in the symbol table."
        |(_, row), _| Cell::count(row.symbol_index);
}

/// Maximum length of a selection that matches the relocations within it, in bytes.
const NEAR: u64 = 64;

struct RelocationList(Rc<Tables>);

/// Its declaration.
pub static LIST: Declaration = Declaration {
    tab: Some(Tab::of_file("relocations", "Relocations", |file| {
        file.any.symbols
    })),
    details: Details::Shown,
    stays: true,
    ..Declaration::table(
        ListId::Relocations,
        "relocations",
        || COLUMNS,
        Words {
            title: "Relocations",
            one: "relocation",
            many: "relocations",
            hint: "Name, or offset>0x40",
            none: "No relocations.",
        },
    )
};

pub(super) use super::symbols::is_in;

/// Reads the relocations of a document.
pub(super) fn read(document: &mut Document, id: NodeId, _: &Query) -> Option<Rc<dyn List>> {
    Some(list(document.linkage(id)?.tables(&document.sources)))
}

/// Returns the list of the relocations in the tables.
fn list(tables: Rc<Tables>) -> Rc<dyn List> {
    Rc::new(RelocationList(tables))
}

impl RelocationList {
    fn row(&self, row: u32) -> Option<&Relocation> {
        self.0.relocations.get(usize::try_from(row).ok()?)
    }
}

impl List for RelocationList {
    fn id(&self) -> ListId {
        ListId::Relocations
    }

    fn count(&self) -> u32 {
        u32::try_from(self.0.relocations.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.row(row)) {
            (Some(cell), Some(row)) => cell((&self.0, row), sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.row(row).map(|row| row.entry)
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let rows = self.0.relocations.iter();
        let rows = rows.map(|row| (row.entry, row.patched));
        row_for(span, rows, |patched| {
            span.len() <= NEAR && span.contains(patched)
        })
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> RowDetails {
        let Some(row) = self.row(row) else {
            return RowDetails::default();
        };
        let title = self.0.patched(row);
        let mut links = Vec::new();
        link(&mut links, "patches", &title, row.patched);
        if let Some((symbol, behind)) = self.0.patched_symbol(row) {
            let place = match behind {
                0 => symbol.title().to_owned(),
                behind => format!("{} + {behind:#x}", symbol.title()),
            };
            link(&mut links, "within", &place, symbol.target);
        }
        if let Some((value, to)) = self.0.value(row) {
            link(&mut links, "value after patching", &value, Some(to));
        }
        if let Some(symbol) = self.0.symbol_of(row) {
            link(&mut links, "symbol", symbol.title(), Some(symbol.entry));
            let place = self.0.place(symbol);
            link(&mut links, "defined at", &place, symbol.target);
        }
        if let Some((name, entry)) = self.0.patches(row).and_then(|at| at.kernel.as_ref()) {
            link(&mut links, "kernel", name, Some(*entry));
        }
        RowDetails {
            title,
            links,
            ..RowDetails::default()
        }
    }

    fn notes(&self) -> Vec<String> {
        left_out(self.0.left_out)
    }
}
