//! Time to open a file natively, with the code behind the page's status line. `cargo xtask bench
//! page` runs it along with its own runs.
//!
//! Prints the milliseconds of the first file that a process opens, and of the same file opened
//! again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use zeview::model::FileSource;
use zeview::worker::handler::Handler;
use zeview::worker::protocol::Response;

fn milliseconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64() * 1000.0
}

fn open(file: &Path) -> f64 {
    let source = FileSource::open(file).expect("the file can be opened");
    let mut handler = Handler::new(milliseconds);
    match handler.open(1, "file", Box::new(source)).response {
        Response::Opened(opened) => opened.millis,
        other => panic!("not opened: {other:?}"),
    }
}

fn main() {
    // Cargo passes `--bench`.
    let file = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let file = file.expect("the path of a file");
    let file = Path::new(&file);
    println!("{} {}", open(file), open(file));
}
