//! `.ze_info` and the kernel table, compared with current practice.
//!
//! `cargo xtask bench kernels` (with `ZEVIEW_CORPUS` for the file of 600 kernels). Prints a table;
//! fails if a target is missed. The comparison with PyYAML's C loader requires `python3` with
//! `yaml`; it is skipped with a message otherwise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zeview::decode::decode;
use zeview::decode::isa::dataflow::DataFlow;
use zeview::decode::isa::{Decoder, Platform};
use zeview::decode::zebin::ze_info::yaml;
use zeview::model::{ByteSource, Document, MemorySource, NodeId};

/// Allocator that counts bytes.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: forwards every call to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    // Reallocate as the system does, without copying.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let now = NOW.fetch_add(size, Ordering::Relaxed) + size;
        PEAK.fetch_max(now, Ordering::Relaxed);
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the peak memory of `f` in bytes.
fn memory<T>(f: impl FnOnce() -> T) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    std::hint::black_box(f());
    PEAK.load(Ordering::Relaxed) - before
}

/// Returns the time of the fastest run.
fn best<T>(runs: usize, mut f: impl FnMut() -> T) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        std::hint::black_box(f());
        best = best.min(start.elapsed());
    }
    best
}

/// Returns `.ze_info` as IGC writes it, for `kernels` kernels with `arguments` arguments each.
fn ze_info(kernels: usize, arguments: usize) -> String {
    let mut text = String::from("---\nversion:         '1.73'\nkernels:\n");
    for kernel in 0..kernels {
        let _ = write!(
            text,
            "  - name:            _ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_E8Kernel{kernel:04}\n    execution_env:\n      grf_count:       128\n      has_no_stateless_write: true\n      inline_data_payload_size: 32\n      offset_to_skip_per_thread_data_load: 192\n      simd_size:       32\n      slm_size:        {slm}\n      spill_size:      {spill}\n      subgroup_independent_forward_progress: true\n      eu_thread_count: 8\n    payload_arguments:\n      - arg_type:        global_id_offset\n        offset:          0\n        size:            12\n      - arg_type:        enqueued_local_size\n        offset:          12\n        size:            12\n",
            slm = kernel % 7 * 1024,
            spill = kernel % 5 * 512,
        );
        for argument in 0..arguments {
            let _ = write!(
                text,
                "      - arg_type:        arg_bypointer\n        offset:          {offset}\n        size:            8\n        arg_index:       {argument}\n        addrmode:        stateless\n        addrspace:       global\n        access_type:     readwrite\n",
                offset = 24 + 8 * argument,
            );
        }
        text.push_str("    per_thread_payload_arguments:\n      - arg_type:        local_id\n        offset:          0\n        size:            192\n    binding_table_indices:\n      - bti_value:       0\n        arg_index:       0\n");
    }
    text.push_str("kernels_misc_info:\n");
    for kernel in 0..kernels {
        let _ = write!(
            text,
            "  - name:            _ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_E8Kernel{kernel:04}\n    args_info:\n",
        );
        for argument in 0..arguments / 12 {
            let _ = write!(
                text,
                "      - index:           {argument}\n        address_qualifier: __global\n        access_qualifier: NONE\n        type_name:       'int*;8'\n        type_qualifiers: NONE\n",
            );
        }
    }
    text.push_str("...\n");
    text
}

/// Returns a zebin with only this text.
fn zebin(text: &str) -> MemorySource {
    let names = b"\0.ze_info\0.strtab\0";
    let text_at = 64u64;
    let names_at = text_at + text.len() as u64;
    let headers_at = names_at + names.len() as u64;
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    bytes.resize(16, 0);
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(205u16.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(headers_at.to_le_bytes());
    bytes.extend([0; 4]);
    for half in [64u16, 0, 0, 64, 3, 2] {
        bytes.extend(half.to_le_bytes());
    }
    bytes.extend(text.as_bytes());
    bytes.extend(names);
    for (name, kind, at, size) in [
        (0, 0, 0, 0),
        (1, 0xff00_0011, text_at, text.len() as u64),
        (10, 3, names_at, names.len() as u64),
    ] {
        for word in [name, kind] {
            bytes.extend(u32::to_le_bytes(word));
        }
        for word in [0, 0, at, size, 0, 0, 0] {
            bytes.extend(u64::to_le_bytes(word));
        }
        bytes.truncate(bytes.len() - 8);
        bytes.extend([0; 8]);
    }
    MemorySource::from(bytes)
}

fn open(source: &MemorySource) -> Document {
    decode(Box::new(source.clone()), "bench")
}

fn rows(document: &Document) -> usize {
    let kernels = document.kernels(NodeId::ROOT).expect("kernels");
    kernels.rows(&document.sources).len()
}

struct Report {
    missed: bool,
}

impl Report {
    fn line(&mut self, what: &str, measured: String, target: &str, holds: bool) {
        let sign = if holds { "ok    " } else { "MISSED" };
        println!("{sign}  {what:52} {measured:>22}  target {target}");
        self.missed |= !holds;
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn main() {
    let mut report = Report { missed: false };
    text_of_2000(&mut report);
    table_of_600(&mut report);
    table_of_60000(&mut report);
    data_flow(&mut report);
    std::process::exit(i32::from(report.missed));
}

fn text_of_2000(report: &mut Report) {
    let text = ze_info(2000, 12);
    let megabytes = text.len() as f64 / 1e6;
    println!("text: {megabytes:.1} MB, 2000 kernels, 12 arguments each");
    let reader = best(10, || yaml::parse(text.as_bytes(), yaml::Limits::default()));
    let bytes = zebin(&text);
    let whole = best(10, || open(&bytes).diagnostics.len());
    let with_table = best(10, || rows(&open(&bytes)));
    let serde = best(3, || {
        serde_yaml::from_str::<serde_yaml::Value>(&text).unwrap()
    });
    let ratio = |time: Duration| serde.as_secs_f64() / time.as_secs_f64();
    println!(
        "        serde_yaml::Value                                    {:>19.1} ms",
        millis(serde)
    );
    report.line(
        "located reader",
        format!("{:.2} ms, {:.0} ×", millis(reader), ratio(reader)),
        "20 ×",
        ratio(reader) >= 20.0,
    );
    for (what, time) in [
        ("file opened: reader, checks, links, headers", whole),
        ("the same, and the kernel table", with_table),
    ] {
        let measured = format!("{:.2} ms, {:.0} ×", millis(time), ratio(time));
        println!("        {what:52} {measured:>22}");
    }
    let peak = memory(|| {
        let document = open(&bytes);
        rows(&document);
        document
    });
    let times = peak as f64 / text.len() as f64;
    report.line(
        "memory beside the file's bytes",
        format!("{times:.1} × text"),
        "12 ×",
        times <= 12.0,
    );
}

fn table_of_600(report: &mut Report) {
    let file = std::env::var_os("ZEVIEW_CORPUS")
        .map(|corpus| PathBuf::from(corpus).join("samples/zebin/many600.dg2.igc2.40.zebin"))
        .filter(|path| path.exists());
    let (what, bytes) = match &file {
        Some(path) => (
            "many600.dg2",
            MemorySource::from(std::fs::read(path).unwrap()),
        ),
        None => ("600 made kernels", zebin(&ze_info(600, 6))),
    };
    println!("{what}: {:.1} MB", ByteSource::len(&bytes) as f64 / 1e6);
    let opening = best(10, || open(&bytes).diagnostics.len());
    println!(
        "        file opened                                          {:>19.2} ms",
        millis(opening)
    );
    let table = (0..10)
        .map(|_| {
            let document = open(&bytes);
            best(1, || rows(&document))
        })
        .min()
        .unwrap();
    report.line(
        "kernel table",
        format!("{:.2} ms", millis(table)),
        "10 ms",
        table.as_millis() < 10,
    );
    let both = best(10, || rows(&open(&bytes)));
    println!(
        "        file opened and kernel table                         {:>19.2} ms",
        millis(both)
    );
    let text = text_of(&bytes);
    match python(&text) {
        Some(python) => {
            let ratio = python.as_secs_f64() / both.as_secs_f64();
            report.line(
                "against PyYAML's CLoader on its .ze_info",
                format!("{:.0} ms, {ratio:.0} ×", millis(python)),
                "50 ×",
                ratio >= 50.0,
            );
        }
        None => println!("skipped: python3 with yaml (and libyaml) is not there"),
    }
}

/// Returns the text of the file's `.ze_info`.
fn text_of(source: &MemorySource) -> Vec<u8> {
    let mut document = open(source);
    let id = document.find(".ze_info").unwrap();
    let span = document.node(id).unwrap().span.unwrap();
    document.sources.read(span).unwrap().to_vec()
}

/// Time of PyYAML's C loader for the text, in a running process.
fn python(text: &[u8]) -> Option<Duration> {
    let path = std::env::temp_dir().join(format!("zeview-bench-{}.yaml", std::process::id()));
    std::fs::write(&path, text).ok()?;
    let script = "import sys, time, yaml\ntext = open(sys.argv[1], 'rb').read()\nbest = 1e9\nfor _ in range(3):\n    start = time.perf_counter()\n    data = yaml.load(text, Loader=yaml.CLoader)\n    [(k['name'], k['execution_env'].get('spill_size', 0)) for k in data['kernels']]\n    best = min(best, time.perf_counter() - start)\nprint(best)\n";
    let output = Command::new("python3")
        .arg("-c")
        .arg(script)
        .arg(&path)
        .output();
    let _ = std::fs::remove_file(&path);
    let output = output.ok().filter(|output| output.status.success())?;
    let seconds: f64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}

/// Analyzes the data flow of 10 000 instructions: the largest kernel of the fixtures of each
/// encoding, repeated.
fn data_flow(report: &mut Report) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/isa/dataflow");
    for platform in Platform::ALL {
        let path = folder.join(format!("{}-2.hex", platform.name()));
        let digits: String = std::fs::read_to_string(path).unwrap();
        let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        let kernel: Vec<u8> = digits.chunks(2).map(|pair| byte(pair).unwrap()).collect();
        let decoder = Rc::new(Decoder::new(platform));
        let count = DataFlow::new(Rc::clone(&decoder), kernel.as_slice()).count();
        let times = 10_000_usize.div_ceil(count as usize);
        let code: Rc<[u8]> = kernel.repeat(times).into();
        let time = best(5, || {
            let flow = DataFlow::new(Rc::clone(&decoder), Rc::clone(&code));
            let live = flow.live(0).map(|live| live.registers);
            let producers: usize = (0..flow.count())
                .map(|row| flow.all_definitions(row).len())
                .sum();
            (live, producers)
        });
        report.line(
            &format!("data flow of 10 000 instructions, {}", platform.name()),
            format!("{:.1} ms", millis(time)),
            "50 ms",
            time.as_millis() < 50,
        );
    }
}

fn table_of_60000(report: &mut Report) {
    let time = |kernels: usize| {
        let bytes = zebin(&ze_info(kernels, 6));
        let document = open(&bytes);
        best(1, || rows(&document))
    };
    let (small, large) = (time(6000), time(60_000));
    let growth = large.as_secs_f64() / small.as_secs_f64();
    report.line(
        "60 000 kernels against 6 000",
        format!("{:.0} ms, {growth:.1} ×", millis(large)),
        "linear (< 15 ×)",
        growth < 15.0,
    );
}
