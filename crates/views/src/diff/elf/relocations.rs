//! Comparison of relocations by patched section, type and symbol.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Changed;
use crate::diff::Comparer;
use crate::diff::entry::{Change, Entry, Field, FieldValue, Part, Side};
use crate::diff::renames::Renames;
use zeview_core::analysis::linkage::{Relocation, Tables};
use zeview_core::model::sort;

/// The key of relocations: the section that they patch, their type, the symbol.
type Key<'t> = (Cow<'t, str>, &'t str, Cow<'t, str>);

impl Comparer<'_> {
    /// Compares relocations by patched section, type and symbol.
    pub(super) fn relocations(
        &mut self,
        (a, b): (&Tables, &Tables),
        renames: &Renames,
        changed: &Changed,
        is_host: bool,
        at: u32,
    ) {
        fn grouped<'t>(
            tables: &'t Tables,
            renames: Option<&'t Renames>,
        ) -> BTreeMap<Key<'t>, Vec<&'t Relocation>> {
            let mut groups: BTreeMap<Key<'_>, Vec<&Relocation>> = BTreeMap::new();
            for relocation in &tables.relocations {
                let section = tables
                    .patches(relocation)
                    .map_or("", |section| &section.name);
                let symbol = tables
                    .symbol_of(relocation)
                    .map_or("", |symbol| &symbol.name);
                let (section, symbol) = match renames {
                    Some(renames) => (renames.section(section), renames.kernel(symbol)),
                    None => (section.into(), symbol.into()),
                };
                let key = (section, &*relocation.kind, symbol);
                groups.entry(key).or_default().push(relocation);
            }
            for group in groups.values_mut() {
                sort::by_key(group, |relocation| (relocation.offset, relocation.entry));
            }
            groups
        }
        self.work
            .spend(16 * (a.relocations.len() + b.relocations.len()) as u64);
        let (of_a, mut of_b) = (grouped(a, Some(renames)), grouped(b, None));
        for (key, group) in of_a {
            let other = of_b.remove(&key).unwrap_or_default();
            // In code that differs, the patched locations have moved.
            let has_moved = is_host || changed.has_moved(&key.0);
            self.relocation_group(&key, (&group, &other), has_moved, at);
        }
        for (key, group) in of_b {
            self.relocation_group(&key, (&[], &group), true, at);
        }
    }

    fn relocation_group(
        &mut self,
        (section, kind, symbol): &Key<'_>,
        (a, b): (&[&Relocation], &[&Relocation]),
        has_moved: bool,
        at: u32,
    ) {
        let mut fields = Vec::new();
        if a.len() != b.len() {
            let side = |group: &[&Relocation]| {
                let first = group.first()?;
                Some(Side::new(
                    FieldValue::count(group.len() as u64),
                    first.entry,
                ))
            };
            fields.push(Field {
                key: "relocations".to_owned(),
                path: "relocations".to_owned(),
                from: side(a),
                to: side(b),
            });
        }
        for (number, (one, other)) in a.iter().zip(b).enumerate() {
            let mut differs = |key: &str, from: FieldValue, to: FieldValue| {
                if from != to {
                    fields.push(Field {
                        key: key.to_owned(),
                        path: format!("[{number}]/{key}"),
                        from: Some(Side::new(from, one.entry)),
                        to: Some(Side::new(to, other.entry)),
                    });
                }
            };
            if !has_moved && a.len() == b.len() {
                let hex = |offset| FieldValue::Hex(offset, None);
                differs("r_offset", hex(one.offset), hex(other.offset));
            }
            // Without a symbol, the addend is an address, which moves as well.
            if !has_moved || a.len() == b.len() && !symbol.is_empty() {
                let addend = |relocation: &Relocation| {
                    FieldValue::Number(relocation.addend.unwrap_or(0).into(), None)
                };
                differs("r_addend", addend(one), addend(other));
            }
        }
        if fields.is_empty() {
            return;
        }
        let change = match (a.is_empty(), b.is_empty()) {
            (true, _) => Change::Added,
            (_, true) => Change::Removed,
            _ => Change::Changed,
        };
        let words = [&**section, kind, symbol];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let entry = Entry::new(Part::Relocation, change, at, words.join(" "));
        let span = |group: &[&Relocation]| group.first().map(|relocation| relocation.entry);
        self.push(entry.at(span(a), span(b)).with(fields));
    }
}
