//! Invariants of any bytes decoded as code.

use std::rc::Rc;

use zeview::analysis::assembly::Listing;
use zeview::analysis::data_flow::Flows;
use zeview::analysis::kernel_inputs::{InputEntry, InputPayload, InputSurface, KernelInputs};
use zeview::decode::isa::{Code, Decoder, Platform};
use zeview::model::{MemorySource, SourceId, Sources, Span};

/// Decodes bytes as code of a platform: as a listing, as rows with parts, as blocks, and as counts.
/// Returns the listing.
pub fn check(platform: Platform, code: &[u8]) -> String {
    let span = Span::with_len(SourceId::FILE, 0, code.len() as u64);
    let sources = Sources::new("code", Box::new(MemorySource::from(code.to_vec())));
    let listing = Code::new(Some(Rc::new(Decoder::new(platform))), span, &sources);
    let text = listing.text(&sources, 1 << 28).expect("it is short");
    let mut end = 0;
    for row in 0..listing.count() {
        let line = listing.line(row, &sources).expect("a line for each row");
        assert!(!line.text.is_empty());
        let word = listing.span(row, &sources).expect("bytes for each row");
        assert_eq!(word.start, end);
        end = word.end;
        assert_eq!(listing.row_at(word.start, &sources), Some(row));
        assert_eq!(listing.row_at(word.end - 1, &sources), Some(row));
        for part in listing.parts(row, &sources) {
            let last = part.bits.stretches().last();
            assert!(last.is_none_or(|(_, end)| u64::from(end) <= 8 * word.len()));
        }
    }
    assert!(span.len() - end < 16);
    blocks(&listing, &sources, end);
    let mut tally = listing.tally(&sources);
    while tally.step(1 << 10, &sources) > 0 {}
    let mix = tally.mix();
    assert_eq!(mix.instructions + mix.padding, u64::from(listing.count()));
    assert_eq!(mix.bytes, end);
    flow(&listing, &sources);
    text
}

/// Checks the data flow of any code.
fn flow(listing: &Code, sources: &Sources) {
    let flow = listing.data_flow(sources).expect("the encoding is known");
    let report = flow.report();
    assert!(report.instructions <= listing.count());
    check_flow(&*flow, report.instructions);
    for found in report.loops.iter().flatten() {
        assert!(found.start < found.end && found.depth > 0);
        assert!(found.issue <= found.cycles);
    }
}

/// Checks that producers and awaited instructions exist, and that every value is produced by a
/// write of its bytes and live where it is read.
pub fn check_flow(flow: &dyn Flows, count: u32) {
    let rows: Vec<_> = (0..count)
        .map(|row| flow.instruction(row).expect("a row for each instruction"))
        .collect();
    assert!(flow.instruction(count).is_none());
    for (at, row) in rows.iter().enumerate() {
        let at = at as u32;
        assert!(row.live.is_none_or(|live| live.registers <= live.r));
        for to in flow.uses(at).into_iter().flatten() {
            assert!(to < count);
            let to = &rows[to as usize];
            let is_produced = to.limit.is_some() || !to.defs.is_empty();
            assert!(is_produced, "what is used is produced");
        }
        let reads = !row.reads.is_empty() || !row.gathers.is_empty();
        assert!(reads || row.defs.is_empty());
        let general = row.reads.iter().any(|set| set.starts_with('r'));
        let has_live = row.live.is_none_or(|live| live.r > 0);
        assert!(!general || has_live, "what is read is live");
        for input in flow.inputs(at).into_iter().flatten() {
            assert!(!input.name.is_empty() && !input.text.is_empty());
        }
        let operands = flow.operands(at);
        let writes = operands
            .iter()
            .any(|operand| operand.writes && !operand.bytes.is_empty());
        assert_eq!(writes, !row.writes.is_empty());
    }
}

/// Some values that code starts with: 24 arguments of all sizes, ids, and surfaces.
pub fn inputs() -> Rc<KernelInputs> {
    let entry = |at: u64| InputEntry {
        start: at * 8,
        end: at * 8 + 8,
        kind: if at == 0 {
            "indirect_data_pointer"
        } else {
            "arg_bypointer"
        }
        .to_owned(),
        name: format!("p{at}"),
        is_pointer: at > 0,
        ..InputEntry::default()
    };
    let surface = |index: u64| InputSurface {
        index,
        name: format!("s{index}"),
        span: Span::default(),
    };
    Rc::new(KernelInputs {
        payload: Some(InputPayload {
            entries: (0..24).map(entry).collect(),
            per_thread: vec![InputEntry {
                end: 64,
                kind: "local_id".to_owned(),
                ..InputEntry::default()
            }],
            bytes: 192,
            inline_bytes: 64,
            per_thread_bytes: 64,
            simd_size: 32,
            surfaces: (0..8).map(surface).collect(),
            ..InputPayload::default()
        }),
        ..KernelInputs::default()
    })
}

/// Checks that blocks have no gaps, loops are nested, and edges connect blocks.
fn blocks(listing: &Code, sources: &Sources, end: u64) {
    let graph = listing.blocks(sources);
    let (mut row, mut at) = (0, 0);
    for block in &graph.blocks {
        assert_eq!((block.row, block.span.start), (row, at));
        assert!(block.rows > 0);
        row += block.rows;
        at = block.span.end;
    }
    assert_eq!(graph.rest.map_or(end, |rest| rest.start), at);
    let count = graph.blocks.len();
    for pair in graph.edges.windows(2) {
        assert!(pair[0].from <= pair[1].from, "by the block that they leave");
    }
    for edge in &graph.edges {
        assert!((edge.from as usize) < count && (edge.to as usize) < count);
    }
    for found in &graph.loops {
        assert!(found.head <= found.last && found.depth > 0);
        assert!(u64::from(found.depth) <= graph.nesting());
    }
}
