//! What a search in code finds, by looking at each instruction: the oracle of tests.

use std::rc::Rc;

use zeview::analysis::assembly::{Line, Listing};
use zeview::model::{Document, NodeId, Sources};
use zeview::tables::found::Finding;
use zeview::tables::kernels::search::{FoundTotals, SearchOptions};
use zeview::tables::{CellValue, List, ListId, list};

/// Searches a whole document.
pub fn find(document: &mut Document, query: &str, each: bool) -> (Rc<dyn List>, FoundTotals) {
    let options = SearchOptions {
        each,
        rows_max: usize::MAX,
        ..SearchOptions::default()
    };
    let finding = Finding::new(document, NodeId::ROOT, query, options);
    let mut finding = finding.unwrap_or_else(|error| panic!("{query}: {error}"));
    while finding.step(document) {}
    let totals = finding.totals();
    (finding.list(&document.sources), totals)
}

/// The value of a cell of what was found.
pub fn cell(list: &dyn List, row: u32, id: &str, sources: &Sources) -> String {
    let columns = list.id().columns();
    let at = columns.iter().position(|column| column.id == id).unwrap();
    list.cell(row, at, sources).value.text().into_owned()
}

/// The code of each kernel of a document that is searched: its name, its device, and its instructions.
pub fn codes(document: &mut Document) -> Vec<(String, String, Rc<dyn Listing>)> {
    let Some(kernels) = list(document, NodeId::ROOT, ListId::Kernels, None) else {
        return Vec::new();
    };
    let sources = &document.sources;
    let secondary = kernels.secondary();
    let first = kernels.primary();
    // Copies come first among the secondary rows.
    let rows = (0..first).chain(first + secondary.copies..kernels.count());
    let rows = rows.filter_map(|row| {
        let of = kernels.as_kernels()?;
        let (provider, at) = of.kernel(row).filter(|_| of.is_native(row))?;
        let name = provider.rows(sources).get(at)?.name.value.clone();
        let columns = ListId::Kernels.columns();
        let device = columns.iter().position(|column| column.id == "device")?;
        let device = match kernels.value(row, device, sources) {
            CellValue::Text(device) => device.into_owned(),
            _ => String::new(),
        };
        let listing = provider.listing(&name, sources)?;
        Some((name, device, listing))
    });
    rows.collect()
}

/// The kernels and offsets of the instructions that meet a condition, which are decoded one by one.
pub fn looked_at(
    document: &mut Document,
    is: &dyn Fn(&Line) -> bool,
) -> Vec<(String, String, u64)> {
    let codes = codes(document);
    let sources = &document.sources;
    let mut found = Vec::new();
    for (name, device, listing) in codes {
        for row in 0..listing.count() {
            let line = listing.line(row, sources).unwrap();
            if is(&line) {
                let at = listing.span(row, sources).unwrap();
                found.push((
                    name.clone(),
                    device.clone(),
                    at.start - listing.code().start,
                ));
            }
        }
    }
    found.sort();
    found
}

/// The same of a list of instructions that were found.
pub fn rows(list: &dyn List, sources: &Sources) -> Vec<(String, String, u64)> {
    let found = (0..list.count()).map(|row| {
        let offset = cell(list, row, "offset", sources);
        let offset = u64::from_str_radix(offset.trim_start_matches("0x"), 16).unwrap();
        let device = cell(list, row, "device", sources);
        (cell(list, row, "name", sources), device, offset)
    });
    let mut found: Vec<_> = found.collect();
    found.sort();
    found
}

/// Whether a line has a text, as words of a query find it.
pub fn has(line: &Line, text: &str) -> bool {
    let marks = line.marks.iter().map(|mark| &*mark.text);
    let cells = [
        &*line.label,
        &*line.text,
        &*line.comment,
        line.mnemonic,
        &*line.operation,
        line.kind,
        &*line.message_name,
    ];
    let mut cells = cells.into_iter().chain(marks);
    cells.any(|cell| cell.to_lowercase().contains(text))
}

/// A query, and the instructions that it finds.
pub type Case = (&'static str, fn(&Line) -> bool);

/// Queries that instructions decide on their own.
pub const CASES: &[Case] = &[
    ("marks=spill", |line| marked(line, "spill")),
    ("marks=fill or marks=spill", |line| {
        marked(line, "fill") || marked(line, "spill")
    }),
    ("kind=message and not marks=EOT", |line| {
        line.kind == "message" && !marked(line, "EOT")
    }),
    ("mnemonic=send message=store.ugm", |line| {
        line.mnemonic == "send" && line.message_name == "store.ugm"
    }),
    ("operation!=mov kind!=padding", |line| {
        line.operation != "mov" && line.kind != "padding"
    }),
    ("marks>0", |line| !line.marks.is_empty()),
    ("kind=illegal or kind=padding", |line| {
        ["illegal", "padding"].contains(&line.kind)
    }),
    ("dpas", |line| has(line, "dpas")),
    ("\"r1\" and not send", |line| {
        has(line, "r1") && !has(line, "send")
    }),
];

fn marked(line: &Line, mark: &str) -> bool {
    line.marks.iter().any(|of| of.text == mark)
}
