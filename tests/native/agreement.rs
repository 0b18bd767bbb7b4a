//! Agreement: surfaces that state the same quantity of a kernel state the same number.

use std::collections::BTreeMap;

use serde_json::Value;
use zeview::model::NodeId;
use zeview::tables::query::Query;
use zeview::worker::protocol::{Request, Response};

use crate::cli::{stdout, zeview};
use crate::decoder::Decoder;
use crate::support::{fixtures, open};

/// The columns whose numbers other commands state, too.
const COLUMNS: [&str; 10] = [
    "instructions",
    "sends",
    "loops",
    "loop_nesting",
    "spill_messages",
    "fill_messages",
    "dead_writes",
    "peak_live_registers",
    "peak_live_registers_iga",
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
            numbers.insert("peak_live_registers_iga", peak["iga"]["registers"].clone());
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

/// What the page shows of the code: the instruction mix, and the data flow.
fn shown(bytes: &[u8]) -> Kernels {
    let (mut decoder, _) = Decoder::show("file", open(bytes));
    let mut ask = |request| decoder.ask(request);
    let document = NodeId::ROOT;
    let mut code = |query: Query| {
        // A request counts a part of long code.
        loop {
            let request = Request::Code {
                document,
                query: query.clone(),
            };
            match ask(request) {
                Response::Code(report) if report.left > 0 => {}
                Response::Code(report) => {
                    let request = Request::DataFlow {
                        document,
                        query: query.clone(),
                    };
                    let flow = match ask(request) {
                        Response::DataFlow(flow) => Some(flow),
                        _ => None,
                    };
                    return Some((report, flow));
                }
                _ => return None,
            }
        }
    };
    let Some((report, _)) = code(Query::default()) else {
        return Vec::new();
    };
    let mut kernels = Vec::new();
    for (section, of) in report.sections {
        let Some(name) = section.strip_prefix(".text.") else {
            continue;
        };
        let query = Query {
            of: Some(of),
            ..Query::default()
        };
        let Some((report, flow)) = code(query) else {
            continue;
        };
        let mix = report.mix;
        let mut numbers = Numbers::from([
            ("instructions", mix.instructions.into()),
            ("loops", mix.loops.into()),
            ("loop_nesting", mix.nesting.into()),
            ("spill_messages", mix.spills.into()),
            ("fill_messages", mix.fills.into()),
        ]);
        if let Some(flow) = flow {
            numbers.insert("peak_live_registers", flow.peak.into());
        }
        kernels.push((name.to_owned(), numbers));
    }
    kernels
}

/// What `zeview diff` states of the kernels that two files have in common, of the first and of the second
/// file: only numbers that differ.
fn compared(first: &str, second: &str) -> [Kernels; 2] {
    let comparison: Value =
        serde_json::from_str(&stdout(&zeview(&["diff", "--json", first, second]))).unwrap();
    let kernels = comparison["kernels"]["changed"].as_array();
    ["from", "to"].map(|side| {
        let of = |kernel: &Value| {
            let measures = kernel["measures"].as_array();
            let numbers = measures.into_iter().flatten().filter_map(|measure| {
                let key = measure["key"].as_str()?;
                let column = COLUMNS.iter().find(|column| **column == key)?;
                Some((*column, measure[side].clone()))
            });
            (name(kernel, "name"), numbers.collect())
        };
        kernels.into_iter().flatten().map(of).collect()
    })
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
    let surfaces = ["analyze", "disasm", "groups", "page"];
    let mut compared = BTreeMap::from(surfaces.map(|surface| (surface, 0)));
    for fixture in fixtures::zebins() {
        let file = fixture.path.display().to_string();
        let kernels = listed(&file, &["--all"]);
        let mut add = |surface: &'static str, stated: Kernels| {
            *compared.get_mut(surface).unwrap() +=
                compare(&fixture.name, surface, stated, &kernels);
        };
        add("analyze", analyzed(&file));
        add("disasm", printed(&file));
        add("page", shown(&fixture.bytes));
        // A group of one build has its numbers; of several, lists of numbers that differ.
        let is_single = |(name, _): &(String, Numbers)| {
            kernels.iter().filter(|(other, _)| other == name).count() == 1
        };
        let groups = listed(&file, &["--group-by", "kernel"]);
        add("groups", groups.into_iter().filter(is_single).collect());
    }
    assert!(compared.values().all(|count| *count > 100), "{compared:?}");
}

/// Files with the same kernels, of other devices or compilers, have other numbers.
#[test]
fn comparisons_state_the_numbers_of_both_files() {
    let mut count = 0;
    let all: Vec<_> = fixtures::zebins();
    let stem = |name: &str| name.split('.').next().map(str::to_owned);
    for (at, first) in all.iter().enumerate() {
        let others = all.iter().skip(at + 1);
        for second in others.filter(|other| stem(&other.name) == stem(&first.name)) {
            let files = [first, second].map(|fixture| fixture.path.display().to_string());
            let stated = compared(&files[0], &files[1]);
            for (file, stated) in files.iter().zip(stated) {
                let kernels = listed(file, &["--all"]);
                let known: Kernels = stated
                    .into_iter()
                    .map(|(name, mut numbers)| {
                        // A number that one of the files does not have.
                        numbers.retain(|_, number| !number.is_null());
                        (name, numbers)
                    })
                    .collect();
                for kernel in known {
                    count += compare(file, "diff", vec![kernel], &kernels);
                }
            }
        }
    }
    assert!(count > 20, "{count}");
}
