//! Compares two files by their dumps, by path and key, independently of `zeview diff`. Each dump
//! becomes lines of a path and a value, without layout.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use zeview::model::json::write_tree;
use zeview::model::text::TextOptions;
use zeview::model::{Document, NodeId};

/// Dumps a file.
pub fn dump(document: &mut Document) -> Value {
    document.open_files(NodeId::ROOT);
    document.open_all();
    let root = document.root().clone();
    let mut out = Vec::new();
    write_tree(document, &root, TextOptions::default(), &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

pub fn name(node: &Value) -> &str {
    node["name"].as_str().unwrap()
}

fn kind(node: &Value) -> &str {
    node["kind"].as_str().unwrap()
}

/// Returns the children, excluding syntax, padding, gaps and derived rows.
pub fn children(node: &Value) -> Vec<&Value> {
    let all = node["children"].as_array();
    let all = all.into_iter().flatten();
    all.filter(|child| !matches!(kind(child), "syntax" | "padding" | "gap" | "derived"))
        .collect()
}

pub fn child<'v>(node: &'v Value, wanted: &str) -> Option<&'v Value> {
    children(node)
        .into_iter()
        .find(|child| name(child) == wanted)
}

/// Keys that identify the entries of a list.
const KEYS: [&str; 9] = [
    "name",
    "device_name",
    "arg_type",
    "arg_index",
    "source_offset",
    "index",
    "type",
    "usage",
    "sampler_index",
];

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Collects the values below a node, by path.
pub fn leaves(node: &Value, path: &str, out: &mut BTreeMap<String, Value>) {
    let below = children(node);
    let is_list = kind(node) == "sequence"
        && below
            .iter()
            .all(|c| kind(c) == "field" && children(c).is_empty());
    if is_list {
        let values = below.iter().map(|child| child["value"].clone());
        out.insert(path.to_owned(), values.collect());
        return;
    }
    if below.is_empty() {
        out.insert(path.to_owned(), node["value"].clone());
        return;
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for child in below {
        let is_entry = child.get("index").is_some();
        let own = if !is_entry {
            name(child).to_owned()
        } else {
            let mut words = Vec::new();
            for key in KEYS {
                if let Some(found) = self::child(child, key) {
                    words.push(word(&found["value"]));
                    if key.ends_with("name") {
                        break;
                    }
                }
            }
            if words.is_empty() {
                child["index"].to_string()
            } else {
                words.join(" ")
            }
        };
        let nth = seen.entry(own.clone()).or_default();
        *nth += 1;
        let own = match *nth {
            1 => own,
            nth => format!("{own}#{nth}"),
        };
        let path = match (is_entry, path.is_empty()) {
            (true, _) => format!("{path}[{own}]"),
            (false, true) => own,
            (false, false) => format!("{path}/{own}"),
        };
        leaves(child, &path, out);
    }
}

/// Returns the values of a zebin's kernels, by kernel and path.
pub fn kernels(dump: &Value) -> BTreeMap<String, BTreeMap<String, Value>> {
    let mut found = BTreeMap::new();
    let Some(ze_info) = child(dump, ".ze_info") else {
        return found;
    };
    let lists = ["kernels", "kernels_misc_info", "kernels_cost_info"];
    for list in lists {
        for kernel in child(ze_info, list).map(children).into_iter().flatten() {
            let path = if list == "kernels" { "" } else { list };
            let all: &mut BTreeMap<String, Value> =
                found.entry(name(kernel).to_owned()).or_default();
            leaves(kernel, path, all);
        }
    }
    found
}

/// Returns the instructions of a kernel as text, with jumps without targets, and the number of
/// jumps.
pub fn code(dump: &Value, kernel: &str) -> Option<(Vec<String>, usize)> {
    let section = child(dump, &format!(".text.{kernel}"))?;
    let mut lines = Vec::new();
    let mut jumps = 0;
    fn walk(node: &Value, lines: &mut Vec<String>, jumps: &mut usize) {
        if kind(node) == "instruction" {
            let text = node["summary"].as_str().unwrap_or_default();
            // The dump has the line of the source behind the text.
            let refs = node["refs"].as_array().into_iter().flatten();
            let line = refs
                .filter(|to| to["why"] == "source")
                .find_map(|to| to["label"].as_str());
            let line = line.map(|line| format!(", {line}"));
            let text = line
                .and_then(|line| text.strip_suffix(&*line))
                .unwrap_or(text);
            let mut words = Vec::new();
            let mut can_jump = false;
            for word in text.split_whitespace() {
                let digits = word.strip_prefix('L').unwrap_or("");
                let is_label = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                can_jump |= is_label;
                let word = if is_label { "L" } else { word };
                let word = word
                    .replace("{Compacted,", "{")
                    .replace("{Compacted}", "")
                    .replace(",Compacted", "");
                if !word.is_empty() {
                    words.push(word);
                }
            }
            *jumps += usize::from(can_jump);
            lines.push(words.join(" "));
        }
        for child in children(node) {
            walk(child, lines, jumps);
        }
    }
    walk(section, &mut lines, &mut jumps);
    // Zero bytes for prefetching.
    while lines.last().is_some_and(|line| line == "illegal") {
        lines.pop();
    }
    Some((lines, jumps))
}

/// Returns lower bounds of the number of lines only in the first list, and only in the second.
pub fn edits(a: &[String], b: &[String]) -> (u64, u64) {
    let mut row = vec![0_usize; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    let common = row[b.len()];
    ((a.len() - common) as u64, (b.len() - common) as u64)
}

/// Returns the notes of a zebin: name and bytes.
pub fn notes(dump: &Value, bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for section in children(dump) {
        if !name(section).starts_with(".note.intelgt") {
            continue;
        }
        for note in children(section).iter().filter(|note| kind(note) == "item") {
            let desc = child(note, "desc").unwrap();
            let place = |key: &str| usize::try_from(desc[key].as_u64().unwrap()).unwrap();
            let desc = bytes[place("start")..place("end")].to_vec();
            found.insert(name(note).to_owned(), desc);
        }
    }
    found
}

/// Returns the values of each symbol of a zebin, by name and section.
pub fn symbols(dump: &Value) -> BTreeMap<(String, String), Vec<String>> {
    let mut found = BTreeMap::new();
    let table = child(dump, ".symtab").map(children);
    for symbol in table.into_iter().flatten().skip(1) {
        let field = |key: &str| child(symbol, key).map(|field| field["value"].to_string());
        let shndx = child(symbol, "st_shndx").unwrap();
        let home = match shndx.get("summary") {
            Some(section) => word(section),
            None => word(&shndx["text"]),
        };
        let said = ["st_value", "st_size", "st_info", "st_other"];
        let said = said
            .iter()
            .map(|key| field(key).unwrap_or_default())
            .collect();
        found.insert((name(symbol).to_owned(), home), said);
    }
    found
}

/// Returns the number of relocations of a zebin, by section and symbol.
pub fn relocations(dump: &Value) -> BTreeMap<(String, String), usize> {
    let mut found = BTreeMap::new();
    for section in children(dump) {
        let own = name(section);
        if !own.starts_with(".rel") {
            continue;
        }
        let refs = section["refs"].as_array().into_iter().flatten();
        let target = refs
            .filter(|to| to["why"] == "patches")
            .find_map(|to| to["label"].as_str());
        let target = target.unwrap_or_default();
        for relocation in children(section) {
            let key = (target.to_owned(), name(relocation).to_owned());
            *found.entry(key).or_default() += 1;
        }
    }
    found
}

/// Returns the names of the sections of a zebin.
pub fn sections(dump: &Value) -> BTreeSet<String> {
    let headers = child(dump, "section headers").map(children);
    let names = headers
        .into_iter()
        .flatten()
        .map(|node| name(node).to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

/// Returns the bytes of a section of a zebin.
pub fn bytes_of<'b>(dump: &Value, section: &str, bytes: &'b [u8]) -> Option<&'b [u8]> {
    let node = child(dump, section)?;
    let place = |key: &str| usize::try_from(node[key].as_u64().unwrap()).unwrap();
    bytes.get(place("start")..place("end"))
}
