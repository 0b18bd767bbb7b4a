//! Selects differences.

use super::audit::Exemptions;
use super::entry::{Entry, Field, Part, Side};
use super::{Comparer, Comparison, Options};
use zeview_core::model::{Document, Span};

/// Parts (`sections`), keys (`simd_size`), paths (`execution_env/*`) and names (`.misc.*`) to
/// include or to ignore.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Includes only these, unless it is empty.
    pub only: Vec<String>,
    /// Ignores these.
    pub ignore: Vec<String>,
}

/// Pseudo-part for the code of kernels.
const CODE: &str = "code";

impl Selection {
    /// Removes the entries of a comparison of `a` and `b` that are not selected.
    ///
    /// Where none is left, the files may still differ in bytes that no entry explains: these are
    /// listed, and selected, like entries.
    pub fn apply(
        &self,
        a: &mut Document,
        b: &mut Document,
        options: &Options,
        comparison: &mut Comparison,
    ) {
        if self.only.is_empty() && self.ignore.is_empty() {
            return;
        }
        let entries = std::mem::take(&mut comparison.entries).into_iter();
        let mut unwanted = Exemptions::default();
        let entries = entries.filter_map(|entry| self.entry(entry, &mut unwanted));
        comparison.entries = entries.collect();
        if comparison.entries.is_empty() && !unwanted.is_empty() {
            let was_cut = comparison.is_cut;
            let found = Comparer::audit_of(a, b, options, comparison, unwanted).into_iter();
            let found = found.filter_map(|entry| self.entry(entry, &mut Exemptions::default()));
            comparison.entries = found.collect();
            // `only` makes no claim about anything else.
            if !self.only.is_empty() {
                comparison.is_cut = was_cut;
            }
        }
    }

    /// Returns the selected part of an entry, and adds the bytes of the rest to `unwanted`.
    fn entry(&self, mut entry: Entry, unwanted: &mut Exemptions) -> Option<Entry> {
        let names = |word: &String| names_entry(word, &entry);
        if self.ignore.iter().any(names) {
            unwanted.add(entry.a, entry.b);
            for field in &entry.fields {
                unwanted.add(span(&field.from), span(&field.to));
            }
            if let Some(code) = &entry.code {
                unwanted.add(Some(code.a), Some(code.b));
            }
            return None;
        }
        let is_wanted = self.only.is_empty() || self.only.iter().any(names);
        let is_whole = matches!(
            entry.change,
            super::Change::Added | super::Change::Removed | super::Change::Renamed
        );
        let mut fields = std::mem::take(&mut entry.fields);
        fields.retain(|field| {
            let named = |word: &String| names_field(word, field);
            let is_selected =
                !self.ignore.iter().any(named) && (is_wanted || self.only.iter().any(named));
            if !is_selected {
                unwanted.add(span(&field.from), span(&field.to));
            }
            is_selected
        });
        let has_fields = !fields.is_empty();
        entry.fields = fields;
        let wants_code = is_wanted || self.only.iter().any(|word| word == CODE);
        let is_code_ignored = self.ignore.iter().any(|word| word == CODE);
        if (!wants_code || is_code_ignored)
            && let Some(code) = entry.code.take()
        {
            unwanted.add(Some(code.a), Some(code.b));
        }
        entry.measures.retain(|measure| {
            let named = |word: &String| pattern(word, &measure.key);
            !self.ignore.iter().any(named) && (is_wanted || self.only.iter().any(named))
        });
        let is_selected = has_fields || entry.code.is_some() || is_whole && is_wanted;
        if !is_selected && is_whole {
            unwanted.add(entry.a, entry.b);
        }
        is_selected.then_some(entry)
    }
}

fn span(side: &Option<Side>) -> Option<Span> {
    side.as_ref().and_then(|side| side.span)
}

/// Whether a word matches an entry: its part, or its name.
fn names_entry(word: &str, entry: &Entry) -> bool {
    let part = entry.part;
    word == part.name()
        || word == part.singular()
        || pattern(word, &entry.name)
        || entry
            .new_name
            .as_ref()
            .is_some_and(|name| pattern(word, name))
        || entry
            .demangled
            .as_ref()
            .is_some_and(|name| pattern(word, name))
}

fn names_field(word: &str, field: &Field) -> bool {
    pattern(word, &field.key) || pattern(word, &field.path)
}

/// Returns the words for parts.
pub fn parts() -> Vec<&'static str> {
    let parts = Part::ALL.iter().map(|part| part.name());
    parts.chain([CODE]).collect()
}

/// Whether a name matches a pattern with `*` (any characters) and `?` (one).
fn pattern(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(letter) if *letter == b'?' || name.get(n) == Some(letter) => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern
        .get(p..)
        .is_none_or(|rest| rest.iter().all(|letter| *letter == b'*'))
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn patterns() {
        for (text, name, is) in [
            ("simd_size", "simd_size", true),
            ("simd", "simd_size", false),
            ("execution_env/*", "execution_env/simd_size", true),
            (".misc.*", ".misc.buildOptions", true),
            ("*size", "simd_size", true),
            ("*_*_*", "simd_size", false),
            ("?imd*", "simd_size", true),
            ("", "x", false),
            ("*", "", true),
        ] {
            assert_eq!(pattern(text, name), is, "{text} {name}");
        }
    }
}
