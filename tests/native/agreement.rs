//! Agreement: surfaces that state the same quantity of a kernel state the same number.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cli::{stdout, zeview};
use crate::support::fixtures;

/// The columns whose numbers other commands state, too.
const COLUMNS: [&str; 9] = [
    "instructions",
    "sends",
    "loops",
    "loop_nesting",
    "spill_messages",
    "fill_messages",
    "dead_writes",
    "peak_live_registers",
    "innermost_loop_cycles",
];

/// The numbers of a kernel by column; without those that a surface does not have.
type Numbers = BTreeMap<&'static str, Value>;

/// The kernels of a file, each with its name, in any order: an archive has several builds.
type Kernels = Vec<(String, Numbers)>;

fn objects(arguments: &[&str]) -> Vec<Value> {
    match serde_json::from_str(&stdout(&zeview(arguments))) {
        Ok(Value::Array(all)) => all,
        _ => Vec::new(),
    }
}

fn name(object: &Value, key: &str) -> String {
    object[key].as_str().unwrap_or_default().to_owned()
}

fn sorted(mut kernels: Kernels) -> Kernels {
    kernels.sort_by_cached_key(|kernel| format!("{kernel:?}"));
    kernels
}

/// What `zeview kernels` states.
fn listed(file: &str, more: &[&str]) -> Kernels {
    let columns = COLUMNS.join(",");
    let arguments = [&["kernels", "--json", "--columns", &columns], more, &[file]];
    let rows = objects(&arguments.concat());
    let rows = rows.iter().map(|row| {
        let numbers = COLUMNS.map(|column| (column, row[column].clone()));
        (name(row, "name"), numbers.into_iter().collect())
    });
    rows.collect()
}

/// What `zeview analyze` states.
fn analyzed(file: &str) -> Kernels {
    let kernels = objects(&["analyze", "--json", file]);
    let kernels = kernels.iter().map(|kernel| {
        let loops = kernel["loops"].as_array();
        let of_loops = |f: &dyn Fn(&[Value]) -> u64| loops.map_or(Value::Null, |all| f(all).into());
        let number = |of: &Value, key: &str| of[key].as_u64().unwrap();
        let mut numbers = Numbers::from([
            ("instructions", kernel["instructions"].clone()),
            ("spill_messages", kernel["spills"].clone()),
            ("fill_messages", kernel["fills"].clone()),
            ("dead_writes", kernel["dead_writes"].clone()),
            ("loops", of_loops(&|all| all.len() as u64)),
            (
                "loop_nesting",
                of_loops(&|all| all.iter().map(|of| number(of, "depth")).max().unwrap_or(0)),
            ),
            (
                "innermost_loop_cycles",
                of_loops(&|all| {
                    let innermost = all.iter().filter(|of| of["innermost"] == true);
                    innermost.map(|of| number(of, "cycles")).sum()
                }),
            ),
        ]);
        let peak = &kernel["peak"];
        if peak.is_object() {
            numbers.insert("peak_live_registers", peak["registers"].clone());
        }
        (name(kernel, "kernel"), numbers)
    });
    kernels.collect()
}

/// What `zeview disasm` prints.
fn printed(file: &str) -> Kernels {
    let mut kernels: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for row in objects(&["disasm", "--json", file]) {
        let (instructions, sends) = kernels.entry(name(&row, "kernel")).or_default();
        let mnemonic = name(&row, "mnemonic");
        // Zeros behind the code, which are no instructions, decode as `illegal`.
        let is_padding = mnemonic == "illegal";
        *instructions += u64::from(!is_padding);
        *sends += u64::from(mnemonic.starts_with("send"));
    }
    let kernels = kernels.into_iter().map(|(name, (instructions, sends))| {
        let numbers = [("instructions", instructions), ("sends", sends)];
        let numbers = numbers.map(|(column, number)| (column, number.into()));
        (name, numbers.into_iter().collect())
    });
    kernels.collect()
}

/// Compares what a surface states with the columns of the same kernels. Returns the number of
/// numbers that were compared.
fn compare(file: &str, surface: &str, stated: Kernels, kernels: &Kernels) -> usize {
    let mut compared = 0;
    let mut expected = Vec::new();
    let mut names: Vec<&String> = stated.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |all: &Kernels| all.iter().filter(|(other, _)| other == name).count();
        // Functions are analyzed and printed, too.
        if of(kernels) != of(&stated) {
            continue;
        }
        let keys: Vec<_> = {
            let mut all = stated.iter().filter(|(other, _)| other == name);
            all.next()
                .map_or_else(Vec::new, |(_, numbers)| numbers.keys().copied().collect())
        };
        for (_, numbers) in kernels.iter().filter(|(other, _)| other == name) {
            let known = |key: &&'static str| Some((*key, numbers.get(key)?.clone()));
            let numbers: Numbers = keys.iter().filter_map(known).collect();
            compared += numbers.len();
            expected.push((name.clone(), numbers));
        }
    }
    let known: Vec<&String> = expected.iter().map(|(name, _)| name).collect();
    let stated = stated.iter().filter(|(name, _)| known.contains(&name));
    let stated = stated.cloned().collect();
    assert_eq!(
        sorted(stated),
        sorted(expected),
        "{file}: {surface}, kernels"
    );
    compared
}

#[test]
fn commands_state_the_same_numbers() {
    let mut compared = BTreeMap::from([("analyze", 0), ("disasm", 0), ("groups", 0)]);
    for fixture in fixtures::zebins() {
        let file = fixture.path.display().to_string();
        let kernels = listed(&file, &["--all"]);
        let mut add = |surface: &'static str, stated: Kernels| {
            *compared.get_mut(surface).unwrap() +=
                compare(&fixture.name, surface, stated, &kernels);
        };
        add("analyze", analyzed(&file));
        add("disasm", printed(&file));
        // A group of one build has its numbers; of several, lists of numbers that differ.
        let is_single = |(name, _): &(String, Numbers)| {
            kernels.iter().filter(|(other, _)| other == name).count() == 1
        };
        let groups = listed(&file, &["--group-by", "kernel"]);
        add("groups", groups.into_iter().filter(is_single).collect());
    }
    assert!(compared.values().all(|count| *count > 100), "{compared:?}");
}
