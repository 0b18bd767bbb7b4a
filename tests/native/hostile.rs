//! Large hostile files: each is opened, and every finding is traced to its row, in bounded time and
//! with bounded reading. `cargo bench --bench compare` measures the release build.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::support::fixtures::hostile;
use crate::support::growing::ALL as GROWING;
use crate::support::hostile::ALL;
use crate::support::lists::request_all;
use crate::support::watchdog::Watchdog;
use zeview::api::operations::excerpt;
use zeview::decode::{decode, limits};
use zeview::model::{Document, FileSource, MemorySource, NodeId, SourceId, Span};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::Response;

/// Runs the work of `zeview check`.
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
        document.leaves(Span::with_len(SourceId::FILE, middle, 4096), 10_000);
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

/// The excerpt in a notebook's output stays short, however many rows and however long names are.
#[test]
fn excerpts_of_files_of_10_mb() {
    let watchdog = Watchdog::start();
    let lists = ["kernels", "images", "modules"].map(str::to_owned);
    for (name, make) in ALL {
        watchdog.case(*name);
        let mut document = crate::support::open(&make());
        let html = excerpt(&mut document, &lists, 50).unwrap();
        assert!(html.starts_with("<p><strong>"), "{name}: {html:.200}");
        assert!(html.len() < 200_000, "{name}: {} bytes", html.len());
    }
    watchdog.case("");
}

/// Requests the lists of such files, like the page.
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
        request_all(&mut handler, |request| {
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

/// Runs every command on every file that broke a guarantee: it ends with a documented status, is
/// deterministic, prints no terminal escapes, and stays within the output limit.
#[test]
fn commands_on_files_that_broke_a_promise() {
    let watchdog = Watchdog::start();
    let commands: [&[&str]; 10] = [
        &[],
        &["check"],
        &["check", "--json"],
        &["kernels"],
        &["modules"],
        &["dump"],
        &["dump", "--json"],
        &["ls"],
        &["ls", "--symbols"],
        &["ls", "--relocations"],
    ];
    for file in hostile() {
        for command in commands {
            watchdog.case(format!("{}, {command:?}", file.name));
            let run = || {
                let mut zeview = Command::new(env!("CARGO_BIN_EXE_zeview"));
                zeview.args(command).arg(&file.path).output().unwrap()
            };
            let output = run();
            let status = output.status.code();
            assert!(matches!(status, Some(0..=2)), "{}: {status:?}", file.name);
            assert!(!output.stdout.contains(&0x1b), "{}", file.name);
            let most = limits::output(file.bytes.len() as u64) + (1 << 20);
            assert!(output.stdout.len() as u64 <= most, "{}", file.name);
            watchdog.case(format!("{}, {command:?} again", file.name));
            assert_eq!(output.stdout, run().stdout, "{}, {command:?}", file.name);
        }
    }
    watchdog.case("");
}

/// A dump beyond the limit ends with a line that states its end, and fails.
#[test]
fn a_dump_that_is_too_long_says_so() {
    let make = GROWING
        .iter()
        .find(|(name, _)| *name == "sections over each other");
    let bytes = make.unwrap().1(100_000);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("too-long.zebin");
    std::fs::write(&path, &bytes).unwrap();
    for (json, end) in [(false, "stopped at 0x"), (true, "\"stopped\":{\"start\":")] {
        let mut zeview = Command::new(env!("CARGO_BIN_EXE_zeview"));
        let zeview = zeview.arg("dump").args(json.then_some("--json")).arg(&path);
        let output = zeview.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(end), "{}", &text[text.len() - 400..]);
        assert!(text.len() as u64 <= limits::output(bytes.len() as u64) + (1 << 20));
        if json {
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(value["stopped"]["start"].is_u64());
        }
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("the output is limited to"), "{error}");
    }
}

/// Creates a sparse file.
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
    // Zeros say nothing about the format: as of any unknown one, the first 64 MB are searched.
    for (name, head, most) in [
        ("zeros", &[][..], 80 << 20),
        ("zebin", &zebin, 4 << 20),
        ("headers at the end", &ends.bytes, 4 << 20),
    ] {
        watchdog.case(name);
        let source = sparse(&format!("{name} 5 GB"), 5 << 30, head);
        let mut document = decode(Box::new(source), name);
        check(&mut document);
        document.nodes_at(SourceId::FILE, 4 << 30);
        let read = document.sources.bytes_read();
        assert!(read < most, "{name}: {read} bytes read");
        assert_eq!(document.root().span.map(Span::len), Some(5 << 30));
    }
    watchdog.case("");
}
