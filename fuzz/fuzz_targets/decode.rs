//! Any bytes: they are opened, judged, shown as a whole, and asked for from both sides.
#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use zeview::decode::decode;
use zeview::model::text::{TextOptions, write_tree};
use zeview::model::{MemorySource, SourceId, Span};

fuzz_target!(|bytes: &[u8]| {
    let mut document = decode(Box::new(MemorySource::from(bytes)), "fuzz");
    let len = bytes.len() as u64;
    write_tree(&document, document.root(), TextOptions::default(), &mut io::sink())
        .expect("nothing is written to a sink in vain");
    for diagnostic in document.diagnostics.clone() {
        let span = diagnostic.primary.span;
        assert!(span.source != SourceId::FILE || span.end <= len, "{diagnostic:?}");
        document.path_of(&diagnostic);
    }
    for offset in [0, len / 3, len / 2, len.saturating_sub(1)] {
        document.nodes_at(SourceId::FILE, offset);
    }
    let leaves = document.leaves(Span::with_len(SourceId::FILE, 0, len), 10_000);
    assert!(leaves.iter().all(|leaf| leaf.span.source == SourceId::FILE));
    document.verdict(zeview::model::NodeId::ROOT, None);
});
