//! What the golden trees do not print: every field of every row, what leads from bytes to rows,
//! the verdict on several devices. A line for each fixture says how many rows it has and a
//! digest of all that. Where only a digest differs, compare `zeview dump --json` before and
//! after.
//!
//! `BLESS=1 cargo test --test native digests` writes them anew.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs;

use zeview::model::{Content, Document, Node, NodeId};

use crate::support::fixtures::{self, syclbins, zebins};
use crate::support::{built, open};

/// FNV-1a, 64 bits.
struct Digest(u64);

impl Digest {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// All fields but those that only say where a row is kept.
fn fields(node: &Node, count: u64) -> String {
    let Node {
        parent: _,
        content,
        index,
        name,
        indexed,
        kind,
        area,
        value,
        summary,
        span,
        head,
        bits,
        xrefs,
        doc,
    } = node;
    let known = match content {
        Content::Leaf => Some(0),
        Content::Lazy { count, .. } => *count,
    };
    format!(
        "{index} {name:?} {indexed} {kind:?} {area:?} {value:?} {summary:?} {span:?} {head} {bits:?} {known:?} {count} {xrefs:?} {doc:?}"
    )
}

fn line(name: &str, bytes: &[u8]) -> String {
    let mut document = open(bytes);
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    let mut rows = 0u64;
    let mut waiting = VecDeque::from([NodeId::ROOT]);
    while let Some(id) = waiting.pop_front() {
        let node = document.node(id).expect("it was made").clone();
        let count = document.count(&node);
        rows += 1;
        digest.add(&fields(&node, count));
        digest.add(&document.path(id));
        digest.add(&format!("{:?}", document.severity(&node)));
        if let Some(span) = node.span {
            // The way back from both ends.
            let ends = [span.start, span.end.saturating_sub(1).max(span.start)];
            for offset in ends {
                let way = document.nodes_at(span.source, offset);
                digest.add(&names(&document, &way));
            }
        }
        waiting.extend(document.children(id, 0..count));
    }
    digest.add(&format!(
        "{:?} {:?} {:?}",
        document.summary.facts, document.coverage, document.diagnostics
    ));
    for device in [None, Some("bmg-g21"), Some("skl")] {
        digest.add(&format!("{:?}", document.verdict(NodeId::ROOT, device)));
    }
    format!("{name}\t{rows}\t{:016x}\n", digest.0)
}

fn names(document: &Document, way: &[NodeId]) -> String {
    let mut text = String::new();
    for node in way.iter().filter_map(|id| document.node(*id)) {
        let _ = write!(text, "{}[{}]/", node.name, node.index);
    }
    text
}

#[test]
fn every_field_of_every_fixture() {
    let files = zebins().into_iter().chain(syclbins());
    let mut all: Vec<(String, Vec<u8>)> = files.map(|file| (file.name, file.bytes)).collect();
    all.extend(
        built::all()
            .into_iter()
            .map(|(name, bytes)| (name.to_owned(), bytes)),
    );
    let actual: String = all.iter().map(|(name, bytes)| line(name, bytes)).collect();
    let golden = fixtures::folder().join("digests.tsv");
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        fs::write(&golden, &actual).unwrap();
    }
    let expected = fs::read_to_string(&golden).expect("BLESS=1 writes it");
    let wrong: Vec<&str> = actual
        .lines()
        .filter(|line| !expected.lines().any(|other| other == *line))
        .collect();
    assert!(wrong.is_empty(), "other than before:\n{}", wrong.join("\n"));
    assert_eq!(actual.lines().count(), expected.lines().count());
}
