//! Validates the output of commands against the JSON Schemas in the documentation.
//!
//! Consumers accept keys that they do not know, so the schemas allow more keys. The tests do not: a
//! key without a description fails, and so does a description of a key that no output has.

use std::collections::BTreeSet;
use std::fmt::{self, Formatter};
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::cli::{stdout, zeview};

/// Each schema with its commands. `SAMPLES`, `FIXTURES`, … are folders; a final `*` runs the
/// command for every file in the folder.
const SCHEMAS: &[(&str, &[&str])] = &[
    (
        "ls",
        &[
            "ls --json --recursive ZEBIN/*",
            "ls --json --sections SAMPLES/*",
            "ls --json --images SAMPLES/*",
            "ls --json --recursive SYCLBIN/*",
        ],
    ),
    (
        "ls-symbols",
        &["ls --json --symbols ZEBIN/*", "ls --json --symbols HOST/*"],
    ),
    (
        "ls-relocations",
        &[
            "ls --json --relocations ZEBIN/*",
            "ls --json --relocations HOST/*",
        ],
    ),
    (
        "ls-files",
        &[
            "ls --json --files PACKAGE/streamed.whl",
            "ls --json --files PACKAGE",
        ],
    ),
    (
        "matrix",
        &[
            "matrix --json PACKAGE/streamed.whl",
            "matrix --json SAMPLES",
            "matrix --json SPILLS",
        ],
    ),
    (
        "find",
        &[
            "find --json kind=message ZEBIN/*",
            "find --json --rows kind=message HOST/*",
            "find --json --rows marks=spill SAMPLES/spill.dg2.zebin",
            "find --json --rows kind=message PACKAGE/streamed.whl",
        ],
    ),
    (
        "sizes",
        &[
            "sizes --json PACKAGE/streamed.whl",
            "sizes --json --by kernel ZEBIN/*",
            "sizes --json --by section HOST/*",
            "sizes --json SAMPLES/vecadd.bmg.zebin --since SAMPLES/damaged.zebin",
        ],
    ),
    (
        "dump",
        &[
            "dump --json --depth 5 ZEBIN/*",
            "dump --json --depth 3 SYCLBIN/*",
            "dump --json --depth 3 SAMPLES/damaged.zebin",
            "dump --json --path .ze_info/kernels SAMPLES/spill.dg2.zebin",
            "dump --json --path .ze_info/** SAMPLES/vecadd.bmg.zebin",
        ],
    ),
    (
        "disasm",
        &[
            "disasm --json ZEBIN/*",
            "disasm --json --dataflow SAMPLES/spill.dg2.zebin",
        ],
    ),
    (
        "disasm-spirv",
        &[
            "disasm --spirv --json ZEBIN/images.bmg.igc2.40.zebin",
            "disasm --spirv --raw-ids --json SPIRV/literals.spv",
        ],
    ),
    (
        "step",
        &[
            "step --json ZEBIN/debugme.tgllp.igc1.12504.zebin",
            "step --json ZEBIN/assertk.dg2.igc2.40.zebin",
            "step --json --kernel k1 ZEBIN/funcs-gtpin.cri.igc2.40.zebin",
        ],
    ),
    (
        "analyze",
        &[
            "analyze --json ZEBIN/*",
            "analyze --json SAMPLES/spill.dg2.zebin",
            "analyze --json --device bmg-g21 --kernel matmul SAMPLES/matmul.syclbin",
        ],
    ),
    (
        "profile",
        &[
            "profile --json SAMPLES/matmul.syclbin SAMPLES/matmul.csv",
            "profile --json SAMPLES/matmul.syclbin PROFILES/devices.csv --before SAMPLES/matmul.csv",
            "profile --json SAMPLES/vecadd-O0.bmg.zebin PROFILES/banner.csv",
            "profile --json SAMPLES/vecadd.bmg.zebin PROFILES/banner.csv --before PROFILES/banner.csv \
             --before-file SAMPLES/vecadd.bmg.zebin",
            "profile --json SAMPLES/vecadd.bmg.zebin PROFILES/metrics.csv",
            "profile --json SAMPLES/vecadd.bmg.zebin PROFILES/damaged/cut.csv",
            "profile --json SAMPLES/vecadd.bmg.zebin PROFILES/damaged/metrics-without-id.csv",
            "profile --json SAMPLES/vecadd.bmg.zebin PROFILES/old.csv PROFILES/timing.csv",
            "profile --json SAMPLES/vecadd.bmg.zebin PROFILES/accesses.json",
            "profile --json SAMPLES/matmul.syclbin PROFILES/executions.json",
            "profile --json ZEBIN/funcs-stackcall.cri.igc2.40.zebin PROFILES/functions.csv",
            "profile --json ZEBIN/debugme-lines.ptl-h.igc2.40.zebin PROFILES/lines.csv",
        ],
    ),
    (
        "check",
        &[
            "check --json ZEBIN/*",
            "check --json SYCLBIN/*",
            "check --json SAMPLES/*",
            "check --json PACKAGE/streamed.whl",
            "check --json HOSTILE/linkfail.zebin HOSTILE/fat_linkfail_member.ar",
            "check --json --device pvc ZEBIN/*",
            "check --json --device bmg-g21 SAMPLES/*",
            "check --json --path **/code SAMPLES/matmul.syclbin",
        ],
    ),
    (
        "check-devices",
        &[
            "check --json --device all SAMPLES/vecadd.bmg.zebin SAMPLES/program.host",
            "check --json --device all --path **/code SAMPLES/matmul.syclbin",
        ],
    ),
    (
        "kernels",
        &[
            "kernels --json ZEBIN/*",
            "kernels --json SPILLS",
            "kernels --json SAMPLES/program.host SAMPLES/matmul.syclbin SAMPLES/damaged.zebin",
            "kernels --json --profile PROFILES/metrics.csv --profile PROFILES/banner.csv \
             SAMPLES/vecadd.bmg.zebin",
            "kernels --json --columns name,family,arguments,instructions,compacted,sends,spill_messages,fill_messages,\
             atomic_messages,barrier_messages,dpas_instructions,blocks,loops,loop_nesting,\
             registers_used,scoreboard_waits,peak_live_registers,peak_live_registers_iga,dead_writes,\
             innermost_loop_cycles,loop_cycles,loop_issue_cycles,loop_float_operations,\
             loop_dpas_operations,loop_integer_operations,loop_global_bytes,loop_slm_bytes,loop_intensity SAMPLES/spill.dg2.zebin SAMPLES/vecadd-O0.bmg.zebin",
        ],
    ),
    (
        "kernels-groups",
        &[
            "kernels --json --group-by kernel SAMPLES/matmul.syclbin",
            "kernels --json --group-by image SAMPLES/program.host",
            "kernels --json --group-by kernel --profile SAMPLES/matmul.csv SAMPLES/matmul.syclbin",
            "kernels --json --group-by device SAMPLES/program.host",
            "kernels --json --group-by kernel --columns name,family,arguments,instructions,compacted,sends,\
             spill_messages,fill_messages,atomic_messages,barrier_messages,dpas_instructions,blocks,\
             loops,loop_nesting,registers_used,scoreboard_waits,peak_live_registers,peak_live_registers_iga,dead_writes,\
             innermost_loop_cycles,loop_cycles,loop_issue_cycles,loop_float_operations,\
             loop_dpas_operations,loop_integer_operations,loop_global_bytes,loop_slm_bytes,loop_intensity SAMPLES/matmul.syclbin",
        ],
    ),
    (
        "kernels-occupancy",
        &[
            "kernels --occupancy --json ZEBIN/*",
            "kernels --occupancy --json --work-group 16x16 --eus 8 SAMPLES/spill.dg2.zebin",
        ],
    ),
    (
        "images",
        &[
            "images --json HOST/*",
            "images --json SYCLBIN/*",
            "images --json --device bmg-g21 SAMPLES/program.host",
        ],
    ),
    (
        "lines",
        &[
            "lines --json ZEBIN/*",
            "lines --json --columns line,cycles,waits,live,spills,fills ZEBIN/*",
        ],
    ),
    (
        "modules",
        &[
            "modules --json SYCLBIN/*",
            "modules --json SAMPLES/matmul.syclbin SAMPLES/matmul.syclbin",
        ],
    ),
    ("rules", &["rules --json"]),
    ("devices", &["devices --json", "devices --json B580"]),
    (
        "diff",
        &[
            "diff --json OLD/0.bin NEW/0.bin",
            "diff --json OLD/1.bin NEW/1.bin",
            "diff --json OLD/2.bin NEW/2.bin",
            "diff --json --everything OLD/0.bin NEW/0.bin",
            "diff --json --everything OLD/1.bin NEW/1.bin",
            "diff --json --everything OLD/2.bin NEW/2.bin",
            "diff --json SAMPLES/matmul.syclbin SAMPLES/matmul.syclbin",
            "diff --json SAMPLES/matmul.syclbin SYCLBIN/v2_ir_zero.syclbin",
            "diff --json SPILLS/esimd-nospill.zebin SPILLS/esimd-spill.zebin",
            "diff --json SPILLS/esimd-spill.zebin SPILLS/esimd-nospill.zebin",
        ],
    ),
    (
        "diff-folders",
        &[
            "diff --json ZEBIN SAMPLES",
            "diff --json OLD NEW",
            "diff --json --everything OLD NEW",
        ],
    ),
];

/// Keys of a schema that no output in these tests has.
const RARE: &[(&str, &str)] = &[
    // Dumps beyond the limit: `a_dump_that_is_too_long_says_so` in hostile.rs.
    ("dump", "stopped"),
    // C++ kernels: `tests/corpus/diff.rs`.
    ("diff", "demangled"),
    ("diff-folders", "demangled"),
    // Code that is too long, or takes too much work: cli_dataflow.rs.
    ("kernels-groups", "unknown"),
    ("lines", "unknown"),
    // Differences in decompressed bytes.
    ("diff", "source"),
    ("diff-folders", "source"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns a folder by its name in [`SCHEMAS`].
fn folder(name: &str) -> Option<PathBuf> {
    let relative = match name {
        "SAMPLES" => "www/samples",
        "ZEBIN" => "tests/fixtures/zebin",
        "SYCLBIN" => "tests/fixtures/syclbin",
        "PROFILES" => "tests/fixtures/profiles",
        "HOST" => "tests/fixtures/host",
        "PACKAGE" => "tests/fixtures/package",
        "SPILLS" => "tests/fixtures/spills",
        "SPIRV" => "tests/fixtures/spirv",
        "HOSTILE" => "tests/fixtures/hostile",
        "OLD" | "NEW" => return Some(copies(name)),
        _ => return None,
    };
    Some(root().join(relative))
}

/// Pairs of files with many kinds of differences: in values, in nested documents, in kernel names.
/// In two folders they have the same names.
const PAIRS: &[[&str; 2]] = &[
    [
        "www/samples/vecadd-O0.bmg.zebin",
        "www/samples/vecadd.bmg.zebin",
    ],
    [
        "www/samples/program.host",
        "tests/fixtures/syclbin/up23_kernel.sycl-ob",
    ],
    [
        "tests/fixtures/hostile/linkfail.zebin",
        "tests/fixtures/zebin/dpas.lnl-m.igc2.40.zebin",
    ],
];

/// A folder with one file of each of [`PAIRS`].
fn copies(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("schemas-{name}"));
    fs::create_dir_all(&folder).unwrap();
    for (at, [old, new]) in PAIRS.iter().enumerate() {
        let from = root().join(if name == "OLD" { old } else { new });
        fs::copy(from, folder.join(format!("{at}.bin"))).unwrap();
    }
    folder
}

/// Returns the files for a `*`, without their descriptions.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_binary = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        !matches!(extension, Some("md" | "tree" | "json" | "csv"))
    };
    // 600 kernels are decoded like three.
    let is_small = |path: &PathBuf| path.metadata().unwrap().len() < 1_000_000;
    let paths = entries.filter(is_binary).filter(is_small);
    let mut files: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    files.sort();
    files
}

/// Returns the parsed output of a command of [`SCHEMAS`].
fn outputs(command: &str) -> Vec<Value> {
    let words = command.split_whitespace();
    let mut each = Vec::new();
    let mut arguments = Vec::new();
    for word in words {
        let (start, name) = word.split_once('/').unwrap_or((word, ""));
        match folder(start) {
            Some(folder) if name == "*" => each = files(&folder),
            Some(folder) => arguments.push(folder.join(name).display().to_string()),
            None => arguments.push(word.to_owned()),
        }
    }
    let run = |file: Option<&str>| {
        let all = arguments.iter().map(String::as_str).chain(file);
        let output = zeview(&all.collect::<Vec<_>>());
        let text = stdout(&output);
        // Some commands print nothing for unsupported files.
        let text = text.trim();
        (!text.is_empty())
            .then(|| unique(text).unwrap_or_else(|error| panic!("{command}: {error}")))
    };
    if each.is_empty() {
        return run(None).into_iter().collect();
    }
    each.iter().filter_map(|file| run(Some(file))).collect()
}

/// Parses a text whose objects have each key once: of several, readers keep one, or refuse the text.
fn unique(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).map(|Unique(value)| value)
}

struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        deserializer.deserialize_any(UniqueKeys)
    }
}

struct UniqueKeys;

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Unique;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("a value of JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Unique, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Unique(values.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Unique, A::Error> {
        let mut members = Map::new();
        while let Some((key, Unique(value))) = object.next_entry::<String, Unique>()? {
            if members.contains_key(&key) {
                return Err(A::Error::custom(format!("two keys {key:?} in an object")));
            }
            members.insert(key, value);
        }
        Ok(Unique(members.into()))
    }
}

fn schema(name: &str) -> Value {
    let path = root().join("docs/src/schemas").join(format!("{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).unwrap()
}

/// Forbids keys without a description, in every object of a schema.
fn close(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if map.contains_key("properties") && !map.contains_key("additionalProperties") {
        map.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    for (key, value) in map {
        match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => named.values_mut().for_each(close),
            ("anyOf" | "oneOf", Value::Array(list)) => list.iter_mut().for_each(close),
            ("items" | "additionalProperties", value) => close(value),
            _ => {}
        }
    }
}

/// Collects the described keys, and fails for one without a description.
fn described(schema: &Value, keys: &mut BTreeSet<String>) {
    let Value::Object(map) = schema else { return };
    for (key, value) in map {
        match (key.as_str(), value) {
            ("properties", Value::Object(named)) => {
                for (name, property) in named {
                    let mut texts = ["description", "$ref"].iter();
                    let is_described = texts.any(|text| property.get(text).is_some());
                    assert!(is_described, "{name} has no description");
                    keys.insert(name.clone());
                    described(property, keys);
                }
            }
            ("$defs", Value::Object(named)) => {
                named.values().for_each(|value| described(value, keys));
            }
            ("anyOf" | "oneOf", Value::Array(list)) => {
                list.iter().for_each(|value| described(value, keys));
            }
            ("items" | "additionalProperties", value) => described(value, keys),
            _ => {}
        }
    }
}

fn keys_of(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            keys.extend(map.keys().cloned());
            map.values().for_each(|value| keys_of(value, keys));
        }
        Value::Array(list) => list.iter().for_each(|value| keys_of(value, keys)),
        _ => {}
    }
}

#[test]
fn output_matches_the_schemas() {
    let mut problems = Vec::new();
    for (name, commands) in SCHEMAS {
        let mut schema = schema(name);
        let mut expected = BTreeSet::new();
        described(&schema, &mut expected);
        close(&mut schema);
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut seen = BTreeSet::new();
        for command in *commands {
            let outputs = outputs(command);
            if outputs.is_empty() {
                problems.push(format!("zeview {command} prints nothing"));
            }
            for output in outputs {
                let errors = validator.iter_errors(&output).take(3);
                problems.extend(errors.map(|error| {
                    let place = error.instance_path().to_string();
                    let text: String = error.to_string().chars().take(300).collect();
                    format!("{name}.json: zeview {command}: {place}: {text}")
                }));
                keys_of(&output, &mut seen);
            }
        }
        let missing = expected.difference(&seen);
        let missing = missing.filter(|key| !RARE.contains(&(*name, key.as_str())));
        problems.extend(missing.map(|key| format!("{name}.json: no output has {key:?}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_schema_is_tested_and_documented() {
    let text = fs::read_to_string(root().join("docs/src/reference/json.md")).unwrap();
    for entry in fs::read_dir(root().join("docs/src/schemas")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let name = file.strip_suffix(".json").expect("schemas only");
        assert!(
            SCHEMAS.iter().any(|(known, _)| *known == name),
            "{file} is not tested"
        );
        assert!(
            text.contains(&format!("schemas/{file}")),
            "{file} is not documented"
        );
    }
}

/// Checks that validation finds errors.
#[test]
fn a_key_that_stands_twice_is_found() {
    assert!(unique(r#"[{"a": {"b": 1, "c": null}}, {"a": 2.5}]"#).is_ok());
    let error = unique(r#"[{"a": {"b": 1, "b": 1}}]"#).unwrap_err();
    assert!(error.to_string().contains("two keys \"b\""), "{error}");
}

#[test]
fn schemas_reject_other_output() {
    let mut schema = schema("rules");
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut rules = outputs("rules --json").remove(0);
    assert!(validator.is_valid(&rules));
    rules[0]["undescribed"] = Value::Null;
    assert!(!validator.is_valid(&rules));
    assert!(!validator.is_valid(&serde_json::json!([{"schema": 1}])));
}
