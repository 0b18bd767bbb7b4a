//! How long the decoder takes: `cargo xtask bench core`.

use std::hint::black_box;
use std::io;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use zeview::decode::decode;
use zeview::decode::zebin::ze_info::yaml;
use zeview::model::text::{TextOptions, write_tree};
use zeview::model::{Document, MemorySource, SourceId};

#[path = "../tests/support/elf.rs"]
#[allow(dead_code)]
mod elf;
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

criterion_group!(benches, core, ze_info, positions);
criterion_main!(benches);
