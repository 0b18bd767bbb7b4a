//! Comparisons as JSON.

use serde::Serialize;
use serde_json::{Value, json as object};

use crate::model::diff::{Change, Comparison, Entry, Field, Head, Part, Said, Side};
use crate::model::json::SCHEMA;
use crate::model::span::{SourceId, Span};

/// A comparison as `zeview diff --json` prints it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct DiffJson(Value);

/// Makes the object.
pub fn json(comparison: &Comparison) -> DiffJson {
    let mut result = object!({
        "schema": SCHEMA,
        "a": head(&comparison.a),
        "b": head(&comparison.b),
        "equal": comparison.equal,
        "same_meaning": comparison.same_meaning(),
        "complete": !comparison.is_cut,
        "remarks": comparison.remarks,
        "notes": comparison.notes,
    });
    for part in Part::ALL {
        let named = |change: Change| -> Vec<&str> {
            let entries = comparison.of(part).filter(|entry| entry.change == change);
            entries.map(|entry| entry.name.as_str()).collect()
        };
        let renamed: Vec<[&str; 2]> = comparison
            .of(part)
            .filter(|entry| entry.change == Change::Renamed)
            .map(|entry| {
                [
                    entry.name.as_str(),
                    entry.new_name.as_deref().unwrap_or_default(),
                ]
            })
            .collect();
        let changed = comparison.of(part).filter(|entry| match entry.change {
            Change::Changed => true,
            Change::Renamed => !entry.fields.is_empty() || entry.code.is_some(),
            _ => false,
        });
        let changed: Vec<Value> = changed
            .map(|entry| self::entry(comparison, entry))
            .collect();
        let mut of_part = object!({
            "added": named(Change::Added),
            "removed": named(Change::Removed),
            "renamed": renamed,
            "changed": changed,
        });
        if part == Part::Kernel
            && let Some(members) = of_part.as_object_mut()
        {
            members.insert(
                "unchanged".to_owned(),
                comparison.unchanged_kernels().into(),
            );
        }
        if let Some(members) = result.as_object_mut() {
            members.insert(part.name().to_owned(), of_part);
        }
    }
    DiffJson(result)
}

fn head(head: &Head) -> Value {
    object!({
        "file": head.name,
        "format": head.title,
        "size": head.size,
        "target": head.target,
        "compiler": head.compiler,
    })
}

fn entry(comparison: &Comparison, entry: &Entry) -> Value {
    let fields: Vec<Value> = entry.fields.iter().map(field).collect();
    let mut made = object!({ "name": entry.name, "fields": fields });
    let Some(members) = made.as_object_mut() else {
        return made;
    };
    let mut insert = |key: &str, value: Value| {
        members.insert(key.to_owned(), value);
    };
    if let Some(name) = &entry.demangled {
        insert("demangled", name.as_str().into());
    }
    if let Some(name) = &entry.new_name {
        insert("new_name", name.as_str().into());
    }
    if let Some(pair) = comparison.pair(entry).filter(|pair| !pair.path.is_empty()) {
        insert("document", pair.path.as_str().into());
    }
    for (key, span) in [("a", entry.a), ("b", entry.b)] {
        if let Some(span) = span {
            insert(key, place(span));
        }
    }
    if entry.part == Part::Kernel || entry.part == Part::Function || entry.code.is_some() {
        let code = entry.code.as_ref();
        insert(
            "code",
            object!({
                "equal": code.is_none_or(|code| code.equal),
                "instructions_added": code.map_or(0, |code| code.added),
                "instructions_removed": code.map_or(0, |code| code.removed),
                "shortest": code.is_none_or(|code| code.is_shortest),
                "hunks": code.map_or_else(Vec::new, |code| {
                    let hunks = code.hunks.iter();
                    let hunks = hunks.map(|hunk| object!({
                        "a": [hunk.a.start, hunk.a.end],
                        "b": [hunk.b.start, hunk.b.end],
                    }));
                    hunks.collect()
                }),
            }),
        );
    }
    if !entry.measures.is_empty() {
        let measures = entry.measures.iter().map(|measure| {
            object!({
                "key": measure.key,
                "from": measure.from.map(number),
                "to": measure.to.map(number),
                "better": match measure.better.name() {
                    "" => Value::Null,
                    word => word.into(),
                },
            })
        });
        insert("measures", measures.collect());
    }
    made
}

fn field(field: &Field) -> Value {
    let value = |side: &Option<Side>| side.as_ref().map_or(Value::Null, |side| said(&side.said));
    let mut made = object!({
        "key": field.key,
        "path": field.path,
        "from": value(&field.from),
        "to": value(&field.to),
    });
    for (key, side) in [("a", &field.from), ("b", &field.to)] {
        let span = side.as_ref().and_then(|side| side.span);
        if let (Some(span), Some(members)) = (span, made.as_object_mut()) {
            members.insert(key.to_owned(), place(span));
        }
    }
    made
}

/// Where bytes are: `start`, `end`, and `source` where that is not the file.
fn place(span: Span) -> Value {
    match span.source {
        SourceId::FILE => object!({ "start": span.start, "end": span.end }),
        source => object!({ "start": span.start, "end": span.end, "source": source.0 }),
    }
}

fn number(number: i128) -> Value {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => number.into(),
        (_, Ok(number)) => number.into(),
        _ => number.to_string().into(),
    }
}

/// A value: numbers as numbers, bytes as text in hex.
fn said(said: &Said) -> Value {
    match said {
        Said::Number(raw, _) => number(*raw),
        Said::Hex(raw, _) => (*raw).into(),
        Said::Real(number) => object!(number),
        Said::Bool(yes) => (*yes).into(),
        Said::Text(text) => text.as_str().into(),
        Said::List(list) => list.iter().map(self::said).collect(),
        Said::Bytes(bytes, count) => {
            let mut text: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            if *count > bytes.len() as u64 {
                text.push("…".to_owned());
            }
            text.join(" ").into()
        }
    }
}
