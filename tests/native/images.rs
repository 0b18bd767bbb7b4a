//! Images of containers: their kernels in one list, the images that run on a device, and the
//! verdict for each device.

use std::path::Path;
use std::rc::Rc;
use zeview::tables;

use zeview::analysis::images::{Choice, IMAGES_MAX};
use zeview::model::{Document, NodeId, Outcome, SourceId, Span};
use zeview::tables::query::{Query, RowOptions};
use zeview::tables::{Detail, Key, List, ListId};
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{Follow, ListRequest, Request, Response, SelectionTarget};

use crate::decoder::Decoder;
use crate::support::containers::*;
use crate::support::open;
use crate::support::spirv;
use crate::support::syclbin::{Syclbin, global};
use crate::support::zebin::{small, zebin};

/// Returns the images that run on a device, by name.
fn chosen(document: &mut Document, device: &str) -> (Option<Outcome>, Vec<String>, Choice) {
    let images = document.images(NodeId::ROOT);
    let choice = document.choice(&images, device).expect("a device");
    let names = choice.chosen().map(|at| images.list[at].name.clone());
    (Some(choice.outcome), names.collect(), choice.clone())
}

fn why(choice: &Choice, at: usize) -> &str {
    &choice.picks[at].why
}

pub fn list(document: &mut Document, list: ListId) -> Rc<dyn List> {
    tables::list(document, NodeId::ROOT, list, None).expect("there is one")
}

/// Returns the text of a cell.
pub fn cell(document: &Document, list: &dyn List, row: u32, column: &str) -> String {
    let columns = list.id().columns();
    let place = columns.iter().position(|other| other.id == column).unwrap();
    let cell = list.cell(row, place, &document.sources);
    cell.value.text().into_owned()
}

#[test]
fn the_driver_chooses_members_of_an_archive_by_name() {
    let bmg = small().build().bytes;
    let ir = opencl_elf(0xff02);
    let archive = archive(&[
        member("64.12.60.7/", &bmg),
        member("64.20.1/", &bmg),
        member("64.bmg/", &bmg),
        member("64.20.1.0/", &bmg),
        member("20.1.0/", &bmg),
        member("generic_ir/", &ir),
    ]);
    let document = &mut open(&archive);
    let (outcome, names, choice) = chosen(document, "bmg-g21");
    assert_eq!(
        (outcome, names),
        (Some(Outcome::Loads), vec!["64.20.1.0".to_owned()])
    );
    assert_eq!(why(&choice, 3), "named for 20.1.0");
    assert_eq!(why(&choice, 0), "not named for bmg-g21 (20.1.0)");
    assert_eq!(why(&choice, 4), "the driver does not look for this name");

    // The name matches, the target does not: SPIR-V is recompiled.
    let (outcome, names, choice) = chosen(document, "Data Center GPU Max 1100");
    assert_eq!(choice.device, "pvc");
    assert_eq!(
        (outcome, names),
        (Some(Outcome::Recompiled), vec!["generic_ir".to_owned()])
    );
    assert_eq!(
        why(&choice, 0),
        "named for 12.60.7, but built for bmg-g21 (20.1.0); pvc is 12.60.7"
    );
    let (outcome, names, _) = chosen(document, "skl");
    assert_eq!((outcome, names.len()), (Some(Outcome::DoesNotRun), 0));
}

#[test]
fn less_exact_names_come_in_the_drivers_order() {
    let bmg = small().build().bytes;
    let orders = [
        ("64.20.1.0", "named for 20.1.0"),
        ("64.bmg.0", "named for bmg, stepping 0"),
        ("64.20.1", "named for release 20.1"),
        ("64.bmg", "named for bmg"),
    ];
    for (first, (name, reason)) in orders.into_iter().enumerate() {
        // All names from this one on, the best last.
        let names = orders[first..].iter().rev();
        let members: Vec<_> = names
            .map(|(name, _)| member(&format!("{name}/"), &bmg))
            .collect();
        let (outcome, chosen, choice) = chosen(&mut open(&archive(&members)), "B580");
        assert_eq!(
            (outcome, chosen),
            (Some(Outcome::Loads), vec![name.to_owned()])
        );
        assert_eq!(why(&choice, members.len() - 1), reason);
    }
    // No name, and no SPIR-V.
    let other = archive(&[member("64.12.60.7/", &bmg)]);
    let outcome = chosen(&mut open(&other), "bmg-g21").0;
    assert_eq!(outcome, Some(Outcome::DoesNotRun));
}

#[test]
fn all_modules_of_a_package_are_loaded() {
    let (outcome, names, _) = chosen(&mut open(&module_package()), "bmg-g21");
    assert_eq!(
        (outcome, names),
        (Some(Outcome::Loads), vec!["pkg.unit.0".to_owned()])
    );
    let (outcome, ..) = chosen(&mut open(&module_package()), "pvc");
    assert_eq!(outcome, Some(Outcome::Refused));
}

#[test]
fn the_sycl_runtime_takes_one_image_of_each_abstract_module() {
    let mut syclbin = Syclbin::small();
    // In state object, IR modules come first.
    for bytes in [syclbin.v1(), syclbin.v2()] {
        let (outcome, names, _) = chosen(&mut open(&bytes), "bmg-g21");
        assert_eq!(outcome, Some(Outcome::Recompiled));
        assert!(
            names.iter().all(|name| name.contains("IR module")),
            "{names:?}"
        );
        assert_eq!(names.len(), 2);
    }
    syclbin.global = global(2);
    for bytes in [syclbin.v1(), syclbin.v2()] {
        let document = &mut open(&bytes);
        let (outcome, names, choice) = chosen(document, "bmg-g21");
        assert_eq!(
            outcome,
            Some(Outcome::Recompiled),
            "the first has only SPIR-V"
        );
        assert!(names[1].ends_with("image 0"), "{names:?}");
        let native = choice.picks.iter().find(|pick| pick.why.contains("native"));
        assert_eq!(
            native.unwrap().why,
            "not the first native image of abstract module 1"
        );
        // It is chosen for any device, and the driver rejects it.
        let (outcome, _, choice) = chosen(document, "pvc");
        assert_eq!(outcome, Some(Outcome::Refused));
        let refused = "the first native image of abstract module 1, but built for bmg-g21 (20.1.0); pvc is 12.60.7";
        assert!(
            choice.picks.iter().any(|pick| pick.why == refused),
            "{choice:?}"
        );
    }
    // A module compiled for another device is not chosen.
    let text = syclbin.modules[1].text.clone();
    syclbin.modules[1].text = text
        .set("SYCL/device requirements")
        .bytes("compile_target", b"intel_gpu_bmg_g21");
    let document = &mut open(&syclbin.v2());
    assert_eq!(chosen(document, "bmg-g21").1.len(), 2);
    let (outcome, names, choice) = chosen(document, "pvc");
    assert_eq!((outcome, names.len()), (Some(Outcome::Recompiled), 1));
    let other = "abstract module 1 is compiled for intel_gpu_bmg_g21";
    assert!(
        choice.picks.iter().any(|pick| pick.why == other),
        "{choice:?}"
    );
}

/// Without an IR module, in a state in which images are yet to be linked.
#[test]
fn native_images_of_a_syclbin_that_is_linked_later() {
    let mut syclbin = Syclbin::small();
    let native = syclbin.modules[1].native.clone();
    for module in &mut syclbin.modules {
        module.ir.clear();
        module.native.clone_from(&native);
    }
    syclbin.modules[1].text = Default::default();
    for bytes in [syclbin.v1(), syclbin.v2()] {
        let (outcome, names, choice) = chosen(&mut open(&bytes), "bmg-g21");
        // The second one has nothing to link: it is an executable.
        assert_eq!(choice.chosen().collect::<Vec<_>>(), [0], "{names:?}");
        assert_eq!(outcome, Some(Outcome::Loads));
        let whys: Vec<&str> = choice.picks.iter().map(|pick| &*pick.why).collect();
        let other = "no image of abstract module 1 is in the state of the SYCLBIN";
        assert!(whys.contains(&other), "{whys:?}");
    }
}

/// Each choice states who chooses, and how.
#[test]
fn choices_name_who_chooses() {
    let mut executable = Syclbin::small();
    executable.global = global(2);
    for (bytes, words) in [
        (
            ocloc_archive(),
            &["driver", "first member for the device by name"][..],
        ),
        (module_package(), &["driver", "all modules"]),
        (
            Syclbin::small().v2(),
            &["SYCL runtime", "first IR module", "otherwise a native"],
        ),
        (
            executable.v2(),
            &["SYCL runtime", "first native", "otherwise the first IR"],
        ),
        (usual_bundle(), &["SYCL runtime", "native images to SPIR-V"]),
    ] {
        let rule = chosen(&mut open(&bytes), "bmg-g21").2.rule;
        for words in words {
            assert!(rule.contains(words), "{words:?} is not in {rule:?}");
        }
    }
}

#[test]
fn native_images_of_a_bundle_come_before_spirv() {
    let both = bundle(&[
        ("sycl-spir64-unknown-unknown", &spirv::kernel().build()),
        ("sycl-spir64_gen-unknown-unknown", &small().build().bytes),
    ]);
    let (outcome, names, choice) = chosen(&mut open(&both), "bmg-g21");
    assert_eq!(outcome, Some(Outcome::Loads));
    assert_eq!(names, ["sycl-spir64_gen-unknown-unknown"]);
    assert_eq!(why(&choice, 0), "only for kernels without a native image");
    let only = bundle(&[("sycl-spir64-unknown-unknown", &spirv::kernel().build())]);
    let (outcome, ..) = chosen(&mut open(&only), "bmg-g21");
    assert_eq!(outcome, Some(Outcome::Recompiled));
    // An archive in the section of an object.
    let host = host_elf(BUNDLE_SECTION, 1, &ocloc_archive()).build().bytes;
    let (outcome, names, _) = chosen(&mut open(&host), "bmg-g21");
    assert_eq!((outcome, names.len()), (Some(Outcome::Loads), 1));
    assert!(names[0].ends_with("64.20.1.0"), "{names:?}");
}

#[test]
fn generic_images_are_not_zebins() {
    let document = &mut open(&ocloc_archive());
    let images = document.images(NodeId::ROOT);
    let first = document.node_of(&images.list[0]).unwrap();
    let generic = images
        .list
        .iter()
        .find(|image| image.name == "generic_ir")
        .unwrap();
    assert!(!generic.is_loadable);
    let generic = document.node_of(generic).unwrap();
    assert!(document.verdict(generic, None).is_none());
    assert!(document.verdict(first, None).is_some());
}

#[test]
fn the_kernels_of_all_images_are_one_list() {
    let archive = archive(&[
        member("64.20.1.0/", &zebin(&["first", "second"]).build().bytes),
        member("64.dg2/", &zebin(&["second"]).build().bytes),
        member("generic_ir/", &opencl_elf(0xff02)),
    ]);
    let document = &mut open(&archive);
    let kernels = list(document, ListId::Kernels);
    // The fourth is in the SPIR-V alone.
    assert_eq!((kernels.count(), kernels.secondary().count()), (4, 0));
    assert!(kernels.as_kernels().unwrap().is_of_several() && kernels.notes().is_empty());
    let text = |row, column| cell(document, &*kernels, row, column);
    assert_eq!(
        (text(0, "name"), text(0, "image")),
        ("first".to_owned(), "64.20.1.0".to_owned())
    );
    assert_eq!(
        (text(2, "name"), text(2, "image")),
        ("second".to_owned(), "64.dg2".to_owned())
    );
    assert_eq!(text(2, "device"), "bmg-g21");
    assert_eq!(kernels.as_kernels().unwrap().path(2), "64.dg2/data");
    let query = Query {
        filter: "image=64.dg2".to_owned(),
        ..Query::default()
    };
    let found = query.run(&*kernels, &document.sources).unwrap();
    assert_eq!(found.from(0, 9).collect::<Vec<_>>(), [2]);
    // A row links to its kernel in its image.
    let entry = kernels.entry(2, &document.sources).unwrap();
    assert_eq!(kernels.rows_at(entry, &document.sources), Some(2..3));
    let Detail::Kernel(detail) = kernels.about(2, entry, &document.sources).detail else {
        panic!("a kernel")
    };
    assert_eq!(detail.row.entry, entry);
    // An image lists its own.
    let image = document.images(NodeId::ROOT).list.swap_remove(1);
    let image = document.node_of(&image).unwrap();
    let own = tables::list(document, image, ListId::Kernels, None).unwrap();
    assert_eq!(
        (own.count(), own.subject().as_str()),
        (1, "64.dg2 · bmg-g21")
    );
    assert!(!own.as_kernels().unwrap().is_of_several());
}

#[test]
fn image_with_lost_kernels_is_reported() {
    let built = small().build();
    let at = built.find(".ze_info", b"kernels:").start;
    let bad = built.with_bytes(at, b"kernelz:").bytes;
    let archive = archive(&[
        member("64.20.1.0/", &small().build().bytes),
        member("64.dg2/", &bad),
    ]);
    let document = &mut open(&archive);
    let kernels = list(document, ListId::Kernels);
    assert_eq!(kernels.notes(), ["the kernels of 64.dg2 cannot be read"]);
}

#[test]
fn images_that_are_too_many_are_counted() {
    let image = spirv::kernel().build();
    let more = 3;
    let mut members: Vec<_> = (0..IMAGES_MAX + more)
        .map(|at| member(&format!("{at}/"), &image))
        .collect();
    // Small images in a small file are not all opened.
    members.push(member("large/", &vec![0; 60 << 20]));
    let document = &mut open(&archive(&members));
    let images = list(document, ListId::Images);
    assert_eq!(images.count() as usize, IMAGES_MAX);
    assert_eq!(images.notes(), ["3 more are not listed"]);
}

#[test]
fn the_images_and_what_the_driver_does_with_each() {
    let document = &mut open(&ocloc_archive());
    let images = list(document, ListId::Images);
    let text = |row, column| cell(document, &*images, row, column);
    assert_eq!(text(0, "image"), "64.20.1.0");
    assert_eq!(text(0, "device"), "bmg-g21");
    assert!(text(0, "target").starts_with("bmg-g21 · 20.1.0"));
    assert_eq!(text(0, "verdict"), "loads");
    let last = images.count() - 1;
    assert_eq!(
        (text(last, "image"), text(last, "verdict")),
        ("generic_ir".to_owned(), String::new())
    );
    assert_eq!(text(0, "chosen"), "");
    let images = tables::list_for(
        document,
        NodeId::ROOT,
        ListId::Images,
        &Query {
            options: RowOptions::for_device(Some("bmg-g21".into()), None),
            ..Query::default()
        },
    );
    let images = images.unwrap();
    let chosen = ListId::Images
        .columns()
        .iter()
        .find(|column| column.id == "chosen");
    assert!(images.shows(chosen.unwrap()));
    assert_eq!(cell(document, &*images, 0, "chosen"), "true");
    assert_eq!(cell(document, &*images, 1, "chosen"), "false");
}

#[test]
fn every_device_has_a_verdict() {
    let document = &mut open(&small().build().bytes);
    let devices = list(document, ListId::Devices);
    assert_eq!(devices.count() as usize, document.devices().len());
    let row = |list: &dyn List, device: &str| {
        let mut rows = 0..list.count();
        rows.find(|row| cell(document, list, *row, "device") == device)
            .unwrap()
    };
    let text = |device, column| cell(document, &*devices, row(&*devices, device), column);
    assert_eq!(text("bmg-g21", "verdict"), "loads");
    assert_eq!(text("pvc", "verdict"), "refused");
    assert_eq!(
        text("pvc", "reason"),
        "built for bmg-g21 (20.1.0); pvc is 12.60.7"
    );
    assert_eq!(
        (text("pvc", "configuration"), text("pvc", "family")),
        ("12.60.7".to_owned(), "Xe-HPC".to_owned())
    );
    assert!(text("bmg-g21", "marketing").contains("Arc B580"));
    let query = Query {
        filter: "verdict=loads".to_owned(),
        ..Query::default()
    };
    assert_eq!(query.run(&*devices, &document.sources).unwrap().count(), 3);
    assert_eq!(devices.subject(), "");
    // After the last row there is nothing to sort by.
    for column in 0..ListId::Devices.columns().len() {
        let key = |row| devices.key(row, column, &document.sources);
        assert_eq!(key(devices.count()), Key::Empty);
    }

    let document = &mut open(&ocloc_archive());
    let devices = list(document, ListId::Devices);
    let mut rows = 0..devices.count();
    let pvc = rows
        .find(|row| cell(document, &*devices, *row, "device") == "pvc")
        .unwrap();
    assert_eq!(cell(document, &*devices, pvc, "image"), "generic_ir");
    assert_eq!(cell(document, &*devices, pvc, "verdict"), "recompiled");
    // The list of an image names the image.
    let images = document.images(NodeId::ROOT);
    let image = images.list.iter().find(|image| image.is_loadable).unwrap();
    let id = document.nodes_for(image.span).pop().unwrap();
    let devices = tables::list(document, id, ListId::Devices, None).unwrap();
    assert_eq!(devices.subject(), image.name);
}

#[test]
fn file_with_spirv_for_another_device_has_one_verdict() {
    let sample = "www/samples/vecadd.bmg.zebin";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(folder.join(sample)).unwrap();
    let document = open(&bytes);
    let own = document.verdict(NodeId::ROOT, None).unwrap();
    assert_eq!(own.outcome, Outcome::Loads);
    let other = document.verdict(NodeId::ROOT, Some("pvc")).unwrap();
    match other.rebuild {
        Some(_) => assert_eq!(other.outcome, Outcome::Recompiled),
        None => assert_eq!(other.outcome, Outcome::Refused),
    }
    assert!(
        other.findings[0]
            .message
            .contains("20.1.0); pvc is 12.60.7")
    );
}

/// Selecting a row of a container's table stays in this table; the image itself has its own.
#[test]
fn a_chosen_row_stays_in_the_table_of_its_container() {
    let archive = archive(&[
        member("64.20.1.0/", &zebin(&["first", "second"]).build().bytes),
        member("64.dg2/", &zebin(&["third"]).build().bytes),
    ]);
    let mut document = open(&archive);
    let kernels = list(&mut document, ListId::Kernels);
    let third = kernels.entry(2, &document.sources).unwrap();
    let images = document.images(NodeId::ROOT);
    let span = images.list[1].span;
    let (mut decoder, _) = Decoder::show("archive.a", open(&archive));
    let mut at = |place: Span, current| {
        let follow = Follow {
            document: NodeId::ROOT,
            list: ListId::Kernels,
            query: Query::default(),
            current,
            or_first: false,
        };
        let request = Request::Select {
            order: TreeOrder::File,
            place: SelectionTarget::Span(place),
            follow: Some(follow),
        };
        let Response::Selected(selected) = decoder.ask(request) else {
            panic!("selected")
        };
        let list = selected.list.expect("a list");
        (
            list.document,
            list.found,
            list.place.map(|place| place.index),
        )
    };
    assert_eq!(at(third, None), (NodeId::ROOT, 3, Some(2)));
    let (around, found, _) = at(span, Some(third));
    assert_eq!(found, 1, "the kernels of the image");
    assert_ne!(around, NodeId::ROOT);
    let whole = Span::new(SourceId::FILE, 0, archive.len() as u64);
    assert_eq!(at(whole, None).1, 3);
    // Its columns name the image.
    let request = Request::List {
        document: NodeId::ROOT,
        list: ListId::Kernels,
        query: Query::default(),
        ask: ListRequest::Rows {
            start: 0,
            count: 1,
            columns: Vec::new(),
        },
    };
    let Response::List(page) = decoder.ask(request) else {
        panic!("rows")
    };
    assert_eq!(page.columns[..3], ["family", "arguments", "device"]);
    assert!(page.columns.iter().any(|column| column == "image"));
}
