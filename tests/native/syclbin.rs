//! SYCLBIN in both generations, and the OffloadBinaries around it.

use std::rc::Rc;
use zeview::tables;

use crate::support::syclbin::{Entry, Offload, Syclbin, Text, ir_text, patched, words};
use crate::support::tree::walk_all;
use zeview::analysis::modules::{ModuleGraph, PropertyOwner, PropertyValue};
use zeview::decode::compression::Method;
use zeview::model::{Document, NodeId, NodeKind, Span};
use zeview::tables::query::Query;
use zeview::tables::{Cell, Detail, List, ListId};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{Envelope, Follow, Request, Response, SelectionTarget};

fn graph(document: &Document) -> Rc<ModuleGraph> {
    let modules = document.modules(NodeId::ROOT).expect("there are modules");
    modules.graph(&document.sources)
}

fn rules_of(document: &Document) -> Vec<&str> {
    document.diagnostics.iter().map(|d| &*d.rule).collect()
}

/// Returns all forms of the same modules.
fn packed(syclbin: &Syclbin) -> Vec<(&'static str, Vec<u8>)> {
    let wrapped = |version| Offload::new(version, vec![Entry::of_kind(7, syclbin.v1())]).build();
    vec![
        ("v1", syclbin.v1()),
        ("v1 in version 1", wrapped(1)),
        ("v1 in version 2", wrapped(2)),
        ("v1 in version 3", wrapped(3)),
        ("v2", syclbin.v2()),
        ("v2, zlib", Offload::packed(syclbin.entries(), Method::Zlib)),
        ("v2, zstd", Offload::packed(syclbin.entries(), Method::Zstd)),
    ]
}

/// An IR module without a target is named by its type.
#[test]
fn modules_without_a_target() {
    let mut syclbin = Syclbin::small();
    syclbin.modules[0].ir[0].text = ir_text(0, "");
    let mut document = crate::support::open(&syclbin.v1());
    let list = tables::list(&mut document, NodeId::ROOT, ListId::Modules, None).unwrap();
    let mut columns = ListId::Modules.columns().iter();
    let column = columns.position(|column| column.id == "ir_modules");
    let text = |row| {
        let cell = list.cell(row, column.unwrap(), &document.sources);
        cell.value.text().into_owned()
    };
    let (without, with) = (text(0), text(1));
    assert_eq!(with, format!("{without} spir64-unknown-unknown"));
    assert!(!without.is_empty());
}

/// Metadata of the file and of a module is explained, in both generations.
#[test]
fn metadata_is_explained() {
    let explained = |bytes: &[u8]| {
        let document = crate::support::open(bytes);
        let tree = walk_all(&document).unwrap();
        let texts = tree.nodes.iter().map(|flat| &flat.node);
        let texts = texts.filter(|node| node.kind == NodeKind::Text);
        let docs = texts.filter_map(|node| node.doc.map(|doc| doc.text));
        let mut docs: Vec<&str> = docs.collect();
        docs.sort_unstable();
        docs.dedup();
        docs
    };
    let (first, second) = (
        explained(&Syclbin::small().v1()),
        explained(&Syclbin::small().v2()),
    );
    assert_eq!(first, second);
}

#[test]
fn both_generations_give_the_same_model() {
    let syclbin = Syclbin::small();
    for (name, file) in packed(&syclbin) {
        let document = crate::support::open(&file);
        assert_eq!(document.diagnostics, [], "{name}");
        assert_eq!(document.coverage.gap, 0, "{name}");
        assert_eq!(document.summary.format, "syclbin", "{name}");
        let graph = graph(&document);
        assert_eq!(graph.state_name(), Some("object"), "{name}");
        assert_eq!(
            graph.version.value,
            if name.starts_with("v2") { 2 } else { 1 }
        );
        assert_eq!(graph.abstract_modules.len(), 2, "{name}");
        let [first, second] = &graph.abstract_modules[..] else {
            panic!("{name}");
        };
        assert_eq!((first.ir_modules.clone(), first.sets), (0..1, 3));
        assert_eq!((first.imports, first.exports), (1, 0));
        assert_eq!(second.ir_modules, 1..2);
        assert_eq!(second.native_images, 0..1);
        let native = &graph.native_images_of(second)[0];
        let bytes = document.sources.read(native.bytes).expect("they are there");
        assert_eq!(*bytes, syclbin.modules[1].native[0].bytes);
        let arch = native.arch.as_ref().expect("it is said");
        assert_eq!(arch.value, "bmg_g21");
        assert!(native.title.starts_with("zebin 1."), "{}", native.title);
        assert_eq!(graph.ir_modules[0].ir_type_name(), Some("SPIR-V"));
        let [symbol] = &graph.symbols[..] else {
            panic!("{name}");
        };
        assert_eq!(symbol.name, "_Z5scalei");
        assert_eq!(
            (&symbol.exported_by[..], &symbol.imported_by[..]),
            (&[1][..], &[0][..])
        );
    }
}

#[test]
fn nested_documents_have_their_own_rows() {
    for (name, file) in packed(&Syclbin::small()) {
        let mut document = crate::support::open(&file);
        let tree = walk_all(&document).expect("it ends");
        let files: Vec<_> = tree
            .nodes
            .iter()
            .filter(|f| f.node.kind == NodeKind::File)
            .collect();
        let nested = files.iter().filter(|f| f.node.name != "file").count();
        assert!(nested >= 3, "{name}: {nested} documents");
        let path = match name {
            "v1" => "binary table/native device code image 0".to_owned(),
            "v2" => "native device code image 0/code".to_owned(),
            "v2, zlib" | "v2, zstd" => {
                "compressed/unpacked/native device code image 0/code".to_owned()
            }
            _ => "image 0/binary table/native device code image 0".to_owned(),
        };
        let zebin = document.find(&path).expect("it is there");
        let kernels = document.kernels(zebin).expect("a zebin has kernels");
        assert_eq!(kernels.rows(&document.sources).len(), 1, "{name}");
    }
}

#[test]
fn properties_are_decoded() {
    let mut syclbin = Syclbin::small();
    syclbin.modules[0].text = Text::default()
        .set("SYCL/specialization constants")
        .bytes("c", &words(&[7, 0, 4]))
        .set("mine")
        .number("key=", 3)
        .bits("bits", 3, &[5])
        .set("SYCL/kernel param opt")
        .bits("k", 3, &[5]);
    for (name, file) in packed(&syclbin) {
        let document = crate::support::open(&file);
        let modules = document.modules(NodeId::ROOT).expect("there are modules");
        let sets = modules.properties(PropertyOwner::AbstractModule(0), &document.sources);
        let meaning = |set: usize, entry: usize| &*sets[set].entries[entry].meaning;
        assert_eq!(meaning(0, 0), "ID 7, offset 0, size 4", "{name}");
        assert_eq!(meaning(2, 0), "eliminated: 0, 2 (of 3)", "{name}");
        let bits = PropertyValue::Bytes {
            bits: 3,
            bytes: vec![5],
        };
        assert_eq!(sets[1].entries[1].value, bits, "{name}");
        let unreadable = &sets[1].entries[0];
        assert_eq!(unreadable.key, "key", "{name}");
        assert_eq!(
            unreadable.value,
            PropertyValue::Unreadable("3".to_owned()),
            "{name}"
        );
        for set in &sets {
            for entry in &set.entries {
                let read = |span| document.sources.read(span).expect("it is there");
                assert_eq!(*read(entry.key_span), *entry.key.as_bytes(), "{name}");
                let kind = entry.kind.span.expect("it is there");
                let after = Span::with_len(kind.source, kind.end, 1);
                assert_eq!(*read(after), *b"|", "{name}");
            }
        }
    }
}

#[test]
fn duplicate_sets_and_keys_count_once() {
    let mut syclbin = Syclbin::small();
    syclbin.modules[0].text = Text::default()
        .set("a")
        .number("k", 1)
        .set("b")
        .number("k", 2)
        .set("a")
        .number("j", 3)
        .number("k", 4);
    let document = crate::support::open(&syclbin.v2());
    let modules = document.modules(NodeId::ROOT).expect("there are modules");
    let sets = modules.properties(PropertyOwner::AbstractModule(0), &document.sources);
    let shown: Vec<String> = sets
        .iter()
        .flat_map(|set| {
            let entry = |e: &zeview::analysis::modules::Property| {
                format!("{}/{} {:?}", set.name, e.key, e.value)
            };
            set.entries.iter().map(entry).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(shown, ["a/k Number(4)", "a/j Number(3)", "b/k Number(2)"]);
}

/// Returns the list of a document in a file.
fn list(document: &mut Document, list: ListId, of: Option<Span>) -> Rc<dyn List> {
    let id = *tables::documents_with(document, list)
        .first()
        .expect("there is one");
    tables::list(document, id, list, of).expect("there is one")
}

/// Returns the rows that match a filter.
fn found(document: &Document, list: &dyn List, filter: &str) -> Vec<u32> {
    let query = Query {
        filter: filter.to_owned(),
        ..Query::default()
    };
    let order = query.run(list, &document.sources);
    let order = order.unwrap_or_else(|why| panic!("{filter}: {why}"));
    order.from(0, u64::MAX).collect()
}

fn cell(document: &Document, list: &dyn List, row: u32, id: &str) -> Cell<'static> {
    let columns = list.id().columns();
    let at = columns.iter().position(|column| column.id == id);
    list.cell(row, at.expect("no such column"), &document.sources)
        .shown()
}

#[test]
fn modules_are_a_list() {
    let syclbin = Syclbin::small();
    for (name, file) in packed(&syclbin) {
        let mut document = crate::support::open(&file);
        let list = list(&mut document, ListId::Modules, None);
        let text = |row, id| {
            let value = cell(&document, &*list, row, id).value;
            value.text().into_owned()
        };
        assert_eq!(list.count(), 2, "{name}");
        for (id, first, second) in [
            ("module", "0", "1"),
            (
                "ir_modules",
                "SPIR-V spir64-unknown-unknown",
                "SPIR-V spir64-unknown-unknown",
            ),
            ("native_images", "", "bmg_g21"),
            ("exports", "0", "1"),
            ("imports", "1", "0"),
            ("exported_symbols", "", "_Z5scalei"),
            ("imported_symbols", "_Z5scalei", ""),
        ] {
            assert_eq!(
                (&*text(0, id), &*text(1, id)),
                (first, second),
                "{name} {id}"
            );
        }
        for (filter, rows) in [
            ("bmg", &[1][..]),
            ("spir-v", &[0, 1]),
            ("scale", &[0, 1]),
            ("module=1", &[1]),
            ("exports>0", &[1]),
            ("native_images<1", &[0]),
            ("exported_symbols=_Z5scalei", &[1]),
            ("not bmg or imports=0", &[0, 1]),
        ] {
            assert_eq!(found(&document, &*list, filter), rows, "{name} {filter}");
        }
        // Bytes lead to the module, and to the part that contains them.
        let id = *tables::documents_with(&mut document, ListId::Modules)
            .first()
            .unwrap();
        let graph = document.modules(id).unwrap().graph(&document.sources);
        let image = graph.native_images[0].bytes;
        let to = cell(&document, &*list, 1, "native_images").span;
        assert_eq!(to, Some(image), "{name}");
        assert_eq!(
            list.rows_at(image.subspan(10, 4), &document.sources),
            Some(1..2)
        );
        let about = list.about(1, image.subspan(10, 4), &document.sources);
        assert_eq!(about.title, "abstract module 1");
        assert_eq!(
            about.detail,
            Detail::Module(PropertyOwner::NativeImage(0)),
            "{name}"
        );
        assert_eq!(list.rows_at(graph.span, &document.sources), None, "{name}");
    }
}

#[test]
fn properties_are_a_list() {
    let mut syclbin = Syclbin::small();
    syclbin.modules[0].text = Text::default()
        .set("SYCL/kernel names")
        .number("vecadd", 1)
        .set("mine")
        .number("large", 70_000)
        .number("key=", 3)
        .bits("bits", 3, &[5])
        .bytes("long", &[7; 100]);
    for (name, file) in packed(&syclbin) {
        let mut document = crate::support::open(&file);
        let id = *tables::documents_with(&mut document, ListId::Modules)
            .first()
            .unwrap();
        let graph = document.modules(id).unwrap().graph(&document.sources);
        let header = graph.abstract_modules[0].header;
        let of_module = list(&mut document, ListId::Properties, Some(header));
        assert_eq!(of_module.subject(), "abstract module 0", "{name}");
        let cell = |row, id| cell(&document, &*of_module, row, id);
        let rows: Vec<[String; 4]> = (0..of_module.count())
            .map(|row| {
                ["set", "key", "type", "value"].map(|id| cell(row, id).value.text().into_owned())
            })
            .collect();
        let long = format!("{}…", "07 ".repeat(24));
        assert_eq!(
            rows,
            [
                ["SYCL/kernel names", "vecadd", "number", "1"],
                ["mine", "large", "number", "70000"],
                ["mine", "key", "unknown", "3"],
                ["mine", "bits", "bytes", "05"],
                ["mine", "long", "bytes", &long],
            ],
            "{name}"
        );
        assert_eq!(cell(2, "value").marks[0].text, "unreadable", "{name}");
        assert_eq!(cell(3, "bits").value.text(), "3", "{name}");
        assert!(!cell(0, "description").value.text().is_empty(), "{name}");
        // Each cell leads to its bytes, and those back to the row.
        for row in 0..of_module.count() {
            let read = |id| {
                let span = cell(row, id).span.expect("it is there");
                document.sources.read(span).expect("it is there").to_vec()
            };
            for id in ["set", "key"] {
                let text = cell(row, id).value.text().into_owned();
                assert_eq!(read(id), text.as_bytes(), "{name}");
            }
            let span = cell(row, "value").span.unwrap();
            let at = of_module.rows_at(span, &document.sources);
            assert_eq!(at, Some(row..row + 1), "{name}");
        }
        assert_eq!(
            found(&document, &*of_module, "mine key=bits"),
            [3],
            "{name}"
        );
        // Of the whole file, and of an image.
        let whole = list(&mut document, ListId::Properties, None);
        assert_eq!(whole.subject(), "the SYCLBIN", "{name}");
        let image = graph.native_images[0].bytes.subspan(3, 1);
        let of_image = list(&mut document, ListId::Properties, Some(image));
        let subject = "native device code image 0 of abstract module 1";
        assert_eq!(of_image.subject(), subject, "{name}");
    }
}

/// A zebin in a SYCLBIN has its own kernels and symbols; the SYCLBIN has the modules.
#[test]
fn lists_come_from_the_innermost_document() {
    let mut document = crate::support::open(&Syclbin::small().v2());
    let path = "native device code image 0/code/.ze_info/kernels/[0]";
    let node = document.find(path).expect("it is there");
    let zebin = document.find("native device code image 0/code").unwrap();
    for (list, around) in [
        (ListId::Kernels, zebin),
        (ListId::Symbols, zebin),
        (ListId::Relocations, zebin),
        (ListId::Lines, zebin),
        (ListId::Modules, NodeId::ROOT),
        (ListId::Properties, NodeId::ROOT),
    ] {
        assert_eq!(
            tables::document_of(&document, node, list),
            Some(around),
            "{list:?}"
        );
    }
    // The SYCLBIN lists the kernels of all its images.
    let all = tables::document_of(&document, NodeId::ROOT, ListId::Kernels);
    assert_eq!(all, Some(NodeId::ROOT));
    assert!(!tables::has_list(&document, NodeId::ROOT, ListId::Kernels));
    // Native code, and two modules of SPIR-V.
    let with = tables::documents_with(&mut document, ListId::Kernels);
    assert_eq!(with.len(), 3);
    assert!(with.contains(&zebin));
}

/// One request returns the list, owner and row of a selection.
#[test]
fn a_selection_has_its_module_and_its_properties() {
    let bytes = Syclbin::small().v2();
    let mut handler = Handler::new(|| 0.0);
    let source = zeview::model::MemorySource::from(bytes);
    handler.open(1, "file", Box::new(source));
    let mut select = |path: &str, list| {
        let follow = Follow {
            document: NodeId::ROOT,
            list,
            query: Query::default(),
            current: None,
            or_first: false,
        };
        let request = Request::Select {
            order: TreeOrder::File,
            place: SelectionTarget::Path(path.to_owned()),
            follow: Some(follow),
        };
        let envelope = Envelope {
            id: 2,
            about: None,
            request,
        };
        match handler.answer(&envelope).response {
            Response::Selected(selected) => *selected.list.expect("there is a list"),
            other => panic!("{other:?}"),
        }
    };
    let code = "native device code image 0/code";
    let at = select(code, ListId::Modules);
    assert_eq!((at.document, at.found), (NodeId::ROOT, 2));
    let place = at.place.expect("it is in a module");
    assert_eq!((place.index, place.place), (1, Some(1)));
    assert_eq!(
        place.about.detail,
        Detail::Module(PropertyOwner::NativeImage(0))
    );
    let whole = select("", ListId::Modules);
    assert_eq!((whole.found, whole.place), (2, None));
    // All bytes in the image have the same row.
    let of = select(code, ListId::Properties).of;
    assert_eq!(
        select(&format!("{code}/.ze_info"), ListId::Properties).of,
        of
    );
    let whole = select("", ListId::Properties);
    assert_ne!(whole.of, of);
    assert!(whole.of.is_some() && whole.found > 0);
    // Another document's kernels, although no row belongs to the selection.
    let kernels = select(code, ListId::Kernels);
    assert_ne!(kernels.document, NodeId::ROOT);
    assert_eq!((kernels.found, kernels.place), (1, None));
}

#[test]
fn entries_in_any_order() {
    let syclbin = Syclbin::small();
    let mut entries = syclbin.entries();
    entries.reverse();
    let document = crate::support::open(&Offload::new(2, entries).build());
    assert_eq!(document.diagnostics, []);
    let graph = graph(&document);
    assert_eq!(graph.abstract_modules[1].ir_modules, 1..2);
    let image = &graph.ir_modules_of(&graph.abstract_modules[0])[0];
    assert_eq!(
        image.bytes.len(),
        syclbin.modules[0].ir[0].bytes.len() as u64
    );
}

#[test]
fn early_writers_wrote_no_counts() {
    let file = Syclbin::small().v1();
    let second = 56 + 32;
    let file = patched(&file, second + 20, 4, 0);
    let document = crate::support::open(&file);
    assert_eq!(rules_of(&document), ["syclbin/first-index-zero"]);
    let help = document.diagnostics[0].help.as_deref().unwrap_or_default();
    assert!(help.ends_with("start at index 1"), "{help}");
}

#[test]
fn padding_of_the_header_may_be_anything() {
    let file = patched(&Syclbin::small().v1(), 20, 4, 0xdead_beef);
    assert_eq!(crate::support::open(&file).diagnostics, []);
}

#[test]
fn binaries_in_a_row_and_in_each_other() {
    let inner = Syclbin::small().v2();
    let image = Offload::new(
        1,
        vec![Entry::of_kind(6, vec![1, 2, 3]).string("triple", "t")],
    );
    let nested = Offload::new(2, vec![Entry::of_kind(7, inner.clone())]).build();
    let file = [image.build(), nested, inner].concat();
    let mut document = crate::support::open(&file);
    assert_eq!(document.coverage.gap, 0);
    for path in ["binary 1/image 0", "binary 2"] {
        let id = document.find(path).expect("it is there");
        let modules = document.modules(id).expect("there are modules");
        assert_eq!(modules.graph(&document.sources).abstract_modules.len(), 2);
    }
}

#[test]
fn self_containing_binary_terminates() {
    let file = Offload::new(2, vec![Entry::of_kind(1, vec![0; 64])]).build();
    let len = file.len() as u64;
    let image = 32 + 24;
    let file = patched(&patched(&file, image, 8, 0), image + 8, 8, len);
    let document = crate::support::open(&file);
    assert!(rules_of(&document).contains(&"offload-binary/holds-itself"));
}

#[test]
fn deeply_nested_binaries_terminate() {
    let mut file = vec![0; 8];
    for _ in 0..1000 {
        file = Offload::new(2, vec![Entry::of_kind(1, file)]).build();
    }
    let document = crate::support::open(&file);
    assert!(rules_of(&document).contains(&"limits/too-deep"));
}

#[test]
fn tens_of_thousands_of_modules_are_read_once() {
    let syclbin = Syclbin::many(2000);
    for (name, file) in packed(&syclbin) {
        let document = crate::support::open(&file);
        let graph = graph(&document);
        assert_eq!(graph.abstract_modules.len(), 2000, "{name}");
        assert_eq!(graph.symbols.len(), 2000, "{name}");
        let read = document.sources.bytes_read();
        // Unpacked contents are in memory, and much larger.
        let packed = name.contains(',');
        assert!(
            packed || read < 4 * file.len() as u64,
            "{name}: {read} bytes read"
        );
    }
}

#[test]
fn large_images_are_not_read() {
    let mut syclbin = Syclbin::small();
    for module in &mut syclbin.modules {
        for code in module.ir.iter_mut().chain(&mut module.native) {
            code.bytes.resize(8 << 20, 0x55);
        }
    }
    for (name, file) in packed(&syclbin) {
        let mut document = crate::support::open(&file);
        for diagnostic in document.diagnostics.clone() {
            document.path_of(&diagnostic);
        }
        graph(&document);
        let read = document.sources.bytes_read();
        let packed = name.contains(',');
        assert!(
            packed || read < file.len() as u64 / 50,
            "{name}: {read} bytes read"
        );
    }
}
