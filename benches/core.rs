//! Decoder benchmarks: `cargo xtask bench core`. The data flow of the largest kernels is measured if
//! `ZEVIEW_CORPUS` is set.

#![allow(clippy::expect_used)]

use std::hint::black_box;
use std::path::Path;
use std::{env, fs, io};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use zeview::decode::decode;
use zeview::decode::isa::{Decoder, Platform};
use zeview::decode::zebin::ze_info::yaml;
use zeview::model::text::{TextOptions, write_tree};
use zeview::model::{Document, MemorySource, NodeId, SourceId};

#[path = "../tests/support/elf.rs"]
#[allow(dead_code)]
mod elf;
#[path = "../tests/support/isa.rs"]
#[allow(dead_code)]
mod isa;
#[path = "../tests/support/notes.rs"]
#[allow(dead_code)]
mod notes;
#[path = "../tests/support/zebin.rs"]
#[allow(dead_code)]
mod zebin;

fn open(bytes: &[u8]) -> Document {
    decode(Box::new(MemorySource::from(bytes)), "file")
}

fn core(c: &mut Criterion) {
    for kernels in [1, 600] {
        let bytes = zebin::many(kernels);
        let mut group = c.benchmark_group(format!("{kernels} kernels"));
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("decode", |b| b.iter(|| black_box(open(&bytes))));
        group.bench_function("dump", |b| {
            let document = open(&bytes);
            b.iter(|| {
                let root = document.root();
                write_tree(&document, root, TextOptions::default(), &mut io::sink())
            });
        });
        group.finish();
    }
}

fn ze_info(c: &mut Criterion) {
    let names: Vec<String> = (0..600).map(|i| format!("kernel_{i}")).collect();
    let text = zebin::ze_info(&names);
    let mut group = c.benchmark_group("ze_info of 600 kernels");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse", |b| {
        b.iter(|| black_box(yaml::parse(text.as_bytes(), yaml::Limits::default())));
    });
    group.finish();
}

fn positions(c: &mut Criterion) {
    let bytes = zebin::many(600);
    let mut document = open(&bytes);
    let step = bytes.len() as u64 / 997;
    let mut at = 0;
    c.bench_function("nodes_at in 600 kernels", |b| {
        b.iter(|| {
            at = (at + step) % bytes.len() as u64;
            black_box(document.nodes_at(SourceId::FILE, at))
        });
    });
}

/// Decodes real words of each platform, with the labels of their listing.
fn instructions(c: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/isa");
    let mut group = c.benchmark_group("instructions");
    for platform in Platform::ALL {
        let table = isa::rows(
            &isa::table(&folder, platform),
            [Some(0), Some(1), Some(2), Some(3)],
        );
        let words = table.iter().filter(|row| row.status == "ok");
        let words: Vec<&[u8]> = words.map(|row| &*row.bytes).collect();
        let code = words.concat();
        let decoder = Decoder::new(platform);
        group.throughput(Throughput::Elements(words.len() as u64));
        group.bench_function(platform.name(), |b| {
            let mut text = String::new();
            b.iter(|| {
                let mut no_prefix = |_, _, _: &mut String| {};
                decoder.list(&code, None, &mut no_prefix, &mut text, &mut |text| {
                    black_box(&*text);
                    text.clear();
                    true
                });
            });
        });
    }
    group.finish();
}

/// The data flow of kernels, from their bytes: of a sample of the page, and of the largest ones of the
/// corpus if it is available.
fn data_flow(c: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("www/samples/spill.dg2.zebin")];
    if let Some(corpus) = env::var_os("ZEVIEW_CORPUS") {
        let folder = Path::new(&corpus).join("samples/zebin");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        files.extend(paths.filter(|path| path.to_string_lossy().contains("hugecode")));
        files.sort();
    }
    let mut group = c.benchmark_group("data flow");
    group.sample_size(20);
    for path in files {
        let bytes = fs::read(&path).expect("the file can be read");
        // A listing keeps its data flow.
        let listing = || {
            let document = open(&bytes);
            let assembly = document.assembly(NodeId::ROOT);
            let sections = assembly.map(|assembly| assembly.sections());
            let sections = sections.unwrap_or_default();
            let code = sections.iter().max_by_key(|section| section.bytes.len());
            let code = code.expect("the file has code").bytes;
            let listing = document.listing(NodeId::ROOT, Some(code), None);
            (document, listing.expect("the encoding is known"))
        };
        let count = listing().1.count();
        group.throughput(Throughput::Elements(count.into()));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        group.bench_function(format!("{name}, {count} instructions"), |b| {
            b.iter_batched(
                listing,
                |(document, listing)| {
                    let flow = listing.data_flow(&document.sources);
                    let flow = flow.expect("the encoding is known");
                    black_box((flow.instruction(count - 1), flow.live(0), flow.report()));
                    (document, listing)
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, core, ze_info, positions, instructions, data_flow);
criterion_main!(benches);
