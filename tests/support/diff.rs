//! Checks `zeview diff` against a comparison of two dumps, and the invariants of every pair of
//! files.

use std::collections::{BTreeMap, BTreeSet};
use zeview::tables;

use serde_json::Value;
use zeview::diff::{Change, Comparison, Options, Part, compare};
use zeview::model::{Document, NodeId};
use zeview::report::comparison::{json, write_html, write_markdown};
use zeview::tables::ListId;

use super::dump_diff::{
    bytes_of, code, dump, edits, kernels, notes, relocations, sections, symbols,
};
use super::open;

/// Compares two files; returns JSON.
pub fn diff(a: &[u8], b: &[u8]) -> Value {
    let result = compare(&mut open(a), &mut open(b), &Options::default());
    serde_json::to_value(json(&result)).unwrap()
}

fn names(value: &Value) -> BTreeSet<String> {
    let names = value.as_array().unwrap().iter();
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

fn entries(of: &Value) -> BTreeMap<String, &Value> {
    let changed = of["changed"].as_array().unwrap().iter();
    changed
        .map(|entry| (entry["name"].as_str().unwrap().to_owned(), entry))
        .collect()
}

/// Returns the differences reported by only one of `zeview diff` and the dumps of two zebins. Both
/// files have kernels with the same names.
pub fn disagreements(a: &[u8], b: &[u8]) -> Vec<String> {
    let reported = diff(a, b);
    let (mut one, mut other) = (open(a), open(b));
    let dumps = (dump(&mut one), dump(&mut other));
    let mut wrong = Vec::new();
    fn same<T: PartialEq + std::fmt::Debug>(
        what: &str,
        reported: T,
        is: T,
        wrong: &mut Vec<String>,
    ) {
        if reported != is {
            wrong.push(format!(
                "{what}: zeview diff {reported:?}, the dumps {is:?}"
            ));
        }
    }
    same(
        "equal",
        reported["equal"].as_bool(),
        Some(a == b),
        &mut wrong,
    );
    let of = (kernels(&dumps.0), kernels(&dumps.1));
    let changed = entries(&reported["kernels"]);
    let renamed: Vec<&Value> = reported["kernels"]["renamed"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    let mut before: BTreeSet<String> = of.0.keys().cloned().collect();
    let mut after: BTreeSet<String> = of.1.keys().cloned().collect();
    for pair in &renamed {
        before.remove(pair[0].as_str().unwrap());
        after.remove(pair[1].as_str().unwrap());
    }
    let added = after.difference(&before).cloned().collect();
    let removed = before.difference(&after).cloned().collect();
    same(
        "added kernels",
        names(&reported["kernels"]["added"]),
        added,
        &mut wrong,
    );
    same(
        "removed kernels",
        names(&reported["kernels"]["removed"]),
        removed,
        &mut wrong,
    );
    for name in before.intersection(&after) {
        let (x, y) = (&of.0[name], &of.1[name]);
        let mut expected: BTreeMap<String, (Value, Value)> = BTreeMap::new();
        for path in x.keys().chain(y.keys()) {
            let value = |of: &BTreeMap<String, Value>| of.get(path).cloned().unwrap_or(Value::Null);
            if x.get(path) != y.get(path) {
                expected.insert(path.clone(), (value(x), value(y)));
            }
        }
        let entry = changed.get(name);
        let mut found: BTreeMap<String, (Value, Value)> = BTreeMap::new();
        for field in entry
            .iter()
            .flat_map(|entry| entry["fields"].as_array().unwrap())
        {
            let path = field["path"].as_str().unwrap().to_owned();
            found.insert(path, (field["from"].clone(), field["to"].clone()));
        }
        // Sizes that the two files state in different places are one difference or none:
        // `wrong_quantities` checks them with the kernel tables.
        let is_moved = |path: &str, (from, to): &(Value, Value)| {
            let is_size = ["spill_size", "private_size"]
                .iter()
                .any(|key| path.ends_with(key));
            let is_slot = path.starts_with("per_thread_memory_buffers[");
            is_slot && (from.is_null() || to.is_null() || path.ends_with("/size")) || is_size
        };
        let mut paths = x.keys().chain(y.keys());
        let has_slots = paths.any(|path| path.starts_with("per_thread_memory_buffers["));
        if has_slots {
            found.retain(|path, sides| !is_moved(path, sides));
            expected.retain(|path, sides| !is_moved(path, sides));
        }
        same(&format!("fields of {name}"), found, expected, &mut wrong);
        if let (Some((x, jumps)), Some((y, others))) = (code(&dumps.0, name), code(&dumps.1, name))
        {
            let (removed, added) = edits(&x, &y);
            let reported = entry.map(|entry| &entry["code"]);
            let count = |key: &str| reported.map_or(0, |code| code[key].as_u64().unwrap());
            let (gone, new) = (count("instructions_removed"), count("instructions_added"));
            let is_shortest = reported.is_none_or(|code| code["shortest"] == true);
            // zeview counts jumps with the same text and different targets.
            let slack = jumps.max(others) as u64;
            let fits =
                |reported: u64, is: u64| reported >= is && (!is_shortest || reported <= is + slack);
            if !fits(gone, removed) || !fits(new, added) {
                wrong.push(format!(
                    "code of {name}: zeview diff −{gone} +{new}, the dumps −{removed} +{added}"
                ));
            }
            let equal = reported.is_none_or(|code| code["equal"] == true);
            same(
                &format!("code of {name} is equal"),
                equal,
                gone + new == 0,
                &mut wrong,
            );
        }
    }
    let of = (notes(&dumps.0, a), notes(&dumps.1, b));
    let differ: BTreeSet<String> =
        of.0.iter()
            .filter(|(name, desc)| of.1.get(*name).is_some_and(|other| other != *desc))
            .map(|(name, _)| name.clone())
            .collect();
    let found = entries(&reported["notes"]).into_keys().collect();
    same("notes", found, differ, &mut wrong);
    let only = |x: &BTreeMap<String, Vec<u8>>, y: &BTreeMap<String, Vec<u8>>| -> BTreeSet<String> {
        x.keys()
            .filter(|name| !y.contains_key(*name))
            .cloned()
            .collect()
    };
    same(
        "added notes",
        names(&reported["notes"]["added"]),
        only(&of.1, &of.0),
        &mut wrong,
    );
    same(
        "removed notes",
        names(&reported["notes"]["removed"]),
        only(&of.0, &of.1),
        &mut wrong,
    );
    if renamed.is_empty() {
        linkage(&reported, &dumps, &mut wrong);
        data(&reported, &dumps, (a, b), &mut wrong);
    }
    let is_any = Part::ALL.iter().any(|part| {
        let of = &reported[part.name()];
        ["added", "removed", "renamed", "changed"]
            .iter()
            .any(|key| !of[key].as_array().unwrap().is_empty())
    });
    same(
        "same_meaning",
        reported["same_meaning"].as_bool(),
        Some(!is_any),
        &mut wrong,
    );
    wrong
}

/// Columns of the kernel table that a comparison reports.
const QUANTITIES: [&str; 15] = [
    "simd_size",
    "grf_count",
    "eu_thread_count",
    "spill_size",
    "private_size",
    "slm_size",
    "barrier_count",
    "argument_count",
    "required_sub_group_size",
    "code_size",
    "inline_data_payload_size",
    "indirect_stateless_count",
    "payload_size",
    "explicit_arguments",
    "implicit_arguments",
];

/// Returns the numbers of the kernels in both files, without functions, by kernel and column.
fn quantities(document: &mut Document) -> BTreeMap<String, BTreeMap<&'static str, String>> {
    let mut all = BTreeMap::new();
    let Some(list) = tables::list(document, NodeId::ROOT, ListId::Kernels, None) else {
        return all;
    };
    for row in 0..list.count() - list.secondary().functions {
        let text = |column: usize| {
            list.cell(row, column, &document.sources)
                .value
                .text()
                .into_owned()
        };
        let columns = ListId::Kernels.columns().iter().enumerate();
        let columns = columns.filter_map(|(at, column)| {
            let id = QUANTITIES.iter().find(|id| **id == column.id)?;
            // An unstated thread count is not compared.
            let text = text(at);
            let is_stated = *id != "eu_thread_count" || text != "0";
            // The messages that spill behind a reservation are a number of their own.
            let text = match text.split_once("; ") {
                Some((size, _)) if *id == "spill_size" => size.to_owned(),
                _ => text,
            };
            is_stated.then_some((*id, text))
        });
        all.entry(text(0)).or_insert_with(|| columns.collect());
    }
    all
}

/// Returns the kernels for which the numbers reported by `zeview diff --json` are not exactly the
/// differences between the kernel tables.
pub fn wrong_quantities(a: &[u8], b: &[u8]) -> Vec<String> {
    let reported = diff(a, b);
    let (before, after) = (quantities(&mut open(a)), quantities(&mut open(b)));
    let reported = entries(&reported["kernels"]);
    let mut wrong = Vec::new();
    for (name, from) in &before {
        let Some(to) = after.get(name) else { continue };
        let differ: BTreeSet<&str> = QUANTITIES
            .into_iter()
            .filter(|id| from.get(id) != to.get(id))
            .collect();
        let entry = reported.get(name);
        let measures = entry.and_then(|entry| entry["measures"].as_array());
        let found: BTreeSet<&str> = measures
            .into_iter()
            .flatten()
            .map(|measure| measure["key"].as_str().unwrap())
            .filter(|key| QUANTITIES.contains(key))
            .collect();
        if found != differ {
            wrong.push(format!(
                "{name}: reported {found:?}, the tables differ in {differ:?}"
            ));
        }
        // Equal numbers must not be reported as removed or added either.
        let fields = entry.and_then(|entry| entry["fields"].as_array());
        for field in fields.into_iter().flatten() {
            let key = field["key"].as_str().unwrap();
            let is_one_sided = field["from"].is_null() || field["to"].is_null();
            let is_number = QUANTITIES.contains(&key) && from.contains_key(key);
            let is_same = from.get(key) == to.get(key);
            if is_one_sided && is_number && is_same && from.get(key).is_some_and(|n| n != "0") {
                wrong.push(format!(
                    "{name}: {key} is reported, and the same in both tables"
                ));
            }
        }
    }
    wrong
}

/// Compares symbols and relocations.
fn linkage(reported: &Value, dumps: &(Value, Value), wrong: &mut Vec<String>) {
    let of = (symbols(&dumps.0), symbols(&dumps.1));
    let count = |x: &BTreeMap<(String, String), Vec<String>>,
                 y: &BTreeMap<(String, String), Vec<String>>| {
        x.keys().filter(|key| !y.contains_key(*key)).count()
    };
    let differ =
        of.0.iter()
            .filter(|(key, reported)| of.1.get(*key).is_some_and(|o| o != *reported));
    let moved = reported["symbols"]["changed"].as_array().unwrap().iter();
    let moved = moved.filter(|entry| {
        let fields = entry["fields"].as_array().unwrap();
        fields.iter().any(|field| field["key"] == "st_shndx")
    });
    let moved = moved.count();
    let expected = (
        differ.count() + moved,
        count(&of.1, &of.0),
        count(&of.0, &of.1),
    );
    let length = |key: &str| reported["symbols"][key].as_array().unwrap().len();
    let found = (
        length("changed"),
        length("added") + moved,
        length("removed") + moved,
    );
    if found != expected {
        wrong.push(format!(
            "symbols: zeview diff {found:?}, the dumps {expected:?}"
        ));
    }
    let of = (relocations(&dumps.0), relocations(&dumps.1));
    let mut expected: BTreeSet<String> = BTreeSet::new();
    for key in of.0.keys().chain(of.1.keys()) {
        if of.0.get(key) != of.1.get(key) {
            let symbol = if key.1.starts_with("symbol ") {
                ""
            } else {
                &key.1
            };
            expected.insert(format!("{} {symbol}", key.0).trim_end().to_owned());
        }
    }
    let mut found: BTreeSet<String> = BTreeSet::new();
    for key in ["added", "removed", "changed"] {
        for entry in reported["relocations"][key].as_array().unwrap() {
            let is_count = key != "changed"
                || entry["fields"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|f| f["key"] == "relocations");
            let name = entry.as_str().or(entry["name"].as_str()).unwrap();
            let mut words: Vec<&str> = name.split(' ').collect();
            words.remove(1);
            if is_count {
                found.insert(words.join(" "));
            }
        }
    }
    // One symbol may have several relocations.
    if !expected.is_subset(&found) {
        wrong.push(format!(
            "relocations: zeview diff {found:?}, the dumps {expected:?}"
        ));
    }
}

/// Compares sections and the bytes of sections with data.
fn data(reported: &Value, dumps: &(Value, Value), (a, b): (&[u8], &[u8]), wrong: &mut Vec<String>) {
    let of = (sections(&dumps.0), sections(&dumps.1));
    let added: BTreeSet<String> = of.1.difference(&of.0).cloned().collect();
    let removed: BTreeSet<String> = of.0.difference(&of.1).cloned().collect();
    // Bytes besides the notes of a note section are not a section.
    let found = |key: &str| -> BTreeSet<String> {
        let names = names(&reported["sections"][key]).into_iter();
        names.filter(|name| !name.ends_with(" (rest)")).collect()
    };
    let found = (found("added"), found("removed"));
    if found != (added.clone(), removed.clone()) {
        wrong.push(format!(
            "sections: zeview diff {found:?}, the dumps {added:?}, {removed:?}"
        ));
    }
    let changed = entries(&reported["sections"]);
    for name in of.0.intersection(&of.1) {
        let is_data = [
            ".data",
            ".spv",
            ".misc",
            ".gtpin_info",
            ".visaasm",
            ".debug",
        ];
        if !is_data.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let differs = bytes_of(&dumps.0, name, a) != bytes_of(&dumps.1, name, b);
        let fields = changed
            .get(name)
            .and_then(|entry| entry["fields"].as_array());
        let is_contents = |field: &Value| {
            let key = field["key"].as_str().unwrap();
            !key.starts_with("sh_")
        };
        if differs != fields.is_some_and(|fields| fields.iter().any(is_contents)) {
            wrong.push(format!("{name}: differs {differs}"));
        }
    }
}

/// Checks the invariants of every pair of files.
pub fn violations(a: &[u8], b: &[u8]) -> Vec<String> {
    let mut wrong = Vec::new();
    let (mut one, mut other) = (open(a), open(b));
    let there = compare(&mut one, &mut other, &Options::default());
    let back = compare(&mut open(b), &mut open(a), &Options::default());
    if there.equal != (a == b) {
        wrong.push(format!("equal: {}", there.equal));
    }
    if there.equal && !there.entries.is_empty() {
        wrong.push("equal files differ".to_owned());
    }
    let count = |of: &Comparison, wanted: Change| {
        of.entries
            .iter()
            .filter(|entry| entry.change == wanted)
            .count()
    };
    // Modules and images are matched by common contents, which may differ in the other direction.
    let is_matched = |of: &Comparison| {
        let mut entries = of.entries.iter();
        entries.any(|entry| matches!(entry.part, Part::Module | Part::Image))
    };
    if !there.is_cut && !back.is_cut && !is_matched(&there) && !is_matched(&back) {
        for (x, y) in [
            (Change::Added, Change::Removed),
            (Change::Removed, Change::Added),
        ] {
            if count(&there, x) != count(&back, y) {
                wrong.push(format!("{x:?} there is not {y:?} back"));
            }
        }
        if there.same_meaning() != back.same_meaning() {
            wrong.push("the meaning is the same only in one direction".to_owned());
        }
    }
    // Every location is within its file, and every difference has a location or equal bytes.
    for entry in &there.entries {
        let sides = entry
            .fields
            .iter()
            .map(|field| (field.from.as_ref(), field.to.as_ref()));
        let spans = sides.flat_map(|(from, to)| {
            let span = |side: Option<&zeview::diff::Side>| side.and_then(|side| side.span);
            [(span(from), true), (span(to), false)]
        });
        for (span, is_first) in spans.chain([(entry.a, true), (entry.b, false)]) {
            let sources = if is_first {
                &one.sources
            } else {
                &other.sources
            };
            if let Some(span) = span
                && !sources.whole(span.source).contains(span)
            {
                wrong.push(format!("{}: {span:?} is not in the file", entry.name));
            }
        }
        let has = |change: Change, side: Option<zeview::model::Span>| {
            if entry.change == change {
                side.is_none()
            } else {
                true
            }
        };
        if !has(Change::Added, entry.a) || !has(Change::Removed, entry.b) {
            wrong.push(format!(
                "{}: {:?} has bytes on both sides",
                entry.name, entry.change
            ));
        }
        for field in &entry.fields {
            if field.from.as_ref().map(|side| &side.value)
                == field.to.as_ref().map(|side| &side.value)
                && field.key != "contents"
            {
                wrong.push(format!("{}: {} does not differ", entry.name, field.path));
            }
        }
    }
    let mut sink = Vec::new();
    write_markdown(&there, &mut sink).unwrap();
    write_html(&there, &mut sink).unwrap();
    serde_json::to_string(&json(&there)).unwrap();
    wrong
}
