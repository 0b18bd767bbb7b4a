//! What few files need: with the part that reads it, without, and when it comes later.
#![cfg(all(feature = "deep", feature = "rare"))]

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use crate::support::zebin::{small, ze_info};
use crate::support::{built, spirv};
use zeview::decode::deep::pack::{pack_pieces, pack_rows, unpack_pieces, unpack_rows};
use zeview::decode::deep::{Asked, Piece, Reading, Subject};
use zeview::decode::inflate::{Method, Stream, Unpacked};
use zeview::decode::rare::{Absent, BuiltIn, Item, Rare, pack, unpack};
use zeview::decode::{decode_with, rules};
use zeview::model::text::{TextOptions, write_tree};
use zeview::model::{Document, MemorySource, Node, NodeId};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::Response;

const NAME: &str = "_ZTSZ4mainE6VecAdd";

fn mangled() -> Vec<u8> {
    file(&ze_info(&[NAME]))
}

fn anchors() -> Vec<u8> {
    file("version: '1.39'\nkernels:\n  - &first\n    name: plain\nagain: *first\n")
}

fn file(text: &str) -> Vec<u8> {
    small().bytes(".ze_info", text).build().bytes
}

fn open(bytes: &[u8], rare: Rc<dyn Rare>) -> Document {
    decode_with(Box::new(MemorySource::from(bytes)), "file", rare)
}

fn dump(document: &Document) -> String {
    let mut out = Vec::new();
    write_tree(document, document.root(), TextOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn is_reported(document: &Document) -> bool {
    let mut diagnostics = document.diagnostics.iter();
    diagnostics.any(|diagnostic| diagnostic.rule == rules::RARE_MISSING.id)
}

/// As the module of the page: not there until it is loaded, and spoken to in bytes.
#[derive(Default)]
struct Later {
    needed: Cell<bool>,
    loaded: Cell<bool>,
    asked_too_early: Cell<bool>,
    /// The part for what lies deep: asked for, and loaded.
    deep_asked: Cell<bool>,
    deep_loaded: Cell<bool>,
}

/// A reading that is spoken to in bytes.
struct Spoken(Rc<dyn Reading>);

impl Reading for Spoken {
    fn count(&self, item: u64) -> u64 {
        self.0.count(item)
    }

    fn rows(&self, item: u64, range: Range<u64>) -> Vec<Node> {
        unpack_rows(&pack_rows(&self.0.rows(item, range))).unwrap()
    }

    fn index_at(&self, item: u64, part: u32, offset: u64) -> Option<Vec<u64>> {
        self.0.index_at(item, part, offset)
    }
}

impl Later {
    fn ready(&self) -> Option<()> {
        self.asked_too_early
            .set(self.asked_too_early.get() || !self.loaded.get());
        self.loaded.get().then_some(())
    }
}

impl Rare for Later {
    fn needed(&self) -> bool {
        self.needed.set(true);
        true
    }

    fn demangled(&self, name: &str) -> Option<String> {
        self.ready()?;
        BuiltIn.demangled(name)
    }

    fn yaml(&self, text: &[u8]) -> Option<Vec<Item>> {
        self.ready()?;
        unpack(&pack(&BuiltIn.yaml(text)?))
    }

    fn read(&self, subject: Subject, pieces: &dyn Fn() -> Vec<Piece>) -> Asked {
        self.deep_asked.set(true);
        if !self.deep_loaded.get() {
            return Asked::Later;
        }
        let (described, bytes) = pack_pieces(subject, &pieces());
        let (subject, pieces) = unpack_pieces(&described, &bytes).unwrap();
        match BuiltIn.read(subject, &|| pieces.clone()) {
            Asked::Here(reading) => Asked::Here(Rc::new(Spoken(reading))),
            asked => asked,
        }
    }

    fn inflate(&self, method: Method, packed: &[u8], most: u64) -> Unpacked {
        self.deep_asked.set(true);
        if !self.deep_loaded.get() {
            return Unpacked::Later;
        }
        match BuiltIn.inflate(method, packed, most) {
            Unpacked::Here(stream) => Unpacked::Here(Stream::unpack(stream.pack()).unwrap()),
            unpacked => unpacked,
        }
    }
}

#[test]
fn what_is_compressed_is_decoded_again_when_its_reader_has_come() {
    let all = built::all();
    let (_, bytes) = all
        .iter()
        .find(|(name, _)| *name == "compressed-debug")
        .unwrap();
    let expected = dump(&open(bytes, Rc::new(BuiltIn)));
    let rare = Rc::new(Later::default());
    let early = open(bytes, Rc::<Later>::clone(&rare));
    assert!(rare.deep_asked.get() && !is_reported(&early));
    assert!(!dump(&early).contains("DW_TAG_compile_unit"));
    rare.deep_loaded.set(true);
    assert_eq!(dump(&open(bytes, rare)), expected);
    assert!(is_reported(&open(bytes, Rc::new(Absent))));
}

#[test]
fn what_is_loaded_between_checking_and_answering_is_as_good_as_built_in() {
    for (bytes, words) in [(mangled(), "main::VecAdd"), (anchors(), "as general YAML")] {
        let expected = dump(&open(&bytes, Rc::new(BuiltIn)));
        assert!(expected.contains(words), "{expected}");

        let rare = Rc::new(Later::default());
        let document = open(&bytes, Rc::<Later>::clone(&rare));
        assert!(rare.needed.get() && !rare.asked_too_early.get());
        rare.loaded.set(true);
        assert_eq!(dump(&document), expected);
        assert!(!is_reported(&document));
    }
}

#[test]
fn what_is_missing_is_reported_and_nothing_else_changes() {
    let document = open(&mangled(), Rc::new(Absent));
    assert!(is_reported(&document));
    let text = dump(&document);
    assert!(text.contains(NAME) && !text.contains("main::VecAdd"));

    let document = open(&anchors(), Rc::new(Absent));
    assert!(is_reported(&document));
    assert!(dump(&document).contains("is not loaded"));
}

#[test]
fn most_files_need_nothing() {
    let rare = Rc::new(Later::default());
    let document = open(&small().build().bytes, Rc::<Later>::clone(&rare));
    dump(&document);
    assert!(!rare.needed.get() && !rare.asked_too_early.get());
    assert!(!is_reported(&open(&small().build().bytes, Rc::new(Absent))));
}

#[test]
fn what_lies_deep_is_not_asked_for_before_somebody_looks() {
    let mut all = built::all();
    // What is compressed has a test of its own.
    all.retain(|(name, _)| !name.starts_with("compressed"));
    for (name, bytes) in all {
        let expected = dump(&open(&bytes, Rc::new(BuiltIn)));
        if !expected.contains("OpFunctionEnd") && !expected.contains("DW_TAG") {
            continue;
        }
        let rare = Rc::new(Later::default());
        let mut document = open(&bytes, Rc::<Later>::clone(&rare));
        let root = document.root().clone();
        document.count(&root);
        if !name.starts_with("spirv") {
            assert!(!rare.deep_asked.get(), "{name}");
        }
        // Whoever looks too early finds nothing, and nothing that stays.
        let early = dump(&document);
        assert!(
            rare.deep_asked.get() && early.len() < expected.len(),
            "{name}"
        );
        document.children(NodeId::ROOT, 0..500);
        rare.deep_loaded.set(true);
        assert_eq!(dump(&document), expected, "{name}");
    }
}

#[test]
fn what_lies_deep_and_cannot_be_had_is_shown_as_bytes() {
    let document = open(&spirv::kernel().build(), Rc::new(Absent));
    let text = dump(&document);
    assert!(text.contains("not taken apart"), "{text}");
    assert_eq!(document.diagnostics, []);
}

#[test]
fn a_desk_opens_in_two_steps() {
    let rare = Rc::new(Later::default());
    let mut handler = Handler::with(|| 0.0, Rc::<Later>::clone(&rare));
    handler.decode(1, "file", Box::new(MemorySource::from(mangled())));
    assert!(rare.needed.get());
    rare.loaded.set(true);
    assert!(matches!(handler.opened().response, Response::Opened(_)));
    assert!(!rare.asked_too_early.get());
}
