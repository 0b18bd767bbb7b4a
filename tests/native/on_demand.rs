//! Lazily decoded contents: SPIR-V, DWARF, C++ names, general YAML.

use std::cell::RefCell;
use std::iter::repeat_n;
use std::rc::Rc;

use crate::support::elf::Section;
use crate::support::zebin::{small, ze_info};
use crate::support::{built, open, spirv};
use zeview::decode::{decode, limits};
use zeview::model::text::{TextOptions, write_tree};
use zeview::model::{ByteSource, Bytes, Document, NodeId, SourceError, SourceId, Sources};

fn dump(document: &Document) -> String {
    let mut out = Vec::new();
    write_tree(document, document.root(), TextOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Bytes followed by zeros.
struct Padded {
    head: Vec<u8>,
    len: u64,
}

impl ByteSource for Padded {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let from = usize::try_from(start).unwrap().min(self.head.len());
        let head = self.head[from..].iter().copied();
        let all = head.chain(repeat_n(0, usize::try_from(len).unwrap()));
        let bytes: Vec<u8> = all.take(usize::try_from(len).unwrap()).collect();
        Ok(Bytes::from(bytes))
    }
}

fn padded(head: Vec<u8>, len: u64) -> Document {
    decode(Box::new(Padded { head, len }), "file")
}

fn child(document: &mut Document, of: NodeId, name: &str) -> NodeId {
    let count = document.count(&document.node(of).unwrap().clone());
    let ids = document.children(of, 0..count);
    let is_named = |id: &NodeId| document.node(*id).is_some_and(|node| node.name == name);
    ids.into_iter().find(is_named).unwrap()
}

const MEGABYTES: u64 = 8 << 20;

/// Zeros, and the ranges that were read: start and length.
struct Watched {
    len: u64,
    asked: Rc<RefCell<Vec<(u64, u64)>>>,
}

impl ByteSource for Watched {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        assert!(start + len <= self.len);
        self.asked.borrow_mut().push((start, len));
        Ok(Bytes::from(vec![0; usize::try_from(len).unwrap()]))
    }
}

/// Reads of a source: few long ones for sequential access, short ones for random access.
#[test]
fn reads_of_a_source() {
    let asked = |spans: &mut dyn Iterator<Item = (u64, u64)>| {
        let asked = Rc::default();
        let len = 16 << 20;
        let watched = Watched {
            len,
            asked: Rc::clone(&asked),
        };
        let sources = Sources::new("file", Box::new(watched));
        for (start, len) in spans {
            let span = sources.whole(SourceId::FILE).subspan(start, len);
            assert_eq!(sources.read(span).unwrap().len() as u64, len);
        }
        drop(sources);
        Rc::into_inner(asked).unwrap().into_inner()
    };
    let total = |asked: &[(u64, u64)]| asked.iter().map(|(_, len)| len).sum::<u64>();

    // Sequential: ever fewer reads, hardly any byte twice.
    let all = asked(&mut (0..1 << 12).map(|at| (at << 12, 1 << 12)));
    assert!(all.len() < 64, "{} reads", all.len());
    assert!(total(&all) < 17 << 20);
    // Two interleaved streams: no more.
    let two = asked(&mut (0..1 << 12).map(|at| ((at % 2) << 23 | (at / 2) << 12, 1 << 12)));
    assert!(two.len() < 128, "{} reads", two.len());
    assert!(total(&two) < 17 << 20);
    // Random: little more than requested.
    let far = asked(&mut (0..64).rev().map(|at| (at << 18, 8)));
    assert!(far.len() == 64 && total(&far) <= 64 << 16, "{far:?}");
    // Close together, backwards: one read covers all.
    let close = asked(&mut (0..100).rev().map(|at| (at * 80, 8)));
    assert_eq!(close.len(), 1, "{close:?}");
    // A long read: in pieces, each byte once.
    let long = asked(&mut std::iter::once((5, 14 << 20)));
    let mut at = 5;
    for (start, len) in &long {
        assert!(*start == at && *len > 0 && *len <= 4 << 20, "{long:?}");
        at += len;
    }
    assert_eq!(at, 5 + (14 << 20));
}

#[test]
fn spirv_is_read_when_it_is_opened() {
    let document = padded(spirv::kernel().build(), MEGABYTES);
    assert!(document.sources.bytes_read() < 1 << 20);
    document.count(document.root());
    assert!(document.sources.bytes_read() > MEGABYTES);
}

#[test]
fn dwarf_is_read_when_it_is_opened() {
    let elf = small().section(Section::new(".debug_info", 1, vec![0; 8 << 20]));
    let mut document = open(&elf.build().bytes);
    let checked = document.sources.bytes_read();
    assert!(checked < 1 << 20, "{checked}");
    let info = child(&mut document, NodeId::ROOT, ".debug_info");
    assert_eq!(document.sources.bytes_read(), checked);
    document.count(&document.node(info).unwrap().clone());
    assert!(document.sources.bytes_read() > MEGABYTES);
}

#[test]
fn large_contents_stay_bytes() {
    let too_large = |document: &mut Document, of: NodeId| {
        let children = document.children(of, 0..9);
        assert_eq!(children.len(), 1);
        let node = document.node(children[0]).unwrap();
        assert_eq!(node.summary.as_deref(), Some("not decoded"));
        assert_eq!(node.span, document.node(of).unwrap().span);
        assert!(document.sources.bytes_read() < 1 << 20);
    };
    let mut document = padded(spirv::kernel().build(), limits::DEEP + 4);
    too_large(&mut document, NodeId::ROOT);

    let elf = small()
        .section(Section::new(".debug_line", 1, vec![0; 8]))
        .section(Section::new(".debug_info", 1, vec![0; 8]));
    let elf = elf.build();
    let elf = elf.with_section(".debug_info", "sh_size", limits::DEEP);
    let mut document = padded(elf.bytes, limits::DEEP + MEGABYTES);
    for name in [".debug_info", ".debug_line"] {
        let section = child(&mut document, NodeId::ROOT, name);
        too_large(&mut document, section);
    }
}

#[test]
fn cpp_names_are_demangled() {
    let text = ze_info(&["_ZTSZ4mainE6VecAdd"]);
    let document = open(&small().bytes(".ze_info", text).build().bytes);
    assert!(dump(&document).contains("main::VecAdd"));
}

#[test]
fn text_outside_the_subset_of_yaml_is_read_twice() {
    let text = "version: '1.39'\nkernels:\n  - &first\n    name: plain\nagain: *first\n";
    let dump = dump(&open(&small().bytes(".ze_info", text).build().bytes));
    let (_, general) = dump.split_once("as general YAML").unwrap();
    assert_eq!(general.matches("plain").count(), 2, "{general}");
}

#[test]
fn compressed_contents_are_decoded_in_place() {
    let all = built::all();
    let find = |name: &str| all.iter().find(|(known, _)| *known == name).unwrap();
    let (_, bytes) = find("compressed-debug");
    assert!(dump(&open(bytes)).contains("DW_TAG_compile_unit"));
}
