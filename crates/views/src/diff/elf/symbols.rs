//! Comparison of symbols by name and section.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::diff::entry::{Change, Entry, Field, FieldValue, Part, Side};
use crate::diff::matching::ordinals;
use crate::diff::renames::Renames;
use crate::diff::{Comparand, Comparer};
use zeview_core::analysis::linkage::{Home, Symbol, Tables};

impl Comparer<'_> {
    /// Compares symbols by name and section.
    pub(super) fn symbols(
        &mut self,
        (a, b): (&Tables, &Tables),
        renames: &Renames,
        is_host: bool,
        at: u32,
    ) {
        fn keyed<'t>(tables: &'t Tables, renames: Option<&'t Renames>) -> Vec<Key<'t>> {
            let names = tables.symbols.iter().map(|symbol| {
                let home = home(tables, symbol);
                match renames {
                    Some(renames) => (renames.kernel(&symbol.name), renames.renamed(home)),
                    None => (Cow::Borrowed(&*symbol.name), home),
                }
            });
            let names: Vec<_> = names.collect();
            let ordinals = ordinals(names.iter());
            let keys = names.into_iter().zip(ordinals);
            keys.map(|((name, home), nth)| (name, home, nth)).collect()
        }
        self.work
            .spend(16 * (a.symbols.len() + b.symbols.len()) as u64);
        let keys = (keyed(a, Some(renames)), keyed(b, None));
        let mut places: HashMap<&Key, usize> = HashMap::new();
        for (place, (key, symbol)) in keys.1.iter().zip(&b.symbols).enumerate() {
            if !symbol.is_null() {
                places.insert(key, place);
            }
        }
        let mut lost: Vec<&Symbol> = Vec::new();
        let mut pairs: Vec<(&Symbol, usize)> = Vec::new();
        for (key, symbol) in keys.0.iter().zip(&a.symbols) {
            match places.remove(key) {
                _ if symbol.is_null() => {}
                Some(other) => pairs.push((symbol, other)),
                None => lost.push(symbol),
            }
        }
        // Symbols that moved to another section. Local symbols are only matched in place.
        let is_local = |symbol: &Symbol| &*symbol.binding == "LOCAL";
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, (key, symbol)) in keys.1.iter().zip(&b.symbols).enumerate().rev() {
            if places.contains_key(key) && !is_local(symbol) {
                by_name.entry(&symbol.name).or_default().push(place);
            }
        }
        let mut gone = Vec::new();
        for symbol in lost {
            let name = renames.kernel(&symbol.name);
            let others = by_name.get_mut(&*name);
            match others.filter(|_| !is_local(symbol)).and_then(Vec::pop) {
                Some(other) => pairs.push((symbol, other)),
                None => gone.push(symbol),
            }
        }
        // A table may occur twice: symbols are identified by index, not by their bytes.
        let mut is_paired = vec![false; b.symbols.len()];
        for (symbol, place) in pairs {
            if let (Some(other), Some(paired)) = (b.symbols.get(place), is_paired.get_mut(place)) {
                *paired = true;
                self.symbol((a, symbol), (b, other), is_host, at);
            }
        }
        for symbol in gone {
            self.lonely_symbol(Comparand::A, a, symbol, at);
        }
        for (symbol, is_paired) in b.symbols.iter().zip(is_paired) {
            if !is_paired && !symbol.is_null() {
                self.lonely_symbol(Comparand::B, b, symbol, at);
            }
        }
    }

    fn lonely_symbol(&mut self, which: Comparand, tables: &Tables, symbol: &Symbol, at: u32) {
        let mut fields = Vec::new();
        for (key, value) in symbol_fields(tables, symbol) {
            let side = Some(Side::new(value, symbol.entry));
            let (from, to) = match which {
                Comparand::A => (side, None),
                Comparand::B => (None, side),
            };
            fields.push(Field {
                key: key.to_owned(),
                path: key.to_owned(),
                from,
                to,
            });
        }
        let (change, a, b) = match which {
            Comparand::A => (Change::Removed, Some(symbol.entry), None),
            Comparand::B => (Change::Added, None, Some(symbol.entry)),
        };
        let mut entry = Entry::new(Part::Symbol, change, at, &*symbol.name);
        entry.demangled.clone_from(&symbol.demangled);
        self.push(entry.at(a, b).with(fields));
    }

    fn symbol(
        &mut self,
        (of_a, a): (&Tables, &Symbol),
        (of_b, b): (&Tables, &Symbol),
        is_host: bool,
        at: u32,
    ) {
        let mut fields = Vec::new();
        let sides = symbol_fields(of_a, a)
            .into_iter()
            .zip(symbol_fields(of_b, b));
        for ((key, from), (_, to)) in sides {
            // Addresses of a linked file change with everything before them.
            if from != to && !(is_host && key == "st_value") {
                fields.push(Field {
                    key: key.to_owned(),
                    path: key.to_owned(),
                    from: Some(Side::new(from, a.entry)),
                    to: Some(Side::new(to, b.entry)),
                });
            }
        }
        if !fields.is_empty() {
            let mut entry = Entry::new(Part::Symbol, Change::Changed, at, &*a.name);
            entry.demangled.clone_from(&a.demangled);
            entry.new_name = (a.name != b.name).then(|| b.name.clone());
            self.push(entry.at(Some(a.entry), Some(b.entry)).with(fields));
        }
    }
}

/// The key of a symbol: its name, its section, and the ordinal among symbols with both.
type Key<'t> = (Cow<'t, str>, Cow<'t, str>, u32);

/// Returns the name of the section of a symbol.
fn home<'t>(tables: &'t Tables, symbol: &'t Symbol) -> Cow<'t, str> {
    match (&symbol.home, tables.home(symbol)) {
        (_, Some(section)) => section.name.as_str().into(),
        (Home::Word(word), None) => Cow::Borrowed(word),
        (Home::Section(index), None) => format!("section {index}").into(),
    }
}

/// Returns the fields of a symbol: names and values.
fn symbol_fields(tables: &Tables, symbol: &Symbol) -> Vec<(&'static str, FieldValue)> {
    let text = |text: &str| FieldValue::Text(text.to_owned());
    vec![
        ("type", text(&symbol.kind)),
        ("binding", text(&symbol.binding)),
        ("visibility", text(&symbol.visibility)),
        ("st_shndx", text(&home(tables, symbol))),
        ("st_value", FieldValue::Hex(symbol.value, None)),
        ("st_size", FieldValue::count(symbol.size)),
    ]
}
