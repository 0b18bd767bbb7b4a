//! Properties that hold for any input.

use zeview::tables;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use zeview::analysis::data_flow::Flows;
use zeview::analysis::profile;
use zeview::analysis::profile::Reader;
use zeview::decode::demangle::demangle_briefly;
use zeview::decode::device::Device;
use zeview::decode::isa::dataflow::DataFlow;
use zeview::decode::isa::{Decoder, Platform};
use zeview::decode::limits::verdict_steps;
use zeview::decode::zebin::verdict::release::Release;
use zeview::decode::zebin::verdict::{load, rules};
use zeview::decode::zebin::ze_info::yaml;
use zeview::model::text::{TextOptions, write_tree};
use zeview::model::{Document, MemorySource, NodeId, SourceId, Sources, Span};
use zeview::tables::query::{Filter, Query};
use zeview::tables::ListId;

use crate::files;
use crate::support::code;
use crate::support::diff::violations as differences;
use crate::support::gate;
use crate::support::invariants::{Depth, violations};
use crate::support::layout::unfounded;
use crate::support::{full_zebin, hidden, open};

/// Opens, dumps and judges any bytes, and looks up nodes by offset and leaves by range.
pub fn decode(input: &[u8]) {
    let mut document = open(input);
    let len = input.len() as u64;
    write_tree(
        &document,
        document.root(),
        TextOptions::default(),
        &mut io::sink(),
    )
    .expect("writing to a sink cannot fail");
    for diagnostic in document.diagnostics.clone() {
        let span = diagnostic.primary.span;
        assert!(
            span.source != SourceId::FILE || span.end <= len,
            "{diagnostic:?}"
        );
        document.path_of(&diagnostic);
    }
    for offset in [0, len / 3, len / 2, len.saturating_sub(1)] {
        document.nodes_at(SourceId::FILE, offset);
    }
    let leaves = document.leaves(Span::with_len(SourceId::FILE, 0, len), 10_000);
    assert!(leaves.iter().all(|leaf| leaf.span.source == SourceId::FILE));
    document.verdict(NodeId::ROOT, None);
}

/// Decodes any text as `.ze_info`.
pub fn ze_info(input: &[u8]) {
    std::hint::black_box(&yaml::parse(input, yaml::Limits::default()));
}

/// Disassembles any bytes as code. The first byte selects the platform.
pub fn disasm(input: &[u8]) {
    let (first, rest) = files::split_first(input);
    code::check(
        Platform::ALL[usize::from(first) % Platform::ALL.len()],
        rest,
    );
}

pub fn dataflow(input: &[u8]) {
    let (first, rest) = files::split_first(input);
    let platform = Platform::ALL[usize::from(first) % Platform::ALL.len()];
    let flow = DataFlow::new(Rc::new(Decoder::new(platform)), rest);
    let flow = flow.with_inputs(code::inputs());
    flow.report();
    let _ = flow.input_uses();
    code::check_flow(&flow, flow.count());
}

/// Reads any bytes as a profile, in pieces as well, and attributes it to the code of a kernel. The
/// first byte is the size of the pieces.
pub fn profile(input: &[u8]) {
    thread_local! {
        static VECADD: RefCell<Document> = RefCell::new(open(&files::vecadd()));
    }
    let (first, rest) = files::split_first(input);
    let mut reader = Reader::new();
    reader.push(rest);
    let profile = reader.finish();
    let mut pieces = Reader::new();
    for piece in rest.chunks(usize::from(first).max(1)) {
        pieces.push(piece);
    }
    assert_eq!(pieces.finish(), profile);
    let len = rest.len() as u64;
    assert!(
        profile
            .problems
            .iter()
            .all(|p| p.start <= p.end && p.end <= len)
    );
    VECADD.with_borrow_mut(|document| {
        let report =
            profile::apply_profile(document, &[NodeId::ROOT], &profile, None, &demangle_briefly);
        assert_eq!(
            report.kernels.len() + report.unmatched.len(),
            profile.kernels.len()
        );
        assert_eq!(report.metrics.len(), profile.metrics.len());
    });
}

/// Checks the document invariants of the native tests on damaged files: every byte is in a leaf, in
/// padding or in a gap; every span lies within its source; rows, diagnostics, verdicts and lists
/// agree with each other.
fn hold(file: &[u8]) {
    // All lists, with verdicts for all devices, take a hundred times as long, so only some inputs
    // check them. The choice depends only on the input, so that findings can be reproduced.
    let sum = file
        .iter()
        .fold(0, |sum: u8, byte| sum.wrapping_mul(31).wrapping_add(*byte));
    let depth = match sum % 32 {
        0 => Depth::Quick,
        _ => Depth::Tree,
    };
    let found = violations(file, depth);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

pub fn property_sets(input: &[u8]) {
    hold(&files::with_properties(input));
}

pub fn offload_binary(input: &[u8]) {
    hold(&files::beginning_with(files::OFFLOAD_BINARY, input));
}

pub fn ar(input: &[u8]) {
    hold(&files::beginning_with(files::AR, input));
}

/// Opens any bytes as a package, reads all its files, and checks that the account adds up.
pub fn package(input: &[u8]) {
    hold(input);
    hidden::account(&mut open(input));
}

pub fn notes(input: &[u8]) {
    hold(&files::with_notes(input));
}

pub fn spirv(input: &[u8]) {
    hold(&files::beginning_with(files::SPIRV, input));
}

pub fn dwarf_lines(input: &[u8]) {
    hold(&files::with_lines(input));
}

pub fn igc_debug(input: &[u8]) {
    hold(&files::beginning_with(files::IGC_DEBUG, input));
}

pub fn hosts(input: &[u8]) {
    hold(&files::host(input));
}

/// Judges a whole file or any `.ze_info`, as the first byte selects, for the file's device and for
/// the device selected by the second byte.
pub fn verdict(input: &[u8]) {
    let (first, rest) = files::split_first(input);
    let (device, rest) = files::split_first(rest);
    let file = match first & 1 {
        0 => rest.to_vec(),
        _ => files::with_ze_info(rest),
    };
    let devices: Vec<Device> = Device::usual().collect();
    let device = devices[usize::from(device) % devices.len()];
    let size = file.len() as u64;
    let sources = Sources::new("fuzz", Box::new(MemorySource::from(file)));
    let whole = sources.whole(SourceId::FILE);
    for device in [None, Some(device)] {
        let (verdict, steps) = load(&sources, whole, device, Release::default(), None);
        let mut ended = verdict.rules.iter();
        let ended = ended.any(|rule| rule.id == rules::NOT_JUDGED.id);
        assert!(
            ended || steps <= verdict_steps(size),
            "{steps} steps for {size} bytes"
        );
        for finding in &verdict.findings {
            assert!(whole.contains(finding.span), "{finding:?}");
        }
        match verdict.decisive.map(|at| &verdict.findings[at]) {
            None => assert!(verdict.outcome.loads(), "{verdict:?}"),
            Some(found) => assert_eq!(found.effect.outcome(), verdict.outcome),
        }
    }
}

/// Compares two files in both directions.
pub fn diff(input: &[u8]) {
    if let Some((a, b)) = files::pair(input) {
        let found = differences(a, b);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

/// Compares a file with a copy that has other bytes: they are the same only if these bytes are
/// layout.
pub fn diff_bytes(input: &[u8]) {
    if let Some((a, b)) = files::changed(input)
        && let Some(found) = unfounded(&a, &b)
    {
        panic!("{found}");
    }
}

/// Changes bytes of `.ze_info` (pairs of offset and byte): a gate passes only if the judged value
/// is known to pass.
pub fn gate(input: &[u8]) {
    let mut text = gate::text().into_bytes();
    for change in input.chunks_exact(3).take(files::GATE_CHANGES) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % text.len();
        text[at] = change[2];
    }
    if let Some(violation) = gate::violation(&text) {
        panic!("{violation}");
    }
}

thread_local! {
    /// Returns a file with rows in most lists.
    static LISTED: RefCell<Document> = RefCell::new(open(&full_zebin::full().build().bytes));
}

/// Filters and sorts a list by any text; the first byte selects the list, the second the sort
/// column. The remaining rows are rows of the list, each once.
pub fn queries(input: &[u8]) {
    let (first, rest) = files::split_first(input);
    let (order, text) = files::split_first(rest);
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let id = ListId::ALL[usize::from(first) % ListId::ALL.len()];
    if let Ok(filter) = Filter::parse_changes(text, id) {
        let columns = filter.compared().unwrap_or_default();
        assert!(columns.iter().all(|column| *column < id.columns().len()));
    }
    let sort = id.columns().get(usize::from(order >> 1));
    let query = Query {
        filter: text.to_owned(),
        sort: sort.map(|column| column.id.into()),
        descending: order & 1 != 0,
        all: true,
        ..Query::default()
    };
    LISTED.with_borrow_mut(|document| {
        let Some(list) = tables::list(document, NodeId::ROOT, id, None) else {
            return;
        };
        let Ok(found) = query.run(&*list, &document.sources) else {
            return;
        };
        let mut rows: Vec<u32> = found.from(0, u64::MAX).collect();
        assert_eq!(rows.len(), found.count() as usize);
        rows.sort_unstable();
        let count = rows.len();
        rows.dedup();
        assert_eq!(rows.len(), count, "duplicate row");
        assert!(rows.last().is_none_or(|row| *row < list.count()));
        if text.trim().is_empty() {
            assert_eq!(
                count,
                list.count() as usize,
                "an empty filter keeps all rows"
            );
        }
    });
}
