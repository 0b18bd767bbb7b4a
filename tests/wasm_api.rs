//! The JavaScript interface in a page: codec and class.
#![cfg(target_arch = "wasm32")]

// The native tests have more use for it.
#[allow(dead_code)]
#[path = "native/decoder.rs"]
mod decoder;
#[path = "native/journey.rs"]
mod journey;

use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use zeview::api::ZeviewDocument;
use zeview::api::dto::Node;
use zeview::api::js;
use zeview::model::{
    self, Doc, Document, Findings, KnownValue, MemorySource, NodeId, Parts, SourceId, Sources,
    Span, Summary, Value,
};
use zeview::worker::codec;
use zeview::worker::protocol::{Envelope, Message, ROWS_MAX, Response};

wasm_bindgen_test_configure!(run_in_browser);

/// `a.b.c` of an object.
#[track_caller]
fn get(object: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(object.clone(), |object, name| {
        Reflect::get(&object, &name.into()).expect(path)
    })
}

#[track_caller]
fn number(object: &JsValue, path: &str) -> f64 {
    get(object, path).as_f64().expect(path)
}

#[track_caller]
fn text(object: &JsValue, path: &str) -> String {
    get(object, path).as_string().expect(path)
}

// The codec

/// The messages of a journey.
fn messages() -> Vec<(Envelope, Message)> {
    let record = journey::journey().into_iter();
    let messages = record.map(|(envelope, response)| {
        let id = envelope.id;
        (envelope, Message::Answer { id, response })
    });
    messages.collect()
}

#[wasm_bindgen_test]
fn messages_survive_javascript() {
    for (request, message) in messages() {
        let (back, file) = codec::read_request(&codec::write_request(&request, None).unwrap())
            .unwrap_or_else(|error| panic!("{request:?}: {error}"));
        assert_eq!(back, request);
        assert!(file.is_none());
        let (back, bytes) = codec::read_message(&codec::write_message(&message, None).unwrap())
            .unwrap_or_else(|error| panic!("{message:?}: {error}"));
        assert_eq!(back, message);
        assert!(bytes.is_none());
    }
}

#[wasm_bindgen_test]
fn files_and_bytes_are_transferred() {
    let (request, message) = messages().swap_remove(0);
    let file = web_sys::Blob::new().unwrap();
    let object = codec::write_request(&request, Some(&file)).unwrap();
    assert_eq!(get(&object, "file"), JsValue::from(file));
    let (back, blob) = codec::read_request(&object).unwrap();
    assert_eq!((back, blob.is_some()), (request, true));

    let bytes = Uint8Array::from(&[1, 2, 3][..]);
    let object = codec::write_message(&message, Some(&bytes)).unwrap();
    let (back, beside) = codec::read_message(&object).unwrap();
    assert_eq!(
        (back, beside.map(|b| b.to_vec())),
        (message, Some(vec![1, 2, 3]))
    );
}

/// The converted value of a node.
fn converted(value: Value) -> JsValue {
    let root = model::Node::field("root", value, Span::new(SourceId::FILE, 0, 1)).doc(&DOC);
    let document = Document::new(Parts {
        sources: Sources::new("x", Box::new(MemorySource::from([0]))),
        root,
        summary: Summary::new("raw", "bytes", Vec::new()),
        findings: Findings::default(),
    });
    let node = Node::new(&document, NodeId::ROOT).unwrap();
    js::to_js(&node).unwrap()
}

static DOC: Doc = Doc {
    text: "text",
    source: "source",
    known: &[KnownValue {
        raw: u64::MAX,
        name: "LAST",
        doc: "the last",
    }],
};

#[wasm_bindgen_test]
fn large_numbers_are_bigints_and_missing_values_null() {
    let integer = |value: &JsValue, path: &str| {
        let number = get(value, path);
        assert!(number.is_bigint(), "{path}");
        number
    };
    for raw in [0, 1, 1 << 53, u64::MAX] {
        let node = converted(Value::decimal(raw, 64));
        assert_eq!(u64::try_from(integer(&node, "value.raw")), Ok(raw));
        assert!(get(&node, "value.symbol").is_null());
        let flags = converted(Value::Flags {
            raw,
            bits: 64,
            set: Vec::new(),
            rest: raw,
        });
        for path in ["value.raw", "value.rest"] {
            assert_eq!(u64::try_from(integer(&flags, path)), Ok(raw));
        }
    }
    let least = converted(Value::Signed {
        raw: i64::MIN,
        bits: 64,
    });
    assert_eq!(i64::try_from(integer(&least, "value.raw")), Ok(i64::MIN));
    let known = Array::from(&get(&least, "doc.known")).get(0);
    assert_eq!(u64::try_from(integer(&known, "raw")), Ok(u64::MAX));
}

/// Bytes, which a vector of numbers is not.
struct Bytes(&'static [u8]);

impl serde::Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

#[wasm_bindgen_test]
fn numbers_are_exact_wherever_they_are() {
    const SAFE: u64 = (1 << 53) - 1;
    let number = |value: JsValue| (value.as_f64(), value.is_bigint());
    assert_eq!(
        number(js::to_js(&SAFE).unwrap()),
        (Some(SAFE as f64), false)
    );
    assert_eq!(number(js::to_js(&(SAFE + 1)).unwrap()), (None, true));
    let largest = js::to_js(&Some((1_u8, [u64::MAX]))).unwrap();
    let largest = Array::from(&Array::from(&largest).get(1)).get(0);
    assert_eq!(u64::try_from(largest), Ok(u64::MAX));
    let map = std::collections::BTreeMap::from([("least", i64::MIN)]);
    let map = js::to_js(&map).unwrap();
    assert_eq!(i64::try_from(get(&map, "least")), Ok(i64::MIN));
    let bytes = js::to_js(&Bytes(&[1, 255])).unwrap();
    assert_eq!(bytes.dyn_into::<Uint8Array>().unwrap().to_vec(), [1, 255]);
    assert!(js::to_js(&None::<u8>).unwrap().is_null());
}

#[wasm_bindgen_test]
fn every_float_arrives() {
    for number in [f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, -0.0] {
        let node = converted(Value::Float(number));
        let arrived = get(&node, "value.number").as_f64().unwrap();
        assert_eq!(arrived.to_bits(), number.to_bits());
    }
    let node = converted(Value::Float(f64::NAN));
    assert!(get(&node, "value.number").as_f64().unwrap().is_nan());
}

#[wasm_bindgen_test]
fn other_shapes_are_rejected_with_a_message() {
    for wrong in [
        JsValue::NULL,
        JsValue::from("x"),
        JsValue::from(-1),
        Array::new().into(),
    ] {
        assert!(!codec::read_request(&wrong).unwrap_err().is_empty());
        assert!(!codec::read_message(&wrong).unwrap_err().is_empty());
    }
}

#[wasm_bindgen_test]
fn a_page_of_rows_is_fast() {
    let row = messages()
        .into_iter()
        .find_map(|(_, message)| match message {
            Message::Answer {
                response: Response::Rows { rows, .. },
                ..
            } => rows.into_iter().next(),
            _ => None,
        });
    let rows = vec![row.unwrap(); ROWS_MAX as usize];
    let clock = web_sys::window().unwrap().performance().unwrap();
    let start = clock.now();
    let message = Message::Answer {
        id: 1,
        response: Response::Rows {
            count: 1 << 40,
            rows,
        },
    };
    let object = codec::write_message(&message, None).unwrap();
    let written = clock.now();
    let back = codec::read_message(&object).unwrap().0;
    let read = clock.now();
    assert_eq!(back, message);
    web_sys::console::log_1(
        &format!(
            "{ROWS_MAX} rows: {:.1} ms to write, {:.1} ms to read",
            written - start,
            read - written
        )
        .into(),
    );
    assert!(read - start < 500.0);
}

// The class

/// Returns a 64-bit ELF file with this many symbols.
fn elf(symbols: u64) -> Vec<u8> {
    const HEADER: u64 = 64;
    let names = b"\0.symtab\0.strtab\0";
    let table = symbols * 24;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let half = |file: &mut Vec<u8>, number: u16| file.extend(number.to_le_bytes());
    let word = |file: &mut Vec<u8>, number: u32| file.extend(number.to_le_bytes());
    let long = |file: &mut Vec<u8>, number: u64| file.extend(number.to_le_bytes());
    half(&mut file, 0xff12);
    half(&mut file, 205);
    word(&mut file, 1);
    long(&mut file, 0);
    long(&mut file, 0);
    long(&mut file, HEADER + table + 24);
    word(&mut file, 0);
    for number in [64, 0, 0, 64, 3, 2] {
        half(&mut file, number);
    }
    file.resize((HEADER + table) as usize, 0);
    file.extend(names);
    file.resize((HEADER + table + 24) as usize, 0);
    for (name, kind, start, size, link, entry) in [
        (0, 0, 0, 0, 0, 0),
        (1, 2, HEADER, table, 2, 24),
        (9, 3, HEADER + table, names.len() as u64, 0, 0),
    ] {
        word(&mut file, name);
        word(&mut file, kind);
        long(&mut file, 0);
        long(&mut file, 0);
        long(&mut file, start);
        long(&mut file, size);
        word(&mut file, link);
        word(&mut file, 0);
        long(&mut file, 1);
        long(&mut file, entry);
    }
    file
}

fn open(bytes: &[u8]) -> ZeviewDocument {
    ZeviewDocument::open(Uint8Array::from(bytes), JsValue::UNDEFINED).unwrap()
}

fn nodes(list: JsValue) -> Vec<JsValue> {
    list.unchecked_into::<Array>().to_vec()
}

#[wasm_bindgen_test]
fn anything_can_be_opened() {
    let prefix = elf(3);
    for bytes in [
        &[][..],
        b"\x7fELF",
        b"not a binary at all",
        &prefix[..100],
        &prefix,
    ] {
        let mut document = open(bytes);
        let summary = document.summary().unwrap();
        assert_eq!(number(&summary, "size"), bytes.len() as f64);
        assert_eq!(text(&summary, "name"), "file");
        let root = document.node(0).unwrap();
        assert!(get(&root, "parent").is_null());
        assert_eq!(text(&root, "kind"), "file");
        let children = nodes(document.children(0, 0.0, 10.0).unwrap());
        assert_eq!(children.len() as f64, number(&root, "count").min(10.0));
        assert!(document.to_text().unwrap().lines().count() > children.len());
        assert!(document.to_json().unwrap().starts_with('{'));
        document.diagnostics().unwrap();
    }
}

#[wasm_bindgen_test]
fn options_name_the_file() {
    let options = js_sys::Object::new();
    Reflect::set(&options, &"name".into(), &"a.zebin".into()).unwrap();
    let open = |options: &js_sys::Object| {
        ZeviewDocument::open(Uint8Array::new_with_length(4), options.into())
    };
    let document = open(&options).unwrap();
    assert_eq!(text(&document.summary().unwrap(), "name"), "a.zebin");
    assert_eq!(text(&document.node(0).unwrap(), "name"), "a.zebin");
    Reflect::set(&options, &"name".into(), &JsValue::UNDEFINED).unwrap();
    let document = open(&options).unwrap();
    assert_eq!(text(&document.summary().unwrap(), "name"), "file");
    Reflect::set(&options, &"name".into(), &1.into()).unwrap();
    let error = open(&options).err().unwrap();
    assert_eq!(text(&error, "code"), "options");
}

/// Returns the first node in tree order that matches `wanted`.
fn first(
    document: &mut ZeviewDocument,
    id: u32,
    depth: u32,
    wanted: &dyn Fn(&JsValue) -> bool,
) -> Option<JsValue> {
    let children = nodes(document.children(id, 0.0, 20.0).unwrap());
    for child in children {
        if wanted(&child) {
            return Some(child);
        }
        let below = number(&child, "id") as u32;
        if depth > 0
            && let Some(found) = first(document, below, depth - 1, wanted)
        {
            return Some(found);
        }
    }
    None
}

#[wasm_bindgen_test]
fn long_tables_come_in_pages() {
    let mut document = open(&elf(100_000));
    let table = first(&mut document, 0, 2, &|node| {
        number(node, "count") >= 100_000.0
    });
    let id = number(&table.expect("the symbols"), "id") as u32;
    let page = nodes(document.children(id, 99_000.0, 100_000.0).unwrap());
    assert_eq!(page.len() as u64, ROWS_MAX);
    assert_eq!(number(&page[0], "index"), 99_000.0);
    assert_eq!(number(&page[0], "parent"), f64::from(id));
    assert_eq!(nodes(document.children(id, 1e15, 5.0).unwrap()).len(), 0);
}

#[wasm_bindgen_test]
fn values_are_bigints_and_positions_are_numbers() {
    let mut document = open(&elf(3));
    let is_number = |node: &JsValue| text(node, "value.type") == "unsigned";
    let field = first(&mut document, 0, 3, &is_number).expect("a number");
    assert!(get(&field, "value.raw").is_bigint());
    let start = number(&field, "span.start");
    assert_eq!(number(&field, "span.source"), 0.0);
    let ancestry = document.nodes_at(0, start).unwrap();
    assert_eq!(ancestry[0], 0);
    assert!(ancestry.len() > 1);
    let bytes = document.bytes(0, 1.0, 4.0).unwrap();
    assert_eq!(bytes.to_vec(), b"ELF");
    let size = number(&document.summary().unwrap(), "size");
    assert_eq!(document.bytes(0, size - 1.0, 1e15).unwrap().length(), 1);
    assert_eq!(document.bytes(0, size + 9.0, 1e15).unwrap().length(), 0);
}

#[wasm_bindgen_test]
fn misuse_is_thrown() {
    let mut document = open(b"abcdef");
    let unknown = NodeId(4_000_000).0;
    let message = String::from(document.node(unknown).unwrap_err().message());
    assert_eq!(message, "the document has no node 4000000");
    assert!(document.children(unknown, 0.0, 1.0).is_err());
    for wrong in [-1.0, 0.5, f64::NAN, f64::INFINITY, 1e17] {
        assert!(document.children(0, wrong, 1.0).is_err());
        assert!(document.children(0, 0.0, wrong).is_err());
        assert!(document.nodes_at(0, wrong).is_err());
        assert!(document.bytes(0, wrong, 1.0).is_err());
    }
    assert!(document.bytes(7, 0.0, 1.0).is_err());
}

// The table of naming, as for the command line and Python

/// The files of the table; a folder cannot be opened here.
const NAMED: [(&str, &[u8]); 7] = [
    (
        "kernels.zebin",
        include_bytes!("fixtures/naming/kernels.zebin"),
    ),
    ("kernels.so", include_bytes!("fixtures/naming/kernels.so")),
    ("kernels.ar", include_bytes!("fixtures/naming/kernels.ar")),
    (
        "kernels.syclbin",
        include_bytes!("fixtures/naming/kernels.syclbin"),
    ),
    ("kernels.whl", include_bytes!("fixtures/naming/kernels.whl")),
    ("kernels.tar", include_bytes!("fixtures/naming/kernels.tar")),
    ("kernels.spv", include_bytes!("fixtures/naming/kernels.spv")),
];

#[wasm_bindgen_test]
fn a_kernel_has_any_name() {
    let cases = include_str!("fixtures/naming/cases.json");
    let cases = Array::from(&js_sys::JSON::parse(cases).unwrap());
    let mut count = 0;
    for case in cases.iter() {
        let file = text(&case, "file");
        let Some((_, bytes)) = NAMED.iter().find(|(name, _)| *name == file) else {
            continue;
        };
        count += 1;
        let label = format!("{file} {}", text(&case, "way"));
        let name = text(&case, "name");
        let mut document =
            ZeviewDocument::open(Uint8Array::from(*bytes), JsValue::UNDEFINED).unwrap();
        let code = |error: js_sys::Error| text(&error, "code");
        let plain = document.kernel(&name, JsValue::UNDEFINED).map_err(code);
        if get(&case, "finds").is_null() {
            assert_eq!(plain.err().as_deref(), Some("no-kernel"), "{label}");
            continue;
        }
        match number(&case, "builds") as u32 {
            1 => assert!(plain.is_ok(), "{label}"),
            _ => assert_eq!(plain.err().as_deref(), Some("several-kernels"), "{label}"),
        }
        let options = get(&case, "options");
        let row = document.kernel(&name, options.clone()).map_err(code);
        let row = row.unwrap_or_else(|code| panic!("{label}: {code}"));
        assert_eq!(text(&row, "name"), text(&case, "finds"), "{label}");
        let has_code = get(&case, "has_code").as_bool() == Some(true);
        let listing = document.disassemble(&name, options.clone()).map_err(code);
        assert_eq!(listing.is_ok(), has_code, "{label}: {listing:?}");
        if has_code {
            assert!(document.analyze(&name, options.clone()).is_ok(), "{label}");
            assert!(document.instructions(&name, options).is_ok(), "{label}");
        }
    }
    assert_eq!(count, 35);
}
