//! What holds for any bytes as code.

use std::rc::Rc;

use zeview::analysis::assembly::Listing;
use zeview::decode::isa::{Code, Decoder, Platform};
use zeview::model::{MemorySource, SourceId, Sources, Span};

/// Reads bytes as code of a platform: as a listing, as rows with parts, as blocks, and counted.
/// Returns the listing.
pub fn check(platform: Platform, code: &[u8]) -> String {
    let span = Span::with_len(SourceId::FILE, 0, code.len() as u64);
    let sources = Sources::new("code", Box::new(MemorySource::from(code.to_vec())));
    let listing = Code::new(Some(Rc::new(Decoder::new(platform))), span, &sources);
    let text = listing.text(&sources, 1 << 28).expect("it is short");
    let lanes = listing.lanes(&sources) as usize;
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
        let jumps = listing.jumps(row, &sources).chars().count();
        assert_eq!(jumps, if lanes > 0 { lanes + 1 } else { 0 });
    }
    assert!(span.len() - end < 16);
    blocks(&listing, &sources, end);
    let mut tally = listing.tally(&sources);
    while tally.step(1 << 10, &sources) > 0 {}
    let mix = tally.mix();
    assert_eq!(mix.instructions + mix.padding, u64::from(listing.count()));
    assert_eq!(mix.bytes, end);
    text
}

/// Blocks lie without gaps, as loops lie in each other, and edges lead from one to another.
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
