//! Comparisons as JSON, written incrementally: the object is never in memory as a whole.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::words::notes;
use crate::diff::{Change, Comparison, Entry, Field, FieldValue, FileSummary, Measure, Part, Side};
use zeview_core::analysis::figure::Figure;
use zeview_core::model::json::{Items, SpanJson};
use zeview_core::model::text::hex;
use zeview_core::model::{Span, sort};

/// A comparison in the format of `zeview diff --json`.
#[derive(Debug, Serialize)]
pub struct DiffJson<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'c str>,
    a: FileSummaryJson<'c>,
    b: FileSummaryJson<'c>,
    outcome: &'static str,
    equal: bool,
    same_meaning: bool,
    complete: bool,
    remarks: &'c [String],
    not_compared: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    devices: Vec<DeviceJson<'c>>,
    #[serde(flatten)]
    parts: PartsJson<'c>,
}

/// Returns the JSON object of a comparison.
pub fn json(comparison: &Comparison) -> DiffJson<'_> {
    DiffJson {
        path: None,
        a: FileSummaryJson::new(&comparison.a),
        b: FileSummaryJson::new(&comparison.b),
        outcome: comparison.outcome().name(),
        equal: comparison.equal,
        same_meaning: comparison.same_meaning(),
        complete: !comparison.is_cut && !comparison.is_kernels_only,
        remarks: &comparison.remarks,
        not_compared: notes(comparison),
        devices: devices(comparison),
        parts: PartsJson(comparison),
    }
}

/// The changes of the kernels of a device.
#[derive(Debug, Serialize)]
struct DeviceJson<'c> {
    device: &'c str,
    /// Numbers of kernels in the first and in the second file.
    kernels: [u64; 2],
    added: Vec<&'c str>,
    removed: Vec<&'c str>,
    renamed: Vec<[&'c str; 2]>,
    changed: u64,
    worse: u64,
    better: u64,
    unchanged: u64,
}

fn devices(comparison: &Comparison) -> Vec<DeviceJson<'_>> {
    let devices = comparison.devices.iter().zip(comparison.by_device());
    let devices = devices.map(|(of, changes)| {
        let entries = |change| {
            let entries = comparison.of(Part::Kernel);
            entries.filter(move |entry| {
                entry.change == change && entry.device.as_ref() == Some(&of.device)
            })
        };
        let names = |change| entries(change).map(|entry| entry.name.as_str()).collect();
        let renamed = entries(Change::Renamed).map(|entry| {
            let new_name = entry.new_name.as_deref().unwrap_or_default();
            [entry.name.as_str(), new_name]
        });
        DeviceJson {
            device: &of.device,
            kernels: [of.kernels.0, of.kernels.1],
            added: names(Change::Added),
            removed: names(Change::Removed),
            renamed: renamed.collect(),
            changed: changes.changed,
            worse: changes.worse,
            better: changes.better,
            unchanged: changes.unchanged(),
        }
    });
    devices.collect()
}

impl<'c> DiffJson<'c> {
    /// Sets `path`, the relative path of both files in the compared folders.
    pub fn at(mut self, path: &'c str) -> DiffJson<'c> {
        self.path = Some(path);
        self
    }
}

#[derive(Debug, Serialize)]
struct FileSummaryJson<'c> {
    file: &'c str,
    format: &'c str,
    size: u64,
    target: &'c str,
    compiler: &'c str,
}

impl<'c> FileSummaryJson<'c> {
    fn new(head: &'c FileSummary) -> FileSummaryJson<'c> {
        FileSummaryJson {
            file: &head.name,
            format: &head.title,
            size: head.size,
            target: &head.target,
            compiler: &head.compiler,
        }
    }
}

/// The entries of each part, by the name of the part.
#[derive(Debug)]
struct PartsJson<'c>(&'c Comparison);

impl Serialize for PartsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = Part::ALL.into_iter();
        serializer.collect_map(parts.map(|part| (part.name(), part_json(self.0, part))))
    }
}

#[derive(Serialize)]
struct PartJson<A, R, N, C> {
    added: A,
    removed: R,
    renamed: N,
    changed: C,
    #[serde(skip_serializing_if = "Option::is_none")]
    unchanged: Option<u64>,
}

fn part_json(comparison: &Comparison, part: Part) -> impl Serialize {
    let of = move |change| {
        let entries = comparison.of(part);
        entries.filter(move |entry| entry.change == change)
    };
    let names = move |change| of(change).map(|entry| entry.name.as_str());
    let renamed = move || {
        of(Change::Renamed).map(|entry| {
            let new_name = entry.new_name.as_deref().unwrap_or_default();
            [entry.name.as_str(), new_name]
        })
    };
    let changed = move || {
        let entries = comparison.of(part).filter(|entry| match entry.change {
            Change::Changed => true,
            Change::Renamed => !entry.fields.is_empty() || entry.code.is_some(),
            _ => false,
        });
        entries.map(|entry| EntryJson::new(comparison, entry))
    };
    PartJson {
        added: Items(move || names(Change::Added)),
        removed: Items(move || names(Change::Removed)),
        renamed: Items(renamed),
        changed: Items(changed),
        unchanged: (part == Part::Kernel).then(|| comparison.unchanged_kernels()),
    }
}

#[derive(Serialize)]
struct EntryJson<'c> {
    name: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    demangled: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_name: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<SpanJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<SpanJson>,
    fields: Vec<FieldJson<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<CodeJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measures: Vec<MeasureJson<'c>>,
}

impl<'c> EntryJson<'c> {
    fn new(comparison: &'c Comparison, entry: &'c Entry) -> EntryJson<'c> {
        let pair = comparison.pair(entry).filter(|pair| !pair.path.is_empty());
        let has_code = matches!(entry.part, Part::Kernel | Part::Function) || entry.code.is_some();
        EntryJson {
            name: &entry.name,
            demangled: entry.demangled.as_deref(),
            new_name: entry.new_name.as_deref(),
            device: entry.device.as_deref(),
            document: pair.map(|pair| &*pair.path),
            a: entry.a.map(SpanJson::from),
            b: entry.b.map(SpanJson::from),
            fields: entry.fields.iter().map(FieldJson::new).collect(),
            code: has_code.then(|| CodeJson::new(entry)),
            measures: entry.measures.iter().map(MeasureJson::new).collect(),
        }
    }
}

/// The change of an entry's code.
#[derive(Serialize)]
struct CodeJson {
    equal: bool,
    instructions_added: u64,
    instructions_removed: u64,
    shortest: bool,
    hunks: Vec<HunkJson>,
}

/// Rows of the listings that differ.
#[derive(Serialize)]
struct HunkJson {
    a: [u32; 2],
    b: [u32; 2],
}

impl CodeJson {
    fn new(entry: &Entry) -> CodeJson {
        let code = entry.code.as_ref();
        let hunks = code.into_iter().flat_map(|code| &code.hunks);
        CodeJson {
            equal: code.is_none_or(|code| code.equal),
            instructions_added: code.map_or(0, |code| code.added),
            instructions_removed: code.map_or(0, |code| code.removed),
            shortest: code.is_none_or(|code| code.is_shortest),
            hunks: hunks
                .map(|hunk| HunkJson {
                    a: [hunk.a.start, hunk.a.end],
                    b: [hunk.b.start, hunk.b.end],
                })
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct MeasureJson<'c> {
    key: &'c str,
    from: Option<Number>,
    to: Option<Number>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unknown: BTreeMap<&'static str, Cow<'static, str>>,
    better: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_lane: Option<(f64, f64)>,
}

impl<'c> MeasureJson<'c> {
    fn new(measure: &'c Measure) -> MeasureJson<'c> {
        let known = |side: Option<Figure<i128>>| side.and_then(Result::ok).map(Number);
        let sides = [("from", measure.from), ("to", measure.to)];
        let unknown = sides.into_iter().filter_map(|(side, value)| {
            let unknown = value?.err()?;
            Some((side, unknown.reason()))
        });
        MeasureJson {
            key: &measure.key,
            from: known(measure.from),
            to: known(measure.to),
            unknown: sort::map(unknown),
            better: Some(measure.better.name()).filter(|word| !word.is_empty()),
            per_lane: measure.per_lane(),
        }
    }
}

#[derive(Serialize)]
struct FieldJson<'c> {
    key: &'c str,
    path: &'c str,
    from: Option<ValueJson<'c>>,
    to: Option<ValueJson<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<SpanJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<SpanJson>,
}

impl<'c> FieldJson<'c> {
    fn new(field: &'c Field) -> FieldJson<'c> {
        fn value(side: &Option<Side>) -> Option<ValueJson<'_>> {
            Some(ValueJson::from(&side.as_ref()?.value))
        }
        fn span(side: &Option<Side>) -> Option<SpanJson> {
            side.as_ref()?.span.map(|span: Span| span.into())
        }
        FieldJson {
            key: &field.key,
            path: &field.path,
            from: value(&field.from),
            to: value(&field.to),
            a: span(&field.from),
            b: span(&field.to),
        }
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
#[derive(Serialize)]
#[serde(untagged)]
enum ValueJson<'c> {
    Number(Number),
    Real(f64),
    Bool(bool),
    Text(Cow<'c, str>),
    List(Vec<ValueJson<'c>>),
}

impl<'c> From<&'c FieldValue> for ValueJson<'c> {
    fn from(value: &'c FieldValue) -> ValueJson<'c> {
        match value {
            FieldValue::Number(raw, _) => ValueJson::Number(Number(*raw)),
            FieldValue::Hex(raw, _) => ValueJson::Number(Number((*raw).into())),
            FieldValue::Real(number) => ValueJson::Real(*number),
            FieldValue::Bool(yes) => ValueJson::Bool(*yes),
            FieldValue::Text(text) => ValueJson::Text(text.into()),
            FieldValue::List(list) => ValueJson::List(list.iter().map(ValueJson::from).collect()),
            FieldValue::Bytes(bytes, count) => {
                let more = if *count > bytes.len() as u64 {
                    " …"
                } else {
                    ""
                };
                ValueJson::Text(format!("{}{more}", hex(bytes, " ")).into())
            }
        }
    }
}
