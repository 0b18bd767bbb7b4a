//! The symbols of an ELF file.

use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{
    Cell, CellValue, Declaration, Detail, Details, List, ListId, RowDetails, Tab, Words, columns,
    left_out,
};
use zeview_core::analysis::linkage::{Home, Section, Symbol, Tables};
use zeview_core::model::{Document, NodeId, Sources, Span, Xref};

type RowRef<'a> = (&'a Tables, &'a Symbol);

columns! {
    /// The columns.
    pub COLUMNS
    "name" Text Default 24 "Symbol" "" "The symbol's name in the file."
        |(_, row), _| Cell::new(row.into());
    "type" Text Default 8 "Kind" "" "What the symbol names: a function, an object, a section, or nothing of these."
        |(_, row), _| Cell::text(&*row.kind);
    "section" Text Default 20 "Section" "" "The section that the symbol is in; or undefined, absolute, common."
        |(tables, row), _| match &row.home {
            Home::Word(word) => Cell::text(&**word),
            Home::Section(_) => section(tables.home(row)),
        };
    "value" Number Default 8 "Value" "" "The offset in the section; in a debug zebin, an address."
        |(_, row), _| Cell::new(CellValue::Hex(row.value)).at(row.target);
    "size" Number Default 0 "Size" "B" "The size of the symbol in bytes."
        |(_, row), _| Cell::count(row.size).at(row.target);
    "relocations" Number Default 0 "Relocations" "" "The number of relocations that refer to the symbol."
        |(_, row), _| Cell::count(row.users.into());
    "kernel" Text Default 16 "Kernel" "" "The kernel whose code contains the symbol."
        |(tables, row), _| match tables.home(row).and_then(|home| home.kernel.as_ref()) {
            Some((name, entry)) => Cell::text(name).at(Some(*entry)),
            None => Cell::empty(),
        };
    "binding" Text Default 7 "Binding" "" "Whether other files see the symbol: local (no), global (yes), or weak (yes, if no other file defines it)."
        |(_, row), _| Cell::text(&*row.binding);
    "visibility" Text Default 9 "Visibility" "" "Whether other modules see a global symbol: default (yes), hidden, internal or protected."
        |(_, row), _| Cell::text(&*row.visibility);
    "index" Number QueryOnly 0 "Index" "" "The index in the symbol table."
        |(_, row), _| Cell::count(row.index);
}

impl<'a> From<&'a Symbol> for CellValue<'a> {
    fn from(symbol: &'a Symbol) -> CellValue<'a> {
        CellValue::Name {
            name: symbol.name.as_str().into(),
            demangled: symbol.demangled.as_deref().map(Into::into),
            short: None,
        }
    }
}

/// Formats the name of a section, with a link to its bytes.
pub(super) fn section(section: Option<&Section>) -> Cell<'_> {
    match section {
        Some(section) => Cell::text(&section.name).at(Some(section.bytes)),
        None => Cell::empty(),
    }
}

pub(super) fn link(links: &mut Vec<Xref>, why: &'static str, label: &str, to: Option<Span>) {
    links.extend(to.map(|to| Xref {
        why: why.into(),
        label: label.to_owned().into(),
        to,
    }));
}

/// Returns the row that `span` belongs to, given each row's entry and target: the row with that
/// entry; else the smallest target that contains `span`; else the smallest target that is related
/// to `span`.
pub(super) fn row_for(
    span: Span,
    rows: impl Iterator<Item = (Span, Option<Span>)>,
    is_about: impl Fn(Span) -> bool,
) -> Option<Range<u32>> {
    let mut best: Option<(bool, u64, u32)> = None;
    for (at, (entry, stands_for)) in (0..).zip(rows) {
        if entry.contains(span) {
            return Some(at..at.saturating_add(1));
        }
        let Some(bytes) = stands_for.filter(|bytes| !bytes.is_empty()) else {
            continue;
        };
        let outside = !bytes.contains(span);
        if !outside || is_about(bytes) {
            let found = (outside, bytes.len(), at);
            best = Some(best.map_or(found, |best| best.min(found)));
        }
    }
    best.map(|(_, _, at)| at..at.saturating_add(1))
}

/// The symbols of some tables, without the null symbol of each.
struct SymbolList {
    tables: Rc<Tables>,
    /// Indices into [`Tables::symbols`].
    rows: Vec<u32>,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    tab: Some(Tab::of_file("symbols", "Symbols", |file| file.any.symbols)),
    details: Details::Shown,
    stays: true,
    ..Declaration::table(
        ListId::Symbols,
        "symbols",
        || COLUMNS,
        Words {
            title: "Symbols",
            one: "symbol",
            many: "symbols",
            hint: "Name, kind, or size>0",
            none: "No symbols.",
        },
    )
};

/// Whether a document has symbols or relocations.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.linkage(id).is_some()
}

/// Reads the symbols of a document.
pub(super) fn read(document: &mut Document, id: NodeId, _: &Query) -> Option<Rc<dyn List>> {
    Some(list(document.linkage(id)?.tables(&document.sources)))
}

/// Returns the list of the symbols in the tables.
fn list(tables: Rc<Tables>) -> Rc<dyn List> {
    let all = (0..).zip(&tables.symbols);
    let rows = all.filter(|(_, symbol)| !symbol.is_null());
    let rows = rows.map(|(at, _)| at).collect();
    Rc::new(SymbolList { tables, rows })
}

impl SymbolList {
    /// Returns the index among all symbols, and the symbol.
    fn row(&self, row: u32) -> Option<(u32, &Symbol)> {
        let at = *self.rows.get(usize::try_from(row).ok()?)?;
        Some((at, self.symbol(at)?))
    }

    fn symbol(&self, at: u32) -> Option<&Symbol> {
        self.tables.symbols.get(usize::try_from(at).ok()?)
    }
}

/// Maximum number of relocations in the details of a symbol.
const RELOCATIONS_MAX: usize = 12;

impl List for SymbolList {
    fn id(&self) -> ListId {
        ListId::Symbols
    }

    fn count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.row(row)) {
            (Some(cell), Some((_, symbol))) => cell((&self.tables, symbol), sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.row(row).map(|(_, symbol)| symbol.entry)
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let rows = self.rows.iter().filter_map(|at| self.symbol(*at));
        let rows = rows.map(|symbol| (symbol.entry, symbol.target));
        // A section, with trailing padding.
        row_for(span, rows, |target| {
            span.contains(target) && span.start == target.start
        })
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> RowDetails {
        let Some((at, symbol)) = self.row(row) else {
            return RowDetails::default();
        };
        let mut links = Vec::new();
        let place = self.tables.place(symbol);
        link(&mut links, "defined at", &place, symbol.target);
        let home = self.tables.home(symbol);
        if let Some((name, entry)) = home.and_then(|home| home.kernel.as_ref()) {
            link(&mut links, "kernel", name, Some(*entry));
        }
        for user in self.tables.users(at).take(RELOCATIONS_MAX) {
            let patched = self.tables.patched(user);
            link(&mut links, "referenced by", &patched, Some(user.entry));
        }
        let query = if symbol.name.is_empty() || symbol.name.contains('"') {
            format!("symbol_index={}", symbol.index)
        } else {
            format!("symbol=\"{}\"", symbol.name)
        };
        RowDetails {
            title: symbol.title().to_owned(),
            links,
            detail: Detail::Symbol {
                relocations: symbol.users.into(),
                query,
            },
        }
    }

    fn notes(&self) -> Vec<String> {
        left_out(self.tables.left_out)
    }
}
