//! Properties that golden trees do not print.
//!
//! * `digests.tsv`: every field of every row, links from bytes to rows, every cell of every list,
//!   the verdicts on several devices. A line per file has the number of rows and a digest. If only a
//!   digest differs, compare `zeview dump --json` before and after.
//! * `problems.txt`: the diagnostics of each file that was made for a rule, with the bytes.
//!
//! `BLESS=1 cargo test --test native digests` updates both.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;
use std::fs;
use zeview::tables;

use zeview::tables::ListId;

use zeview::model::{Content, Document, Node, NodeId, NodeKind, Query, SourceId, Span};

use crate::support::fixtures::{self, syclbins, zebins};
use crate::support::{built, cases, open};
use crate::{rules, verdict_cases};

/// FNV-1a, 64 bits.
struct Digest(u64);

impl Digest {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// Returns all fields except those that depend on the storage of a row.
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
        Content::Deferred { .. } => None,
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
            // Paths back from both ends.
            let ends = [span.start, span.end.saturating_sub(1).max(span.start)];
            for offset in ends {
                let ancestry = document.nodes_at(span.source, offset);
                digest.add(&names(&document, &ancestry));
            }
        }
        // Only some instructions are expanded, as they are many and similar.
        if node.kind != NodeKind::Instruction || node.index.is_multiple_of(16) {
            waiting.extend(document.children(id, 0..count));
        }
    }
    let parts = document.children(NodeId::ROOT, 0..PARTS);
    for part in parts.iter().filter_map(|id| document.node(*id)?.span) {
        // All leaves, and those that start before a range.
        for span in [part, part.subspan(1, 8)] {
            digest.add(&format!("{:?}", document.leaves(span, LEAVES)));
        }
    }
    for typed in ["k", "\"text\"", "00 00 01", "0x20", "32"] {
        let found = Query::parse(typed).map(|query| document.search(&query, HITS));
        digest.add(&format!("{found:?}"));
    }
    digest.add(&format!(
        "{:?} {:?} {:?}",
        document.summary.facts, document.coverage, document.diagnostics
    ));
    let mut lists = ListId::ALL;
    lists.sort_by_key(|list| ORDER.iter().position(|name| *name == list.name()));
    for list in lists {
        for id in tables::documents_with(&mut document, list) {
            digest_list(&mut digest, &mut document, id, list);
        }
    }
    for device in [None, Some("bmg-g21"), Some("skl")] {
        digest.add(&format!("{:?}", document.verdict(NodeId::ROOT, device)));
    }
    format!("{name}\t{rows}\t{:016x}\n", digest.0)
}

/// The order of the lists in the digests, which is not that of the page's tabs; others come first.
const ORDER: [&str; 15] = [
    "kernels",
    "relocations",
    "symbols",
    "modules",
    "properties",
    "images",
    "files",
    "matrix",
    "devices",
    "lines",
    "source-lines",
    "instructions",
    "differences",
    "changes",
    "profile-changes",
];

/// Number of ranges of a file to get leaves of.
const PARTS: u64 = 60;
/// Number of leaves of each, and of search matches.
const LEAVES: usize = 100;
const HITS: usize = 60;

fn names(document: &Document, ancestry: &[NodeId]) -> String {
    let mut text = String::new();
    for node in ancestry.iter().filter_map(|id| document.node(*id)) {
        let _ = write!(text, "{}[{}]/", node.name, node.index);
    }
    text
}

/// Number of rows of a list.
const ROWS: u32 = 300;

fn digest_list(digest: &mut Digest, document: &mut Document, id: NodeId, list: ListId) {
    let Some(rows) = tables::list(document, id, list, None) else {
        return;
    };
    let sources = &document.sources;
    digest.add(&format!(
        "{list:?} {} {}",
        rows.count(),
        rows.secondary().count()
    ));
    for row in 0..rows.count().min(ROWS) {
        for column in 0..list.columns().len() {
            let cell = rows.cell(row, column, sources);
            digest.add(&format!("{:?} {:?}", cell, cell.value.title()));
        }
        let entry = rows.entry(row, sources);
        digest.add(&format!("{entry:?}"));
        if let Some(span) = entry {
            let at = rows.rows_at(span, sources);
            digest.add(&format!("{at:?} {:?}", rows.about(row, span, sources)));
        }
    }
}

/// Compares with a golden file, or writes it.
fn assert_golden(name: &str, actual: &str) {
    let golden = fixtures::folder().join(name);
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        fs::write(&golden, actual).unwrap();
    }
    let expected = fs::read_to_string(&golden).expect("BLESS=1 writes it");
    let expected: HashSet<&str> = expected.lines().collect();
    let actual: Vec<&str> = actual.lines().collect();
    let wrong: Vec<&&str> = actual.iter().filter(|l| !expected.contains(**l)).collect();
    assert!(wrong.is_empty(), "other than before: {wrong:#?}");
    let actual: HashSet<&str> = actual.into_iter().collect();
    let gone: Vec<&&str> = expected.difference(&actual).collect();
    assert!(gone.is_empty(), "no longer there: {gone:#?}");
}

#[test]
fn every_field_of_every_fixture() {
    let files = zebins().into_iter().chain(syclbins());
    let files = files.map(|file| (file.name, file.bytes));
    let made = built::all().into_iter();
    let made = made.map(|(name, bytes)| (name.to_owned(), bytes));
    let damaged = cases::malformed().into_iter();
    let damaged = damaged.map(|file| (file.what, file.bytes));
    let lines = files
        .chain(made)
        .chain(damaged)
        .map(|(name, bytes)| line(&name, &bytes));
    assert_golden("digests.tsv", &lines.collect::<String>());
}

#[test]
fn every_problem_of_every_rule() {
    let rules = rules::firing().into_iter();
    let rules = rules.map(|(rule, file)| (rule, None, file));
    let driver = verdict_cases::firing();
    let driver = driver.into_iter();
    let driver = driver.map(|(rule, device, file)| (rule, Some(device), file));
    let mut text = String::new();
    for (rule, device, file) in rules.chain(driver) {
        let document = open(&file);
        let _ = writeln!(text, "{}, {} bytes", rule.id, file.len());
        for found in &document.diagnostics {
            let (rule, primary) = (&found.rule, place(found.primary.span));
            let _ = writeln!(text, "  {primary} {rule}: {}", found.message);
            let labels = std::iter::once(&found.primary).chain(&found.secondary);
            for label in labels.filter(|label| !label.text.is_empty()) {
                let _ = writeln!(text, "    {} {}", place(label.span), label.text);
            }
        }
        let verdict = device.and_then(|device| document.verdict(NodeId::ROOT, Some(device)));
        if let Some(verdict) = verdict {
            let _ = writeln!(text, "  {}", verdict.headline());
            for found in &verdict.findings {
                let (rule, span, effect) = (&found.rule, place(found.span), found.effect);
                let _ = writeln!(text, "  {span} {rule} ({effect:?}): {}", found.message);
            }
        }
    }
    assert_golden("problems.txt", &text);
}

fn place(span: Span) -> String {
    let source = match span.source {
        SourceId::FILE => String::new(),
        SourceId(other) => format!("{other}:"),
    };
    format!("{source}{:#x}..{:#x}", span.start, span.end)
}
