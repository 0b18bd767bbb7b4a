//! Any bytes as code of a platform, the first byte: as a listing, as rows with fields, and counted.
#![no_main]

use std::rc::Rc;

use libfuzzer_sys::fuzz_target;
use zeview::decode::isa::{Code, Decoder, Platform};
use zeview::model::assembly::Listing;
use zeview::model::{MemorySource, SourceId, Sources, Span};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, code)) = bytes.split_first() else {
        return;
    };
    let platform = Platform::ALL[usize::from(*first) % Platform::ALL.len()];
    let span = Span::with_len(SourceId::FILE, 0, code.len() as u64);
    let source = MemorySource::from(code.to_vec());
    let sources = Sources::new("code", Box::new(source));
    let listing = Code::new(Some(Rc::new(Decoder::new(platform))), span, &sources);
    let _ = listing.text(&sources, 1 << 24);
    for row in 0..listing.count() {
        let line = listing.line(row, &sources).expect("a line for each row");
        assert!(!line.text.is_empty());
        let word = listing.span(row, &sources).expect("bytes for each row");
        assert_eq!(listing.row_at(word.start, &sources), Some(row));
        for part in listing.parts(row, &sources) {
            let last = part.bits.stretches().last();
            assert!(last.is_none_or(|(_, end)| u64::from(end) <= 8 * word.len()));
        }
        std::hint::black_box(listing.jumps(row, &sources));
    }
    let mut tally = listing.tally(&sources);
    while tally.step(1 << 10, &sources) > 0 {}
    assert_eq!(tally.mix().instructions, u64::from(listing.count()));
});
