//! The schema of `.ze_info`: compared with its specification and with real files, and each of its
//! rows in a separate text.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::support::{fixtures, open, tree, zebin};
use zeview::decode::zebin::ze_info::schema::{
    self, Default, Driver, Key, TABLES, Table, Type, VALUES,
};
use zeview::model::text::value_text;
use zeview::model::{Document, NodeKind};

/// Returns the lines of a table under `tests/spec`.
fn lines(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect()).collect()
}

fn default_text(default: Default) -> String {
    match default {
        Default::None => "-".to_owned(),
        Default::Int(number) => number.to_string(),
        Default::Bool(yes) => yes.to_string(),
        Default::Ints([x, y, z]) => format!("{x},{y},{z}"),
    }
}

#[test]
fn keys_match_the_specification() {
    let spec = lines(include_str!("../spec/ze_info_keys.tsv"));
    assert_eq!(spec.len(), 127);
    let mut in_spec = HashSet::new();
    for line in &spec {
        let [table, name, ty, need, default, since] = line[..] else {
            panic!("{line:?}")
        };
        in_spec.insert((table, name));
        let place = format!("{table}/{name}");
        let table = TABLES.iter().find(|t| t.name == table).expect(&place);
        let key = table.key(name.as_bytes()).expect(&place);
        assert_eq!(key.ty.name(), ty, "{place}");
        assert_eq!(key.required, need == "required", "{place}");
        assert_eq!(default_text(key.default), default, "{place}");
        assert_eq!(key.since, since.parse().ok(), "{place}");
    }
    // Keys that are not in the specification are marked.
    for table in TABLES {
        for key in table.keys {
            let listed = in_spec.contains(&(table.name, key.name));
            let legacy = key.removed.is_some() || key.since.is_none();
            assert!(listed || legacy, "{}/{}", table.name, key.name);
        }
    }
}

#[test]
fn words_match_the_specification() {
    let spec = lines(include_str!("../spec/ze_info_values.tsv"));
    assert_eq!(spec.len(), 100);
    let mut in_spec = HashSet::new();
    for line in &spec {
        let [list, word, since] = line[..] else {
            panic!("{line:?}")
        };
        in_spec.insert((list, word));
        let place = format!("{list}/{word}");
        let list = VALUES.iter().find(|l| l.name == list).expect(&place);
        let value = list.value(word.as_bytes()).expect(&place);
        assert_eq!(value.since, since.parse().ok(), "{place}");
        assert_eq!(value.removed, None, "{place}");
    }
    for list in VALUES {
        for value in list.values {
            let listed = in_spec.contains(&(list.name, value.name));
            let legacy = value.removed.is_some() || value.since.is_none();
            assert!(listed || legacy, "{}/{}", list.name, value.name);
        }
    }
}

/// Returns the `.ze_info` rules that a document violates, except informational ones.
fn complaints(document: &Document) -> Vec<String> {
    let rules = document
        .diagnostics
        .iter()
        .filter(|d| d.rule.starts_with("ze-info/"));
    rules
        .map(|d| format!("{}: {}", d.rule, d.message))
        .collect()
}

/// The schema knows each key, word and type in files written by compilers.
#[test]
fn real_files_have_no_unknown_keys() {
    let mut files = fixtures::zebins();
    match fixtures::corpus() {
        Some(corpus) => files.extend(fixtures::in_folder(&corpus.join("samples/zebin"), "zebin")),
        None => eprintln!("ZEVIEW_CORPUS is not set: only the fixtures are read"),
    }
    let mut wrong = String::new();
    for file in &files {
        for complaint in complaints(&open(&file.bytes)) {
            let _ = writeln!(wrong, "{}: {complaint}", file.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A text with one key of a table, and the required keys around it.
struct Text {
    lines: Vec<String>,
}

/// Returns the ancestors of a table from the root on, each with the key that leads to the next one.
fn ancestry_of(table: &'static Table) -> Vec<(&'static Table, &'static Key)> {
    for outer in TABLES {
        for key in outer.keys {
            let leads = key.table().is_some_and(|inner| std::ptr::eq(inner, table));
            if leads && key.instead.is_empty() {
                let mut ancestry = ancestry_of(outer);
                ancestry.push((outer, key));
                return ancestry;
            }
        }
    }
    assert!(std::ptr::eq(table, &schema::CONTAINER), "{}", table.name);
    Vec::new()
}

fn good_value(key: &Key) -> String {
    match key.ty {
        Type::Int32 | Type::Int64 => key.allowed.last().copied().unwrap_or(17).to_string(),
        Type::Float => "1.5".to_owned(),
        Type::Bool => "true".to_owned(),
        Type::Str if key.name == "version" => "'1.73'".to_owned(),
        Type::Str => "text".to_owned(),
        Type::Int32x3 => "[ 4, 5, 6 ]".to_owned(),
        Type::Strings => "[ one, two ]".to_owned(),
        Type::Enum(list) => list.values[0].name.to_owned(),
        Type::Mapping(_) | Type::Sequence(_) | Type::Either(_) => String::new(),
    }
}

/// Returns values that do not fit the type of the key.
fn bad_values(key: &Key) -> &'static [&'static str] {
    match key.ty {
        Type::Int32 => &["text", "'17'", "1.5", "2147483648", "[ 1 ]", "true", ""],
        Type::Int64 => &["text", "9223372036854775808"],
        Type::Float => &["text", "true"],
        Type::Bool => &["text", "1", "'true'", "[ true ]", ""],
        Type::Str => &["[ 1 ]", ""],
        Type::Enum(_) => &["[ 1 ]", ""],
        Type::Int32x3 => &["17", "[ a, 1, 2 ]", "text", ""],
        Type::Strings => &["text"],
        Type::Mapping(_) | Type::Sequence(_) | Type::Either(_) => &["text"],
    }
}

impl Text {
    /// Returns a text with this value of the key; collections get the required keys of their items.
    fn of(table: &'static Table, key: &'static Key, value: &str) -> Text {
        let mut text = Text { lines: Vec::new() };
        let mut ancestry = ancestry_of(table);
        ancestry.push((table, key));
        text.mapping(&ancestry, 0, value);
        text
    }

    fn mapping(&mut self, ancestry: &[(&'static Table, &'static Key)], depth: usize, value: &str) {
        let ((table, chosen), deeper) = ancestry.split_first().unwrap();
        for key in table.keys {
            let is_chosen = std::ptr::eq(key, *chosen);
            if !is_chosen && !key.required {
                continue;
            }
            if is_chosen && !deeper.is_empty() {
                self.line(depth, key.name, "");
                let item = matches!(key.ty, Type::Sequence(_));
                let start = self.lines.len();
                self.mapping(deeper, depth + 1, value);
                if item {
                    self.make_item(start, depth + 1);
                }
            } else if is_chosen {
                self.line(depth, key.name, value);
                if value.is_empty() {
                    self.required(key, depth);
                }
            } else {
                self.line(depth, key.name, &good_value(key));
                self.required(key, depth);
            }
        }
    }

    fn required(&mut self, key: &'static Key, depth: usize) {
        let Some(table) = key.table() else { return };
        let start = self.lines.len();
        for key in table.keys.iter().filter(|key| key.required) {
            self.line(depth + 1, key.name, &good_value(key));
            self.required(key, depth + 1);
        }
        if start == self.lines.len() {
            let key = &table.keys[0];
            self.line(depth + 1, key.name, &good_value(key));
        }
        if matches!(key.ty, Type::Sequence(_)) {
            self.make_item(start, depth + 1);
        }
    }

    fn line(&mut self, depth: usize, name: &str, value: &str) {
        let name = format!("{name}:");
        self.lines
            .push(format!("{}{name:16} {value}", "  ".repeat(depth)));
    }

    /// Makes the lines from `start` on an item of a sequence.
    fn make_item(&mut self, start: usize, depth: usize) {
        let indent = "  ".repeat(depth);
        for (at, line) in self.lines[start..].iter_mut().enumerate() {
            let rest = line.strip_prefix(&*indent).unwrap();
            *line = format!("{indent}{} {rest}", if at == 0 { "-" } else { " " });
        }
    }

    fn open(&self) -> (String, Document) {
        let text = format!("---\n{}\n...\n", self.lines.join("\n"));
        let file = zebin::zebin(&["text"])
            .bytes(".ze_info", text.clone())
            .build();
        (text, open(&file.bytes))
    }
}

/// Returns the key's row below `.ze_info`: its value as text, and its meaning.
fn row_of(document: &Document, key: &Key) -> Option<(String, &'static str)> {
    let tree = tree::walk_all(document).unwrap();
    let mut nodes = tree.nodes.iter().map(|flat| &flat.node);
    let row =
        nodes.find(|n| n.doc.is_some_and(|doc| std::ptr::eq(doc, &key.doc)) && n.span.is_some())?;
    Some((value_text(&row.value), row.doc?.text))
}

#[test]
fn each_key_has_a_row_that_says_what_it_means() {
    for table in TABLES {
        for key in table.keys {
            let place = format!("{}/{}", table.name, key.name);
            let (text, document) = Text::of(table, key, &good_value(key)).open();
            let wrong = complaints(&document);
            let legacy = key.since.is_none() || key.removed.is_some();
            let expected = usize::from(legacy);
            assert_eq!(wrong.len(), expected, "{place}: {wrong:?} in\n{text}");
            let (value, doc) =
                row_of(&document, key).unwrap_or_else(|| panic!("{place}: no row in\n{text}"));
            assert!(doc.contains(key.ty.name()), "{place}: {doc}");
            if key.ty.is_scalar() {
                let good = good_value(key);
                let written = good.trim_matches('\'');
                assert!(
                    value == written || value == format!("\"{written}\""),
                    "{place}: {value}"
                );
            }
        }
    }
}

#[test]
fn each_word_is_known_and_others_are_not() {
    for table in TABLES {
        for key in table.keys {
            let Type::Enum(list) = key.ty else { continue };
            assert_eq!(key.doc.known.len(), list.values.len());
            for value in list.values {
                let place = format!("{}/{}: {}", table.name, key.name, value.name);
                let (_, document) = Text::of(table, key, value.name).open();
                let legacy = value.since.is_none() || value.removed.is_some();
                let wrong = complaints(&document);
                assert_eq!(wrong.len(), usize::from(legacy), "{place}: {wrong:?}");
            }
            let (_, document) = Text::of(table, key, "no_such_word").open();
            let wrong = complaints(&document);
            assert!(
                wrong[0].starts_with("ze-info/unknown-value: line "),
                "{wrong:?}"
            );
            assert_eq!(wrong.len(), 1, "{wrong:?}");
        }
    }
}

#[test]
fn values_of_other_types_are_named() {
    for table in TABLES {
        for key in table
            .keys
            .iter()
            .filter(|key| key.removed.is_none() && key.since.is_some())
        {
            for bad in bad_values(key) {
                // The text of a version has further checks.
                let place = format!("{}/{}: {bad:?}", table.name, key.name);
                let mut text = Text::of(table, key, "WRONG");
                for line in &mut text.lines {
                    *line = line.replace("WRONG", bad);
                }
                let (written, document) = text.open();
                let wrong = complaints(&document);
                let named = wrong
                    .iter()
                    .any(|w| w.starts_with("ze-info/wrong-type: line "));
                assert!(named, "{place}: {wrong:?} in\n{written}");
            }
        }
    }
}

#[test]
fn missing_required_keys_are_reported() {
    for table in TABLES {
        for key in table.keys.iter().filter(|key| key.required) {
            let other = table
                .keys
                .iter()
                .find(|k| !k.required && k.removed.is_none());
            let chosen = other.unwrap_or(table.keys.last().unwrap());
            if std::ptr::eq(chosen, key) {
                continue;
            }
            let mut text = Text::of(table, chosen, &good_value(chosen));
            let (before, _) = text.open();
            // Without the line of the key, and its descendants.
            let depth = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
            let level = 2 * way_depth(table);
            let is_key = |line: &String| {
                depth(line) == level
                    && line
                        .trim_start_matches([' ', '-'])
                        .starts_with(&format!("{}:", key.name))
            };
            let Some(at) = text.lines.iter().rposition(is_key) else {
                panic!("{}/{} in\n{before}", table.name, key.name)
            };
            let end = (at + 1..text.lines.len()).find(|i| depth(&text.lines[*i]) <= level);
            let end = end.unwrap_or(text.lines.len());
            let dash = text.lines[at].trim_start().starts_with('-');
            text.lines.drain(at..end);
            if dash {
                let line = &mut text.lines[at];
                line.replace_range(level - 2..level - 1, "-");
            }
            let (after, document) = text.open();
            let wrong = complaints(&document);
            let what = format!("{}: missing required key {}", table.name, key.name);
            let named = wrong
                .iter()
                .any(|w| w.starts_with("ze-info/missing-key: line ") && w.ends_with(&what));
            assert!(named, "{what}: {wrong:?} in\n{after}");
        }
    }
}

/// Returns the number of levels by which a table's keys are indented; an item counts as one more.
fn way_depth(table: &'static Table) -> usize {
    let level = |(_, key): &(&Table, &Key)| 1 + usize::from(matches!(key.ty, Type::Sequence(_)));
    ancestry_of(table).iter().map(level).sum()
}

#[test]
fn absent_keys_have_derived_rows_with_their_defaults() {
    let text = "---\nversion: '1.38'\nkernels:\n  - name: k\n    execution_env:\n      grf_count: 128\n      simd_size: 16\n    payload_arguments:\n      - arg_type: arg_byvalue\n        offset: 0\n        size: 4\n        arg_index: 0\n...\n";
    let file = zebin::zebin(&["k"]).bytes(".ze_info", text).build();
    let document = open(&file.bytes);
    let tree = tree::walk_all(&document).unwrap();
    let defaults: Vec<(&str, String)> = tree
        .nodes
        .iter()
        .filter(|flat| flat.node.is_default())
        .map(|flat| (&*flat.node.name, value_text(&flat.node.value)))
        .collect();
    assert!(defaults.contains(&("slm_size", "0".to_owned())));
    assert!(defaults.contains(&("has_dpas", "false".to_owned())));
    assert!(defaults.contains(&("source_offset", "-1".to_owned())));
    // Not before its version, not where it does not apply, not if it is present.
    for absent in [
        "spill_size",
        "sampler_index",
        "slm_alignment",
        "grf_count",
        "arg_index",
    ] {
        assert!(defaults.iter().all(|(name, _)| *name != absent), "{absent}");
    }
    let walk = tree
        .nodes
        .iter()
        .find(|f| f.node.name == "work_group_walk_order_dimensions")
        .unwrap();
    assert_eq!(walk.node.summary.as_deref(), Some("[0, 1, 2] (default)"));
    assert!(walk.node.kind == NodeKind::Derived && walk.node.span.is_none());
    let mut dump = Vec::new();
    let options = zeview::model::text::TextOptions::default();
    zeview::model::text::write_tree(&document, document.root(), options, &mut dump).unwrap();
    assert!(!String::from_utf8(dump).unwrap().contains("(default)"));
}

#[test]
fn versions_are_checked() {
    let rule = |version: &str| {
        let text = format!("version: {version}\nkernels: []\n");
        let file = zebin::zebin(&["k"]).bytes(".ze_info", text).build();
        let document = open(&file.bytes);
        let mut rules = document
            .diagnostics
            .iter()
            .filter(|d| d.rule.starts_with("ze-info/"));
        rules
            .next()
            .map(|d| (d.rule.to_string(), d.severity.name()))
    };
    assert_eq!(rule("'1.73'"), None);
    assert_eq!(rule("1.73"), None);
    let newer = ("ze-info/newer-minor-version".to_owned(), "info");
    assert_eq!(rule("'1.74'"), Some(newer));
    assert_eq!(rule("'2.0'").unwrap().0, "ze-info/other-major-version");
    for bad in ["one", "'1'", "'1.73.1'", "''", "'1.x'"] {
        assert_eq!(rule(bad).unwrap().0, "ze-info/malformed-version", "{bad}");
    }
}

/// Observed driver behavior is part of the table.
#[test]
fn the_driver_is_in_the_tables() {
    let key = |table: &'static Table, name: &str| table.key(name.as_bytes()).unwrap().driver;
    for name in ["quantum_size", "generate_local_id", "has_device_enqueue"] {
        assert_eq!(key(&schema::EXECUTION_ENV, name), Driver::Unknown);
    }
    assert_eq!(
        key(&schema::CONTAINER, "kernels_cost_info"),
        Driver::Unknown
    );
    assert_eq!(
        key(&schema::KERNEL, "binding_table_indexes"),
        Driver::Unknown
    );
    assert_eq!(
        key(&schema::EXECUTION_ENV, "actual_kernel_start_offset"),
        Driver::Ignores
    );
    let word = |name: &str| schema::ARGUMENT_TYPE.value(name.as_bytes()).unwrap().driver;
    assert_eq!(word("region_group_size"), Driver::Unknown);
    assert_eq!(word("region_group_dimension"), Driver::Reads);
    assert_eq!(word("flat_image_pitch"), Driver::Reads);
    assert_eq!(word("local_id"), Driver::Rejects);
    assert_eq!(
        schema::IMAGE_TYPE.value(b"image_cube").unwrap().driver,
        Driver::Unknown
    );
    assert_eq!(
        schema::ALLOCATION_TYPE.value(b"slm").unwrap().driver,
        Driver::Rejects
    );
}
