//! The comparison of files with unpacked sources, which each decoder of a file numbers as it
//! unpacks them.

use zeview::diff::{DifferenceIndex, overlaps};
use zeview::model::{SourceId, Span, UnpackedSource};
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{Request, Response, Row, SelectionTarget};

use crate::decoder::Decoder;
use crate::support::packages::{deflated, stored, zip};
use crate::support::zebin::{small, ze_info};

fn opened(bytes: &[u8]) -> Decoder {
    Decoder::open("a.zip", bytes).0
}

fn compared(a: &[u8], b: &[u8]) -> Decoder {
    let mut decoder = opened(b);
    let request = Request::Compare {
        name: "a.zip".to_owned(),
        options: Default::default(),
        keep: None,
    };
    let response = decoder.ask_with(request, a);
    assert!(matches!(response, Response::Compared(_)), "{response:?}");
    decoder
}

/// The decoder of the second file, the differing bytes of the first file, and its own decoder.
fn decoders(before: &[u8], after: &[u8]) -> (Decoder, DifferenceIndex, Decoder) {
    let mut front = compared(before, after);
    match front.ask(Request::Differing) {
        Response::Differing(differing) => (front, differing.0, opened(before)),
        other => panic!("{other:?}"),
    }
}

/// The numbers that the decoder gave to the sources with differing bytes.
fn numbers(decoder: &mut Decoder, differing: &DifferenceIndex) -> Vec<(SourceId, SourceId)> {
    match decoder.ask(Request::SourceNumbers(differing.sources.clone())) {
        Response::SourceNumbers(numbers) => numbers,
        other => panic!("{other:?}"),
    }
}

fn select(decoder: &mut Decoder, place: SelectionTarget) -> Row {
    let request = Request::Select {
        order: TreeOrder::File,
        place,
        follow: None,
    };
    match decoder.ask(request) {
        Response::Selected(selected) => selected.ancestry.last().unwrap().clone(),
        other => panic!("{other:?}"),
    }
}

fn path(decoder: &mut Decoder, source: SourceId) -> Option<String> {
    match decoder.ask(Request::BasePath(source)) {
        Response::BasePath(path) => path,
        other => panic!("{other:?}"),
    }
}

fn read(decoder: &mut Decoder, span: Span) -> String {
    let request = Request::Bytes {
        span,
        leaves: false,
    };
    let bytes = decoder.ask_bytes(request).1.unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A package of three compressed files; "b.zip" contains one and is compressed itself.
fn package(registers: [&str; 3]) -> Vec<u8> {
    let zebin = |kernel: &str, registers: &str| {
        let text = ze_info(&[kernel]);
        let with = text.replacen(
            "grf_count:       128",
            &format!("grf_count:       {registers}"),
            1,
        );
        small().bytes(".ze_info", with).build().bytes
    };
    let [a, b, c] = registers;
    let inner = zip(&[
        stored("inner.zebin", &[0; 8]),
        deflated("b.zebin", &zebin("two", b)),
    ]);
    zip(&[
        deflated("a.zebin", &zebin("one", a)),
        deflated("b.zip", &inner),
        deflated("c.zebin", &zebin("three", c)),
    ])
}

#[test]
fn differing_bytes_are_those_of_another_decoder() {
    let before = package(["128", "128", "128"]);
    let after = package(["128", "256", "256"]);
    let (_, from, mut own) = decoders(&before, &after);
    // The first file has the sources "b.zip", "b.zebin" in it, and "c.zebin".
    let is_in_file = |source: &&UnpackedSource| source.parent.source == SourceId::FILE;
    assert_eq!(from.sources.len(), 3);
    assert_eq!(from.sources.iter().filter(is_in_file).count(), 2);
    // Its own decoder has unpacked nothing, then a file after the other.
    assert_eq!(numbers(&mut own, &from), []);
    let in_file = from.renumbered(&[]);
    assert!(!in_file.is_empty());
    assert!(in_file.iter().all(|span| span.source == SourceId::FILE));
    let mut found = Vec::new();
    for file in ["c.zebin", "a.zebin", "b.zip/data/unpacked/b.zebin"] {
        let path = format!("{file}/data/unpacked/.ze_info/kernels/[0]/execution_env/grf_count");
        let row = select(&mut own, SelectionTarget::Path(path));
        let grf_count = row.span.unwrap();
        let numbers = numbers(&mut own, &from);
        let runs = from.renumbered(&numbers);
        assert!(runs.is_sorted());
        let differs = overlaps(&runs, grf_count);
        let text = read(&mut own, grf_count);
        found.push((grf_count.source.0, numbers.len(), differs, text));
    }
    let expected = [(1, 1, true), (2, 1, false), (4, 3, true)];
    let expected = expected.map(|(source, known, differs)| (source, known, differs, "128".into()));
    assert_eq!(found, expected);
}

#[test]
fn bytes_in_unpacked_sources_are_found_by_another_decoder() {
    let before = package(["128", "128", "128"]);
    let after = package(["256", "256", "256"]);
    let (mut front, from, mut own) = decoders(&before, &after);
    let mut found = Vec::new();
    let unpacked = from
        .bytes
        .iter()
        .filter(|span| span.source != SourceId::FILE);
    // In another order.
    for span in unpacked.rev() {
        let path = path(&mut front, span.source).unwrap();
        let whole = select(&mut own, SelectionTarget::Path(path.clone()))
            .span
            .unwrap();
        assert_eq!(whole.start, 0, "{path}");
        let span = Span {
            source: whole.source,
            ..*span
        };
        let row = select(&mut own, SelectionTarget::Span(span));
        if row.name == *"grf_count" {
            found.push((path, whole.source.0, read(&mut own, span)));
        }
    }
    let file = |path: &str, source| (format!("{path}/data/unpacked"), source, "128".to_owned());
    assert_eq!(
        found,
        [
            file("c.zebin", 1),
            file("b.zip/data/unpacked/b.zebin", 3),
            file("a.zebin", 4)
        ]
    );
    // Unknown sources, and a file that is not compared.
    assert_eq!(path(&mut front, SourceId(99)), None);
    let alone = own.ask(Request::BasePath(SourceId(1)));
    assert!(matches!(alone, Response::Failed { .. }), "{alone:?}");
}
