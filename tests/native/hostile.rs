//! Large files that are made to cost much: each is opened, and every finding is traced to
//! its row, in bounded time and with bounded reading. `cargo bench --bench compare` says how
//! long the release build takes.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use crate::support::hostile::ALL;
use crate::support::lists::ask_all;
use crate::support::watchdog::Watchdog;
use zeview::decode::decode;
use zeview::model::{Document, FileSource, MemorySource, NodeId, SourceId, Span};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::Response;

/// What `zeview check` does.
fn check(document: &mut Document) {
    if let Some(verdict) = document.verdict(NodeId::ROOT, None) {
        for finding in &verdict.findings {
            document.path_of_span(finding.span);
        }
    }
    for diagnostic in document.diagnostics.clone() {
        let path = document.path_of(&diagnostic);
        assert!(path.len() < 1 << 20, "a path of {} bytes", path.len());
    }
}

#[test]
fn files_of_10_mb() {
    let watchdog = Watchdog::start();
    for (name, make) in ALL {
        let bytes = make();
        watchdog.case(*name);
        let begin = Instant::now();
        let mut document = crate::support::open(&bytes);
        let opened = begin.elapsed();
        check(&mut document);
        let middle = bytes.len() as u64 / 2;
        document.nodes_at(SourceId::FILE, middle);
        document.leaves(Span::at(SourceId::FILE, middle, 4096), 10_000);
        let read = document.sources.bytes_read();
        let (all, found) = (begin.elapsed(), document.diagnostics.len());
        eprintln!("{name}: opened in {opened:?}, all {all:?}, {found} findings, {read} bytes read");
        assert!(
            read < 12 * bytes.len() as u64 + (64 << 20),
            "{name}: {read} bytes read"
        );
        assert!(found < 10_000, "{name}: {found} findings");
    }
    watchdog.case("");
}

/// The lists of such files, as the page asks for them.
#[test]
fn lists_of_files_of_10_mb() {
    let watchdog = Watchdog::start();
    for (name, make) in ALL {
        let bytes = make();
        watchdog.case(format!("{name}, lists"));
        let mut handler = Handler::new(|| 0.0);
        let opened = handler.open(1, name, Box::new(MemorySource::from(bytes)));
        assert!(matches!(opened.response, Response::Opened(_)), "{name}");
        let mut last = (String::new(), Instant::now());
        ask_all(&mut handler, |request| {
            let (before, since) = &last;
            if since.elapsed().as_millis() > 500 {
                eprintln!("{name}: {:?} for {before}", since.elapsed());
            }
            let what = format!("{name}, {request:?}");
            watchdog.case(&what);
            last = (what, Instant::now());
        });
    }
    watchdog.case("");
}

/// A file with holes: it takes no room.
fn sparse(name: &str, len: u64, head: &[u8]) -> FileSource {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, head).expect("the folder for tests is writable");
    let file = File::options()
        .write(true)
        .open(&path)
        .expect("it was just written");
    file.set_len(len).expect("the file system knows holes");
    let source = FileSource::open(&path).expect("it is there");
    std::fs::remove_file(&path).expect("an open file may be removed");
    source
}

#[test]
fn files_of_5_gb() {
    let watchdog = Watchdog::start();
    let zebin = crate::support::zebin::small().build().bytes;
    let ends = crate::support::zebin::small()
        .build()
        .with_header("e_shoff", (5 << 30) - 4096);
    for (name, head) in [
        ("zeros", &[][..]),
        ("zebin", &zebin),
        ("headers at the end", &ends.bytes),
    ] {
        watchdog.case(name);
        let source = sparse(&format!("{name} 5 GB"), 5 << 30, head);
        let mut document = decode(Box::new(source), name);
        check(&mut document);
        document.nodes_at(SourceId::FILE, 4 << 30);
        let read = document.sources.bytes_read();
        assert!(read < 4 << 20, "{name}: {read} bytes read");
        assert_eq!(document.root().span.map(Span::len), Some(5 << 30));
    }
    watchdog.case("");
}
