//! Libraries and packages compared by kernel and device, whatever images have the kernels; and the
//! kernels that are compiled at first use.

use serde_json::Value;
use zeview::analysis::FirstUse;
use zeview::diff::{Change, Comparison, Options, Outcome, Part, compare};
use zeview::model::{NodeId, Sources};
use zeview::report::comparison::json;
use zeview::tables::kernels::reading::KernelReading;
use zeview::tables::kernels::{totals_by, worst_kernels};
use zeview::tables::query::Query;
use zeview::tables::{self, ListId};
use zeview::worker::protocol::{ListReading, ListRequest, Request, Response};

use super::decoder::Decoder;
use super::support::containers::{archive, member};
use super::support::elf::Class;
use super::support::hosts::Host;
use super::support::open;
use super::support::packages::{ZipFile, stored, zip};
use super::support::spirv::Module;
use super::support::zebin::{ze_info, zebin};

/// A SPIR-V module with a kernel for each name and constant; each calls a function. The ids are those
/// of `id`, so that modules with the same code can have different ones.
fn module(kernels: &[(&str, u32)], id: fn(u32) -> u32) -> Vec<u8> {
    let mut module = Module::new(1000).op(17, &[4]).op(17, &[6]).op(14, &[2, 2]);
    for ((name, _), at) in kernels.iter().zip(0..) {
        module = module.op_text(15, &[6, id(100 + at)], name);
    }
    for ((name, _), at) in kernels.iter().zip(0..) {
        module = module.op_text(5, &[id(100 + at)], name);
    }
    let (void, ty, int, helper) = (id(1), id(2), id(3), id(4));
    module = module
        .op(19, &[void])
        .op(21, &[int, 32, 0])
        .op(33, &[ty, void]);
    for ((_, constant), at) in kernels.iter().zip(0..) {
        module = module.op(43, &[int, id(200 + at), *constant]);
    }
    let int_function = id(5);
    module = module
        .op(33, &[int_function, int, int])
        // The helper adds its parameter to itself.
        .op(54, &[int, helper, 0, int_function])
        .op(55, &[int, id(6)])
        .op(248, &[id(7)])
        .op(128, &[int, id(8), id(6), id(6)])
        .op(254, &[id(8)])
        .op(56, &[]);
    for at in 0..kernels.len() as u32 {
        module = module
            .op(54, &[void, id(100 + at), 0, ty])
            .op(248, &[id(300 + at)])
            .op(57, &[int, id(400 + at), helper, id(200 + at)])
            .op(253, &[])
            .op(56, &[]);
    }
    module.build()
}

fn plain(id: u32) -> u32 {
    id
}

fn turned(id: u32) -> u32 {
    999 - id
}

/// A library with images: the target, the kernels, and the bytes.
fn library(images: &[(&str, &[&str], &[u8])]) -> Vec<u8> {
    let mut host = Host::new(Class::Elf64);
    let made: Vec<_> = images
        .iter()
        .map(|(target, kernels, bytes)| {
            let target = host.text(target);
            (target, host.image(bytes), host.entries(kernels))
        })
        .collect();
    let mut first = None;
    for (target, image, entries) in made {
        let place = host.image_struct(2, target, image, entries, None);
        first.get_or_insert(place);
    }
    host.descriptor(first.unwrap(), images.len() as u64);
    host.build()
}

fn compared(a: &[u8], b: &[u8], kernels_first: bool) -> Comparison {
    let options = Options {
        kernels_first,
        ..Options::default()
    };
    compare(&mut open(a), &mut open(b), &options)
}

/// The changes of kernels: the change, the name, the device.
fn changes(result: &Comparison) -> Vec<(Change, String, String)> {
    let mut found: Vec<_> = result
        .of(Part::Kernel)
        .map(|entry| {
            let device = entry.device.as_deref().unwrap_or("none").to_owned();
            (entry.change, entry.name.clone(), device)
        })
        .collect();
    found.sort();
    found
}

fn package(files: &[(&str, &[u8])]) -> Vec<u8> {
    let files: Vec<ZipFile> = files
        .iter()
        .map(|(name, bytes)| stored(name, bytes))
        .collect();
    zip(&files)
}

#[test]
fn native_kernels_are_found_in_other_files_of_a_package() {
    let (x, y) = (
        zebin(&["a", "b"]).build().bytes,
        zebin(&["c"]).build().bytes,
    );
    let spills = |kernels: &[&str]| {
        let text = ze_info(kernels).replace("simd_size:       32", "simd_size:       16");
        zebin(kernels).bytes(".ze_info", text).build().bytes
    };
    let before = package(&[("x.zebin", &x), ("y.zebin", &y), ("notes.txt", b"one")]);
    // `c` has moved to the file of `a`, and is another one; `b` is gone, `d` is new.
    let after = package(&[
        ("z.zebin", &spills(&["c"])),
        ("w.zebin", &zebin(&["d", "a"]).build().bytes),
        ("notes.txt", b"two"),
    ]);
    let result = compared(&before, &after, true);
    let found = changes(&result);
    let named: Vec<_> = found
        .iter()
        .map(|(change, name, _)| (*change, name.as_str()))
        .collect();
    // The kernels of the builder have the same code: `b` and `d` count as renamed.
    assert_eq!(
        named,
        [(Change::Renamed, "b"), (Change::Changed, "c")],
        "{found:?}"
    );
    assert!(result.is_kernels_only);
    assert_eq!(result.of(Part::Bytes).count(), 0);
    let [device] = &result.by_device()[..] else {
        panic!("{:?}", result.devices)
    };
    assert_eq!((device.of.kernels, device.of.matched), ((3, 3), 3));
    assert_eq!((device.changed, device.renamed), (2, 1));
    assert_eq!(device.unchanged(), 1);
    assert_eq!(result.unchanged_kernels(), 1);
    // Everything else follows on request.
    let all = compared(&before, &after, false);
    assert_eq!(changes(&all), found);
    assert!(all.entries.iter().any(|entry| entry.part != Part::Kernel));
}

#[test]
fn the_other_parts_are_compared_if_the_kernels_are_the_same() {
    let x = zebin(&["a"]).build().bytes;
    let before = package(&[("x.zebin", &x), ("notes.txt", b"one")]);
    let after = package(&[("y/x.zebin", &x), ("notes.txt", b"two")]);
    let result = compared(&before, &after, true);
    assert_eq!(changes(&result), []);
    assert!(!result.is_kernels_only);
    assert_eq!(result.outcome(), Outcome::Different);
    assert_eq!(result.unchanged_kernels(), 1);
}

#[test]
fn spirv_is_compared_by_entry_point_not_by_id_or_image() {
    let library = |images: &[&[(&str, u32)]], id| {
        let modules: Vec<_> = images.iter().map(|kernels| module(kernels, id)).collect();
        let names: Vec<Vec<&str>> = images
            .iter()
            .map(|kernels| kernels.iter().map(|(name, _)| *name).collect())
            .collect();
        let images: Vec<_> = names
            .iter()
            .zip(&modules)
            .map(|(names, module)| ("spir64", &names[..], &module[..]))
            .collect();
        library(&images)
    };
    let before = library(&[&[("a", 1), ("b", 2)], &[("c", 3), ("gone", 9)]], plain);
    let after = library(&[&[("c", 3)], &[("b", 2), ("new", 4), ("a", 7)]], turned);
    let result = compared(&before, &after, true);
    let spirv = |change, name: &str| (change, name.to_owned(), "SPIR-V".to_owned());
    assert_eq!(
        changes(&result),
        [
            spirv(Change::Removed, "gone"),
            spirv(Change::Added, "new"),
            spirv(Change::Changed, "a"),
        ]
    );
    assert_eq!(result.unchanged_kernels(), 2);
    // The same code with other ids, in other images.
    let moved = library(
        &[&[("c", 3), ("a", 1)], &[("gone", 9)], &[("b", 2)]],
        turned,
    );
    assert_eq!(changes(&compared(&before, &moved, true)), []);
    // JSON has the same.
    let said = serde_json::to_value(json(&result)).unwrap();
    let device: &Value = &said["devices"][0];
    assert_eq!(device["device"], "SPIR-V");
    assert_eq!(device["kernels"], serde_json::json!([4, 4]));
    assert_eq!(device["added"], serde_json::json!(["new"]));
    assert_eq!(device["removed"], serde_json::json!(["gone"]));
    assert_eq!(said["kernels"]["changed"][0]["device"], "SPIR-V");
    assert_eq!(said["complete"], false);
}

#[test]
fn every_change_of_a_word_of_spirv_code_is_found_or_harmless() {
    let one = module(&[("a", 1)], plain);
    let before = library(&[("spir64", &["a"], &one)]);
    let mut found = 0;
    for at in (20..one.len()).step_by(4) {
        let mut changed = one.clone();
        changed[at] ^= 0x40;
        let after = library(&[("spir64", &["a"], &changed)]);
        let result = compared(&before, &after, false);
        // The comparison of the modules by value must agree that something differs.
        assert_ne!(result.outcome(), Outcome::SameMeaning, "{at}");
        found += u64::from(result.of(Part::Kernel).count() > 0);
    }
    // Words that are part of the kernel, its types and its calls.
    assert!(found > 30, "{found}");
}

fn first_use(file: &[u8], device: &str) -> FirstUse {
    let mut document = open(file);
    let images = document.images_to_choose(NodeId::ROOT);
    let choice = document.choice(&images, device).unwrap();
    document.first_use(&images, &choice)
}

#[test]
fn kernels_are_compiled_at_first_use_without_native_code() {
    let spirv = module(&[("a", 1), ("b", 2)], plain);
    let only = library(&[("spir64", &["a", "b"], &spirv)]);
    let found = first_use(&only, "bmg-g21");
    assert_eq!(found.kernels, ["a", "b"]);
    assert_eq!((found.of, found.images), (2, 1));
    assert_eq!(found.bytes, spirv.len() as u64);
    let text = found.text().unwrap();
    assert!(
        text.starts_with("all 2\u{a0}kernels compile") || text.starts_with("all 2 kernels compile"),
        "{text}"
    );
}

/// Libraries of one package are built with the same options, but for other devices: the verdict on one
/// says nothing about another.
#[test]
fn each_library_of_a_package_is_judged_by_its_own_images() {
    let code = zebin(&["a"]).build().bytes;
    let here = archive(&[member("64.20.1.0/", &code)]);
    let elsewhere = archive(&[member("64.12.55.8/", &code)]);
    let [one, other] = [("a", &here), ("b", &elsewhere)]
        .map(|(name, bytes)| library(&[("spir64_gen", &[name], bytes)]));
    for files in [
        [("1.so", &one), ("2.so", &other)],
        [("1.so", &other), ("2.so", &one)],
    ] {
        let bytes = package(&files.map(|(name, bytes)| (name, &**bytes)));
        let mut document = open(&bytes);
        let mut reading = KernelReading::new(&mut document, NodeId::ROOT).unwrap();
        while reading.step(&mut document) {}
        let images = document.images_to_choose(NodeId::ROOT);
        let choice = document.choice(&images, "bmg-g21").unwrap();
        let picks = images.list.iter().zip(&choice.picks);
        let mut outcomes: Vec<_> = picks
            .filter(|(image, _)| image.host.is_some())
            .map(|(_, pick)| pick.outcome.map(zeview::model::Outcome::loads))
            .collect();
        if files[0].1 == &other {
            outcomes.reverse();
        }
        assert_eq!(outcomes, [Some(true), Some(false)]);
    }
}

#[test]
fn one_kernel_of_each_family_is_looked_at() {
    let names = [
        "_Z1KILi1EEvv",
        "_Z1KILi2EEvv",
        "_Z1KILi3EEvv",
        "_Z1LILi1EEvv",
        "fine",
    ];
    let text = ze_info(&names);
    // All but the last one spill.
    let mut left = 4;
    let text: String = text
        .split_inclusive('\n')
        .map(|line| {
            if line.contains("simd_size") && left > 0 {
                left -= 1;
                let indent = &line[..line.len() - line.trim_start().len()];
                format!("{line}{indent}spill_size: {}\n", 64 * (left + 1))
            } else {
                line.to_owned()
            }
        })
        .collect();
    let file = zebin(&names).bytes(".ze_info", text).build().bytes;
    let mut document = open(&file);
    let list = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    let worst = worst_kernels(&*list, &document.sources, 6);
    let found: Vec<(u32, u64)> = worst.iter().map(|of| (of.row, of.others)).collect();
    assert_eq!(found, [(0, 2), (3, 0)]);

    // The family with the worst kernel comes first, then that with most code.
    let totals = totals_by(&*list, "family", &document.sources);
    let found: Vec<_> = totals
        .iter()
        .map(|(of, worst)| (&*of.name, of.kernels, of.builds, of.spilling, *worst))
        .collect();
    assert_eq!(
        found,
        [("K", 3, 3, 3, 0), ("L", 1, 1, 1, 3), ("fine", 1, 1, 0, 4)]
    );
    let code: u64 = totals.iter().map(|(of, _)| of.code_size).sum();
    let all =
        (0..list.primary()).map(|row| cell_number(&*list, row, "code_size", &document.sources));
    assert_eq!(code as f64, all.sum::<f64>());
    assert!(totals_by(&*list, "no such column", &document.sources).is_empty());
}

fn cell_number(list: &dyn tables::List, row: u32, id: &str, sources: &Sources) -> f64 {
    let column = list
        .id()
        .columns()
        .iter()
        .position(|column| column.id == id);
    list.value(row, column.unwrap(), sources)
        .number()
        .unwrap_or(0.0)
}

/// Both files are read in steps, with answers to other requests in between, also after the reader
/// stopped for a while; the result is that of the comparison in one go.
#[test]
fn the_page_compares_packages_in_steps() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let package_of = |shift: usize, last: &str| {
        let files: Vec<(String, Vec<u8>)> = (0..5)
            .map(|at| {
                let kernels = [names[at + shift], last];
                let bytes = zebin(&kernels).build().bytes;
                // The order by size is another one than that by path.
                (format!("{}.zebin", names[(at * 3 + shift) % 5]), bytes)
            })
            .collect();
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, of)| (&**name, &**of)).collect();
        package(&files)
    };
    let (before, after) = (package_of(1, "x"), package_of(3, "yy"));
    let whole = compared(&before, &after, true);
    assert!(whole.entries.len() > 2, "{:?}", whole.entries);

    let (mut decoder, _) = Decoder::open_slow("after.zip", &*after);
    let request = Request::Compare {
        name: "before.zip".to_owned(),
        options: Options {
            kernels_first: true,
            ..Options::default()
        },
        keep: None,
    };
    let mut steps = Vec::new();
    let mut response = decoder.ask_with(request.clone(), &*before);
    while let Response::Comparing(left) = response {
        let is_compared = matches!(left, ListReading::Compared(_));
        steps.push((is_compared, left.progress().done));
        // The lists can be read meanwhile, and read on themselves.
        let rows = Request::List {
            document: NodeId::ROOT,
            list: ListId::Symbols,
            query: Query::default(),
            ask: ListRequest::Rows {
                start: 0,
                count: 3,
                columns: Vec::new(),
            },
        };
        decoder.ask(rows);
        assert!(steps.len() < 50, "it ends");
        response = decoder.ask(request.clone());
    }
    let Response::Compared(report) = response else {
        panic!("{response:?}");
    };
    // First the images are read, then the kernels are compared.
    let kernels = steps.partition_point(|(is_compared, _)| !is_compared);
    let (images, kernels) = steps.split_at(kernels);
    for steps in [images, kernels] {
        assert!(steps.len() >= 5, "{steps:?}");
        assert!(steps.is_sorted_by_key(|(_, done)| *done), "{steps:?}");
    }
    assert_eq!(report.differences, whole.entries.len() as u64);
    assert_eq!(report.devices, whole.by_device());
    let rows = |decoder: &mut Decoder| {
        let list = Request::List {
            document: NodeId::ROOT,
            list: ListId::Differences,
            query: Query::default(),
            ask: ListRequest::Rows {
                start: 0,
                count: 100,
                columns: vec!["name".into(), "change".into()],
            },
        };
        match decoder.ask(list) {
            Response::List(page) => page.rows.len(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(rows(&mut decoder), whole.entries.len());

    // With other options, nothing is read again.
    let again = Request::Compare {
        name: "before.zip".to_owned(),
        options: Options::default(),
        keep: None,
    };
    let Response::Compared(all) = decoder.ask(again) else {
        panic!("it is read already");
    };
    assert!(!all.is_kernels_only);
    assert_eq!(all.devices, report.devices);

    // Another file takes the place of the one that is being read.
    let first = decoder.ask_with(request.clone(), &*before);
    assert!(matches!(first, Response::Comparing(_)), "{first:?}");
    let mut response = decoder.ask_with(request.clone(), &*after);
    while let Response::Comparing(_) = response {
        response = decoder.ask(request.clone());
    }
    let Response::Compared(same) = response else {
        panic!("{response:?}");
    };
    assert!(same.equal, "the file itself, without reading its kernels");
}
