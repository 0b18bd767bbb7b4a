//! Short names of kernels.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use zeview::tables;
use zeview::tables::kernels;

use zeview::analysis::naming::{ShortNames, WIDTH};
use zeview::decode::demangle::demangle;
use zeview::model::{MemorySource, NodeId};
use zeview::tables::ListId;
use zeview::tables::query::Filter;
use zeview::worker::handler::Handler;
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{Envelope, Request, Response, SelectionTarget};

use crate::support;
use crate::support::fixtures::folder;
use crate::support::golden::difference;
use crate::support::names::{Name, names};
use crate::support::random::Random;
use crate::support::zebin::zebin;

fn short_names(names: &[Name]) -> ShortNames {
    ShortNames::new(names.iter().map(|(name, text)| (&**name, text.as_deref())))
}

fn shorten(names: &[&str]) -> Vec<String> {
    let names: Vec<Name> = names
        .iter()
        .map(|name| ((*name).to_owned(), demangle(name)))
        .collect();
    let short = short_names(&names);
    let names = names.iter();
    names
        .map(|(name, _)| short.get(name).unwrap().to_owned())
        .collect()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[test]
fn plain_names_stay() {
    let names = ["vecadd", "gen9_conv_fwd_kernel", "k<int>", "a::b", ""];
    assert_eq!(shorten(&names), names);
}

#[test]
fn wrappers_are_removed() {
    let names = [
        "_ZTSN2at6KernelE",
        "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperIN2at6KernelEEE",
        "_ZTSN4sycl3_V16detail18RoundedRangeKernelINS0_4itemILi1ELb1EEELi1EN2at5OtherIfEEEE",
        "_ZTSN6compat12experimental6detail13KernelFunctorIXadL_ZN7cutlass13device_kernelIN1k1KIfEEEEvNT_6ParamsEEEEE",
        // Other classes with these names are not wrappers.
        "_ZTSN2at13device_kernelIfEE",
        "_ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_EUlNS0_4itemILi1ELb1EEEE_",
        "_ZTSN4half1KIN4sycl3_V16detail9half_impl4halfEEE",
        "_Z3addii",
    ];
    let expected = [
        "at::Kernel",
        "at::Kernel [rounded]",
        "at::Other<float> [rounded]",
        "k::K<float>",
        "at::device_kernel<float>",
        "main::{lambda #1}",
        "half::K<sycl::half>",
        "add(int, int)",
    ];
    assert_eq!(shorten(&names), expected);
}

#[test]
fn hidden_parts_return_where_they_differ() {
    let lambda = |group: &str, number: &str| {
        format!(
            "_ZTSZZ4mainENKUlRN4sycl3_V17handlerEE{group}_clES2_EUlNS0_4itemILi1ELb1EEEE{number}_"
        )
    };
    let [a, b, c] = [lambda("", ""), lambda("0", ""), lambda("", "0")];
    let expected = [
        "main::{lambda #1}::{lambda #1}",
        "main::{lambda #2}::{lambda #1}",
        "main::{lambda #2}",
    ];
    assert_eq!(shorten(&[&a, &b, &c]), expected);
    // Parameters of functions around lambdas.
    let names = ["_ZTSZ3runiEUlvE_", "_ZTSZ3runfEUlvE_"];
    assert_eq!(
        shorten(&names),
        ["run(int)::{lambda #1}", "run(float)::{lambda #1}"]
    );
    // Namespaces, if names are too long for them.
    let long = "_ZTSN1xIiN1a1bEE";
    let names: Vec<String> = ["5first", "6second"]
        .iter()
        .map(|space| {
            format!(
                "_ZTSN3lib{space}3gpu{}1KE",
                "32a_long_name_of_another_namespace".repeat(3)
            )
        })
        .collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).chain([long]).collect();
    let short = shorten(&names);
    assert!(short[0].starts_with("first::gpu::"), "{short:?}");
    assert!(short[1].starts_with("second::gpu::"), "{short:?}");
}

#[test]
fn shared_parts_are_left_out() {
    let tile = |size: usize, ty: &str| {
        let shared = "N4cute6LayoutINS_5tupleIJNS_1CILi1EEENS_1CILi2EEENS_1CILi3EEEEEEEE";
        format!(
            "_ZTSN3lib4GemmIN3lib8MainloopI{shared}N3lib4TileILi{size}EEE{ty}{shared}EE{shared}EE"
        )
    };
    let names = [tile(64, "f"), tile(64, "d"), tile(128, "f")];
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    let expected = [
        "Gemm<Mainloop<…, Tile<64>, float, …>, Layout<…>>",
        "Gemm<Mainloop<…, Tile<64>, double, …>, Layout<…>>",
        "Gemm<Mainloop<…, Tile<128>, float, …>, Layout<…>>",
    ];
    assert_eq!(shorten(&names), expected);
}

/// Returns the names of a file: lines with a short name, each followed by the full name.
fn fixture(path: &PathBuf) -> (String, String) {
    let text = fs::read_to_string(path).unwrap();
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .collect();
    let mut actual = String::new();
    for (name, short) in names.iter().zip(shorten(&names)) {
        actual.push_str(&format!("{short}\n    {name}\n"));
    }
    (text, actual)
}

#[test]
fn real_names() {
    let mut count = 0;
    for entry in fs::read_dir(folder().join("kernel-names")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "txt") {
            continue;
        }
        let (expected, actual) = fixture(&path);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &actual).unwrap();
        } else if let Some(difference) = difference(&expected, &actual) {
            panic!("{}: {difference}", path.display());
        }
        let short = actual.lines().step_by(2);
        for short in short {
            assert!(width(short) <= WIDTH, "{short}");
            count += 1;
        }
    }
    assert!(count >= 100, "{count}");
}

#[test]
fn real_names_have_families() {
    let mut actual = String::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder().join("kernel-names"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    paths.sort();
    for path in paths {
        let (text, _) = fixture(&path);
        let mangled = text.lines().filter_map(|line| line.strip_prefix("    "));
        let all: Vec<Name> = mangled
            .map(|name| (name.to_owned(), demangle(name)))
            .collect();
        let short = short_names(&all);
        actual.push_str(&format!("# {}\n", path.file_name().unwrap().display()));
        assert_families(&all, &short);
        for (name, _) in &all {
            let arguments = short.arguments(name).unwrap().join(", ");
            let line = format!("{}\t{arguments}", short.family(name).unwrap());
            actual.push_str(line.trim_end());
            actual.push('\n');
        }
    }
    let path = folder().join("kernel-names/families.tsv");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &actual).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    if let Some(difference) = difference(&expected, &actual) {
        panic!("{}: {difference}", path.display());
    }
}

/// Checks that family and arguments identify each name, and that families do not depend on others.
fn assert_families(all: &[Name], short: &ShortNames) {
    let mut seen = HashSet::new();
    for (name, text) in all {
        let (family, arguments) = (short.family(name).unwrap(), short.arguments(name).unwrap());
        assert!(
            seen.insert((family, arguments)),
            "{family} {arguments:?}: {name}"
        );
        assert!(!family.is_empty() && arguments.len() <= 32, "{name}");
        let alone = ShortNames::new([(&**name, text.as_deref())]);
        if text.is_some() && !alone.family(name).unwrap().contains(" #") {
            assert_eq!(alone.family(name), Some(family));
        }
        assert_eq!(alone.arguments(name).map(|of| of.len()), Some(0), "{name}");
    }
}

#[test]
fn generated_names_have_distinct_arguments() {
    let all = names(4000, 25);
    let short = short_names(&all);
    assert_families(&all, &short);
    // Whatever the order.
    let mut other = all.clone();
    other.reverse();
    let reversed = short_names(&other);
    for (name, _) in &all {
        assert_eq!(short.arguments(name), reversed.arguments(name));
    }
}

#[test]
fn generated_names_are_short_and_distinct() {
    let all = names(100_000, 24);
    let short = short_names(&all);
    let mut seen = HashSet::new();
    let mut too_long = 0;
    let mut numbered = 0;
    for (name, _) in &all {
        let short = short.get(name).unwrap();
        assert!(seen.insert(short), "{short}: {name}");
        too_long += usize::from(width(short) > WIDTH);
        assert!(width(short) <= 2 * WIDTH + 20, "{short}");
        let number = short
            .rsplit_once(" #")
            .map(|(_, number)| number.parse::<u32>());
        numbered += usize::from(matches!(number, Some(Ok(_))));
    }
    assert!(too_long * 100 <= all.len(), "{too_long} are too long");
    assert!(numbered * 100 <= all.len(), "{numbered} have a number");
}

#[test]
fn the_order_does_not_matter() {
    let all = names(2000, 7);
    let short = short_names(&all);
    let mut random = Random::new(8);
    let mut other = all.clone();
    for at in (1..other.len()).rev() {
        other.swap(at, random.below(at + 1));
    }
    // A duplicate name changes nothing either.
    other.push(other[0].clone());
    let shuffled = short_names(&other);
    for (name, _) in &all {
        assert_eq!(short.get(name), shuffled.get(name));
    }
}

#[test]
fn further_names_change_nothing() {
    let all = names(600, 9);
    let (first, rest) = all.split_at(300);
    let before = short_names(first);
    let rest = rest.iter().map(|(name, text)| (&**name, text.as_deref()));
    let after = ShortNames::extending(Rc::new(short_names(first)), rest);
    let mut seen = HashSet::new();
    for (name, _) in first {
        assert_eq!(before.get(name), after.get(name));
    }
    for (name, _) in &all {
        assert!(seen.insert(after.get(name).unwrap()), "{name}");
    }
}

#[test]
fn hostile_names_end() {
    let deep = |open: &str, close: &str| format!("k{}1{}", open.repeat(400), close.repeat(400));
    let texts = [
        deep("<a", ">"),
        deep("(a", ")"),
        "<".repeat(60_000),
        ">".repeat(60_000),
        "k<".to_owned() + &"a,".repeat(30_000) + ">",
        "a::".repeat(20_000) + "b",
        "k<".to_owned() + &"a::".repeat(20_000) + "b>",
        "{lambda()#1}::".repeat(4_000) + "{lambda()#1}",
        "{lambda()#1}::operator()() const::".repeat(1_000) + "{lambda()#1}",
        "aB".repeat(500_000),
        "ä<ß>…".repeat(1000),
        "operator<".to_owned(),
        "f(int) const::operator>>".to_owned(),
        "(1)<(2)".to_owned(),
        String::new(),
        "  ".to_owned(),
        "::".to_owned(),
        "&".to_owned(),
    ];
    let mut all: Vec<Name> = Vec::new();
    for (text, at) in texts.iter().zip(0..) {
        // The same with another suffix, which is the only difference.
        for end in ["", "x", "<y>", "<z>"] {
            all.push((format!("_Z{at}{end}"), Some(format!("{text}{end}").into())));
        }
    }
    let short = short_names(&all);
    let mut seen = HashSet::new();
    for (name, _) in &all {
        let short = short.get(name).unwrap();
        assert!(width(short) <= 2 * WIDTH + 20, "{short}");
        assert!(seen.insert(short), "{name}: {short}");
    }
    let mut seen = HashSet::new();
    for (name, _) in &all {
        let (family, arguments) = (short.family(name).unwrap(), short.arguments(name).unwrap());
        assert!(
            seen.insert((family, arguments)),
            "{name}: {family} {arguments:?}"
        );
    }
}

#[test]
fn lists_have_short_names() {
    let mut random = Random::new(3);
    let mut names: Vec<String> = (0..20)
        .map(|_| support::names::mangled(&mut random))
        .collect();
    names.push("plain".to_owned());
    let mut document = support::open(&zebin(&names).build().bytes);
    let list = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    let column = |id: &str| {
        let columns = ListId::Kernels.columns();
        columns.iter().position(|column| column.id == id).unwrap()
    };
    let sources = &document.sources;
    let all: Vec<Name> = names
        .iter()
        .map(|name| (name.clone(), demangle(name)))
        .collect();
    let short = short_names(&all);
    for (name, row) in names.iter().zip(0..) {
        let expected = short.get(name).unwrap();
        let cell = list.cell(row, column("name"), sources).value;
        assert_eq!(cell.title(), expected);
        assert_eq!(cell.text(), **name);
        let cell = list.cell(row, column("short_name"), sources);
        assert_eq!(cell.value.text(), expected);
        assert!(cell.span.is_some());
        // A filter matches both names.
        let demangled = demangle(name).unwrap_or_else(|| name.as_str().into());
        for text in [name.as_str(), &demangled, expected] {
            let filter = Filter::parse(&format!("name={text:?}"), ListId::Kernels).unwrap();
            let rows: Vec<u32> = (0..list.count())
                .filter(|row| filter.matches(&*list, *row, sources))
                .collect();
            assert_eq!(rows, [row], "{text}");
        }
    }
}

#[test]
fn references_have_short_names() {
    let mut random = Random::new(4);
    let names: Vec<String> = (0..3)
        .map(|_| support::names::mangled(&mut random))
        .collect();
    let bytes = zebin(&names).build().bytes;
    let mut document = support::open(&bytes);
    let kernels = document.kernels(NodeId::ROOT).unwrap();
    let entry = kernels.rows(&document.sources)[1].entry;
    let short = kernels::short_names(&mut document, NodeId::ROOT).unwrap();
    let expected = format!(".text.{}", short.get(&names[1]).unwrap());
    let mut handler = Handler::new(|| 0.0);
    handler.open(1, "names.zebin", Box::new(MemorySource::from(bytes)));
    let answer = handler.answer(&Envelope {
        id: 2,
        about: Some(1),
        request: Request::Select {
            order: TreeOrder::File,
            place: SelectionTarget::Span(entry),
            follow: None,
        },
    });
    let Response::Selected(selected) = answer.response else {
        panic!("{answer:?}");
    };
    let labels = selected.detail.xrefs.iter().map(|xref| &*xref.label);
    assert!(labels.clone().any(|label| label == expected));
    assert!(labels.clone().all(|label| !label.contains("_ZTS")));
}

#[test]
fn tables_are_short_and_json_has_all_names() {
    let path = std::env::temp_dir().join("zeview-short-names.zebin");
    let mut random = Random::new(5);
    let mut names = HashSet::new();
    while names.len() < 4_600 {
        names.insert(support::names::mangled(&mut random));
    }
    let names: Vec<String> = names.into_iter().collect();
    fs::write(&path, zebin(&names).build().bytes).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
        let output = command
            .arg("kernels")
            .args(arguments)
            .arg(&path)
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let table = run(&[]);
    assert!(table.len() < 2 << 20, "{} bytes", table.len());
    let first: HashSet<&str> = table
        .lines()
        .skip(2)
        .filter_map(|line| line.split("  ").next())
        .collect();
    assert_eq!(first.len(), names.len());
    let full = run(&["--full-names"]);
    assert!(full.contains("cutlass::fmha::kernel::vllm_xpu_xe2::XeFMHAFwdKernel<"));
    assert!(full.len() > 2 * table.len());
    let json: serde_json::Value = serde_json::from_str(&run(&["--json"])).unwrap();
    for row in json.as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        assert!(name.starts_with("_ZTS"));
        assert_eq!(row["demangled"].as_str(), demangle(name).as_deref());
        assert!(first.contains(row["short_name"].as_str().unwrap()), "{row}");
    }
}
