//! A library with many kernels of long names: `cargo xtask bench page` makes one and opens it.
//!
//! * `library write FILE IMAGES KERNELS MEGABYTES` writes a generated library: each of its images is an
//!   archive with native code for two devices, and has so many kernels.
//! * `library read FILE` prints the milliseconds until the file is open, until the first kernels are
//!   there, and until all of them are: natively, with the requests that the page sends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use zeview::model::FileSource;
use zeview::model::NodeId;
use zeview::tables::ListId;
use zeview::tables::query::Query;
use zeview::worker::handler::Handler;
use zeview::worker::protocol::{Envelope, ListRequest, Request, Response};

#[path = "../tests/support/elf.rs"]
#[allow(dead_code)]
mod elf;
#[path = "../tests/support/hosts.rs"]
#[allow(dead_code)]
mod hosts;
#[path = "../tests/support/names.rs"]
#[allow(dead_code)]
mod names;
#[path = "../tests/support/notes.rs"]
#[allow(dead_code)]
mod notes;
#[path = "../tests/support/random.rs"]
#[allow(dead_code)]
mod random;
#[path = "../tests/support/zebin.rs"]
#[allow(dead_code)]
mod zebin;

fn milliseconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64() * 1000.0
}

/// An archive as ocloc writes it.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let name = format!("{name}/");
        let size = data.len();
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
        bytes.extend(header.into_bytes());
        bytes.extend(*data);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

/// A library of about `size` bytes.
fn library(images: usize, kernels: usize, size: usize) -> Vec<u8> {
    let names = names::names(images * kernels, 1);
    let mut host = hosts::Host::new(elf::Class::Elf64);
    let target = host.text("spir64_gen");
    let mut parts = Vec::new();
    for names in names.chunks(kernels) {
        let names: Vec<&str> = names.iter().map(|(name, _)| &**name).collect();
        let mut zebin = zebin::zebin(&names).build().bytes;
        // Bytes that nobody looks at; they make the code for the second device another one.
        zebin.resize(zebin.len().max(size / images / 2), 0x60);
        let mut other = zebin.clone();
        other.push(0);
        let image = archive(&[("64.20.1.0", &zebin), ("64.20.2.0", &other)]);
        parts.push((host.image(&image), host.entries(&names)));
    }
    let structs = parts
        .into_iter()
        .map(|(image, entries)| host.image_struct(1, target, image, entries, None));
    let structs: Vec<_> = structs.collect();
    host.descriptor(structs[0], structs.len() as u64);
    host.build()
}

fn read(file: &Path) -> [f64; 3] {
    let source = FileSource::open(file).expect("the file can be opened");
    let start = milliseconds();
    let mut handler = Handler::new(milliseconds);
    match handler.open(1, "file", Box::new(source)).response {
        Response::Opened(_) => {}
        other => panic!("not opened: {other:?}"),
    }
    let opened = milliseconds();
    let mut first = None;
    let request = Envelope {
        id: 2,
        about: Some(1),
        request: Request::List {
            document: NodeId::ROOT,
            list: ListId::Kernels,
            query: Query::default(),
            ask: ListRequest::Rows {
                start: 0,
                count: 64,
                columns: Vec::new(),
            },
        },
    };
    loop {
        let Response::List(page) = handler.answer(&request).response else {
            panic!("no kernels");
        };
        if !page.rows.is_empty() {
            first.get_or_insert_with(milliseconds);
        }
        if page.reading.is_none() {
            break;
        }
    }
    let all = milliseconds();
    [opened, first.unwrap_or(all), all].map(|at| at - start)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(|text| &**text).collect();
    // Cargo says `--bench`.
    match arguments.as_slice() {
        ["write", file, images, kernels, megabytes, ..] => {
            let [images, kernels, megabytes] =
                [images, kernels, megabytes].map(|text| text.parse().expect("a number"));
            fs::write(file, library(images, kernels, megabytes << 20))
                .expect("the file is written");
        }
        ["read", file, ..] => {
            let [opened, first, all] = read(Path::new(file));
            println!("{opened} {first} {all}");
        }
        _ => panic!("library write FILE IMAGES KERNELS MEGABYTES, or library read FILE"),
    }
}
