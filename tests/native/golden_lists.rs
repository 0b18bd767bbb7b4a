//! Golden text of what the golden trees do not print: rows of lists with the bytes of their cells,
//! links, bits, and the documentation of fields; and, for every file, the number of rows of each kind.
//!
//! * `lists/FILE.txt`: one file of each format. [`ROWS`] rows of each list, and the links of the tree.
//! * `fields.txt`: each text of the documentation, and some of the fields that have it.
//! * `counts.tsv`: all files; the number of nodes, problems and rows of each list.
//! * `problems.txt`: the diagnostics of each file that was made for a rule, with the bytes.
//!
//! Whether bytes lead back to their nodes is a property of all files (`invariants.rs`), not a text.
//!
//! `BLESS=1 cargo test --test native golden_lists` writes them: review the changes before you commit them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use zeview::model::{Document, Node, NodeId, NodeKind, SourceId, Span};
use zeview::tables::{self, ListId};

use crate::golden::{compare, report};
use crate::support::fixtures::{self, syclbins, zebins};
use crate::support::{built, cases, open};
use crate::{rules, verdict_cases};

/// Number of printed rows of a list.
const ROWS: u32 = 3;
/// Number of printed links and bit fields of a file.
const LINKS: usize = 60;
/// Number of printed fields with the same documentation.
const NAMES: usize = 3;

/// Passes the nodes of a document to `to`, level by level. Of the instructions, which are many and similar,
/// only some are opened.
fn walk(document: &mut Document, mut to: impl FnMut(&mut Document, NodeId, &Node)) {
    let mut waiting = VecDeque::from([NodeId::ROOT]);
    while let Some(id) = waiting.pop_front() {
        let node = document.node(id).expect("it was made").clone();
        let count = document.count(&node);
        to(document, id, &node);
        if node.kind != NodeKind::Instruction || node.index.is_multiple_of(16) {
            waiting.extend(document.children(id, 0..count));
        }
    }
}

fn bytes(span: Span) -> String {
    let source = match span.source {
        SourceId::FILE => String::new(),
        SourceId(other) => format!("{other}:"),
    };
    format!("{source}{:#x}..{:#x}", span.start, span.end)
}

/// Returns rows of each list of a file, and its links.
fn lists(file: &[u8]) -> String {
    let mut document = open(file);
    let mut text = String::new();
    for list in by_name() {
        for id in tables::documents_with(&mut document, list) {
            write_list(&mut text, &mut document, id, list);
        }
    }
    let mut links = Vec::new();
    walk(&mut document, |document, id, node| {
        for link in &node.xrefs {
            let (path, to) = (document.path(id), bytes(link.to));
            links.push(format!("{path}: {} → {} {to}", link.why, link.label));
        }
        if let (Some(bits), Some(span)) = (node.bits, node.span) {
            let path = document.path(id);
            links.push(format!("{path}: {bits:?} of {}", bytes(span)));
        }
    });
    let _ = writeln!(text, "# {} links and bit fields", links.len());
    for link in links.iter().take(LINKS) {
        let _ = writeln!(text, "{link}");
    }
    text
}

/// All lists, in an order that does not depend on that of the page's tabs.
fn by_name() -> [ListId; ListId::ALL.len()] {
    let mut lists = ListId::ALL;
    lists.sort_by_key(|list| list.name());
    lists
}

fn write_list(text: &mut String, document: &mut Document, id: NodeId, list: ListId) {
    let Some(rows) = tables::list(document, id, list, None) else {
        return;
    };
    let (name, count, path) = (list.name(), rows.count(), document.path(id));
    let _ = writeln!(text, "# {name} of {path:?}: {count} rows");
    let sources = &document.sources;
    for row in 0..count.min(ROWS) {
        let entry = rows.entry(row, sources);
        let place = entry.map(bytes).unwrap_or_default();
        let _ = writeln!(text, "[{row}] {place}");
        for (index, column) in list.columns().iter().enumerate() {
            let cell = rows.cell(row, index, sources);
            let shown = cell.value.title();
            if cell.is_default || shown.is_empty() && cell.marks.is_empty() {
                continue;
            }
            let _ = write!(text, "    {}: {shown}", column.id);
            if let Some(span) = cell.span {
                let _ = write!(text, " @ {}", bytes(span));
            }
            for mark in &cell.marks {
                let _ = write!(text, " ! {} ({})", mark.text, mark.doc);
            }
            text.push('\n');
        }
        let Some(span) = entry else { continue };
        // The row is found by its bytes again.
        let at = rows.rows_at(span, sources);
        if at != Some(row..row + 1) {
            let _ = writeln!(text, "    rows at these bytes: {at:?}");
        }
    }
}

/// Returns one file of each format, and code of each encoding.
fn representatives() -> Vec<(String, Vec<u8>)> {
    let of_compilers = [
        "empty.skl.igc1.17791.zebin",
        "funcptr_table.skl.igc1.17791.zebin",
        "dpas.lnl-m.igc2.40.zebin",
        "funcs-gtpin.cri.igc2.40.zebin",
        "v1f_allprops.syclbin",
        "ob2_multi_direct.syclbin",
    ];
    let files = zebins().into_iter().chain(syclbins());
    let files = files.filter(|file| of_compilers.contains(&&*file.name));
    let files: Vec<_> = files.map(|file| (file.name, file.bytes)).collect();
    assert_eq!(files.len(), of_compilers.len());
    // Their trees print all of DWARF.
    let made = built::all().into_iter();
    let made = made.filter(|(name, _)| !name.starts_with("dwarf-"));
    let hosts = fixtures::hosts().into_iter().take(1);
    files
        .into_iter()
        .chain(made.map(|(name, bytes)| (name.to_owned(), bytes)))
        .chain(hosts.map(|file| (file.name, file.bytes)))
        .collect()
}

/// Returns all files that tests keep or make.
fn all_files() -> Vec<(String, Vec<u8>)> {
    let files = zebins().into_iter().chain(syclbins());
    let files = files.map(|file| (file.name, file.bytes));
    let made = built::all().into_iter();
    let made = made.map(|(name, bytes)| (name.to_owned(), bytes));
    let damaged = cases::malformed().into_iter();
    let damaged = damaged.map(|file| (file.what, file.bytes));
    files.chain(made).chain(damaged).collect()
}

#[test]
fn rows_of_every_list() {
    let folder = fixtures::folder().join("lists");
    let wrong = representatives().into_iter().filter_map(|(name, bytes)| {
        compare(&folder.join(format!("{name}.txt")), &lists(&bytes)).err()
    });
    report(&wrong.collect::<Vec<_>>());
}

#[test]
fn counts_and_fields_of_every_file() {
    let mut counts = String::new();
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, bytes) in all_files() {
        let mut document = open(&bytes);
        let mut nodes = 0;
        walk(&mut document, |_, _, node| {
            nodes += 1;
            if let Some(doc) = node.doc {
                let known = doc.known.iter();
                let known = known.map(|v| format!("\n    {:#x} {}: {}", v.raw, v.name, v.doc));
                let text = format!("{} [{}]{}", doc.text, doc.source, known.collect::<String>());
                let names = fields.entry(text).or_default();
                names.insert(node.name.to_string());
            }
        });
        let _ = write!(
            counts,
            "{name}\tnodes {nodes}\tproblems {}",
            document.diagnostics.len()
        );
        for (list, rows) in counted(&mut document) {
            let _ = write!(counts, "\t{list} {rows}");
        }
        counts.push('\n');
    }
    let fields = fields.into_iter().map(|(text, names)| {
        let names: Vec<String> = names.into_iter().take(NAMES).collect();
        format!("{}\n    {text}\n", names.join(", "))
    });
    let mut fields: Vec<String> = fields.collect();
    fields.sort();
    let fields = fields.concat();
    let folder = fixtures::folder();
    let wrong = [
        compare(&folder.join("counts.tsv"), &counts),
        compare(&folder.join("fields.txt"), &fields),
    ];
    report(
        &wrong
            .into_iter()
            .filter_map(Result::err)
            .collect::<Vec<_>>(),
    );
}

/// Returns the number of rows of each list, summed over the documents that have it.
fn counted(document: &mut Document) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for list in ListId::ALL {
        for id in tables::documents_with(document, list) {
            let rows = tables::list(document, id, list, None).map_or(0, |rows| rows.count());
            *counts.entry(list.name()).or_default() += u64::from(rows);
        }
    }
    counts
}

#[test]
fn every_problem_of_every_rule() {
    let rules = rules::firing().into_iter();
    let rules = rules.map(|(rule, file)| (rule, None, file));
    let driver = verdict_cases::firing().into_iter();
    let driver = driver.map(|(rule, device, file)| (rule, Some(device), file));
    let mut text = String::new();
    for (rule, device, file) in rules.chain(driver) {
        let document = open(&file);
        let _ = writeln!(text, "{}, {} bytes", rule.id, file.len());
        for found in &document.diagnostics {
            let (rule, primary) = (&found.rule, bytes(found.primary.span));
            let _ = writeln!(text, "  {primary} {rule}: {}", found.message);
            let labels = std::iter::once(&found.primary).chain(&found.secondary);
            for label in labels.filter(|label| !label.text.is_empty()) {
                let _ = writeln!(text, "    {} {}", bytes(label.span), label.text);
            }
        }
        let verdict = device.and_then(|device| document.verdict(NodeId::ROOT, Some(device)));
        if let Some(verdict) = verdict {
            let _ = writeln!(text, "  {}", verdict.headline());
            for found in &verdict.findings {
                let (rule, span, effect) = (&found.rule, bytes(found.span), found.effect);
                let _ = writeln!(text, "  {span} {rule} ({effect:?}): {}", found.message);
            }
        }
    }
    report(&Vec::from_iter(
        compare(&fixtures::folder().join("problems.txt"), &text).err(),
    ));
}
