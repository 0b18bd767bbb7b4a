//! Comparisons as JSON, written incrementally: the object is never in memory as a whole.

use std::collections::BTreeMap;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::analysis::figure::Figure;
use crate::diff::{Change, Comparison, Entry, Field, FieldValue, FileSummary, Measure, Part, Side};
use crate::model::json::SCHEMA;
use crate::model::{SourceId, Span};

/// A comparison in the format of `zeview diff --json`.
#[derive(Debug)]
pub struct DiffJson<'c> {
    comparison: &'c Comparison,
    path: Option<&'c str>,
}

/// Returns the JSON object of a comparison.
pub fn json(comparison: &Comparison) -> DiffJson<'_> {
    DiffJson {
        comparison,
        path: None,
    }
}

impl<'c> DiffJson<'c> {
    /// Sets `path`, the relative path of both files in the compared folders.
    pub fn at(mut self, path: &'c str) -> DiffJson<'c> {
        self.path = Some(path);
        self
    }
}

impl Serialize for DiffJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let comparison = self.comparison;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", &SCHEMA)?;
        if let Some(path) = self.path {
            map.serialize_entry("path", path)?;
        }
        map.serialize_entry("a", &FileSummaryJson(&comparison.a))?;
        map.serialize_entry("b", &FileSummaryJson(&comparison.b))?;
        map.serialize_entry("outcome", comparison.outcome().name())?;
        map.serialize_entry("equal", &comparison.equal)?;
        map.serialize_entry("same_meaning", &comparison.same_meaning())?;
        map.serialize_entry("complete", &!comparison.is_cut)?;
        map.serialize_entry("remarks", &comparison.remarks)?;
        map.serialize_entry("not_compared", &comparison.notes)?;
        for part in Part::ALL {
            map.serialize_entry(part.name(), &PartJson(comparison, part))?;
        }
        map.end()
    }
}

struct FileSummaryJson<'c>(&'c FileSummary);

impl Serialize for FileSummaryJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let head = self.0;
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("file", &head.name)?;
        map.serialize_entry("format", &head.title)?;
        map.serialize_entry("size", &head.size)?;
        map.serialize_entry("target", &head.target)?;
        map.serialize_entry("compiler", &head.compiler)?;
        map.end()
    }
}

/// The entries of a part.
struct PartJson<'c>(&'c Comparison, Part);

impl Serialize for PartJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PartJson(comparison, part) = *self;
        let named = |change: Change| {
            List(move || {
                let entries = comparison.of(part).filter(move |e| e.change == change);
                entries.map(|entry| entry.name.as_str())
            })
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("added", &named(Change::Added))?;
        map.serialize_entry("removed", &named(Change::Removed))?;
        let renamed = || {
            let entries = comparison.of(part);
            let entries = entries.filter(|entry| entry.change == Change::Renamed);
            entries.map(|entry| {
                let new_name = entry.new_name.as_deref().unwrap_or_default();
                [entry.name.as_str(), new_name]
            })
        };
        map.serialize_entry("renamed", &List(renamed))?;
        let changed = || {
            let entries = comparison.of(part).filter(|entry| match entry.change {
                Change::Changed => true,
                Change::Renamed => !entry.fields.is_empty() || entry.code.is_some(),
                _ => false,
            });
            entries.map(|entry| EntryJson(comparison, entry))
        };
        map.serialize_entry("changed", &List(changed))?;
        if part == Part::Kernel {
            map.serialize_entry("unchanged", &comparison.unchanged_kernels())?;
        }
        map.end()
    }
}

/// An array of the items of an iterator.
struct List<F>(F);

impl<F, I> Serialize for List<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for item in self.0() {
            list.serialize_element(&item)?;
        }
        list.end()
    }
}

struct EntryJson<'c>(&'c Comparison, &'c Entry);

impl Serialize for EntryJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let EntryJson(comparison, entry) = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &entry.name)?;
        if let Some(name) = &entry.demangled {
            map.serialize_entry("demangled", name)?;
        }
        if let Some(name) = &entry.new_name {
            map.serialize_entry("new_name", name)?;
        }
        if let Some(pair) = comparison.pair(entry).filter(|pair| !pair.path.is_empty()) {
            map.serialize_entry("document", &pair.path)?;
        }
        for (key, span) in [("a", entry.a), ("b", entry.b)] {
            if let Some(span) = span {
                map.serialize_entry(key, &SpanJson(span))?;
            }
        }
        let fields = || entry.fields.iter().map(FieldJson);
        map.serialize_entry("fields", &List(fields))?;
        if entry.part == Part::Kernel || entry.part == Part::Function || entry.code.is_some() {
            map.serialize_entry("code", &CodeJson(entry))?;
        }
        if !entry.measures.is_empty() {
            let measures = || entry.measures.iter().map(MeasureJson);
            map.serialize_entry("measures", &List(measures))?;
        }
        map.end()
    }
}

/// The change of an entry's code.
struct CodeJson<'c>(&'c Entry);

impl Serialize for CodeJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Rows {
            a: [u32; 2],
            b: [u32; 2],
        }
        let code = self.0.code.as_ref();
        let hunks = || {
            let hunks = code.into_iter().flat_map(|code| &code.hunks);
            hunks.map(|hunk| Rows {
                a: [hunk.a.start, hunk.a.end],
                b: [hunk.b.start, hunk.b.end],
            })
        };
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("equal", &code.is_none_or(|code| code.equal))?;
        map.serialize_entry("instructions_added", &code.map_or(0, |code| code.added))?;
        map.serialize_entry("instructions_removed", &code.map_or(0, |code| code.removed))?;
        map.serialize_entry("shortest", &code.is_none_or(|code| code.is_shortest))?;
        map.serialize_entry("hunks", &List(hunks))?;
        map.end()
    }
}

struct MeasureJson<'c>(&'c Measure);

impl Serialize for MeasureJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let measure = self.0;
        let better = Some(measure.better.name()).filter(|word| !word.is_empty());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("key", &measure.key)?;
        let known = |side: Option<Figure<i128>>| side.and_then(Result::ok).map(Number);
        map.serialize_entry("from", &known(measure.from))?;
        map.serialize_entry("to", &known(measure.to))?;
        let sides = [("from", measure.from), ("to", measure.to)];
        let unknown = sides.iter().filter_map(|(side, value)| {
            let unknown = value.as_ref()?.err()?;
            Some((*side, unknown.reason()))
        });
        let unknown: BTreeMap<&str, _> = unknown.collect();
        if !unknown.is_empty() {
            map.serialize_entry("unknown", &unknown)?;
        }
        map.serialize_entry("better", &better)?;
        if let Some(per_lane) = measure.per_lane() {
            map.serialize_entry("per_lane", &per_lane)?;
        }
        map.end()
    }
}

struct FieldJson<'c>(&'c Field);

impl Serialize for FieldJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let field = self.0;
        fn value(side: &Option<Side>) -> Option<FieldValueJson<'_>> {
            side.as_ref().map(|side| FieldValueJson(&side.value))
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("key", &field.key)?;
        map.serialize_entry("path", &field.path)?;
        map.serialize_entry("from", &value(&field.from))?;
        map.serialize_entry("to", &value(&field.to))?;
        for (key, side) in [("a", &field.from), ("b", &field.to)] {
            if let Some(span) = side.as_ref().and_then(|side| side.span) {
                map.serialize_entry(key, &SpanJson(span))?;
            }
        }
        map.end()
    }
}

/// A span: `start`, `end`, and `source` if it is not the file.
struct SpanJson(Span);

impl Serialize for SpanJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("start", &self.0.start)?;
        map.serialize_entry("end", &self.0.end)?;
        if self.0.source != SourceId::FILE {
            map.serialize_entry("source", &self.0.source.0)?;
        }
        map.end()
    }
}

/// A number, or text if it does not fit into 64 bits.
struct Number(i128);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (i64::try_from(self.0), u64::try_from(self.0)) {
            (Ok(number), _) => serializer.serialize_i64(number),
            (_, Ok(number)) => serializer.serialize_u64(number),
            _ => serializer.collect_str(&self.0),
        }
    }
}

/// A value: numbers as numbers, bytes as hexadecimal text.
struct FieldValueJson<'c>(&'c FieldValue);

impl Serialize for FieldValueJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            FieldValue::Number(raw, _) => Number(*raw).serialize(serializer),
            FieldValue::Hex(raw, _) => serializer.serialize_u64(*raw),
            FieldValue::Real(number) => serializer.serialize_f64(*number),
            FieldValue::Bool(yes) => serializer.serialize_bool(*yes),
            FieldValue::Text(text) => serializer.serialize_str(text),
            FieldValue::List(list) => {
                List(|| list.iter().map(FieldValueJson)).serialize(serializer)
            }
            FieldValue::Bytes(bytes, count) => {
                let mut words: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
                if *count > bytes.len() as u64 {
                    words.push("…".to_owned());
                }
                serializer.serialize_str(&words.join(" "))
            }
        }
    }
}
