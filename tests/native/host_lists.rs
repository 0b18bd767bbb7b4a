//! Lists of a host file: its device images, the images that run on a device, and all kernels.

use std::cell::RefCell;
use std::rc::Rc;
use zeview::tables;
use zeview::tables::kernels;
use zeview::tables::kernels::reading::KernelReading;

use zeview::analysis::modules::PropertyOwner;
use zeview::decode::decode;
use zeview::model::{ByteSource, Bytes, Document, MemorySource, NodeId, Outcome, SourceError};
use zeview::tables::query::{Query, RowOptions};
use zeview::tables::{Detail, List, ListId};
use zeview::worker::protocol::{Request, Response};

use crate::decoder::Decoder;
use crate::support::containers::{archive, member};
use crate::support::elf::Class;
use crate::support::hosts::{Host, usual, without_index};
use crate::support::names::names;
use crate::support::open;
use crate::support::spirv;
use crate::support::zebin::{small, zebin};

fn usual_host() -> Vec<u8> {
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    usual(Class::Elf64, 3, &spirv, &zebin).build()
}

/// A host with an ocloc archive for two devices, and the same kernels for JIT.
fn with_archive() -> Vec<u8> {
    let archive = archive(&[
        member("64.20.1.0/", &zebin(&["k"]).build().bytes),
        member("64.dg2/", &zebin(&["k"]).build().bytes),
    ]);
    usual(Class::Elf64, 3, &spirv::kernel().build(), &archive).build()
}

fn list(document: &mut Document, list: ListId, device: Option<&str>) -> Rc<dyn List> {
    let list = tables::list_for(
        document,
        NodeId::ROOT,
        list,
        &Query {
            options: RowOptions::for_device(device.map(|name| name.to_owned().into()), None),
            ..Query::default()
        },
    );
    list.expect("there is one")
}

fn cell(document: &Document, list: &dyn List, row: u32, column: &str) -> String {
    let columns = list.id().columns();
    let place = columns.iter().position(|other| other.id == column).unwrap();
    let cell = list.cell(row, place, &document.sources);
    cell.value.text().into_owned()
}

#[test]
fn the_images_are_listed_and_not_opened() {
    let mut document = open(&usual_host());
    assert!(document.summary.has.host);
    let images = list(&mut document, ListId::Images, None);
    assert_eq!(images.count(), 2);
    let text = |row, column| cell(&document, &*images, row, column);
    assert_eq!(
        (text(0, "image"), text(1, "image")),
        ("image 0".into(), "image 1".into())
    );
    assert_eq!(
        (text(0, "kind"), text(1, "kind")),
        ("SPIR-V".into(), "zebin".into())
    );
    assert_eq!(
        (text(0, "target"), text(1, "target")),
        ("spir64".into(), "spir64_gen".into())
    );
    assert_eq!(
        (text(0, "device"), text(1, "device")),
        (String::new(), "bmg-g21".into())
    );
    assert_eq!(
        (text(0, "kernel"), text(0, "kernels")),
        ("k".into(), "1".into())
    );
    assert_eq!(text(0, "exported"), "exported");
    assert_eq!(text(0, "found_by"), "descriptor");
    assert_eq!(text(1, "size"), small().build().bytes.len().to_string());
    assert_eq!(text(1, "stored"), text(1, "size"));
    // Columns that require opening the images are hidden.
    let shown = images.id().columns().iter();
    let shown: Vec<_> = shown
        .filter(|column| images.shows(column))
        .map(|c| c.id)
        .collect();
    assert!(
        shown.contains(&"kernel") && !shown.contains(&"verdict"),
        "{shown:?}"
    );
    assert!(document.loadable().is_empty());
}

#[test]
fn cells_link_to_their_bytes() {
    let bytes = usual_host();
    let mut document = open(&bytes);
    let images = list(&mut document, ListId::Images, None);
    let span = |column: &str| {
        let columns = images.id().columns();
        let place = columns.iter().position(|other| other.id == column).unwrap();
        let span = images.cell(0, place, &document.sources).span.unwrap();
        document.sources.read(span).unwrap().to_vec()
    };
    assert_eq!(span("target"), b"spir64\0");
    assert_eq!(span("exported"), b"exported\0");
    assert_eq!(span("image"), spirv::kernel().build());
    assert_eq!(span("kernels").len(), 2 * 32, "the entries");
    let about = images.about(
        0,
        images.entry(0, &document.sources).unwrap(),
        &document.sources,
    );
    let Detail::Image { kernels, query } = about.detail else {
        panic!("an image")
    };
    assert_eq!((kernels, query.as_str()), (1, "image=\"image 0\""));
    let whys: Vec<_> = about.links.iter().map(|link| &*link.why).collect();
    assert_eq!(whys, ["target", "exports", "kernel", "struct"]);
}

#[test]
fn native_code_comes_before_spirv() {
    let mut document = open(&usual_host());
    let images = list(&mut document, ListId::Images, Some("bmg-g21"));
    let text = |row, column| cell(&document, &*images, row, column);
    assert_eq!(
        (text(0, "chosen"), text(1, "chosen")),
        ("false".into(), "true".into())
    );
    assert_eq!(text(0, "reason"), "its kernels run from native images");
    // Whatever the device of the native image: the runtime only checks the target.
    for (device, outcome) in [("bmg-g21", Outcome::Loads), ("pvc", Outcome::Refused)] {
        let images = document.images_to_choose(NodeId::ROOT);
        let choice = document.choice(&images, device).unwrap();
        assert_eq!(choice.chosen().collect::<Vec<_>>(), [1]);
        assert_eq!(choice.outcome, outcome, "{device}");
    }
}

#[test]
fn the_driver_chooses_in_the_archive() {
    let mut document = open(&with_archive());
    let images = list(&mut document, ListId::Images, None);
    assert_eq!(cell(&document, &*images, 1, "device"), "bmg-g21, dg2");
    let images = list(&mut document, ListId::Images, Some("bmg-g21"));
    assert_eq!(
        cell(&document, &*images, 1, "reason"),
        "64.20.1.0: named for 20.1.0"
    );
    let devices = list(&mut document, ListId::Devices, None);
    let mut rows = 0..devices.count();
    let bmg = rows.find(|row| cell(&document, &*devices, *row, "device") == "bmg-g21");
    let bmg = bmg.unwrap();
    assert_eq!(cell(&document, &*devices, bmg, "verdict"), "loads");
    assert_eq!(cell(&document, &*devices, bmg, "image"), "image 1");
}

#[test]
fn members_are_listed_where_the_device_does_not_identify_them() {
    let shows = |members: &[Vec<u8>]| {
        let spirv = spirv::kernel().build();
        let host = usual(Class::Elf64, 3, &spirv, &archive(members)).build();
        let mut document = open(&host);
        let kernels = list(&mut document, ListId::Kernels, None);
        let mut columns = kernels.id().columns().iter();
        let member = columns.find(|column| column.id == "member").unwrap();
        (kernels.count(), kernels.shows(member))
    };
    let first = member("64.20.1.0/", &zebin(&["k"]).build().bytes);
    // With the kernel of the SPIR-V image.
    assert_eq!(shows(std::slice::from_ref(&first)), (2, false));
    // Another build for the same device.
    let other = member("64.bmg/", &zebin(&["k", "l"]).build().bytes);
    assert_eq!(shows(&[first.clone(), other]), (4, true));
    // A copy is hidden unless it is asked for.
    let copy = member("64.bmg/", &zebin(&["k"]).build().bytes);
    assert_eq!(shows(&[first, copy]), (3, false));
}

#[test]
fn images_without_a_native_one_and_for_others() {
    let spirv = spirv::kernel().build();
    let mut host = Host::new(Class::Elf64);
    let targets = ["spir64", "nvptx64", "spir64"].map(|target| host.text(target));
    let places = [(); 3].map(|()| host.image(&spirv));
    let (first, same) = (host.entries(&["k"]), host.entries(&["k"]));
    let start = host.image_struct(3, targets[0], places[0], first, None);
    host.image_struct(3, targets[1], places[1], first, None);
    host.image_struct(3, targets[2], places[2], same, None);
    host.descriptor(start, 3);
    let mut document = open(&host.build());
    let images = list(&mut document, ListId::Images, Some("pvc"));
    let reason = |row| cell(&document, &*images, row, "reason");
    assert_eq!(reason(0), "SPIR-V; its kernels have no native image");
    assert_eq!(reason(1), "the target nvptx64 is for other devices");
    assert_eq!(reason(2), "an image before it has the same kernels");
}

#[test]
fn the_same_kernel_stands_side_by_side() {
    let mut document = open(&with_archive());
    let kernels = list(&mut document, ListId::Kernels, None);
    let rows: Vec<_> = (0..kernels.count())
        .map(|row| ["name", "image", "device"].map(|id| cell(&document, &*kernels, row, id)))
        .collect();
    let row = |image: &str, device: &str| ["k".to_owned(), image.to_owned(), device.to_owned()];
    // The zebins are equal, despite their names.
    assert_eq!(
        rows,
        [
            row("image 0", "SPIR-V"),
            row("image 1", "bmg-g21"),
            row("image 1", "bmg-g21")
        ]
    );
    // For SPIR-V only names are known.
    assert_eq!(cell(&document, &*kernels, 0, "spill_size"), "");
    assert_eq!(cell(&document, &*kernels, 1, "spill_size"), "0");
    let query = Query {
        filter: "image=\"image 1\"".to_owned(),
        ..Query::default()
    };
    // A copy is shown only on demand.
    let found = |query: &Query| query.run(&*kernels, &document.sources).unwrap().count();
    assert_eq!(found(&query), 1);
    assert_eq!(found(&Query { all: true, ..query }), 2);
}

#[test]
fn a_name_without_its_section_leads_to_an_image() {
    let mut document = open(&usual_host());
    let image = document.find("image 1").unwrap();
    assert_eq!(
        document.path(image),
        "__CLANG_OFFLOAD_BUNDLE__sycl-spir64/image 1"
    );
    assert!(document.find("image 2").is_err());
}

#[test]
fn images_without_an_index_name_their_origin() {
    let mut document = open(&without_index(&usual_host()));
    let images = list(&mut document, ListId::Images, Some("bmg-g21"));
    assert_eq!(images.count(), 2);
    let first = images.cell(0, 0, &document.sources);
    assert_eq!(first.marks[0].text, "carved");
    assert_eq!(cell(&document, &*images, 0, "chosen"), "false");
    assert_eq!(
        cell(&document, &*images, 0, "reason"),
        "no descriptor lists it: no runtime finds it"
    );
}

/// The second image imports a symbol of the first one, and one that no image exports.
fn importing() -> Vec<u8> {
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64");
    let spirv = spirv::kernel().build();
    let images = [host.image(&spirv), host.image(&spirv)];
    let entries = host.entries(&["k"]);
    let exported = host.set("SYCL/exported symbols", &[("f", 1)]);
    let imported = host.set("SYCL/imported symbols", &[("f", 1), ("g", 1)]);
    let first = host.image_struct(3, target, images[0], entries, Some(exported));
    host.image_struct(3, target, images[1], entries, Some(imported));
    host.descriptor(first, 2);
    host.build()
}

#[test]
fn imports_are_connected_to_exports() {
    let (mut decoder, _) = Decoder::open("host", importing());
    let graph = Request::Graph {
        document: NodeId::ROOT,
        list: ListId::Images,
        query: Query::default(),
        start: 0,
        count: u64::MAX,
        at: None,
    };
    let Response::Graph(page) = decoder.ask(graph) else {
        panic!("a graph");
    };
    assert_eq!(page.list, ListId::Images);
    assert_eq!(
        (page.modules, page.ir_modules, page.native_images),
        (2, 2, 0)
    );
    assert_eq!((page.resolved, page.unresolved), (1, 1));
    let [edge] = &page.edges[..] else {
        panic!("{:?}", page.edges);
    };
    assert_eq!((edge.from, edge.to, &*edge.symbol), (1, 0, "f"));
    let [first, second] = &page.rows[..] else {
        panic!("{:?}", page.rows);
    };
    assert_eq!(
        (first.exports.as_slice(), second.imports.len()),
        (&["f".to_owned()][..], 2)
    );

    // Bytes belong to their image, to its struct, or to the file.
    let code = second.ir_modules[0].bytes;
    assert_eq!(
        page.owner_at(code.subspan(4, 1)),
        Some(PropertyOwner::IrModule(1))
    );
    let header = first.module.header;
    assert_eq!(
        page.owner_at(header),
        Some(PropertyOwner::AbstractModule(0))
    );
    assert_eq!(
        page.owner_at(page.span.subspan(0, 4)),
        Some(PropertyOwner::Whole)
    );
}

#[test]
fn images_with_the_same_bytes_are_recognized() {
    let mut document = open(&importing());
    let images = list(&mut document, ListId::Images, None);
    let same = |document: &Document, row| cell(document, &*images, row, "same_as");
    assert_eq!(
        (&*same(&document, 0), &*same(&document, 1)),
        ("", "image 0")
    );

    let mut document = open(&usual_host());
    let images = list(&mut document, ListId::Images, None);
    assert_eq!(cell(&document, &*images, 1, "same_as"), "");
}

/// While images are read, the kernels have short names that are different; in the end, those of the index,
/// whether something else has asked for these before or not.
/// A library of six images with ten kernels each.
fn library() -> Vec<u8> {
    let all = names(60, 5);
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64_gen");
    let mut parts = Vec::new();
    for part in all.chunks(10) {
        let names: Vec<&str> = part.iter().map(|(name, _)| &**name).collect();
        let mut image = zebin(&names).build().bytes;
        // Longer than what is read of it along with the index.
        image.resize(image.len() + 200_000, 0);
        parts.push((host.image(&image), host.entries(&names)));
    }
    let mut structs = Vec::new();
    for (image, entries) in parts {
        structs.push(host.image_struct(1, target, image, entries, None));
    }
    host.descriptor(structs[0], 6);
    host.build()
}

/// Bytes that are fetched after they were announced.
struct Announced {
    bytes: MemorySource,
    spans: Rc<RefCell<Vec<(u64, u64)>>>,
}

impl ByteSource for Announced {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn announce(&self, start: u64, len: u64) {
        self.spans.borrow_mut().push((start, start + len));
    }

    fn is_ready(&self, start: u64, len: u64) -> bool {
        let spans = self.spans.borrow();
        spans
            .iter()
            .any(|(from, to)| *from <= start && start + len <= *to)
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        self.bytes.read(start, len)
    }
}

#[test]
fn the_next_images_are_announced_once() {
    let spans = Rc::new(RefCell::new(Vec::new()));
    let source = Announced {
        bytes: MemorySource::from(library()),
        spans: Rc::clone(&spans),
    };
    let mut document = decode(Box::new(source), "library.so");
    let mut reading = KernelReading::new(&mut document, NodeId::ROOT).unwrap();
    assert!(spans.borrow().is_empty(), "nobody has asked for an image");
    assert!(!reading.is_ready(&document.sources));
    reading.announce(&document.sources);
    assert!(reading.is_ready(&document.sources));
    let announced = spans.borrow().clone();
    let images = document.images(NodeId::ROOT).list;
    assert_eq!(images.len(), 6);
    for image in images {
        let span = image.span;
        let mut all = announced.iter();
        assert!(all.any(|(from, to)| *from <= span.start && span.end <= *to));
    }
    while reading.step(&mut document) {
        reading.announce(&document.sources);
    }
    assert_eq!(*spans.borrow(), announced);
    assert_eq!(reading.list(&document.sources).count(), 60);
}

#[test]
fn arguments_are_unknown_while_a_library_is_read() {
    let bytes = library();
    let mut document = open(&bytes);
    let whole = list(&mut open(&bytes), ListId::Kernels, None);
    let families: Vec<String> = (0..whole.count())
        .map(|row| cell(&document, &*whole, row, "family"))
        .collect();
    let mut reading = KernelReading::new(&mut document, NodeId::ROOT).unwrap();
    while reading.step(&mut document) {
        let list = reading.list(&document.sources);
        let is_over = reading.progress().is_over();
        for row in 0..list.count() {
            let arguments = cell(&document, &*list, row, "arguments");
            let is_unknown = arguments == "unknown: not all kernels of the file are read";
            assert_eq!(is_unknown, !is_over, "{arguments}");
            // Families do not change.
            assert!(families.contains(&cell(&document, &*list, row, "family")));
        }
    }
}

#[test]
fn short_names_of_a_library_that_is_read() {
    let bytes = library();
    let mut document = open(&bytes);
    let mut reading = KernelReading::new(&mut document, NodeId::ROOT).unwrap();
    let mut count = 0;
    while reading.step(&mut document) {
        count += 10;
        let list = reading.list(&document.sources);
        let mut seen = std::collections::HashSet::new();
        for row in 0..list.count() {
            let short = cell(&document, &*list, row, "short_name");
            assert!(seen.insert(short.clone()), "{short} twice in {count}");
        }
        assert_eq!(seen.len(), count);
    }
    let mut other = open(&bytes);
    let names = kernels::short_names(&mut other, NodeId::ROOT).unwrap();
    for document in [&mut document, &mut other] {
        let list = list(document, ListId::Kernels, None);
        for row in 0..list.count() {
            let name = cell(document, &*list, row, "name");
            let short = cell(document, &*list, row, "short_name");
            assert_eq!(names.get(&name), Some(&*short));
        }
    }
}
