//! Cost of hostile files: work, memory and output grow linearly with their size, and are bounded.
//! Work is counted, not timed: in bytes allocated, read and written.

#[cfg(target_os = "linux")]
mod processes;
#[path = "../support/mod.rs"]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use zeview::analysis::profile;
use zeview::tables;
use zeview::tables::kernels;

use support::growing::{ALL, Make};
use support::growing_flows::FLOWS;
use support::growing_hosts::HOSTS;
use support::growing_packages::{PACKAGES, too_many_files};
use support::growing_pairs::PAIRS;
use support::growing_profiles::PROFILES;
use support::growing_zebins::ZEBINS;
use support::hostile;
use support::names::{Name, names};
use support::watchdog::Watchdog;
use zeview::analysis::LoadOptions;
use zeview::analysis::data_flow::Flows;
use zeview::analysis::naming::ShortNames;
use zeview::analysis::profile::Reader;
use zeview::decode::demangle::demangle_briefly;
use zeview::decode::isa::dataflow::DataFlow;
use zeview::decode::isa::{Decoder, Platform};
use zeview::decode::limits;
use zeview::diff::{Options, compare};
use zeview::model::text::TextOptions;
use zeview::model::{Document, NodeId, SourceId, Span, json, text};
use zeview::report::check::VerdictRow;
use zeview::report::write_file;
use zeview::tables::write::Form;
use zeview::tables::writer::Writer;
use zeview::tables::{ListId, Presence};

/// Allocator that counts the bytes of each thread: a document belongs to one thread, so that tests
/// can run side by side.
struct Counting;

thread_local! {
    static NOW: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
    static SUM: Cell<usize> = const { Cell::new(0) };
}

fn allocated(size: usize) {
    SUM.set(SUM.get().wrapping_add(size));
    NOW.set(NOW.get() + size as i64);
    PEAK.set(PEAK.get().max(NOW.get()));
}

fn freed(size: usize) {
    NOW.set(NOW.get() - size as i64);
}

// SAFETY: forwards every call to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        freed(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }

    // Reallocate as the system does, without copying.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        freed(layout.size());
        allocated(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Debug, Clone, Copy)]
struct Cost {
    work: usize,
    memory: usize,
    /// Files of the package that were read.
    files: usize,
}

/// Returns the cost of opening these bytes and of `f`.
fn cost(bytes: &[u8], f: impl Fn(&mut Document) -> u64) -> Cost {
    let (before, sum) = (NOW.get(), SUM.get());
    PEAK.set(before);
    let mut document = support::open(bytes);
    let written = f(&mut document);
    let read = document.sources.bytes_read() + written;
    let account = document.package_account(NodeId::ROOT);
    let files = account.map_or(0, |account| account.entries());
    Cost {
        work: SUM.get().wrapping_sub(sum) + usize::try_from(read).unwrap(),
        memory: usize::try_from(PEAK.get() - before).unwrap(),
        files: usize::try_from(files).unwrap(),
    }
}

/// Counts the bytes written.
struct Sink(u64);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `zeview check`, and the locations of the findings.
fn check(document: &mut Document) -> u64 {
    let verdict = document.verdict(NodeId::ROOT, None);
    let findings = verdict.into_iter().flat_map(|verdict| verdict.findings);
    let spans: Vec<Span> = findings.map(|finding| finding.span).collect();
    let found = document.diagnostics.iter().map(|d| d.primary.span);
    for span in spans.into_iter().chain(found.collect::<Vec<_>>()) {
        document.path_of_span(span);
    }
    0
}

/// The tables of `zeview kernels`, `modules`, `ls --symbols`, `ls --relocations`.
fn lists(document: &mut Document) -> u64 {
    for list in ListId::ALL {
        for id in tables::documents_with(document, list) {
            if let Some(rows) = tables::list(document, id, list, None) {
                std::hint::black_box(rows.count());
            }
        }
    }
    0
}

/// `zeview kernels --json` and similar: all rows of the lists as JSON, within the limit.
fn rows(document: &mut Document) -> u64 {
    let limit = usize::try_from(limits::OUTPUT * size(document)).unwrap();
    let mut written = 0;
    for list in [ListId::Kernels, ListId::Images, ListId::SourceLines] {
        for id in tables::documents_with(document, list) {
            let Some(rows) = tables::list(document, id, list, None) else {
                continue;
            };
            let columns = list.columns().iter();
            let columns = columns.filter(|column| column.presence != Presence::Counted);
            let columns: Vec<_> = columns.collect();
            let mut writer = Writer::new(list, &columns, Form::Json, false);
            for row in 0..rows.count() {
                writer.push(&*rows, row, &document.sources, None);
                written += writer.take().len();
                if written > limit {
                    break;
                }
            }
        }
    }
    written as u64
}

/// `zeview kernels`, `zeview matrix`, and the summary by device.
fn kernels(document: &mut Document) -> u64 {
    for list in [ListId::Kernels, ListId::Matrix, ListId::Files] {
        let rows = tables::list(document, NodeId::ROOT, list, None);
        std::hint::black_box(rows.map_or(0, |rows| rows.count()));
    }
    std::hint::black_box(kernels::survey(document, NodeId::ROOT));
    0
}

/// `zeview images --json`: the whole index of the images.
fn images(document: &mut Document) -> u64 {
    let Some(images) = document.host_images(NodeId::ROOT) else {
        return 0;
    };
    let mut names = 0;
    for index in 0..images.count() {
        let image = images.image(index, &document.sources);
        let described = image.and_then(|image| image.described);
        names += described.map_or(0, |described| described.kernels().len());
    }
    names as u64
}

/// `zeview check` of a package: the verdicts on the images of its files.
fn check_files(document: &mut Document) -> u64 {
    let judged = VerdictRow::file(document, LoadOptions::default());
    std::hint::black_box(judged.inner.len());
    check(document)
}

/// `zeview images` of a package.
fn images_of_files(document: &mut Document) -> u64 {
    document.open_files(NodeId::ROOT);
    document.images(NodeId::ROOT).list.len() as u64
}

/// `zeview report`.
fn report(document: &mut Document) -> u64 {
    document.open_files(NodeId::ROOT);
    document.open_all();
    let mut sink = Sink(0);
    let limit = limits::OUTPUT * size(document);
    write_file(document, limit, &mut sink).unwrap();
    sink.0
}

/// `zeview diff` of the file and a copy with a few changed bytes.
fn diff(document: &mut Document) -> u64 {
    let whole = document.sources.whole(SourceId::FILE);
    let mut bytes = document.sources.read(whole).unwrap().to_vec();
    for byte in bytes.iter_mut().skip(1024).step_by(509) {
        *byte ^= 1;
    }
    let mut other = support::open(&bytes);
    let result = compare(document, &mut other, &Options::default());
    other.sources.bytes_read() + result.entries.len() as u64
}

/// A click on a byte of the file in the page.
fn click(document: &mut Document) -> u64 {
    let len = size(document);
    for part in 1..16 {
        let at = len * part / 16;
        document.nodes_at(SourceId::FILE, at);
        document.leaves(Span::with_len(SourceId::FILE, at, 1024), 1000);
    }
    0
}

fn size(document: &Document) -> u64 {
    document.sources.whole(SourceId::FILE).len()
}

/// The whole tree as text, up to a limit in bytes.
fn print(document: &mut Document, limit: u64) -> u64 {
    let mut sink = Sink(0);
    let options = TextOptions {
        limit: Some(limit),
        ..TextOptions::default()
    };
    text::write_tree(document, document.root(), options, &mut sink).unwrap();
    sink.0
}

fn print_json(document: &mut Document, limit: u64) -> u64 {
    let mut sink = Sink(0);
    let options = TextOptions {
        limit: Some(limit),
        ..TextOptions::default()
    };
    json::write_tree(document, document.root(), options, &mut sink).unwrap();
    sink.0
}

/// `zeview dump` without its minimum limit, which would not grow with the file.
fn dump(document: &mut Document) -> u64 {
    let limit = limits::OUTPUT * size(document);
    print(document, limit)
}

/// The start of a dump.
fn begin_dump(document: &mut Document) -> u64 {
    print(document, 4 << 20)
}

type Use = fn(&mut Document) -> u64;

const USES: [(&str, Use); 8] = [
    ("check", check),
    ("diff", diff),
    ("lists", lists),
    ("rows", rows),
    ("images", images),
    ("report", report),
    ("a click", click),
    ("dump", dump),
];

/// All constructs.
fn all() -> impl Iterator<Item = (&'static str, Make)> {
    ALL.iter().chain(HOSTS).chain(ZEBINS).copied()
}

/// Sizes of the files in bytes, each twice the previous one.
const SIZES: [usize; 3] = [8 << 10, 16 << 10, 32 << 10];
/// Sizes for overlapping parts: smaller files stay below the minimum limit (`limits::WALKS_MORE`).
const SIZES_OVERLAPPING: [usize; 3] = [64 << 10, 128 << 10, 256 << 10];

/// Sizes of code: the largest has more definitions and uses than are kept.
const SIZES_FLOWS: [usize; 3] = [32 << 10, 64 << 10, 128 << 10];
/// Sizes of packages: the smallest has some hundred files.
const SIZES_PACKAGES: [usize; 3] = [256 << 10, 512 << 10, 1 << 20];
/// Sizes of profiles. A quadratic search that copies nothing does not end in time for the last one.
const SIZES_PROFILES: [usize; 3] = [1 << 20, 2 << 20, 4 << 20];

/// Size of the files in the memory test.
const LARGE: usize = 10 << 20;

/// Memory allowed for each file of a package, and for each nested document with kernels, in bytes.
const PER_FILE: usize = 6 << 10;
/// Memory allowed for each kernel of a list, in bytes.
const PER_KERNEL: usize = 1536;

/// Returns what the kernels of a file may cost in addition: an entry point in SPIR-V takes 20 bytes.
fn memory_of_rows(bytes: &[u8]) -> usize {
    let mut document = support::open(bytes);
    document.open_all();
    let documents = tables::documents_with(&mut document, ListId::Kernels);
    let mut kernels = 0;
    for id in &documents {
        let rows = tables::list(&mut document, *id, ListId::Kernels, None);
        kernels += rows.map_or(0, |rows| rows.count() as usize);
    }
    documents.len() * PER_FILE + kernels * PER_KERNEL
}

/// Returns the memory limit of a file: ten times its size, or 64 MB, and its copy in memory.
fn memory_allowed(bytes: &[u8]) -> usize {
    (bytes.len() * 10).max(64 << 20) + bytes.len()
}

#[test]
fn work_grows_with_the_file() {
    work_grows(ALL);
}

#[test]
fn work_grows_with_the_host_file() {
    work_grows(HOSTS);
}

#[test]
fn work_grows_with_the_zebin() {
    work_grows(ZEBINS);
}

#[test]
fn work_grows_with_the_package() {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for &(name, make) in PACKAGES {
        for (what, run) in [
            ("check", check_files as Use),
            ("kernels", kernels),
            ("images", images_of_files),
        ] {
            watchdog.case(format!("{name}, {what}"));
            let cost = SIZES_PACKAGES.map(|size| cost(&make(size), run));
            let work = cost.map(|cost| cost.work);
            eprintln!("{name}, {what}: {cost:?}");
            let is_even = |pair: &[usize]| pair[1] <= pair[0] * 5 / 2 + (16 << 20);
            if !work.windows(2).all(is_even) {
                wrong.push(format!("{name}, {what}: {work:?}"));
            }
            let within = |(size, cost): (usize, Cost)| {
                cost.memory <= memory_allowed(&make(size)) + cost.files * PER_FILE
            };
            if !SIZES_PACKAGES.into_iter().zip(cost).all(within) {
                wrong.push(format!("{name}, {what}: {cost:?}"));
            }
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The path of the finding is among as many others as the list can have.
#[test]
fn more_files_than_are_listed_take_little_memory() {
    let bytes = too_many_files();
    let memory = cost(&bytes, check).memory;
    assert!(
        memory <= memory_allowed(&bytes),
        "{memory} for {}",
        bytes.len()
    );
}

/// Reads a profile and adds it to a document. Returns the number of rows.
fn add_profile(text: &str, document: &mut Document) -> u64 {
    let mut reader = Reader::new();
    text.as_bytes()
        .chunks(1 << 16)
        .for_each(|piece| reader.push(piece));
    let profile = reader.finish();
    std::hint::black_box(profile.metric_names());
    let images = tables::documents_with(document, ListId::Kernels);
    let report = profile::apply_profile(document, &images, &profile, None, &demangle_briefly);
    profile::add_profile(document, report);
    let list = tables::list(document, NodeId::ROOT, ListId::Kernels, None);
    std::hint::black_box(list.map_or(0, |list| list.count()));
    profile.rows
}

#[test]
fn work_grows_with_the_profile() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(root.join("www/samples/vecadd.bmg.zebin")).unwrap();
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for (name, make) in PROFILES {
        watchdog.case(format!("{name}, profile"));
        let cost = SIZES_PROFILES.map(|size| {
            let text = make(size);
            cost(&bytes, |document| add_profile(&text, document))
        });
        eprintln!("{name}: {cost:?}");
        let is_even = |pair: &[Cost]| pair[1].work <= pair[0].work * 5 / 2 + (4 << 20);
        let is_bounded = |(size, cost): (usize, &Cost)| cost.memory <= (size * 10).max(64 << 20);
        let mut bounded = SIZES_PROFILES.into_iter().zip(&cost);
        if !cost.windows(2).all(is_even) || !bounded.all(is_bounded) {
            wrong.push(format!("{name}: {cost:?}"));
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn work_grows(constructs: &[(&'static str, Make)]) {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for &(name, make) in constructs {
        let shares = HOSTS.iter().any(|(host, _)| *host == name);
        let sizes = if shares || name.contains("over each other") {
            SIZES_OVERLAPPING
        } else {
            SIZES
        };
        for (what, run) in USES {
            // A comparison of code may always take the same number of steps.
            if what == "diff" && name == "code sections over each other" {
                continue;
            }
            watchdog.case(format!("{name}, {what}"));
            let work = sizes.map(|size| cost(&make(size), run).work);
            // Tables grow in steps, and the search for the shortest list of differences has a
            // constant bound.
            // Shared parts are bounded by the minimum limit, which does not depend on the size.
            let slack = match (what, shares) {
                // From the second size on, the frame may be unpacked.
                ("diff", _) if name.contains("one zstd frame") => 96 << 20,
                ("diff", true) => 32 << 20,
                ("diff", false) => 4 << 20,
                // Children are created in groups, which the smallest file has few of.
                ("a click", true) => 16 << 20,
                (_, true) => 4 << 20,
                // A label is at most 4096 bytes, half of the smallest file.
                _ if name.contains("of a long name") => 32 << 20,
                _ => 256 << 10,
            };
            let is_even = |pair: &[usize]| pair[1] <= pair[0] * 5 / 2 + slack;
            if !work.windows(2).all(is_even) {
                wrong.push(format!("{name}, {what}: {work:?}"));
            }
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Computes the complete data flow of Xe2 code. Returns the steps.
fn data_flow(code: &[u8]) -> Cost {
    let (before, sum) = (NOW.get(), SUM.get());
    PEAK.set(before);
    let flow = DataFlow::new(Rc::new(Decoder::new(Platform::Xe2)), code);
    let flow = flow.with_inputs(support::code::inputs());
    std::hint::black_box(flow.report());
    std::hint::black_box(Flows::counts(&flow));
    for row in 0..flow.count() {
        std::hint::black_box((Flows::instruction(&flow, row), flow.uses(row)));
        std::hint::black_box(flow.inputs(row));
    }
    let uses = flow.input_uses();
    std::hint::black_box(uses.map_or(0, |uses| uses.len()));
    let steps = usize::try_from(flow.steps()).unwrap();
    Cost {
        work: SUM.get().wrapping_sub(sum) + steps,
        memory: usize::try_from(PEAK.get() - before).unwrap(),
        files: 0,
    }
}

#[test]
fn data_flow_grows_with_the_code() {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for (name, make) in FLOWS {
        watchdog.case(format!("{name}, data flow"));
        let cost = SIZES_FLOWS.map(|size| data_flow(&make(size)));
        eprintln!("{name}: {cost:?}");
        // Constant budgets, in steps and in the producers that they find.
        let slack = 1 << 29;
        let is_even = |pair: &[Cost]| pair[1].work <= pair[0].work * 5 / 2 + slack;
        let is_bounded = cost.iter().all(|cost| cost.memory < 64 << 20);
        if !cost.windows(2).all(is_even) || !is_bounded {
            wrong.push(format!("{name}: {cost:?}"));
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn comparisons_grow_with_the_files() {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for (name, make) in PAIRS {
        watchdog.case(format!("{name}, compared"));
        let cost = SIZES_OVERLAPPING.map(|size| {
            let [a, b] = make(size);
            let compared = |a: &mut Document| {
                let mut b = support::open(&b);
                let result = compare(a, &mut b, &Options::default());
                b.sources.bytes_read() + result.steps
            };
            cost(&a, compared)
        });
        // Budget of every comparison, whatever the size: steps that copy names or read code.
        let slack = if name.contains("over each other") || name.contains("long name") {
            512 << 20
        } else {
            16 << 20
        };
        let is_even = |pair: &[Cost]| pair[1].work <= pair[0].work * 5 / 2 + slack;
        let is_bounded = |(size, cost): (usize, &Cost)| {
            let allowed = 6 * (size * 10).max(64 << 20);
            cost.memory <= allowed
        };
        let is_bounded = SIZES_OVERLAPPING.into_iter().zip(&cost).all(is_bounded);
        if !cost.windows(2).all(is_even) || !is_bounded {
            wrong.push(format!("{name}: {cost:?}"));
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files whose comparison takes the most memory or time.
const DIFFED: [&str; 6] = [
    "80 000 parts, one in the other",
    "80 000 tables over the whole file",
    "80 000 texts over the whole file",
    "anchors of anchors",
    "entries of an OffloadBinary",
    "offload: images over each other",
];

#[test]
fn memory_for_large_files_is_bounded() {
    memory_is_bounded(ALL);
}

#[test]
fn memory_for_large_host_files_is_bounded() {
    memory_is_bounded(HOSTS);
}

#[test]
fn memory_for_large_zebins_is_bounded() {
    memory_is_bounded(ZEBINS);
}

#[test]
fn memory_for_hostile_files_is_bounded() {
    let hostile = hostile::ALL.iter().map(|(name, make)| (*name, make()));
    memory_is_bounded_for(hostile);
}

fn memory_is_bounded(constructs: &[(&'static str, Make)]) {
    memory_is_bounded_for(constructs.iter().map(|&(name, make)| (name, make(LARGE))));
}

fn memory_is_bounded_for(files: impl Iterator<Item = (&'static str, Vec<u8>)>) {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for (name, bytes) in files {
        let uses = [
            ("check", check as Use),
            ("dump", begin_dump),
            ("lists", lists),
            ("images", images),
            ("report", report),
            ("diff", diff),
        ];
        for (what, run) in uses {
            let is_host = HOSTS.iter().any(|(host, _)| *host == name);
            let is_wanted = match what {
                "diff" => DIFFED.contains(&name),
                "images" | "report" => is_host,
                _ => true,
            };
            if !is_wanted {
                continue;
            }
            watchdog.case(format!("{name}, memory of {what}"));
            let memory = cost(&bytes, run).memory;
            eprintln!(
                "{name}, {what}: {} MB for {} KB",
                memory >> 20,
                bytes.len() >> 10
            );
            // A comparison has two open files, with the rows of both.
            let times = if what == "diff" { 6 } else { 1 };
            let allowed = memory_allowed(&bytes);
            if memory > times * allowed && memory > times * (allowed + memory_of_rows(&bytes)) {
                wrong.push(format!("{name}, {what}: {memory} for {}", bytes.len()));
            }
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn output_is_bounded() {
    let watchdog = Watchdog::start();
    for (name, make) in all() {
        watchdog.case(format!("{name}, output"));
        let bytes = make(SIZES[1]);
        let limit = 1 << 20;
        for print in [print, print_json] {
            let mut document = support::open(&bytes);
            let written = print(&mut document, limit);
            // The line that reaches the limit, and the open brackets.
            assert!(written <= limit + (16 << 10), "{name}: {written} bytes");
        }
    }
    watchdog.case("");
}

/// Names whose short names are expensive: `count` names or parts of names.
fn hostile_names(count: usize) -> Vec<(&'static str, Vec<Name>)> {
    let each = |make: &dyn Fn(usize) -> String| {
        let texts = (0..count).map(|at| (format!("_Z{at}"), Some(make(at).into())));
        texts.collect::<Vec<Name>>()
    };
    let side = count.isqrt() * 4;
    let square = (0..side).map(|name| {
        let argument = |at: usize| if at == name { "b," } else { "a," };
        let arguments: String = (0..side).map(argument).collect();
        (format!("_Z{name}"), Some(format!("k<{arguments}c>").into()))
    });
    let long = "Layout<C<1>, C<2>, C<3>, C<4>>".repeat(3);
    vec![
        ("generated", names(count, 1)),
        (
            "of different templates",
            each(&|at| format!("a::k{at}<{long}, b::c>")),
        ),
        (
            "in pairs",
            each(&|at| format!("k<{long}, tag{}<{}>>", at / 2, at % 2)),
        ),
        ("that differ in one argument each", square.collect()),
        ("that are the same", each(&|_| format!("k<{long}>"))),
        (
            "of long words",
            each(&|at| format!("k<{long}, {}{at}>", "aWordOf".repeat(8))),
        ),
        (
            "in namespaces",
            each(&|at| format!("k<{long}, {}n{at}::b>", "a::".repeat(30))),
        ),
        (
            "in lambdas",
            each(&|at| {
                format!(
                    "f<{long}>(int)::{}{{lambda()#{at}}}",
                    "{lambda(int)#1}::".repeat(30)
                )
            }),
        ),
        (
            "that are nested",
            each(&|at| format!("{}{at}{}", "k<a, ".repeat(60), ">".repeat(60))),
        ),
    ]
}

#[test]
fn short_names_cost_as_much_as_the_names_are_long() {
    let watchdog = Watchdog::start();
    let sizes = [500, 1000, 2000].map(hostile_names);
    let mut wrong = Vec::new();
    for (at, (what, _)) in sizes[0].iter().enumerate() {
        watchdog.case(format!("names {what}"));
        let work = sizes.each_ref().map(|families| {
            let names = families[at].1.iter();
            let names = names.map(|(name, text)| (&**name, text.as_deref()));
            let before = SUM.get();
            std::hint::black_box(ShortNames::new(names));
            SUM.get().wrapping_sub(before)
        });
        eprintln!("names {what}: {work:?}");
        // Four times as many names; growth is in steps.
        if work[2] > work[0] * 5 {
            wrong.push(format!("names {what}: {work:?}"));
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
